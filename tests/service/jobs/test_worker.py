"""The job parent: what it does with jobs that end well, badly or never."""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from service.jobs import settle
from service.jobs.children import Child
from service.jobs.worker import JobParent
from service.settings import ServiceSettings
from service.store import answers, jobs, shared_values, tables, workers
from workbench.store.clock import SystemClock, now, using
from workbench.store.home import Home
from workbench.store.stored_files import StoredFiles

if TYPE_CHECKING:
    from .conftest import Workshop

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""What differs between databases is tested in test_jobs.py and, with processes, in test_kills.py."""


def settled_lines(workshop: Workshop) -> str:
    """What the log says of jobs that have ended."""
    return "\n".join(line for line in workshop.log().splitlines() if '"job settled"' in line)


def test_jobs_end_as_they_should(workshop: Workshop) -> None:
    """One worker, one job of each fate, so that the processes are started once."""
    workshop.ready(workshop.start(main=1, beats=1))
    (good,) = workshop.submit({"do": "answer"})
    done = workshop.settled(good)
    assert done.answer == {"attempt": 1, "scratch": True}
    with workshop.database.read() as connection:
        assert answers.use(connection, f"tiny:{good.build}") == done.answer
        assert shared_values.get(connection, shared_values.ANALYSIS_REVISION) == "revision of the tests"
        assert [worker.queues for worker in workers.list_alive(connection, 30.0)] == [("main", "beats")]
    # a job is settled before its files are cleared away, lest they be gone while it could be run again
    workshop.wait_for(lambda: not (workshop.home / "scratch" / good.job_id).exists(), "its files are cleared away")

    (fault,) = workshop.submit({"do": "fault"}, kind="align")
    assert workshop.settled(fault).fault == {"status": 422, "type": "invalid_request", "message": "it cannot be done"}
    workshop.wait_for(lambda: f'"{fault.job_id}", "trace_id"' in settled_lines(workshop), "it is in the log")
    assert '"outcome": "failed", "ours": true, "problem": "it cannot be done"' in settled_lines(workshop)

    (error,) = workshop.submit({"do": "error"}, kind="align")
    told = workshop.settled(error).fault
    assert told is not None
    assert told["status"] == 500
    assert "Zero" not in told["message"]
    assert "ZeroDivisionError" in workshop.log()

    (refused,) = workshop.submit({"do": "error"})
    answer = workshop.settled(refused).answer
    assert answer is not None
    assert (answer["applicable"], answer["plan"]["reason"], answer["retryable"]) == (False, "profile_error", True)

    (again,) = workshop.submit({"do": "no store"}, kind="align")
    later = workshop.settled(again)
    assert (later.state, later.attempt) == ("complete", 2)

    first, second = workshop.submit({"hash": "aa"}, {"hash": "aa"}, kind="beats")
    cached = [(workshop.settled(job).answer or {})["cached"] for job in (first, second)]
    assert cached == [False, True]

    (misfit,) = workshop.submit({"hash": None}, kind="beats")  # the table of mapped bytes refuses it
    assert workshop.settled(misfit).state == "failed"

    billed = {entry.subject for entry in workshop.ledger()}
    assert billed == {good.job_id, again.job_id, first.job_id, second.job_id}


@pytest.mark.slow
def test_a_job_that_kills_its_process_three_times_is_given_up(workshop: Workshop) -> None:
    workshop.ready(workshop.start(main=2, beats=1))
    loop, align, beats = (workshop.submit({"do": "die"}, kind=kind)[0] for kind in ("loop", "align", "beats"))
    (after,) = workshop.submit({})
    refused = workshop.settled(loop)
    assert (refused.state, refused.attempt) == ("complete", 3)
    assert refused.answer is not None
    assert (refused.answer["plan"]["reason"], refused.answer["retryable"]) == ("profile_error", True)
    for job, status in ((align, 500), (beats, 422)):
        failed = workshop.settled(job)
        assert (failed.state, failed.attempt, (failed.fault or {})["status"]) == ("failed", 3, status)
    assert workshop.settled(after).state == "complete"
    assert [entry.subject for entry in workshop.ledger()] == [after.job_id]


def test_a_runaway_job_is_ended_at_its_deadline(workshop: Workshop) -> None:
    workshop.deadline = 1.0
    workshop.ready(workshop.start())
    loop, align = (workshop.submit({"do": "spin"}, kind=kind)[0] for kind in ("loop", "align"))
    refused = workshop.settled(loop).answer
    assert refused is not None
    assert (refused["plan"]["reason"], refused["retryable"]) == ("timeout", True)
    assert (workshop.settled(align).fault or {})["status"] == 500
    assert workshop.ledger() == []


def test_a_job_that_wants_all_memory_costs_itself_alone(workshop: Workshop) -> None:
    workshop.settings["WORKBENCH_JOB_MEMORY_BYTES"] = str(2**30)
    workshop.ready(workshop.start())
    hoard, after = (workshop.submit({"do": do}, kind="align")[0] for do in ("hoard", "answer"))
    assert "memory" in (workshop.settled(hoard).fault or {})["message"]
    assert workshop.settled(after).state == "complete"


def test_sigterm_lets_what_runs_finish_and_exits_0(workshop: Workshop, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    worker = workshop.ready(workshop.start())
    (running,) = workshop.submit({"do": "wait", "gate": str(gate)})
    workshop.staged(running, "waiting")
    worker.send_signal(signal.SIGTERM)
    (late,) = workshop.submit({})
    gate.touch()
    assert worker.wait(timeout=240) == 0
    assert workshop.read(running).state == "complete"
    assert workshop.read(late).state == "queued"
    with workshop.database.read() as connection:
        assert workers.list_alive(connection, 30.0) == []


@pytest.mark.slow
def test_what_outlasts_the_drain_goes_back_to_the_queue(workshop: Workshop, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    workshop.settings["WORKBENCH_JOB_DRAIN_SECONDS"] = "0.5"
    worker = workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    workshop.staged(job, "waiting")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=240) == 0
    again = workshop.read(job)
    assert (again.state, again.owner, again.crashes) == ("queued", None, 0)
    assert f'{{"job_id": "{job.job_id}", "trace_id": null, "kind": "loop", "event": "job given back"' in workshop.log()
    assert not (workshop.home / "scratch" / job.job_id).exists()
    gate.touch()
    workshop.start()
    assert workshop.settled(job).state == "complete"
    assert len(workshop.ledger()) == 1


@pytest.mark.slow
def test_after_an_update_children_of_the_old_analysis_are_replaced(workshop: Workshop, tmp_path: Path) -> None:
    """Answers are found by one revision, so all that is answered from now on is of it."""
    file = tmp_path / "revision"
    file.write_text("old")
    workshop.settings |= {"TINY_REVISION": "", "TINY_REVISION_FILE": str(file)}
    workshop.ready(workshop.start(main=2))

    def revision() -> str | None:
        with workshop.database.read() as connection:
            return shared_values.get(connection, shared_values.ANALYSIS_REVISION)

    workshop.settled(workshop.submit({"do": "revision"})[0])
    assert revision() == "old"
    file.write_text("new")
    workshop.settled(workshop.submit({"do": "die"})[0])
    workshop.wait_for(lambda: revision() == "new", "the update is noticed")
    done = [workshop.settled(job).answer for job in workshop.submit(*[{"do": "revision"}] * 4)]
    assert done == [{"revision": "new"}] * 4


@pytest.mark.slow
def test_a_dead_workers_job_goes_to_another_one(workshop: Workshop, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    dead = workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    held = workshop.staged(job, "waiting")
    dead.send_signal(signal.SIGKILL)
    dead.wait()
    workshop.start()
    gate.touch()
    done = workshop.settled(job)
    assert (done.state, done.attempt, done.crashes) == ("complete", 2, 0)
    assert done.owner != held.owner
    assert len(workshop.ledger()) == 1


@pytest.mark.slow
def test_a_job_whose_workers_are_killed_with_their_children_is_done_however_often(
    workshop: Workshop, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    for _ in range(settle.MOST_CRASHES + 1):
        worker = workshop.ready(workshop.start())
        workshop.staged(job, "waiting")
        (child,) = workshop.children_of(worker)
        workshop.kill(child)  # first, as `pkill` and a stopping machine may
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        with workshop.database.write() as connection:
            ended = tables.jobs.update().where(tables.jobs.c.job_id == job.job_id)
            connection.execute(ended.values(lease_until=now(-1), stage="lost"))
    gate.touch()
    workshop.start()
    done = workshop.settled(job)
    assert (done.state, done.attempt, done.crashes) == ("complete", settle.MOST_CRASHES + 2, 0)
    assert len(workshop.ledger()) == 1


def test_a_child_that_dies_while_its_worker_is_told_to_stop_is_no_crash(workshop: Workshop, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    worker = workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    workshop.staged(job, "waiting")
    (child,) = workshop.children_of(worker)
    worker.send_signal(signal.SIGSTOP)  # so that it learns of both at once, however busy this machine is
    workshop.kill(child)
    worker.send_signal(signal.SIGTERM)
    worker.send_signal(signal.SIGCONT)
    assert worker.wait(timeout=240) == 0
    again = workshop.read(job)
    assert (again.state, again.owner, again.crashes) == ("queued", None, 0)


def test_long_jobs_leave_a_slot_to_short_ones(workshop: Workshop, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    workshop.ready(workshop.start(main=2))
    long = workshop.submit({"do": "wait", "gate": str(gate)}, {"do": "wait", "gate": str(gate)}, kind="engine")
    workshop.staged(long[0], "waiting")
    (short,) = workshop.submit({})
    assert workshop.settled(short).state == "complete"
    assert workshop.read(long[1]).state == "queued"
    gate.touch()
    assert [workshop.settled(job).state for job in long] == ["complete", "complete"]


@pytest.mark.slow
def test_a_worker_that_wakes_too_late_changes_nothing(workshop: Workshop, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    asleep = workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    held = workshop.staged(job, "waiting")
    workshop.put_to_sleep(asleep)
    awake = workshop.ready(workshop.start())
    gate.touch()
    done = workshop.settled(job)
    assert (done.attempt, done.crashes, done.owner != held.owner) == (2, 0, True)
    asleep.send_signal(signal.SIGCONT)  # it has an outcome to settle now, for a job that is not its own any more
    workshop.wait_for(lambda: '"ours": false' in workshop.log() or "job lost" in workshop.log(), "it notices")
    assert workshop.read(job) == done
    assert len(workshop.ledger()) == 1
    awake.send_signal(signal.SIGTERM)
    awake.wait(timeout=240)
    (later,) = workshop.submit({})
    assert workshop.settled(later).owner == held.owner  # and works on


@pytest.mark.slow
def test_a_run_that_was_given_up_and_goes_on_has_files_of_its_own(workshop: Workshop, tmp_path: Path) -> None:
    """Found by seed 62 of the simulation: half of a file that the second run was fetching was kept by the first."""
    gate, scratch = tmp_path / "gate", workshop.home / "scratch"
    asleep = workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    workshop.staged(job, "waiting")
    (first,) = scratch.glob("*/*")
    (first / "fetched.part").write_bytes(b"half")
    workshop.put_to_sleep(asleep)  # its child goes on
    workshop.ready(workshop.start())
    workshop.wait_for(
        lambda: workshop.read(job).attempt == 2 and len(list(scratch.glob("*/*"))) == 2, "it is run again"
    )
    assert (first / "fetched.part").read_bytes() == b"half"
    asleep.send_signal(signal.SIGCONT)
    workshop.wait_for(lambda: "job lost" in workshop.log(), "it notices")
    workshop.wait_for(lambda: not first.exists(), "it clears away what was its own")
    (second,) = scratch.glob("*/*")
    assert second.is_dir()
    gate.touch()
    assert workshop.settled(job).attempt == 2
    workshop.wait_for(lambda: not list(scratch.iterdir()), "nothing is left")


def test_a_kind_that_only_a_newer_version_knows_is_left_to_it(workshop: Workshop) -> None:
    (newer,) = workshop.submit({}, kind="newer")
    workshop.ready(workshop.start())
    assert workshop.settled(workshop.submit({})[0]).state == "complete"
    assert (workshop.read(newer).state, workshop.read(newer).attempt) == ("queued", 0)


def test_no_file_is_fetched_while_as_many_wait_as_there_are_slots(workshop: Workshop) -> None:
    fetched = workshop.home / "fetched"
    fetched.mkdir()
    waiting = workshop.submit({}, {}, kind="beats")  # whose files wait for a worker that runs beats
    for job in waiting:
        (fetched / job.job_id).touch()
    workshop.ready(workshop.start(main=1, fetch=1))
    (behind,) = workshop.submit({}, queue=jobs.FETCH)
    for _ in range(2):  # each is claimed in a look that would claim the fetch too
        assert workshop.settled(workshop.submit({})[0]).state == "complete"
    assert (workshop.read(behind).state, workshop.read(behind).attempt) == ("queued", 0)
    (fetched / waiting[0].job_id).unlink()
    assert workshop.settled(behind).state == "complete"


def test_files_of_long_sound_that_wait_stop_no_fetch(workshop: Workshop) -> None:
    fetched = workshop.home / "fetched"
    fetched.mkdir()
    for job in workshop.submit({}, {}, {}, kind="beats", queue=jobs.LONG_BEATS):
        (fetched / job.job_id).touch()
    workshop.ready(workshop.start(main=1, fetch=1))
    (behind,) = workshop.submit({}, queue=jobs.FETCH)
    assert workshop.settled(behind).state == "complete"


@pytest.mark.slow
def test_what_settled_jobs_left_does_not_stop_fetching_for_good(workshop: Workshop) -> None:
    fetched = workshop.home / "fetched"
    workshop.ready(workshop.start(main=1, fetch=1))
    assert workshop.settled(workshop.submit({})[0]).state == "complete"  # the first sweep is over
    fetched.mkdir()
    for name in ("job_gone", "job_gone_too"):
        (fetched / name).touch()
    (behind,) = workshop.submit({}, queue=jobs.FETCH)
    assert workshop.settled(behind).state == "complete"
    assert not list(fetched.iterdir())


def test_the_file_of_a_lost_job_is_left_to_its_new_owner(workshop: Workshop, tmp_path: Path) -> None:
    gate, workshop.lease = tmp_path / "gate", 600.0  # no heartbeat finds out before the job ends
    workshop.ready(workshop.start(beats=1))
    fetched = {"do": "wait", "audio_url": "https://example.org/a.mp3"}
    (job,) = workshop.submit({**fetched, "gate": str(gate)}, kind="beats")
    kept = workshop.home / "fetched" / job.job_id
    kept.parent.mkdir()
    kept.touch()
    workshop.staged(job, "waiting")
    with workshop.database.write() as connection:
        assert jobs.take(connection, job.job_id, "another worker") is not None
        held = tables.jobs.update().where(tables.jobs.c.job_id == job.job_id)
        connection.execute(held.values(lease_until=now(600.0)))
    gate.touch()
    workshop.wait_for(lambda: "job settled" in workshop.log(), "it has ended here too")
    second = tmp_path / "second"
    (later,) = workshop.submit({**fetched, "gate": str(second)}, kind="beats")
    cleared = kept.with_name(later.job_id)
    cleared.touch()
    second.touch()
    workshop.settled(later)
    workshop.wait_for(lambda: not cleared.exists(), "files are removed in turn, so the lost job's would be gone by now")
    assert kept.exists()
    assert workshop.read(job).owner == "another worker"


def test_a_file_that_cannot_be_removed_does_not_end_the_worker(workshop: Workshop) -> None:
    workshop.ready(workshop.start(beats=1))
    gate = workshop.home / "gate"
    fetched = {"do": "wait", "gate": str(gate), "audio_url": "https://example.org/a.mp3"}
    first, second = workshop.submit(fetched, fetched, kind="beats")
    (workshop.home / "fetched" / first.job_id).mkdir(parents=True)  # no file that can be unlinked
    (workshop.home / "fetched" / second.job_id).mkdir()
    gate.touch()
    for job in (first, second):
        assert workshop.settled(job).state == "complete"
    third = workshop.submit({})[0]
    assert workshop.settled(third).state == "complete"
    workshop.wait_for(lambda: "cannot remove" in workshop.log(), "it is told")


@pytest.mark.slow
def test_a_store_that_does_not_answer_holds_up_no_heartbeat_and_no_job(workshop: Workshop, tmp_path: Path) -> None:
    """The store is a pipe that nobody writes to where its listing begins: whoever opens it waits for ever."""
    store = tmp_path / "store"
    store.mkdir()
    os.mkfifo(store / "workbench-id")
    workshop.settings |= {"WORKBENCH_STORE_URL": str(store), "WORKBENCH_JOB_DRAIN_SECONDS": "3600"}
    worker = workshop.ready(workshop.start(main=1))

    def last_heartbeat() -> str:
        with workshop.database.read() as connection:
            (alive,) = workers.list_alive(connection, 600.0)
        return alive.seen_at

    (job,) = workshop.submit({"do": "answer"})
    assert workshop.settled(job).state == "complete"
    for _ in range(3):
        before = last_heartbeat()
        workshop.wait_for(lambda before=before: last_heartbeat() > before, "it goes on to send heartbeats")  # type: ignore[misc]

    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=240) == 0


class Jumping(SystemClock):
    """The machine's clock, which can be put ahead."""

    ahead = 0.0

    def monotonic_seconds(self) -> float:
        return super().monotonic_seconds() + self.ahead


def test_a_job_that_ended_while_its_worker_was_held_up_did_not_overrun(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_REVISION", "revision of the tests")
    monkeypatch.setenv("WORKBENCH_DATABASE_URL", workshop.database.url)
    gate = workshop.home / "gate"
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    children: list[Child] = []
    command = (sys.executable, str(Path(__file__).with_name("tiny_child.py")))

    def make_child(home: Home, pool: str) -> Child:
        children.append(Child(home, pool, command))
        return children[-1]

    settings = ServiceSettings(job_deadline_seconds=900.0)
    home = Home(workshop.home)
    parent = JobParent(
        home, workshop.database, settings, {jobs.MAIN: 1}, StoredFiles(home), make_child=make_child, owner="held up"
    )
    clock = Jumping()
    with using(clock), parent.selector:
        parent.start()
        while not children or children[0].stage != "waiting":
            parent.step()
        gate.touch()
        select.select([children[0].fileno()], [], [], 240.0)  # its outcome
        clock.ahead = 1000.0
        parent.step()
        parent.stop()
    assert workshop.read(job).state == "complete"
