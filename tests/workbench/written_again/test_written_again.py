"""The scores of seams and plans, written again from their texts: the code does what the head of its module says.

Where one of these fails after a change of the method, mend the text, then what was written from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.workbench.golden.cases import drawn_route, play_unevenly, searched_plan
from tests.workbench.plans.made import Track, make_profile
from tests.workbench.played import Played, band
from tests.workbench.written_again import plan_score, seam_score
from workbench.beats.grid import BeatGrid
from workbench.params import SeamParams
from workbench.plans.build import assemble
from workbench.plans.plan_score import phrasing_part
from workbench.recording import Recording
from workbench.seams.profile import SEAM_PARTS
from workbench.seams.seam_score import score_seam, seam_evidence

PARTS = ("seams", "ending", "freshness", "phrasing", "coverage", "economy")
SEAMS: tuple[tuple[Callable[[], Played], dict[str, Any]], ...] = (
    (lambda: band("ABAC"), {"context_beats": 2}),
    (lambda: band("ABAC"), {"model": {"own_break_share": 1.2, "pulse_weight": 2.0, "max_harmony": 0.2}}),
    (play_unevenly, {}),
)


@pytest.mark.parametrize(("played", "changed"), SEAMS, ids=["context", "model", "uneven"])
def test_the_seam_score(played: Callable[[], Played], changed: dict[str, Any]) -> None:
    dice, params, piece = np.random.default_rng(5), SeamParams(**changed), played()
    evidence = seam_evidence(piece.recording, piece.grid, params)
    again = seam_score.WrittenAgain(evidence, params)
    for _ in range(12):
        beats = evidence.lines if dice.random() < 0.6 else np.arange(evidence.positions.size)
        left, entered = (int(beat) for beat in dice.choice(beats, 2, replace=False))
        scored = score_seam(evidence, left, entered, params)
        total, led, parts = again.score(left, entered)
        assert scored.led == led, (left, entered)
        assert scored.total == pytest.approx(total, abs=1e-5), (left, entered)
        np.testing.assert_allclose([scored.parts[name] for name in SEAM_PARTS], parts, atol=1e-4)


def test_no_join_is_judged_by_less_than_what_is_audible() -> None:
    rate, times = 22_050, np.arange(0.0, 16.0, 0.5)
    drone = np.sin(2 * np.pi * 220 * np.arange(17 * rate) / rate).astype(np.float32)
    grid = BeatGrid(times, np.tile([1, 2, 3, 4], 8), 4, 1.0)
    limits = seam_evidence(Recording.from_samples(drone, rate), grid).join_limits
    np.testing.assert_array_equal(limits, [[0.003] * 3, [1.0] * 3])


@pytest.mark.parametrize("seed", range(16))
def test_each_part_of_the_score_of_a_plan(seed: int) -> None:
    drawn = drawn_route(seed)
    plan = assemble(drawn.route, drawn.usable, drawn.profile, drawn.params)
    for part in PARTS:
        alone = drawn.params.model_copy(update={f"{name}_weight": float(name == part) for name in PARTS})
        again = plan_score.plan_score(plan, drawn.profile, alone)
        assert drawn.score.total(alone) == pytest.approx(again, abs=1e-6), part


def test_a_splice_from_section_to_section_is_a_phrase_of_any_length() -> None:
    profile = make_profile(Track(bars=40, section_bars=5))
    assert phrasing_part(profile, np.array([15, 15, 15]), np.array([0, 1, 30])).tolist() == [1.0, 0.4, 1.0]


@pytest.mark.parametrize("seed", range(4))
def test_the_score_of_a_plan_that_was_searched(seed: int) -> None:
    plan, profile, params = searched_plan(seed)
    assert plan_score.plan_score(plan, profile, params) == pytest.approx(plan.plan_score, abs=2e-4)
