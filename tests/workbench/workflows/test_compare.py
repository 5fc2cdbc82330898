"""Two profiles compared: paired, with intervals that say when a difference is none."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
import soundfile

import workbench as wb
from tests.workbench.played import band
from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError
from workbench.lab.compare import MEASURED, lead_interval, made_of
from workbench.lab.sweep import with_values


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> wb.Dataset:
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
    harsh = with_values(plain, {"models.seams.repetition_weight": 3.0})
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
    assert found.differ == ("models.seams.repetition_weight",)
    assert summary.independent[["beat_f", "confidence"]].all()
    assert not summary.independent[["best_seam", "seam_score", "plan_score", "planned"]].any()
    assert len(repr(found)) < 2000
    assert "best_seam" in repr(found)
    assert "measured on 3 recordings, and under 6 nothing is sure" in found._repr_html_()
    assert found.table.index.tolist() == [track.name for track in dataset]
    assert set(found.changed) <= set(found.table.index)
    first, second = found.hear("AABA")
    assert str(first)
    assert (repr(first) == repr(second)) or "AABA" in found.changed
    assert "best_seam" in found._repr_html_()


@pytest.mark.parametrize(("seconds", "shown"), [(5.0, "plans that differ: none"), (None, "plans that differ: AA")])
def test_recordings_without_a_plan_by_one_or_both_are_shown(
    seconds: float | None, shown: str, workspace: Workspace, dataset: wb.Dataset
) -> None:
    plain = wb.WorkbenchParams()
    never = plain.model_copy(update={"cover": plain.cover.model_copy(update={"min_seam_score": 1.0})})
    with ThreadPoolExecutor(1) as executor:
        found = wb.compare(plain, never, dataset, seconds=seconds, workspace=workspace, executor=executor)
    assert shown in repr(found)
    assert found.summary().b["planned"] == 0.0
    assert found.refused["b"] == ("video_not_longer 3" if seconds else "no_viable_loop 3")
    assert f"without a plan under b: {found.refused['b']}" in repr(found)
    assert bool(found.refused["a"]) is bool(seconds)
    assert "seam_score" not in found.summary().index
    assert set(found.changed) == (set() if seconds else {track.name for track in dataset})


def test_two_tracks_of_one_file_keep_their_own_annotations(workspace: Workspace, dataset: wb.Dataset) -> None:
    first = dataset["ABAB"]
    other = replace(first, name="unannotated", annotations=())
    plain = wb.WorkbenchParams()
    harsh = with_values(plain, {"models.seams.repetition_weight": 3.0})
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


class Demanding:
    """A tracker that refuses all recordings."""

    version = 1

    def track(self, recording: Any, params: Any) -> wb.BeatGrid:
        raise ParameterError("this tracker takes no music")


def test_a_profile_that_fails_does_not_silence_the_other(workspace: Workspace, dataset: wb.Dataset) -> None:
    plain = wb.WorkbenchParams()
    other = with_values(plain, {"beats.tracker": f"{__name__}:Demanding"})
    with ThreadPoolExecutor(1) as executor:
        found = wb.compare(plain, other, dataset.only("ABAB"), workspace=workspace, executor=executor)
    assert found.table["status", ""].tolist() == ["ok"]
    assert found.table["planned", "a"].tolist() == [1.0]
    assert "takes no music" in found.refused["b"]
    assert not found.refused["a"]


ON_THE_GRID = ("best_seam", "good_splices", "seam_score", "plan_score", "planned")
"""measures that are made on the grid"""


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("models.seams.level_weight", {"best_seam", "good_splices", "seam_score", "plan_score", "planned"}),
        ("seams.measures.my:M", {"best_seam", "good_splices", "seam_score", "plan_score", "planned"}),
        ("seams.context_beats", {"best_seam", "good_splices", "seam_score", "plan_score", "planned"}),
        ("seams.min_body_bars", {"good_splices"}),
        ("seams.alike_fade_seconds", set()),
        ("cover.seams_weight", {"plan_score"}),
        ("cover.min_seam_score", {"good_splices", "planned"}),
        ("cover.min_body_seconds", set()),
        ("beats.tempo_preference", {"confidence", *ON_THE_GRID}),
        ("beats.tracker", {"confidence", *ON_THE_GRID}),
    ],
)
def test_what_a_measure_is_made_of(name: str, measures: set[str]) -> None:
    assert {measure for measure in MEASURED if made_of(measure, [name])} == measures


def test_a_difference_is_never_sure_by_what_is_made_of_it(dataset: wb.Dataset, tmp_path: Path) -> None:
    scores = {"a": [0.5] * 6, "b": [0.9] * 6}
    table = pandas.DataFrame({(name, side): scores[side] for name in ("best_seam", "downbeat_f") for side in scores})
    table["status", ""] = "ok"
    plain = wb.WorkbenchParams()
    for changed, sure in (("seams", [False, True]), ("beats", [False, True])):
        field = {"seams": "context_beats", "beats": "tempo_preference"}[changed]
        other = plain.model_copy(update={changed: getattr(plain, changed).model_copy(update={field: 3})})
        summary = wb.Comparison(plain, other, dataset, table, tmp_path, None).summary()
        assert summary.loc[["best_seam", "downbeat_f"], "sure"].tolist() == sure
