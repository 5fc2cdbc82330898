"""A video that is too short to loop a track under: the page fits the track to it at the press of a button."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


def test_a_refused_track_is_fitted_to_the_video_and_shown(
    page: Any, draw_video: Callable[[int], Any], until_idle: Callable[[], None], open_tab: Callable[[str], None]
) -> None:
    fit = page.get_by_role("button", name="Fit the track to this video")
    expect(fit).to_be_hidden()
    until_idle()
    page.locator("input[type=file]").set_input_files(draw_video(60))
    expect(page.get_by_text("There is no loop of this track under this video.")).to_be_visible()
    fit.click()
    option = page.locator(".option").first
    expect(option).to_contain_text("no seam · straight plan")
    expect(fit).to_be_hidden()
    until_idle()
    expect(page.locator(".fault")).to_have_text("")
    expect(page.locator(".time").first).to_contain_text("/ 1:00.0")
    page.get_by_role("tab", name="Seams").click()
    expect(page.get_by_text("This plan has no seam: it plays the track straight.")).to_be_visible()
    expect(page.get_by_role("button", name="Use this fade in the plan")).to_be_hidden()
    for title in ("Mix", "Beats", "Match", "Plan"):
        open_tab(title)
        expect(page.locator(".fault")).to_have_text("")
    page.get_by_role("button", name="Download").click()
    expect(page.get_by_text("Track with loop points")).to_be_hidden()
    with page.expect_download() as started:
        page.locator(".format", has_text="The plan as data").click()
    assert '"kind": "straight"' in started.value.path().read_text(encoding="utf-8")
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="The finished video").click()
    assert started.value.suggested_filename.endswith(".mp4")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Use option 2", exact=True).click()
    expect(page.locator(".option.shown")).to_contain_text("cut-down")
    open_tab("Seams")
    expect(page.get_by_text("Seam 1 of 1:")).to_be_visible()
