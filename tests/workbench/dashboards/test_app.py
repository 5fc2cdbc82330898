"""Who may see the page, over HTTP as a browser would ask."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from bokeh.io.state import curstate
from bokeh.models import ImportedStyleSheet
from tornado.ioloop import IOLoop

from workbench.dashboards.app import make_server
from workbench.errors import ParameterError
from workbench.home import Home
from workbench.workspace import Workspace

KEY = "a-long-secret-of-ours"


@contextmanager
def served(home: Path, key: str | None) -> Iterator[str]:
    """The address of a server in a thread of its own."""
    ready, addresses, loops = threading.Event(), [], []

    def serve() -> None:
        server = make_server(Workspace(Home(home)), key=key)
        server.start()
        addresses.append(f"http://127.0.0.1:{server.port}")
        loops.append(server.io_loop)
        ready.set()
        server.io_loop.start()
        server.stop()

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(60)
    try:
        yield addresses[0]
    finally:
        loop: IOLoop = loops[0]
        loop.add_callback(loop.stop)
        thread.join()
        # Bokeh keeps one current document a process, and pages made close together leave the last one there: a session
        # of a later test would deliver its results to a page that nobody serves any more.
        curstate().reset()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one file to listen to."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "renders" / "dashboard"
    folder.mkdir(parents=True)
    (folder / "track.wav").write_bytes(bytes(range(100)))
    return home


@pytest.fixture(scope="module")
def open_root(home: Path) -> Iterator[str]:
    """A server for this machine."""
    with served(home, None) as root:
        yield root


@pytest.fixture(scope="module")
def kept_root(home: Path) -> Iterator[str]:
    """A server with a key."""
    with served(home, KEY) as root:
        yield root


@pytest.mark.parametrize("path", ["/", "/ws", "/sounds/track.wav", "/static/js/bokeh.min.js", "/uploads/x", "/nothing"])
def test_without_the_key_every_address_asks_for_it(kept_root: str, path: str) -> None:
    answer = httpx.get(kept_root + path)
    assert answer.status_code == 401
    assert "key" in answer.text
    wrong = httpx.get(kept_root + path, params={"key": "another-secret-of-ours"})
    assert wrong.status_code == 401


def test_the_key_is_taken_out_of_the_address_and_opens_the_files(kept_root: str) -> None:
    with httpx.Client(base_url=kept_root) as client:
        answer = client.get("/", params={"key": KEY, "theme": "dark"})
        assert (answer.status_code, answer.headers["location"]) == (302, "/?theme=dark")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert KEY not in cookie
        assert client.get("/sounds/track.wav").content == bytes(range(100))


def test_a_websocket_is_opened_with_the_key_only(kept_root: str) -> None:
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    assert httpx.get(kept_root + "/ws", headers=upgrade).status_code == 401


def test_sounds_come_in_ranges(open_root: str) -> None:
    answer = httpx.get(open_root + "/sounds/track.wav", headers={"Range": "bytes=10-19"})
    assert (answer.status_code, answer.content) == (206, bytes(range(10, 20)))
    assert httpx.get(open_root + "/sounds/../../workbench.sqlite").status_code in (403, 404)


def test_this_machine_answers_to_its_own_names_only(open_root: str) -> None:
    assert httpx.get(open_root + "/sounds/track.wav", headers={"Host": "rebound.example"}).status_code == 403


def test_a_dropped_file_arrives_whole_under_a_safe_name(open_root: str, home: Path) -> None:
    sound = bytes(300_000)
    answer = httpx.put(open_root + "/uploads/..%2Fmy%20track.wav", content=sound, headers={"X-Workbench": "upload"})
    assert answer.json() == {"name": "my track.wav"}
    assert (home / "uploads" / "dashboard" / "my track.wav").read_bytes() == sound
    assert [path.name for path in (home / "uploads" / "dashboard").iterdir()] == ["my track.wav"]


@pytest.mark.parametrize(
    "path", ["/", "/sounds/track.wav", "/static/js/bokeh.min.js", "/assets/figures.js", "/nothing"]
)
@pytest.mark.parametrize("root", ["open_root", "kept_root"])
def test_every_response_forbids_to_load_from_elsewhere(request: pytest.FixtureRequest, root: str, path: str) -> None:
    answer = httpx.get(request.getfixturevalue(root) + path)
    policy = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    sources = {source for rule in policy.values() for source in rule.split()}
    assert not {source for source in sources if "." in source or "*" in source or source.endswith("//")}
    assert "'unsafe-eval'" not in sources
    assert "'unsafe-inline'" not in policy["script-src"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_each_page_knows_its_own_scripts_by_a_word_that_is_never_used_again(open_root: str) -> None:
    words = []
    for answer in (httpx.get(open_root), httpx.get(open_root)):
        scripts = re.findall(r"<script[^>]*>", answer.text)
        marked = {re.search(r'nonce="([\w-]+)"', script) for script in scripts}
        assert None not in marked
        (word,) = {found[1] for found in marked if found is not None}
        assert f"'nonce-{word}'" in answer.headers["content-security-policy"]
        assert int(answer.headers["content-length"]) == len(answer.content)
        words.append(word)
    assert words[0] != words[1]


def test_a_page_that_is_made_without_html_names_no_other_host(home: Path) -> None:
    """As a page is that connects again after its session was discarded."""
    server = make_server(Workspace(Home(home)))
    try:
        document = server._tornado.applications["/"].application.create_document()
        models = (model for root in document.roots for model in root.references())
        sheets = {str(model.url) for model in models if isinstance(model, ImportedStyleSheet)}
        assert any(url.startswith("static/extensions/panel/css/loading.css") for url in sheets)
        assert [url for url in sheets if "://" in url] == []
    finally:
        server.stop()


def test_a_form_of_another_site_cannot_upload(open_root: str) -> None:
    assert httpx.put(open_root + "/uploads/x.wav", content=b"x").status_code == 405
    assert httpx.post(open_root + "/uploads/x.wav", content=b"x").status_code == 405


@pytest.mark.parametrize(("host", "key"), [("0.0.0.0", None), ("127.0.0.1", "short")])
def test_other_machines_need_a_key_and_a_key_needs_length(tmp_path: Path, host: str, key: str | None) -> None:
    with pytest.raises(ParameterError, match="key"):
        make_server(Workspace(Home(tmp_path)), host=host, key=key)
