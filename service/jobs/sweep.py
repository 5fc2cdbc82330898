"""Retention: deletes uploads that were never ingested or failed, parts of broken uploads, files that were fetched for
jobs which are settled, videos past their retention if the settings have one, expired idempotency keys, jobs that were
settled long ago, and answers and previews that have not been used for long.

An upload stays for a day after its link has expired, for a late ingest, and for a day after its ingest has failed,
for the operator to look at or to run again. For jobs, answers and previews the settings give the time. Answers and
previews are caches: a later request needs a job again and gets the same result. The ledger loses no rows, also those
of deleted jobs.

Of a store that machines share, and of the uploads in a home folder, one worker lists all files once a day, and deletes
those that no record names; not where they belong to another database. In a store the time of a preview counts from when
it was made, since a store does not say when a file was last read.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
import structlog

from service.jobs.deletion import delete_video
from service.settings import ServiceSettings
from service.store import answers, idempotency_keys, jobs, shared_values, video_owners
from service.store.shared_files import problem_of_sweeping
from workbench.caches import NOTE_SUFFIX, delete_made
from workbench.errors import ParameterError, StoreError, UnknownVideo, WorkbenchError
from workbench.store import videos
from workbench.store.clock import wall_seconds
from workbench.store.database import Database, now, plan_versions, projects, tracks
from workbench.store.stored_files import StoredFiles

_GRACE_SECONDS = 86_400.0  # after an upload link has expired, or an ingest has failed
_STORE_SECONDS = 86_400.0  # between two looks through the store, by whichever worker
_PIECE_SECONDS = 3600.0  # without a new byte, after which no request writes to a piece any more
_MOST_VIDEOS = 100  # at a time
_MOST_ROWS = 1000  # of a table at a time: while they are deleted, no other process can write to SQLite

_NAMING = (tracks.c.path, plan_versions.c.track_path, plan_versions.c.video_path, projects.c.track, projects.c.video)
"""columns of the workbench's own records that name files, beside those of its videos"""

log = structlog.get_logger("service.jobs")


def sweep(files: StoredFiles, database: Database, settings: ServiceSettings) -> bool:
    """Delete what has expired: the records first, because no request finds a file without its record.

    Returns whether rows are left for the next call. Raises StoreError if the database cannot be used.
    """
    with database.write() as connection:
        stale = video_owners.delete_stale_uploads(connection, now(-settings.upload_seconds - _GRACE_SECONDS))
        failed = video_owners.forget_failed_uploads(connection, now(-_GRACE_SECONDS), _MOST_ROWS)
        idempotency_keys.delete_expired(connection)
        forgotten = (
            jobs.delete_settled(connection, now(-settings.job_retention_seconds), _MOST_ROWS),
            answers.delete_unused(connection, now(-settings.answer_retention_seconds), _MOST_ROWS),
        )
    for name in (*stale, *failed):  # before all that can fail: no later sweep finds them
        _delete(files, files.place("uploads", name))
    # before the records are read, so that no file of a newer job is in it
    found = [file for file in files.folder("fetched").glob("*") if file.suffix != NOTE_SUFFIX]
    fetched = [file for file in found if not file.name.startswith(".")]  # the others are being written
    with database.read() as connection:
        needed = jobs.unsettled_ids(connection) if fetched else set()
    for file in fetched:
        if file.name not in needed:
            _delete(files, files.place("fetched", file.name))
    expired = _delete_videos(files, database, settings)
    for piece in (*files.folder("uploads").glob("*.part"), *(file for file in found if file.name.startswith("."))):
        _remove_unless_newer(piece, _PIECE_SECONDS)
    if files.store is None:
        for preview in files.folder("previews").glob("*.mp3"):
            _remove_unless_newer(preview, settings.preview_retention_seconds)
    problem = problem_of_sweeping(files, database)
    if _is_turn(database):
        if problem is None:
            _sweep_unnamed(files, database, settings)
        else:  # the records of this database say nothing about the files of another
            log.error("files are not swept", problem=problem)
    return max(*forgotten, len(failed)) == _MOST_ROWS or expired == _MOST_VIDEOS


