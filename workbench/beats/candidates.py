"""Which sequences of beats are worth considering: proposed generously here, selected in `beats.meter`.

From onsets alone: every tempo that the piece supports, tracked at the level of ticks, in the phases with the strongest
onsets. From the network's output: the most probable beats at any tempo, those near every tempo that the piece supports,
the straight grids that these imply (`beats.constant_tempo`), the half, double, 2/3 and 3/2 of the likeliest, with its
off-beat, and one level throughout where it leaps between two: the sequences that trackers confuse must
all be proposed to be distinguished.

The bar-pointer model (Krebs et al. 2015) has tempo changes at beats only, and between beats the pointer just runs on.
So the states inside a beat need no memory of their own: with B[t, i] the best log probability of a path that has a beat
at frame t and came there by an interval of n_i frames,

    B[t, i] = evidence[t] + prior[i] + max over j of (B[t - n_i, j] - cost(n_j, n_i)).

A change by d frames, d at most 8, costs 0.05 d, and where d is over 1, also `TEMPO_CHANGE_COST` times (d - 1) / n_i; no
change costs more than `MAX_TEMPO_CHANGE_COST`, and one by more than 8 frames costs just that. A path may begin
anywhere: the first beat has t < n_i, and B[t, i] = evidence[t] + prior[i]. The best path is the one of the highest
B[t, i] whose next beat would fall on or after the end, t + n_i >= n_frames. Intervals are all whole numbers of frames
in the range asked for, whose ends are rounded outwards, at least 2.

- *Ticks* near a period p, from p / `TEMPO_REACH` to p * `TEMPO_REACH`: the evidence is `BEAT_EVIDENCE` times the
  activation, the prior of an interval n the greater of -`DRIFT_COST` * abs(n - p) and -`MAX_TEMPO_COST`.
- *Beats of the network*: the evidence is the log-odds of a beat as the network gives them (`Odds.network`), between
  -`MISSED_BEAT_PENALTY` and `CLEAR_BEAT_REWARD`; the prior is 0.

Where a person knows the tempo, pulses near it are proposed too, and no others are considered.

In music that changes its tempo the network may find the beat in one part and its half in another, for it prefers
moderate tempi. The most probable path then leaps between levels at the change. A leap of about an octave is no tempo
that a player takes, so `count_one_level` counts the shorter beat through the whole path, and every second of these
beats is proposed beside it.

References
----------
Krebs, Böck & Widmer, "An efficient state-space model for joint tempo and meter tracking", ISMIR 2015.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.beats._kernels import bar_pointer
from workbench.beats.constant_tempo import joined_grid, straight_grid
from workbench.beats.evidence import Evidence, Odds, Pulse, describe_pulse
from workbench.beats.meter import BAR_SLIP_COST, Readings, readings_of, share_near
from workbench.beats.tempo import tempo_candidates
from workbench.params import BeatParams
from workbench.recording import FloatArray, IntArray

_FEWEST = 8
"""beats that a level holds at least; fewer are single beats that were missed"""
_LEAP = 0.65
"""octaves from which a change of tempo is one of level; 3 to 2, at 0.58, is a change that music makes"""
_MOST_LEVELS = 2
"""octaves between the quickest and the slowest level of a path; more is no path of beats"""


def count_one_level(times: FloatArray) -> FloatArray | None:
    """Count the shortest beat of a path throughout, with all its times; None where it stays on one level by itself."""
    if times.size <= _FEWEST:
        return None
    beats = np.diff(times)
    levels = _levels_of(beats)
    if np.count_nonzero(np.bincount(levels) >= _FEWEST) < 2 or levels.max() > _MOST_LEVELS:
        return None
    place = np.concatenate(([0], np.cumsum(2**levels)))
    counted: FloatArray = np.interp(np.arange(place[-1] + 1), place, times)
    return counted


def halves_of(times: FloatArray, odds: Odds) -> list[FloatArray]:
    """Every second beat of a path: from the first, from the second, and as the network detects it.

    The last may go over from one half to the other, at the cost of a bar cut short. The path has 3 beats at least.
    """
    frames = odds.frames(times)
    total = (odds.beat[frames] + odds.downbeat[frames]).astype(np.float64)
    # the best path of steps of two beats, where one of three pays for a bar cut short; no other step occurs
    before = np.full(times.size, -1)
    for k in range(2, times.size):
        over = total[k - 3] - BAR_SLIP_COST if k > 2 else -np.inf
        before[k] = k - 2 if total[k - 2] >= over else k - 3
        total[k] += max(total[k - 2], over)
    chosen = [times.size - 2 + int(np.argmax(total[-2:]))]
    while before[chosen[-1]] >= 0:
        chosen.append(int(before[chosen[-1]]))
    return [times[0::2], times[1::2], times[chosen[::-1]]]


def _levels_of(beats: FloatArray) -> IntArray:
    """How many times each beat is halved until it is of the shortest level, shape (n,)."""
    levels = np.zeros(beats.size, dtype=np.int64)
    # each beat is compared with the middle of the last four at their own level, so that a drift of tempo adds up to
    # no leap and one missed beat does not move the reference
    recent = [float(np.median(beats[:4]))] * 4
    for k, beat in enumerate(beats.tolist()):
        low, high = sorted(recent)[1:3]
        octaves = math.log2(2.0 * beat / (low + high))
        levels[k] = int(math.copysign(math.floor(abs(octaves) + 1.0 - _LEAP), octaves))
        recent = [*recent[1:], beat / 2.0 ** int(levels[k])]
    shortest: IntArray = levels - levels.min()
    return shortest


FEWEST_BEATS = 8
"""of a pulse; fewer do not define a tempo"""
KNOWN_TEMPO_SHARE = 0.04
"""share of a known tempo by which beats may be off it, as tempi are judged (Gouyon et al. 2006)"""
BEAT_EVIDENCE = 5.0
"""nats that a clear onset gives for a beat"""
TEMPO_REACH = 1.3
"""ratio by which ticks may wander from a candidate; under an octave, or they would become another's"""
DRIFT_COST = 0.5
"""nats a frame by which a tick strays from its tempo"""
MAX_TEMPO_COST = 1.0
"""nats a tick that another tempo costs at most"""
TEMPO_CHANGE_COST = 60.0
"""nats for a change of tempo by its own amount from beat to beat"""
MAX_TEMPO_CHANGE_COST = 8.0
"""nats that any change of tempo costs at most"""
MISSED_BEAT_PENALTY = 2.0
"""nats that a beat without evidence costs at most"""
CLEAR_BEAT_REWARD = 4.0
"""nats that a beat with clear evidence counts at most"""
_SHORTEST_TICK = 0.14
"""s; shortest subdivision that is followed, a semiquaver at 107 BPM"""
_NARROW_CANDIDATES = 5
"""tempi followed closely beside the free one"""
_NARROW_REACH = 1.08
"""ratio by which a tempo that is followed closely may stray"""
_STRAIGHT_CANDIDATES = 2
"""tempi followed closely whose straight grids are proposed too; each adds a pulse to compare"""
_SAME_SECONDS = 0.04
"""s within which two pulses have the same beats"""
_MOSTLY = 0.9
"""share of the beats that two pulses have in common, from which one of them will do"""
_WHOLLY = 0.98
"""the same for straight grids, which differ from a path where it slips"""


