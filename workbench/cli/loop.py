"""`workbench loop TRACK`: how a track covers a longer video."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import NewFile, Seconds, audio_option, profile_option, workspace_option
from workbench.cli.planning import (
    auto_mix_option,
    balance_options,
    check_length,
    explain_audio,
    explain_constraints,
    explain_own_music,
    explain_plan,
    find_files,
    own_music_option,
    seam_options,
    video_option,
    with_own_music,
)
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.loops.constraints import SeamConstraints
    from workbench.loops.plan import LoopPlan
    from workbench.media.sound_streams import SoundChoice
    from workbench.workflows.loop import Loop
    from workbench.workspace import Workspace


@click.command("loop")
@click.argument("track")
@video_option
@audio_option
@click.option(
    "--seconds",
    type=Seconds(0.0, 86_400.0, min_open=True),
    help="Its length, where there is no video yet; at most 86400, a day.",
)
@auto_mix_option
@own_music_option
@seam_options
@balance_options
@click.option("--report", type=NewFile(), help="Also write a page that shows and plays every seam.")
@profile_option
@workspace_option
def command(
    track: str,
    video: Path | None,
    audio: SoundChoice | None,
    seconds: float | None,
    auto_mix: bool,
    own_music: str | None,
    constraints: SeamConstraints,
    report: Path | None,
    workspace: Workspace,
) -> None:
    """Plan how TRACK, a file or a catalog track id, covers a video that is longer by 30 seconds or more.

    Prints the plan as JSON; `workbench render` plays it. A track that cannot be looped is an answer too: `applicable`
    is false then, and `plan.reason` and `hint` say why.

    --never-cut, --forbid-seam, --pin-seam and --exclude say where in the track no seam may be, which splices are not
    used, which are, and what is not played. Times are those of the track; a splice stands for the bar lines nearest to
    its two times. If they cannot be kept together, one line names those that contradict each other, with exit code 1.
    They hold for this plan and are saved in it; --from takes them over into another one.

    \b
    Example:
      workbench loop track.mp3 --video video.mp4 --auto-mix > plan.json
      workbench loop track.mp3 --seconds 300 | jq .plan.seam_score
      workbench loop track.mp3 --seconds 300 --never-cut 0:40-1:00 --pin-seam 1:32-0:32 > plan.json
      workbench loop track.mp3 --seconds 420 --from plan.json --exclude 1:10-1:25 > longer.json
    """
    check_length(video, seconds, auto_mix, "S")
    from workbench.loops.plan import LoopPlan
    from workbench.workflows.loop import loop_json, loop_track
    from workbench.workflows.videos import with_audio_of

    track_source, video_source = find_files(workspace, track, video)
    workspace = with_audio_of(with_own_music(workspace, own_music, auto_mix), video_source, audio)
    under = video_source.path if video_source is not None else seconds or 0.0
    with progress_bar() as progress:
        workspace = workspace.with_progress(progress)
        loop = loop_track(workspace, track_source, under, auto_mix=auto_mix, constraints=constraints)
        if report is not None:
            from workbench.workflows.report import write_loop_report

            write_loop_report(workspace, loop, report)
    body = loop_json(loop, None if video_source is None else video_source.video_id)
    if isinstance(loop.answer, LoopPlan):
        _explain(loop, loop.answer, constraints, workspace)
    elif body.get("hint"):
        say(body["hint"])
    explain_audio(workspace, video_source if loop.mix is not None else None)
    explain_own_music(workspace, video_source, loop.mix is not None, own_music)
    print_body(body)


def _explain(loop: Loop, plan: LoopPlan, constraints: SeamConstraints, workspace: Workspace) -> None:
    """Write to standard error what the JSON does not say in words."""
    from workbench.workflows.plan_words import repetition_line

    assert loop.analysis is not None, "a plan comes from an analysis"
    profile = loop.analysis.profile
    explain_constraints(constraints, loop, profile, workspace)
    line = repetition_line(plan, profile, workspace.params.cover)
    explain_plan(plan, profile, *([line] if line is not None else []))
