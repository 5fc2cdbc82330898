"""Transactions off the event loop, and the wakeup that tells of what was accepted in them."""

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
def rung(database: Database) -> Iterator[Callable[[Callable[[Connection], Any]], bool]]:
    """Whether the wakeup was rung by a transaction that writes."""
    listening, ringing = os.pipe()
    transactions = Transactions(database, WakeupPipe(ringing))
    os.set_blocking(listening, False)

    def write(work: Callable[[Connection], Any]) -> bool:
        asyncio.run(transactions.write(work))
        try:
            return bool(os.read(listening, 100))
        except BlockingIOError:
            return False

    yield write
    transactions.close()
    os.close(listening)
    os.close(ringing)


def test_the_bell_is_rung_once_for_a_job_whatever_the_answer(rung: Callable[..., bool]) -> None:
    assert rung(lambda connection: jobs.submit(connection, NEW) and None)
    assert not rung(lambda connection: jobs.submit(connection, NEW))  # it is there already
    assert not rung(lambda connection: jobs.open_job(connection, "", "loop", "loop:1"))


def test_it_is_not_rung_for_what_was_not_written(rung: Callable[..., bool]) -> None:
    def refuse(connection: Connection) -> None:
        jobs.submit(connection, NEW)
        raise Refused

    with pytest.raises(Refused):
        rung(refuse)
    assert not rung(lambda connection: jobs.open_job(connection, "", "loop", "loop:1"))
