"""Events of the billing provider: each has its effect once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.billing import events
from service.errors import Problem
from service.schemas.events import BillingEvent
from service.store import accounts, credit_grants, tables
from service.store.times import time_from_now
from workbench.store.database import Database, now


def apply(database: Database, route: str, webhook_id: str, kind: str, **data: Any) -> bool:
    event = BillingEvent.model_validate({"type": kind, "data": {"account": "ada"} | data})
    with database.write() as connection:
        return events.apply(connection, route, webhook_id, event)


def account(database: Database) -> accounts.Account:
    with database.read() as connection:
        found = accounts.get(connection, "ada")
    assert found is not None
    return found


def test_payment_methods_come_and_go(database: Database) -> None:
    assert apply(database, events.PAYMENT_METHOD, "w1", "payment_method.detached")
    assert not account(database).payment_method
    assert apply(database, events.PAYMENT_METHOD, "w2", "payment_method.attached")
    assert account(database).payment_method


def credit_left(database: Database) -> list[int]:
    """What is left of each grant that can be drawn on, that which expires first in front."""
    with database.read() as connection:
        return [grant.left_micros for grant in credit_grants.get_all(connection, "ada") if grant.is_active(now())]


def test_credit_is_granted_once_a_webhook_and_expires(database: Database) -> None:
    assert apply(database, events.CREDIT, "w1", "credit.granted", amount_usd=1.5)
    assert not apply(database, events.CREDIT, "w1", "credit.granted", amount_usd=1.5)
    assert credit_left(database) == [1_500_000]
    assert apply(database, events.CREDIT, "w2", "credit.expired")
    assert credit_left(database) == []
    assert apply(database, events.CREDIT, "w3", "spend_cap.set", amount_usd=20)
    assert account(database).spend_cap_micros == 20_000_000


def test_a_grant_that_expired_before_it_came_has_no_effect_and_is_not_repeated(database: Database) -> None:
    late = {"amount_usd": 5, "expires_at": "2020-01-01T00:00:00Z"}
    assert apply(database, events.CREDIT, "w1", "credit.granted", **late)
    with database.read() as connection:
        assert accounts.get(connection, "ada") is None
    assert apply(database, events.CREDIT, "w2", "credit.granted", amount_usd=16.1)
    assert apply(database, events.CREDIT, "w3", "credit.granted", **late)
    assert not apply(database, events.CREDIT, "w3", "credit.granted", **late)
    assert credit_left(database) == [16_100_000]


def test_an_expiry_with_a_time_ends_what_was_due_by_then(database: Database) -> None:
    for webhook_id, year in (("w1", 2098), ("w2", 2099), ("w3", None)):
        expires_at = None if year is None else f"{year}-01-01T00:00:00Z"
        apply(database, events.CREDIT, webhook_id, "credit.granted", amount_usd=1, expires_at=expires_at)
    assert apply(database, events.CREDIT, "w4", "credit.expired", expires_at="2098-01-01T00:00:00Z")
    assert credit_left(database) == [1_000_000, 1_000_000]
    assert apply(database, events.CREDIT, "w5", "credit.expired")
    assert credit_left(database) == []


def at(minutes: float) -> str:
    """A time so many minutes from now, as the provider writes it."""
    return (datetime.now(UTC) + timedelta(minutes=minutes)).isoformat()


def send(database: Database, webhook_id: str, kind: str, minutes: float, **data: Any) -> None:
    """An event about credit that happened so many minutes from now."""
    event = BillingEvent.model_validate({"type": kind, "timestamp": at(minutes), "data": {"account": "ada"} | data})
    with database.write() as connection:
        assert events.apply(connection, events.CREDIT, webhook_id, event)


def test_an_expiry_that_comes_late_leaves_what_was_granted_since(database: Database) -> None:
    """With a time or without: the new grant is not the one that has expired."""
    send(database, "w1", "credit.granted", -90, amount_usd=1)
    send(database, "w2", "credit.granted", -30, amount_usd=2)
    send(database, "w3", "credit.expired", -60)
    assert credit_left(database) == [2_000_000]
    send(database, "w4", "credit.expired", -60, expires_at=at(9999))
    assert credit_left(database) == [2_000_000]
    send(database, "w5", "credit.expired", -20)
    assert credit_left(database) == []


def test_a_grant_that_comes_after_its_expiry_has_no_effect(database: Database) -> None:
    send(database, "w1", "credit.expired", -60)
    send(database, "w2", "credit.granted", -90, amount_usd=1)
    assert credit_left(database) == []
    send(database, "w3", "credit.granted", -60, amount_usd=2)  # at the same time: as they come
    send(database, "w4", "credit.granted", -30, amount_usd=3)
    assert credit_left(database) == [2_000_000, 3_000_000]


def test_an_expiry_of_a_grant_that_was_due_ends_no_other(database: Database) -> None:
    """A provider says that a grant has expired when it has: that tells nothing about the others."""
    send(database, "w1", "credit.granted", -90, amount_usd=5)
    send(database, "w2", "credit.granted", -90, amount_usd=1, expires_at=at(60))
    with database.write() as connection:  # an hour passes
        due = tables.credit_grants.c.expires_at.is_not(None)
        connection.execute(tables.credit_grants.update().where(due).values(expires_at=time_from_now(-60)))
    send(database, "w3", "credit.expired", 0)
    assert credit_left(database) == [5_000_000]


def test_what_was_taken_back_does_not_stand_for_a_grant_that_was_due(database: Database) -> None:
    for number in range(3):
        send(database, f"g{number}", "credit.granted", -5 + number, amount_usd=1, expires_at=at(60))
        assert credit_left(database) == [1_000_000]
        send(database, f"e{number}", "credit.expired", -5 + number)
        assert credit_left(database) == []


def test_a_time_far_ahead_does_not_outdo_all_that_comes(database: Database) -> None:
    send(database, "w1", "spend_cap.set", 1_000_000, amount_usd=1)
    send(database, "w2", "spend_cap.set", 4.9, amount_usd=2)
    send(database, "w3", "spend_cap.set", 1_000_000, amount_usd=3)
    assert account(database).spend_cap_micros == 3_000_000


@pytest.mark.parametrize(
    ("data", "field"),
    [({}, "data.amount_usd"), ({"amount_usd": 0}, "data.amount_usd"), ({"account": "a b"}, "data.account")],
)
def test_an_event_that_cannot_be_applied_names_the_field(data: dict[str, Any], field: str, database: Database) -> None:
    with pytest.raises(Problem) as caught:
        apply(database, events.CREDIT, "w1", "credit.granted", **data)
    assert caught.value.status == 422
    assert caught.value.details is not None
    assert caught.value.details[0]["field"] == field


def test_what_has_an_effect_is_known_by_its_route() -> None:
    assert events.is_known(events.CREDIT, "credit.granted")
    assert not events.is_known(events.PAYMENT_METHOD, "credit.granted")
    assert not events.is_known(events.CREDIT, None)
