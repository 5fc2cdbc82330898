"""A port for operators: what is asked there, and by whom."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from service.processes.health_port import Answer, answering, is_loopback_caller, json_answer
from service.processes.listening import listen


def said(path: str, caller: str) -> Answer:
    return json_answer(200 if path == "/readyz" else 404, f"{path} of {caller}")


@pytest.fixture(name="url")
def running() -> Iterator[str]:
    with listen("127.0.0.1", 0) as listening, answering(listening, said):
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_a_path_is_answered_with_its_caller_and_without_its_query(url: str) -> None:
    with httpx.Client(trust_env=False, timeout=60) as client:
        ready, other = client.get(f"{url}/readyz?full=1"), client.get(f"{url}/else")
    assert (ready.status_code, ready.json()) == (200, {"status": "/readyz of 127.0.0.1"})
    assert ready.headers["content-type"] == "application/json"
    assert other.status_code == 404


def test_a_head_request_has_the_headers_alone(url: str) -> None:
    with httpx.Client(trust_env=False, timeout=60) as client:
        full, head = client.get(f"{url}/readyz"), client.head(f"{url}/readyz")
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == full.headers["content-length"]


def test_two_may_answer_on_one_socket() -> None:
    with listen("127.0.0.1", 0) as listening, answering(listening.dup(), said), answering(listening.dup(), said):
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/readyz"
        assert {httpx.get(url, trust_env=False, timeout=60).status_code for _ in range(10)} == {200}


@pytest.mark.parametrize(
    ("address", "here"),
    [("127.0.0.1", True), ("::1", True), ("fe80::1%eth0", False), ("192.0.2.7", False), ("", True), ("nobody", False)],
)
def test_who_is_on_this_machine(address: str, here: bool) -> None:
    assert is_loopback_caller(address) is here
