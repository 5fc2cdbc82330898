"""Analysis arrays on disk: one immutable zarr 3 file a recording, stage, stage version and parameters.

A file is a zip archive whose members are stored, not compressed; inside, each array is one zstd-compressed chunk. The
group's attributes name the recording, the stage, its version and parameters and list the arrays; each array carries its
unit and a sentence, and the axes carry coordinates, so that a file reads without this code:
`xarray.open_zarr(ZipStore(path, mode="r"), consolidated=False)` has times on `time`, bars by number, parts of a score
by name. Coordinates are for such readers; `load` leaves them out.

A file is written under another name in the same folder, synced and renamed: it is there whole or not at all, and two
processes that write the same key replace each other's equal file. Its last bytes, the archive's comment, are the CRC-32
of all others: a file that differs from it is deleted and computed again. Deleting the store costs time and never
changes a result.

The time of last use is the file's modification time; hits, misses and rebuilt files are counted by the size of three
files to which each event appends one byte, which no two processes can get wrong.

The files that were read last stay in memory, for a page plans the same track again and again. One that was used,
written or damaged since, by any process, is read from disk.

Where machines share a store (`workbench.store.stored_files`), the folder is a cache of it: a file that is not there is
looked for in the store, and one that was written is there before any process of this machine can read it.
"""

from __future__ import annotations

import os
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from workbench.caches import crc_of, say_damaged
from workbench.errors import ParameterError, StoreError
from workbench.files import FileStamp, abandoned_parts, stamp_of, written_whole
from workbench.store.fingerprint import StageKey

if TYPE_CHECKING:
    import zarr

    from workbench.store.stored_files import StoredFiles

_SUFFIX = ".zarr.zip"
_FORMAT = f".3{_SUFFIX}"
"""end of the names of files in this layout; raise the number when it changes: files of another are never read"""
_CRC_BYTES = 8
_ABANDONED_SECONDS = 3600.0
"""age of a part of a file from where on its writer must have been killed"""
_REMEMBERED_FILES = 4
"""two stages of two tracks, some megabytes"""


@dataclass(frozen=True, slots=True)
class Variable:
    """Declaration of one stored array."""

    name: str
    """as it is called in the store and as an attribute of its value object"""
    dims: tuple[str, ...]
    """one name an axis, outermost first; () for a single number"""
    dtype: str
    """numpy name of the stored type, such as "float32" """
    unit: str
    """SI symbol, "dB", "LUFS", "BPM", "1" for ratios and counts"""
    description: str
    """one sentence, with range and reference where they are not plain"""
    is_coordinate: bool = False
    """whether it says where the entries of its axis lie, so that other arrays are read by it"""


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

    def __init__(self, root: Path, variables: Mapping[str, Variable], files: StoredFiles | None = None) -> None:
        self.root = Path(root)
        self._variables = variables
        self._shared = None if files is None or files.store is None else files
        self._remembered: OrderedDict[str, tuple[FileStamp | None, dict[str, NDArray[Any]]]] = OrderedDict()
        """stamp and arrays of the files read last, by path; entries are replaced in one step, for threads share it"""

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
        stamp, remembered = self._remembered.pop(str(path), (None, None))
        arrays = remembered if stamp is not None and stamp == stamp_of(path) else self._read(path, key)
        if arrays is None:
            return None
        with suppress(FileNotFoundError):  # pruned after it was read
            os.utime(path)
        self._remembered[str(path)] = stamp_of(path), arrays
        if len(self._remembered) > _REMEMBERED_FILES:
            self._remembered.popitem(last=False)
        return dict(arrays)

    def _read(self, path: Path, key: StageKey) -> dict[str, NDArray[Any]] | None:
        try:
            with path.open("rb") as file:
                arrays = _read(file, key)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
        if arrays is None:
            say_damaged(path)
            self._count("rebuilt")
            path.unlink(missing_ok=True)
            if self._shared is not None:
                self._shared.delete(self._place(self._shared, path))
        return arrays

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
        name = f"{key.content_hash}.{key.stage}.v{key.version}.{key.params_digest[:16]}{_FORMAT}"
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
    variables: Mapping[str, Variable],
    recording: str,
    coordinates: Mapping[str, Coordinate],
) -> None:
    import zarr
    from zarr.codecs import ZstdCodec
    from zarr.storage import ZipStore

    named = [name for name in arrays if variables[name].is_coordinate]
    lengths = {
        dim: n for name, array in arrays.items() for dim, n in zip(variables[name].dims, array.shape, strict=True)
    }
    # `coordinates` is where the CF conventions, and xarray, look for them
    beside = {"arrays": list(arrays), "recording": recording, "coordinates": " ".join((*coordinates, *named))}
    with ZipStore(path, mode="w", compression=zipfile.ZIP_STORED) as archive:
        group = zarr.create_group(archive, attributes=_labels(key) | beside)
        for name, one in coordinates.items():
            _write_coordinate(group, name, one, lengths[one.dim])
        for name, array in arrays.items():
            variable = variables[name]
            stored = group.create_array(
                name,
                shape=array.shape,
                dtype=array.dtype,
                chunks=tuple(max(1, length) for length in array.shape),
                compressors=(ZstdCodec(level=3),),
                dimension_names=variable.dims,
                attributes={"units": variable.unit, "long_name": variable.description},
            )
            if array.size:
                stored[...] = array
    with zipfile.ZipFile(path, "a") as members:
        members.comment = bytes(_CRC_BYTES)
    with path.open("rb+") as file:
        crc = _crc_before_the_last_bytes(file)
        file.seek(-_CRC_BYTES, os.SEEK_END)
        file.write(crc)


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
    )
    if length:
        counts[...] = np.arange(one.first, one.first + length, dtype=np.int32)


def _read(file: BinaryIO, key: StageKey) -> dict[str, NDArray[Any]] | None:
    """The arrays of a file; None if it is not as it was written, or another key's."""
    import zarr
    from zarr.buffer.cpu import Buffer
    from zarr.storage import MemoryStore

    crc = _crc_before_the_last_bytes(file)
    if file.read() != crc:
        return None
    with zipfile.ZipFile(file) as archive:
        members: dict[str, Any] = {name: Buffer.from_bytes(archive.read(name)) for name in archive.namelist()}
    group: Any = zarr.open_group(MemoryStore(members, read_only=True), mode="r")
    labels = group.attrs.asdict()
    if not _labels(key).items() <= labels.items():
        return None
    return {name: _locked(np.asarray(group[name][...])) for name in labels["arrays"]}


def _crc_before_the_last_bytes(file: BinaryIO) -> bytes:
    """What the last bytes of a file should be; the file is then read up to them."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return crc_of(file, size - _CRC_BYTES).encode("ascii")


def _labels(key: StageKey) -> dict[str, Any]:
    """The attributes of a file that say whose arrays these are."""
    return {
        "content_hash": key.content_hash,
        "stage": key.stage,
        "stage_version": key.version,
        "params": key.params,
    }


def _locked(array: NDArray[Any]) -> NDArray[Any]:
    locked = np.asarray(array).view()
    locked.flags.writeable = False
    return locked
