"""API keys: created once, shown once, stored as a hash; and how often each may call.

A key is `sk_live_` and 256 random bits, for which a plain SHA-256 is a safe hash. The row is found by the
hash and the hash is compared once more in constant time.

The rate limit is a fixed window of 60 s that opens with the key's first request, one row a key. One statement counts,
so the count is exact over all processes and machines that share the database, and survives a restart.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from ulid import ULID

from service.store.shared_reads import shared
from service.store.tables import accounts, api_keys, credit_grants, rate_windows
from workbench.errors import ParameterError
from workbench.store.clock import now, wall_seconds

WINDOW_SECONDS = 60.0
"""length of a rate window"""
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
    """later than now after a rotation with an overlap"""
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


@dataclass(frozen=True, slots=True)
class Rate:
    """The state of a key's window."""

    limit: int
    requests: int
    """counted in the window, the current one included"""
    seconds_left: float
    """s until the window ends"""

    @property
    def exceeded(self) -> bool:
        """Whether the current request is over the limit."""
        return self.requests > self.limit

    @property
    def remaining(self) -> int:
        """Requests left in the window."""
        return max(0, self.limit - self.requests)

    @property
    def retry_after(self) -> int:
        """Whole seconds to wait, at least one."""
        return max(1, math.ceil(self.seconds_left))


@dataclass(slots=True, eq=False)
class Admission:
    """A request with a key. The transaction that answers it finds its caller and counts it (`admit`)."""

    secret: str
    limit: int
    """requests a window"""
    counts: bool = True
    """False: it was counted before"""
    caller: Caller | None = None
    """None: the key is unknown, expired or revoked"""
    rate: Rate | None = None
    """None: not counted"""

    @property
    def is_admitted(self) -> bool:
        """Whether the request may be answered: its key is valid and not over its rate."""
        return self.caller is not None and self.rate is not None and not self.rate.exceeded


class LocalWindows:
    """Windows of one process, which count while the database can be read and not written, as when its disk is full."""

    def __init__(self) -> None:
        self._windows: dict[str, tuple[float, int]] = {}

    def count(self, key_id: str, stored: Rate, now: float) -> Rate:
        """Count one request; `stored` is the state of the key's window in the database, `now` is in s since 1970."""
        opened_at, requests = self._windows.get(key_id, (now, stored.requests))
        if not now - WINDOW_SECONDS < opened_at <= now:
            opened_at, requests = now, stored.requests
        self._windows[key_id] = opened_at, requests + 1
        return Rate(stored.limit, requests + 1, opened_at + WINDOW_SECONDS - now)


def create(connection: Connection, account: str, expires_at: str | None = None) -> tuple[ApiKey, str]:
    """Create a key; returns its record, and the key itself, which is stored nowhere."""
    secret = _PREFIX + secrets.token_urlsafe(32)
    api_key = ApiKey(f"key_{ULID()}", account, now(), expires_at, None, None)
    connection.execute(api_keys.insert().values(**asdict(api_key), digest=_digest(secret)))
    return api_key, secret


def list_all(connection: Connection) -> list[ApiKey]:
    """All keys, oldest first; those that expired or were revoked too."""
    rows = connection.execute(sa.select(*_COLUMNS).order_by(api_keys.c.created_at, api_keys.c.key_id)).mappings()
    return [ApiKey(**row) for row in rows]


def revoke(connection: Connection, key_id: str) -> ApiKey:
    """Revoke a key, unless it was revoked before; ParameterError if there is no such key."""
    at = now()
    is_valid = api_keys.c.revoked_at.is_(None) | (api_keys.c.revoked_at > at)
    connection.execute(api_keys.update().where((api_keys.c.key_id == key_id) & is_valid).values(revoked_at=at))
    return _by_id(connection, key_id)


def rotate(connection: Connection, key_id: str, overlap_seconds: float = 0.0) -> tuple[ApiKey, str]:
    """Create a key for the same account and expiry as another, which ends now or after an overlap; see `create`.

    Raises ParameterError if there is no such key, or it has been revoked or rotated before, or has expired.
    """
    old = _by_id(connection, key_id)
    if old.revoked_at is not None:
        raise ParameterError(f"key {key_id} is revoked from {old.revoked_at} on; create a new one")
    if old.expires_at is not None and old.expires_at <= now():
        raise ParameterError(f"key {key_id} expired at {old.expires_at}; create a new one")
    ends = api_keys.update().where(api_keys.c.key_id == key_id).values(revoked_at=now(max(0.0, overlap_seconds)))
    connection.execute(ends)
    return create(connection, old.account, old.expires_at)


