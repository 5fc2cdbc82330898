"""The JSON body of an alignment, where a track lands against the events of a video; and placements read back from it.

An align result holds the placements of one track, and its mix. A match result holds those of ten tracks or more, if
they were asked for; a track is found in it by its id, or by its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.json_schema import SkipJsonSchema

from workbench.errors import Argument, PlanError
from workbench.results.body import Body, first_fault, optional
from workbench.results.mix import MixBody

MOST_SYNC_POINTS = 12  # most placements in an answer about one track, and for each track of a stored lane


class SyncPointBody(Body, title="SyncPoint"):
    """One placement of the track under the video."""

    offset_seconds: float = Field(description="video time at which the track's own time 0 falls, s; may be negative")
    score: float = Field(
        ge=0,
        le=1,
        description="absolute: comparable between pairs; under 0.3, down to 0, what meets may well be chance",
    )
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
    cached: bool = True,
    mix: MixBody | None = None,
) -> AlignResult:
    """The body of placements, best first, at most `MOST_SYNC_POINTS`: offset in s, score from 0 to 1, and label."""
    return AlignResult(
        video_id=video_id,
        track_id=track_id,
        status="complete",
        cached=cached,
        mix=mix,
        sync_points=[
            SyncPointBody(offset_seconds=round(offset, 6), score=round(score, 4), label=label)
            for offset, score, label in points
        ],
    )


_POINTS = TypeAdapter(list[SyncPointBody])


def has_placements(result: Mapping[str, Any]) -> bool:
    """Whether a result is one of align or match, and not of loop."""
    return "plan" not in result and ("sync_points" in result or "lane" in result)


def placements_of(result: Mapping[str, Any], track_id: str, audio_id: Callable[[], str]) -> list[SyncPointBody]:
    """The placements of a track, best first, at least one, from a result of align or match.

    The one track of align is taken under any id. `audio_id` computes the id of the track's bytes, and is called
    where a result of match has no such `track_id`. Raises `PlanError` if the track is not in the result, or its
    placements are missing or invalid.
    """
    if "lane" in result:
        holder, whose = _track_of(result["lane"], track_id, audio_id), f" of {track_id}"
        if "sync_points" not in holder:
            raise PlanError(
                "this match result has no placements: make it again by match with ", Argument("include_sync")
            )
    else:
        holder, whose = result, ""
    try:
        points = _POINTS.validate_python(holder["sync_points"])
    except ValidationError as error:
        raise PlanError(f"not a placement: {first_fault(error, 'sync_points')}") from error
    if not points:
        raise PlanError(
            f"there is no placement{whose} in this result: nothing of the track meets anything in the video"
        )
    return points


def named_track(result: Mapping[str, Any]) -> str | None:
    """The id of the track that a result is about: of a match or underscore result, its best; None for a bare plan."""
    tracks = _tracks(result["lane"]) if "lane" in result else [result]
    named = tracks[0].get("track_id") if tracks else None
    return named if isinstance(named, str) else None


def _tracks(lane: Any) -> list[Mapping[str, Any]]:
    """All tracks of a lane, best first."""
    lists = [lane.get(name) for name in ("matches", "candidate_pool")] if isinstance(lane, Mapping) else []
    return [track for some in lists if isinstance(some, list) for track in some if isinstance(track, Mapping)]


def _track_of(lane: Any, track_id: str, audio_id: Callable[[], str]) -> Mapping[str, Any]:
    """The track of a lane that has this id, or else these bytes."""
    tracks = _tracks(lane)
    found = [track for track in tracks if track.get("track_id") == track_id]
    if tracks and not found:
        found = [track for track in tracks if track.get("audio_id") == audio_id()]
    if found:
        return found[0]
    known = ", ".join(dict.fromkeys(str(track.get("track_id")) for track in tracks)) or "none at all"
    raise PlanError(f"the track {track_id} is not in this match result, which has {known}")
