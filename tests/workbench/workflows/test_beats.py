"""The grid of a file: made once, and found again without its sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.params import BeatParams, WorkbenchParams
from workbench.store.home import Home
from workbench.workflows.beats import map_beats


def test_clicks_are_mapped_and_a_second_call_reads_no_sound(track: Path, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    made = map_beats(Workspace(home), track)
    assert made.grid.tempo_bpm == pytest.approx(120.0, abs=0.5)
    told: list[str] = []
    again = map_beats(Workspace(home, progress=lambda stage, share: told.append(stage)), track)
    assert told == []
    np.testing.assert_array_equal(again.grid.beats, made.grid.beats)
    np.testing.assert_array_equal(analyze(Workspace(home), track).grid.beats, made.grid.beats)


def test_other_parameters_of_the_tracker_are_another_grid(track: Path, tmp_path: Path) -> None:
    home, told = Home(tmp_path / "home"), list[str]()
    map_beats(Workspace(home), track)
    by_onsets = WorkbenchParams(beats=BeatParams(activation="onsets"))
    map_beats(Workspace(home, by_onsets, lambda stage, share: told.append(stage)), track)
    assert told
