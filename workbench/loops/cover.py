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
weights in `CoverParams`, smallest first: rare seams, whole phrases, freshness, even use of the song, the own ending;
a seam under the floor is never used. Bodies shorter than `min_body_seconds` only ever serve as Q or R.

The answer is a function of the profile, the length and the parameters alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from workbench.loops import refusals
from workbench.loops.assembly import (
    Route,
    assemble,
    body_heard_longest,
    end_slack,
    fade_route,
    own_end_route,
    route_worth,
)
from workbench.loops.jumps import Jumps, rank_within, usable_jumps
from workbench.loops.plan import MAX_OPTIONS, LoopPlan
from workbench.loops.profile import LoopProfile
from workbench.loops.refusals import Refusal
from workbench.loops.worth import Worth, economy_part, freshness_part, own_ending_part, seams_part
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray

_FINALISTS = 12  # routes of each kind of ending scored exactly
_FINALISTS_OF_ONE_BODY = 3
_SAME_BODY = 3  # main bodies of one length in bars: others are the same loop, begun a little earlier or later
_MOST_TIMES = 3  # how often Q is taken
_WORSE_SEAM = 0.08  # how much likelier a companion may be heard
_NONE = -1  # no jump
_UNRELIEVED = (1.0, 1.0, 0.0, 0.0, 0.0)


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
    worth = [float(route_worth(route, jumps, profile, params).total(params)) for route in routes]
    options: list[tuple[Route, int]] = []
    for index in np.argsort(-np.array(worth), kind="stable").tolist():
        if len(options) == MAX_OPTIONS:
            break
        body, passes = body_heard_longest(routes[index], jumps, profile)
        if passes and all(
            routes[index].own_ending != other.own_ending or jumps.unlike(body, [known]) for other, known in options
        ):
            options.append((routes[index], body))
    if not options:
        return refusals.no_viable_loop("no body of it is heard in one piece in this length")
    plans = tuple(assemble(route, jumps, profile, params) for route, _ in options)
    return replace(plans[0], options=plans)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """A main body with the companions that relieve it."""

    body: int
    companions: tuple[int, ...]
    relief: int
    """how many companion passes stand between runs of the body"""
    gain_seconds: float
    """what those companion passes add, s"""
    span_seconds: float
    """from where the first of these bodies enters to where the last leaves, s; they all share a bar"""
    relieving: tuple[float, float, float, float, float]
    """worst score, and means of score, phrasing, squared length and length of the companions"""

    def path(self, passes: int) -> IntArray:
        """`passes` jumps of the body in runs as equal as can be, companions in turn between them."""
        runs = self.relief + 1
        counts = np.ones(2 * runs - 1, dtype=np.int64)
        counts[::2] = passes // runs + (np.arange(runs) < passes % runs)
        order = np.full(2 * runs - 1, self.body, dtype=np.int64)
        if self.relief:
            order[1::2] = np.array(self.companions)[np.arange(self.relief) % len(self.companions)]
        return np.repeat(order, counts)


class _Mixes(NamedTuple):
    """Combinations of a block, Q taken `times`, and R, one a row."""

    block: IntArray
    extra: IntArray
    times: IntArray
    last: IntArray
    extra_first: BoolArray
    """Q before the block, or after it"""
    passes: IntArray
    """jumps of the main body"""


class _Space(NamedTuple):
    """All combinations of blocks, Q and R as a box of shape (n_blocks, n_extras, n_lasts)."""

    body: IntArray
    """shape (n_blocks, 1, 1), jump of the main body"""
    extra: IntArray
    """shape (1, n_extras, 1)"""
    times: IntArray
    """shape (1, n_extras, 1)"""
    last: IntArray
    """shape (1, 1, n_lasts)"""
    legal_after: BoolArray
    """block, Q, R may follow one another"""
    legal_before: BoolArray
    """Q, block, R may follow one another; False where there is no Q"""
    added: FloatArray
    """seconds that all jumps but those of the main body add"""

    def rows(self, chosen: BoolArray, passes: IntArray, before: BoolArray) -> _Mixes:
        """The chosen combinations, one a row; `before` has the shape of `chosen`: Q before the block."""
        block, extra, last = np.nonzero(chosen)
        taken = self.extra[0, extra, 0]
        times = np.where(taken == _NONE, 0, self.times[0, extra, 0])
        return _Mixes(block, taken, times, self.last[0, 0, last], before[chosen], passes[chosen])


