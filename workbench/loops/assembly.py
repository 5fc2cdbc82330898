"""From a route, which splices to take in which order, to the plan that is played.

All times are summed in whole microseconds: segments are rounded first and everything else is computed from them, so a
plan of ten hours is as exact as one of five minutes. In a plan that fades the last `song_to` takes the residue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from workbench.loops.plan import (
    CONTINUES_SECONDS,
    Ending,
    EndKind,
    LoopBody,
    LoopPlan,
    LoopSegment,
    bar_length_at,
    check_against_grid,
    heard_twice,
    nearest_line,
)
from workbench.loops.plan_score import (
    PlanScore,
    coverage_part,
    economy_part,
    fresh_again,
    freshness_part,
    over_limits,
    own_ending_part,
    seams_part,
)
from workbench.loops.profile import LoopProfile, TrackSection
from workbench.loops.restarts import restart_loses_pickup, seams_restart, splices_restart
from workbench.loops.splices import UsableSplices, start_fade
from workbench.params import CoverParams
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds, VideoSeconds

MAX_GAIN_DB = 6.0  # a seam that steps more is smoothed by this much only
MIN_GAIN_DB = 0.3  # a smaller step at a seam is not heard and left alone
_LEAST_HEARD_SECONDS = 0.05  # s; of a section that is heard for less only the crossfade into the next part was heard


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Which splices are taken, in which order, and how it ends."""

    taken: IntArray  # shape (n_seams,), indices into `UsableSplices`
    own_ending: bool  # on the track's own ending, or in a fade
    video_seconds: VideoSeconds
    music_in: VideoSeconds
    last_to: TrackSeconds  # where the last segment ends


class PlayedSegments(NamedTuple):
    """What is played of a track, segment by segment, and how it goes from each to the next."""

    segments: tuple[LoopSegment, ...]  # n, in the order of playback
    fades: FloatArray  # shape (n - 1,), s; crossfades at the seams
    exponents: FloatArray  # shape (n - 1,), of the crossfades
    scores: FloatArray  # shape (n - 1,), of the seams


def micros(seconds: float) -> int:
    """Whole microseconds."""
    return round(seconds * 1e6)


def own_end_route(usable: UsableSplices, taken: IntArray, profile: LoopProfile, video_seconds: float) -> Route | None:
    """The route that takes these splices and plays the track to its own end; None if it does not fit the video.

    `taken` are indices into `usable` in the order of playback. Whether the ending is worth playing is not checked.
    """
    spare = micros(video_seconds) - micros(profile.last_sound) + micros(profile.song_start)
    spare -= int(np.rint(usable.gain_seconds[taken] * 1e6).astype(np.int64).sum())
    longest_tail, latest_start = end_slack(profile)
    late, tail = late_and_tail(np.asarray(float(spare)), micros(longest_tail), micros(latest_start))
    if spare < 0 or tail > micros(longest_tail):
        return None
    return Route(taken, True, video_seconds, int(late) / 1e6, round(profile.last_sound, 6))


def late_and_tail(spare: FloatArray, longest_tail: float, latest_start: float) -> tuple[FloatArray, FloatArray]:
    """What a track's own ending leaves of the video, as `music_in` and tail, in the unit of the arguments.

    The tail takes it all where it can, for music starts with the picture unless a later start buys the ending. Where it
    must start later it starts as late as it may: a video bears a beat of silence before its music better than silence
    after it. All in seconds; `spare` is how much longer the video is than the music. The tail is over its limit where
    `spare` exceeds both limits together.
    """
    late: FloatArray = np.where(spare <= longest_tail, 0.0, np.minimum(spare, latest_start))
    return late, spare - late


def fade_route(usable: UsableSplices, taken: IntArray, profile: LoopProfile, video_seconds: float) -> Route:
    """The route that takes these splices and then plays on to the end of the video, or of a file that repeats whole.

    `taken` are indices into `usable` in the order of playback. `last_to` is not checked against the end of the track.
    """
    last_to = micros(video_seconds) + micros(profile.song_start)
    last_to -= int(np.rint(usable.gain_seconds[taken] * 1e6).astype(np.int64).sum())
    if taken.size and profile.is_whole(usable.leave[taken[-1:]], usable.enter[taken[-1:]]).all():
        last_to = min(last_to, micros(profile.last_sound))
    return Route(taken, False, video_seconds, 0.0, last_to / 1e6)


