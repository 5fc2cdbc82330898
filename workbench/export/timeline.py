"""A plan or a placement laid out for editors: the place of each sample of the track under the video, and its level.

Every format of this package is written from it. `workbench.workflows.export` fills it in from
`workbench.render.schedule`, so that no format has rules of its own about when something sounds; a format only writes
the same times in its own syntax.

Units. Output samples count from the first picture, at the track's own rate; track samples from the first decoded one.
An item sounds from `first` to `stop`, crossfades included; it joins its neighbours edge to edge at `placed` and
`cut`, which are in the middle of the crossfades.

Gain curves are written as keys by `workbench.export.envelope`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from math import ceil, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from workbench.mix.fades import duck_gain
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray, TrackSeconds, VideoSeconds

if TYPE_CHECKING:
    from workbench.catalog.track import Track

LONE_FRAME_RATE = Fraction(25)  # frames a second of an edit without a video
LONE_PICTURE = (1920, 1080)  # width and height of its picture
MIXED_MUSIC = "Music as in the mix"  # name of the clip that has all of it
SILENT_DB = -96.0  # dB that stands for silence; editors show it as -inf


class Gain(Protocol):
    """Linear gain of an item at an output sample: level and glide, crossfades, and the fades at the plan's ends."""

    def __call__(
        self,
        sample: int,
        *,
        fade_in: bool = True,
        fade_out: bool = True,
        start_fade: bool = True,
        end_fade: bool = True,
    ) -> float:
        """The gain without a crossfade (`fade_in` or `fade_out` False), or without the fades at the ends."""


class MarkerKind(StrEnum):
    """The kind of place that a marker marks."""

    END = "end"  # where the music begins, or ends
    SEAM = "seam"
    SYNC = "sync"  # where the music meets the picture
    VERDICT = "verdict"  # a reviewer's verdict on a seam
    COMMENT = "comment"  # what a reviewer wrote


# names that OpenTimelineIO and EDL locators share
MARKER_COLOURS = {
    MarkerKind.END: "GREEN",
    MarkerKind.SEAM: "RED",
    MarkerKind.SYNC: "YELLOW",
    MarkerKind.VERDICT: "MAGENTA",
    MarkerKind.COMMENT: "CYAN",
}


class Marker(NamedTuple):
    """A marker for an editor."""

    video_s: VideoSeconds
    text: str
    kind: MarkerKind


class Beat(NamedTuple):
    """A beat as it is played under the video."""

    video_s: VideoSeconds
    position: int  # place in the bar, from 1


@dataclass(frozen=True, slots=True)
class Crossing:
    """The part of a crossfade that one item has."""

    seconds: float
    exponent: float


@dataclass(frozen=True, slots=True)
class MusicEnds:
    """Where the music begins and ends, and how."""

    music_in: VideoSeconds
    music_end: VideoSeconds  # where it resolves, ends with the track or is cut off
    end_label: str  # how it ends, in words
    start_fade_seconds: float  # s of the rise from `music_in`; 0: none
    end_fade_seconds: float  # s of the fall that ends at the end of the timeline; 0: none


@dataclass(frozen=True, slots=True)
class Item:
    """One segment as it is played, or all of a placed track that plays."""

    number: int  # from 1
    first: int  # output sample at which it begins to sound
    stop: int  # one past its last
    placed: int  # output sample of song_from
    cut: int  # output sample at which the next one is placed, or where the last one stops
    song_offset: int  # track sample minus output sample, constant through the item
    begins: VideoSeconds
    ends: VideoSeconds
    song_from: TrackSeconds
    song_to: TrackSeconds
    gain_in_db: float
    gain_db: float
    fade_in: Crossing | None
    fade_out: Crossing | None
    # output samples at which the course of its gain changes, increasing, from `first` to its last sample
    corners: tuple[int, ...]
    gain: Gain


@dataclass(frozen=True, slots=True)
class TrackMedia:
    """The recording that is played."""

    path: Path
    samples: int
    rate: int  # Hz
    channels: int


@dataclass(frozen=True, slots=True)
class StemMedia:
    """A stem of the recording, equally long."""

    name: str
    media: TrackMedia
    is_ducked: bool  # whether the mix lowers it under speech


@dataclass(frozen=True, slots=True)
class VideoMedia:
    """The video."""

    path: Path
    frame_rate: Fraction
    frames: int
    width: int
    height: int
    sound_rate: int | None  # Hz; None without sound
    channels: int
    start_frame: int = 0  # number of its first frame by the time code of the camera; 0 without one
    drops: bool = False  # whether that time code is drop-frame


