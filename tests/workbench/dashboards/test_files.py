"""Files between the page and the home folder: sounds by ranges, uploads whole or not at all."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from workbench.dashboards.files import safe_name, video_url


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("my track.wav", "my track.wav"), ("../../etc/passwd", "passwd"), ("C:\\music\\a.wav", "a.wav"),
        ("a<b>|c?.mp3", "a_b_c_.mp3"), (" .hidden. ", "hidden"), ("...", "file"), ("", "file"),
        (200 * "x" + ".wav", 116 * "x" + ".wav"),
    ],
)  # fmt: skip
def test_a_name_has_no_folders_and_keeps_its_suffix(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_sounds_come_in_ranges(open_root: str) -> None:
    answer = httpx.get(open_root + "/sounds/track.wav", headers={"Range": "bytes=10-19"})
    assert (answer.status_code, answer.content) == (206, bytes(range(10, 20)))
    assert httpx.get(open_root + "/sounds/../../workbench.sqlite").status_code in (403, 404)


def test_a_long_file_is_told_from_another_without_being_read(open_root: str, tmp_path: Path) -> None:
    video = tmp_path / "long.mp4"
    with video.open("wb") as file:
        file.truncate(100_000_000)
    url = video_url(video, "00112233445566aa")
    answer = httpx.get(f"{open_root}/{url}", headers={"Range": "bytes=0-9"})
    assert (answer.status_code, answer.headers["Etag"]) == (206, '"5f5e100"')


def test_a_video_that_was_opened_comes_in_ranges_and_no_other(open_root: str, kept_root: str, tmp_path: Path) -> None:
    video, other = tmp_path / "film.mp4", tmp_path / "other.mp4"
    video.write_bytes(bytes(range(100)))
    other.write_bytes(b"secret")
    url = video_url(video, "0123456789abcdef")
    answer = httpx.get(f"{open_root}/{url}", headers={"Range": "bytes=10-19"})
    assert (answer.status_code, answer.content) == (206, bytes(range(10, 20)))
    assert answer.headers["Content-Type"] == "video/mp4"
    assert httpx.get(f"{kept_root}/{url}").status_code == 401
    assert httpx.get(f"{open_root}/videos/fedcba9876543210").status_code == 404
    assert httpx.get(f"{open_root}/videos/{other}").status_code == 404
    video.unlink()
    assert httpx.get(f"{open_root}/{url}").status_code == 404


def test_a_dropped_file_arrives_whole_under_a_safe_name(open_root: str, served_home: Path) -> None:
    sound = bytes(300_000)
    answer = httpx.put(open_root + "/uploads/..%2Fmy%20track.wav", content=sound, headers={"X-Workbench": "upload"})
    assert answer.json() == {"name": "my track.wav"}
    assert (served_home / "uploads" / "dashboard" / "my track.wav").read_bytes() == sound
    assert [path.name for path in (served_home / "uploads" / "dashboard").iterdir()] == ["my track.wav"]


def test_an_upload_takes_no_other_file_its_name(open_root: str, served_home: Path) -> None:
    def put(content: bytes) -> str:
        answer = httpx.put(open_root + "/uploads/film.mp4", content=content, headers={"X-Workbench": "upload"})
        return str(answer.json()["name"])

    assert [put(content) for content in (b"one", b"two", b"one", b"six", b"two")] == [
        "film.mp4", "film (2).mp4", "film.mp4", "film (3).mp4", "film (2).mp4"
    ]  # fmt: skip
    folder = served_home / "uploads" / "dashboard"
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith("film")} == {
        "film.mp4": b"one", "film (2).mp4": b"two", "film (3).mp4": b"six"
    }  # fmt: skip
    assert not list(folder.glob(".*"))
    for path in folder.glob("film*"):
        path.unlink()


def test_a_form_of_another_site_cannot_upload(open_root: str) -> None:
    assert httpx.put(open_root + "/uploads/x.wav", content=b"x").status_code == 405
    assert httpx.post(open_root + "/uploads/x.wav", content=b"x").status_code == 405
