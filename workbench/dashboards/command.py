"""`workbench dashboard`: the page on which users look at, play and tune plans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, profile_option, workspace_option
from workbench.errors import require_extra

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("dashboard")
@click.argument("track", required=False)
@click.option("--video", type=FILE, help="The video to open TRACK under: a file, or the id of a video that was added.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to bind to; others than this machine's own need a key.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=5006, show_default=True, help="0 takes a free one.")
@click.option("--show/--no-show", default=True, help="Open the page in the browser.")
@click.option(
    "--key",
    envvar="WORKBENCH_DASHBOARD_KEY",
    help="What a browser must know; beyond this machine one is made where none is given.",
)
@profile_option
@workspace_option
def command(
    track: str | None, video: Path | None, host: str, port: int, show: bool, key: str | None, workspace: Workspace
) -> None:
    """Open the dashboard: see, hear and tune plans in the browser. Needs the `dashboard` extra.

    With TRACK, a file or a catalog track id, and --video the page begins a project of both; without them it lists the
    projects, or shows the demo where there is none yet. Prints `listening on …` once requests are accepted; Ctrl-C
    ends it.

    \b
    Example:
      workbench dashboard
      workbench dashboard track.mp3 --video video.mp4
      workbench dashboard --port 8080 --no-show
      workbench dashboard --host 0.0.0.0 --key a-long-secret-of-yours
    """
    if (track is None) != (video is None):
        raise click.UsageError("a project needs both TRACK and --video")
    require_extra("dashboard", "`workbench dashboard`")
    from workbench.dashboards.app import serve

    serve(workspace, track, video, host=host, port=port, key=key, show=show)
