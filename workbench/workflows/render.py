"""Rendering for delivery: a file at the loudness that a platform or a broadcaster asks for, measured as written.

Joins the gain of `workbench.render.delivery` with the rendering and the meters of the rest; finds out who speaks where
a target, or a reader, asks for the loudness of the dialogue.

Functions: `render_measured`, `load_stems`, `speech_ranges`, `uncertain_speech`, `own_music_ranges`.
Classes: `Delivery`, `Rendered`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from workbench.analysis.workspace import Workspace
from workbench.errors import Argument, ParameterError
from workbench.files import cannot_be_written, check_overwrites_none, is_stream, written_whole
from workbench.media.audio import SOUND_SUFFIXES
from workbench.media.probe import probe
from workbench.params import DELIVERY_TARGETS, DeliveryTarget
from workbench.recording import FloatArray
from workbench.render.delivery import DeliveryGain, find_gain, shortfalls
from workbench.render.remux import describe_left_out, suffix_for
from workbench.render.small import SMALL_KBPS, shrink_video
from workbench.render.sound_levels import SoundLevels, measure_levels
from workbench.render.video import MixLevels, Playback, Stem, gains_of, play_sound, render_audio, render_video
from workbench.video.utterances import own_music_in, uncertain_ranges, utterances_in
from workbench.workflows.mix import measure_soundtrack

_LOSSY_TAKES = 3  # times that a lossy sound file is written at most, under lower and lower ceilings
# dB by which the next ceiling is lowered beyond what the last take was over: a codec does not repeat its peaks
_CLEAR_DB = 0.1


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a file is delivered: for the target of a name, limited, or small, to send."""

    target: str | None = None
    limit: bool = False
    small: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """A written file and its levels."""

    path: Path
    levels: SoundLevels  # as decoded
    speech: tuple[tuple[float, float], ...] | None  # speech, seconds of the file; None: it was not looked for
    target: str | None
    gain: DeliveryGain | None  # None without a target
    shortfalls: tuple[str, ...] = ()  # what the target asks for and the file does not have, a line each
    stems: tuple[Stem, ...] = ()  # with the files that they were written to
    left_out: str | None = None  # a line on what the video has and the file does not; None: nothing
    without_music: float = 0.0  # s of the video behind the end of the plan


@contextmanager
def _full_size(
    video: Path, out: Path, progress: Callable[[float], None]
) -> Iterator[tuple[Path, Callable[[float], None]]]:
    """A video in its full size that is made small when the block ends, and its share of the progress."""
    try:
        beside = TemporaryDirectory(dir=out.parent)
    except OSError as error:
        raise cannot_be_written(out, error) from error
    with beside as folder:
        full = Path(folder) / f"full{suffix_for(video)}"
        yield full, lambda done: progress(done / 2.0)
        shrink_video(full, out, lambda done: progress(0.5 + done / 2.0))


def find_target(name: str) -> DeliveryTarget:
    """Get a delivery target by its name; raises `ParameterError`, which names those there are."""
    if name not in DELIVERY_TARGETS:
        raise ParameterError(f"there is no target {name}; there are {', '.join(DELIVERY_TARGETS)}")
    return DELIVERY_TARGETS[name]


def speech_ranges(workspace: Workspace, video: Path, mix: MixLevels | None) -> tuple[tuple[float, float], ...]:
    """Speech in a video, pairs of video seconds, sorted and disjoint: from its mix, or else detected."""
    if mix is not None and mix.duck is not None:
        return gains_of(mix).speech_ranges
    measure = measure_soundtrack(workspace, video)
    return utterances_in(measure, measure.levels.duration if measure.levels else 0.0, workspace.params.voice)


def uncertain_speech(workspace: Workspace, video: Path, mix: MixLevels | None) -> tuple[tuple[float, float], ...]:
    """Possible speech in a video beyond what is detected and what its mix says, as of `speech_ranges`.

    See `workbench.video.utterances`.
    """
    measure, voice = measure_soundtrack(workspace, video), workspace.params.voice
    seconds = measure.levels.duration if measure.levels else 0.0
    known = (*gains_of(mix).speech_ranges, *utterances_in(measure, seconds, voice))
    return uncertain_ranges(measure, known, seconds, voice)


def own_music_ranges(workspace: Workspace, video: Path, video_seconds: float) -> tuple[tuple[float, float], ...]:
    """Where a video has music of its own, as its mix finds it: pairs of video seconds, sorted and disjoint."""
    return own_music_in(measure_soundtrack(workspace, video), video_seconds, workspace.params.mix)


