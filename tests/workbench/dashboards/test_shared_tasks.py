"""Equal work of several pages is done once: joined, given up by one or by all, failed, and kept for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workbench.dashboards.waiting import CollectingPool, WaitingPool, until_idle
from workbench.analysis.grids import save_grid
from workbench.analysis.workspace import Workspace
from workbench.beats.corrections import shift_bar
from workbench.beats.grid import BeatGrid
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.seam import seams_cache_key
from workbench.dashboards.tabs.plan import PlanTab
from workbench.dashboards.tasks import Pool, RecentResults, Task, Work
from workbench.errors import MediaError
from workbench.files import bundled_path
from workbench.params import DuckParams, WorkbenchParams
from workbench.plans.constraints import NO_CONSTRAINTS, SeamConstraints, TrackRange
from workbench.store.home import Home
from workbench.workflows.plan import Planned

PARAMS = WorkbenchParams()
PATIENCE_SECONDS = 60.0
TRACK = bundled_path("data", "bundled", "music", "slow_tide.ogg")


def noted(workspace: Workspace, number: int) -> int:
    """Twice a number, once the file "go" is there; leaves a line for each time that it is worked out."""
    with (workspace.home.root / "times").open("a", encoding="utf-8") as file:
        file.write(f"{number}\n")
    workspace.progress("doubling", 0.5)
    while not (workspace.home.root / "go").exists():
        time.sleep(0.01)
    return 2 * number


def refused(workspace: Workspace) -> None:
    """Fails once the file "go" is there, and leaves a line."""
    noted(workspace, 0)
    raise MediaError("track.wav: no such file")


class Page:
    """One of several pages that ask for the same work, and the news it gets."""

    def __init__(self, pool: Pool, home: Home, function: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        self.heard: list[Any] = []
        self.began = threading.Event()
        given = {"params": PARAMS, "cache_key": arguments, "owner": self, **named}
        self.task = Task(
            home, given.pop("params"), function, arguments, {}, on_done=self.heard.append,
            on_fault=lambda fault: self.heard.append(f"fault: {fault}"),
            on_cancelled=lambda: self.heard.append("cancelled"), on_progress=lambda *_: self.began.set(), **given,
        )  # fmt: skip
        pool.submit(self.task)

    def ends(self) -> list[Any]:
        assert self.task.wait(PATIENCE_SECONDS)
        return self.heard


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(2)
    yield pool
    pool.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def times(home: Home) -> int:
    """How often something was worked out."""
    return len((home.root / "times").read_text(encoding="utf-8").splitlines())


def go(home: Home) -> None:
    (home.root / "go").touch()


@pytest.mark.slow
def test_five_pages_have_one_result_and_a_later_one_has_it_too(pool: Pool, home: Home) -> None:
    pages = [Page(pool, home, noted, 21) for _ in range(5)]
    assert all(page.began.wait(PATIENCE_SECONDS) for page in pages[:1])
    go(home)
    assert [page.ends() for page in pages] == [[42]] * 5
    assert Page(pool, home, noted, 21).ends() == [42]
    assert times(home) == 1


@pytest.mark.slow
def test_other_inputs_other_parameters_and_work_of_one_page_alone_are_done_each(pool: Pool, home: Home) -> None:
    go(home)
    other = PARAMS.model_copy(update={"duck": DuckParams(attack_ms=77)})
    pages = [
        Page(pool, home, noted, 1), Page(pool, home, noted, 2), Page(pool, home, noted, 1, params=other),
        Page(pool, home, noted, 1, cache_key=("another file",)), Page(pool, home, noted, 1, cache_key=None),
    ]  # fmt: skip
    assert [page.ends() for page in pages] == [[2], [4], [2], [2], [2]]
    assert times(home) == 5


@pytest.mark.slow
def test_work_goes_on_while_one_page_wants_it(pool: Pool, home: Home) -> None:
    first = Page(pool, home, noted, 21)
    assert first.began.wait(PATIENCE_SECONDS)
    second = Page(pool, home, noted, 21)
    assert second.task.is_running
    first.task.cancel()
    assert first.ends() == ["cancelled"]
    assert not second.task.cancelled
    go(home)
    assert second.ends() == [42]
    assert times(home) == 1


@pytest.mark.slow
def test_work_that_no_page_wants_ends_and_is_begun_anew_for_the_next(pool: Pool, home: Home) -> None:
    pages = [Page(pool, home, noted, 21) for _ in range(2)]
    assert pages[0].began.wait(PATIENCE_SECONDS)
    for page in pages:
        page.task.cancel()
    assert [page.ends() for page in pages] == [["cancelled"]] * 2
    later = Page(pool, home, noted, 21)
    assert later.began.wait(PATIENCE_SECONDS)
    go(home)
    assert later.ends() == [42]
    assert times(home) == 2


@pytest.mark.slow
def test_what_goes_wrong_is_news_to_all_and_is_tried_again_by_the_next(pool: Pool, home: Home) -> None:
    pages = [Page(pool, home, refused) for _ in range(3)]
    go(home)
    assert [page.ends() for page in pages] == [["fault: track.wav: no such file"]] * 3
    before = times(home)
    assert Page(pool, home, refused).ends() == ["fault: track.wav: no such file"]
    assert times(home) == before + 1


def test_pages_that_wait_are_over_when_the_pool_closes(home: Home) -> None:
    pool = Pool(1)
    running = Page(pool, home, noted, 1)
    assert running.began.wait(PATIENCE_SECONDS)
    waiting = [Page(pool, home, noted, 2) for _ in range(2)]
    pool.close()
    assert [page.ends() for page in waiting] == [[], []]
    running.ends()


def test_shared_work_counts_for_a_page_that_waits_for_it(home: Home) -> None:
    """Work that its first page has left is that of the next one, which has its share of the workers by it."""
    pool = Pool(2)
    try:
        first = Page(pool, home, noted, 1, owner="one")
        second = Page(pool, home, noted, 1, owner="other")
        assert first.began.wait(PATIENCE_SECONDS)
        first.task.cancel()
        (work,) = [worker.work for worker in pool._workers if worker.work is not None]
        assert work.owner == "other"
        go(home)
        assert second.ends() == [2]
    finally:
        pool.close()


def test_results_are_kept_as_long_and_as_many_as_they_may() -> None:
    kept = RecentResults(most_bytes=100, seconds=3600.0)
    for key, size in (("a", 40), ("b", 40)):
        kept.keep(key, key.upper(), size)
    assert kept.find("a") == ("A",)
    kept.keep("c", None, 40)
    assert (kept.find("a"), kept.find("b"), kept.find("c")) == (("A",), None, (None,)), "the one used longest ago goes"
    kept.keep("d", "D", 101)
    assert (kept.find("d"), kept.find("a")) == (None, ("A",)), "what is larger than all takes nobody's place"
    over = RecentResults(most_bytes=100, seconds=0.0)
    over.keep("a", "A", 1)
    assert over.find("a") is None


class CountingPool(CollectingPool):
    """Keeps what its workers do: the name of the function, and its arguments in words."""

    def __init__(self) -> None:
        super().__init__(2)
        self.begun: list[tuple[str, str]] = []

    def take(self, worker: Any) -> Work | None:
        work = super().take(worker)
        if work is not None:
            self.begun.append((work.first.function.__name__, str(work.first.arguments)))
        return work

    def times(self, name: str) -> int:
        return [function for function, _ in self.begun].count(name)


@pytest.mark.slow
def test_five_pages_of_one_track_and_video_ask_their_workers_once(home: Home, short_video: Path) -> None:
    pool = CountingPool()
    try:
        pages = [Session(Workspace(home), pool=pool) for _ in range(5)]
        tabs = [PlanTab(page) for page in pages]
        for page in pages:
            page.open_new(TRACK, short_video)
        for page in pages:
            until_idle(page)
        assert all(page.loop is not None and page.track_sound is not None for page in pages)
        assert all(tab.state.video is not None for tab in tabs)
        assert sorted(set(pool.begun)) == sorted(pool.begun), "each once"
        assert [pool.times(name) for name in ("plan_track", "load_video", "track_file")] == [1, 1, 1]
    finally:
        pool.close()


def test_pages_that_are_open_on_one_plan_have_one_worker_listen_around_its_seams(
    tide_home: Home, tide_loop: Planned
) -> None:
    pool = CountingPool()
    try:
        pages = [Session(Workspace(tide_home), pool=pool) for _ in range(2)]
        tabs = []
        for page in pages:
            page.show(tide_loop)
            tabs.append(PlanTab(page))
        for page in pages:
            until_idle(page)
        assert all(tab.editor.panel.places for tab in tabs)
        assert pool.times("render_option") == 1
    finally:
        pool.close()


def test_what_is_known_of_seams_follows_the_grid_and_the_constraints(tide_loop: Planned) -> None:
    plan, analysis = tide_loop.plan, tide_loop.analysis
    assert analysis is not None
    key = seams_cache_key(tide_loop, plan, NO_CONSTRAINTS)
    assert key == seams_cache_key(replace(tide_loop, mix=None), plan, NO_CONSTRAINTS)
    assert key != seams_cache_key(tide_loop, plan, SeamConstraints(excluded=(TrackRange(10.0, 20.0),)))
    other = replace(analysis, beat_analysis=replace(analysis.beat_analysis, grid=shift_bar(analysis.grid, 1)))
    assert key != seams_cache_key(replace(tide_loop, analysis=other), plan, NO_CONSTRAINTS)
    assert seams_cache_key(replace(tide_loop, analysis=None), plan) is None


@pytest.mark.slow
def test_a_plan_that_is_begun_before_its_page_is_drawn_is_the_one_that_the_page_shows(
    home: Home, short_video: Path
) -> None:
    pool = CountingPool()
    try:
        page = Session(Workspace(home), pool=pool)
        page.foresee(TRACK.with_name("none.ogg"), short_video)
        assert (page.busy, page.message) == (False, ""), "what opens it says that it is not there"
        page.foresee(TRACK, short_video)
        assert (page.busy, page.track, page.loop) == (True, None, None)
        page.open_new(TRACK, short_video)
        until_idle(page)
        assert page.loop is not None
        assert pool.times("plan_track") == 1
        page.foresee(TRACK, short_video)
        page.cancel()
        until_idle(page)
    finally:
        pool.close()


@pytest.mark.slow
def test_a_plan_that_is_made_after_something_was_kept_is_a_new_one(home: Home, short_video: Path) -> None:
    pool = CountingPool()
    try:
        page = Session(Workspace(home), pool=pool)
        page.open_track(TRACK)
        until_idle(page)
        assert page.analysis is not None
        save_grid(page.workspace, page.analysis.content_hash, shift_bar(page.analysis.grid, 1), "a beat later")
        page.replan()
        until_idle(page)
        assert pool.times("analyze") == 2
        page.replan()
        until_idle(page)
        assert pool.times("analyze") == 2
    finally:
        pool.close()


def test_progress_that_comes_after_a_page_gave_its_part_up_is_not_shown(tmp_path: Path) -> None:
    """Work that others still want tells all that waited for it a moment ago."""
    pool = WaitingPool()
    page = Session(Workspace(Home(tmp_path)), pool=pool)
    page.run(noted, 1, on_result=lambda _: None, cache_key=1)
    (task,) = pool.tasks
    assert task.on_progress is not None
    task.on_progress("doubling", 0.5)
    assert page.stage == "doubling"
    pool.cancel(0)
    task.on_progress("doubling", 0.9)
    assert page.stage == ""
    assert not page.busy


@pytest.mark.slow
def test_a_result_is_not_kept_once_what_it_depends_on_has_changed(pool: Pool, home: Home) -> None:
    """A grid that is saved while a plan waits is in the plan, which must not be served where the old grid is back."""
    (home.root / "go").touch()
    for count in (1, 2):
        assert Page(pool, home, noted, 4, key_holds=lambda: False).ends() == [8]
        assert times(home) == count
    for _ in range(2):
        assert Page(pool, home, noted, 4, key_holds=lambda: True).ends() == [8]
    assert times(home) == 3


def test_a_plan_holds_until_something_else_is_kept_by_hand(tmp_path: Path, short_video: Path) -> None:
    pool = WaitingPool()
    page = Session(Workspace(Home(tmp_path)), pool=pool)
    page.open_new(TRACK, short_video)
    holds = pool.tasks[0].key_holds
    assert holds is not None
    assert holds()
    save_grid(page.workspace, "ab" * 32, BeatGrid(np.arange(0.5, 4.5, 0.5), np.arange(8) % 4 + 1, 4, 1.0))
    assert not holds()
