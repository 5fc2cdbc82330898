"""An open page as a test sees it: where its player stands, and how one waits for what has no place to wait at.

Class: `Watched`. Functions: `seam_title`, `type_in`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

PATIENCE_MS = 240_000
"""for a page's work to end, on a machine that does other things too"""
_STEP_MS = 100
_LOOKS = 3
"""alike, one after the other, are rest"""

T = TypeVar("T")


def seam_title(number: int) -> re.Pattern[str]:
    """What stands over a seam in the Seams tab, of however many."""
    return re.compile(rf"Seam {number} of \d+:")


def type_in(page: Any, label: str, value: str | int) -> None:
    """Type into a field of Panel's, and wait until its model has the value: React writes it later."""
    field = page.get_by_label(label, exact=True)
    field.fill(str(value))
    field.press("Enter")
    page.wait_for_function(
        "([label, value]) => Bokeh.documents.flatMap((one) => [...one.all_models])"
        ".some(({ data }) => data?.attributes?.label === label && data.attributes.value === value)",
        arg=[label, value],
    )


@dataclass(frozen=True)
class Watched:
    """An open page."""

    page: Any

    @property
    def time(self) -> float:
        """Where the player that is to be seen stands, s."""
        return self._clock()[0]

    @property
    def duration(self) -> float:
        """How long what it plays lasts, s."""
        return self._clock()[1]

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds on the page.

        Parameters
        ----------
        holds : looks whether it does; must not be true for a moment only
        """
        for _ in range(PATIENCE_MS // _STEP_MS):
            if holds():
                return
            self.page.wait_for_timeout(_STEP_MS)
        pytest.fail("it did not come to hold")

    def until_time(self, seconds: float) -> None:
        """Wait until the player stands at a time or has played on from there.

        Its text alone is no place to wait at: it says a time for a second or less, between two looks perhaps.

        Parameters
        ----------
        seconds : on the clock of what it plays
        """
        self.until(lambda: self.time >= seconds)

    def at_rest(self, look: Callable[[], T]) -> T:
        """What one sees on the page once it stays as it is: places move while a page is drawn.

        Parameters
        ----------
        look : such as the box of a figure
        """
        seen, same = look(), 0
        for _ in range(PATIENCE_MS // _STEP_MS):
            self.page.wait_for_timeout(_STEP_MS)
            now = look()
            same = same + 1 if now == seen else 0
            seen = now
            if same == _LOOKS:
                return seen
        return pytest.fail("it did not come to rest")

    def _clock(self) -> list[float]:
        told = (time.split(":") for time in self.page.locator(".time").first.inner_text().split(" / "))
        return [60.0 * float(minutes) + float(seconds) for minutes, seconds in told]
