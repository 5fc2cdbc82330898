"""Progress as it is printed: one line a stage, and an estimate of the time left that a person can believe."""

import errno
import os
import pty
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Standard error is a terminal of 100 columns; what it showed is in the list once the block has ended."""
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    shown: list[str] = []
    # The kernel passes on what is written in its own time and in parts: only the end of the terminal ends it.
    with ThreadPoolExecutor(1) as reader:
        screen = reader.submit(_everything, ours)
        with os.fdopen(theirs, "w", buffering=1, encoding="utf-8") as stream:
            monkeypatch.setattr("sys.stderr", stream)
            yield shown
        shown.append(screen.result())
    os.close(ours)


def _everything(terminal: int) -> str:
    """What is written to a terminal until its other end is closed."""
    parts = []
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError as error:
            if error.errno != errno.EIO:  # the other end is closed
                raise
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode()


def test_on_a_terminal_a_stage_that_starts_anew_starts_its_clocks_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    with terminal(monkeypatch) as shown, progress_bar(clock) as progress:
        progress("rendering", 0.0)
        clock.now += 3600.0
        progress("rendering", 0.96)
        clock.now += 10.0
        progress("rendering", 0.0)
        clock.now += 10.0
        progress("rendering", 0.1)
        clock.now += 10.0
        progress("rendering", 0.2)
    last = shown[0].rsplit("rendering", 1)[1]
    assert "0:00:20" in last
    assert "01:20" in last
