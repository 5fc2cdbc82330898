"""The page and its server: tabs made when they are opened, nothing named of another host, a key beyond this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import panel as pn
import pytest
from bokeh.client import pull_session
from bokeh.models import ImportedStyleSheet
from panel.io.state import set_curdoc
from panel.util.parameters import edit_readonly

from tests.workbench.dashboards.waiting import BrowserTab, ShownDocument, WaitingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.app import TABS, Page, StatusBar, make_server
from workbench.dashboards.sounds.plan import track_file
from workbench.dashboards.sounds.seam import with_option_first
from workbench.dashboards.tabs.tab import Tab
from workbench.dashboards.tasks import Pool
from workbench.errors import ParameterError
from workbench.files import bundled_path
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track


class CountedTab(Tab):
    """Counts how often it was made."""

    title = "Counted"
    made: ClassVar[list[Session]] = []

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.made.append(session)

    def panel(self) -> pn.viewable.Viewable:
        """Nothing to see."""
        return pn.Spacer()


class SecondTab(CountedTab):
    """Another one."""

    title = "Second"
    made: ClassVar[list[Session]] = []


class LateTab(CountedTab):
    """That a plan is shown in."""

    title = "Late"
    made: ClassVar[list[Session]] = []


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A page that was just opened, with a pool that starts no process before it is used."""
    return Session(Workspace(Home(tmp_path)), pool=Pool(1))


def test_a_tab_is_made_when_it_is_first_opened(session: Session) -> None:
    page = Page(session, (CountedTab, SecondTab))
    assert CountedTab.made == []
    for _ in range(2):
        page.open_tab(0)
    assert CountedTab.made == [session]
    assert SecondTab.made == []


class Served(BrowserTab):
    """A browser tab that asked for the page."""

    request = SimpleNamespace(arguments={}, cookies={}, headers={})
    server_context = None


def test_work_is_begun_before_the_tab_that_shows_it_is_made(tmp_path: Path, short_video: Path) -> None:
    pool, document = WaitingPool(), ShownDocument(Served())
    session = Session(Workspace(Home(tmp_path)), pool=pool)
    track = bundled_path("data", "bundled", "music", "corner_store.ogg")
    Page(session, (LateTab, SecondTab)).view()

    async def opened() -> None:
        with set_curdoc(document):
            session.open_new(track, short_video)
        assert [task.function for task in pool.tasks] == [plan_track]
        assert LateTab.made == []
        await asyncio.sleep(0)
        for callback in document.session_callbacks:
            callback.callback()

    asyncio.run(opened())
    assert LateTab.made[0] is session
    assert len(LateTab.made) == 1


def test_what_a_player_says_stays_until_it_is_taken_away(session: Session) -> None:
    (status,) = Page(session, (CountedTab,)).view().select(StatusBar)
    assert isinstance(status, StatusBar)
    status.message = "the sound cannot be played"  # as the browser sets it
    session.param.update(stage="listening to the seams", done=0.5)
    assert status.message == "the sound cannot be played"
    status.message = ""
    session.param.update(stage="", done=0.0)
    assert status.message == session.message == ""


def test_a_page_does_not_follow_whether_another_one_is_busy(session: Session) -> None:
    """To follow it takes most of the server's time where several pages are open."""
    view, told = Page(session, (CountedTab,)).view(), list[object]()
    view.param.watch(told.append, "busy")
    with edit_readonly(pn.state):
        pn.state.busy = True
        assert told == []
        pn.state.busy = False


def test_a_page_that_is_made_without_html_names_no_other_host(open_root: str) -> None:
    """As a page is that connects again after its session was discarded."""
    connected = pull_session(url=open_root)
    try:
        models = (model for root in connected.document.roots for model in root.references())
        sheets = {str(model.url) for model in models if isinstance(model, ImportedStyleSheet)}
    finally:
        connected.close()
    assert any(url.startswith("static/extensions/panel/css/loading.css") for url in sheets)
    assert [url for url in sheets if "://" in url] == []


@pytest.fixture
def pool() -> WaitingPool:
    return WaitingPool()


@pytest.fixture
def page(corner_home: Home, corner_fit: Planned, pool: WaitingPool) -> Page:
    """All tabs opened once, on a track under a video; the last of them, which asks for nothing, is open."""
    session = Session(Workspace(corner_home), pool=pool)
    session.show(corner_fit)
    opened = Page(session)
    for number in range(len(TABS)):
        opened.open_tab(number)
    return opened


def asked(pool: WaitingPool, act: Callable[[], object]) -> list[str]:
    """What tabs ask of the workers while something is done; the track is asked for by the session itself."""
    before = len(pool.tasks)
    act()
    return sorted(task.function.__name__ for task in pool.tasks[before:] if task.function is not track_file)


FROM_PANEL = pytest.mark.filterwarnings("ignore:Both 'variant' and 'button_style':PendingDeprecationWarning")
"""of a button that its own makers give both"""
ASKS = {
    "Plan": {"load_video", "render_option"}, "Seams": {"look_at_seam"}, "Beats": set(),
    "Mix": {"plan_sounds"}, "Match": set(), "Tracks": {"stack_loop"},
    "Review": {"render_option", "soundtrack_beside"}, "Listening": set(),
}  # fmt: skip
"""what each tab asks for when another option has become the plan"""


@FROM_PANEL
def test_only_the_tab_that_is_open_asks_for_work(page: Page, pool: WaitingPool, corner_fit: Planned) -> None:
    option = next(one for one in corner_fit.plan.options[1:] if one.seam_times)
    other = with_option_first(corner_fit, option, corner_fit.mix)
    session = page.session
    assert asked(pool, lambda: session.show(other)) == [], "all that ask for work are hidden"
    assert asked(pool, lambda: session.show(corner_fit)) == []
    session.show(other)
    for number, tab in enumerate(TABS):
        found = asked(pool, partial(page.open_tab, number))
        assert set(found) == ASKS[tab.title], tab.title
        assert len(found) == len(ASKS[tab.title]), f"{tab.title} asks for nothing twice"
        assert asked(pool, partial(page.open_tab, number)) == []


@FROM_PANEL
def test_a_tab_that_is_heard_follows_the_plan_while_another_one_is_open(
    page: Page, pool: WaitingPool, corner_fit: Planned
) -> None:
    page.open_tab([tab.title for tab in TABS].index("Plan"))
    page.open_tab([tab.title for tab in TABS].index("Listening"))
    option = next(one for one in corner_fit.plan.options[1:] if one.seam_times)
    page.transport.bar.playing = True
    show = partial(page.session.show, with_option_first(corner_fit, option, corner_fit.mix))
    assert asked(pool, show) == sorted(ASKS["Plan"])


@pytest.mark.parametrize(("host", "key"), [("0.0.0.0", None), ("127.0.0.1", "short")])
def test_other_machines_need_a_key_and_a_key_needs_length(tmp_path: Path, host: str, key: str | None) -> None:
    with pytest.raises(ParameterError, match="key"):
        make_server(Workspace(Home(tmp_path)), host=host, key=key)
