"""What a text denies: the scope of each "no", "never" or "without", and the replacement of denied feelings.

A negation covers the words that follow it in its clause: up to a comma, a stop or a conjunction, to a preposition once
it has covered a word ("not happy in the old house" does not cover the house), and six words at most. It continues after
"or" and "nor", and also after "and" if it is "no", "without" or "don't want", which negate a noun ("no drums and
bass"), but not if it is "not" or "never", which negate a statement. Some words only look like negations ("not only",
"no doubt", "nothing but", "isn't it lovely", "never so happy", "can't wait"); others are negations though they do not
look like one ("anything but", "far from"). "Not without hope" and "not a day goes by without joy" are double negations,
which assert.

A sentence embedding is hardly affected by a negation: "not sad at all" is close to "sad". So a denied feeling is
replaced by its opposite before the text is read, "cheerful at all" (antonyms as in Xia et al. 2016). Other words stay:
"the lake has not moved" needs no opposite.

The words are listed in `negation.toml` beside this file.

References
----------
R. Xia et al., "Polarity shift detection, elimination and ensemble: a three-stage model for document-level sentiment
analysis", Information Processing & Management 52(1), 2016.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from workbench.matching.language.grammar import read_grammar

Span: TypeAlias = tuple[int, int]
"""first word, and the one after the last"""

_REACH = 6
"""words that a negation covers at most"""
_GRAMMAR = read_grammar("negation.toml")
_OF_STATEMENTS = _GRAMMAR.words("of_statements")
"""negations of a statement"""
_OF_NOUNS = _GRAMMAR.words("of_nouns")
"""negations of a noun"""
_SEVERAL = frozenset((first, second) for first, second in map(str.split, _GRAMMAR.phrases("several")))
"""negations of two words"""
_OPENING = _OF_STATEMENTS | _OF_NOUNS | {first for first, _ in _SEVERAL}
_ONLY_SEEMING = {word: _GRAMMAR.words(f"only_seeming.{word}") for word in _GRAMMAR.entry("only_seeming")}
"""words that make an assertion of the negation before them"""
_UNABLE = _GRAMMAR.words("unable")
_FOND_OF = _GRAMMAR.words("fond_of")
"""words that make an expression of liking with "can't": "can't wait", "can't get enough" """
_WITHOUT = _GRAMMAR.words("without")
"""words that cancel a negation whose scope they lie in"""
_ONE = _GRAMMAR.words("one")
_OF_WANTING = _GRAMMAR.words("of_wanting")
"""verbs that turn a negation of a statement into one of a noun"""
_ANY_MUSIC = _GRAMMAR.words("any_music")
"""words that a negation does not deny in themselves, but with the attribute that follows: "no tracks with lyrics" """
_BEFORE_ATTRIBUTE = _GRAMMAR.words("before_attribute")
_DUTCH = frozenset((*_GRAMMAR.phrases("of_statements", "nl"), *_GRAMMAR.phrases("of_nouns", "nl")))
_BEFORE_SUPERLATIVE = _GRAMMAR.words("before_superlative")
_SUPERLATIVE = _GRAMMAR.words("superlative")
"""words that make a superlative, not a negation, with those of `_BEFORE_SUPERLATIVE`: "never so happy" """
_ENDS = _GRAMMAR.words("ends")
_AND = _GRAMMAR.words("and")
_PREPOSITIONS = _GRAMMAR.words("prepositions")
_PRONOUNS = _GRAMMAR.words("pronouns")
_ASKED = re.compile(rf"(?:{_GRAMMAR.any_of('asked')})n't")
_CONTRACTED = _GRAMMAR.pairs("contracted.en")
_WORD = re.compile(r"[^\W_]+(?:['&’][^\W_]+)?")
_BETWEEN_CLAUSES = re.compile(r"[,;:.!?()\[\]\n/|•—–\"“”]+")


class Clause(NamedTuple):
    """A stretch of text between two stops."""

    words: tuple[str, ...]
    """in lower case, with plain apostrophes"""
    places: tuple[Span, ...]
    """first character of each word in the text, and the one after its last"""


class Affirmed(NamedTuple):
    """A text after the replacement of denied feelings."""

    text: str
    denials: tuple[tuple[str, str], ...]
    """words of the text with the negation, and the opposite that replaces them"""


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of a text that have words, split at stops, brackets and dashes."""
    start = 0
    for stop in (*_BETWEEN_CLAUSES.finditer(text), None):
        end = len(text) if stop is None else stop.start()
        found = list(_WORD.finditer(text, start, end))
        if found:
            words = tuple(match[0].lower().replace("’", "'") for match in found)
            yield Clause(words, tuple(match.span() for match in found))
        start = end if stop is None else stop.end()


