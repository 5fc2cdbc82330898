"""Shots, cuts and flashes of a measured picture, and what no picture can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.video.picture import Border, Picture, check_stretches

N = 100


def picture(*borders: Border, **given: Any) -> Picture:
    curve = np.full(N, 0.25)
    arguments: dict[str, Any] = {
        "duration": 10.0, "times": np.arange(N) / 10, "motion": curve, "brightness": curve, "colourfulness": curve,
        "contrast": curve, "borders": borders, "black": (), "still": (),
    }  # fmt: skip
    return Picture(**arguments | given)


OPENING = Border("fade", 0.0, 1.0, 0.2, 1.0)
CUT = Border("hard", 2.0, 2.0, 2.0, 0.9)
FLASH = Border("flash", 3.0, 3.1, 3.0, 0.5)
DISSOLVE = Border("dissolve", 4.0, 5.0, 4.5, 0.4)
CLOSING = Border("fade", 9.0, 10.0, 10.0, 1.0)


def test_borders_part_shots_but_for_flashes_and_the_opening_fade() -> None:
    found = picture(OPENING, CUT, FLASH, DISSOLVE, CLOSING)
    assert found.edits == (CUT, DISSOLVE, CLOSING)
    assert found.flashes == (FLASH,)
    assert found.cuts.tolist() == [2.0, 4.5], "nothing comes after the fade to the end"
    assert found.shots == ((0.0, 2.0), (2.0, 4.5), (4.5, 10.0))
    assert picture().shots == ((0.0, 10.0),)


def test_curves_are_copied_and_read_only() -> None:
    curve = np.full(N, 0.5)
    found = picture(brightness=curve)
    curve[:] = 0.0
    assert found.brightness.max() == 0.5
    with pytest.raises(ValueError, match="read-only"):
        found.times[0] = 1.0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"times": np.arange(N) / 10 - 1}, "increasing seconds from 0 on"),
        ({"times": np.zeros(0)}, "at least one"),
        ({"duration": 5.0}, "after the end of the video"),
        ({"motion": np.zeros(N - 1)}, "motion must hold 100 finite numbers"),
        ({"contrast": np.full(N, np.nan)}, "contrast must hold"),
        ({"black": ((2.0, 1.0),)}, "black must be sorted"),
        ({"titles": ((0.0, 2.0), (1.0, 3.0))}, "titles must be sorted"),
        ({"borders": (DISSOLVE, CUT)}, "borders must be sorted"),
    ],
)
def test_what_no_picture_can_be_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        picture(**given)


@pytest.mark.parametrize(
    "border", [("wipe", 0, 1, 1, 1), ("hard", 2, 1, 1, 1), ("hard", 1, 2, 3, 1), ("hard", 1, 1, 1, 1.5)]
)
def test_what_no_border_can_be_is_refused(border: tuple[Any, ...]) -> None:
    with pytest.raises(ParameterError):
        Border(*border)


def test_stretches_touch_but_do_not_overlap() -> None:
    check_stretches("still", ((0.0, 1.0), (1.0, 2.0)))
    with pytest.raises(ParameterError, match="still must be sorted"):
        check_stretches("still", ((0.0, 1.0), (0.5, 2.0)))
