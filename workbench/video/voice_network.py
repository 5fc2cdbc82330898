"""The odds of speech, a hundred times a second, also under music, a crowd or traffic louder than the voice.

A network of our own (`workbench.features.temporal_network`), trained on people who speak over music, crowds and noise
at -12 to 20 dB; sung lines and crowds were its negative examples (the card is `voice_network.md` beside the weights).
Its input is 55 mel bands, in a window of 32 ms around each hundredth of a second; its layers see 5 s before and after.
It runs over stretches that overlap by that much, so that memory does not grow with the sound, and the size of the
blocks makes no difference.
"""

from __future__ import annotations

import numpy as np

from workbench.features.temporal_network import load_layers, run_layers
from workbench.recording import FloatArray
from workbench.video.windows import MonoWindows

_HOP = 160  # samples, a hundredth of a second
_WINDOW = 512  # samples
_FLOOR = np.float32(1e-6)  # power under which bands count as silent
_OFFSET = np.float32(1.5)  # added to the inputs, so that they lie around 0
_STRETCH = 6000  # hops that are run at a time
_CONTEXT = 600  # hops on both sides that come with them; the network sees 515


class VoiceMeter:
    """Measures mono sound at 16 kHz block by block."""

    def __init__(self) -> None:
        self._window = np.hanning(_WINDOW + 1)[:-1].astype(np.float32)
        self._windows = MonoWindows(_WINDOW, _HOP, (_WINDOW - _HOP) // 2)
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
            self._found.append(_run(inputs)[self._context :])
            self._inputs = []
        return np.concatenate([np.zeros(0, dtype=np.float32), *self._found])

    def _take(self, windows: FloatArray) -> None:
        from scipy.fft import rfft

        if len(windows):
            spectrum = rfft(windows * self._window, axis=1)
            power = spectrum.real**2 + spectrum.imag**2
            levels = np.float32(0.25) * np.log(power @ _layers()["mel"] + _FLOOR)
            self._inputs.append(levels + _OFFSET)

    def _run_whole_stretches(self) -> None:
        inputs = self._joined()
        while len(inputs) >= self._context + _STRETCH + _CONTEXT:
            found = _run(inputs[: self._context + _STRETCH + _CONTEXT])
            # only the middle counts: at its ends a stretch sees silence where the sound goes on
            self._found.append(found[self._context : self._context + _STRETCH])
            inputs = inputs[self._context + _STRETCH - _CONTEXT :]
            self._context = _CONTEXT
        self._inputs = [inputs]

    def _joined(self) -> FloatArray:
        none = np.zeros((0, _layers()["mel"].shape[1]), dtype=np.float32)
        return np.concatenate([none, *self._inputs])


def _layers() -> dict[str, FloatArray]:
    return load_layers("voice_network.npz")


def _run(inputs: FloatArray) -> FloatArray:
    """Log-odds of speech, shape (n_hops,), in inputs of shape (n_hops, n_bands), one hop at least."""
    layers = _layers()
    odds: FloatArray = run_layers(inputs, layers, inputs.shape[1]) @ layers["head"] + layers["head_bias"]
    return odds.reshape(-1)[: len(inputs)]
