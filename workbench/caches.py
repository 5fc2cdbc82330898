"""Files that can be computed again: ours, which are checked when they are read, and those of libraries.

What is written is noted as its size and CRC-32: of a single file in a hidden file beside it (`made`), of the catalog's
snapshot in the file that names it, of an array file at its own end. Damage is no error and never a result: where the
note and the bytes differ the file counts as missing, and `say_damaged` logs that.

Libraries compute once, too: compiled inner loops, lists of fonts, settings of notebooks. They save that beside their
code or below the user's home folder. Where neither can be written, as in a container that runs under any user id,
`lend_home` gives them a folder; without one, kernels are compiled in every process. numba and matplotlib read the
variables when they are imported.
"""

from __future__ import annotations

import logging
import os
import pickle
import stat
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from workbench.errors import StoreError
from workbench.files import FileStamp, has_settled, written_whole

Function = TypeVar("Function", bound=Callable[..., Any])

_log = logging.getLogger(__name__)

NOTE_SUFFIX = ".crc"
"""of the hidden file beside a file that notes its checksum"""
_BLOCK_BYTES = 2**20
_REMEMBERED = 4096
"""files whose checksums a process knows until they change"""
_KERNELS = "NUMBA_CACHE_DIR"
# Variables that name folders to libraries, and which part of ours each gets
_VARIABLES = {
    _KERNELS: "numba", "MPLCONFIGDIR": "matplotlib", "XDG_CACHE_HOME": "", "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "jupyter", "JUPYTER_DATA_DIR": "jupyter",
}  # fmt: skip


def say_damaged(path: Path) -> None:
    """Log that a file is damaged and made again; every kind of file that can be made again says it here."""
    _log.warning("%s is damaged (its bytes are not those that were written) and is made again", path)


def checksum(path: Path) -> str | None:
    """Size and CRC-32 of a file; None: there is none. It is read again only if it may have changed."""
    now = time.time_ns()
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            return None
        # not when it was changed: `mark_used` changes that
        stamp = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_mtime_ns
        return _remembered(path, stamp) if has_settled(stamp, now) else _read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def crc_of(file: BinaryIO, size: int = sys.maxsize) -> str:
    """CRC-32 of a file's next bytes, at most `size` of them: 8 hex digits."""
    crc = 0
    while block := file.read(max(0, min(size, _BLOCK_BYTES))):
        size, crc = size - len(block), zlib.crc32(block, crc)
    return f"{crc:08x}"


def made(path: Path, make: Callable[[Path], object]) -> Path:
    """The file at a path, if it is as `make` wrote it; else `make` writes it now, under the name it is called with.

    It is there whole or not at all. StoreError: it cannot be written; errors of `make` pass.
    """
    if intact(path) is None:
        with written_whole(path, StoreError) as aside:
            make(aside)
            note_checksum(path, checksum(aside))
    return path


def intact(path: Path) -> Path | None:
    """The path, if the file is there and as it was noted; a damaged one is deleted, with a line in the log."""
    found = checksum(path)
    if found is None:
        return None
    with suppress(FileNotFoundError):
        if _beside(path).read_bytes() == found.encode("ascii"):
            return path
    say_damaged(path)
    path.unlink(missing_ok=True)
    return None


def note_checksum(path: Path, written: str | None) -> None:
    """Note the `checksum` of a file, best before it gets its name: one without a note counts as damaged.

    None notes nothing: the file has gone since.
    """
    if written is not None:
        with written_whole(_beside(path), StoreError) as aside:
            aside.write_text(written, encoding="ascii")


def delete_made(path: Path) -> None:
    """Delete a file and its note, if they are there."""
    path.unlink(missing_ok=True)
    _beside(path).unlink(missing_ok=True)


def mark_used(path: Path) -> Path:
    """Set the access time of a file, by which room is made for others; the time of its bytes stays."""
    try:
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
    except PermissionError:  # who may write to a file of another user may set its times to now, and to nothing else
        os.utime(path)
    return path


