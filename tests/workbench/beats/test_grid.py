"""Beat grids: their rules, what a person says to one, and their bar lines at both ends of looped files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.workbench.played import band
from workbench.beats.corrections import (
    add_beat,
    delete_beat,
    double_stretch,
    double_tempo,
    halve_stretch,
    halve_tempo,
    move_beat,
    onset_times,
    open_bar,
    room_of_beats,
    settle_taps,
    shift_bar,
    shift_beats,
    tap_beats,
    with_metre,
)
from workbench.beats.edges import (
    EDGE_SECONDS,
    LINE_BEFORE_END_SECONDS,
    plays_throughout,
    with_edge_lines,
    with_loop_end,
)
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError
from workbench.plans.loop import plan_loop
from workbench.plans.plan import GRID_TOLERANCE_SECONDS, LoopPlan
from workbench.recording import Recording
from workbench.seams.build_profile import loop_profile

BEATS, PLACES = np.arange(8) * 0.5, np.tile([1, 2, 3, 4], 2)


def test_a_grid_made_by_hand_is_sure() -> None:
    assert BeatGrid(BEATS, PLACES, 4).confidence == 1.0


def test_a_plan_follows_from_a_grid_made_by_hand() -> None:
    """Beats and bars that a person typed: no word of low confidence."""
    played = band("AABA", tail=2.0)
    typed = BeatGrid(played.grid.beats, played.grid.positions, 4)
    answer = plan_loop(loop_profile(played.recording, typed), played.recording.duration + 60.0)
    assert isinstance(answer, LoopPlan)


@pytest.mark.parametrize(
    ("fault", "given"),
    [
        ("increase strictly", {"beats": np.array([0.0, 1.0, 1.0]), "positions": np.array([1, 2, 3])}),
        ("finite and not negative", {"beats": np.array([-0.1]), "positions": np.array([1])}),
        ("vectors of one length", {"positions": PLACES[:3]}),
        ("comes the next beat or a 1", {"positions": PLACES[::-1]}),
        ("at least 1", {"beats_per_bar": 0}),
        ("0 to 1", {"confidence": 1.5}),
    ],
)
def test_what_breaks_a_rule_is_named(fault: str, given: dict[str, Any]) -> None:
    with pytest.raises(GridError, match=fault):
        BeatGrid(**dict[str, Any](beats=BEATS, positions=PLACES, beats_per_bar=4) | given)


def test_a_grid_from_times_counts_bars_by_its_downbeats() -> None:
    beats = np.arange(14) * 0.5
    grid = BeatGrid.from_times(beats, beats[[2, 6, 10]])
    assert grid.positions.tolist() == [3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]
    assert grid.beats_per_bar == 4
    assert grid.confidence == 1.0
    waltz = BeatGrid.from_times(beats, beats[[0, 3, 6]] + 0.02)
    assert waltz.positions.tolist() == [1, 2, 3] * 4 + [1, 2]
    assert BeatGrid.from_times(list(beats), beats_per_bar=3).downbeats.tolist() == beats[::3].tolist()
    changing = BeatGrid.from_times(beats, beats[[0, 4, 8, 11]])
    assert np.diff(changing.downbeat_indices).tolist() == [4, 4, 3]


def test_no_times_give_the_empty_grid() -> None:
    empty = BeatGrid.from_times([], confidence=0.5)
    assert (empty.beats.size, empty.downbeats.size, empty.confidence) == (0, 0, 0.0)


@pytest.mark.parametrize(
    ("beats", "downbeats", "complaint"),
    [
        ([[0.0], [1.0]], None, "needs the times"),
        ([], [0.0], "needs the times"),
        ([0.0, 1.0], [], "at least one downbeat"),
        ([0.0, 1.0], [0.3], "no beat within 70 ms"),
        ([0.0, 1.0], [0.0, 0.05], "on one beat"),
        ([0.0, 1.0, 2.0], [1.0, 0.0], "go back"),
        ([1.0, 0.5], None, "increase strictly"),
    ],
)
def test_times_that_are_no_grid_are_refused(beats: list[float], downbeats: list[float] | None, complaint: str) -> None:
    with pytest.raises(GridError, match=complaint):
        BeatGrid.from_times(beats, downbeats)


def grid_of(beats: int, per_bar: int = 4, pickup: int = 0, bpm: float = 120.0) -> BeatGrid:
    times = 0.25 + np.arange(beats) * 60.0 / bpm
    return BeatGrid(times, (np.arange(beats) - pickup) % per_bar + 1, per_bar, confidence=0.3)


def same(one: BeatGrid, other: BeatGrid) -> bool:
    return np.allclose(one.beats, other.beats) and list(one.positions) == list(other.positions)


def test_a_shift_moves_the_bars_and_no_beat() -> None:
    grid = grid_of(32)
    later = shift_bar(grid, 1)
    assert np.array_equal(later.beats, grid.beats)
    assert np.allclose(later.downbeats, grid.downbeats + 0.5)
    assert list(later.positions[:6]) == [4, 1, 2, 3, 4, 1]


@pytest.mark.parametrize("pickup", [0, 1, 3])
def test_there_and_back_is_the_same_grid(pickup: int) -> None:
    grid = grid_of(33, pickup=pickup)
    assert same(shift_bar(shift_bar(grid, 1), -1), grid)
    assert same(shift_bar(grid, 4), grid)
    assert same(shift_bar(grid, -3), shift_bar(grid, 1))


def test_bars_of_another_length_keep_it_when_they_move() -> None:
    positions = np.array([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 1, 2, 3, 4, 1, 2, 3, 4])
    grid = BeatGrid(np.arange(18) * 0.5, positions, 4)
    assert list(shift_bar(grid, 1).positions) == [4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 1, 2, 3, 4, 1, 2, 3]


def test_another_metre_counts_from_the_first_downbeat() -> None:
    threes = with_metre(grid_of(24, pickup=2), 3)
    assert threes.beats_per_bar == 3
    assert list(threes.positions[:6]) == [2, 3, 1, 2, 3, 1]


def test_double_and_half_undo_each_other() -> None:
    grid = grid_of(24, pickup=1)
    twice = double_tempo(grid)
    assert twice.tempo_bpm == pytest.approx(240.0)
    assert set(np.round(grid.downbeats, 6)) <= set(np.round(twice.downbeats, 6))
    assert same(halve_tempo(twice), grid)


def test_half_the_tempo_keeps_the_metre_and_the_first_downbeat() -> None:
    half = halve_tempo(grid_of(32, per_bar=3, pickup=1))
    assert half.tempo_bpm == pytest.approx(60.0)
    assert half.beats_per_bar == 3
    assert half.downbeats[0] == pytest.approx(0.75)


def test_a_grid_that_somebody_corrected_is_sure() -> None:
    grid = grid_of(16)
    for corrected in (shift_bar(grid), with_metre(grid, 3), halve_tempo(grid), double_tempo(grid)):
        assert corrected.confidence == 1.0
    assert grid.confidence == 0.3


def test_what_cannot_be_is_refused() -> None:
    nothing = BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4)
    for correct in (shift_bar, halve_tempo, double_tempo, lambda grid: with_metre(grid, 3)):
        with pytest.raises(GridError):
            correct(nothing)
    with pytest.raises(GridError, match="1 to 32"):
        with_metre(grid_of(16), 0)
    with pytest.raises(GridError, match="fastest"):
        double_tempo(grid_of(16, bpm=300.0))


def test_a_grid_that_changes_octave_in_the_middle_is_mended_by_one_correction() -> None:
    right = grid_of(120, bpm=100.0)
    half = halve_stretch(right, 0.0, 40.0)
    assert np.allclose(np.diff(half.beats[:30]), 1.2)
    assert np.allclose(half.beats[half.beats > 40.0], right.beats[right.beats > 40.0])
    assert list(half.positions[:8]) == [1, 2, 3, 4, 1, 2, 3, 4]
    mended = double_stretch(half, 0.0, 40.0)
    assert same(mended, right)
    quick = double_stretch(right, 40.0, 80.0)
    assert np.allclose(np.diff(quick.beats[(quick.beats > 41.0) & (quick.beats < 79.0)]), 0.3)
    assert set(right.downbeats) <= set(quick.downbeats)
    assert np.allclose(halve_stretch(quick, 40.0, 80.0).beats, right.beats)


def test_bars_go_on_where_a_stretch_was_selected_roughly() -> None:
    grid = grid_of(120)
    line, later = grid.downbeats[4] + 0.2, grid.downbeats[10] - 0.1  # a little too late, and a little too soon
    doubled = double_stretch(grid, line, later)
    assert same(halve_stretch(doubled, line, later), grid)


@pytest.mark.parametrize("stretch", [(3.0, 9.1), (0.0, 100.0), (7.3, 8.9)])
def test_what_lies_outside_of_a_stretch_stays(stretch: tuple[float, float]) -> None:
    grid = grid_of(60, pickup=2)
    for changed in (
        halve_stretch(grid, *stretch) if stretch[1] - stretch[0] > 2.0 else grid,
        double_stretch(grid, *stretch),
        shift_beats(grid, 0.02, *stretch),
    ):
        for times, before in ((changed.beats, grid.beats), (changed.downbeats, grid.downbeats)):
            outside = before[(before < stretch[0] - 0.05) | (before > stretch[1] + 0.05)]
            assert np.isin(np.round(outside, 6), np.round(times, 6)).all()


def test_a_beat_has_room_between_its_neighbours() -> None:
    beats = np.array([0.1, 0.6, 0.65, 1.6])
    low, high = room_of_beats(BeatGrid(beats, np.array([1, 2, 3, 4]), 4), 2.0)
    assert low == pytest.approx([0.0, 0.225, 0.65, 0.775])
    assert high == pytest.approx([0.475, 0.6, 1.475, 2.0])
    assert [part.size for part in room_of_beats(BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4), 2.0)] == [0, 0]


def test_onsets_are_timed_at_half_of_their_rise() -> None:
    attack = np.zeros(200)
    for peak, height in ((40, 1.0), (90, 0.5), (150, 0.01)):
        attack[peak - 1 : peak + 3] = height * np.array([0.25, 1.0, 0.6, 0.2])
    times = onset_times(attack, 100.0)
    assert times == pytest.approx([0.3933 + 0.010, 0.8933 + 0.010], abs=1e-3)
    assert onset_times(np.zeros(2), 100.0).size == 0


def test_beats_are_shifted_added_moved_and_deleted() -> None:
    grid = grid_of(16)
    assert np.allclose(shift_beats(grid, -0.01).beats, grid.beats - 0.01)
    more = add_beat(grid, 2.5)
    assert more.beats.size == 17
    assert np.array_equal(more.downbeats, grid.downbeats)
    assert same(delete_beat(more, 2.52), grid)
    gone = delete_beat(grid, float(grid.downbeats[1]))
    assert gone.downbeats[1] == grid.beats[5], "the beat after it opens the bar"
    assert move_beat(grid, 1.2, 1.31).beats[2] == 1.31
    mistakes: tuple[Callable[[], BeatGrid], ...] = (
        lambda: add_beat(grid, 2.26), lambda: move_beat(grid, 1.2, 2.0), lambda: shift_beats(grid, -1.0),
        lambda: shift_beats(grid, 0.01, 90.0, 99.0), lambda: halve_stretch(grid, 0.0, 1.0),
        lambda: double_stretch(grid, 0.3, 0.4), lambda: double_stretch(grid_of(9, bpm=300.0), 0.0, 9.0),
        lambda: tap_beats(grid, np.array([1.0])), lambda: tap_beats(grid, np.array([1.0, 1.05])),
        lambda: open_bar(BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4), 1.0),
    )  # fmt: skip
    for wrong in mistakes:
        with pytest.raises(GridError):
            wrong()


def test_a_bar_opens_where_somebody_says_and_is_counted_on() -> None:
    opened = open_bar(grid_of(20), 4.3)
    assert list(opened.positions) == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]
    later = open_bar(grid_of(20), 4.8)
    assert list(later.positions[6:12]) == [3, 4, 1, 1, 2, 3]
    whole = open_bar(BeatGrid(np.arange(9.0), np.arange(9) + 1, 9), 6.0)
    assert whole.beats_per_bar == 9


def test_taps_take_the_place_of_beats_and_settle_on_the_onsets() -> None:
    true = 10.0 + 0.6 * np.arange(16)
    attack = np.zeros(3000)
    attack[np.rint(100 * true).astype(int)] = 1.0
    taps = true - 0.06 + np.array([0.02, -0.02] * 8)
    settled = settle_taps(taps, attack, 100.0)
    assert np.allclose(settled, true, atol=0.011)
    assert np.array_equal(settle_taps(taps, np.zeros(0), 100.0), np.sort(taps))
    wrong = grid_of(60, bpm=77.0)
    tapped = tap_beats(wrong, settled)
    inside = (tapped.beats > 9.8) & (tapped.beats < 19.2)
    assert np.allclose(tapped.beats[inside], settled)
    assert np.isin(wrong.beats[wrong.beats < 9.5], tapped.beats).all()
    alone = tap_beats(BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4), true)
    assert list(alone.positions[:5]) == [1, 2, 3, 4, 1]


RATE, SECONDS = 8_000, 24.0


def noise(seconds: float = SECONDS, quiet_from: float | None = None) -> Recording:
    sound = 0.1 * np.random.default_rng(1).standard_normal((1, round(seconds * RATE))).astype(np.float32)
    if quiet_from is not None:
        sound[:, round(quiet_from * RATE) :] *= 0.01
    return Recording.from_samples(sound, RATE)


def heard(first: float, last: float) -> BeatGrid:
    """Bars of four beats, 2 s long, from one downbeat to another, with the beats around them that a tracker hears."""
    beats = np.arange(first - 1.0, last + 1.0, 0.5)
    beats = beats[beats > 0.2]
    return BeatGrid(beats, np.round((beats - first) / 0.5).astype(int) % 4 + 1, 4, 0.9)


@pytest.mark.parametrize(("first", "last"), [(2.004, 22.0), (0.004, 22.0), (2.004, 23.998), (0.009, 23.991)])
def test_both_ends_become_bar_lines(first: float, last: float) -> None:
    given = heard(first, last) if first > 1 else BeatGrid.from_times(np.arange(first, last + 1.6, 0.5))
    grid = with_edge_lines(given, noise())
    assert grid.downbeats.size == 13
    assert grid.downbeats[0] == 0.0  # so that what both ends are off cannot add up to more than a splice may be
    assert grid.beats[-1] == SECONDS - LINE_BEFORE_END_SECONDS
    assert grid.positions.tolist() == [1, 2, 3, 4] * 12 + [1]
    assert np.diff(grid.beats) == pytest.approx(np.full(48, 0.5), abs=0.0125)
    assert (grid.beats_per_bar, grid.confidence) == (4, given.confidence)
    inner = given.beats[(given.beats >= max(0.1, given.downbeats[0])) & (given.beats < min(given.downbeats[-1], 23.9))]
    assert set(inner) <= set(grid.beats)


@pytest.mark.parametrize(
    ("grid", "recording"),
    [
        (heard(2.05, 22.05), noise()),  # the file begins 50 ms before its first bar line
        (heard(2.0, 22.0), noise(24.03)),  # and goes on after the last
        (heard(1.0, 21.0), noise()),  # half a bar is left on either side
        (heard(2.0, 22.0), noise(quiet_from=23.0)),  # its last hit has died away
        (heard(2.0, 4.0), noise(6.0)),  # one bar does not tell how long a bar is
        (BeatGrid(np.zeros(0), np.zeros(0, dtype=int), 4, 0.0), noise()),
    ],
)
def test_other_files_keep_their_grid(grid: BeatGrid, recording: Recording) -> None:
    assert with_edge_lines(grid, recording) is grid


def test_splices_keep_to_bar_lines_as_closely() -> None:
    assert EDGE_SECONDS == GRID_TOLERANCE_SECONDS


def test_a_loop_of_four_bars_has_both_lines() -> None:
    assert with_edge_lines(heard(2.0, 6.0), noise(8.0)).downbeats == pytest.approx([0.0, 2.0, 4.0, 6.0, 7.997])


def beats_of(sound: Recording) -> tuple[np.ndarray, np.ndarray]:
    beats = np.append(np.arange(0.0, sound.duration - 0.01, 0.5), sound.duration - LINE_BEFORE_END_SECONDS)
    return beats, np.arange(beats.size) % 4 + 1


def test_what_fades_in_or_dies_away_does_not_play_throughout() -> None:
    faded = noise(quiet_from=23.5)
    assert plays_throughout(noise(), *beats_of(noise()))
    assert not plays_throughout(faded, *beats_of(faded))
    assert not plays_throughout(Recording.from_samples(faded.samples[:, ::-1].copy(), RATE), *beats_of(faded))
    silence = Recording.from_samples(np.zeros((1, 8 * RATE), dtype=np.float32), RATE)
    assert not plays_throughout(silence, *beats_of(silence))


def test_hits_with_silence_between_them_play_throughout() -> None:
    hits = noise(8.0)
    sounding = np.arange(hits.samples.shape[1]) % (RATE // 2) < RATE // 10
    hits = Recording.from_samples(hits.samples * sounding.astype(np.float32), RATE)
    assert plays_throughout(hits, *beats_of(hits))


def test_the_end_of_a_loop_is_a_bar_line_only_a_bar_after_the_last() -> None:
    grid = heard(3.0, 19.0)
    assert with_loop_end(grid, noise(), 21.004).downbeats[-2:] == pytest.approx([19.0, 21.004])
    for other in (19.0, 20.5, 23.0, 40.0):
        assert with_loop_end(grid, noise(), other) is grid
