"""The pipe with which processes that accept jobs wake the process that runs them, on one machine.

A byte means that there may be work. Nothing depends on it: the job process also reads the job table at intervals, so a
lost byte delays a job but loses none. This module imports only the standard library.
"""

from __future__ import annotations

import os
from contextlib import suppress


class WakeupPipe:
    """One end of the pipe, if there is one: processes that accept jobs write, the worker reads."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        if descriptor is not None:
            os.set_blocking(descriptor, False)

    @property
    def enabled(self) -> bool:
        """Whether there is a pipe."""
        return self._descriptor is not None

    def fileno(self) -> int:
        """The descriptor to select on."""
        assert self._descriptor is not None
        return self._descriptor

    def notify(self) -> None:
        """Signal that there is work; does nothing if the pipe is full, which is signal enough, or has no reader."""
        if self._descriptor is not None:
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._descriptor, b"!")

    def drain(self) -> None:
        """Empty the pipe, so that the next `select` waits."""
        with suppress(BlockingIOError):
            os.read(self.fileno(), 65536)
