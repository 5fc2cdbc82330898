"""`workbench align TRACK --video FILE`: where a track lands with a video."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.options import FILE, NewFile, audio_option, output_option, profile_option, workspace_option
from workbench.cli.plan_options import auto_mix_option, own_music_at_option, own_music_option


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
def command(**asked: Any) -> None:
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
    from workbench.cli.planning import print_placements

    print_placements(**asked)
