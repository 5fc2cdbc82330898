"""Background work of the page, run by worker processes so that the page never freezes.

A worker does one task after the other in a workspace, which holds the decoded sound; tasks with the same `subject` go
to the same worker where it is free. The next task is one of the page for which the fewest workers are at work. News of
a task go through its `deliver` to the page's event loop, no more often than an eye can follow.

Tasks with equal `Task.cache_key` share one execution: a task joins the work that runs, or takes its cached result. A
page cancels its own task alone: the work goes on while another page waits for it. When the last page cancels running
work, its worker is killed, which is safe because the stores write whole or not at all.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, TypeAlias

from workbench.analysis.workspace import Workspace
from workbench.errors import WorkbenchError
from workbench.params import WorkbenchParams
from workbench.store.home import Home

Deliver: TypeAlias = Callable[[Callable[[], None]], None]
"""calls a function where the state of the task's submitter may be changed"""

_PROGRESS_SECONDS = 0.25
"""between two reports on the same stage of a task"""
_LOADED = (
    "workbench.workflows.plan", "workbench.workflows.mix", "workbench.dashboards.sounds.plan", "workbench.beats.track",
    "workbench.beats.network", "workbench.features.speech_probability", "workbench.video.voice_network",
    "workbench.store.objects", "workbench.store.saved", "workbench.store.stored_files",
)  # fmt: skip
"""modules with which plans are made and played"""
_NICENESS = 5
"""of workers, so that the page still answers on a busy machine"""
_MAX_RESULT_BYTES = 64 * 2**20
"""of results of shared work; pictures and sounds of half an hour of video take a few MB"""
_RESULT_SECONDS = 600.0
"""for which such a result is cached, a small part of the days after which the files that it names may be cleared"""


def call_immediately(function: Callable[[], None]) -> None:
    """Deliver in the thread that has the news; for tests and scripts, which have no event loop."""
    function()


@dataclass(eq=False)
class Task:
    """A function to run in a worker process, and the callbacks for its news."""

    home: Home
    """of the workspace that the function takes"""
    params: WorkbenchParams
    """of that workspace"""
    function: Callable[..., Any]
    """importable by its name; takes the workspace before the arguments"""
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]
    subject: str = ""
    """what the task is about; tasks with the same subject prefer the same worker"""
    owner: object = None
    """whose work it is, such as a page's; owners have a fair share of the workers"""
    is_current: Callable[[], bool] | None = None
    """whether its owner still wants the result, asked by the owner alone; None: always"""
    cache_key: Hashable | None = None
    """what the result depends on beside home, parameters and function: owners with equal keys share one result, which
    none of them changes; None: the work is done for this task alone"""
    key_holds: Callable[[], bool] | None = None
    """whether `cache_key` is still right once the work has ended, asked in a worker's thread: a worker reads records
    later than the key was made; None: it is"""
    on_progress: Callable[[str, float], None] | None = None
    on_done: Callable[[Any], None] | None = None
    on_fault: Callable[[str], None] | None = None
    on_cancelled: Callable[[], None] | None = None
    deliver: Deliver = call_immediately
    cancelled: bool = False
    given_up: bool = False
    """cancelled because its owner did not want the result any more"""
    _ended: threading.Event = field(default_factory=threading.Event)
    _work: Work | None = None
    """that is done for it, once it is submitted"""
    _leave: Callable[[], None] | None = None
    """leaves that work"""

    @property
    def is_running(self) -> bool:
        """Whether a worker is at it."""
        return self._work is not None and self._work.is_running and not self._ended.is_set()

    @property
    def is_wanted(self) -> bool:
        """Whether its owner still wants the result."""
        return self.is_current is None or self.is_current()

    def cancel(self) -> None:
        """Give it up, at once if it runs."""
        if self._ended.is_set() or self.cancelled:
            return
        self.cancelled = True
        if self._leave is not None:
            self._leave()

    def drop(self) -> None:
        """Give it up before a worker takes it: it is over, and no function is called."""
        self.cancelled = True
        self.end()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for its end, at most so many seconds, in a script or a test."""
        return self._ended.wait(seconds)

    def tell(self, kind: str, outcome: Any = None) -> None:
        """Deliver how it went: "done" with its result, a fault with words; or that it was cancelled."""
        take = self.on_done if kind == "done" else self.on_fault
        if self.cancelled:
            self.report(self.on_cancelled)
        elif take is not None:
            self.report(partial(take, outcome))

    def report(self, news: Callable[[], None] | None) -> None:
        """Deliver news, which calls one of the `on_…` functions, if there is one."""
        if news is not None:
            self.deliver(news)

    def end(self) -> None:
        """Mark as over, with any outcome."""
        self._ended.set()


@dataclass(eq=False)
class Work:
    """What a worker does once, for one task or for equal ones of several pages."""

    first: Task
    """whose function is called, even after it has left"""
    tasks: list[Task] = field(default_factory=list)
    """that wait for its end, oldest first; changed under the pool's lock: who removes a task tells how it ended"""
    is_running: bool = False

    @property
    def owner(self) -> object:
        """Whose share of the workers it takes."""
        return self.tasks[0].owner if self.tasks else None

    def report_progress(self, stage: str, done: float) -> None:
        """Tell all tasks how far it is."""
        for task in tuple(self.tasks):
            if task.on_progress is not None:
                task.report(partial(task.on_progress, stage, done))


