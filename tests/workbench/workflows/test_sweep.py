"""Sweeps: the same numbers as one analysis a point, gone on with where they were killed, refused where they differ."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import xarray

import workbench as wb
from tests.workbench.played import band
from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError, StoreError
from workbench.lab.compare import measured
from workbench.lab.sweep import (
    SweepPlan,
    read_axis,
    read_sweep,
    sweep,
    sweep_points,
    sweep_track,
    with_values,
)
from workbench.lab.sweep_search import Axis
from workbench.lab.winners import winner
from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts
from workbench.params import SeamParams, WorkbenchParams
from workbench.store.fingerprint import canonical_json
from workbench.store.home import Home


@pytest.fixture(scope="module")
def songs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("songs")
    for form in ("AABA", "ABAB"):
        piece = band(form)
        soundfile.write(folder / f"{form}.flac", piece.recording.samples.T, piece.recording.sample_rate)
    return folder


def _swept(workspace: Workspace, plan: SweepPlan, out: Path) -> xarray.Dataset:
    with ThreadPoolExecutor(1) as executor:
        return sweep(workspace, plan, out, executor=executor)


@pytest.mark.slow
def test_a_sweep_has_the_numbers_of_one_analysis_a_point(workspace: Workspace, songs: Path, tmp_path: Path) -> None:
    dataset = wb.datasets.load(songs)
    axes = (
        read_axis("models.seams.repetition_weight=0.2,2"),
        read_axis("seams.context_beats=2,4"),
        read_axis("sections.usual_bars=4,8"),
    )
    found = _swept(workspace, SweepPlan(axes, dataset, seconds=90.0), tmp_path / "sweep.zarr")
    assert found.seam_score.dims == (
        "track",
        "models.seams.repetition_weight",
        "seams.context_beats",
        "sections.usual_bars",
    )
    for track in dataset:
        for point in sweep_points(axes):
            alone, _ = measured(workspace.with_params(with_values(workspace.params, point)), track, 90.0)
            here = found.sel(track=track.name, **point)
            for name, value in alone.items():
                assert here[name].item() == pytest.approx(value, abs=1e-12), (track.name, point, name)
    assert not (tmp_path / "sweep.zarr.parts").exists()
    again = read_sweep(tmp_path / "sweep.zarr")
    xarray.testing.assert_equal(again, found)
    assert list(again["seams.context_beats"].values) == [2, 4]


def test_a_number_of_a_model_is_varied_recorded_and_in_the_key() -> None:
    params = with_values(WorkbenchParams(), {"models.seams.pulse_weight": 2.0})
    assert params.seams.model.pulse_weight == 2.0
    assert params.model_dump(exclude_defaults=True) == {"seams": {"model": {"pulse_weight": 2.0}}}

    assert canonical_json(params.seams) != canonical_json(SeamParams())
    for name in (
        "models.seams.no_weight",
        "models.cover.seams_weight",
        "models.seams",
        "seams.model",
        "seams.pulse_weight",
    ):
        with pytest.raises(ParameterError, match=f"no parameter {name}"):
            with_values(WorkbenchParams(), {name: 1.0})
    with pytest.raises(ParameterError, match="greater than or equal to 0"):
        with_values(WorkbenchParams(), {"models.seams.pulse_weight": -1.0})
    with pytest.raises(ParameterError, match="less than or equal to 1"):  # a share: over 1, odds would be negative
        with_values(WorkbenchParams(), {"models.align.near_share": 2.0})


def test_points_are_drawn_by_their_seed() -> None:
    axes = (Axis("seams.context_beats", (1, 2, 3, 4)), Axis("models.seams.pulse_weight", (0.1, 0.2, 0.3)))
    assert len(sweep_points(axes)) == 12
    drawn = sweep_points(axes, 5, seed=4)
    assert drawn == sweep_points(axes, 5, seed=4)
    assert drawn != sweep_points(axes, 5, seed=5)
    assert all(point in sweep_points(axes) for point in drawn)
    assert len({tuple(point.values()) for point in sweep_points(axes, 12)}) == 12
    many = tuple(
        Axis(f"models.seams.{name}_weight", tuple(range(1000))) for name in ("level", "pulse", "air", "texture")
    )
    assert len(sweep_points(many, 10)) == 10
    for given, draw, complaint in ((many, None, "draw some"), (axes, 13, "between 1 and 12"), ((), None, "each once")):
        with pytest.raises(ParameterError, match=complaint):
            sweep_points(given, draw)


def test_axes_as_one_types_them() -> None:
    assert read_axis("seams.context_beats=2,4,8") == Axis("seams.context_beats", (2, 4, 8))
    assert read_axis("models.seams.pulse_weight=0:1:5").values == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert read_axis("beats.activation=network,onsets").values == ("network", "onsets")
    assert read_axis("models.seams.pulse_weight=1:3:3").values == (1, 2, 3)
    ours = "workbench.beats.track:OwnTracker"
    assert read_axis(f"beats.tracker=workbench,{ours},x:{ours}").values == ("workbench", ours, f"x:{ours}")
    assert read_axis("beats.tracker=a:A,b:B").values == ("a:A", "b:B")
    assert read_axis('seams.measures=[["a:A=1", "b:B=2"], []]').values == (["a:A=1", "b:B=2"], [])
    for text, complaint in (
        ("models.seams.pulse_weight=0:1:0", "not a range"),
        ("models.seams.pulse_weight=0:1:-2", "not a range"),
        ("models.seams.pulse_weight=0:inf:3", "not a range"),
        ("models.seams.pulse_weight=nan:1:3", "not a range"),
        ("models.seams.pulse_weight=[1,", "no list in JSON"),
        ("models.seams.pulse_weight=[]", "no values"),
        ("seams.context_beats", "not a parameter and its values"),
        ("seams.context=2", "no parameter seams.context"),
        ("context_beats=2", "no parameter context_beats"),
        ("seams.context_beats=99", "less than or equal to 16"),
        ("seams.context_beats=2,2", "twice"),
        ("models.seams.pulse_weight=0:1:x", "not a range"),
        ("seams.measures=my:M=0,my:M=1.5", r"is a list: sweep the weight .*seams.measures.my_module:Mine=0,1.5"),
        ('seams.measures=["my:M=0"]', "is a list"),
        ("models.match.valence_of_key=1,2", r"is a list: give whole lists in JSON as models.match.valence_of_key=\[\["),
        ("seams.measures.my:M=a", "a weight is a number"),
        ("seams.measures.my:M=-1,1", "a weight is a number"),
        ("seams.measures.pulse=1", "is a part of this package"),
        ("seams.context_beats.my:M=1", "no parameter seams.context_beats.my:M"),
        ("seams.=1", "no parameter"),
    ):
        with pytest.raises(ParameterError, match=complaint):
            read_axis(text)


class Halves:
    """A measure that finds as great a break as beats lie apart in halves of the track; also a match term."""

    version, unit, description = 1, "1", "the same half goes on"
    least, most, usual = 0.1, 1.0, 0.5

    def parts(self, video: VideoFacts, columns: Columns) -> np.ndarray[Any, Any]:
        return np.full(columns.track_ids.size, self.usual)

    def features(self, recording: wb.Recording, grid: BeatGrid) -> np.ndarray[Any, Any]:
        return np.asarray(np.arange(grid.beats.size) * 2 // grid.beats.size, dtype=np.float64)

    def breaks(
        self, features: np.ndarray[Any, Any], leaves: np.ndarray[Any, Any], enters: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        return np.asarray(np.abs(features[leaves][:, None] - features[enters][None, :]))


OURS = f"{__name__}:Halves"


def test_the_weight_of_a_part_of_others_is_a_parameter() -> None:
    axis = read_axis(f"seams.measures.{OURS}=0:3:3")
    assert axis == Axis(f"seams.measures.{OURS}", (0.0, 1.5, 3.0))
    params = wb.WorkbenchParams(seams=SeamParams(measures=("a:A=1", f"{OURS}=1", "b:B=2")))
    changed = with_values(params, {axis.name: 0.25})
    assert changed.seams.measures == ("a:A=1", f"{OURS}=0.25", "b:B=2")
    assert with_values(params, {"seams.measures.c:C=new": 1e-7}).seams.measures[-1] == "c:C=new=0.0000001"
    assert with_values(params, {"match.terms.t:T": 2}).match.terms == ("t:T=2",)
    with pytest.raises(ParameterError, match="each once"):
        sweep_points((axis, Axis("seams.measures", ([],))))


@pytest.mark.parametrize("draw", [None, 3])
def test_lists_and_weights_of_others_are_coordinates(
    workspace: Workspace, songs: Path, tmp_path: Path, draw: int | None
) -> None:
    dataset = wb.datasets.load(songs).only("ABAB")
    lists_of = read_axis(f'seams.measures=[[], ["{OURS}=1"]]')
    axes = (lists_of, Axis("match.terms", ((f"{OURS}=1",), ())))
    lists = _swept(workspace, SweepPlan(axes, dataset, seconds=90.0, draw=draw), tmp_path / "lists.zarr")
    assert set(lists["seams.measures"].values.tolist()) == {"none", f"{OURS}=1"}
    assert set(lists["match.terms"].values.tolist()) <= {f"{OURS}=1", "none"}
    xarray.testing.assert_equal(read_sweep(tmp_path / "lists.zarr"), lists)
    assert winner(lists, "best_seam").point["seams.measures"] in ("none", f"{OURS}=1")
    if draw is None:
        weights = SweepPlan((read_axis(f"seams.measures.{OURS}=0,1"),), dataset, seconds=90.0)
        found = _swept(workspace, weights, tmp_path / "weights.zarr")
        xarray.testing.assert_equal(read_sweep(tmp_path / "weights.zarr"), found)
        assert found[f"seams.measures.{OURS}"].values.tolist() == [0, 1]
        same = found.best_seam.values[0].tolist()
        assert same == pytest.approx(lists.best_seam.values[0, :, 0].tolist())
        assert same[0] > same[1]


def test_names_that_nobody_knows_cost_no_measuring(workspace: Workspace, songs: Path, tmp_path: Path) -> None:
    dataset = wb.datasets.load(songs)
    for text, word in (
        ("beats.tracker=workbench,nope", "beat tracker nope"),
        ("seams.measures.nope=0,1", "seam measure nope"),
        ('match.terms=[[], ["nope=1"]]', "match term nope"),
        ("voice.detector=workbench,nope", "voice detector nope"),
    ):
        with pytest.raises(ParameterError, match=f"there is no {word}"):
            _swept(workspace, SweepPlan((read_axis(text),), dataset), tmp_path / "sweep.zarr")
    assert list(tmp_path.iterdir()) == []


def test_an_executor_and_a_scheduler_are_refused_before_anything_is_written(
    workspace: Workspace, track: Path, tmp_path: Path
) -> None:
    plan, out = SweepPlan((Axis("seams.context_beats", (4,)),), wb.datasets.load(track.parent)), tmp_path / "sweep.zarr"
    with ThreadPoolExecutor(1) as executor, pytest.raises(ParameterError, match="either an executor or the address"):
        sweep(workspace, plan, out, executor=executor, scheduler="tcp://127.0.0.1:1")
    assert list(tmp_path.iterdir()) == []
    out.mkdir()
    with ThreadPoolExecutor(1) as executor, pytest.raises(ParameterError, match="either an executor or the address"):
        sweep(workspace, plan, out, executor=executor, scheduler="tcp://127.0.0.1:1")


def test_a_draw_has_its_parameters_on_one_axis_and_broken_files_say_why(
    workspace: Workspace, songs: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "songs"
    folder.mkdir()
    (folder / "AABA.flac").symlink_to(songs / "AABA.flac")
    (folder / "words.wav").write_text("no sound")
    plan = SweepPlan((read_axis("models.seams.pulse_weight=0:2:9"),), wb.datasets.load(folder), draw=3, seed=2)
    found = _swept(workspace, plan, tmp_path / "sweep.zarr")
    assert found.best_seam.dims == ("track", "point")
    assert found["models.seams.pulse_weight"].dims == ("point",)
    assert found.status.values.tolist() == ["ok", "error"]
    assert "words.wav" in str(found.reason.values[1])
    assert np.isnan(found.best_seam.sel(track="words")).all()
    best = winner(found, "best_seam")
    assert best.point["models.seams.pulse_weight"] == found["models.seams.pulse_weight"].values.min()
    assert best.tracks == 1


def test_another_sweep_does_not_go_on_in_the_same_place(workspace: Workspace, songs: Path, tmp_path: Path) -> None:
    out = tmp_path / "sweep.zarr"
    dataset = wb.datasets.load(songs).only("ABAB")
    plan = SweepPlan((read_axis("models.seams.pulse_weight=1"),), dataset)
    first = _swept(workspace, plan, out)
    xarray.testing.assert_identical(_swept(workspace, plan, out), first)
    other = SweepPlan((read_axis("models.seams.pulse_weight=2"),), dataset)
    with pytest.raises(ParameterError, match="holds another sweep"):
        _swept(workspace, other, out)
    parts = tmp_path / "other.zarr.parts"
    parts.mkdir()
    (parts / "sweep.json").write_text("{}")
    with pytest.raises(ParameterError, match="belongs to another sweep"):
        _swept(workspace, other, tmp_path / "other.zarr")


def test_two_tracks_of_one_file_keep_their_own_annotations(workspace: Workspace, songs: Path, tmp_path: Path) -> None:
    track = wb.datasets.load(songs)["ABAB"]
    beats = tmp_path / "ABAB.beats"
    beats.write_text("".join(f"{0.25 + 0.5 * k}\t{k % 4 + 1}\n" for k in range(40)))
    both = wb.Dataset("both", (replace(track, name="a", annotations=(beats,)), replace(track, name="b")))
    found = _swept(workspace, SweepPlan((read_axis("models.seams.pulse_weight=1"),), both), tmp_path / "sweep.zarr")
    assert np.isfinite(found.beat_f.values).ravel().tolist() == [True, False]


class Pulse:
    version = 1

    def track(self, recording: Any, params: Any) -> BeatGrid:
        return BeatGrid.from_times(np.arange(0.25, recording.duration, 0.5))


def test_a_sweep_of_another_version_of_a_tracker_is_another(workspace: Workspace, songs: Path, tmp_path: Path) -> None:
    tracker = Pulse()
    extensions.register(extensions.BEAT_TRACKERS, "pulse", tracker)
    plan = SweepPlan((read_axis("beats.tracker=pulse"),), wb.datasets.load(songs).only("ABAB"))
    _swept(workspace, plan, tmp_path / "sweep.zarr")
    tracker.version = 2
    with pytest.raises(ParameterError, match="holds another sweep"):
        _swept(workspace, plan, tmp_path / "sweep.zarr")
    extensions.unregister(extensions.BEAT_TRACKERS, "pulse")


class Demanding:
    """A tracker that refuses all recordings."""

    version = 1

    def track(self, recording: Any, params: Any) -> BeatGrid:
        raise ParameterError("this tracker takes no music")


def test_a_point_that_fails_says_why_and_does_not_silence_the_others(
    workspace: Workspace, songs: Path, tmp_path: Path
) -> None:
    axes = (read_axis(f"beats.tracker=workbench,{__name__}:Demanding"), read_axis("cover.min_seam_score=0.5,1"))
    plan = SweepPlan(axes, wb.datasets.load(songs).only("ABAB"), seconds=90.0)
    found = _swept(workspace, plan, tmp_path / "sweep.zarr")
    assert found.status.values.tolist() == ["ok"]
    (ours, theirs) = found.refusal.values[0].tolist()
    assert (ours[0], ours[1]) == ("", "no_viable_loop")
    assert all("takes no music" in reason for reason in theirs)
    assert np.isfinite(found.seam_score.values[0]).tolist() == [[True, False], [False, False]]
    xarray.testing.assert_equal(read_sweep(tmp_path / "sweep.zarr"), found)


class Deadly:
    version = 1

    def track(self, recording: Any, params: Any) -> BeatGrid:
        if (Path(os.environ["HOME_OF_DEATH"]) / "deadly").exists():
            os._exit(9)
        return BeatGrid.from_times(np.arange(0.25, recording.duration, 0.5))


@pytest.mark.slow
def test_a_lost_recording_is_not_written_for_good(
    workspace: Workspace, songs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME_OF_DEATH", str(tmp_path))
    (tmp_path / "deadly").touch()
    plan = SweepPlan((read_axis(f"beats.tracker={__name__}:Deadly"),), wb.datasets.load(songs).only("ABAB"))
    out = tmp_path / "sweep.zarr"
    with pytest.raises(StoreError, match=r"1 of 1 recordings were not finished: .*ABAB\.flac: the process"):
        sweep(workspace, plan, out)
    assert not out.exists()
    (tmp_path / "deadly").unlink()
    assert sweep(workspace, plan, out).status.values.tolist() == ["ok"]


def test_a_home_folder_that_cannot_be_used_is_no_result_of_a_recording(songs: Path, tmp_path: Path) -> None:
    track = wb.datasets.load(songs)["ABAB"]
    (tmp_path / "home").write_text("no folder")
    with pytest.raises(StoreError):
        sweep_track([{}], 90.0, 5.0, tmp_path / "home", wb.WorkbenchParams(), track)


@pytest.mark.slow
def test_a_sweep_that_was_killed_goes_on(songs: Path, tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "sweep.zarr"
    command = [sys.executable, "-c", "from workbench.cli.main import main; main()", "sweep", "--home", str(home)]
    command += ["--param", "models.seams.pulse_weight=0:2:3", "--dataset", str(songs), "-o", str(out)]
    command += ["--seconds", "90"]
    parts = tmp_path / "sweep.zarr.parts"
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    until = time.monotonic() + 120.0
    while not list(parts.glob("0*.json")) and running.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    if running.poll() is None:
        os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    kept = {path.name: path.stat().st_mtime_ns for path in parts.glob("0*.json")}
    if not out.exists():
        assert kept
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert '"tracks": 2' in done.stdout
    assert not parts.exists()
    found = read_sweep(out)
    with Workspace(Home(home)) as workspace:
        axes = (read_axis("models.seams.pulse_weight=0:2:3"),)
        whole = _swept(workspace, SweepPlan(axes, wb.datasets.load(songs), seconds=90.0), tmp_path / "whole.zarr")
    xarray.testing.assert_equal(found, whole)


class Interrupted(ThreadPoolExecutor):
    """One thread, and a user who stops the program after some jobs."""

    def __init__(self, jobs: int) -> None:
        super().__init__(1)
        self.left = jobs

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().submit(fn, *args, **kwargs)


def test_a_search_has_the_numbers_of_its_points_and_goes_on_where_it_stopped(
    workspace: Workspace, songs: Path, tmp_path: Path
) -> None:
    pytest.importorskip("optuna", reason="the extra optuna is not installed")
    axes = (read_axis("models.seams.pulse_weight=0:2:21"), read_axis("cover.seams_weight=0:1:11"))
    dataset = wb.datasets.load(songs)
    plan = SweepPlan(axes, dataset, seed=3, seconds=90.0, search=10)
    whole = _swept(workspace, plan, tmp_path / "whole.zarr")
    assert whole.seam_score.sizes == {"track": 2, "point": 10}
    chosen = list(zip(*(whole[axis.name].values.tolist() for axis in axes), strict=True))
    assert len(set(chosen)) == 10
    assert all(value in axis.values for point in chosen for value, axis in zip(point, axes, strict=True))
    alone, _ = measured(
        workspace.with_params(with_values(workspace.params, dict(zip((a.name for a in axes), chosen[9], strict=True)))),
        dataset["AABA"],
        90.0,
    )
    here = whole.sel(track="AABA", point=9)
    assert {name: here[name].item() for name in alone} == pytest.approx(alone, abs=1e-12)
    stopped = tmp_path / "stopped.zarr"
    with Interrupted(3) as executor, pytest.raises(KeyboardInterrupt):
        sweep(workspace, plan, stopped, executor=executor)
    assert len(list((tmp_path / "stopped.zarr.parts").glob("round-*/0*.json"))) == 2
    xarray.testing.assert_identical(_swept(workspace, plan, stopped), whole)
    with pytest.raises(ParameterError, match="holds another sweep"):
        _swept(workspace, replace(plan, measure="best_seam"), stopped)


def test_a_search_states_what_it_cannot_do(songs: Path) -> None:
    dataset = wb.datasets.load(songs)
    axes = (read_axis("models.seams.pulse_weight=0,1"),)
    for plan, complaint in (
        (SweepPlan(axes, dataset, draw=1, search=1), "not both"),
        (SweepPlan(axes, dataset, search=3), "between 1 and 2 combinations can be searched for, not 3"),
        (SweepPlan(axes, dataset, search=1, measure="beauty"), "no measure beauty"),
        (SweepPlan((), dataset, search=1), "each once"),
    ):
        with pytest.raises(ParameterError, match=complaint):
            _ = plan.points
