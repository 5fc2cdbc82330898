"""Corrections by hand of a tracked grid.

Most errors of a tracker are of four kinds: it opens every bar a beat or two off, it counts threes where the music has
fours, or its beat is twice as fast or half as fast as people tap it. Each has one correction, which moves no beat; only
`double_tempo` adds beats, halfway between two. Where the tracker errs in a part of the music only, a stretch has its
own tempo halved or doubled, its beats shifted, or tapped again; and single beats are added, moved and deleted. Beats
and bar lines outside of the stretch stay.

A correction comes from a person, so the confidence of the corrected grid is 1. The given grid stays as it is; a new one
is returned. Where a correction is impossible, `GridError` says why.
"""

from __future__ import annotations

from math import inf

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.errors import GridError
from workbench.recording import FloatArray, IntArray, TrackSeconds

MOST_BEATS_PER_BAR = 32
"""longest bar that a person may set"""
FASTEST_BPM = 480.0
"""faster beats are not felt as beats"""


def shift_bar(grid: BeatGrid, beats: int = 1) -> BeatGrid:
    """Let every bar open some beats later.

    Bars keep their lengths where the metre changes: it is the bar lines that move, each to another beat. A negative
    number moves them back. GridError for a grid without bars, or with too few beats to move them.
    """
    per_bar, opening = grid.beats_per_bar, grid.downbeat_indices.astype(np.int64)
    if not opening.size:
        raise GridError("a grid without downbeats has no bars to move")
    moved = opening + int(np.fmod(beats, per_bar))
    moved = moved[(moved >= 0) & (moved < grid.beats.size)]
    if not moved.size:
        raise GridError(f"{grid.beats.size} beats are too few to move a bar by {beats}")
    # Bar lines that moved off either end leave beats without bars there: count whole bars on from those that are left.
    head = np.arange(int(moved[0]) % per_bar, int(moved[0]), per_bar)
    tail = np.arange(int(moved[-1]) + per_bar, grid.beats.size, per_bar)
    return _with_lines(grid.beats, np.concatenate([head, moved, tail]), per_bar)


def with_metre(grid: BeatGrid, beats_per_bar: int) -> BeatGrid:
    """Count bars of another length from the first downbeat on, and backwards before it.

    Without downbeats it counts from the first beat. GridError for no such metre, or a grid without beats.
    """
    if not 1 <= beats_per_bar <= MOST_BEATS_PER_BAR:
        raise GridError(f"a bar has 1 to {MOST_BEATS_PER_BAR} beats, not {beats_per_bar}")
    if not grid.beats.size:
        raise GridError("a grid without beats has nothing to correct")
    first = int(grid.downbeat_indices[0]) if grid.downbeat_indices.size else 0
    lines = np.arange(first % beats_per_bar, grid.beats.size, beats_per_bar)
    return _with_lines(grid.beats, lines, beats_per_bar)


