from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.levels import MOST_BACKGROUND_DB, LevelCurve, level_curve, level_curve_of_blocks, voice_alone
from workbench.features.loudness import integrated_lufs

RATE = 48_000


def sine(seconds: float, amplitude: float = 1.0, channels: int = 1) -> np.ndarray:
    wave = amplitude * np.sin(2 * np.pi * 997 * np.arange(round(seconds * RATE)) / RATE)
    return np.tile(wave.astype(np.float32), (channels, 1))


def test_a_full_scale_sine_is_at_zero_in_two_channels_and_in_one_that_both_loudspeakers_play() -> None:
    assert level_curve(sine(3, channels=2), RATE).lufs(1, 2) == pytest.approx(0.0, abs=0.05)
    assert level_curve(sine(3), RATE).lufs(1, 2) == pytest.approx(0.0, abs=0.05)
    one_side = np.vstack([sine(3), np.zeros((1, 3 * RATE), dtype=np.float32)])
    assert level_curve(one_side, RATE).lufs(1, 2) == pytest.approx(-3.01, abs=0.05)


def test_a_stretch_has_the_loudness_of_its_own_sound() -> None:
    sound = np.concatenate([np.zeros(RATE), 0.1 * sine(1)[0], np.zeros(RATE)])
    curve = level_curve(sound, RATE)
    assert curve.duration == 3.0
    assert curve.lufs(1.1, 1.9) == pytest.approx(-20.0, abs=0.05)
    assert curve.lufs(0.0, 0.9) == float("-inf")
    assert curve.lufs(5.0, 6.0) == float("-inf")
    assert curve.peak == pytest.approx(0.1, rel=1e-3)


def test_the_whole_is_gated_as_the_standard_says() -> None:
    generator = np.random.default_rng(1)
    loud = [generator.normal(0, level, (2, RATE * 3)) for level in (0.1, 0.001, 0.05, 0.0)]
    sound = np.concatenate(loud, axis=1).astype(np.float32)
    assert level_curve(sound, RATE).integrated() == pytest.approx(integrated_lufs(sound, RATE), abs=0.02)
    assert level_curve(np.zeros(RATE), RATE).integrated() == float("-inf")


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
def test_blocks_of_any_length_measure_as_the_whole(rate: int) -> None:
    sound = np.random.default_rng(2).normal(0, 0.1, (2, rate * 12 + 137)).astype(np.float32)
    cuts = np.sort(np.random.default_rng(3).integers(0, sound.shape[1], 9))
    pieces = level_curve_of_blocks(np.split(sound, cuts, axis=1), rate)
    whole = level_curve(sound, rate)
    assert pieces.power.shape == whole.power.shape == (1201,)
    assert 10 * np.log10(pieces.power[:1200] / whole.power[:1200]) == pytest.approx(0.0, abs=0.01)
    assert pieces.peak == whole.peak


def test_raising_the_sound_raises_its_levels() -> None:
    curve = level_curve(0.1 * sine(1), RATE).raised(6.0)
    assert curve.lufs(0.2, 0.8) == pytest.approx(-20.0 + 6, abs=0.05)
    assert curve.peak == pytest.approx(0.1995, rel=1e-3)


def test_what_is_no_curve_is_refused() -> None:
    with pytest.raises(ParameterError, match="positive"):
        LevelCurve(np.array([-1.0]), 0.0)
    with pytest.raises(ParameterError, match="peak"):
        LevelCurve(np.zeros(3), float("nan"))


def test_a_voice_is_as_loud_as_what_it_adds_to_its_background() -> None:
    power = np.full(2000, 1e-3)
    power[500:900] += 1e-3
    alone = voice_alone(LevelCurve(power, 1.0), ((5.0, 9.0),))
    assert alone.power_between(5.0, 9.0) == pytest.approx(1e-3)
    assert np.array_equal(alone.power[:485], power[:485])


def test_a_noise_that_has_passed_when_somebody_speaks_is_not_behind_the_voice() -> None:
    power = np.full(2000, 1e-5)
    power[500:900] = np.where(np.arange(400) % 20 < 14, 2e-3, 1e-5)
    power[300:480] = power[920:1100] = 1e-1
    alone = voice_alone(LevelCurve(power, 1.0), ((5.0, 9.0),))
    assert alone.power_between(5.0, 9.0) == pytest.approx(power[500:900].mean(), rel=0.05)