def end_slack(profile: LoopProfile) -> tuple[float, float]:
    """Longest tail and latest `music_in` of a plan that ends on the track's own ending, s: just under a bar each.

    The track has at least two bars.
    """
    bars = np.diff(profile.downbeats)
    usual = float(np.median(bars))
    last = bar_length_at(profile.downbeats, profile.last_sound)
    return min(last, usual) - 1e-3, min(float(bars[0]), usual) - 1e-3


def spans(route: Route, usable: UsableSplices, profile: LoopProfile) -> FloatArray:
    """The track ranges of a route, shape (n_seams + 1, 2), seconds.

    A row is the `song_from` and `song_to` of one segment.
    """
    table = np.empty((route.taken.size + 1, 2))
    table[0, 0] = round(profile.song_start, 6)
    table[1:, 0] = usable.song_from[route.taken]
    table[:-1, 1] = usable.song_to[route.taken]
    table[-1, 1] = route.last_to
    return table


def route_score(route: Route, usable: UsableSplices, profile: LoopProfile, params: CoverParams) -> PlanScore:
    """The parts of the route's score, exactly; see `workbench.loops.plan_score`.

    The route has at least one splice; the weights of `params` are not used here.
    """
    table = spans(route, usable, profile)
    lengths = table[:, 1] - table[:, 0]
    scores = usable.score[route.taken]
    lines = profile.downbeats
    if route.own_ending and profile.ending is not None:
        tail = route.video_seconds - route.music_in - float(lengths.sum())
        ending = own_ending_part(profile.ending.kind, np.asarray(route.music_in), np.asarray(tail))
        stops = lines.size
    else:
        stops = int(np.searchsorted(lines, route.last_to + 1e-6, side="right")) - 1
        ending = usable.fade_part[stops]
    bars = bars_heard(route.taken, usable, stops)
    plays = np.bincount(bars, minlength=lines.size).astype(np.float64)
    mean_plays = np.sum(plays * usable.bar_seconds) / np.sum(usable.bar_seconds)
    track = float(np.sum(usable.bar_seconds))
    run = longest_run(route.taken, _restarts(route, usable, profile) | usable.is_long[route.taken])
    return PlanScore(
        seams=seams_part(scores.min(), scores.mean()),
        ending=ending,
        freshness=freshness_part(
            fresh_mean(bars, usable.bar_seconds, params), route.video_seconds, min(track, route.video_seconds), params
        ),
        phrasing=usable.phrasing[route.taken].mean(),
        coverage=coverage_part(plays, usable.bar_seconds),
        economy=economy_part(np.asarray(lengths.size / np.sum(1.0 / lengths)), params),
        lost=over_limits(
            np.asarray(run.length + 1),
            plays.max(),
            np.asarray(mean_plays),
            params,
        ),
    )


def _restarts(route: Route, usable: UsableSplices, profile: LoopProfile) -> BoolArray:
    """Which seams of a route begin the whole track again, shape (n_seams,)."""
    return splices_restart(usable.leave[route.taken], usable.enter[route.taken], profile)


def bars_heard(taken: IntArray, usable: UsableSplices, stops: int) -> IntArray:
    """The bars of the track in the order in which they are heard, up to bar line `stops`; shape (n_bars_heard,).

    `taken` are in the order of playback; the last segment ends at bar line `stops`, the number of bars for the whole
    last bar.
    """
    enters, leaves = np.append(0, usable.enter[taken]), np.append(usable.leave[taken], stops)
    lengths = np.maximum(leaves - enters, 0)
    starts = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(enters - starts, lengths))


