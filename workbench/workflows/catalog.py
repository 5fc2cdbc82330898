"""Fill the catalog, and find tracks in it by words.

Files are found, analysed on all cores or on a cluster, and the measurements stored.

Values of a manifest win over measured ones. Bytes are hashed first: a recording that was measured before, under any
name, is only looked up, so that adding the same folder again goes on where it stopped, and equal files are analysed
once. Tracks are written in transactions of some hundred. A track is reported as done after its transaction has
committed, so a process that is killed loses nothing it has reported. A bad file is reported and skipped, even one that
crashes the process that analyses it.

The pool is a `concurrent.futures.Executor`: processes of this machine by default, those of a Dask cluster by its
address, or any other that the caller passes. Workers write arrays to the home folder, which all of them must share;
records are written here.

A search by words takes milliseconds, also while a user types: the words of all tracks are read once and cached until
the catalog changes.

Functions: `list_files`, `is_left_over`, `bundled_files`, `add_tracks`, `add_all`, `cluster`, `open_catalog`;
`search_catalog`, `words_of`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from itertools import islice, takewhile
from pathlib import Path, PureWindowsPath
from threading import Lock
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from workbench.analysis.character import analysis_name, measure_track
from workbench.analysis.sources import open_library
from workbench.analysis.workers import killed, open_pool
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import LibraryEntry, Measurement, place_of
from workbench.catalog.manifest import is_manifest, read_manifest
from workbench.catalog.track import Track
from workbench.errors import InputError, MediaError, StoreError, WorkbenchError, require_extra
from workbench.files import bundled_path, list_names
from workbench.matching.snapshot import open_snapshot
from workbench.params import WorkbenchParams
from workbench.recording import counted
from workbench.store.home import Home
from workbench.store.stored_files import file_name

if TYPE_CHECKING:
    from workbench.matching.snapshot import Snapshot

# Files that a folder is searched for; a file that is named itself may have any suffix
SUFFIXES = frozenset(
    (
        ".aac", ".ac3", ".aif", ".aiff", ".caf", ".flac", ".m4a", ".mka", ".mp3", ".mp4", ".oga", ".ogg", ".opus",
        ".w64", ".wav", ".webm", ".wma", ".wv",
    )
)  # fmt: skip

# What is taken for a list of tracks and is none, by its suffix, and what to do
_NO_MUSIC = {
    ".json": "a list of tracks is CSV or JSONL; save it as .jsonl with one object a line",
    **dict.fromkeys((".m3u", ".m3u8", ".pls", ".xspf"), "a playlist; give the files themselves"),
}
# of deleted files, of unpacked resource forks, and of the previews that network drives make
_SYSTEM_FOLDERS = frozenset(("$recycle.bin", "recycler", "system volume information", "__macosx", "#recycle", "@eadir"))
_MAX_BATCH_TRACKS, _BATCH_SECONDS = 500, 0.5  # of one transaction at most, and for which finished tracks are gathered
_MOST_JOBS = 2000  # analyses submitted at a time: enough that a cluster never waits, without holding a million futures
_MOST_HINTS = 10  # files not there for which the nearest is looked up: in a large folder each takes a while
_MOST_FILES = 100_000  # files below a manifest's folder that are looked through for one that is not where its row says
_CONNECT_SECONDS = 10.0  # within which the scheduler of a cluster must answer
MOST_FOUND = 20  # tracks that a search returns, if not asked for more


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file to be added."""

    path: Path
    track_id: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    origin: str | None = None  # the manifest and its line; None for a file named otherwise
    folder: Path | None = None  # of the manifest, below which the file is likely to be; None for a file named otherwise


