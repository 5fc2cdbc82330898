"""What the Plan tab shows and hears, without a browser: one plan of a bundled track under a length of video."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import CollectingPool, WaitingPool, until_idle
from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.downloads import download_label
from workbench.dashboards.sounds.plan import load_video
from workbench.dashboards.tabs.plan import PlanTab
from workbench.errors import Sentence
from workbench.mix.balance import Duck, Mix
from workbench.params import CoverParams, DuckParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan, PlanKind
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture
def home(tide_home: Home) -> Home:
    """Of the plan."""
    return tide_home


@pytest.fixture
def loop(tide_loop: Planned) -> Planned:
    """A plan with several options."""
    return tide_loop


@pytest.mark.slow
def test_a_look_at_another_option_leaves_the_plan_in_use(home: Home, loop: Planned, pool: CollectingPool) -> None:
    session = Session(Workspace(home), pool=pool)
    session.loop = loop
    tab = PlanTab(session)
    tab.pick(1, "b")
    assert "option 2" in tab.chips.ask
    tab.look_at(1)
    assert (session.loop, session.seam, session.tab) == (loop, 0, "")
    assert (tab.state.b, tab.state.shown) == (1, 1)
    assert "Option 2 plays" in download_label(session.loop, session.option)
    until_idle(session)
    tab.chips.asked += 1
    assert session.plan is not None
    assert session.plan.alone == loop.plan.options[1]
    assert tab.chips.ask == ""
    assert tab.state.options == loop.plan.options, "they keep their places, and so their numbers"
    assert (tab.cards.used, tab.cards.shown, session.option) == (1, 1, 1)
    assert "option 2, the plan in use" in download_label(session.loop, session.option)
    tab.look_at(1)
    assert (session.seam, session.tab) == (1, "Seams")
    session.cancel()
    until_idle(session)


@pytest.mark.slow
def test_another_mix_leaves_the_comparison_of_options_as_it_is(home: Home, loop: Planned, pool: CollectingPool) -> None:
    """Letting go of a slider in the Mix tab is no reason to hear another option, or to stop."""
    session = Session(Workspace(home), pool=pool)
    session.show(loop)
    tab = PlanTab(session)
    tab.pick(1, "b")
    until_idle(session)
    names = ("music_a", "music_b", "plan_a", "plan_b")
    heard = {**{name: getattr(tab.player, name) for name in names}, "chosen": "b", "region": [10.0, 20.0]}
    assert heard["music_a"] == heard["music_b"] != "", "the track itself is played"
    assert heard["plan_a"] != heard["plan_b"] != {}
    tab.player.param.update(region=[10.0, 20.0], playing=True)
    points = ((4.0, 0.0), (5.0, 8.0), (10.0, 8.0), (11.0, 0.0))
    duck = Duck(points, envelope_hz=100, speech_ranges=((5.0, 10.0),), depth_db=8.0, attack_ms=100, release_ms=500)
    quieter = Mix(True, "voice", -3.0, 0.0, duck)
    unloaded: list[str] = []
    tab.player.param.watch(
        lambda *events: unloaded.extend(event.name for event in events), [*names, "chosen", "playing"]
    )
    before = tab.state.balanced(1)
    session.loop = replace(loop, mix=quieter)
    assert tab.player.gain_a_db == -3.0
    until_idle(session)
    assert tab.state.balanced(1) not in (None, before), "the other option is balanced anew"
    assert unloaded == []
    assert {name: getattr(tab.player, name) for name in heard} == heard
    assert (tab.player.playing, tab.cards.b, tab.cards.shown, tab.state.outdated) == (True, 1, 1, set())


@pytest.mark.slow
def test_an_option_that_is_used_records_what_its_mix_was_made_with(
    corner_home: Home, corner_fit: Planned, pool: CollectingPool
) -> None:
    session = Session(Workspace(corner_home), pool=pool)
    session.loop = corner_fit
    session.params = session.params.model_copy(update={"duck": DuckParams(attack_ms=77)})
    assert session.loop.provenance == corner_fit.provenance
    tab = PlanTab(session)
    tab.pick(1, "b")
    until_idle(session)
    tab.chips.asked += 1
    assert session.loop.mix is not None
    assert session.loop.mix.duck is not None
    assert session.loop.mix.duck.attack_ms == 77.0
    assert session.loop.provenance is not None
    assert session.loop.provenance.params["duck"] == {"attack_ms": 77.0}
    session.cancel()
    until_idle(session)


def test_a_soundtrack_that_was_made_for_another_track_comes_too_late(
    corner_home: Home, corner_fit: Planned, tmp_path: Path
) -> None:
    """It has the sample rate of that track."""
    workspace, pool = Workspace(corner_home), WaitingPool()
    assert corner_fit.video is not None
    session = Session(workspace, pool=pool)
    session.show(corner_fit)
    tab = PlanTab(session)
    copy = tmp_path / "another.ogg"
    shutil.copy(corner_fit.track.path, copy)
    session.show(replace(corner_fit, track=find_track(workspace, str(copy))))
    first, second = [at for at, task in enumerate(pool.tasks) if task.function is load_video]
    loaded = load_video(workspace, corner_fit.video, corner_fit.track.path)
    pool.finish(first, loaded)
    assert tab.state.video is None
    pool.finish(second, loaded)
    assert tab.state.video is loaded


def test_the_page_says_what_is_heard_again_and_again(home: Home, loop: Planned, pool: CollectingPool) -> None:
    session = Session(Workspace(home), pool=pool)
    tab = PlanTab(session)
    session.loop = loop
    assert not tab.repeated.visible
    assert loop.analysis is not None
    hour = plan_loop(loop.analysis.profile, 3600.0, CoverParams(max_plays_over_mean=1.0))
    assert isinstance(hour, LoopPlan)
    strict = session.params.cover.model_copy(update={"max_plays_over_mean": 1.0})
    session.params = session.params.model_copy(update={"cover": strict})
    session.loop = replace(loop, answer=hour, video=None, video_seconds=3600.0)
    assert tab.repeated.visible
    assert "Repetition: " in tab.repeated.object
    assert tab.repeated.object.endswith(".")
    session.loop = None
    assert not tab.repeated.visible
    session.cancel()
    until_idle(session)


def test_an_empty_page_says_what_is_coming_and_then_shows_it(home: Home, loop: Planned, pool: CollectingPool) -> None:
    session = Session(Workspace(home), pool=pool)
    tab = PlanTab(session)
    assert tab.empty.visible
    job = session.open_demo()
    assert "The first start takes" in tab.empty.object
    assert tab.progress.visible
    session.cancel()
    pool.finish(job)
    session.loop = replace(
        loop, answer=Refusal(RefusalReason.LOW_CONFIDENCE, Sentence("Its bars are too unsure to cut at."))
    )
    assert "too unsure" in tab.empty.object
    session.loop = loop
    assert not tab.empty.visible
    assert not tab.progress.visible
    session.cancel()
    until_idle(session)


@pytest.mark.slow
def test_a_refused_track_is_fitted_by_a_button_and_shown_with_its_options(
    corner_home: Home, corner_fit: Planned, pool: CollectingPool
) -> None:
    session = Session(Workspace(corner_home), pool=pool)
    tab = PlanTab(session)
    assert not tab.offer.visible
    assert corner_fit.video is not None
    session.open_new(corner_fit.track.path, corner_fit.video)  # other pages of this home may have kept a plan of them
    until_idle(session)
    assert "Play the track straight" in tab.empty.object
    assert tab.player.duration == 60.0
    assert tab.player.soundtrack.endswith(".wav"), "the video stays to be seen and heard"
    assert (tab.help.visible, tab.player.music_a) == (True, "")
    assert tab.offer.visible
    tab.fit.clicks += 1
    assert not tab.offer.visible
    assert "Fitting the track to this video" in tab.empty.object
    until_idle(session)
    assert not tab.empty.visible
    assert not tab.offer.visible
    assert session.plan == corner_fit.answer
    words = [card["words"] for card in tab.cards.options]
    assert words[0].startswith("no seam · straight plan · ")
    assert any("leaves out " in card for card in words)
    assert tab.player.duration == pytest.approx(60.0, abs=1e-3)
    assert tab.player.music_a
    assert tab.player.duck_a, "somebody speaks in the video"
    assert tab.chips.scores == []
    seams = [len(option.seam_times) for option in corner_fit.plan.options]
    cut = next(number for number, count in enumerate(seams) if count)
    tab.pick(cut, "use")
    until_idle(session)
    assert session.plan is not None
    assert session.plan.kind is PlanKind.CUT_DOWN
    assert len(tab.chips.scores) == seams[cut]
    assert session.loop is not None
    assert not session.loop.request.only_loop
