"""The Match tab in a browser: rows by key, filters, heard under the video, opened in the Plan tab."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


@pytest.fixture
def match(page: Any, open_tab: Callable[[str], None]) -> Any:
    open_tab("Match")
    page.get_by_role("table", name="matches").wait_for()
    return page


def test_a_track_has_its_contour_and_its_reasons(match: Any) -> None:
    assert match.get_by_role("img", name="energy of the music over the motion of the video").count() >= 1
    expect(match.get_by_role("columnheader", name="reason")).to_be_visible()


def test_every_column_is_to_be_seen_on_a_telephone(match: Any) -> None:
    match.set_viewport_size({"width": 390, "height": 844})
    table = match.get_by_role("table", name="matches")
    expect(table.get_by_role("columnheader")).to_have_count(8)
    for cell in [*table.get_by_role("columnheader").all(), *table.get_by_role("cell").all()]:
        place = cell.bounding_box()
        assert place is not None
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= 390, cell.inner_text()


def test_filters_narrow_and_open_again(match: Any) -> None:
    words = match.get_by_label("mood, genre, instrument …")
    words.fill("no such mood")
    match.get_by_text("no match passes these filters").wait_for()
    words.fill("")
    match.get_by_role("table", name="matches").wait_for()


def test_it_plays_from_the_moment_that_lands(match: Any) -> None:
    shown = match.locator(".time")
    before = shown.inner_text()
    match.keyboard.press("Space")
    expect(shown).not_to_have_text(before)


def test_a_track_is_opened_in_the_plan_tab_by_key(match: Any) -> None:
    row = match.locator("tbody tr").first
    row.focus()
    match.keyboard.press("ArrowDown")
    match.keyboard.press("Enter")
    expect(match.get_by_role("tab", name="Plan", exact=True)).to_have_attribute("aria-selected", "true")
    match.locator(".time").filter(has_not_text="/ 0:00.0").wait_for()
    expect(match.get_by_role("button", name="option 1 as A")).to_be_visible()


_OF_PLAYER = """() => {
  const found = (root) => root.querySelector(".player") ?? [...root.querySelectorAll("*")]
    .map((node) => node.shadowRoot && found(node.shadowRoot)).find((node) => node)
  return found(document).WHAT
}"""
_HEARD = _OF_PLAYER.replace("WHAT", "heardAt(performance.now())")
"""where it plays, s; null while nothing does"""
_SOUNDTRACK, _FIRST, _SECOND = (
    _OF_PLAYER.replace("WHAT", f"gainOf('{lane}')") for lane in ("soundtrack", "music_a", "music_b")
)
"""how loud the video's soundtrack and both tracks are, 0 to 1"""


def test_two_tracks_are_stacked_and_switched_by_key_while_they_play(
    page: Any, open_tab: Callable[[str], None], until_idle: Callable[[], None]
) -> None:
    open_tab("Tracks")
    searched = page.get_by_label("compare a track of the catalog")
    searched.fill("corner store")
    searched.press("Enter")  # before anything was found
    expect(page.get_by_role("button", name="hear Corner Store (2)")).to_be_enabled()
    words = page.locator(".stack .row").nth(1).locator(".words").inner_text()
    seams = page.locator(".stack .row").nth(1).locator(".seams i")
    expect(seams).to_have_count(int(words.split(" · ")[1].split()[0]))
    expect(seams.first).to_have_attribute("title", re.compile(r"^seam 1, \d:\d\d\.\d$"))
    page.get_by_role("button", name="hear Corner Store (2)").focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({_HEARD})() > 0.2")
    levels = page.get_by_role("group", name="levels of what is played").locator("visible=true").locator("output")
    expect(levels.first).to_have_text(re.compile(r"^-?\d+\.\d$"), timeout=60_000)
    mute = page.get_by_role("button", name="mute the soundtrack (f)")
    page.wait_for_function(f"() => ({_SOUNDTRACK})() > 0.1")
    page.keyboard.press("f")
    expect(mute).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(f"() => ({_SOUNDTRACK})() < 0.001")
    page.keyboard.press("2")
    assert page.evaluate(_SOUNDTRACK) < 0.001, "it stays muted when another track is heard"
    mute.click()
    expect(mute).to_have_attribute("aria-pressed", "false")
    page.wait_for_function(f"() => ({_SOUNDTRACK})() > 0.1")
    expect(page.get_by_role("button", name="hear Corner Store (2)")).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(f"() => ({_SECOND})() > 0.1")
    assert page.evaluate(_FIRST) < 0.001
    at = page.evaluate(_HEARD)
    page.wait_for_function(f"(at) => ({_HEARD})() > at", arg=at)
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    minutes, seconds = page.locator(".bar .time").inner_text().split(" / ")[0].split(":")
    assert 60.0 * float(minutes) + float(seconds) > at + 5.5, "each counts, though the sound of none is loaded yet"
    page.wait_for_function(f"(at) => ({_HEARD})() > at", arg=at + 6.0)
    page.keyboard.press("r")
    loop = page.get_by_role("button", name="loop around the playhead")
    expect(loop).to_have_attribute("aria-pressed", "true")
    begins, _, ends = loop.inner_text().removeprefix("Loop ").partition("–")
    first, last = (60.0 * float(minutes) + float(s) for minutes, s in (time.split(":") for time in (begins, ends)))
    for _ in range(round(last - first - 3.0)):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"(late) => ({_HEARD})() > late", arg=last - 2.0)
    page.wait_for_function(f"(early) => ({_HEARD})() < early", arg=first + 2.0)
    page.keyboard.press("r")
    expect(loop).to_have_text("Loop")
    page.get_by_role("button", name="do not compare Corner Store any more").click()
    expect(page.get_by_role("button", name="hear corner_store (1)")).to_have_attribute("aria-pressed", "true")
    page.wait_for_function(f"() => ({_FIRST})() > 0.1")  # what is left is heard
    expect(page.get_by_role("button", name="hear Corner Store (2)")).to_have_count(0)
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({_HEARD})() === null")
    until_idle()
