"""Work in processes of its own: progress, results, faults, cancelling."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.dashboards import tasks
from workbench.dashboards.tasks import Pool, Task, Work
from workbench.errors import MediaError
from workbench.params import WorkbenchParams
from workbench.store.home import Home

HOME, PARAMS = Home(Path("home")), WorkbenchParams()


def doubled(workspace: Workspace, number: int) -> tuple[int, int]:
    """Twice a number, and the process that worked it out."""
    workspace.progress("doubling", 0.5)
    return 2 * number, os.getpid()


def talkative(workspace: Workspace) -> None:
    """Says what it does more often than anybody can read."""
    for stage in ("reading", "writing"):
        for step in range(1000):
            workspace.progress(stage, step / 1000)


def refused(workspace: Workspace) -> None:
    """Fails as our code does on what cannot be read."""
    raise MediaError("track.wav: no such file")


class Unreadable:
    """Cannot be made again where it arrives, like what maps a file that has gone meanwhile."""

    def __init__(self, fine: bool) -> None:
        if not fine:
            raise MediaError("track.wav: no such file")

    def __reduce__(self) -> tuple[type[Unreadable], tuple[bool]]:
        return Unreadable, (False,)


def unreadable(workspace: Workspace) -> Unreadable:
    """Finds something that does not survive the way back."""
    return Unreadable(fine=True)


def wrong(workspace: Workspace) -> None:
    """Fails as only a fault of ours does."""
    raise ZeroDivisionError("division by zero")


def endless(workspace: Workspace) -> None:
    """Says that it began, and never ends."""
    workspace.progress("waiting", 0.0)
    while True:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One worker."""
    pool = Pool(1)
    yield pool
    pool.close()


def test_the_result_comes_from_another_process_after_its_progress(pool: Pool) -> None:
    told: list[object] = []
    job = Task(HOME, PARAMS, doubled, (21,), {}, on_progress=lambda *news: told.append(news), on_done=told.append)
    assert pool.submit(job).wait(60)
    assert told[0] == ("doubling", 0.5)
    assert told[1][0] == 42  # type: ignore[index]
    assert told[1][1] != os.getpid()  # type: ignore[index]


def test_progress_is_told_no_faster_than_it_can_be_read(pool: Pool) -> None:
    told: list[tuple[str, float]] = []
    ended: list[object] = []
    began = time.monotonic()
    task = Task(HOME, PARAMS, talkative, (), {}, on_progress=lambda *news: told.append(news), on_done=ended.append)
    assert pool.submit(task).wait(60)
    assert ended == [None]
    assert [news for news in told if news[1] == 0.0] == [("reading", 0.0), ("writing", 0.0)]
    assert len(told) <= 2 + 4 * (time.monotonic() - began)  # four a second besides


@pytest.mark.parametrize(
    ("function", "sentence"),
    [(refused, "track.wav: no such file"), (wrong, "ZeroDivisionError: division by zero")],
)
def test_a_fault_is_told_in_a_sentence_and_the_worker_goes_on(pool: Pool, function: object, sentence: str) -> None:
    faults: list[str] = []
    done: list[tuple[int, int]] = []
    pool.submit(Task(HOME, PARAMS, function, (), {}, on_fault=faults.append)).wait(60)  # type: ignore[arg-type]
    assert pool.submit(Task(HOME, PARAMS, doubled, (1,), {}, on_done=done.append)).wait(60)
    assert faults == [sentence]
    assert done[0][0] == 2


def test_what_does_not_survive_the_way_is_a_fault_of_that_job_alone(pool: Pool) -> None:
    faults: list[str] = []
    done: list[tuple[int, int]] = []
    lost = pool.submit(Task(HOME, PARAMS, unreadable, (), {}, on_done=pytest.fail, on_fault=faults.append))
    unsent = pool.submit(Task(HOME, PARAMS, doubled, (lambda: 1,), {}, on_done=pytest.fail, on_fault=faults.append))
    assert pool.submit(Task(HOME, PARAMS, doubled, (2,), {}, on_done=done.append)).wait(60)
    assert lost.wait(0)
    assert unsent.wait(0)
    assert "track.wav: no such file" in faults[0]
    assert len(faults) == 2
    assert done[0][0] == 4


def test_a_job_that_runs_is_cancelled_at_once_and_the_next_one_runs(pool: Pool) -> None:
    ends: list[str] = []
    job = Task(HOME, PARAMS, endless, (), {}, on_cancelled=lambda: ends.append("cancelled"), on_fault=ends.append)
    job.on_progress = lambda *_: job.cancel()
    pool.submit(job)
    assert job.wait(60)
    assert ends == ["cancelled"]
    done: list[tuple[int, int]] = []
    assert pool.submit(Task(HOME, PARAMS, doubled, (3,), {}, on_done=done.append)).wait(60)
    assert done[0][0] == 6


