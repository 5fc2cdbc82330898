"""From a plan to sample positions and gains: which track sample is played when, and at which level.

A plan lists the ranges of the track that are played back to back; this module turns them into cues, one a segment,
counted in samples of the track's own rate, and into the gain of every sample. It reads no sound:
`workbench.render.playback` multiplies.

Where samples come from. Segment k begins at output sample `round(T_k · rate)`, from video time, never by adding rounded
lengths, so that an hour of repeats does not drift. It plays track sample `round(song_from · rate)`: nothing is
interpolated, every sample of the output is one of the track's times a gain. Both roundings are half a sample
at most; a planner that aligns a seam in phase therefore chooses times that are whole samples of the track, and then the
two sides of the seam are at most one sample apart (0.1 dB at 2 kHz in the middle of a linear crossfade), mostly none.

How loud. Gains multiply: the segment's level, which glides linearly in dB; the crossfades to both sides, read at exact
times and not at rounded ones; the fades at both ends of the plan.

A track that is laid straight under a video, as align and match place it, is a plan of one cue without seams.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import ceil, floor
from typing import TypeAlias

import numpy as np

from workbench.errors import PlanError
from workbench.mix.fades import crossfade_in, crossfade_out, decibels_to_gain, end_fade, glide_gain, start_fade
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray, VideoSeconds

_CUT_FADE_SECONDS = 0.01  # length of the fade where a placed track is cut; a hard edge would click


@dataclass(frozen=True, slots=True)
class PlacedTrack:
    """A track laid straight under a video."""

    offset_seconds: VideoSeconds  # video time at which the track's own time 0 falls; negative: its head is cut off
    song_duration: float  # s, decoded
    window_end: VideoSeconds  # end of the video; without a video, of the track

    def __post_init__(self) -> None:
        if not -self.song_duration < self.offset_seconds < self.window_end:
            raise PlanError(
                f"a track of {self.song_duration:.3f} s is silent when placed at {self.offset_seconds:.3f} s "
                f"of {self.window_end:.3f} s; give the track and the video that the placement names"
            )

    @property
    def music_end(self) -> VideoSeconds:
        """Where the music stops: with the track, or cut off with the video."""
        return min(self.window_end, self.offset_seconds + self.song_duration)


def place_track(offset_seconds: VideoSeconds, song_duration: float, video_seconds: float | None) -> PlacedTrack:
    """Lay a track straight under a video; without one, the track plays to its own end.

    Raises `PlanError` where nothing of the track would be played.
    """
    end = offset_seconds + song_duration if video_seconds is None else video_seconds
    return PlacedTrack(offset_seconds, song_duration, end)


Music: TypeAlias = LoopPlan | PlacedTrack  # what can be played


@dataclass(frozen=True, slots=True)
class Crossfade:
    """One seam's crossfade."""

    centre: VideoSeconds
    seconds: float
    exponent: float

    def progress(self, times: FloatArray) -> FloatArray:
        """Position in the fade at video seconds of any shape: 0 to 1 inside, beyond that outside."""
        return np.asarray((times - (self.centre - self.seconds / 2.0)) / self.seconds)


@dataclass(frozen=True, slots=True)
class PlayedSegment:
    """One segment as it is played: from its pre-roll to its post-roll."""

    first: int  # output sample at which it begins to sound
    stop: int  # output sample one past its last
    song_offset: int  # track sample minus output sample, all through the cue
    begins: VideoSeconds  # when song_from plays
    ends: VideoSeconds  # when song_to is reached
    gain_in_db: float
    gain_db: float
    glide_seconds: float
    fade_in: Crossfade | None
    fade_out: Crossfade | None
    steady_from: int  # output sample from which its gain no longer moves
    steady_to: int  # output sample at which its gain begins to move again

    @property
    def reached_db(self) -> float:
        """Level at `song_to`, which the post-roll holds; `gain_db` where the glide has room."""
        done = min(1.0, (self.ends - self.begins) / self.glide_seconds) if self.glide_seconds > 0.0 else 1.0
        return self.gain_in_db + (self.gain_db - self.gain_in_db) * done

    def gain(self, first: int, stop: int, rate: int) -> FloatArray:
        """Linear gain of output samples `first` to `stop`, shape (stop - first,), without the plan's end fades."""
        times = np.arange(first, stop) / rate
        # The post-roll under the next segment holds the level reached at the seam: a glide does not go on behind it.
        held = np.minimum(times, self.ends)
        if self.glide_seconds > 0.0:
            gain = glide_gain((held - self.begins) / self.glide_seconds, self.gain_in_db, self.gain_db)
        else:
            gain = decibels_to_gain(np.where(held < self.begins, self.gain_in_db, self.gain_db))
        if self.fade_in is not None:
            gain *= crossfade_in(self.fade_in.progress(times), self.fade_in.exponent)
        if self.fade_out is not None:
            gain *= crossfade_out(self.fade_out.progress(times), self.fade_out.exponent)
        return gain