@dataclass(frozen=True, slots=True)
class Listing:
    """The files that paths stand for."""

    wanted: tuple[WantedFile, ...]
    faults: tuple[str, ...]  # rows and paths without a file, in words
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file."""

    path: Path
    track: Track | None  # None where it could not be added
    fault: str | None  # why not
    known_as: Path | None = None  # the file with equal bytes whose track it is; None where it is that file


def open_catalog(workspace: Workspace) -> Snapshot:
    """The catalog of a workspace as columns and indexes, brought up to date."""
    from workbench.matching.language.embedding import find_embedding

    library, folder = open_library(workspace), workspace.home.prepared(workspace.home.index)
    settings = workspace.settings
    return open_snapshot(library, folder, None, workspace.progress, lambda: find_embedding(settings))


@dataclass(frozen=True, slots=True)
class FoundTrack:
    """A track as a list of choices shows it."""

    track_id: str
    title: str  # the name of its file where it has none
    artist_name: str  # empty where unknown
    duration_seconds: float | None
    bpm: float | None
    tags: tuple[str, ...]


def words_of(track: Track) -> str:
    """The text in which a track of the catalog is searched: case-folded, with blanks between."""
    named = track.called
    words = (*track.moods, *track.genres, *track.tags, *track.instruments, named, track.artist_name or "")
    return " ".join(words).casefold()


_Index = list[tuple[str, FoundTrack]]
# by home folder: the catalog's revision, and the words of its tracks, by title
_indexes: dict[str, tuple[tuple[str, int], _Index]] = {}
_making = Lock()


def search_catalog(workspace: Workspace, words: str, at_most: int = MOST_FOUND) -> list[FoundTrack]:
    """The tracks that match all of some words, or beginnings or parts of words, or whose id they are.

    No words find every track. Sorted by title, with those first whose title or id begins with the search text.
    """
    if workspace.existing_database is None:
        return []
    wanted = words.casefold().split()
    found = [entry for entry in _index(workspace) if all(word in entry[0] for word in wanted)]
    if wanted:
        begins = " ".join(wanted)
        found.sort(key=lambda entry: not entry[1].title.casefold().startswith(begins))
    return [track for _, track in found[:at_most]]


def _index(workspace: Workspace) -> _Index:
    library = open_library(workspace)
    key = str(workspace.home.root)
    with _making:
        revision = library.revision()
        known = _indexes.get(key)
        if known is None or known[0] != revision:
            entries = [(f"{track.track_id.casefold()} {words_of(track)}", _found(track)) for track in library.list()]
            entries.sort(key=lambda entry: (entry[1].title.casefold(), entry[1].track_id))
            _indexes.clear()  # a process works on one catalog
            known = _indexes[key] = revision, entries
        return known[1]


def _found(track: Track) -> FoundTrack:
    tags = dict.fromkeys((*track.genres, *track.moods, *track.tags))
    return FoundTrack(
        track.track_id, track.called, track.artist_name or "", track.duration_seconds, track.bpm,
        tuple(tags),
    )  # fmt: skip


def list_files(paths: Iterable[Path]) -> Listing:
    """List the files that paths stand for, in order: sound files, folders with all in them, manifests with their rows.

    With the faults and warnings of manifests and folders.
    """
    wanted: list[WantedFile] = []
    faults: list[str] = []
    warnings: list[str] = []
    for path in paths:
        if is_manifest(path):
            try:
                manifest = read_manifest(path)
            except InputError as error:
                faults.append(str(error))
                continue
            wanted += [
                WantedFile(row.path, row.track_id, row.fields, f"{path.name}, line {row.line}", path.absolute().parent)
                for row in manifest.rows
            ]
            faults += [fault.message for fault in manifest.faults]
            if not manifest.rows and not manifest.faults:
                faults.append(f"{path}: this list holds no tracks; give each a row")
            warnings += manifest.warnings
        elif path.is_dir():
            found = [file for file in path.rglob("*") if _is_sound(file)]
            meant = sorted(file for file in found if not is_left_over(file, path))
            if not meant:
                faults.append(f"{path}: no sound file in this folder")
            if len(meant) < len(found):
                count = len(found) - len(meant)
                warnings.append(f"{path}: passed over {count} that {'is' if count == 1 else 'are'} hidden or empty")
            wanted += [WantedFile(file) for file in meant]
        elif path.suffix.lower() in _NO_MUSIC and path.is_file():
            faults.append(f"{path}: {_NO_MUSIC[path.suffix.lower()]}")
        else:
            wanted.append(WantedFile(path))
    return Listing(tuple(wanted), tuple(faults), tuple(warnings))


def _is_sound(file: Path) -> bool:
    """Whether a file of a folder counts as music: by its suffix, and without one by its content."""
    if file.suffix:
        return file.suffix.lower() in SUFFIXES and file.is_file()
    if not file.is_file() or file.name.startswith("."):
        return False
    from workbench.media.containers import open_media, sound_stream  # PyAV loads where a file is opened

    try:
        with open_media(file) as container:
            return sound_stream(container) is not None
    except MediaError:
        return False


def is_left_over(file: Path, folder: Path) -> bool:
    """Whether a file of a folder was left there by a system or a program, or is empty: it is not meant as music.

    The name of the folder itself does not count.
    """
    parts = file.relative_to(folder).parts
    by_system = any(part.startswith((".", "~$")) or part.lower() in _SYSTEM_FOLDERS for part in parts)
    return by_system or file.stat().st_size == 0


def bundled_files() -> Listing:
    """The bundled catalog, without the warnings about the columns that its manifest has for tests.

    Raises `ResourceMissing` if the catalog is not shipped with this installation.
    """
    listing = list_files([bundled_path("data", "bundled", "manifest.jsonl")])
    return Listing(listing.wanted, listing.faults, ())


def add_tracks(workspace: Workspace, wanted: Iterable[WantedFile], executor: Executor | None = None) -> Iterator[Added]:
    """Analyse files and add them to the catalog: a result for each as soon as it is written.

    Without an executor a process runs for every core that this process may use. Raises `StoreError` if the home folder
    cannot be used, or the given executor broke down.
    """
    files = list(wanted)
    stage = f"analysing {counted(len(files), 'file')}"
    workspace.progress(stage, 0.0)
    for done, added in enumerate(_Adding(workspace, executor).run(files), start=1):
        yield added
        workspace.progress(stage, done / len(files))


def add_all(workspace: Workspace, wanted: Iterable[WantedFile]) -> int:
    """Analyse files one after the other, in this process, and add them to the catalog; returns how many were added.

    Raises `MediaError` if none could be added; the message says why the first could not.
    """
    with ThreadPoolExecutor(1) as here:
        added = list(add_tracks(workspace, wanted, here))
    faults = [one for one in added if one.track is None]
    if faults and len(faults) == len(added):
        raise MediaError(f"none of {len(added)} files could be added; {faults[0].path.name}: {faults[0].fault}")
    open_catalog(workspace)
    return sum(one.track is not None for one in added)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Connect to the workers of a Dask cluster by the address of its scheduler; the block closes the connection.

    Raises `ExtraMissing` without Dask's `distributed`, and `StoreError` if no scheduler answers there.
    """
    require_extra("scale", "analysis on a Dask cluster")
    distributed: Any = import_module("distributed")
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise StoreError(f"{address}: no Dask scheduler answers ({error})") from error
    try:
        yield client.get_executor()
    finally:
        client.close()


