"""Which of the proposed pulses is the beat, and which beat opens the bar: one decision over the whole piece.

Every proposed pulse (a tempo and a phase), read in every metre from every first beat, is a reading of the piece. Each
reading is described by its evidence (`beats.evidence`): kick and bass and new harmony on its ones, the backbeat on its
twos and fours, bars that resemble the bars one, two and four before, sections that begin on its bar lines, where the
piece begins and ends, and how far the network agrees. A log-linear model over these descriptions (a few dozen weights,
`beats.weights`) gives each reading a probability, so that the best one comes with an honest margin over the rest.

The chosen reading gives the metre and the first downbeat. The beats follow it (`bar_positions_of`) unless the evidence
for something else is strong: a bar that is cut short, a metre that changes for a while. That is a Viterbi search over
metres and positions, with bars as the unit in which a metre may change.

References
----------
Krebs, Böck & Widmer, "An efficient state-space model for joint tempo and meter tracking", ISMIR 2015: bars as the unit
of metre.
Krebs, Korzeniowski, Grachten & Widmer, "Unsupervised learning and refinement of rhythmic patterns", EUSIPCO 2014: bars
of beats as the unit of evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.beats._kernels import bar_positions
from workbench.beats.evidence import ATTACK, BEAT_CUES, CRACK, LOW, MIDDLE, TOP, Evidence, Pulse
from workbench.beats.network import METRES
from workbench.beats.weights import ReadingWeights
from workbench.params import BeatParams
from workbench.recording import FloatArray, IntArray

_MOST_LINE = 2.0
"""standard deviations at which a beat's cues for a bar line are clipped"""
_BAR_EVIDENCE = 2.0
"""nats of evidence that one beat gives for a bar line, by onsets alone"""
_PHASE_PRIOR = 0.5
"""nats a beat by which the whole piece's bar phase is preferred"""
_METRE_WEIGHT = 0.2
"""of the network's log probability of the metre, a beat: it says the same of all beats of a bar"""
_OTHER_METRE_COST = 0.5
"""nats a beat by which another metre than the whole piece's is worse"""
BAR_SLIP_COST = 12.0
"""nats that a bar cut short costs"""
_METRE_SWITCH_COST = 12.0
"""nats that a change of metre costs"""


def bar_positions_of(pulse: Pulse, readings: Readings, best: int, weights: ReadingWeights) -> IntArray:
    """Positions of the beats of a pulse, from 1: those of the best reading, except where bars clearly leave it.

    The pulse is that of the reading, or the same with its ending tracked again.
    """
    metre, first = int(readings.beats_per_bar[best]), int(readings.first_position[best])
    n = pulse.times.size
    starts = np.concatenate(([0], np.cumsum(METRES)[:-1]))
    emission = np.zeros((n, sum(METRES)))
    # bar lines are rated by their own beats alone; the network also rates the metre of every beat
    if pulse.network is None:
        emission[:, starts] = (_BAR_EVIDENCE * _line(pulse, metre, weights))[:, None]
    else:
        emission[:, starts] = pulse.network.downbeat[:, None]
        emission += np.repeat(_METRE_WEIGHT * pulse.network.metre, METRES, axis=1)
    begin = int(starts[METRES.index(metre)])
    # what the whole piece decided holds at every beat, and gives way only where a bar's evidence outweighs the costs
    emission[np.arange(n), begin + (np.arange(n) + first - 1) % metre] += _PHASE_PRIOR
    other = np.ones(sum(METRES), dtype=np.bool_)
    other[begin : begin + metre] = False
    emission[:, other] -= _OTHER_METRE_COST
    states = bar_positions(emission, starts.astype(np.int64), np.array(METRES), _METRE_SWITCH_COST, BAR_SLIP_COST)
    places = np.concatenate([np.arange(1, m + 1) for m in METRES])
    return places[states].astype(np.int32)


def _line(pulse: Pulse, metre: int, weights: ReadingWeights) -> FloatArray:
    """How much the cues of each beat suggest a bar line, shape (n_beats,), in standard deviations."""
    one = np.array([weights.nats.get(f"one_{name}", 0.0) for name in BEAT_CUES])
    if metre == 4:
        one += np.array([weights.nats.get(f"one_{name}_in_4", 0.0) for name in BEAT_CUES])
    line: FloatArray = np.maximum(one, 0.0) @ pulse.cues / max(float(np.abs(one).sum()), 1e-9)
    return np.clip(line, -_MOST_LINE, _MOST_LINE)


