"""The table of markers, read back by pandas, with what reviewers said; and the same in the other formats."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pandas
import pytest

from workbench.export.timeline import Marker, MarkerKind
from workbench.loops.plan import LoopPlan
from workbench.workflows.export import export_plan
from workbench.workspace import Workspace

SAID = (
    Marker(5.0, "comment: Ana: zu laut, hier; Ben: 2 dB?", MarkerKind.COMMENT),
    Marker(3661.52, "seam 1: audible (Ana)", MarkerKind.VERDICT),
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
    assert (verdict["timecode"], verdict["colour"]) == ("01:01:01:13", "MAGENTA")


def test_timecode_is_that_of_the_edl(
    workspace: Workspace, plan: LoopPlan, track: Path, video: Path, tmp_path: Path
) -> None:
    """At 29.97 it is drop-frame, as a reader of others counts it."""
    otio = pytest.importorskip("opentimelineio")
    out = export_plan(workspace, plan, "markers", tmp_path / "m.csv", track=track, video=video, reviews=SAID)
    table = pandas.read_csv(out)
    hour = table[table["video_s"] == SAID[1].video_s].iloc[0]
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
