"""The first video track of OpenTimelineIO files, with what is nested in it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import opentimelineio as otio
import pytest

from workbench.edits.edit_list import EditList
from workbench.edits.otio import read_otio
from workbench.errors import EditError, ExtraMissing, missing_packages

schema = otio.schema


def time(frames: float, rate: float = 25.0) -> Any:
    return otio.opentime.RationalTime(frames, rate)


def span(start: float, frames: float, rate: float = 25.0) -> Any:
    return otio.opentime.TimeRange(time(start, rate), time(frames, rate))


def clip(name: str, start: float = 0, frames: float = 50, rate: float = 25.0, **more: Any) -> Any:
    return schema.Clip(name, source_range=span(start, frames, rate), **more)


def read(tmp_path: Path, *items: Any) -> EditList:
    edit = schema.Timeline("t", global_start_time=time(0))
    sound = schema.Track("A1", kind=schema.TrackKind.Audio, children=[clip("sound", 0, 999)])
    edit.tracks.extend([sound, schema.Track("V1", kind=schema.TrackKind.Video, children=items)])
    edit.tracks.append(schema.Track("V2", kind=schema.TrackKind.Video, children=[clip("title")]))
    path = tmp_path / "edit.otio"
    otio.adapters.write_to_file(edit, str(path))
    return read_otio(path)


def rows(edit: EditList) -> list[tuple[str | None, float, float, float]]:
    """Media, source start, seconds and speed, times in frames."""
    rate = edit.frame_rate
    return [
        (clip.media, float(clip.source_start * rate), float(clip.seconds * rate), float(clip.speed))
        for clip in edit.clips
    ]


def test_media_by_address_by_name_and_by_sequence(tmp_path: Path) -> None:
    reference = schema.ExternalReference("file:///m/a.mov", available_range=span(1000, 500))
    pictures = schema.ImageSequenceReference("file:///m/", "shot.", ".exr", 1, 1, 25, available_range=span(0, 9))
    off = clip("off", 0, 5)
    off.enabled = False
    edit = read(
        tmp_path,
        schema.Clip("whole", media_reference=reference),
        clip("by name", 3),
        clip("pictures", 0, 5, media_reference=pictures),
        off,
    )
    assert edit.frame_rate == 25
    assert rows(edit) == [
        ("file:///m/a.mov", 1000, 500, 1), ("by name", 3, 50, 1), ("file:///m/shot..exr", 0, 5, 1), (None, 0, 5, 1),
    ]  # fmt: skip


def test_speeds(tmp_path: Path) -> None:
    edit = read(
        tmp_path,
        clip("fast", 10, effects=[schema.LinearTimeWarp(time_scalar=2.0)]),
        clip("third", 10, effects=[schema.LinearTimeWarp(time_scalar=4 / 3)]),
        clip("back", 10, effects=[schema.LinearTimeWarp(time_scalar=-1.0)]),
        clip("still", 10, effects=[schema.FreezeFrame()]),
    )
    assert rows(edit) == [
        ("fast", 10, 50, 2), ("third", 10, 50, pytest.approx(4 / 3)), ("back", 60, 50, -1), ("still", 10, 50, 0),
    ]  # fmt: skip


def test_transitions_off_their_middle(tmp_path: Path) -> None:
    dissolve = schema.Transition("d", "SMPTE_Dissolve", in_offset=time(4), out_offset=time(10))
    fade = schema.Transition("f", "SMPTE_Dissolve", in_offset=time(0), out_offset=time(10))
    edit = read(tmp_path, fade, clip("a"), dissolve, clip("b", 20))
    assert rows(edit) == [("a", 0, 53, 1), ("b", 23, 47, 1)]


def test_nested_stacks_and_tracks_in_rates_of_their_own(tmp_path: Path) -> None:
    inner = schema.Track(
        "in",
        kind=schema.TrackKind.Video,
        children=[clip("a", 0, 48, 24.0), schema.Gap(duration=time(25)), clip("b", 5)],
    )
    over = schema.Track("over", kind=schema.TrackKind.Video, children=[clip("c", 0, 500)])
    fast = schema.Track("fast", children=[clip("d", 0, 100)], source_range=span(20, 30))
    fast.effects.append(schema.LinearTimeWarp(time_scalar=2.0))
    stack = schema.Stack("s", children=[inner, over], source_range=span(25, 75))
    assert rows(read(tmp_path, stack, fast)) == [("a", 25, 25, 1), (None, 0, 25, 1), ("b", 5, 25, 1), ("d", 20, 30, 2)]


def test_what_cannot_be_read_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(EditError, match="no shot on the first video track"):
        read(tmp_path)
    path = tmp_path / "bad.otio"
    path.write_text('{"OTIO_SCHEMA": "Timeline.1", \n "name": }')
    with pytest.raises(EditError, match=r"bad\.otio: not a file of OpenTimelineIO") as caught:
        read_otio(path)
    assert "\n" not in str(caught.value)
    otio.adapters.write_to_file(clip("alone"), str(path))
    with pytest.raises(EditError, match="no timeline in this file, but Clip"):
        read_otio(path)
    otio.adapters.write_to_file(schema.Timeline("none"), str(path))
    with pytest.raises(EditError, match="no video track"):
        read_otio(path)
    with pytest.raises(EditError, match="has no length"):
        read(tmp_path, schema.Clip("endless"))


def test_newer_schemas_are_read_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected = read(tmp_path, clip("a"), clip("b", 5))
    path = tmp_path / "edit.otio"
    text = path.read_text()
    assert not caplog.records
    newer = (
        text.replace('"Clip.2"', '"Clip.3"').replace('"Timeline.1"', '"Timeline.2"').replace('"V1"', '"V1", "x": [1]')
    )
    path.write_text(newer)
    assert read_otio(path) == expected
    (record,) = caplog.records
    words = f"{path}: newer than OpenTimelineIO {otio.__version__}, so what it adds is not read"
    assert record.getMessage() == words
    path.write_text(text.replace('"Clip.2"', '"Clip.x"'))
    with pytest.raises(EditError, match="not a file of OpenTimelineIO"):
        read_otio(path)


def test_timelines_are_chosen_by_name(tmp_path: Path) -> None:
    edits = []
    for name, frames in (("one", 50), ("two", 75)):
        edit = schema.Timeline(name)
        edit.tracks.append(schema.Track(kind=schema.TrackKind.Video, children=[clip("a", 0, frames)]))
        edits.append(edit)
    path = tmp_path / "edits.otio"
    inner = schema.SerializableCollection("bin", [edits[1]])
    otio.adapters.write_to_file(schema.SerializableCollection("all", [edits[0], clip("x"), inner]), str(path))
    assert read_otio(path, "two").seconds == 3
    with pytest.raises(EditError, match=r"edits\.otio: holds 2 projects: one, two; say which with projects"):
        read_otio(path)
    otio.adapters.write_to_file(schema.SerializableCollection("all", [edits[0]]), str(path))
    assert read_otio(path).seconds == 2


def test_what_is_no_bundle(tmp_path: Path) -> None:
    path = tmp_path / "edit.otioz"
    path.write_bytes(b"PK nothing")
    with pytest.raises(EditError, match=r"edit\.otioz: not a file of OpenTimelineIO \(File is not a zip file\)"):
        read_otio(path)
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.writestr("other.otio", "{}")
    with pytest.raises(EditError, match=r"There is no item named 'content\.otio' in the archive"):
        read_otio(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("content.otio", "{" + " " * 5000 + "}")
    torn = bytearray(path.read_bytes())
    torn[45:50] = b"xxxxx"  # of the compressed text, behind a header of 30 and a name of 12
    path.write_bytes(torn)
    with pytest.raises(EditError, match=r"edit\.otioz: not a file of OpenTimelineIO"):
        read_otio(path)


@pytest.fixture
def without_packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment in which no package is installed; what was looked up there is forgotten afterwards."""
    missing_packages.cache_clear()
    monkeypatch.setattr("workbench.errors.metadata.version", _not_installed)
    yield
    missing_packages.cache_clear()


