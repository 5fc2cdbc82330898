"""`workbench worker`: a job process alone, beside a `workbench serve --no-jobs` on the same database."""

from __future__ import annotations

import sys
from contextlib import ExitStack

import click

from service.commands.records import warn_if_open
from service.processes.lifelines import die_with
from service.processes.wakeup import WakeupPipe
from service.settings import ServiceSettings, load_service_settings
from service.store import jobs
from service.store.shared_files import problem_of_files
from service.store.tables import open_database
from workbench.cli.options import home_option
from workbench.errors import StoreError, require_extra
from workbench.store.home import Home
from workbench.store.settings import load_settings
from workbench.store.stored_files import open_files


@click.command("worker")
@click.option(
    "--queues",
    type=click.Choice(["all", "main", "beats"]),
    default="all",
    show_default=True,
    help="Which jobs to run: those of beats, all others, or both. Files are fetched in any case.",
)
@click.option(
    "--health-port",
    type=click.IntRange(0, 65_535),
    help="Answer /healthz, /readyz and /metrics there; 0: any free port.",
)
@click.option("--health-host", default="127.0.0.1", show_default=True, help="Address for that port.")
@click.option("--parent", type=int, hidden=True, help="Process to end with; `serve` gives it.")
@click.option(
    "--wakeup-fd", type=int, hidden=True, help="File descriptor on which it is woken for new work; `serve` passes it."
)
@home_option
def command(
    queues: str, health_host: str, health_port: int | None, parent: int | None, wakeup_fd: int | None, home: Home
) -> None:
    """Run jobs until SIGTERM, which lets what runs finish or gives it back to the queue.

    Prints `ready` once it works. Any number of workers on any number of machines share the database that
    WORKBENCH_DATABASE_URL names, and the files in the store that WORKBENCH_STORE_URL names or in one home folder. A
    worker that dies loses nothing: another one takes its jobs over.

    \b
    Example:
      workbench worker --queues beats
    """
    require_extra("service", "`workbench worker`")
    from service.jobs.health import HealthServer  # which need the extra
    from service.jobs.worker import JobParent
    from service.telemetry.logs import log_start, log_to_stderr
    from service.telemetry.spans import open_spans

    if parent is not None:
        die_with(parent, sys.stdin.fileno())
    core, settings = load_settings(), load_service_settings()
    log_to_stderr(core.log_level)

    def announce() -> None:
        log_start("worker", home.root)
        print("ready", flush=True)

    spans = open_spans(settings, "worker")
    home.prepared()
    if parent is None:  # else `serve` has said it
        warn_if_open(home)
    files, database = open_files(home, core), open_database(home, core)
    try:
        problem = problem_of_files(files, database)
        if problem is not None:
            raise StoreError(problem)
        wakeup, slots = WakeupPipe(wakeup_fd), _slots(queues, settings)
        worker = JobParent(home, database, settings, slots, files, announce, wakeup, spans=spans)
        with ExitStack() as stack:
            if health_port is not None:
                health = HealthServer(worker.owner, database, files, settings)
                port = stack.enter_context(health.listening(health_host, health_port))
                print(f"health on http://{health_host}:{port}", file=sys.stderr, flush=True)
            worker.run()
    finally:
        database.close()
        if spans is not None:
            spans.close()


def _slots(queues: str, settings: ServiceSettings) -> dict[str, int]:
    """Jobs of each queue that run at a time."""
    slots = {jobs.FETCH: settings.fetch_slots}
    if queues in ("all", jobs.MAIN):
        slots[jobs.MAIN] = settings.job_slots
    if queues in ("all", jobs.BEATS):
        slots |= {jobs.BEATS: settings.beats_slots, jobs.LONG_BEATS: 1}
    return slots
