"""The loop profile of a recording: everything the planner needs, and no sound.

It is computed once a recording (`workbench.seams.build_profile`), stored, and read by the planner
(`workbench.plans.loop`), so that a plan from a warm analysis touches no audio.

Bars are numbered from 0 by the grid's downbeats: bar k runs from `downbeats[k]` to `downbeats[k + 1]`. What stands
before the first downbeat is the lead-in; what follows the last downbeat belongs to the last bar.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np

from workbench.beats.edges import EDGE_SECONDS
from workbench.recording import BoolArray, FloatArray, IntArray, NotebookValue, TrackSeconds, clock
from workbench.structure.sections import Section

BAR_PARTS = ("expectation", "context", "ringing", "pulse", "harmony", "level", "brightness")
"""Parts of a seam's score whose yardstick is what the track's own adjacent bars do."""
SEAM_PARTS = (*BAR_PARTS, "repetition", "texture", "air")
"""Names of the parts of a seam's score, in the order of the columns of `Splices.parts`."""
MIN_FADE_SECONDS = 0.005
"""s; a shorter crossfade clicks"""
ROUNDING_SECONDS = 2e-6
"""s; what two values rounded to the microsecond may differ by, and the margin that a planner leaves for it"""
# splices of a track, best first, that loops and cut-downs choose from: the rest are there for their rare lengths
BEST_SPLICES = 600
_PICKUP_SECONDS = 0.1  # s; a lead-in that is shorter is the attack of the first downbeat
_START_SHIFT = 0.008  # s; how far a splice into the first bar moves to make room for its fade


@dataclass(frozen=True, slots=True, eq=False)
class Splices:
    """Candidate splices, one a row, best first.

    Splice k leaves at bar line `leave[k]` and enters at bar line `enter[k]`: after bar `leave - 1` comes bar
    `enter`. A loop goes back (enter < leave), a cut goes ahead (enter > leave).

    Attributes
    ----------
    leave : shape (n,), index of the downbeat at which the music leaves
    enter : shape (n,), index of the downbeat at which it goes on; never equal to leave
    song_to : shape (n,), s, refined leaving time, within 10 ms of downbeats[leave]
    song_from : shape (n,), s, refined entering time, within 10 ms of downbeats[enter]; phase-aligned to song_to
    score : shape (n,), seam scores, 0 to 1, fitted to an automatic judge
    parts : shape (n, n_parts), 0 to 1 each, in the order of `LoopProfile.part_names`
    fade_seconds : shape (n,), s, >= 0.005, crossfade length fitted to how alike both sides are
    exponent : shape (n,), 0.5 (equal power, unlike sides) to 1.0 (linear, coherent sides)
    level_step_db : shape (n,), LU by which the entered side is louder than the left side was about to be
        (short-term, BS.1770)
    """

    leave: IntArray
    enter: IntArray
    song_to: FloatArray
    song_from: FloatArray
    score: FloatArray
    parts: FloatArray
    fade_seconds: FloatArray
    exponent: FloatArray
    level_step_db: FloatArray

    @classmethod
    def none(cls, n_parts: int = len(SEAM_PARTS)) -> Splices:
        """No splices, with so many columns for parts."""
        lines, numbers = np.zeros(0, dtype=np.int32), np.zeros(0)
        parts = np.zeros((0, n_parts))
        return cls(lines, lines, numbers, numbers, numbers, parts, numbers, numbers, numbers)

    def __repr__(self) -> str:
        best = f", best {self.score.max():.2f}" if self.score.size else ""
        return f"{self.score.size} candidate splices{best}"

    def rows(self, chosen: IntArray) -> Splices:
        """The splices of some rows, in the order given."""
        return Splices(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})

    def with_more(self, others: Splices) -> Splices:
        """These splices, and others after them."""
        names = [field.name for field in fields(self)]
        return Splices(**{name: np.concatenate([getattr(self, name), getattr(others, name)]) for name in names})

    def have_room(self, song_duration: TrackSeconds) -> BoolArray:
        """Which splices leave room for their crossfade at both ends of the track, shape (n,)."""
        half = self.fade_seconds / 2
        return np.asarray((self.song_from >= half) & (self.song_to + half <= song_duration))

    def row_of(self, leave: int, enter: int) -> int | None:
        """The row of the splice between two bar lines; None if it is not among them."""
        found = np.flatnonzero((self.leave == leave) & (self.enter == enter))
        return int(found[0]) if found.size else None


class EndingKind(StrEnum):
    """How a track can end by itself."""

    OUTRO = "outro"
    """a come-down outro: level falls, harmony rests"""
    RESOLVE = "resolve"
    """the track's own final bars: a ritardando, a last chord, a ring-out"""
    ABRUPT = "abrupt"
    """a dry last hit"""


@dataclass(frozen=True, slots=True)
class TrackEnding:
    """The track's own ending, if it has one worth playing.

    Attributes
    ----------
    kind : of what kind it is
    start_bar : first bar that belongs to the ending; a splice into it must enter at or before this bar
    """

    kind: EndingKind
    start_bar: int


@dataclass(frozen=True, slots=True)
class Restart:
    """Where the whole track can begin again after its own ending: it leaves in the ring and enters at the head."""

    leave: int
    """bar line after the last hit, where little is left of the ring"""
    enter: int
    """bar line of the head: the first one"""
    ring_db: float
    """LU, the loudest moment of the part left out, over the track's median bar; negative"""


