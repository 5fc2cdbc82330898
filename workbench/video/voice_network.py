"""The odds of speech, a hundred times a second, also under music, a crowd or traffic louder than the voice.

A network of our own, trained on people who speak over music, crowds and noise at -12 to 20 dB, with sung lines and
crowds as what is no speech (the card is `voice_network.md` beside the weights). In are 55 mel bands, in a window of 32
ms around each hundredth of a second. A first layer looks at 7 bands and 50 ms, pairs of hops are gathered to 96
channels, and eight layers with dilations see 5 s before and after. It runs in numpy, every layer as a few matrix
products, over stretches that overlap by what it sees, so that memory does not grow with the sound; where the sound is
cut into blocks has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from workbench.files import open_model
from workbench.recording import FloatArray
from workbench.video.windows import MonoWindows

WEIGHTS_FILE = "voice_network.npz"
HOP = 160
"""samples, a hundredth of a second"""
WINDOW = 512
"""samples"""
FLOOR = 1e-6
"""power under which bands count as silent"""
OFFSET = 1.5
"""added to the inputs, so that they lie around 0"""
STRIDE = 3
"""bands from one position of the first layer to the next"""
_STRETCH = 6000  # hops that are run at a time
_CONTEXT = 600  # hops on both sides that come with them; the network sees 515
_FRONT_HOPS = 1024  # of the first layer at a time, so that its products stay in the processor's cache


class VoiceMeter:
    """Measures mono sound at 16 kHz block by block."""

    def __init__(self) -> None:
        self._layers = _weights()
        self._window = np.hanning(WINDOW + 1)[:-1].astype(np.float32)
        self._windows = MonoWindows(WINDOW, HOP, (WINDOW - HOP) // 2)
        self._inputs: list[FloatArray] = []
        self._context = 0
        """hops of `_inputs` before the next stretch"""
        self._found: list[FloatArray] = []

    def add(self, block: FloatArray) -> None:
        """Take the next block, mono at 16 kHz; ParameterError for sound of more than one channel."""
        self._take(self._windows.add(block))
        if sum(map(len, self._inputs)) >= self._context + _STRETCH + _CONTEXT:
            self._run_whole_stretches()

    def log_odds(self) -> FloatArray:
        """Log-odds of speech in each hop, shape (n_hops,), float32; no block may follow."""
        self._take(self._windows.rest())
        self._run_whole_stretches()
        inputs = self._joined()
        if len(inputs) > self._context:
            self._found.append(run(inputs, self._layers)[self._context :])
            self._inputs = []
        return np.concatenate([np.zeros(0, dtype=np.float32), *self._found])

    def _take(self, windows: FloatArray) -> None:
        from scipy.fft import rfft

        if len(windows):
            spectrum = rfft(windows * self._window, axis=1)
            power = spectrum.real**2 + spectrum.imag**2
            self._inputs.append(np.float32(0.25) * np.log(power @ self._layers["mel"] + np.float32(FLOOR)))

    def _run_whole_stretches(self) -> None:
        inputs = self._joined()
        while len(inputs) >= self._context + _STRETCH + _CONTEXT:
            found = run(inputs[: self._context + _STRETCH + _CONTEXT], self._layers)
            # only the middle counts: at its ends a stretch sees silence where the sound goes on
            self._found.append(found[self._context : self._context + _STRETCH])
            inputs = inputs[self._context + _STRETCH - _CONTEXT :]
            self._context = _CONTEXT
        self._inputs = [inputs]

    def _joined(self) -> FloatArray:
        none = np.zeros((0, self._layers["mel"].shape[1]), dtype=np.float32)
        return np.concatenate([none, *self._inputs])


@cache
def _weights() -> dict[str, FloatArray]:
    with open_model(WEIGHTS_FILE) as file:
        return unpack(np.load(file))


def unpack(packed: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Arrange the arrays of a weights file as the layers use them, in float32: products over the last axis."""
    ready = {name: array.astype(np.float32) if array.dtype == np.float16 else array for name, array in packed.items()}
    for name, array in ready.items():
        if name == "front":  # (out, time, band) to (time * band, out)
            ready[name] = np.ascontiguousarray(array.transpose(1, 2, 0))
        elif name.startswith("convolve_") and array.ndim == 3:  # (out, in, time) to (time, in, out)
            ready[name] = np.ascontiguousarray(array.transpose(2, 1, 0))
        elif name.startswith(("gather", "mix_", "head")) and array.ndim == 2:
            ready[name] = np.ascontiguousarray(array.T)
    return ready


def run(inputs: FloatArray, layers: Mapping[str, FloatArray]) -> FloatArray:
    """Log-odds of speech, shape (n_hops,), by the layers from `unpack`.

    `inputs` of shape (n_hops, n_bands) are a quarter of the logarithm of the power in each band.
    """
    n_hops = len(inputs)
    if not n_hops:
        return np.zeros(0, dtype=np.float32)
    x = _front(inputs, layers)
    # residual layers: the sum goes on without a rectifier, so that a layer can also take evidence away
    for k, dilation in enumerate(layers["dilations"].tolist()):
        hidden = _dilated(x, layers[f"convolve_{k}"], int(dilation)) + layers[f"convolve_bias_{k}"]
        np.maximum(hidden, 0.0, out=hidden)
        x += hidden @ layers[f"mix_{k}"] + layers[f"mix_bias_{k}"]
    odds: FloatArray = np.maximum(x, 0.0) @ layers["head"] + layers["head_bias"]
    return odds.reshape(-1)[:n_hops]


def _front(inputs: FloatArray, layers: Mapping[str, FloatArray]) -> FloatArray:
    """Convolution over time and bands, then pairs of hops to channels, shape (n_pairs, channels); 0 outside."""
    kernel = layers["front"]
    span, width, channels = kernel.shape
    n_hops, n_bands = inputs.shape
    n_pairs = (n_hops + 1) // 2
    padded = np.zeros((2 * n_pairs + span - 1, n_bands), dtype=np.float32)
    padded[span // 2 : span // 2 + n_hops] = inputs + np.float32(OFFSET)
    starts = np.arange(0, n_bands - width + 1, STRIDE)
    result = np.empty((n_pairs, layers["gather"].shape[1]), dtype=np.float32)
    for first in range(0, 2 * n_pairs, _FRONT_HOPS):
        count = min(_FRONT_HOPS, 2 * n_pairs - first)
        block = padded[first : first + count + span - 1]
        windows = np.lib.stride_tricks.sliding_window_view(block, (span, width))[:, starts]
        maps = windows.reshape(count * starts.size, span * width) @ kernel.reshape(-1, channels) + layers["front_bias"]
        np.maximum(maps, 0.0, out=maps)
        # channels before positions, as the training framework orders them
        flat = maps.reshape(count, starts.size, channels).transpose(0, 2, 1).reshape(count // 2, -1)
        result[first // 2 : (first + count) // 2] = flat @ layers["gather"]
    result += layers["gather_bias"]
    np.maximum(result, 0.0, out=result)
    return result


def _dilated(x: FloatArray, kernel: FloatArray, dilation: int) -> FloatArray:
    """Convolution along time with a dilation, zeros outside."""
    taps, _, channels = kernel.shape
    result = np.zeros((len(x), channels), dtype=np.float32)
    for tap, weights in enumerate(kernel):
        shift = (tap - taps // 2) * dilation
        if abs(shift) >= len(x):
            continue
        if shift >= 0:
            result[: len(x) - shift] += x[shift:] @ weights
        else:
            result[-shift:] += x[:shift] @ weights
    return result
