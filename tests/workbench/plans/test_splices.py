"""Which splices a plan may use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.workbench.plans.made import only, track_profile
from workbench.params import CoverParams
from workbench.plans.ends import start_fade
from workbench.plans.plan import GRID_TOLERANCE_SECONDS
from workbench.plans.splices import playable_splices, rank_within, sound_alike, usable_splices
from workbench.seams.profile import with_room


def test_a_splice_into_the_first_bar_makes_room_for_its_fade() -> None:
    lines = np.array([60.0, 60.0, 60.0, 60.0])
    song_to, song_from, fade = with_room(
        np.array([60.0, 60.0, 60.009, 60.0]), np.array([0.0, 0.004, 0.001, 0.5]), np.array([0.1, 0.02, 0.1, 0.1]), lines
    )
    np.testing.assert_allclose(song_to, [60.008, 60.006, 60.009, 60.0])
    np.testing.assert_allclose(song_from, [0.008, 0.010, 0.001, 0.5])
    np.testing.assert_allclose(fade, [0.016, 0.02, 0.1, 0.1], atol=3e-6)


def test_splices_that_keep_the_rules_are_usable_and_the_best_come_first() -> None:
    profile, params = track_profile(), CoverParams()
    usable = usable_splices(profile, params)
    assert usable.size > 0
    assert usable.score.min() >= params.min_seam_score
    assert np.all(np.diff(usable.score) <= 0)
    assert np.abs(usable.song_to - profile.downbeats[usable.leave]).max() <= GRID_TOLERANCE_SECONDS
    np.testing.assert_allclose(usable.gain_seconds, usable.song_to - usable.song_from, atol=2e-6)
    assert np.all(usable.leave[usable.is_body] > usable.enter[usable.is_body])
    assert usable.follows.shape == (usable.size, usable.size)
    assert profile.ending is not None
    assert usable.leave.max() <= profile.ending.start_bar


def test_no_splice_is_good_enough_where_the_floor_is_too_high() -> None:
    assert usable_splices(track_profile(), CoverParams(min_seam_score=1.0)).size == 0


def test_of_one_length_and_place_the_best_two_are_kept_or_all() -> None:
    """A loop is the same wherever it goes back; where the picture says which bar is wanted, each counts."""
    pairs = [(16, 8), (17, 9), (18, 10), (19, 11)]
    profile = only(track_profile(), pairs)
    assert usable_splices(profile, CoverParams()).size == 2
    found = playable_splices(profile, CoverParams())
    assert sorted(zip(found.leave.tolist(), found.enter.tolist(), strict=True)) == pairs


def test_loops_choose_among_the_best_of_a_long_track() -> None:
    """What lies behind the best six hundred is there for its length; a plan that fills a length does not take it."""
    profile = track_profile(splices=600)
    worst = profile.splices.rows(np.full(1, profile.splices.score.size - 1))
    best = profile.splices.rows(np.zeros(600, dtype=np.int64))
    crowded = replace(profile, splices=best.with_more(worst))
    params = CoverParams(min_seam_score=0.0)
    pair = int(worst.leave[0]), int(worst.enter[0])
    for found, has in ((playable_splices(crowded, params), True), (usable_splices(crowded, params), False)):
        assert (pair in zip(found.leave.tolist(), found.enter.tolist(), strict=True)) is has


def test_bodies_sound_alike_unless_their_ends_lie_bars_apart() -> None:
    bodies = np.array([(16, 8), (17, 9), (40, 24), (48, 8), (46, 8)])
    alike = sound_alike(bodies, bodies)
    assert alike[0].tolist() == [True, True, False, False, False]
    assert alike[3].tolist() == [False, False, False, True, True], "by a quarter of the longer one"
    assert not sound_alike(bodies, bodies[:0]).any()


def test_ranks_count_earlier_entries_of_the_same_group() -> None:
    assert rank_within(np.array([3, 5, 3, 3, 5])).tolist() == [0, 0, 1, 2, 1]


def test_a_track_that_begins_in_mid_sound_fades_in() -> None:
    profile = track_profile()
    assert start_fade(replace(profile, song_start=0.4)) == 0.0
    assert 0.0 < start_fade(replace(profile, song_start=0.0)) <= 0.01
