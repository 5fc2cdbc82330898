"""Moments of a film: the instants that an editor would want the music to hit.

Where the picture changes (cuts, flashes), where words appear (titles), where something is heard to strike (hits), where
something moves most (motion), and the two ends. Times are video seconds; the tolerance of a moment is its own
vagueness: a cut is exact to the frame, a dissolve happens somewhere within its length.

Classes: `Moments`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.errors import ParameterError
from workbench.features.marks import Marks
from workbench.recording import VideoSeconds

MOMENT_KINDS = ("cut", "flash", "title", "hit", "motion", "start", "end")
"""What moments are called."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """What there is to land on in one film."""

    marks: Marks
    """kinds are `MOMENT_KINDS`, times lie in 0 to `video_seconds`"""
    video_seconds: VideoSeconds
    """length of the film"""

    def __post_init__(self) -> None:
        if not 0.0 < self.video_seconds < float("inf"):
            raise ParameterError(f"a film lasts some time, got {self.video_seconds} s")
        if self.marks.names != MOMENT_KINDS:
            raise ParameterError(f"the kinds of moments are {', '.join(MOMENT_KINDS)}, got {self.marks.names}")
        times = self.marks.times
        if times.size and not (times[0] >= 0.0 and times[-1] <= self.video_seconds):
            raise ParameterError(f"moments lie in 0 to {self.video_seconds} s, got {times[0]} to {times[-1]} s")

    @property
    def total_salience(self) -> float:
        """Sum of the saliences."""
        return float(np.sum(self.marks.salience))
