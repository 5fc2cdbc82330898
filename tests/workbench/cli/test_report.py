"""`workbench report`: what cannot be run or written is said before anything is run."""

from __future__ import annotations

from pathlib import Path

from .conftest import Cli


def test_a_notebook_that_there_is_not_is_named(workbench: Cli, tmp_path: Path) -> None:
    err = workbench.refused(1, "report", "reports/nothing", "-o", tmp_path / "out.html", "--home", tmp_path / "home")
    assert "reports/nothing" in err
    assert not (tmp_path / "out.html").exists()


def test_a_folder_that_there_is_not_is_a_usage_error(workbench: Cli, tmp_path: Path) -> None:
    err = workbench.refused(2, "report", "reports/track", "-o", tmp_path / "none" / "out.html")
    assert "there is no folder" in err
    assert workbench("report", "reports/track")[0] == 2


def test_a_plan_is_its_own_report(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    """The page that `loop --report` writes, from the track beside the plan; no catalog knows it by another name."""
    track = tmp_path / track_file.name
    track.write_bytes(track_file.read_bytes())
    plan, pages = tmp_path / "plan.json", (tmp_path / "then.html", tmp_path / "later.html")
    here = ("--home", tmp_path / "home")
    workbench.done("loop", track, "--seconds", 90, "-o", plan, "--report", pages[0], *here)
    workbench.done("report", plan, "-o", pages[1], *here)
    assert pages[0].read_bytes() == pages[1].read_bytes()
    err = workbench.refused(1, "report", plan, "--option", 99, "-o", pages[1], *here)
    assert "plan.json" in err
