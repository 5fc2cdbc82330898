"""The beat grid: where the beats of a recording fall and which of them open a bar.

Conventions: times in seconds of track time, positions count from 1 as musicians do. A grid without beats is a
valid answer for music without a pulse.

Confidence: 1 by default, for a grid that a person gives is certain. A tracker states its own confidence, 0 where it
finds no pulse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.errors import GridError
from workbench.recording import FloatArray, IntArray, NotebookValue

SAME_BEAT_SECONDS = 0.07
"""s within which a bar line and a beat are the same, as in beat evaluation"""


@dataclass(frozen=True, slots=True, eq=False)
class BeatGrid(NotebookValue):
    """Where the beats of one recording fall, and which of them open a bar.

    Attributes
    ----------
    beats : shape (n_beats,), seconds of track time, strictly increasing, read-only
    positions : shape (n_beats,), place in the bar from 1: a downbeat is a beat by construction
    beats_per_bar : of the metre that prevails; single bars may differ where the metre changes
    confidence : 0 to 1: how sure the downbeats are; 1 for a grid made by hand
    """

    beats: FloatArray
    positions: IntArray
    beats_per_bar: int
    confidence: float = 1.0

    def __post_init__(self) -> None:
        beats = np.array(self.beats, dtype=np.float64, copy=True)
        positions = np.array(self.positions, dtype=np.int32, copy=True)
        if beats.ndim != 1 or positions.shape != beats.shape:
            raise GridError(f"beats and positions must be vectors of one length, got {beats.shape}, {positions.shape}")
        if not np.all(np.isfinite(beats)) or (beats.size and beats[0] < 0):
            raise GridError("beat times must be finite and not negative")
        if np.any(np.diff(beats) <= 0):
            at = int(np.argmax(np.diff(beats) <= 0))
            raise GridError(f"beat times must increase strictly; beat {at + 1} is at {beats[at + 1]:.6f} s")
        if self.beats_per_bar < 1:
            raise GridError(f"beats_per_bar must be at least 1, got {self.beats_per_bar}")
        if positions.size and int(positions.min()) < 1:
            raise GridError("positions count from 1")
        steps_on = (positions[1:] == positions[:-1] + 1) | (positions[1:] == 1)
        if not np.all(steps_on):
            at = int(np.argmin(steps_on))
            raise GridError(f"after position {positions[at]} comes the next beat or a 1, not {positions[at + 1]}")
        if not 0.0 <= self.confidence <= 1.0:
            raise GridError(f"confidence must be within 0 to 1, got {self.confidence}")
        beats.flags.writeable = False
        positions.flags.writeable = False
        object.__setattr__(self, "beats", beats)
        object.__setattr__(self, "positions", positions)

    def __repr__(self) -> str:
        bars = f"{self.downbeats.size} bars of {self.beats_per_bar}, confidence {self.confidence:.2f}"
        return f"<grid of {self.beats.size} beats at {self.tempo_bpm:.1f} a minute, {bars}>"

    @classmethod
    def from_times(
        cls,
        beats: Sequence[float] | FloatArray,
        downbeats: Sequence[float] | FloatArray | None = None,
        *,
        beats_per_bar: int = 4,
        confidence: float = 1.0,
    ) -> BeatGrid:
        """A grid of one's own, from the times of its beats.

        Parameters
        ----------
        beats : shape (n_beats,), seconds of track time, strictly increasing
        downbeats : shape (n_bars,), s, those that open a bar, each within 70 ms of a beat; None: every
            `beats_per_bar`-th beat, from the first
        beats_per_bar : of the bars where `downbeats` does not say it: all of them, or the one before the first
        confidence : 0 to 1

        Returns
        -------
        BeatGrid : beats before the first downbeat are the end of a bar; those after the last go on in bars of the
            length that prevails. Without beats, the empty grid, whose confidence is 0

        Raises
        ------
        GridError : times that do not increase, a downbeat without a beat, no downbeats at all, or a bar that is empty
        """
        if np.ma.isMaskedArray(beats) or np.ma.isMaskedArray(downbeats):
            raise GridError("times of a grid must not be a masked array; leave out masked ones with `.compressed()`")
        times = np.asarray(beats, dtype=np.float64)
        if times.ndim != 1 or (not times.size and downbeats is not None):
            raise GridError(f"a grid needs the times of its beats, one after another; got an array of {times.shape}")
        if beats_per_bar < 1:
            raise GridError(f"beats_per_bar must be at least 1, got {beats_per_bar}")
        if not times.size and downbeats is None:
            return cls(times, np.zeros(0, dtype=np.int32), beats_per_bar, 0.0)
        if downbeats is None:
            return cls(times, np.arange(times.size) % beats_per_bar + 1, beats_per_bar, confidence)
        lines = np.asarray(downbeats, dtype=np.float64)
        if lines.ndim != 1 or not lines.size:
            raise GridError("a grid needs at least one downbeat; leave them out to count bars from the first beat")
        nearest = np.abs(times[:, None] - lines[None, :]).argmin(axis=0)
        apart = np.abs(times[nearest] - lines)
        if not np.all(apart <= SAME_BEAT_SECONDS):
            at = int(np.argmax(~(apart <= SAME_BEAT_SECONDS)))
            raise GridError(f"the downbeat at {lines[at]:.3f} s has no beat within {SAME_BEAT_SECONDS * 1000:.0f} ms")
        if np.any(np.diff(nearest) <= 0):
            at = int(np.argmax(np.diff(nearest) <= 0))
            raise GridError(f"the downbeats at {lines[at]:.3f} and {lines[at + 1]:.3f} s are on one beat or go back")
        lengths = np.diff(nearest)
        metre = int(np.bincount(lengths).argmax()) if lengths.size else beats_per_bar
        index = np.arange(times.size)
        bar = np.searchsorted(nearest, index, side="right") - 1
        places = np.where(bar < 0, 0, index - nearest[np.maximum(bar, 0)]) + 1
        # no line bounds the beats after the last line and before the first: they go on in bars of the usual length
        last = int(nearest[-1])
        places[last:] = (index[last:] - last) % metre + 1
        first = int(nearest[0])
        places[:first] = (index[:first] - first) % metre + 1
        return cls(times, places, metre, confidence)

    @property
    def downbeats(self) -> FloatArray:
        """Times that open a bar, shape (n_bars,), seconds of track time."""
        opening: FloatArray = self.beats[self.positions == 1]
        return opening

    @property
    def downbeat_indices(self) -> IntArray:
        """Indices into `beats` of the beats that open a bar, shape (n_bars,)."""
        return np.flatnonzero(self.positions == 1).astype(np.int32)

    @property
    def tempo_bpm(self) -> float:
        """Beats a minute: 60 over the median beat interval; 0.0 where there are fewer than two beats."""
        if self.beats.size < 2:
            return 0.0
        return float(60.0 / np.median(np.diff(self.beats)))
