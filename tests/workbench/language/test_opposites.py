"""Opposites of feelings."""

from __future__ import annotations

from workbench.matching.language.lexicon import lexicon, opposites


def test_every_opposite_is_a_mood_that_the_lexicon_knows() -> None:
    book = lexicon()
    for opposite in opposites().values():
        assert book.kinds[book.terms[opposite][0]] == "moods"
