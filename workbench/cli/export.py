"""`workbench export PLAN.json`: a plan for editors, annotation tools and game engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, NewFile, profile_option, workspace_option
from workbench.cli.plan_files import read_plan
from workbench.cli.terminal import print_body, progress_bar

if TYPE_CHECKING:
    from workbench.workspace import Workspace

_FORMATS = ("otio", "fcpxml", "rpp", "audacity", "jams", "csv", "loop-tags")


@click.command("export")
@click.argument("plan", type=FILE)
@click.option("--format", "format_name", type=click.Choice(_FORMATS), required=True, help="What to write, see above.")
@click.option("--track", help="The track that the plan was made for: a file or a catalog track id.")
@click.option("--video", type=FILE, help="The video, a file or a video's id, for otio, fcpxml and rpp.")
@click.option("-o", "--output", "out", type=NewFile(), required=True, help="The file to write.")
@profile_option
@workspace_option
def command(
    plan: Path,
    format_name: str,
    track: str | None,
    video: Path | None,
    out: Path,
    workspace: Workspace,
) -> None:
    """Write PLAN, as `workbench loop` prints it, in a format that other programs read.

    \b
      otio       an edit for Resolve, Premiere and others (OpenTimelineIO)
      fcpxml     an edit for Final Cut Pro
      rpp        a REAPER project, exact to the sample
      audacity   labels: seams, segments, speech; with --track bars and sections
      jams       beats, sections and the plan, as annotations of the track
      csv        seams as a table
      loop-tags  a copy of the track with loop points (WAV, FLAC, Ogg)

    A mix in PLAN is part of every edit: gains, and the duck under speech. All but csv and audacity need --track. Media
    beside the output are named relative to it, in otio by their full path too. `-` reads the plan from standard input.

    \b
    Example:
      workbench export plan.json --format otio --track track.wav --video video.mp4 -o video.otio
      workbench export plan.json --format loop-tags --track track.flac -o track-looped.flac

    \f

    Parameters
    ----------
    plan : JSON file, `-` for standard input
    format_name : a key of `workbench.export.formats.FORMATS`
    track : path of a file, or catalog track id; None only for formats that need no track
    video : path, or id of a video that was added; None: the edit has no picture
    out : the file to write
    workspace : of the home folder, with the parameters of the profile

    Raises
    ------
    click.UsageError : the format needs a track, or the output is the plan itself
    """
    from workbench.export.formats import FORMATS, caution
    from workbench.workflows.export import export_plan
    from workbench.workflows.tracks import find_track
    from workbench.workflows.videos import find_video

    if FORMATS[format_name].needs_track and track is None:
        raise click.UsageError(f"the format {format_name} needs the track: give --track FILE")
    if plan.is_file() and out.exists() and out.samefile(plan):
        raise click.UsageError(f"{out}: this is the plan itself; choose another name")
    found, mix = read_plan(plan)
    track_path = None if track is None else find_track(workspace, track).path
    video_path = None if video is None else find_video(workspace, video).path
    with progress_bar() as progress:
        export_plan(
            workspace.with_progress(progress), found, format_name, out, track=track_path, video=video_path, mix=mix
        )
    if warning := caution(FORMATS[format_name], track_path):
        click.echo(warning, err=True)
    print_body({"output": str(out), "format": format_name, "bytes": out.stat().st_size})
