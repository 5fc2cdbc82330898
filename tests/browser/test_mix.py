"""The Mix tab in a browser: a slider that is let go of moves the duck, and a profile serves the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.watched import Watched, type_in
from workbench.cli.main import run

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


@pytest.fixture(scope="module")
def dashboard(own_dashboard: Any) -> Any:
    """A profile belongs to the home."""
    return own_dashboard


@pytest.fixture
def mix(page: Any, open_tab: Callable[[str], None]) -> Any:
    open_tab("Mix")
    page.get_by_text("duck down to").wait_for()
    return page


def test_a_slider_moves_the_duck_by_key(mix: Any) -> None:
    said = mix.get_by_text("duck down to")
    before = said.inner_text()
    slider = mix.get_by_role("slider", name="under voice, LU")
    slider.focus()
    for _ in range(8):
        mix.keyboard.press("ArrowRight")
    expect(said).not_to_have_text(before)
    expect(mix.get_by_text("own", exact=True)).to_be_visible()


def test_a_slider_is_heard_before_the_server_knows_of_it(
    mix: Any, dashboard: Any, until_idle: Callable[[], None]
) -> None:
    until_idle()
    slider = mix.get_by_role("slider", name="under voice, LU")
    slider.focus()
    before = mix.evaluate(_HEARD)
    with dashboard.stopped():
        mix.keyboard.press("ArrowRight")
        mix.wait_for_function(f"(before) => JSON.stringify(({_HEARD})()) !== JSON.stringify(before)", arg=before)
        after = mix.evaluate(_HEARD)
    deeper = [now[1] - was[1] for was, now in zip(before, after, strict=True) if was[1] > 0]
    assert deeper
    assert all(db >= 0 for db in deeper)
    said = mix.get_by_text("duck down to")
    expect(said).to_contain_text(f"{slider.input_value()} LU under the voice")
    depth = max(point[1] for point in mix.evaluate(_HEARD))
    expect(said).to_contain_text(f"duck down to {depth:.1f} dB")


def test_ducked_and_not_ducked_are_one_key_apart(mix: Any) -> None:
    plain = mix.get_by_role("button", name="option B at the same place (b)")
    expect(plain).to_have_text("not ducked")
    mix.keyboard.press("b")
    expect(plain).to_have_attribute("aria-pressed", "true")
    mix.keyboard.press("a")
    expect(plain).to_have_attribute("aria-pressed", "false")


def test_a_profile_of_the_page_serves_the_command_line(
    mix: Any, dashboard: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    said = mix.get_by_text("duck down to")
    before = said.inner_text()
    mix.get_by_role("slider", name="under voice, LU").focus()
    mix.keyboard.press("Home")
    expect(said).not_to_have_text(before)
    type_in(mix, "profile", "lively")
    mix.get_by_role("button", name="Save as profile").click()
    mix.get_by_text("saved; use it with --profile").wait_for()
    profile = dashboard.home / "profiles" / "lively.toml"
    assert "under_voice_lu = 13.0" in profile.read_text(encoding="utf-8")
    depths = []
    for more in ([], ["--profile", str(profile)]):
        capfd.readouterr()
        arguments = ["loop", str(dashboard.track), "--video", str(dashboard.video), "--auto-mix"]
        assert run([*arguments, "--home", str(dashboard.home), *more]) == 0
        depths.append(json.loads(capfd.readouterr().out)["mix"]["duck"]["depth_db"])
    assert depths[1] < depths[0] - 1.0


def test_another_mix_leaves_the_comparison_of_options_as_it_is(
    page: Any, open_tab: Callable[[str], None], until_idle: Callable[[], None]
) -> None:
    page.get_by_role("button", name="option 2 as B").click()
    expect(page.get_by_role("button", name="option 2 as B")).to_have_attribute("aria-pressed", "true")
    until_idle()
    planned = page.evaluate(_PLANNED)
    open_tab("Mix")
    facts = page.get_by_text("duck down to")
    before = facts.inner_text()
    page.get_by_role("slider", name="under voice, LU").focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    expect(facts).not_to_have_text(before)
    open_tab("Plan")
    page.wait_for_function(_PLANNED_ANEW, arg=planned)
    until_idle()
    chosen = page.get_by_role("button", name="option B at the same place (b)")
    expect(chosen).to_have_attribute("aria-pressed", "true")


_DUCK = """() => {
  const models = [...Bokeh.documents].flatMap((document) => [...document.all_models])
  const points = models.find((model) => model.name === "points")
  const figure = models.find((model) => model.renderers?.includes?.(points))
  const { left, top } = Bokeh.index.find_one(figure).el.getBoundingClientRect()
  const { x_scale, y_scale } = Bokeh.index.find_one(figure).frame
  const { x, y } = points.data_source.data
  return [...x].map((at, k) => [left + x_scale.compute(at), top + y_scale.compute(y[k])])
}"""
_HEARD = """() => [...Bokeh.documents].flatMap((document) => [...document.all_models])
  .find((model) => model.data?.labels?.[0] === "ducked")?.data.duck_a.map((point) => [...point])"""
_PLANNED = _HEARD.replace('"ducked"', '"A"')
"""what the Plan tab plays, which has the mix of the Mix tab once that has settled; undefined while the tab is drawn"""
_PLANNED_ANEW = f"""(planned) => {{
  const now = ({_PLANNED})()
  return now !== undefined && JSON.stringify(now) !== JSON.stringify(planned)
}}"""


def test_a_duck_point_is_dragged_heard_undone_and_set_by_keys(mix: Any, watched: Watched) -> None:
    panel = mix.get_by_role("group", name="points of the duck")
    mix.wait_for_function(f"() => ({_DUCK})().length > 4")
    measured, places = mix.evaluate(_HEARD), watched.at_rest(lambda: mix.evaluate(_DUCK))
    x, y = places[1]
    panel_at = panel.bounding_box()
    moved = f"([at, db]) => ({_HEARD})()[1][1] < db - 1"
    unmoved = f"(wanted) => JSON.stringify(({_HEARD})()) === JSON.stringify(wanted)"
    for gives_up in (True, False):
        mix.mouse.move(x, y)
        mix.mouse.down()
        mix.wait_for_timeout(400)  # a hand rests before it drags
        mix.mouse.move(x, y - 12)
        mix.mouse.move(x, y - 25, steps=4)
        mix.wait_for_function(moved, arg=measured[1])
        if gives_up:
            mix.keyboard.press("Escape")
            mix.wait_for_function(unmoved, arg=measured)
            mix.mouse.up()
    mix.mouse.up()
    expect(mix.get_by_text("drawn by hand: duck down to")).to_be_visible()
    assert panel.bounding_box() == pytest.approx(panel_at, abs=0.5), (
        "the points stay under the pointer, however much is said above them"
    )
    expect(panel.get_by_text("Point 2 of")).to_be_visible()
    undo = mix.get_by_role("button", name="undo", exact=False).first
    undo.click()
    mix.wait_for_function(unmoved, arg=measured)
    expect(panel.get_by_role("button", name="Back to the measured curve")).to_be_hidden()
    mix.keyboard.press("[")
    expect(panel.get_by_text("Point 1 of")).to_be_visible()
    mix.keyboard.press("]")
    expect(panel.get_by_text("Point 2 of")).to_be_visible()
    depth = panel.get_by_label("depth of the point, dB")
    depth.fill("3.5")
    depth.press("Enter")
    mix.wait_for_function(f"() => ({_HEARD})()[1][1] === 3.5")
    panel.get_by_role("button", name="delete the point").click()
    mix.wait_for_function(f"(count) => ({_HEARD})().length === count - 1", arg=len(measured))
    panel.get_by_role("button", name="Back to the measured curve").click()
    mix.wait_for_function(unmoved, arg=measured)