def fresh_mean(bars: IntArray, bar_seconds: FloatArray, params: CoverParams) -> FloatArray:
    """Mean over the time of `bars_heard` of how fresh each bar is when it is heard again; 1 for its last time.

    0 to 1; `bars` come from `bars_heard`, `bar_seconds` has one entry a bar.
    """
    lasts = bar_seconds[bars]
    begins = np.cumsum(lasts) - lasts
    order = np.argsort(bars.astype(np.int16), kind="stable")  # bars of 16 bits are sorted in linear time
    again = bars[order][1:] == bars[order][:-1]
    gaps = np.diff(begins[order])[again]
    stale = np.sum(lasts[order][:-1][again] * (1.0 - fresh_again(gaps, params)))
    return np.asarray(1.0 - stale / np.sum(lasts))


def _pairs(route: Route, usable: UsableSplices) -> IntArray:
    """A number for each segment, equal for equal ones: the splice before and the splice after it, `size` for none."""
    none = np.array([usable.size])
    before, after = np.concatenate([none, route.taken]), np.concatenate([route.taken, none])
    return np.asarray(before * (usable.size + 1) + after)


class Run(NamedTuple):
    """One splice, taken several times in a row."""

    at: int  # the first of them
    length: int  # how many they are; the body is heard once more than that


def longest_run(taken: IntArray, apart: BoolArray) -> Run:
    """Where the same splice is taken most often in a row.

    `apart` marks splices that are each a run of their own: those that begin the whole track again, for no other body
    could stand between, and those of bodies too long to be heard as a run. The first of the longest runs counts; it has
    length 0 without splices.
    """
    if taken.size == 0:
        return Run(0, 0)
    taken = np.where(apart, -1 - np.arange(taken.size), taken)
    starts = np.append(0, np.flatnonzero(np.diff(taken)) + 1)
    lengths = np.diff(np.append(starts, taken.size))
    longest = int(np.argmax(lengths))
    return Run(int(starts[longest]), int(lengths[longest]))


def assemble(route: Route, usable: UsableSplices, profile: LoopProfile, params: CoverParams) -> LoopPlan:
    """Make the plan of a route; its invariants are validated.

    The route has at least one loop back; the plan has no options. A broken rule raises `PlanError`.
    """
    table = spans(route, usable, profile)
    taken = route.taken
    gains = np.concatenate([[0.0], seam_gains(usable.level_step_db[taken])])
    missing = micros(route.video_seconds) - micros(route.music_in)
    missing -= int((np.rint(table[:, 1] * 1e6) - np.rint(table[:, 0] * 1e6)).sum())
    if route.own_ending:
        ending = own_ending(profile, missing / 1e6)
    else:
        room = float(table[-1, 1] - table[-1, 0] - usable.fade[taken[-1]] / 2)
        tail, length = _fade(route, profile, params, room)
        resolves = route.last_to - tail
        if missing > 0:  # a file that repeats whole resolves on its own end
            tail, length, resolves = missing / 1e6, (micros(length) + missing) / 1e6, route.last_to
        ending = Ending(EndKind.FADE, tail, length, fade_place(profile, resolves))
    body, repeats = body_heard_longest(route, usable, profile)
    return build_plan(
        profile,
        PlayedSegments(segments_of(table, gains), usable.fade[taken], usable.exponent[taken], usable.score[taken]),
        ending,
        start_fade(profile),
        route.music_in,
        route.video_seconds,
        plan_score=float(route_score(route, usable, profile, params).total(params)),
        glide_seconds=params.gain_glide_seconds,
        body=LoopBody(
            float(usable.song_from[body]),
            float(usable.song_to[body]),
            int(usable.leave[body] - usable.enter[body]),
            repeats,
        ),
    )


