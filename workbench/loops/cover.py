"""Fill a clip with a song, to the millisecond: choose bodies, how often each repeats, and how it ends.

The music plays the song from its start and takes jumps (`workbench.loops.jumps`). A loop back adds the length of its
body to the song's own, a cut ahead takes some away, and so the length of the result is a sum that does not depend on
the order. Which sums exist is therefore enumerated over few jumps, and how often the main body repeats follows by
division: the planner's work does not grow with the clip (Wenner et al. 2013 and Plachouras & Miron 2023 search the
same space by dynamic programming over the beats of the result).

A route is built of

- a main body P, heard as often as the length asks for. Where it would follow itself more than `max_passes_in_a_row`
  times, other bodies that can be reached from it and lead back to it (companions) stand between, in turn; in a clip of
  hours this is a cycle through several bodies;
- before or after it one more body or cut Q, up to three times;
- one last jump R, which brings the music to its exit;
- an end: the song's own, where the sum leaves less than a bar to spare (or two, of which `music_in` takes one); else a
  fade on a bar line, preferably a section's.

Every combination that fits is ranked by an estimate of `plan_score` (`workbench.loops.worth`), the best are scored
exactly, and the best that differ to the ear become the options. What an ideal plan has is given up in the order of the
weights in `CoverParams`, smallest first: rare seams, much of the song, whole phrases, freshness, the song's own ending;
a seam under the floor is never used. Bodies shorter than `min_body_seconds` only ever serve as Q or R.

The answer is a function of the profile, the length and the parameters alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from workbench.loops import refusals
from workbench.loops.assembly import Route, assemble, end_slack, fade_route, own_end_route, route_worth
from workbench.loops.jumps import Jumps, rank_within, usable_jumps
from workbench.loops.plan import MAX_OPTIONS, LoopPlan
from workbench.loops.profile import LoopProfile
from workbench.loops.refusals import Refusal
from workbench.loops.worth import Worth, economy_part, fade_part, freshness_part, own_ending_part, seams_part
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray

_FINALISTS = 24  # routes scored exactly
_FINALISTS_OF_ONE_BODY = 3
_SAME_BODY = 3  # main bodies of one length in bars: others are the same loop, begun a little earlier or later
_MOST_TIMES = 3  # how often Q is taken
_DIFFERENT_BARS = 4  # how far, in all, the ends of two bodies lie apart that sound different
_NONE = -1  # no jump


def plan_loop(profile: LoopProfile, video_seconds: float, params: CoverParams = CoverParams()) -> LoopPlan | Refusal:
    """Cover a clip with a song.

    Parameters
    ----------
    profile : what is known of the song
    video_seconds : length of the clip, s; rounded to the microsecond

    Returns
    -------
    LoopPlan : the best plan, with up to four options, the first equal to it; or
    Refusal : `video_not_longer`, `no_loop_profile`, `low_confidence` or `no_viable_loop`, asked in this order
    """
    refusal = refusals.video_not_longer(video_seconds, profile.song_duration, params.required_excess_seconds)
    if refusal is not None:
        return refusal
    if profile.downbeats.size < 3:
        return refusals.no_loop_profile()
    if profile.grid_confidence < params.min_confidence:
        return refusals.low_confidence(profile.grid_confidence, params.min_confidence)
    jumps = usable_jumps(profile, params)
    if jumps.size == 0:
        return refusals.no_viable_loop("no two of its bar lines sound alike enough to jump between them")
    if not np.any(jumps.is_body & jumps.first):
        return refusals.no_viable_loop(f"no part of it that repeats lasts {params.min_body_seconds:.0f} s")

    clip = round(video_seconds, 6)
    blocks = _blocks(jumps, clip - (profile.last_sound - profile.song_start), params)
    routes = _own_end_routes(jumps, blocks, profile, clip, params) + _fade_routes(jumps, blocks, profile, clip, params)
    if not routes:
        return refusals.no_viable_loop("its loops add up to no length that ends with the video")
    scored = [(float(route_worth(route, jumps, profile, params).total(params)), route) for route in routes]
    scored.sort(key=lambda pair: -pair[0])
    options: list[LoopPlan] = []
    for _, route in scored:
        if len(options) < MAX_OPTIONS:
            plan = assemble(route, jumps, profile, params)
            if all(_differs(plan, other, profile) for other in options):
                options.append(plan)
    return replace(options[0], options=tuple(options))


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """A main body with the companions that relieve it."""

    body: int
    companions: tuple[int, ...]
    relief: int
    """how many companion passes stand between runs of the body"""
    gain_seconds: float
    """what those companion passes add, s"""

    def path(self, passes: int) -> IntArray:
        """`passes` jumps of the body in runs as equal as can be, companions in turn between them."""
        runs = self.relief + 1
        counts = np.ones(2 * runs - 1, dtype=np.int64)
        counts[::2] = passes // runs + (np.arange(runs) < passes % runs)
        order = np.full(2 * runs - 1, self.body, dtype=np.int64)
        if self.relief:
            order[1::2] = np.resize(self.companions, self.relief)
        return np.repeat(order, counts)


class _Mix(NamedTuple):
    """Combinations of a block, Q taken `times`, and R, one a row."""

    block: IntArray
    extra: IntArray
    times: IntArray
    last: IntArray
    first_extra: BoolArray
    """Q before the block, or after it"""
    passes: IntArray
    """jumps of the main body"""
    exits: IntArray
    """the jump after which the music plays to its end"""


def _blocks(jumps: Jumps, need: float, params: CoverParams) -> list[_Block]:
    """Main bodies worth trying, best first, each relieved as often as a gap of `need` seconds asks for."""
    bodies = np.flatnonzero(jumps.is_body & jumps.first & np.diagonal(jumps.follows))
    length = jumps.gain_seconds[bodies]
    worth = (
        0.5 * jumps.score[bodies] + 0.3 * (1 - np.exp(-length / params.fresh_seconds)) + 0.2 * jumps.phrasing[bodies]
    )
    order = np.argsort(-worth, kind="stable")
    bodies = bodies[order]
    bodies = bodies[rank_within(jumps.leave[bodies] - jumps.enter[bodies]) < _SAME_BODY][: params.primaries]
    return [_relieved(jumps, int(body), need, params) for body in bodies]


def _relieved(jumps: Jumps, body: int, need: float, params: CoverParams) -> _Block:
    """A main body with companions: as good a seam or nearly, long, unlike the body and one another."""
    in_a_row = params.max_passes_in_a_row - 1  # jumps: the last pass is left by another jump
    length = float(jumps.gain_seconds[body])
    if need / length <= in_a_row:
        return _Block(body, (), 0, 0.0)
    fits = jumps.is_body & jumps.follows[body] & jumps.follows[:, body]
    fits &= jumps.score >= max(params.min_seam_score, float(jumps.score[body]) - 0.15)
    worth = jumps.score + 0.4 * (1 - np.exp(-jumps.gain_seconds / params.fresh_seconds)) + 0.2 * jumps.phrasing
    chosen: list[int] = []
    for candidate in np.argsort(-np.where(fits, worth, -1.0), kind="stable").tolist():
        if not fits[candidate] or len(chosen) == params.companions:
            break
        if all(_apart(jumps, candidate, other) >= _DIFFERENT_BARS for other in (body, *chosen)):
            chosen.append(candidate)
    if not chosen:
        return _Block(body, (), 0, 0.0)
    mean = float(np.mean(jumps.gain_seconds[chosen]))
    relief = int(np.ceil((need / length - in_a_row) / (in_a_row + mean / length)))
    turns = np.bincount(np.arange(relief) % len(chosen), minlength=len(chosen))
    return _Block(body, tuple(chosen), relief, float(turns @ jumps.gain_seconds[chosen]))


def _apart(jumps: Jumps, one: int, other: int) -> int:
    """Bars by which the ends of two bodies differ in all."""
    return abs(int(jumps.leave[one] - jumps.leave[other])) + abs(int(jumps.enter[one] - jumps.enter[other]))


def _adjusters(jumps: Jumps, params: CoverParams) -> IntArray:
    """Jumps that can make a length fit: the best of every length, with `_NONE` first."""
    bars = jumps.leave - jumps.enter
    nth_of_length = rank_within(bars)
    order = np.lexsort((-jumps.score, nth_of_length // 2))
    return np.concatenate([[_NONE], order[: params.adjusters]])


def _combinations(jumps: Jumps, blocks: list[_Block], extras: IntArray, lasts: IntArray) -> list[_Mix]:
    """Every legal order of a block, Q once or more, and R; `passes` is still to be filled in."""
    times = np.arange(1, _MOST_TIMES + 1)
    extra, many = (a.ravel() for a in np.meshgrid(extras, times, indexing="ij"))
    again = np.append(np.diagonal(jumps.follows), False)
    kept = (many == 1) | again[extra]
    extra, many = extra[kept], many[kept]
    n = jumps.size
    follows = np.zeros((n + 1, n + 1), dtype=bool)  # the last row and column stand for no jump
    follows[:n, :n] = jumps.follows
    follows[:, n] = True
    first = np.append(jumps.first, False)
    body = np.array([block.body for block in blocks], dtype=np.int64)

    block_first = follows[body[:, None], extra[None, :]][:, :, None] & follows[extra[:, None], lasts[None, :]][None]
    extra_first = (first[extra][None, :] & follows[extra[None, :], body[:, None]])[:, :, None]
    extra_first = extra_first & follows[body[:, None], lasts[None, :]][:, None, :]
    found = []
    for legal, before in ((block_first, False), (extra_first, True)):
        b, x, r = np.nonzero(legal)
        q, last = extra[x], lasts[r]
        in_between = body[b] if before else np.where(q == _NONE, body[b], q)
        exits = np.where(last == _NONE, in_between, last)
        found.append(_Mix(b, q, many[x], last, np.full(b.size, before), np.zeros(b.size, dtype=np.int64), exits))
    return found


def _added(jumps: Jumps, blocks: list[_Block], mix: _Mix) -> FloatArray:
    """Seconds that all jumps of a combination but those of the main body add."""
    gain = np.append(jumps.gain_seconds, 0.0)
    companions = np.array([block.gain_seconds for block in blocks])
    return np.asarray(companions[mix.block] + gain[mix.extra] * mix.times + gain[mix.last])


def _own_end_routes(
    jumps: Jumps, blocks: list[_Block], profile: LoopProfile, clip: float, params: CoverParams
) -> list[Route]:
    """The best routes that end with the song itself."""
    if profile.ending is None or not blocks:
        return []
    longest_tail, latest_start = end_slack(profile)
    least = max(params.min_segment_seconds, params.gain_glide_seconds, longest_tail)
    plays_out = profile.last_sound - jumps.song_from >= least + jumps.fade / 2
    need = clip - (round(profile.last_sound, 6) - round(profile.song_start, 6))
    length = np.array([jumps.gain_seconds[block.body] for block in blocks])
    adjusters = _adjusters(jumps, params)
    candidates: list[tuple[float, _Mix, int]] = []
    for mix in _combinations(jumps, blocks, adjusters, adjusters):
        left = need - _added(jumps, blocks, mix)
        passes = np.floor((left + 1e-6) / length[mix.block]).astype(np.int64)
        spare = left - passes * length[mix.block]
        fits = (spare <= longest_tail + latest_start - 1e-5) & plays_out[mix.exits] & _enough(blocks, mix, passes)
        mix = _take(mix._replace(passes=passes), fits)
        ending = own_ending_part(profile.ending.kind, spare[fits] > longest_tail)
        candidates += _best(mix, _estimate(jumps, blocks, mix, ending, clip, params))
    routes = (
        own_end_route(jumps, _path(blocks, mix, row), profile, clip) for mix, row in _finalists(candidates, blocks)
    )
    return [route for route in routes if route is not None]


def _fade_routes(
    jumps: Jumps, blocks: list[_Block], profile: LoopProfile, clip: float, params: CoverParams
) -> list[Route]:
    """The best routes that fade on a bar line, clear of the song's own ending."""
    if not blocks:
        return []
    lines = profile.downbeats
    last_line = lines.size - 1 if profile.ending is None else min(profile.ending.start_bar, lines.size - 1)
    latest = float(lines[last_line]) if last_line == lines.size - 1 else float(lines[last_line + 1]) - 1e-3
    latest = min(latest, profile.last_sound)
    length = np.array([jumps.gain_seconds[block.body] for block in blocks])
    worth_of_line = fade_part(profile)
    least = max(params.min_segment_seconds, params.gain_glide_seconds)
    bar = float(np.median(np.diff(lines)))
    candidates: list[tuple[float, _Mix, int]] = []
    for room in (params.fade_out_seconds + 2 * bar, 0.0):
        for mix in _combinations(jumps, blocks, _adjusters(jumps, params), np.array([_NONE])):
            plays = clip + profile.song_start - _added(jumps, blocks, mix)
            earliest = jumps.song_from[mix.exits] + np.maximum(least, room + jumps.fade[mix.exits]) + bar
            most = np.floor((plays - earliest) / length[mix.block]).astype(np.int64)
            for fewer in range(3):
                passes = most - fewer
                stops = plays - passes * length[mix.block]
                fits = (stops <= latest) & _enough(blocks, mix, passes)
                kept = _take(mix._replace(passes=passes), fits)
                resolves = np.searchsorted(lines, stops[fits] + 1e-6, side="right") - 1
                score = _estimate(jumps, blocks, kept, worth_of_line[resolves], clip, params)
                candidates += _best(kept, score)
        if candidates:
            break
    return [fade_route(jumps, _path(blocks, mix, row), profile, clip) for mix, row in _finalists(candidates, blocks)]


