"""Every plan the planner makes, checked again by plain arithmetic from the rules of how plans are played."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.workbench.plans.made import ANY_PROFILE, only, the_plan, the_refusal, track_profile
from workbench.params import CoverParams
from workbench.plans.constraints import NamedSplice, SeamConstraints
from workbench.plans.fit import plan_fit
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.seams.profile import EndingKind, LoopProfile


def check(plan: LoopPlan, profile: LoopProfile, video: float) -> None:
    """The rules in words, one after the other, without the code's own arithmetic."""
    lines = [float(line) for line in profile.downbeats]
    segments, fades = plan.segments, plan.seam_fades
    n = len(segments)
    assert n >= 2
    assert plan.loop_start_a is not None
    assert plan.loop_end_b is not None
    assert len(fades) == len(plan.seam_curves) == len(plan.seam_times) == n - 1
    lengths = [s.song_to - s.song_from for s in segments]

    # Clocks: T_k, the times at which segments start, from the rounded segments.
    at = plan.music_in
    for k in range(n - 1):
        at += lengths[k]
        assert plan.seam_times[k] == pytest.approx(at, abs=1e-5)
    reached = at + lengths[-1]
    for value in [
        *plan.seam_times,
        plan.music_in,
        plan.music_end,
        plan.tail_seconds,
        plan.loop_start_a,
        plan.loop_end_b,
    ]:
        assert value == round(value, 6)
    for segment in segments:
        assert (segment.song_from, segment.song_to) == (round(segment.song_from, 6), round(segment.song_to, 6))

    # Cover.
    assert plan.music_out == plan.window_end == round(video, 6)
    own_end = abs(segments[-1].song_to - round(profile.last_sound, 6)) < 1e-9
    if own_end:
        assert reached == pytest.approx(plan.music_end, abs=1e-3)
    else:
        assert reached == pytest.approx(plan.window_end, abs=1e-3)
        assert plan.music_in == 0
    last_time = plan.segments[-1].song_to if own_end else plan.segments[-1].song_to - plan.tail_seconds
    last_bar = max(bar for bar in range(len(lines) - 1) if lines[bar] <= last_time + 1e-4 or bar == 0)
    assert 0 <= plan.tail_seconds < lines[last_bar + 1] - lines[last_bar]
    assert plan.tail_seconds == pytest.approx(plan.window_end - plan.music_end, abs=1e-6)
    assert 0 <= plan.music_in < lines[1] - lines[0]

    # Ends.
    assert plan.end_fade_seconds >= plan.tail_seconds
    assert plan.start_fade_seconds >= 0
    if own_end:
        assert plan.end_fade_seconds == pytest.approx(plan.tail_seconds, abs=1e-6)
    else:
        assert min(abs(line - last_time) for line in lines) < 1e-4, "a fade resolves on a bar line"
        assert plan.end_fade_seconds >= 1.0

    # Room.
    for k in range(n - 1):
        f = fades[k]
        assert f >= 0.005
        assert 0.5 <= plan.seam_curves[k] <= 1.0
        assert segments[k + 1].song_from >= f / 2 - 1e-9
        assert segments[k].song_to + f / 2 <= profile.song_duration + 1e-6
        assert abs(segments[k + 1].song_from - segments[k].song_to) > 0.1, "segments that simply continue each other"
    around = [0.0, *fades, 0.0]
    for k in range(n):
        assert lengths[k] >= (around[k] + around[k + 1]) / 2
        assert lengths[k] >= plan.gain_glide_seconds
    assert lengths[0] >= plan.start_fade_seconds + fades[0] / 2
    assert lengths[-1] >= plan.end_fade_seconds + fades[-1] / 2

    # Grid.
    for k in range(n - 1):
        left, entered = segments[k].song_to, segments[k + 1].song_from
        j, i = (int(np.argmin(np.abs(np.array(lines) - at))) for at in (left, entered))
        assert abs(lines[j] - left) <= 0.010
        assert abs(lines[i] - entered) <= 0.010
        beat_before = lines[j] - (lines[j] - lines[j - 1]) / plan.beats_per_bar
        heard = (left - beat_before) + (lines[i] - entered)
        assert abs(heard - (lines[j] - beat_before)) <= 0.010 + 1e-6
    a = int(np.argmin(np.abs(np.array(lines) - plan.loop_start_a)))
    b = int(np.argmin(np.abs(np.array(lines) - plan.loop_end_b)))
    assert b - a == plan.bars
    assert abs((plan.loop_end_b - plan.loop_start_a) - (lines[b] - lines[a])) <= 0.020

    # Levels: nothing steps by more than the limit, nothing is amplified for good.
    assert all(segment.gain_db == 0 and abs(segment.gain_in_db) <= 6 for segment in segments)
    assert segments[0].gain_in_db == segments[0].gain_db

    # What is said about it.
    assert plan.song_start == segments[0].song_from == round(profile.song_start, 6)
    assert plan.song_duration == round(profile.song_duration, 6)
    whole = [s for s in segments if s.song_from <= plan.loop_start_a + 0.02 and s.song_to >= plan.loop_end_b - 0.02]
    assert plan.repeats == len(whole)
    assert 0 <= plan.seam_score <= 1
    assert 0 <= plan.plan_score <= 1
    resolves = segments[-1].song_to - (0.0 if own_end else plan.tail_seconds)
    heard_names = {
        section.label
        for section in profile.sections
        for s in segments
        if min(resolves if s is segments[-1] else s.song_to, section.song_to) - max(s.song_from, section.song_from)
        > 0.05
    }
    assert set(plan.sections_covered) == heard_names
    assert len(plan.sections_covered) == len(heard_names)
    outro = own_end and profile.ending is not None and profile.ending.kind is EndingKind.OUTRO
    assert (plan.outro_start is not None) == (plan.outro_end is not None) == outro
    if plan.outro_start is not None:
        assert segments[-1].song_from <= plan.outro_start + 0.011
        assert plan.outro_end == segments[-1].song_to
    if own_end and profile.ending is not None:
        assert segments[-1].song_from <= lines[profile.ending.start_bar] + 0.011
    assert plan.end_label

    # Options.
    if plan.options:
        assert len(plan.options) <= 4
        assert plan.options[0] == replace(plan, options=())
        scores = [option.plan_score for option in plan.options]
        assert scores == sorted(scores, reverse=True)
        assert len({(o.loop_start_a, o.loop_end_b, o.end_label.split()[0]) for o in plan.options}) == len(plan.options)
        for option in plan.options:
            assert not option.options
            check(option, profile, video)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_every_plan_keeps_every_rule(data: st.DataObject) -> None:
    profile = data.draw(ANY_PROFILE)
    short = st.floats(30.0, 900.0)
    excess = data.draw(short | short | st.floats(900.0, 7200.0), label="excess")
    video = profile.song_duration + excess
    answer = plan_loop(profile, video)
    if isinstance(answer, Refusal):
        event(f"refused: {answer.reason}")
        assert answer.reason is RefusalReason.NO_VIABLE_LOOP
        return
    event("fade" if answer.ends_in_fade else "own ending")
    event(f"{len(answer.options)} options")
    check(answer, profile, video)


