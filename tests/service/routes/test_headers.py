"""Security headers are on every response, what a response set itself stays, and waiting has a length."""

from __future__ import annotations

from service.routes.headers import (
    DOCS_POLICY,
    RATE_HEADERS,
    RETRY_SECONDS,
    add_rate_headers,
    add_retry_after,
    add_security_headers,
)


def test_a_browser_loads_nothing_and_guesses_nothing() -> None:
    headers: dict[str, str] = {"X-Own": "1"}
    add_security_headers(headers)
    assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Own"] == "1"


def test_the_page_keeps_its_own_policy_which_names_no_other_host() -> None:
    headers = {"Content-Security-Policy": DOCS_POLICY}
    add_security_headers(headers)
    assert headers["Content-Security-Policy"] == DOCS_POLICY
    assert DOCS_POLICY.startswith("default-src 'none'")
    assert "http" not in DOCS_POLICY
    assert "script-src 'self';" in DOCS_POLICY


def test_the_rate_is_told_in_the_ietfs_words_and_in_the_older_ones() -> None:
    headers: dict[str, str] = {}
    add_rate_headers(headers, limit=60, window_seconds=60.0, remaining=12, seconds_left=43)
    assert headers == {
        "RateLimit-Policy": '"key";q=60;w=60',
        "RateLimit": '"key";r=12;t=43',
        "X-RateLimit-Limit": "60",
        "X-RateLimit-Remaining": "12",
    }
    assert set(headers) == set(RATE_HEADERS)


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
