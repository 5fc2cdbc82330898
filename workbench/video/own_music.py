"""Where the soundtrack of a video is music itself: a band on stage, a radio, a score that is there already.

Every second is judged by the ten seconds around it, and by the five, for a jingle is short, by cues that the measures
of a soundtrack hold anyway:

    pulse    how strongly attacks come back after one lag between 0.25 and 1.5 s: the highest autocorrelation of the
             rises of a band over its mean, mean over the bands
    tuned    how near clear pitches are to one scale of semitones, in any tuning: length of the mean of their
             phases in a semitone; less where few pitches are clear
    low      level in dB of the bands under 500 Hz against all
    flowing  level in dB of the quietest tenth against the mean: music hardly pauses

The logarithm of the odds of music is their weighted sum. Music is where it is likelier than not, and where there is a
pulse or a pitch at all: rumble, traffic and wind are low and flow as a pad does. What is 45 dB under the loud passages
is no music either: the noise of a room has a pulse or a pitch now and then. Short breaks do not end it, and less than a
phrase does not count. It begins near its first likely second, where sound begins after silence or the bands'
levels change most: at the place with music likeliest in the four seconds after it, against those before. It ends
likewise.

References
----------
E. Scheirer and M. Slaney, "Construction and evaluation of a robust multifeature speech/music discriminator", ICASSP
1997 (pulse, low-energy frames). K. Seyerlehner, T. Pohle, M. Schedl, G. Widmer, "Automatic music detection in
television productions", DAFx 2007 (music under a voice).
"""

from __future__ import annotations

import math

import numpy as np

from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND
from workbench.files import read_numbers
from workbench.recording import BoolArray, FloatArray, runs
from workbench.video.pitch import PITCHES_PER_SECOND

CUES = ("pulse", "tuned", "low", "flowing")
FILE = "own_music.json"
"""log-odds a unit of each cue, and their bias; the card beside it says what they were fitted to"""
WINDOW_SECONDS = 10
"""s of sound that a second is judged by"""
_SHORT_SECONDS = 5  # the same, for jingles
_SHORT_ODDS = 0.7  # log-odds from which that little sound is taken for music; talk in wind reaches 0.65
_LEAST_RUN_SECONDS = 2  # s that are judged to be music by short windows
_LEAST_LONG_SECONDS = 8  # s in a row by long windows alone: insects and hum pass for a pulse and a pad for less
_EDGE_SECONDS = 4.0  # compared before and after an edge
_REACH_SECONDS = 6.0  # from where music is likelier than not to where it begins or ends
_SILENT_ODDS = -3.0  # log-odds of a stretch without sound
_SILENCE_SECONDS = 0.25
_SILENCE_DB, _OVER_NOISE_DB = 45.0, 6.0  # under the loud passages, and over the quietest, up to which it is silent
_PULSE_HOPS = (25, 150)  # lags at which attacks may come back
_CLEAR = 0.45  # clarity from which on there is a pitch
_ENOUGH_CLEAR = 0.2  # share of clear pitches; with less, pitches count less
_LOW_BANDS = 2  # of `workbench.video.bands.BAND_EDGES_HZ`: under 500 Hz
_QUIET = 0.1  # quantile of the level
# under which a pulse and a scale are those that noise has by chance: a pulse of 0.09, give or take 0.01, in ten seconds
_NOISE, _SHORT_NOISE = (0.1, 0.2), (0.15, 0.3)
_FLOOR = 1e-9  # power, -90 dBFS
_STEPS_PER_SECOND = 10  # of edges
_AUDIBLE_DB = 50.0  # under the loudest; quieter changes do not count, for the pauses of a dry voice are silent
_CHANGE_SECONDS = 2  # to each side, over which a change is measured


