"""What any section finder must keep: inherit `SectionFinderSuite` in a test and name the finder.

In a file `test_mine.py` beside your module::

    from workbench.testing.section_finder import SectionFinderSuite


    class TestMine(SectionFinderSuite):
        finder = "my_module:MyFinder"

Run it there with `python -m pytest test_mine.py`; `pip install pytest` suffices, which of our extras `dev` brings.
"""

from __future__ import annotations

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.params import SectionParams
from workbench.recording import Recording
from workbench.seams.build_profile import loop_profile
from workbench.seams.profile import LoopProfile
from workbench.structure.finder import find_finder
from workbench.testing.seam_measure import two_parts


def _few_bars(n_bars: int) -> tuple[Recording, BeatGrid]:
    """The first bars of `two_parts`."""
    recording, grid = two_parts()
    samples = recording.samples[:, : round((4 * n_bars * 0.5 + 0.4) * recording.sample_rate)]
    return Recording.from_samples(samples, recording.sample_rate), BeatGrid.from_times(grid.beats[: 4 * n_bars])


class SectionFinderSuite:
    """Tests that every section finder passes."""

    finder: str  # its name, as parameters take it
    most_bars_off = 1  # bars by which it may miss the border between two parts that have nothing in common

    def _profile(self, recording: Recording, grid: BeatGrid) -> LoopProfile:
        return loop_profile(recording, grid, sections=SectionParams(finder=self.finder))

    def test_it_is_found_and_has_a_version(self) -> None:
        """Whether the name leads to a finder."""
        assert find_finder(self.finder).version >= 1

    def test_a_border_that_anybody_hears_is_found(self) -> None:
        """Whether sixteen bars of two sounds in turn are parted where the sound changes."""
        borders = [one.first_bar for one in self._profile(*two_parts()).sections]
        for bar in (4, 8, 12):
            assert min(abs(bar - border) for border in borders) <= self.most_bars_off, borders

    def test_every_bar_is_in_one_section(self) -> None:
        """Whether sections hold all bars, of short music and of silence too."""
        silent = Recording.from_samples(np.zeros(8 * 22_050, dtype=np.float32), 22_050)
        for recording, grid in (two_parts(), _few_bars(2), (silent, BeatGrid.from_times(0.5 * np.arange(16)))):
            profile = self._profile(recording, grid)
            held = [bar for one in profile.sections for bar in range(one.first_bar, one.last_bar)]
            assert held == list(range(profile.downbeats.size))

    def test_the_same_sound_has_the_same_sections(self) -> None:
        """Whether nothing is drawn by chance: cached sections must be what new ones would be."""
        assert self._profile(*two_parts()).sections == self._profile(*two_parts()).sections
