"""Every plan of a fit, checked again by plain arithmetic from the rules in words; and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations, pairwise
from math import ceil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workbench.plans.fitted import Fit
from tests.workbench.plans.made import ANY_PROFILE, only, the_refusal, track_profile
from workbench.errors import ConstraintError, ParameterError
from workbench.params import CoverParams
from workbench.plans.constraints import NamedSplice, SeamConstraints, TrackRange
from workbench.plans.fit import (
    different_share,
    plan_fits,
    shares_its_parts,
)
from workbench.plans.fit_request import hook_of, kept_stretches
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan, PlanKind
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import Hit, Keep, KeptPart, PlanRequest
from workbench.seams.profile import EndingKind, LoopProfile


def heard(plan: LoopPlan, times: np.ndarray) -> np.ndarray:
    """Which second of the track is heard at some times of the video; NaN for silence."""
    found = np.full(times.size, np.nan)
    at = plan.music_in
    for segment in plan.segments:
        inside = (times >= at) & (times < at + segment.length)
        found[inside] = segment.song_from + times[inside] - at
        at += segment.length
    return found


def check(plan: LoopPlan, profile: LoopProfile, request: Fit) -> None:
    for option in plan.options:
        check_one(option, profile, request)
    assert plan.options[0] == plan.alone
    times = (np.arange(2000) + 0.5) * request.seconds / 2000
    for one, other in combinations(plan.options, 2):
        apart = np.abs(heard(one, times) - heard(other, times)) > 0.25
        assert apart.mean() >= 0.099
        assert different_share(one, other) >= 0.1


def check_one(plan: LoopPlan, profile: LoopProfile, request: Fit) -> None:
    lines, seconds = profile.downbeats, round(request.seconds, 3)
    bars = np.diff(lines)
    segments = plan.segments

    # The length, to the millisecond.
    assert plan.window_end == plan.music_out == seconds
    reached = plan.music_in + sum(segment.length for segment in segments)
    own = plan.end_label.startswith("own ending")
    assert reached == pytest.approx(plan.music_end if own else seconds, abs=1e-3)
    assert plan.tail_seconds == pytest.approx(seconds - plan.music_end, abs=2e-6)
    resolves = segments[-1].song_to - (0.0 if own else plan.tail_seconds)
    last_bar = int(np.clip(np.searchsorted(lines, resolves + 0.01) - 1, 0, bars.size - 1))
    assert 0.0 <= plan.tail_seconds < bars[last_bar]

    # The kind.
    played = sorted((segment.song_from, segment.song_to) for segment in segments)
    twice = any(after[0] < before[1] - 0.05 for before, after in pairwise(played))
    wanted = PlanKind.STRAIGHT if len(segments) == 1 else PlanKind.LOOP if twice else PlanKind.CUT_DOWN
    assert plan.kind is wanted
    assert (plan.body is not None) == twice
    assert plan.seam_score == 1.0 or plan.seam_times
    assert len(plan.seam_fades) == len(plan.seam_curves) == len(plan.seam_times) == len(segments) - 1

    # The start. A length between the music's and the file's is the file, with the silence at its ends.
    if own and len(segments) == 1 and segments[0].length > profile.last_sound - profile.song_start + 1e-3:
        assert plan.tail_seconds <= 1e-3
        return

    start, own_start = plan.song_start, abs(plan.song_start - round(profile.song_start, 6)) < 1e-6
    early = lines[np.searchsorted(lines, start - 1e-6)] - start if start <= lines[-1] else np.inf
    assert own_start or 0.0 <= early <= 0.0600001, "the track's own start, or a downbeat entered a little early"
    assert plan.start_fade_seconds <= max(2.0, bars[0])
    if request.start_at is not None:
        assert plan.music_in == request.start_at
    elif plan.music_in > 0.0:
        assert own
        assert plan.music_in < bars[0]

    # The end.
    if own:
        assert segments[-1].song_to == round(profile.last_sound, 6)
        assert plan.end_fade_seconds == pytest.approx(plan.tail_seconds, abs=1e-6)
    elif seconds - plan.music_in >= np.median(bars) + 0.06:
        assert np.min(np.abs(lines - resolves)) < 1e-4, "a button or a fade is on a downbeat"
        if plan.end_label.startswith("button"):
            assert plan.end_fade_seconds < bars[last_bar]
        else:
            assert plan.end_label.startswith("fade")
            assert max(plan.tail_seconds, 0.2) - 1e-6 <= plan.end_fade_seconds <= seconds / 2 + 1e-6

    # The seams.
    assert len(segments) - 1 <= ceil(seconds / 15)
    for before, after in pairwise(segments):
        for time in (before.song_to, after.song_from):
            assert np.min(np.abs(lines - time)) <= 0.010 + 2e-6
    for segment in segments[1:-1]:
        at = [int(np.argmin(np.abs(lines - time))) for time in (segment.song_from, segment.song_to)]
        assert at[1] - at[0] >= 2

    # What is kept is heard in full, before the closing fade.
    for keep in request.keep:
        if keep.part is None:
            first = max(keep.song_from, profile.song_start)
            assert is_heard(plan, first, keep.song_to)
        elif keep.part is KeptPart.ENDING:
            assert own
    if request.end_on is not None:
        hit = request.last_hit if own else segments[-1].song_to - plan.tail_seconds
        assert hit is not None
        begins = reached - segments[-1].length
        assert begins + hit - segments[-1].song_from == pytest.approx(request.end_on, abs=0.02)


def is_heard(plan: LoopPlan, song_from: float, song_to: float) -> bool:
    """Whether a stretch of the track is in one segment, as loud as it is there but for the crossfades at its ends."""
    ends = [segment.song_to for segment in plan.segments]
    if not plan.end_label.startswith("own ending"):
        ends[-1] -= plan.end_fade_seconds
    return any(
        segment.song_from <= song_from + 0.02 and end >= song_to - 0.02
        for segment, end in zip(plan.segments, ends, strict=True)
    )


def fitted(profile: LoopProfile, request: Fit) -> LoopPlan | str:
    """The plan, or the one line that says why not."""
    answer = request.answer(profile)
    if isinstance(answer, LoopPlan):
        return answer
    why = answer.hint
    assert why
    assert len(why.splitlines()) == 1
    return why


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_plan_keeps_the_rules(data: st.DataObject) -> None:
    profile = data.draw(ANY_PROFILE)
    share = data.draw(st.floats(0.01, 2.5))
    seconds = max(1.0, share * profile.song_duration)
    start_at = data.draw(st.none() | st.floats(0.0, 0.5).map(lambda part: round(part * seconds, 3)))
    request = Fit(seconds, start_at=start_at if seconds > 3.0 else None)
    plan = fitted(profile, request)
    if isinstance(plan, str):
        assert seconds - (start_at or 0.0) > profile.last_sound - profile.song_start, plan
    else:
        check(plan, profile, request)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_asked_for_is_kept_or_refused(data: st.DataObject) -> None:
    profile = data.draw(ANY_PROFILE)
    seconds = max(6.0, data.draw(st.floats(0.05, 1.5)) * profile.song_duration)
    at = data.draw(st.floats(0.0, 0.9)) * profile.last_sound
    ranges = [Keep(None, at, min(at + data.draw(st.floats(1.0, 20.0)), profile.last_sound))]
    named = data.draw(st.lists(st.sampled_from(list(KeptPart)), max_size=2, unique=True))
    end_on = data.draw(st.none() | st.floats(0.8, 1.0).map(lambda part: part * seconds))
    keep = (*ranges, *(Keep(part) for part in named))
    request = Fit(seconds, keep, end_on=end_on, last_hit=profile.last_sound - 0.5)
    plan = fitted(profile, request)
    if not isinstance(plan, str):
        check(plan, profile, request)


@pytest.mark.parametrize("seconds", [6.0, 15.0, 30.0, 60.0, 93.217, 127.0, 131.0, 160.0, 300.0])
def test_a_track_fits_every_length(seconds: float) -> None:
    profile = track_profile()
    request = Fit(seconds)
    plan = request.plan(profile)
    check(plan, profile, request)
    assert len(plan.options) > 1 or seconds > 100.0
    longer = profile.last_sound - profile.song_start + 4.0
    assert (plan.kind is PlanKind.LOOP) == (seconds > longer)


def test_the_length_of_the_track_is_the_track() -> None:
    profile = track_profile()
    plan = Fit(profile.song_duration).plan(profile)
    assert plan.kind is PlanKind.STRAIGHT
    assert plan.segments[0].song_from == round(profile.song_start, 6)
    assert plan.segments[0].song_to == round(profile.last_sound, 6)


def test_the_hook_is_in_a_cut_down_of_15_s_and_more() -> None:
    loud = track_profile().bar_lufs.copy()
    loud[40:48] += 4.0
    profile = replace(track_profile(), bar_lufs=loud)
    for seconds in (15.0, 20.0, 30.0, 60.0, 90.0):
        plan = Fit(seconds).plan(profile)
        hook = hook_of(profile, seconds / 2)
        assert hook is not None
        assert is_heard(plan, *hook)


@pytest.mark.parametrize("seconds", [16.1, 30.1, 46.1])  # whole bars, too little for a button to ring
def test_no_closing_fade_lies_over_what_is_kept(seconds: float) -> None:
    profile = replace(track_profile(), ending=None)  # so that it fades
    for at in np.arange(10.0, 80.0, 3.7):
        request = Fit(seconds, (Keep(None, float(at), float(at) + 0.6 * seconds),))
        check(request.plan(profile), profile, request)


def test_what_is_kept_is_no_reason_to_begin_off_the_bars() -> None:
    profile = replace(track_profile(), ending=None)
    first = float(profile.downbeats[20])
    request = Fit(6.05, (Keep(None, first + 0.5, first + 5.9),))  # three bars, and no room for a fade
    assert re.search("keep", request.refused(profile))
    check(Fit(6.4, request.keep).plan(profile), profile, Fit(6.4, request.keep))


def test_without_bars_no_closing_fade_lies_over_what_is_kept() -> None:
    whole = track_profile()
    profile = replace(whole, downbeats=whole.downbeats[:1], bar_lufs=whole.bar_lufs[:1], sections=(), ending=None)
    plan = Fit(20.0, (Keep(None, 31.0, 50.0),)).plan(profile)
    assert is_heard(plan, 31.0, 50.0)
    assert plan.end_fade_seconds == pytest.approx(1.0, abs=0.01)
    assert re.search("keep", Fit(20.0, (Keep(None, 31.0, 50.9),)).refused(profile))  # a tenth of a second is no fade
    last = profile.song_duration
    plan = Fit(20.0, (Keep(None, last - 20.0, last),)).plan(profile)
    assert plan.end_fade_seconds == 0.0
    assert plan.end_label == "own ending: plays out to its last sound"


def test_named_parts_are_kept_whole() -> None:
    profile = track_profile()
    keep = (Keep(KeptPart.INTRO), Keep(KeptPart.ENDING))
    plan = Fit(45.0, keep).plan(profile)
    check(plan, profile, Fit(45.0, keep))
    intro = profile.sections[0]
    assert plan.segments[0].song_from <= intro.song_from
    assert plan.segments[0].song_to >= intro.song_to - 0.011
    assert plan.segments[-1].song_to == round(profile.last_sound, 6)
    assert plan.sections_covered[0] == "intro"


def test_a_first_bar_line_just_before_the_sound_keeps_no_part_out() -> None:
    profile = track_profile(bars=48, lead_in=0.5)
    early = replace(profile, song_start=float(profile.downbeats[0]) + 0.03)
    plan = Fit(40.0, (Keep(KeptPart.INTRO),)).plan(early)
    assert plan.segments[0].song_from == pytest.approx(early.song_start, abs=1e-6)


def test_times_that_are_asked_for_are_rounded_to_the_microsecond() -> None:
    no_bars = replace(track_profile(), downbeats=np.array([]), bar_lufs=np.array([]), sections=(), ending=None)
    assert Fit(20.0, start_at=5.12345678).plan(no_bars).music_in == 5.123457
    with pytest.raises(ParameterError, match="start at: a time in the video is 0 s or more"):
        PlanRequest(start_at=-1.0)


def test_the_music_starts_where_it_is_asked_to_after_silence() -> None:
    profile = track_profile()
    for seconds in (30.0, 200.0):
        request = Fit(seconds, start_at=5.25)
        plan = request.plan(profile)
        check(plan, profile, request)
        assert plan.start_label == "5.25 s after the first picture, as asked for"


@pytest.mark.parametrize("seconds", [40.0, 200.0])
def test_the_last_hit_lands_where_it_is_asked_to(seconds: float) -> None:
    profile = track_profile()
    request = Fit(seconds, end_on=seconds - 2.3, last_hit=profile.last_sound - 1.7)
    plan = request.plan(profile)
    check(plan, profile, request)
    assert plan.end_label.startswith("own ending")


def test_a_button_lands_its_hit_on_a_downbeat() -> None:
    profile = track_profile(ending=None)
    request = Fit(31.0, end_on=30.02)
    plan = request.plan(profile)
    check(plan, profile, request)
    assert plan.end_label.startswith("button")


def test_a_length_with_silence_at_the_end_has_an_option_that_begins_with_the_picture() -> None:
    profile = replace(track_profile(), song_duration=135.0)  # its music lasts from 0.3 to 130.7 s
    plan = Fit(134.3).plan(profile)
    assert 0.0 < plan.music_in < 2.0
    (at_once,) = (option for option in plan.options if option.music_in == 0.0)
    assert at_once.song_start == 0.3
    assert at_once.segments[-1].song_to == pytest.approx(134.6)


def test_the_hook_leaves_room_for_what_else_is_kept() -> None:
    profile = track_profile()
    for parts in ((KeptPart.HOOK, KeptPart.INTRO), (KeptPart.HOOK, KeptPart.ENDING)):
        keep = tuple(Keep(part) for part in parts)
        hook, other = (stretch or (0.0, 0.0) for stretch in kept_stretches(profile, keep, 45.0))
        assert 0.0 < np.ptp(hook) <= (45.0 - np.ptp(other)) / 2
        request = Fit(45.0, keep)
        check(request.plan(profile), profile, request)
    (alone,) = kept_stretches(profile, (Keep(KeptPart.HOOK),), 45.0)
    assert np.ptp(alone or (0.0, 0.0)) > 25.0


def test_a_button_has_time_to_ring() -> None:
    profile = track_profile(ending=None)
    assert Fit(31.0, end_on=30.02).plan(profile).ending.tail_seconds >= 0.3
    said = Fit(30.02, end_on=30.02).refused(profile)
    assert "end on 0:30.02 cannot be kept in 30.02 s" in said
    assert "starts with the picture lands it at 0:28.1" in said


CONTRADICTIONS = [
    ("keep 0:10-0:50 cannot be kept in 30 s", {"keep": (Keep(None, 10.0, 50.0),)}),
    ("keep intro and keep ending cannot be kept together in 30 s; what is to be kept lasts 3", {
        "keep": (Keep(KeptPart.INTRO), Keep(None, 20.0, 22.0), Keep(KeptPart.ENDING))}),
    ("end on 0:10 cannot be kept in 30 s", {"end_on": 10.0}),
    ("end on 0:31: that is outside of 30 s", {"end_on": 31.0}),
    ("start at 0:29.5: that leaves no", {"start_at": 29.5}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "asked"), CONTRADICTIONS)
def test_what_cannot_be_kept_is_named(why: str, asked: dict[str, object]) -> None:
    assert re.search(why, Fit(30.0, **asked).refused(track_profile()))  # type: ignore[arg-type]


def test_a_part_outside_of_the_track_is_an_error() -> None:
    with pytest.raises(ConstraintError, match="the track ends at"):
        Fit(30.0, (Keep(None, 100.0, 500.0),)).answer(track_profile())


def test_a_loop_with_too_many_seams_for_a_fit_is_said() -> None:
    profile = only(track_profile(bars=72, ending=None), [(16, 10)])  # a body of 12 s
    excluded = SeamConstraints(excluded=(TrackRange(60.0, 64.0),))
    for asked in (Fit(700.0), Fit(700.0, constraints=excluded)):
        assert isinstance(plan_loop(profile, 700.0, constraints=asked.constraints), LoopPlan)
        assert re.search("with (more than )?one seam (at most )?for each 15 s", asked.refused(profile))


def test_wrong_times_of_all_kinds_are_named_at_once() -> None:
    asked = Fit(
        30.0,
        (Keep(None, 100.0, 500.0),),
        constraints=SeamConstraints(pinned=(NamedSplice(500.0, 2.4),)),
        hits=(Hit(31.0, 400.0),),
        end_on=32.0,
    )
    with pytest.raises(ConstraintError) as refused:
        asked.answer(track_profile())
    assert str(refused.value) == (
        "pinned 8:20-0:02.4 and keep 1:40-8:20: the track ends at 2:10.9; "
        "hit 0:31: 6:40 of the track, which is to land there, is not before its last sound at 2:10.7; "
        "hit 0:31 and end on 0:32: that is outside of 30 s"
    )


@pytest.mark.parametrize("seconds", [10.0, 20.0, 30.0])
def test_the_hook_is_kept_in_a_length_of_just_so_many_bars(seconds: float) -> None:
    profile = track_profile()
    assert seconds % float(np.median(np.diff(profile.downbeats))) == pytest.approx(0.0, abs=1e-6)
    request = Fit(seconds, (Keep(KeptPart.HOOK),))
    plan = request.plan(profile)
    check(plan, profile, request)
    first, last = hook_of(profile, seconds - 2.1) or (0.0, 0.0)
    assert any(one.song_from <= first and one.song_to >= last for one in plan.segments)


def test_a_kept_part_that_would_fit_alone_is_not_said_to_be_too_long() -> None:
    profile = track_profile()
    first, last = hook_of(profile, 20.0) or (0.0, 0.0)
    left_out = SeamConstraints(excluded=(TrackRange(first + 4.0, last - 4.0),))
    why = Fit(20.0, (Keep(KeptPart.HOOK),), constraints=left_out).refused(profile)
    assert re.search(r"keep hook and excluded [0-9:.]+-[0-9:.]+ cannot be kept together in 20 s\.$", why)


def test_what_is_to_be_kept_may_take_a_less_sure_seam_where_no_better_one_keeps_it() -> None:
    # 64 bars of 2 s: the first and the last section, eight bars each, meet by one cut alone.
    keep = (Keep(KeptPart.INTRO), Keep(KeptPart.ENDING))
    unsure, worse = (only(track_profile(), [(8, 56)], score) for score in (0.35, 0.15))
    request = Fit(round(unsure.last_sound - unsure.song_start - 96.0, 3), keep)
    plan = request.plan(unsure)
    assert [(s.song_from, s.song_to) for s in plan.segments] == [(0.3, 16.4), (112.4, 130.7)]
    assert plan.seam_score == 0.35
    assert re.search(r"no seams of 0\.2 and more make this length of them", request.refused(worse))
    # a floor that somebody raised is kept
    assert "cannot be kept together" in request.refused(unsure, CoverParams(min_seam_score=0.6))


def test_a_length_that_nothing_fills_is_refused() -> None:
    profile = only(track_profile(), [(40, 8)], score=0.2)
    assert re.search("cannot be looped without an audible seam, so it does not fill 200 s", Fit(200.0).refused(profile))
    assert Fit(60.0).plan(profile).kind is PlanKind.STRAIGHT
    assert re.search(r"; its best seam scores 0\.20, needed 0\.50\.$", Fit(200.0).refused(profile))
    found = re.search(r"; it fills ([0-9.]+) s;", Fit(200.0).refused(profile))
    assert found is not None
    assert Fit(float(found[1])).plan(profile).window_end == float(found[1])
    assert Fit(float(found[1]) + 0.2).refused(profile)
    assert re.search(
        r"its bars are unsure \(confidence 0.20\)\.$", Fit(200.0).refused(replace(profile, grid_confidence=0.2))
    )
    for seconds in (0.0, -1.0, float("nan"), 0.5):
        with pytest.raises(ParameterError, match="fitted to 1 s or more"):
            Fit(seconds).answer(profile)


def test_a_refusal_says_how_the_track_can_begin_again() -> None:
    whole = track_profile(restarts=True)
    lines, again = whole.downbeats, whole.restart
    assert again is not None
    profile = only(whole, [(40, 8), (again.leave, again.enter)], score=0.2)
    assert Fit(200.0).plan(profile).ending.restarts == 1, "it is the only way that is varied"
    refusal = Fit(200.0).answer(profile, CoverParams(min_variety_seconds=0.0))
    splice = NamedSplice(float(lines[again.leave]), float(lines[again.enter]))
    assert isinstance(refusal, Refusal)
    assert refusal.restart == splice
    plan = Fit(200.0, constraints=SeamConstraints(pinned=(splice,))).plan(profile)
    assert plan.kind is PlanKind.LOOP
    assert plan.window_end == 200.0


def test_a_restart_is_advised_only_where_it_makes_a_plan_of_all_that_is_asked_for() -> None:
    whole = track_profile(restarts=True)
    lines, again = whole.downbeats, whole.restart
    assert again is not None
    profile = only(whole, [(40, 8), (again.leave, again.enter)], score=0.1)
    at_ease = CoverParams(min_variety_seconds=0.0)
    splice = NamedSplice(float(lines[again.leave]), float(lines[again.enter]))
    head = TrackRange(0.0, float(lines[2]))
    advised = [
        Fit(200.0, (Keep(KeptPart.INTRO),)),
        Fit(200.0, start_at=2.0),
    ]
    for asked in advised:
        refusal = the_refusal(asked.answer(profile, at_ease))
        assert refusal.restart == splice
        asked = replace(asked, constraints=SeamConstraints(pinned=(splice,)))
        assert asked.plan(profile, at_ease).ending.restarts == 1
    in_vain = [
        Fit(200.0, constraints=SeamConstraints(excluded=(head,))),
        Fit(200.0, constraints=SeamConstraints(forbidden=(splice,))),
        Fit(200.0, constraints=SeamConstraints(never_cut=(TrackRange(float(lines[-2]), profile.song_duration),))),
    ]
    for asked in in_vain:
        refusal = the_refusal(asked.answer(profile, at_ease))
        assert refusal.reason is not RefusalReason.CONSTRAINTS
        assert refusal.restart is None


def test_a_seam_that_many_hear_is_not_served_where_a_loop_has_none() -> None:
    profile = track_profile(bars=40, ending=EndingKind.OUTRO, splices=30, seed=0)
    scores = np.random.default_rng(0).uniform(0.5, 0.95, profile.splices.score.size)
    profile = replace(profile, splices=replace(profile.splices, score=scores))
    plan = Fit(profile.last_sound - profile.song_start + 22.0).plan(profile)
    assert plan.seam_score > 0.75, "a route of the cut-down's search scores higher, for its seams are not squared"


def test_music_without_bars_is_played_straight() -> None:
    empty = track_profile()
    profile = replace(empty, downbeats=empty.downbeats[:1], bar_lufs=empty.bar_lufs[:1], sections=(), ending=None)
    for seconds in (5.0, 60.0, profile.song_duration):
        plan = Fit(seconds).plan(profile)
        assert plan.kind is PlanKind.STRAIGHT
        assert plan.window_end == round(seconds, 3)
    for refused in (Fit(profile.song_duration + 1.0), Fit(30.0, (Keep(KeptPart.HOOK),))):
        assert refused.refused(profile)
    assert re.search("has no bars to be looped on, so it does not fill 500 s; it fills ", Fit(500.0).refused(profile))
    short = replace(profile, song_start=0.0, last_sound=0.7, song_duration=0.8)
    assert re.search(r"has no bars to be looped on, so it does not fill 500 s\.$", Fit(500.0).refused(short))


@pytest.mark.parametrize("ending", [None, EndingKind.OUTRO])
def test_several_lengths_share_their_parts(ending: EndingKind | None) -> None:
    profile = track_profile(ending=ending)
    lengths = (60.0, 15.0, 185.0, 30.0)
    plans = [answer for answer in plan_fits(profile, lengths) if isinstance(answer, LoopPlan)]
    assert [plan.window_end for plan in plans] == list(lengths)
    in_order = sorted(plans, key=lambda plan: plan.window_end)
    for shorter, longer in pairwise(in_order):
        times = np.arange(0.0, profile.song_duration, 0.01)
        some, more = (
            np.any([(times >= s.song_from) & (times < s.song_to) for s in plan.segments], axis=0)
            for plan in (shorter, longer)
        )
        assert np.sum(some & more) >= 0.6 * np.sum(some)
        seams = [
            {(left.song_to, entered.song_from) for left, entered in pairwise(plan.segments)}
            for plan in (shorter, longer)
        ]
        assert seams[0] <= seams[1]
        assert shares_its_parts(shorter, longer)
