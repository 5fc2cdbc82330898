"""The plan: which ranges of a track play when under a video, how they join, and how the music starts and ends.

Two clocks run in it. Track time, seconds from the first decoded sample: `song_from`, `song_to`, `song_duration`, the
looped body. Video time, seconds from the first picture: `music_in`, `window_end`, `seam_times`. Segment k starts at
video time ``T_k = music_in + L_0 + ... + L_{k-1}`` with ``L_k = song_to - song_from``, and ``seam_times[k] = T_{k+1}``.

At seam k the outgoing segment plays on past its `song_to` by half of ``f = seam_fades[k]`` and the incoming one starts
half of it before its `song_from`; with x from 0 to 1 over the fade the gains are ``(1-x)**p`` and ``x**p`` with
``p = seam_curves[k]``. A segment starts at `gain_in_db` and moves linearly in dB to `gain_db` over
`gain_glide_seconds`. The music rises over `start_fade_seconds` from `music_in` as ``(1-cos pi x)/2`` and falls over
the fade of its `Ending`, which ends at `window_end`, as ``(1+cos pi x)/2``.

A plan is a loop where some second of the track plays twice, a cut-down where it has seams but plays nothing twice,
and straight where it has no seam.

A restart is a seam of its own kind: the track ends, its last hit rings, and on a later bar line its head begins, so
that the pulse goes on through the pause. It is meant to be noticed, so it counts in `plan_score` and not in
`seam_score`. A pick-up before the first bar line plays only when the track begins, not when it begins again.

Times are held to the microsecond, scores to four decimals. What needs the track's grid (splices on bar lines, a tail
shorter than the last bar) is checked by `check_against_grid`; all else by `LoopPlan` itself. Both raise `PlanError`
naming the rule and the value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.errors import PlanError
from workbench.recording import BoolArray, FloatArray, IntArray, NotebookValue, TrackSeconds, VideoSeconds, clock
from workbench.seams.profile import MIN_FADE_SECONDS, ROUNDING_SECONDS, LoopProfile

PLAN_VERSION = 1
"""Plan-format version; raising it invalidates cached plans."""

GRID_TOLERANCE_SECONDS = 0.010
"""s; how far a splice may lie from a bar line, and the pulse across it from the track's own"""
CONTINUES_SECONDS = 0.05
"""s; a splice whose ends lie closer than this only continues the track"""
BORDER_SECONDS = 0.011
"""s; a splice is nearer to its bar line than this, so times this near to the border of a range are on it"""
MOST_BARS = 3.0
"""mean bars of the looped body that the bar in which a plan ends may last: tempi change, and last bars slow down"""
MAX_OPTIONS = 4
"""the served plan and its alternatives"""


class PlanKind(StrEnum):
    """What a plan does with its track."""

    LOOP = "loop"
    """some second of the track plays twice"""
    STRAIGHT = "straight"
    """no seam"""
    CUT_DOWN = "cut_down"
    """seams, and nothing plays twice"""

    @property
    def in_words(self) -> str:
        """What to call such a plan."""
        return {"loop": "loop", "straight": "straight plan", "cut_down": "cut-down"}[self.value]


class LoopBody(NamedTuple):
    """The looped body that plays longest.

    Attributes
    ----------
    song_from : s, where it starts in the track
    song_to : s, where it ends
    bars : its length in whole bars
    repeats : how often it plays in full, the first pass included
    """

    song_from: TrackSeconds
    song_to: TrackSeconds
    bars: int
    repeats: int


_COVER_TOLERANCE = 1e-3  # s; the music reaches the end of the video to the millisecond
_MOST_SECONDS = 1e9  # s; longer times cannot be counted in microseconds


@dataclass(frozen=True, slots=True)
class LoopSegment:
    """A range of the track, played once; times are rounded to the microsecond when it is made.

    Attributes
    ----------
    song_from : s, where the range starts, the middle of the crossfade into it
    song_to : s, where it ends, the middle of the crossfade out of it
    gain_db : dB, the level it plays at
    gain_in_db : dB, the level it starts at, gliding to `gain_db`
    """

    song_from: TrackSeconds
    song_to: TrackSeconds
    gain_db: float
    gain_in_db: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "song_from", round(self.song_from, 6))
        object.__setattr__(self, "song_to", round(self.song_to, 6))
        # Written so that NaN fails too.
        if not 0.0 <= self.song_from < self.song_to < float("inf"):
            raise PlanError(f"a segment needs 0 <= song_from < song_to, got {self.song_from} to {self.song_to}")
        if not (abs(self.gain_db) < 60.0 and abs(self.gain_in_db) < 60.0):
            raise PlanError(f"segment gains must lie within 60 dB of 0, got {self.gain_in_db} to {self.gain_db} dB")

    @property
    def length(self) -> float:
        """Seconds it lasts."""
        return self.song_to - self.song_from


