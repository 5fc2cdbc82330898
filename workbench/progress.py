"""How a workflow tells what it is doing: a function that it is handed, and calls.

A workflow prints nothing. Whoever calls it decides whether progress becomes a bar, a job's `stage`, or nothing.
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives what is being done and how much of it is."""

    def __call__(self, stage: str, done: float) -> None:
        """`stage` in words, `done` from 0 to 1 of this stage; 0 says that it begins.

        Within a stage `done` never goes back; where it does all the same, the stage starts anew.
        """


def silent(stage: str, done: float) -> None:
    """Say nothing."""
