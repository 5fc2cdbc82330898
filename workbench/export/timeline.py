"""A plan or a placement laid out for editors: the place of each sample of the track under the video, and its level.

Every format of this package is written from it. `workbench.workflows.export` fills it in from
`workbench.render.schedule`, so that no format has rules of its own about when something sounds; a format only writes
the same times in its own syntax.

Units. Output samples count from the first picture, at the track's own rate; track samples from the first decoded one.
An item sounds from `first` to `stop`, crossfades included; it lies edge to edge with its neighbours from `placed` to
`cut`, which are in the middle of the crossfades.

Gain curves. A player draws a curve as straight lines between keys: REAPER in linear gain, Final Cut and Resolve in dB.
`gain_keys` and `decibel_keys` choose the keys so that the drawn lines stay within `TOLERANCE` of the plan, and leave
out every key that lies on the line between its neighbours to within `SAME_DB`. For editors with keys on video frames
there is `frame_keys`: one key a frame at most, exact at the frames.

Functions: `gain_keys`, `decibel_keys`, `frame_keys`, `decibels`; the value objects `Timeline`, `Item`, `MusicEnds`,
`TrackMedia`, `VideoMedia`, `Notes`, `Beat`, `EditLevels`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, floor, inf, log10
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from workbench.loops.plan import LoopPlan
from workbench.mix.fades import duck_gain
from workbench.provenance import Provenance
from workbench.recording import FloatArray, TrackSeconds, VideoSeconds

SILENT_DB = -96.0
"""dB that stands for silence; editors show it as -inf"""
TOLERANCE = 5e-4
"""linear gain by which straight lines between keys may miss the curve (-66 dB)"""
SAME_DB = 0.001
"""dB by which an envelope may move when keys are left out; a step of level is audible from about 0.2 dB"""


class Gain(Protocol):
    """Linear gain of an item at an output sample: level and glide, crossfades, and the fades at the plan's ends."""

    def __call__(self, sample: int, *, fade_in: bool = True, fade_out: bool = True) -> float:
        """Without `fade_in` or `fade_out` that crossfade is left out."""


class GainPoint(NamedTuple):
    """A point of a gain curve."""

    sample: int
    """output sample"""
    value: float


class FrameKey(NamedTuple):
    """A point of a curve that is keyed on video frames."""

    frame: int
    level_db: float


class Beat(NamedTuple):
    """A beat as it is played under the video."""

    video_s: VideoSeconds
    position: int
    """place in the bar, from 1"""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The part of a crossfade that one item has."""

    seconds: float
    exponent: float


@dataclass(frozen=True, slots=True)
class MusicEnds:
    """Where the music begins and ends, and how."""

    music_in: VideoSeconds
    music_end: VideoSeconds
    """where it resolves, ends with the track or is cut off"""
    end_label: str
    """how it ends, in words"""
    start_fade_seconds: float
    """s of the rise from `music_in`; 0: none"""
    end_fade_seconds: float
    """s of the fall that ends at the end of the timeline; 0: none"""


@dataclass(frozen=True, slots=True)
class Item:
    """One segment as it is played, or the whole of a placed track that is heard."""

    number: int
    """from 1"""
    first: int
    """output sample at which it begins to sound"""
    stop: int
    """one past its last"""
    placed: int
    """output sample of song_from"""
    cut: int
    """output sample at which the next one is placed, or where the last one stops"""
    song_offset: int
    """track sample minus output sample, constant through the item"""
    begins: VideoSeconds
    ends: VideoSeconds
    song_from: TrackSeconds
    song_to: TrackSeconds
    gain_in_db: float
    gain_db: float
    fade_in: Crossing | None
    fade_out: Crossing | None
    corners: tuple[int, ...]
    """output samples at which the course of its gain changes, increasing, from `first` to its last sample"""
    gain: Gain


@dataclass(frozen=True, slots=True)
class TrackMedia:
    """The recording that is played."""

    path: Path
    samples: int
    rate: int
    """Hz"""
    channels: int


@dataclass(frozen=True, slots=True)
class VideoMedia:
    """The video."""

    path: Path
    frame_rate: Fraction
    frames: int
    width: int
    height: int
    sound_rate: int | None
    """Hz; None without sound"""
    channels: int


@dataclass(frozen=True, slots=True)
class Notes:
    """Analysis of the track that is not in the plan, in track time."""

    beats: tuple[tuple[TrackSeconds, int], ...]
    """time and place in the bar, from 1"""
    sections: tuple[tuple[TrackSeconds, TrackSeconds, str], ...]
    grid_confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class EditLevels:
    """Levels of a mix; 0 dB and no duck where there is none."""

    music_gain_db: float = 0.0
    video_gain_db: float = 0.0
    duck: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    """shape (n_points, 2), video s and attenuation of the music in dB, linear in dB between, held outside"""
    speech: tuple[tuple[VideoSeconds, VideoSeconds], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """A whole plan or a placement, ready to be written in any format."""

    name: str
    plan: LoopPlan | None
    """None for a placement: one item, no seams"""
    ends: MusicEnds
    rate: int
    """Hz of all output samples: the track's, or a million where no track is given"""
    length: int
    """samples to `window_end`"""
    items: tuple[Item, ...]
    track: TrackMedia | None
    video: VideoMedia | None
    balance: EditLevels = field(default_factory=EditLevels)
    notes: Notes | None = None
    beats: tuple[Beat, ...] = ()
    """beats of the music as it is heard, in order; empty where the grid of the track is not known"""
    beats_per_bar: int | None = None
    """of the prevailing metre; None where neither plan nor grid says it"""
    provenance: Provenance | None = None
    """what the plan was made from; None where that is not known"""

    def seconds(self, sample: int) -> Fraction:
        """Exact video time of a sample.

        Parameters
        ----------
        sample : output sample
        """
        return Fraction(sample, self.rate)

    def music_db(self, sample: int) -> float:
        """Level of the music in the mix, dB: its gain less the ducking.

        Parameters
        ----------
        sample : output sample
        """
        gain = duck_gain(self.balance.duck, np.array(sample / self.rate))
        return self.balance.music_gain_db + decibels(float(gain))

    def duck_corners(self, first: int, last: int) -> list[int]:
        """Output samples at which the ducking envelope has a point.

        Parameters
        ----------
        first, last : output samples; points strictly between them are listed
        """
        turns: list[int] = np.rint(self.balance.duck[:, 0] * self.rate).astype(np.int64).tolist()
        return turns[bisect_right(turns, first) : bisect_left(turns, last)]

    @property
    def events(self) -> tuple[tuple[VideoSeconds, str], ...]:
        """Markers for an editor, in video time, in order: start, seams, end of the music."""
        times = () if self.plan is None else self.plan.seam_times
        seams = [
            (time, f"seam {k + 1}: {before.song_to:.3f} s to {after.song_from:.3f} s of the track")
            for k, (time, (before, after)) in enumerate(zip(times, pairwise(self.items), strict=True))
        ]
        ends = self.ends
        return ((ends.music_in, "music in"), *seams, (ends.music_end, f"music end: {ends.end_label}"))


