"""Evidence for and against a pulse: everything that sounds on and between its beats.

A pulse is a proposed sequence of beats. It is described by what a musician would point at: what sounds on its beats
and between them, kick and bass and new harmony on each of them, beats that resemble those a bar before, borders of
sections, and what the network detects there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.beats.network import HIGHEST_BASS, TEMPO_BINS, Activations
from workbench.features.onsets import OnsetStrengths, pitch_classes
from workbench.features.spectrum import Spectrum
from workbench.recording import BoolArray, FloatArray, IntArray

FRACTIONS = (0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75)
_LONGEST_LAG = 34
"""beats; eight bars of 4/4 and a margin"""
_LEAST_ACTIVATION = 0.15
"""least activation of an onset"""
_SOUND_FLOOR = 1e-5
"""power relative to the loud parts above which there is sound, -50 dB"""
_MOST_ODDS = 6.0
"""nats at which the network's log-odds are clipped"""
_MOST_DOUBT = 3.5
"""nats by which a metre or a tempo that the network does not expect is worse at most"""
_CLEAR_ODDS = 0.5
"""least log-odds of a beat that the network detects clearly"""
_EDGE_SECONDS = 0.07
"""s by which a beat may lie before the first onset or after the last one and still belong to it"""
_SAME_SECONDS = 0.05
"""s within which a beat that the network detects is a beat of a pulse"""
LOW, CHEST, MIDDLE, CRACK, TOP, ATTACK, NOISE = range(7)
"""rows of strengths"""

BEAT_CUES = ("harmony_beat", "harmony_bar", "bass", "low", "chest", "middle", "noise", "top", "attack", "border")
"""cues for a bar line at one beat; rows of `Pulse.cues`"""


@dataclass(frozen=True, slots=True, eq=False)
class Odds:
    """The network's output, ready to be read at given times: widened by a frame each way and clipped."""

    beat: FloatArray
    """shape (n_frames,), log-odds of a beat"""
    downbeat: FloatArray
    """shape (n_frames,)"""
    peaks: FloatArray
    """shape (n,), s, where the network detects a beat clearly"""
    network: Activations

    @staticmethod
    def of(network: Activations) -> Odds:
        """Widen and clip the network's curves, and find the clear beats."""
        from scipy.ndimage import maximum_filter1d

        beat, downbeat = (
            np.clip(maximum_filter1d(curve, 3), -_MOST_ODDS, _MOST_ODDS) for curve in (network.beat, network.downbeat)
        )
        clear = (network.beat > _CLEAR_ODDS) & (network.beat >= maximum_filter1d(network.beat, 7))
        return Odds(beat, downbeat, np.flatnonzero(clear) / network.frames_per_second, network)

    def frames(self, times: FloatArray) -> IntArray:
        """Frames of the network nearest to some times; those outside the recording are moved to its ends."""
        found: IntArray = np.clip(
            np.round(times * self.network.frames_per_second).astype(np.int64), 0, self.beat.size - 1
        )
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence that every pulse of one recording is compared with, computed once."""

    activation: FloatArray
    """shape (n_frames,), 0 to 1, widened by 20 ms each way"""
    strengths: FloatArray
    """shape (7, n_frames), onset strength by range, all together, and noise; widened as well"""
    frames_per_second: int
    chroma_sum: FloatArray
    """shape (12, n_tone_frames + 1), running sum, as are the next two"""
    bass_sum: FloatArray
    tone_frames_per_second: int
    level_sum: FloatArray
    """shape (n_levels, n_frames + 1), log power of every fourth band"""
    begins: float
    """s, time of the first sound or onset, less a tolerance"""
    ends: float
    """s, time of the last onset, plus a tolerance; sound that rings on has no beats"""
    network: Odds | None
    """the network's odds; None where the tracker uses onsets alone"""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkPulse:
    """The network's output on the beats of one pulse."""

    beat: FloatArray
    """shape (n_beats, len(FRACTIONS)), log-odds of a beat on and between the beats"""
    downbeat: FloatArray
    """shape (n_beats,), log-odds of a downbeat"""
    metre: FloatArray
    """shape (n_beats, len(METRES)), log probability of the beats in the bar"""
    tempo: float
    """mean log probability of the pulse's own tempo"""
    ternary: float
    """mean log-odds that a beat divides in three"""
    missed: float
    """share of the clearly detected beats that are not beats of the pulse"""
    confirmed: float
    """share of the pulse's beats that the network considers more likely than not"""


@dataclass(frozen=True, slots=True, eq=False)
class Pulse:
    """One proposed sequence of beats and what sounds on and between them."""

    times: FloatArray
    """shape (n_beats,), s"""
    strengths: FloatArray
    """shape (7, n_beats, 6), onset strength by range at the fractions 0, 1/4, 1/3, 1/2, 2/3, 3/4 of each beat"""
    cues: FloatArray
    """shape (len(BEAT_CUES), n_beats), evidence for a bar line at each beat, zero mean and unit spread"""
    crack: FloatArray
    """shape (n_beats,), like a cue, for the backbeat"""
    likeness: FloatArray
    """shape (n_lags,), mean similarity of beats that lie k beats apart, 0 to 1"""
    sounding: BoolArray
    """shape (n_beats,), beats from the first sound to the last onset of the recording"""
    support: float
    """mean activation on the sounding beats"""
    network: NetworkPulse | None
    """the network's output on its beats; None where the tracker uses onsets alone"""


