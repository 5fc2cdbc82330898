"""The layers of our two networks, which detect beats and speech: a temporal convolutional network that runs in numpy.

A first layer looks at a few bands and frames at a time; pairs of frames are gathered to channels; residual layers with
dilations look farther and farther before and after. Every layer is a few matrix products, so the time goes into BLAS,
and no training framework is needed. Outside of the recording there are zeros, as in training.

Bai, Kolter & Koltun, "An Empirical Evaluation of Generic Convolutional and Recurrent Networks for Sequence Modeling",
2018: dilated residual convolutions. Ours look both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from workbench.files import open_model
from workbench.recording import FloatArray

STRIDE = 3
"""bands from one position of the first layer to the next"""
_FRONT_FRAMES = 4096
"""frames of the first layer that are computed at a time, so that its products stay in the processor's cache"""


@cache
def load_layers(weights_file: str) -> dict[str, FloatArray]:
    """The layers of one of the models that ship with the package, read once."""
    with open_model(weights_file) as file:
        return unpack(np.load(file))


def unpack(packed: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Arrange the arrays of a weights file as the layers use them, in float32: products over the last axis."""
    ready = {name: array.astype(np.float32) if array.dtype == np.float16 else array for name, array in packed.items()}
    for name, array in ready.items():
        if name == "front":  # (out, time, band) to (time, band, out)
            ready[name] = np.ascontiguousarray(array.transpose(1, 2, 0))
        elif name.startswith("convolve_") and array.ndim == 3:  # (out, in, time) to (time, in, out)
            ready[name] = np.ascontiguousarray(array.transpose(2, 1, 0))
        elif name.startswith(("gather", "mix_", "head")) and array.ndim == 2:
            ready[name] = np.ascontiguousarray(array.T)
    return ready


def run_layers(inputs: FloatArray, layers: Mapping[str, FloatArray], n_bands: int) -> FloatArray:
    """Input of the heads, shape (n_pairs, channels); a pair is two frames, the last one perhaps half.

    `inputs` has shape (n_frames, n_inputs), one frame at least: bands, and beside them what is gathered as it is.
    """
    x = _front(inputs, layers, n_bands)
    # residual layers: the sum goes on without a rectifier, so that a layer can also take evidence away
    for k, dilation in enumerate(layers["dilations"].tolist()):
        hidden = _dilated(x, layers[f"convolve_{k}"], int(dilation)) + layers[f"convolve_bias_{k}"]
        np.maximum(hidden, 0.0, out=hidden)
        x += hidden @ layers[f"mix_{k}"] + layers[f"mix_bias_{k}"]
    return np.maximum(x, 0.0, out=x)


def _front(inputs: FloatArray, layers: Mapping[str, FloatArray], n_bands: int) -> FloatArray:
    """Convolution over time and bands, then pairs of frames to channels, shape (n_pairs, channels)."""
    span, width, channels = layers["front"].shape
    kernel = layers["front"].reshape(-1, channels)
    n_frames = len(inputs)
    n_pairs = (n_frames + 1) // 2
    padded = np.zeros((2 * n_pairs + span - 1, inputs.shape[1]), dtype=np.float32)
    padded[span // 2 : span // 2 + n_frames] = inputs
    starts = np.arange(0, n_bands - width + 1, STRIDE)
    result = np.empty((n_pairs, layers["gather"].shape[1]), dtype=np.float32)
    for first in range(0, 2 * n_pairs, _FRONT_FRAMES):
        # a convolution as one product of matrices
        count = min(_FRONT_FRAMES, 2 * n_pairs - first)
        block = padded[first : first + count + span - 1]
        windows = np.lib.stride_tricks.sliding_window_view(block[:, :n_bands], (span, width))[:, starts]
        # (frames, positions, span, width)
        maps = windows.reshape(count * starts.size, span * width) @ kernel + layers["front_bias"]
        np.maximum(maps, 0.0, out=maps)
        # channels before positions, as the training framework orders them
        flat = maps.reshape(count, starts.size, channels).transpose(0, 2, 1).reshape(count, -1)
        joined = np.concatenate((flat, block[span // 2 : span // 2 + count, n_bands:]), axis=1)
        result[first // 2 : (first + count) // 2] = joined.reshape(count // 2, -1) @ layers["gather"]
    result += layers["gather_bias"]
    return np.maximum(result, 0.0, out=result)


def _dilated(x: FloatArray, kernel: FloatArray, dilation: int) -> FloatArray:
    """Convolution along time with a dilation; as many rows as x."""
    n, middle = len(x), len(kernel) // 2
    result: FloatArray = x @ kernel[middle]
    for tap, weights in enumerate(kernel):
        shift = (tap - middle) * dilation
        if shift == 0 or abs(shift) >= n:
            continue
        if shift > 0:
            result[: n - shift] += x[shift:] @ weights
        else:
            result[-shift:] += x[:shift] @ weights
    return result
