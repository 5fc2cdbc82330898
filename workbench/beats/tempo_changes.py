"""Changes of tempo too large for one pulse to follow: which of the proposed pulses holds at which time.

A pulse follows a drift, but not a leap from 92 to 138 BPM. So the pulse that explains the music best is found for every
second, by the same weights as for the whole piece. A change has a cost, so that a fill does not cause one, and several
tempi must explain the piece clearly better than one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.beats.evidence import Evidence, Pulse, describe_pulse
from workbench.beats.meter import best_reading, local_scores, reading_chances, readings_of
from workbench.beats.weights import weights_for
from workbench.params import BeatParams
from workbench.recording import FloatArray, IntArray

_FEWEST_BEATS = 8
"""beats that a stretch with its own tempo needs"""
_SHORTEST_SECONDS = 6.0
"""s; a shorter stretch is a fill"""
_SEARCH_SECONDS = 4.0
"""s to either side of a change within which its bar line is searched"""
_DECIDING_SECONDS = 8.0
"""s of music that decide on their own tempo as firmly as a piece does"""
_CHANGE_COST = 3.0
"""nats that a leap to another tempo costs"""
_MIN_GAIN = 17.0
"""nats by which stretches must explain a piece better than one tempo"""
_VIEW_SECONDS = 3.0
"""s to both sides that are used to judge a second"""


@dataclass(frozen=True, slots=True, eq=False)
class MultiTempoBeats:
    """Beats of a piece in several tempi."""

    times: FloatArray
    """shape (n_beats,), s, strictly increasing"""
    positions: IntArray
    """shape (n_beats,), from 1; every stretch opens with a downbeat"""
    confidence: float
    """mean probability of the stretches' downbeats by their lengths, 0 to 1"""


def tempo_stretches(pulses: list[Pulse], evidence: Evidence, params: BeatParams) -> list[tuple[float, float, int]]:
    """Stretches of the piece in time, each with the pulse that explains it best.

    Viterbi over seconds. A second counts a share of `_DECIDING_SECONDS`, so that this much of music weighs as much as a
    whole piece does in `readings.reading_chances`. Each stretch is its start and end in s and the index of its pulse;
    they follow each other without gaps, and there are none in less than two seconds of sound.
    """
    seconds = np.arange(max(evidence.begins, 0.0) + 0.5, evidence.ends, 1.0)
    if seconds.size < 2 or not pulses:
        return []
    score = np.array([_by_second(pulse, seconds, evidence, params) for pulse in pulses]) / _DECIDING_SECONDS
    n_pulses, n_seconds = score.shape
    best = score[:, 0].copy()
    back = np.zeros((n_seconds, n_pulses), dtype=np.int64)
    # every change costs the same, so a pulse is left for the best one or not at all: n steps a second, not n squared
    for k in range(1, n_seconds):
        top = int(np.argmax(best))
        stay = best >= best[top] - _CHANGE_COST
        back[k] = np.where(stay, np.arange(n_pulses), top)
        best = np.where(stay, best, best[top] - _CHANGE_COST) + score[:, k]
    path = np.empty(n_seconds, dtype=np.int64)
    path[-1] = int(np.argmax(best))
    for k in range(n_seconds - 1, 0, -1):
        path[k - 1] = back[k, path[k]]
    borders = np.concatenate(([0], np.flatnonzero(np.diff(path)) + 1, [n_seconds]))
    found = []
    for first, last in pairwise(borders):
        start = float(seconds[first] - 0.5) if first else max(evidence.begins, 0.0)
        end = float(seconds[last - 1] + 0.5) if last < n_seconds else evidence.ends
        found.append((start, end, int(path[first])))
    return found


def _by_second(pulse: Pulse, seconds: FloatArray, evidence: Evidence, params: BeatParams) -> FloatArray:
    """How well a pulse explains the music around each second, nats; shape as `seconds`."""
    score = local_scores(pulse, evidence, weights_for("onsets"), params)
    total = np.concatenate(([0.0], np.cumsum(score)))
    first = np.searchsorted(pulse.times, seconds - _VIEW_SECONDS)
    last = np.searchsorted(pulse.times, seconds + _VIEW_SECONDS)
    count = last - first
    mean: FloatArray = np.where(count > 1, (total[last] - total[first]) / np.maximum(count, 1), score.min())
    return mean


