"""Opposites of feelings: what a text that denies one is read as saying.

Of the lexicon's moods those have an opposite that music can have as well; each of their words stands for it. Some
feelings that texts deny name no mood of music ("boring", "afraid") and have opposites of their own. Words that mostly
mean something else ("still", "kind", "hard") are left alone. `opposites.toml` beside this file lists them.

Function: `opposites`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from workbench.language.grammar import read_grammar
from workbench.language.lexicon import lexicon

_GRAMMAR = read_grammar("opposites.toml")
FEELINGS: Mapping[str, str] = _GRAMMAR.pairs("feelings")
"""feelings that are no mood of the lexicon, or whose opposite is another than their mood's"""
_OF_MOODS: Mapping[str, str] = _GRAMMAR.pairs("moods")
_OF_OTHER_MEANING = _GRAMMAR.words("other_meaning")


@cache
def opposites() -> Mapping[str, str]:
    """The opposite of each feeling that can be denied, by word."""
    book = lexicon()
    found: dict[str, str] = {}
    for word, meant in book.terms.items():
        moods = [book.names[index] for index in meant if book.kinds[index] == "moods"]
        if moods and moods[0] in _OF_MOODS and word not in _OF_OTHER_MEANING:
            found[word] = _OF_MOODS[moods[0]]
    return {**found, **FEELINGS}
