"""What a job's process hands to its parent: an outcome, or a fault, as plain JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from service.settings import ServiceSettings
from service.store.jobs import StoredAnswer
from workbench.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Context:
    """What a kind of job may use besides its request."""

    workspace: Workspace
    """its database is to be read from, and to note which stored answers were used; what a job changes is changed when
    it is settled"""
    settings: ServiceSettings
    revision: str
    """of the analysis"""
    scratch: Path
    """a folder of the job's own, removed when it is settled"""
    stage: Callable[[str], None]
    """called with the name of each stage when it begins"""
    abandoned: Callable[[], bool]
    """whether the parent has gone, so that the job is to be given up"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a job that succeeded."""

    answer: Mapping[str, Any]
    """what its poll answers"""
    billed: bool
    quantity: int = 1
    """calls or minutes"""
    stored: tuple[StoredAnswer, ...] = ()
    """results for later requests"""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """what its kind needs to know when it is settled, see `service.jobs.settle`"""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, for the parent."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Outcome:
        """From what `to_json` wrote."""
        stored = tuple(StoredAnswer(**one) for one in given["stored"])
        return cls(given["answer"], given["billed"], given["quantity"], stored, given["facts"])


class JobFault(Exception):
    """A job that cannot be done: status and message as its poll reports them."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