class _Adding:
    """One run of `add_tracks`: files in analysis, and measured tracks to write."""

    def __init__(self, workspace: Workspace, executor: Executor | None) -> None:
        self.workspace, self.params, self.executor = workspace, workspace.params, executor
        self.library = open_library(workspace)
        self.analysis = analysis_name(workspace.params)
        self.digests: dict[Path, str | MediaError] = {}
        self.places: dict[Path, Path] = {}
        self.jobs: dict[Future[Measurement], list[WantedFile]] = {}
        self.job_of: dict[str, Future[Measurement]] = {}
        self.broken: dict[str, WorkbenchError] = {}
        self.ready: list[tuple[WantedFile, str]] = []
        self.measurements: list[Measurement] = []
        self.written = time.monotonic()
        self.hints = 0
        self.names_in, self.files_below = lru_cache(list_names), lru_cache(_files_below)

    def run(self, files: list[WantedFile]) -> Iterator[Added]:
        with open_pool(self.executor, len(files)) as pool:
            try:
                remaining = iter(files)
                while some := list(islice(remaining, _MAX_BATCH_TRACKS)):
                    yield from self._look_up(some, pool)
                    while len(self.jobs) >= _MOST_JOBS:
                        yield from self._collect()
                while self.jobs:
                    yield from self._collect()
                yield from self._flush()
            except BrokenExecutor as error:
                raise StoreError(f"the workers that were given broke down ({error}); add again to go on") from error
            finally:
                for job in self.jobs:
                    job.cancel()

    def _look_up(self, some: list[WantedFile], pool: Executor) -> Iterator[Added]:
        """Hash files; those with a known measurement are ready to be written, the rest is analysed."""
        found: list[tuple[WantedFile, str]] = []
        for file in some:
            digest = self._digest(file.path)
            if isinstance(digest, MediaError):
                yield _fault(file, digest, self._hint(file))
            else:
                found.append((file, digest))
        known = self.library.measured({digest for _, digest in found}, self.analysis)
        for file, digest in found:
            if digest in self.broken:
                yield _fault(file, self.broken[digest])
            elif digest in known or (digest in self.job_of and self.job_of[digest] not in self.jobs):
                self.ready.append((file, digest))
            elif digest in self.job_of:
                self.jobs[self.job_of[digest]].append(file)
            else:
                place = self._place(file.path, digest)
                job = pool.submit(measure, place, self.workspace.home.root, self.params, _given_bpm(file))
                self.jobs[job], self.job_of[digest] = [file], job
        yield from self._flush()

    def _collect(self) -> Iterator[Added]:
        """Wait for one or more analyses; write those that are ready when it is time to."""
        timeout = self._seconds_left() if self.ready else None
        done, _ = wait(self.jobs, timeout=timeout, return_when=FIRST_COMPLETED)
        for job in done:
            files = self.jobs.pop(job)
            outcome = _outcome(job, files[0])
            if isinstance(outcome, Measurement):
                self.measurements.append(outcome)
                self.ready += [(file, outcome.content_hash) for file in files]
                continue
            self.broken[str(self.digests[files[0].path])] = outcome
            for file in files:
                yield _fault(file, outcome)
        if self._seconds_left() == 0.0 or len(self.ready) >= _MAX_BATCH_TRACKS:
            yield from self._flush()

    def _seconds_left(self) -> float:
        """s until the ready analyses should be written."""
        return max(0.0, self.written + _BATCH_SECONDS - time.monotonic())

    def _flush(self) -> Iterator[Added]:
        """Write the ready analyses in one transaction, then report them."""
        ready, measurements = self.ready, self.measurements
        self.ready, self.measurements, self.written = [], [], time.monotonic()
        if not ready:
            return
        entries = [
            LibraryEntry(self._place(file.path, digest), file.fields, file.track_id, digest) for file, digest in ready
        ]
        try:
            tracks = self.library.add_all(entries, measurements)
        except InputError:  # one of them is at fault: each by itself
            for measurement in measurements:
                self.library.record(measurement)
            for (file, _), entry in zip(ready, entries, strict=True):
                yield self._add_alone(file, entry)
            return
        for (file, _), entry, track in zip(ready, entries, tracks, strict=True):
            yield _added(file, entry, track)

    def _add_alone(self, file: WantedFile, entry: LibraryEntry) -> Added:
        try:
            (track,) = self.library.add_all([entry])
        except InputError as error:
            return _fault(file, error)
        return _added(file, entry, track)

    def _place(self, path: Path, digest: str) -> Path:
        """The path in the record of a file: its own, or that of its copy in the shared store."""
        if path not in self.places:
            self.places[path] = self.workspace.files.add(path, "tracks", file_name(path.name, digest))
        return self.places[path]

    def _hint(self, file: WantedFile) -> str:
        """For the first few files that are not there: what else may be meant."""
        if self.hints == _MOST_HINTS or os.path.exists(file.path):
            return ""
        self.hints += 1
        near = None if file.folder is None else _ending_alike(file.path, self.files_below(file.folder))
        near = near or _nearest(file.path, self.names_in)
        return "" if near is None else f"; did you mean {near}?"

    def _digest(self, path: Path) -> str | MediaError:
        """The hash of a file's bytes, taken once a run; or why there is none."""
        if path not in self.digests:
            try:
                str(path).encode()
                self.digests[path] = self.workspace.hash_file(path)
            except UnicodeEncodeError:
                self.digests[path] = MediaError(f"{path}: the name is not text in UTF-8; rename the file")
            except MediaError as error:
                # The path of another system is below no folder here; the kind of the error does not matter.
                is_foreign = PureWindowsPath(path).is_absolute() and not path.is_absolute()
                self.digests[path] = MediaError(f"{path}: no such file") if is_foreign else error
        return self.digests[path]


