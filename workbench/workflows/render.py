"""Rendering for delivery: a file at the loudness that a platform or a broadcaster asks for, measured as written.

Joins the gain of `workbench.render.delivery` with the rendering and the meters of the rest; finds out who speaks where
a target, or a reader, asks for the loudness of the dialogue.

Functions: `render_measured`, `speech_ranges`, `uncertain_speech`, `own_music_ranges`. Class: `Rendered`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError
from workbench.files import is_stream, written_whole
from workbench.media.probe import probe
from workbench.params import DELIVERY_TARGETS, DeliveryTarget
from workbench.recording import Recording
from workbench.render.delivery import DeliveryGain, find_gain, shortfalls
from workbench.render.playback import render_blocks
from workbench.render.remux import describe_left_out
from workbench.render.schedule import Music
from workbench.render.sound_levels import SoundLevels, measure_levels
from workbench.render.video import MixLevels, play_video, render_audio, render_video
from workbench.video.utterances import own_music_in, uncertain_ranges, utterances_in
from workbench.workflows.mix import measure_soundtrack

_LOSSY_TAKES = 3  # times that a lossy sound file is written at most, under lower and lower ceilings
# dB by which the next ceiling is lowered beyond what the last take was over: a codec does not repeat its peaks
_CLEAR_DB = 0.1


@dataclass(frozen=True, slots=True)
class Rendered:
    """A written file and its levels."""

    path: Path
    levels: SoundLevels  # as decoded
    speech: tuple[tuple[float, float], ...] | None  # speech, seconds of the file; None: it was not looked for
    target: str | None
    gain: DeliveryGain | None  # None without a target
    shortfalls: tuple[str, ...] = ()  # what the target asks for and the file does not have, a line each
    left_out: str | None = None  # a line on what the video has and the file does not; None: nothing


def find_target(name: str) -> DeliveryTarget:
    """Get a delivery target by its name; raises `ParameterError`, which names those there are."""
    if name not in DELIVERY_TARGETS:
        raise ParameterError(f"there is no target {name}; there are {', '.join(DELIVERY_TARGETS)}")
    return DELIVERY_TARGETS[name]


def speech_ranges(workspace: Workspace, video: Path, mix: MixLevels | None) -> tuple[tuple[float, float], ...]:
    """Speech in a video, pairs of video seconds, sorted and disjoint: what its mix says, or else what is detected."""
    ducked: Any = None if mix is None else mix.duck
    if ducked is not None:
        return tuple((float(start), float(end)) for start, end in ducked.speech_ranges)
    measure = measure_soundtrack(workspace, video)
    return utterances_in(measure, measure.levels.duration if measure.levels else 0.0, workspace.params.voice)


def uncertain_speech(workspace: Workspace, video: Path, mix: MixLevels | None) -> tuple[tuple[float, float], ...]:
    """Possible speech in a video beyond what is detected and what its mix says, as of `speech_ranges`.

    See `workbench.video.utterances`.
    """
    measure, voice = measure_soundtrack(workspace, video), workspace.params.voice
    seconds = measure.levels.duration if measure.levels else 0.0
    ducked: Any = None if mix is None else mix.duck
    known = () if ducked is None else tuple((float(start), float(end)) for start, end in ducked.speech_ranges)
    return uncertain_ranges(measure, (*known, *utterances_in(measure, seconds, voice)), seconds, voice)


def own_music_ranges(workspace: Workspace, video: Path, video_seconds: float) -> tuple[tuple[float, float], ...]:
    """Where a video has music of its own, as its mix finds it: pairs of video seconds, sorted and disjoint."""
    return own_music_in(measure_soundtrack(workspace, video), video_seconds)


def render_measured(
    workspace: Workspace,
    plan: Music,
    recording: Recording,
    out: Path,
    video: Path | None = None,
    mix: MixLevels | None = None,
    *,
    target: str | None = None,
    limit: bool = False,
) -> Rendered:
    """Render a plan to a file, for a delivery target if one is named, and measure what was written.

    With a `video` that has a picture the file is a video; else it holds sound. A pipe without a suffix gets WAV or MKV.
    Without a `mix`, music and soundtrack play at their own levels. A target limits the sound at its own ceiling,
    `limit` at that of the parameters; a video with a mix or a soundtrack is always limited. Speech is looked for with a
    target, and known where the mix has ducking. Raises `ParameterError` for an unknown target or suffix, `PlanError` if
    the plan was made for another track or a longer video, and `MediaError` if a file cannot be read or written.
    """
    params, named = workspace.params.render, None if target is None else find_target(target)
    speech: tuple[tuple[float, float], ...] | None = None
    if video is not None and (named is not None or (mix is not None and mix.duck is not None)):
        speech = speech_ranges(workspace, video, mix)
    spoken: Sequence[Sequence[float]] = speech or ()
    gain, gain_db, held = None, 0.0, True if limit else None
    if named is not None:
        rate = recording.sample_rate if video is None else params.video_sample_rate
        gain = find_gain(
            lambda: (
                render_blocks(plan, recording, params)
                if video is None
                else play_video(plan, recording, video, mix, params, audio=workspace.audio)
            ),
            rate, named, spoken, params,
        )  # fmt: skip
        gain_db, held = gain.gain_db, True
        params = params.model_copy(update={"ceiling_dbtp": named.ceiling_dbtp})
    out = Path(out)

    def progress(done: float) -> None:
        workspace.progress(f"rendering {out.name}", done)

    shown = video if video is not None and probe(video).has_video else None
    # What is written through cannot be read back: the finished file is measured before it is copied there.
    suffix = out.suffix or (".wav" if shown is None else ".mkv")
    with written_whole(out, suffix=suffix) if is_stream(out) else nullcontext(out) as file:
        if shown is not None:
            render_video(
                plan, recording, shown, file, mix, params,
                audio=workspace.audio, limit=held, gain_db=gain_db, progress=progress,
            )  # fmt: skip
            levels = measure_levels(file, spoken)
        else:
            ceiling = params.ceiling_dbtp
            for take in range(_LOSSY_TAKES):
                under = params.model_copy(update={"ceiling_dbtp": ceiling})
                render_audio(plan, recording, file, under, voice=video, mix=mix, audio=workspace.audio,
                             limit=bool(held) or video is not None, gain_db=gain_db, progress=progress)  # fmt: skip
                levels = measure_levels(file, spoken)
                over = levels.true_peak_dbtp - params.ceiling_dbtp
                is_free = named is None and video is None
                if is_free or not isfinite(over) or over <= 0.0 or take == _LOSSY_TAKES - 1:
                    break
                ceiling -= over + _CLEAR_DB
        left_out = None if video is None else describe_left_out(video, file, workspace.audio)
    progress(1.0)
    lines = () if named is None or gain is None else shortfalls(str(target), named, levels, gain, params)
    return Rendered(out, levels, speech, target, gain, lines, left_out)
