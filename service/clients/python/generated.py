"""Types, operations and errors of the service, version 1.0.0. Written by python -m service.clients.generate; do not edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Never, NotRequired, TypeAlias, TypedDict, Unpack, cast
from urllib.parse import quote

from .errors import ApiError


class InvalidRequestError(ApiError):
    """`error.type` is `invalid_request`."""


class AuthenticationError(ApiError):
    """`error.type` is `authentication_error`."""


class PaymentRequiredError(ApiError):
    """`error.type` is `payment_required`."""


class ForbiddenError(ApiError):
    """`error.type` is `forbidden`."""


class NotFoundError(ApiError):
    """`error.type` is `not_found`."""


class ConflictError(ApiError):
    """`error.type` is `conflict`."""


class PayloadTooLargeError(ApiError):
    """`error.type` is `payload_too_large`."""


class UnsupportedMediaTypeError(ApiError):
    """`error.type` is `unsupported_media_type`."""


class RateLimitedError(ApiError):
    """`error.type` is `rate_limited`."""


class InternalError(ApiError):
    """`error.type` is `internal_error`."""


class UpstreamError(ApiError):
    """`error.type` is `upstream_error`."""


class ServiceUnavailableError(ApiError):
    """`error.type` is `service_unavailable`."""


ERRORS: Mapping[str, type[ApiError]] = {
    "invalid_request": InvalidRequestError,
    "authentication_error": AuthenticationError,
    "payment_required": PaymentRequiredError,
    "forbidden": ForbiddenError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "payload_too_large": PayloadTooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "rate_limited": RateLimitedError,
    "internal_error": InternalError,
    "upstream_error": UpstreamError,
    "service_unavailable": ServiceUnavailableError,
}
"""by `error.type`"""


class AlignJob(TypedDict):
    """Placements that are being computed."""

    job_id: str
    """names the job"""
    status: Literal["processing"]
    """the work is not done yet"""
    poll: str
    """path to ask at until the work is done"""
    video_id: str
    """the video, as the request named it"""
    track_id: str
    """the track, as the request named it"""
    next: str
    """what to do, in words"""


class AlignRequest(TypedDict):
    """Place a track under a video."""

    video_id: str
    """a video of the caller, or a shared one"""
    track_id: str
    """a track of the catalog"""
    auto_mix: NotRequired[bool]
    """also return a mix: how far the music is lowered under speech"""


class AlignResult(TypedDict):
    """Placements of one track under one video, best first."""

    video_id: str
    """the video, as the request named it"""
    track_id: str
    """the track, as the request named it"""
    job_id: NotRequired[str]
    """only in a job's result"""
    status: Literal["complete"]
    """the work is done"""
    cached: bool
    """whether the placements were stored before"""
    sync_points: list[SyncPoint]
    """best first, at least 1 s apart"""
    mix: NotRequired[Mix | None]
    """absent from a job's result without one, else null"""


class BeatGrid(TypedDict):
    """Beats and downbeats of one recording."""

    job_id: NotRequired[str]
    """only from the service"""
    track_id: str | None
    """echoes what was sent; null if nothing was"""
    status: Literal["complete"]
    """the work is done"""
    duration_seconds: float
    """s"""
    tempo_bpm: float
    """beats a minute, 0 without beats"""
    beats: list[float]
    """every beat, s from the start of the audio"""
    downbeats: list[float]
    """the beats that open a bar, s"""
    billed_minutes: NotRequired[int]
    """minutes billed, at least one; only from the service"""
    cached: bool
    """whether the grid came from the cache"""


class BeatsJob(TypedDict):
    """A beat grid that is being computed."""

    job_id: str
    """names the job"""
    status: Literal["processing"]
    """the work is not done yet"""
    poll: str
    """path to ask at until the work is done"""
    track_id: str | None
    """echoes what was sent; null if nothing was"""
    stage: Literal["queued", "fetching", "decoding", "analyzing"]
    """what is being done"""


class BeatsRequest(TypedDict):
    """Map the beats of a sound file."""

    audio_url: str
    """public https address"""
    track_id: NotRequired[str | None]
    """echoed"""


