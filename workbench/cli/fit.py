"""`workbench fit TRACK`: music of exactly one length, looped, straight or cut down."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.options import typed
from workbench.cli.plan_options import plan_options


@click.command("fit")
@click.argument("track")
@click.option(
    "--seconds",
    "lengths",
    metavar="S[,S...]",
    callback=typed("read_lengths"),
    help="The length, in seconds or as M:SS, or several that share their parts: 15,30,60.",
)
@plan_options
def command(**asked: Any) -> int:
    """Fit TRACK, a file or a catalog track id, to a length: looped, straight or cut down, always exactly that long.

    Prints the plan as JSON; `workbench render` plays it. A longer video is covered with loops, one of about the
    track's length takes the track straight, a shorter one a cut-down that leaves parts out. Where the music cannot do
    it, or what is asked for contradicts itself, `applicable` is false, `hint` says why, and the exit code is 3.

    --never-cut, --forbid-seam, --pin-seam and --exclude say where in the track no seam may be, which splices are not
    used, which are, and what is not played. Times are those of the track; a splice stands for the bar lines nearest to
    its two times. They hold for this plan and are saved in it, as kept parts and times are; --from takes all of them
    over into another one.

    \b
    Example:
      workbench fit track.mp3 --video video.mp4 --auto-mix -o plan.json
      workbench fit track.mp3 --seconds 30 --keep hook --keep ending --report plan.html -o plan.json
      workbench fit track.mp3 --seconds 60 --start-at 0:05 --keep 0:32-0:48 -o plan.json
      workbench fit track.mp3 --seconds 60 --never-cut 0:40-0:52 --forbid-seam 0:32-1:20 -o plan.json
      workbench fit track.mp3 --seconds 90 --from plan.json -o longer.json
      workbench fit track.mp3 --seconds 15,30,60,185 -o plans.json
      workbench render plans.json --length 15 --track track.mp3 -o fifteen.wav
    """
    from workbench.cli.planning import print_plans

    return print_plans(**asked, only_loop=False)