@pytest.mark.parametrize("video", [180.0, 300.0, 333.333333, 3600.0, 12_345.678901, 36_000.0])
@pytest.mark.parametrize("ending", [*EndingKind, None])
def test_a_track_with_repeats_covers_any_video(video: float, ending: EndingKind | None) -> None:
    profile = track_profile(ending=ending)
    plan = the_plan(plan_loop(profile, video))
    check(plan, profile, video)
    assert plan.seam_score > 0.75
    assert len(plan.options) >= 2
    if ending is not None:
        assert plan.segments[-1].song_to == round(profile.last_sound, 6), "an own ending that fits is played"


@pytest.mark.parametrize("beats_per_bar", [3, 4, 6, 7])
@pytest.mark.parametrize("tempo_change", [1.0, 0.75])
def test_metres_and_tempo_changes(beats_per_bar: int, tempo_change: float) -> None:
    profile = track_profile(beats_per_bar=beats_per_bar, tempo_change=tempo_change, bpm=140.0, splices=400)
    plan = the_plan(plan_loop(profile, 500.0))
    check(plan, profile, 500.0)
    assert plan.beats_per_bar == beats_per_bar


def test_no_fade_reaches_before_the_recording_starts() -> None:
    profile = track_profile(lead_in=0.0, splices=300)
    plan = the_plan(plan_loop(profile, 400.0))
    check(plan, profile, 400.0)
    assert all(segment.song_from > 0 for segment in plan.segments[1:])
    assert plan.start_fade_seconds == 0.005, "a file that opens in mid-sound is faded in against a click"


