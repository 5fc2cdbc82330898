"""The table of seams, read back by pandas."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

from workbench.analysis.workspace import Workspace
from workbench.plans.plan import LoopPlan
from workbench.render.schedule import PlacedTrack
from workbench.workflows.export import export_plan


def test_one_row_a_seam(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "csv", tmp_path / "seams.csv"))
    assert table["seam"].tolist() == [1, 2, 3]
    assert table["video_s"].tolist() == list(plan.seam_times)
    assert table["leaves_song_s"].tolist() == [segment.song_to for segment in plan.segments[:-1]]
    assert table["enters_song_s"].tolist() == [segment.song_from for segment in plan.segments[1:]]
    assert table["fade_s"].tolist() == list(plan.seam_fades)
    assert table["exponent"].tolist() == list(plan.seam_curves)
    assert table["leaves_db"].tolist() == [segment.gain_db for segment in plan.segments[:-1]]
    assert table["enters_db"].tolist() == [segment.gain_in_db for segment in plan.segments[1:]]
    middle = (table["fade_from_video_s"] + table["fade_to_video_s"]) / 2
    assert middle.tolist() == pytest.approx(plan.seam_times, abs=1e-6)
    assert "video_sample" not in table


def test_with_a_track_the_samples_follow(workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "csv", tmp_path / "seams.csv", track=track))
    assert set(table["sample_rate_hz"]) == {44_100}
    assert table["video_sample"].tolist() == [round(time * 44_100) for time in plan.seam_times]
    assert table["enters_song_sample"].tolist() == [round(segment.song_from * 44_100) for segment in plan.segments[1:]]
    leaves = [segment.song_to * 44_100 for segment in plan.segments[:-1]]
    assert table["leaves_song_sample"].tolist() == pytest.approx(leaves, abs=1.0)


def test_a_placed_track_is_one_row(workspace: Workspace, placed: PlacedTrack, track: Path, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, placed, "csv", tmp_path / "placed.csv", track=track))
    (row,) = table.to_dict("records")
    assert row["music_in_video_s"] == pytest.approx(max(0.0, placed.offset_seconds))
    assert row["music_end_video_s"] == pytest.approx(placed.music_end, abs=1e-6)
    assert row["song_from_s"] == pytest.approx(max(0.0, -placed.offset_seconds))
    assert row["song_to_s"] - row["song_from_s"] == pytest.approx(
        row["music_end_video_s"] - row["music_in_video_s"], abs=2e-6
    )
    assert (row["start_fade_s"] > 0.0) == (placed.offset_seconds < 0.0)
    assert (row["end_fade_s"] > 0.0) == (placed.offset_seconds == 8.0)
    assert row["first_video_sample"] - row["first_song_sample"] == round(placed.offset_seconds * 44_100)
