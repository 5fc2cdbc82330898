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
    formats = [*FORMATS, *(["drop-frame edl"] if rate == NTSC else [])]
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
    assert found.kept_seconds == pytest.approx(sum(shot[2] for shot in SHOTS) / 25 - 51 / 25, abs=0.5)


def test_what_is_no_edit_list(tmp_path: Path, write_edit: WriteEdit) -> None:
    edit = write_edit("edl", SHOTS, Fraction(25))
    assert is_edit_list(Path("A.FCPXML"))
    assert not is_edit_list(Path("a.mov"))
    with pytest.raises(EditError, match=r"no edit list by its suffix; give \.otio"):
        read_edit_list(tmp_path / "edit.aaf")
    with pytest.raises(EditError, match="no such file"):
        read_edit_list(tmp_path / "none.otio")
    with pytest.raises(EditError, match=r"film\.mov is not; give two edit lists"):
        compare_files(edit, tmp_path / "film.mov")


def test_the_xml_of_premiere_is_named_with_what_is_read(tmp_path: Path) -> None:
    old, new = tmp_path / "old.xml", tmp_path / "new.XML"
    for cut in (old, new):
        cut.write_text('<?xml version="1.0"?><xmeml version="5"/>', encoding="utf-8")
    with pytest.raises(EditError, match=r"old\.xml: Final Cut Pro 7 XML, as Premiere exports it, is not read; .*\.edl"):
        compare_files(old, new)


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
