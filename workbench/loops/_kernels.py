"""Compiled inner loops of seams. Compiled once and cached on disk; importing this module loads numba."""

from __future__ import annotations

import numpy as np

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray


@kernel(fastmath={"contract", "reassoc", "nsz"})
def add_products(rows: FloatArray, first: IntArray, second: IntArray, count: int, out: FloatArray) -> None:
    """Inner products of pairs of stretches of neighbouring rows, added to `out`.

    Parameters
    ----------
    rows : shape (n, features), float32
    first, second : shape (n_pairs,), the row at which each stretch begins
    count : rows of a stretch
    out : shape (n_pairs,), float32, added to
    """
    for k in range(first.size):
        total = np.float32(0.0)
        for row in range(count):
            for column in range(rows.shape[1]):
                total += rows[first[k] + row, column] * rows[second[k] + row, column]
        out[k] += total
