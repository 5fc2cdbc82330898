"""Fit a track to any length: looped, played straight or cut down, always music of exactly that length.

A length that the track can fill without repeating anything is planned by `workbench.plans.cutdown`: as it is, trimmed
at its head or tail, or with parts left out. A longer one is planned as a loop (`workbench.plans.loop`), which need not
be longer by 30 s here; where no loop satisfies the request, by the same search with loops back among its splices. Where
no splice leads past a range that is not played, the music begins behind it.
Music without bars (speech, a drone, silence) is played straight.

What was asked for (`workbench.plans.request`) is satisfied or refused: a `Refusal` names the smallest part of it that
contradicts itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor, inf, isfinite

import numpy as np

from workbench.errors import ContradictionError, Sentence, plain_seconds
from workbench.params import CoverParams
from workbench.plans import refusals
from workbench.plans.build import PlayedSegments, Window, build_plan
from workbench.plans.constraints import (
    Constraint,
    ConstraintKind,
    LineConstraints,
    NamedSplice,
    SeamConstraints,
    cannot_be_satisfied,
    clock,
    find_wrong,
    joined,
    smallest_contradiction,
    with_reasons,
    wrong_ones,
)
from workbench.plans.cutdown import (
    MAX_EARLY_SECONDS,
    SECONDS_A_SEAM,
    SHARED,
    CutSearch,
    cut_splices,
    seams_allowed,
)
from workbench.plans.ends import (
    EARLY_SECONDS,
    FADE_SHARE,
    GOOD_FADE_OUT_SECONDS,
    HIT_TOLERANCE_SECONDS,
    SHORTEST_FADE_SECONDS,
    end_slack,
    start_fade,
    with_closing_fade,
)
from workbench.plans.fit_request import HOOK_SECONDS, MIN_SECONDS, Fit, hook_of
from workbench.plans.hits import hit_distance, plans_with_hits, suggest_hits
from workbench.plans.loop import find_loop, first_options, plan_loop, with_suggestions
from workbench.plans.plan import (
    BORDER_SECONDS,
    MAX_OPTIONS,
    Ending,
    EndKind,
    LoopPlan,
    LoopSegment,
    PlanKind,
    micros,
    nearest_line,
    segment_table,
    song_at,
)
from workbench.plans.plan_score import NOTICED, REQUEST_FLOOR, is_raised
from workbench.plans.refusals import SURE_CONFIDENCE, Refusal, RefusalReason
from workbench.plans.repetition import is_varied, least_variety
from workbench.plans.request import LENGTH_ALONE, Hit, Keep, KeptPart, PlanRequest
from workbench.plans.suggestions import suggest_landings
from workbench.recording import FloatArray, TrackSeconds, VideoSeconds
from workbench.seams.profile import LoopProfile

# of seam scores, tried one after the other where surer seams do not satisfy the request
_REQUEST_FLOORS = (0.4, 0.3, REQUEST_FLOOR)

_DIFFERENT_SHARE = 0.1  # of the time for which two options play other music
_DIFFERENT_SECONDS = 0.25  # s of the track between what they play
_SAMPLES = 200  # times at which routes are compared before their plans are made
_NEARLY = 30.0  # s; a track that is too short by less is tried with a splice or two before it is looped
_SAME_LENGTH = 0.0009  # s; a length is rounded to the millisecond, the track's own is not
_MOST_SEAMS = f"{SECONDS_A_SEAM:.0f} s"
_START_AT, _END_ON = ConstraintKind.START_AT, ConstraintKind.END_ON


def plan_fit(
    profile: LoopProfile,
    seconds: VideoSeconds,
    request: PlanRequest = LENGTH_ALONE,
    params: CoverParams = CoverParams(),
    *,
    last_hit: TrackSeconds | None = None,
    beside: LoopPlan | None = None,
) -> LoopPlan | Refusal:
    """Fit a track to a length.

    Parameters
    ----------
    profile : what is known of the track
    seconds : the length, rounded to the millisecond; 1 s and more
    request : what is asked for; with `only_loop` the plan is that of `workbench.plans.loop.plan_loop`, if nothing is
        asked for but constraints on seams
    params : limits and weights; the 30 s of a loop count with `only_loop` alone
    last_hit : the track's last attack, which `end_on` needs for the track's own ending; None: not known
        (the landmarks of hits are known)
    beside : the plan of another length, with which music and seams are shared as far as they can be

    Returns
    -------
    LoopPlan : with up to four options that differ to the ear, the first equal to it; or
    Refusal : `constraints`, if the request cannot be satisfied together, with the smallest part that contradicts;
        else the track cannot fill the length: `no_loop_profile`, `low_confidence` or `no_viable_loop`

    Raises
    ------
    ConstraintError : a constraint or a kept part makes no sense on this track
    ParameterError : a length under 1 s, or a closing fade for which the plan served has no room
    PlanError : a plan breaks an invariant, which is a fault of the planner
    """
    if request.only_loop:
        refusal = refusals.video_not_longer(seconds, profile.song_duration, params.required_excess_seconds)
        if refusal is not None:
            return refusal
    fit = Fit(profile, seconds, request, params, last_hit, beside)
    answer = _answer(fit)
    if isinstance(answer, Refusal) or request.fade is None:
        return answer
    return with_closing_fade(answer, request.fade, fit.whole)


def _answer(fit: Fit) -> LoopPlan | Refusal:
    """`plan_fit` with closing fades as the planner finds them good."""
    request = fit.request
    if request.only_loop and not request.asks_beyond_seams:
        return _or_begin_elsewhere(plan_loop(fit.profile, fit.seconds, fit.params, request.constraints), fit)
    wrong = _out_of_range(fit)
    if wrong is not None:
        return wrong
    if request.constraints.pinned and not fit.has_bars:
        return refusals.no_loop_profile()
    try:
        plans = _plans(fit)
        if not plans:
            return _refused(fit)
    except ContradictionError as error:
        return refusals.contradiction(error.sentence, error.constraints)
    options = _options(plans)
    if request.only_loop:  # a loop's words do not say that it could have had another ending
        options = [replace(plan, ending=replace(plan.ending, named_own=False)) for plan in options]
    return replace(options[0], options=tuple(options))


def _asking(fit: Fit, request: PlanRequest) -> Fit:
    """The same length with another request, beside no other plan."""
    return replace(fit, request=request, beside=None)


def _or_begin_elsewhere(answer: LoopPlan | Refusal, fit: Fit) -> LoopPlan | Refusal:
    """The answer of a loop; where it cannot get past an excluded range, with a fit that need not, if any."""
    if isinstance(answer, LoopPlan) or not fit.request.constraints.only(answer.constraints).excluded:
        return answer
    elsewhere = replace(fit.request, only_loop=False, fade=None)
    if isinstance(plan_fit(fit.profile, fit.seconds, elsewhere, fit.params), Refusal):
        return answer
    return replace(answer, sentence=answer.sentence + " A fit of this length begins elsewhere.")


def plan_fits(
    profile: LoopProfile,
    lengths: Sequence[VideoSeconds],
    request: PlanRequest = LENGTH_ALONE,
    params: CoverParams = CoverParams(),
    *,
    last_hit: TrackSeconds | None = None,
) -> tuple[LoopPlan | Refusal, ...]:
    """Fit a track to several lengths that share their parts.

    Each is planned beside the next shorter one, so that the short ones get the best parts. Where a longer one cannot
    take over the seams of a shorter one, the shorter one is planned again beside the longer. The answers keep the order
    of `lengths`; else as `plan_fit`.
    """

    def answer(number: int, beside: LoopPlan | None) -> LoopPlan | Refusal:
        return plan_fit(profile, lengths[number], request, params, last_hit=last_hit, beside=beside)

    order = sorted(range(len(lengths)), key=lambda number: lengths[number])
    answers: dict[int, LoopPlan | Refusal] = {}
    planned: list[tuple[int, LoopPlan]] = []
    for number in order:
        answers[number] = found = answer(number, planned[-1][1] if planned else None)
        if isinstance(found, LoopPlan):
            planned.append((number, found))
    for place in range(len(planned) - 2, -1, -1):
        (number, plan), (_, longer) = planned[place], planned[place + 1]
        if not shares_its_parts(plan, longer):
            again = answer(number, longer)
            if isinstance(again, LoopPlan) and shares_its_parts(again, longer):
                answers[number], planned[place] = again, (number, again)
    return tuple(answers[number] for number in range(len(lengths)))


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


def different_share(one: LoopPlan, other: LoopPlan) -> float:
    """Share of the time for which two plans of one length play another second of the track."""
    plans = (one, other)
    times = np.unique(np.concatenate([plan.segment_starts for plan in plans]))
    middles = (times[1:] + times[:-1]) / 2
    sources = [song_at(segment_table(plan), plan.segment_starts, middles) for plan in plans]
    apart = np.abs(sources[0] - sources[1]) > _DIFFERENT_SECONDS  # False where one of them is silent
    return float(np.sum(np.diff(times)[apart])) / one.window_end


def _out_of_range(fit: Fit) -> Refusal | None:
    """The refusal of times that the length does not have; raises `ConstraintError` where some are not in the track."""
    request, profile = fit.request, fit.profile
    wrong = find_wrong(profile, request.constraints) if fit.has_bars else []
    for keep in request.keep:
        if keep.part is None and not (0.0 <= keep.song_from < keep.song_to <= profile.song_duration + 1e-3):
            wrong.append((keep.constraint, f"the track ends at {clock(profile.song_duration)}"))
    for hit in request.hits:
        if hit.landmark is not None and not hit.landmark < profile.last_sound:
            where = f"{clock(hit.landmark)} of the track, which is to land there, is not before its last sound at"
            wrong.append((hit.constraint, f"{where} {clock(profile.last_sound)}"))
    late = [(hit.constraint, f"that is outside of {fit.length}") for hit in request.hits if hit.at >= fit.seconds]
    if request.start_at is not None and fit.music_seconds < MIN_SECONDS:
        start = Constraint(_START_AT, (request.start_at,))
        late.append((start, f"that leaves no {MIN_SECONDS:.0f} s of music in {fit.length}"))
    if request.end_on is not None and not 0.0 < request.end_on <= fit.seconds:
        late.append((Constraint(_END_ON, (request.end_on,)), f"that is outside of {fit.length}"))
    if wrong:
        raise wrong_ones([*wrong, *late])
    return refusals.contradiction(with_reasons(late), tuple(one for one, _ in late)) if late else None


def _plans(fit: Fit) -> list[LoopPlan]:
    """Plans that keep what was asked for, best first; empty if there is none.

    For kept parts and hits the floor of seam scores falls down to `REQUEST_FLOOR`, unless it was raised.
    """
    floor = fit.params.min_seam_score
    plans = _plans_at_floor(fit)
    if plans or not (fit.request.keep or fit.request.hits) or is_raised(floor):
        return plans
    for least in _REQUEST_FLOORS:
        lower = replace(fit, params=fit.params.model_copy(update={"min_seam_score": least}))
        if least < floor and (plans := _plans_at_floor(lower)):
            break
    return plans


def _plans_at_floor(fit: Fit) -> list[LoopPlan]:
    """Plans that keep what was asked for with seams over the floor."""
    plans = _plans_of_any_kind(fit)
    return [plan for plan in plans if plan.kind is PlanKind.LOOP] if fit.request.only_loop else plans


def _plans_of_any_kind(fit: Fit) -> list[LoopPlan]:
    profile, request, music = fit.profile, fit.request, fit.music_seconds
    if request.start_at is not None and request.end_on is not None and request.end_on <= request.start_at:
        return []
    rules = fit.constraints
    if not fit.has_bars:
        return _without_bars(fit)
    if music < profile.usual_bar + MAX_EARLY_SECONDS and not request.hits:
        return _excerpt(fit, rules)
    if any(stretch is None or stretch[1] - stretch[0] > music + 1e-6 for stretch in fit.kept):
        return []
    if request.hits:
        return _with_hits(fit)
    longest_tail, latest = end_slack(profile)
    playable = profile.last_sound - profile.song_start
    slack = longest_tail + (0.0 if request.start_at is not None else latest)
    if music <= playable + slack:
        plans = _cuts(CutSearch(fit)) or _cuts(CutSearch(fit, in_ending=True))
        if plans:
            starts_late = request.start_at is None and all(plan.music_in > 0.0 for plan in plans)
            return [*plans, *_with_silence(fit)] if starts_late and not fit.is_piece else plans
    if music > playable + _NEARLY:
        plans = _loops(fit)
        is_fair = bool(plans) and plans[0].seam_score < fit.params.min_seam_score and not request.constraints.pinned
        if not plans or is_fair:
            cuts = _cuts(CutSearch(fit, may_repeat=True))
            plans = cuts if cuts and (not plans or _is_varied(cuts[0], fit)) else plans
    else:
        plans = _cuts(CutSearch(fit, may_repeat=True))
        if not plans or plans[0].seam_score < NOTICED:
            # Loops are tried because many listeners notice a seam; their scores do not compare with those of cut-downs.
            plans = [*plans, *_loops(fit)]
            plans.sort(key=lambda plan: (plan.ending.restarts > 0, -min(plan.seam_score, NOTICED), -plan.plan_score))
    return plans or _loops_behind_excluded(fit) or ([] if fit.is_piece else _with_silence(fit))


def _with_hits(fit: Fit) -> list[LoopPlan]:
    """Plans with the hits that are asked for; where all of these fade, then the own ending that misses these least."""
    own_ending = []
    # A part with a name, but for the ending, is another one in a piece of the track.
    keep = tuple(
        one if one.part is KeptPart.ENDING or stretch is None else Keep(None, *stretch)
        for one, stretch in zip(fit.request.keep, fit.kept, strict=True)
    )
    found = plans_with_hits(replace(fit, request=replace(fit.request, keep=keep)), _plans)
    plans = [plan for plan in found if _satisfies(plan, fit)]
    if plans and not any(plan.ending.is_own for plan in plans):
        without = _plans(_asking(fit, replace(fit.request, hits=())))
        missed = [(_most_missed(plan, fit.request.hits), plan) for plan in without if plan.ending.is_own]
        own_ending = [plan for seconds, plan in sorted(missed, key=lambda one: one[0])[:1] if isfinite(seconds)]
    return [*plans, *own_ending]


def _most_missed(plan: LoopPlan, hits: Sequence[Hit]) -> float:
    """By how many seconds a plan misses the hit that it misses most; infinite where it does not play one."""
    distances = [hit_distance(plan, hit) for hit in hits]
    return max(inf if late is None else abs(late) for late in distances)


def _cuts(search: CutSearch) -> list[LoopPlan]:
    """Plans by the search over splices; the first of many that sound alike stands for them.

    One of them begins with the picture, if any does and nothing else was asked for.
    """
    plans: list[LoopPlan] = []
    found, start_at = search.cuts(), search.fit.request.start_at
    if search.fit.beside is not None and found:
        found = [cut for cut in found if cut.sharing >= found[0].sharing]
    known: list[FloatArray] = []
    times = (start_at or 0.0) + search.video * (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    for cut in found:
        is_full = len(plans) == MAX_OPTIONS
        if is_full and (start_at is not None or any(plan.music_in == 0.0 for plan in plans)):
            break
        if is_full and cut.route.music_in > 0.0:
            continue
        known, plans_before = known[: MAX_OPTIONS - 1], plans[: MAX_OPTIONS - 1]
        source = search.times(cut, times)
        if any(np.mean(np.abs(source - other) > _DIFFERENT_SECONDS) < _DIFFERENT_SHARE for other in known):
            continue
        plan = search.plan(cut)
        if all(different_share(plan, other) >= _DIFFERENT_SHARE for other in plans_before):
            plans = [*plans_before, plan]
            known.append(source)
    return plans


def _loops(fit: Fit) -> list[LoopPlan]:
    """The options of a loop that keep what was asked for."""
    profile, music = fit.profile, fit.music_seconds
    if fit.request.end_on is not None:
        if fit.last_hit is None:
            return []
        music = fit.hit_seconds + profile.last_sound - fit.last_hit
    if not fit.is_piece and music <= profile.song_duration:
        return []
    answer = find_loop(profile, music, fit.params, fit.constraints)
    if isinstance(answer, Refusal):
        return []
    satisfying = []
    for option in answer.options or (answer,):
        placed = _placed(option.alone, fit)
        if placed is not None and _satisfies(placed, fit):
            satisfying.append(placed)
    return satisfying


def _loops_behind_excluded(fit: Fit) -> list[LoopPlan]:
    """Loops that begin on the first downbeat behind a range that is not played, the first range that allows any."""
    lines = fit.profile.downbeats
    if fit.is_piece or fit.request.only_loop:
        return []
    for behind in sorted(fit.constraints.excluded[:, 1].tolist()):
        line = int(np.searchsorted(lines, behind - BORDER_SECONDS))
        if line + 2 < lines.size:
            downbeat = float(lines[line])
            start = max(downbeat - EARLY_SECONDS, min(behind, downbeat))
            later = replace(fit.profile, song_start=round(start, 6), restart=None)
            if plans := _loops(replace(fit, profile=later)):
                return [replace(plan, start_fade_seconds=EARLY_SECONDS) for plan in plans]
    return []


def _placed(plan: LoopPlan, fit: Fit) -> LoopPlan | None:
    """A loop as it is asked for: where it starts, where its last hit lands, its ending in the words of a fit."""
    profile, request, own = fit.profile, fit.request, plan.ending.is_own
    start = request.start_at or 0.0
    reached = float(plan.segment_starts[-1]) - plan.music_in
    music_in = plan.music_in + start
    if request.end_on is not None:
        if not own:
            return None
        assert fit.last_hit is not None, "a loop lands its last hit only where that is known"
        music_in = request.end_on - (reached - (profile.last_sound - fit.last_hit))
        longest_tail, latest = end_slack(profile)
        most = start if request.start_at is not None else latest
        if not start - HIT_TOLERANCE_SECONDS <= music_in <= most + HIT_TOLERANCE_SECONDS:
            return None
        music_in = min(max(music_in, start), most)
        if not 0.0 <= fit.seconds - (music_in + reached) <= longest_tail:
            return None
    elif request.start_at is not None and plan.music_in > 0.0:
        return None
    first = micros(music_in) / 1e6
    end = micros(fit.seconds) / 1e6
    ending = plan.ending
    if own:
        tail = micros(end - micros(first + reached) / 1e6) / 1e6
        ending = replace(ending, tail_seconds=tail, fade_seconds=tail, named_own=True)
    return replace(plan, music_in=first, window_end=end, ending=ending, start_at=request.start_at)


def _satisfies(plan: LoopPlan, fit: Fit) -> bool:
    """Whether a loop satisfies the rules of a fit and what was asked for."""
    if len(plan.seam_times) > seams_allowed(fit.seconds):
        return False
    if fit.to_last_sound and plan.ends_in_fade:
        return False
    table = segment_table(plan)
    if plan.ends_in_fade:
        table[-1, 1] -= plan.end_fade_seconds  # a kept part plays in full
    return all(
        bool(np.any((table[:, 0] <= first + BORDER_SECONDS) & (table[:, 1] >= last - BORDER_SECONDS)))
        for first, last in fit.whole
    )


def _without_bars(fit: Fit) -> list[LoopPlan]:
    """Music without bars, played straight as far as it lasts; kept parts end before its closing fade."""
    profile, request, music = fit.profile, fit.request, fit.music_seconds
    duration = round(profile.song_duration, 6)
    named = any(keep.part is not None for keep in request.keep) or bool(request.constraints.pinned)
    if music > duration + _SAME_LENGTH or named or request.end_on is not None or request.hits:
        return []
    latest = max(0.0, micros(duration - music) / 1e6)
    starts = [min(round(profile.song_start, 6), latest), *(min(keep.song_from, latest) for keep in request.keep)]
    keep_to = max((keep.song_to for keep in request.keep), default=0.0)
    for start in starts:
        room = start + music - keep_to
        inside = all(start <= keep.song_from for keep in request.keep)
        # At the end of the file there is nothing to fade: its last sound is an ending.
        is_full = room >= SHORTEST_FADE_SECONDS or (start + music >= duration - 1e-6 and room >= -1e-6)
        if inside and is_full and not request.constraints.excludes(start, start + music):
            return [_straight(fit, start, start_fade(profile), room)]
    return []


def _with_silence(fit: Fit) -> list[LoopPlan]:
    """The file as it is, with the silence at its ends, for a length between the music's own and the file's.

    A kept part is no reason to begin or end off the bars.
    """
    plans = _without_bars(fit)
    reaches = [plan for plan in plans if plan.segments[-1].song_to >= fit.profile.last_sound]
    ending = Ending(EndKind.LAST_SOUND, named_own=True)
    return [replace(plan, start_fade_seconds=0.0, ending=ending) for plan in reaches] or (
        [] if fit.request.keep else plans
    )


def _excerpt(fit: Fit, rules: LineConstraints) -> list[LoopPlan]:
    """Less than a bar of music: from the hook's first downbeat, or from the track's start."""
    profile, request, music = fit.profile, fit.request, fit.music_seconds
    if request.keep or request.end_on is not None or request.constraints.pinned:
        return []
    hook = hook_of(profile, HOOK_SECONDS)
    if hook is not None and nearest_line(profile.downbeats, np.array(hook[0])) in rules.never_cut:
        hook = None  # it would begin inside of a range that is never cut
    starts = [hook[0] - EARLY_SECONDS if hook is not None and hook[0] >= EARLY_SECONDS else 0.0, profile.song_start]
    last = min(profile.song_duration, profile.last_sound)
    plans: list[LoopPlan] = []
    for number, start in enumerate(starts):
        if start + music <= last + 1e-6 or number == 1:
            at = max(0.0, min(start, profile.song_duration - music))
            if request.constraints.excludes(at, at + music):
                continue
            plans.append(_straight(fit, round(at, 6), EARLY_SECONDS if number == 0 else start_fade(profile)))
    return plans


def _straight(fit: Fit, start: float, fade_in: float, fade_room: float = inf) -> LoopPlan:
    """A stretch of the track without a bar line to end on; it fades at its end, for `fade_room` seconds at most."""
    profile, start_at = fit.profile, fit.request.start_at
    first, end = micros(start_at or 0.0) / 1e6, micros(fit.seconds) / 1e6
    music = micros(end - first) / 1e6
    last = min(micros(start + music) / 1e6, round(profile.song_duration, 6))
    wanted = min(GOOD_FADE_OUT_SECONDS, max(SHORTEST_FADE_SECONDS, FADE_SHARE * music))
    fade = micros(min(wanted, fade_room)) / 1e6 if fade_room >= SHORTEST_FADE_SECONDS else 0.0
    ending = Ending(EndKind.FADE, fade_seconds=fade) if fade else Ending(EndKind.LAST_SOUND, named_own=True)
    none = np.zeros(0)
    segment = PlayedSegments((LoopSegment(start, last, 0.0, 0.0),), none, none, none, min(fade_in, wanted), 0.0)
    return build_plan(profile, segment, ending, Window(first, end, start_at), 0.5, on_grid=False)


def _options(plans: Sequence[LoopPlan]) -> list[LoopPlan]:
    """The first plan, and others that differ to the ear; none with a seam that many hear, unless the first has one."""
    least = min(NOTICED, plans[0].seam_score)
    options: list[LoopPlan] = []
    for plan in plans:
        if options and plan.seam_score < least:
            continue
        if all(different_share(plan, other) >= _DIFFERENT_SHARE for other in options):
            options.append(plan)
    return first_options(options)


def _refused(fit: Fit) -> Refusal:
    """Why there is no plan: the smallest contradiction in the request, else what the track lacks for the length."""
    request = fit.request
    blamed = smallest_contradiction(request.each, lambda some: bool(_plans(_asking(fit, request.only(some)))))
    if not blamed:
        return _not_filled(fit)
    tried = _asking(fit, request.only(blamed))
    longest, has_bars = 0.0, fit.has_bars
    if has_bars:
        longest = sum(stretch[1] - stretch[0] for stretch in tried.kept if stretch is not None)
    why = Sentence()
    if _needs_more_seams(tried):
        why = Sentence(f"a loop can, but with more than one seam for each {_MOST_SEAMS}")
    elif {one.kind for one in blamed} == {ConstraintKind.EXCLUDED} and tried.music_seconds > fit.profile.song_duration:
        why = Sentence("the rest of the track cannot be looped that long without an audible seam")
    elif longest > tried.music_seconds:
        why = Sentence(f"what is to be kept lasts {longest:.1f} s")
    elif len(tried.request.keep) == len(blamed) and has_bars:
        floor = fit.params.min_seam_score
        least = floor if is_raised(floor) else min(REQUEST_FLOOR, floor)
        why = Sentence(f"no seams of {least:g} and more make this length of them")
    elif 0 < len(tried.request.hits) == len(blamed) <= 2 and has_bars:
        why = _other_times(tried)
    elif tried.request.end_on is not None and has_bars and {one.kind for one in blamed} != {_START_AT, _END_ON}:
        why, others = _elsewhere(fit), [one for one in request.each if one not in blamed]
        if not why and others:
            why = _elsewhere(tried)
            why = why and Sentence("without ") + joined(others, " and ") + ", " + why
    said = cannot_be_satisfied(blamed, fit.length)
    return refusals.contradiction(said + "; " + why if why else said, blamed)


def _not_filled(fit: Fit) -> Refusal:
    """Why a track does not fill a length whatever is asked; which length it fills, and what would help."""
    profile = fit.profile
    lasts = clock(profile.song_duration)
    if fit.seconds <= profile.song_duration:
        return refusals.not_filled(f"No part of this track, which lasts {lasts}, makes music of {fit.length}")
    has_bars = fit.has_bars
    why = "cannot be looped without an audible seam" if has_bars else "has no bars to be looped on"
    if _needs_more_seams(fit):
        why = f"cannot be looped with one seam at most for each {_MOST_SEAMS}"
    whys = [f"This track lasts {lasts} and {why}, so it does not fill {fit.length}"]
    slack = sum(end_slack(profile)) if has_bars else 0.0
    longest = max(profile.last_sound - profile.song_start + slack, profile.song_duration)
    at_most = floor(10.0 * (longest + (fit.request.start_at or 0.0))) / 10.0
    if at_most >= MIN_SECONDS and _plans(replace(fit, seconds=at_most, beside=None)):
        whys.append(f"it fills {plain_seconds(at_most)} s")
    if not has_bars:
        return refusals.not_filled("; ".join(whys), RefusalReason.NO_LOOP_PROFILE)
    best, needed = float(profile.splices.score.max(initial=0.0)), fit.params.min_seam_score
    if best < needed:
        whys.append(f"its best seam scores {best:.2f}, needed {needed:.2f}")
    is_unsure = best < needed and profile.grid_confidence < SURE_CONFIDENCE
    if is_unsure:
        whys.append(f"its bars are unsure (confidence {profile.grid_confidence:.2f})")
    refusal = refusals.not_filled(
        "; ".join(whys), RefusalReason.LOW_CONFIDENCE if is_unsure else RefusalReason.NO_VIABLE_LOOP
    )
    return with_suggestions(refusal, profile, fit.params, lambda splice: _can_pin(splice, fit))


def _needs_more_seams(fit: Fit) -> bool:
    """Whether a loop covers the length as is asked for, and has only more seams than a fit may have."""
    if not fit.has_bars or fit.request.asks_beyond_seams:
        return False
    loop = plan_loop(fit.profile, fit.seconds, fit.params, fit.request.constraints)
    return isinstance(loop, LoopPlan) and len(loop.seam_times) > seams_allowed(fit.seconds)


def _can_pin(splice: NamedSplice, fit: Fit) -> bool:
    """Whether there is a plan, varied enough, with a splice pinned and all else that is asked for."""
    more = SeamConstraints(pinned=(splice,))
    pinned = _asking(fit, replace(fit.request, constraints=fit.request.constraints.and_more(more)))
    try:
        plans = _plans(pinned)
    except ContradictionError:  # something that is asked for rules the splice out
        return False
    return bool(plans) and _is_varied(plans[0], pinned)


def _is_varied(plan: LoopPlan, fit: Fit) -> bool:
    """Whether a plan of a track with bars plays as much different music as is wanted."""
    return is_varied(segment_table(plan), least_variety(fit.profile, fit.params, fit.constraints))


def _other_times(fit: Fit) -> Sentence:
    """When the music could start for one hit, or the later of two could land."""
    *before, last = sorted(fit.request.hits, key=lambda hit: hit.at)

    def can_be(request: PlanRequest) -> bool:
        return bool(_plans_at_floor(_asking(fit, request)))

    if not before:
        assert last.landmark is not None, "the arrival of the track is known by now"
        start = round(last.at - (last.landmark - fit.profile.song_start), 2)
        starts_later = fit.request.start_at is None and start > 0.0
        if starts_later and can_be(replace(fit.request, start_at=start)):
            return Sentence("it lands there with ", Constraint(_START_AT, (start,)))
        return Sentence()
    splices = cut_splices(fit.profile, fit.params)
    return suggest_hits(before[0], last, splices, lambda hit: can_be(replace(fit.request, hits=(*before, hit))))


def _elsewhere(fit: Fit) -> Sentence:
    """Other times to ask for at which the last hit lands, with the rest of the request satisfied."""
    request = fit.request
    assert request.end_on is not None

    def can_land(start_at: VideoSeconds | None, end_on: VideoSeconds) -> bool:
        return bool(_plans(_asking(fit, replace(request, start_at=start_at, end_on=end_on))))

    return suggest_landings(
        fit.profile,
        seconds=fit.seconds,
        end_on=request.end_on,
        start_at=request.start_at,
        last_hit=fit.last_hit,
        can_land=can_land,
    )
