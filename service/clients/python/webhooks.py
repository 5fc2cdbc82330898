"""Signing and verifying webhooks as the Standard Webhooks specification requires, with the standard library alone."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from .errors import WebhookError

TOLERANCE_SECONDS = 300
"""between the clocks of sender and receiver"""


def sign_webhook(secret: str, webhook_id: str, body: bytes, at: float | None = None) -> dict[str, str]:
    """The headers that make a webhook genuine.

    `secret` is shared with the receiver, `whsec_…`; `webhook_id` is the same when an event is sent again; `body` is as
    it is sent; `at` is in s since 1970, None is now. Raises WebhookError if the secret is empty or not base64.
    """
    seconds = int(time.time() if at is None else at)
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{_signature(secret, webhook_id, seconds, body)}",
    }


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes, at: float | None = None) -> dict[str, Any]:
    """The event of a webhook that is genuine.

    `secret` is shared with the sender, `whsec_…`; names in `headers` are in any case; `body` is as it arrived; `at` is
    in s since 1970, None is now. Raises WebhookError if a header is missing, the signature is wrong, the time is more
    than five minutes off, the body is no JSON object, or the secret is empty or not base64.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        webhook_id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        seconds = int(timestamp)
    except (KeyError, ValueError):
        raise WebhookError("a webhook header is missing or malformed") from None
    if abs((time.time() if at is None else at) - seconds) > TOLERANCE_SECONDS:
        raise WebhookError("the webhook is too old, or from the future")
    right = f"v1,{_signature(secret, webhook_id, seconds, body)}".encode()
    if not any(hmac.compare_digest(right, one.encode()) for one in signatures.split(" ")):
        raise WebhookError("the webhook's signature is wrong")
    try:
        event = json.loads(body)
    except ValueError:
        raise WebhookError("the webhook is not JSON") from None
    if not isinstance(event, dict):
        raise WebhookError("the webhook is not a JSON object")
    return event


def _signature(secret: str, webhook_id: str, seconds: int, body: bytes) -> str:
    given = secret.removeprefix("whsec_").rstrip("=")
    try:
        key = base64.b64decode(given + "=" * (-len(given) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise WebhookError("the secret is not base64") from None
    if not key:
        raise WebhookError("the secret is empty")
    signed = b".".join((webhook_id.encode(), str(seconds).encode(), body))
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
