"""Equal work of several pages is done once, and its result kept for a while for those that come later.

A task that says what its result depends on (`Task.same`) is no work of its own in the pool: it joins the work that is
equal, under way or waiting, or takes the result that such work had. Each page has its own task all the same, with its
own news, and gives it up alone: the work goes on while one page wants it. What goes wrong is news to all of them, and
is not kept.

Classes: `SharedWork`, one piece of work and the tasks that wait for it; `RecentResults`. Functions:
`what_seams_follow`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from workbench.files import stamps_of
from workbench.plans.plan import LoopPlan
from workbench.workflows.plan import Planned

if TYPE_CHECKING:
    from workbench.dashboards.work import Task


@dataclass(eq=False)
class SharedWork:
    """One piece of work, and the tasks of pages that wait for it.

    All but `report_progress` and `end` is called while the pool is held.
    """

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
            if task.cancelled:
                task.report(task.on_cancelled)
            else:
                take = task.on_done if kind == "done" else task.on_fault
                task.report(None if take is None else partial(take, outcome))
            task.end()


class RecentResults:
    """Results of shared work, the latest used last; the oldest go where they are too many or too large."""

    def __init__(self, most_bytes: int, seconds: float) -> None:
        self._most_bytes, self._seconds = most_bytes, seconds
        self._kept: OrderedDict[Hashable, tuple[Any, int, float]] = OrderedDict()
        """result, size and end of its time, by what it depends on"""

    def keep(self, key: Hashable, result: Any, size: int) -> None:
        """Keep a result."""
        self._kept.pop(key, None)
        if size <= self._most_bytes:
            self._kept[key] = result, size, monotonic() + self._seconds
            self._drop()

    def find(self, key: Hashable) -> tuple[Any] | None:
        """A result that is kept."""
        self._drop()
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return (found[0],)

    def _drop(self) -> None:
        now = monotonic()
        for key in [key for key, (_, _, until) in self._kept.items() if until <= now]:
            del self._kept[key]
        total = sum(size for _, size, _ in self._kept.values())
        while total > self._most_bytes:
            _, (_, size, _) = self._kept.popitem(last=False)
            total -= size


def what_seams_follow(loop: Planned, plan: LoopPlan, *more: Hashable) -> Hashable | None:
    """For `Task.same`: what the facts of a plan's seams depend on, beside the page's home and parameters.

    None where the loop has no analysis.
    """
    if loop.analysis is None:
        return None
    grid = loop.analysis.grid
    return plan, *stamps_of(loop.track.path), grid.beats.tobytes(), grid.positions.tobytes(), *more