@dataclass(frozen=True, slots=True)
class Notes:
    """Analysis of the track that is not in the plan, in track time."""

    beats: tuple[tuple[TrackSeconds, int], ...]  # time and place in the bar, from 1
    sections: tuple[tuple[TrackSeconds, TrackSeconds, str], ...]
    grid_confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class EditLevels:
    """Levels of a mix; 0 dB and no duck where there is none."""

    music_gain_db: float = 0.0
    video_gain_db: float = 0.0
    # shape (n_points, 2), video s and attenuation of the music in dB, linear in dB between, held outside
    duck: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    speech: tuple[tuple[VideoSeconds, VideoSeconds], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """A whole plan or a placement, ready to be written in any format."""

    name: str
    plan: LoopPlan | None  # None for a placement: one item, no seams
    ends: MusicEnds
    rate: int  # Hz of all output samples: the track's, or a million where no track is given
    length: int  # samples to `window_end`
    items: tuple[Item, ...]
    track: TrackMedia | None
    video: VideoMedia | None
    balance: EditLevels = field(default_factory=EditLevels)
    notes: Notes | None = None
    # beats of the music as it plays, in order; empty where the grid of the track is not known
    beats: tuple[Beat, ...] = ()
    beats_per_bar: int | None = None  # of the prevailing metre; None where neither plan nor grid says it
    sync_points: tuple[Marker, ...] = ()  # where a placed track meets the picture
    reviews: tuple[Marker, ...] = ()  # verdicts and comments of reviewers
    provenance: Mapping[str, Any] | None = None  # what the plan was made from, as JSON; None: that is not known
    # The music as it is in the mix, ducked and at its level, from the first picture on; None: no file has it. An edit
    # has it as one clip more, switched off, that can play in place of the items
    mixed_music: TrackMedia | None = None
    stems: tuple[StemMedia, ...] = ()  # play in place of the track, each on a track of its own
    stem: str = ""  # name of the stem that this is a layer of; empty: it is the whole edit
    record: Track | None = None  # what the catalog has of the track; None: nothing, or the format does not use it

    @property
    def layers(self) -> tuple[Timeline, ...]:
        """The music of each track of the edit: of every stem, as the track and with its levels, else of the track."""
        calm = replace(self.balance, duck=np.zeros((0, 2)))
        layers = (
            replace(self, stems=(), stem=one.name, track=one.media, balance=self.balance if one.is_ducked else calm)
            for one in self.stems
        )
        return tuple(layers) or (self,)

    @property
    def frame_rate(self) -> Fraction:
        """Frames a second of the edit: the video's, or `LONE_FRAME_RATE`."""
        return LONE_FRAME_RATE if self.video is None else self.video.frame_rate

    @property
    def frames(self) -> int:
        """Length of the edit in frames: the video's, or as many as the music takes."""
        return ceil(self.seconds(self.length) * self.frame_rate) if self.video is None else self.video.frames

    @property
    def mixed_frames(self) -> int:
        """Whole frames that the music of the mix lasts in the edit; it is a file's, so one at least."""
        assert self.mixed_music is not None, "asked for where there is one"
        lasts = Fraction(self.mixed_music.samples, self.mixed_music.rate)
        return max(1, min(self.frames, int(lasts * self.frame_rate)))

    @property
    def last_frame(self) -> int:
        """The last frame of the edit, from 0. No marker stands after it: editors drop those outside the clip."""
        return max(0, self.frames - 1)

    def marker_frame(self, marker: Marker) -> int:
        """The frame of the edit that is nearest to a marker."""
        return min(self.last_frame, round(Fraction(marker.video_s) * self.frame_rate))

    def seconds(self, sample: int) -> Fraction:
        """Exact video time of an output sample."""
        return Fraction(sample, self.rate)

    def music_db(self, sample: int) -> float:
        """Level of the music in the mix at an output sample, dB: its gain less the ducking."""
        gain = duck_gain(self.balance.duck, np.array(sample / self.rate))
        return self.balance.music_gain_db + decibels(float(gain))

    def duck_corners(self, first: int, last: int) -> list[int]:
        """Output samples strictly between two others at which the ducking envelope has a point."""
        turns: list[int] = np.rint(self.balance.duck[:, 0] * self.rate).astype(np.int64).tolist()
        return turns[bisect_right(turns, first) : bisect_left(turns, last)]

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Markers for an editor: start, then seams, sync points and reviews in order of time, end of the music."""
        times = () if self.plan is None else self.plan.seam_times
        seams = [
            Marker(
                time, f"seam {k + 1}: {before.song_to:.3f} s to {after.song_from:.3f} s of the track", MarkerKind.SEAM
            )
            for k, (time, (before, after)) in enumerate(zip(times, pairwise(self.items), strict=True))
        ]
        ends = self.ends
        end = Marker(ends.music_end, f"music end: {ends.end_label}", MarkerKind.END)
        inside = sorted([*seams, *self.sync_points, *self.reviews], key=lambda marker: marker.video_s)
        return (Marker(ends.music_in, "music in", MarkerKind.END), *inside, end)


def to_microsecond(seconds: float) -> Fraction:
    """The nearest microsecond, as an exact time."""
    return Fraction(round(seconds * 1e6), 10**6)


def linear(level_db: float) -> float:
    """Linear gain of a level."""
    return float(10.0 ** (level_db / 20.0))


def decibels(gain: float) -> float:
    """Level of a linear gain of 0 or more, at least `SILENT_DB`."""
    return max(SILENT_DB, 20.0 * log10(gain)) if gain > 0.0 else SILENT_DB
