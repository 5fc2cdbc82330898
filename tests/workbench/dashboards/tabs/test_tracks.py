"""Tracks under one video, without a browser: chosen from the catalog, equally loud, kept, and used."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import DirectPool, WaitingPool
from workbench.analysis.sources import open_library
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.plan import played_plan
from workbench.dashboards.sounds.tracks import mix_stacked, stack_loop, stack_track
from workbench.dashboards.sounds.video import playback_facts
from workbench.dashboards.tabs.compared import compared_tracks
from workbench.dashboards.tabs.tracks import StackTab
from workbench.params import DuckParams, RenderParams
from workbench.review.projects import load_revision, restore_loop
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track


@pytest.fixture
def pool() -> DirectPool:
    return DirectPool(mix_stacked, stack_loop, stack_track, restore_loop, plan_track, playback_facts)


@pytest.fixture
def session(corner_home: Home, corner_fit: Planned, pool: DirectPool, tmp_path: Path) -> Session:
    """A page on a track that was fitted to a minute, in a home of its own."""
    shutil.copytree(corner_home.root, tmp_path / "home", ignore=shutil.ignore_patterns("workbench.sqlite*"))
    session = Session(Workspace(Home(tmp_path / "home")), pool=pool)
    session.show(corner_fit)
    return session


@pytest.fixture
def other(session: Session, tmp_path: Path) -> str:
    """The same music as another track of the catalog."""
    assert session.track is not None
    copy = tmp_path / "copy.ogg"
    shutil.copy(session.track.path, copy)
    return open_library(session.workspace).add(copy).track_id


def ask(tab: StackTab, what: str, which: object) -> None:
    tab.board.asked = [what, which, len(tab.board.asked) + 1]


def test_a_track_of_the_catalog_is_stacked_and_kept(session: Session, other: str) -> None:
    tab = StackTab(session)
    assert session.loop is not None
    (own,) = tab.board.tracks
    assert own["own"]
    assert tab.player.plan_a == played_plan(session.loop.plan.alone, tab.player.plan_a["rate"])
    assert own["seams"] == list(session.loop.plan.seam_times)
    assert tab.board.duration == tab.player.duration == pytest.approx(60.0, abs=1e-3)
    assert tab.player.soundtrack
    assert tab.player.video_url
    tab.board.wanted = ["", 1]
    assert tab.board.found[0][0][0] == other
    ask(tab, "add", other)
    assert [track["ready"] for track in tab.board.tracks] == [True, True]
    assert tab.player.gain_b_db == pytest.approx(tab.player.gain_a_db, abs=0.3), "the same music is as loud"
    tab.board.wanted = ["", 2]
    assert tab.board.found == [[], 2], "what is compared is not offered again"
    assert session.project is not None
    assert load_revision(session.workspace, session.project.project_id)[1]["stack"] == list(compared_tracks(session))
    assert session.history[-1].words.endswith("is compared")
    session.undo()
    assert len(tab.board.tracks) == 1
    assert tab.player.music_b == ""
    session.redo()
    ask(tab, "remove", other)
    assert len(tab.board.tracks) == 1


def test_the_track_that_is_heard_stays_when_rows_move(session: Session, other: str) -> None:
    tab = StackTab(session)
    ask(tab, "add", other)
    ask(tab, "hear", other)
    assert (tab.player.chosen, tab.board.chosen) == ("b", 1)
    session.stack = compared_tracks(session)[::-1]
    assert (tab.player.chosen, tab.board.chosen) == ("a", 0)
    ask(tab, "remove", other)
    assert [tab.board.tracks[tab.board.chosen]["own"], tab.player.chosen] == [True, "a"]


def test_the_tuned_mix_of_the_own_track_is_heard(session: Session) -> None:
    tab = StackTab(session)
    session.envelope = ((1.0, 6.0),)
    assert tab.player.duck_a == [[1.0, 6.0]]
    assert session.loop is not None
    assert session.loop.mix is not None
    assert session.loop.mix.music_gain_db is not None
    before = tab.player.gain_a_db
    session.loop = replace(
        session.loop, mix=replace(session.loop.mix, music_gain_db=session.loop.mix.music_gain_db - 2)
    )
    assert tab.player.gain_a_db == pytest.approx(before - 2.0)


def test_a_track_that_is_used_becomes_the_page_s_own_and_the_comparison_stays(session: Session, other: str) -> None:
    tab = StackTab(session)
    ask(tab, "add", other)
    first, slots = session.project, compared_tracks(session)
    ask(tab, "use", other)
    assert session.track is not None
    assert session.track.track_id == other
    assert session.project != first
    assert compared_tracks(session) == slots
    assert [track["own"] for track in tab.board.tracks] == [False, True]
    assert session.project is not None
    assert load_revision(session.workspace, session.project.project_id)[1]["stack"] == list(slots)


def test_other_parameters_of_the_mix_reach_every_track(session: Session, pool: DirectPool, other: str) -> None:
    tab = StackTab(session)
    ask(tab, "add", other)
    duck = tab.player.duck_b
    pool.done.clear()
    session.params = session.params.model_copy(update={"duck": DuckParams(under_voice_lu=20.0)})
    assert pool.done == [mix_stacked], "it is balanced anew, not planned anew"
    assert tab.player.duck_b != duck
    session.params = session.params.model_copy(update={"render": RenderParams(ducking="bands")})
    assert pool.done == [mix_stacked]
    session.params = session.params.model_copy(update={"duck": DuckParams(), "render": RenderParams()})
    assert tab.player.duck_b == duck


def test_a_track_is_used_with_the_envelope_that_it_was_heard_with(session: Session, other: str) -> None:
    tab = StackTab(session)
    ask(tab, "add", other)
    session.envelope = ((1.0, 6.0),)
    assert [tab.player.duck_a, tab.player.duck_b] == [[[1.0, 6.0]]] * 2
    ask(tab, "use", other)
    assert session.envelope == ((1.0, 6.0),)
    assert [tab.player.duck_a, tab.player.duck_b] == [[[1.0, 6.0]]] * 2
    assert session.project is not None
    assert load_revision(session.workspace, session.project.project_id)[1]["envelope"] == [[1.0, 6.0]]
    assert session.loop is not None
    assert tab.board.duration == session.loop.video_seconds


def test_a_row_that_has_gone_is_not_asked_for_and_paths_are_not_shown(session: Session, other: str) -> None:
    tab = StackTab(session)
    ask(tab, "add", other)
    ask(tab, "remove", other)
    ask(tab, "remove", other)
    ask(tab, "use", other)
    assert [track["own"] for track in tab.board.tracks] == [True]
    assert session.track is not None
    assert "/" not in tab.board.tracks[0]["id"]


def test_a_track_that_could_not_be_stacked_is_tried_again_when_it_is_added_again(
    corner_home: Home, corner_fit: Planned, tmp_path: Path
) -> None:
    pool = WaitingPool()
    session = Session(Workspace(Home(tmp_path)), pool=pool)
    session.show(corner_fit)
    tab = StackTab(session)

    def asked() -> list[int]:
        return [at for at, task in enumerate(pool.tasks) if task.function is stack_track]

    ask(tab, "add", "another")
    (first,) = asked()
    pool.cancel(first)
    assert tab.board.tracks[1]["words"] == "it was cancelled"
    assert asked() == [first], "it is not tried again by itself"
    ask(tab, "remove", "another")
    ask(tab, "add", "another")
    assert tab.board.tracks[1]["words"] == "being planned"
    assert len(asked()) == 2


def test_what_cannot_be_planned_is_said_and_nothing_is_shown_without_a_video(
    corner_home: Home, corner_fit: Planned, tmp_path: Path
) -> None:
    pool = WaitingPool()
    session = Session(Workspace(Home(tmp_path)), pool=pool)
    tab = StackTab(session)
    assert (tab.board.visible, tab.none.visible) == (False, True)
    session.show(corner_fit)
    assert tab.board.visible
    assert tab.board.tracks[0]["words"] == "being planned"
    (asked,) = [at for at, task in enumerate(pool.tasks) if task.function is stack_loop]
    pool.fail(asked, "it cannot be read")
    assert tab.board.tracks[0]["words"] == "it cannot be read"
    assert not tab.board.tracks[0]["ready"]
    assert not tab.player.ready
