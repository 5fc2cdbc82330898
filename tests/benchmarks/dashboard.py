"""How fast the dashboard answers in a real browser, on half an hour of music under a longer video: alone, five at once.

The page is opened on a track of 30 minutes (a bundled track over and over) under a video of 35 (the demo's, over and
over), both known to the home already: what is measured is the page, not the analysis. Chromium is driven by Playwright;
a slider is dragged and let go of, the wheel turned, and the page itself measures from that event to the second frame
after the last of the new data, so the way to the server and back, the server's work and the browser's are all in it.

WORKBENCH_BENCH_DASHBOARD names a folder that keeps video, track and home from run to run; without it some minutes go
into making them.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import numpy as np
import soundfile
from playwright.async_api import Browser, Locator, Page, async_playwright

from tests.benchmarks.table import Table
from workbench.bundled import bundled_path
from workbench.dashboards.app import make_server
from workbench.dashboards.work import shared_pool
from workbench.demo.run import demo_video
from workbench.home import Home
from workbench.workspace import Workspace

ROOT = Path(__file__).parents[2]
CHROMIUM = "/usr/bin/chromium"
TRACK = "slow_tide"
TRACK_MINUTES, VIDEO_TIMES = 30, 7
SESSIONS = 5
TURNS = 8
"""of the wheel and drags of a slider, in each page"""
PATIENCE_MS = 900_000
_BETWEEN_MS = 250
_SETTLED_MS = 1500
"""after a change of the mix, until the other tabs have it too"""
_NOTES = [
    "*First paint*: from asking for the page to the browser's first contentful paint. *Plan drawn*: until video strip, "
    "music, segments and bars are on the screen, each sound from its file. With five sessions the figures are those of "
    "five pages opened together; dragging and zooming goes on in all five at once.",
    "*Slider*: from letting go of 'under voice' in the Mix tab until levels and duck of the new mix are drawn. *Zoom*: "
    "from a turn of the wheel until what the server sends for the new view is drawn; until then the browser shows what "
    "it has at the new scale. Median and worst of all turns.",
    "*Memory*: what a session adds to the server's private memory (files mapped to be drawn are not counted), and the "
    "JavaScript heap of a page after all three tabs were used. Workers are shared by all sessions.",
]

_WATCH = """
window.bench = {
  begin(head, kind) {
    const pattern = new RegExp(head)
    const models = Bokeh.documents.flatMap(d => [...d._all_models.values()])
    const figures = models.filter(m => m.type === "Figure" && m.center.some(s => pattern.test(s.name ?? "")))
    const signals = figures.flatMap(f => f.renderers.map(r => r.data_source.properties.data.change))
    this.result = new Promise((done, fail) => {
      let from = null, to = 0, waiting = 0
      const began = () => { from = performance.now() }
      const changed = () => {
        if (from === null) return
        clearTimeout(waiting)
        requestAnimationFrame(() => requestAnimationFrame(() => { to = performance.now() }))
        waiting = setTimeout(() => { for (const s of signals) s.disconnect(changed); done(to - from) }, 400)
      }
      window.addEventListener(kind, began, { capture: true, once: true })
      for (const s of signals) s.connect(changed)
      setTimeout(() => fail(new Error(`nothing new was drawn in ${figures.length} figures`)), 60000)
    })
  },
}
"""
_DRAWN = """() => {
  if (!window.Bokeh) return false
  const models = Bokeh.documents.flatMap(d => [...d._all_models.values()])
  return models.find(m => m.name === "music")?.data_source.data.x.length > 100
}"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_HEAP = "performance.memory.usedJSHeapSize"


@dataclass
class Figures:
    """What was measured with so many pages open; times in ms, one for each page or turn."""

    paint: list[float] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    slider: list[float] = field(default_factory=list)
    plan_zoom: list[float] = field(default_factory=list)
    beats_zoom: list[float] = field(default_factory=list)
    server_mb: float = 0.0
    heap_mb: list[float] = field(default_factory=list)


