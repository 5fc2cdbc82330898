"""Key, drums, vocals, what is fitted from them, and whole descriptions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.workbench.played import band
from workbench.analysis.character import (
    Character,
    character_from_arrays,
    character_to_arrays,
    describe,
    loudness_range,
    measure_track,
)
from workbench.analysis.workspace import Workspace
from workbench.features.character_model import FILE, chance, key_scores
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS, SoundFacts, rhythm_shape, sound_vector
from workbench.features.drums import drum_chance, strike_clues
from workbench.features.key import find_key, key_clarity, tone_profile
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum, resampled
from workbench.features.speech_probability import speech_probabilities
from workbench.features.vocals import EXCERPT_SECONDS, EXCERPTS, RATE, excerpts, voice_chance, voice_clues
from workbench.files import bundled_path, read_numbers
from workbench.store.home import Home


class TestSoundVector:
    def test_unit_length_and_known_size(self) -> None:
        vector = sound_vector(SoundFacts(bpm=100, energy=0.5, contour=np.linspace(0, 1, CONTOUR_PARTS)))
        assert vector.shape == (SOUND_DIMS,)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)
        assert not sound_vector(SoundFacts()).any()

    def test_likeness_falls_with_distance(self) -> None:
        wish = sound_vector(SoundFacts(bpm=120, energy=0.8))
        likeness = [float(wish @ sound_vector(SoundFacts(bpm=bpm, energy=0.8))) for bpm in (120, 110, 90, 60)]
        assert likeness == sorted(likeness, reverse=True)
        assert likeness[0] == pytest.approx(1.0, abs=1e-6)

    def test_what_a_wish_leaves_open_does_not_change_the_order(self) -> None:
        wish = sound_vector(SoundFacts(energy=0.9))
        loud, soft = (sound_vector(SoundFacts(energy=e, bpm=100, drums=0.5)) for e in (0.9, 0.2))
        assert float(wish @ loud) > float(wish @ soft)

    def test_a_rhythm_needs_two_bar_lines(self) -> None:
        assert not rhythm_shape(np.ones(500), 100, np.array([1.0])).any()
        attack = np.zeros(1000)
        attack[np.arange(0, 1000, 200)] = 1.0
        assert rhythm_shape(attack, 100, np.arange(0.0, 10.0, 2.0)).argmax() == 0


DRUM_RATE = 44_100
SECONDS = 12


def drum_opening(name: str) -> NDArray[np.float32]:
    """The sound of a bundled track, from 20 s on."""
    samples, rate = soundfile.read(bundled_path("data", "bundled", "music", f"{name}.ogg"), dtype="float32")
    assert rate == DRUM_RATE
    return np.asarray(samples[20 * DRUM_RATE : (20 + SECONDS) * DRUM_RATE].mean(axis=1))


def chance_of(sound: NDArray[np.float32]) -> float:
    spectrum = analyze_spectrum(sound, DRUM_RATE)
    return drum_chance(spectrum, detect_onsets(spectrum))


def test_tracks_with_drums_are_told_from_those_without() -> None:
    with_drums = [chance_of(drum_opening(name)) for name in ("harbour_lights", "glass_circuit")]
    assert 0.0 <= chance_of(drum_opening("first_snow")) < 0.5 < min(with_drums) <= 1.0


def test_gain_changes_nothing() -> None:
    clues = []
    for gain in (1.0, 0.1):
        spectrum = analyze_spectrum(gain * drum_opening("harbour_lights"), DRUM_RATE)
        found = strike_clues(spectrum, detect_onsets(spectrum))
        assert found is not None
        assert found.shape == (37,)
        clues.append(found)
    np.testing.assert_allclose(clues[1], clues[0], atol=0.02)


@pytest.mark.parametrize("samples", [0, 2000, DRUM_RATE])
def test_silence_and_a_scrap_have_no_drums(samples: int) -> None:
    assert chance_of(np.zeros(samples, dtype=np.float32)) == 0.0


@pytest.mark.parametrize("name", ["voice", "drums"])
def test_a_chance_lies_between_0_and_1_and_follows_the_weights(name: str) -> None:
    model = read_numbers(FILE)[name]
    mean, scale, weights = (np.array(model[part]) for part in ("mean", "scale", "weights"))
    usual = chance(name, mean)  # type: ignore[arg-type]
    assert usual == pytest.approx(1 / (1 + np.exp(-model["bias"])))
    for size in (1.0, 1e6):
        towards = chance(name, mean + size * scale * np.sign(weights))  # type: ignore[arg-type]
        away = chance(name, mean - size * scale * np.sign(weights))  # type: ignore[arg-type]
        assert 0.0 <= away < usual < towards <= 1.0


def test_scores_of_keys_move_with_the_profile() -> None:
    profile = np.random.default_rng(4).uniform(0.0, 3.0, (3, 12))
    scores = key_scores(profile)
    assert scores.shape == (12, 2)
    for up in range(12):
        np.testing.assert_allclose(key_scores(np.roll(profile, up, axis=1)), np.roll(scores, up, axis=0))


def test_the_key_moves_with_the_music_and_gain_changes_nothing() -> None:
    midi = np.arange(28, 109)
    tones = np.full((midi.size, 200), 1e-9)
    for part, (root, third) in enumerate(((0, 4), (5, 4), (7, 4), (0, 4))):
        for step, power in ((root - 12, 4e-3), (root, 1e-3), (root + third, 1e-3), (root + 7, 1e-3)):
            tones[midi == 60 + step, 50 * part : 50 * part + 50] += power
    profile = tone_profile(tones, midi)
    found = find_key(profile)
    assert found is not None
    assert (found.name, found.mode) == ("C", "major")
    np.testing.assert_allclose(tone_profile(1e-3 * tones, midi), profile, atol=1e-6)
    for up in range(12):
        moved = find_key(np.roll(profile, up, axis=1))
        assert moved is not None
        assert (moved.tonic, moved.mode) == (up, "major")
        assert moved.strength == pytest.approx(found.strength)


def test_clarity_is_that_of_the_notes_of_one_key() -> None:
    scale = np.zeros((3, 12))
    scale[:, [0, 2, 4, 5, 7, 9, 11]] = 1.0
    scale[:, [0, 4, 7]] += 1.0
    clear = key_clarity(scale)
    assert clear > 0.85
    for up in range(12):
        assert key_clarity(np.roll(scale, up, axis=1)) == pytest.approx(clear)
    cluster = np.zeros((3, 12))
    cluster[:, [0, 1, 2, 3, 4, 5]] = 1.0
    assert key_clarity(cluster) < clear - 0.3
    assert key_clarity(np.ones((3, 12))) == 0.0
    assert key_clarity(np.zeros((3, 12))) == 0.0


def buzz(hertz: NDArray[np.float64], sounding: NDArray[np.float64]) -> NDArray[np.float32]:
    phase = 2 * np.pi * np.cumsum(hertz) / RATE
    return np.asarray(0.1 * sounding * sum(np.sin(k * phase) / k for k in range(1, 20)), dtype=np.float32)


def talker(seconds: float = 6.0) -> NDArray[np.float32]:
    t = np.arange(round(seconds * RATE)) / RATE
    return buzz(150 * 2 ** (0.4 * np.sin(2 * np.pi * 1.3 * t)), np.maximum(0.0, np.sin(2 * np.pi * 4 * t)))


def opening(*place: str) -> NDArray[np.float32]:
    """Ten seconds of a bundled file, from where it sounds, at the rate that is listened to."""
    samples, rate = soundfile.read(bundled_path("data", "bundled", *place), dtype="float32", always_2d=True)
    heard = resampled(samples.T, rate, RATE)
    begins = int(np.argmax(np.abs(heard) > 0.01))
    return np.asarray(heard[begins : begins + 10 * RATE])


def test_the_narration_is_a_voice_and_a_piano_is_none() -> None:
    spoken, played = opening("voice", "narration.ogg"), opening("music", "unsent_letter.ogg")
    assert voice_chance(spoken, speech_probabilities([spoken])) > 0.9
    assert voice_chance(played, speech_probabilities([played])) < 0.5


def test_gain_changes_nothing_and_clues_are_finite() -> None:
    speech = np.full(190, 0.5)
    clues = voice_clues(talker(), speech)
    assert clues.shape == (20,)
    assert np.isfinite(clues).all()
    np.testing.assert_allclose(voice_clues(np.float32(0.1) * talker(), speech), clues, atol=0.02)


def test_silence_and_less_than_two_seconds_have_no_voice() -> None:
    assert voice_chance(np.zeros(5 * RATE, dtype=np.float32), np.ones(150)) == 0.0
    assert voice_chance(talker(1.9), np.ones(60)) == 0.0
    assert voice_chance(talker(), np.zeros(0)) == 0.0


def test_of_a_long_recording_stretches_from_all_over_are_heard() -> None:
    short = np.arange(30 * RATE, dtype=np.float32)
    assert excerpts(short) is short
    minutes = np.arange(120 * RATE, dtype=np.float32)
    heard = excerpts(minutes).reshape(EXCERPTS, -1)
    assert heard.shape[1] == EXCERPT_SECONDS * RATE
    assert np.all(np.diff(heard, axis=1) == 1.0)
    middles = heard.mean(axis=1) / RATE
    assert middles == pytest.approx([10.0, 30.0, 50.0, 70.0, 90.0, 110.0], abs=0.01)


BAND_RATE = 22_050


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Character]:
    """`described(gain=…)` plays the band, writes a file and describes it."""
    folder = tmp_path_factory.mktemp("character")

    def run(name: str, **how: Any) -> Character:
        path = folder / f"{name}.wav"
        recording = band("AABB", **how).recording
        soundfile.write(path, recording.samples.T, recording.sample_rate, subtype="FLOAT")
        return describe(Workspace(Home(folder / "home")), path)

    return run


@pytest.fixture(scope="module")
def plain(described: Callable[..., Character]) -> Character:
    return described("plain")


def test_pace_and_form(plain: Character) -> None:
    assert plain.bpm == pytest.approx(120.0, abs=0.5)
    assert plain.beats_per_bar == 4
    assert plain.duration_seconds == pytest.approx(0.25 + 32 + 2.0, abs=0.01)
    start, end = plain.salient
    assert 0 <= start < end <= plain.duration_seconds
    assert plain.sections


def test_level(described: Callable[..., Character], plain: Character) -> None:
    soft = described("soft", gain=0.25)
    assert plain.lufs is not None
    assert soft.lufs is not None
    assert plain.lufs - soft.lufs == pytest.approx(12.04, abs=0.05)
    # a lower master is the same music
    assert soft.energy == pytest.approx(plain.energy, abs=0.01)
    assert soft.brightness == pytest.approx(plain.brightness, abs=0.01)
    assert float(soft.sound @ plain.sound) > 0.999


def test_drums_and_no_voice(plain: Character) -> None:
    assert plain.drums > 0.5
    assert plain.vocals < 0.5


def test_a_key_is_named_only_where_it_is_likelier_right_than_wrong(tmp_path: Path) -> None:
    time = np.arange(20 * BAND_RATE) / BAND_RATE

    def heard(name: str, *hertz: float) -> Character:
        sound = sum(np.sin(2 * np.pi * tone * k * time) / k for tone in hertz for k in (1, 2, 3, 4))
        soundfile.write(tmp_path / f"{name}.wav", 0.05 * sound, BAND_RATE)
        return describe(Workspace(Home(tmp_path / "home")), tmp_path / f"{name}.wav")

    scale = heard("scale", 110.0, 164.8, 220.0, 246.9, 261.6, 293.7, 329.6, 392.0)  # A minor over its tonic and fifth
    diminished = heard("diminished", 220.0, 261.6, 311.1, 370.0)  # leads to any of four keys
    assert (scale.key_name, scale.key_mode) == ("A", "minor")
    assert scale.key_strength >= 0.5
    assert (diminished.key_name, diminished.key_mode) == (None, None)
    assert 0.3 < diminished.key_strength < 0.5


def test_noise_that_is_struck_has_more_energy_than_a_chord_that_swells(tmp_path: Path) -> None:
    rng, time = np.random.default_rng(3), np.arange(round(20.1 * BAND_RATE)) / BAND_RATE
    struck = 0.3 * rng.standard_normal(time.size) * np.exp(-12.0 * (time % 0.25))
    chord = sum(np.sin(2 * np.pi * hertz * k * time) / k for hertz in (220.0, 277.2, 329.6) for k in (1, 2, 3, 4))
    swells = 0.05 * chord * (0.6 + 0.4 * np.sin(2 * np.pi * time / 10.0))
    heard = []
    for name, sound in (("struck", struck), ("swells", swells)):
        soundfile.write(tmp_path / f"{name}.wav", sound, BAND_RATE)
        heard.append(describe(Workspace(Home(tmp_path / "home")), tmp_path / f"{name}.wav"))
    assert heard[0].energy > heard[1].energy + 0.2


def test_the_clarity_of_a_key_is_measured(described: Callable[..., Character], plain: Character) -> None:
    assert plain.key_clarity is not None
    assert 0.3 < plain.key_clarity <= 1.0
    soft = described("soft", gain=0.25)
    assert soft.key_clarity == pytest.approx(plain.key_clarity, abs=0.01)


def test_silence_has_neither_tempo_nor_key_nor_level(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(BAND_RATE * 5), BAND_RATE)
    silence = describe(Workspace(Home(tmp_path / "home")), tmp_path / "silence.wav")
    assert (silence.bpm, silence.key_name, silence.lufs, silence.dynamics) == (None, None, None, None)
    assert silence.key_clarity is None
    assert (silence.energy, silence.vocals, silence.loopable) == (0.0, 0.0, 0.0)
    assert not silence.sound.any()
    facts = measure_track(Workspace(Home(tmp_path / "home")), tmp_path / "silence.wav").facts
    assert facts["instrumental"] is True
    assert "bpm" not in facts


def test_it_is_kept_and_read_as_it_was(plain: Character) -> None:
    arrays = character_to_arrays(plain)
    again = character_from_arrays(arrays)
    assert again.sections == plain.sections
    assert again.salient == plain.salient
    assert again.key_name == plain.key_name
    np.testing.assert_array_equal(again.contour, plain.contour)


def test_loudness_range_is_that_of_ebu_tech_3342() -> None:
    # the standard's first case: 20 s at -20 LUFS, 20 s at -30, range 10 LU
    assert loudness_range(np.repeat([-20.0, -30.0], 200)) == pytest.approx(10.0)
    # the third: what is 20 LU under the rest does not count
    assert loudness_range(np.repeat([-40.0, -20.0], 200)) == pytest.approx(20.0)
    assert loudness_range(np.full(9, -np.inf)) is None
