"""The history of the benchmarks as a page of the book: a picture a benchmark, each run a mark, oldest first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebooks.book.markdown import cell, table
from workbench.plots.palette import RULE, group_colour, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = 2
_LEAST_SPAN = 0.2
"""of a panel's height, as a share of its largest figure: a step of a hundredth is to look like one"""
_LETTERS = 58
"""of a title over one panel"""

Run = dict[str, Any]
"""a line of `tests/benchmarks/history.jsonl`"""


def read_history(path: Path) -> list[Run]:
    """All runs, in the order in which they were made."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write_history(folder: Path, runs: Sequence[Run]) -> None:
    """Write the page `benchmark_history.md` and its pictures."""
    machines = list(dict.fromkeys(run["machine"] for run in runs))
    parts = [
        "# History of the benchmarks\n",
        "Each mark is one run of `make bench` or `python -m tests.benchmarks.run NAME`, the oldest on the left; a "
        "colour is a machine. Times of two machines say nothing about the code, and those of one machine vary by a "
        "tenth or more. The tables of the last runs, with what each figure means, are in "
        "[the benchmarks](benchmarks.md).\n",
    ]
    (folder / "benchmark_history").mkdir()
    for name in dict.fromkeys(run["benchmark"] for run in runs):
        own = [run for run in runs if run["benchmark"] == name]
        picture = f"benchmark_history/{name}.png"
        history_figure(own, machines).savefig(folder / picture, dpi=80)
        rows = [
            [
                run["date"],
                cell(run["machine"]),
                cell(run["revision"]),
                *(_shown(run, figure) for figure in _figures(own)),
            ]
            for run in own
        ]
        parts += [
            f"## {name}\n",
            f"```{{image}} {picture}\n:alt: figures of {name}, run by run, as in the table below\n:class: drawn\n```\n",
            table(["date", "machine", "revision", *map(cell, _figures(own))], rows),
        ]
    (folder / "benchmark_history.md").write_text("\n".join(parts), encoding="utf-8")


def history_figure(runs: Sequence[Run], machines: Sequence[str]) -> Figure:
    """The figures of one benchmark from run to run, a panel each."""
    names = _figures(runs)
    lines = -(-len(names) // _COLUMNS)
    figure = new_figure(9.0, 0.7 + 1.6 * lines)
    panels = figure.subplots(lines, _COLUMNS, squeeze=False).ravel()
    for panel, name in zip(panels, names, strict=False):
        for number, machine in enumerate(machines):
            points = [
                (at, run["figures"][name])
                for at, run in enumerate(runs)
                if run["machine"] == machine and name in run["figures"]
            ]
            if points:
                colour = group_colour(number)
                panel.plot(*zip(*points, strict=True), "o-", color=colour, markersize=5, linewidth=1.0, label=machine)
        panel.set_title(_broken(name), fontsize=8, loc="left")
        panel.margins(0.15, 0.3)
        low, high = panel.get_ylim()
        values = [run["figures"][name] for run in runs if name in run["figures"]]
        least = _LEAST_SPAN * max(map(abs, values))
        if high - low < least:
            middle = (low + high) / 2
            panel.set_ylim(middle - least / 2, middle + least / 2)
        panel.set_xticks(range(len(runs)), [_day(runs, at) for at in range(len(runs))])
        panel.grid(axis="y", color=RULE, linewidth=0.8)
        quiet(panel)
    for panel in panels[len(names) :]:
        panel.remove()
    legend = dict(
        pair for panel in panels[: len(names)] for pair in zip(*panel.get_legend_handles_labels()[::-1], strict=True)
    )
    figure.legend(legend.values(), legend.keys(), loc="outside upper left", fontsize=8, frameon=False, ncols=3)
    return figure


def _figures(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for name in run["figures"]))


def _shown(run: Run, figure: str) -> str:
    value = run["figures"].get(figure)
    return "–" if value is None else f"{value:g}"


def _day(runs: Sequence[Run], at: int) -> str:
    """The day of a run, where the one before it has another."""
    day: str = runs[at]["date"]
    return day[5:] if at == 0 or runs[at - 1]["date"] != day else ""


def _broken(name: str) -> str:
    """Table in the first line, row and column in the second."""
    title, _, rest = name.rpartition(": ")
    return f"{title[:_LETTERS]}{'…' if len(title) > _LETTERS else ''}\n{rest}"
