"""Music under a spoken recording: ducked under speech, left alone where nobody speaks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workbench.features.levels import level_curve
from workbench.files import bundled_path
from workbench.mix.clarity import played_music, speech_over_music, worst_passages
from workbench.params import DuckParams
from workbench.workflows.voice_over import VoiceOver, load_voice_over, mix_voice_over


@pytest.fixture(scope="module")
def narrated() -> VoiceOver:
    music = bundled_path("data", "bundled", "music", "harbour_lights.ogg")
    return load_voice_over(bundled_path("data", "bundled", "voice", "narration.ogg"), music, 45.0)


def test_both_sounds_are_mono_and_as_long_as_asked_for(narrated: VoiceOver) -> None:
    assert narrated.voice.samples.shape == narrated.music.samples.shape
    assert narrated.voice.channels == 1
    assert narrated.voice.duration == pytest.approx(45.0, abs=1e-3)


def test_music_is_lower_under_speech_and_at_its_gain_elsewhere(narrated: VoiceOver) -> None:
    mixed = mix_voice_over(narrated)
    (first, last), *_ = mixed.speech_ranges
    assert mixed.envelope
    rate = mixed.music.sample_rate
    under = slice(round((first + 0.1) * rate), round((last - 0.1) * rate))
    before = slice(0, round((first - 3.0) * rate))
    ratio = np.abs(mixed.music.samples) / np.maximum(np.abs(narrated.music.samples), 1e-9)
    assert np.median(ratio[:, under]) < 0.7 * np.median(ratio[:, before])
    assert np.abs(mixed.both.samples).max() <= 1.0


def test_a_shallower_duck_leaves_more_of_the_music(narrated: VoiceOver) -> None:
    shallow = mix_voice_over(narrated, DuckParams(under_voice_lu=13.0))
    deep = mix_voice_over(narrated, DuckParams(under_voice_lu=17.0))
    assert max(db for _, db in shallow.envelope) < max(db for _, db in deep.envelope)


def test_accessible_music_is_20_lu_under_every_passage_of_speech(narrated: VoiceOver) -> None:
    """WCAG 1.4.7, measured on the voice and the music as they are played."""
    levels = level_curve(narrated.music.samples, narrated.music.sample_rate)
    assert narrated.measured.levels is not None
    least = {}
    for preset in ("documentary", "accessible"):
        mixed = mix_voice_over(narrated, DuckParams.model_validate({"preset": preset}))
        passages = speech_over_music(
            narrated.measured.levels.raised(mixed.mix.video_gain_db or 0.0),
            played_music(levels, mixed.mix.music_gain_db or 0.0, mixed.envelope),
            mixed.speech_ranges,
        )
        (worst, *_), least[preset] = worst_passages(passages), min(passage.over_lu for passage in passages)
        assert worst.over_lu == least[preset]
    assert 10.5 < least["documentary"] < 18.0
    assert least["accessible"] >= 20.0


def test_without_speech_nothing_is_ducked(track: Path) -> None:
    sounds = load_voice_over(track, track, 10.0)
    mixed = mix_voice_over(sounds)
    assert not mixed.mix.voiceover
    assert mixed.envelope == ()
    assert mixed.speech_ranges == ()
    assert np.allclose(
        mixed.both.samples,
        (sounds.voice.samples + sounds.music.samples)
        / max(1.0, np.abs(sounds.voice.samples + sounds.music.samples).max()),
        atol=1e-6,
    )
