"""Change a plan for another cut of its video: the music stays where its picture stays, as far as good seams allow.

Where the picture was not touched, every second of it had its second of the track; that is what the new plan is asked to
play there again, within half a bar. Before the first edit it plays the very same segments. From two bars before it on
the way through the track is searched anew: dynamic programming over bar lines, one layer for each bar played (Wenner et
al. 2013 search beat by beat). A state is a bar line about to be played and how many bars ago the last seam was; of all
ways to arrive there after equally many bars the best is carried on. A way earns each second of untouched picture that
has its music, and pays for each splice that the old plan did not take.

An edit moves the picture by any time, and a splice moves the music by whole bars; a good one mostly by whole phrases.
So music that the edit moved by half a phrase cannot be put back in place by a seam that nobody hears: the floor of seam
scores (`CoverParams.min_seam_score`) decides how much is kept, and lowering it keeps more.

The track's own ending needs the one number of bars that leaves it the end of the new cut. Where its last hit rings for
bars, each bar of the ring is another such number: the ring is then faded at the end of the cut. Where no seams over the
floor lead to either, the best under it do, down to `ending_floor`; where those do not, the music fades.

Functions: `conform_plan`; `follow_picture` and `kept_seconds`, which of the untouched picture has its music;
`unsure_seams`; `change_words`. Class: `PlanFollower`, where several plans are made of one edit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple

import numpy as np

from workbench.edits.difference import EditChange, EditDifference
from workbench.errors import FitError, PlanError
from workbench.loops.assembly import (
    OWN_ENDINGS,
    PlayedEnds,
    PlayedSegments,
    assemble_segments,
    end_slack,
    kind_of,
    micros,
    seam_gains,
)
from workbench.loops.constraints import NO_CONSTRAINTS, SeamConstraints, on_lines
from workbench.loops.cutdown import (
    EARLY_SECONDS,
    MIN_INNER_BARS,
    MIN_RING_SECONDS,
    CutEnding,
    downbeat_ending,
    with_short_segments,
)
from workbench.loops.fit import FitRequest, plan_fit
from workbench.loops.moves import seam_lines, seam_scores
from workbench.loops.plan import (
    GRID_TOLERANCE_SECONDS,
    LoopPlan,
    PlanKind,
    heard_twice,
    nearest_line,
    segment_table,
)
from workbench.loops.profile import LoopProfile
from workbench.loops.splices import playable_splices, start_fade
from workbench.loops.worth import (
    Worth,
    coverage_part,
    economy_part,
    fade_part,
    hearings_of,
    own_ending_part,
    phrasing_part,
    seams_part,
)
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds, VideoSeconds

ENDING_FLOOR = 0.2
"""score under which no seam is taken for the track's own ending either; `CoverParams.min_seam_score` may be less"""
_BARS_BEFORE = 2
"""bars before the first edit from which on the music may differ"""
_POINTS = 4  # places of a bar at which the search asks whether the music is in place
_SPLICE_COST = 3.0  # s of music in place that a new seam of score 1 must buy
_HEARD_COST = 17.0  # and what one at the floor must buy on top: who lowers the floor takes worse seams for more music
_EXACT = 0.02  # share that a second loses that is half a bar off: the same sample is preferred
_OWN_ENDING = 1e4  # s; the own ending of the old plan is kept wherever a way leads there
_UNDER_FLOOR = 100.0  # s of music in place that a seam under the floor costs, which only the own ending is worth,
_LACK_COST = 1e3  # and what a whole unit of score under it costs on top: the best such seams are taken
_LEAST_RING = 1.0  # s of the ring after the last hit's bar that are heard at least
_RING_LOST = 1e3  # s of music in place for which the ring of the own ending is cut short
_RING_DB = 10.0  # LU under the median bar of bars in which only the last hit rings
_PINNED = 1e3  # s; a pinned seam stays where its picture stays
_FADE = 10.0  # s that the best place to fade is worth
_SAME_TIME = 5e-3  # s by which two ways to a bar line may differ for the better one to stand for both
_SAME_SAMPLE = 1e-3  # s; music this near to its old place is moved onto it
_EXACTLY = 5e-4  # s; music this near to its old place counts as the same samples
_MARGIN = 2e-6
_SLIVER = 1e-5  # s; what rounding leaves between two segments


class FollowedStretch(NamedTuple):
    """A stretch of untouched picture and how far its music is from where it was."""

    first: VideoSeconds
    """s of the new cut"""
    last: VideoSeconds
    off_seconds: float
    """s by which the music is further in the track than the picture had it; NaN where there is none"""
    kept: bool
    """whether that is half a bar at most"""

    @property
    def seconds(self) -> float:
        """How long it lasts, s."""
        return self.last - self.first


class UnsureSeam(NamedTuple):
    """A seam that is less sure than those of a loop."""

    at: VideoSeconds
    """s of the new cut"""
    score: float