def _is_turn(database: Database) -> bool:
    """Whether this worker is to look through all files: one of all machines does, once a day."""
    with database.write() as connection:
        last = shared_values.get(connection, shared_values.STORE_SWEPT_AT)
        if last is not None and last > now(-_STORE_SECONDS):
            return False
        shared_values.set_value(connection, shared_values.STORE_SWEPT_AT, now())
        return True


def _sweep_unnamed(files: StoredFiles, database: Database, settings: ServiceSettings) -> None:
    """Delete what no record names, as a killed process leaves it; of a store also previews past their retention.

    A file is written before its record. So only files are deleted that are older than any request or job can be, and
    they are listed before the records are read. In a home folder they are the uploads that callers of the service sent:
    all else there may be the user's own.
    """
    aged = settings.upload_seconds + _GRACE_SECONDS
    for part in ("uploads",) if files.store is None else ("uploads", "videos", "tracks", "fetched"):
        before = wall_seconds() - max(aged, settings.ingest_deadline_seconds)
        old = [
            place
            for place, found in files.every(part)
            if found.modified_at < before and (files.store is not None or _is_upload(files, place))
        ]
        if not old:
            continue
        with database.read() as connection:
            named = {record.path for record in videos.every(connection)}
            named |= {
                Path(path)
                for column in _NAMING  # a project's track may also be an id, which is no file's place
                for path in connection.scalars(sa.select(column).where(column.is_not(None)).distinct())
            }
            named |= {files.place("uploads", name) for name in video_owners.upload_names(connection)}
            named |= {files.place("fetched", job_id) for job_id in jobs.unsettled_ids(connection)}
        for place in old:
            # looked at again: who adds a track whose bytes are there already writes them again
            if place not in named and _is_older(files, place, before):
                _delete(files, place)
    if files.store is None:
        return  # a preview there says when it was last read
    before = wall_seconds() - settings.preview_retention_seconds
    for place, found in files.every("previews"):
        if found.modified_at < before:
            _delete(files, place)


def _is_upload(files: StoredFiles, place: Path) -> bool:
    """Whether a file in the home folder was sent to `/v1/uploads`."""
    return place.parent == files.folder("uploads") and place.name.startswith("upl_") and place.suffix != ".part"


def _delete_videos(files: StoredFiles, database: Database, settings: ServiceSettings) -> int:
    """Delete videos past their retention, except those with jobs that are not settled; returns their number."""
    if settings.video_retention_seconds is None:
        return 0
    with database.read() as connection:
        before = now(-settings.video_retention_seconds)
        expired = video_owners.ready_since(connection, before, _MOST_VIDEOS)
    deleted = 0
    for video_id in expired:
        try:
            delete_video(files, database, video_id)
            deleted += 1
        except (ParameterError, UnknownVideo) as error:
            log.info("video kept", video_id=video_id, problem=str(error))
        except StoreError as error:
            log.error("cannot delete video", video_id=video_id, problem=str(error))
    return deleted


def _is_older(files: StoredFiles, place: Path, before: float) -> bool:
    if files.store is None:
        return True  # an upload that is sent again has a record
    try:
        return files.is_older(place, before)
    except ParameterError:  # not ours: no file of ours has such a name
        return False


def _delete(files: StoredFiles, place: Path) -> None:
    try:
        files.delete(place)
    except WorkbenchError as error:  # also for a name that no file of ours has
        log.error("cannot delete", file=place.name, problem=str(error))


def _remove_unless_newer(file: Path, seconds: float) -> None:
    """Remove a file that was last written or used more than some seconds ago."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return  # renamed when it was complete, or deleted by another worker
    if max(found.st_mtime, found.st_atime) >= wall_seconds() - seconds:
        return
    try:
        delete_made(file)
    except OSError as error:
        log.error("cannot remove", file=file.name, problem=str(error.strerror))
