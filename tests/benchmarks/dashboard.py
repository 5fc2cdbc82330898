"""How fast the dashboard answers in a real browser, on half an hour of music under a longer video: alone, five at once.

The page is opened on a track of 30 minutes (a bundled track over and over) under a video of 35 (moving patterns, with
somebody who speaks), both known to the home already: what is measured is the page, not the analysis. Chromium is driven
by Playwright; a slider is moved, the wheel turned, and the page itself measures from that event to the second frame
after the last of the new data, so the way to the server and back, the server's work and the browser's are all in it.
Besides, a video of 4 minutes and a track that nobody has seen before are opened on the page and planned by
`workbench loop`, each in a home of its own: from nothing to a plan.

WORKBENCH_BENCH_DASHBOARD names a folder that keeps video, track and home from run to run; without it some minutes go
into making them.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import numpy as np
import soundfile
from playwright.async_api import Browser, Locator, Page, async_playwright

from tests.benchmarks.table import Table
from tests.browser.serving import CHROMIUM, draw_patterns, served
from workbench.bundled import bundled_path

ROOT = Path(__file__).parents[2]
TRACK = "slow_tide"
TRACK_MINUTES, VIDEO_MINUTES = 30, 35
OWN_TRACK, OWN_SECONDS = "corner_store", 240
SESSIONS = 5
TURNS, TURNS_TOGETHER = 8, 2
"""of the wheel and steps of a slider, in a page alone and in each of several"""
PATIENCE_MS = 900_000
_CHROMIUM_ARGS = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--mute-audio"]
_BETWEEN_MS = 250
_SETTLED_MS = 1500
"""after a change of the mix, until the other tabs have it too"""
_PLAYED_MS, _LATE_S = 10_000, 57 * VIDEO_MINUTES
"""for which the picture is compared with the sound at the beginning, and from where in the last minutes"""
_RUN_MS = 3000
"""for which the wheel is turned or the picture is dragged while frames are counted"""
_NOTES = [
    "*First paint*: from asking for the page to the browser's first contentful paint; the server is warm, the browser "
    "is not. *Server CPU*: of the process that serves the page, until its plan is drawn. *Plan drawn*: until video "
    "strip, music, segments and bars are on the screen, each sound from its file. With five sessions the figures are "
    "those of five pages opened together; everything else goes on in all five at once.",
    "*Heard*: while it plays, from the click, key or release to the end of the 8 ms in which the new sound takes over; "
    "the delay of the loudspeaker is not in it. *Option*: another option becomes A. *Duck*: the slider below. *Fade*: "
    "an arrow key on a crossfade's handle. *Picture against sound*: of each picture shown in ten seconds at the "
    "beginning and ten near the end, its time in the video less the time that is heard; the 95th percentile of its "
    "size in each page.",
    "*Tab switch*: from the click on a tab that was open before to the second frame in which it is to be seen; *first* "
    "is the first time, when it is made. *Seam's sound*: from the key until it sounds, its file loaded; the delay of "
    "the loudspeaker is not in it.",
    "*Slider*: from an arrow key on 'under voice' in the Mix tab until levels and duck of the new mix are drawn. "
    "*Zoom*: from a turn of the wheel until what the server sends for the new view is drawn; until then the browser "
    "shows what it has at the new scale. *Frames*: of the browser, a second, while the wheel is turned 20 times a "
    "second in the plan of all 35 minutes, without a graphics card. Median and worst of all turns, of frames median "
    "and least.",
    "*Memory*: what a session adds to the server's private memory (files mapped to be drawn are not counted), and the "
    "JavaScript heap of a page after all tabs but Match, Review and Listening were used. Workers are shared by all "
    "sessions.",
    "*To a plan*: from asking for the page, or starting the command, to the plan; the server has just been started.",
]

_WATCH = """
const ramp = AudioParam.prototype.linearRampToValueAtTime
AudioParam.prototype.linearRampToValueAtTime = function (value, at) {
  if (value === 1) bench.sounds(performance.now() + 1000 * Math.max(0, at - workbenchOutput.context.currentTime))
  return ramp.call(this, value, at)
}
const start = AudioBufferSourceNode.prototype.start
AudioBufferSourceNode.prototype.start = function (...when) {
  if (this.loop) bench.sounds(performance.now() + 8)
  return start.apply(this, when)
}
window.bench = {
  heard: null,
  sounds(at) {
    this.heard ??= at
    this.waits?.()
  },
  /** Act, and tell after how many ms another sound has taken over. */
  untilHeard(act) {
    const began = performance.now()
    this.heard = null
    return new Promise((done) => {
      this.waits = () => {
        this.waits = null
        done(this.heard - began)
      }
      act()
    })
  },
  begin(head, kind) {
    const pattern = new RegExp(head)
    const models = Bokeh.documents.flatMap(d => [...d.all_models])
    const figures = models.filter(m => m.type === "Figure" && m.center.some(s => pattern.test(s.name ?? "")))
    const signals = figures.flatMap(f => f.renderers.map(r => r.data_source.properties.data.change))
    let from = null
    this.heardAfter = () => this.heard !== null && this.heard - from
    this.result = new Promise((done, fail) => {
      let to = 0, waiting = 0
      const began = () => {
        from = performance.now()
        this.heard = null
      }
      const changed = () => {
        if (from === null) return
        clearTimeout(waiting)
        requestAnimationFrame(() => requestAnimationFrame(() => { to = performance.now() }))
        waiting = setTimeout(() => {
          for (const s of signals) s.disconnect(changed)
          done(to - from)
        }, 400)
      }
      window.addEventListener(kind, began, { capture: true, once: true })
      for (const s of signals) s.connect(changed)
      setTimeout(() => fail(new Error(`nothing new was drawn in ${figures.length} figures`)), 60000)
    })
  },
}
"""
_SWITCH = """([name, shows]) => new Promise((resolve) => {
  const all = (root) => [...root.querySelectorAll("*")].flatMap(n => n.shadowRoot ? [n, ...all(n.shadowRoot)] : [n])
  const tab = all(document).find(n => n.getAttribute("role") === "tab" && n.textContent === name)
  const own = (n) => [...n.childNodes].some(one => one.nodeType === 3 && one.textContent.includes(shows))
  let sought = null
  const began = performance.now()
  tab.click()
  const look = () => {
    if (!sought?.isConnected) sought = all(document).find(own)
    if (sought?.checkVisibility()) requestAnimationFrame(() => resolve(performance.now() - began))
    else requestAnimationFrame(look)
  }
  look()
})"""
_SEAM = """() => new Promise((resolve) => {
  const began = performance.now()
  const heard = () => {
    if (!workbenchOutput.sounding) return
    window.removeEventListener("workbench-sounding", heard)
    resolve(performance.now() - began)
  }
  window.addEventListener("workbench-sounding", heard)
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true, composed: true }))
})"""
_APART = """() => {
  const found = (root) => root.querySelector(".player") ?? [...root.querySelectorAll("*")]
    .map((node) => node.shadowRoot && found(node.shadowRoot)).find((node) => node)
  return found(document).videoPicture.offsets.map(([, off]) => off)
}"""
_MOVE = """(key) => new Promise((resolve) => {
  const models = () => Bokeh.documents.flatMap(d => [...d.all_models])
  const hand = models().find(m => Array.isArray(m.seams) && m.places !== undefined)
  const began = performance.now()
  hand.properties.seams.change.connect(function moved() {
    hand.properties.seams.change.disconnect(moved)
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)))
  })
  document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }))
})"""
_PRESS = """(handle, key) => bench.untilHeard(() => {
  handle.focus()
  handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true }))
})"""
_FRAMES = """(ms) => new Promise((resolve) => {
  const began = performance.now()
  let frames = 0
  const count = (now) => {
    frames += 1
    if (now - began < ms) requestAnimationFrame(count)
    else resolve(1000 * frames / (now - began))
  }
  requestAnimationFrame(count)
})"""
_DRAWN = """() => {
  if (!window.Bokeh) return false
  const models = Bokeh.documents.flatMap(d => [...d.all_models])
  return models.find(m => m.name === "music")?.data_source.data.x.length > 100
}"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_HEAP = "performance.memory.usedJSHeapSize"


