"""The supervisor: starts the processes of the service, restarts those that die, and stops all of them in order.

It imports only modules that need nothing but the standard library, so that no fault of the analysis or of the service
can end it. Each process prints `ready` on its standard output once it works; the supervisor copies everything else from
there to standard error. All processes end with the supervisor, even if it is killed, because their standard input
closes then (`service.processes.lifelines`).
"""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from service.processes.signals import drain, on_shutdown

_FIRST_PAUSE_SECONDS = 0.1  # before the first restart; doubled each time
_LONGEST_PAUSE_SECONDS = 10.0
_STABLE_SECONDS = 10.0  # the pause before a restart grows unless the process lived for so long
_MOST_FALSE_STARTS = 3  # of a needed process that was never ready


@dataclass
class Program:
    """A process that the supervisor restarts whenever it ends."""

    name: str
    command: Sequence[str]
    rank: int
    """processes of the highest rank are stopped first, those of the next rank when these have ended"""
    needed: bool = True
    """whether the service is not ready without this process"""
    pass_fds: tuple[int, ...] = ()

    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    ready: bool = field(default=False, init=False)
    was_ready: bool = field(default=False, init=False)
    false_starts: int = field(default=0, init=False)
    pause: float = field(default=_FIRST_PAUSE_SECONDS, init=False)
    not_before: float = field(default=0.0, init=False)
    unread: bytes = field(default=b"", init=False)
    started: float = field(default=0.0, init=False)

    def fileno(self) -> int:
        """The descriptor to select on: of its standard output."""
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout.fileno()


class FalseStart(Exception):
    """A needed process ended before it was ready, several times in a row."""


class Supervisor:
    """Starts processes, all with one environment, and restarts those that end.

    `on_ready` is called once, when every needed process has been ready; `on_stop` once, before the first process is
    stopped. Processes get `drain_seconds` to end after SIGTERM; then they are killed.
    """

    def __init__(
        self,
        programs: Sequence[Program],
        environment: Mapping[str, str],
        on_ready: Callable[[], None],
        drain_seconds: float,
        on_stop: Callable[[], None] = lambda: None,
    ) -> None:
        self._programs = list(programs)
        self._environment = environment
        self._on_ready = on_ready
        self._drain_seconds = drain_seconds
        self._on_stop = on_stop
        self._announced = False
        self._signals = 0
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Run the processes until SIGTERM or SIGINT, then stop them; a second signal kills them."""
        with self._selector, on_shutdown(self._selector, self._count_signal):
            try:
                while not self._signals:
                    self._start_due()
                    self._wait(self._seconds_to_wait())
                self._stop()
            finally:
                self._kill_all()

    def _count_signal(self) -> None:
        self._signals += 1

    def _start_due(self) -> None:
        now = time.monotonic()
        for program in self._programs:
            if program.process is None and now >= program.not_before:
                self._start(program)

    def _start(self, program: Program) -> None:
        program.process = subprocess.Popen(
            program.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=dict(self._environment),
            pass_fds=program.pass_fds,
            start_new_session=True,  # Ctrl-C at the terminal goes to the supervisor alone, which stops all in order
        )
        program.started, program.ready, program.unread = time.monotonic(), False, b""
        self._selector.register(program, selectors.EVENT_READ)

    def _seconds_to_wait(self) -> float | None:
        waiting = [program.not_before for program in self._programs if program.process is None]
        return max(0.0, min(waiting) - time.monotonic()) if waiting else None

    def _wait(self, seconds: float | None) -> None:
        """Wait for output or a signal for at most so many seconds, and handle it."""
        for selected, _ in self._selector.select(seconds):
            if isinstance(selected.fileobj, Program):
                self._read_output(selected.fileobj)
            elif isinstance(selected.fileobj, socket.socket):
                drain(selected.fileobj)

    def _read_output(self, program: Program) -> None:
        output = os.read(program.fileno(), 65536)
        if not output:
            self._handle_exit(program)
            return
        *lines, program.unread = (program.unread + output).split(b"\n")
        for line in lines:
            if line == b"ready" and not program.ready:
                self._mark_ready(program)
            else:
                sys.stderr.buffer.write(line + b"\n")
        sys.stderr.flush()

    def _mark_ready(self, program: Program) -> None:
        program.ready = program.was_ready = True
        program.false_starts = 0
        if not self._announced and all(other.was_ready for other in self._programs if other.needed):
            self._announced = True
            self._on_ready()

    def _handle_exit(self, program: Program) -> None:
        """Reap a process that has closed its output, and set the time of its restart."""
        status = self._reap(program)
        if self._signals:
            return
        print(f"workbench: {program.name} ended with status {status} and is started again", file=sys.stderr, flush=True)
        now = time.monotonic()
        lasting = program.ready and now - program.started >= _STABLE_SECONDS
        pause = _FIRST_PAUSE_SECONDS if lasting else program.pause
        program.not_before, program.pause = now + pause, min(_LONGEST_PAUSE_SECONDS, 2 * pause)
        if not program.was_ready:
            program.false_starts += 1
            if program.needed and program.false_starts >= _MOST_FALSE_STARTS:
                raise FalseStart(f"{program.name} does not start; its log above says why")
        program.ready = False

    def _reap(self, program: Program) -> int:
        process = program.process
        assert process is not None
        self._selector.unregister(program)
        try:
            status = process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        program.process = None
        return status

    def _stop(self) -> None:
        """Stop the processes rank by rank, the highest first."""
        self._on_stop()
        end = time.monotonic() + self._drain_seconds
        for rank in sorted({program.rank for program in self._programs}, reverse=True):
            for program in self._programs:
                if program.rank == rank and program.process is not None:
                    program.process.terminate()
            while self._is_any_running(rank) and self._signals < 2 and (left := end - time.monotonic()) > 0:
                self._wait(left)

    def _is_any_running(self, rank: int) -> bool:
        return any(program.process is not None for program in self._programs if program.rank == rank)

    def _kill_all(self) -> None:
        for program in self._programs:
            if program.process is not None:
                program.process.kill()
                self._reap(program)
