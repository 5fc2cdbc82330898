"""Which beats are the beats, and which of them opens the bar: decided once, over the whole piece.

Every proposed pulse (a tempo and a phase), read in every metre from every first beat, is a reading of the piece. Each
reading is described by what a musician would point at: what sounds on its beats and between them, kick and bass and
new harmony on its ones, the backbeat on its twos and fours, bars that resemble the bars one, two and four before,
sections that begin on its bar lines, where the piece begins and ends. A log-linear model over these descriptions
(a few dozen weights, `workbench.beats.weights`) gives each reading a probability, so that the best one comes
with an honest margin over the rest.

Then the bar positions are decoded beat by beat with the same evidence, so that a bar that is cut short or a
change of metre inside the piece is followed when the music insists on it.

Functions: `gather_evidence`, `describe_pulse`, `readings_of`, `bar_positions_of`.

References
----------
Krebs, Böck & Widmer, "An efficient state-space model for joint tempo and meter tracking", ISMIR 2015.
Krebs, Korzeniowski, Grachten & Widmer, "Unsupervised learning and refinement of rhythmic patterns", EUSIPCO 2014: bars
of beats as the unit of evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.beats.weights import NO_PULSE, WEIGHTS
from workbench.features.onsets import OnsetStrengths, pitch_classes
from workbench.features.spectrum import Spectrum
from workbench.params import BeatParams
from workbench.recording import BoolArray, FloatArray, IntArray

METRES = (2, 3, 4)
"""beats in a bar: 2 is compound (6/8, two dotted beats), 4 is 4/4 and 12/8"""

_FRACTIONS = (0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75)
_USUAL_BAR_SECONDS = 2.0
_COMPARED_READINGS = 16
"""readings whose votes are counted; what is less likely has no say"""
_LONGEST_LAG = 34
"""beats; eight bars of 4/4 and what lies around"""
_HEARD = 0.15
"""activation from which on there is an onset"""
_SOUND_FLOOR = 1e-5
"""power relative to the loud parts from which on there is sound, -50 dB"""
_EDGE_SECONDS = 0.07
"""how far before the first and after the last onset a beat may lie that means it"""
_HIGHEST_BASS = 52
"""MIDI number; E3, above which a bass seldom goes"""
_LOW, _CHEST, _MIDDLE, _CRACK, _TOP, _ATTACK, _NOISE = range(7)

BEAT_CUES = ("harmony_beat", "harmony_bar", "bass", "low", "chest", "middle", "noise", "top", "attack", "border")
"""cues that speak for a bar line at one beat; rows of `Pulse.cues`"""
_FOUR_CUES = ("harmony_bar", "bass", "low", "border")
_PAIR_CUES = ("low", "crack", "noise", "harmony_bar")

FEATURES = (
    *(f"one_{name}" for name in BEAT_CUES),
    *(f"one_{name}_in_4" for name in _FOUR_CUES),
    *(f"odd_{name}_in_4" for name in _PAIR_CUES),
    "third_low_in_4",
    "one_crack_in_3",
    "repeats",
    "repeats_slow",
    "starts_on_one",
    "ends_on_one",
    "metre_3",
    "metre_2",
    "ternary_in_2",
    "ternary_else",
    "tempo",
    "tempo_squared",
    "tempo_in_2",
    "bar_squared",
    "on_attack",
    "half_attack",
    "quarter_attack",
    "third_attack",
    "on_low",
    "half_low",
    "quarter_low",
    "on_crack",
    "half_crack",
    "quarter_crack",
    "on_top",
    "half_top",
    "quarter_top",
    "on_middle",
    "half_middle",
    "support",
    "alternation",
)
"""what a reading is described by, in the order of the weights"""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What every pulse of one recording is held against, made once."""

    activation: FloatArray
    """shape (n_frames,), widened by 20 ms each way"""
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
    """s, where the first sound or onset is, less a tolerance"""
    ends: float
    """s, where the last onset is, and a tolerance; what rings on has no beats"""


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
    """shape (n_lags,), mean similarity of beats so many beats apart, 0 to 1"""
    sounding: BoolArray
    """shape (n_beats,), beats from the first sound to the last onset of the recording"""
    support: float
    """mean activation on the sounding beats"""


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Every reading of a piece with its description."""

    pulse: IntArray
    """shape (n,), which pulse"""
    beats_per_bar: IntArray
    """shape (n,)"""
    first_position: IntArray
    """shape (n,), position of the pulse's first beat in its bar, from 1"""
    features: FloatArray
    """shape (n, len(FEATURES))"""


