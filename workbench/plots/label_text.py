"""Text that has its place found before it is drawn; importing this module loads matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.text import Text


class LabelText(Text):
    """A name of `workbench.plots.labels`."""

    def __init__(self, settle: Callable[[Any], None], **style: Any) -> None:
        super().__init__(**style)
        self._settle = settle

    def draw(self, renderer: Any) -> None:
        """Draw the name where it has found a place."""
        self._settle(renderer)
        super().draw(renderer)
