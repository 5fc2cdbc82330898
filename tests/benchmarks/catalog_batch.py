"""Tracks a minute: analysing a folder on one process, on two, and on a Dask cluster of two workers.

The files are the bundled tracks, each under as many other names and with as many other bytes as are needed for the
number of tracks (a comment is appended, which changes the hash and nothing that is heard). Everything is measured that
`workbench catalog add` measures, from decoding to the record in the database; workers start before the clock does.

`BENCH_BATCH` is how many tracks, eight without it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled
from workbench.home import Home
from workbench.media.probe import probe
from workbench.params import WorkbenchParams
from workbench.workflows.library import WantedFile, add_tracks, cluster, measure
from workbench.workspace import Workspace

MILLION = 1_000_000


def files(folder: Path, count: int) -> list[Path]:
    """Tracks of different bytes, the longest a little over three minutes."""
    tracks = [track.path for track in bundled() if track.is_song]
    made = []
    for number in range(count):
        source = tracks[number % len(tracks)]
        path = folder / f"{number}{source.suffix}"
        path.write_bytes(source.read_bytes() + f"copy {number}".encode())
        made.append(path)
    return made


@contextmanager
def processes(count: int) -> Iterator[Executor]:
    """A pool as `catalog add` makes it."""
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@contextmanager
def dask(folder: Path, count: int) -> Iterator[Executor]:
    """A scheduler and workers of one thread, each a process."""
    told = folder / "scheduler.json"
    here = ["--scheduler-file", str(told), "--host", "127.0.0.1", "--no-dashboard"]
    module = [sys.executable, "-m"]
    start = partial(subprocess.Popen[bytes], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running = [start([*module, "distributed.cli.dask_scheduler", "--port", "0", *here])]
    try:
        while not told.exists():
            time.sleep(0.1)
        worker = [*module, "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *here]
        running += [start(worker) for _ in range(count)]
        with cluster(json.loads(told.read_text())["address"]) as executor:
            yield executor
    finally:
        for process in running:
            process.kill()
            process.wait()


def run() -> list[Table]:
    """The one table."""
    count = int(os.environ.get("BENCH_BATCH", "8"))
    table = Table(
        "Analysing a catalog", ["where", "tracks", "s", "tracks a minute", "times real time", "days for a million"]
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        tracks = files(folder, count)
        music = sum(probe(track).duration for track in tracks)
        ways = {"1 process": processes(1), "2 processes": processes(2), "Dask, 2 workers": dask(folder, 2)}
        for number, (where, way) in enumerate(ways.items()):
            home, params = Home(folder / f"home{number}"), WorkbenchParams()
            with way as executor:
                warm = [executor.submit(measure, tracks[0], folder / f"warm{number}", params) for _ in range(4)]
                for job in warm:
                    job.result()
                started = time.perf_counter()
                added = list(add_tracks(Workspace(home), [WantedFile(track) for track in tracks], executor=executor))
                spent = time.perf_counter() - started
            assert all(one.track is not None for one in added)
            pace = 60.0 * count / spent
            table.add(where, count, spent, pace, music / spent, MILLION / pace / 1440)
    table.notes.append(
        f"Tracks of {music / count:.0f} s on average. A million is this pace carried on: analysis needs nothing that "
        "grows with the catalog, and workers share nothing but the folder that they write to."
    )
    return [table]
