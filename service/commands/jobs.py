"""`workbench jobs`: the service's jobs, for its operator."""

from __future__ import annotations

from typing import Any

import click

from service.commands.records import database_of
from service.jobs import settle
from service.jobs.kinds import kind_of
from service.store import jobs
from service.store.jobs import Job
from workbench.cli.options import home_option
from workbench.cli.terminal import print_body, print_line
from workbench.errors import ParameterError
from workbench.store.home import Home

_STATES = ("queued", "waiting", "running", "complete", "failed")


@click.group("jobs")
def command() -> None:
    """List jobs, run failed ones again, and cancel those that are not done.

    \b
    Example:
      workbench jobs list --state failed | jq -r .job_id
    """


@command.command("list")
@click.option("--account", help="Only the jobs of this account.")
@click.option(
    "--state", "states", type=click.Choice(_STATES), multiple=True, help="Only jobs in this state; repeatable."
)
@click.option("--limit", type=click.IntRange(min=1), help="So many at most; without it, all that are remembered.")
@home_option
def list_jobs(account: str | None, states: tuple[str, ...], limit: int | None, home: Home) -> None:
    """Print jobs as JSON lines, the newest first.

    \b
    Example:
      workbench jobs list --state running --account acme
    """
    with database_of(home) as database, database.read() as connection:
        found = jobs.find(connection, account=account, states=states, most=limit)
    for job in found:
        print_line(_shown(job))


@command.command("retry")
@click.argument("job_id")
@home_option
def retry(job_id: str, home: Home) -> None:
    """Queue a failed job again, and print it. It is charged once, when it completes.

    \b
    Example:
      workbench jobs retry job_01J9Z3N8Q6W0
    """
    with database_of(home) as database, database.write() as connection:
        job = _known(connection, job_id)
        if job.state != "failed":
            raise ParameterError(f"{job_id} is {job.state}; only a failed job is run again")
        if not kind_of(job).queue_again(connection, job):
            raise ParameterError(f"another job does the work of {job_id} already; see `workbench jobs list`")
        again = _known(connection, job_id)
    print_body(_shown(again))


@command.command("cancel")
@click.argument("job_id")
@home_option
def cancel(job_id: str, home: Home) -> None:
    """End a job that is queued or running, and print it. Its poll says that it was cancelled; nothing is charged.

    The process of a running job is ended at its worker's next heartbeat, some seconds later.

    \b
    Example:
      workbench jobs cancel job_01J9Z3N8Q6W0
    """
    with database_of(home) as database, database.write() as connection:
        job = _known(connection, job_id)
        if settle.cancel(connection, job_id) is None:
            raise ParameterError(f"{job_id} is {job.state} already; there is nothing to cancel")
        ended = _known(connection, job_id)
    print_body(_shown(ended))


def _known(connection: Any, job_id: str) -> Job:
    found = jobs.get(connection, job_id)
    if found is None:
        raise ParameterError(f"no job {job_id!r}; `workbench jobs list` shows them")
    return found


def _shown(job: Job) -> dict[str, Any]:
    names = (
        "job_id", "kind", "queue", "account", "video_id", "track_id", "state", "stage", "attempt", "crashes", "fault",
        "created_at", "started_at", "finished_at",
    )  # fmt: skip
    return {name: getattr(job, name) for name in names}
