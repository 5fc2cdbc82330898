"""The music on the frame grid of an edit: clips edge to edge, transitions over their cuts, markers.

EDL and xmeml count in whole frames, so both are written from this one list. A clip begins and ends on the frame that is
nearest to its cut. Its place in the track stays exact: `CutClip.source` is the track time of a frame, from which a
format takes the sample, or the nearest frame where it has nothing finer.

A crossfade spans its cut by as many frames before as after, one each at least, and by fewer where the track or a
neighbouring crossfade leaves no room; without any room it is a straight cut.

Timecode counts 24, 25, 30, 48, 50, 60 frames a second and the like, or a thousandth less; at 30000/1001 and 60000/1001
it is drop-frame, which leaves out numbers, no frames, so that an hour of timecode is an hour. It starts over each day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from workbench.errors import Argument, ParameterError
from workbench.export.envelope import FrameKey, Lines, fit_frame_keys
from workbench.export.timeline import SILENT_DB, Crossing, Item, Marker, Timeline, TrackMedia, decibels

_NTSC = Fraction(1000, 1001)
_MOST_RATE = 100  # a frame number of timecode has two digits


@dataclass(frozen=True, slots=True)
class CutTransition:
    """A crossfade between two clips."""

    cut: int  # frame at which the clips meet
    half: int  # frames before the cut, and as many after it
    crossing: Crossing

    @property
    def first(self) -> int:
        """Frame at which it begins."""
        return self.cut - self.half

    @property
    def stop(self) -> int:
        """Frame at which it ends."""
        return self.cut + self.half


@dataclass(frozen=True, slots=True)
class CutClip:
    """One item of the timeline on frames."""

    item: Item
    begin: int  # frame of the edit at which it begins, crossfade left out
    end: int  # one past its last
    shift: Fraction  # track time less video time, s, exact
    into: CutTransition | None
    out: CutTransition | None
    # dB at frames of the edit, from the start of the crossfade into it to the end of the one out of it
    levels: tuple[FrameKey, ...]

    @property
    def first(self) -> int:
        """Frame at which it begins to sound."""
        return self.begin if self.into is None else self.into.first

    @property
    def stop(self) -> int:
        """One past the last frame at which it sounds."""
        return self.end if self.out is None else self.out.stop

    def source(self, frame: int, frame_rate: Fraction) -> Fraction:
        """The exact track time, s, of a frame of the edit, at a rate in frames a second."""
        return frame / frame_rate + self.shift

    def source_frame(self, frame: int, frame_rate: Fraction) -> int:
        """The nearest frame of the track, counted at the rate of the edit."""
        # The shift is rounded once, so that a clip is as long in the track as in the edit.
        return frame + round(self.shift * frame_rate)


@dataclass(frozen=True, slots=True)
class CutList:
    """The whole music on frames."""

    frame_rate: Fraction
    timebase: int  # frames that a second of timecode counts
    drops: bool  # whether timecode is drop-frame
    frames: int  # length of the edit
    clips: tuple[CutClip, ...]
    markers: tuple[tuple[int, Marker], ...]  # each with its frame
    fade_in_frames: int  # of the rise at the start of the music; 0: none
    # of the fall at its end, as far as the last clip plays it; 0: none. A track that plays to its own last sound is
    # over before the fall begins
    fade_out_frames: int

    @property
    def is_ntsc(self) -> bool:
        """Whether the rate is a thousandth under the timebase."""
        return self.frame_rate != self.timebase

    def timecode(self, frame: int) -> str:
        """Timecode of a frame, the first being 0."""
        return format_timecode(frame, self.timebase, drops=self.drops)


def make_cut_list(timeline: Timeline, track: TrackMedia, lines: Lines, *, faded: bool) -> CutList:
    """Lay the items of a timeline on frames; `lines` says how the program draws lines between keys of a level.

    With `faded` the levels hold the fades at both ends of the music; otherwise these are left to the format. Raises
    `ParameterError` if no timecode counts at the rate of the video.
    """
    rate = timeline.frame_rate
    timebase = ceil(rate)
    # Timecode numbers frames within a second of `timebase` of them; NTSC rates count the same, a thousandth slower.
    if rate not in (timebase, timebase * _NTSC) or timebase >= _MOST_RATE:
        raise ParameterError(
            f"the video has {float(rate):g} pictures a second, which no timecode counts: ",
            "export without ",
            Argument("video"),
            ", or with a usual rate by ",
            Argument("frame_rate"),
        )
    frames = timeline.frames
    edges = _edges(timeline, track, frames)
    transitions = _transitions(timeline, track, edges)
    ends = timeline.ends
    clips = tuple(
        CutClip(
            item,
            begin,
            end,
            timeline.seconds(item.song_offset),
            into,
            out,
            _levels(timeline, item, into.first if into else begin, out.stop if out else end, lines, faded=faded),
        )
        for item, (begin, end), into, out in zip(
            timeline.items, pairwise(edges), [None, *transitions], [*transitions, None], strict=True
        )
    )
    return CutList(
        frame_rate=rate,
        timebase=timebase,
        drops=is_drop_frame(rate),
        frames=frames,
        clips=clips,
        markers=tuple((timeline.marker_frame(marker), marker) for marker in timeline.markers),
        fade_in_frames=round(ends.start_fade_seconds * rate),
        fade_out_frames=_fall(timeline),
    )


def is_drop_frame(rate: Fraction) -> bool:
    """Whether timecode at a rate, frames a second, leaves out numbers, so that an hour of it is an hour."""
    return rate in (Fraction(30000, 1001), Fraction(60000, 1001))


def format_timecode(frame: int, timebase: int, *, drops: bool) -> str:
    """Format a count of frames from 0 as `HH:MM:SS:FF`, drop-frame with a semicolon before the frames.

    `timebase` is the number of frames that a second of timecode counts.
    """
    # OpenTimelineIO writes the same at the rates it knows, but comes with an extra, refuses 12, 15, 72 or 90 frames a
    # second, and begins a new day 86 s early at 47.952.
    if drops:
        # Two numbers at 30 frames (four at 60) are skipped in each minute but every tenth (SMPTE ST 12-1): 108 of
        # 108,000 an hour, which is the thousandth that the rate lacks.
        left_out = timebase // 15
        minute, ten = 60 * timebase - left_out, 600 * timebase - 9 * left_out
        tens, rest = divmod(frame, ten)
        frame += 9 * left_out * tens + left_out * max(0, (rest - left_out) // minute)
    seconds, number = divmod(frame, timebase)
    mark = ";" if drops else ":"
    return f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{mark}{number:02d}"


def count_frames(timecode: str, timebase: int) -> int:
    """The number of the frame that a timecode names, as `format_timecode` writes it."""
    hours, minutes, seconds, number = (int(part) for part in re.split("[:;]", timecode))
    minutes += 60 * hours
    left_out = timebase // 15 * (minutes - minutes // 10) if ";" in timecode else 0
    return (60 * minutes + seconds) * timebase + number - left_out


def _fall(timeline: Timeline) -> int:
    """Frames of the fall at the end of the music that lie on the last clip."""
    begins = timeline.length - round(timeline.ends.end_fade_seconds * timeline.rate)
    return max(0, round(timeline.seconds(timeline.items[-1].stop - begins) * timeline.frame_rate))


def _edges(timeline: Timeline, track: TrackMedia, frames: int) -> list[int]:
    """Frames at which the clips meet, and both ends; each clip has one frame at least and stays within the track."""
    rate, items = timeline.frame_rate, timeline.items
    # Rounded inwards: a clip may not ask for frames that its file does not have.
    opening = ceil(timeline.seconds(-items[0].song_offset) * rate)
    closing = floor(timeline.seconds(track.samples - items[-1].song_offset) * rate)
    edges = [max(opening, round(timeline.seconds(items[0].placed) * rate))]
    for item in items[1:]:
        edges.append(max(edges[-1] + 1, round(timeline.seconds(item.placed) * rate)))
    end = min(frames, closing, ceil(timeline.seconds(items[-1].stop) * rate))
    return [*edges, max(edges[-1] + 1, end)]


def _transitions(timeline: Timeline, track: TrackMedia, edges: list[int]) -> list[CutTransition | None]:
    rate = timeline.frame_rate
    made: list[CutTransition | None] = []
    taken = edges[0]
    for k, (before, after) in enumerate(pairwise(timeline.items)):
        cut, crossing = edges[k + 1], after.fade_in
        assert crossing is not None, "items meet in a crossfade"
        # A transition plays what both files have beyond the cut, so it ends where either of them does.
        room_before = min(cut - taken, cut - ceil(timeline.seconds(-after.song_offset) * rate))
        room_after = floor(timeline.seconds(track.samples - before.song_offset) * rate) - cut
        # Half of the next clip is left to the crossfade out of it.
        half = min(max(1, round(crossing.seconds * rate / 2)), room_before, room_after, (edges[k + 2] - cut + 1) // 2)
        made.append(CutTransition(cut, half, crossing) if half > 0 else None)
        taken = cut + max(0, half)
    return made


def _levels(
    timeline: Timeline, item: Item, first: int, stop: int, lines: Lines, *, faded: bool
) -> tuple[FrameKey, ...]:
    """Level of the music in the mix without the crossfades, on frames."""
    rate, ends = timeline.frame_rate, timeline.ends
    # Where the format has the fades itself, levels are read outside them and held through them.
    calm_from = ceil(timeline.rate * (ends.music_in + ends.start_fade_seconds))
    calm_to = item.stop - 1
    if item.number == len(timeline.items):
        calm_to = min(calm_to, floor(timeline.length - timeline.rate * ends.end_fade_seconds))

    def level(frame: int) -> float:
        sample = min(max(round(frame / rate * timeline.rate), item.first), item.stop - 1)
        if not faded:
            sample = min(max(sample, calm_from), calm_to)
        gain = decibels(item.gain(sample, fade_in=False, fade_out=False))
        return max(SILENT_DB, gain + timeline.music_db(sample))

    samples = [*item.corners, *timeline.duck_corners(item.first, item.stop - 1)]
    turns = [timeline.seconds(sample) * rate for sample in samples]
    return tuple(fit_frame_keys(level, turns, first, stop, lines))
