// Types, operations and errors of the service, version 1.0.0. Written by python -m service.clients.generate; do not edit.

import { ApiError } from "./errors.ts"

/** `error.type` is `invalid_request`. */
export class InvalidRequestError extends ApiError {}

/** `error.type` is `authentication_error`. */
export class AuthenticationError extends ApiError {}

/** `error.type` is `payment_required`. */
export class PaymentRequiredError extends ApiError {}

/** `error.type` is `forbidden`. */
export class ForbiddenError extends ApiError {}

/** `error.type` is `not_found`. */
export class NotFoundError extends ApiError {}

/** `error.type` is `conflict`. */
export class ConflictError extends ApiError {}

/** `error.type` is `payload_too_large`. */
export class PayloadTooLargeError extends ApiError {}

/** `error.type` is `unsupported_media_type`. */
export class UnsupportedMediaTypeError extends ApiError {}

/** `error.type` is `rate_limited`. */
export class RateLimitedError extends ApiError {}

/** `error.type` is `internal_error`. */
export class InternalError extends ApiError {}

/** `error.type` is `upstream_error`. */
export class UpstreamError extends ApiError {}

/** `error.type` is `service_unavailable`. */
export class ServiceUnavailableError extends ApiError {}

/** by `error.type` */
export const ERRORS: Record<string, typeof ApiError> = {
  invalid_request: InvalidRequestError,
  authentication_error: AuthenticationError,
  payment_required: PaymentRequiredError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  conflict: ConflictError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  rate_limited: RateLimitedError,
  internal_error: InternalError,
  upstream_error: UpstreamError,
  service_unavailable: ServiceUnavailableError,
}

/** Placements that are being computed. */
export interface AlignJob {
  /** names the job */
  job_id: string
  /** the work is not done yet */
  status: "processing"
  /** path to ask at until the work is done */
  poll: string
  /** the video, as the request named it */
  video_id: string
  /** the track, as the request named it */
  track_id: string
  /** what to do, in words */
  next: string
}

/** Place a track under a video. */
export interface AlignRequest {
  /** a video of the caller, or a shared one */
  video_id: string
  /** a track of the catalog */
  track_id: string
  /** also return a mix: how far the music is lowered under speech */
  auto_mix?: boolean
}

/** Placements of one track under one video, best first. */
export interface AlignResult {
  /** the video, as the request named it */
  video_id: string
  /** the track, as the request named it */
  track_id: string
  /** only in a job's result */
  job_id?: string
  /** the work is done */
  status: "complete"
  /** whether the placements were stored before */
  cached: boolean
  /** best first, at least 1 s apart */
  sync_points: SyncPoint[]
  /** absent from a job's result without one, else null */
  mix?: Mix | null
}

/** Beats and downbeats of one recording. */
export interface BeatGrid {
  /** only from the service */
  job_id?: string
  /** echoes what was sent; null if nothing was */
  track_id: string | null
  /** the work is done */
  status: "complete"
  /** s */
  duration_seconds: number
  /** beats a minute, 0 without beats */
  tempo_bpm: number
  /** every beat, s from the start of the audio */
  beats: number[]
  /** the beats that open a bar, s */
  downbeats: number[]
  /** minutes billed, at least one; only from the service */
  billed_minutes?: number
  /** whether the grid came from the cache */
  cached: boolean
}

/** A beat grid that is being computed. */
export interface BeatsJob {
  /** names the job */
  job_id: string
  /** the work is not done yet */
  status: "processing"
  /** path to ask at until the work is done */
  poll: string
  /** echoes what was sent; null if nothing was */
  track_id: string | null
  /** what is being done */
  stage: "queued" | "fetching" | "decoding" | "analyzing"
}

/** Map the beats of a sound file. */
export interface BeatsRequest {
  /** public https address */
  audio_url: string
  /** echoed */
  track_id?: string | null
}

/** One webhook's body; fields that we do not know are ignored. */
export interface BillingEvent {
  /** payment_method.attached or payment_method.detached; credit.granted, credit.expired or spend_cap.set; an event of any other type is answered 200, logged and ignored */
  type: string
  /** when it happened; what an event sets is not changed by one that happened before; without a zone it is UTC */
  timestamp?: string | null
  /** the account and the amount */
  data: EventData
}

