"""Where else the last hit of a plan can land, once it cannot land where it was asked to.

Music that starts on a downbeat with the picture and ends on a hit lasts whole bars, with splices or without, so in
steady music its hit lands within a bar of the end at one time only, as long as the start is not moved. What is left of
a bar (the phase) is either silence before the music, which a later start asks for, or the way to another time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.errors import Sentence
from workbench.plans.constraints import Constraint, ConstraintKind, clock
from workbench.plans.ends import MIN_RING_SECONDS, end_slack
from workbench.recording import FloatArray, TrackSeconds, VideoSeconds
from workbench.seams.profile import LoopProfile

_SAME_PHASE_SECONDS = 0.03  # s; music whose lengths differ by less lands as well
_LEAST_SECONDS = 0.02  # s; a phase under this is no other time than the one asked for
_MOST_PHASES = 6  # that are tried, those of most pairs of bar lines first


def suggest_landings(
    profile: LoopProfile,
    *,
    seconds: VideoSeconds,
    end_on: VideoSeconds,
    start_at: VideoSeconds | None,
    last_hit: TrackSeconds | None,
    can_land: Callable[[VideoSeconds | None, VideoSeconds], bool],
) -> Sentence:
    """What to ask for instead of a landing that cannot be had.

    The end of a sentence, such as that it lands there with a start at 0:01.24; empty if nothing
    that was tried helps. `start_at` None starts with the picture, `last_hit` None is not known; `can_land` says whether
    there is a plan for a start and a landing.
    """
    bar, first = profile.usual_bar, start_at or 0.0
    earliest = seconds - bar  # of a landing on a bar line, for the hit rings for less than a bar
    wanted = max(end_on, earliest)
    own = _own_landing(profile, seconds, end_on, last_hit)
    own_lands = f"the track's own ending lands its last hit at {clock(own or 0.0)}"
    said: list[str | Constraint] = []
    if end_on <= earliest and own is not None and own <= earliest and can_land(start_at, own):
        said.append(own_lands)
    phases = _phases(profile, last_hit, wanted - first)
    starts = np.sort(first + phases) if end_on > earliest else ()
    later = next((at for at in starts if can_land(_rounded(at), end_on)), None)
    if later is not None:
        said += ["it lands there with ", Constraint(ConstraintKind.START_AT, (_rounded(later),))]
    times = np.concatenate([wanted - phases, wanted - phases + bar])
    times = times[(times > earliest) & (times <= seconds - MIN_RING_SECONDS)]
    times = times[np.argsort(np.abs(times - wanted))]
    near = next((at for at in times if can_land(start_at, _rounded(at))), None)
    if near is not None:
        alone = "a plan that starts as asked for" if start_at is not None else "music that starts with the picture"
        said.append(f"{'; ' if said else ''}{alone} lands it at {clock(_rounded(near))}")
    if not said and own is not None and can_land(start_at, own):
        said.append(own_lands)
    return Sentence(*said)


def _own_landing(
    profile: LoopProfile, seconds: VideoSeconds, end_on: VideoSeconds, last_hit: TrackSeconds | None
) -> VideoSeconds | None:
    """Where nearest to `end_on` the last hit of the track's own ending lands; None where the hit is not known."""
    if last_hit is None:
        return None
    latest = seconds - (profile.last_sound - last_hit)
    longest_tail, _ = end_slack(profile)
    return _rounded(min(max(end_on, np.ceil((latest - longest_tail) * 100) / 100), np.floor(latest * 100) / 100))


def _phases(profile: LoopProfile, last_hit: TrackSeconds | None, music: float) -> FloatArray:
    """What a length leaves of a bar beyond music from its start or a bar line to a hit, at most `_MOST_PHASES`."""
    lines, bar = profile.downbeats, profile.usual_bar
    hits = lines if last_hit is None else np.append(lines, last_hit)
    lasts = hits - np.append(lines, profile.song_start)[:, None]
    left = np.mod(music - lasts[lasts > 0.5 * bar], bar)
    left = left[(left > _LEAST_SECONDS) & (left < bar - _LEAST_SECONDS)]
    slots, counts = np.unique(np.floor(left / _SAME_PHASE_SECONDS).astype(np.int64), return_counts=True)
    best = slots[np.argsort(-counts, kind="stable")[:_MOST_PHASES]]
    return np.array([np.median(left[np.floor(left / _SAME_PHASE_SECONDS) == slot]) for slot in best])


def _rounded(seconds: float) -> float:
    return round(float(seconds), 2)
