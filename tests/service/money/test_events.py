"""Events of the billing provider: each has its effect once."""

from __future__ import annotations

from typing import Any

from service.money import events
from service.schemas.events import BillingEvent
from service.store import accounts, credit_grants, ledger
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


def test_what_happened_last_counts_for_each_account_and_setting_whenever_it_comes(database: Database) -> None:
    early, late = "2026-11-21T12:00:00Z", "2026-11-21T12:00:01Z"
    for webhook_id, kind, at, has_method in (
        ("w1", "payment_method.detached", late, False),
        ("w2", "payment_method.attached", early, False),
        ("w3", "payment_method.attached", late, True),
    ):
        event = BillingEvent.model_validate({"type": kind, "timestamp": at, "data": {"account": "ada"}})
        with database.write() as connection:
            assert events.apply(connection, events.PAYMENT_METHOD, webhook_id, event)
        assert account(database).payment_method is has_method
    cap = {"type": "spend_cap.set", "timestamp": early, "data": {"account": "ada", "amount_usd": 3}}
    other = {"type": "payment_method.detached", "timestamp": early, "data": {"account": "eve"}}
    with database.write() as connection:
        assert events.apply(connection, events.CREDIT, "w4", BillingEvent.model_validate(cap))
        assert events.apply(connection, events.PAYMENT_METHOD, "w5", BillingEvent.model_validate(other))
        eve = accounts.get(connection, "eve")
    assert account(database).spend_cap_micros == 3_000_000
    for webhook_id, at, amount in (("w6", late, 5), ("w7", early, 50)):
        cap |= {"timestamp": at, "data": {"account": "ada", "amount_usd": amount}}
        with database.write() as connection:
            assert events.apply(connection, events.CREDIT, webhook_id, BillingEvent.model_validate(cap))
        assert account(database).spend_cap_micros == 5_000_000
    assert eve is not None
    assert not eve.payment_method


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


def send(database: Database, webhook_id: str, kind: str, minute: int | None, **data: Any) -> None:
    """An event about credit of a morning long ago; None: it does not say when."""
    at = None if minute is None else f"2020-01-01T09:{minute:02d}:00Z"
    event = BillingEvent.model_validate({"type": kind, "timestamp": at, "data": {"account": "ada"} | data})
    with database.write() as connection:
        assert events.apply(connection, events.CREDIT, webhook_id, event)


def test_an_expiry_that_comes_late_spares_what_the_provider_granted_since(database: Database) -> None:
    send(database, "w1", "credit.granted", 10, amount_usd=1)
    send(database, "w2", "credit.granted", 30, amount_usd=2)
    send(database, "w3", "credit.granted", 20, amount_usd=3)
    send(database, "w4", "credit.granted", None, amount_usd=4)
    send(database, "w5", "credit.expired", 20)
    assert credit_left(database) == [2_000_000]
    send(database, "w6", "credit.expired", None)
    assert credit_left(database) == []


def test_an_event_of_long_ago_changes_what_the_operator_has_just_set(database: Database) -> None:
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        accounts.update(connection, "ada", spend_cap_micros=5_000_000)
        ledger.credit(connection, ledger.Credit("ada", 5_000_000, "command:1", "accounts update", "ada"))
    assert credit_left(database) == [5_000_000]
    send(database, "w1", "credit.expired", 0)
    assert credit_left(database) == []
    send(database, "w2", "spend_cap.set", 0, amount_usd=50)
    assert account(database).spend_cap_micros == 50_000_000


def test_what_has_an_effect_is_known_by_its_route() -> None:
    assert events.is_known(events.CREDIT, "credit.granted")
    assert not events.is_known(events.PAYMENT_METHOD, "credit.granted")
    assert not events.is_known(events.CREDIT, None)
