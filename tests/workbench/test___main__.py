"""`python -m workbench` is the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_package_runs_as_the_command(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "workbench", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)

    known = run("--version")
    assert (known.returncode, known.stderr) == (0, "")
    assert known.stdout.startswith("workbench, version ")
    wrong = run("swep")
    assert wrong.returncode == 2
    assert "Did you mean sweep?" in wrong.stderr
