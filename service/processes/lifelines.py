"""Processes that do not outlive the one that started them.

Each has a lifeline: its standard input, a pipe whose other end only its parent holds. When the parent ends, however it
ends, the pipe closes and the process leaves. On Linux the kernel also sends a signal when a parent dies
(`PR_SET_PDEATHSIG`), which ends what is deep in a library that no other thread gets past. Job children read their
orders from the pipe and so see it close by themselves.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from threading import Thread

_PR_SET_PDEATHSIG = 1


def die_with(parent: int, lifeline: int | None = None) -> None:
    """End this process when its parent ends, however that ends.

    Parameters
    ----------
    parent : its process id; when it has gone already, this process exits at once
    lifeline : reading end of a pipe whose other end only the parent holds, and which nothing else reads; None for a
        process that reads it itself
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if lifeline is not None:
        Thread(target=_exit_at_end_of, args=(lifeline,), name="lifeline", daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _exit_at_end_of(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    os._exit(1)
