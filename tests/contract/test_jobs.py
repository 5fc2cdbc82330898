"""Loop and align: both `202` shapes, what jobs come to, what is cached, shared and charged, and when."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from service import cache_keys
from service.store.shared_values import ANALYSIS_REVISION
from service.store.tables import jobs, shared_values, video_owners
from workbench.catalog.library import Library
from workbench.media.audio import decode, write_audio
from workbench.store.database import tracks, videos

PAIR = {"video_id": "vid_long", "track_id": "trk_corner"}
TICKET = {"video_id", "track_id", "job_id", "status", "poll", "next"}
LOOP = {"video_id", "track_id", "track", "applicable", "plan"}
ALIGN = {"video_id", "track_id", "status", "cached", "sync_points"}
PLAN = {
    "applicable", "reason", "version", "segments", "seam_fades", "seam_curves", "gain_glide_seconds", "music_in",
    "music_out", "window_end", "music_end", "tail_seconds", "song_start", "song_duration", "loop_start_a", "loop_end_b",
    "bars", "beats_per_bar", "repeats", "seam_score", "seam_times", "sections_covered", "end_label",
    "start_fade_seconds", "end_fade_seconds", "plan_score",
}  # fmt: skip
LABEL = re.compile(
    r"(drop|break|stab|section|downbeat|ending) on the (cut|flash|title|hit|motion|start|end) at \d+:\d\d\.\d"
)


@pytest.mark.parametrize("family", ["loop", "align"])
def test_a_cold_call_answers_a_job_and_a_warm_one_200(owner: Any, family: str) -> None:
    """Cold: `202` Job. Polled to `200`, `complete`; then the same call answers `200`. One charge each, polls free.

    The track has been tried on other videos: what is stored belongs to the pair.
    """
    customer, video_id = owner
    pair = {"video_id": video_id, "track_id": "trk_corner"}
    before = customer.charges()
    answer = customer.post(f"/v1/{family}", pair)
    assert answer.status_code == 202
    ticket = answer.json()
    assert set(ticket) == TICKET
    assert ticket["job_id"].startswith("job_")
    assert ticket | pair == ticket
    assert ticket["status"] == "processing"
    assert ticket["poll"] == f"/v1/{family}/jobs/{ticket['job_id']}"
    again = customer.post(f"/v1/{family}", {**pair, "auto_mix": False})
    if again.status_code == 202:  # still being built, then it is the same job
        assert again.json() == ticket
    settled = customer.settled(answer)
    assert settled.status_code == 200
    result = settled.json()
    assert set(result) == (LOOP | {"job_id", "status"} if family == "loop" else ALIGN | {"job_id"})
    assert (result["job_id"], result["status"]) == (ticket["job_id"], "complete")
    assert customer.get(ticket["poll"]).json() == result
    job = (f"POST /v1/{family}", ticket["job_id"], 1, "call")
    assert [row for row in customer.charges() if row not in before].count(job) == 1
    booked = len(customer.charges())
    warm = customer.post(f"/v1/{family}", pair)
    assert warm.status_code == 200
    rows = customer.charges()
    assert rows[booked:] == [(f"POST /v1/{family}", warm.headers["x-request-id"], 1, "call")]
    if family == "loop":
        assert warm.json() == {name: result[name] for name in LOOP}
    else:
        assert result["cached"] is False
        assert warm.json() == {**{name: result[name] for name in ALIGN}, "cached": True, "mix": None}


@pytest.mark.parametrize("family", ["align", "match"])
def test_a_job_that_failed_for_good_does_not_ask_to_be_polled_again(service: Any, customer: Any, family: str) -> None:
    """It is over: a `503`, with its `Retry-After`, would have clients ask in vain."""
    job_id = service.unserved(customer.account, family, video_id="vid_long", track_id="trk_corner")
    service.workbench("jobs", "cancel", job_id)
    answer = customer.get(f"/v1/{family}/jobs/{job_id}")
    assert "cancelled" in customer.refused(answer, 500)["message"]
    assert "retry-after" not in answer.headers
    # as earlier versions wrote it
    fault = json.dumps({"status": 503, "type": "service_unavailable", "message": "it died 3 times"})
    assert service.changed(jobs.update().where(jobs.c.job_id == job_id).values(fault=fault)) == 1
    answer = customer.get(f"/v1/{family}/jobs/{job_id}")
    assert customer.refused(answer, 500)["message"] == "it died 3 times"
    assert "retry-after" not in answer.headers


@contextmanager
def held_back(service: Any, pair: dict[str, str]) -> Iterator[None]:
    """Keep a loop from being built until the block ends: another job of its build runs as long, here."""
    build = cache_keys.loop_key(*hashes(service, pair), "", str(service.shared(ANALYSIS_REVISION)))
    job_id = service.unserved("tests", "loop")
    far = (datetime.now(UTC) + timedelta(minutes=10)).isoformat(timespec="microseconds")
    held = {"build": build, "queue": "main", "state": "running", "owner": "tests", "lease_until": far}
    assert service.changed(jobs.update().where(jobs.c.job_id == job_id).values(held)) == 1
    try:
        yield
    finally:
        assert service.changed(jobs.delete().where(jobs.c.job_id == job_id)) == 1


def hashes(service: Any, pair: dict[str, str]) -> tuple[str, str]:
    """Of the bytes of a video and a track."""
    database = service.database()
    with database.read() as connection:
        video, track = (
            connection.scalar(sa.select(table.c.content_hash).where(table.c[name] == pair[name]))
            for table, name in ((videos, "video_id"), (tracks, "track_id"))
        )
    database.close()
    return str(video), str(track)


def test_another_account_gets_its_own_job_and_charge_on_the_same_build(service: Any, customer: Any) -> None:
    """A second call by the same account on a pair that is being built answers `202` with the same `job_id`."""
    video_id = customer.fresh_video()
    service.changed(video_owners.update().where(video_owners.c.video_id == video_id).values(account=None))
    other, pair = service.customer(), {"video_id": video_id, "track_id": "trk_2"}
    with held_back(service, pair):
        first, second, foreign = (who.post("/v1/loop", pair) for who in (customer, customer, other))
        assert first.status_code == second.status_code == foreign.status_code == 202
    assert first.json() == second.json()
    assert foreign.json()["job_id"] != first.json()["job_id"]
    mine, theirs = customer.settled(first).json(), other.settled(foreign).json()
    assert mine["plan"] == theirs["plan"]
    for who, result in ((customer, mine), (other, theirs)):
        loops = [row for row in who.charges() if row[0] == "POST /v1/loop"]
        assert loops == [("POST /v1/loop", result["job_id"], 1, "call")]


def test_another_version_of_plans_or_analysis_invalidates_what_is_stored(service: Any, customer: Any) -> None:
    """Raising the plan-format version invalidates cached plans, as everything else does that decides an answer."""
    customer.answered("/v1/loop", PAIR)
    assert customer.post("/v1/loop", PAIR).status_code == 200
    now = shared_values.c.name == ANALYSIS_REVISION
    database = service.database()
    with database.read() as connection:
        revision = connection.scalar(sa.select(shared_values.c.value).where(now))
    database.close()
    service.changed(shared_values.update().where(now).values(value="what an update would make of it"))
    try:
        anew = customer.post("/v1/loop", PAIR)
    finally:
        service.changed(shared_values.update().where(now).values(value=revision))
    assert anew.status_code == 202
    assert customer.settled(anew).json()["applicable"] is True


def test_loop_wants_a_video_30_s_longer_than_the_track(customer: Any) -> None:
    """`200`, `applicable` false, `video_not_longer` and three durations; not retryable; nothing is billed."""
    answer = customer.post("/v1/loop", {"video_id": "vid_short", "track_id": "trk_corner", "auto_mix": True})
    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == LOOP | {"hint", "retryable"}
    plan = body["plan"]
    assert set(plan) == {"applicable", "reason", "video_seconds", "track_seconds", "required_excess_seconds"}
    assert (body["applicable"], plan["applicable"], plan["reason"]) == (False, False, "video_not_longer")
    assert body["retryable"] is False
    assert plan["required_excess_seconds"] == 30
    assert plan["video_seconds"] - plan["track_seconds"] < 30
    assert plan["track_seconds"] == pytest.approx(48, abs=0.1)
    assert customer.ledger() == []


def test_a_plan_is_complete_and_its_arithmetic_agrees(customer: Any) -> None:
    """The LoopPlan table, and contract 4: everything else is computed from the rounded segments."""
    body = customer.answered("/v1/loop", {**PAIR, "track_id": "trk_3"})
    assert body["track"] == {"catalog_song_id": "song_3", "catalog_audio_file_id": "file_3"}
    assert {"hint", "retryable", "mix"} & set(body) == set()
    plan = body["plan"]
    assert PLAN <= set(plan) <= PLAN | {"options", "alternates", "outro_start", "outro_end"}
    assert (plan["applicable"], plan["reason"], plan["version"]) == (True, None, 1)
    parts = plan["segments"]
    assert all(set(part) == {"song_from", "song_to", "gain_db", "gain_in_db"} for part in parts)
    assert len(plan["seam_fades"]) == len(plan["seam_curves"]) == len(plan["seam_times"]) == len(parts) - 1
    assert all(0.5 <= curve <= 1 for curve in plan["seam_curves"])
    assert all(fade >= 0.005 for fade in plan["seam_fades"])
    at = plan["music_in"]
    for part, seam in zip(parts, plan["seam_times"], strict=False):
        at += part["song_to"] - part["song_from"]
        assert at == pytest.approx(seam, abs=1e-6)
    assert plan["music_out"] == plan["window_end"] == pytest.approx(90, abs=0.2)
    assert plan["tail_seconds"] == pytest.approx(plan["window_end"] - plan["music_end"], abs=1e-6)
    assert plan["song_start"] == parts[0]["song_from"]
    options = plan["options"]
    assert 1 <= len(options) <= 4
    assert options[0] == {name: value for name, value in plan.items() if name not in ("options", "alternates")}
    compact = {"loop_start_a", "loop_end_b", "bars", "repeats", "seam_score", "plan_score", "end_label"}
    assert all(set(item) == compact for item in plan["alternates"])
    assert len(plan["alternates"]) == len(options) - 1


@pytest.mark.slow
def test_a_warm_pair_asked_again_with_auto_mix_waits_for_its_mix(customer: Any) -> None:
    """Up to 2 s; it is charged once, as the job that made the mix."""
    pair = {"video_id": customer.fresh_video(), "track_id": "trk_corner"}
    for family in ("loop", "align"):
        plain = customer.answered(f"/v1/{family}", pair)
        before, begin = len(customer.charges()), time.monotonic()
        answer = customer.post(f"/v1/{family}", {**pair, "auto_mix": True})
        if answer.status_code == 202:
            assert time.monotonic() - begin >= 2.0, "a mix that was ready was not served"
            answer = customer.settled(answer)
        else:
            assert "job_id" not in answer.json()
        assert answer.status_code == 200
        assert answer.json()["mix"]["classification"] == "ambient"
        same = "plan" if family == "loop" else "sync_points"
        assert answer.json()[same] == plain[same]
        assert answer.json().get("cached") is (True if family == "align" else None)
        assert len(customer.charges()) == before + 1
        again = customer.post(f"/v1/{family}", {**pair, "auto_mix": True})
        assert again.status_code == 200
        assert again.json()["mix"] == answer.json()["mix"]


def test_auto_mix_adds_the_mix_to_loop_and_align(customer: Any) -> None:
    """Mix only when `auto_mix` was true; null only in a `200` of align."""
    loop, align = (customer.answered(f"/v1/{family}", {**PAIR, "auto_mix": True}) for family in ("loop", "align"))
    for family, body in (("loop", loop), ("align", align)):
        mix = body["mix"]
        # the video has a faint noise for a sound and nobody who speaks
        assert mix == {"voiceover": False, "classification": "ambient", "duck": None}
        warm = customer.post(f"/v1/{family}", {**PAIR, "auto_mix": True})
        assert (warm.status_code, warm.json()["mix"]) == (200, mix)
    assert "mix" not in customer.post("/v1/loop", PAIR).json()
    assert customer.post("/v1/align", PAIR).json()["mix"] is None


def test_sync_points_are_placements_best_first(customer: Any) -> None:
    """Best first, at least 1 s apart, up to 12; label `<landmark> on the <moment> at M:SS.s`."""
    body = customer.answered("/v1/align", PAIR)
    points = body["sync_points"]
    assert len(points) <= 12
    assert all(set(point) == {"offset_seconds", "score", "label"} for point in points)
    scores = [point["score"] for point in points]
    assert scores == sorted(scores, reverse=True)
    assert all(b - a >= 1 for a, b in pairwise(sorted(point["offset_seconds"] for point in points)))
    assert all(-48.1 < point["offset_seconds"] < 90.1 for point in points)
    assert all(LABEL.fullmatch(point["label"]) for point in points)


@pytest.mark.parametrize("family", ["loop", "align"])
def test_unknown_videos_and_tracks_are_404(customer: Any, family: str) -> None:
    for change in ({"video_id": "nobody"}, {"track_id": "nobody"}, {"track_id": "../trk_corner"}):
        customer.refused(customer.post(f"/v1/{family}", {**PAIR, **change}), 404)
    customer.refused(customer.get(f"/v1/{family}/jobs/nobody"), 404)


@pytest.fixture(scope="module")
def second_owner(service: Any) -> Any:
    """Another account with a video of its own."""
    made = service.customer()
    return made, made.fresh_video()


@pytest.mark.parametrize("family", ["loop", "align"])
def test_an_idempotency_key_only_suppresses_a_duplicate_ledger_row(second_owner: Any, family: str) -> None:
    """The request re-executes in full; the key of a cold submit covers its job's row; a new key is a new row."""
    customer, video_id = second_owner
    pair, headers = {"video_id": video_id, "track_id": "trk_corner"}, {"Idempotency-Key": "once"}
    endpoint = f"POST /v1/{family}"

    def rows() -> list[str]:
        return [row[1] for row in customer.charges() if row[0] == endpoint]

    cold = customer.post(f"/v1/{family}", pair, headers=headers)
    assert cold.status_code == 202
    customer.settled(cold)
    retry = customer.post(f"/v1/{family}", pair, headers=headers)
    assert retry.status_code == 200
    assert rows() == [cold.json()["job_id"]]
    # pinned across different calls it silently suppresses billing for all of them
    assert customer.post(f"/v1/{family}", {**pair, "track_id": "trk_2"}, headers=headers).status_code == 200
    assert rows() == [cold.json()["job_id"]]
    fresh = customer.post(f"/v1/{family}", pair, headers={"Idempotency-Key": "twice"})
    assert rows() == [cold.json()["job_id"], fresh.headers["x-request-id"]]


