"""What the Plan tab shows and hears, without a browser: one plan of a bundled song under a length of film."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from workbench.bundled import bundled_path
from workbench.dashboards.plan import PlanPicture, PlanState, played_pieces
from workbench.dashboards.seams import SeamState
from workbench.dashboards.views import LongSound
from workbench.errors import PlanError
from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.params import WorkbenchParams
from workbench.workflows.audition import hear_option, heard_at
from workbench.workflows.loop import Loop, find_song, loop_track
from workbench.workflows.seam_look import look_at_seam, with_option_first


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """An empty home."""
    return Home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def loop(home: Home) -> Loop:
    """A bundled song under 200 s."""
    song = bundled_path("data", "bundled", "music", "slow_tide.ogg")
    return loop_track(find_song(str(song), home), 200.0, home)


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
        state.heard[option] = hear_option(loop, state.options[option], home, WorkbenchParams())
    gains = state.matching(60.0, [])
    assert max(gains) == 0.0
    a, b = (state.heard[n].lufs(55.0, 65.0) + gain for n, gain in enumerate(gains))
    assert a == pytest.approx(b, abs=1e-6)
    assert state.headroom_db() <= 0.0


def test_the_picture_sends_no_more_than_the_screen_shows(home: Home, loop: Loop, state: PlanState) -> None:
    heard = hear_option(loop, state.options[0], home, WorkbenchParams())
    state.sounds[0] = LongSound(heard.path)
    picture = PlanPicture(state)
    picture.show()
    music = picture.figure.select_one({"name": "music"}).data_source
    assert 500 < music.data["x"].size <= 4000
    picture.view.update(start=100.0, end=101.0)
    picture.show_view()
    near = music.data["x"]
    assert near.size <= 4000
    assert np.median(np.diff(near)) < 0.002


def test_a_seam_is_looked_at_heard_and_changed(home: Home, loop: Loop) -> None:
    assert isinstance(loop.answer, LoopPlan)
    state = SeamState(home)
    state.take(loop)
    look = look_at_seam(loop, loop.answer, 0, home, WorkbenchParams())
    assert len(look.scores) == state.count
    assert min(look.scores) == pytest.approx(loop.answer.seam_score, abs=1e-4)
    assert {path.suffix for path in (look.heard, look.cut, look.left, look.entered)} == {".wav"}
    assert len({look.heard, look.cut, look.left, look.entered}) == 4, "four different sounds"
    state.try_fade(0.3, 0.5)
    assert state.plan is not None
    again = look_at_seam(loop, state.plan, 0, home, WorkbenchParams())
    assert again.heard != look.heard
    assert again.view.fade_seconds == 0.3
    with pytest.raises(PlanError, match="exponent"):
        state.try_fade(0.3, 2.0)
    served = with_option_first(loop, state.plan).answer
    assert isinstance(served, LoopPlan)
    assert served.seam_fades[0] == 0.3
    assert served.options[0] == served.alone
    assert len(served.options) == len(loop.answer.options)


def test_a_verdict_keeps_the_fade_that_was_heard(home: Home, loop: Loop) -> None:
    assert isinstance(loop.answer, LoopPlan)
    state = SeamState(home)
    state.take(loop)
    state.try_fade(0.25, 0.75)
    assert state.plan is not None
    state.judge(look_at_seam(loop, state.plan, 0, home, WorkbenchParams()), "audible", "a breath is cut")
    kept = state.verdicts()[-1]
    assert (kept.verdict, kept.note) == ("audible", "a breath is cut")
    assert (kept.seam["fade"], kept.seam["exponent"]) == (0.25, 0.75)


def test_a_plan_can_be_taken_away_in_every_format(home: Home, loop: Loop, tmp_path: Path) -> None:
    from workbench.dashboards.downloads import download_file, offered

    for name, *_ in offered(loop):
        path = download_file(loop, name, home, WorkbenchParams())
        assert path.stat().st_size > 0
    assert offered(None) == []
