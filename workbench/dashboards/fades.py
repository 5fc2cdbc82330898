"""Crossfades that were set by hand, kept when a track is planned again.

A plan on a corrected grid, or with other parameters, does not have the crossfades that somebody set by ear. A seam is
the same one where the music leaves and enters the track at the same places; there the crossfade is put back. The page
names those whose seam is not in the new plan, or has no room for them there.

Classes: `HandFade`. Functions: `seam_place`, `with_hand_fades`, `describe_lost`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from workbench.dashboards.sounds.seam import with_fade, with_option_first
from workbench.errors import PlanError
from workbench.plans.plan import LoopPlan
from workbench.plots.palette import clock
from workbench.workflows.plan import Planned

Place: TypeAlias = tuple[int, int]
"""where a seam leaves the track and where it enters it, ms of track time"""


@dataclass(frozen=True, slots=True)
class HandFade:
    """A crossfade that somebody set at a seam."""

    place: Place
    seconds: float
    exponent: float
    heard_s: float
    """video time of the seam when it was set, by which people know it"""

    @staticmethod
    def at(plan: LoopPlan, seam: int) -> HandFade:
        """The crossfade that a plan has at a seam.

        `seam`: counted from 0.
        """
        return HandFade(
            seam_place(plan, seam), plan.seam_fades[seam], plan.seam_curves[seam], float(plan.seam_times[seam])
        )


def seam_place(plan: LoopPlan, seam: int) -> Place:
    """The splice of the track that a seam is.

    `seam`: counted from 0.
    """
    return round(1000 * plan.segments[seam].song_to), round(1000 * plan.segments[seam + 1].song_from)


def with_hand_fades(loop: Planned, fades: Iterable[HandFade]) -> tuple[Planned, list[HandFade]]:
    """A loop whose plan has the crossfades set by hand, at the seams that it shares with the plan before.

    A splice that the plan plays several times gets its fade at the seam that is nearest to where the fade was set.
    """
    plan = loop.answer
    fades = list(fades)
    if not isinstance(plan, LoopPlan) or not fades:
        return loop, []
    changed, lost = plan.alone, []
    for fade in fades:
        same = [seam for seam in range(len(plan.seam_times)) if seam_place(plan, seam) == fade.place]
        if not same:
            lost.append(fade)
            continue
        nearest = min(same, key=lambda seam: abs(float(plan.seam_times[seam]) - fade.heard_s))
        try:
            changed = with_fade(changed, nearest, fade.seconds, fade.exponent)
        except PlanError:
            lost.append(fade)
    return (loop if changed == plan.alone else with_option_first(loop, changed)), lost


def describe_lost(lost: Iterable[HandFade]) -> str:
    """A sentence on crossfades that are not in a new plan."""
    places = [clock(fade.heard_s) for fade in lost]
    if not places:
        return ""
    if len(places) == 1:
        return f"the crossfade that you set at {places[0]} is not in this plan"
    return f"the crossfades that you set at {', '.join(places)} are not in this plan"
