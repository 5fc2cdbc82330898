"""What a call to the service can raise; `generated` has a class for each `error.type`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class ClientError(Exception):
    """Base of everything that the client raises."""


class ConnectionFailedError(ClientError):
    """The service could not be reached, or did not answer with JSON."""


class NotDoneError(ClientError):
    """The work was not done in time.

    Parameters
    ----------
    ticket : of the work, to go on waiting with
    seconds : that were waited
    """

    def __init__(self, ticket: Mapping[str, Any], seconds: float) -> None:
        super().__init__(f"not done after {seconds:g} s; go on with {ticket.get('poll')}")
        self.ticket = dict(ticket)


class VideoFailedError(ClientError):
    """The ingest of a video failed.

    Parameters
    ----------
    record : of the video, with the reason
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__(f"{record.get('video_id')}: {record.get('reason', 'the ingest failed')}")
        self.record = dict(record)


class WebhookError(ClientError):
    """A webhook that is not genuine."""


class ApiError(ClientError):
    """The service refused a call.

    Parameters
    ----------
    status : HTTP status
    error : the Error body's `error`
    retry_after : s to wait before the next request; None: not said
    """

    def __init__(self, status: int, error: Mapping[str, Any], retry_after: float | None = None) -> None:
        super().__init__(f"{error.get('type')}: {error.get('message')} (request {error.get('request_id')})")
        self.status = status
        self.type = str(error.get("type"))
        self.message = str(error.get("message"))
        self.request_id: str | None = error.get("request_id")
        self.details: Sequence[Mapping[str, str]] = error.get("details", ())
        self.retry_after = retry_after
