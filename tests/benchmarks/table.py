"""What all benchmarks share: a table of measurements as Markdown, CPU time, the area under the ROC curve."""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass
class Table:
    """Rows of one measurement; `notes` say what the numbers mean and on what they were taken."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[object]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        """Append a row; floats are shown with three significant decimals."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{self.title}: {len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(cells)

    def markdown(self) -> str:
        """The table as GitHub Markdown, columns padded so that it reads in a terminal too."""
        cells = [[str(c) for c in self.columns], *[[show(c) for c in row] for row in self.rows]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
        lines.insert(1, " | ".join("-" * width for width in widths))
        body = "\n".join(f"| {line} |" for line in lines)
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"### {self.title}\n\n{body}\n{notes}"


def show(cell: object) -> str:
    """A cell as text: floats short, None as a dash."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.3f}" if abs(cell) < 10 else f"{cell:.1f}"
    return str(cell)


def measure_folder(about: str | None, tables: Callable[[Path], Iterable[Table]]) -> None:
    """The whole of a program whose command line names a folder: measure it and print the tables."""
    arguments = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    for table in tables(arguments.parse_args().folder):
        print(table.markdown())


def cpu(work: Callable[[], object], times: int = 3) -> float:
    """CPU seconds of the quickest of several runs."""
    spent = []
    for _ in range(times):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)


def children_cpu() -> float:
    """CPU seconds of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def auc(good: NDArray[np.floating] | Sequence[float], bad: NDArray[np.floating] | Sequence[float]) -> float:
    """How often one of the good scores above one of the bad, ties counting half; neither may be empty."""
    a, b = np.asarray(good)[:, None], np.asarray(bad)[None, :]
    return float(np.mean((a > b) + 0.5 * (a == b)))