class BillingEvent(TypedDict):
    """One webhook's body; fields that we do not know are ignored."""

    type: str
    """payment_method.attached or payment_method.detached; credit.granted, credit.expired or spend_cap.set; an event of any other type is answered 200, logged and ignored"""
    timestamp: NotRequired[str | None]
    """when it happened; what an event sets is not changed by one that happened before; without a zone it is UTC"""
    data: EventData
    """the account and the amount"""


class Duck(TypedDict):
    """How far the music goes down, and when."""

    envelope_points: list[list[float]]
    """[video s, dB to pull the music down, positive], s increasing"""
    envelope_hz: int
    """grid on which the curve was sampled; not needed to render"""
    speech_ranges: list[list[float]]
    """[start, end] of speech, video s, sorted and disjoint"""
    depth_db: float
    """maximum of the curve, dB"""
    attack_ms: int
    """nominal time of the fade down into speech"""
    release_ms: int
    """nominal time of the fade up after it"""


class Error(TypedDict):
    """Body of every error."""

    error: ErrorFacts
    """what went wrong"""


class ErrorDetail(TypedDict):
    """One invalid field."""

    field: str
    """path of the field, as `data.account`; `body` for the body as a whole"""
    message: str
    """what is wrong with it, in words"""
    type: str
    """kind of the problem, as `missing` or `string_type`"""


class ErrorFacts(TypedDict):
    """What went wrong."""

    type: Literal["invalid_request", "authentication_error", "payment_required", "forbidden", "not_found", "conflict", "payload_too_large", "unsupported_media_type", "rate_limited", "internal_error", "upstream_error", "service_unavailable", "error"]
    """stable; branch on it, not on the message"""
    message: str
    """one sentence for a person"""
    request_id: str | None
    """as the X-Request-Id header"""
    details: NotRequired[list[ErrorDetail]]
    """on a request that failed validation"""


class EventData(TypedDict):
    """The account of an event, and its amount."""

    account: str
    """whom the event concerns"""
    amount_usd: NotRequired[float | str | None]
    """of credit.granted and spend_cap.set, USD"""
    expires_at: NotRequired[str | None]
    """of credit.granted: when it ends; of credit.expired: ends the grants due by then; without it, all but those that a credit.granted with a later timestamp granted; without a zone it is UTC"""


class IngestRequest(TypedDict):
    """Start to process an uploaded video."""

    storage_key: str
    """as the upload target named it"""


class Lane(TypedDict):
    """What is put forward, best first."""

    title: str
    """what was looked for, in a few words"""
    reasoning: str
    """what was weighed, in words"""
    matches: list[LaneTrack]
    """by score: first what meets the rules of the brief, last what breaks one"""
    candidate_pool: NotRequired[list[LaneTrack]]
    """in the same order, the matches among them; only with expand=full"""


class LaneTrack(TypedDict):
    """One track of a lane; full ones have more of the fields."""

    track_id: str
    """to name it in align and loop"""
    audio_id: str
    """equal for equal bytes"""
    catalog_song_id: str | None
    """the work; null where unknown"""
    catalog_audio_file_id: str | None
    """the audio file to fetch; null where unknown"""
    title: NotRequired[str]
    """title of the track, else its file's name"""
    artist_name: NotRequired[str]
    """who plays it; empty where that is not known"""
    score: float
    """absolute: the pair scores the same in any catalog"""
    bpm: NotRequired[float]
    """beats a minute"""
    instrumental: NotRequired[bool]
    """whether nobody sings or speaks"""
    duration_seconds: NotRequired[float]
    """decoded length, s"""
    match_map: list[MatchReason]
    """why it fits: what moved the score most comes first"""
    sync_status: NotRequired[Literal["warm", "cold"]]
    """whether sync points are computed and kept; only where sync was asked for"""
    sync_points: NotRequired[list[SyncPoint]]
    """best first; only where sync was asked for"""
    artist_image_url: NotRequired[str]
    """empty where there is none; only with expand=full"""
    description: NotRequired[str]
    """empty where there is none; only with expand=full"""
    energy: NotRequired[float]
    """0 to 1; only with expand=full"""
    musical_key_name: NotRequired[str]
    """tonic, as `F#`; only with expand=full"""
    musical_key_mode: NotRequired[Literal["major", "minor"]]
    """only with expand=full"""
    explicit: NotRequired[bool]
    """false where the catalog does not say; only with expand=full"""
    matched_tags: NotRequired[list[str]]
    """tags that retrieval matched; only with expand=full"""
    fit_explanation: NotRequired[str]
    """why it fits, one sentence; only with expand=full"""
    preview: NotRequired[Preview]
    """only for accounts that were granted previews"""


