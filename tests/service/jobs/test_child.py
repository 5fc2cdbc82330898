"""Limits of a job's process, tried in processes of their own."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


def test_more_memory_than_allowed_fails_and_less_does_not() -> None:
    done = run(
        "from service.jobs.child import limit_memory\n"
        "limit_memory(200 * 2**20)\n"
        "kept = bytearray(100 * 2**20)\n"
        "try:\n"
        "    bytearray(3 * 2**30)\n"
        "except MemoryError:\n"
        "    print('refused')\n"
    )
    assert (done.stdout, done.returncode) == ("refused\n", 0), done.stderr


def test_computing_for_longer_ends_the_process_and_a_new_limit_gives_more() -> None:
    done = run(
        "import resource\n"
        "from service.jobs.child import limit_processor\n"
        "limit_processor(100)\n"
        "limit_processor(0)\n"
        "print('begun', flush=True)\n"
        "while True: pass\n"
    )
    assert done.stdout == "begun\n"
    assert done.returncode == -signal.SIGXCPU
