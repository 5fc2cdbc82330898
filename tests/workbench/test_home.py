"""One folder holds all state; where it is, is chosen in one order."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import StoreError
from workbench.home import Home
from workbench.settings import WorkbenchSettings


def test_the_option_wins_over_the_setting_over_the_platform(tmp_path: Path) -> None:
    settings = WorkbenchSettings(home=tmp_path / "set")
    assert Home.chosen(settings, tmp_path / "given").root == tmp_path / "given"
    assert Home.chosen(settings).root == tmp_path / "set"
    assert "barline-workbench" in str(Home.chosen(WorkbenchSettings(home=None)).root)


def test_every_part_lies_in_it_and_has_a_place_of_its_own(tmp_path: Path) -> None:
    home = Home(tmp_path)
    parts = [getattr(home, name) for name, part in vars(Home).items() if isinstance(part, property)]
    assert home.database in parts
    assert {part.parent for part in parts} == {tmp_path}
    assert len(set(parts)) == len(parts)
    assert list(tmp_path.iterdir()) == []


def test_it_is_made_when_needed(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "b")
    assert home.prepared() == tmp_path / "a" / "b"
    assert home.prepared(home.renders).is_dir()


def test_a_place_that_cannot_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        Home(tmp_path / "file" / "home").prepared()
