"""Background work of the page, run by worker processes so that the page never freezes.

A worker does one task after the other in a workspace, which holds the decoded sound; tasks with the same `subject` go
to the same worker where it is free. The next task is one of the page for which the fewest workers are at work. News of
a task go through its `deliver` to the page's event loop, no more often than an eye can follow.

Work that several pages ask for is done once where they say what it depends on (`Task.same`): such a task joins equal
work, or takes the result that it had. Each page gives its own task up alone: the work goes on while one page wants it.
A task that is cancelled while it runs takes its worker with it, which is safe because the stores write whole or not at
all.
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


def at_once(function: Callable[[], None]) -> None:
    """Deliver in the thread that has the news; for tests and scripts, which have no event loop."""
    function()


@dataclass(eq=False)
class Task:
    """A function to run in a worker process, and who is called about it."""

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
    wanted: Callable[[], bool] | None = None
    """whether its owner still wants the result, asked by the owner alone; None: always"""
    same: Hashable | None = None
    """what the result depends on beside home, parameters and function, so that equal work of several owners is done
    once, and no owner changes its result; None: it is done for this task alone"""
    holds: Callable[[], bool] | None = None
    """whether `same` says what the result depends on even now, asked by a worker's thread once the work has ended: a
    worker reads records when it comes to them, which may be later than they were named; None: it does"""
    on_progress: Callable[[str, float], None] | None = None
    on_done: Callable[[Any], None] | None = None
    on_fault: Callable[[str], None] | None = None
    on_cancelled: Callable[[], None] | None = None
    deliver: Deliver = at_once
    cancelled: bool = False
    given_up: bool = False
    """cancelled because its owner did not want the result any more"""
    result_bytes: int = 0
    """of its result, as it came from the worker"""
    _ended: threading.Event = field(default_factory=threading.Event)
    _ending: threading.Lock = field(default_factory=threading.Lock)
    """held while it ends or is stopped, so that what stops it does not hit the next task of its worker"""
    _stop: Callable[[], None] | None = None
    _shared: _SharedWork | None = None
    """that does it, where it is shared"""
    _leave: Callable[[Task], None] | None = None
    """leaves what is shared"""

    @property
    def is_running(self) -> bool:
        """Whether a worker is at it."""
        if self._shared is not None:
            return self._shared.work.is_running and not self._ended.is_set()
        return self._stop is not None and not self._ended.is_set()

    @property
    def is_wanted(self) -> bool:
        """Whether its owner still wants the result."""
        return self.wanted is None or self.wanted()

    def cancel(self) -> None:
        """Give it up, at once if it runs."""
        with self._ending:
            if self._ended.is_set() or self.cancelled:
                return
            self.cancelled = True
            if self._stop is not None:
                self._stop()
        if self._leave is not None:
            self._leave(self)

    def drop(self) -> None:
        """Give it up before a worker takes it: it is over, and no function is called."""
        self.cancelled = True
        self.end()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for its end, at most so many seconds, in a script or a test."""
        return self._ended.wait(seconds)

    def tell(self, kind: str, outcome: Any = None) -> None:
        """Deliver how it went: "done" with its result, "fault" with words; or that it was cancelled."""
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
        with self._ending:
            self._ended.set()


@dataclass(eq=False)
class _SharedWork:
    """One piece of work, and the tasks of pages that wait for it. The pool is held but in `report_progress`, `end`."""

    work: Task
    """that a worker does; no page knows it"""
    members: list[Task] = field(default_factory=list)
    """that wait for its end, oldest first"""

    def join(self, task: Task) -> None:
        """Have a task wait for this work too."""
        self.members.append(task)
        self.work.owner = self.members[0].owner

    def leave(self, task: Task) -> bool:
        """Have a task wait no longer."""
        if task not in self.members:
            return False
        self.members.remove(task)
        if self.members:
            self.work.owner = self.members[0].owner
        return True

    def report_progress(self, stage: str, done: float) -> None:
        """Tell all tasks how far the work is."""
        for task in tuple(self.members):
            if task.on_progress is not None:
                task.report(partial(task.on_progress, stage, done))

    @staticmethod
    def end(members: list[Task], kind: str, outcome: Any) -> None:
        """Tell tasks how the work ended."""
        for task in members:
            task.tell(kind, outcome)
            task.end()


