"""What is asked of a plan in the words of the page, which has no options to type."""

from __future__ import annotations

from workbench.dashboards.constraint_words import in_words, sentence_in_words
from workbench.errors import Sentence
from workbench.plans.constraints import Constraint, ConstraintKind


def test_a_constraint_in_words() -> None:
    assert in_words(Constraint(ConstraintKind.PINNED, (92.0, 48.5))) == "pinned 1:32 → 0:48.5 of the track"
    assert in_words(Constraint(ConstraintKind.EXCLUDED, (40.0, 60.0))) == "excluded 0:40 to 1:00 of the track"
    assert in_words(Constraint(ConstraintKind.END_ON, (238.0,))) == "last hit at 3:58"


def test_a_sentence_names_constraints_as_the_page_does() -> None:
    short, longer = (Constraint(ConstraintKind.KEEP, (10.0, last)) for last in (20.0, 20.5))
    said = sentence_in_words(Sentence(longer, " and ", short, " cannot be kept together"))
    assert said == (
        "played whole 0:10 to 0:20.5 of the track and played whole 0:10 to 0:20 of the track cannot be kept together"
    )
