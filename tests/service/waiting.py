"""What tests wait for that processes of the service do in their own time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def until(condition: Callable[[], Any], what: str = "", seconds: float = 240.0) -> Any:
    """What a condition gives once it gives something; it is asked again and again."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {seconds:g} s: {what or condition}"
        time.sleep(0.02)
    return found


def gone(pid: int) -> bool:
    """Whether a process has ended, waited for or not."""
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
