"""A plan that follows an edit: the rules in words, checked by plain arithmetic on tracks of every kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.workbench.plans.fitted import Fit
from tests.workbench.plans.made import ANY_PROFILE, only, the_plan, the_refusal, track_profile
from workbench.edits.difference import EditChange, EditDifference, SharedSpan
from workbench.params import CoverParams
from workbench.plans.conform import (
    PlanFollower,
    UnsureSeam,
    change_words,
    conform_plan,
    follow_picture,
    kept_seconds,
    unsure_seams,
)
from workbench.plans.constraints import NamedSplice, SeamConstraints, TrackRange
from workbench.plans.loop import plan_loop
from workbench.plans.plan import Ending, EndKind, LoopPlan, PlanKind, nearest_line, segment_table
from workbench.plans.plan_score import REQUEST_FLOOR
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import LENGTH_ALONE, Keep, KeptPart, PlanRequest
from workbench.seams.profile import EndingKind, LoopProfile

FRAME = 0.04


def cut_out(seconds: float, at: float, length: float) -> EditDifference:
    kept = (SharedSpan(0.0, 0.0, at), SharedSpan(at + length, at, seconds - at - length))
    return EditDifference(seconds, seconds - length, kept, (EditChange(at, at, -length, "delete"),), FRAME)


def put_in(seconds: float, at: float, length: float) -> EditDifference:
    kept = (SharedSpan(0.0, 0.0, at), SharedSpan(at, at + length, seconds - at))
    return EditDifference(seconds, seconds + length, kept, (EditChange(at, at, length, "insert"),), FRAME)


def other_shot(seconds: float, at: float, length: float) -> EditDifference:
    kept = (SharedSpan(0.0, 0.0, at), SharedSpan(at + length, at + length, seconds - at - length))
    return EditDifference(seconds, seconds, kept, (EditChange(at, at, 0.0, "replace"),), FRAME)


def heard(plan: LoopPlan, times: np.ndarray) -> np.ndarray:
    """Which second of the track is heard at some times of the video; NaN for silence."""
    starts, table = plan.segment_starts, segment_table(plan)
    at = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(plan.segments) - 1)
    found = table[at, 0] + times - starts[at]
    return np.where((times >= starts[0]) & (times < starts[-1]), found, np.nan)


def loop_of(profile: LoopProfile, ratio: float = 2.5) -> LoopPlan:
    plan = the_plan(plan_loop(profile, round(profile.song_duration * ratio, 3)))
    return plan


def check(
    plan: LoopPlan, old: LoopPlan, difference: EditDifference, profile: LoopProfile, *, before_too: bool = True
) -> None:
    """Check the rules; `before_too`: also that the music before the first edit is the same, which is so as a rule."""
    fitted = plan.end_label == "own ending: plays out to its last sound"
    assert plan.window_end == pytest.approx(difference.new_seconds, abs=6e-4)
    assert plan.music_out == plan.window_end or fitted
    assert plan.options == (plan.alone,)
    least = CoverParams().min_seam_score if plan.ends_in_fade or old.ends_in_fade else REQUEST_FLOOR
    assert plan.seam_score >= min(least, old.seam_score) - 1e-4
    unsure = [seam.score for seam in unsure_seams(plan, old, profile)]
    assert all(score < CoverParams().min_seam_score for score in unsure)
    assert bool(unsure) == (plan.seam_score < min(CoverParams().min_seam_score, old.seam_score) - 1e-4)
    # The very same samples before the first edit, less two bars.
    first = difference.shared[0].seconds if difference.shared and difference.shared[0].new_start == 0.0 else 0.0
    until = first - 2 * float(np.diff(profile.downbeats).max())
    times = np.arange(0.0, max(0.0, until), 0.1)
    before, after = heard(old, times), heard(plan, times)
    if before_too:
        assert np.array_equal(np.isnan(before), np.isnan(after))
        assert np.nanmax(np.abs(before - after), initial=0.0) < 1e-6
    # Every splice lies on bar lines; what is kept is what plain arithmetic finds.
    table = segment_table(plan)
    for side in (table[:-1, 1], table[1:, 0]):
        assert np.all(np.abs(side - profile.downbeats[nearest_line(profile.downbeats, side)]) <= 0.010001)
    # A little more than half a bar, so that music exactly half a bar off counts alike in both sums.
    half_bar = float(np.median(np.diff(profile.downbeats))) / 2 + 1e-4
    kept, untouched = kept_seconds(plan, old, difference, half_bar)
    step = 0.05
    counted = whole = 0.0
    for span in difference.shared:
        inside = np.arange(0.5 * step, span.seconds, step)
        wanted, now = heard(old, span.old_start + inside), heard(plan, span.new_start + inside)
        whole += step * np.sum(~np.isnan(wanted))
        counted += step * np.sum(np.abs(wanted - now) <= half_bar)
    assert untouched == pytest.approx(whole, abs=1.0)
    assert kept == pytest.approx(counted, abs=1.0)
    assert 0.0 <= kept <= untouched + 1e-6


def no_fit(profile: LoopProfile, seconds: float) -> bool:
    """Whether a new fit is refused too, or has a seam that conform does not take."""
    fit = Fit(round(seconds, 3)).answer(profile)
    return isinstance(fit, Refusal) or fit.seam_score < CoverParams().min_seam_score


def conformed(
    profile: LoopProfile,
    plan: LoopPlan,
    difference: EditDifference,
    params: CoverParams = CoverParams(),
    request: PlanRequest = LENGTH_ALONE,
    *,
    ending_floor: float | None = REQUEST_FLOOR,
) -> LoopPlan:
    """`conform_plan` where a plan follows."""
    made = the_plan(conform_plan(profile, plan, difference, params, request, ending_floor=ending_floor))
    return made


def test_nothing_changed_is_the_same_plan() -> None:
    plan = loop_of(track_profile())
    same = EditDifference(plan.window_end, plan.window_end, (SharedSpan(0.0, 0.0, plan.window_end),), (), FRAME)
    assert conformed(track_profile(), plan, same) == replace(plan.alone, options=(plan.alone,))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), make=st.sampled_from([cut_out, put_in, other_shot]))
def test_any_edit_of_any_track(data: st.DataObject, make) -> None:  # type: ignore[no-untyped-def]
    profile = data.draw(ANY_PROFILE)
    if data.draw(st.booleans()):
        plan = plan_loop(profile, round(profile.song_duration * data.draw(st.floats(1.5, 3.0)), 3))
    else:
        plan = Fit(round(data.draw(st.floats(4.0, profile.song_duration)), 3)).answer(profile)
    assume(isinstance(plan, LoopPlan))
    assert isinstance(plan, LoopPlan)
    at = data.draw(st.floats(0.0, 1.0)) * (plan.window_end - 0.2)
    length = min(data.draw(st.floats(0.04, 40.0)), plan.window_end - at - 0.1)
    if make is put_in:
        assume(plan.window_end + length < 3.0 * profile.song_duration)
    difference = make(plan.window_end, max(at, 0.04), length)
    changed = conform_plan(profile, plan, difference)
    if isinstance(changed, Refusal):
        assert no_fit(profile, difference.new_seconds)
    else:
        check(changed, plan.alone, difference, profile, before_too=False)


def test_a_shot_of_the_same_length_leaves_the_music_alone() -> None:
    plan = loop_of(track_profile())
    difference = other_shot(plan.window_end, 60.0, 5.0)
    changed = conformed(track_profile(), plan, difference)
    assert changed.segments == plan.segments
    assert kept_seconds(changed, plan, difference, 1.0)[0] == pytest.approx(plan.music_end - 5.0, abs=1e-3)
    assert change_words(changed, plan, difference, difference.changes[0], 1.0) == "the very same samples"


def test_music_that_is_in_place_but_for_a_moment_is_said_to_be() -> None:
    plan = loop_of(track_profile()).alone
    difference = other_shot(plan.window_end, 20.0, 4.0)
    first, second, *rest = plan.segments
    later = (replace(first, song_to=first.song_to + 0.04), replace(second, song_from=second.song_from + 0.04), *rest)
    moved = replace(plan, segments=later)
    assert change_words(moved, plan, difference, difference.changes[0], 1.0) == "the very same samples but for 0.04 s"


def test_music_that_is_a_hundredth_off_for_all_but_a_hundredth_is_in_place() -> None:
    """It was said to be in place within 0.01 s but for 0.01 s."""
    plan = loop_of(track_profile()).alone
    difference = other_shot(plan.window_end, 20.0, 4.0)
    first, second, *rest = plan.segments
    later = (replace(first, song_to=first.song_to + 0.008), replace(second, song_to=second.song_to - 0.008), *rest)
    moved = replace(plan, segments=later)
    assert change_words(moved, plan, difference, difference.changes[0], 1.0) == "in place"


def test_a_fade_may_lie_in_the_own_ending_where_nothing_else_leads_on() -> None:
    """Two bars before its own ending, no seam to go by, and the film grows by a bar."""
    profile = track_profile(bars=8, bpm=60.0, beats_per_bar=2, section_bars=8, ending=EndingKind.OUTRO, splices=1)
    plan = Fit(4.0).plan(profile)
    for difference in (other_shot(4.0, 0.04, 1.0), put_in(4.0, 3.0, 1.5)):
        check(conformed(profile, plan, difference), plan.alone, difference, profile)


@pytest.mark.parametrize("at", [0.0, 12.0, 28.9])
def test_a_plan_ends_as_it_did_where_its_last_picture_stays(at: float) -> None:
    """Buttons, fades and own endings, whatever shot of the same length is put in place of another."""
    profile = track_profile(splices=600)
    for option in Fit(30.0).plan(profile).options:
        changed = conformed(profile, option, other_shot(30.0, max(at, 0.04), 1.0))
        if at:
            assert changed.segments == option.segments
            assert (changed.end_label, changed.end_fade_seconds) == (option.end_label, option.end_fade_seconds)
        check(changed, option, other_shot(30.0, max(at, 0.04), 1.0), profile)


def test_a_cut_of_two_seconds_has_music_too() -> None:
    profile = track_profile()
    plan = loop_of(profile)
    whole = plan.window_end
    difference = EditDifference(
        whole, 2.0, (SharedSpan(100.0, 0.0, 2.0),), (EditChange(0.0, 0.0, 2.0 - whole, "delete"),), FRAME
    )
    assert conformed(profile, plan, difference).window_end == 2.0
    # No cut is filled with the ring of the last hit alone.
    quiet = replace(profile, bar_lufs=np.append(profile.bar_lufs[:-3], [-40.0, -45.0, -50.0]))
    changed = conformed(quiet, plan, difference)
    assert changed.window_end == 2.0
    assert changed.segments[0].song_from < profile.downbeats[-4]


def test_whole_bars_taken_out_leave_the_very_same_samples_after_them() -> None:
    profile = track_profile(off_grid=0.0, splices=600)
    plan = loop_of(profile)
    bar = float(np.median(np.diff(profile.downbeats)))
    difference = cut_out(plan.window_end, 80.0, 8 * bar)
    changed = conformed(profile, plan, difference)
    check(changed, plan.alone, difference, profile)
    late = [s for s in follow_picture(changed, plan, difference, bar / 2) if s.first > 80.0 + 20.0]
    assert late
    assert all(abs(stretch.off_seconds) < 1e-6 for stretch in late)


def test_the_own_ending_is_kept_where_the_length_allows() -> None:
    profile = track_profile(ending=EndingKind.OUTRO, splices=600)
    plan = loop_of(profile)
    assert not plan.ends_in_fade
    bar = float(np.median(np.diff(profile.downbeats)))
    changed = conformed(profile, plan, put_in(plan.window_end, 90.0, 4 * bar))
    assert not changed.ends_in_fade
    assert changed.segments[-1].song_to == pytest.approx(profile.last_sound, abs=1e-6)


def without_a_good_way(scores: list[float]) -> tuple[LoopProfile, LoopPlan, EditDifference]:
    """Seams over the floor move by 16 bars and the film grows by three, as two others move, the later one first."""
    profile = only(track_profile(ending=EndingKind.OUTRO, off_grid=0.0), [(32, 16), (36, 33), (30, 27)])
    profile = replace(profile, splices=replace(profile.splices, score=np.array([0.95, *scores])))
    bar = float(np.median(np.diff(profile.downbeats)))
    plan = loop_of(profile, 1.0 + 48 * bar / profile.song_duration)
    assert not plan.ends_in_fade
    return profile, plan, put_in(plan.window_end, plan.window_end / 3, 3 * bar)


def test_the_own_ending_is_kept_by_the_best_worse_seam() -> None:
    profile, plan, difference = without_a_good_way([0.3, 0.4])
    kept, faded = (conformed(profile, plan, difference, ending_floor=floor) for floor in (REQUEST_FLOOR, None))
    assert conformed(profile, plan, difference) == kept
    # what is searched once leads to the same plans
    follower = PlanFollower(profile, plan, difference, CoverParams(), LENGTH_ALONE)
    assert [follower.plan(floor) for floor in (None, REQUEST_FLOOR, None)] == [faded, kept, faded]
    lower = CoverParams(min_seam_score=0.25)
    assert follower.plan(None, 0.25) == conformed(profile, plan, difference, lower, ending_floor=None)
    assert faded.ends_in_fade
    assert faded.seam_score == pytest.approx(0.95)
    assert unsure_seams(faded, plan, profile) == ()
    assert not kept.ends_in_fade
    assert kept.window_end == pytest.approx(difference.new_seconds, abs=6e-4)
    assert kept.segments[-1].song_to == pytest.approx(profile.last_sound, abs=1e-6)
    left = nearest_line(profile.downbeats, segment_table(kept)[:-1, 1]).tolist()
    assert left.count(30) == 1
    assert 36 not in left
    assert kept.seam_score == pytest.approx(0.4)
    assert unsure_seams(kept, plan, profile) == (UnsureSeam(kept.seam_times[left.index(30)], 0.4),)
    assert unsure_seams(kept, kept, profile) == ()
    bar = float(np.median(np.diff(profile.downbeats)))
    times = np.arange(0.0, difference.shared[0].seconds - 2 * bar, 0.1)
    assert np.nanmax(np.abs(heard(plan, times) - heard(kept, times))) < 1e-6


def test_no_seam_under_the_floor_of_endings_is_taken_but_where_all_seams_may_be_as_bad() -> None:
    profile, plan, difference = without_a_good_way([REQUEST_FLOOR - 0.01, REQUEST_FLOOR - 0.02])
    assert conformed(profile, plan, difference).ends_in_fade
    lower = CoverParams(min_seam_score=0.1)
    assert not conformed(profile, plan, difference, lower).ends_in_fade


@pytest.mark.parametrize("ring_bars", [0, 3])
def test_the_own_ending_is_heard_to_its_last_hit_where_its_ring_does_not_fit(ring_bars: int) -> None:
    """The only seam moves by 16 bars; the film loses two, which the last hit rings."""
    profile = only(track_profile(ending=EndingKind.OUTRO, off_grid=0.0, ring_bars=ring_bars), [(32, 16)])
    bar = float(np.median(np.diff(profile.downbeats)))
    plan = loop_of(profile, 1.0 + 48 * bar / profile.song_duration)
    assert not plan.is_faded_out
    difference = cut_out(plan.window_end, plan.window_end / 2, 2 * bar)
    changed = conformed(profile, plan, difference)
    check(changed, plan, difference, profile)
    assert changed.is_faded_out
    if not ring_bars:
        assert changed.ends_in_fade
        return
    assert not changed.ends_in_fade
    assert changed.seam_score == pytest.approx(0.95)
    last, hit_is_over = changed.segments[-1].song_to, float(profile.downbeats[-ring_bars])
    assert profile.last_sound - 2 * bar <= last <= profile.last_sound - 0.5 * bar
    assert changed.end_fade_seconds == pytest.approx(last - hit_is_over, abs=1e-6)
    assert (changed.music_end, changed.tail_seconds) == (changed.window_end, 0.0)
    assert changed.end_label == f"{plan.end_label}, its ring faded over {changed.end_fade_seconds:.1f} s"
    assert conformed(profile, plan, difference, ending_floor=None) == changed
    # The next cut has room for all of it again.
    back = conformed(profile, changed, put_in(changed.window_end, changed.window_end / 2, 2 * bar))
    assert back.segments[-1].song_to == pytest.approx(profile.last_sound, abs=1e-6)
    assert back.end_label == plan.end_label


def test_no_worse_seam_is_taken_where_good_ones_lead_to_the_own_ending_or_there_was_none() -> None:
    for ending in (EndingKind.OUTRO, None):
        profile = track_profile(ending=ending, splices=600)
        plan = loop_of(profile)
        bar = float(np.median(np.diff(profile.downbeats)))
        difference = put_in(plan.window_end, 90.0, 4 * bar)
        usual = conformed(profile, plan, difference)
        assert usual == conformed(profile, plan, difference, ending_floor=None)


def test_a_track_without_a_found_ending_still_ends_with_its_last_sound() -> None:
    profile = track_profile(ending=None, splices=600)
    bar = float(np.median(np.diff(profile.downbeats)))
    plan = Fit(round(profile.last_sound - profile.song_start, 3)).plan(profile).alone
    assert (plan.kind, plan.ends_in_fade) == (PlanKind.STRAIGHT, False)
    # As many bars less, or more, as some good splice moves: the end is within reach.
    for bars in (8, -8):
        edit = cut_out if bars > 0 else put_in
        changed = conformed(profile, plan, edit(plan.window_end, 60.0, abs(bars) * bar))
        assert not changed.ends_in_fade
        assert changed.segments[-1].song_to == pytest.approx(profile.last_sound, abs=1e-6)
        assert changed.end_label == plan.end_label
    faded = Fit(60.0).plan(profile).alone
    assert faded.ends_in_fade
    assert conformed(profile, faded, put_in(60.0, 20.0, 4 * bar)).ends_in_fade


def test_an_own_ending_is_named_as_such_where_the_old_plan_had_another() -> None:
    profile = track_profile(ending=EndingKind.OUTRO, splices=600)
    ending = Ending(EndKind.FADE, where="on a bar line of the verse")
    plan = loop_of(profile).alone
    ending = replace(ending, tail_seconds=plan.tail_seconds, fade_seconds=plan.end_fade_seconds)
    plan = replace(plan, ending=ending)
    difference = put_in(plan.window_end, 90.0, 4 * float(np.median(np.diff(profile.downbeats))))
    changed = conformed(profile, plan, difference)
    assert not changed.ends_in_fade
    assert changed.end_label.startswith("own ending: ")
    assert changed.options == (changed.alone,)


def test_a_fade_that_somebody_set_stays_with_its_seam() -> None:
    plan = loop_of(track_profile()).alone
    by_hand = replace(plan, seam_fades=(0.0123, *plan.seam_fades[1:]))
    difference = other_shot(plan.window_end, plan.seam_times[0] + 30.0, 5.0)
    assert conformed(track_profile(), by_hand, difference).seam_fades[0] == 0.0123


def test_a_cut_down_and_a_straight_plan_follow_too() -> None:
    profile = track_profile()
    for seconds in (30.0, 70.0, profile.song_duration - 20.0):
        plan = Fit(seconds).plan(profile)
        difference = cut_out(seconds, 12.0, 4.0)
        changed = conformed(profile, plan, difference)
        check(changed, plan.alone, difference, profile)
        assert changed.kind in set(PlanKind)


def test_music_that_was_asked_to_start_late_starts_on_the_same_picture() -> None:
    profile = track_profile()
    plan = Fit(60.0, start_at=10.0).plan(profile)
    assert conformed(profile, plan, put_in(60.0, 2.0, 3.0)).music_in == pytest.approx(13.0)


def test_a_pinned_seam_stays_where_its_picture_stays() -> None:
    profile = track_profile(splices=600)
    plan = loop_of(profile).alone
    table, seam = segment_table(plan), len(plan.seam_times) // 2
    named = NamedSplice(float(table[seam, 1]), float(table[seam + 1, 0]))
    for constraints in (SeamConstraints(pinned=(named,)), SeamConstraints(forbidden=(named,))):
        difference = put_in(plan.window_end, plan.seam_times[seam] - 25.0, 3.0)
        changed = conformed(profile, plan, difference, request=PlanRequest(constraints))
        check(changed, plan, difference, profile)
        after = segment_table(changed)
        taken = np.abs(after[:-1, 1] - named.leave) + np.abs(after[1:, 0] - named.enter) < 0.03
        at = np.array(changed.seam_times)[taken]
        if constraints.pinned:
            assert np.any(np.abs(at - plan.seam_times[seam] - 3.0) < 1.5)
        else:
            assert not np.any(at > difference.shared[0].seconds)


def test_a_track_without_bars_is_refused_in_words() -> None:
    plan = loop_of(track_profile())
    without = replace(track_profile(), downbeats=np.zeros(0))
    refused = the_refusal(conform_plan(without, plan, cut_out(plan.window_end, 30.0, 2.0)))
    assert "no bars to cut on" in refused.hint


def is_whole(plan: LoopPlan, song_from: float, song_to: float) -> bool:
    """Whether a stretch of the track is heard in one segment, before any closing fade."""
    table = segment_table(plan)
    if plan.ends_in_fade:
        table[-1, 1] -= plan.end_fade_seconds
    return bool(np.any((table[:, 0] <= song_from + 0.02) & (table[:, 1] >= song_to - 0.02)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_kept_parts_stay_whole_and_nothing_excluded_is_played(data: st.DataObject) -> None:
    profile = data.draw(ANY_PROFILE)
    lines = profile.downbeats
    assume(lines.size >= 12)
    first = data.draw(st.integers(1, lines.size - 4))
    part = float(lines[first]), float(lines[first + data.draw(st.integers(1, 2))])
    out = data.draw(st.integers(1, lines.size - 4))
    away = TrackRange(float(lines[out]), float(lines[out + 2]))
    assume(away.song_to <= part[0] or part[1] <= away.song_from)
    asked = data.draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    keep = (Keep(None, *part),) if asked[0] else ()
    constraints = SeamConstraints(excluded=(away,)) if asked[1] else SeamConstraints()
    plan = Fit(round(data.draw(st.floats(8.0, 1.5 * profile.song_duration)), 3), keep, constraints=constraints).answer(
        profile
    )
    assume(isinstance(plan, LoopPlan))
    assert isinstance(plan, LoopPlan)
    length = data.draw(st.floats(0.5, 6.0))
    at = data.draw(st.floats(0.1, plan.window_end - length - 0.1))
    difference = data.draw(st.sampled_from([cut_out, put_in]))(plan.window_end, at, length)
    assume(difference.new_seconds >= 2.0)
    changed = conform_plan(profile, plan, difference, request=PlanRequest(constraints, keep))
    if isinstance(changed, Refusal):  # then nothing of the new length keeps them by seams as sure
        fit = Fit(round(difference.new_seconds, 3), keep, constraints=constraints).answer(profile)
        assert isinstance(fit, Refusal) or fit.seam_score < CoverParams().min_seam_score
        return
    assert not changed.ends_in_fade or changed.end_fade_seconds >= 0.2
    if keep:
        assert is_whole(changed, *part)
    if asked[1]:
        table = segment_table(changed)
        assert np.all((table[:, 1] <= away.song_from + 0.02) | (table[:, 0] >= away.song_to - 0.02))


def test_parts_with_a_name_are_kept_after_an_edit() -> None:
    profile = track_profile(splices=600)
    intro, ending = profile.sections[0], profile.sections[-1]
    for part, section in ((KeptPart.INTRO, intro), (KeptPart.ENDING, ending)):
        plan = Fit(60.0, (Keep(part),)).plan(profile)
        changed = conformed(profile, plan, cut_out(60.0, 4.0, 7.0), request=PlanRequest(keep=(Keep(part),)))
        assert is_whole(changed, max(section.song_from, profile.song_start), section.song_to)


@pytest.mark.parametrize("late", [0.0, 0.08, 0.19])
def test_music_is_not_cut_off_behind_a_kept_part(late: float) -> None:
    """The new cut ends where the part does, or so soon after it that no fade has room."""
    profile = track_profile(splices=600)
    first, last = float(profile.downbeats[20]), float(profile.downbeats[26])
    keep = (Keep(None, first, last),)
    plan = Fit(60.0, keep).plan(profile)
    table = segment_table(plan)
    whole = int(np.argmax((table[:, 0] <= first + 0.02) & (table[:, 1] >= last - 0.02)))
    ends = round(float(plan.segment_starts[whole] + last - table[whole, 0]) + late, 3)
    sooner = EditDifference(
        60.0, ends, (SharedSpan(0.0, 0.0, ends),), (EditChange(ends, ends, ends - 60.0, "delete"),), FRAME
    )
    changed = conformed(profile, plan, sooner, request=PlanRequest(keep=keep))
    assert is_whole(changed, first, last)
    assert not changed.ends_in_fade or changed.end_fade_seconds >= 0.2


def test_kept_parts_that_are_longer_than_the_new_cut_are_refused() -> None:
    profile, keep = track_profile(), (Keep(None, 20.0, 50.0),)
    plan = Fit(60.0, keep).plan(profile)
    refused = the_refusal(conform_plan(profile, plan, cut_out(60.0, 5.0, 40.0), request=PlanRequest(keep=keep)))
    assert refused.reason is RefusalReason.CONSTRAINTS
    assert refused.constraints == (keep[0].constraint,)


def test_kept_parts_are_reached_by_worse_seams_though_the_ending_is_not() -> None:
    """As in a fit: the floor of kept parts is another than that of the track's own ending."""
    keep = (Keep(KeptPart.INTRO), Keep(KeptPart.ENDING))
    profile = only(track_profile(off_grid=0.0), [(10, 44), (12, 44)], score=0.3)
    plan = Fit(62.5, keep).plan(profile)
    request, difference = PlanRequest(keep=keep), put_in(62.5, 6.0, 4.0)
    for floor in (REQUEST_FLOOR, None):
        changed = conformed(profile, plan, difference, request=request, ending_floor=floor)
        assert segment_table(changed)[0, 1] == pytest.approx(segment_table(plan)[0, 1] + 4.0)
    raised = CoverParams(min_seam_score=0.6)
    assert isinstance(conform_plan(profile, plan, difference, raised, request, ending_floor=None), Refusal)


