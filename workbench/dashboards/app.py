"""The dashboard's page and its server: tabs side by side, one session a page, everything served by us.

A tab of `TABS` is made when it is first opened, and stays then, hidden while another one is open.
"""

from __future__ import annotations

import gc
import signal
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

import click
import panel as pn
import param
from bokeh.core.validation import silence
from bokeh.core.validation.warnings import EMPTY_LAYOUT
from bokeh.server.server import BaseServer
from bokeh.server.util import bind_sockets
from bokeh.settings import settings
from panel.custom import JSComponent
from panel.io.document import hold
from panel.io.resources import DIST_DIR, LOCAL_DIST
from panel.util.parameters import edit_readonly
from panel_material_ui.template.base import Page as MaterialPage
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.web import StaticFileHandler

from workbench.analysis.provenance import with_recorded_audio
from workbench.analysis.sources import find_track, find_video
from workbench.analysis.workspace import Workspace
from workbench.cli.terminal import say
from workbench.dashboards.access import LOCAL_NAMES, SecurityHeaders, guard, is_loopback, new_key
from workbench.dashboards.actions import SOUNDS_ROUTE, UPLOADS_ROUTE, Session
from workbench.dashboards.address import PROJECTS, Address, Place
from workbench.dashboards.charts import THEME, ink_colour
from workbench.dashboards.downloads import download_file, download_label, is_another, offered
from workbench.dashboards.files import VIDEOS_ROUTE, SoundFiles, Uploads, VideoFiles
from workbench.dashboards.links import link_routes
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.page_socket import make_site
from workbench.dashboards.reviewer import known_reviewer
from workbench.dashboards.sounds.plan import FOLDER
from workbench.dashboards.sounds.video import find_still, still_file
from workbench.dashboards.styles import ASSETS, script, stylesheet
from workbench.dashboards.tabs.beats import BeatsTab
from workbench.dashboards.tabs.listening import ListeningTab
from workbench.dashboards.tabs.match import MatchTab
from workbench.dashboards.tabs.mix import MixTab
from workbench.dashboards.tabs.plan import PlanTab
from workbench.dashboards.tabs.projects import StartPage
from workbench.dashboards.tabs.review import ReviewTab, show_answered
from workbench.dashboards.tabs.seams import SeamsTab
from workbench.dashboards.tabs.tab import Tab
from workbench.dashboards.tabs.tracks import StackTab
from workbench.dashboards.tasks import shared_pool
from workbench.dashboards.transport import Transport
from workbench.errors import ParameterError
from workbench.export.formats import caution
from workbench.render.remux import CONTAINERS, describe_left_out
from workbench.review.projects import list_projects
from workbench.workflows.catalog import FoundTrack, search_catalog
from workbench.workflows.export import all_formats


class StatusBar(JSComponent):
    """Track and video of the page, the work under way, and what went wrong last."""

    subject = param.String("")
    tabs = param.List([], doc="titles of the tabs; empty while there is nothing to look at")
    tab = param.String("", doc="title of the one that is wanted")
    shown = param.String("", doc="title of the one that is to be seen: where it has to be made, another one until then")
    stage = param.String("")
    done = param.Number(0.0)
    message = param.String("")
    passes = param.Boolean(False, doc="whether the message goes by itself: what one should know, no fault")
    cancelled = param.Integer(0)
    formats = param.List([], doc="[name, title, sentence] of what can be downloaded; none while another option plays")
    taken = param.String("", doc="label of the download button")
    uploads = param.String(UPLOADS_ROUTE)
    asked = param.List([], doc="[format, n]")
    ready = param.List([], doc="[address, file name, n]")
    sent = param.List([], doc="[file name, n], when an upload has arrived")
    named = param.List([], doc="[track id, n]; an empty id is the demo")
    wanted = param.List([], doc="[words, n] by which tracks of the catalog are looked for")
    found = param.List(
        [[], 0], doc="[tracks, n], for the n-th of `wanted`; each with id, title, artist, seconds, bpm, tags"
    )
    projects = param.String(PROJECTS, doc="query of the page that lists the projects")
    history = param.List(
        [], doc="[words, undone, at (ISO 8601), whether another window made it] of each change, oldest first"
    )
    elsewhere = param.Boolean(False, doc="whether the message is on a change of another window")
    window = param.String("", doc="by which the browser knows this window, also after a reload")
    undone = param.Integer(0, doc="counts up when the last change is to be undone")
    redone = param.Integer(0, doc="counts up when it is to be done again")
    dark = param.Boolean(False, doc="whether the page is dark")
    prefers = param.List([], doc="[whether it should be, n]: as the system is set, or the user has switched it")

    _esm = script("drawn", "status")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("status")]


