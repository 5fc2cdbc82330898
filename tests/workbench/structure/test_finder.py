"""What a section finder of somebody else gives is checked before anything is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from workbench import extensions
from workbench.errors import ParameterError
from workbench.params import SectionParams
from workbench.recording import Recording
from workbench.structure.finder import OwnFinder, ask_finder, find_finder
from workbench.structure.sections import BarFeatures, Section, find_sections
from workbench.testing.seam_measure import two_parts


def bars_of(n: int) -> BarFeatures:
    level = np.repeat([-30.0, -10.0], n // 2)
    return BarFeatures(10.0 ** (level[:, None] / 10) * np.ones(8), np.ones((n, 4, 12)), np.ones((n, 48, 4)), level)


class Given:
    version = 1
    answer: Any = ()

    def sections(self, recording: Recording, grid: Any, bars: BarFeatures, params: SectionParams) -> Sequence[Section]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return list(self.answer)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ((), "must hold each of 16 bars once; after bar 0 it goes on at 16"),
        ((Section(0, 8, "verse", 0),), "after bar 8 it goes on at 16"),
        ((Section(0, 9, "verse", 0), Section(8, 16, "verse", 0)), "after bar 9 it goes on at 8"),
        ((Section(0, 16, "strophe", 0),), "called a section strophe; labels are intro"),
        ((Section(0, 16, "verse", -1),), "group -1"),
        (ZeroDivisionError("no bars"), "the section finder given failed: ZeroDivisionError: no bars"),
    ],
)
def test_sections_that_are_none_are_one_clear_error(answer: Any, complaint: str) -> None:
    extensions.register(extensions.SECTION_FINDERS, "given", Given)
    Given.answer = answer
    try:
        with pytest.raises(ParameterError, match=complaint):
            ask_finder(*two_parts(), bars_of(16), SectionParams(finder="given"))
    finally:
        extensions.unregister(extensions.SECTION_FINDERS, "given")


def test_ours_is_found_like_any_other() -> None:
    bars = bars_of(16)
    assert isinstance(find_finder("workbench"), OwnFinder)
    assert ask_finder(*two_parts(), bars) == find_sections(bars)
    with pytest.raises(ParameterError, match="is no section finder"):
        find_finder("workbench.beats.tracker:OwnTracker")
