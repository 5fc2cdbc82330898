"""Detecting a voice in music by the traces that singing and speaking leave in a mix.

Instruments hold a pitch or step between pitches; the pitch of a voice always moves. Between neighbouring frames its
partials move by parts of a semitone, up and down with the vibrato and through every glide, in several ranges of the
spectrum at once (the fluctogram of Lehner and others); its level in the range of the formants varies at the rate of
syllables; and a speech detector responds to words even where they are sung. Each clue alone is found in some instrument
as well, a slide guitar, a choir pad, a talking drum; a logistic model weighs them. It was fitted to synthesised singing
and speech; recorded singers it finds more surely than those (see the card `character.md`).

Of a long recording six stretches of ten seconds are analysed, which is enough to find a singer and bounds the cost.

References
----------
Lehner, Widmer & Sonnleitner, "On the reduction of false positives in singing voice detection", ICASSP 2014: the
fluctogram. Houtgast & Steeneken, "A review of the MTF concept in room acoustics", JASA 77, 1985: syllables at 4 Hz.
"""

from __future__ import annotations

import numpy as np

from workbench.features.character_model import chance
from workbench.recording import FloatArray, IntArray

RATE = 16_000
"""Hz, sample rate of the analysed sound"""
EXCERPTS, EXCERPT_SECONDS = 6, 10.0
_HOP, _WINDOW, _FFT = 320, 1024, 4096  # samples: 20 ms, 64 ms, and zeros up to bins of 3.9 Hz
_LOWEST_HZ = 200.0
_STEPS = 252  # fifths of a semitone from the lowest frequency on, to 3.7 kHz
_BAND_STEPS, _BAND_HOP = 60, 32  # bands an octave wide, which overlap by about half
_MOST_SHIFT = 4  # steps to either side within which a band is searched; a move that far is not counted
_LEAST_LIKENESS = 0.7  # correlation below which it is unclear where a band has moved
_BLOCK_FRAMES = 512  # transformed at a time
_FORMANTS_HZ = ((300, 1000), (1000, 3400), (4000, 7500))
_LEAST_SECONDS = 2.0


def excerpts(mono: FloatArray) -> FloatArray:
    """Six stretches of ten seconds of a recording at `RATE`, spread evenly and joined; all of it up to a minute."""
    length = round(EXCERPT_SECONDS * RATE)
    if mono.size <= EXCERPTS * length:
        return mono
    starts = (np.arange(EXCERPTS) + 0.5) / EXCERPTS * mono.size - length / 2
    return np.concatenate([mono[int(start) : int(start) + length] for start in starts])


def voice_chance(samples: FloatArray, speech: FloatArray) -> float:
    """Probability of singing or speech; 0 for silence and for less than two seconds.

    `speech` is the probability of speech in the excerpts, see `workbench.features.speech_probability`.
    """
    if samples.size < _LEAST_SECONDS * RATE or speech.size == 0 or float(np.abs(samples).max()) < 1e-4:
        return 0.0
    return chance("voice", voice_clues(samples, speech))


def voice_clues(samples: FloatArray, speech: FloatArray) -> FloatArray:
    """The clues for a voice, shape (20,), independent of gain; arguments as of `voice_chance`."""
    # A voice glides, and its partials glide together; most instruments step.
    moves, level = _moves(samples)
    weight = level / max(float(level.sum()), 1e-9)
    moving = (np.abs(moves) >= 1) & (np.abs(moves) < _MOST_SHIFT)
    same_way = (np.sign(moves[:, 1:]) == np.sign(moves[:, :-1])) & moving[:, 1:] & moving[:, :-1]
    together = np.mean((moving.sum(axis=0) >= 3) & (np.abs(np.sign(moves).sum(axis=0)) >= 3))
    by_band = (moving * level).sum(axis=1) / np.maximum(level.sum(axis=1), 1e-9)
    spoken = np.array([speech.mean(), np.quantile(speech, 0.5), np.quantile(speech, 0.9), np.mean(speech > 0.5)])
    moved = np.array([(moving * weight).sum(), (same_way * weight[:, 1:]).sum(), together])
    return np.concatenate((np.sqrt(spoken), moved, by_band, _syllables(samples)))


def _moves(samples: FloatArray) -> tuple[IntArray, FloatArray]:
    """How many fifths of a semitone each band has moved in 40 ms, and its level, 0 where the move is unclear.

    Both of shape (n_bands, n_frames).
    """
    steps = _fine_steps(samples)
    inner = slice(_MOST_SHIFT, _BAND_STEPS - _MOST_SHIFT)
    moves, levels = [], []
    for first in range(0, _STEPS - _BAND_STEPS + 1, _BAND_HOP):
        band = steps[:, first : first + _BAND_STEPS]
        old = band[:-2, inner]
        likeness = np.stack(
            [
                _correlation(old, band[2:, _MOST_SHIFT + shift : _BAND_STEPS - _MOST_SHIFT + shift])
                for shift in range(-_MOST_SHIFT, _MOST_SHIFT + 1)
            ]
        )
        moves.append(np.argmax(likeness, axis=0) - _MOST_SHIFT)
        levels.append(np.linalg.norm(old, axis=1) * (likeness.max(axis=0) > _LEAST_LIKENESS))
    return np.stack(moves), np.stack(levels)


def _fine_steps(samples: FloatArray) -> FloatArray:
    """Magnitude in steps of a fifth of a semitone, 50 frames a second, shape (n_frames, _STEPS), float32."""
    from scipy import fft

    at = _LOWEST_HZ * 2.0 ** (np.arange(_STEPS) / 60.0) * _FFT / RATE
    below = at.astype(np.int64)
    share = (at - below).astype(np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(samples, _WINDOW // 2), _WINDOW)[::_HOP]
    hann = np.hanning(_WINDOW).astype(np.float32)
    rows = []
    for first in range(0, len(frames), _BLOCK_FRAMES):
        magnitude = np.abs(fft.rfft(frames[first : first + _BLOCK_FRAMES] * hann, _FFT, axis=1))
        rows.append(magnitude[:, below] * (1.0 - share) + magnitude[:, below + 1] * share)
    return np.concatenate(rows).astype(np.float32)


def _correlation(a: FloatArray, b: FloatArray) -> FloatArray:
    """Correlation of the rows of two arrays of one shape."""
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.asarray((a * b).sum(axis=1) / np.maximum(scale, 1e-9))


def _syllables(samples: FloatArray) -> FloatArray:
    """Share of the level's variation at 2 to 8 Hz in three ranges, and their standard deviations; shape (6,)."""
    from scipy import fft, signal

    clues: list[float] = []
    for low, high in _FORMANTS_HZ:
        filters = signal.butter(2, [low, high], "bandpass", fs=RATE, output="sos")
        whole = samples.size // _HOP * _HOP
        power = np.square(signal.sosfilt(filters, samples))[:whole].reshape(-1, _HOP).mean(axis=1)
        level = np.log(power + 1e-3 * power.mean() + 1e-12)
        changes = np.square(np.abs(fft.rfft((level - level.mean()) * np.hanning(level.size))))
        hz = np.arange(changes.size) * (RATE / _HOP) / level.size
        # Syllables come at 2 to 8 Hz, sung ones too.
        total = float(changes[(hz > 0.3) & (hz < 20.0)].sum()) + 1e-12
        clues += [float(changes[(hz > 2.0) & (hz < 8.0)].sum()) / total, float(level.std())]
    return np.array(clues)
