"""The Review tab: what several people say about a plan, at the playhead and at its seams, and whether they approve.

What is written here freezes the plan as it is played, as a version that later changes leave alone. Comments go on to
the next versions, decisions do not. A link shows one version to people without an account
(`workbench.dashboards.links`). Pages of one server that are open on the same track and video show each other's comments
at once.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.links import link_address
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.reviewer import reviewer_field
from workbench.dashboards.sounds.link import shown_sound
from workbench.dashboards.sounds.plan import (
    FULL_SCALE,
    RenderedOption,
    gains_of,
    headroom_db,
    played_duck,
    render_option,
    soundtrack_beside,
)
from workbench.dashboards.sounds.video import playback_facts
from workbench.dashboards.styles import stylesheet
from workbench.dashboards.tabs.tab import NOT_LOOPED, Tab, answer_each
from workbench.dashboards.tabs.video_picture import VideoPicture
from workbench.dashboards.transport import Program, script
from workbench.files import stamps_of
from workbench.plans.plan import LoopPlan
from workbench.review.comments import (
    Decision,
    PlanReview,
    answer_comment,
    comment_on,
    decide,
    load_review,
    resolve_thread,
    seam_of,
)
from workbench.review.links import sign_link
from workbench.review.versions import freeze_plan
from workbench.workflows.plan import Planned


@dataclass(eq=False)
class ReviewState:
    """What reviewers said about the plan that is looked at; no widgets."""

    workspace: Workspace
    loop: Planned | None = None
    review: PlanReview | None = None

    @property
    def plan(self) -> LoopPlan | None:
        """The plan that plays."""
        return self.loop.answer if self.loop is not None and isinstance(self.loop.answer, LoopPlan) else None

    def is_about_same(self, other: ReviewState) -> bool:
        """Whether another page looks at a plan of the same track under the same video."""
        if self.loop is None or other.loop is None or self.workspace.home != other.workspace.home:
            return False
        return (self.loop.track.path, self.loop.video) == (other.loop.track.path, other.loop.video)

    def take(self, loop: Planned | None) -> None:
        """Look at another plan."""
        self.loop, self.review = loop, None
        self.reload()

    def reload(self) -> None:
        """Read again what was said."""
        self.review = None if self.loop is None or self.plan is None else load_review(self.workspace, self.loop)

    def facts(self) -> dict[str, Any]:
        """What the board shows: seams, threads, version and decisions."""
        plan, review = self.plan, self.review
        version = None if review is None else review.version
        return {
            "duration": 0.0 if plan is None else plan.window_end,
            "seams": [] if plan is None else list(plan.seam_times),
            "threads": self.threads(),
            "version": 0 if version is None or review is None else review.number(version.version_id),
            "frozen": "" if version is None else when(version.at),
            "newest": 0 if review is None else len(review.versions),
            "decisions": []
            if review is None
            else [{"reviewer": o.reviewer, "decision": o.decision, "when": when(o.at)} for o in review.approvals],
        }

    def threads(self) -> list[dict[str, Any]]:
        """The comments with their answers, by the time at which they are due in this plan."""
        plan, review = self.plan, self.review
        if plan is None or review is None:
            return []
        found = []
        for thread in review.threads:
            first, seam = thread.first, seam_of(plan, thread.first)
            found.append(
                {
                    "id": first.comment_id,
                    "at": first.video_s if seam is None else plan.seam_times[seam],
                    "seam": -1 if seam is None else seam,
                    "version": thread.version,
                    "reviewer": first.reviewer,
                    "text": first.text,
                    "when": when(first.at),
                    "resolved_by": first.resolved_by or "",
                    "answers": [
                        {"reviewer": one.reviewer, "text": one.text, "when": when(one.at)} for one in thread.answers
                    ],
                }
            )
        return sorted(found, key=lambda one: one["at"])


def when(at: str) -> str:
    """A time of a record as reviewers read it, on the clock of this machine.

    `at`: ISO 8601 with its offset.
    """
    return _date(datetime.fromisoformat(at).astimezone())


def _date(at: datetime) -> str:
    return f"{at.day} {at:%b %Y, %H:%M}"


class ReviewBoard(JSComponent):
    """Comments, decisions and the link, with a form at the playhead."""

    time = param.Number(0.0, doc="playhead, video s")
    duration = param.Number(0.0)
    seams = param.List([], doc="video s")
    threads = param.List([], doc="see `ReviewState.threads`")
    version = param.Integer(0, doc="number of the version that plays; 0: it was not frozen")
    frozen = param.String("")
    newest = param.Integer(0, doc="number of the version that was frozen last; 0: none")
    decisions = param.List([], doc="reviewer, decision and when of each")
    reviewer = param.String("")
    address = param.String("", doc="of the link, without the name of the server; empty for none")
    open_until = param.String("")
    fault = param.String("", doc="why the last request was not fulfilled")
    asked = param.List([], doc="[n, what, its details] of each request that may not be taken yet")
    taken = param.Integer(0, doc="n of the last request that was taken")
    sent = param.Integer(0, doc="counts up when the comment that was written is saved")
    answered = param.List([], doc="[id of the comment, n]: an answer to it is saved")

    _esm = script("clock", "asks", "made", "review")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("review")]


_open: weakref.WeakSet[ReviewTab] = weakref.WeakSet()
"""tabs of all pages of this server, which show each other's comments"""


