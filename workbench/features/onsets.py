"""Onset strengths: how suddenly sound begins, by range of frequency, and how much the harmony changes.

Each range is the mean rise of log magnitude over the maximum of the neighbouring bands 20 ms earlier (SuperFlux: the
maximum prevents that vibrato and slides count as onsets). A strength is divided by the typical strength of the seconds
around it and of the whole recording, so that onsets of quiet sections count and noise in silence does not. Strengths
are independent of gain.

Ranges: `low` kick and bass notes, `chest` bass overtones, toms and low chords, `middle` chords and the body of a
snare, `crack` its wires, plucks and consonants, `top` hi-hats and cymbals.

References
----------
Böck & Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.features._kernels import superflux
from workbench.features.spectrum import Spectrum
from workbench.recording import FloatArray, IntArray

RANGES = ("low", "chest", "middle", "crack", "top")
"""Names of the rows of `OnsetStrengths.onsets`."""

RANGE_EDGES_HZ = (0.0, 120.0, 350.0, 2000.0, 6000.0, 20000.0)
"""Borders between the ranges."""

_LAG_SECONDS = 0.02
"""s over which a rise is measured: a little under half the window, so that a new sound is barely in the older frame"""

_BLOCK_FRAMES = 2048
"""frames whose rises are measured at a time: their levels, 1 MB, stay in a core's own cache"""

_EDGE_COMPRESSION = 3.0
"""measured: with 30 a burst out of silence is timed 13 ms before a sampled instrument, with 3 it is 9 ms"""
_COMPRESSION = 30.0
"""ratio of a loud magnitude to where the logarithm turns linear"""
_AROUND_SECONDS = 8.0
"""s around an onset that its strength is measured against: two bars to each side"""


@dataclass(frozen=True, slots=True, eq=False)
class OnsetStrengths:
    """Onset strengths of one recording on the frames of its spectrum."""

    onsets: FloatArray
    """shape (len(RANGES), n_frames), float32, >= 0; about 1 at a typical strong onset of that range"""
    noise: FloatArray
    """shape (n_frames,), float32, 0 to 1; share of the bands above 350 Hz that rise together, as in a snare or crash"""
    attack: FloatArray
    """shape (n_frames,), float32, >= 0; all ranges together, about 1 at a typical strong onset"""
    edge: FloatArray
    """shape (n_frames,), float32, >= 0; rise of nearly linear magnitude, by which onsets are timed"""
    harmonic_change: FloatArray
    """shape (n_frames,), float32, 0 to 1; distance of the chroma of the half second after from the one before"""
    frames_per_second: int
    prominence: float
    """rise that one frame in twenty exceeds, as a share of the whole range of level; 0 to 1"""


def detect_onsets(spectrum: Spectrum) -> OnsetStrengths:
    """Compute the onset strengths of a recording: finite throughout, all zero for silence, none without frames."""
    rate = spectrum.frames_per_second
    n_frames = spectrum.n_frames
    group = (np.searchsorted(np.array(RANGE_EDGES_HZ), spectrum.band_hz, side="right") - 1).astype(np.int64)
    rises, spread = _rises(spectrum.power, rate, _COMPRESSION, group, len(RANGES))
    onsets = np.stack([_normalized(row, rate) for row in rises])
    noise = spread[2:].mean(axis=0)
    rise = rises.mean(axis=0)
    attack = _normalized(rise, rate)
    prominence = float(np.percentile(rise, 95)) if n_frames else 0.0
    return OnsetStrengths(onsets, noise, attack, _edge(spectrum), _harmonic_change(spectrum), rate, prominence)


def _edge(spectrum: Spectrum) -> FloatArray:
    """Mean rise of hardly compressed magnitude over every second band; a logarithm would time loud onsets too early."""
    power = spectrum.power[::2]
    together = np.zeros(power.shape[0], dtype=np.int64)
    rises, _ = _rises(power, spectrum.frames_per_second, _EDGE_COMPRESSION, together, 1)
    edge: FloatArray = rises[0]
    return edge


