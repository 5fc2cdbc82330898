"""The extension points of beat trackers, section finders and voice detectors: what each is, and how it is asked.

A parameter names the implementation (`BeatParams.tracker`, `SectionParams.finder`, `VoiceParams.detector`); see
`workbench.extensions` for how it is found. From there everything else follows: what it detects is stored under its name
and version, and plans, pictures and exports are made of it. An implementation that is tested inherits its suite in
`workbench.lab.extension_suites`.

    class LibrosaTracker:
        version = 1

        def track(self, recording, params):
            sound = librosa.resample(recording.mono(), orig_sr=recording.sample_rate, target_sr=22050)  # as it expects
            tempo, beats = librosa.beat.beat_track(y=sound, sr=22050, units="time")
            return BeatGrid.from_times(beats, confidence=0.5)

    class Halves:
        version = 1

        def sections(self, recording, grid, bars, params):
            n = bars.level_db.size
            return [Section(0, n // 2, "verse", 0), Section(n // 2, n, "chorus", 1)]

    class Narrated:
        version = 1

        def reads(self, video):
            return ()

        def utterances(self, video, soundtrack, params):
            return [(2.0, 5.5), (8.0, 9.25)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from workbench.beats import track
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, ParameterError
from workbench.extensions import BEAT_TRACKERS, OWN, SECTION_FINDERS, VOICE_DETECTORS, find, work_of
from workbench.params import BeatParams, SectionParams, VoiceParams
from workbench.recording import FloatArray, Recording
from workbench.structure.sections import LABELS, BarFeatures, Section
from workbench.video.speech_ranges import Utterances
from workbench.video.utterances import SoundtrackMeasure


@runtime_checkable
class BeatTracker(Protocol):
    """Tracks the beats of a recording."""

    version: int
    """of its answers, from 1; raised when they change, so that stored grids of an older version are not read"""

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


@runtime_checkable
class SectionFinder(Protocol):
    """Cuts a recording into sections of whole bars: those of profiles, plans, pictures and exports.

    The ending is looked for in the last of them.
    """

    version: int
    """of its answers, from 1; raised when they change, so that no sections of an older one are read"""

    def sections(
        self, recording: Recording, grid: BeatGrid, bars: BarFeatures, params: SectionParams
    ) -> Sequence[Section]:
        """Find the sections.

        Parameters
        ----------
        recording : samples of shape (channels, n), float32, full scale 1.0
        grid : its beats; bar k begins at `grid.downbeats[k]`, in seconds
        bars : what each bar sounds like, a row a bar; at least two
        params : the usual length, and whatever else it can use

        Returns
        -------
        in order, holding every bar once; labels are of `workbench.structure.sections.LABELS`, and sections of one group
            repeat each other
        """
        ...


@runtime_checkable
class VoiceDetector(Protocol):
    """Detects foreground speech in a soundtrack, or reads it from a file of labels.

    The music is lowered there. What it detects is stored by the video's bytes, its name and version, the parameters,
    and the bytes of the files that it says it reads.
    """

    version: int
    """of its answers, from 1; raised when they change, so that stored utterances of an older version are not read"""

    def reads(self, video: Path) -> Sequence[Path]:
        """Files other than the video that its answer depends on; most read none.

        Parameters
        ----------
        video : the video or sound file
        """
        ...

    def utterances(
        self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams
    ) -> Iterable[tuple[float, float]]:
        """Find the utterances.

        Parameters
        ----------
        video : the video or sound file, which `workbench.media.audio.decode` reads
        soundtrack : what was measured on it: loudness, probabilities of speech, bands, pitches
        params : of the voice, as far as it can use them

        Returns
        -------
        (start, end) of each in video seconds, sorted and disjoint; cut off at the end of the video
        """
        ...


def track_beats(
    sound: Recording | FloatArray,
    sample_rate: int | None = None,
    params: BeatParams | None = None,
) -> BeatGrid:
    """Track the beats and downbeats of a recording, by our tracker or the one that the parameters name.

    Parameters
    ----------
    sound : a recording, or mono samples of shape (n,)
    sample_rate : Hz, of mono samples; None: 44,100; must be None for a recording, which knows its own
    params : of the tracker; None: the defaults. Another tracker that they name gets a recording, and no bare samples

    Returns
    -------
    BeatGrid : times in seconds of track time; without beats and with confidence 0 where no pulse is found

    Raises
    ------
    ParameterError : a recording and a sample rate together; there is no tracker of that name, or it fails
    GridError : a named tracker gives no grid of the recording
    MediaError : samples that are NaN, infinite or beyond the range of sound
    """
    if isinstance(sound, Recording) and sample_rate is None and params is not None and params.tracker != OWN:
        return ask_tracker(params.tracker, sound, params)
    return track.track_beats(sound, sample_rate, params)


def ask_tracker(name: str, recording: Recording, params: BeatParams) -> BeatGrid:
    """Track beats by the tracker of a name, and check the answer: `GridError` if that is no grid of the recording.

    A tracker that fails is a `ParameterError` that names it.
    """
    tracker: BeatTracker = find(BEAT_TRACKERS, name)
    with work_of(BEAT_TRACKERS, name):
        try:
            grid = tracker.track(recording, params)
        except GridError as error:
            raise GridError(f"the beat tracker {name} gave no grid: {error}") from error
    if not isinstance(grid, BeatGrid):
        raise GridError(f"the beat tracker {name} gave a {type(grid).__name__}, not a BeatGrid")
    if grid.beats.size and grid.beats[-1] >= recording.duration:
        last, end = f"{grid.beats[-1]:.3f} s", f"{recording.duration:.3f} s"
        raise GridError(f"the beat tracker {name} gave a beat at {last}, after the end at {end}")
    return grid


def ask_finder(
    recording: Recording, grid: BeatGrid, bars: BarFeatures, params: SectionParams | None = None
) -> tuple[Section, ...]:
    """Sections by the finder that the parameters name, in order, which together hold every bar once.

    Raises `ParameterError` if the finder fails, or its sections leave out a bar or have another label.
    """
    params = params or SectionParams()
    if bars.level_db.size == 0:
        return ()
    finder: SectionFinder = find(SECTION_FINDERS, params.finder)
    with work_of(SECTION_FINDERS, params.finder):
        found = tuple(
            Section(int(one.first_bar), int(one.last_bar), one.label, int(one.group))
            for one in finder.sections(recording, grid, bars, params)
        )
    _check_sections(found, bars.level_db.size, f"the section finder {params.finder}")
    return found


def sections_by(params: SectionParams) -> Callable[[Recording, BeatGrid, BarFeatures], tuple[Section, ...]]:
    """`ask_finder` with parameters, as a profile is handed it."""
    return partial(ask_finder, params=params)


def _check_sections(found: Sequence[Section], n_bars: int, by: str) -> None:
    for one in found:
        if one.label not in LABELS:
            raise ParameterError(f"{by} called a section {one.label}; labels are {', '.join(LABELS)}")
        if one.group < 0 or one.first_bar >= one.last_bar:
            raise ParameterError(f"{by} gave a section from bar {one.first_bar} to {one.last_bar}, group {one.group}")
    borders = [(0, 0), *((one.first_bar, one.last_bar) for one in found), (n_bars, n_bars)]
    for (_, end), (start, _) in pairwise(borders):
        if end != start:
            raise ParameterError(f"{by} must hold each of {n_bars} bars once; after bar {end} it goes on at {start}")


def detector_file(soundtrack: SoundtrackMeasure, params: VoiceParams) -> Path:
    """The file that the named voice detector reads; raises `ParameterError` if the soundtrack comes from memory."""
    if soundtrack.path is None:
        raise ParameterError(
            f"the voice detector {params.detector} reads files, and this sound is in memory: write it to a file and "
            "measure that one, or choose the detector workbench"
        )
    return soundtrack.path


def ask_detector(soundtrack: SoundtrackMeasure, params: VoiceParams) -> Utterances:
    """Utterances, in seconds, sorted and disjoint, by the detector that the parameters name, checked.

    Raises `ParameterError` if there is no such detector, the soundtrack has no file, or the detector fails or returns
    no proper utterances.
    """
    detector: VoiceDetector = find(VOICE_DETECTORS, params.detector)
    by, path = f"the voice detector {params.detector}", detector_file(soundtrack, params)
    with work_of(VOICE_DETECTORS, params.detector):
        found = tuple((float(start), float(end)) for start, end in detector.utterances(path, soundtrack, params))
    for start, end in found:
        if not (np.isfinite(start) and np.isfinite(end) and 0.0 <= start < end):
            raise ParameterError(f"{by} gave an utterance from {start} to {end} s")
    for (_, end), (start, _) in pairwise(found):
        if end > start:
            raise ParameterError(f"{by} must give utterances in order; one ends at {end} s, the next begins at {start}")
    return found
