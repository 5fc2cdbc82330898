"""What is measured of a track, where the answer is plain from how it was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.character.describe import Character, character_from_arrays, character_to_arrays, loudness_range
from workbench.character.descriptors import CONTOUR_PARTS, SOUND_DIMS, SoundFacts, rhythm_shape, sound_vector
from workbench.character.key import find_key, tone_profile
from workbench.features.variables import check_together
from workbench.home import Home
from workbench.params import BeatParams, CatalogParams, CharacterParams, CoverParams, WorkbenchParams
from workbench.settings import WorkbenchSettings
from workbench.store import grids
from workbench.store.database import Database
from workbench.workflows.beats import map_beats
from workbench.workflows.describe import analysis_name, describe, measure_track
from workbench.workspace import Workspace

RATE = 22_050


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory, band: Callable[..., object]) -> Callable[..., Character]:
    """`described(gain=…)` plays the band, writes a file and describes it."""
    folder = tmp_path_factory.mktemp("character")

    def run(name: str, **how: object) -> Character:
        path = folder / f"{name}.wav"
        recording = band("AABB", **how).recording  # type: ignore[attr-defined]
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


def test_silence_has_neither_tempo_nor_key_nor_level(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(RATE * 5), RATE)
    silence = describe(Workspace(Home(tmp_path / "home")), tmp_path / "silence.wav")
    assert (silence.bpm, silence.key_name, silence.lufs, silence.dynamics) == (None, None, None, None)
    assert (silence.energy, silence.vocals, silence.loopable) == (0.0, 0.0, 0.0)
    assert not silence.sound.any()
    facts = measure_track(Workspace(Home(tmp_path / "home")), tmp_path / "silence.wav").facts
    assert facts["instrumental"] is True
    assert "bpm" not in facts


def test_a_grid_that_was_corrected_in_this_home_counts_and_in_no_other(
    band: Callable[..., object], tmp_path: Path
) -> None:
    path, home, other = tmp_path / "band.wav", Home(tmp_path / "home"), Home(tmp_path / "other")
    recording = band("AABB").recording  # type: ignore[attr-defined]
    soundfile.write(path, recording.samples.T, recording.sample_rate, subtype="FLOAT")
    assert describe(Workspace(home), path).beats_per_bar == 4
    heard = map_beats(Workspace(home), path)
    database = Database.at(home, WorkbenchSettings(database_url=None))
    with database.write() as connection:
        threes = [number % 3 + 1 for number in range(heard.grid.beats.size)]
        grids.put(connection, heard.content_hash, heard.grid.beats.tolist(), threes, 3)
    database.close()
    assert describe(Workspace(home), path).beats_per_bar == 3
    assert measure_track(Workspace(home), path).facts["beats_per_bar"] == 3
    assert describe(Workspace(other), path).beats_per_bar == 4


def test_a_measurement_is_named_after_what_decides_it() -> None:
    name = analysis_name(WorkbenchParams())
    assert analysis_name(WorkbenchParams(catalog=CatalogParams(max_batch_tracks=7))) == name
    others = (
        WorkbenchParams(character=CharacterParams(min_vocal_voice=0.99)),
        WorkbenchParams(beats=BeatParams(activation="onsets")),
        WorkbenchParams(cover=CoverParams(required_excess_seconds=31.0)),
    )
    assert len({name, *map(analysis_name, others)}) == 4


def test_it_is_kept_and_read_as_it_was(plain: Character) -> None:
    arrays = character_to_arrays(plain)
    check_together(arrays)
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
