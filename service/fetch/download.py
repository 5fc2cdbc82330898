"""Fetch a file from an https address: with limits, through redirects, without credentials.

Every redirect is a new request under the same rules. The file gets its name only when it is complete.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import httpcore

from service.fetch.addresses import FetchError, PublicOnly
from service.settings import ServiceSettings
from workbench.errors import StoreError

MAX_REDIRECTS = 5
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_STEP_SECONDS = 30.0  # to connect, and for each read and write
_HEADERS = (
    (b"Accept", b"*/*"),
    (b"Accept-Encoding", b"identity"),
    (b"User-Agent", b"barline-workbench"),
    (b"Connection", b"close"),
)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits of one fetch."""

    max_bytes: int
    timeout_seconds: float
    allow_hosts: tuple[str, ...] = ()
    """names of hosts that may have private addresses"""
    ca_file: Path | None = None
    """one more authority to trust"""

    @classmethod
    def of(cls, settings: ServiceSettings) -> FetchLimits:
        """The limits of some settings."""
        hosts = tuple(name for name in settings.fetch_allow_hosts.split(",") if name.strip())
        return cls(settings.fetch_max_bytes, settings.fetch_timeout_seconds, hosts, settings.fetch_ca_file)


def download(url: str, into: Path, limits: FetchLimits, stop: Callable[[], bool] = lambda: False) -> None:
    """Fetch a file from an https address; FetchError says why it cannot be, StoreError that it cannot be written.

    The limits apply to the fetch as a whole, redirects included; `stop` is called after each block, and true ends it.
    """
    deadline = time.monotonic() + limits.timeout_seconds
    backend = PublicOnly(limits.allow_hosts)
    with httpcore.ConnectionPool(ssl_context=_ssl_context(limits.ca_file), network_backend=backend) as pool:
        for _ in range(MAX_REDIRECTS + 1):
            _check_url(url)
            address = _encoded(url)
            host = urlsplit(address).netloc
            request = httpcore.Request(
                "GET", address, headers=[(b"Host", host), *_HEADERS], extensions={"timeout": _timeouts(deadline)}
            )
            try:
                response = pool.handle_request(request)
            except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
                raise _failure(url, error, deadline) from error
            try:
                if response.status in _REDIRECTS:
                    url = _redirect_target(url, _header(response, b"location") or "")
                    continue
                _write_body(response, url, into, limits, deadline, stop)
                return
            finally:
                response.close()
    raise FetchError(f"more than {MAX_REDIRECTS} redirects")


def _write_body(
    response: httpcore.Response, url: str, into: Path, limits: FetchLimits, deadline: float, stop: Callable[[], bool]
) -> None:
    """Write a response's body to a file, which gets its name when it is complete."""
    host = urlsplit(url).hostname
    if response.status != 200:
        raise FetchError(f"{host} answers {response.status}")
    if (_header(response, b"content-encoding") or "identity").lower() != "identity":
        raise FetchError(f"{host} sends the file compressed, though it was asked not to")
    length = _header(response, b"content-length")
    if length is not None and length.isdigit() and int(length) > limits.max_bytes:
        raise FetchError(f"the file has {int(length)} bytes, more than the {limits.max_bytes} that are fetched")
    partial, count = into.with_name(f"{into.name}.part"), 0
    try:
        with partial.open("wb") as file:
            for block in response.iter_stream():
                count += len(block)
                if count > limits.max_bytes:
                    raise FetchError(f"the file has more than the {limits.max_bytes} bytes that are fetched")
                if stop():
                    raise FetchError("the fetch was stopped")
                if time.monotonic() > deadline:
                    raise FetchError(f"the fetch took longer than {limits.timeout_seconds:g} s")
                file.write(block)
        if count == 0:
            raise FetchError(f"{host} sends an empty file")
        partial.replace(into)
    except OSError as error:
        raise StoreError(f"{into.name}: cannot be written ({error.strerror})") from error
    except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
        raise _failure(url, error, deadline) from error
    finally:
        partial.unlink(missing_ok=True)


def _redirect_target(url: str, location: str) -> str:
    """The address that a redirect leads to."""
    try:
        return urljoin(url, location)
    except ValueError:
        raise FetchError("a redirect leads to no proper address") from None


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise FetchError("a redirect leads to no proper address") from None
    if parts.scheme != "https" or not parts.hostname or port == 0:
        raise FetchError("only https addresses are fetched, redirects included")
    if parts.username is not None or parts.password is not None:
        raise FetchError("an address must not carry a user name or a password")


def _encoded(url: str) -> bytes:
    """An address as it is sent: without a fragment, host in IDNA, other characters percent-encoded."""
    parts = urlsplit(url)
    try:
        host = str(parts.hostname).encode("idna").decode() if ":" not in str(parts.hostname) else f"[{parts.hostname}]"
    except UnicodeError:
        raise FetchError(f"{parts.hostname} is no name that a host can have") from None
    safe = "/%:=&?~#+!$,;'@()*[]"
    place = host if parts.port is None else f"{host}:{parts.port}"
    query = f"?{quote(parts.query, safe=safe)}" if parts.query else ""
    return f"https://{place}{quote(parts.path, safe=safe) or '/'}{query}".encode("ascii")


def _timeouts(deadline: float) -> dict[str, float]:
    left = max(0.001, min(_STEP_SECONDS, deadline - time.monotonic()))
    return {"connect": left, "read": left, "write": left, "pool": left}


def _failure(url: str, error: Exception, deadline: float) -> FetchError:
    host = urlsplit(url).hostname
    if isinstance(error, httpcore.TimeoutException) or time.monotonic() > deadline:
        return FetchError(f"{host} does not answer in time")
    if (
        isinstance(error.__cause__, ssl.SSLError)
        or "SSL" in type(error).__name__
        or "certificate" in str(error).lower()
    ):
        return FetchError(f"{host} has no certificate that is trusted here")
    return FetchError(f"{host} cannot be reached, or broke off")


def _header(response: httpcore.Response, name: bytes) -> str | None:
    for field, value in response.headers:
        if field.lower() == name:
            return value.decode("latin-1")
    return None


def _ssl_context(ca_file: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca_file is not None:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError) as error:
            raise StoreError(f"{ca_file}: no certificate authority can be read from it ({error})") from error
    return context
