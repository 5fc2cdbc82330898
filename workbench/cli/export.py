"""`workbench export PLAN.json`: a plan or a placement for editors, annotation tools and game engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, NewFile, profile_option, workspace_option
from workbench.cli.plan_files import lay_out, option_option, placement_option, read_music, say_placement
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.workspace import Workspace

_FORMATS = ("otio", "fcpxml", "rpp", "audacity", "jams", "csv", "loop-tags")


@click.command("export")
@click.argument("plan", type=FILE)
@click.option("--format", "format_name", type=click.Choice(_FORMATS), required=True, help="What to write, see above.")
@click.option(
    "--track",
    help="The track that the plan was made for: a file or a catalog track id; not needed where the catalog has it.",
)
@click.option(
    "--video", type=FILE, help="The video, a file or a video's id, for otio, fcpxml and rpp; it ends a placed track."
)
@click.option("-o", "--output", "out", type=NewFile(), required=True, help="The file to write.")
@option_option
@placement_option
@profile_option
@workspace_option
def command(
    plan: Path,
    format_name: str,
    track: str | None,
    video: Path | None,
    out: Path,
    option: int | None,
    placement: int | None,
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

    PLAN may also be what `workbench align` or `match --include-sync` prints: the edit then has the track once, as
    --placement says, cut off where the video ends. All formats but loop-tags hold a placement.

    A mix in PLAN is part of every edit: gains, and the duck under speech; with --video it is measured anew for another
    option than the plan served. All but csv and audacity need the track, and so does every placement. Media beside the
    output are named relative to it, in otio by their full path too. `-` reads the plan from standard input.

    \b
    Example:
      workbench export plan.json --format otio --track track.wav --video video.mp4 -o video.otio
      workbench export plan.json --format loop-tags --track track.flac -o track-looped.flac
      workbench export placements.json --placement 2 --format rpp --track track.wav --video video.mp4 -o video.rpp

    \f

    Parameters
    ----------
    plan : JSON file of a plan or of placements, `-` for standard input
    format_name : a key of `workbench.export.formats.FORMATS`
    track : path of a file, or catalog track id; None: the catalog's track that the plan names, or none where the format
        needs none
    video : path, or id of a video that was added; None: the edit has no picture
    out : the file to write
    option : number of the option; None: the plan served. Must be None for placements
    placement : number of the placement; None: the best. Must be None for a plan
    workspace : of the home folder, with the parameters of the profile

    Raises
    ------
    click.UsageError : the format needs a track, which is not in the catalog, or the output is the plan itself
    """
    from workbench.export.formats import FORMATS, caution
    from workbench.loops.plan import LoopPlan
    from workbench.workflows.export import export_plan
    from workbench.workflows.videos import find_video

    if plan.is_file() and out.exists() and out.samefile(plan):
        raise click.UsageError(f"{out}: this is the plan itself; choose another name")
    form = FORMATS[format_name]
    chosen = read_music(
        plan,
        workspace,
        track,
        option=option,
        placement=placement,
        needed_by=f"the format {format_name}" if form.needs_track else None,
    )
    track_path = None if chosen.track is None else chosen.track.path
    video_path = None if video is None else find_video(workspace, video).path
    with progress_bar() as progress:
        reporting = workspace.with_progress(progress)
        found, mix = lay_out(reporting, chosen, video_path)
        export_plan(
            reporting,
            found,
            format_name,
            out,
            track=track_path,
            video=video_path,
            mix=mix,
            provenance=chosen.provenance,
        )
    if form.uses_video and video is None and chosen.number > 1 and isinstance(found, LoopPlan) and mix and mix.duck:
        say(f"the levels are those of the plan served; with --video they are measured for option {chosen.number}")
    say_placement(chosen)
    if warning := caution(form, track_path):
        click.echo(warning, err=True)
    print_body({"output": str(out), "format": format_name, "bytes": out.stat().st_size})
