"""Processes that share a database but not their files are found."""

from __future__ import annotations

from pathlib import Path

from service.store.shared_files import problem_of_files, take_over
from service.store.tables import SCHEMA
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.objects import FolderStore
from workbench.store.stored_files import StoredFiles


def test_one_home_folder_is_shared(database: Database, tmp_path: Path) -> None:
    for _ in range(2):
        assert problem_of_files(StoredFiles(Home(tmp_path / "home")), database) is None


def test_two_home_folders_are_not(database: Database, tmp_path: Path) -> None:
    assert problem_of_files(StoredFiles(Home(tmp_path / "one")), database) is None

    problem = problem_of_files(StoredFiles(Home(tmp_path / "other")), database)

    assert problem == (
        f"the home folder {tmp_path / 'other'} is not where the other processes of this database keep their files: "
        "share one home folder, or set the same WORKBENCH_STORE_URL for all of them"
    )


def test_two_home_folders_with_one_store_are(database: Database, tmp_path: Path) -> None:
    for name in ("one", "other"):
        files = StoredFiles(Home(tmp_path / name), FolderStore(tmp_path / "store"))
        assert problem_of_files(files, database) is None


def test_a_store_on_one_machine_only_is_found(database: Database, tmp_path: Path) -> None:
    with_store = StoredFiles(Home(tmp_path / "one"), FolderStore(tmp_path / "store"))
    assert problem_of_files(with_store, database) is None

    assert problem_of_files(StoredFiles(Home(tmp_path / "one")), database) is not None


def test_records_in_the_home_folder_need_no_check(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    database = Database(f"sqlite:///{home.prepared() / home.database.name}", (SCHEMA,))

    assert problem_of_files(StoredFiles(home), database) is None
    assert not (home.root / "workbench-id").exists()
    database.close()


def test_a_store_belongs_to_one_database(database: Database, tmp_path: Path) -> None:
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}", (SCHEMA,))
    files = StoredFiles(Home(tmp_path / "home"), FolderStore(tmp_path / "store"))
    assert problem_of_files(files, database) is None

    assert problem_of_files(files, other) == (
        f"the store {tmp_path / 'store'} belongs to another database: set the WORKBENCH_DATABASE_URL of the service "
        "that uses it, or a WORKBENCH_STORE_URL of its own for this one"
    )

    with other.write() as connection:
        take_over(connection, files)
    assert problem_of_files(files, other) is None
    assert problem_of_files(files, database) is not None
    other.close()
