"""The beat network: which frames sound like a beat and like a downbeat, in the context of more than a minute.

A temporal convolutional network of our own (`workbench.features.temporal_network`), trained on music composed for it
(`beat_network.md` beside the weights is its card). The rest of the tracker reads its `Activations`.

The input is the levels of 60 log-frequency bands and changes of harmony, 50 frames a second, from the spectrogram that
every stage shares. Frames of 20 ms are enough to find a beat; the onset near it gives the time to the millisecond
(`beats.track`). Training distorts `network_levels` and `network_changes` further.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.features.onsets import pitch_classes
from workbench.features.spectrum import Spectrum
from workbench.features.temporal_network import load_layers, run_layers
from workbench.files import model_digest
from workbench.recording import FloatArray, IntArray

FRAMES_PER_SECOND = 50
"""of the network"""
N_BANDS = 60
TOP_DB = 10.0
"""dB re the recording's loud level, which single bands exceed at times"""
FLOOR_DB = -80.0
"""dB re the recording's loud level; anything quieter counts as silence"""
CHANGE_SECONDS = (0.25, 0.5, 1.0, 2.0)
"""s compared before and after a frame, for all tones and for those of the bass"""
N_CHANGES = 2 * len(CHANGE_SECONDS)
N_INPUTS = N_BANDS + N_CHANGES

_COMPRESSION = 300.0
"""ratio of a loud magnitude to the one below which the logarithm is nearly linear, 50 dB"""
_SPLIT_HZ = 260.0
"""below it every bin of the transform is a band"""
HIGHEST_BASS = 52
"""MIDI number; E3, above which a bass seldom goes"""


def band_groups(band_hz: FloatArray) -> IntArray:
    """Which of the network's bands each band of the spectrogram belongs to.

    Steps of 21.5 Hz up to 260 Hz, from there on 8 bands an octave.
    """
    low = np.round((band_hz - 32.3) / 21.53)
    high = 11 + np.floor(8.0 * np.log2(np.maximum(band_hz, 1.0) / _SPLIT_HZ))
    group: IntArray = np.clip(np.where(band_hz < _SPLIT_HZ, low, high), 0, N_BANDS - 1).astype(np.int64)
    return group


def network_levels(spectrum: Spectrum) -> FloatArray:
    """Level of each of the network's bands, shape (n_frames, N_BANDS), FLOOR_DB to TOP_DB.

    The reference is the loud level of the recording, so the spectrogram has to be of all of it.
    """
    power = spectrum.power
    n_frames = _frames(spectrum)
    if not n_frames:
        return np.zeros((0, N_BANDS), dtype=np.float32)
    group = band_groups(spectrum.band_hz)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sums = np.add.reduceat(power, starts, axis=0)
    loudest = sums.max(axis=0)
    # the 98th percentile of the frames, or TOP_DB below the loudest one where a file is nearly all silence
    loud = max(float(np.percentile(loudest, 98)), float(loudest.max()) * 10.0 ** (-TOP_DB / 10.0))
    levels = np.full((n_frames, N_BANDS), FLOOR_DB, dtype=np.float32)
    if loud < 1e-14:
        return levels
    last = power.shape[1] - 1
    at = np.round(np.arange(n_frames) * spectrum.frames_per_second / FRAMES_PER_SECOND).astype(np.int64)
    at = np.minimum(at, last)
    # two frames of the spectrogram make one of the network: a triangle over three of them loses no onset in between
    edge = (at == 0) | (at == last)
    before, after = np.where(edge, at, at - 1), np.where(edge, at, at + 1)
    floor = np.float32(10.0 ** (FLOOR_DB / 10.0))
    # band by band, because a copy of all bands takes a gigabyte for two hours of sound
    for row, band in zip(sums, group[starts], strict=True):
        blurred = np.float32(0.5) * row[at] + np.float32(0.25) * (row[before] + row[after])
        levels[:, band] = np.float32(10.0) * np.log10(np.maximum(blurred * np.float32(1.0 / loud), floor))
    # the logarithm of the floor can be a rounding error below it
    np.clip(levels, np.float32(FLOOR_DB), np.float32(TOP_DB), out=levels)
    return levels


def compressed_levels(levels_db: FloatArray) -> FloatArray:
    """Compress levels in dB to log(1 + c * magnitude) / log(1 + c), 0 to about 1.2."""
    magnitude = np.exp(levels_db * np.float32(np.log(10.0) / 20.0))
    compressed: FloatArray = np.log1p(np.float32(_COMPRESSION) * magnitude) * np.float32(1.0 / np.log1p(_COMPRESSION))
    return compressed


