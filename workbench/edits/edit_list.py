"""One cut of a video as a list of clips: which pictures of which media are shown when.

A clip shows a stretch of its media from `source_start` on at `speed`, for `seconds` of record time from `start` on:
at record time t, the picture of source time ``source_start + speed * (t - start)``. A clip that plays backwards has a
negative speed, a freeze frame has speed 0. A gap is a clip too, of no media. Clips follow one another without holes
from 0 to the end, so that every second of the edit belongs to exactly one.

All times are exact: a frame of 29.97 a second lasts 1001/30000 s, and sums of thousands of them must meet to the frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from workbench.errors import EditError


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of one media, shown in an edit."""

    media: str | None  # address of the media shown, else its name, else its reel; None for a gap
    source_start: Fraction  # s, source time of the first picture shown; 0 for a gap
    seconds: Fraction  # s of record time that it lasts
    speed: Fraction  # seconds of source a second of record time; 1 for a gap
    start: Fraction  # s, record time at which it begins

    def __post_init__(self) -> None:
        if self.seconds <= 0:
            raise EditError(f"a clip must last longer than 0 s, got {float(self.seconds):g} s of {self.media}")
        if self.start < 0:
            raise EditError(f"a clip cannot begin before 0 s, got {float(self.start):g} s of {self.media}")
        if self.media is None and (self.source_start != 0 or self.speed != 1):
            raise EditError("a gap has no source: its source_start is 0 and its speed 1")

    @property
    def end(self) -> Fraction:
        """Record time at which it ends, s."""
        return self.start + self.seconds

    @property
    def source_end(self) -> Fraction:
        """Source time just after the last picture shown, s; before `source_start` in a clip that plays backwards."""
        return self.source_start + self.speed * self.seconds


@dataclass(frozen=True, slots=True)
class EditList:
    """The clips of one cut, edge to edge from 0 to the end."""

    clips: tuple[Clip, ...]
    seconds: Fraction  # s, record time at which the last clip ends
    frame_rate: Fraction  # frames a second of record time
    other_rates: tuple[Fraction, ...] = ()  # frames a second that it may have as well, where its file states none

    def __post_init__(self) -> None:
        if self.frame_rate <= 0:
            raise EditError(f"an edit needs a positive frame rate, got {float(self.frame_rate):g}")
        if not self.clips:
            raise EditError("an edit needs at least one clip")
        reached = Fraction(0)
        for clip in self.clips:
            if clip.start != reached:
                raise EditError(
                    f"clips must follow one another without holes: one ends at {float(reached):g} s, "
                    f"the next begins at {float(clip.start):g} s"
                )
            reached = clip.end
        if reached != self.seconds:
            raise EditError(f"the clips end at {float(reached):g} s, the edit at {float(self.seconds):g} s")

    @classmethod
    def laid(cls, pieces: Iterable[tuple[str | None, Fraction, Fraction, Fraction]], frame_rate: Fraction) -> EditList:
        """Lay pieces of media, source_start, seconds and speed, as of `Clip`, one after the other.

        Pieces without length are left out, gaps side by side become one. Raises `EditError` where no piece has a
        length, or one has a negative one.
        """
        clips: list[Clip] = []
        reached = Fraction(0)
        for media, source_start, seconds, speed in pieces:
            if seconds == 0:
                continue
            if media is None and clips and clips[-1].media is None:
                gap = clips.pop()
                seconds, reached = seconds + gap.seconds, gap.start
            at, rate = (source_start, speed) if media is not None else (Fraction(0), Fraction(1))
            clips.append(Clip(media, at, seconds, rate, reached))
            reached += seconds
        return cls(tuple(clips), reached, frame_rate)
