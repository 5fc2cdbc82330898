"""Pools of workers for tests.

The tasks of one end when a test says so, to put what comes too late into an order; another does them at once. The third
does its work in processes as a page's pool does, and brings the news to the test's own thread. A document that is shown
has a page for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from bokeh.document import Document

from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.tasks import Pool, Task

PATIENCE_SECONDS = 120.0
"""for one piece of news; only a test that fails waits so long"""


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


class CollectingPool(Pool):
    """Does its work in processes, and keeps the news until a test takes them.

    A page's news come on its event loop, one after the other and never while something else is changed. So they do
    here: what holds right after a change does not depend on how fast a worker is.
    """

    def __init__(self, size: int = 1) -> None:
        super().__init__(size)
        self._news_kept = SimpleQueue[Callable[[], None]]()

    def submit(self, task: Task) -> Task:
        task.deliver = partial(self._keep, task.deliver)
        return super().submit(task)

    def _keep(self, deliver: Callable[[Callable[[], None]], None], news: Callable[[], None]) -> None:
        self._news_kept.put(partial(deliver, news))

    def take_news(self) -> None:
        """Wait for a piece of news, and bring it."""
        self._news_kept.get(timeout=PATIENCE_SECONDS)()

    def finish(self, task: Task) -> None:
        """Wait for the end of a task, and bring all news so far; those of a task come before its end."""
        assert task.wait(PATIENCE_SECONDS)
        while not self._news_kept.empty():
            self.take_news()


def until_idle(session: Session) -> None:
    """Wait until all work of a page has ended, and what it asked for in turn."""
    pool = session.tasks.pool
    assert isinstance(pool, CollectingPool), "else the news come on another thread, in between what a test does"
    while session.busy:
        try:
            pool.take_news()
        except Empty:
            raise AssertionError(f"nothing new after {PATIENCE_SECONDS:.0f} s of: {session.stage}") from None


class BrowserTab:
    """What a document knows of the browser tab that shows it."""

    destroyed = False


class ShownDocument(Document):
    """A page's document that a browser tab shows."""

    def __init__(self, browser_tab: Any) -> None:
        super().__init__()
        self.browser_tab = browser_tab

    @property
    def session_context(self) -> Any:
        """What Bokeh knows of the browser tab."""
        return self.browser_tab
