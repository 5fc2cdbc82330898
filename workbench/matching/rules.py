"""The rules of a brief on the tracks of a ranking, and how the brief was read, in words.

Rules change no score; they order a list: tracks that satisfy all, then tracks that may break one, then tracks that
break one, each group by score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.matching.brief import BROKEN, NOT_KNOWN, SATISFIED, Brief, Constraint
from workbench.matching.columns import Columns
from workbench.matching.lane import MatchReason
from workbench.matching.language.languages import ENGLISH, language_of
from workbench.recording import FloatArray, IntArray

MOST_QUOTED = 5
"""phrases of a text that are quoted"""
_LONGEST_QUOTE = 60
"""characters of each"""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRules:
    """The rules of a brief, judged on n tracks."""

    rules: tuple[Constraint, ...]
    columns: Columns
    facets: FloatArray
    """shape (n, n_facets), 0 to 1, what the texts name"""
    judged: NDArray[np.int8]
    """shape (n_rules, n)"""

    @property
    def standing(self) -> NDArray[np.int8]:
        """The worst judgement on each track, shape (n,), by which the list is parted."""
        return np.asarray(self.judged.min(axis=0, initial=SATISFIED))

    def take(self, rows: IntArray) -> JudgedRules:
        """The rules on some of the tracks."""
        return JudgedRules(self.rules, self.columns.take(rows), self.facets[rows], self.judged[:, rows])

    def reasons(self, row: int) -> list[MatchReason]:
        """A line of the match map for each rule."""
        return [
            MatchReason(
                f"asked: {rule.text}",
                rule.describe(self.columns, row, self.facets),
                1.0 if judged == SATISFIED else 0.0 if judged == BROKEN else 0.5,
                called=rule.text,
            )
            for rule, judged in zip(self.rules, self.judged[:, row], strict=True)
        ]

    def unmet(self, row: int) -> str:
        """The rules that a track breaks, or else those that it may break, in words; empty without any."""
        for judgement, words in ((BROKEN, "breaks"), (NOT_KNOWN, "not known")):
            rules = self._judged_as(judgement, row)
            if rules:
                return f"{words}: {listed([rule.text for rule in rules])}"
        return ""

    def last_resort(self, row: int) -> str:
        """The sentence on a track that breaks rules; empty for another."""
        broken = [
            f"{rule.text} was asked: {rule.describe(self.columns, row, self.facets)}"
            for rule in self._judged_as(BROKEN, row)
        ]
        return f"Last resort, for it breaks a rule: {'; '.join(broken)}." if broken else ""

    def _judged_as(self, judgement: int, row: int) -> list[Constraint]:
        return [rule for rule, judged in zip(self.rules, self.judged[:, row], strict=True) if judged == judgement]


def judge_rules(rules: tuple[Constraint, ...], columns: Columns, facets: FloatArray) -> JudgedRules:
    """Judge tracks by each rule; `facets`, shape (n, n_facets), is what their texts name, 0 to 1."""
    judged = np.array([rule.judge(columns, facets) for rule in rules], dtype=np.int8)
    return JudgedRules(rules, columns, facets, judged.reshape(len(rules), len(columns)))


def sentences_on_brief(brief: Brief, rules: JudgedRules, best: Sequence[int]) -> Iterator[str]:
    """Contradictions of a brief, its rules applied to the `best` rows, and the words that were not understood."""
    for one, other in brief.contradictions:
        yield f'The brief contradicts itself: no track can be both "{one}" and "{other}", so neither was applied.'
    if rules.rules:
        named = listed([rule.text for rule in rules.rules])
        yield f"Applied rules: {named}; tracks that break one come last and say so, each part by score."
        standing = rules.standing[list(best)]
        broken, unknown = (int(np.count_nonzero(standing == judgement)) for judgement in (BROKEN, NOT_KNOWN))
        if broken:
            yield f"{broken} of the {len(best)} break a rule, because no more tracks keep them all."
        if unknown:
            yield f"Of {unknown} it is not known whether they keep them all."
    if brief.unread:
        phrases = [f'"{phrase[:_LONGEST_QUOTE]}"' for phrase in brief.unread[:MOST_QUOTED]]
        if more := len(brief.unread) - len(phrases):
            phrases.append(f"{more} more")
        yield f"Not understood in the brief, and left aside: {listed(phrases)}."
    language = language_of(brief.text)
    if language != ENGLISH:
        yield f"The brief seems to be in {language}, of which only single words are known; English is read better."


def listed(items: Sequence[str]) -> str:
    """One, two and three."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
