"""Processes that do not outlive the one that started them.

Each has a lifeline: its standard input, a pipe whose other end only its parent holds. When the parent ends, even if it
is killed, the pipe closes and the process exits. On Linux the kernel also kills a process when its parent dies
(`PR_SET_PDEATHSIG`), even inside a library call that lets no other thread run. Job children read their jobs from the
pipe and so notice its end by themselves.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from threading import Thread

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>


def die_with(parent: int, lifeline: int | None = None) -> None:
    """End this process when its parent ends; at once, if it has ended already.

    `lifeline` is the descriptor of the pipe; None for a process that reads it itself.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if lifeline is not None:
        Thread(target=_exit_at_end_of, args=(lifeline,), name="lifeline", daemon=True).start()
    if os.getppid() != parent:  # it ended before the lines above were in force
        os._exit(1)


def _exit_at_end_of(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    os._exit(1)