def propose(
    activation: FloatArray, evidence: Evidence, params: BeatParams, known_bpm: float | None = None
) -> tuple[list[Pulse], Readings]:
    """Propose every pulse worth considering, with every reading of it; none of either where there is no pulse.

    `activation` is read only where the tracker uses onsets alone.
    """
    if evidence.network is not None:
        pulses = _from_network(evidence.network, evidence, params, known_bpm)
    else:
        pulses = _from_onsets(activation, evidence, params, known_bpm)
    if known_bpm is not None:
        pulses = [pulse for pulse in pulses if is_near_tempo(pulse.times, known_bpm)]
    return pulses, readings_of(pulses, params)


def is_near_tempo(times: FloatArray, bpm: float) -> bool:
    """Whether beats have a tempo, within `KNOWN_TEMPO_SHARE`."""
    return abs(60.0 / float(np.median(np.diff(times))) - bpm) <= KNOWN_TEMPO_SHARE * bpm


def _from_onsets(
    activation: FloatArray, evidence: Evidence, params: BeatParams, known_bpm: float | None
) -> list[Pulse]:
    """Pulses at the level of ticks, in the phases with the strongest onsets."""
    rate = evidence.frames_per_second
    periods = tempo_candidates(activation, rate, params) if known_bpm is None else np.array([60.0 * rate / known_bpm])
    pulses: list[Pulse] = []
    ticks_of: dict[float, FloatArray] = {}
    for period in periods:
        for division in _divisions(float(period), rate):
            tick = float(period) / division
            # candidates are related by simple ratios, so many share their ticks; decoding those is most of the work
            known = next((other for other in ticks_of if abs(np.log(other / tick)) < 0.01), None)
            if known is None:
                known = tick
                ticks_of[tick] = decode_ticks(activation, rate, tick)
            ticks = ticks_of[known]
            for phase in _phases(ticks, activation, rate, division):
                times = ticks[phase::division]
                if times.size >= FEWEST_BEATS:
                    pulses.append(describe_pulse(times, evidence))
    return pulses


