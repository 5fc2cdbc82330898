"""`workbench videos`: local files under ids that commands and callers know."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.store import video_owners
from service.store.tables import open_database
from service.store.video_owners import OwnedVideo
from tests.videos import grey, write_screencast, write_video
from workbench.cli.main import app
from workbench.errors import MediaError, UnknownVideo
from workbench.files import bundled_path
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds of grey, silent."""
    return write_video(tmp_path_factory.mktemp("video") / "grey.mp4", [grey(99)] * 40, 10)


@pytest.fixture
def videos(tmp_path: Path) -> Callable[..., Result]:
    """Run `workbench videos …` on an empty home folder."""
    return lambda *arguments: CliRunner().invoke(app, ["videos", *map(str, arguments), "--home", str(tmp_path)])


def owned_video(home: Path, video_id: str) -> OwnedVideo | None:
    """Whose the service takes a video for."""
    database = open_database(Home(home), WorkbenchSettings(home=home))
    with database.read() as connection:
        found = video_owners.get(connection, video_id)
    database.close()
    return found


def test_a_shared_video_is_everybodys(videos: Callable[..., Result], video: Path, tmp_path: Path) -> None:
    done = videos("add", video, "--shared", "--video-id", "vid_grey")
    record = json.loads(done.stdout)
    assert record | {"video_id": "vid_grey", "status": "ready", "ready": True, "title": "grey.mp4"} == record
    found = owned_video(tmp_path, "vid_grey")
    assert found is not None
    assert (found.account, found.status, found.title) == (None, "ready", "grey.mp4")


def test_an_accounts_video_is_its_own_and_may_be_given_away(
    videos: Callable[..., Result], video: Path, tmp_path: Path
) -> None:
    video_id = json.loads(videos("add", video, "--account", "acme").stdout)["video_id"]
    assert video_id.startswith("vid_")
    for account in ("acme", "zebra"):
        videos("add", video, "--account", account, "--video-id", video_id)
        found = owned_video(tmp_path, video_id)
        assert found is not None
        assert found.account == account
    (row,) = (json.loads(line) for line in videos("list").stdout.splitlines())
    assert (row["video_id"], row["account"], row["shared"]) == (video_id, "zebra", False)


def test_without_either_callers_do_not_know_it(videos: Callable[..., Result], video: Path, tmp_path: Path) -> None:
    video_id = json.loads(videos("add", video).stdout)["video_id"]
    assert owned_video(tmp_path, video_id) is None


def test_wrong_usage_exits_2(videos: Callable[..., Result], video: Path) -> None:
    assert videos("add", video, "--account", "a", "--shared").exit_code == 2
    assert videos("add").exit_code == 2


@pytest.mark.parametrize("video_id", ["", "a/b"])
def test_an_id_that_cannot_stand_in_an_address_is_wrong_usage(
    videos: Callable[..., Result], video: Path, video_id: str
) -> None:
    done = videos("add", video, "--video-id", video_id)
    assert done.exit_code == 2
    assert "an id must have" in done.stderr
    assert videos("list").stdout == ""


@pytest.mark.parametrize("text", ["no video at all", None], ids=["text", "absent"])
def test_what_is_no_video_fails_in_one_line(videos: Callable[..., Result], tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "notes.mp4"
    if text is not None:
        path.write_text(text)
    done = videos("add", path, "--shared")
    assert isinstance(done.exception, MediaError)
    assert "\n" not in str(done.exception)
    assert done.stdout == ""
    assert videos("list").stdout == ""


def test_a_deleted_video_is_unknown_and_the_file_that_was_added_stays(
    videos: Callable[..., Result], video: Path, tmp_path: Path
) -> None:
    videos("add", video, "--account", "acme", "--video-id", "vid_grey")
    done = videos("delete", "vid_grey")
    assert json.loads(done.stdout) == {"video_id": "vid_grey", "jobs": 0, "answers": 0, "bytes": 0}
    assert video.exists()
    assert owned_video(tmp_path, "vid_grey") is None
    assert videos("list").stdout == ""
    again = videos("delete", "vid_grey")
    assert isinstance(again.exception, UnknownVideo)
    assert again.stdout == ""


def test_the_streams_of_a_video_are_those_it_was_added_with(videos: Callable[..., Result], tmp_path: Path) -> None:
    video = write_screencast(tmp_path / "obs.mkv")
    done = videos("add", video, "--video-id", "v1")
    assert "obs.mkv: of 2 sound streams 1 (Desktop) is used; more speech is in 2 (Mic), " in done.stderr
    assert "audio" not in json.loads(done.stdout)
    done = videos("add", video, "--video-id", "v2", "--audio", "2")
    assert (json.loads(done.stdout)["audio"], "more speech" in done.stderr) == ("2", False)
    track = bundled_path("data", "bundled", "music", "top_of_the_hour.ogg")
    for video_id, spoken, audio in (("v1", False, None), ("v2", True, "2")):
        arguments = ["align", str(track), "--video", video_id, "--auto-mix", "--home", str(tmp_path)]
        body = json.loads(CliRunner().invoke(app, arguments).stdout)
        assert (body["mix"]["voiceover"], body["provenance"]["constraints"].get("audio")) == (spoken, audio)
