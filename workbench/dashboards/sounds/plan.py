"""Files that the page plays: a track, a soundtrack, the music of a plan, each as a WAV under the home.

A browser streams such a file by ranges, and drawing code maps it into memory. Gains and ducking are not in it: the
player applies them, so a change is audible at once. Files may be deleted at any time; those unused for longest go
first. A plan is played from the track's own samples: `assets/sound.js` reads cues and fades as JSON and applies
`workbench.render.schedule`, sample by sample, and the ducking of `workbench.mix.speech_band`; a test in a browser
compares it with what is rendered. In place of the limiter it has headroom.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from math import log10
from pathlib import Path
from typing import Any

import numpy as np

from workbench.analysis.progress import Progress
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.caches import delete_made, made, mark_used, used_at
from workbench.dashboards.views import write_summary
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve, LevelMeter, to_lufs
from workbench.media.audio import decode_blocks, write_audio
from workbench.media.probe import probe
from workbench.media.video import still
from workbench.mix.balance import Mix
from workbench.mix.speech_band import duck_bands
from workbench.params import RenderParams
from workbench.plans.constraints import SeamConstraints
from workbench.plans.plan import LoopPlan
from workbench.plots.video import Tile, tile_spans
from workbench.recording import FloatArray
from workbench.render.playback import render_blocks
from workbench.render.schedule import Music, schedule
from workbench.render.video import MixLevels, gains_of
from workbench.store.home import Home
from workbench.video.analysis import VideoAnalysis
from workbench.workflows.mix import mix_under
from workbench.workflows.move_seam import FoundPlaces, find_places
from workbench.workflows.plan import Planned
from workbench.workflows.render import own_music_ranges

FOLDER = "dashboard"
"""below the home's `renders`"""
DOWNLOADS = "downloads"
"""below that"""
FULL_SCALE = 1.0
"""highest sample of a file whose peak is not known"""
_MAX_BYTES = 4_000_000_000
"""that the files may take together; about eighty minutes each of a video, its music and three alternatives"""
_BLOCK_SECONDS = 10.0
_TILE_PIXELS = 144


def headroom_db(peak: float) -> float:
    """Gain under which a sum cannot clip; dB, at most 0."""
    return -20.0 * log10(peak) if peak > 1.0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class RenderedOption:
    """The music of one option under a video."""

    plan: LoopPlan
    path: Path
    """the music, without the mix"""
    mix: Mix | None
    """None where only a length is known"""
    levels: LevelCurve
    """of the file"""
    places: FoundPlaces | None = None
    """where its seams could be; None where that was not asked for, or it has none"""

    def lufs(self, from_s: float, to_s: float) -> float:
        """Loudness, LUFS, of a stretch of video seconds in the mix, ducked; -inf for silence."""
        first, stop = max(0, round(from_s * HOPS_PER_SECOND)), max(0, round(to_s * HOPS_PER_SECOND))
        power = self.levels.power[first:stop]
        gains = gains_of(self.mix)
        if gains.duck_points and power.size:
            at, attenuation = np.array(gains.duck_points, dtype=np.float64).T
            middles = (first + np.arange(power.size) + 0.5) / HOPS_PER_SECOND
            power = power * 10.0 ** (-np.interp(middles, at, attenuation) / 10.0)
        mean = float(power.mean()) if power.size else 0.0
        return to_lufs(mean) + gains.music_db


@dataclass(frozen=True, slots=True, eq=False)
class TimelineVideo:
    """A video as the timeline shows it."""

    soundtrack: VideoAnalysis
    tiles: tuple[Tile, ...]
    """small pictures, which together span the video"""
    sound: Path | None
    """its own sound; None where it has none"""
    own_music: tuple[tuple[float, float], ...] = ()
    """video seconds from and to, in which the soundtrack is music itself"""


def track_file(workspace: Workspace, track: Path) -> Path:
    """A whole track as a WAV file of two channels at most, written where it is not there yet."""
    return _sound_of(workspace, track, f"reading {track.name}")


def soundtrack_file(workspace: Workspace, video: Path, rate: int | None = None) -> Path | None:
    """The soundtrack of a video on the clock of its pictures, at `rate` or its own; None without sound."""
    if not probe(video).audio_duration:
        return None
    return _sound_of(workspace, video, "reading the soundtrack", rate)


