"""A part of the score written as a stranger would passes the suite, and is in scores, caches, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.features.timbre import beat_edges
from workbench.media.audio import write_audio
from workbench.params import SeamParams, WorkbenchParams
from workbench.recording import FloatArray, IntArray, Recording
from workbench.seams.profile import SEAM_PARTS
from workbench.store.home import Home
from workbench.store.profiles import load_profile, save_profile
from workbench.testing.seam_measure import SeamMeasureSuite, two_parts


class ChromaTimbre:
    """How unlike the colour of the coming bar is, from pitch classes only: 1 - cosine of four beats of chroma."""

    version = 1
    unit = "1"
    description = "the colour goes on"
    least, most = 0.02, 0.5

    def features(self, recording: Recording, grid: wb.BeatGrid) -> FloatArray:
        import librosa

        chroma = librosa.feature.chroma_stft(y=np.asarray(recording.mono()), sr=recording.sample_rate)
        edges = librosa.time_to_frames(beat_edges(grid.beats, recording.duration), sr=recording.sample_rate)
        means = [chroma[:, a : max(b, a + 1)].mean(axis=1) for a, b in pairwise(edges)]
        return np.array([np.mean(means[k : k + 4], axis=0) for k in range(len(means))])

    def breaks(self, features: FloatArray, leaves: IntArray, enters: IntArray) -> FloatArray:
        unit = features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-9)
        return np.asarray(np.maximum(1.0 - unit[leaves] @ unit[enters].T, 0.0))


@pytest.fixture(scope="module", autouse=True)
def chroma() -> Iterator[None]:
    extensions.register(extensions.SEAM_MEASURES, "chroma", ChromaTimbre)
    yield
    extensions.unregister(extensions.SEAM_MEASURES, "chroma")


class TestChroma(SeamMeasureSuite):
    measure = "chroma"


def test_it_is_in_profiles_caches_tables_and_pictures(tmp_path: Path) -> None:
    recording, grid = two_parts()
    track = write_audio(tmp_path / "track.wav", [recording.samples], recording.sample_rate, 1)
    params = WorkbenchParams(seams=SeamParams(measures=("chroma=1.5",)))
    assert load_profile(save_profile(params, tmp_path / "chroma.toml")) == params
    tried = wb.splice(recording, leave=grid.beats[32], enter=grid.beats[16], grid=grid, params=params)
    assert list(tried.parts) == [*SEAM_PARTS, "chroma"]
    assert tried.to_frame().loc["chroma", "part"] < 0.5
    assert (
        wb.splice(recording, leave=grid.beats[48], enter=grid.beats[16], grid=grid, params=params).parts["chroma"] > 0.9
    )
    labels = [text.get_text() for axes in tried.figure().axes for text in axes.get_yticklabels()]
    assert "the colour goes on" in labels
    with Workspace(Home(tmp_path / "home"), params) as workspace:
        wb.keep_grid(workspace, track, grid)
        first = wb.analyze(workspace, track).profile.splices
        assert first.parts.shape[1] == len(SEAM_PARTS) + 1
        profile = wb.analyze(workspace, track).profile
        assert profile.to_dataset().seam_part.values.tolist() == [*SEAM_PARTS, "chroma"]
        assert "chroma" in profile.to_frame().columns
        misses = workspace.arrays.stats().misses
        wb.analyze(workspace, track)
        assert workspace.arrays.stats().misses == misses
        ChromaTimbre.version = 2
        try:
            wb.analyze(workspace, track)
            assert workspace.arrays.stats().misses == misses + 1
        finally:
            ChromaTimbre.version = 1
        assert wb.splice(track, 16.0, 8.0, snap="bar", workspace=workspace).parts["chroma"] < 0.5
