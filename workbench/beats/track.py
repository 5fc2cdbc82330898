"""From a recording to its beat grid.

The steps: the network runs (`beats.network`), or onset strengths blend into an activation (`beats.tempo`); from either
several pulses are proposed, each the most probable beats near a tempo by the bar-pointer model (`beats.candidates`);
the readings of all of them compete over the whole piece (`beats.meter`); the winner's beats are moved to the onsets
near them, put on straight lines where the tempo is steady (`beats.constant_tempo`), and counted in bars
(`beats.meter`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.beats._kernels import bar_pointer
from workbench.beats.candidates import BEAT_EVIDENCE, MAX_TEMPO_CHANGE_COST, TEMPO_CHANGE_COST, propose
from workbench.beats.constant_tempo import slips_of, steady_beats
from workbench.beats.evidence import ATTACK, Evidence, Pulse, describe_pulse, gather_evidence
from workbench.beats.grid import BeatGrid
from workbench.beats.meter import bar_positions_of, best_reading, reading_chances
from workbench.beats.network import run_network
from workbench.beats.tempo import beat_activation
from workbench.beats.tempo_changes import follow_changes
from workbench.beats.weights import weights_for
from workbench.errors import MediaError, ParameterError
from workbench.features.onsets import OnsetStrengths, detect_onsets
from workbench.features.spectrum import ENERGY_PER_SECOND, SAMPLE_RATE, Spectrum, analyze_spectrum
from workbench.params import BeatParams
from workbench.recording import FloatArray, IntArray, Recording

_CLEAR_ATTACK = 0.1
"""attack from which an onset is clear enough to time a beat by"""
_REACH_SECONDS = 0.04
"""s by which a beat may be moved to its onset, two frames of the network"""
_LEAST_PART = 4
"""ms; shorter parts are no sound of its own but a swing of a low tone"""
_SILENCE = 1e-6
"""energy relative to the loudest sound near a beat, -60 dB, under which nothing is audible beside it"""
_OUT_OF_TIME = 0.05
"""s beyond which two beats are not the same"""
_MOST_SLIPS = 4
"""slips that count against a grid"""
_NO_GRID = 4
"""fewest beats of a grid; fewer do not define a tempo"""
_HEAD_SECONDS = 0.01
"""s around the first sample within which a beat is the one that begins the file"""
_ENDING_BEATS = 24
"""beats before the end that may slow down; six bars, more than is customary"""
_MOST_SLOWDOWN = 1.9
"""ratio of the last beat to the usual one; twice would be another tempo"""
_ENDING_ACTIVATION = 0.25
"""activation under which a beat of a slowing ending costs more than it gives"""
_ENDING_GAIN = 0.15
"""activation by which slowing beats must sound better than steady ones"""
_UNSTEADY_SECONDS = 0.015
"""s; median unevenness at which beats count as half steady"""


def track_beats(
    sound: Recording | FloatArray,
    sample_rate: int | None = None,
    params: BeatParams | None = None,
) -> BeatGrid:
    """Track the beats and downbeats of a recording by this tracker, whichever the parameters name.

    `workbench.analysis.protocols.track_beats` is the same by the one that they name, and says what is raised.
    """
    if isinstance(sound, Recording):
        if sample_rate is not None:
            raise ParameterError("a recording knows its sample rate; give params by name: track_beats(sound, params=…)")
        samples, rate = sound.samples, sound.sample_rate
    else:
        samples, rate = sound, sample_rate or SAMPLE_RATE
    return track_beats_in(analyze_spectrum(samples, rate), params)


class OwnTracker:
    """The tracker of this package, an implementation of `workbench.analysis.protocols.BeatTracker`."""

    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        """Track beats and downbeats."""
        return track_beats(recording, params=params)


def track_beats_in(
    spectrum: Spectrum, params: BeatParams | None = None, onsets: OnsetStrengths | None = None
) -> BeatGrid:
    """Track beats and downbeats in a spectrogram that serves other stages too; see `track_beats`."""
    params = params or BeatParams()
    return track_gathered(gather(spectrum, params, onsets), params)


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The input of the tracker: all that it needs of a spectrogram, in a third of the memory."""

    activation: FloatArray
    """shape (n_frames,), 0 to 1"""
    onsets: OnsetStrengths
    evidence: Evidence | None
    """None where there are no frames"""
    energy: FloatArray
    """shape (2, n), of the spectrum, by which onsets are timed"""
    duration: float
    """s"""


