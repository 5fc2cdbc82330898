"""The database of records: SQLite in the home folder, or whatever `WORKBENCH_DATABASE_URL` names.

Records are what cannot be computed again. One file of SQL statements serves SQLite and PostgreSQL.

SQLite is opened in write-ahead mode, so that readers never wait; a transaction that will write says so at its start
(BEGIN IMMEDIATE), because SQLite refuses a reader that begins to write in its middle instead of letting it wait.

Migrations have names and run in order, each once, in the transaction that notes it. One that was released is never
edited; a change is a new one. A package that keeps more tables in the same database brings migrations of its own, whose
names start with its name and a slash; a process ignores those of packages that it does not know.

**Expand, then contract.** While a service is upgraded, processes of two versions work on one database, and the older
ones may start again or come back for good. So a change that they could not live with takes two releases. The first only
adds: tables, indexes, columns that may be empty or have a default; its migrations are called `0007_expand_…`, and an
older version opens a database that has them. A later release, when nothing of the older version runs any more, takes
away what nobody reads: `0009_contract_…`, which older versions refuse. `expands` knows the statements that only add.
"""

from __future__ import annotations

import re
import select
import sqlite3
import sys
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import ArgumentError, InvalidatePoolError, NoSuchModuleError, SQLAlchemyError

from workbench.clock import now as now
from workbench.errors import StoreError
from workbench.extras import require_extra
from workbench.home import Home
from workbench.settings import WorkbenchSettings
from workbench.store.statements import PSYCOPG, Memory, SqliteConnection, driver_of_sqlite, is_select, note_change

