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
from workbench.params import BeatParams
from workbench.recording import FloatArray, IntArray

_MOST_LINE = 2.0
"""standard deviations at which a beat's cues for a bar line are clipped"""


def bar_positions_of(
    pulse: Pulse, readings: Readings, best: int, weights: ReadingWeights, params: BeatParams
) -> IntArray:
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
        emission[:, starts] = (params.bar_evidence * _line(pulse, metre, weights))[:, None]
    else:
        emission[:, starts] = (params.network_downbeat_weight * pulse.heard.downbeat)[:, None]
        emission += np.repeat(params.network_metre_weight * pulse.heard.metre, METRES, axis=1)
    begin = int(starts[METRES.index(metre)])
    # what the whole piece decided holds at every beat, and gives way only where a bar's evidence outweighs the costs
    emission[np.arange(n), begin + (np.arange(n) + first - 1) % metre] += params.phase_prior
    other = np.ones(sum(METRES), dtype=np.bool_)
    other[begin : begin + metre] = False
    emission[:, other] -= params.other_metre_cost
    states = bar_positions(
        emission, starts.astype(np.int64), np.array(METRES), params.metre_switch_cost, params.bar_slip_cost
    )
    places = np.concatenate([np.arange(1, m + 1) for m in METRES])
    return places[states].astype(np.int32)


def _line(pulse: Pulse, metre: int, weights: ReadingWeights) -> FloatArray:
    """How much the cues of each beat suggest a bar line, shape (n_beats,), in standard deviations."""
    one = np.array([weights.nats.get(f"one_{name}", 0.0) for name in BEAT_CUES])
    if metre == 4:
        one += np.array([weights.nats.get(f"one_{name}_in_4", 0.0) for name in BEAT_CUES])
    line: FloatArray = np.maximum(one, 0.0) @ pulse.cues / max(float(np.abs(one).sum()), 1e-9)
    return np.clip(line, -_MOST_LINE, _MOST_LINE)
