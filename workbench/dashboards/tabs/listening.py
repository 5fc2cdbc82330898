"""The Listening tab: blind tests of crossfades, options and seams, and what they have shown so far.

The page gets sounds with random names and sends answers; it learns what was what when a test has ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import StringIO
from math import isnan
from typing import Any, ClassVar, TextIO

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.reviewer import reviewer_field
from workbench.dashboards.sounds.blind import (
    MOST_WHOLE_SECONDS,
    BlindTest,
    compared_places,
    drop_sounds,
    prepare_fades,
    prepare_options,
    prepare_preference,
    prepare_seams,
    rated_seams,
    seams_of_options,
)
from workbench.dashboards.styles import script, stylesheet
from workbench.dashboards.tabs.tab import NOT_LOOPED, Tab, action, answer_each, number_field
from workbench.plans.plan import LoopPlan
from workbench.plots.palette import clock
from workbench.recording import counted
from workbench.review.listening import (
    abx_outcome,
    answer_trial,
    judged_seams,
    mushra_outcomes,
    preference_outcome,
    write_abx,
    write_mushra,
    write_preferences,
    write_results,
)
from workbench.review.trials import FEWEST_DECIDED, MAX_TRIALS, PreferenceSummary, RatingSummary, smallest_detected
from workbench.seams.profile import MIN_FADE_SECONDS
from workbench.workflows.plan import Planned

SEAMS, ALL_SEAMS = "Rate the seams", "Rate all options' seams"
FADES, OPTIONS = "Compare two crossfades", "Compare two options"
WHOLE, AT_SEAMS = "Prefer an option, whole", "Prefer an option, at the seams"
"""kinds of test, as the page names them"""
_TRIALS = {WHOLE: FEWEST_DECIDED, FADES: 12, OPTIONS: 12}
"""of the kinds that ask about the same again"""
_WHICH = "Which is better, the option in use or another one, and by how much (ITU-T P.800)?"
_ABOUT = {
    SEAMS: "Each seam of the plan is rated in one trial, in hidden order beside the track's own bar line and a bad "
    "splice, all equally loud. A seam that comes back with the same crossfade is not asked again: {trials}.",
    ALL_SEAMS: "The same with the seams of all options of the plan: more of them, also worse ones. {trials}.",
    FADES: "ABX: this seam with its own crossfade, and with a linear one of another length. X is one of both, by a "
    "coin for each trial.",
    OPTIONS: "ABX: the option in use and another one around this seam of it, equally loud. X is one of both, by a coin "
    "for each trial.",
    WHOLE: f"{_WHICH} Both play from begin to end, equally loud. A is one of both, by a coin for each trial.",
    AT_SEAMS: f"{_WHICH} Around each seam of both where they differ, once each, equally loud. A is one of both, by a "
    "coin for each trial.",
}
"""what a test asks"""
_STEPS = ("as good", "slightly better", "better", "much better")
_CONDITIONS = {"reference": "the track's own bar line", "anchor": "a bad splice"}
"""in words, where the results of a test call them by the terms of BS.1534"""
_LINEAR = 1.0
"""exponent of the fade that is compared with"""


@dataclass(eq=False)
class ListeningState:
    """The test under way; no widgets."""

    workspace: Workspace
    test: BlindTest | None = None
    number: int = 0
    """of the trial that is asked, from 0"""

    @property
    def ended(self) -> bool:
        """Whether every trial was answered."""
        return self.test is None or self.number >= len(self.test.trials)

    def begin(self, test: BlindTest) -> None:
        """Begin a test; the sounds of one that has not ended are deleted."""
        if self.test is not None:
            drop_sounds(self.test)
        self.test, self.number = test, 0

    def answer(self, trial: int, answer: Any, seconds: float) -> None:
        """Keep the answer to the trial that is asked, from 0, no other; with the last one the sounds go."""
        if self.test is None or trial != self.number:
            return
        answer_trial(self.workspace, self.test.test_id, trial, answer, seconds)
        self.number += 1
        if self.ended:
            drop_sounds(self.test)

    def outcome(self) -> list[str]:
        """What the test that has ended has shown, in lines; empty before its end."""
        if self.test is None or not self.ended:
            return []
        if self.test.kind == "abx":
            found = abx_outcome(self.workspace, self.test.test_id)
            return abx_lines(found.conditions, found.summary.right, found.summary.trials, found.summary.p_value)
        if self.test.kind == "preference":
            compared = preference_outcome(self.workspace, self.test.test_id)
            return preference_lines(compared.conditions, compared.summary)
        lines = [
            f"{_CONDITIONS.get(one.condition, one.condition)}: {_rating(one.ratings)}, "
            f"{counted(one.ratings.count, 'rating')}"
            for one in mushra_outcomes(self.workspace, [self.test.test_id])
        ]
        return lines or [
            "The hidden reference was rated under 90 too often, or the bad splice over 90: this test does not count "
            "(ITU-R BS.1534-3). Listen with headphones, and look for the one that equals the reference."
        ]

    def so_far(self) -> list[str]:
        """What all ratings of the home folder say of each seam, beside its score."""
        return [
            f"{one.track}, {clock(one.leave)} → {clock(one.enter)} of the track, crossfade {1000 * one.fade:.0f} ms: "
            f"score {one.score:.2f}, rated {_rating(one.worth)} of 100 by {counted(one.worth.count, 'listener')}"
            for one in judged_seams(self.workspace)
        ]


def abx_lines(conditions: tuple[str, str], right: int, trials: int, p_value: float) -> list[str]:
    """The outcome of an ABX test, in words."""
    first, second = conditions
    missed = smallest_detected(right, trials)
    verdict = (
        "the difference was audible"
        if p_value < 0.05
        else f"no difference was shown; one that is audible in up to {100 * missed:.0f} % of the trials could have "
        "been missed"
    )
    return [
        f"{first} against {second}: {right} of {trials} right.",
        f"Guessing gives that or better with a chance of {p_value:.3g}: {verdict} (exact binomial, 95 %).",
    ]


def preference_lines(conditions: tuple[str, str], found: PreferenceSummary) -> list[str]:
    """The outcome of a preference test, in words."""
    (worse, better), times, step, low, high = conditions, found.preferred, found.mean_step, found.low, found.high
    if 2 * times < found.decided:
        worse, better, times, step, low, high = better, worse, found.decided - times, -step, 1.0 - high, 1.0 - low
    same, decided = counted(found.trials - found.decided, "trial"), counted(found.decided, "trial")
    it, but = ("the other one", ", but by more steps the other one") if step < 0 else ("it", "")
    lines = [f"{better} was better than {worse} in {times} of {decided}{but}; {same} equal."]
    if not found.has_enough:
        return [*lines, f"These are too few to say which is better: {FEWEST_DECIDED} that prefer one are the fewest."]
    by = f"On average {it} was {_STEPS[round(abs(step))]} ({abs(step):.1f} of 3 steps)"
    share = f"in {100 * low:.0f} to {100 * high:.0f} % of the trials that decide (95 % interval)"
    verdict = (
        f"{better} is better for this listener, {share}" if found.p_value < 0.05 else f"no preference is shown: {share}"
    )
    return [*lines, f"{by}; {verdict}. Without a preference that or clearer has a chance of {found.p_value:.3g}."]


def _rating(given: RatingSummary) -> str:
    return f"{given.mean:.0f}" + ("" if isnan(given.low) else f" (95 % interval {given.low:.0f} to {given.high:.0f})")


class BlindBoard(JSComponent):
    """Plays the sounds of a trial and takes its answer."""

    kind = param.String("")
    title = param.String("")
    trials = param.List([], doc="of each its sounds: addresses by letter, and `reference`")
    number = param.Integer(0, doc="of the trial that is asked, from 0; the browser is there already")
    refused = param.Integer(0, doc="counts up when an answer was not taken: its trial is asked again")
    result = param.List([], doc="lines that are shown after the last trial")
    asked = param.List([], doc="[n, trial, answer, s] of each answer that may not be taken yet")
    taken = param.Integer(0, doc="n of the last answer that was taken")

    _esm = script("output", "blind")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("review")]


class ListeningTab(Tab):
    """Blind tests."""

    title = "Listening"
    plays_itself = True

    def __init__(self, session: Session) -> None:
        self.state = ListeningState(session.workspace)
        super().__init__(session)
        self.reviewer = reviewer_field(session)
        self.kind = pmui.Select(label="test", options=list(_ABOUT), value=SEAMS, size="small", width=260)
        shortest_ms = round(1000 * MIN_FADE_SECONDS)
        self.seam = number_field("seam", 1, low=1, width=80)
        self.fade = number_field("against, ms", shortest_ms, low=shortest_ms, high=1000, width=110)
        self.option = number_field("against option", 2, low=1, width=120)
        self.trials = number_field("trials", _TRIALS[OPTIONS], low=1, high=MAX_TRIALS, width=90)
        self.start = action("Begin", self.begin, variant="contained")
        self.about = pmui.Typography("", variant="body2", sizing_mode="stretch_width")
        self.board = BlindBoard(sizing_mode="stretch_width", margin=(0, 10))
        self.past = pmui.Typography("", variant="body2", sizing_mode="stretch_width")
        self.tables = [
            (write, self._table(write, name, label))
            for write, name, label in (
                (write_results, "results.csv", "Results with intervals as CSV"),
                (write_mushra, "mushra.csv", "Ratings as CSV"),
                (write_abx, "paired_comparison.csv", "ABX answers as CSV"),
                (write_preferences, "preferences.csv", "Preferences as CSV"),
            )
        ]
        """what writes a file, and its button, which is there once the file has a row"""
        self._asked = object()
        """the test that was begun last: one that was begun before comes too late"""
        self.kind.param.watch(lambda event: self._choose(event.new), "value")
        for field in (self.option, self.trials):
            field.param.watch(lambda _: self.show(), "value")
        answer_each(self.board, self.answer)
        self.follow(["loop", "reviewer"], lambda *_: self.show())
        self._show_past()

    @property
    def plan(self) -> LoopPlan | None:
        """The plan of the page."""
        return self._session.plan

    def _choose(self, kind: str) -> None:
        self.trials.value = _TRIALS.get(kind, self.trials.value)
        self.show()

    @property
    def _used(self) -> int:
        """Number of the option in use, from 1."""
        loop = self._session.loop
        return next(iter(loop.option_numbers), 1) if loop is not None else 1

    def show(self) -> None:
        """Show what the chosen test needs."""
        kind, plan = self.kind.value, self.plan
        self.seam.visible = kind in (FADES, OPTIONS)
        self.fade.visible, self.option.visible, self.trials.visible = (
            kind == FADES,
            kind in (OPTIONS, WHOLE, AT_SEAMS),
            kind in _TRIALS,
        )
        seams = 0 if plan is None else len(plan.seam_times)
        options = 0 if plan is None else len(plan.options)
        self.seam.end, self.option.end = max(1, seams), max(2, options)
        lacks = ""
        if plan is None:
            lacks = f"There is no plan to listen to{' yet.' if self._session.loop is None else NOT_LOOPED}"
        elif self.option.visible and options < 2:
            lacks = "This plan has no other option."
        elif self.option.visible and self.option.value == self._used:
            lacks = f"Option {self._used} is the one in use: choose another one."
        elif kind == WHOLE and plan.window_end > MOST_WHOLE_SECONDS:
            lacks = f"This plan is longer than {clock(MOST_WHOLE_SECONDS)}: compare its options at the seams."
        elif not seams and kind not in (WHOLE, AT_SEAMS):
            lacks = "This plan plays the track without a seam: there is nothing to compare."
        trials = 0 if plan is None else len(rated_seams(plan, self._rated(plan)))
        self.about.object = lacks or _ABOUT[kind].format(trials=counted(trials, "trial")) + self._too_few()
        self.start.disabled = bool(lacks)

    def _too_few(self) -> str:
        """That a test of preference cannot show anything, where it has too few trials."""
        kind, loop = self.kind.value, self._session.loop
        if kind not in (WHOLE, AT_SEAMS) or loop is None:
            return ""
        trials = self.trials.value or 1
        if kind == AT_SEAMS:
            trials = len(compared_places([loop.option(number) for number in (self._used, self.option.value or 2)]))
        if trials >= FEWEST_DECIDED:
            return ""
        return f" {counted(trials, 'trial')} cannot show which is better: that takes {FEWEST_DECIDED}."

    def begin(self) -> None:
        """Prepare the chosen test, and ask its first trial."""
        session, loop = self._session, self._session.loop
        if not session.reviewer:
            self.about.object = "Write your name first: results are saved with it."
            self.reviewer.missed += 1
            return
        if loop is None or self.plan is None:
            return
        self.start.disabled = True
        seam, trials = (self.seam.value or 1) - 1, self.trials.value or 1
        if self.kind.value in (SEAMS, ALL_SEAMS):
            self._prepare(prepare_seams, loop, self._rated(self.plan), session.reviewer)
        elif self.kind.value == FADES:
            self._prepare(prepare_fades, loop, seam, self._fades(self.plan, seam), trials, session.reviewer)
        elif self.kind.value in (WHOLE, AT_SEAMS):
            prepare = partial(prepare_preference, whole=self.kind.value == WHOLE)
            self._prepare(prepare, loop, (self._used, self.option.value or 2), trials, session.reviewer)
        else:
            at = self.plan.seam_times[min(seam, len(self.plan.seam_times) - 1)]
            self._prepare(prepare_options, loop, (self._used, self.option.value or 2), at, trials, session.reviewer)

    def _prepare(self, function: Callable[..., BlindTest], loop: Planned, *details: Any) -> None:
        """Have a worker prepare a test; where it cannot, another one can be begun."""
        session = self._session
        asked = self._asked = object()
        reviewer = session.reviewer

        def prepared(test: BlindTest) -> None:
            if asked is self._asked and session.shows(loop) and session.reviewer == reviewer:
                self.ask(test)
            else:
                drop_sounds(test)

        self.run(
            function, loop, *details, on_result=prepared, subject=str(loop.track.path), on_error=lambda _: self.show()
        )

    def _rated(self, plan: LoopPlan) -> list[tuple[int, int]]:
        return seams_of_options(plan, len(plan.options) if self.kind.value == ALL_SEAMS else 1)

    def _fades(self, plan: LoopPlan, seam: int) -> list[tuple[float, float]]:
        seam = min(seam, len(plan.seam_times) - 1)
        own = (plan.seam_fades[seam], plan.seam_curves[seam])
        return [own, ((self.fade.value or 0) / 1000.0, _LINEAR)]

    def ask(self, test: BlindTest) -> None:
        """Ask the first trial of a test."""
        self.state.begin(test)
        url = self._session.url_of
        trials = []
        for trial in test.trials:
            sounds = {letter: url(path) for letter, path in trial.sounds.items()}
            trials.append({"sounds": sounds | ({"reference": url(trial.reference)} if trial.reference else {})})
        self.board.param.update(kind=test.kind, title=test.title, result=[], number=0, trials=trials)
        self.show()

    def answer(self, trial: int, answer: Any, seconds: float) -> None:
        """Take the answer to a trial, from 0, and ask the next one."""
        if not self.attempt(self.state.answer, int(trial), answer, float(seconds)):
            self.board.refused += 1
            return
        if self.state.ended and not self.attempt(self._show_outcome):
            self.board.result = ["Your answers are saved. What they show cannot be read now."]
        self.board.number = self.state.number

    def panel(self) -> pn.viewable.Viewable:
        """What is chosen, the trial, and what was found so far."""
        return pmui.Column(
            pmui.FlexBox(
                self.reviewer,
                self.kind,
                self.seam,
                self.fade,
                self.option,
                self.trials,
                self.start,
                sizing_mode="stretch_width",
            ),
            self.about,
            self.board,
            self.past,
            pmui.FlexBox(*(button for _, button in self.tables)),
            sizing_mode="stretch_width",
            margin=(4, 0),
        )

    def _table(self, write: Callable[[Workspace, TextIO], int], name: str, label: str) -> pmui.FileDownload:
        return pmui.FileDownload(
            callback=lambda: self._csv(write), filename=name, label=label, size="small", variant="text", visible=False
        )

    def _csv(self, write: Callable[[Workspace, TextIO], int]) -> StringIO:
        out = StringIO()
        write(self._session.workspace, out)
        out.seek(0)
        return out

    def _show_outcome(self) -> None:
        self.board.result = self.state.outcome()
        self._show_past()

    def _show_past(self) -> None:
        self.attempt(self._list_past)

    def _list_past(self) -> None:
        lines = self.state.so_far()
        self.past.object = "\n\n".join(["**Rated seams, all listeners**", *lines]) if lines else ""
        for write, button in self.tables:
            button.visible = write(self._session.workspace, StringIO()) > 0
