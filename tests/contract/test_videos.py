"""Videos: an address or an upload, the ingest, the record, and what it costs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

MOST_BYTES = 20 * 2**20
DONE = {"video_id", "status", "ready", "title"}


def put(url: str, content: Any, **headers: str) -> httpx.Response:
    """Send bytes to an upload target, as anybody can."""
    return httpx.put(url, content=content, headers=headers, trust_env=False, timeout=60)


def test_an_address_answers_202_and_becomes_ready(customer: Any, site: Any) -> None:
    """`POST /v1/videos` returns only `video_id`, `status`, `poll`; poll is `/v1/videos/{video_id}`."""
    answer = customer.post("/v1/videos", {"video_url": f"{site.url}/long.mp4"})
    body = answer.json()
    video_id = body["video_id"]
    assert body == {"video_id": video_id, "status": "processing", "poll": f"/v1/videos/{video_id}"}
    assert video_id.startswith("vid_")
    record = customer.settled(answer).json()
    assert record == {"video_id": video_id, "status": "ready", "ready": True, "title": "long.mp4"}
    # Charged when ready, minutes rounded up: 90 s are two.
    assert customer.charges() == [("POST /v1/videos", video_id, 2, "minute")]


def test_the_title_is_the_containers_own(customer: Any, site: Any) -> None:
    """`title` from the container's metadata, else the file name or URL's last path part."""
    record = customer.settled(customer.post("/v1/videos", {"video_url": f"{site.url}/short.mp4?x=y"})).json()
    assert record["title"] == "A short video"
    assert customer.charges() == [("POST /v1/videos", record["video_id"], 1, "minute")]  # at least one


def test_the_same_url_again_is_a_new_video(customer: Any, site: Any) -> None:
    first, second = (customer.post("/v1/videos", {"video_url": f"{site.url}/short.mp4"}) for _ in range(2))
    assert first.json()["video_id"] != second.json()["video_id"]
    for answer in (first, second):
        assert customer.settled(answer).json()["ready"] is True
    assert len(customer.charges()) == 2


@pytest.mark.parametrize(
    ("name", "why"),
    [("nothing.mp4", "video|media|read"), ("huge.mp4", "bytes|large|MiB|GiB|limit"), ("absent.mp4", "404")],
)
def test_a_source_that_is_no_video_fails_later_with_a_reason(customer: Any, site: Any, name: str, why: str) -> None:
    """Only the URL's shape is validated at submit; no `413`, no `415`; a failed video is not charged.

    A `422` on a later request says to re-submit the video.
    """
    answer = customer.post("/v1/videos", {"video_url": f"{site.url}/{name}"})
    record = customer.settled(answer).json()
    assert set(record) == DONE | {"reason"}
    assert (record["status"], record["ready"]) == ("failed", False)
    assert any(word in record["reason"] for word in why.split("|")), record["reason"]
    assert "/tmp" not in record["reason"]
    assert str(site.folder) not in record["reason"]
    pair = {"video_id": record["video_id"], "track_id": "trk_corner"}
    for path, body in (("/v1/loop", pair), ("/v1/align", pair), ("/v1/match", {"video_id": record["video_id"]})):
        error = customer.refused(customer.post(path, body), 422)
        assert "submit it again as a new video" in error["message"]
        assert "details" not in error
    # the track is asked for before that
    for path in ("/v1/loop", "/v1/align"):
        customer.refused(customer.post(path, {**pair, "track_id": "nobody"}), 404)
    assert customer.charges() == []
    lines = map(json.loads, customer.service.workbench("videos", "list").splitlines())
    (listed,) = (line for line in lines if line["video_id"] == record["video_id"])
    assert (listed["status"], listed["account"], listed["reason"]) == ("failed", customer.account, record["reason"])


def test_an_upload_target_has_all_that_is_needed(customer: Any) -> None:
    """UploadTarget (`201`): absolute URL, PUT, headers, storage_key, expiry in an hour; nothing is charged."""
    before = datetime.now(UTC)
    answer = customer.post("/v1/videos", {"filename": "my video.mp4", "content_type": "video/mp4"})
    assert answer.status_code == 201
    target = answer.json()
    assert set(target) == {"video_id", "upload_url", "method", "headers", "storage_key", "expires_at"}
    assert target["method"] == "PUT"
    assert target["headers"] == {"Content-Type": "video/mp4"}
    assert target["upload_url"].startswith(f"{customer.service.url}/v1/uploads/{target['storage_key']}?")
    expires = datetime.fromisoformat(target["expires_at"])
    assert timedelta(minutes=59) < expires - before < timedelta(minutes=61)
    query = parse_qs(urlsplit(target["upload_url"]).query)
    assert set(query) == {"expires", "signature"}
    assert int(query["expires"][0]) == int(expires.timestamp())
    record = customer.get(f"/v1/videos/{target['video_id']}").json()
    assert record["title"] == "my video.mp4"
    assert record["ready"] is False
    assert customer.ledger() == []


def test_an_upload_is_ingested_and_charged_once(customer: Any, media: Path) -> None:
    """PUT answers `{storage_key, bytes}`; ingest answers a VideoJob; repeated: the same, with the current `status`."""
    data = (media / "long.mp4").read_bytes()
    target = customer.post("/v1/videos", {"filename": "walk.mp4"}).json()
    sent = put(target["upload_url"], data, **target["headers"])
    assert sent.status_code == 200
    assert sent.headers["x-request-id"]
    assert sent.json() == {"storage_key": target["storage_key"], "bytes": len(data)}
    path, body = f"/v1/videos/{target['video_id']}/ingest", {"storage_key": target["storage_key"]}
    answer = customer.post(path, body)
    expected = {"video_id": target["video_id"], "status": "processing", "poll": f"/v1/videos/{target['video_id']}"}
    assert (answer.status_code, answer.json()) == (202, expected)
    again = customer.post(path, body)
    assert again.status_code == 202
    assert set(again.json()) == set(expected)
    assert customer.settled(answer).json()["title"] == "walk.mp4"
    ready = customer.post(path, body)
    assert (ready.status_code, ready.json()) == (202, {**expected, "status": "ready"})
    begun = customer.refused(put(target["upload_url"], data), 409)
    assert "POST /v1/videos makes another" in begun["message"]
    assert customer.charges() == [("POST /v1/videos/{video_id}/ingest", target["video_id"], 2, "minute")]


def test_a_second_put_before_ingest_replaces_the_first_whole(customer: Any, media: Path) -> None:
    target = customer.upload(media / "nothing.mp4")
    assert put(target["upload_url"], (media / "short.mp4").read_bytes()).status_code == 200
    answer = customer.post(f"/v1/videos/{target['video_id']}/ingest", {"storage_key": target["storage_key"]})
    assert customer.settled(answer).json()["status"] == "ready"


def test_ingest_before_the_upload_is_409_and_with_a_wrong_key_422(customer: Any, media: Path) -> None:
    target, other = (customer.post("/v1/videos", {"filename": "a.mp4"}).json() for _ in range(2))
    path = f"/v1/videos/{target['video_id']}/ingest"
    assert customer.refused(customer.post(path, {"storage_key": target["storage_key"]}), 409)["type"] == "conflict"
    for key in (other["storage_key"], "nonsense"):
        error = customer.refused(customer.post(path, {"storage_key": key}), 422)
        assert error["details"][0]["field"] == "storage_key"
    customer.refused(customer.post("/v1/videos/nobody/ingest", {"storage_key": "x"}), 404)


def test_a_missing_bad_or_expired_signature_is_403(customer: Any) -> None:
    target, other = (customer.post("/v1/videos", {"filename": "a.mp4"}).json() for _ in range(2))
    url, path = target["upload_url"], f"/v1/uploads/{target['storage_key']}"
    plain = url.partition("?")[0]
    query = parse_qs(urlsplit(url).query)
    expires, signature = query["expires"][0], query["signature"][0]
    for bad in (
        plain,
        f"{plain}?expires={expires}",
        f"{plain}?signature={signature}",
        f"{plain}?expires={int(expires) + 1}&signature={signature}",
        f"{plain}?expires={expires}&signature={'0' * len(signature)}",
        f"{plain}?expires=soon&signature={signature}",
        f"{plain}?expires={'9' * 40}&signature={signature}",
        other["upload_url"].partition("?")[0] + "?" + url.partition("?")[2],
        customer.service.link(path, -1),
    ):
        customer.refused(put(bad, b"bytes"), 403)
    assert put(customer.service.link(path, 300), b"bytes").status_code == 200
    for more in ("overwrite=false", "expires=0"):
        assert customer.refused(put(f"{url}&{more}", b"bytes"), 422)["details"]
    customer.refused(put(customer.service.link("/v1/uploads/upl_nobody", 300), b"bytes"), 404)


def test_a_page_of_an_origin_that_is_named_may_send_an_upload(customer: Any, media: Path) -> None:
    target = customer.upload(media / "short.mp4")
    for origin, allowed in (("https://music.example", True), ("https://other.example", False)):
        asked = {"origin": origin, "access-control-request-method": "PUT"}
        preflight = httpx.request("OPTIONS", target["upload_url"], headers=asked, trust_env=False, timeout=60)
        assert preflight.status_code == 204
        refused = put(target["upload_url"] + "0", b"bytes", origin=origin)
        sent = put(target["upload_url"], (media / "short.mp4").read_bytes(), origin=origin)
        assert (refused.status_code, sent.status_code) == (403, 200)
        for answer in (preflight, refused, sent):
            assert answer.headers.get("access-control-allow-origin") == (origin if allowed else None)
        assert preflight.headers["access-control-allow-methods"] == "PUT"


def test_an_upload_over_the_limit_is_413_and_leaves_what_was_there(customer: Any, media: Path) -> None:
    target = customer.upload(media / "short.mp4")
    url = target["upload_url"]
    customer.refused(put(url, bytes(MOST_BYTES + 1)), 413)
    customer.refused(put(url, (bytes(2**20) for _ in range(21))), 413)  # in chunks, of unknown length
    customer.refused(put(url, b""), 400)
    answer = customer.post(f"/v1/videos/{target['video_id']}/ingest", {"storage_key": target["storage_key"]})
    assert customer.settled(answer).json()["status"] == "ready"


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Content-Range": "bytes 100-199/200"}, 400), ({"Content-Encoding": "gzip"}, 415)],
)
def test_a_part_of_a_video_is_not_taken_for_all_of_it(
    customer: Any, media: Path, headers: dict[str, str], status: int
) -> None:
    target = customer.upload(media / "short.mp4")
    customer.refused(put(target["upload_url"], bytes(100), **headers), status)
    ingest = f"/v1/videos/{target['video_id']}/ingest"
    answer = customer.post(ingest, {"storage_key": target["storage_key"]})
    assert customer.settled(answer).json()["status"] == "ready"


def test_an_upload_is_broken_off_leaves_what_was_there(service: Any, customer: Any, media: Path) -> None:
    """An upload that was acknowledged is whole; one that was not has never been."""
    target = customer.upload(media / "short.mp4")
    parts = urlsplit(target["upload_url"])
    head = f"PUT {parts.path}?{parts.query} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    service.refused(service.raw(head, b"5\r\nhello\r\nxyz\r\n"), 400)
    answer = customer.post(f"/v1/videos/{target['video_id']}/ingest", {"storage_key": target["storage_key"]})
    assert customer.settled(answer).json()["status"] == "ready"


def test_402_is_checked_where_the_charge_is_incurred(customer: Any, site: Any, media: Path) -> None:
    """At `POST /v1/videos` with a URL, at match's `video_url`, and at ingest of an upload; `GET` never."""
    target = customer.upload(media / "short.mp4")
    customer.update("--no-payment-method")
    url = {"video_url": f"{site.url}/short.mp4"}
    customer.refused(customer.post("/v1/videos", url), 402)
    customer.refused(customer.post("/v1/match", url), 402)
    path, body = f"/v1/videos/{target['video_id']}/ingest", {"storage_key": target["storage_key"]}
    customer.refused(customer.post(path, body), 402)
    assert customer.get(f"/v1/videos/{target['video_id']}").status_code == 200
    assert customer.post("/v1/videos", {"filename": "a.mp4"}).status_code == 201
    customer.update("--payment-method")
    assert customer.settled(customer.post(path, body)).json()["ready"] is True


