"""Audacity labels are read as Audacity does: lines of start, end and text with tabs between."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.export.audacity import write_labels
from workbench.export.timeline import Notes
from workbench.plans.plan import LoopPlan
from workbench.render.schedule import PlacedTrack
from workbench.results.mix import MixBody
from workbench.workflows.export import export_plan, timeline_of

Labels = list[tuple[float, float, str]]


def read(path: Path) -> Labels:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(float(start), float(end), text) for start, end, text in rows]


def named(labels: Labels, kind: str) -> Labels:
    return [label for label in labels if label[2].startswith(f"{kind} ") or label[2] == kind]


def test_seams_segments_and_speech_need_no_track(
    workspace: Workspace, plan: LoopPlan, mix: MixBody, tmp_path: Path
) -> None:
    labels = read(export_plan(workspace, plan, "audacity", tmp_path / "labels.txt", mix=mix))
    middles = [(start + end) / 2 for start, end, _ in named(labels, "seam")]
    assert middles == pytest.approx(plan.seam_times, abs=1e-6)
    assert [end - start for start, end, _ in named(labels, "seam")] == pytest.approx(plan.seam_fades, abs=2e-6)
    starts = plan.segment_starts
    assert [start for start, _, _ in named(labels, "segment")] == pytest.approx(starts[:-1], abs=1e-6)
    assert [end for _, end, _ in named(labels, "segment")] == pytest.approx(starts[1:], abs=1e-6)
    assert mix.duck is not None
    assert [[start, end] for start, end, _ in named(labels, "speech")] == mix.duck.speech_ranges
    assert labels == sorted(labels)


def test_bars_and_sections_stand_where_they_are_heard(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    """A grid of one-second bars from 0 s; the second and third segment both begin with bar 3."""
    beats = tuple((k * 0.25, k % 4 + 1) for k in range(48))
    notes = Notes(beats=beats, sections=((0.0, 4.0, "verse"), (4.0, 12.0, "chorus\tand\nmore")), grid_confidence=1.0)
    out = tmp_path / "labels.txt"
    write_labels(timeline_of(workspace, plan, notes=notes), out)
    labels = read(out)
    t = plan.segment_starts
    bars = named(labels, "bar")
    assert [text for _, _, text in bars[:5]] == ["bar 2", "bar 3", "bar 4", "bar 5", "bar 6"]
    assert [start for start, _, text in bars if text == "bar 3"] == pytest.approx(
        [t[0] + 2.0 - 0.31, t[1], t[2], t[3] + 2.0 - 1.2345], abs=1e-6
    )
    sections = named(labels, "section")
    assert [text for _, _, text in sections[:2]] == ["section verse", "section chorus and more"]
    assert sections[0][:2] == pytest.approx((t[0], t[0] + 4.0 - 0.31), abs=1e-6)
    assert sections[1][:2] == pytest.approx((t[0] + 4.0 - 0.31, t[1]), abs=1e-6)


def test_a_placed_track_has_its_bars_where_they_are_heard(
    workspace: Workspace, placed: PlacedTrack, track: Path, tmp_path: Path
) -> None:
    beats = tuple((k * 0.25, k % 4 + 1) for k in range(48))
    notes = Notes(beats=beats, sections=((0.0, 12.0, "verse"),), grid_confidence=1.0)
    out = tmp_path / "labels.txt"
    write_labels(timeline_of(workspace, placed, track=track, notes=notes), out)
    labels = read(out)
    assert not named(labels, "seam")
    (whole,) = named(labels, "segment")
    assert whole[:2] == pytest.approx((max(0.0, placed.offset_seconds), placed.music_end), abs=1e-6)
    bars = {text: start for start, _, text in named(labels, "bar")}
    assert bars["bar 4"] == pytest.approx(placed.offset_seconds + 3.0, abs=1e-6)
    (end,) = named(labels, "music end: cut off at the end of the video") or named(
        labels, "music end: ends with the track"
    )
    assert end[0] == pytest.approx(placed.music_end, abs=1e-6)
