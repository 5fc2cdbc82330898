"""The Plan tab asked for something: a seam is dragged, a stretch is ruled out, what contradicts is dropped again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.watched import Watched

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores

_HAND = """() => {
  for (const model of [...Bokeh.documents].flatMap((d) => [...d.all_models]))
    if (Array.isArray(model.seams) && model.places?.length) {
      const figure = [...Bokeh.documents].flatMap((d) => [...d.all_models])
        .find((m) => m.toolbar?.tools?.includes(model))
      const { el, frame } = Bokeh.index.find_one(figure)
      const { left, top, height } = el.getBoundingClientRect()
      const x = (at) => left + frame.x_scale.compute(at)
      return {
        seams: model.seams, places: model.places, y: top + 0.6 * height,
        seams_x: model.seams.map(x), places_x: model.places.map((places) => places.map((place) => x(place.at))),
      }
    }
}"""


_SOUND = """() => {
  const found = (root) => root.querySelector(".dragged") ?? [...root.querySelectorAll("*")]
    .map((node) => node.shadowRoot && found(node.shadowRoot)).find((node) => node)
  return found(document).heard()?.[1] ?? null
}"""
"""from and to of what is heard of a seam that is dragged; null while nothing is"""


@pytest.fixture
def asked(page: Any, until_idle: Callable[[], None]) -> Any:
    """The panel of a new project, once it is known where the seams could be."""
    panel = page.get_by_role("group", name="what is asked of the plan")
    expect(panel.get_by_role("button", name="move the seam to the next bar line")).to_be_enabled()
    until_idle()
    return panel


def test_a_seam_is_moved_by_keys_and_pinned_there(page: Any, asked: Any) -> None:
    chip = page.get_by_role("toolbar", name="seams").get_by_role("button", name="seam 1,")
    before = chip.get_attribute("aria-label")
    page.keyboard.press("]")
    expect(asked.locator(".constraint")).to_contain_text("pinned")
    expect(chip).not_to_have_attribute("aria-label", before)
    expect(asked.get_by_role("button", name="Pinned", exact=True)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("}")
    expect(asked.get_by_text("Seam 2 of ")).to_be_visible()


@pytest.fixture
def seam(page: Any, asked: Any, watched: Watched) -> Any:
    """The seams and their places, the place two bars before the second seam, and where that is drawn (px)."""
    page.locator(".bk-Figure").first.scroll_into_view_if_needed()
    hand = watched.at_rest(lambda: page.evaluate(_HAND))
    number, place = next(
        (number, place)
        for number, place in enumerate(hand["places"][1])
        if place["bars"] == -2 and not place["obstacle"]
    )
    assert "score" in place["words"]
    return hand, place, hand["places_x"][1][number]


def _is_heard(page: Any, place: Any) -> None:
    page.wait_for_function(f"(at) => {{ const heard = ({_SOUND})(); return heard && heard[0] < at && at < heard[1] }}",
                           arg=place["at"])  # fmt: skip


def _is_moved(page: Any, asked: Any, hand: Any, place: Any) -> None:
    page.wait_for_function(f"() => ({_SOUND})() === null")
    expect(asked.locator(".constraint")).to_contain_text("pinned")
    moved = f"(at) => {{ const hand = ({_HAND})(); return hand && Math.abs(hand.seams[1] - at) < 0.02 && hand.seams }}"
    assert page.wait_for_function(moved, arg=place["at"]).json_value()[0] == hand["seams"][0]


def test_a_seam_is_dragged_to_another_bar_line(page: Any, asked: Any, seam: Any) -> None:
    hand, place, to = seam
    x, y = hand["seams_x"][1], hand["y"]
    for gives_up in (True, False):
        page.mouse.move(x, y)
        page.mouse.down()
        page.wait_for_timeout(400)  # a hand rests before it drags
        page.mouse.move(x - 5, y, steps=2)
        page.mouse.move(to, y, steps=4)
        _is_heard(page, place)
        if gives_up:
            page.keyboard.press("Escape")
            page.wait_for_function(f"() => ({_SOUND})() === null")
        page.mouse.up()
        if gives_up:
            expect(asked.locator(".constraint")).to_have_count(0)
    _is_moved(page, asked, hand, place)
    x = hand["seams_x"][0]
    page.mouse.move(x + 60, y)  # beside the seams a stretch is selected, after a rest too
    page.mouse.down()
    page.wait_for_timeout(400)
    page.mouse.move(x + 120, y, steps=4)
    page.mouse.up()
    looped = page.locator("button", has_text=re.compile("^Loop [0-9]"))
    looped.click()
    expect(looped).to_have_count(0)


def test_a_seam_is_dragged_by_a_finger(page: Any, asked: Any, seam: Any) -> None:
    hand, place, to = seam
    fingers, x, y = page.context.new_cdp_session(page), hand["seams_x"][1], hand["y"]

    def touch(kind: str, *at: float) -> None:
        points = [{"x": at_x, "y": y} for at_x in at]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    touch("touchStart", x + 10)  # beside the line, as fingers are
    page.wait_for_timeout(400)  # it rests before it drags
    for share in (0.2, 0.5, 1.0):
        touch("touchMove", x + 10 + share * (to - x))
    _is_heard(page, place)
    touch("touchEnd")
    _is_moved(page, asked, hand, place)


_FLAG = """() => {
  const [model] = [...Bokeh.documents].flatMap((d) => [...d.all_models]).filter((m) => m.landing && m.hits?.length)
  if (!model) return null
  const figure = [...Bokeh.documents].flatMap((d) => [...d.all_models]).find((m) => m.toolbar?.tools?.includes(model))
  const { el, frame } = Bokeh.index.find_one(figure)
  const { left, top } = el.getBoundingClientRect()
  return { hits: model.hits, x: model.hits.map((at) => left + frame.x_scale.compute(at)),
           to: left + frame.x_scale.compute(90), y: top + frame.bbox.top + 6 }
}"""


def test_the_track_arrives_where_its_flag_is_dragged_to_or_at_the_playhead(
    page: Any, asked: Any, watched: Watched, until_idle: Callable[[], None]
) -> None:
    page.locator(".bk-Figure").first.scroll_into_view_if_needed()
    flag = watched.at_rest(lambda: page.evaluate(_FLAG))
    assert flag["hits"] == [0.0]
    page.mouse.move(flag["x"][0] + 20, flag["y"])
    page.mouse.down()
    page.mouse.move(flag["x"][0] + 60, flag["y"], steps=2)
    page.mouse.move(flag["to"] + 20, flag["y"], steps=4)
    page.mouse.up()
    chip = asked.locator(".constraint")
    expect(chip).to_have_text(re.compile(r"hit at 1:(29|30)"))
    until_idle()
    page.keyboard.press("Home")
    for _ in range(8):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("h")
    expect(chip).to_have_text(re.compile(r"hit at 0:40"))
    until_idle()
    page.keyboard.press("Control+z")
    expect(chip).to_have_text(re.compile(r"hit at 1:(29|30)"))


def test_what_contradicts_is_said_with_a_button_that_drops_it(page: Any, asked: Any) -> None:
    asked.get_by_label("from, track time").fill("0:00")
    asked.get_by_label("to, track time").fill("1:40")
    asked.get_by_role("button", name="Never cut: no seam inside of this stretch").click()
    expect(asked.get_by_role("alert")).to_contain_text("cannot be kept in a loop of")
    asked.get_by_role("button", name="Drop never cut 0:00 to 1:40").click()
    expect(asked.get_by_role("alert")).to_be_hidden()
    asked.get_by_label("from, track time").fill("0:20")
    asked.get_by_label("to, track time").fill("0:30")
    asked.get_by_role("button", name="no seam inside of this stretch").click()
    expect(asked.locator(".constraint")).to_have_text("never cut 0:20 to 0:30 of the track ✕")
