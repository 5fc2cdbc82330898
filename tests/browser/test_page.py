"""The page in a real browser: it opens on its own, plays, is scrubbed, and shows every tab."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.screenshots import TABS
from tests.browser.serving import VIDEO_SECONDS
from tests.browser.watched import Watched

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


PLAY = "play (space)"


@pytest.fixture
def plan(watched: Any, until_idle: Callable[[], None]) -> Any:
    """The page, with soundtrack and music there to be heard."""
    expect(watched.page.get_by_role("button", name="mute the soundtrack (f)")).to_be_visible()
    until_idle()
    return watched


def press_and_see_it_play(watched: Any) -> None:
    """Space starts the transport, and stops it."""
    before = watched.time
    watched.page.keyboard.press("Space")
    watched.until(lambda: watched.time > before)
    watched.page.keyboard.press("Space")
    expect(watched.page.get_by_role("button", name=PLAY)).to_be_visible()


def test_the_browser_imports_the_scripts_of_components_itself(page: Any) -> None:
    """Read by another script first, they would hold up every page by a second."""
    by = page.evaluate(
        """() => performance.getEntriesByType("resource")
            .filter((entry) => entry.name.includes("panel-material-ui.bundle.js"))
            .map((entry) => entry.initiatorType)"""
    )
    assert by
    assert "fetch" not in by


def test_an_outline_is_painted_before_the_scripts_have_come(new_page: Callable[..., Any], dashboard: Any) -> None:
    page, held = new_page(bypass_csp=True), []
    page.route("**/bokeh.min.js*", lambda route: held.append(route))
    page.goto(dashboard.url, wait_until="commit")
    outline = page.locator("#loader")
    outline.get_by_text("Barline Workbench").wait_for()
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
    assert not page.evaluate("'Bokeh' in window")
    for route in held:
        route.continue_()
    page.locator(".time").filter(has_not_text="/ 0:00.0").first.wait_for()
    outline.wait_for(state="hidden")


def test_a_tab_that_is_hidden_stays_laid_out(page: Any, open_tab: Callable[[str], None]) -> None:
    """Laid out anew each time it comes back, it would be seen only after half a second."""
    figure = page.locator(".bk-events:visible").first.element_handle()
    before = figure.bounding_box()
    open_tab("Seams")
    figure.wait_for_element_state("hidden")
    assert figure.evaluate("node => node.getBoundingClientRect().width") == before["width"]
    page.set_viewport_size({"width": 1000, "height": 720})
    open_tab("Plan")
    figure.wait_for_element_state("visible")
    assert 0 < figure.bounding_box()["width"] < before["width"], "it follows the window while it is hidden"


def _faults(page: Any, rules: dict[str, Any]) -> list[str]:
    """What axe-core finds serious once colours have stopped changing from light to dark.

    Nothing is loaded for it (`preload`): no rule that is serious looks at sounds, or at styles of other hosts.
    """
    faults: list[str] = []
    for _ in range(10):
        told = page.evaluate(
            "async (rules) => await axe.run(document, { resultTypes: ['violations'], preload: false, ...rules })", rules
        )
        faults = [
            f"{fault['id']} at {node['html'][:160]}"
            for fault in told["violations"]
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]
        if not faults:
            break
    return faults


_DARK = "getComputedStyle(document.body).backgroundColor === 'rgb(18, 18, 18)'"
_SEEN = """window.seen = new Set()
const look = () => {
    const { documentElement, body } = document
    for (const one of [documentElement, body]) if (one) seen.add(getComputedStyle(one).backgroundColor)
    requestAnimationFrame(look)
}
look()"""
"""keeps every colour that the page had behind it, picture by picture"""


def test_the_page_is_as_dark_as_the_system_until_it_is_switched(new_page: Callable[..., Any], dashboard: Any) -> None:
    page = new_page(color_scheme="dark", bypass_csp=True)
    page.add_init_script(_SEEN)
    first = page.goto(f"{dashboard.url}?page=projects")
    assert 'style="color-scheme: light dark"' in first.text(), "the server does not know the system yet"
    page.wait_for_function(_DARK)
    switch = page.get_by_role("button", name="Toggle theme")
    switch.wait_for()
    assert "rgb(255, 255, 255)" not in page.evaluate("[...seen]"), "no flash of white"
    assert 'style="color-scheme: dark"' in page.reload().text(), "now it does"
    switch.click()
    page.wait_for_function(f"!({_DARK}) && document.documentElement.style.colorScheme === 'light'")
    assert 'style="color-scheme: light"' in page.reload().text(), "it is remembered"
    switch.wait_for()
    assert not page.evaluate(_DARK)


def test_a_narrow_window_cuts_nothing_off(page: Any) -> None:
    for width in (1024, 768, 390):
        page.set_viewport_size({"width": width, "height": 800})
        head = page.get_by_role("banner")
        for name in ("Open", "Download", "Toggle theme"):
            edges = head.get_by_role("button", name=name, exact=True).bounding_box()
            assert edges["x"] >= 0
            assert edges["x"] + edges["width"] <= width
            assert edges["y"] + edges["height"] <= 44
        last = head.get_by_role("tab").last.bounding_box()
        assert last["x"] + last["width"] <= width
        # What is drawn for a wide window is drawn anew a moment later.
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
        page.keyboard.press("?")
        keys = page.locator(".keys dl:visible").bounding_box()
        assert keys["x"] >= 0
        assert keys["x"] + keys["width"] <= width
        page.keyboard.press("Escape")


def test_a_message_and_the_work_under_way_are_told_in_full(page: Any) -> None:
    for width in (1920, 1280, 1100, 768, 390):
        page.set_viewport_size({"width": width, "height": 720})
        told = "the crossfade that you set at 2:56 is not in this plan; its seam now has the one that the planner chose"
        page.evaluate("(told) => window.dispatchEvent(new CustomEvent('workbench-fault', { detail: told }))", told)
        expect(page.locator(".fault")).to_have_text(told)
        # In one go: what is really under way may end at any moment and hide it again.
        cut, (stage_right, stop_left, stop_right), edges, undo_left = page.locator(".status").evaluate(
            """(status) => {
                const part = (name) => status.querySelector(name)
                const edges = (node) => node.getBoundingClientRect()
                part(".stage").textContent = "measuring the bands of the music"
                part(".work").hidden = false
                const cut = [".fault", ".stage"].filter((name) => part(name).scrollHeight > part(name).clientHeight + 1)
                const { left, right, top, bottom } = edges(part(".notice"))
                const [stage, stop] = [edges(part(".stage")), edges(part(".stop"))]
                const { left: undoLeft } = edges(part(".undo"))
                return [cut, [stage.right, stop.left, stop.right], [left, right, top, bottom], undoLeft]
            }"""
        )
        keys = page.get_by_role("button", name="Keys", exact=True).bounding_box()
        assert cut == []
        assert stage_right <= stop_left
        left, right, top, bottom = edges
        assert left >= 0
        assert right <= width
        if width >= 1280:
            assert stop_right <= undo_left
            assert top >= 44, "below the head"
            assert right <= keys["x"] or top >= keys["y"] + keys["height"]
        else:
            assert bottom <= 720
        page.locator(".status").evaluate("status => { status.querySelector('.work').hidden = true }")
        page.get_by_role("button", name="take this message away").click()
        expect(page.locator(".fault")).to_have_text("")
        expect(page.get_by_role("button", name="take this message away")).to_be_hidden()


def test_playing_moves_the_playhead_and_space_stops_it(plan: Any) -> None:
    plan.page.get_by_role("button", name=PLAY).click()
    plan.until(lambda: plan.time > 1.0)
    heads = "Bokeh.documents.flatMap(d => [...d.all_models]).filter(m => /^plan-playhead/.test(m.name))"
    assert plan.page.evaluate(f"{heads}.some(m => m.location > 0.5)")
    plan.page.keyboard.press("Space")
    expect(plan.page.get_by_role("button", name=PLAY)).to_be_visible()
    stopped = plan.time
    plan.page.keyboard.press("ArrowRight")
    assert plan.time == pytest.approx(stopped + 1.0, abs=0.11)


def test_a_sound_that_cannot_be_played_is_told(plan: Any) -> None:
    plan.page.route("**/sounds/**", lambda route: route.fulfill(status=200, body=b"no sound"))
    plan.page.get_by_role("button", name=PLAY).click()
    expect(plan.page.locator(".fault")).to_have_text("the sound cannot be played; load the page again")
    expect(plan.page.get_by_role("button", name=PLAY)).to_be_visible()


def test_keys_work_after_a_click_on_a_tab_or_a_button(plan: Any) -> None:
    plan.page.get_by_role("tab", name="Plan").click()
    plan.page.keyboard.press("End")
    assert plan.time == plan.duration
    plan.page.keyboard.press("ArrowLeft")
    assert plan.time == pytest.approx(plan.duration - 1.0, abs=0.11)
    plan.page.keyboard.press("Home")
    assert plan.time == 0.0
    press_and_see_it_play(plan)
    mute = plan.page.get_by_role("button", name="mute the soundtrack (f)")
    mute.click()
    press_and_see_it_play(plan)
    expect(mute).to_have_attribute("aria-pressed", "true")
    plan.page.keyboard.press("r")
    expect(plan.page.locator(".bar button", has_text="Loop")).to_have_attribute("aria-pressed", "true")


def test_keys_reach_the_transport_from_a_focused_control_but_for_those_it_uses(plan: Any) -> None:
    page = plan.page
    page.get_by_role("button", name="Download").focus()
    press_and_see_it_play(plan)
    expect(page.locator(".format").first).to_be_hidden()
    volume = page.get_by_label("volume")
    volume.focus()
    before = plan.time
    page.keyboard.press("ArrowLeft")
    assert float(volume.input_value()) < 1.0
    assert plan.time == before
    press_and_see_it_play(plan)
    page.get_by_role("tab", name="Plan").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Seams")).to_be_focused()
    press_and_see_it_play(plan)
    expect(page.get_by_role("tab", name="Plan")).to_have_attribute("aria-selected", "true")


def test_a_field_keeps_its_keys(plan: Any) -> None:
    plan.page.get_by_role("button", name="Open", exact=True).first.click()
    field = plan.page.get_by_label("Or a track of the catalog, by title, artist, tag or id")
    field.press_sequentially("a b m l")
    plan.page.keyboard.press("Home")
    plan.page.keyboard.press("ArrowRight")
    expect(field).to_have_value("a b m l")
    assert plan.time == 0.0
    expect(plan.page.get_by_role("button", name=PLAY)).to_be_visible()


def test_the_page_says_what_the_keys_do(plan: Any) -> None:
    plan.page.keyboard.press("?")
    expect(plan.page.get_by_text("to the start, to the end")).to_be_visible()
    expect(plan.page.get_by_text("choose the seam before, or the next")).to_be_visible()
    plan.page.keyboard.press("Escape")
    expect(plan.page.get_by_text("to the start, to the end")).to_be_hidden()


def test_where_no_plan_was_opened_play_says_so(plan: Any, new_page: Callable[..., Any]) -> None:
    expect(plan.page).to_have_url(re.compile("tab=plan"))
    first = new_page()
    first.goto(plan.page.url.replace("tab=plan", "tab=listening"))
    play = first.get_by_role("button", name=PLAY)
    expect(play).to_be_disabled()
    expect(play).to_have_attribute("title", re.compile("the tab Plan loads"))
    first.get_by_role("tab", name="Plan").click()
    expect(play).to_be_enabled()


def test_a_click_scrubs_and_a_drag_loops(plan: Any) -> None:
    plan.page.locator(".bk-events").first.scroll_into_view_if_needed()  # the video stands above it
    canvas = plan.at_rest(plan.page.locator(".bk-events").first.bounding_box)
    x, y = canvas["x"] + 0.5 * canvas["width"], canvas["y"] + 250
    plan.page.mouse.click(x, y)
    plan.until(lambda: plan.time > 60.0)
    clicked = plan.time
    plan.page.mouse.move(x - 100, y)
    plan.page.mouse.down()
    plan.page.mouse.move(x, y, steps=4)
    plan.page.mouse.up()
    loop = plan.page.locator(".bar button", has_text="Loop")
    expect(loop).to_have_attribute("aria-pressed", "true")
    plan.until(lambda: plan.time < clicked - 5.0)
    expect(loop).to_contain_text(plan.page.locator(".time").first.inner_text().split(" / ")[0])


def test_another_option_is_shown_without_becoming_the_plan(plan: Any, until_idle: Callable[[], None]) -> None:
    page = plan.page
    page.get_by_role("button", name="option 2 as B").click()
    until_idle()
    seams = page.get_by_role("toolbar", name="seams")
    expect(seams.get_by_role("button", name="seam 1,")).to_be_disabled()
    expect(page.locator(".option").first).to_contain_text("in use")
    asked = page.get_by_role("group", name="what is asked of the plan")
    expect(asked.get_by_text("Option 2 plays: use it to change it")).to_be_visible()
    expect(asked.get_by_role("button", name="Forbid")).to_be_disabled()
    page.get_by_role("button", name="option 1 as A").click()
    expect(asked.get_by_role("button", name="Forbid")).to_be_enabled()
    page.get_by_role("button", name="option 2 as B").click()
    expect(asked.get_by_role("button", name="Forbid")).to_be_disabled()
    download = page.get_by_role("button", name="Download")
    expect(download).to_be_disabled()
    expect(download).to_have_attribute("title", "Option 2 plays: use it to download it")
    seams.get_by_role("button", name="Use option 2 to look at its seams").click()
    expect(seams.get_by_role("button", name="seam 1,")).to_be_enabled()
    expect(download).to_have_attribute("title", "Download option 2, the plan in use")


def test_options_are_compared_at_the_same_place(plan: Any, until_idle: Callable[[], None]) -> None:
    plan.page.get_by_role("button", name="option 2 as B").click()
    b = plan.page.get_by_role("button", name="option B at the same place (b)")
    expect(b).to_have_attribute("aria-pressed", "true")
    until_idle()
    plan.page.keyboard.press("ArrowRight")
    place = plan.time
    plan.page.keyboard.press("a")
    expect(b).to_have_attribute("aria-pressed", "false")
    assert plan.time == place


_SHOWN = """() => Bokeh.documents.flatMap((d) => [...d.all_models])
  .filter((m) => m.type === "Range1d" && m.bounds).map(({ start, end }) => [start, end])[0]"""


def left_to_scroll(page: Any) -> float:
    """How far the page can be scrolled down, px."""
    left = "page => page.scrollHeight - page.clientHeight - page.scrollTop"
    return float(page.locator(".main-content").evaluate(left))


def test_the_wheel_scrolls_the_page_and_with_a_key_zooms_to_the_ends(plan: Any) -> None:
    page, whole = plan.page, [0.0, pytest.approx(VIDEO_SECONDS, abs=1e-3)]
    left = left_to_scroll(page)
    assert left > 0
    canvas = plan.at_rest(page.locator(".bk-events").first.bounding_box)
    page.mouse.move(canvas["x"] + 0.5 * canvas["width"], canvas["y"] + 100)
    page.mouse.wheel(0, 100)
    plan.until(lambda: left_to_scroll(page) == max(0, left - 100))
    assert page.evaluate(_SHOWN) == whole
    for key in ("Control", "Alt"):
        page.keyboard.down(key)
        page.mouse.wheel(0, -600)
        plan.until(lambda: 0.0 < page.evaluate(_SHOWN)[0] < page.evaluate(_SHOWN)[1] < 0.95 * VIDEO_SECONDS)
        for _ in range(10):
            page.mouse.wheel(0, 600)
        plan.until(lambda: page.evaluate(_SHOWN) == whole)
        page.keyboard.up(key)
    assert left_to_scroll(page) == max(0, left - 100)


def test_the_plan_fits_its_window_and_nothing_moves_when_the_picture_arrives(
    new_page: Callable[..., Any], dashboard: Any
) -> None:
    page = new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    held: list[Any] = []
    arrived = False
    page.route("**/videos/**", lambda route: route.continue_() if arrived else held.append(route))
    with page.expect_request("**/videos/**"):
        page.goto(dashboard.url)
    expect(page.get_by_role("button", name="option 1 as A")).to_be_visible()
    expect(page.locator(".work")).to_be_hidden()
    watched = Watched(page)
    place = watched.at_rest(page.locator(".player .bar").bounding_box)
    arrived = True
    for route in held:
        route.continue_()
    watched.until(lambda: page.locator(".player video").evaluate("video => video.readyState > 1"))
    assert watched.at_rest(page.locator(".player .bar").bounding_box) == place
    assert left_to_scroll(page) == 0


def test_keys_and_buttons_zoom_at_the_playhead(plan: Any) -> None:
    ranges = "Bokeh.documents.flatMap(d => [...d.all_models]).filter(m => m.type == 'Range1d' && m.bounds)"
    first, last = plan.page.evaluate(f"(({{start, end}}) => [start, end])({ranges}[0])")

    def sees(start: float, end: float) -> None:
        plan.until(
            lambda: (
                plan.page.evaluate(f"(({{start, end}}) => [start, end])({ranges}[0])")
                == pytest.approx([start, end], abs=1e-3)
            )
        )

    whole = last - first
    plan.page.keyboard.press("Home")
    plan.page.keyboard.press("+")
    sees(0.0, whole / 2)
    plan.page.get_by_role("button", name="zoom in at the playhead (+)").click()
    sees(0.0, whole / 4)
    plan.page.get_by_role("button", name="zoom out (-)").click()
    sees(0.0, whole / 2)
    plan.page.keyboard.press("0")
    sees(first, last)


def test_a_plan_is_taken_away_as_the_command_line_prints_it(plan: Any) -> None:
    import json

    from workbench.results.plan import plan_from_json

    plan.page.get_by_role("button", name="Download").click()
    with plan.page.expect_download() as started:
        plan.page.locator(".format", has_text="The plan as data").click()
    text = started.value.path().read_text(encoding="utf-8")
    assert plan_from_json(text).options
    assert json.loads(text)["applicable"] is True


CONTROLS = {
    "button", "checkbox", "combobox", "link", "listbox", "menuitem", "radio", "searchbox", "slider", "spinbutton",
    "switch", "tab", "textbox",
}  # fmt: skip


def test_every_tab_opens_with_a_name_for_each_control_and_nothing_in_the_way_of_anybody(
    page: Any, dashboard: Any, open_tab: Callable[[str], None]
) -> None:
    """One walk through all tabs and menus: what is seen, what a screen reader reads, and axe-core, light and dark."""
    pytest.importorskip("axe_playwright_python", reason="axe-core is not installed: make setup-dev installs it")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    reader = page.context.new_cdp_session(page)
    named, unnamed, serious = set(), [], []

    def read(where: str) -> None:
        for node in reader.send("Accessibility.getFullAXTree")["nodes"]:
            role, name = (node.get(key, {}).get("value") for key in ("role", "name"))
            if role in CONTROLS and not node["ignored"]:
                named.add(name)
                if not name:
                    found = reader.send("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]
                    unnamed.append((where, role, found["nodeName"], found["attributes"]))

    assert [name.lower() for name in page.get_by_role("tab").all_inner_texts()] == [
        "plan", "seams", "beats", "mix", "match", "tracks", "review", "listening"
    ]  # fmt: skip
    for title in ("Seams", "Beats", "Mix", "Match", "Tracks", "Review", "Plan", "Listening"):
        open_tab(title)
        expect(page.get_by_role("tab", name=title, exact=True)).to_have_attribute("aria-selected", "true")
        expect(page.locator(TABS[title]).first).to_be_visible()  # for which those who take pictures wait
        expect(page.locator(".fault")).to_have_text("")
        if title == "Match":
            page.get_by_role("table", name="matches").wait_for()
        read(title)
        serious += [f"{title}: {fault}" for fault in _faults(page, {})]
        # Switched, only colours are others.
        page.get_by_role("button", name="Toggle theme").click()
        serious += [f"{title}: {fault}" for fault in _faults(page, {"runOnly": ["color-contrast"]})]
    for kind in ("Compare two crossfades", "Compare two options"):
        page.get_by_role("combobox", name="test").click()
        page.get_by_text(kind).click()
        page.get_by_label("trials").wait_for()
        read(kind)
    for menu in ("Open", "Download"):
        page.get_by_role("button", name=menu, exact=True).click()
        read(menu)
    assert serious == []
    assert unnamed == []
    assert {"play (space)", "trials", "The demo", "Save as profile", "Begin"} <= named
    fetched = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert fetched
    assert [url for url in fetched if not url.startswith((dashboard.url, "data:", "blob:"))] == []
