"""Methods give the numbers they gave; see `cases` for how to store new ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.golden import cases

TOLERANCE = {
    "ducking": 1e-6, "match_score": 1e-5, "placements": 2e-4, "crossfades": 2e-5, "beat_paths": 1e-6,
    "seam_scores": 2e-5, "plan_scores": 1e-6, "plan_searches": 1.5e-4,
}  # fmt: skip
"""what another processor or numpy may change"""


@pytest.mark.parametrize(
    ("name", "seed"), [(case.__name__, seed) for case, count in cases.CASES.items() for seed in range(count)]
)
def test_numbers_are_as_stored(name: str, seed: int) -> None:
    stored = cases.read()
    found = getattr(cases, name)(seed, stored["params"])
    expected = stored[f"{name} {seed}"]
    assert found.keys() == expected.keys()
    for step, values in expected.items():
        np.testing.assert_allclose(
            np.asarray(found[step], dtype=np.float64), np.array(values), rtol=0, atol=TOLERANCE[name], err_msg=step
        )
