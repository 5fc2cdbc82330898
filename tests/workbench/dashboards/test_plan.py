"""What the Plan tab shows and hears, without a browser: one plan of a bundled track under a length of video."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bokeh.models import ColumnDataSource
from bokeh.models.renderers import GlyphRenderer

from workbench.audition.plans import heard_at, render_option
from workbench.bundled import bundled_path
from workbench.dashboards.downloads import what_is_taken
from workbench.dashboards.plan import PlanTab
from workbench.dashboards.plan_picture import PlanPicture
from workbench.dashboards.plan_state import PlanState, played_pieces
from workbench.dashboards.session import Session
from workbench.dashboards.views import LongSound
from workbench.dashboards.work import Pool
from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.loops.refusals import Refusal, RefusalReason
from workbench.mix.balance import Duck, Mix
from workbench.params import WorkbenchParams
from workbench.workflows.loop import Loop, loop_track
from workbench.workflows.tracks import find_track
from workbench.workspace import Workspace

PATIENCE_SECONDS = 120.0


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One worker for the pages of this file."""
    pool = Pool(1)
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """An empty home."""
    return Home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def loop(home: Home) -> Loop:
    """A bundled track under 200 s."""
    track = bundled_path("data", "bundled", "music", "slow_tide.ogg")
    return loop_track(Workspace(home), find_track(Workspace(home), str(track)), 200.0)


@pytest.fixture
def state(loop: Loop) -> PlanState:
    """The tab's state with that plan."""
    state = PlanState()
    state.take(loop)
    return state


def test_the_blocks_of_a_plan_fill_it_from_start_to_end(state: PlanState) -> None:
    plan = state.plan
    assert plan is not None
    pieces = played_pieces(plan, state.sections)
    assert pieces[0][0] == pytest.approx(plan.music_in)
    assert pieces[-1][1] == pytest.approx(float(plan.segment_starts[-1]))
    for (_, end, *_), (start, *_) in itertools.pairwise(pieces):
        assert end == pytest.approx(start, abs=1e-5)


def test_bars_are_heard_where_the_plan_plays_them(loop: Loop, state: PlanState) -> None:
    plan = state.plan
    assert plan is not None
    assert loop.analysis is not None
    heard = heard_at(plan, loop.analysis.grid.downbeats)
    assert np.all(np.diff(heard) > 0.0)
    seams = np.array(plan.seam_times)
    assert np.all(np.min(np.abs(heard[:, None] - seams), axis=0) < 0.011), "each seam lies on a bar line"


def test_two_options_are_compared_and_never_one_with_itself(state: PlanState) -> None:
    state.pick(0, "b")
    assert (state.a, state.b, state.chosen) == (0, None, "a")
    state.pick(1, "b")
    assert (state.shown, state.chosen) == (1, "b")
    state.pick(1, "a")
    assert (state.a, state.b, state.shown) == (1, None, 1)


def test_a_and_b_are_equally_loud_after_matching(home: Home, loop: Loop, state: PlanState) -> None:
    state.pick(1, "b")
    for option in (0, 1):
        state.heard[option] = render_option(Workspace(home, WorkbenchParams()), loop, state.options[option])
    gains = state.matching(60.0, [])
    assert max(gains) == 0.0
    a, b = (state.heard[n].lufs(55.0, 65.0) + gain for n, gain in enumerate(gains))
    assert a == pytest.approx(b, abs=1e-6)
    assert state.headroom_db() <= 0.0


def source_of(picture: PlanPicture, name: str) -> ColumnDataSource:
    glyph = picture.figure.select_one({"name": name})
    assert isinstance(glyph, GlyphRenderer)
    assert isinstance(glyph.data_source, ColumnDataSource)
    return glyph.data_source


def test_the_picture_sends_no_more_than_the_screen_shows(home: Home, loop: Loop, state: PlanState) -> None:
    heard = render_option(Workspace(home, WorkbenchParams()), loop, state.options[0])
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


def test_every_seam_has_a_score_and_its_place_in_the_picture(state: PlanState) -> None:
    plan = state.plan
    assert plan is not None
    scores = [score for score in state.scores if score is not None]
    assert len(scores) == len(plan.seam_times)
    assert min(scores) == pytest.approx(plan.seam_score, abs=1e-4)
    picture = PlanPicture(state)
    picture.show()
    worst = source_of(picture, "worst seam")
    assert list(worst.data["x"]) == [plan.seam_times[int(np.argmin(scores))]]


