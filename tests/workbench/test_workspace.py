"""What a workspace shares: sound that is decoded once, one database, and what closing ends."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

import workbench as wb
from tests.videos import grey, write_video
from workbench.analysis.grids import corrected_grid
from workbench.analysis.progress import silent
from workbench.analysis.sources import find_track, open_library
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.cli.main import run
from workbench.files import bundled_path
from workbench.media.audio import write_audio
from workbench.params import SeamParams, WorkbenchParams
from workbench.store import saved as grids
from workbench.store.home import Home
from workbench.store.profiles import save_profile
from workbench.store.saved import make_record
from workbench.store.settings import WorkbenchSettings
from workbench.workflows.beats import map_beats

RATE = 22_050
SETTINGS = WorkbenchSettings(database_url=None)


def noise(path: Path, seed: int, seconds: float = 2.0) -> Path:
    """White noise; equal lengths are files of equal size."""
    samples = 0.1 * np.random.default_rng(seed).standard_normal((1, round(seconds * RATE)))
    return write_audio(path, [samples.astype(np.float32)], RATE, 1)


def draw_video(path: Path, seconds: int) -> Path:
    """A small silent video whose picture changes every four seconds."""
    return write_video(path, (grey(60 * (1 + k // 20 % 3)) for k in range(5 * seconds)), 5)


@pytest.fixture
def decoded(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Names of the files whose sound was decoded since the last call, as the log of `workbench.media` tells them."""
    caplog.set_level(logging.DEBUG, "workbench.media.audio")

    def names() -> list[str]:
        told = [one.getMessage() for one in caplog.records if one.name == "workbench.media.audio"]
        found = [Path(text.removeprefix("decoding the sound of ")).name for text in told]
        caplog.clear()
        return found

    return names


@pytest.fixture
def connections() -> Iterator[list[str]]:
    """What became of connections to any database: `connect` and `close`, in order."""
    seen: list[str] = []
    listeners = {name: partial(_note, seen, name) for name in ("connect", "close")}
    for name, listener in listeners.items():
        sa.event.listen(sa.pool.Pool, name, listener)
    yield seen
    for name, listener in listeners.items():
        sa.event.remove(sa.pool.Pool, name, listener)


def _note(seen: list[str], name: str, *_: object) -> None:
    seen.append(name)


