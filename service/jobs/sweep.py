"""Retention: deletes uploads that were never ingested, parts of broken uploads, files that were fetched for jobs which
are settled, videos past their retention if the settings have one, expired idempotency keys, jobs that were settled long
ago, and answers and previews that have not been used for long.

An upload is kept for a day after its link has expired, for a late ingest. For jobs, answers and previews the settings
give the time. Answers and previews are caches: a later request needs a job again and gets the same result. The ledger
keeps its rows, also those of deleted jobs.
"""

from __future__ import annotations

import time
from pathlib import Path

import structlog

from service.jobs.deletion import delete_video
from service.settings import ServiceSettings
from service.store import answers, idempotency_keys, jobs, video_owners
from service.store.times import time_from_now
from workbench.errors import ParameterError, StoreError, UnknownVideo
from workbench.home import Home
from workbench.store.database import Database

_GRACE_SECONDS = 86_400.0  # after an upload link has expired
_PIECE_SECONDS = 3600.0  # without a new byte, after which no request writes to a piece any more
_MOST_VIDEOS = 100  # at a time
_MOST_ROWS = 1000  # of a table at a time: while they are deleted, no other process can write to SQLite

log = structlog.get_logger("service.jobs")


def sweep(home: Home, database: Database, settings: ServiceSettings) -> bool:
    """Delete what has expired: the records first, because no request finds a file without its record.

    Parameters
    ----------
    home : holds uploads and previews
    database : of the service
    settings : the fields `…_retention_seconds` and `upload_seconds`

    Returns
    -------
    whether rows are left for the next call

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
    for storage_key in stale:  # before all that can fail: no later sweep finds them
        _remove(home.uploads / storage_key)
    fetched = list(home.fetched.glob("*"))  # before the records are read, so that no file of a newer job is in it
    with database.read() as connection:
        needed = jobs.unsettled_ids(connection) if fetched else set()
    for file in fetched:
        if file.name not in needed:
            _remove(file)
    expired = _delete_videos(home, database, settings)
    for piece in home.uploads.glob("*.part"):
        _remove_unless_newer(piece, _PIECE_SECONDS)
    for preview in home.previews.glob("*.mp3"):
        _remove_unless_newer(preview, settings.preview_retention_seconds)
    return max(forgotten) == _MOST_ROWS or expired == _MOST_VIDEOS


def _delete_videos(home: Home, database: Database, settings: ServiceSettings) -> int:
    """Delete videos past their retention, except those with jobs that are not settled; returns their number."""
    if settings.video_retention_seconds is None:
        return 0
    with database.read() as connection:
        before = time_from_now(-settings.video_retention_seconds)
        expired = video_owners.ready_since(connection, before, _MOST_VIDEOS)
    deleted = 0
    for video_id in expired:
        try:
            delete_video(home, database, video_id)
            deleted += 1
        except (ParameterError, UnknownVideo) as error:
            log.info("video kept", video_id=video_id, problem=str(error))
        except StoreError as error:
            log.error("cannot delete video", video_id=video_id, problem=str(error))
    return deleted


def _remove_unless_newer(file: Path, seconds: float) -> None:
    """Remove a file that was last written or used more than some seconds ago."""
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
