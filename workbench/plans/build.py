"""From a route, which splices to take in which order, to the plan that is played.

All times are summed in whole microseconds: segments are rounded first and everything else is computed from them, so a
plan of ten hours is as exact as one of five minutes. In a plan that fades the last `song_to` takes the residue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from workbench.params import CoverParams
from workbench.plans.ends import closing_fade, end_slack, fade_place, last_line, late_and_tail, own_ending, start_fade
from workbench.plans.plan import (
    CONTINUES_SECONDS,
    Ending,
    EndKind,
    LoopBody,
    LoopPlan,
    LoopSegment,
    check_against_grid,
    micros,
    nearest_line,
    repeated_seconds,
    seams_restart,
)
from workbench.plans.plan_score import (
    PlanScore,
    coverage_part,
    fresh_again,
    freshness_part,
    over_limits,
    own_ending_part,
)
from workbench.plans.splices import PlayableSplices, UsableSplices
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds, VideoSeconds
from workbench.seams.profile import ROUNDING_SECONDS, LoopProfile, TrackSection

_LEAST_PLAYED_SECONDS = 0.05  # s; of a section that plays for less, only the crossfade into the next part sounds


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Where music starts in a track, which splices it takes, in which order, and how it ends."""

    song_start: TrackSeconds
    taken: IntArray  # shape (n_seams,), indices into the splices of the search
    ending: EndKind
    music_in: VideoSeconds
    last_to: TrackSeconds  # where the last segment ends
    video_seconds: VideoSeconds


class PlayedSegments(NamedTuple):
    """The segments of a track that a plan plays, and how each leads to the next."""

    segments: tuple[LoopSegment, ...]  # n, in the order of playback
    fades: FloatArray  # shape (n - 1,), s; crossfades at the seams
    exponents: FloatArray  # shape (n - 1,), of the crossfades
    scores: FloatArray  # shape (n - 1,), of the seams
    start_fade: float  # s, from where the music starts
    glide_seconds: float  # over which levels move, at most; the shortest segment limits it


class Window(NamedTuple):
    """When music plays under a video, s of video time."""

    music_in: VideoSeconds
    end: VideoSeconds  # of the video
    start_at: VideoSeconds | None = None  # where the music was asked to start


def plays_to(song_start: TrackSeconds, gain_seconds: FloatArray, music_seconds: float) -> int:
    """Track time, whole microseconds, that music of a length reaches with splices that add or remove some seconds."""
    return micros(song_start) + micros(music_seconds) - int(np.rint(gain_seconds * 1e6).sum())


def own_end_route(usable: UsableSplices, taken: IntArray, profile: LoopProfile, video_seconds: float) -> Route | None:
    """The route that takes these splices and plays the track to its own end; None if it does not fit the video.

    `taken` are indices into `usable` in the order of playback. Whether the ending is worth playing is not checked.
    """
    spare = plays_to(profile.song_start, usable.gain_seconds[taken], video_seconds) - micros(profile.last_sound)
    longest_tail, latest_start = end_slack(profile)
    late, tail = late_and_tail(np.asarray(float(spare)), micros(longest_tail), micros(latest_start))
    if spare < 0 or tail > micros(longest_tail):
        return None
    own, last_to = own_ending(profile, 0.0).kind, round(profile.last_sound, 6)
    return Route(round(profile.song_start, 6), taken, own, int(late) / 1e6, last_to, video_seconds)


def fade_route(usable: UsableSplices, taken: IntArray, profile: LoopProfile, video_seconds: float) -> Route:
    """The route that takes these splices and then plays on to the end of the video, or of a file that repeats whole.

    `taken` are indices into `usable` in the order of playback. `last_to` is not checked against the end of the track.
    """
    last_to = plays_to(profile.song_start, usable.gain_seconds[taken], video_seconds)
    if taken.size and profile.is_whole(usable.leave[taken[-1:]], usable.enter[taken[-1:]]).all():
        last_to = min(last_to, micros(profile.last_sound))
    return Route(round(profile.song_start, 6), taken, EndKind.FADE, 0.0, last_to / 1e6, video_seconds)


def spans(route: Route, splices: PlayableSplices) -> FloatArray:
    """The track ranges of a route, shape (n_seams + 1, 2), seconds.

    A row is the `song_from` and `song_to` of one segment.
    """
    starts = np.append(route.song_start, splices.song_from[route.taken])
    return np.column_stack([starts, np.append(splices.song_to[route.taken], route.last_to)])


