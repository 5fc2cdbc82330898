"""Limits of one job on memory and processor time, which the kernel enforces on the job's own process.

The process decodes media from strangers. A file that makes a decoder exhaust its limits ends its job, and nothing else.
Both are soft limits, so that a warm process can raise them for its next job.
"""

from __future__ import annotations

import sys

_SPARE_BYTES = 2**30  # that interpreter, libraries and compiled kernels have mapped before a job begins


def limit_memory(job_bytes: int) -> None:
    """Limit the memory that this process can allocate for its jobs; beyond it, allocations fail.

    `job_bytes` come on top of what the process has mapped before its first job.
    """
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_DATA, job_bytes + _SPARE_BYTES)
    _lower(resource.RLIMIT_CORE, 0)


def limit_processor(seconds: float) -> None:
    """Limit the processor time of this process from now on; after it the kernel ends the process (SIGXCPU).

    `seconds` are summed over all cores.
    """
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


def _lower(which: int, soft: int) -> None:
    import resource

    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
