"""Transactions off the event loop: they notify the wakeup pipe when a job was accepted in them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection

from service.processes.wakeup import WakeupPipe
from service.store import jobs
from service.store.jobs import NewJob
from service.store.transactions import Transactions
from workbench.store.database import Database

NEW = NewJob("loop", jobs.MAIN, "", "loop:1")


class Refused(Exception):
    """What an answer raises that is none."""


@pytest.fixture
def notified(database: Database) -> Iterator[Callable[[Callable[[Connection], Any]], bool]]:
    """Whether a transaction that writes notified the pipe."""
    reader, writer = os.pipe()
    transactions = Transactions(database, WakeupPipe(writer))
    os.set_blocking(reader, False)

    def write(work: Callable[[Connection], Any]) -> bool:
        asyncio.run(transactions.write(work))
        try:
            return bool(os.read(reader, 100))
        except BlockingIOError:
            return False

    yield write
    transactions.close()
    os.close(reader)
    os.close(writer)


def test_the_pipe_is_notified_once_for_a_job_whatever_the_answer(notified: Callable[..., bool]) -> None:
    assert notified(lambda connection: jobs.submit(connection, NEW) and None)
    assert not notified(lambda connection: jobs.submit(connection, NEW))  # it is there already
    assert not notified(lambda connection: jobs.depths(connection))


def test_it_is_not_notified_of_what_was_not_written(notified: Callable[..., bool]) -> None:
    def refuse(connection: Connection) -> None:
        jobs.submit(connection, NEW)
        raise Refused

    with pytest.raises(Refused):
        notified(refuse)
    assert not notified(lambda connection: jobs.depths(connection))
