"""The JSON bodies of match and underscore: a lane of tracks, lean or full.

A stored body holds everything: full tracks, the candidate pool, twelve sync points each. `select` chooses what one
answer shows of it (`expand`, the number of sync points, previews); it works on plain data, so that a server that
answers from its database needs neither numpy nor the catalog.

A measured field whose value is unknown is left out; `catalog_song_id` and `catalog_audio_file_id` are null then. Of
what a catalog may say of a track, `explicit` is false and `artist_name`, `description` and `artist_image_url` are empty
where it says nothing; `title` is then the name of the file.

Functions: `lane_body` writes a lane; `select` trims a stored one; `match_result`, `underscore_result` wrap it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from workbench.results.align import MOST_SYNC_POINTS, SyncPointBody
from workbench.results.body import Body, NonNegative, Positive, Share, optional

if TYPE_CHECKING:
    from workbench.matching.lane import Lane, Match

MAX_SCRIPT, MAX_BRIEF = 7000, 500  # characters of a request

Category: TypeAlias = Literal["pace", "energy", "mood", "voice", "length", "sync"]  # the topic of a reason of match


class ReasonBody(Body, title="MatchReason"):
    """One fact that moved the score."""

    video: str = Field(description="what was measured of the video, asked in the brief or read in the script")
    audio: str = Field(description="what was measured of the track")
    score: float = Field(ge=0, le=1, description="how well both go together in this respect")
    category: Category | SkipJsonSchema[None] = optional(
        "what it is about; absent in underscore results, and where a brief alone says it"
    )


class PreviewBody(Body, title="Preview"):
    """The address of an excerpt."""

    url: str = Field(description="signed, needs no key")
    expires_at: str = Field(description="ISO 8601, UTC")
    format: Literal["mp3"] = Field(description="of the excerpt")
    duration_seconds: float = Field(ge=0, description="length of the excerpt, s")


class TrackBody(Body, title="LaneTrack"):
    """One track of a lane; full ones have more of the fields."""

    track_id: str = Field(description="to name it in align and loop")
    audio_id: str = Field(description="equal for equal bytes")
    catalog_song_id: str | None = Field(description="the work; null where unknown")
    catalog_audio_file_id: str | None = Field(description="the audio file to fetch; null where unknown")
    title: str | SkipJsonSchema[None] = optional("title of the track, else its file's name")
    artist_name: str | SkipJsonSchema[None] = optional("who plays it; empty where that is not known")
    score: float = Field(ge=0, le=1, description="absolute: the pair scores the same in any catalog")
    bpm: Positive | SkipJsonSchema[None] = optional("beats a minute")
    instrumental: bool | SkipJsonSchema[None] = optional("whether nobody sings or speaks")
    duration_seconds: NonNegative | SkipJsonSchema[None] = optional("decoded length, s")
    match_map: list[ReasonBody] = Field(description="why it fits: what moved the score most comes first")
    sync_status: Literal["warm", "cold"] | SkipJsonSchema[None] = optional(
        "whether sync points are computed and kept; only where sync was asked for"
    )
    sync_points: Annotated[list[SyncPointBody], Field(max_length=MOST_SYNC_POINTS)] | SkipJsonSchema[None] = optional(
        "best first; only where sync was asked for"
    )
    artist_image_url: str | SkipJsonSchema[None] = optional("empty where there is none; only with expand=full")
    description: str | SkipJsonSchema[None] = optional("empty where there is none; only with expand=full")
    energy: Share | SkipJsonSchema[None] = optional("0 to 1; only with expand=full")
    musical_key_name: str | SkipJsonSchema[None] = optional("tonic, as `F#`; only with expand=full")
    musical_key_mode: Literal["major", "minor"] | SkipJsonSchema[None] = optional("only with expand=full")
    explicit: bool | SkipJsonSchema[None] = optional("false where the catalog does not say; only with expand=full")
    matched_tags: list[str] | SkipJsonSchema[None] = optional("tags that retrieval matched; only with expand=full")
    fit_explanation: str | SkipJsonSchema[None] = optional("why it fits, one sentence; only with expand=full")
    preview: PreviewBody | SkipJsonSchema[None] = optional("only for accounts that were granted previews")


class LaneBody(Body, title="Lane"):
    """What is put forward, best first."""

    title: str = Field(description="what was looked for, in a few words")
    reasoning: str = Field(description="what was weighed, in words")
    matches: list[TrackBody] = Field(
        max_length=10, description="by score: first what meets the rules of the brief, last what breaks one"
    )
    candidate_pool: Annotated[list[TrackBody], Field(max_length=50)] | SkipJsonSchema[None] = optional(
        "in the same order, the matches among them; only with expand=full"
    )


class MatchResult(Body):
    """Tracks for a video."""

    video_id: str = Field(description="the video, as the request named it")
    job_id: str | SkipJsonSchema[None] = optional("only in a job's result")
    status: Literal["complete"] = Field(description="the work is done")
    lane: LaneBody = Field(description="the tracks")


class UnderscoreResult(Body):
    """Tracks for a script."""

    lane: LaneBody = Field(description="the tracks")


_FULL_ONLY = frozenset(
    (
        "artist_image_url", "description", "energy", "musical_key_name", "musical_key_mode", "explicit",
        "matched_tags", "fit_explanation",
    )
)  # fmt: skip
_SYNC_ONLY = frozenset(("sync_status", "sync_points"))


def lane_body(lane: Lane, expand_full: bool, with_sync: int | None) -> LaneBody:
    """The body of a lane as one answer shows it, without previews; see `select`."""
    whole = LaneBody(
        title=lane.title,
        reasoning=lane.reasoning,
        matches=[_track_body(match) for match in lane.matches],
        candidate_pool=[_track_body(match) for match in lane.candidate_pool],
    )
    return LaneBody.model_validate(select(whole.to_json(), expand_full, with_sync))


def select(
    stored: Mapping[str, Any],
    expand_full: bool,
    sync: int | None,
    preview: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """What one answer shows of the JSON of a stored lane, which has full tracks, the pool and twelve sync points each.

    `expand_full` shows all fields of tracks, and the candidate pool; `sync` says how many sync points each track shows,
    None also leaves out the sync status. `preview` is by track id; tracks that it does not name have none.
    """

    def shown(track: Mapping[str, Any]) -> dict[str, Any]:
        hidden = (frozenset() if expand_full else _FULL_ONLY) | (_SYNC_ONLY if sync is None else frozenset())
        shown = {name: value for name, value in track.items() if name not in hidden}
        if sync is not None and "sync_points" in shown:
            shown["sync_points"] = shown["sync_points"][:sync]
        if preview is not None and track["track_id"] in preview:
            shown["preview"] = dict(preview[track["track_id"]])
        return shown

    lane: dict[str, Any] = {
        "title": stored["title"],
        "reasoning": stored["reasoning"],
        "matches": [shown(track) for track in stored["matches"]],
    }
    if expand_full:
        lane["candidate_pool"] = [shown(track) for track in stored.get("candidate_pool", ())]
    return lane


def match_result(lane: LaneBody, *, video_id: str) -> MatchResult:
    """The body of a match."""
    return MatchResult(video_id=video_id, status="complete", lane=lane)


def underscore_result(lane: LaneBody) -> UnderscoreResult:
    """The body of an underscore."""
    return UnderscoreResult(lane=lane)


def _track_body(match: Match) -> TrackBody:
    """The body of a match, with everything that is known of it."""
    track = match.track
    known: dict[str, Any] = {
        "title": track.called,
        "artist_name": track.artist_name or "",
        "bpm": _rounded(track.bpm, 2),
        "instrumental": track.instrumental,
        "duration_seconds": _rounded(track.duration_seconds, 6),
        "artist_image_url": track.artist_image_url or "",
        "description": track.description or "",
        "energy": _rounded(track.energy, 4),
        "musical_key_name": track.musical_key_name,
        "musical_key_mode": track.musical_key_mode,
        "explicit": bool(track.explicit),
        "fit_explanation": match.fit_explanation or None,
        "sync_status": match.sync_status,
    }
    given = {name: value for name, value in known.items() if value is not None}
    if match.sync_status is not None:
        given["sync_points"] = [
            SyncPointBody(offset_seconds=round(point.offset_seconds, 6), score=round(point.score, 4), label=point.label)
            for point in (match.sync or ())[:MOST_SYNC_POINTS]
        ]
    return TrackBody(
        track_id=track.track_id,
        audio_id=track.audio_id,
        catalog_song_id=track.catalog_song_id,
        catalog_audio_file_id=track.catalog_audio_file_id,
        score=round(match.score, 4),
        match_map=[_reason_body(reason.video, reason.audio, reason.score, reason.category) for reason in match.reasons],
        matched_tags=list(match.matched_tags),
        **given,
    )


def _reason_body(video: str, audio: str, score: float, category: str | None) -> ReasonBody:
    given: dict[str, Any] = {} if category is None else {"category": category}
    return ReasonBody(video=video, audio=audio, score=round(score, 4), **given)


def _rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals)


def with_records(body: dict[str, Any], lane: Lane) -> dict[str, Any]:
    """A body of match or underscore with the file and the credits of its tracks, as the command line prints it."""
    records = {found.track.track_id: found.track for found in (*lane.matches, *lane.candidate_pool)}
    for track in (*body["lane"]["matches"], *body["lane"].get("candidate_pool", ())):
        record = records[track["track_id"]]
        track |= {"path": str(record.path), **record.credits}
    return body