def gather(spectrum: Spectrum, params: BeatParams, onsets: OnsetStrengths | None = None) -> Gathered:
    """Run the network and gather the evidence, after which the spectrogram of a recording is needed no more.

    MediaError for a spectrogram of samples that are NaN, infinite or beyond the range of sound.
    """
    _check_finite(spectrum)
    onsets = onsets or detect_onsets(spectrum)
    activation = beat_activation(onsets)
    if not spectrum.n_frames:
        return Gathered(activation, onsets, None, spectrum.energy, spectrum.duration)
    network = run_network(spectrum) if params.activation == "network" else None
    evidence = gather_evidence(activation, onsets, spectrum, network)
    return Gathered(activation, onsets, evidence, spectrum.energy, spectrum.duration)


def track_gathered(gathered: Gathered, params: BeatParams, known_bpm: float | None = None) -> BeatGrid:
    """Track beats and downbeats in what was gathered with the same params; see `track_beats`.

    A tempo that a person knows is in beats of any metre, and no pulse of another tempo is considered.
    """
    tracked = track(gathered, params, known_bpm)
    if tracked is None:
        return BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4, 0.0)
    confidence = weights_for(params.activation).certainty(tracked.signs)
    return BeatGrid(tracked.times, tracked.positions, tracked.beats_per_bar, confidence)


def _check_finite(spectrum: Spectrum) -> None:
    """Raise for samples that are not finite; one spoils every frame it falls into, so the frames are checked."""
    bad = np.flatnonzero(~np.isfinite(spectrum.power.sum(axis=0)))
    if bad.size:
        at = float(bad[0] / spectrum.frames_per_second)
        raise MediaError(f"the sound at {at:.2f} s has samples that are not finite, or far too large")


@dataclass(frozen=True, slots=True, eq=False)
class Tracked:
    """Beats as they were found, and the signs of how far to trust them."""

    times: FloatArray
    """shape (n_beats,), s"""
    positions: IntArray
    """shape (n_beats,), from 1"""
    beats_per_bar: int
    signs: dict[str, float]
    """of certainty, by the names of the signs in `weights`"""


def track(gathered: Gathered, params: BeatParams, known_bpm: float | None = None) -> Tracked | None:
    """Track beats, and gather the signs of how far to trust them; None where no pulse is found."""
    activation, onsets, evidence = gathered.activation, gathered.onsets, gathered.evidence
    if evidence is None:
        return None
    pulses, readings = propose(activation, evidence, params, known_bpm)
    if not pulses:
        return None
    weights = weights_for(params.activation)
    best, agreed = best_reading(pulses, readings, reading_chances(readings, weights, params))
    winner = int(readings.pulse[best])
    pulse = pulses[winner]
    # pulses decoded from the network's output follow changes of tempo by themselves
    changed = follow_changes(pulses, winner, evidence, params) if evidence.network is None else None
    if changed is not None:
        pulse, positions, agreed = describe_pulse(changed.times, evidence), changed.positions, changed.confidence
    else:
        if evidence.network is None:
            slowed = follow_ending(pulse.times[pulse.times <= evidence.ends], evidence)
            pulse = pulse if slowed is None else describe_pulse(slowed, evidence)
        positions = bar_positions_of(pulse, readings, best, weights)
    # times come last: which beats there are is decided on frames of 10 or 20 ms, at which no line could be fitted
    trust = np.minimum(pulse.strengths[ATTACK, :, 0], 1.0)
    sharp = _refined(pulse.times, onsets, gathered.energy)
    times = steady_beats(sharp, trust)
    sounds = (pulse.times >= evidence.begins) & (pulse.times <= evidence.ends)
    keep = sounds & (times >= -_HEAD_SECONDS) & (times <= gathered.duration)
    if np.count_nonzero(keep) < _NO_GRID:
        return None
    # the prevailing metre, from the bars as they were counted in the end
    bars = np.diff(np.flatnonzero(positions == 1))
    beats_per_bar = int(np.bincount(bars).argmax()) if bars.size else int(positions.max())
    steady = _steadiness(sharp, trust, pulse)
    signs = {"margin": _log_odds(agreed), "steady": _log_odds(steady), "constant": 1.0}
    signs |= pulse_signs(pulse, positions)
    times, positions = _with_head(times[keep], positions[keep], beats_per_bar, evidence.begins)
    return Tracked(times, positions, beats_per_bar, signs)


