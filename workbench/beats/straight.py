"""Straight grids: beats at a constant tempo in one phase, or at a few tempi one after the other.

The most probable beats of a passage with strummed off-beats or without drums may lie half a beat late. A decoded path
then changes over and back, in a leap or by hurrying for some beats, which costs little beside the evidence of the
passage, and every reading of that path inherits the slip. So the constant tempi of the path are measured, and the grids
that they imply are proposed beside it. A slip changes the phase and not the tempo, so it is no border between tempi. Of
a path in one tempo that is a line through the whole piece; of a path in several a line for each, with the path kept
between them, and none through the whole, which would explain the longest part and nothing else. Which grid is right is
decided in `beats.readings`, like all else.

Functions: `straight_grid`, `joined_grid`; `slips_of` counts the slips of a sequence of beats.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from workbench.beats.evidence import Odds
from workbench.beats.steady import JITTER_SECONDS, MIN_STEADY_BEATS, STRETCH_COST, steady_runs
from workbench.recording import FloatArray

_SLIP = 1 / 3
"""part of a beat from which a change of phase is a slip; most are half of one"""
_LINE, _BETWEEN = 12, 8
"""beats on a line before and after a slip, and most beats between the two"""
_ON_LINE_SECONDS = 0.012
"""s, root mean square distance of beats from their line; the network's frames alone make half of it"""
_NEAR = 0.015
"""part of the tempo within which two tempi are one"""
_ONE_TEMPO = 0.8
"""share of the steady parts of a path that makes its tempo that of the piece"""
_TEMPO_DOUBT = 0.006
"""part of a tempo within which the best one is searched; a line of 8 beats is known so well"""
_PHASES = 48
"""phases of a beat that are compared"""


def straight_grid(times: FloatArray, odds: Odds) -> FloatArray | None:
    """One line through the whole piece at the tempo of a decoded path, in the phase with the best odds.

    None where less than four fifths of what is steady is in one tempo, its half or its double.
    """
    parts = _parts(times)
    if not parts:
        return None
    beat = max(parts, key=lambda part: part[1] - part[0])[2]
    octaves = np.log2([part[2] / beat for part in parts])
    length = np.array([part[1] - part[0] for part in parts])
    if length[np.abs(octaves - np.round(octaves)) <= _NEAR].sum() < _ONE_TEMPO * length.sum():
        return None
    return _line(beat, 0.0, odds.beat.size / odds.heard.frames_per_second, odds)


def joined_grid(times: FloatArray, odds: Odds) -> FloatArray | None:
    """A line for each tempo of a decoded path, and the path's own beats between them; None for one tempo, or none."""
    parts = _parts(times)
    return _joined(times, parts, odds) if len(parts) > 1 else None


def slips_of(times: FloatArray) -> int:
    """How often a sequence leaves a straight line and goes on along another one of the same tempo, half a beat off.

    A slip is a dozen beats on a line, to 12 ms, followed within eight by a dozen on another line of the tempo, a third
    of a beat or more off the beat; neither a change of tempo nor a bend is one.
    """
    if times.size < 2 * _LINE + _BETWEEN:
        return 0
    # a least-squares line through every window of a dozen beats at once: with centred counts, slope and mean separate
    windows = np.lib.stride_tricks.sliding_window_view(times, _LINE)
    count = np.arange(_LINE) - 0.5 * (_LINE - 1)
    middle, beat = windows.mean(axis=1), windows @ (count / np.sum(count * count))
    spread = np.sqrt(np.mean(np.square(windows - middle[:, None] - beat[:, None] * count), axis=1))
    lines = spread <= _ON_LINE_SECONDS
    apart = _LINE + _BETWEEN
    usual = 0.5 * (beat[:-apart] + beat[apart:])
    off = (middle[apart:] - middle[:-apart]) / usual
    slipped = lines[:-apart] & lines[apart:] & (np.abs(beat[apart:] - beat[:-apart]) <= _NEAR * usual)
    slipped &= np.abs(off - np.round(off)) >= _SLIP
    # one slip is seen from several windows in a row: only where a run of them begins is it counted
    return int(np.count_nonzero(np.diff(slipped.astype(np.int8), prepend=0) == 1))


