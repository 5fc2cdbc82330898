"""Our own tracker and librosa's, written as a stranger would, pass one suite."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import librosa
import numpy as np
import pytest

from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.media.audio import write_audio
from workbench.params import BeatParams, WorkbenchParams
from workbench.recording import Recording
from workbench.store.home import Home
from workbench.store.profiles import load_profile
from workbench.testing.beat_tracker import BeatTrackerSuite, click_track
from workbench.workflows.beats import map_beats


class LibrosaTracker:
    """The tracker of librosa: dynamic programming over onset strength; bars of four from its first beat."""

    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        if not np.any(recording.samples):
            return BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4, 0.0)
        mono, rate = np.asarray(recording.mono()), recording.sample_rate
        _, beats = librosa.beat.beat_track(y=mono, sr=rate, start_bpm=params.usual_bpm, units="time")
        beats = beats[beats < recording.duration]
        if not beats.size:
            return BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4, 0.0)
        return BeatGrid.from_times(beats, confidence=0.5)


class MadmomTimes:
    """What madmom's DBNDownBeatTracker wrote for files of one folder: a time and a place in the bar a line."""

    version = 1
    folder = Path()

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        for written in sorted(self.folder.glob("*.csv")):
            sound = written.with_suffix(".flac")
            if hashlib.sha256(sound.read_bytes()).hexdigest() == recording.content_hash:
                times, places = np.loadtxt(written, delimiter=",", ndmin=2).T
                return BeatGrid(times, places.astype(np.int32), int(places.max()), confidence=0.9)
        raise LookupError(f"no beats are written for this sound in {self.folder}")


class TestOwn(BeatTrackerSuite):
    tracker = "workbench"


@pytest.fixture(scope="module", autouse=True)
def librosas_tracker() -> Iterator[None]:
    extensions.register(extensions.BEAT_TRACKERS, "librosa", LibrosaTracker)
    yield
    extensions.unregister(extensions.BEAT_TRACKERS, "librosa")


class TestLibrosa(BeatTrackerSuite):
    tracker = "librosa"


def test_a_tracker_is_in_profiles_cache_keys_and_results(tmp_path: Path) -> None:
    recording, _ = click_track(120.0)
    track = write_audio(tmp_path / "clicks.flac", [recording.samples], recording.sample_rate, 1)
    profile = tmp_path / "librosa.toml"
    profile.write_text('[beats]\ntracker = "librosa"\n')
    params = load_profile(profile)
    with Workspace(Home(tmp_path / "home"), params) as workspace:
        theirs = map_beats(workspace, track)
        assert map_beats(workspace, track).cached
        np.testing.assert_array_equal(
            theirs.grid.beats, LibrosaTracker().track(workspace.load_recording(track), params.beats).beats
        )
        ours = map_beats(workspace.with_params(WorkbenchParams()), track)
        assert not ours.cached
        assert theirs.grid.confidence == 0.5
        LibrosaTracker.version = 2
        try:
            assert not map_beats(workspace, track).cached
        finally:
            LibrosaTracker.version = 1


def test_a_tracker_may_read_what_another_program_wrote(tmp_path: Path) -> None:
    recording, times = click_track(120.0)
    track = write_audio(tmp_path / "clicks.flac", [recording.samples], recording.sample_rate, 1)
    extensions.register(extensions.BEAT_TRACKERS, "madmom", MadmomTimes)
    MadmomTimes.folder = tmp_path
    try:
        with Workspace(Home(tmp_path / "home"), WorkbenchParams(beats=BeatParams(tracker="madmom"))) as workspace:
            with pytest.raises(ParameterError, match="madmom failed: LookupError: no beats are written"):
                map_beats(workspace, track)
            rows = [f"{time:.3f},{number % 3 + 1}\n" for number, time in enumerate(times)]
            track.with_suffix(".csv").write_text("".join(rows))
            grid = map_beats(workspace, track).grid
    finally:
        extensions.unregister(extensions.BEAT_TRACKERS, "madmom")
    np.testing.assert_allclose(grid.beats, times, atol=1e-3)
    assert grid.beats_per_bar == 3
