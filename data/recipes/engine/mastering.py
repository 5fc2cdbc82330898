"""The last stage: loudness by ITU-R BS.1770-4, and a limiter that holds the peak between samples."""

from __future__ import annotations

import numpy as np
from scipy import ndimage, signal

from data.recipes.engine.effects import Sound, _smooth_db, gain_of
from data.recipes.engine.sampler import RATE

CEILING_DB = -1.8  # true peak before encoding


def _weighting() -> Sound:
    """The K weighting of BS.1770 for 44.1 kHz, from the analogue shelf and high pass that the standard tabulates."""
    f0, gain_db, q = 1681.974450955533, 3.999843853973347, 0.7071752369554196
    k = np.tan(np.pi * f0 / RATE)
    high = 10 ** (gain_db / 20)
    band = high**0.4996667741545416
    a0 = 1 + k / q + k * k
    shelf = [(high + band * k / q + k * k) / a0, 2 * (k * k - high) / a0, (high - band * k / q + k * k) / a0,
             1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0]  # fmt: skip
    f0, q = 38.13547087602444, 0.5003270373238773
    k = np.tan(np.pi * f0 / RATE)
    a0 = 1 + k / q + k * k
    pass_ = [1.0, -2.0, 1.0, 1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0]
    return np.array([shelf, pass_])


def loudness(sound: Sound) -> float:
    """Integrated loudness in LUFS; -inf for silence."""
    weighted = signal.sosfilt(_weighting(), sound, axis=0)
    block, hop = round(0.4 * RATE), round(0.1 * RATE)
    total = np.concatenate([[0.0], np.cumsum((weighted**2).sum(axis=1))])
    starts = np.arange(0, max(1, len(sound) - block + 1), hop)
    power = (total[np.minimum(starts + block, len(sound))] - total[starts]) / block
    level = -0.691 + 10 * np.log10(power + 1e-20)
    loud = power[level > -70]
    if not len(loud):
        return float("-inf")
    gate = -0.691 + 10 * np.log10(loud.mean()) - 10
    return float(-0.691 + 10 * np.log10(power[level > max(gate, -70.0)].mean()))


def true_peak(sound: Sound) -> float:
    """The peak in dB of the sound at four times its rate."""
    return float(20 * np.log10(max(np.abs(signal.resample_poly(sound[:, c], 4, 1)).max() for c in (0, 1)) + 1e-12))


def limit(sound: Sound, ceiling_db: float, ahead_ms: float = 4.0, release_ms: float = 90.0) -> Sound:
    """Keep the true peak under a ceiling: gain goes down before the peak comes, and back slowly."""
    ceiling = float(gain_of(ceiling_db))
    peak = np.zeros(len(sound))
    for channel in (0, 1):
        fine = np.abs(signal.resample_poly(sound[:, channel], 4, 1))
        peak = np.maximum(peak, fine.reshape(-1, 4).max(axis=1)[: len(sound)])
    wanted = np.minimum(1.0, ceiling / np.maximum(peak, 1e-9))
    window = 2 * round(ahead_ms / 1000 * RATE / 2) + 1
    held = ndimage.minimum_filter1d(wanted, 2 * window + 1)
    steps = -(-len(held) // 64)
    padded = np.ones(steps * 64)
    padded[: len(held)] = held
    slow_db = _smooth_db(20 * np.log10(padded.reshape(steps, 64).min(axis=1)), 1e-5, release_ms / 1000)
    slow = gain_of(np.repeat(slow_db, 64)[: len(held)])
    shape = signal.windows.hann(window + 2)[1:-1]
    gain: Sound = ndimage.convolve1d(np.minimum(held, slow), shape / shape.sum(), mode="nearest")
    return sound * gain[:, None]


def master(sound: Sound, lufs: float, ceiling_db: float = CEILING_DB) -> Sound:
    """Bring a mix to a loudness under a ceiling; a few rounds, because limiting costs loudness."""
    if not np.isfinite(loudness(sound)):
        return sound
    gain_db, result = lufs - loudness(sound), sound
    for _ in range(4):
        result = limit(sound * gain_of(gain_db), ceiling_db)
        missing = lufs - loudness(result)
        if abs(missing) < 0.1:
            break
        gain_db += missing
    return result
