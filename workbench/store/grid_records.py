"""The saved record of a grid that was corrected by hand, and the revision that names any grid.

Apart from `workbench.store.saved`, which reads and writes the records: planning names the grid of a track without a
database.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.store.clock import now


@dataclass(frozen=True, slots=True)
class CorrectedGrid:
    """A grid that a user corrected or confirmed, or that was detected at a known tempo."""

    content_hash: str
    """SHA-256 of the recording's bytes, hex"""
    beats: tuple[float, ...]
    """s, strictly increasing"""
    positions: tuple[int, ...]
    """place in the bar, from 1"""
    beats_per_bar: int
    note: str
    """what was corrected, in the user's words"""
    at: str
    """ISO 8601, UTC"""
    confidence: float = 1.0
    """0 to 1: how sure the downbeats are; under 1 where only the tempo was known"""

    @property
    def revision(self) -> str:
        """Digest of the grid: equal grids, equal revisions; 16 hex digits."""
        return grid_revision(self.beats, self.positions, self.beats_per_bar, self.confidence)


def make_record(
    content_hash: str,
    beats: Sequence[float],
    positions: Sequence[int],
    beats_per_bar: int,
    note: str = "",
    confidence: float = 1.0,
) -> CorrectedGrid:
    """The record of a grid as it is from now on. The caller validates the grid.

    Beats (s) are rounded to the microsecond, the confidence (0 to 1) to the ten-thousandth.
    """
    return CorrectedGrid(
        content_hash,
        tuple(round(float(beat), 6) for beat in beats),
        tuple(int(position) for position in positions),
        int(beats_per_bar),
        note,
        now(),
        round(confidence, 4),
    )


def grid_revision(beats: Sequence[float], positions: Sequence[int], beats_per_bar: int, confidence: float = 1.0) -> str:
    """Digest of a grid, corrected or not, 16 hex digits: equal grids, equal revisions."""
    rounded = [round(float(beat), 6) for beat in beats]
    return hashlib.sha256(grid_text(rounded, positions, beats_per_bar, confidence).encode()).hexdigest()[:16]


def grid_text(beats: Sequence[float], positions: Sequence[int], beats_per_bar: int, confidence: float = 1.0) -> str:
    """A grid as JSON: what is stored of it, and what its revision is a digest of. A confidence of 1 is not named."""
    grid = {"beats": list(beats), "positions": list(positions), "beats_per_bar": beats_per_bar}
    if confidence != 1.0:
        grid["confidence"] = confidence
    return json.dumps(grid, separators=(",", ":"), allow_nan=False)
