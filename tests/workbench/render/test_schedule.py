"""Cues against the contract's words: where segments are placed, what gains they have."""

import numpy as np
import pytest

from tests.workbench.played import make_plan
from workbench.plans.plan import LoopPlan
from workbench.render.schedule import schedule

RATE = 44_100


@pytest.fixture
def plan() -> LoopPlan:
    return make_plan(
        [(0.5, 4.7501, 0.0, 0.0), (2.00002, 9.0, -2.0, 4.0), (1.0, 6.0, 0.0, 0.0)],
        [0.1, 0.4],
        [0.5, 1.0],
        song_duration=10.0,
        glide=2.0,
        start_fade=0.2,
        end_fade=1.0,
    )


def test_segments_are_placed_at_rounded_video_times(plan: LoopPlan) -> None:
    timeline = schedule(plan, RATE)
    assert timeline.length == round(plan.window_end * RATE)
    for cue, segment, begins in zip(timeline.cues, plan.segments, plan.segment_starts[:-1], strict=True):
        assert cue.song_offset == round(segment.song_from * RATE) - round(begins * RATE)


def test_a_cue_runs_from_its_pre_roll_to_its_post_roll(plan: LoopPlan) -> None:
    _, middle, _ = schedule(plan, RATE).cues
    first_seam, second_seam = plan.seam_times
    assert middle.first / RATE == pytest.approx(first_seam - 0.05, abs=1 / RATE)
    assert middle.stop / RATE == pytest.approx(second_seam + 0.2, abs=1 / RATE)
    assert middle.gain(middle.first, middle.first + 1, RATE)[0] < 0.03
    assert middle.gain(middle.stop - 1, middle.stop, RATE)[0] < 1e-3


def test_pre_roll_holds_the_level_it_starts_at_and_post_roll_the_level_reached(plan: LoopPlan) -> None:
    timeline = schedule(plan, RATE)
    middle = timeline.cues[1]

    def level_db(time: float, fade: float = 1.0) -> float:
        at = round(time * RATE)
        return float(20 * np.log10(middle.gain(at, at + 1, RATE)[0] / fade))

    first_seam, second_seam = plan.seam_times
    x = (round((first_seam - 0.025) * RATE) / RATE - (first_seam - 0.05)) / 0.1
    assert level_db(first_seam - 0.025, x**0.5) == pytest.approx(4.0, abs=1e-6)
    assert level_db(first_seam + 1.0) == pytest.approx(1.0, abs=1e-3)
    assert level_db(first_seam + 3.0) == pytest.approx(-2.0)
    x = (round((second_seam + 0.1) * RATE) / RATE - (second_seam - 0.2)) / 0.4
    assert level_db(second_seam + 0.1, 1 - x) == pytest.approx(-2.0, abs=1e-6)
    assert middle.reached_db == -2.0


def test_a_steady_cue_is_steady(plan: LoopPlan) -> None:
    for cue in schedule(plan, RATE).cues:
        gains = cue.gain(cue.steady_from, cue.steady_to, RATE)
        assert gains.size > RATE
        assert np.ptp(gains) < 1e-12


def test_only_the_cues_that_play_are_given(plan: LoopPlan) -> None:
    timeline = schedule(plan, RATE)
    seam = round(plan.seam_times[0] * RATE)
    assert timeline.played(seam - 10, seam + 10) == timeline.cues[:2]
    assert timeline.played(seam + RATE, seam + 2 * RATE) == timeline.cues[1:2]
    assert timeline.played(timeline.cues[1].first - 100, timeline.cues[1].first) == timeline.cues[:1]
    assert timeline.played(timeline.cues[0].stop, timeline.cues[0].stop + 100) == timeline.cues[1:2]


def test_end_fades(plan: LoopPlan) -> None:
    timeline = schedule(plan, RATE)
    rising = timeline.ends_gain(0, RATE)
    assert rising is not None
    assert rising[0] == 0.0
    assert rising[round(0.1 * RATE)] == pytest.approx(0.5)
    assert rising[-1] == 1.0
    assert timeline.ends_gain(RATE, 2 * RATE) is None
    falling = timeline.ends_gain(timeline.length - RATE, timeline.length)
    assert falling is not None
    assert falling[RATE // 2] == pytest.approx(0.5, abs=1e-3)
    assert falling[-1] < 1e-6
