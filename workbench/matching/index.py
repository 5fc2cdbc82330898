"""Nearest tracks: the rows of a matrix of unit vectors with the highest cosine to a query.

Up to some 200,000 rows of 384 numbers, or a million of 64, every row is compared (`ExactIndex`): the matrix is
memory-mapped half floats, a filter is a mask, and the answer is exact. Larger catalogs use an inverted file of FAISS to
propose rows and the same matrix to rank them (`FaissIndex`): the space is divided into cells by k-means, the cells
nearest to the query are searched in a byte a number, and the proposed rows are ranked again by the exact cosine, so
that scores are exact and only a neighbour can be missed.

Vectors added after an inverted file was built are compared one by one until it is built again.

References
----------
Jégou, Douze & Schmid, "Product quantization for nearest neighbor search", IEEE TPAMI 33, 2011, section 4: the inverted
file. Douze et al., "The Faiss library", arXiv 2401.08281, 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ExtraMissing, ParameterError, StoreError, require_extra
from workbench.files import cannot_be_written, written_whole
from workbench.matching._kernels import scan_all, scan_some
from workbench.recording import FloatArray, IntArray

BoolArray: TypeAlias = NDArray[np.bool_]

_TRAINING_VECTORS, _TRAINING_ROUNDS = 40, 10  # vectors a cell that k-means sees, and its rounds
_RERANK_FACTOR, _MIN_RERANK = 4, 400  # candidates that are ranked exactly: a wanted row, and at least
_SAMPLED_EVERY = 16
"""scores of which one is read to find out which can be passed over"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSizes:
    """From how many tracks on a catalog has an index, and how that is made and searched."""

    max_exact_rows: int = 200_000
    """tracks up to which all word vectors are compared, without an index"""
    max_scan_rows: int = 20_000
    """tracks that a filter leaves, up to which they are all compared"""
    cells: int = 2048
    """of an inverted file; twice the root of 10^6"""
    cells_searched: int = 64
    """recall grows with it"""
    build_rows: int = 50_000
    """rows held in memory while building"""
    max_stale_share: float = 0.05
    """of tracks that an index may not know before it is made again"""


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Rows that were found, best first; equal scores in the order of their rows."""

    rows: IntArray
    """shape (n,), int64"""
    scores: FloatArray
    """shape (n,), float32; of a `VectorIndex` the cosine, -1 to 1"""


class VectorIndex(Protocol):
    """Finds the rows nearest to a query."""

    def search(self, query: FloatArray, count: int, allowed: BoolArray | None = None) -> Hits:
        """The rows of highest cosine, best first, at most `count` of those that are `allowed`, shape (n,); None: all.

        A query of length zero finds nothing. Raises `ParameterError` for a query or a mask of another shape or type.
        """
        ...


class ExactIndex:
    """Compares every row of `vectors`, shape (n, d), float16, unit or zero rows; they may be memory-mapped.

    Raises `ParameterError` for another shape or type.
    """

    def __init__(self, vectors: NDArray[np.float16]) -> None:
        if vectors.ndim != 2 or vectors.dtype != np.float16:
            raise ParameterError(f"vectors are float16 of shape (n, d), got {vectors.dtype} of shape {vectors.shape}")
        self._bits = vectors.view(np.uint16)

    def __len__(self) -> int:
        return int(self._bits.shape[0])

    def search(self, query: FloatArray, count: int, allowed: BoolArray | None = None) -> Hits:
        """The rows of highest cosine; see `VectorIndex.search`."""
        unit = _unit(query, self._bits.shape[1])
        if unit is None or not len(self):
            return _none()
        chosen = None if allowed is None else np.flatnonzero(_mask(allowed, len(self)))
        scores = self.scores(unit, chosen)
        best = best_places(scores, count)
        return Hits(best if chosen is None else chosen[best], scores[best])

    def scores(self, query: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Inner product of a query, which is not normalized here, with rows; None: all."""
        asked = np.ascontiguousarray(query, dtype=np.float32)
        scores = np.empty(len(self) if rows is None else rows.size, dtype=np.float32)
        if rows is None:
            scan_all(self._bits, asked, scores)
        else:
            scan_some(self._bits, np.ascontiguousarray(rows, dtype=np.int64), asked, scores)
        return scores


