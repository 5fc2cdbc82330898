"""Examples of bodies for the interface description, by model; tests validate them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_VIDEO, _TRACK, _JOB = (
    "vid_01JD3X5E8Q2M4V6W8Y0Z1A2B3C",
    "trk_01JD3X5E8Q2M4V6W8Y0Z1A2B3D",
    "job_01JD3X5E8Q2M4V6W8Y0Z1A2B3E",
)
_SEGMENTS = [
    {"song_from": 0.0, "song_to": 96.0, "gain_db": 0.0, "gain_in_db": 0.0},
    {"song_from": 32.0, "song_to": 128.0, "gain_db": 0.0, "gain_in_db": -0.4},
    {"song_from": 64.0, "song_to": 150.5, "gain_db": 0.0, "gain_in_db": 0.0},
]
_PLAN = {
    "applicable": True, "reason": None, "version": 1, "segments": _SEGMENTS, "seam_fades": [0.03, 0.02],
    "seam_curves": [0.8, 1.0], "gain_glide_seconds": 2.0, "music_in": 0.0, "music_out": 278.5, "window_end": 278.5,
    "music_end": 278.5, "tail_seconds": 0.0, "song_start": 0.0, "song_duration": 150.5, "loop_start_a": 32.0,
    "loop_end_b": 96.0, "bars": 32, "beats_per_bar": 4, "repeats": 2, "seam_score": 0.94, "seam_times": [96.0, 192.0],
    "sections_covered": ["intro", "verse", "chorus", "outro"], "end_label": "stops on the track's own last hit",
    "start_fade_seconds": 0.0, "end_fade_seconds": 0.0, "plan_score": 0.88,
}  # fmt: skip
_WHOSE = {
    "video_id": _VIDEO, "track_id": _TRACK,
    "track": {"catalog_song_id": "song_381", "catalog_audio_file_id": "file_9127"},
}  # fmt: skip
_LOOP = {**_WHOSE, "applicable": True, "plan": _PLAN}
_LANE_TRACK = {
    "track_id": _TRACK, "audio_id": "aud_4f1c0d9e2b7a86531c0d9e2b", "catalog_song_id": "song_381",
    "catalog_audio_file_id": "file_9127", "title": "Paper Lanterns", "artist_name": "House band", "score": 0.81,
    "bpm": 126.0, "instrumental": True, "duration_seconds": 150.5,
    "match_map": [
        {"video": "32 cuts per minute", "audio": "126 bpm", "score": 0.9, "category": "pace"},
        {"video": "speech 80 %", "audio": "nobody sings", "score": 1.0, "category": "voice"},
    ],
}  # fmt: skip
_SCRIPTED = {**_LANE_TRACK, "match_map": [{"video": "calm", "audio": "72 bpm", "score": 0.9}]}

EXAMPLES: Mapping[str, Any] = {
    "VideoRequest": {"video_url": "https://example.com/video.mp4"},
    "IngestRequest": {"storage_key": "upl_01JD3X5E8Q2M4V6W8Y0Z1A2B3F"},
    "MatchRequest": {"video_id": _VIDEO, "brief": "calm, no vocals", "include_sync": True, "sync_points_per_track": 4},
    "UnderscoreRequest": {"script": "A quiet morning by the sea.", "platform": "youtube", "brief": "no vocals"},
    "AlignRequest": {"video_id": _VIDEO, "track_id": _TRACK},
    "LoopRequest": {"video_id": _VIDEO, "track_id": _TRACK, "auto_mix": True},
    "BeatsRequest": {"audio_url": "https://example.com/track.mp3", "track_id": "mine-17"},
    "BillingEvent": {
        "type": "credit.granted", "timestamp": "2026-11-21T12:00:00Z",
        "data": {"account": "acme", "amount_usd": 25, "expires_at": "2027-01-01T00:00:00Z"},
    },
    "VideoJob": {"video_id": _VIDEO, "status": "processing", "poll": f"/v1/videos/{_VIDEO}"},
    "VideoRecord": {"video_id": _VIDEO, "status": "ready", "ready": True, "title": "video.mp4"},
    "UploadTarget": {
        "video_id": _VIDEO,
        "upload_url": "https://api.example.com/v1/uploads/upl_01JD3X5E8Q2M4V6W8Y0Z1A2B3F?expires=1795282674&signature=3d32",
        "method": "PUT", "headers": {"Content-Type": "video/mp4"}, "storage_key": "upl_01JD3X5E8Q2M4V6W8Y0Z1A2B3F",
        "expires_at": "2026-11-21T17:37:54Z",
    },
    "UploadReceipt": {"storage_key": "upl_01JD3X5E8Q2M4V6W8Y0Z1A2B3F", "bytes": 104857600},
    "LoopJob": {
        "video_id": _VIDEO, "track_id": _TRACK, "job_id": _JOB, "status": "processing",
        "poll": f"/v1/loop/jobs/{_JOB}", "next": "poll until status is complete; the loop is then in the answer",
    },
    "AlignJob": {
        "video_id": _VIDEO, "track_id": _TRACK, "job_id": _JOB, "status": "processing",
        "poll": f"/v1/align/jobs/{_JOB}",
        "next": "poll until status is complete; the sync points are then in the answer",
    },
    "MatchJob": {
        "video_id": _VIDEO, "job_id": _JOB, "status": "processing", "poll": f"/v1/match/jobs/{_JOB}",
        "next": "poll until status is complete; the lane is then in the answer",
    },
    "BeatsJob": {
        "job_id": _JOB, "track_id": "mine-17", "status": "processing", "stage": "queued", "poll": f"/v1/beats/{_JOB}",
    },
    "LoopResult": _LOOP,
    "LoopJobResult": {**_LOOP, "job_id": _JOB, "status": "complete"},
    "AlignResult": {
        "video_id": _VIDEO, "track_id": _TRACK, "status": "complete", "cached": True,
        "sync_points": [{"offset_seconds": 12.48, "score": 0.72, "label": "drop on the cut at 0:44.5"}], "mix": None,
    },
    "MatchResult": {
        "video_id": _VIDEO, "status": "complete",
        "lane": {"title": "Fast and bright", "reasoning": "Weighed pace, mood and voice.", "matches": [_LANE_TRACK]},
    },
    "UnderscoreResult": {
        "lane": {"title": "Calm, by the sea", "reasoning": "Weighed mood and the brief.", "matches": [_SCRIPTED]},
    },
    "BeatGridBody": {
        "job_id": _JOB, "track_id": "mine-17", "status": "complete", "duration_seconds": 150.5, "tempo_bpm": 120.0,
        "beats": [0.5, 1.0, 1.5, 2.0], "downbeats": [0.5], "billed_minutes": 3, "cached": False,
    },
}  # fmt: skip