def find_caller(connection: Connection, secret: str) -> Caller | None:
    """The caller that a key belongs to; None if the key is unknown, expired or revoked."""
    digest = _digest(secret)
    row = _row(connection, digest)
    if row is None or not hmac.compare_digest(row.digest, digest):
        return None
    if any(ends_at is not None and ends_at <= now() for ends_at in (row.revoked_at, row.expires_at)):
        return None
    return Caller(
        account=row.account,
        key_id=row.key_id,
        preview=row.preview,
        pays_freely=row.payment_method and row.spend_cap_micros is None,
        has_credit=row.has_credit,
        last_used_at=row.last_used_at,
    )


def record_use(connection: Connection, caller: Caller) -> None:
    """Record that a key was used; at most once a minute."""
    if caller.last_used_at is None or caller.last_used_at < now(-_USE_SECONDS):
        connection.execute(api_keys.update().where(api_keys.c.key_id == caller.key_id).values(last_used_at=now()))


def admit(connection: Connection, admissions: Iterable[Admission]) -> None:
    """Find the callers of requests that share a transaction, and count them: those of one key in one statement.

    They are counted as if they came one after the other, in the order in which they are given.
    """
    of_keys: dict[str, list[Admission]] = {}
    for admission in admissions:
        of_keys.setdefault(admission.secret, []).append(admission)
    for secret, asking in of_keys.items():
        caller = find_caller(connection, secret)
        for admission in asking:
            admission.caller = caller
        counted = [admission for admission in asking if admission.counts]
        if caller is None or not counted:
            continue
        record_use(connection, caller)
        last = count(connection, caller.key_id, counted[0].limit, wall_seconds(), len(counted))
        for number, admission in enumerate(counted, last.requests - len(counted) + 1):
            admission.rate = Rate(last.limit, number, last.seconds_left)


def count(connection: Connection, key_id: str, limit: int, now: float, requests: int = 1) -> Rate:
    """Count requests; the state of the window after the last of them.

    `limit` is in requests a window, `now` in s since 1970. Requests may be counted a little out of order, and clocks of
    machines differ a little. So a window that opened up to its own length in the future is the current one; only a
    clock that was set back by more than that opens a new window.
    """
    times = {"now": now, "expired": now - WINDOW_SECONDS, "ahead": now + WINDOW_SECONDS}
    counted, opened_at = connection.execute(_COUNT, {"key_id": key_id, "more": requests, **times}).one()
    return Rate(limit, counted, min(WINDOW_SECONDS, opened_at + WINDOW_SECONDS - now))


def get_rate(connection: Connection, key_id: str, limit: int, now: float) -> Rate:
    """The state of a key's window, without counting a request."""
    state = sa.select(rate_windows.c.requests, rate_windows.c.opened_at).where(rate_windows.c.key_id == key_id)
    row = connection.execute(state).first()
    if row is None or not now - WINDOW_SECONDS < row.opened_at < now + WINDOW_SECONDS:
        return Rate(limit, 0, WINDOW_SECONDS)
    requests, opened_at = row
    return Rate(limit, min(requests, limit), opened_at + WINDOW_SECONDS - now)


_COLUMNS = tuple(api_keys.c[name] for name in ApiKey.__slots__)
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

# Text, because SQLAlchemy has an upsert for each database and none for both; every request runs it.
_COUNT = sa.text(
    """INSERT INTO rate_windows (key_id, opened_at, requests) VALUES (:key_id, :now, :more)
    ON CONFLICT (key_id) DO UPDATE SET
        requests = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.requests + :more ELSE :more END,
        opened_at = CASE WHEN rate_windows.opened_at > :expired AND rate_windows.opened_at < :ahead
            THEN rate_windows.opened_at ELSE :now END
    RETURNING requests, opened_at"""
)


@shared
def _row(connection: Connection, digest: str) -> sa.Row[Any] | None:
    return connection.execute(_BY_DIGEST, {"sought": digest}).first()


def _by_id(connection: Connection, key_id: str) -> ApiKey:
    row = connection.execute(sa.select(*_COLUMNS).where(api_keys.c.key_id == key_id)).mappings().first()
    if row is None:
        raise ParameterError(f"no key {key_id!r}; `workbench keys list` shows what there is")
    return ApiKey(**row)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
