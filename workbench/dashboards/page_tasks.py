"""The work of one page: functions of `workbench` that run in worker processes, with progress and a way to cancel."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from workbench.analysis.workspace import Workspace
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.state import State
from workbench.dashboards.tasks import Pool, Task


class PageTasks:
    """Submits work of a page, and brings its news to the page's state: `stage`, `done`, `message`."""

    def __init__(self, state: State, workspace: Workspace, pool: Pool) -> None:
        self.pool = pool
        self._state, self._home = state, workspace.home
        self.under_way: list[Task] = []
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return bool(self.under_way)

    def run(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        then: Callable[[Any], None],
        wanted: Callable[[], bool] | None = None,
        subject: str = "",
        otherwise: Callable[[str], None] | None = None,
        same: Hashable | Callable[[], Hashable | None] | None = None,
        **named: Any,
    ) -> Task:
        """Run an importable function in another process; it takes a workspace before the arguments.

        `then`: takes the result, on this page's event loop. `wanted`: else it is dropped, or not begun. `otherwise`:
        takes the page's `message` where there will be no result, empty where the user cancelled it. `same`: what the
        result depends on beside home and parameters, such as `stamps_of` files: pages that ask for the same share the
        work. A function that says it is asked again, in another thread, once the work has ended: if that has changed,
        the result is not cached.
        """
        page, state = this_page_loop(), self._state
        self.give_up_unwanted(running=False)
        says_same = same if callable(same) else None
        key = says_same() if says_same is not None else same
        task = Task(
            self._home, state.params, function, arguments, named, subject=subject, owner=self, wanted=wanted, same=key,
            holds=None if says_same is None else lambda: says_same() == key,
        )  # fmt: skip
        if page is not None and page.gone:
            self.close()
        if self._closed:
            task.drop()
            return task

        def deliver(news: Callable[[], None]) -> None:
            if page is None:
                news()
            elif page.gone:
                self.close()
            else:
                page.call_soon(news)

        def ended() -> None:
            if task in self.under_way:
                self.under_way.remove(task)
            if not self.under_way:
                state.param.update(stage="", done=0.0)

        # `then` may start more work; it does so before this work ends, so that the page is busy without a gap.
        def succeed(result: Any) -> None:
            try:
                if task.is_wanted:
                    then(result)
            finally:
                ended()

        def fail(fault: str) -> None:
            ended()
            if task.is_wanted:
                state.message = fault
                if otherwise is not None:
                    otherwise(state.message)

        def show_progress(stage: str, done: float) -> None:
            if task in self.under_way:  # shared work goes on, and tells of it, while this page gives its part up
                state.param.update(stage=stage, done=min(1.0, max(0.0, done)))

        def give_up() -> None:
            ended()
            if otherwise is not None and task.is_wanted and not task.given_up:
                otherwise("")

        task.deliver = deliver
        task.on_done, task.on_fault, task.on_cancelled, task.on_progress = succeed, fail, give_up, show_progress
        self.under_way.append(task)
        state.stage = state.stage or "starting"
        return self.pool.submit(task)

    def give_up_unwanted(self, *, running: bool) -> None:
        """Give up work that is not wanted any more; what runs takes its worker with it, and goes on by default."""
        for task in list(self.under_way):
            if not task.is_wanted and (running or not task.is_running):
                task.given_up = True
                task.cancel()

    def cancel(self) -> None:
        """Give up all work of this page."""
        for task in list(self.under_way):
            task.cancel()

    def close(self) -> None:
        """Cancel all work, because the page has gone; from now on none is begun."""
        self._closed = True
        self.cancel()
        self.under_way.clear()