def run() -> list[Table]:
    """One session, then five at once."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.environ.get("WORKBENCH_BENCH_DASHBOARD") or folder)
        home = root / "home"
        track, video = long_track(root), long_video(root, Home(home))
        with served(home, track, video) as server:
            alone, together = asyncio.run(measured(server))
    title = f"The dashboard on a track of {TRACK_MINUTES} minutes under a video of {5 * VIDEO_TIMES}"
    table = Table(title, ("what", "unit", "1 session", f"{SESSIONS} sessions"), notes=_NOTES)
    for what, name in (("first paint", "paint"), ("plan drawn", "drawn")):
        table.add(what, "s", *(_spread(getattr(part, name), 1000.0, 2) for part in (alone, together)))
    for what, name in (
        ("slider let go of, new mix drawn", "slider"),
        ("zoom, Plan", "plan_zoom"),
        ("zoom, Beats", "beats_zoom"),
    ):
        table.add(what, "ms", *(_spread(getattr(part, name), 1.0, 0) for part in (alone, together)))
    table.add("memory of the server, a session", "MB", f"{alone.server_mb:.0f}", f"{together.server_mb:.0f}")
    table.add("heap of a page", "MB", *(_spread(part.heap_mb, 1.0, 0) for part in (alone, together)))
    return [table]


def _spread(values: list[float], unit: float, digits: int) -> str:
    """Median and worst; the value itself where there is one."""
    scaled = np.array(values) / unit
    if scaled.size == 1:
        return f"{scaled[0]:.{digits}f}"
    return f"{np.median(scaled):.{digits}f}, worst {scaled.max():.{digits}f}"


def long_track(root: Path) -> Path:
    """Half an hour of one track, end to end."""
    path = root / "track.flac"
    if not path.exists():
        samples, rate = soundfile.read(bundled_path("data", "bundled", "music", f"{TRACK}.ogg"), dtype="int16")
        wanted = TRACK_MINUTES * 60 * rate
        whole = np.tile(samples, (-(-wanted // samples.shape[0]), 1))[:wanted]
        soundfile.write(path, whole, rate)
    return path


def long_video(root: Path, home: Home) -> Path:
    """The demo's video, small, end to end: the page shows pictures 60 pixels high."""
    path, small = root / "video.mp4", root / "small.mp4"
    if not path.exists():
        coder = ("-vf", "fps=12,scale=192:-2", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "copy")
        _ffmpeg("-i", str(demo_video(Workspace(home))), *coder, str(small))
        parts = root / "parts.txt"
        parts.write_text(f"file '{small}'\n" * VIDEO_TIMES, encoding="utf-8")
        _ffmpeg("-f", "concat", "-safe", "0", "-i", str(parts), "-c", "copy", str(path))
    return path


def _ffmpeg(*arguments: str) -> None:
    subprocess.run(("ffmpeg", "-v", "error", "-y", *arguments), check=True)


@dataclass(frozen=True)
class Server:
    """A running dashboard."""

    url: str
    pid: int

    def private_mb(self) -> float:
        """Private memory of the process that serves the pages, MB."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"RssAnon:\s+(\d+) kB", status)
        assert found is not None, "this benchmark runs on Linux"
        return int(found[1]) / 1024.0


@contextmanager
def served(home: Path, track: Path, video: Path) -> Iterator[Server]:
    """A server whose pages open on the track under the video."""
    command = (sys.executable, "-m", "tests.benchmarks.dashboard", "serve", str(home), str(track), str(video))
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Server(process.stdout.readline().strip(), process.pid)
    finally:
        process.terminate()
        process.wait(timeout=60)


def serve(home: Path, track: Path, video: Path) -> None:
    """Be that server, until terminated."""
    server = make_server(Workspace(Home(home)), opens=(track, video))
    server.start()
    signal.signal(signal.SIGTERM, lambda *_: server.io_loop.add_callback_from_signal(server.io_loop.stop))
    print(f"http://127.0.0.1:{server.port}/", flush=True)
    try:
        server.io_loop.start()
    finally:
        shared_pool().close()


async def measured(server: Server) -> tuple[Figures, Figures]:
    """With one page and with five; a page before them makes whatever is made once for all."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        first = await opened(browser, server, Figures())
        await used(first, Figures())
        await first.context.close()
        figures = [await session(browser, server, count) for count in (1, SESSIONS)]
        await browser.close()
    return figures[0], figures[1]


