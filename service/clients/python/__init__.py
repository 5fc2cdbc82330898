"""The Python client of the service.

    from service.clients.python import Client

    with Client("https://api.example.com", api_key) as client:
        video = client.ingest_file(Path("video.mp4"))
        lane = client.match(video_id=video["video_id"])["lane"]
        loop = client.loop(video_id=video["video_id"], track_id=lane["matches"][0]["track_id"])

It needs httpx and nothing else of this package.
"""

from __future__ import annotations

from service.clients.python.client import AsyncClient, Client
from service.clients.python.errors import (
    ApiError,
    ClientError,
    ConnectionFailedError,
    NotDoneError,
    VideoFailedError,
    WebhookError,
)
from service.clients.python.webhooks import sign_webhook, verify_webhook

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
