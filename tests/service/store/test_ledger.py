"""The ledger and what hangs on it: once an event, credit first, the month's total, and who may start work."""

from __future__ import annotations

from decimal import Decimal
from threading import Barrier, Thread

import pytest

from service.billing import funds
from service.errors import Problem
from service.prices import Prices, prices_of, started_minutes
from service.settings import ServiceSettings
from service.store import accounts, ledger
from service.store.ledger import Charge, Credit
from service.store.moments import moment
from workbench.errors import ParameterError
from workbench.store.database import Database, now

LOOP = "POST /v1/loop"
PRICES = Prices(calls={LOOP: 100_000}, beats_minute=20_000, video_minute=50_000)


@pytest.fixture(autouse=True)
def ada(database: Database) -> None:
    with database.write() as connection:
        accounts.ensure(connection, "ada")


def charge(database: Database, key: str, **more: object) -> bool:
    given = Charge("ada", LOOP, "job_1", key, **more)  # type: ignore[arg-type]
    with database.write() as connection:
        return ledger.charge(connection, given, PRICES)


def grant(database: Database, key: str, micros: int, expires_at: str | None = None) -> bool:
    with database.write() as connection:
        return ledger.credit(connection, Credit("ada", micros, key, "accounts update", "ada", expires_at))


def update(database: Database, **values: object) -> None:
    with database.write() as connection:
        accounts.update(connection, "ada", **values)


def credit_left(database: Database) -> int:
    with database.read() as connection:
        account = accounts.get(connection, "ada")
    assert account is not None
    return account.credit_micros


def refused(database: Database) -> str | None:
    try:
        with database.read() as connection:
            funds.check(connection, "ada")
    except Problem as problem:
        return f"{problem.status} {problem.message}"
    return None


def test_an_event_is_booked_once(database: Database) -> None:
    assert [charge(database, "k1"), charge(database, "k1"), charge(database, "k2")] == [True, False, True]
    with database.read() as connection:
        entries = ledger.entries(connection, "ada")
        assert ledger.spent_in_month(connection, "ada", now()) == 200_000
    assert [(entry.event, entry.event_key, entry.amount_micros) for entry in entries] == [
        ("charge", "k1", 100_000),
        ("charge", "k2", 100_000),
    ]


def test_events_at_once_are_booked_once_each(database: Database) -> None:
    barrier = Barrier(4)

    def book(number: int) -> None:
        barrier.wait()
        for key in ("same", f"own{number}"):
            charge(database, key)

    threads = [Thread(target=book, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as connection:
        assert len(ledger.entries(connection, "ada")) == 5
        assert ledger.spent_in_month(connection, "ada", now()) == 500_000


def test_credit_is_drawn_on_first_and_never_below_nothing(database: Database) -> None:
    assert grant(database, "g1", 150_000)
    assert not grant(database, "g1", 150_000)
    charge(database, "k1")
    assert credit_left(database) == 50_000
    charge(database, "k2")
    assert credit_left(database) == 0


def test_an_expired_grant_is_not_drawn_on_nor_added_to(database: Database) -> None:
    grant(database, "g1", 150_000, expires_at=moment(-1))
    charge(database, "k1")
    assert credit_left(database) == 150_000
    grant(database, "g2", 10_000)
    assert credit_left(database) == 10_000
    grant(database, "g3", 5_000)
    assert credit_left(database) == 15_000


def test_an_event_that_is_booked_twice_draws_once(database: Database) -> None:
    grant(database, "g1", 1_000_000)
    charge(database, "k")
    charge(database, "k")
    assert credit_left(database) == 900_000


def test_who_may_start_work(database: Database) -> None:
    assert refused(database) is None
    update(database, payment_method=False)
    assert refused(database) == f"402 {funds.NO_PAYMENT_METHOD}"
    grant(database, "g1", 100_000, expires_at=moment(3600))
    assert refused(database) is None
    charge(database, "k1")
    assert refused(database) == f"402 {funds.CREDIT_EXHAUSTED}"
    grant(database, "g2", 100_000, expires_at=moment(-1))
    assert refused(database) == f"402 {funds.CREDIT_EXPIRED}"
    update(database, payment_method=True)
    assert refused(database) is None


def test_the_spend_cap_comes_first_and_is_the_months(database: Database) -> None:
    update(database, payment_method=False, spend_cap_micros=100_000)
    assert refused(database) == f"402 {funds.NO_PAYMENT_METHOD}"
    charge(database, "k1")
    assert refused(database) == f"402 {funds.CAP_REACHED}"
    with database.read() as connection, pytest.raises(Problem, match=funds.NO_PAYMENT_METHOD):
        funds.check(connection, "ada", "2001-01-31T23:59:59.999999+00:00")


def test_an_unknown_account_pays_with_nothing(database: Database) -> None:
    with database.read() as connection, pytest.raises(Problem, match=funds.NO_PAYMENT_METHOD):
        funds.check(connection, "nobody")


def test_a_grant_is_more_than_nothing(database: Database) -> None:
    with database.write() as connection, pytest.raises(ParameterError, match="more than nothing"):
        ledger.credit(connection, Credit("ada", 0, "g", "accounts update", "ada"))


def test_prices_are_exact() -> None:
    settings = ServiceSettings(price_loop_usd=Decimal("0.10"), price_beats_minute_usd=Decimal("0.0000015"))
    prices = prices_of(settings)
    assert prices.amount(LOOP, "call", 3) == 300_000
    assert prices.amount("POST /v1/beats", "minute", 10) == 20  # 1.5 micro-dollars round to 2
    assert prices.amount("POST /v1/videos", "minute", 2) == prices.amount("POST /v1/match", "minute", 2)
    with pytest.raises(ParameterError, match="not sold"):
        prices.amount("GET /v1/videos", "call", 1)
    with pytest.raises(ParameterError, match="nobody can buy"):
        prices.amount(LOOP, "call", -1)


@pytest.mark.parametrize(("seconds", "minutes"), [(0.0, 1), (59.9, 1), (60.0, 1), (60.000001, 2), (3600.0, 60)])
def test_minutes_are_rounded_up(seconds: float, minutes: int) -> None:
    assert started_minutes(seconds) == minutes
