"""A length with what is asked of it, as tests of fits hand it around."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.params import CoverParams
from workbench.plans.constraints import NO_CONSTRAINTS, SeamConstraints
from workbench.plans.fit import plan_fit
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plans.request import Hit, Keep, PlanRequest
from workbench.seams.profile import LoopProfile


@dataclass(frozen=True)
class Fit:
    """The arguments of `plan_fit` besides profile and parameters."""

    seconds: float
    keep: tuple[Keep, ...] = ()
    start_at: float | None = None
    end_on: float | None = None
    last_hit: float | None = None
    constraints: SeamConstraints = NO_CONSTRAINTS
    hits: tuple[Hit, ...] = ()

    def answer(self, profile: LoopProfile, params: CoverParams = CoverParams()) -> LoopPlan | Refusal:
        request = PlanRequest(self.constraints, self.keep, self.start_at, self.end_on, self.hits)
        return plan_fit(profile, self.seconds, request, params, last_hit=self.last_hit)

    def plan(self, profile: LoopProfile, params: CoverParams = CoverParams()) -> LoopPlan:
        answer = self.answer(profile, params)
        assert isinstance(answer, LoopPlan), answer
        return answer

    def refused(self, profile: LoopProfile, params: CoverParams = CoverParams()) -> str:
        """Why there is no plan."""
        answer = self.answer(profile, params)
        assert isinstance(answer, Refusal), answer
        return answer.hint