def _enough(blocks: list[_Block], mix: _Mix, passes: IntArray) -> BoolArray:
    """Whether the main body is heard between any two companions."""
    runs = np.array([block.relief + 1 for block in blocks], dtype=np.int64)
    return passes >= runs[mix.block]


def _take(mix: _Mix, rows: BoolArray) -> _Mix:
    return _Mix(*(column[rows] for column in mix))


def _estimate(
    jumps: Jumps, blocks: list[_Block], mix: _Mix, ending: FloatArray, clip: float, params: CoverParams
) -> FloatArray:
    """`plan_score` of each combination but for coverage, and with the lengths of the segments only roughly known."""
    body = np.array([block.body for block in blocks], dtype=np.int64)[mix.block]
    relief = np.array([block.relief for block in blocks], dtype=np.int64)[mix.block]
    # For companions: worst score, mean score, mean phrasing, length-weighted length.
    relieving = np.array([_companion_means(jumps, block) for block in blocks]).reshape(-1, 4)[mix.block]
    score, phrasing = np.append(jumps.score, 1.0), np.append(jumps.phrasing, 0.0)
    gain = np.append(np.maximum(jumps.gain_seconds, 0.0), 0.0)
    times, one = np.where(mix.extra == _NONE, 0, mix.times), np.where(mix.last == _NONE, 0, 1)
    seams = mix.passes + relief + times + one
    worst = np.minimum(np.minimum(score[body], relieving[:, 0]), np.minimum(score[mix.extra], score[mix.last]))
    mean = mix.passes * score[body] + relief * relieving[:, 1] + times * score[mix.extra] + one * score[mix.last]
    phrases = mix.passes * phrasing[body] + relief * relieving[:, 2] + times * phrasing[mix.extra]
    phrases = phrases + one * phrasing[mix.last]
    squares = mix.passes * gain[body] ** 2 + relief * relieving[:, 3] + times * gain[mix.extra] ** 2
    looped = mix.passes * gain[body] + times * gain[mix.extra]
    rest = np.maximum(0.0, clip - looped - np.array([block.gain_seconds for block in blocks])[mix.block])
    gap = (squares + rest**2 / 2) / clip
    run = np.ceil(mix.passes / (relief + 1)) + 1
    return Worth(
        seams=seams_part(worst, mean / seams),
        ending=ending,
        freshness=freshness_part(gap, run, params),
        phrasing=phrases / seams,
        coverage=np.zeros(seams.size),
        economy=economy_part(clip / (seams + 1), params),
    ).total(params)


