"""Linear algebra on one thread: said before numpy is loaded, and never against the user."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from service.processes.threads import ONE_THREAD

PROGRAM = """
import os, sys
from service.console import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    print([os.environ[name] for name in sys.stdin.read().split()])
"""


@pytest.mark.parametrize(("given", "used"), [({}, "1"), (dict.fromkeys(ONE_THREAD, "3"), "3")])
def test_the_command_uses_one_thread_unless_told_otherwise(given: dict[str, str], used: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD} | given
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True, text=True, check=True, env=environment, input=" ".join(ONE_THREAD),
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == str([used] * len(ONE_THREAD))
