"""`workbench demo`: lengths that it cannot have are refused at once; all of it runs in tests/end_to_end."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli


@pytest.mark.parametrize("seconds", ["0.5", "36001", "nan"])
def test_a_length_out_of_range_writes_nothing(seconds: str, workbench: Cli, tmp_path: Path) -> None:
    err = workbench.refused(2, "demo", "--seconds", seconds, "--home", tmp_path / "home")
    assert "--seconds" in err
    assert not (tmp_path / "home").exists()
