"""Analysis arrays on disk: one immutable zarr 3 file a recording, stage, stage version and parameters.

A file is a zip archive whose members are stored, not compressed; inside, each array is one zstd-compressed chunk with
a CRC-32C of its own. The group's attributes name the stage, its version and parameters and list the arrays; each
array carries its unit and a sentence, so that a file reads without this code: `xarray.open_zarr` on a
`zarr.storage.ZipStore`.

A file is written under another name in the same folder, synced and renamed: it is there whole or not at all, and two
processes that write the same key replace each other's equal file. A file that fails a check on reading (truncated, a
flipped bit, a missing array, another key) is deleted and computed again. Deleting the store costs time and never
changes a result.

The time of last use is the file's modification time; hits, misses and rebuilt files are counted by the size of three
files to which each event appends one byte, which no two processes can get wrong.
"""

from __future__ import annotations

import logging
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ParameterError, StoreError
from workbench.files import abandoned_parts, written_whole
from workbench.store.fingerprint import StageKey

if TYPE_CHECKING:
    pass

_log = logging.getLogger(__name__)

_FORMAT = 1
"""of a file; raise it when the layout changes"""
_SUFFIX = ".zarr.zip"
_ABANDONED_SECONDS = 3600.0
"""age of a part of a file from where on its writer must have been killed"""
# What zipfile, zlib, zarr and its codecs raise on damaged bytes.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, LookupError, EOFError, TypeError, AttributeError,
    NotImplementedError, RuntimeError, OverflowError, OSError,
)  # fmt: skip


class VariableLike(Protocol):
    """What the store writes with an array; `workbench.features.variables.Variable` is one."""

    @property
    def dims(self) -> tuple[str, ...]:
        """One name an axis."""
        ...

    @property
    def dtype(self) -> str:
        """Numpy name of the stored type."""
        ...

    @property
    def unit(self) -> str:
        """SI symbol or the like."""
        ...

    @property
    def description(self) -> str:
        """One sentence."""
        ...


@dataclass(frozen=True, slots=True)
class CacheStats:
    """Size of the store, and how often it had the result."""

    files: int
    bytes: int
    hits: int
    """results read from the store since it was made"""
    misses: int
    """results that had to be computed"""
    rebuilt: int
    """damaged files thrown away, counted as misses too"""


