"""What a plan is worth: the parts, and what passing a limit costs."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.loops.worth import most_plays, over_limits
from workbench.params import CoverParams


def test_limits_cost_half_at_once_and_half_with_every_doubling() -> None:
    params = CoverParams(max_passes_in_a_row=3, max_plays_over_mean=2.0, limit_penalty=0.06)
    mean = np.asarray(5.0)
    assert most_plays(mean, params) == 10
    assert most_plays(np.asarray(1.2), params) == 3, "one more than the mean rounded up"
    cost = [float(over_limits(np.asarray(run), np.asarray(10.0), mean, params)) for run in (3, 4, 6, 12)]
    assert cost == pytest.approx([0.0, 0.03 + 0.03 * np.log2(4 / 3), 0.06, 0.09])
    assert over_limits(np.asarray(1), np.asarray(20.0), mean, params) == pytest.approx(0.06)
