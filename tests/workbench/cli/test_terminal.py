"""Progress as it is printed: one line a stage, and an estimate of the time left that a person can believe."""

import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workbench.cli.terminal import progress_bar


class Clock:
    """Seconds that go on when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_long_stage_says_how_much_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with progress_bar(clock) as progress:
        progress("rendering", 0.0)
        for done in (0.2, 0.4, 0.6, 0.8):
            clock.now += 40.0
            progress("rendering", done)
        progress("rendering", 1.0)
    assert capsys.readouterr().err.splitlines() == [
        "rendering …",
        "rendering: 20 %, about 3 min left",
        "rendering: 40 %, about 2 min left",
        "rendering: 60 %, about 80 s left",
        "rendering: 80 %, about 40 s left",
    ]


def test_a_stage_that_starts_anew_estimates_from_there(capsys: pytest.CaptureFixture[str]) -> None:
    """An hour is done, then it starts from nothing: what is left follows from the new pace alone."""
    clock = Clock()
    with progress_bar(clock) as progress:
        progress("rendering", 0.0)
        clock.now += 3600.0
        progress("rendering", 0.96)
        clock.now += 40.0
        progress("rendering", 0.001)
        clock.now += 40.0
        progress("rendering", 0.101)
    assert capsys.readouterr().err.splitlines() == [
        "rendering …",
        "rendering: 96 %, about 3 min left",
        "rendering: 0 %",
        "rendering: 10 %, about 6 min left",
    ]


def test_next_to_nothing_done_is_no_ground_for_an_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with progress_bar(clock) as progress:
        progress("rendering", 0.0)
        clock.now += 60.0
        progress("rendering", 1e-5)
    assert capsys.readouterr().err.splitlines() == ["rendering …", "rendering: 0 %"]


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Standard error is a terminal of 100 columns; yields the end from which is read what it shows."""
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(theirs, "w", buffering=1, encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        yield ours
    os.close(ours)


def test_on_a_terminal_a_stage_that_starts_anew_starts_its_clocks_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    with terminal(monkeypatch) as screen:
        with progress_bar(clock) as progress:
            progress("rendering", 0.0)
            clock.now += 3600.0
            progress("rendering", 0.96)
            clock.now += 10.0
            progress("rendering", 0.0)
            clock.now += 10.0
            progress("rendering", 0.1)
            clock.now += 10.0
            progress("rendering", 0.2)
        shown = os.read(screen, 1 << 16).decode()
    last = shown.rsplit("rendering", 1)[1]
    assert "0:00:20" in last
    assert "01:20" in last
