"""The bell between the processes that accept jobs and the one that runs them, on one machine: a pipe.

A byte says that there may be work. Nothing depends on it: whoever runs jobs also looks by himself now and then, so
that a bell that is not heard costs a moment and no job. The module imports the standard library alone.
"""

from __future__ import annotations

import os
from contextlib import suppress


class Bell:
    """One end of the pipe.

    Parameters
    ----------
    descriptor : of the end that is written to, or of the one that is read from; None: there is no bell here
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        if descriptor is not None:
            os.set_blocking(descriptor, False)

    @property
    def hangs(self) -> bool:
        """Whether there is one."""
        return self._descriptor is not None

    def fileno(self) -> int:
        """What to select on."""
        assert self._descriptor is not None
        return self._descriptor

    def ring(self) -> None:
        """Say that there is work. A full pipe has said so already, and where nobody listens nobody waits."""
        if self._descriptor is not None:
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._descriptor, b"!")

    def heard(self) -> None:
        """Take what was rung, so that the next wait lasts."""
        with suppress(BlockingIOError):
            os.read(self.fileno(), 65536)
