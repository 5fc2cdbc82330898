"""Schemas of the bodies: valid ones, of this dialect, and what the module prints."""

from __future__ import annotations

import json
import subprocess
import sys

from workbench.results.schemas import schemas


def test_the_module_prints_them() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workbench.results.schemas"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == schemas()
