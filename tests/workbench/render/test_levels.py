"""Levels of written files: what other meters say of the same samples."""

from pathlib import Path

import av
import av.error
import av.filter
import numpy as np
import pyloudnorm
import pytest
import soundfile
from numpy.typing import NDArray

from workbench.errors import MediaError
from workbench.features.loudness import true_peak_db
from workbench.render.sound_levels import PeakMeter, measure_blocks, measure_levels

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


def ffmpeg_levels(sound: NDArray[np.float32]) -> dict[str, float]:
    """What FFmpeg's filter `ebur128` says, with the highest momentary and short-term loudness of its readings."""
    graph = av.filter.Graph()
    source = graph.add_abuffer(sample_rate=RATE, format="fltp", layout="stereo")
    meter, sink = graph.add("ebur128", "metadata=1"), graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    readings = []
    for first in range(0, sound.shape[1], RATE // 10):
        block = np.ascontiguousarray(sound[:, first : first + RATE // 10])
        frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts = RATE, first
        graph.push(frame)
        while True:
            try:
                readings.append(dict(graph.pull().metadata))
            except (av.error.BlockingIOError, av.error.EOFError):
                break
    read = {name: [float(reading[f"lavfi.r128.{name}"]) for reading in readings] for name in ("M", "S", "I", "LRA")}
    return {"M": max(read["M"]), "S": max(read["S"]), "I": read["I"][-1], "LRA": read["LRA"][-1]}


def test_all_loudness_is_that_of_ffmpeg() -> None:
    """Momentary is searched every 10 ms here and every 100 ms there, and FFmpeg counts the range in steps of 0.1 LU."""
    sound = music(2, 40.0).astype(np.float32)
    theirs, ours = ffmpeg_levels(sound), measure_blocks([sound], RATE)
    assert ours.loudness_lufs == pytest.approx(theirs["I"], abs=0.1)
    assert theirs["M"] - 0.02 < ours.max_momentary_lufs < theirs["M"] + 0.2
    assert ours.max_short_term_lufs == pytest.approx(theirs["S"], abs=0.05)
    assert ours.loudness_range_lu == pytest.approx(theirs["LRA"], abs=0.3)


@pytest.mark.parametrize(
    ("amplitude", "samples", "degrees", "expected"),
    [(0.5, 4, 0, -6.0), (0.5, 4, 45, -6.0), (0.5, 6, 60, -6.0), (0.5, 8, 67.5, -6.0), (1.41, 4, 45, 3.0)],
)
def test_true_peak_of_tech_3341_cases_15_to_19(amplitude: float, samples: int, degrees: float, expected: float) -> None:
    """Tones whose crests lie between the samples; +0.2 and -0.4 dB are allowed."""
    wave = amplitude * np.sin(2 * np.pi * np.arange(RATE) / samples + np.radians(degrees))
    taper = np.minimum(1.0, np.minimum(np.arange(RATE), np.arange(RATE)[::-1]) / 4800)
    levels = measure_blocks([np.tile((taper * wave).astype(np.float32), (2, 1))], RATE)
    assert expected - 0.4 <= levels.true_peak_dbtp <= expected + 0.2


def test_dialogue_is_what_is_heard_while_somebody_speaks(tmp_path: Path) -> None:
    """Two seconds at -20 dBFS stand for the speech, ten at -40 for the rest; a range past the end counts to the end."""
    level = np.repeat([0.01, 0.1, 0.01], [5 * RATE, 2 * RATE, 5 * RATE])
    path = tmp_path / "tone.wav"
    wave = level * np.sin(2 * np.pi * 1000 * np.arange(level.size) / RATE)
    soundfile.write(path, np.tile(wave, (2, 1)).T, RATE, subtype="FLOAT")
    levels = measure_levels(path, [(5.1, 6.9)])
    assert levels.dialogue_lufs == pytest.approx(-20.0, abs=0.05)
    assert levels.dialogue_share == pytest.approx(1.8 / 12)
    assert measure_levels(path, [(11.0, 13.0)]).dialogue_lufs == pytest.approx(-40.0, abs=0.05)
    nobody = measure_levels(path)
    assert (nobody.dialogue_lufs, nobody.dialogue_share) == (None, 0.0)
