"""The name of a reviewer, as a browser keeps it."""

from __future__ import annotations

from workbench.dashboards.reviewer import _COOKIE, _MOST_LETTERS, known_reviewer
from workbench.dashboards.styles import ASSETS


def test_a_name_that_a_browser_has_kept_is_known() -> None:
    assert known_reviewer({"workbench-reviewer": "Zo%C3%AB%20M%C3%BCller", "workbench-theme": "dark"}) == "Zoë Müller"
    assert known_reviewer({}) == ""
    assert len(known_reviewer({"workbench-reviewer": "x" * 1000})) == 80


def test_the_page_keeps_the_name_where_the_server_looks_for_it() -> None:
    page = (ASSETS / "reviewer.js").read_text(encoding="utf-8")
    assert f'KEPT = "{_COOKIE}"' in page
    assert f"maxLength: {_MOST_LETTERS}" in page
    assert "SameSite=Lax" in page, "a Strict one is not sent where a link elsewhere leads to the page"