class EndKind(StrEnum):
    """How music ends."""

    OUTRO = "outro"
    """on the track's come-down outro"""
    RESOLVE = "resolve"
    """on its own last bars"""
    ABRUPT = "abrupt"
    """on its own last hit"""
    LAST_SOUND = "last_sound"
    """with its last sound, where no ending of its own was found"""
    BUTTON = "button"
    """on a downbeat hit that rings under a fade of at most a bar"""
    FADE = "fade"
    FILE_END = "file_end"
    """where the track's file does"""
    CUT = "cut"
    """where the last of some segments does that a person listed"""
    OTHER = "other"
    """in the words of another program"""

    @property
    def is_own(self) -> bool:
        """Whether the music ends as the track does."""
        return self in (EndKind.OUTRO, EndKind.RESOLVE, EndKind.ABRUPT, EndKind.LAST_SOUND)


_WORDS = {
    EndKind.OUTRO: "resolves on the track's come-down outro",
    EndKind.RESOLVE: "resolves on the track's own last bars",
    EndKind.ABRUPT: "stops on the track's own last hit",
    EndKind.LAST_SOUND: "plays out to its last sound",
    EndKind.FILE_END: "plays to the end of the file",
    EndKind.CUT: "ends where the last segment does",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How the music of a plan ends.

    Attributes
    ----------
    kind : of what kind it is
    tail_seconds : s from where the music resolves to the end of the video, under one bar
    fade_seconds : s of the closing fade, which ends with the video and covers the tail
    where : of a fade or a button: where in the track, as `to the end of the verse`; of another program: all its
        words
    outro_start : where a come-down outro begins, if the last segment holds it
    restarts : how often the whole track begins again before that
    loses_pickup : whether it begins again without its pick-up
    named_own : whether the words call the track's own ending so first, as in a plan that could have another
    """

    kind: EndKind
    tail_seconds: float = 0.0
    fade_seconds: float = 0.0
    where: str = ""
    outro_start: TrackSeconds | None = None
    restarts: int = 0
    loses_pickup: bool = False
    named_own: bool = False

    @property
    def is_own(self) -> bool:
        """Whether the music ends as the track does."""
        return self.kind.is_own

    @property
    def in_words(self) -> str:
        """How it ends, without restarts."""
        return f"{_OWN if self.named_own else ''}{self._in_words}"

    @property
    def _in_words(self) -> str:
        where = f" {self.where}" if self.where else ""
        match self.kind:
            case EndKind.FADE:
                return f"fades over {self.fade_seconds:.1f} s{where}"
            case EndKind.BUTTON:
                return f"button: stops on the downbeat{where} and rings for {self.tail_seconds:.1f} s"
            case EndKind.OTHER:
                return self.where
        faded = self.is_own and self.fade_seconds > self.tail_seconds + 1e-3
        return f"{_WORDS[self.kind]}{f', its ring faded over {self.fade_seconds:.1f} s' if faded else ''}"

    @property
    def restart_words(self) -> str:
        """How often the track begins again before that; empty where it does not."""
        if not self.restarts:
            return ""
        often = "once" if self.restarts == 1 else f"{self.restarts} times"
        lost = ", without its pick-up" if self.loses_pickup else ""
        return f"begins again from its head {often} after its own ending{lost}"

    @property
    def label(self) -> str:
        """All of it, as the `end_label` of a plan."""
        return "; ".join(filter(None, (self.in_words, self.restart_words)))

    @classmethod
    def of_label(cls, label: str, tail_seconds: float, fade_seconds: float, outro_start: float | None) -> Ending:
        """The ending of a plan read from JSON, where only the label states its kind.

        A label that `label` does not write, but for its figures, stays as it is, as that of another program.
        """
        restarts = _RESTARTS.search(label)
        words = label if restarts is None else label[: restarts.start()]
        named_own, words = words.startswith(_OWN), words.removeprefix(_OWN)
        kind, where = EndKind.OTHER, label
        if found := _FADE.fullmatch(words):
            kind, where = EndKind.FADE, found[1] or ""
        elif found := _BUTTON.fullmatch(words):
            kind, where = EndKind.BUTTON, found[1] or ""
        else:
            own = words.partition(", its ring")[0]
            kind = next((one for one, said in _WORDS.items() if said == own), kind)
            where = where if kind is EndKind.OTHER else ""
        times = 0 if restarts is None else int(restarts[1] or 1)
        lost = restarts is not None and restarts[2] is not None
        ending = cls(kind, tail_seconds, fade_seconds, where, outro_start, times, lost, named_own)
        if _FIGURES.sub("", label) == _FIGURES.sub("", ending.label):
            return ending
        return cls(EndKind.OTHER, tail_seconds, fade_seconds, label, outro_start)


_OWN = "own ending: "
_FADE = re.compile(r"fades over [\d.]+ s(?: (.+))?")
_BUTTON = re.compile(r"button: stops on the downbeat(?: (.+))? and rings for [\d.]+ s")
_FIGURES = re.compile(r"\d+\.\d+")
_RESTARTS = re.compile(
    r"; begins again from its head (?:once|(\d{1,9}) times) after its own ending(, without its pick-up)?$"
)


@dataclass(frozen=True)
class LoopPlan(NotebookValue):
    """Track ranges played back to back under a video, with their seams, gains and ends.

    Attributes
    ----------
    segments : the authoritative playback path
    seam_fades : s, crossfade length at each internal splice
    seam_curves : gain-law exponent at each internal splice: 0.5 equal power, 1.0 linear
    gain_glide_seconds : s a segment takes from `gain_in_db` to `gain_db`
    music_in : where the music starts; under one bar, and 0 unless that buys the track's own ending or a hit, or it was
        asked for
    start_fade_seconds : s of the fade in at `music_in`
    ending : how the music ends
    window_end : end of the video
    song_duration : decoded length of the track
    beats_per_bar : of the metre that prevails
    body : the looped body that plays longest; None in a plan that plays nothing twice
    sections_covered : names of the sections played, in order of first use
    seam_score : 0 to 1, of the worst splice; 1 without splices. A restart, where the track begins again, is none
    plan_score : 0 to 1, see `workbench.plans.plan_score`
    options : up to four plans, best first, the first equal to this one; empty inside an option
    version : of the format of plans
    start_at : where the music was asked to start, which is then `music_in`; None without such a request
    """

    segments: tuple[LoopSegment, ...]
    seam_fades: tuple[float, ...]
    seam_curves: tuple[float, ...]
    gain_glide_seconds: float
    music_in: VideoSeconds
    start_fade_seconds: float
    ending: Ending
    window_end: VideoSeconds
    song_duration: float
    beats_per_bar: int
    body: LoopBody | None
    sections_covered: tuple[str, ...]
    seam_score: float
    plan_score: float
    options: tuple[LoopPlan, ...] = ()
    version: int = PLAN_VERSION
    start_at: VideoSeconds | None = None

    def __post_init__(self) -> None:
        _check_numbers(self)
        table = segment_table(self)
        _check_seams(self, table)
        _check_cover(self)
        _check_body(self)
        _check_options(self)

    def __repr__(self) -> str:
        seams = f"{len(self.segments)} segments, worst seam {self.seam_score:.2f}" if self.seam_fades else "no seam"
        return f"<{self.kind.in_words} of {clock(self.window_end)}, {seams}, {self.end_label}>"

    @property
    def alone(self) -> LoopPlan:
        """The same plan without its options."""
        return replace(self, options=()) if self.options else self

    def option(self, number: int) -> LoopPlan:
        """One of the options, without the others.

        Parameters
        ----------
        number : from 1, the plan served; a plan without options has 1, itself

        Raises
        ------
        PlanError : there is no such option
        """
        options = self.options or (self,)
        if not 1 <= number <= len(options):
            raise PlanError(f"there is no option {number} in this plan; it has {len(options)}, 1 is the plan served")
        return options[number - 1].alone

    @property
    def kind(self) -> PlanKind:
        """What the plan does with its track."""
        if self.body is not None:
            return PlanKind.LOOP
        return PlanKind.STRAIGHT if len(self.segments) == 1 else PlanKind.CUT_DOWN

    @cached_property  # most other times are computed from it, and hours of video have a thousand segments
    def segment_starts(self) -> FloatArray:
        """T_0 ... T_n, shape (n_segments + 1,), video seconds, the last where the last segment ends."""
        starts = segment_starts(segment_table(self), self.music_in)
        starts.setflags(write=False)
        return starts

    @property
    def seam_times(self) -> tuple[VideoSeconds, ...]:
        """Where the splices fall in the video."""
        return tuple(self.segment_starts[1:-1].tolist())

    @property
    def music_out(self) -> VideoSeconds:
        """The end of the video, by the name that it has beside `music_in`."""
        return self.window_end

    @property
    def music_end(self) -> VideoSeconds:
        """Where the music resolves: the track's last sound, or the last bar line of a fade."""
        return round(self.window_end * 1e6 - self.ending.tail_seconds * 1e6) / 1e6

    @property
    def tail_seconds(self) -> float:
        """Seconds from `music_end` to `window_end`, under one bar."""
        return self.ending.tail_seconds

    @property
    def end_fade_seconds(self) -> float:
        """Seconds of the closing fade."""
        return self.ending.fade_seconds

    @property
    def end_label(self) -> str:
        """How the plan ends, in words."""
        return self.ending.label

    @property
    def song_start(self) -> TrackSeconds:
        """The first `song_from`."""
        return self.segments[0].song_from

    @property
    def loop_start_a(self) -> TrackSeconds | None:
        """Start of the looped body; None without one, as are the next three."""
        return None if self.body is None else self.body.song_from

    @property
    def loop_end_b(self) -> TrackSeconds | None:
        """Its end."""
        return None if self.body is None else self.body.song_to

    @property
    def bars(self) -> int | None:
        """Its length in whole bars."""
        return None if self.body is None else self.body.bars

    @property
    def repeats(self) -> int | None:
        """How often it plays in full, the first pass included."""
        return None if self.body is None else self.body.repeats

    @property
    def outro_start(self) -> TrackSeconds | None:
        """Where the come-down outro begins on which the plan resolves; None without one, as is the next."""
        return self.ending.outro_start

    @property
    def outro_end(self) -> TrackSeconds | None:
        """Where it ends."""
        return None if self.ending.outro_start is None else self.segments[-1].song_to

    @property
    def ends_in_fade(self) -> bool:
        """Whether the sound still runs at `window_end`; False where it ends on the track's own last sound before."""
        reached = float(self.segment_starts[-1])
        return abs(reached - self.window_end) < abs(reached - self.music_end)

    @property
    def is_faded_out(self) -> bool:
        """Whether a fade closes it, be it only over the ring of the track's own ending."""
        return self.ends_in_fade or self.end_fade_seconds > self.tail_seconds + 1e-3

    @property
    def start_label(self) -> str:
        """Where the music starts, in words, and why where that is not the first picture."""
        if self.music_in == 0.0:
            return "with the first picture"
        why = "so that what follows falls into place"  # a hit, or in a changed cut the music of untouched picture
        if self.start_at is not None:
            why = "as asked for"
        elif not self.ends_in_fade:
            why = "so that the track's own ending fits the end of the video"
        return f"{self.music_in:.2f} s after the first picture, {why}"


def micros(seconds: float) -> int:
    """Whole microseconds."""
    return round(seconds * 1e6)


def segment_table(plan: LoopPlan) -> FloatArray:
    """Segments as an array, shape (n_segments, 2): `song_from` and `song_to`, seconds of track time."""
    flat = [time for segment in plan.segments for time in (segment.song_from, segment.song_to)]
    return np.array(flat, dtype=np.float64).reshape(-1, 2)


def segment_starts(table: FloatArray, music_in: VideoSeconds) -> FloatArray:
    """T_0 ... T_n in video seconds, shape (n_segments + 1,); summed in microseconds, so that hours add no error."""
    whole = np.rint(np.asarray(table) * 1e6).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(whole[:, 1] - whole[:, 0])]) + micros(music_in)
    return np.asarray(starts / 1e6, dtype=np.float64)


