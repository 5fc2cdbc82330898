"""`workbench demo`: the main job on the bundled catalog and the bundled film."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from workbench.cli.options import Seconds, profile_option, workspace_option
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("demo")
@click.option(
    "--seconds",
    type=Seconds(1.0, 36_000.0),
    default=300.0,
    show_default=True,
    help="Length of the video: the beginning of the film, or the film and its beginning again.",
)
@profile_option
@workspace_option
def command(seconds: float, workspace: Workspace) -> None:
    """Cover a five-minute video with a two-minute track, start to finish, and show every seam.

    Takes the bundled film, analyses the bundled tracks, lets match pick one that suits the video and loops, plans and
    mixes it, and writes video.mp4, plan.json, a picture and four seconds of sound of every seam, and report.html to
    the home's `demo` folder.

    \b
    Example:
      workbench demo --home ./demo && open demo/demo/report.html
    """
    started = time.perf_counter()
    from workbench.workflows.demo import run_demo
    from workbench.workflows.report import video_summary

    with progress_bar() as progress:
        demo = run_demo(workspace.with_progress(progress), seconds)
    took = time.perf_counter() - started
    print_body(
        {
            "video": str(demo.rendered),
            "plan": str(demo.plan),
            "report": str(demo.report),
            "track_id": demo.loop.track.track_id,
        }
    )
    if demo.choice.chosen is not None:
        track = demo.choice.chosen.track
        say(f"the track: {track.called}. {demo.choice.chosen.fit_explanation}")
    for name, value in video_summary(demo.watched):
        say(f"{name}: {value}")
    say(f"the video as written: {demo.levels.loudness_lufs:.1f} LUFS, true peak {demo.levels.true_peak_dbtp:.1f} dBTP")
    say(f"made: a video of {seconds:g} s with music in {demo.rendered}, every seam in {demo.report}; took {took:.0f} s")
