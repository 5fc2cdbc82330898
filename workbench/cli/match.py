"""`workbench match VIDEO`: tracks of the catalog for a video, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.catalog import explain_unranked, require_tracks
from workbench.cli.options import (
    audio_option,
    brief_option,
    explain_audio,
    output_option,
    profile_option,
    use_option,
    workspace_option,
)
from workbench.cli.terminal import deliver_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace
    from workbench.media.sound_streams import SoundChoice

_USUAL_SYNC_POINTS, _MOST_SYNC_POINTS = 4, 12


@click.command("match")
@click.argument("video")
@audio_option
@brief_option
@use_option
@click.option("--include-sync", is_flag=True, help="Also say where each track lands with the video.")
@click.option(
    "--sync-points",
    type=click.IntRange(1, _MOST_SYNC_POINTS),
    default=_USUAL_SYNC_POINTS,
    show_default=True,
    help="How many placements each track shows, with --include-sync.",
)
@click.option("--expand", type=click.Choice(["full"]), help="Also print all that is known of each track, and the pool.")
@output_option
@profile_option
@workspace_option
def command(
    video: str,
    audio: SoundChoice | None,
    brief: str | None,
    use: str | None,
    include_sync: bool,
    sync_points: int,
    expand: str | None,
    output: Path | None,
    workspace: Workspace,
) -> None:
    """Rank the catalog against VIDEO, a file or the id of a video.

    Prints ten tracks as JSON, best first. `match_map` holds, for each track, the facts that moved its score. A score, 0
    to 1, is fitted to labels of two people and does not depend on what else the catalog holds. The first match of a
    catalog reads sound to find where tracks land; the result is cached. What a brief says comes before what is seen;
    its rules, such as 'no vocals', part the list and change no score, as those of `workbench underscore`.

    \b
    Example:
      workbench match video.mp4 | jq '.lane.matches[0]'
      workbench match video.mp4 --brief "calm and warm, piano, no vocals"
      workbench match video.mp4 --for broadcast --include-sync --sync-points 2 --expand full
    """
    from workbench.analysis.sources import find_video, with_audio_of
    from workbench.workflows.match import match, match_json, unclear_line

    video_source = find_video(workspace, video)
    require_tracks(workspace)
    workspace = with_audio_of(workspace, video_source, audio)
    with progress_bar() as progress:
        lane = match(workspace.with_progress(progress), video_source.path, brief, use)
    explain_audio(workspace, video_source)
    explain_unranked(lane)
    if include_sync and (line := unclear_line(lane)):
        say(line)
    body = match_json(
        workspace,
        lane,
        video_source,
        brief=brief,
        use=use,
        sync_points=sync_points if include_sync else None,
        expand_full=expand == "full",
    )
    deliver_body(body, output)
