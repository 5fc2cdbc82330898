"""Links to a version: an open one shows it and takes answers if it may; one taken back or expired does nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.review.comments import MAX_TEXT, decide, load_review
from workbench.review.links import (
    BY_LINK,
    LONGEST,
    MOST_ANSWERS,
    comment_by_link,
    decide_by_link,
    make_link,
    open_link,
    open_links,
    take_back,
)
from workbench.review.verdicts import MAX_NAME
from workbench.review.versions import freeze_plan
from workbench.store.clock import SystemClock, using
from workbench.store.home import Home
from workbench.workflows.plan import Planned

DAY = timedelta(days=1)


class Later(SystemClock):
    """The clock of the machine, some seconds on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def wall_seconds(self) -> float:
        return super().wall_seconds() + self.seconds


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Home(tmp_path / "home"))


@pytest.fixture
def version(workspace: Workspace, reviewed_loop: Planned) -> str:
    return freeze_plan(workspace, reviewed_loop).version_id


def test_a_link_opens_its_version_until_it_expires(workspace: Workspace, version: str) -> None:
    link = make_link(workspace, version, DAY)
    assert open_link(workspace, link.token) == link
    assert (link.version_id, link.may_answer) == (version, False)
    with using(Later(86_390)):
        assert open_link(workspace, link.token) == link
    with using(Later(86_410)):
        assert open_links(workspace, [version]) == []
        with pytest.raises(InputError, match="not open"):
            open_link(workspace, link.token)


def test_links_are_taken_back_one_by_one(workspace: Workspace, version: str) -> None:
    first, second = (make_link(workspace, version, DAY, may_answer=True) for _ in range(2))
    assert open_links(workspace, [version]) == [second, first]
    assert open_links(workspace, ["pv_01JD0000000000000000000000"]) == []
    take_back(workspace, first.token)
    take_back(workspace, first.token)
    assert open_links(workspace, [version]) == [second]
    with pytest.raises(InputError, match="taken back"):
        open_link(workspace, first.token)
    with pytest.raises(InputError, match="taken back"):
        comment_by_link(workspace, first.token, "Cleo", "too late", 1.0)
    comment_by_link(workspace, second.token, "Cleo", "in time", 1.0)


@pytest.mark.parametrize("token", ["", "x", "0" * 32, "%", "' OR 1=1 --"])
def test_what_was_never_made_opens_nothing(workspace: Workspace, version: str, token: str) -> None:
    make_link(workspace, version, DAY)
    with pytest.raises(InputError, match="not open"):
        open_link(workspace, token)
    elsewhere = Workspace(Home(workspace.home.root.parent / "elsewhere"))
    with pytest.raises(InputError, match="not open"):
        open_link(elsewhere, token)
    assert not elsewhere.home.root.exists()


def test_answers_bear_the_name_and_that_they_came_by_a_link(
    workspace: Workspace, reviewed_loop: Planned, version: str
) -> None:
    decide(workspace, reviewed_loop, "Ana", "needs work")
    token = make_link(workspace, version, DAY, may_answer=True).token
    comment_by_link(workspace, token, " Ana ", "I am somebody else", 0.0, seam=1)
    decide_by_link(workspace, token, "Ana", "approved")
    review = load_review(workspace, reviewed_loop)
    (thread,) = review.threads
    assert (thread.first.reviewer, thread.first.version_id) == ("Ana (by link)", version)
    assert thread.first.video_s == pytest.approx(reviewed_loop.plan.seam_times[1])
    assert [(one.reviewer, one.decision) for one in review.decisions(version)] == [
        ("Ana", "needs work"), ("Ana (by link)", "approved")
    ]  # fmt: skip


def test_a_link_takes_no_more_than_it_may(workspace: Workspace, reviewed_loop: Planned, version: str) -> None:
    read_only = make_link(workspace, version, DAY).token
    with pytest.raises(InputError, match="read only"):
        comment_by_link(workspace, read_only, "Cleo", "hm", 1.0)
    with pytest.raises(InputError, match="read only"):
        decide_by_link(workspace, read_only, "Cleo", "approved")
    token = make_link(workspace, version, DAY, may_answer=True).token
    for name in ("", " ", "x" * (MAX_NAME + 1), "x" * MAX_NAME, "two\nlines", "Ana\u202e"):
        with pytest.raises(ParameterError, match="name"):
            comment_by_link(workspace, token, name, "hm", 1.0)
    most = MAX_NAME - len(BY_LINK)
    with pytest.raises(ParameterError, match=f"1 to {most} characters"):
        decide_by_link(workspace, token, "x" * (most + 1), "approved")
    for text in ("", " ", "x" * (MAX_TEXT + 1)):
        with pytest.raises(ParameterError, match="characters"):
            comment_by_link(workspace, token, "Cleo", text, 1.0)
    with pytest.raises(ParameterError, match="no seam 99"):
        comment_by_link(workspace, token, "Cleo", "hm", 1.0, seam=98)
    assert load_review(workspace, reviewed_loop).threads == ()
    for _ in range(MOST_ANSWERS):
        decide_by_link(workspace, token, "Cleo", "approved")
    with pytest.raises(InputError, match=str(MOST_ANSWERS)):
        comment_by_link(workspace, token, "Cleo", "one more", 1.0)


@pytest.mark.parametrize("lasts", [timedelta(0), -DAY, LONGEST + timedelta(seconds=1)])
def test_a_link_lasts_no_longer_than_it_may(workspace: Workspace, version: str, lasts: timedelta) -> None:
    with pytest.raises(ParameterError, match="up to 90 days"):
        make_link(workspace, version, lasts)
    with pytest.raises(InputError, match="no version"):
        make_link(workspace, "pv_01JD0000000000000000000000", DAY)