def gather_evidence(
    activation: FloatArray, onsets: OnsetStrengths, spectrum: Spectrum, network: Activations | None = None
) -> Evidence:
    """Gather the evidence for all pulses: onset strengths with some tolerance in time, running sums for fast means."""
    from scipy.ndimage import maximum_filter1d

    width = 2 * round(0.02 * onsets.frames_per_second) + 1
    # music begins with the first sound, swelling chords included, but has no beats after its last onset
    onset_frames = np.flatnonzero(activation > _LEAST_ACTIVATION)
    level = spectrum.power.sum(axis=0)
    loud_frames = np.flatnonzero(level > _SOUND_FLOOR * np.percentile(level, 98))
    first = min(onset_frames[0], loud_frames[0]) if onset_frames.size and loud_frames.size else 0
    last = onset_frames[-1] if onset_frames.size else -1
    # cut off at one and a half typical strong onsets, or one crash outweighs a minute of beats
    rows = np.vstack((np.minimum(onsets.onsets, 1.5), np.minimum(onsets.attack, 1.5)[None], onsets.noise[None]))
    return Evidence(
        maximum_filter1d(activation, width),
        maximum_filter1d(rows, width, axis=1),
        onsets.frames_per_second,
        _running(pitch_classes(spectrum)),
        _running(np.sqrt(spectrum.tones[spectrum.tone_midi <= HIGHEST_BASS])),
        spectrum.tone_frames_per_second,
        _running_level(spectrum.power[::4]),
        first / onsets.frames_per_second - _EDGE_SECONDS,
        last / onsets.frames_per_second + _EDGE_SECONDS,
        None if network is None else Odds.of(network),
    )


def describe_pulse(times: FloatArray, evidence: Evidence) -> Pulse:
    """Collect what sounds on and between the beats of one proposed pulse, four at least, strictly increasing.

    Cues are standardized over the sounding beats, over all beats where fewer than 4 sound.
    """
    rate = evidence.frames_per_second
    n = times.size
    period = np.diff(times, append=2 * times[-1] - times[-2])
    at = times[:, None] + period[:, None] * np.array(FRACTIONS)
    frames = np.clip(np.round(at * rate).astype(np.int64), 0, evidence.activation.size - 1)
    strengths = evidence.strengths[:, frames]
    on = evidence.activation[frames[:, 0]]
    sounding = (times >= evidence.begins) & (times <= evidence.ends)

    tone_rate = evidence.tone_frames_per_second
    harmony_beat = _change(evidence.chroma_sum, times, period, tone_rate, 1.0)
    harmony_bar = _change(evidence.chroma_sum, times, period, tone_rate, 2.0)
    bass_change = _change(evidence.bass_sum, times, period, tone_rate, 1.0)

    # a beat is its harmony, the pattern of its onsets and its level, each of unit norm, so that all three count alike
    beat_chroma = _unit(_means(evidence.chroma_sum, times, times + period, tone_rate))
    pattern = _unit(strengths[:5].transpose(0, 2, 1).reshape(30, n))
    level = _unit(_means(evidence.level_sum, times, times + period, rate))
    body = np.vstack((beat_chroma, pattern, level)) / np.sqrt(3.0)
    # borders of sections: eight beats on either side differ, more than is usual around
    span = 8
    total = _running(body)
    k = np.arange(n)
    after = (total[:, np.minimum(k + span, n)] - total[:, k]) / np.maximum(np.minimum(span, n - k), 1)
    before = (total[:, k] - total[:, np.maximum(k - span, 0)]) / np.maximum(np.minimum(span, k), 1)
    border = np.linalg.norm(after - before, axis=0)
    # at both ends the two sides have hardly any beats and always differ
    border[:2] = border[-2:] = float(np.median(border))
    border = np.maximum(border - _smooth(border, 2 * span + 1), 0.0)

    inside = sounding if np.count_nonzero(sounding) >= 4 else np.ones(n, dtype=np.bool_)
    cues = np.vstack(
        [
            _standard(row, inside)
            for row in (
                harmony_beat,
                harmony_bar,
                bass_change,
                strengths[LOW, :, 0],
                strengths[CHEST, :, 0],
                strengths[MIDDLE, :, 0],
                strengths[NOISE, :, 0],
                strengths[TOP, :, 0],
                strengths[ATTACK, :, 0],
                border,
            )
        ]
    )
    beats = np.flatnonzero(inside)
    likeness = _likeness(body[:, beats[0] : beats[-1] + 1], _LONGEST_LAG)
    support = float(np.mean(on[inside]))
    detected = None if evidence.network is None else _network_pulse(times, period, inside, evidence.network)
    return Pulse(times, strengths, cues, _standard(strengths[CRACK, :, 0], inside), likeness, inside, support, detected)


