"""Move a seam of a plan to another bar line, and leave all else of the plan where it is.

A seam that moves by some bars leaves the track as many bars later and enters it as many later: the body stays as long,
and so does the music. Each such splice is one of its own, with its own score. A place where it cannot be says why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.errors import PlanError
from workbench.params import CoverParams
from workbench.plans.build import PlayedSegments, Window, build_plan, segments_of
from workbench.plans.constraints import UNCONSTRAINED, LineConstraints, NamedSplice
from workbench.plans.plan import LoopPlan, micros, nearest_line, seam_lines, segment_starts, segment_table
from workbench.plans.plan_score import seam_score_power, seams_part
from workbench.plans.splices import PlayableSplices, as_played
from workbench.recording import FloatArray, VideoSeconds
from workbench.seams.profile import SEAM_PARTS, LoopProfile

REACH_BARS = 8  # how far a seam can be moved at once


@dataclass(frozen=True, slots=True)
class SeamPlace:
    """Where a seam could be."""

    bars: int
    """by how many it is moved; negative: earlier; 0: where it is"""
    splice: NamedSplice
    """of the bar lines there"""
    at: VideoSeconds
    """where it would be in the video"""
    score: float | None
    """seam score, 0 to 1; None where there is no splice to score"""
    parts: dict[str, float]
    """0 to 1 each, by the names of `SEAM_PARTS`; empty as the score"""
    obstacle: str
    """why it cannot be there, in words; empty where it can"""


def seam_pairs(profile: LoopProfile, plan: LoopPlan) -> list[tuple[int, int]]:
    """The bar lines that each seam of a plan leaves and enters."""
    return [(leave, enter) for leave, enter in seam_lines(segment_table(plan), profile.downbeats).tolist()]


def seam_scores(profile: LoopProfile, plan: LoopPlan) -> FloatArray:
    """The score of each seam of a plan, as its bar lines have it; the worst one's if the profile lacks the splice."""
    rows = [profile.splices.row_of(*pair) for pair in seam_pairs(profile, plan)]
    return np.array([plan.seam_score if row is None else float(profile.splices.score[row]) for row in rows])


def seams_of(profile: LoopProfile, plan: LoopPlan) -> PlayableSplices:
    """The seams of a plan in the order of playback, as it plays them, the fades that a person set included."""
    table = segment_table(plan)
    song_to, song_from = table[:-1, 1], table[1:, 0]
    leave, enter = seam_lines(table, profile.downbeats).T
    gains = np.array([segment.gain_in_db for segment in plan.segments[1:]])
    fades, curves = np.array(plan.seam_fades), np.array(plan.seam_curves)
    scores = seam_scores(profile, plan)
    return PlayableSplices(leave, enter, song_to, song_from, song_to - song_from, scores, fades, curves, gains)


def place_pairs(profile: LoopProfile, plan: LoopPlan, seam: int) -> dict[int, tuple[int, int]]:
    """The bar lines that a seam would leave and enter at each of its places, by bars moved.

    Seams count from 0; only places at which both bar lines exist are in.
    """
    leave, enter = seam_pairs(profile, plan)[seam]
    last = profile.downbeats.size - 1
    return {
        bars: (leave + bars, enter + bars)
        for bars in range(-REACH_BARS, REACH_BARS + 1)
        if min(leave, enter) + bars >= 0 and max(leave, enter) + bars <= last
    }


