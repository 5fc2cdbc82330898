"""`workbench videos`: clips that callers, or commands, name by an id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from service.commands.records import VideoId, database_of, workspace_in
from workbench.cli.options import FILE, home_option, profile_option
from workbench.cli.terminal import print_body, print_line, progress_bar

if TYPE_CHECKING:
    from workbench.home import Home
    from workbench.params import WorkbenchParams
    from workbench.store.videos import VideoRecord


@click.group("videos")
def command() -> None:
    """Ingest local files as videos, and list them.

    \b
    Example:
      workbench videos add film.mp4 --shared --video-id vid_demo
    """


@command.command("add")
@click.argument("file", type=FILE)
@click.option("--account", help="Whose video it is for callers of the service.")
@click.option("--shared", is_flag=True, help="Every account may use it.")
@click.option(
    "--video-id", type=VideoId(), help="The id to give it; without it, a new one. A video of that id is replaced."
)
@profile_option
@home_option
def add(
    file: Path, account: str | None, shared: bool, video_id: str | None, params: WorkbenchParams | None, home: Home
) -> None:
    """Ingest FILE and print its record. The file is not copied: it must stay where it is.

    With neither --account nor --shared the commands know it by its id, callers of the service do not.

    \b
    Example:
      workbench videos add film.mp4 --account acme
    """
    from workbench.workflows.videos import add_video

    if account is not None and shared:
        raise click.UsageError("--account and --shared exclude each other")
    with workspace_in(home, params) as workspace:
        with progress_bar() as progress:
            record = add_video(workspace.with_progress(progress), file, video_id=video_id)
        if account is not None or shared:
            with workspace.database.write() as connection:
                _claim(connection, record, account)
    print_body({"video_id": record.video_id, "status": "ready", "ready": True, **record.to_json()})


@command.command("list")
@home_option
def list_videos(home: Home) -> None:
    """Print every video as a JSON line, in the order in which they were added.

    \b
    Example:
      workbench videos list | jq -r .video_id
    """
    from service.store import claims
    from workbench.store import videos

    with database_of(home) as database, database.read() as connection:
        for record in videos.every(connection):
            claim = claims.get(connection, record.video_id)
            whose = {} if claim is None else {"account": claim.account, "shared": claim.account is None}
            print_line({**record.to_json(), **whose})


def _claim(connection: Any, record: VideoRecord, account: str | None) -> None:
    """Say whose a video is that has been ingested already."""
    from service.store import accounts, claims
    from service.store.claims import Claim

    if account is not None:
        accounts.ensure(connection, account)
    claims.remove(connection, record.video_id)
    claims.create(connection, Claim(record.video_id, account, "ready", title=record.title))
