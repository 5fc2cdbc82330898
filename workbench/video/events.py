"""Events of a video: the instants that an editor would want the music to hit.

    cut     one shot gives way to another; less where cuts crowd, vaguer where they dissolve or fade
    flash   the picture flares up
    title   words appear over the picture
    hit     a sound outside speech begins and stands out
    motion  more moves than shortly before and after
    start   the first picture
    end     the last one

Times are video seconds. Salience is how much a viewer notices, 0 to 1. What happens at one instant is one event: its
salience grows by those of the others, and it is named after what is seen, else after what is heard, else after what
moves. A regular patter, footsteps say, is no row of events: hits that crowd lose salience as cuts do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from workbench.errors import ParameterError
from workbench.features.marks import Marks, marks_of, strongest_apart
from workbench.params import EventParams
from workbench.recording import FloatArray, VideoSeconds
from workbench.video.picture import Border, Picture
from workbench.video.soundtrack import HOPS_PER_SECOND, Soundtrack

EVENT_KINDS = ("cut", "flash", "title", "hit", "motion", "start", "end")
"""What events are called."""

_Row: TypeAlias = tuple[VideoSeconds, str, float, float]
"""time, kind, salience, tolerance in s"""

_FRAME_TOLERANCE = 0.04
"""s; a frame at 25 a second, within which picture and sound pass for simultaneous (ITU-R BT.1359 allows 45 ms)"""
_END_TOLERANCE = 0.25
"""s; the music may end a little before the picture"""


_FIRST = {"cut": 2.0, "flash": 2.0, "title": 2.0, "hit": 1.0}
"""rank of a kind: the first gives its name and its time to events at one instant; within a rank salience decides"""
_MOTION_RATE = 20.0
"""points a second at which motion is sampled"""
_SAME_EVENT_SECONDS = 0.1
"""s within which two events are the same event"""
_CROWD_SECONDS = 2.0
"""s; a cut or hit whose neighbour is nearer is noticed less"""
_SOFT_CUT = 0.7
"""salience of a dissolve or a fade, of that of a hard cut"""
_TITLE_SALIENCE = 0.7
"""of words that appear"""
_TITLE_TOLERANCE = 0.08
"""s; words fade in over some frames"""
_END_SALIENCE = 0.5
"""of the first and of the last picture"""
_HIT_LOUD_DB = 8.0
"""dB under the loud passages of the soundtrack that a hit may lie"""
_SYLLABLE_SECONDS = 0.1
"""s before speech in which a sound may be its first syllable"""
_MOTION_SECONDS = 0.5
"""s over which motion is smoothed"""
_MOTION_APART_SECONDS = 2.0
"""s between two peaks of motion"""
_MOTION_DEVIATIONS = 4.0
"""usual deviations by which a peak of motion stands out"""
_LEAST_MOTION = 0.1
"""picture heights a second by which any peak of motion stands out"""
_MOTION_TOLERANCE = 0.15
"""s; a gesture has no exact instant"""
_SAME_SECONDS = 1e-6
"""times that differ by less are equal"""


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """The events of one video."""

    marks: Marks
    """kinds are `EVENT_KINDS`, times lie in 0 to `video_seconds`"""
    video_seconds: VideoSeconds
    """length of the video"""

    def __post_init__(self) -> None:
        if not 0.0 < self.video_seconds < float("inf"):
            raise ParameterError(f"a video must last more than 0 s, got {self.video_seconds} s")
        if self.marks.names != EVENT_KINDS:
            raise ParameterError(f"the kinds of events are {', '.join(EVENT_KINDS)}, got {self.marks.names}")
        times = self.marks.times
        if times.size and not (times[0] >= 0.0 and times[-1] <= self.video_seconds):
            raise ParameterError(f"events lie in 0 to {self.video_seconds} s, got {times[0]} to {times[-1]} s")


def find_events(picture: Picture, soundtrack: Soundtrack, params: EventParams | None = None) -> Events:
    """Find the events of a video, in order of time: at least its start and its end."""
    params = params or EventParams()
    rows = [
        *_cuts(picture.edits),
        *_flashes(picture.flashes),
        *_titles(picture),
        *_hits(soundtrack, params),
        *_motion(picture),
    ]
    inner = [row for row in rows if _SAME_EVENT_SECONDS < row[0] < picture.duration - _SAME_EVENT_SECONDS]
    ends = [
        (0.0, "start", _END_SALIENCE, _FRAME_TOLERANCE),
        (picture.duration, "end", _END_SALIENCE, _END_TOLERANCE),
    ]
    return Events(marks_of(EVENT_KINDS, [*_events(inner), *ends]), picture.duration)


def _cuts(edits: Sequence[Border]) -> Iterator[_Row]:
    """Where shots change: each at the instant that an editor would put on the beat."""
    room = _room(np.array([edit.at for edit in edits]))
    for edit, free in zip(edits, room, strict=True):
        salience = (0.45 + 0.4 * edit.strength) * free
        spread = edit.end - edit.start
        if edit.kind == "hard":
            yield edit.at, "cut", salience, _FRAME_TOLERANCE
        else:
            yield edit.at, "cut", _SOFT_CUT * salience, float(np.clip(0.25 * spread, _FRAME_TOLERANCE, 0.25))


def _flashes(flashes: Sequence[Border]) -> Iterator[_Row]:
    for flash in flashes:
        yield flash.at, "flash", 0.5 + 0.4 * flash.strength, _FRAME_TOLERANCE


def _titles(picture: Picture) -> Iterator[_Row]:
    for start, _ in picture.titles:
        yield start, "title", _TITLE_SALIENCE, _TITLE_TOLERANCE


def _hits(soundtrack: Soundtrack, params: EventParams) -> Iterator[_Row]:
    """Onsets that stand out, are loud enough to be noticed, and are no syllables."""
    onsets, strengths = soundtrack.onsets, np.asarray(soundtrack.onset_strengths, dtype=np.float64)
    if not onsets.size or soundtrack.classification in ("none", "silent"):
        return
    level = 10.0 * np.log10(np.maximum(soundtrack.power, 1e-9))
    loud = float(np.quantile(level, 0.95))
    first = np.minimum((onsets * HOPS_PER_SECOND).astype(np.int64), level.size - 1)
    tops = np.array([level[hop : hop + HOPS_PER_SECOND // 10].max() for hop in first])
    spoken = np.zeros(onsets.size, dtype=bool)
    for start, end in soundtrack.speech_ranges:
        spoken |= (onsets >= start - _SYLLABLE_SECONDS) & (onsets <= end)
    struck = (strengths >= params.hit_rise_db) & (tops >= loud - _HIT_LOUD_DB) & ~spoken
    times, rises = onsets[struck], strengths[struck]
    for time, rise, free in zip(times, rises, _room(times), strict=True):
        size = np.clip((rise - params.hit_rise_db) / params.hit_rise_db, 0.0, 1.0)
        yield float(time), "hit", float((0.45 + 0.45 * size) * free), _FRAME_TOLERANCE


def _motion(picture: Picture) -> Iterator[_Row]:
    """Peaks of the smoothed motion curve that stand out from the usual motion."""
    from scipy.ndimage import uniform_filter1d
    from scipy.signal import find_peaks

    # Motion is 0 at a border: interpolated across, or every shot would be a peak between two valleys.
    inside = np.ones(picture.times.size, dtype=bool)
    for border in picture.borders:
        inside &= (picture.times < border.start - _SAME_SECONDS) | (picture.times > border.end + _SAME_SECONDS)
    if np.count_nonzero(inside) < 8:
        return
    at = np.arange(0.0, picture.duration, 1.0 / _MOTION_RATE)
    motion = np.interp(at, picture.times[inside], picture.motion[inside])
    motion = uniform_filter1d(motion, max(1, round(_MOTION_SECONDS * _MOTION_RATE)), mode="nearest")
    usual = float(np.median(motion))
    spread = max(1.4826 * float(np.median(np.abs(motion - usual))), _LEAST_MOTION / _MOTION_DEVIATIONS)
    stands_out = _MOTION_DEVIATIONS * spread
    apart = max(1, round(_MOTION_APART_SECONDS * _MOTION_RATE))
    peaks, found = find_peaks(motion, prominence=stands_out, distance=apart)
    for peak, prominence in zip(peaks, found["prominences"], strict=True):
        size = np.clip(prominence / stands_out - 1.0, 0.0, 2.0) / 2.0
        yield float(at[peak]), "motion", float(0.2 + 0.25 * size), _MOTION_TOLERANCE


def _room(times: FloatArray) -> FloatArray:
    """Share of each event's salience that its neighbours leave, shape of `times`: 1 where it is alone."""
    if times.size < 2:
        return np.ones(times.size)
    gaps = np.diff(times, prepend=-np.inf, append=np.inf)
    nearest = np.minimum(gaps[:-1], gaps[1:])
    return np.asarray(0.4 + 0.6 * np.clip(nearest / _CROWD_SECONDS, 0.0, 1.0))


def _events(rows: Sequence[_Row]) -> Iterator[_Row]:
    """One row for all that happens at one instant, its salience raised by those of the others."""
    times, salience = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    picked = strongest_apart(times, salience + np.array([_FIRST.get(row[1], 0.0) for row in rows]), _SAME_EVENT_SECONDS)
    # as if each were noticed independently: the chance that none of them is, is the product of theirs
    missed = np.ones(len(rows))
    for k in range(len(rows)):
        missed[picked[int(np.argmin(np.abs(times[picked] - times[k])))]] *= 1.0 - min(1.0, salience[k])
    for k in picked:
        time, kind, _, tolerance = rows[k]
        yield time, kind, float(1.0 - missed[k]), tolerance
