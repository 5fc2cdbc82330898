"""`workbench underscore TEXT`: the tracks of the catalog that suit a script."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.catalog import explain_unranked, require_tracks
from workbench.cli.options import brief_option, output_option, profile_option, use_option, workspace_option
from workbench.cli.terminal import deliver_body
from workbench.files import decode_text

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("underscore")
@click.argument("text")
@click.option("--platform", help="Where it is shown: tiktok, reels, shorts, linkedin, youtube, or any other word.")
@brief_option
@use_option
@click.option("--expand", type=click.Choice(["full"]), help="Print full tracks and the candidate pool.")
@output_option
@profile_option
@workspace_option
def command(
    text: str,
    platform: str | None,
    brief: str | None,
    use: str | None,
    expand: str | None,
    output: Path | None,
    workspace: Workspace,
) -> None:
    """Rank the catalog against TEXT, a script that is spoken or shown; `-` reads it from standard input.

    Prints ten tracks as JSON, each with why it fits. Rules in the brief, such as 'no drums' or 'at least 2 minutes',
    part the list and change no score: first the tracks that meet them, then those that break one, each part by score.
    The script itself is only text; notes on music in brackets in it count as part of the brief.

    \b
    Example:
      workbench underscore "She kept every letter. All sixty-one of them." --brief "no vocals" | jq .lane.reasoning
      workbench underscore - --platform tiktok --for commercial < script.txt
    """
    from workbench.workflows.underscore import underscore, underscore_json

    require_tracks(workspace)
    script = sys.stdin.buffer.read() if text == "-" else text.encode("utf-8", "surrogateescape")
    lane = underscore(workspace, decode_text(script, "replace"), platform=platform, brief=brief, use=use)
    explain_unranked(lane)
    body = underscore_json(workspace, lane, platform=platform, brief=brief, use=use, expand=expand)
    deliver_body(body, output)