TABS: tuple[type[Tab], ...] = (PlanTab, SeamsTab, BeatsTab, MixTab, MatchTab, StackTab, ReviewTab, ListeningTab)
"""Every tab, in the order of the page."""

PRIMARY = {"light": "#0072B2", "dark": "#56B4E9"}
"""the blue of what plays"""


ASSETS_ROUTE = "assets"
"""under which the page finds our own scripts"""

_MOST_TAGS = 4
"""of a track in a list of choices"""

BAR = "#0B4F78"
"""background of the page's head in both modes; white text on it has a contrast of 8 to 1"""


_NARROW = "@media (max-width: 1279.95px)"
"""where the tabs stand in a line of their own; `status.css` has the same width"""
_FRAME = {
    "& .header .MuiToolbar-root": {"minHeight": "0 !important", "padding": "0 8px 0 0 !important"},
    "& .header .MuiBox-root:has(.title), & main .MuiToolbar-root .MuiTypography-root, & .MuiLinearProgress-root": {
        "display": "none !important"
    },
    "& .header .MuiToolbar-root > .MuiBox-root": {"minWidth": 0},
    "& .header .MuiIconButton-root": {"width": 36, "height": 36, "alignSelf": "flex-start", "marginTop": "4px"},
    "& main .MuiToolbar-root": {"minHeight": "44px !important", _NARROW: {"minHeight": "84px !important"}},
}  # fmt: skip
"""the head of the page is 44 pixels high and holds what `StatusBar` draws; the page's name is in the browser's tab"""


