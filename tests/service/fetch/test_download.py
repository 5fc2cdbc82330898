"""Fetching: what may be called, what a server may do to us, and what lies in the folder afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import trustme

from service.fetch.addresses import FetchError
from service.fetch.download import FetchLimits, download
from tests.service.sites import serving

BODY = bytes(range(256)) * 4096
Answering = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Site:
    """An https server on this machine, and the headers of the requests that came."""

    port: int
    seen: list[dict[str, str]]

    def url(self, path: str, host: str = "localhost") -> str:
        return f"https://{host}:{self.port}{path}"


def whole(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "video/mp4")
    handler.send_header("Content-Length", str(len(BODY)))
    handler.end_headers()
    handler.wfile.write(BODY)


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(BODY)


def cut_short(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(BODY)))
    handler.end_headers()
    handler.wfile.write(BODY[:1000])


def silent(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.settimeout(10)
    with suppress(OSError):
        handler.rfile.read(1)


def sent_on(target: str) -> Answering:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", target)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def missing(handler: BaseHTTPRequestHandler) -> None:
    handler.send_error(404)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def site(authority: trustme.CA) -> Iterator[Site]:
    answers: dict[str, Answering] = {
        "/whole.mp4": whole,
        "/share?id=1": sent_on("/whole.mp4"),
        "/around": sent_on("/around"),
        "/plain": sent_on("http://localhost/whole.mp4"),
        "/inside": sent_on("https://10.0.0.1/secret"),
        "/metadata": sent_on("https://169.254.169.254/latest"),
        "/password": sent_on("https://user:secret@localhost/"),
        "/nowhere": sent_on(""),
        "/endless": endless,
        "/short": cut_short,
        "/silent": silent,
        "/missing": missing,
    }
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(dict(self.headers))
            answers[self.path](self)

        def log_message(self, *args: object) -> None:
            pass

    with serving(Handler, authority.issue_cert("localhost", "127.0.0.1")) as port:
        yield Site(port, seen)


@pytest.fixture
def limits(authority: trustme.CA, tmp_path: Path) -> FetchLimits:
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    return FetchLimits(2**21, 20.0, ("localhost",), file)


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"ca.pem"}


def test_a_file_arrives_whole_without_anything_that_could_identify_us(
    site: Site, limits: FetchLimits, tmp_path: Path
) -> None:
    download(site.url("/whole.mp4"), tmp_path / "video", limits)
    assert (tmp_path / "video").read_bytes() == BODY
    assert not {"Authorization", "Cookie", "Referer"} & set(site.seen[-1])
    assert left_in(tmp_path) == {"video"}


def test_a_share_link_leads_to_its_file(site: Site, limits: FetchLimits, tmp_path: Path) -> None:
    download(site.url("/share?id=1"), tmp_path / "video", limits)
    assert (tmp_path / "video").read_bytes() == BODY


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/around", "more than 5 redirects"),
        ("/plain", "only https"),
        ("/inside", "not public"),
        ("/metadata", "not public"),
        ("/password", "must not carry"),
        ("/endless", "more than the 2097152 bytes"),
        ("/short", "broke off"),
        ("/missing", "answers 404"),
    ],
)
def test_what_a_server_may_not_do(site: Site, limits: FetchLimits, tmp_path: Path, path: str, said: str) -> None:
    with pytest.raises(FetchError, match=said):
        download(site.url(path), tmp_path / "video", limits)
    assert left_in(tmp_path) == set()


def test_a_server_that_says_nothing_is_left(site: Site, limits: FetchLimits, tmp_path: Path) -> None:
    brief = FetchLimits(limits.max_bytes, 0.5, limits.allow_hosts, limits.ca_file)
    with pytest.raises(FetchError, match="in time"):
        download(site.url("/silent"), tmp_path / "video", brief)


def test_a_length_that_is_too_much_is_refused_before_it_comes(site: Site, limits: FetchLimits, tmp_path: Path) -> None:
    small = FetchLimits(1000, limits.timeout_seconds, limits.allow_hosts, limits.ca_file)
    with pytest.raises(FetchError, match=f"has {len(BODY)} bytes"):
        download(site.url("/whole.mp4"), tmp_path / "video", small)


def test_a_fetch_can_be_stopped(site: Site, limits: FetchLimits, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="stopped"):
        download(site.url("/whole.mp4"), tmp_path / "video", limits, stop=lambda: True)
    assert left_in(tmp_path) == set()


def test_a_private_address_needs_to_be_allowed_by_name(site: Site, limits: FetchLimits, tmp_path: Path) -> None:
    strict = FetchLimits(limits.max_bytes, limits.timeout_seconds, (), limits.ca_file)
    for host in ("localhost", "127.0.0.1"):
        with pytest.raises(FetchError, match="not public"):
            download(site.url("/whole.mp4", host), tmp_path / "video", strict)


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(site: Site, limits: FetchLimits, tmp_path: Path) -> None:
    unsure = FetchLimits(limits.max_bytes, limits.timeout_seconds, limits.allow_hosts, None)
    with pytest.raises(FetchError, match="certificate"):
        download(site.url("/whole.mp4"), tmp_path / "video", unsure)


def test_a_name_that_leads_nowhere_is_named(limits: FetchLimits, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"no host called nowhere\.invalid"):
        download("https://nowhere.invalid/a.mp4", tmp_path / "video", limits)
