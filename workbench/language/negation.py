"""What a text denies: how far each "no", "never" or "without" reaches, and what a denied feeling is read as.

A negation covers what follows it in its clause: to a comma, a stop or a conjunction, to a preposition once it has
covered something ("not happy in the old house" leaves the house alone), and six words at most. "Or" and "nor" carry it
on, and so does "and" after "no", "without" and "don't want", which stand before things ("no drums and bass"), but not
after "not" and "never", which stand before what is said. Some words only look like negations ("not only", "no doubt",
"nothing but", "isn't it lovely", "never so happy", "can't wait"), some do not and are ("anything but", "far from").
"Not without hope" and "not a day goes by without joy" deny twice, which is to say yes.

A sentence embedding hardly hears a negation: "not sad at all" lies close to "sad". So a denied feeling is replaced by
its opposite before the text is read, "cheerful at all" (antonyms as in Xia et al. 2016). What is no feeling stays as it
is: that "the lake has not moved" needs no opposite.

The words stand in `negation.toml` beside this file.

Functions: `scopes`, `clauses`, `affirmed`. Classes: `Clause`, `Affirmed`.

References
----------
R. Xia et al., "Polarity shift detection, elimination and ensemble: a three-stage model for document-level sentiment
analysis", Information Processing & Management 52(1), 2016.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from workbench.language.grammar import read_grammar

Span: TypeAlias = tuple[int, int]
"""first word, and the one after the last"""

_REACH = 6
"""words that a negation covers at most"""
_GRAMMAR = read_grammar("negation.toml")
_SAYING = _GRAMMAR.words("saying")
"""negations of what is said"""
_BEFORE_THINGS = _GRAMMAR.words("before_things")
"""negations of a thing"""
_SEVERAL = frozenset((first, second) for first, second in map(str.split, _GRAMMAR.phrases("several")))
"""negations of two words"""
_OPENING = _SAYING | _BEFORE_THINGS | {first for first, _ in _SEVERAL}
_ONLY_SEEMING = {word: _GRAMMAR.words(f"only_seeming.{word}") for word in _GRAMMAR.entry("only_seeming")}
"""what makes an assertion of a negation, as its next word"""
_UNABLE = _GRAMMAR.words("unable")
_UNABLE_TO_HOLD_BACK = _GRAMMAR.words("unable_to_hold_back")
"""what nobody is unable to do who does not like it"""
_WITHOUT = _GRAMMAR.words("without")
"""what takes back a negation that reaches it"""
_ONE = _GRAMMAR.words("one")
_OF_WANTING = _GRAMMAR.words("of_wanting")
"""verbs that make a negation of what is said one of a thing"""
_ANY_MUSIC = _GRAMMAR.words("any_music")
"""what a negation does not mean in itself, but with what is said of it: "no tracks with lyrics" """
_SAID_OF_IT = _GRAMMAR.words("said_of_it")
_DUTCH = frozenset((*_GRAMMAR.phrases("saying", "nl"), *_GRAMMAR.phrases("before_things", "nl")))
_TOPPING = _GRAMMAR.words("topping")
_SUPERLATIVE = _GRAMMAR.words("superlative")
"""after the words before, what has never been more"""
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
    """characters of the text that each word stands on"""


class Affirmed(NamedTuple):
    """A text that denies no feeling any more."""

    text: str
    denials: tuple[tuple[str, str], ...]
    """what was said, and the opposite that it is read as"""


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of a text that have words, as far as stops and dashes tell them apart."""
    start = 0
    for stop in (*_BETWEEN_CLAUSES.finditer(text), None):
        end = len(text) if stop is None else stop.start()
        found = list(_WORD.finditer(text, start, end))
        if found:
            words = tuple(match[0].lower().replace("’", "'") for match in found)
            yield Clause(words, tuple(match.span() for match in found))
        start = end if stop is None else stop.end()


