"""Shared by the answers of all families: the call, the answer, the owner of a video or a job, the charge of a call.

The modules of this package do not depend on HTTP. Their functions take an open transaction, the call and a validated
body, and return an `Answer` or raise a `Problem`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from service.errors import Problem, forbidden, not_found
from service.settings import ServiceSettings
from service.store import jobs, tracks, video_owners
from service.store.api_keys import Caller
from service.store.jobs import Job
from service.store.ledger import Charge
from service.store.tracks import TrackFacts
from service.store.video_owners import OwnedVideo


@dataclass(frozen=True, slots=True)
class Call:
    """One request: the part of it that answers use."""

    caller: Caller
    request_id: str
    endpoint: str
    """as `POST /v1/loop`"""
    settings: ServiceSettings
    idempotency_key: str | None = None
    base_url: Callable[[], str] = str
    """says the public address of this service, without a slash at the end; few calls ask, and finding out takes time"""
    traceparent: str | None = None
    """our place in the caller's trace, which the job takes over"""

    @property
    def account(self) -> str:
        """The account that pays."""
        return self.caller.account

    def charge(self) -> Charge:
        """The charge for an answer without a job; a repeated Idempotency-Key is not charged again."""
        return Charge(
            account=self.account,
            endpoint=self.endpoint,
            subject=self.request_id,
            event_key=self.charge_key(f"request:{self.request_id}"),
            key_id=self.caller.key_id,
        )

    def charge_key(self, otherwise: str) -> str:
        """The event key of this call's charge in the ledger: of its Idempotency-Key, or `otherwise` if it has none."""
        if self.idempotency_key is None:
            return otherwise
        return f"idem:{self.account}:{self.endpoint}:{self.idempotency_key}"


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body of a response."""

    status: int
    body: Mapping[str, Any]
    soon: Callable[[Connection], Answer | None] | None = None
    """of a 202 whose job has little left to do, so that the call may wait: the answer; None until the job is complete
    """


def find_video(connection: Connection, call: Call, video_id: str) -> OwnedVideo:
    """The video of an id, if the caller's account may use it; raises Problem: 404, 403."""
    video = video_owners.get(connection, video_id)
    if video is None:
        raise not_found("video")
    if video.account is not None and video.account != call.account:
        raise forbidden("video")
    return video


def require_not_failed(video: OwnedVideo) -> OwnedVideo:
    """Return a video unless its ingest failed; raises Problem, 422, with the reason of the failure."""
    if video.status == "failed":
        raise Problem(422, f"the video failed to process, submit it again as a new video: {video.reason}")
    return video


def find_track(connection: Connection, track_id: str) -> TrackFacts:
    """The track of an id; raises Problem, 404."""
    track = tracks.get(connection, track_id)
    if track is None:
        raise not_found("track")
    return track


def find_polled(connection: Connection, call: Call, job_id: str, kind: str) -> Job:
    """The job of an id, if it is of the kind; raises Problem: 404, 403, the fault of a failed job."""
    job = jobs.get(connection, job_id)
    if job is None or job.kind != kind:
        raise not_found("job")
    if job.account != call.account:
        raise forbidden("job")
    if job.state == "failed":
        raise_fault(job)
    return job


def raise_fault(job: Job) -> None:
    """Raise the fault of a failed job; a 503 becomes a 500, because nothing will come of another poll."""
    fault = job.fault or {"status": 500, "message": "the job failed"}
    status = int(fault["status"])
    raise Problem(500 if status == 503 else status, str(fault["message"]))


def video_job(video_id: str, status: str = "processing", next_step: str | None = None) -> Answer:
    """202 with the ticket of an ingest."""
    body: dict[str, Any] = {"video_id": video_id, "status": status, "poll": f"/v1/videos/{video_id}"}
    if next_step is not None:
        body["next"] = next_step
    return Answer(202, body)
