"""Sound to try something out with: a track with clicks, a track placed under a video, and the levels measured on them.

The files are those of `workbench.dashboards.sounds.plan`, written in memory that does not grow with their length.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.analysis.progress import Progress
from workbench.analysis.video import analyze_video, with_voices
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.caches import made, mark_used
from workbench.catalog.certainty import possible_tempi
from workbench.dashboards.sounds.plan import measured_levels, music_file, soundtrack_beside, track_file
from workbench.errors import PlanError
from workbench.features.levels import LevelCurve
from workbench.matching.video_facts import VideoFacts, movement_of, video_facts
from workbench.media.audio import SoundBlock, decode_blocks, write_audio
from workbench.media.probe import probe
from workbench.mix.balance import Mix, plan_mix
from workbench.mix.speech_band import outside_levels
from workbench.params import DuckParams, MixParams, VoiceParams, WorkbenchParams
from workbench.plans.plan import LoopPlan, played_times
from workbench.recording import FloatArray, Recording
from workbench.render.clicks import with_clicks
from workbench.video.speech_ranges import Utterances
from workbench.video.utterances import Detected, SoundtrackMeasure, own_music_in, uncertain_ranges, utterances_in
from workbench.workflows.catalog import open_catalog
from workbench.workflows.match import place_ranked, rank_video
from workbench.workflows.mix import measure_soundtrack
from workbench.workflows.underscore import underscore

if TYPE_CHECKING:
    from workbench.matching.lane import Lane
    from workbench.video.picture import Picture
    from workbench.workflows.plan import Planned

_BLOCK_SECONDS = 10.0
_MOTION_POINTS = 400


def clicked_file(workspace: Workspace, track: Path, grid: BeatGrid) -> Path:
    """A WAV file of a track, 6 dB down, with a click on every beat, a higher one on downbeats."""
    sound = track_file(workspace, track)
    out = sound.with_name(f"{_stem(sound)}.{grid_digest(grid)}.clicks.wav")

    def write(aside: Path) -> None:
        stream = _Stream(sound)
        clicked = _clicked(stream.blocks("putting clicks on the beats", workspace.progress), grid, stream.rate)
        write_audio(aside, clicked, stream.rate, stream.channels, subtype="pcm16")

    return mark_used(made(out, write))


def placed_file(workspace: Workspace, track: Path, offset_s: float, seconds: float) -> Path:
    """A WAV file of a track whose time 0 is at `offset_s` of a video, from its first picture to its last."""
    sound = track_file(workspace, track)
    out = sound.with_name(f"{_stem(sound)}.{offset_s:+.4f}.{seconds:.3f}.placed.wav")

    def write(aside: Path) -> None:
        stream = _Stream(sound)
        blocks = stream.blocks("laying the track under the video", workspace.progress)
        placed = _placed(blocks, round(offset_s * stream.rate), round(seconds * stream.rate), stream.channels)
        write_audio(aside, placed, stream.rate, stream.channels, subtype="pcm16")

    return mark_used(made(out, write))


def grid_digest(grid: BeatGrid) -> str:
    """Digest of the times of beats and downbeats, 16 hex digits; the confidence does not count."""
    return hashlib.sha256(grid.beats.tobytes() + grid.positions.tobytes()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, eq=False)
class MixInputs:
    """The measurements a mix is planned from: taken once, so that other ducking parameters take milliseconds."""

    soundtrack: SoundtrackMeasure
    music: LevelCurve
    """of the music as it is played, at its own gain, on the video's clock"""
    seconds: float
    """length of the video"""
    voice: VoiceParams
    """with which the utterances were found"""
    utterances: Utterances
    """with speech in the foreground"""
    own_music: Utterances
    """in which the soundtrack is music itself"""
    uncertain: Utterances = ()
    """of further possible speech"""
    bar_lines: FloatArray | None = None
    """of the music as it is played, video seconds; None where they are not known"""
    outside: LevelCurve | None = None
    """of the music outside the band of speech; None: not ducked in bands yet"""

    def mixed(self, duck: DuckParams, own: MixParams) -> Mix:
        """Levels and ducking."""
        found = Detected(self.utterances, self.own_music)
        params = WorkbenchParams(voice=self.voice, duck=duck, mix=own)
        return plan_mix(self.soundtrack, self.music, self.seconds, params, found, self.bar_lines)

    def with_utterances(self, voice: VoiceParams, utterances: Utterances, uncertain: Utterances) -> MixInputs:
        """The same measurements with other utterances."""
        return replace(self, voice=voice, utterances=utterances, uncertain=uncertain)