def _blocks(jumps: Jumps, need: float, params: CoverParams) -> list[_Block]:
    """Main bodies worth trying, best first, each relieved as often as a gap of `need` seconds asks for."""
    worth = 0.5 * jumps.score + 0.3 * (1 - np.exp(-jumps.gain_seconds / params.fresh_seconds)) + 0.2 * jumps.phrasing
    order = np.argsort(-worth, kind="stable")
    order = order[jumps.is_body[order]]
    bodies = order[jumps.first[order] & jumps.follows[order, order]]
    bodies = bodies[rank_within(jumps.leave[bodies] - jumps.enter[bodies]) < _SAME_BODY][: params.primaries]
    return [_relieved(jumps, int(body), order, need, params) for body in bodies]


def _relieved(jumps: Jumps, body: int, order: IntArray, need: float, params: CoverParams) -> _Block:
    """A main body with companions, the first in `order` that lead back to it with nearly as good a seam and differ."""
    in_a_row = params.max_passes_in_a_row - 1  # jumps: the last pass is left by another jump
    length = float(jumps.gain_seconds[body])
    most = int(need / length)
    if most <= in_a_row:
        return _Block(body, (), 0, 0.0, length, _UNRELIEVED)
    fits = jumps.follows[body, order] & jumps.follows[order, body]
    fits &= jumps.score[order] >= jumps.score[body] - _WORSE_SEAM
    chosen: list[int] = []
    for candidate in order[fits].tolist():
        if len(chosen) == params.companions:
            break
        if jumps.unlike(candidate, (body, *chosen)):
            chosen.append(candidate)
    if not chosen:
        return _Block(body, (), 0, 0.0, length, _UNRELIEVED)
    n = len(chosen)
    gain, score = jumps.gain_seconds[chosen].tolist(), jumps.score[chosen].tolist()
    mean = sum(gain) / n
    relief = int(np.ceil((most - in_a_row) / (in_a_row + mean / length)))
    turns = [relief // n + (turn < relief % n) for turn in range(n)]
    phrasing = sum(jumps.phrasing[chosen].tolist()) / n
    relieving = (min(score), sum(score) / n, phrasing, sum(one * one for one in gain) / n, mean)
    added = sum(often * one for often, one in zip(turns, gain, strict=True))
    span = float(jumps.song_to[[body, *chosen]].max() - jumps.song_from[[body, *chosen]].min())
    return _Block(body, tuple(chosen), relief, added, span, relieving)


def _adjusters(jumps: Jumps, params: CoverParams) -> IntArray:
    """Jumps that can make a length fit: the best of every length, with `_NONE` first."""
    bars = jumps.leave - jumps.enter
    nth_of_length = rank_within(bars)
    order = np.lexsort((-jumps.score, nth_of_length // 2))
    return np.concatenate([[_NONE], order[: params.adjusters]])


def _space(jumps: Jumps, blocks: list[_Block], extras: IntArray, lasts: IntArray) -> _Space:
    """Every combination of a block, Q once or more, and R, and in which order they may follow one another."""
    extra, times = (a.ravel() for a in np.meshgrid(extras, np.arange(1, _MOST_TIMES + 1), indexing="ij"))
    several = np.append(np.diagonal(jumps.follows) & jumps.is_body, False)
    kept = (times == 1) | several[extra]
    extra, times = extra[kept], times[kept]
    n = jumps.size
    follows = np.zeros((n + 1, n + 1), dtype=bool)  # the last row and column stand for no jump
    follows[:n, :n] = jumps.follows
    follows[:, n] = True
    first, gain = np.append(jumps.first, False), np.append(jumps.gain_seconds, 0.0)
    body = np.array([block.body for block in blocks], dtype=np.int64)
    relieving = np.array([block.gain_seconds for block in blocks])

    legal_after = follows[np.ix_(body, extra)][:, :, None] & follows[np.ix_(extra, lasts)][None, :, :]
    opens = first[extra][None, :] & follows[np.ix_(extra, body)].T
    legal_before = opens[:, :, None] & follows[np.ix_(body, lasts)][:, None, :]
    added = relieving[:, None, None] + (gain[extra] * times)[None, :, None] + gain[lasts][None, None, :]
    return _Space(
        body[:, None, None],
        extra[None, :, None],
        times[None, :, None],
        lasts[None, None, :],
        legal_after,
        legal_before,
        added,
    )


def _own_end_routes(
    jumps: Jumps, blocks: list[_Block], profile: LoopProfile, clip: float, params: CoverParams
) -> list[Route]:
    """The best routes that end with the song itself."""
    if profile.ending is None or not blocks:
        return []
    longest_tail, latest_start = end_slack(profile)
    least = max(params.min_segment_seconds, params.gain_glide_seconds, longest_tail)
    plays_out = np.append(profile.last_sound - jumps.song_from >= least + jumps.fade / 2, True)
    need = clip - (round(profile.last_sound, 6) - round(profile.song_start, 6))

    adjusters = _adjusters(jumps, params)
    space = _space(jumps, blocks, adjusters, adjusters)
    length = jumps.gain_seconds[space.body]
    left = need - space.added
    passes = np.floor((left + 1e-6) / length).astype(np.int64)
    spare = left - passes * length
    fits = (spare <= longest_tail + latest_start - 1e-5) & (passes >= _least_passes(blocks))
    # The jump before the end is R; without R it is Q, or the body where Q comes first or not at all.
    exits_after = np.where(space.last != _NONE, space.last, np.where(space.extra != _NONE, space.extra, space.body))
    exits_before = np.where(space.last != _NONE, space.last, space.body)
    after = space.legal_after & plays_out[exits_after]
    fits &= after | (space.legal_before & plays_out[exits_before])
    mixes = space.rows(fits, passes, ~after)
    tail = np.minimum(spare[fits], longest_tail)
    ending = own_ending_part(profile.ending.kind, spare[fits] - tail, tail)
    score = _estimate(jumps, blocks, mixes, ending, clip, profile.last_sound, params)
    best = _best(mixes.block, score)[:_FINALISTS]
    routes = (own_end_route(jumps, _path(blocks, mixes, row), profile, clip) for row in best.tolist())
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
    space = _space(jumps, blocks, _adjusters(jumps, params), np.array([_NONE]))
    length = jumps.gain_seconds[space.body]
    plays = clip + round(profile.song_start, 6) - space.added
    bar = float(np.median(np.diff(lines)))
    roomy, tight = params.fade_out_seconds + 2.0 * bar, 0.0
    for room in (roomy, tight):
        found: list[tuple[float, _Mixes, int]] = []
        least = max(params.min_segment_seconds, params.gain_glide_seconds, room)
        for legal, before in ((space.legal_after, False), (space.legal_before, True)):
            exits = space.body if before else np.where(space.extra != _NONE, space.extra, space.body)
            earliest = jumps.song_from[exits] + least + jumps.fade[exits] + bar
            most = np.floor((plays - earliest) / length).astype(np.int64)
            for fewer in range(3):
                passes = most - fewer
                stops = plays - passes * length
                fits = legal & (stops <= latest) & (passes >= _least_passes(blocks))
                mixes = space.rows(fits, passes, np.full(fits.shape, before))
                line = np.searchsorted(lines, stops[fits] + 1e-6, side="right") - 1
                ending = jumps.fade_worth[line]
                score = _estimate(jumps, blocks, mixes, ending, clip, profile.last_sound, params)
                found += [(float(score[row]), mixes, row) for row in _best(mixes.block, score)[:_FINALISTS].tolist()]
        if found:
            break
    found.sort(key=lambda candidate: -candidate[0])
    return [fade_route(jumps, _path(blocks, mixes, row), profile, clip) for _, mixes, row in found[:_FINALISTS]]


def _least_passes(blocks: list[_Block]) -> IntArray:
    """Jumps of the main body that keep any two companions apart, shape (n_blocks, 1, 1)."""
    return np.array([block.relief + 1 for block in blocks], dtype=np.int64)[:, None, None]


def _estimate(
    jumps: Jumps,
    blocks: list[_Block],
    mixes: _Mixes,
    ending: FloatArray,
    clip: float,
    song: float,
    params: CoverParams,
) -> FloatArray:
    """`plan_score` of each combination, as if bodies neither overlapped nor left odd ends between them."""
    body = np.array([block.body for block in blocks], dtype=np.int64)[mixes.block]
    relief = np.array([block.relief for block in blocks], dtype=np.int64)[mixes.block]
    relieving = np.array([block.relieving for block in blocks])[mixes.block]
    score, phrasing = np.append(jumps.score, 1.0), np.append(jumps.phrasing, 0.0)
    gain = np.append(np.maximum(jumps.gain_seconds, 0.0), 0.0)
    passes, times, one = mixes.passes, mixes.times, mixes.last != _NONE
    seams = passes + relief + times + one
    worst = np.minimum(np.minimum(score[body], relieving[:, 0]), np.minimum(score[mixes.extra], score[mixes.last]))
    mean = passes * score[body] + relief * relieving[:, 1] + times * score[mixes.extra] + one * score[mixes.last]
    phrases = passes * phrasing[body] + relief * relieving[:, 2] + times * phrasing[mixes.extra]
    phrases = phrases + one * phrasing[mixes.last]
    squares = passes * gain[body] ** 2 + relief * relieving[:, 3] + times * gain[mixes.extra] ** 2
    looped = passes * gain[body] + relief * relieving[:, 4] + times * gain[mixes.extra]
    rest = np.maximum(1.0, clip - looped)
    gap = (squares + rest**2 / 2) / clip
    # A stretch of the song in which n passes are looped is heard n + 1 times, and (n + 1)**2 - 1 more than once.
    span = np.array([block.span_seconds for block in blocks])[mixes.block]
    around = 1 + (passes * gain[body] + relief * relieving[:, 4]) / span
    heard_squared = song + span * (around**2 - 1) + gain[mixes.extra] * ((times + 1) ** 2 - 1)
    pace = passes / gain[body] + relief / np.maximum(relieving[:, 4], 1.0) + times / np.maximum(gain[mixes.extra], 8.0)
    return Worth(
        seams=seams_part(worst, mean / seams),
        ending=ending,
        freshness=freshness_part(gap, np.ceil(passes / (relief + 1)) + 1, params),
        phrasing=phrases / seams,
        coverage=np.minimum(1.0, clip**2 / song / heard_squared),
        economy=economy_part((seams + 1) / (pace + (1 + one) ** 2 / rest), params),
    ).total(params)


def _best(block: IntArray, score: FloatArray) -> IntArray:
    """Rows in the order of their score, a few for each main body."""
    order = np.argsort(-score, kind="stable")
    return order[rank_within(block[order]) < _FINALISTS_OF_ONE_BODY]


def _path(blocks: list[_Block], mixes: _Mixes, row: int) -> IntArray:
    """The jumps of one combination in the order in which they are taken."""
    main = blocks[mixes.block[row]].path(int(mixes.passes[row]))
    extra = np.full(mixes.times[row], mixes.extra[row], dtype=np.int64)
    last = np.full(0 if mixes.last[row] == _NONE else 1, mixes.last[row], dtype=np.int64)
    return np.concatenate([extra, main, last] if mixes.extra_first[row] else [main, extra, last])
