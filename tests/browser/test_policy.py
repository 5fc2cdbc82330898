"""What a script that got into the page can reach, and that the page itself does nothing of the kind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser  # a browser, a server and its workers: minutes on two cores

ELSEWHERE = "https://elsewhere.example/x"
ATTEMPTS = {
    "img-src": f"add('img', {{src: '{ELSEWHERE}.png'}})",
    "style-src-elem": f"add('link', {{rel: 'stylesheet', href: '{ELSEWHERE}.css'}})",
    "connect-src": f"fetch('{ELSEWHERE}').catch(() => null)",
    "script-src-elem": f"add('script', {{src: '{ELSEWHERE}.js'}})",
    "media-src": f"new Audio('{ELSEWHERE}.wav').load()",
    "frame-src": f"add('iframe', {{src: '{ELSEWHERE}'}})",
    "script-src-attr": "document.body.insertAdjacentHTML('beforeend', '<img src=/none onerror=\"got = 1\">')",
    "script-src": "setTimeout(() => { try { eval('window.got = 2') } catch { } })",
}
"""by the directive that refuses it, as the browser names it"""
_DESCRIPTION = json.loads((files("service") / "openapi.json").read_text(encoding="utf-8"))
_OPERATIONS = sum(len(methods) for methods in _DESCRIPTION["paths"].values())
_PREPARED = """
window.refused = []
document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective))
window.add = (tag, properties) => document.body.append(Object.assign(document.createElement(tag), properties))
"""


@pytest.fixture
def visited(new_page: Callable[..., Any]) -> Iterator[Callable[[str], Any]]:
    """Opens an address, and remembers what its policy refused from then on."""
    opened = new_page()
    opened.add_init_script(_PREPARED)

    def visit(url: str) -> Any:
        opened.goto(url)
        return opened

    yield visit
    opened.close()


def test_a_script_in_the_page_reaches_no_other_host(dashboard: Any, visited: Callable[[str], Any]) -> None:
    page = visited(dashboard.url)
    page.locator(".time").first.wait_for()
    assert page.evaluate("refused") == []
    sent: list[str] = []
    page.on("requestfinished", lambda request: sent.append(request.url))
    for directive, attempt in ATTEMPTS.items():
        page.evaluate(f"() => {{ {attempt} }}")
        until_refused(page, directive)
    assert page.evaluate("window.got") is None
    assert [url for url in sent if url.startswith(ELSEWHERE)] == []


def test_the_page_of_the_interface_keeps_its_policy(tmp_path: Path, visited: Callable[[str], Any]) -> None:
    """Swagger UI shows every endpoint, opens one, and is refused nothing."""
    with serving(tmp_path) as url:
        page = visited(f"{url}/docs")
        expect(page.locator(".opblock")).to_have_count(_OPERATIONS)
        page.locator(".opblock-summary-control").first.click()
        expect(page.locator(".opblock.is-open")).to_have_count(1)
        assert page.evaluate("refused") == []
        page.evaluate(f"() => {{ {ATTEMPTS['img-src']} }}")
        until_refused(page, "img-src")


def until_refused(page: Any, directive: str) -> None:
    """Wait for a refusal; Playwright's own way to wait evaluates text, which the policy refuses too."""
    for _ in range(300):
        if directive in page.evaluate("refused"):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"{directive} was not refused; refused were {page.evaluate('refused')}")


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """The address of a service, without workers."""
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--no-jobs", "--home", str(home)]
    environment = {**os.environ, "WORKBENCH_HOME": str(home)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            said = next(line for line in process.stdout if line.startswith("listening on "))
            yield said.removeprefix("listening on ").strip()
        finally:
            process.terminate()
            process.communicate(timeout=120)