def test_one_body_repeats_as_often_as_the_length_asks() -> None:
    # 64 bars of 2 s from 0.4 s; sound from 0.3 s to 130.7 s. Three more passes of 32 bars make 130.4 + 192 s.
    profile = only(track_profile(), [(48, 16)])
    plan = the_plan(plan_loop(profile, 323.0))
    check(plan, profile, 323.0)
    assert [(s.song_from, s.song_to) for s in plan.segments] == [(0.3, 96.4), (32.4, 96.4), (32.4, 96.4), (32.4, 130.7)]
    assert (plan.bars, plan.repeats, plan.loop_start_a, plan.loop_end_b) == (32, 4, 32.4, 96.4)
    assert plan.tail_seconds == pytest.approx(323.0 - 322.4)
    assert (plan.outro_start, plan.outro_end) == (112.4, 130.7)
    assert plan.seam_score == 0.95


def test_music_starts_late_only_where_that_buys_the_own_ending() -> None:
    # 3 s to spare with bars of 2 s: music_in takes almost a bar of it, the tail, which is silence, the rest.
    profile = only(track_profile(), [(48, 16)])
    late = the_plan(plan_loop(profile, 325.4))
    check(late, profile, 325.4)
    assert 1.99 < late.music_in < 2.0
    assert late.tail_seconds == pytest.approx(3.0 - late.music_in)
    # 5 s to spare are two bars and more: nothing buys the ending, and the plan fades from the start of the video.
    fades = the_plan(plan_loop(profile, 327.4))
    check(fades, profile, 327.4)
    assert fades.music_in == 0
    assert fades.end_label.startswith("fades")


def test_a_last_pass_may_be_short_where_there_is_no_other_plan() -> None:
    # One splice back to the head from the last bar line, as in a file that is made to repeat: a pass lasts 126 s.
    profile = only(track_profile(ending=None), [(63, 0)])
    lengths = np.arange(200.0, 326.0, 1.0)
    lasts, refused = [], 0
    for video in lengths.tolist():
        answer = plan_loop(profile, video)
        if isinstance(answer, Refusal):
            refused += 1
            continue
        check(answer, profile, video)
        lasts.append(answer.segments[-1].song_to - answer.segments[-1].song_from)
        assert answer.end_fade_seconds > min(lasts[-1] - 2.02, 5.9), "but for the part of a bar before a bar line"
        assert answer.end_fade_seconds > 1.9, "a bar at least"
    assert refused <= 2, "only what is shorter than a bar cannot be one more pass"
    assert min(lasts) < 4.0


def test_a_second_splice_makes_the_length_fit() -> None:
    # 32-bar passes leave 10 s over; a second body of 5 bars takes it.
    profile = only(track_profile(), [(48, 16), (45, 40)], [0.95, 0.9])
    plan = the_plan(plan_loop(profile, 333.0))
    check(plan, profile, 333.0)
    assert plan.outro_end is not None
    assert plan.seam_score == 0.9


def test_a_cut_ahead_makes_the_length_fit() -> None:
    # One pass too many by 20 s: ten bars are skipped.
    profile = only(track_profile(), [(48, 16), (20, 30)], [0.95, 0.9])
    plan = the_plan(plan_loop(profile, 303.0))
    check(plan, profile, 303.0)
    assert plan.outro_end is not None
    assert any(
        later.song_from > sooner.song_to for sooner, later in zip(plan.segments, plan.segments[1:], strict=False)
    )


def test_the_same_bars_do_not_follow_each_other_for_ever() -> None:
    profile = only(track_profile(), [(48, 16), (40, 24), (56, 32)], [0.95, 0.93, 0.92])
    params = CoverParams()
    plan = the_plan(plan_loop(profile, 3600.0, params))
    check(plan, profile, 3600.0)
    runs, run = [], 1
    for sooner, later in zip(plan.segments, plan.segments[1:], strict=False):
        run = run + 1 if sooner == later else 1
        runs.append(run)
    assert max(runs) <= params.max_passes_in_a_row
    assert len({(s.song_from, s.song_to) for s in plan.segments}) >= 4


def test_where_there_is_no_other_body_the_one_repeats() -> None:
    profile = only(track_profile(), [(48, 16)])
    plan = the_plan(plan_loop(profile, 3600.0))
    check(plan, profile, 3600.0)
    assert plan.body is not None
    assert plan.body.repeats > CoverParams().max_passes_in_a_row


def test_a_long_body_is_preferred_where_its_seam_is_as_good() -> None:
    profile = only(track_profile(), [(48, 16), (40, 32)])
    plan = the_plan(plan_loop(profile, 323.0))
    assert plan.bars == 32


