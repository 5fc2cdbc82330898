"""Fill the catalog: find the files, analyse them on all cores, write down what was measured.

What a manifest says wins over what is measured. The analysis of a file is stored as soon as it is done, and a file that
was analysed before is only looked up; so adding the same folder again goes on where it stopped. A bad file is told and
skipped.

The pool is a `concurrent.futures.Executor`: processes of this machine by default, any other that is handed in.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.bundled import bundled_path
from workbench.catalog.library import Library
from workbench.catalog.manifest import is_manifest, read_manifest
from workbench.catalog.track import Track
from workbench.errors import InputError, MediaError, StoreError, WorkbenchError
from workbench.home import Home
from workbench.params import WorkbenchParams
from workbench.settings import load_settings
from workbench.store.database import Database
from workbench.workflows.progress import Progress, silent

if TYPE_CHECKING:
    from workbench.workflows.analyze import Analysis

SUFFIXES = frozenset(
    (
        ".aac", ".ac3", ".aif", ".aiff", ".caf", ".flac", ".m4a", ".mka", ".mp3", ".mp4", ".oga", ".ogg", ".opus",
        ".w64", ".wav", ".webm", ".wma", ".wv",
    )
)  # fmt: skip
"""Files that a folder is searched for; a file that is named itself may have any suffix."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to be added."""

    path: Path
    track_id: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """What paths lead to."""

    wanted: tuple[Wanted, ...]
    faults: tuple[str, ...]
    """rows and paths that lead to nothing"""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file."""

    path: Path
    track: Track | None
    """None where it could not be added"""
    fault: str | None
    """why not"""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the analysis of a file says about the track."""

    content_hash: str
    fields: dict[str, Any]


def open_library(home: Home) -> Library:
    """The tracks of a home folder, or of the database that settings name.

    Raises
    ------
    StoreError : the folder or the database cannot be used
    """
    return Library(Database.at(home, load_settings()))


def list_files(paths: Iterable[Path]) -> Listing:
    """The files that paths stand for: sound files, folders with all in them, manifests with their rows."""
    wanted: list[Wanted] = []
    faults: list[str] = []
    warnings: list[str] = []
    for path in paths:
        if is_manifest(path):
            try:
                manifest = read_manifest(path)
            except InputError as error:
                faults.append(str(error))
                continue
            wanted += [Wanted(row.path, row.track_id, row.fields) for row in manifest.rows]
            faults += [fault.message for fault in manifest.faults]
            warnings += manifest.warnings
        elif path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
            if not found:
                faults.append(f"{path}: no sound file in this folder")
            wanted += [Wanted(file) for file in found]
        else:
            wanted.append(Wanted(path))
    return Listing(tuple(wanted), tuple(faults), tuple(warnings))


def bundled_files() -> Listing:
    """The bundled catalog. Its manifest has columns for tests, of which nobody needs to be warned."""
    listing = list_files([bundled_path("data", "bundled", "manifest.jsonl")])
    return Listing(listing.wanted, listing.faults, ())


def add_tracks(
    wanted: Iterable[Wanted],
    home: Home,
    params: WorkbenchParams | None = None,
    progress: Progress = silent,
    executor: Executor | None = None,
) -> Iterator[Added]:
    """Analyse files and add them to the catalog, each as soon as it is done.

    Parameters
    ----------
    wanted : the files
    home : whose store and catalog are filled
    params : of the analysis
    progress : told how many are done
    executor : where to analyse; None: a process for every core that this process may use

    Yields
    ------
    Added : one for each file, in the order in which they are done

    Raises
    ------
    StoreError : the home folder cannot be used, or an analysing process was killed
    """
    files = list(wanted)
    library, params = open_library(home), params or WorkbenchParams()
    fresh: list[Wanted] = []
    for number, file in enumerate(files, start=1):
        progress(f"looking up {_files(len(files))}", number / len(files))
        known = _stored(file, home, params)
        if known is None:
            fresh.append(file)
        else:
            yield _added(library, file, known)
    if not fresh:
        return
    stage, done = f"analysing {_files(len(fresh))}", 0
    progress(stage, 0.0)
    with _pool(executor, len(fresh)) as pool:
        with _interrupts_held():  # the pool starts its processes as jobs arrive
            jobs = {pool.submit(measure, file.path, home.root, params): file for file in fresh}
        try:
            for job in as_completed(jobs):
                added = _added(library, jobs[job], job.result)
                done += 1
                progress(stage, done / len(fresh))
                yield added
        except BrokenProcessPool as error:
            raise StoreError(
                "an analysing process was killed, for want of memory perhaps; add again to go on"
            ) from error
        finally:
            for job in jobs:
                job.cancel()


def _files(count: int) -> str:
    return f"{count} file{'s' if count != 1 else ''}"


def measure(path: Path, root: Path, params: WorkbenchParams) -> Measured:
    """Analyse one file into the store of a home folder; runs in a process of its own."""
    from workbench.workflows.analyze import analyze

    return _measured(analyze(path, Home(root), params))


def _measured(analysis: Analysis) -> Measured:
    fields: dict[str, Any] = {"duration_seconds": round(analysis.duration, 6)}
    if analysis.grid.beats.size:
        fields["bpm"] = round(analysis.grid.tempo_bpm, 3)
    return Measured(analysis.content_hash, fields)


def _stored(file: Wanted, home: Home, params: WorkbenchParams) -> Callable[[], Measured] | None:
    """How to get what the store knows of a file; None where it must be analysed, or cannot be read."""
    from workbench.workflows.analyze import stored_analysis

    try:
        analysis = stored_analysis(file.path, home, params)
    except MediaError:
        return None
    return None if analysis is None else lambda: _measured(analysis)


def _added(library: Library, file: Wanted, measure: Callable[[], Measured]) -> Added:
    try:
        measured = measure()
        fields = {**measured.fields, **file.fields}
        track = library.add(file.path, fields, track_id=file.track_id, content_hash=measured.content_hash)
    except (StoreError, BrokenProcessPool):
        raise
    except WorkbenchError as error:
        text = str(error)
        return Added(file.path, None, text if isinstance(error, MediaError) else f"{file.path}: {text}")
    return Added(file.path, track, None)


@contextmanager
def _pool(executor: Executor | None, jobs: int) -> Iterator[Executor]:
    """The given pool, which stays open, or a new one of as many processes as there are cores and jobs."""
    if executor is not None:
        yield executor
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Forked copies of a process with threads may hang; spawned ones start clean on every platform.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(max(1, min(cores, jobs)), mp_context=context) as pool:
        try:
            yield pool
        except KeyboardInterrupt:
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started in the block never see Ctrl-C, which reaches all of a terminal's; their parent ends them.

    A process inherits which signals are blocked, from its first instruction on; a handler that it sets itself would
    come too late for an interrupt while it imports. An interrupt of this process is delivered after the block.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
