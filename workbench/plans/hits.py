"""Land seconds of a track on seconds of the video, with any plan before, between and after them.

A hit divides the music in two: a piece that arrives at a second of the track when the video is at its own, and a piece
that goes on from there. Each is planned as any other length is, on a profile that ends or begins at the hit. Joined
they are one plan, which plays on through the hit. Steady music that starts on a downbeat arrives at one place of the
bar only, so a plan with a hit may start under a bar after the picture. Two hits have no such slack between them: they
are as far apart as the bars of the track allow.

The plan score of a joined plan is the mean of its pieces', each by how long it lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from workbench.align.landmarks import Landmarks
from workbench.errors import Sentence
from workbench.plans.build import PlayedSegments, Window, build_plan
from workbench.plans.constraints import ConstraintKind, SeamConstraints, TrackRange, clock
from workbench.plans.cutdown import MAX_EARLY_SECONDS
from workbench.plans.ends import (
    EARLY_SECONDS,
    HIT_TOLERANCE_SECONDS,
    downbeat_ending,
    last_line,
    latest_stop,
    start_fade,
)
from workbench.plans.fit_request import Fit
from workbench.plans.move_seam import seam_scores
from workbench.plans.plan import Ending, EndKind, LoopPlan, LoopSegment, micros, segment_starts, segment_table
from workbench.plans.request import Hit, PlanRequest
from workbench.plans.splices import UsableSplices
from workbench.recording import TrackSeconds, VideoSeconds
from workbench.seams.profile import EndingKind, LoopProfile, TrackEnding
from workbench.structure.salience import bar_salience

# bars after the track's start on which music may begin instead: loops mostly are a multiple of four bars
_LATER_STARTS = 3
HIT_SECONDS = 0.02  # s; a hit that is off by less has landed
_UNCUT_SECONDS = 8.0  # s that play on from a hit without a seam, where there is room
_MOST_PIECES = 4  # plans of a piece that are joined to those of the next
_MOST_DIVISIONS = 64  # ways that are tried to divide the requests among the pieces
_MOST_TIMES = 4  # tried on each side of a hit that cannot be had
# s of music that lead to an arrival, and that follow it
_BUILD_UP_SECONDS, _PAYOFF_SECONDS = 12.0, 20.0


class _Part(NamedTuple):
    """What a piece plays: its plan, which may start and end otherwise than planned."""

    plan: LoopPlan
    music_in: float
    start_fade: float
    ending: Ending

    @classmethod
    def of_plan(cls, plan: LoopPlan) -> _Part:
        """As it was planned."""
        return cls(plan, plan.music_in, plan.start_fade_seconds, plan.ending)

    @property
    def lasts(self) -> float:
        """Up to where it ends, s from where it begins, the silence before the music included."""
        return float(segment_starts(segment_table(self.plan), self.music_in)[-1])

    def begins_at(self, song_from: TrackSeconds) -> bool:
        """Whether it plays on from a second of the track."""
        return self.music_in == 0.0 and abs(self.plan.song_start - song_from) < 1e-6

    def leads_to(self, landmark: TrackSeconds, song_to: TrackSeconds) -> bool:
        """Whether it ends at a second of the track, and plays it from a hit to there."""
        last = self.plan.segments[-1]
        return abs(last.song_to - song_to) < 1e-6 and last.song_from <= landmark + HIT_TOLERANCE_SECONDS


def find_arrival(landmarks: Landmarks, profile: LoopProfile) -> tuple[str, TrackSeconds] | None:
    """What a track arrives at, and where: its strongest drop, else where its most memorable chorus, or section, begins.

    Each counts only with `_BUILD_UP_SECONDS` of music before it and `_PAYOFF_SECONDS` behind it, where any has that.
    None for a track without any.
    """
    marks, salience = landmarks.marks, bar_salience(profile.bar_lufs, profile.form)
    drops = marks.kinds == marks.names.index("drop")
    inner = [one for one in profile.sections[1:-1] if one.first_bar < one.last_bar <= salience.size]
    choruses = [section for section in inner if section.label == "chorus"] or inner
    begins = np.array([section.song_from for section in choruses])
    memorable = np.array([salience[section.first_bar : section.last_bar].mean() for section in choruses])
    found = (
        (["drop"] * int(drops.sum()), marks.times[drops], marks.salience[drops]),
        ([section.label for section in choruses], begins, memorable),
    )
    for build_up, payoff in ((_BUILD_UP_SECONDS, _PAYOFF_SECONDS), (profile.usual_bar, profile.usual_bar)):
        for names, times, rating in found:
            counts = (times >= profile.song_start + build_up) & (times <= profile.last_sound - payoff)
            if counts.any():
                best = np.flatnonzero(counts)[np.argmax(rating[counts])]
                return names[best], float(times[best])
    return None


def hit_distance(plan: LoopPlan, hit: Hit) -> float | None:
    """By how many seconds a plan plays the landmark of a hit late, the nearest time of it; None: it does not play it.

    Negative where it comes early.
    """
    assert hit.landmark is not None, "the arrival of the track is known by now"
    table, starts = segment_table(plan), plan.segment_starts[:-1]
    plays = (table[:, 0] - HIT_TOLERANCE_SECONDS <= hit.landmark) & (hit.landmark < table[:, 1])
    late = starts[plays] + hit.landmark - table[plays, 0] - hit.at
    return float(late[np.argmin(np.abs(late))]) if late.size else None


def plans_with_hits(fit: Fit, plans_of: Callable[[Fit], Sequence[LoopPlan]]) -> list[LoopPlan]:
    """Plans in which every hit that is asked for lands within 20 ms, best first.

    `plans_of` plans a piece. The landmarks of the hits are known. Kept parts and pinned seams are divided among the
    pieces in every way until there is a plan: that each part stays whole in the joined plan is for the caller to check.
    """
    request = fit.request
    hits = sorted(request.hits, key=lambda hit: hit.at)
    first = request.start_at or 0.0
    if hits[0].at < first or hits[-1].at >= fit.seconds:
        return []
    for division in _divisions(replace(request, hits=()), len(hits) + 1):
        found = list(_Hits(fit, plans_of).joined(hits, division))
        if found:
            return sorted(found, key=lambda plan: -plan.plan_score)
    return []


def _divisions(request: PlanRequest, number: int) -> Iterator[tuple[PlanRequest, ...]]:
    """The request of each piece: the start goes to the first, the end to the last, ranges to all."""
    parts = [one for one in request.each if one.kind in (ConstraintKind.KEEP, ConstraintKind.PINNED)]
    ranges = [one for one in request.constraints.each if one not in parts]
    for places in islice(product(range(number), repeat=len(parts)), _MOST_DIVISIONS):
        yield tuple(
            replace(
                request.only([*ranges, *(part for part, at in zip(parts, places, strict=True) if at == piece)]),
                start_at=None if piece == 0 else 0.0,
                end_on=request.end_on if piece == number - 1 else None,
                only_loop=False,
                fade=None,
            )
            for piece in range(number)
        )


@dataclass(frozen=True, slots=True)
class _Hits:
    """The search for one length."""

    fit: Fit
    plans_of: Callable[[Fit], Sequence[LoopPlan]]

    def joined(self, hits: Sequence[Hit], asked: Sequence[PlanRequest]) -> Iterator[LoopPlan]:
        """Plans that are joined of pieces as asked for."""
        profile, start_at = self.fit.profile, self.fit.request.start_at
        first = replace(asked[0], start_at=start_at)
        for parts in self._rows((first, *asked[1:]), hits, 0.0, None):
            plans = [part.plan for part in parts]
            segments = [*plans[0].segments]
            for plan in plans[1:]:  # each goes on where the one before ends
                goes_on, *others = plan.segments
                segments[-1:] = [replace(segments[-1], song_to=goes_on.song_to), *others]
            played = PlayedSegments(
                tuple(segments),
                np.concatenate([plan.seam_fades for plan in plans]),
                np.concatenate([plan.seam_curves for plan in plans]),
                np.concatenate([seam_scores(profile, plan) for plan in plans]),
                parts[0].start_fade,
                min(plan.gain_glide_seconds for plan in plans),
            )
            score = float(np.average([plan.plan_score for plan in plans], weights=[part.lasts for part in parts]))
            window = Window(parts[0].music_in, self.fit.seconds, start_at)
            yield build_plan(profile, played, parts[-1].ending, window, score)

    def _rows(
        self, asked: Sequence[PlanRequest], hits: Sequence[Hit], at: VideoSeconds, song_from: TrackSeconds | None
    ) -> Iterator[tuple[_Part, ...]]:
        """The parts of each way to go on from `at` of the video and `song_from` of the track, or from the start."""
        if not hits:
            for part in self._last(asked[0], self.fit.seconds - at, song_from):
                yield (part,)
            return
        hit, landmark = hits[0], hits[0].landmark
        assert landmark is not None, "the arrival of the track is known by now"
        # The pieces are joined some way behind the hit, so that a seam may also lead to the hit itself.
        bar = self.fit.profile.usual_bar
        room = (hits[1].at - hit.at) / 2 if len(hits) > 1 else self.fit.seconds - hit.at - 2 * bar
        room = min(room, self.fit.profile.last_sound - landmark - bar)
        behind = round(max(0.0, min(_UNCUT_SECONDS, room)), 6)
        for keep in self.fit.request.keep:  # none is divided by the join, where there is room behind it
            if keep.song_from < landmark + behind < keep.song_to <= landmark + room:
                behind = round(keep.song_to - landmark, 6)
        song_to, until = landmark + behind, hit.at + behind
        for part in self._up_to(song_to, asked[0], round(until - at, 6), song_from, landmark):
            for rest in self._rows(asked[1:], hits[1:], (micros(at) + micros(part.lasts)) / 1e6, song_to):
                yield (part, *rest)

    def _up_to(
        self,
        song_to: TrackSeconds,
        asked: PlanRequest,
        lasts: float,
        song_from: TrackSeconds | None,
        landmark: TrackSeconds,
    ) -> Iterator[_Part]:
        """What may play for so many seconds, from `song_from` if given, and plays the track from a hit to `song_to`."""
        profile = self.fit.profile
        if lasts - (asked.start_at or 0.0) < profile.usual_bar + MAX_EARLY_SECONDS:
            return
        last_bar = profile.downbeats.size - 1 if profile.ending is None else profile.ending.start_bar
        own = TrackEnding(EndingKind.ABRUPT, last_bar)
        ends = replace(profile, last_sound=song_to, ending=own, restart=None, leads_to_hit=True)
        if song_to > landmark:
            uncut = TrackRange(landmark, song_to)
            asked = replace(asked, constraints=asked.constraints.and_more(SeamConstraints(never_cut=(uncut,))))
        if song_from is not None:
            ends = replace(ends, song_start=song_from, comes_from_hit=True)
        starts = [ends.song_start]
        if song_from is None:
            lines = profile.downbeats[profile.downbeats > profile.song_start + MAX_EARLY_SECONDS]
            starts += (lines[:_LATER_STARTS] - EARLY_SECONDS).tolist()
        for start in starts:
            plans = self._plans_of(replace(ends, song_start=start), lasts + HIT_TOLERANCE_SECONDS, asked)
            parts = [_Part.of_plan(plan) for plan in plans]
            parts = [part for part in parts if part.leads_to(landmark, song_to)]
            if song_from is not None:
                parts = [part for part in parts if part.begins_at(song_from)]
            elif asked.start_at is None:  # exact where the start can move
                parts = [
                    part._replace(music_in=max(0.0, round(part.music_in + lasts - part.lasts, 6))) for part in parts
                ]
                parts = [part for part in parts if part.music_in < profile.downbeats[1] - profile.downbeats[0]]
            yield from (part._replace(start_fade=start_fade(profile, part.plan.song_start)) for part in parts)
            if parts:
                return

    def _last(self, asked: PlanRequest, lasts: float, song_from: TrackSeconds | None) -> Iterator[_Part]:
        """What may play from `song_from` of the track to the end of the video."""
        assert song_from is not None, "the last piece comes after a hit"
        profile = replace(self.fit.profile, song_start=song_from, comes_from_hit=True)
        lasts = round(lasts, 6)
        if lasts < profile.usual_bar + MAX_EARLY_SECONDS:
            yield from self._straight_from(asked, lasts, song_from)
            return
        if asked.end_on is not None:
            asked = replace(asked, end_on=asked.end_on - (self.fit.seconds - lasts))
        for plan in self._plans_of(profile, lasts, asked):
            part = _Part.of_plan(plan)
            if part.begins_at(song_from):
                yield part

    def _plans_of(self, profile: LoopProfile, seconds: float, asked: PlanRequest) -> Sequence[LoopPlan]:
        """The first plans of a piece."""
        piece = replace(self.fit, profile=profile, seconds=round(seconds, 6), request=asked, beside=None)
        return self.plans_of(piece)[:_MOST_PIECES]

    def _straight_from(self, asked: PlanRequest, lasts: float, song_from: TrackSeconds) -> Iterator[_Part]:
        """What follows a hit that comes within a bar of the end: the track as it is, under a fade."""
        profile, none = self.fit.profile, np.zeros(0)
        until = round(song_from + lasts, 6)
        unmet = asked.keep or asked.constraints.pinned or asked.end_on is not None
        if unmet or until > latest_stop(profile, in_ending=True) or last_line(profile, until) < 0:
            return
        if asked.constraints.excludes(song_from, until):
            return
        ending = downbeat_ending(profile, EndKind.FADE, until, lasts, lasts, self.fit.params)
        played = PlayedSegments((LoopSegment(song_from, until, 0.0, 0.0),), none, none, none, 0.0, lasts)
        plan = build_plan(profile, played, Ending(EndKind.CUT), Window(0.0, lasts), 0.5, on_grid=False)
        yield _Part.of_plan(plan)._replace(ending=ending)  # a fade may begin in the piece before


def suggest_hits(before: Hit, hit: Hit, splices: UsableSplices, can_land: Callable[[Hit], bool]) -> Sentence:
    """When the later of two hits that exclude each other can land: the nearest times before and after.

    The end of a sentence; empty if none of the ways that were tried, by one splice or two, has a plan.
    """
    assert before.landmark is not None, "the arrival of the track is known by now"
    assert hit.landmark is not None, "the arrival of the track is known by now"
    leaves, enters = splices.song_to > before.landmark, splices.song_from <= hit.landmark
    gains = splices.gain_seconds
    pairs = (gains[:, None] + gains)[splices.follows & leaves[:, None] & enters]
    between = hit.landmark - before.landmark + np.concatenate([[0.0], gains[leaves & enters], pairs])
    times = before.at + np.unique(np.round(between[between > 0.0], 2))
    near: list[str] = []
    for side in (times[times < hit.at - HIT_SECONDS][::-1], times[times > hit.at + HIT_SECONDS]):
        found = next((at for at in side[:_MOST_TIMES].tolist() if can_land(replace(hit, at=at))), None)
        near += [] if found is None else [clock(round(found, 2))]
    return Sentence("with ", before.constraint, f" it can land at {' or '.join(near)}") if near else Sentence()
