"""The supervisor alone, over processes that do nothing but live, die and say that they are ready."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

LIVES = "import signal; print('ready', flush=True); signal.pause()"
SUPERVISE = """
import os, sys
from service.processes.supervisor import FalseStart, Program, Supervisor
limit, *programs = sys.argv[1:]
kept = [Program(f"program {number}", [sys.executable, "-c", code], rank=0) for number, code in enumerate(programs)]
try:
    Supervisor(kept, os.environ, lambda: print("all ready", flush=True), float(limit)).run()
except FalseStart as error:
    print(error, flush=True)
"""


def supervise(*programs: str, drain_seconds: float = 60.0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SUPERVISE, str(drain_seconds), *programs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_says_when_all_are_ready_and_stops_them_on_sigterm() -> None:
    with supervise(LIVES, LIVES) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "all ready\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=240) == 0


STAYS = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('ready', flush=True)
while True: signal.pause()
"""


def test_a_process_that_outlasts_the_drain_is_killed() -> None:
    with supervise(LIVES, STAYS, drain_seconds=1.0) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "all ready\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=240) == 0


def test_a_second_signal_ends_the_drain() -> None:
    with supervise(STAYS, drain_seconds=600.0) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "all ready\n"
        running.send_signal(signal.SIGTERM)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=240) == 0


def test_a_process_that_never_comes_up_is_given_up() -> None:
    with supervise(LIVES, "raise SystemExit(3)") as running:
        said, log = running.communicate(timeout=240)
    assert said == "program 1 does not start; its log above says why\n"
    assert log.count("program 1 ended with status 3") == 3


def test_a_process_that_dies_is_started_again(tmp_path: Path) -> None:
    mark = str(tmp_path / "mark")
    once = f"import pathlib; p = pathlib.Path({mark!r})\nif not p.exists(): p.touch(); raise SystemExit(1)\n"
    with supervise(once + LIVES) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "all ready\n"
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=240)
    assert running.returncode == 0


def test_what_a_process_prints_goes_to_the_log() -> None:
    with supervise("print('a word', flush=True)\n" + LIVES) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "all ready\n"
        running.send_signal(signal.SIGTERM)
        _, log = running.communicate(timeout=240)
    assert "a word" in log
