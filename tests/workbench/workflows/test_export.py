"""What an export is laid out by."""

from __future__ import annotations

from fractions import Fraction

import pytest

from workbench.workflows.export import frame_rate


@pytest.mark.parametrize(
    ("measured", "exact"),
    [
        (23.976, Fraction(24000, 1001)),
        (24.0, Fraction(24)),
        (29.97003, Fraction(30000, 1001)),
        (59.9401, Fraction(60000, 1001)),
        (12.5, Fraction(25, 2)),
    ],
)
def test_frame_rates_are_exact(measured: float, exact: Fraction) -> None:
    assert frame_rate(measured) == exact