def music_cues(bands: FloatArray, pitches: FloatArray, window_seconds: int = WINDOW_SECONDS) -> FloatArray:
    """The cues of every second, from the seconds around it: shape (n_seconds, n_cues), in the order of `CUES`.

    Bands have shape (n_hops, n_bands), pitches (n_steps, 2), MIDI number and clarity; raises `ParameterError` for other
    shapes. A second that has begun counts.
    """
    if bands.ndim != 2 or pitches.ndim != 2 or pitches.shape[1] != 2:
        raise ParameterError(f"bands and pitches are tables, got shapes {bands.shape} and {pitches.shape}")
    seconds = -(-len(bands) // HOPS_PER_SECOND)
    rises = _rises(bands)
    cues = np.zeros((seconds, len(CUES)))
    for second in range(seconds):
        # at both ends the window stays inside, so that all seconds are judged by as much sound
        first = max(0.0, min(second + 0.5 - window_seconds / 2, seconds - window_seconds))
        cues[second] = _cues_within(bands, rises, pitches, first, first + window_seconds)
    return cues


def _rises(bands: FloatArray) -> FloatArray:
    levels = 10 * np.log10(np.maximum(bands, _FLOOR))
    return np.asarray(np.maximum(np.diff(levels, axis=0, prepend=levels[:1]), 0.0))


def _cues_within(bands: FloatArray, rises: FloatArray, pitches: FloatArray, first: float, last: float) -> FloatArray:
    """The cues of a stretch, s, in the order of `CUES`."""
    hops, steps = (slice(int(first * rate), int(last * rate)) for rate in (HOPS_PER_SECOND, PITCHES_PER_SECOND))
    power = np.asarray(bands[hops], dtype=np.float64)
    total = power.sum(axis=1)
    mean = max(float(total.mean()), _FLOOR)
    low = float(power[:, :_LOW_BANDS].sum(axis=1).mean())
    return np.array(
        [
            np.mean([_pulse(band) for band in rises[hops].T]),
            _tuned(pitches[steps]),
            10 * np.log10(max(low, _FLOOR) / mean),
            10 * np.log10(max(float(np.quantile(total, _QUIET)), _FLOOR) / mean),
        ]
    )


def music_odds(bands: FloatArray, pitches: FloatArray) -> FloatArray:
    """Log-odds that there is music, for every second, from what `music_cues` reads.

    Over 0 music is likelier than not. Raises `ResourceMissing` where the fitted weights are not shipped.
    """
    return _odds(music_cues(bands, pitches))


def _odds(cues: FloatArray, noise: tuple[float, float] = _NOISE) -> FloatArray:
    """Log-odds of music by cues, shape (n, n_cues)."""
    weights = read_numbers(FILE)
    # rumble and wind are low and flow as a pad does: without a pulse or a pitch nothing is called music
    odds = weights["bias"] + cues @ np.array([weights[name] for name in CUES])
    is_noise = (cues[:, CUES.index("pulse")] < noise[0]) & (cues[:, CUES.index("tuned")] < noise[1])
    return np.asarray(np.where(is_noise, np.minimum(odds, 0.0), odds))


def music_ranges(
    bands: FloatArray, pitches: FloatArray, close_seconds: float, min_seconds: float
) -> tuple[tuple[float, float], ...]:
    """Stretches of music, sorted and disjoint, to a tenth of a second, from what `music_odds` reads.

    Breaks shorter than `close_seconds` do not end the music; stretches shorter than `min_seconds` do not count. Raises
    what `music_odds` raises.
    """
    short = _odds(music_cues(bands, pitches, _SHORT_SECONDS), _SHORT_NOISE) - _SHORT_ODDS
    odds = np.maximum(music_odds(bands, pitches), short)
    joined: list[tuple[int, int]] = []
    for first, last in runs((odds > 0.0) & ~_inaudible(bands, odds.size)):
        if joined and first - joined[-1][1] < close_seconds:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    # In a jingle only the seconds whose whole window is music are judged to be, by windows as short as it is.
    long = [
        (first, last)
        for first, last in joined
        if last - first >= _LEAST_LONG_SECONDS or np.sum(short[first:last] > 0.0) >= _LEAST_RUN_SECONDS
    ]
    if not long:
        return ()
    edges = _Edges(bands, pitches)
    found: list[tuple[float, float]] = []
    for first, last in long:
        starts = max(edges.start(first), found[-1][1] if found else 0.0)
        ends = edges.end(last)
        if ends - starts >= min_seconds:
            found.append((starts, ends))
    return tuple(found)


class _Edges:
    """Where in a soundtrack music may begin and end: at its silences, and where its bands change most."""

    def __init__(self, bands: FloatArray, pitches: FloatArray) -> None:
        self.bands, self.pitches = bands, pitches
        self.rises, self.changes, self.seconds = _rises(bands), _changes(bands), len(bands) / HOPS_PER_SECOND
        self.silences = _silences(bands)

    def start(self, second: int) -> float:
        """Where the music begins exactly, s, that is likelier than not from `second` on."""
        places = [last for _, last in self.silences if abs(last - second) <= _REACH_SECONDS]
        places.append(_edge(self.changes, second) if second else 0.0)
        if second <= _REACH_SECONDS and not any(first == 0.0 for first, _ in self.silences):
            places.append(0.0)
        return max(places, key=lambda at: self._odds(at, at + _EDGE_SECONDS) - self._odds(at - _EDGE_SECONDS, at))

    def end(self, second: int) -> float:
        """Where the music ends exactly, s, that is likelier than not up to `second`."""
        places = [first for first, _ in self.silences if abs(first - second) <= _REACH_SECONDS]
        places.append(_edge(self.changes, second) if second < self.seconds else self.seconds)
        if self.seconds - second <= _REACH_SECONDS and not any(last == self.seconds for _, last in self.silences):
            places.append(self.seconds)
        return max(places, key=lambda at: self._odds(at - _EDGE_SECONDS, at) - self._odds(at, at + _EDGE_SECONDS))

    def _odds(self, first: float, last: float) -> float:
        """Log-odds that a stretch is music; it is cut off at the ends of the soundtrack."""
        first, last = max(0.0, first), min(self.seconds, last)
        hops = self.bands[int(first * HOPS_PER_SECOND) : int(last * HOPS_PER_SECOND)]
        if last - first < 1.0 or hops.sum(axis=1).mean() < _FLOOR:
            return _SILENT_ODDS
        return float(_odds(_cues_within(self.bands, self.rises, self.pitches, first, last)[np.newaxis])[0])


def _inaudible(bands: FloatArray, seconds: int) -> BoolArray:
    """Which seconds are silent beside the loud passages."""
    power = bands.sum(axis=1, dtype=np.float64)
    loud = float(np.quantile(power, 0.95)) if seconds else 0.0
    means = [power[k * HOPS_PER_SECOND : (k + 1) * HOPS_PER_SECOND].mean() for k in range(seconds)]
    return np.asarray(np.array(means) <= loud * 10 ** (-_SILENCE_DB / 10))


def _silences(bands: FloatArray) -> list[tuple[float, float]]:
    """Stretches without sound, s."""
    power = np.convolve(bands.sum(axis=1), np.full(5, 0.2), "same")
    levels = 10 * np.log10(np.maximum(power, _FLOOR))
    least, most = np.quantile(levels, (0.05, 0.95))
    quiet = runs(levels <= max(least + _OVER_NOISE_DB, most - _SILENCE_DB))
    long = [run for run in quiet if run[1] - run[0] >= _SILENCE_SECONDS * HOPS_PER_SECOND]
    return [(first / HOPS_PER_SECOND, last / HOPS_PER_SECOND) for first, last in long]


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