class LoopAlternate(TypedDict):
    """Summary of an option that is not served."""

    loop_start_a: float
    """start of the body that plays longest, track s"""
    loop_end_b: float
    """its end, track s"""
    bars: int
    """its length in whole bars"""
    repeats: int
    """passes that play in full"""
    seam_score: float
    """of the worst seam"""
    plan_score: float
    """ranking score"""
    end_label: str
    """how the plan ends, in words"""


class LoopJob(TypedDict):
    """A loop that is being computed."""

    job_id: str
    """names the job"""
    status: Literal["processing"]
    """the work is not done yet"""
    poll: str
    """path to ask at until the work is done"""
    video_id: str
    """the video, as the request named it"""
    track_id: str
    """the track, as the request named it"""
    next: str
    """what to do, in words"""


class LoopJobResultFacts(TypedDict):
    """A finished loop job: the loop's result, and the job's id."""

    video_id: str
    """the video, as the request named it"""
    track_id: str
    """the track, as the request named it"""
    track: TrackRef
    """where the caller's catalog has the track"""
    hint: NotRequired[str]
    """the reason in words and what to do; only where not applicable"""
    retryable: NotRequired[bool]
    """whether to call again in a few seconds; only where not applicable"""
    mix: NotRequired[Mix]
    """only where asked for, applicable and measured"""
    job_id: str
    """of the job whose result this is"""
    status: Literal["complete"]
    """the work is done"""


class ApplicableLoopJobResult(LoopJobResultFacts):
    """A finished loop job: the loop's result, and the job's id."""

    applicable: Literal[True]
    """false where there is nothing to loop"""
    plan: LoopPlan
    """the plan, or why there is none"""


class RefusedLoopJobResult(LoopJobResultFacts):
    """A finished loop job: the loop's result, and the job's id."""

    applicable: Literal[False]
    """false where there is nothing to loop"""
    plan: LoopRefusal
    """the plan, or why there is none"""


LoopJobResult: TypeAlias = ApplicableLoopJobResult | RefusedLoopJobResult
"""A finished loop job: the loop's result, and the job's id."""


class LoopOption(TypedDict):
    """One whole plan."""

    applicable: Literal[True]
    """true: this can be played"""
    reason: None
    """null in a plan that can be played"""
    version: int
    """plan-format version"""
    segments: list[LoopSegment]
    """track ranges played back to back; authoritative"""
    seam_fades: list[float]
    """crossfade at each splice, s"""
    seam_curves: list[float]
    """gain-law exponent at each splice, 0.5 equal power to 1.0 linear"""
    gain_glide_seconds: float
    """s from gain_in_db to gain_db"""
    music_in: float
    """where the music starts, video s"""
    music_out: float
    """end of the video, video s"""
    window_end: float
    """end of the video, video s"""
    music_end: float
    """where the music resolves, video s"""
    tail_seconds: float
    """s from music_end to window_end, absorbed by the end fade"""
    song_start: float
    """the first song_from, track s"""
    song_duration: float
    """length of the track, s"""
    loop_start_a: float
    """start of the body that plays longest, track s"""
    loop_end_b: float
    """its end, track s"""
    bars: int
    """its length in whole bars"""
    beats_per_bar: int
    """of the prevailing metre"""
    repeats: int
    """passes of that body that play in full, the first included"""
    seam_score: float
    """of the worst seam"""
    seam_times: list[float]
    """where the splices fall, video s"""
    sections_covered: list[str]
    """names of the sections that play, in order of first use"""
    end_label: str
    """how the plan ends, in words"""
    outro_start: NotRequired[float]
    """track s; only where the plan resolves on a come-down outro"""
    outro_end: NotRequired[float]
    """track s; only where the plan resolves on a come-down outro"""
    start_fade_seconds: float
    """s of fade at the start"""
    end_fade_seconds: float
    """s of fade that ends at window_end"""
    plan_score: float
    """ranking score; informational"""