def find_utterances(workspace: Workspace, levels: MixInputs) -> tuple[Utterances, Utterances]:
    """Find the utterances of a soundtrack with the workspace's parameters of the voice, and where there may be more."""
    workspace.progress("listening for speech", 0.0)
    voice, soundtrack = workspace.params.voice, with_voices(workspace, levels.soundtrack)
    utterances = utterances_in(soundtrack, levels.seconds, voice)
    return utterances, uncertain_ranges(soundtrack, utterances, levels.seconds, voice)


def measure_outside(workspace: Workspace, sounds: MixSounds) -> LevelCurve:
    """Measure the music outside the band of speech, which shows how loud it is when it is ducked in bands."""
    stream = _Stream(sounds.music)
    blocks = stream.blocks("measuring the bands of the music", workspace.progress)
    return outside_levels((block.samples for block in blocks), stream.rate)


def measure_mix_inputs(
    workspace: Workspace, played: Path, video: Path, seconds: float, bar_lines: FloatArray | None = None
) -> MixInputs:
    """Measure a soundtrack and the music that is played under it."""
    voice = workspace.params.voice
    soundtrack = measure_soundtrack(workspace, video)
    music = measured_levels(workspace, played)
    utterances = utterances_in(soundtrack, seconds, voice)
    own_music = own_music_in(soundtrack, seconds, workspace.params.mix)
    uncertain = uncertain_ranges(soundtrack, utterances, seconds, voice)
    return MixInputs(soundtrack, music, seconds, voice, utterances, own_music, uncertain, bar_lines)


@dataclass(frozen=True, slots=True, eq=False)
class MixSounds:
    """Music and soundtrack as files on the video's clock, and how loud both are."""

    music: Path
    soundtrack: Path | None
    """None where the video has no sound"""
    levels: MixInputs


def plan_sounds(workspace: Workspace, loop: Planned) -> MixSounds:
    """A plan as it is played under its video, without a mix."""
    if not isinstance(loop.answer, LoopPlan) or loop.video is None:
        raise PlanError("a mix needs a plan under a video")
    plan = loop.answer.alone
    lines = None if loop.analysis is None else played_times(plan, loop.analysis.profile.downbeats)
    return _sounds(workspace, music_file(workspace, plan, loop.track.path), loop.video, lines)


def placed_sounds(workspace: Workspace, track: Path, video: Path, offset_s: float) -> MixSounds:
    """A track that is placed under a video, played once, without a mix."""
    seconds = probe(video).duration
    return _sounds(workspace, placed_file(workspace, track, offset_s, seconds), video)


def _sounds(workspace: Workspace, music: Path, video: Path, bar_lines: FloatArray | None = None) -> MixSounds:
    soundtrack = soundtrack_beside(workspace, video, music)
    return MixSounds(music, soundtrack, measure_mix_inputs(workspace, music, video, probe(video).duration, bar_lines))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMatch:
    """A match and the curves that explain it."""

    lane: Lane
    video: VideoFacts
    speech: tuple[tuple[float, float], ...]
    """of speech, video seconds"""
    motion: FloatArray
    """shape (n, 2), video seconds and how much moves, 0 to 1"""
    contours: Mapping[str, FloatArray]
    """by track id: energy in equal parts of the track, 0 to 1, NaN where nothing was measured"""
    tempi: Mapping[str, tuple[float, ...]]
    """by track id: the tempi it may be counted at, beats a minute; NaN where no beat is sure"""


