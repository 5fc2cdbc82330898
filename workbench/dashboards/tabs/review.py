"""The Review tab: what several people say about a plan, at the playhead and at its seams, and whether they approve.

What is written freezes the plan as it is played, as a version. Comments go on to the next versions, decisions do not. A
version can be played again, as B beside the plan; what is written then is about it. A link shows one version to people
without an account (`workbench.dashboards.links`). Pages of one server show each other's comments at once.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
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
from workbench.dashboards.sounds.link import shown_sound, version_music
from workbench.dashboards.sounds.plan import (
    FULL_SCALE,
    RenderedOption,
    headroom_db,
    plan_digest,
    played_duck,
    render_option,
    soundtrack_beside,
)
from workbench.dashboards.styles import script, stylesheet
from workbench.dashboards.tabs.tab import NOT_LOOPED, Tab, answer_each
from workbench.dashboards.tabs.video_picture import VideoPicture
from workbench.dashboards.transport import Program
from workbench.files import stamps_of
from workbench.plans.plan import LoopPlan
from workbench.render.video import gains_of
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
from workbench.review.links import ReviewLink, make_link, open_links, take_back
from workbench.review.versions import FrozenPlan, freeze_plan, thaw
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@dataclass(eq=False)
class ReviewState:
    """What reviewers said about the plan that is looked at, and about its versions; no widgets."""

    workspace: Workspace
    loop: Planned | None = None
    review: PlanReview | None = None
    links: Sequence[ReviewLink] = ()
    """the open ones to all versions, newest first"""
    older: FrozenPlan | None = None
    """the version that the player has beside the plan"""
    plays_older: bool = False

    @property
    def planned(self) -> LoopPlan | None:
        """The plan as it is now."""
        return self.loop.answer if self.loop is not None and isinstance(self.loop.answer, LoopPlan) else None

    @property
    def playing(self) -> Planned | FrozenPlan | None:
        """What plays, and what reviewers speak about: the plan as it is now, or an older version."""
        return self.older if self.plays_older and self.older is not None else self.loop

    @property
    def plan(self) -> LoopPlan | None:
        """The plan that plays."""
        return self.older.plan if self.plays_older and self.older is not None else self.planned

    def take(self, loop: Planned | None) -> None:
        """Look at another plan."""
        self.loop, self.review, self.links, self.older, self.plays_older = loop, None, (), None, False
        self.reload()

    def reload(self) -> None:
        """Read the review again."""
        if self.loop is not None and self.planned is not None:
            self.review = load_review(self.workspace, self.loop)
            self.links = open_links(self.workspace, [one.version_id for one in self.review.versions])

    def facts(self) -> dict[str, Any]:
        """Values of the board: seams, threads and decisions of the version that plays; all versions and links."""
        plan, review = self.plan, self.review
        versions = [] if review is None else self.versions(review)
        version, older = None if review is None else review.version, ""
        if self.plays_older and self.older is not None:
            version, older = self.older.version, self.older.version.version_id
        shown = {} if version is None else next(one for one in versions if one["id"] == version.version_id)
        return {
            "duration": 0.0 if plan is None else plan.window_end,
            "seams": [] if plan is None else list(plan.seam_times),
            "threads": self.threads(),
            "version": shown.get("number", 0),
            "frozen": shown.get("frozen", ""),
            "decisions": shown.get("decisions", []),
            "versions": versions,
            "older": older,
            "playing": older or (plan_digest(plan) if plan is not None else ""),
            "links": [
                {
                    "token": link.token,
                    "address": link_address(link.token),
                    "number": 0 if review is None else review.number(link.version_id),
                    "until": when(link.expires_at),
                    "may_answer": link.may_answer,
                }
                for link in self.links
            ],
        }

    def versions(self, review: PlanReview) -> list[dict[str, Any]]:
        """All versions with their decisions, newest first."""
        return [
            {
                "id": version.version_id,
                "number": number,
                "frozen": when(version.at),
                "decisions": [
                    {"reviewer": one.reviewer, "decision": one.decision, "when": when(one.at)}
                    for one in review.decisions(version.version_id)
                ],
            }
            for number, version in enumerate(review.versions, start=1)
        ][::-1]

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
    """A time of a record, ISO 8601, as reviewers read it, on the clock of this machine."""
    here = datetime.fromisoformat(at).astimezone()
    return f"{here.day} {here:%b %Y, %H:%M}"


class ReviewBoard(JSComponent):
    """Comments, decisions, versions and links, with a form at the playhead."""

    time = param.Number(0.0, doc="playhead, video s")
    duration = param.Number(0.0)
    seams = param.List([], doc="video s")
    threads = param.List([], doc="see `ReviewState.threads`")
    version = param.Integer(0, doc="number of the version that plays; 0: it was not frozen")
    frozen = param.String("")
    decisions = param.List([], doc="reviewer, decision and when of each")
    versions = param.List([], doc="see `ReviewState.versions`")
    older = param.String("", doc="id of the version that plays in place of the plan; empty for none")
    playing = param.String("", doc="id of that version, else digest of the plan")
    links = param.List(
        [], doc="token, address without the name of the server, number of the version, until, may_answer"
    )
    reviewer = param.String("")
    fault = param.String("", doc="why the last request was not fulfilled")
    asked = param.List([], doc="[n, `playing` then, what, its details] of each request that may not be taken yet")
    taken = param.Integer(0, doc="n of the last request that was taken")
    sent = param.Integer(0, doc="counts up when the comment that was written is saved")
    answered = param.List([], doc="[id of the comment, n]: an answer to it is saved")

    _esm = script("clock", "review")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("review")]


_open: weakref.WeakSet[ReviewTab] = weakref.WeakSet()
"""tabs of all pages of this server, which show each other's comments"""
_NAMELESS = ("link", "take back", "play")
"""what is asked for without a name"""


