"""Compile the analysis kernels now, so that the first song does not wait for it.

The compiled code is cached on disk beside its source; later processes load it in milliseconds. The set-up calls
this as `python -m workbench.workflows.warm_up`.
"""

from __future__ import annotations

import sys
import time


def warm_up() -> float:
    """Compile every kernel that an analysis, a plan or a render uses; returns the seconds it took."""
    started = time.perf_counter()
    from workbench.beats import track

    track.warm_up()
    return time.perf_counter() - started


if __name__ == "__main__":
    print(f"[set-up] kernels compiled in {warm_up():.0f} s", file=sys.stderr)
