"""Music in a soundtrack: a bundled track between stretches of the bundled narration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from workbench.errors import ParameterError
from workbench.features.speech_probability import SAMPLE_RATE
from workbench.files import bundled_path
from workbench.media.audio import decode, resample
from workbench.video.bands import BandMeter
from workbench.video.own_music import CUES, music_cues, music_odds, music_ranges
from workbench.video.pitch import PitchMeter

CLOSE, LEAST = 4.0, 8.0


def heard(*path: str, seconds: float, at: float = 0.0) -> np.ndarray:
    recording = decode(bundled_path("data", "bundled", *path))
    mono = recording.samples.mean(axis=0)
    first = round(at * recording.sample_rate)
    piece = mono[first : first + round(seconds * recording.sample_rate)]
    sound = resample(piece, recording.sample_rate, SAMPLE_RATE).astype(np.float32)
    return np.asarray(sound * np.float32(0.1 / np.sqrt(np.mean(sound**2))))


def measured(sound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    bands, pitches = BandMeter(), PitchMeter()
    bands.add(sound)
    pitches.add(sound)
    return bands.powers(), pitches.pitches()


@pytest.fixture(scope="module")
def talk_and_music() -> tuple[np.ndarray, np.ndarray]:
    talk = heard("voice", "narration.ogg", seconds=25.0)
    music = heard("music", "corner_store.ogg", seconds=30.0, at=30.0)
    return measured(np.concatenate([talk, music, talk]))


def test_music_between_talk_is_found(talk_and_music: tuple[np.ndarray, np.ndarray]) -> None:
    ((first, last),) = music_ranges(*talk_and_music, CLOSE, LEAST)
    # A pause of the narration, some seconds before the music, is taken for its beginning.
    assert 20.0 <= first <= 25.3
    assert last == pytest.approx(55.0, abs=0.3)


def test_music_after_noise_is_found_where_it_begins_and_ends() -> None:
    noise = np.random.default_rng(1).normal(0, 0.03, 25 * SAMPLE_RATE).astype(np.float32)
    music = heard("music", "corner_store.ogg", seconds=30.0, at=30.0)
    ((first, last),) = music_ranges(*measured(np.concatenate([noise, music, noise])), CLOSE, LEAST)
    assert first == pytest.approx(25.0, abs=0.3)
    assert last == pytest.approx(55.0, abs=0.3)


@pytest.mark.parametrize("track", ["corner_store.ogg", "harbour_lights.ogg", "hill_road.ogg"])
def test_a_jingle_of_seven_seconds_is_found_at_the_start_and_after_silence(track: str) -> None:
    talk, jingle = heard("voice", "narration.ogg", seconds=25.0), heard("music", track, seconds=7.0, at=30.0)
    pause = np.zeros(2 * SAMPLE_RATE, dtype=np.float32)
    found = music_ranges(*measured(np.concatenate([jingle, pause, talk, pause, jingle, pause])), CLOSE, 3.0)
    assert np.array(found) == pytest.approx(np.array([(0.0, 7.0), (36.0, 43.0)]), abs=0.1)


def test_music_under_talk_is_music_too() -> None:
    talk = heard("voice", "narration.ogg", seconds=40.0)
    music = heard("music", "corner_store.ogg", seconds=40.0, at=30.0)
    odds = music_odds(*measured(talk * np.float32(1.4) + music))
    assert np.mean(odds > 0) > 0.8


def test_a_soundtrack_that_is_music_is_one_stretch_from_end_to_end() -> None:
    music = heard("music", "corner_store.ogg", seconds=30.4, at=30.0)
    ((first, last),) = music_ranges(*measured(music), CLOSE, LEAST)
    assert first == 0.0
    assert last == pytest.approx(30.4, abs=0.02)


@pytest.mark.parametrize("kind", ["talk", "noise", "silence", "rumble", "traffic"])
def test_what_is_no_music_has_none(kind: str) -> None:
    noise = np.random.default_rng(1).normal(0, 0.1, 30 * SAMPLE_RATE).astype(np.float32)
    talk = heard("voice", "narration.ogg", seconds=30.0)
    rumble = lfilter([1.0], [1.0, -0.995], noise).astype(np.float32)
    passing = 10 ** (np.interp(np.arange(noise.size), np.arange(31) * SAMPLE_RATE, 8 * np.sin(np.arange(31))) / 20)
    traffic = (lfilter([0.02], [1.0, -0.98], noise) * passing).astype(np.float32)
    sound = {
        "talk": talk, "noise": noise, "silence": np.zeros_like(noise), "rumble": rumble, "traffic": traffic
    }[kind]  # fmt: skip
    assert music_ranges(*measured(sound), CLOSE, LEAST) == ()


def test_what_nobody_hears_beside_the_voice_is_no_music() -> None:
    talk, music = (heard(*path, seconds=25.0) for path in (("voice", "narration.ogg"), ("music", "corner_store.ogg")))
    for level_db, count in ((-30.0, 1), (-60.0, 0)):
        soft = music * np.float32(10 ** (level_db / 20))
        assert len(music_ranges(*measured(np.concatenate([talk, soft, talk])), CLOSE, LEAST)) == count, level_db


def test_breaks_and_short_stretches(talk_and_music: tuple[np.ndarray, np.ndarray]) -> None:
    assert music_ranges(*talk_and_music, CLOSE, 60.0) == ()
    bands, pitches = (np.concatenate([each, each]) for each in talk_and_music)
    assert len(music_ranges(bands, pitches, CLOSE, LEAST)) == 2
    assert len(music_ranges(bands, pitches, 60.0, LEAST)) == 1


def test_seconds_that_have_begun_count_and_none_is_no_error(talk_and_music: tuple[np.ndarray, np.ndarray]) -> None:
    bands, pitches = talk_and_music
    assert music_cues(bands[:130], pitches[:65]).shape == (2, len(CUES))
    assert np.all(np.isfinite(music_cues(bands[:130], pitches[:65])))
    assert music_cues(bands[:0], pitches[:0]).shape == (0, len(CUES))
    assert music_ranges(bands[:0], pitches[:0], CLOSE, LEAST) == ()
    with pytest.raises(ParameterError, match="bands and pitches are tables"):
        music_cues(bands[:, 0], pitches)
