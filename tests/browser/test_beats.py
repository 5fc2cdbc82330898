"""The Beats tab in a browser: clicks, corrections, and a grid that the next plan is made on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.watched import Watched
from workbench.cli.main import run

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores


@pytest.fixture(scope="module")
def dashboard(own_dashboard: Any) -> Any:
    """A grid belongs to the track."""
    return own_dashboard


@pytest.fixture
def beats(page: Any, open_tab: Callable[[str], None]) -> Any:
    open_tab("Beats")
    return page


def _plan(dashboard: Any, capfd: pytest.CaptureFixture[str]) -> Any:
    capfd.readouterr()
    assert run(["loop", str(dashboard.track), "--video", str(dashboard.video), "--home", str(dashboard.home)]) == 0
    return json.loads(capfd.readouterr().out)["plan"]


def test_it_says_what_was_heard(beats: Any) -> None:
    expect(beats.get_by_text("found by the tracker")).to_be_visible()
    expect(beats.get_by_text("confidence")).to_be_visible()
    expect(beats.get_by_role("button", name="Save as the track's grid")).to_be_disabled()


def test_the_playhead_moves_and_clicks_are_heard(beats: Any, until_idle: Callable[[], None]) -> None:
    beats.get_by_text("Click track").click()
    until_idle()
    pressed = beats.get_by_role("button", name="option B at the same place (b)")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    shown = beats.locator(".time")
    before = shown.inner_text()
    beats.keyboard.press("Space")
    expect(shown).not_to_have_text(before)


def test_a_correction_is_shown_undone_and_told(beats: Any) -> None:
    save = beats.get_by_role("button", name="Save as the track's grid")
    before = save.bounding_box()
    beats.get_by_role("button", name="Downbeat ▶").click()
    beats.get_by_text("not saved: bars a beat later").wait_for()
    beats.get_by_role("button", name="½ Tempo").click()
    beats.get_by_text("not saved: half the tempo, and 1 before it").wait_for()
    assert save.bounding_box() == before, "the buttons stay under the pointer, however much is said above them"
    beats.get_by_role("button", name="undo: grid: half the tempo (Ctrl+Z)").click()
    beats.get_by_role("button", name="undo: grid: bars a beat later (Ctrl+Z)").click()
    beats.get_by_text("found by the tracker").wait_for()
    beats.get_by_role("button", name="redo: grid: bars a beat later (Ctrl+Shift+Z)").click()
    beats.reload()
    beats.get_by_text("not saved: bars a beat later").wait_for()
    beats.keyboard.press("Control+z")
    beats.get_by_text("found by the tracker").wait_for()


def _lines(page: Any) -> list[list[float]]:
    """Each beat that is drawn: where on the page (px), and when (s)."""
    return page.evaluate(  # type: ignore[no-any-return]
        """() => {
          const views = Object.values(Bokeh.index).flatMap((root) => [...root.owner.query(() => true)])
          const tools = views.filter((view) => view.model.type === "workbench.dashboards.figures.BeatTool")
          const { plot_view, model } = tools[0]
          const { left } = plot_view.canvas_view.events_el.getBoundingClientRect()
          return [...model.beats.data.x].map((at) => [left + plot_view.frame.x_scale.compute(at), at])
        }"""
    )


def test_a_beat_is_dragged_between_its_neighbours(beats: Any, watched: Watched) -> None:
    beats.get_by_role("button", name="8\u00a0s").click()
    wave = watched.at_rest(beats.locator(".bk-Figure:visible").first.bounding_box)
    lines = watched.at_rest(lambda: _lines(beats))
    (x, at), y = lines[4], wave["y"] + wave["height"] / 2
    undo = beats.locator("button.undo")

    def drag(by: float) -> None:
        beats.mouse.move(x, y)
        beats.mouse.down()
        beats.mouse.move(x + by / 2, y)
        beats.mouse.move(x + by, y)

    drag(20)
    beats.keyboard.press("Escape")
    beats.mouse.up()
    drag(20)  # what was taken back is still where it was
    beats.mouse.up()
    expect(beats.get_by_text("not saved: beat at")).to_contain_text("ms later")
    watched.until(lambda: at not in [line[1] for line in _lines(beats)])
    expect(undo).to_have_attribute("title", re.compile("^undo: grid: beat at .* moved"))
    beats.keyboard.press("Control+z")
    beats.get_by_text("found by the tracker").wait_for()
    expect(undo).to_have_attribute("title", "nothing to undo")
    watched.until(lambda: at in [line[1] for line in _lines(beats)])
    drag(600)  # past its neighbours
    beats.mouse.up()
    beats.get_by_text("not saved: beat at").wait_for()
    moved = watched.at_rest(lambda: _lines(beats))
    assert len(moved) == len(lines)
    beats.keyboard.press("Control+z")
    beats.get_by_text("found by the tracker").wait_for()


def test_a_grid_is_mended_in_a_stretch_and_by_tapping(beats: Any, watched: Watched) -> None:
    wave = watched.at_rest(beats.locator(".bk-Figure:visible").first.bounding_box)
    y = wave["y"] + wave["height"] / 2
    beats.mouse.move(200, y)
    beats.mouse.down()
    beats.mouse.move(500, y, steps=4)
    beats.mouse.up()
    beats.get_by_role("button", name="2× Tempo").click()
    beats.get_by_text("not saved: twice the tempo 0:").wait_for()
    beats.keyboard.press("Control+z")
    beats.get_by_text("found by the tracker").wait_for()
    for name, said in (
        ("Downbeat here", "a bar opens at"),
        ("− Beat", "a beat less at"),
        ("Shift ▶", "beats 10 ms later"),
    ):
        beats.get_by_role("button", name=name).click()
        beats.get_by_text(f"not saved: {said}").wait_for()
        beats.keyboard.press("Control+z")
        beats.get_by_text("found by the tracker").wait_for()


def test_taps_without_music_ask_for_it(beats: Any) -> None:
    for _ in range(2):
        beats.keyboard.press("t")
    expect(beats.get_by_role("button", name="Play, then tap along")).to_be_visible()
    expect(beats.get_by_role("button", name="Tap along", exact=True)).to_be_visible()  # after a rest
    beats.get_by_text("found by the tracker").wait_for()


def test_a_saved_grid_changes_the_next_plan_and_can_be_taken_back(
    beats: Any, dashboard: Any, until_idle: Callable[[], None], capfd: pytest.CaptureFixture[str]
) -> None:
    before = _plan(dashboard, capfd)
    for _ in range(2):
        beats.get_by_role("button", name="Downbeat ▶").click()
    beats.get_by_role("button", name="Save as the track's grid").click()
    beats.get_by_text("saved as this track's corrected grid").wait_for()
    until_idle()
    assert _plan(dashboard, capfd) != before
    beats.get_by_role("button", name="Back to the tracker's grid").click()
    beats.get_by_text("found by the tracker").wait_for()
    until_idle()
    assert _plan(dashboard, capfd) == before


def test_the_spectrogram_is_drawn(beats: Any) -> None:
    # Pictures of the video and of seams are images too, and may be on the page before; their sources have a height.
    image = "m.get_column?.('image')?.length && !m.get_column('dh')"
    drawn = f"Bokeh.documents.some(d => [...d.all_models].some(m => {image}))"
    assert not beats.evaluate(drawn)
    beats.get_by_role("button", name="spectrogram").click()
    for _ in range(1200):  # Playwright's own way to wait evaluates text, which the policy of the page refuses
        if beats.evaluate(drawn):
            return
        beats.wait_for_timeout(100)
    pytest.fail("it was not drawn")
