"""What the sweep takes away, and what it leaves."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.answers.previews import record_play
from service.jobs.sweep import sweep
from service.settings import ServiceSettings
from service.store import accounts, answers, idempotency_keys, jobs, ledger, tables, video_owners
from service.store.jobs import NewJob
from service.store.shared_files import problem_of_files
from service.store.video_owners import OwnedVideo
from workbench.catalog.library import Library
from workbench.store import videos
from workbench.store.clock import now
from workbench.store.database import Database, plan_versions, projects
from workbench.store.home import Home
from workbench.store.objects import FolderStore
from workbench.store.settings import WorkbenchSettings
from workbench.store.stored_files import StoredFiles

DAYS = 86_400.0


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    """A second database."""
    opened = Database(f"sqlite:///{tmp_path / 'other.sqlite'}", (tables.SCHEMA,))
    yield opened
    opened.close()


def test_only_what_nobody_asks_for_any_more_is_removed(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    uploads = home.prepared(home.uploads)
    ages = {"old": 2.0, "late": 0.5, "taken": 2.0}
    with database.write() as connection:
        for name, days in ages.items():
            status: video_owners.Status = "processing" if name == "taken" else "awaiting_upload"
            video_owners.create(connection, OwnedVideo(f"vid_{name}", "ada", status, storage_key=f"upl_{name}"))
            one = tables.video_owners.update().where(tables.video_owners.c.video_id == f"vid_{name}")
            connection.execute(one.values(updated_at=now(-days * DAYS)))
            (uploads / f"upl_{name}").touch()
        for key in ("old", "new"):
            idempotency_keys.save(connection, "ada", "POST /v1/beats", key, "f", "job_1")
        connection.execute(
            tables.idempotency_keys.update()
            .where(tables.idempotency_keys.c.idempotency_key == "old")
            .values(created_at=now(-2 * DAYS))
        )
    for name, age in (("a.part", 2.0), ("b.part", 0.0)):
        (uploads / name).touch()
        os.utime(uploads / name, (0.0, time.time() - age * 3600))
    for _ in range(2):
        sweep(StoredFiles(home), database, ServiceSettings())
    assert {one.name for one in uploads.iterdir()} == {"upl_late", "upl_taken", "b.part"}
    with database.read() as connection:
        assert [name for name in ages if video_owners.get(connection, f"vid_{name}") is None] == ["old"]
        assert list(
            connection.scalars(
                tables.idempotency_keys.select().with_only_columns(tables.idempotency_keys.c.idempotency_key)
            )
        ) == ["new"]


@pytest.mark.parametrize("shared", [False, True])
def test_the_bytes_of_an_upload_that_failed_go_after_a_day(database: Database, tmp_path: Path, shared: bool) -> None:
    """Nobody is charged for them, and nobody can use them again: they would fill the disk."""
    files = StoredFiles(Home(tmp_path / "home"), FolderStore(tmp_path / "store") if shared else None)
    ages = {"old": 2.0, "new": 0.5}
    with database.write() as connection:
        for name, days in ages.items():
            (tmp_path / name).write_bytes(b"no video")
            place = files.keep(tmp_path / name, "uploads", f"upl_{name}.1" if shared else f"upl_{name}")
            video = OwnedVideo(
                f"vid_{name}", "ada", "failed", storage_key=f"upl_{name}", uploaded_bytes=8, reason="it is no video",
                upload_name=place.name if shared else None,
            )  # fmt: skip
            video_owners.create(connection, video)
            one = tables.video_owners.update().where(tables.video_owners.c.video_id == video.video_id)
            connection.execute(one.values(updated_at=now(-days * DAYS)))
    for _ in range(2):
        sweep(files, database, ServiceSettings())
    assert [place.name.partition(".")[0] for place, _ in files.every("uploads")] == ["upl_new"]
    with database.read() as connection:
        for name in ages:
            found = video_owners.get(connection, f"vid_{name}")
            assert found is not None
            assert (found.status, found.reason) == ("failed", "it is no video")


def settled(database: Database, days: float, build: str) -> str:
    """The id of a charged job that was settled so many days ago."""
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        new = NewJob("loop", jobs.MAIN, "ada", build, endpoint="POST /v1/loop", charge_key="")
        job_id = jobs.submit(connection, new).job_id
        held = jobs.claim(connection, [jobs.MAIN], "tests", 30.0)
        assert held is not None
        assert jobs.complete(connection, held, {}, billed=True)
        one = tables.jobs.update().where(tables.jobs.c.job_id == job_id)
        connection.execute(one.values(finished_at=now(-days * DAYS)))
    return job_id


def test_jobs_are_forgotten_after_their_retention_and_their_charges_are_not(database: Database, tmp_path: Path) -> None:
    settings = ServiceSettings(job_retention_seconds=10 * DAYS)
    late, old, kept = settled(database, 9.0, "late"), settled(database, 11.0, "old"), settled(database, 11.0, "kept")
    with database.write() as connection:
        idempotency_keys.save(connection, "ada", "POST /v1/beats", "key", "f", kept)
        waiting = jobs.submit(connection, NewJob("loop", jobs.MAIN, "ada", "waiting")).job_id
        connection.execute(tables.jobs.update().values(created_at=now(-11 * DAYS)))
    assert not sweep(StoredFiles(Home(tmp_path / "home")), database, settings)
    with database.read() as connection:
        assert {job for job in (late, old, kept, waiting) if jobs.get(connection, job)} == {late, kept, waiting}
        assert {entry.subject for entry in ledger.entries(connection, "ada")} == {late, old, kept}


def test_more_than_one_sweep_takes_is_left_for_the_next(database: Database, tmp_path: Path) -> None:
    home, settings = Home(tmp_path / "home"), ServiceSettings()
    with database.write() as connection:
        for number in range(1001):
            answers.store(connection, f"loop:{number}", "loop", {})
        connection.execute(tables.answers.update().values(used_at=now(-100 * DAYS)))
    assert sweep(StoredFiles(home), database, settings)
    assert not sweep(StoredFiles(home), database, settings)
    with database.read() as connection:
        assert connection.execute(tables.answers.select()).first() is None


def test_answers_are_kept_while_somebody_asks_for_them(database: Database, tmp_path: Path) -> None:
    settings = ServiceSettings(answer_retention_seconds=10 * DAYS)
    with database.write() as connection:
        for name in ("asked", "not asked", "new"):
            answers.store(connection, name, "loop", {"name": name})
        old = tables.answers.update().where(tables.answers.c.answer_key != "new")
        connection.execute(old.values(created_at=now(-11 * DAYS), used_at=now(-11 * DAYS)))
        assert answers.use(connection, "asked") == {"name": "asked"}
        assert answers.use(connection, "never stored") is None
    sweep(StoredFiles(Home(tmp_path / "home")), database, settings)
    with database.read() as connection:
        assert set(connection.scalars(tables.answers.select())) == {"asked", "new"}


def test_previews_are_kept_while_somebody_plays_them(database: Database, tmp_path: Path) -> None:
    home, settings = Home(tmp_path / "home"), ServiceSettings(preview_retention_seconds=10 * DAYS)
    previews = home.prepared(home.previews)
    long_ago = time.time() - 11 * DAYS
    for name in ("old", "played", "new"):
        (previews / f"{name}.mp3").touch()
        if name != "new":
            os.utime(previews / f"{name}.mp3", (long_ago, long_ago))
    assert record_play(previews / "played.mp3")
    assert not record_play(previews / "gone.mp3")
    assert (previews / "played.mp3").stat().st_mtime == pytest.approx(long_ago, abs=1.0)
    sweep(StoredFiles(home), database, settings)
    assert {one.name for one in previews.iterdir()} == {"played.mp3", "new.mp3"}


def test_most_plays_of_a_preview_write_nothing(tmp_path: Path) -> None:
    made, now = time.time() - 11 * DAYS, time.time()
    for name, noted_ago, is_noted in (("today", 0.9 * DAYS, False), ("lately", 1.1 * DAYS, True)):
        preview = tmp_path / f"{name}.mp3"
        preview.touch()
        os.utime(preview, (now - noted_ago, made))
        assert record_play(preview)
        assert (preview.stat().st_atime >= now - 1.0) is is_noted


def test_what_cannot_be_deleted_keeps_nothing_else(database: Database, tmp_path: Path) -> None:
    """The record of an upload is gone for good before its file: a failure must not leave the file."""
    home = Home(tmp_path / "home")
    uploads = home.prepared(home.uploads)
    with database.write() as connection:
        video_owners.create(connection, OwnedVideo("vid_old", "ada", "awaiting_upload", storage_key="upl_old"))
        (uploads / "upl_old").touch()
        for name in ("a", "b"):
            file = uploads / f"upl_{name}"
            video_owners.create(connection, OwnedVideo(f"vid_{name}", "ada", "ready", storage_key=file.name))
            videos.put(connection, f"vid_{name}", file, content_hash=name, title=name, seconds=9.0)
        connection.execute(tables.video_owners.update().values(updated_at=now(-20 * DAYS)))
    (uploads / "upl_a").mkdir()  # no file that can be unlinked
    (uploads / "upl_b").touch()
    sweep(StoredFiles(home), database, ServiceSettings(video_retention_seconds=10 * DAYS))
    assert {one.name for one in uploads.iterdir()} == {"upl_a"}


def test_what_no_record_names_leaves_the_shared_store_after_a_day(database: Database, tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    files = StoredFiles(Home(tmp_path / "home"), store)
    kept = {"videos/vid_1.ab", "uploads/upl_1.01", "tracks/ab/a.mp3", "previews/new.mp3", "arrays/a", "videos/young"}
    gone = {
        "videos/orphan",
        "uploads/upl_1.00",
        "uploads/upl_2.00",
        "tracks/cd/b.mp3",
        "fetched/job_0",
        "previews/old.mp3",
    }
    for name in kept | gone:
        store.write(name, b"1")
        days = 40.0 if "old" in name else 0.5 if "young" in name else 3.0
        os.utime(tmp_path / "store" / name, (0.0, time.time() - days * DAYS))
    with database.write() as connection:
        video = OwnedVideo("vid_2", "ada", "ready", storage_key="upl_1", uploaded_bytes=1, upload_name="upl_1.01")
        video_owners.create(connection, video)
        place = files.place("videos", "vid_1.ab")
        videos.put(connection, "vid_1", place, content_hash="ab", title="", seconds=1.0)
    Library(database).add(files.place("tracks", "ab/a.mp3"), content_hash="ab")

    sweep(files, database, ServiceSettings())

    assert {found.name for found in store.every() if "/" in found.name} == kept
    store.write("videos/orphan", b"1")
    os.utime(tmp_path / "store" / "videos" / "orphan", (0.0, 0.0))
    sweep(files, database, ServiceSettings())  # looked through today already
    assert store.find("videos/orphan") is not None


@pytest.fixture
def in_home(tmp_path: Path) -> Iterator[Database]:
    """The database of a home folder."""
    opened = tables.open_database(Home(tmp_path / "home"), WorkbenchSettings())
    yield opened
    opened.close()


def put_old(folder: Path, *names: str) -> None:
    """Files of three days ago."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
        os.utime(folder / name, (0.0, time.time() - 3 * DAYS))


