"""From a route to what is heard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from workbench.loops.assembly import (
    PlayedEnds,
    PlayedSegments,
    assemble_segments,
    bars_heard,
    fresh_mean,
    longest_run,
)
from workbench.loops.plan import PlanKind
from workbench.loops.profile import LoopProfile
from workbench.loops.splices import UsableSplices, usable_splices
from workbench.loops.worth import freshness_part
from workbench.params import CoverParams

Maker = Callable[..., LoopProfile]


def bare(profile: LoopProfile) -> UsableSplices:
    return usable_splices(profile, CoverParams())


def test_freshness_is_how_soon_bars_come_again(track_profile: Maker) -> None:
    params = CoverParams(fresh_seconds=80.0)
    lasts = np.full(4, 20.0)
    # Bars 0 1 2 3 0 1 2 3: the first four come again after 80 s, the last four never.
    assert fresh_mean(np.array([0, 1, 2, 3] * 2), lasts, params) == pytest.approx(1 - np.exp(-1) / 2)
    # Bars 0 1 0 1 2 3: two of six come again after 40 s.
    assert fresh_mean(np.array([0, 1, 0, 1, 2, 3]), lasts, params) == pytest.approx(1 - np.exp(-0.5) / 3)
    # The track played round and round is as fresh as a loop of it can be.
    assert freshness_part(np.asarray(1 - np.exp(-1) / 2), 160.0, 80.0, params) == pytest.approx(1.0)


def test_bars_are_heard_in_the_order_of_the_splices(track_profile: Maker, only: Callable[..., LoopProfile]) -> None:
    usable = bare(only(track_profile(), [(16, 8), (40, 24)]))
    first, second = (int(np.flatnonzero(usable.leave == leave)[0]) for leave in (16, 40))
    bars = bars_heard(np.array([first, second]), usable, 50)
    np.testing.assert_array_equal(bars, np.concatenate([np.arange(16), np.arange(8, 40), np.arange(24, 50)]))
    assert longest_run(np.array([2, 2, 1, 2, 2, 2])) == 3
    assert longest_run(np.array([], dtype=np.int64)) == 0


@pytest.mark.parametrize(
    ("bars", "kind", "repeats"),
    [
        ([(0, 20)], PlanKind.STRAIGHT, None),
        ([(0, 16), (32, 48)], PlanKind.CUT_DOWN, None),
        ([(0, 16), (8, 16), (8, 24)], PlanKind.LOOP, 3),
    ],
)
def test_a_plan_is_of_the_kind_that_its_segments_make_it(
    track_profile: Maker, bars: list[tuple[int, int]], kind: PlanKind, repeats: int | None
) -> None:
    profile = track_profile(lead_in=0.0)
    table = np.round(profile.downbeats[np.array(bars)], 6)
    seams = len(bars) - 1
    played = PlayedSegments(
        table, np.full(seams, 0.02), np.full(seams, 0.5), np.zeros(len(bars)), np.linspace(0.9, 0.7, seams)
    )
    seconds = float(np.sum(table[:, 1] - table[:, 0]))
    ends = PlayedEnds(0.02, 0.0, 1.0, "fades", is_own=False)
    plan = assemble_segments(profile, played, ends, 0.0, seconds, plan_score=1.2, glide_seconds=30.0)
    assert (plan.kind, plan.repeats, plan.plan_score) == (kind, repeats, 1.0)
    assert plan.seam_score == (0.7 if seams > 1 else 0.9 if seams else 1.0)
    assert plan.window_end == plan.music_end == pytest.approx(seconds, abs=1e-6)
    assert plan.gain_glide_seconds <= np.min(table[:, 1] - table[:, 0])
    np.testing.assert_allclose(plan.seam_times, np.cumsum(table[:, 1] - table[:, 0])[:-1], atol=1e-6)
