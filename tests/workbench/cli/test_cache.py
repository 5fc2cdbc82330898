"""The cache is counted and pruned, and what was pruned is made again."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Cli


def test_what_is_pruned_costs_time_and_nothing_else(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    grid, _ = workbench.done("beats", track_file, "--home", home)
    _, out, _ = workbench("cache", "--home", home)
    filled = json.loads(out)
    assert filled["folder"].startswith(str(home))
    assert filled["bytes"] > 0
    code, out, _ = workbench("cache", "--home", home, "prune", "--max-bytes", 0)
    pruned = json.loads(out)
    assert code == 0
    assert pruned["freed_bytes"] == filled["bytes"]
    assert pruned["bytes"] == 0
    code, out, _ = workbench("cache", "prune", "--home", home, "--max-bytes", 0)
    assert json.loads(out)["freed_bytes"] == 0
    assert workbench("beats", track_file, "--home", home)[1] == grid


def test_less_than_nothing_is_a_usage_error(workbench: Cli, tmp_path: Path) -> None:
    assert workbench("cache", "prune", "--home", tmp_path, "--max-bytes", -1)[0] == 2
