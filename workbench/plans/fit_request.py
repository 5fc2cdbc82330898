"""A track, one length and what is asked for: what a fit, a cut-down and the pieces between hits are planned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from workbench.errors import ParameterError, plain_seconds
from workbench.params import CoverParams
from workbench.plans.constraints import LineConstraints, on_lines
from workbench.plans.ends import EARLY_SECONDS, MIN_RING_SECONDS
from workbench.plans.plan import BORDER_SECONDS, LoopPlan
from workbench.plans.request import Keep, KeptPart, PlanRequest
from workbench.recording import TrackSeconds, VideoSeconds
from workbench.seams.profile import LoopProfile
from workbench.structure.salience import memorable_bars

MIN_SECONDS = 1.0  # s; nothing shorter is planned
HOOK_SECONDS = 30.0  # s; longest stretch that counts as the hook, that of a preview


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A track, one length and what is asked for.

    Attributes
    ----------
    profile : what is known of the track
    seconds : length of the whole, the silence before `start_at` included; rounded to the millisecond
    request : what is asked for beyond the length
    params : limits and weights
    last_hit : the last attack of the track, s; None where it is not known
    beside : a plan for another length, with which music and seams are shared: what plays in the shorter of both plays
        in the longer
    """

    profile: LoopProfile
    seconds: VideoSeconds
    request: PlanRequest
    params: CoverParams
    last_hit: TrackSeconds | None = None
    beside: LoopPlan | None = None

    def __post_init__(self) -> None:
        if self.is_piece:
            return
        if not (isfinite(self.seconds) and self.seconds >= MIN_SECONDS):
            raise ParameterError(f"music is fitted to {MIN_SECONDS:.0f} s or more, not to {self.seconds:g} s")
        object.__setattr__(self, "seconds", round(self.seconds, 6 if self.request.only_loop else 3))

    @property
    def is_piece(self) -> bool:
        """Whether it is planned to be joined to others at a hit."""
        return self.profile.comes_from_hit or self.profile.leads_to_hit

    @property
    def has_bars(self) -> bool:
        """Whether there are bars to cut and loop on."""
        return self.profile.downbeats.size >= 3

    @property
    def music_seconds(self) -> float:
        """From where the music starts to the end of the video."""
        return round(self.seconds - (self.request.start_at or 0.0), 6)

    @property
    def hit_seconds(self) -> float:
        """From the start of the music to where its last hit lands; `end_on` is given."""
        assert self.request.end_on is not None, "only where a hit is asked for"
        return self.request.end_on - (self.request.start_at or 0.0)

    @property
    def constraints(self) -> LineConstraints:
        """Those on seams, on bar lines; see `on_lines` for what it raises."""
        return on_lines(self.profile, self.request.constraints)

    @property
    def kept(self) -> tuple[tuple[TrackSeconds, TrackSeconds] | None, ...]:
        """Where the track has each kept part; the track has bars."""
        return kept_stretches(self.profile, self.request.keep, self.music_seconds)

    @property
    def whole(self) -> tuple[tuple[TrackSeconds, TrackSeconds], ...]:
        """Stretches of the track that each play whole in one segment."""
        return tuple(sorted({stretch for stretch in self.kept if stretch is not None}))

    @property
    def to_last_sound(self) -> bool:
        """Whether the track must be played to its last sound."""
        return any(keep.part is KeptPart.ENDING for keep in self.request.keep)

    @property
    def length(self) -> str:
        """The length in words."""
        return f"{plain_seconds(self.seconds)} s"


def hook_of(profile: LoopProfile, most_seconds: float) -> tuple[TrackSeconds, TrackSeconds] | None:
    """The part of a track that one remembers: whole bars from where its preview begins.

    Start and end; at least one bar, even if it is longer than `most_seconds`. None for a track without bars.
    """
    if profile.downbeats.size < 2:
        return None
    edges = profile.edges
    first, _ = memorable_bars(profile.bar_lufs, profile.form, np.diff(edges), HOOK_SECONDS)
    last = int(np.searchsorted(edges, edges[first] + min(most_seconds, HOOK_SECONDS) + 1e-6, side="right")) - 1
    return max(float(edges[first]), profile.song_start), float(edges[max(last, first + 1)])


def kept_stretches(
    profile: LoopProfile, keep: Sequence[Keep], music: float
) -> tuple[tuple[TrackSeconds, TrackSeconds] | None, ...]:
    """Kept parts in whole bars, as far as there are bars; None for a section that the track does not have.

    `music` is how long the music lasts, s. Beside others the hook takes half of the time that they leave, at most
    `HOOK_SECONDS`: the music has to get from one to the next.
    """
    others = {_stretch(profile, one, music) for one in keep if one.part is not KeptPart.HOOK}
    left = music - sum(stretch[1] - stretch[0] for stretch in others if stretch is not None)
    room = left / 2 if others else left
    return tuple(_stretch(profile, one, room if one.part is KeptPart.HOOK else music) for one in keep)


def _stretch(profile: LoopProfile, keep: Keep, music: float) -> tuple[TrackSeconds, TrackSeconds] | None:
    """One kept part; the hook leaves room for its start and its end in the music."""
    edges = profile.edges
    if keep.part is KeptPart.HOOK:
        whole = hook_of(profile, HOOK_SECONDS)
        if whole is None:
            return None
        end = min(whole[0] + HOOK_SECONDS, profile.last_sound)
        widened = (whole[0], float(edges[min(int(np.searchsorted(edges, end - BORDER_SECONDS)), edges.size - 1)]))
        # A downbeat is entered early, and the music ends after the part.
        room = music - EARLY_SECONDS - MIN_RING_SECONDS
        return widened if widened[1] - widened[0] <= room else hook_of(profile, room)
    if keep.part is not None:
        if not profile.sections:
            return None
        section = profile.sections[0 if keep.part is KeptPart.INTRO else -1]
        # The first bar line may be just before the sound: a beat is a little earlier than its first audible sound.
        return max(section.song_from, profile.song_start), min(section.song_to, profile.last_sound)
    first = int(np.searchsorted(edges, keep.song_from + BORDER_SECONDS, side="right")) - 1
    last = int(np.searchsorted(edges, keep.song_to - BORDER_SECONDS))
    begin = float(edges[first]) if first >= 0 else min(keep.song_from, profile.song_start)
    starts = begin if profile.comes_from_hit else max(begin, profile.song_start)
    return starts, float(edges[min(last, edges.size - 1)])
