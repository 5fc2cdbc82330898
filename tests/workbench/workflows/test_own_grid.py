"""A person's own grid of a track, kept and used by every later plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.grids import corrected_grid
from workbench.analysis.sources import open_library
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, ParameterError
from workbench.files import bundled_path
from workbench.store.home import Home
from workbench.workflows.beats import confirm_grid, keep_grid, keep_tempo, map_beats
from workbench.workflows.catalog import WantedFile, add_all

RATE, SECONDS = 22_050, 24.0


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A click every half second, every fourth one lower and louder."""
    sound = np.zeros(round(SECONDS * RATE))
    time = np.arange(round(0.1 * RATE)) / RATE
    for k in range(47):
        pitch, level = (80.0, 0.8) if k % 4 == 0 else (1000.0, 0.2)
        at = round((0.1 + k * 0.5) * RATE)
        sound[at : at + time.size] += level * np.sin(2 * np.pi * pitch * time) * np.exp(-time * 40)
    path = tmp_path_factory.mktemp("track") / "clicks.wav"
    soundfile.write(path, sound, RATE)
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Home(tmp_path / "home"))


def own(places: int = 3) -> BeatGrid:
    return BeatGrid(0.1 + np.arange(46) * 0.5, np.arange(46) % places + 1, places)


def test_ones_own_grid_is_the_tracks_until_the_heard_one_is_confirmed(workspace: Workspace, track: Path) -> None:
    heard = map_beats(workspace, track).grid
    assert heard.confidence < 1.0
    kept = keep_grid(workspace, track, own())
    for grid in (kept, map_beats(workspace, track).grid, analyze(workspace, track).grid):
        assert grid.downbeats == pytest.approx(own().downbeats)
        assert (grid.beats_per_bar, grid.confidence) == (3, 1.0)
    assert analyze(workspace, track).profile.grid_confidence == 1.0
    confirmed = confirm_grid(workspace, track)
    assert confirmed.confidence == 1.0
    again = map_beats(workspace, track).grid
    assert again.beats == pytest.approx(heard.beats, abs=1e-6)
    assert again.positions.tolist() == heard.positions.tolist()


def test_analyze_takes_a_grid_and_its_file(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.beats"
    file.write_text("".join(f"{time:.3f} {k % 3 + 1}\n" for k, time in enumerate(own().beats)))
    for given, downbeats in ((file, own().downbeats), (own(4), own(4).downbeats)):
        keep_grid(workspace, track, given)
        assert analyze(workspace, track).grid.downbeats == pytest.approx(downbeats)
    # It stays the track's, by its bytes and not by its name.
    copy = tmp_path / "copy.wav"
    copy.write_bytes(track.read_bytes())
    assert analyze(workspace, copy).profile.downbeats == pytest.approx(own(4).downbeats, abs=1e-5)


def test_a_grid_that_cannot_be_the_tracks_is_refused(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    with pytest.raises(GridError, match="is after the end of the track"):
        keep_grid(workspace, track, BeatGrid(np.array([1.0, 2.0, 25.0]), np.array([1, 2, 3]), 3))
    with pytest.raises(GridError, match="without bar lines"):
        keep_grid(workspace, track, BeatGrid(np.array([1.0, 2.0]), np.array([2, 3]), 3))
    assert corrected_grid(workspace, map_beats(workspace, track).content_hash) is None
    silence = tmp_path / "silence.wav"
    soundfile.write(silence, np.zeros(5 * RATE), RATE)
    with pytest.raises(GridError, match="nothing to confirm"):
        confirm_grid(workspace, silence)


UNDERTOW = bundled_path("data", "bundled", "music", "undertow.ogg")
"""at 174 BPM, of which half is heard"""


def test_beats_are_heard_at_a_tempo_that_a_person_knows(workspace: Workspace) -> None:
    heard = map_beats(workspace, UNDERTOW).grid
    assert heard.tempo_bpm == pytest.approx(87.0, abs=0.1)
    kept = keep_tempo(workspace, UNDERTOW, 175.0)
    assert kept.tempo_bpm == pytest.approx(174.0, abs=0.1)
    assert heard.confidence < kept.confidence < 1.0, "the bar lines were heard and not given"
    again = analyze(workspace, UNDERTOW)
    assert again.grid.beats == pytest.approx(kept.beats, abs=1e-6)
    assert again.profile.grid_confidence == pytest.approx(kept.confidence, abs=1e-4)
    record = corrected_grid(workspace, again.content_hash)
    assert record is not None
    assert record.note == "detected at 175 BPM, the given tempo"
    assert confirm_grid(workspace, UNDERTOW).tempo_bpm == pytest.approx(87.0, abs=0.1), "and taken back"


def test_a_tempo_at_which_nothing_is_heard_is_refused(workspace: Workspace, track: Path) -> None:
    with pytest.raises(
        GridError, match=r"no beats were detected in it at 133 BPM, 120\.\d BPM is; give half or double"
    ):
        keep_tempo(workspace, track, 133.0)
    with pytest.raises(ParameterError, match="a tempo is between 40 and 240 BPM, got 20"):
        keep_tempo(workspace, track, 20.0)
    assert corrected_grid(workspace, map_beats(workspace, track).content_hash) is None


def test_the_tempo_that_a_catalog_gives_counts_where_it_can_be_heard(workspace: Workspace) -> None:
    wrong = bundled_path("data", "bundled", "music", "corner_store.ogg")  # at 104 BPM
    assert add_all(workspace, [WantedFile(UNDERTOW, "a", {"bpm": 174.0}), WantedFile(wrong, "b", {"bpm": 97.0})]) == 2
    library = open_library(workspace)
    assert library.get("a").contradictions == ()
    assert map_beats(workspace, UNDERTOW).grid.tempo_bpm == pytest.approx(174.0, abs=0.1)
    assert library.get("b").contradictions == ("bpm 97 was given, 104 was measured, another tempo",)
    assert map_beats(workspace, wrong).grid.tempo_bpm == pytest.approx(104.0, abs=0.1)


def test_a_grid_that_a_person_kept_outweighs_the_tempo_of_a_catalog(workspace: Workspace) -> None:
    confirm_grid(workspace, UNDERTOW)
    assert add_all(workspace, [WantedFile(UNDERTOW, "a", {"bpm": 174.0})]) == 1
    assert map_beats(workspace, UNDERTOW).grid.tempo_bpm == pytest.approx(87.0, abs=0.1)
    assert open_library(workspace).get("a").contradictions