def gather_evidence(activation: FloatArray, onsets: OnsetStrengths, spectrum: Spectrum) -> Evidence:
    """What every pulse is held against: onset strengths with some tolerance in time, running sums for fast means."""
    from scipy.ndimage import maximum_filter1d

    width = 2 * round(0.02 * onsets.frames_per_second) + 1
    onset_frames = np.flatnonzero(activation > _HEARD)
    level = spectrum.power.sum(axis=0)
    loud_frames = np.flatnonzero(level > _SOUND_FLOOR * np.percentile(level, 98))
    first = min(onset_frames[0], loud_frames[0]) if onset_frames.size and loud_frames.size else 0
    last = onset_frames[-1] if onset_frames.size else -1
    rows = np.vstack((np.minimum(onsets.onsets, 1.5), np.minimum(onsets.attack, 1.5)[None], onsets.noise[None]))
    return Evidence(
        maximum_filter1d(activation, width),
        maximum_filter1d(rows, width, axis=1),
        onsets.frames_per_second,
        _running(pitch_classes(spectrum)),
        _running(np.sqrt(spectrum.tones[spectrum.tone_midi <= _HIGHEST_BASS])),
        spectrum.tone_frames_per_second,
        _running(np.log10(spectrum.power[::4] + np.float32(1e-9)) + np.float32(9.0)),
        first / onsets.frames_per_second - _EDGE_SECONDS,
        last / onsets.frames_per_second + _EDGE_SECONDS,
    )


def describe_pulse(times: FloatArray, evidence: Evidence) -> Pulse:
    """Collect what sounds on and between the beats of one proposed pulse.

    Parameters
    ----------
    times : shape (n_beats,), s, at least 4 of them
    evidence : of the recording
    """
    rate = evidence.frames_per_second
    n = times.size
    period = np.diff(times, append=2 * times[-1] - times[-2])
    at = times[:, None] + period[:, None] * np.array(_FRACTIONS)
    frames = np.clip(np.round(at * rate).astype(np.int64), 0, evidence.activation.size - 1)
    strengths = evidence.strengths[:, frames]
    on = evidence.activation[frames[:, 0]]
    sounding = (times >= evidence.begins) & (times <= evidence.ends)

    tone_rate = evidence.tone_frames_per_second
    harmony_beat = _change(evidence.chroma_sum, times, period, tone_rate, 1.0)
    harmony_bar = _change(evidence.chroma_sum, times, period, tone_rate, 2.0)
    bass_change = _change(evidence.bass_sum, times, period, tone_rate, 1.0)

    beat_chroma = _unit(_means(evidence.chroma_sum, times, times + period, tone_rate))
    pattern = _unit(strengths[:5].transpose(0, 2, 1).reshape(30, n))
    level = _unit(_means(evidence.level_sum, times, times + period, rate))
    body = np.vstack((beat_chroma, pattern, level)) / np.sqrt(3.0)
    span = 8
    total = _running(body)
    k = np.arange(n)
    after = (total[:, np.minimum(k + span, n)] - total[:, k]) / np.maximum(np.minimum(span, n - k), 1)
    before = (total[:, k] - total[:, np.maximum(k - span, 0)]) / np.maximum(np.minimum(span, k), 1)
    border = np.linalg.norm(after - before, axis=0)
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
                strengths[_LOW, :, 0],
                strengths[_CHEST, :, 0],
                strengths[_MIDDLE, :, 0],
                strengths[_NOISE, :, 0],
                strengths[_TOP, :, 0],
                strengths[_ATTACK, :, 0],
                border,
            )
        ]
    )
    heard = np.flatnonzero(inside)
    likeness = _likeness(body[:, heard[0] : heard[-1] + 1], _LONGEST_LAG)
    support = float(np.mean(on[inside]))
    return Pulse(times, strengths, cues, _standard(strengths[_CRACK, :, 0], inside), likeness, inside, support)


