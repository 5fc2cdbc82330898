"""Whether an account may start work that costs: the last check of a request, before the work.

The spend cap is checked first; below it, credit that is left and has not expired or a payment method is enough. An
accepted job reserves its price against both until it is settled, as soon as the price is known: when it is accepted, or
with the length of its file. A job whose price is reserved is finished and charged, also if its account changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy import Connection

from service.errors import Problem
from service.prices import CALL, current_prices
from service.store import accounts, credit_grants, jobs, ledger, tables
from service.store.api_keys import Caller
from service.store.credit_grants import CreditGrant
from service.store.jobs import Job, NewJob
from workbench.store import database

CAP_REACHED = "monthly spend cap reached"
CREDIT_EXHAUSTED = "credit grant exhausted"
CREDIT_EXPIRED = "credit grant expired"
NO_PAYMENT_METHOD = "no active payment method"


def check(connection: Connection, caller: Caller, now: str | None = None) -> None:
    """Check that the account of a caller can pay, who has to be found in the same transaction; see `check_account`."""
    if not caller.pays_freely:
        check_account(connection, caller.account, now=now)


def check_account(
    connection: Connection, account: str, micros: int = 0, *, apart_from: str = "", now: str | None = None
) -> None:
    """Check that an account can pay `micros` beside what it has spent and what its open jobs reserve.

    The reservation of the job `apart_from` does not count. Other checks of the account wait until the transaction has
    ended, so that what it charges and reserves counts for them. Raises Problem, 402, with the reason as its message.
    """
    accounts.lock(connection, account)
    now = now or database.now()
    given = {"sought": account, "month": ledger.month_of(now), "at": now, "apart": apart_from}
    found = connection.execute(_STANDING, given).one_or_none()
    if found is None:
        raise Problem(402, NO_PAYMENT_METHOD)
    cap = found.spend_cap_micros
    if cap is not None and (found.spent >= cap or found.spent + found.reserved_in_month + micros > cap):
        raise Problem(402, CAP_REACHED)
    if not found.payment_method and (found.credit <= 0 or found.credit < found.reserved + micros):
        raise Problem(402, _reason_of_no_credit(credit_grants.get_all(connection, account), now))


def accept(connection: Connection, caller: Caller, new: NewJob) -> Job:
    """Accept work of a caller, and reserve the price of a call; see `jobs.submit` and `check_account`.

    A call whose charge was booked before, under its Idempotency-Key, reserves nothing.
    """
    is_booked = bool(new.charge_key) and ledger.is_booked(connection, str(new.charge_key))
    free = new.charge_key is None or new.unit != CALL or is_booked
    micros = 0 if free else current_prices().amount(new.endpoint, CALL, 1)
    job = jobs.submit(connection, replace(new, key_id=caller.key_id), reserved_micros=micros)
    check(connection, caller)  # with what it reserves; a Problem takes the job back
    return job


def charge(connection: Connection, caller: Caller, charge: ledger.Charge, *, looked_up_before: bool = False) -> None:
    """Charge a caller for a call that is answered now, unless its event was booked before; see `check_account`.

    `looked_up_before`: the caller was found in an earlier transaction, so its funds are looked up again.
    """
    if (looked_up_before or not caller.pays_freely) and not ledger.is_booked(connection, charge.event_key):
        price = current_prices().amount(charge.endpoint, charge.unit, charge.quantity)
        check_account(connection, caller.account, price)
    ledger.charge(connection, charge, draws=looked_up_before or caller.has_credit)


def reserve(connection: Connection, job: Job, quantity: int) -> None:
    """Reserve the price of a running job, once its quantity is known, unless it has reserved as much already."""
    if job.charge is None:
        return
    micros = current_prices().amount(job.charge.endpoint, job.charge.unit, quantity)
    accounts.lock(connection, job.account)
    before = jobs.get(connection, job.job_id)
    if before is not None and 0 < micros <= before.reserved_micros:
        return
    check_account(connection, job.account, micros, apart_from=job.job_id)
    jobs.reserve(connection, job, micros)


def _reason_of_no_credit(grants: Sequence[CreditGrant], now: str) -> str:
    """Why grants, in the order in which they are drawn, do not pay."""
    if not grants:
        return NO_PAYMENT_METHOD
    if any(grant.is_active(now) for grant in grants):
        return CREDIT_EXHAUSTED
    last = [grant for grant in grants if grant.expires_at == grants[-1].expires_at]
    return CREDIT_EXPIRED if any(grant.left_micros > 0 for grant in last) else CREDIT_EXHAUSTED


def _sum(column: sa.Column[int], *where: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    """A sum that is an integer in both databases, 0 of no rows."""
    return sa.select(sa.cast(sa.func.coalesce(sa.func.sum(column), 0), sa.BigInteger)).where(*where).scalar_subquery()


_sought = sa.bindparam("sought", type_=sa.Text)
_month = sa.bindparam("month", type_=sa.Text)
_at = sa.bindparam("at", type_=sa.Text)
_own_jobs = (
    tables.jobs.c.account == _sought,
    tables.jobs.c.state.in_(jobs.OPEN),
    tables.jobs.c.job_id != sa.bindparam("apart", type_=sa.Text),
)
_expires = tables.credit_grants.c.expires_at
# One statement: a job that is settled meanwhile counts as reserved or as spent, not as neither or both.
_STANDING = sa.select(
    tables.accounts.c.payment_method,
    tables.accounts.c.spend_cap_micros,
    _sum(
        tables.month_totals.c.micros, tables.month_totals.c.account == _sought, tables.month_totals.c.month == _month
    ).label("spent"),
    _sum(tables.jobs.c.reserved_micros, *_own_jobs).label("reserved"),
    _sum(tables.jobs.c.reserved_micros, *_own_jobs, sa.func.substr(tables.jobs.c.reserved_at, 1, 7) == _month).label(
        "reserved_in_month"
    ),
    _sum(
        tables.credit_grants.c.left_micros,
        tables.credit_grants.c.account == _sought,
        sa.or_(_expires.is_(None), _expires > _at),
    ).label("credit"),
).where(tables.accounts.c.account == _sought)
