"""`workbench conform PLAN.json --from OLD --to NEW`: the plan for a changed cut of the video."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.options import FILE, NewFile, profile_option, workspace_option
from workbench.cli.plan_options import length_option


@click.command("conform")
@click.argument("plan", type=FILE)
@click.option("--from", "old_cut", type=FILE, required=True, help="The cut that PLAN was made for.")
@click.option(
    "--to", "new_cut", type=FILE, required=True, help="The new cut: an edit list, or a video, as the old one."
)
@click.option(
    "-o", "--output", type=NewFile(), required=True, help="The file to write the changed plan to; - is standard output."
)
@click.option(
    "--video", type=FILE, help="The new cut as a video, to measure the mix on, where the cuts are edit lists."
)
@click.option("--picture", type=NewFile(), help="Also draw, as PNG, which music stayed where.")
@click.option(
    "--track", help="The track: a file or a catalog track id; not needed where the home folder has its bytes."
)
@click.option(
    "--min-seam-score",
    type=click.FloatRange(0.0, 1.0),
    help="Take seams that score as much or more: worse seams keep more of the music in place. By default as the plan "
    "was made, 0.5 where nothing else was asked.",
)
@click.option(
    "--keep-ending/--no-keep-ending",
    default=None,
    help="Keep the track's own ending also where that takes a seam that scores less, down to 0.2; or fade there. "
    "By default it is kept, unless --min-seam-score is given.",
)
@click.option(
    "--frame-rate",
    type=click.FloatRange(1.0, 1000.0),
    metavar="FPS",
    help="Frames a second of cuts that are EDLs, which seldom state them. By default those that fit the plan's length, "
    "the fewest where several do.",
)
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="NAME",
    help="The project or timeline to read where a file holds several; twice where --to has it under another name.",
)
@length_option
@profile_option
@workspace_option
def command(**asked: Any) -> int:
    """Change PLAN, as `workbench loop` or `fit` printed it, for a changed cut of its video.

    The two cuts are edit lists (.otio, .fcpxml or .edl), or two video files, which are compared by picture and
    sound. Before the first change of the edit the music stays the very same, if any way leads on from there; after
    it every second of picture that was not touched has its music within half a bar, as far as inaudible seams allow.
    The plan is exactly as long as the new cut and keeps the track's own ending, with less of the ring of its last hit
    where all of it does not fit. Where no such seams lead to the ending, less sure ones do, unless you say
    --no-keep-ending. Prints what changed as JSON, and as a table on standard error, with the seams that are less sure,
    and what worse ones would keep: `--min-seam-score 0.3` takes them.

    \b
    Example:
      workbench conform plan.json --from first-cut.otio --to second-cut.otio -o plan-2.json
      workbench conform plan.json --from first-cut.mp4 --to second-cut.mp4 -o plan-2.json --picture changes.png
      workbench conform plan.json --from first-cut.edl --to second-cut.edl -o plan-2.json --no-keep-ending
    """
    from workbench.cli.from_plans import print_conformed

    return print_conformed(**asked)
