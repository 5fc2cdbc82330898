"""The wakeup between the processes that accept jobs and the one that runs them, on one machine: a pipe.

A byte says that there may be work. Nothing depends on it: whoever runs jobs also looks by himself now and then, so
that a wakeup that is not heard costs a moment and no job. The module imports the standard library alone.
"""

from __future__ import annotations

import os
from contextlib import suppress


class WakeupPipe:
    """One end of the pipe.

    Parameters
    ----------
    descriptor : of the end that is written to, or of the one that is read from; None: there is no wakeup here
    """

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        if descriptor is not None:
            os.set_blocking(descriptor, False)

    @property
    def enabled(self) -> bool:
        """Whether there is one."""
        return self._descriptor is not None

    def fileno(self) -> int:
        """What to select on."""
        assert self._descriptor is not None
        return self._descriptor

    def notify(self) -> None:
        """Say that there is work. A full pipe has said so already, and where nobody listens nobody waits."""
        if self._descriptor is not None:
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(self._descriptor, b"!")

    def drain(self) -> None:
        """Take what was rung, so that the next wait lasts."""
        with suppress(BlockingIOError):
            os.read(self.fileno(), 65536)
