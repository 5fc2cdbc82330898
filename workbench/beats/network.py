"""The beat network: which frames sound like a beat and like a downbeat, in the context of more than a minute.

A temporal convolutional network of our own, trained on music composed for it (the model card is `beat_network.md`
beside the weights). It runs in numpy: every layer is a few matrix products, so the time goes into
BLAS, and no training framework is needed.

Functions: `listen`. The rest of the tracker reads its `Activations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from workbench.beats.hearing import FRAMES_PER_SECOND, N_BANDS, network_input
from workbench.features.spectrum import Spectrum
from workbench.models.loading import model_digest, open_model
from workbench.recording import FloatArray

TEMPO_BINS = 40.0 * 2.0 ** (np.arange(42) * np.log2(6.0) / 41)
"""BPM; 40 to 240, a sixteenth of an octave apart"""
METRES = (2, 3, 4, 5, 6, 7)
DIVISIONS = (2, 3)
WEIGHTS_FILE = "beat_network.npz"

_FRONT_FRAMES = 4096
"""frames of the first layer that are computed at a time, so that its products stay in the processor's cache"""


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


def listen(spectrum: Spectrum) -> Activations:
    """Run the network over the spectrogram of a whole recording."""
    return run(network_input(spectrum), weights())


@cache
def weights() -> dict[str, FloatArray]:
    """The weights that ship with the package, float32, read once."""
    with open_model(WEIGHTS_FILE) as file:
        return unpack(np.load(file))


def weights_digest() -> str:
    """SHA-256 of the weights that ship, in hex."""
    return model_digest(WEIGHTS_FILE)


def unpack(packed: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Arrange the arrays of a weights file as the layers use them, in float32: products over the last axis."""
    ready = {n: a.astype(np.float32) if a.dtype == np.float16 else a for n, a in packed.items()}
    for name, array in list(ready.items()):
        if name == "front" or (array.ndim == 3 and name.startswith("convolve")):
            # (out, in, time) to (time * in, out); the front has (out, time, frequency) to (time * frequency, out)
            order = (1, 2, 0) if name == "front" else (2, 1, 0)
            ready[name] = np.ascontiguousarray(array.transpose(order).reshape(-1, array.shape[0]))
        elif array.ndim == 2:
            ready[name] = np.ascontiguousarray(array.T)
    return ready


def run(inputs: FloatArray, layers: dict[str, FloatArray]) -> Activations:
    """Run the layers of the network, from `unpack`, on the input that `hearing.network_input` makes."""
    n_frames = inputs.shape[0]
    if not n_frames:
        none = np.zeros(0, dtype=np.float32)
        tempo, metre, division = (
            np.zeros((0, size), dtype=np.float32) for size in (TEMPO_BINS.size, len(METRES), len(DIVISIONS))
        )
        return Activations(none, none, tempo, metre, division, FRAMES_PER_SECOND)
    x = _front(inputs, layers)
    # residual layers: the sum goes on without a rectifier, so that a layer can also take evidence away
    for k, dilation in enumerate(layers["dilations"]):
        hidden = _dilated(x, layers[f"convolve_{k}"], int(dilation)) + layers[f"convolve_bias_{k}"]
        np.maximum(hidden, 0.0, out=hidden)
        x += hidden @ layers[f"mix_{k}"] + layers[f"mix_bias_{k}"]
    heads = np.maximum(x, 0.0) @ layers["heads"] + layers["heads_bias"]
    # a pair gives beat and downbeat for both of its frames; an odd recording has half a pair too many
    frames = heads[:, :4].reshape(-1, 2)[:n_frames]
    sides = np.split(heads[:, 4:], np.cumsum((TEMPO_BINS.size, len(METRES))), axis=1)
    tempo, metre, division = (_log_softmax(side) for side in sides)
    return Activations(frames[:, 0].copy(), frames[:, 1].copy(), tempo, metre, division, FRAMES_PER_SECOND)


def _front(inputs: FloatArray, layers: dict[str, FloatArray]) -> FloatArray:
    """Convolution over time and frequency, then pairs of frames to channels, shape (n_pairs, channels).

    The recording is padded with silence on both sides, which is zeros, as in training.
    """
    kernel, bias = layers["front"], layers["front_bias"]
    width = 6
    span = kernel.shape[0] // width
    n_frames = inputs.shape[0]
    n_pairs = (n_frames + 1) // 2
    padded = np.zeros((2 * n_pairs + span - 1, inputs.shape[1]), dtype=np.float32)
    padded[span // 2 : span // 2 + n_frames] = inputs
    starts = np.arange(0, N_BANDS - width + 1, 3)
    result = np.empty((n_pairs, layers["gather"].shape[1]), dtype=np.float32)
    for first in range(0, 2 * n_pairs, _FRONT_FRAMES):
        # a convolution as one product of matrices
        count = min(_FRONT_FRAMES, 2 * n_pairs - first)
        block = padded[first : first + count + span - 1]
        windows = np.lib.stride_tricks.sliding_window_view(block[:, :N_BANDS], (span, width))[:, starts]
        # (frames, positions, span, width)
        maps = windows.reshape(count * starts.size, span * width) @ kernel + bias
        np.maximum(maps, 0.0, out=maps)
        # channels before positions, as the training framework orders them
        flat = maps.reshape(count, starts.size, -1).transpose(0, 2, 1).reshape(count, -1)
        joined = np.concatenate((flat, block[span // 2 : span // 2 + count, N_BANDS:]), axis=1)
        result[first // 2 : (first + count) // 2] = joined.reshape(count // 2, -1) @ layers["gather"]
    result += layers["gather_bias"]
    np.maximum(result, 0.0, out=result)
    return result


def _dilated(x: FloatArray, kernel: FloatArray, dilation: int) -> FloatArray:
    """Convolution along time with a dilation, zeros outside; shape as x."""
    n, channels = x.shape
    taps = kernel.shape[0] // channels
    result = x @ kernel[(taps // 2) * channels : (taps // 2 + 1) * channels]
    for tap in range(taps):
        shift = (tap - taps // 2) * dilation
        if shift == 0 or abs(shift) >= n:
            continue
        weights_of_tap = kernel[tap * channels : (tap + 1) * channels]
        if shift > 0:
            result[: n - shift] += x[shift:] @ weights_of_tap
        else:
            result[-shift:] += x[: n + shift] @ weights_of_tap
    return result


def _log_softmax(logits: FloatArray) -> FloatArray:
    shifted = logits - logits.max(axis=1, keepdims=True)
    result: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result
