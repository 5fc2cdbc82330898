"""Files to listen to while looking: a song, a clip's own sound, the music of a plan, each as a WAV under the home.

A browser streams such a file by ranges from any place, and whoever draws it maps it into memory, so that neither holds
minutes of sound. Gains and ducking are not in the files: they are applied while playing, and so heard as soon as they
change. The files may be deleted at any time; the oldest go when there are too many.

Functions: `song_file`, `footage_file`, `music_file`; `demo_loop`, the demo's clip and its best plan; `plan_digest`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from workbench.errors import ParameterError
from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.media.audio import decode, decode_blocks, write_audio
from workbench.media.containers import hash_file
from workbench.media.probe import probe
from workbench.params import RenderParams, WorkbenchParams
from workbench.recording import FloatArray, Recording
from workbench.render.playback import render_blocks
from workbench.workflows.demo import demo_clip
from workbench.workflows.library import add_tracks, bundled_files
from workbench.workflows.loop import Loop, Song, loop_track
from workbench.workflows.progress import Progress, silent
from workbench.workflows.watch import watch

FOLDER = "dashboard"
"""below the home's `renders`"""
_KEPT_BYTES = 4_000_000_000
"""that files to listen to may take; about eighty minutes each of a film, its music and three alternatives"""
_BLOCK_SECONDS = 10.0


def song_file(song: Path, home: Home, progress: Progress = silent) -> Path:
    """A song as it is.

    Raises
    ------
    MediaError : it cannot be decoded; StoreError : the home folder cannot be written to
    """
    return _sound_of(song, home, f"reading {song.name}", progress)


def footage_file(video: Path, home: Home, progress: Progress = silent) -> Path | None:
    """A clip's own sound, on the clock of its pictures; None where it has none.

    Raises
    ------
    MediaError : it cannot be decoded; StoreError : the home folder cannot be written to
    """
    if not probe(video).audio_duration:
        return None
    return _sound_of(video, home, "reading the clip's sound", progress)


def music_file(plan: LoopPlan, song: Path, home: Home, progress: Progress = silent) -> Path:
    """A plan as it is heard, without a mix, at the song's rate.

    Raises
    ------
    MediaError : the song cannot be decoded; PlanError : the plan is of another song
    """
    out = _folder(home) / f"{plan_digest(plan)}.music.wav"
    if not out.exists():
        recording = decoded(song)
        blocks = render_blocks(plan, recording, RenderParams(block_seconds=_BLOCK_SECONDS))
        total = plan.window_end
        _write(out, blocks, recording.sample_rate, recording.channels, total, "playing the plan", progress)
    return _used(out)


@lru_cache(maxsize=1)
def _decoded(path: Path, _changed_ns: int) -> Recording:
    return decode(path)


def decoded(song: Path) -> Recording:
    """A song decoded; the last one is kept, because seams and options ask for the same song again and again."""
    return _decoded(song, song.stat().st_mtime_ns if song.exists() else 0)


def plan_digest(plan: LoopPlan) -> str:
    """Digest of what a plan plays, 16 hex digits: equal plans, equal sound."""
    return hashlib.sha256(repr(plan.alone).encode()).hexdigest()[:16]


def demo_loop(home: Home, params: WorkbenchParams, progress: Progress = silent) -> Loop:
    """The demo's clip under the bundled song whose plan for it scores best, mixed; drawn and analysed where needed.

    Raises
    ------
    ParameterError : no bundled song can be looped with these parameters
    """
    clip = demo_clip(home, progress=progress)
    footage = watch(clip, home, params, progress)
    best: tuple[float, Song] | None = None
    for added in add_tracks(bundled_files().wanted, home, params, progress):
        if added.track is None:
            continue
        song = Song(added.track.track_id, added.track.path, added.track)
        answer = loop_track(song, footage.duration, home, params).answer
        if isinstance(answer, LoopPlan) and (best is None or answer.plan_score > best[0]):
            best = answer.plan_score, song
    if best is None:
        raise ParameterError("no bundled song can cover the demo's clip with these parameters")
    return loop_track(best[1], clip, home, params, auto_mix=True, progress=progress)


def _folder(home: Home) -> Path:
    return home.prepared(home.renders / FOLDER)


def _sound_of(path: Path, home: Home, stage: str, progress: Progress) -> Path:
    out = _folder(home) / f"{hash_file(path)[:16]}.sound.wav"
    if not out.exists():
        info = probe(path)
        first = next(decode_blocks(path, 1.0))
        channels = min(2, first.samples.shape[0])
        blocks = (block.samples for block in decode_blocks(path, _BLOCK_SECONDS))
        _write(out, blocks, first.sample_rate, channels, info.duration, stage, progress)
    return _used(out)


def _write(
    out: Path,
    blocks: Iterable[FloatArray],
    rate: int,
    channels: int,
    seconds: float,
    stage: str,
    progress: Progress,
) -> None:
    channels = min(2, channels)

    def told() -> Iterator[FloatArray]:
        done = 0
        for block in blocks:
            progress(stage, min(1.0, done / max(1.0, seconds * rate)))
            done += block.shape[1]
            yield _folded(block, channels)

    _make_room(out.parent)
    write_audio(out, told(), rate, channels, subtype="pcm16")
    progress(stage, 1.0)


def _folded(block: FloatArray, channels: int) -> FloatArray:
    """No more than two channels: more are folded to their mean, which plays on both."""
    if block.shape[0] <= 2:
        return block
    return np.repeat(block.mean(axis=0, keepdims=True), channels, axis=0)


def _used(path: Path) -> Path:
    """Mark a file as lately used."""
    path.touch()
    return path


def _make_room(folder: Path) -> None:
    """Delete the files that were not used for longest until the rest fits."""
    files = sorted((path for path in folder.iterdir() if path.suffix == ".wav"), key=lambda path: path.stat().st_mtime)
    total = sum(path.stat().st_size for path in files)
    for path in files:
        if total <= _KEPT_BYTES:
            return
        total -= path.stat().st_size
        path.unlink(missing_ok=True)
