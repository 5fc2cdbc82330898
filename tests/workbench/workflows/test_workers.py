"""Processes that die of a job, and those of others that are left alone."""

from __future__ import annotations

import ctypes
import importlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.analysis.character import measure_track
from workbench.analysis.sources import find_in_catalog, open_library
from workbench.analysis.workers import LocalWorkers
from workbench.analysis.workspace import Workspace
from workbench.errors import WorkerDied
from workbench.store.home import Home
from workbench.workflows.catalog import Added, WantedFile, add_tracks, cluster, list_files


class Deadly(type(Path())):  # type: ignore[misc]
    """A path whose arrival in another process ends it as a crashed decoder does: by reading where no memory is."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[int]]:
        return ctypes.string_at, (0,)


@pytest.mark.slow
def test_a_file_that_kills_its_process_costs_that_file_alone(tunes: Path, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    wanted = [WantedFile(tunes / f"{number}.wav", f"trk_{number}") for number in range(2)]
    wanted.insert(1, WantedFile(Deadly(tunes / "5.wav"), "trk_deadly", {}, "list.csv, line 3"))
    added = list(add_tracks(Workspace(home), wanted))
    (fault,) = [one.fault for one in added if one.track is None]
    assert fault is not None
    assert fault.startswith(f"list.csv, line 3: {tunes / '5.wav'}: the process that analysed it died")
    assert {track.track_id for track in open_library(Workspace(home)).list()} == {"trk_0", "trk_1"}


DEADLY_ONCE = """
import os
import signal
from pathlib import Path


def arrived(path, arrivals):
    with open(arrivals, "a") as file:
        file.write(f"{os.getpid()}\\n")
    if len(Path(arrivals).read_text().split()) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return Path(path)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_that_is_killed_in_its_job_costs_a_second_try(
    tunes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Test files are no modules that a new process could import, and it is there that the path has to kill.
    (tmp_path / "deadly_once.py").write_text(DEADLY_ONCE)
    monkeypatch.syspath_prepend(tmp_path)
    arrived = importlib.import_module("deadly_once").arrived
    arrivals = tmp_path / "arrivals"

    class DeadlyOnce(type(Path())):  # type: ignore[misc]
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
            return arrived, (str(self), str(arrivals))

    wanted = [WantedFile(tunes / f"{number}.wav", f"trk_{number}") for number in range(2)]
    wanted.insert(1, WantedFile(DeadlyOnce(tunes / "5.wav"), "trk_once"))
    added = list(add_tracks(Workspace(Home(tmp_path / "home")), wanted))
    assert [one.fault for one in added] == [None] * 3
    killed, second = arrivals.read_text().split()
    assert killed != second


def test_ending_ones_workers_leaves_those_of_others_alone() -> None:
    with LocalWorkers(1) as own, LocalWorkers(1) as other:
        own.submit(os.getpid).result()
        process = other.submit(os.getpid).result()
        own.terminate()
        with pytest.raises(WorkerDied):
            own.submit(os.getpid).result()
        assert other.submit(os.getpid).result() == process


@pytest.fixture
def dask_cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler and two workers, as processes; their address and the workers."""
    distributed = pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    environment = {**os.environ, "DASK_DISTRIBUTED__ADMIN__LOG_LEVEL": "error"}

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, env=environment
        )

    here = ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = start("dask_scheduler", "--port", "0", "--scheduler-file", str(file), *here)
    workers = [
        start("dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--name", name, *here)
        for name in ("one", "two")
    ]
    try:
        # The scheduler writes its file in place, so it may be found half-written: its own reader waits for the whole.
        yield distributed.utils.json_load_robust(str(file), timeout=60)["address"], workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_finishes_though_a_worker_is_killed(
    tunes: Path, tmp_path: Path, dask_cluster: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    address, workers = dask_cluster
    home = Home(tmp_path / "home")
    with cluster(address) as executor:
        added: list[Added] = []
        for one in add_tracks(Workspace(home), list_files([tunes]).wanted, executor=executor):
            if not added:
                workers[0].kill()
            added.append(one)
    assert [one.fault for one in added] == [None] * 8
    assert len(open_library(Workspace(home)).list()) == 8


@pytest.fixture
def shared_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings by which all processes, those of a cluster too, keep records and files outside of any home folder."""
    monkeypatch.setenv("WORKBENCH_STORE_URL", str(tmp_path / "store"))
    monkeypatch.setenv("WORKBENCH_DATABASE_URL", f"sqlite:///{tmp_path / 'records.sqlite'}")


@pytest.mark.slow
def test_a_cluster_leaves_tracks_and_analyses_in_the_store(
    tunes: Path, tmp_path: Path, shared_store: None, dask_cluster: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    """What it leaves suffices another machine: the files and the home folder that they were added from are gone."""
    address, _ = dask_cluster
    with cluster(address) as executor, Workspace(Home(tmp_path / "home")) as workspace:
        added = list(add_tracks(workspace, list_files([tunes]).wanted[:2], executor=executor))
    assert [one.fault for one in added] == [None] * 2
    shutil.rmtree(tmp_path / "home")
    for one in added:
        one.path.unlink()

    with Workspace(Home(tmp_path / "other")) as workspace:
        for one in added:
            assert one.track is not None
            source = find_in_catalog(workspace, one.track.track_id)
            assert source.path.is_relative_to(tmp_path / "other")
            assert measure_track(workspace, source.path).content_hash == one.track.content_hash
        assert workspace.arrays.stats().misses == 0
        assert workspace.arrays.stats().hits > 0