@dataclass(frozen=True, slots=True)
class TrackSection:
    """A stretch of whole bars with a name.

    Attributes
    ----------
    first_bar : number of its first bar, from 0
    last_bar : one past the last bar
    song_from : s, where it starts
    song_to : s, where it ends
    label : its name
    group : sections of one group repeat each other
    """

    first_bar: int
    last_bar: int
    song_from: TrackSeconds
    song_to: TrackSeconds
    label: str
    group: int


@dataclass(frozen=True, slots=True, eq=False)
class LoopProfile(NotebookValue):
    """What the planner knows of a recording.

    Attributes
    ----------
    song_duration : decoded length, s
    song_start : where the music begins to sound (first sample above -60 dBFS), s
    last_sound : where it has died away (-60 dBFS), s
    downbeats : shape (n_bars,), s, bar lines of the track's grid
    beats_per_bar : of the metre that prevails
    grid_confidence : how sure the bar lines are, 0 to 1
    bar_lufs : shape (n_bars,), LUFS of each bar
    sections : in their order
    splices : candidates, best first
    ending : None where the track offers no ending of its own (it fades or stops in mid-phrase)
    part_names : names of the columns of `splices.parts`: ours, and those of other measures behind them
    restart : None where no bar line is in the quiet after the track's own ending; its splice is among `splices`
    file_loop : loop points that the file carries, first and one past the last; None without. Where they are bar
        lines, the splice between them is among `splices`
    comes_from_hit : whether `song_start` is where a piece of a plan goes on, see `workbench.plans.hits`: music plays
        before it, and from there at once
    leads_to_hit : whether `last_sound` is where the next piece goes on
    """

    song_duration: TrackSeconds
    song_start: TrackSeconds
    last_sound: TrackSeconds
    downbeats: FloatArray
    beats_per_bar: int
    grid_confidence: float
    bar_lufs: FloatArray
    sections: tuple[TrackSection, ...]
    splices: Splices
    ending: TrackEnding | None
    part_names: tuple[str, ...] = SEAM_PARTS
    restart: Restart | None = None
    file_loop: tuple[TrackSeconds, TrackSeconds] | None = None
    comes_from_hit: bool = False
    leads_to_hit: bool = False

    def __repr__(self) -> str:
        names = ", ".join(section.label for section in self.sections)
        bars = f"{self.downbeats.size} bars, {self.splices!r}"
        return f"<profile of {clock(self.song_duration)}: {bars}; sections: {names or 'none'}>"

    @property
    def edges(self) -> FloatArray:
        """Bar lines, then where the last bar ends: with the last sound; shape (n_bars + 1,), s, of a track with bars"""
        return np.append(self.downbeats, max(self.last_sound, float(self.downbeats[-1]) + 1e-3))

    @property
    def usual_bar(self) -> float:
        """Median length of a bar, s, of a track with two bars and more"""
        return float(np.median(np.diff(self.downbeats)))

    @property
    def form(self) -> tuple[Section, ...]:
        """The sections without their times"""
        return tuple(Section(one.first_bar, one.last_bar, one.label, one.group) for one in self.sections)

    def is_restart(self, leave: IntArray, enter: IntArray) -> BoolArray:
        """Which splices, by the bar lines left and entered, begin the track again, shape of `leave`."""
        if self.restart is None:
            return np.zeros(np.shape(leave), dtype=bool)
        return np.asarray((leave == self.restart.leave) & (enter == self.restart.enter))

    @property
    def restart_loses_pickup(self) -> bool:
        """Whether a lead-in before the first bar line plays only when the track begins, not when it begins again"""
        lost = 0.0 if self.restart is None else float(self.downbeats[self.restart.enter]) - self.song_start
        return lost > _PICKUP_SECONDS

    def is_whole(self, leave: IntArray, enter: IntArray) -> BoolArray:
        """Which splices lead from the end of a file to its head or its loop start, shape of `leave`."""
        starts = (enter == 0) & (self.downbeats[enter] <= EDGE_SECONDS)
        if self.file_loop is not None:
            starts |= np.abs(self.downbeats[enter] - self.file_loop[0]) <= EDGE_SECONDS
        return np.asarray(starts & (self.downbeats[leave] >= self.song_duration - EDGE_SECONDS))


def with_room(
    song_to: FloatArray, song_from: FloatArray, fade: FloatArray, left: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Splices that enter too near the recording's start for their crossfade, moved later and faded shorter.

    Both ends move by the same time, so only the place of the fade changes: as far as half the fade asks for
    and the leaving end stays within 8 ms of its bar line, `left`. What then is still missing the fade gives up, down to
    5 ms. Where that does not make room either, the splice stays as it is. All are in seconds, shape (n,); what had room
    is unchanged.
    """
    missing = np.maximum(fade / 2 - song_from, 0.0)
    later = np.clip(_START_SHIFT - (song_to - left), 0.0, _START_SHIFT)
    moved = np.minimum(missing, later)
    shorter = np.minimum(fade, 2.0 * (song_from + moved) - ROUNDING_SECONDS)
    helped = (missing > 0.0) & (shorter >= MIN_FADE_SECONDS)
    moved = np.where(helped, moved, 0.0)
    return song_to + moved, song_from + moved, np.where(helped, shorter, fade)
