"""A pool of workers whose tasks end when a test says so, to put what comes too late into an order."""

from __future__ import annotations

from typing import Any

from workbench.dashboards.work import Pool, Task


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