class _End(Enum):
    """How a way ends."""

    OWN = auto()
    """with the track's last sound"""
    RING = auto()
    """with its last hit, whose ring is faded"""
    FADE = auto()


class _Joins(NamedTuple):
    """Splices that may be taken, one a row; those of the old plan as it plays them."""

    leave: IntArray
    enter: IntArray
    song_to: FloatArray
    song_from: FloatArray
    fade: FloatArray
    exponent: FloatArray
    gain_in: FloatArray
    score: FloatArray


class _Target(NamedTuple):
    """Which second of the track untouched picture had, in pieces of the new video."""

    begins: FloatArray
    """shape (n,), s of the new video, ascending"""
    ends: FloatArray
    offset: FloatArray
    """s of the track less s of the new video"""


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """The splices that a way takes after its start, and how it ends."""

    first: TrackSeconds
    """where a way starts that keeps no segment of the old plan"""
    taken: tuple[int, ...]
    """rows of the joins"""
    end: _End

    @property
    def own_ending(self) -> bool:
        """Whether it ends as the track does."""
        return self.end is not _End.FADE


def conform_plan(
    profile: LoopProfile,
    plan: LoopPlan,
    difference: EditDifference,
    params: CoverParams = CoverParams(),
    constraints: SeamConstraints = NO_CONSTRAINTS,
    *,
    of_fit: bool | None = None,
    ending_floor: float | None = ENDING_FLOOR,
) -> LoopPlan:
    """Change a plan for another cut of its video.

    Parameters
    ----------
    profile : of the plan's track
    plan : for the old cut, with or without options
    difference : of the two cuts; its `old_seconds` are the plan's length
    params : the floor of seam scores, gains and closing fades
    constraints : that the plan was made with; a pinned seam stays where its picture stays
    of_fit : whether the plan is in the shape of a fit, whose `end_label` names an own ending as such; None: told by its
        kind and its label, which a loop that fades leaves open
    ending_floor : score down to which seams are taken that lead to the track's own ending, where the old plan has it
        and no seams over the floor lead there; None: the music fades there

    Returns
    -------
    LoopPlan : exactly as long as the new cut, its options holding itself alone; of the kind that its segments make it.
        Where nothing differs, the same plan. Where no way leads on from the first edit, the music differs before it
        too; where there is none at all, it is the fit of the new length, to the millisecond

    Raises
    ------
    PlanError : the plan is not of this track's grid, or the track cannot fill the new length
    ConstraintError : the constraints make no sense on this track
    """
    return PlanFollower(profile, plan, difference, params, constraints, of_fit=of_fit).plan(ending_floor)


class PlanFollower:
    """A plan and a new cut of its video, from which several plans are made: what two of them share is searched once.

    Parameters
    ----------
    profile, plan, difference, params, constraints, of_fit : as for `conform_plan`
    """

    def __init__(
        self,
        profile: LoopProfile,
        plan: LoopPlan,
        difference: EditDifference,
        params: CoverParams,
        constraints: SeamConstraints,
        *,
        of_fit: bool | None,
    ) -> None:
        self._profile, self._old, self._difference = profile, plan.alone, difference
        self._params, self._constraints = params, constraints
        self._of_fit = self._old.kind is not PlanKind.LOOP or ":" in self._old.end_label if of_fit is None else of_fit
        self._found: dict[tuple[float, float | None], tuple[_Search, _Way | None]] = {}

    def plan(self, ending_floor: float | None = ENDING_FLOOR, min_seam_score: float | None = None) -> LoopPlan:
        """The plan for the new cut.

        Parameters
        ----------
        ending_floor : as for `conform_plan`
        min_seam_score : the floor of seam scores, 0 to 1; None: that of the parameters

        Raises
        ------
        PlanError, ConstraintError : as from `conform_plan`
        """
        old, difference = self._old, self._difference
        same_length = abs(difference.new_seconds - old.window_end) <= difference.frame_seconds + 1e-6
        if not difference.changes and same_length:
            return replace(old, options=(old,))
        if same_length and all(abs(span.new_start - span.old_start) < 1e-6 for span in difference.kept):
            return replace(old, options=(old,))  # only shots of the same length: every second has its music already
        if self._profile.downbeats.size < 3:
            raise PlanError("the track has no bars to cut on, so its music cannot follow an edit; fit it anew")
        floor = self._params.min_seam_score if min_seam_score is None else min_seam_score
        search, way = self._best(floor, None)
        if ending_floor is not None and not old.ends_in_fade and not (way is not None and way.own_ending):
            lowered, ending = self._best(floor, ending_floor)
            if ending is not None and ending.own_ending:
                search, way = lowered, ending
        while way is None and search.kept_segments:
            # From where the edit begins nothing leads to the end: then music further before it must change too.
            search = self._search(floor, bars_before=2 * search.bars_before)
            way = search.best() or search.best(in_ending=True)
        made = _fitted_anew(search, self._constraints) if way is None else search.assemble(way)
        if not has_shape_of_loop(made, of_fit=self._of_fit):
            made = _in_words_of_a_fit(made)
        return replace(made, options=(made,))

    def _best(self, floor: float, ending_floor: float | None) -> tuple[_Search, _Way | None]:
        """The best way with seams over a floor, or to the own ending with seams over another; searched once."""
        key = floor, ending_floor
        if key not in self._found:
            search = self._search(floor, least_score=ending_floor)
            way = search.best()
            if way is None and ending_floor is None:
                way = search.best(in_ending=True)
            self._found[key] = search, way
        return self._found[key]

    def _search(self, floor: float, bars_before: int = _BARS_BEFORE, least_score: float | None = None) -> _Search:
        params = self._params.model_copy(update={"min_seam_score": floor})
        return _Search(self._profile, self._old, self._difference, params, self._constraints, bars_before, least_score)


