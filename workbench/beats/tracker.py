"""The extension point of beat trackers: another tracker in the place of ours.

`BeatParams.tracker` names it; see `workbench.extensions` for how it is found. From there everything else follows: its
grid is kept under its name and version, and loops, pictures and exports are made on it. One that is tested inherits
`workbench.testing.beat_tracker.BeatTrackerSuite`.

    class LibrosaTracker:
        version = 1

        def track(self, recording, params):
            tempo, beats = librosa.beat.beat_track(y=recording.mono(), sr=recording.sample_rate, units="time")
            return BeatGrid.from_times(beats, confidence=0.5)

Class: `OwnTracker`. Protocol: `BeatTracker`. Functions: `find_tracker`, `ask_tracker`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, ParameterError
from workbench.extensions import BEAT_TRACKERS, OWN, find, has_version, work_of
from workbench.params import BeatParams
from workbench.recording import Recording


@runtime_checkable
class BeatTracker(Protocol):
    """Finds the beats of a recording."""

    version: int
    """of its answers, from 1; raised when they change, so that no grid of an older one is read"""

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        """Track beats and downbeats.

        Parameters
        ----------
        recording : samples of shape (channels, n), float32, full scale 1.0
        params : the range of tempi, and whatever else it can use

        Returns
        -------
        BeatGrid : seconds of track time, within the recording; with its confidence, 0 to 1. Without beats where no
            pulse is found: `BeatGrid(np.zeros(0), np.zeros(0), 4, 0.0)`
        """
        ...


class OwnTracker:
    """The tracker of this package: `workbench.beats.track`."""

    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        """Track beats and downbeats."""
        from workbench.beats.track import track_beats

        return track_beats(recording, params=params.model_copy(update={"tracker": OWN}))


def find_tracker(name: str) -> BeatTracker:
    """Find a beat tracker by the name in `BeatParams.tracker`; ParameterError where there is none."""
    found = find(BEAT_TRACKERS, name)
    if not isinstance(found, BeatTracker) or not has_version(found):
        raise ParameterError(f"{name} is no beat tracker: it needs a version, from 1, and track(recording, params)")
    return found


def ask_tracker(name: str, recording: Recording, params: BeatParams) -> BeatGrid:
    """Track beats by the tracker of a name, and check what it gives: GridError where that is no grid of the recording.

    A tracker that fails is a ParameterError that names it.
    """
    tracker = find_tracker(name)
    with work_of(BEAT_TRACKERS, name):
        grid = tracker.track(recording, params)
    if not isinstance(grid, BeatGrid):
        raise GridError(f"the beat tracker {name} gave a {type(grid).__name__}, not a BeatGrid")
    if grid.beats.size and grid.beats[-1] >= recording.duration:
        last, end = f"{grid.beats[-1]:.3f} s", f"{recording.duration:.3f} s"
        raise GridError(f"the beat tracker {name} gave a beat at {last}, after the end at {end}")
    return grid
