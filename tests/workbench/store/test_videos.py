"""Records of videos: replaced under their id, listed as they came, and unknown ones named."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import ParameterError, UnknownVideo
from workbench.store import videos
from workbench.store.database import Database


def test_a_record_is_read_as_it_was_put_and_printed(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        kept = videos.put(
            connection, "trailer", tmp_path / "a.mp4", content_hash="0" * 64, title="A", seconds=12.3456789
        )
        assert videos.get(connection, "trailer") == kept
    assert kept.to_json() == {
        "video_id": "trailer", "title": "A", "seconds": 12.345679, "path": str(tmp_path / "a.mp4"),
        "content_hash": "0" * 64, "added_at": kept.added_at,
    }  # fmt: skip


def test_another_file_under_an_id_keeps_the_time_when_it_was_added(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        first = videos.put(connection, "v", tmp_path / "a.mp4", content_hash="0" * 64, title="A", seconds=1.0)
        again = videos.put(connection, "v", tmp_path / "b.mp4", content_hash="1" * 64, title="B", seconds=2.0)
        assert videos.every(connection) == [again]
    assert again.added_at == first.added_at
    assert (again.path.name, again.title) == ("b.mp4", "B")


def test_videos_are_listed_in_the_order_in_which_they_were_added(database: Database, tmp_path: Path) -> None:
    for name in ("z", "a", "m"):
        with database.write() as connection:
            videos.put(connection, name, tmp_path / name, content_hash="0" * 64, title="", seconds=1.0)
    with database.read() as connection:
        listed = videos.every(connection)
    assert [record.added_at for record in listed] == sorted(record.added_at for record in listed)
    assert {(record.video_id, record.title) for record in listed} == {("z", "z"), ("a", "a"), ("m", "m")}


def test_unknown_and_impossible_ids_are_refused(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        with pytest.raises(UnknownVideo, match="nobody: no video of that id"):
            videos.get(connection, "nobody")
        for bad in ("", " v", "x" * 129):
            with pytest.raises(ParameterError):
                videos.put(connection, bad, tmp_path, content_hash="0" * 64, title="", seconds=1.0)
        assert videos.every(connection) == []
