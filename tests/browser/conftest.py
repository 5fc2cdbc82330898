"""A dashboard on a small video and one track, in a process of its own, and a browser in front of it.

The browser is Debian's Chromium. Where it is missing these tests are skipped. Every page must stay without an error on
its console and without a request to another host.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from urllib.parse import urlsplit

import pytest
from bokeh.server.server import BaseServer
from bokeh.server.util import bind_sockets
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop

from tests.browser.serving import CHROMIUM, VIDEO_SECONDS, draw_patterns, served
from tests.browser.watched import PATIENCE_MS, Watched
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path

TRACK = bundled_path("data", "bundled", "music", "corner_store.ogg")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the browser where there is none."""
    if CHROMIUM.exists():
        return
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.fspath).parents:
            item.add_marker(pytest.mark.skip(reason=f"no {CHROMIUM}: install chromium to run the browser tests"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say with a failure what the page showed."""
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and page is not None:
        shown = "it is closed" if page.is_closed() else page.locator("body").aria_snapshot()
        report.sections.append(("the page", shown))
    return report


@dataclass(frozen=True)
class Dashboard:
    """A running server, and what it serves."""

    url: str
    home: Path
    track: Path
    video: Path
    pid: int

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The server does nothing until the block ends: what happens meanwhile, the browser does."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)


@pytest.fixture(scope="session")
def draw_video(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """`draw_video(seconds)` is a video of moving patterns, cut twice; after a twelfth of it somebody speaks."""

    def drawn(seconds: int) -> Path:
        return draw_patterns(seconds, tmp_path_factory.mktemp("video") / "patterns.mp4")

    return drawn


@pytest.fixture(scope="session")
def video(draw_video: Callable[[int], Path]) -> Path:
    """Under which the track has three seams; somebody speaks in it."""
    return draw_video(VIDEO_SECONDS)


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory, video: Path) -> Iterator[Dashboard]:
    """One server for all modules whose tests leave nothing behind that others see."""
    with _dashboard(tmp_path_factory.mktemp("home"), video) as running:
        yield running


@pytest.fixture(scope="module")
def own_dashboard(tmp_path_factory: pytest.TempPathFactory, video: Path) -> Iterator[Dashboard]:
    """A server of the module's own, for tests that save what belongs to the track or the home."""
    with _dashboard(tmp_path_factory.mktemp("home"), video) as running:
        yield running


@contextmanager
def _dashboard(home: Path, video: Path) -> Iterator[Dashboard]:
    from workbench.store.home import Home
    from workbench.workflows.catalog import add_tracks

    wanted = [file for file in _bundled() if file.path.name == TRACK.name]
    assert all(added.track is not None for added in add_tracks(Workspace(Home(home)), wanted))
    with served(home, TRACK, video) as (url, process):
        yield Dashboard(url, home, TRACK, video, process.pid)


def _bundled() -> Any:
    from workbench.workflows.catalog import bundled_files

    return bundled_files().wanted


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, which may play sound without having been clicked, and finds no host but this one."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    offline = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=str(CHROMIUM),
            args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--mute-audio", offline],
        )
        yield opened
        opened.close()


@pytest.fixture
def serve_page() -> Iterator[Callable[[Callable[[], Any]], tuple[str, IOLoop]]]:
    """`serve_page(make)` serves a page of a test's own as the dashboard is: its address, and the server's loop."""
    from workbench.dashboards.page_socket import make_site

    running: list[tuple[threading.Thread, IOLoop]] = []

    def serve(make: Callable[[], Any]) -> tuple[str, IOLoop]:
        ready: SimpleQueue[tuple[str, IOLoop]] = SimpleQueue()

        def run() -> None:
            sockets, port = bind_sockets("127.0.0.1", 0)
            site = make_site(make, "A page", extra_websocket_origins=[f"127.0.0.1:{port}"])
            web_server, loop = HTTPServer(site), IOLoop.current()
            web_server.add_sockets(sockets)
            server = BaseServer(loop, site, web_server)
            server.start()
            ready.put((f"http://127.0.0.1:{port}/", loop))
            loop.start()
            server.stop()

        thread = threading.Thread(target=run)
        thread.start()
        url, loop = ready.get()
        running.append((thread, loop))
        return url, loop

    yield serve
    for thread, loop in running:
        loop.add_callback(loop.stop)
        thread.join()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """`new_page(**options)` opens an empty page that knows nothing of the others; all are closed at the end."""
    opened = []

    def open_page(**options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1280, "height": 720}, **options)
        opened.append(context)
        context.set_default_timeout(PATIENCE_MS)
        return context.new_page()

    yield open_page
    for context in opened:
        context.close()


@pytest.fixture
def page(new_page: Callable[..., Any], dashboard: Dashboard) -> Iterator[Any]:
    """The page, open; at the end there must have been no error, and no request to another host."""
    faults: list[str] = []
    opened = new_page()
    opened.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: faults.append(error.stack or str(error)))
    opened.on("request", lambda request: _check_host(request.url, dashboard.url, faults))
    opened.on("websocket", lambda socket: _check_host(socket.url, dashboard.url, faults))
    opened.goto(dashboard.url)
    opened.locator(".time").filter(has_not_text="/ 0:00.0").first.wait_for()  # until there is a plan
    yield opened
    opened.close()
    assert faults == []


@pytest.fixture
def watched(page: Any) -> Watched:
    """The page, open on the track under the video."""
    return Watched(page)


def _check_host(url: str, ours: str, faults: list[str]) -> None:
    if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != urlsplit(ours).netloc:
        faults.append(f"a request to {url}")


ON_TAB = {
    "Plan": "option 1 as A",
    "Seams": "Use this fade in the plan",
    "Beats": "Save as the track's grid",
    "Mix": "Save as profile",
    "Match": "Match again",
    "Tracks": "hear corner_store (1)",
    "Review": "Make a link",
    "Listening": "Begin",
}
"""a button that only this tab has"""


@pytest.fixture
def until_idle(page: Any) -> Callable[[], None]:
    """Waits until nothing is under way; one piece of work that asks for another leaves no gap between them."""
    from playwright.sync_api import expect

    return lambda: expect(page.locator(".work")).to_be_hidden()


@pytest.fixture
def open_tab(page: Any, until_idle: Callable[[], None]) -> Callable[[str], None]:
    """Opens a tab by a click on its header, and waits until its work has ended."""

    def opened(title: str) -> None:
        page.get_by_role("tab", name=title, exact=True).click()
        page.get_by_role("button", name=ON_TAB[title]).wait_for()
        until_idle()

    return opened
