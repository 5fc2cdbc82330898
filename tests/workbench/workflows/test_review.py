"""Verdicts that are kept: which of them is the newest, and what CSV makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.home import Home
from workbench.store import verdicts
from workbench.workflows.review import kept_verdicts, newest_verdicts, read_verdicts, write_verdicts
from workbench.workspace import Workspace

SEAM = {"leave": 30.0, "enter": 10.0, "fade": 0.02, "exponent": 1.0, "score": 0.7}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """With four verdicts: one seam judged twice, once more under another crossfade, and one of another track."""
    workspace = Workspace(Home(tmp_path))
    with workspace.database.write() as connection:
        verdicts.add(connection, "a" * 64, "first", SEAM, "wrong")
        verdicts.add(connection, "b" * 64, "second", SEAM, "good")
        verdicts.add(connection, "a" * 64, "first", SEAM | {"fade": 0.3}, "audible", "a breath, cut")
        verdicts.add(connection, "a" * 64, "first", SEAM | {"leave": 30.0002}, "good")
    return workspace


def test_a_seam_that_is_judged_again_has_one_newest_verdict(workspace: Workspace) -> None:
    assert [verdict.verdict for verdict in kept_verdicts(workspace)] == ["wrong", "good", "audible", "good"]
    newest = newest_verdicts(workspace)
    assert [(verdict.track, verdict.verdict) for verdict in newest] == [
        ("second", "good"), ("first", "audible"), ("first", "good")
    ]  # fmt: skip


def test_verdicts_come_back_from_csv(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        write_verdicts(newest_verdicts(workspace), out)
    assert read_verdicts(path) == newest_verdicts(workspace)
