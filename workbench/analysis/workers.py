"""Worker processes of this machine; if one dies, its file is lost, but not the run.

A decoder can crash, and the kernel kills a process when memory runs out. `ProcessPoolExecutor` gives up as a
whole when one of its processes dies, and does not report which job it had. Here every process has a thread and a pool
of its own that feeds it one job at a time, so a crash costs one job. That job is tried once more in a new
process, since memory may be free by then; a job that has killed two processes is abandoned.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, ParamSpec, TypeVar

from workbench.errors import WorkerDied

P = ParamSpec("P")
T = TypeVar("T")

_TRIES = 2  # processes that one job may kill


class LocalWorkers(Executor):
    """An executor of worker processes, each with one job at a time and started when it is first needed."""

    def __init__(self, processes: int) -> None:
        self._context = _Spawning()
        self._own = threading.local()
        self._starting = threading.Lock()
        self._ended = False
        self._pools: list[ProcessPoolExecutor] = []
        self._threads = ThreadPoolExecutor(processes)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As `Executor.submit`; the result of a job that killed its workers raises `WorkerDied`."""
        return self._threads.submit(self._run, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As `Executor.shutdown`."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        for pool in self._pools:
            pool.shutdown(wait)

    def terminate(self) -> None:
        """Terminate the workers, and start no more: jobs that are not done raise `WorkerDied`."""
        with self._starting:
            self._ended = True
            for process in self._context.started:
                if process.is_alive():
                    process.terminate()

    def _run(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        for _ in range(_TRIES):
            try:
                return self._started(work, *arguments, **named).result()
            except BrokenProcessPool:
                self._own.pool = None
        raise WorkerDied("the process that analysed it died, and another after it: a crash, or no memory left")

    def _started(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """A job in the one process of this thread, which is started where there is none."""
        with self._starting:
            if self._ended:
                raise WorkerDied("ended before it was analysed")
            pool: ProcessPoolExecutor | None = getattr(self._own, "pool", None)
            if pool is None:
                pool = self._own.pool = ProcessPoolExecutor(1, mp_context=self._context)
                self._pools.append(pool)
                # Only now: multiprocessing's resource tracker, which the pool's locks started, unblocks interrupts.
                _hold_interrupts()
            return pool.submit(work, *arguments, **named)


class _Spawning(SpawnContext):
    """Starts processes and lists them: not all children of this process need be ours.

    Forked copies of a process with threads may hang; spawned ones start clean on every platform.
    """

    def __init__(self) -> None:
        self.started: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **named: Any) -> SpawnProcess:  # type: ignore[override]
        """As of `multiprocessing`, where it is a class."""
        process = SpawnProcess(*arguments, **named)
        self.started.append(process)
        return process


def _hold_interrupts() -> None:
    """Block Ctrl-C, which reaches all processes of a terminal, in those that this thread starts; the parent ends them.

    A process inherits which signals are blocked, from its first instruction on; a handler that it sets itself would
    come too late for an interrupt while it imports. Python delivers interrupts to its main thread in any case.
    """
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


@contextmanager
def open_pool(executor: Executor | None, jobs: int) -> Iterator[Executor]:
    """Open a pool for some jobs: the given executor, left open, or processes of this machine, which end with the block.

    There are as many of these as there are cores, or jobs.
    """
    if executor is not None:
        yield executor
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with LocalWorkers(max(1, min(cores, jobs))) as workers:
        try:
            yield workers
        except KeyboardInterrupt:
            workers.terminate()
            raise


def killed() -> tuple[type[Exception], ...]:
    """The exceptions of a cluster for a job whose workers died one after the other; none where there is no cluster."""
    distributed: Any = sys.modules.get("distributed")
    return () if distributed is None else (distributed.scheduler.KilledWorker,)
