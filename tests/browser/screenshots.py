"""Take the pictures of the dashboard that the documentation shows: every tab on the demo, light and dark.

    python tests/browser/screenshots.py [--out DIR] [--size 1280x720]

A server of its own opens the page as `workbench dashboard` does, on the demo's video and the plan that covers it best.
Its home is new each time, since a page with projects opens on their list and not on the demo. A tab's picture is taken
once its own sound and figures are there and nothing has moved on the screen for a moment, so pictures of one page are
the same from run to run but for what the page says of time. They are written without loss, as WebP, ten of them in two
megabytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import monotonic

from PIL import Image
from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
OUT = Path(__file__).parents[2] / "notebooks" / "images"
PATIENCE_MS = 600_000
"""for the demo, which is drawn and analysed where the home has it not"""
TABS = {
    "Plan": "[aria-label='mute the soundtrack (f)']",
    "Seams": "text=Track plays on",
    "Beats": "text=beats a bar ·",
    "Mix": "text=duck down to",
    "Match": "table[aria-label='matches'] tbody tr",
    "Tracks": "[aria-label^='hear ']:enabled",
    "Review": "text=Link to this version",
    "Listening": "button:text-is('Begin')",
}
"""every tab, and what is to be seen in it once its work has ended"""
_STILL_MS, _STEP_MS = 1500, 250


@contextmanager
def served(home: Path) -> Iterator[str]:
    """The address of a dashboard on this home."""
    options = ("--no-show", "--port", "0", "--home", str(home))
    command = [sys.executable, "-m", "workbench", "dashboard", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            said = server.stdout.readline()
            if not said.startswith("listening on "):
                raise RuntimeError("the dashboard did not start; what it said stands above")
            yield said.removeprefix("listening on ").strip()
        finally:
            server.terminate()


def still(page: Page, *, full: bool = False) -> bytes:
    """The window or the whole page as PNG, once nothing is under way and it has looked the same for a moment."""
    deadline, quiet_ms, before = monotonic() + PATIENCE_MS / 1000, 0, b""
    while quiet_ms < _STILL_MS:
        if monotonic() > deadline:
            raise TimeoutError("the page does not come to rest")
        page.wait_for_timeout(_STEP_MS)
        now = page.screenshot(animations="disabled", full_page=full)
        at_rest = now == before and not page.locator(".work").is_visible()
        quiet_ms, before = (quiet_ms + _STEP_MS if at_rest else 0), now
    return before


def show_mode(page: Page, mode: str) -> None:
    """Turn the page light or dark."""
    body = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).every(v => v < 128)"
    if page.evaluate(body) != (mode == "dark"):
        page.get_by_role("button", name="Toggle theme").click()
        page.wait_for_function(f"({body}) === {'true' if mode == 'dark' else 'false'}")


def take(page: Page, out: Path) -> None:
    """All tabs, light and dark; fails where a tab does not show what it should, or the page tells of an error."""
    for name, shows in TABS.items():
        page.get_by_role("tab", name=name, exact=True).click()
        page.locator(shows).first.wait_for()
        for mode in ("light", "dark"):
            show_mode(page, mode)
            page.mouse.move(0, 0)
            picture = Image.open(BytesIO(still(page))).convert("RGB")
            picture.save(out / f"dashboard_{name.lower()}_{mode}.webp", lossless=True, quality=100, method=6)
            print(f"{name}, {mode}", file=sys.stderr, flush=True)


def main() -> None:
    """Start a server, open the page, take the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--size", default="1280x720")
    asked = parser.parse_args()
    width, height = (int(side) for side in asked.size.split("x"))
    asked.out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home)) as url,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        # Playwright waits for what holds on a page by evaluating text, which the page's policy forbids.
        page = browser.new_page(viewport={"width": width, "height": height}, bypass_csp=True)
        page.set_default_timeout(PATIENCE_MS)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(url)
        take(page, asked.out)
        browser.close()
    if faults:
        raise RuntimeError(f"errors on the page: {faults}")


if __name__ == "__main__":
    main()
