"""What a text denies: how far each "no", "never" or "without" reaches, and what a denied feeling is read as.

A negation covers what follows it in its clause: to a comma, a stop or a conjunction, to a preposition once it has
covered something ("not happy in the old house" leaves the house alone), and six words at most. "Or" and "nor" carry it
on, and so does "and" after "no" and "without", which stand before things ("no drums and bass"), but not after "not" and
"never", which stand before what is said. Some words only look like negations ("not only", "no doubt", "nothing but",
"isn't it lovely", "never so happy"), some do not and are ("anything but", "far from"); "not without hope" denies twice.

A sentence embedding hardly hears a negation: "not sad at all" lies close to "sad". So a denied feeling is replaced by
its opposite before the text is read, "cheerful at all" (antonyms as in Xia et al. 2016). What is no feeling stays as it
is: that "the lake has not moved" needs no opposite.

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

Span: TypeAlias = tuple[int, int]
"""first word, and the one after the last"""

_REACH = 6
"""words that a negation covers at most"""
_SAYING = frozenset(
    {
        "not", "never", "hardly", "scarcely", "neither", "nor", "cannot", "dont", "isnt", "wont", "cant", "doesnt",
        "nicht", "nie", "niemals", "weder", "pas", "jamais", "nunca", "jamás", "tampoco", "não", "mai", "niet", "nooit",
    }
)  # fmt: skip
"""negations of what is said"""
_BEFORE_THINGS = frozenset(
    {
        "no", "without", "non", "avoid", "avoiding", "zero", "minus", "lacking", "exclude", "excluding", "except",
        "nothing", "nobody", "none", "skip",
        "sans", "aucun", "aucune", "ni", "ohne", "kein", "keine", "keinen", "keiner", "keinem", "keinerlei", "nichts",
        "sin", "ningún", "ninguna", "nada", "senza", "nessun", "nessuna", "niente", "sem", "nenhum", "nenhuma", "nem",
        "zonder", "geen", "niets",
    }
)  # fmt: skip
"""negations of a thing"""
_SEVERAL = {
    ("anything", "but"), ("far", "from"), ("free", "of"), ("free", "from"), ("rather", "than"), ("instead", "of"),
    ("lack", "of"), ("no", "longer"), ("no", "more"), ("none", "of"), ("not", "at"),
}  # fmt: skip
"""negations of two words"""
_OPENING = _SAYING | _BEFORE_THINGS | {first for first, _ in _SEVERAL}
_ONLY_SEEMING = {
    "not": {"only", "just", "merely", "simply"},
    "no": {"doubt", "wonder", "matter", "sooner", "less"},
    "without": {"doubt", "question", "fail"},
    "nothing": {"but"},
    "cannot": {"help"},
    "can't": {"help", "stop"},
    "never": {"stop", "stops", "stopped", "fails", "failed"},
}
"""what makes an assertion of a negation, as its next word"""
_TOPPING = frozenset({"never", "couldn't", "can't"})
_SUPERLATIVE = frozenset({"so", "such", "more", "better", "as"})
"""after the words before, what has never been more"""
_ENDS = frozenset(
    {
        "but", "yet", "because", "while", "when", "until", "though", "although", "if", "who", "which", "that",
        "where", "how", "what", "why", "since", "just", "only", "instead", "rather", "yes", "aber", "sondern",
        "weil", "wenn", "mais", "car", "quand", "pero", "sino", "porque", "cuando", "ma", "perché", "mas", "maar",
        "want", "dass", "que", "che", "dat",
    }
)  # fmt: skip
_AND = frozenset({"and", "und", "et", "y", "e", "en"})
_PREPOSITIONS = frozenset(
    {"in", "on", "at", "with", "from", "by", "under", "over", "after", "before", "during", "through", "into", "for"}
)
_PRONOUNS = frozenset({"it", "he", "she", "they", "we", "you", "i", "this", "that", "there", "these", "those"})
_ASKED = re.compile(r"(?:is|are|was|were|does|did|has|have|had|wo|would|could|should)n't")
_CONTRACTED = {"can't": "can", "won't": "will", "cannot": "can", "don't": "", "doesn't": "", "didn't": ""}
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
        word = words[at]
        length = _negation_at(words, at)
        if length:
            doubled = open_since is not None and word == "without" and at - open_since[1] <= 1
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
    if after in _ONLY_SEEMING.get(word, ()) or (word == "not" and at and words[at - 1] == "why"):
        return 0
    if (word, after) in _SEVERAL:
        return 2
    if word in _SAYING or word in _BEFORE_THINGS:
        return 1
    return int(word.endswith("n't") and not (_ASKED.fullmatch(word) is not None and after in _PRONOUNS))


def _ends(words: Sequence[str], at: int, negation: Span) -> bool:
    """Whether a negation ends before a word."""
    word, first, covered = words[at], words[negation[0]], at - negation[1]
    of_things = first in _BEFORE_THINGS and negation[1] - negation[0] == 1
    if word in _ENDS or covered >= _REACH:
        return True
    if word in _AND:
        return not of_things or (at + 1 < len(words) and words[at + 1] in _PRONOUNS)
    if word in _PREPOSITIONS or (word == "of" and not of_things):
        return covered > 0
    return first in _TOPPING and (word in _SUPERLATIVE or word.endswith("ier"))


def _without_not(word: str) -> str:
    """What is left of a word without its negation: "is" of "isn't"."""
    return _CONTRACTED.get(word, word.removesuffix("n't") if word.endswith("n't") else "")
