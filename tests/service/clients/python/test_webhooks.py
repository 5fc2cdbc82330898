"""Webhooks by the Standard Webhooks specification, against its own library."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook

from service.clients.python.errors import WebhookError
from service.clients.python.webhooks import TOLERANCE_SECONDS, sign_webhook, verify_webhook

SECRET, BODY, AT = "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cw==", b'{"type": "credit.granted"}', 1_795_282_674.0


def test_it_signs_as_the_library_does_and_knows_its_own() -> None:
    headers = sign_webhook(SECRET, "msg_1", BODY, AT)
    library = Webhook(SECRET).sign("msg_1", datetime.fromtimestamp(AT, UTC), BODY.decode())
    assert headers["webhook-signature"] == library
    assert verify_webhook(SECRET, headers, BODY, AT) == {"type": "credit.granted"}
    shouted = {name.upper(): value for name, value in headers.items()}
    assert verify_webhook(SECRET, shouted, BODY, AT + TOLERANCE_SECONDS) == {"type": "credit.granted"}
    rotated = {**headers, "webhook-signature": f"v1,AAAA {library} v2,x"}
    assert verify_webhook(SECRET, rotated, BODY, AT)


@pytest.mark.parametrize(
    ("changed", "body", "at", "why"),
    [
        ({}, BODY + b" ", AT, "signature is wrong"),
        ({"webhook-id": "msg_2"}, BODY, AT, "signature is wrong"),
        ({"webhook-signature": ""}, BODY, AT, "signature is wrong"),
        ({"webhook-signature": "v1,é"}, BODY, AT, "signature is wrong"),
        ({"webhook-timestamp": "soon"}, BODY, AT, "missing or malformed"),
        ({}, BODY, AT + TOLERANCE_SECONDS + 1, "too old, or from the future"),
        ({}, BODY, AT - TOLERANCE_SECONDS - 1, "too old, or from the future"),
    ],
)
def test_what_is_not_genuine_is_refused(changed: dict[str, str], body: bytes, at: float, why: str) -> None:
    headers = sign_webhook(SECRET, "msg_1", BODY, AT) | changed
    with pytest.raises(WebhookError, match=why):
        verify_webhook(SECRET, headers, body, at)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_====", "whsec_!!!!", "whsec_c2Vj!cmV0", "whsec_é"])
def test_a_secret_that_everybody_knows_is_none(secret: str) -> None:
    """What is not base64 was skipped, down to the empty key."""
    forged = hmac.new(b"", b".".join((b"msg_1", b"%d" % AT, BODY)), hashlib.sha256).digest()
    headers = {"webhook-id": "msg_1", "webhook-timestamp": f"{AT:.0f}"}
    headers["webhook-signature"] = f"v1,{base64.b64encode(forged).decode()}"
    with pytest.raises(WebhookError, match=r"the secret is (empty|not base64)"):
        verify_webhook(secret, headers, BODY, AT)
    with pytest.raises(WebhookError, match=r"the secret is (empty|not base64)"):
        sign_webhook(secret, "msg_1", BODY, AT)


def test_padding_may_be_left_out_of_a_secret() -> None:
    assert sign_webhook(SECRET.rstrip("="), "msg_1", BODY, AT) == sign_webhook(SECRET, "msg_1", BODY, AT)


def test_a_header_that_is_missing_and_a_body_that_is_no_object_are_refused() -> None:
    with pytest.raises(WebhookError, match="missing"):
        verify_webhook(SECRET, {}, BODY, AT)
    for body, why in ((b"[]", "no[t]? a JSON object"), (b"credit", "not JSON")):
        with pytest.raises(WebhookError, match=why):
            verify_webhook(SECRET, sign_webhook(SECRET, "msg_1", body, AT), body, AT)
