"""The database of records: SQLite in the home folder, or the database that `WORKBENCH_DATABASE_URL` names.

Records are what cannot be computed again. The same statements, built by SQLAlchemy, serve SQLite and PostgreSQL.

SQLite is opened in write-ahead mode, so that readers never wait; a transaction that will write says so at its start
(BEGIN IMMEDIATE), because SQLite refuses a reader that begins to write in its middle instead of letting it wait.

Tables are declared here once; `workbench.store.schema` brings those of a database up to date. A package with more
tables in the same database brings its own schema.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    ProgrammingError,
    SQLAlchemyError,
)

from workbench.errors import StoreError, require_extra
from workbench.store.clock import now as now
from workbench.store.clock import wall_seconds
from workbench.store.home import Home
from workbench.store.schema import Schema, bring_up_to_date, is_current
from workbench.store.settings import WorkbenchSettings

BUSY_SECONDS = 30.0
"""s for which a writer waits for another one before SQLite gives up"""
_PSYCOPG = "psycopg"  # the driver that the extra `scale` brings
_DEADLOCK = "40P01"  # PostgreSQL's code of a transaction that waits in a circle
_MAKING_SECONDS = 2.0
_CONNECTIONS = 8  # that stay open: as many as a process of the service has threads for them
_PATIENCE = {
    "connect_timeout": 30,  # s
    "tcp_user_timeout": 30_000,  # ms that sent data may stay unconfirmed
    "keepalives_idle": 30,  # s of silence before the server is asked whether it lives
    "keepalives_interval": 10,
    "keepalives_count": 3,
}

metadata = sa.MetaData()

CREATED = "created"
"""name of the revision that is when the database was created"""

tracks = sa.Table(
    "tracks",
    metadata,
    sa.Column("track_id", sa.Text, primary_key=True),
    sa.Column("path", sa.Text, nullable=False),  # absolute
    sa.Column("content_hash", sa.Text, nullable=False),
    sa.Column("fields", sa.Text, nullable=False),  # JSON object of the track fields that were given
    sa.Column("state", sa.Text, nullable=False),  # present, missing
    sa.Column("added_at", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Text, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"),  # the catalog's when it last changed
    sa.Index("tracks_by_path", "path"),
    sa.Index("tracks_by_content", "content_hash"),
    sa.Index("tracks_by_revision", "revision"),
)

recordings = sa.Table(
    "recordings",
    metadata,
    sa.Column("content_hash", sa.Text, primary_key=True),  # one row for equal bytes, however many tracks they are
    sa.Column("measured", sa.Text, nullable=False),  # JSON object of measured facts
    sa.Column("descriptor", sa.Text, nullable=False),  # energy contour and sound vector, float16 in base64
    sa.Column("analysis", sa.Text, nullable=False),  # version and digest of the parameters it was measured with
    sa.Column("measured_at", sa.Text, nullable=False),
)

removed_tracks = sa.Table(
    "removed_tracks",
    metadata,
    sa.Column("track_id", sa.Text, primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Index("removed_by_revision", "revision"),
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),  # raised by each transaction that changes these records
)


@event.listens_for(revisions, "after_create")
def _begin_revisions(_table: sa.Table, connection: Connection, **_: Any) -> None:
    """Insert revision 1 of the catalog, and the time of creation, µs since 1970: it tells a database from others."""
    begun = [{"name": "catalog", "revision": 1}, {"name": CREATED, "revision": int(1e6 * wall_seconds())}]
    connection.execute(revisions.insert(), begun)


videos = sa.Table(
    "videos",
    metadata,
    sa.Column("video_id", sa.Text, primary_key=True),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("content_hash", sa.Text, nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("seconds", sa.Double),
    sa.Column("added_at", sa.Text, nullable=False),
    sa.Column("audio", sa.Text),  # sound streams that were chosen, as `2` or `1,2` or `all`; null: the default
)

grids = sa.Table(
    "grids",
    metadata,
    sa.Column("content_hash", sa.Text, primary_key=True),
    sa.Column("revision", sa.Text, nullable=False),  # digest of the grid
    sa.Column("grid", sa.Text, nullable=False),  # JSON {beats, positions, beats_per_bar}
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
)

verdicts = sa.Table(
    "verdicts",
    metadata,
    sa.Column("verdict_id", sa.Text, primary_key=True),  # ULID: sorts by time
    sa.Column("content_hash", sa.Text, nullable=False),  # of the track
    sa.Column("track", sa.Text, nullable=False),  # its name
    sa.Column("seam", sa.Text, nullable=False),  # JSON: where it leaves and enters, its fade, its score and parts
    sa.Column("verdict", sa.Text, nullable=False),  # good, audible, wrong
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("reviewer", sa.Text, nullable=False, server_default=""),  # empty: no name was given
    sa.Index("verdicts_by_song", "content_hash"),
)

plan_versions = sa.Table(
    "plan_versions",
    metadata,
    sa.Column("version_id", sa.Text, primary_key=True),  # ULID: sorts by time
    sa.Column("subject", sa.Text, nullable=False),  # digest of track and video: what versions are versions of
    sa.Column("digest", sa.Text, nullable=False),  # of plan, fades and mix
    sa.Column("content_hash", sa.Text, nullable=False),  # of the track
    sa.Column("track", sa.Text, nullable=False),  # its name
    sa.Column("track_path", sa.Text, nullable=False),
    sa.Column("video_path", sa.Text),
    sa.Column("body", sa.Text, nullable=False),  # JSON as the command line prints it, with mix and provenance
    sa.Column("at", sa.Text, nullable=False),
    sa.UniqueConstraint("subject", "digest"),
)

comments = sa.Table(
    "comments",
    metadata,
    sa.Column("comment_id", sa.Text, primary_key=True),  # ULID: sorts by time
    sa.Column("version_id", sa.Text, nullable=False),  # on which it was written
    sa.Column("subject", sa.Text, nullable=False),  # of that version
    sa.Column("answers", sa.Text),  # the comment that begins the thread; none: this one does
    sa.Column("reviewer", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("video_s", sa.Double, nullable=False),
    sa.Column("leave_s", sa.Double),  # of the seam that it is about, in track time
    sa.Column("enter_s", sa.Double),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("resolved_by", sa.Text),
    sa.Column("resolved_at", sa.Text),
    sa.Index("comments_by_subject", "subject"),
)

approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("approval_id", sa.Text, primary_key=True),  # ULID: sorts by time
    sa.Column("version_id", sa.Text, nullable=False),
    sa.Column("reviewer", sa.Text, nullable=False),
    sa.Column("decision", sa.Text, nullable=False),  # approved, needs work
    sa.Column("at", sa.Text, nullable=False),
    sa.Index("approvals_by_version", "version_id"),
)

review_links = sa.Table(
    "review_links",
    metadata,
    sa.Column("token", sa.Text, primary_key=True),  # random; who has it sees the version
    sa.Column("version_id", sa.Text, nullable=False),
    sa.Column("may_answer", sa.Boolean, nullable=False),  # whether who has it may comment and decide
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text, nullable=False),
    sa.Index("review_links_by_version", "version_id"),
)

listening_tests = sa.Table(
    "listening_tests",
    metadata,
    sa.Column("test_id", sa.Text, primary_key=True),  # ULID: sorts by time
    sa.Column("kind", sa.Text, nullable=False),  # abx, preference, mushra
    sa.Column("content_hash", sa.Text, nullable=False),  # of the track
    sa.Column("track", sa.Text, nullable=False),  # its name
    sa.Column("reviewer", sa.Text, nullable=False),
    sa.Column("design", sa.Text, nullable=False),  # JSON: seed, trials, what each letter hides
    sa.Column("at", sa.Text, nullable=False),
)

listening_answers = sa.Table(
    "listening_answers",
    metadata,
    sa.Column("test_id", sa.Text, primary_key=True),
    sa.Column("trial", sa.Integer, primary_key=True),  # from 0
    sa.Column("answer", sa.Text, nullable=False),  # JSON: the choice, or a rating for each letter
    sa.Column("seconds", sa.Double, nullable=False),  # from the first sound to the answer
    sa.Column("at", sa.Text, nullable=False),
)

projects = sa.Table(
    "projects",
    metadata,
    sa.Column("project_id", sa.Text, primary_key=True),  # ULID: sorts by time of creation
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("video", sa.Text, nullable=False),  # absolute path; empty for none yet
    sa.Column("track", sa.Text, nullable=False),  # absolute path, or id of a track of the catalog; empty for none yet
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("changed_at", sa.Text, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"),  # raised by all fields but the view
    sa.Index("projects_by_change", "changed_at"),
)

project_fields = sa.Table(
    "project_fields",
    metadata,
    sa.Column("project_id", sa.Text, primary_key=True),
    sa.Column("field", sa.Text, primary_key=True),  # plan, fades, params, view
    sa.Column("content", sa.Text, nullable=False),  # JSON
    sa.Column("at", sa.Text, nullable=False),
)

project_changes = sa.Table(
    "project_changes",
    metadata,
    sa.Column("project_id", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True),  # from 1, in the order in which they were made
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("edits", sa.Text, nullable=False),  # JSON object: by key, the value before and the value after
    sa.Column("undone", sa.Boolean, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("window", sa.Text, nullable=False, server_default=""),  # in which it was made; empty for none
)

SCHEMA = Schema(
    name="workbench",
    metadata=metadata,
    head="2_2",
    migrations=Path(__file__).parent / "migrations",
    successor_of="0008_expand_audio_of_videos",
)


class Database:
    """Reading and writing transactions on one database, whose tables are brought up to date when it is opened.

    `more` are the schemas of other packages that keep tables here. StoreError: it cannot be opened, is no database, or
    was made by a newer version of this package.
    """

    def __init__(self, url: str, more: Sequence[Schema] = ()) -> None:
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        try:
            self._engine = _create_engine(url)
            # A database that was not closed leaves no connection open.
            weakref.finalize(self, self._engine.dispose)
            known = (SCHEMA, *more)
            with self.read() as connection:
                current = all(is_current(connection, schema) for schema in known)
            if not current:  # opening waits for a writer only then
                with self.write() as connection:
                    for schema in known:
                        bring_up_to_date(connection, schema)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            if url.startswith("postgresql"):
                require_extra("scale", "a PostgreSQL database")
            raise StoreError(f"{_shown(url)}: not a database address ({_first_line(error)})") from error

    @classmethod
    def at(cls, home: Home, settings: WorkbenchSettings, more: Sequence[Schema] = ()) -> Database:
        """The database that the settings name, else the file in a home folder, which is made.

        StoreError: the file is empty, which SQLite would take for a new one.
        """
        if settings.database_url is not None:
            return cls(settings.database_url, more)
        home.prepared()
        if _is_emptied(home.database):
            raise StoreError(
                f"{home.database}: the file is empty and its records are lost; restore a backup, or delete it to start "
                "again"
            )
        return cls(f"sqlite:///{home.database}", more)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that only reads."""
        with _as_store_errors(self.url), self._engine.begin() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
            yield connection

    @contextmanager
    def write(self, reused: Connection | None = None) -> Iterator[Connection]:
        """One transaction that writes, whole or not at all, on a connection of the pool or on `reused`."""
        with (
            _as_store_errors(self.url),
            nullcontext(reused) if reused is not None else self._engine.connect() as connection,
            connection.begin(),
        ):
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    def connect(self) -> Connection:
        """A connection for one transaction after the other: to take one from the pool costs as much as to use it."""
        with _as_store_errors(self.url):
            return self._engine.connect()

    def as_store_error(self, error: Exception) -> Exception:
        """The error to raise: a `StoreError` for an error of the database, else the error itself."""
        return _as_store_error(self.url, error)

    def close(self) -> None:
        """Close all connections; a database that is used again opens new ones."""
        self._engine.dispose()