def silence_after(route: Route, splices: PlayableSplices) -> float:
    """Seconds of video after the last segment of a route."""
    reached = plays_to(route.song_start, splices.gain_seconds[route.taken], route.video_seconds - route.music_in)
    return (reached - micros(route.last_to)) / 1e6


def room_for_fade(route: Route, splices: PlayableSplices, fade_in: float) -> float:
    """Seconds that a closing fade has in the last segment, after the crossfade into it or, in the first, `fade_in`."""
    first, last = spans(route, splices)[-1].tolist()
    before = float(splices.fade[route.taken[-1]]) / 2 if route.taken.size else fade_in
    return float(last - first - before - ROUNDING_SECONDS)


def played(
    route: Route, splices: PlayableSplices, start_fade: float, glide_seconds: float, gain_in_db: float = 0.0
) -> PlayedSegments:
    """What a route plays; its first segment starts at `gain_in_db`."""
    taken = splices.rows(route.taken)
    segments = segments_of(spans(route, splices), np.append(gain_in_db, taken.gain_in_db))
    return PlayedSegments(segments, taken.fade, taken.exponent, taken.score, start_fade, glide_seconds)


def route_score(route: Route, usable: UsableSplices, profile: LoopProfile, params: CoverParams) -> PlanScore:
    """The parts of the route's score, exactly; see `workbench.plans.plan_score`.

    The route has at least one splice; the weights of `params` are not used here.
    """
    table = spans(route, usable)
    lengths = table[:, 1] - table[:, 0]
    scores = usable.score[route.taken]
    lines = profile.downbeats
    if route.ending.is_own and profile.ending is not None:
        tail = route.video_seconds - route.music_in - float(lengths.sum())
        ending = own_ending_part(profile.ending.kind, np.asarray(route.music_in), np.asarray(tail))
        stops = lines.size
    else:
        stops = int(last_line(profile, route.last_to))
        ending = usable.fade_part[stops]
    bars = bars_played(route.taken, usable, stops, max(0, int(last_line(profile, route.song_start))))
    plays = np.bincount(bars, minlength=lines.size).astype(np.float64)
    mean_plays = np.sum(plays * usable.bar_seconds) / np.sum(usable.bar_seconds)
    track = float(np.sum(usable.bar_seconds))
    again = profile.is_restart(usable.leave[route.taken], usable.enter[route.taken])
    run = longest_run(route.taken, again | usable.is_long[route.taken], usable.gain_seconds[route.taken] < 0)
    fresh = fresh_mean(bars, usable.bar_seconds, params)
    return PlanScore(
        worst=scores.min(),
        mean=scores.mean(),
        ending=ending,
        freshness=freshness_part(fresh, route.video_seconds, min(track, route.video_seconds), params),
        phrasing=usable.phrasing[route.taken].mean(),
        coverage=coverage_part(plays, usable.bar_seconds),
        segment_seconds=np.asarray(lengths.size / np.sum(1.0 / lengths)),
        lost=over_limits(np.asarray(run.length + 1), plays.max(), np.asarray(mean_plays), params),
    )


def bars_played(taken: IntArray, usable: UsableSplices, stops: int, starts: int = 0) -> IntArray:
    """The bars of the track in the order in which they play, from bar line `starts` to `stops`; shape (n_bars_played,).

    `taken` are in the order of playback; the last segment ends at bar line `stops`, the number of bars for the whole
    last bar.
    """
    enters, leaves = np.append(starts, usable.enter[taken]), np.append(usable.leave[taken], stops)
    lengths = np.maximum(leaves - enters, 0)
    starts = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(enters - starts, lengths))


def fresh_mean(bars: IntArray, bar_seconds: FloatArray, params: CoverParams) -> FloatArray:
    """Mean over the time of `bars_played` of how fresh each bar is when it plays again; 1 for its last time.

    0 to 1; `bars` come from `bars_played`, `bar_seconds` has one entry a bar.
    """
    lasts = bar_seconds[bars]
    begins = np.cumsum(lasts) - lasts
    order = np.argsort(bars.astype(np.int16), kind="stable")  # bars of 16 bits are sorted in linear time
    again = bars[order][1:] == bars[order][:-1]
    gaps = np.diff(begins[order])[again]
    stale = np.sum(lasts[order][:-1][again] * (1.0 - fresh_again(gaps, params)))
    return np.asarray(1.0 - stale / np.sum(lasts))


class Run(NamedTuple):
    """One splice, taken several times in a row."""

    at: int  # the first of them
    length: int  # how many they are; the body plays once more than that


