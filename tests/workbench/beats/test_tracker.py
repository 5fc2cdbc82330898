"""What is called a beat tracker and is none says so; `tests/workbench/testing` runs those that are."""

from __future__ import annotations

import pytest

from workbench import extensions
from workbench.beats.grid import BeatGrid
from workbench.beats.track import track_beats
from workbench.beats.tracker import ask_tracker
from workbench.errors import GridError, ParameterError
from workbench.params import BeatParams
from workbench.recording import Recording
from workbench.testing.beat_tracker import click_track


class LateTracker:
    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        return BeatGrid.from_times([0.5, recording.duration + 1.0])


class HalfTracker:
    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        return BeatGrid.from_times([0.5, 1.0, 1.5, 2.0])


class BrokenTracker:
    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        raise IndexError("no onsets")


def test_a_tracker_that_fails_is_named() -> None:
    recording, _ = click_track(120.0, 8.0)
    extensions.register(extensions.BEAT_TRACKERS, "broken", BrokenTracker)
    with pytest.raises(ParameterError, match="the beat tracker broken failed: IndexError: no onsets"):
        ask_tracker("broken", recording, BeatParams())
    extensions.unregister(extensions.BEAT_TRACKERS, "broken")


def test_what_is_no_tracker_is_said() -> None:
    recording, _ = click_track(120.0, 8.0)
    extensions.register(extensions.BEAT_TRACKERS, "late", LateTracker)
    with pytest.raises(ParameterError, match="no beat tracker nobody; known are workbench"):
        ask_tracker("nobody", recording, BeatParams())
    with pytest.raises(ParameterError, match=r"cannot be loaded: No module named 'nowhere'"):
        ask_tracker("nowhere:Tracker", recording, BeatParams())
    with pytest.raises(ParameterError, match="is no beat tracker"):
        ask_tracker("workbench.beats.grid:BeatGrid.from_times", recording, BeatParams())
    with pytest.raises(GridError, match="after the end"):
        ask_tracker("late", recording, BeatParams())


def test_parameters_choose_the_tracker() -> None:
    recording, _ = click_track(120.0, 8.0)
    extensions.register(extensions.BEAT_TRACKERS, "half", HalfTracker())
    assert track_beats(recording, params=BeatParams(tracker="half")).beats.tolist() == [0.5, 1.0, 1.5, 2.0]
    assert track_beats(recording).beats.size > 10
