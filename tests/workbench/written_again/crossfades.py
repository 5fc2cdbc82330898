"""The choice of a crossfade, written again from the head of `workbench.loops.fitting`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.loops import fitting
from workbench.params import SeamParams
from workbench.recording import FloatArray


class Onsets(NamedTuple):
    """Seconds re the line; the attack NaN where there is none."""

    attack: float
    before: float
    after: float


def _sound(mono: FloatArray, rate: int, line: float) -> FloatArray:
    n, at = round(0.3 * rate), round(line * rate)
    silence = np.zeros(n)
    return np.concatenate([silence, mono, silence])[at : at + 2 * n]


def _onsets(sound: FloatArray, rate: int) -> Onsets:
    hop = round(0.002 * rate)
    count = sound.size // hop
    edge = np.diff(sound, prepend=sound[:1])[: count * hop]
    power = np.pad(np.mean(edge.reshape(count, hop) ** 2, axis=1), 1)
    level = 10 * np.log10((power[:-2] + power[1:-1] + power[2:]) / 3 + 1e-12)
    floor = max(-80.0, level.max() - 26.0)
    marked = [
        bool(level[k] > floor and all(level[k] - level[max(0, j)] >= 6.0 for j in range(k - 15, k - 2)))
        for k in range(count)
    ]
    first = [k for k in range(count) if marked[k] and not (k and marked[k - 1])]
    times = (np.array(first) + 1) * hop / rate - sound.size / 2 / rate
    near = times[np.abs(times) <= 0.03]
    attack = float(near[np.abs(near).argmin()]) if near.size else np.nan
    own = attack if near.size else 0.0
    return Onsets(
        attack,
        float(times[times < min(own, 0.0) - 0.01].max(initial=-0.3)),
        float(times[times > max(own, 0.0) + 0.01].min(initial=0.3)),
    )


def _correlations(left: FloatArray, entered: FloatArray, half: int, lags: range) -> FloatArray:
    middle = left.size // 2
    window = 0.5 - 0.5 * np.cos(np.pi * np.arange(2 * half) / half)
    x = left[middle - half : middle + half]
    ys = [entered[middle - half + lag : middle + half + lag] for lag in lags]
    sums = [np.sum(window * x**2) * np.sum(window * y**2) for y in ys]
    return np.array([np.sum(window * x * y) / np.sqrt(max(1e-14, both)) for y, both in zip(ys, sums, strict=True)])


def _best_lag(left: FloatArray, entered: FloatArray, rate: int, params: SeamParams) -> tuple[float, float]:
    widest = int(rate * fitting.MAX_SHIFT_SECONDS)
    half = min(round(rate * fitting.CORRELATION_SECONDS / 2), left.size // 2 - widest - 8)
    means = [sound[: sound.size // 4 * 4].reshape(-1, 4).mean(axis=1) for sound in (left, entered)]
    coarse = range(-(widest // 4), widest // 4 + 1)
    about = 4 * coarse[int(_correlations(means[0], means[1], half // 4, coarse).argmax())]
    fine = range(max(-widest, about - 4), min(widest, about + 4) + 1)
    found = _correlations(left, entered, half, fine)
    return fine[int(found.argmax())] / rate, min(1.0, float(found.max()))


def fit(mono: FloatArray, rate: int, left: float, entered: float, params: SeamParams) -> tuple[float, ...]:
    """Leaving and entering time, seconds of the fade, its exponent, and the correlation."""
    here, there = (_sound(mono, rate, line) for line in (left, entered))
    ours, theirs = _onsets(here, rate), _onsets(there, rate)
    bound = fitting.MAX_SHIFT_SECONDS
    lag, correlation = _best_lag(here, there, rate, params)
    if correlation < fitting.MIN_CORRELATION:
        apart = theirs.attack - ours.attack
        lag = apart if abs(apart) <= bound else 0.0
    q = min(max(correlation, 0.0), 1.0)
    alike = q >= fitting.MIN_ALIKE_CORRELATION
    attack = float(np.nanmin([ours.attack, theirs.attack - lag, np.inf]))
    is_struck = attack < np.inf
    if alike:
        wanted = params.alike_fade_seconds
    elif is_struck:
        wanted = fitting.ATTACK_FADE_SECONDS
    else:
        wanted = params.alike_fade_seconds + (1 - q) * (params.unlike_fade_seconds - params.alike_fade_seconds)
    middle = attack - wanted / 2 if is_struck and not alike else 0.0
    middle = min(max(middle, -bound, -bound - lag), bound, bound - lag)
    fade = wanted
    if not alike:
        end = attack if is_struck else min(ours.after, theirs.after - lag)
        begin = max(ours.before, theirs.before - lag)
        fade = min(wanted, max(fitting.MIN_FADE_SECONDS, 2 * min(end - middle, middle - begin)))
    return left + middle, entered + middle + lag, fade, (1 + np.log2(1 + q)) / 2, correlation
