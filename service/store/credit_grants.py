"""Credit grants: rows of their own, each with its own expiry; none changes another.

The grant that expires first is drawn first, so that as little as possible expires unused. What a grant was and what is
left of it differ by what charges drew on it; expired credit stays in its row and is not drawn.

Functions take a connection whose transaction the caller owns. Those that change grants lock them in the order in which
they are drawn, so that charges at the same time neither draw the same credit twice nor wait for each other in a circle.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import sqlalchemy as sa
from sqlalchemy import Connection
from ulid import ULID

from service.store.tables import credit_grants


@dataclass(frozen=True, slots=True)
class CreditGrant:
    """One grant."""

    grant_id: str
    account: str
    granted_micros: int
    left_micros: int
    """micro-dollars that no charge drew yet"""
    expires_at: str | None
    """None: never"""
    granted_at: str
    provider_at: str | None = None
    """when the billing provider granted it, by its clock; None: unknown, or an operator granted it"""

    def is_active(self, at: str) -> bool:
        """Whether it can be drawn on; `at` is in the database's form."""
        return self.left_micros > 0 and not has_expired(self.expires_at, at)


def has_expired(expires_at: str | None, at: str) -> bool:
    """Whether a grant with some expiry, None for never, cannot be used any more."""
    return expires_at is not None and expires_at <= at


def add(
    connection: Connection, account: str, micros: int, expires_at: str | None, at: str, provider_at: str | None
) -> None:
    """Write a grant from which nothing is drawn yet; see `CreditGrant`."""
    grant = CreditGrant(f"grt_{ULID()}", account, micros, micros, expires_at, at, provider_at)
    connection.execute(credit_grants.insert().values(**asdict(grant)))


def get_all(connection: Connection, account: str) -> list[CreditGrant]:
    """Every grant that an account ever had, in the order in which they are drawn."""
    return [CreditGrant(**row) for row in connection.execute(_ALL, {"sought": account}).mappings()]


def draw(connection: Connection, account: str, micros: int, at: str) -> int:
    """Take a charge from the grants of an account, in order; returns the micro-dollars that they paid."""
    paid = 0
    for grant_id, left in connection.execute(_ACTIVE, {"sought": account, "at": at}).all():
        part = min(left, micros - paid)
        if part <= 0:
            break
        taken = credit_grants.update().where(credit_grants.c.grant_id == grant_id)
        connection.execute(taken.values(left_micros=credit_grants.c.left_micros - part))
        paid += part
    return paid


def set_expiry(
    connection: Connection,
    account: str,
    expires_at: str,
    at: str,
    due_by: str | None = None,
    granted_by: str | None = None,
) -> None:
    """Change when the grants of an account expire that have not expired yet.

    An expiry that has passed ends the grants at `at`. Only those change that were to expire by `due_by`, and that the
    billing provider did not grant after `granted_by`, by its clock; None: all of them. All times are in the database's
    form.
    """
    query, grant = _UNEXPIRED, credit_grants.c
    if due_by is not None:
        query = query.where(grant.expires_at <= due_by)
    if granted_by is not None:
        query = query.where(grant.provider_at.is_(None) | (grant.provider_at <= granted_by))
    grant_ids = connection.scalars(query, {"sought": account, "at": at}).all()
    changed = credit_grants.update().where(credit_grants.c.grant_id.in_(grant_ids))
    connection.execute(changed.values(expires_at=max(expires_at, at)))


# built once
_DRAWN_IN_ORDER = (credit_grants.c.expires_at.is_(None), credit_grants.c.expires_at, credit_grants.c.grant_id)
_ALL = sa.select(credit_grants).where(credit_grants.c.account == sa.bindparam("sought")).order_by(*_DRAWN_IN_ORDER)
_UNEXPIRED = (
    sa.select(credit_grants.c.grant_id, credit_grants.c.left_micros)
    .where(
        credit_grants.c.account == sa.bindparam("sought"),
        credit_grants.c.expires_at.is_(None) | (credit_grants.c.expires_at > sa.bindparam("at")),
    )
    .order_by(*_DRAWN_IN_ORDER)
    .with_for_update()
)
_ACTIVE = _UNEXPIRED.where(credit_grants.c.left_micros > 0)  # every charge runs it
