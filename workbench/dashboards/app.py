"""The dashboard's page and its server: tabs side by side, one session a page, everything served by us.

A tab is a `workbench.dashboards.tab.Tab`, listed in `TABS`; it is made when it is first opened. The page shows what the
session is about and what is being done, with a button that gives it up.

Classes: `Page`; `StatusBar`. Functions: `make_server`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.server.server import Server
from panel.custom import JSComponent
from panel.io.resources import LOCAL_DIST
from panel_material_ui.template.base import Page as MaterialPage
from tornado.web import StaticFileHandler

from workbench.audition.plans import FOLDER
from workbench.dashboards.access import LOCAL_NAMES, guard, is_loopback
from workbench.dashboards.beats import BeatsTab
from workbench.dashboards.charts import THEME
from workbench.dashboards.downloads import download_file, offered, what_is_taken
from workbench.dashboards.files import SoundFiles, Uploads
from workbench.dashboards.headers import SecurityHeaders
from workbench.dashboards.links import link_routes
from workbench.dashboards.listening import ListeningTab
from workbench.dashboards.match import MatchTab
from workbench.dashboards.mix import MixTab
from workbench.dashboards.plan import PlanTab
from workbench.dashboards.review import ReviewTab
from workbench.dashboards.seams import SeamsTab
from workbench.dashboards.session import SOUNDS_ROUTE, UPLOADS_ROUTE, Session
from workbench.dashboards.styles import ASSETS, stylesheet
from workbench.dashboards.tab import Tab
from workbench.dashboards.transport import script
from workbench.dashboards.work import shared_pool
from workbench.errors import ParameterError
from workbench.export.formats import all_formats, caution
from workbench.workspace import Workspace


class StatusBar(JSComponent):
    """Track and video of the page, the work under way, and what went wrong last."""

    subject = param.String("")
    stage = param.String("")
    done = param.Number(0.0)
    message = param.String("")
    cancelled = param.Integer(0)
    formats = param.List([], doc="[name, title, sentence] of what can be downloaded")
    taken = param.String("", doc="which plan a download takes")
    uploads = param.String(UPLOADS_ROUTE)
    asked = param.List([], doc="[format, n]")
    ready = param.List([], doc="[address, file name, n]")
    sent = param.List([], doc="[file name, n], when an upload has arrived")
    named = param.List([], doc="[track id, n]; an empty id is the demo")

    _esm = script("status")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("status")]


TABS: tuple[type[Tab], ...] = (PlanTab, SeamsTab, BeatsTab, MixTab, MatchTab, ReviewTab, ListeningTab)
"""Every tab, in the order of the page."""

PRIMARY = {"light": "#0072B2", "dark": "#56B4E9"}
"""the blue of what is heard"""


ASSETS_ROUTE = "assets"
"""under which the page finds our own scripts"""

BAR = "#0B4F78"
"""of the page's head in both modes; white letters on it have 8 to 1"""


class Page:
    """One open page.

    Parameters
    ----------
    session : what it works on
    tabs : what it shows, in this order
    """

    def __init__(self, session: Session, tabs: tuple[type[Tab], ...] = TABS) -> None:
        self.session = session
        self._tabs = tabs
        self._opened: dict[int, Tab] = {}
        self._places = [pn.Column(sizing_mode="stretch_width") for _ in tabs]

    def open_tab(self, number: int) -> None:
        """Make a tab where it was not opened before.

        Parameters
        ----------
        number : counted from 0, in the order of the page
        """
        if number not in self._opened:
            tab = self._opened[number] = self._tabs[number](self.session)
            self._places[number][:] = [tab.panel()]

    def view(self) -> MaterialPage:
        """The page, with its first tab open."""
        tabs = pmui.Tabs(
            *((tab.title, place) for tab, place in zip(self._tabs, self._places, strict=True)),
            dynamic=True,
            sizing_mode="stretch_width",
        )
        tabs.param.watch(lambda event: self.open_tab(event.new), "active")
        titles = [tab.title for tab in self._tabs]

        def open_wanted(event: Any) -> None:
            if event.new in titles:
                tabs.active = titles.index(event.new)
                self.session.tab = ""

        self.session.param.watch(open_wanted, "tab")
        self.open_tab(0)
        page = MaterialPage(
            title="Barline Workbench",
            header=[self._status()],
            main=[tabs],
            busy_indicator=None,
            theme_config=_theme(),
        )
        if pn.state.curdoc is not None:
            pn.state.curdoc.theme = THEME
            pn.config.js_files = {name: f"{ASSETS_ROUTE}/{name}.js" for name in ("components", "figures")}
            # Panel sets the address of its own files when it writes the HTML, and uses its makers' host before; a page
            # that connects again after a pause is made without any HTML.
            pn.state.curdoc.template_variables["dist_url"] = LOCAL_DIST
        page.param.watch(lambda event: setattr(self.session, "dark", event.new), "dark_theme")
        self.session.dark = page.dark_theme
        return page

    def _status(self) -> pn.viewable.Viewable:
        session = self.session
        bar = StatusBar(sizing_mode="stretch_width")

        def show(*_: Any) -> None:
            bar.param.update(
                subject=_subject(session), stage=session.stage, done=session.done,
                message=session.message or session.notice,
                formats=offered(session.loop), taken=what_is_taken(session.loop),
            )  # fmt: skip

        def ready(path: Path) -> None:
            bar.ready = [session.url_of(path), path.name, bar.ready[2] + 1 if bar.ready else 1]

        def ask(format_name: str) -> None:
            if session.loop is not None:
                form = all_formats().get(format_name)
                session.notice = caution(form, session.loop.track.path) if form is not None else ""
                session.run(download_file, session.loop, format_name, then=ready)

        def name(track_id: str) -> None:
            if track_id:
                session.open_track(track_id)
            else:
                session.open_demo()

        session.param.watch(show, ["track", "video", "loop", "stage", "done", "message", "notice"])
        bar.param.watch(lambda _: session.cancel(), "cancelled")
        bar.param.watch(lambda event: ask(event.new[0]), "asked")
        bar.param.watch(lambda event: name(event.new[0]), "named")
        bar.param.watch(lambda event: session.open_file(session.home.uploads / "dashboard" / event.new[0]), "sent")
        show()
        return bar


