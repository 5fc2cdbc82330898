"""Restarts: the whole track again from its head, after its own ending, as an editor lays it twice.

A restart is a splice of its own kind. It is not meant to pass unnoticed: the track ends, its last hit rings, and on a
later bar line the head begins, so that the pulse goes on through the pause. It is scored as any splice is, by the
chance that nobody hears it, which is next to none; that counts in a plan's `plan_score`, not in its `seam_score`, the
worst splice's. What speaks for it is other evidence: the track has an ending of its own, what is left of it on the bar
line is quiet, and what begins is the head. Where a plan with restarts is served is decided in
`workbench.plans.serving`.

It leaves on the last bar line, the quietest, and enters on the first; a pick-up before the first bar line is heard only
when the track begins, not when it begins again. The fade is fitted as that of any splice: over before the head's first
attack, longer where the head has none.

`workbench.seams.endings` finds it. Functions: of a plan `is_restart` and `count_restarts`; of segments and splices
`seams_restart` and `splices_restart`; `restart_loses_pickup`.
"""

from __future__ import annotations

import numpy as np

from workbench.plans.plan import LoopPlan, seam_lines, segment_table
from workbench.recording import BoolArray, FloatArray, IntArray
from workbench.seams.profile import LoopProfile

_PICKUP_SECONDS = 0.1  # s; a lead-in that is shorter is the attack of the first downbeat


def count_restarts(plan: LoopPlan, profile: LoopProfile) -> int:
    """How often a plan begins the whole track again after its own ending."""
    return int(is_restart(plan, profile).sum())


def is_restart(plan: LoopPlan, profile: LoopProfile) -> BoolArray:
    """Which seams of a plan are restarts, shape (n_seams,)."""
    return seams_restart(segment_table(plan), profile)


def seams_restart(table: FloatArray, profile: LoopProfile) -> BoolArray:
    """Which seams between some segments are restarts, shape (n_segments - 1,).

    `table`, shape (n_segments, 2), has the ranges in the order of playback, in seconds of track time.
    """
    if profile.restart is None:
        return np.zeros(len(table) - 1, dtype=bool)
    leave, enter = seam_lines(table, profile.downbeats).T
    return splices_restart(leave, enter, profile)


def splices_restart(leave: IntArray, enter: IntArray, profile: LoopProfile) -> BoolArray:
    """Which splices, by the bar lines left and entered, begin the whole track again; shape of the arguments."""
    restart = profile.restart
    if restart is None:
        return np.zeros(np.shape(leave), dtype=bool)
    return restart.is_at(leave, enter)


def restart_loses_pickup(profile: LoopProfile) -> bool:
    """Whether a lead-in before the first bar line is played only when the track begins, not when it begins again."""
    restart = profile.restart
    return restart is not None and float(profile.downbeats[restart.enter] - profile.song_start) > _PICKUP_SECONDS