class LoopPlan(TypedDict):
    """The served plan and its alternatives.

To play it at the track's rate: segments are laid end to end from `music_in`, each at the sample nearest to its time
in the video. A crossfade of `seam_fades[k]` seconds is centred on `seam_times[k]`: the track plays on past
`song_to` and begins before `song_from` by half of it; with x from 0 to 1 over it and p = `seam_curves[k]`, what
enters has the gain x^p, what leaves (1-x)^p. A segment moves from `gain_in_db` to `gain_db` in
`gain_glide_seconds`, linear in dB, and holds before its start and after its end. Both ends are raised cosines,
over `start_fade_seconds` from `music_in` and `end_fade_seconds` up to `window_end`. In a mix the soundtrack plays
at `video_gain_db` and the music at `music_gain_db` less the `envelope_points`, linear in dB between points and held
outside; the sum is limited at -1 dBTP. Without a mix nothing is limited."""

    applicable: Literal[True]
    """true: this can be played"""
    reason: None
    """null in a plan that can be played"""
    version: int
    """plan-format version"""
    segments: list[LoopSegment]
    """track ranges played back to back; authoritative"""
    seam_fades: list[float]
    """crossfade at each splice, s"""
    seam_curves: list[float]
    """gain-law exponent at each splice, 0.5 equal power to 1.0 linear"""
    gain_glide_seconds: float
    """s from gain_in_db to gain_db"""
    music_in: float
    """where the music starts, video s"""
    music_out: float
    """end of the video, video s"""
    window_end: float
    """end of the video, video s"""
    music_end: float
    """where the music resolves, video s"""
    tail_seconds: float
    """s from music_end to window_end, absorbed by the end fade"""
    song_start: float
    """the first song_from, track s"""
    song_duration: float
    """length of the track, s"""
    loop_start_a: float
    """start of the body that plays longest, track s"""
    loop_end_b: float
    """its end, track s"""
    bars: int
    """its length in whole bars"""
    beats_per_bar: int
    """of the prevailing metre"""
    repeats: int
    """passes of that body that play in full, the first included"""
    seam_score: float
    """of the worst seam"""
    seam_times: list[float]
    """where the splices fall, video s"""
    sections_covered: list[str]
    """names of the sections that play, in order of first use"""
    end_label: str
    """how the plan ends, in words"""
    outro_start: NotRequired[float]
    """track s; only where the plan resolves on a come-down outro"""
    outro_end: NotRequired[float]
    """track s; only where the plan resolves on a come-down outro"""
    start_fade_seconds: float
    """s of fade at the start"""
    end_fade_seconds: float
    """s of fade that ends at window_end"""
    plan_score: float
    """ranking score; informational"""
    options: NotRequired[list[LoopOption]]
    """up to four plans, best first, the first equal to this one"""
    alternates: NotRequired[list[LoopAlternate]]
    """summary of the other options"""


class LoopRefusal(TypedDict):
    """No plan."""

    applicable: Literal[False]
    """false: there is nothing to loop"""
    reason: Literal["video_not_longer", "low_confidence", "no_viable_loop", "no_loop_profile", "timeout", "profile_error", "missing_profile", "audio_unavailable"]
    """why not"""
    video_seconds: NotRequired[float]
    """length of the video, s; with video_not_longer"""
    track_seconds: NotRequired[float]
    """length of the track, s; with video_not_longer"""
    required_excess_seconds: NotRequired[float]
    """s by which the video must be longer; with video_not_longer"""


class LoopRequest(TypedDict):
    """Cover a video with a track."""

    video_id: str
    """a video of the caller, or a shared one"""
    track_id: str
    """a track of the catalog"""
    auto_mix: NotRequired[bool]
    """also return a mix: how far the music is lowered under speech"""


