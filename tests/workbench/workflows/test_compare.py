"""Two profiles compared: paired, with intervals that say when a difference is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import soundfile

import workbench as wb
from workbench.errors import ParameterError
from workbench.home import Home
from workbench.workflows.compare import lead_interval
from workbench.workspace import Workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(Home(tmp_path_factory.mktemp("home"))) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def dataset(band: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> wb.Dataset:
    folder = tmp_path_factory.mktemp("songs")
    for number, form in enumerate(("AABA", "ABAB", "AACA")):
        piece = band(form)
        soundfile.write(folder / f"{form}.flac", piece.recording.samples.T, piece.recording.sample_rate)
        beats = zip(piece.grid.beats.tolist(), piece.grid.positions.tolist(), strict=True)
        if number:
            (folder / f"{form}.beats").write_text("".join(f"{at}\t{place}\n" for at, place in beats))
    return wb.datasets.load(folder)


def test_what_differs_is_paired_and_heard(workspace: Workspace, dataset: wb.Dataset) -> None:
    plain = wb.WorkbenchParams()
    harsh = plain.model_copy(update={"seams": plain.seams.model_copy(update={"repetition_weight": 3.0})})
    with ThreadPoolExecutor(1) as executor:
        found = wb.compare(plain, harsh, dataset, workspace=workspace, executor=executor)
    summary = found.summary()
    assert summary.n["beat_f"] == 2
    assert summary.n["best_seam"] == 3
    assert summary.difference["beat_f"] == 0.0
    assert not summary.sure["beat_f"]
    assert summary.a["beat_f"] > 0.95
    assert summary.difference["best_seam"] < 0.0
    assert summary[["low", "high"]].isna().all(axis=None)  # three recordings make nothing sure
    assert not summary.sure.any()
    assert "measured on 3 recordings, and under 6 nothing is sure" in found._repr_html_()
    assert found.table.index.tolist() == [track.name for track in dataset]
    assert set(found.changed) <= set(found.table.index)
    first, second = found.hear("AABA")
    assert str(first)
    assert (repr(first) == repr(second)) or "AABA" in found.changed
    assert "best_seam" in found._repr_html_()


def test_two_tracks_of_one_file_keep_their_own_annotations(workspace: Workspace, dataset: wb.Dataset) -> None:
    first = dataset["ABAB"]
    other = replace(first, name="unannotated", annotations=())
    plain = wb.WorkbenchParams()
    harsh = plain.model_copy(update={"seams": plain.seams.model_copy(update={"repetition_weight": 3.0})})
    both = wb.Dataset("both", (first, other))
    with ThreadPoolExecutor(1) as executor:
        found = wb.compare(plain, harsh, both, workspace=workspace, executor=executor)
    assert found.table["beat_f", "a"].isna().tolist() == [False, True]


def test_an_interval_needs_six_recordings() -> None:
    assert lead_interval(np.full(6, 0.1)) == pytest.approx((0.1, 0.1))
    assert np.isnan(lead_interval(np.full(5, 0.1))).all()


def test_equal_profiles_are_nothing_to_compare(workspace: Workspace, dataset: wb.Dataset) -> None:
    with pytest.raises(ParameterError, match="both profiles are the same"):
        wb.compare(None, wb.WorkbenchParams(), dataset, workspace=workspace)
