"""What a catalog measures of a recording, and what decides it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from tests.workbench.played import band
from workbench.analysis.character import analysis_name, describe, measure_track
from workbench.analysis.workspace import Workspace
from workbench.catalog.certainty import SURE, UNSURE
from workbench.params import BeatParams, CoverParams, MatchParams, SeamParams, WorkbenchParams
from workbench.store import saved as grids
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.saved import make_record
from workbench.store.settings import WorkbenchSettings
from workbench.workflows.beats import map_beats

RATE = 22050


def test_a_grid_that_was_corrected_in_this_home_counts_and_in_no_other(tmp_path: Path) -> None:
    path, home, other = tmp_path / "band.wav", Home(tmp_path / "home"), Home(tmp_path / "other")
    recording = band("AABB").recording
    soundfile.write(path, recording.samples.T, recording.sample_rate, subtype="FLOAT")
    assert describe(Workspace(home), path).beats_per_bar == 4
    heard = map_beats(Workspace(home), path)
    database = Database.at(home, WorkbenchSettings(database_url=None))
    with database.write() as connection:
        threes = [number % 3 + 1 for number in range(heard.grid.beats.size)]
        grids.put(connection, make_record(heard.content_hash, heard.grid.beats.tolist(), threes, 3))
    database.close()
    assert describe(Workspace(home), path).beats_per_bar == 3
    measured = measure_track(Workspace(home), path).facts
    assert (measured["beats_per_bar"], measured["tempo_certainty"]) == (3, SURE), "a person's tempo is stated"
    assert describe(Workspace(other), path).beats_per_bar == 4


def test_a_tempo_that_is_not_sure_is_measured_and_not_stated(tmp_path: Path) -> None:
    path = tmp_path / "band.wav"
    recording = band("AABB").recording
    soundfile.write(path, recording.samples.T, recording.sample_rate, subtype="FLOAT")
    found = describe(Workspace(Home(tmp_path / "home")), path)
    assert found.bpm is not None
    facts = measure_track(Workspace(Home(tmp_path / "home")), path).facts
    assert facts["heard_bpm"] == facts["bpm"] == found.bpm
    assert facts["tempo_certainty"] != UNSURE
    pad = tmp_path / "pad.wav"  # tones that swell: beats may be found, and nobody is sure of them
    t = np.arange(30 * RATE) / RATE
    swells = sum(np.sin(2 * np.pi * hz * t) * (1 + 0.5 * np.sin(2 * np.pi * t / s)) for hz, s in ((110, 7), (165, 11)))
    soundfile.write(pad, 0.2 * swells, RATE, subtype="FLOAT")
    facts = measure_track(Workspace(Home(tmp_path / "home")), pad).facts
    assert "bpm" not in facts
    assert facts.get("tempo_certainty", UNSURE) == UNSURE


def test_a_measurement_is_named_after_what_decides_it() -> None:
    name = analysis_name(WorkbenchParams())
    assert analysis_name(WorkbenchParams(match=MatchParams(candidates=70))) == name
    others = (
        WorkbenchParams(seams=SeamParams(context_beats=8)),
        WorkbenchParams(beats=BeatParams(activation="onsets")),
        WorkbenchParams(cover=CoverParams(required_excess_seconds=31.0)),
    )
    assert len({name, *map(analysis_name, others)}) == 4
