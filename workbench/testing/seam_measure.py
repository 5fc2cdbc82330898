"""What any seam measure must keep: inherit `SeamMeasureSuite` in a test and name the measure.

In a file `test_mine.py` beside your module::

    from workbench.testing.seam_measure import SeamMeasureSuite


    class TestMine(SeamMeasureSuite):
        measure = "my_module:MyMeasure"

Run it there with `python -m pytest test_mine.py`; `pip install pytest` suffices, which of our extras `dev` brings.
"""

from __future__ import annotations

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.params import SeamParams
from workbench.recording import Recording
from workbench.seams.build_profile import loop_profile
from workbench.seams.measures import breaks_of, features_of, find_measure
from workbench.seams.profile import SEAM_PARTS

_RATE = 22_050
_BEAT = 0.5


def two_parts() -> tuple[Recording, BeatGrid]:
    """Sixteen bars at 120 BPM with their grid: four of a low rough tone, four of a high pure one, and both again."""
    t = np.arange(round(_BEAT * _RATE)) / _RATE
    low = sum(np.sin(2 * np.pi * 110.0 * k * t) / k for k in range(1, 9)) * np.exp(-3.0 * t)
    high = np.sin(2 * np.pi * 660.0 * t) * np.exp(-3.0 * t)
    beats = [low if (number // 16) % 2 == 0 else high for number in range(64)]
    sound = 0.3 * np.concatenate([*beats, np.zeros(_RATE)])
    return Recording.from_samples(sound.astype(np.float32), _RATE), BeatGrid.from_times(_BEAT * np.arange(64))


class SeamMeasureSuite:
    """Tests that every seam measure passes."""

    measure: str  # its name, as parameters take it

    def _params(self, weight: float = 1.0) -> SeamParams:
        return SeamParams(measures=(f"{self.measure}={weight}",))

    def test_it_is_found_and_says_what_it_is(self) -> None:
        """Whether the name leads to a measure with words for people."""
        found = find_measure(self.measure)
        assert found.unit
        assert found.description

    def test_the_same_place_is_no_break(self) -> None:
        """Whether a splice that changes nothing has a break of 0, and others are finite and not negative."""
        (measured,) = features_of(*two_parts(), self._params())
        lines = np.arange(0, 64, 4)
        breaks = breaks_of(measured, lines, lines)
        np.testing.assert_allclose(np.diag(breaks), 0.0, atol=1e-6)

    def test_some_of_the_pairs_do_not_hide_others(self) -> None:
        """Whether the break of a pair is the same whichever others are asked for."""
        (measured,) = features_of(*two_parts(), self._params())
        lines = np.arange(0, 64, 4)
        whole = breaks_of(measured, lines, lines)
        np.testing.assert_allclose(breaks_of(measured, lines[3:5], lines[6:7]), whole[3:5, 6:7], atol=1e-6)

    def test_its_part_stands_behind_ours_and_a_weight_lowers_scores(self) -> None:
        """Whether it takes part in the score: nothing with a weight of 0, and no score is better for more of it."""
        recording, grid = two_parts()
        without = loop_profile(recording, grid).splices
        unweighed = loop_profile(recording, grid, self._params(0.0)).splices
        weighed = loop_profile(recording, grid, self._params(2.0)).splices
        assert unweighed.parts.shape[1] == len(SEAM_PARTS) + 1
        np.testing.assert_allclose(unweighed.score, without.score, atol=1e-9)
        for leave, enter, score in zip(weighed.leave, weighed.enter, weighed.score, strict=True):
            row = without.row_of(int(leave), int(enter))
            assert row is None or score <= without.score[row] + 1e-9
