"""Gain laws against their formulas and the properties they are chosen for."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.mix.fades import (
    crossfade_in,
    crossfade_out,
    decibels_to_gain,
    duck_gain,
    end_fade,
    glide_gain,
    start_fade,
)

X = np.linspace(0.0, 1.0, 101)


def test_equal_power_keeps_power_and_linear_keeps_amplitude() -> None:
    assert crossfade_in(X, 0.5) ** 2 + crossfade_out(X, 0.5) ** 2 == pytest.approx(np.ones(101))
    assert crossfade_in(X, 1.0) + crossfade_out(X, 1.0) == pytest.approx(np.ones(101))


@given(st.floats(0.5, 1.0), st.floats(0.0, 1.0))
def test_crossfades_mirror_each_other(exponent: float, x: float) -> None:
    assert crossfade_in(np.array(x), exponent) == pytest.approx(x**exponent)
    assert crossfade_out(np.array(x), exponent) == pytest.approx((1 - x) ** exponent)


@pytest.mark.parametrize("law", [lambda x: crossfade_in(x, 0.7), start_fade])
def test_rising_laws_hold_their_ends(law: Callable[[NDArray[np.float64]], NDArray[np.floating]]) -> None:
    assert law(np.array([-5.0, 0.0, 1.0, 7.0])) == pytest.approx([0.0, 0.0, 1.0, 1.0])
    assert np.all(np.diff(law(X)) > 0)


@pytest.mark.parametrize("law", [lambda x: crossfade_out(x, 0.7), end_fade])
def test_falling_laws_hold_their_ends(law: Callable[[NDArray[np.float64]], NDArray[np.floating]]) -> None:
    assert law(np.array([-5.0, 0.0, 1.0, 7.0])) == pytest.approx([1.0, 1.0, 0.0, 0.0])
    assert np.all(np.diff(law(X)) < 0)


def test_end_fades_are_raised_cosines() -> None:
    assert start_fade(np.array([0.25, 0.5])) == pytest.approx([(1 - np.cos(np.pi / 4)) / 2, 0.5])
    assert start_fade(X) + end_fade(X) == pytest.approx(np.ones(101))


def test_glides_are_linear_in_decibels() -> None:
    gain = glide_gain(np.array([-1.0, 0.0, 0.25, 1.0, 2.0]), -8.0, 4.0)
    assert 20 * np.log10(gain) == pytest.approx([-8.0, -8.0, -5.0, 4.0, 4.0])
    assert decibels_to_gain(np.array([0.0, 20.0, -20.0])) == pytest.approx([1.0, 10.0, 0.1])


def test_ducking_interpolates_decibels_and_holds_its_ends() -> None:
    points = [(1.0, 0.0), (2.0, 12.0), (5.0, 6.0)]
    gain = duck_gain(points, np.array([0.0, 1.0, 1.5, 2.0, 3.5, 9.0]))
    assert -20 * np.log10(gain) == pytest.approx([0.0, 0.0, 6.0, 12.0, 9.0, 6.0], abs=1e-9)
    assert np.array_equal(duck_gain([], np.array([1.0, 2.0])), [1.0, 1.0])


def test_points_that_are_no_curve_are_refused() -> None:
    with pytest.raises(ParameterError, match="increase"):
        duck_gain([(1.0, 0.0), (1.0, 3.0)], np.array([0.0]))
    with pytest.raises(ParameterError, match="pairs"):
        duck_gain(np.array([1.0, 2.0]), np.array([0.0]))
