"""What a browser may load, as every response says it."""

from __future__ import annotations

import re

import httpx
import pytest

from workbench.dashboards.access import content_security_policy

PATIENCE_SECONDS = 60.0
"""for a page to be made, on a machine that does other things too"""


def test_only_a_nonce_lets_inline_scripts_run() -> None:
    assert "nonce" not in content_security_policy()
    policy = dict(rule.split(" ", 1) for rule in content_security_policy("abc").split("; "))
    assert policy["script-src"] == "'self' blob: 'nonce-abc'"
    assert "nonce" not in policy["style-src"]


@pytest.mark.parametrize(
    "path", ["/", "/sounds/track.wav", "/static/js/bokeh.min.js", "/assets/figures.js", "/nothing"]
)
@pytest.mark.parametrize("root", ["open_root", "kept_root"])
def test_every_response_forbids_to_load_from_elsewhere(request: pytest.FixtureRequest, root: str, path: str) -> None:
    answer = httpx.get(request.getfixturevalue(root) + path, timeout=PATIENCE_SECONDS)
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
    for _ in range(2):
        answer = httpx.get(open_root, timeout=PATIENCE_SECONDS)
        scripts = re.findall(r"<script[^>]*>", answer.text)
        marked = {re.search(r'nonce="([\w-]+)"', script) for script in scripts}
        assert None not in marked
        (word,) = {found[1] for found in marked if found is not None}
        assert f"'nonce-{word}'" in answer.headers["content-security-policy"]
        assert int(answer.headers["content-length"]) == len(answer.content)
        words.append(word)
    assert words[0] != words[1]