def has_shape_of_loop(plan: LoopPlan, *, of_fit: bool) -> bool:
    """Whether a changed plan is told in the shape of a loop, which has no other kind and no start.

    Parameters
    ----------
    plan : changed
    of_fit : whether the plan that was changed is in the shape of a fit
    """
    return not of_fit and plan.kind is PlanKind.LOOP and plan.start_at is None


def _in_words_of_a_fit(plan: LoopPlan) -> LoopPlan:
    """The plan, its own ending named as such."""
    own = CutEnding.OWN.value
    if plan.ends_in_fade or plan.end_label.startswith((own, "fade", CutEnding.BUTTON.value)):
        return plan
    return replace(plan, end_label=f"{own}: {plan.end_label}")


def _fitted_anew(search: _Search, constraints: SeamConstraints) -> LoopPlan:
    """A plan that knows nothing of the old one: starts between bar lines, and silence around, are a fit's own.

    Raises
    ------
    PlanError : the track has no fit of the new length either, or only one with a worse seam than was asked for
    """
    seconds, floor = search.end, search.params.min_seam_score
    start_at = None if search.old.start_at is None else search.asked_start()
    try:
        fit = plan_fit(search.profile, FitRequest(seconds, start_at=start_at, constraints=constraints), search.params)
    except FitError as error:
        raise PlanError(f"nothing follows the edit: {error}") from error
    if fit.seam_score < floor and len(fit.segments) > 1:
        raise PlanError(
            f"no way through this track with seams over {floor:g} is {seconds:.3f} s long and follows the edit; "
            "fit it anew, or allow worse seams (--min-seam-score)"
        )
    return fit.alone


def follow_picture(plan: LoopPlan, old: LoopPlan, difference: EditDifference, half_bar: float) -> list[FollowedStretch]:
    """Which stretches of untouched picture have their music.

    Parameters
    ----------
    plan : for the new cut
    old : for the old cut
    difference : of the two cuts
    half_bar : s; music that lies no further from its old place counts as kept

    Returns
    -------
    the stretches of untouched picture that had music, in order, cut where either plan has a seam
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

    Parameters
    ----------
    plan : for the new cut
    old : for the old cut
    profile : of the track
    params : with the floor of seam scores; a floor under that of a loop by default counts as that

    Returns
    -------
    in the order in which they are heard
    """
    least = max(params.min_seam_score, CoverParams().min_seam_score)
    known = set(seam_lines(profile, old))
    return tuple(
        UnsureSeam(at, float(score))
        for at, pair, score in zip(plan.seam_times, seam_lines(profile, plan), seam_scores(profile, plan), strict=True)
        if score < least and pair not in known
    )


def kept_seconds(plan: LoopPlan, old: LoopPlan, difference: EditDifference, half_bar: float) -> tuple[float, float]:
    """How much of the untouched picture has its music.

    Parameters
    ----------
    plan, old, difference, half_bar : as for `follow_picture`

    Returns
    -------
    kept, untouched : s of untouched picture whose music is kept, and s of all that had music
    """
    stretches = follow_picture(plan, old, difference, half_bar)
    return sum(s.seconds for s in stretches if s.kept), sum(s.seconds for s in stretches)


def change_words(plan: LoopPlan, old: LoopPlan, difference: EditDifference, change: EditChange, half_bar: float) -> str:
    """What the music does after a change of the edit, up to the next one, in words.

    Parameters
    ----------
    plan, old : for the new and the old cut
    difference : of the two cuts
    change : one of its changes
    half_bar : s; music that lies no further from its old place is in place
    """
    later = [other.at for other in difference.changes if other.at > change.at + 1e-6]
    until = min(later, default=plan.window_end)
    stretches = [s for s in follow_picture(plan, old, difference, half_bar) if change.at - 1e-3 <= s.first < until]
    if not stretches:
        return "plays on to the end" if until == plan.window_end else "plays on"
    kept = [s for s in stretches if s.kept]
    if not kept:
        return "not where the picture had it: no good seam leads there"
    seconds, whole = sum(s.seconds for s in kept), sum(s.seconds for s in stretches)
    off = max(abs(s.off_seconds) for s in kept)
    words = "the very same samples" if off < _EXACTLY else f"in place within {off:.2f} s"
    if seconds >= whole - 1e-3:
        return words
    if kept[0].first > stretches[0].first and all(s.kept for s in stretches[stretches.index(kept[0]) :]):
        return f"{words} from {kept[0].first:.2f} s on"
    return f"{words} for {seconds:.0f} of {whole:.0f} s"


