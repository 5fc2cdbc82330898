"""Beats: always a job, in a queue of its own; a true idempotency key; billed by the minute of audio."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from service.store import jobs
from service.store.jobs import NewJob
from service.store.tables import idempotency_keys
from service.store.tables import jobs as rows
from workbench.media.audio import write_audio

RUNNING = {"job_id", "track_id", "status", "stage", "poll"}
GRID = {
    "job_id", "track_id", "status", "duration_seconds", "tempo_bpm", "beats", "downbeats", "billed_minutes", "cached",
}  # fmt: skip


def long_ago(**ago: float) -> str:
    return (datetime.now(UTC) - timedelta(**ago)).isoformat(timespec="microseconds")


def test_beats_always_answers_a_job_and_then_the_grid(customer: Any, site: Any) -> None:
    """Running: `job_id`, `track_id`, `status`, `stage`, `poll`, no `next`; `track_id` echoes whatever was sent."""
    answer = customer.post("/v1/beats", {"audio_url": f"{site.url}/track.flac", "track_id": "my own/17"})
    assert answer.status_code == 202
    body = answer.json()
    assert set(body) == RUNNING
    assert (body["track_id"], body["status"], body["stage"]) == ("my own/17", "processing", "queued")
    assert body["poll"] == f"/v1/beats/{body['job_id']}"
    settled = customer.settled(answer)
    assert settled.status_code == 200
    grid = settled.json()
    assert set(grid) == GRID
    assert (grid["job_id"], grid["track_id"], grid["status"]) == (body["job_id"], "my own/17", "complete")
    assert grid["duration_seconds"] == pytest.approx(48, abs=0.1)
    assert grid["billed_minutes"] == 1  # rounded up, minimum one
    assert grid["cached"] is False
    assert 40 <= grid["tempo_bpm"] <= 300
    assert len(grid["beats"]) > 40
    assert all(a < b for a, b in pairwise(grid["beats"]))
    assert grid["beats"][0] >= 0
    assert grid["beats"][-1] <= grid["duration_seconds"]
    assert grid["downbeats"]
    assert set(grid["downbeats"]) <= set(grid["beats"])
    assert customer.charges() == [("POST /v1/beats", body["job_id"], 1, "minute")]


@pytest.mark.slow
def test_long_sound_holds_nobody_up(service: Any, customer: Any, acme: Any, site: Any, media: Any) -> None:
    """A track of another account is done within a minute beside an hour of sound in one slot."""
    write_audio(media / "hour.flac", [np.zeros((1, 8000 * 3600), np.float32)], 8000, 1)
    hour = acme.post("/v1/beats", json={"audio_url": f"{site.url}/hour.flac"})
    began = time.monotonic()
    assert customer.settled(customer.post("/v1/beats", {"audio_url": f"{site.url}/track.flac"})).status_code == 200
    assert time.monotonic() - began < 60
    assert service.settled(acme, hour).json()["billed_minutes"] == 60


def test_a_repeat_with_the_same_key_returns_the_original_job(customer: Any, site: Any) -> None:
    """It answers `202` with the original job's submit body, finished or not, and starts no second job."""
    request, headers = {"audio_url": f"{site.url}/track.flac", "track_id": "a"}, {"Idempotency-Key": "once"}
    first = customer.post("/v1/beats", request, headers=headers)
    second = customer.post("/v1/beats", request, headers=headers)
    customer.settled(first)
    third = customer.post("/v1/beats", request, headers=headers)
    assert first.status_code == second.status_code == third.status_code == 202
    assert first.json() == second.json() == third.json()
    customer.update("--no-payment-method")
    assert customer.post("/v1/beats", request, headers=headers).json() == first.json()  # nothing new is bought
    assert len(customer.charges()) == 1


def test_a_key_reused_for_a_different_request_answers_422(customer: Any, site: Any) -> None:
    headers = {"Idempotency-Key": "once"}
    request = {"audio_url": f"{site.url}/track.flac"}
    assert customer.post("/v1/beats", request, headers=headers).status_code == 202
    customer.update("--no-payment-method")  # fields come before payment
    for other in ({"audio_url": f"{site.url}/other.flac"}, {**request, "track_id": "a"}):
        error = customer.refused(customer.post("/v1/beats", other, headers=headers), 422)
        assert "Idempotency-Key" in error["message"]


