"""Extensions are chosen by the name of their point, wherever parameters are chosen."""

from __future__ import annotations

import pytest

from workbench.errors import ParameterError
from workbench.extensions import choices, chosen, with_chosen, with_uses
from workbench.params import WorkbenchParams


def test_every_point_but_export_formats_is_a_parameter() -> None:
    assert {choice.word for choice in choices()} == {
        "beat-tracker", "section-finder", "seam-measure", "voice-detector", "match-term"
    }  # fmt: skip
    for choice in choices():
        assert chosen(WorkbenchParams(), choice) == (() if choice.is_weighed else ("workbench",))


def test_a_command_names_them() -> None:
    uses = ("section-finder=halves", "voice-detector=labels:Rttm", "match-term=short", "match-term=a=b:C=0.5")
    params = with_uses(WorkbenchParams(), uses)
    assert (params.sections.finder, params.voice.detector) == ("halves", "labels:Rttm")
    assert params.match.terms == ("short=1", "a=b:C=0.5")
    assert with_uses(params, ("seam-measure=chroma=2",)).seams.measures == ("chroma=2",)


@pytest.mark.parametrize(
    ("use", "complaint"),
    [
        ("sections=halves", "points are beat-tracker, match-term, seam-measure, section-finder, voice-detector"),
        ("section-finder", "name an extension as POINT=NAME"),
        ("beat-tracker=", "name an extension as POINT=NAME"),
        ("match-term=level=1", "level is a part of this package"),
        ("beat-tracker=" + "x" * 300, "beat-tracker: String should have at most 200"),
    ],
)
def test_what_is_no_extension_is_one_clear_error(use: str, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        with_uses(WorkbenchParams(), (use,))


def test_weights_that_were_there_are_kept() -> None:
    term = next(choice for choice in choices() if choice.word == "match-term")
    params = with_uses(WorkbenchParams(), ("match-term=a=0.3", "match-term=b"))
    assert with_chosen(params, term, ["a", "c"]).match.terms == ("a=0.3", "c=1")
