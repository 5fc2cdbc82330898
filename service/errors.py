"""Errors as callers see them: status, type and one clear sentence.

Any module below the routes may raise `Problem`; `service.app` turns it, and every other exception, into the Error body.
The table of statuses and types is here and nowhere else.
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
"""type by status; every other status has the type `error`"""


class Problem(Exception):
    """A request that cannot be answered: HTTP status, one sentence for the caller, and headers such as `Retry-After`.

    `details` say what is wrong with each field, if the request failed validation.
    """

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
        """items {field, message, type}"""
        self.headers = dict(headers or {})


def error_type(status: int) -> str:
    """The stable type of an HTTP status, 400 or above."""
    return TYPES.get(status, "error")


def error_body(
    status: int, message: str, request_id: str | None, details: Sequence[Mapping[str, str]] | None = None
) -> dict[str, Any]:
    """The Error body; `details` are items {field, message, type}, left out if None."""
    error: dict[str, Any] = {"type": error_type(status), "message": message, "request_id": request_id}
    if details is not None:
        error["details"] = [dict(item) for item in details]
    return {"error": error}


def not_found(what: str) -> Problem:
    """404: there is no such thing; `what` is its noun in the message, such as `video`."""
    return Problem(404, f"no such {what}")


def forbidden(what: str) -> Problem:
    """403: the thing belongs to another account; `what` is its noun in the message, such as `video`."""
    return Problem(403, f"this {what} belongs to another account")


def invalid(field: str, message: str, kind: str = "value_error") -> Problem:
    """422: one field is invalid.

    `field` is its path in the body, such as `data.account`, `message` its predicate, such as `is needed`, and `kind`
    the type of the detail, from pydantic's list where one fits.
    """
    return Problem(422, f"{field}: {message}", details=[{"field": field, "message": message, "type": kind}])


def unavailable(message: str, retry_after: int) -> Problem:
    """503: try again in `retry_after` s."""
    return Problem(503, message, headers={"Retry-After": str(retry_after)})
