"""`workbench dashboard`: the page on which users look at, play and tune plans."""

from __future__ import annotations

import gc
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, profile_option, workspace_option
from workbench.cli.terminal import say

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
    from workbench.errors import require_extra

    require_extra("dashboard", "`workbench dashboard`")
    from workbench.dashboards.access import is_loopback, new_key
    from workbench.dashboards.app import make_server
    from workbench.dashboards.tasks import shared_pool

    opens = None
    if track is not None and video is not None:
        from workbench.analysis.sources import find_track, find_video

        find_track(workspace, track)  # so that what is wrong with it is said before a server runs
        opens = track, find_video(workspace, video).path
    if key is None and not is_loopback(host):
        key = new_key()
    try:
        server = make_server(workspace, host=host, port=port, key=key, opens=opens)
    except OSError as error:
        raise click.ClickException(
            f"cannot listen on {host}:{port} ({error.strerror}); choose another --port"
        ) from error
    name = f"[{host}]" if ":" in host else host
    url = f"http://{name}:{server.port}" + (f"/?key={key}" if key is not None else "")
    # What is loaded stays: when a page closes, memory is sought among what pages hold.
    gc.collect()
    gc.freeze()
    server.start()
    shared_pool().warm()
    # A plain kill ends it like Ctrl-C: the processes that work for it must not outlive it.
    signal.signal(signal.SIGTERM, lambda *_: server.io_loop.add_callback_from_signal(server.io_loop.stop))
    click.echo(f"listening on {url}")
    if show:
        click.launch(url)
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        say("the dashboard has ended")
    finally:
        server.stop()
        shared_pool().close()
