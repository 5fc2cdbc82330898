"""What any beat tracker must keep: inherit `BeatTrackerSuite` in a test and name the tracker.

In a file `test_mine.py` beside your module::

    from workbench.testing.beat_tracker import BeatTrackerSuite


    class TestMine(BeatTrackerSuite):
        tracker = "my_module:MyTracker"

Run it there with `python -m pytest test_mine.py`; `pip install pytest` suffices, which of our extras `dev` brings.
"""

from __future__ import annotations

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.beats.tracker import ask_tracker, find_tracker
from workbench.lab.statistics import f_measure
from workbench.params import BeatParams
from workbench.recording import FloatArray, Recording

_RATE = 22_050


def click_track(bpm: float, seconds: float = 30.0, per_bar: int = 4) -> tuple[Recording, FloatArray]:
    """Clicks over a soft bass note a bar, the first of each bar lower and louder, and the times of the clicks, s."""
    times = np.arange(0.25, seconds - 0.5, 60.0 / bpm)
    sound = np.zeros(round(seconds * _RATE))
    t = np.arange(round(0.2 * _RATE)) / _RATE
    for number, at in enumerate(times):
        opens = number % per_bar == 0
        click = (0.8 if opens else 0.4) * np.sin(2 * np.pi * (90.0 if opens else 1800.0) * t) * np.exp(-30.0 * t)
        first = round(at * _RATE)
        sound[first : first + t.size] += click[: sound.size - first]
    return Recording.from_samples(sound.astype(np.float32), _RATE), times


class BeatTrackerSuite:
    """Tests that every beat tracker passes."""

    tracker: str  # its name, as parameters take it
    least_f = 0.8  # F-measure at 70 ms on clicks that a tracker reaches that is worth the name

    def _track(self, recording: Recording) -> BeatGrid:
        return ask_tracker(self.tracker, recording, BeatParams())

    def test_it_is_found_and_has_a_version(self) -> None:
        """Whether the name leads to a tracker."""
        assert find_tracker(self.tracker).version >= 1

    def test_it_hears_clicks(self) -> None:
        """Whether plain clicks are found, at whichever multiple of the tempo people tap."""
        for bpm in (90.0, 120.0):
            recording, times = click_track(bpm)
            beats = self._track(recording).beats
            assert max(f_measure(times, beats), f_measure(times[::2], beats), f_measure(times[1::2], beats)) >= (
                self.least_f
            ), bpm

    def test_beats_are_counted_from_downbeats(self) -> None:
        """Whether there are bars."""
        grid = self._track(click_track(120.0)[0])
        assert grid.downbeats.size >= 2
        assert 0.0 <= grid.confidence <= 1.0

    def test_silence_and_very_short_sound_have_no_false_beats(self) -> None:
        """Whether music without a pulse is an answer and not an error."""
        for seconds in (0.1, 4.0):
            silence = Recording.from_samples(np.zeros(round(seconds * _RATE), dtype=np.float32), _RATE)
            grid = self._track(silence)
            assert grid.beats.size == 0 or grid.confidence < 1.0

    def test_channels_and_rate_do_not_matter(self) -> None:
        """Whether stereo at another rate gives the same beats."""
        recording, _ = click_track(120.0)
        loud = np.repeat(recording.samples, 2, axis=0)
        stereo = Recording.from_samples(np.repeat(loud, 2, axis=1), 2 * _RATE)
        assert f_measure(self._track(recording).beats, self._track(stereo).beats) >= self.least_f

    def test_the_same_sound_has_the_same_beats(self) -> None:
        """Whether nothing is drawn by chance: a cached grid must be what a new one would be."""
        recording, _ = click_track(100.0)
        np.testing.assert_array_equal(self._track(recording).beats, self._track(recording).beats)
