"""Verdicts: which are kept, which of them is the newest, what CSV makes of them, and splices with known answers."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.plans.plan import LoopPlan
from workbench.review import verdicts
from workbench.review.verdict_figure import gather_reviews
from workbench.review.verdicts import (
    Verdict,
    Word,
    judge_seam,
    known_splices,
    load_verdicts,
    newest_verdicts,
    read_verdicts,
    write_verdicts,
)
from workbench.seams.profile import SEAM_PARTS
from workbench.store.home import Home
from workbench.workflows.plan import Planned
from workbench.workflows.seams import seam_views

SEAM = {"leave": 30.0, "enter": 10.0, "fade": 0.02, "exponent": 1.0, "score": 0.7}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """With six verdicts: a seam judged twice, by another reviewer, under two other crossfades; one of another track."""
    workspace = Workspace(Home(tmp_path))
    with workspace.database.write() as connection:
        verdicts.add(connection, "a" * 64, "first", SEAM, "wrong")
        verdicts.add(connection, "b" * 64, "second", SEAM, "good")
        verdicts.add(connection, "a" * 64, "first", SEAM | {"fade": 0.3}, "audible", "a breath, cut")
        verdicts.add(connection, "a" * 64, "first", SEAM | {"exponent": 0.5}, "wrong")
        verdicts.add(connection, "a" * 64, "first", SEAM, "wrong", reviewer="Ana")
        verdicts.add(connection, "a" * 64, "first", SEAM | {"leave": 30.0002}, "good")
    return workspace


def test_a_seam_that_is_judged_again_has_one_newest_verdict(workspace: Workspace) -> None:
    words = ["wrong", "good", "audible", "wrong", "wrong", "good"]
    assert [verdict.verdict for verdict in load_verdicts(workspace)] == words
    newest = newest_verdicts(workspace)
    assert [(verdict.track, verdict.verdict, verdict.reviewer) for verdict in newest] == [
        ("second", "good", ""), ("first", "audible", ""), ("first", "wrong", ""), ("first", "wrong", "Ana"),
        ("first", "good", ""),
    ]  # fmt: skip


def test_a_verdict_from_before_reviewers_is_read(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path))
    with workspace.database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO verdicts (verdict_id, content_hash, track, seam, verdict, note, at) VALUES "
            """('ver_1', 'abc', 'track', '{"leave": 1.0, "enter": 2.0}', 'good', '', '2026-01-01')"""
        )
    (old,) = load_verdicts(workspace)
    assert (old.reviewer, old.seam_key) == ("", (1000, 2000, -1, -1))


def test_verdicts_come_back_from_csv(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        write_verdicts(newest_verdicts(workspace), out)
    assert read_verdicts(path) == newest_verdicts(workspace)


def verdict(number: int, word: Word, score: float, *, track: str = "track", **parts: float) -> Verdict:
    seam = {"leave": 10.0 + number, "enter": 2.0, "fade": 0.02, "exponent": 0.5, "score": score} | parts
    return Verdict(f"ver_{number:03d}", "0" * 64, track, seam, word, "a note, with a comma", "2026-01-01T00:00:00Z")


def test_a_file_from_before_reviewers_is_read(tmp_path: Path) -> None:
    out = io.StringIO()
    write_verdicts([verdict(1, "good", 0.9)], out)
    path = tmp_path / "verdicts.csv"
    path.write_text(out.getvalue().replace(",reviewer,", ",").replace(":00Z,,", ":00Z,"))
    assert read_verdicts(path) == [verdict(1, "good", 0.9)]


def test_a_verdict_is_a_reviewers_and_of_the_crossfade_that_was_heard(
    workspace: Workspace, reviewed_loop: Planned
) -> None:
    plan, analysis = reviewed_loop.answer, reviewed_loop.analysis
    assert isinstance(plan, LoopPlan)
    assert analysis is not None
    recording = workspace.load_recording(reviewed_loop.track.path)
    (view, *_) = seam_views(plan, recording, analysis)
    kept = judge_seam(workspace, reviewed_loop, plan, view, "audible", "a breath", " Ana ")
    assert (kept.reviewer, kept.seam["fade"], kept.seam["exponent"]) == (
        "Ana", plan.seam_fades[0], plan.seam_curves[0]
    )  # fmt: skip
    assert judge_seam(workspace, reviewed_loop, plan, view, "good").reviewer == ""
    with pytest.raises(ParameterError, match="on one line"):
        judge_seam(workspace, reviewed_loop, plan, view, "good", "", "a\nb")
    with pytest.raises(ParameterError, match="good, audible, wrong"):
        judge_seam(workspace, reviewed_loop, plan, view, "nice")  # type: ignore[arg-type]


def test_verdicts_become_a_table() -> None:
    given = Verdict("ver_1", "abc", "track, with a comma", {"leave": 64.0, "score": 0.93}, "good", "", "2026", "Ana")
    out = io.StringIO()
    write_verdicts([given], out)
    assert out.getvalue() == (
        "verdict_id,at,reviewer,track,content_hash,verdict,note,leave,score\n"
        'ver_1,2026,Ana,"track, with a comma",abc,good,,64.0,0.93\n'
    )


def test_an_exported_file_reads_back(tmp_path: Path) -> None:
    given = [verdict(1, "good", 0.9, harmony=0.5), verdict(2, "audible", 0.1)]
    out = io.StringIO()
    write_verdicts(given, out)
    path = tmp_path / "verdicts.csv"
    path.write_text(out.getvalue())
    assert read_verdicts(path) == given
    for text, reason in (
        (out.getvalue().replace("audible", "so-so"), "line 3: a verdict is one of"),
        (out.getvalue().replace("leave", "left"), "no column 'leave'"),
        (out.getvalue().replace("0.9,", "high,"), "line 2: numbers were expected"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=reason):
            read_verdicts(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_verdicts(tmp_path / "nothing.csv")


def test_splices_with_known_answers_say_that_nobody_listened() -> None:
    found = known_splices(["glass_circuit"], each=6)
    seams = gather_reviews(found)
    assert {word: seams.words.count(word) for word in ("good", "audible", "wrong")} == {
        "good": 6, "audible": 6, "wrong": 6,
    }  # fmt: skip
    assert seams.scores[seams.good].min() > seams.scores[~seams.good].max()
    assert all("without listening" in one.note for one in found)
    assert all("score" in one.seam and set(SEAM_PARTS) <= set(one.seam) for one in found)


def test_a_track_without_beats_has_no_splices() -> None:
    assert known_splices(["silence"]) == []