class RecentResults:
    """Results of shared work, the latest used last; the oldest go where they are too many or too large."""

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most_bytes, self._seconds = most_bytes, seconds
        self._results: OrderedDict[Hashable, tuple[Any, int, float]] = OrderedDict()
        """result, size and end of its time, by what it depends on"""

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
    """Worker processes and the tasks that wait for them."""

    def __init__(self, size: int = 2) -> None:
        self._waiting: deque[Task] = deque()
        self._shared: dict[Hashable, _SharedWork] = {}
        """that waits or is under way, by what it depends on"""
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
            cached = None if task.same is None else self._recent.find(_key(task))
            if cached is None:
                self._queue(task)
        if cached is not None:
            _SharedWork.end([task], "done", cached[0])
        return task

    def _queue(self, task: Task) -> None:
        if task.same is not None and not self._share(task):
            return
        self._waiting.append(task if task._shared is None else task._shared.work)
        for worker in self._workers:
            worker.start()
        self._news.notify_all()

    def _share(self, task: Task) -> bool:
        """Have a task wait for equal work; returns whether that has to be queued, for there was none."""
        key = _key(task)
        shared = self._shared.get(key)
        is_new = shared is None
        if shared is None:
            work = Task(task.home, task.params, task.function, task.arguments, task.named, subject=task.subject)
            shared = self._shared[key] = _SharedWork(work)
            work.holds = task.holds
            work.on_progress = shared.report_progress
            work.on_done = partial(self._end_shared, key, shared, "done")
            work.on_fault = partial(self._end_shared, key, shared, "fault")
        task._shared, task._leave = shared, partial(self._leave, key)
        shared.join(task)
        return is_new

    def _end_shared(self, key: Hashable, shared: _SharedWork, kind: str, outcome: Any) -> None:
        is_current = kind == "done" and (shared.work.holds is None or shared.work.holds())
        with self._news:
            if self._shared.get(key) is shared:
                del self._shared[key]
            if is_current:
                self._recent.keep(key, outcome, shared.work.result_bytes)
            members, shared.members = shared.members, []
        _SharedWork.end(members, kind, outcome)

    def _leave(self, key: Hashable, task: Task) -> None:
        """Have a task that was given up wait no longer; without other waiting tasks the work is given up too."""
        shared = task._shared
        with self._news:
            if shared is None or not shared.leave(task):
                return  # the thread that ends the work has it, and calls it
            unwanted = not shared.members
            if unwanted and self._shared.get(key) is shared:
                del self._shared[key]
        task.report(task.on_cancelled)
        task.end()
        if unwanted:
            shared.work.cancel()

    def close(self) -> None:
        """End all workers; tasks that wait are over, and no function is called."""
        with self._news:
            self._closed = True
            waiting = set(map(id, self._waiting))
            for shared in self._shared.values():
                if id(shared.work) in waiting:
                    for task in shared.members:
                        task.drop()
            for task in self._waiting:
                task.drop()
            self._news.notify_all()
        for worker in self._workers:
            worker.close()

    def take(self, worker: _Worker) -> Task | None:
        """The next task for a worker; waits until there is one, and returns None when the pool closes."""
        with self._news:
            worker.task, worker.idle = None, True
            while not self._closed:
                chosen = self._choose(worker)
                if chosen is not None:
                    self._waiting.remove(chosen)
                    worker.task, worker.idle, worker.warms = chosen, False, False
                    self._news.notify_all()  # what was left to this worker, others may take now
                    return chosen
                self._news.wait()
            return None

    def _choose(self, worker: _Worker) -> Task | None:
        at_work = Counter(id(other.task.owner) for other in self._workers if other.task is not None)
        fewest = min((at_work[id(task.owner)] for task in self._waiting), default=0)
        fair = [task for task in self._waiting if at_work[id(task.owner)] == fewest]
        return self._suited(worker, fair) or self._suited(worker, self._waiting)

    def _suited(self, worker: _Worker, tasks: Iterable[Task]) -> Task | None:
        """The task that is best done by a worker; None where other free workers do each of them better."""
        if not worker.warms and any(other.warms for other in self._workers):
            return None
        for task in tasks:
            if task.subject and task.subject == worker.subject:
                return task
        for task in tasks:
            known = any(other.idle and other.subject == task.subject for other in self._workers if other is not worker)
            if not (task.subject and known):
                return task
        return None


class _Worker:
    """One process, and the thread that feeds it."""

    def __init__(self, pool: Pool, number: int) -> None:
        self.subject = ""
        self.idle = False
        self.warms = False
        """whether its process was started before there was a task for it, and has had none yet"""
        self.task: Task | None = None
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
            task = self._pool.take(self)
            if task is None:
                self.close()
                return
            if not task.cancelled:
                self.subject = task.subject or self.subject
                self._run(task)
            if task.cancelled:
                task.report(task.on_cancelled)
            task.end()
            if task.cancelled and task._stop is not None:  # perhaps when its result was there already
                self._drop()

    def _run(self, task: Task) -> None:
        pipe = self._ready()
        task._stop = self.close
        fault = self._follow(task, pipe)
        if fault or task.cancelled:
            self._drop()
        if fault and not task.cancelled:
            task.tell("fault", fault)

    def _follow(self, task: Task, pipe: Connection) -> str:
        """Send a task and report its news; returns what went wrong between here and there, or nothing."""
        try:
            pipe.send((task.home, task.params, task.function, task.arguments, dict(task.named)))
        except Exception as error:  # noqa: BLE001 - what cannot be sent fails in its own words
            return _unheard(error)
        while not task.cancelled:
            try:
                sent = pipe.recv_bytes()
                kind, *news = pickle.loads(sent)  # as `recv` does, but that its size is known
                task.result_bytes = len(sent)
            except Exception as error:  # noqa: BLE001 - reading what was sent runs code of its class
                return _unheard(error)
            if kind != "progress":
                if not task.cancelled:
                    task.tell(kind, news[0])
                break
            if task.on_progress is not None:
                stage, done = news
                task.report(partial(task.on_progress, stage, done))
        return ""

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
    return task.home, task.params, task.function, task.same


def _unheard(error: Exception) -> str:
    """What the page says where a task and its process could not talk; what is no broken pipe goes to the log too."""
    if isinstance(error, (EOFError, OSError)):
        return "the process that did the work ended unexpectedly; try again"
    traceback.print_exception(error)
    return f"the work and the page could not exchange what they have ({type(error).__name__}: {error})"


def _serve(pipe: Connection, loads: tuple[str, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setpgrp()  # what it starts ends with it
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
