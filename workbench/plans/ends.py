"""How music starts and ends under a video: what a start, the track's own ending, a button and a fade ask for.

The track's own ending closes a range of lengths: silence of under a bar may follow it, and the music may start under a
bar late for it. A button or a fade closes any length, on the last bar line that the music reaches; what comes after
that line is the tail. A button is a downbeat hit that rings under a fade of less than a bar. A fade begins and resolves
on bar lines where there is room for that.

Which of them a plan gets is decided by its search: `plans.combinations` and `plans.loop`, `plans.cutdown`,
`plans.conform`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor

import numpy as np

from workbench.errors import Argument, ParameterError
from workbench.params import CoverParams
from workbench.plans.plan import BORDER_SECONDS, Ending, EndKind, LoopPlan, bar_length_at, micros
from workbench.recording import FloatArray, IntArray, TrackSeconds
from workbench.seams.profile import ROUNDING_SECONDS, LoopProfile

# s before its downbeat at which music starts that is not the track's own start, and its fade there
EARLY_SECONDS = 0.03
# s; how far from the time asked for a hit may land, with a margin to the 20 ms promised
HIT_TOLERANCE_SECONDS = 0.018
MIN_RING_SECONDS = 0.3  # s that a button rings at least
SHORTEST_FADE_SECONDS = 0.2  # s; of a closing fade where there is no room for `CoverParams.min_fade_out_seconds`
GOOD_FADE_OUT_SECONDS = 2.0  # s; a closing fade that is shorter scores less
FADE_SHARE = 0.25  # of the length: how long a closing fade is where the length leaves no room for the usual one
_START_FADE = 0.005  # s; for a file that opens in mid-sound


def start_fade(profile: LoopProfile, song_start: TrackSeconds | None = None) -> float:
    """Seconds of fade where music starts: at a downbeat inside of the track as long as it is early there.

    None, or the track's own start: no fade where the track begins out of silence, else enough against a click.
    """
    if song_start is not None and round(song_start, 6) != round(profile.song_start, 6):
        return EARLY_SECONDS
    return 0.0 if profile.song_start > _START_FADE else _START_FADE


def end_slack(profile: LoopProfile) -> tuple[float, float]:
    """Longest tail and latest `music_in` of a plan that ends on the track's own ending, s: just under a bar each.

    At a hit there is none but for its tolerance: the music goes on. The track has at least two bars.
    """
    lines, usual = profile.downbeats, profile.usual_bar
    tail, late = bar_length_at(lines, profile.last_sound), float(lines[1] - lines[0])
    return (
        2 * HIT_TOLERANCE_SECONDS if profile.leads_to_hit else min(tail, usual) - 1e-3,
        0.0 if profile.comes_from_hit else min(late, usual) - 1e-3,
    )


def late_and_tail(spare: FloatArray, longest_tail: float, latest_start: float) -> tuple[FloatArray, FloatArray]:
    """What a track's own ending leaves of the video, as `music_in` and tail, in the unit of the arguments.

    The tail takes it all where it can, for music starts with the picture unless a later start buys the ending. Where it
    must start later it starts as late as it may: a video bears a beat of silence before its music better than silence
    after it. All in seconds; `spare` is how much longer the video is than the music. The tail is over its limit where
    `spare` exceeds both limits together.
    """
    late: FloatArray = np.where(spare <= longest_tail, 0.0, np.minimum(spare, latest_start))
    return late, spare - late


def own_ending(profile: LoopProfile, tail: float) -> Ending:
    """The track's own ending, with so many seconds of silence after it."""
    kind = EndKind.LAST_SOUND if profile.ending is None else EndKind(profile.ending.kind.value)
    return Ending(kind, tail, tail)


def latest_stop(profile: LoopProfile, *, in_ending: bool) -> TrackSeconds:
    """Up to where in the track music may play that stops on a downbeat.

    It stays clear of the track's own ending, but for its first bar, unless it may stop `in_ending`.
    """
    lines, ending = profile.downbeats, profile.ending
    if ending is None or in_ending or ending.start_bar + 1 >= lines.size:
        return profile.last_sound
    return min(float(lines[ending.start_bar + 1]), profile.last_sound)


def last_line(profile: LoopProfile, times: float | FloatArray) -> IntArray:
    """The last bar line that is not after each time; -1 before the first."""
    return np.asarray(np.searchsorted(profile.downbeats, np.asarray(times) + 1e-6, side="right") - 1)


