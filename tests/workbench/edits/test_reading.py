"""The same edit is read from each format; files of two formats, or none, are compared or refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from workbench.edits.edit_list import EditList
from workbench.edits.reading import compare_files, is_edit_list, read_edit_list
from workbench.errors import EditError

WriteEdit = Callable[[str, Any, Fraction], Path]
NTSC, FILM = Fraction(30_000, 1001), Fraction(24_000, 1001)
FORMATS = ("otio", "fcpxml", "edl")
SHOTS: list[Any] = [
    (None, 0, 40),
    ("a.mov", 250, 125),
    ("b.mov", 500, 100, Fraction(1), 24),
    (None, 0, 20),
    ("c.mov", 60, 75, Fraction(2)),
    ("a.mov", 300, 25, Fraction(0)),
    ("c.mov", 10, 42, Fraction(4, 3)),
    ("b.mov", 2000, 51),
    ("c.mov", 30, 50, Fraction(1), 10),
]


def plain(edit: EditList) -> EditList:
    """The edit with media named by their last part."""
    pieces = ((clip.media and clip.media.split("/")[-1], *_times(clip)) for clip in edit.clips)
    return EditList.laid(pieces, edit.frame_rate)


def _times(clip: Any) -> tuple[Fraction, Fraction, Fraction]:
    return clip.source_start, clip.seconds, clip.speed


@pytest.mark.parametrize("rate", [Fraction(25), Fraction(24), FILM, NTSC, Fraction(50)])
def test_the_same_edit_in_every_format(write_edit: WriteEdit, rate: Fraction) -> None:
    expected = EditList.laid(
        [(shot[0], shot[1] / rate, shot[2] / rate, shot[3] if len(shot) > 3 else Fraction(1)) for shot in SHOTS], rate
    )
    formats = [*FORMATS, "fcpxmld", "otiod", "otioz", *(["drop-frame edl"] if rate == NTSC else [])]
    for kind in formats:
        assert plain(read_edit_list(write_edit(kind, SHOTS, rate), frame_rate=rate)) == expected, kind


@pytest.mark.parametrize("rate", [Fraction(24), Fraction(25), NTSC, FILM])
def test_an_edl_is_counted_at_the_rate_that_gives_its_length(write_edit: WriteEdit, rate: Fraction) -> None:
    path = write_edit("edl", SHOTS, rate)
    seconds = float(sum(shot[2] for shot in SHOTS) / rate)
    assert read_edit_list(path, seconds=seconds).frame_rate == rate


@pytest.mark.parametrize("old", FORMATS)
@pytest.mark.parametrize("new", FORMATS)
def test_two_formats_are_compared(write_edit: WriteEdit, old: str, new: str) -> None:
    rate = Fraction(25)
    changed = [*SHOTS[:4], ("x.mov", 0, 50), *SHOTS[4:7], *SHOTS[8:]]
    found = compare_files(write_edit(old, SHOTS, rate), write_edit(new, changed, rate))
    kinds = [change.kind for change in found.changes]
    assert kinds == ["insert", "delete"]
    assert [change.delta_seconds for change in found.changes] == [2.0, pytest.approx(-51 / 25)]
    assert found.shared_seconds == pytest.approx(sum(shot[2] for shot in SHOTS) / 25 - 51 / 25, abs=0.5)


def test_what_is_no_edit_list(tmp_path: Path, write_edit: WriteEdit) -> None:
    edit = write_edit("edl", SHOTS, Fraction(25))
    assert is_edit_list(Path("A.FCPXML"))
    assert not is_edit_list(Path("a.mov"))
    with pytest.raises(EditError, match=r"no edit list by its suffix; give \.otio"):
        read_edit_list(tmp_path / "edit.txt")
    with pytest.raises(EditError, match="no such file"):
        read_edit_list(tmp_path / "none.otio")
    with pytest.raises(EditError, match=r"film\.mov is not; give two edit lists"):
        compare_files(edit, tmp_path / "film.mov")


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("cut.aaf", r"Media Composer choose Tools > List Tool .*Premiere .*Resolve .*\(\.otio, \.fcpxml or \.edl\)"),
        ("cut.PRPROJ", r"Premiere choose File > Export > OpenTimelineIO \(\.otio\) or EDL"),
        ("cut.xml", r"Final Cut Pro 7 XML, as Premiere exports it, is not read; .*File > Export > .*\.edl"),
        ("cut.drp", "Resolve choose File > Export > Timeline"),
        ("cut.fcpbundle", "Final Cut choose File > Export XML"),
        ("cut.veg", r"Vegas .*\.fcpxml"),
        ("cut.kdenlive", r"Kdenlive .*\.otio"),
    ],
)
def test_the_file_of_a_program_is_refused_with_what_to_export(tmp_path: Path, name: str, way: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"anything")
    for refused in (lambda: compare_files(path, path), lambda: read_edit_list(path)):
        with pytest.raises(EditError, match=way) as caught:
            refused()
        assert str(caught.value).startswith(f"{path}: ")
        assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_bundle(tmp_path: Path) -> None:
    bundle = tmp_path / "cut.fcpxmld"
    bundle.mkdir()
    with pytest.raises(EditError, match=r"cut\.fcpxmld: a folder without Info\.fcpxml"):
        read_edit_list(bundle)


def edl_of(path: Path, *events: str) -> Path:
    path.write_text("\n".join(f"{k:03} {event}" for k, event in enumerate(events, start=1)))
    return path


def test_records_decide_the_rate_and_sources_count_their_own(tmp_path: Path) -> None:
    named = "AX V C {}\n* FROM CLIP NAME: {}"
    old = edl_of(
        tmp_path / "old.edl",
        named.format("00:00:00:12 00:01:01:00 01:00:00:00 01:01:00:12", "a.mov"),
        named.format("00:00:10:29 00:01:14:29 01:01:00:12 01:02:04:12", "g.mp4"),
        named.format("00:00:03:00 00:00:52:12 01:02:04:12 01:02:54:00", "c.mov"),
        named.format("00:00:07:00 00:01:13:00 01:02:54:00 01:04:00:00", "d.mov"),
    )
    new = edl_of(
        tmp_path / "new.edl",
        named.format("00:00:00:12 00:01:01:00 01:00:00:00 01:01:00:12", "a.mov"),
        named.format("00:00:10:29 00:00:42:14 01:01:00:12 01:01:32:00", "g.mp4"),
        named.format("00:00:07:00 00:01:13:00 01:01:32:00 01:02:38:00", "d.mov"),
    )
    for given in (None, Fraction(24)):
        found = compare_files(old, new, 240.0, given)
        assert found.frame_seconds == pytest.approx(1 / 24)
        assert found.other_rates == ()
        (change,) = found.changes
        assert (change.at, change.old_at, change.delta_seconds, change.kind) == (92.0, 92.0, -82.0, "delete")


@pytest.mark.parametrize("at", [0, 2])
def test_a_source_of_another_rate_is_cut_between_its_frames(tmp_path: Path, at: int) -> None:
    # 5 frames of the edit are 6.25 of the source, whose out stays: what is left of a frame there is no change.
    out = f"00:00:20:{at + 6:02}"
    old = edl_of(tmp_path / "old.edl", f"A V C 00:00:10:{at:02} {out} 01:00:00:00 01:00:10:05",
                 "B V C 00:00:00:05 00:00:05:05 01:00:10:05 01:00:15:05")  # fmt: skip
    new = edl_of(tmp_path / "new.edl", f"A V C 00:00:10:{at + 6:02} {out} 01:00:00:00 01:00:10:00",
                 "B V C 00:00:00:05 00:00:05:05 01:00:10:00 01:00:15:00")  # fmt: skip
    (change,) = compare_files(old, new, frame_rate=Fraction(24)).changes
    assert change.kind == "trim"
    assert change.delta_seconds == pytest.approx(-5 / 24)


def test_a_source_of_fewer_frames_than_the_edit_is_trimmed_once(tmp_path: Path) -> None:
    # 17 of 50 frames a second are 8.16 of 24: a code is off by up to a frame, which is longer than one of the edit.
    other = "B V C 00:00:00:00 00:00:05:00 {} {}"
    old = edl_of(tmp_path / "old.edl", "A V C 00:00:10:23 00:00:20:11 00:00:00:00 00:00:09:25",
                 other.format("00:00:09:25", "00:00:14:25"))  # fmt: skip
    new = edl_of(tmp_path / "new.edl", "A V C 00:00:11:08 00:00:20:11 00:00:00:00 00:00:09:08",
                 other.format("00:00:09:08", "00:00:14:08"))  # fmt: skip
    (change,) = compare_files(old, new, frame_rate=Fraction(50)).changes
    assert change.kind == "trim"
    assert change.delta_seconds == pytest.approx(-17 / 50)


def test_the_other_cut_tells_the_rate_of_a_source_too(tmp_path: Path) -> None:
    # Whole seconds last the same at any rate; that the media counts 30 frames stands in the old cut alone.
    old = edl_of(tmp_path / "old.edl", "A V C 00:00:10:14 00:00:20:29 01:00:00:00 01:00:10:12")
    new = edl_of(tmp_path / "new.edl", "A V C 00:00:12:14 00:00:20:14 01:00:00:00 01:00:08:00")
    found = compare_files(old, new, frame_rate=Fraction(24))
    assert [(span.old_start, span.new_start) for span in found.shared] == [(2.0, 0.0)]


FCPXML = """<fcpxml version="1.13"><resources><format id="r1" frameDuration="1/25s"/></resources><library><event>{}
</event></library></fcpxml>"""
PROJECT = (
    """<project name="{}"><sequence format="r1"><spine><title name="a" duration="{}s"/></spine></sequence></project>"""
)


def test_projects_are_chosen_by_name(tmp_path: Path, write_edit: WriteEdit) -> None:
    path = tmp_path / "event.fcpxml"
    path.write_text(FCPXML.format(PROJECT.format("Caf\u00e9", 20) + PROJECT.format("second", 15)))
    with pytest.raises(EditError, match="holds 2 projects: Caf\u00e9, second; say which with projects"):
        compare_files(path, path)
    with pytest.raises(EditError, match="holds 2 projects, none of them third: Caf\u00e9, second"):
        compare_files(path, path, projects=("third",))
    assert read_edit_list(path, project="second").seconds == 15
    found = compare_files(path, path, projects=("Cafe\u0301", "second"))
    assert (found.old_seconds, found.new_seconds) == (20.0, 15.0)
    alone = write_edit("edl", SHOTS, Fraction(25))
    assert compare_files(path, alone, projects=("second",)).old_seconds == 15.0


def test_a_frame_rate_that_the_length_does_not_tell_is_a_guess(write_edit: WriteEdit) -> None:
    rate = Fraction(25)
    old = [("a.mov", 0, 262), ("b.mov", 262, 238)]  # 20 s at any rate, with its cut inside a second
    new = [("a.mov", 0, 262), ("b.mov", 262, 230)]
    whole = [("a.mov", 0, 250), ("b.mov", 0, 250)]

    def found(shots: list[Any], changed: list[Any], kind: str = "edl", given: Fraction | None = None) -> Any:
        return compare_files(write_edit("edl", shots, rate), write_edit(kind, changed, rate), 20.0, given)

    guessed = found(old, new)
    assert (1 / guessed.frame_seconds, guessed.other_rates) == (pytest.approx(24), (25, 30, 50, 60))
    assert guessed.changes[0].delta_seconds == pytest.approx(-7 / 24)  # 19:17 is 8 frames of 25 before 20:00
    for sure in (found(old, new, given=rate), found(old, new, "otio"), found(old, [("a.mov", 0, 249)])):
        # Given, stated by the other cut, or told by its frames: one has the number 24.
        assert 1 / sure.frame_seconds == pytest.approx(25)
    assert found(old, new, given=rate).other_rates == found(old, new, "otio").other_rates == ()
    assert found(old, [("a.mov", 0, 249)]).other_rates == (30, 50, 60)
    assert found(whole, whole[:1]).other_rates == ()  # no frames are counted: the same at any rate
    with pytest.raises(EditError, match="is not of 24 frames a second, but of 25 by"):
        found(old, [("a.mov", 0, 249)], given=Fraction(24))