class FaissIndex:
    """Searches the nearest cells of an inverted file, and ranks the rows they propose by the exact cosine.

    `vectors` are the rows as they are now, and `row_of`, shape (m,), says which row each vector of the file has now, -1
    where it was removed or changed; None: the rows are as they were when the file was built. Raises `ExtraMissing`
    without faiss, and `ParameterError` where the file and the rows do not belong together.
    """

    def __init__(
        self,
        path: Path,
        vectors: NDArray[np.float16],
        row_of: IntArray | None = None,
        sizes: IndexSizes | None = None,
    ) -> None:
        faiss = _faiss()
        self._sizes = sizes or IndexSizes()
        self._exact = ExactIndex(vectors)
        self._file = faiss.read_index(str(path), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
        self._row_of = np.arange(self._file.ntotal) if row_of is None else row_of
        if self._row_of.size != self._file.ntotal or (self._row_of.size and self._row_of.max() >= len(self._exact)):
            raise ParameterError(f"{path}: the file holds {self._file.ntotal} vectors, not those of these rows")
        covered = np.zeros(len(self._exact), dtype=bool)
        covered[self._row_of[self._row_of >= 0]] = True
        self._later = np.flatnonzero(~covered)
        self._whole = bool(np.array_equal(self._row_of, np.arange(len(self._exact))))

    def __len__(self) -> int:
        return len(self._exact)

    @property
    def later(self) -> int:
        """Number of rows that are not in the file, which are compared one by one."""
        return int(self._later.size)

    def search(self, query: FloatArray, count: int, allowed: BoolArray | None = None) -> Hits:
        """The rows of highest cosine, a few of which may be missed; see `VectorIndex.search`.

        A filter that allows few rows is answered exactly.
        """
        unit = _unit(query, self._exact._bits.shape[1])
        if unit is None:
            return _none()
        mask = None if allowed is None else _mask(allowed, len(self))
        if mask is not None and np.count_nonzero(mask) <= self._sizes.max_scan_rows:
            return self._exact.search(unit, count, mask)
        wanted = max(count * _RERANK_FACTOR, _MIN_RERANK)
        rows = self._proposed(unit, min(wanted, self._row_of.size), mask)
        later = self._later if mask is None else self._later[mask[self._later]]
        # Sorted, so that equal scores come in the order of their rows, as in an exact search.
        rows = np.sort(np.concatenate((rows, later)))
        scores = self._exact.scores(unit, rows)
        best = best_places(scores, count)
        return Hits(rows[best], scores[best])

    def _proposed(self, unit: FloatArray, wanted: int, mask: BoolArray | None) -> IntArray:
        faiss = _faiss()
        options: dict[str, Any] = {"nprobe": self._sizes.cells_searched}
        usable: BoolArray | None
        if not self._whole:
            usable = self._row_of >= 0
            if mask is not None:
                usable &= mask[self._row_of]
        else:  # entries are rows; a mask that allows every row would only be in the way
            usable = None if mask is None or mask.all() else mask
        if usable is not None:
            options["sel"] = faiss.IDSelectorBitmap(np.packbits(usable, bitorder="little"))
        _, found = self._file.search(unit[None, :], wanted, params=faiss.SearchParametersIVF(**options))
        return np.asarray(self._row_of[found[0][found[0] >= 0]], dtype=np.int64)


def build_faiss(vectors: NDArray[np.float16], path: Path, sizes: IndexSizes | None = None) -> None:
    """Write an inverted file of vectors: k-means on a sample, then every vector into its cell, a byte a number.

    The same vectors, unit or zero rows, give the same file, which appears whole or not at all. Raises `ExtraMissing`
    without faiss, and `StoreError` where it cannot be written.
    """
    faiss = _faiss()
    sizes = sizes or IndexSizes()
    n, dims = vectors.shape
    # FAISS warns of fewer than 39 training vectors a cell: a small catalog has fewer cells, not worse ones.
    cells = max(1, min(sizes.cells, n // 40))
    quantizer = faiss.IndexFlatIP(dims)
    file = faiss.IndexIVFScalarQuantizer(
        quantizer, dims, cells, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    file.cp.niter = _TRAINING_ROUNDS
    sample = np.random.default_rng(0).permutation(n)[: cells * _TRAINING_VECTORS]
    # in the order of the file, which is memory-mapped
    file.train(vectors[np.sort(sample)].astype(np.float32))
    for first in range(0, n, sizes.build_rows):
        file.add(np.ascontiguousarray(vectors[first : first + sizes.build_rows], dtype=np.float32))
    with written_whole(path, StoreError) as aside:
        try:
            faiss.write_index(file, str(aside))
        except RuntimeError as error:  # faiss raises nothing more specific for a missing folder or a full disk
            raise cannot_be_written(path, error, StoreError) from error


def has_faiss() -> bool:
    """Whether large catalogs can be indexed here."""
    try:
        _faiss()
    except ExtraMissing:
        return False
    return True


def _faiss() -> Any:
    try:
        import faiss
    except ModuleNotFoundError:
        require_extra("scale", "an index of a large catalog")
        raise
    return faiss


def _unit(query: FloatArray, dims: int) -> FloatArray | None:
    """The query at length one, float32; None where it has no direction."""
    asked = np.asarray(query, dtype=np.float32)
    if asked.shape != (dims,):
        raise ParameterError(f"a query has shape ({dims},), got {asked.shape}")
    length = float(np.linalg.norm(asked))
    return asked / np.float32(length) if length > 0.0 else None


def _mask(allowed: BoolArray, rows: int) -> BoolArray:
    if allowed.shape != (rows,) or allowed.dtype != np.bool_:
        raise ParameterError(f"allowed is bool of shape ({rows},), got {allowed.dtype} of shape {allowed.shape}")
    return allowed


def best_places(scores: FloatArray, count: int) -> IntArray:
    """Where the highest scores are.

    The `count`-th best of every sixteenth score is at most the `count`-th best of all, so all that are under it are
    passed over, and few are left to be ordered. Of the many that may equal it the first are taken, without ordering.
    Best first, equal scores in their order; there is no NaN among them.
    """
    count = min(count, scores.size)
    if count <= 0:
        return np.empty(0, dtype=np.int64)
    some = scores[::_SAMPLED_EVERY] if scores.size >= 2 * _SAMPLED_EVERY * count else scores
    least = np.partition(some, some.size - count)[some.size - count]
    places = np.flatnonzero(scores > least)
    if places.size < count:
        places = np.concatenate((places, np.flatnonzero(scores == least)[: count - places.size]))
    return np.asarray(places[np.lexsort((places, -scores[places]))][:count], dtype=np.int64)


def _none() -> Hits:
    return Hits(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
