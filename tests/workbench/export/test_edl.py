"""Edit decision lists are read by a small reader of CMX 3600 and laid against the plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil
from pathlib import Path

import opentimelineio as otio
import pytest

from workbench.analysis.workspace import Workspace
from workbench.export.edl import reel_name
from workbench.plans.plan import LoopPlan
from workbench.render.schedule import PlacedTrack
from workbench.results.mix import MixBody
from workbench.workflows.export import export_plan

Exported = Callable[..., Path]

TIME = r"(\d\d:\d\d:\d\d[:;]\d\d)"
EVENT = re.compile(rf"(\d{{3}})  (\S{{1,8}}) +(V|AA) +(C|D) +(\d{{3}})? *{TIME} {TIME} {TIME} {TIME}$")
RATE = Fraction(30000, 1001)


@dataclass
class Event:
    """One line of an event, times in frames, and the comments below it."""

    number: int
    reel: str
    channel: str
    dissolve: int
    source: tuple[int, int]
    record: tuple[int, int]
    comments: list[str] = field(default_factory=list)


def frames(text: str, timebase: int) -> int:
    """Frames of a timecode: drop-frame leaves out two numbers (four at 60) a minute, but not every tenth."""
    hours, minutes, seconds, number = (int(part) for part in re.split("[:;]", text))
    whole = 60 * hours + minutes
    left_out = timebase // 15 * (whole - whole // 10) if ";" in text else 0
    return (60 * whole + seconds) * timebase + number - left_out


def read(path: Path, timebase: int) -> tuple[list[str], list[Event]]:
    """Head and events; every other line is a comment of the event above it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    events: list[Event] = []
    for line in filter(None, lines[2:]):
        if match := EVENT.match(line):
            number, reel, channel, kind, dissolve, *times = match.groups()
            assert (kind == "D") == bool(dissolve)
            first, stop, begin, end = (frames(time, timebase) for time in times)
            events.append(Event(int(number), reel, channel, int(dissolve or 0), (first, stop), (begin, end)))
        else:
            assert line.startswith("* ")
            events[-1].comments.append(line[2:])
    for event in events:
        assert event.source[1] - event.source[0] == event.record[1] - event.record[0]
    return lines[:2], events


def test_the_music_lies_where_the_plan_has_it(exported: Exported, plan: LoopPlan, video: Path, mix: MixBody) -> None:
    out = exported("edl", plan, video=video, mix=mix)
    head, events = read(out, 30)
    assert head == ["TITLE: edit", "FCM: DROP FRAME"]
    picture, *music = events
    assert (picture.channel, picture.record) == ("V", (0, 510))
    assert f"FROM CLIP NAME: {video.name}" in picture.comments
    assert {event.channel for event in music} == {"AA"}
    heard = [event for event in music if event.record[1] > event.record[0]]
    assert all(before.record[1] == after.record[0] for before, after in pairwise(heard))
    assert (heard[0].record[0], heard[-1].record[1]) == (0, 510)
    starts = plan.segment_starts
    for k, segment in enumerate(plan.segments):
        event = heard[k]
        # A dissolve is centred on the seam: half of it lies before.
        cut = event.record[0] + event.dissolve // 2
        assert abs(cut / RATE - starts[k]) <= 0.5 / RATE + 1e-6
        exact = event.record[0] / RATE + (segment.song_from - starts[k])
        assert abs(event.source[0] / RATE - exact) <= 0.5 / RATE + 1e-4
        assert f"EXACT: SEGMENT {k + 1} VIDEO {starts[k]:.6f} S TRACK {segment.song_from:.6f} S" in event.comments
        if k:
            assert event.dissolve == max(2, 2 * round(plan.seam_fades[k - 1] / 2 * RATE))
    assert (heard[-1].reel, heard[-1].dissolve) == ("BL", round(plan.end_fade_seconds * RATE))
    levels = [comment for comment in heard[1].comments if comment.startswith("AUDIO LEVEL AT ")]
    assert levels[0].startswith("AUDIO LEVEL AT 00:00:04;23 IS -2.00 DB")


def test_a_track_that_ends_by_itself_is_not_faded_before_it_ends(exported: Exported, late_plan: LoopPlan) -> None:
    _, events = read(exported("edl", late_plan), 25)
    assert not any(event.reel == "BL" for event in events), "the fall lies after the last sound"
    assert events[-1].record[1] == ceil(25 * late_plan.music_end)


def test_each_dissolve_names_the_clip_it_leaves(exported: Exported, plan: LoopPlan) -> None:
    _, events = read(exported("edl", plan), 25)
    for before, after in pairwise(events):
        if after.dissolve:
            assert before.number == after.number
            assert before.record[0] == before.record[1] == after.record[0]
    # What the first line of a dissolve names is where the clip before has played to.
    heard = [event for event in events if event.record[1] > event.record[0]]
    left = [event for event in events if event.record[1] == event.record[0]]
    assert [event.source[0] for event in left] == [event.source[1] for event in heard[:-1]]


def test_a_placed_track_is_one_event(
    workspace: Workspace, placed: PlacedTrack, track: Path, video: Path, tmp_path: Path
) -> None:
    _, events = read(export_plan(workspace, placed, "edl", tmp_path / "placed.edl", track=track, video=video), 30)
    music = [
        event for event in events if event.channel == "AA" and event.reel != "BL" and event.record[1] > event.record[0]
    ]
    (event,) = music
    offset = float(event.record[0] / RATE - event.source[0] / RATE)
    assert offset == pytest.approx(placed.offset_seconds, abs=float(0.5 / RATE))
    assert event.record[0] / RATE == pytest.approx(max(0.0, placed.offset_seconds), abs=float(1 / RATE))


def test_reels_are_eight_letters_of_ascii() -> None:
    assert reel_name("größte Hits (2024)") == "GROTE_HI"
    assert reel_name("日本") == "AX"
    assert reel_name("bl") == "BL_T"
    assert reel_name("a") == "A"


def test_opentimelineio_reads_the_list(exported: Exported, plan: LoopPlan, track: Path, video: Path) -> None:
    """The same clips, dissolves and markers as our own reader finds, by a reader of others, in drop-frame and not."""
    pytest.importorskip("otio_cmx3600_adapter", reason="make setup-dev installs OpenTimelineIO's reader of EDLs")
    for filmed, rate in ((video, 30000 / 1001), (None, 25.0)):
        out = exported("edl", plan, video=filmed)
        _, events = read(out, round(rate))
        heard = [event for event in events if event.channel == "AA" and event.record[1] > event.record[0]]
        edit = otio.adapters.read_from_file(str(out), adapter_name="cmx_3600", rate=rate)
        lanes = {lane.name: lane for lane in edit.tracks}
        assert list(lanes) == (["V", "A1", "A2"] if filmed else ["A1", "A2"])
        clips = list(lanes["A1"].find_clips())
        starts = [round(clip.range_in_parent().start_time.value) for clip in clips]
        assert starts == [event.record[0] for event in heard]
        assert [round(clip.source_range.start_time.value) for clip in clips] == [event.source[0] for event in heard]
        dissolves = [child for child in lanes["A1"] if isinstance(child, otio.schema.Transition)]
        assert [round(one.duration().value) for one in dissolves] == [event.dissolve for event in heard[1:]]
        assert [clip.name for clip in clips] == [track.name] * 4 + ["BL"]
        marks = [mark.name for clip in clips for mark in clip.markers]
        assert [name.split(":")[0] for name in marks] == ["music in", "seam 1", "seam 2", "seam 3", "music end"]