def _with_head(
    times: FloatArray, positions: IntArray, beats_per_bar: int, begins: float
) -> tuple[FloatArray, IntArray]:
    """Beats, and their places in the bar, with the one on the first sample of the file.

    An onset there rises from nothing that the file holds, so that no onset strength shows it. What sounds from the
    first sample on has a beat there if the grid, one beat further back, has one.
    """
    earlier = 2.0 * times[0] - times[1]
    if times[0] > _HEAD_SECONDS and abs(earlier) <= _HEAD_SECONDS and earlier >= begins:
        times = np.concatenate(([earlier], times))
        positions = np.concatenate(([(positions[0] - 2) % beats_per_bar + 1], positions)).astype(positions.dtype)
    return np.maximum(times, 0.0), positions


def pulse_signs(pulse: Pulse, positions: IntArray) -> dict[str, float]:
    """Signs that a grid is right in how the network detects it, none where the tracker uses onsets alone.

    The margin over other readings is of the whole piece and does not show a slip inside it, so slips are counted.
    """
    if pulse.network is None:
        return {}
    signs: dict[str, float] = {}
    opens = pulse.sounding & (positions == 1)
    inside = pulse.sounding & (positions != 1)
    if opens.any() and inside.any():
        signs["bar_lines"] = float(pulse.network.downbeat[opens].mean() - pulse.network.downbeat[inside].mean())
    odds = pulse.network.beat[pulse.sounding]
    signs["beats"] = float(odds[:, 0].mean() - odds[:, 3].mean())
    signs["missed"] = pulse.network.missed
    signs["slips"] = float(min(slips_of(pulse.times[pulse.sounding]), _MOST_SLIPS))
    return signs


def _log_odds(chance: float) -> float:
    """Log-odds of a probability, bounded, because it can be 0 or 1 to the last digit."""
    bounded = min(max(chance, 1e-4), 1.0 - 1e-4)
    return float(np.log(bounded / (1.0 - bounded)))


def follow_ending(times: FloatArray, evidence: Evidence) -> FloatArray | None:
    """Beats through a ritardando at the end, which a pulse that was steady for minutes does not follow.

    The last bars are decoded once more, at the level of beats and with a tempo that may only fall, from a beat that is
    still in time. The result is taken where the onsets on its beats are clearly stronger than on the steady ones, and
    is None where the tempo of the pulse stays the same to the end. `times` run up to the last onset.
    """
    rate = evidence.frames_per_second
    activation = evidence.activation
    start = max(times.size - _ENDING_BEATS, 0)
    if times.size - start < _NO_GRID:
        return None
    period = float(np.median(np.diff(times))) * rate
    shortest, longest = round(0.97 * period), round(_MOST_SLOWDOWN * period)
    first = round(float(times[start]) * rate)
    until = min(int(evidence.ends * rate), activation.size)
    if until - first < 2 * longest:
        return None
    # a beat without an onset costs: slow beats that all have one outweigh fast beats of which only some do
    likely = (BEAT_EVIDENCE * (activation[first:until] - _ENDING_ACTIVATION)).astype(np.float32)
    likely[0] += 1000.0  # the path has to begin at the beat that is still in time
    prior = np.zeros(longest - shortest + 1, dtype=np.float32)
    frames = first + bar_pointer(likely, shortest, prior, TEMPO_CHANGE_COST, 1, MAX_TEMPO_CHANGE_COST)
    gaps = np.diff(frames)
    steady = np.round(times[start:] * rate).astype(np.int64).clip(0, activation.size - 1)
    differs = np.flatnonzero(np.abs(frames[: steady.size] - steady[: frames.size]) > _OUT_OF_TIME * rate)
    if not differs.size or not gaps.size:
        return None
    split = int(differs[0])
    slowing = gaps[max(split - 1, 0) :] / period
    steps = np.diff(slowing)
    # decoding the off-beats of a steady ending looks like one long beat and then the old tempo
    if slowing.size < 3 or np.mean(slowing > 1.04) < 0.8 or steps.min() < -0.05 or steps.max() > 0.2:
        return None
    gain = activation[frames[split:]].mean() - activation[steady[split:]].mean()
    if gain < _ENDING_GAIN:
        return None
    return np.concatenate((times[:start], frames / rate))