def test_idempotency_keys_are_of_an_account_and_an_endpoint(service: Any, customer: Any) -> None:
    """`Idempotency-Key`: scope: account and endpoint."""
    customer.answered("/v1/loop", PAIR)
    customer.answered("/v1/align", PAIR)
    other, headers = service.customer(), {"Idempotency-Key": "the same"}
    before = len(customer.charges())
    for who in (customer, other):
        for family in ("loop", "align"):
            assert who.post(f"/v1/{family}", PAIR, headers=headers).status_code == 200
    assert len(customer.charges()) == before + 2
    assert len(other.charges()) == 2


@pytest.fixture
def unheard(service: Any, media: Path, tmp_path: Path) -> Iterator[str]:
    """A track whose bytes were never analysed, for each test other ones."""
    track = decode(media / "track.flac")
    samples = track.samples[:, : -1 - next(service.numbers)]
    write_audio(tmp_path / "new.wav", [samples], track.sample_rate, track.channels)
    database = service.database()
    Library(database).add(tmp_path / "new.wav", {}, track_id="trk_unheard")
    yield "trk_unheard"
    Library(database).remove("trk_unheard")
    database.close()


def asked_until_analysed(customer: Any, track_id: str) -> dict[str, Any]:
    """What a loop of a track comes to that was never analysed, which the first answer says."""
    answer = customer.post("/v1/loop", {**PAIR, "track_id": track_id})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert set(body) == LOOP | {"hint", "retryable"}
    assert body["plan"] == {"applicable": False, "reason": "missing_profile"}
    assert body["track_id"] == track_id
    assert body["retryable"] is True
    deadline = time.monotonic() + 240
    while body["plan"].get("reason") == "missing_profile":
        assert time.monotonic() < deadline
        assert customer.ledger() == []
        time.sleep(0.2)
        body = customer.post("/v1/loop", {**PAIR, "track_id": track_id}).json()
    return body


