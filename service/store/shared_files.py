"""Whether the processes of one database keep their files in one place.

Each home folder and each store has an id, in a file of it that the first process makes (`workbench-id`). The database
notes the id of the one that its processes use. A process that keeps files elsewhere would miss the files of the others,
and they its own: an upload to one machine would fail on another.

Function: `problem_of_files`.
"""

from __future__ import annotations

from service.store import shared_values
from workbench.store.database import Database
from workbench.store.stored_files import StoredFiles


def problem_of_files(files: StoredFiles, database: Database) -> str | None:
    """Why files that are kept here are not found by the other processes of a database.

    Parameters
    ----------
    files : of this process
    database : notes where files are kept, if nobody has noted it yet

    Returns
    -------
    one sentence without a full stop; None if the files are where the others look for them

    Raises
    ------
    StoreError : the database, the home folder or the store cannot be used
    """
    if files.store is None and database.url == f"sqlite:///{files.home.database}":
        return None  # the records are in the same folder
    identity = files.identity()
    with database.read() as connection:
        noted = shared_values.get(connection, shared_values.STORE_ID)
    if noted is None:
        with database.write() as connection:
            noted = shared_values.set_if_absent(connection, shared_values.STORE_ID, identity)
    if noted == identity:
        return None
    return (
        f"{files.where} is not where the other processes of this database keep their files: "
        "share one home folder, or set the same WORKBENCH_STORE_URL for all of them"
    )
