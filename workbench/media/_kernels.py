"""Compiled inner loops of reading pictures. Compiled once and cached on disk; importing this module loads numba."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from workbench.recording import FloatArray, IntArray


@numba.njit(cache=True, nogil=True, fastmath=True)
def shrink(
    plane: NDArray[Any], edges_y: IntArray, edges_x: IntArray, rows: int, zero: float, one: float, out: FloatArray
) -> None:
    """Mean of each field of a grid over a plane, from a few of its rows: whole rows are read as fast as memory goes.

    Rows of even number only, so that an interlaced picture shows one instant and not two.

    plane : shape (height, at least width), whole numbers
    edges_y, edges_x : shape (n + 1,), first row or column of each field and the end of the last
    rows : most rows that are read of a field
    zero, one : values in the plane that become 0 and 1; results are held to what lies within 1 of 0
    out : shape (edges_y.size - 1, edges_x.size - 1), float32, written
    """
    height = plane.shape[0]
    columns = edges_x.size - 1
    scale = np.float32(1.0 / (one - zero))
    line = np.empty(plane.shape[1], dtype=np.uint32)
    width = np.uint64(edges_x[columns])  # indices without a sign let the compiler add many fields at once
    for field in range(edges_y.size - 1):
        top = edges_y[field]
        tall = max(1, edges_y[field + 1] - top)
        read = min(rows, max(1, tall // 2))
        line[:] = 0
        for k in range(read):
            y = (top + tall * (2 * k + 1) // (2 * read)) & ~1
            row = plane[min(y, height - 1)]
            for x in range(width):
                line[x] += row[x]
        for column in range(columns):
            left = np.uint64(edges_x[column])
            right = max(np.uint64(edges_x[column + 1]), left + np.uint64(1))
            total = np.uint32(0)
            for x in range(left, right):
                total += line[x]
            mean = np.float32(total) / np.float32(read * np.int64(right - left))
            out[field, column] = min(max((mean - np.float32(zero)) * scale, np.float32(-1.0)), np.float32(1.0))
