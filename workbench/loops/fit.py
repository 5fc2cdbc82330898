"""Fit a track to any length: looped, played straight or cut down, always music of exactly that length.

A length that the track can fill without repeating anything is planned by `workbench.loops.cutdown`: as it is, trimmed
at its head or tail, or with parts left out. A longer one is planned as a loop (`workbench.loops.cover`), which need not
be longer by 30 s here; where no loop keeps what was asked for, by the same search with loops back among its splices.
Music without bars (speech, a drone, silence) is played straight.

What was asked for, constraints on seams (`workbench.loops.constraints`) with it, is kept or refused: `FitError` names
the smallest part of the wishes that contradicts itself.

Functions: `plan_fit` for one length, `plan_fits` for several that share their parts, `shares_its_parts`, `hook_of`,
`different_share`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import floor, inf, isfinite

import numpy as np

from workbench.errors import FitError
from workbench.loops.assembly import PlayedSegments, build_plan
from workbench.loops.constraints import (
    NO_CONSTRAINTS,
    Constraint,
    ConstraintKind,
    LineConstraints,
    SeamConstraints,
    Sentence,
    cannot_be_kept,
    clock,
    joined,
    on_lines,
    smallest_contradiction,
)
from workbench.loops.cover import find_loop, restart_splice
from workbench.loops.cutdown import (
    HIT_TOLERANCE_SECONDS,
    MAX_EARLY_SECONDS,
    SHARED,
    CutTask,
    assemble_cut,
    cut_splices,
    find_cuts,
    route_heard,
    seams_allowed,
)
from workbench.loops.ends import (
    EARLY_SECONDS,
    FADE_SHARE,
    GOOD_FADE_OUT_SECONDS,
    MIN_FADE_OUT_SECONDS,
    MIN_RING_SECONDS,
    end_slack,
    start_fade,
)
from workbench.loops.hits import suggest_landings
from workbench.loops.plan import (
    BORDER_SECONDS,
    MAX_OPTIONS,
    Ending,
    EndKind,
    LoopPlan,
    LoopSegment,
    micros,
    nearest_line,
    segment_table,
    song_at,
)
from workbench.loops.plan_score import HEARD, WISHED_FLOOR
from workbench.loops.profile import LoopProfile
from workbench.loops.refusals import SURE_CONFIDENCE, Refusal, plain_seconds
from workbench.loops.repetition import is_varied, least_variety
from workbench.params import CoverParams
from workbench.recording import FloatArray, TrackSeconds, VideoSeconds
from workbench.structure.salience import memorable_bars

# of seam scores, tried one after the other where surer seams do not keep what is to be kept
_KEPT_FLOORS = (0.4, 0.3, WISHED_FLOOR)
MIN_SECONDS = 1.0  # s; nothing shorter is planned
HOOK_SECONDS = 30.0  # s; longest stretch that counts as the hook, that of a preview

_DIFFERENT_SHARE = 0.1  # of the time for which two options play other music
_DIFFERENT_SECONDS = 0.25  # s of the track between what they play
_SAMPLES = 200  # times at which routes are compared before their plans are made
_NEARLY = 30.0  # s; a track that is too short by less is tried with a splice or two before it is looped
_SAME_LENGTH = 0.0009  # s; a length is rounded to the millisecond, the track's own is not


class KeptPart(StrEnum):
    """What can be kept by name."""

    INTRO = "intro"
    ENDING = "ending"
    HOOK = "hook"


@dataclass(frozen=True, slots=True)
class Keep:
    """A part of the track that is kept whole in one segment: one with a name, or a range of track time."""

    part: KeptPart | None = None
    song_from: TrackSeconds = 0.0
    """s; of a range, as is the next"""
    song_to: TrackSeconds = 0.0

    @property
    def constraint(self) -> Constraint:
        """This part as one of the constraints of a request."""
        if self.part is not None:
            return Constraint(ConstraintKind.KEEP, part=self.part.value)
        return Constraint(ConstraintKind.KEEP, (self.song_from, self.song_to))


@dataclass(frozen=True, slots=True)
class FitRequest:
    """A length, and what is asked for besides."""

    seconds: VideoSeconds
    keep: tuple[Keep, ...] = ()
    start_at: VideoSeconds | None = None
    """where the music starts, after silence; None: with the picture"""
    end_on: VideoSeconds | None = None
    """where its last hit lands; None: nowhere in particular"""
    last_hit: TrackSeconds | None = None
    """the track's last attack, which `end_on` needs for the track's own ending; None: not known"""
    constraints: SeamConstraints = NO_CONSTRAINTS

    def __post_init__(self) -> None:
        if not (isfinite(self.seconds) and self.seconds >= MIN_SECONDS):
            raise FitError(f"music is fitted to {MIN_SECONDS:.0f} s or more, not to {self.seconds:g} s")
        object.__setattr__(self, "seconds", round(self.seconds, 3))
        for name in ("start_at", "end_on"):
            at = getattr(self, name)
            if at is None:
                continue
            if not (isfinite(at) and at >= 0.0):
                raise FitError(f"{name.replace('_', ' ')}: a time in the video is 0 s or more, not {at:g} s")
            object.__setattr__(self, name, round(at, 6))

    @property
    def each(self) -> tuple[Constraint, ...]:
        """Everything that is asked for beyond the length, each once."""
        kept = [keep.constraint for keep in self.keep]
        times = [Constraint(kind, (at,)) for kind, at in ((_START_AT, self.start_at), (_END_ON, self.end_on))
                 if at is not None]  # fmt: skip
        return tuple(dict.fromkeys((*kept, *times, *self.constraints.each)))

    def only(self, some: Collection[Constraint]) -> FitRequest:
        """The same length with those constraints that are among `some`."""
        kinds = {one.kind for one in some}
        return replace(
            self,
            keep=tuple(keep for keep in self.keep if keep.constraint in some),
            start_at=self.start_at if _START_AT in kinds else None,
            end_on=self.end_on if _END_ON in kinds else None,
            constraints=self.constraints.only(some),
        )


_START_AT, _END_ON = ConstraintKind.START_AT, ConstraintKind.END_ON


def plan_fit(
    profile: LoopProfile,
    request: FitRequest,
    params: CoverParams = CoverParams(),
    *,
    beside: LoopPlan | None = None,
    seconds_in_words: str | None = None,
) -> LoopPlan:
    """Fit a track to a length.

    Parameters
    ----------
    profile : what is known of the track
    request : the length and what is kept
    params : limits and weights, of which the 30 s of a loop do not count
    beside : the plan of another length, with which music and seams are shared as far as they can be
    seconds_in_words : how the length is called in a `FitError`; None: in seconds

    Returns
    -------
    LoopPlan : with up to four options that differ to the ear, the first equal to it

    Raises
    ------
    FitError : the track cannot fill the length, or what was asked for cannot be kept together
    ConstraintError : a constraint makes no sense on this track, or two contradict each other whatever the length
    PlanError : a plan breaks an invariant, which is a fault of the planner
    """
    length = seconds_in_words or f"{plain_seconds(request.seconds)} s"
    _check_ranges(profile, request, length)
    plans = _surest_plans(profile, request, params, beside)
    if not plans:
        raise _contradiction(profile, request, params, length)
    options = _options(plans)
    return replace(options[0], options=tuple(options))


def plan_fits(
    profile: LoopProfile, requests: Sequence[FitRequest], params: CoverParams = CoverParams()
) -> tuple[LoopPlan, ...]:
    """Fit a track to several lengths that share their parts.

    Each is planned beside the next shorter one, so that the short ones get the best parts. Where a longer one cannot
    take over the seams of a shorter one, the shorter one is planned again beside the longer. The plans keep the order
    of `requests`; the errors are those of `plan_fit`.
    """
    order = sorted(range(len(requests)), key=lambda number: requests[number].seconds)
    plans: list[LoopPlan] = []
    for number in order:
        plans.append(plan_fit(profile, requests[number], params, beside=plans[-1] if plans else None))
    for place in range(len(order) - 2, -1, -1):
        if not shares_its_parts(plans[place], plans[place + 1]):
            again = plan_fit(profile, requests[order[place]], params, beside=plans[place + 1])
            if shares_its_parts(again, plans[place + 1]):
                plans[place] = again
    return tuple(plans[order.index(number)] for number in range(len(order)))


def shares_its_parts(shorter: LoopPlan, longer: LoopPlan) -> bool:
    """Whether most of a plan's music is in a longer one of the same track, which has all of its seams."""
    tables = [segment_table(plan) for plan in (shorter, longer)]
    edges = np.unique(np.concatenate([table.ravel() for table in tables]))
    middles, lengths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    in_some, in_more = (np.any((table[:, :1] <= middles) & (middles < table[:, 1:]), axis=0) for table in tables)
    share = np.sum(lengths[in_some & in_more]) / np.sum(lengths[in_some])
    return bool(share >= SHARED) and _seams_of(shorter) <= _seams_of(longer)


