"""Spans of the jobs that a worker runs: one an attempt, and in it one a stage.

    request                    of the HTTP process that accepted the job; its place is in the job's row
      queued                   from accepting the job to its first claim
      loop job                 from a claim to settling, by the worker
        reading, planning, …   the stages, as the process that runs the job names and times them

The process of a job sends nothing itself: it reads strangers' files, and it may be killed at any time. It tells its
parent when a stage begins, so that the stage in which it died is in the trace too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import isfinite

from service.store.jobs import QUEUED_STAGE, Job
from service.telemetry.spans import Spans
from service.telemetry.traces import Trace, continue_trace
from workbench.store.clock import wall_seconds

_GOOD = ("complete", "handed over", "put off", "given back")
"""outcomes that are no fault of the job or of its process"""


@dataclass(slots=True)
class _Attempt:
    """An attempt that runs."""

    place: Trace
    began: float
    stage: str | None = None
    stage_began: float = 0.0
    pid: int = 0
    excused: bool = False
    """it ended by a fault of the caller's"""


class JobSpans:
    """Records the attempts of one worker; if `spans` is None, nothing is recorded."""

    def __init__(self, spans: Spans | None) -> None:
        self._spans = spans
        self._attempts: dict[str, _Attempt] = {}

    def begin(self, job: Job) -> None:
        """An attempt begins."""
        if self._spans is None:
            return
        place = continue_trace([] if job.traceparent is None else [job.traceparent], self._spans.share)
        attempt = self._attempts[job.job_id] = _Attempt(place, wall_seconds())
        if job.attempt == 1 and place.parent_id is not None:
            accepted = datetime.fromisoformat(job.created_at).timestamp()
            beside = Trace(place.trace_id, place.parent_id, place.flags).inner()
            self._spans.send(QUEUED_STAGE, beside, accepted, attempt.began, attributes=_attributes(job))

    def begin_stage(self, job: Job, stage: str, began: float | None, pid: int) -> None:
        """A stage begins, at `began` by the clock of the process `pid`, or now; the one before it ends."""
        attempt = self._attempts.get(job.job_id)
        if attempt is not None:
            began = wall_seconds() if began is None or not isfinite(began) else began
            self._end_stage(attempt, began)
            attempt.stage, attempt.stage_began, attempt.pid = stage, began, pid

    def end_work(self, job: Job, *, failed: bool = False, excused: bool = False) -> None:
        """The work has ended, in the middle of a stage if it `failed`; a fault of the caller's is `excused`."""
        attempt = self._attempts.get(job.job_id)
        if attempt is not None:
            attempt.excused = excused
            self._end_stage(attempt, wall_seconds(), failed=failed)

    def end(self, job: Job, outcome: str) -> None:
        """An attempt ends."""
        attempt = self._attempts.pop(job.job_id, None)
        if attempt is None or self._spans is None:
            return
        self._end_stage(attempt, wall_seconds())
        self._spans.send(
            f"{job.kind} job",
            attempt.place,
            attempt.began,
            wall_seconds(),
            kind="consumer",
            attributes={**_attributes(job), "workbench.outcome": outcome},
            failed=outcome not in _GOOD and not attempt.excused,
        )

    def _end_stage(self, attempt: _Attempt, ended: float, *, failed: bool = False) -> None:
        if attempt.stage is not None and self._spans is not None:
            place, attributes = attempt.place.inner(), {"process.pid": attempt.pid}
            self._spans.send(attempt.stage, place, attempt.stage_began, ended, attributes=attributes, failed=failed)
            attempt.stage = None


def _attributes(job: Job) -> dict[str, str | int]:
    return {
        "workbench.job_id": job.job_id,
        "workbench.kind": job.kind,
        "workbench.queue": job.queue,
        "workbench.attempt": job.attempt,
    }
