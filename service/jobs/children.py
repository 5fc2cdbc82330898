"""The parent's side of a process that runs jobs: starts it, gives it one job at a time, reads what it sends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from service.store.jobs import Job
from workbench.home import Home

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# What a process that decodes the files of strangers has no need to know.
_SECRETS = frozenset(("WORKBENCH_WEBHOOK_SECRET", "WORKBENCH_LINK_SECRET", "WORKBENCH_API_KEY"))
_START_SECONDS = 120.0  # to import what jobs use, on a machine that has much else to do
_COMMAND = (sys.executable, "-m", "service.jobs.child")


class Child:
    """One process. Its parent reads `messages` when `fileno` is readable.

    Parameters
    ----------
    home : the home folder
    pool : whose slots it fills: a queue's name
    command : what it runs, without arguments
    """

    def __init__(self, home: Home, pool: str, command: Sequence[str] = _COMMAND) -> None:
        self.pool = pool
        self.job: Job | None = None
        self.stage = ""
        self.deadline = 0.0
        """monotonic s, when it is to have done its job or, not ready yet, its imports; only while it has a job"""
        self.ready = False
        self.revision = ""
        """of the analysis that it answers with, once it is ready"""
        self._seconds = 0.0
        self.jobs_done = 0
        self._unread = b""
        # One job, one core: processes that each take all cores only hinder one another.
        environment = _ONE_THREAD | {name: value for name, value in os.environ.items() if name not in _SECRETS}
        self._process = subprocess.Popen(
            [*command, str(home.root), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=environment,
            start_new_session=True,  # a Ctrl-C at the terminal is for the parent, which ends its children in order
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def idle(self) -> bool:
        """Whether it may be given a job."""
        return self.job is None

    def fileno(self) -> int:
        """What to select on."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def give(self, job: Job, scratch: Path, seconds: float) -> bool:
        """Send it a job; False if it has died.

        Parameters
        ----------
        job : as it was claimed
        scratch : the job's own folder
        seconds : until its deadline, from when the process is ready
        """
        fields = {name: getattr(job, name) for name in Job.__slots__}
        fields["charge"] = None if job.charge is None else asdict(job.charge)
        order = {"job": fields, "scratch": str(scratch), "processor_seconds": seconds * (os.cpu_count() or 1)}
        assert self._process.stdin is not None
        self.job, self.stage, self._seconds = job, job.stage, seconds
        self.deadline = time.monotonic() + (seconds if self.ready else _START_SECONDS + seconds)
        try:
            os.write(self._process.stdin.fileno(), json.dumps(order).encode() + b"\n")
        except BrokenPipeError:
            return False
        return True

    def mark_ready(self, revision: str) -> None:
        """Note that its imports are done, and of which revision; the time of a job that it has already begins now."""
        self.revision = revision
        self.ready, self.deadline = True, time.monotonic() + self._seconds

    def read_messages(self) -> list[Mapping[str, Any]] | None:
        """The messages that it has sent since the last call; None if it has died."""
        data = os.read(self.fileno(), 2**20)
        if not data:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def detach_job(self) -> Job | None:
        """Take its job from it; returns the job."""
        job, self.job = self.job, None
        self.jobs_done += 1
        return job

    def kill(self) -> int:
        """Kill it and wait for its end; returns its exit status, negative for a signal."""
        self._process.kill()
        status = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        return status

    def reap(self) -> int:
        """Wait for a process that has closed its output, and kill it if it lingers; returns its exit status."""
        try:
            status = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return self.kill()
        self.kill()
        return status