def _parts(times: FloatArray) -> list[tuple[float, float, float]]:
    """Parts of a constant tempo: start and end in s, and the beat in s; half a beat's slip does not divide a part."""
    if times.size < MIN_STEADY_BEATS:
        return []
    parts: list[tuple[float, float, float]] = []
    for first, last in steady_runs(times, np.ones(times.size), STRETCH_COST * JITTER_SECONDS**2):
        if last - first < MIN_STEADY_BEATS:
            continue
        count = np.arange(last - first)
        beat, start = (float(value) for value in np.polyfit(count, times[first:last], 1))
        if np.median(np.abs(times[first:last] - start - beat * count)) > JITTER_SECONDS:
            continue
        if parts and abs(beat / parts[-1][2] - 1.0) <= _NEAR:
            # the same tempo goes on, perhaps half a beat off: one part, whose tempo is the mean by length
            begin, end, known = parts[-1]
            weight = (end - begin) / (times[last - 1] - times[first] + end - begin)
            parts[-1] = (begin, float(times[last - 1]), float(weight * known + (1.0 - weight) * beat))
        else:
            parts.append((float(times[first]), float(times[last - 1]), beat))
    return parts


def _line(beat: float, begin: float, end: float, odds: Odds) -> FloatArray:
    """Beats at a constant tempo between two times, in the tempo and the phase with the best odds."""
    rate = odds.heard.frames_per_second
    inside = odds.peaks[(odds.peaks >= begin) & (odds.peaks <= end)]
    if inside.size >= 4:
        # twice a beat, for peaks half a beat off must not cancel the others
        doubt = np.linspace(
            -_TEMPO_DOUBT, _TEMPO_DOUBT, 2 * max(4, round(2.0 * _TEMPO_DOUBT * (end - begin) / beat)) + 1
        )
        turns = np.exp((2j * np.pi / beat) * np.outer(1.0 / (1.0 + doubt), inside - begin))
        agree = np.abs(turns.sum(axis=1)) + np.abs(np.square(turns).sum(axis=1))
        beat = float(beat * (1.0 + doubt[int(np.argmax(agree))]))
    # the phase by the odds themselves, and not by the angle of the peaks, which cannot tell a beat from its off-beat
    count = max(int((end - begin) / beat), 1)
    starts = begin + beat * np.arange(_PHASES) / _PHASES
    at = starts[:, None] + beat * np.arange(count)
    worth = odds.beat[np.round(at * rate).astype(np.int64).clip(0, odds.beat.size - 1)].mean(axis=1)
    # the middle of the phases that are nearly as good, for the odds are widened
    near = np.roll(worth, _PHASES // 2 - int(np.argmax(worth)))
    good = np.flatnonzero(near >= near.max() - 1e-3 - 0.02 * np.ptp(near))
    shift = float(good[np.abs(good - _PHASES // 2) <= 4].mean()) - _PHASES // 2
    start = starts[int(np.argmax(worth))] + beat * shift / _PHASES
    start = begin + (start - begin) % beat
    line: FloatArray = start + beat * np.arange(int(np.floor((end - start) / beat + 1e-9)) + 1)
    return line


def _joined(times: FloatArray, parts: list[tuple[float, float, float]], odds: Odds) -> FloatArray:
    """A line for each part, and the path's own beats before, between and after them."""
    pieces = [times[times < parts[0][0]]]
    for part, following in pairwise([*parts, None]):
        assert part is not None
        pieces.append(_line(part[2], part[0], part[1] + 0.25 * part[2], odds))
        until = following[0] if following is not None else np.inf
        pieces.append(times[(times > part[1]) & (times < until)])
    kept: list[float] = []
    for piece in pieces:
        for time in piece.tolist():
            # where a line and the path both have a beat, the one that comes first stays
            if len(kept) < 2 or time - kept[-1] > 0.6 * (kept[-1] - kept[-2]):
                kept.append(time)
    return np.array(kept)
