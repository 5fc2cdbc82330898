"""`workbench jobs`: what an operator sees of jobs and may do to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.jobs.kind import Outcome
from service.jobs.kinds import KINDS
from service.jobs.sweep import sweep
from service.settings import ServiceSettings
from service.store import accounts, jobs, ledger, tables, video_owners
from service.store.jobs import Job, NewJob
from service.store.tables import open_database
from service.store.video_owners import OwnedVideo
from workbench.cli.main import app
from workbench.errors import ParameterError
from workbench.store.clock import now
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings
from workbench.store.stored_files import StoredFiles

Run = Callable[..., Result]


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Database]:
    database = open_database(Home(tmp_path), WorkbenchSettings(home=tmp_path))
    with database.write() as connection:
        for account in ("ada", "bob"):
            accounts.ensure(connection, account)
    yield database
    database.close()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return lambda *arguments: CliRunner().invoke(app, ["jobs", *arguments, "--home", str(tmp_path)])


def submit(database: Database, kind: str, account: str = "ada", build: str = "b", **more: Any) -> Job:
    with database.write() as connection:
        endpoint = f"POST /v1/{kind}" if kind != "ingest" else "POST /v1/videos"
        new = NewJob(kind, jobs.MAIN, account, build, endpoint=endpoint, charge_key="", video_id="vid_1", **more)
        return jobs.submit(connection, new)


def claim(database: Database) -> Job:
    with database.write() as connection:
        job = jobs.claim(connection, [jobs.MAIN], "worker", 600.0)
    assert job is not None
    return job


def test_jobs_are_listed_newest_first_by_account_and_state(records: Database, run: Run) -> None:
    first, second = submit(records, "align"), submit(records, "align", account="bob")
    claim(records)
    rows = [json.loads(line) for line in run("list").stdout.splitlines()]
    assert [row["job_id"] for row in rows] == [second.job_id, first.job_id]
    assert rows[1] | {"kind": "align", "account": "ada", "state": "running", "attempt": 1, "fault": None} == rows[1]
    (row,) = (json.loads(line) for line in run("list", "--account", "bob", "--state", "queued").stdout.splitlines())
    assert row["job_id"] == second.job_id
    assert len(run("list", "--limit", "1").stdout.splitlines()) == 1


def test_a_failed_job_is_run_again_and_charged_once(records: Database, run: Run) -> None:
    job = submit(records, "align")
    with records.write() as connection:
        assert KINDS["align"].refuse(connection, claim_in(connection), 500, "no")
    shown = json.loads(run("retry", job.job_id).stdout)
    assert (shown["state"], shown["attempt"], shown["fault"], shown["finished_at"]) == ("queued", 0, None, None)
    with records.write() as connection:
        assert KINDS["align"].complete(connection, claim_in(connection), Outcome({}, billed=True))
        assert len(ledger.entries(connection, "ada")) == 1
    refused = run("retry", job.job_id)
    assert isinstance(refused.exception, ParameterError)
    assert "complete" in str(refused.exception)


def claim_in(connection: object) -> Job:
    job = jobs.claim(connection, [jobs.MAIN], "worker", 600.0)  # type: ignore[arg-type]
    assert job is not None
    return job


def test_a_failed_job_is_not_run_beside_one_that_does_its_work(records: Database, run: Run) -> None:
    job = submit(records, "align")
    with records.write() as connection:
        assert KINDS["align"].refuse(connection, claim_in(connection), 500, "no")
    submit(records, "align")
    refused = run("retry", job.job_id)
    assert isinstance(refused.exception, ParameterError)
    assert "another job" in str(refused.exception)


def test_the_video_of_a_failed_ingest_is_processed_again(records: Database, run: Run) -> None:
    with records.write() as connection:
        video_owners.create(connection, OwnedVideo("vid_1", "ada", "processing"))
    job = submit(records, "ingest", build="ingest:vid_1")
    assert json.loads(run("cancel", job.job_id).stdout)["state"] == "failed"
    with records.read() as connection:
        video = video_owners.get(connection, "vid_1")
    assert video is not None
    assert (video.status, video.reason) == ("failed", "it was cancelled by the operator; submit it again")
    assert json.loads(run("retry", job.job_id).stdout)["state"] == "queued"
    with records.read() as connection:
        video = video_owners.get(connection, "vid_1")
    assert video is not None
    assert (video.status, video.reason) == ("processing", None)


def test_an_ingest_is_not_run_again_once_its_upload_is_deleted(records: Database, run: Run, tmp_path: Path) -> None:
    """Found by seed 35 of the simulation: the job ran, found no file, and said that the video was none."""
    uploads = Home(tmp_path).prepared(Home(tmp_path).uploads)
    video = OwnedVideo("vid_1", "ada", "processing", storage_key="upl_1", uploaded_bytes=4)
    (uploads / "upl_1").write_bytes(b"sent")
    with records.write() as connection:
        video_owners.create(connection, video)
    job = submit(records, "ingest", build="ingest:vid_1", request={"source_url": None, "storage_key": "upl_1"})
    run("cancel", job.job_id)
    assert json.loads(run("retry", job.job_id).stdout)["state"] == "queued"
    run("cancel", job.job_id)
    with records.write() as connection:
        connection.execute(tables.video_owners.update().values(updated_at=now(-2 * 86_400.0)))
    sweep(StoredFiles(Home(tmp_path)), records, ServiceSettings())
    assert not (uploads / "upl_1").exists()
    refused = run("retry", job.job_id)
    assert isinstance(refused.exception, ParameterError)
    assert "has been deleted" in str(refused.exception)
    with records.read() as connection:
        assert {row.state for row in jobs.of_video(connection, "vid_1")} == {"failed"}


def test_a_cancelled_job_is_lost_to_its_worker_and_not_charged(records: Database, run: Run) -> None:
    submit(records, "align")
    held = claim(records)
    shown = json.loads(run("cancel", held.job_id).stdout)
    assert (shown["state"], shown["fault"]["status"]) == ("failed", 500)
    assert "cancelled" in shown["fault"]["message"]
    with records.write() as connection:
        assert not jobs.renew_lease(connection, held, 600.0, "planning")
        assert not KINDS[held.kind].complete(connection, held, Outcome({}, billed=True))
        assert ledger.entries(connection, "ada") == []
    again = run("cancel", held.job_id)
    assert isinstance(again.exception, ParameterError)
    assert "nothing to cancel" in str(again.exception)


def test_a_job_of_a_kind_that_only_a_newer_version_knows_is_cancelled_and_run_again(
    records: Database, run: Run
) -> None:
    job = submit(records, "newer")
    assert json.loads(run("cancel", job.job_id).stdout)["state"] == "failed"
    assert json.loads(run("retry", job.job_id).stdout)["state"] == "queued"


@pytest.mark.parametrize("what", ["retry", "cancel"])
def test_an_unknown_job_fails_in_one_line(records: Database, run: Run, what: str) -> None:
    done = run(what, "job_nobody")
    assert isinstance(done.exception, ParameterError)
    assert "job_nobody" in str(done.exception)
    assert done.stdout == ""