def _seams_of(plan: LoopPlan) -> set[tuple[float, float]]:
    """Where each seam leaves and enters the track."""
    return {(left.song_to, entered.song_from) for left, entered in zip(plan.segments, plan.segments[1:], strict=False)}


def hook_of(profile: LoopProfile, most_seconds: float) -> tuple[TrackSeconds, TrackSeconds] | None:
    """The part of a track that one remembers: whole bars from where its preview begins.

    Start and end; at least one bar, even if it is longer than `most_seconds`. None for a track without bars.
    """
    if profile.downbeats.size < 2:
        return None
    edges = profile.edges
    first, _ = memorable_bars(profile.bar_lufs, profile.form, np.diff(edges), HOOK_SECONDS)
    last = int(np.searchsorted(edges, edges[first] + min(most_seconds, HOOK_SECONDS) + 1e-6, side="right")) - 1
    return max(float(edges[first]), profile.song_start), float(edges[max(last, first + 1)])


def different_share(one: LoopPlan, other: LoopPlan) -> float:
    """Share of the time for which two plans of one length play another second of the track."""
    plans = (one, other)
    times = np.unique(np.concatenate([plan.segment_starts for plan in plans]))
    middles = (times[1:] + times[:-1]) / 2
    heard = [song_at(segment_table(plan), plan.segment_starts, middles) for plan in plans]
    apart = np.abs(heard[0] - heard[1]) > _DIFFERENT_SECONDS  # False where one of them is silent
    return float(np.sum(np.diff(times)[apart])) / one.window_end


