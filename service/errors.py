"""Errors as callers see them: status, type and one clear sentence.

`Problem` is raised anywhere below the routes; `service.app` turns it, and every other exception, into the Error body.
The table of status and type stands here alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TYPES: Mapping[int, str] = {
    400: "invalid_request",
    401: "authentication_error",
    402: "payment_required",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "payload_too_large",
    415: "unsupported_media_type",
    422: "invalid_request",
    429: "rate_limited",
    500: "internal_error",
    502: "upstream_error",
    503: "service_unavailable",
}
"""Every other status is of type `error`."""


class Problem(Exception):
    """A request that cannot be answered, in the words that the caller reads."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        details: Sequence[Mapping[str, str]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details
        """items {field, message, type}, on a request that failed validation"""
        self.headers = dict(headers or {})


def error_type(status: int) -> str:
    """The stable type that goes with a status."""
    return TYPES.get(status, "error")


def error_body(
    status: int, message: str, request_id: str | None, details: Sequence[Mapping[str, str]] | None = None
) -> dict[str, Any]:
    """The Error body."""
    error: dict[str, Any] = {"type": error_type(status), "message": message, "request_id": request_id}
    if details is not None:
        error["details"] = [dict(item) for item in details]
    return {"error": error}


def malformed(message: str) -> Problem:
    """400: the request is malformed."""
    return Problem(400, message)


def not_found(what: str) -> Problem:
    """404: no such thing."""
    return Problem(404, f"no such {what}")


def forbidden(what: str) -> Problem:
    """403: the thing belongs to another account."""
    return Problem(403, f"this {what} belongs to another account")


def invalid(field: str, message: str, kind: str = "value_error") -> Problem:
    """422 about one field."""
    return Problem(422, f"{field}: {message}", details=[{"field": field, "message": message, "type": kind}])


def unavailable(message: str, retry_after: int | None = None) -> Problem:
    """503: try again later, after so many seconds if they are given."""
    return Problem(503, message, headers={} if retry_after is None else {"Retry-After": str(retry_after)})