def test_uploads_that_no_record_names_leave_the_home_folder_after_a_day(in_home: Database, tmp_path: Path) -> None:
    """As a killed process leaves them, or a deletion that failed. What is the user's own stays."""
    home = Home(tmp_path / "home")
    uploads = home.prepared(home.uploads)
    put_old(uploads, "upl_gone", "upl_left", "upl_ready", "upl_sent", "upl_late", "notes.txt", "dashboard/upl_mine")
    (uploads / "upl_young").touch()
    owned = {"left": ("failed", None), "ready": ("ready", 4), "sent": ("failed", 4), "late": ("awaiting_upload", None)}
    with in_home.write() as connection:
        for name, (status, count) in owned.items():
            video = OwnedVideo(f"vid_{name}", "ada", status, storage_key=f"upl_{name}", uploaded_bytes=count)  # type: ignore[arg-type]
            video_owners.create(connection, video)
    sweep(StoredFiles(home), in_home, ServiceSettings())
    kept = {"upl_ready", "upl_sent", "upl_late", "upl_young", "notes.txt", "dashboard"}
    assert {file.name for file in uploads.iterdir()} == kept
    assert (uploads / "dashboard" / "upl_mine").exists()


def test_a_home_folder_is_swept_by_the_database_that_it_belongs_to_alone(
    in_home: Database, other: Database, tmp_path: Path
) -> None:
    """A service that is started once without WORKBENCH_DATABASE_URL finds the uploads of another in no record."""
    home = Home(tmp_path / "home")
    assert problem_of_files(StoredFiles(home), other) is None  # as a process of the other database does at its start
    put_old(home.prepared(home.uploads), "upl_1")
    sweep(StoredFiles(home), in_home, ServiceSettings())
    assert (home.uploads / "upl_1").exists()
    sweep(StoredFiles(home), other, ServiceSettings())
    assert not (home.uploads / "upl_1").exists()


