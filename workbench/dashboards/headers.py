"""The security headers of every response of the dashboard's server: a browser loads nothing from anywhere else.

The content security policy is a second wall. The page requests nothing of other hosts; if a library of it ever does
(Panel has addresses of its makers' host for pictures and styles), or a file name or a tag of a track should end up as
markup, the browser refuses.

Exceptions from `'self'`, each needed by something that the page consists of:

- a nonce for scripts: the inline scripts with which Panel starts a page, of which one holds the session's token, and
  those with which its loader of modules finds out what the browser can do
- `blob:` for scripts: that loader has each component's script run as one
- `'unsafe-inline'` for styles: Bokeh and Material UI write style elements and attributes while the page runs
- `data:` for pictures: icons within Bokeh's styles

Nothing may be evaluated from text: what figures do by themselves is `workbench.dashboards.figures`, not `CustomJS`.

Classes: `SecurityHeaders`. Functions: `content_security_policy`.
"""

from __future__ import annotations

import re
import secrets

from tornado.httputil import HTTPHeaders
from tornado.web import OutputTransform

_SCRIPT = re.compile(rb"<script(?=[\s>])")


def content_security_policy(nonce: str = "") -> str:
    """The policy of a response: what it may load and run.

    `nonce`: that the response's own inline scripts carry; empty where it has none.
    """
    scripts = "'self' blob:" + (f" 'nonce-{nonce}'" if nonce else "")
    rules = {
        "default-src": "'self'",
        "script-src": scripts,
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


class SecurityHeaders(OutputTransform):
    """Adds the policy to every response of an application, whichever handler made it; marks the scripts of a page."""

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Write the headers; a page is sent in one piece, in which all its scripts are."""
        if status_code == 200 and finishing and headers.get("Content-Type", "").startswith("text/html"):
            nonce = secrets.token_urlsafe(16)
            chunk = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), chunk)
            headers["Content-Length"] = str(len(chunk))
        else:
            nonce = ""
        headers["Content-Security-Policy"] = content_security_policy(nonce)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        return status_code, headers, chunk
