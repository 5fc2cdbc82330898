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
        on_result: Callable[[Any], None],
        is_current: Callable[[], bool] | None = None,
        subject: str = "",
        on_error: Callable[[str], None] | None = None,
        cache_key: Hashable | Callable[[], Hashable | None] | None = None,
        **named: Any,
    ) -> Task:
        """Run an importable function in another process; it takes a workspace before the arguments.

        `on_result` takes the result, on this page's event loop, and `on_error` the page's `message` if there is none,
        empty if the user cancelled. Once `is_current` is false, the work is not begun, or its result dropped. Pages
        with equal `cache_key` share the work: it holds what the result depends on beside home and parameters, such as
        `stamps_of` files. A function that returns the key is called again in another thread once the work has ended:
        if the key has changed, the result is not cached.
        """
        page, state = this_page_loop(), self._state
        self.give_up_unwanted(running=False)
        find_key = cache_key if callable(cache_key) else None
        key = find_key() if find_key is not None else cache_key
        task = Task(
            self._home, state.params, function, arguments, named, subject=subject, owner=self, is_current=is_current,
            cache_key=key, key_holds=None if find_key is None else lambda: find_key() == key,
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

        # `on_result` may start more work; it does so before this work ends, so that the page is busy without a gap.
        def succeed(result: Any) -> None:
            try:
                if task.is_wanted:
                    on_result(result)
            finally:
                ended()

        def fail(fault: str) -> None:
            ended()
            if task.is_wanted:
                state.message = fault
                if on_error is not None:
                    on_error(state.message)

        def show_progress(stage: str, done: float) -> None:
            if task in self.under_way:  # shared work goes on, and tells of it, while this page gives its part up
                state.param.update(stage=stage, done=min(1.0, max(0.0, done)))

        def give_up() -> None:
            ended()
            if on_error is not None and task.is_wanted and not task.given_up:
                on_error("")

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
