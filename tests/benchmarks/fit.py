"""Fits of every length beside what naive editors do, judged on the rendered sound by `judge`, on the true beats.

python -m tests.benchmarks.run fit
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.benchmarks.judge import Splice, Verdict, judge, measures
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import Track, bundled, profiles
from workbench.media.audio import decode
from workbench.plans.fit import plan_fit
from workbench.plans.fit_request import hook_of
from workbench.plans.plan import LoopPlan, PlanKind
from workbench.plans.refusals import Refusal
from workbench.render.playback import render
from workbench.seams.profile import LoopProfile

SECONDS = (6.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0)
SHARES = (0.5, 0.75, 0.9, 1.0)
JUDGED_SECONDS = (15.0, 30.0, 60.0)
LATE_SECONDS = 0.07
"""how far from a downbeat music still starts or stops on it"""
OURS, HALVES = "workbench fit", "first half, last half"


@dataclass
class Counts:
    """What is counted over all tracks and lengths."""

    asked: int = 0
    refused: int = 0
    off_ms: float = 0.0
    """by which the worst length is missed"""
    whole: dict[str, list[tuple[bool, bool, bool]]] = field(default_factory=dict)
    """by who made it: whether it starts well, ends well and has the hook"""
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)


def count_fits(profile: LoopProfile, counts: Counts) -> None:
    """Fit one track to all lengths."""
    lengths = [seconds for seconds in SECONDS if seconds < profile.song_duration]
    for seconds in [*lengths, *(round(share * profile.song_duration, 3) for share in SHARES)]:
        counts.asked += 1
        plan = plan_fit(profile, seconds)
        if isinstance(plan, Refusal):
            counts.refused += 1
            continue
        reached = float(plan.segment_starts[-1]) + (0.0 if plan.ends_in_fade else plan.tail_seconds)
        off = max(abs(plan.window_end - seconds), abs(reached - seconds))
        counts.off_ms = max(counts.off_ms, 1000.0 * off)
        _count_whole(profile, plan, counts)


def _count_whole(profile: LoopProfile, plan: LoopPlan, counts: Counts) -> None:
    """Starts, ends and hooks of a fit and of two naive cuts of its length."""
    seconds = plan.window_end
    hook = hook_of(profile, seconds / 2)
    if hook is None or seconds < 15.0 or seconds > 0.9 * profile.song_duration:
        return
    own = round(profile.last_sound, 6)
    made = {
        OURS: [(s.song_from, s.song_to) for s in plan.segments],
        "start to length, fade": [(profile.song_start, profile.song_start + seconds)],
        "last seconds": [(own - seconds, own)],
    }
    for maker, spans in made.items():
        first, last = spans[0][0], spans[-1][1]
        resolves = last - plan.tail_seconds if maker == OURS and plan.ends_in_fade else last
        starts = first <= profile.song_start + 1e-3 or _on_downbeat(profile, first)
        ends = abs(last - own) < 1e-3 or _on_downbeat(profile, resolves)
        has_hook = any(a <= hook[0] + 0.011 and b >= hook[1] - 0.011 for a, b in spans)
        counts.whole.setdefault(maker, []).append((starts, ends, has_hook))


def _on_downbeat(profile: LoopProfile, time: float) -> bool:
    return bool(np.min(np.abs(profile.downbeats - time)) <= LATE_SECONDS)


def judge_fits(track: Track, profile: LoopProfile, counts: Counts) -> None:
    """Judge the seams of some cut-downs, and a butt joint in the middle of the same length."""
    samples, rate = track.samples()
    beats = track.beats()
    recording = decode(track.path)
    ours, halves = (counts.verdicts.setdefault(maker, []) for maker in (OURS, HALVES))
    for seconds in JUDGED_SECONDS:
        answer = plan_fit(profile, seconds)
        options = answer.options if isinstance(answer, LoopPlan) else ()
        plan = next((one for one in options if one.kind is PlanKind.CUT_DOWN), None)
        if plan is None:
            continue
        sound = render(plan, recording).samples
        for left, entered, at in zip(plan.segments[:-1], plan.segments[1:], plan.seam_times, strict=True):
            ours.append(judge(sound, samples, rate, Splice(at, left.song_to, entered.song_from), *beats))
        half = round(seconds / 2 * rate)
        butted = np.concatenate((samples[:, :half], samples[:, samples.shape[1] - half :]), axis=1)
        splice = Splice(half / rate, half / rate, (samples.shape[1] - half) / rate)
        halves.append(judge(butted, samples, rate, splice, *beats))


def run() -> list[Table]:
    """The tables of the bundled songs."""
    counts, known = Counts(), profiles()
    for track in bundled():
        if track.is_song:
            count_fits(known[track.name], counts)
            judge_fits(track, known[track.name], counts)
    whole = Table("Cuts of 15 s and more", ["made by", "starts on a downbeat", "ends on one or with the track", "hook"])
    for maker, marks in counts.whole.items():
        whole.add(maker, *(f"{share:.0f} %" for share in 100 * np.mean(np.array(marks), axis=0)))
    whole.notes.append(
        f"{counts.asked} lengths of the bundled songs, {counts.refused} refused; lengths off by at most "
        f"{counts.off_ms:.3f} ms."
    )
    judged = Table(
        "Joints, judged", ["made by", "joints", "flux pct", "level step LU", "beat deviation ms", "surprise pct"]
    )
    for maker, verdicts in counts.verdicts.items():
        judged.add(maker, len(verdicts), *np.nanmean(measures(verdicts), axis=0).tolist())
    return [whole, judged]
