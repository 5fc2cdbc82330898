"""Take a picture of every tab and state of the dashboard, to be looked at: what a test does not see.

    python -m tests.browser.states [--home DIR] [--out DIR] [--only WORD]

Each tab light at 390, 768, 1024, 1280 and 1920 pixels and dark at 1280; besides the list of projects, a page that is
loading, a refusal, a lost connection, an empty catalog, what plays in another tab, and the menus. The home is kept from
run to run where one is named: a small video and some bundled tracks are made in it first. Pictures are PNG files, named
`tab_width.png` or by the state; what one has to scroll to follows as `tab_width_2.png` and so on. `screenshots.py`
beside this takes those that the documentation shows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.screenshots import TABS, still
from tests.browser.serving import CHROMIUM, VIDEO_SECONDS, draw_patterns, served
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.store.home import Home
from workbench.workflows.catalog import add_tracks, bundled_files

TRACK = bundled_path("data", "bundled", "music", "corner_store.ogg")
REFUSED = bundled_path("data", "bundled", "voice", "narration.ogg")
"""speech, which cannot be looped"""
SIZES = {390: 844, 768: 1024, 1024: 768, 1280: 720, 1920: 1080}
"""heights by widths, px"""
DARK_WIDTH = 1280
TRACKS = 6
PATIENCE_MS = 240_000
_SCROLL = """(windows) => {
    const all = (root) =>
        [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])])
    const page = all(document).filter((e) => e.clientHeight > 0.6 * innerHeight && e.clientWidth > 0.9 * innerWidth
        && ["auto", "scroll"].includes(getComputedStyle(e).overflowY))
    const long = [document.scrollingElement, ...page].find((e) => e.scrollHeight > e.clientHeight + 4)
    if (!long) return false
    const step = long.clientHeight - 160, before = Math.min((windows - 1) * step, long.scrollHeight - long.clientHeight)
    long.scrollTop = windows * step
    return windows > 0 && long.scrollTop > before + 4
}"""
"""scrolls the page by so many windows; false where it does not go on"""


class Album:
    """Takes pictures whose names have a word, all without one.

    Parameters
    ----------
    browser : in which pages are opened
    out : folder that the pictures go to
    only : the word; empty for all pictures
    """

    def __init__(self, browser: Browser, out: Path, only: str) -> None:
        self._browser, self._out, self._only = browser, out, only
        self.faults: list[str] = []

    def wants(self, *names: str) -> bool:
        """Whether one of these pictures is to be taken."""
        return any(self._only in name for name in names)

    def take(self, page: Page, name: str, *, moving: bool = False) -> None:
        """Take pictures of the whole page, window by window: at rest, or only of its first window as it is now."""
        if not self.wants(name):
            return
        if moving:
            self._keep(name, page.screenshot())
            return
        self._keep(name, still(page))
        number = 2
        while page.evaluate(_SCROLL, number - 1):
            self._keep(f"{name}_{number}", still(page))
            number += 1
        page.evaluate(_SCROLL, 0)

    def _keep(self, name: str, picture: bytes) -> None:
        (self._out / f"{name}.png").write_bytes(picture)
        print(name, file=sys.stderr, flush=True)

    @contextmanager
    def page(self, url: str, width: int = 1280, *, dark: bool = False) -> Iterator[Page]:
        """A page that knows nothing of the others; errors on it are kept."""
        # Playwright waits for what holds on a page by evaluating text, which the page's policy forbids.
        context = self._browser.new_context(
            viewport={"width": width, "height": SIZES[width]}, bypass_csp=True,
            color_scheme="dark" if dark else "light",
        )  # fmt: skip
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.goto(url)
        yield page
        context.close()


def open_tab(page: Page, name: str) -> None:
    """Open a tab, and wait until what it shows is there."""
    page.get_by_role("tab", name=name, exact=True).click()
    page.locator(TABS[name]).first.wait_for()
    page.locator(".work").wait_for(state="hidden")


def take_tabs(album: Album, url: str) -> None:
    """Every tab in every width, and in the dark as the system is set."""
    for width, dark in [*((width, False) for width in SIZES), (DARK_WIDTH, True)]:
        names = {tab: f"{tab.lower()}_{'dark' if dark else width}" for tab in TABS}
        if not album.wants(*names.values()):
            continue
        with album.page(url, width, dark=dark) as page:
            for tab, name in names.items():
                if album.wants(name):
                    open_tab(page, tab)
                    album.take(page, name)


def take_states(album: Album, url: str) -> None:
    """What is shown while something plays, while something is open, and where the server has gone."""
    with album.page(url) as page:
        album.take(page, "loading", moving=True)
        open_tab(page, "Plan")
        page.get_by_title("make it the plan: for the other tabs and for downloads").first.click()  # a change
        page.get_by_role("button", name="History", exact=True).and_(page.locator(":enabled")).wait_for()
        page.locator(".work").wait_for(state="hidden")
        for name in ("History", "Open", "Download"):
            button = page.get_by_role("button", name=name, exact=True)
            if button.is_enabled():
                button.click()
                album.take(page, f"menu_{name.lower()}")
                page.keyboard.press("Escape")
        page.keyboard.press("?")
        album.take(page, "keys")
        page.keyboard.press("Escape")
        page.keyboard.press("Space")
        page.get_by_role("button", name="pause (space)").wait_for()
        open_tab(page, "Beats")
        album.take(page, "plays_on", moving=True)
    with album.page(f"{url}?page=projects") as page:
        page.get_by_role("link", name="Projects").wait_for()
        album.take(page, "projects")


def take_lost(album: Album, url: str, stop: Callable[[], None]) -> None:
    """A page whose server has gone."""
    with album.page(url) as page:
        open_tab(page, "Plan")
        stop()
        page.get_by_role("alert").filter(has_text="connection to the workbench is lost").wait_for()
        album.take(page, "lost", moving=True)


def take_refusal(album: Album, home: Path, video: Path) -> None:
    """A track that cannot be looped, and a catalog without a track."""
    if not album.wants("refusal", "empty"):
        return
    with served(home, REFUSED, video) as (url, _), album.page(url) as page:
        page.get_by_role("button", name="Rank tracks for this video").wait_for()
        album.take(page, "refusal")
        page.get_by_role("button", name="Rank tracks for this video").click()
        page.get_by_text("The catalog is empty").wait_for()
        album.take(page, "empty")


def main() -> None:
    """Prepare a home, start servers on it, take the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--home", type=Path)
    parser.add_argument("--out", type=Path, default=Path("states"))
    parser.add_argument("--only", default="", help="of the pictures' names")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        home = asked.home or Path(folder)
        full, empty = home / "full", home / "empty"
        video = home / "patterns.mp4"
        if not video.exists():
            for one in (full, empty):
                one.mkdir(parents=True, exist_ok=True)
            list(add_tracks(Workspace(Home(full)), bundled_files().wanted[:TRACKS]))
            draw_patterns(VIDEO_SECONDS, video)
        browser = driver.chromium.launch(
            executable_path=str(CHROMIUM),
            args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--mute-audio"],
        )
        album = Album(browser, asked.out, asked.only)
        with served(full, TRACK, video) as (url, process):
            take_tabs(album, url)
            if album.wants("loading", "menu_", "keys", "plays_on", "projects"):
                take_states(album, url)
            if album.wants("lost"):
                take_lost(album, url, process.terminate)
        take_refusal(album, empty, video)
        browser.close()
    if album.faults:
        raise RuntimeError(f"errors on the page: {album.faults}")


if __name__ == "__main__":
    main()
