"""Ducking in bands: nothing changes without a duck, each band goes down as far as it should, smoothly."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.features.levels import level_curve
from workbench.mix.ducking import AHEAD_SECONDS, HOLD_SECONDS
from workbench.mix.fades import duck_gain
from workbench.mix.speech_band import (
    CHUNK,
    REACH_SECONDS,
    SPEECH_BAND_HZ,
    DuckedBands,
    deepest_under,
    duck_bands,
    duck_blocks,
    ducked_levels,
    outside_levels,
    speech_band_taps,
)
from workbench.params import DuckParams, RenderParams
from workbench.params.mix import DUCK_REACH_SECONDS

RATE = 48_000
BANDS = RenderParams(ducking="bands", speech_band_depth=1.1, other_bands_depth=0.25, other_bands_gap_db=48.0)
POINTS = ((1.0, 0.0), (1.3, 12.0), (3.1, 12.0), (4.0, 0.0))
SPEECH = ((1.45, 3.0),)


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    size = round(seconds * RATE)
    return (0.1 * np.random.default_rng(seed).standard_normal((2, size))).astype(np.float32)


def tone(hertz: float, seconds: float = 5.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE))[None].astype(np.float32)


def ducked(sound: np.ndarray, bands: DuckedBands, block: int = 100_000) -> np.ndarray:
    blocks = (sound[:, first : first + block] for first in range(0, sound.shape[1], block))
    return np.concatenate(list(duck_blocks(blocks, RATE, bands)), axis=1)


def test_broadband_ducking_is_the_envelope_itself() -> None:
    bands = duck_bands(POINTS, SPEECH)
    assert not bands.differ
    sound = noise(5.0)
    meant = sound * duck_gain(POINTS, np.arange(sound.shape[1]) / RATE).astype(np.float32)
    assert np.array_equal(ducked(sound, bands), meant)


@pytest.mark.parametrize(
    ("hertz", "share"), [(30, 0.25), (50, 0.25), (250, 1.1), (1000, 1.1), (4000, 1.1), (12_000, 0.25)]
)
def test_each_band_goes_down_by_its_part_of_the_envelope(hertz: float, share: float) -> None:
    sound = tone(hertz)
    heard = ducked(sound, duck_bands(POINTS, SPEECH, BANDS))
    middle = slice(round(1.6 * RATE), round(2.9 * RATE))
    attenuation = -20 * np.log10(np.abs(heard[0, middle]).max() / 0.5)
    assert attenuation == pytest.approx(12.0 * share, abs=0.25)


def test_under_a_quiet_speaker_the_other_bands_stay_over_the_envelope_by_no_more_than_is_allowed() -> None:
    deep = ((1.0, 0.0), (1.3, 34.0), (3.1, 34.0), (4.0, 0.0))
    bands = duck_bands(deep, SPEECH, RenderParams(ducking="bands", other_bands_depth=0.5, other_bands_gap_db=6.0))
    assert max(depth for _, depth in bands.outside) == 28.0
    usual = duck_bands(POINTS, SPEECH, RenderParams(ducking="bands", other_bands_depth=0.5, other_bands_gap_db=6.0))
    assert max(depth for _, depth in usual.outside) == 6.0


def test_without_a_duck_every_sample_stays_as_it_is() -> None:
    sound = noise(5.0)
    heard = ducked(sound, duck_bands(POINTS, SPEECH, BANDS))
    away = np.ones(sound.shape[1], dtype=bool)
    away[RATE : 4 * RATE] = False
    assert np.array_equal(heard[:, away], sound[:, away])
    assert not np.array_equal(heard, sound)


def test_equal_depths_are_the_broadband_envelope() -> None:
    alike = RenderParams(ducking="bands", speech_band_depth=1.0, other_bands_depth=1.0)
    sound = noise(5.0)
    assert np.array_equal(ducked(sound, duck_bands(POINTS, SPEECH, alike)), ducked(sound, duck_bands(POINTS, SPEECH)))


@given(
    st.lists(st.integers(1, 200_000), min_size=1, max_size=6),
    st.lists(st.tuples(st.floats(0.05, 1.0), st.floats(0.0, 40.0)), max_size=6),
    st.floats(1.0, 1.5),
    st.floats(0.0, 1.0),
)
@settings(max_examples=15, deadline=None)
def test_the_output_does_not_depend_on_the_blocks(
    cuts: list[int], steps: list[tuple[float, float]], inside: float, outside: float
) -> None:
    times = np.cumsum([step for step, _ in steps])
    points = tuple((float(time), depth) for time, (_, depth) in zip(times, steps, strict=True))
    params = RenderParams(ducking="bands", speech_band_depth=inside, other_bands_depth=outside)
    bands = duck_bands(points, ((0.0, 10.0),), params)
    sound = noise(sum(cuts) / RATE + 1e-9)
    edges = [0, *np.cumsum(cuts).tolist()]
    pieces = (sound[:, first:stop] for first, stop in pairwise(edges))
    heard = np.concatenate(list(duck_blocks(pieces, RATE, bands)), axis=1)
    assert heard.shape == sound.shape
    assert heard.dtype == np.float32
    assert np.array_equal(heard, ducked(sound, bands, sound.shape[1]))
    # A filter that passes no more than it gets adds no level beyond the sum of both gains.
    assert np.abs(heard).max() <= 1.5 * np.abs(sound).max() + 1e-6


def test_nothing_clicks_and_the_gain_moves_as_the_envelope_does() -> None:
    sound = tone(1000.0)
    heard = ducked(sound, duck_bands(POINTS, SPEECH, BANDS))
    broad = ducked(sound, duck_bands(POINTS, SPEECH))
    # Second differences of a tone are its own, at its own level: a click would stand out of them.
    assert np.abs(np.diff(heard, 2)).max() <= 1.01 * np.abs(np.diff(broad, 2)).max()
    # And outside the band of what is in it nothing appears: the spectrum while it moves is that of a moving gain.
    moving = slice(round(0.9 * RATE), round(1.6 * RATE))
    window = np.hanning(moving.stop - moving.start)
    spectrum = np.abs(np.fft.rfft(heard[0, moving] * window))
    hertz = np.fft.rfftfreq(window.size, 1 / RATE)
    assert 20 * np.log10(spectrum[np.abs(hertz - 1000) > 200].max() / spectrum.max()) < -80


def test_the_filter_turns_no_phase_and_is_flat_in_the_band() -> None:
    for rate in (22_050, 44_100, 48_000, 96_000):
        taps = speech_band_taps(rate)
        assert taps.size == 2 * round(REACH_SECONDS * rate) + 1
        assert np.allclose(taps, taps[::-1], atol=1e-12)
        response = np.abs(np.fft.rfft(taps, 1 << 17))
        hertz = np.fft.rfftfreq(1 << 17, 1 / rate)
        low, full, top, high = SPEECH_BAND_HZ
        assert response.max() < 1.002
        assert np.abs(response[(hertz > full + 60) & (hertz < min(top - 60, rate / 2 - 60))] - 1).max() < 0.002
        assert response[(hertz < low - 60) | (hertz > high + 60)].max() < 0.002


def test_music_that_makes_way_for_other_music_goes_down_as_a_whole() -> None:
    own = ((10.0, 0.0), (11.2, 15.0), (40.0, 15.0), (41.2, 0.0))
    bands = duck_bands((*POINTS, *own), SPEECH, BANDS)
    assert bands.inside[-4:] == bands.outside[-4:] == own
    assert bands.inside[1] == pytest.approx((1.3, 13.2))
    assert bands.outside[1] == (1.3, 3.0)


def test_a_stretch_that_goes_on_without_speech_goes_down_as_a_whole() -> None:
    points = ((1.0, 0.0), (1.3, 12.0), (30.0, 12.0), (31.0, 0.0))
    assert not duck_bands(points, ((1.45, 3.0), (27.0, 30.0)), BANDS).differ
    assert duck_bands(points, ((1.45, 14.0), (17.0, 30.0)), BANDS).differ


def test_silence_leaves_no_band_out() -> None:
    points = ((1.0, 0.0), (2.2, 60.0), (4.0, 60.0), (5.2, 0.0))
    assert not duck_bands(points, ((2.0, 4.2),), BANDS).differ


def test_speech_up_to_the_end_is_ducked_to_the_end() -> None:
    bands = duck_bands(((1.0, 0.0), (1.3, 12.0)), ((1.4, 9.0),), BANDS)
    assert bands.differ
    sound = tone(1000.0, 2.0 + 2 * CHUNK / RATE)
    heard = ducked(sound, bands)
    last = -20 * np.log10(np.abs(heard[0, -RATE // 10 : -RATE // 20]).max() / 0.5)
    assert last == pytest.approx(13.2, abs=0.1)


def test_levels_of_both_bands_add_up_to_those_of_what_is_heard() -> None:
    sound = noise(6.0) + tone(45.0, 6.0)
    bands = duck_bands(POINTS, SPEECH, BANDS)
    heard = level_curve(ducked(sound, bands), RATE)
    told = ducked_levels(level_curve(sound, RATE), outside_levels([sound], RATE), bands)
    whole = ducked_levels(level_curve(sound, RATE), None, duck_bands(POINTS, SPEECH))
    for start, end in ((0.0, 1.0), (1.5, 3.0), (4.5, 6.0)):
        assert told.lufs(start, end) == pytest.approx(heard.lufs(start, end), abs=0.3)
    assert whole.lufs(1.5, 3.0) == pytest.approx(level_curve(sound, RATE).lufs(1.5, 3.0) - 12.0, abs=0.05)
    assert told.lufs(1.5, 3.0) > whole.lufs(1.5, 3.0) + 2.0


def test_the_slowest_ducks_end_within_the_reach() -> None:
    fields = DuckParams.model_json_schema()["properties"]
    slowest = {name: float(field["maximum"]) for name, field in fields.items() if "maximum" in field}
    assert AHEAD_SECONDS + slowest["attack_ms"] / 1000 <= DUCK_REACH_SECONDS
    assert HOLD_SECONDS + slowest["release_ms"] / 1000 <= DUCK_REACH_SECONDS


def test_how_deep_speech_is_made_way_for_leaves_silence_elsewhere_out() -> None:
    points = (*POINTS, (20.0, 0.0), (21.0, 60.0), (30.0, 60.0), (31.0, 0.0))
    assert deepest_under(points, SPEECH) == 12.0
    assert duck_bands(points, SPEECH, BANDS).depths(SPEECH) == pytest.approx((13.2, 3.0))
    assert deepest_under(points, ((20.2, 20.5),)) == pytest.approx(30.0), "between two points"
    assert deepest_under(points, ((1.1, 3.0), (22.0, 23.0))) == 60.0
    assert deepest_under(points, ()) == deepest_under((), SPEECH) == 0.0
