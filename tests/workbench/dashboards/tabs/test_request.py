"""What is asked of the plan on the Plan tab, without a browser: buttons, chips, a seam that is moved."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import CollectingPool, WaitingPool, until_idle
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.plan import played_plan, render_option
from workbench.dashboards.sounds.seam import with_option_first
from workbench.dashboards.tabs.plan import PlanTab
from workbench.plans.hits import hit_distance
from workbench.plans.move_seam import move_seam
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture
def tab(tide_home: Home, tide_loop: Planned, pool: CollectingPool, tmp_path: Path) -> Iterator[PlanTab]:
    """The tab on a plan, in a home of its own: its project is saved there."""
    shutil.copytree(tide_home.root, tmp_path / "home")
    session = Session(Workspace(Home(tmp_path / "home")), pool=pool)
    session.show(tide_loop)
    made = PlanTab(session)
    until_idle(session)
    yield made
    session.cancel()
    until_idle(session)


def ask(tab: PlanTab, *what: object) -> None:
    tab.editor.panel.asked = [*what, len(tab.editor.panel.asked) + 1]
    until_idle(tab._session)


@pytest.mark.slow
def test_a_time_is_the_one_at_which_the_button_was_pressed(tab: PlanTab) -> None:
    tab.player.time = 4.0
    ask(tab, "start_at", 4.2004)
    assert tab._session.request.start_at == 4.2
    ask(tab, "start_at", None)
    assert tab._session.request.start_at == 4.0


def test_what_came_too_late_is_of_another_plan(tide_home: Home, tide_loop: Planned, tmp_path: Path) -> None:
    """Its places are not shown, and its option is not used, while the tab is hidden and has not caught up."""
    pool = WaitingPool()
    session = Session(Workspace(Home(tmp_path / "home")), pool=pool)
    session.show(tide_loop)
    tab = PlanTab(session)
    tab.pick(1, "use")
    first, second = [at for at, task in enumerate(pool.tasks) if task.function is render_option]
    tab.show_tab(shown=False)
    newer = with_option_first(tide_loop, tide_loop.plan.options[2])
    session.show(newer)
    workspace = Workspace(tide_home)
    pool.finish(first, render_option(workspace, tide_loop, tide_loop.plan.alone, session.request.constraints))
    pool.finish(second, render_option(workspace, tide_loop, tide_loop.plan.options[1]))
    assert (session.plan, session.places) == (newer.answer, None)


def test_while_another_option_plays_nothing_is_asked_of_the_plan(tab: PlanTab) -> None:
    plan = tab.state.plan
    assert plan is not None
    tab.pick(1, "b")
    assert tab.editor.panel.other == 2
    assert not tab.picture.hand.seams, "they cannot be dragged either"
    tab.pick(0, "a")
    assert tab.editor.panel.other == 0
    assert tab.picture.hand.seams == list(plan.seam_times)


def test_a_stretch_that_is_excluded_is_a_chip_that_drops_it(tab: PlanTab) -> None:
    panel, session = tab.editor.panel, tab._session
    tab.editor.select_region([10.0, 12.0])
    assert len(panel.stretch) == 2
    ask(tab, "never_cut", "-".join(panel.stretch))
    ((label, said),) = panel.constraints
    assert said.startswith("never cut")
    assert session.request.constraints.never_cut
    ask(tab, "drop", label)
    assert panel.constraints == []
    ask(tab, "exclude", "nonsense")
    assert "nonsense" in session.message


def test_a_seam_is_pinned_let_go_of_and_moved(tab: PlanTab) -> None:
    panel, session = tab.editor.panel, tab._session
    ask(tab, "pin", 0)
    assert panel.pinned
    ask(tab, "pin", 0)
    assert not panel.pinned
    place = next(place for place in panel.places if place["bars"] and not place["obstacle"])
    ask(tab, "move", 0, place["bars"])
    assert session.plan is not None
    assert session.plan.seam_times[0] == pytest.approx(place["at"], abs=0.012)
    assert panel.pinned
    assert tab.picture.hand.seams == list(session.plan.seam_times)


@pytest.mark.slow
def test_a_flag_is_dragged_to_where_the_track_arrives(tab: PlanTab) -> None:
    hand, session = tab.picture.hand, tab._session
    assert hand.hits == [0.0], "one waits to be dragged"
    hand.update(landed=[3, 28.0, 1])
    assert hand.hits == [28.0], "it stays where it was let go of while a plan is made"
    tab.editor.panel.asked = ["never_cut", "0:01-0:02", 1]
    hand.update(landed=[0, 31.4, 2])
    until_idle(session)
    said = {words for _, words in tab.editor.panel.constraints}
    assert said == {"never cut 0:01 to 0:02 of the track", "hit at 0:31.4"}, "nothing is lost that was asked between"
    assert hand.hits == [31.4]
    ask(tab, "hit", 32.0)
    (hit,) = session.request.hits
    assert hit.at == 32.0, "a second press moves it"
    assert session.plan is not None
    assert abs(hit_distance(session.plan, hit) or 0.0) <= 0.02
    session.undo()
    until_idle(session)
    assert hand.hits == [31.4]


def test_a_seam_that_is_dragged_is_heard_at_each_place(tab: PlanTab) -> None:
    sound, hand, session = tab.editor.sound, tab.picture.hand, tab._session
    before, place = session.plan, next(place for place in tab.editor._places[0] if place.bars and not place.obstacle)
    assert before is not None
    assert session.places is not None
    moved = move_seam(session.places.profile, before, 0, place.bars, session.params.cover)
    assert moved.seam_times[0] == pytest.approx(place.at, abs=0.012)
    hand.update(heard=[0, place.bars, 1])
    assert session.track_sound is not None
    assert sound.plan == played_plan(moved, session.track_sound.sample_rate)
    assert sound.stretch[0] < place.at < sound.stretch[1]
    assert sound.music == session.url_of(session.track_sound.path)
    for nowhere in (99, None):
        asked = sound.asked
        hand.update(heard=[0, nowhere, asked + 1])
        assert (sound.plan, sound.asked) == ({}, asked + 1), "silence where it cannot be"
    assert session.plan == before, "nothing is planned until it is let go of"


def test_what_contradicts_is_said_and_given_up_at_a_button(tab: PlanTab) -> None:
    panel, session = tab.editor.panel, tab._session
    before = session.plan
    assert before is not None
    end = int(before.song_duration)
    ask(tab, "never_cut", f"0:00-{end // 60}:{end % 60:02d}")
    ((label, _),) = panel.clashing
    assert "cannot be kept" in panel.fault
    assert session.plan == before
    ask(tab, "give_up", label)
    assert panel.fault == ""
    assert panel.constraints == []


@pytest.mark.parametrize("end", ["failed", "cancelled"])
def test_places_that_are_not_found_are_not_waited_for(tide_loop: Planned, tmp_path: Path, end: str) -> None:
    pool = WaitingPool()
    session = Session(Workspace(Home(tmp_path)), pool=pool)
    session.show(tide_loop)
    panel = PlanTab(session).editor.panel
    assert panel.waiting == "listening around it…"
    (asked,) = [at for at, task in enumerate(pool.tasks) if task.function is render_option]
    if end == "failed":
        pool.fail(asked, "no such file")
    else:
        pool.cancel(asked)
    assert panel.waiting == f"it cannot be moved: listening around it {end if end == 'failed' else 'was cancelled'}"