def test_a_better_seam_outweighs_a_longer_body() -> None:
    profile = only(track_profile(), [(48, 16), (48, 24)], [0.6, 0.98])
    plan = the_plan(plan_loop(profile, 275.0))
    assert plan.bars == 24


def test_an_option_has_no_seam_that_many_hear_where_the_served_plan_has_none() -> None:
    profile = only(track_profile(), [(48, 16), (40, 32)], [0.95, 0.74])
    assert {option.bars for option in the_plan(plan_loop(profile, 323.0)).options} == {32}
    profile = only(track_profile(), [(48, 16), (40, 32)], [0.95, 0.85])
    assert len({option.bars for option in the_plan(plan_loop(profile, 323.0)).options}) == 2


def test_level_steps_are_taken_back_at_the_seam() -> None:
    profile = only(track_profile(), [(48, 16)])
    for step, gain_in in ((2.5, -2.5), (-3.0, 3.0), (0.1, 0.0), (11.0, -6.0)):
        louder = replace(profile, splices=replace(profile.splices, level_step_db=np.array([step])))
        plan = the_plan(plan_loop(louder, 323.0))
        assert [s.gain_in_db for s in plan.segments] == [0.0, gain_in, gain_in, gain_in]
        assert {s.gain_db for s in plan.segments} == {0.0}


def test_splices_that_break_a_rule_are_not_used() -> None:
    profile = only(track_profile(), [(48, 16)])
    splices = profile.splices
    for broken in (
        replace(splices, song_from=splices.song_from + 0.011),
        replace(splices, song_to=splices.song_to + 0.006, song_from=splices.song_from - 0.006),
        replace(splices, fade_seconds=np.array([0.004])),
        replace(splices, score=np.array([0.34])),
        replace(splices, song_to=profile.downbeats[[50]], leave=np.array([50]), fade_seconds=np.array([80.0])),
    ):
        answer = the_refusal(plan_loop(replace(profile, splices=broken), 323.0))
        assert answer.reason is RefusalReason.NO_VIABLE_LOOP


def test_short_bodies_are_not_looped() -> None:
    profile = only(track_profile(), [(20, 16)], 0.99)  # 8 s
    answer = the_refusal(plan_loop(profile, 323.0))
    assert answer.reason is RefusalReason.NO_VIABLE_LOOP
    assert "12 s" in answer.hint


def test_the_track_is_not_left_inside_its_own_ending() -> None:
    profile = only(track_profile(), [(60, 28)], 0.99)  # the outro starts at bar 56
    assert isinstance(plan_loop(profile, 323.0), Refusal)


@pytest.mark.parametrize(
    ("excess", "applies"), [(30.0, True), (29.999999, False), (30.0000004, True), (29.9999996, True)]
)
def test_a_video_must_be_longer_by_the_excess_on_the_reported_values(excess: float, applies: bool) -> None:
    profile = track_profile(ring=2.6)
    answer = plan_loop(profile, profile.song_duration + excess)
    if applies:
        assert isinstance(answer, LoopPlan)
        return
    assert isinstance(answer, Refusal)
    assert answer.reason is RefusalReason.VIDEO_NOT_LONGER
    assert not answer.retryable
    assert answer.video_seconds is not None
    assert answer.track_seconds == round(profile.song_duration, 6)
    assert answer.required_excess_seconds == 30.0
    assert round(answer.video_seconds - answer.track_seconds, 6) < 30.0


def test_an_unsure_grid_is_no_reason_to_refuse_seams_that_pass_unnoticed() -> None:
    sure, unsure = (plan_loop(track_profile(confidence=confidence), 323.0) for confidence in (0.9, 0.1))
    assert isinstance(unsure, LoopPlan)
    assert unsure == sure


@pytest.mark.parametrize(
    ("confidence", "reason"), [(0.1, RefusalReason.LOW_CONFIDENCE), (0.9, RefusalReason.NO_VIABLE_LOOP)]
)
def test_without_a_good_seam_the_refusal_names_the_bars_where_they_are_unsure(
    confidence: float, reason: RefusalReason
) -> None:
    profile = track_profile(confidence=confidence)
    heard = replace(profile, splices=replace(profile.splices, score=np.full(profile.splices.score.shape, 0.31)))
    answer = the_refusal(plan_loop(heard, 323.0))
    assert answer.reason is reason
    assert "0.31" in answer.hint
    assert "0.50" in answer.hint