class Page:
    """One open page."""

    def __init__(self, session: Session, tabs: tuple[type[Tab], ...] = TABS) -> None:
        self.session = session
        self._tabs = tabs
        self._opened: dict[int, Tab] = {}
        # By their names the browser finds them, and by the properties it says which of them is seen: see `status.js`.
        self._places = [
            pn.Column(
                sizing_mode="stretch_width",
                name=f"place-{tab.title}",
                styles={"content-visibility": f"var(--place-{tab.title}, hidden)"},
            )
            for tab in tabs
        ]
        self._titles = [tab.title for tab in tabs]
        self.transport = Transport()
        self._bar = self._status()

    def open_tab(self, number: int) -> None:
        """Show a tab, counted from 0, in the place of another, and make it where it was not opened before."""
        if number not in self._opened:
            tab = self._opened[number] = self._tabs[number](self.session)
            if tab.program is not None:
                self.transport.add(tab.title, tab.program)
                tab.program.param.watch(tab.catch_up, "playing")
            self._places[number][:] = [tab.panel()]
        self._bar.shown = self._titles[number]
        for other, tab in self._opened.items():
            tab.show_tab(shown=other == number)
        self.transport.open_tab(self._titles[number], plays_itself=self._tabs[number].plays_itself)

    def view(self) -> MaterialPage:
        """The page, with its first tab open."""
        session, titles = self.session, self._titles
        tabs = pn.Column(self.transport.bar, *self._places, sizing_mode="stretch_width")
        start = StartPage(session)
        bar = self._bar

        def number() -> int:
            return titles.index(session.tab) if session.tab in titles else 0

        def open_wanted() -> None:
            """Open the tab; a tab that is not made yet waits for the step under way, whose work begins first."""
            loop = this_page_loop() if is_drawn and number() not in self._opened else None
            if loop is None:
                self.open_tab(number())
            else:
                loop.call_soon(lambda: self.open_tab(number()))

        is_drawn = False

        def show(*_: Any) -> None:
            """Show the tab that is wanted; until something is opened, the projects."""
            begun = session.project is not None or bool(session.coming)
            # In one message: what follows a new tab's pictures must not come before them.
            with hold():
                start.view.visible, tabs.visible = not begun, begun
                if begun:
                    session.tab = session.tab or titles[0]
                bar.param.update(tabs=titles if begun else [], tab=session.tab)
                if begun:
                    open_wanted()

        bar.param.watch(lambda event: setattr(session, "tab", event.new or session.tab), "tab")

        def picture(event: Any) -> None:
            """Have the picture made by which people know the video: in a list, and before it is played."""
            video = None if event.new is None else event.new.video
            session.still = None if video is None else find_still(session.home, video)
            if video is not None and session.still is None:
                made = partial(setattr, session, "still")
                session.run(still_file, video, on_result=made, is_current=lambda: session.video == video)

        session.param.watch(show, ["tab", "project", "coming"])
        session.param.watch(picture, "loop")
        show()
        is_drawn = True
        page = MaterialPage(
            title="Barline Workbench",
            header=[bar, Address(session, titles).bar],
            main=[start.view, tabs],
            busy_indicator=None,
            theme_config=_theme(),
            dark_theme=_known_mode() == "dark",
            sx=_FRAME,
            template=ASSETS / "page.html",
        )
        # It follows whether any page of the server is at work, and with each change goes through all that a page holds.
        # Nothing shows it: our own bar says what is being done.
        with edit_readonly(page):
            page.busy = False
        if pn.state.curdoc is not None:
            pn.state.curdoc.theme = THEME
            pn.config.js_files = {name: f"{ASSETS_ROUTE}/{name}.js" for name in ("theme", "figures")}
            scheme = _known_mode() or "light dark"  # for the empty page, before anything is drawn
            pn.state.curdoc.template_variables["html_attrs"] = f'style="color-scheme: {scheme}"'
            pn.state.curdoc.template_variables["bar_colour"] = BAR
            # Panel sets the address of its own files when it writes the HTML, and uses its makers' host before; a page
            # that connects again after a pause is made without any HTML.
            pn.state.curdoc.template_variables["dist_url"] = LOCAL_DIST

        def darken(*_: Any) -> None:
            session.dark = bar.dark = page.dark_theme

        page.param.watch(darken, "dark_theme")
        bar.param.watch(lambda event: setattr(page, "dark_theme", bool(event.new[0])), "prefers")
        darken()
        return page

    def _status(self) -> StatusBar:
        session = self.session
        bar = StatusBar(sizing_mode="stretch_width")

        def show(*_: Any) -> None:
            bar.param.update(
                subject=_subject(session), stage=session.stage, done=session.done,
                message=session.message or session.notice, passes=not session.message, elsewhere=session.elsewhere,
                formats=[] if is_another(session.loop, session.option) else offered(session.loop),
                taken=download_label(session.loop, session.option),
            )  # fmt: skip

        def ready(path: Path) -> None:
            loop = session.loop
            if loop is not None and loop.video is not None and path.suffix.lower() in CONTAINERS:
                audio = with_recorded_audio(session.workspace, loop.provenance).audio
                session.notice = describe_left_out(loop.video, path, audio) or ""
            # A browser caches what it took for a while, and the same plan is written again with another mix or comment.
            address = f"{session.url_of(path)}?written={path.stat().st_mtime_ns}"
            bar.ready = [address, path.name, bar.ready[2] + 1 if bar.ready else 1]

        def ask(format_name: str) -> None:
            if session.loop is not None:
                form = all_formats().get(format_name)
                session.notice = caution(form, session.loop.track.path) if form is not None else ""
                session.run(download_file, session.loop, format_name, on_result=ready)

        def name(track_id: str) -> None:
            if track_id:
                session.open_track(track_id)
            else:
                session.open_demo()

        def keep(message: str) -> None:
            """Keep what the browser says: a player's fault, or that a message was taken away."""
            if message != (session.message or session.notice):
                session.param.update(message=message, notice=session.notice if message else "", elsewhere=False)

        def look_for(words: str, number: int) -> None:
            found = session.find(search_catalog, session.workspace, words) or []
            bar.found = [[_choice(track) for track in found], number]

        def show_history(*_: Any) -> None:
            bar.history = [
                [change.words, change.undone, change.at, change.window in session.others] for change in session.history
            ]

        session.param.watch(
            show, ["track", "video", "loop", "option", "stage", "done", "message", "notice", "elsewhere", "project"]
        )
        session.param.watch(show_history, ["history", "others"])
        bar.param.watch(lambda event: session.autosave.name_window(event.new), "window")
        bar.param.watch(lambda event: keep(event.new), "message")
        bar.param.watch(lambda event: look_for(*event.new), "wanted")
        bar.param.watch(lambda _: session.undo(), "undone")
        bar.param.watch(lambda _: session.redo(), "redone")
        bar.param.watch(lambda _: session.cancel(), "cancelled")
        bar.param.watch(lambda event: ask(event.new[0]), "asked")
        bar.param.watch(lambda event: name(event.new[0]), "named")
        bar.param.watch(lambda event: session.open_file(session.home.uploads / "dashboard" / event.new[0]), "sent")
        show()
        show_history()
        return bar


