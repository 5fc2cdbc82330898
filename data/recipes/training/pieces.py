"""Training pieces on disk: what the network hears of each, and where its beats are.

One `NAME.npz` a piece: `levels` (n_frames, N_BANDS) and `changes` (n_frames, N_CHANGES) as bytes, `beats` in seconds,
`positions`, `bar_beats` and `division` as `performing.Performance` has them, `about` as JSON. Bytes resolve 0.35 dB and
0.4 % of a change; 23 hours of music take half a gigabyte, so a training set is read into memory whole.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.beats.hearing import FLOOR_DB, TOP_DB, heard_changes, heard_levels
from workbench.features.spectrum import analyze_spectrum


@dataclass(frozen=True, eq=False)
class Truth:
    """Where the beats are."""

    beats: NDArray[np.float64]
    """shape (n_beats,), s; none in a piece without a pulse"""
    positions: NDArray[np.int64]
    bar_beats: NDArray[np.int64]
    division: int


@dataclass(frozen=True, eq=False)
class LoadedPiece:
    """One piece as it lies in memory."""

    levels: NDArray[np.uint8]
    changes: NDArray[np.uint8]
    truth: Truth
    about: dict[str, object]


def hear(sound: NDArray[np.float32], rate: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Levels and changes of a sound of shape (n, channels), as bytes."""
    spectrum = analyze_spectrum(np.ascontiguousarray(sound.T), rate)
    levels = (heard_levels(spectrum) - FLOOR_DB) * (255.0 / (TOP_DB - FLOOR_DB))
    changes = heard_changes(spectrum) * 255.0
    return _bytes(levels), _bytes(changes)


def decibels(levels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Bytes back to dB."""
    return levels.astype(np.float32) * np.float32((TOP_DB - FLOOR_DB) / 255.0) + np.float32(FLOOR_DB)


def write(path: Path, sound: NDArray[np.float32], rate: int, truth: Truth, about: dict[str, object]) -> None:
    """Analyse a piece and keep what a training needs of it; whole or not at all."""
    levels, changes = hear(sound, rate)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez_compressed(
            file,
            levels=levels,
            changes=changes,
            beats=truth.beats,
            positions=truth.positions.astype(np.int8),
            bar_beats=truth.bar_beats.astype(np.int8),
            division=np.int8(truth.division),
            about=np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8),
        )
    part.replace(path)


def read(path: Path) -> LoadedPiece:
    """One piece."""
    with np.load(path) as packed:
        truth = Truth(
            packed["beats"],
            packed["positions"].astype(np.int64),
            packed["bar_beats"].astype(np.int64),
            int(packed["division"]),
        )
        return LoadedPiece(packed["levels"], packed["changes"], truth, json.loads(packed["about"].tobytes()))


def _bytes(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.clip(np.round(values), 0, 255).astype(np.uint8)
