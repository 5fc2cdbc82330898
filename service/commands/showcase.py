"""Something to try a new service on: the bundled catalog, the demo's video, an account with a key, three calls."""

from __future__ import annotations

from dataclasses import dataclass

from service.store import accounts, api_keys, video_owners
from service.store.video_owners import OwnedVideo
from workbench.analysis.workspace import Workspace

ACCOUNT = "demo"
VIDEO_ID = "vid_demo"
_SCRIPT = "A slow train into the hills. Nobody is in a hurry, and neither is the river."


@dataclass(frozen=True, slots=True)
class Showcase:
    """The key and the track to try the service with."""

    api_key: str
    track_id: str
    """a track that covers the video"""

    def invitation(self, url: str) -> str:
        """Three commands to paste, each below a comment that says what it does; `url` is without `/v1`."""
        call = f"curl -s -H 'Authorization: Bearer {self.api_key}' -H 'Content-Type: application/json'"
        return "\n".join(
            (
                "",
                f"# the key of account {ACCOUNT} is new at each start; its older ones have ended",
                "",
                "# what it knows of the video",
                f"{call} {url}/v1/videos/{VIDEO_ID}",
                "# music for a script",
                f'{call} {url}/v1/underscore -d \'{{"script": "{_SCRIPT}"}}\'',
                "# a track looped over the video: the answer names the address to poll, which is free",
                f'{call} {url}/v1/loop -d \'{{"video_id": "{VIDEO_ID}", "track_id": "{self.track_id}"}}\'',
                "",
            )
        )


def prepare(workspace: Workspace) -> Showcase:
    """Add catalog, video and account where they are missing; the account gets a new key, its old ones are revoked."""
    # analysis, which serving without --demo does not need
    from workbench.workflows.demo import choose, demo_video
    from workbench.workflows.videos import add_video

    video = demo_video(workspace)
    record = add_video(workspace, video, video_id=VIDEO_ID)
    best = choose(workspace, video).best
    with workspace.database.write() as connection:
        accounts.ensure(connection, ACCOUNT)
        for api_key in api_keys.list_all(connection):
            if api_key.account == ACCOUNT:
                api_keys.revoke(connection, api_key.key_id)
        _, secret = api_keys.create(connection, ACCOUNT)
        video_owners.delete(connection, VIDEO_ID)
        video_owners.create(connection, OwnedVideo(VIDEO_ID, None, "ready", title=record.title))
    return Showcase(secret, best.track.track_id)
