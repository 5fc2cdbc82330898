"""A row for every recording: measured, refused, or an error in words."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError


def size(workspace: Workspace, path: Path) -> dict[str, Any]:
    """A measure of one's own."""
    return {"bytes": path.stat().st_size, "rate": workspace.load_recording(path).sample_rate}


def crash(workspace: Workspace, path: Path) -> dict[str, Any]:
    if path.stem == "3":
        os._exit(7)
    return {"fine": True}


def test_rows_in_the_order_given_whatever_becomes_of_them(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    text = tmp_path / "words.wav"
    text.write_text("no sound")
    reported: list[float] = []
    table = wb.batch(
        [text, track, tmp_path / "gone.wav"],
        "loop:60",
        workspace=workspace.with_progress(lambda stage, done: reported.append(done)),
        executor=ThreadPoolExecutor(2),
    )
    assert table.index.tolist() == [str(text), str(track), str(tmp_path / "gone.wav")]
    assert table.status.tolist() == ["error", "refused", "error"] or table.status.tolist()[1] == "ok"
    assert "gone.wav" in table.reason.iloc[2]
    assert reported[0] == 0.0
    assert reported[-1] == 1.0


def test_named_measures(workspace: Workspace, track: Path) -> None:
    with ThreadPoolExecutor(1) as executor:
        beats = wb.batch([track], "beats", workspace=workspace, executor=executor)
        seams = wb.batch([track], workspace=workspace, executor=executor)
        refused = wb.batch([track], "loop:33", workspace=workspace, executor=executor)
    assert beats.tempo_bpm.iloc[0] == pytest.approx(120.0, abs=0.5)
    assert beats.status.tolist() == ["ok"]
    assert seams.splices.iloc[0] > 0
    assert refused.status.tolist() == ["refused"]
    assert refused.reason.iloc[0].startswith("video_not_longer: ")
    with pytest.raises(ParameterError, match="there is no measure lop"):
        wb.batch([track], "lop", workspace=workspace)
    with pytest.raises(ParameterError, match="no length in seconds"):
        wb.batch([track], "loop:long", workspace=workspace)


@pytest.mark.slow
def test_a_measure_of_ones_own_runs_in_processes_and_one_that_dies_is_a_row(workspace: Workspace, tunes: Path) -> None:
    table = wb.batch([tunes], size, workspace=workspace)
    assert table.rate.tolist() == [22_050] * 8
    assert table.index.tolist() == sorted(table.index)
    died = wb.batch([tunes / f"{k}.wav" for k in (2, 3, 4)], crash, workspace=workspace)
    assert died.status.tolist() == ["ok", "error", "ok"]
    assert "died" in died.reason.iloc[1]


def test_one_file_is_one_row_and_a_lambda_is_refused(
    workspace: Workspace, track: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(track.parent)
    with ThreadPoolExecutor(1) as executor:
        for given in (track, track.name):
            table = wb.batch(given, lambda workspace, path: {"fine": True}, workspace=workspace, executor=executor)
            assert table.index.tolist() == [str(given)]
            assert table.fine.tolist() == [True]
    with pytest.raises(ParameterError, match="the measure <lambda> must lie in a module"):
        wb.batch(track, lambda workspace, path: {}, workspace=workspace)
    with ThreadPoolExecutor(1) as executor, pytest.raises(ParameterError, match="either an executor or the address"):
        wb.batch(track, "beats", workspace=workspace, executor=executor, scheduler="tcp://127.0.0.1:1")


def test_recordings_of_a_dataset(workspace: Workspace, tunes: Path) -> None:
    dataset = wb.datasets.load(tunes).only("0", "1")
    with ThreadPoolExecutor(1) as executor:
        table = wb.batch(dataset, size, workspace=workspace, executor=executor)
    assert [Path(path).stem for path in table.index] == ["0", "1"]


def test_recordings_with_annotations_are_compared_with_them(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    folder = tmp_path / "annotated"
    folder.mkdir()
    grid = wb.map_beats(workspace, track).grid
    (folder / track.name).symlink_to(track)
    early = grid.beats[grid.beats >= 2.0]
    (folder / f"{track.stem}.beats").write_text("".join(f"{time:.6f}\n" for time in early))
    dataset = wb.datasets.load(folder)
    with ThreadPoolExecutor(1) as executor:
        table = wb.batch(dataset, "beats", workspace=workspace, executor=executor)
        whole = wb.batch(dataset, "beats", skip_seconds=0.0, workspace=workspace, executor=executor)
        plain = wb.batch(folder, "beats", workspace=workspace, executor=executor)
    assert table[["beat_f", "cmlc", "cmlt", "amlc", "amlt"]].to_numpy().tolist() == [[1.0] * 5]
    assert whole.beat_f.iloc[0] == pytest.approx(2 * early.size / (early.size + grid.beats.size))
    assert "downbeat_f" not in table
    assert "beat_f" not in plain
