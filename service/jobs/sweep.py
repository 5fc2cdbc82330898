"""What nobody will ask for again: uploads that were never ingested, pieces of broken ones, keys that have run out.

An upload stays for a day after its link has expired, so that whoever is late with the ingest still finds it.
"""

from __future__ import annotations

import time
from pathlib import Path

import structlog

from service.settings import ServiceSettings
from service.store import claims, repeats
from service.store.moments import moment
from workbench.home import Home
from workbench.store.database import Database

_GRACE_SECONDS = 86_400.0  # after an upload link has expired
_PIECE_SECONDS = 3600.0  # without a byte, after which nobody writes to a piece any more

log = structlog.get_logger("service.jobs")


def sweep(home: Home, database: Database, settings: ServiceSettings) -> None:
    """Forget it all, records first: a file without a record is found by nobody.

    Raises
    ------
    StoreError : the database cannot be used
    """
    with database.write() as connection:
        stale = claims.forget_uploads(connection, moment(-settings.upload_seconds - _GRACE_SECONDS))
        repeats.forget(connection)
    for key in stale:
        _remove(home.uploads / key)
    for piece in home.uploads.glob("*.part"):
        if _is_old(piece):
            _remove(piece)


def _is_old(piece: Path) -> bool:
    try:
        return piece.stat().st_mtime < time.time() - _PIECE_SECONDS
    except FileNotFoundError:
        return False  # it has become whole, or another worker was here


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.error("cannot remove", file=path.name, problem=str(error.strerror))
