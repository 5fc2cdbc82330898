"""Processes of the service end with whoever started them, on every platform: their standard input closes then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ALONE = """
import os, signal, sys
from service.processes.lifelines import die_with
die_with(os.getppid(), sys.stdin.fileno())
print("ready", flush=True)
signal.pause()
"""


@pytest.mark.parametrize(
    "command",
    [
        ["-c", ALONE],
        ["-m", "service.ranking.process", "--home", "{home}", "--socket", "{home}/s", "--parent", "{parent}"],
        ["-m", "workbench", "worker", "--home", "{home}", "--parent", "{parent}"],
    ],
    ids=["alone", "ranking process", "job process"],
)
def test_a_process_ends_when_its_lifeline_does(command: list[str], tmp_path: Path) -> None:
    arguments = [part.format(home=tmp_path, parent=os.getpid()) for part in command if part != ALONE]
    if ALONE in command:
        arguments.append(ALONE)
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    with process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n", (tmp_path / "log").read_text()
        process.stdin.close()
        assert process.wait(timeout=120) == 1


def test_a_process_whose_parent_has_gone_already_ends_at_once() -> None:
    gone = "from service.processes.lifelines import die_with; die_with(1 if __import__('os').getppid() != 1 else 2)"
    done = subprocess.run([sys.executable, "-c", gone], check=False, timeout=120)
    assert done.returncode == 1
