"""Pools of workers for tests.

The tasks of one end when a test says so, to put what comes too late into an order; the other does them at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.dashboards.work import Pool, Task
from workbench.workspace import Workspace


class WaitingPool(Pool):
    """Keeps its tasks, and ends them when a test says so."""

    def __init__(self) -> None:
        super().__init__(0)
        self.tasks: list[Task] = []

    def submit(self, task: Task) -> Task:
        self.tasks.append(task)
        return task

    def finish(self, number: int, result: Any) -> None:
        """End a task with a result."""
        on_done = self.tasks[number].on_done
        assert on_done is not None
        on_done(result)

    def fail(self, number: int, fault: str) -> None:
        """End a task with what went wrong."""
        on_fault = self.tasks[number].on_fault
        assert on_fault is not None
        on_fault(fault)

    def cancel(self, number: int) -> None:
        """End a task as if somebody had cancelled it."""
        on_cancelled = self.tasks[number].on_cancelled
        assert on_cancelled is not None
        on_cancelled()


class DirectPool(Pool):
    """Does some tasks at once, in this process, and leaves all others waiting."""

    def __init__(self, *functions: Callable[..., Any]) -> None:
        super().__init__(0)
        self.functions = functions
        self.done: list[Callable[..., Any]] = []
        """functions that were run"""

    def submit(self, task: Task) -> Task:
        if task.function in self.functions and task.on_done is not None:
            self.done.append(task.function)
            workspace = Workspace(task.home, task.params)
            task.on_done(task.function(workspace, *task.arguments, **task.named))
        return task
