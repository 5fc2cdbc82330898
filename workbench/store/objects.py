"""Stores of objects: a folder, or a bucket at Amazon S3, Google Cloud Storage, Azure, or a service that speaks S3.

An object is a file under a name such as `videos/vid_1.mp4`. It is there whole or not at all: a reader finds what was
written last, never a part. Files are streamed in both directions, so that memory does not grow with their size.

    FolderStore("/srv/workbench")            what `WORKBENCH_STORE_URL=/srv/workbench` opens; needs no other package
    BucketStore("s3://music/workbench")      the extra `scale`; addresses `s3://`, `gs://`, `az://`

The cloud's own variables give address and credentials: `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and their
like, `GOOGLE_…`, `AZURE_STORAGE_…`; without them those of the machine are used.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit
from urllib.request import url2pathname

from workbench.errors import ParameterError, StoreError, require_extra
from workbench.files import abandoned_parts, written_whole

if TYPE_CHECKING:
    import obstore

BUCKETS = ("s3", "gs", "az")
"""schemes of addresses that `BucketStore` opens"""
_MISSING = (FileNotFoundError, NotADirectoryError)
_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT", "AZURE_STORAGE_ENDPOINT")
_NAME = re.compile(r"[\w. -]+(/[\w. -]+)*")
_BLOCK_BYTES = 8 * 2**20
"""of a file that are in flight at a time, times `_AT_ONCE`"""
_AT_ONCE = 4
_VERSIONS = 20
"""of an object that are begun to be read, if it is written again each time"""
_RETRIES = 4
_RETRY_SECONDS = 20.0
_REQUEST_SECONDS = 60.0
_CONNECT_SECONDS = 5.0
_ABANDONED_SECONDS = 86_400.0
"""age of a part of a file from where on its writer must have been killed"""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object, as a store lists it."""

    name: str
    bytes: int
    modified_at: float
    """s since 1970, when it was written last"""


