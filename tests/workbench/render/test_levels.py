"""Levels of written files: what other meters say of the same samples."""

from pathlib import Path

import numpy as np
import pyloudnorm
import pytest
import soundfile
from numpy.typing import NDArray

from workbench.errors import MediaError
from workbench.features.loudness import true_peak_db
from workbench.render.levels import PeakMeter, measure_levels

RATE = 48_000


def music(channels: int, seconds: float = 23.0, seed: int = 3) -> NDArray[np.float64]:
    """Noise that comes and goes, with a soft middle that the gates leave out."""
    generator = np.random.default_rng(seed)
    times = np.arange(round(seconds * RATE)) / RATE
    loud = 0.2 * (1 + np.sin(2 * np.pi * 0.7 * times)) * np.where((times > 9) & (times < 14), 0.01, 1.0)
    noise: NDArray[np.float64] = generator.standard_normal((channels, times.size)).clip(-3, 3)
    return 0.4 * loud * noise


@pytest.mark.parametrize("channels", [1, 2])
def test_loudness_is_that_of_another_meter(tmp_path: Path, channels: int) -> None:
    path = tmp_path / "music.wav"
    soundfile.write(path, music(channels).T, RATE, subtype="FLOAT")
    expected = pyloudnorm.Meter(RATE).integrated_loudness(music(channels).T)
    assert measure_levels(path).loudness_lufs == pytest.approx(expected, abs=0.1)


def test_the_peak_between_samples_is_found_whatever_the_blocks() -> None:
    """A tone at a quarter of the rate that the samples miss by 3 dB, and noise, cut anywhere."""
    tone = np.sin(2 * np.pi * 0.25 * np.arange(4801) + np.pi / 4)[None].astype(np.float32)
    generator = np.random.default_rng(1)
    noise = generator.uniform(-1, 1, (2, 30_000)).astype(np.float32)
    for sound in (tone, noise):
        whole = true_peak_db(sound)
        for size in (1, 7, 480, 100_000):
            meter = PeakMeter()
            for first in range(0, sound.shape[1], size) if size > 1 else (0, 1, 2):
                last = sound.shape[1] if size == 1 and first == 2 else first + size
                meter.add(sound[:, first:last])
            assert meter.peak_dbtp() == pytest.approx(whole, abs=1e-6)
    assert true_peak_db(tone) > -0.1


def test_silence_has_no_level(tmp_path: Path) -> None:
    path = tmp_path / "silence.wav"
    soundfile.write(path, np.zeros((RATE, 2)), RATE)
    levels = measure_levels(path)
    assert (levels.loudness_lufs, levels.true_peak_dbtp) == (-np.inf, -np.inf)
    assert PeakMeter().peak_dbtp() == -np.inf


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MediaError):
        measure_levels(tmp_path / "absent.wav")
