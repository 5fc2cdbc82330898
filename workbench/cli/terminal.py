"""Output of commands: results to standard output as JSON, progress to standard error.

A body is printed on one line for a pipe or a file, and indented on a terminal. Progress is a bar on a terminal;
elsewhere each stage is one line, so that a log stays readable.

Functions: `print_body`, `deliver_body`, `bytes_of`, `print_line`, `say`, `progress_bar`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from workbench.analysis.progress import Progress
from workbench.files import is_standard_output, is_stream, write_json

# Key in the `meta` of the command's context if a file is written to standard output
OUTPUT_TAKEN = "workbench.output_taken"
_REPORT_SECONDS = 30.0  # between two lines of one stage
_LEAST_SHARE = 0.01  # of a stage, that must be done before the time left is estimated from it


def print_body(body: Mapping[str, Any], *, err: bool | None = None) -> None:
    """Print one JSON object on standard output, or on standard error where a file is written to that, or as `err`."""
    context = click.get_current_context(silent=True)
    taken = (context is not None and OUTPUT_TAKEN in context.meta) if err is None else err
    indent = 2 if (sys.stderr if taken else sys.stdout).isatty() else None
    click.echo(json.dumps(body, ensure_ascii=False, allow_nan=False, indent=indent), err=taken)


def deliver_body(body: Mapping[str, Any], output: Path | None) -> None:
    """Write one JSON object to a file, whole or not at all; to standard output where none is given, or `-` is."""
    if output is not None and not is_standard_output(output):
        write_json(output, body)
    else:
        print_body(body, err=False)


def bytes_of(out: Path) -> dict[str, int]:
    """The field `bytes` of a body: the size of a written file; no field for a pipe or standard output."""
    return {} if is_stream(out) else {"bytes": out.stat().st_size}


def print_line(row: Mapping[str, Any]) -> None:
    """Print one JSON object as a line of JSON Lines, at once, so that a reader need not wait for the end."""
    click.echo(json.dumps(row, ensure_ascii=False, allow_nan=False))


def say(text: str) -> None:
    """Print a line for the user on standard error."""
    click.echo(text, err=True)


@contextmanager
def progress_bar(clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """Show the stages of a workflow on standard error while the block runs; yields what the workflow calls.

    Where the share of a stage goes back, the stage has started again: the time left is then estimated from there.
    """
    if not sys.stderr.isatty():
        yield _lines(clock)
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    left = TimeRemainingColumn(compact=True, elapsed_when_finished=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), left)
    with Bars(*columns, console=Console(stderr=True), transient=True, get_time=clock) as bars:
        tasks: dict[str, TaskID] = {}
        reached: dict[str, float] = {}

        def show(stage: str, done: float) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=1.0)
            elif done < reached[stage]:
                bars.reset(tasks[stage], total=1.0)
            reached[stage] = done
            bars.update(tasks[stage], completed=done)

        yield show


@dataclass(slots=True)
class _Stage:
    """A stage that is running, since it last began."""

    began_at: float
    began_with: float  # share that was done at `began_at`
    reached: float
    reported_at: float

    def seconds_left(self, now: float) -> float | None:
        """Time left by the pace since it began; None while next to nothing is done."""
        done = self.reached - self.began_with
        return (now - self.began_at) * (1.0 - self.reached) / done if done >= _LEAST_SHARE else None


def _lines(clock: Callable[[], float]) -> Progress:
    """One line for each stage when it begins, and for a long one another every half minute, with the time left."""
    stages: dict[str, _Stage] = {}

    def show(stage: str, done: float) -> None:
        now, known = clock(), stages.get(stage)
        if known is None:
            stages[stage] = _Stage(now, done, done, now)
            say(f"{stage} …")
            return
        if done < known.reached:
            known.began_at, known.began_with = now, done
        known.reached = done
        if now - known.reported_at >= _REPORT_SECONDS and 0.0 < done < 1.0:
            known.reported_at = now
            left = known.seconds_left(now)
            say(f"{stage}: {100 * done:.0f} %" + ("" if left is None else f", about {_duration(left)} left"))

    return show


def _duration(seconds: float) -> str:
    """A length of time in its usual unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
