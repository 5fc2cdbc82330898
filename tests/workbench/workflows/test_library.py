"""Adding to the catalog by real processes: equal bytes once, nothing lost to SIGKILL, workers that die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from workbench.analysis.sources import open_library
from workbench.analysis.workspace import Workspace
from workbench.store.home import Home
from workbench.workflows.catalog import WantedFile, add_all, add_tracks, list_files

CALL = "import sys; from workbench.cli.main import run; sys.exit(run(sys.argv[1:]))"


class Counted(Executor):
    """One thread that counts what it is given."""

    def __init__(self) -> None:
        self.jobs = 0
        self._threads = ThreadPoolExecutor(1)

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.jobs += 1
        return self._threads.submit(work, *arguments, **named)


def test_equal_bytes_are_analysed_once_and_a_second_time_not_at_all(tunes: Path, tmp_path: Path) -> None:
    home, counted = Home(tmp_path / "home"), Counted()
    (tmp_path / "copy.wav").write_bytes((tunes / "0.wav").read_bytes())
    wanted = [
        WantedFile(tunes / "0.wav", "a"),
        WantedFile(tunes / "0.wav", "b"),
        WantedFile(tmp_path / "copy.wav", "c"),
        WantedFile(tunes / "1.wav", "d", {"bpm": 60.0}),
        WantedFile(tmp_path / "none.wav", "e", {}, "list.csv, line 6"),
    ]
    added = list(add_tracks(Workspace(home), wanted, executor=counted))
    assert counted.jobs == 2
    assert sorted(one.track.track_id for one in added if one.track) == ["a", "b", "c", "d"]
    (fault,) = [one.fault for one in added if one.track is None]
    assert fault is not None
    assert fault.startswith("list.csv, line 6: ")
    assert len(list(add_tracks(Workspace(home), wanted[:4], executor=counted))) == 4
    assert counted.jobs == 2
    track = open_library(Workspace(home)).get("d")
    assert track.bpm == 60.0
    assert {"duration_seconds", "energy"} <= track.measured
    assert "bpm" not in track.measured


def test_files_are_added_in_one_process(tunes: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    wanted = [WantedFile(tunes / "0.wav", "a"), WantedFile(tmp_path / "none.wav", "b")]
    assert add_all(workspace, wanted) == 1
    assert open_library(workspace).get("a").duration_seconds


def test_a_changed_file_is_measured_again(tunes: Path, tmp_path: Path) -> None:
    home, counted = Home(tmp_path / "home"), Counted()
    path = tmp_path / "one.wav"
    path.write_bytes((tunes / "0.wav").read_bytes())
    list(add_tracks(Workspace(home), [WantedFile(path, "a", {"title": "One"})], executor=counted))
    path.write_bytes((tunes / "3.wav").read_bytes())
    assert open_library(Workspace(home)).reindex().changed == ("a",)
    assert (
        open_library(Workspace(home)).get("a").duration_seconds is None
    )  # what was measured was measured in other bytes
    list(add_tracks(Workspace(home), [WantedFile(path, "a")], executor=counted))
    assert counted.jobs == 2
    track = open_library(Workspace(home)).get("a")
    assert (track.title, track.duration_seconds) == ("One", 4.0)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_it_has_what_it_told_of_and_goes_on(tunes: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = [sys.executable, "-c", CALL, "catalog", "add", str(tunes), "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as adding:
        assert adding.stdout is not None
        told = [json.loads(adding.stdout.readline())]
        os.killpg(adding.pid, signal.SIGKILL)
        told += [json.loads(line) for line in adding.stdout if line.endswith("}\n")]
    assert len(told) < 8
    there = {track.track_id: str(track.path) for track in open_library(Workspace(Home(home))).list()}
    assert {row["track_id"]: row["path"] for row in told}.items() <= there.items()
    counted = Counted()
    added = list(add_tracks(Workspace(Home(home)), list_files([tunes]).wanted, executor=counted))
    assert len(added) == 8
    assert counted.jobs <= 8 - len(told)
    assert len(open_library(Workspace(Home(home))).list()) == 8


def test_a_folder_is_listed_without_what_systems_leave_in_it(tmp_path: Path) -> None:
    folder = tmp_path / ".music"  # what a person named counts, whatever its name
    left = ["._a.ogg", ".Trashes/b.ogg", "sub/.AppleDouble/a.ogg", "~$a.ogg", "$RECYCLE.BIN/$R1.wav", "@eaDir/c.mp3"]
    for name in ["a.ogg", "sub/~a.ogg", *left, "empty.mp3", "Thumbs.db", "sub/.DS_Store"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"" if name == "empty.mp3" else b"bytes")
    listing = list_files([folder])
    assert [one.path for one in listing.wanted] == [folder / "a.ogg", folder / "sub" / "~a.ogg"]
    assert listing.warnings == (f"{folder}: passed over 7 that are hidden or empty",)
    assert listing.faults == ()
    named = [folder / "._a.ogg", folder / "empty.mp3"]  # by themselves they are meant
    assert [one.path for one in list_files(named).wanted] == named


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        (
            "list.json",
            '[{"path": "a.ogg"}]',
            "a list of tracks is CSV or JSONL; save it as .jsonl with one object a line",
        ),
        ("list.csv", "path,title\n", "this list holds no tracks; give each a row"),
        ("list.jsonl", "", "this list holds no tracks; give each a row"),
        ("list.m3u8", "#EXTM3U\na.ogg\n", "a playlist; give the files themselves"),
        ("list.XSPF", "<playlist/>", "a playlist; give the files themselves"),
    ],
)
def test_what_holds_no_tracks_is_a_fault(tmp_path: Path, name: str, content: str, fault: str) -> None:
    (tmp_path / name).write_text(content)
    listing = list_files([tmp_path / name])
    assert (listing.wanted, listing.faults) == ((), (f"{tmp_path / name}: {fault}",))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Sumer.wav", "Summer.wav"),
        ("summer.wav", "Summer.wav"),
        ("SUMMER.WAV", "Summer.wav"),
        ("sbu/a.wav", "sub"),
        ("SUB/THEIR SONG.WAV", "sub/Their song.wav"),
        ("D:\\Music\\Summer.wav", "Summer.wav"),
        ("x" * 5000, None),
        ("nothing like it", None),
    ],
)
def test_a_file_that_is_not_there_names_the_nearest_that_is(tmp_path: Path, name: str, near: str | None) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "Their song.wav").touch()
    (tmp_path / "Summer.wav").touch()
    (one,) = add_tracks(Workspace(Home(tmp_path / "home")), [WantedFile(tmp_path / name)], ThreadPoolExecutor(1))
    assert one.fault is not None
    assert one.fault.partition("; did you mean ")[2] == ("" if near is None else f"{tmp_path / near}?")


def test_only_the_first_ten_of_many_missing_files_name_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "Summer.wav").touch()
    wanted = [WantedFile(tmp_path / f"Sumer{k}.wav") for k in range(12)]
    added = list(add_tracks(Workspace(Home(tmp_path / "home")), wanted, ThreadPoolExecutor(1)))
    assert ["did you mean" in (one.fault or "") for one in added] == [True] * 10 + [False] * 2


@pytest.mark.skipif(os.name == "nt", reason="there they are paths of this machine")
@pytest.mark.parametrize("path", [r"C:\Users\me\Music\a.wav", r"\\nas\music\a.wav"])
def test_a_path_of_another_system_is_named_as_it_stands(tmp_path: Path, path: str) -> None:
    (tmp_path / "list.csv").write_text(f"path\n{path}\n")
    wanted = list_files([tmp_path / "list.csv"]).wanted
    (one,) = add_tracks(Workspace(Home(tmp_path / "home")), wanted, ThreadPoolExecutor(1))
    assert (one.fault or "").startswith(f"list.csv, line 2: {path}: no such file")


@pytest.mark.parametrize(
    ("path", "near"),
    [
        (r"C:\Users\me\m\two.wav", "m/two.wav"),
        ("file:///home/me/Music/M/Two.wav", "m/two.wav"),
        ("N/TWO.WAV", "n/two.wav"),
        ("elsewhere/one.wav", "m/one.wav"),
        ("elsewhere/two.wav", None),
    ],
)
def test_a_row_names_the_one_file_below_its_list_that_ends_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, near: str | None
) -> None:
    for name in ("m/one.wav", "m/two.wav", "n/two.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "list.csv").write_text(f"path\n{path}\n")
    monkeypatch.chdir(tmp_path / "n")
    wanted = list_files([tmp_path / "list.csv"]).wanted
    (one,) = add_tracks(Workspace(Home(tmp_path / "home")), wanted, ThreadPoolExecutor(1))
    assert (one.fault or "").partition("; did you mean ")[2] == ("" if near is None else f"{tmp_path / near}?")


def test_a_name_that_is_not_utf8_is_refused_by_itself(tunes: Path, tmp_path: Path) -> None:
    wanted = [WantedFile(tmp_path / "caf\udce9.wav"), WantedFile(tunes / "0.wav", "a")]
    wanted[0].path.write_bytes((tunes / "1.wav").read_bytes())
    added = list(add_tracks(Workspace(Home(tmp_path / "home")), wanted, ThreadPoolExecutor(1)))
    assert {one.path.name: one.fault for one in added if one.fault} == {
        "caf\udce9.wav": f"{wanted[0].path}: the name is not text in UTF-8; rename the file"
    }
    assert [one.track.track_id for one in added if one.track] == ["a"]