def longest_run(taken: IntArray, apart: BoolArray, ahead: BoolArray) -> Run:
    """Where the same splice is taken most often in a row.

    `apart` marks splices that are each a run of their own: those that begin the whole track again, for no other body
    could stand between, and those of bodies too long for a listener to notice a run. A splice that goes `ahead` again
    and again between passes of one body, around what is not played, does not part them. The first of the longest runs
    counts; it has length 0 without splices.
    """
    if taken.size == 0:
        return Run(0, 0)
    twice = (taken[:-3] == taken[2:-1]) & (taken[1:-2] == taken[3:])
    in_turn = np.zeros(taken.size, dtype=bool)
    in_turn[: twice.size] |= twice
    in_turn[2 : twice.size + 2] |= twice
    counted = np.flatnonzero(~(ahead & in_turn))
    taken = np.where(apart, -1 - np.arange(taken.size), taken)[counted]
    starts = np.append(0, np.flatnonzero(np.diff(taken)) + 1)
    lengths = np.diff(np.append(starts, taken.size))
    longest = int(np.argmax(lengths))
    return Run(int(counted[starts[longest]]), int(lengths[longest]))


def assemble(route: Route, usable: UsableSplices, profile: LoopProfile, params: CoverParams) -> LoopPlan:
    """Make the plan of a route; its invariants are validated.

    The route has at least one loop back; the plan has no options. A broken rule raises `PlanError`.
    """
    missing = silence_after(route, usable)
    if route.ending.is_own:
        ending = own_ending(profile, missing)
    else:
        last = spans(route, usable)[-1]
        room = float(last[1] - last[0] - usable.fade[route.taken[-1]] / 2)
        ending = closing_fade(profile, route.last_to, params.min_fade_out_seconds, int(room * 1e6) / 1e6)
        if missing > 0.0:  # a file that repeats whole resolves on its own end
            fade = micros(ending.fade_seconds + missing) / 1e6
            ending = Ending(EndKind.FADE, missing, fade, fade_place(profile, route.last_to))
    return build_plan(
        profile,
        played(route, usable, start_fade(profile), params.gain_glide_seconds),
        ending,
        Window(route.music_in, route.video_seconds),
        float(route_score(route, usable, profile, params).total(params)),
    )


def build_plan(
    profile: LoopProfile,
    played: PlayedSegments,
    ending: Ending,
    window: Window,
    plan_score: float,
    *,
    on_grid: bool = True,
) -> LoopPlan:
    """Make the plan of any segments, straight, cut down or looped: every plan is made here.

    The looped body, the restarts and the outro of the ending are found here. With `on_grid` the plan is checked against
    the bars of its track too. It has no options. A broken rule raises `PlanError`.
    """
    table = np.array([(segment.song_from, segment.song_to) for segment in played.segments])
    body = None
    if repeated_seconds(table) >= CONTINUES_SECONDS:
        has_bars = profile.downbeats.size >= 2
        body = looped_body(table, profile.downbeats if has_bars else np.array([0.0, profile.song_duration]))
    restarts = seams_restart(table, profile)  # no splices: they are meant to be audible
    plan = LoopPlan(
        segments=played.segments,
        seam_fades=tuple(played.fades.tolist()),
        seam_curves=tuple(np.round(played.exponents, 4).tolist()),
        gain_glide_seconds=min(played.glide_seconds, int(float(np.min(table[:, 1] - table[:, 0])) * 1000) / 1000),
        music_in=micros(window.music_in) / 1e6,
        start_fade_seconds=played.start_fade,
        ending=_placed_ending(ending, table, profile, int(restarts.sum())),
        window_end=micros(window.end) / 1e6,
        song_duration=round(profile.song_duration, 6),
        beats_per_bar=max(1, profile.beats_per_bar),
        body=body,
        sections_covered=sections_played(table, profile.sections, 0.0 if ending.is_own else ending.tail_seconds),
        seam_score=round(float(played.scores[~restarts].min(initial=1.0)), 4),
        plan_score=round(min(1.0, max(0.0, plan_score)), 4),
        start_at=window.start_at,
    )
    if on_grid:
        check_against_grid(plan, profile.downbeats)
    return plan


def _placed_ending(ending: Ending, table: FloatArray, profile: LoopProfile, restarts: int) -> Ending:
    """An ending with the restarts before it, and the outro if the last segment holds it."""
    outro_start = None
    if ending.kind is EndKind.OUTRO and profile.ending is not None:
        begins = float(profile.downbeats[profile.ending.start_bar])
        # an outro is entered at most by a crossfade after its bar line
        outro_start = round(begins, 6) if begins >= table[-1, 0] - 0.009 else None
    return replace(
        ending, outro_start=outro_start, restarts=restarts, loses_pickup=restarts > 0 and profile.restart_loses_pickup
    )


