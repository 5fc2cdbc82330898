"""From a route to what is heard."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.plans.made import only, track_profile
from workbench.params import CoverParams
from workbench.plans.build import (
    PlayedSegments,
    Window,
    bars_played,
    build_plan,
    fresh_mean,
    longest_run,
    looped_body,
    sections_played,
    segments_of,
)
from workbench.plans.plan import Ending, EndKind, PlanKind
from workbench.plans.plan_score import freshness_part
from workbench.plans.splices import UsableSplices, usable_splices
from workbench.seams.profile import LoopProfile, TrackSection


def bare(profile: LoopProfile) -> UsableSplices:
    return usable_splices(profile, CoverParams())


def test_a_section_that_begins_where_the_fade_ends_is_not_heard() -> None:
    """The music resolves on the bar line at 40 s; what still sounds of the outro is the rest of the fade."""
    names = (("intro", 0.0, 10.0), ("verse", 10.0, 40.0), ("outro", 40.0, 60.0))
    sections = tuple(TrackSection(0, 1, first, last, name, 0) for name, first, last in names)
    table = np.array([[10.0, 40.03], [0.0, 40.25]])
    assert sections_played(table, sections, 0.25) == ("verse", "intro")
    assert sections_played(table, sections) == ("verse", "intro", "outro")
    assert sections_played(table, ()) == ()


def test_freshness_is_how_soon_bars_come_again() -> None:
    params = CoverParams(fresh_seconds=80.0)
    lasts = np.full(4, 20.0)
    # Bars 0 1 2 3 0 1 2 3: the first four come again after 80 s, the last four never.
    assert fresh_mean(np.array([0, 1, 2, 3] * 2), lasts, params) == pytest.approx(1 - np.exp(-1) / 2)
    # Bars 0 1 0 1 2 3: two of six come again after 40 s.
    assert fresh_mean(np.array([0, 1, 0, 1, 2, 3]), lasts, params) == pytest.approx(1 - np.exp(-0.5) / 3)
    # The track played round and round is as fresh as a loop of it can be.
    assert freshness_part(np.asarray(1 - np.exp(-1) / 2), 160.0, 80.0, params) == pytest.approx(1.0)


def test_bars_are_heard_in_the_order_of_the_splices() -> None:
    usable = bare(only(track_profile(), [(16, 8), (40, 24)]))
    first, second = (int(np.flatnonzero(usable.leave == leave)[0]) for leave in (16, 40))
    bars = bars_played(np.array([first, second]), usable, 50)
    np.testing.assert_array_equal(bars, np.concatenate([np.arange(16), np.arange(8, 40), np.arange(24, 50)]))
    taken = np.array([2, 2, 1, 2, 2, 2])
    none = np.zeros(6, dtype=bool)
    assert longest_run(taken, none, none) == (3, 3)
    assert longest_run(taken, taken == 2, none) == (0, 1), "those that are each a run of their own"
    assert longest_run(taken[:0], none[:0], none[:0]).length == 0
    around = np.array([1, 2, 1, 2, 1])
    assert longest_run(around, none[:5], around == 1) == (1, 2), "what goes ahead in turn does not part passes"
    assert longest_run(np.array([2, 1, 2, 2, 1, 2]), none, np.array([2, 1, 2, 2, 1, 2]) == 1).length == 2


@pytest.mark.parametrize(
    ("bars", "kind", "repeats"),
    [
        ([(0, 20)], PlanKind.STRAIGHT, None),
        ([(0, 16), (32, 48)], PlanKind.CUT_DOWN, None),
        ([(0, 16), (8, 16), (8, 24)], PlanKind.LOOP, 3),
    ],
)
def test_a_plan_is_of_the_kind_that_its_segments_make_it(
    bars: list[tuple[int, int]], kind: PlanKind, repeats: int | None
) -> None:
    profile = track_profile(lead_in=0.0)
    table = np.round(profile.downbeats[np.array(bars)], 6)
    seams = len(bars) - 1
    played = PlayedSegments(
        segments_of(table, np.zeros(len(bars))),
        np.full(seams, 0.02),
        np.full(seams, 0.5),
        np.linspace(0.9, 0.7, seams),
        start_fade=0.02,
        glide_seconds=30.0,
    )
    seconds = float(np.sum(table[:, 1] - table[:, 0]))
    ending = Ending(EndKind.FADE, 0.0, 1.0)
    plan = build_plan(profile, played, ending, Window(0.0, seconds), 1.2)
    assert (plan.kind, plan.repeats, plan.plan_score) == (kind, repeats, 1.0)
    assert plan.seam_score == (0.7 if seams > 1 else 0.9 if seams else 1.0)
    assert plan.window_end == plan.music_end == pytest.approx(seconds, abs=1e-6)
    assert plan.gain_glide_seconds <= np.min(table[:, 1] - table[:, 0])
    np.testing.assert_allclose(plan.seam_times, np.cumsum(table[:, 1] - table[:, 0])[:-1], atol=1e-6)


@pytest.mark.parametrize(
    ("bars", "body"),
    [
        # 16 to 40 around 24 to 28 five times, 100 bars in all; 2 to 12 whole three times
        ([(0, 12), (2, 12), (2, 24), *[(28, 40), (16, 24)] * 4, (28, 44)], (16, 40, 5)),
        # 16 to 40 around 20 to 36 five times, 40 bars in all; 2 to 16 whole four times
        ([(0, 16), (2, 16), (2, 16), (2, 20), *[(36, 40), (16, 20)] * 4, (36, 44)], (2, 16, 4)),
    ],
)
def test_the_body_that_plays_longest_is_reported_though_part_of_it_is_skipped(
    bars: list[tuple[int, int]], body: tuple[int, int, int]
) -> None:
    profile = track_profile(lead_in=0.0)
    first, last, repeats = body
    found = looped_body(profile.downbeats[np.array(bars)], profile.downbeats)
    assert found is not None
    assert (found.song_from, found.song_to) == (profile.downbeats[first], profile.downbeats[last])
    assert (found.bars, found.repeats) == (last - first, repeats)
