from pathlib import Path

import numpy as np
import pytest

from workbench.analysis.track import Analysis, analyze
from workbench.analysis.workspace import Workspace
from workbench.media.audio import decode
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.plots.palette import png
from workbench.plots.plan import gain_curve, plan_figure
from workbench.plots.seams import SeamView, seam_figure
from workbench.store.home import Home
from workbench.workflows.seams import seam_views


@pytest.fixture(scope="module")
def analysis(track: Path, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    return analyze(Workspace(Home(tmp_path_factory.mktemp("home"))), track)


@pytest.fixture(scope="module")
def plan(analysis: Analysis) -> LoopPlan:
    plan = plan_loop(analysis.profile, analysis.duration + 100.0)
    assert isinstance(plan, LoopPlan)
    return plan


@pytest.fixture(scope="module")
def views(track: Path, plan: LoopPlan, analysis: Analysis) -> list[SeamView]:
    return seam_views(plan, decode(track), analysis)


def test_every_different_seam_is_looked_into_once(plan: LoopPlan, views: list[SeamView]) -> None:
    pairs = zip(plan.segments[:-1], plan.segments[1:], strict=True)
    assert {(view.leave_s, view.enter_s) for view in views} == {(a.song_to, b.song_from) for a, b in pairs}
    assert len({(view.leave_s, view.enter_s) for view in views}) == len(views)


def test_scores_are_those_the_plan_was_chosen_by(plan: LoopPlan, views: list[SeamView]) -> None:
    assert min(view.score for view in views) == pytest.approx(plan.seam_score, abs=1e-4)


def test_excerpts_have_the_seam_in_the_middle_and_the_track_on_either_side(
    track: Path, plan: LoopPlan, views: list[SeamView]
) -> None:
    recording, view = decode(track), views[0]
    rate, at = recording.sample_rate, round(view.middle * recording.sample_rate)
    seam = plan.segments[view.number - 1]
    assert seam.gain_db == pytest.approx(0.0, abs=3.0)
    half = round(view.fade_seconds * rate) + 2
    leave = round(plan.seam_times[view.number - 1] * rate) - at
    # Before the crossfade what is heard is what the track would have played on with; after it, what it led up to.
    np.testing.assert_allclose(view.played.samples[:, : at - half], view.left.samples[:, : at - half], atol=0.2)
    np.testing.assert_allclose(view.played.samples[:, at + half :], view.entered.samples[:, at + half :], atol=0.2)
    assert leave >= 0


def test_beats_around_a_seam_keep_the_pulse(analysis: Analysis, views: list[SeamView]) -> None:
    for view in views:
        gaps = np.diff(view.beats[:, 0])
        np.testing.assert_allclose(gaps, 60.0 / analysis.grid.tempo_bpm, atol=0.02)


def test_the_gain_curve_starts_at_nothing_ends_at_nothing_and_glides_in_between(plan: LoopPlan) -> None:
    times = np.array([plan.music_in, plan.window_end])
    assert np.all(gain_curve(plan, times) < -100.0)
    inside = float(plan.segment_starts[1]) + plan.gain_glide_seconds
    assert gain_curve(plan, np.array([inside])) == pytest.approx(plan.segments[1].gain_db, abs=1e-9)


def test_pictures_are_drawn(plan: LoopPlan, analysis: Analysis, views: list[SeamView]) -> None:
    assert png(plan_figure(plan, analysis.profile, [(5.0, 0.0), (5.2, 9.0), (8.0, 0.0)], [(5.2, 7.5)]))
    assert png(seam_figure(views[0]))
