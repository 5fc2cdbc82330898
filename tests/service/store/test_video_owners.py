"""Whose a video is, and how far its ingest is."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection

from service.store import video_owners
from service.store.video_owners import OwnedVideo
from workbench.store import videos
from workbench.store.clock import now
from workbench.store.database import Database

pytestmark = pytest.mark.usefixtures("ada")


def upload(name: str) -> OwnedVideo:
    return OwnedVideo(name, "ada", "awaiting_upload", filename=f"{name}.mp4", storage_key=f"uploads/{name}")


def test_a_status_changes_only_from_the_one_that_is_expected(database: Database) -> None:
    with database.write() as connection:
        video_owners.create(connection, upload("v"))
        assert video_owners.update(connection, "v", "awaiting_upload", status="processing")
        assert not video_owners.update(connection, "v", "awaiting_upload", status="failed", reason="late")
        found = video_owners.get(connection, "v")
        assert found is not None
        assert (found.status, found.reason) == ("processing", None)


def test_uploads_that_never_came_are_swept(database: Database) -> None:
    with database.write() as connection:
        for name in ("v", "w"):
            video_owners.create(connection, upload(name))
        video_owners.update(connection, "w", "awaiting_upload", status="processing")
        assert video_owners.delete_stale_uploads(connection, now(-3600)) == []
        assert video_owners.delete_stale_uploads(connection, now(60)) == ["uploads/v"]
        assert video_owners.get(connection, "w") is not None


def ready(connection: Connection, video_id: str) -> video_owners.ReadyVideo | None:
    video = video_owners.get(connection, video_id)
    return None if video is None else video.ready


def test_a_video_is_ready_when_analysis_has_stored_it(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        video_owners.create(connection, upload("v"))
        assert ready(connection, "v") is None
        videos.put(connection, "v", tmp_path / "v.mp4", content_hash="0" * 64, title="V", seconds=12.5)
        assert ready(connection, "v") is None, "its ingest is not settled"
        assert video_owners.update(connection, "v", "awaiting_upload", status="ready")
        assert ready(connection, "v") == video_owners.ReadyVideo("v", "0" * 64, 12.5)