def _pieces(plan: LoopPlan) -> _Target:
    """The segments of a plan on the clock of its video."""
    table, starts = segment_table(plan), plan.segment_starts
    return _Target(starts[:-1], starts[1:], table[:, 0] - starts[:-1])


def _target(old: LoopPlan, difference: EditDifference) -> _Target:
    """Where in the new cut untouched picture wants which music."""
    pieces = _pieces(old)
    rows = []
    for span in difference.kept:
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


class _Layer(NamedTuple):
    """The ways to be at a bar line after some number of bars, all arrays of shape (n_lines + 1, n_ages)."""

    worth: FloatArray
    """s; -inf where there is no way"""
    time: FloatArray
    """s of the new video at which the bar line falls"""
    splice: IntArray
    """join taken into this bar line in this layer, -1 for none"""
    age: IntArray
    """the age, in the layer before, of the state that was played on from, or that took the splice in this layer"""


class _Search:
    """The search for one plan, one difference and one set of parameters."""

    def __init__(
        self,
        profile: LoopProfile,
        old: LoopPlan,
        difference: EditDifference,
        params: CoverParams,
        constraints: SeamConstraints,
        bars_before: int = _BARS_BEFORE,
        least_score: float | None = None,
    ) -> None:
        self.bars_before = bars_before
        self.lowered = least_score is not None
        self.floor = params.min_seam_score if least_score is None else min(least_score, params.min_seam_score)
        self.profile, self.old, self.difference, self.params = profile, old, difference, params
        self.constraints = on_lines(profile, constraints)
        self.lines = np.asarray(profile.downbeats, dtype=np.float64)
        self.n = self.lines.size
        last = max(profile.last_sound, float(self.lines[-1]) + 1e-3)
        self.edges = np.append(self.lines, last)
        self.lengths = np.diff(self.edges)
        self.longest_bar = float(self.lengths.max())
        self.bar = float(np.median(np.diff(self.lines)))
        self.end: VideoSeconds = micros(self.difference.new_seconds) / 1e6
        self.target = _target(old, self.difference)
        self.fade_worth = fade_part(profile)
        self.longest_tail = end_slack(profile)[0]
        self.ring_from = _ring_start(profile)
        glide = old.gain_glide_seconds
        shortest = float(np.diff(self.lines).min())
        self.ages = max(MIN_INNER_BARS, int(np.ceil((glide + 0.5) / shortest))) + 1
        """bars that a segment lasts at least, and one; older counts as this old"""
        self.joins = self._joins()
        self.old_seams = self._old_seams()
        self.kept_segments, self.from_line, self.from_time, self.from_age = self._start()

    def _joins(self) -> _Joins:
        """The track's usable splices, with the old plan's seams as it plays them, the fades somebody set included."""
        old, splices = self.old, self.profile.splices
        # The picture says which bar line is wanted, so a splice one bar beside a better one is no copy of it.
        reaching = with_short_segments(self.params.model_copy(update={"min_seam_score": self.floor}))
        usable = playable_splices(self.profile, reaching, self.constraints)
        table = segment_table(old)
        left, entered = nearest_line(self.lines, table[:-1, 1]), nearest_line(self.lines, table[1:, 0])
        rows: dict[tuple[int, int], tuple[float, ...]] = {}
        barred = np.zeros(left.size, bool) if self.constraints is None else self.constraints.rules_out(left, entered)
        for seam in np.flatnonzero(~barred).tolist():
            pair = int(left[seam]), int(entered[seam])
            known = np.flatnonzero((splices.leave == pair[0]) & (splices.enter == pair[1]))
            score = float(splices.score[known[0]]) if known.size else old.seam_score
            gain = old.segments[seam + 1].gain_in_db
            rows[pair] = (table[seam, 1], table[seam + 1, 0], old.seam_fades[seam], old.seam_curves[seam], gain, score)
        pairs = np.array(list(rows), dtype=np.int64).reshape(-1, 2)
        columns = np.array(list(rows.values()), dtype=np.float64).reshape(-1, 6).T
        new = ~np.isin(usable.leave * self.n + usable.enter, pairs[:, 0] * self.n + pairs[:, 1])
        gains, exponent = seam_gains(usable.level_step_db, self.params), np.round(usable.exponent, 4)
        values = (usable.song_to, usable.song_from, usable.fade, exponent, gains, usable.score)
        return _Joins(
            np.append(pairs[:, 0], usable.leave[new]),
            np.append(pairs[:, 1], usable.enter[new]),
            *(np.append(own, column[new]) for own, column in zip(columns, values, strict=True)),
        )

    def _first_edit(self) -> VideoSeconds:
        """Up to when both cuts are the same from their start."""
        spans = self.difference.kept
        if not spans or spans[0].new_start > 1e-6 or spans[0].old_start > 1e-6:
            return 0.0
        return spans[0].seconds

    def _start(self) -> tuple[int, int, float, int]:
        """Segments of the old plan that are kept, and from where the search goes on.

        Returns
        -------
        segments : how many of the old segments begin before the search; 0 to choose the start anew
        line, time : the bar line from which the search goes on, and when it falls
        age : bars since the last seam
        """
        old = self.old
        until = self._first_edit() - self.bars_before * self.bar
        table, starts = segment_table(old), old.segment_starts
        number = int(np.searchsorted(starts[:-1], until + 1e-9, side="right")) - 1
        if until <= 0.0 or number < 0:
            return 0, 0, 0.0, 0
        opens, leaves = nearest_line(self.lines, table[:, 0]), nearest_line(self.lines, table[:, 1])
        reached = float(table[number, 0] + until - starts[number])
        line = int(np.searchsorted(self.lines, reached + GRID_TOLERANCE_SECONDS + 1e-3))
        if number + 1 < table.shape[0] and line > leaves[number]:
            number, line = number + 1, int(opens[number + 1])
        aged = self.ages if number == 0 else min(line - int(opens[number]), self.ages)
        if line >= self.n:  # only the last bar is left
            line, aged = self.n - 1, MIN_INNER_BARS
        time = float(starts[number] + self.lines[line] - table[number, 0])
        return number + 1, line, time, aged

    def asked_start(self) -> VideoSeconds:
        """Where music that starts anew begins: as the old plan did, or on the picture that it was asked to start on."""
        asked = self.old.start_at
        if asked is None:
            return self.old.music_in
        later = (
            span.new_start + max(0.0, asked - span.old_start) for span in self.difference.kept if span.old_end > asked
        )
        return micros(max(0.0, min(next(later, asked), self.end - self.bar))) / 1e6

    def best(self, *, in_ending: bool = False) -> _Way | None:
        """The best way from the start to the end of the new cut; `in_ending`: a fade may lie in the own ending."""
        layers = [self._entering(self._first_layer())]
        ways: list[tuple[float, int, int, int, _End]] = []
        most = int(np.ceil((self.end - self.from_time) / float(self.lengths[: self.n - 1].min()))) + 2
        for number in range(most):
            layer = layers[-1]
            ways += self._endings(layer, number, in_ending=in_ending)
            if not np.any(np.isfinite(layer.worth) & (layer.time < self.end)):
                break
            layers.append(self._entering(self._played(layer)))
        if not ways:
            return None
        _, number, line, age, end = max(ways, key=lambda way: way[0])
        return self._way(layers, number, line, age, end)

    def _first_layer(self) -> _Layer:
        layer = self._empty()
        if self.kept_segments:
            layer.worth[self.from_line, self.from_age] = 0.0
            layer.time[self.from_line, self.from_age] = self.from_time
            return layer
        # A new start: the track's own, as the old plan starts, or any downbeat.
        begins = self.asked_start()
        late = np.flatnonzero(self.lines[:-1] >= self.profile.song_start + EARLY_SECONDS)
        if self.ring_from is not None:
            late = late[self.lines[late] < self.ring_from]
        layer.time[late, 0] = begins + EARLY_SECONDS
        layer.worth[late, 0] = -_FADE * (1.0 - self.fade_worth[late])
        layer.time[0, 0] = begins + float(self.lines[0]) - self.profile.song_start
        layer.worth[0, 0] = 0.0
        return layer

    def _empty(self) -> _Layer:
        shape = (self.n + 1, self.ages + 1)
        none = np.full(shape, -1, dtype=np.int64)
        return _Layer(np.full(shape, -np.inf), np.zeros(shape), none, none.copy())

    def _entering(self, layer: _Layer) -> _Layer:
        """The layer with the splices that can be taken at its bar lines."""
        joins = self.joins
        rows = np.flatnonzero(np.isfinite(layer.worth[joins.leave, self.ages]))
        if not rows.size:
            return layer
        leave, enter, score = joins.leave[rows], joins.enter[rows], joins.score[rows]
        leaving = layer.worth[leave, self.ages]
        time = layer.time[leave, self.ages] + joins.song_to[rows] - self.lines[leave]
        starts = time + self.lines[enter] - joins.song_from[rows]
        heard = (1.0 - score) / max(1.0 - self.params.min_seam_score, 1e-3)
        worth = leaving - _SPLICE_COST - _HEARD_COST * heard
        if self.lowered:
            lack = self.params.min_seam_score - score
            worth = worth - np.where(lack > 0.0, _UNDER_FLOOR + _LACK_COST * lack, 0.0)
        stays = self._was_there(rows, time)
        worth = np.where(stays, leaving, worth)
        if self.constraints is not None:
            pinned = stays & self.constraints.is_pinned(leave, enter)
            worth = np.where(pinned, leaving + _PINNED, worth)
        order = np.argsort(worth, kind="stable")
        into = enter[order]
        layer.worth[into, 0] = worth[order]  # of several into one line the last, the best, stays
        layer.time[into, 0] = starts[order]
        layer.splice[into, 0] = rows[order]
        layer.age[into, 0] = self.ages
        return layer

    def _old_seams(self) -> list[tuple[VideoSeconds, BoolArray]]:
        """When the new cut shows the picture of a seam of the old plan, and which joins are that seam."""
        begins, ends, offset = self.target
        found = []
        for place in np.flatnonzero(np.abs(begins[1:] - ends[:-1]) < 1e-6).tolist():
            left, entered = ends[place] + offset[place], begins[place + 1] + offset[place + 1]
            same = (np.abs(self.joins.song_to - left) < 0.02) & (np.abs(self.joins.song_from - entered) < 0.02)
            if same.any():
                found.append((float(ends[place]), same))
        return found

    def _was_there(self, rows: IntArray, time: FloatArray) -> BoolArray:
        """Whether the old plan took a join where the picture of that time was, so that it costs nothing."""
        stays = np.zeros(time.size, dtype=bool)
        for at, same in self.old_seams:
            stays |= same[rows] & (np.abs(time - at) < self.bar / 2)
        return stays

    def _played(self, layer: _Layer) -> _Layer:
        """The layer after one more bar."""
        after = self._empty()
        line, age = np.nonzero(np.isfinite(layer.worth[: self.n]))
        if not line.size:
            return after
        some, next_ones = slice(line[0], line[-1] + 1), slice(line[0] + 1, line[-1] + 2)
        worth = layer.worth[some].copy()
        worth[line - line[0], age] += self._in_place(line, layer.time[line, age])
        times = layer.time[some] + self.lengths[some, None]
        worth[times > self.end + self.bar] = -np.inf
        older = worth[:, -1] > worth[:, -2]
        new_worth, new_time, new_age = after.worth[next_ones], after.time[next_ones], after.age[next_ones]
        new_worth[:, 1:], new_time[:, 1:], new_age[:, 1:] = worth[:, :-1], times[:, :-1], np.arange(self.ages)
        new_worth[older, -1], new_time[older, -1], new_age[older, -1] = worth[older, -1], times[older, -1], self.ages
        # Whoever may leave as soon as another, or sooner, at the same time, and is worth as much, stands for it too.
        same = np.abs(new_time[:, :-1] - new_time[:, -1:]) <= _SAME_TIME
        new_worth[:, :-1][same & (new_worth[:, :-1] <= new_worth[:, -1:])] = -np.inf
        return after

    def _in_place(self, line: IntArray, times: FloatArray) -> FloatArray:
        """Seconds of bars, which begin at these times, that are heard where the picture had them; shape of `times`."""
        begins, ends, offset = self.target
        found = np.zeros(times.shape)
        if not begins.size or not times.size:
            return found
        # All that begin after equally many bars begin at about the same time, so that few stretches of picture count.
        first, last = np.searchsorted(begins, [times.min(), times.max() + self.longest_bar], side="right")
        off = self.lines[line] - times
        wanted = offset[max(int(first) - 1, 0) : max(int(last), 1)]
        row = np.flatnonzero((np.abs(off[:, None] - wanted) <= self.bar / 2).any(axis=1))
        lengths, off = self.lengths[line[row]], off[row]
        at = times[row, None] + (np.arange(_POINTS) + 0.5) / _POINTS * lengths[:, None]
        piece = np.maximum(np.searchsorted(begins, at, side="right") - 1, 0)
        off = np.abs(off[:, None] - offset[piece])
        there = (at >= begins[piece]) & (at < ends[piece]) & (off <= self.bar / 2) & (at < self.end)
        worth = np.where(there, 1.0 - _EXACT * off / self.bar, 0.0).sum(axis=1)
        found[row] = worth * lengths / _POINTS
        return found

    def _endings(self, layer: _Layer, number: int, *, in_ending: bool) -> list[tuple[float, int, int, int, _End]]:
        """Ways that end in the next bar: with the track's last sound or last hit, or in a fade."""
        found: list[tuple[float, int, int, int, _End]] = []
        last, longest_tail = self.n - 1, self.longest_tail
        if layer.time.max() + self.longest_bar < self.end - longest_tail:
            return found
        is_way = np.isfinite(layer.worth[: self.n])
        reached = np.where(is_way, layer.time[: self.n] + self.lengths[:, None], -np.inf)
        if reached.max() < self.end - longest_tail:
            return found
        # The last segment is as long as any, but in a cut that has no room for that.
        aged = np.arange(self.ages + 1) >= (0 if number < MIN_INNER_BARS and not self.kept_segments else MIN_INNER_BARS)
        own_worth = _FADE if self.old.ends_in_fade else _OWN_ENDING
        # A track without a found ending ends with its last sound, in a new cut only where it did in the old one.
        if self.profile.ending is not None or not self.old.ends_in_fade:
            tail = self.end - (layer.time[last] + self.lengths[last])
            fits = is_way[last] & (tail >= 0.0) & (tail <= longest_tail) & aged
            for age in np.flatnonzero(fits).tolist():
                kept = float(self._in_place(np.array([last]), layer.time[last : last + 1, age])[0])
                found.append((float(layer.worth[last, age]) + kept + own_worth, number, last, age, _End.OWN))
        ending = self.profile.ending
        to_end = ending is None or in_ending
        latest = float(self.edges[-1 if to_end or ending is None else ending.start_bar + 1])
        latest = min(latest, self.profile.last_sound)
        reach = self.lines[:, None] + self.end - layer.time[: self.n]
        bars = np.minimum(self.lengths, np.append(np.diff(self.lines), self.lines[-1] - self.lines[-2]))
        stops = is_way & (layer.time[: self.n] <= self.end + 1e-9) & aged & (reach <= self.profile.last_sound + 1e-6)
        fits = stops & (reach - self.lines[:, None] < bars[:, None] - 1e-3) & (reach <= latest + 1e-6)
        worth = layer.worth[: self.n] + _FADE * self.fade_worth[:, None]
        for line, age in np.argwhere(fits).tolist():
            found.append((float(worth[line, age]), number, line, age, _End.FADE))
        if self.ring_from is not None and not self.old.ends_in_fade:
            stops &= (reach < self.edges[1:, None]) & (reach >= self.ring_from + _LEAST_RING)
            for line, age in np.argwhere(stops).tolist():
                lost = _RING_LOST + self.profile.last_sound - float(reach[line, age])
                found.append((float(layer.worth[line, age]) + _OWN_ENDING - lost, number, line, age, _End.RING))
        return found

    def _way(self, layers: list[_Layer], number: int, line: int, age: int, end: _End) -> _Way:
        taken: list[int] = []
        while True:
            layer = layers[number]
            splice = int(layer.splice[line, age])
            if age == 0 and splice >= 0:
                taken.append(splice)
                line, age = int(self.joins.leave[splice]), int(layer.age[line, age])
            if number == 0:
                break
            line, age, number = line - 1, int(layers[number].age[line, age]), number - 1
        first = float(self.profile.song_start if line == 0 else self.lines[line] - EARLY_SECONDS)
        return _Way(round(max(0.0, first), 6), tuple(taken[::-1]), end)

    def assemble(self, way: _Way) -> LoopPlan:
        """The plan of a way.

        Raises
        ------
        PlanError : the plan breaks a rule
        """
        profile, old, joins = self.profile, self.old, self.joins
        taken = np.array(way.taken, dtype=np.int64)
        before = self.kept_segments
        own_start = bool(before) or way.first == round(profile.song_start, 6)
        if before:
            music_in, fade_in = old.music_in, old.start_fade_seconds
            spans = [[s.song_from, s.song_to] for s in old.segments[:before]]
            gains = [s.gain_in_db for s in old.segments[:before]]
            fades, curves = list(old.seam_fades[: before - 1]), list(old.seam_curves[: before - 1])
        else:
            music_in = self.asked_start()
            fade_in = start_fade(profile) if own_start else EARLY_SECONDS
            spans, gains, fades, curves = [[way.first, 0.0]], [0.0], [], []
        for join in taken.tolist():
            spans[-1][1] = float(joins.song_to[join])
            spans.append([self._onto_target(spans, music_in, float(joins.song_from[join])), 0.0])
            gains.append(float(joins.gain_in[join]))
            fades.append(float(joins.fade[join]))
            curves.append(float(joins.exponent[join]))
        played = sum(micros(last) - micros(first) for first, last in spans[:-1])
        begins = (micros(music_in) + played) / 1e6
        end = self.end
        if way.end is _End.OWN:
            spans[-1][1] = round(profile.last_sound, 6)
            music_end = (micros(begins) + micros(spans[-1][1]) - micros(spans[-1][0])) / 1e6
            tail = end_fade = micros(end - music_end) / 1e6
            label = self._own_label()
        else:
            spans[-1][1] = (micros(spans[-1][0]) + micros(end) - micros(begins)) / 1e6
            room = spans[-1][1] - spans[-1][0] - (fades[-1] / 2 if fades else fade_in) - _MARGIN
        if way.end is _End.RING:
            assert self.ring_from is not None, "a way ends in the ring only where the track has one"
            tail, end_fade = 0.0, micros(min(spans[-1][1] - self.ring_from, room)) / 1e6
            label = f"{self._own_label()}, its ring faded over {end_fade:.1f} s"
        elif way.end is _End.FADE:
            tail, end_fade, label = self._closing(spans[-1], end - music_in, room)
            if not fades:  # in less than a bar the closing fade takes it all
                fade_in = min(fade_in, max(0.0, micros(spans[-1][1] - spans[-1][0] - end_fade) / 1e6))
        table = np.array(spans)
        scores = np.array([self._score(table, seam) for seam in range(table.shape[0] - 1)])
        return assemble_segments(
            profile,
            PlayedSegments(table, np.array(fades), np.array(curves), np.array(gains), scores),
            PlayedEnds(fade_in, tail, end_fade, label, way.own_ending),
            music_in,
            end,
            plan_score=self._plan_score(table, scores, way.own_ending, music_in, tail),
            glide_seconds=old.gain_glide_seconds,
            # A fade starts with the picture, unless it was asked to start later: here by the plan that is followed.
            start_at=music_in if music_in > 0.0 and (old.start_at is not None or not way.own_ending) else None,
        )

    def _onto_target(self, spans: list[list[float]], music_in: float, song_from: float) -> float:
        """Where a segment is entered: to the very sample where the picture had it, if that is next to nothing away."""
        begins = (micros(music_in) + sum(micros(last) - micros(first) for first, last in spans)) / 1e6
        piece = int(np.searchsorted(self.target.begins, begins + self.bar, side="right")) - 1
        if piece < 0:
            return song_from
        moved = begins + float(self.target.offset[piece])
        return round(moved, 6) if abs(moved - song_from) <= _SAME_SAMPLE else song_from

    def _score(self, table: FloatArray, seam: int) -> float:
        """The score of a seam, from the splices that may be taken or, of kept segments, from the old plan."""
        joins = self.joins
        near = np.abs(joins.song_to - table[seam, 1]) + np.abs(joins.song_from - table[seam + 1, 0])
        return float(joins.score[int(np.argmin(near))])

    def _closing(self, last: list[float], seconds: float, room: float) -> tuple[float, float, str]:
        """Tail, closing fade and end in words, without the own ending: the old plan's where its last segment stays."""
        old, ends = self.old, self.old.segments[-1]
        same = abs(ends.song_from - last[0]) < _SAME_SAMPLE and abs(ends.song_to - last[1]) < _SAME_SAMPLE
        if same and old.ends_in_fade and old.end_fade_seconds <= room + _MARGIN:
            return old.tail_seconds, old.end_fade_seconds, old.end_label
        stops = int(np.searchsorted(self.lines, last[1] + 1e-6, side="right")) - 1
        rings = last[1] - float(self.lines[stops]) >= MIN_RING_SECONDS
        is_button = old.end_label.startswith(CutEnding.BUTTON.value) and rings
        return downbeat_ending(self.profile, last[1], seconds, room, self.params, is_button=is_button)

    def _own_label(self) -> str:
        """The own ending in the words of a loop."""
        return self.old.end_label if self.profile.ending is None else OWN_ENDINGS[self.profile.ending.kind]

    def _plan_score(self, table: FloatArray, scores: FloatArray, own: bool, music_in: float, tail: float) -> float:
        profile, params, lines = self.profile, self.params, self.lines
        lengths = table[:, 1] - table[:, 0]
        leave, enter = nearest_line(lines, table[:-1, 1]), nearest_line(lines, table[1:, 0])
        if own and profile.ending is not None:
            ending = own_ending_part(profile.ending.kind, np.asarray(music_in), np.asarray(tail))
        else:
            ending = self.fade_worth[int(nearest_line(lines, table[-1:, 1] - tail)[0])]
        plays = np.array(
            [np.sum((table[:, 0] <= line + 0.02) & (table[:, 1] > line + 0.02)) for line in lines], dtype=np.float64
        )
        one = np.asarray(1.0)
        hearings = hearings_of(kind_of(table, lines)[0])
        worth = Worth(
            seams=seams_part(scores.min(), scores.mean(), hearings) if scores.size else one,
            ending=np.asarray(ending),
            freshness=one - heard_twice(table) / max(float(lengths.sum()), 1e-3),
            phrasing=np.asarray(phrasing_part(profile, leave, enter).mean()) if scores.size else one,
            coverage=coverage_part(np.maximum(plays, 1e-6), self.lengths),
            economy=economy_part(np.asarray(lengths.size / np.sum(1.0 / lengths)), params),
            lost=np.asarray(0.0),
        )
        return float(worth.total(params))
