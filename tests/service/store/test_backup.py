"""Backups: of one instant while others write, whole or not at all, and the same records after a restore."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import sqlalchemy as sa

from service.store import accounts, api_keys, credit_grants, idempotency_keys, jobs, ledger, tables, video_owners
from service.store.backup import restore_backup, write_backup
from service.store.jobs import NewJob
from service.store.ledger import Credit
from service.store.shared_files import problem_of_files, problem_of_sweeping
from service.store.tables import SCHEMA
from service.store.video_owners import OwnedVideo
from workbench.catalog.library import Library
from workbench.errors import ParameterError, StoreError
from workbench.store import database as records
from workbench.store import videos
from workbench.store.database import Database, now
from workbench.store.home import Home
from workbench.store.objects import FolderStore
from workbench.store.stored_files import StoredFiles

Book = Callable[..., bool]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def fresh(tmp_path: Path) -> Any:
    """Opens an empty database in a home folder of its own."""
    opened: list[Database] = []

    def make(name: str) -> tuple[Home, Database]:
        other = Home(tmp_path / name)
        other.prepared()
        opened.append(Database(f"sqlite:///{other.database}", (SCHEMA,)))
        return other, opened[-1]

    yield make
    for one in opened:
        one.close()


def every_row(database: Database) -> dict[str, list[Any]]:
    """All rows of all tables that a backup holds."""
    names = (*records.metadata.sorted_tables, *tables.metadata.sorted_tables)
    with database.read() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in names
            if table.name != "workers"
        }


def fill(database: Database, home: Home, charge: Book, grant: Book) -> None:
    """Records of most kinds, an upload and a video of its own."""
    grant("g1", 1_000_000, "2099-01-01T00:00:00.000000+00:00")
    charge("k1")
    file = home.prepared(home.uploads) / "upl_1"
    file.write_bytes(b"moving pictures")
    with database.write() as connection:
        owned = OwnedVideo("vid_1", "ada", "ready", title="Größe", storage_key="upl_1", uploaded_bytes=15)
        video_owners.create(connection, owned)
        videos.put(connection, "vid_1", file, content_hash="00", title="Größe", seconds=90.25)
        jobs.submit(connection, NewJob("align", jobs.MAIN, "ada", "align:1", video_id="vid_1"))


def test_what_is_restored_is_what_was_backed_up(
    database: Database, home: Home, tmp_path: Path, fresh: Any, charge: Book, grant: Book
) -> None:
    fill(database, home, charge, grant)
    made = write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    assert (made.files, made.bytes, made.missing) == (1, 15, ())
    assert (tmp_path / "backup.tar").stat().st_mode & 0o777 == 0o600
    other, restored = fresh("restored")
    done = restore_backup(StoredFiles(other), restored, tmp_path / "backup.tar")
    assert (done.made_at, done.rows, done.files, done.bytes) == (made.made_at, made.rows, 1, 15)
    was, is_now = every_row(database), every_row(restored)
    assert {name for name in was if was[name] != is_now[name]} == {"videos"}
    with restored.read() as connection:
        (video,) = videos.every(connection)
        (left,) = (one.left_micros for one in credit_grants.get_all(connection, "ada"))
    assert (video.path, video.title, video.seconds) == (other.uploads / "upl_1", "Größe", 90.25)
    assert video.path.read_bytes() == b"moving pictures"
    assert left == 900_000


def test_what_was_added_from_elsewhere_is_counted_and_stays_where_it_is(
    database: Database, home: Home, tmp_path: Path, fresh: Any
) -> None:
    """In the home folder too: a backup has the files that the service keeps, and no others."""
    added = [tmp_path / "mine.mp4", home.root / "drawn" / "demo.mp4"]
    with database.write() as connection:
        for number, path in enumerate(added):
            videos.put(connection, f"vid_{number}", path, content_hash="00", title="", seconds=1.0)
    made = write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    assert (made.files, made.elsewhere) == (0, 2)
    other, restored = fresh("restored")
    restore_backup(StoredFiles(other), restored, tmp_path / "backup.tar")
    with restored.read() as connection:
        assert {one.path for one in videos.every(connection)} == set(added)


def test_a_backup_is_of_one_instant_while_others_write(
    database: Database, home: Home, tmp_path: Path, fresh: Any, charge: Book, grant: Book
) -> None:
    """Ledger, grants and month change in one transaction: a backup has all of a charge, or none of it."""
    grant("g1", 1_000_000_000)
    begun, enough = Event(), Event()

    def spend() -> None:
        number = 0
        while not enough.is_set():
            charge(f"k{number}")
            number += 1
            begun.set()

    spender = Thread(target=spend)
    spender.start()
    begun.wait()
    try:
        for number in range(5):
            write_backup(StoredFiles(home), database, tmp_path / f"{number}.tar")
    finally:
        enough.set()
        spender.join()
    for number in range(5):
        other, restored = fresh(f"home-{number}")
        restore_backup(StoredFiles(other), restored, tmp_path / f"{number}.tar")
        with restored.read() as connection:
            booked = [one for one in ledger.entries(connection, "ada") if one.event == "charge"]
            spent = sum(one.amount_micros for one in booked)
            assert booked
            assert ledger.spent_in_month(connection, "ada", now()) == spent
            assert [one.left_micros for one in credit_grants.get_all(connection, "ada")] == [1_000_000_000 - spent]


def test_a_database_with_records_is_not_overwritten(
    database: Database, home: Home, tmp_path: Path, charge: Book
) -> None:
    charge("k1")
    write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    with pytest.raises(ParameterError, match="holds records already"):
        restore_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    with database.read() as connection:
        assert len(ledger.entries(connection, "ada")) == 1


def test_a_damaged_backup_leaves_no_records(
    database: Database, home: Home, tmp_path: Path, fresh: Any, charge: Book, grant: Book
) -> None:
    fill(database, home, charge, grant)
    write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    whole = (tmp_path / "backup.tar").read_bytes()
    begin = whole.index(b'{"table"')
    for number, content in enumerate(
        (b"", b"nothing like it", whole[: begin + 300], whole[: whole.index(b"uploads/")])
    ):
        (tmp_path / "damaged.tar").write_bytes(content)
        other, restored = fresh(f"home-{number}")
        with pytest.raises(StoreError, match=r"damaged\.tar"):
            restore_backup(StoredFiles(other), restored, tmp_path / "damaged.tar")
        with restored.read() as connection:
            assert accounts.list_all(connection) == []


@pytest.mark.parametrize("name", ["../evil", "uploads/../../evil", "keys/evil", "/evil"])
def test_a_backup_writes_nowhere_else(
    database: Database, home: Home, tmp_path: Path, fresh: Any, charge: Book, name: str
) -> None:
    charge("k1")
    write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    (tmp_path / "evil.txt").write_text("evil")
    with tarfile.open(tmp_path / "backup.tar", "a") as tar:
        tar.add(tmp_path / "evil.txt", name)
        tar.getmembers()[-1].name = name
    other, restored = fresh("restored")
    with pytest.raises(StoreError, match="does not belong"):
        restore_backup(StoredFiles(other), restored, tmp_path / "backup.tar")
    assert not (tmp_path / "evil").exists()


def test_a_backup_of_another_version_says_so(database: Database, home: Home, tmp_path: Path, fresh: Any) -> None:
    write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    other, restored = fresh("restored")
    with restored.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version_service SET version_num = '1_7'"))
    with pytest.raises(ParameterError, match="restore it with the version that made it"):
        restore_backup(StoredFiles(other), restored, tmp_path / "backup.tar")


def test_a_file_that_is_gone_is_named(
    database: Database, home: Home, tmp_path: Path, charge: Book, grant: Book
) -> None:
    fill(database, home, charge, grant)
    (home.uploads / "upl_1").unlink()
    assert write_backup(StoredFiles(home), database, tmp_path / "backup.tar").missing == ("uploads/upl_1",)
    with pytest.raises(StoreError, match="cannot be written"):
        write_backup(StoredFiles(home), database, tmp_path / "absent" / "backup.tar")


def test_the_manifest_says_what_is_in_it(database: Database, home: Home, tmp_path: Path, charge: Book) -> None:
    charge("k1")
    write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    with tarfile.open(tmp_path / "backup.tar") as tar:
        content = tar.extractfile("backup.json")
        assert content is not None
        manifest = json.load(content)
    assert (manifest["format"], manifest["rows"]["ledger"], manifest["rows"]["accounts"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (tarfile.HeaderError("no header of that size"), StoreError),
        (OSError("unexpected end of data"), StoreError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_backup_that_is_broken_off_leaves_no_part(
    database: Database, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception, told: Any
) -> None:
    def broken(*_: Any) -> None:
        raise problem

    monkeypatch.setattr(tarfile.TarFile, "addfile", broken)
    with pytest.raises(told) as raised:
        write_backup(StoredFiles(home), database, tmp_path / "backup.tar")
    assert list(tmp_path.glob("backup*")) == []
    if told is StoreError:
        assert str(raised.value) == f"{tmp_path}/backup.tar: the backup cannot be written ({problem})"


def test_a_backup_of_a_shared_store_is_restored_into_a_home_folder_and_back(
    database: Database, home: Home, tmp_path: Path, fresh: Any
) -> None:
    there = StoredFiles(home, FolderStore(tmp_path / "store"))
    assert problem_of_files(there, database) is None
    made = home.prepared() / "made"
    made.write_bytes(b"moving pictures")
    video = there.keep(made, "uploads", "upl_1.01")
    (tmp_path / "song.mp3").write_bytes(b"music")
    track = there.add(tmp_path / "song.mp3", "tracks", "ab/song.mp3")
    Library(database).add(track, track_id="trk_1", content_hash="ab")
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        owned = OwnedVideo("vid_1", "ada", "ready", storage_key="upl_1", uploaded_bytes=15, upload_name="upl_1.01")
        video_owners.create(connection, owned)
        videos.put(connection, "vid_1", video, content_hash="00", title="", seconds=90.25)

    write_backup(there, database, tmp_path / "backup.tar")
    other, restored = fresh("restored")
    restore_backup(StoredFiles(other), restored, tmp_path / "backup.tar")

    with restored.read() as connection:
        assert [one.path for one in videos.every(connection)] == [other.uploads / "upl_1.01"]
    assert (other.uploads / "upl_1.01").read_bytes() == b"moving pictures"
    assert Library(restored).get("trk_1").path == other.root / "tracks" / "ab" / "song.mp3"
    assert Library(restored).get("trk_1").path.read_bytes() == b"music"

    write_backup(StoredFiles(other), restored, tmp_path / "second.tar")
    third, again = fresh("again")
    files = StoredFiles(third, FolderStore(tmp_path / "store-2"))
    restore_backup(files, again, tmp_path / "second.tar")
    assert problem_of_files(files, again) is None
    with again.read() as connection:
        (found,) = videos.every(connection)
    assert found.path == video
    assert files.fetch(found.path).read_bytes() == b"moving pictures"
    assert files.fetch(Library(again).get("trk_1").path).read_bytes() == b"music"


def test_files_from_before_the_home_folder_had_a_store_are_in_the_backup(
    database: Database, home: Home, tmp_path: Path, fresh: Any
) -> None:
    made = home.prepared() / "made"
    made.write_bytes(b"first")
    before = StoredFiles(home).keep(made, "videos", "vid_1.ab")
    files = StoredFiles(home, FolderStore(tmp_path / "store"))
    made.write_bytes(b"second")
    after = files.keep(made, "videos", "vid_2.cd")
    with database.write() as connection:
        for video_id, path in (("vid_1", before), ("vid_2", after)):
            videos.put(connection, video_id, path, content_hash=video_id, title="", seconds=1.0)

    assert write_backup(files, database, tmp_path / "backup.tar").files == 2
    other, restored = fresh("restored")
    restore_backup(StoredFiles(other), restored, tmp_path / "backup.tar")

    with restored.read() as connection:
        found = {one.video_id: one.path for one in videos.every(connection)}
    assert found == {"vid_1": other.videos / "vid_1.ab", "vid_2": other.videos / "vid_2.cd"}
    assert [found[one].read_bytes() for one in sorted(found)] == [b"first", b"second"]


def test_a_restored_backup_takes_the_store_over(database: Database, home: Home, tmp_path: Path, fresh: Any) -> None:
    files = StoredFiles(home, FolderStore(tmp_path / "store"))
    assert problem_of_files(files, database) is None
    write_backup(files, database, tmp_path / "backup.tar")
    other, restored = fresh("restored")
    there = StoredFiles(other, FolderStore(tmp_path / "store"))

    restore_backup(there, restored, tmp_path / "backup.tar")

    assert problem_of_files(there, restored) is None
    problem = problem_of_files(files, database)
    assert problem is not None
    assert "belongs to another database" in problem


def strangers(database: Database) -> None:
    """What is another account's, and what of ada's is not settled."""
    with database.write() as connection:
        accounts.ensure(connection, "bob")
        ledger.credit(connection, Credit("bob", 5_000_000, "g-bob", "accounts update", "bob"))
        for account in ("ada", "bob"):
            api_keys.create(connection, account, None)
        video_owners.create(connection, OwnedVideo("vid_bob", "bob", "ready", title="secret of bob"))
        video_owners.create(connection, OwnedVideo("vid_new", "ada", "processing"))
        job = jobs.submit(connection, NewJob("beats", jobs.BEATS, "ada", "beats:1"))
        idempotency_keys.save(connection, "ada", "POST /v1/beats", "key", "00", job.job_id)
        done = jobs.submit(connection, NewJob("loop", jobs.MAIN, "ada", "loop:1", video_id="vid_1"))
        held = jobs.take(connection, done.job_id, "test")
        assert held is not None
        assert jobs.fail(connection, held, jobs.Fault(422, "invalid_request", "as the test wants it"))


def test_an_account_that_is_exported_and_imported_is_the_same_and_alone(
    database: Database, home: Home, tmp_path: Path, fresh: Any, charge: Book, grant: Book
) -> None:
    fill(database, home, charge, grant)
    strangers(database)
    made = write_backup(StoredFiles(home), database, tmp_path / "ada.tar", "ada")
    assert (made.files, made.bytes) == (1, 15)
    other, imported = fresh("imported")
    done = restore_backup(StoredFiles(other), imported, tmp_path / "ada.tar", one_account=True)
    assert done.rows == made.rows
    was, is_now = every_row(database), every_row(imported)
    for name in ("ledger", "credit_grants", "accounts", "month_totals"):
        assert is_now[name] == [row for row in was[name] if "'bob'" not in row], name
    assert not any("bob" in row for rows in is_now.values() for row in rows)
    with imported.read() as connection:
        assert [job.state for job in jobs.find(connection)] == ["failed"]
        assert video_owners.get(connection, "vid_1") is not None
        assert video_owners.get(connection, "vid_new") is None
        (video,) = videos.every(connection)
        (key,) = api_keys.list_all(connection)
    assert key.account == "ada"
    assert video.path.read_bytes() == b"moving pictures"
    assert is_now["idempotency_keys"] == []


def test_no_key_is_exported(database: Database, home: Home, tmp_path: Path, fresh: Any, ada: None) -> None:
    with database.write() as connection:
        _, secret = api_keys.create(connection, "ada", None)
        digest = connection.scalar(sa.select(tables.api_keys.c.digest))
    write_backup(StoredFiles(home), database, tmp_path / "ada.tar", "ada")
    assert str(digest).encode() not in (tmp_path / "ada.tar").read_bytes()
    other, imported = fresh("imported")
    restore_backup(StoredFiles(other), imported, tmp_path / "ada.tar", one_account=True)
    with imported.read() as connection:
        assert api_keys.find_caller(connection, secret) is None
        assert len(api_keys.list_all(connection)) == 1


def test_a_restored_backup_takes_over_the_home_folder_of_a_lost_database(
    database: Database, home: Home, tmp_path: Path, fresh: Any
) -> None:
    """Uploads there that it does not name are swept again, as before the loss."""
    backup = tmp_path / "backup.tar"
    write_backup(StoredFiles(home), database, backup)
    other, lost = fresh("other")
    assert problem_of_sweeping(StoredFiles(other), lost) is None
    lost.close()
    other.database.rename(tmp_path / "lost")
    _, made_anew = fresh("other")
    restore_backup(StoredFiles(other), made_anew, backup)
    assert problem_of_sweeping(StoredFiles(other), made_anew) is None


def test_an_account_is_imported_into_nothing_but_an_empty_store(
    database: Database, home: Home, tmp_path: Path, fresh: Any, charge: Book, grant: Book
) -> None:
    fill(database, home, charge, grant)
    write_backup(StoredFiles(home), database, tmp_path / "ada.tar", "ada")
    write_backup(StoredFiles(home), database, tmp_path / "all.tar")
    before = every_row(database)
    with pytest.raises(ParameterError, match="holds records already"):
        restore_backup(StoredFiles(home), database, tmp_path / "ada.tar", one_account=True)
    assert every_row(database) == before
    other, empty = fresh("empty")
    with pytest.raises(ParameterError, match="accounts import"):
        restore_backup(StoredFiles(other), empty, tmp_path / "ada.tar")
    with pytest.raises(ParameterError, match="backup --restore"):
        restore_backup(StoredFiles(other), empty, tmp_path / "all.tar", one_account=True)
    with pytest.raises(ParameterError, match="no account 'eve'"):
        write_backup(StoredFiles(home), database, tmp_path / "eve.tar", "eve")
    assert not list(tmp_path.glob("eve*"))
