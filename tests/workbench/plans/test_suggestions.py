"""Tests of `workbench.plans.suggestions`."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.workbench.plans.fitted import Fit
from tests.workbench.plans.made import track_profile
from workbench.plans.plan import LoopPlan
from workbench.plans.request import Keep, KeptPart


def seconds_of(clock: str) -> float:
    minutes, seconds = clock.rstrip(".").split(":")
    return 60.0 * int(minutes) + float(seconds)


def landing(plan: LoopPlan) -> float:
    """Video time of the hit of a plan that ends in a button."""
    assert plan.end_label.startswith("button")
    return plan.music_end


@pytest.mark.parametrize("seconds", [24.7, 61.0, 90.6])
@pytest.mark.parametrize("start_at", [None, 3.1])
def test_a_landing_that_cannot_be_had_names_what_can(seconds: float, start_at: float | None) -> None:
    profile = track_profile(ending=None)
    bar = float(np.median(np.diff(profile.downbeats)))
    refused = elsewhere = 0
    for tail in np.linspace(0.3, 0.9 * bar, 4):
        request = Fit(seconds, start_at=start_at, end_on=round(seconds - float(tail), 2))
        answer = request.answer(profile)
        if isinstance(answer, LoopPlan):
            continue
        sentence, refused = answer.hint, refused + 1
        later = re.search(r"it lands there with start at ([\d:.]+)", sentence)
        near = re.search(r"lands it at ([\d:.]+)", sentence)
        assert later is not None, sentence
        silent = seconds_of(later[1])
        assert (start_at or 0.0) < silent < (start_at or 0.0) + bar
        assert landing(replace(request, start_at=silent).plan(profile)) == pytest.approx(request.end_on, abs=0.02)
        if near is None:  # a whole bar from the end, or on it
            continue
        elsewhere += 1
        other = seconds_of(near[1])
        assert seconds - bar < other <= seconds
        assert landing(replace(request, end_on=other).plan(profile)) == pytest.approx(other, abs=0.02)
    assert elsewhere >= refused - 1
    assert refused >= 2


def test_a_hit_long_before_the_end_is_told_when_it_can_land() -> None:
    profile = track_profile()
    request = Fit(30.0, end_on=10.0)
    told = request.refused(profile)
    near = re.search(r"in 30 s; music that starts with the picture lands it at (0:2[\d.]+)\.$", told)
    assert near is not None, told
    assert 30.0 - float(np.median(np.diff(profile.downbeats))) < seconds_of(near[1]) < 30.0
    assert landing(replace(request, end_on=seconds_of(near[1])).plan(profile)) == pytest.approx(
        seconds_of(near[1]), abs=0.02
    )


@pytest.mark.parametrize("end_on", [20.0, 51.0])
def test_a_hit_that_rings_for_bars_is_told_where_the_own_ending_lands_it(end_on: float) -> None:
    profile = track_profile(ring_bars=2)
    request = Fit(60.0, end_on=end_on, last_hit=profile.last_sound - 4.1)
    bar = float(np.median(np.diff(profile.downbeats)))
    told = request.refused(profile)
    found = re.search(
        r"own ending lands its last hit at ([\d:.]+); music that starts with the picture lands it at ([\d:.]+)\.$", told
    )
    assert found is not None, told
    own, near = (seconds_of(at) for at in found.groups())
    assert 60.0 - 4.1 - bar <= own <= 60.0 - 4.1
    assert near > 60.0 - bar
    plan = replace(request, end_on=own).plan(profile)
    assert plan.end_label.startswith("own ending")
    assert plan.music_end - 4.1 == pytest.approx(own, abs=0.02)
    assert landing(replace(request, end_on=near).plan(profile)) == pytest.approx(near, abs=0.02)


def test_the_ending_that_is_kept_is_told_where_it_lands() -> None:
    profile = track_profile(ring_bars=2)
    request = Fit(60.0, (Keep(KeptPart.ENDING),), end_on=58.77, last_hit=profile.last_sound - 4.1)
    told = request.refused(profile)
    assert "end on 0:58.77 cannot be kept in 60 s; the track's own ending lands" in told
    plan = replace(request, end_on=seconds_of(told.rpartition(" ")[2])).plan(profile)
    assert plan.end_label.startswith("own ending")


def test_what_helps_without_the_other_constraints_is_said_where_nothing_helps_with_them() -> None:
    profile = track_profile()
    request = Fit(60.0, (Keep(KeptPart.ENDING),), end_on=58.77)
    told = request.refused(profile)
    found = re.search(r"cannot be kept in 60 s; without keep ending, it lands there with start at ([\d:.]+)", told)
    assert found is not None, told
    plan = Fit(60.0, start_at=seconds_of(found[1]), end_on=58.77).plan(profile)
    assert landing(plan) == pytest.approx(58.77, abs=0.02)


def test_other_constraints_are_kept_by_what_is_named() -> None:
    asked = Fit(40.0, (Keep(KeptPart.INTRO),), end_on=39.1)
    told = asked.refused(track_profile(ending=None))
    assert "end on 0:39.1 cannot be kept in 40 s; it lands there with " in told
    later = re.search(r"start at ([\d:.]+)", told)
    assert later is not None
    plan = replace(asked, start_at=seconds_of(later[1])).plan(track_profile(ending=None))
    assert landing(plan) == pytest.approx(39.1, abs=0.02)
    assert plan.segments[0].song_from < track_profile().downbeats[1], "the intro is heard from its start"
