"""Landmarks and levels of a track are found once and kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from workbench.analysis.landmarks import track_landmarks, track_level
from workbench.analysis.workspace import Workspace
from workbench.features.levels import level_curve
from workbench.media.audio import decode
from workbench.params import LandmarkParams, WorkbenchParams
from workbench.store.home import Home


def test_landmarks_from_the_store_are_those_that_were_found(track: Path, home: Home) -> None:
    found = track_landmarks(Workspace(home), track)
    stages: list[str] = []
    kept = track_landmarks(Workspace(home, progress=lambda stage, done: stages.append(stage)), track)
    assert stages == []
    shutil.rmtree(home.arrays)
    again = track_landmarks(Workspace(home), track)
    for other in (kept, again):
        assert other.marks.times.tolist() == found.marks.times.tolist()
        assert other.marks.kinds.tolist() == found.marks.kinds.tolist()
        assert other.last_sound == found.last_sound


def test_other_parameters_find_other_landmarks(track: Path, home: Home) -> None:
    silent = WorkbenchParams(landmarks=LandmarkParams(downbeat_salience=0.0))
    bars = track_landmarks(Workspace(home), track).marks
    assert bars.salience[bars.kinds == bars.names.index("downbeat")].max() > 0.0
    without = track_landmarks(Workspace(home, silent), track).marks
    assert without.salience[without.kinds == without.names.index("downbeat")].max() == 0.0


def test_a_track_is_as_loud_anywhere_as_it_is_in_all(track: Path, home: Home) -> None:
    recording = decode(track)
    whole = level_curve(recording.samples, recording.sample_rate)
    held = track_level(Workspace(home), track, 12.0)
    assert held.duration == pytest.approx(12.0)
    assert held.integrated() == pytest.approx(whole.integrated(), abs=0.01)
    assert held.lufs(3.0, 4.0) == pytest.approx(held.lufs(8.0, 9.0))
    assert held.peak == pytest.approx(whole.peak)
    assert np.ptp(held.power) == 0.0
