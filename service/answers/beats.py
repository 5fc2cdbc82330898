"""Answers of `/v1/beats`: always a job, in a queue of its own; a repeated Idempotency-Key returns the first job."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import Connection
from ulid import ULID

from service.answers.answer import Answer, Call, find_polled
from service.errors import Problem
from service.money import funds
from service.prices import MINUTE
from service.schemas.requests import BeatsRequest
from service.store import idempotency_keys, jobs
from service.store.jobs import Job, NewJob


def submit(connection: Connection, call: Call, request: BeatsRequest) -> Answer:
    """Answer `POST /v1/beats`: 202 with the job; a repeat gets the same body, in any state of the job."""
    fingerprint = hashlib.sha256(json.dumps(request.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()
    if call.idempotency_key is not None:
        idempotency_keys.lock(connection, call.account, call.endpoint, call.idempotency_key)
        before = idempotency_keys.find(connection, call.account, call.endpoint, call.idempotency_key)
        if before is not None:
            if before.fingerprint != fingerprint:
                raise Problem(422, "this Idempotency-Key came with a different request before")
            original = jobs.get(connection, before.job_id)
            if original is not None:
                return Answer(202, _running(original, jobs.QUEUED_STAGE))
    job = funds.accept(
        connection,
        call.caller,
        NewJob(
            kind="beats",
            queue=jobs.FETCH,
            account=call.account,
            traceparent=call.traceparent,
            build=f"beats:{ULID()}",
            track_id=request.track_id,
            request={"audio_url": request.audio_url},
            endpoint=call.endpoint,
            unit=MINUTE,
            charge_key="",
        ),
    )
    if call.idempotency_key is not None:
        idempotency_keys.save(connection, call.account, call.endpoint, call.idempotency_key, fingerprint, job.job_id)
    return Answer(202, _running(job, jobs.QUEUED_STAGE))


def poll(connection: Connection, call: Call, job_id: str) -> Answer:
    """Answer `GET /v1/beats/{job_id}`: 200 with the grid, 202 with the stage until the job is complete."""
    job = find_polled(connection, call, job_id, "beats")
    if job.state == "complete":
        return Answer(200, job.answer or {})
    return Answer(202, _running(job, job.stage))


def _running(job: Job, stage: str) -> dict[str, Any]:
    return {
        "job_id": job.job_id,
        "track_id": job.track_id,
        "status": "processing",
        "stage": stage,
        "poll": f"/v1/beats/{job.job_id}",
    }
