"""Windows of a mono sound that comes block by block, one a hop, for blocks of any size."""

from __future__ import annotations

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray

RATE = 16_000
"""Hz, that of the speech detector"""


class MonoWindows:
    """Cuts a sound of `RATE` into windows; it counts as silent before its first and after its last sample.

    All lengths are in samples; `before`, at most `window - hop`, is how much of the first window is before the sound.
    """

    def __init__(self, window: int, hop: int, before: int) -> None:
        self._window = window
        self._hop = hop
        self._waiting = np.zeros(before, dtype=np.float32)
        self._samples = 0
        self._given = 0

    def add(self, block: FloatArray) -> FloatArray:
        """Take the next mono block; returns the windows that it completes, shape (n_windows, window), a view.

        Raises `ParameterError` for sound of more than one channel.
        """
        if block.ndim > 2 or (block.ndim == 2 and block.shape[0] != 1):
            raise ParameterError(f"speech is measured in mono sound, got shape {block.shape}")
        sound = block.reshape(-1).astype(np.float32, copy=False)
        self._samples += sound.size
        return self._cut(sound)

    def rest(self) -> FloatArray:
        """The windows that no block has completed, one for each hop begun, shape (n_windows, window).

        No block may follow.
        """
        missing = -(-self._samples // self._hop) - self._given
        wanted = (missing - 1) * self._hop + self._window
        return self._cut(np.zeros(max(0, wanted - self._waiting.size), dtype=np.float32))

    def _cut(self, sound: FloatArray) -> FloatArray:
        joined = np.concatenate([self._waiting, sound])
        count = max(0, (joined.size - self._window) // self._hop + 1)
        self._waiting = joined[count * self._hop :].copy()
        self._given += count
        if not count:
            return np.zeros((0, self._window), dtype=np.float32)
        return np.lib.stride_tricks.sliding_window_view(joined, self._window)[:: self._hop][:count]
