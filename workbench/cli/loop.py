"""`workbench loop TRACK`: how a track covers a longer video."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, NewFile, Seconds, profile_option, workspace_option
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.loops.plan import LoopPlan
    from workbench.workflows.loop import Loop
    from workbench.workspace import Workspace


@click.command("loop")
@click.argument("track")
@click.option("--video", type=FILE, help="The video to cover: a file, or the id of a video that was added.")
@click.option(
    "--seconds",
    type=Seconds(0.0, 86_400.0, min_open=True),
    help="Its length, where there is no video yet; at most 86400, a day.",
)
@click.option("--auto-mix", is_flag=True, help="Also say how the music makes way for a voice in the video.")
@click.option("--report", type=NewFile(), help="Also write a page that shows and plays every seam.")
@profile_option
@workspace_option
def command(
    track: str,
    video: Path | None,
    seconds: float | None,
    auto_mix: bool,
    report: Path | None,
    workspace: Workspace,
) -> None:
    """Plan how TRACK, a file or a catalog track id, covers a video that is longer by 30 seconds or more.

    Prints the plan as JSON; `workbench render` plays it. A track that cannot be looped is an answer too: `applicable`
    is false then, and `plan.reason` and `hint` say why.

    \b
    Example:
      workbench loop track.mp3 --video video.mp4 --auto-mix > plan.json
      workbench loop track.mp3 --seconds 300 | jq .plan.seam_score

    \f

    Parameters
    ----------
    track : path of a file, or catalog track id
    video : path, or id of a video that was added; None where `seconds` is given
    seconds : length of the video; None where `video` is given
    auto_mix : whether the body has a mix
    report : HTML file to write; None: none is written
    workspace : of the home folder, with the parameters of the profile

    Raises
    ------
    click.UsageError : both of video and seconds, or neither, or a mix without a video
    """
    if (video is None) == (seconds is None):
        raise click.UsageError("give either --video FILE or --seconds S")
    if auto_mix and video is None:
        raise click.UsageError("--auto-mix needs --video FILE")
    from workbench.loops.plan import LoopPlan
    from workbench.workflows.loop import loop_json, loop_track
    from workbench.workflows.tracks import find_track
    from workbench.workflows.videos import find_video

    track_source = find_track(workspace, track)
    video_source = None if video is None else find_video(workspace, video)
    under = video_source.path if video_source is not None else seconds or 0.0
    with progress_bar() as progress:
        workspace = workspace.with_progress(progress)
        loop = loop_track(workspace, track_source, under, auto_mix=auto_mix)
        if report is not None:
            from workbench.workflows.report import write_loop_report

            write_loop_report(workspace, loop, report)
    if isinstance(loop.answer, LoopPlan):
        _explain(loop, loop.answer, workspace)
    print_body(loop_json(loop, None if video_source is None else video_source.video_id))


def _explain(loop: Loop, plan: LoopPlan, workspace: Workspace) -> None:
    """Write to standard error what the JSON does not say in words."""
    from workbench.workflows.plan_words import option_differences, repetition_line

    assert loop.analysis is not None, "a plan comes from an analysis"
    profile = loop.analysis.profile
    if plan.music_in > 0.0:
        say(f"the music starts {plan.start_label}")
    line = repetition_line(plan, profile, workspace.params.cover)
    if line is not None:
        say(line)
    for number, difference in enumerate(option_differences(plan, profile)[1:], start=2):
        say(f"option {number} {difference}")