def follow_changes(pulses: list[Pulse], winner: int, evidence: Evidence, params: BeatParams) -> MultiTempoBeats | None:
    """Beats of a piece that leaps between tempi, each stretch with the pulse and the metre that suit it best.

    None where stretches do not outdo the `winner` of the whole piece by `_MIN_GAIN`, or change only between a
    tempo and its double, which is a change of playing and not of the grid.
    """
    stretches = _leaps(pulses, tempo_stretches(pulses, evidence, params))
    if len(stretches) < 2 or _gain(pulses, winner, stretches, evidence, params) < _MIN_GAIN:
        return None
    parts: list[tuple[FloatArray, IntArray, float]] = []
    for start, end, index in stretches:
        whole = pulses[index].times
        # the metre is read again from the stretch alone: the description of the whole pulse holds music in other tempi
        inner = describe_pulse(whole[(whole >= start) & (whole <= end)], evidence)
        readings = readings_of([inner], params)
        best, agreed = best_reading([inner], readings, reading_chances(readings, weights_for("onsets"), params))
        metre, first = int(readings.beats_per_bar[best]), int(readings.first_position[best])
        offset = first - 1 - int(np.searchsorted(whole, start))
        positions = (np.arange(whole.size) + offset) % metre + 1
        parts.append((whole, positions.astype(np.int32), agreed))
    # seconds are too coarse for a border, which has to be a downbeat of the new tempo
    borders = [stretches[0][0]]
    for k in range(1, len(stretches)):
        left, right = pulses[stretches[k - 1][2]], pulses[stretches[k][2]]
        opening = parts[k][0][parts[k][1] == 1]
        borders.append(_border(left, right, opening, stretches[k][0], evidence, params))
    borders.append(stretches[-1][1])
    all_times: list[FloatArray] = []
    all_positions: list[IntArray] = []
    for k, (whole, places, _) in enumerate(parts):
        # half a beat free before a border, or the last beat of the old tempo doubles the first of the new one
        gap = 0.5 * float(np.median(np.diff(whole)))
        until = borders[k + 1] - gap if k + 1 < len(parts) else borders[k + 1]
        inside = (whole >= borders[k] - 1e-6) & (whole <= until)
        all_times.append(whole[inside])
        all_positions.append(places[inside])
    lengths = np.diff(borders)
    confidence = float(np.average([agreed for _, _, agreed in parts], weights=np.maximum(lengths, 0.1)))
    return MultiTempoBeats(np.concatenate(all_times), np.concatenate(all_positions), confidence)


def _leaps(pulses: list[Pulse], stretches: list[tuple[float, float, int]]) -> list[tuple[float, float, int]]:
    """Stretches joined where the tempo stays or merely doubles; those too short to have a tempo join the one before."""
    joined: list[tuple[float, float, int]] = []
    tempi: list[float] = []
    for start, end, index in stretches:
        times = pulses[index].times
        inner = times[(times >= start) & (times <= end)]
        tempo = 60.0 / float(np.median(np.diff(inner))) if inner.size > _FEWEST_BEATS else 0.0
        octaves = np.log2(tempo / tempi[-1]) if joined and tempo else 0.0
        if joined and (not tempo or end - start < _SHORTEST_SECONDS or abs(octaves - round(octaves)) < 0.08):
            joined[-1] = (joined[-1][0], end, joined[-1][2])
        elif tempo:
            joined.append((start, end, index))
            tempi.append(tempo)
    return joined


def _gain(
    pulses: list[Pulse], winner: int, stretches: list[tuple[float, float, int]], evidence: Evidence, params: BeatParams
) -> float:
    """Nats by which the stretches' own pulses explain the piece better than one pulse throughout."""
    total = 0.0
    for start, end, index in stretches:
        seconds = np.arange(start + 0.5, end, 1.0)
        if index != winner and seconds.size:
            own = _by_second(pulses[index], seconds, evidence, params)
            one = _by_second(pulses[winner], seconds, evidence, params)
            total += float((own - one).sum()) / _DECIDING_SECONDS
    return total


def _border(
    left: Pulse, right: Pulse, opening: FloatArray, about: float, evidence: Evidence, params: BeatParams
) -> float:
    """The downbeat near a time at which changing from the old pulse to the new one explains the music best."""
    near = opening[np.abs(opening - about) <= _SEARCH_SECONDS]
    if not near.size:
        return about
    gains = []
    for border in near:
        total = 0.0
        reach = 2 * _SEARCH_SECONDS
        for pulse, begin, end in ((left, about - reach, border), (right, border, about + reach)):
            inside = (pulse.times >= begin - 1e-6) & (pulse.times < end - 1e-6)
            # by seconds, not by beats: the quicker pulse would win with its number of beats alone
            total += float(local_scores(pulse, evidence, weights_for("onsets"), params)[inside].sum()) * float(
                np.median(np.diff(pulse.times))
            )
        gains.append(total)
    return float(near[int(np.argmax(gains))])
