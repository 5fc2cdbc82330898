"""What may be said of a measured tempo."""

from __future__ import annotations

import math

import pytest

from workbench.catalog.certainty import (
    NO_SURE_BEAT,
    SURE,
    SURE_BUT_FOR_DOUBLE,
    SURE_BUT_FOR_HALF,
    UNSURE,
    tempo_certainty,
    tempo_words,
)
from workbench.matching.columns import UNKNOWN


@pytest.mark.parametrize(
    ("bpm", "confidence", "drums", "certainty", "words"),
    [
        (126.0, 0.9, 0.9, SURE, "126 bpm"),
        (126.0, 0.4, 0.9, SURE, "126 bpm"),
        (126.0, 0.1, 0.9, UNSURE, NO_SURE_BEAT),
        (126.0, 0.9, 0.2, SURE_BUT_FOR_HALF, "126 or 63 bpm"),
        (126.0, 0.4, 0.2, UNSURE, NO_SURE_BEAT),
        (87.0, 0.9, 0.9, SURE_BUT_FOR_DOUBLE, "87 or 174 bpm"),
        (190.0, 0.9, 0.9, SURE_BUT_FOR_HALF, "190 or 95 bpm"),
    ],
)
def test_a_tempo_is_said_with_the_doubt_that_it_deserves(
    bpm: float, confidence: float, drums: float, certainty: int, words: str
) -> None:
    assert tempo_certainty(bpm, confidence, drums) == certainty
    assert tempo_words(bpm, certainty) == words


def test_a_tempo_that_a_catalog_gives_is_said_as_given() -> None:
    assert tempo_words(87.0, UNKNOWN) == "87 bpm"
    assert tempo_words(87.45, UNKNOWN, ".4g") == "87.45 bpm"
    assert tempo_words(math.nan, UNKNOWN) == NO_SURE_BEAT