def build_plan(
    profile: LoopProfile,
    played: PlayedSegments,
    ending: Ending,
    start_fade_seconds: float,
    music_in: VideoSeconds,
    video_seconds: VideoSeconds,
    *,
    plan_score: float,
    glide_seconds: float,
    body: LoopBody | None = None,
    start_at: VideoSeconds | None = None,
    is_fit: bool = False,
    on_grid: bool = True,
) -> LoopPlan:
    """Make the plan of any segments, straight, cut down or looped: every plan is made here.

    The music begins at `music_in`, was asked to start at `start_at`, and the video lasts `video_seconds`. Levels move
    over `glide_seconds`, which the shortest segment limits. The looped body is found where it is not given, and so are
    the restarts and the outro of the ending. With `on_grid` the plan is checked against the bars of its track too. It
    has no options. A broken rule raises `PlanError`.
    """
    table = np.array([(segment.song_from, segment.song_to) for segment in played.segments])
    if body is None and heard_twice(table) >= CONTINUES_SECONDS:
        has_bars = profile.downbeats.size >= 2
        body = looped_body(table, profile.downbeats if has_bars else np.array([0.0, profile.song_duration]))
    plan = LoopPlan(
        segments=played.segments,
        seam_fades=tuple(played.fades.tolist()),
        seam_curves=tuple(np.round(played.exponents, 4).tolist()),
        gain_glide_seconds=min(glide_seconds, int(float(np.min(table[:, 1] - table[:, 0])) * 1000) / 1000),
        music_in=micros(music_in) / 1e6,
        start_fade_seconds=start_fade_seconds,
        ending=_placed_ending(ending, table, profile),
        window_end=micros(video_seconds) / 1e6,
        song_duration=round(profile.song_duration, 6),
        beats_per_bar=max(1, profile.beats_per_bar),
        body=body,
        sections_covered=sections_heard(table, profile.sections, 0.0 if ending.is_own else ending.tail_seconds),
        seam_score=round(float(played.scores.min(initial=1.0)), 4),
        plan_score=round(min(1.0, max(0.0, plan_score)), 4),
        start_at=start_at,
        is_fit=is_fit,
    )
    if on_grid:
        check_against_grid(plan, profile.downbeats)
    return plan


def _placed_ending(ending: Ending, table: FloatArray, profile: LoopProfile) -> Ending:
    """An ending with the restarts of some segments, and the outro if the last one holds it."""
    restarts = int(seams_restart(table, profile).sum())
    own, outro_start = profile.ending, None
    # an outro is entered at most by a crossfade after its bar line
    if ending.kind is EndKind.OUTRO and own is not None and own.outro_start >= table[-1, 0] - 0.009:
        outro_start = round(own.outro_start, 6)
    return replace(
        ending, outro_start=outro_start, restarts=restarts, loses_pickup=restarts > 0 and restart_loses_pickup(profile)
    )


def own_ending(profile: LoopProfile, tail: float) -> Ending:
    """The track's own ending, with so many seconds of silence after it."""
    kind = EndKind.LAST_SOUND if profile.ending is None else EndKind(profile.ending.kind.value)
    return Ending(kind, tail, tail)


def segments_of(table: FloatArray, gains_db: FloatArray) -> tuple[LoopSegment, ...]:
    """Segments from their ranges, shape (n, 2), and the dB at which each starts.

    One object for each different segment, however often it is played: hours hold a handful.
    """
    rows = [tuple(row) for row in np.column_stack([table, gains_db]).tolist()]
    made = {row: LoopSegment(row[0], row[1], 0.0, row[2]) for row in dict.fromkeys(rows)}
    return tuple([made[row] for row in rows])


def _fade(route: Route, profile: LoopProfile, params: CoverParams, room: float) -> tuple[float, float]:
    """Tail and length of a closing fade: it begins and resolves on bar lines where there is room for that.

    Where no bar line leaves it room it is as long as it can be, for music that is cut off is heard more than anything.
    """
    lines = profile.downbeats
    resolves = int(np.searchsorted(lines, route.last_to + 1e-6, side="right")) - 1
    tail = max(0, micros(route.last_to) - micros(float(lines[resolves])))
    begins = int(np.searchsorted(lines, lines[resolves] - params.min_fade_out_seconds + 1e-6, side="right")) - 1
    while begins < resolves and route.last_to - lines[max(begins, 0)] > room:
        begins += 1
    if begins < resolves:
        length = micros(route.last_to) - micros(float(lines[max(begins, 0)]))
    else:
        length = min(int(room * 1e6), tail + micros(params.min_fade_out_seconds))
    return tail / 1e6, max(length, tail) / 1e6