def played_times(plan: LoopPlan, times: FloatArray) -> FloatArray:
    """The video times at which a plan plays some times of its track, ascending; one for each time it plays."""
    starts = zip(plan.segment_starts.tolist(), plan.segments, strict=False)
    return np.concatenate(
        [start + times[(times >= one.song_from) & (times < one.song_to)] - one.song_from for start, one in starts]
    )


def song_at(table: FloatArray, starts: FloatArray, times: FloatArray) -> FloatArray:
    """Which second of the track segments play at some times of the video; NaN where they are silent, shape of `times`.

    `table` is from `segment_table`, `starts` from `segment_starts`.
    """
    at = np.searchsorted(starts, times, side="right") - 1
    sounds = (at >= 0) & (at < len(table))
    at = np.clip(at, 0, len(table) - 1)
    return np.where(sounds, table[at, 0] + times - starts[at], np.nan)


class Plays(NamedTuple):
    """How often each stretch of the track between two edges is played."""

    edges: FloatArray  # shape (n + 1,), s of the track
    lengths: FloatArray  # shape (n,), s
    plays: IntArray  # shape (n,)


def plays_of(table: FloatArray) -> Plays:
    """How often segments play what; `table` is from `segment_table`."""
    edges = np.unique(table)
    starts, counts = np.searchsorted(edges, table), np.zeros(edges.size + 1, dtype=np.int64)
    np.add.at(counts, starts[:, 0], 1)
    np.add.at(counts, starts[:, 1], -1)
    return Plays(edges, np.diff(edges), np.cumsum(counts)[: edges.size - 1])


