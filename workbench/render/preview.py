"""An excerpt of a track to judge it by: cut, faded, and marked audibly and evenly, so that it cannot be used otherwise.

A mark is two soft tones, a fifth apart and gliding up, at a stated distance under the loudness of the music around it:
loud music does not hide it, and it does not drown quiet music. Marks are evenly spaced, and the first comes early
enough that no clean stretch is longer than their distance.
"""

from __future__ import annotations

import numpy as np

from workbench.errors import ParameterError
from workbench.mix.limiter import limit
from workbench.params import PreviewParams, RenderParams
from workbench.recording import FloatArray, Recording, TrackSeconds

MARK_EVERY_SECONDS = 4.0  # from one mark to the next
MARK_SECONDS = 0.5
_MIN_MARK_DBFS = -36.0  # RMS of a mark in silence
_FADE_SECONDS = 0.25  # at both ends
_LOW_HZ, _HIGH_HZ = 880.0, 1320.0  # A5 and the fifth above
_GLIDE = 1.06  # a semitone upwards, which no instrument does in step with every track


def preview_of(
    recording: Recording, song_from: TrackSeconds, song_to: TrackSeconds, params: PreviewParams = PreviewParams()
) -> Recording:
    """The marked excerpt between two times, one or two channels, at most -1 dBTP.

    It is cut at `params.seconds`. Raises `ParameterError` for an empty excerpt, or one outside the track.
    """
    rate = recording.sample_rate
    first = round(max(0.0, song_from) * rate)
    stop = min(recording.samples.shape[1], round(min(song_to, song_from + params.seconds) * rate))
    if stop <= first:
        raise ParameterError(f"there is no sound from {song_from:.3f} to {song_to:.3f} s of {recording.duration:.3f} s")
    sound = np.array(recording.samples[:, first:stop], dtype=np.float64)
    if sound.shape[0] > 2:
        sound = sound.mean(axis=0, keepdims=True)
    _fade(sound, round(_FADE_SECONDS * rate))
    for begin in mark_times(sound.shape[1] / rate):
        _mark(sound, round(begin * rate), rate, params)
    return Recording.from_samples(limit(sound, rate, RenderParams()), rate)


def mark_times(seconds: float) -> FloatArray:
    """Seconds of an excerpt at which the marks begin: at least one, evenly spaced, half a distance from either end."""
    count = max(1, round(seconds / MARK_EVERY_SECONDS))
    centres = (np.arange(count) + 0.5) * seconds / count
    return np.maximum(0.0, centres - 0.5 * MARK_SECONDS)


def _fade(sound: FloatArray, length: int) -> None:
    """Fade both ends, in place."""
    length = min(length, sound.shape[1] // 2)
    if length:
        rise = 0.5 - 0.5 * np.cos(np.pi * (np.arange(length) + 0.5) / length)
        sound[:, :length] *= rise
        sound[:, -length:] *= rise[::-1]


def _mark(sound: FloatArray, begin: int, rate: int, params: PreviewParams) -> None:
    """Add one mark, in place, at a level that follows the music under it and beside it."""
    length = min(round(MARK_SECONDS * rate), sound.shape[1] - begin)
    around = sound[:, max(0, begin - length) : begin + 2 * length]
    level = float(np.sqrt(np.mean(around**2)))
    wanted = max(level * 10.0 ** (-params.mark_under_db / 20.0), 10.0 ** (_MIN_MARK_DBFS / 20.0))
    tone = _tone(length, rate)
    sound[:, begin : begin + length] += wanted / float(np.sqrt(np.mean(tone**2))) * tone


def _tone(length: int, rate: int) -> FloatArray:
    """Two tones that glide up by a semitone under a round envelope, shape (length,)."""
    share = (np.arange(length) + 0.5) / length
    turns = length / rate * (share + (_GLIDE - 1.0) * share**2 / 2.0)
    voices = np.sin(2.0 * np.pi * _LOW_HZ * turns) + 0.7 * np.sin(2.0 * np.pi * _HIGH_HZ * turns)
    return np.asarray(voices * np.sin(np.pi * share))
