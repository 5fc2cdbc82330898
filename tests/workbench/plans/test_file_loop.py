"""A file is repeated as its maker meant it: from its end to its head, or by the loop points that it carries."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from tests.workbench.plans.made import the_plan
from tests.workbench.played import band
from workbench.analysis.profile_arrays import profile_from_arrays, profile_to_arrays
from workbench.beats.edges import with_edge_lines, with_loop_end
from workbench.beats.grid import BeatGrid
from workbench.params import CoverParams, SeamParams
from workbench.plans.constraints import NO_CONSTRAINTS, SeamConstraints, TrackRange
from workbench.plans.file_loop import FileLoop, find_file_loop, plan_file_loop, with_file_loop
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.recording import Recording
from workbench.seams.build_profile import loop_profile
from workbench.seams.profile import LoopProfile
from workbench.seams.seam_score import seam_evidence


class Loop(NamedTuple):
    recording: Recording
    profile: LoopProfile


def seamless(bars: int) -> Loop:
    """So many bars of 2 s, cut out of longer music that repeats them, so that the end joins the head to the sample."""
    recording = band("A" if bars <= 4 else "AB" if bars <= 8 else "ABC", lead_in=0.0, tail=0.0).recording
    sound = recording.samples[:, : 2 * bars * recording.sample_rate]
    cut = Recording.from_samples(sound, recording.sample_rate)
    grid = BeatGrid.from_times(np.arange(2.0, 2.0 * bars - 0.1, 0.5))  # nothing comes before the first line, or after
    return Loop(cut, loop_profile(cut, with_edge_lines(grid, cut)))


@pytest.mark.parametrize("bars", [4, 5, 7, 8, 9])
def test_a_short_loop_is_repeated_whole_under_every_length(bars: int) -> None:
    loop = seamless(bars)
    for seconds in np.arange(2.0 * bars + 30.0, 4.0 * bars + 31.0, 0.7):
        plan = the_plan(plan_loop(loop.profile, float(seconds)))
        for segment in plan.segments[1:-1]:
            assert segment.song_to - segment.song_from == pytest.approx(2.0 * bars, abs=0.006)
        assert plan.window_end == pytest.approx(seconds)
        assert plan.tail_seconds < 2.0


def profile_with(points: tuple[float, float]) -> LoopProfile:
    recording, grid = (played := band("ABAC", lead_in=0.0)).recording, played.grid
    profile, evidence = loop_profile(recording, grid), seam_evidence(recording, grid)
    return with_file_loop(profile, recording, evidence, points, SeamParams())


def answered(
    profile: LoopProfile, constraints: SeamConstraints = NO_CONSTRAINTS, seconds: float = 120.0
) -> tuple[FileLoop | None, LoopPlan | Refusal]:
    def plan(one: LoopProfile, every: SeamConstraints) -> tuple[LoopPlan | Refusal, ...]:
        return (plan_loop(one, seconds, CoverParams(), every),)

    found, answers = plan_file_loop(profile, constraints, plan)
    return found, answers[0]


def test_loop_points_on_bar_lines_are_the_only_loop() -> None:
    profile = profile_with((4.0, 27.996))
    found, plan = answered(profile)
    assert found is not None
    assert isinstance(plan, LoopPlan)
    assert found.in_words.startswith("the loop points of the file, 0:04 to 0:27.996, are used; their seam scores")
    assert plan.segments[0].song_from == 0.0
    for before, after in zip(plan.segments, plan.segments[1:], strict=False):
        assert before.song_to == pytest.approx(28.0, abs=0.01)
        assert after.song_from == pytest.approx(4.0, abs=0.01)
    assert found.to_json() == {"song_from": 4.0, "song_to": 27.996, "used": True}


def test_other_points_are_named_with_what_is_wrong() -> None:
    profile = profile_with((4.0, 28.3))
    found, plan = answered(profile)
    assert plan == plan_loop(profile, 120.0)
    assert found is not None
    assert "0:28.3 is 300 ms off a downbeat" in found.in_words
    assert found.to_json()["used"] is False


def test_constraints_of_a_person_come_before_those_of_the_file() -> None:
    profile, asked = profile_with((4.0, 28.0)), SeamConstraints(never_cut=(TrackRange(26.5, 29.5),))
    found, plan = answered(profile, asked)
    assert found is not None
    assert found.unused == "constraints on seams were given"
    assert plan == plan_loop(profile, 120.0, constraints=asked)


def test_a_loop_that_no_plan_repeats_leaves_the_plan_as_it_is() -> None:
    """Two bars of 2 s are too short to be repeated, so the planner refuses them."""
    profile = profile_with((4.0, 8.0))
    found, plan = answered(profile)
    assert found is not None
    assert found.unused == "no plan of this length repeats it"
    assert plan == plan_loop(profile, 120.0)


def test_points_in_the_tracks_own_ending_are_repeated() -> None:
    profile = profile_with((8.0, 28.0))
    assert profile.ending is not None
    for start in range(profile.ending.start_bar):
        early = replace(profile, ending=replace(profile.ending, start_bar=max(1, start)))
        assert isinstance(answered(early)[1], LoopPlan)


def test_a_loop_that_ends_with_the_file_joins_its_start_to_the_sample() -> None:
    """An intro of 4 s, then a loop to the end of the file; its last bar line is heard by no tracker."""
    played = band("ABA", lead_in=0.0, tail=0.0)
    recording, points = played.recording, (4.0, played.recording.duration)
    grid = with_loop_end(BeatGrid.from_times(np.arange(0.0, 22.1, 0.5)), recording, points[1])
    assert grid.downbeats[-2:] == pytest.approx([22.0, 24.0], abs=0.004)
    profile = with_file_loop(
        loop_profile(recording, grid), recording, seam_evidence(recording, grid), points, SeamParams()
    )
    for seconds in np.arange(60.0, 80.0, 1.3):
        found, plan = answered(profile, seconds=float(seconds))
        assert found is not None
        assert found.unused is None
        assert isinstance(plan, LoopPlan)
        for before, after in zip(plan.segments, plan.segments[1:], strict=False):
            assert before.song_to - after.song_from == pytest.approx(20.0, abs=2e-6)


def test_a_poor_seam_of_the_file_is_said() -> None:
    found, _ = answered(profile_with((4.0, 18.0)))
    assert found is not None
    assert found.seam_score < 0.5
    assert found.in_words.endswith(f"are used; their seam scores {found.seam_score:.2f}")


def test_the_profile_keeps_the_points() -> None:
    profile = profile_with((4.0, 28.0))
    assert profile_from_arrays(profile_to_arrays(profile)).file_loop == (4.0, 28.0)
    assert find_file_loop(replace(profile, file_loop=None), NO_CONSTRAINTS) is None