/** How far the music goes down, and when. */
export interface Duck {
  /** [video s, dB to pull the music down, positive], s increasing */
  envelope_points: number[][]
  /** grid on which the curve was sampled; not needed to render */
  envelope_hz: number
  /** [start, end] of speech, video s, sorted and disjoint */
  speech_ranges: number[][]
  /** maximum of the curve, dB */
  depth_db: number
  /** nominal time of the fade down into speech */
  attack_ms: number
  /** nominal time of the fade up after it */
  release_ms: number
}

/** Body of every error. */
export interface Error {
  /** what went wrong */
  error: ErrorFacts
}

/** One invalid field. */
export interface ErrorDetail {
  /** path of the field, as `data.account`; `body` for the body as a whole */
  field: string
  /** what is wrong with it, in words */
  message: string
  /** kind of the problem, as `missing` or `string_type` */
  type: string
}

/** What went wrong. */
export interface ErrorFacts {
  /** stable; branch on it, not on the message */
  type: "invalid_request" | "authentication_error" | "payment_required" | "forbidden" | "not_found" | "conflict" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "upstream_error" | "service_unavailable" | "error"
  /** one sentence for a person */
  message: string
  /** as the X-Request-Id header */
  request_id: string | null
  /** on a request that failed validation */
  details?: ErrorDetail[]
}

/** The account of an event, and its amount. */
export interface EventData {
  /** whom the event concerns */
  account: string
  /** of credit.granted and spend_cap.set, USD */
  amount_usd?: number | string | null
  /** of credit.granted: when it ends; of credit.expired: ends the grants due by then; without it, all but those that a credit.granted with a later timestamp granted; without a zone it is UTC */
  expires_at?: string | null
}

/** Start to process an uploaded video. */
export interface IngestRequest {
  /** as the upload target named it */
  storage_key: string
}

/** What is put forward, best first. */
export interface Lane {
  /** what was looked for, in a few words */
  title: string
  /** what was weighed, in words */
  reasoning: string
  /** by score: first what meets the rules of the brief, last what breaks one */
  matches: LaneTrack[]
  /** in the same order, the matches among them; only with expand=full */
  candidate_pool?: LaneTrack[]
}

/** One track of a lane; full ones have more of the fields. */
export interface LaneTrack {
  /** to name it in align and loop */
  track_id: string
  /** equal for equal bytes */
  audio_id: string
  /** the work; null where unknown */
  catalog_song_id: string | null
  /** the audio file to fetch; null where unknown */
  catalog_audio_file_id: string | null
  /** title of the track, else its file's name */
  title?: string
  /** who plays it; empty where that is not known */
  artist_name?: string
  /** absolute: the pair scores the same in any catalog */
  score: number
  /** beats a minute */
  bpm?: number
  /** whether nobody sings or speaks */
  instrumental?: boolean
  /** decoded length, s */
  duration_seconds?: number
  /** why it fits: what moved the score most comes first */
  match_map: MatchReason[]
  /** whether sync points are computed and kept; only where sync was asked for */
  sync_status?: "warm" | "cold"
  /** best first; only where sync was asked for */
  sync_points?: SyncPoint[]
  /** empty where there is none; only with expand=full */
  artist_image_url?: string
  /** empty where there is none; only with expand=full */
  description?: string
  /** 0 to 1; only with expand=full */
  energy?: number
  /** tonic, as `F#`; only with expand=full */
  musical_key_name?: string
  /** only with expand=full */
  musical_key_mode?: "major" | "minor"
  /** false where the catalog does not say; only with expand=full */
  explicit?: boolean
  /** tags that retrieval matched; only with expand=full */
  matched_tags?: string[]
  /** why it fits, one sentence; only with expand=full */
  fit_explanation?: string
  /** only for accounts that were granted previews */
  preview?: Preview
}

/** Summary of an option that is not served. */
export interface LoopAlternate {
  /** start of the body that plays longest, track s */
  loop_start_a: number
  /** its end, track s */
  loop_end_b: number
  /** its length in whole bars */
  bars: number
  /** passes that play in full */
  repeats: number
  /** of the worst seam */
  seam_score: number
  /** ranking score */
  plan_score: number
  /** how the plan ends, in words */
  end_label: string
}

/** A loop that is being computed. */
export interface LoopJob {
  /** names the job */
  job_id: string
  /** the work is not done yet */
  status: "processing"
  /** path to ask at until the work is done */
  poll: string
  /** the video, as the request named it */
  video_id: string
  /** the track, as the request named it */
  track_id: string
  /** what to do, in words */
  next: string
}

