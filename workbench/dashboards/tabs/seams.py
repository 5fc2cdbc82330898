"""The Seams tab: one seam at a time, shown and played from both sides, judged, and its crossfade changed.

The browser makes what plays from the track's own samples, as the transport does. The crossfade has two handles; their
setting plays while they move, a worker draws and scores it, and it goes into the plan when a button is pressed. A
verdict and its note belong to a reviewer and to the seam under its crossfade; a note that is written later goes to the
verdict that was given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from typing import Any, ClassVar, TypeAlias

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.charts import FRAME_PIXELS
from workbench.dashboards.chips import SeamChips, worst_of
from workbench.dashboards.reviewer import reviewer_field
from workbench.dashboards.skeleton import Skeleton
from workbench.dashboards.sounds.plan import played_plan
from workbench.dashboards.sounds.seam import SeamLook, look_at_seam, seams_cache_key, with_fade, with_option_first
from workbench.dashboards.state import seam_place
from workbench.dashboards.styles import beside, script, stylesheet
from workbench.dashboards.tabs.seam_pictures import ScorePicture, SeamPicture
from workbench.dashboards.tabs.tab import NOT_LOOPED, Tab, action
from workbench.plans.plan import LoopPlan
from workbench.plots.palette import clock
from workbench.plots.seams import HIGHEST_HZ, LOWEST_HZ
from workbench.results.plan_words import NO_SEAM, seam_words
from workbench.review.verdicts import Verdict, Word, judge_seam, newest_verdicts, write_verdicts
from workbench.seams.profile import MIN_FADE_SECONDS
from workbench.workflows.plan import Planned
from workbench.workflows.seams import planned_scores

SeamKey: TypeAlias = tuple[int, int, int, int]
"""a seam as it is played, see `workbench.review.verdicts.Verdict`"""
_LONGEST_FADE_SECONDS = 1.0
"""that the handles reach; longer ones than the planner's, for the ear to compare"""
_COLOURS: dict[Word, str] = {"good": "success", "audible": "warning", "wrong": "error"}
"""of the button of each verdict"""


@dataclass(eq=False)
class SeamState:
    """Which seam is looked at, under which crossfade; no widgets."""

    workspace: Workspace
    """stores the verdicts"""
    loop: Planned | None = None
    seam: int = 0
    changed: LoopPlan | None = None
    """the plan with the crossfade that was tried; None while it is the plan's own"""
    scores: tuple[float | None, ...] = ()
    """of all seams; None where the planner left none and no seam was looked at yet"""
    reviewer: str = ""
    """name of the reviewer; empty until it is given"""
    given: dict[SeamKey, Verdict] = field(default_factory=dict)
    """the reviewer's latest verdict about each splice of the track under each crossfade"""
    drafts: dict[SeamKey, str] = field(default_factory=dict)
    """notes that were written before a verdict"""

    @property
    def plan(self) -> LoopPlan | None:
        """The plan that plays, with the crossfade that is tried."""
        if self.changed is not None:
            return self.changed
        return self.loop.answer.alone if self.loop is not None and isinstance(self.loop.answer, LoopPlan) else None

    @property
    def count(self) -> int:
        """Seams of the plan."""
        return 0 if self.plan is None else len(self.plan.seam_times)

    @property
    def worst(self) -> int | None:
        """The seam whose score is lowest; None while scores are not known."""
        return worst_of(self.scores)

    def take(self, loop: Planned | None) -> None:
        """Look at another plan, at the same seam where it has as many."""
        before = self.track
        self.loop, self.changed, self.scores = loop, None, ()
        if self.plan is not None and loop is not None and loop.analysis is not None:
            self.scores = planned_scores(self.plan, loop.analysis)
        self.seam = min(self.seam, max(0, self.count - 1))
        if self.track != before:
            self.given, self.drafts = {}, {}
            self.read_verdicts()

    def read_verdicts(self) -> None:
        """Read the reviewer's verdicts about the track again, which may have been put back."""
        mine = [
            one
            for one in newest_verdicts(self.workspace)
            if (one.reviewer, one.content_hash) == (self.reviewer, self.track)
        ]
        self.given = {verdict.seam_key: verdict for verdict in mine}

    def review_as(self, reviewer: str) -> None:
        """Show the verdicts of another reviewer."""
        self.reviewer = reviewer
        self.read_verdicts()

    @property
    def track(self) -> str:
        """SHA-256 of the track's bytes; empty for none."""
        return "" if self.loop is None or self.loop.analysis is None else self.loop.analysis.content_hash

    @property
    def place(self) -> SeamKey | None:
        """The seam that is looked at, as it is played; None for none."""
        return _seam_key(self.plan, self.seam) if self.plan is not None and self.count else None

    @property
    def alike(self) -> list[int]:
        """The seams, counted from 0, with the same splice as the chosen one: a verdict is about all of them."""
        if self.plan is None:
            return []
        return [seam for seam in range(self.count) if _seam_key(self.plan, seam) == self.place]

    @property
    def verdict(self) -> Verdict | None:
        """The latest verdict about the seam that is looked at."""
        return None if self.place is None else self.given.get(self.place)

    @property
    def note(self) -> str:
        """The note on the seam that is looked at: its verdict's, or one that waits for a verdict."""
        if self.place is None:
            return ""
        return self.drafts.get(self.place, "" if self.verdict is None else self.verdict.note)

    @property
    def words(self) -> list[str]:
        """The verdict about each seam; empty where there is none."""
        if self.plan is None:
            return []
        given = (self.given.get(_seam_key(self.plan, seam)) for seam in range(self.count))
        return ["" if verdict is None else verdict.verdict for verdict in given]

    def try_fade(self, seconds: float, exponent: float) -> None:
        """Play the seam with another crossfade, of `workbench.mix.fades`; `PlanError` where it has no room."""
        if self.plan is not None:
            self.changed = with_fade(self.plan, self.seam, seconds, exponent)

    def judge(self, look: SeamLook, word: Word, note: str) -> None:
        """Save a verdict on the seam, under the crossfade that was played."""
        assert self.loop is not None, "a seam belongs to a loop"
        assert self.plan is not None, "a seam belongs to a plan"
        place = _seam_key(self.plan, self.seam)
        self.given[place] = judge_seam(self.workspace, self.loop, self.plan, look.view, word, note, self.reviewer)
        self.drafts.pop(place, None)


