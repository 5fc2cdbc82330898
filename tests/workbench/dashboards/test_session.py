"""What a page works on, without a browser: opening, planning, progress, faults, giving up; with a pool of its own."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from panel.io.state import set_curdoc

from tests.workbench.dashboards.conftest import copy_home
from tests.workbench.dashboards.waiting import BrowserTab, CollectingPool, ShownDocument, WaitingPool, until_idle
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.plan import track_file
from workbench.dashboards.sounds.seam import with_fade, with_option_first
from workbench.dashboards.tasks import Pool, Task
from workbench.dashboards.views import LongSound, write_summary
from workbench.errors import MediaError
from workbench.files import bundled_path
from workbench.media.audio import write_audio
from workbench.plans.plan import PlanKind
from workbench.plans.refusals import audio_unavailable
from workbench.plans.request import LENGTH_ALONE, LOOP_ALONE, PlanRequest
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track

TRACK = bundled_path("data", "bundled", "music", "slow_tide.ogg")
PATIENCE_SECONDS = 120.0


def counted(workspace: Workspace, number: int) -> tuple[int, int]:
    """The next number, and the process that found it."""
    workspace.progress("counting", 0.5)
    return number + 1, os.getpid()


def refused(workspace: Workspace) -> None:
    """Fails as our code does on what cannot be read."""
    raise MediaError("track.wav: no such file")


def missing_file(workspace: Workspace, path: Path) -> bytes:
    """Fails as code of ours that forgot to expect this."""
    return path.read_bytes()


def endless(workspace: Workspace) -> None:
    """Says that it began, and never ends."""
    workspace.progress("waiting", 0.0)
    while True:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def loop(tide_loop: Planned) -> Planned:
    return tide_loop


@pytest.fixture(scope="module")
def home(tide_home: Home, loop: Planned, tmp_path_factory: pytest.TempPathFactory) -> Home:
    return copy_home(tide_home, tmp_path_factory.mktemp("session") / "home")


@pytest.fixture(scope="module")
def pool() -> Iterator[CollectingPool]:
    """Two workers for the pages of this file."""
    pool = CollectingPool(2)
    yield pool
    pool.close()


@pytest.fixture
def telling_pool() -> Iterator[Pool]:
    """One worker, whose news go where a page says, from its own thread."""
    pool = Pool(1)
    yield pool
    pool.close()


@pytest.fixture
def session(home: Home, pool: CollectingPool) -> Session:
    """A page that was just opened."""
    return Session(Workspace(home), pool=pool)


def test_work_is_done_elsewhere_with_its_progress_on_the_page(session: Session) -> None:
    stages: list[tuple[str, float]] = []
    session.param.watch(lambda *_: stages.append((session.stage, session.done)), ["stage", "done"])
    found: list[tuple[int, int]] = []
    session.run(counted, 41, on_result=found.append)
    until_idle(session)
    assert found[0][0] == 42
    assert found[0][1] != os.getpid()
    assert ("counting", 0.5) in stages
    assert (session.stage, session.done, session.busy) == ("", 0.0, False)


def test_work_that_asks_for_more_leaves_the_page_at_work_without_a_gap(session: Session) -> None:
    stages: list[str] = []
    session.param.watch(lambda event: stages.append(event.new), "stage")
    found: list[tuple[int, int]] = []

    def again(first: tuple[int, int]) -> None:
        session.run(counted, first[0], on_result=found.append)

    session.run(counted, 1, on_result=again)
    until_idle(session)
    assert found[0][0] == 3
    assert stages.index("") == len(stages) - 1


def test_a_fault_becomes_the_message_until_something_else_is_asked_for(session: Session) -> None:
    told: list[str] = []
    session.run(refused, on_result=told.append, on_error=told.append)
    until_idle(session)
    assert session.message == "track.wav: no such file"
    assert told == ["track.wav: no such file"]
    session.run(counted, 1, on_result=lambda _: None)
    until_idle(session)
    assert session.message == "track.wav: no such file", "work of the page itself hides nothing"
    session.change("seam 1 is good")
    assert session.message == ""
    session.message = "seam 1 cannot be heard"
    demo = session.open_demo()
    assert session.message == ""
    demo.cancel()
    until_idle(session)


def test_all_work_is_given_up_at_once(session: Session, pool: CollectingPool) -> None:
    for _ in range(3):
        session.run(endless, on_result=pytest.fail)
    while session.stage != "waiting":
        pool.take_news()
    session.cancel()
    until_idle(session)
    assert (session.busy, session.stage, session.message) == (False, "", "")


@contextmanager
def a_page() -> Iterator[BrowserTab]:
    """Code inside runs for a page, as the server's callbacks do."""
    browser_tab = BrowserTab()
    with set_curdoc(ShownDocument(browser_tab)):
        yield browser_tab