/** A finished loop job: the loop's result, and the job's id. */
export interface LoopJobResultFacts {
  /** the video, as the request named it */
  video_id: string
  /** the track, as the request named it */
  track_id: string
  /** where the caller's catalog has the track */
  track: TrackRef
  /** the reason in words and what to do; only where not applicable */
  hint?: string
  /** whether to call again in a few seconds; only where not applicable */
  retryable?: boolean
  /** only where asked for, applicable and measured */
  mix?: Mix
  /** of the job whose result this is */
  job_id: string
  /** the work is done */
  status: "complete"
}

/** A finished loop job: the loop's result, and the job's id. */
export type LoopJobResult = LoopJobResultFacts &
  (
    | {
        /** false where there is nothing to loop */
        applicable: true
        /** the plan, or why there is none */
        plan: LoopPlan
    }
    | {
        /** false where there is nothing to loop */
        applicable: false
        /** the plan, or why there is none */
        plan: LoopRefusal
    }
  )

/** One whole plan. */
export interface LoopOption {
  /** true: this can be played */
  applicable: true
  /** null in a plan that can be played */
  reason: null
  /** plan-format version */
  version: number
  /** track ranges played back to back; authoritative */
  segments: LoopSegment[]
  /** crossfade at each splice, s */
  seam_fades: number[]
  /** gain-law exponent at each splice, 0.5 equal power to 1.0 linear */
  seam_curves: number[]
  /** s from gain_in_db to gain_db */
  gain_glide_seconds: number
  /** where the music starts, video s */
  music_in: number
  /** end of the video, video s */
  music_out: number
  /** end of the video, video s */
  window_end: number
  /** where the music resolves, video s */
  music_end: number
  /** s from music_end to window_end, absorbed by the end fade */
  tail_seconds: number
  /** the first song_from, track s */
  song_start: number
  /** length of the track, s */
  song_duration: number
  /** start of the body that plays longest, track s */
  loop_start_a: number
  /** its end, track s */
  loop_end_b: number
  /** its length in whole bars */
  bars: number
  /** of the prevailing metre */
  beats_per_bar: number
  /** passes of that body that play in full, the first included */
  repeats: number
  /** of the worst seam */
  seam_score: number
  /** where the splices fall, video s */
  seam_times: number[]
  /** names of the sections that play, in order of first use */
  sections_covered: string[]
  /** how the plan ends, in words */
  end_label: string
  /** track s; only where the plan resolves on a come-down outro */
  outro_start?: number
  /** track s; only where the plan resolves on a come-down outro */
  outro_end?: number
  /** s of fade at the start */
  start_fade_seconds: number
  /** s of fade that ends at window_end */
  end_fade_seconds: number
  /** ranking score; informational */
  plan_score: number
}

/** The served plan and its alternatives.

To play it at the track's rate: segments are laid end to end from `music_in`, each at the sample nearest to its time
in the video. A crossfade of `seam_fades[k]` seconds is centred on `seam_times[k]`: the track plays on past
`song_to` and begins before `song_from` by half of it; with x from 0 to 1 over it and p = `seam_curves[k]`, what
enters has the gain x^p, what leaves (1-x)^p. A segment moves from `gain_in_db` to `gain_db` in
`gain_glide_seconds`, linear in dB, and holds before its start and after its end. Both ends are raised cosines,
over `start_fade_seconds` from `music_in` and `end_fade_seconds` up to `window_end`. In a mix the soundtrack plays
at `video_gain_db` and the music at `music_gain_db` less the `envelope_points`, linear in dB between points and held
outside; the sum is limited at -1 dBTP. Without a mix nothing is limited. */
export interface LoopPlan {
  /** true: this can be played */
  applicable: true
  /** null in a plan that can be played */
  reason: null
  /** plan-format version */
  version: number
  /** track ranges played back to back; authoritative */
  segments: LoopSegment[]
  /** crossfade at each splice, s */
  seam_fades: number[]
  /** gain-law exponent at each splice, 0.5 equal power to 1.0 linear */
  seam_curves: number[]
  /** s from gain_in_db to gain_db */
  gain_glide_seconds: number
  /** where the music starts, video s */
  music_in: number
  /** end of the video, video s */
  music_out: number
  /** end of the video, video s */
  window_end: number
  /** where the music resolves, video s */
  music_end: number
  /** s from music_end to window_end, absorbed by the end fade */
  tail_seconds: number
  /** the first song_from, track s */
  song_start: number
  /** length of the track, s */
  song_duration: number
  /** start of the body that plays longest, track s */
  loop_start_a: number
  /** its end, track s */
  loop_end_b: number
  /** its length in whole bars */
  bars: number
  /** of the prevailing metre */
  beats_per_bar: number
  /** passes of that body that play in full, the first included */
  repeats: number
  /** of the worst seam */
  seam_score: number
  /** where the splices fall, video s */
  seam_times: number[]
  /** names of the sections that play, in order of first use */
  sections_covered: string[]
  /** how the plan ends, in words */
  end_label: string
  /** track s; only where the plan resolves on a come-down outro */
  outro_start?: number
  /** track s; only where the plan resolves on a come-down outro */
  outro_end?: number
  /** s of fade at the start */
  start_fade_seconds: number
  /** s of fade that ends at window_end */
  end_fade_seconds: number
  /** ranking score; informational */
  plan_score: number
  /** up to four plans, best first, the first equal to this one */
  options?: LoopOption[]
  /** summary of the other options */
  alternates?: LoopAlternate[]
}

