"""What the check of `match_map` on material by others takes for known."""

from __future__ import annotations

import pytest

from tests.benchmarks.elsewhere.claims import MOST_TRACKS, drawn, share_of


def test_the_share_of_speech_is_that_of_the_time() -> None:
    assert share_of([(1.0, 3.0), (5.0, 6.5)], 10.0) == pytest.approx(0.35)
    assert share_of([], 10.0) == 0.0


def test_what_is_drawn_is_the_same_each_time_and_in_order() -> None:
    some = drawn(range(200))
    assert len(some) == MOST_TRACKS
    assert some == sorted(some) == drawn(range(200))
    assert drawn(range(5)) == [0, 1, 2, 3, 4]
