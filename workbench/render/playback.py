"""Plan and recording to sound, at the track's own rate: block by block for any length, whole for short ones.

A bare plan is played as it is: every sample is a sample of the track times a gain. The limiter acts only with `limit`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from workbench.errors import ParameterError, PlanError
from workbench.mix.limiter import limit_blocks
from workbench.params import RenderParams
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray, Recording, VideoSeconds
from workbench.render.schedule import Music, PlacedTrack, PlayedSegment, Schedule, schedule

# Another encoding of the same file differs by less than this, another file nearly always by more
_LENGTH_TOLERANCE_SECONDS = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """What the track itself has on either side of a seam; both are as long as the seam's excerpt."""

    left: Recording  # the track played on past the place it leaves
    entered: Recording  # the track as it leads up to the place that is entered, and goes on


def render_blocks(
    plan: Music,
    recording: Recording,
    params: RenderParams | None = None,
    *,
    from_s: VideoSeconds = 0.0,
    to_s: VideoSeconds | None = None,
    limit: bool = False,
) -> Iterator[FloatArray]:
    """Play a plan in blocks of shape (channels, n), float32, at the track's rate, in memory independent of its length.

    `from_s` and `to_s` are clipped to the plan; None plays to `window_end`. Together the blocks have `round(to_s·rate)
    - round(from_s·rate)` samples. With `limit` the true peak stays under the ceiling; the limiter starts at `from_s`,
    without the state of what came before. Raises `PlanError` if the plan was made for another track.
    """
    params = params or RenderParams()
    timeline = schedule(plan, recording.sample_rate)
    check_track(plan, recording)
    rate = recording.sample_rate
    # Ends are rounded as times, not as lengths: adjacent ranges then join without a gap or an overlap.
    first = min(max(round(from_s * rate), 0), timeline.length)
    stop = timeline.length if to_s is None else min(max(round(to_s * rate), first), timeline.length)
    blocks = _play(timeline, recording.samples, first, stop, max(1, round(params.block_seconds * rate)))
    return limit_blocks(blocks, rate, params) if limit else blocks


def render(
    plan: Music,
    recording: Recording,
    params: RenderParams | None = None,
    *,
    from_s: VideoSeconds = 0.0,
    to_s: VideoSeconds | None = None,
    limit: bool = False,
) -> Recording:
    """Play a plan, or a part of it, into memory, as `render_blocks` does."""
    blocks = list(render_blocks(plan, recording, params, from_s=from_s, to_s=to_s, limit=limit))
    silence = np.zeros((recording.channels, 0), dtype=np.float32)
    return Recording.from_samples(np.concatenate([silence, *blocks], axis=1), recording.sample_rate)


def seam_excerpt(plan: LoopPlan, recording: Recording, seam: int, seconds: float = 4.0) -> Recording:
    """Cut out the sound around a seam, with the seam in the middle.

    Shorter than `seconds` where the plan begins or ends. Raises `ParameterError` if there is no such seam, or for an
    excerpt without length, and `PlanError` if the plan was made for another track.
    """
    timeline = schedule(plan, recording.sample_rate)
    first, stop = _around(timeline, seam, seconds)
    return render(plan, recording, from_s=first / timeline.rate, to_s=stop / timeline.rate)


def expected_excerpt(plan: LoopPlan, recording: Recording, seam: int, seconds: float = 4.0) -> Expectation:
    """Cut out of the track what a listener who knows it would expect around a seam, from either side.

    Both excerpts run over the samples of `seam_excerpt`; each is at the level its side has at the seam, without glides
    and fades, and silent where the track has nothing. Raises as `seam_excerpt`.
    """
    timeline = schedule(plan, recording.sample_rate)
    check_track(plan, recording)
    first, stop = _around(timeline, seam, seconds)
    leaving, entering = timeline.cues[seam], timeline.cues[seam + 1]
    return Expectation(
        left=stretch_of(recording, first + leaving.song_offset, stop + leaving.song_offset, leaving.reached_db),
        entered=stretch_of(recording, first + entering.song_offset, stop + entering.song_offset, entering.gain_in_db),
    )


