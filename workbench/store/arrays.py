"""Analysis arrays on disk: one immutable zarr 3 file a recording, stage, stage version and parameters.

A file is a zip archive whose members are stored, not compressed; inside, each array is one zstd-compressed chunk with
a CRC-32C of its own. The group's attributes name the recording, the stage, its version and parameters and list the
arrays; each array carries its unit and a sentence, and the axes carry coordinates, so that a file reads without this
code: `xarray.open_zarr(ZipStore(path, mode="r"), consolidated=False)` has times on `time`, bars by number, parts of a
score by name. Coordinates are for such readers; `load` leaves them out.

A file is written under another name in the same folder, synced and renamed: it is there whole or not at all, and two
processes that write the same key replace each other's equal file. A file that fails a check on reading (truncated, a
flipped bit, a missing array, another key) is deleted and computed again. Deleting the store costs time and never
changes a result.

The time of last use is the file's modification time; hits, misses and rebuilt files are counted by the size of three
files to which each event appends one byte, which no two processes can get wrong.

The files that were read last stay in memory, for a page plans the same track again and again: what is read again and
has the time of last use that was set here is the same file. Any other process that uses it, or damage, changes that
time, and it is read from disk.

Where machines share a store (`workbench.store.stored_files`), the folder is a cache of it: a file that is not there is
looked for in the store, and one that was written is there before any process of this machine can read it.
"""

from __future__ import annotations

import logging
import os
import struct
import time
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ParameterError, StoreError
from workbench.files import abandoned_parts, written_whole
from workbench.store.fingerprint import StageKey

if TYPE_CHECKING:
    import zarr

    from workbench.store.stored_files import StoredFiles

_log = logging.getLogger(__name__)

_FORMAT = 2
"""of a file; raise it when the layout changes: files of another format are made again, never misread"""
_SUFFIX = ".zarr.zip"
_ABANDONED_SECONDS = 3600.0
"""age of a part of a file from where on its writer must have been killed"""
_REMEMBERED_FILES = 4
"""two stages of two tracks, some megabytes"""
# What zipfile, zlib, zarr and its codecs raise on damaged bytes.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, LookupError, EOFError, TypeError, AttributeError,
    NotImplementedError, RuntimeError, OverflowError, OSError,
)  # fmt: skip


class _OtherFormat(Exception):
    """A sound file, but of another layout: its arrays are made again without a word."""


class VariableLike(Protocol):
    """What the store writes with an array; `workbench.analysis.labels.Variable` is one."""

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

    @property
    def is_coordinate(self) -> bool:
        """Whether it says where the entries of its axis lie."""
        ...


@dataclass(frozen=True, slots=True)
class Coordinate:
    """The unit and labels of one axis, for readers that open a file without this code."""

    dim: str
    """the axis"""
    names: tuple[str, ...] = ()
    """one an entry; empty: the entries are counted, and lie `step` apart"""
    unit: str = "1"
    step: float = 1.0
    """in the unit: times are stored as counts, which compress to nothing"""
    first: int = 0
    """count of the first entry"""
    description: str = ""


@dataclass(frozen=True, slots=True)
class ArrayLabels:
    """What a file says beside its arrays; it decides nothing, so files that differ in it are the same result."""

    name: str = ""
    """of the recording, as its file was called when it was measured"""
    coordinates: Mapping[str, Coordinate] = field(default_factory=dict)
    """by the name of the coordinate; one whose axis no array has is left out"""