def _companion_means(jumps: Jumps, block: _Block) -> tuple[float, float, float, float]:
    if not block.relief:
        return 1.0, 1.0, 0.0, 0.0
    chosen = list(block.companions)
    score, gain = jumps.score[chosen], jumps.gain_seconds[chosen]
    return float(score.min()), float(score.mean()), float(jumps.phrasing[chosen].mean()), float(np.mean(gain**2))


def _best(mix: _Mix, score: FloatArray) -> list[tuple[float, _Mix, int]]:
    """The best rows, a few for each main body, as (score, combinations, row)."""
    order = np.argsort(-score, kind="stable")
    order = order[rank_within(mix.block[order]) < _FINALISTS_OF_ONE_BODY][: 2 * _FINALISTS]
    return [(float(score[row]), mix, int(row)) for row in order]


def _finalists(candidates: list[tuple[float, _Mix, int]], blocks: list[_Block]) -> list[tuple[_Mix, int]]:
    ranked = sorted(candidates, key=lambda candidate: -candidate[0])[:_FINALISTS]
    return [(mix, row) for _, mix, row in ranked]


def _path(blocks: list[_Block], mix: _Mix, row: int) -> IntArray:
    """The jumps of one combination in the order in which they are taken."""
    main = blocks[mix.block[row]].path(int(mix.passes[row]))
    extra = np.full(0 if mix.extra[row] == _NONE else mix.times[row], mix.extra[row], dtype=np.int64)
    last = np.full(0 if mix.last[row] == _NONE else 1, mix.last[row], dtype=np.int64)
    return np.concatenate([extra, main, last] if mix.first_extra[row] else [main, extra, last])


def _differs(plan: LoopPlan, other: LoopPlan, profile: LoopProfile) -> bool:
    """Whether a reviewer hears two plans apart: another body, or another ending."""
    if plan.end_label.split()[0] != other.end_label.split()[0] or plan.outro_start != other.outro_start:
        return True
    bar = float(np.median(np.diff(profile.downbeats)))
    apart = abs(plan.loop_start_a - other.loop_start_a) + abs(plan.loop_end_b - other.loop_end_b)
    return apart > (_DIFFERENT_BARS - 0.5) * bar
