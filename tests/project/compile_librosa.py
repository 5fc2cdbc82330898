"""Compile what the tests call of librosa, in one process, once.

numba keeps compiled functions beside librosa's source. Where two processes compile the same one at the same time, what
is kept may fit neither: later processes crash in it. The suite runs in two processes and starts more, so the set-up
calls `python -m tests.project.compile_librosa` before it; the package itself calls no compiled function of librosa.
"""

from __future__ import annotations

from pathlib import Path

import librosa
import numpy as np

RATES = (22_050, 44_100)


def forget_compiled() -> None:
    """Remove what is kept, which may be broken."""
    for kept in Path(librosa.__file__).parent.rglob("__pycache__/*.nb[ci]"):
        kept.unlink()


def compile_used() -> None:
    """Call each function of librosa that a test, a recipe or an example calls, with arrays of their types."""
    generator = np.random.default_rng(0)
    for rate in RATES:
        sound = 0.1 * generator.standard_normal(4 * rate).astype(np.float32)
        sound[:: rate // 2] = 1.0
        for samples in (sound, sound.astype(np.float64)):
            librosa.feature.chroma_stft(y=samples, sr=rate)
            librosa.beat.beat_track(y=samples, sr=rate, start_bpm=120.0, units="time")


if __name__ == "__main__":
    forget_compiled()
    compile_used()