_USUAL_BAR_SECONDS = 2.0
_CLEAR_REPEAT = 0.1
"""contrast at which bars repeat clearly; sample-exact loops reach three times as much, which is no better evidence"""
_COMPARED_READINGS = 16
"""readings that may win or add to another's probability; less likely ones are ignored"""
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
    "metre_5",
    "metre_6",
    "metre_7",
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
    "heard_on",
    "heard_half",
    "heard_third",
    "heard_quarter",
    "heard_missed",
    "heard_confirmed",
    "heard_f",
    "heard_tempo",
    "heard_metre",
    "heard_one",
    "heard_others",
    "heard_second",
    "heard_ternary_in_2",
    "heard_ternary_else",
)
"""names of the numbers that describe a reading, in the order of `ReadingWeights.vector`"""


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


def readings_of(pulses: list[Pulse], params: BeatParams) -> Readings:
    """Describe every pulse in every metre from every first beat."""
    described: list[FloatArray] = [np.zeros((0, len(FEATURES)))]
    which: list[tuple[int, int, int]] = []
    for index, pulse in enumerate(pulses):
        shared = _pulse_features(pulse, params)
        for metre in METRES:
            described.append(_metre_features(pulse, shared, metre))
            which.extend((index, metre, first) for first in range(1, metre + 1))
    table = np.array(which, dtype=np.int64).reshape(-1, 3)
    return Readings(table[:, 0], table[:, 1], table[:, 2], np.concatenate(described))


def _pulse_features(pulse: Pulse, params: BeatParams) -> dict[str, float]:
    """The part of the description that does not depend on the metre."""
    mean = pulse.strengths[:, pulse.sounding].mean(axis=1)
    bpm = 60.0 / float(np.median(np.diff(pulse.times)))
    octaves = float(np.log2(bpm / params.usual_bpm))
    # columns are the fractions 0, 1/4, 1/3, 1/2, 2/3, 3/4 of a beat (`evidence.FRACTIONS`)
    quarter = 0.5 * (mean[:, 1] + mean[:, 5])
    third = 0.5 * (mean[:, 2] + mean[:, 4])
    # kick and snare by turns: every second beat differs, and the sum with alternating signs does not cancel
    low = pulse.cues[3]
    alternation = abs(float(np.mean((low * _signs(low.size))[pulse.sounding]))) + abs(
        float(np.mean((pulse.crack * _signs(low.size))[pulse.sounding]))
    )
    by_network = {}
    if pulse.network is not None:
        beat = pulse.network.beat[pulse.sounding].mean(axis=0)
        by_network = {
            "heard_on": float(beat[0]),
            "heard_half": float(beat[3]),
            "heard_third": float(0.5 * (beat[2] + beat[4])),
            "heard_quarter": float(0.5 * (beat[1] + beat[5])),
            "heard_missed": pulse.network.missed,
            "heard_confirmed": pulse.network.confirmed,
            "heard_f": _harmonic_mean(pulse.network.confirmed, 1.0 - pulse.network.missed),
            "heard_tempo": pulse.network.tempo,
        }
    return by_network | {
        "ternary": float(third[ATTACK] - max(mean[ATTACK, 3], quarter[ATTACK])),
        "tempo": octaves,
        "tempo_squared": octaves * octaves,
        "on_attack": float(mean[ATTACK, 0]),
        "half_attack": float(mean[ATTACK, 3]),
        "quarter_attack": float(quarter[ATTACK]),
        "third_attack": float(third[ATTACK]),
        "on_low": float(mean[LOW, 0]),
        "half_low": float(mean[LOW, 3]),
        "quarter_low": float(quarter[LOW]),
        "on_crack": float(mean[CRACK, 0]),
        "half_crack": float(mean[CRACK, 3]),
        "quarter_crack": float(quarter[CRACK]),
        "on_top": float(mean[TOP, 0]),
        "half_top": float(mean[TOP, 3]),
        "quarter_top": float(quarter[TOP]),
        "on_middle": float(mean[MIDDLE, 0]),
        "half_middle": float(mean[MIDDLE, 3]),
        "support": pulse.support,
        "alternation": alternation,
        "bpm": bpm,
    }


