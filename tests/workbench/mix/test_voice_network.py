"""The voice network: it hears a voice under music, and blocks do not matter."""

from __future__ import annotations

import json

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.files import bundled_path
from workbench.media.audio import decode, resample
from workbench.video.voice_network import VoiceMeter

RATE = 16_000
SECONDS = 16.0


def log_odds(sound: np.ndarray, block: int | None = None) -> np.ndarray:
    meter = VoiceMeter()
    for first in range(0, sound.size, block or max(1, sound.size)):
        meter.add(sound[first : first + (block or sound.size)])
    return meter.log_odds()


def bundled(*path: str, start: float = 0.0) -> np.ndarray:
    found = decode(bundled_path("data", "bundled", *path))
    cut = found.samples.mean(axis=0)[round(start * found.sample_rate) : round((start + SECONDS) * found.sample_rate)]
    return resample(cut.astype(np.float32), found.sample_rate, RATE)


def test_a_voice_is_heard_alone_and_10_db_under_music_and_music_is_no_voice() -> None:
    phrases = json.loads(bundled_path("data", "bundled", "voice", "narration.json").read_text("utf-8"))["phrases"]
    begins = phrases[0]["start_s"] - 1.0
    voice, music = bundled("voice", "narration.ogg", start=begins), bundled("music", "first_snow.ogg", start=20.0)
    said = np.zeros(round(SECONDS * 100), dtype=bool)
    for phrase in phrases:
        said[round((phrase["start_s"] - begins) * 100) : round((phrase["end_s"] - begins) * 100)] = True
    spoken = np.repeat(said, RATE // 100)
    music *= np.sqrt(np.mean(voice[spoken] ** 2) / np.mean(music**2))
    for under_db in (None, 10.0):
        heard = log_odds(voice if under_db is None else voice + music * 10 ** (under_db / 20)) > 1.0
        assert 2 * np.sum(heard & said) / (np.sum(heard) + np.sum(said)) > 0.9
    assert np.mean(log_odds(music) > 1.0) < 0.02


def test_blocks_and_what_is_far_away_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    sound = rng.normal(0, 0.05, 75 * RATE + 77).astype(np.float32) * (1 + np.sin(np.arange(75 * RATE + 77) / 4000))
    whole = log_odds(sound)
    assert whole.shape == (7501,)
    assert np.allclose(log_odds(sound, 7777), whole, atol=1e-3)
    sound[: 20 * RATE] = 0.0
    assert np.allclose(log_odds(sound)[2600:], whole[2600:], atol=1e-3)


def test_silence_and_nothing_are_no_speech() -> None:
    assert log_odds(np.zeros(2 * RATE, dtype=np.float32)).max() < 0.0
    assert log_odds(np.zeros(0, dtype=np.float32)).shape == (0,)
    assert log_odds(np.zeros(5, dtype=np.float32)).shape == (1,)


def test_more_than_one_channel_is_refused() -> None:
    with pytest.raises(ParameterError, match="mono"):
        VoiceMeter().add(np.zeros((2, 100), dtype=np.float32))
