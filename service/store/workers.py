"""Workers: heartbeats of the processes that run jobs."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection
from ulid import ULID

from service.store.inserts import insert
from service.store.tables import workers
from workbench.store.database import now

_HERE = f"{socket.gethostname()}:"


def new_owner() -> str:
    """The name of a worker that starts now, which begins with its machine."""
    return f"{_HERE}{os.getpid()}:{ULID()}"


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that runs jobs."""

    owner: str
    """its name, a new one each time it starts"""
    queues: tuple[str, ...]
    seen_at: str

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine."""
        return self.owner.startswith(_HERE)


def send_heartbeat(connection: Connection, owner: str, queues: Iterable[str]) -> None:
    """Record that a worker is alive."""
    values = {"queues": ",".join(queues), "seen_at": now()}
    row = insert(connection, workers).values(owner=owner, **values)
    connection.execute(row.on_conflict_do_update(index_elements=["owner"], set_=values))


def list_alive(connection: Connection, seconds: float) -> list[Worker]:
    """The workers that have sent a heartbeat lately; `seconds` is the age of the last heartbeat at most."""
    rows = connection.execute(sa.select(workers).where(workers.c.seen_at > now(-seconds)))
    return [Worker(row.owner, tuple(row.queues.split(",")), row.seen_at) for row in rows]


def delete(connection: Connection, owner: str) -> None:
    """Delete a worker that stops."""
    connection.execute(workers.delete().where(workers.c.owner == owner))


def delete_silent(connection: Connection, seconds: float) -> None:
    """Delete the workers that have sent no heartbeat for long; `seconds` is the age of the last heartbeat at least."""
    connection.execute(workers.delete().where(workers.c.seen_at <= now(-seconds)))