def halve_tempo(grid: BeatGrid) -> BeatGrid:
    """Keep every other beat, the first downbeat among them: the tempo is half, a bar has as many beats as before.

    So two bars of the quick grid become one. Where the wrong one of them opens it, `shift_bar` by half a bar helps.
    GridError for fewer than four beats.
    """
    if grid.beats.size < 4:
        raise GridError(f"{grid.beats.size} beats are too few to leave out every other one")
    first = int(grid.downbeat_indices[0]) if grid.downbeat_indices.size else 0
    remaining = grid.beats[first % 2 :: 2]
    return _with_lines(
        remaining, np.arange(first // 2 % grid.beats_per_bar, remaining.size, grid.beats_per_bar), grid.beats_per_bar
    )


def double_tempo(grid: BeatGrid) -> BeatGrid:
    """Add a beat halfway between any two: the tempo is double, a bar has as many beats as before.

    So a bar of the slow grid becomes two, and its downbeats stay downbeats. GridError for fewer than two beats, or for
    beats that would come faster than `FASTEST_BPM`.
    """
    if grid.beats.size < 2:
        raise GridError(f"{grid.beats.size} beats have no middle to put another one into")
    if 2.0 * grid.tempo_bpm > FASTEST_BPM:
        raise GridError(f"twice {grid.tempo_bpm:.0f} beats a minute are more than {FASTEST_BPM:.0f}, the fastest felt")
    middles = 0.5 * (grid.beats[1:] + grid.beats[:-1])
    beats = np.sort(np.concatenate([grid.beats, middles]))
    first = 2 * int(grid.downbeat_indices[0]) if grid.downbeat_indices.size else 0
    lines = np.arange(first % grid.beats_per_bar, beats.size, grid.beats_per_bar)
    return _with_lines(beats, lines, grid.beats_per_bar)


def halve_stretch(grid: BeatGrid, from_s: TrackSeconds, to_s: TrackSeconds) -> BeatGrid:
    """Keep every other beat of a stretch; a bar has as many beats as before.

    Of the downbeats there the first stays, or the second, if then fewer bars are cut short where the stretch begins
    and ends: people select it roughly, and its first downbeat may be the middle of a bar of the music. GridError for
    fewer than four beats there.
    """
    first, stop = _inside(grid, from_s, to_s)
    if stop - first < 4:
        raise GridError(f"{stop - first} beats from {from_s:.2f} to {to_s:.2f} s are too few to leave out every other")
    opening = grid.downbeat_indices
    here = opening[(opening >= first) & (opening < stop)]

    def halved(anchor: int) -> BeatGrid:
        # bar lines outside stay at their beats, so they are looked up again by their place among the beats left
        remaining = np.ones(grid.beats.size, dtype=bool)
        remaining[first:stop] = (np.arange(first, stop) - anchor) % 2 == 0
        place = np.cumsum(remaining) - 1  # of each beat among those left
        inside = np.arange(place[anchor], place[stop - 1] + 1, grid.beats_per_bar)
        outside = place[opening[(opening < first) | (opening >= stop)]]
        return _with_lines(grid.beats[remaining], np.union1d(outside, inside), grid.beats_per_bar)

    def cut_bars(made: BeatGrid) -> int:
        return int(np.count_nonzero(np.diff(made.downbeat_indices) != made.beats_per_bar))

    return min((halved(int(anchor)) for anchor in (here[:2] if here.size else [first])), key=cut_bars)


def double_stretch(grid: BeatGrid, from_s: TrackSeconds, to_s: TrackSeconds) -> BeatGrid:
    """Add a beat halfway between any two of a stretch; a bar has as many beats as before, downbeats stay downbeats.

    GridError for fewer than two beats there, or for beats that would come faster than `FASTEST_BPM`.
    """
    beats = grid.beats
    middles = 0.5 * (beats[1:] + beats[:-1])
    added = middles[(middles > from_s) & (middles < to_s)]
    if not added.size:
        raise GridError(f"no two beats from {from_s:.2f} to {to_s:.2f} s have a middle to put another one into")
    fastest = 60.0 / float(np.median(np.diff(beats)[(middles > from_s) & (middles < to_s)]))
    if 2.0 * fastest > FASTEST_BPM:
        raise GridError(f"twice {fastest:.0f} beats a minute are more than {FASTEST_BPM:.0f}, the fastest felt")
    return _counted_on(np.sort(np.concatenate([beats, added])), grid.downbeats, grid.beats_per_bar)


def shift_beats(grid: BeatGrid, seconds: float, from_s: TrackSeconds = 0.0, to_s: TrackSeconds = inf) -> BeatGrid:
    """Shift the beats of a stretch, or of all of the grid, to later; a negative number shifts them to earlier.

    GridError for no beats there, or for one that would pass its neighbour or the start of the recording.
    """
    first, stop = _inside(grid, from_s, to_s)
    if stop == first:
        raise GridError(f"there is no beat from {from_s:.2f} to {to_s:.2f} s")
    beats = grid.beats.copy()
    beats[first:stop] += seconds
    return BeatGrid(beats, grid.positions, grid.beats_per_bar)


def open_bar(grid: BeatGrid, at_s: TrackSeconds) -> BeatGrid:
    """Let the beat nearest to a time open a bar, and count whole bars on from it; what is before it stays."""
    beat = _nearest(grid, at_s)
    before = grid.downbeat_indices[grid.downbeat_indices < beat]
    after = np.arange(beat, grid.beats.size, grid.beats_per_bar)
    return _with_lines(grid.beats, np.concatenate([before, after]), grid.beats_per_bar)


def add_beat(grid: BeatGrid, at_s: TrackSeconds) -> BeatGrid:
    """Add a beat; the bar lines stay at their beats, so that its bar has one beat more.

    GridError for a beat nearer to another than `FASTEST_BPM` allows.
    """
    least = 60.0 / FASTEST_BPM
    if grid.beats.size and np.min(np.abs(grid.beats - at_s)) < least:
        raise GridError(f"a beat at {at_s:.3f} s would be nearer than {1000 * least:.0f} ms to another one")
    beats = np.sort(np.append(grid.beats, at_s))
    lines = np.searchsorted(beats, grid.downbeats) if grid.downbeats.size else np.array([0])
    return _with_lines(beats, lines, grid.beats_per_bar)


def move_beat(grid: BeatGrid, at_s: TrackSeconds, to_s: TrackSeconds) -> BeatGrid:
    """Move the beat nearest to a time, between its neighbours; GridError where one of them is in between."""
    beats = grid.beats.copy()
    beats[_nearest(grid, at_s)] = to_s
    return BeatGrid(beats, grid.positions, grid.beats_per_bar)


def room_of_beats(grid: BeatGrid, duration_s: float) -> tuple[FloatArray, FloatArray]:
    """From where to where each beat can be moved by hand, s: neighbours stay apart as beats that are felt do.

    A beat that is nearer to its neighbour already can stay where it is.
    """
    beats, least = grid.beats, 60.0 / FASTEST_BPM
    if not beats.size:
        return np.zeros(0), np.zeros(0)
    before, after = np.append(0.0, beats[:-1] + least), np.append(beats[1:] - least, duration_s)
    return np.minimum(before, beats), np.maximum(after, beats)


def delete_beat(grid: BeatGrid, at_s: TrackSeconds) -> BeatGrid:
    """Delete the beat nearest to a time; where it opened a bar, the beat after it does.

    GridError where no beat would be left to open a bar.
    """
    beat = _nearest(grid, at_s)
    opening = grid.downbeat_indices.astype(np.int64)
    lines = np.unique(np.where(opening > beat, opening - 1, opening))
    beats = np.delete(grid.beats, beat)
    return _with_lines(beats, lines[lines < beats.size], grid.beats_per_bar)


def tap_beats(grid: BeatGrid, taps: FloatArray) -> BeatGrid:
    """Put tapped beats in the place of those from the first tap to the last.

    A tap at about a downbeat of the grid stays a downbeat; where there was none, the first tap opens a bar. From there
    whole bars are counted on. GridError for fewer than two taps, or for taps that come faster than `FASTEST_BPM`.
    """
    taps = np.unique(np.asarray(taps, dtype=np.float64))
    if taps.size < 2:
        raise GridError("tap two beats at least")
    steps = np.diff(taps)
    if steps.min() < 60.0 / FASTEST_BPM:
        raise GridError(f"two taps at {float(taps[np.argmin(steps)]):.2f} s follow each other too quickly")
    half = 0.5 * float(np.median(steps))
    outside = grid.beats[(grid.beats < taps[0] - half) | (grid.beats > taps[-1] + half)]
    beats = np.sort(np.concatenate([outside, taps]))
    away = np.abs(grid.downbeats[:, None] - taps) if grid.downbeats.size else np.full((1, taps.size), np.inf)
    near = taps[np.flatnonzero(away.min(axis=0) < half)]
    remaining = grid.downbeats[np.isin(grid.downbeats, outside)]
    lines = np.concatenate([remaining, near[:1] if near.size else taps[:1]])
    return _counted_on(beats, np.sort(lines), grid.beats_per_bar)


def settle_taps(taps: FloatArray, attack: FloatArray, frames_per_second: float) -> FloatArray:
    """Taps moved onto the onsets that they were meant for.

    People tap some ten milliseconds early or late, all in the same direction: the common lag goes first, the one under
    which the taps meet the strongest onsets. Then each tap moves to the strongest onset nearby. Taps that are 100 ms
    apart stay in order.
    """
    taps = np.sort(np.asarray(taps, dtype=np.float64))
    if not attack.size or not taps.size:
        return taps

    def strength(times: FloatArray) -> FloatArray:
        return np.asarray(np.interp(times, np.arange(attack.size) / frames_per_second, attack))

    # equal strengths are decided by the smallest lag: over silence the taps stay where they are
    lags = np.arange(-_MOST_LAG_SECONDS, _MOST_LAG_SECONDS + 1e-9, 1.0 / frames_per_second)
    common = lags[np.argmax([float(np.mean(strength(taps + lag))) - 1e-6 * abs(lag) for lag in lags])]
    near = np.arange(-_OWN_LAG_SECONDS, _OWN_LAG_SECONDS + 1e-9, 1.0 / frames_per_second)
    found = strength(taps[:, None] + common + near) * (1.0 - 0.5 * np.abs(near) / _OWN_LAG_SECONDS)
    moved = taps + common + near[np.argmax(found, axis=1)]
    return np.asarray(np.maximum(moved, 0.0))


def onset_times(attack: FloatArray, frames_per_second: float) -> FloatArray:
    """The time of each onset: where its rise passes half its height, delayed by the lead of the window.

    So an onset that the tracker put a beat on is at that beat, within some milliseconds.
    """
    strength = np.asarray(attack, dtype=np.float64)
    if strength.size < 3:
        return np.zeros(0)
    middle, clear = strength[1:-1], _CLEAR_SHARE * float(np.quantile(strength, 0.999))
    peaks = 1 + np.flatnonzero((middle >= strength[:-2]) & (middle > strength[2:]) & (middle > clear))
    half, foot = 0.5 * strength[peaks], peaks.copy()
    for _ in range(round(_RISE_SECONDS * frames_per_second)):
        foot = np.where((strength[foot] > half) & (foot > 0), foot - 1, foot)
    found = (strength[foot] <= half) & (foot < peaks)
    foot, half = foot[found], half[found]
    share = (half - strength[foot]) / (strength[foot + 1] - strength[foot])
    return np.unique((foot + share) / frames_per_second + _SEEN_EARLY_SECONDS)


_CLEAR_SHARE, _RISE_SECONDS = 0.05, 0.08
"""of the strongest onsets: height of a clear one; s within which it rises"""
_SEEN_EARLY_SECONDS = 0.01
"""s by which half of a rise is before the onset: 0.013 for a drum out of silence, 0.006 in the midst of music"""
_MOST_LAG_SECONDS, _OWN_LAG_SECONDS = 0.12, 0.045
"""by which all taps lie beside the music, and each tap beside the others"""


def _inside(grid: BeatGrid, from_s: TrackSeconds, to_s: TrackSeconds) -> tuple[int, int]:
    """The beats of a stretch: the first, and the first after it."""
    first, stop = np.searchsorted(grid.beats, [from_s, to_s])
    return int(first), int(stop)


def _nearest(grid: BeatGrid, at_s: TrackSeconds) -> int:
    if not grid.beats.size:
        raise GridError("a grid without beats has nothing to correct")
    return int(np.argmin(np.abs(grid.beats - at_s)))


def _counted_on(beats: FloatArray, downbeats: FloatArray, beats_per_bar: int) -> BeatGrid:
    """The grid with bar lines at some beats, and between them wherever a whole bar is full."""
    lines = np.searchsorted(beats, downbeats - 1e-9) if downbeats.size else np.array([0])
    ends = np.append(lines[1:], beats.size)
    counted = [np.arange(line, end, beats_per_bar) for line, end in zip(lines.tolist(), ends.tolist(), strict=True)]
    return _with_lines(beats, np.concatenate(counted), beats_per_bar)


def _with_lines(beats: FloatArray, lines: IntArray, beats_per_bar: int) -> BeatGrid:
    """The grid with bar lines at these beats, continued backwards; its first beats may be the end of a bar."""
    if not lines.size:
        raise GridError("no beat would be left to open a bar")
    first = int(lines[0])
    lines = np.concatenate([np.arange(first % beats_per_bar, first, beats_per_bar), lines])
    index = np.arange(beats.size)
    line = np.searchsorted(lines, index, side="right") - 1
    positions = index - lines[np.maximum(line, 0)] + 1
    pickup = int(lines[0])
    positions[:pickup] = np.arange(beats_per_bar - pickup, beats_per_bar) + 1
    return BeatGrid(beats, positions.astype(np.int32), beats_per_bar)
