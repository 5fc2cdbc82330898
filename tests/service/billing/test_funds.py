"""Who may start work that costs: the spend cap first, then credit, then the payment method."""

from __future__ import annotations

import pytest

from service.billing import funds
from service.errors import Problem
from service.prices import Prices
from service.store import accounts, ledger
from service.store.ledger import Charge, Credit
from service.store.times import time_from_now
from workbench.store.database import Database

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


def refused(database: Database) -> str | None:
    try:
        with database.read() as connection:
            funds.check(connection, "ada")
    except Problem as problem:
        return f"{problem.status} {problem.message}"
    return None


def test_who_may_start_work(database: Database) -> None:
    assert refused(database) is None
    update(database, payment_method=False)
    assert refused(database) == f"402 {funds.NO_PAYMENT_METHOD}"
    grant(database, "g1", 100_000, expires_at=time_from_now(3600))
    assert refused(database) is None
    charge(database, "k1")
    assert refused(database) == f"402 {funds.CREDIT_EXHAUSTED}"
    grant(database, "g2", 100_000, expires_at=time_from_now(-1))
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
