"""The picture of the Plan tab: no finer than the screen, and every seam at its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bokeh.models import ColumnDataSource
from bokeh.models.renderers import GlyphRenderer

from tests.videos import grey, write_video
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.plan import load_video, render_option
from workbench.dashboards.tabs.plan_picture import PlanPicture
from workbench.dashboards.tabs.plan_state import PlanState
from workbench.dashboards.views import LongSound
from workbench.files import bundled_path
from workbench.media.audio import decode
from workbench.plans.plan_score import NOTICED
from workbench.plots.palette import DOWNBEAT
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture
def state(tide_loop: Planned) -> PlanState:
    """The tab's state with that plan."""
    state = PlanState()
    state.take(tide_loop)
    return state


def source_of(picture: PlanPicture, name: str) -> ColumnDataSource:
    glyph = picture.figure.select_one({"name": name})
    assert isinstance(glyph, GlyphRenderer)
    assert isinstance(glyph.data_source, ColumnDataSource)
    return glyph.data_source


def test_the_picture_sends_no_more_than_the_screen_shows(tide_home: Home, tide_loop: Planned, state: PlanState) -> None:
    heard = render_option(Workspace(tide_home), tide_loop, state.options[0])
    state.sounds[0] = LongSound(heard.path)
    picture = PlanPicture(state)
    picture.show()
    music = source_of(picture, "music")
    assert 500 < len(music.data["x"]) <= 4000
    picture.view.update(start=100.0, end=101.0)
    picture.show_view()
    near = music.data["x"]
    assert len(near) <= 4000
    assert np.median(np.diff(near)) < 0.002


def test_a_track_that_is_longer_than_its_video_is_drawn_whole(corner_fit: Planned) -> None:
    state = PlanState()
    state.take(corner_fit)
    picture = PlanPicture(state)
    picture.show()
    sections, plan = source_of(picture, "sections").data, state.plan
    assert plan is not None
    assert plan.song_duration > plan.window_end
    assert len(sections["right"]) == len(state.sections)
    shares = [section.song_to / plan.song_duration for section in state.sections]
    assert list(sections["right"]) == pytest.approx([60.0 * share for share in shares])
    assert len(source_of(picture, "worst seam").data["x"]) == 0


def test_every_seam_has_a_score_and_its_place_in_the_picture(state: PlanState) -> None:
    plan = state.plan
    assert plan is not None
    scores = [score for score in state.scores if score is not None]
    assert len(scores) == len(plan.seam_times)
    assert min(scores) == pytest.approx(plan.seam_score, abs=1e-4)
    picture = PlanPicture(state)
    picture.show()
    assert min(scores) >= NOTICED
    assert len(source_of(picture, "worst seam").data["x"]) == 0, "a warning is of a seam that many notice"


def test_nothing_but_the_lines_of_bars_is_vermilion(state: PlanState) -> None:
    picture = PlanPicture(state)
    picture.show()
    glyphs = [(drawn.data_source, drawn.glyph) for drawn in picture.figure.select({"type": GlyphRenderer})]
    vermilion = [
        source
        for source, glyph in glyphs
        for name in ("line_color", "fill_color", "hatch_color", "text_color", "background_fill_color")
        if getattr(glyph, name, None) == DOWNBEAT
    ]
    assert vermilion == [picture._sources["bars"]]


def test_the_seam_that_the_buttons_are_about_is_pointed_at(state: PlanState) -> None:
    picture = PlanPicture(state)
    picture.show()
    assert state.plan is not None
    picture.show_chosen(0)
    assert list(picture._sources["chosen"].data["x"]) == [state.plan.seam_times[0]]
    picture.show_chosen(len(state.plan.seam_times))
    assert list(picture._sources["chosen"].data["x"]) == []
    picture.show_chosen(None)
    assert list(picture._sources["chosen"].data["x"]) == []


def test_the_scale_of_gains_stands_where_the_view_begins(state: PlanState) -> None:
    picture = PlanPicture(state)
    picture.show()
    picture.view.update(start=100.0, end=120.0)
    picture.show_view()
    scale = picture._sources["scale"].data
    assert (list(scale["x"]), list(scale["text"])) == ([100.0] * 3, ["0 dB", "−10", "−20"])
    assert list(scale["y"]) == sorted(scale["y"], reverse=True)


def test_the_videos_own_music_is_marked_and_named(tide_home: Home, state: PlanState, tmp_path: Path) -> None:
    played = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    sound = np.zeros((1, 40 * played.sample_rate), dtype=np.float32)
    sound[0, 10 * played.sample_rate : 30 * played.sample_rate] = played.mono()[: 20 * played.sample_rate]
    shots = (grey(40 * (k % 6)) for k in range(80))
    path = write_video(tmp_path / "own.mp4", shots, 2, sound=sound, sample_rate=played.sample_rate)
    state.video = load_video(Workspace(tide_home), path)
    picture = PlanPicture(state)
    picture.show()
    ((first, last),) = state.video.own_music
    assert (first, last) == pytest.approx((10.0, 30.0), abs=2.0)
    drawn, named = picture._sources["own_music"], picture._sources["own_music_names"]
    assert (list(drawn.data["left"]), list(drawn.data["right"])) == ([first], [last])
    assert (list(named.data["x"]), list(named.data["text"])) == ([first], ["its own music"])
    picture.view.update(start=15.0, end=20.0)
    picture.show_view()
    assert list(named.data["x"]) == [15.0], "its name stays in view"
    picture.view.update(start=100.0, end=120.0)
    picture.show_view()
    assert list(named.data["x"]) == []


def test_without_a_plan_there_are_no_empty_lanes(tide_loop: Planned, state: PlanState) -> None:
    picture = PlanPicture(state)
    picture.show()
    assert picture.figure.y_range.start == 0.0
    state.take(None)
    picture.show()
    tick = picture.figure.yaxis[0].ticker.ticks
    shown = [at for at in tick if at > picture.figure.y_range.start]
    assert [picture.figure.yaxis[0].major_label_overrides[at] for at in sorted(shown)] == ["soundtrack", "video"]
    state.take(tide_loop)
    picture.show()
    assert picture.figure.y_range.start == 0.0
