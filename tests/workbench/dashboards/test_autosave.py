"""A page's work is kept as it is done, opens again as it was left, and is undone and done again; without a browser."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.dashboards.conftest import copy_home
from tests.workbench.dashboards.waiting import DirectPool, WaitingPool
from workbench.analysis.grids import corrected_grid, delete_grid, save_grid
from workbench.analysis.provenance import Provenance, with_mix_params
from workbench.analysis.sources import find_track
from workbench.analysis.track import Analysis, analyze
from workbench.analysis.workspace import Workspace
from workbench.beats.corrections import shift_bar
from workbench.cli.plan_files import read_music, resolve_music
from workbench.cli.plan_options import AskedMusic
from workbench.dashboards.actions import Session
from workbench.dashboards.autosave import params_words, request_words
from workbench.dashboards.downloads import download_file
from workbench.dashboards.sounds.seam import SeamLook, with_fade, with_option_first
from workbench.mix.balance import Mix
from workbench.params import DuckParams, RenderParams, WorkbenchParams
from workbench.plans.constraints import SeamConstraints, TrackRange
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LENGTH_ALONE, LOOP_ALONE, PlanRequest
from workbench.review.history import Edits, Window, record_change
from workbench.review.projects import (
    delete_project,
    find_revision,
    keep_fields,
    list_projects,
    load_revision,
    rename_project,
    restore_loop,
)
from workbench.review.verdicts import judge_seam, newest_verdicts
from workbench.review.versions import freeze_plan, thaw
from workbench.store.home import Home
from workbench.workflows.move_seam import find_places, plan_around
from workbench.workflows.plan import Planned, plan_track
from workbench.workflows.reproduce import reproduce

ENVELOPE = ((20.0, 0.0), (22.0, 9.5))


@pytest.fixture(scope="module")
def filmed(corner_home: Home, corner_loop: Planned, draw_video: Callable[[float], Path]) -> Planned:
    """The plan of `corner_loop`, under a video in which somebody speaks."""
    return plan_track(
        Workspace(corner_home), corner_loop.track, draw_video(corner_loop.video_seconds), LOOP_ALONE, auto_mix=True
    )


@pytest.fixture
def home(corner_home: Home, filmed: Planned, tmp_path: Path) -> Home:
    """A home of its own that knows track and video already."""
    return copy_home(corner_home, tmp_path / "home")


@pytest.fixture
def pool() -> DirectPool:
    return DirectPool(restore_loop, plan_track, analyze, plan_around)


@pytest.fixture
def session(home: Home, pool: DirectPool, filmed: Planned) -> Session:
    """A page that shows the plan, in a new project."""
    session = Session(Workspace(home), pool=pool)
    session.show(filmed)
    assert session.project is not None
    return session


def plan_of(session: Session) -> LoopPlan:
    assert session.plan is not None
    return session.plan


def loop_of(session: Session) -> Planned:
    assert session.loop is not None
    return session.loop


def mix_of(session: Session) -> Mix:
    mix = loop_of(session).mix
    assert mix is not None
    return mix


def provenance_of(session: Session) -> Provenance:
    provenance = loop_of(session).provenance
    assert provenance is not None
    return provenance


def files_of(session: Session) -> tuple[Path, Path]:
    """The track and the video."""
    assert session.track is not None
    assert session.video is not None
    return session.track.path, session.video


def analysis_of(session: Session) -> Analysis:
    assert session.analysis is not None
    return session.analysis


def project_of(session: Session) -> str:
    assert session.project is not None
    return session.project.project_id


def set_fade(session: Session, seam: int, seconds: float) -> None:
    """Set a crossfade as the Seams tab does."""
    session.show_with_fade(with_option_first(loop_of(session), with_fade(plan_of(session), seam, seconds, 0.7)), seam)


def draw_envelope(session: Session) -> None:
    """Draw how the music is ducked, as the Mix tab does."""
    with session.change("duck point added at 0:22"):
        session.envelope = ENVELOPE


def shift_bars(session: Session) -> None:
    """Save a grid whose bars begin a beat later and plan on it, as the Beats tab does."""
    analysis = analysis_of(session)
    with session.change("grid: bars a beat later"):
        save_grid(session.workspace, analysis.content_hash, shift_bar(analysis.grid), "bars a beat later")
        session.replan()


def grid_note(session: Session) -> str | None:
    """The note of the grid that is saved for the track; None where none is."""
    grid = corrected_grid(session.workspace, analysis_of(session).content_hash)
    return None if grid is None else grid.note


def fade_change(plan: LoopPlan, seam: int, ms: int) -> str:
    """What the history says of a crossfade that was set, by the plan before."""
    return f"crossfade of seam {seam + 1}: {1000 * plan.seam_fades[seam]:.0f} → {ms} ms"


def load_fields(session: Session) -> dict[str, Any]:
    """The fields of its project, as they are saved."""
    return load_revision(session.workspace, project_of(session))[1]


def restored(pool: WaitingPool, loop: Planned | None) -> None:
    """Have a worker restore the plan that is wanted."""
    pool.finish(max(at for at, task in enumerate(pool.tasks) if task.function is restore_loop), loop)


def write(path: Path, body: object) -> Path:
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


def words(session: Session) -> list[tuple[str, bool]]:
    """The history as the page shows it."""
    return [(change.words, change.undone) for change in session.history]


def second_window(session: Session) -> Session:
    """The same project in another window, on a workspace of its own."""
    other = Session(Workspace(session.home), pool=DirectPool(restore_loop, plan_track, analyze, plan_around))
    other.open_project(project_of(session))
    return other


def window_of_another_server(session: Session) -> Session:
    """The same project in a window that knows of the first one only what is saved, and the other way round."""
    other = second_window(session)
    for window in (session, other):
        window.autosave.close()  # so that neither is among the windows of a server
    return other


def opened_again(session: Session) -> Session:
    """The same project in the same window, as after the page was loaded again."""
    again = second_window(session)
    again.autosave.name_window(session.autosave.window)
    return again


def test_a_project_opens_again_as_it_was_left(session: Session) -> None:
    before = plan_of(session)
    set_fade(session, 1, 0.08)
    session.params = session.params.model_copy(update={"duck": DuckParams(attack_ms=77)})
    session.param.update(tab="Seams", seam=1, time=12.5)
    again = opened_again(session)
    assert again.message == ""
    assert (again.plan, again.hand_fades) == (session.plan, session.hand_fades)
    assert plan_of(again).seam_fades[1] == 0.08
    assert (again.params, again.tab, again.seam, again.time) == (session.params, "Seams", 1, 12.5)
    assert (again.track, again.video) == (session.track, session.video)
    assert "duck" not in provenance_of(session).params, "its mix is still the one that was made before"
    assert loop_of(again).provenance == with_mix_params(provenance_of(session), session.params), "balanced anew"
    assert loop_of(again).mix is not None, "balanced again with the project's parameters"
    assert (again.project, words(again)) == (
        list_projects(again.workspace)[0],
        [(fade_change(before, 1, 80), False), ("duck: attack, ms 300 → 77", False)],
    )  # fmt: skip


def test_a_place_that_an_address_names_comes_before_where_the_project_was_left(session: Session) -> None:
    session.param.update(tab="Seams", seam=1)
    other = Session(session.workspace, pool=DirectPool(restore_loop))
    other.open_project(project_of(session), {"tab": "Plan", "option": "1", "seam": -3, "time": "soon"})
    assert (other.tab, other.option, other.seam, other.time) == ("Plan", 1, 0, 0.0)


def test_a_crossfade_is_undone_and_done_again(session: Session) -> None:
    before = plan_of(session)
    set_fade(session, 0, 0.08)
    set_fade(session, 0, 0.12)
    after, fades = plan_of(session), dict(session.hand_fades)
    session.undo()
    assert plan_of(session).seam_fades[0] == 0.08
    assert session.notice == "undone: crossfade of seam 1: 80 → 120 ms"
    session.undo()
    assert (plan_of(session), session.hand_fades) == (before, {})
    session.undo()
    assert plan_of(session) == before, "there is nothing more to undo"
    session.redo()
    session.redo()
    session.redo()
    assert (plan_of(session), session.hand_fades) == (after, fades)
    session.undo()
    set_fade(session, 1, 0.05)
    assert words(session) == [(fade_change(before, 0, 80), False), (fade_change(before, 1, 50), False)]
    assert load_fields(session)["fades"] is not None


def test_undo_of_what_was_done_before_a_restart(session: Session) -> None:
    before = plan_of(session)
    set_fade(session, 0, 0.08)
    again = second_window(session)
    again.undo()
    assert plan_of(again) != before, "the window that did it is open"
    session.close()
    again.undo()
    assert plan_of(again) == before
    assert plan_of(opened_again(session)) == before


def test_another_option_is_undone_with_its_mix(session: Session) -> None:
    first, loop = plan_of(session), loop_of(session)
    with session.change("option 2 is the plan"):
        session.show(with_option_first(loop, first.options[1]))
    assert plan_of(session).options[1] == first.options[0]
    session.undo()
    assert plan_of(session) == first
    assert loop_of(session).mix == loop.mix


def test_parameters_are_undone_one_by_one(session: Session) -> None:
    first = session.params
    for ms in (77, 78):
        session.params = session.params.model_copy(update={"duck": DuckParams(attack_ms=ms)})
    session.undo()
    assert session.params.duck.attack_ms == 77.0
    session.undo()
    assert session.params == first
    assert words(session) == [("duck: attack, ms 300 → 77", True), ("duck: attack, ms 77 → 78", True)]
    session.redo()
    assert opened_again(session).params.duck.attack_ms == 77.0


def test_a_drawn_envelope_is_kept_undone_and_done_again(session: Session) -> None:
    measured = loop_of(session).mix
    draw_envelope(session)
    drawn = mix_of(session)
    assert drawn.duck is not None
    assert drawn.duck.envelope_points == ENVELOPE
    again = opened_again(session)
    assert (again.envelope, loop_of(again).mix) == (ENVELOPE, drawn)
    again.undo()
    assert (again.envelope, loop_of(again).mix) == (None, measured)
    assert "envelope_points" not in provenance_of(again).constraints
    again.redo()
    assert (again.envelope, loop_of(again).mix) == (ENVELOPE, drawn)
    set_fade(again, 0, 0.08)
    again.replan()
    duck = mix_of(again).duck
    assert duck is not None
    assert duck.envelope_points == ENVELOPE, "it belongs to the video, whatever the plan"
    assert opened_again(session).envelope == ENVELOPE


def test_a_drawn_envelope_stays_with_its_project(session: Session, tmp_path: Path) -> None:
    (track, _), workspace = files_of(session), session.workspace
    draw_envelope(session)
    mine, copy = project_of(session), tmp_path / "another.ogg"
    shutil.copy(track, copy)
    session.open_track(copy)
    assert session.envelope is None
    assert load_revision(workspace, mine)[1]["envelope"] == [list(point) for point in ENVELOPE]
    session.open_project(mine)
    assert session.envelope == ENVELOPE
    keep_fields(workspace, mine, {"envelope": [[3.0]]})
    assert opened_again(session).envelope is None, "what cannot be read is as if nothing had been drawn"


def test_a_drawn_envelope_is_downloaded_and_made_again(session: Session) -> None:
    draw_envelope(session)
    body = json.loads(download_file(session.workspace, loop_of(session), "json").read_text(encoding="utf-8"))
    points = [list(point) for point in ENVELOPE]
    assert body["mix"]["duck"]["envelope_points"] == points
    assert body["provenance"]["constraints"]["envelope_points"] == points
    again = reproduce(session.workspace, body, video=session.video, track=loop_of(session).track.path)
    assert (again.same, again.differences) == (True, ())
    asked = AskedMusic(write(session.home.root / "plan.json", body), option=2)
    chosen = read_music(session.workspace, asked, None)
    _, mix = resolve_music(session.workspace, replace(chosen, track=loop_of(session).track), session.video)
    assert mix is not None
    assert mix.duck is not None
    assert mix.duck.envelope_points == points, "another option is balanced anew, with the same envelope"


def test_how_the_music_is_ducked_goes_with_the_plan(session: Session) -> None:
    session.params = session.params.model_copy(update={"render": RenderParams(ducking="bands")})
    body = json.loads(download_file(session.workspace, loop_of(session), "json").read_text(encoding="utf-8"))
    assert body["provenance"]["params"]["render"] == {"ducking": "bands"}
    version = freeze_plan(session.workspace, loop_of(session))
    assert thaw(session.workspace, version.version_id).render_params(RenderParams()).ducking == "bands"
    again = opened_again(session)
    assert loop_of(again).provenance == loop_of(session).provenance
    session.undo()
    assert "render" not in provenance_of(session).params
    assert freeze_plan(session.workspace, loop_of(session)) != version, "a link to it has a sound of its own"


SUNG = PlanRequest(SeamConstraints(never_cut=(TrackRange(25.0, 35.0),)))


CUT = PlanRequest(SeamConstraints(excluded=(TrackRange(30.0, 34.0),)))
"""for which the music takes another way through the track"""


def test_a_constraint_that_is_dropped_in_one_project_stays_in_another_on_the_same_track(session: Session) -> None:
    (track, video), before = files_of(session), plan_of(session)
    session.ask(SUNG)
    mine, held = project_of(session), plan_of(session)
    session.open_new(track, video)
    assert (session.request, plan_of(session)) == (LENGTH_ALONE, before)
    session.ask(SUNG)
    session.ask(LENGTH_ALONE)
    assert (session.request, plan_of(session)) == (LENGTH_ALONE, before)
    session.open_project(mine)
    assert (session.request, plan_of(session)) == (SUNG, held)
    session.replan()
    assert (session.request, plan_of(session)) == (SUNG, held)


def test_constraints_and_moved_seams_are_undone_and_done_again(session: Session, pool: DirectPool) -> None:
    plans, asked = [plan_of(session)], [session.request]

    def note() -> None:
        plans.append(plan_of(session))
        asked.append(session.request)

    session.ask(SUNG)
    note()
    session.places = find_places(session.workspace, loop_of(session), session.request.constraints)
    session.move_seam(1, 1)
    note()
    assert [len(request.constraints.pinned) for request in asked] == [0, 0, 1]
    assert [set(change.edits) for change in session.history] == [{"request", "plan"}] * 2
    again = opened_again(session)
    assert (again.request, plan_of(again)) == (asked[-1], plans[-1])
    pool.done.clear()
    for at in (1, 0):
        session.undo()
        assert (session.request, plan_of(session)) == (asked[at], plans[at])
    for at in (1, 2):
        session.redo()
        assert (session.request, plan_of(session)) == (asked[at], plans[at])
    assert set(pool.done) == {restore_loop}, "nothing is planned anew"


def test_a_new_project_begins_with_the_parameters_of_the_page(session: Session) -> None:
    track, video = files_of(session)
    session.params = session.params.model_copy(update={"duck": DuckParams(attack_ms=77)})
    session.open_new(track, video)
    assert session.history == []
    assert opened_again(session).params.duck.attack_ms == 77.0


def test_a_grid_is_undone_with_the_plan_that_was_made_on_it(session: Session, pool: DirectPool) -> None:
    before, content_hash = plan_of(session), analysis_of(session).content_hash
    shift_bars(session)
    pool.done.clear()
    after = plan_of(session)
    assert after != before
    assert set(session.history[-1].edits) >= {f"grid/{content_hash}"}
    session.undo()
    assert grid_note(session) is None
    assert plan_of(session) == before
    session.redo()
    assert grid_note(session) == "bars a beat later"
    assert plan_of(session) == after
    assert pool.done == [restore_loop, restore_loop], "neither is planned anew"
    with session.change("grid: the tracker's"):
        delete_grid(session.workspace, content_hash)
        session.replan()
    assert plan_of(session) == before


def test_a_verdict_is_undone_and_those_of_another_window_stay(session: Session, corner_look: SeamLook) -> None:
    other = second_window(session)
    loop, plan, workspace = loop_of(session), plan_of(session), session.workspace
    with session.change("seam 1 is good"):
        mine = judge_seam(workspace, loop, plan, corner_look.view, "good", "mine")
    with other.change("seam 2 is wrong"):
        theirs = judge_seam(workspace, loop, plan, replace(corner_look.view, leave_s=1.0), "wrong", "theirs")
    assert newest_verdicts(workspace) == [mine, theirs]
    counted = session.records
    session.undo()
    assert newest_verdicts(workspace) == [theirs], "each window undoes what was done in it"
    session.undo()
    assert newest_verdicts(workspace) == [theirs]
    other.autosave.follow()
    assert (session.records, other.records) == (counted + 1, 2), "both windows read the verdicts again"
    session.redo()
    other.undo()
    assert newest_verdicts(workspace) == [mine]
    other.redo()
    assert newest_verdicts(workspace) == [mine, theirs]


def test_a_change_that_a_worker_made_takes_nothing_else_with_it(
    session: Session, filmed: Planned, corner_look: SeamLook
) -> None:
    first, loop, workspace, pool = plan_of(session), loop_of(session), session.workspace, WaitingPool()
    session.tasks.pool = pool
    session.ask(SUNG)
    with session.change("seam 1 is good"):
        mine = judge_seam(workspace, loop, first, corner_look.view, "good", "mine")
    session.params = session.params.model_copy(update={"duck": DuckParams(attack_ms=77)})
    set_fade(session, 0, 0.08)
    faded = plan_of(session)
    pool.finish(0, replace(with_option_first(filmed, first.options[1]), request=SUNG))
    asked = session.history[-1].words
    assert [(change.words, set(change.edits)) for change in session.history] == [
        ("seam 1 is good", {f"verdict/{mine.verdict_id}"}),
        ("duck: attack, ms 300 → 77", {"params"}),
        (fade_change(first, 0, 80), {"plan", "fades"}),
        (asked, {"plan", "request"}),
    ]
    pool.tasks.clear()
    session.undo()
    restored(pool, replace(filmed, answer=faded))
    assert (plan_of(session), session.request, len(session.hand_fades)) == (faded, LENGTH_ALONE, 1)
    session.undo()
    assert (plan_of(session), session.hand_fades, session.message) == (first, {}, "")
    assert (newest_verdicts(workspace), session.params.duck.attack_ms) == ([mine], 77.0)


def test_a_plan_that_is_made_for_a_step_takes_in_nothing_that_was_done_meanwhile(
    session: Session, filmed: Planned
) -> None:
    first, pool = plan_of(session), WaitingPool()
    session.tasks.pool = pool
    shift_bars(session)
    draw_envelope(session)
    set_fade(session, 0, 0.08)
    pool.finish(0, with_option_first(filmed, first.options[1]))
    assert [(change.words, "envelope" in change.edits) for change in session.history] == [
        ("grid: bars a beat later", False), ("duck point added at 0:22", True), (fade_change(first, 0, 80), False),
    ]  # fmt: skip
    session.undo()
    restored(pool, filmed)
    assert (plan_of(session), session.hand_fades, session.envelope, session.message) == (first, {}, ENVELOPE, "")
    session.undo()
    assert (session.envelope, session.message) == (None, "")
    session.undo()
    assert grid_note(session) is None
    assert session.message == ""


def test_a_plan_on_a_grid_that_is_undone_meanwhile_is_not_shown(session: Session, filmed: Planned) -> None:
    first, pool = plan_of(session), WaitingPool()
    session.tasks.pool = pool
    shift_bars(session)
    session.undo()
    pool.finish(0, with_option_first(filmed, first.options[1]))
    assert plan_of(session) == first
    assert session.asked is not None, "it is planned on the grid that is there again"
    session.redo()
    assert [task.function for task in pool.tasks].count(plan_track) == 3


def test_a_grid_that_was_set_elsewhere_since_is_left_and_said(session: Session) -> None:
    analysis = analysis_of(session)
    with session.change("grid: bars a beat later"):
        save_grid(session.workspace, analysis.content_hash, shift_bar(analysis.grid), "bars a beat later")
    save_grid(session.workspace, analysis.content_hash, shift_bar(analysis.grid, 2), "of another project")
    session.undo()
    assert grid_note(session) == "of another project"
    assert session.message == "the grid: changed since by another user, so left as it is now"
    assert words(session) == [("grid: bars a beat later", True)]


def test_of_two_quick_undos_the_last_one_is_shown(home: Home, filmed: Planned) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.show(filmed)
    first = plan_of(session)
    plans = [filmed, *(with_option_first(filmed, option) for option in first.options[1:3])]
    for number, loop in enumerate(plans[1:], start=2):
        with session.change(f"option {number} is the plan"):
            session.show(loop)
    session.undo()
    session.undo()
    earlier, later = [at for at, task in enumerate(pool.tasks) if task.function is restore_loop]
    pool.finish(later, plans[0])
    assert session.notice == "undone: option 2 is the plan", "also once its plan is there"
    pool.finish(earlier, plans[1])
    assert plan_of(session) == first
    with session.change("nothing"):
        assert session.notice == "", "what was undone is over with the next change"


def test_two_windows_follow_each_other(session: Session) -> None:
    other, first = second_window(session), plan_of(session)
    set_fade(session, 0, 0.08)
    other.autosave.follow()
    assert (other.plan, other.hand_fades) == (session.plan, session.hand_fades)
    other.params = other.params.model_copy(update={"duck": DuckParams(attack_ms=77)})
    session.autosave.follow()
    assert session.params == other.params
    other.ask(SUNG)
    session.autosave.follow()
    assert (session.request, session.plan) == (SUNG, other.plan)
    draw_envelope(session)
    other.autosave.follow()
    assert (other.envelope, loop_of(other).mix) == (ENVELOPE, loop_of(session).mix)
    session.param.update(tab="Seams", seam=1)
    assert (other.tab, other.seam) == ("", 0), "each looks where it looks"
    assert words(session) == words(other)
    assert plan_of(session) != first


def test_a_stale_undo_takes_no_step_of_another_window(session: Session) -> None:
    other, first = second_window(session), plan_of(session)
    set_fade(session, 0, 0.08)
    other.autosave.follow()
    set_fade(other, 1, 0.12)
    both = plan_of(other)
    session.undo()
    assert "changed in another window: crossfade of seam 2" in session.message
    assert session.elsewhere
    assert (plan_of(session), plan_of(other)) == (both, both), "nothing is lost"
    other.undo()
    assert not other.elsewhere
    session.undo()
    other.autosave.follow()
    assert (plan_of(session), plan_of(other), session.elsewhere) == (first, first, False)
    assert [undone for _, undone in words(session)] == [True, True]


def test_a_plan_that_another_window_overtakes_is_not_made(session: Session, filmed: Planned) -> None:
    other, pool = second_window(session), WaitingPool()
    session.tasks.pool = pool
    session.ask(SUNG)
    set_fade(other, 0, 0.08)
    session.autosave.follow()
    assert session.plan == other.plan
    assert session.message.startswith("changed in another window: crossfade of seam 1")
    assert session.message.endswith(f"Not done: {request_words(LENGTH_ALONE, SUNG)}.")
    assert session.elsewhere
    pool.finish(0, replace(filmed, request=SUNG))
    assert session.plan == other.plan
    assert session.request == LENGTH_ALONE


def test_windows_of_two_servers_follow_each_other(session: Session) -> None:
    other, first = window_of_another_server(session), plan_of(session)
    set_fade(session, 0, 0.08)
    other.autosave.follow()
    assert (other.plan, other.hand_fades) == (session.plan, session.hand_fades)
    other.ask(CUT)
    assert session.plan != other.plan
    session.autosave.follow()
    assert (session.request, session.plan) == (CUT, other.plan), "a worker has read it"
    assert plan_of(session).segments != first.segments
    assert words(session) == words(other)


def test_a_page_follows_changes_and_not_where_others_look(session: Session) -> None:
    other, pool = window_of_another_server(session), WaitingPool()
    other.tasks.pool = pool
    session.ask(CUT)
    session.param.update(tab="Seams", seam=1)
    for _ in range(3):
        other.autosave.follow()
    assert [task.function for task in pool.tasks].count(restore_loop) == 1, "it is read once"
    restored(pool, session.loop)
    assert (other.plan, other.tab, other.seam) == (session.plan, "", 0)
    revision = find_revision(session.workspace, project_of(session))
    session.param.update(tab="Mix", seam=0)
    assert find_revision(session.workspace, project_of(session)) == revision
    assert load_fields(session)["view"]["tab"] == "Mix"


def test_a_plan_that_is_being_made_stays_when_another_window_changes_something_else(
    session: Session, filmed: Planned
) -> None:
    other, pool = window_of_another_server(session), WaitingPool()
    session.tasks.pool = pool
    session.ask(SUNG)
    other.params = other.params.model_copy(update={"duck": DuckParams(attack_ms=77)})
    session.autosave.follow()
    assert (session.params, session.request) == (other.params, LENGTH_ALONE)
    pool.finish(0, replace(filmed, request=SUNG))
    assert (session.request, session.message) == (SUNG, "")
    assert session.history[-1].words == request_words(LENGTH_ALONE, SUNG)
    other.autosave.follow()
    assert other.request == SUNG


def test_what_cannot_be_read_now_is_followed_later_without_a_word(session: Session) -> None:
    other = window_of_another_server(session)
    set_fade(session, 0, 0.08)
    with closing(sqlite3.connect(session.home.database)) as connection:
        connection.execute("ALTER TABLE projects RENAME TO unreadable")
        other.autosave.follow()
        assert (other.message, other.hand_fades) == ("", {})
        connection.execute("ALTER TABLE unreadable RENAME TO projects")
    other.autosave.follow()
    assert (other.message, other.plan) == ("", session.plan)


def test_a_window_of_another_server_is_followed_when_both_change(session: Session) -> None:
    """What is done on an older revision is merged, or not done."""
    first, project_id, workspace = session.params, project_of(session), Workspace(session.home)
    fades = load_fields(session).get("fades")
    mine = first.model_dump(mode="json", exclude_defaults=True)
    record_change(workspace, project_id, "attack", {"params": (mine, {**mine, "duck": {"attack_ms": 77.0}})})
    assert session.params == first
    session.params = session.params.model_copy(update={"render": RenderParams(ducking="bands")})
    assert (session.params.duck.attack_ms, session.params.render.ducking) == (77.0, "bands")
    record_change(workspace, project_id, "fades", {"fades": (fades, [[1, 2, 0.1, 1.0, 3.0]])})
    set_fade(session, 0, 0.08)
    assert list(session.hand_fades) == [((1, 2), 3)], "all of the step is refused"
    assert plan_of(session).seam_fades[0] != 0.08
    assert session.message.startswith("changed in another window: fades. Not done: crossfade of seam 1: ")
    record_change(workspace, project_id, "tracks compared", {"stack": (None, ["a"])})
    with session.change("mine"):
        session.stack = ("b",)
    assert session.message == "changed in another window: tracks compared. Not done: mine."
    assert session.elsewhere
    assert session.stack == ("a",)
    assert "mine" not in [change.words for change in session.history]


def test_a_step_that_was_refused_is_not_saved_later(session: Session) -> None:
    """Its plan is still shown until a worker has read the one that is saved."""
    other, pool, first = window_of_another_server(session), WaitingPool(), plan_of(session)
    other.ask(CUT)
    theirs = load_fields(session)
    session.tasks.pool = pool
    set_fade(session, 0, 0.08)
    assert session.message == f"changed in another window: {request_words(LENGTH_ALONE, CUT)}. Not done: " + (
        f"{fade_change(first, 0, 80)}."
    )
    assert (session.hand_fades, session.request) == ({}, CUT)
    with session.change("compared"):
        session.stack = ("a",)
    session.loop = replace(loop_of(session), mix=None)
    set_fade(session, 1, 0.12)
    assert "Not done: crossfade of seam 2" in session.message, "it was set in the plan that is overtaken"
    assert {**load_fields(session), "stack": None} == {**theirs, "stack": None}
    restored(pool, other.loop)
    assert (session.plan, session.hand_fades, session.stack) == (other.plan, {}, ("a",))
    assert [change.words for change in session.history] == [request_words(LENGTH_ALONE, CUT), "compared"]
    set_fade(session, 0, 0.08)
    assert plan_of(opened_again(session)).seam_fades[0] == 0.08


def test_a_plan_that_is_put_back_is_not_overwritten_while_it_is_read(session: Session, filmed: Planned) -> None:
    first, pool = plan_of(session), WaitingPool()
    session.ask(CUT)
    held = loop_of(session)
    assert plan_of(session).segments != first.segments
    session.tasks.pool = pool
    session.undo()
    session.loop = replace(held, answer=held.plan.alone)
    assert session.message == ""
    set_fade(session, 0, 0.08)
    assert session.message == f"the saved plan is still being read. Not done: {fade_change(held.plan, 0, 80)}."
    restored(pool, filmed)
    assert plan_of(session) == first
    assert plan_of(opened_again(session)) == first
    session.redo()
    assert session.asked is not None
    session.undo()
    assert session.asked is None, "what is shown is the saved plan again"
    session.redo()
    restored(pool, held)
    assert (session.request, session.plan) == (CUT, held.answer)


def test_undo_is_not_refused_for_what_one_did_oneself(session: Session) -> None:
    """Other options and another mix follow from a plan without a step of their own."""
    first = plan_of(session)
    set_fade(session, 0, 0.08)
    session.show(replace(loop_of(session), answer=plan_of(session).alone))
    session.find_options()
    assert len(plan_of(session).options) > 1
    session.undo()
    assert (plan_of(session), session.message, session.elsewhere) == (first, "", False)
    session.redo()
    assert (plan_of(session).seam_fades[0], session.message) == (0.08, "")


def test_what_another_window_did_is_named_and_not_what_was_done_here(session: Session) -> None:
    other, project_id = second_window(session), project_of(session)
    with session.change("mine"):
        session.stack = ("a",)
    record_change(session.workspace, project_id, "", {"stack": (["a"], ["b"])})
    with session.change("mine again"):
        session.stack = ("a", "c")
    assert session.message == "changed in another window. Not done: mine again."
    assert session.stack == ("b",)
    record_change(session.workspace, project_id, "theirs", {"stack": (["b"], ["d"])}, Window(other.autosave.window))
    session.undo()
    assert session.message == "changed in another window: theirs. Nothing is undone."
    assert session.stack == ("d",), "also what this window had not seen yet is shown"


def test_of_a_step_that_is_refused_what_was_done_to_the_track_is_said_and_undone(session: Session) -> None:
    analysis, project_id = analysis_of(session), project_of(session)
    record_change(session.workspace, project_id, "theirs", {"stack": (None, ["b"])})
    with session.change("grid saved: mine"):
        save_grid(session.workspace, analysis.content_hash, shift_bar(analysis.grid), "mine")
        session.stack = ("a",)
    assert session.message == "changed in another window: theirs. Done in part: grid saved: mine."
    assert words(session) == [("theirs", False), ("grid saved: mine", False)]
    assert grid_note(session) == "mine"
    session.undo()
    assert grid_note(session) is None


def test_what_came_with_a_change_that_both_made_is_shown(session: Session) -> None:
    """The step itself changes nothing any more, so the project is no revision further for it."""
    both: Edits = {"stack": (None, ["a"]), "envelope": (None, [list(point) for point in ENVELOPE])}
    record_change(session.workspace, project_of(session), "theirs", both)
    with session.change("mine"):
        session.stack = ("a",)
    assert (session.stack, session.envelope) == (("a",), ENVELOPE)
    assert words(session) == [("theirs", False)]


def test_two_windows_write_their_own_fields(session: Session) -> None:
    other, before = second_window(session), plan_of(session)
    set_fade(session, 0, 0.08)
    other.params = other.params.model_copy(update={"duck": DuckParams(attack_ms=77)})
    other.seam = 2
    third = opened_again(session)
    assert plan_of(third).seam_fades[0] == 0.08
    assert (third.params.duck.attack_ms, third.seam) == (77.0, 2)
    assert [change.words for change in third.history] == [
        fade_change(before, 0, 80), "duck: attack, ms 300 → 77"
    ]  # fmt: skip


def test_a_project_that_another_window_deleted_is_worked_on_without_being_kept(session: Session) -> None:
    other = second_window(session)
    delete_project(session.workspace, project_of(session))
    set_fade(session, 0, 0.08)
    for _ in range(2):
        other.autosave.follow()
    for window in (session, other):
        assert "deleted" in window.message
        assert (window.project, window.history) == (None, [])
    assert plan_of(session).seam_fades[0] == 0.08
    session.undo()
    assert list_projects(session.workspace) == []


def test_the_same_files_lead_to_the_same_project_and_others_to_a_new_one(session: Session, tmp_path: Path) -> None:
    mine, (track, video) = project_of(session), files_of(session)
    set_fade(session, 0, 0.08)
    copy = tmp_path / "another.ogg"
    shutil.copy(track, copy)
    session.open_track(copy)
    assert project_of(session) != mine
    assert session.history == []
    assert plan_of(session).seam_fades[0] != 0.08
    session.open_track(track)
    assert project_of(session) == mine
    assert plan_of(session).seam_fades[0] == 0.08
    assert session.open_new(track, video) is not None
    assert len(list_projects(session.workspace)) == 3


def test_a_second_track_leaves_the_project_of_the_first(session: Session, home: Home, tmp_path: Path) -> None:
    track, _ = files_of(session)
    other = tmp_path / "another.ogg"
    shutil.copy(track, other)
    page = Session(Workspace(home), pool=WaitingPool())
    page.open_track(track)
    begun = project_of(page)
    page.open_track(other)
    assert project_of(page) != begun
    kept = {project.project_id: project.track for project in list_projects(page.workspace)}
    assert (kept[begun], kept[project_of(page)]) == (str(track), str(other))


def test_a_video_waits_for_its_track_in_one_project(session: Session, home: Home, pool: DirectPool) -> None:
    track, video = files_of(session)
    delete_project(session.workspace, project_of(session))
    page = Session(Workspace(home), pool=pool)
    page.open_video(video)
    begun = project_of(page)
    page.open_track(track)
    assert project_of(page) == begun
    (project,) = list_projects(page.workspace)
    assert (project.video, project.track, project.name) == (str(video), str(track), "corner_store under patterns")


def test_a_project_whose_files_are_gone_says_so(session: Session, home: Home, tmp_path: Path) -> None:
    track, video = files_of(session)
    copied = tmp_path / "moved.mp4"
    shutil.copy(video, copied)
    session.open_new(track, copied)
    project = rename_project(session.workspace, project_of(session), "  mine ")
    copied.unlink()
    page = Session(Workspace(home), pool=DirectPool(analyze))
    page.open_project(project.project_id)
    assert "gone" in page.message
    assert page.project == project
    assert project.name == "mine"
    assert page.analysis is not None, "the track can be looked at all the same"
    page.open_project("prj_unknown")
    assert "no project of that id" in page.message


def test_a_track_that_changed_since_is_planned_again(session: Session, home: Home, tmp_path: Path) -> None:
    track, video = files_of(session)
    copied = tmp_path / "changing.ogg"
    shutil.copy(track, copied)
    session.open_new(copied, video)
    before = plan_of(session)
    shutil.copy(find_track(session.workspace, str(track)).path.with_name("slow_tide.ogg"), copied)
    page = opened_again(session)
    assert plan_of(page) != before
    assert "changed since" in page.notice
    assert plan_of(opened_again(page)) == page.plan


def test_a_change_that_changes_nothing_is_no_step(session: Session) -> None:
    with session.change("nothing"):
        pass
    with session.change("all of it"), session.change("a part of it"):
        set_fade(session, 0, 0.08)
    assert words(session) == [("all of it", False)]


def test_several_parameters_of_a_stage_are_counted() -> None:
    many = WorkbenchParams(duck=DuckParams(attack_ms=80, release_ms=500))
    assert params_words(WorkbenchParams(), many) == "duck: 2 parameters"
