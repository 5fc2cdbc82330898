"""A plan in words: what it repeats beyond the limits, how each option differs, and how splices score.

Command line, report and page use the same sentences.

Functions: `repetition_line`, `option_differences`, `seam_words`, `score_line`, `less_sure_line`,
`poor_pins`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor

import numpy as np

from workbench.errors import Sentence, plain_seconds
from workbench.params import CoverParams
from workbench.plans.constraints import (
    NO_CONSTRAINTS,
    Constraint,
    ConstraintKind,
    NamedSplice,
    SeamConstraints,
    joined,
    line_pair,
    on_lines,
)
from workbench.plans.move_seam import seam_scores
from workbench.plans.plan import (
    MAX_OPTIONS,
    EndKind,
    LoopPlan,
    PlanKind,
    nearest_line,
    seam_lines,
    seams_restart,
    segment_table,
)
from workbench.plans.plan_score import AUDIBLE
from workbench.plans.repetition import VARIETY_WINDOW, Repetition, find_repetition, is_varied, least_variety, variety
from workbench.plans.request import PlanRequest
from workbench.recording import FloatArray, clock, counted
from workbench.seams.profile import LoopProfile

_HAS_NO_SEAM = "has no seam"
# Text for a straight plan where seams are listed, shown or played
NO_SEAM = "This plan has no seam: it plays the track straight."

_MOST_DIFFERENCES = 4
_SAME_START = 0.25  # s of the track
_LEAST_WORN_SECONDS = 5.0
_LESS_WORN = 0.8  # an option has fewer worn seconds if it has less than this share of those of the plan served
_FEWER_PLAYS = 0.8  # an option repeats less if its most played stretch plays at most this share as often


def repetition_line(
    plan: LoopPlan,
    profile: LoopProfile,
    params: CoverParams,
    constraints: SeamConstraints = NO_CONSTRAINTS,
    numbers: Sequence[int] = range(1, MAX_OPTIONS + 1),
) -> str | None:
    """One line on the repetition that a listener notices, and how to avoid it; None without any.

    Seams that are likelier audible than not come first. A plan that passes a limit on repetition says what plays how
    often, and for how long; one that lets the whole track end and begin again, what the next option would play how
    often instead. Too little different music is said too, of as much as the constraints of the request leave. `numbers`
    are those of the options.
    """
    if plan.kind is not PlanKind.LOOP:
        return None  # nothing comes twice, and the track may have no bars to count
    needed = _needed(profile, params, constraints)
    said = (
        _audible_seams(plan, profile),
        _repetition(plan, profile, params, needed, numbers),
        _missed_variety(plan, needed),
        _skipped(plan),
    )
    return "; ".join(filter(None, said)) or None


def _needed(profile: LoopProfile, params: CoverParams, constraints: SeamConstraints) -> float:
    """How much different music any five minutes of a loop are to play, s; 0 for a track without bars."""
    return 0.0 if profile.downbeats.size < 3 else least_variety(profile, params, on_lines(profile, constraints))


def _repetition(
    plan: LoopPlan, profile: LoopProfile, params: CoverParams, needed: float, numbers: Sequence[int]
) -> str:
    repetition = find_repetition(plan, profile, params)
    if repetition.over_limits:
        return f"{_most_played(repetition, plan)}; {_way_out(plan, profile, params, needed, numbers)}"
    times = plan.ending.restarts
    if not times:
        return ""
    begins = (
        f"the whole track ends and begins again {'once' if times == 1 else counted(times, 'time')}, which is audible"
    )
    for number, option in zip(numbers[1:], plan.options[1:], strict=False):
        other = find_repetition(option, profile, params)
        if other.over_limits and not option.ending.restarts:
            return f"{begins}; option {number} goes on instead, but {_most_played(other, option)}"
    return begins


def option_differences(
    plan: LoopPlan, profile: LoopProfile, params: CoverParams, constraints: SeamConstraints = NO_CONSTRAINTS
) -> tuple[str, ...]:
    """How each option differs from the plan served, a clause each, such as "ends 8 bars sooner in the track".

    What it costs comes first, such as "has one audible seam at 2:10". The first, which is that plan, has an empty one.
    `constraints` are those of the request.
    """
    options, needed = plan.options or (plan,), _needed(profile, params, constraints)
    return ("", *(_difference(option, options[0], profile, params, needed) for option in options[1:]))


def seam_words(plan: LoopPlan, profile: LoopProfile, seam: int) -> str:
    """A clause on what a seam, counted from 0, is where its score alone would mislead; empty for an ordinary one."""
    begins_again = seams_restart(segment_table(plan), profile)[seam]
    return "the track ends and begins again here, which is audible" if begins_again else ""


def seams_in_words(plan: LoopPlan) -> str:
    """How many seams a plan has, and what the worst one scores."""
    seams = len(plan.seam_times)
    return f"{counted(seams, 'seam')}, worst {plan.seam_score:.2f}" if seams else "no seam"


def score_line(score: float, least: float) -> str:
    """How a splice scores, and whether the planner takes it: under `least` only if it is pinned."""
    number = plain_seconds(floor(1000 * score) / 1000)  # rounded, a score just under the least would look like it
    if score < least:
        return f"scores {number}: the planner takes a splice of less than {least:g} only if it is pinned"
    return f"scores {number}: the planner takes splices from {least:g} on"


def less_sure_line(plan: LoopPlan, profile: LoopProfile, request: PlanRequest, params: CoverParams) -> Sentence | None:
    """A line if a plan with parts to keep has an unpinned seam under the floor; None where no seam scores so little.

    `request` is what the plan was made for.
    """
    if not request.keep or plan.seam_score >= params.min_seam_score:
        return None
    lines = seam_lines(segment_table(plan), profile.downbeats).T
    free = ~on_lines(profile, request.constraints).is_pinned(*lines) & ~seams_restart(segment_table(plan), profile)
    worst = float(seam_scores(profile, plan)[free].min(initial=1.0))
    if worst >= params.min_seam_score:
        return None
    score = plain_seconds(floor(1000 * worst) / 1000)
    keep = joined([one.constraint for one in request.keep], " and ")
    return Sentence("with ") + keep + f" the worst seam of this length scores {score}"


def poor_pins(profile: LoopProfile, pinned: Iterable[NamedSplice], params: CoverParams) -> tuple[Sentence, ...]:
    """A line for each pinned splice, at bar lines of the track, that scores less than the planner would take."""
    lines: list[Sentence] = []
    for one in pinned:
        leave, enter = line_pair(profile, one, one.in_words)
        if profile.is_restart(np.array(leave), np.array(enter)):
            continue  # it is audible by intent
        row = profile.splices.row_of(leave, enter)
        score = None if row is None else float(profile.splices.score[row])
        if score is not None and score < params.min_seam_score:
            pin = Constraint(ConstraintKind.PINNED, (one.leave, one.enter))
            lines.append(Sentence(pin, f" {score_line(score, params.min_seam_score)}"))
    return tuple(lines)


def _most_played(most: Repetition, plan: LoopPlan) -> str:
    """What a plan that passes a limit plays how often, and for how long of the video."""
    run, row = most.run, ""
    if most.runs_too_long:
        other = f", {clock(run.song_from)}-{clock(run.song_to)} {counted(run.passes, 'time')} in a row"
        row = " in a row" if run.passes == most.plays else other
    words = (
        f"repetition: {clock(most.song_from)}-{clock(most.song_to)} of the track plays "
        f"{counted(most.plays, 'time')}{row}, the whole track {most.mean_plays:.1f} times on average"
    )
    if most.worn_seconds < _LEAST_WORN_SECONDS:
        return words
    long = f"{clock(most.worn_seconds)} of the {clock(plan.window_end)}"
    return f"{words}; {long} have played {counted(most.worn_after, 'time')} before"


def _audible_seams(plan: LoopPlan, profile: LoopProfile) -> str:
    """The splices of a plan that are likelier audible than not, as "one audible seam at 2:10"; empty for none."""
    if plan.seam_score >= AUDIBLE:
        return ""
    audible = np.flatnonzero((seam_scores(profile, plan) < AUDIBLE) & ~seams_restart(segment_table(plan), profile))
    if not audible.size:
        return ""
    at = clock(plan.seam_times[audible[0]])
    return f"one audible seam at {at}" if audible.size == 1 else f"{audible.size} audible seams, the first at {at}"


def _skipped(plan: LoopPlan) -> str:
    """What a plan that plays the whole track again leaves out of it all the same; empty for nothing."""
    if not plan.ending.restarts or not (gaps := _gaps(plan)).size:
        return ""
    return _left_out(gaps)


def _missed_variety(plan: LoopPlan, needed: float) -> str:
    """How much different music a plan, or five minutes of it, plays where that is too little; empty for any other."""
    table = segment_table(plan)
    if is_varied(table, needed):
        return ""
    played = "five minutes of it play" if plan.window_end > VARIETY_WINDOW else "it plays"
    wanted = min(needed, float(np.sum(table[:, 1] - table[:, 0])))  # a short piece can play no more than it lasts
    return f"{played} {variety(table):.0f} s of different music, and {wanted:.0f} s are wanted"


def _too_little(plan: LoopPlan, profile: LoopProfile, params: CoverParams, needed: float) -> str:
    """What a plan plays that is not varied enough, such as "the same 18 s 12 times in a row"; empty for any other."""
    table = segment_table(plan)
    if is_varied(table, needed):
        return ""
    most = find_repetition(plan, profile, params)
    if most.runs_too_long:
        return f"the same {most.run.song_to - most.run.song_from:.0f} s {_often(most.run.passes)} in a row"
    for_how_long = "for five minutes" if plan.window_end > VARIETY_WINDOW else "in all"
    return f"only {variety(table):.0f} s of the track {for_how_long}"


def _often(count: int) -> str:
    return {1: "once", 2: "twice", 3: "three times"}.get(count, counted(count, "time"))


def _way_out(plan: LoopPlan, profile: LoopProfile, params: CoverParams, needed: float, numbers: Sequence[int]) -> str:
    """Which option repeats less, or that there is none."""
    for number, option in zip(numbers[1:], plan.options[1:], strict=False):
        other = find_repetition(option, profile, params)
        if not other.over_limits and not _too_little(option, profile, params, needed):
            return f"option {number} is within the limits: it repeats {_repeated(option)}"
    worn = [find_repetition(option, profile).worn_seconds for option in plan.options or (plan,)]
    least = int(np.argmin(worn))
    if worn[least] < _LESS_WORN * worn[0]:
        return f"no option is within the limits; option {numbers[least]} has {clock(worn[least])} of that"
    return "no option of this plan repeats much less"


def _repeated(option: LoopPlan) -> str:
    """What a plan repeats."""
    if option.ending.restarts:
        return "the whole track, which ends and begins again"
    body = option.body
    return "nothing" if body is None else f"{body.bars} bars from {clock(body.song_from)} of the track"


def _difference(option: LoopPlan, served: LoopPlan, profile: LoopProfile, params: CoverParams, needed: float) -> str:
    """Up to four clauses, what is most audible first."""
    found = [*_ending_words(option, served, profile), *_section_words(option, served)]
    begins_again, served_again = (bool(one.ending.restarts) for one in (option, served))
    if begins_again is served_again:
        found += _body_words(option, served, profile)
    plays, served_plays = (find_repetition(one, profile, params).plays for one in (option, served))
    too_little, served_little = (_too_little(one, profile, params, needed) for one in (option, served))
    if plays <= _FEWER_PLAYS * served_plays:
        found.insert(0, f"plays nothing more than {_often(plays)} instead of {_often(served_plays)}")
    elif too_little and not served_little:
        found.insert(0, f"plays {too_little}")
    elif served_again and served_plays <= _FEWER_PLAYS * plays:
        found.insert(0, f"plays a part {_often(plays)} instead of {_often(served_plays)} at most")
    audible, served_audible = _audible_seams(option, profile), _audible_seams(served, profile)
    if audible != served_audible:
        found.insert(0, f"has {audible or 'no audible seam'}")
    if begins_again and not served_again:
        found.insert(0, f"plays the track {_often(option.ending.restarts + 1)} from its head, which is audible")
    elif served_again and not begins_again:
        found.insert(0, "goes on instead of beginning again")
    seams = len(option.seam_times) - len(served.seam_times)
    if seams and _HAS_NO_SEAM not in found:
        found.append(f"has {counted(abs(seams), 'more seam' if seams > 0 else 'fewer seam')}")
    if option.music_in == 0.0 < served.music_in:
        found.insert(0, "begins with the picture")
    elif served.music_in == 0.0 < option.music_in:
        found.insert(0, f"begins {option.music_in:.1f} s after the first picture")
    if not found:
        found.append("takes other bars at its seams")
    return ", ".join(found[:_MOST_DIFFERENCES])


def _ending_words(option: LoopPlan, served: LoopPlan, profile: LoopProfile) -> list[str]:
    if option.is_faded_out != served.is_faded_out:
        is_button = (option if option.is_faded_out else served).ending.kind is EndKind.BUTTON
        if option.is_faded_out:
            return [f"{'stops on a downbeat' if is_button else 'fades'} instead of ending with the track"]
        return [f"ends with the track instead of {'stopping on a downbeat' if is_button else 'fading'}"]
    if not option.is_faded_out:
        return []
    ends = np.array([plan.segments[-1].song_to - plan.tail_seconds for plan in (option, served)])
    bars = nearest_line(profile.downbeats, ends)
    apart = int(bars[0] - bars[1])
    return [f"ends {counted(abs(apart), 'bar')} {'later' if apart > 0 else 'sooner'} in the track"] if apart else []


def _section_words(option: LoopPlan, served: LoopPlan) -> list[str]:
    words = []
    for some, others, word in ((served, option, "leaves out"), (option, served, "also plays")):
        names = [name for name in some.sections_covered if name not in others.sections_covered]
        if names:
            words.append(f"{word} the {' and the '.join(names)}")
    return words


def _body_words(option: LoopPlan, served: LoopPlan, profile: LoopProfile) -> list[str]:
    body, other = option.body, served.body
    if body is None or other is None:
        return _kind_words(option, served)
    bars = nearest_line(profile.downbeats, np.array([body[:2], other[:2]]))
    starts, ends = (int(bars[0, side] - bars[1, side]) for side in (0, 1))
    if not starts and not ends:
        return []
    if not starts:
        return [f"has a loop that ends {counted(abs(ends), 'bar')} {'later' if ends > 0 else 'sooner'}"]
    if not ends:
        return [f"has a loop that begins {counted(abs(starts), 'bar')} {'later' if starts > 0 else 'sooner'}"]
    instead = f"instead of {other.bars} from {clock(other.song_from)}"
    return [f"repeats {counted(body.bars, 'bar')} from {clock(body.song_from)} of the track {instead}"]


def _kind_words(option: LoopPlan, served: LoopPlan) -> list[str]:
    """How plans differ if at least one of them repeats nothing."""
    words = []
    if option.kind is PlanKind.CUT_DOWN:
        words += _gap_words(option, served)
    elif option.kind is not served.kind:
        words.append("repeats a part" if option.kind is PlanKind.LOOP else _HAS_NO_SEAM)
    if abs(option.song_start - served.song_start) > _SAME_START:
        words.append(f"starts at {clock(option.song_start)} of the track instead of {clock(served.song_start)}")
    return words


def _gap_words(option: LoopPlan, served: LoopPlan) -> list[str]:
    """Which parts of the track a cut-down leaves out; nothing where the plan served leaves out the same."""
    gaps, others = _gaps(option), _gaps(served)
    if gaps.shape == others.shape and bool(np.all(np.abs(gaps - others) <= _SAME_START)):
        return []
    return [_left_out(gaps)]


def _left_out(gaps: FloatArray) -> str:
    ranges = dict.fromkeys(f"{clock(first)} to {clock(last)}" for first, last in gaps)  # each once, however often
    return f"leaves out {' and '.join(ranges)} of the track"


def _gaps(plan: LoopPlan) -> FloatArray:
    """The gaps between the segments of a plan, shape (n, 2), s of the track; without loops back."""
    table = segment_table(plan)
    gaps = np.column_stack([table[:-1, 1], table[1:, 0]])
    return gaps[gaps[:, 1] > gaps[:, 0]]
