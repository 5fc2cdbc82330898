"""Levels of written files, and gains for delivery."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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
from workbench.mix.limiter import limit_blocks
from workbench.params import DELIVERY_TARGETS, DeliveryTarget, RenderParams
from workbench.render.delivery import DeliveryGain, amplify, asked_loudness, find_gain, gain_for, shortfalls
from workbench.render.sound_levels import PeakMeter, SoundLevels, measure_blocks, measure_levels

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


Speech = tuple[tuple[float, float], ...]


def noise(seconds: float = 12.0, level: float = 0.05) -> NDArray[np.float32]:
    generator = np.random.default_rng(4)
    sound: NDArray[np.float32] = generator.normal(0, level, (2, round(seconds * RATE))).astype(np.float32)
    return sound


def deliver(
    sound: NDArray[np.float32], target: DeliveryTarget, speech: Speech = (), params: RenderParams = RenderParams()
) -> tuple[DeliveryGain, SoundLevels]:
    """Find the gain, apply it with the limiter, and measure."""

    def play() -> Iterator[NDArray[np.float32]]:
        yield from np.array_split(sound, 7, axis=1)

    found = find_gain(play, RATE, target, speech, params)
    params = RenderParams(ceiling_dbtp=target.ceiling_dbtp)
    return found, measure_blocks(limit_blocks(amplify(play(), found.gain_db), RATE, params), RATE, speech)


@pytest.mark.parametrize("name", DELIVERY_TARGETS)
@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
def test_a_target_is_reached_under_its_ceiling(name: str, level: float) -> None:
    """From 25 LU under the loudest target to 10 over it; for the loudest the limiter has to work."""
    target = DELIVERY_TARGETS[name]
    found, levels = deliver(noise(level=level), target, ((2.0, 6.0),))
    asked, measured, dialogue = asked_loudness(levels, target)
    assert (asked, dialogue) == (target.loudness_lufs, name == "dialogue")
    assert measured == pytest.approx(asked, abs=0.1)
    assert levels.true_peak_dbtp <= target.ceiling_dbtp + 0.001
    assert shortfalls(name, target, levels, found) == ()


def test_what_the_limiter_takes_away_is_made_up_for() -> None:
    """Drums over soft noise: one gain alone would leave the file too quiet."""
    sound = noise(level=0.05)
    for at in range(0, sound.shape[1], RATE // 4):
        sound[:, at : at + RATE // 100] *= 3.3
    target = DELIVERY_TARGETS["web"]
    found, levels = deliver(sound, target)
    plain = gain_for(measure_blocks([sound], RATE), target)
    assert found.limiting_db > 3.0  # of 6 that are allowed
    assert found.gain_db > plain.gain_db + 0.1
    assert levels.loudness_lufs == pytest.approx(-14.0, abs=0.1)


@pytest.mark.parametrize("most_db", [3.0, RenderParams().max_limiting_db])
def test_a_gain_stops_where_the_peaks_would_suffer(most_db: float) -> None:
    """Clicks 26 dB over soft noise."""
    sound = noise(level=0.01)
    sound[:, :: RATE // 2] = 0.9
    target, params = DELIVERY_TARGETS["web"], RenderParams(max_limiting_db=most_db)
    found, levels = deliver(sound, target, params=params)
    assert found.limiting_db == pytest.approx(most_db)
    assert found.missing_lu > 5.0
    assert levels.true_peak_dbtp <= -1.0 + 0.001
    (line,) = shortfalls("web", target, levels, found, params)
    assert "web asks for -14 LUFS; the limiter would have to take" in line
    assert f"the gain stops at {found.gain_db:+.1f} dB and {levels.loudness_lufs:.1f} LUFS" in line


@pytest.mark.parametrize(
    ("speech", "words"), [((), "dialogue: no speech was found"), (((2.0, 3.0),), "only 8 % of the time is speech")]
)
def test_with_too_little_speech_the_whole_is_measured(speech: Speech, words: str) -> None:
    found, levels = deliver(noise(), DELIVERY_TARGETS["dialogue"], speech)
    assert levels.loudness_lufs == pytest.approx(-24.0, abs=0.1)
    (line,) = shortfalls("dialogue", DELIVERY_TARGETS["dialogue"], levels, found)
    assert words in line
    assert line.endswith("so the whole is brought to -24 LUFS instead")


def test_an_advertisement_that_is_loud_for_seconds_is_named() -> None:
    sound = noise(30.0, level=0.005)
    sound[:, 10 * RATE : 14 * RATE] *= 10.0
    target = DELIVERY_TARGETS["ebu-r128-s1"]
    generous = replace(target, max_short_term_lufs=-10.0)
    found, levels = deliver(sound, target)
    assert levels.loudness_lufs == pytest.approx(-23.0, abs=0.1)
    assert shortfalls("s1", generous, levels, found) == ()
    strict = replace(target, max_short_term_lufs=levels.max_short_term_lufs - 0.5)
    (line,) = shortfalls("s1", strict, levels, found)
    assert f"the loudest have {levels.max_short_term_lufs:.1f} LUFS" in line


def test_what_a_codec_changed_is_named() -> None:
    levels = SoundLevels(-24.0, -0.5, max_short_term_lufs=-20.0)
    found = DeliveryGain(1.0, -23.0, dialogue=False, limiting_db=0.0)
    loudness, peak = shortfalls("ebu-r128", DELIVERY_TARGETS["ebu-r128"], levels, found)
    assert loudness == "ebu-r128 asks for -23 LUFS, within 0.2 LU; the file has -24.0 LUFS"
    assert peak == "ebu-r128 asks for a true peak of -1 dBTP at most; the file has -0.5 dBTP"


def test_silence_reaches_nothing() -> None:
    silence = np.zeros((2, RATE), np.float32)
    found, levels = deliver(silence, DELIVERY_TARGETS["web"])
    assert found.gain_db == 0.0
    assert shortfalls("web", DELIVERY_TARGETS["web"], levels, found) == (
        "web asks for -14 LUFS, but the file is silent",
    )
