"""Alive, ready, measured and logged: what stands outside `/v1`, and what it never says."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from service.store import shared_values


def is_error_of_ours(line: dict[str, Any]) -> bool:
    """Whether a line of the log tells of one; the poll of a job that failed is answered with 500 as well."""
    return line.get("event") == "failed" or (line.get("status") == 500 and "/jobs/" not in line.get("path", ""))


def test_healthz_and_readyz_need_no_key(service: Any) -> None:
    for path, said in (("/healthz", {"status": "ok"}), ("/readyz", {"status": "ready"})):
        answer = httpx.get(service.url + path, trust_env=False, timeout=60)
        assert (answer.status_code, answer.json()) == (200, said)


def test_readyz_without_jobs_is_of_database_and_store(bare: Any) -> None:
    """That nobody runs jobs is a metric, and a line in the log."""
    assert httpx.get(bare.url + "/healthz", trust_env=False, timeout=60).status_code == 200
    assert httpx.get(bare.url + "/readyz", trust_env=False, timeout=60).status_code == 200
    metrics = httpx.get(bare.url + "/metrics", trust_env=False, timeout=60).text
    assert 'workbench_workers{queue="main"} 0.0' in metrics
    said = [line for line in bare.log_lines() if line.get("event") == "no worker"]
    assert said
    assert set(said[0]["queues"]) == {"main", "beats", "long beats", "fetch"}


def test_readyz_does_not_wait_for_what_has_stalled_and_a_caller_who_goes_is_no_failure(bare: Any) -> None:
    """Probes wait for some seconds only; a store that stalls may take half a minute."""
    database, address, before = bare.database(), urlsplit(bare.url), len(bare.log_lines())
    with database.write() as connection:
        shared_values.set_value(connection, shared_values.WRITTEN_AT, "held")  # as the look does, which waits for it
        ready = partial(httpx.get, bare.url + "/readyz", trust_env=False, timeout=60)
        # A look of the test before counts for a second.
        bare.wait_for(lambda: "has not answered" in ready().text, "it stalls")
        answer = ready()
        assert "has not answered" in bare.refused(answer, 503)["message"]
        assert answer.elapsed.total_seconds() < 10  # the database would let it wait for thirty
        with socket.create_connection((address.hostname, address.port), timeout=60) as gone:
            gone.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        bare.wait_for(lambda: any(line.get("status") == 499 for line in bare.log_lines()), "its end is in the log")
    database.close()
    assert list(filter(is_error_of_ours, bare.log_lines()[before:])) == []


def test_metrics_count_by_family_and_name_nobody(service: Any, customer: Any) -> None:
    """`GET /metrics` (Prometheus): no account, key or amount in it."""
    customer.post("/v1/underscore", {"script": "Counted."})
    customer.answered("/v1/loop", {"video_id": "vid_long", "track_id": "trk_corner"})
    customer.get("/v1/videos/nobody-but-me")
    answer = httpx.get(service.url + "/metrics", trust_env=False, timeout=60)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert re.search(
        r'workbench_requests_total\{[^}]*family="underscore",method="POST",status="200"[^}]*\} [1-9]', answer.text
    )
    assert 'workbench_pool_slots{queue="main"}' in answer.text
    assert 'workbench_pool_busy_slots{queue="main"}' in answer.text
    assert 'workbench_workers{queue="main"} 1.0' in answer.text
    for name in ("workbench_request_seconds_bucket", "workbench_answers_total", "workbench_jobs_total"):
        assert name in answer.text
    for secret in (customer.account, customer.key, "sk_live", "key_", "usd", "micros", "nobody-but-me", "req_"):
        assert secret not in answer.text


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_metrics_are_for_loopback_callers_only(service: Any, header: str) -> None:
    answer = httpx.get(service.url + "/metrics", headers={header: "for=203.0.113.9"}, trust_env=False, timeout=60)
    service.refused(answer, 404)


def test_log_lines_are_json_with_the_request_id_and_no_secret(service: Any, customer: Any) -> None:
    """`X-Request-Id` in every response and log line; no secret and no key in any of them."""
    target = customer.post("/v1/videos", {"filename": "a.mp4"}).json()
    httpx.put(target["upload_url"], content=b"bytes", trust_env=False, timeout=60)
    answer = customer.get("/v1/videos/nobody", headers={"Idempotency-Key": "my-very-own"})

    def mine() -> list[dict[str, Any]]:
        return [line for line in service.log_lines() if line.get("request_id") == answer.headers["x-request-id"]]

    service.wait_for(lambda: bool(mine()), "the request's line is in the log")  # written after the answer is sent
    assert [(line["status"], line["method"]) for line in mine()] == [(404, "GET")]
    text = service.log.read_text()
    signature = target["upload_url"].partition("signature=")[2]
    for secret in (customer.key, "sk_live_", signature, "Bearer", "my-very-own", "c2VjcmV0"):
        assert secret not in text


def test_a_trace_goes_from_the_request_through_its_log_line_to_its_job(service: Any, customer: Any, site: Any) -> None:
    """`traceparent` (W3C Trace Context) is accepted and returned, and names the lines of request and job."""
    trace_id, caller = secrets.token_hex(16), secrets.token_hex(8)
    body = {"audio_url": f"{site.url}/track.flac"}
    ticket = customer.post("/v1/beats", body, headers={"traceparent": f"00-{trace_id}-{caller}-01"})
    returned = re.fullmatch(rf"00-{trace_id}-([0-9a-f]{{16}})-01", ticket.headers["traceparent"])
    assert returned is not None
    assert returned[1] != caller
    assert customer.settled(ticket).status_code == 200

    def lines() -> list[dict[str, Any]]:
        return [line for line in service.log_lines() if line.get("trace_id") == trace_id]

    def of_job() -> set[str]:
        return {line["event"] for line in lines() if line.get("job_id") == ticket.json()["job_id"]}

    # a line is written after the answer, or the transaction that the poll has seen
    service.wait_for(lambda: {"job started", "job settled"} <= of_job(), "the job's lines are in the log")
    service.wait_for(lambda: any(line["event"] == "answered" for line in lines()), "the request's line is in the log")
    ours = next(line for line in lines() if line["event"] == "answered")
    assert (ours["request_id"], ours["span_id"]) == (ticket.headers["x-request-id"], returned[1])


def test_errors_are_traced_too_malformed_requests_included(service: Any, customer: Any) -> None:
    trace_id = secrets.token_hex(16)
    header = f"00-{trace_id}-{'1' * 16}-00"
    assert trace_id in customer.get("/v1/nowhere", headers={"traceparent": header}).headers["traceparent"]
    broken = service.raw(b"GET /v1/\xff HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n")
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-00", broken.headers["traceparent"])


def test_nothing_went_wrong_in_all_of_this(service: Any) -> None:
    """No request of these tests met an error of ours."""
    assert list(filter(is_error_of_ours, service.log_lines())) == []


@pytest.mark.slow
def test_a_backup_of_a_running_service_is_a_service_again(
    service: Any, customer: Any, settings: dict[str, str], start: Any, environment: Any, tmp_path: Path
) -> None:
    """Keys, ledgers, videos and answers: all as they were, in a home of another place."""
    pair = {"video_id": customer.fresh_video(), "track_id": "trk_corner"}
    loop = customer.answered("/v1/loop", pair)
    made = json.loads(service.workbench("backup", str(tmp_path / "backup.tar")))
    assert made["files"] >= 1
    assert made["missing"] == []
    ledger = customer.ledger()
    home = tmp_path / "restored" / "home"
    home.parent.mkdir()
    command = [
        sys.executable,
        "-m",
        "workbench",
        "backup",
        "--restore",
        str(tmp_path / "backup.tar"),
        "--home",
        str(home),
    ]
    subprocess.run(command, check=True, capture_output=True, env=environment(home, settings))
    again = start(home, settings)
    try:
        with httpx.Client(
            base_url=again.url, headers={"x-api-key": customer.key}, timeout=60, trust_env=False
        ) as client:
            assert client.get(f"/v1/videos/{pair['video_id']}").json()["ready"] is True
            warm = client.post("/v1/loop", json=pair)
            revisions = {one.shared(shared_values.ANALYSIS_REVISION) for one in (service, again)}
            assert len(revisions) == 1, "workbench/ was edited while the tests ran"
            assert warm.status_code == 200, warm.text
            assert warm.json()["plan"] == loop["plan"]
            align = client.post("/v1/align", json=pair)  # from the bytes, which lie in another home now
            found = again.settled(client, align) if align.status_code == 202 else align
            assert found.json()["status"] == "complete"
        assert again.ledger(customer.account)[: len(ledger)] == ledger
    finally:
        assert again.stop() == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 64 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(disk)]
    mounted = subprocess.run(command, capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("a file system can be mounted by root alone, and not in every container")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.slow
def test_a_full_disk_is_told_and_what_costs_nothing_still_answers(
    small_disk: Path, media: Path, settings: dict[str, str], start: Any
) -> None:
    service = start(small_disk / "home", settings)
    try:
        customer = service.customer()
        target = customer.upload(media / "short.mp4")
        ingest = f"/v1/videos/{target['video_id']}/ingest"
        answer = customer.post(ingest, {"storage_key": target["storage_key"]})
        assert customer.settled(answer).json()["status"] == "ready"
        spare = customer.post("/v1/videos", {"filename": "b.mp4"}).json()
        filler = small_disk / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        full = httpx.get(service.url + "/readyz", trust_env=False, timeout=60)
        assert "no space left on device" in service.refused(full, 503)["message"]
        assert full.headers["retry-after"]
        sent = httpx.put(spare["upload_url"], content=bytes(2**20), trust_env=False, timeout=60)
        assert "or the files" in service.refused(sent, 503)["message"]
        left = []
        for _ in range(3):
            video = customer.get(f"/v1/videos/{target['video_id']}")
            assert (video.status_code, video.json()["ready"]) == (200, True)
            left.append(int(video.headers["x-ratelimit-remaining"]))
        assert left == sorted(left, reverse=True)
        assert len(set(left)) == 3
        customer.refused(customer.get("/v1/loop/jobs/job_nobody"), 404)
        # What cannot be answered anyway is refused as ever, and what could be is not the caller's fault.
        pair = {"video_id": target["video_id"], "track_id": "trk_corner"}
        customer.refused(customer.post("/v1/loop", {**pair, "colour": "red"}), 422)
        as_json = {"content-type": "application/json"}
        customer.refused(customer.post("/v1/loop", content=b"{", headers=as_json), 400)
        customer.refused(customer.post("/v1/loop", content=b"{}", headers={"content-type": "text/plain"}), 415)
        customer.refused(customer.post("/v1/loop", {**pair, "auto_mix": " " * 9000}), 413)
        # A call is counted before its track is looked for: a database that lies elsewhere has room for that.
        counted = "WORKBENCH_DATABASE_URL" in service.environment
        customer.refused(customer.post("/v1/loop", pair), 404 if counted else 503)
        service.refused(httpx.post(service.url + "/v1/loop", json={}, trust_env=False, timeout=60), 401)
        filler.unlink()
        # A look at what is missing counts for a second.
        ready = partial(httpx.get, service.url + "/readyz", trust_env=False, timeout=60)
        service.wait_for(lambda: ready().status_code == 200, "ready again once there is room")
        assert customer.post("/v1/videos", {"filename": "a.mp4"}).status_code == 201
    finally:
        assert service.stop() == 0
