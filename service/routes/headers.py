"""Headers of responses: security, rate, and when to come back.

Security headers: browsers load nothing from other origins and do not guess media types.

Responses are JSON, sound and files, which need no resources. Only `/docs` is a page: its style sheet, scripts and the
interface description come from this service.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

from service.store.api_keys import WINDOW_SECONDS, Rate

RATE_HEADERS = ("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining")
"""of every response to a request with a valid key"""

_POLICY = "key"
"""name of the one policy in the RateLimit headers"""

RETRY_SECONDS: Mapping[int, int] = {202: 2, 429: 5, 503: 5}
"""`Retry-After` by status where nothing better is known: two seconds between polls are half of the standard rate"""

_EVERYWHERE = (
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)

DOCS_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        # Swagger UI sets style attributes, and its style sheet contains icons as data: addresses.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Content-Security-Policy of `/docs`"""


def add_security_headers(headers: MutableMapping[str, str]) -> None:
    """Add the security headers of every response; a header that is set already stays."""
    for name, value in _EVERYWHERE:
        headers.setdefault(name, value)


def add_rate_headers(headers: MutableMapping[str, str], rate: Rate) -> None:
    """Add what a key may still ask: the headers of draft-ietf-httpapi-ratelimit-headers-10, and our older two."""
    headers.update(
        {
            "RateLimit-Policy": f'"{_POLICY}";q={rate.limit};w={WINDOW_SECONDS:.0f}',
            "RateLimit": f'"{_POLICY}";r={rate.remaining};t={rate.retry_after}',
            "X-RateLimit-Limit": str(rate.limit),
            "X-RateLimit-Remaining": str(rate.remaining),
        }
    )


def add_retry_after(headers: MutableMapping[str, str], status: int) -> None:
    """Add `Retry-After` to a response that asks the caller to come back (`RETRY_SECONDS`), unless it is set already."""
    if status in RETRY_SECONDS:
        headers.setdefault("Retry-After", str(RETRY_SECONDS[status]))
