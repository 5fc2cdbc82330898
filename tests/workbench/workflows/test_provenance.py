"""What a provenance says of files, parameters, versions and the grid."""

import json
import os
from pathlib import Path

import numpy as np

from workbench import extensions
from workbench.analysis.provenance import (
    grid_record,
    make_provenance,
    other_mix_stages,
    read_provenance,
    with_mix_of,
    with_mix_params,
    with_provenance,
    with_recorded_mix,
    with_render_params,
)
from workbench.analysis.track import BEATS_VERSION
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.files import hash_file
from workbench.lab.sweep import with_values
from workbench.params import BeatParams, WorkbenchParams
from workbench.plans.plan import PLAN_VERSION
from workbench.recording import Recording
from workbench.store.home import Home
from workbench.store.profiles import params_from
from workbench.store.saved import CorrectedGrid

GRID = BeatGrid(np.array([0.5, 1.0, 1.5, 2.0]), np.arange(1, 5), 4, 0.9)


def test_files_go_by_name_and_hash_without_folders(tmp_path: Path) -> None:
    track = tmp_path / "a track.wav"
    track.write_bytes(b"sound")
    made = make_provenance(Workspace(Home(tmp_path)), "loop", ("beats", "plan"), track=track)
    assert made.track is not None
    assert (made.track.name, made.track.content_hash) == ("a track.wav", hash_file(track))
    assert made.stages == {"beats": BEATS_VERSION, "plan": PLAN_VERSION}
    assert str(tmp_path) not in json.dumps(made.to_json())


def test_a_file_that_cannot_be_read_has_its_name_alone(tmp_path: Path) -> None:
    gone = Path(os.fsdecode(bytes(tmp_path) + b"/\xff.wav"))
    made = make_provenance(Workspace(Home(tmp_path)), "loop", (), track=gone)
    assert made.to_json()["track"] == {"name": "\N{REPLACEMENT CHARACTER}.wav"}


class FromACell:
    version = 2

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        return BeatGrid.from_times([0.5, 1.0])


FromACell.__module__ = "builtins"  # as in a notebook, no file has its source


def test_a_tracker_without_a_file_has_its_version_alone(tmp_path: Path) -> None:
    extensions.register(extensions.BEAT_TRACKERS, "cell", FromACell)
    try:
        with Workspace(Home(tmp_path), WorkbenchParams(beats=BeatParams(tracker="cell"))) as workspace:
            made = make_provenance(workspace, "beats", ("beats",))
    finally:
        extensions.unregister(extensions.BEAT_TRACKERS, "cell")
    assert made.extensions == {"beats.tracker": {"name": "cell", "version": 2, "source": None}}


def test_parameters_and_constraints_are_those_that_differ(tmp_path: Path) -> None:
    params = WorkbenchParams.model_validate({"cover": {"required_excess_seconds": 20.0}})
    workspace = Workspace(Home(tmp_path), params)
    made = make_provenance(workspace, "loop", (), constraints={"auto_mix": False, "seconds": None, "brief": "warm"})
    assert made.params == {"cover": {"required_excess_seconds": 20.0}}
    assert made.constraints == {"brief": "warm"}
    assert made.defaults == make_provenance(Workspace(Home(tmp_path)), "loop", ()).defaults


def test_a_fitted_number_that_was_varied_is_recorded_and_found_again(tmp_path: Path) -> None:
    varied = with_values(WorkbenchParams(), {"models.seams.pulse_weight": 2.0, "seams.context_beats": 8})
    made = make_provenance(Workspace(Home(tmp_path), varied), "loop", ())
    assert made.params == {"seams": {"model": {"pulse_weight": 2.0}, "context_beats": 8}}
    recorded = read_provenance(json.loads(json.dumps(with_provenance({}, made))))
    assert recorded is not None
    assert params_from(dict(recorded.params), "the provenance") == varied