def _refined(times: FloatArray, onsets: OnsetStrengths, energy: FloatArray) -> FloatArray:
    """Beats moved to the onset within 40 ms, to a millisecond; beats without an onset stay.

    Of all places near a beat that divide the sound into a part of one variance and a louder one of another, the onset
    is the likeliest for normally distributed samples: it minimises n log v summed over both parts, of length n and
    variance v. A spectrum would not do, for its window sees an onset before its time, how much before depends on how
    quickly the sound dies away.

    References
    ----------
    Hinkley, "Inference about the change-point in a sequence of random variables", Biometrika 1970.
    """
    reach, rate = round(_REACH_SECONDS * ENERGY_PER_SECOND), onsets.frames_per_second
    frames = round(_REACH_SECONDS * rate)
    refined = times.copy()
    for k, time in enumerate(times.tolist()):
        frame = round(time * rate)
        if onsets.attack[max(frame - frames, 0) : frame + frames + 1].max(initial=0.0) < _CLEAR_ATTACK:
            continue
        at = round(time * ENERGY_PER_SECOND) + np.arange(-reach, reach)
        inside = (at >= 0) & (at < energy.shape[1])
        split = _louder_from(energy[:, at.clip(0, energy.shape[1] - 1)] * inside)
        if split is not None:
            # the first millisecond of the louder part has the onset somewhere inside
            refined[k] = (at[split] + 0.5) / ENERGY_PER_SECOND
    gap = np.diff(refined)
    return times if gap.size and gap.min() <= 0 else refined


def _louder_from(energy: FloatArray) -> int | None:
    """Where the louder of the two likeliest parts begins, None where none is louder; energy of shape (rows, n)."""
    floor = _SILENCE * energy.max(axis=1, keepdims=True) + np.finfo(np.float32).tiny
    total = np.cumsum(energy + floor, axis=1, dtype=np.float64)
    splits = np.arange(_LEAST_PART, energy.shape[1] - _LEAST_PART)
    before, rest = total[:, splits - 1], energy.shape[1] - splits
    quiet, loud = np.log(before / splits), np.log((total[:, -1:] - before) / rest)
    cost = np.sum(splits * quiet + rest * loud, axis=0)
    cost[np.sum(loud - quiet, axis=0) <= 0.0] = np.inf
    best = int(np.argmin(cost))
    return int(splits[best]) if np.isfinite(cost[best]) else None


def _steadiness(times: FloatArray, trust: FloatArray, pulse: Pulse) -> float:
    """How well beats with an onset lie midway between their neighbours, 0 to 1; one half where too few have one.

    Musicians who follow each other stay within some 10 ms; onsets that merely happen to lie near a grid do not.
    """
    sounds = (trust > 0.25) & pulse.sounding
    inner = sounds[1:-1] & sounds[:-2] & sounds[2:]
    if np.count_nonzero(inner) < _NO_GRID:
        return 0.5
    off = float(np.median(np.abs(times[1:-1] - 0.5 * (times[:-2] + times[2:]))[inner]))
    return float(1.0 / (1.0 + (off / _UNSTEADY_SECONDS) ** 4))


def warm_up() -> None:
    """Compile the kernels, so that the first recording does not wait for it; quick if they are cached on disk."""
    rate = SAMPLE_RATE
    clicks = np.zeros(8 * rate, dtype=np.float32)
    clicks[:: rate // 2] = 1.0
    track_beats(clicks, rate)
