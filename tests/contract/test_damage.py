"""A home whose derived files are damaged: the service makes them again, while it runs and when it starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.store.tables import answers
from tests.damage import WAYS, Way, damage, emptied, files_in, flipped

from .conftest import Service, fill, start_service


@pytest.fixture(scope="module")
def home(media: Path, settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "home"
    fill(folder, media, settings)
    return folder


def lanes(service: Service) -> list[Any]:
    """What `underscore` and `match` answer, computed now."""
    service.changed(answers.delete())
    with service.caller() as client:
        script = client.post("/v1/underscore", json={"script": "A bright funk morning."})
        assert script.status_code == 200, script.text
        video = client.post("/v1/match", json={"video_id": "vid_long"})
        video = service.settled(client, video) if video.status_code == 202 else video
        assert video.status_code == 200, video.text
    return [script.json()["lane"], video.json()["lane"]]


def test_a_service_that_starts_makes_damaged_files_again(home: Path, settings: dict[str, str]) -> None:
    # but those that name the generation, without which it would be made again anyway
    files = [file for file in files_in(home / "index", home / "arrays") if file.parent.name != "index"]
    for number, way in enumerate(WAYS):  # every file in one of the ways; `open_snapshot` is tested with each of all
        assert damage(files[number :: len(WAYS)], way)
    service = start_service(home, settings)
    service.wait_until_ranking()
    assert [len(lane["matches"]) for lane in lanes(service)] == [10, 10]
    assert service.stop() == 0


@pytest.fixture(scope="module")
def running(home: Path, settings: dict[str, str]) -> Iterator[Service]:
    service = start_service(home, settings)
    service.wait_until_ranking()
    yield service
    assert service.stop() == 0


def test_a_running_service_makes_damaged_files_again(running: Service) -> None:
    before = lanes(running)
    said = len(running.log.read_text())
    assert damage(files_in(running.home / "index", running.home / "arrays"), flipped)
    assert lanes(running) == before
    log = running.log.read_text()[said:]
    for folder in ("index", "arrays"):
        assert any("is made again" in line and f"home/{folder}/" in line for line in log.splitlines()), log
    assert lanes(running) == before


@pytest.mark.parametrize(("way", "status"), [(flipped, 422), (emptied, 500)])
def test_a_damaged_upload_is_refused_and_named(running: Service, way: Way, status: int) -> None:
    """500 where it is no media any more: either the video or the track."""
    customer = running.customer()
    video_id = customer.fresh_video()
    (upload,) = damage(running.home.joinpath("uploads").glob("upl_*"), way)
    answer = customer.post("/v1/align", {"video_id": video_id, "track_id": "trk_corner"})
    error = running.refused(customer.settled(answer), status)
    assert "submit it again" in error["message"]
    assert any(upload.name in str(line) for line in running.log_lines() if line.get("level") == "error")
    upload.unlink()
