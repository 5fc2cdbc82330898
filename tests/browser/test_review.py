"""Reviewing in a real browser: comments, a decision, a link opened by somebody else, and blind tests."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.watched import type_in
from workbench.review.trials import FEWEST_DECIDED

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


@pytest.fixture
def review(page: Any, open_tab: Callable[[str], None]) -> Any:
    """The page on its Review tab, with a name."""
    open_tab("Review")
    page.get_by_label("your name").fill("Ana")
    page.get_by_label("your name").press("Enter")
    return page


def second_reviewer(new_page: Callable[..., Any], dashboard: Any, name: str) -> Any:
    """The same page in another window, on its Review tab."""
    page = new_page()
    page.goto(dashboard.url)
    page.locator(".time").filter(has_not_text="/ 0:00.0").first.wait_for()
    page.get_by_role("tab", name="Review", exact=True).click()
    page.get_by_label("your name").fill(name)
    page.get_by_label("your name").press("Enter")
    return page


def comment(page: Any, text: str, about: str = "-1") -> Any:
    page.get_by_label("what the comment is about").select_option(about)
    page.get_by_label("comment", exact=True).fill(text)
    page.get_by_role("button", name="Comment", exact=True).click()
    card = page.locator("article", has_text=text)
    card.wait_for()
    return card


def test_a_name_is_asked_for_once(page: Any, open_tab: Callable[[str], None]) -> None:
    open_tab("Review")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("aside [role=alert]")).to_contain_text("Write your name")
    expect(page.get_by_label("your name")).to_be_focused()
    page.get_by_label("your name").fill("Ana")
    page.get_by_label("your name").press("Enter")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".decisions").first).to_contain_text("Ana: approved")
    page.reload()
    page.locator(".time").filter(has_not_text="/ 0:00.0").first.wait_for()
    open_tab("Review")
    expect(page.get_by_label("your name")).to_have_value("Ana")
    expect(page.get_by_role("button", name="Approve")).to_have_attribute("aria-pressed", "true")


def test_a_comment_at_a_seam_is_answered_resolved_and_gone_to(review: Any) -> None:
    card = comment(review, "the hi-hat stumbles", "1")
    expect(card).to_contain_text("seam 2")
    expect(review.locator(".player video")).to_be_visible()
    card.get_by_label("answer to Ana").fill("two bars later?")
    card.get_by_role("button", name="Answer").click()
    expect(card).to_contain_text("two bars later?")
    at = card.get_by_role("button", name="go to").inner_text()
    card.get_by_role("button", name="go to").click()
    expect(review.locator(".time")).to_contain_text(f"{at} /")
    card.get_by_role("button", name="Resolve").click()
    expect(card).to_contain_text("resolved by Ana")
    card.get_by_role("button", name="Open again").click()
    expect(card.get_by_role("button", name="Resolve")).to_be_visible()


def test_what_is_being_written_stays_when_somebody_else_comments(
    review: Any, new_page: Callable[..., Any], dashboard: Any
) -> None:
    review.get_by_label("comment", exact=True).fill("half a sentence")
    other = second_reviewer(new_page, dashboard, "Ben")
    comment(other, "from the other room")
    other.close()
    expect(review.locator("article", has_text="from the other room")).to_be_visible()
    expect(review.get_by_label("comment", exact=True)).to_have_value("half a sentence")


def test_a_link_shows_and_plays_the_version_and_nothing_else(review: Any, new_page: Callable[..., Any]) -> None:
    comment(review, "for the client")
    link = made_link(review)
    review.get_by_role("button", name="copy the link").first.click()
    answer = review.get_by_label("comment", exact=True)
    answer.press("Control+v")
    expect(answer).to_have_value(link)
    faults: list[str] = []
    shown = new_page()
    shown.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    shown.on("pageerror", lambda error: faults.append(str(error)))
    shown.goto(link)
    expect(shown.get_by_text("for the client")).to_be_visible()
    expect(shown.locator("input, textarea, form")).to_have_count(0)
    expect(shown.locator("video")).to_be_visible()
    seconds = review.locator(".time").first.inner_text().split(" / ")[1]
    expect(shown.locator("#time")).to_have_text(f"0:00.0 / {seconds}")
    shown.get_by_role("button", name="0:00").first.click()  # the comment's place
    shown.keyboard.press("Space")
    expect(shown.locator("#time")).not_to_contain_text("0:00.0 /")
    shown.get_by_role("button", name="Pause").click()
    expect(shown.get_by_role("button", name="Play")).to_be_visible()
    strip = shown.get_by_role("slider", name="where it plays")
    strip.press("Home")
    expect(shown.locator("#time")).to_contain_text("0:00.0 /")
    strip.press("Shift+ArrowRight")
    expect(shown.locator("#time")).to_contain_text("0:05.0 /")
    expect(strip).to_have_attribute("aria-valuenow", "5.0")
    assert faults == []
    altered = link[:-1] + ("0" if link[-1] != "0" else "1")
    answer = shown.goto(altered)
    assert answer is not None
    assert answer.status == 403


def test_a_link_is_answered_and_taken_back_and_an_older_version_plays(
    review: Any, new_page: Callable[..., Any], until_idle: Callable[[], None]
) -> None:
    review.get_by_label("may comment and decide").check()
    link = made_link(review)
    shown = new_page()
    shown.goto(link)
    shown.get_by_label("Your name").fill("Cleo")
    shown.get_by_label("comment", exact=True).fill("louder <b>here</b>")
    shown.get_by_label("what the comment is about").select_option("1")
    shown.get_by_role("button", name="Comment", exact=True).click()
    expect(shown.locator("article", has_text="louder <b>here</b>")).to_contain_text("seam 2")
    expect(shown.get_by_label("comment", exact=True)).to_have_value("")
    shown.get_by_role("button", name="Needs work").click()
    expect(shown.locator("#answers")).to_contain_text("Cleo (by link): needs work")
    card = review.locator("article", has_text="louder <b>here</b>")
    expect(card).to_contain_text("Cleo (by link)")
    expect(review.locator(".decisions").first).to_contain_text("Cleo (by link): needs work")

    review.get_by_role("button", name="play version 1").click()
    until_idle()
    expect(review.get_by_role("button", name="play version 1")).to_have_attribute("aria-pressed", "true")
    expect(review.get_by_role("button", name="option B at the same place (b)")).to_have_text("version 1")
    review.keyboard.press("a")
    expect(review.get_by_role("button", name="play version 1")).to_have_attribute("aria-pressed", "false")

    shown.get_by_label("comment", exact=True).fill("too late")
    links = review.get_by_label("link", exact=True).count()
    review.get_by_role("button", name="Take back").first.click()
    expect(review.get_by_label("link", exact=True)).to_have_count(links - 1)
    shown.get_by_role("button", name="Comment", exact=True).click()
    expect(shown.get_by_role("alert")).to_contain_text("taken back")
    expect(shown.get_by_label("comment", exact=True)).to_have_value("too late")
    answer = shown.reload()
    assert answer is not None
    assert answer.status == 403


def test_a_click_is_not_lost_when_a_decision_comes_between_press_and_release(
    review: Any, new_page: Callable[..., Any], dashboard: Any
) -> None:
    other = second_reviewer(new_page, dashboard, "Ana")
    other.get_by_role("button", name="Approve").click()
    expect(review.locator(".decisions").first).to_contain_text("Ana: approved")
    tick = review.get_by_label("may comment and decide")
    tick.hover()
    review.mouse.down()
    other.get_by_role("button", name="Needs work").click()
    expect(review.locator(".decisions").first).to_contain_text("Ana: needs work")
    review.mouse.up()
    expect(tick).to_be_checked()


def made_link(page: Any) -> str:
    """The address of a link that is made on the Review tab."""
    count = page.get_by_label("link", exact=True).count()
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_label("link", exact=True)).to_have_count(count + 1)
    return str(page.get_by_label("link", exact=True).first.input_value())


def test_seams_are_rated_blind_and_the_ratings_come_out(page: Any, open_tab: Callable[[str], None]) -> None:
    open_tab("Listening")
    page.get_by_label("your name").fill("Ana")
    page.get_by_label("your name").press("Enter")
    page.get_by_role("button", name="Begin").click()
    told = page.get_by_text("trial 1 of")
    told.wait_for()
    count = int(told.inner_text().split()[-1])
    for trial in range(count):
        page.get_by_text(f"trial {trial + 1} of").wait_for()
        page.get_by_role("button", name="hear A", exact=True).click()
        expect(page.get_by_role("button", name="hear A", exact=True)).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="hear the reference").click()
        expect(page.get_by_role("button", name="hear A", exact=True)).to_have_attribute("aria-pressed", "false")
        expect(page.get_by_role("button", name="Next")).to_be_disabled()
        page.get_by_label("rating of A").press("Enter")  # where it stands
        expect(page.locator(".blind output").first).to_have_text("50")
        page.get_by_label("rating of B").click()
        expect(page.locator(".blind output").nth(1)).to_have_text("50")
        for letter in "ABC":
            page.get_by_label(f"rating of {letter}").fill("40")
        expect(page.get_by_text("Hear and rate B, C.")).to_be_visible()
        page.get_by_role("button", name="hear B", exact=True).click()
        page.get_by_role("button", name="hear C", exact=True).click()
        page.get_by_role("button", name="Next").hover()
        expect(page.get_by_role("button", name="Next")).to_have_css("background-color", "rgb(0, 114, 178)")
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("this test does not count")).to_be_visible()  # the reference was rated 40
    with page.expect_download() as started:
        page.get_by_text("Ratings as CSV").click()
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text(encoding="utf-8"))))
    assert len(rows) == 3 * count
    assert {row["rating_score"] for row in rows} == {"40"}
    assert {row["rating_stimulus"] for row in rows} == {"reference", "seam", "anchor"}
    assert {row["name"] for row in rows} == {"Ana"}


def begin_with_two_trials(page: Any, instead_of: int) -> None:
    expect(page.get_by_label("trials")).to_have_value(str(instead_of))  # else what is typed is replaced by it
    type_in(page, "trials", 2)
    page.get_by_role("button", name="Begin").click()


def test_two_crossfades_are_compared_by_ear(page: Any, open_tab: Callable[[str], None]) -> None:
    open_tab("Listening")
    page.get_by_label("your name").fill("Ana")
    page.get_by_label("your name").press("Enter")
    page.get_by_label("test").click()
    page.get_by_text("Compare two crossfades").click()
    begin_with_two_trials(page, instead_of=12)
    for trial in (1, 2):
        page.get_by_text(f"trial {trial} of 2").wait_for()
        expect(page.get_by_role("button", name="X is A")).to_be_disabled()
        page.get_by_role("button", name="hear X").click()
        page.get_by_role("button", name="hear A", exact=True).click()  # while the sounds are still loaded
        expect(page.get_by_role("button", name="hear A", exact=True)).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="hear X").click()
        page.get_by_role("button", name="X is A").click()
    expect(page.get_by_text("of 2 right")).to_be_visible()


def test_an_option_is_preferred_blind(page: Any, open_tab: Callable[[str], None]) -> None:
    open_tab("Listening")
    page.get_by_label("your name").fill("Ana")
    page.get_by_label("your name").press("Enter")
    page.get_by_label("test").click()
    page.get_by_text("Prefer an option, whole").click()
    begin_with_two_trials(page, instead_of=FEWEST_DECIDED)
    for trial in (1, 2):
        page.get_by_text(f"trial {trial} of 2").wait_for()
        expect(page.get_by_role("button", name="A much better")).to_be_disabled()
        page.get_by_role("button", name="hear A", exact=True).click()
        place = page.get_by_label("where it plays")
        expect(place).to_be_visible()
        place.fill("100")
        expect(page.get_by_role("button", name="hear A", exact=True)).to_have_attribute("aria-pressed", "true")
        expect(place).to_have_value(re.compile("^10[0-9]"))
        page.get_by_role("button", name="hear B", exact=True).click()
        page.get_by_role("button", name="B slightly better").click()
    expect(page.get_by_text("was better than")).to_be_visible()
    expect(page.get_by_text("too few to say")).to_be_visible()


_BOXES = """(seams) => {
  const models = Bokeh.documents.flatMap(d => [...d.all_models])
  models.find(m => m.data?.properties?.older).data.seams = seams
  const found = (root) => root.querySelector(".review .strip") ?? [...root.querySelectorAll("*")]
    .map((node) => node.shadowRoot && found(node.shadowRoot)).find((node) => node)
  const strip = found(document)
  return [strip, ...strip.querySelectorAll("i"), ...strip.querySelectorAll("span:not([hidden])")].map((node) => {
    const { left, right } = node.getBoundingClientRect()
    return [node.localName, node.textContent, left, right]
  })
}"""
"""Shows seams in the strip of the review; where it, their lines and their numbers lie, px."""


@pytest.mark.parametrize("width", [1280, 390])
def test_numbers_of_near_seams_neither_meet_nor_are_cut(page: Any, open_tab: Callable[[str], None], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    open_tab("Review")
    near = [0.5, 40.0, 41.0, 42.0, 120.0, 123.0, 126.0, 180.0, 249.5]
    (_, _, first, last), *rest = page.evaluate(_BOXES, near)
    lines = [(left + right) / 2 for name, _, left, right in rest if name == "i"]
    numbers = [(text, left, right) for name, text, left, right in rest if name == "span"]
    assert len(lines) == len(near)
    assert next(text for text, *_ in numbers) == "seam 1"
    assert {text for text, *_ in numbers} >= {"4", "8"}
    assert all(first <= left and right <= last for _, left, right in numbers)
    assert not [text for text, left, right in numbers for line in lines if left <= line <= right]
    ends = sorted((left, right) for _, left, right in numbers)
    assert all(one[1] <= other[0] for one, other in pairwise(ends))
