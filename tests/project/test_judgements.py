"""The table of judgements: what a row says of a judgement and its rule, and what is not measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import judgements
from tests.benchmarks.elsewhere.match import ablation_table
from tests.benchmarks.judgements import COLUMNS, JUDGEMENTS, TITLE, add
from tests.benchmarks.table import Table
from workbench.params import MATCH_PARTS, MatchParams


def test_a_row_says_how_far_a_judgement_is_from_its_rule() -> None:
    table = Table(TITLE, COLUMNS)
    rule, sources = np.array([0.5, 0.7, 0.2, 0.4]), ["a", "a", "b", "b"]
    add(table, "loop", rule - 0.125, sources, "another", rule)
    add(table, "loop", rule, sources, "another", rule)
    add(table, "loop", rule, sources, "another", None)
    add(table, "loop", np.empty(0), [], "another", None)
    gains, outcomes = COLUMNS.index("gain from"), COLUMNS.index("outcome")
    np.testing.assert_allclose(np.array(table.rows[0][gains : gains + 2], dtype=np.float64), -0.125)
    assert [row[outcomes] for row in table.rows] == ["under its rule", "holds", None]
    assert len(table.notes) == 1


def test_an_unknown_judgement_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_BENCH_ELSEWHERE", str(tmp_path))
    monkeypatch.setenv(judgements.CHOSEN, "loop taste")
    with pytest.raises(SystemExit, match="no such judgement: taste"):
        judgements.run()


def test_a_judgement_without_its_material_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_BENCH_ELSEWHERE", str(tmp_path))
    (table,) = judgements.run()
    assert not table.rows
    assert len(table.notes) == len(JUDGEMENTS)


def test_each_part_is_left_out_on_each_set() -> None:
    table = ablation_table({"one": lambda params: params.mood_weight, "other": lambda params: 0.5}, MatchParams())
    assert [row[0] for row in table.rows] == ["nothing", *MATCH_PARTS]
    assert [row[1] == 0.0 for row in table.rows] == [part == "mood" for part in ("nothing", *MATCH_PARTS)]
