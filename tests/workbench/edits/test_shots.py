"""Rates and speeds that decimals mean, and parts of rows of shots."""

from __future__ import annotations

from fractions import Fraction

import pytest

from workbench.edits.shots import (
    Shot,
    cut_at_middles,
    exact_number,
    exact_rate,
    find_usual_rate,
    lay_shots,
    part_of,
    plain_speed,
)
from workbench.errors import EditError

ONE = Fraction(1)


@pytest.mark.parametrize("rate", [23.976, 23.98, 23.976023976023978])
def test_a_decimal_rate_is_the_broadcast_one(rate: float) -> None:
    assert exact_rate(rate) == Fraction(24_000, 1001)
    assert exact_rate(rate * 5 / 4) == Fraction(30_000, 1001)
    assert exact_rate(24.0) == 24
    assert exact_rate(12.5) == Fraction(25, 2)


@pytest.mark.parametrize(
    ("measured", "exact"),
    [
        (23.976, Fraction(24000, 1001)),
        (24.0, Fraction(24)),
        (29.97003, Fraction(30000, 1001)),
        (59.9401, Fraction(60000, 1001)),
        (119.88, Fraction(120000, 1001)),
        (12.5, Fraction(25, 2)),
    ],
)
def test_the_mean_of_a_video_stands_for_a_usual_rate(measured: float, exact: Fraction) -> None:
    assert find_usual_rate(measured, 2e-4) == exact
    assert exact_rate(measured) == pytest.approx(exact)
    assert find_usual_rate(1.0005 * measured, 2e-4) is None


def test_numbers_and_speeds() -> None:
    assert exact_number(86_400.0) == 86_400
    assert exact_number(10.5) == Fraction(21, 2)
    assert plain_speed(Fraction("1.332"), Fraction("0.002")) == Fraction(4, 3)
    assert plain_speed(Fraction("-0.5"), Fraction("0.002")) == Fraction(-1, 2)
    for bad in (0.0, 0.0001, float("nan")):
        with pytest.raises(EditError, match="must be positive"):
            exact_rate(bad)
    with pytest.raises(EditError, match="finite"):
        exact_number(float("inf"))


def test_a_part_of_a_row_forwards_backwards_and_past_its_ends() -> None:
    row = [Shot("a", Fraction(10), Fraction(4), ONE), Shot("b", Fraction(0), Fraction(4), Fraction(2))]
    assert part_of(row, Fraction(2), Fraction(4)) == [
        Shot("a", Fraction(12), Fraction(2), ONE), Shot("b", Fraction(0), Fraction(2), Fraction(2)),
    ]  # fmt: skip
    assert part_of(row, Fraction(6), Fraction(2), Fraction(-2)) == [
        Shot("b", Fraction(4), ONE, Fraction(-4)), Shot("a", Fraction(14), ONE, Fraction(-2)),
    ]  # fmt: skip
    assert part_of(row, Fraction(-1), Fraction(2)) == [Shot.gap(ONE), Shot("a", Fraction(10), ONE, ONE)]
    assert part_of(row, Fraction(7), Fraction(3)) == [Shot("b", Fraction(6), ONE, Fraction(2)), Shot.gap(Fraction(2))]
    assert part_of(row, Fraction(9), Fraction(3)) == [Shot.gap(Fraction(3))]
    assert part_of(row, Fraction(5), Fraction(3), Fraction(0)) == [Shot("b", Fraction(2), Fraction(3), Fraction(0))]


def test_a_transition_no_shot_has_room_for() -> None:
    row = [Shot("a", ONE, ONE, ONE), Shot("b", ONE, ONE, ONE, Fraction(5)), Shot("c", ONE, ONE, ONE, Fraction(-1, 2))]
    assert cut_at_middles(row) == [Shot("a", ONE, Fraction(2), ONE), Shot("c", ONE, ONE, ONE)]
    with pytest.raises(EditError, match="no shot"):
        lay_shots([], Fraction(25))
