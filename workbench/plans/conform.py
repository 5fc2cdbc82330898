"""Change a plan for another cut of its video: the music stays where its picture stays, as far as good seams allow.

Where the picture was not touched, every second of it had its second of the track; that is what the new plan is asked to
play there again, within half a bar. Before the first edit it plays the very same segments. From two bars before it on
the way through the track is searched again (`workbench.plans.search`), one layer for each bar played. A state is a bar
line about to be played and how many bars ago the last seam was; of all ways to arrive there after equally many bars the
best is carried on. A way earns each second of untouched picture that has its music, and pays for each splice that the
old plan did not take. It plays nothing that is excluded, and ends only once every kept part has played whole.

An edit moves the picture by any time, and a splice moves the music by whole bars; a good one mostly by whole phrases.
So music that the edit moved by half a phrase cannot be put back in place by an inaudible seam: the floor of seam
scores (`CoverParams.min_seam_score`) decides how much stays in place, and lowering it leaves more there.

The track's own ending needs the one number of bars that leaves it the end of the new cut. Where its last hit rings for
bars, each bar of the ring is another such number: the ring is then faded at the end of the cut. Where no seams over the
floor lead to either, the best under it do, down to `ending_floor`; where those do not, the music fades. Kept parts are
reached by such seams too.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.edits.difference import EditChange, EditDifference
from workbench.errors import Sentence
from workbench.params import CoverParams
from workbench.plans import refusals
from workbench.plans.build import Route, Window, build_plan, played, plays_to, room_for_fade, silence_after, spans
from workbench.plans.constraints import on_lines
from workbench.plans.cutdown import MIN_INNER_BARS, with_short_segments
from workbench.plans.ends import (
    EARLY_SECONDS,
    MIN_RING_SECONDS,
    SHORTEST_FADE_SECONDS,
    downbeat_ending,
    end_slack,
    last_line,
    latest_stop,
    own_ending,
    start_fade,
    with_nearest_fade,
)
from workbench.plans.fit import plan_fit
from workbench.plans.fit_request import kept_stretches
from workbench.plans.move_seam import seam_pairs, seam_scores, seams_of
from workbench.plans.plan import (
    BORDER_SECONDS,
    CONTINUES_SECONDS,
    GRID_TOLERANCE_SECONDS,
    Ending,
    EndKind,
    LoopPlan,
    PlanKind,
    micros,
    nearest_line,
    repeated_seconds,
    seams_restart,
    segment_table,
)
from workbench.plans.plan_score import (
    REQUEST_FLOOR,
    PlanScore,
    coverage_part,
    fade_part,
    is_raised,
    own_ending_part,
    phrasing_part,
    seam_score_power,
)
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import LENGTH_ALONE, PlanRequest
from workbench.plans.search import best_of_each, layers_from, way_to
from workbench.plans.splices import NO_SPLICE, PlayableSplices, playable_splices
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds, VideoSeconds
from workbench.seams.profile import ROUNDING_SECONDS, LoopProfile

_BARS_BEFORE = 2  # bars before the first edit from which on the music may differ
_POINTS = 4  # places of a bar at which the search asks whether the music is in place
_SPLICE_COST = 3.0  # s of music in place that a new seam of score 1 must buy
_SEAM_COST = 17.0  # and what one at the floor must buy on top: who lowers the floor takes worse seams for more music
_EXACT = 0.02  # share that a second loses that is half a bar off: the same sample is preferred
_OWN_ENDING = 1e4  # s; the own ending of the old plan stays wherever a way leads there
_UNDER_FLOOR = 100.0  # s of music in place that a seam under the floor costs, which only the own ending is worth,
_LACK_COST = 1e3  # and what a whole unit of score under it costs on top: the best such seams are taken
_LEAST_RING = 1.0  # s of the ring after the last hit's bar that play at least
_RING_LOST = 1e3  # s of music in place for which the ring of the own ending is cut short
_RING_DB = 10.0  # LU under the median bar of bars in which only the last hit rings
_PINNED = 1e3  # s; a pinned seam stays where its picture stays
_FADE = 10.0  # s that the best place to fade is worth
_SAME_TIME = 5e-3  # s by which two ways to a bar line may differ for the better one to stand for both
_SAME_SAMPLE = 1e-3  # s; music this near to its old place is moved onto it
_EXACTLY = 5e-4  # s; music this near to its old place counts as the same samples
_A_HUNDREDTH = 0.015  # s; under that a time is written as a hundredth of a second at most: nothing to speak of
_SOON_OVER = 1.0  # s; what is left of a stretch is said, where that is shorter
_SLIVER = 1e-5  # s; what rounding leaves between two segments


class FollowedStretch(NamedTuple):
    """A stretch of untouched picture and how far its music is from where it was."""

    first: VideoSeconds
    """s of the new cut"""
    last: VideoSeconds
    off_seconds: float
    """s by which the music is further in the track than the picture had it; NaN where there is none"""
    kept: bool
    """whether `off_seconds` is half a bar at most"""

    @property
    def seconds(self) -> float:
        """How long it lasts, s."""
        return self.last - self.first


class UnsureSeam(NamedTuple):
    """A seam that is less sure than those of a loop."""

    at: VideoSeconds
    """s of the new cut"""
    score: float


class _Target(NamedTuple):
    """Which second of the track untouched picture had, in pieces of the new video."""

    begins: FloatArray  # shape (n,), s of the new video, ascending
    ends: FloatArray
    offset: FloatArray  # s of the track less s of the new video


def conform_plan(
    profile: LoopProfile,
    plan: LoopPlan,
    difference: EditDifference,
    params: CoverParams = CoverParams(),
    request: PlanRequest = LENGTH_ALONE,
    *,
    ending_floor: float | None = REQUEST_FLOOR,
) -> LoopPlan | Refusal:
    """Change a plan for another cut of its video.

    Parameters
    ----------
    profile : of the plan's track
    plan : for the old cut, with or without options
    difference : of the two cuts; its `old_seconds` are the plan's length
    params : the floor of seam scores, gains and closing fades
    request : that the plan was made with. A pinned seam stays where its picture stays, kept parts stay whole, and what
        is excluded is not played from where the search begins; a closing fade is as long as there is room for. Its
        hits, `end_on` and `only_loop` do not count: a hit stays where the music of its picture does
    ending_floor : score down to which seams are taken that lead to the track's own ending, where the old plan has it
        and no seams over the floor lead there; None: the music fades there. For kept parts seams are taken down to
        `REQUEST_FLOOR`, as in a fit, unless the floor of `params` is raised

    Returns
    -------
    LoopPlan : exactly as long as the new cut, its options holding itself alone; of the kind that its segments make it.
        Where nothing differs, the same plan. Where no way leads on from the first edit, the music differs before it
        too; where there is none at all, it is the fit of the new length, to the millisecond; or
    Refusal : the track cannot fill the new length, or not by seams as good as was asked for, or not with all kept parts

    Raises
    ------
    PlanError : the plan is not of this track's grid
    ConstraintError : the constraints make no sense on this track
    """
    return PlanFollower(profile, plan, difference, params, request).plan(ending_floor)


class PlanFollower:
    """A plan and a new cut of its video, from which several plans are made: what two of them share is searched once.

    The arguments are those of `conform_plan`.
    """

    def __init__(
        self,
        profile: LoopProfile,
        plan: LoopPlan,
        difference: EditDifference,
        params: CoverParams,
        request: PlanRequest,
    ) -> None:
        self.profile, self.old, self.difference = profile, plan.alone, difference
        self.params, self.request = params, request
        self.end: VideoSeconds = micros(difference.new_seconds) / 1e6
        self._found: dict[tuple[float, float | None, bool], tuple[_Search, _Ended | None]] = {}
        same_length = abs(difference.new_seconds - self.old.window_end) <= difference.frame_seconds + 1e-6
        same_places = all(abs(span.new_start - span.old_start) < 1e-6 for span in difference.shared)
        # only shots of the same length differ at most: every second has its music already
        self.is_same = same_length and (same_places or not difference.changes)
        if self.is_same or profile.downbeats.size < 3:
            return  # nothing is searched
        self.constraints = on_lines(profile, request.constraints)
        self.lines = np.asarray(profile.downbeats, dtype=np.float64)
        self.n = self.lines.size
        self.edges = profile.edges
        self.lengths = np.diff(self.edges)
        self.longest_bar = float(self.lengths.max())
        between = np.diff(self.lines)
        self.bar = profile.usual_bar
        # s after each bar line within which a fade that resolves on it may end
        self.fade_bars = np.minimum(self.lengths, np.append(between, between[-1]))
        self.target = _target(self.old, difference)
        self.parts = _KeptParts(profile, request, self.end)
        self.excluded = self.constraints.plays_excluded(self.edges[:-1], self.edges[1:])  # bars that are not played
        self.seams = seams_of(profile, self.old)
        self.fade_part = fade_part(profile)
        self.longest_tail = end_slack(profile)[0]
        self.ring_from = _ring_start(profile)
        # bars that a segment lasts at least, and one; older counts as this old
        least = int(np.ceil((self.old.gain_glide_seconds + 0.5) / float(between.min())))
        self.ages = max(MIN_INNER_BARS, least) + 1

    def plan(
        self, ending_floor: float | None = REQUEST_FLOOR, min_seam_score: float | None = None
    ) -> LoopPlan | Refusal:
        """The plan for the new cut.

        `ending_floor` and the errors are those of `conform_plan`; `min_seam_score`, 0 to 1, replaces that of the
        parameters.
        """
        old = self.old
        if self.is_same:
            return replace(old, options=(old,))
        if self.profile.downbeats.size < 3:
            return refusals.not_filled(
                "the track has no bars to cut on, so its music cannot follow an edit; fit it again",
                RefusalReason.NO_LOOP_PROFILE,
            )
        floor = self.params.min_seam_score if min_seam_score is None else min_seam_score
        search, way = self._best(floor, None)
        lacks_parts = way is None and bool(self.request.keep) and not is_raised(floor)
        if lacks_parts:
            search, way = self._best(floor, REQUEST_FLOOR, for_ending=ending_floor is not None)
        elif ending_floor is not None and not old.ends_in_fade and not (way is not None and way.kind.is_own):
            lowered, ending = self._best(floor, ending_floor)
            if ending is not None and ending.kind.is_own:
                search, way = lowered, ending
        while way is None and search.old_segments:
            # From where the edit begins nothing leads to the end: then music further before it must change too.
            least = REQUEST_FLOOR if lacks_parts else None
            search = _Search(self, floor, 2 * search.bars_before, least, for_ending=search.for_ending)
            way = search.best() or search.best(in_ending=True)
        made = _fitted_again(search) if way is None else search.assemble(way)
        if isinstance(made, Refusal):
            return made
        # The words of a plan that could have another ending: such as one that had another, or became a cut-down.
        another = old.ending.named_own or not old.ending.is_own or made.kind is not PlanKind.LOOP
        another = another or made.start_at is not None
        made = replace(made, ending=replace(made.ending, named_own=made.ending.is_own and another))
        if self.request.fade is not None:
            kept = [(first, last) for first, last in self.parts.stretches.tolist()]
            made = with_nearest_fade(made, self.request.fade, kept)
        return replace(made, options=(made,))

    def _best(
        self, floor: float, least_score: float | None, *, for_ending: bool = True
    ) -> tuple[_Search, _Ended | None]:
        """The best way with seams over a floor, or where it must be over a lesser score; searched once."""
        key = floor, least_score, for_ending
        if key not in self._found:
            search = _Search(self, floor, _BARS_BEFORE, least_score, for_ending=for_ending)
            way = search.best()
            if way is None and least_score is None:
                way = search.best(in_ending=True)
            self._found[key] = search, way
        return self._found[key]

    def first_edit(self) -> VideoSeconds:
        """Up to when both cuts are the same from their start."""
        spans = self.difference.shared
        if not spans or spans[0].new_start > 1e-6 or spans[0].old_start > 1e-6:
            return 0.0
        return spans[0].seconds

    def asked_start(self) -> VideoSeconds:
        """Where music with a new start begins: as the old plan did, or on the picture that it was asked to start on."""
        asked = self.old.start_at
        if asked is None:
            return self.old.music_in
        later = (
            span.new_start + max(0.0, asked - span.old_start) for span in self.difference.shared if span.old_end > asked
        )
        return micros(max(0.0, min(next(later, asked), self.end - self.bar))) / 1e6

    def in_place(self, line: IntArray, times: FloatArray) -> FloatArray:
        """Seconds of bars, which begin at these times, that play where the picture had them; shape of `times`."""
        begins, ends, offset = self.target
        found = np.zeros(times.shape)
        if not begins.size or not times.size:
            return found
        # All that begin after equally many bars begin at about the same time, so that few stretches of picture count.
        first, last = np.searchsorted(begins, [times.min(), times.max() + self.longest_bar], side="right")
        off = self.lines[line] - times
        wanted = offset[max(int(first) - 1, 0) : max(int(last), 1)]
        row = np.flatnonzero((np.abs(off[:, None] - wanted) <= self.bar / 2).any(axis=1))
        if not row.size:
            return found
        lengths, off = self.lengths[line[row]], off[row]
        at = times[row, None] + (np.arange(_POINTS) + 0.5) / _POINTS * lengths[:, None]
        piece = np.maximum(np.searchsorted(begins, at, side="right") - 1, 0)
        off = np.abs(off[:, None] - offset[piece])
        there = (at >= begins[piece]) & (at < ends[piece]) & (off <= self.bar / 2) & (at < self.end)
        earned = np.where(there, 1.0 - _EXACT * off / self.bar, 0.0).sum(axis=1)
        found[row] = earned * lengths / _POINTS
        return found


def _fitted_again(search: _Search) -> LoopPlan | Refusal:
    """A plan that knows nothing of the old one: starts between bar lines, and silence around, are a fit's own.

    A refusal if the track has no fit of the new length either, or only one with a worse seam than was asked for.
    """
    task, floor = search.task, search.floor
    seconds, start_at = task.end, None if task.old.start_at is None else task.asked_start()
    asked = PlanRequest(task.request.constraints, task.request.keep, start_at)
    fit = plan_fit(task.profile, seconds, asked, search.params)
    if isinstance(fit, Refusal):  # a restart cannot be pinned in a plan that follows another
        return replace(fit, sentence=Sentence("Nothing follows the edit. ") + fit.sentence, restart=None)
    if fit.seam_score < floor and len(fit.segments) > 1:
        return refusals.not_filled(
            f"no way through this track with seams over {floor:g} is {seconds:.3f} s long and follows the edit; "
            "fit it again, or allow worse seams"
        )
    return fit.alone


def follow_picture(plan: LoopPlan, old: LoopPlan, difference: EditDifference, half_bar: float) -> list[FollowedStretch]:
    """Which stretches of untouched picture have their music.

    Only picture that had music counts; stretches are in order, cut where either plan has a seam. Music within
    `half_bar` seconds of its old place counts as in place.
    """
    target, now = _target(old, difference), _pieces(plan)
    found = []
    for begin, end, offset in zip(*target, strict=True):
        edges = np.append(now.begins, now.ends[-1])
        cuts = np.concatenate([[begin], edges[(edges > begin) & (edges < end)], [end]])
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            if last - first < _SLIVER:
                continue
            piece = int(np.searchsorted(now.begins, (first + last) / 2, side="right")) - 1
            sounds = piece >= 0 and (first + last) / 2 < now.ends[piece]
            off = float(now.offset[piece] - offset) if sounds else float("nan")
            found.append(FollowedStretch(first, last, off, abs(off) <= half_bar + 1e-6))
    return found


def unsure_seams(
    plan: LoopPlan, old: LoopPlan, profile: LoopProfile, params: CoverParams = CoverParams()
) -> tuple[UnsureSeam, ...]:
    """Seams of a changed plan that score less than a loop takes, and that the old plan did not have.

    In the order of playback, without restarts, which are no splices. A floor in `params` below a loop's default counts
    as that default.
    """
    least = max(params.min_seam_score, CoverParams().min_seam_score)
    known = set(seam_pairs(profile, old))
    scores = np.where(seams_restart(segment_table(plan), profile), 1.0, seam_scores(profile, plan))
    return tuple(
        UnsureSeam(at, float(score))
        for at, pair, score in zip(plan.seam_times, seam_pairs(profile, plan), scores, strict=True)
        if score < least and pair not in known
    )


def kept_seconds(plan: LoopPlan, old: LoopPlan, difference: EditDifference, half_bar: float) -> tuple[float, float]:
    """Seconds of untouched picture whose music stays in place, and seconds of all untouched picture that had music."""
    stretches = follow_picture(plan, old, difference, half_bar)
    return sum(s.seconds for s in stretches if s.kept), sum(s.seconds for s in stretches)


def change_words(plan: LoopPlan, old: LoopPlan, difference: EditDifference, change: EditChange, half_bar: float) -> str:
    """What the music does after a change of the edit, up to the next one, in words.

    Music within `half_bar` seconds of its old place is in place.
    """
    later = [other.at for other in difference.changes if other.at > change.at + 1e-6]
    until = min(later, default=plan.window_end)
    stretches = [s for s in follow_picture(plan, old, difference, half_bar) if change.at - 1e-3 <= s.first < until]
    if not stretches:
        return "plays on to the end" if until == plan.window_end else "plays on"
    in_place = [s for s in stretches if s.kept]
    if not in_place:
        return "not where the picture had it: no good seam leads there"
    seconds, whole = sum(s.seconds for s in in_place), sum(s.seconds for s in stretches)
    off = max(abs(s.off_seconds) for s in in_place)
    words = "the very same samples" if off < _EXACTLY else f"in place within {off:.2f} s"
    if seconds >= whole - 1e-3:
        return words
    if _EXACTLY <= off < _A_HUNDREDTH and whole - seconds < _A_HUNDREDTH:
        return "in place"
    if in_place[0].first > stretches[0].first and all(s.kept for s in stretches[stretches.index(in_place[0]) :]):
        return f"{words} from {in_place[0].first:.2f} s on"
    if whole - seconds < min(_SOON_OVER, whole / 2):
        return f"{words} but for {whole - seconds:.2f} s"
    return f"{words} for {seconds:.0f} of {whole:.0f} s"


def _pieces(plan: LoopPlan) -> _Target:
    """The segments of a plan on the clock of its video."""
    table, starts = segment_table(plan), plan.segment_starts
    return _Target(starts[:-1], starts[1:], table[:, 0] - starts[:-1])


def _target(old: LoopPlan, difference: EditDifference) -> _Target:
    """Where in the new cut untouched picture wants which music."""
    pieces = _pieces(old)
    rows = []
    for span in difference.shared:
        shift = span.new_start - span.old_start
        for begin, end, offset in zip(*pieces, strict=True):
            first, last = max(begin, span.old_start), min(end, span.old_start + span.seconds)
            if last - first > 1e-6:
                rows.append((first + shift, last + shift, offset - shift))
    table = np.array(sorted(rows), dtype=np.float64).reshape(-1, 3)
    return _Target(table[:, 0], table[:, 1], table[:, 2])


def _ring_start(profile: LoopProfile) -> TrackSeconds | None:
    """The bar line from which on only the last hit of the own ending rings; None where it does not ring that long."""
    lufs = profile.bar_lufs
    if profile.ending is None:
        return None
    quiet = lufs <= np.median(lufs) - _RING_DB
    line = lufs.size
    while (
        line > profile.ending.start_bar + 1 and quiet[line - 1] and (line == lufs.size or lufs[line - 1] >= lufs[line])
    ):
        line -= 1
    return float(profile.downbeats[line]) if line < lufs.size else None


class _Ways(NamedTuple):
    """Ways to be at some bar line after equally many bars, one a row; of one line and age there is one at most."""

    line: IntArray  # bar line about to be played
    # bars since the last seam; `PlanFollower.ages` where there are as many or more, and a splice may be taken
    age: IntArray
    earned: FloatArray  # s
    time: FloatArray  # s of the new video at which the bar line falls
    parts: IntArray  # which kept parts have played whole, and which of them this segment has begun; see `_KeptParts`
    parent: IntArray  # row of the layer before
    splice: IntArray  # join that was just taken, `NO_SPLICE` for none

    @classmethod
    def beginning(cls, line: IntArray, age: int, earned: FloatArray, time: FloatArray, parts: IntArray) -> _Ways:
        """The ways of the first layer."""
        none = np.full(line.size, NO_SPLICE, dtype=np.int64)
        return cls(line, np.full(line.size, age, dtype=np.int64), earned, time, parts, np.arange(line.size), none)

    def rows(self, chosen: IntArray) -> _Ways:
        return _Ways._make(column[chosen] for column in self)


class _Ended(NamedTuple):
    """A way that ends."""

    earned: float
    layer: int
    row: int
    kind: EndKind
    rings: bool = False  # whether the ring of the track's last hit is faded


class _KeptParts:
    """The parts of a track that a plan must play whole, as bits: what a way has played of them.

    A part has a bit for *played whole* and one, as many places higher as there are parts, for *begun in this segment*.
    """

    def __init__(self, profile: LoopProfile, request: PlanRequest, music: float) -> None:
        self._count = len(request.keep)
        self.all = (1 << self._count) - 1
        """every part played whole"""
        edges, whole = profile.edges, kept_stretches(profile, request.keep, music)
        # A part that this track does not have never plays.
        self.stretches = np.array([part or (np.nan, np.nan) for part in whole], dtype=np.float64).reshape(-1, 2)
        self._begins, self._ends = (np.zeros(edges.size - 1, dtype=np.int64) for _ in range(2))
        at_start = 0  # begun by the track's own start alone: they begin before its first bar line
        for number, (first, last) in enumerate(self.stretches.tolist()):
            if np.isnan(first):
                continue
            begins = int(np.searchsorted(edges, first + BORDER_SECONDS, side="right")) - 1
            if begins < 0:
                at_start |= 1 << number
            else:
                self._begins[begins] |= 1 << number
            self._ends[int(np.searchsorted(edges, last - BORDER_SECONDS)) - 1] |= 1 << number
        self.at_start = at_start << self._count
        """what the track's own start has begun"""

    def before(self, table: FloatArray) -> int:
        """Parts of the track that segments have played, shape (n, 2), s; the last segment goes on."""
        found = 0
        for number, (first, last) in enumerate(self.stretches.tolist()):
            begun = table[:, 0] <= first + BORDER_SECONDS
            found |= int(np.any(begun & (table[:, 1] >= last - BORDER_SECONDS))) << number
            found |= int(begun[-1]) << (number + self._count)
        return found

    def left(self, parts: IntArray) -> IntArray:
        """The state of the parts after a splice: none is begun."""
        return parts & self.all

    def played(self, parts: IntArray, line: IntArray) -> IntArray:
        """The state of the parts after one more bar, each from its bar line on."""
        begun = (parts >> self._count) | self._begins[line]
        done = begun & self._ends[line]
        return (parts & self.all) | done | ((begun & ~done) << self._count)

    def are_complete(self, parts: IntArray) -> BoolArray:
        """Whether every part has played whole."""
        return np.asarray((parts & self.all) == self.all)

    def last_in(self, table: FloatArray) -> TrackSeconds:
        """Where the last part ends that plays whole in the last of some segments alone; its start where none does.

        `table`, shape (n, 2), has their ranges in s of the track.
        """
        first, last = self.stretches.T
        begun, done = first[:, None] >= table[:, 0] - BORDER_SECONDS, last[:, None] <= table[:, 1] + BORDER_SECONDS
        whole = begun & done
        return float(last[whole[:, -1] & ~whole[:, :-1].any(axis=1)].max(initial=table[-1, 0]))


