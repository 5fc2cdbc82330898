"""Speech over music, on levels that are known."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.features.levels import LevelCurve, from_lufs
from workbench.mix.clarity import Passage, played_music, speech_over_music, worst_passages


def steady(*pieces: tuple[float, float]) -> LevelCurve:
    """Pieces of (LUFS, s)."""
    return LevelCurve(np.concatenate([np.full(round(100 * seconds), from_lufs(lufs)) for lufs, seconds in pieces]), 0.5)


def test_music_is_measured_at_its_gain_under_the_curve() -> None:
    played = played_music(steady((-20.0, 10.0)), -3.0, [(4.0, 0.0), (5.0, 12.0)])
    assert played.lufs(0.0, 4.0) == pytest.approx(-23.0, abs=0.01)
    assert played.lufs(5.0, 10.0) == pytest.approx(-35.0, abs=0.01)
    assert played_music(steady((-20.0, 10.0)), 2.0, ()).lufs(0.0, 10.0) == pytest.approx(-18.0, abs=0.01)


def test_passages_are_three_seconds_at_most_and_each_has_its_own_music() -> None:
    """Six seconds of speech at -18 LUFS; music at -30, and at -24 from the second passage on."""
    soundtrack = steady((-70.0, 4.0), (-18.0, 6.0), (-70.0, 5.0), (-18.0, 1.0), (-70.0, 4.0))
    music = steady((-30.0, 7.0), (-24.0, 13.0))
    passages = speech_over_music(soundtrack, music, [(4.0, 10.0), (15.0, 16.0)])
    assert [(each.start, each.end) for each in passages] == [(4.0, 7.0), (7.0, 10.0), (15.0, 16.0)]
    assert [each.over_lu for each in passages] == pytest.approx([12.0, 6.0, 6.0], abs=0.1)


def test_the_voice_is_measured_without_its_background() -> None:
    """Speech and traffic of the same power are 3 dB over the traffic alone."""
    soundtrack = steady((-21.01, 4.0), (-18.0, 3.0), (-21.01, 4.0))
    (passage,) = speech_over_music(soundtrack, steady((-30.0, 11.0)), [(4.0, 7.0)])
    assert passage.over_lu == pytest.approx(9.0, abs=0.1)


def test_the_worst_come_first_and_silent_music_is_none() -> None:
    passages = [Passage(k, k + 1.0, over) for k, over in enumerate((12.0, float("inf"), 3.0, 9.0))]
    assert [each.over_lu for each in worst_passages(passages, 2)] == [3.0, 9.0]
    assert len(worst_passages(passages)) == 3
    assert worst_passages(()) == ()
    (silent,) = speech_over_music(steady((-18.0, 5.0)), steady((-18.0, 1.0)), [(2.0, 4.0)])
    assert silent.over_lu == float("inf")