class LoopResultFacts(TypedDict):
    """A loop of one track under one video."""

    video_id: str
    """the video, as the request named it"""
    track_id: str
    """the track, as the request named it"""
    track: TrackRef
    """where the caller's catalog has the track"""
    hint: NotRequired[str]
    """the reason in words and what to do; only where not applicable"""
    retryable: NotRequired[bool]
    """whether to call again in a few seconds; only where not applicable"""
    mix: NotRequired[Mix]
    """only where asked for, applicable and measured"""
    job_id: NotRequired[Never]
    """always absent"""


class ApplicableLoopResult(LoopResultFacts):
    """A loop of one track under one video."""

    applicable: Literal[True]
    """false where there is nothing to loop"""
    plan: LoopPlan
    """the plan, or why there is none"""


class RefusedLoopResult(LoopResultFacts):
    """A loop of one track under one video."""

    applicable: Literal[False]
    """false where there is nothing to loop"""
    plan: LoopRefusal
    """the plan, or why there is none"""


LoopResult: TypeAlias = ApplicableLoopResult | RefusedLoopResult
"""A loop of one track under one video."""


class LoopSegment(TypedDict):
    """A range of the track, played once."""

    song_from: float
    """start in the track, s"""
    song_to: float
    """end in the track, s"""
    gain_db: float
    """level it plays at, dB"""
    gain_in_db: float
    """level it starts at, gliding to gain_db, dB"""


class MatchJob(TypedDict):
    """A ranking that is being computed."""

    job_id: str
    """names the job"""
    status: Literal["processing"]
    """the work is not done yet"""
    poll: str
    """path to ask at until the work is done"""
    video_id: str
    """the video, as the request named it"""
    next: str
    """what to do, in words"""


class MatchReason(TypedDict):
    """One fact that moved the score."""

    video: str
    """what was measured of the video, asked in the brief or read in the script"""
    audio: str
    """what was measured of the track"""
    score: float
    """how well both go together in this respect"""
    category: NotRequired[Literal["pace", "energy", "mood", "voice", "length", "sync"]]
    """what it is about; absent in underscore results, and where a brief alone says it"""


class MatchRequest(TypedDict):
    """Rank the catalog against a video: one that was ingested, or one to be fetched."""

    video_id: NotRequired[str]
    """a video of the caller, or a shared one"""
    video_url: NotRequired[str]
    """public https address of a video to ingest first"""
    brief: NotRequired[str | None]
    """what the video is like or the music should be, in plain words"""
    include_sync: NotRequired[bool]
    """also say where each track lands"""
    sync_points_per_track: NotRequired[int]
    """sync points of each track"""


class MatchResult(TypedDict):
    """Tracks for a video."""

    video_id: str
    """the video, as the request named it"""
    job_id: NotRequired[str]
    """only in a job's result"""
    status: Literal["complete"]
    """the work is done"""
    lane: Lane
    """the tracks"""


class Mix(TypedDict):
    """Levels for a video of soundtrack and music."""

    voiceover: bool
    """whether there is a sustained, measured voice to duck under"""
    classification: Literal["voice", "ambient", "silent", "none"]
    """the video's own sound"""
    music_gain_db: NotRequired[float]
    """dB for the music; only with a voiceover"""
    video_gain_db: NotRequired[float]
    """dB for the soundtrack; only with a voiceover"""
    duck: Duck | None
    """null without a voiceover, unless music gives way to the video's own"""


class Preview(TypedDict):
    """The address of an excerpt."""

    url: str
    """signed, needs no key"""
    expires_at: str
    """ISO 8601, UTC"""
    format: Literal["mp3"]
    """of the excerpt"""
    duration_seconds: float
    """length of the excerpt, s"""


class SyncPoint(TypedDict):
    """One placement of the track under the video."""

    offset_seconds: float
    """video time at which the track's own time 0 falls, s; may be negative"""
    score: float
    """absolute: comparable between pairs; under 0.3, down to 0, what meets may well be chance"""
    label: str
    """the strongest coincidence, as `drop on the cut at 0:12.4`"""


class TrackRef(TypedDict):
    """Where the caller's catalog has the track."""

    catalog_song_id: str | None
    """the work; null where unknown"""
    catalog_audio_file_id: str | None
    """the audio file to fetch; null where unknown"""


