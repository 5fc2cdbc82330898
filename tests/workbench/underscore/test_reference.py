"""Scores are calibrated on the set that ships."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.matching.lane import Calibration, calibrated, fit_calibration
from workbench.matching.script_reference import read_reference
from workbench.params import UnderscoreParams

PARAMS = UnderscoreParams()


def test_the_constants_are_what_the_set_gives() -> None:
    reference = read_reference()
    fitted = fit_calibration(reference.raw(PARAMS), reference.taken)
    assert fitted.offset == pytest.approx(PARAMS.model.calibration_offset, abs=0.01)
    assert fitted.slope == pytest.approx(PARAMS.model.calibration_slope, abs=0.01)


def test_scores_are_probabilities_of_being_taken() -> None:
    reference = read_reference()
    curve = Calibration(PARAMS.model.calibration_offset, PARAMS.model.calibration_slope)
    scores = calibrated(reference.raw(PARAMS), curve)
    assert scores.mean() == pytest.approx(reference.taken.mean(), abs=2e-3)
    for low in np.arange(0.0, 0.6, 0.1):
        some = (scores >= low) & (scores < low + 0.1)
        assert reference.taken[some].mean() == pytest.approx(scores[some].mean(), abs=0.15)
