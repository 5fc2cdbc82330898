"""Compiled inner loops of the vector scan, and of sums over inverted files.

A half float is widened by moving its bits: sign, exponent and fraction go to their places in a float, whose exponent
counts from 127 rather than 15, which a multiplication by 2^112 puts right for subnormal numbers too. Done this way the
compiler turns it into vector instructions, and a scan runs at the speed of the memory; `astype` takes ten times as
long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.caches import kernel

REBIAS = np.float32(2.0**112)
"""factor that turns widened bits into the number: the difference of both biases, 127 - 15, as a power of two"""


# Of fastmath, "reassoc" lets the compiler sum in vector lanes; NaN and infinity keep their meaning.
@kernel(fastmath={"contract", "reassoc", "nsz"})
def scan_all(rows: Any, query: Any, scores: Any) -> None:  # pragma: no cover - compiled
    """Inner product of a query, float32, with every row, the bits of finite half floats as uint16, into `scores`."""
    n, d = rows.shape
    bits = np.empty(d, dtype=np.int32)
    widened = bits.view(np.float32)
    for i in range(n):
        for j in range(d):
            half = np.int32(rows[i, j])
            bits[j] = ((half & 0x7FFF) << 13) | ((half & 0x8000) << 16)
        total = np.float32(0.0)
        for j in range(d):
            total += widened[j] * query[j]
        scores[i] = total * REBIAS  # once a row, in place of once a number


@kernel(fastmath={"contract", "reassoc", "nsz"})
def scan_some(rows: Any, chosen: Any, query: Any, scores: Any) -> None:  # pragma: no cover - compiled
    """As `scan_all`, with the `chosen` rows alone."""
    d = rows.shape[1]
    bits = np.empty(d, dtype=np.int32)
    widened = bits.view(np.float32)
    for i in range(chosen.size):
        row = chosen[i]
        for j in range(d):
            half = np.int32(rows[row, j])
            bits[j] = ((half & 0x7FFF) << 13) | ((half & 0x8000) << 16)
        total = np.float32(0.0)
        for j in range(d):
            total += widened[j] * query[j]
        scores[i] = total * REBIAS


@kernel()
def add_entries(rows: Any, weights: Any, factor: Any, totals: Any) -> None:  # pragma: no cover - compiled
    """Add the entries of an inverted file, times a factor, to the totals of their rows.

    numpy's fancy indexing takes four times as long.
    """
    for i in range(rows.size):
        totals[rows[i]] += factor * weights[i]
