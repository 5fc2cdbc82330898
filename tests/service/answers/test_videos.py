"""An upload and its ingest at the same time."""

from __future__ import annotations

from threading import Event, Thread
from typing import Any

import pytest
import sqlalchemy as sa

from service.answers import videos
from service.answers.answer import Call
from service.schemas.requests import IngestRequest
from service.settings import ServiceSettings
from service.store import jobs, video_owners
from service.store.api_keys import Caller
from service.store.video_owners import OwnedVideo
from tests.service.waiting import until
from workbench.store.database import Database

pytestmark = pytest.mark.usefixtures("ada")
ADA = Caller("ada", "key_1", preview=False, pays_freely=True, has_credit=False)
CALL = Call(
    ADA,
    "req_1",
    "POST /v1/videos",
    ServiceSettings(),
)
WAITING = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")


def wait_for_a_lock(database: Database) -> None:
    """Wait until somebody waits for a row of PostgreSQL that another one has changed."""

    def waiting() -> Any:
        with database.read() as connection:
            return connection.scalar(WAITING)

    until(waiting, "somebody waits")


def test_an_ingest_takes_the_upload_that_was_recorded_before_it(database: Database) -> None:
    """A second upload is recorded while the ingest, which has read the name of the first, waits for it."""
    first = OwnedVideo(
        "vid_1", "ada", "awaiting_upload", storage_key="upl_1", uploaded_bytes=1, upload_name="upl_1.first"
    )
    with database.write() as connection:
        video_owners.create(connection, first)

    begun = Event()

    def ingest() -> None:
        begun.set()
        with database.write() as connection:
            videos.ingest(connection, CALL, "vid_1", IngestRequest(storage_key="upl_1"))

    ingesting = Thread(target=ingest)
    with database.write() as connection:
        found = video_owners.get_by_storage_key(connection, "upl_1", lock=True)
        assert found is not None
        assert video_owners.update(connection, "vid_1", "awaiting_upload", upload_name="upl_1.second")
        ingesting.start()
        begun.wait()
        if connection.dialect.name == "postgresql":  # SQLite lets nobody begin to write before this has ended
            wait_for_a_lock(database)
    ingesting.join()

    with database.write() as connection:
        job = jobs.claim(connection, [jobs.MAIN], "tests", 30.0)
    assert job is not None
    assert job.request["storage_key"] == "upl_1.second"