def test_a_refusal_names_the_best_splice_back() -> None:
    profile = only(track_profile(), [(40, 8), (44, 8), (20, 16)], [0.2, 0.3, 0.45])  # the last one is too short a body
    answer = the_refusal(plan_loop(profile, 323.0))
    assert "(the best seam scores 0.30, needed 0.50)" in answer.hint, "that of the same splice"
    assert (answer.best_splice, answer.best_score) == (NamedSplice(88.4, 16.4), 0.3)
    pinned = SeamConstraints(pinned=(NamedSplice(88.4, 16.4),))
    assert the_plan(plan_loop(profile, 323.0, CoverParams(), pinned)).seam_score == 0.3


def test_where_the_music_starts_late_an_option_starts_with_the_picture() -> None:
    profile = track_profile(splices=400)
    late = [
        plan
        for seconds in np.linspace(200.0, 500.0, 40).tolist()
        for plan in (the_plan(plan_loop(profile, seconds)), the_plan(plan_fit(profile, seconds)))
        if plan.music_in > 0.0
    ]
    assert len(late) > 4
    for plan in late:
        assert any(option.music_in == 0.0 for option in plan.options)


def test_a_refusal_names_no_splice_with_which_there_is_no_plan_either() -> None:
    profile = only(track_profile(), [(20, 16)], 0.4)
    answer = the_refusal(plan_loop(profile, 323.0))
    assert answer.best_splice is None


def test_without_bars_there_is_no_profile_to_loop() -> None:
    silence = replace(
        track_profile(), downbeats=np.array([]), bar_lufs=np.array([]), sections=(), ending=None, grid_confidence=0.0
    )
    answer = the_refusal(plan_loop(silence, 323.0))
    assert answer.reason is RefusalReason.NO_LOOP_PROFILE
    assert not answer.retryable


def test_without_splices_there_is_no_loop() -> None:
    answer = the_refusal(plan_loop(only(track_profile(), []), 323.0))
    assert answer.reason is RefusalReason.NO_VIABLE_LOOP


def test_the_same_question_has_the_same_answer() -> None:
    assert plan_loop(track_profile(), 777.7) == plan_loop(track_profile(), 777.7)


def test_planning_costs_little_and_does_not_grow_with_the_video() -> None:
    profile = track_profile(bars=300, splices=600, bpm=110.0)
    numbers = np.random.default_rng(1).integers(0, 100, 200)

    def small_steps() -> None:
        """Work of the planner's own kind, so that a slow or busy machine slows both: 10 ms at the time of writing."""
        for _ in range(1000):
            np.unique(numbers)

    def plan_hour() -> None:
        plan_loop(profile, 3600.0)

    def plan_ten_hours() -> None:
        plan_loop(profile, 36_000.0)

    # In turns, and the least of many: what else runs on the machine costs one run of a kind, not all.
    took: dict[Callable[[], None], list[float]] = {small_steps: [], plan_hour: [], plan_ten_hours: []}
    for _ in range(8):
        for work, seconds in took.items():
            start = time.process_time()
            work()
            seconds.append(time.process_time() - start)
    floor, hour, ten_hours = (min(seconds[1:]) for seconds in took.values())
    assert hour < 5 * floor  # 30 ms where the floor is 10
    assert ten_hours < 8 * floor  # 45 ms
    assert ten_hours < 3 * hour


@pytest.mark.parametrize("seconds", [700.0, 1500.0])
def test_a_plan_keeps_to_the_limits_that_it_is_given(seconds: float) -> None:
    profile = track_profile(bars=96, ending=None)
    limits = CoverParams(
        min_body_seconds=100.0,
        min_segment_seconds=14.0,
        min_segment_bars=8,
        min_opening_seconds=40.0,
        gain_glide_seconds=2.0,
        min_fade_out_seconds=20.0,
    )
    usual, strict = (the_plan(plan_loop(profile, seconds, params)) for params in (CoverParams(), limits))
    lengths = [segment.song_to - segment.song_from for segment in strict.segments]
    back = [one.song_to - other.song_from for one, other in pairwise(strict.segments)]
    assert lengths[0] >= 40.0
    assert min(lengths[1:-1]) >= 14.0
    assert max(back) >= 100.0
    assert strict.gain_glide_seconds == 2.0
    assert strict.end_fade_seconds >= 20.0 > usual.end_fade_seconds
    assert strict.segments != usual.segments