def _subject(session: Session) -> str:
    """Which track is under which video."""
    track, video = session.track, session.video
    title = "" if track is None else (track.record.title if track.record is not None else None) or track.track_id
    return " under ".join(word for word in (title, video.name if video is not None else "") if word)


def _theme() -> dict[str, Any]:
    """Colours and sizes of both modes: dense enough for 1280 by 720, letters of the system."""
    common = {
        "typography": {"fontFamily": "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif", "fontSize": 13},
        "shape": {"borderRadius": 4},
        "components": {"MuiAppBar": {"styleOverrides": {"root": {"backgroundColor": BAR, "color": "#FFFFFF"}}}},
    }
    return {mode: {**common, "palette": {"primary": {"main": colour}}} for mode, colour in PRIMARY.items()}


def make_server(
    workspace: Workspace,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    key: str | None = None,
    opens: tuple[Path, Path] | None = None,
) -> Server:
    """A server of the dashboard.

    Parameters
    ----------
    workspace : whose files and records it works on, shared by all pages; each starts from its parameters
    host : address to bind to
    port : 0 takes a free one, see `server.port`
    key : that a browser must send once; None: requests to this machine's own names pass, see `access.guard`
    opens : track and video that a page begins with; None: the demo

    Returns
    -------
    Server : accepts requests once it is started (`server.start()`, `server.io_loop.start()`)

    Raises
    ------
    ParameterError : a host beyond loopback without a key, or a key that is too short
    OSError : the address is taken
    """
    if key is None and not is_loopback(host):
        raise ParameterError(f"{host} is reached from other machines: give a key")
    home = workspace.home
    sounds = home.prepared(home.renders / FOLDER)

    def page() -> MaterialPage:
        session = Session(workspace)
        shown = Page(session).view()
        pn.state.on_session_destroyed(lambda _: session.close())
        pn.state.onload(lambda: _begin(session, opens))
        return shown

    server: Server = pn.io.server.get_server(
        {"/": page},
        port=port,
        address=host,
        show=False,
        start=False,
        title="Barline Workbench",
        extra_patterns=[
            (rf"/{SOUNDS_ROUTE}/(.*)", SoundFiles, {"path": str(sounds)}),
            (rf"/{UPLOADS_ROUTE}/(.*)", Uploads, {"home": home}),
            *link_routes(workspace, shared_pool),
            (rf"/{ASSETS_ROUTE}/(.*)", StaticFileHandler, {"path": str(ASSETS)}),
        ],
    )
    server._tornado.add_transform(SecurityHeaders)
    # With a key the cookie's SameSite keeps pages of other sites away from the websocket, whatever the name is here.
    origins = {f"{name}:{server.port}" for name in LOCAL_NAMES} if key is None else {"*"}
    server._tornado.websocket_origins.update(origins)
    guard(server._tornado, key)
    return server


def _begin(session: Session, opens: tuple[Path, Path] | None) -> None:
    if opens is None:
        session.open_demo()
        return
    track, video = opens
    session.video = video
    session.open_track(track)
