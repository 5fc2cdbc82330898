"""What goes where: results to standard output as JSON, progress to standard error.

A body is printed on one line where another program reads it, and indented where a person does. Progress is a bar on a
terminal; elsewhere each stage is one line, so that a log stays readable.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from workbench.workflows.progress import Progress

_TELL_SECONDS = 30.0


def print_body(body: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    indent = 2 if sys.stdout.isatty() else None
    click.echo(json.dumps(body, ensure_ascii=False, allow_nan=False, indent=indent))


def print_line(row: Mapping[str, Any]) -> None:
    """Print one JSON object as a line of JSON Lines, at once, so that a reader need not wait for the end."""
    click.echo(json.dumps(row, ensure_ascii=False, allow_nan=False))


def say(text: str) -> None:
    """Print a line for the person at the terminal, on standard error."""
    click.echo(text, err=True)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show the stages of a workflow on standard error while the block runs."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    left = TimeRemainingColumn(compact=True, elapsed_when_finished=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), left)
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: float) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=1.0)
            bars.update(tasks[stage], completed=done)

        yield show


def _lines() -> Progress:
    """One line a stage, when it begins; of a long one another each half minute, with an estimate of the time left."""
    begun: dict[str, float] = {}
    told: dict[str, float] = {}

    def show(stage: str, done: float) -> None:
        now = time.monotonic()
        if stage not in begun:
            begun[stage] = told[stage] = now
            say(f"{stage} …")
        elif now - told[stage] >= _TELL_SECONDS and 0.0 < done < 1.0:
            told[stage] = now
            left = (now - begun[stage]) * (1.0 - done) / done
            say(f"{stage}: {100 * done:.0f} %, about {_duration(left)} left")

    return show


def _duration(seconds: float) -> str:
    """A length of time as one says it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