def test_worse_seams_for_kept_parts_are_not_taken_for_the_ending() -> None:
    """The seams of the old plan are forbidden now; another leads to the part, and one from there to the ending."""
    profile = only(track_profile(off_grid=0.0), [(10, 38), (12, 38), (42, 56), (44, 56)], score=0.3)
    lines = profile.downbeats
    keep = (Keep(KeptPart.INTRO), Keep(None, float(lines[39]), float(lines[41])))
    plan = Fit(46.5, (*keep, Keep(KeptPart.ENDING))).plan(profile)
    first, second, third = plan.segments
    seams = (NamedSplice(first.song_to, second.song_from), NamedSplice(second.song_to, third.song_from))
    request, difference = PlanRequest(SeamConstraints(forbidden=seams), keep), put_in(46.5, 6.0, 8.0)
    for floor in (REQUEST_FLOOR, None):
        changed = conformed(profile, plan, difference, request=request, ending_floor=floor)
        assert is_whole(changed, float(lines[39]), float(lines[41]))
        assert changed.ends_in_fade == (floor is None)


@pytest.mark.parametrize("lines", [(40, 44), (24, 30)])
def test_a_restart_is_no_unsure_seam_and_no_advice_where_it_cannot_be_pinned(lines: tuple[int, int]) -> None:
    whole = track_profile(restarts=True)
    again = whole.restart
    assert again is not None
    profile = only(whole, [lines, (again.leave, again.enter)], score=0.2)
    straight = Fit(120.0).plan(profile)
    longer = put_in(120.0, 60.0, 90.0)
    changed = conformed(profile, straight, longer)
    assert changed.ending.restarts == 1
    assert unsure_seams(changed, straight, profile) == ()
    refused = the_refusal(conform_plan(profile, straight, longer, CoverParams(min_variety_seconds=0.0)))
    assert refused.restart is None
