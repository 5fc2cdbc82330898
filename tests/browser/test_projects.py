"""Work that is kept: addresses, back and forward, undo, projects, and a connection that is lost and comes back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.serving import served
from tests.browser.watched import Watched, seam_title

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


@pytest.fixture(scope="module")
def dashboard(own_dashboard: Any) -> Any:
    """Projects are listed and counted."""
    return own_dashboard


def place(page: Any) -> dict[str, str]:
    """What the address says besides project and time."""
    found = {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}
    return {name: value for name, value in found.items() if name not in ("project", "time")}


def at(**wanted: str) -> re.Pattern[str]:
    """An address in some project."""
    rest = "".join(rf"&{name}={value}" for name, value in wanted.items())
    return re.compile(rf"\?project=prj_\w+{rest}(&time=[\d.]+)?$")


def chip(page: Any, number: int) -> Any:
    """The button of a seam."""
    return page.get_by_role("toolbar", name="seams").get_by_role("button", name=f"seam {number},")


def test_back_and_forward_walk_through_the_places_and_a_reload_stays(
    page: Any, open_tab: Callable[[str], None], until_idle: Callable[[], None]
) -> None:
    expect(page).to_have_url(at(tab="plan"))
    open_tab("Seams")
    expect(page).to_have_url(at(tab="seams"))
    chip(page, 2).click()
    expect(page).to_have_url(at(tab="seams", seam="2"))
    until_idle()
    page.go_back()
    expect(page.get_by_text(seam_title(1))).to_be_visible()
    page.go_back()
    expect(page.get_by_role("tab", name="Plan", exact=True)).to_have_attribute("aria-selected", "true")
    page.go_forward()
    page.go_forward()
    expect(page.get_by_text(seam_title(2))).to_be_visible()
    expect(page).to_have_url(at(tab="seams", seam="2"))
    page.reload()
    expect(page.get_by_text(seam_title(2))).to_be_visible()
    assert place(page) == {"tab": "seams", "seam": "2"}


def test_a_verdict_and_a_crossfade_are_undone_by_keys_and_buttons(page: Any, open_tab: Callable[[str], None]) -> None:
    open_tab("Seams")
    undo, redo = page.locator(".undo"), page.locator(".redo")
    expect(undo).to_be_disabled()
    page.get_by_role("button", name="audible", exact=True).click()
    expect(chip(page, 1)).to_have_attribute("aria-label", re.compile("judged audible"))
    expect(undo).to_have_attribute("aria-label", "undo: seam 1 is audible (Ctrl+Z)")
    page.keyboard.press("Control+z")
    expect(chip(page, 1)).not_to_have_attribute("aria-label", re.compile("judged"))
    redo.click()
    expect(chip(page, 1)).to_have_attribute("aria-label", re.compile("judged audible"))
    page.get_by_role("button", name="History").click()
    expect(page.locator(".made li")).to_have_text(["seam 1 is audible"])
    page.keyboard.press("Escape")
    undo.click()
    expect(redo).to_be_enabled()
    expect(page.locator(".fault")).to_have_text("undone: seam 1 is audible")
    expect(page.locator(".fault")).to_have_text("")  # by itself, after some seconds


def test_a_second_window_is_at_the_same_place(
    new_page: Callable[..., Any], page: Any, open_tab: Callable[[str], None]
) -> None:
    open_tab("Seams")
    chip(page, 3).click()
    expect(page).to_have_url(at(tab="seams", seam="3"))
    second = new_page()
    second.goto(page.url)
    expect(second.get_by_text(seam_title(3))).to_be_visible()
    assert second.title() == page.title()


def test_option_and_time_outlive_a_reload_back_and_a_second_window(
    new_page: Callable[..., Any], watched: Watched, until_idle: Callable[[], None]
) -> None:
    page = watched.page
    until_idle()
    page.get_by_role("button", name="option 2 as A").click()
    expect(page).to_have_url(at(tab="plan", option="2"))
    for _ in range(5):
        page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".time").first).to_contain_text("0:25.0 / ")
    there = at(tab="plan", option="2", time="25.0")
    expect(page).to_have_url(there)

    def is_there(window: Any) -> None:
        expect(window.get_by_role("button", name="option 2 as A")).to_have_attribute("aria-pressed", "true")
        expect(window.locator(".time").first).to_contain_text("0:25.0 / ")
        expect(window).to_have_url(there)

    page.reload()
    is_there(page)
    second = new_page()
    second.goto(page.url)
    is_there(second)
    third = new_page()
    third.goto(page.url.replace("tab=plan", "tab=review"))  # no tab of it was open before
    expect(third.locator(".time").first).to_contain_text("0:25.0 / ")
    expect(third.get_by_label("what the comment is about")).to_contain_text("at 0:25.0")
    page.get_by_role("button", name="option 1 as A").click()
    expect(page).to_have_url(at(tab="plan", time="25.0"))
    page.go_back()
    is_there(page)
    page.go_forward()
    expect(page.get_by_role("button", name="option 1 as A")).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(at(tab="plan", time="25.0"))


def test_projects_are_listed_renamed_and_deleted(page: Any, dashboard: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    begun = page.url
    page.get_by_role("link", name="Projects").click()
    cards = page.locator(".start li")
    first = cards.first
    expect(first.locator("b")).to_have_text(re.compile(r"corner_store under patterns( \d+)?"))  # others have the name
    expect(first.locator("img")).to_be_visible()
    before = cards.count()
    first.get_by_role("button", name="rename").click()
    first.get_by_role("textbox").fill("The trailer")
    first.get_by_role("button", name="Save").click()
    expect(cards.first.locator("b")).to_have_text("The trailer")
    cards.first.get_by_role("link").click()
    expect(page.locator(".subject")).to_have_text("The trailer")
    page.locator(".option").first.wait_for()
    assert parse_qs(urlsplit(page.url).query)["project"] == parse_qs(urlsplit(begun).query)["project"]
    page.go_back()
    cards.first.get_by_role("button", name="delete The trailer").click()
    cards.first.get_by_role("button", name="really delete").click()
    expect(cards).to_have_count(before - 1)


def test_a_track_of_the_catalog_is_found_by_its_words(page: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    expect(page.locator(".subject")).to_have_text(re.compile(r"corner_store under patterns( \d+)?"))
    name = page.locator(".subject").inner_text()  # with a number where other tests made a project of this name
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("searchbox").fill("no such words")
    expect(page.locator(".found")).to_have_text("No track has these words.")
    page.get_by_role("searchbox").fill("corner funk")
    found = page.locator(".found button")
    expect(found).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".subject")).to_have_text(re.compile(r"Corner Store under patterns( \d+)?"))
    page.locator(".option").first.wait_for()
    page.go_back()
    expect(page.locator(".subject")).to_have_text(name)


def test_a_lost_connection_says_so_and_comes_back_with_the_last_state(
    new_page: Callable[..., Any], dashboard: Any
) -> None:
    """The address waits until there is a server again, which knows the project from its records."""
    page = new_page()
    page.goto(dashboard.url)
    page.locator(".option").first.wait_for()
    expect(page).to_have_url(at(tab="plan"))
    with served(dashboard.home) as (url, _):
        page.goto(f"{url}?{urlsplit(page.url).query}")
        page.get_by_role("tab", name="Seams", exact=True).click()
        chip(page, 2).click()
        expect(page.get_by_text(seam_title(2))).to_be_visible()
        page.get_by_role("button", name="wrong", exact=True).click()
        expect(page.get_by_text("saved: seam 2 is wrong")).to_be_visible()
        left = place(page)
    expect(page.get_by_role("alert").filter(has_text="connection to the workbench is lost")).to_be_visible()
    with served(dashboard.home, port=urlsplit(url).port or 0):
        expect(chip(page, 2)).to_have_attribute("aria-label", re.compile("judged wrong"))
        expect(page.get_by_text(seam_title(2))).to_be_visible()
        expect(page.locator(".connection-lost")).to_have_count(0)
        assert place(page) == left == {"tab": "seams", "seam": "2"}
        expect(page.locator(".undo")).to_have_attribute("aria-label", "undo: seam 2 is wrong (Ctrl+Z)")
        page.keyboard.press("Control+z")
        expect(chip(page, 2)).not_to_have_attribute("aria-label", re.compile("judged"))
