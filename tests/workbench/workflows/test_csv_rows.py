"""Records as CSV, as other readers read them."""

from __future__ import annotations

import csv
from io import StringIO

from workbench.files import write_rows


def test_rows_are_read_back_and_counted() -> None:
    out = StringIO(newline="")
    assert write_rows(out, ("name", "said"), (row for row in [("Ana", 'a, "b"\nc'), ("Ben", None)])) == 2
    assert "\r" not in out.getvalue()
    out.seek(0)
    assert list(csv.reader(out)) == [["name", "said"], ["Ana", 'a, "b"\nc'], ["Ben", ""]]
