"""Reviewing without a browser: comments, decisions and links of a plan, on two pages at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.link import version_music
from workbench.dashboards.sounds.plan import soundtrack_beside
from workbench.dashboards.sounds.video import playback_facts
from workbench.dashboards.tabs.review import ReviewState, ReviewTab, show_answered, when
from workbench.dashboards.transport import Program, Transport
from workbench.errors import InputError
from workbench.media.probe import probe
from workbench.review.links import comment_by_link, open_link
from workbench.review.versions import thaw
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def opened(home: Home, loop: Planned, reviewer: str, pool: WaitingPool | None = None) -> ReviewTab:
    """A page on a plan, whose work waits."""
    session = Session(Workspace(home), pool=pool or WaitingPool())
    session.loop, session.reviewer = loop, reviewer
    return ReviewTab(session)


@pytest.fixture
def tab(home: Home, corner_loop: Planned) -> ReviewTab:
    return opened(home, corner_loop, "Ana")


def test_a_comment_stands_at_the_playhead_or_at_a_seam(tab: ReviewTab, corner_loop: Planned) -> None:
    tab.player.time = 12.5
    tab.ask("comment", "too loud", -1)
    tab.ask("comment", "the hi-hat", 1)
    assert [(one["at"], one["seam"], one["text"], one["reviewer"]) for one in tab.board.threads] == [
        (12.5, -1, "too loud", "Ana"), (corner_loop.plan.seam_times[1], 1, "the hi-hat", "Ana")
    ]  # fmt: skip
    assert (tab.board.version, tab.board.sent) == (1, 2)


def test_it_is_listened_to_where_the_page_is(home: Home, corner_loop: Planned) -> None:
    session = Session(Workspace(home), pool=WaitingPool())
    session.loop, session.reviewer, session.time = corner_loop, "Ana", 85.0
    tab = ReviewTab(session)
    transport = Transport()
    transport.add("Beats", Program(clock="track", music_a="track.wav", time=3.0))
    transport.open_tab("Beats")
    transport.add("Review", tab.player)
    transport.open_tab("Review")
    assert transport.bar.seek[0] == 85.0
    transport.bar.told = [transport.bar.seek[1], 86.5]
    assert session.time == 86.5
    tab.ask("comment", "too loud")
    assert [one["at"] for one in tab.board.threads] == [86.5]


def test_a_comment_takes_its_time_from_the_browser(tab: ReviewTab) -> None:
    tab.player.time = 12.5
    tab.ask("comment", "too loud", -1, 12.71)
    tab.ask("comment", "too late", -1, None)
    assert [one["at"] for one in tab.board.threads] == [12.5, 12.71]


def test_an_answer_that_is_kept_clears_its_own_field_alone(tab: ReviewTab) -> None:
    tab.ask("comment", "too loud", -1)
    (thread,) = tab.board.threads
    tab.ask("answer", thread["id"], "x" * 5000)
    assert (tab.board.sent, tab.board.answered) == (1, [])
    tab.ask("answer", thread["id"], "2 dB less?")
    tab.ask("answer", thread["id"], "or 3?")
    assert (tab.board.sent, tab.board.answered) == (1, [thread["id"], 2])


def test_the_soundtrack_is_heard_at_the_rate_of_the_music(corner_home: Home, corner_fit: Planned) -> None:
    pool = WaitingPool()
    tab = opened(corner_home, corner_fit, "Ana", pool)
    wanted = next(task for task in pool.tasks if task.function is soundtrack_beside)
    path = soundtrack_beside(Workspace(corner_home), *wanted.arguments)
    assert path is not None
    assert probe(path).sample_rate == probe(corner_fit.track.path).sample_rate
    pool.finish(pool.tasks.index(wanted), path)
    assert tab.player.soundtrack.endswith(path.name)


def test_the_video_is_seen_and_stays_under_another_mix(corner_home: Home, corner_fit: Planned) -> None:
    pool = WaitingPool()
    tab = opened(corner_home, corner_fit, "Ana", pool)
    session = tab._session
    (asked,) = (number for number, task in enumerate(pool.tasks) if task.function is playback_facts)
    pool.finish(asked, ("0123456789abcdef", 24.0, True))
    assert (tab.player.video_url, tab.player.fps) == ("videos/0123456789abcdef", 24.0)
    assert corner_fit.mix is not None
    session.loop = replace(corner_fit, mix=replace(corner_fit.mix, music_gain_db=-3.0))
    assert tab.player.video_url == "videos/0123456789abcdef"
    assert sum(task.function is playback_facts for task in pool.tasks) == 1
    session.loop = None
    assert tab.player.video_url == ""


def test_pages_on_the_same_plan_show_each_others_comments(home: Home, tab: ReviewTab, corner_loop: Planned) -> None:
    other = opened(home, corner_loop, "Ben")
    elsewhere = opened(Home(home.root.parent / "elsewhere"), corner_loop, "Cleo")
    tab.ask("comment", "too loud", -1)
    (thread,) = other.board.threads
    other.ask("answer", thread["id"], "2 dB less?")
    other.ask("decide", "approved")
    tab.ask("resolve", thread["id"])
    for page in (tab, other):
        (thread,) = page.board.threads
        assert [(one["reviewer"], one["text"]) for one in thread["answers"]] == [("Ben", "2 dB less?")]
        assert thread["resolved_by"] == "Ana"
        assert [(one["reviewer"], one["decision"]) for one in page.board.decisions] == [("Ben", "approved")]
    other.ask("open", thread["id"])
    assert tab.board.threads[0]["resolved_by"] == ""
    assert elsewhere.board.threads == []


def test_what_comes_in_quick_succession_is_done_once_each(tab: ReviewTab) -> None:
    now = tab.board.playing
    tab.board.asked = [[1, now, "comment", "too loud", -1], [2, now, "decide", "approved"]]
    tab.board.asked = [[2, now, "decide", "approved"], [3, now, "comment", "and late", -1]]
    assert [one["text"] for one in tab.board.threads] == ["too loud", "and late"]
    assert len(tab.board.decisions) == 1
    assert tab.board.taken == 3


def test_nothing_is_said_without_a_name(home: Home, corner_loop: Planned) -> None:
    tab = opened(home, corner_loop, "")
    tab.ask("comment", "too loud", -1)
    tab.ask("decide", "approved")
    assert (tab.board.threads, tab.board.decisions, tab.board.sent) == ([], [], 0)
    assert "name" in tab.board.fault
    tab._session.reviewer = "Ana"
    tab.ask("decide", "approved")
    assert tab.board.fault == ""
    assert tab.board.decisions[0]["reviewer"] == "Ana"


def test_what_cannot_be_kept_is_told_and_leaves_the_text(tab: ReviewTab) -> None:
    tab.ask("comment", "x" * 5000, -1)
    assert "1 to 4000 characters" in tab._session.message
    assert tab.board.sent == 0


def test_another_crossfade_is_another_version_that_nobody_approved(tab: ReviewTab, corner_loop: Planned) -> None:
    tab.ask("comment", "a click", 0)
    tab.ask("decide", "approved")
    plan = replace(corner_loop.plan.alone, seam_fades=(0.2, *corner_loop.plan.seam_fades[1:]))
    tab._session.loop = replace(corner_loop, answer=plan)
    assert (tab.board.version, tab.board.decisions) == (0, [])
    assert [(one["number"], one["decisions"][0]["decision"]) for one in tab.board.versions] == [(1, "approved")]
    (thread,) = tab.board.threads
    assert (thread["seam"], thread["version"]) == (0, 1)
    tab.ask("decide", "needs work")
    assert tab.board.version == 2


def test_a_link_freezes_what_plays(tab: ReviewTab, home: Home, corner_loop: Planned) -> None:
    tab.ask("link", 7)
    tab.ask("link", 1, True)
    newest, first = tab.board.links
    assert (newest["may_answer"], first["may_answer"], newest["number"]) == (True, False, 1)
    link = open_link(Workspace(home), newest["address"].rsplit("/", 1)[1])
    assert thaw(Workspace(home), link.version_id).plan == corner_loop.plan.alone
    tab.ask("take back", newest["token"])
    assert tab.board.links == [first]
    with pytest.raises(InputError, match="taken back"):
        open_link(Workspace(home), link.token)
    tab.ask("link", 1000)
    assert "up to 90 days" in tab._session.message


def test_what_comes_by_a_link_is_shown_at_once(tab: ReviewTab, home: Home) -> None:
    tab.ask("link", 1, True)
    workspace, token = Workspace(home), tab.board.links[0]["token"]
    comment_by_link(workspace, token, "Cleo", "from outside", 3.0)
    assert tab.board.threads == []
    show_answered(home, thaw(workspace, open_link(workspace, token).version_id))
    assert [(one["reviewer"], one["text"]) for one in tab.board.threads] == [("Cleo (by link)", "from outside")]


def test_an_older_version_plays_beside_the_plan_and_is_spoken_about(home: Home, corner_loop: Planned) -> None:
    pool = WaitingPool()
    tab = opened(home, corner_loop, "Ana", pool)
    session = tab._session
    tab.ask("decide", "needs work")
    fades = (0.2, *corner_loop.plan.seam_fades[1:])
    session.loop = replace(corner_loop, answer=replace(corner_loop.plan.alone, seam_fades=fades))
    tab.ask("decide", "approved")
    first = tab.board.versions[-1]
    assert (first["number"], first["decisions"][0]["decision"]) == (1, "needs work")
    tab.ask("play", first["id"])
    asked = next(number for number, task in enumerate(pool.tasks) if task.function is version_music)
    path, peak = version_music(session.workspace, *pool.tasks[asked].arguments)
    pool.finish(asked, (path, peak))
    assert tab.player.music_b.endswith(path.name)
    assert (tab.player.chosen, tab.player.labels) == ("b", ["now", "version 1"])
    assert (tab.board.version, tab.board.older) == (1, first["id"])
    assert tab.board.decisions[0]["decision"] == "needs work"
    tab.ask("play", tab.board.versions[0]["id"])  # version 1 plays until the other one's sound is there
    tab.ask("comment", "of the old one", -1)
    tab.ask("link", 1)
    assert [one["version"] for one in tab.board.threads] == [1]
    assert tab.board.links[0]["number"] == 1
    pool.fail(
        next(number for number, task in enumerate(pool.tasks) if task.function is version_music and number > asked), ""
    )
    assert (tab.board.version, tab.player.labels) == (1, ["now", "version 1"])
    shown = tab.board.playing
    tab.player.chosen = "a"  # the transport's own choice
    assert (tab.board.version, tab.board.older) == (2, "")
    tab.board.asked = [[1, shown, "decide", "needs work"]]  # a click of before
    assert tab.board.decisions[0]["decision"] == "approved"
    assert "Something else plays" in tab.board.fault
    tab.ask("comment", "of the new one", -1)
    assert [one["version"] for one in tab.board.threads] == [1, 2]
    tab.player.chosen = "b"
    tab.ask("play", first["id"])  # again: back to the plan
    assert (tab.player.chosen, tab.board.version) == ("a", 2)
    session.loop = corner_loop
    assert (tab.player.music_b, tab.board.version) == ("", 1)


def test_without_a_plan_there_is_nothing_to_review(home: Home) -> None:
    tab = ReviewTab(Session(Workspace(home), pool=WaitingPool()))
    assert (tab.none.visible, tab.board.visible) == (True, False)
    tab.ask("comment", "hm", -1)
    state = ReviewState(Workspace(home))
    assert (state.plan, state.threads()) == (None, [])
    assert not home.database.exists()


def test_times_are_those_of_this_machine() -> None:
    assert when("2026-01-02T03:04:05.000000+00:00").split(",")[0].endswith("Jan 2026")