def _known_mode() -> str:
    """Whether the page should be dark, as `theme.js` saves it: "light", "dark", or empty for not known."""
    cookies = pn.state.cookies
    known = cookies.get("workbench-theme") or cookies.get("workbench-system") or ""
    return known if known in ("light", "dark") else ""


def _choice(track: FoundTrack) -> dict[str, Any]:
    return {
        "id": track.track_id,
        "title": track.title,
        "artist": track.artist_name,
        "seconds": track.duration_seconds,
        "bpm": track.bpm,
        "tags": ", ".join(track.tags[:_MOST_TAGS]),
    }


def _subject(session: Session) -> str:
    """What the page is about: the name of its project, else which track is under which video."""
    if session.project is not None:
        return session.project.name
    track, video = session.track, session.video
    title = "" if track is None else track.title
    return " under ".join(word for word in (title, video.name if video is not None else "") if word)


def _theme() -> dict[str, Any]:
    """Colours and sizes of both modes: dense enough for 1280 by 720, letters of the system."""
    common = {
        "typography": {"fontFamily": "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif", "fontSize": 13},
        "shape": {"borderRadius": 4},
    }
    palettes: dict[str, dict[str, Any]] = {mode: {"primary": {"main": colour}} for mode, colour in PRIMARY.items()}
    palettes["light"]["warning"] = {"main": "#A84300"}  # letters of it on white have 6.4 to 1
    return {
        mode: {**common, "palette": palette, "components": _components(ink_colour(dark=mode == "dark"))}
        for mode, palette in palettes.items()
    }


def _components(ink: str) -> dict[str, Any]:
    """Buttons of Material UI that look as those of `base.css` do."""
    filled = {
        "backgroundColor": PRIMARY["light"],
        "borderColor": PRIMARY["light"],
        "color": "#FFFFFF",
        "boxShadow": "none",
    }
    size = {"minHeight": 28, "padding": "0 8px", "fontSize": "13px", "lineHeight": 1.3, "textTransform": "none"}
    rule, hover = (f"color-mix(in srgb, {ink} {share}%, transparent)" for share in (45, 10))
    outlined = {
        "color": ink, "borderColor": rule, "&:hover": {"backgroundColor": hover, "borderColor": rule},
        "&.Mui-disabled": {"color": ink, "opacity": 0.5},
    }  # fmt: skip
    parts: dict[str, dict[str, Any]] = {
        "MuiAppBar": {"backgroundColor": BAR, "color": "#FFFFFF"},
        "MuiButton": {
            "&.MuiButton-sizeSmall": size,
            "&&.MuiButton-outlined.MuiButton-colorPrimary": outlined,
            "&&.MuiButton-contained.MuiButton-colorPrimary:not(.Mui-disabled)": {**filled, "&:hover": filled},
        },
        "MuiToggleButton": {
            **size, "color": ink, "borderColor": rule,
            "&&.Mui-selected, &&.Mui-selected:hover": filled,
        },
    }  # fmt: skip
    return {name: {"styleOverrides": {"root": style}} for name, style in parts.items()}


