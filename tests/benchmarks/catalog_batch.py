"""Tracks a minute: analysing a folder on one process and on two, from decoding to the record in the database.

    python -m tests.benchmarks.run catalog-batch

The files are the bundled tracks, under other names and with a comment that changes their hash.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled
from workbench.analysis.workspace import Workspace
from workbench.media.probe import probe
from workbench.params import WorkbenchParams
from workbench.store.home import Home
from workbench.workflows.catalog import WantedFile, add_tracks, measure

TRACKS = 8


def files(folder: Path) -> list[Path]:
    """Tracks of different bytes, the longest a little over three minutes."""
    tracks = [track.path for track in bundled() if track.is_song]
    made = []
    for number in range(TRACKS):
        source = tracks[number % len(tracks)]
        path = folder / f"{number}{source.suffix}"
        path.write_bytes(source.read_bytes() + f"copy {number}".encode())
        made.append(path)
    return made


def run() -> list[Table]:
    """The one table."""
    table = Table("Analysing a catalog", ["where", "tracks", "s", "tracks a minute", "times real time"])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        tracks = files(folder)
        music = sum(probe(track).duration for track in tracks)
        for count, where in ((1, "1 process"), (2, "2 processes")):
            with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
                warm = folder / f"warm{count}"
                for job in [pool.submit(measure, tracks[0], warm, WorkbenchParams()) for _ in range(4)]:
                    job.result()
                started = time.perf_counter()
                home = Workspace(Home(folder / f"home{count}"))
                added = list(add_tracks(home, [WantedFile(track) for track in tracks], executor=pool))
                spent = time.perf_counter() - started
            assert all(one.track is not None for one in added)
            table.add(where, TRACKS, spent, 60.0 * TRACKS / spent, music / spent)
    table.notes.append(f"Tracks of {music / TRACKS:.0f} s on average.")
    return [table]
