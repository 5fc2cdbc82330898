"""API keys: created once, shown once, stored as a hash.

A key is `sk_live_` and 256 random bits, for which a plain SHA-256 is a safe hash. The row is found by the
hash and the hash is compared once more in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection
from ulid import ULID

from service.store.shared_reads import read
from service.store.tables import accounts, api_keys, credit_grants
from service.store.times import time_from_now
from workbench.errors import ParameterError
from workbench.store.database import now

_PREFIX = "sk_live_"
_USE_SECONDS = 60.0  # between two records of a key's use: most requests then write nothing for it


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The record of a key, without the key itself."""

    key_id: str
    account: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


@dataclass(frozen=True, slots=True)
class Caller:
    """The account and API key of a request."""

    account: str
    key_id: str
    preview: bool
    """whether the account was granted previews"""
    pays_freely: bool
    """whether the account has a payment method and no spend cap, so that its funds need no check"""
    has_credit: bool
    """whether something is left of a credit grant, expired ones included"""
    last_used_at: str | None = None
    """of the key, before this request"""


def create(connection: Connection, account: str, expires_at: str | None = None) -> tuple[ApiKey, str]:
    """Create a key.

    Returns its record, and the key itself, which is stored nowhere. Without `expires_at`, a time in the database's
    form, it never expires.
    """
    secret = _PREFIX + secrets.token_urlsafe(32)
    api_key = ApiKey(f"key_{ULID()}", account, now(), expires_at, None, None)
    connection.execute(
        api_keys.insert().values(
            key_id=api_key.key_id,
            account=account,
            digest=_digest(secret),
            created_at=api_key.created_at,
            expires_at=expires_at,
        )
    )
    return api_key, secret


def list_all(connection: Connection) -> list[ApiKey]:
    """All keys, oldest first; those that expired or were revoked too."""
    rows = connection.execute(sa.select(*_COLUMNS).order_by(api_keys.c.created_at, api_keys.c.key_id)).mappings()
    return [ApiKey(**row) for row in rows]


def revoke(connection: Connection, key_id: str) -> ApiKey:
    """Revoke a key; one that was revoked before keeps the time of that.

    Raises ParameterError if there is no such key.
    """
    where = (api_keys.c.key_id == key_id) & api_keys.c.revoked_at.is_(None)
    connection.execute(api_keys.update().where(where).values(revoked_at=now()))
    return _by_id(connection, key_id)


def rotate(connection: Connection, key_id: str) -> tuple[ApiKey, str]:
    """Revoke a key and create one for the same account and expiry.

    Returns the record of the new key, and the key itself, which is stored nowhere. Raises ParameterError if there is no
    such key, or it has been revoked.
    """
    old = _by_id(connection, key_id)
    if old.revoked_at is not None:
        raise ParameterError(f"key {key_id} was revoked at {old.revoked_at}; create a new one")
    revoke(connection, key_id)
    return create(connection, old.account, old.expires_at)


def find_caller(connection: Connection, secret: str) -> Caller | None:
    """The caller that a key belongs to; None if the key is unknown, expired or revoked."""
    digest = _digest(secret)
    rows = read(connection, _BY_DIGEST, sought=digest)
    if not rows:
        return None
    (row,) = rows
    if not hmac.compare_digest(row["digest"], digest):
        return None
    if row["revoked_at"] is not None or (row["expires_at"] is not None and row["expires_at"] <= now()):
        return None
    return Caller(
        account=row["account"],
        key_id=row["key_id"],
        preview=row["preview"],
        pays_freely=row["payment_method"] and row["spend_cap_micros"] is None,
        has_credit=row["has_credit"],
        last_used_at=row["last_used_at"],
    )


def record_use(connection: Connection, caller: Caller) -> None:
    """Record that a key was used; at most once a minute."""
    if caller.last_used_at is None or caller.last_used_at < time_from_now(-_USE_SECONDS):
        connection.execute(api_keys.update().where(api_keys.c.key_id == caller.key_id).values(last_used_at=now()))


_COLUMNS = (
    api_keys.c.key_id,
    api_keys.c.account,
    api_keys.c.created_at,
    api_keys.c.expires_at,
    api_keys.c.revoked_at,
    api_keys.c.last_used_at,
)


_HAS_CREDIT = (
    sa.select(credit_grants.c.grant_id)
    .where(credit_grants.c.account == api_keys.c.account, credit_grants.c.left_micros > 0)
    .exists()
)
_BY_DIGEST = (  # every request runs it
    sa.select(
        api_keys.c.account,
        api_keys.c.key_id,
        api_keys.c.digest,
        api_keys.c.expires_at,
        api_keys.c.revoked_at,
        api_keys.c.last_used_at,
        accounts.c.preview,
        accounts.c.payment_method,
        accounts.c.spend_cap_micros,
        _HAS_CREDIT.label("has_credit"),
    )
    .join(accounts, accounts.c.account == api_keys.c.account)
    .where(api_keys.c.digest == sa.bindparam("sought"))
)


def _by_id(connection: Connection, key_id: str) -> ApiKey:
    row = connection.execute(sa.select(*_COLUMNS).where(api_keys.c.key_id == key_id)).mappings().first()
    if row is None:
        raise ParameterError(f"no key {key_id!r}; `workbench keys list` shows what there is")
    return ApiKey(**row)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
