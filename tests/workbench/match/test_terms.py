"""What a match term of somebody else gives is checked, and a track of which it knows nothing counts as usual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from workbench import extensions
from workbench.catalog.track import Track
from workbench.errors import ParameterError
from workbench.matching.columns import Columns
from workbench.matching.terms import find_term, term_parts
from workbench.matching.video_facts import VideoFacts
from workbench.matching.video_ranking import rank, raw_scores
from workbench.matching.video_reasons import RankedPair, explanation, reasons
from workbench.params import MatchParams
from workbench.recording import FloatArray

PARAMS = MatchParams(terms=("given=0.5",))


class Given:
    usual = 0.4
    description = "as given"
    answer: Any = ()

    def parts(self, video: VideoFacts, columns: Columns) -> FloatArray:
        if isinstance(self.answer, Exception):
            raise self.answer
        return np.asarray(self.answer)


@pytest.fixture(autouse=True)
def given() -> Iterator[None]:
    extensions.register(extensions.MATCH_TERMS, "given", Given)
    yield
    extensions.unregister(extensions.MATCH_TERMS, "given")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([0.5], "must give 2 parts from 0 to 1"),
        ([0.5, 1.5], "must give 2 parts from 0 to 1"),
        (KeyError("moods"), "the match term given failed: KeyError: 'moods'"),
    ],
)
def test_parts_that_are_none_are_one_clear_error(
    answer: Any, complaint: str, make_video: Callable[..., VideoFacts], columns: Callable[..., Columns]
) -> None:
    Given.answer = answer
    with pytest.raises(ParameterError, match=complaint):
        term_parts(make_video(), columns(bpm=[100.0, 120.0]), PARAMS)


def test_unknown_counts_as_usual_and_is_no_reason(
    make_video: Callable[..., VideoFacts], columns: Callable[..., Columns]
) -> None:
    Given.answer = [np.nan, 1.0]
    tracks, video = columns(bpm=[110.0, 110.0]), make_video()
    ranking = rank(video, tracks, 2, PARAMS)
    assert ranking.rows.tolist() == [1, 0]
    for at, said in ((0, True), (1, False)):
        row = ranking.columns.take(np.array([at]))
        parts = {name: float(part[at]) for name, part in ranking.parts.items()}
        pair = RankedPair(video, ranking.wanted, row, Track("a", Path("a.flac"), "0" * 64), parts, None)
        lines = [line for line in reasons(pair, PARAMS) if line.video == "as given"]
        assert bool(lines) is said
        assert ("it is as given" in explanation(pair, PARAMS).lower()) is said
    ours = {name: part for name, part in ranking.parts.items() if name != "given"}
    np.testing.assert_allclose(raw_scores(ours, PARAMS), raw_scores(ours, MatchParams()))


def test_names_are_checked() -> None:
    with pytest.raises(ParameterError, match="is no match term"):
        find_term("workbench.beats.tracker:OwnTracker")
    with pytest.raises(ValidationError, match="level is a part of this package"):
        MatchParams(terms=("level=1",))
    with pytest.raises(ValidationError, match="stands there twice"):
        MatchParams(terms=("a=1", "a=2"))
