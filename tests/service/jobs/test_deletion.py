"""Deleting a video takes what is its own, and nothing that another video needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.jobs.deletion import DeletedVideo, delete_video
from service.jobs.sweep import sweep
from service.settings import ServiceSettings
from service.store import accounts, answers, jobs, ledger, tables, video_owners
from service.store.jobs import NewJob, StoredAnswer
from service.store.video_owners import OwnedVideo
from workbench.errors import ParameterError, UnknownVideo
from workbench.store import videos
from workbench.store.clock import now
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.stored_files import StoredFiles


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def ingest(
    database: Database, home: Home, video_id: str, content_hash: str = "00", account: str | None = "ada"
) -> Path:
    """A video that was uploaded and is ready; returns its file."""
    file = home.prepared(home.uploads) / f"upl_{video_id}"
    file.write_bytes(b"moving pictures")
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        video_owners.create(connection, OwnedVideo(video_id, account, "ready", storage_key=file.name))
        videos.put(connection, video_id, file, content_hash=content_hash, title="A video", seconds=90.0)
    return file


def loop(database: Database, video_id: str) -> None:
    """A loop under a video, complete and charged."""
    with database.write() as connection:
        new = NewJob(
            "loop", jobs.MAIN, "ada", f"loop:{video_id}", video_id=video_id, endpoint="POST /v1/loop", charge_key=""
        )
        jobs.submit(connection, new)
        held = jobs.claim(connection, [jobs.MAIN], "tests", 600.0)
        assert held is not None
        stored = StoredAnswer(f"loop:{video_id}", "loop", {}, "00")
        assert jobs.complete(connection, held, {}, billed=True, stored=[stored])


def is_stored(database: Database, answer_key: str) -> bool:
    with database.read() as connection:
        return answers.use(connection, answer_key) is not None


def test_records_bytes_jobs_and_answers_go_and_charges_stay(database: Database, home: Home) -> None:
    file = ingest(database, home, "vid_1")
    loop(database, "vid_1")
    assert delete_video(StoredFiles(home), database, "vid_1") == DeletedVideo("vid_1", jobs=1, answers=1, bytes=15)
    assert not file.exists()
    assert not is_stored(database, "loop:vid_1")
    with database.read() as connection:
        assert video_owners.get(connection, "vid_1") is None
        assert videos.every(connection) == []
        assert jobs.of_video(connection, "vid_1") == []
        assert len(ledger.entries(connection, "ada")) == 1
    with pytest.raises(UnknownVideo, match="vid_1"):
        delete_video(StoredFiles(home), database, "vid_1")


def test_answers_stay_while_another_video_has_the_same_bytes(database: Database, home: Home) -> None:
    ingest(database, home, "vid_1")
    second = ingest(database, home, "vid_2")
    loop(database, "vid_1")
    assert delete_video(StoredFiles(home), database, "vid_1").answers == 0
    assert second.exists()
    assert is_stored(database, "loop:vid_1")
    assert delete_video(StoredFiles(home), database, "vid_2").answers == 1


def test_a_file_from_elsewhere_stays(database: Database, home: Home, tmp_path: Path) -> None:
    file = tmp_path / "video.mp4"
    file.write_bytes(b"mine")
    with database.write() as connection:
        videos.put(connection, "vid_1", file, content_hash="00", title="Mine", seconds=90.0)
    assert delete_video(StoredFiles(home), database, "vid_1") == DeletedVideo("vid_1", jobs=0, answers=0, bytes=0)
    assert file.read_bytes() == b"mine"


def test_while_a_job_is_not_settled_nothing_is_deleted(database: Database, home: Home) -> None:
    file = ingest(database, home, "vid_1")
    with database.write() as connection:
        job = jobs.submit(connection, NewJob("align", jobs.MAIN, "ada", "align:1", video_id="vid_1"))
    with pytest.raises(ParameterError, match=f"workbench jobs cancel {job.job_id}"):
        delete_video(StoredFiles(home), database, "vid_1")
    assert file.exists()
    with database.read() as connection:
        assert video_owners.get(connection, "vid_1") is not None


def test_videos_are_kept_unless_a_setting_says_for_how_long(database: Database, home: Home) -> None:
    files = {name: ingest(database, home, name, name) for name in ("vid_old", "vid_new", "vid_busy")}
    files["vid_shared"] = ingest(database, home, "vid_shared", "shared", account=None)
    with database.write() as connection:
        old = tables.video_owners.c.video_id.in_(("vid_old", "vid_busy", "vid_shared"))
        connection.execute(tables.video_owners.update().where(old).values(updated_at=now(-7200.0)))
        jobs.submit(connection, NewJob("align", jobs.MAIN, "ada", "align:1", video_id="vid_busy"))
    sweep(StoredFiles(home), database, ServiceSettings())
    assert all(file.exists() for file in files.values())
    sweep(StoredFiles(home), database, ServiceSettings(video_retention_seconds=3600.0))
    assert [name for name, file in files.items() if not file.exists()] == ["vid_old"]
