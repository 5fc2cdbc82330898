"""The sound of a track as one vector, whose cosines measure likeness, also with a query that states only some facts.

The vector is a row of blocks, one a fact. A number becomes a few overlapping bumps over its range, so that the inner
product of two blocks falls smoothly with the distance of the two numbers, like a Gaussian kernel; a quality with two
poles becomes an angle of a quarter turn; shapes (the contour, the timbre, the rhythm within a bar) are their own
blocks. Each block has the length of its weight, and an unknown fact leaves its block zero, so that it does not change
an inner product. So the same function computes the vector of a track, from all facts, and that of a request, from the
few that it states.

References
----------
Rahimi & Recht, "Random features for large-scale kernel machines", NIPS 2007, for kernels as inner products; here the
features are few and placed by hand, because each fact is a number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.recording import FloatArray

CONTOUR_PARTS = 32
"""equal parts of a track in which its energy is measured"""
SOUND_DIMS = 64
"""length of a track's sound vector"""
TIMBRE_BANDS = 16
RHYTHM_STEPS = 8
_CONTOUR_WAVES = 8
_SLOWEST_BPM, _FASTEST_BPM = 50.0, 200.0
_BUSIEST = 12.0  # onsets a second
_WEIGHTS = {
    "energy": 1.0, "pace": 1.0, "brightness": 0.7, "density": 0.7, "mode": 0.4, "vocals": 0.4, "drums": 0.5,
    "contour": 0.6, "timbre": 1.2, "rhythm": 0.5,
}  # fmt: skip
"""length of each block; timbre weighs most because it is what distinguishes two albums"""
_BUMPS = {"energy": 6, "pace": 8, "brightness": 6, "density": 6}
_USUAL_TILT = 0.22  # share of specific loudness lost an octave, in most music
_FULL_SWING = 0.25
"""root mean square of a contour about its mean at which its shape counts in full"""


@dataclass(frozen=True, slots=True, eq=False)
class SoundFacts:
    """Facts about a sound, measured or asked for; None where unknown."""

    bpm: float | None = None
    energy: float | None = None
    """0 to 1"""
    brightness: float | None = None
    """0 to 1"""
    density: float | None = None
    """onsets a second"""
    mode: float | None = None
    """-1 minor to 1 major"""
    vocals: float | None = None
    """0 to 1"""
    drums: float | None = None
    """0 to 1"""
    contour: FloatArray | None = None
    """shape (n,), energy 0 to 1 in equal parts"""
    timbre: FloatArray | None = None
    """shape (TIMBRE_BANDS,), from `timbre_shape`"""
    rhythm: FloatArray | None = None
    """shape (RHYTHM_STEPS,), from `rhythm_shape`"""


def sound_vector(facts: SoundFacts) -> FloatArray:
    """The vector of a sound, shape (SOUND_DIMS,), of unit length; what is unknown leaves its block zero."""
    pace = None if facts.bpm is None else np.log2(facts.bpm / _SLOWEST_BPM) / np.log2(_FASTEST_BPM / _SLOWEST_BPM)
    density = None if facts.density is None else np.sqrt(facts.density / _BUSIEST)
    blocks = {
        "energy": _bumps(facts.energy, _BUMPS["energy"]),
        "pace": _bumps(pace, _BUMPS["pace"]),
        "brightness": _bumps(facts.brightness, _BUMPS["brightness"]),
        "density": _bumps(density, _BUMPS["density"]),
        "mode": _turn(None if facts.mode is None else 0.5 + 0.5 * facts.mode),
        "vocals": _turn(facts.vocals),
        "drums": _turn(facts.drums),
        "contour": _waves(facts.contour),
        "timbre": _shape(facts.timbre, TIMBRE_BANDS),
        "rhythm": _shape(facts.rhythm, RHYTHM_STEPS),
    }
    vector = np.concatenate([_WEIGHTS[name] * block for name, block in blocks.items()]).astype(np.float32)
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0.0 else vector


