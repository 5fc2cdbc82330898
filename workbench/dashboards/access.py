"""Who may see the page, and what a browser may load for it.

One rule stands in front of every other route, so that the same few lines guard page, websocket, sounds and uploads.
With a key a request passes by a cookie; without one the address must be this machine's own, since a page elsewhere may
point its name here (DNS rebinding). Links to frozen versions are checked by themselves (`workbench.dashboards.links`).

Every response carries a content security policy, a second wall against what a library, a file name or a tag brings in.
Exceptions from `'self'`: a nonce for Panel's inline scripts, `blob:` for the scripts of its components, `'unsafe-
inline'` for the styles that Bokeh and Material UI write, `data:` for icons in Bokeh's styles. Nothing is evaluated from
text: figures use `workbench.dashboards.figures`, not `CustomJS`.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import Application, OutputTransform, RequestHandler

from workbench.dashboards.links import is_link
from workbench.errors import ParameterError

SHORTEST_KEY = 12
"""characters"""
_COOKIE = "workbench_dashboard"
_SCRIPT = re.compile(rb"<script(?=[\s>])")
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether a server that is bound to an address is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def new_key() -> str:
    """A random key of 128 bits, in 22 characters."""
    return secrets.token_urlsafe(16)


def guard(application: Application, key: str | None) -> None:
    """Put a rule in front of all routes: a browser must send `key` or ask for this machine by its own name."""
    if key is not None and len(key) < SHORTEST_KEY:
        raise ParameterError(f"a key has at least {SHORTEST_KEY} characters; leave --key out to get one made")
    rule = Rule(_Outside(), _Elsewhere) if key is None else Rule(_WithoutKey(key), _AskKey, {"key": key})
    application.wildcard_router.rules.insert(0, rule)
    application.default_router.rules.insert(0, rule)


class _Outside(Matcher):
    """Matches requests that were meant for another name than this machine's own."""

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        name = request.host.rsplit(":", 1)[0] if not request.host.endswith("]") else request.host
        return None if name in LOCAL_NAMES else {}


class _WithoutKey(Matcher):
    """Matches requests without the cookie."""

    def __init__(self, key: str) -> None:
        self._expected = _cookie_value(key)

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        if is_link(request.path):
            return None
        cookie = request.cookies.get(_COOKIE)
        return None if cookie is not None and hmac.compare_digest(cookie.value, self._expected) else {}


def _cookie_value(key: str) -> str:
    """What the cookie holds; the key cannot be read from it."""
    return hashlib.sha256(f"workbench dashboard {key}".encode()).hexdigest()


class _Elsewhere(RequestHandler):
    """Refuses."""

    def prepare(self) -> None:
        self.set_status(403)
        self.finish(
            "The dashboard answers on this machine's own names only; start it with --host to open it to others."
        )


class _AskKey(RequestHandler):
    """Takes the key, or asks for it."""

    def initialize(self, key: str) -> None:
        self._key = key

    def prepare(self) -> None:
        given = self.get_query_argument("key", "")
        if self.request.method == "GET" and given and hmac.compare_digest(given.encode(), self._key.encode()):
            # Strict: a page of another site cannot make a browser use the cookie, not for the websocket either.
            self.set_cookie(_COOKIE, _cookie_value(self._key), httponly=True, samesite="Strict", path="/")
            rest = urlencode([pair for pair in parse_qsl(self.request.query) if pair[0] != "key"])
            self.redirect(self.request.path + (f"?{rest}" if rest else ""))
            return
        self.set_status(401)
        self.set_header("Cache-Control", "no-store")
        self.finish(_FORM)


_FORM = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Barline Workbench</title>
<meta name="viewport" content="width=device-width"><style>
:root { color-scheme: light dark } body { font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 24rem }
input, button { font: inherit; padding: .4rem .6rem }</style>
<h1>Barline Workbench</h1><form><p><label for="key">The key that the server printed when it started:</label></p>
<p><input id="key" name="key" type="password" autofocus required> <button>Open</button></p></form></html>
"""


def content_security_policy(nonce: str = "") -> str:
    """What a response may load and run. `nonce` is that of its own inline scripts, empty without any."""
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
