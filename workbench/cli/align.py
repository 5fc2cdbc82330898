"""`workbench align TRACK --video FILE`: where a track lands with a video."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, NewFile, audio_option, output_option, profile_option, workspace_option
from workbench.cli.planning import (
    auto_mix_option,
    explain_audio,
    explain_own_music,
    own_music_at_option,
    own_music_option,
    with_own_music,
)
from workbench.cli.terminal import deliver_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace
    from workbench.media.sound_streams import SoundChoice
    from workbench.params import AlignParams
    from workbench.plans.constraints import TrackRange
    from workbench.workflows.align import Alignment


@click.command("align")
@click.argument("track")
@click.option("--video", type=FILE, required=True, help="The video: a file, or the id of a video that was added.")
@audio_option
@auto_mix_option
@own_music_option
@own_music_at_option
@click.option("--picture", type=NewFile(), help="Also draw, as PNG, why the first placement wins.")
@output_option
@profile_option
@workspace_option
def command(
    track: str,
    video: Path,
    audio: SoundChoice | None,
    auto_mix: bool,
    own_music: str | None,
    own_music_at: tuple[TrackRange, ...],
    picture: Path | None,
    output: Path | None,
    workspace: Workspace,
) -> None:
    """Say where TRACK, a file or a catalog track id, lands with a video.

    Prints up to twelve placements as JSON, best first. `offset_seconds` is the video time at which the track's own time
    0 falls; a negative one cuts off the track's head. A score under 0.3 means that what coincides there may well be
    chance; where the best scores no more, a line says that there is no clear sync point. A video that is longer than
    the track by 30 seconds or more is what `workbench loop` is for.

    \b
    Example:
      workbench align track.mp3 --video video.mp4 | jq '.sync_points[0]'
      workbench align track.mp3 --video video.mp4 --auto-mix --picture why.png
    """
    from workbench.align.placements import CHANCE_SCORE, NO_CLEAR_POINT
    from workbench.analysis.sources import find_track, find_video, with_audio_of
    from workbench.workflows.align import align_json, align_track

    track_source, video_source = find_track(workspace, track), find_video(workspace, video)
    workspace = with_audio_of(with_own_music(workspace, own_music, own_music_at, auto_mix), video_source, audio)
    with progress_bar() as progress:
        alignment = align_track(workspace.with_progress(progress), track_source, video_source.path, auto_mix=auto_mix)
        if picture is not None:
            write_picture(alignment, picture, workspace.params.align)
    best = alignment.placements[0] if alignment.placements else None
    if best is None:
        say(f"{NO_CLEAR_POINT}: nothing in the track meets anything in the video")
    elif best.in_words == NO_CLEAR_POINT:
        say(
            f"{NO_CLEAR_POINT}: the best placement scores {best.score:.2f}; under {CHANCE_SCORE:g} what coincides may "
            "well be chance"
        )
    explain_audio(workspace, video_source)
    explain_own_music(workspace, video_source, alignment.mix is not None, own_music)
    deliver_body(align_json(workspace, alignment, video_source.video_id), output)


def write_picture(alignment: Alignment, path: Path, params: AlignParams) -> None:
    """Draw an alignment into a PNG file; raises `StoreError` if it cannot be written."""
    from workbench.errors import StoreError
    from workbench.files import written_whole
    from workbench.plots.align import align_figure
    from workbench.plots.palette import png

    figure = align_figure(alignment.landmarks, alignment.events, alignment.placements, params)
    with written_whole(path, StoreError) as aside:
        aside.write_bytes(png(figure))
