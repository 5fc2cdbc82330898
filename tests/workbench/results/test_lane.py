"""Lean and full bodies, and what is shown of a stored one."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from workbench.align.placements import Placement
from workbench.catalog.track import Track
from workbench.matching.lane import Lane, Match, MatchReason
from workbench.results.match import LaneBody, PreviewBody, lane_body, match_result, select, underscore_result
from workbench.results.schemas import schemas

LEAN = {
    "track_id", "audio_id", "catalog_song_id", "catalog_audio_file_id", "title", "artist_name", "score", "bpm",
    "instrumental", "duration_seconds", "match_map",
}  # fmt: skip
FULL = LEAN | {
    "artist_image_url", "description", "energy", "musical_key_name", "musical_key_mode", "explicit", "matched_tags",
    "fit_explanation",
}  # fmt: skip
SYNC = {"sync_status", "sync_points"}


def known_track(number: int) -> Track:
    return Track(
        f"trk_{number}", Path("/music/x.ogg"), f"{number:064x}", catalog_song_id="song_1", catalog_audio_file_id="a_1",
        title="Slow Ember", artist_name="Kettle", artist_image_url="https://x.example/k.jpg", description="Drowsy.",
        bpm=76.0, energy=0.3, musical_key_name="D", musical_key_mode="minor", duration_seconds=121.5,
        instrumental=True, explicit=False,
    )  # fmt: skip


def a_match(number: int, points: int = 12) -> Match:
    sync = tuple(
        Placement(2.0 * k, 0.5 - 0.01 * k, "drop on the cut at 0:12.4", certainty=1.0, landed=0.5, bare=0.0)
        for k in range(points)
    )
    reasons = (MatchReason("32 cuts per minute", "126 bpm", 0.81234, "pace"),)
    return Match(known_track(number), 0.87654, reasons, ("lo-fi",), "Calm enough.", sync, "warm")


@pytest.fixture
def lane() -> Lane:
    matches = tuple(a_match(k) for k in range(12))
    return Lane("Calm and steady", "Weighed were pace and mood.", matches[:10], matches)


def test_a_lean_track_has_these_fields_and_no_others(lane: Lane) -> None:
    body = match_result(lane_body(lane, False, None), video_id="vid_1").to_json()
    jsonschema.validate(body, schemas()["MatchResult"])
    assert set(body) == {"video_id", "status", "lane"}
    assert set(body["lane"]) == {"title", "reasoning", "matches"}
    assert all(set(track) == LEAN for track in body["lane"]["matches"])
    assert body["lane"]["matches"][0]["match_map"] == [
        {"video": "32 cuts per minute", "audio": "126 bpm", "score": 0.8123, "category": "pace"}
    ]
    assert body["lane"]["matches"][0]["score"] == 0.8765


def test_full_tracks_and_the_pool_come_with_expand(lane: Lane) -> None:
    body = match_result(lane_body(lane, True, 4), video_id="vid_1").to_json()
    jsonschema.validate(body | {"job_id": "job_1"}, schemas()["MatchResult"])
    assert all(set(track) == FULL | SYNC for track in body["lane"]["matches"] + body["lane"]["candidate_pool"])
    assert len(body["lane"]["candidate_pool"]) == 12
    assert len(body["lane"]["matches"][0]["sync_points"]) == 4


def test_a_stored_lane_is_only_trimmed(lane: Lane) -> None:
    stored = json.loads(json.dumps(lane_body(lane, True, 12).to_json()))
    for full in (False, True):
        for sync in (None, 1, 4, 12):
            assert select(stored, full, sync) == lane_body(lane, full, sync).to_json()


def test_sync_of_a_track_that_has_none_is_cold_and_empty() -> None:
    match = Match(known_track(1), 0.5, (), sync_status="cold")
    shown = lane_body(Lane("t", "r", (match,), (match,)), False, 4).to_json()["matches"][0]
    assert (shown["sync_status"], shown["sync_points"]) == ("cold", [])


def test_what_nobody_knows_is_left_out_and_ids_are_null() -> None:
    match = Match(Track("trk_1", Path("/x.ogg"), "0" * 64), 0.5, (MatchReason("calm", "76 bpm", 0.4),))
    body = underscore_result(lane_body(Lane("t", "r", (match,), (match,)), True, None)).to_json()
    jsonschema.validate(body, schemas()["UnderscoreResult"])
    (track,) = body["lane"]["matches"]
    assert set(track) == {
        "track_id", "audio_id", "catalog_song_id", "catalog_audio_file_id", "score", "match_map", "matched_tags",
        "explicit", "title", "artist_name", "description", "artist_image_url",
    }  # fmt: skip
    assert track["explicit"] is False
    assert [track[name] for name in ("title", "artist_name", "description", "artist_image_url")] == ["x", "", "", ""]
    assert track["catalog_song_id"] is None
    assert track["match_map"] == [{"video": "calm", "audio": "76 bpm", "score": 0.4}]


def test_a_preview_is_shown_on_the_track_it_is_of(lane: Lane) -> None:
    heard = PreviewBody(
        url="https://x.example/p.mp3", expires_at="2030-01-01T00:00:00Z", format="mp3", duration_seconds=30.0
    )
    shown = select(lane_body(lane, True, 12).to_json(), False, None, {"trk_3": heard.to_json()})
    assert [("preview" in track) for track in shown["matches"]] == [k == 3 for k in range(10)]
    assert LaneBody.model_validate(shown).matches[3].preview == heard