def _network_pulse(times: FloatArray, period: FloatArray, inside: BoolArray, odds: Odds) -> NetworkPulse:
    """The network's output on the beats of a pulse."""
    at = times[:, None] + period[:, None] * np.array(FRACTIONS)
    frames = odds.frames(at)
    # tempo, metre and division come once for two frames
    pairs = np.minimum(frames[:, 0] // 2, odds.network.tempo.shape[0] - 1)
    near = np.argmin(np.abs(np.log2(TEMPO_BINS[None, :] * period[:, None] / 60.0)), axis=1)
    tempo = np.maximum(odds.network.tempo[pairs, near], -_MOST_DOUBT)
    division = odds.network.division[pairs]
    beat = odds.beat[frames]
    # distance of each clear beat from the nearer of the two beats around it
    clear = odds.peaks
    off = np.abs(clear[:, None] - times[np.searchsorted(times, clear).clip(1, times.size - 1)[:, None] - [1, 0]])
    return NetworkPulse(
        beat,
        odds.downbeat[frames[:, 0]],
        np.maximum(odds.network.metre[pairs], -_MOST_DOUBT),
        float(tempo[inside].mean()),
        float(np.clip(division[:, 1] - division[:, 0], -_MOST_ODDS, _MOST_ODDS)[inside].mean()),
        float(np.mean(off.min(axis=1) > _SAME_SECONDS)) if clear.size else 0.0,
        float(np.mean(beat[inside, 0] > 0.0)),
    )


def _likeness(columns: FloatArray, lags: int) -> FloatArray:
    """Mean inner product of columns that lie k apart, shape (lags,), 0 beyond half their number."""
    from scipy import fft

    n = columns.shape[1]
    size = fft.next_fast_len(n + lags, real=True)  # so that lags do not wrap around
    spectrum = fft.rfft(columns, size, axis=1)
    products = fft.irfft(np.sum(np.square(spectrum.real) + np.square(spectrum.imag), axis=0), size)
    alike = np.zeros(lags)
    known = min(lags, n // 2)
    alike[:known] = products[:known] / (n - np.arange(known))
    return alike


def _running(rows: FloatArray) -> FloatArray:
    """Running sums from 0 along time, shape (m, n + 1)."""
    total = np.zeros((rows.shape[0], rows.shape[1] + 1))
    np.cumsum(rows, axis=1, out=total[:, 1:])
    return total


def _running_level(power: FloatArray) -> FloatArray:
    """Running sums of log power, row by row, because levels of all frames take half as much memory again."""
    total = np.zeros((power.shape[0], power.shape[1] + 1))
    for row, band in zip(total, power, strict=True):
        np.cumsum(np.log10(band + np.float32(1e-9)) + np.float32(9.0), out=row[1:])
    return total


def _means(total: FloatArray, starts: FloatArray, ends: FloatArray, rate: float) -> FloatArray:
    """Mean of rows between times from their running sums, shape (m, n_times)."""
    frames = total.shape[1] - 1
    first = np.clip(np.round(starts * rate + 0.5).astype(np.int64), 0, frames)
    last = np.clip(np.round(ends * rate + 0.5).astype(np.int64), 0, frames)
    result: FloatArray = (total[:, last] - total[:, first]) / np.maximum(last - first, 1)
    return result


def _change(total: FloatArray, times: FloatArray, period: FloatArray, rate: float, beats: float) -> FloatArray:
    """Cosine distance between what follows a time and what precedes it, `beats` beats each way, shape (n,)."""
    gap = 0.03  # s left out after a beat, where the chord before it still rings
    after = _unit(_means(total, times + gap, times + beats * period, rate))
    before = _unit(_means(total, times - beats * period + gap, times, rate))
    known = (np.linalg.norm(after, axis=0) > 0.5) & (np.linalg.norm(before, axis=0) > 0.5)
    return np.where(known, 1.0 - np.sum(after * before, axis=0), 0.0)


def _unit(columns: FloatArray) -> FloatArray:
    norms = np.linalg.norm(columns, axis=0)
    result: FloatArray = np.where(norms > 1e-9, columns / np.maximum(norms, 1e-9), 0.0)
    return result


def _standard(row: FloatArray, inside: BoolArray) -> FloatArray:
    """Zero mean and unit spread over the beats inside, at most 3 from the mean."""
    values = np.asarray(row, dtype=np.float64)
    spread = float(values[inside].std())
    if spread < 1e-9:
        return np.zeros(values.size)
    standard: FloatArray = np.clip((values - values[inside].mean()) / spread, -3.0, 3.0)
    return standard


def _smooth(row: FloatArray, width: int) -> FloatArray:
    from scipy.ndimage import uniform_filter1d

    result: FloatArray = uniform_filter1d(row, width, mode="nearest")
    return result
