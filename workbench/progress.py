"""How a workflow reports progress: it calls a function that its caller passes.

A workflow prints nothing. Its caller decides whether progress becomes a bar, a job's `stage`, or nothing.
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the current stage of the work and how far it has got."""

    def __call__(self, stage: str, done: float) -> None:
        """Report progress.

        Parameters
        ----------
        stage : what is being done, in words
        done : share of this stage, 0 to 1; 0 means that it begins, and a value below the one before that it begins anew
        """


def silent(stage: str, done: float) -> None:
    """Ignore progress: the default where a caller passes none.

    Parameters
    ----------
    stage, done : not used
    """