def test_a_worker_that_was_started_early_gets_the_first_task_and_the_others_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "_LOADED", ("wave",))  # the others take seconds
    pool = Pool(2)
    try:
        pool.warm()
        early = pool._workers[0]._process
        assert early is not None
        done: list[tuple[int, int]] = []
        began = threading.Event()
        first = Task(HOME, PARAMS, endless, (), {}, on_progress=lambda *_: began.set())
        pool.submit(first)
        assert began.wait(60)
        assert pool._workers[0].work is not None
        assert pool._workers[0].work.first is first
        assert pool.submit(Task(HOME, PARAMS, doubled, (1,), {}, on_done=done.append)).wait(60)
        assert done[0][0] == 2
        assert done[0][1] != early.pid
    finally:
        pool.close()


def test_a_job_that_waits_is_cancelled_without_being_begun(pool: Pool) -> None:
    first, second = (
        Task(HOME, PARAMS, endless, (), {}),
        Task(HOME, PARAMS, doubled, (1,), {}, on_done=lambda _: pytest.fail("it was begun")),
    )
    pool.submit(first)
    pool.submit(second)
    second.cancel()
    first.cancel()
    assert first.wait(60)
    assert second.wait(60)


def test_what_waits_is_over_when_the_pool_closes() -> None:
    pool = Pool(1)
    begun = threading.Event()
    running = Task(HOME, PARAMS, endless, (), {}, on_progress=lambda *_: begun.set())
    waiting = Task(HOME, PARAMS, doubled, (1,), {}, on_done=pytest.fail)
    pool.submit(running)
    assert begun.wait(60)
    pool.submit(waiting)
    pool.close()
    assert waiting.wait(60)
    assert running.wait(60)


def test_the_worker_that_knows_a_subject_gets_it_again() -> None:
    pool = Pool(2)
    try:
        pids: list[int] = []
        for _ in range(3):
            job = Task(HOME, PARAMS, doubled, (1,), {}, subject="track", on_done=lambda found: pids.append(found[1]))
            assert pool.submit(job).wait(60)
        assert len(set(pids)) == 1
    finally:
        pool.close()


class CancelledLate(Task):
    """Is cancelled when its result has been delivered already, just before it is over."""

    def end(self) -> None:
        self.cancel()
        super().end()


def test_what_is_cancelled_as_it_ends_does_not_take_the_next_task_with_it() -> None:
    pool = Pool(1)
    try:
        results, faults = list[tuple[int, int]](), list[str]()
        late = pool.submit(CancelledLate(HOME, PARAMS, doubled, (1,), {}, on_done=results.append))
        following = pool.submit(Task(HOME, PARAMS, doubled, (2,), {}, on_done=results.append, on_fault=faults.append))
        assert late.wait(60)
        assert following.wait(60)
        assert faults == []
        assert [number for number, _ in results] == [2, 4]
    finally:
        pool.close()


def test_what_was_left_to_a_worker_that_knows_it_goes_to_another_once_that_one_is_busy() -> None:
    pool = Pool(2)
    knows, other = pool._workers
    knows.subject, knows.idle = "track", True
    first, second = (
        Work(task, [task])
        for task in (Task(HOME, PARAMS, doubled, (number,), {}, subject="track") for number in (1, 2))
    )
    pool._waiting.extend((first, second))
    taken = list[Work | None]()
    thread = threading.Thread(target=lambda: taken.append(pool.take(other)), daemon=True)
    thread.start()
    while True:
        with pool._news:  # free again only when the other worker waits
            if other.idle:
                break
    assert pool.take(knows) is first
    thread.join(60)
    assert taken == [second]
    pool.close()


def test_a_page_with_much_to_do_does_not_hold_up_another_one() -> None:
    pool = Pool(2)
    try:
        begun, done = threading.Semaphore(0), list[str]()
        long = [
            Task(HOME, PARAMS, endless, (), {}, owner="one", on_progress=lambda *_: begun.release()) for _ in range(2)
        ]
        for task in long:
            pool.submit(task)
        assert all(begun.acquire(timeout=60) for _ in long)

        def note(owner: str, _: object) -> None:
            done.append(owner)

        short = [
            Task(HOME, PARAMS, doubled, (1,), {}, owner=owner, on_done=partial(note, owner))
            for owner in ("one", "one", "other")
        ]
        for task in short:
            pool.submit(task)
        long[0].cancel()
        assert all(task.wait(60) for task in short)
        assert done == ["other", "one", "one"]
    finally:
        pool.close()
