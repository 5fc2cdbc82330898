"""From a route to what is heard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from workbench.loops.assembly import bars_heard, fresh_mean, longest_run
from workbench.loops.profile import LoopProfile
from workbench.loops.splices import UsableSplices, usable_splices
from workbench.loops.worth import freshness_part
from workbench.params import CoverParams

Maker = Callable[..., LoopProfile]


def bare(profile: LoopProfile) -> UsableSplices:
    return usable_splices(profile, CoverParams())


def test_freshness_is_how_soon_bars_come_again(track_profile: Maker) -> None:
    params = CoverParams(fresh_seconds=80.0)
    lasts = np.full(4, 20.0)
    # Bars 0 1 2 3 0 1 2 3: the first four come again after 80 s, the last four never.
    assert fresh_mean(np.array([0, 1, 2, 3] * 2), lasts, params) == pytest.approx(1 - np.exp(-1) / 2)
    # Bars 0 1 0 1 2 3: two of six come again after 40 s.
    assert fresh_mean(np.array([0, 1, 0, 1, 2, 3]), lasts, params) == pytest.approx(1 - np.exp(-0.5) / 3)
    # The track played round and round is as fresh as a loop of it can be.
    assert freshness_part(np.asarray(1 - np.exp(-1) / 2), 160.0, 80.0, params) == pytest.approx(1.0)


def test_bars_are_heard_in_the_order_of_the_splices(track_profile: Maker, only: Callable[..., LoopProfile]) -> None:
    usable = bare(only(track_profile(), [(16, 8), (40, 24)]))
    first, second = (int(np.flatnonzero(usable.leave == leave)[0]) for leave in (16, 40))
    bars = bars_heard(np.array([first, second]), usable, 50)
    np.testing.assert_array_equal(bars, np.concatenate([np.arange(16), np.arange(8, 40), np.arange(24, 50)]))
    assert longest_run(np.array([2, 2, 1, 2, 2, 2])) == 3
    assert longest_run(np.array([], dtype=np.int64)) == 0
