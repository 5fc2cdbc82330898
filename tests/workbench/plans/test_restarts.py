"""Where a track can begin again, on sound made here, and what plans that let it do so are like."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.workbench.plans.made import only, the_plan, the_refusal, track_profile
from workbench.features.loudness import loudness_between
from workbench.params import CoverParams
from workbench.plans.constraints import NO_CONSTRAINTS, NamedSplice, SeamConstraints, TrackRange
from workbench.plans.loop import plan_loop
from workbench.plans.move_seam import seam_scores
from workbench.plans.plan import Ending, EndKind, LoopPlan, seams_restart, segment_table
from workbench.plans.repetition import find_repetition, wears_less
from workbench.recording import Recording
from workbench.results.plan_words import repetition_line
from workbench.seams.endings import find_restart
from workbench.seams.profile import EndingKind, LoopProfile, Restart, TrackEnding

RATE = 22_050
LINES = 0.5 + 2.0 * np.arange(10)  # bar lines to 18.5 s
HIT = 16.5  # s, the last one, on a bar line


def ringing(decay_seconds: float, seconds: float = 22.0) -> Recording:
    """Tones until the last hit, which then dies away; silence before the first bar line."""
    t = np.arange(round(seconds * RATE)) / RATE
    sound = sum(np.sin(2 * np.pi * hz * t) for hz in (220.0, 440.0, 660.0)) * (t >= LINES[0])
    sound = 0.1 * sound * np.where(t < HIT, 1.0, np.exp(-(t - HIT) / decay_seconds))
    return Recording.from_samples(sound[None, :].astype(np.float32), RATE)


def restart_of(recording: Recording, song_start: float = LINES[0]) -> Restart | None:
    bars = loudness_between(recording.samples, RATE, LINES, np.append(LINES[1:], 20.5))
    ending = TrackEnding(EndingKind.RESOLVE, 6)
    return find_restart(recording, LINES, bars, ending, (song_start, 21.0))


def test_a_track_begins_again_on_the_bar_line_after_its_last_hit_has_died_away() -> None:
    found = restart_of(ringing(0.5))
    assert found is not None
    assert (found.leave, found.enter) == (9, 0)
    # 2 s after the hit, four times its decay: 34.7 dB down, and 3 dB more on average over the 0.4 s to come.
    assert found.ring_db == pytest.approx(-37.7, abs=0.5)


def test_where_it_still_rings_it_does_not() -> None:
    assert restart_of(ringing(4.0)) is None


def test_a_track_without_an_ending_or_a_head_does_not() -> None:
    recording = ringing(0.5)
    bars = np.full(LINES.size, -20.0)
    assert find_restart(recording, LINES, bars, None, (LINES[0], 21.0)) is None
    late = TrackEnding(EndingKind.ABRUPT, LINES.size - 1)
    assert find_restart(recording, LINES, bars, late, (LINES[0], 21.0)) is None, "the last bar line opens the ending"
    assert restart_of(recording, song_start=LINES[0] - 2.5) is None, "more than a bar lies before the first bar line"


def plan_of(
    profile: LoopProfile,
    seconds: float,
    constraints: SeamConstraints = NO_CONSTRAINTS,
    params: CoverParams = CoverParams(),
) -> LoopPlan:
    plan = the_plan(plan_loop(profile, seconds, params, constraints))
    return plan


def looped() -> LoopProfile:
    """A track of 130 s with one body of 24 s and a restart."""
    return only(track_profile(restarts=True), [(24, 12)], restart=True)


GOES_ON = CoverParams(restart_worth_seconds=36_000.0, min_variety_seconds=0.0)


def test_where_the_body_wears_the_last_option_begins_the_whole_track_again() -> None:
    profile = looped()
    plan = plan_of(profile, 600.0, params=GOES_ON)
    assert not plan.ending.restarts, "what is served goes on"
    assert not any(option.ending.restarts for option in plan.options[:-1])
    again = plan.options[-1]
    assert again.ending.restarts == 4
    assert wears_less(again, plan, profile)
    assert not wears_less(plan, again, profile)
    assert again.loop_start_a == pytest.approx(profile.downbeats[0], abs=0.01)
    assert again.bars == 63
    assert again.end_label.endswith("; begins again from its head 4 times after its own ending")
    assert again.ending.in_words == again.end_label.partition("; begins")[0]
    splices = seam_scores(profile, again)[~seams_restart(segment_table(again), profile)]
    assert again.seam_score == splices.min(initial=1.0), "a restart is no splice"
    assert again.plan_score <= plan.options[-2].plan_score
    entered = np.array([segment.gain_in_db for segment in again.segments[1:]])
    assert np.all(entered[seams_restart(segment_table(again), profile)] == 0.0), "no gain glides over the pause"
    assert find_repetition(plan, profile).over_limits
    assert not find_repetition(again, profile).over_limits


@pytest.mark.parametrize("seconds", [300.0, 411.3, 523.777, 1234.5, 3600.0])
def test_any_length_is_met(seconds: float) -> None:
    profile = looped()
    plan = plan_of(profile, seconds, params=GOES_ON)
    times = plan.options[-1].ending.restarts
    assert times == pytest.approx(seconds / 126.0, abs=2.0), "the whole track, not a part of it"
    assert wears_less(plan.options[-1], plan, profile)


def test_it_is_no_option_where_it_does_not_wear_less() -> None:
    profile = track_profile(restarts=True)
    short = plan_of(profile, profile.song_duration + 60.0)
    assert find_repetition(short, profile).plays == 2
    assert not any(option.ending.restarts for option in short.options)


def test_without_the_rule_on_variety_it_is_not_served_where_there_is_no_other_plan() -> None:
    profile = looped()
    strict = CoverParams(min_seam_score=0.99, min_variety_seconds=0.0)
    refused = the_refusal(plan_loop(profile, 600.0, strict))
    assert refused.restart is not None
    assert refused.restart.in_words == "2:06.4-0:00.4"
    pinned = SeamConstraints(pinned=(NamedSplice(126.0, 0.0),))
    asked = the_plan(plan_loop(profile, 600.0, strict, pinned))
    assert asked.ending.restarts == 4


@pytest.mark.parametrize("seconds", [300.0, 323.4, 411.3, 523.777, 700.0])
def test_who_pins_it_hears_the_end_of_the_track_and_what_is_left_out_of_it_is_said(seconds: float) -> None:
    profile = track_profile(bars=72, restarts=True, splices=400)
    again = profile.restart
    assert again is not None
    splice = NamedSplice(*(float(profile.downbeats[line]) for line in (again.leave, again.enter)))
    plan = plan_of(profile, seconds, SeamConstraints(pinned=(splice,)))
    assert plan.ending.restarts >= 1
    assert plan.ending.is_own
    table = segment_table(plan)
    skips = bool(np.any(table[1:, 0] > table[:-1, 1]))
    assert skips == ("leaves out" in str(repetition_line(plan, profile, CoverParams())))


def test_it_keeps_constraints() -> None:
    profile = looped()
    head = float(profile.downbeats[0])
    for constraints in (
        SeamConstraints(never_cut=(TrackRange(0.0, head + 4.0),)),
        SeamConstraints(excluded=(TrackRange(120.0, 128.0),)),
    ):
        plan = plan_of(profile, 600.0, constraints)
        assert not any(option.ending.restarts for option in plan.options)


def test_a_lost_pick_up_is_said() -> None:
    profile = track_profile(restarts=True)
    at_once = replace(profile, song_start=float(profile.downbeats[0]) - 0.02)
    later = replace(profile, song_start=float(profile.downbeats[0]) - 0.8)
    assert not at_once.restart_loses_pickup
    assert later.restart_loses_pickup
    often, lost = (Ending(EndKind.OUTRO, restarts=times, loses_pickup=times == 2) for times in (1, 2))
    assert often.restart_words == "begins again from its head once after its own ending"
    assert lost.restart_words == "begins again from its head 2 times after its own ending, without its pick-up"