def _seam_key(plan: LoopPlan, seam: int) -> SeamKey:
    """A seam of a plan as it is played, in the numbers of `Verdict.seam_key`."""
    return (*seam_place(plan, seam), round(1000 * plan.seam_fades[seam]), round(100 * plan.seam_curves[seam]))


class SeamPlayer(JSComponent):
    """Plays a seam from four sides, and draws its crossfade with handles."""

    fade = param.Number(0.02)
    exponent = param.Number(1.0)
    frame = param.List(list(FRAME_PIXELS), doc="left and right of the picture above, inside its edges, px")
    shortest = param.Number(MIN_FADE_SECONDS)
    longest = param.Number(_LONGEST_FADE_SECONDS)
    wished = param.List([], doc="[fade s, exponent, n], when a handle is let go of")
    played = param.Dict({}, doc="`music` (address of the track), `plan`, `seam`, and `from` and `to`, video s")
    refused = param.Integer(0, doc="counts up when a request cannot be met: the handles go back")
    used = param.Integer(0, doc="counts up when a request went into the plan: the focus goes back to its handle")
    step = param.List([], doc="[-1 or 1, n]")
    find_worst = param.Integer(0, doc="counts up when the worst seam is asked for")
    verdict = param.List([], doc="[word, n]")
    looped = param.Boolean(False)
    playhead = param.String("")

    _esm = script("output", "keys", "sound", "seam")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("seam", "keys")]