def measure(path: Path, root: Path, params: WorkbenchParams, given_bpm: float | None = None) -> Measurement:
    """Analyse one file into the store of a home folder; runs in a worker process."""
    workspace = _workspace_of_this_process(root, params)
    try:
        return measure_track(workspace, path, given_bpm)
    finally:
        workspace.forget_recordings()


def _given_bpm(file: WantedFile) -> float | None:
    """The tempo that a file's row gives, where it is one."""
    given = file.fields.get("bpm")
    return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None


@lru_cache(maxsize=1)
def _workspace_of_this_process(root: Path, params: WorkbenchParams) -> Workspace:
    """The workspace of a worker process, reused from file to file so that it opens the database once."""
    return Workspace(Home(root), params)


def _outcome(job: Future[Measurement], file: WantedFile) -> Measurement | WorkbenchError:
    """The result of a job: a measurement, or why there is none; an error of the store is raised."""
    try:
        return job.result()
    except StoreError:
        raise
    except WorkbenchError as error:
        return error
    except killed() as death:
        return MediaError(f"{file.path}: every worker that analysed it was killed ({death})")


def _added(file: WantedFile, entry: LibraryEntry, track: Track) -> Added:
    return Added(file.path, track, None, None if track.path == place_of(entry.path) else track.path)


