"""Compiled inner loops of seams. Compiled when they are first called, and cached on disk."""

from __future__ import annotations

import numpy as np

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray


@kernel(fastmath={"contract", "reassoc", "nsz"})
def add_products(rows: FloatArray, first: IntArray, second: IntArray, count: int, out: FloatArray) -> None:
    """Inner products of pairs of stretches of neighbouring rows, added to `out`.

    `rows` are float32, shape (n, features); pair k compares the `count` rows from `first[k]` and from `second[k]` on.
    """
    for k in range(first.size):
        total = np.float32(0.0)
        for row in range(count):
            for column in range(rows.shape[1]):
                total += rows[first[k] + row, column] * rows[second[k] + row, column]
        out[k] += total
