"""Constraints as the page calls them: a page has buttons, where a command line has options."""

from __future__ import annotations

from workbench.errors import Sentence
from workbench.plans.constraints import Constraint, ConstraintKind

_WORDS = {
    ConstraintKind.PINNED: "pinned",
    ConstraintKind.FORBIDDEN: "forbidden",
    ConstraintKind.NEVER_CUT: "never cut",
    ConstraintKind.EXCLUDED: "excluded",
    ConstraintKind.KEEP: "played whole",
    ConstraintKind.START_AT: "music starts at",
    ConstraintKind.END_ON: "last hit at",
    ConstraintKind.HIT: "hit at",
}
"""of each kind, before its times"""
_IN_VIDEO = (ConstraintKind.START_AT, ConstraintKind.END_ON, ConstraintKind.HIT)


def in_words(one: Constraint) -> str:
    """A constraint as the page calls it, such as `pinned 1:32 → 0:48 of the track`; other times are of the video."""
    of_track = " of the track" if one.times and one.kind not in _IN_VIDEO else ""
    between = " → " if one.kind in (ConstraintKind.PINNED, ConstraintKind.FORBIDDEN) else " to "
    return f"{_WORDS[one.kind]} {one.what.replace('-', between)}{of_track}"


def sentence_in_words(sentence: Sentence) -> str:
    """A sentence in which constraints are called as on the page."""
    return "".join(in_words(part) if isinstance(part, Constraint) else str(part) for part in sentence.parts)
