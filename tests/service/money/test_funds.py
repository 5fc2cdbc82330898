"""Who may start work that costs: the spend cap first, then credit, then the payment method."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from service.errors import Problem
from service.money import funds
from service.prices import Prices
from service.store import accounts, api_keys, credit_grants, ledger
from service.store.api_keys import Caller
from service.store.ledger import Charge
from service.store.times import time_from_now
from workbench.store.database import Database, now

pytestmark = pytest.mark.usefixtures("ada")

Book = Callable[..., bool]
"""books a charge or a grant of the account "ada"; False where the event is booked already"""


def caller(connection: Connection) -> Caller:
    """The caller with a new key of "ada"."""
    found = api_keys.find_caller(connection, api_keys.create(connection, "ada")[1])
    assert found is not None
    return found


def update(database: Database, **values: object) -> None:
    with database.write() as connection:
        accounts.update(connection, "ada", **values)


def refused(database: Database) -> str | None:
    try:
        with database.write() as connection:
            funds.check(connection, caller(connection))
    except Problem as problem:
        return f"{problem.status} {problem.message}"
    return None


def test_who_may_start_work(database: Database, charge: Book, grant: Book) -> None:
    assert refused(database) is None
    update(database, payment_method=False)
    assert refused(database) == f"402 {funds.NO_PAYMENT_METHOD}"
    grant("g1", 100_000, expires_at=time_from_now(3600))
    assert refused(database) is None
    charge("k1")
    assert refused(database) == f"402 {funds.CREDIT_EXHAUSTED}"
    grant("g2", 100_000, expires_at=time_from_now(7200))
    with database.write() as connection:
        credit_grants.set_expiry(connection, "ada", now(), now())
    assert refused(database) == f"402 {funds.CREDIT_EXPIRED}"
    update(database, payment_method=True)
    assert refused(database) is None


def test_credit_ended_when_the_last_of_it_did(database: Database, charge: Book, grant: Book) -> None:
    """What expired long ago does not hide that a later grant was used up."""
    update(database, payment_method=False)
    grant("g1", 150_000, expires_at=time_from_now(3600))
    charge("k1")
    with database.write() as connection:
        credit_grants.set_expiry(connection, "ada", now(), now())
    grant("g2", 50_000)
    charge("k2")
    assert refused(database) == f"402 {funds.CREDIT_EXHAUSTED}"


def test_the_spend_cap_comes_first_and_is_the_months(database: Database, charge: Book) -> None:
    update(database, payment_method=False, spend_cap_micros=100_000)
    assert refused(database) == f"402 {funds.NO_PAYMENT_METHOD}"
    charge("k1")
    assert refused(database) == f"402 {funds.CAP_REACHED}"
    with database.write() as connection, pytest.raises(Problem, match=funds.NO_PAYMENT_METHOD):
        funds.check(connection, caller(connection), "2001-01-31T23:59:59.999999+00:00")


@pytest.mark.parametrize("limit", [{"spend_cap_micros": 100_000}, {"payment_method": False}])
def test_a_check_waits_for_a_charge_that_counts_for_it(
    database: Database, charge: Book, grant: Book, limit: dict[str, object]
) -> None:
    """Of calls with several keys of an account, or at several machines, each sees what the others have cost."""
    update(database, **limit)
    grant("g1", 100_000)
    prices = Prices(calls={"POST /v1/loop": 100_000}, beats_minute=1, video_minute=1)

    def call(name: str) -> None:
        with database.write() as connection:
            funds.check(connection, caller(connection))
            ledger.charge(connection, Charge("ada", "POST /v1/loop", name, name), prices)

    with ThreadPoolExecutor(1) as other:
        with database.write() as connection:
            funds.check(connection, caller(connection))
            waiting = other.submit(call, "second")
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
            ledger.charge(connection, Charge("ada", "POST /v1/loop", "first", "first"), prices)
        with pytest.raises(Problem, match=r"reached|exhausted"):
            waiting.result(timeout=30)
    assert not charge("first")


def test_an_unknown_account_pays_with_nothing(database: Database) -> None:
    with database.read() as connection, pytest.raises(Problem, match=funds.NO_PAYMENT_METHOD):
        funds.check_account(connection, "nobody")
