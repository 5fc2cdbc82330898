"""Pieces of pages: columns of numbers, and what a block of a docstring is coloured as."""

from __future__ import annotations

import pytest

from notebooks.book.markdown import language_of, table


def test_columns_of_numbers_are_set_to_the_right() -> None:
    rows = [["1", "2.5", "–", "-3", "3ff07"], ["2", "–", "–", "0", "12"]]
    assert table(list("abcde"), rows).splitlines()[1] == "| --- | ---: | --- | ---: | --- |"


@pytest.mark.parametrize(
    ("block", "language"),
    [
        (["    drop     energy or bass returns after a break", "    break    it stays out"], "text"),
        (["    verse"], "text"),
        (["    class Mine:", "        usual = 0.5", "", "    register(Mine)"], "python"),
        (['    [project.entry-points."workbench.beat_trackers"]', '    mine = "mine:Tracker"'], "text"),
    ],
)
def test_a_block_of_words_is_no_program(block: list[str], language: str) -> None:
    assert language_of(block) == language
