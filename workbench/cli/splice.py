"""`workbench splice TRACK LEAVE ENTER`: one splice scored, drawn and played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import NewFile, profile_option, workspace_option
from workbench.cli.planning import read_time
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("splice")
@click.argument("track")
@click.argument("leave", callback=read_time)
@click.argument("enter", callback=read_time)
@click.option("-o", "--out", type=NewFile(), help="Also write the sound around the splice, as WAV or FLAC.")
@click.option("--picture", type=NewFile(), help="Also write a picture of the splice, as PNG.")
@profile_option
@workspace_option
def command(
    track: str, leave: float, enter: float, out: Path | None, picture: Path | None, workspace: Workspace
) -> None:
    """Score the splice that leaves TRACK, a file or a catalog track id, at LEAVE and goes on at ENTER.

    LEAVE and ENTER are times of the track, as M:SS or in seconds; each stands for the nearest bar line. Prints JSON:
    the exact times, the score, 0 to 1, with its parts, and how the splice is played. `workbench loop` and `fit` take
    it as --pin-seam LEAVE-ENTER, or leave it out as --forbid-seam LEAVE-ENTER.

    \b
    Example:
      workbench splice track.mp3 1:32 0:48
      workbench splice track.mp3 1:32 0:48 -o splice.wav --picture splice.png
    """
    from workbench.analysis.sources import find_track
    from workbench.files import written_whole
    from workbench.media.audio import write_audio
    from workbench.plots.palette import png
    from workbench.results.plan_words import score_line
    from workbench.workflows.splice import splice, splice_json

    source, least = find_track(workspace, track), workspace.params.cover.min_seam_score
    with progress_bar() as progress:
        scored = splice(source.path, leave, enter, snap="bar", workspace=workspace.with_progress(progress))
        if out is not None:
            write_audio(out, [scored.sound.samples], scored.sound.sample_rate, scored.sound.channels)
        if picture is not None:
            with written_whole(picture) as part:
                part.write_bytes(png(scored.figure()))
    say(f"the splice {score_line(scored.score, least)}")
    print_body(splice_json(source.track_id, scored, least))
