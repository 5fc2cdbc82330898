"""The name of a reviewer, as a browser keeps it."""

from __future__ import annotations

from workbench.dashboards.reviewer import known_reviewer


def test_a_name_that_a_browser_has_kept_is_known() -> None:
    assert known_reviewer({"workbench-reviewer": "Zo%C3%AB%20M%C3%BCller", "workbench-theme": "dark"}) == "Zoë Müller"
    assert known_reviewer({}) == ""
    assert len(known_reviewer({"workbench-reviewer": "x" * 1000})) == 80
