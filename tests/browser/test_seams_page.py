"""The Seams tab in a real browser: the worst seam is found from the plan, judged, and its crossfade mended."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.watched import seam_title

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


_BOX = """() => {
  const found = (root) => root.querySelector(".seam svg")?.parentElement ?? [...root.querySelectorAll("*")]
    .map((node) => node.shadowRoot && found(node.shadowRoot)).find((node) => node)
  return found(document)
}"""
_PLAYS = f"() => JSON.stringify(({_BOX})().programs().crossfade.cues)"
"""what the crossfade is made of that plays in the page"""
_MADE = """() => JSON.stringify(Bokeh.documents.flatMap((d) => [...d.all_models])
  .find((m) => m.data?.played?.plan).data.played.plan.cues)"""
"""the same as the server has it"""


@pytest.fixture
def seams(page: Any, open_tab: Callable[[str], None]) -> Any:
    """The page on its first seam, looked at."""
    open_tab("Seams")
    page.get_by_text(seam_title(1)).wait_for()
    return page


def drag(page: Any, handle: Locator, by: int) -> int:
    """Drag the length of a crossfade by so many pixels and return what it is set to, ms."""
    at = handle.bounding_box()
    assert at is not None
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=4)
    page.mouse.up()
    return int(handle.get_attribute("aria-valuenow") or 0)


def test_the_worst_seam_is_one_click_from_the_plan(page: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    page.get_by_role("toolbar", name="seams").get_by_role("button", name="the worst").click()
    expect(page.get_by_role("tab", name="Seams")).to_have_attribute("aria-selected", "true")
    looked_at = page.get_by_role("button", name="the worst")
    expect(looked_at).to_have_attribute("aria-pressed", "true")
    number = (looked_at.get_attribute("aria-label") or "").removeprefix("seam ").split(",")[0]
    page.get_by_text(seam_title(int(number))).wait_for()


def test_keys_step_through_the_seams_and_find_the_worst(seams: Any) -> None:
    expect(seams.locator(".chips em:visible")).to_have_count(0)  # many notice none of them
    seams.keyboard.press("ArrowRight")
    seams.get_by_text(seam_title(2)).wait_for()
    seams.keyboard.press("ArrowLeft")
    seams.get_by_text(seam_title(1)).wait_for()
    seams.keyboard.press("w")
    expect(seams.get_by_role("button", name="the worst")).to_have_attribute("aria-pressed", "true")


def test_a_narrow_window_holds_all_of_a_seam(seams: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    seams.set_viewport_size({"width": 390, "height": 844})
    seams.wait_for_function(
        """() => {
            const found = (root, name) => root.querySelector(name) ?? [...root.querySelectorAll("*")]
                .map((node) => node.shadowRoot && found(node.shadowRoot, name)).find((node) => node)
            return [".seam", ".seam .keys", ".seam .words", ".seam svg"]
                .every((name) => found(document, name).getBoundingClientRect().right <= 380)
        }"""
    )


def test_an_excerpt_that_cannot_be_played_is_told(seams: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    seams.route("**/sounds/**", lambda route: route.fulfill(status=200, body=b"no sound"))
    heard = seams.locator(".bar button", has_text="With crossfade")
    heard.click()
    expect(seams.locator(".fault")).to_have_text("this seam cannot be played; choose it again")
    expect(heard).to_have_attribute("aria-pressed", "false")
    seams.unroute("**/sounds/**")
    heard.click()
    expect(heard).to_have_attribute("aria-pressed", "true")
    expect(seams.locator(".fault")).to_have_text("")


def test_a_seam_is_heard_with_and_without_its_crossfade_by_key(seams: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    names = {"1": "With crossfade", "2": "Without crossfade", "3": "Track plays on", "4": "Track leads in"}
    buttons = {key: seams.locator(".bar button", has_text=name) for key, name in names.items()}
    seams.keyboard.press("r")
    for key, button in buttons.items():
        seams.keyboard.press(key)
        expect(button).to_have_attribute("aria-pressed", "true")
    seams.keyboard.press("Space")
    expect(buttons["4"]).to_have_attribute("aria-pressed", "false")


def test_a_verdict_is_kept_and_comes_out_as_csv(seams: Any) -> None:
    seams.get_by_label("note").fill("a click at the hi-hat")
    seams.get_by_role("button", name="audible", exact=True).click()
    seams.get_by_text("saved: seam 1 is audible").wait_for()
    with seams.expect_download() as started:
        seams.get_by_text("Verdicts as CSV").click()
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text(encoding="utf-8"))))
    assert (rows[-1]["verdict"], rows[-1]["note"]) == ("audible", "a click at the hi-hat")
    assert float(rows[-1]["fade"]) > 0.0


def test_a_dragged_fade_goes_into_the_plan_and_its_downloads(
    seams: Any, open_tab: Callable[[str], None], until_idle: Callable[[], None]
) -> None:
    until_idle()
    handle = seams.get_by_role("slider", name="length of the crossfade, ms")
    before = int(handle.get_attribute("aria-valuenow") or 0)
    after = drag(seams, handle, 40)
    assert after > before
    use = seams.get_by_role("button", name="Use this fade in the plan")
    expect(use).to_be_enabled()
    expect(use).to_be_in_viewport(ratio=1)  # below the crossfade, in the smallest usual window
    use.click()
    seams.get_by_text(f"Seam 1 of the plan now has a crossfade of {after} ms").wait_for()
    expect(use).to_be_disabled()
    expect(handle).to_have_attribute("aria-valuenow", str(after))
    open_tab("Plan")
    expect(seams.get_by_role("toolbar", name="seams").get_by_role("button", name="seam 1,")).to_contain_text(
        f"{after} ms"
    )
    seams.get_by_role("button", name="Download").click()
    with seams.expect_download() as started:
        seams.locator(".format", has_text="The plan as data").click()
    taken = json.loads(started.value.path().read_text(encoding="utf-8"))
    assert round(1000 * taken["plan"]["seam_fades"][0]) == after


def test_a_handle_moves_by_milliseconds_and_keeps_the_focus(seams: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    handle = seams.get_by_role("slider", name="length of the crossfade, ms")
    before = int(handle.get_attribute("aria-valuenow") or 0)
    handle.focus()
    seams.keyboard.press("ArrowRight")
    seams.keyboard.press("PageUp")
    seams.keyboard.press("Shift+ArrowUp")
    expect(handle).to_have_attribute("aria-valuenow", str(before + 42))
    use = seams.get_by_role("button", name="Use this fade in the plan")
    expect(use).to_be_enabled()
    until_idle()
    use.focus()
    seams.keyboard.press("Enter")
    seams.get_by_text(f"crossfade of {before + 42} ms").wait_for()
    expect(handle).to_be_focused()


def test_a_crossfade_is_heard_before_the_server_knows_of_it(
    seams: Any, dashboard: Any, until_idle: Callable[[], None]
) -> None:
    until_idle()
    handle = seams.get_by_role("slider", name="length of the crossfade, ms")
    heard = seams.locator(".bar button", has_text="With crossfade")
    seams.keyboard.press("r")
    heard.click()
    expect(heard).to_have_attribute("aria-pressed", "true")
    before = seams.evaluate(_MADE)
    assert seams.evaluate(_PLAYS) == before
    handle.focus()
    with dashboard.stopped():
        seams.keyboard.press("PageUp")
        seams.keyboard.press("PageUp")
        tried = seams.evaluate(_PLAYS)
        assert tried != before
        expect(heard).to_have_attribute("aria-pressed", "true")
    seams.wait_for_function(f"(before) => ({_MADE})() !== before", arg=before)
    assert seams.evaluate(_MADE) == tried, "to the sample"
    seams.keyboard.press("Space")
    expect(heard).to_have_attribute("aria-pressed", "false")


def test_a_verdict_is_there_again_on_return(seams: Any, until_idle: Callable[[], None]) -> None:
    until_idle()
    seams.keyboard.press("ArrowRight")
    seams.get_by_text(seam_title(2)).wait_for()
    until_idle()
    seams.keyboard.press("g")
    seams.get_by_text("saved: seam 2 is good").wait_for()
    note = seams.get_by_label("note on this seam")
    note.fill("as if it were the track")
    seams.get_by_role("button", name="seam 1,").click()
    seams.get_by_text(seam_title(1)).wait_for()
    expect(note).not_to_have_value("as if it were the track")
    seams.get_by_role("button", name="seam 2,").click()
    expect(note).to_have_value("as if it were the track")
    expect(seams.get_by_role("button", name="seam 2,")).to_contain_text("✓")
