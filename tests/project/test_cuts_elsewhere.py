"""How cuts of videos by others are counted, and that their labels can be read."""

from __future__ import annotations

from pathlib import Path

from data.recipes.material.elsewhere_videos import elsewhere_videos
from tests.benchmarks.elsewhere.cuts import LABELS, CutCounts, LabelledCuts, count_cuts, labelled_cuts

VIDEO = LabelledCuts(Path("video.mp4"), (4.0, 9.0), ((12.0, 13.0),))


def test_a_cut_is_found_once_and_what_is_beside_it_is_no_other() -> None:
    assert count_cuts(VIDEO, [4.05, 4.15, 9.3]) == CutCounts(found=1, true=2, false=1)
    assert count_cuts(VIDEO, [3.95, 4.0, 9.0]) == CutCounts(found=2, true=2, false=0)


def test_what_is_unsure_counts_neither_way() -> None:
    assert count_cuts(VIDEO, [0.04, 12.0, 12.7]) == CutCounts(found=0, true=2, false=0)
    assert count_cuts(VIDEO, [13.1]) == CutCounts(found=0, true=2, false=1)


def test_precision_and_recall_are_those_of_all_videos() -> None:
    total = CutCounts(3, 4, 1) + CutCounts(0, 0, 2)
    assert (total.precision, total.recall) == (0.5, 0.75)
    assert total.f1 == 0.6
    assert CutCounts().f1 == 1.0


def test_every_labelled_video_is_one_of_the_list(tmp_path: Path) -> None:
    listed = {str(video.file) for video in elsewhere_videos()}
    for name in listed:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    labelled = labelled_cuts(tmp_path)
    assert len(labelled) == LABELS.read_text(encoding="utf-8").count("[[video]]")
    for one in labelled:
        assert list(one.cuts) == sorted(one.cuts)
        assert all(first < last for first, last in one.unsure)
        assert not any(first <= cut <= last for cut in one.cuts for first, last in one.unsure)