def network_changes(spectrum: Spectrum) -> FloatArray:
    """How much the tones after each frame differ from those before it.

    Cosine distances of chroma, then of the bass's semitones, over the spans of `CHANGE_SECONDS`; shape (n_frames,
    N_CHANGES), 0 to 1, and 0 where either side has no tones.
    """
    n_frames = _frames(spectrum)
    changes = np.zeros((n_frames, N_CHANGES), dtype=np.float32)
    if spectrum.tones.shape[1] < 4:
        return changes
    rate = spectrum.tone_frames_per_second
    times = np.arange(n_frames) / FRAMES_PER_SECOND
    bass = np.sqrt(spectrum.tones[spectrum.tone_midi <= HIGHEST_BASS])
    column = 0
    for rows in (pitch_classes(spectrum), bass):
        n = rows.shape[1]
        total = np.zeros((rows.shape[0], n + 1))
        np.cumsum(rows, axis=1, out=total[:, 1:])
        at = np.arange(n + 1)
        for seconds in CHANGE_SECONDS:
            span = max(1, round(seconds * rate))
            after = total[:, np.minimum(at + span, n)] - total[:, at]
            before = total[:, at] - total[:, np.maximum(at - span, 0)]
            norms = np.sqrt(np.sum(after * after, axis=0) * np.sum(before * before, axis=0))
            alike = np.sum(after * before, axis=0) / np.maximum(norms, 1e-12)
            distance = np.where(norms > 1e-9, 1.0 - alike, 0.0)
            # entry k of the running sums is between frames k - 1 and k
            changes[:, column] = np.interp(times, (at - 0.5) / rate, distance)
            column += 1
    return changes


def network_input(spectrum: Spectrum) -> FloatArray:
    """Everything the network reads, levels before changes, shape (n_frames, N_INPUTS)."""
    levels = compressed_levels(network_levels(spectrum))
    inputs: FloatArray = np.concatenate((levels, network_changes(spectrum)), axis=1)
    return inputs


def _frames(spectrum: Spectrum) -> int:
    if not spectrum.n_frames:
        return 0
    return (spectrum.n_frames - 1) * FRAMES_PER_SECOND // spectrum.frames_per_second + 1


TEMPO_BINS = 40.0 * 2.0 ** (np.arange(42) * np.log2(6.0) / 41)
"""BPM; 40 to 240, a sixteenth of an octave apart"""
METRES = (2, 3, 4, 5, 6, 7)
DIVISIONS = (2, 3)
WEIGHTS_FILE = "beat_network.npz"


@dataclass(frozen=True, slots=True, eq=False)
class Activations:
    """The network's output for one recording."""

    beat: FloatArray
    """shape (n_frames,), log-odds of a beat"""
    downbeat: FloatArray
    """shape (n_frames,), log-odds of a downbeat"""
    tempo: FloatArray
    """shape (n_pairs, TEMPO_BINS.size), log probability of each tempo; a pair is two frames"""
    metre: FloatArray
    """shape (n_pairs, len(METRES)), log probability of each number of beats in the bar"""
    division: FloatArray
    """shape (n_pairs, len(DIVISIONS)), log probability that beats divide in two, in three"""
    frames_per_second: int


def run_network(spectrum: Spectrum) -> Activations:
    """Run the network over the spectrogram of a whole recording."""
    return run(network_input(spectrum), weights())


def weights() -> dict[str, FloatArray]:
    """The layers that ship with the package."""
    return load_layers(WEIGHTS_FILE)


def weights_digest() -> str:
    """SHA-256 of the weights that ship, in hex."""
    return model_digest(WEIGHTS_FILE)


def run(inputs: FloatArray, layers: dict[str, FloatArray]) -> Activations:
    """Run the layers of the network on the input that `network_input` makes."""
    n_frames = inputs.shape[0]
    if not n_frames:
        none = np.zeros(0, dtype=np.float32)
        tempo, metre, division = (
            np.zeros((0, size), dtype=np.float32) for size in (TEMPO_BINS.size, len(METRES), len(DIVISIONS))
        )
        return Activations(none, none, tempo, metre, division, FRAMES_PER_SECOND)
    from scipy.special import log_softmax

    heads = run_layers(inputs, layers, N_BANDS) @ layers["heads"] + layers["heads_bias"]
    # a pair gives beat and downbeat for both of its frames; an odd recording has half a pair too many
    frames = heads[:, :4].reshape(-1, 2)[:n_frames]
    sides = np.split(heads[:, 4:], np.cumsum((TEMPO_BINS.size, len(METRES))), axis=1)
    tempo, metre, division = (log_softmax(side, axis=1) for side in sides)
    return Activations(frames[:, 0].copy(), frames[:, 1].copy(), tempo, metre, division, FRAMES_PER_SECOND)