NO_LABELS = ArrayLabels()


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
    """The arrays of all recordings, in one folder, which is made when first written to.

    An array whose name is not among `variables` cannot be stored. `files` is the store that machines share, of whose
    part `arrays` the folder is a cache; None: there is none.
    """

    def __init__(self, root: Path, variables: Mapping[str, VariableLike], files: StoredFiles | None = None) -> None:
        self.root = Path(root)
        self._variables = variables
        self._shared = None if files is None or files.store is None else files
        self._remembered: OrderedDict[str, tuple[int, dict[str, NDArray[Any]]]] = OrderedDict()
        """time of last use, ns, and arrays of the files read last, by their paths: threads may share a store, and texts
        are looked up and replaced in one step"""

    def load_or_compute(
        self,
        key: StageKey,
        compute: Callable[[], Mapping[str, NDArray[Any]]],
        labels: ArrayLabels = NO_LABELS,
    ) -> dict[str, NDArray[Any]]:
        """The arrays of a key: read if a sound file holds them, else computed and written, `labels` beside them.

        They are read-only, and the same whether they were read or computed. ParameterError: `compute` returns an array
        that is not declared, or not as declared. StoreError: the folder cannot be written to.
        """
        found = self.load(key)
        self._count("hits" if found is not None else "misses")
        if found is not None:
            return found
        arrays = {name: _locked(array) for name, array in compute().items()}
        self.save(key, arrays, labels)
        return arrays

    def has(self, key: StageKey) -> bool:
        """Whether there is a file of a key; only reading it shows whether it is sound."""
        path = self.path(key)
        return path.exists() or (self._shared is not None and self._shared.has(self._place(self._shared, path)))

    def load(self, key: StageKey) -> dict[str, NDArray[Any]] | None:
        """The arrays of a key, read-only; None if there is no sound file of them. A damaged file is deleted."""
        path = self.path(key)
        if self._shared is not None:
            self._shared.find(self._place(self._shared, path))
        if not path.exists():
            return None
        arrays = self._recall(path)
        if arrays is not None:
            return arrays
        try:
            arrays = _read(path, key)
        except _OtherFormat:
            path.unlink(missing_ok=True)
            return None
        except PermissionError as error:
            raise StoreError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
        except _DAMAGE as error:
            if not path.exists():  # pruned while it was read
                return None
            _log.warning("%s is damaged (%s: %s) and is made again", path, type(error).__name__, error)
            self._count("rebuilt")
            path.unlink(missing_ok=True)
            if self._shared is not None:
                self._shared.delete(self._place(self._shared, path))
            return None
        self._remember(path, arrays)
        return dict(arrays)

    def _recall(self, path: Path) -> dict[str, NDArray[Any]] | None:
        """The arrays of a file that was read before and is unchanged and unused since."""
        used, arrays = self._remembered.get(str(path), (0, {}))
        try:
            unchanged = bool(used) and path.stat().st_mtime_ns == used
        except FileNotFoundError:
            unchanged = False
        if not unchanged:
            self._remembered.pop(str(path), None)
            return None
        self._remember(path, arrays)
        return dict(arrays)

    def _remember(self, path: Path, arrays: dict[str, NDArray[Any]]) -> None:
        """Note that a file was used, and keep its arrays; the file used longest ago is forgotten."""
        used = _touch(path)
        self._remembered.pop(str(path), None)
        if used is not None:
            self._remembered[str(path)] = used, arrays
        if len(self._remembered) > _REMEMBERED_FILES:
            self._remembered.popitem(last=False)

    def save(self, key: StageKey, arrays: Mapping[str, NDArray[Any]], labels: ArrayLabels = NO_LABELS) -> None:
        """Write the arrays of a key, whole or not at all; arrays of equal dims have equal lengths.

        ParameterError: an array is not declared, or not as declared. StoreError: the folder cannot be written to.
        """
        coordinates = self._check(arrays, labels)
        path = self.path(key)
        with written_whole(path, StoreError) as aside:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(aside, key, arrays, self._variables, labels.name, coordinates)
            if self._shared is not None:
                self._shared.publish(aside, "arrays", self._name(path))

    def stats(self) -> CacheStats:
        """Size and use of the store."""
        sizes = [size for _, size, _ in self._files()]
        counts = {name: self._counted(name) for name in ("hits", "misses", "rebuilt")}
        return CacheStats(files=len(sizes), bytes=sum(sizes), **counts)

    def prune(self, max_bytes: int) -> int:
        """Delete the files that were not used for longest until the rest fits, and what killed writers left behind.

        Returns the bytes freed, without parts of killed writers.
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
        """Where the file of a key is, or would be."""
        name = f"{key.content_hash}.{key.stage}.v{key.version}.{key.params_digest[:16]}{_SUFFIX}"
        return self.root / key.content_hash[:2] / name

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _place(self, files: StoredFiles, path: Path) -> Path:
        return files.place("arrays", self._name(path))

    def _check(self, arrays: Mapping[str, NDArray[Any]], labels: ArrayLabels) -> dict[str, Coordinate]:
        """The coordinates of the axes that the arrays have."""
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
        present = {name: one for name, one in labels.coordinates.items() if one.dim in lengths and name not in arrays}
        for name, one in present.items():
            if one.names and len(one.names) != lengths[one.dim]:
                raise ParameterError(f"{name} names {len(one.names)} along {one.dim!r}, not {lengths[one.dim]}")
        return present

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
    path: Path,
    key: StageKey,
    arrays: Mapping[str, NDArray[Any]],
    variables: Mapping[str, VariableLike],
    recording: str,
    coordinates: Mapping[str, Coordinate],
) -> None:
    import zarr
    from zarr.codecs import Crc32cCodec, ZstdCodec
    from zarr.storage import ZipStore

    named = [name for name in arrays if variables[name].is_coordinate]
    lengths = {
        dim: n for name, array in arrays.items() for dim, n in zip(variables[name].dims, array.shape, strict=True)
    }
    # `coordinates` is where the CF conventions, and xarray, look for them
    beside = {"recording": recording, "coordinates": " ".join((*coordinates, *named))}
    with ZipStore(path, mode="w", compression=zipfile.ZIP_STORED) as archive:
        group = zarr.create_group(archive, attributes=_labels(key, arrays) | beside)
        for name, one in coordinates.items():
            _write_coordinate(group, name, one, lengths[one.dim])
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


def _write_coordinate(group: zarr.Group, name: str, one: Coordinate, length: int) -> None:
    from zarr.codecs import BloscCodec

    if one.names:
        words = group.create_array(
            name,
            shape=(length,),
            dtype=str,
            dimension_names=(one.dim,),
            attributes={"long_name": one.description},
        )
        words[...] = np.array(one.names, dtype=object)
        return
    counts = group.create_array(
        name,
        shape=(length,),
        dtype="int32",
        chunks=(max(1, length),),
        compressors=(BloscCodec(cname="zstd", shuffle="bitshuffle", typesize=4),),
        dimension_names=(one.dim,),
        attributes={"units": one.unit, "long_name": one.description}
        | ({} if one.step == 1.0 else {"scale_factor": one.step}),
        config={"write_empty_chunks": True},
    )
    if length:
        counts[...] = np.arange(one.first, one.first + length, dtype=np.int32)


def _read(path: Path, key: StageKey) -> dict[str, NDArray[Any]]:
    import zarr
    from zarr.storage import ZipStore

    with zipfile.ZipFile(path) as members:  # raises FileNotFoundError itself, which ZipStore does not let through
        present = set(members.namelist())
    with ZipStore(path, mode="r") as archive:
        group = zarr.open_group(archive, mode="r")
        if isinstance(written := group.attrs.get("format"), int) and written != _FORMAT:
            raise _OtherFormat(f"format {written}")
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
        labels = _labels(key, arrays)
        if {name: group.attrs.get(name) for name in labels} != labels:
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


def _touch(path: Path) -> int | None:
    """Note that a file was used: the time, ns; None where it is not known, as another user's, or just pruned."""
    used = time.time_ns()  # the kernel's own stamps are too coarse to tell this use from a write right after it
    try:
        os.utime(path, ns=(used, used))
    except FileNotFoundError:
        return None
    except PermissionError:  # who may write to a file of another user may set its time to now, and to nothing else
        os.utime(path)
        return None
    return used