def make_server(
    workspace: Workspace,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    key: str | None = None,
    opens: tuple[Path | str, Path] | None = None,
) -> BaseServer:
    """A server of the dashboard; `ParameterError` without the key that `host` needs, `OSError` where it is taken.
    `port`: 0 takes a free one, see `server.port`. `key`: see `access.guard`. `opens`: track, by path or id in the
    catalog, and video with which a page begins a new project where its address names none; None: it lists the projects,
    and opens the demo where there is none.
    """
    if key is None and not is_loopback(host):
        raise ParameterError(f"{host} is reached from other machines: give a key")
    # To help page authors, Bokeh looks at the signature of each callback, and for the names most like one that
    # is missing. What else it spends on a page is nearly all in `PropertyDescriptor`, which works out the default of a
    # property again for each model: to cache defaults that are numbers, texts or nothing there, by class, would take
    # two fifths off the server's work for a page.
    settings.perform_error_diagnostics = False
    silence(EMPTY_LAYOUT, True)  # the place of a tab that was not opened yet
    home = workspace.home
    sounds = home.prepared(home.renders / FOLDER)

    def page() -> MaterialPage:
        session = Session(workspace)
        session.reviewer = known_reviewer(pn.state.cookies)
        query = _asked_query()
        place = Place.read(query, [tab.title for tab in TABS])
        if place.project:  # so that the page is drawn at its place at once
            session.look_at(asdict(place))
            session.coming = "Opening the project."
        elif opens is not None and query != PROJECTS:
            session.foresee(*opens)
        shown = Page(session).view()
        pn.state.on_session_destroyed(lambda _: session.close())
        pn.state.onload(lambda: _begin(session, place, opens, listing=query == PROJECTS))
        return shown

    site = make_site(
        page,
        "Barline Workbench",
        extra_patterns=[
            (rf"/{SOUNDS_ROUTE}/(.*)", SoundFiles, {"path": str(sounds)}),
            (rf"/{VIDEOS_ROUTE}/([0-9a-f]+)", VideoFiles, {"path": ""}),
            (rf"/{UPLOADS_ROUTE}/(.*)", Uploads, {"home": home}),
            *link_routes(workspace, shared_pool, partial(show_answered, home)),
            (rf"/{ASSETS_ROUTE}/(.*)", StaticFileHandler, {"path": str(ASSETS)}),
        ],
        ico_path=str(DIST_DIR / "images" / "favicon.ico"),
    )
    site.add_transform(SecurityHeaders)
    guard(site, key)
    sockets, port = bind_sockets(host, port)
    # With a key the cookie's SameSite shuts pages of other sites out of the websocket, under any name of this server.
    site.websocket_origins.update({"*"} if key is not None else {f"{name}:{port}" for name in LOCAL_NAMES})
    web_server = HTTPServer(site)
    web_server.add_sockets(sockets)
    return BaseServer(IOLoop.current(), site, web_server)


def serve(
    workspace: Workspace,
    track: str | None,
    video: Path | None,
    *,
    host: str,
    port: int,
    key: str | None,
    show: bool,
) -> None:
    """Serve the dashboard until it is ended; `track` and `video`, both or none, are what a page opens."""
    opens = None
    if track is not None and video is not None:
        find_track(workspace, track)  # so that its faults are reported before a server runs
        opens = track, find_video(workspace, video).path
    if key is None and not is_loopback(host):
        key = new_key()
    try:
        server = make_server(workspace, host=host, port=port, key=key, opens=opens)
    except OSError as error:
        raise click.ClickException(
            f"cannot listen on {host}:{port} ({error.strerror}); choose another --port"
        ) from error
    name = f"[{host}]" if ":" in host else host
    url = f"http://{name}:{server.port}" + (f"/?key={key}" if key is not None else "")
    # What is loaded stays: when a page closes, memory is sought among what pages hold.
    gc.collect()
    gc.freeze()
    server.start()
    shared_pool().warm()
    # A plain kill ends it like Ctrl-C: the processes that work for it must not outlive it.
    signal.signal(signal.SIGTERM, lambda *_: server.io_loop.add_callback_from_signal(server.io_loop.stop))
    click.echo(f"listening on {url}")
    if show:
        click.launch(url)
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        say("the dashboard has ended")
    finally:
        server.stop()
        shared_pool().close()


def _asked_query() -> str:
    """The query of the address for which a page is made; empty without one."""
    asked = pn.state.session_args
    return urlencode({name: values[-1] for name, values in asked.items()})


def _begin(session: Session, place: Place, opens: tuple[Path | str, Path] | None, *, listing: bool) -> None:
    """Open what the address names; without a project in it the list of projects stays, unless there is none."""
    if place.project:
        # An address with a tab says all there is to say; one without leads to where the project was left.
        session.open_project(place.project, asdict(place) if place.tab else {})
    elif opens is not None and not listing:
        session.open_new(*opens)
    elif not listing and not list_projects(session.workspace, 1):
        session.open_demo()