def repeated_seconds(table: FloatArray) -> float:
    """Seconds of the track that play more than once. `table` is from `segment_table`."""
    counted = plays_of(table)
    return float(np.sum(counted.lengths[counted.plays > 1]))


def check_against_grid(plan: LoopPlan, downbeats: FloatArray, beats: FloatArray | None = None) -> None:
    """Check the rules of a plan that need the grid of its track.

    Every internal splice leaves and enters within 10 ms of a downbeat; the interval from the last beat before a splice
    to its downbeat deviates at most 10 ms from the track's own; the looped body spans exactly `bars` bars; `music_in`
    is under the first bar's length and `tail_seconds` under the last bar's; a fade resolves on a bar line. Times are in
    seconds of track time; with `beats` the body is also checked to hold whole bars of beats. A broken rule raises
    `PlanError`.
    """
    lines = np.asarray(downbeats, dtype=np.float64)
    if lines.size < 2:
        raise PlanError(f"a plan needs a grid of at least two bars, got {lines.size} downbeats")
    table = segment_table(plan)
    left, entered = table[:-1, 1], table[1:, 0]
    leave, enter = seam_lines(table, lines).T
    off_left, off_entered = left - lines[leave], entered - lines[enter]
    _at_most(np.abs(off_left), "a splice leaves within 10 ms of a downbeat", left)
    _at_most(np.abs(off_entered), "a splice enters within 10 ms of a downbeat", entered)
    _at_most(np.abs(off_left - off_entered), "the beat across a splice deviates at most 10 ms", left)

    if plan.body is not None:
        _check_body_on_grid(plan.body, lines, None if beats is None else np.asarray(beats, dtype=np.float64))

    first_bar = float(lines[1] - lines[0])
    if plan.start_at is None and not plan.music_in < first_bar:
        raise PlanError(f"music_in must be under one bar ({first_bar:.3f} s), got {plan.music_in}")
    last_bar = bar_length_at(lines, float(table[-1, 1]) - (plan.tail_seconds if plan.ends_in_fade else 0.0))
    if not plan.tail_seconds < last_bar:
        raise PlanError(f"the tail must be under the last bar played ({last_bar:.3f} s), got {plan.tail_seconds} s")
    if plan.ends_in_fade:
        resolves = float(table[-1, 1]) - plan.tail_seconds
        nearest = float(lines[nearest_line(lines, np.array([resolves]))[0]])
        if abs(resolves - nearest) > GRID_TOLERANCE_SECONDS:
            raise PlanError(
                f"a fade resolves on a bar line, but {resolves:.3f} s is {abs(resolves - nearest):.3f} s off"
            )


