"""Looking at seams, judging and mending them, without a browser: the plan of a bundled track for a length of time."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.workbench.dashboards.waiting import CollectingPool, WaitingPool, until_idle
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.plan import played_plan, track_file
from workbench.dashboards.sounds.seam import SeamLook, look_at_seam, with_option_first
from workbench.dashboards.tabs.seams import SeamsTab, SeamState
from workbench.dashboards.views import LongSound
from workbench.errors import PlanError, Sentence
from workbench.params import WorkbenchParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import LOOP_ALONE
from workbench.review.verdicts import newest_verdicts
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track


@pytest.fixture(scope="module")
def home(corner_home: Home) -> Home:
    """Of the plan."""
    return corner_home


@pytest.fixture(scope="module")
def loop(corner_loop: Planned) -> Planned:
    """A plan with three seams."""
    return corner_loop


@pytest.fixture(scope="module")
def look(corner_look: SeamLook) -> SeamLook:
    """Its first seam."""
    return corner_look


@pytest.fixture
def state(home: Home, loop: Planned) -> SeamState:
    state = SeamState(Workspace(home))
    state.take(loop)
    return state


@pytest.fixture
def session(home: Home, pool: CollectingPool, loop: Planned) -> Session:
    """A page on the plan."""
    session = Session(Workspace(home), pool=pool)
    session.loop = loop
    return session


@pytest.fixture
def tab(session: Session) -> SeamsTab:
    """The tab, its first seam looked at."""
    tab = SeamsTab(session)
    until_idle(session)
    return tab


def test_scores_are_known_before_a_seam_was_listened_to(state: SeamState, look: SeamLook, loop: Planned) -> None:
    assert state.scores == pytest.approx(look.scores, abs=1e-9)
    assert state.worst is not None
    assert state.scores[state.worst] == pytest.approx(loop.plan.seam_score, abs=1e-4)


def test_a_verdict_is_about_each_seam_that_is_the_same_splice(state: SeamState, loop: Planned, look: SeamLook) -> None:
    assert loop.analysis is not None
    longer = plan_loop(loop.analysis.profile, 900.0)
    assert isinstance(longer, LoopPlan)
    state.take(replace(loop, answer=longer, video=None, video_seconds=900.0))
    splices = [(left.song_to, entered.song_from) for left, entered in pairwise(longer.segments)]
    same = next([n for n, other in enumerate(splices) if other == one] for one in splices if splices.count(one) > 1)
    state.seam = same[1]
    assert state.alike == same
    state.judge(look, "wrong", "")
    assert [n for n, word in enumerate(state.words) if word == "wrong"] == same


def test_a_shorter_plan_keeps_to_its_last_seam(state: SeamState, loop: Planned) -> None:
    state.seam = 99
    state.take(loop)
    assert state.seam == state.count - 1
    state.take(None)
    assert (state.plan, state.count, state.seam, state.worst) == (None, 0, 0, None)


def test_a_track_that_is_not_looped_has_no_controls_of_a_seam(tab: SeamsTab, loop: Planned) -> None:
    assert tab.one.visible
    tab._session.loop = replace(loop, answer=Refusal(RefusalReason.NO_VIABLE_LOOP, Sentence("no two bars go together")))
    assert (tab.one.visible, tab.none.visible) == (False, True)
    assert "not looped under this video" in tab.none.object
    tab._session.loop = loop
    assert tab.one.visible


def test_a_crossfade_that_is_tried_is_heard_and_served_once_it_is_used(
    state: SeamState, look: SeamLook, loop: Planned, home: Home
) -> None:
    state.try_fade(0.3, 0.5)
    assert state.plan is not None
    again = look_at_seam(Workspace(home, WorkbenchParams()), loop, state.plan, 0)
    assert (again.view.fade_seconds, look.view.fade_seconds) == (0.3, loop.plan.seam_fades[0])
    served = with_option_first(loop, state.plan).answer
    assert isinstance(served, LoopPlan)
    assert served.seam_fades[0] == 0.3
    assert served.seam_fades[1:] == loop.plan.seam_fades[1:]
    assert len(served.options) == len(loop.plan.options)


def test_a_crossfade_without_room_is_refused_and_the_plan_stays(state: SeamState) -> None:
    before = state.plan
    with pytest.raises(PlanError, match="exponent"):
        state.try_fade(0.3, 2.0)
    with pytest.raises(PlanError):
        state.try_fade(1000.0, 0.5)
    assert state.plan == before


def test_a_verdict_keeps_the_fade_that_was_heard(state: SeamState, look: SeamLook) -> None:
    state.try_fade(0.25, 0.75)
    state.judge(look, "audible", "a breath is cut")
    kept = newest_verdicts(state.workspace)[-1]
    assert (kept.verdict, kept.note) == ("audible", "a breath is cut")
    assert (kept.seam["fade"], kept.seam["exponent"]) == (0.25, 0.75)
    assert kept.seam["score"] == pytest.approx(look.view.score)


def test_the_tab_shows_what_a_seam_is(tab: SeamsTab) -> None:
    assert tab.look is not None
    assert tab.words.object.startswith(f"Seam 1 of {tab.state.count}:")
    assert tab.chips.seam == 0


def test_stepping_and_the_worst_are_known_to_the_other_tabs(tab: SeamsTab, session: Session) -> None:
    tab.step(1)
    assert session.seam == 1
    tab.go_to_worst()
    assert session.seam == tab.state.worst
    session.seam = 2
    until_idle(session)
    assert tab.state.seam == 2
    assert tab.words.object.startswith(f"Seam 3 of {tab.state.count}:")


def test_a_seam_that_only_the_coming_plan_has_is_looked_at_once_it_is_there(
    tab: SeamsTab, session: Session, loop: Planned, home: Home
) -> None:
    few = plan_track(Workspace(home), loop.track, 150.0, LOOP_ALONE)
    last = len(loop.plan.seam_times) - 1
    assert len(few.plan.seam_times) <= last
    session.loop = few
    session.seam = last
    session.loop = loop
    until_idle(session)
    assert tab.state.seam == session.seam == last
    assert tab.words.object.startswith(f"Seam {last + 1} of")


def test_a_fade_is_tried_used_and_left_behind(tab: SeamsTab, session: Session) -> None:
    tab.try_fade(0.2, 0.5)
    until_idle(session)
    assert _fade_of_the_plan(session) != 0.2, "tried only"
    assert not tab.use.disabled
    tab.use_fade()
    until_idle(session)
    assert _fade_of_the_plan(session) == 0.2
    assert tab.chips.fades[0] == 0.2
    assert tab.use.disabled
    assert "200 ms" in tab.used.object
    tab.try_fade(0.4, 0.5)
    tab.step(1)
    until_idle(session)
    assert _fade_of_the_plan(session) == 0.2
    assert tab.use.disabled


def test_the_browser_has_what_a_crossfade_is_made_of(tab: SeamsTab, session: Session) -> None:
    until_idle(session)
    assert tab.player.played == {}, "the track is not there to be played yet"
    plan, loop = tab.state.plan, tab.state.loop
    assert plan is not None
    assert loop is not None
    session.track_sound = LongSound(track_file(session.workspace, loop.track.path))
    played = tab.player.played
    assert (played["seam"], played["plan"]) == (0, played_plan(plan, session.track_sound.sample_rate))
    assert [played["from"], played["to"]] == pytest.approx(
        [plan.seam_times[0] - 2.0, plan.seam_times[0] + 2.0], abs=1e-3
    )
    tab.step(1)
    until_idle(session)
    assert tab.player.played["seam"] == 1


def _fade_of_the_plan(session: Session) -> float:
    assert session.plan is not None
    return session.plan.seam_fades[0]


def test_a_fade_that_cannot_be_is_told_and_the_handles_go_back(tab: SeamsTab, session: Session) -> None:
    before, handles = tab.player.fade, tab.player.refused
    tab.try_fade(0.2, 3.0)
    assert "exponent" in session.message
    assert (tab.player.fade, tab.player.refused) == (before, handles + 1)


def test_verdicts_come_out_as_csv(tab: SeamsTab) -> None:
    tab.note.value = "a click at the hi-hat"
    tab.judge("wrong")
    rows = list(csv.DictReader(tab.as_csv()))
    assert (rows[-1]["verdict"], rows[-1]["note"]) == ("wrong", "a click at the hi-hat")
    assert np.isfinite(float(rows[-1]["score"]))


def test_a_verdict_and_its_note_belong_to_their_seam(
    tab: SeamsTab, session: Session, loop: Planned, home: Home
) -> None:
    tab.go(1)
    until_idle(session)
    tab.judge("audible")
    tab.note.value = "the snare comes twice"
    tab.go(0)
    until_idle(session)
    assert tab.note.value != "the snare comes twice"
    rows = [row for row in csv.DictReader(tab.as_csv()) if row["note"] == "the snare comes twice"]
    assert [row["verdict"] for row in rows] == ["audible"]
    again = SeamsTab(session)
    until_idle(session)
    again.go(1)
    until_idle(session)
    assert again.chips.verdicts[1] == "audible"
    assert again.note.value == "the snare comes twice"
    assert {word: button.variant for word, button in again.judgements.items()} == {
        "good": "outlined", "audible": "contained", "wrong": "outlined"
    }  # fmt: skip


def test_a_verdict_waits_until_its_seam_can_be_heard(home: Home, loop: Planned, look: SeamLook) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.loop = loop
    tab = SeamsTab(session)
    before = newest_verdicts(session.workspace)
    tab.judge("good")
    assert newest_verdicts(session.workspace) == before
    assert tab.outcome.object == "a verdict can be given once this seam can be played"
    assert (tab.waiting.visible, tab.waiting.words, tab.pictures.visible) == (True, "Seam 1 is being drawn.", False)
    pool.finish(-1, look)
    assert (tab.waiting.visible, tab.pictures.visible) == (False, True)
    tab.judge("good")
    assert newest_verdicts(session.workspace) != before
    tab.go(1)
    tab.judge("wrong")
    assert "" in tab.state.words[1:], "what is drawn is still the seam before"
    assert (tab.waiting.visible, tab.pictures.visible) == (False, True)


def test_what_stands_for_a_seam_goes_where_it_cannot_be_drawn(home: Home, loop: Planned) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.loop = loop
    tab = SeamsTab(session)
    pool.fail(-1, "the track cannot be read")
    assert (tab.waiting.visible, tab.pictures.visible) == (False, False)


def test_a_crossfade_that_was_tried_outlives_another_mix(tab: SeamsTab, session: Session, loop: Planned) -> None:
    tab.try_fade(0.2, 0.5)
    until_idle(session)
    session.loop = replace(loop)
    assert tab.state.changed is not None
    assert not tab.use.disabled


def test_a_note_before_its_verdict_waits_at_its_seam(tab: SeamsTab, session: Session) -> None:
    tab.go(2)
    until_idle(session)
    tab.note.value = "listen again"
    tab.go(0)
    until_idle(session)
    assert tab.note.value != "listen again"
    tab.go(2)
    assert tab.note.value == "listen again"
    until_idle(session)


def test_a_straight_plan_says_that_it_has_no_seam(session: Session, corner_fit: Planned) -> None:
    tab = SeamsTab(session)
    until_idle(session)
    session.show(corner_fit)
    until_idle(session)
    assert tab.none.object == "This plan has no seam: it plays the track straight."
    assert (tab.none.visible, tab.one.visible) == (True, False)
    assert (tab.player.played, tab.chips.scores, tab.look) == ({}, [], None)
    tab.step(1)
    tab.go_to_worst()
    tab.judge("good")
    assert tab.outcome.object == "there is no seam to judge"
    cut = next(option for option in corner_fit.plan.options if option.seam_times)
    session.show(with_option_first(corner_fit, cut))
    until_idle(session)
    assert tab.words.object.startswith(f"Seam 1 of {len(cut.seam_times)}")
    assert (tab.none.visible, tab.one.visible) == (False, True)
    assert tab.look is not None


def test_a_verdict_is_of_the_crossfade_that_was_heard_and_of_its_reviewer(session: Session, tab: SeamsTab) -> None:
    session.reviewer = "Ana"
    tab.judge("audible")
    assert tab.state.words[0] == "audible"
    tab.try_fade(0.25, 0.5)
    until_idle(session)
    assert tab.state.words[0] == ""
    tab.judge("good")
    assert tab.state.words[0] == "good"
    session.reviewer = "Ben"
    assert tab.state.words[0] == ""
    session.reviewer = "Ana"
    assert tab.state.words[0] == "good"
    tab.state.changed = None
    assert tab.state.words[0] == "audible"
    kept = [(one.reviewer, one.verdict) for one in newest_verdicts(session.workspace) if one.reviewer == "Ana"]
    assert kept == [("Ana", "audible"), ("Ana", "good")]