def downbeat_ending(
    profile: LoopProfile, kind: EndKind, last_to: TrackSeconds, seconds: float, room: float, params: CoverParams
) -> Ending:
    """How music ends on a downbeat, by a button or in a fade.

    The last segment has `room` seconds for a fade, which lasts at most half of the music's `seconds`.
    """
    stops = int(last_line(profile, last_to))
    tail = _tail(profile, last_to, stops)
    if kind is EndKind.BUTTON:
        section = next((s.label for s in profile.sections if s.last_bar == stops), None)
        return Ending(kind, tail, tail, "" if section is None else f"after the {section}")
    wanted, most = min(params.min_fade_out_seconds, FADE_SHARE * seconds), min(seconds / 2, room)
    return closing_fade(profile, last_to, wanted, most, max(tail, wanted, SHORTEST_FADE_SECONDS))


def closing_fade(
    profile: LoopProfile, last_to: TrackSeconds, wanted: float, most: float, otherwise: float | None = None
) -> Ending:
    """A fade of at least the `wanted` seconds that begins and resolves on bar lines, where `most` leaves it room.

    Where no bar line does, it is as long as it can be and lasts at most `otherwise`: music that is cut off is the most
    audible ending. None: as wanted, and the tail.
    """
    lines = profile.downbeats
    resolves = int(last_line(profile, last_to))
    tail = _tail(profile, last_to, resolves)
    begins = max(0, int(last_line(profile, lines[resolves] - wanted)))
    while begins < resolves and last_to - float(lines[begins]) > most:
        begins += 1
    if begins < resolves:
        length = last_to - float(lines[begins])
    else:
        length = min(most, tail + wanted if otherwise is None else otherwise)
    return Ending(EndKind.FADE, tail, micros(max(tail, length)) / 1e6, fade_place(profile, last_to - tail))


def with_closing_fade(
    plan: LoopPlan, seconds: float, kept: Sequence[tuple[TrackSeconds, TrackSeconds]] = ()
) -> LoopPlan:
    """The plan with a closing fade of so many seconds, where it ends in one; so are its options, as far as they can be.

    The fade covers what plays after the bar line on which it resolves, and leaves the crossfade before it and the
    `kept` ranges of the track alone. `ParameterError` where the plan itself has no room for that.
    """
    least, most = _fade_bounds(plan, kept)
    if plan.ending.kind is EndKind.FADE and not least <= seconds <= most:
        room = f"lasts {ceil(10 * least) / 10:g} to {floor(10 * most) / 10:g} s at the end of this plan"
        raise ParameterError(Argument("fade", f"{seconds:g}"), f": a closing fade {room}")
    options = tuple(with_nearest_fade(option, seconds, kept) for option in plan.options)
    return replace(with_nearest_fade(plan.alone, seconds, kept), options=options)


def with_nearest_fade(
    plan: LoopPlan, seconds: float, kept: Sequence[tuple[TrackSeconds, TrackSeconds]] = ()
) -> LoopPlan:
    """`with_closing_fade` of a plan without options, with a fade as near to that length as the plan has room for."""
    if plan.ending.kind is not EndKind.FADE:
        return plan
    least, most = _fade_bounds(plan, kept)
    length = micros(min(max(seconds, least), most)) / 1e6
    return replace(plan, ending=replace(plan.ending, fade_seconds=length))


def _fade_bounds(plan: LoopPlan, kept: Sequence[tuple[TrackSeconds, TrackSeconds]]) -> tuple[float, float]:
    """The shortest and the longest closing fade of a plan, s; never less than it has."""
    last, fade = plan.segments[-1], plan.end_fade_seconds
    begins = last.song_from + (plan.seam_fades[-1] / 2 if plan.seam_fades else plan.start_fade_seconds)
    inside = [to for first, to in kept if last.song_from <= first + BORDER_SECONDS and to <= last.song_to]
    most = last.song_to - max([begins, *inside]) - ROUNDING_SECONDS
    return min(max(plan.tail_seconds, SHORTEST_FADE_SECONDS), fade), max(most, fade)


def _tail(profile: LoopProfile, last_to: TrackSeconds, line: int) -> float:
    """Seconds from a bar line to where music that resolves on it ends."""
    return max(0, micros(last_to) - micros(float(profile.downbeats[line]))) / 1e6


def fade_place(profile: LoopProfile, resolves: TrackSeconds) -> str:
    """Where in the track a closing fade resolves that ends on the bar line at `resolves`, in words."""
    for section in profile.sections:
        if abs(section.song_to - resolves) < 0.05:
            return f"to the end of the {section.label}"
    for section in profile.sections:
        if section.song_from <= resolves < section.song_to:
            return f"on a bar line of the {section.label}"
    return "on a bar line"