def _fault(file: WantedFile, error: WorkbenchError, hint: str = "") -> Added:
    text = (str(error) if isinstance(error, MediaError) else f"{file.path}: {error}") + hint
    return Added(file.path, None, text if file.origin is None else f"{file.origin}: {text}")


def _nearest(path: Path, names_in: Callable[[Path], Sequence[str]]) -> Path | None:
    """The file or folder with the name most like that of a missing path; None without a similar one."""
    wanted, folder = path, path.parent
    while not os.path.isdir(folder) and folder != folder.parent:
        path, folder = folder, folder.parent
    names = {name.casefold(): name for name in names_in(folder)}
    alike = get_close_matches(PureWindowsPath(path.name).name.casefold(), names, n=1)
    if not alike:
        return None
    near = folder / names[alike[0]]
    further = _nearest(near / wanted.relative_to(path), names_in) if wanted != path and os.path.isdir(near) else None
    return further or near


def _files_below(folder: Path) -> Mapping[str, Sequence[Path]]:
    """The files below a folder by their names, in any case; none where there are too many to look through."""
    walk = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    some = list(islice(walk, _MOST_FILES + 1))
    files: dict[str, list[Path]] = {}
    for file in some if len(some) <= _MOST_FILES else ():
        files.setdefault(_parts_from_last(file)[0], []).append(file)
    return files


def _ending_alike(path: Path, files: Mapping[str, Sequence[Path]]) -> Path | None:
    """The one file that shares the most last parts of a path, ignoring case; None if several share as many."""
    parts = _parts_from_last(path)
    some = files.get(parts[0], ())
    pairs = (zip(parts, _parts_from_last(file), strict=False) for file in some)
    shared = [len(list(takewhile(lambda pair: pair[0] == pair[1], both))) for both in pairs]
    return some[shared.index(max(shared))] if shared and shared.count(max(shared)) == 1 else None


def _parts_from_last(path: Path) -> Sequence[str]:
    return PureWindowsPath(normalize("NFC", str(path)).casefold()).parts[::-1] or ("",)
