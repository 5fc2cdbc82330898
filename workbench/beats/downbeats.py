"""The position of every beat in its bar, once a reading of the whole piece is chosen.

The chosen reading gives the metre and the first downbeat. The beats follow it unless the evidence for something else is
strong: a bar that is cut short, a metre that changes for a while. Viterbi over metres and positions, with bars as the
unit in which a metre may change (Krebs, Böck & Widmer, ISMIR 2015).

Functions: `bar_positions_of`.
"""

from __future__ import annotations

import numpy as np

from workbench.beats.evidence import BEAT_CUES, Pulse
from workbench.beats.network import METRES
from workbench.beats.readings import Readings
from workbench.beats.weights import ReadingWeights
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
    """Positions of the beats of a pulse, from 1, near the best reading.

    The pulse is that of the reading, or the same with its ending tracked again.
    """
    from workbench.beats._kernels import bar_positions

    metre, first = int(readings.beats_per_bar[best]), int(readings.first_position[best])
    n = pulse.times.size
    starts = np.concatenate(([0], np.cumsum(METRES)[:-1]))
    emission = np.zeros((n, sum(METRES)))
    # bar lines are rated by their own beats alone; the network also rates the metre of every beat
    if pulse.heard is None:
        emission[:, starts] = (_BAR_EVIDENCE * _line(pulse, metre, weights))[:, None]
    else:
        emission[:, starts] = pulse.heard.downbeat[:, None]
        emission += np.repeat(_METRE_WEIGHT * pulse.heard.metre, METRES, axis=1)
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