def _check_ranges(profile: LoopProfile, request: FitRequest, length: str) -> None:
    """Refuse what no plan of any kind could keep."""
    for keep in request.keep:
        if keep.part is None and not (0.0 <= keep.song_from < keep.song_to <= profile.song_duration + 1e-3):
            wrong = keep.constraint
            raise FitError(wrong, f": the track ends at {clock(profile.song_duration)}", constraints=(wrong,))
    start_at, end_on = request.start_at, request.end_on
    if start_at is not None and start_at > request.seconds - MIN_SECONDS:
        wrong = Constraint(_START_AT, (start_at,))
        raise FitError(wrong, f": that leaves no {MIN_SECONDS:.0f} s of music in {length}", constraints=(wrong,))
    if end_on is not None and not 0.0 < end_on <= request.seconds:
        wrong = Constraint(_END_ON, (end_on,))
        raise FitError(wrong, f": that is outside of {length}", constraints=(wrong,))
    if start_at is not None and end_on is not None and end_on <= start_at:
        both = (Constraint(_START_AT, (start_at,)), Constraint(_END_ON, (end_on,)))
        raise FitError(*joined(both, " and "), " contradict each other", constraints=both)


def _surest_plans(
    profile: LoopProfile, request: FitRequest, params: CoverParams, beside: LoopPlan | None
) -> list[LoopPlan]:
    """Plans that keep what was asked for and repeat no less of the track than they must.

    Fair seams, and the whole track again, are ways to that where nothing else is varied, see `workbench.loops.serving`.
    """
    plans = _plans_that_keep(profile, request, params.model_copy(update={"min_variety_seconds": 0.0}), beside)
    if params.min_variety_seconds == 0.0 or _are_varied(plans, profile, request, params):
        return plans
    varied = _plans(profile, request, params, beside)
    return varied if _are_varied(varied, profile, request, params) else plans


def _are_varied(plans: Sequence[LoopPlan], profile: LoopProfile, request: FitRequest, params: CoverParams) -> bool:
    """Whether there are plans, and the first repeats no less of the track than it must."""
    if not plans or profile.downbeats.size < 3:
        return bool(plans)
    needed = least_variety(profile, params, on_lines(profile, request.constraints))
    return is_varied(segment_table(plans[0]), needed)


