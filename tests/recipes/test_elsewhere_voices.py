"""Voices by others: what counts as a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from data.recipes.material.elsewhere_voices import read_sentences
from data.recipes.material.soundtracks import RATE


def test_tones_and_seconds_of_silence_are_no_sentences(tmp_path: Path) -> None:
    time = np.arange(16_000) / 8000
    spoken = 0.3 * np.sin(2 * np.pi * 200 * time) * (1.0 + np.sin(2 * np.pi * 4 * time))
    hiss = 1e-4 * np.random.default_rng(1).normal(size=time.size)
    for name, sound in (("welcome", spoken), ("silence/2", hiss), ("beep", spoken), ("tt-monkeys", spoken)):
        path = tmp_path / "voice" / f"{name}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, sound, 8000, subtype="PCM_16")
    (sentence,) = read_sentences(tmp_path)
    assert sentence.size / RATE == pytest.approx(2.0, abs=0.05)