class UnderscoreRequest(TypedDict):
    """Rank the catalog against a script."""

    script: str
    """what is said or shown"""
    platform: NotRequired[str | None]
    """where it is published: tiktok, reels, shorts, linkedin, youtube, or any other"""
    brief: NotRequired[str | None]
    """what the music should be like, in plain words"""


class UnderscoreResult(TypedDict):
    """Tracks for a script."""

    lane: Lane
    """the tracks"""


class UploadReceipt(TypedDict):
    """The upload is complete and stored."""

    storage_key: str
    """to send to the ingest endpoint"""
    bytes: int
    """how many have arrived"""


class UploadTarget(TypedDict):
    """Where to send the bytes of a video."""

    video_id: str
    """to name the video in later calls"""
    upload_url: str
    """absolute; signed, needs no key"""
    method: Literal["PUT"]
    """to send the bytes with"""
    headers: dict[str, str]
    """to send with the bytes"""
    storage_key: str
    """to send to the ingest endpoint afterwards"""
    expires_at: str
    """ISO 8601, UTC"""


class VideoJob(TypedDict):
    """A video that is being ingested; it has no job_id."""

    video_id: str
    """to name the video in later calls"""
    status: Literal["processing", "ready", "failed"]
    """how far it is"""
    poll: str
    """/v1/videos/{video_id}"""
    next: NotRequired[str]
    """what to do once ready; only from match with a video_url"""
    job_id: NotRequired[Never]
    """always absent"""


class VideoRecord(TypedDict):
    """How far the ingest of a video is."""

    video_id: str
    """to name the video in later calls"""
    status: Literal["processing", "ready", "failed"]
    """how far it is"""
    ready: bool
    """whether it can be used"""
    title: str
    """from its metadata, else the name of its file"""
    reason: NotRequired[str]
    """why it failed; it stays so: send it again as a new video"""


class VideoRequest(TypedDict):
    """Ingest a video: from an address, or as an upload."""

    video_url: NotRequired[str]
    """public https address to fetch the video from"""
    filename: NotRequired[str]
    """name of the file to upload; the answer says where to"""
    content_type: NotRequired[str]
    """media type of the upload, as video/mp4; goes with filename only"""


class Call(TypedDict, total=False):
    """What a call sends."""

    body: Mapping[str, Any]
    query: Mapping[str, Any]
    idempotency_key: str | None


