"""Security headers: browsers load nothing from other origins and do not guess media types.

Responses are JSON, sound and files, which need no resources. Only `/docs` is a page: its style sheet, scripts and the
interface description come from this service.
"""

from __future__ import annotations

from collections.abc import MutableMapping

_EVERYWHERE = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}

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
    """Add the security headers of every response.

    Parameters
    ----------
    headers : of the response; a header that is set already is kept
    """
    for name, value in _EVERYWHERE.items():
        headers.setdefault(name, value)
