"""Compile the analysis kernels now, so that the first song does not wait for it.

The compiled code is cached on disk beside its source; later processes load it in milliseconds. The set-up calls
this as `python -m workbench.workflows.warm_up`.
"""

from __future__ import annotations

import sys
import time


def warm_up() -> float:
    """Compile every kernel that an analysis, a render or the demo film uses; returns the seconds it took."""
    started = time.perf_counter()
    import numpy as np

    import workbench.workflows.demo_film  # noqa: F401  its brushes compile when imported
    from workbench.beats import track
    from workbench.features.loudness import integrated_lufs, momentary, true_peak_db
    from workbench.mix.limiter import limit

    track.warm_up()
    rate = 44_100
    loud = np.sin(np.arange(4 * rate, dtype=np.float32))[np.newaxis].repeat(2, axis=0)
    limit(loud, rate)
    for meter in (integrated_lufs, momentary):
        meter(loud, rate)
    true_peak_db(loud)
    return time.perf_counter() - started


if __name__ == "__main__":
    print(f"[set-up] kernels compiled in {warm_up():.0f} s", file=sys.stderr)