def _metre_features(pulse: Pulse, shared: dict[str, float], metre: int) -> FloatArray:
    """The descriptions of one metre's readings, from first position 1 to the last, shape (metre, len(FEATURES))."""
    # All readings of a metre are the same sums in another order: each cue is summed once by place in the bar, as the
    # pulse counts from its first beat, and a reading that begins elsewhere looks its places up (`at`).
    residue = np.arange(pulse.times.size) % metre
    member = ((residue[:, None] == np.arange(metre)) & pulse.sounding[:, None]).astype(np.float64)
    count = np.maximum(member.sum(axis=0), 1e-9)
    sums = np.vstack((pulse.cues, pulse.crack[None])) @ member
    sounding = np.flatnonzero(pulse.sounding)
    bar_octaves = float(np.log2(metre * 60.0 / shared["bpm"] / _USUAL_BAR_SECONDS))
    values: dict[str, float | FloatArray] = {
        **shared,
        "repeats": _lag_contrast(pulse.likeness, metre, (1, 2)),
        "repeats_slow": min(_lag_contrast(pulse.likeness, metre, (4, 8)), _CLEAR_REPEAT),
        f"metre_{metre}": 1.0,
        "ternary_in_2" if metre == 2 else "ternary_else": shared["ternary"],
        "tempo_in_2": shared["tempo"] if metre == 2 else 0.0,
        "bar_squared": bar_octaves * bar_octaves,
    }
    # residue of each position (columns) in the reading that begins at each first position (rows)
    at = (np.arange(metre) - np.arange(metre)[:, None]) % metre
    by_reading = sums[:, at]
    mean = by_reading / count[at]
    others = by_reading[:, :, 1:].sum(axis=2) / count[at[:, 1:]].sum(axis=1)
    contrast = 0.5 * np.sqrt(metre) * (mean[:, :, 0] - others)
    values |= {f"one_{name}": row for name, row in zip(BEAT_CUES, contrast, strict=False)}
    if metre == 4:
        values |= {f"one_{name}_in_4": values[f"one_{name}"] for name in _FOUR_CUES}
        odd = by_reading[:, :, 0::2].sum(axis=2) / count[at[:, 0::2]].sum(axis=1)
        even = by_reading[:, :, 1::2].sum(axis=2) / count[at[:, 1::2]].sum(axis=1)
        names = (*BEAT_CUES, "crack")
        values |= {f"odd_{name}_in_4": (odd - even)[names.index(name)] for name in _PAIR_CUES}
        values["third_low_in_4"] = mean[BEAT_CUES.index("low"), :, 2]
    if metre == 3:
        values["one_crack_in_3"] = mean[-1, :, 0] - others[-1]
    detected = pulse.network
    if detected is not None:
        values["heard_metre"] = float(detected.metre[pulse.sounding, METRES.index(metre)].mean())
        values["heard_ternary_in_2" if metre == 2 else "heard_ternary_else"] = detected.ternary
        downbeat = ((detected.downbeat @ member) / count)[at]
        values["heard_one"] = downbeat[:, 0]
        values["heard_others"] = downbeat[:, 1:].mean(axis=1)
        values["heard_second"] = downbeat[:, 1:].max(axis=1)
    if sounding.size:
        values["starts_on_one"] = (residue[sounding[0]] == at[:, 0]).astype(np.float64)
        values["ends_on_one"] = (residue[sounding[-1]] == at[:, 0]).astype(np.float64)
    described = np.zeros((metre, len(FEATURES)))
    for column, name in enumerate(FEATURES):
        if name in values:
            described[:, column] = values[name]
    return described


def _harmonic_mean(one: float, other: float) -> float:
    """F of a precision and a recall."""
    return 2.0 * one * other / max(one + other, 1e-9)


def _lag_contrast(likeness: FloatArray, metre: int, multiples: tuple[int, ...]) -> float:
    """How much more alike beats a number of bars apart are than beats one or two more or fewer apart."""
    gains = []
    for multiple in multiples:
        lag = metre * multiple
        if lag + 2 < likeness.size and likeness[lag + 2] > 0:
            around = [likeness[lag + off] for off in (-2, -1, 1, 2) if lag + off > 0]
            gains.append(float(likeness[lag] - np.mean(around)))
    return float(np.mean(gains)) if gains else 0.0


