"""Rate windows: requests out of their order, and clocks that are set back."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from typing import Any

from sqlalchemy import Connection

from service.processes.wakeup import WakeupPipe
from service.store import api_keys, shared_values
from service.store.transactions import Transactions
from workbench.store.database import Database


class Refused(Exception):
    """What a call raises that fails."""


def test_requests_out_of_their_order_share_a_window(database: Database) -> None:
    with database.write() as connection:
        times = (1000.001, 1000.0, 1000.002, 999.9)
        counts = [api_keys.count(connection, "key_1", 60, now).requests for now in times]
        assert counts == [1, 2, 3, 4]
        assert api_keys.count(connection, "key_1", 60, 1060.5).requests == 1
        assert api_keys.count(connection, "key_1", 60, 500.0).requests == 1, "a clock that was set back"


def test_a_process_alone_counts_on_from_what_is_stored() -> None:
    windows, stored = api_keys.LocalWindows(), api_keys.Rate(3, 1, 30.0)
    counted = [windows.count("key_1", stored, 100.0 + second) for second in range(3)]
    assert [(rate.requests, rate.exceeded, rate.remaining) for rate in counted] == [
        (2, False, 1), (3, False, 0), (4, True, 0),
    ]  # fmt: skip
    assert counted[-1].retry_after == 58
    assert windows.count("key_2", stored, 102.0).requests == 2
    assert windows.count("key_1", stored, 160.0).requests == 2, "a second outage counts on from what is stored too"
    assert windows.count("key_1", api_keys.Rate(3, 0, 60.0), 230.0).requests == 1


def test_those_who_share_a_transaction_are_counted_like_one_after_the_other(database: Database) -> None:
    """With two keys, other windows and calls that fail among them; what fails is not counted."""
    chance = random.Random(5)
    calls = [
        (
            chance.choice(("key_1", "key_2")),
            chance.choice((1000.0, 1000.0, 1030.0, 1090.0, 900.0)),
            chance.random() < 0.2,
        )
        for _ in range(200)
    ]
    transactions = Transactions(database, WakeupPipe(None))

    def work(connection: Connection, number: int) -> tuple[int, float]:
        key_id, at, fails = calls[number]
        counted = api_keys.count(connection, key_id, 60, at)
        if fails:
            if number % 2:
                shared_values.set_value(connection, "of a call that fails", "written")
            raise Refused
        return counted.requests, counted.seconds_left

    async def run(numbers: range) -> list[Any]:
        given = (transactions.write(partial(work, number=number), lane="of a key") for number in numbers)
        return await asyncio.gather(*given, return_exceptions=True)

    found = [one for start in range(0, len(calls), 40) for one in asyncio.run(run(range(start, start + 40)))]
    transactions.close()
    windows: dict[str, tuple[float, int]] = {}
    for (key_id, at, fails), one in zip(calls, found, strict=True):
        if fails:
            assert isinstance(one, Refused)
            continue
        opened_at, requests = windows.get(key_id, (at, 0))
        if not at - 60 < opened_at < at + 60:
            opened_at, requests = at, 0
        windows[key_id] = opened_at, requests + 1
        assert one == (requests + 1, min(60.0, opened_at + 60 - at))
    with database.read() as connection:
        assert shared_values.get(connection, "of a call that fails") is None
        for key_id, (opened_at, requests) in windows.items():
            stored = api_keys.get_rate(connection, key_id, 10**6, opened_at)
            assert stored.requests == requests