def _is_emptied(file: Path) -> bool:
    """Whether a database file is empty that no process makes just now, which takes some milliseconds."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return False
    return found.st_size == 0 and found.st_mtime < wall_seconds() - _MAKING_SECONDS


def _create_engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        is_psycopg = sa.make_url(url).get_dialect().driver == _PSYCOPG
        patience = patience_with(sa.make_url(url)) if is_psycopg else {}
        engine = sa.create_engine(url, pool_pre_ping=True, connect_args=patience, pool_size=_CONNECTIONS)
        if is_psycopg:
            # before SQLAlchemy asks anything, which it cannot without texts
            event.listen(engine, "connect", partial(_require_unicode, url), insert=True)
        return engine
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS}, pool_size=_CONNECTIONS)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def patience_with(url: sa.URL) -> dict[str, int]:
    """How long a connection waits for a PostgreSQL that is gone without a word, as one whose machine has died.

    Without it the operating system gives up after a quarter of an hour, and all that time writers wait.
    """
    return {name: value for name, value in _PATIENCE.items() if name not in url.query}


def _require_unicode(url: str, connection: Any, _record: Any) -> None:
    """Refuse a database that cannot hold every text; of one in SQL_ASCII the driver makes bytes instead of texts."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding not in ("UTF8", None):  # None: a server that does not say
        raise StoreError(f"{_shown(url)}: the database is in {encoding}; create one with ENCODING 'UTF8'")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver would begin late, `Database` begins at once
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # accepted jobs and charges survive a power cut
    connection.execute("PRAGMA foreign_keys=ON")


def is_deadlocked(error: BaseException | None) -> bool:
    """Whether PostgreSQL gave up a transaction because others wait for it in a circle; nothing of it was done."""
    while error is not None:
        if isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) == _DEADLOCK:
            return True
        error = error.__cause__
    return False


def is_refused(error: StoreError) -> bool:
    """Whether a database answered, but refused the values to write, which it would refuse again."""
    return isinstance(error.__cause__, DataError | IntegrityError | ProgrammingError)


@contextmanager
def _as_store_errors(url: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        found = _as_store_error(url, error)
        if found is error:
            raise
        raise found from error


def _as_store_error(url: str, error: Exception) -> Exception:
    if not isinstance(error, SQLAlchemyError | sqlite3.Error):
        return error
    found = StoreError(f"{_shown(url)}: the database cannot be used ({_first_line(error)})")
    found.__cause__ = error
    return found


def _shown(url: str) -> str:
    """The address without its password."""
    try:
        return sa.make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return Path(url).name


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]