def test_a_track_without_analysis_is_a_refusal_while_it_is_made(customer: Any, unheard: str) -> None:
    """A known track whose analysis is missing is `missing_profile`; calling again reads back background work."""
    body = asked_until_analysed(customer, unheard)
    assert body["applicable"] is True
    assert [row[0] for row in customer.charges()] == ["POST /v1/loop"]


def test_a_mix_for_a_track_that_was_just_analysed_is_built_and_charged(
    service: Any, customer: Any, unheard: str
) -> None:
    """An applicable loop is billed, and carries its mix where that was asked for: from the first answer on."""
    assert asked_until_analysed(customer, unheard)["applicable"] is True
    other, pair = service.customer(), {**PAIR, "track_id": unheard, "auto_mix": True}
    built = other.answered("/v1/loop", pair)
    assert (built["applicable"], built["mix"]["voiceover"]) == (True, False)
    assert other.answered("/v1/loop", pair)["mix"] == built["mix"]
    assert [row[0] for row in other.charges()] == ["POST /v1/loop"] * 2


def test_a_track_that_cannot_be_analysed_says_why(service: Any, customer: Any) -> None:
    """Retryable: nothing is cached, nothing is billed."""
    columns = [column for column in tracks.c if column.name not in ("track_id", "content_hash", "path")]
    chosen = sa.select(
        sa.literal("trk_broken"), sa.literal("0" * 64), sa.literal("/nowhere/track.flac"), *columns
    ).where(tracks.c.track_id == "trk_corner")
    service.changed(tracks.insert().from_select(["track_id", "content_hash", "path", *columns], chosen))
    try:
        body = asked_until_analysed(customer, "trk_broken")
    finally:
        service.changed(tracks.delete().where(tracks.c.track_id == "trk_broken"))
    assert set(body) == LOOP | {"hint", "retryable"}
    assert body["plan"] == {"applicable": False, "reason": "audio_unavailable"}
    assert (body["applicable"], body["retryable"], body["track_id"]) == (False, True, "trk_broken")
    assert "/nowhere" not in body["hint"]
    assert customer.ledger() == []
