"""Files that outlive the process that made them: in the home folder, or in a store that all machines share.

    part       files
    uploads    what callers sent                    fetched    what was fetched for jobs that wait
    videos     what was fetched for callers         previews   excerpts of tracks
    tracks     the catalog's audio                  arrays     analysis arrays
    index      the catalog's columns and indexes

Without `WORKBENCH_STORE_URL` a file is where it always was: in the folder of its part in the home folder, and its path
says so. With one, the file is an object `PART/NAME` of that store, and records name it by a path that exists on no
machine, `/workbench-store/PART/NAME`: it is the same for all of them. `fetch` gives a path to read from, on this
machine.

With a store the home folder is a cache of it: files are copied to `cached/PART/NAME` when they are read, and those used
longest ago are deleted when the copies would take more than the bound. A name stands for the same bytes for ever, or
for bytes that are as good (an analysis that was made twice), so a copy never has to be compared with the store.

Any number of processes share the cache. What one of them reads is not deleted under it: it holds a lock on each file,
which goes when it ends, however it ends. A file is downloaded once, though several ask for it. Space is taken before a
download begins, so that the bound holds at any time, unless files that are in use take more.

A copy that is damaged is fetched again, and a damaged excerpt counts as missing (`workbench.caches`); array files hold
their own checksums. There is no second copy of the other files, whose records have the hash of their bytes.
"""

from __future__ import annotations

import os
import re
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ulid import ULID

from workbench.caches import checksum, delete_made, intact, mark_used, note_checksum, used_at
from workbench.errors import MediaError, StoreError, WorkbenchError
from workbench.files import abandoned_parts, cannot_be_written, written_whole
from workbench.store.home import Home
from workbench.store.objects import FolderStore, ObjectInfo, ObjectStore, open_store
from workbench.store.settings import WorkbenchSettings

PARTS = ("uploads", "videos", "tracks", "fetched", "previews", "arrays", "index")
_MADE_AGAIN = "previews"
"""the part whose files are made again where they are damaged; arrays and indexes are checked by those who read them"""
_NOT_NOTED = "arrays/"
"""beginning of the names of files that state their own checksum"""
_STORED = Path("/workbench-store")
_MARKER = "workbench-id"
_CLAIM = "workbench-database"
_PROBE_BYTES = 4096
_NAME_LENGTH = 100
"""characters of the user's file name in the name in the store: the last ones, which have the suffix"""
_MOST_HELD = 128
"""files of the cache that a process holds at a time; those it asked for last"""
_LOCKS = 64
_ROOM = 0.1
"""share of the bound that is free after files were deleted, so that not every new file deletes others"""
_TRIES = 10
_FRESH_SECONDS = 3600.0
"""age up to which an object stays, even if no record names it yet"""
_ABANDONED_SECONDS = 3600.0


class _Gone(Exception):
    """An object was deleted after it was found."""


def is_stored(path: Path) -> bool:
    """Whether a path names a file of the store, and so has to be fetched before it is read."""
    return path.is_relative_to(_STORED)


def open_files(home: Home, settings: WorkbenchSettings) -> StoredFiles:
    """The files of a home folder, or of the store that the settings name; nothing is read yet."""
    store = None if settings.store_url is None else open_store(settings.store_url)
    return StoredFiles(home, store, settings.store_cache_bytes)


def file_name(name: str, identity: str) -> str:
    """A name in the store for a file of the user's, as "9f86d0818…/my song.mp3".

    `identity` are letters and digits that only files of the same bytes have, such as a hash of them; the user's name
    stays the last part as far as a store allows.
    """
    plain = re.sub(r"[^\w. -]", "_", name)[-_NAME_LENGTH:].lstrip(". ") or "file"
    return f"{identity}/{plain}"


