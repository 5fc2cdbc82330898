"""Take the pictures of the dashboard that the documentation shows: every tab on the demo, light and dark.

    python tests/browser/screenshots.py [--home DIR] [--out DIR] [--size 1280x720]

A home in which the demo was prepared before saves some minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
OUT = Path(__file__).parents[2] / "notebooks" / "images"
PATIENCE_MS = 600_000
"""for the demo, which is drawn and analysed where the home has it not"""


def idle(page: Page) -> None:
    """Wait until nothing is under way, and all is drawn."""
    page.locator(".work").wait_for(state="hidden")
    page.wait_for_timeout(1500)


def take(page: Page, out: Path) -> None:
    """All tabs, light and dark."""
    page.get_by_role("button", name="footage on or off (f)").wait_for()
    for mode in ("light", "dark"):
        for tab in page.get_by_role("tab").all():
            name = tab.inner_text().lower()
            tab.click()
            page.wait_for_timeout(500)
            idle(page)
            page.mouse.move(640, 60)
            page.screenshot(path=out / f"dashboard_{name}_{mode}.png")
        page.locator("button[aria-label*='theme' i], header button").last.click()


def main() -> None:
    """Start a server, open the page, take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--size", default="1280x720")
    asked = parser.parse_args()
    width, height = (int(side) for side in asked.size.split("x"))
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        home = asked.home or Path(folder)
        command = [
            sys.executable,
            "-m",
            "service.console",
            "dashboard",
            "--no-show",
            "--port",
            "0",
            "--home",
            str(home),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = server.stdout.readline().removeprefix("listening on ").strip()
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(PATIENCE_MS)
            page.goto(url)
            take(page, asked.out)
            browser.close()
            server.terminate()


if __name__ == "__main__":
    main()
