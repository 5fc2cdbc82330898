"""What a job's process sends to its parent: an outcome or a fault, as plain JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from service.settings import ServiceSettings
from service.store.jobs import StoredAnswer
from workbench.analysis.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Context:
    """What a kind of job may use besides its request."""

    workspace: Workspace
    """its database is read, and the use of stored answers recorded; all else that a job changes is changed when it is
    settled"""
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
    """that its kind needs when it is settled, see `service.jobs.settle`"""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for the parent."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Outcome:
        """The outcome in the plain JSON of `to_json`."""
        stored = tuple(StoredAnswer(**one) for one in given["stored"])
        return cls(given["answer"], given["billed"], given["quantity"], stored, given["facts"])


class JobFault(Exception):
    """A job that cannot be done, with the HTTP status of its poll and one sentence for the caller.

    The status is not 503, because the job is over and no later poll says anything else.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
