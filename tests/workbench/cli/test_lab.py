"""`workbench lab`: its page says what it needs; the copy that it opens is tested in workflows/test_notebooks.py."""

from __future__ import annotations

from .conftest import Cli


def test_the_help_names_the_extra_and_where_the_copy_lies(workbench: Cli) -> None:
    out, _ = workbench.done("lab", "--help")
    assert "lab` extra" in out
    assert "notebooks/ in the home folder" in out