def _plans_that_keep(
    profile: LoopProfile, request: FitRequest, params: CoverParams, beside: LoopPlan | None
) -> list[LoopPlan]:
    """Plans that keep what was asked for, where it must be by seams under the floor, down to `WISHED_FLOOR`.

    A floor that somebody raised is kept, and so is that of a length alone.
    """
    plans = _plans(profile, request, params, beside)
    if plans or not request.keep or params.min_seam_score > CoverParams().min_seam_score:
        return plans
    for least in _KEPT_FLOORS:
        lower = params.model_copy(update={"min_seam_score": least})
        if least < params.min_seam_score and (plans := _plans(profile, request, lower, beside)):
            break
    return plans


def _plans(profile: LoopProfile, request: FitRequest, params: CoverParams, beside: LoopPlan | None) -> list[LoopPlan]:
    """Plans that keep what was asked for, best first; none where there is none."""
    music = request.seconds - (request.start_at or 0.0)
    rules = on_lines(profile, request.constraints)
    if profile.downbeats.size < 3:
        return _without_bars(profile, request)
    if music < profile.usual_bar + MAX_EARLY_SECONDS:
        return _excerpt(profile, request, rules)
    task = _task(profile, request, beside)
    if task is None:
        return []
    longest_tail, latest = end_slack(profile)
    playable = profile.last_sound - profile.song_start
    slack = longest_tail + (0.0 if request.start_at is not None else latest)
    if music <= playable + slack:
        plans = _cuts(profile, task, params, rules) or _cuts(profile, replace(task, in_ending=True), params, rules)
        if plans:
            return plans
    repeating = replace(task, may_repeat=True)
    if music > playable + _NEARLY:
        plans = _loops(profile, task, params, rules) or _cuts(profile, repeating, params, rules)
    else:
        plans = _cuts(profile, repeating, params, rules)
        if not plans or plans[0].seam_score < HEARD:
            # Loops are tried because a seam is heard by many; their scores do not compare with those of cut-downs.
            plans = [*plans, *_loops(profile, task, params, rules)]
            plans.sort(key=lambda plan: (plan.ending.restarts > 0, -min(plan.seam_score, HEARD), -plan.plan_score))
    return plans or _with_silence(profile, request)


def _task(profile: LoopProfile, request: FitRequest, beside: LoopPlan | None) -> CutTask | None:
    """What is asked for, in bars; None where a kept part is longer than the music."""
    music = request.seconds - (request.start_at or 0.0)
    whole = []
    for keep in request.keep:
        stretch = _stretch(profile, keep, music)
        if stretch is None or stretch[1] - stretch[0] > music + 1e-6:
            return None
        whole.append(stretch)
    return CutTask(
        seconds=request.seconds,
        whole=tuple(sorted(set(whole))),
        to_last_sound=any(keep.part is KeptPart.ENDING for keep in request.keep),
        hook=hook_of(profile, music / 2),
        start_at=request.start_at,
        end_on=request.end_on,
        last_hit=request.last_hit,
        beside=beside,
    )


def _stretch(profile: LoopProfile, keep: Keep, music: float) -> tuple[TrackSeconds, TrackSeconds] | None:
    """A kept part in whole bars, as far as there are bars; None for a section that the track does not have."""
    edges = profile.edges
    if keep.part is KeptPart.HOOK:
        whole = hook_of(profile, HOOK_SECONDS)
        if whole is None:
            return None
        end = min(whole[0] + HOOK_SECONDS, profile.last_sound)
        widened = (whole[0], float(edges[min(int(np.searchsorted(edges, end - BORDER_SECONDS)), edges.size - 1)]))
        # A downbeat is entered early, and the music ends after the part.
        room = music - EARLY_SECONDS - MIN_RING_SECONDS
        return widened if widened[1] - widened[0] <= room else hook_of(profile, room)
    if keep.part is not None:
        if not profile.sections:
            return None
        section = profile.sections[0 if keep.part is KeptPart.INTRO else -1]
        # The first bar line may lie just before the sound: a beat is a little earlier than what is heard of it.
        return max(section.song_from, profile.song_start), min(section.song_to, profile.last_sound)
    first = int(np.searchsorted(edges, keep.song_from + BORDER_SECONDS, side="right")) - 1
    last = int(np.searchsorted(edges, keep.song_to - BORDER_SECONDS))
    begin = float(edges[first]) if first >= 0 else min(keep.song_from, profile.song_start)
    return max(begin, profile.song_start), float(edges[min(last, edges.size - 1)])