class StoredFiles:
    """The files of a home folder, or of a store that the home folder caches. Threads may share one.

    Without a store (None) files are in the home folder alone; with one, its copies take at most `cache_bytes`.
    """

    def __init__(self, home: Home, store: ObjectStore | None = None, cache_bytes: int = 20 * 2**30) -> None:
        self.home, self.store, self.cache_bytes = home, store, cache_bytes
        self._held: OrderedDict[str, int] = OrderedDict()
        self._holding = threading.Lock()

    @property
    def root(self) -> Path:
        """What the places of all files lie below."""
        return self.home.root if self.store is None else _STORED

    @property
    def where(self) -> str:
        """Where the files are, for messages."""
        return f"the home folder {self.home.root}" if self.store is None else f"the store {self.store.url}"

    def folder(self, part: str) -> Path:
        """The folder on this machine in which the files of a part, one of `PARTS`, are, or copies of some."""
        return (self.home.root if self.store is None else self.home.cached) / part

    def place(self, part: str, name: str) -> Path:
        """The path that a record has of a file."""
        return self.root / part / name

    def keep(self, path: Path, part: str, name: str) -> Path:
        """Move a file that is complete to its part, and return its place, for records and `fetch`.

        Nothing of it is there before this is done.
        """
        self.publish(path, part, name)
        target = self.folder(part) / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if self.store is not None or part == _MADE_AGAIN:
                note_checksum(target, checksum(path))
            os.replace(path, target)
            _sync_folder(target.parent)
        except OSError as error:
            raise cannot_be_written(target, error, StoreError) from error
        return self.place(part, name)

    def publish(self, path: Path, part: str, name: str) -> Path:
        """Copy a file to the store, if there is one, and return its place, for records and `fetch`.

        Room for a copy is taken in the cache; the file stays as it is.
        """
        if self.store is not None:
            self.store.upload(path, f"{part}/{name}")
            with _store_errors(path):
                size = path.stat().st_size
            self._take_room(size)
        return self.place(part, name)

    def add(self, path: Path, part: str, name: str) -> Path:
        """Copy a file of the user's to the store, and return the path that a record should have.

        Without a store the file stays where it is.
        """
        if self.store is None or is_stored(path):
            return path
        object_name = f"{part}/{name}"
        found = self.store.find(object_name)
        # An old one is written again: if no record names it, it may be about to be deleted.
        if found is None or found.modified_at < time.time() - _FRESH_SECONDS:
            self.store.upload(path, object_name)
        return self.place(part, name)

    def fetch(self, place: Path) -> Path:
        """The path to read a file from; it is downloaded if it is in the store and has no copy here.

        The copy is not deleted before `release`, unless more than a hundred others are fetched after it.
        """
        found = self.find(place)
        if found is None:
            raise MediaError(f"{place.name}: no such file in {self.where}")
        return found

    def find(self, place: Path) -> Path | None:
        """As `fetch`, for a file that need not be there: None if the store has no such file.

        A path outside of the store is returned as it is.
        """
        if not is_stored(place):
            if place.parent == self.home.previews:
                intact(place)
            return place
        name, store = self._name(place), self._required(place)
        copy = self.home.cached / name
        for _ in range(_TRIES):
            if self._hold(name, copy):
                return copy
            if not self._download(store, name, copy):
                before = self.home.root / name  # stored here before the home folder got a store
                return before if before.is_file() else None
        raise StoreError(f"{place.name}: cannot be stored in {self.home.cached}; raise WORKBENCH_STORE_CACHE_BYTES")

    def has(self, place: Path) -> bool:
        """Whether a file is there, without fetching it."""
        if not is_stored(place):
            return place.exists()
        name = self._name(place)
        return (self.home.cached / name).exists() or self._required(place).find(name) is not None

    def is_own(self, place: Path) -> bool:
        """Whether a file was stored here, and is no file of the user's that a record only names."""
        below = (self.home.videos, self.home.root / "tracks")
        return is_stored(place) or place.parent == self.home.uploads or any(map(place.is_relative_to, below))

    def is_older(self, place: Path, before: float) -> bool:
        """Whether a file of the store is there and was written before some time, s since 1970."""
        found = self._required(place).find(self._name(place))
        return found is not None and found.modified_at < before

    def delete(self, place: Path) -> int:
        """Delete a file, if it is there, and its copy on this machine; return the bytes that it had.

        Copies on other machines go when those need the room.
        """
        path, size = place, 0
        if is_stored(place):
            name, store = self._name(place), self._required(place)
            found = store.find(name)
            store.delete(name)
            self._let_go(name)
            path, size = self.home.cached / name, 0 if found is None else found.bytes
        try:
            size = max(size, path.stat().st_size if path.exists() else 0)
            delete_made(path)
        except OSError as error:
            raise StoreError(f"{path}: cannot be deleted ({error.strerror})") from error
        return size

    def every(self, part: str) -> Iterator[tuple[Path, ObjectInfo]]:
        """List the files of a part, in no order: place, name, size and time."""
        if self.store is not None:
            for found in self.store.every(part):
                yield _STORED / found.name, found
            return
        for path in (self.home.root / part).rglob("*"):
            with suppress(FileNotFoundError):
                if path.is_file():
                    status = path.stat()
                    yield path, ObjectInfo(path.relative_to(self.home.root).as_posix(), status.st_size, status.st_mtime)

    def identity(self) -> str:
        """The unique id of this home folder, or of this store; the first call creates it."""
        return self._read_or_create(_MARKER, str(ULID()))

    def has_identity(self) -> bool:
        """Whether `identity` was called before, by any process."""
        return self._marked.read(_MARKER) is not None

    def is_claimed(self) -> bool:
        """Whether `claim` was called before, by any process."""
        return self._marked.read(_CLAIM) is not None

    def claim(self, database: str, *, take_over: bool = False) -> str:
        """Note in the home folder or the store which database its files belong to; return the id that is noted now.

        Another one that is noted stays, unless `take_over`.
        """
        if take_over:
            self._marked.write(_CLAIM, f"{database}\n".encode())
        return self._read_or_create(_CLAIM, database)

    def _read_or_create(self, name: str, text: str) -> str:
        """The text of a file that is created once, by whichever process comes first."""
        for _ in range(_TRIES):
            found = self._marked.read(name)
            if found is not None:
                return found.decode("ascii", "replace").strip()
            self._marked.create(name, f"{text}\n".encode())
        raise StoreError(f"{self.where}: {name} cannot be read")

    def check_writable(self) -> None:
        """Check that a file can be written to the store and deleted again; does nothing without a store."""
        if self.store is not None:
            name = f"probes/{ULID()}"
            self.store.write(name, bytes(_PROBE_BYTES))
            self.store.delete(name)

    def release(self, place: Path | None = None) -> None:
        """Let the copy of a file, or all copies so far, be deleted, by whichever thread they were fetched."""
        if place is not None:
            if is_stored(place):
                self._let_go(self._name(place))
            return
        with self._holding:
            while self._held:
                os.close(self._held.popitem()[1])

    # Names

    @property
    def _marked(self) -> ObjectStore:
        """Where the files are that say whose they are."""
        return FolderStore(self.home.root) if self.store is None else self.store

    def _name(self, place: Path) -> str:
        return place.relative_to(_STORED).as_posix()

    def _required(self, place: Path) -> ObjectStore:
        if self.store is None:
            raise StoreError(f"{place.name}: this file is in a store; set WORKBENCH_STORE_URL as where it was added")
        return self.store

    # The cache

    def _hold(self, name: str, copy: Path) -> bool:
        """Lock a copy against deletion and note its use; False if there is none."""
        import fcntl

        with self._holding, _store_errors(copy):
            held = self._held.pop(name, None)
            if not name.startswith(_NOT_NOTED) and intact(copy) is None:
                if held is not None:
                    os.close(held)
                return False
            if held is None:
                try:
                    held = os.open(copy, os.O_RDONLY)
                except FileNotFoundError:
                    return False
            try:
                fcntl.flock(held, fcntl.LOCK_SH)  # who deletes it holds the other lock for an instant
                if os.fstat(held).st_ino != os.stat(copy).st_ino:
                    raise FileNotFoundError
                mark_used(copy)
            except FileNotFoundError:  # it was deleted, or is another file now
                os.close(held)
                return False
            except OSError:
                os.close(held)
                raise
            self._held[name] = held
            while len(self._held) > _MOST_HELD:
                os.close(self._held.popitem(last=False)[1])
        return True

    def _let_go(self, name: str) -> None:
        with self._holding:
            held = self._held.pop(name, None)
            if held is not None:
                os.close(held)

    def _download(self, store: ObjectStore, name: str, copy: Path) -> bool:
        """Copy an object into the cache, unless another process has just done it; False if there is none."""
        with self._locked(f"download-{zlib.crc32(name.encode()) % _LOCKS}"):
            if copy.exists():
                return True
            found = store.find(name)
            if found is None:
                return False
            self._take_room(found.bytes)
            try:
                copy.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise cannot_be_written(copy, error, StoreError) from error
            with suppress(_Gone), written_whole(copy, StoreError) as aside:
                if store.download(name, aside):
                    if not name.startswith(_NOT_NOTED):
                        note_checksum(copy, checksum(aside))
                    return True
                raise _Gone
        return False

    def _take_room(self, size: int) -> None:
        """Count a file that will be in the cache, and delete others if it would grow over its bound."""
        with self._locked("usage") as usage, _store_errors(self.home.cached):
            counted = os.pread(usage, 32, 0)
            total = int(counted) if counted.isdigit() else None
            if total is None or total + size > self.cache_bytes:
                total = self._make_room(max(0, int(self.cache_bytes * (1.0 - _ROOM)) - size))
            os.ftruncate(usage, 0)
            os.pwrite(usage, str(total + size).encode(), 0)

    def _make_room(self, most: int) -> int:
        """Delete the copies used longest ago, except open ones, until the rest fits; returns the bytes of the rest."""
        import fcntl

        for part in abandoned_parts(self.home.cached, _ABANDONED_SECONDS):
            if part.name.startswith("."):
                part.unlink(missing_ok=True)
        found, total = [], 0
        for path in self.home.cached.rglob("*"):
            with suppress(FileNotFoundError):
                if path.is_file():
                    size = path.stat().st_size
                    total += size
                    if not path.name.startswith(".") and path.suffix != ".count":  # counters of the arrays
                        found.append((used_at(path), size, path))
        for _, size, path in sorted(found):
            if total <= most:
                break
            try:
                descriptor = os.open(path, os.O_RDONLY)
            except FileNotFoundError:
                total -= size
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                delete_made(path)
                total -= size
            except BlockingIOError:  # it is in use
                continue
            finally:
                os.close(descriptor)
        return total

    @contextmanager
    def _locked(self, name: str) -> Iterator[int]:
        """Hold one of the cache's locks, which end with the process; yields the descriptor of its file."""
        import fcntl

        path = self.home.cached / f".{name}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise cannot_be_written(path, error, StoreError) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


@contextmanager
def _store_errors(path: Path) -> Iterator[None]:
    """What the system says of a file of the cache, as the error that callers of the store expect."""
    try:
        yield
    except WorkbenchError:
        raise
    except OSError as error:
        raise StoreError(f"{path}: the cache cannot be used ({error.strerror or error})") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