/** No plan. */
export interface LoopRefusal {
  /** false: there is nothing to loop */
  applicable: false
  /** why not */
  reason: "video_not_longer" | "low_confidence" | "no_viable_loop" | "no_loop_profile" | "timeout" | "profile_error" | "missing_profile" | "audio_unavailable"
  /** length of the video, s; with video_not_longer */
  video_seconds?: number
  /** length of the track, s; with video_not_longer */
  track_seconds?: number
  /** s by which the video must be longer; with video_not_longer */
  required_excess_seconds?: number
}

/** Cover a video with a track. */
export interface LoopRequest {
  /** a video of the caller, or a shared one */
  video_id: string
  /** a track of the catalog */
  track_id: string
  /** also return a mix: how far the music is lowered under speech */
  auto_mix?: boolean
}

/** A loop of one track under one video. */
export interface LoopResultFacts {
  /** the video, as the request named it */
  video_id: string
  /** the track, as the request named it */
  track_id: string
  /** where the caller's catalog has the track */
  track: TrackRef
  /** the reason in words and what to do; only where not applicable */
  hint?: string
  /** whether to call again in a few seconds; only where not applicable */
  retryable?: boolean
  /** only where asked for, applicable and measured */
  mix?: Mix
  /** always absent */
  job_id?: never
}

/** A loop of one track under one video. */
export type LoopResult = LoopResultFacts &
  (
    | {
        /** false where there is nothing to loop */
        applicable: true
        /** the plan, or why there is none */
        plan: LoopPlan
    }
    | {
        /** false where there is nothing to loop */
        applicable: false
        /** the plan, or why there is none */
        plan: LoopRefusal
    }
  )

/** A range of the track, played once. */
export interface LoopSegment {
  /** start in the track, s */
  song_from: number
  /** end in the track, s */
  song_to: number
  /** level it plays at, dB */
  gain_db: number
  /** level it starts at, gliding to gain_db, dB */
  gain_in_db: number
}

/** A ranking that is being computed. */
export interface MatchJob {
  /** names the job */
  job_id: string
  /** the work is not done yet */
  status: "processing"
  /** path to ask at until the work is done */
  poll: string
  /** the video, as the request named it */
  video_id: string
  /** what to do, in words */
  next: string
}

/** One fact that moved the score. */
export interface MatchReason {
  /** what was measured of the video, asked in the brief or read in the script */
  video: string
  /** what was measured of the track */
  audio: string
  /** how well both go together in this respect */
  score: number
  /** what it is about; absent in underscore results, and where a brief alone says it */
  category?: "pace" | "energy" | "mood" | "voice" | "length" | "sync"
}

/** Rank the catalog against a video: one that was ingested, or one to be fetched. */
export interface MatchRequest {
  /** a video of the caller, or a shared one */
  video_id?: string
  /** public https address of a video to ingest first */
  video_url?: string
  /** what the video is like or the music should be, in plain words */
  brief?: string | null
  /** also say where each track lands */
  include_sync?: boolean
  /** sync points of each track */
  sync_points_per_track?: number
}

/** Tracks for a video. */
export interface MatchResult {
  /** the video, as the request named it */
  video_id: string
  /** only in a job's result */
  job_id?: string
  /** the work is done */
  status: "complete"
  /** the tracks */
  lane: Lane
}