def timbre_shape(power: FloatArray, band_hz: FloatArray) -> FloatArray:
    """How the loudness of a sound is spread over frequency, relative to the usual spread of music.

    Shape (TIMBRE_BANDS,), of unit length, or zero for silence; independent of gain. `power` has a row a band.
    """
    edges = np.geomspace(40.0, 16_000.0, TIMBRE_BANDS + 1)
    place = np.clip(np.searchsorted(edges, band_hz, side="right") - 1, 0, TIMBRE_BANDS - 1)
    loudness = np.mean(power**0.3, axis=1, dtype=np.float64)
    bands = np.bincount(place, loudness, TIMBRE_BANDS) / np.maximum(np.bincount(place, minlength=TIMBRE_BANDS), 1)
    if bands.max() < 1e-6:
        return np.zeros(TIMBRE_BANDS)
    # Without the tilt that nearly all music has, any two spectra would be alike.
    octaves = np.linspace(0.0, np.log2(edges[-1] / edges[0]), TIMBRE_BANDS)
    level = np.log(np.maximum(bands, 1e-6 * bands.max())) + _USUAL_TILT * octaves
    return _unit(level - level.mean())


def rhythm_shape(attack: FloatArray, frames_per_second: int, downbeats: FloatArray) -> FloatArray:
    """Strength of the onsets at each place in the bar, relative to their mean.

    Shape (RHYTHM_STEPS,), of unit length; zero where there are no two bar lines.
    """
    if downbeats.size < 2 or attack.size == 0:
        return np.zeros(RHYTHM_STEPS)
    steps = np.arange(RHYTHM_STEPS) / RHYTHM_STEPS
    times = (downbeats[:-1, None] + np.diff(downbeats)[:, None] * steps).ravel()
    frames = np.rint(times * frames_per_second).astype(np.int64)[:, None] + np.arange(-2, 3)
    struck = attack[np.clip(frames, 0, attack.size - 1)].max(axis=1).reshape(-1, RHYTHM_STEPS).mean(axis=0)
    return _unit(struck - struck.mean())


def _bumps(value: float | None, count: int) -> FloatArray:
    """A number from 0 to 1 as overlapping bumps, of unit length."""
    if value is None or not np.isfinite(value):
        return np.zeros(count)
    centres = np.linspace(0.0, 1.0, count)
    width = centres[1]
    return _unit(np.exp(-0.5 * np.square((np.clip(value, 0.0, 1.0) - centres) / width)))


def _turn(value: float | None) -> FloatArray:
    """A number from 0 to 1 as an angle of up to a quarter turn: opposites are orthogonal."""
    if value is None or not np.isfinite(value):
        return np.zeros(2)
    angle = 0.5 * np.pi * np.clip(value, 0.0, 1.0)
    return np.array([np.cos(angle), np.sin(angle)])


def _waves(contour: FloatArray | None) -> FloatArray:
    """The shape of a contour as its slowest cosines; shorter than 1 where the contour is nearly flat."""
    if contour is None or not np.all(np.isfinite(contour)):
        return np.zeros(_CONTOUR_WAVES)
    at = (np.arange(contour.size) + 0.5) / contour.size
    waves = np.cos(np.pi * at[None, :] * np.arange(1, _CONTOUR_WAVES + 1)[:, None]) * np.sqrt(2.0)
    course = waves @ (np.asarray(contour, dtype=np.float64) - np.mean(contour, dtype=np.float64)) / contour.size
    length = float(np.linalg.norm(course))
    return np.asarray(course / max(length, _FULL_SWING))  # a flat contour is not blown up to a shape


def _shape(values: FloatArray | None, count: int) -> FloatArray:
    return np.zeros(count) if values is None else np.asarray(values, dtype=np.float64)


def _unit(values: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(values))
    return np.asarray(values / length if length > 1e-12 else np.zeros_like(values))