def test_a_key_is_honoured_for_24_hours(service: Any, customer: Any, site: Any) -> None:
    request, headers = {"audio_url": f"{site.url}/track.flac"}, {"Idempotency-Key": "daily"}
    first = customer.post("/v1/beats", request, headers=headers)
    mine = idempotency_keys.update().where(idempotency_keys.c.account == customer.account)
    assert service.changed(mine.values(created_at=long_ago(hours=23, minutes=59))) == 1
    assert customer.post("/v1/beats", request, headers=headers).json()["job_id"] == first.json()["job_id"]
    service.changed(mine.values(created_at=long_ago(hours=24, seconds=1)))
    second = customer.post("/v1/beats", request, headers=headers)
    assert second.json()["job_id"] != first.json()["job_id"]
    for submitted in (first, second):  # two jobs run at a time, so either may be settled first
        customer.settled(submitted)
    assert len(customer.charges()) == 2


def test_a_key_is_the_accounts_own(service: Any, customer: Any, site: Any) -> None:
    request, headers = {"audio_url": f"{site.url}/track.flac"}, {"Idempotency-Key": "shared"}
    other = service.customer()
    found = {who.post("/v1/beats", request, headers=headers).json()["job_id"] for who in (customer, other)}
    assert len(found) == 2


@pytest.mark.parametrize("name", ["nothing.mp4", "absent.flac"])
def test_a_failed_beats_job_answers_422_and_is_not_billed(customer: Any, site: Any, name: str) -> None:
    settled = customer.settled(customer.post("/v1/beats", {"audio_url": f"{site.url}/{name}"}))
    error = customer.refused(settled, 422)
    assert error["type"] == "invalid_request"
    assert "details" not in error
    assert "/tmp" not in error["message"]
    assert customer.ledger() == []


def test_a_job_past_its_retention_expires_unbilled(service: Any, customer: Any, site: Any) -> None:
    """Sat in the queue past its retention: `422`, not billed."""
    database = service.database()
    request = {"audio_url": f"{site.url}/track.flac"}
    with database.write() as connection:
        new = NewJob(
            "beats", jobs.FETCH, customer.account, f"beats:late:{customer.account}", request=request,
            endpoint="POST /v1/beats", charge_key="",
        )  # fmt: skip
        job = jobs.submit(connection, new)
        held = jobs.take(connection, job.job_id, "tests")  # the claim of its fetch, which is handed over
        assert held is not None
        assert jobs.hand_over(connection, held, jobs.BEATS)
        connection.execute(rows.update().where(rows.c.job_id == job.job_id).values(created_at=long_ago(hours=2)))
    database.close()
    answer = customer.get(f"/v1/beats/{job.job_id}")
    if answer.status_code == 202:
        answer = customer.settled(answer)
    customer.refused(answer, 422)
    assert customer.ledger() == []


def test_a_running_beats_job_polls_as_202(service: Any, customer: Any) -> None:
    job_id = service.unserved(customer.account, "beats", track_id="a")
    customer.update("--no-payment-method")
    answer = customer.get(f"/v1/beats/{job_id}")
    assert answer.status_code == 202
    assert set(answer.json()) == RUNNING
    customer.refused(service.customer().get(f"/v1/beats/{job_id}"), 403)
    customer.refused(customer.get("/v1/beats/nobody"), 404)


@pytest.mark.slow
def test_of_two_accounts_that_wait_none_is_given_more_than_half_of_the_slots(
    tmp_path: Path, start: Any, settings: dict[str, str], site: Any
) -> None:
    """The slots of a queue are those of all workers: of six for downloads, three each, though one asked long before."""
    service = start(tmp_path / "home", {**settings, "WORKBENCH_FETCH_SLOTS": "3"}, "--no-jobs")
    first, second = service.customer(), service.customer()
    site.gate.clear()
    command = [sys.executable, "-m", "workbench", "worker", "--home", str(service.home)]
    workers = list[subprocess.Popen[bytes]]()
    database = service.database()

    def held() -> Counter[str]:
        running = (rows.c.state == "running") & (rows.c.queue == jobs.FETCH)
        with database.read() as connection:
            return Counter(connection.scalars(sa.select(rows.c.account).where(running)))

    try:
        request = {"audio_url": f"{site.url}/held/track.flac"}
        answers = [customer.post("/v1/beats", request) for customer in [first] * 8 + [second] * 4]
        workers += [subprocess.Popen(command, env=service.environment, stdout=subprocess.PIPE) for _ in range(2)]
        service.wait_for(lambda: held().total() == 6, "every slot has a download")
        assert held() == {first.account: 3, second.account: 3}
        site.gate.set()
        assert service.settled(second.client, answers[-1]).status_code == 200
    finally:
        site.gate.set()
        for worker in workers:
            worker.terminate()
            worker.communicate(timeout=120)
        database.close()
        assert service.stop() == 0