class RecentResults:
    """Results of shared work, the latest used last; the oldest go where they are too many or too large."""

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most_bytes, self._seconds = most_bytes, seconds
        self._results: OrderedDict[Hashable, tuple[Any, int, float]] = OrderedDict()
        """result, size and expiry, by key"""

    def keep(self, key: Hashable, result: Any, size: int) -> None:
        """Keep a result."""
        self._results.pop(key, None)
        if size <= self._most_bytes:
            self._results[key] = result, size, monotonic() + self._seconds
            self._drop()

    def find(self, key: Hashable) -> tuple[Any] | None:
        """A result that is cached."""
        self._drop()
        found = self._results.get(key)
        if found is None:
            return None
        self._results.move_to_end(key)
        return (found[0],)

    def _drop(self) -> None:
        now = monotonic()
        for key in [key for key, (_, _, until) in self._results.items() if until <= now]:
            del self._results[key]
        total = sum(size for _, size, _ in self._results.values())
        while total > self._most_bytes:
            _, (_, size, _) = self._results.popitem(last=False)
            total -= size


class Pool:
    """Worker processes and the work that waits for them."""

    def __init__(self, size: int = 2) -> None:
        self._waiting: deque[Work] = deque()
        self._shared: dict[Hashable, Work] = {}
        """work that waits or runs, by key"""
        self._recent = RecentResults(_MAX_RESULT_BYTES, _RESULT_SECONDS)
        self._news = threading.Condition()
        self._closed = False
        self._workers = [_Worker(self, number) for number in range(size)]

    def warm(self) -> None:
        """Start one worker before any task waits for it: it loads what plans are made with, and gets the first task."""
        with self._news:
            if not self._closed and self._workers:
                self._workers[0].warm()

    def submit(self, task: Task) -> Task:
        """Queue a task."""
        with self._news:
            if self._closed:
                raise WorkbenchError("the pool of workers is closed")
            cached = None if task.cache_key is None else self._recent.find(_key(task))
            if cached is None:
                self._join(task)
        if cached is not None:
            task.tell("done", cached[0])
            task.end()
        return task

    def _join(self, task: Task) -> None:
        """Have a task wait for equal work, or queue its own."""
        work = None if task.cache_key is None else self._shared.get(_key(task))
        if work is None:
            work = Work(task)
            if task.cache_key is not None:
                self._shared[_key(task)] = work
            self._waiting.append(work)
        work.tasks.append(task)
        task._work, task._leave = work, partial(self._leave, work, task)
        for worker in self._workers:
            worker.start()
        self._news.notify_all()

    def _leave(self, work: Work, task: Task) -> None:
        """Have a task that was given up wait no longer; without other tasks the work is given up too."""
        with self._news:
            if task not in work.tasks:
                return  # the thread that ends the work has it, and tells it
            work.tasks.remove(task)
            if not work.tasks:
                self._forget(work)
                if work in self._waiting:
                    self._waiting.remove(work)
                for worker in self._workers:
                    if worker.work is work:
                        worker.close()
        task.tell("cancelled")
        task.end()

    def end(self, work: Work, kind: str, outcome: Any, size: int) -> bool:
        """Tell all tasks how their work ended; returns whether any waited, else the worker's process was stopped."""
        first = work.first
        is_current = kind == "done" and first.cache_key is not None and (first.key_holds is None or first.key_holds())
        with self._news:
            self._forget(work)
            if is_current:
                self._recent.keep(_key(first), outcome, size)
            tasks, work.tasks = work.tasks, []
        for task in tasks:
            task.tell(kind, outcome)
            task.end()
        return bool(tasks)

    def _forget(self, work: Work) -> None:
        """Let no task join work any more."""
        if self._shared.get(_key(work.first)) is work:
            del self._shared[_key(work.first)]

    def close(self) -> None:
        """End all workers; tasks that wait are over, and no function is called."""
        with self._news:
            self._closed = True
            for work in self._waiting:
                for task in work.tasks:
                    task.drop()
            self._news.notify_all()
        for worker in self._workers:
            worker.close()

    def take(self, worker: _Worker) -> Work | None:
        """The next work for a worker; waits until there is some, and returns None when the pool closes."""
        with self._news:
            worker.work, worker.idle = None, True
            while not self._closed:
                chosen = self._choose(worker)
                if chosen is not None:
                    self._waiting.remove(chosen)
                    chosen.is_running = True
                    worker.work, worker.idle, worker.warms = chosen, False, False
                    self._news.notify_all()  # work left to this worker may go to others now
                    return chosen
                self._news.wait()
            return None

    def _choose(self, worker: _Worker) -> Work | None:
        at_work = Counter(id(other.work.owner) for other in self._workers if other.work is not None)
        fewest = min((at_work[id(work.owner)] for work in self._waiting), default=0)
        fair = [work for work in self._waiting if at_work[id(work.owner)] == fewest]
        return self._suited(worker, fair) or self._suited(worker, self._waiting)

    def _suited(self, worker: _Worker, waiting: Iterable[Work]) -> Work | None:
        """The work that is best done by a worker; None where other free workers do all of it better."""
        if not worker.warms and any(other.warms for other in self._workers):
            return None
        for work in waiting:
            if work.first.subject and work.first.subject == worker.subject:
                return work
        for work in waiting:
            subject = work.first.subject
            known = any(other.idle and other.subject == subject for other in self._workers if other is not worker)
            if not (subject and known):
                return work
        return None


