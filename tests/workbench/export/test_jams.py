"""JAMS annotations are read back, and validated against their schema, by the library's own reader."""

from __future__ import annotations

from pathlib import Path

import jams
import pytest

from workbench.analysis.workspace import Workspace
from workbench.export.jams import write_jams
from workbench.export.timeline import Notes
from workbench.plans.plan import LoopPlan
from workbench.render.schedule import PlacedTrack
from workbench.results.plan import plan_from_json
from workbench.workflows.export import timeline_of


def test_beats_sections_and_the_plan_come_back(
    workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path
) -> None:
    beats = tuple((0.1 + k * 0.5, k % 4 + 1) for k in range(23))
    sections = ((0.1, 6.1, "Strophe"), (6.1, 12.0, "Änderung & Ende"))
    notes = Notes(beats=beats, sections=sections, grid_confidence=0.75)
    out = tmp_path / "track.jams"
    write_jams(timeline_of(workspace, plan, track=track, notes=notes), out)
    document = jams.load(str(out), validate=True, strict=True)
    assert document.file_metadata.duration == 12.0
    assert document.file_metadata.title == track.stem
    (found,) = document.search(namespace="beat")
    assert [(beat.time, beat.value) for beat in found.data] == [(pytest.approx(time), place) for time, place in beats]
    assert {beat.confidence for beat in found.data} == {0.75}
    named, played = document.search(namespace="segment_open")
    assert [(s.time, s.time + s.duration, s.value) for s in named.data] == [
        (pytest.approx(start), pytest.approx(end), name) for start, end, name in sections
    ]
    heard = {s.value: (s.time, s.time + s.duration) for s in played.data}
    for k, segment in enumerate(plan.segments, start=1):
        assert heard[f"played {k}"] == pytest.approx((segment.song_from, segment.song_to))
    kept = document.sandbox["workbench"]
    assert kept["tool"] == "barline-workbench"
    assert plan_from_json(dict(kept["plan"])) == plan


def test_a_placement_comes_back(workspace: Workspace, placed: PlacedTrack, track: Path, tmp_path: Path) -> None:
    notes = Notes(beats=((0.5, 1), (1.0, 2)), sections=((0.0, 12.0, "verse"),), grid_confidence=0.75)
    out = tmp_path / "track.jams"
    write_jams(timeline_of(workspace, placed, track=track, notes=notes), out)
    document = jams.load(str(out), validate=True, strict=True)
    kept = document.sandbox["workbench"]["placement"]
    assert kept["offset_seconds"] == pytest.approx(placed.offset_seconds)
    assert kept["music_end"] == pytest.approx(placed.music_end)
    (heard,) = document.search(namespace="segment_open")[1].data
    assert (heard.value, heard.time) == ("played 1", pytest.approx(kept["song_from"]))