def test_shared_videos_are_everybodys_to_use_and_nobodys_to_ingest(customer: Any) -> None:
    assert customer.get("/v1/videos/vid_long").json()["ready"] is True
    customer.refused(customer.post("/v1/videos/vid_long/ingest", {"storage_key": "x"}), 422)


def test_while_a_video_is_ingesting(customer: Any, site: Any) -> None:
    """Loop and align answer a VideoJob without `next` and without `job_id`; match a Job, which waits for the video."""
    site.gate.clear()
    try:
        answer = customer.post("/v1/videos", {"video_url": f"{site.url}/held/short.mp4"})
        video = answer.json()
        assert customer.get(video["poll"]).json()["status"] == "processing"
        pair = {"video_id": video["video_id"], "track_id": "trk_corner"}
        for path in ("/v1/loop", "/v1/align"):
            waiting = customer.post(path, pair)
            assert (waiting.status_code, waiting.json()) == (202, video)
            customer.refused(customer.post(path, {**pair, "track_id": "nobody"}), 404)
        job = customer.post("/v1/match", {"video_id": video["video_id"]})
        assert job.status_code == 202
        assert set(job.json()) == {"video_id", "job_id", "status", "poll", "next"}
        assert customer.get(job.json()["poll"]).status_code == 202
    finally:
        site.gate.set()
    assert customer.settled(answer).json()["ready"] is True
    assert customer.settled(job).json()["status"] == "complete"
    assert [row[0] for row in customer.charges()] == ["POST /v1/videos", "POST /v1/match"]