def show_answered(home: Home, frozen: FrozenPlan) -> None:
    """Show what came by a link to a version on all pages that are open on its track and video."""
    _show_on_pages(home, frozen.track, frozen.video)


def _show_on_pages(home: Home, track: Path, video: Path | None, but: ReviewTab | None = None) -> None:
    for tab in list(_open):
        loop = tab.state.loop
        if tab is but or loop is None or tab.state.workspace.home != home:
            continue
        if (loop.track.path.absolute(), loop.video and loop.video.absolute()) == (
            track.absolute(),
            video and video.absolute(),
        ):
            tab.reload() if tab._page is None else tab._page.call_soon(tab.reload)


class ReviewTab(Tab):
    """Comments, decisions and links."""

    title = "Review"

    def __init__(self, session: Session) -> None:
        self.state = ReviewState(session.workspace)
        super().__init__(session)
        self._page = this_page_loop()
        self._shown: tuple[Any, ...] = ()
        self._gains: dict[str, tuple[float, float]] = {}
        """of the plan, a, and the version beside it, b: level of the soundtrack, dB, and the peak that both reach"""
        self._wanted: FrozenPlan | None = None
        """a version whose sound is being prepared"""
        self.player = self.program = Program()
        self.board = ReviewBoard(sizing_mode="stretch_width")
        self.none = pmui.Typography("", variant="body1", margin=(24, 10))
        self.reviewer = reviewer_field(session)
        self.reviewer.margin = (4, 0)
        self.player.param.watch(lambda event: setattr(self.board, "time", event.new), "time")
        self.player.param.watch(lambda event: self._choose(event.new), "chosen")
        self.follow_place(self.player)
        answer_each(self.board, self._ask_of)
        self.follow(["reviewer"], lambda name: setattr(self.board, "reviewer", name))
        self.follow_shown(["loop"], self.take)
        self.follow_shown(["loop"], VideoPicture(session, self.player).take)
        _open.add(self)

    def take(self, loop: Planned | None) -> None:
        """Review another plan, and prepare its sound."""
        self.attempt(self.state.take, loop)
        self.board.fault, self._wanted = "", None
        self.player.param.update(chosen="a", music_b="")
        self.show()
        refused = loop is not None and self.state.plan is None
        self.none.object = f"There is no plan to review{NOT_LOOPED if refused else ' yet.'}"
        self.none.visible = self.state.plan is None
        self.board.visible = not self.none.visible
        shown = () if loop is None or self.state.plan is None else (loop.track.path, loop.video, loop.answer, loop.mix)
        if shown == self._shown:
            return
        self._shown = shown
        self.player.param.update(music_a="", soundtrack="", duration=self.board.duration, region=[])
        if loop is None or self.state.plan is None:
            return
        subject, wanted = str(loop.track.path), lambda: shown == self._shown
        files = stamps_of(loop.track.path, loop.video)
        self.run(
            render_option, loop, self.state.plan.alone, on_result=self._play_plan, is_current=wanted, subject=subject,
            cache_key=(loop.answer, loop.mix, self.state.plan.alone, *files),
        )  # fmt: skip
        if loop.video is not None:
            sound = (loop.video, loop.track.path)
            self.run(
                soundtrack_beside, *sound, on_result=self._add_soundtrack, is_current=wanted, subject=str(loop.video),
                cache_key=files,
            )  # fmt: skip

    def ask(self, what: str, *details: Any) -> None:
        """Do what a reviewer asks for."""
        if self.state.plan is None:
            return
        acts: dict[str, Callable[..., None]] = {
            "comment": self.comment, "answer": self.answer, "resolve": self.resolve, "open": self.open_again,
            "decide": self.decide, "link": self.share, "take back": self.take_back, "play": self.play,
        }  # fmt: skip
        if self._session.reviewer or what in _NAMELESS:
            self.board.fault = ""
            if self.attempt(acts[what], *details):
                self._tell()
        else:
            self.board.fault = "Write your name above first: others see who says what."
            self.reviewer.missed += 1

    def _ask_of(self, playing: str, what: str, *details: Any) -> None:
        """Act on a request that was made while `playing` was shown, unless something else plays by now."""
        if playing == self.board.playing:
            self.ask(what, *details)
        else:
            self.board.fault = "Something else plays by now: look at it, and ask again."

    def comment(self, text: str, seam: int = -1, at: float | None = None) -> None:
        """Comment on a seam, from 0, or with -1 on the playhead, which is `at` or where the player last reported."""
        place, about = float(self.player.time if at is None else at), None if seam < 0 else int(seam)
        comment_on(self._session.workspace, self._playing(), self._session.reviewer, text, place, about)
        self.board.sent += 1

    def answer(self, comment_id: str, text: str) -> None:
        """Answer a comment."""
        answer_comment(self._session.workspace, self._playing(), comment_id, self._session.reviewer, text)
        self.board.answered = [comment_id, (self.board.answered[1] + 1) if self.board.answered else 1]

    def resolve(self, comment_id: str) -> None:
        """Resolve a thread."""
        resolve_thread(self._session.workspace, comment_id, self._session.reviewer)

    def open_again(self, comment_id: str) -> None:
        """Open a thread again that was resolved."""
        resolve_thread(self._session.workspace, comment_id, None)

    def decide(self, decision: str) -> None:
        """Approve the version that plays, or say that it needs work."""
        decide(self._session.workspace, self._playing(), self._session.reviewer, cast(Decision, decision))

    def share(self, days: float, may_answer: bool = False) -> None:
        """Create a link to the version that plays, and its sound."""
        playing = self._playing()
        version = playing.version if isinstance(playing, FrozenPlan) else freeze_plan(self._session.workspace, playing)
        lasts = timedelta(days=float(days))
        make_link(self._session.workspace, version.version_id, lasts, may_answer=bool(may_answer))
        self.run(shown_sound, version.version_id, on_result=lambda _: None, subject=str(self._loop().track.path))

    def take_back(self, token: str) -> None:
        """Close a link."""
        take_back(self._session.workspace, token)

    def play(self, version_id: str) -> None:
        """Play a version as B, at the same place; or the plan again, where that version plays."""
        if self.board.older == version_id:
            self._wanted, self.player.chosen = None, "a"
            return
        frozen, track = thaw(self._session.workspace, version_id), self._loop().track.path
        self._wanted = frozen
        self.run(
            version_music, version_id, track, on_result=partial(self._play_older, frozen),
            is_current=lambda: self._wanted is frozen, subject=str(track),
        )  # fmt: skip

    def show(self) -> None:
        """Show the review."""
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

    def _playing(self) -> Planned | FrozenPlan:
        assert self.state.playing is not None, "there is a plan"
        return self.state.playing

    def _tell(self) -> None:
        """Show what was saved, here and on other pages that are open on the same track and video."""
        self.reload()
        loop = self._loop()
        _show_on_pages(self._session.home, loop.track.path, loop.video, but=self)

    def _play_plan(self, rendered: RenderedOption) -> None:
        gains = gains_of(rendered.mix)
        self._gains["a"] = gains.soundtrack_db, gains.peak(rendered.levels.peak, FULL_SCALE)
        self.player.param.update(
            music_a=self._session.url_of(rendered.path), gain_a_db=gains.music_db,
            duck_a=played_duck(rendered.mix, self._session.params.render),
        )  # fmt: skip
        self._balance()

    def _play_older(self, frozen: FrozenPlan, made: tuple[Path, float]) -> None:
        path, peak = made
        self.state.older, gains = frozen, gains_of(frozen.mix)
        self._gains["b"] = gains.soundtrack_db, gains.peak(peak, FULL_SCALE)
        duck = played_duck(frozen.mix, frozen.render_params(self._session.params.render))
        self.player.param.update(
            music_b=self._session.url_of(path), gain_b_db=gains.music_db, duck_b=duck,
            labels=["now", f"version {frozen.number}"], chosen="b",
        )  # fmt: skip
        self._choose("b")

    def _choose(self, chosen: str) -> None:
        """Look at what plays: the plan, or the version beside it."""
        self.state.plays_older = chosen == "b" and self.state.older is not None
        self._balance()
        self.show()

    def _balance(self) -> None:
        """Give the soundtrack the level that it has beside what plays, and both room."""
        soundtrack_db, peak = self._gains.get("b" if self.state.plays_older else "a", (0.0, FULL_SCALE))
        self.player.param.update(soundtrack_db=soundtrack_db, headroom_db=headroom_db(peak))

    def _add_soundtrack(self, path: Path | None) -> None:
        if path is not None:
            self.player.soundtrack = self._session.url_of(path)