class ObjectStore(Protocol):
    """What every store does. A name has parts of letters, digits, `.`, `_`, `-` and blanks, separated by `/`."""

    @property
    def url(self) -> str:
        """Where it is, without credentials."""
        ...

    def upload(self, path: Path, name: str) -> None:
        """Write a file as an object, in place of the one of that name; ParameterError if no object can have it."""
        ...

    def download(self, name: str, path: Path) -> bool:
        """Write an object to a file, in blocks, which is not there whole before; False if there is no such object."""
        ...

    def read(self, name: str, first: int = 0, count: int | None = None) -> bytes | None:
        """Bytes of an object from `first` on, fewer than `count` at its end; None if there is no such object.

        None as `count`: all that follow.
        """
        ...

    def write(self, name: str, content: bytes) -> None:
        """Write bytes as an object, in place of the one of that name."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """Write bytes as an object, unless there is one of that name; False if there was.

        Of several that create it at once one does.
        """
        ...

    def find(self, name: str) -> ObjectInfo | None:
        """Size and time of an object; None if there is none of that name."""
        ...

    def delete(self, name: str) -> None:
        """Delete an object, if there is one."""
        ...

    def every(self, folder: str = "") -> Iterator[ObjectInfo]:
        """List the objects whose names begin with a folder, in no order; empty: all.

        Those written or deleted meanwhile may be among them or not.
        """
        ...


def open_store(url: str) -> ObjectStore:
    """Open the store at an address; nothing is read or written yet.

    An address is the path of a folder, `file://…`, `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX` or `az://CONTAINER/PREFIX`;
    ParameterError for another, StoreError if it or the cloud's variables are incomplete.
    """
    parts = urlsplit(url)
    if "://" not in url and Path(url).expanduser().is_absolute():
        return FolderStore(Path(url))
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return FolderStore(Path(url2pathname(parts.path)))
    if parts.scheme in BUCKETS and parts.netloc:
        return BucketStore(url)
    raise ParameterError(
        f"{url}: not a store; give the whole path of a folder, or s3://BUCKET/PREFIX, gs://… or az://…"
    )


class FolderStore:
    """Objects as files in a folder, made when first written to, which machines may share over the network."""

    # Not obstore's LocalStore, which syncs nothing: after a power cut an upload that was accepted would be empty.

    def __init__(self, root: Path) -> None:
        self._root = Path(root).expanduser().absolute()

    @property
    def url(self) -> str:
        """Path of the folder."""
        return str(self._root)

    def upload(self, path: Path, name: str) -> None:
        """See `ObjectStore.upload`."""
        with self._written(name) as aside:
            shutil.copyfile(path, aside)

    def download(self, name: str, path: Path) -> bool:
        """See `ObjectStore.download`."""
        with self._as_store_errors():
            try:
                source = self._path(name).open("rb")
            except _MISSING:
                return False
            with source, path.open("wb") as file:
                file.truncate(os.fstat(source.fileno()).st_size)
                shutil.copyfileobj(source, file, _BLOCK_BYTES)
        return True

    def read(self, name: str, first: int = 0, count: int | None = None) -> bytes | None:
        """See `ObjectStore.read`."""
        with self._as_store_errors():
            try:
                file = self._path(name).open("rb")
            except _MISSING:
                return None
            with file:
                file.seek(first)
                return file.read(-1 if count is None else count)

    def write(self, name: str, content: bytes) -> None:
        """See `ObjectStore.write`."""
        with self._written(name) as aside:
            aside.write_bytes(content)

    def create(self, name: str, content: bytes) -> bool:
        """See `ObjectStore.create`."""
        target = self._path(name)
        aside = target.with_name(f".{os.getpid()}-{secrets.token_hex(4)}.part")
        with self._as_store_errors():
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with aside.open("xb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.link(aside, target)
            except FileExistsError:
                return False
            finally:
                aside.unlink(missing_ok=True)
        return True

    def find(self, name: str) -> ObjectInfo | None:
        """See `ObjectStore.find`."""
        with self._as_store_errors():
            try:
                status = self._path(name).stat()
            except _MISSING:
                return None
        return ObjectInfo(name, status.st_size, status.st_mtime)

    def delete(self, name: str) -> None:
        """See `ObjectStore.delete`."""
        with self._as_store_errors():
            self._path(name).unlink(missing_ok=True)

    def every(self, folder: str = "") -> Iterator[ObjectInfo]:
        """See `ObjectStore.every`; files of writers that were killed are deleted on the way."""
        root = self._path(folder) if folder else self._root
        for part in abandoned_parts(root, _ABANDONED_SECONDS):
            if part.name.startswith("."):  # others are objects with such a name
                part.unlink(missing_ok=True)
        for path in root.rglob("*"):
            if path.name.startswith(".") or not path.is_file():
                continue
            found = self.find(path.relative_to(self._root).as_posix())
            if found is not None:
                yield found

    def _path(self, name: str) -> Path:
        return self._root / _checked(name)

    @contextmanager
    def _written(self, name: str) -> Iterator[Path]:
        target = self._path(name)
        with self._as_store_errors():
            target.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(target, StoreError) as aside:
            yield aside

    @contextmanager
    def _as_store_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.url}: the store cannot be used ({error.strerror or error})") from error


class BucketStore:
    """Objects in a bucket, through obstore; `memory://` is for tests, and gone with the object."""

    def __init__(self, url: str) -> None:
        try:
            import obstore
            from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError
            from obstore.store import from_url
        except ImportError:
            require_extra("scale", f"the store {url}")
            raise
        self._url, self._obstore, self._error = url, obstore, BaseError
        self._changed, self._exists = PreconditionError, AlreadyExistsError
        options: dict[str, Any] = {}
        if not url.startswith("memory:"):
            options["client_options"] = {
                "timeout": timedelta(seconds=_REQUEST_SECONDS),
                "connect_timeout": timedelta(seconds=_CONNECT_SECONDS),
                # as on a private network; the clouds' own addresses are https
                "allow_http": any(os.environ.get(name, "").startswith("http://") for name in _ENDPOINTS),
            }
            options["retry_config"] = {"max_retries": _RETRIES, "retry_timeout": timedelta(seconds=_RETRY_SECONDS)}
        with self._as_store_errors():
            self._store: obstore.store.ObjectStore = from_url(url, **options)

    @property
    def url(self) -> str:
        """The address."""
        return self._url

    def upload(self, path: Path, name: str) -> None:
        """See `ObjectStore.upload`; a file of several blocks is sent in parts, and appears with the last."""
        with self._as_store_errors(), path.open("rb") as file:
            self._obstore.put(self._store, _checked(name), file, chunk_size=_BLOCK_BYTES, max_concurrency=_AT_ONCE)

    def download(self, name: str, path: Path) -> bool:
        """See `ObjectStore.download`; each block is a request of its own, tried again by itself where it fails."""
        for _ in range(_VERSIONS):
            with self._as_store_errors():
                try:
                    found = self._obstore.head(self._store, _checked(name))
                    self._download_blocks(found, path)
                except FileNotFoundError:
                    return False
                except self._changed:  # written again meanwhile: blocks of two versions make no file
                    continue
                return True
        raise StoreError(f"{self.url}: {name} is written again and again while it is read")

    def _download_blocks(self, found: Any, path: Path) -> None:
        size, version = found["size"], found.get("e_tag")
        with path.open("wb") as file:
            file.truncate(size)
            for first in range(0, size, _BLOCK_BYTES):
                options: obstore.GetOptions = {"range": (first, min(first + _BLOCK_BYTES, size))}
                if version is not None:
                    options["if_match"] = version
                file.write(self._obstore.get(self._store, found["path"], options=options).bytes())

    def read(self, name: str, first: int = 0, count: int | None = None) -> bytes | None:
        """See `ObjectStore.read`."""
        found = self.find(name)
        if found is None:
            return None
        count = max(0, found.bytes - first if count is None else min(count, found.bytes - first))
        if count == 0:
            return b""
        with self._as_store_errors():
            try:
                return bytes(self._obstore.get_range(self._store, _checked(name), start=first, length=count))
            except FileNotFoundError:
                return None

    def write(self, name: str, content: bytes) -> None:
        """See `ObjectStore.write`."""
        with self._as_store_errors():
            self._obstore.put(self._store, _checked(name), content)

    def create(self, name: str, content: bytes) -> bool:
        """See `ObjectStore.create`."""
        with self._as_store_errors():
            try:
                self._obstore.put(self._store, _checked(name), content, mode="create")
            except self._exists:
                return False
        return True

    def find(self, name: str) -> ObjectInfo | None:
        """See `ObjectStore.find`."""
        with self._as_store_errors():
            try:
                return _info(self._obstore.head(self._store, _checked(name)))
            except FileNotFoundError:
                return None

    def delete(self, name: str) -> None:
        """See `ObjectStore.delete`."""
        with self._as_store_errors():
            try:
                self._obstore.delete(self._store, _checked(name))
            except FileNotFoundError:
                return

    def every(self, folder: str = "") -> Iterator[ObjectInfo]:
        """See `ObjectStore.every`."""
        pages = iter(self._obstore.list(self._store, prefix=_checked(folder) if folder else None))
        while True:
            with self._as_store_errors():
                page = next(pages, None)
            if page is None:
                return
            yield from map(_info, page)

    @contextmanager
    def _as_store_errors(self) -> Iterator[None]:
        try:
            yield
        except (self._error, OSError) as error:
            if isinstance(error, StoreError):
                raise
            reason = getattr(error, "strerror", None) or str(error).splitlines()[0][:200]
            raise StoreError(f"{self.url}: the store cannot be used ({reason})") from error


def _info(found: Any) -> ObjectInfo:
    return ObjectInfo(found["path"], found["size"], found["last_modified"].timestamp())


def _checked(name: str) -> str:
    """The name, if an object can have it.

    ParameterError: it has other characters, or a part that a file system reads as another folder.
    """
    if not _NAME.fullmatch(name) or any(part.strip(". ") == "" or part[0] == "." for part in name.split("/")):
        raise ParameterError(f"{name!r}: no name of an object")
    return os.fspath(name)
