"""Tempo maps: bars of the map are bars of the music, and marks are few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.export.tempo import LATE_SECONDS, TempoMark, played_beats, tempo_bpm, tempo_map
from workbench.export.timeline import Beat
from workbench.plans.plan import LoopPlan
from workbench.workflows.export import timeline_of


def even(bpm: float, bars: int, first: float = 0.0, size: int = 4) -> list[tuple[float, int]]:
    return [(first + k * 60.0 / bpm, k % size + 1) for k in range(bars * size)]


def bar_lines(marks: list[TempoMark], until: float) -> np.ndarray:
    """Where a program that reads the marks draws bar lines."""
    lines = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        end = until if following is None else following.video_s - 1e-6
        lines.append(np.arange(mark.video_s, end, mark.beats_per_bar * 60.0 / mark.bpm))
    return np.concatenate(lines)


@pytest.fixture(scope="module")
def plan() -> LoopPlan:
    """Two bars of 2.5 s, 96 beats a minute, four times; the body is named by its bars."""
    return make_plan([(0.0, 7.5, 0.0, 0.0)] + [(2.5, 7.5, 0.0, 0.0)] * 3, [0.01] * 3, [0.5] * 3, song_duration=12.0)


def test_even_beats_are_one_mark(plan: LoopPlan) -> None:
    beats = [Beat(*beat) for beat in even(96.0, 30)]
    (mark,) = tempo_map(beats, plan)
    assert mark == TempoMark(0.0, mark.bpm, 4)
    assert mark.bpm == pytest.approx(96.0)
    assert tempo_bpm(beats, plan) == pytest.approx(96.0)


def test_bars_go_on_across_seams(workspace: Workspace, plan: LoopPlan) -> None:
    items = timeline_of(workspace, plan).items
    beats = played_beats(items, even(96.0, 12))
    assert len(beats) == 36
    assert [beat.position for beat in beats] == [1, 2, 3, 4] * 9
    assert np.diff([beat.video_s for beat in beats]) == pytest.approx(0.625)
    (mark,) = tempo_map(beats, plan)
    assert mark == TempoMark(0.0, mark.bpm, 4)
    assert mark.bpm == pytest.approx(96.0)


@pytest.mark.parametrize("first", [0.0, 0.1, 0.4, 1.3, 7.1])
def test_the_first_bar_of_the_music_is_a_bar_of_the_map(plan: LoopPlan, first: float) -> None:
    marks = tempo_map([Beat(*beat) for beat in even(96.0, 12, first)], plan)
    assert marks[0].video_s == 0.0
    lines = bar_lines(marks, first + 30.0)
    for bar in range(1, 12):
        assert np.abs(lines - (first + 2.5 * bar)).min() < LATE_SECONDS
    if first > 0.4:
        assert np.abs(lines - first).min() < LATE_SECONDS
    assert all(40.0 < mark.bpm < 200.0 for mark in marks)


@pytest.mark.parametrize(
    ("first", "opens", "rest"),
    # Bars of 2.5 s: what remains at the first picture is 3 beats, a bar that is late by less than half a beat, nothing.
    [(12.0, 3, 2.0), (25.2, 4, 2.7), (25.0, None, 0.0), (24.9, 4, 2.4), (0.9, 1, 0.9)],
)
def test_the_time_before_the_music_is_bars_of_its_metre(
    plan: LoopPlan, first: float, opens: int | None, rest: float
) -> None:
    """A track placed late opened with one bar of 40/4, by which no bar number made sense."""
    marks = tempo_map([Beat(*beat) for beat in even(96.0, 12, first)], plan)
    assert [mark.beats_per_bar for mark in marks] == ([opens, 4] if opens else [4])
    assert [mark.video_s for mark in marks] == pytest.approx([0.0, rest] if opens else [0.0])
    assert marks[-1].bpm == pytest.approx(96.0)
    lines = bar_lines(marks, first + 29.0)
    assert np.diff(lines)[1:] == pytest.approx(2.5)
    for bar in range(12):
        assert np.abs(lines - (first + 2.5 * bar)).min() < 1e-6


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.004, 0.02]), st.sampled_from([2, 3, 4, 6]))
def test_bar_lines_are_met_where_the_tempo_drifts(plan: LoopPlan, seed: int, drift: float, size: int) -> None:
    dice = np.random.default_rng(seed)
    steps = 0.5 * np.exp(np.cumsum(dice.normal(0.0, drift, 40 * size)))
    times = np.concatenate([[0.0], np.cumsum(steps)])
    beats = [Beat(float(time), k % size + 1) for k, time in enumerate(times)]
    marks = tempo_map(beats, plan)
    lines = bar_lines(marks, float(times[-1]) + 0.1)
    for time in times[::size]:
        assert np.abs(lines - time).min() <= LATE_SECONDS + 1e-6
    assert len(marks) == 1 or drift > 0.0
    assert {mark.beats_per_bar for mark in marks} == {size}


def test_a_bar_of_another_metre_has_its_own_mark(plan: LoopPlan) -> None:
    positions = [1, 2, 3, 4] * 3 + [1, 2] + [1, 2, 3, 4] * 3
    beats = [Beat(0.5 * k, position) for k, position in enumerate(positions)]
    marks = tempo_map(beats, plan)
    assert [(mark.video_s, mark.beats_per_bar) for mark in marks] == [(0.0, 4), (6.0, 2), (7.0, 4)]
    assert all(mark.bpm == pytest.approx(120.0) for mark in marks)


def test_without_a_grid_the_plan_says_the_tempo(plan: LoopPlan) -> None:
    """The body is one bar of 7.5 s by the plan's own words, and the first splice lies on a bar line."""
    assert plan.body is not None
    beats = plan.body.bars * plan.beats_per_bar
    assert tempo_bpm((), plan) == pytest.approx(60.0 * beats / (plan.body.song_to - plan.body.song_from))
    marks = tempo_map((), plan)
    lines = bar_lines(marks, plan.window_end)
    for splice in plan.seam_times:
        assert np.abs(lines - splice).min() < LATE_SECONDS
