"""One level throughout: where a path leaps to the half of its beat, what it implies, and what is no leap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.beats.candidates import count_one_level, halves_of
from workbench.beats.evidence import Odds
from workbench.beats.meter import share_near
from workbench.beats.network import DIVISIONS, METRES, TEMPO_BINS, Activations

Times = NDArray[np.floating]


def played(*parts: tuple[float, int]) -> Times:
    """Beats of parts in a tempo: BPM and number of beats."""
    return 0.4 + np.concatenate(([0.0], np.cumsum(np.concatenate([np.full(n, 60.0 / bpm) for bpm, n in parts]))))


def odds_of(times: Times, seconds: float) -> Odds:
    """What a network detects that is sure of beats at these times, and of none between them."""
    curve = np.full(round(seconds * 50), -4.0, dtype=np.float32)
    curve[np.round(times * 50).astype(int)] = 3.0
    tempo, metre, division = (
        np.zeros((curve.size // 2, size), dtype=np.float32) for size in (TEMPO_BINS.size, len(METRES), len(DIVISIONS))
    )
    return Odds.of(Activations(curve, curve, tempo, metre, division, 50))


@pytest.mark.parametrize(
    ("first", "heard", "true"), [(160.0, 100.0, 200.0), (104.0, 65.0, 130.0), (150.0, 90.0, 180.0)]
)
def test_a_part_heard_at_half_its_tempo_is_counted_like_the_others(first: float, heard: float, true: float) -> None:
    counted = count_one_level(played((first, 40), (heard, 20), (first, 24)))
    assert counted == pytest.approx(played((first, 40), (true, 40), (first, 24)))


def test_a_part_heard_at_double_its_tempo_sets_the_level() -> None:
    counted = count_one_level(played((100.0, 32), (220.0, 64)))
    assert counted is not None
    assert counted == pytest.approx(played((200.0, 64), (220.0, 64)))
    halves = halves_of(counted, odds_of(counted, 60.0))
    assert halves[0] == pytest.approx(played((100.0, 32), (110.0, 32)))


@pytest.mark.parametrize(
    "parts",
    [
        ((120.0, 100),),
        ((92.0, 40), (138.0, 40)),
        ((138.0, 40), (92.0, 40), (138.0, 40)),
        ((120.0, 40), (60.0, 3), (120.0, 40)),
        ((40.0, 20), (80.0, 20), (160.0, 20), (320.0, 20)),
        ((100.0, 4),),
    ],
    ids=["steady", "three to two", "there and back", "missed beats", "too many levels", "few beats"],
)
def test_what_is_no_leap_implies_nothing(parts: tuple[tuple[float, int], ...]) -> None:
    assert count_one_level(played(*parts)) is None


def test_a_ramp_of_an_octave_is_no_leap() -> None:
    beats = 60.0 / np.geomspace(80.0, 190.0, 120)
    assert count_one_level(np.concatenate(([0.0], np.cumsum(beats)))) is None


def test_one_of_the_halves_goes_over_where_the_network_does() -> None:
    times = played((200.0, 160))
    heard = np.concatenate((times[0:80:2], times[81::2]))
    halves = halves_of(times, odds_of(heard, 60.0))
    assert halves[0] == pytest.approx(times[0::2])
    assert halves[1] == pytest.approx(times[1::2])
    assert share_near(heard, halves[2], 0.001) > 0.97
    assert share_near(halves[2], heard, 0.001) > 0.97


@given(st.lists(st.tuples(st.floats(45.0, 230.0), st.integers(2, 40)), min_size=1, max_size=5))
def test_all_beats_are_kept_and_in_order(parts: list[tuple[float, int]]) -> None:
    times = played(*parts)
    counted = count_one_level(times)
    if counted is None:
        return
    assert np.all(np.diff(counted) > 0)
    assert share_near(times, counted, 1e-6) == 1.0
    for half in halves_of(counted, odds_of(counted, float(counted[-1]) + 1.0)):
        assert np.all(np.diff(half) > 0)
