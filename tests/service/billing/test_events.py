"""Events of the billing provider: each has its effect once."""

from __future__ import annotations

from typing import Any

import pytest

from service.billing import events
from service.errors import Problem
from service.schemas.events import BillingEvent
from service.store import accounts
from workbench.store.database import Database


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


def test_credit_is_granted_once_a_webhook_and_expires(database: Database) -> None:
    assert apply(database, events.CREDIT, "w1", "credit.granted", amount_usd=1.5)
    assert not apply(database, events.CREDIT, "w1", "credit.granted", amount_usd=1.5)
    assert account(database).credit_micros == 1_500_000
    assert apply(database, events.CREDIT, "w2", "credit.expired")
    assert account(database).credit_expires_at is not None
    assert apply(database, events.CREDIT, "w3", "spend_cap.set", amount_usd=20)
    assert account(database).spend_cap_micros == 20_000_000


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
