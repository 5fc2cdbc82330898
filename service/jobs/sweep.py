"""Retention: deletes uploads that were never ingested, parts of broken ones, expired idempotency keys, jobs that were
settled long ago, and answers and previews that nobody has used for long.

An upload is kept for a day after its link has expired, for a late ingest. The settings say how long the others are
kept. Answers and previews are caches: a later request costs a job and gives the same result. The ledger keeps its
rows, also of jobs that are deleted.
"""

from __future__ import annotations

import time
from pathlib import Path

import structlog

from service.settings import ServiceSettings
from service.store import answers, idempotency_keys, jobs, video_owners
from service.store.times import time_from_now
from workbench.home import Home
from workbench.store.database import Database

_GRACE_SECONDS = 86_400.0  # after an upload link has expired
_PIECE_SECONDS = 3600.0  # without a byte, after which nobody writes to a piece any more
_MOST_ROWS = 1000  # of a table at a time: while they are deleted, nobody else writes to SQLite

log = structlog.get_logger("service.jobs")


def sweep(home: Home, database: Database, settings: ServiceSettings) -> bool:
    """Delete what has expired: the records first, because nothing finds a file without its record.

    Returns
    -------
    bool : whether something is left for the next call

    Raises
    ------
    StoreError : the database cannot be used
    """
    with database.write() as connection:
        stale = video_owners.delete_stale_uploads(connection, time_from_now(-settings.upload_seconds - _GRACE_SECONDS))
        idempotency_keys.delete_expired(connection)
        forgotten = (
            jobs.delete_settled(connection, time_from_now(-settings.job_retention_seconds), _MOST_ROWS),
            answers.delete_unused(connection, time_from_now(-settings.answer_retention_seconds), _MOST_ROWS),
        )
    for storage_key in stale:
        _remove(home.uploads / storage_key)
    for piece in home.uploads.glob("*.part"):
        _remove_unless_newer(piece, _PIECE_SECONDS)
    for preview in home.previews.glob("*.mp3"):
        _remove_unless_newer(preview, settings.preview_retention_seconds)
    return max(forgotten) == _MOST_ROWS


def _remove_unless_newer(file: Path, seconds: float) -> None:
    """Remove a file that was neither written nor used within so many seconds."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return  # renamed when it was complete, or deleted by another worker
    if max(found.st_mtime, found.st_atime) < time.time() - seconds:
        _remove(file)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.error("cannot remove", file=path.name, problem=str(error.strerror))