def stretch_of(recording: Recording, first: int, stop: int, gain_db: float) -> Recording:
    """Track samples `first` to `stop` at a gain, silence where the track has none."""
    n = recording.samples.shape[1]
    sound = np.zeros((recording.channels, stop - first), dtype=np.float32)
    inside_from, inside_to = max(first, 0), min(stop, n)
    if inside_to > inside_from:
        track = recording.samples[:, inside_from:inside_to]
        sound[:, inside_from - first : inside_to - first] = track * np.float32(10.0 ** (gain_db / 20.0))
    return Recording.from_samples(sound, recording.sample_rate)


def check_length_of_track(plan: Music, seconds: float) -> None:
    """Raise `PlanError` if lengths differ by over half a second: the plan was made for another track."""
    if abs(plan.song_duration - seconds) > _LENGTH_TOLERANCE_SECONDS:
        raise PlanError(
            f"the plan was made for a track of {plan.song_duration:.3f} s, this one lasts {seconds:.3f} s; "
            "give the track that the plan names"
        )


def check_track(plan: Music, recording: Recording) -> None:
    """Raise `PlanError` if lengths differ by over half a second, or a segment reaches past the end of the track."""
    check_length_of_track(plan, recording.duration)
    if isinstance(plan, PlacedTrack):
        return
    for segment in plan.segments:
        if not 0.0 <= segment.song_from < segment.song_to <= recording.duration + _LENGTH_TOLERANCE_SECONDS:
            raise PlanError(
                f"a segment runs from {segment.song_from:.6f} to {segment.song_to:.6f} s "
                f"of a track of {recording.duration:.6f} s"
            )


def check_length_of_video(plan: Music, video: Path, seconds: float) -> None:
    """Raise `PlanError` unless a plan ends with a video of this length, or before it."""
    if plan.window_end > seconds + _LENGTH_TOLERANCE_SECONDS:
        raise PlanError(f"the plan covers {plan.window_end:.3f} s, but {video.name} lasts {seconds:.3f} s")


def _play(timeline: Schedule, samples: FloatArray, first: int, stop: int, block: int) -> Iterator[FloatArray]:
    for begin in range(first, stop, block):
        end = min(begin + block, stop)
        sound = np.zeros((samples.shape[0], end - begin), dtype=np.float32)
        for cue in timeline.played(begin, end):
            _add_cue(sound, begin, cue, samples, timeline.rate)
        ends = timeline.ends_gain(begin, end)
        if ends is not None:
            sound *= ends.astype(np.float32)
        yield sound


def _add_cue(sound: FloatArray, begin: int, cue: PlayedSegment, samples: FloatArray, rate: int) -> None:
    """Add what one cue plays in the block that begins at output sample `begin`."""
    # Where the track has nothing (before its first sample, after its last) there is silence.
    first = max(cue.first, begin, -cue.song_offset)
    stop = min(cue.stop, begin + sound.shape[1], samples.shape[1] - cue.song_offset)
    if stop <= first:
        return
    # Most of a segment plays at one gain, computed once there instead of once a sample.
    edges = [first, *(at for at in (cue.steady_from, cue.steady_to) if first < at < stop), stop]
    for piece_from, piece_to in pairwise(edges):
        steady = cue.steady_from <= piece_from and piece_to <= cue.steady_to
        gain = cue.gain(piece_from, piece_from + 1 if steady else piece_to, rate).astype(np.float32)
        track = samples[:, piece_from + cue.song_offset : piece_to + cue.song_offset]
        sound[:, piece_from - begin : piece_to - begin] += track * gain


def _around(timeline: Schedule, seam: int, seconds: float) -> tuple[int, int]:
    if not 0 <= seam < len(timeline.cues) - 1:
        raise ParameterError(f"the plan has seams 0 to {len(timeline.cues) - 2}, there is no seam {seam}")
    if not seconds > 0.0:
        raise ParameterError(f"an excerpt must last more than 0 s, got {seconds} s")
    centre, half = round(timeline.cues[seam].ends * timeline.rate), round(seconds * timeline.rate / 2.0)
    return max(0, centre - half), min(timeline.length, centre + half)
