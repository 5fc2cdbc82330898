"""Files that are given to the page: several at once, and one that is no media file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores

_DROP = """(names) => {
  const carried = new DataTransfer()
  for (const name of names) carried.items.add(new File(["no media at all ".repeat(60000)], name))
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, cancelable: true }))
}"""


def test_a_broken_upload_is_named_as_its_owner_named_it(page: Any, dashboard: Any, tmp_path: Path) -> None:
    broken = tmp_path / "track.mp3"
    broken.write_text("no media at all", encoding="utf-8")
    page.locator("input[type=file]").set_input_files(broken)
    fault = page.locator(".fault")
    expect(fault).to_contain_text("track.mp3: not readable")
    assert "/" not in fault.inner_text()
    assert dashboard.home.name not in fault.inner_text()


def test_files_that_are_dropped_together_are_sent_one_after_the_other(
    page: Any, dashboard: Any, until_idle: Callable[[], None]
) -> None:
    """The page's own fixture sees that no error was thrown when the first had been sent."""
    names = ["one.wav", "two.wav", "three.wav"]
    sent: list[str] = []
    page.on("response", lambda answer: sent.append(answer.json()["name"]) if answer.request.method == "PUT" else None)
    page.evaluate(_DROP, names)
    expect(page.locator(".fault")).to_contain_text("three.wav: not readable")
    until_idle()
    assert sent == names
    assert {path.name for path in (dashboard.home / "uploads" / "dashboard").iterdir()} >= set(names)
