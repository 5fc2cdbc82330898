"""Records as CSV: a head, and a row each.

Functions: `write_rows`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO


def write_rows(out: TextIO, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write rows below a head, with None for nothing; returns the rows below the head."""
    written = list(rows)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(written)
    return len(written)