class Operations:
    """One method an operation."""

    def _call(self, method: str, path: str, **call: Unpack[Call]) -> Any:
        raise NotImplementedError

    def _complete(self, method: str, path: str, timeout: float, **call: Unpack[Call]) -> Any:
        raise NotImplementedError

    def create_video(self, **body: Unpack[VideoRequest]) -> UploadTarget | VideoJob:
        """Ingest a video: from an address, or as an upload."""
        return cast(UploadTarget | VideoJob, self._call("POST", "/v1/videos", body=cast(Mapping[str, Any], body)))

    def ingest_video(self, video_id: str, **body: Unpack[IngestRequest]) -> VideoJob:
        """Start to process an uploaded video."""
        return cast(VideoJob, self._call("POST", f"/v1/videos/{quote(video_id, safe='')}/ingest", body=cast(Mapping[str, Any], body)))

    def get_video(self, video_id: str) -> VideoRecord:
        """How far the ingest of a video is."""
        return cast(VideoRecord, self._call("GET", f"/v1/videos/{quote(video_id, safe='')}"))

    def submit_match(self, *, expand: Literal["full"] | None = None, idempotency_key: str | None = None, **body: Unpack[MatchRequest]) -> MatchResult | MatchJob | VideoJob:
        """Rank the catalog against a video."""
        return cast(MatchResult | MatchJob | VideoJob, self._call("POST", "/v1/match", body=cast(Mapping[str, Any], body), query={"expand": expand}, idempotency_key=idempotency_key))

    def get_match_job(self, job_id: str, *, expand: Literal["full"] | None = None, include_sync: bool | None = None, sync_points_per_track: int | None = None) -> MatchResult | MatchJob:
        """Poll a match job."""
        return cast(MatchResult | MatchJob, self._call("GET", f"/v1/match/jobs/{quote(job_id, safe='')}", query={"expand": expand, "include_sync": include_sync, "sync_points_per_track": sync_points_per_track}))

    def submit_underscore(self, *, expand: Literal["full"] | None = None, idempotency_key: str | None = None, **body: Unpack[UnderscoreRequest]) -> UnderscoreResult:
        """Rank the catalog against a script."""
        return cast(UnderscoreResult, self._call("POST", "/v1/underscore", body=cast(Mapping[str, Any], body), query={"expand": expand}, idempotency_key=idempotency_key))

    def submit_align(self, *, idempotency_key: str | None = None, **body: Unpack[AlignRequest]) -> AlignResult | AlignJob | VideoJob:
        """Say where a track lands with a video."""
        return cast(AlignResult | AlignJob | VideoJob, self._call("POST", "/v1/align", body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    def get_align_job(self, job_id: str) -> AlignResult | AlignJob:
        """Poll an align job."""
        return cast(AlignResult | AlignJob, self._call("GET", f"/v1/align/jobs/{quote(job_id, safe='')}"))

    def submit_loop(self, *, idempotency_key: str | None = None, **body: Unpack[LoopRequest]) -> LoopResult | LoopJob | VideoJob:
        """Cover a video with a track that is shorter."""
        return cast(LoopResult | LoopJob | VideoJob, self._call("POST", "/v1/loop", body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    def get_loop_job(self, job_id: str) -> LoopJobResult | LoopJob:
        """Poll a loop job."""
        return cast(LoopJobResult | LoopJob, self._call("GET", f"/v1/loop/jobs/{quote(job_id, safe='')}"))

    def submit_beats(self, *, idempotency_key: str | None = None, **body: Unpack[BeatsRequest]) -> BeatsJob:
        """Map the beats of a sound file."""
        return cast(BeatsJob, self._call("POST", "/v1/beats", body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    def get_beats_job(self, job_id: str) -> BeatGrid | BeatsJob:
        """Poll a beats job."""
        return cast(BeatGrid | BeatsJob, self._call("GET", f"/v1/beats/{quote(job_id, safe='')}"))

    def match(self, *, expand: Literal["full"] | None = None, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[MatchRequest]) -> MatchResult:
        """Rank the catalog against a video, and wait for the result: at most `timeout` s."""
        return cast(MatchResult, self._complete("POST", "/v1/match", timeout, body=cast(Mapping[str, Any], body), query={"expand": expand}, idempotency_key=idempotency_key))

    def align(self, *, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[AlignRequest]) -> AlignResult:
        """Say where a track lands with a video, and wait for the result: at most `timeout` s."""
        return cast(AlignResult, self._complete("POST", "/v1/align", timeout, body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    def loop(self, *, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[LoopRequest]) -> LoopResult | LoopJobResult:
        """Cover a video with a track that is shorter, and wait for the result: at most `timeout` s."""
        return cast(LoopResult | LoopJobResult, self._complete("POST", "/v1/loop", timeout, body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    def beats(self, *, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[BeatsRequest]) -> BeatGrid:
        """Map the beats of a sound file, and wait for the result: at most `timeout` s."""
        return cast(BeatGrid, self._complete("POST", "/v1/beats", timeout, body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))


class AsyncOperations:
    """One method an operation."""

    async def _call(self, method: str, path: str, **call: Unpack[Call]) -> Any:
        raise NotImplementedError

    async def _complete(self, method: str, path: str, timeout: float, **call: Unpack[Call]) -> Any:
        raise NotImplementedError

    async def create_video(self, **body: Unpack[VideoRequest]) -> UploadTarget | VideoJob:
        """Ingest a video: from an address, or as an upload."""
        return cast(UploadTarget | VideoJob, await self._call("POST", "/v1/videos", body=cast(Mapping[str, Any], body)))

    async def ingest_video(self, video_id: str, **body: Unpack[IngestRequest]) -> VideoJob:
        """Start to process an uploaded video."""
        return cast(VideoJob, await self._call("POST", f"/v1/videos/{quote(video_id, safe='')}/ingest", body=cast(Mapping[str, Any], body)))

    async def get_video(self, video_id: str) -> VideoRecord:
        """How far the ingest of a video is."""
        return cast(VideoRecord, await self._call("GET", f"/v1/videos/{quote(video_id, safe='')}"))

    async def submit_match(self, *, expand: Literal["full"] | None = None, idempotency_key: str | None = None, **body: Unpack[MatchRequest]) -> MatchResult | MatchJob | VideoJob:
        """Rank the catalog against a video."""
        return cast(MatchResult | MatchJob | VideoJob, await self._call("POST", "/v1/match", body=cast(Mapping[str, Any], body), query={"expand": expand}, idempotency_key=idempotency_key))

    async def get_match_job(self, job_id: str, *, expand: Literal["full"] | None = None, include_sync: bool | None = None, sync_points_per_track: int | None = None) -> MatchResult | MatchJob:
        """Poll a match job."""
        return cast(MatchResult | MatchJob, await self._call("GET", f"/v1/match/jobs/{quote(job_id, safe='')}", query={"expand": expand, "include_sync": include_sync, "sync_points_per_track": sync_points_per_track}))

    async def submit_underscore(self, *, expand: Literal["full"] | None = None, idempotency_key: str | None = None, **body: Unpack[UnderscoreRequest]) -> UnderscoreResult:
        """Rank the catalog against a script."""
        return cast(UnderscoreResult, await self._call("POST", "/v1/underscore", body=cast(Mapping[str, Any], body), query={"expand": expand}, idempotency_key=idempotency_key))

    async def submit_align(self, *, idempotency_key: str | None = None, **body: Unpack[AlignRequest]) -> AlignResult | AlignJob | VideoJob:
        """Say where a track lands with a video."""
        return cast(AlignResult | AlignJob | VideoJob, await self._call("POST", "/v1/align", body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    async def get_align_job(self, job_id: str) -> AlignResult | AlignJob:
        """Poll an align job."""
        return cast(AlignResult | AlignJob, await self._call("GET", f"/v1/align/jobs/{quote(job_id, safe='')}"))

    async def submit_loop(self, *, idempotency_key: str | None = None, **body: Unpack[LoopRequest]) -> LoopResult | LoopJob | VideoJob:
        """Cover a video with a track that is shorter."""
        return cast(LoopResult | LoopJob | VideoJob, await self._call("POST", "/v1/loop", body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    async def get_loop_job(self, job_id: str) -> LoopJobResult | LoopJob:
        """Poll a loop job."""
        return cast(LoopJobResult | LoopJob, await self._call("GET", f"/v1/loop/jobs/{quote(job_id, safe='')}"))

    async def submit_beats(self, *, idempotency_key: str | None = None, **body: Unpack[BeatsRequest]) -> BeatsJob:
        """Map the beats of a sound file."""
        return cast(BeatsJob, await self._call("POST", "/v1/beats", body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    async def get_beats_job(self, job_id: str) -> BeatGrid | BeatsJob:
        """Poll a beats job."""
        return cast(BeatGrid | BeatsJob, await self._call("GET", f"/v1/beats/{quote(job_id, safe='')}"))

    async def match(self, *, expand: Literal["full"] | None = None, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[MatchRequest]) -> MatchResult:
        """Rank the catalog against a video, and wait for the result: at most `timeout` s."""
        return cast(MatchResult, await self._complete("POST", "/v1/match", timeout, body=cast(Mapping[str, Any], body), query={"expand": expand}, idempotency_key=idempotency_key))

    async def align(self, *, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[AlignRequest]) -> AlignResult:
        """Say where a track lands with a video, and wait for the result: at most `timeout` s."""
        return cast(AlignResult, await self._complete("POST", "/v1/align", timeout, body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    async def loop(self, *, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[LoopRequest]) -> LoopResult | LoopJobResult:
        """Cover a video with a track that is shorter, and wait for the result: at most `timeout` s."""
        return cast(LoopResult | LoopJobResult, await self._complete("POST", "/v1/loop", timeout, body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))

    async def beats(self, *, idempotency_key: str | None = None, timeout: float = 600.0, **body: Unpack[BeatsRequest]) -> BeatGrid:
        """Map the beats of a sound file, and wait for the result: at most `timeout` s."""
        return cast(BeatGrid, await self._complete("POST", "/v1/beats", timeout, body=cast(Mapping[str, Any], body), idempotency_key=idempotency_key))