class _Worker:
    """One process, and the thread that feeds it."""

    def __init__(self, pool: Pool, number: int) -> None:
        self.subject = ""
        self.idle = False
        self.warms = False
        """whether its process was started before there was a task for it, and has had none yet"""
        self.work: Work | None = None
        """that it is at"""
        self._pool = pool
        self._thread = threading.Thread(target=self._feed, name=f"worker-{number}", daemon=True)
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def warm(self) -> None:
        if self._thread.ident is None:
            self._ready(loads=_LOADED)
            self.warms = True
            self.start()

    def start(self) -> None:
        if self._thread.ident is None:
            self._thread.start()

    def close(self) -> None:
        process = self._process
        if process is not None and process.pid is not None and process.is_alive():
            with suppress(ProcessLookupError):  # it may end by itself in between, or not lead its group yet
                os.killpg(process.pid, signal.SIGTERM)
            process.terminate()

    def _feed(self) -> None:
        while True:
            work = self._pool.take(self)
            if work is None:
                self.close()
                return
            self.subject = work.first.subject or self.subject
            kind, outcome, size = self._follow(work)
            if kind == "lost":
                self._drop()
            if not self._pool.end(work, kind, outcome, size):
                self._drop()

    def _follow(self, work: Work) -> tuple[str, Any, int]:
        """Have the process do work, and report its progress; returns how it ended and with what, of how many bytes.

        "done" has a result, "fault" the words of what did it, "lost" those of what went wrong between here and there.
        """
        task, pipe = work.first, self._ready()
        try:
            pipe.send((task.home, task.params, task.function, task.arguments, dict(task.named)))
        except Exception as error:  # noqa: BLE001 - what cannot be sent fails in its own words
            return "lost", _exchange_fault(error), 0
        while work.tasks:
            try:
                sent = pipe.recv_bytes()
                kind, *news = pickle.loads(sent)  # as `recv` does, but that its size is known
            except Exception as error:  # noqa: BLE001 - reading what was sent runs code of its class
                return "lost", _exchange_fault(error), 0
            if kind != "progress":
                return kind, news[0], len(sent)
            work.report_progress(*news)
        return "lost", "", 0

    def _ready(self, loads: tuple[str, ...] = ()) -> Connection:
        """The pipe to a living process; a new one loads modules before its first task."""
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            spawning = multiprocessing.get_context("spawn")
            self._pipe, theirs = spawning.Pipe()
            # Not a daemon, for some workflows have processes of their own.
            self._process = spawning.Process(target=_serve, args=(theirs, loads), daemon=False)
            self._process.start()
            theirs.close()
        return self._pipe

    def _drop(self) -> None:
        self.close()
        if self._process is not None:
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process, self._pipe, self.subject = None, None, ""


