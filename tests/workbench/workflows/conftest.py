"""A track that is quick to analyse."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

RATE = 22_050


@pytest.fixture(scope="session")
def track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen bars of clicks with a pitch for each of four bars, at 120 bpm."""
    beat = np.arange(round(0.5 * RATE)) / RATE
    bars = []
    for bar in range(16):
        for place in range(4):
            tone = np.sin(2 * np.pi * (220.0 * 2 ** ((bar % 4) / 4)) * beat) * np.exp(-beat * 3)
            click = np.sin(2 * np.pi * (60.0 if place == 0 else 2000.0) * beat) * np.exp(-beat * 40)
            bars.append(0.2 * tone + 0.6 * click)
    path = tmp_path_factory.mktemp("track") / "clicks.flac"
    soundfile.write(path, np.concatenate([*bars, np.zeros(RATE // 2)]), RATE)
    return path
