"""Backups: all records and the files that cannot be made again, in one tar file, taken while the service runs.

    backup.json      the manifest: format, time, home folder and store, revisions of its tables, rows of each table
    records.jsonl    one row a line, {"table": …, "row": {column: value}}
    uploads/…        what callers sent
    videos/…         what was fetched for them
    tracks/…         the catalog's audio, where machines share a store
    profiles/…       tuned parameters
    end.json         number of the files before it: a backup that was cut short has no such member

The records are read in one transaction, so they are those of one instant; the files that they name are copied after it.
Analyses, previews and indexes are left out: they are made again. Tracks and videos that were added from elsewhere are
named by their path. Records are plain JSON, so a backup of SQLite can be restored into PostgreSQL and the other way
round.

A backup holds the hashes of keys and the secret that signs links, so only its owner can read the file.

A backup of one account is for moving it to another installation. It holds what is the account's own and is settled:
its billing state, grants and ledger, its videos with their files, its jobs, the catalog with its files; of its keys all
but the hash, so that no key of it works elsewhere. What is not settled is left out: it is run and charged where it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy import Connection

from service.store import accounts, shared_values
from service.store import tables as service_tables
from service.store.shared_files import take_over
from workbench.errors import MediaError, ParameterError, StoreError, WorkbenchError
from workbench.store import database as records
from workbench.store.database import Database, now
from workbench.store.schema import revision_of
from workbench.store.stored_files import StoredFiles

FORMAT = 2
_MANIFEST, _RECORDS, _END = "backup.json", "records.jsonl", "end.json"
_LEFT_OUT = service_tables.workers.name
"""table that is about this installation"""
_PARTS = ("uploads", "videos", "tracks", "profiles")
_NESTED = ("videos", "tracks")
"""parts with folders, where machines share a store"""
_CATALOG = (records.tracks, records.recordings, records.removed_tracks, records.revisions, records.grids)
"""tables that a backup of one account holds whole"""
_OF_ACCOUNT = (
    service_tables.accounts,
    service_tables.credit_grants,
    service_tables.event_times,
    service_tables.api_keys,
    service_tables.video_owners,
    service_tables.jobs,
    service_tables.ledger,
    service_tables.month_totals,
    service_tables.idempotency_keys,
    service_tables.mapped_recordings,
)
"""tables whose rows of the account it holds"""
_ROWS = 1000  # of a table that are held in memory at a time


@dataclass(frozen=True, slots=True)
class Backup:
    """The content of a backup, or of a restore from one."""

    made_at: str
    rows: int
    files: int
    bytes: int
    """of the files"""
    missing: tuple[str, ...] = ()
    """files that a record names and that were gone when they were to be copied"""
    elsewhere: int = 0
    """tracks and videos that were added from elsewhere: their records are in it, their files are not"""


def write_backup(
    files: StoredFiles, database: Database, path: Path, account: str | None = None, *, replace: bool = False
) -> Backup:
    """Write a backup of all accounts or one; it appears at `path` whole or not at all."""
    if path.exists() and not replace:
        raise ParameterError(f"{path} is there already; name another file, or replace it with --force")
    made_at, partial = now(), path.with_name(f"{path.name}.part")
    count, size, missing = 0, 0, []
    try:
        with tempfile.TemporaryFile("w+b", dir=path.absolute().parent) as lines:
            with database.read() as connection:
                _freeze(connection)
                revisions = _revisions(connection)
                if account is not None and accounts.get(connection, account) is None:
                    raise ParameterError(f"no account {account!r}; `workbench accounts list` shows what there is")
                rows = _write_records(connection, lines, account)
                places = _places(connection, files, account)
            named = _named_files(files, places, account)
            manifest = {
                "format": FORMAT,
                "made_at": made_at,
                "home": str(files.root),
                "also": [str(root) for root in _roots(files)[1:]],
                "account": account,
                "revisions": revisions,
                "rows": rows,
            }
            with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
                    _add_bytes(tar, _MANIFEST, json.dumps(manifest, indent=2).encode())
                    _add_file(tar, _RECORDS, lines)
                    for name, place in named:
                        try:
                            with files.fetch(place).open("rb") as file:
                                size += _add_file(tar, name, file)
                            count += 1
                        except (FileNotFoundError, MediaError):
                            missing.append(name)
                        files.release()
                    _add_bytes(tar, _END, json.dumps({"files": count}).encode())
                out.flush()
                os.fsync(out.fileno())
        partial.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError | tarfile.TarError):
            why = getattr(error, "strerror", None) or error
            raise StoreError(f"{path}: the backup cannot be written ({why})") from error
        raise
    elsewhere = sum(not files.is_own(place) for place in places)
    return Backup(made_at, sum(rows.values()), count, size, tuple(missing), elsewhere)


def restore_backup(files: StoredFiles, database: Database, path: Path, *, one_account: bool = False) -> Backup:
    """Restore a backup into a home folder, or a store, and a database without records.

    The files are copied first and the records written last, in one transaction: what fails leaves no records. Paths of
    records become those of their files here, but for files that were added from elsewhere.
    """
    try:
        with tarfile.open(path, "r:") as tar, database.write() as connection:
            manifest = _read_manifest(tar, path)
            account = manifest.get("account")
            if one_account and account is None:
                raise ParameterError(f"{path}: a backup of all accounts; `workbench backup --restore` reads it")
            if not one_account and account is not None:
                raise ParameterError(f"{path}: the account {account} alone; `workbench accounts import` reads it")
            _require_fit(connection, manifest, path)
            lines, end, count, size = None, None, 0, 0
            for member in tar:
                if member.name == _RECORDS:
                    lines = member
                elif member.name == _END:
                    end = _read_json(tar, member)
                elif member.name != _MANIFEST:
                    size += _extract(tar, member, files, path)
                    count += 1
            if lines is None or end != {"files": count}:
                raise StoreError(f"{path}: the backup was cut short; take another copy of it")
            old = [Path(root) for root in (manifest["home"], *manifest.get("also", ()))]
            rows = _read_records(connection, tar, lines, old, files.root)
            if rows != manifest["rows"]:
                raise StoreError(f"{path}: records are missing from the backup; take another one")
            take_over(connection, files)
    except WorkbenchError:  # some are ValueErrors
        raise
    except (tarfile.TarError, EOFError, ValueError, KeyError) as error:
        raise StoreError(f"{path}: no backup, or a damaged one ({error})") from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be restored ({error.strerror or error})") from error
    return Backup(manifest["made_at"], sum(rows.values()), count, size)


def _tables() -> list[sa.Table]:
    """The tables of a backup, those of the workbench first."""
    both = (*records.metadata.sorted_tables, *service_tables.metadata.sorted_tables)
    return [table for table in both if table.name != _LEFT_OUT]


def _freeze(connection: Connection) -> None:
    """Make all that the transaction reads be of one instant."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))