def soundtrack_beside(workspace: Workspace, video: Path, track: Path) -> Path | None:
    """The soundtrack of a video, at the rate of the track that is played with it."""
    return soundtrack_file(workspace, video, probe(track).sample_rate)


def music_file(workspace: Workspace, plan: LoopPlan, track: Path) -> Path:
    """The music of a plan as a WAV file, without a mix, at the track's rate; PlanError for another track's plan."""
    out = listening_folder(workspace.home) / f"{plan_digest(plan)}.music.wav"

    def write(aside: Path) -> None:
        recording = workspace.load_recording(track)
        blocks = render_blocks(plan, recording, RenderParams(block_seconds=_BLOCK_SECONDS))
        rate, channels, stage = recording.sample_rate, recording.channels, "preparing the sound"
        write_sound(aside, blocks, rate, channels, plan.window_end, stage, workspace.progress)

    return mark_used(made(out, write))


def render_option(
    workspace: Workspace,
    loop: Planned,
    option: LoopPlan,
    constraints: SeamConstraints | None = None,
    *,
    remix: bool = False,
) -> RenderedOption:
    """Render an option of a plan to a file, ready to be drawn, and balance it with the soundtrack of the loop's video.

    The first option has the loop's own mix, unless `remix`. With `constraints` its seams' possible places are found
    too.
    """
    path = music_file(workspace, option, loop.track.path)
    levels = measured_levels(workspace, path)
    is_first = isinstance(loop.answer, LoopPlan) and option == loop.answer.alone
    if is_first and not remix:
        mix = loop.mix
    else:
        mix = None if loop.video is None else mix_under(workspace, option, loop.track.path, loop.video)
    places = None
    if is_first and constraints is not None and option.seam_times and loop.analysis is not None:
        places = find_places(workspace, loop, constraints)
    return RenderedOption(option, write_summary(workspace, path), mix, levels, places)


def measured_levels(workspace: Workspace, sound: Path) -> LevelCurve:
    """How loud a file is; of one that the page plays it is measured once, and saved beside it."""
    if sound.parent != listening_folder(workspace.home):
        return _measure_levels(workspace, sound)

    def write(aside: Path) -> None:
        measured = _measure_levels(workspace, sound)
        np.save(aside, np.concatenate([[measured.peak], measured.power]))

    # the size, as another version may have written another sound of the name
    stored = np.load(made(sound.with_suffix(f".{sound.stat().st_size}.levels.npy"), write))
    return LevelCurve(stored[1:], float(stored[0]))


def _measure_levels(workspace: Workspace, sound: Path) -> LevelCurve:
    meter: LevelMeter | None = None
    seconds = max(1e-3, probe(sound).duration)
    for block in decode_blocks(sound, _BLOCK_SECONDS):
        workspace.progress("measuring the music", min(1.0, block.start / seconds))
        meter = meter or LevelMeter(block.sample_rate)
        meter.add(block.samples)
    assert meter is not None, "the file has sound"
    return meter.curve()


def load_video(workspace: Workspace, video: Path, track: Path | None = None) -> TimelineVideo:
    """Analyse a video and decode the pictures of its timeline."""
    soundtrack = analyze_video(workspace, video)
    sound = soundtrack_file(workspace, video) if track is None else soundtrack_beside(workspace, video, track)
    spans = tile_spans(soundtrack.picture.shots)
    tiles: list[Tile] = []
    for first, last, at in spans:
        workspace.progress("looking at the shots", len(tiles) / len(spans))
        tiles.append(Tile(first, last, still(video, at, _TILE_PIXELS).pixels))
    own_music = own_music_ranges(workspace, video, soundtrack.picture.duration)
    return TimelineVideo(soundtrack, tuple(tiles), sound, own_music)


def matching_gains(a: RenderedOption, b: RenderedOption, from_s: float, to_s: float) -> tuple[float, float]:
    """Gains, dB, that make two options equally loud in a stretch of video seconds: the louder one is turned down."""
    difference = a.lufs(from_s, to_s) - b.lufs(from_s, to_s)
    if not np.isfinite(difference):
        return 0.0, 0.0
    return min(0.0, -difference), min(0.0, difference)


