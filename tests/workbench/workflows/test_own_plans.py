"""Splices and plans of one's own: the planner's numbers where it has them, and the sound of what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import workbench as wb
from workbench.beats.grid import BeatGrid
from workbench.errors import ConstraintError, ParameterError, PlanError
from workbench.loops.bodies import loop_profile
from workbench.loops.profile import SEAM_PARTS
from workbench.recording import Recording


@pytest.fixture(scope="module")
def piece(band: Callable[..., Any]) -> Any:
    return band("AABA")


def test_a_splice_at_bar_lines_has_the_planners_numbers(piece: Any) -> None:
    profile = loop_profile(piece.recording, piece.grid)
    splices, lines = profile.splices, piece.grid.downbeats
    for row in (0, splices.leave.size // 2, splices.leave.size - 1):
        tried = wb.splice(
            piece.recording, leave=lines[splices.leave[row]], enter=lines[splices.enter[row]], grid=piece.grid
        )
        assert tried.score == pytest.approx(float(splices.score[row]), abs=1e-5)
        assert list(tried.parts) == list(SEAM_PARTS)
        np.testing.assert_allclose(list(tried.parts.values()), splices.parts[row], atol=1e-4)
        left, entered = tried.played.plan.segments
        assert left.song_to == pytest.approx(float(splices.song_to[row]), abs=1e-6)
        assert entered.song_from == pytest.approx(float(splices.song_from[row]), abs=1e-6)
        assert tried.played.plan.seam_fades[0] == pytest.approx(float(splices.fade_seconds[row]), abs=1e-6)
        assert tried.played.off_grid == ""


def test_beats_and_times_name_the_same_splice_and_any_beat_will_do(piece: Any) -> None:
    by_beat = wb.splice(piece.recording, leave_beat=33, enter_beat=14, grid=piece.grid)
    by_time = wb.splice(piece.recording, leave=piece.grid.beats[33] + 0.05, enter=piece.grid.beats[14], grid=piece.grid)
    assert by_beat.score == by_time.score
    assert "10 ms of a downbeat" in by_beat.played.off_grid
    # Beat 2 leads to beat 2 of another chord: heard, and worse than the repeat of part A.
    repeat = wb.splice(piece.recording, leave_beat=32, enter_beat=16, grid=piece.grid)
    assert repeat.score > by_beat.score
    assert by_beat.sound.duration == pytest.approx(4.0, abs=0.01)


def test_the_sound_goes_where_the_splice_goes(piece: Any) -> None:
    tried = wb.splice(piece.recording, leave_beat=32, enter_beat=16, grid=piece.grid)
    left, entered = tried.played.plan.segments
    sound, rate = tried.played.sound(), piece.recording.sample_rate
    at = round(left.song_to * rate)
    after = sound.samples[0, at + rate : at + 2 * rate]
    first = round((entered.song_from + 1.0) * rate)
    source = piece.recording.samples[0, first - 2 : first + rate + 2]
    gain = 10.0 ** (entered.gain_in_db / 20.0)
    assert min(np.abs(after - gain * source[k : k + after.size]).max() for k in range(4)) < 0.05


def test_a_splice_that_makes_no_sense_says_why(piece: Any) -> None:
    with pytest.raises(ParameterError, match="either leave, in seconds, or leave_beat"):
        wb.splice(piece.recording, enter=1.0, grid=piece.grid)
    with pytest.raises(ParameterError, match="nothing is spliced"):
        wb.splice(piece.recording, leave_beat=4, enter_beat=4, grid=piece.grid)
    with pytest.raises(ParameterError, match="has no beat near"):
        wb.splice(piece.recording, leave=999.0, enter=0.0, grid=piece.grid)
    with pytest.raises(ParameterError, match="one of 64 beats"):
        wb.splice(piece.recording, leave_beat=64, enter_beat=4, grid=piece.grid)
    with pytest.raises(ParameterError, match="no beats were found"):
        wb.splice(Recording.from_samples(np.zeros(22_050), 22_050), leave=0.5, enter=0.1)
    assert issubclass(ConstraintError, wb.WorkbenchError)


def test_any_segments_are_checked_and_played(piece: Any) -> None:
    heard = wb.plan_of([(0.0, 8.0), (4.0, 12.0), (20.0, 24.0)], piece.recording, grid=piece.grid, fade_seconds=0.01)
    assert heard.plan.window_end == 20.0
    assert heard.plan.seam_times == (8.0, 16.0)
    assert len(heard.scores) == 2
    assert heard.plan.seam_score == round(min(heard.scores), 4)
    assert heard.sound().samples.shape[1] == 20 * piece.recording.sample_rate
    rate = piece.recording.sample_rate
    np.testing.assert_allclose(
        heard.sound(9.0, 15.0).samples, piece.recording.samples[:, 5 * rate : 11 * rate], atol=1e-6
    )
    assert heard.to_frame().score.tolist()[1:] == list(heard.scores)
    np.testing.assert_allclose(heard.to_dataset().time, [8.0, 16.0])


def test_segments_that_break_a_rule_are_refused_by_its_name(piece: Any) -> None:
    with pytest.raises(PlanError, match="continue each other"):
        wb.plan_of([(0.0, 8.0), (8.0, 12.0)], piece.recording, grid=piece.grid)
    with pytest.raises(PlanError, match="0 <= song_from < song_to"):
        wb.plan_of([(8.0, 4.0)], piece.recording, grid=piece.grid)
    with pytest.raises(PlanError, match="one value a seam"):
        wb.plan_of([(0.0, 8.0), (4.0, 12.0)], piece.recording, grid=piece.grid, fade_seconds=(0.01, 0.01))
    with pytest.raises(PlanError, match="at least one segment"):
        wb.plan_of([], piece.recording, grid=piece.grid)


def test_a_plan_of_the_planner_is_taken_as_it_is(piece: Any) -> None:
    plan = wb.plan_loop(loop_profile(piece.recording, piece.grid), 90.0)
    assert isinstance(plan, wb.LoopPlan)
    heard = wb.plan_of(
        plan.segments,
        piece.recording,
        fade_seconds=plan.seam_fades,
        exponent=plan.seam_curves,
        gain_glide_seconds=plan.gain_glide_seconds,
        grid=piece.grid,
    )
    assert heard.plan.segments == plan.segments
    assert heard.off_grid == ""


def test_music_without_a_pulse_is_played_without_scores() -> None:
    noise = Recording.from_samples(0.1 * np.random.default_rng(1).standard_normal(4 * 22_050), 22_050)
    empty = BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4, 0.0)
    heard = wb.plan_of([(0.0, 2.0), (1.0, 3.0)], noise, grid=empty)
    assert heard.scores == ()
    assert heard.plan.window_end == 4.0