def nearest_line(lines: FloatArray, times: FloatArray) -> np.ndarray:
    """Index of the bar line nearest to each time.

    Of two that are equally near, the earlier; `lines` ascend, at least one.
    """
    after = np.clip(np.searchsorted(lines, times), 1, max(1, lines.size - 1))
    if lines.size == 1:
        return np.zeros(np.shape(times), dtype=np.int64)
    return after - (times - lines[after - 1] <= lines[after] - times)


def seam_lines(table: FloatArray, lines: FloatArray) -> IntArray:
    """The bar lines that the seams between some segments leave and enter, shape (n_segments - 1, 2)."""
    return np.asarray(nearest_line(lines, np.column_stack([table[:-1, 1], table[1:, 0]])))


def seams_restart(table: FloatArray, profile: LoopProfile) -> BoolArray:
    """Which seams between some segments begin the whole track again after its own ending, shape (n_seams,)."""
    if profile.restart is None:
        return np.zeros(len(table) - 1, dtype=bool)
    return profile.is_restart(*seam_lines(table, profile.downbeats).T)


def bar_length_at(lines: FloatArray, time: TrackSeconds) -> float:
    """Length in seconds of the bar that sounds at `time`; beyond the last bar line, of the last whole bar.

    A time counts for the next bar from 10 ms before its bar line, and for the first bar before the first line. `lines`
    ascend, at least two.
    """
    bar = int(np.searchsorted(lines, time + GRID_TOLERANCE_SECONDS, side="right")) - 1
    bar = min(max(bar, 0), lines.size - 2)
    return float(lines[bar + 1] - lines[bar])


