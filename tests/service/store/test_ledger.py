"""The ledger: once an event, credit first, and the month's total."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import Connection

from service.prices import Prices
from service.processes.wakeup import WakeupPipe
from service.store import credit_grants, ledger
from service.store.ledger import Charge, Credit
from service.store.transactions import Transactions
from workbench.errors import ParameterError
from workbench.store.database import Database, now

pytestmark = pytest.mark.usefixtures("ada")

Book = Callable[..., bool]
"""books a charge or a grant of the account "ada"; False where the event is booked already"""


def credit_left(database: Database) -> int:
    with database.read() as connection:
        grants = credit_grants.get_all(connection, "ada")
    return sum(grant.left_micros for grant in grants if grant.is_active(now()))


def test_events_at_once_are_booked_once_each(database: Database, charge: Book) -> None:
    barrier = Barrier(4)

    def book(number: int) -> None:
        barrier.wait()
        for key in ("same", f"own{number}"):
            charge(key)

    threads = [Thread(target=book, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as connection:
        assert len(ledger.entries(connection, "ada")) == 5
        assert ledger.spent_in_month(connection, "ada", now()) == 500_000


def test_charges_at_once_draw_every_micro_dollar_once(database: Database, grant: Book, charge: Book) -> None:
    for number in range(6):
        grant(f"g{number}", 50_000, expires_at=now(3600 + number))
    barrier = Barrier(4)

    def book(number: int) -> None:
        barrier.wait()
        charge(f"k{number}")

    threads = [Thread(target=book, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert credit_left(database) == 0
    with database.read() as connection:
        assert ledger.spent_in_month(connection, "ada", now()) == 400_000
        assert [grant.left_micros for grant in credit_grants.get_all(connection, "ada")] == [0] * 6


@pytest.mark.parametrize("granted", [0, 250_000])
def test_those_who_share_a_transaction_stop_at_the_cap(database: Database, granted: int) -> None:
    """Each sees what those before it have spent, and none of what a call has spent that failed."""
    prices = Prices(calls={"POST /v1/loop": 100_000}, beats_minute=0, video_minute=0)
    transactions = Transactions(database, WakeupPipe(None))

    def work(connection: Connection, number: int) -> None:
        if number == 5 and granted:
            ledger.credit(connection, Credit("ada", granted, "grant", "accounts update", "ada"))
        if ledger.spent_in_month(connection, "ada", now()) >= 1_000_000:
            raise ParameterError("no more")
        ledger.charge(connection, Charge("ada", "POST /v1/loop", "job_1", f"key {number}"), prices)
        if number in (2, 7):
            raise ParameterError("failed")

    async def run() -> list[Any]:
        given = (transactions.write(partial(work, number=number), lane="of a key") for number in range(30))
        return await asyncio.gather(*given, return_exceptions=True)

    found = asyncio.run(run())
    transactions.close()
    assert [number for number, one in enumerate(found) if one is None] == [0, 1, 3, 4, 5, 6, 8, 9, 10, 11]
    with database.read() as connection:
        charges = [entry for entry in ledger.entries(connection, "ada") if entry.event == "charge"]
        assert len(charges) == 10
        assert ledger.spent_in_month(connection, "ada", now()) == 1_000_000
    assert credit_left(database) == 0
