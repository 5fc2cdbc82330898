"""What is played of a frozen plan: by a link one WAV, mixed and limited as a render is; on the page its music."""

from __future__ import annotations

from pathlib import Path

from workbench.analysis.provenance import with_recorded_audio
from workbench.analysis.workspace import Workspace
from workbench.caches import intact, made, mark_used
from workbench.dashboards.sounds.plan import listening_folder, measured_levels, music_file, write_sound
from workbench.errors import InputError
from workbench.media.probe import probe
from workbench.mix.limiter import limit_blocks
from workbench.render.playback import render_blocks
from workbench.render.video import Playback, play_video
from workbench.review.versions import FrozenPlan, has_its_video, thaw
from workbench.store.home import Home


def shown_file(home: Home, frozen: FrozenPlan) -> Path:
    """Where the sound of a version is cached; it may be deleted at any time."""
    version = frozen.version
    return listening_folder(home) / f"{version.subject[:16]}-{version.digest}.shown.wav"


def version_music(workspace: Workspace, version_id: str, track: Path) -> tuple[Path, float]:
    """The music of a version without its mix, as the page's player takes it, and its peak."""
    path = music_file(workspace, thaw(workspace, version_id).plan, track)
    return path, measured_levels(workspace, path).peak


def shown_sound(workspace: Workspace, version_id: str) -> Path:
    """Make the sound of a version, unless it is there: a WAV of two channels, with a video limited as a render is.

    InputError where track or video have other bytes than those that were planned with.
    """
    frozen = thaw(workspace, version_id)
    out = shown_file(workspace.home, frozen)
    if intact(out) is not None:
        return mark_used(out)
    if workspace.hash_file(frozen.track) != frozen.version.content_hash:
        raise InputError(f"{frozen.track.name} has other bytes than the track that this version was planned for")
    if frozen.video is not None and not has_its_video(workspace, frozen):
        raise InputError(f"{frozen.video.name} has other bytes than the video that this version was planned under")
    recording, params = workspace.load_recording(frozen.track), frozen.render_params(workspace.params.render)
    if frozen.video is None:
        rate, channels, seconds = recording.sample_rate, recording.channels, frozen.plan.window_end
        blocks = render_blocks(frozen.plan, recording, params)
    else:
        rate, channels, seconds = params.video_sample_rate, 2, probe(frozen.video).duration
        audio = with_recorded_audio(workspace, frozen.provenance).audio
        mixed = play_video(Playback(frozen.plan, recording, frozen.mix, audio=audio), frozen.video, params)
        blocks = limit_blocks(mixed, rate, params)
    stage = "preparing what the link plays"
    made(out, lambda aside: write_sound(aside, blocks, rate, channels, seconds, stage, workspace.progress))
    return mark_used(out)