class _Search:
    """The search for one plan with one set of parameters.

    Seams under the floor are taken down to `least_score`, for the own ending only if they are `for_ending` too.
    """

    def __init__(
        self, task: PlanFollower, floor: float, bars_before: int, least_score: float | None, *, for_ending: bool
    ) -> None:
        self.task, self.bars_before, self.for_ending = task, bars_before, for_ending
        self.params = params = task.params.model_copy(update={"min_seam_score": floor})
        self.floor = params.min_seam_score if least_score is None else min(least_score, params.min_seam_score)
        self.joins = self._joins()
        score = self.joins.score
        # s that each join costs for how audible it is
        self.audible_cost = _SEAM_COST * ((1.0 - score) / max(1.0 - params.min_seam_score, 1e-3))
        lack = params.min_seam_score - score
        lacks = (lack > 0.0) & (least_score is not None)
        # s that each join costs for being under the floor, where it may be
        self.lack_cost = np.where(lacks, _UNDER_FLOOR + _LACK_COST * lack, 0.0)
        # s of music in place that the own ending is worth: not a seam under the floor, unless these are for it
        self.own_ending = _OWN_ENDING if for_ending else _UNDER_FLOOR
        self.old_seams = self._old_seams()
        self.old_segments, self.from_line, self.from_time, self.from_age = self._start()

    def _joins(self) -> PlayableSplices:
        """The splices that may be taken: the old plan's seams as it plays them, and the track's usable ones."""
        task, n = self.task, self.task.n
        # The picture says which bar line is wanted, so a splice one bar beside a better one is no copy of it.
        reaching = with_short_segments(self.params.model_copy(update={"min_seam_score": self.floor}))
        usable = playable_splices(task.profile, reaching, task.constraints)
        own = task.seams
        barred = task.constraints.rules_out(own.leave, own.enter)
        pairs = own.leave * n + own.enter
        own = own.rows(np.array(list({pairs[seam]: seam for seam in np.flatnonzero(~barred)}.values()), dtype=np.int64))
        new = ~np.isin(usable.leave * n + usable.enter, own.leave * n + own.enter)
        return own.with_more(usable.rows(np.flatnonzero(new)))

    def _start(self) -> tuple[int, int, float, int]:
        """Segments of the old plan that stay, and from where the search goes on.

        Returns the number of old segments that begin before the search (0 to choose a new start), the bar line from
        which it goes on, when that falls in seconds of video time, and the bars since the last seam.
        """
        old = self.task.old
        until = self.task.first_edit() - self.bars_before * self.task.bar
        table, starts = segment_table(old), old.segment_starts
        number = int(np.searchsorted(starts[:-1], until + 1e-9, side="right")) - 1
        if until <= 0.0 or number < 0:
            return 0, 0, 0.0, 0
        opens, leaves = nearest_line(self.task.lines, table[:, 0]), nearest_line(self.task.lines, table[:, 1])
        reached = float(table[number, 0] + until - starts[number])
        line = int(np.searchsorted(self.task.lines, reached + GRID_TOLERANCE_SECONDS + 1e-3))
        if number + 1 < table.shape[0] and line > leaves[number]:
            number, line = number + 1, int(opens[number + 1])
        aged = self.task.ages if number == 0 else min(line - int(opens[number]), self.task.ages)
        if line >= self.task.n:  # only the last bar is left
            line, aged = self.task.n - 1, MIN_INNER_BARS
        time = float(starts[number] + self.task.lines[line] - table[number, 0])
        return number + 1, line, time, aged

    def best(self, *, in_ending: bool = False) -> _Ended | None:
        """The best way from the start to the end of the new cut; `in_ending`: a fade may lie in the own ending."""
        numbers = range(1, len(self._layers))
        ended = [one for number in numbers for one in self._endings(number, in_ending=in_ending)]
        return max(ended, key=lambda one: one.earned) if ended else None

    @cached_property
    def _layers(self) -> list[_Ways]:
        """The starts; then the ways after no bar, one bar, and so on, up to the end of the new cut."""
        task = self.task
        most = int(np.ceil((task.end - self.from_time) / float(task.lengths[: task.n - 1].min()))) + 2
        return layers_from(self._first_layer(), self._one_bar_on, most)

    def _one_bar_on(self, ways: _Ways, number: int) -> _Ways:
        """The ways after one more bar, and a splice where one may be taken; at a start at once."""
        if number == 0:
            return self._entering(ways)
        if not np.any(ways.time < self.task.end):
            return ways.rows(np.zeros(0, dtype=np.int64))
        return self._entering(self._played(ways))

    def _first_layer(self) -> _Ways:
        task = self.task
        if self.old_segments:
            table = segment_table(task.old)[: self.old_segments]
            table[-1, 1] = task.lines[self.from_line]
            done = np.array([task.parts.before(table)])
            line, time = np.array([self.from_line]), np.array([self.from_time], dtype=np.float64)
            return _Ways.beginning(line, self.from_age, np.zeros(1), time, done)
        # A new start: the track's own, as the old plan starts, or any downbeat after it.
        begins, song_start = task.asked_start(), task.profile.song_start
        late = 1 + np.flatnonzero(task.lines[1:-1] >= song_start + EARLY_SECONDS)
        if task.ring_from is not None:
            late = late[task.lines[late] < task.ring_from]
        late = late[~task.constraints.plays_excluded(task.lines[late] - EARLY_SECONDS, task.lines[late])]
        times = np.append(begins + float(task.lines[0]) - song_start, np.full(late.size, begins + EARLY_SECONDS))
        earned = np.append(0.0, -_FADE * (1.0 - task.fade_part[late]))
        begun = np.append(task.parts.at_start, np.zeros(late.size, dtype=np.int64))
        return _Ways.beginning(np.append(0, late), 0, earned, times, begun)

    def _entering(self, ways: _Ways) -> _Ways:
        """The ways, and the best that take a splice at the bar lines where they are."""
        task, joins = self.task, self.joins
        pairs = [np.zeros((2, 0), dtype=np.int64)]
        for parts in np.unique(ways.parts[ways.age == task.ages]):
            aged = np.flatnonzero((ways.age == task.ages) & (ways.parts == parts))
            at_line = np.full(task.n, -1)
            at_line[ways.line[aged]] = aged
            found = at_line[joins.leave]
            pairs.append(np.array([found[found >= 0], np.flatnonzero(found >= 0)]))
        before, rows = np.concatenate(pairs, axis=1)
        if not rows.size:
            return ways
        leave, enter = joins.leave[rows], joins.enter[rows]
        leaving = ways.earned[before]
        time = ways.time[before] + joins.song_to[rows] - task.lines[leave]
        starts = time + task.lines[enter] - joins.song_from[rows]
        earned = leaving - _SPLICE_COST - self.audible_cost[rows] - self.lack_cost[rows]
        stays = self._was_there(rows, time)
        earned = np.where(stays, leaving, earned)
        pinned = stays & task.constraints.is_pinned(leave, enter)
        earned = np.where(pinned, leaving + _PINNED, earned)
        whole = task.parts.left(ways.parts[before])
        best = best_of_each((enter, whole), earned, tie=-rows)  # the old plan's joins come first and give way to equals
        age = np.zeros(best.size, dtype=np.int64)
        parent = ways.parent[before[best]]
        others = _Ways(enter[best], age, earned[best], starts[best], whole[best], parent, rows[best])
        return _Ways._make(np.concatenate(pair) for pair in zip(ways, others, strict=True))

    def _old_seams(self) -> list[tuple[VideoSeconds, BoolArray]]:
        """When the new cut shows the picture of a seam of the old plan, and which joins are that seam."""
        begins, ends, offset = self.task.target
        found = []
        for place in np.flatnonzero(np.abs(begins[1:] - ends[:-1]) < 1e-6).tolist():
            left, entered = ends[place] + offset[place], begins[place + 1] + offset[place + 1]
            same = (np.abs(self.joins.song_to - left) < 0.02) & (np.abs(self.joins.song_from - entered) < 0.02)
            if same.any():
                found.append((float(ends[place]), same))
        return found

    def _was_there(self, rows: IntArray, time: FloatArray) -> BoolArray:
        """Whether the old plan took this join at the same picture, so that it costs nothing."""
        stays, near = np.zeros(time.size, dtype=bool), self.task.bar / 2
        first, last = float(time.min()) - near, float(time.max()) + near
        for at, same in self.old_seams:
            if first < at < last:
                stays |= same[rows] & (np.abs(time - at) < near)
        return stays

    def _played(self, ways: _Ways) -> _Ways:
        """The ways after one more bar."""
        task = self.task
        after = ways.time + task.lengths[ways.line]
        goes_on = (ways.line < task.n - 1) & (after <= task.end + task.bar) & ~task.excluded[ways.line]
        before = np.flatnonzero(goes_on)
        line, was, time = ways.line[before], ways.age[before], after[before]
        earned = ways.earned[before] + task.in_place(line, ways.time[before])
        parts = task.parts.played(ways.parts[before], line)
        line = line + 1
        age = np.minimum(was + 1, task.ages)
        rows = best_of_each((line, age, parts), earned, tie=was)
        # A way that may leave now, at the same time and for as much, stands for one that must wait: the former can
        # take every splice that the latter takes later.
        states, number = np.unique(parts, return_inverse=True)
        may_leave = np.full((task.n, states.size), -1)
        now = rows[age[rows] == task.ages]
        may_leave[line[now], number[now]] = now
        other = may_leave[line[rows], number[rows]]
        same = (other >= 0) & (np.abs(time[rows] - time[other]) <= _SAME_TIME) & (earned[rows] <= earned[other])
        rows = rows[(age[rows] == task.ages) | ~same]
        none = np.full(rows.size, NO_SPLICE, dtype=np.int64)
        return _Ways(line[rows], age[rows], earned[rows], time[rows], parts[rows], before[rows], none)

    def _endings(self, number: int, *, in_ending: bool) -> list[_Ended]:
        """The best ways of a layer that end in the bar after it: with the last sound, in a fade, with the last hit."""
        task, ways = self.task, self._layers[number]
        profile, old, end = task.profile, task.old, task.end
        line, age, time = ways.line, ways.age, ways.time
        tail = end - (time + task.lengths[line])
        if not line.size or tail.min() > task.longest_tail:
            return []
        # The last segment is as long as any, but in a cut that has no room for that.
        is_brief = number <= MIN_INNER_BARS and not self.old_segments
        aged = age >= (0 if is_brief else MIN_INNER_BARS)
        to_end = aged & ~task.excluded[line] & task.parts.are_complete(task.parts.played(ways.parts, line))
        found: list[_Ended] = []

        def end_with(rows: IntArray, earned: FloatArray, kind: EndKind, *, rings: bool = False) -> None:
            """Note the best of some ways, of equal ones the one at the earliest bar line."""
            if rows.size:
                best = np.lexsort((age[rows], line[rows], -earned))[0]
                found.append(_Ended(float(earned[best]), number, int(rows[best]), kind, rings))

        own = self._own_ending(0.0).kind
        # A track without a found ending ends with its last sound, in a new cut only where it did in the old one.
        if profile.ending is not None or not old.ends_in_fade:
            for_own = _FADE if old.ends_in_fade else self.own_ending
            rows = np.flatnonzero(to_end & (line == task.n - 1) & (tail >= 0.0) & (tail <= task.longest_tail))
            end_with(rows, ways.earned[rows] + task.in_place(line[rows], time[rows]) + for_own, own)
        reach = task.lines[line] + end - time
        stops = aged & (time <= end + 1e-9) & (reach <= profile.last_sound + 1e-6) & task.parts.are_complete(ways.parts)
        stops &= ~task.constraints.plays_excluded(task.lines[line], reach)
        # The fade comes after the kept parts: a part that ends on the last bar line leaves it too little room.
        is_hard = reach - task.lines[line] < SHORTEST_FADE_SECONDS + BORDER_SECONDS
        stops &= ~is_hard | task.parts.are_complete(self._layers[number - 1].parts[ways.parent])
        fits = stops & (reach - task.lines[line] < task.fade_bars[line] - 1e-3)
        rows = np.flatnonzero(fits & (reach <= latest_stop(profile, in_ending=in_ending) + 1e-6))
        end_with(rows, ways.earned[rows] + _FADE * task.fade_part[line[rows]], EndKind.FADE)
        if task.ring_from is not None and not old.ends_in_fade:
            fits = stops & (reach < task.edges[line + 1]) & (reach >= task.ring_from + _LEAST_RING)
            rows = np.flatnonzero(fits)
            lost = _RING_LOST + profile.last_sound - reach[rows]
            end_with(rows, ways.earned[rows] + self.own_ending - lost, own, rings=True)
        return found

    def assemble(self, ended: _Ended) -> LoopPlan:
        """The plan of a way. A broken rule raises `PlanError`."""
        task, profile, old = self.task, self.task.profile, self.task.old
        route, seams = self._route(ended)
        first, last = spans(route, seams)[-1].tolist()
        fade_in = old.start_fade_seconds if self.old_segments else start_fade(profile, route.song_start)
        # A kept part plays in full before the fade.
        room = min(room_for_fade(route, seams, fade_in), last - task.parts.last_in(spans(route, seams)))
        if ended.rings:
            assert task.ring_from is not None, "a way ends in the ring only where the track has one"
            ending = replace(self._own_ending(0.0), fade_seconds=micros(min(last - task.ring_from, room)) / 1e6)
        elif route.ending.is_own:
            ending = self._own_ending(silence_after(route, seams))
        else:
            ending = self._closing(first, last, task.end - route.music_in, room)
            if not seams.size:  # in less than a bar the closing fade takes it all
                fade_in = min(fade_in, max(0.0, micros(last - first - ending.fade_seconds) / 1e6))
        opens_db = old.segments[0].gain_in_db if self.old_segments else 0.0
        sound = played(route, seams, fade_in, old.gain_glide_seconds, opens_db)
        asked = route.music_in > 0.0 and old.start_at is not None
        window = Window(route.music_in, task.end, route.music_in if asked else None)
        return build_plan(profile, sound, ending, window, self._plan_score(route, seams, ending.tail_seconds))

    def _route(self, ended: _Ended) -> tuple[Route, PlayableSplices]:
        """The route back from an end to the start, and its seams, each where it enters the music."""
        task, old, begin = self.task, self.task.old, self._layers[0]
        start, taken = way_to(self._layers, ended.layer, ended.row)
        line, old_seams = int(begin.line[start]), max(0, self.old_segments - 1)
        seams = task.seams.rows(np.arange(old_seams)).with_more(self.joins.rows(np.array(taken, dtype=np.int64)))
        if self.old_segments:
            song_start, music_in = old.song_start, old.music_in
        else:
            early = float(task.profile.song_start if line == 0 else task.lines[line] - EARLY_SECONDS)
            song_start, music_in = round(max(0.0, early), 6), task.asked_start()
        at, entered = music_in, song_start
        for seam in range(seams.size):
            at = micros(at + float(seams.song_to[seam]) - entered) / 1e6
            if seam >= old_seams:
                seams.song_from[seam] = self._onto_target(at, float(seams.song_from[seam]))
            entered = float(seams.song_from[seam])
        seams = replace(seams, gain_seconds=seams.song_to - seams.song_from)
        last_to = plays_to(song_start, seams.gain_seconds, task.end - music_in) / 1e6
        if ended.kind.is_own and not ended.rings:
            last_to = round(task.profile.last_sound, 6)
        return Route(song_start, np.arange(seams.size), ended.kind, music_in, last_to, task.end), seams

    def _onto_target(self, begins: VideoSeconds, song_from: float) -> float:
        """Where a segment is entered: to the very sample where the picture had it, if that is next to nothing away."""
        piece = int(np.searchsorted(self.task.target.begins, begins + self.task.bar, side="right")) - 1
        if piece < 0:
            return song_from
        moved = begins + float(self.task.target.offset[piece])
        return round(moved, 6) if abs(moved - song_from) <= _SAME_SAMPLE else song_from

    def _closing(self, first: float, last: float, seconds: float, room: float) -> Ending:
        """How it ends without the own ending: as the old plan does where its last segment stays."""
        old, ends = self.task.old, self.task.old.segments[-1]
        same = abs(ends.song_from - first) < _SAME_SAMPLE and abs(ends.song_to - last) < _SAME_SAMPLE
        if same and old.ends_in_fade and old.end_fade_seconds <= room + ROUNDING_SECONDS:
            return old.ending
        rings = last - float(self.task.lines[last_line(self.task.profile, last)]) >= MIN_RING_SECONDS
        kind = EndKind.BUTTON if old.ending.kind is EndKind.BUTTON and rings else EndKind.FADE
        return downbeat_ending(self.task.profile, kind, last, seconds, room, self.params)

    def _own_ending(self, tail: float) -> Ending:
        """The own ending; of a track where none was found, that of the old plan."""
        old = self.task.old.ending
        if self.task.profile.ending is None and old.is_own:
            return replace(old, tail_seconds=tail, fade_seconds=tail)
        return own_ending(self.task.profile, tail)

    def _plan_score(self, route: Route, seams: PlayableSplices, tail: float) -> float:
        profile, lines, table = self.task.profile, self.task.lines, spans(route, seams)
        lengths, twice = table[:, 1] - table[:, 0], repeated_seconds(table)
        if route.ending.is_own and profile.ending is not None:
            ending = own_ending_part(profile.ending.kind, np.asarray(route.music_in), np.asarray(tail))
        else:
            ending = np.asarray(self.task.fade_part[int(nearest_line(lines, table[-1:, 1] - tail)[0])])
        at = lines[:, None] + 0.02
        plays = np.sum((table[:, 0] <= at) & (table[:, 1] > at), axis=1).astype(np.float64)
        scores, phrasing = seams.score, phrasing_part(profile, seams.leave, seams.enter)
        if not seams.size:
            scores = phrasing = np.ones(1)
        score = PlanScore(
            worst=scores.min(),
            mean=scores.mean(),
            seam_power=seam_score_power(PlanKind.LOOP if twice >= CONTINUES_SECONDS else PlanKind.CUT_DOWN),
            ending=ending,
            freshness=np.asarray(1.0 - twice / max(float(lengths.sum()), 1e-3)),
            phrasing=phrasing.mean(),
            coverage=coverage_part(np.maximum(plays, 1e-6), self.task.lengths),
            segment_seconds=np.asarray(lengths.size / np.sum(1.0 / lengths)),
            lost=np.zeros(()),
        )
        return float(score.total(self.params))
