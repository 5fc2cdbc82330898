"""Whose work is it: two windows on one project, a stale undo, and two projects on one track."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.serving import served

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


@pytest.fixture(scope="module")
def dashboard(own_dashboard: Any) -> Any:
    """A grid names the other projects of its track."""
    return own_dashboard


def chip(page: Any, number: int) -> Any:
    """The button of a seam."""
    return page.get_by_role("toolbar", name="seams").get_by_role("button", name=f"seam {number},")


def panel(page: Any) -> Any:
    """What is asked of the plan; the seams can be moved."""
    found = page.get_by_role("group", name="what is asked of the plan")
    expect(found.get_by_role("button", name="move the seam to the next bar line")).to_be_enabled()
    return found


def move_seam(page: Any, number: int, keys: str, windows: tuple[Any, ...]) -> str:
    """Move a seam by keys, until all windows show it elsewhere; returns the name that its button had."""
    before = str(chip(page, number).get_attribute("aria-label"))
    for key in keys:
        page.keyboard.press(key)
        if key == "}":
            expect(panel(page).get_by_text(f"Seam {number} of ")).to_be_visible()
    for window in windows:
        expect(chip(window, number)).not_to_have_attribute("aria-label", before)
    return before


@pytest.fixture
def second(new_page: Callable[..., Any], page: Any, until_idle: Callable[[], None]) -> Any:
    """Another window on the project of the first one, with the same plan."""
    expect(page).to_have_url(re.compile("project=prj_"))
    until_idle()
    opened = new_page()
    opened.goto(page.url)
    opened.locator(".option").first.wait_for()
    panel(opened)
    return opened


def test_a_window_follows_the_other_and_an_undo_is_of_its_own_steps(page: Any, second: Any) -> None:
    panel(page)
    before = move_seam(page, 1, "]", (page, second))
    for window in (page, second):
        expect(panel(window).locator(".constraint")).to_contain_text("pinned")
    expect(second.locator(".undo")).to_be_disabled()
    moved = move_seam(second, 2, "}]", (page, second))
    held = chip(second, 2).get_attribute("aria-label")
    page.keyboard.press("Control+z")  # of its own step, on which the other window has built since
    expect(page.locator(".fault")).to_contain_text("changed in another window: seam 2 is moved")
    expect(chip(page, 2)).to_have_attribute("aria-label", held)
    page.get_by_role("button", name="Look", exact=True).click()
    expect(page.locator(".made li")).to_have_text(
        [re.compile("^seam 1 is moved by .1 bar$"), re.compile("^seam 2 is moved by .1 bar .in another window.$")]
    )
    page.keyboard.press("Escape")
    second.keyboard.press("Control+z")
    for window in (page, second):
        expect(chip(window, 2)).to_have_attribute("aria-label", moved)
    page.keyboard.press("Control+z")
    for window in (page, second):
        expect(chip(window, 1)).to_have_attribute("aria-label", before)
        expect(window.locator(".constraint")).to_have_count(0)
    expect(page.get_by_role("button", name="Look", exact=True)).to_be_hidden()


def test_windows_of_two_servers_on_one_home_follow_each_other(
    new_page: Callable[..., Any], page: Any, dashboard: Any, until_idle: Callable[[], None]
) -> None:
    expect(page).to_have_url(re.compile("project=prj_"))
    until_idle()
    with served(dashboard.home) as (url, _):
        second = new_page()
        second.goto(f"{url}?{urlsplit(page.url).query}")
        panel(second)
        panel(page)
        move_seam(page, 1, "]", (page, second))
        for window in (page, second):
            expect(panel(window).locator(".constraint")).to_contain_text("pinned")
        move_seam(second, 2, "}]", (page, second))


def test_a_window_that_was_loaded_again_undoes_what_was_done_in_it(page: Any, second: Any) -> None:
    panel(page)
    page.keyboard.press("]")
    expect(panel(second).locator(".constraint")).to_contain_text("pinned")
    page.reload()
    expect(page.locator(".undo")).to_be_enabled()
    expect(second.locator(".undo")).to_be_disabled()
    page.locator(".undo").click()
    for window in (page, second):
        expect(window.locator(".constraint")).to_have_count(0)


def test_a_tab_that_is_duplicated_is_another_window(page: Any) -> None:
    panel(page)
    page.keyboard.press("]")
    expect(page.locator(".undo")).to_be_enabled()
    with page.expect_popup() as opened:  # which gets a copy of what the tab has stored, as a duplicate does
        page.evaluate("void window.open(location.href)")
    twin = opened.value
    expect(panel(twin).locator(".constraint")).to_contain_text("pinned")
    expect(twin.locator(".undo")).to_be_disabled()
    page.reload()
    expect(page.locator(".undo")).to_be_enabled()


def test_a_constraint_belongs_to_its_project_not_to_the_track(
    new_page: Callable[..., Any], page: Any, dashboard: Any
) -> None:
    panel(page)
    page.keyboard.press("]")
    expect(panel(page).locator(".constraint")).to_contain_text("pinned")
    other = new_page()
    other.goto(dashboard.url)  # another project on the same track and video
    expect(panel(other).locator(".constraint")).to_have_count(0)
    assert other.locator(".subject").inner_text() != page.locator(".subject").inner_text()
    other.keyboard.press("]")
    expect(panel(other).locator(".constraint")).to_contain_text("pinned")
    other.locator(".constraint").click()
    expect(other.locator(".constraint")).to_have_count(0)
    page.reload()
    expect(panel(page).locator(".constraint")).to_contain_text("pinned")


def test_a_grid_says_in_which_other_projects_it_changes_before_it_is_saved(
    new_page: Callable[..., Any], page: Any, dashboard: Any
) -> None:
    name = page.locator(".subject").inner_text()
    other = new_page()
    other.goto(dashboard.url)  # another project on the same track and video
    panel(other)
    other.get_by_role("tab", name="Beats", exact=True).click()
    said = other.get_by_text("The grid belongs to the track")
    expect(said).to_contain_text(name)
    expect(said).not_to_contain_text(f"{other.locator('.subject').inner_text()},")
    other.get_by_role("button", name="Downbeat ▶").click()
    expect(other.get_by_role("button", name="Save as the track's grid")).to_be_enabled()
    expect(said).to_be_visible()
    other.get_by_role("button", name="Back to the tracker's grid").click()


def test_play_stays_in_view_and_a_time_code_is_copied_at_a_click(page: Any, until_idle: Callable[[], None]) -> None:
    page.set_viewport_size({"width": 1280, "height": 480})
    until_idle()
    page.locator(".bk-Figure").first.evaluate("(figure) => figure.scrollIntoView({ block: 'end' })")
    expect(page.get_by_role("button", name="play (space)")).to_be_in_viewport(ratio=0.95)  # to half a pixel
    for _ in range(5):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press(".")
    code = page.get_by_role("button", name="copy the time code")
    expect(code).to_have_text("00:00:25:01")
    code.click()
    page.evaluate("document.addEventListener('paste', (e) => { window.pasted = e.clipboardData.getData('text') })")
    page.keyboard.press("Control+v")
    assert page.evaluate("window.pasted") == "00:00:25:01"


def test_a_picture_of_the_video_is_seen_before_it_is_played(page: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    still = page.locator("img.still")
    expect(still).to_be_visible()
    assert still.evaluate("(image) => image.naturalWidth") > 0
    page.keyboard.press("ArrowRight")
    expect(still).to_be_hidden()
    expect(page.get_by_label("the video", exact=True)).to_be_visible()