def match_to_draw(workspace: Workspace, video: Path, brief: str = "", script: str = "") -> DrawnMatch:
    """Match the catalog to a video, or else to a script, which places none, and gather the curves to draw it with."""
    if script.strip():
        watched, snapshot = analyze_video(workspace, video), open_catalog(workspace)
        facts, columns = video_facts(watched), snapshot.columns
        lane = underscore(workspace, script, snapshot=snapshot, brief=brief)
    else:
        ranked = rank_video(workspace, video, brief)
        watched, facts, columns = ranked.watched, ranked.facts, ranked.ranking.columns
        lane = place_ranked(workspace, ranked)
    wanted = {found.track.track_id for found in (*lane.matches, *lane.candidate_pool)}
    rows = np.flatnonzero([str(name) in wanted for name in columns.track_ids])
    columns = columns.take(rows)
    row_of = {str(name): row for row, name in enumerate(columns.track_ids)}
    contours = {name: np.asarray(columns.contour[row], dtype=np.float64) for name, row in row_of.items()}
    counted = possible_tempi(columns.bpm, columns.tempo_certainty)
    tempi = {name: tuple(map(float, counted[:, row])) for name, row in row_of.items()}
    motion = _motion(watched.picture)
    return DrawnMatch(lane, facts, watched.soundtrack.speech_ranges, motion, contours, tempi)


def _motion(picture: Picture) -> FloatArray:
    """How much moves, averaged over equal parts of the video, about as wide as a column of the drawing."""
    edges = np.linspace(0.0, picture.duration, _MOTION_POINTS + 1)
    place = np.clip(np.searchsorted(edges, picture.times, side="right") - 1, 0, _MOTION_POINTS - 1)
    measured = np.isfinite(picture.motion)
    count = np.bincount(place[measured], minlength=_MOTION_POINTS)
    total = np.bincount(place[measured], weights=picture.motion[measured], minlength=_MOTION_POINTS)
    seen = count > 0
    middles = 0.5 * (edges[1:] + edges[:-1])[seen]
    return np.column_stack([middles, movement_of(total[seen] / count[seen])])


def _stem(sound: Path) -> str:
    return sound.name.split(".")[0]


class _Stream:
    """A file that is read block by block and reports its progress."""

    def __init__(self, path: Path) -> None:
        self._path = path
        first = next(decode_blocks(path, 0.1))
        self.rate, self.channels = first.sample_rate, first.samples.shape[0]

    def blocks(self, stage: str, progress: Progress) -> Iterator[SoundBlock]:
        """The whole file."""
        seconds = max(1e-3, probe(self._path).duration)
        for block in decode_blocks(self._path, _BLOCK_SECONDS):
            progress(stage, min(1.0, block.start / seconds))
            yield block
        progress(stage, 1.0)


def _clicked(blocks: Iterable[SoundBlock], grid: BeatGrid, rate: int) -> Iterator[FloatArray]:
    """The sound with clicks, in pieces that end just before a beat, so that no click is cut in two."""
    cuts = np.rint(grid.beats * rate).astype(np.int64)
    done, waiting = 0, None

    def clicked(piece: FloatArray) -> FloatArray:
        inside = (cuts >= done) & (cuts < done + piece.shape[1])
        beats = np.maximum(0.0, grid.beats[inside] - done / rate)
        here = BeatGrid(beats, grid.positions[inside], grid.beats_per_bar)
        return with_clicks(Recording.from_samples(piece, rate), here).samples

    for block in blocks:
        waiting = block.samples if waiting is None else np.concatenate([waiting, block.samples], axis=1)
        ready = cuts[(cuts > done) & (cuts < done + waiting.shape[1])]
        if ready.size:
            split = int(ready[-1]) - done
            yield clicked(waiting[:, :split])
            done, waiting = done + split, waiting[:, split:]
    if waiting is not None and waiting.shape[1]:
        yield clicked(waiting)


def _placed(blocks: Iterable[SoundBlock], offset: int, total: int, channels: int) -> Iterator[FloatArray]:
    """Silence before the track, the track, silence after it: `total` samples in all."""
    done, skip = min(max(0, offset), total), max(0, -offset)
    if done:
        yield np.zeros((channels, done), dtype=np.float32)
    for block in blocks:
        piece = block.samples[:, skip:][:, : total - done]
        skip = max(0, skip - block.samples.shape[1])
        done += piece.shape[1]
        if piece.shape[1]:
            yield piece
        if done >= total:
            return
    if done < total:
        yield np.zeros((channels, total - done), dtype=np.float32)
