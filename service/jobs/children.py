"""The parent's side of a process that runs jobs: starts it, sends it one job at a time, reads its messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from service.store.jobs import Job
from workbench.store.clock import monotonic_seconds
from workbench.store.home import Home

# Left out of the environment of a process that decodes files from strangers.
_SECRETS = frozenset(
    (
        "WORKBENCH_WEBHOOK_SECRET",
        "WORKBENCH_LINK_SECRET",
        "WORKBENCH_API_KEY",
        "OTEL_EXPORTER_OTLP_HEADERS",  # may hold the collector's key; a job's process sends nothing itself
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    )
)
_START_SECONDS = 120.0  # to import what jobs use, on a busy machine
_COMMAND = (sys.executable, "-m", "service.jobs.child")


class ChildProcess:
    """A process of the operating system: two pipes and an end."""

    def __init__(self, command: Sequence[str]) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in _SECRETS}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=environment,
            start_new_session=True,  # Ctrl-C at the terminal goes to the parent alone, which ends its children in order
        )
        self.pid = self._process.pid

    def fileno(self) -> int:
        """The descriptor to select on: readable when there is something to `read`."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def write(self, data: bytes) -> None:
        """Write to its standard input; BrokenPipeError if it has died."""
        assert self._process.stdin is not None
        os.write(self._process.stdin.fileno(), data)

    def read(self) -> bytes:
        """Its output; empty if it has died."""
        return os.read(self.fileno(), 2**20)

    def kill(self) -> int:
        """Kill it and wait for its end; returns its exit status, negative for a signal."""
        self._process.kill()
        status = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        return status

    def reap(self) -> int:
        """Wait for its end after it has closed its output, and kill it if it lingers; returns its exit status."""
        try:
            status = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return self.kill()
        self.kill()
        return status


class Child:
    """One process that runs jobs of the queue `pool`. Its parent calls `read_messages` when `fileno` is readable."""

    def __init__(
        self,
        home: Home,
        pool: str,
        command: Sequence[str] = _COMMAND,
        start: Callable[[Sequence[str]], ChildProcess] = ChildProcess,
    ) -> None:
        self.pool = pool
        self.job: Job | None = None
        self.stage = ""
        self.deadline = 0.0
        """monotonic s by which its job must have ended, with time for the imports until it is ready"""
        self.ready = False
        self.revision = ""
        """of its analysis, once it is ready"""
        self._seconds = 0.0
        self.jobs_done = 0
        self._unread = b""
        self.process = start([*command, str(home.root), str(os.getpid()), pool])

    def fileno(self) -> int:
        """The descriptor to select on: of its standard output."""
        return self.process.fileno()

    def give(self, job: Job, scratch: Path, seconds: float) -> bool:
        """Send it a job, whose deadline is `seconds` after the process is ready; False if the process has died."""
        fields = {name: getattr(job, name) for name in Job.__slots__}
        fields["charge"] = None if job.charge is None else asdict(job.charge)
        order = {"job": fields, "scratch": str(scratch), "processor_seconds": seconds * (os.cpu_count() or 1)}
        self.job, self.stage, self._seconds = job, job.stage, seconds
        self.deadline = monotonic_seconds() + (seconds if self.ready else _START_SECONDS + seconds)
        try:
            self.process.write(json.dumps(order).encode() + b"\n")
        except BrokenPipeError:
            return False
        return True

    def mark_ready(self, revision: str) -> None:
        """Record that its imports are done; the time of a job that it already has begins now."""
        self.revision = revision
        self.ready, self.deadline = True, monotonic_seconds() + self._seconds

    def read_messages(self) -> list[Mapping[str, Any]] | None:
        """Read the messages that it has sent since the last call; None if it has died."""
        data = self.process.read()
        if not data:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def detach_job(self) -> Job | None:
        """Take its job away and count it as done; returns the job."""
        job, self.job = self.job, None
        self.jobs_done += 1
        return job