async def session(browser: Browser, server: Server, count: int) -> Figures:
    """Open so many pages at once, and use all of them at once."""
    figures, before = Figures(), server.private_mb()
    pages = await asyncio.gather(*(opened(browser, server, figures) for _ in range(count)))
    await asyncio.gather(*(used(page, figures) for page in pages))
    figures.server_mb = (server.private_mb() - before) / count
    figures.heap_mb = [await page.evaluate(_HEAP) / 1e6 for page in pages]
    await asyncio.gather(*(page.context.close() for page in pages))
    return figures


async def opened(browser: Browser, server: Server, figures: Figures) -> Page:
    """A page with its plan drawn, in a profile of its own so that nothing is cached."""
    # Playwright waits for what holds on a page by evaluating text, which the page's policy forbids.
    context = await browser.new_context(viewport={"width": 1280, "height": 720}, bypass_csp=True)
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    await page.add_init_script(_WATCH)
    began = monotonic()
    await page.goto(server.url, wait_until="commit")
    await page.wait_for_function(_DRAWN)
    await page.get_by_role("button", name="mute the soundtrack (f)").wait_for()
    await page.locator(".work").wait_for(state="hidden")
    figures.drawn.append(1000.0 * (monotonic() - began))
    figures.paint.append(await page.evaluate(_PAINT))
    return page


async def used(page: Page, figures: Figures) -> None:
    """Zoom in the plan, tune the mix, zoom in the beats."""
    await turned(page, page.locator(".bk-events").first, "plan-playhead", figures.plan_zoom)
    await to_tab(page, "Mix", "duck down to")
    thumb = page.locator(".MuiSlider-root", has=page.get_by_role("slider")).locator(".MuiSlider-thumb").nth(1)
    for turn in range(TURNS):
        await dragged(page, thumb, 24 if turn % 2 else -24, figures.slider)
        await page.wait_for_timeout(_SETTLED_MS)
        await page.locator(".work").wait_for(state="hidden")
    await to_tab(page, "Beats", "beats a bar ·")
    await page.get_by_role("button", name="all", exact=True).click()
    await page.wait_for_timeout(4 * _BETWEEN_MS)
    await turned(page, page.locator(".bk-events").first, "beats-playhead", figures.beats_zoom)


async def to_tab(page: Page, name: str, shows: str) -> None:
    """Open a tab and wait until it has what it shows."""
    await page.get_by_role("tab", name=name, exact=True).click()
    await page.get_by_text(shows).first.wait_for()
    await page.locator(".work").wait_for(state="hidden")
    await page.wait_for_timeout(4 * _BETWEEN_MS)


async def turned(page: Page, canvas: Locator, head: str, into: list[float]) -> None:
    """Zoom in, turn by turn, then out."""
    box = await canvas.bounding_box()
    assert box is not None, "the figure is on the screen"
    await page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    for turn in range(TURNS):
        await page.evaluate("head => bench.begin(head, 'wheel')", head)
        await page.mouse.wheel(0, -120 if turn < TURNS // 2 else 120)
        into.append(await page.evaluate("bench.result"))
        await page.wait_for_timeout(_BETWEEN_MS)


async def dragged(page: Page, thumb: Locator, by: float, into: list[float]) -> None:
    """Drag a slider's thumb and let go."""
    box = await thumb.bounding_box()
    assert box is not None, "the slider is on the screen"
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + by, y, steps=4)
    await page.evaluate("bench.begin('mix-playhead', 'pointerup')")
    await page.mouse.up()
    into.append(await page.evaluate("bench.result"))
    await page.wait_for_timeout(_BETWEEN_MS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(*(Path(argument) for argument in sys.argv[2:5]))
    else:
        for one in run():
            print(one.markdown())
