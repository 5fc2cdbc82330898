"""The table of seams, read back by pandas."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

from workbench.loops.plan import LoopPlan
from workbench.workflows.export import export_plan
from workbench.workspace import Workspace


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