@pytest.mark.slow
def test_a_cold_loop_with_mix_and_report_decodes_the_track_once(
    tmp_path: Path, decoded: Callable[[], list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    track = bundled_path("data", "bundled", "music", "glass_circuit.ogg")
    video, report = draw_video(tmp_path / "video.mp4", 160), tmp_path / "report.html"
    arguments = ["--video", video, "--auto-mix", "--report", report, "--home", tmp_path / "home"]
    assert run(["loop", str(track), *map(str, arguments)]) == 0
    assert decoded().count(track.name) == 1
    assert '"applicable": true' in capfd.readouterr().out
    assert report.stat().st_size > 100_000


def test_a_recording_is_decoded_once_while_it_is_in_hand(tmp_path: Path, decoded: Callable[[], list[str]]) -> None:
    path, told = noise(tmp_path / "one.wav", 1), []
    with Workspace(Home(tmp_path / "home"), progress=lambda stage, done: told.append((stage, done))) as workspace:
        first = workspace.load_recording(path)
        assert told == [("decoding one.wav", 0.0), ("decoding one.wav", 1.0)]
        assert workspace.load_recording(str(path)) is first
        assert workspace.with_params(WorkbenchParams()).load_recording(path) is first
        assert len(told) == 2
        assert decoded() == ["one.wav"]
        workspace.forget_recordings()
        again = workspace.load_recording(path)
        assert decoded() == ["one.wav"]
    assert np.array_equal(first.samples, again.samples)
    assert first.content_hash == workspace.hash_file(path) == again.content_hash


def test_a_file_that_changed_is_decoded_anew(tmp_path: Path) -> None:
    """Also where size and time of change are those of the file before, and where it is replaced at once."""
    path, other = noise(tmp_path / "one.wav", 1), noise(tmp_path / "other.wav", 2)
    long_ago = path.stat().st_mtime_ns - 10**12
    os.utime(path, ns=(long_ago, long_ago))
    os.utime(other, ns=(long_ago, long_ago))
    workspace = Workspace(Home(tmp_path / "home"))
    before = workspace.load_recording(path)
    assert path.stat().st_size == other.stat().st_size
    path.write_bytes(other.read_bytes())
    os.utime(path, ns=(long_ago, long_ago))
    written_over = workspace.load_recording(path)
    assert written_over.content_hash != before.content_hash
    assert np.array_equal(written_over.samples, workspace.load_recording(other).samples)
    os.replace(noise(tmp_path / "third.wav", 3), path)
    assert workspace.load_recording(path).content_hash not in (before.content_hash, written_over.content_hash)


def test_a_hash_is_remembered_only_of_a_file_whose_times_would_show_a_change(tmp_path: Path) -> None:
    path, workspace = noise(tmp_path / "one.wav", 1), Workspace(Home(tmp_path / "home"))
    hashes = set()
    for seed in range(20):
        noise(path, seed)
        hashes.add(workspace.hash_file(path))
    assert len(hashes) == 20


def test_of_many_recordings_those_used_last_are_kept(tmp_path: Path, decoded: Callable[[], list[str]]) -> None:
    names = ["a.wav", "b.wav", "c.wav"]
    paths = [noise(tmp_path / name, seed) for seed, name in enumerate(names)]
    one = 4 * 2 * RATE
    workspace = Workspace(Home(tmp_path / "home"), recording_bytes=2 * one)
    for path in paths:
        workspace.load_recording(path)
    assert decoded() == names
    workspace.load_recording(paths[1])
    workspace.load_recording(paths[2])
    assert decoded() == []
    workspace.load_recording(paths[0])
    assert decoded() == ["a.wav"]
    workspace.load_recording(paths[1])
    assert decoded() == ["b.wav"]


def test_a_recording_that_is_larger_than_the_bound_is_kept_until_the_next(
    tmp_path: Path, decoded: Callable[[], list[str]]
) -> None:
    large, small = noise(tmp_path / "large.wav", 1), noise(tmp_path / "small.wav", 2, 0.5)
    workspace = Workspace(Home(tmp_path / "home"), recording_bytes=RATE)
    for path in (large, large, small, small, large):
        workspace.load_recording(path)
    assert decoded() == ["large.wav", "small.wav", "large.wav"]


def test_a_long_recording_in_a_file_pushes_no_short_one_out(tmp_path: Path, decoded: Callable[[], list[str]]) -> None:
    short, long = noise(tmp_path / "short.wav", 1), noise(tmp_path / "long.wav", 2, 72 * 2**20 / 4 / RATE)
    second = noise(tmp_path / "second.wav", 3, 72 * 2**20 / 4 / RATE)
    workspace = Workspace(Home(tmp_path / "home"), recording_bytes=2 * 4 * 2 * RATE, filed_bytes=80 * 2**20)
    assert not workspace.load_recording(short).is_filed
    assert workspace.load_recording(long).is_filed
    workspace.load_recording(short)
    assert decoded() == ["short.wav", "long.wav"]
    workspace.load_recording(second)
    workspace.load_recording(short)
    assert decoded() == ["second.wav"]
    workspace.load_recording(long)
    assert decoded() == ["long.wav"]


def test_a_process_opens_one_database_whatever_is_asked(tmp_path: Path, connections: list[str]) -> None:
    home, path = Home(tmp_path / "home"), noise(tmp_path / "one.wav", 1, 5.0)
    with Workspace(home, settings=SETTINGS) as workspace:
        with workspace.database.write() as connection:
            grids.put(connection, make_record("0" * 64, [0.5, 1.0], [1, 2], 2))
        opened = list(connections)
        open_library(workspace).add(path, {}, track_id="trk_1")
        for _ in range(3):
            assert find_track(workspace, "trk_1").path == path
            assert corrected_grid(workspace.with_progress(silent), "0" * 64) is not None
            map_beats(workspace, path)
        assert connections == opened == ["connect"]
        assert workspace.database is workspace.with_params(WorkbenchParams()).database


def test_asking_makes_no_database_and_no_home(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"), settings=SETTINGS)
    assert workspace.existing_database is None
    assert corrected_grid(workspace, "0" * 64) is None
    workspace.close()
    assert not workspace.home.root.exists()


def test_close_ends_what_is_open(tmp_path: Path, connections: list[str]) -> None:
    path = noise(tmp_path / "one.wav", 1)
    workspace = Workspace(Home(tmp_path / "home"), settings=SETTINGS)
    sharing = workspace.with_progress(silent)
    with workspace.database.read():
        pass
    with sharing:
        sharing.load_recording(path)
    assert "close" not in connections
    assert workspace.database is not None  # whoever shares a workspace does not close it
    workspace.close()
    workspace.close()
    assert connections.count("close") == connections.count("connect") > 0
    for ask in (lambda: workspace.database, lambda: sharing.load_recording(path)):
        with pytest.raises(RuntimeError, match="closed"):
            ask()


def test_a_workspace_is_not_sent_to_another_process(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path))
    with pytest.raises(TypeError, match="send its home and its params"):
        pickle.dumps(workspace)
    with pytest.raises(TypeError, match="send its home and its params"):
        multiprocessing.get_context("spawn").Process(target=map_beats, args=(workspace, "one.wav")).start()


def test_a_notebook_opens_one_with_a_folder_and_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned = WorkbenchParams(seams=SeamParams(context_beats=8))
    profile = save_profile(tuned, tmp_path / "tuned.toml")
    workspace = wb.open(tmp_path / "home", profile)
    assert workspace.home == Home(tmp_path / "home")
    assert workspace.params == tuned
    path = noise(tmp_path / "one.wav", 1, 5.0)
    analysis = wb.analyze(workspace, path)
    assert analysis.content_hash == workspace.load_recording(path).content_hash
    assert analyze(workspace, path).beat_analysis.cached
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "chosen"))
    with wb.open() as chosen:
        assert chosen.home.root == tmp_path / "chosen"
        assert chosen.params == WorkbenchParams()
    assert repr(chosen) == f"Workspace({str(tmp_path / 'chosen')!r})"


def test_opening_one_loads_no_library_and_touches_no_disk(tmp_path: Path) -> None:
    code = (
        "import sys, workbench as wb\n"
        f"workspace = wb.open({str(tmp_path / 'home')!r})\n"
        "heavy = {'numpy', 'sqlalchemy', 'zarr', 'av', 'scipy', 'workbench.params'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not (tmp_path / "home").exists()