def readings_of(pulses: list[Pulse], params: BeatParams) -> Readings:
    """Describe every pulse in every metre from every first beat."""
    rows: list[list[float]] = []
    which: list[tuple[int, int, int]] = []
    for index, pulse in enumerate(pulses):
        shared = _pulse_features(pulse, params)
        for metre in METRES:
            for first, values in enumerate(_metre_features(pulse, shared, metre), start=1):
                rows.append([values.get(name, 0.0) for name in FEATURES])
                which.append((index, metre, first))
    table = np.array(which, dtype=np.int64).reshape(-1, 3)
    return Readings(table[:, 0], table[:, 1], table[:, 2], np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES)))


def _pulse_features(pulse: Pulse, params: BeatParams) -> dict[str, float]:
    """The part of the description that does not depend on the metre."""
    mean = pulse.strengths[:, pulse.sounding].mean(axis=1)
    bpm = 60.0 / float(np.median(np.diff(pulse.times)))
    octaves = float(np.log2(bpm / params.usual_bpm))
    quarter = 0.5 * (mean[:, 1] + mean[:, 5])
    third = 0.5 * (mean[:, 2] + mean[:, 4])
    low = pulse.cues[3]
    alternation = abs(float(np.mean((low * _signs(low.size))[pulse.sounding]))) + abs(
        float(np.mean((pulse.crack * _signs(low.size))[pulse.sounding]))
    )
    return {
        "ternary": float(third[_ATTACK] - max(mean[_ATTACK, 3], quarter[_ATTACK])),
        "tempo": octaves,
        "tempo_squared": octaves * octaves,
        "on_attack": float(mean[_ATTACK, 0]),
        "half_attack": float(mean[_ATTACK, 3]),
        "quarter_attack": float(quarter[_ATTACK]),
        "third_attack": float(third[_ATTACK]),
        "on_low": float(mean[_LOW, 0]),
        "half_low": float(mean[_LOW, 3]),
        "quarter_low": float(quarter[_LOW]),
        "on_crack": float(mean[_CRACK, 0]),
        "half_crack": float(mean[_CRACK, 3]),
        "quarter_crack": float(quarter[_CRACK]),
        "on_top": float(mean[_TOP, 0]),
        "half_top": float(mean[_TOP, 3]),
        "quarter_top": float(quarter[_TOP]),
        "on_middle": float(mean[_MIDDLE, 0]),
        "half_middle": float(mean[_MIDDLE, 3]),
        "support": pulse.support,
        "alternation": alternation,
        "bpm": bpm,
    }


def _metre_features(pulse: Pulse, shared: dict[str, float], metre: int) -> list[dict[str, float]]:
    """The descriptions of one metre's readings, from first position 1 to the last."""
    residue = np.arange(pulse.times.size) % metre
    member = ((residue[:, None] == np.arange(metre)) & pulse.sounding[:, None]).astype(np.float64)
    count = np.maximum(member.sum(axis=0), 1e-9)
    cues = np.vstack((pulse.cues, pulse.crack[None]))
    sums = cues @ member
    heard = np.flatnonzero(pulse.sounding)
    bar_octaves = float(np.log2(metre * 60.0 / shared["bpm"] / _USUAL_BAR_SECONDS))
    common = shared | {
        "repeats": _lag_contrast(pulse.likeness, metre, (1, 2)),
        "repeats_slow": _lag_contrast(pulse.likeness, metre, (4, 8)),
        "metre_3": float(metre == 3),
        "metre_2": float(metre == 2),
        "ternary_in_2" if metre == 2 else "ternary_else": shared["ternary"],
        "tempo_in_2": shared["tempo"] if metre == 2 else 0.0,
        "bar_squared": bar_octaves * bar_octaves,
    }
    found = []
    for first in range(1, metre + 1):
        at = [(position - first) % metre for position in range(1, metre + 1)]
        mean = sums[:, at] / count[at]
        others = sums[:, at[1:]].sum(axis=1) / count[at[1:]].sum()
        contrast = 0.5 * np.sqrt(metre) * (mean[:, 0] - others)
        values = common | {f"one_{name}": float(value) for name, value in zip(BEAT_CUES, contrast, strict=False)}
        if metre == 4:
            values |= {f"one_{name}_in_4": values[f"one_{name}"] for name in _FOUR_CUES}
            odd = sums[:, at[0::2]].sum(axis=1) / count[at[0::2]].sum()
            even = sums[:, at[1::2]].sum(axis=1) / count[at[1::2]].sum()
            names = (*BEAT_CUES, "crack")
            values |= {f"odd_{name}_in_4": float((odd - even)[names.index(name)]) for name in _PAIR_CUES}
            values["third_low_in_4"] = float(mean[BEAT_CUES.index("low"), 2])
        if metre == 3:
            values["one_crack_in_3"] = float(mean[-1, 0] - others[-1])
        if heard.size:
            values["starts_on_one"] = float(residue[heard[0]] == at[0])
            values["ends_on_one"] = float(residue[heard[-1]] == at[0])
        found.append(values)
    return found