def test_work_whose_page_is_closed_is_given_up(home: Home, telling_pool: Pool) -> None:
    session = Session(Workspace(home), pool=telling_pool)

    async def closed_while_it_works() -> bool:
        with a_page() as page:
            job = session.run(endless, on_result=pytest.fail)
        page.destroyed = True
        return await asyncio.to_thread(job.wait, PATIENCE_SECONDS)

    assert asyncio.run(closed_while_it_works())
    assert not session.busy


def test_work_whose_server_has_stopped_is_given_up(home: Home, telling_pool: Pool) -> None:
    session = Session(Workspace(home), pool=telling_pool)

    async def asked_for() -> Task:
        with a_page():
            return session.run(endless, on_result=pytest.fail)

    assert asyncio.run(asked_for()).wait(PATIENCE_SECONDS)
    assert not session.busy


def test_a_closed_page_begins_no_work(session: Session) -> None:
    session.close()
    job = session.run(counted, 1, on_result=pytest.fail)
    assert job.wait(0.0)
    assert job.cancelled
    assert not session.busy


def test_a_sound_to_draw_is_summed_up_by_a_worker(session: Session, tmp_path: Path) -> None:
    samples = np.zeros((2, 3 * 48_000), dtype=np.float32)
    samples[:, 48_000] = 0.5
    path = write_audio(tmp_path / "click.wav", [samples], 48_000, 2)
    drawn: list[LongSound] = []
    session.draw(path, on_result=drawn.append)
    until_idle(session)
    assert list(path.parent.glob("click.*.summary.npy"))
    assert drawn[0].duration == 3.0
    assert drawn[0].envelope(0.0, 3.0, 100)[2].max() == pytest.approx(0.5, abs=1e-3)


def test_a_sound_that_has_gone_is_told_and_the_page_works_on(session: Session, tmp_path: Path) -> None:
    drawn: list[LongSound] = []
    session.draw(tmp_path / "gone.wav", on_result=drawn.append)
    until_idle(session)
    assert drawn == []
    assert "gone.wav" in session.message
    found: list[tuple[int, int]] = []
    session.run(counted, 1, on_result=found.append)
    until_idle(session)
    assert found[0][0] == 2


@pytest.mark.slow
def test_a_track_without_a_video_is_analysed_and_drawn(session: Session) -> None:
    assert session.open_track(TRACK) is not None
    assert session.track is not None
    assert session.track.path == TRACK
    until_idle(session)
    assert session.analysis is not None
    assert session.analysis.grid.downbeats.size > 10
    assert session.track_sound is not None
    assert session.track_sound.duration == pytest.approx(
        session.workspace.load_recording(session.track.path).duration, abs=0.01
    )
    assert session.plan is None


