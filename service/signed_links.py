"""Signed links: paths that need no API key until the link expires.

HMAC-SHA256 over path and expiry, compared in constant time. The secret comes from the settings, or is generated once
and stored in the database, so that all processes and machines sign with the same one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from urllib.parse import urlencode

from sqlalchemy import Connection

from service.settings import ServiceSettings
from service.store import shared_values
from workbench.store.clock import wall_seconds


def link_secret(connection: Connection, settings: ServiceSettings) -> str:
    """The secret that links are signed with; it may be created here, so the transaction has to be one that writes."""
    if settings.link_secret is not None:
        return settings.link_secret.get_secret_value()
    return shared_values.get(connection, shared_values.LINK_SECRET) or shared_values.set_if_absent(
        connection, shared_values.LINK_SECRET, secrets.token_urlsafe(32)
    )


def signed_query(secret: str, path: str, expires: int) -> str:
    """The query string that makes a path, without a query, a signed link; `expires` is in s since 1970."""
    return urlencode({"expires": expires, "signature": _signature(secret, path, expires)})


def is_valid(secret: str, path: str, expires: str | None, signature: str | None) -> bool:
    """Whether a link was signed by us and has not expired; `path` is without the query, and what that lacks is None."""
    if expires is None or signature is None or not (expires.isascii() and expires.isdigit() and len(expires) < 12):
        return False
    genuine = hmac.compare_digest(_signature(secret, path, int(expires)), signature.encode("ascii", "replace").decode())
    return genuine and int(expires) >= wall_seconds()


def _signature(secret: str, path: str, expires: int) -> str:
    return hmac.new(secret.encode(), f"{path}\n{expires}".encode(), hashlib.sha256).hexdigest()