def _likeness(columns: FloatArray, lags: int) -> FloatArray:
    """Mean inner product of columns so far apart, shape (lags,), 0 beyond half their number."""
    from scipy import fft

    n = columns.shape[1]
    spectrum = fft.rfft(columns, 2 * n, axis=1)
    products = fft.irfft(np.sum(np.square(spectrum.real) + np.square(spectrum.imag), axis=0), 2 * n)
    alike = np.zeros(lags)
    known = min(lags, n // 2)
    alike[:known] = products[:known] / (n - np.arange(known))
    return alike


def _lag_contrast(likeness: FloatArray, metre: int, multiples: tuple[int, ...]) -> float:
    """How much more alike beats are that lie whole bars apart than those a beat or two off."""
    gains = []
    for multiple in multiples:
        lag = metre * multiple
        if lag + 2 < likeness.size and likeness[lag + 2] > 0:
            around = [likeness[lag + off] for off in (-2, -1, 1, 2) if lag + off > 0]
            gains.append(float(likeness[lag] - np.mean(around)))
    return float(np.mean(gains)) if gains else 0.0


def weight_vector() -> FloatArray:
    """The fitted weights in the order of `FEATURES`."""
    return np.array([WEIGHTS[name] for name in FEATURES])


def local_scores(pulse: Pulse, evidence: Evidence, params: BeatParams) -> FloatArray:
    """What each beat of a pulse adds to its score by the sounds on and around it and by its tempo, shape (n_beats,)."""
    rows = {"attack": _ATTACK, "low": _LOW, "crack": _CRACK, "top": _TOP, "middle": _MIDDLE}
    places = {
        "on": pulse.strengths[:, :, 0],
        "half": pulse.strengths[:, :, 3],
        "quarter": 0.5 * (pulse.strengths[:, :, 1] + pulse.strengths[:, :, 5]),
        "third": 0.5 * (pulse.strengths[:, :, 2] + pulse.strengths[:, :, 4]),
    }
    score = np.zeros(pulse.times.size)
    for place, strengths in places.items():
        for name, row in rows.items():
            score += WEIGHTS.get(f"{place}_{name}", 0.0) * strengths[row]
    frames = np.round(pulse.times * evidence.frames_per_second).astype(np.int64)
    score += WEIGHTS["support"] * evidence.activation[frames.clip(0, evidence.activation.size - 1)]
    period = np.diff(pulse.times, append=2 * pulse.times[-1] - pulse.times[-2])
    octaves = np.log2(60.0 / period / params.usual_bpm)
    total: FloatArray = score + WEIGHTS["tempo"] * octaves + WEIGHTS["tempo_squared"] * octaves * octaves
    return total


def reading_chances(readings: Readings, weights: FloatArray) -> FloatArray:
    """Probability of each reading, shape (n,); what is missing to 1 is the chance that there is no pulse at all."""
    score = readings.features @ weights
    top = max(float(score.max()), NO_PULSE)
    odds = np.exp(score - top)
    chances: FloatArray = odds / (odds.sum() + np.exp(NO_PULSE - top))
    return chances


def best_reading(pulses: list[Pulse], readings: Readings, chances: FloatArray) -> tuple[int, float]:
    """The reading whose downbeats are most probable, and how probable they are.

    Several pulses can come to the same downbeats; their chances add up before they are compared, or readings that
    were proposed twice would split their votes. Two readings agree when nine in ten downbeats of each lie within
    70 ms of one of the other's.
    """

    def opening(index: int) -> FloatArray:
        pulse = pulses[int(readings.pulse[index])]
        metre, first = int(readings.beats_per_bar[index]), int(readings.first_position[index])
        opens = (np.arange(pulse.times.size) + first - 1) % metre == 0
        times: FloatArray = pulse.times[opens & pulse.sounding]
        return times

    likely = np.argsort(-chances)[:_COMPARED_READINGS]
    downbeats = {int(index): opening(int(index)) for index in likely}
    best, agreed = int(likely[0]), -1.0
    for index, wanted in downbeats.items():
        total = sum(
            float(chances[other])
            for other, found in downbeats.items()
            if readings.beats_per_bar[other] == readings.beats_per_bar[index]
            and min(_share_near(wanted, found), _share_near(found, wanted)) >= 0.9
        )
        if total > agreed + 1e-12:
            best, agreed = index, total
    return best, agreed


def _share_near(times: FloatArray, others: FloatArray, tolerance_s: float = 0.07) -> float:
    """Share of times that have another within a tolerance."""
    if not times.size or not others.size:
        return 0.0
    after = np.searchsorted(others, times).clip(0, others.size - 1)
    before = np.maximum(after - 1, 0)
    near = np.minimum(np.abs(others[after] - times), np.abs(others[before] - times)) <= tolerance_s
    return float(near.mean())


def bar_positions_of(pulse: Pulse, readings: Readings, best: int, weights: FloatArray, params: BeatParams) -> IntArray:
    """Positions of the beats of a pulse, near the best reading, with bars cut short where the music insists.

    Returns
    -------
    shape (n_beats,), from 1
    """
    from workbench.beats._kernels import bar_positions

    metre, first = int(readings.beats_per_bar[best]), int(readings.first_position[best])
    n = pulse.times.size
    names = [f"one_{name}" for name in BEAT_CUES]
    one = np.array([weights[FEATURES.index(name)] for name in names])
    for k, name in enumerate(BEAT_CUES):
        if metre == 4 and f"one_{name}_in_4" in FEATURES:
            one[k] += weights[FEATURES.index(f"one_{name}_in_4")]
    line = np.clip(np.maximum(one, 0.0) @ pulse.cues / max(float(np.abs(one).sum()), 1e-9), -2.0, 2.0)
    emission = np.zeros((n, metre))
    emission[:, 0] = params.bar_evidence * line
    emission[np.arange(n), (np.arange(n) + first - 1) % metre] += params.phase_prior
    states = bar_positions(emission, np.array([0]), np.array([metre]), params.metre_switch_cost, params.bar_slip_cost)
    return (states + 1).astype(np.int32)


def _running(rows: FloatArray) -> FloatArray:
    """Running sums from 0 along time, shape (m, n + 1)."""
    total = np.zeros((rows.shape[0], rows.shape[1] + 1))
    np.cumsum(rows, axis=1, out=total[:, 1:])
    return total


def _means(total: FloatArray, starts: FloatArray, ends: FloatArray, rate: float) -> FloatArray:
    """Mean of rows between times from their running sums, shape (m, n_times)."""
    frames = total.shape[1] - 1
    first = np.clip(np.round(starts * rate + 0.5).astype(np.int64), 0, frames)
    last = np.clip(np.round(ends * rate + 0.5).astype(np.int64), 0, frames)
    result: FloatArray = (total[:, last] - total[:, first]) / np.maximum(last - first, 1)
    return result


def _change(total: FloatArray, times: FloatArray, period: FloatArray, rate: float, beats: float) -> FloatArray:
    """Cosine distance between what follows a time and what precedes it, so many beats each way, shape (n,)."""
    gap = 0.03
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


def _signs(n: int) -> FloatArray:
    return 1.0 - 2.0 * (np.arange(n) % 2)