def test_a_new_database_in_an_old_home_folder_sweeps_nothing(in_home: Database, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    sweep(StoredFiles(home), in_home, ServiceSettings())
    in_home.close()
    home.database.rename(tmp_path / "lost")
    put_old(home.prepared(home.uploads), "upl_1")
    fresh = tables.open_database(home, WorkbenchSettings())
    sweep(StoredFiles(home), fresh, ServiceSettings())
    fresh.close()
    assert (home.uploads / "upl_1").exists()


def test_files_that_are_being_written_to_the_cache_are_left(database: Database, tmp_path: Path) -> None:
    files = StoredFiles(Home(tmp_path / "home"), FolderStore(tmp_path / "store"))
    folder = files.home.prepared(files.folder("fetched"))
    for name, hours in ((".1-aa.part", 0.0), (".1-bb.part", 2.0), ("job_0", 0.0), ("a+b", 0.0)):
        (folder / name).touch()
        os.utime(folder / name, (0.0, time.time() - hours * 3600))

    sweep(files, database, ServiceSettings())

    assert {file.name for file in folder.iterdir()} == {".1-aa.part", "a+b"}


def test_a_store_is_swept_by_the_database_that_it_belongs_to_alone(
    database: Database, tmp_path: Path, other: Database
) -> None:
    store = FolderStore(tmp_path / "store")
    files = StoredFiles(Home(tmp_path / "home"), store)
    assert problem_of_files(files, database) is None
    store.write("videos/of the first", b"1")
    os.utime(tmp_path / "store" / "videos" / "of the first", (0.0, 0.0))

    sweep(StoredFiles(Home(tmp_path / "second"), store), other, ServiceSettings())
    assert store.find("videos/of the first") is not None

    sweep(files, database, ServiceSettings())
    assert store.find("videos/of the first") is None


def test_what_versions_and_projects_use_stays(database: Database, tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "store")
    files = StoredFiles(Home(tmp_path / "home"), store)
    kept = {"tracks/frozen", "videos/frozen", "tracks/project", "videos/project"}
    for name in kept | {"tracks/left"}:
        store.write(name, b"1")
        os.utime(tmp_path / "store" / name, (0.0, 0.0))
    of = {name: str(files.place(*name.split("/"))) for name in kept}
    text = {"content_hash": "ab", "track": "a", "body": "{}", "at": "", "subject": "s", "digest": "d"}
    paths = {"track_path": of["tracks/frozen"], "video_path": of["videos/frozen"]}
    both = {"track": of["tracks/project"], "video": of["videos/project"]}
    with database.write() as connection:
        connection.execute(plan_versions.insert().values(version_id="1", **text, **paths))
        connection.execute(projects.insert().values(project_id="1", name="", created_at="", changed_at="", **both))

    sweep(files, database, ServiceSettings())

    assert {found.name for part in ("tracks", "videos") for found in store.every(part)} == kept