@dataclass(frozen=True, slots=True)
class Schedule:
    """A whole plan in samples of one rate."""

    rate: int  # Hz, the track's
    length: int  # samples from the start of the video to `window_end`
    cues: tuple[PlayedSegment, ...]  # one a segment, in order; only neighbours overlap
    music_in: VideoSeconds
    start_fade_seconds: float
    window_end: VideoSeconds
    end_fade_seconds: float

    def played(self, first: int, stop: int) -> tuple[PlayedSegment, ...]:
        """The cues that play in output samples `first` to `stop`."""
        # Cues are sorted by both ends, so an hour of repeats costs no more than a minute.
        begin = bisect_right(self.cues, first, key=lambda cue: cue.stop)
        until = bisect_right(self.cues, stop - 1, key=lambda cue: cue.first)
        return self.cues[begin:until]

    def ends_gain(self, first: int, stop: int) -> FloatArray | None:
        """Linear gain of the fades at both ends of the plan, shape (stop - first,); None where neither applies."""
        fades_in = self.start_fade_seconds > 0.0 and first / self.rate < self.music_in + self.start_fade_seconds
        fades_out = self.end_fade_seconds > 0.0 and stop / self.rate > self.window_end - self.end_fade_seconds
        if not fades_in and not fades_out:
            return None
        times = np.arange(first, stop) / self.rate
        gain = np.ones(times.size)
        if fades_in:
            gain *= start_fade((times - self.music_in) / self.start_fade_seconds)
        if fades_out:
            gain *= end_fade((times - (self.window_end - self.end_fade_seconds)) / self.end_fade_seconds)
        return gain


def schedule(plan: Music, rate: int) -> Schedule:
    """Lay out a plan or a placed track in samples of the track's rate: a cue for each segment, and the end fades."""
    return _schedule_track(plan, rate) if isinstance(plan, PlacedTrack) else _schedule_plan(plan, rate)


def _schedule_track(track: PlacedTrack, rate: int) -> Schedule:
    length, at = round(track.window_end * rate), round(track.offset_seconds * rate)
    first, stop = max(0, at), min(length, round((track.offset_seconds + track.song_duration) * rate))
    cue = PlayedSegment(
        first=first,
        stop=stop,
        song_offset=-at,
        begins=track.offset_seconds,
        ends=track.music_end,
        gain_in_db=0.0,
        gain_db=0.0,
        glide_seconds=0.0,
        fade_in=None,
        fade_out=None,
        steady_from=first,
        steady_to=stop,
    )
    is_cut = track.offset_seconds + track.song_duration > track.window_end
    return Schedule(
        rate=rate,
        length=length,
        cues=(cue,),
        music_in=max(0.0, track.offset_seconds),
        start_fade_seconds=_CUT_FADE_SECONDS if track.offset_seconds < 0.0 else 0.0,
        window_end=track.window_end,
        end_fade_seconds=_CUT_FADE_SECONDS if is_cut else 0.0,
    )


def _schedule_plan(plan: LoopPlan, rate: int) -> Schedule:
    segments = plan.segments
    seams = len(segments) - 1
    begins = plan.segment_starts.tolist()
    length = round(plan.window_end * rate)
    fades = [
        Crossfade(centre, seconds, exponent)
        for centre, seconds, exponent in zip(begins[1:-1], plan.seam_fades, plan.seam_curves, strict=True)
    ]
    cues = []
    for k, segment in enumerate(segments):
        fade_in = fades[k - 1] if k > 0 else None
        fade_out = fades[k] if k < seams else None
        # From video time, never from rounded lengths: see the head. The cue begins earlier and ends later by half a
        # fade, rounded outwards, so that no sample inside a fade is left out.
        placed = round(begins[k] * rate)
        first = placed if fade_in is None else ceil((fade_in.centre - fade_in.seconds / 2.0) * rate)
        stop = (
            round(begins[k + 1] * rate)
            if fade_out is None
            else floor((fade_out.centre + fade_out.seconds / 2.0) * rate) + 1
        )
        # Steady from the end of the glide and the fade in, whichever is later, to the start of the fade out.
        moves = 0.0 if segment.gain_in_db == segment.gain_db else plan.gain_glide_seconds
        rising = begins[k] + max(moves, fade_in.seconds / 2.0 if fade_in else 0.0)
        falling = begins[k + 1] if fade_out is None else fade_out.centre - fade_out.seconds / 2.0
        cues.append(
            PlayedSegment(
                first=max(0, first),
                stop=min(stop, length),
                song_offset=round(segment.song_from * rate) - placed,
                begins=begins[k],
                ends=begins[k + 1],
                gain_in_db=segment.gain_in_db,
                gain_db=segment.gain_db,
                glide_seconds=plan.gain_glide_seconds,
                fade_in=fade_in,
                fade_out=fade_out,
                steady_from=first if fade_in is None and moves == 0.0 else ceil(rising * rate),
                steady_to=stop if fade_out is None else floor(falling * rate),
            )
        )
    return Schedule(
        rate=rate,
        length=length,
        cues=tuple(cues),
        music_in=plan.music_in,
        start_fade_seconds=plan.start_fade_seconds,
        window_end=plan.window_end,
        end_fade_seconds=plan.end_fade_seconds,
    )
