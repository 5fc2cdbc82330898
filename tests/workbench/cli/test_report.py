"""`workbench report`: what cannot be run or written is said before anything is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def test_a_notebook_that_there_is_not_is_named(workbench: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    code, out, err = workbench("report", "reports/nothing", "-o", tmp_path / "out.html", "--home", tmp_path / "home")
    assert (code, out) == (1, "")
    assert "reports/nothing" in err
    assert not (tmp_path / "out.html").exists()


def test_a_folder_that_there_is_not_is_a_usage_error(
    workbench: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, _, err = workbench("report", "reports/track", "-o", tmp_path / "none" / "out.html")
    assert code == 2
    assert "there is no folder" in err
    assert workbench("report", "reports/track")[0] == 2
