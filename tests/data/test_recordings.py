"""Fetching recordings by others: what is kept of a package, and two runs that fetch into one folder."""

import csv
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from data.recipes.material.recordings import differing, fetch_package, recordings

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package of two files, and an `apt-get` that downloads it from there and runs `hook` before."""
    content = tmp_path / "content"
    for name, text in (("DEBIAN/control", None), ("usr/share/a/song.ogg", "music"), ("usr/share/a/level.txt", "level")):
        path = content / name
        path.parent.mkdir(parents=True, exist_ok=True)
        fields = "Package: tunes\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.c>\nDescription: tunes\n"
        path.write_text(text or fields)
    archive = tmp_path / "archive"
    archive.mkdir()
    subprocess.run(["dpkg-deb", "-b", content, archive / "tunes_1_all.deb"], check=True, capture_output=True)
    (archive / "hook").write_text("true\n")
    program = archive / "apt-get"
    program.write_text(f"#!/bin/sh\nsh {archive}/hook && cp {archive}/tunes_1_all.deb .\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{archive}{os.pathsep}{os.environ['PATH']}")
    return archive


@pytest.mark.usefixtures("archive")
def test_music_is_kept_and_nothing_else(tmp_path: Path) -> None:
    fetch_package(tmp_path / "music", "tunes", frozenset({".ogg"}))
    files = [path for path in (tmp_path / "music").rglob("*") if path.is_file()]
    assert files == [tmp_path / "music/tunes/usr/share/a/song.ogg"]


def test_of_two_runs_into_one_folder_the_quicker_one_counts(archive: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "music/tunes/usr/share/a/song.ogg"
    (archive / "hook").write_text(f"mkdir -p {theirs.parent} && echo theirs > {theirs}\n")
    fetch_package(tmp_path / "music", "tunes", frozenset({".ogg"}))
    assert theirs.read_text() == "theirs\n"
    assert [path.name for path in (tmp_path / "music").iterdir()] == ["tunes"]


def test_recordings_that_differ_are_named(tmp_path: Path) -> None:
    folder, labels = tmp_path / "music", tmp_path / "labels.csv"
    (folder / "tunes").mkdir(parents=True)
    for name in ("same", "other"):
        (folder / "tunes" / name).write_text(name)
    known = {"same": hashlib.sha256(b"same").hexdigest(), "other": "0" * 64, "gone": "0" * 64}
    with labels.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["package", "path", "sha256"])
        table.writerows([["tunes", name, digest] for name, digest in known.items()])
        table.writerow(["not here", "any", "0" * 64])
    assert differing(folder, labels) == ["tunes: other", "tunes: gone"]


def test_stems_stingers_and_people_who_speak_are_no_music(tmp_path: Path) -> None:
    folder = tmp_path / "freedroidrpg-data/sound"
    folder.mkdir(parents=True)
    hiss = np.random.default_rng(1).normal(0.0, 0.1, 50 * 16_000)
    for name, seconds in (("guitar", 50), ("stinger", 40), ("StartOfGame", 50), ("menu", 50)):
        soundfile.write(folder / f"{name}.flac", hiss[: seconds * 16_000], 16_000)
    assert [one.path.stem for one in recordings(tmp_path, "test")] == ["menu"]
