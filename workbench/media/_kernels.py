"""Compiled inner loops of reading pictures. Compiled when they are first called, and cached on disk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray


@kernel(fastmath=True)
def shrink(
    plane: NDArray[Any],
    edges_y: IntArray,
    edges_x: IntArray,
    zero: float,
    one: float,
    line: NDArray[Any],
    out: FloatArray,
) -> None:
    """Mean of each field of a coarse grid over a plane, from three of its rows.

    The plane, shape (height, at least width), holds whole numbers, of which `zero` and `one` become 0 and 1; results
    are clipped to -1 to 1. The edges are the first row or column of each field and the end of the last. `line`, shape
    (at least width,), is scratch memory of a type that holds the sum of three values. `out` gets one value a field.
    """
    # Three rows stand for a field, which has 30 of them at 1080p: reading all would cost ten times the memory traffic.
    # The narrower the type of `line`, the more values one vector instruction adds.
    bottom = plane.shape[0] - 1
    columns = edges_x.size - 1
    scale = np.float32(1.0 / (one - zero))
    width = np.uint64(edges_x[columns])  # indices without a sign let the compiler add many fields at once
    wide = line.dtype.type
    for field in range(edges_y.size - 1):
        top = edges_y[field]
        tall = max(1, edges_y[field + 1] - top)
        read = min(3, max(1, tall // 2))
        # Even rows only: the odd ones of an interlaced picture show another instant.
        first = plane[min((top + tall // (2 * read)) & ~1, bottom)]
        second = plane[min((top + tall * 3 // (2 * read)) & ~1, bottom)]
        third = plane[min((top + tall * 5 // (2 * read)) & ~1, bottom)]
        if read == 3:
            for x in range(width):
                line[x] = wide(first[x]) + wide(second[x]) + wide(third[x])
        elif read == 2:
            for x in range(width):
                line[x] = wide(first[x]) + wide(second[x])
        else:
            for x in range(width):
                line[x] = first[x]
        for column in range(columns):
            left = np.uint64(edges_x[column])
            right = max(np.uint64(edges_x[column + 1]), left + np.uint64(1))
            total = np.uint32(0)
            for x in range(left, right):
                total += line[x]
            mean = np.float32(total) / np.float32(read * np.int64(right - left))
            out[field, column] = min(max((mean - np.float32(zero)) * scale, np.float32(-1.0)), np.float32(1.0))
