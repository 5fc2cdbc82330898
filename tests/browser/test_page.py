"""The page in a real browser: it opens on its own, plays, is scrubbed, and shows every tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


def until(watched: Any, holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds on the page."""
    for _ in range(round(seconds * 20)):
        if holds():
            return
        watched.page.wait_for_timeout(50)
    pytest.fail("it did not come to hold")


def with_sound(watched: Any) -> None:
    """Wait until footage and music are there to be heard."""
    expect(watched.page.get_by_role("button", name="footage on or off (f)")).to_be_visible()
    expect(watched.page.locator(".work")).to_be_hidden()


def test_every_tab_opens_and_nothing_is_asked_of_another_host(watched: Any) -> None:
    tabs = watched.page.get_by_role("tab")
    names = tabs.all_inner_texts()
    assert [name.lower() for name in names[:2]] == ["plan", "seams"]
    for number in range(len(names)):
        tabs.nth(number).click()
        expect(tabs.nth(number)).to_have_attribute("aria-selected", "true")
        watched.page.wait_for_timeout(300)


def test_playing_moves_the_playhead_and_space_stops_it(watched: Any) -> None:
    with_sound(watched)
    watched.page.get_by_role("button", name="play (space)").click()
    until(watched, lambda: watched.time > 1.0)
    heads = "Bokeh.documents.flatMap(d => [...d._all_models.values()]).filter(m => /^plan-playhead/.test(m.name))"
    assert watched.page.evaluate(f"{heads}.some(m => m.location > 0.5)")
    watched.page.keyboard.press(" ")
    stopped = watched.time
    watched.page.wait_for_timeout(300)
    assert watched.time == stopped
    watched.page.keyboard.press("ArrowRight")
    assert watched.time == pytest.approx(stopped + 1.0, abs=0.11)


def test_a_click_scrubs_and_a_drag_loops(watched: Any) -> None:
    with_sound(watched)
    canvas = watched.page.locator(".bk-events").first.bounding_box()
    assert canvas is not None
    x, y = canvas["x"] + 0.5 * canvas["width"], canvas["y"] + 250
    watched.page.mouse.click(x, y)
    until(watched, lambda: watched.time > 60.0)
    watched.page.mouse.move(x - 100, y)
    watched.page.mouse.down()
    watched.page.mouse.move(x, y, steps=4)
    watched.page.mouse.up()
    loop = watched.page.locator(".bar button", has_text="Loop")
    expect(loop).to_have_attribute("aria-pressed", "true")
    until(watched, lambda: watched.time < 100.0)


def test_options_are_compared_at_the_same_place(watched: Any) -> None:
    with_sound(watched)
    watched.page.get_by_role("button", name="option 2 as B").click()
    b = watched.page.get_by_role("button", name="option B at the same place (b)")
    expect(b).to_have_attribute("aria-pressed", "true")
    with_sound(watched)
    watched.page.keyboard.press("ArrowRight")
    place = watched.time
    watched.page.keyboard.press("a")
    expect(b).to_have_attribute("aria-pressed", "false")
    assert watched.time == place


def test_zooming_shows_the_same_music_finer(watched: Any) -> None:
    with_sound(watched)
    ranges = "Bokeh.documents.flatMap(d => [...d._all_models.values()]).filter(m => m.type == 'Range1d' && m.bounds)"
    seen = f"{ranges}.map(m => m.end - m.start)[0]"
    before = watched.page.evaluate(seen)
    canvas = watched.page.locator(".bk-events").first.bounding_box()
    assert canvas is not None
    watched.page.mouse.move(canvas["x"] + 0.5 * canvas["width"], canvas["y"] + 250)
    watched.page.mouse.wheel(0, -600)
    until(watched, lambda: watched.page.evaluate(seen) < 0.9 * before)


def test_a_plan_is_taken_away_as_the_command_line_prints_it(watched: Any) -> None:
    import json

    from workbench.results.loop import plan_from_json

    watched.page.get_by_role("button", name="Download").click()
    with watched.page.expect_download() as started:
        watched.page.locator(".format").first.click()
    text = started.value.path().read_text(encoding="utf-8")
    assert plan_from_json(text).options
    assert json.loads(text)["applicable"] is True
