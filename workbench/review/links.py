"""Links that show one frozen version of a plan without an account, and nothing else, until they expire.

A link carries the id of the version, the second at which it expires, and a signature of both: HMAC-SHA256 (RFC 2104)
with a key of 256 bits that is made once and stored in the home folder, where only its owner may read it. Deleting
the key revokes all links. Nothing about a link is stored: what was not signed with the key cannot be opened.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from workbench.errors import InputError, ParameterError, StoreError
from workbench.store.home import Home

LONGEST = timedelta(days=90)  # for which a link may be open
_KEY_BYTES = 32
_TOKEN = re.compile(r"(pv_[0-9A-Z]{26})\.([0-9]{1,11})\.([0-9a-f]{64})")


def sign_link(home: Home, version_id: str, lasts: timedelta, now: float | None = None) -> str:
    """The token of a link to a version: letters, digits, `_` and `.`, as one part of an address.

    `now` is in seconds since 1970; None: the clock. Raises `ParameterError` if the link would not last, or for longer
    than `LONGEST`.
    """
    if not timedelta(0) < lasts <= LONGEST:
        raise ParameterError(f"a link is open for up to {LONGEST.days} days, got {lasts}")
    expires = int((time.time() if now is None else now) + lasts.total_seconds())
    return f"{version_id}.{expires}.{_signature(_key(home), version_id, expires)}"


def open_link(home: Home, token: str, now: float | None = None) -> tuple[str, int]:
    """The version that a link shows, and when the link expires, s since 1970.

    Raises `InputError` if the token was not signed with this key, was altered, or has expired.
    """
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise InputError("this link is not one of this page: it is cut off or altered; ask for a new one")
    version_id, expires, signature = found[1], int(found[2]), found[3]
    if not hmac.compare_digest(_signature(_key(home), version_id, expires), signature):
        raise InputError("this link is not one of this page: it is cut off or altered; ask for a new one")
    if expires <= (time.time() if now is None else now):
        raise InputError("this link has expired; ask for a new one")
    return version_id, expires


def _signature(key: bytes, version_id: str, expires: int) -> str:
    return hmac.new(key, f"review link\n{version_id}\n{expires}".encode(), hashlib.sha256).hexdigest()


def _key(home: Home) -> bytes:
    """The key of a home folder, made where there is none."""
    try:
        if not home.link_key.exists():
            _make_key(home.prepared(), home.link_key)
        key = home.link_key.read_bytes()
    except OSError as error:
        raise StoreError(
            f"{home.link_key}: the key that signs review links cannot be read or written ({error.strerror})"
        ) from error
    if len(key) != _KEY_BYTES:
        raise StoreError(
            f"{home.link_key}: this is no key that signs review links; delete it, which takes back all links"
        )
    return key


def _make_key(folder: Path, out: Path) -> None:
    """Write a new key that only its owner may read; of two processes that make one, both go on with the first."""
    aside = folder / f".{os.getpid()}-{secrets.token_hex(4)}.part"
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(aside, out)
    finally:
        aside.unlink(missing_ok=True)