def _revisions(connection: Connection) -> dict[str, str | None]:
    return {schema.name: revision_of(connection, schema) for schema in (records.SCHEMA, service_tables.SCHEMA)}


def _write_records(connection: Connection, lines: IO[bytes], account: str | None) -> dict[str, int]:
    """Write the rows of all tables, one a line; returns the number of each table's."""
    counts = {}
    for table in _tables():
        counts[table.name] = 0
        query = _rows(table, account).execution_options(yield_per=_ROWS)
        if table is service_tables.shared_values:
            # which home, store and database it is does not hold where it is restored
            query = query.where(table.c.name.not_in((shared_values.STORE_ID, shared_values.DATABASE_ID)))
        for row in connection.execute(query).mappings():
            values = dict(row)
            if account is not None and table is service_tables.api_keys:
                values["digest"] = f"left out: {values['key_id']}"  # which is the hash of no key
            line = {"table": table.name, "row": values}
            lines.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            counts[table.name] += 1
    lines.seek(0)
    return counts


def _rows(table: sa.Table, account: str | None) -> sa.Select[Any]:
    """The rows of a table that a backup holds; None: of all accounts."""
    query = sa.select(table)
    if account is None or table in _CATALOG:
        return query
    jobs, owners = service_tables.jobs, service_tables.video_owners
    if table is records.videos:
        return query.where(table.c.video_id.in_(_rows(owners, account).with_only_columns(owners.c.video_id)))
    if table not in _OF_ACCOUNT:
        return query.where(sa.false())
    query = query.where(table.c.account == account)
    if table is owners:
        query = query.where(table.c.status.in_(("ready", "failed")))
    elif table is jobs:
        query = query.where(table.c.state.in_(("complete", "failed")))
    elif table is service_tables.idempotency_keys:
        query = query.where(table.c.job_id.in_(_rows(jobs, account).with_only_columns(jobs.c.job_id)))
    return query


def _places(connection: Connection, files: StoredFiles, account: str | None) -> set[Path]:
    """The files that records name."""
    videos, owners = records.videos, service_tables.video_owners
    places = {Path(path) for path in connection.scalars(_rows(videos, account).with_only_columns(videos.c.path))}
    name = sa.func.coalesce(owners.c.upload_name, owners.c.storage_key)
    uploaded = _rows(owners, account).with_only_columns(name).where(owners.c.uploaded_bytes > 0)
    places |= {files.place("uploads", key) for key in connection.scalars(uploaded)}
    return places | {Path(path) for path in connection.scalars(sa.select(records.tracks.c.path))}


