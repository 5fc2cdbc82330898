"""Constraints on seams that somebody gave: records, by the bytes of the recording, that every later plan keeps.

They change no measurement of a track, so the catalog does not change with them. Functions that take a connection leave
the transaction to their caller.

Functions: `put`, `get`, `remove`, `revision_of`, `revisions`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from workbench.store.database import now, seam_constraints

if TYPE_CHECKING:
    from pydantic import JsonValue


def put(connection: Connection, content_hash: str, records: Mapping[str, JsonValue]) -> str:
    """Keep constraints for a recording, in place of those before, and return their revision, 16 hex digits.

    Equal constraints have equal revisions. Fields that are None are left out; the caller validates the others.
    """
    stated = {name: value for name, value in sorted(records.items()) if value is not None}
    text = json.dumps(stated, separators=(",", ":"), allow_nan=False)
    revision = hashlib.sha256(text.encode()).hexdigest()[:16]
    remove(connection, content_hash)
    connection.execute(
        seam_constraints.insert().values(content_hash=content_hash, revision=revision, constraints=text, at=now())
    )
    return revision


def get(connection: Connection, content_hash: str) -> dict[str, JsonValue]:
    """The constraints of a recording, as they were put; empty if it has none."""
    kept = select(seam_constraints.c.constraints).where(seam_constraints.c.content_hash == content_hash)
    records: dict[str, JsonValue] = json.loads(connection.scalar(kept) or "{}")
    return records


def remove(connection: Connection, content_hash: str) -> None:
    """Delete the constraints of a recording."""
    connection.execute(seam_constraints.delete().where(seam_constraints.c.content_hash == content_hash))


def revision_of(connection: Connection, content_hash: str) -> str:
    """The revision of a recording's constraints, 16 hex digits; empty if it has none."""
    kept = select(seam_constraints.c.revision).where(seam_constraints.c.content_hash == content_hash)
    return connection.scalar(kept) or ""


def revisions(connection: Connection) -> list[tuple[str, str]]:
    """The revisions of the constraints of all recordings: pairs of a recording's hash and a revision."""
    return [
        (row.content_hash, row.revision)
        for row in connection.execute(select(seam_constraints.c.content_hash, seam_constraints.c.revision))
    ]
