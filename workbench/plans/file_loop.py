"""The loop that a track's own file carries: repeated where it fits the bars, and named where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.beats.edges import EDGE_SECONDS
from workbench.plans.constraints import NamedSplice, SeamConstraints, clock
from workbench.plans.plan import LoopPlan, nearest_line
from workbench.plans.refusals import Refusal
from workbench.recording import Recording
from workbench.seams.build_profile import end_splice, named_splices
from workbench.seams.profile import LoopProfile

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.params import SeamParams
    from workbench.seams.seam_score import SeamEvidence


@dataclass(frozen=True, slots=True)
class FileLoop:
    """The loop points of a file, in track time, s."""

    song_from: float
    song_to: float
    unused: str | None = None
    """why a plan does not repeat this loop; None: it repeats this one and no other"""
    seam_score: float = 1.0
    """of the splice from its end to its start, 0 to 1; 1 where that was not measured"""

    @property
    def splice(self) -> NamedSplice:
        """The splice from its end to its start."""
        return NamedSplice(self.song_to, self.song_from)

    @property
    def in_words(self) -> str:
        """Whether the loop is used, in one sentence."""
        points = f"the loop points of the file, {clock(self.song_from)} to {clock(self.song_to)}, are"
        if self.unused is not None:
            return f"{points} not used: {self.unused}"
        return f"{points} used; their seam scores {self.seam_score:.2f}"

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON that a provenance records."""
        points: dict[str, JsonValue] = {"song_from": self.song_from, "song_to": self.song_to}
        return {**points, "used": True} if self.unused is None else {**points, "used": False, "why": self.unused}


def with_file_loop(
    profile: LoopProfile, recording: Recording, evidence: SeamEvidence, points: tuple[float, float], params: SeamParams
) -> LoopProfile:
    """A profile that knows the loop points of its file, with the splice between them where both are bar lines.

    `points` are the first second of the loop and the one past its last; the track has at least two bars.
    """
    profile = replace(profile, file_loop=points)
    at = nearest_line(profile.downbeats, np.array(points))
    enter, leave = at.tolist()
    off = np.abs(profile.downbeats[at] - np.array(points)).max()
    if off > EDGE_SECONDS or enter >= leave or profile.splices.row_of(leave, enter) is not None:
        return profile
    if profile.downbeats[leave] >= profile.song_duration - EDGE_SECONDS:
        found = end_splice(profile.song_duration, evidence, params, enter)
        # to the sample, for no waveform after the end tells how both lie to each other
        found = replace(found, song_from=found.song_to - (points[1] - points[0]))
    else:
        found = named_splices(recording, evidence, at[1:], at[:1], params)
    if not found.have_room(profile.song_duration)[0]:
        return profile
    return replace(profile, splices=profile.splices.with_more(found))


def find_file_loop(profile: LoopProfile, constraints: SeamConstraints) -> FileLoop | None:
    """The loop of a track's file, and whether a plan may repeat it; None for a file without loop points."""
    if profile.file_loop is None:
        return None
    found, lines = FileLoop(*profile.file_loop), profile.downbeats
    if lines.size < 3:
        return replace(found, unused="no bars were found in this track")
    at = np.array(profile.file_loop)
    off = np.abs(at - lines[nearest_line(lines, at)])
    if off.max() > EDGE_SECONDS:
        why = f"{clock(float(at[np.argmax(off)]))} is {1000 * off.max():.0f} ms off a downbeat, more than a seam may be"
        return replace(found, unused=why)
    row = _row_of(profile)
    if row is None:
        return replace(found, unused="it leaves no room for a crossfade at an end of the track")
    found = replace(found, seam_score=round(float(profile.splices.score[row]), 4))
    return replace(found, unused="constraints on seams were given") if constraints else found


def plan_file_loop(
    profile: LoopProfile,
    constraints: SeamConstraints,
    plan: Callable[[LoopProfile, SeamConstraints], tuple[LoopPlan | Refusal, ...]],
) -> tuple[FileLoop | None, tuple[LoopPlan | Refusal, ...]]:
    """Plan with the loop of the track's file alone where that can be, else with all splices of the track.

    `plan` answers for one or several lengths. The first result is None for a file without a loop, the second is what
    `plan` returned.
    """
    found = find_file_loop(profile, constraints)
    row = None if found is None or found.unused is not None else _row_of(profile)
    if found is None or row is None:
        return found, plan(profile, constraints)
    alone = replace(profile, splices=profile.splices.rows(np.array([row])))
    if alone.ending is not None and alone.splices.leave[0] > alone.ending.start_bar:
        alone = replace(alone, ending=None, restart=None)  # the loop goes on into what would end the track
    planned = plan(alone, SeamConstraints(pinned=(found.splice,)))
    if any(isinstance(answer, Refusal) for answer in planned):
        return replace(found, unused="no plan of this length repeats it"), plan(profile, constraints)
    return found, planned


def _row_of(profile: LoopProfile) -> int | None:
    """The row of the splice of the file's loop; None where it leaves no room for a crossfade."""
    enter, leave = nearest_line(profile.downbeats, np.array(profile.file_loop)).tolist()
    return profile.splices.row_of(leave, enter)
