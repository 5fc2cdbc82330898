"""Loop profiles made up in memory: tracks with a form, repeats and endings, but no sound.

`track_profile` builds one track; `ANY_PROFILE` is a Hypothesis strategy over tracks of every metre, tempo change and
kind of ending, with splices among them that break the rules and must not be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.seams.profile import (
    SEAM_PARTS,
    EndingKind,
    LoopProfile,
    Restart,
    Splices,
    TrackEnding,
    TrackSection,
)

FORM = ("intro", "verse", "chorus", "verse", "chorus", "break", "chorus", "outro")


@dataclass(frozen=True)
class Track:
    """What a made-up track is like."""

    bars: int = 64
    bpm: float = 120.0
    beats_per_bar: int = 4
    lead_in: float = 0.4
    ring: float = 2.5
    section_bars: int = 8
    ending: EndingKind | None = EndingKind.OUTRO
    confidence: float = 0.9
    tempo_change: float = 1.0  # of the second half
    jitter: float = 0.0  # s, of each bar line
    splices: int = 200
    off_grid: float = 0.004  # s, most that a splice is shifted
    restarts: bool = False  # the last bar line lies in the quiet after the ending
    ring_bars: int = 0  # at the end, in which only the last hit rings
    seed: int = 1


def make_profile(track: Track = Track()) -> LoopProfile:
    rng = np.random.default_rng(track.seed)
    bar = np.full(track.bars, 60.0 / track.bpm * track.beats_per_bar)
    bar[track.bars // 2 :] /= track.tempo_change
    lines = track.lead_in + np.concatenate([[0.0], np.cumsum(bar)])
    lines[1:-1] += rng.uniform(-track.jitter, track.jitter, track.bars - 1)
    duration = float(lines[-1]) + track.ring
    downbeats = lines[:-1]
    names = [
        FORM[min(i, len(FORM) - 1)] if track.bars <= 8 * track.section_bars else FORM[i % 8] for i in range(track.bars)
    ]
    sections = tuple(
        TrackSection(
            first,
            min(first + track.section_bars, track.bars),
            float(lines[first]),
            float(lines[min(first + track.section_bars, track.bars)]),
            names[number],
            sorted(FORM).index(names[number]),
        )
        for number, first in enumerate(range(0, track.bars, track.section_bars))
    )
    label = np.array([next(s.group for s in sections if s.first_bar <= b < s.last_bar) for b in range(track.bars)])

    leave, enter = rng.integers(1, track.bars, 4 * track.splices), rng.integers(0, track.bars, 4 * track.splices)
    keep = np.flatnonzero(leave != enter)[: track.splices]
    _, unique = np.unique(leave[keep] * track.bars + enter[keep], return_index=True)
    keep = keep[np.sort(unique)]
    leave, enter = leave[keep], enter[keep]
    alike = (label[leave] == label[enter]) & ((leave - enter) % track.section_bars == 0)
    score = np.where(alike, rng.uniform(0.75, 1.0, keep.size), rng.beta(2.0, 2.0, keep.size))
    order = np.argsort(-score, kind="stable")
    leave, enter, score = leave[order], enter[order], score[order]
    n = leave.size
    splices = Splices(
        leave=leave,
        enter=enter,
        song_to=downbeats[leave] + rng.uniform(-track.off_grid, track.off_grid, n) / 2,
        song_from=np.maximum(0.0, downbeats[enter] + rng.uniform(-track.off_grid, track.off_grid, n)),
        score=score,
        parts=np.repeat(score[:, None], len(SEAM_PARTS), axis=1),
        fade_seconds=rng.uniform(0.004, 0.15, n),
        exponent=rng.uniform(0.5, 1.0, n),
        level_step_db=rng.normal(0.0, 3.0, n),
    )
    restart = None
    if track.restarts and track.ending is not None:
        restart = Restart(track.bars - 1, 0, -20.0)
        splices = with_splice(splices, downbeats, restart)
    last_sound = duration - 0.2
    start_bar = max(1, track.bars - track.section_bars)
    own = None
    if track.ending is not None:
        own = TrackEnding(track.ending, start_bar)
    return LoopProfile(
        song_duration=duration,
        song_start=max(0.0, track.lead_in - 0.1),
        last_sound=last_sound,
        downbeats=downbeats,
        beats_per_bar=track.beats_per_bar,
        grid_confidence=track.confidence,
        bar_lufs=-14.0 - 12.0 * np.maximum(np.arange(track.bars) - (track.bars - 1 - track.ring_bars), 0),
        sections=sections,
        splices=splices,
        ending=own,
        restart=restart,
    )


def with_splice(splices: Splices, lines: np.ndarray, restart: Restart) -> Splices:
    """The splices and that of a restart, which nobody would take for a seam, as the last."""
    others = splices.rows(np.flatnonzero((splices.leave != restart.leave) | (splices.enter != restart.enter)))
    return others.with_more(
        Splices(
            leave=np.array([restart.leave]),
            enter=np.array([restart.enter]),
            song_to=lines[[restart.leave]] - 0.004,
            song_from=np.maximum(0.0, lines[[restart.enter]] - 0.004),
            score=np.array([0.001]),
            parts=np.full((1, len(SEAM_PARTS)), 0.1),
            fade_seconds=np.array([0.012]),
            exponent=np.array([0.5]),
            level_step_db=np.zeros(1),
        )
    )


def track_profile(**what: Any) -> LoopProfile:
    """`track_profile(bars=48, ending=None)` is the profile of one made-up track; `Track` has what it may be like."""
    return make_profile(Track(**what))


ANY_PROFILE: st.SearchStrategy[LoopProfile] = st.builds(
    Track,
    bars=st.integers(8, 150),
    bpm=st.floats(60.0, 190.0),
    beats_per_bar=st.sampled_from([2, 3, 4, 5, 6, 7, 8]),
    lead_in=st.sampled_from([0.0, 0.003, 0.02, 0.5, 3.0]) | st.floats(0.0, 5.0),
    ring=st.floats(0.3, 6.0),
    section_bars=st.sampled_from([4, 6, 8, 12, 16]),
    ending=st.none() | st.sampled_from(list(EndingKind)),
    tempo_change=st.sampled_from([1.0, 1.0, 0.5, 0.8, 1.1, 2.0]),
    jitter=st.sampled_from([0.0, 0.0, 0.004, 0.02]),
    splices=st.integers(1, 300),
    off_grid=st.sampled_from([0.0, 0.002, 0.008, 0.02]),
    restarts=st.booleans(),
    ring_bars=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
).map(make_profile)
"""profiles of tracks of every kind"""


def only(
    profile: LoopProfile,
    loops: Iterable[tuple[int, int]],
    score: float | Sequence[float] = 0.95,
    *,
    restart: bool = False,
) -> LoopProfile:
    """The track with these splices alone, as (leave, enter) bar lines, on them exactly; `restart`: and its last one."""
    leave, enter = np.array(list(loops), dtype=np.int64).reshape(-1, 2).T
    n = leave.size
    splices = replace(
        profile.splices,
        leave=leave,
        enter=enter,
        song_to=profile.downbeats[leave],
        song_from=profile.downbeats[enter],
        score=np.full(n, score),
        parts=np.repeat(profile.splices.parts[:1], n, axis=0),
        fade_seconds=np.full(n, 0.02),
        exponent=np.ones(n),
        level_step_db=np.zeros(n),
    )
    if restart:
        splices = splices.with_more(profile.splices.rows(np.array([profile.splices.leave.size - 1])))
    return replace(profile, splices=splices)


def the_plan(answer: LoopPlan | Refusal) -> LoopPlan:
    assert isinstance(answer, LoopPlan), answer
    return answer


def the_refusal(answer: LoopPlan | Refusal) -> Refusal:
    assert isinstance(answer, Refusal), answer
    return answer