/** Levels for a video of soundtrack and music. */
export interface Mix {
  /** whether there is a sustained, measured voice to duck under */
  voiceover: boolean
  /** the video's own sound */
  classification: "voice" | "ambient" | "silent" | "none"
  /** dB for the music; only with a voiceover */
  music_gain_db?: number
  /** dB for the soundtrack; only with a voiceover */
  video_gain_db?: number
  /** null without a voiceover, unless music gives way to the video's own */
  duck: Duck | null
}

/** The address of an excerpt. */
export interface Preview {
  /** signed, needs no key */
  url: string
  /** ISO 8601, UTC */
  expires_at: string
  /** of the excerpt */
  format: "mp3"
  /** length of the excerpt, s */
  duration_seconds: number
}

/** One placement of the track under the video. */
export interface SyncPoint {
  /** video time at which the track's own time 0 falls, s; may be negative */
  offset_seconds: number
  /** absolute: comparable between pairs; under 0.3, down to 0, what meets may well be chance */
  score: number
  /** the strongest coincidence, as `drop on the cut at 0:12.4` */
  label: string
}

/** Where the caller's catalog has the track. */
export interface TrackRef {
  /** the work; null where unknown */
  catalog_song_id: string | null
  /** the audio file to fetch; null where unknown */
  catalog_audio_file_id: string | null
}

/** Rank the catalog against a script. */
export interface UnderscoreRequest {
  /** what is said or shown */
  script: string
  /** where it is published: tiktok, reels, shorts, linkedin, youtube, or any other */
  platform?: string | null
  /** what the music should be like, in plain words */
  brief?: string | null
}

/** Tracks for a script. */
export interface UnderscoreResult {
  /** the tracks */
  lane: Lane
}

/** The upload is complete and stored. */
export interface UploadReceipt {
  /** to send to the ingest endpoint */
  storage_key: string
  /** how many have arrived */
  bytes: number
}

/** Where to send the bytes of a video. */
export interface UploadTarget {
  /** to name the video in later calls */
  video_id: string
  /** absolute; signed, needs no key */
  upload_url: string
  /** to send the bytes with */
  method: "PUT"
  /** to send with the bytes */
  headers: Record<string, string>
  /** to send to the ingest endpoint afterwards */
  storage_key: string
  /** ISO 8601, UTC */
  expires_at: string
}

/** A video that is being ingested; it has no job_id. */
export interface VideoJob {
  /** to name the video in later calls */
  video_id: string
  /** how far it is */
  status: "processing" | "ready" | "failed"
  /** /v1/videos/{video_id} */
  poll: string
  /** what to do once ready; only from match with a video_url */
  next?: string
  /** always absent */
  job_id?: never
}

/** How far the ingest of a video is. */
export interface VideoRecord {
  /** to name the video in later calls */
  video_id: string
  /** how far it is */
  status: "processing" | "ready" | "failed"
  /** whether it can be used */
  ready: boolean
  /** from its metadata, else the name of its file */
  title: string
  /** why it failed; it stays so: send it again as a new video */
  reason?: string
}

/** Ingest a video: from an address, or as an upload. */
export interface VideoRequest {
  /** public https address to fetch the video from */
  video_url?: string
  /** name of the file to upload; the answer says where to */
  filename?: string
  /** media type of the upload, as video/mp4; goes with filename only */
  content_type?: string
}

export interface Call {
  body?: object
  query?: Record<string, unknown>
  idempotencyKey?: string
}

/** One method an operation. */
export abstract class Operations {
  protected abstract call(method: string, path: string, call?: Call): Promise<unknown>

  protected abstract complete(method: string, path: string, seconds: number, call: Call): Promise<unknown>

  /** Ingest a video: from an address, or as an upload. */
  async createVideo(body: VideoRequest): Promise<UploadTarget | VideoJob> {
    return (await this.call("POST", `/v1/videos`, { body })) as UploadTarget | VideoJob
  }

  /** Start to process an uploaded video. */
  async ingestVideo(video_id: string, body: IngestRequest): Promise<VideoJob> {
    return (await this.call("POST", `/v1/videos/${encodeURIComponent(video_id)}/ingest`, { body })) as VideoJob
  }

  /** How far the ingest of a video is. */
  async getVideo(video_id: string): Promise<VideoRecord> {
    return (await this.call("GET", `/v1/videos/${encodeURIComponent(video_id)}`)) as VideoRecord
  }

