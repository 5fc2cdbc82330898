"""The tempo of the music as it plays under the video, for programs that draw bars and beats.

Where the beat grid of the track is known, each beat is moved to the video time at which a segment plays it; a splice
joins bar lines, so that bars go on across it. Where it is not, the plan itself implies the bar lines: every splice is
on one, and the body that is repeated spans `bars` whole bars of `beats_per_bar` beats; between splices beats are even.

A tempo map consists of marks on bar lines, each with the tempo up to the next. It needs few of them: there is a mark
only where even beats would miss a bar line by more than `LATE_SECONDS`, or where the metre changes. The time before the
music's first bar line is counted back in bars of its own metre and tempo. What is left at the first picture is one
first bar of as many beats as fit best, at a tempo of its own, so that all others begin where the music's do; less than
half a beat of it belongs to the bar after it.

A beat is a quarter note throughout: a grid holds the number of beats in a bar, but not their note value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from statistics import median

from workbench.export.timeline import Beat, Item
from workbench.plans.plan import LoopBody, LoopPlan
from workbench.recording import TrackSeconds, VideoSeconds

LATE_SECONDS = 0.010  # s by which a bar line of the map may lie off the music's, as the beat across a splice may
_ROUNDING = 1e-6  # s to which times are written


@dataclass(frozen=True, slots=True)
class TempoMark:
    """A bar line from which a tempo holds."""

    video_s: VideoSeconds
    bpm: float  # beats a minute
    beats_per_bar: int


@dataclass(frozen=True, slots=True)
class _Bar:
    begins: VideoSeconds
    beats: int  # from the first bar line to this one
    size: int  # beats of this bar


def played_beats(items: Iterable[Item], beats: Sequence[tuple[TrackSeconds, int]]) -> tuple[Beat, ...]:
    """The beats of a track, track time and place in the bar from 1, at the video times at which they are played.

    A beat that several items play comes as often.
    """
    # A splice may lie up to 10 ms off its bar line.
    return tuple(
        Beat(item.begins + time - item.song_from, position)
        for item in items
        for time, position in beats
        if item.song_from - LATE_SECONDS <= time < item.song_to - LATE_SECONDS
    )


def tempo_bpm(beats: Sequence[Beat], plan: LoopPlan | None) -> float:
    """The tempo of the music, beats a minute, by the median interval.

    Without two bar lines among the beats, the plan's body gives it.
    """
    if _bar_lines(beats) or plan is None or plan.body is None:
        return 60.0 / median(after.video_s - before.video_s for before, after in pairwise(beats))
    return 60.0 / _beat_seconds(plan, plan.body)


def tempo_map(beats: Sequence[Beat], plan: LoopPlan | None) -> list[TempoMark]:
    """Compute the tempo map of the music: marks in order, the first one at 0 s.

    Without two bar lines among the beats, the plan's splices give the bars; a placement has no marks then.
    """
    lines = _bar_lines(beats)
    if not lines:
        if plan is None or plan.body is None:
            return []
        beats = _beats_of(plan, plan.body)
        lines = _bar_lines(beats)
    bars = [_Bar(beats[line].video_s, line - lines[0], until - line) for line, until in pairwise(lines)]
    bars.append(_Bar(beats[lines[-1]].video_s, lines[-1] - lines[0], bars[-1].size))
    # A first bar line closer to the first picture than half a beat is moved there.
    beat = (bars[1].begins - bars[0].begins) / bars[0].size
    if bars[0].begins < beat / 2.0:
        bars[0] = replace(bars[0], begins=0.0)
    first, *others = _marks(bars)
    return [*_opening(first), *others]


def _bar_lines(beats: Sequence[Beat]) -> list[int]:
    """Indices of the beats that open a bar; none where there are not two of them."""
    lines = [k for k, beat in enumerate(beats) if beat.position == 1]
    return lines if len(lines) > 1 else []


def _beat_seconds(plan: LoopPlan, body: LoopBody) -> float:
    return (body.song_to - body.song_from) / (body.bars * plan.beats_per_bar)


def _beats_of(plan: LoopPlan, body: LoopBody) -> list[Beat]:
    """Even beats of whole bars between the plan's splices, before the first and after the last; two bars at least."""
    bar = _beat_seconds(plan, body) * plan.beats_per_bar
    splices = [float(time) for time in plan.seam_times]
    before = int((splices[0] - plan.music_in + LATE_SECONDS) / bar)
    after = max(1, int((plan.window_end - splices[-1]) / bar))
    lines = [splices[0] - bar * k for k in range(before, 0, -1)]
    for first, last in pairwise(splices):
        count = max(1, round((last - first) / bar))
        lines += [first + (last - first) * k / count for k in range(count)]
    lines += [splices[-1] + bar * k for k in range(after + 1)]
    size = plan.beats_per_bar
    inner = [Beat(a + (b - a) * k / size, k + 1) for a, b in pairwise(lines) for k in range(size)]
    return [*inner, Beat(lines[-1], 1)]


def _marks(bars: Sequence[_Bar]) -> list[TempoMark]:
    """The fewest marks: from each the tempo holds up to the last bar line that it meets."""
    marks, at = [], 0
    while at < len(bars) - 1:
        end = _held(bars, at)
        beats, seconds = bars[end].beats - bars[at].beats, bars[end].begins - bars[at].begins
        marks.append(TempoMark(bars[at].begins, 60.0 * beats / seconds, bars[at].size))
        at = end
    return marks


def _held(bars: Sequence[_Bar], at: int) -> int:
    """The last bar line to which one tempo and one metre lead from bar `at`, with all between met."""
    begin, reached = bars[at], at + 1
    # As in the fitting of keys: each bar line narrows the range of tempos that meet all so far (a cone from the mark
    # on).
    least, most = -inf, inf
    for end in range(at + 1, len(bars)):
        beats, seconds = bars[end].beats - begin.beats, bars[end].begins - begin.begins
        if least <= seconds / beats <= most:
            reached = end
        least = max(least, (seconds - LATE_SECONDS) / beats)
        most = min(most, (seconds + LATE_SECONDS) / beats)
        if least > most or bars[end].size != begin.size:
            break
    return reached


def _opening(first: TempoMark) -> list[TempoMark]:
    """The music's first mark, put back by whole bars, and a bar for the time that remains at the first picture."""
    beat = 60.0 / first.bpm
    bar = beat * first.beats_per_bar
    whole = int((first.video_s + _ROUNDING) / bar)
    rest = first.video_s - whole * bar
    if rest <= _ROUNDING:
        return [replace(first, video_s=0.0)]
    if rest < beat / 2.0 and whole:
        whole, rest = whole - 1, rest + bar
    # The bar that fills the rest gets whole beats at a tempo of its own; a fraction of a beat has no metre.
    count = max(1, round(rest / beat)) if rest < bar else first.beats_per_bar
    return [TempoMark(0.0, 60.0 * count / rest, count), replace(first, video_s=rest)]
