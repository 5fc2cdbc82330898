from __future__ import annotations

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.structure.salience import bar_salience, memorable_bars
from workbench.structure.sections import Section

FORM = (
    Section(0, 4, "intro", 0),
    Section(4, 12, "verse", 1),
    Section(12, 20, "chorus", 2),
    Section(20, 28, "verse", 1),
    Section(28, 36, "chorus", 2),
    Section(36, 40, "outro", 3),
)
LEVELS = np.repeat([-20.0, -16.0, -11.0, -16.0, -11.0, -24.0], [4, 8, 8, 8, 8, 4])


def test_the_chorus_is_remembered_from_its_beginning() -> None:
    assert memorable_bars(LEVELS, FORM, np.full(40, 2.0), 16.0) == (12, 20)


def test_salience_grows_with_level_and_with_repetition() -> None:
    salience = bar_salience(LEVELS, FORM)
    assert salience.shape == (40,)
    assert np.all((salience >= 0) & (salience <= 1))
    assert salience[12] > salience[4] > salience[0] > salience[38]


def test_a_wish_shorter_than_a_bar_gives_one_bar_and_a_longer_one_than_the_track_all() -> None:
    first, last = memorable_bars(LEVELS, FORM, np.full(40, 2.0), 0.5)
    assert last - first == 1
    assert memorable_bars(LEVELS, FORM, np.full(40, 2.0), 600.0) == (0, 40)


def test_no_bars_no_preview() -> None:
    with pytest.raises(ParameterError, match="same bars"):
        memorable_bars(np.zeros(0), (), np.zeros(0), 30.0)
