"""Constraints on seams are kept by every option of a loop and of a fit, or refused with what contradicts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.workbench.plans.fitted import Fit
from tests.workbench.plans.made import only, the_plan, the_refusal, track_profile
from workbench.errors import ConstraintError
from workbench.params import CoverParams
from workbench.plans.constraints import (
    UNCONSTRAINED,
    NamedSplice,
    SeamConstraints,
    TrackRange,
    clock,
    line_pair,
    on_lines,
    smallest_contradiction,
)
from workbench.plans.fit import plan_fit
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan, PlanKind, nearest_line, segment_table
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.repetition import find_repetition, variety
from workbench.plans.request import Keep, KeptPart, PlanRequest
from workbench.results.plan_words import repetition_line
from workbench.seams.profile import LoopProfile

LOOPED, CUT = 330.0, 61.0


def answered(
    profile: LoopProfile, seconds: float, constraints: SeamConstraints, *, both_ends: bool = True
) -> LoopPlan | Refusal:
    """A loop of a length that only a loop fills, else a cut-down, with intro and ending so that it needs a seam."""
    if seconds < profile.song_duration:
        keep = (Keep(KeptPart.INTRO), Keep(KeptPart.ENDING)) if both_ends else ()
        return Fit(seconds, keep, constraints=constraints).answer(profile)
    return plan_loop(profile, seconds, constraints=constraints)


def planned(profile: LoopProfile, seconds: float, constraints: SeamConstraints, *, both_ends: bool = True) -> LoopPlan:
    plan = the_plan(answered(profile, seconds, constraints, both_ends=both_ends))
    return plan


def lines_of(plan: LoopPlan, profile: LoopProfile) -> list[tuple[int, int]]:
    """Bar lines left and entered at each seam."""
    seams = np.array([(left.song_to, entered.song_from) for left, entered in pairwise(plan.segments)]).reshape(-1, 2)
    return [(int(left), int(entered)) for left, entered in nearest_line(profile.downbeats, seams)]


def named(profile: LoopProfile, leave: int, enter: int) -> NamedSplice:
    return NamedSplice(round(float(profile.downbeats[leave]), 3), round(float(profile.downbeats[enter]), 3))


@pytest.mark.parametrize("seconds", [LOOPED, CUT])
def test_no_seam_lies_inside_a_range_that_is_never_cut(seconds: float) -> None:
    profile = track_profile()
    for _ in range(4):  # each time about a seam of the plan before
        free = planned(profile, seconds, SeamConstraints())
        at = free.segments[0].song_to
        sung = TrackRange(max(0.0, round(at - 5.3, 1)), round(at + 4.4, 1))
        plan = planned(profile, seconds, SeamConstraints(never_cut=(sung,)))
        for option in plan.options:
            for left, entered in pairwise(option.segments):
                for time in (left.song_to, entered.song_from):
                    assert not sung.song_from + 0.03 < time < sung.song_to - 0.03
        seconds += 7.7


def test_a_cut_down_neither_starts_nor_stops_hard_inside_of_such_a_range() -> None:
    profile = track_profile(ending=None)
    free = Fit(21.3).plan(profile)
    first, last = free.segments[0].song_from, free.music_end - free.window_end + free.segments[-1].song_to
    constraints = SeamConstraints(
        never_cut=(TrackRange(max(0.0, first - 3.0), first + 3.0), TrackRange(last - 3.0, last + 3.0))
    )
    for option in Fit(21.3, constraints=constraints).plan(profile).options:
        starts = option.segments[0].song_from
        stops = option.segments[-1].song_to - option.tail_seconds
        for sung in constraints.never_cut:
            assert starts == round(profile.song_start, 6) or not sung.song_from < starts < sung.song_to - 0.03
            if option.end_label.startswith("button"):
                assert not sung.song_from + 0.03 < stops < sung.song_to - 0.03


@pytest.mark.parametrize("seconds", [LOOPED, CUT])
def test_a_forbidden_splice_is_not_used(seconds: float) -> None:
    profile = track_profile()
    constraints = SeamConstraints()
    for _ in range(3):
        plan = planned(profile, seconds, constraints)
        used = {pair for option in plan.options for pair in lines_of(option, profile)}
        assert not used & {line_pair(profile, one, "") for one in constraints.forbidden}
        constraints = SeamConstraints(forbidden=(*constraints.forbidden, named(profile, *sorted(used)[0])))


@pytest.mark.parametrize("seconds", [LOOPED, CUT, 170.0, 3600.0])
def test_a_pinned_splice_is_used_however_it_scores(seconds: float) -> None:
    profile = track_profile()
    splices = profile.splices
    goes_back = splices.leave > splices.enter
    kept = 0
    for row in np.flatnonzero((splices.leave > 10) & (splices.leave < 50) & (splices.enter < 50)).tolist()[::9]:
        if seconds < profile.song_duration and goes_back[row]:
            continue
        pin = named(profile, int(splices.leave[row]), int(splices.enter[row]))
        plan = planned(profile, seconds, SeamConstraints(pinned=(pin,)), both_ends=False)
        for option in plan.options:
            assert line_pair(profile, pin, "") in lines_of(option, profile)
        kept += plan.seam_score < 0.5
    assert kept, "some of them score under the floor"


@pytest.mark.parametrize("seconds", [LOOPED, CUT, 95.0, 1800.0])
def test_what_is_excluded_is_not_played(seconds: float) -> None:
    profile = track_profile()
    left_out = 0
    for first in np.linspace(0.3, 0.8, 6) * profile.song_duration:
        out = TrackRange(round(float(first), 2), round(float(first) + 6.2, 2))
        plan = answered(profile, seconds, SeamConstraints(excluded=(out,)), both_ends=False)
        if isinstance(plan, Refusal):
            continue  # no way around it
        left_out += 1
        for option in plan.options:
            for segment in option.segments:
                assert segment.song_to <= out.song_from + 0.03 or segment.song_from >= out.song_to - 0.03
    assert left_out > 1


@pytest.mark.parametrize("seconds", [190.0, 1800.0])
def test_a_loop_without_the_beginning_of_its_track_says_what_can(seconds: float) -> None:
    profile = only(track_profile(), [(48, 16)])
    request = PlanRequest(SeamConstraints(excluded=(TrackRange(0.0, float(profile.downbeats[4])),)), only_loop=True)
    refused = the_refusal(plan_fit(profile, seconds, request))
    assert "for a loop begins where the track does." in refused.hint
    assert "A fit of this length begins elsewhere." in refused.hint
    fit = the_plan(plan_fit(profile, seconds, replace(request, only_loop=False)))
    assert fit.song_start >= float(profile.downbeats[4]) - 0.03


def test_a_fit_begins_behind_a_range_that_no_splice_leads_past() -> None:
    profile = only(track_profile(bars=72), [(60, 20)])
    lines = profile.downbeats
    request = PlanRequest(SeamConstraints(excluded=(TrackRange(float(lines[6]), float(lines[12])),)), only_loop=True)
    refused = the_refusal(plan_fit(profile, 700.0, request))
    assert refused.hint.endswith("past 0:24.4. A fit of this length begins elsewhere.")
    plan = the_plan(plan_fit(profile, 700.0, replace(request, only_loop=False)))
    assert float(lines[12]) - 0.06 <= plan.song_start <= float(lines[12])
    assert plan.start_fade_seconds > 0.0, "it begins inside of the track"
    assert plan.seam_score == 0.95


def test_a_loop_that_cannot_leave_a_range_out_says_what_lacks() -> None:
    profile = track_profile()
    out = TrackRange(float(profile.downbeats[3]), float(profile.downbeats[-3]))
    refused = the_refusal(
        plan_loop(profile, profile.song_duration + 60.0, constraints=SeamConstraints(excluded=(out,)))
    )
    assert re.search(r"no splice with a score of 0\.35 leads from before 0:\d\d\S* past \d:\d\d", refused.hint)


def test_music_gets_past_an_excluded_range_by_one_splice_ahead() -> None:
    profile = only(track_profile(), [(9, 17), (48, 24), (44, 32)], 0.9)
    out = TrackRange(19.0, 31.0)  # from within bar 9 on
    plan = planned(profile, LOOPED, SeamConstraints(excluded=(out,)))
    for option in plan.options:
        pairs = lines_of(option, profile)
        assert pairs[0] == (9, 17)
        assert pairs.count((9, 17)) == 1
        assert {(48, 24), (44, 32)} & set(pairs)
        for segment in option.segments:
            assert segment.song_to <= out.song_from + 0.03 or segment.song_from >= out.song_to - 0.03
    assert (9, 17) not in lines_of(planned(profile, LOOPED, SeamConstraints()), profile)


def test_the_splice_past_an_excluded_range_may_be_pinned() -> None:
    profile = only(track_profile(), [(9, 17), (48, 24), (44, 32)], 0.9)
    constraints = SeamConstraints(pinned=(named(profile, 9, 17),), excluded=(TrackRange(19.0, 31.0),))
    assert lines_of(planned(profile, LOOPED, constraints), profile).count((9, 17)) == 1


def test_it_may_leave_as_soon_as_a_segment_lasts() -> None:
    profile = only(track_profile(), [(4, 17), (48, 24), (44, 32)], 0.9)
    plan = planned(profile, LOOPED, SeamConstraints(excluded=(TrackRange(9.0, 31.0),)))
    assert lines_of(plan, profile)[0] == (4, 17), "8.5 s in, where a loop back would be a stutter"


def test_a_body_is_repeated_around_an_excluded_range() -> None:
    profile = only(track_profile(), [(9, 17), (48, 4), (8, 4)], 0.9)
    excluded = SeamConstraints(excluded=(TrackRange(19.0, 31.0),))
    plan, without = planned(profile, 900.0, excluded), planned(profile, 900.0, SeamConstraints())
    pairs = lines_of(plan, profile)
    back = pairs.count((48, 4))
    assert pairs.count((9, 17)) == back + 1 > 5, "past it in each pass, the last one too"
    assert plan.body is not None
    assert plan.body.bars == 44
    assert plan.body.repeats in (back, back + 1)
    assert find_repetition(plan, profile).run.passes == back + 1
    assert variety(segment_table(plan)) > variety(segment_table(without)) - 20.0, "but for what is left out"


def test_the_whole_track_begins_again_without_an_excluded_range() -> None:
    whole = track_profile(restarts=True)
    again = whole.splices.rows(np.array([whole.splices.leave.size - 1]))
    profile = only(whole, [(9, 17)], 0.9)
    profile = replace(profile, splices=profile.splices.with_more(again))
    again_and_again = profile.last_sound - 16.0 + 6 * (63 * 2.0 - 16.0)  # a splice of 8 bars ahead in each
    plan = planned(profile, again_and_again, SeamConstraints(excluded=(TrackRange(19.0, 31.0),)))
    assert plan.ending.restarts == 6
    assert plan.seam_score == pytest.approx(0.9), "the worst seam that is none of these"
    said = repetition_line(plan, profile, CoverParams())
    assert said is not None
    assert re.findall(r"leaves out .*", said) == ["leaves out 0:18 to 0:34 of the track"], "once, though each pass does"


def test_where_no_splice_leads_back_around_the_excluded_range_the_line_says_so() -> None:
    profile = only(track_profile(), [(9, 17), (48, 7)], 0.9)
    refused = the_refusal(plan_loop(profile, LOOPED, constraints=SeamConstraints(excluded=(TrackRange(19.0, 31.0),))))
    assert "no part that repeats unnoticed is entirely before 0:19 or after" in refused.hint


def test_several_pins_and_a_range_at_once() -> None:
    profile = track_profile(section_bars=4)
    splices = profile.splices
    good = np.flatnonzero((splices.score > 0.8) & (splices.leave > 12) & (splices.leave < 48) & (splices.enter < 40))
    pins = tuple(named(profile, int(splices.leave[row]), int(splices.enter[row])) for row in good[:4].tolist())
    plan = planned(profile, 900.0, SeamConstraints(pinned=pins))
    assert {line_pair(profile, pin, "") for pin in pins} <= set(lines_of(plan, profile))


def test_a_straight_plan_has_no_seam_to_pin() -> None:
    profile = track_profile()
    assert Fit(profile.song_duration).plan(profile).kind is PlanKind.STRAIGHT
    pin = SeamConstraints(pinned=(named(profile, 20, 36),))
    if profile.splices.row_of(20, 36) is None:
        assert " cannot be kept in " in Fit(profile.song_duration, constraints=pin).refused(profile)
    short = track_profile(bars=8)
    pin = SeamConstraints(pinned=(named(short, 4, 2),))
    assert Fit(1.5, constraints=pin).refused(short).startswith("pinned 0:08.4-0:04.4 cannot be kept in 1.5 s")


def test_no_constraints_change_nothing() -> None:
    profile = track_profile()
    assert plan_loop(profile, LOOPED, constraints=SeamConstraints()) == plan_loop(profile, LOOPED)
    assert on_lines(profile, SeamConstraints()) is UNCONSTRAINED
    # Neither does one that touches nothing that the planner could use.
    nowhere = SeamConstraints(never_cut=(TrackRange(0.0, 0.3),))
    assert plan_loop(profile, LOOPED, constraints=nowhere) == plan_loop(profile, LOOPED)
    assert Fit(CUT, constraints=nowhere).plan(profile) == Fit(CUT).plan(profile)


@pytest.mark.parametrize(
    ("constraints", "why"),
    [
        (SeamConstraints(never_cut=(TrackRange(100.0, 500.0),)), "never cut 1:40-8:20: the track ends at 2:10.9"),
        (SeamConstraints(pinned=(NamedSplice(500.0, 2.4),)), "pinned 8:20-0:02.4: the track ends at 2:10.9"),
        (
            SeamConstraints((TrackRange(100.0, 500.0),), (), (NamedSplice(500.0, 2.4), NamedSplice(48.4, 49.0))),
            "never cut 1:40-8:20 and pinned 8:20-0:02.4: the track ends at 2:10.9; "
            "pinned 0:48.4-0:49: both times are at the same bar line, 0:48.4, so nothing is spliced",
        ),
        (SeamConstraints(forbidden=(NamedSplice(2.5, 2.3),)), "both times are at the same bar line, 0:02.4"),
    ],
)
def test_what_makes_no_sense_is_an_error(constraints: SeamConstraints, why: str) -> None:
    profile = track_profile()
    with pytest.raises(ConstraintError) as refused:
        plan_loop(profile, LOOPED, constraints=constraints)
    assert why in str(refused.value)
    with pytest.raises(ConstraintError) as refused:
        Fit(CUT, constraints=constraints).answer(profile)
    assert why in str(refused.value)


def test_a_splice_stands_for_the_bar_lines_nearest_to_its_times() -> None:
    profile = track_profile()  # bar lines from 0.4 to 126.4 s, sound from 0.3 to 130.7 s
    lines = on_lines(profile, SeamConstraints(pinned=(NamedSplice(130.5, 0.0), NamedSplice(91.5, 49.3))))
    assert lines is not None
    assert profile.downbeats[lines.pinned].tolist() == pytest.approx(np.array([[126.4, 0.4], [92.4, 48.4]]))


@pytest.mark.parametrize(
    ("constraints", "ids"),
    [
        (
            SeamConstraints((TrackRange(40.0, 60.0),), (NamedSplice(4.4, 8.4),), (NamedSplice(92.4, 48.4),)),
            ["pinned 1:32.4-0:48.4", "never_cut 0:40-1:00"],
        ),
        (
            SeamConstraints(forbidden=(NamedSplice(92.0, 48.6),), pinned=(NamedSplice(92.4, 48.4),)),
            ["pinned 1:32.4-0:48.4", "forbidden 1:32-0:48.6"],
        ),
        (
            SeamConstraints(pinned=(NamedSplice(40.4, 16.4),), excluded=(TrackRange(37.4, 43.4),)),
            ["pinned 0:40.4-0:16.4", "excluded 0:37.4-0:43.4"],
        ),
    ],
)
def test_constraints_that_rule_each_other_out_are_refused_by_id(constraints: SeamConstraints, ids: list[str]) -> None:
    for seconds in (LOOPED, CUT):
        refused = the_refusal(answered(track_profile(), seconds, constraints, both_ends=False))
        assert refused.reason is RefusalReason.CONSTRAINTS
        assert [one.id for one in refused.constraints] == ids


def test_values_that_are_none_are_refused() -> None:
    for first, last in ((5.0, 5.0), (6.0, 5.0), (-1.0, 5.0), (float("nan"), 5.0), (0.0, float("inf"))):
        with pytest.raises(ConstraintError):
            TrackRange(first, last)
    with pytest.raises(ConstraintError):
        NamedSplice(-1.0, 5.0)


def test_a_loop_names_the_smallest_contradicting_part() -> None:
    profile = only(track_profile(), [(40, 24), (40, 8), (48, 16)])
    bodies = tuple(named(profile, *pair) for pair in ((40, 24), (40, 8), (48, 16)))
    elsewhere = TrackRange(1.0, 9.0)
    refused = the_refusal(plan_loop(profile, LOOPED, constraints=SeamConstraints((elsewhere,), bodies)))
    assert refused.constraints == SeamConstraints((), bodies).each
    assert refused.hint.endswith(" cannot be kept together in a loop of 330 s.")
    refused = the_refusal(
        plan_loop(profile, LOOPED, constraints=SeamConstraints((elsewhere, TrackRange(20.0, 110.0)), bodies[:1]))
    )
    assert refused.hint == "never cut 0:20-1:50 cannot be kept in a loop of 330 s."


def test_a_track_that_cannot_be_looped_anyway_is_refused_as_ever() -> None:
    profile = only(track_profile(), [(40, 24)], score=0.2)
    constraints = SeamConstraints(forbidden=(named(profile, 30, 8),))
    refused = the_refusal(plan_loop(profile, LOOPED))
    assert refused.best_splice is not None  # to pin, which is not offered beside constraints
    bare = replace(refused, best_splice=None, best_score=0.0)
    assert plan_loop(profile, LOOPED, constraints=constraints) == bare


def test_times_of_a_fit_and_constraints_on_seams_contradict_each_other() -> None:
    profile = track_profile()
    splices = profile.splices
    row = np.flatnonzero((splices.leave > 8) & (splices.leave < 20) & (splices.enter > 30) & (splices.enter < 48))[0]
    pin = named(profile, int(splices.leave[row]), int(splices.enter[row]))
    others = SeamConstraints((TrackRange(1.0, 3.0),), (named(profile, 3, 40),), (pin,))
    request = Fit(40.0, (Keep(None, 8.5, 9.0),), start_at=36.0, constraints=others)
    assert request.refused(profile) == f"start at 0:36 and pinned {pin.in_words} cannot be kept together in 40 s."
    assert Fit(40.0, (Keep(None, 8.5, 9.0),), constraints=others).plan(profile).seam_times


def test_of_many_constraints_a_part_takes_as_many_tries_as_there_are() -> None:
    constraints = [f"number {number}" for number in range(40)]
    tries: list[tuple[str, ...]] = []

    def can_be_satisfied(some: tuple[str, ...]) -> bool:
        tries.append(some)
        return not {"number 3", "number 20", "number 39"} <= set(some)

    assert smallest_contradiction(constraints, can_be_satisfied) == ("number 3", "number 20", "number 39")
    assert len(tries) == len(constraints) + 1
    assert smallest_contradiction(constraints, lambda some: False) == ()


@pytest.mark.parametrize(
    ("contradicting", "smallest"),
    [(("A", "BCD"), "A"), (("AC", "BDE"), "AC"), (("ABC",), "ABC"), (("BCDE",), "BCDE"), (("ABCDE",), "ABCDE")],
)
def test_a_constraint_or_a_pair_is_named_before_a_larger_part(contradicting: tuple[str, ...], smallest: str) -> None:
    tries: list[tuple[str, ...]] = []

    def can_be_satisfied(some: tuple[str, ...]) -> bool:
        tries.append(some)
        return not any(set(part) <= set(some) for part in contradicting)

    assert smallest_contradiction("ABCDE", can_be_satisfied) == tuple(smallest)
    assert len(tries) <= 1 + 5 + 10 + 5
    assert smallest_contradiction("A", lambda some: not some) == ("A",)
    assert smallest_contradiction("AB", lambda some: len(some) < 2) == ("A", "B")


def test_constraints_are_chosen_one_by_one() -> None:
    constraints = SeamConstraints((TrackRange(40.0, 60.0),), (NamedSplice(92.0, 48.0),), (NamedSplice(80.0, 16.0),))
    assert tuple(one.id for one in constraints.each) == (
        "never_cut 0:40-1:00",
        "forbidden 1:32-0:48",
        "pinned 1:20-0:16",
    )
    assert constraints.only(constraints.each) == constraints
    assert constraints.only(constraints.each[1:2]) == SeamConstraints(forbidden=(NamedSplice(92.0, 48.0),))
    assert not constraints.only(())


def test_times_in_words() -> None:
    assert [clock(time) for time in (5.25, 65.0, 59.9996, 600.5)] == ["0:05.25", "1:05", "1:00", "10:00.5"]