def used_at(path: Path) -> float:
    """When a file was written or used last, s since 1970; 0 where it has gone."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0.0
    return max(found.st_atime, found.st_mtime)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}{NOTE_SUFFIX}")


@lru_cache(_REMEMBERED)
def _remembered(path: Path, _stamp: FileStamp) -> str:
    return _read(path)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return f"{path.stat().st_size}-{crc_of(file)}"


def lend_home(root: Path) -> str | None:
    """Let libraries keep their caches in a home folder where the user has no cache folder that can be written.

    Sets variables of this process, which those that it starts inherit; what is set already stays, but for a folder of
    kernels that cannot be written. Returns a sentence for the user on what this costs now; None: nothing.
    """
    if _has_user_cache():
        return None
    folder = root / "caches"
    lacks_kernels = not _has_kernel_folder()
    if lacks_kernels:
        os.environ.pop(_KERNELS, None)
    for name, part in _VARIABLES.items():
        if name != _KERNELS or lacks_kernels:
            os.environ.setdefault(name, str(folder / part))
    if not lacks_kernels or os.path.exists(folder / _VARIABLES[_KERNELS]) or not _is_writable(folder):
        return None
    return f"this user has no cache folder: kernels are compiled once more, for up to a minute, and saved in {folder}"


def kernel(fastmath: bool | set[str] = False) -> Callable[[Function], Function]:
    """As `numba.njit`, without the interpreter's lock; compiled code is saved if there is a folder for it.

    numba loads when a kernel is first called, so modules import theirs at the top.
    """

    def later(function: Function) -> Function:
        return cast(Function, _Kernel(function, fastmath))

    return later


class _Kernel:
    """A function that is compiled when it is first called, by Python or by another kernel."""

    def __init__(self, function: Callable[..., Any], fastmath: bool | set[str]) -> None:
        self._function, self._fastmath = function, fastmath

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self.compiled(*arguments)

    @cached_property
    def compiled(self) -> Any:
        """What numba makes of the function."""
        function = self._function
        compiled = _numba().njit(cache=_can_keep_kernels(), nogil=True, fastmath=self._fastmath)(function)
        if compiled.stats.cache_path is not None:
            name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
            # another process drops them, or the disk is full: no reason to fail a call
            with suppress(OSError, StoreError):
                _drop_damaged(sorted(Path(compiled.stats.cache_path).glob(f"{name}-*.nb[ic]")))
        return compiled


@cache
def _numba() -> Any:
    """numba, which is told what a kernel is to a kernel that calls it."""
    import numba
    from numba.extending import typeof_impl

    typeof_impl.register(_Kernel)(lambda called, context: typeof_impl(called.compiled, context))
    return numba


def _drop_damaged(files: Sequence[Path]) -> None:
    """Delete the compiled code of one kernel if one of its files is damaged: numba reads them as they are.

    numba replaces a file when it adds to it, so one with another inode than the noted one was written since. It is
    noted now, unless a power cut has left it empty, cut or full of zeros: it is a pickle, which ends with a full stop.
    """
    if not files or not os.access(files[0].parent, os.W_OK):
        return
    for file in files:
        found = f"{file.stat().st_ino} {checksum(file)}"
        noted = _beside(file).read_text(encoding="ascii") if _beside(file).exists() else ""
        if found == noted:
            continue
        same_file = noted.partition(" ")[0] == found.partition(" ")[0]
        if same_file or not file.read_bytes().endswith(pickle.STOP):
            say_damaged(file)
            for each in files:
                delete_made(each)
            return
        note_checksum(file, found)


@cache
def _can_keep_kernels() -> bool:
    """Whether numba finds a folder for compiled code; without one it refuses to load a function that is to be saved."""
    if _has_kernel_folder() or _has_user_cache():
        return True
    warnings.warn(
        "no folder for compiled code can be written: every process compiles kernels again, for up to a minute; set "
        f"{_KERNELS} to a folder",
        RuntimeWarning,
        stacklevel=3,
    )
    return False


def _has_kernel_folder() -> bool:
    """Whether numba's own variable names a folder that can be written, or code can be saved beside its source."""
    given = os.environ.get(_KERNELS)
    if given and _is_writable(Path(given).absolute()):
        return True
    return all(_is_writable(file.parent / "__pycache__") for file in Path(__file__).parent.glob("*/_kernels.py"))


def _has_user_cache() -> bool:
    from platformdirs import user_cache_path

    try:
        return _is_writable(user_cache_path())
    except RuntimeError:  # the user has no home
        return False


def _is_writable(folder: Path) -> bool:
    """Whether a folder can be written to, or created; False below an unknown `~`."""
    if not folder.is_absolute():
        return False
    # Unlike `Path.exists`, this is False in a folder that cannot be entered.
    there = next(one for one in (folder, *folder.parents) if os.path.exists(one))
    return os.access(there, os.W_OK | os.X_OK)
