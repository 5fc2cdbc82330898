"""The page and its server: tabs made when they are opened, nothing named of another host, a key beyond this machine."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import panel as pn
import pytest
from bokeh.models import ImportedStyleSheet

from workbench.dashboards.app import TABS, Page, make_server
from workbench.dashboards.session import Session
from workbench.dashboards.tab import Tab
from workbench.dashboards.work import Pool
from workbench.errors import ParameterError
from workbench.home import Home
from workbench.workspace import Workspace


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


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A page that was just opened, with a pool that starts no process before it is used."""
    return Session(Workspace(Home(tmp_path)), pool=Pool(1))


def test_tabs_have_titles_of_their_own() -> None:
    assert [tab.title for tab in TABS] == ["Plan", "Seams", "Beats", "Mix", "Match", "Tracks", "Review", "Listening"]


def test_a_tab_is_made_when_it_is_first_opened(session: Session) -> None:
    page = Page(session, (CountedTab, SecondTab))
    assert CountedTab.made == []
    for _ in range(2):
        page.open_tab(0)
    assert CountedTab.made == [session]
    assert SecondTab.made == []


def test_a_page_that_is_made_without_html_names_no_other_host(served_home: Path) -> None:
    """As a page is that connects again after its session was discarded."""
    server = make_server(Workspace(Home(served_home)))
    try:
        document = server._tornado.applications["/"].application.create_document()
        models = (model for root in document.roots for model in root.references())
        sheets = {str(model.url) for model in models if isinstance(model, ImportedStyleSheet)}
        assert any(url.startswith("static/extensions/panel/css/loading.css") for url in sheets)
        assert [url for url in sheets if "://" in url] == []
    finally:
        server.stop()


@pytest.mark.parametrize(("host", "key"), [("0.0.0.0", None), ("127.0.0.1", "short")])
def test_other_machines_need_a_key_and_a_key_needs_length(tmp_path: Path, host: str, key: str | None) -> None:
    with pytest.raises(ParameterError, match="key"):
        make_server(Workspace(Home(tmp_path)), host=host, key=key)
