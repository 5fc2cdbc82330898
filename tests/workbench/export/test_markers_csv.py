"""The table of markers, read back by pandas, with what reviewers said; and the same in the other formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pandas
import pytest

from workbench.analysis.workspace import Workspace
from workbench.export.csv_tables import write_markers
from workbench.export.timeline import Marker, MarkerKind
from workbench.plans.plan import LoopPlan
from workbench.workflows.export import export_plan, timeline_of

SAID = (
    Marker(5.0, "comment: Ana: zu laut, hier; Ben: 2 dB?", MarkerKind.COMMENT),
    Marker(16.52, "seam 1: audible (Ana)", MarkerKind.VERDICT),
)


def test_one_row_a_marker(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "markers", tmp_path / "markers.csv"))
    assert table["kind"].tolist() == ["end", "seam", "seam", "seam", "end"]
    assert table["video_s"].tolist()[1:4] == list(plan.seam_times)
    assert table["frame"].tolist()[1:4] == [round(time * 25) for time in plan.seam_times]


def test_reviews_stand_between_the_seams(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "markers", tmp_path / "markers.csv", reviews=SAID))
    comment = table[table["kind"] == "comment"].iloc[0]
    assert (comment["video_s"], comment["timecode"], comment["colour"]) == (5.0, "00:00:05:00", "CYAN")
    assert comment["text"] == SAID[0].text
    verdict = table[table["kind"] == "verdict"].iloc[0]
    assert (verdict["timecode"], verdict["colour"]) == ("00:00:16:13", "MAGENTA")


def test_timecode_is_that_of_the_edl(
    workspace: Workspace, plan: LoopPlan, track: Path, video: Path, tmp_path: Path
) -> None:
    """At 29.97 it is drop-frame, as a reader of others counts it."""
    otio = pytest.importorskip("opentimelineio")
    late = Marker(3661.52, "seam 1: audible (Ana)", MarkerKind.VERDICT)
    timeline = timeline_of(workspace, plan, track=track, video=video, reviews=[*SAID, late])
    assert timeline.video is not None
    out = tmp_path / "m.csv"
    write_markers(replace(timeline, video=replace(timeline.video, frames=120_000)), out)
    table = pandas.read_csv(out)
    hour = table[table["video_s"] == late.video_s].iloc[0]
    assert hour["timecode"].startswith("01:01:01;"), "an hour of timecode is an hour"
    for frame, timecode in zip(table["frame"], table["timecode"], strict=True):
        assert otio.opentime.from_timecode(timecode, 30000 / 1001).value == frame


@pytest.mark.parametrize("name", ["fcpxml", "xmeml", "edl", "rpp", "otio", "audacity"])
def test_every_edit_holds_what_reviewers_said(
    workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path, name: str
) -> None:
    said = (Marker(5.0, "comment: Ana: too loud; Ben: 2 dB?", MarkerKind.COMMENT),)
    out = export_plan(workspace, plan, name, tmp_path / "out", track=track, reviews=said)
    text = out.read_text(encoding="utf-8")
    assert said[0].text in text
    if name == "fcpxml":
        (marker,) = [one for one in ElementTree.parse(out).iter("marker") if "Ana" in one.attrib["value"]]
        assert marker.attrib["start"] == "5s"
    if name == "edl":
        assert f"* LOC: 00:00:05:00 CYAN    {said[0].text}" in text
    if name == "otio":
        otio = pytest.importorskip("opentimelineio")
        (found,) = [
            one for one in otio.adapters.read_from_string(text, "otio_json").tracks.markers if "Ana" in one.name
        ]
        assert (found.color, found.marked_range.start_time.to_seconds()) == ("CYAN", pytest.approx(5.0))


@pytest.mark.parametrize("name", ["markers", "fcpxml", "xmeml", "edl", "otio"])
def test_the_end_of_music_that_plays_to_the_end_is_marked_on_the_last_frame(
    workspace: Workspace, make_plan: Callable[..., LoopPlan], track: Path, tmp_path: Path, name: str
) -> None:
    """The frame after it is none of the clip, and a marker there is lost."""
    plan = make_plan([(0.0, 6.0, 0.0, 0.0), (2.0, 6.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    assert plan.music_end == 10.0
    out = export_plan(workspace, plan, name, tmp_path / "out", track=track)
    text = out.read_text(encoding="utf-8")
    match name:
        case "markers":
            table = pandas.read_csv(out)
            assert (table["frame"].iloc[-1], table["timecode"].iloc[-1]) == (249, "00:00:09:24")
            assert table["video_s"].iloc[-1] == 10.0
        case "fcpxml":
            marker = list(ElementTree.parse(out).iter("marker"))[-1]
            assert Fraction(marker.attrib["start"].rstrip("s")) == Fraction(249, 25)
        case "xmeml":
            assert list(ElementTree.parse(out).iter("marker"))[-1].findtext("in") == "249"
        case "edl":
            assert "* LOC: 00:00:09:24 GREEN   music end" in text
        case "otio":
            otio = pytest.importorskip("opentimelineio")
            found = otio.adapters.read_from_string(text, "otio_json").tracks
            end = found.markers[-1].marked_range
            assert end.start_time.value == 249
            assert end.end_time_exclusive().to_seconds() <= found.duration().to_seconds()