def load_stems(
    workspace: Workspace, track: Path, files: Mapping[str, Path], ducked: Collection[str] | None = None
) -> tuple[Stem, ...]:
    """Decode the stems of a track, given by name; `ducked` names those that a mix lowers under speech, None all.

    A stem in mono plays on all channels of the track. Raises `ParameterError` for a stem that is not as long as the
    track, or has another rate or number of channels, and for a name in `ducked` that no stem has; `MediaError` for one
    that cannot be read.
    """
    if unknown := sorted(set(ducked or ()) - files.keys()):
        raise ParameterError(f"there is no stem {unknown[0]}; there are {', '.join(files)}: ", Argument("duck"))
    whole, stems = workspace.load_recording(track), []
    for name, path in files.items():
        stem = workspace.load_recording(path)
        if stem.sample_rate != whole.sample_rate or stem.channels not in (1, whole.channels):
            raise ParameterError(
                f"{path.name} has {stem.channels} channels at {stem.sample_rate} Hz, the track {whole.channels} at "
                f"{whole.sample_rate} Hz; export the stem like the track, or in mono"
            )
        if stem.samples.shape[1] != whole.samples.shape[1]:
            raise ParameterError(
                f"{path.name} lasts {stem.duration:.6f} s and the track {whole.duration:.6f} s; export each stem from "
                "the first to the last sample of the track"
            )
        if stem.channels < whole.channels:
            stem = replace(stem, samples=np.broadcast_to(stem.samples, whole.samples.shape))
        stems.append(Stem(name, path, stem, ducked is None or name in ducked))
    return tuple(stems)


def render_measured(
    workspace: Workspace,
    playback: Playback,
    out: Path,
    video: Path | None = None,
    delivery: Delivery = Delivery(),
    *,
    track: Path | None = None,
) -> Rendered:
    """Render a plan to a file, for a delivery target if one is named, and measure what was written.

    With a `video` that has a picture the file is a video, unless its suffix is one of sound; else it holds sound. A
    pipe without a suffix gets WAV or MKV. A `small` file to send is an MP3, or an MP4 of 360 lines. Without a mix,
    music and soundtrack play at their own levels; with a mix and no video the file has the music as it is in the
    mix. Stems, as of `load_stems`, play in the track's place and are written beside it. A target limits the sound at
    its own ceiling, `limit` at that of the parameters; what has stems, a mix or a soundtrack is always limited. Speech
    is looked for with a target, and known where the mix has ducking. Raises `ParameterError` for an unknown target or
    suffix, or if a file to write is the `track`, the video or a stem; `PlanError` if the plan was made for another
    track or a longer video, and `MediaError` if a file cannot be read or written.
    """
    params, target, mix = workspace.params.render, delivery.target, playback.mix
    named = None if target is None else find_target(target)
    if delivery.small:
        params = params.model_copy(update={"video_kbps": SMALL_KBPS})
    speech: tuple[tuple[float, float], ...] | None = None
    if video is not None and (named is not None or (mix is not None and mix.duck is not None)):
        speech = speech_ranges(workspace, video, mix)
    spoken: Sequence[Sequence[float]] = speech or ()
    gain, gain_db, held = None, 0.0, True if delivery.limit or playback.stems else None
    if named is not None:
        is_bare = video is None and mix is None
        recording = playback.recording
        rate, channels = (recording.sample_rate, recording.channels) if is_bare else (params.video_sample_rate, 2)

        def whole() -> Iterator[FloatArray]:
            return (block[:channels] for block in play_sound(playback, video, params))

        gain = find_gain(whole, rate, named, spoken, params)
        gain_db, held = gain.gain_db, True
        params = params.model_copy(update={"ceiling_dbtp": named.ceiling_dbtp})
    out = Path(out)
    stems = tuple(replace(stem, out=out.with_name(f"{out.stem}-{stem.name}.wav")) for stem in playback.stems)
    playback = replace(playback, stems=stems)
    beside = [stem.out for stem in stems if stem.out is not None]
    check_overwrites_none((out, *beside), (track, video, *(stem.file for stem in stems)))

    def progress(done: float) -> None:
        workspace.progress(f"rendering {out.name}", done)

    has_picture = video is not None and out.suffix.lower() not in SOUND_SUFFIXES and probe(video).has_video
    shown = video if has_picture else None
    # A pipe or device cannot be read back: the finished file is measured before it is copied there.
    suffix = out.suffix or (".wav" if shown is None else ".mkv")
    with written_whole(out, suffix=suffix) if is_stream(out) else nullcontext(out) as file:
        if shown is not None:
            small = delivery.small
            with _full_size(shown, file, progress) if small else nullcontext((file, progress)) as (full, reports):
                render_video(playback, shown, full, params, limit=held, gain_db=gain_db, progress=reports)
            levels = measure_levels(file, spoken)
        else:
            ceiling, is_mixed = params.ceiling_dbtp, video is not None or mix is not None
            for take in range(_LOSSY_TAKES):
                under = params.model_copy(update={"ceiling_dbtp": ceiling})
                limit = bool(held) or is_mixed
                render_audio(playback, file, under, voice=video, limit=limit, gain_db=gain_db, progress=progress)
                levels = measure_levels(file, spoken)
                over = levels.true_peak_dbtp - params.ceiling_dbtp
                is_free = named is None and not is_mixed
                if is_free or not isfinite(over) or over <= 0.0 or take == _LOSSY_TAKES - 1:
                    break
                ceiling -= over + _CLEAR_DB
        left_out = None if video is None else describe_left_out(video, file, playback.audio)
    without_music = 0.0 if video is None else max(0.0, probe(video).duration - playback.plan.window_end)
    progress(1.0)
    lines = () if named is None or gain is None else shortfalls(str(target), named, levels, gain, params)
    return Rendered(out, levels, speech, target, gain, lines, stems, left_out, without_music)
