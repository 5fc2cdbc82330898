"""How a workflow reports progress: it calls a function that its caller passes.

A workflow prints nothing. Its caller decides whether progress becomes a bar, a job's `stage`, or nothing.
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the current stage of the work and how far it has got."""

    def __call__(self, stage: str, done: float) -> None:
        """Report the share, 0 to 1, of a stage that is done.

        0 means that it begins, and a value below the one before that it begins again.
        """


def silent(stage: str, done: float) -> None:
    """Ignore progress: the default where a caller passes none."""
