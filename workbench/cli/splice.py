"""`workbench splice TRACK LEAVE ENTER`: one splice scored, drawn and played."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.options import NewFile, profile_option, typed, workspace_option


@click.command("splice")
@click.argument("track")
@click.argument("leave", callback=typed("read_time"))
@click.argument("enter", callback=typed("read_time"))
@click.option("-o", "--out", type=NewFile(), help="Also write the sound around the splice, as WAV or FLAC.")
@click.option("--picture", type=NewFile(), help="Also write a picture of the splice, as PNG.")
@profile_option
@workspace_option
def command(**asked: Any) -> None:
    """Score the splice that leaves TRACK, a file or a catalog track id, at LEAVE and goes on at ENTER.

    LEAVE and ENTER are times of the track, as M:SS or in seconds; each stands for the nearest bar line. Prints JSON:
    the exact times, the score, 0 to 1, with its parts, and how the splice is played. `workbench loop` and `fit` take
    it as --pin-seam LEAVE-ENTER, or leave it out as --forbid-seam LEAVE-ENTER.

    \b
    Example:
      workbench splice track.mp3 1:32 0:48
      workbench splice track.mp3 1:32 0:48 -o splice.wav --picture splice.png
    """
    from workbench.cli.planning import print_splice

    print_splice(**asked)
