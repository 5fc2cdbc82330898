"""`workbench loop TRACK`: how a track covers a longer video."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.options import Seconds
from workbench.cli.plan_options import plan_options


@click.command("loop")
@click.argument("track")
@click.option(
    "--seconds",
    type=Seconds(0.0, 86_400.0, min_open=True),
    help="Its length, where there is no video yet; at most 86400, a day.",
)
@plan_options
def command(seconds: float | None, **asked: Any) -> int:
    """Plan how TRACK, a file or a catalog track id, covers a video that is longer by 30 seconds or more.

    Prints the plan as JSON; `workbench render` plays it. Where the music cannot do it, `applicable` is false,
    `plan.reason` and `hint` say why, and the exit code is 3.

    --never-cut, --forbid-seam, --pin-seam and --exclude say where in the track no seam may be, which splices are not
    used, which are, and what is not played. Times are those of the track; a splice stands for the bar lines nearest to
    its two times. If they cannot be kept together, the hint names those that contradict each other. They hold for this
    plan and are saved in it, as kept parts and times are; --from takes all of them over into another one.

    \b
    Example:
      workbench loop track.mp3 --video video.mp4 --auto-mix -o plan.json
      workbench loop track.mp3 --seconds 300 | jq .plan.seam_score
      workbench loop track.mp3 --seconds 300 --never-cut 0:40-1:00 --pin-seam 1:32-0:32 -o plan.json
      workbench loop track.mp3 --seconds 420 --from plan.json --exclude 1:10-1:25 -o longer.json
    """
    from workbench.cli.planning import print_plans

    return print_plans(**asked, lengths=None if seconds is None else (seconds,), only_loop=True)
