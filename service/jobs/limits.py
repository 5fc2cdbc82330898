"""What one job may use of the machine: memory and processor time, set by the kernel on the job's own process.

Media from strangers is decoded there. A file that makes a decoder ask for everything costs its job, and nothing else.
Both limits are soft ones, so that a warm process can raise them for its next job.
"""

from __future__ import annotations

import sys

_SPARE_BYTES = 2**30  # what interpreter, libraries and compiled kernels have mapped before a job begins


def limit_memory(job_bytes: int) -> None:
    """Let this process allocate so much for its jobs; asking for more fails there, as MemoryError or as no memory."""
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_DATA, job_bytes + _SPARE_BYTES)
    _lower(resource.RLIMIT_CORE, 0)


def limit_processor(seconds: float) -> None:
    """Let this process compute for so much longer; then the kernel ends it (SIGXCPU)."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


def _lower(which: int, soft: int) -> None:
    import resource

    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