def decibels(gain: float) -> float:
    """Level of a linear gain.

    Parameters
    ----------
    gain : 0 or more

    Returns
    -------
    dB, `SILENT_DB` at least
    """
    return max(SILENT_DB, 20.0 * log10(gain)) if gain > 0.0 else SILENT_DB


def gain_keys(curve: Callable[[int], float], corners: Iterable[int]) -> list[GainPoint]:
    """Keys of a gain curve for editors that draw straight lines in linear gain.

    Parameters
    ----------
    curve : linear gain at an output sample
    corners : output samples at which the course of the curve changes, the first and the last one among them

    Returns
    -------
    list : in order, values in linear gain; first and last corner always have a key
    """
    ratio = _gain(SAME_DB) - 1.0
    return _needed(_keys(curve, sorted(set(corners)), lambda value: value), lambda value: ratio * abs(value))


def decibel_keys(curve: Callable[[int], float], corners: Iterable[int]) -> list[GainPoint]:
    """Keys of a gain curve for editors that draw straight lines in dB.

    Parameters
    ----------
    curve : dB at an output sample
    corners : output samples at which the course of the curve changes, the first and the last one among them

    Returns
    -------
    list : in order, values in dB; first and last corner always have a key
    """
    return _needed(_keys(curve, sorted(set(corners)), _gain), lambda _: SAME_DB)


def frame_keys(curve: Callable[[int], float], turns: Iterable[Fraction], first: int, last: int) -> list[FrameKey]:
    """Keys of a curve in dB on whole video frames, drawn with straight lines in dB.

    At frames the lines meet the curve, to within `TOLERANCE` of linear gain; between two frames the curve is assumed to
    be a straight line.

    Parameters
    ----------
    curve : dB at a frame
    turns : times, in frames, at which the course of the curve changes; those outside are left out
    first, last : frames that always have a key; if both are the same frame, it has one key

    Returns
    -------
    list : in order
    """
    around = {frame for turn in turns for frame in (floor(turn), ceil(turn))}
    corners = {first, last, *(frame for frame in around if first < frame < last)}
    return [FrameKey(key.sample, key.value) for key in decibel_keys(curve, corners)]


def _gain(level_db: float) -> float:
    return float(10.0 ** (level_db / 20.0))


def _needed(keys: Sequence[GainPoint], tolerance: Callable[[float], float]) -> list[GainPoint]:
    """The keys without those that lie on lines between the others; first and last stay.

    From each key that stays, the next is the farthest one for which a straight line passes all keys between within
    their tolerances. Both curves, with and without those keys, are straight between neighbouring keys, so they differ
    most at a key, and checking the keys is enough.
    """
    kept, at = [keys[0]], 0
    while at < len(keys) - 1:
        at = _reach(keys, at, tolerance)
        kept.append(keys[at])
    return kept


def _reach(keys: Sequence[GainPoint], at: int, tolerance: Callable[[float], float]) -> int:
    """The farthest key that a line from key `at` can reach: each key between narrows the range of slopes."""
    begin, reached = keys[at], at + 1
    least, most = -inf, inf
    for end in range(at + 1, len(keys)):
        key = keys[end]
        rise, run, room = key.value - begin.value, key.sample - begin.sample, tolerance(key.value)
        if least <= rise / run <= most:
            reached = end
        least, most = max(least, (rise - room) / run), min(most, (rise + room) / run)
        if least > most:
            break
    return reached


def _keys(curve: Callable[[int], float], corners: Sequence[int], heard: Callable[[float], float]) -> list[GainPoint]:
    """Halve the stretches between corners until straight lines are within `TOLERANCE` of the curve."""
    curve = cache(curve)
    keys = [GainPoint(corners[0], curve(corners[0]))]
    waiting = [GainPoint(end, curve(end)) for end in reversed(corners[1:])]
    while waiting:
        begin, end = keys[-1], waiting[-1]
        probes = {begin.sample + (end.sample - begin.sample) * part // 4 for part in (1, 2, 3)} - {begin.sample}
        slope = (end.value - begin.value) / (end.sample - begin.sample)
        missed = any(
            abs(heard(curve(at)) - heard(begin.value + slope * (at - begin.sample))) > TOLERANCE for at in probes
        )
        if missed:
            middle = (begin.sample + end.sample) // 2
            waiting.append(GainPoint(middle, curve(middle)))
        else:
            keys.append(waiting.pop())
    return keys
