"""Log lines are JSON on standard error, from the level that was asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import structlog
from service.telemetry.logs import log_to_stderr
log_to_stderr({level!r})
log = structlog.get_logger("of a test")
structlog.contextvars.bind_contextvars(request_id="req_1")
log.debug("quiet")
log.info("heard", count=2)
try:
    1 / 0
except ZeroDivisionError:
    log.exception("failed")
"""


def lines(level: str) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(level=level)], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_each_line_is_an_object_with_level_time_and_context() -> None:
    heard, failed = lines("info")
    assert (heard["event"], heard["level"], heard["count"], heard["request_id"]) == ("heard", "info", 2, "req_1")
    assert str(heard["timestamp"]).endswith("Z")
    assert "ZeroDivisionError" in str(failed["exception"])


def test_the_level_decides_what_is_written() -> None:
    assert [line["event"] for line in lines("debug")] == ["quiet", "heard", "failed"]
    assert [line["event"] for line in lines("error")] == ["failed"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_log_on_a_full_disk_fails_nothing() -> None:
    program = PROGRAM.format(level="info") + "\nprint('done')"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=full, text=True, check=False
        )
    assert done.stdout == "done\n"