def _check_body_on_grid(body: LoopBody, lines: FloatArray, beats: FloatArray | None) -> None:
    ends = np.array([body.song_from, body.song_to])
    at = nearest_line(lines, ends)
    _at_most(np.abs(ends - lines[at]), "the body is on bar lines", at)
    if int(at[1] - at[0]) != body.bars:
        raise PlanError(f"the body must span exactly {body.bars} bars, but spans {int(at[1] - at[0])}")
    if beats is None:
        return
    inside = int(np.sum((beats > body.song_from - 0.02) & (beats < body.song_to - 0.02)))
    opening = int(np.sum((lines > body.song_from - 0.02) & (lines < body.song_to - 0.02)))
    if opening != body.bars or inside < opening:
        raise PlanError(f"the body must hold {body.bars} whole bars, it holds {opening} downbeats and {inside} beats")


def _at_most(distance: FloatArray, rule: str, where: FloatArray) -> None:
    over = distance > GRID_TOLERANCE_SECONDS + ROUNDING_SECONDS
    if np.any(over):
        at = int(np.argmax(over))
        raise PlanError(f"{rule}; splice {at} at {float(where[at]):.6f} s is {float(distance[at]) * 1e3:.1f} ms off")


def _check_numbers(plan: LoopPlan) -> None:
    n = len(plan.segments)
    if n < 1 or (n < 2 and plan.body is not None):
        raise PlanError(f"a plan has a segment, a loop plan at least two segments, got {n}")
    for name in ("seam_fades", "seam_curves"):
        if len(getattr(plan, name)) != n - 1:
            raise PlanError(f"{name} needs one entry per internal splice ({n - 1}), got {len(getattr(plan, name))}")
    for name in _NOT_NEGATIVE:
        value = getattr(plan, name)
        if value is not None and not 0.0 <= value < _MOST_SECONDS:
            raise PlanError(f"{name} must be finite and not negative, under {_MOST_SECONDS:g} s, got {value}")
    for name in ("seam_score", "plan_score"):
        if not 0.0 <= getattr(plan, name) <= 1.0:
            raise PlanError(f"{name} is in 0 to 1, got {getattr(plan, name)}")
    if plan.beats_per_bar < 1:
        raise PlanError(f"beats_per_bar counts from 1, got {plan.beats_per_bar}")
    if plan.version < 1:
        raise PlanError(f"version starts at 1, got {plan.version}")
    if not plan.end_label:
        raise PlanError("end_label says in words how the plan ends; it is empty")


_NOT_NEGATIVE = (
    "gain_glide_seconds", "music_in", "window_end", "tail_seconds", "song_duration", "loop_start_a", "loop_end_b",
    "start_fade_seconds", "end_fade_seconds",
)  # fmt: skip


