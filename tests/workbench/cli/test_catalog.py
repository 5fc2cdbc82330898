import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import av
import pytest

from .conftest import Cli

Loaded = Callable[..., list[str]]


@pytest.fixture
def folder(tmp_path: Path, track_file: Path) -> Path:
    """A track, something that is none, and a manifest with both and a typo."""
    (tmp_path / "tracks").mkdir()
    (tmp_path / "tracks" / "good.wav").write_bytes(track_file.read_bytes())
    (tmp_path / "tracks" / "bad.ogg").write_bytes(b"no music in here")
    rows = [
        {
            "path": "tracks/good.wav",
            "track_id": "ours",
            "title": "Sixteen",
            "bpm": 60,
            "colour": "blue",
            "licence": "CC-BY-4.0",
        },
        {"path": "tracks/bad.ogg"},
        {"path": "tracks/good.wav", "energy": 7},
    ]
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_a_track_is_known_by_its_bytes_and_named_by_its_tags(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    music = tmp_path / "music"
    music.mkdir()
    (music / "plain.wav").write_bytes(track_file.read_bytes())
    (music / "without a suffix").write_bytes(track_file.read_bytes()[:-4000])
    (music / "README").write_text("not music")
    with av.open(str(track_file)) as given, av.open(str(music / "tagged.flac"), "w") as tagged:
        tagged.metadata.update({"title": "Harbour Lights", "artist": "The Moles"})
        sound = tagged.add_stream("flac", rate=given.streams.audio[0].rate, layout="mono")
        for frame in given.decode(audio=0):
            tagged.mux(sound.encode(frame))
        tagged.mux(sound.encode(None))
    code, out, err = workbench("catalog", "add", music, "--home", tmp_path / "home")
    assert (code, len(out.splitlines()), "one track" in err) == (0, 3, False)
    (tmp_path / "link").symlink_to(music)
    (tmp_path / "copy.wav").write_bytes(track_file.read_bytes())
    code, out, err = workbench("catalog", "add", tmp_path / "link", tmp_path / "copy.wav", "--home", tmp_path / "home")
    assert (code, err.count("one track")) == (0, 1)  # a link to the folder is the folder
    _, out, _ = workbench("catalog", "list", "--home", tmp_path / "home")
    rows = {Path(row["path"]).name: row for row in map(json.loads, out.splitlines())}
    assert set(rows) == {"plain.wav", "without a suffix", "tagged.flac"}
    assert (rows["tagged.flac"]["title"], rows["tagged.flac"]["artist_name"]) == ("Harbour Lights", "The Moles")
    assert (rows["plain.wav"]["title"], rows["plain.wav"]["artist_name"]) == (None, None)
    _, out, _ = workbench("underscore", "A calm morning at sea.", "--home", tmp_path / "home")
    shown = {Path(track["path"]).name: track["title"] for track in json.loads(out)["lane"]["matches"]}
    assert shown["tagged.flac"] == "Harbour Lights"
    assert shown["plain.wav"] == "plain"


@pytest.mark.slow
def test_adds_what_is_good_tells_what_is_bad_and_exits_with_1(workbench: Cli, folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    code, out, err = workbench("catalog", "add", folder / "list.jsonl", "--home", home)
    assert code == 1
    (row,) = [json.loads(line) for line in out.splitlines()]
    assert row == {"track_id": "ours", "path": str(folder / "tracks" / "good.wav")}
    assert "colour" in err
    assert "bad.ogg" in err
    assert "energy" in err

    # What the manifest says wins over what is measured; what it does not say is measured.
    code, out, _ = workbench("catalog", "list", "--home", home)
    (track,) = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert (track["title"], track["bpm"]) == ("Sixteen", 60.0)
    assert track["duration_seconds"] == pytest.approx(32.5, abs=1e-3)

    # A catalog id is a track like a file.
    code, out, _ = workbench("loop", "ours", "--seconds", 90, "--home", home)
    assert (code, json.loads(out)["track_id"]) == (0, "ours")
    assert json.loads(out)["track"]["licence"] == "CC-BY-4.0"

    # Bytes that changed are noticed, a file that is gone too.
    (folder / "tracks" / "good.wav").unlink()
    code, out, err = workbench("catalog", "reindex", "--home", home)
    assert (code, json.loads(out)["missing"]) == (1, ["ours"])
    (line,) = err.splitlines()
    assert "ours" in line
    assert "good.wav" in line

    code, out, _ = workbench("cache", "--home", home)
    assert json.loads(out)["files"] == 5
    code, out, _ = workbench("cache", "prune", "--max-bytes", 0, "--home", home)
    assert (code, json.loads(out)["files"]) == (0, 0)

    workbench.done("catalog", "remove", "ours", "--home", home)
    err = workbench.refused(1, "catalog", "remove", "ours", "--home", home)
    assert "ours" in err


def test_the_list_is_read_from_the_records_alone(
    workbench: Cli, loaded_by: Loaded, track_file: Path, tmp_path: Path
) -> None:
    workbench.done("catalog", "add", track_file, "--home", tmp_path)
    heavy = ("av", "soxr", "numba", "scipy", "zarr", "faiss", "librosa", "matplotlib")
    assert loaded_by(heavy, "catalog", "list", "--home", tmp_path) == []


def test_a_folder_without_music_is_told(workbench: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    err = workbench.refused(1, "catalog", "add", tmp_path / "empty", "--home", tmp_path / "home")
    assert "no sound file" in err


@pytest.mark.usefixtures("sigint")
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="a terminal's Ctrl-C is a signal to a process group")
def test_an_interrupt_ends_in_one_word_and_no_traceback(tmp_path: Path, track_file: Path) -> None:
    (tmp_path / "one.wav").symlink_to(track_file)
    (tmp_path / "two.wav").symlink_to(track_file)
    code = "import sys; from workbench.cli.main import run; sys.exit(run(sys.argv[1:]))"
    arguments = ["catalog", "add", str(tmp_path), "--home", str(tmp_path / "home")]
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as adding:
        assert adding.stderr is not None
        while "analysing" not in adding.stderr.readline():
            assert adding.poll() is None
        os.killpg(adding.pid, signal.SIGINT)
        told = adding.stderr.read()
    assert adding.returncode == 130
    assert told.split() == ["interrupted"]
