"""The Python client of the service.

    from workbench_client import Client

    with Client("https://api.example.com", api_key) as client:
        video = client.ingest_file(Path("video.mp4"))
        lane = client.match(video_id=video["video_id"])["lane"]
        loop = client.loop(video_id=video["video_id"], track_id=lane["matches"][0]["track_id"])

It needs httpx and nothing else of this repository; `pip install service/clients/python` installs it by itself under
the name used above, and in the repository it is `service.clients.python`.
"""

from __future__ import annotations

from .client import AsyncClient, Client
from .errors import (
    ApiError,
    ClientError,
    ConnectionFailedError,
    NotDoneError,
    VideoFailedError,
    WebhookError,
)
from .webhooks import sign_webhook, verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "ClientError",
    "ConnectionFailedError",
    "NotDoneError",
    "VideoFailedError",
    "WebhookError",
    "sign_webhook",
    "verify_webhook",
]
