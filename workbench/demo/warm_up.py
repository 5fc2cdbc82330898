"""Compile every kernel, those of the demo too: `python -m workbench.demo.warm_up`, as the set-up calls it."""

from __future__ import annotations

import sys
import time

from workbench.workflows import warm_up as analysis


def warm_up() -> float:
    """Compile every kernel of the package.

    Returns
    -------
    seconds that it took
    """
    started = time.perf_counter()
    import workbench.demo.video  # noqa: F401  its brushes compile when imported

    analysis.warm_up()
    return time.perf_counter() - started


if __name__ == "__main__":
    print(f"[set-up] kernels compiled in {warm_up():.0f} s", file=sys.stderr)
