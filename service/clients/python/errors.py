"""What a call to the service can raise; `generated` has a class for each `error.type`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class ClientError(Exception):
    """Base of everything that the client raises."""


class ConnectionFailedError(ClientError):
    """The service could not be reached, or did not answer with JSON."""


class NotDoneError(ClientError):
    """The work was not done in the seconds waited; `ticket` is what to go on waiting with."""

    def __init__(self, ticket: Mapping[str, Any], seconds: float) -> None:
        super().__init__(f"not done after {seconds:g} s; go on with {ticket.get('poll')}")
        self.ticket = dict(ticket)


class VideoFailedError(ClientError):
    """The ingest of a video failed; `record` is the video's, with the reason."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__(f"{record.get('video_id')}: {record.get('reason', 'the ingest failed')}")
        self.record = dict(record)


class WebhookError(ClientError):
    """A webhook that is not genuine."""


class ApiError(ClientError):
    """The service refused a call, with an HTTP status and the `error` of an Error body.

    `retry_after` is in s to wait before the next request; None if the service did not say.
    """

    def __init__(self, status: int, error: Mapping[str, Any], retry_after: float | None = None) -> None:
        super().__init__(f"{error.get('type')}: {error.get('message')} (request {error.get('request_id')})")
        self.status = status
        self.type = str(error.get("type"))
        self.message = str(error.get("message"))
        self.request_id: str | None = error.get("request_id")
        self.details: Sequence[Mapping[str, str]] = error.get("details", ())
        self.retry_after = retry_after
