"""The sounds of blind listening tests, made from plans and their track: cut alike, faded alike, equally loud.

What differs between the sounds of a trial must be the splice alone. So all of them are as long, fade in and out over
the same few milliseconds, and are brought to the loudness of the quietest (ITU-R BS.1770, integrated): nothing clips.

The hidden reference of a seam is the track itself playing on over the bar line that the seam leaves. The anchor is a
bad splice at the same place: the bar that is entered begins a beat late, with the shortest fade.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.features.loudness import integrated_lufs
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording, VideoSeconds
from workbench.render.playback import expected_excerpt, render, stretch_of
from workbench.seams.profile import MIN_FADE_SECONDS

EXCERPT_SECONDS = 6.0  # long enough to hear a bar or two on both sides, short enough to compare from memory
_EDGE_SECONDS = 0.03  # of the fade at both ends
_SAME_BEAT_SECONDS = 0.02  # a splice may lie up to 10 ms off its beat
_LATE_SECONDS = 0.5  # by which the anchor is late where no beat follows


def plan_excerpt(
    plan: LoopPlan, recording: Recording, at_s: VideoSeconds, seconds: float = EXCERPT_SECONDS
) -> Recording:
    """An excerpt of what a plan plays, with a video time in its middle and faded ends.

    It is shorter where the plan begins or ends. Raises `ParameterError` where nothing plays, and `PlanError` if the
    plan is of another track.
    """
    if not 0.0 <= at_s <= plan.window_end:
        raise ParameterError(f"the plan plays from 0 to {plan.window_end:.1f} s, not at {at_s:.1f} s")
    return _edged(render(plan, recording, from_s=max(0.0, at_s - seconds / 2), to_s=at_s + seconds / 2))


def reference_of(plan: LoopPlan, recording: Recording, seam: int) -> Recording:
    """The track playing on over the bar line where a seam, from 0, leaves it, in the middle of the sound.

    Raises `ParameterError` if there is no such seam, and `PlanError` if the plan is of another track.
    """
    return _edged(expected_excerpt(plan, recording, seam, EXCERPT_SECONDS).left)


def anchor_of(plan: LoopPlan, recording: Recording, grid: BeatGrid, seam: int) -> Recording:
    """A bad splice at the place of a seam, from 0: the entered side begins a beat late, with the shortest fade.

    The splice is in the middle of the excerpt. Raises as `reference_of`.
    """
    before = expected_excerpt(plan, recording, seam, EXCERPT_SECONDS).left.samples
    rate, entered, count = recording.sample_rate, plan.segments[seam + 1], before.shape[1]
    middle = round(min(plan.seam_times[seam], EXCERPT_SECONDS / 2) * rate)
    later = grid.beats[grid.beats > entered.song_from + _SAME_BEAT_SECONDS]
    late_s = float(later[0]) if later.size else entered.song_from + _LATE_SECONDS
    first = round(late_s * rate) - middle
    after = stretch_of(recording, first, first + count, entered.gain_in_db).samples
    share = np.clip((np.arange(count) - middle) / (MIN_FADE_SECONDS * rate) + 0.5, 0.0, 1.0).astype(np.float32)
    return _edged(Recording.from_samples(before * (1.0 - share) + after * share, rate))


def match_loudness(
    sounds: Mapping[str, Recording], until_s: float | None = None
) -> tuple[dict[str, Recording], dict[str, float]]:
    """Bring sounds to the loudness of the quietest; also returns the dB by which each was turned down, at most 0.

    Loudness is measured up to `until_s`, None: over all. The sounds of a seam share what comes before it, and a step of
    level at the splice is to be audible. Silent sounds stay as they are.
    """
    lufs = {}
    for name, sound in sounds.items():
        stop = sound.samples.shape[1] if until_s is None else max(1, round(until_s * sound.sample_rate))
        lufs[name] = integrated_lufs(sound.samples[:, :stop], sound.sample_rate)
    finite = [level for level in lufs.values() if np.isfinite(level)]
    gains = {name: min(finite) - level if np.isfinite(level) else 0.0 for name, level in lufs.items()}
    matched = {
        name: Recording.from_samples(sound.samples * np.float32(10.0 ** (gains[name] / 20.0)), sound.sample_rate)
        for name, sound in sounds.items()
    }
    return matched, gains


def _edged(sound: Recording) -> Recording:
    """With ends that rise and fall."""
    length = sound.samples.shape[1]
    edge = min(round(_EDGE_SECONDS * sound.sample_rate), length // 2)
    shape = np.ones(length, dtype=np.float32)
    rise = (0.5 - 0.5 * np.cos(np.pi * (np.arange(edge) + 0.5) / max(1, edge))).astype(np.float32)
    shape[:edge], shape[length - edge :] = rise, rise[::-1]
    return Recording.from_samples(sound.samples * shape, sound.sample_rate)
