"""Who must come back is told when, and what a response says itself stays."""

from __future__ import annotations

from service.routes.headers import RETRY_SECONDS, add_retry_after


def test_whoever_must_come_back_is_told_when() -> None:
    for status, seconds in RETRY_SECONDS.items():
        headers: dict[str, str] = {}
        add_retry_after(headers, status)
        assert headers == {"Retry-After": str(seconds)}
    known = {"Retry-After": "30"}
    add_retry_after(known, 503)
    assert known == {"Retry-After": "30"}
    done: dict[str, str] = {}
    add_retry_after(done, 200)
    assert done == {}