def _cuts(profile: LoopProfile, task: CutTask, params: CoverParams, rules: LineConstraints | None) -> list[LoopPlan]:
    """Plans by the search over splices; the first of many that sound alike stands for them.

    One of them begins with the picture, if any does and nothing else was asked for.
    """
    usable = cut_splices(profile, params, rules)
    plans: list[LoopPlan] = []
    if rules is not None and usable.pinned.size < len(rules.pinned):
        return plans
    found = find_cuts(profile, usable, task, params)
    if task.beside is not None and found:
        found = [cut for cut in found if cut.sharing >= found[0].sharing]
    known: list[FloatArray] = []
    times = (task.start_at or 0.0) + task.music_seconds * (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    for cut in found:
        is_full = len(plans) == MAX_OPTIONS
        if is_full and (task.start_at is not None or any(plan.music_in == 0.0 for plan in plans)):
            break
        if is_full and cut.route.music_in > 0.0:
            continue
        known, plans_before = known[: MAX_OPTIONS - 1], plans[: MAX_OPTIONS - 1]
        heard = route_heard(cut.route, usable, times)
        if any(np.mean(np.abs(heard - other) > _DIFFERENT_SECONDS) < _DIFFERENT_SHARE for other in known):
            continue
        plan = assemble_cut(cut, profile, usable, task, params)
        if all(different_share(plan, other) >= _DIFFERENT_SHARE for other in plans_before):
            plans = [*plans_before, plan]
            known.append(heard)
    return plans


def _loops(profile: LoopProfile, task: CutTask, params: CoverParams, rules: LineConstraints | None) -> list[LoopPlan]:
    """The options of a loop that keep what was asked for."""
    music, ring = task.music_seconds, 0.0
    if task.end_on is not None:
        if task.last_hit is None:
            return []
        ring = profile.last_sound - task.last_hit
        music = task.end_on - (task.start_at or 0.0) + ring
    if music <= profile.song_duration:
        return []
    answer = find_loop(profile, music, params, rules)
    if isinstance(answer, Refusal):
        return []
    kept = []
    for option in answer.options or (answer,):
        placed = _placed(option.alone, profile, task)
        if placed is not None and _keeps(placed, task):
            kept.append(placed)
    return kept


def _placed(plan: LoopPlan, profile: LoopProfile, task: CutTask) -> LoopPlan | None:
    """A loop as it is asked for: where it starts, where its last hit lands, its ending in the words of a fit."""
    own = plan.ending.is_own
    start = task.start_at or 0.0
    reached = float(plan.segment_starts[-1]) - plan.music_in
    music_in = plan.music_in + start
    if task.end_on is not None:
        if not own:
            return None
        assert task.last_hit is not None, "a loop lands its last hit only where that is known"
        music_in = task.end_on - (reached - (profile.last_sound - task.last_hit))
        longest_tail, latest = end_slack(profile)
        most = start if task.start_at is not None else latest
        if not start - HIT_TOLERANCE_SECONDS <= music_in <= most + HIT_TOLERANCE_SECONDS:
            return None
        music_in = min(max(music_in, start), most)
        if not 0.0 <= task.seconds - (music_in + reached) <= longest_tail:
            return None
    elif task.start_at is not None and plan.music_in > 0.0:
        return None
    first = micros(music_in) / 1e6
    end = micros(task.seconds) / 1e6
    ending = plan.ending
    if own:
        tail = micros(end - micros(first + reached) / 1e6) / 1e6
        ending = replace(ending, tail_seconds=tail, fade_seconds=tail)
    return replace(plan, music_in=first, window_end=end, ending=ending, start_at=task.start_at, is_fit=True)


def _keeps(plan: LoopPlan, task: CutTask) -> bool:
    """Whether a loop keeps to the rules of a fit and what was asked for."""
    if len(plan.seam_times) > seams_allowed(task.seconds):
        return False
    if task.to_last_sound and plan.ends_in_fade:
        return False
    table = segment_table(plan)
    if plan.ends_in_fade:
        table[-1, 1] -= plan.end_fade_seconds  # what is kept is heard in full
    return all(
        bool(np.any((table[:, 0] <= first + BORDER_SECONDS) & (table[:, 1] >= last - BORDER_SECONDS)))
        for first, last in task.whole
    )


def _without_bars(profile: LoopProfile, request: FitRequest) -> list[LoopPlan]:
    """Music without bars, played straight as far as it lasts; what is kept lies before its closing fade."""
    music = round(request.seconds - (request.start_at or 0.0), 6)
    duration = round(profile.song_duration, 6)
    named = any(keep.part is not None for keep in request.keep) or bool(request.constraints.pinned)
    if music > duration + _SAME_LENGTH or named or request.end_on is not None:
        return []
    latest = max(0.0, micros(duration - music) / 1e6)
    starts = [min(round(profile.song_start, 6), latest), *(min(keep.song_from, latest) for keep in request.keep)]
    kept_to = max((keep.song_to for keep in request.keep), default=0.0)
    for start in starts:
        room = start + music - kept_to
        inside = all(start <= keep.song_from for keep in request.keep)
        # At the end of the file there is nothing to fade: its last sound is an ending.
        heard = room >= MIN_FADE_OUT_SECONDS or (start + music >= duration - 1e-6 and room >= -1e-6)
        if inside and heard and not _is_excluded(request, start, start + music):
            return [_straight(profile, request, start, start_fade(profile), room)]
    return []


def _with_silence(profile: LoopProfile, request: FitRequest) -> list[LoopPlan]:
    """The file as it is, with the silence at its ends, for a length between the music's own and the file's.

    What is to be kept is no reason to begin or end off the bars.
    """
    plans = _without_bars(profile, request)
    reaches = [plan for plan in plans if plan.segments[-1].song_to >= profile.last_sound]
    ending = Ending(EndKind.LAST_SOUND)
    return [replace(plan, start_fade_seconds=0.0, ending=ending) for plan in reaches] or ([] if request.keep else plans)


def _excerpt(profile: LoopProfile, request: FitRequest, rules: LineConstraints | None) -> list[LoopPlan]:
    """Less than a bar of music: from the hook's first downbeat, or from the track's start."""
    music = round(request.seconds - (request.start_at or 0.0), 6)
    if request.keep or request.end_on is not None or request.constraints.pinned:
        return []
    hook = hook_of(profile, HOOK_SECONDS)
    if hook is not None and rules is not None and rules.inside[nearest_line(profile.downbeats, np.array(hook[0]))]:
        hook = None  # it would begin inside of a range that is never cut
    starts = [hook[0] - EARLY_SECONDS if hook is not None and hook[0] >= EARLY_SECONDS else 0.0, profile.song_start]
    last = min(profile.song_duration, profile.last_sound)
    plans: list[LoopPlan] = []
    for number, start in enumerate(starts):
        if start + music <= last + 1e-6 or number == 1:
            at = max(0.0, min(start, profile.song_duration - music))
            if _is_excluded(request, at, at + music):
                continue
            plan = _straight(profile, request, round(at, 6), EARLY_SECONDS if number == 0 else start_fade(profile))
            if all(different_share(plan, other) >= _DIFFERENT_SHARE for other in plans):
                plans.append(plan)
    return plans


def _is_excluded(request: FitRequest, song_from: TrackSeconds, song_to: TrackSeconds) -> bool:
    """Whether some of a stretch of the track is not to be played."""
    ranges = request.constraints.excluded
    return any(one.song_from < song_to - 1e-6 and one.song_to > song_from + 1e-6 for one in ranges)


def _straight(
    profile: LoopProfile, request: FitRequest, start: float, fade_in: float, fade_room: float = inf
) -> LoopPlan:
    """A stretch of the track without a bar line to end on; it fades at its end, for `fade_room` seconds at most."""
    first, end = micros(request.start_at or 0.0) / 1e6, micros(request.seconds) / 1e6
    music = micros(end - first) / 1e6
    last = min(micros(start + music) / 1e6, round(profile.song_duration, 6))
    wanted = min(GOOD_FADE_OUT_SECONDS, max(MIN_FADE_OUT_SECONDS, FADE_SHARE * music))
    fade = micros(min(wanted, fade_room)) / 1e6 if fade_room >= MIN_FADE_OUT_SECONDS else 0.0
    return build_plan(
        profile,
        PlayedSegments((LoopSegment(start, last, 0.0, 0.0),), np.zeros(0), np.zeros(0), np.zeros(0)),
        Ending(EndKind.FADE, fade_seconds=fade) if fade else Ending(EndKind.LAST_SOUND),
        min(fade_in, wanted),
        first,
        end,
        plan_score=0.5,
        glide_seconds=0.0,
        start_at=request.start_at,
        is_fit=True,
        on_grid=False,
    )


def _options(plans: Sequence[LoopPlan]) -> list[LoopPlan]:
    """The first plan, and others that differ to the ear; none with a seam that many hear, unless the first has one."""
    least = min(HEARD, plans[0].seam_score)
    options: list[LoopPlan] = []
    for plan in plans:
        if options and plan.seam_score < least:
            continue
        if all(different_share(plan, other) >= _DIFFERENT_SHARE for other in options):
            options.append(plan)
    return options[:MAX_OPTIONS]


def _contradiction(profile: LoopProfile, request: FitRequest, params: CoverParams, length: str) -> FitError:
    """Why there is no plan: the smallest part of the wishes that cannot be kept together."""
    blamed = smallest_contradiction(
        request.each, lambda some: bool(_surest_plans(profile, request.only(some), params, None))
    )
    tried = request.only(blamed)
    if not blamed:
        return _not_filled(profile, tried, params, length)
    longest, room = 0.0, tried.seconds - (tried.start_at or 0.0)
    if profile.downbeats.size >= 3:
        for keep in tried.keep:
            stretch = _stretch(profile, keep, room)
            longest += 0.0 if stretch is None else stretch[1] - stretch[0]
    why: Sentence = ()
    if longest > room:
        why = (f"what is to be kept lasts {longest:.1f} s",)
    elif len(tried.keep) == len(blamed) and profile.downbeats.size >= 3:
        why = (f"no seams of {min(WISHED_FLOOR, params.min_seam_score):g} and more make this length of them",)
    elif request.end_on is not None and tried.end_on is not None and profile.downbeats.size >= 3:
        why, others = _elsewhere(profile, request, params), [one for one in request.each if one not in blamed]
        if not why and others:
            why = _elsewhere(profile, tried, params)
            why = why and ("without ", *joined(others, " and "), ", ", *why)
    return FitError(*cannot_be_kept(blamed, length), *(("; ", *why) if why else ()), constraints=blamed)


def _not_filled(profile: LoopProfile, request: FitRequest, params: CoverParams, length: str) -> FitError:
    """Why a track does not fill a length, without any wishes; up to which it does, and what would help."""
    lasts = clock(profile.song_duration)
    if request.seconds <= profile.song_duration:
        return FitError(f"no part of this track, which lasts {lasts}, makes music of {length}")
    has_bars = profile.downbeats.size >= 3
    why = "cannot be looped without an audible seam" if has_bars else "has no bars to be looped on"
    whys = [f"this track lasts {lasts} and {why}, so it does not fill {length}"]
    slack = sum(end_slack(profile)) if has_bars else 0.0
    longest = max(profile.last_sound - profile.song_start + slack, profile.song_duration)
    at_most = floor(10.0 * longest) / 10.0
    if at_most >= MIN_SECONDS and _plans(profile, replace(request, seconds=at_most), params, None):
        whys.append(f"it fills {plain_seconds(at_most)} s")
    if not has_bars:
        return FitError("; ".join(whys))
    best, needed = float(profile.splices.score.max(initial=0.0)), params.min_seam_score
    if best < needed:
        whys.append(f"its best seam scores {best:.2f}, needed {needed:.2f}")
    heard_again: Sentence = ()
    splice = restart_splice(profile)
    if splice is not None:
        again = SeamConstraints(pinned=(splice,))
        pinned = replace(request, constraints=again)
        if _are_varied(_plans(profile, pinned, params, None), profile, pinned, params):
            heard_again = ("; it can be heard to end and to begin again from its head with ", again.each[0])
    unsure: Sentence = ()
    if best < needed and profile.grid_confidence < SURE_CONFIDENCE:
        unsure = (
            f"; its bars are unsure (confidence {profile.grid_confidence:.2f}): `workbench beats TRACK --tempo BPM` "
            "hears them at the tempo that you know, `--grid FILE` takes your own, `--confirm` keeps the heard ones",
        )
    return FitError("; ".join(whys), *heard_again, *unsure)


def _elsewhere(profile: LoopProfile, request: FitRequest, params: CoverParams) -> Sentence:
    """What to ask for so that the last hit lands, everything else that was asked for being kept."""
    assert request.end_on is not None

    def can_land(start_at: VideoSeconds | None, end_on: VideoSeconds) -> bool:
        return bool(_plans(profile, replace(request, start_at=start_at, end_on=end_on), params, None))

    return suggest_landings(
        profile,
        seconds=request.seconds,
        end_on=request.end_on,
        start_at=request.start_at,
        last_hit=request.last_hit,
        can_land=can_land,
    )
