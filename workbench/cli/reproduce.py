"""`workbench reproduce PLAN.json`: a result made again from its provenance, and what differs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, workspace_option
from workbench.cli.plan_options import length_option
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("reproduce")
@click.argument("plan", type=FILE)
@click.option(
    "--track", help="The track: a file or a catalog track id; not needed where the home folder has its bytes."
)
@click.option("--video", type=FILE, help="The video: a file or a video's id; not needed where the home has its bytes.")
@length_option
@workspace_option
def command(plan: Path, track: str | None, video: Path | None, length: float | None, workspace: Workspace) -> int:
    """Make PLAN again, as `workbench loop`, `fit`, `align`, `match` or `conform` wrote it, and say what differs.

    PLAN says under `provenance` what it was made from. Track and video are known by their bytes; they are looked for in
    the home folder, and under their names beside PLAN and in this folder. Exits with 0 if the same result comes out,
    from the same bytes; else with 1 and a list of what differs: the program, a parameter, the beat grid, the bytes of a
    file, and the fields of the result. `-` reads it from standard input.

    \b
    Example:
      workbench reproduce plan.json
      workbench reproduce plan.json --track track.wav --video video.mp4
    """
    from workbench.analysis.sources import find_track, find_video
    from workbench.cli.plan_files import folders_of, name_file_in_errors, name_file_in_plan_errors, read_result
    from workbench.workflows.reproduce import reproduce

    track_path = None if track is None else find_track(workspace, track).path
    video_path = None if video is None else find_video(workspace, video).path
    with name_file_in_errors(plan):
        result = read_result(plan, length)
    with name_file_in_plan_errors(plan), progress_bar() as progress:
        reporting = workspace.with_progress(progress)
        again = reproduce(reporting, result, track=track_path, video=video_path, folders=folders_of(plan))
    for line in again.differences:
        say(line)
    if again.same:
        say("the same result")
    print_body({"same": again.same, "differences": list(again.differences)})
    return 0 if again.same else 1
