"""The scores of seams and plans, written again from their texts: the code does what the head of its module says.

Where one of these fails after a change of the method, mend the text, then what was written from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.workbench.plans.conftest import Track, make_profile
from tests.workbench.written_again import plan_score, seam_score
from workbench.params import CoverParams, SeamParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.seams.profile import SEAM_PARTS, EndingKind
from workbench.seams.seam_score import score_seam, seam_evidence

SEAMS: tuple[dict[str, Any], ...] = (
    {"context_beats": 2},
    {"model": {"own_break_share": 1.2, "pulse_weight": 2.0, "max_harmony": 0.2}},
)


@pytest.mark.parametrize("changed", SEAMS, ids=["context", "model"])
def test_the_seam_score(changed: dict[str, Any], band: Callable[..., Any]) -> None:
    dice, params, piece = np.random.default_rng(5), SeamParams(**changed), band("ABAC")
    evidence = seam_evidence(piece.recording, piece.grid, params)
    again = seam_score.WrittenAgain(evidence, params)
    for _ in range(6):
        beats = evidence.lines if dice.random() < 0.6 else np.arange(evidence.positions.size)
        left, entered = (int(beat) for beat in dice.choice(beats, 2, replace=False))
        scored = score_seam(evidence, left, entered, params)
        total, led, parts = again.score(left, entered)
        assert scored.led == led, (left, entered)
        assert scored.total == pytest.approx(total, abs=1e-5), (left, entered)
        np.testing.assert_allclose([scored.parts[name] for name in SEAM_PARTS], parts, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_the_score_of_a_plan(seed: int) -> None:
    dice = np.random.default_rng(seed)
    kinds = (None, *EndingKind)
    profile = make_profile(Track(bars=int(dice.integers(40, 90)), ending=kinds[seed % len(kinds)], seed=seed))
    names = ("seams", "ending", "freshness", "phrasing", "coverage", "economy")
    drawn: dict[str, Any] = {f"{name}_weight": float(dice.random()) for name in names} if seed % 2 else {}
    params = CoverParams(**drawn, fresh_seconds=float(dice.uniform(20, 200)), max_passes_in_a_row=2 + seed % 3)
    plan = plan_loop(profile, profile.song_duration + float(dice.uniform(31, 600)), params)
    assert isinstance(plan, LoopPlan)
    assert plan_score.plan_score(plan, profile, params) == pytest.approx(plan.plan_score, abs=2e-4)
