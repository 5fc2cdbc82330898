"""The timeline that every format is written from."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.export.timeline import LONE_FRAME_RATE, SILENT_DB, decibels
from workbench.plans.plan import LoopPlan
from workbench.workflows.export import timeline_of


def test_the_rate_of_an_edit_is_that_of_its_video(
    workspace: Workspace, plan: LoopPlan, track: Path, video: Path
) -> None:
    assert timeline_of(workspace, plan, track=track, video=video).frame_rate == Fraction(30000, 1001)
    assert timeline_of(workspace, plan, track=track).frame_rate == LONE_FRAME_RATE


def test_markers_stand_in_the_order_of_the_video(workspace: Workspace, plan: LoopPlan, track: Path) -> None:
    markers = timeline_of(workspace, plan, track=track).markers
    assert [marker.video_s for marker in markers] == pytest.approx([plan.music_in, *plan.seam_times, plan.music_end])
    assert [marker.text.split(" ")[0] for marker in markers] == ["music", "seam", "seam", "seam", "music"]


def test_silence_has_a_level() -> None:
    assert decibels(0.0) == decibels(1e-9) == SILENT_DB
    assert decibels(10.0) == pytest.approx(20.0)
