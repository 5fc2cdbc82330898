"""A grid that is being corrected on the Beats tab, kept with its project until it becomes the track's grid.

Each correction is a step of the project's history; a reload, another window or a restart has them all.

Classes: `GridDraft`. Functions: `draft_record`, `read_draft`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.errors import GridError

if TYPE_CHECKING:
    from pydantic import JsonValue


@dataclass(frozen=True, slots=True, eq=False)
class GridDraft:
    """A grid that was corrected and is not saved."""

    content_hash: str
    """SHA-256 of the track's bytes, hex"""
    grid: BeatGrid
    corrections: tuple[str, ...]
    """in words, the latest last"""


def draft_record(draft: GridDraft | None) -> dict[str, JsonValue] | None:
    """A draft as a project keeps it."""
    if draft is None:
        return None
    return {
        "content_hash": draft.content_hash,
        "beats": draft.grid.beats.tolist(),
        "positions": draft.grid.positions.tolist(),
        "beats_per_bar": draft.grid.beats_per_bar,
        "corrections": list(draft.corrections),
    }


def read_draft(record: Any) -> GridDraft | None:
    """A draft, from what a project keeps.

    `record`: as `draft_record` made it; None, or one that another version wrote and this cannot read: nothing.
    """
    if not isinstance(record, Mapping):
        return None
    with suppress(GridError, KeyError, TypeError, ValueError):
        positions = np.array(record["positions"], dtype=np.int32)
        grid = BeatGrid(np.array(record["beats"], dtype=np.float64), positions, int(record["beats_per_bar"]))
        return GridDraft(str(record["content_hash"]), grid, tuple(str(words) for words in record["corrections"]))
    return None