def test_a_plan_that_is_shown_brings_its_track_and_is_forgotten_with_the_next(session: Session, loop: Planned) -> None:
    session.show(loop)
    assert session.track is loop.track
    assert session.analysis is loop.analysis
    assert session.plan is loop.answer
    until_idle(session)
    sound = session.track_sound
    assert sound is not None
    session.show(loop)
    assert session.track_sound is sound, "the same track is not read again"
    session.open_track(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    assert session.loop is None
    assert session.analysis is None
    assert session.track_sound is None
    session.cancel()
    until_idle(session)


def test_a_track_that_is_too_long_for_its_video_still_shows_its_beats(session: Session, loop: Planned) -> None:
    """Its length alone refused it, before anything was analysed; the page has it analysed then."""
    refused = plan_track(Workspace(session.home), loop.track, 60.0, LOOP_ALONE)
    assert refused.analysis is None
    session.show(refused)
    until_idle(session)
    assert session.plan is None
    assert session.loop is refused
    assert session.analysis is not None
    assert session.analysis.grid.downbeats.size > 10


def test_a_track_that_is_too_long_for_its_video_is_fitted_to_it(session: Session, short_video: Path) -> None:
    session.open_video(short_video)
    session.open_track(TRACK)
    until_idle(session)
    assert (session.plan, session.offers_fit) == (None, True)
    track = session.track
    session.fit()
    assert session.fitting
    until_idle(session)
    assert (session.fitting, session.offers_fit, session.message) == (False, False, "")
    assert (session.track, session.video) == (track, short_video)
    plan, loop = session.plan, session.loop
    assert plan is not None
    assert loop is not None
    assert plan.kind is PlanKind.CUT_DOWN
    assert plan.body is None
    assert plan.window_end == pytest.approx(60.0, abs=1e-3)
    assert loop.mix is not None
    assert loop.mix.voiceover
    session.replan()
    until_idle(session)
    assert session.plan == plan, "it is fitted again, not refused again"
    session.open_video(short_video)
    until_idle(session)
    assert session.plan == plan, "the same files are the same project, in which it was fitted"
    assert not session.offers_fit


def test_a_track_that_is_a_little_too_short_is_fitted_where_a_plan_is_found(
    session: Session, draw_video: Callable[[float], Path]
) -> None:
    """Lengths alone do not tell; a worker plans before the page offers it."""
    offers: list[bool] = []
    session.param.watch(lambda event: offers.append(event.new), "offers_fit")
    session.open_video(draw_video(21.0))
    session.open_track(bundled_path("data", "bundled", "music", "top_of_the_hour.ogg"))
    until_idle(session)
    assert (offers, session.message) == ([True], "")
    session.fit()
    until_idle(session)
    assert session.plan is not None
    assert session.plan.window_end == pytest.approx(21.0, abs=1e-3)


def test_what_cannot_be_fitted_is_not_offered(session: Session, short_video: Path) -> None:
    session.open_video(short_video)
    session.open_track(bundled_path("data", "bundled", "music", "silence.ogg"))
    until_idle(session)
    assert (session.plan, session.offers_fit, session.message) == (None, False, "")
    session.fit()
    until_idle(session)
    assert "it does not fill 60" in session.message
    assert (session.plan, session.fitting) == (None, False)


def test_a_fit_that_comes_too_late_is_not_shown(home: Home, short_video: Path, corner_fit: Planned) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    assert session.fit() is None, "there is nothing to fit"
    session.param.update(track=corner_fit.track, video=short_video)
    session.fit()
    session.open_track(TRACK)
    pool.finish(0, corner_fit)
    assert session.track is not None
    assert (session.track.path, session.loop, session.fitting) == (TRACK, None, False)
    session.fit()
    pool.cancel(2)
    assert not session.fitting


def test_nothing_is_being_fitted_once_something_else_is_open(
    home: Home, draw_video: Callable[[float], Path], corner_fit: Planned
) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    gone = draw_video(5.0)
    session.open_new(corner_fit.track.path, gone)
    project = session.project
    assert project is not None
    gone.unlink()
    session.open_new(corner_fit.track.path, draw_video(6.0))
    session.fit()
    assert session.fitting
    session.open_project(project.project_id)
    assert (session.video, session.fitting) == (None, False)


def test_a_fault_of_work_that_is_not_wanted_any_more_is_not_said(
    home: Home, short_video: Path, corner_fit: Planned
) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.param.update(track=corner_fit.track, video=short_video)
    session.replan()
    session.fit()
    pool.fail(0, "out of date")
    assert (session.message, session.fitting) == ("", True)
    pool.fail(1, "this matters")
    assert (session.message, session.fitting) == ("this matters", False)


def test_a_mix_of_a_plan_that_is_not_shown_any_more_is_not_taken(home: Home, corner_fit: Planned) -> None:
    session = Session(Workspace(home), pool=WaitingPool())
    session.show(corner_fit, remix=True)
    assert corner_fit.mix is not None
    late, louder = session.loop, replace(corner_fit.mix, music_gain_db=-3.0)
    assert late is not None
    shown = with_option_first(corner_fit, corner_fit.plan.options[1])
    session.show(shown, remix=True)
    session.take_mix(late, louder, session.params)
    assert (session.plan, session.remix) == (shown.answer, True)
    session.take_mix(shown, louder, session.params)
    assert session.loop is not None
    assert (session.plan, session.loop.mix, session.remix) == (shown.answer, louder, False)


def test_options_of_an_earlier_request_are_not_shown(home: Home, corner_fit: Planned) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    alone = replace(corner_fit, answer=corner_fit.plan.alone)
    session.show(alone)
    pool.tasks.clear()
    session.find_options()
    assert session.loop is not None
    session.loop = replace(session.loop, request=PlanRequest(start_at=0.0))
    pool.finish(0, corner_fit)
    assert session.plan == alone.answer, "they do not meet the request"
    session.find_options()
    session.find_options()
    pool.finish(1, corner_fit)
    assert session.plan == alone.answer, "others were asked for since"
    pool.finish(2, corner_fit)
    assert len(corner_fit.plan.options) == len(session.loop.plan.options)


def test_a_plan_that_comes_too_late_is_not_shown(home: Home, short_video: Path, corner_loop: Planned) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.param.update(track=corner_loop.track, video=short_video)
    session.replan()
    session.replan()
    older, newer = (replace(corner_loop, video=short_video, video_seconds=seconds) for seconds in (239.0, 240.0))
    pool.finish(1, newer)
    pool.finish(0, older)
    assert session.loop is not None
    assert session.loop.video_seconds == 240.0
    session.replan()
    late = len(pool.tasks) - 1
    session.open_track(TRACK)
    opened = session.track, session.project
    pool.finish(late, newer)
    assert (session.track, session.project) == opened
    assert session.plan is None


def test_work_for_what_was_open_ends_when_something_else_is_opened(
    home: Home, short_video: Path, corner_loop: Planned
) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.param.update(track=corner_loop.track, video=short_video)
    session.replan()
    session.fit()
    session.open_track(TRACK)
    assert [task.cancelled for task in pool.tasks] == [True, True, False]


def test_what_waits_and_is_not_wanted_any_more_gives_way_to_other_work(home: Home) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    looked_at = "seam 1"

    def is_looked_at(seam: str) -> bool:
        return seam == looked_at

    for seam in ("seam 1", "seam 2"):
        session.run(counted, 1, on_result=lambda _: None, is_current=partial(is_looked_at, seam))
    session.run(counted, 2, on_result=lambda _: None)
    assert [task.cancelled for task in pool.tasks] == [False, True, False]
    looked_at = "seam 3"
    session.run(counted, 3, on_result=lambda _: None)
    assert [task.cancelled for task in pool.tasks] == [True, True, False, False]


def test_an_analysis_that_comes_too_late_is_not_shown(home: Home, loop: Planned, corner_loop: Planned) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.open_track(TRACK)
    session.open_track(corner_loop.track.path)
    pool.finish(0, loop.analysis)
    assert session.analysis is None
    pool.finish(1, corner_loop.analysis)
    assert session.analysis is corner_loop.analysis


def test_a_demo_that_is_still_prepared_gives_way_to_what_is_opened(session: Session) -> None:
    demo = session.open_demo()
    session.open_track(TRACK)
    assert demo.cancelled
    until_idle(session)
    assert session.track is not None
    assert session.track.path == TRACK
    assert session.video is None


def test_the_demo_over_another_track_brings_its_own_sound(
    home: Home, loop: Planned, corner_loop: Planned, tmp_path: Path
) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    session.show(corner_loop)
    session.show_with_fade(with_option_first(corner_loop, with_fade(corner_loop.plan, 0, 0.08, 0.7)), 0)
    sound = write_audio(tmp_path / "former.wav", [np.zeros((2, 48_000), dtype=np.float32)], 48_000, 2)
    write_summary(session.workspace, sound)
    session.param.update(track_sound=LongSound(sound), request=PlanRequest(start_at=1.0))
    session.open_demo()
    pool.finish(len(pool.tasks) - 1, loop)
    assert (session.track, session.plan, session.option) == (loop.track, loop.answer, 0)
    assert (session.track_sound, session.hand_fades, session.request) == (None, {}, LENGTH_ALONE)
    assert (track_file, (loop.track.path,)) in [(task.function, task.arguments) for task in pool.tasks]


def test_what_is_no_file_of_ours_is_told_in_a_sentence(session: Session, tmp_path: Path) -> None:
    assert session.open_track(tmp_path / "none.wav") is None
    assert "none.wav" in session.message
    text = tmp_path / "notes.txt"
    text.write_text("no music", encoding="utf-8")
    assert session.open_file(text) is None
    assert "notes.txt" in session.message
    assert session.open_video(tmp_path / "none.mp4") is None
    assert "none.mp4" in session.message
    assert session.replan() is None
    assert not session.busy


@pytest.mark.parametrize("name", ["track.mp3", "my video.mp4"])
def test_a_broken_upload_is_named_as_its_owner_named_it(tmp_path: Path, pool: CollectingPool, name: str) -> None:
    """Not by the server's folders, in a home whose own name has a blank in it either."""
    session = Session(Workspace(Home(tmp_path / "home of mine")), pool=pool)
    upload = session.home.prepared(session.home.uploads / "dashboard") / name
    upload.write_text("no media at all", encoding="utf-8")
    session.open_file(upload)
    assert session.message.startswith(f"{name}: not readable")
    assert "/" not in session.message
    session.video = upload
    session.open_track(TRACK)
    until_idle(session)
    assert session.message.startswith(f"{name}: not readable")
    assert "/" not in session.message


def test_the_hint_of_a_refusal_names_no_folder_on_the_page(session: Session, home: Home) -> None:
    hint = audio_unavailable(f"{home.uploads / 'dashboard' / 'track.mp3'}: not readable").hint
    assert "track.mp3: not readable" in session.for_the_page(hint)
    assert "/" not in session.for_the_page(hint)


def test_a_fault_of_ours_does_not_show_the_folders_either(session: Session, home: Home) -> None:
    told: list[str] = []
    session.run(missing_file, home.root / "arrays" / "gone.zarr", on_result=lambda _: None, on_error=told.append)
    until_idle(session)
    assert told == [session.message]
    assert "gone.zarr" in session.message
    assert str(home.root) not in session.message


def test_the_page_finds_files_to_listen_to_and_no_others(session: Session, home: Home) -> None:
    assert session.url_of(home.renders / "dashboard" / "a b" / "track.wav") == "sounds/a%20b/track.wav"
    with pytest.raises(ValueError, match="subpath"):
        session.url_of(home.root / "workbench.sqlite")
