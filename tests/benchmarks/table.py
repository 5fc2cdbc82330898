"""A table of measurements, printed and written as Markdown: what every benchmark module's `run()` returns a list of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


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