  /** Rank the catalog against a video. */
  async submitMatch(body: MatchRequest, options: { expand?: "full"; idempotencyKey?: string } = {}): Promise<MatchResult | MatchJob | VideoJob> {
    return (await this.call("POST", `/v1/match`, { body, query: { expand: options.expand }, idempotencyKey: options.idempotencyKey })) as MatchResult | MatchJob | VideoJob
  }

  /** Poll a match job. */
  async getMatchJob(job_id: string, options: { expand?: "full"; include_sync?: boolean; sync_points_per_track?: number } = {}): Promise<MatchResult | MatchJob> {
    return (await this.call("GET", `/v1/match/jobs/${encodeURIComponent(job_id)}`, { query: { expand: options.expand, include_sync: options.include_sync, sync_points_per_track: options.sync_points_per_track } })) as MatchResult | MatchJob
  }

  /** Rank the catalog against a script. */
  async submitUnderscore(body: UnderscoreRequest, options: { expand?: "full"; idempotencyKey?: string } = {}): Promise<UnderscoreResult> {
    return (await this.call("POST", `/v1/underscore`, { body, query: { expand: options.expand }, idempotencyKey: options.idempotencyKey })) as UnderscoreResult
  }

  /** Say where a track lands with a video. */
  async submitAlign(body: AlignRequest, options: { idempotencyKey?: string } = {}): Promise<AlignResult | AlignJob | VideoJob> {
    return (await this.call("POST", `/v1/align`, { body, idempotencyKey: options.idempotencyKey })) as AlignResult | AlignJob | VideoJob
  }

  /** Poll an align job. */
  async getAlignJob(job_id: string): Promise<AlignResult | AlignJob> {
    return (await this.call("GET", `/v1/align/jobs/${encodeURIComponent(job_id)}`)) as AlignResult | AlignJob
  }

  /** Cover a video with a track that is shorter. */
  async submitLoop(body: LoopRequest, options: { idempotencyKey?: string } = {}): Promise<LoopResult | LoopJob | VideoJob> {
    return (await this.call("POST", `/v1/loop`, { body, idempotencyKey: options.idempotencyKey })) as LoopResult | LoopJob | VideoJob
  }

  /** Poll a loop job. */
  async getLoopJob(job_id: string): Promise<LoopJobResult | LoopJob> {
    return (await this.call("GET", `/v1/loop/jobs/${encodeURIComponent(job_id)}`)) as LoopJobResult | LoopJob
  }

  /** Map the beats of a sound file. */
  async submitBeats(body: BeatsRequest, options: { idempotencyKey?: string } = {}): Promise<BeatsJob> {
    return (await this.call("POST", `/v1/beats`, { body, idempotencyKey: options.idempotencyKey })) as BeatsJob
  }

  /** Poll a beats job. */
  async getBeatsJob(job_id: string): Promise<BeatGrid | BeatsJob> {
    return (await this.call("GET", `/v1/beats/${encodeURIComponent(job_id)}`)) as BeatGrid | BeatsJob
  }

  /** Rank the catalog against a video, and wait for the result: at most `seconds`. */
  async match(body: MatchRequest, options: { expand?: "full"; idempotencyKey?: string; seconds?: number } = {}): Promise<MatchResult> {
    return (await this.complete("POST", `/v1/match`, options.seconds ?? 600, { body, query: { expand: options.expand }, idempotencyKey: options.idempotencyKey })) as MatchResult
  }

  /** Say where a track lands with a video, and wait for the result: at most `seconds`. */
  async align(body: AlignRequest, options: { idempotencyKey?: string; seconds?: number } = {}): Promise<AlignResult> {
    return (await this.complete("POST", `/v1/align`, options.seconds ?? 600, { body, idempotencyKey: options.idempotencyKey })) as AlignResult
  }

  /** Cover a video with a track that is shorter, and wait for the result: at most `seconds`. */
  async loop(body: LoopRequest, options: { idempotencyKey?: string; seconds?: number } = {}): Promise<LoopResult | LoopJobResult> {
    return (await this.complete("POST", `/v1/loop`, options.seconds ?? 600, { body, idempotencyKey: options.idempotencyKey })) as LoopResult | LoopJobResult
  }

  /** Map the beats of a sound file, and wait for the result: at most `seconds`. */
  async beats(body: BeatsRequest, options: { idempotencyKey?: string; seconds?: number } = {}): Promise<BeatGrid> {
    return (await this.complete("POST", `/v1/beats`, options.seconds ?? 600, { body, idempotencyKey: options.idempotencyKey })) as BeatGrid
  }
}