def scopes(words: Sequence[str]) -> list[Span | None]:
    """The negation that covers each word of a clause, in lower case.

    None where the word is asserted, and for the words of a negation itself.
    """
    covered: list[Span | None] = [None] * len(words)
    if _OPENING.isdisjoint(words) and not any("n't" in word for word in words):
        return covered
    open_since: Span | None = None
    at = 0
    while at < len(words):
        length = _negation_at(words, at)
        if length:
            doubled = open_since is not None and _takes_back(words, at, open_since)
            open_since = None if doubled else (at, at + length)
            at += length
            continue
        if open_since is not None and _ends(words, at, open_since):
            open_since = None
        covered[at] = open_since
        at += 1
    return covered


def replace_denials(text: str, opposites: Mapping[str, str]) -> Affirmed:
    """Replace denied feelings in a text by their opposites; other negations stay."""
    changes: dict[Span, str] = {}
    denials: list[tuple[str, str]] = []
    for clause in clauses(text):
        for at, scope in enumerate(scopes(clause.words)):
            opposite = opposites.get(clause.words[at])
            if scope is None or opposite is None:
                continue
            start, replacement = clause.places[scope[0]][0], _without_not(clause.words[scope[0]])
            changes[start, clause.places[scope[1] - 1][1] if replacement else clause.places[scope[1]][0]] = replacement
            changes[clause.places[at]] = opposite
            denials.append((text[start : clause.places[at][1]], opposite))
    parts, end = [], 0
    for (start, stop), new in sorted(changes.items()):
        parts += [text[end:start], new]
        end = stop
    return Affirmed("".join((*parts, text[end:])), tuple(dict.fromkeys(denials)))


def _negation_at(words: Sequence[str], at: int) -> int:
    """Number of words of the negation that begins at a word; 0 where none does."""
    word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
    before, further = words[at - 1] if at else "", words[at + 2] if at + 2 < len(words) else ""
    if after in _ONLY_SEEMING.get(word, ()) or (word == "not" and before == "why"):
        return 0
    unable = word in _UNABLE or (word == "not" and before in ("can", "could"))
    if unable and (after in _FOND_OF or f"{after} {further}" in _FOND_OF):
        return 0
    if (word, after) in _SEVERAL:
        return 1 if word == "no" and further == "than" else 2
    if word in _OF_STATEMENTS or word in _OF_NOUNS:
        return 1
    return int(word.endswith("n't") and not (_ASKED.fullmatch(word) is not None and after in _PRONOUNS))


def _takes_back(words: Sequence[str], at: int, negation: Span) -> bool:
    """Whether a word cancels an open negation: "not without hope", "never leaves without a smile".

    After a plain "not" it does so only next to it: "not too loud without drums" asks for two things.
    """
    if words[at] not in _WITHOUT:
        return False
    of_all = words[negation[0]] != "not" or words[negation[1]] in _ONE
    return at - negation[1] <= 1 or (of_all and words[negation[0]] not in _OF_NOUNS)


def _ends(words: Sequence[str], at: int, negation: Span) -> bool:
    """Whether a negation ends before a word."""
    word, first, covered = words[at], words[negation[0]], at - negation[1]
    after = words[at + 1] if at + 1 < len(words) else ""
    of_nouns = (first in _OF_NOUNS and negation[1] - negation[0] == 1) or words[negation[1]] in _OF_WANTING
    things = set(words[negation[1] : at]) - _OF_WANTING - {"any", "to"}
    if word in _BEFORE_ATTRIBUTE and of_nouns and _ANY_MUSIC.issuperset(things):
        return False
    if word in _ENDS or covered >= _REACH or (word == "want" and first in _DUTCH):
        return True
    if word in _AND:
        return not of_nouns or after in _PRONOUNS
    if word in _PREPOSITIONS or (word == "of" and not of_nouns):
        return covered > 0 and after not in _WITHOUT and not after[:1].isdigit()  # "goes by without", "go over 120"
    return first in _BEFORE_SUPERLATIVE and (word in _SUPERLATIVE or word.endswith("ier"))


def _without_not(word: str) -> str:
    """A word without its negation: "is" for "isn't"."""
    return _CONTRACTED.get(word, word.removesuffix("n't") if word.endswith("n't") else "")
