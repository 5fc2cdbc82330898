"""Who may see the page, over HTTP as a browser would ask."""

from __future__ import annotations

import httpx
import pytest

from workbench.dashboards.access import SHORTEST_KEY, is_loopback, new_key


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True), ("127.8.0.1", True), ("::1", True), ("localhost", True),
        ("0.0.0.0", False), ("192.168.1.4", False), ("::", False), ("studio.example", False),
    ],
)  # fmt: skip
def test_only_the_loopback_interface_is_this_machine(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_a_new_key_is_long_and_another_one_each_time() -> None:
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100
    assert min(len(key) for key in keys) >= SHORTEST_KEY


@pytest.mark.parametrize("path", ["/", "/ws", "/sounds/track.wav", "/static/js/bokeh.min.js", "/uploads/x", "/nothing"])
def test_without_the_key_every_address_asks_for_it(kept_root: str, path: str) -> None:
    answer = httpx.get(kept_root + path)
    assert answer.status_code == 401
    assert "key" in answer.text
    wrong = httpx.get(kept_root + path, params={"key": "another-secret-of-ours"})
    assert wrong.status_code == 401


def test_the_key_is_taken_out_of_the_address_and_opens_the_files(kept_root: str, key: str) -> None:
    with httpx.Client(base_url=kept_root) as client:
        answer = client.get("/", params={"key": key, "theme": "dark"})
        assert (answer.status_code, answer.headers["location"]) == (302, "/?theme=dark")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert key not in cookie
        assert client.get("/sounds/track.wav").content == bytes(range(100))


def test_a_websocket_is_opened_with_the_key_only(kept_root: str) -> None:
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    assert httpx.get(kept_root + "/ws", headers=upgrade).status_code == 401


def test_this_machine_answers_to_its_own_names_only(open_root: str) -> None:
    assert httpx.get(open_root + "/sounds/track.wav", headers={"Host": "rebound.example"}).status_code == 403