def seam_places(
    profile: LoopProfile,
    plan: LoopPlan,
    seam: int,
    params: CoverParams,
    constraints: LineConstraints = UNCONSTRAINED,
) -> list[SeamPlace]:
    """Where a seam could be, earliest first, with its score there, or what is in the way.

    Seams count from 0; the profile holds the splices of `place_pairs`, as far as there is room for them.
    """
    lines, splices = profile.downbeats, profile.splices
    pairs, every = place_pairs(profile, plan, seam), seam_pairs(profile, plan)
    before = every[seam - 1][1] if seam else int(np.searchsorted(lines, plan.song_start - 0.1))
    clear_end = plan.segments[-1].song_to - (plan.end_fade_seconds if plan.is_faded_out else 0.0)
    after = every[seam + 1][0] if seam + 1 < len(every) else int(nearest_line(lines, np.array(clear_end)))
    places = []
    for bars, (leave, enter) in pairs.items():
        row = splices.row_of(leave, enter)
        obstacle = ""
        if np.isin([leave, enter], constraints.never_cut).any():
            obstacle = "in a range that is never cut"
        elif [leave, enter] in constraints.forbidden.tolist():
            obstacle = "this splice is forbidden"
        elif leave <= before:
            obstacle = "the seam before it is there" if seam else "the music starts there"
        elif enter >= after:
            obstacle = "the next seam is there" if seam + 1 < len(every) else "the music ends there"
        if row is None or not splices.have_room(profile.song_duration)[row]:
            obstacle = obstacle or "no room for a crossfade at an end of the track"
        if not obstacle and bars:
            obstacle = _broken_rule(profile, plan, seam, bars, params, constraints)
        places.append(
            SeamPlace(
                bars=bars,
                splice=NamedSplice(float(lines[leave]), float(lines[enter])),
                at=float(plan.seam_times[seam] + lines[leave] - lines[pairs[0][0]]),
                score=None if row is None else float(splices.score[row]),
                parts={} if row is None else dict(zip(SEAM_PARTS, splices.parts[row].tolist(), strict=True)),
                obstacle=obstacle,
            )
        )
    return places


def move_seam(profile: LoopProfile, plan: LoopPlan, seam: int, bars: int, params: CoverParams) -> LoopPlan:
    """A plan with one seam moved, and all else where it is.

    Where the bars of the track are not all equally long, the sum of the segments changes by some milliseconds: a
    closing fade takes them, or the silence around the track's own ending. Seams count from 0; negative `bars` move it
    earlier; the plan has no options. Raises `PlanError` if there is no such place, or the plan breaks a rule with the
    seam there.
    """
    pair = place_pairs(profile, plan, seam).get(bars)
    row = None if pair is None else profile.splices.row_of(*pair)
    if pair is None or row is None:
        raise PlanError(f"seam {seam + 1} cannot be moved by {bars} bars: the track has no such splice")
    seams, new = seams_of(profile, plan), as_played(profile.splices.rows(np.array([row])), profile.downbeats)
    before = float(segment_starts(segment_table(plan), 0.0)[-1])
    was = seams_part(seams.score.min(), seams.score.mean(), seam_score_power(plan.kind))
    seams = seams.with_row(seam, new)
    part = seams_part(seams.score.min(), seams.score.mean(), seam_score_power(plan.kind))
    table = np.column_stack(
        [np.append(plan.song_start, seams.song_from), np.append(seams.song_to, plan.segments[-1].song_to)]
    )
    if np.any(table[:, 1] - table[:, 0] <= 0.0):
        raise PlanError(f"seam {seam + 1} cannot be moved by {bars} bars: another seam is there")
    longer = micros(float(segment_starts(table, 0.0)[-1]) - before)
    music_in, tail = micros(plan.music_in), micros(plan.tail_seconds)
    if plan.is_faded_out:
        table[-1, 1] = (micros(table[-1, 1]) - longer) / 1e6
        tail = max(0, tail - longer)
    else:
        tail -= longer
        if tail < 0 and plan.start_at is None:  # the start gives what the end lacks
            music_in, tail = music_in + tail, 0
        if tail < 0 or music_in < 0:
            raise PlanError(f"with seam {seam + 1} there the music lasts {longer / 1000:.0f} ms longer than the video")
    end_fade = max(plan.end_fade_seconds, tail / 1e6) if plan.is_faded_out else tail / 1e6
    return build_plan(
        profile,
        PlayedSegments(
            segments_of(table, np.append(plan.segments[0].gain_in_db, seams.gain_in_db)),
            seams.fade,
            seams.exponent,
            seams.score,
            plan.start_fade_seconds,
            plan.gain_glide_seconds,
        ),
        replace(plan.ending, tail_seconds=tail / 1e6, fade_seconds=end_fade),
        Window(music_in / 1e6, plan.window_end, plan.start_at),
        float(np.clip(plan.plan_score + params.seams_weight * (part - was), 0.0, 1.0)),
    )


def _broken_rule(
    profile: LoopProfile,
    plan: LoopPlan,
    seam: int,
    bars: int,
    params: CoverParams,
    constraints: LineConstraints,
) -> str:
    """The rule that the plan would break with the seam there; empty: none."""
    try:
        moved = move_seam(profile, plan, seam, bars, params)
    except PlanError as error:
        return str(error)
    if constraints.plays_excluded(*segment_table(moved).T).any():
        return "it would play what is excluded"
    return ""
