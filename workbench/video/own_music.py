"""Where the soundtrack of a video is music itself: a band on stage, a radio, a score that is there already.

Every second is judged by the ten seconds around it, by cues that the measures of a soundtrack hold anyway:

    pulse    how strongly attacks come back after one lag between 0.25 and 1.5 s: the highest autocorrelation of the
             rises of a band over its mean, mean over the bands
    tuned    how near clear pitches are to one scale of semitones, in any tuning: length of the mean of their
             phases in a semitone; less where few pitches are clear
    low      level in dB of the bands under 500 Hz against all
    flowing  level in dB of the quietest tenth against the mean: music hardly pauses

The logarithm of the odds of music is their weighted sum. Music is where it is likelier than not, and where there is a
pulse or a pitch at all: rumble, traffic and wind are low and flow as a pad does. Short breaks do not end it, and less
than a phrase does not count. It begins and ends at the greatest change of the bands' levels near
there.

References
----------
E. Scheirer and M. Slaney, "Construction and evaluation of a robust multifeature speech/music discriminator", ICASSP
1997 (pulse, low-energy frames). K. Seyerlehner, T. Pohle, M. Schedl, G. Widmer, "Automatic music detection in
television productions", DAFx 2007 (music under a voice).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND
from workbench.files import read_numbers
from workbench.recording import BoolArray, FloatArray
from workbench.video.pitch import PITCHES_PER_SECOND

CUES = ("pulse", "tuned", "low", "flowing")
FILE = "own_music.json"
"""log-odds a unit of each cue, and their bias; the card beside it says what they were fitted to"""
WINDOW_SECONDS = 10
"""s of sound that a second is judged by"""
_PULSE_HOPS = (25, 150)  # lags at which attacks may come back
_CLEAR = 0.45  # clarity from which on there is a pitch
_ENOUGH_CLEAR = 0.2  # share of clear pitches, less of which say less
_LOW_BANDS = 2  # of `workbench.video.bands.BAND_EDGES_HZ`: under 500 Hz
_QUIET = 0.1  # quantile of the level
_NOISE_PULSE = 0.1  # under which a pulse is one that noise has by chance: 0.09, give or take 0.01
_NOISE_TUNED = 0.2
_FLOOR = 1e-9  # power, -90 dBFS
_STEPS_PER_SECOND = 10  # of edges
_AUDIBLE_DB = 50.0  # under the loudest, less of which is no change: the pauses of a dry voice are silent
_CHANGE_SECONDS = 2  # to each side, over which a change is measured


def music_cues(bands: FloatArray, pitches: FloatArray) -> FloatArray:
    """The cues of every second, from the ten seconds around it: shape (n_seconds, n_cues), in the order of `CUES`.

    Bands have shape (n_hops, n_bands), pitches (n_steps, 2), MIDI number and clarity; raises `ParameterError` for other
    shapes. A second that has begun counts.
    """
    if bands.ndim != 2 or pitches.ndim != 2 or pitches.shape[1] != 2:
        raise ParameterError(f"bands and pitches are tables, got shapes {bands.shape} and {pitches.shape}")
    seconds = -(-len(bands) // HOPS_PER_SECOND)
    levels = 10 * np.log10(np.maximum(bands, _FLOOR))
    rises = np.maximum(np.diff(levels, axis=0, prepend=levels[:1]), 0.0)
    cues = np.zeros((seconds, len(CUES)))
    for second in range(seconds):
        # at both ends the window stays inside, so that all seconds are judged by as much sound
        first = max(0.0, min(second + 0.5 - WINDOW_SECONDS / 2, seconds - WINDOW_SECONDS))
        hops, steps = (
            slice(int(first * rate), int((first + WINDOW_SECONDS) * rate))
            for rate in (HOPS_PER_SECOND, PITCHES_PER_SECOND)
        )
        power = np.asarray(bands[hops], dtype=np.float64)
        total = power.sum(axis=1)
        mean = max(float(total.mean()), _FLOOR)
        low = float(power[:, :_LOW_BANDS].sum(axis=1).mean())
        cues[second] = (
            np.mean([_pulse(band) for band in rises[hops].T]),
            _tuned(pitches[steps]),
            10 * np.log10(max(low, _FLOOR) / mean),
            10 * np.log10(max(float(np.quantile(total, _QUIET)), _FLOOR) / mean),
        )
    return cues


def music_odds(bands: FloatArray, pitches: FloatArray) -> FloatArray:
    """Log-odds that there is music, for every second, from what `music_cues` reads.

    Over 0 music is likelier than not. Raises `ResourceMissing` where the fitted weights are not shipped.
    """
    weights, cues = _weights(), music_cues(bands, pitches)
    # rumble and wind are low and flow as a pad does: without a pulse or a pitch nothing is called music
    odds = weights["bias"] + cues @ np.array([weights[name] for name in CUES])
    is_noise = (cues[:, CUES.index("pulse")] < _NOISE_PULSE) & (cues[:, CUES.index("tuned")] < _NOISE_TUNED)
    return np.asarray(np.where(is_noise, np.minimum(odds, 0.0), odds))


def music_ranges(
    bands: FloatArray, pitches: FloatArray, close_seconds: float, min_seconds: float
) -> tuple[tuple[float, float], ...]:
    """Stretches of music, sorted and disjoint, to a tenth of a second, from what `music_odds` reads.

    Breaks shorter than `close_seconds` do not end the music; stretches shorter than `min_seconds` do not count. Raises
    what `music_odds` raises.
    """
    odds = music_odds(bands, pitches)
    joined: list[tuple[int, int]] = []
    for first, last in _runs(odds > 0.0):
        if joined and first - joined[-1][1] < close_seconds:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    long = [run for run in joined if run[1] - run[0] >= min_seconds]
    if not long:
        return ()
    changes, end = _changes(bands), len(bands) / HOPS_PER_SECOND
    found: list[tuple[float, float]] = []
    for first, last in long:
        starts = 0.0 if first == 0 else _edge(changes, first)
        starts = max(starts, found[-1][1] if found else 0.0)
        ends = end if last == odds.size else _edge(changes, last)
        if ends > starts:
            found.append((starts, ends))
    return tuple(found)


def _changes(bands: FloatArray) -> FloatArray:
    """How much the band levels of the two seconds after each tenth of a second differ from those before, dB."""
    step, half = HOPS_PER_SECOND // _STEPS_PER_SECOND, _CHANGE_SECONDS * _STEPS_PER_SECOND
    steps = len(bands) // step
    floor = max(_FLOOR, float(bands.max(initial=0.0)) * 10 ** (-_AUDIBLE_DB / 10))
    levels = 10 * np.log10(np.maximum(bands[: steps * step], floor)).reshape(steps, step, -1).mean(axis=1)
    summed = np.concatenate([np.zeros((1, levels.shape[1])), np.cumsum(levels, axis=0)])
    changes = np.zeros(steps)
    if steps > 2 * half:
        after, before = summed[2 * half :] - summed[half:-half], summed[half:-half] - summed[: -2 * half]
        changes[half : steps - half + 1] = np.linalg.norm(after - before, axis=1)[: steps - 2 * half + 1] / half
    return changes


def _edge(changes: FloatArray, second: int) -> float:
    """Where music begins or ends: the greatest change within half a window, less the farther away it is."""
    reach = WINDOW_SECONDS * _STEPS_PER_SECOND // 2
    middle = second * _STEPS_PER_SECOND
    first, last = max(0, middle - reach), min(changes.size, middle + reach)
    if last <= first:
        return float(second)
    nearness = 1.0 - 0.5 * np.abs(np.arange(first, last) - middle) / reach
    return (first + int(np.argmax(changes[first:last] * nearness))) / _STEPS_PER_SECOND


def _runs(on: BoolArray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]])))
    return [(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def _pulse(rises: FloatArray) -> float:
    """Highest autocorrelation of a band's attacks at the lag of a beat over its mean; 0 without attacks."""
    centred = rises - rises.mean()
    energy = float(centred @ centred)
    if energy <= 0.0 or centred.size <= 2 * _PULSE_HOPS[1]:
        return 0.0
    spectrum = np.abs(np.fft.rfft(centred, 2 * centred.size)) ** 2
    lags = np.fft.irfft(spectrum)[_PULSE_HOPS[0] : _PULSE_HOPS[1] + 1] / energy
    return float(lags.max() - lags.mean())


def _tuned(pitches: FloatArray) -> float:
    """How near the clear pitches lie to one scale of semitones."""
    clear = pitches[pitches[:, 1] > _CLEAR, 0].astype(np.float64)
    if not clear.size:
        return 0.0
    enough = min(1.0, clear.size / len(pitches) / _ENOUGH_CLEAR)
    # a circle a semitone: one instrument off A440 has one phase, glides of talk have all
    phases = 2 * np.pi * clear
    return float(enough * math.hypot(np.mean(np.cos(phases)), np.mean(np.sin(phases))))


@cache
def _weights() -> Mapping[str, float]:
    return read_numbers(FILE)
