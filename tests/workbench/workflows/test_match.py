"""The catalog ranked against a video, from files to a lane."""

from __future__ import annotations

import shutil
from bisect import bisect_right
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.videos import coloured_shots, write_video
from workbench.analysis.grids import delete_grid, save_grid
from workbench.analysis.sources import open_library
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import MediaError
from workbench.matching.lane import Lane
from workbench.store.home import Home
from workbench.workflows.beats import map_beats
from workbench.workflows.catalog import WantedFile, add_tracks
from workbench.workflows.match import match, rank_video

RATE, FPS = 22_050, 25
CUTS = tuple(np.arange(2.0, 24.0, 2.0))


def band(bpm: float, seconds: float, level: float, seed: int) -> np.ndarray:
    """Kick, snare and a changing chord at a tempo."""
    dice = np.random.default_rng(seed)
    beat = 60.0 / bpm
    sound = np.zeros(round(seconds * RATE))
    held = np.arange(round(beat * RATE)) / RATE
    for number in range(int(seconds / beat) - 1):
        root = 110.0 * 2 ** ((number // 4 % 4) * 3 / 12)
        tone = sum(np.sin(2 * np.pi * root * k * held) / k for k in (1, 2, 3, 5)) * np.exp(-held * 2)
        struck = np.sin(2 * np.pi * 55 * held) * np.exp(-held * 18) if number % 2 == 0 else (
            dice.standard_normal(held.size) * 0.4 * np.exp(-held * 25))  # fmt: skip
        first = round(number * beat * RATE)
        sound[first : first + held.size] += level * (0.25 * tone + struck)
    return (0.5 * sound).astype(np.float32)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Three tracks, one of them under two ids and one in two versions."""
    folder = tmp_path_factory.mktemp("music")
    for name, bpm, level in (("quick", 160.0, 1.0), ("slow", 70.0, 0.3), ("even", 120.0, 0.7)):
        soundfile.write(folder / f"{name}.wav", band(bpm, 30.0, level, 1), RATE)
    soundfile.write(folder / "even-live.wav", band(120.0, 28.0, 0.8, 2), RATE)
    home = Home(tmp_path_factory.mktemp("home"))
    wanted = [
        WantedFile(folder / "quick.wav", "trk_quick", {"title": "Quick", "catalog_song_id": "song_q"}),
        WantedFile(folder / "quick.wav", "trk_again", {"title": "Quick again"}),
        WantedFile(folder / "slow.wav", "trk_slow", {"title": "Slow", "energy": 0.1, "instrumental": True}),
        WantedFile(folder / "even.wav", "trk_even", {"title": "Even", "catalog_song_id": "song_e"}),
        WantedFile(folder / "even-live.wav", "trk_live", {"title": "Even, live", "catalog_song_id": "song_e"}),
    ]
    assert all(added.fault is None for added in add_tracks(Workspace(home), wanted))
    return home


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty-four seconds of plain shots of two seconds each, without sound."""
    shots = coloured_shots(len(CUTS) + 1)
    pictures = (shots[bisect_right(CUTS, k / FPS)] for k in range(FPS * 24))
    return write_video(tmp_path_factory.mktemp("video") / "shots.mp4", pictures, FPS)


@pytest.fixture(scope="module")
def lane(home: Home, video: Path) -> Lane:
    return match(Workspace(home), video)


def test_every_track_comes_once(lane: Lane) -> None:
    named = [found.track.track_id for found in lane.matches]
    assert len({"trk_even", "trk_live"} & set(named)) == 1
    assert {"trk_quick", "trk_again", "trk_slow"} <= set(named)
    scores = [found.score for found in lane.matches]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_each_says_why_and_where_it_lands(lane: Lane) -> None:
    for found in lane.matches:
        assert found.reasons
        assert found.fit_explanation.endswith(".")
        assert {reason.category for reason in found.reasons} <= {"pace", "energy", "mood", "voice", "length", "sync"}
        assert found.sync_status == "warm"
        assert found.sync is not None
        assert len(found.sync) <= 12
        for reason in found.reasons:
            if reason.category == "sync":
                assert reason.score == pytest.approx(found.sync[0].score)
    assert "cuts per minute" in lane.reasoning


def test_cuts_on_the_beat_of_a_track_speak_for_it(lane: Lane) -> None:
    told = {found.track.track_id: [reason.audio for reason in found.reasons] for found in lane.matches}
    even = told.get("trk_even") or told["trk_live"]
    assert any("lasts 2.00 s at 120" in line for line in even)


def test_a_second_match_is_the_same_and_reads_no_sound(lane: Lane, home: Home, video: Path) -> None:
    stages: list[str] = []
    again = match(Workspace(home, progress=lambda stage, done: stages.append(stage)), video)
    assert again == lane
    assert not [stage for stage in stages if stage.startswith(("decoding", "looking for landmarks", "watching"))]


def test_an_erased_cache_changes_nothing(lane: Lane, home: Home, video: Path) -> None:
    shutil.rmtree(home.arrays)
    anew = match(Workspace(home), video)
    assert [(found.track.track_id, found.score, found.reasons) for found in anew.matches] == [
        (found.track.track_id, found.score, found.reasons) for found in lane.matches
    ]


def test_a_corrected_grid_is_placed_anew_and_the_heard_one_again_without_it(
    lane: Lane, home: Home, video: Path
) -> None:
    track = open_library(Workspace(home)).get("trk_quick")
    heard = map_beats(Workspace(home), track.path).grid
    late = BeatGrid(heard.beats + 0.13, heard.positions, heard.beats_per_bar, confidence=1.0)
    save_grid(Workspace(home), track.content_hash, late)
    corrected = {found.track.track_id: found.sync for found in match(Workspace(home), video).candidate_pool}
    delete_grid(Workspace(home), track.content_hash)
    before = {found.track.track_id: found.sync for found in lane.candidate_pool}
    assert corrected["trk_quick"] != before["trk_quick"]
    assert corrected["trk_slow"] == before["trk_slow"]
    again = {found.track.track_id: found.sync for found in match(Workspace(home), video).candidate_pool}
    assert again == before


def test_a_pair_scores_the_same_when_others_are_gone(lane: Lane, home: Home, video: Path) -> None:
    library = open_library(Workspace(home))
    library.remove("trk_slow")
    before = {found.track.track_id: found.score for found in lane.candidate_pool}
    for found in match(Workspace(home), video).matches:
        assert found.score == before[found.track.track_id]


@pytest.mark.slow
def test_the_first_match_opens_no_file_of_the_catalog(video: Path, tmp_path: Path) -> None:
    alone = Home(tmp_path / "home")
    track = tmp_path / "track.wav"
    soundfile.write(track, band(100.0, 26.0, 0.6, 3), RATE)
    list(add_tracks(Workspace(alone), [WantedFile(track, "trk_there")]))
    track.unlink()
    (found,) = match(Workspace(alone), video).matches
    assert found.sync_status == "warm"
    assert found.sync


@pytest.mark.slow
def test_a_track_whose_file_and_landmarks_are_gone_is_ranked_but_cold(home: Home, video: Path, tmp_path: Path) -> None:
    alone = Home(tmp_path / "home")
    track = tmp_path / "track.wav"
    soundfile.write(track, band(100.0, 26.0, 0.6, 3), RATE)
    list(add_tracks(Workspace(alone), [WantedFile(track, "trk_gone")]))
    track.unlink()
    shutil.rmtree(alone.arrays)
    (found,) = match(Workspace(alone), video).matches
    assert (found.sync_status, found.sync) == ("cold", None)
    assert "sync" not in {reason.category for reason in found.reasons}


@pytest.mark.slow
def test_another_file_in_the_place_of_a_track_is_not_taken_for_it(video: Path, tmp_path: Path) -> None:
    alone = Home(tmp_path / "home")
    track, kept = tmp_path / "track.wav", tmp_path / "kept.wav"
    soundfile.write(track, band(100.0, 26.0, 0.6, 3), RATE)
    list(add_tracks(Workspace(alone), [WantedFile(track, "trk_other")]))
    (first,) = match(Workspace(alone), video).matches
    shutil.rmtree(alone.arrays)
    track.rename(kept)
    soundfile.write(track, band(130.0, 26.0, 0.9, 4), RATE)
    (found,) = match(Workspace(alone), video).matches
    assert (found.sync_status, found.sync) == ("cold", None)
    kept.rename(track)
    (again,) = match(Workspace(alone), video).matches
    assert (again.sync_status, again.sync) == ("warm", first.sync)


def test_sound_is_no_video(home: Home, tmp_path: Path) -> None:
    track = tmp_path / "track.wav"
    soundfile.write(track, band(100.0, 5.0, 0.6, 3), RATE)
    with pytest.raises(MediaError, match="no moving picture"):
        rank_video(Workspace(home), track)