def segments_of(table: FloatArray, gains_db: FloatArray) -> tuple[LoopSegment, ...]:
    """Segments from their ranges, shape (n, 2), and the dB at which each starts.

    One object for each different segment, however often it is played: hours hold a handful.
    """
    rows = [tuple(row) for row in np.column_stack([table, gains_db]).tolist()]
    made = {row: LoopSegment(row[0], row[1], 0.0, row[2]) for row in dict.fromkeys(rows)}
    return tuple([made[row] for row in rows])


def looped_body(table: FloatArray, lines: FloatArray) -> LoopBody | None:
    """The looped body of some segments that plays longest; None where no seam goes back.

    `table`, shape (n, 2), has the ranges in the order of playback, in seconds of track time like `lines`. Of a body
    that never plays whole, passes are counted that skip some of it, at least one.
    """
    goes_back = table[1:, 0] < table[:-1, 1]
    # one complex number for each body: hours have thousands of passes of a handful
    bodies, first = np.unique((table[1:, 0] + 1j * table[:-1, 1])[goes_back], return_index=True)
    if not bodies.size:
        return None
    bodies = bodies[np.argsort(first)]
    song_from, song_to = bodies.real, bodies.imag
    passes = passes_of(table, song_from, song_to)
    seconds = passes * (song_to - song_from)
    if not passes.all():
        skipping, skipping_seconds = _passes_that_skip(table, goes_back, song_from, song_to)
        passes, seconds = np.where(passes, passes, skipping), np.where(passes, seconds, skipping_seconds)
    best = int(np.argmax(seconds > seconds.max() - 1e-6))
    enter, leave = nearest_line(lines, np.array([song_from[best], song_to[best]])).tolist()
    return LoopBody(float(song_from[best]), float(song_to[best]), max(1, leave - enter), max(1, int(passes[best])))


def passes_of(table: FloatArray, song_from: FloatArray, song_to: FloatArray) -> IntArray:
    """How many of some segments, shape (n, 2), hold each of some bodies as a whole, within 20 ms; shape (n_bodies,)."""
    ranges, counts = np.unique(table[:, 0] + 1j * table[:, 1], return_counts=True)
    return np.asarray(_holds(ranges.real, ranges.imag, song_from, song_to) @ counts)


def _passes_that_skip(
    table: FloatArray, goes_back: BoolArray, song_from: FloatArray, song_to: FloatArray
) -> tuple[IntArray, FloatArray]:
    """How often music from one loop back to the next holds each body, and the seconds that it plays of it."""
    first, last = np.append(True, goes_back), np.append(goes_back, True)
    held = _holds(table[first, 0], table[last, 1], song_from, song_to)
    inside = np.minimum(table[:, 1], song_to[:, None]) - np.maximum(table[:, 0], song_from[:, None])
    seconds = np.sum(np.maximum(inside, 0.0) * held[:, np.cumsum(first) - 1], axis=1)
    return np.asarray(held.sum(axis=1)), np.asarray(seconds)


def _holds(begins: FloatArray, ends: FloatArray, song_from: FloatArray, song_to: FloatArray) -> BoolArray:
    """Which ranges hold each of some bodies as a whole, within 20 ms; shape (n_bodies, n_ranges)."""
    return np.asarray((begins <= song_from[:, None] + 0.02) & (ends >= song_to[:, None] - 0.02))


def sections_played(
    table: FloatArray, sections: tuple[TrackSection, ...], fading_seconds: float = 0.0
) -> tuple[str, ...]:
    """Names of the sections that are played at least in part, in order of first use, each once.

    Of the last range of `table`, shape (n, 2) in seconds, the last `fading_seconds` do not count: they come after the
    bar line to which the music fades and hardly sound.
    """
    ends = table[:, 1].copy()
    ends[-1] -= fading_seconds
    begins = np.array([section.song_from for section in sections])
    stops = np.array([section.song_to for section in sections])
    is_played = np.minimum(ends[:, None], stops) - np.maximum(table[:, :1], begins) > _LEAST_PLAYED_SECONDS
    used = np.flatnonzero(is_played.any(axis=0))
    in_order = used[np.argsort(is_played[:, used].argmax(axis=0), kind="stable")]
    return tuple(dict.fromkeys(sections[number].label for number in in_order.tolist()))
