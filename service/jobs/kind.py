"""What a kind of job is, what it may use, and what it comes to: an outcome, or a fault.

The process of a job sends its outcome to its parent as plain JSON; the parent settles the job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from service.errors import error_type
from service.settings import ServiceSettings
from service.store import jobs
from service.store.jobs import Fault, Job, StoredAnswer
from workbench.analysis.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Context:
    """What a kind of job may use beside its request."""

    workspace: Workspace
    """its database is read, the use of stored answers recorded, and the job's price reserved; all else that a job
    changes is changed when it is settled"""
    settings: ServiceSettings
    revision: str
    """of the analysis"""
    scratch: Path
    """a folder of the job's own, removed when it is settled"""
    stage: Callable[[str], None]
    """called with the name of each stage when it begins"""
    abandoned: Callable[[], bool]
    """whether the parent has ended, so that the job should stop"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a job that succeeded."""

    answer: Mapping[str, Any]
    """body of its poll"""
    billed: bool
    quantity: int = 1
    """calls or minutes"""
    stored: tuple[StoredAnswer, ...] = ()
    """results for later requests"""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """that its kind needs to complete it"""
    queue: str | None = None
    """in which the job goes on; None: it is done"""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for the parent."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Outcome:
        """The outcome in the plain JSON of `to_json`."""
        stored = tuple(StoredAnswer(**one) for one in given["stored"])
        return cls(given["answer"], given["billed"], given["quantity"], stored, given["facts"], given["queue"])


class JobFault(Exception):
    """A job that cannot be done, with the HTTP status of its poll and one sentence for the caller.

    The status is not 503, because the job is over and no later poll says anything else.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Kind:
    """One kind of job: where it runs, and how it ends.

    The process that settles a job calls all of this; `service.jobs.runs` does the work in another one. Functions that
    get a connection are part of the transaction that settles the job: what a kind changes is written with the answer
    and the charge, or not at all. They return False if the job is no longer ours; nothing is changed then.
    """

    name: str
    queue = jobs.MAIN
    """in which it runs"""
    is_long = False
    """whether it may take as long as a video"""
    is_background = False
    """whether no caller waits for it"""

    def address(self, job: Job) -> str | None:
        """Where the file is that is fetched before the job runs; None if there is none to fetch."""
        return None

    def deadline(self, settings: ServiceSettings) -> float:
        """Seconds that it may run."""
        return settings.job_deadline_seconds

    def longest_wait(self, settings: ServiceSettings) -> float | None:
        """Seconds after which a job that never ran is given up; None: it waits."""
        return None

    def settle_if_blocked(self, connection: Connection, job: Job) -> bool:
        """Settle or postpone a job that was claimed and cannot run now; False if it can run."""
        return False

    def complete(self, connection: Connection, job: Job, outcome: Outcome) -> bool:
        """Settle a job that succeeded; also False if it was extended after it was claimed."""
        return jobs.complete(
            connection, job, outcome.answer, billed=outcome.billed, quantity=outcome.quantity, stored=outcome.stored
        )

    def refuse(self, connection: Connection, job: Job, status: int, message: str) -> bool:
        """Settle a job that cannot be done, with the HTTP status of its poll."""
        return jobs.fail(connection, job, Fault(status, error_type(status), message))

    def refuse_late(self, connection: Connection, job: Job, seconds: float) -> bool:
        """Settle a job that did not end within the `seconds` of its deadline."""
        return self.refuse(connection, job, 500, f"it did not finish within {seconds:.0f} s; submit it again")

    def queue_again(self, connection: Connection, job: Job) -> bool:
        """Queue a failed job again; also False if another job does the same work already.

        Raises ParameterError if a file it needs is gone.
        """
        return jobs.queue_again(connection, job, jobs.FETCH if self.address(job) else self.queue)