@dataclass
class Figures:
    """What was measured with so many pages open; times in ms, one for each page or turn."""

    paint: list[float] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    first_switch: list[float] = field(default_factory=list)
    switch: list[float] = field(default_factory=list)
    seam: list[float] = field(default_factory=list)
    option: list[float] = field(default_factory=list)
    duck: list[float] = field(default_factory=list)
    fade: list[float] = field(default_factory=list)
    apart: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    frames: list[float] = field(default_factory=list)
    slider: list[float] = field(default_factory=list)
    plan_zoom: list[float] = field(default_factory=list)
    beats_zoom: list[float] = field(default_factory=list)
    server_mb: float = 0.0
    heap_mb: list[float] = field(default_factory=list)


def run() -> list[Table]:
    """One session, then five at once; then from nothing to a plan, on the page and on the command line."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.environ.get("WORKBENCH_BENCH_DASHBOARD") or folder)
        home = root / "home"
        home.mkdir(parents=True, exist_ok=True)
        track, video = long_track(root), root / "video.mp4"
        if not video.exists():
            draw_patterns(60 * VIDEO_MINUTES, video, rate=6)
        with served(home, track, video) as (url, process):
            alone, together = asyncio.run(measured(Server(url, process.pid)))
        page, command = asyncio.run(from_nothing(Path(folder)))
    title = f"The dashboard on a track of {TRACK_MINUTES} minutes under a video of {VIDEO_MINUTES}"
    table = Table(title, ("what", "unit", "1 session", f"{SESSIONS} sessions"), notes=_NOTES)
    for what, name in (("first paint", "paint"), ("server CPU, a page", "cpu"), ("plan drawn", "drawn")):
        table.add(what, "s", *(_spread(getattr(part, name), 1000.0, 2) for part in (alone, together)))
    for what, name in (
        ("tab switch, first", "first_switch"),
        ("tab switch", "switch"),
        ("a seam's sound", "seam"),
        ("another option heard", "option"),
        ("another duck heard", "duck"),
        ("another fade heard", "fade"),
        ("picture against sound", "apart"),
        ("slider moved, new mix drawn", "slider"),
        ("seam moved by a bar, new plan drawn", "moved"),
        ("zoom, Plan", "plan_zoom"),
        ("zoom, Beats", "beats_zoom"),
    ):
        table.add(what, "ms", *(_spread(getattr(part, name), 1.0, 0) for part in (alone, together)))
    frames = (f"{np.median(part.frames):.0f}, least {min(part.frames):.0f}" for part in (alone, together))
    table.add("frames, zooming the plan", "1/s", *frames)
    table.add("memory of the server, a session", "MB", f"{alone.server_mb:.0f}", f"{together.server_mb:.0f}")
    table.add("heap of a page", "MB", *(_spread(part.heap_mb, 1.0, 0) for part in (alone, together)))
    table.add(f"own video of {OWN_SECONDS // 60} min and track to a plan, page", "s", f"{page:.1f}", None)
    table.add("the same, `workbench loop`", "s", f"{command:.1f}", None)
    table.add("page over command", "", f"{page / command:.2f}", None)
    return [table]


def _spread(values: list[float], unit: float, digits: int) -> str:
    """Median and worst; the value itself where there is one, a dash where there is none."""
    if not values:
        return "–"
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

    def cpu_s(self) -> float:
        """CPU time of that process so far, without its workers, s."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def from_nothing(root: Path) -> tuple[float, float]:
    """Seconds to a plan of a video and a track that no home knows: on the page, and by the command."""
    track = bundled_path("data", "bundled", "music", f"{OWN_TRACK}.ogg")
    video = draw_patterns(OWN_SECONDS, root / "own.mp4")
    homes = [root / "page", root / "command"]
    for home in homes:
        home.mkdir()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=_CHROMIUM_ARGS)
        with served(homes[0], track, video) as (url, process):
            figures = Figures()
            await opened(browser, Server(url, process.pid), figures, cards=True)
        await browser.close()
    began = monotonic()
    command = (sys.executable, "-m", "workbench", "loop", str(track), "--video", str(video), "--auto-mix")
    subprocess.run((*command, "--home", str(homes[1])), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return figures.drawn[0] / 1000.0, monotonic() - began


async def measured(server: Server) -> tuple[Figures, Figures]:
    """With one page and with five; a page before them makes whatever is made once for all."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=_CHROMIUM_ARGS)
        first = await opened(browser, server, Figures())
        await used(first, Figures(), alone=True)
        await first.context.close()
        figures = [await session(browser, server, count) for count in (1, SESSIONS)]
        await browser.close()
    return figures[0], figures[1]


async def session(browser: Browser, server: Server, count: int) -> Figures:
    """Open so many pages at once, and use all of them at once."""
    figures, before, cpu = Figures(), server.private_mb(), server.cpu_s()
    pages = await asyncio.gather(*(opened(browser, server, figures) for _ in range(count)))
    figures.cpu = [1000.0 * (server.cpu_s() - cpu) / count]
    await asyncio.gather(*(used(page, figures, alone=count == 1) for page in pages))
    figures.server_mb = (server.private_mb() - before) / count
    figures.heap_mb = [await page.evaluate(_HEAP) / 1e6 for page in pages]
    await asyncio.gather(*(page.context.close() for page in pages))
    return figures


async def opened(browser: Browser, server: Server, figures: Figures, *, cards: bool = False) -> Page:
    """A page with its plan drawn, in a profile of its own so that nothing is cached; or with its options only."""
    # Playwright waits for what holds on a page by evaluating text, which the page's policy forbids.
    context = await browser.new_context(viewport={"width": 1280, "height": 720}, bypass_csp=True)
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    await page.add_init_script(_WATCH)
    began = monotonic()
    await page.goto(server.url, wait_until="commit")
    if cards:
        await page.get_by_role("button", name="option 1 as A").wait_for()
    else:
        await page.wait_for_function(_DRAWN)
        await page.get_by_role("button", name="mute the soundtrack (f)").wait_for()
        await page.locator(".work").wait_for(state="hidden")
    figures.drawn.append(1000.0 * (monotonic() - began))
    figures.paint.append(await page.evaluate(_PAINT))
    return page


_SHOWS = {"Plan": "Open in Seams", "Seams": "Track plays on", "Beats": "beats a bar ·", "Mix": "duck down to"}
"""what is to be seen in a tab"""


async def used(page: Page, figures: Figures, *, alone: bool) -> None:
    """Zoom in the plan, hear options and a seam, tune the mix, zoom in the beats; go through the tabs, move a seam.

    Options are heard and seams are moved in one page alone: each renders half an hour, which five browsers on the same
    machine would wait for.
    """
    turns = TURNS if alone else TURNS_TOGETHER
    await turned(page, "plan-playhead", turns, figures.plan_zoom)
    await run_wheel(page, figures.frames)
    if alone:
        await heard(page, figures)
    await to_tab(page, "Seams", figures.first_switch)
    await page.wait_for_timeout(4 * _BETWEEN_MS)
    for _ in range(4):
        figures.seam.append(await page.evaluate(_SEAM))
        await page.wait_for_timeout(_BETWEEN_MS)
        await page.keyboard.press("Space")
    figures.seam.pop(0)  # with the loading of its file
    await page.keyboard.press("r")
    await page.keyboard.press("1")
    handle = page.get_by_role("slider", name="length of the crossfade, ms")
    for turn in range(min(turns, 4)):
        key = "ArrowLeft" if turn % 2 else "ArrowRight"
        figures.fade.append(await handle.evaluate(_PRESS, key))
        await page.locator(".work").wait_for(state="hidden")
        await page.wait_for_timeout(4 * _BETWEEN_MS)
    await page.keyboard.press("Space")
    await page.keyboard.press("r")
    await to_tab(page, "Mix", figures.first_switch)
    await page.get_by_role("button", name="play (space)").click()
    slider = page.get_by_role("slider", name="under voice, LU")
    for turn in range(turns):
        await nudged(page, slider, "ArrowLeft" if turn % 2 else "ArrowRight", figures)
        await page.wait_for_timeout(_SETTLED_MS)
        await page.locator(".work").wait_for(state="hidden")
    await page.get_by_role("button", name="pause (space)").click()
    await to_tab(page, "Beats", figures.first_switch)
    await page.get_by_role("button", name="all", exact=True).click()
    await page.wait_for_timeout(4 * _BETWEEN_MS)
    await turned(page, "beats-playhead", turns, figures.beats_zoom)
    for tab in ("Seams", "Beats", "Mix", "Plan"):
        await to_tab(page, tab, figures.switch)
    for turn in range(5 if alone else 0):
        figures.moved.append(await page.evaluate(_MOVE, "[" if turn % 2 else "]"))
        await page.locator(".work").wait_for(state="hidden")
        await page.wait_for_timeout(4 * _BETWEEN_MS)
    del figures.moved[:1]  # with the reading of what the planner needs


async def heard(page: Page, figures: Figures) -> None:
    """Play the plan for a while, and hear one option after the other."""
    await page.get_by_role("button", name="play (space)").click()
    await page.wait_for_timeout(_PLAYED_MS)
    await page.evaluate(f"window.dispatchEvent(new CustomEvent('workbench-seek', {{ detail: {_LATE_S} }}))")
    await page.wait_for_timeout(_PLAYED_MS)
    apart = np.abs(np.array(await page.evaluate(_APART), dtype=np.float64))
    figures.apart.append(1000.0 * float(np.quantile(apart, 0.95)))
    for turn in range(6):
        option = page.get_by_role("button", name=f"option {1 + (turn + 1) % 2} as A")
        figures.option.append(await option.evaluate("button => bench.untilHeard(() => button.click())"))
        await page.locator(".work").wait_for(state="hidden")
        await page.wait_for_timeout(4 * _BETWEEN_MS)
    del figures.option[-6:-4]  # with the loading of what they play
    await page.get_by_role("button", name="pause (space)").click()


async def to_tab(page: Page, name: str, into: list[float]) -> None:
    """Open a tab, measure until it has what it shows, and wait until its work has ended."""
    into.append(await page.evaluate(_SWITCH, [name, _SHOWS[name]]))
    await page.locator(".work").wait_for(state="hidden")
    await page.wait_for_timeout(4 * _BETWEEN_MS)


def first_figure(page: Page) -> Locator:
    """The first figure that is to be seen."""
    return page.locator(".bk-events:visible").first


async def run_wheel(page: Page, into: list[float]) -> None:
    """Count the browser's frames while the wheel is turned in the plan."""
    counted = asyncio.ensure_future(page.evaluate(_FRAMES, _RUN_MS))
    turn = 0
    while not counted.done():
        await page.mouse.wheel(0, -120 if turn // 10 % 2 == 0 else 120)
        await asyncio.sleep(0.05)
        turn += 1
    into.append(await counted)
    await page.wait_for_timeout(4 * _BETWEEN_MS)


async def turned(page: Page, head: str, turns: int, into: list[float]) -> None:
    """Zoom in, turn by turn, then out."""
    canvas = first_figure(page)
    await canvas.scroll_into_view_if_needed()
    box = await canvas.bounding_box()
    assert box is not None, "the figure is on the screen"
    await page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    for turn in range(turns):
        await page.evaluate("head => bench.begin(head, 'wheel')", head)
        await page.mouse.wheel(0, -120 if turn < turns // 2 else 120)
        into.append(await page.evaluate("bench.result"))
        await page.wait_for_timeout(_BETWEEN_MS)


async def nudged(page: Page, slider: Locator, key: str, figures: Figures) -> None:
    """Move a slider by a step."""
    await slider.focus()
    await page.evaluate("bench.begin('mix-playhead', 'keydown')")
    await page.keyboard.press(key)
    figures.slider.append(await page.evaluate("bench.result"))
    heard = await page.wait_for_function("bench.heardAfter()")
    figures.duck.append(await heard.json_value())
    await page.wait_for_timeout(_BETWEEN_MS)


if __name__ == "__main__":
    for one in run():
        print(one.markdown())
