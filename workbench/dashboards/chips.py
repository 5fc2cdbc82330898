"""The seams of a plan in a row, each a button with its score and crossfade; a worst one that many notice is marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from workbench.dashboards.styles import script, stylesheet
from workbench.plans.plan import LoopPlan
from workbench.plans.plan_score import NOTICED


def worst_of(scores: Sequence[float | None]) -> int | None:
    """The seam, counted from 0, whose score is lowest, the first of several; None where no score is known."""
    known = [(score, seam) for seam, score in enumerate(scores) if score is not None]
    return min(known)[1] if known else None


def doubtful_of(scores: Sequence[float | None]) -> int | None:
    """The seam whose score is lowest, if it is so low that many listeners notice it; None where none is."""
    worst = worst_of(scores)
    return worst if worst is not None and (scores[worst] or 0.0) < NOTICED else None


class SeamChips(JSComponent):
    """All seams of a plan with their scores and crossfades, each a button; a worst one that many notice is marked."""

    scores = param.List([], doc="one a seam, None where unknown")
    fades = param.List([], doc="s, length of each crossfade")
    worst = param.Integer(-1, doc="the one whose score is lowest, from 0; -1 for none")
    warns = param.Boolean(False, doc="whether many notice it")
    seam = param.Integer(-1, doc="the one that is looked at, from 0; -1 for none")
    verdicts = param.List([], doc="verdict about each: good, audible, wrong; empty for none")
    label = param.String("", doc="in front of the row")
    picked = param.List([], doc="[seam from 0, n]")
    ask = param.String("", doc="of the button beside seams that cannot be picked; empty where they can")
    asked = param.Integer(0, doc="counts up when that button is pressed")

    _esm = script("chips")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("chips")]

    def show_seams(
        self,
        plan: LoopPlan | None,
        scores: Sequence[float | None],
        seam: int = -1,
        verdicts: Sequence[str] = (),
    ) -> None:
        """Show the seams of a plan, with scores (empty: unknown), the one looked at (-1: none) and verdicts."""
        fades = [] if plan is None else list(plan.seam_fades)
        worst = worst_of(scores)
        self.param.update(
            scores=list(scores) or [None] * len(fades), fades=fades, worst=-1 if worst is None else worst, seam=seam,
            verdicts=list(verdicts), warns=doubtful_of(scores) is not None,
        )  # fmt: skip
