"""The Seams tab in a real browser: looked at by key, judged, its crossfade dragged and put into the plan."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


@pytest.fixture
def seams(watched: Any) -> Any:
    """The page on its first seam."""
    watched.page.get_by_role("tab", name="Seams").click()
    watched.page.get_by_text("Seam 1 of").wait_for()
    return watched


def test_keys_step_through_the_seams_and_one_is_the_worst(seams: Any) -> None:
    expect(seams.page.locator(".chips em")).to_have_count(1)
    seams.page.keyboard.press("ArrowRight")
    seams.page.get_by_text("Seam 2 of").wait_for()
    seams.page.keyboard.press("ArrowLeft")
    seams.page.get_by_text("Seam 1 of").wait_for()


def test_a_verdict_is_kept_and_comes_out_as_csv(seams: Any) -> None:
    seams.page.get_by_label("note").fill("a click at the hi-hat")
    seams.page.get_by_role("button", name="audible", exact=True).click()
    seams.page.get_by_text("kept: seam 1 is audible").wait_for()
    with seams.page.expect_download() as started:
        seams.page.get_by_text("Verdicts as CSV").click()
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text(encoding="utf-8"))))
    assert (rows[-1]["verdict"], rows[-1]["note"]) == ("audible", "a click at the hi-hat")
    assert float(rows[-1]["fade"]) > 0.0


def test_a_dragged_fade_is_heard_and_goes_into_the_plan(seams: Any) -> None:
    expect(seams.page.locator(".work")).to_be_hidden()
    handle = seams.page.get_by_role("slider", name="length of the crossfade, ms")
    before = int(handle.get_attribute("aria-valuenow") or 0)
    at = handle.bounding_box()
    assert at is not None
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    seams.page.mouse.move(x, y)
    seams.page.mouse.down()
    seams.page.mouse.move(x + 40, y, steps=4)
    seams.page.mouse.up()
    after = int(handle.get_attribute("aria-valuenow") or 0)
    assert after > before
    use = seams.page.get_by_role("button", name="Use this fade in the plan")
    expect(use).to_be_enabled()
    use.click()
    expect(use).to_be_disabled()
    expect(handle).to_have_attribute("aria-valuenow", str(after))
