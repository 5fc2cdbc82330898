"""Opposites of feelings, as which a text that denies a feeling is read.

A mood of the lexicon has an opposite where that is a mood of music too; all words of the mood share it. Some feelings
that texts deny are not moods of music ("boring", "afraid") and have opposites of their own. Words that mostly mean
something else ("still", "kind", "hard") are left out. `opposites.toml` beside this file lists them.

Function: `opposites`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from workbench.language.grammar import read_grammar
from workbench.language.lexicon import lexicon

_GRAMMAR = read_grammar("opposites.toml")
FEELINGS: Mapping[str, str] = _GRAMMAR.pairs("feelings")
"""feelings that are not moods of the lexicon, or whose opposite differs from their mood's"""
_OF_MOODS: Mapping[str, str] = _GRAMMAR.pairs("moods")
_OF_OTHER_MEANING = _GRAMMAR.words("other_meaning")


@cache
def opposites() -> Mapping[str, str]:
    """Opposite by word, of every feeling that has one."""
    book = lexicon()
    found: dict[str, str] = {}
    for word, meant in book.terms.items():
        moods = [book.names[index] for index in meant if book.kinds[index] == "moods"]
        if moods and moods[0] in _OF_MOODS and word not in _OF_OTHER_MEANING:
            found[word] = _OF_MOODS[moods[0]]
    return {**found, **FEELINGS}
