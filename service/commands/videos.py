"""`workbench videos`: videos that calls of the service and commands name by an id."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from service.commands.records import VideoId, database_of, workspace_in
from service.jobs.deletion import delete_video
from service.store import accounts, video_owners
from service.store.video_owners import OwnedVideo
from workbench.analysis.sources import VideoSource
from workbench.cli.options import FILE, audio_option, explain_audio, home_option, profile_option
from workbench.cli.terminal import print_body, print_line, progress_bar
from workbench.params import WorkbenchParams
from workbench.store import videos
from workbench.store.home import Home
from workbench.store.videos import AddedVideo

if TYPE_CHECKING:
    from workbench.media.sound_streams import SoundChoice


@click.group("videos")
def command() -> None:
    """Ingest local files as videos, list them, and delete videos.

    \b
    Example:
      workbench videos add video.mp4 --shared --video-id vid_demo
    """


@command.command("add")
@click.argument("file", type=FILE)
@click.option("--account", help="Whose video it is for callers of the service.")
@click.option("--shared", is_flag=True, help="Every account may use it.")
@click.option(
    "--video-id", type=VideoId(), help="The id to give it; without it, a new one. A video of that id is replaced."
)
@audio_option
@profile_option
@home_option
def add(
    file: Path,
    account: str | None,
    shared: bool,
    video_id: str | None,
    audio: SoundChoice | None,
    params: WorkbenchParams | None,
    home: Home,
) -> None:
    """Ingest FILE and print its record. The file is not copied: it must stay where it is.

    With WORKBENCH_STORE_URL it is copied to that store.

    Commands that name the video by its id take the sound streams of --audio; callers of the service get the default.

    With neither --account nor --shared the commands know it by its id, callers of the service do not.

    \b
    Example:
      workbench videos add video.mp4 --account acme
    """
    from workbench.workflows.videos import add_video  # which decodes video: other commands need none

    if account is not None and shared:
        raise click.UsageError("--account and --shared exclude each other")
    with workspace_in(home, params) as opened:
        workspace = opened.with_audio(audio)
        with progress_bar() as progress:
            record = add_video(workspace.with_progress(progress), file, video_id=video_id)
        explain_audio(workspace, VideoSource(record.video_id, record.path))
        if account is not None or shared:
            with workspace.database.write() as connection:
                _set_owner(connection, record, account)
    print_body({"video_id": record.video_id, "status": "ready", "ready": True, **record.to_json()})


@command.command("list")
@home_option
def list_videos(home: Home) -> None:
    """Print every video as a JSON line, in the order in which they were added; then those that are not ready.

    \b
    Example:
      workbench videos list | jq -r .video_id
      workbench videos list | jq -c 'select(.status == "failed") | [.video_id, .reason]'
    """
    with database_of(home) as database, database.read() as connection:
        for record in videos.every(connection):
            owned = video_owners.get(connection, record.video_id)
            whose = {} if owned is None else {"account": owned.account, "shared": owned.account is None}
            print_line({**record.to_json(), "status": "ready", **whose})
        for owned in video_owners.not_ready(connection):
            reason = {"reason": owned.reason} if owned.status == "failed" else {}
            print_line(
                {
                    "video_id": owned.video_id,
                    "title": owned.title,
                    "added_at": owned.created_at,
                    "status": owned.status,
                    "account": owned.account,
                    "shared": False,
                    **reason,
                }
            )


@command.command("delete")
@click.argument("video_id")
@home_option
def delete(video_id: str, home: Home) -> None:
    """Delete a video: its records, its bytes, its jobs, and the answers about it. Its charges stay in the ledger.

    Answers stay while another video has the same bytes. A file that was added from elsewhere stays where it is. While a
    job on the video is not settled, it is refused.

    \b
    Example:
      workbench videos delete vid_demo
    """
    with workspace_in(home) as workspace:
        print_body(asdict(delete_video(workspace.files, workspace.database, video_id)))


def _set_owner(connection: Any, record: AddedVideo, account: str | None) -> None:
    """Set the owner of a video that has been ingested; None: every account may use it."""
    if account is not None:
        accounts.ensure(connection, account)
    video_owners.delete(connection, record.video_id)
    video_owners.create(connection, OwnedVideo(record.video_id, account, "ready", title=record.title))