BUSY_SECONDS = 30.0
"""s for which a writer waits for another one before SQLite gives up"""
_CONNECTIONS = 8  # of each kind that stay open: as many as a process of the service has threads for them
_EXPANSION = re.compile(r"(.*/)?\d{4}_expand_\w+")
_ADDS = re.compile(
    r"CREATE TABLE (?P<made>\w+) .*"
    r"|CREATE INDEX .*"
    r"|CREATE UNIQUE INDEX \w+ ON (?P<unique>\w+) .*"
    r"|ALTER TABLE (?P<added>\w+ ADD COLUMN \w+) (?!.*\bUNIQUE\b)(?:(?!.*\bNOT NULL\b).*|.*\bDEFAULT\b.*)"
    r"|INSERT INTO (?P<filled>\w+) .*"
    r"|UPDATE (?P<table>\w+) SET (?P<column>\w+) = [^,]*",
    re.DOTALL,
)
_PATIENCE = {
    "connect_timeout": 30,  # s
    "tcp_user_timeout": 30_000,  # ms that what was sent may stay unconfirmed
    "keepalives_idle": 30,  # s of silence before the server is asked whether it lives
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
_MIGRATION_LOCK = 0x6261726C  # PostgreSQL's advisory lock; any constant of our own

metadata = sa.MetaData()

migrations = sa.Table(
    "migrations",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("applied_at", sa.String, nullable=False),
)

tracks = sa.Table(
    "tracks",
    metadata,
    sa.Column("track_id", sa.String, primary_key=True),
    sa.Column("path", sa.String, nullable=False),  # absolute
    sa.Column("content_hash", sa.String, nullable=False),
    sa.Column("fields", sa.String, nullable=False),  # JSON object of the track fields that were given
    sa.Column("state", sa.String, nullable=False),  # present, missing
    sa.Column("added_at", sa.String, nullable=False),
    sa.Column("updated_at", sa.String, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"),  # the catalog's when it last changed
)

recordings = sa.Table(
    "recordings",
    metadata,
    sa.Column("content_hash", sa.String, primary_key=True),  # one row for equal bytes, however many tracks they are
    sa.Column("measured", sa.String, nullable=False),  # JSON object of what was measured
    sa.Column("descriptor", sa.String, nullable=False),  # energy contour and sound vector, float16 in base64
    sa.Column("analysis", sa.String, nullable=False),  # version and digest of the parameters it was measured with
    sa.Column("measured_at", sa.String, nullable=False),
)

removed_tracks = sa.Table(
    "removed_tracks",
    metadata,
    sa.Column("track_id", sa.String, primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("revision", sa.BigInteger, nullable=False),  # raised by every transaction that changes what it names
)

videos = sa.Table(
    "videos",
    metadata,
    sa.Column("video_id", sa.String, primary_key=True),
    sa.Column("path", sa.String, nullable=False),
    sa.Column("content_hash", sa.String, nullable=False),
    sa.Column("title", sa.String),
    sa.Column("seconds", sa.Float),
    sa.Column("added_at", sa.String, nullable=False),
    sa.Column("audio", sa.String),  # sound streams that were chosen, as `2` or `1,2` or `all`; null: the default
)

grids = sa.Table(
    "grids",
    metadata,
    sa.Column("content_hash", sa.String, primary_key=True),
    sa.Column("revision", sa.String, nullable=False),  # digest of the grid
    sa.Column("grid", sa.String, nullable=False),  # JSON {beats, positions, beats_per_bar}
    sa.Column("note", sa.String, nullable=False),
    sa.Column("at", sa.String, nullable=False),
)

seam_constraints = sa.Table(
    "seam_constraints",
    metadata,
    sa.Column("content_hash", sa.String, primary_key=True),
    sa.Column("revision", sa.String, nullable=False),  # digest of the constraints
    sa.Column("constraints", sa.String, nullable=False),  # JSON of a provenance: lists of pairs of times
    sa.Column("at", sa.String, nullable=False),
)

verdicts = sa.Table(
    "verdicts",
    metadata,
    sa.Column("verdict_id", sa.String, primary_key=True),  # ULID: sorts by time
    sa.Column("content_hash", sa.String, nullable=False),  # of the track
    sa.Column("track", sa.String, nullable=False),  # its name
    sa.Column("seam", sa.String, nullable=False),  # JSON: where it leaves and enters, its fade, its score and parts
    sa.Column("verdict", sa.String, nullable=False),  # good, audible, wrong
    sa.Column("note", sa.String, nullable=False),
    sa.Column("at", sa.String, nullable=False),
    sa.Column("reviewer", sa.String, nullable=False, server_default=""),  # empty: whoever it was gave no name
)

plan_versions = sa.Table(
    "plan_versions",
    metadata,
    sa.Column("version_id", sa.String, primary_key=True),  # ULID: sorts by time
    sa.Column("subject", sa.String, nullable=False),  # digest of track and video: what versions are versions of
    sa.Column("digest", sa.String, nullable=False),  # of plan, fades and mix
    sa.Column("content_hash", sa.String, nullable=False),  # of the track
    sa.Column("track", sa.String, nullable=False),  # its name
    sa.Column("track_path", sa.String, nullable=False),
    sa.Column("video_path", sa.String),
    sa.Column("body", sa.String, nullable=False),  # JSON as the command line prints it, with mix and provenance
    sa.Column("at", sa.String, nullable=False),
)

comments = sa.Table(
    "comments",
    metadata,
    sa.Column("comment_id", sa.String, primary_key=True),  # ULID: sorts by time
    sa.Column("version_id", sa.String, nullable=False),  # on which it was written
    sa.Column("subject", sa.String, nullable=False),  # of that version
    sa.Column("answers", sa.String),  # the comment that begins the thread; none: this one does
    sa.Column("reviewer", sa.String, nullable=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("video_s", sa.Float, nullable=False),
    sa.Column("leave_s", sa.Float),  # of the seam that it is about, in track time
    sa.Column("enter_s", sa.Float),
    sa.Column("at", sa.String, nullable=False),
    sa.Column("resolved_by", sa.String),
    sa.Column("resolved_at", sa.String),
)

approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("approval_id", sa.String, primary_key=True),  # ULID: sorts by time
    sa.Column("version_id", sa.String, nullable=False),
    sa.Column("reviewer", sa.String, nullable=False),
    sa.Column("decision", sa.String, nullable=False),  # approved, needs work
    sa.Column("at", sa.String, nullable=False),
)

listening_tests = sa.Table(
    "listening_tests",
    metadata,
    sa.Column("test_id", sa.String, primary_key=True),  # ULID: sorts by time
    sa.Column("kind", sa.String, nullable=False),  # abx, mushra
    sa.Column("content_hash", sa.String, nullable=False),  # of the track
    sa.Column("track", sa.String, nullable=False),  # its name
    sa.Column("reviewer", sa.String, nullable=False),
    sa.Column("design", sa.String, nullable=False),  # JSON: seed, trials, what each letter hides
    sa.Column("at", sa.String, nullable=False),
)

listening_answers = sa.Table(
    "listening_answers",
    metadata,
    sa.Column("test_id", sa.String, primary_key=True),
    sa.Column("trial", sa.Integer, primary_key=True),  # from 0
    sa.Column("answer", sa.String, nullable=False),  # JSON: the choice, or a rating for each letter
    sa.Column("seconds", sa.Float, nullable=False),  # from the first sound to the answer
    sa.Column("at", sa.String, nullable=False),
)

projects = sa.Table(
    "projects",
    metadata,
    sa.Column("project_id", sa.String, primary_key=True),  # ULID: sorts by time of creation
    sa.Column("name", sa.String, nullable=False),
    sa.Column("video", sa.String, nullable=False),  # absolute path; empty for none yet
    sa.Column("track", sa.String, nullable=False),  # absolute path, or id of a track of the catalog; empty for none yet
    sa.Column("created_at", sa.String, nullable=False),
    sa.Column("changed_at", sa.String, nullable=False),
)

project_fields = sa.Table(
    "project_fields",
    metadata,
    sa.Column("project_id", sa.String, primary_key=True),
    sa.Column("field", sa.String, primary_key=True),  # plan, fades, params, view
    sa.Column("content", sa.String, nullable=False),  # JSON
    sa.Column("at", sa.String, nullable=False),
)

project_changes = sa.Table(
    "project_changes",
    metadata,
    sa.Column("project_id", sa.String, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True),  # from 1, in the order in which they were made
    sa.Column("words", sa.String, nullable=False),
    sa.Column("edits", sa.String, nullable=False),  # JSON object: by key, the value before and the value after
    sa.Column("undone", sa.Boolean, nullable=False),
    sa.Column("at", sa.String, nullable=False),
)

Migration = tuple[str, tuple[str, ...]]
"""a name, and the statements in their order"""

MIGRATIONS: tuple[Migration, ...] = (
    (
        "0001_tracks_and_videos",
        (
            """CREATE TABLE tracks (
                track_id TEXT PRIMARY KEY, path TEXT NOT NULL, content_hash TEXT NOT NULL, fields TEXT NOT NULL,
                state TEXT NOT NULL, added_at TEXT NOT NULL, updated_at TEXT NOT NULL)""",
            "CREATE INDEX tracks_by_path ON tracks (path)",
            "CREATE INDEX tracks_by_content ON tracks (content_hash)",
            """CREATE TABLE videos (
                video_id TEXT PRIMARY KEY, path TEXT NOT NULL, content_hash TEXT NOT NULL, title TEXT,
                seconds DOUBLE PRECISION, added_at TEXT NOT NULL)""",
        ),
    ),
    (
        "0002_catalog",
        (
            "ALTER TABLE tracks ADD COLUMN revision BIGINT NOT NULL DEFAULT 0",
            "CREATE INDEX tracks_by_revision ON tracks (revision)",
            """CREATE TABLE recordings (
                content_hash TEXT PRIMARY KEY, measured TEXT NOT NULL, descriptor TEXT NOT NULL, analysis TEXT NOT NULL,
                measured_at TEXT NOT NULL)""",
            "CREATE TABLE removed_tracks (track_id TEXT PRIMARY KEY, revision BIGINT NOT NULL)",
            "CREATE INDEX removed_by_revision ON removed_tracks (revision)",
            "CREATE TABLE revisions (name TEXT PRIMARY KEY, revision BIGINT NOT NULL)",
            "INSERT INTO revisions (name, revision) VALUES ('catalog', 1)",
            "UPDATE tracks SET revision = 1",
        ),
    ),
    (
        "0003_grids_and_verdicts",
        (
            """CREATE TABLE grids (
                content_hash TEXT PRIMARY KEY, revision TEXT NOT NULL, grid TEXT NOT NULL, note TEXT NOT NULL,
                at TEXT NOT NULL)""",
            """CREATE TABLE verdicts (
                verdict_id TEXT PRIMARY KEY, content_hash TEXT NOT NULL, song TEXT NOT NULL, seam TEXT NOT NULL,
                verdict TEXT NOT NULL, note TEXT NOT NULL, at TEXT NOT NULL)""",
            "CREATE INDEX verdicts_by_song ON verdicts (content_hash)",
        ),
    ),
    ("0004_track_of_a_verdict", ("ALTER TABLE verdicts RENAME COLUMN song TO track",)),
    (
        "0005_seam_constraints",
        (
            """CREATE TABLE seam_constraints (
                content_hash TEXT PRIMARY KEY, revision TEXT NOT NULL, constraints TEXT NOT NULL, at TEXT NOT NULL)""",
        ),
    ),
    (
        "0006_reviewers",
        (
            "ALTER TABLE verdicts ADD COLUMN reviewer TEXT NOT NULL DEFAULT ''",
            """CREATE TABLE plan_versions (
                version_id TEXT PRIMARY KEY, subject TEXT NOT NULL, digest TEXT NOT NULL, content_hash TEXT NOT NULL,
                track TEXT NOT NULL, track_path TEXT NOT NULL, video_path TEXT, body TEXT NOT NULL, at TEXT NOT NULL,
                UNIQUE (subject, digest))""",
            """CREATE TABLE comments (
                comment_id TEXT PRIMARY KEY, version_id TEXT NOT NULL, subject TEXT NOT NULL, answers TEXT,
                reviewer TEXT NOT NULL, text TEXT NOT NULL, video_s DOUBLE PRECISION NOT NULL,
                leave_s DOUBLE PRECISION, enter_s DOUBLE PRECISION, at TEXT NOT NULL, resolved_by TEXT,
                resolved_at TEXT)""",
            "CREATE INDEX comments_by_subject ON comments (subject)",
            """CREATE TABLE approvals (
                approval_id TEXT PRIMARY KEY, version_id TEXT NOT NULL, reviewer TEXT NOT NULL, decision TEXT NOT NULL,
                at TEXT NOT NULL)""",
            "CREATE INDEX approvals_by_version ON approvals (version_id)",
            """CREATE TABLE listening_tests (
                test_id TEXT PRIMARY KEY, kind TEXT NOT NULL, content_hash TEXT NOT NULL, track TEXT NOT NULL,
                reviewer TEXT NOT NULL, design TEXT NOT NULL, at TEXT NOT NULL)""",
            """CREATE TABLE listening_answers (
                test_id TEXT NOT NULL, trial INTEGER NOT NULL, answer TEXT NOT NULL, seconds DOUBLE PRECISION NOT NULL,
                at TEXT NOT NULL, PRIMARY KEY (test_id, trial))""",
        ),
    ),
    (
        "0007_projects",
        (
            """CREATE TABLE projects (
                project_id TEXT PRIMARY KEY, name TEXT NOT NULL, video TEXT NOT NULL, track TEXT NOT NULL,
                created_at TEXT NOT NULL, changed_at TEXT NOT NULL)""",
            "CREATE INDEX projects_by_change ON projects (changed_at)",
            """CREATE TABLE project_fields (
                project_id TEXT NOT NULL, field TEXT NOT NULL, content TEXT NOT NULL, at TEXT NOT NULL,
                PRIMARY KEY (project_id, field))""",
            """CREATE TABLE project_changes (
                project_id TEXT NOT NULL, number BIGINT NOT NULL, words TEXT NOT NULL, edits TEXT NOT NULL,
                undone BOOLEAN NOT NULL, at TEXT NOT NULL, PRIMARY KEY (project_id, number))""",
        ),
    ),
    ("0008_expand_audio_of_videos", ("ALTER TABLE videos ADD COLUMN audio TEXT",)),
)


class Database:
    """Reading and writing transactions on one database, with its tables up to date.

    Parameters
    ----------
    url : SQLAlchemy's address
    more : migrations of other packages that keep tables here, see the head of the module

    Raises
    ------
    StoreError : it cannot be opened, is no database, or was made by a newer version of this package
    """

    def __init__(self, url: str, more: Sequence[Migration] = ()) -> None:
        self.url = url
        try:
            self._reader, self._writer = _engines(url)
            # A database that nobody closed leaves no connection open.
            weakref.finalize(self, _dispose, self._reader, self._writer)
            known = (*MIGRATIONS, *more)
            with self.read() as connection:
                current = _is_current(connection, known)
            if not current:  # opening waits for a writer only then
                with self.write() as connection:
                    _migrate(connection, known)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            if url.startswith("postgresql"):
                require_extra("scale", "a PostgreSQL database")
            raise StoreError(f"{_shown(url)}: not a database address ({_first_line(error)})") from error

    @classmethod
    def at(cls, home: Home, settings: WorkbenchSettings, more: Sequence[Migration] = ()) -> Database:
        """The database that the settings name, else the file in a home folder.

        Parameters
        ----------
        home : created if the database is in it
        settings : from the environment
        more : migrations of other packages that keep tables here

        Raises
        ------
        StoreError : the folder or the database cannot be used
        """
        if settings.database_url is not None:
            return cls(settings.database_url, more)
        home.prepared()
        return cls(f"sqlite:///{home.database}", more)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that only reads."""
        with _as_store_errors(self.url), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that writes: all of it happens, or none."""
        with _as_store_errors(self.url), self._writer.begin() as connection:
            yield connection

    def connect_writer(self) -> Connection:
        """A connection to SQLite for a caller that begins and commits one writing transaction after the other itself.

        It does not wait where another writes: to begin then fails at once. It remembers what it looks up
        (`workbench.store.statements`). What it raises is SQLAlchemy's or the driver's, where it cannot begin the
        driver's, and the caller uses it in `store_errors`.
        """
        connection = self._writer.connect()
        connection.detach()  # from the pool, whose connections wait
        driver = driver_of_sqlite(connection)
        driver.execute("PRAGMA busy_timeout=0")
        driver.memory = Memory()
        return connection

    @contextmanager
    def store_errors(self) -> Iterator[None]:
        """Raise errors of the database, inside of this, as `StoreError`."""
        with _as_store_errors(self.url):
            yield

    def as_store_error(self, error: Exception) -> Exception:
        """What `store_errors` raises in the place of an error.

        Parameters
        ----------
        error : whatever was raised
        """
        return _as_store_error(self.url, error)

    def close(self) -> None:
        """Close all connections; a database that is used again opens new ones."""
        _dispose(self._reader, self._writer)


def _engines(url: str) -> tuple[Engine, Engine]:
    if not url.startswith("sqlite"):
        direct = sa.make_url(url).get_dialect().driver == PSYCOPG
        patience = patience_with(sa.make_url(url)) if direct else {}
        engine = sa.create_engine(url, pool_pre_ping=not direct, connect_args=patience, pool_size=_CONNECTIONS)
        event.listen(engine, "before_cursor_execute", _note_change)
        if direct:
            # before SQLAlchemy asks anything, which it cannot without texts
            event.listen(engine, "connect", partial(_require_unicode, url), insert=True)
            event.listen(engine, "checkout", _check_alive)
        return engine, engine
    arguments = {"timeout": BUSY_SECONDS, "factory": SqliteConnection}
    reader = sa.create_engine(url, connect_args=arguments, pool_size=_CONNECTIONS)
    writer = sa.create_engine(url, connect_args=arguments, pool_size=_CONNECTIONS)
    for engine, begin in ((reader, "BEGIN"), (writer, "BEGIN IMMEDIATE")):
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _beginner(begin))
    return reader, writer


def patience_with(url: sa.URL) -> dict[str, int]:
    """How long a connection waits for a PostgreSQL that is gone without a word, as one whose machine has died.

    Without it the operating system gives up after a quarter of an hour, and all that time whoever writes waits.

    Parameters
    ----------
    url : what it says itself counts

    Returns
    -------
    psycopg's arguments; a connection over a Unix socket ignores most of them
    """
    return {name: value for name, value in _PATIENCE.items() if name not in url.query}


def _note_change(connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
    note_change(connection, writes=not is_select(statement))


def _require_unicode(url: str, connection: Any, _record: Any) -> None:
    """Refuse a database that cannot hold every text; of one in SQL_ASCII the driver makes bytes instead of texts."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding not in ("UTF8", None):  # None: a server that does not say
        raise StoreError(f"{_shown(url)}: the database is in {encoding}; create one with ENCODING 'UTF8'")


def _check_alive(connection: Any, _record: Any, _proxy: Any) -> None:
    """Replace a connection that the server has closed, as when it was restarted.

    The server says nothing while it is asked nothing. So only where there is something to be read is it asked whether
    the connection lives; `pool_pre_ping` asks each time, which takes as long as several statements.
    """
    try:
        readable = select.poll()
        readable.register(connection.fileno(), select.POLLIN)
        if readable.poll(0):
            connection.execute("SELECT 1")
            connection.rollback()
    except _errors() as error:
        raise InvalidatePoolError from error


def _dispose(*engines: Engine) -> None:
    for engine in engines:
        engine.dispose()


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver's own guess at transactions is switched off
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # accepted jobs and charges survive a power cut
    connection.execute("PRAGMA foreign_keys=ON")


def _beginner(statement: str) -> Any:
    def begin(connection: Connection) -> None:
        driver = driver_of_sqlite(connection)
        if driver.memory is None:
            connection.exec_driver_sql(statement)
        else:  # of a writer that stays open, which begins hundreds of times a second
            driver.execute(statement)
            driver.memory.begin(driver)

    return begin


def _is_current(connection: Connection, known: Sequence[Migration]) -> bool:
    """Whether all known migrations have run, and of the unknown ones of a known package only such as add."""
    if not sa.inspect(connection).has_table(migrations.name):
        return False
    applied = set(connection.scalars(sa.select(migrations.c.name)))
    return applied >= {name for name, _ in known} and not _refused(applied, known)


def _refused(applied: set[str], known: Sequence[Migration]) -> set[str]:
    """Migrations of a newer version that this one cannot live with."""
    names = {name for name, _ in known}
    owners = {_owner(name) for name in names}
    return {name for name in applied - names if _owner(name) in owners and not _EXPANSION.fullmatch(name)}


def _migrate(connection: Connection, known: Sequence[Migration]) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
    migrations.create(connection, checkfirst=True)
    applied = set(connection.scalars(sa.select(migrations.c.name)))
    unknown = _refused(applied, known)
    if unknown:
        raise StoreError(f"the database was made by a newer version of this package ({min(unknown)}); update it")
    for name, statements in known:
        if name not in applied:
            for statement in statements:
                connection.exec_driver_sql(statement)
            connection.execute(migrations.insert().values(name=name, applied_at=now()))


def expands(statements: Sequence[str]) -> bool:
    """Whether a migration only adds, so that processes of the version before it can live with what it leaves.

    They name the columns that they read and write, so they do not see new ones; a row that they write leaves those
    empty or at their default. A unique index would refuse rows that they may write, unless its table is new. Rows may
    be filled in where they do not look: in tables and columns that the migration itself makes.

    Parameters
    ----------
    statements : of the migration, in their order
    """
    made: set[str | None] = {None}
    for statement in statements:
        found = _ADDS.fullmatch(statement)
        if found is None:
            return False
        made |= {found["made"], found["added"]}
        if found["unique"] not in made or found["filled"] not in made:
            return False
        if found["table"] not in made and f"{found['table']} ADD COLUMN {found['column']}" not in made:
            return False
    return True


def _owner(name: str) -> str:
    """The package that a migration belongs to; empty for our own, whose names have no slash."""
    return name.rpartition("/")[0]


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
    if not isinstance(error, _errors()):
        return error
    found = StoreError(f"{_shown(url)}: the database cannot be used ({_first_line(error)})")
    found.__cause__ = error
    return found


def _errors() -> tuple[type[Exception], ...]:
    """What databases raise; the drivers' own too, see `workbench.store.statements`."""
    psycopg = sys.modules.get("psycopg")
    return (SQLAlchemyError, sqlite3.Error) if psycopg is None else (SQLAlchemyError, sqlite3.Error, psycopg.Error)


def _shown(url: str) -> str:
    """The address without its password."""
    try:
        return sa.make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return Path(url).name


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]