def test_a_plan_can_be_taken_away_in_every_format(home: Home, loop: Loop, tmp_path: Path) -> None:
    from workbench.dashboards.downloads import download_file, offered

    for name, *_ in offered(loop):
        path = download_file(Workspace(home, WorkbenchParams()), loop, name)
        assert path.stat().st_size > 0
    assert offered(None) == []
    said = {name: what for name, _, what in offered(loop)}
    assert "Final Cut Pro does not import .ogg files: export with the track as WAV." in said["fcpxml"]
    assert "import" not in said["rpp"]


def test_a_look_at_another_option_leaves_the_plan_in_use(home: Home, loop: Loop, pool: Pool) -> None:
    session = Session(Workspace(home), pool=pool)
    session.loop = loop
    tab = PlanTab(session)
    tab.pick(1, "b")
    assert "option 2" in tab.chips.ask
    tab.look_at(1)
    assert (session.loop, session.seam, session.tab) == (loop, 0, "")
    assert (tab.state.b, tab.state.shown) == (1, 1)
    assert "option 1, the plan in use" in what_is_taken(session.loop)
    until_idle(session)
    tab.chips.asked += 1
    assert session.plan is not None
    assert session.plan.alone == tab_options(loop)[1]
    assert tab.chips.ask == ""
    tab.look_at(1)
    assert (session.seam, session.tab) == (1, "Seams")
    session.cancel()
    until_idle(session)


def test_another_mix_leaves_the_comparison_of_options_as_it_is(home: Home, loop: Loop, pool: Pool) -> None:
    """Letting go of a slider in the Mix tab is no reason to hear another option, or to stop."""
    session = Session(Workspace(home), pool=pool)
    session.loop = loop
    tab = PlanTab(session)
    tab.pick(1, "b")
    until_idle(session)
    heard = {"music_a": tab.player.music_a, "music_b": tab.player.music_b, "chosen": "b", "region": [10.0, 20.0]}
    assert heard["music_a"] != heard["music_b"] != ""
    tab.player.param.update(region=[10.0, 20.0], playing=True)
    points = ((4.0, 0.0), (5.0, 8.0), (10.0, 8.0), (11.0, 0.0))
    duck = Duck(points, envelope_hz=100, speech_ranges=((5.0, 10.0),), depth_db=8.0, attack_ms=100, release_ms=500)
    quieter = Mix(True, "voice", -3.0, 0.0, duck)
    unloaded: list[str] = []
    tab.player.param.watch(lambda event: unloaded.append(event.name), ["music_a", "music_b", "chosen", "playing"])
    session.loop = replace(loop, mix=quieter)
    assert tab.player.gain_a_db == -3.0
    assert session.busy, "the other option is balanced anew"
    until_idle(session)
    assert unloaded == []
    assert {name: getattr(tab.player, name) for name in heard} == heard
    assert (tab.player.playing, tab.cards.b, tab.cards.shown, tab.state.outdated) == (True, 1, 1, set())


def test_an_empty_page_says_what_is_coming_and_then_shows_it(home: Home, loop: Loop, pool: Pool) -> None:
    session = Session(Workspace(home), pool=pool)
    tab = PlanTab(session)
    assert tab.empty.visible
    job = session.open_demo()
    assert "The first start takes some minutes" in tab.empty.object
    assert tab.progress.visible
    session.cancel()
    assert job.wait(PATIENCE_SECONDS)
    session.loop = replace(loop, answer=Refusal(RefusalReason.LOW_CONFIDENCE, "Its bars are too unsure to cut at."))
    assert "too unsure" in tab.empty.object
    session.loop = loop
    assert not tab.empty.visible
    assert not tab.progress.visible
    session.cancel()
    until_idle(session)


def tab_options(loop: Loop) -> tuple[LoopPlan, ...]:
    """The options of a plan."""
    assert isinstance(loop.answer, LoopPlan)
    return loop.answer.options


def until_idle(session: Session) -> None:
    """Wait until all work of a page has ended."""
    idle = threading.Event()
    session.param.watch(lambda event: idle.set() if not event.new else None, "stage")
    if session.busy:
        assert idle.wait(PATIENCE_SECONDS), session.stage
