"""The table of judgements: what it takes from RESULTS.md, what a row says, and which rows stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.recipes.material.underscore_set import tracks
from tests.benchmarks import judgements
from tests.benchmarks.elsewhere.match import ablation_table
from tests.benchmarks.judgements import COLUMNS, JUDGEMENTS, OWN, TITLE, add, keep_rows, own_figure, stored
from tests.benchmarks.table import Table
from tests.benchmarks.underscore import drawn
from workbench.catalog.columns import empty_columns
from workbench.params import MATCH_PARTS, MatchParams


@pytest.mark.parametrize("judgement", OWN)
def test_figures_on_our_own_sets_are_found_in_the_results(judgement: str) -> None:
    figure = own_figure(judgement)
    assert figure is not None
    assert 0.0 < figure <= 1.0


def test_every_judgement_has_a_stored_row_and_every_own_figure_a_judgement() -> None:
    table = stored(TITLE)
    assert table is not None
    assert tuple(table.columns) == COLUMNS
    rows = [str(row[0]) for row in table.rows]
    assert set(OWN) <= set(rows)
    for name, *_ in JUDGEMENTS:
        kept = Table(TITLE, COLUMNS)
        keep_rows(kept, name)
        assert kept.rows
        assert kept.rows == [row for row in table.rows if str(row[0]).startswith(name)]


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


def test_rows_stay_where_the_material_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_BENCH_ELSEWHERE", str(tmp_path))
    table, before = judgements.run()[0], stored(TITLE)
    assert before is not None
    assert table.rows == before.rows
    assert len(table.notes) == len(JUDGEMENTS)


def test_each_part_is_left_out_on_each_set() -> None:
    table = ablation_table({"one": lambda params: params.mood_weight, "other": lambda params: 0.5}, MatchParams())
    assert [row[0] for row in table.rows] == ["nothing", *MATCH_PARTS]
    assert [row[1] == 0.0 for row in table.rows] == [part == "mood" for part in ("nothing", *MATCH_PARTS)]


def test_a_large_catalog_of_texts_is_drawn_from_a_few(tmp_path: Path) -> None:
    made = tracks()[0][:3]
    rows = drawn(empty_columns(np.array([one.track_id for one in made])), made, 5, tmp_path)
    assert len(rows.columns) == len(rows.texts) == 5
    assert len(set(rows.columns.song)) == 5