def _key(task: Task) -> Hashable:
    return task.home, task.params, task.function, task.cache_key


def _exchange_fault(error: Exception) -> str:
    """The page's message when a task and its process could not exchange data; all but a broken pipe is logged too."""
    if isinstance(error, (EOFError, OSError)):
        return "the process that did the work ended unexpectedly; try again"
    traceback.print_exception(error)
    return f"the work and the page could not exchange what they have ({type(error).__name__}: {error})"


def _serve(pipe: Connection, loads: tuple[str, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setpgrp()  # processes that it starts end with it
    os.nice(_NICENESS)
    for module in loads:
        import_module(module)
    workspace: Workspace | None = None
    with suppress(EOFError, BrokenPipeError):  # the server has ended
        while True:
            workspace = _run_one(pipe, workspace)


def _run_one(pipe: Connection, workspace: Workspace | None) -> Workspace:
    """Do a task in the workspace of its home folder, the one of the task before where it is the same."""
    home, params, function, arguments, named = pipe.recv()
    if workspace is None or workspace.home != home:
        if workspace is not None:
            workspace.close()
        workspace = Workspace(home)

    sent_stage, sent_at = "", 0.0

    def progress(stage: str, done: float) -> None:
        nonlocal sent_stage, sent_at
        now = monotonic()
        if stage != sent_stage or now - sent_at >= _PROGRESS_SECONDS:
            sent_stage, sent_at = stage, now
            pipe.send(("progress", stage, done))

    own = workspace.with_params(params).with_progress(progress)
    try:
        pipe.send(("done", function(own, *arguments, **named)))
    except WorkbenchError as error:
        pipe.send(("fault", str(error)))
    except (EOFError, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours goes to the page and the log; the worker goes on
        traceback.print_exc()
        pipe.send(("fault", f"{type(error).__name__}: {error}"))
    return workspace


@cache
def shared_pool() -> Pool:
    """The pool of this process, ended with it."""
    pool = Pool(max(1, min(4, (os.cpu_count() or 2) // 2 + 1)))
    atexit.register(pool.close)
    return pool