def _named_files(files: StoredFiles, places: set[Path], account: str | None) -> list[tuple[str, Path]]:
    """Files in the home folder or the store that records name, and the profiles: names in the backup, and places."""
    home = files.home
    named = {
        place.relative_to(root).as_posix(): place
        for root in _roots(files)
        for place in places
        if place.is_relative_to(root) and files.is_own(place)
    }
    profiles = (file for file in home.profiles.glob("*") if file.is_file() and account is None)
    return sorted((named | {file.relative_to(home.root).as_posix(): file for file in profiles}).items())


def _roots(files: StoredFiles) -> list[Path]:
    """The folders of files that records name: the home too, which may have had them before there was a store."""
    return list(dict.fromkeys((files.root, files.home.root)))


def _add_bytes(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        _add_file(tar, name, file)


def _add_file(tar: tarfile.TarFile, name: str, file: IO[bytes]) -> int:
    """Add an open file from its beginning; returns its bytes."""
    info = tarfile.TarInfo(name)
    status = os.fstat(file.fileno())
    info.size, info.mtime, info.mode = status.st_size, int(status.st_mtime), 0o600
    tar.addfile(info, file)
    return info.size


def _read_manifest(tar: tarfile.TarFile, path: Path) -> dict[str, Any]:
    first = tar.next()
    if first is None or first.name != _MANIFEST:
        raise StoreError(f"{path}: not a file that `workbench backup` wrote")
    manifest = _read_json(tar, first)
    if manifest["format"] != FORMAT:
        raise ParameterError(f"{path}: a backup of format {manifest['format']}; this version reads format {FORMAT}")
    return manifest


def _read_json(tar: tarfile.TarFile, member: tarfile.TarInfo) -> dict[str, Any]:
    content = tar.extractfile(member)
    found: dict[str, Any] = {} if content is None else json.load(content)
    return found


def _require_fit(connection: Connection, manifest: dict[str, Any], path: Path) -> None:
    """Check that the backup has the tables of this version, and that they are empty here."""
    here, there = _revisions(connection), manifest["revisions"]
    if here != there:
        advice = "restore it with the version that made it, then update"
        raise ParameterError(f"{path}: its tables are {there}, those of this version {here}; {advice}")
    for table in _tables():
        if table is records.revisions:
            continue  # a new database begins it
        if connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first() is not None:
            advice = "restore into an empty one, with --home DIR or another WORKBENCH_DATABASE_URL"
            raise ParameterError(f"the database holds records already ({table.name}); {advice}")


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, files: StoredFiles, path: Path) -> int:
    """Copy a file of the backup into the home folder or the store; returns its bytes."""
    part, _, name = member.name.partition("/")
    content = tar.extractfile(member) if member.isfile() else None
    nested = part in _NESTED and all(one not in ("", ".", "..") for one in name.split("/"))
    if content is None or part not in _PARTS or not name or not (nested or Path(name).name == name):
        raise StoreError(f"{path}: {member.name!r} does not belong into a backup")
    home = files.home
    target = home.profiles / name if part == home.profiles.name else files.folder(part) / name
    partial = home.prepared(target.parent) / f".{secrets.token_hex(4)}.part"
    with partial.open("wb") as file:
        shutil.copyfileobj(content, file)
        file.flush()
        os.fsync(file.fileno())
    if part == home.profiles.name:
        partial.replace(target)
    else:
        files.keep(partial, part, name)
    return member.size


def _read_records(
    connection: Connection, tar: tarfile.TarFile, member: tarfile.TarInfo, old: list[Path], new: Path
) -> dict[str, int]:
    """Insert the records of a backup; returns the number of each table's."""
    known = {table.name: table for table in _tables()}
    connection.execute(records.revisions.delete())
    counts = Counter(dict.fromkeys(known, 0))
    content = tar.extractfile(member)
    assert content is not None
    for name, rows in _batches(content):
        moved = [_moved(row, old, new) for row in rows] if name in ("videos", "tracks") else rows
        connection.execute(known[name].insert(), moved)
        counts[name] += len(rows)
    return dict(counts)


def _batches(lines: IO[bytes]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Rows in batches of one table."""
    name, rows = "", list[dict[str, Any]]()
    for line in lines:
        found = json.loads(line)
        if rows and (found["table"] != name or len(rows) == _ROWS):
            yield name, rows
            rows = []
        name = found["table"]
        rows.append(found["row"])
    if rows:
        yield name, rows


def _moved(row: dict[str, Any], old: list[Path], new: Path) -> dict[str, Any]:
    """A record whose file is in the backup, with its path in the new home folder or store."""
    path = Path(row["path"])
    copied = (root for root in old if path.is_relative_to(root) and path.relative_to(root).parts[0] in _PARTS)
    root = next(copied, None)
    return row if root is None else row | {"path": str(new / path.relative_to(root))}