def seam_gains(level_step_db: FloatArray) -> FloatArray:
    """Level in dB at which each entered segment starts, so that no step is heard.

    `level_step_db` is by how many LU the entered side is louder. Gains are limited, and rounded to the hundredth.
    """
    gain = np.where(np.abs(level_step_db) < MIN_GAIN_DB, 0.0, -level_step_db)
    return np.asarray(np.round(np.clip(gain, -MAX_GAIN_DB, MAX_GAIN_DB), 2) + 0.0)


def fade_place(profile: LoopProfile, resolves: TrackSeconds) -> str:
    """Where in the track a closing fade resolves that ends on the bar line at `resolves`, in words."""
    for section in profile.sections:
        if abs(section.song_to - resolves) < 0.05:
            return f"to the end of the {section.label}"
    for section in profile.sections:
        if section.song_from <= resolves < section.song_to:
            return f"on a bar line of the {section.label}"
    return "on a bar line"


def body_heard_longest(route: Route, usable: UsableSplices, profile: LoopProfile) -> tuple[int, int]:
    """The loop whose body is heard for the longest time in all, and how many passes of it are heard in full.

    The passes are 0 where every body is cut into, so that there is none to speak of. The body is an index into
    `usable`; a pass is a segment that holds the whole body, within 20 ms.
    """
    table, taken = spans(route, usable, profile), route.taken
    _, first_use, count = np.unique(_pairs(route, usable), return_index=True, return_counts=True)
    best, passes_of_best, longest = -1, 0, -1.0
    for splice in np.unique(taken[usable.gain_seconds[taken] > 0]).tolist():
        inside = table[first_use, 0] <= usable.song_from[splice] + 0.02
        inside &= table[first_use, 1] >= usable.song_to[splice] - 0.02
        passes = int(count[inside].sum())
        heard = passes * float(usable.gain_seconds[splice])
        if heard > longest + 1e-6:
            best, passes_of_best, longest = int(splice), passes, heard
    return best, passes_of_best


def looped_body(table: FloatArray, lines: FloatArray) -> LoopBody | None:
    """The looped body of some segments that is heard longest; None where no seam goes back.

    `table`, shape (n, 2), has the ranges in the order of playback, in seconds of track time like `lines`. Passes are
    those heard whole, within 20 ms, at least one.
    """
    best: LoopBody | None = None
    for (_, left), (entered, _) in zip(table[:-1].tolist(), table[1:].tolist(), strict=True):
        if entered >= left:
            continue
        at = nearest_line(lines, np.array([entered, left]))
        passes = int(np.sum((table[:, 0] <= entered + 0.02) & (table[:, 1] >= left - 0.02)))
        body = LoopBody(entered, left, max(1, int(at[1] - at[0])), max(1, passes))
        if best is None or body.repeats * (left - entered) > best.repeats * (best.song_to - best.song_from):
            best = body
    return best


def sections_heard(
    table: FloatArray, sections: tuple[TrackSection, ...], fading_seconds: float = 0.0
) -> tuple[str, ...]:
    """Names of the sections of which something is heard, in order of first use, each once.

    Of the last range of `table`, shape (n, 2) in seconds, the last `fading_seconds` do not count: they come after the
    bar line to which the music fades and hardly sound.
    """
    ends = table[:, 1].copy()
    ends[-1] -= fading_seconds
    begins = np.array([section.song_from for section in sections])
    stops = np.array([section.song_to for section in sections])
    heard = np.minimum(ends[:, None], stops) - np.maximum(table[:, :1], begins) > _LEAST_HEARD_SECONDS
    used = np.flatnonzero(heard.any(axis=0))
    in_order = used[np.argsort(heard[:, used].argmax(axis=0), kind="stable")]
    return tuple(dict.fromkeys(sections[number].label for number in in_order.tolist()))
