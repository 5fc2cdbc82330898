"""What every tab does: follow the session, drop results that came too late, say what went wrong."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from bokeh.models import Range1d

from workbench.dashboards.charts import Picture, time_chart
from workbench.dashboards.session import Session
from workbench.dashboards.tab import Tab, action
from workbench.dashboards.work import Pool, Task
from workbench.errors import PlanError
from workbench.home import Home
from workbench.workspace import Workspace


class WaitingPool(Pool):
    """Keeps its tasks, and ends them when a test says so."""

    def __init__(self) -> None:
        super().__init__(0)
        self.tasks: list[Task] = []

    def submit(self, task: Task) -> Task:
        self.tasks.append(task)
        return task

    def finish(self, number: int, result: str) -> None:
        """End a task with a result."""
        on_done = self.tasks[number].on_done
        assert on_done is not None
        on_done(result)


class PlainTab(Tab):
    """One figure."""

    title = "Plain"

    def __init__(self, session: Session) -> None:
        self.picture = Picture(time_chart(100, Range1d(start=0.0, end=1.0), 0.0, 1.0, "level"))
        super().__init__(session, self.picture)


@pytest.fixture
def pool() -> WaitingPool:
    return WaitingPool()


@pytest.fixture
def session(tmp_path: Path, pool: WaitingPool) -> Session:
    return Session(Workspace(Home(tmp_path)), pool=pool)


def word_of(workspace: Workspace) -> str:
    """For a worker."""
    return "word"


def test_what_a_tab_follows_is_there_at_once_and_after_each_change(session: Session) -> None:
    seen: list[tuple[int, str]] = []
    session.seam = 3
    PlainTab(session).follow(["seam", "tab"], lambda seam, tab: seen.append((seam, tab)))
    session.seam = 4
    session.param.update(seam=5, tab="Plan")
    assert seen == [(3, ""), (4, ""), (5, "Plan")]


def test_pictures_take_the_colours_of_the_page(session: Session) -> None:
    session.dark = True
    tab = PlainTab(session)
    (axis,) = tab.picture.figures[0].yaxis
    on_dark = axis.axis_label_text_color
    session.dark = False
    assert axis.axis_label_text_color != on_dark


def test_a_result_that_came_too_late_is_dropped(session: Session, pool: WaitingPool) -> None:
    tab, taken, wanted = PlainTab(session), list[str](), {"first"}
    for name in ("first", "second"):
        tab.run(word_of, then=taken.append, wanted=partial(wanted.__contains__, name))
    tab.run(word_of, then=taken.append)
    pool.finish(1, "late")
    pool.finish(0, "in time")
    pool.finish(2, "always")
    assert taken == ["in time", "always"]
    assert not session.busy


def test_what_cannot_be_done_is_a_sentence_on_the_page(session: Session) -> None:
    def refuse(why: str) -> None:
        raise PlanError(why)

    tab, done = PlainTab(session), list[str]()
    assert tab.attempt(done.append, "it is done")
    assert (done, session.message) == (["it is done"], "")
    assert not tab.attempt(refuse, "there is no room for it")
    assert session.message == "there is no room for it"


def test_a_button_acts_and_its_tip_begins_with_its_label() -> None:
    pressed: list[str] = []
    button = action("Undo", lambda: pressed.append("undo"), tip="the last correction is taken back", disabled=True)
    button.clicks += 1
    assert pressed == ["undo"]
    assert button.description == "Undo: the last correction is taken back"
    assert button.disabled
    assert action("Save", pressed.clear).description is None