@pytest.mark.usefixtures("without_packages")
def test_without_the_extra_it_is_said_which_one_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "cut.otio"
    otio.adapters.write_to_file(schema.Timeline("cut"), str(path))
    with pytest.raises(ExtraMissing, match=r"cut\.otio: reading OTIO needs .*opentimelineio"):
        read_otio(path)


@pytest.mark.parametrize("scalar", [float("nan"), float("inf"), float("-inf")])
def test_a_speed_that_is_no_number(tmp_path: Path, scalar: float) -> None:
    fast = clip("fast")
    fast.effects.append(schema.LinearTimeWarp(time_scalar=scalar))
    with pytest.raises(EditError, match=rf"edit\.otio: fast has a speed of {scalar}"):
        read(tmp_path, fast)


def _not_installed(name: str) -> str:
    raise metadata.PackageNotFoundError(name)


@pytest.mark.parametrize("kind", ["otio", "otiod", "otioz"])
def test_what_is_too_large_is_refused_before_it_is_read_whole(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"edit.{kind}"
    if kind == "otioz":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bundle,
            bundle.open("content.otio", "w") as inner,
        ):
            for _ in range(201):
                inner.write(bytes(1_000_000))
    else:
        if kind == "otiod":
            path.mkdir()
        with (path / "content.otio" if kind == "otiod" else path).open("wb") as file:
            file.truncate(201_000_000)
    with pytest.raises(EditError, match=r"not a file of OpenTimelineIO \(larger than 200 MB\)$"):
        read_otio(path)
