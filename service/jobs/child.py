"""The process that runs jobs, one at a time, and that its parent may kill at any time.

It reads one job a line from standard input and writes one message a line to its original standard output:

    {"ready": revision}                           once, when everything is imported
    {"stage": name, "at": s since 1970}           while a job runs
    {"outcome": …} | {"fault": …} | {"again": …}  the end of a job; `again`: home or database unavailable

Standard output itself is redirected to standard error, so that nothing a library prints is taken for a message. The
process settles nothing: it reads the database, records the use of stored answers, reserves the job's price, fills the
array store, and leaves the rest to its parent.

The kernel enforces limits on memory and processor time: a file from a stranger that makes a decoder exhaust them ends
its job, and nothing else. Both are soft limits, so that a warm process can raise them for its next job.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import structlog

from service.jobs.kind import Context, JobFault, Outcome
from service.processes.lifelines import die_with
from service.settings import ServiceSettings, load_service_settings
from service.store import jobs
from service.store.jobs import Job
from service.store.ledger import Charge
from service.store.tables import SCHEMA
from service.telemetry.logs import log_to_stderr
from workbench.analysis.workspace import Workspace
from workbench.errors import StoreError
from workbench.store.clock import wall_seconds
from workbench.store.home import Home
from workbench.store.settings import load_settings

if sys.platform != "win32":
    import resource

_SPARE_BYTES = 2**30  # that interpreter, libraries and compiled kernels have mapped before a job begins
_NICENESS = 5  # HTTP processes of the same machine have priority
_NICENESS_OF_LONG_JOBS = 15

Run = Callable[[Job, Context], Outcome]

log = structlog.get_logger("service.jobs")


def main(load: Callable[[], tuple[Run, str]]) -> None:
    """Run jobs until standard input ends. Arguments of the process: the home folder, its parent's process id, its pool.

    `load` imports what jobs use before the first one; it returns what runs them, and the revision of the analysis.
    """
    home, parent = Home(Path(sys.argv[1])), int(sys.argv[2])
    die_with(parent)
    messages = _take_stdout()
    core, settings = load_settings(), load_service_settings()
    log_to_stderr(core.log_level)
    os.nice(_NICENESS_OF_LONG_JOBS if sys.argv[3] == jobs.LONG_BEATS else _NICENESS)
    run, revision = load()
    limit_memory(settings.job_memory_bytes)
    send = _sender(messages)
    send({"ready": revision})
    workspace = Workspace(home, settings=core, schemas=(SCHEMA,))
    for line in sys.stdin:
        order = json.loads(line)
        limit_processor(order["processor_seconds"])
        try:
            context = _context(workspace, settings, revision, Path(order["scratch"]), send, parent)
            job = _job(order["job"])
            with structlog.contextvars.bound_contextvars(trace_id=job.trace_id):
                send(_run_job(run, job, context))
        except StoreError as error:
            send({"again": str(error)})
        finally:
            workspace.forget_recordings()


def _job(fields: dict[str, Any]) -> Job:
    charge = fields["charge"]
    return Job(**{**fields, "charge": None if charge is None else Charge(**charge)})


def _context(
    workspace: Workspace,
    settings: ServiceSettings,
    revision: str,
    scratch: Path,
    send: Callable[[dict[str, Any]], None],
    parent: int,
) -> Context:
    last: list[str] = []

    def stage(name: str) -> None:
        if last[-1:] != [name]:
            last[:] = [name]
            send({"stage": name, "at": wall_seconds()})

    return Context(
        workspace=workspace,
        settings=settings,
        revision=revision,
        scratch=scratch,
        stage=stage,
        abandoned=lambda: os.getppid() != parent,
    )


def _run_job(run: Run, job: Job, context: Context) -> dict[str, Any]:
    """Run one job and return the message about its end; the only exception that leaves it is StoreError."""
    try:
        return {"outcome": run(job, context).to_json()}
    except JobFault as fault:
        return {"fault": {"status": fault.status, "message": str(fault)}}
    except StoreError:
        raise
    except MemoryError:
        log.error("out of memory", job_id=job.job_id, kind=job.kind)
        return {"fault": {"status": 500, "message": "it needs more memory than a job may have", "spent": True}}
    except Exception as error:
        log.error("job failed", job_id=job.job_id, kind=job.kind, exc_info=error)
        return {"fault": {"status": 500, "message": "an error of ours; it was logged under this job's id"}}


def _take_stdout() -> TextIO:
    """Keep the standard output, which the parent reads, for messages, and redirect other output to standard error."""
    messages = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return messages


def _sender(messages: TextIO) -> Callable[[dict[str, Any]], None]:
    def send(message: dict[str, Any]) -> None:
        messages.write(json.dumps(message, allow_nan=False) + "\n")
        messages.flush()

    return send


def limit_memory(job_bytes: int) -> None:
    """Limit the memory that this process can allocate for its jobs; beyond it, allocations fail."""
    if sys.platform != "win32":
        _lower(resource.RLIMIT_DATA, job_bytes + _SPARE_BYTES)
        _lower(resource.RLIMIT_CORE, 0)


def limit_processor(seconds: float) -> None:
    """Limit the processor time, over all cores, from now on; after it the kernel ends the process (SIGXCPU)."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 1)


def _lower(which: int, soft: int) -> None:
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def load_workflows() -> tuple[Run, str]:
    """Import what runs jobs; returns it, and the revision of the analysis."""
    import numba  # noqa: F401 - kernels load it when one is first called, and the first job is not to wait

    from service.jobs import revision, runs

    return runs.run, revision.analysis_revision()


def load_download() -> tuple[Run, str]:
    """Import what fetches files; returns it, and no revision, as no result depends on it."""
    from service.jobs.fetching import fetch

    return fetch, ""


if __name__ == "__main__":
    main(load_download if sys.argv[3] == jobs.FETCH else load_workflows)
