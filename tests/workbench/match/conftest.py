"""Videos as facts, and catalogs of columns, for tests of ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.catalog.columns import Columns, empty_columns
from workbench.character.descriptors import CONTOUR_PARTS
from workbench.match.video_facts import Scene, VideoFacts, drive_of, movement_of, pace_of
from workbench.params import MatchParams

MakeVideo = Callable[..., VideoFacts]
MakeColumns = Callable[..., Columns]


def _video(
    seconds: float = 60.0,
    *,
    cuts: Sequence[float] | None = None,
    cuts_per_minute: float = 15.0,
    motion: Sequence[float] = (0.1,),
    brightness: float = 0.4,
    colourfulness: float = 0.1,
    speech: float = 0.0,
) -> VideoFacts:
    """A video with a scene for every given motion."""
    params = MatchParams()
    spacing = 60.0 / cuts_per_minute
    at = np.arange(spacing, seconds, spacing) if cuts is None else np.asarray(cuts, dtype=np.float64)
    edges = np.linspace(0.0, seconds, len(motion) + 1)
    pace = float(pace_of(60.0 * at.size / seconds, params))
    scenes = tuple(
        Scene(float(start), float(end), 60.0 * at.size / seconds, moved, brightness, colourfulness,
              float(drive_of(pace, movement_of(moved, params), params)))
        for start, end, moved in zip(edges[:-1], edges[1:], motion, strict=True)
    )  # fmt: skip
    mean = float(np.mean(motion))
    return VideoFacts(
        seconds, at, mean, brightness, colourfulness, 0.15, -35.0, speech, round(20 * speech),
        "voice" if speech else "ambient", scenes, pace, float(movement_of(mean, params)),
    )  # fmt: skip


def _columns(**numbers: Sequence[float]) -> Columns:
    """Tracks that are alike but for the columns given; `contour` takes a row a track."""
    rows = max(len(values) for values in numbers.values())
    usual = {
        "bpm": 110.0, "energy": 0.5, "brightness": 0.5, "density": 3.0, "mode": 0.5, "lufs": -14.0, "duration": 120.0,
        "vocals": 0.0, "drums": 0.5, "speech_band": 0.1, "loopable": 0.8, "dynamics": 6.0,
        "words_energy": np.nan, "words_valence": np.nan,
    }  # fmt: skip
    base = empty_columns(np.array([f"trk_{k:03d}" for k in range(rows)], dtype=object))
    given: dict[str, NDArray[Any]] = {
        name: np.asarray(numbers.get(name, [value] * rows), dtype=np.float32) for name, value in usual.items()
    }
    contour = np.asarray(numbers.get("contour", np.full((rows, CONTOUR_PARTS), 0.5)), dtype=np.float16)
    return replace(base, **given, beats_per_bar=np.full(rows, 4, dtype=np.int8), contour=contour)


@pytest.fixture
def make_video() -> MakeVideo:
    """`video(seconds, cuts_per_minute=…, motion=(a scene each), speech=…)` makes facts."""
    return _video


@pytest.fixture
def columns() -> MakeColumns:
    """`columns(bpm=[…], contour=[[…], …])` makes tracks that differ in what is given only."""
    return _columns