def test_a_voice_that_its_background_hides_is_taken_to_lie_so_far_under_it_and_no_farther() -> None:
    levels = LevelCurve(np.full(2000, 1e-3), 1.0)
    alone = voice_alone(levels, ((5.0, 9.0),))
    assert alone.lufs(5.0, 9.0) == pytest.approx(levels.lufs(5.0, 9.0) - MOST_BACKGROUND_DB)


def test_a_voice_without_pauses_and_one_in_silence_keep_their_level() -> None:
    always = LevelCurve(np.full(500, 1e-3), 1.0)
    assert np.array_equal(voice_alone(always, ((0.0, 5.0),)).power, always.power)
    silent = LevelCurve(np.zeros(500), 0.0)
    assert not voice_alone(silent, ((1.0, 2.0),)).power.any()


def tones(*pieces: tuple[float, float]) -> np.ndarray:
    """Stereo 1 kHz sine, pieces of (dBFS, s); silence at -inf."""
    lengths = [round(seconds * RATE) for _, seconds in pieces]
    level = np.repeat([10 ** (dbfs / 20) for dbfs, _ in pieces], lengths)
    wave = level * np.sin(2 * np.pi * 1000 * np.arange(sum(lengths)) / RATE)
    return np.tile(wave.astype(np.float32), (2, 1))


SILENCE = float("-inf")


def test_short_term_loudness_of_tech_3341_case_9() -> None:
    """Levels that change within each 3 s and have the same mean in all of them."""
    curve = level_curve(tones(*[(-20.0, 1.34), (-30.0, 1.66)] * 5), RATE)
    assert curve.max_short_term() == pytest.approx(-23.0, abs=0.1)


@pytest.mark.parametrize("number", range(0, 20, 3))
@pytest.mark.parametrize(("window", "loudest"), [(3.0, LevelCurve.max_short_term), (0.4, LevelCurve.max_momentary)])
def test_the_loudest_window_of_tech_3341_cases_10_and_13(
    number: int, window: float, loudest: Callable[[LevelCurve], float]
) -> None:
    """A tone as long as the window, wherever it begins."""
    curve = level_curve(tones((SILENCE, 0.05 * window * number), (-23.0, window), (SILENCE, 1.0)), RATE)
    assert loudest(curve) == pytest.approx(-23.0, abs=0.1)


def test_momentary_loudness_of_tech_3341_case_12() -> None:
    curve = level_curve(tones(*[(-20.0, 0.18), (-30.0, 0.22)] * 25), RATE)
    assert curve.max_momentary() == pytest.approx(-23.0, abs=0.1)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [((-20, -30), 10.0), ((-20, -15), 5.0), ((-40, -20), 20.0), ((-50, -35, -20, -35, -50), 15.0)],
)
def test_loudness_range_of_tech_3342_cases_1_to_4(levels: tuple[float, ...], expected: float) -> None:
    """Steady tones of 20 s each, which a meter must read within 1 LU."""
    curve = level_curve(tones(*((level, 20.0) for level in levels)), RATE)
    assert curve.loudness_range() == pytest.approx(expected, abs=1.0)


def test_sound_too_short_or_silent_has_no_range() -> None:
    assert level_curve(tones((-20.0, 2.5)), RATE).loudness_range() is None
    silent = level_curve(tones((SILENCE, 5.0)), RATE)
    assert silent.loudness_range() is None
    assert (silent.max_momentary(), silent.max_short_term()) == (SILENCE, SILENCE)
    assert level_curve(np.zeros((2, 0)), RATE).max_momentary() == SILENCE


def test_loudness_of_several_stretches_is_not_gated() -> None:
    """A second at -20 and one at -40 dBFS are 2.97 LU under the louder one, together."""
    curve = level_curve(tones((-20.0, 2.0), (SILENCE, 1.0), (-40.0, 2.0)), RATE)
    assert curve.lufs_within([(0.5, 1.5)]) == pytest.approx(-20.0, abs=0.05)
    assert curve.lufs_within([(0.5, 1.5), (3.5, 4.5)]) == pytest.approx(-20.0 - 2.97, abs=0.05)
    assert curve.lufs_within([]) == SILENCE