def _check_seams(plan: LoopPlan, table: FloatArray) -> None:
    fades = np.array(plan.seam_fades, dtype=np.float64)
    curves = np.array(plan.seam_curves, dtype=np.float64)
    if not np.all((fades >= MIN_FADE_SECONDS) & (fades < np.inf)):
        raise PlanError(f"every crossfade lasts at least {MIN_FADE_SECONDS} s, got {fades.min()}")
    if not np.all((curves >= 0.5) & (curves <= 1.0)):
        raise PlanError(
            f"every crossfade exponent is in 0.5 to 1, got {curves[~((curves >= 0.5) & (curves <= 1.0))][0]}"
        )
    usable = np.abs(table[1:, 0] - table[:-1, 1])
    if plan.body is None and repeated_seconds(table) >= CONTINUES_SECONDS:
        raise PlanError(f"a {plan.kind.in_words} plays nothing twice, but {repeated_seconds(table):.3f} s come again")
    if np.any(usable < CONTINUES_SECONDS):
        raise PlanError(f"segments {int(np.argmin(usable))} and the next simply continue each other")
    if np.any(table[1:, 0] < fades / 2 - ROUNDING_SECONDS):
        at = int(np.argmax(table[1:, 0] < fades / 2 - ROUNDING_SECONDS))
        raise PlanError(f"room: song_from >= f/2 at seam {at}, got {table[at + 1, 0]} s and a fade of {fades[at]} s")
    over = table[:-1, 1] + fades / 2 > plan.song_duration + ROUNDING_SECONDS
    if np.any(over):
        raise PlanError(f"room: song_to + f/2 <= song_duration at seam {int(np.argmax(over))}")
    if table[-1, 1] > plan.song_duration + ROUNDING_SECONDS:
        raise PlanError(f"room: the last segment ends at {table[-1, 1]} s, the track at {plan.song_duration} s")

    lengths = table[:, 1] - table[:, 0]
    least = np.zeros(lengths.size)
    least[:-1] += fades / 2
    least[1:] += fades / 2
    least[0] += plan.start_fade_seconds
    least[-1] += plan.end_fade_seconds
    short = lengths < np.maximum(least, plan.gain_glide_seconds) - ROUNDING_SECONDS
    if np.any(short):
        at = int(np.argmax(short))
        raise PlanError(
            f"room: segment {at} lasts {lengths[at]:.6f} s, its fades need {least[at]:.6f} s "
            f"and its glide {plan.gain_glide_seconds} s"
        )


def _check_cover(plan: LoopPlan) -> None:
    reached = float(plan.segment_starts[-1])
    to_end = abs(reached - plan.window_end) <= _COVER_TOLERANCE
    if not to_end and abs(reached - plan.music_end) > _COVER_TOLERANCE:
        raise PlanError(
            f"cover: the segments reach {reached:.6f} s, neither window_end ({plan.window_end} s) "
            f"nor music_end ({plan.music_end} s)"
        )
    if plan.start_at is not None and plan.start_at != plan.music_in:
        raise PlanError(f"the music was asked to start at {plan.start_at} s, but music_in is {plan.music_in}")
    if plan.end_fade_seconds < plan.tail_seconds - ROUNDING_SECONDS:
        raise PlanError(f"end_fade_seconds {plan.end_fade_seconds} must cover the tail of {plan.tail_seconds} s")


def _check_body(plan: LoopPlan) -> None:
    if plan.body is not None:
        _check_looped_body(plan, plan.body)
    last, outro_start = plan.segments[-1], plan.ending.outro_start
    if outro_start is not None and not last.song_from - GRID_TOLERANCE_SECONDS <= outro_start < last.song_to:
        raise PlanError(f"the outro must lie in the last segment, got {outro_start} to {last.song_to} s")


def _check_looped_body(plan: LoopPlan, body: LoopBody) -> None:
    if body.bars < 1 or body.repeats < 1:
        raise PlanError(f"bars and repeats count from 1, got {body.bars} and {body.repeats}")
    if not body.song_from < body.song_to <= plan.song_duration + ROUNDING_SECONDS:
        raise PlanError(f"the body must lie within the track, got {body.song_from} to {body.song_to} s")
    bar = (body.song_to - body.song_from) / body.bars
    for name in ("music_in", "tail_seconds"):
        asked = name == "music_in" and plan.start_at is not None
        if not asked and not getattr(plan, name) < MOST_BARS * bar:
            raise PlanError(f"{name} must be under one bar (the body's last {bar:.3f} s), got {getattr(plan, name)}")


def _check_options(plan: LoopPlan) -> None:
    if not plan.options:
        return
    if len(plan.options) > MAX_OPTIONS:
        raise PlanError(f"at most {MAX_OPTIONS} options, got {len(plan.options)}")
    if any(option.options for option in plan.options):
        raise PlanError("an option carries no options of its own")
    if plan.options[0] != plan.alone:
        raise PlanError("options[0] must equal the served plan")
