"""The plan score: its parts, and what passing a limit costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.workbench.plans.made import track_profile
from workbench.params import CoverParams
from workbench.plans.plan_score import (
    PlanScore,
    coverage_part,
    fade_part,
    most_plays,
    over_limits,
    own_ending_part,
    phrasing_part,
    seams_part,
)
from workbench.seams.profile import EndingKind


def test_limits_cost_half_at_once_and_half_with_every_doubling() -> None:
    params = CoverParams(max_passes_in_a_row=3, max_plays_over_mean=2.0)
    mean = np.asarray(5.0)
    assert most_plays(mean, params) == 10
    assert most_plays(np.asarray(1.2), params) == 3, "one more than the mean rounded up"
    cost = [float(over_limits(np.asarray(run), np.asarray(10.0), mean, params)) for run in (3, 4, 6, 12)]
    assert cost == pytest.approx([0.0, 0.03 + 0.03 * np.log2(4 / 3), 0.06, 0.09])
    assert over_limits(np.asarray(1), np.asarray(20.0), mean, params) == pytest.approx(0.06)


def test_one_bad_seam_costs_more_than_its_share() -> None:
    assert seams_part(np.asarray(1.0), np.asarray(1.0)) == pytest.approx(1.0)
    for seam_power in (1, 2):
        good, bad = (float(seams_part(np.asarray(worst), np.asarray(0.9), seam_power)) for worst in (0.75, 0.55))
        assert good - bad == pytest.approx(0.6 * 2.5 * 0.2), "below 0.75 what is missing counts two and a half times"
    assert seams_part(np.asarray(0.5), np.asarray(0.9)) == pytest.approx(0.4 * 0.9**2)


def test_a_seam_is_to_pass_unnoticed_more_than_once() -> None:
    good, fair, poor = (float(seams_part(np.asarray(score), np.asarray(score))) for score in (0.95, 0.85, 0.8))
    assert (good, fair, poor) == pytest.approx((0.95**2, 0.85**2, 0.8**2))
    params = CoverParams()
    ending = params.ending_weight * (1.0 - 0.6)
    assert params.seams_weight * (good - fair) < ending < params.seams_weight * (good - poor), (
        "for its own ending instead of the best fade a track gives 0.1 of its seams, but not 0.15"
    )


def test_a_track_that_is_heard_evenly_is_covered_in_full() -> None:
    lasts = np.array([2.0, 2.0, 1.0])
    assert coverage_part(np.full(3, 4.0), lasts) == pytest.approx(1.0)
    assert coverage_part(np.array([4.0, 0.0, 0.0]), lasts) == pytest.approx(2.0 / 5.0)


def test_the_tracks_own_ending_scores_more_than_a_fade_and_less_where_it_comes_late() -> None:
    nothing = np.asarray(0.0)
    assert own_ending_part(EndingKind.OUTRO, nothing, nothing) == 1.0
    assert own_ending_part(EndingKind.ABRUPT, nothing, nothing) == 0.9
    assert own_ending_part(EndingKind.RESOLVE, np.asarray(2.0), np.asarray(1.0)) == pytest.approx(0.86)
    assert own_ending_part(EndingKind.OUTRO, np.asarray(60.0), np.asarray(9.0)) == pytest.approx(0.75)


def test_fades_and_splices_follow_the_form() -> None:
    profile = track_profile()
    fades = fade_part(profile)
    assert fades[[8, 12, 13, 16]].tolist() == [0.6, 0.4, 0.2, 0.6]
    phrasing = phrasing_part(profile, np.array([24, 20, 18, 19, 64]), np.array([8, 16, 16, 16, 8]))
    assert phrasing.tolist() == [1.0, 0.8, 0.4, 0.1, 1.0]


def test_the_total_is_the_weighted_mean_less_what_limits_cost() -> None:
    parts: dict[str, Any] = dict.fromkeys(("freshness", "coverage", "segment_seconds"), np.asarray(0.7))
    parts |= {"worst": np.asarray(1.0), "mean": np.asarray(1.0)}
    parts |= {"ending": np.asarray(0.5), "phrasing": np.asarray(0.0)}
    weights = {"seams": 1.0, "ending": 0.5, "phrasing": 0.5, "freshness": 0.0, "coverage": 0.0, "economy": 0.0}
    params = CoverParams.model_validate({f"{name}_weight": weight for name, weight in weights.items()})
    assert PlanScore(**parts, lost=np.asarray(0.0)).total(params) == pytest.approx(1.25 / 2)
    assert PlanScore(**parts, lost=np.asarray(0.1)).total(params) == pytest.approx(1.25 / 2 - 0.1)
    assert PlanScore(**parts, lost=np.asarray(9.0)).total(params) == 0.0
