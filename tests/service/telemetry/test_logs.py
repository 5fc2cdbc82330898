"""Log lines are JSON on standard error, from the level that was asked for."""

from __future__ import annotations

import json
import os
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


ANSWERS = """
import asyncio
from service.telemetry.logs import AnswerLog, log_to_stderr
log_to_stderr({level!r})
answers = AnswerLog({level!r})
async def run():
    for number in range(60):
        answers.add(request_id=f"req_{{number}}", trace_id="0a", span_id="0b", method="GET", path='/v1/"\\n\\udcff',
                    status=200, account=None if number else "some", ms=12.35)
    await asyncio.sleep(0)
asyncio.run(run())
"""


def written(level: str) -> list[bytes]:
    """What the program writes at once: a pipe in packet mode keeps writes apart."""
    reading, writing = os.pipe2(os.O_DIRECT)
    subprocess.run([sys.executable, "-c", ANSWERS.format(level=level)], stderr=writing, check=True)
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        return list(iter(lambda: pipe.read(2**16), b""))


@pytest.mark.skipif(not hasattr(os, "O_DIRECT"), reason="only Linux has pipes that keep writes apart")
def test_answers_are_logged_a_line_each_some_at_once_and_never_more_than_a_pipe_takes_whole() -> None:
    packets = written("info")
    assert len(packets) < 10
    assert all(packet.endswith(b"\n") and len(packet) <= 4096 for packet in packets)
    found = [json.loads(line) for line in b"".join(packets).splitlines()]
    assert [line["request_id"] for line in found] == [f"req_{number}" for number in range(60)]
    assert list(found[0]) == [
        "request_id", "trace_id", "span_id", "method", "path", "status", "account", "ms", "event", "level", "timestamp"
    ]  # fmt: skip
    assert (found[0]["path"], found[0]["ms"], found[0]["account"]) == ('/v1/"\n\udcff', 12.35, "some")
    assert (found[1]["account"], found[1]["event"], found[1]["level"]) == (None, "answered", "info")
    assert written("warning") == []