class SeamsTab(Tab):
    """The seams of the plan, one at a time."""

    title = "Seams"
    plays_itself = True

    def __init__(self, session: Session) -> None:
        self.state = SeamState(session.workspace)
        self.look: SeamLook | None = None
        self._noted: tuple[SeamKey | None, str] = (None, "")
        self.picture, self.score = SeamPicture(), ScorePicture()
        super().__init__(session, self.picture, self.score)
        self.player = SeamPlayer(sizing_mode="stretch_width", playhead=self.picture.playheads[0])
        self.chips = SeamChips(sizing_mode="stretch_width", margin=(0, 0, 8, 0))
        self.words = pmui.Typography("", variant="body2", sizing_mode="stretch_width")
        self.none = pmui.Typography(NO_SEAM, variant="body1", margin=(24, 10), visible=False)
        self.one = pmui.FlexBox(sizing_mode="stretch_width")  # one below the other where narrow
        self.pictures = pn.Column(*self.picture.panes(), sizing_mode="stretch_width", visible=False)
        self.waiting = Skeleton(lanes=[2, 2, 1], sizing_mode="stretch_width", visible=False)
        self.note = pmui.TextInput(
            label="note on this seam", size="small", sizing_mode="stretch_width", placeholder="what you noticed"
        )
        self.judgements = {
            word: action(word, partial(self.judge, word), color=colour, variant="outlined")
            for word, colour in _COLOURS.items()
        }
        self.outcome = pmui.Typography("", variant="caption", sizing_mode="stretch_width", margin=(8, 4))
        self.use = action("Use this fade in the plan", self.use_fade, disabled=True, margin=0)
        self.used = pmui.Typography("", variant="caption", margin=(6, 12))
        self.player.param.watch(lambda event: self.try_fade(*event.new[:2]), "wished")
        self.player.param.watch(lambda event: self.step(int(event.new[0])), "step")
        self.player.param.watch(lambda event: self.judge(event.new[0]), "verdict")
        self.player.param.watch(lambda _: self.go_to_worst(), "find_worst")
        self.note.param.watch(lambda event: self.write(event.new or ""), "value")
        self.chips.param.watch(lambda event: self.go(int(event.new[0])), "picked")
        self.reviewer = reviewer_field(session)
        self.follow(["reviewer"], self.review_as)
        self.follow_shown(["loop"], self.take)
        self.follow_shown(["seam"], self.go)
        self.follow(["track_sound"], lambda _: self._show_played())
        session.param.watch(lambda _: self.reread(), "records")

    def take(self, loop: Planned | None) -> None:
        """Look at another plan, at the seam that the page is at; the same plan with another mix has the same seams."""
        before = self.state.loop
        if (
            loop is not None
            and before is not None
            and (before.track.path, before.answer) == (loop.track.path, loop.answer)
        ):
            self.state.loop = loop
            return
        self.state.seam = self._session.seam
        self.attempt(self.state.take, loop)
        self._unsay()
        self._look()

    def review_as(self, reviewer: str) -> None:
        """Show and take the verdicts of a reviewer; none for an empty name."""
        self.attempt(self.state.review_as, reviewer)
        self._mark()

    def go(self, seam: int) -> None:
        """Look at a seam, counted from 0; one that the plan does not have is not looked at."""
        if seam != self.state.seam and 0 <= seam < self.state.count:
            self.state.seam, self.state.changed = seam, None
            self._unsay()
            self._look()

    def go_to_worst(self) -> None:
        """Look at the seam whose score is lowest."""
        if self.state.worst is not None:
            self.go(self.state.worst)

    def step(self, by: int) -> None:
        """Look at the next seam (1) or the one before (-1)."""
        if self.state.count:
            self.go((self.state.seam + by) % self.state.count)

    def try_fade(self, seconds: float, exponent: float) -> None:
        """Play the seam with another crossfade."""
        if not self.attempt(self.state.try_fade, float(seconds), float(exponent)):
            self.player.refused += 1
            return
        self.use.disabled, self.used.object = False, ""
        self._look()

    def _show_played(self) -> None:
        """Let the browser play the seam, from the track as the plan plays it."""
        plan, sound, look, seam = self.state.plan, self._session.track_sound, self.look, self.state.seam
        if plan is None or sound is None or look is None:
            self.player.played = {}
            return
        begins = plan.seam_times[seam] - look.view.middle
        self.player.played = {
            "music": self._session.url_of(sound.path), "plan": played_plan(plan, sound.sample_rate), "seam": seam,
            "from": begins, "to": begins + look.view.played.duration,
        }  # fmt: skip

    def use_fade(self) -> None:
        """Put the crossfade that was tried into the plan, for every tab and every export."""
        loop, changed = self.state.loop, self.state.changed
        if loop is not None and changed is not None:
            self._session.show_with_fade(with_option_first(loop, changed), self.state.seam)
            self.player.used += 1
            fade = 1000 * changed.seam_fades[self.state.seam]
            self.used.object = f"Seam {self.state.seam + 1} of the plan now has a crossfade of {fade:.0f} ms."

    def judge(self, word: Word) -> None:
        """Save a verdict about the seam as it is played."""
        if self.look is None:
            waits = "a verdict can be given once this seam can be played"
            self.outcome.object = waits if self.state.count else "there is no seam to judge"
            return
        alike = [str(seam + 1) for seam in self.state.alike]
        judged = f"seam {alike[0]} is" if len(alike) == 1 else f"seams {' and '.join(alike)}, the same splice, are"
        with self._session.change(f"{judged} {word}"):
            if not self.attempt(self.state.judge, self.look, word, self.note.value or ""):
                return
        self._mark()
        self.outcome.object = f"saved: {judged} {word}"

    def reread(self) -> None:
        """Show the verdicts as they are stored now: some were put back."""
        self.attempt(self.state.read_verdicts)
        self.outcome.object = ""
        self._mark()

    def _unsay(self) -> None:
        """Clear the words about a seam, because another one is shown."""
        self.outcome.object = self.used.object = ""

    def write(self, note: str) -> None:
        """Take a note on the seam, into its verdict or into the next one."""
        state, given = self.state, self.state.verdict
        if note == state.note or state.place is None:
            return
        state.drafts[state.place] = note
        self._noted = state.place, note
        if given is not None:
            self.judge(given.verdict)

    def as_csv(self) -> StringIO:
        """Each reviewer's newest verdict about every seam under every crossfade, of all tracks of the home folder."""
        out = StringIO()
        write_verdicts(newest_verdicts(self._session.workspace), out)
        out.seek(0)
        return out

    def panel(self) -> pn.viewable.Viewable:
        """Seams, picture, crossfade; score and verdict beside them."""
        csv = pmui.FileDownload(
            callback=self.as_csv, filename="verdicts.csv", label="Verdicts as CSV", size="small", variant="text"
        )
        judged = pmui.Column(
            self.words,
            pmui.Typography(
                f"Curves: blue is played, orange is in the track. Pictures: {LOWEST_HZ:.0f} Hz to "
                f"{HIGHEST_HZ / 1000:.0f} kHz. Bars: blue is this seam, where 1 is no break; grey is one of the "
                "track's own bars skipped, middle half and median.",
                variant="caption",
                sizing_mode="stretch_width",
                margin=(0, 10),
            ),
            *self.score.panes(),
            self.reviewer,
            pmui.Row(*self.judgements.values()),
            self.note,
            pmui.Row(csv, self.outcome),  # last, so that nothing moves when messages come and go
            styles=beside(340, share=1),
        )
        fade = pmui.FlexBox(self.use, self.used, sizing_mode="stretch_width")
        left = pmui.Column(
            self.waiting, self.pictures, self.player, fade, sizing_mode="stretch_width", styles=beside(520)
        )
        self.one[:] = [left, judged]
        return pmui.Column(self.chips, self.none, self.one, sizing_mode="stretch_width", margin=(0, 10))

    def _look(self) -> None:
        state, session = self.state, self._session
        plan, loop, seam = state.plan, state.loop, state.seam
        self._mark()
        if state.count:
            session.seam = seam
        if plan is None or loop is None or not state.count:
            self._show_look(None)
            return
        self.look = None  # a verdict waits until what it is about can be played
        self.none.visible, self.one.visible = False, True
        self.waiting.visible = not self.pictures.visible  # a seam that is drawn stays until the next one is
        self.waiting.words = f"Seam {seam + 1} is being drawn."

        def give_up(_: str) -> None:
            self.waiting.visible = False  # nothing is coming: the page says why

        self.run(
            look_at_seam, loop, plan, seam, on_result=self._show_look, subject=str(loop.track.path),
            is_current=lambda: (plan, seam) == (state.plan, state.seam), on_error=give_up,
            cache_key=seams_cache_key(loop, plan, seam),
        )  # fmt: skip

    def _mark(self) -> None:
        """Show the scores of all seams, or as many blanks, and the verdicts about them."""
        state = self.state
        self.chips.show_seams(state.plan, state.scores, state.seam, state.words)
        if self._noted != (state.place, state.note):  # else the user may be writing it
            self._noted = state.place, state.note
            self.note.param.update(value=state.note, value_input=state.note)
        given = None if state.verdict is None else state.verdict.verdict
        for word, button in self.judgements.items():
            button.variant = "contained" if word == given else "outlined"

    def _show_look(self, look: SeamLook | None) -> None:
        self.look = look
        if look is not None:
            self.state.scores = look.scores
            given = self.state.verdict
            if given is not None and self.state.place in self.state.drafts:
                self.judge(given.verdict)
            self._mark()
        self._show()

    def _show(self) -> None:
        look, plan, seam = self.look, self.state.plan, self.state.seam
        self.use.disabled = self.state.changed is None
        self.score.show(look)
        refused = self.state.loop is not None and plan is None
        self.none.object = f"There is no seam to look at{NOT_LOOPED}" if refused else NO_SEAM
        self.none.visible = refused or (plan is not None and not self.state.count)
        self.waiting.visible = False
        self.pictures.visible = look is not None
        self.one.visible = not self.none.visible
        if look is None or plan is None:
            self.picture.show(None)
            self._show_played()
            self.words.object = "There is no seam to look at yet."
            return
        view, fade = look.view, plan.seam_fades[seam]
        self.picture.show(look, fade)
        step = f", level step {round(view.level_step_db, 1) + 0.0:+.1f} LU" if np.isfinite(view.level_step_db) else ""
        loop = self.state.loop
        what = "" if loop is None or loop.analysis is None else seam_words(plan, loop.analysis.profile, seam)
        others = [f"seam {other + 1}" for other in self.state.alike if other != seam]
        also = f" The same splice is {' and '.join(others)}: a verdict holds for each." if others else ""
        self.words.object = (
            f"Seam {seam + 1} of {self.state.count}: {clock(view.leave_s)} → {clock(view.enter_s)} of the track, "
            f"{clock(view.video_s)} of the video. Score {view.score:.2f}{step}{f'; {what}' if what else ''}.{also}"
        )
        self._show_played()
        self.player.param.update(fade=fade, exponent=plan.seam_curves[seam], longest=max(_LONGEST_FADE_SECONDS, fade))
