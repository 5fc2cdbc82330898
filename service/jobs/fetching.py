"""Fetching the file of a job from its address, in a process that does nothing else."""

from __future__ import annotations

from pathlib import Path

from service.fetch.addresses import FetchError
from service.fetch.download import FetchLimits, download
from service.jobs.kind import Context, JobFault, Outcome
from service.jobs.kinds import KINDS
from service.store.jobs import FETCHING_STAGE, Job


def fetch(job: Job, context: Context) -> Outcome:
    """Fetch the file of a job for the process that will run it, from the queue of its kind."""
    context.workspace.files.keep(_download(job, context), "fetched", job.job_id)
    return Outcome({}, billed=False, queue=KINDS[job.kind].queue)


def fetched(job: Job, context: Context) -> Path:
    """The file that was fetched for a job; fetched now if it is not there."""
    files = context.workspace.files
    found = files.find(files.place("fetched", job.job_id))
    return found if found is not None and found.exists() else _download(job, context)


def _download(job: Job, context: Context) -> Path:
    context.stage(FETCHING_STAGE)
    out = context.scratch / "fetched"
    try:
        download(str(KINDS[job.kind].address(job)), out, FetchLimits.of(context.settings), context.abandoned)
    except FetchError as error:
        raise JobFault(422, str(error)) from error
    return out