class ArrayStore:
    """The arrays of all recordings, in one folder.

    Parameters
    ----------
    root : folder; made when first written to
    variables : what each array is, by name; a name that is not in it cannot be stored
    """

    def __init__(self, root: Path, variables: Mapping[str, VariableLike]) -> None:
        self.root = Path(root)
        self._variables = variables

    def load_or_compute(
        self, key: StageKey, compute: Callable[[], Mapping[str, NDArray[Any]]]
    ) -> dict[str, NDArray[Any]]:
        """The arrays of a key: read if a sound file holds them, else computed and written.

        Parameters
        ----------
        key : of the result
        compute : makes the arrays, by name; called only if they cannot be read

        Returns
        -------
        dict : read-only arrays by name, the same whether they were read or computed

        Raises
        ------
        ParameterError : `compute` returns an array that is not declared, or not as declared
        StoreError : the folder cannot be written to
        """
        found = self.load(key)
        self._count("hits" if found is not None else "misses")
        if found is not None:
            return found
        arrays = {name: _locked(array) for name, array in compute().items()}
        self.save(key, arrays)
        return arrays

    def has(self, key: StageKey) -> bool:
        """Whether there is a file of a key; only reading it shows whether it is sound.

        Parameters
        ----------
        key : of the result
        """
        return self.path(key).exists()

    def load(self, key: StageKey) -> dict[str, NDArray[Any]] | None:
        """The arrays of a key. A damaged file is deleted.

        Parameters
        ----------
        key : of the result

        Returns
        -------
        read-only, by name; None if there is no sound file of them

        Raises
        ------
        StoreError : the file may not be read
        """
        path = self.path(key)
        if not path.exists():
            return None
        try:
            arrays = _read(path, key)
        except PermissionError as error:
            raise StoreError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
        except _DAMAGE as error:
            if not path.exists():  # pruned while it was read
                return None
            _log.warning("%s is damaged (%s: %s) and is made again", path, type(error).__name__, error)
            self._count("rebuilt")
            path.unlink(missing_ok=True)
            return None
        _touch(path)
        return arrays

    def save(self, key: StageKey, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the arrays of a key, whole or not at all.

        Parameters
        ----------
        key : of the result
        arrays : by the names of declared variables; equal dims have equal lengths

        Raises
        ------
        ParameterError : an array is not declared, or not as declared
        StoreError : the folder cannot be written to, or is full
        """
        self._check(arrays)
        path = self.path(key)
        with written_whole(path, StoreError) as aside:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(aside, key, arrays, self._variables)

    def stats(self) -> CacheStats:
        """Size and use of the store."""
        sizes = [size for _, size, _ in self._files()]
        counts = {name: self._counted(name) for name in ("hits", "misses", "rebuilt")}
        return CacheStats(files=len(sizes), bytes=sum(sizes), **counts)

    def prune(self, max_bytes: int) -> int:
        """Delete the files that were not used for longest until the rest fits, and what killed writers left behind.

        Parameters
        ----------
        max_bytes : size of the store afterwards, at most

        Returns
        -------
        bytes freed, without parts of killed writers

        Raises
        ------
        ParameterError : `max_bytes` is negative
        """
        if max_bytes < 0:
            raise ParameterError(f"max_bytes must not be negative, got {max_bytes}")
        for left in abandoned_parts(self.root, _ABANDONED_SECONDS):
            left.unlink(missing_ok=True)
        files = sorted(self._files(), key=lambda file: file[2])
        excess, freed = sum(size for _, size, _ in files) - max_bytes, 0
        for path, size, _ in files:
            if freed >= excess:
                break
            path.unlink(missing_ok=True)
            freed += size
        return freed

    def path(self, key: StageKey) -> Path:
        """Where the file of a key is, or would be.

        Parameters
        ----------
        key : of the result
        """
        name = f"{key.content_hash}.{key.stage}.v{key.version}.{key.params_digest[:16]}{_SUFFIX}"
        return self.root / key.content_hash[:2] / name

    def _check(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        lengths: dict[str, int] = {}
        for name, array in arrays.items():
            variable = self._variables.get(name)
            if variable is None:
                raise ParameterError(f"no variable is called {name!r}; declare it before it is stored")
            if array.ndim != len(variable.dims) or array.dtype != np.dtype(variable.dtype):
                raise ParameterError(
                    f"{name} is {variable.dtype} over {variable.dims}, got {array.dtype} of shape {array.shape}"
                )
            for dim, length in zip(variable.dims, array.shape, strict=True):
                if lengths.setdefault(dim, length) != length:
                    raise ParameterError(f"{name} has {length} along {dim!r}, arrays beside it {lengths[dim]}")

    def _files(self) -> Iterator[tuple[Path, int, float]]:
        """Path, bytes and time of last use of every file; one that goes away meanwhile is left out."""
        for path in self.root.glob(f"*/*{_SUFFIX}"):
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            yield path, status.st_size, status.st_mtime

    def _count(self, event: str) -> None:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with (self.root / f"{event}.count").open("ab", buffering=0) as file:
                file.write(b".")
        except OSError as error:
            raise StoreError(f"{self.root}: cannot be written ({error.strerror}); check the home folder") from error

    def _counted(self, event: str) -> int:
        counter = self.root / f"{event}.count"
        return counter.stat().st_size if counter.exists() else 0


def _write(
    path: Path, key: StageKey, arrays: Mapping[str, NDArray[Any]], variables: Mapping[str, VariableLike]
) -> None:
    import zarr
    from zarr.codecs import Crc32cCodec, ZstdCodec
    from zarr.storage import ZipStore

    with ZipStore(path, mode="w", compression=zipfile.ZIP_STORED) as archive:
        group = zarr.create_group(archive, attributes=_labels(key, arrays))
        for name, array in arrays.items():
            variable = variables[name]
            stored = group.create_array(
                name,
                shape=array.shape,
                dtype=array.dtype,
                chunks=tuple(max(1, length) for length in array.shape),
                compressors=(ZstdCodec(level=3), Crc32cCodec()),
                dimension_names=variable.dims,
                attributes={"units": variable.unit, "long_name": variable.description},
                # A chunk that equals the fill value must be there too, or a lost chunk would read as zeros.
                config={"write_empty_chunks": True},
            )
            if array.size:
                stored[...] = array


def _read(path: Path, key: StageKey) -> dict[str, NDArray[Any]]:
    import zarr
    from zarr.storage import ZipStore

    with zipfile.ZipFile(path) as members:  # raises FileNotFoundError itself, which ZipStore does not let through
        present = set(members.namelist())
    with ZipStore(path, mode="r") as archive:
        group = zarr.open_group(archive, mode="r")
        listed = group.attrs["arrays"]
        if not isinstance(listed, dict):
            raise ValueError("no list of arrays")
        arrays: dict[str, NDArray[Any]] = {}
        for name in listed:
            member = group[name]
            if not isinstance(member, zarr.Array):
                raise ValueError(f"{name} is no array")
            # Looked up by hand: zarr reads a lost chunk as zeros, and counts those of "beats_per_bar" for "beats".
            if member.size and "/".join((name, "c", *("0" * member.ndim))) not in present:
                raise ValueError(f"{name} has lost its values")
            arrays[name] = _locked(np.asarray(member[...]))
        if dict(group.attrs) != _labels(key, arrays):
            raise ValueError("the file is not what its name says")
    return arrays


def _labels(key: StageKey, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """The attributes of a file: whose arrays these are, and which belong to it."""
    return {
        "format": _FORMAT,
        "content_hash": key.content_hash,
        "stage": key.stage,
        "stage_version": key.version,
        "params": key.params,
        "arrays": {name: {"shape": list(array.shape), "dtype": str(array.dtype)} for name, array in arrays.items()},
    }


def _locked(array: NDArray[Any]) -> NDArray[Any]:
    locked = np.asarray(array).view()
    locked.flags.writeable = False
    return locked


def _touch(path: Path) -> None:
    """Note that a file was used; another process may just have pruned it."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return
