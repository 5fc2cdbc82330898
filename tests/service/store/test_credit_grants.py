"""Credit grants: whatever happens to an account, its ledger, its balance and its cap add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Literal

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from service.errors import Problem
from service.money import funds
from service.prices import Prices
from service.store import accounts, credit_grants, ledger
from service.store.api_keys import Caller
from service.store.ledger import Charge, Credit
from workbench.errors import ParameterError
from workbench.store.database import Database

_LOOP = "POST /v1/loop"
_PRICES = Prices(calls={_LOOP: 1}, beats_minute=1, video_minute=1)
_BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
_names = count()

Kind = Literal["charge", "credit", "expire", "cap", "method"]


@dataclass(frozen=True)
class Step:
    """Something that happens to an account, some time after the one before it."""

    kind: Kind
    hours: int
    """since the step before"""
    amount: int
    """micro-dollars; of a cap: 0 is none"""
    lasts: int | None
    """hours until the credit expires, or by which it was to; None: for ever, or all"""
    again: bool = False
    """whether it repeats the event key of the step before"""


def steps() -> st.SearchStrategy[list[Step]]:
    hours = st.one_of(st.just(0), st.integers(0, 30), st.integers(200, 900))
    lasts = st.one_of(st.none(), st.integers(-50, 1500))
    kinds: tuple[Kind, ...] = ("charge", "charge", "credit", "credit", "expire", "cap", "method")
    one = st.builds(
        Step, st.sampled_from(kinds), hours, st.integers(0, 40), lasts, st.integers(0, 4).map(lambda n: n == 0)
    )
    return st.lists(one, min_size=1, max_size=25)


@dataclass
class Model:
    """The same account kept by the simplest means: one list entry a micro-dollar of credit."""

    credit: list[tuple[float, int]] = field(default_factory=list)
    """expiry in hours since the beginning and number of the grant, for each micro-dollar that is left"""
    granted: list[tuple[float, int]] = field(default_factory=list)
    charges: list[tuple[str, int]] = field(default_factory=list)
    """month and amount"""
    booked: set[str] = field(default_factory=set)
    cap: int | None = None
    method: bool = True


def time_of(hours: float) -> str:
    return (_BEGIN + timedelta(hours=hours)).isoformat(timespec="microseconds")


def refused(connection: Connection, account: str, at: str) -> str | None:
    try:
        funds.check(connection, Caller(account, "key_1", preview=False, pays_freely=False, has_credit=True), at)
    except Problem as problem:
        return problem.message
    return None


def expected_reason(model: Model, hours: int) -> str | None:
    month = time_of(hours)[:7]
    spent = sum(amount for when, amount in model.charges if when == month)
    if model.cap is not None and spent >= model.cap:
        return funds.CAP_REACHED
    if model.method or any(expiry > hours for expiry, _ in model.credit):
        return None
    if not model.granted:
        return funds.NO_PAYMENT_METHOD
    last = max(expiry for expiry, _ in model.granted)
    return funds.CREDIT_EXPIRED if any(expiry == last for expiry, _ in model.credit) else funds.CREDIT_EXHAUSTED


def take(connection: Connection, account: str, model: Model, step: Step, hours: int, key: str) -> None:
    """Let a step happen, to the account and to its model."""
    at = time_of(hours)
    if step.kind == "charge":
        charge = Charge(account, _LOOP, "job_1", f"{account}:{key}", step.amount)
        assert ledger.charge(connection, charge, _PRICES, at) is (key not in model.booked)
        if key not in model.booked:
            model.charges.append((at[:7], step.amount))
            drawn = sorted(one for one in model.credit if one[0] > hours)[: step.amount]
            for one in drawn:
                model.credit.remove(one)
        model.booked.add(key)
    elif step.kind == "credit":
        expiry = float("inf") if step.lasts is None else hours + step.lasts
        expires_at = None if step.lasts is None else time_of(expiry)
        credit = Credit(account, step.amount, f"{account}:{key}", "accounts update", account, expires_at)
        if step.amount == 0 or expiry <= hours:
            event("a grant without effect")
            with pytest.raises(ParameterError):
                ledger.credit(connection, credit, at)
            return
        assert ledger.credit(connection, credit, at) is (key not in model.booked)
        if key not in model.booked:
            number = len(model.granted)
            model.granted.append((expiry, step.amount))
            model.credit += [(expiry, number)] * step.amount
        model.booked.add(key)
    elif step.kind == "expire":
        event("credit is ended")
        due = None if step.lasts is None else hours + step.lasts
        credit_grants.set_expiry(connection, account, at, at, None if due is None else time_of(due))

        def ended(expiry: float) -> float:
            return hours if expiry > hours and (due is None or expiry <= due) else expiry

        model.credit = [(ended(expiry), number) for expiry, number in model.credit]
        model.granted = [(ended(expiry), amount) for expiry, amount in model.granted]
    elif step.kind == "cap":
        model.cap = step.amount or None
        accounts.update(connection, account, spend_cap_micros=model.cap)
    else:
        model.method = not model.method
        accounts.update(connection, account, payment_method=model.method)


def assert_adds_up(connection: Connection, account: str, model: Model, hours: int) -> None:
    at = time_of(hours)
    grants = credit_grants.get_all(connection, account)
    entries = ledger.entries(connection, account)
    # The grants are those of the ledger, and what is left of each is what the model says.
    assert sum(grant.granted_micros for grant in grants) == sum(
        entry.amount_micros for entry in entries if entry.event == "credit"
    )
    left = sorted((grant.expires_at or "never", grant.left_micros) for grant in grants)
    by_number = [
        (time_of(expiry) if expiry < float("inf") else "never", sum(number == own for _, own in model.credit))
        for number, (expiry, _) in enumerate(model.granted)
    ]
    # Among grants that expire at the same time it does not matter which is drawn.
    assert totals(left) == totals(by_number)
    assert all(0 <= grant.left_micros <= grant.granted_micros for grant in grants)
    active = sum(grant.left_micros for grant in grants if grant.is_active(at))
    assert active == sum(expiry > hours for expiry, _ in model.credit)
    # Every charge stands in its month once.
    charges = [entry for entry in entries if entry.event == "charge"]
    assert sorted((entry.at[:7], entry.amount_micros) for entry in charges) == sorted(model.charges)
    for month in {when for when, _ in model.charges} | {at[:7]}:
        spent = sum(amount for when, amount in model.charges if when == month)
        assert ledger.spent_in_month(connection, account, month) == spent
    assert refused(connection, account, at) == expected_reason(model, hours)


def totals(pairs: list[tuple[str, int]]) -> dict[str, int]:
    summed: dict[str, int] = {}
    for name, amount in pairs:
        summed[name] = summed.get(name, 0) + amount
    return summed


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=steps())
def test_ledger_balance_and_cap_add_up_after_every_step_of_any_history(database: Database, history: list[Step]) -> None:
    account, model, hours, key = f"account_{next(_names)}", Model(), 0, "none"
    with database.write() as connection:
        accounts.ensure(connection, account)
        for number, step in enumerate(history):
            hours += step.hours
            if not (step.again and key.startswith(step.kind)):
                key = f"{step.kind}:{number}"
            take(connection, account, model, step, hours, key)
            assert_adds_up(connection, account, model, hours)
            event(f"{min(len(model.granted), 3)} grants")
