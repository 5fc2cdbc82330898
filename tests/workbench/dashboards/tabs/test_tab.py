"""What every tab does: follow the session, drop results that came too late, say what went wrong."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from bokeh.models import Range1d

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.charts import Picture, time_chart
from workbench.dashboards.tabs.tab import Tab, action
from workbench.dashboards.transport import Program
from workbench.errors import PlanError
from workbench.store.home import Home


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
        tab.run(word_of, on_result=taken.append, is_current=partial(wanted.__contains__, name))
    tab.run(word_of, on_result=taken.append)
    pool.finish(1, "late")
    pool.finish(0, "in time")
    pool.finish(2, "always")
    assert taken == ["in time", "always"]
    assert not session.busy


def test_what_went_wrong_or_was_cancelled_counts_only_while_it_is_wanted(session: Session, pool: WaitingPool) -> None:
    tab, ends, wanted = PlainTab(session), list[str](), {"first"}
    for name in ("first", "second"):
        tab.run(word_of, on_result=ends.append, is_current=partial(wanted.__contains__, name), on_error=ends.append)
    pool.fail(1, "late")
    assert ends == []
    pool.cancel(0)
    assert ends == [""], "there is no fault to name"
    assert not session.busy
    tab.run(word_of, on_result=ends.append, on_error=ends.append)
    pool.fail(2, "the disk is full")
    assert ends == ["", "the disk is full"]


def test_what_was_given_up_is_not_called_cancelled_though_the_same_is_wanted_again(
    session: Session, pool: WaitingPool
) -> None:
    tab, ends, wanted = PlainTab(session), list[str](), {"first"}

    def ask() -> None:
        asked = partial(wanted.__contains__, "first")
        tab.run(word_of, on_result=ends.append, is_current=asked, on_error=ends.append)

    ask()
    wanted.clear()
    tab.run(word_of, on_result=print)
    assert pool.tasks[0].cancelled
    wanted.add("first")
    ask()
    pool.cancel(0)
    assert ends == []
    pool.finish(2, "the word")
    assert ends == ["the word"]


def test_new_work_leaves_what_went_wrong_on_the_page(session: Session, pool: WaitingPool) -> None:
    tab = PlainTab(session)
    tab.run(word_of, on_result=print)
    pool.fail(0, "the video cannot be read")
    tab.run(word_of, on_result=print)
    assert session.message == "the video cannot be read"


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


def test_a_tab_that_is_not_open_catches_up_in_one_call_when_it_is_opened_or_heard(session: Session) -> None:
    tab, seen = PlainTab(session), list[int]()
    tab.program = Program()
    tab.follow_shown(["seam"], seen.append)
    tab.show_tab(shown=False)
    session.seam = 1
    session.seam = 2
    assert seen == [0]
    tab.show_tab(shown=True)
    tab.show_tab(shown=True)
    assert seen == [0, 2], "once"
    tab.show_tab(shown=False)
    session.seam = 3
    tab.program.playing = True
    tab.catch_up()
    session.seam = 4
    assert seen == [0, 2, 3, 4], "who listens hears what is changed"


def test_tabs_catch_up_in_the_order_in_which_they_follow(session: Session) -> None:
    tab, seen = PlainTab(session), list[str]()
    tab.follow_shown(["seam"], lambda seam: seen.append(f"seam {seam}"))
    tab.follow_shown(["option"], lambda option: seen.append(f"option {option}"))
    tab.show_tab(shown=False)
    session.option = 1
    session.seam = 1
    tab.show_tab(shown=True)
    assert seen[2:] == ["seam 1", "option 1"]
