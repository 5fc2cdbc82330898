"""The history of the benchmarks: a line of `history.jsonl` for each run of one, with the few figures that are followed.

Times are compared on one machine alone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from workbench.errors import StoreError
from workbench.files import write_text

HERE = Path(__file__).parent
HISTORY = HERE / "history.jsonl"


class Followed(NamedTuple):
    """One cell of a benchmark's tables."""

    table: str
    row: tuple[str, ...]
    """the first cells of the row"""
    column: str

    @property
    def name(self) -> str:
        """As it stands in the history."""
        return f"{self.table}: {', '.join(self.row)}, {self.column}"


def _cells(table: str, row: tuple[str, ...], *columns: str) -> tuple[Followed, ...]:
    return tuple(Followed(table, row, column) for column in columns)


_SEAMS = "Splices with known answers, all tracks"
_CONFORM = "Conform: music that follows an edit"
_COST = "Align: cost from warm analyses"
_DUCKING = "Ducking in bands: 12 scenes of voices and music by others"
_RANKING = "Ranking without sync, ms"
_MEMORY = "analysis of a 10 min track, whole process"
FOLLOWED = {
    "beats": _cells("Beats: bundled tracks composed first", ("workbench-network",), "F", "downbeat F", "CPU s/s"),
    "seams": _cells(_SEAMS, ("all bad ones",), "AUC seam_score")
    + _cells(_SEAMS, ("near repeat",), "median seam_score"),
    "plans": _cells(
        "Whole plans, mean over the tracks that both loop", ("ours",), "level step LU", "beat dev ms", "CPU s/min"
    ),
    "cuts": _cells("Ingest, CPU seconds", ("640 by 360",), "ratio")
    + _cells("Ingest, CPU seconds", ("1920 by 1080",), "ratio"),
    "edits": _cells("Edits of edit lists", ("all",), "all found", "ms, median"),
    "conform": _cells(_CONFORM, ("follows, seams over 0.5",), "kept, share of seconds")
    + _cells(_CONFORM, ("planned anew",), "kept, share of seconds")
    + _cells(_CONFORM, ("keeps its ending by seams over 0.2",), "own ending kept"),
    "align": _cells("Align: planted truth", ("all",), "first within 20 ms", "AUC")
    + _cells(_COST, ("50 tracks against one video",), "CPU seconds"),
    "catalog-scale": _cells(_RANKING, ("1000000", "match"), "p99")
    + _cells(_RANKING, ("1000000", "underscore"), "p99")
    + _cells("Building a catalog", ("1000000",), "peak MB"),
    "catalog-batch": _cells("Analysing a catalog", ("1 process",), "times real time"),
    "duck-bands": _cells(_DUCKING, ("in bands",), "ESTOI", "music loses LU"),
    "service-load": _cells("Service: load", ("warm loop", "8"), "requests/s", "p99 ms")
    + _cells("Service: load", ("poll", "8"), "requests/s"),
    "speed": _cells("Analysis by stage, CPU seconds", ("slow_tide",), "ratio")
    + _cells("A plan from a warm analysis, ms", ("1 h",), "median")
    + _cells("Peak memory, MB", (_MEMORY,), "peak"),
}
"""by benchmark; those that are not here are tables to read, of which no cell stands for the rest"""


def followed_figures(name: str, section: str) -> dict[str, float]:
    """The figures of a run that are followed, by name; what the section has no number for is left out."""
    tables = {table.split("\n", 1)[0].strip(): table for table in re.split(r"^### ", section, flags=re.M)[1:]}
    found = {}
    for figure in FOLLOWED.get(name, ()):
        lines = [line for line in tables.get(figure.table, "").splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in line[1:].rstrip().removesuffix("|").split(" | ")] for line in lines]
        if len(rows) < 3 or figure.column not in rows[0]:
            continue
        at = rows[0].index(figure.column)
        for row in rows[2:]:
            if tuple(row[: len(figure.row)]) == figure.row:
                with suppress(ValueError, IndexError):  # a dash, where it does not apply
                    found[figure.name] = float(row[at])
    return found


def history_line(name: str, section: str, revision: str | None) -> dict[str, Any] | None:
    """A run as it is stored, None if no figure of it is followed; line 3 of the section has date and machine."""
    figures = followed_figures(name, section)
    stamp = re.search(r"^(\d{4}-\d\d-\d\d), (.*, \d+ cores), (.*)$", section, flags=re.M)
    if not figures or stamp is None:
        return None
    date, machine, software = stamp.groups()
    line = {"date": date, "machine": machine, "software": software, "revision": revision, "benchmark": name}
    return {**line, "figures": figures}


def append_run(name: str, section: str, history: Path = HISTORY) -> None:
    """Add a run to the history; a followed figure that the section lacks is named on standard error."""
    line = history_line(name, section, _revision())
    found = {} if line is None else line["figures"]
    if missing := [figure.name for figure in FOLLOWED.get(name, ()) if figure.name not in found]:
        print(f"[bench] not in this run: {'; '.join(missing)}", file=sys.stderr)
    if line is not None:
        old = history.read_text(encoding="utf-8") if history.exists() else ""
        write_text(history, old + json.dumps(line) + "\n", StoreError)


def _revision() -> str | None:
    """Of this checkout, with `+` where files differ from it; None outside of one."""
    try:
        head = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=HERE, capture_output=True, text=True)
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no", "--", "workbench", "service", "data"],
            cwd=HERE.parents[1], capture_output=True, text=True,
        )  # fmt: skip
    except OSError:
        return None
    if head.returncode != 0:
        return None
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")
