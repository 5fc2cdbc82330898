"""Gains for delivery: the file that comes out has the loudness that was asked for, or a line says why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.mix.limiter import limit_blocks
from workbench.params import DELIVERY_TARGETS, DeliveryTarget, RenderParams
from workbench.render.delivery import DeliveryGain, amplify, asked_loudness, find_gain, gain_for, shortfalls
from workbench.render.sound_levels import SoundLevels, measure_blocks

RATE = 48_000
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
