"""Files that appear whole or not at all: written beside their place under another name, synced, then renamed.

A reader finds the old file or the new one, never a part, also when the writer was killed or the power failed; of two
writers of one file the later wins. The temporary name is short, since a file's own name may already be as long as the
file system allows; it is hidden; and it has the suffix, by which encoders and tag writers recognize the format.
Devices, pipes and standard output cannot be replaced: finished bytes are copied to them.

Also how messages name a file to a reader on another machine: by its name, without this machine's folders; how one
knows that a file is still the one that was read; whether it can be read at all; and how its text is decoded.

What ships with the package is found here too: `bundled_path` finds it in `workbench/_shipped` of an installed wheel or
at the root of a checkout. Fitted models are files of `workbench/models`, `NAME.npz` or `NAME.json`, each with its card
`NAME.md`: what it was fitted to, how good it is and how to make it again.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, TextIO, TypeAlias, cast

from workbench.errors import MediaError, ParameterError, ResourceMissing, WorkbenchError

# Device, inode, size and times of a file: another one once it was written again
FileStamp: TypeAlias = tuple[int, int, int, int, int]
# Age of a file's times from which on a later change shows in them; the coarsest file systems count in 2 s
_SETTLED_NS = 2_000_000_000
_OPEN_FILES = re.compile(r"/proc/[^/]+(?:/task/[^/]+)?/fd")
_PART = ".part"
_FOLDER = r"""[^/\\:'"\s]+"""
# Start of an absolute path; after a word, a dot or a colon a slash means something else (4/4, audio/mpeg, https://)
_ROOT = rf"(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\]{_FOLDER}"


@contextmanager
def written_whole(out: Path, failure: type[WorkbenchError] = MediaError, suffix: str | None = None) -> Iterator[Path]:
    """Write a file aside; it takes the place of `out` when the block succeeds and is deleted when it fails.

    What stands at `out` stays what it is: of a link the target is replaced, and to a device, a pipe or standard output
    (`-`, also with a suffix) the finished bytes are copied. The path to write to has the suffix of `out`, or `suffix`.
    An `OSError` of the block becomes a `failure`; others pass, `BrokenPipeError` among them.
    """
    suffix = out.suffix if suffix is None else suffix
    try:
        if is_stream(out):
            with TemporaryDirectory() as folder:
                aside = Path(folder) / f"stream{suffix}"
                yield aside
                _copy_through(aside, out)
            return
        place = Path(os.path.realpath(out))
        aside = place.with_name(f".{os.getpid()}-{secrets.token_hex(4)}{_PART}{suffix}")
        try:
            yield aside
            with aside.open("rb+") as file:
                os.fsync(file.fileno())  # before the rename, or a power failure could leave the name without its bytes
            os.replace(aside, place)
        finally:
            # The part is gone after a rename. Where `out` is in no folder, the error raised above already says so.
            with suppress(FileNotFoundError, NotADirectoryError):
                aside.unlink()
    except (WorkbenchError, BrokenPipeError):
        raise
    except OSError as error:
        raise cannot_be_written(out, error, failure) from error


def is_standard_output(out: Path) -> bool:
    """Whether a path means standard output: `-`, or `-` with a suffix that names the format."""
    return out.stem == "-" and len(out.parts) == 1


def check_overwrites_none(written: Iterable[Path], read: Iterable[Path | None]) -> None:
    """Raise `ParameterError` if a file to write is one that is read for it, also under another name."""
    given = [path for path in read if path is not None]
    for out in written:
        if out.exists() and any(path.exists() and out.samefile(path) for path in given):
            raise ParameterError(f"{out}: the output is made from this file; choose another name")


def is_stream(out: Path) -> bool:
    """Whether bytes are written through a path and do not stay there: standard output, a device, a pipe."""
    if is_standard_output(out):
        return True
    try:
        mode = os.stat(out).st_mode
    except OSError:  # nothing is there, or writing says what is wrong
        return False
    return _is_open_file(out) or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _is_open_file(out: Path) -> bool:
    """Whether an existing path leads to an open file of a process, as /dev/stdout and /dev/fd/3 do."""
    place = str(out)
    while os.path.islink(place):
        folder, _ = os.path.split(place)
        if _OPEN_FILES.fullmatch(os.path.realpath(folder)):
            return True
        place = os.path.join(folder, os.readlink(place))
    return False


def _copy_through(finished: Path, out: Path) -> None:
    with finished.open("rb") as source:
        if is_standard_output(out):
            shutil.copyfileobj(source, sys.stdout.buffer)
            sys.stdout.flush()
            return
        with out.open("wb") as sink:
            shutil.copyfileobj(source, sink)


def write_text(out: Path, text: str, failure: type[WorkbenchError] = MediaError) -> None:
    """Write a file of UTF-8 text, line feeds as they are, whole or not at all; `failure` as of `written_whole`."""
    with written_whole(out, failure) as aside:
        aside.write_bytes(text.encode("utf-8", "backslashreplace"))  # a file name in it need not be text


def write_json(out: Path, body: Mapping[str, Any], failure: type[WorkbenchError] = MediaError) -> None:
    """Write one JSON object to a file as people read it, whole or not at all; NaN raises `ValueError`."""
    write_text(out, json.dumps(body, ensure_ascii=False, allow_nan=False, indent=2) + "\n", failure)


def write_rows(out: TextIO, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write rows as CSV below a head, with None for nothing; returns the rows below the head."""
    written = list(rows)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(written)
    return len(written)


def read_bytes(path: Path, failure: type[WorkbenchError], most: float = inf, what: str = "") -> bytes:
    """The bytes of a file; raises `failure` if it cannot be read, or has more than `most`, too many for a `what`."""
    try:
        if path.stat().st_size > most:
            raise failure(f"{path}: too large for {what}")
        return path.read_bytes()
    except OSError as error:
        raise failure(f"{path}: cannot be read ({error.strerror or error})") from error


def decode_text(data: bytes, errors: str = "strict") -> str:
    """Text as people's programs write it: UTF-8, or UTF-16 as `>` of PowerShell and some spreadsheets do.

    A byte order mark is optional; `errors` are those of `bytes.decode`.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors)
    zeros = [byte == 0 for byte in data[:2]]
    if zeros in ([False, True], [True, False]):  # no text in UTF-8 has a NUL
        return data.decode("utf-16-le" if zeros[1] else "utf-16-be", errors)
    return data.decode("utf-8-sig", errors)


def cannot_be_written(out: Path, error: Exception, failure: type[WorkbenchError] = MediaError) -> WorkbenchError:
    """Build the error, with the reason of the system or the encoder, for a file that cannot be written."""
    name = "standard output" if is_standard_output(out) else out
    return failure(
        f"{name}: cannot be written ({getattr(error, 'strerror', None) or error}); check the folder and free space"
    )


def list_names(folder: Path) -> list[str]:
    """The names in a folder; none where it is no folder, or closed: a file in it is missed when it is read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def abandoned_parts(folder: Path, idle_seconds: float) -> Iterator[Path]:
    """Find temporary files of killed writers below a folder, which need not exist.

    A file written to within `idle_seconds` may still have a writer.
    """
    for part in folder.rglob(f"*{_PART}*"):
        with suppress(FileNotFoundError):  # renamed or removed meanwhile
            if time.time() - part.stat().st_mtime > idle_seconds:
                yield part


def without_folders(text: str, *known: Path) -> str:
    """Remove the folders from every path in a message.

    Code that reads a file names it by its path, which helps a user of this machine. On a page or in an answer the path
    would show strangers how the server's folders are laid out, and is no use to the owner of the file. Only the `known`
    folders and those below them may have blanks in their names.

    Examples
    --------
    >>> without_folders("/home/me/uploads/track.mp3: no sound in this file")
    'track.mp3: no sound in this file'
    """
    longest_first = sorted((str(folder) for folder in known), key=len, reverse=True)
    roots = "|".join([*map(re.escape, longest_first), _ROOT])
    return re.sub(rf"(?:{roots})[/\\](?:{_FOLDER}[/\\])*(?=[^/\\\s:])", "", text)


def check_file(path: Path) -> None:
    """Raise `MediaError` for a file that is missing, a folder, empty, or cannot be read."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise MediaError(f"{path}: no such file") from None
    except OSError as error:
        raise MediaError(f"{path}: cannot be read ({error.strerror}); check its place and permissions") from None
    if stat.S_ISDIR(found.st_mode):
        raise MediaError(f"{path}: a folder, not a media file; name a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise MediaError(f"{path}: not a regular file")
    if not os.access(path, os.R_OK):
        raise MediaError(f"{path}: may not be read; check its permissions")
    if found.st_size == 0:
        raise MediaError(f"{path}: the file is empty; copy or export it again")


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes, 64 hex digits; raises as `check_file`."""
    path = Path(path)
    check_file(path)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise MediaError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None


def stamp_of(path: Path) -> FileStamp | None:
    """Device, inode, size and times of a file; None if it cannot be looked up."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def stamps_of(*paths: Path | None) -> tuple[tuple[Path, FileStamp | None] | None, ...]:
    """Path and stamp of files: equal to what this returns later while none of them was written again."""
    return tuple(None if path is None else (path, stamp_of(path)) for path in paths)


def has_settled(stamp: FileStamp, now_ns: int) -> bool:
    """Whether a file that is written again from now on has another stamp.

    `now_ns` comes from `time.time_ns`, before the file is read.
    """
    return now_ns - max(stamp[-2:]) > _SETTLED_NS


_PACKAGE = Path(__file__).resolve().parent


def bundled_path(*parts: str) -> Path:
    """A shipped file or folder, by its path in a checkout.

    Parameters
    ----------
    *parts : folders and file name, from the root of a checkout

    Returns
    -------
    an existing path

    Raises
    ------
    ResourceMissing : neither the wheel nor a checkout has it

    Examples
    --------
    >>> bundled_path("data", "bundled").name
    'bundled'
    """
    for root in (_PACKAGE / "_shipped", _PACKAGE.parent):
        candidate = root.joinpath(*parts)
        if candidate.exists():
            return candidate
    raise ResourceMissing(f"{'/'.join(parts)} is not shipped with this installation; install the package again")


def built_book() -> Path:
    """The absolute path of the built book's first page; raises `ResourceMissing`, with the way to get it."""
    try:
        return bundled_path("build", "book", "index.html")
    except ResourceMissing:
        raise ResourceMissing(
            "this installation has no book; `make book` in a checkout builds it, `make wheel` a wheel that carries it"
        ) from None


_MODELS = _PACKAGE / "models"


def model_path(name: str) -> Path:
    """The path of a model; the file need not exist yet."""
    return _MODELS / name


def open_model(name: str) -> BinaryIO:
    """Open a shipped model for reading; `ResourceMissing` if this installation has none of the name."""
    try:
        return model_path(name).open("rb")
    except FileNotFoundError as error:
        raise ResourceMissing(f"the model {name} is not shipped with this installation; install it again") from error


def read_model(name: str) -> bytes:
    """Read a shipped model whole."""
    with open_model(name) as file:
        return file.read()


@cache
def read_numbers(name: str) -> dict[str, Any]:
    """The numbers of a shipped `NAME.json`, by name."""
    return cast(dict[str, Any], json.loads(read_model(name)))


@cache
def model_digest(name: str) -> str:
    """SHA-256 of a model's file, computed once per process."""
    return hashlib.sha256(read_model(name)).hexdigest()
