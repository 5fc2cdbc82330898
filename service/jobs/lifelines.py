"""Processes that do not outlive the one that started them.

Linux sends a signal when a parent dies (`PR_SET_PDEATHSIG`). Elsewhere a child that reads its parent's pipe sees it
close; job children do so anyway, and the others watch a descriptor that only their parent holds open.
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
    lifeline : reading end of a pipe whose other end only the parent holds; used where the kernel has no signal for it
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    elif lifeline is not None:
        Thread(target=_exit_at_end_of, args=(lifeline,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _exit_at_end_of(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    os._exit(1)
