"""How the benchmarks on material by others find it and count what is found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from data.recipes.material.elsewhere_pairs import LabelledRecording, Pairs
from data.recipes.material.elsewhere_videos import ElsewhereVideo, elsewhere_videos
from tests.benchmarks import judgements
from tests.benchmarks.beat_trackers import OURS, Piece, Times, Tracker, answers
from tests.benchmarks.elsewhere.beats import Row, stated, table
from tests.benchmarks.elsewhere.cuts import LABELS, LabelledCuts, count_cuts, labelled_cuts
from tests.benchmarks.elsewhere.match import ablation_table, nearness_of, person_table
from tests.benchmarks.elsewhere.singers import (
    INSTRUMENTALS,
    MOST_TRACKS,
    LabelledTrack,
    instrumental_tracks,
    measure,
    sung_songs,
)
from tests.benchmarks.table import Table
from workbench.catalog.certainty import MAX_INSTRUMENTAL_VOICE, MIN_VOCAL_VOICE
from workbench.matching.columns import empty_columns
from workbench.params import MATCH_PARTS, MatchParams

ENOUGH = b"\0" * 400_000
STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)


def test_a_row_says_how_far_a_judgement_is_from_its_rule() -> None:
    found = Table(judgements.TITLE, judgements.COLUMNS)
    rule, sources = np.array([0.5, 0.7, 0.2, 0.4]), ["a", "a", "b", "b"]
    judgements.add(found, "loop", rule - 0.125, sources, "another", rule)
    judgements.add(found, "loop", rule, sources, "another", rule)
    judgements.add(found, "loop", rule, sources, "another", None)
    judgements.add(found, "loop", np.empty(0), [], "another", None)
    rows = [dict(zip(judgements.COLUMNS, row, strict=True)) for row in found.rows]
    assert (rows[0]["gain from"], rows[0]["gain to"]) == pytest.approx((-0.125, -0.125))
    assert [row["outcome"] for row in rows] == ["under its rule", "holds", None]
    assert len(found.notes) == 1


def test_judgements_without_material_and_unknown_ones_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_BENCH_ELSEWHERE", str(tmp_path))
    (found,) = judgements.run()
    assert not found.rows
    assert len(found.notes) == len(judgements.JUDGEMENTS)
    monkeypatch.setenv(judgements.CHOSEN, "loop taste")
    with pytest.raises(SystemExit, match="no such judgement: taste"):
        judgements.run()


def test_each_part_of_match_is_left_out_on_each_set() -> None:
    found = ablation_table({"one": lambda params: params.mood_weight, "other": lambda params: 0.5}, MatchParams())
    assert [(row[0], row[1] == 0.0) for row in found.rows] == [
        (part, part == "mood") for part in ("nothing", *MATCH_PARTS)
    ]


def labelled(second: tuple[float, ...]) -> Pairs:
    """Five videos and recordings, one of each energy by the first person, and those of the second."""
    both = list(zip(STEPS, second, strict=True))
    videos = [
        ElsewhereVideo(f"debian:{at}", "v.mp4", "CC0", "0" * 64, "test", "nature", energy, (3.0, 3.0), False)
        for at, energy in enumerate(both)
    ]
    recordings = [
        LabelledRecording("p", f"{at}.ogg", "0" * 64, energy, (3.0, 3.0), ("calm",)) for at, energy in enumerate(both)
    ]
    columns = empty_columns(np.array([f"t{at}" for at in range(5)]))
    return Pairs(tuple(videos), tuple(recordings), (), columns, np.zeros((5, 5), np.int64))


def test_what_two_people_agree_on_bounds_what_a_ranking_can_reach() -> None:
    agreed = labelled(STEPS)
    scores, grades = nearness_of(agreed, slice(0, 1))
    np.testing.assert_array_equal(grades[0], [3, 2, 1, 0, 0])
    np.testing.assert_array_equal(scores[0], [0.0, -1.0, -2.0, -3.0, -4.0])
    assert [row[2] for row in person_table(agreed).rows] == [1.0, 1.0]
    rows = person_table(labelled((1.0, 4.0, 2.0, 5.0, 3.0))).rows
    assert all(0.5 < float(str(row[2])) < 0.95 for row in rows)
    assert rows[0][2] != rows[1][2]


@pytest.mark.parametrize(
    ("found", "counts"),
    [
        ([4.05, 4.15, 9.3], (1, 1)),  # a cut is found once, and what is beside it is no other
        ([3.95, 4.0, 9.0], (2, 0)),
        ([0.04, 12.0, 12.7], (0, 0)),  # unsure, or in the first moment
        ([13.1], (0, 1)),
    ],
)
def test_cuts_that_are_found_and_that_are_none_are_counted(found: list[float], counts: tuple[int, int]) -> None:
    video = LabelledCuts(Path("video.mp4"), (4.0, 9.0), ((12.0, 13.0),))
    assert count_cuts(video, found) == counts


def test_every_labelled_video_is_one_of_the_list(tmp_path: Path) -> None:
    for name in {str(video.file) for video in elsewhere_videos()}:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = labelled_cuts(tmp_path)
    assert len(found) == LABELS.read_text(encoding="utf-8").count("[[video]]")
    for one in found:
        assert list(one.cuts) == sorted(one.cuts)
        assert all(first < last for first, last in one.unsure)
        assert not any(first <= cut <= last for cut in one.cuts for first, last in one.unsure)


def test_recordings_with_and_without_a_singer_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    songs, package = tmp_path / "Creative Commons", tmp_path / INSTRUMENTALS[0] / "usr" / "share"
    for name, content in (("A Band - One", ENOUGH), ("Nobody - Two", b"")):
        (songs / name).mkdir(parents=True)
        (songs / name / "audio.ogg").write_bytes(content)
    assert [(song.source, song.is_sung) for song in sung_songs(tmp_path)] == [("A Band", True)]
    package.mkdir(parents=True)
    for number in range(MOST_TRACKS + 3):
        (package / f"{number:02}.ogg").write_bytes(ENOUGH)
    for name in ("guitar.ogg", "text.txt"):
        (package / name).write_bytes(ENOUGH)
    (package / "click.ogg").write_bytes(b"\0")
    drawn = list(instrumental_tracks(tmp_path))
    assert len(drawn) == MOST_TRACKS
    assert drawn == list(instrumental_tracks(tmp_path))
    assert all(track.path.stem.isdigit() and not track.is_sung for track in drawn)
    assert f"{INSTRUMENTALS[1]} is not in" in capsys.readouterr().err


def test_what_is_called_sung_or_instrumental_and_is_not_is_counted() -> None:
    low, high = MAX_INSTRUMENTAL_VOICE, MIN_VOCAL_VOICE
    tracks = [
        LabelledTrack(source, Path("x.ogg"), sung)
        for source in ("Jonathan Coulton", "Somebody")
        for sung in (True, True, False, False)
    ]
    found = measure(tracks, np.array([low, high, low, (low + high) / 2] * 2))
    assert [row[3:] for row in found.rows] == [(0.625, 1, 0.5, 0.5, 0)] * 2


def grid(confidence: float, downbeat_f: float, bpm: float = 120.0, ratio: float = 1.0) -> Row:
    return Row(downbeat_f, downbeat_f, confidence, bpm, ratio, drums=0.9)


def test_a_tracker_whose_process_dies_has_no_figures(tmp_path: Path) -> None:
    none: Times = np.zeros(0)
    tracker = Tracker(OURS[1], Path(sys.executable), "1")
    with pytest.raises(subprocess.CalledProcessError, match="exit status 1"):
        answers(tracker, [Piece(tmp_path / "gone.wav", none, none)])


def test_a_confidence_is_compared_with_the_share_of_right_grids() -> None:
    found = table([grid(0.9, 1.0), grid(1.0, 0.95), grid(0.85, 0.5), grid(0.1, 0.2)])
    assert found.rows[0] == pytest.approx((4, 0.6625, 0.6625))
    assert "Of 3 songs with a confidence of 0.6 or more 2 " in found.notes[0]
    assert found.notes[0].endswith("of the 1 others 0.")


def test_a_tempo_is_true_as_it_is_stated() -> None:
    found = [
        grid(0.9, 1.0), grid(0.9, 0.6, 150.0, 0.5), grid(0.9, 0.6, 85.0, 0.5), grid(0.9, 0.6, 190.0, 2.0),
        grid(0.9, 0.1, 90.0, 1.5), grid(0.1, 0.2),
    ]  # fmt: skip
    assert [tuple(row) for row in stated(found).rows] == [
        ("one number", 2, 1),
        ("or its double", 2, 1),
        ("or its half", 1, 1),
        ("not stated", 1, None),
    ]