def scopes(words: Sequence[str]) -> list[Span | None]:
    """For each word of a clause the negation that covers it, None where it is asserted.

    Parameters
    ----------
    words : in lower case
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


def affirmed(text: str, opposites: Mapping[str, str]) -> Affirmed:
    """A text in which denied feelings are replaced by their opposites.

    Parameters
    ----------
    text : any text
    opposites : by word, in lower case
    """
    changes: dict[Span, str] = {}
    denials: list[tuple[str, str]] = []
    for clause in clauses(text):
        for at, scope in enumerate(scopes(clause.words)):
            opposite = opposites.get(clause.words[at])
            if scope is None or opposite is None:
                continue
            start, kept = clause.places[scope[0]][0], _without_not(clause.words[scope[0]])
            changes[start, clause.places[scope[1] - 1][1] if kept else clause.places[scope[1]][0]] = kept
            changes[clause.places[at]] = opposite
            denials.append((text[start : clause.places[at][1]], opposite))
    parts, end = [], 0
    for (start, stop), new in sorted(changes.items()):
        parts += [text[end:start], new]
        end = stop
    return Affirmed("".join((*parts, text[end:])), tuple(dict.fromkeys(denials)))


def _negation_at(words: Sequence[str], at: int) -> int:
    """How many words the negation at a place has; 0 where there is none."""
    word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
    before, further = words[at - 1] if at else "", words[at + 2] if at + 2 < len(words) else ""
    if after in _ONLY_SEEMING.get(word, ()) or (word == "not" and before == "why"):
        return 0
    unable = word in _UNABLE or (word == "not" and before in ("can", "could"))
    if unable and (after in _UNABLE_TO_HOLD_BACK or f"{after} {further}" in _UNABLE_TO_HOLD_BACK):
        return 0
    if (word, after) in _SEVERAL:
        return 1 if word == "no" and further == "than" else 2
    if word in _SAYING or word in _BEFORE_THINGS:
        return 1
    return int(word.endswith("n't") and not (_ASKED.fullmatch(word) is not None and after in _PRONOUNS))


def _takes_back(words: Sequence[str], at: int, negation: Span) -> bool:
    """Whether what is at a place denies an open negation: "not without hope", "never leaves without a smile".

    After a plain "not" that holds only close by: "not too loud without drums" asks for two things.
    """
    if words[at] not in _WITHOUT:
        return False
    of_all = words[negation[0]] != "not" or words[negation[1]] in _ONE
    return at - negation[1] <= 1 or (of_all and words[negation[0]] not in _BEFORE_THINGS)


def _ends(words: Sequence[str], at: int, negation: Span) -> bool:
    """Whether a negation ends before a word."""
    word, first, covered = words[at], words[negation[0]], at - negation[1]
    after = words[at + 1] if at + 1 < len(words) else ""
    of_things = (first in _BEFORE_THINGS and negation[1] - negation[0] == 1) or words[negation[1]] in _OF_WANTING
    if word in _SAID_OF_IT and of_things and _ANY_MUSIC.issuperset(_things(words[negation[1] : at])):
        return False
    if word in _ENDS or covered >= _REACH or (word == "want" and first in _DUTCH):
        return True
    if word in _AND:
        return not of_things or after in _PRONOUNS
    if word in _PREPOSITIONS or (word == "of" and not of_things):
        return covered > 0 and after not in _WITHOUT and not after[:1].isdigit()  # "goes by without", "go over 120"
    return first in _TOPPING and (word in _SUPERLATIVE or word.endswith("ier"))


def _things(words: Sequence[str]) -> set[str]:
    """What words name that a negation covers, without the verb of wanting it."""
    return set(words) - _OF_WANTING - {"any", "to"}


def _without_not(word: str) -> str:
    """What is left of a word without its negation: "is" of "isn't"."""
    return _CONTRACTED.get(word, word.removesuffix("n't") if word.endswith("n't") else "")