def test_a_plan_is_mixed_as_it_was_made_unless_a_profile_says_otherwise(tmp_path: Path) -> None:
    given = {"duck": {"preset": "accessible"}, "render": {"ducking": "bands"}, "cover": {"required_excess_seconds": 20}}
    made = make_provenance(Workspace(Home(tmp_path), WorkbenchParams.model_validate(given)), "loop", ())
    plain = Workspace(Home(tmp_path))
    mixed = with_recorded_mix(plain, made).params
    assert (mixed.duck.under_voice_lu, mixed.render.ducking) == (20.5, "bands")
    assert mixed.cover == plain.params.cover
    profiled = Workspace(Home(tmp_path), WorkbenchParams.model_validate({"duck": {"under_voice_lu": 13.0}}))
    mixed = with_recorded_mix(profiled, made).params
    assert (mixed.duck, mixed.render.ducking) == (profiled.params.duck, "bands")
    assert with_recorded_mix(plain, None) is plain


def test_a_profile_that_asks_for_the_default_overrules_a_plan(tmp_path: Path) -> None:
    given = {"duck": {"under_voice_lu": 20.0}, "render": {"ducking": "bands"}}
    made = make_provenance(Workspace(Home(tmp_path), WorkbenchParams.model_validate(given)), "loop", ())
    default = WorkbenchParams()
    asked = WorkbenchParams.model_validate({"duck": {"under_voice_lu": default.duck.under_voice_lu}})
    mixed = with_recorded_mix(Workspace(Home(tmp_path), asked), made).params
    assert (mixed.duck, mixed.render.ducking) == (default.duck, "bands")
    assert other_mix_stages(asked, made) == ("duck",)


def test_which_parameters_of_a_mix_are_others_than_it_was_made_with(tmp_path: Path) -> None:
    accessible = WorkbenchParams.model_validate({"duck": {"preset": "accessible"}, "render": {"ducking": "bands"}})
    made = make_provenance(Workspace(Home(tmp_path), accessible), "loop", ())
    assert other_mix_stages(accessible, made) == ()
    assert other_mix_stages(WorkbenchParams(), made) == (), "nothing was tuned"
    assert other_mix_stages(accessible, None) == ("duck",)
    tuned = WorkbenchParams.model_validate({"duck": {"under_voice_lu": 13.0}, "voice": {"min_speech_seconds": 1.0}})
    assert other_mix_stages(tuned, made) == ("voice", "duck")


def test_equal_grids_have_equal_revisions_whoever_gave_them() -> None:
    heard = grid_record(GRID, None)
    kept = CorrectedGrid("ab" * 32, tuple(GRID.beats.tolist()), (1, 2, 3, 4), 4, "confirmed", "2026-01-01")
    given = grid_record(GRID, kept)
    assert (heard.origin, given.origin, given.note) == ("heard", "given", "confirmed")
    assert heard.revision == given.revision


def test_a_mix_that_was_tuned_since_is_recorded_and_the_plan_stays_as_planned(tmp_path: Path) -> None:
    planned = WorkbenchParams.model_validate(
        {"cover": {"required_excess_seconds": 20.0}, "duck": {"attack_ms": 80}, "mix": {"own_music": "mix"}}
    )
    tuned = WorkbenchParams.model_validate({"seams": {"context_beats": 8}, "render": {"ducking": "bands"}})
    made = with_mix_params(make_provenance(Workspace(Home(tmp_path), planned), "loop", ()), tuned)
    assert made.params == {"cover": {"required_excess_seconds": 20.0}, "render": {"ducking": "bands"}}
    first = make_provenance(Workspace(Home(tmp_path), planned), "loop", ())
    assert with_render_params(first, tuned).params == {**first.params, "render": {"ducking": "bands"}}
    assert with_mix_of(made, first) == first
    assert with_mix_of(first, None) == first
    assert made.with_constraint("auto_mix", True).with_constraint("auto_mix", None) == made