def local_scores(pulse: Pulse, evidence: Evidence, weights: ReadingWeights, params: BeatParams) -> FloatArray:
    """What each beat of a pulse adds to its score by the sounds on and around it and by its tempo, nats.

    It takes the weights of onsets: those of the network describe a whole piece.
    """
    rows = {"attack": ATTACK, "low": LOW, "crack": CRACK, "top": TOP, "middle": MIDDLE}
    places = {
        "on": pulse.strengths[:, :, 0],
        "half": pulse.strengths[:, :, 3],
        "quarter": 0.5 * (pulse.strengths[:, :, 1] + pulse.strengths[:, :, 5]),
        "third": 0.5 * (pulse.strengths[:, :, 2] + pulse.strengths[:, :, 4]),
    }
    score = np.zeros(pulse.times.size)
    for place, strengths in places.items():
        for name, row in rows.items():
            score += weights.nats.get(f"{place}_{name}", 0.0) * strengths[row]
    frames = np.round(pulse.times * evidence.frames_per_second).astype(np.int64)
    score += weights.nats["support"] * evidence.activation[frames.clip(0, evidence.activation.size - 1)]
    period = np.diff(pulse.times, append=2 * pulse.times[-1] - pulse.times[-2])
    octaves = np.log2(60.0 / period / params.usual_bpm)
    total: FloatArray = score + weights.nats["tempo"] * octaves + weights.nats["tempo_squared"] * octaves * octaves
    return total


def reading_chances(readings: Readings, weights: ReadingWeights, params: BeatParams) -> FloatArray:
    """Probability of each reading, by the log-linear model.

    The rest to a sum of 1 is the probability that there is no pulse.
    """
    octaves_squared = readings.features[:, FEATURES.index("tempo_squared")]
    score = readings.features @ weights.vector(FEATURES) - params.tempo_preference * octaves_squared
    top = max(float(score.max()), weights.no_pulse)
    odds = np.exp(score - top)
    chances: FloatArray = odds / (odds.sum() + np.exp(weights.no_pulse - top))
    return chances


def best_reading(pulses: list[Pulse], readings: Readings, chances: FloatArray) -> tuple[int, float]:
    """The reading whose downbeats are most probable, and how probable they are.

    Several pulses can lead to the same downbeats. Their probabilities are added up before they are compared, or
    readings that were proposed twice would split their votes. Two readings agree when they have the same metre and nine
    in ten downbeats of each lie within 70 ms of one of the other's.

    Which beats are right is decided first, then the metre, then the first beat. Doubt about the first beat divides a
    bar of four in up to four readings and one of two in two, but makes neither metre less probable: so of the readings
    with the best one's beats, those of a metre are added up, and the best of the likeliest metre wins. The answer is
    its index, and the sum of the probabilities of the likely readings that agree with it.
    """

    def opening(index: int) -> FloatArray:
        pulse = pulses[int(readings.pulse[index])]
        metre, first = int(readings.beats_per_bar[index]), int(readings.first_position[index])
        opens = (np.arange(pulse.times.size) + first - 1) % metre == 0
        times: FloatArray = pulse.times[opens & pulse.sounding]
        return times

    def agree(times: FloatArray, others: FloatArray) -> bool:
        return min(share_near(times, others), share_near(others, times)) >= 0.9

    # Not the single likeliest reading: equal downbeats proposed by several pulses first share their probabilities.
    likely = [int(index) for index in np.argsort(-chances)[:_COMPARED_READINGS]]
    downbeats = {index: opening(index) for index in likely}
    metres = readings.beats_per_bar
    agreed = {
        index: sum(
            float(chances[other])
            for other in likely
            if metres[other] == metres[index] and agree(downbeats[index], downbeats[other])
        )
        for index in likely
    }
    beats = pulses[int(readings.pulse[max(likely, key=agreed.__getitem__)])].times
    alike = {k: agree(beats, pulses[k].times) for k in {int(readings.pulse[index]) for index in likely}}
    counted = [index for index in likely if alike[int(readings.pulse[index])]]
    # the metre by its sum over first beats, before any first beat is chosen; see above
    metre = int(np.argmax(np.bincount(metres[counted], chances[counted])))
    best = max((index for index in counted if metres[index] == metre), key=agreed.__getitem__)
    return best, agreed[best]


def share_near(times: FloatArray, others: FloatArray, tolerance_s: float = 0.07) -> float:
    """Share of times that have one of `others`, in order, within a tolerance; 0 where either is empty.

    70 ms is the tolerance of beat F-measures.
    """
    if not times.size or not others.size:
        return 0.0
    after = np.searchsorted(others, times).clip(0, others.size - 1)
    before = np.maximum(after - 1, 0)
    near = np.minimum(np.abs(others[after] - times), np.abs(others[before] - times)) <= tolerance_s
    return float(near.mean())


def _signs(n: int) -> FloatArray:
    return 1.0 - 2.0 * (np.arange(n) % 2)
