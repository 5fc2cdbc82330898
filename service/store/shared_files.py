"""Whether the processes of one database keep their files in one place.

Each home folder and each store has an id, in a file of it that the first process makes (`workbench-id`). The database
notes the id of the one that its processes use. A process with files elsewhere would miss the files of the others,
and they its own: an upload to one machine would fail on another.

A store also belongs to one database: the first one whose processes use it. Those of another would find the files of the
first in no record of theirs, and sweep them. A restored backup takes it over. A home folder without a store may be used
with any database, and is swept by the one that it belongs to alone.
"""

from __future__ import annotations

from sqlalchemy import Connection
from ulid import ULID

from service.store import shared_values
from workbench.store.database import Database
from workbench.store.stored_files import StoredFiles


def problem_of_files(files: StoredFiles, database: Database) -> str | None:
    """Why the other processes of a database do not find the files here; None if they do.

    One sentence without a full stop. The first process notes in the database where its files are.
    """
    if files.store is None and database.url == f"sqlite:///{files.home.database}":
        return None  # the records are in the same folder
    identity = files.identity()
    if _noted(database, shared_values.STORE_ID, identity) == identity:
        return None if files.store is None else _problem_of_claim(files, database)
    return (
        f"{files.where} is not where the other processes of this database keep their files: "
        "share one home folder, or set the same WORKBENCH_STORE_URL for all of them"
    )


def problem_of_sweeping(files: StoredFiles, database: Database) -> str | None:
    """Why the records of a database may not be the ones that name the files here.

    One sentence without a full stop; None if a file that no record names is not needed. A home folder is noted as this
    database's, unless it is another's.
    """
    problem = problem_of_files(files, database)
    if problem is not None or files.store is not None:
        return problem
    if files.has_identity():  # processes of a database elsewhere have used this home folder
        with database.read() as connection:
            if shared_values.get(connection, shared_values.STORE_ID) != files.identity():
                return _used_elsewhere(files)
    return _problem_of_claim(files, database)


def take_over(connection: Connection, files: StoredFiles) -> None:
    """Have the store or the home folder belong to a database, whichever it belonged to."""
    if files.store is None and not files.is_claimed():
        return  # the first sweep claims it
    files.claim(shared_values.set_if_absent(connection, shared_values.DATABASE_ID, str(ULID())), take_over=True)


def _noted(database: Database, name: str, first: str) -> str:
    """A shared value, which is set if it is asked for the first time; else the database is only read."""
    with database.read() as connection:
        found = shared_values.get(connection, name)
    if found is None:
        with database.write() as connection:
            found = shared_values.set_if_absent(connection, name, first)
    return found


def _problem_of_claim(files: StoredFiles, database: Database) -> str | None:
    identity = _noted(database, shared_values.DATABASE_ID, str(ULID()))
    if files.claim(identity) == identity:
        return None
    if files.store is None:
        return _used_elsewhere(files)
    return (
        f"{files.where} belongs to another database: set the WORKBENCH_DATABASE_URL of the service that uses it, "
        "or a WORKBENCH_STORE_URL of its own for this one"
    )


def _used_elsewhere(files: StoredFiles) -> str:
    return f"{files.where} has been used with another database"