def _rises(
    power: FloatArray, rate: int, compression: float, group: IntArray, n_groups: int
) -> tuple[FloatArray, FloatArray]:
    """Mean rise of compressed magnitude in groups of bands, and the share of bands that rise clearly.

    The power has shape (n_bands, n_frames), the results (n_groups, n_frames); the groups are those of the kernel
    `superflux`. Some frames at a time, so that the levels of all frames are never in memory together.
    """
    n_frames = power.shape[1]
    lag = max(1, round(_LAG_SECONDS * rate))
    loud = _loud(power)
    rises, spread = np.zeros((2, n_groups, n_frames), dtype=np.float32)
    for first in range(0, n_frames, _BLOCK_FRAMES):
        start = max(first - lag, 0)
        level = _compressed(power[:, start : first + _BLOCK_FRAMES], compression, loud)
        risen, clear = np.zeros((2, n_groups, level.shape[1]), dtype=np.float32)
        superflux(level, group, n_groups, lag, risen, clear)
        rises[:, first : first + _BLOCK_FRAMES] = risen[:, first - start :]
        spread[:, first : first + _BLOCK_FRAMES] = clear[:, first - start :]
    return rises, spread


def _loud(power: FloatArray) -> float:
    """Magnitude of the loudest band that one frame in fifty exceeds; 0 without frames."""
    return float(np.sqrt(np.percentile(power.max(axis=0), 98))) if power.size else 0.0


def _compressed(power: FloatArray, compression: float, loud: float) -> FloatArray:
    """log(1 + c * magnitude / loud) / log(1 + c), where loud is the recording's own level; float32, 0 to about 1."""
    if loud < 1e-7:
        return np.zeros(power.shape, dtype=np.float32)
    compressed: FloatArray = np.sqrt(power)
    compressed *= np.float32(compression / loud)
    compressed += np.float32(1.0)
    np.log(compressed, out=compressed)
    compressed *= np.float32(1.0 / np.log1p(compression))
    return compressed


def _normalized(strength: FloatArray, rate: int) -> FloatArray:
    """Strength relative to a typical strong onset: three times the root mean square, half local, half of the recording.

    The sum never falls below a third of the recording's, so that noise between notes stays small.
    """
    from scipy.ndimage import uniform_filter1d

    if strength.size == 0:
        return strength.astype(np.float32)
    overall = float(np.sqrt(np.mean(np.square(strength, dtype=np.float64))))
    if overall < 1e-6:
        return np.zeros(strength.size, dtype=np.float32)
    width = max(1, min(strength.size, round(_AROUND_SECONDS * rate)))
    local = np.sqrt(np.maximum(uniform_filter1d(np.square(strength, dtype=np.float64), width, mode="reflect"), 0.0))
    yardstick = 3.0 * np.maximum(0.5 * local + 0.5 * overall, overall / 3.0)
    normalized: FloatArray = (strength / yardstick).astype(np.float32)
    return normalized


def _harmonic_change(spectrum: Spectrum) -> FloatArray:
    """Cosine distance between chroma after and before each frame, half a second each way, on the frames of `power`."""
    n_frames = spectrum.n_frames
    if spectrum.tones.shape[1] < 4:
        return np.zeros(n_frames, dtype=np.float32)
    chroma = pitch_classes(spectrum)
    rate = spectrum.tone_frames_per_second
    span = max(1, rate // 2)
    # in float64: differences of sums over an hour lose what a half second holds in float32
    total = np.concatenate((np.zeros((12, 1)), np.cumsum(chroma, axis=1, dtype=np.float64)), axis=1)
    at = np.arange(chroma.shape[1] + 1)
    after = total[:, np.minimum(at + span, chroma.shape[1])] - total[:, at]
    before = total[:, at] - total[:, np.maximum(at - span, 0)]
    norms = np.linalg.norm(after, axis=0) * np.linalg.norm(before, axis=0)
    distance = np.where(norms > 1e-9, 1.0 - np.sum(after * before, axis=0) / np.maximum(norms, 1e-9), 0.0)
    times = np.arange(n_frames) / spectrum.frames_per_second
    return np.interp(times, (at - 0.5) / rate, distance).astype(np.float32)


def pitch_classes(spectrum: Spectrum) -> FloatArray:
    """Chroma of the tone frames: compressed magnitude above its own floor, folded into octaves, C first.

    Shape (12, n_tone_frames); columns are not of unit norm, so loud frames weigh more.
    """
    # less the median semitone, the floor that drums and noise raise in all of them alike
    level = _compressed(spectrum.tones, 100.0, _loud(spectrum.tones))
    level = np.maximum(level - np.median(level, axis=0, keepdims=True), 0.0)
    chroma = np.zeros((12, level.shape[1]), dtype=np.float32)
    for row, midi in zip(level, spectrum.tone_midi, strict=True):
        chroma[int(midi) % 12] += row
    return chroma
