"""The JSON body of a beat grid."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from workbench.beats.grid import BeatGrid
from workbench.results.body import Body, Count, optional


class BeatGridBody(Body, title="BeatGrid"):
    """Beats and downbeats of one recording."""

    job_id: str | SkipJsonSchema[None] = optional("only from the service")
    track_id: str | None = Field(description="echoes what was sent; null if nothing was")
    status: Literal["complete"] = Field(description="the work is done")
    duration_seconds: float = Field(ge=0, description="s")
    tempo_bpm: float = Field(ge=0, description="beats a minute, 0 without beats")
    beats: list[float] = Field(description="every beat, s from the start of the audio")
    downbeats: list[float] = Field(description="the beats that open a bar, s")
    billed_minutes: Count | SkipJsonSchema[None] = optional("minutes billed, at least one; only from the service")
    cached: bool = Field(description="whether the grid came from the cache")


def beat_grid_body(grid: BeatGrid, duration_seconds: float, *, track_id: str | None, cached: bool) -> BeatGridBody:
    """The body of a grid, which may be empty; the service adds its own fields."""
    return BeatGridBody(
        track_id=track_id,
        status="complete",
        duration_seconds=round(duration_seconds, 6),
        tempo_bpm=round(grid.tempo_bpm, 3),
        beats=[round(time, 6) for time in grid.beats.tolist()],
        downbeats=[round(time, 6) for time in grid.downbeats.tolist()],
        cached=cached,
    )
