"""Security headers: a browser loads nothing from anywhere else and guesses no media type.

Answers are JSON, sounds and files, which a browser has nothing to load for. `/docs` alone is a page: its style sheet,
scripts and the interface description come from this service.
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
        # Swagger UI writes style attributes, and has icons as data: addresses in its style sheet.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""of the page that shows the interface description"""


def secure(headers: MutableMapping[str, str]) -> None:
    """Add the security headers of every response, except those that the response has set itself."""
    for name, value in _EVERYWHERE.items():
        headers.setdefault(name, value)
