"""`workbench review`: the tables that researchers read."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import pytest

from workbench.analysis.workspace import Workspace
from workbench.review import verdicts
from workbench.review.listening import answer_trial, begin_abx
from workbench.store.home import Home

from .conftest import Cli


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("verdicts", "verdict"), ("comments", "text"), ("decisions", "decision"), ("abx", "choice_answer"),
        ("preferences", "b_better_by"), ("mushra", "rating_score"), ("results", "estimate"),
    ],
)  # fmt: skip
def test_an_empty_home_has_heads_alone(workbench: Cli, tmp_path: Path, table: str, column: str) -> None:
    said, _ = workbench.done("review", table, "--home", tmp_path / "home")
    assert column in said.splitlines()[0].split(",")
    assert len(said.splitlines()) == 1


def test_tables_are_written_whole(workbench: Cli, tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home")) as workspace:
        with workspace.database.write() as connection:
            seam = {"leave": 30.0, "enter": 10.0, "fade": 0.02, "exponent": 1.0, "score": 0.7}
            verdicts.add(connection, "c" * 64, "song", seam, "audible", "a, b", "Ana")
        test, _ = begin_abx(
            workspace, content_hash="c" * 64, track="song", reviewer="Ana", conditions=("a", "b"), trials=3, about={}
        )
        answer_trial(workspace, test.test_id, 0, "A", 2.5)
    for table, rows in (("verdicts", 1), ("abx", 1), ("comments", 0)):
        out = tmp_path / f"{table}.csv"
        said, _ = workbench.done("review", table, "-o", out, "--home", tmp_path / "home")
        assert json.loads(said) == {"output": str(out), "table": table, "rows": rows}
        assert len(pandas.read_csv(out)) == rows
    read = pandas.read_csv(tmp_path / "verdicts.csv").iloc[0]
    assert (read["reviewer"], read["verdict"], read["note"], read["fade"]) == ("Ana", "audible", "a, b", 0.02)
