"""Our own finder and one from librosa's agglomerative segmentation, written as a stranger would, pass one suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import librosa
import pytest

import workbench as wb
from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.media.audio import write_audio
from workbench.params import SectionParams, WorkbenchParams
from workbench.recording import Recording
from workbench.store.home import Home
from workbench.store.profiles import load_profile, save_profile
from workbench.structure.sections import BarFeatures, Section
from workbench.testing.beat_tracker import click_track
from workbench.testing.section_finder import SectionFinderSuite


class Agglomerative:
    """Neighbouring bars joined while they are alike in timbre, by librosa's segmentation in Ward's sense."""

    version = 1

    def sections(
        self, recording: Recording, grid: wb.BeatGrid, bars: BarFeatures, params: SectionParams
    ) -> Sequence[Section]:
        n = bars.level_db.size
        parts = min(n, max(1, round(n / params.usual_bars * 2)))
        borders = [*librosa.segment.agglomerative(bars.timbre.T, parts).tolist(), n]
        return [Section(first, last, "verse", number) for number, (first, last) in enumerate(pairwise(borders))]


@pytest.fixture(scope="module", autouse=True)
def agglomerative() -> Iterator[None]:
    extensions.register(extensions.SECTION_FINDERS, "agglomerative", Agglomerative)
    yield
    extensions.unregister(extensions.SECTION_FINDERS, "agglomerative")


class TestOwn(SectionFinderSuite):
    finder = "workbench"


class TestAgglomerative(SectionFinderSuite):
    finder = "agglomerative"


def test_a_finder_is_in_profiles_cache_keys_and_results(tmp_path: Path) -> None:
    recording, times = click_track(120.0)
    track = write_audio(tmp_path / "clicks.flac", [recording.samples], recording.sample_rate, 1)
    grid = wb.BeatGrid.from_times(times)
    params = WorkbenchParams(sections=SectionParams(finder="agglomerative", usual_bars=4))
    assert load_profile(save_profile(params, tmp_path / "theirs.toml")) == params
    with Workspace(Home(tmp_path / "home"), params) as workspace:
        wb.keep_grid(workspace, track, grid)
        theirs = wb.analyze(workspace, track).profile.sections
        assert len(theirs) == round(grid.downbeats.size / 2)
        misses = workspace.arrays.stats().misses
        assert wb.analyze(workspace, track).profile.sections == theirs
        assert workspace.arrays.stats().misses == misses
        Agglomerative.version = 2
        try:
            wb.analyze(workspace, track)
            assert workspace.arrays.stats().misses == misses + 1
        finally:
            Agglomerative.version = 1