def _divisions(period: float, frames_per_second: int) -> list[int]:
    """How many ticks a beat may have, two or three or their doubles, so that a tick is a playable note."""
    shortest = _SHORTEST_TICK * frames_per_second
    binary = 4 if period / 4 >= shortest else 2
    ternary = 6 if period / 6 >= shortest else 3
    return [binary, ternary] if period / ternary >= 0.8 * shortest else [binary]


def _phases(ticks: FloatArray, activation: FloatArray, frames_per_second: int, division: int) -> list[int]:
    """The phases to propose: the two with the strongest onsets, and the one half a beat from the strongest."""
    frames = np.clip(np.round(ticks * frames_per_second).astype(np.int64), 0, activation.size - 1)
    loud = np.array([float(activation[frames[phase::division]].mean()) for phase in range(division)])
    order = [int(phase) for phase in np.argsort(loud)[::-1]]
    chosen = [order[0], order[1]]
    if division % 2 == 0:
        chosen.append((order[0] + division // 2) % division)
    return list(dict.fromkeys(chosen))


def decode_ticks(activation: FloatArray, frames_per_second: int, tick: float) -> FloatArray:
    """Times of the ticks near one period by the bar-pointer model.

    Ticks and not beats, because music sounds off the beat for whole sections but hardly ever between its ticks:
    a pulse tracked at the level of ticks cannot slip by half a beat. The period `tick` is in frames, times are in s.
    """
    shortest = max(2, int(np.floor(tick / TEMPO_REACH)))
    longest = int(np.ceil(tick * TEMPO_REACH))
    off = np.abs(np.arange(shortest, longest + 1) - tick)
    prior = -np.minimum(DRIFT_COST * off, MAX_TEMPO_COST).astype(np.float32)
    evidence = (BEAT_EVIDENCE * activation).astype(np.float32)
    frames = bar_pointer(evidence, shortest, prior, TEMPO_CHANGE_COST, 1, MAX_TEMPO_CHANGE_COST)
    return np.asarray(frames, dtype=np.float64) / frames_per_second


def _from_network(odds: Odds, evidence: Evidence, params: BeatParams, known_bpm: float | None) -> list[Pulse]:
    """Pulses at the level of beats, and those that they could be confused with."""
    rate = odds.network.frames_per_second
    chance = (1.0 / (1.0 + np.exp(-odds.beat))).astype(np.float32)
    sequences: list[FloatArray] = []

    def add(times: FloatArray, alike: float = _MOSTLY) -> None:
        if times.size < FEWEST_BEATS:
            return
        bpm = 60.0 / float(np.median(np.diff(times)))
        if params.min_bpm <= bpm <= params.max_bpm and not any(_same(times, other, alike) for other in sequences):
            sequences.append(times)

    # The order decides which of two alike sequences stays: the free path first, arithmetic relatives last.
    free = decode_network(odds, 60.0 * rate / params.max_bpm, 60.0 * rate / params.min_bpm)
    narrow = [
        decode_network(odds, period / _NARROW_REACH, period * _NARROW_REACH)
        for period in tempo_candidates(chance, rate, params)[:_NARROW_CANDIDATES]
    ]
    if known_bpm is not None:
        period = 60.0 * rate / known_bpm
        narrow.insert(0, decode_network(odds, period / _NARROW_REACH, period * _NARROW_REACH))
    for times in (free, *narrow):
        add(times)
    one, several = straight_grid(free, odds), joined_grid(free, odds)
    straight = [grid for grid in (one, several) if grid is not None]
    # a path that is held near one tempo looks straight where the piece has several
    close = narrow[:_STRAIGHT_CANDIDATES] if one is not None else []
    others = [grid for path in close if (grid := straight_grid(path, odds)) is not None]
    for times in (*straight, *others):
        add(times, _WHOLLY)
    for times in (*straight, free, *narrow[:2]):
        for related in _related(times):
            add(related)
    # what none of the above can be where the tempo changes: one level throughout, and the off-beats of straight grids
    levelled = count_one_level(free)
    if levelled is not None:
        for times in (levelled, *halves_of(levelled, odds)):
            add(times)
    for times in others:
        add(_off_beat(times))
    return [describe_pulse(times, evidence) for times in sequences]


def decode_network(odds: Odds, shortest: float, longest: float) -> FloatArray:
    """Times of the beats that are most probable by the network, s, with intervals in a range of its frames."""
    first, last = max(2, int(np.floor(shortest))), int(np.ceil(longest))
    likely = np.clip(odds.network.beat, -MISSED_BEAT_PENALTY, CLEAR_BEAT_REWARD)
    prior = np.zeros(last - first + 1, dtype=np.float32)
    frames = bar_pointer(likely.astype(np.float32), first, prior, TEMPO_CHANGE_COST, 1, MAX_TEMPO_CHANGE_COST)
    return np.asarray(frames, dtype=np.float64) / odds.network.frames_per_second


def _related(times: FloatArray) -> list[FloatArray]:
    """A pulse's off-beat, double, halves, 3/2, 2/3 and thirds, as sequences of times."""
    if times.size < 2:
        return []
    place = np.arange(times.size, dtype=np.float64)

    def at(step: float, phase: float) -> FloatArray:
        found: FloatArray = np.interp(np.arange(phase, times.size - 1 + 1e-9, step), place, times)
        return found

    steps = [(1.0, 0.5), (0.5, 0.0), (2.0, 0.0), (2.0, 1.0), (2 / 3, 0.0), (2 / 3, 1 / 3)]
    steps += [(1.5, 0.0), (1.5, 0.5), (1.5, 1.0), (3.0, 0.0), (3.0, 1.0), (3.0, 2.0), (1 / 3, 0.0)]
    steps += [(0.75, 0.0), (0.75, 0.25), (0.75, 0.5), (4 / 3, 0.0), (4 / 3, 1 / 3), (4 / 3, 2 / 3), (4 / 3, 1.0)]
    return [at(step, phase) for step, phase in steps]


def _off_beat(times: FloatArray) -> FloatArray:
    """The times midway between the beats."""
    middle: FloatArray = 0.5 * (times[:-1] + times[1:])
    return middle


def _same(times: FloatArray, others: FloatArray, alike: float) -> bool:
    """Whether a share of the beats of each lie near one of the other's."""
    # sizes alone tell most pairs apart, without a search
    if alike * max(times.size, others.size) > min(times.size, others.size):
        return False
    return min(share_near(times, others, _SAME_SECONDS), share_near(others, times, _SAME_SECONDS)) >= alike
