"""The JSON body of an alignment: where a track lands against the events of a video."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from workbench.results.body import Body, optional
from workbench.results.mix import MixBody

MOST_SYNC_POINTS = 12  # most placements in an answer about one track, and for each track of a stored lane


class SyncPointBody(Body, title="SyncPoint"):
    """One placement of the track under the video."""

    offset_seconds: float = Field(description="video time at which the track's own time 0 falls, s; may be negative")
    score: float = Field(ge=0, le=1, description="absolute: comparable between pairs")
    label: str = Field(description="the strongest coincidence, as `drop on the cut at 0:12.4`")


class AlignResult(Body):
    """Placements of one track under one video, best first."""

    video_id: str = Field(description="the video, as the request named it")
    track_id: str = Field(description="the track, as the request named it")
    job_id: str | SkipJsonSchema[None] = optional("only in a job's result")
    status: Literal["complete"] = Field(description="the work is done")
    cached: bool = Field(description="whether the placements were stored before")
    sync_points: list[SyncPointBody] = Field(max_length=MOST_SYNC_POINTS, description="best first, at least 1 s apart")
    mix: MixBody | None = Field(default=None, description="absent from a job's result without one, else null")


def align_result(
    points: Iterable[tuple[float, float, str]],
    *,
    video_id: str,
    track_id: str,
    job_id: str | None = None,
    cached: bool = True,
    mix: MixBody | None = None,
) -> AlignResult:
    """The body of placements, best first, at most `MOST_SYNC_POINTS`: offset in s, score from 0 to 1, and label.

    With a `job_id` it is a job's. Without a `mix`, null stands in the body, or the field is absent from a job's.
    """
    given: dict[str, Any] = {} if job_id is None else {"job_id": job_id}
    if mix is not None or job_id is None:
        given["mix"] = mix
    return AlignResult(
        video_id=video_id,
        track_id=track_id,
        status="complete",
        cached=cached,
        sync_points=[
            SyncPointBody(offset_seconds=round(offset, 6), score=round(score, 4), label=label)
            for offset, score, label in points
        ],
        **given,
    )
