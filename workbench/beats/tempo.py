"""Tempo: how strongly beats could fall at each frame, and which beat periods the whole piece supports.

A tempo is proposed here, not decided: every strong periodicity is proposed together with its half, double, 2/3, 3/2,
third and triple, because only the sounds on the beats show which of them a listener taps (`workbench.beats.meter`).
"""

from __future__ import annotations

import numpy as np

from workbench.features.onsets import OnsetStrengths
from workbench.params import BeatParams
from workbench.recording import FloatArray

_RELATED = (1.0, 2.0, 0.5, 1.5, 2.0 / 3.0, 3.0, 1.0 / 3.0, 0.75, 4.0 / 3.0)
"""periods that trackers confuse with the right one, as multiples of it"""
MOST_CANDIDATES = 10
"""tempi decoded and compared; the cost of onsets alone grows with it"""


def beat_activation(onsets: OnsetStrengths) -> FloatArray:
    """How much each frame sounds like a beat.

    Low sounds carry the beat in most music, high ones mark subdivisions; a change of harmony adds weight to an onset.
    The curve is a little blurred so that players who are not quite together still agree.
    """
    from scipy.ndimage import gaussian_filter1d

    if onsets.attack.size == 0:
        return np.zeros(0, dtype=np.float32)
    low, chest, middle, crack, top = onsets.onsets
    blend = 0.30 * low + 0.20 * chest + 0.25 * middle + 0.20 * crack + 0.05 * top
    blend = (0.6 * blend + 0.4 * onsets.attack) * (1.0 + onsets.harmonic_change)
    blurred = gaussian_filter1d(blend.astype(np.float64), 1.0, mode="constant") * 1.8
    activation: FloatArray = np.tanh(blurred).astype(np.float32)
    return activation


def tempo_candidates(activation: FloatArray, frames_per_second: int, params: BeatParams) -> FloatArray:
    """Beat periods worth trying, best supported first.

    The autocorrelation of the activation, summed over the first four multiples of each period, weighted by how often
    music is tapped at such a tempo; its peaks and the periods related to the strongest of them, in frames. There are
    none where nothing is periodic, or the recording is shorter than two beats of the slowest tempo.
    """
    from scipy import fft
    from scipy.ndimage import gaussian_filter1d

    shortest = 60.0 * frames_per_second / params.max_bpm
    longest = 60.0 * frames_per_second / params.min_bpm
    n_lags = int(4 * longest) + 2
    if activation.size < 2 * longest:
        return np.zeros(0)
    # less its slow course, or a piece that grows louder correlates with itself at every lag
    centred = activation.astype(np.float64) - gaussian_filter1d(activation.astype(np.float64), longest)
    size = fft.next_fast_len(activation.size + n_lags, real=True)
    correlation = fft.irfft(np.square(np.abs(fft.rfft(centred, size))), size)[:n_lags]
    if correlation[0] <= 1e-9:
        return np.zeros(0)
    # long lags have fewer frames to agree in, which is no evidence against slow tempi
    correlation /= correlation[0] * (1.0 - np.arange(n_lags) / max(activation.size, n_lags + 1))
    correlation = gaussian_filter1d(correlation, 0.7)
    periods = np.arange(np.floor(shortest), np.ceil(longest) + 0.25, 0.25)
    lags = np.arange(n_lags)
    salience = np.zeros(periods.size)
    # a beat also repeats after two, three and four of itself; three less often, for few pieces count in threes
    for multiple, weight in ((1, 1.0), (2, 0.8), (3, 0.4), (4, 0.6)):
        salience += weight * np.interp(periods * multiple, lags, correlation)
    bpm = 60.0 * frames_per_second / periods
    salience *= np.exp(-0.5 * np.square(np.log2(bpm / params.usual_bpm) / 1.2))
    inner = salience[1:-1]
    peaks = np.flatnonzero((inner >= salience[:-2]) & (inner > salience[2:]) & (inner > 0)) + 1
    order = peaks[np.argsort(salience[peaks])[::-1]]
    found: list[float] = []

    def add(period: float) -> None:
        if shortest <= period <= longest and all(abs(np.log(period / other)) > 0.05 for other in found):
            found.append(float(period))

    # relatives of the two strongest before the fourth and further peaks: those are the ones confused with the beat
    for index in order[:3]:
        add(periods[index])
    for index in order[:2]:
        for ratio in _RELATED:
            add(_nearest_peak(periods[index] * ratio, periods, salience))
    for index in order[3:]:
        add(periods[index])
    return np.array(found[:MOST_CANDIDATES])


def _nearest_peak(period: float, periods: FloatArray, salience: FloatArray) -> float:
    """The best supported period within 3 % of one that arithmetic suggests."""
    near = np.flatnonzero(np.abs(np.log(periods / period)) < 0.03)
    return float(periods[near[np.argmax(salience[near])]]) if near.size else float(period)
