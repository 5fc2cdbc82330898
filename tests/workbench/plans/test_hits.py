"""Seconds of a track that land on seconds of the video, in plans that keep every rule of a fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workbench.plans.fitted import Fit
from tests.workbench.plans.made import ANY_PROFILE, the_plan, the_refusal, track_profile
from tests.workbench.plans.test_fit import check_one, heard
from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.errors import ConstraintError, ParameterError
from workbench.features.marks import Marks
from workbench.params import CoverParams
from workbench.plans.constraints import ConstraintKind, SeamConstraints, TrackRange
from workbench.plans.fit import plan_fit
from workbench.plans.hits import find_arrival, hit_distance
from workbench.plans.plan import LoopPlan, PlanKind
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import Hit, Keep, PlanRequest
from workbench.plans.splices import usable_splices
from workbench.seams.profile import LoopProfile


def lands(plan: LoopPlan, hit: Hit) -> bool:
    """Whether the track passes the landmark within 20 ms of the hit, read off what plays just behind both."""
    assert hit.landmark is not None
    return abs(float(heard(plan, np.array([hit.at + 0.05]))[0]) - 0.05 - hit.landmark) <= 0.02


def plan_of(profile: LoopProfile, seconds: float, request: PlanRequest) -> LoopPlan:
    answer = the_plan(plan_fit(profile, seconds, request))
    return answer


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_plan_lands_its_hit_and_keeps_the_rules(data: st.DataObject) -> None:
    profile = data.draw(ANY_PROFILE)
    seconds = round(max(4.0, data.draw(st.floats(0.05, 2.5)) * profile.song_duration), 3)
    landmark = data.draw(st.floats(profile.song_start + 0.1, profile.last_sound - 0.1))
    hit = Hit(data.draw(st.floats(0.0, 0.99)) * seconds, landmark)
    answer = plan_fit(profile, seconds, PlanRequest(hits=(hit,)))
    if isinstance(answer, Refusal):
        return
    assert lands(answer, hit)
    for option in answer.options:
        if hit.at >= 8.0:  # music that starts under a bar before its hit starts off the bar lines
            check_one(option, profile, Fit(seconds, start_at=option.music_in or None))
        assert lands(option, hit) or option.ending.is_own


@pytest.mark.parametrize(("seconds", "share"), [(40.0, 0.9), (90.5, 0.02), (140.0, 0.5), (260.0, 0.3), (700.0, 0.9)])
def test_an_arrival_lands_wherever_it_is_asked_to(seconds: float, share: float) -> None:
    profile = track_profile()
    hit = Hit(share * seconds, float(profile.downbeats[16]))
    plan = plan_of(profile, seconds, PlanRequest(hits=(hit,)))
    assert lands(plan, hit)
    assert hit_distance(plan, hit) == pytest.approx(0.0, abs=0.02)
    assert plan.music_in < profile.usual_bar
    assert plan.start_at is None, "a start that moved for the hit was not asked for"
    assert plan.seam_score >= 0.5


def test_music_under_a_long_video_is_a_loop_with_its_hit() -> None:
    profile = track_profile()
    hit = Hit(171.3, float(profile.downbeats[16]))
    plan = plan_of(profile, 300.0, PlanRequest(hits=(hit,), only_loop=True))
    assert plan.kind is PlanKind.LOOP
    assert lands(plan, hit)


def test_a_hit_goes_before_the_own_ending() -> None:
    profile, splices = track_profile(), track_profile().splices
    eights = (splices.leave - splices.enter) % 8 == 0
    profile = replace(profile, splices=splices.rows(np.flatnonzero(eights)))  # so few lengths have the own ending
    for tenth in range(20):
        hit = Hit(60.0 + tenth, float(profile.downbeats[16]))
        plan = plan_of(profile, 195.0, PlanRequest(hits=(hit,)))
        assert lands(plan, hit)
        own = [option for option in plan.options if option.ending.is_own]
        if not plan.ending.is_own and own and not lands(own[0], hit):
            distance = hit_distance(own[0], hit)
            assert distance is not None
            assert abs(distance) > 0.02
            return
    pytest.fail("every plan had both")


def test_two_hits_a_loop_apart() -> None:
    profile = track_profile()
    landmark = float(profile.downbeats[16])
    # a loop back over the landmark brings the music to it again as much later as it is long
    usable = usable_splices(profile, CoverParams())
    row = int(np.flatnonzero((usable.enter < 12) & (usable.leave > 24))[0])
    length = float(usable.gain_seconds[row])
    hits = (Hit(40.2, landmark), Hit(40.2 + length, landmark))
    plan = plan_of(profile, 200.0, PlanRequest(hits=hits))
    assert [lands(plan, hit) for hit in hits] == [True, True]


def test_hits_that_exclude_each_other_are_named_with_times_that_go() -> None:
    profile = track_profile()
    landmark = float(profile.downbeats[16])
    hits = (Hit(40.2, landmark), Hit(40.2 + 8.4 * profile.usual_bar, landmark))
    answer = the_refusal(plan_fit(profile, 150.0, PlanRequest(hits=hits)))
    assert answer.reason is RefusalReason.CONSTRAINTS
    assert answer.constraints == tuple(hit.constraint for hit in hits)
    times = [float(m) * 60 + float(s) for m, _, s in (
        word.strip(".").partition(":") for word in answer.hint.split("it can land at ")[1].split(" or "))]  # fmt: skip
    assert times
    for at in times:
        other = Hit(at, landmark)
        plan = plan_of(profile, 150.0, PlanRequest(hits=(hits[0], other)))
        assert lands(plan, other)


def test_a_hit_that_needs_a_later_start_is_told_one() -> None:
    profile = track_profile()
    alone = replace(profile, splices=profile.splices.rows(np.zeros(0, dtype=np.int64)))  # it can only play straight
    hit = Hit(61.5, float(profile.downbeats[16]))
    answer = the_refusal(plan_fit(alone, 90.0, PlanRequest(hits=(hit,))))
    (start,) = (part for part in answer.sentence.parts if getattr(part, "kind", None) is ConstraintKind.START_AT)
    assert lands(plan_of(alone, 90.0, PlanRequest(start_at=start.times[0], hits=(hit,))), hit)


def test_what_else_is_asked_for_stays() -> None:
    profile = track_profile()
    lines = profile.downbeats
    hit = Hit(61.7, float(lines[24]))
    kept = Keep(None, float(lines[8]), float(lines[16]))
    request = Fit(140.0, (kept,), start_at=3.2)
    plan = plan_of(profile, 140.0, PlanRequest(keep=(kept,), start_at=3.2, hits=(replace(hit, at=3.23 + 48.0),)))
    check_one(plan, profile, request)

    excluded = TrackRange(float(lines[40]), float(lines[48]))
    plan = plan_of(profile, 140.0, PlanRequest(SeamConstraints(excluded=(excluded,)), hits=(hit,)))
    assert lands(plan, hit)
    for segment in plan.segments:
        assert segment.song_to <= excluded.song_from + 0.011 or segment.song_from >= excluded.song_to - 0.011


def test_a_kept_part_that_plays_on_from_a_hit_is_not_divided() -> None:
    profile = track_profile()
    lines = profile.downbeats
    hit, kept = (
        Hit(float(lines[8]) - profile.song_start, float(lines[8])),
        Keep(None, float(lines[6]), float(lines[20])),
    )
    alone, both = (plan_of(profile, 80.0, PlanRequest(keep=keep, hits=(hit,))) for keep in ((), (kept,)))
    assert len(alone.segments) == 1
    assert both.segments == alone.segments  # which has the part already


def test_music_without_bars_has_no_hits() -> None:
    profile = replace(track_profile(), downbeats=np.zeros(0), sections=())
    answer = the_refusal(plan_fit(profile, 60.0, PlanRequest(hits=(Hit(30.0, 12.0),))))
    assert answer.constraints == (Hit(30.0).constraint,)


def test_hits_outside_of_the_video_and_the_track() -> None:
    profile = track_profile()
    answer = the_refusal(plan_fit(profile, 60.0, PlanRequest(hits=(Hit(61.0, 30.0),))))
    assert "outside of 60 s" in answer.hint
    with pytest.raises(ConstraintError, match="last sound at"):
        plan_fit(profile, 60.0, PlanRequest(hits=(Hit(30.0, profile.last_sound + 1.0),)))
    with pytest.raises(ParameterError, match="0 s or more"):
        Hit(-1.0)


def test_the_arrival_is_the_strongest_drop_with_music_around_it() -> None:
    profile = track_profile()

    def landmarks(*drops: tuple[float, float]) -> Landmarks:
        times, salience = np.array(drops).reshape(-1, 2).T
        marks = Marks(LANDMARK_KINDS, times, np.zeros(times.size, dtype=int), salience, np.full(times.size, 0.03))
        return Landmarks(marks, profile.song_duration, profile.song_start, profile.last_sound)

    drops = landmarks((3.0, 1.0), (40.0, 0.8), (72.0, 0.9), (profile.last_sound - 3.0, 1.0))
    assert find_arrival(drops, profile) == ("drop", 72.0)
    assert find_arrival(landmarks(), profile) in [
        ("chorus", section.song_from) for section in profile.sections if section.label == "chorus"
    ]
    assert find_arrival(landmarks(), replace(profile, sections=())) is None
