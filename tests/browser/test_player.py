"""The player on the page: the picture keeps to the sound, and what is changed is heard where one is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.serving import VIDEO_SECONDS
from tests.browser.watched import Watched

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores

PLAY, PAUSE = "play (space)", "pause (space)"
WATCHED_SECONDS = float(os.environ.get("WORKBENCH_WATCHED_SECONDS", "20"))
"""for how long the picture is compared with the sound"""
MOST_LOOKS = 4
"""of so many seconds each"""

_COMPARE = """(seconds) => new Promise((resolve) => {
    const found = (root) => {
        for (const one of root.querySelectorAll("*")) {
            if (one.matches(".player")) return one
            const inside = one.shadowRoot && found(one.shadowRoot)
            if (inside) return inside
        }
    }
    const box = found(document), video = box.querySelector("video"), rows = []
    const began = performance.now()
    const look = (now, seen) => {
        rows.push([seen.mediaTime, box.heardAt(seen.expectedDisplayTime)])
        if (now - began < 1000 * seconds) video.requestVideoFrameCallback(look)
        else resolve(rows)
    }
    video.requestVideoFrameCallback(look)
})"""


@pytest.fixture
def plan(watched: Any, until_idle: Callable[[], None]) -> Any:
    """The page, with picture and sound."""
    expect(watched.page.get_by_role("button", name="mute the soundtrack (f)")).to_be_visible()
    expect(watched.page.locator(".player video")).to_be_visible()
    until_idle()
    return watched


def test_an_option_is_heard_at_once_and_keys_run_the_video(plan: Any) -> None:
    """No music is rendered for it: what is played is the track."""
    page = plan.page
    page.get_by_role("button", name="option 2 as B").click()
    expect(page.get_by_role("button", name="option B at the same place (b)")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("l")
    expect(page.get_by_role("button", name=PAUSE)).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_role("button", name=PLAY)).to_be_visible()
    page.keyboard.press("Home")
    page.keyboard.press(".")
    page.keyboard.press(".")
    picture = "video => !video.seeking && Math.abs(video.currentTime - 2.5 / 12) < 0.01"
    plan.until(lambda: page.locator(".player video").evaluate(picture))
    sounds = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert not [url for url in sounds if ".music.wav" in url]


_PLANS = """() => {
  const { plans, plan_a } = Bokeh.documents.flatMap((d) => [...d.all_models])
    .find((m) => m.data?.plans?.length && m.data?.told).data
  return plans.map((plan) => JSON.stringify(plan) === JSON.stringify(plan_a))
}"""
"""of each option, whether it is heard as A"""


def test_an_option_is_heard_before_the_server_knows_of_it(
    plan: Any, dashboard: Any, until_idle: Callable[[], None]
) -> None:
    page = plan.page
    assert page.evaluate(_PLANS)[:2] == [True, False]
    with dashboard.stopped():
        page.get_by_role("button", name="option 2 as A").click()
        assert page.evaluate(_PLANS)[:2] == [False, True]
    expect(page.get_by_role("button", name="option 2 as A")).to_have_attribute("aria-pressed", "true")
    until_idle()
    assert page.evaluate(_PLANS)[:2] == [False, True]


def test_after_a_seek_the_picture_runs_on_with_the_sound(plan: Any) -> None:
    page = plan.page
    page.get_by_role("button", name=PLAY).click()
    plan.until_time(2.0)
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    assert plan.time > 16.5, "each counts, though the sound of none is loaded yet"
    plan.until_time(19.0)
    assert not page.locator(".player video").evaluate("video => video.paused")
    assert page.locator(".player video").evaluate("video => video.currentTime") > 18.0
    page.get_by_role("button", name=PAUSE).click()
    assert page.locator(".player video").evaluate("video => video.paused")


def test_the_picture_keeps_to_the_sound(plan: Any, dashboard: Any) -> None:
    """A machine that does something else for a moment drops pictures; one that is let alone keeps in step."""
    plan.page.get_by_role("button", name=PLAY).click()
    plan.until_time(3.0)
    apart: list[float] = []
    while len(apart) < MOST_LOOKS and (not apart or apart[-1] >= 1 / 12):
        rows = np.array(plan.page.evaluate(_COMPARE, WATCHED_SECONDS), dtype=np.float64)
        off = rows[:, 0] - rows[:, 1]
        spread = np.quantile(off, [0.0, 0.05, 0.5, 0.95, 1.0])
        print(f"{len(off)} pictures in {rows[-1, 1] - rows[0, 1]:.0f} s: {spread} s")
        apart.append(float(np.quantile(np.abs(off), 0.95)))
    assert apart[-1] < 1 / 12, "one picture of the video"


def test_sound_goes_on_when_the_tab_changes(plan: Any, open_tab: Callable[[str], None]) -> None:
    """One transport: programs of the plan take over, others wait, and two things never sound at once."""
    page, source = plan.page, plan.page.locator(".bar .source")
    playing, stopped = page.get_by_role("button", name=PAUSE), page.get_by_role("button", name=PLAY)
    stopped.click()
    open_tab("Mix")
    expect(page.get_by_role("button", name="option A (a)")).to_have_text("ducked")
    expect(playing).to_be_visible()
    before = plan.time
    open_tab("Seams")
    expect(playing).to_be_visible()
    assert plan.time > before
    page.keyboard.press("Space")
    expect(stopped).to_be_visible()
    page.keyboard.press("r")  # over and over: it lasts some seconds only
    page.keyboard.press("1")
    expect(source).to_have_text("Seams")
    expect(page.get_by_role("button", name="With crossfade")).to_have_attribute("aria-pressed", "true")
    playing.click()
    expect(page.get_by_role("button", name="With crossfade")).to_have_attribute("aria-pressed", "false")
    open_tab("Beats")
    plain = page.get_by_role("button", name="mute the soundtrack (f)")
    expect(plain).to_be_hidden()
    page.keyboard.press("Space")
    expect(playing).to_be_visible()
    open_tab("Plan")
    expect(source).to_have_text("Beats")
    page.get_by_role("button", name="Hear Plan").click()
    expect(source).to_be_hidden()
    expect(plain).to_be_visible()
    expect(playing).to_be_visible()
    assert plan.duration == pytest.approx(VIDEO_SECONDS)


@pytest.fixture
def spoilt(new_page: Callable[..., Any], dashboard: Any) -> Any:
    """A page of its own, whose console may tell of requests that fail."""
    page = new_page()
    page.goto(dashboard.url)
    expect(page.get_by_role("button", name="mute the soundtrack (f)")).to_be_visible()
    expect(page.locator(".work")).to_be_hidden()
    return Watched(page)


def test_a_load_that_failed_once_is_tried_again_when_one_plays(spoilt: Watched) -> None:
    """What is asked for ahead of time may fail: the press on play, which came later, has a request of its own."""
    page = spoilt.page
    asked: set[str] = set()

    def fail_once(route: Any) -> None:
        name = route.request.url
        route.continue_() if name in asked else route.abort()
        asked.add(name)

    page.route("**/sounds/**", fail_once)
    page.get_by_role("button", name=PLAY).click()
    spoilt.until_time(1.0)
    assert len(asked) == 2, "the track and the soundtrack"
    expect(page.locator(".fault")).to_have_text("")


def test_what_fails_after_one_has_stopped_is_no_fault(spoilt: Watched) -> None:
    page = spoilt.page
    held: list[Any] = []
    holding = True

    def hold(route: Any) -> None:
        if holding:
            held.append(route)
        else:
            route.continue_()

    page.route("**/sounds/**", hold)
    with page.expect_request("**/sounds/**"):
        page.get_by_role("button", name=PLAY).click()
    page.get_by_role("button", name=PAUSE).click()
    holding = False
    with page.expect_event("requestfailed"):
        for route in held:
            route.abort()
    page.get_by_role("button", name=PLAY).click()
    spoilt.until_time(1.0)
    expect(page.locator(".fault")).to_have_text("")


def test_a_fault_is_over_when_it_plays(spoilt: Watched) -> None:
    page = spoilt.page
    page.route("**/sounds/**", lambda route: route.abort())
    page.get_by_role("button", name=PLAY).click()
    expect(page.locator(".fault")).to_have_text("the sound cannot be played; load the page again")
    page.unroute("**/sounds/**")
    page.get_by_role("button", name=PLAY).click()
    spoilt.until_time(1.0)
    expect(page.locator(".fault")).to_have_text("")


def test_levels_are_shown_while_it_plays(plan: Any) -> None:
    page = plan.page
    levels = page.get_by_role("group", name="levels of what is played")
    values = levels.locator("output")
    measured = range(4)  # momentary, short-term and integrated loudness, true peak
    for number in measured:
        expect(values.nth(number)).to_have_text("–")
    page.get_by_role("button", name=PLAY).click()
    for number in measured:
        expect(values.nth(number)).to_have_text(re.compile(r"^-?\d+\.\d$"), timeout=60_000)
    page.get_by_role("button", name=PAUSE).click()
    expect(page.get_by_role("button", name=PLAY)).to_be_visible()