class ReviewTab(Tab):
    """Comments, decisions and links."""

    title = "Review"

    def __init__(self, session: Session) -> None:
        self.state = ReviewState(session.workspace)
        super().__init__(session)
        self._page = this_page_loop()
        self._shown: tuple[Any, ...] = ()
        self.player = self.program = Program()
        self._video_picture = VideoPicture(session, self.player, self.run)
        self.board = ReviewBoard(sizing_mode="stretch_width")
        self.none = pmui.Typography("", variant="body1", margin=(24, 10))
        self.reviewer = reviewer_field(session)
        self.reviewer.margin = (4, 0)
        self.player.param.watch(lambda event: setattr(self.board, "time", event.new), "time")
        self.follow_place(self.player)
        answer_each(self.board, self.ask)
        self.follow(["reviewer"], lambda name: setattr(self.board, "reviewer", name))
        self.follow_shown(["loop"], self.take)
        _open.add(self)

    def take(self, loop: Planned | None) -> None:
        """Review another plan, and prepare its sound."""
        self.attempt(self.state.take, loop)
        self.board.param.update(address="", open_until="", fault="")
        self.show()
        refused = loop is not None and self.state.plan is None
        self.none.object = f"There is no plan to review{NOT_LOOPED if refused else ' yet.'}"
        self.none.visible = self.state.plan is None
        self.board.visible = not self.none.visible
        shown = () if loop is None or self.state.plan is None else (loop.track.path, loop.video, loop.answer, loop.mix)
        if shown == self._shown:
            return
        same_video = shown[1:2] == self._shown[1:2]
        self._shown = shown
        self.player.param.update(music_a="", soundtrack="", duration=self.board.duration, region=[])
        if not same_video:
            self.player.video_url = ""
        if loop is None or self.state.plan is None:
            return
        subject, wanted = str(loop.track.path), partial(self._is_current, shown)
        files = stamps_of(loop.track.path, loop.video)
        self.run(
            render_option, loop, self.state.plan.alone, then=self._hear, wanted=wanted, subject=subject,
            same=(loop.answer, loop.mix, self.state.plan.alone, *files),
        )  # fmt: skip
        if loop.video is not None:
            sound = (loop.video, loop.track.path)
            self.run(
                soundtrack_beside, *sound, then=self._add_soundtrack, wanted=wanted, subject=str(loop.video), same=files
            )
            if not self.player.video_url:
                show = partial(self._show_video, loop.video)
                self.run(playback_facts, loop.video, then=show, wanted=wanted, subject=str(loop.video), same=files)

    def ask(self, what: str, *details: Any) -> None:
        """Do what a reviewer asks for."""
        if self.state.plan is None:
            return
        acts: dict[str, Callable[..., None]] = {
            "comment": self.comment, "answer": self.answer, "resolve": self.resolve, "open": self.open_again,
            "decide": self.decide, "link": self.share,
        }  # fmt: skip
        if self._session.reviewer or what == "link":
            self.board.fault = ""
            if self.attempt(acts[what], *details):
                self._tell()
        else:
            self.board.fault = "Write your name above first: others see who says what."
            self.reviewer.missed += 1

    def comment(self, text: str, seam: int = -1, at: float | None = None) -> None:
        """Comment on a seam, or on the place where the plan is listened to.

        `seam`: counted from 0; -1: where the playhead is. `at`: where that is, s; None: where the player last reported.
        """
        place, about = float(self.player.time if at is None else at), None if seam < 0 else int(seam)
        comment_on(self._session.workspace, self._loop(), self._session.reviewer, text, place, about)
        self.board.sent += 1

    def answer(self, comment_id: str, text: str) -> None:
        """Answer a comment."""
        answer_comment(self._session.workspace, self._loop(), comment_id, self._session.reviewer, text)
        self.board.answered = [comment_id, (self.board.answered[1] + 1) if self.board.answered else 1]

    def resolve(self, comment_id: str) -> None:
        """Resolve a thread."""
        resolve_thread(self._session.workspace, comment_id, self._session.reviewer)

    def open_again(self, comment_id: str) -> None:
        """Open a thread again that was resolved."""
        resolve_thread(self._session.workspace, comment_id, None)

    def decide(self, decision: str) -> None:
        """Approve the plan as it is played, or say that it needs work."""
        decide(self._session.workspace, self._loop(), self._session.reviewer, cast(Decision, decision))

    def share(self, days: float) -> None:
        """Make a link to the plan as it is played, and the sound that it plays."""
        lasts = timedelta(days=float(days))
        version = freeze_plan(self._session.workspace, self._loop())
        token = sign_link(self._session.home, version.version_id, lasts)
        until = f"Open until {_date(datetime.now().astimezone() + lasts)}."
        self.board.param.update(open_until=until, address=link_address(token))
        self.run(shown_sound, version.version_id, then=lambda _: None, subject=str(self._loop().track.path))

    def show(self) -> None:
        """Show what was said."""
        self.board.param.update(**self.state.facts())

    def reload(self) -> None:
        """Show everything that was said since."""
        if self.attempt(self.state.reload):
            self.show()

    def panel(self) -> pn.viewable.Viewable:
        """Name, board."""
        return pmui.Column(self.reviewer, self.none, self.board, sizing_mode="stretch_width", margin=(4, 10))

    def _loop(self) -> Planned:
        assert self.state.loop is not None, "there is a plan"
        return self.state.loop

    def _tell(self) -> None:
        """Show what was saved, here and on other pages that are open on the same track and video."""
        self.reload()
        for tab in list(_open):
            if tab is self or tab.state.loop is None or not self.state.is_about_same(tab.state):
                continue
            if tab._page is None:
                tab.reload()
            else:
                tab._page.call_soon(tab.reload)

    def _is_current(self, shown: tuple[Any, ...]) -> bool:
        return shown == self._shown

    def _hear(self, rendered: RenderedOption) -> None:
        peak = gains_of(rendered.mix).peak(rendered.levels.peak, FULL_SCALE)
        self.player.param.update(
            music_a=self._session.url_of(rendered.path), gain_a_db=rendered.music_gain_db,
            soundtrack_db=rendered.soundtrack_gain_db, duck_a=played_duck(rendered.mix, self._session.params.render),
            headroom_db=headroom_db(peak),
        )  # fmt: skip

    def _show_video(self, video: Path, facts: tuple[str, float, bool]) -> None:
        digest, fps, for_browsers = facts
        self._video_picture.show(video, digest, fps, for_browsers=for_browsers)

    def _add_soundtrack(self, path: Path | None) -> None:
        if path is not None:
            self.player.soundtrack = self._session.url_of(path)