def test_a_match_job_whose_video_fails_answers_422_at_poll(customer: Any, site: Any) -> None:
    site.gate.clear()
    try:
        video = customer.post("/v1/videos", {"video_url": f"{site.url}/held/nothing.mp4"}).json()
        job = customer.post("/v1/match", {"video_id": video["video_id"]})
        assert job.status_code == 202
    finally:
        site.gate.set()
    customer.refused(customer.settled(job), 422)
    assert customer.charges() == []


@pytest.mark.parametrize(
    "content_type",
    ["video/mp4\r\nX-Evil: 1", "video/\x7fmp4", "\tvideo/mp4", "vidéo/mp4", " ", " video/mp4", "video/mp4 "],
)
def test_a_content_type_that_no_header_can_carry_is_refused(customer: Any, content_type: str) -> None:
    answer = customer.post("/v1/videos", {"filename": "a.mp4", "content_type": content_type})
    error = customer.refused(answer, 422)
    assert [one["field"] for one in error["details"]] == ["content_type"]


@pytest.mark.slow
def test_a_video_that_the_operator_deletes_is_unknown_from_then_on(service: Any, customer: Any) -> None:
    video_id = customer.fresh_video()
    charged = customer.charges()
    answer = customer.post("/v1/align", {"video_id": video_id, "track_id": "trk_corner"})
    if answer.status_code == 202:
        customer.settled(answer)

    def is_idle() -> bool:
        listed = service.workbench("jobs", "list", "--account", customer.account).splitlines()
        return all(json.loads(line)["finished_at"] is not None for line in listed)

    service.wait_for(is_idle, "the ranking ahead of the first match has ended")
    deleted = json.loads(service.workbench("videos", "delete", video_id))
    assert deleted["bytes"] > 0
    assert deleted["jobs"] >= 2
    customer.refused(customer.get(f"/v1/videos/{video_id}"), 404)
    customer.refused(customer.get(answer.json()["poll"]), 404)
    assert customer.charges()[: len(charged)] == charged