def video_times_of(plan: LoopPlan, track_times: FloatArray) -> FloatArray:
    """Video times at which places of the track play."""
    starts = plan.segment_starts
    times = [
        track_times[(track_times >= segment.song_from - 1e-6) & (track_times < segment.song_to - 1e-6)]
        - segment.song_from
        + starts[k]
        for k, segment in enumerate(plan.segments)
    ]
    return np.concatenate(times)


def track_stretch(plan: LoopPlan, from_s: float, to_s: float) -> tuple[float, float] | None:
    """What of the track is played in a range of the video, both in s: the longest piece, None where there is none."""
    best: tuple[float, float] | None = None
    for start, segment in zip(plan.segment_starts, plan.segments, strict=False):
        shift = segment.song_from - float(start)
        first, last = max(segment.song_from, from_s + shift), min(segment.song_to, to_s + shift)
        if last > first and (best is None or last - first > best[1] - best[0]):
            best = first, last
    return best


def plan_digest(plan: LoopPlan) -> str:
    """Digest of what a plan plays, 16 hex digits; its other options do not count."""
    return hashlib.sha256(repr(asdict(plan.alone)).encode()).hexdigest()[:16]


def listening_folder(home: Home) -> Path:
    """The folder of these files, created where it is missing."""
    return home.prepared(home.renders / FOLDER)


def _sound_of(workspace: Workspace, path: Path, stage: str, rate: int | None = None) -> Path:
    info = probe(path)
    converted = "" if rate in (None, info.sample_rate) else f".{rate}"
    out = listening_folder(workspace.home) / f"{workspace.hash_file(path)[:16]}{converted}.sound.wav"

    def write(aside: Path) -> None:
        first = next(decode_blocks(path, 1.0, rate))
        channels = min(2, first.samples.shape[0])
        blocks = (block.samples for block in decode_blocks(path, _BLOCK_SECONDS, rate))
        write_sound(aside, blocks, first.sample_rate, channels, info.duration, stage, workspace.progress)

    return mark_used(made(out, write))


def write_sound(
    out: Path,
    blocks: Iterable[FloatArray],
    rate: int,
    channels: int,
    seconds: float,
    stage: str,
    progress: Progress,
) -> None:
    """Write a sound whole or not at all, as a WAV of 16 bits and two channels at most, about `seconds` long."""
    channels = min(2, channels)

    def reporting() -> Iterator[FloatArray]:
        done = 0
        for block in blocks:
            progress(stage, min(1.0, done / max(1.0, seconds * rate)))
            done += block.shape[1]
            yield _folded(block, channels)

    make_room(out.parent)
    write_audio(out, reporting(), rate, channels, subtype="pcm16")
    progress(stage, 1.0)


def _folded(block: FloatArray, channels: int) -> FloatArray:
    """A block of two channels at most: more are mixed to their mean, which plays on both."""
    if block.shape[0] <= 2:
        return block
    return np.repeat(block.mean(axis=0, keepdims=True), channels, axis=0)


def make_room(folder: Path) -> None:
    """Delete the least recently used sounds and downloads until the rest fits."""
    sounds = (path for path in folder.iterdir() if path.suffix in (".wav", ".webm"))
    downloads = (path for path in (folder / DOWNLOADS).rglob("*") if path.is_file())
    files = sorted((*sounds, *downloads), key=used_at)
    found = [path.stat() for path in files]
    total = sum({one.st_ino: one.st_size for one in found}.values())
    for path in files:
        if total <= _MAX_BYTES:
            return
        one = path.stat()
        total -= one.st_size if one.st_nlink == 1 else 0
        delete_made(path)


def played_plan(plan: Music, rate: int) -> dict[str, Any]:
    """A plan or a placed track in samples of the track's rate: the fields of `workbench.render.schedule.Schedule`."""
    return asdict(schedule(plan, rate))


def played_duck(mix: MixLevels | None, params: RenderParams) -> list[list[float]]:
    """The ducking of a mix: video seconds, positive dB, and that outside the band of speech where it differs."""
    gains = gains_of(mix)
    ducked = duck_bands(gains.duck_points, gains.speech_ranges, params)
    if not ducked.differ:
        return [[at, db] for at, db in ducked.inside]
    return [[at, db, other] for (at, db), (_, other) in zip(ducked.inside, ducked.outside, strict=True)]
