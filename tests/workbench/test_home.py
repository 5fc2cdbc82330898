"""One folder holds all state; where it is, is chosen in one order."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from workbench.errors import StoreError
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings


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


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o700), (0o002, 0o770), (0o077, 0o700), (0o027, 0o750)])
def test_a_new_home_is_private_but_for_a_group_that_is_let_in(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        root = Home(tmp_path / "home").prepared()
    finally:
        os.umask(before)
    assert stat.S_IMODE(root.stat().st_mode) == mode


@pytest.mark.parametrize(("given", "mode"), [(0o755, 0o700), (0o2775, 0o2770), (0o750, 0o750), (0o777, 0o777)])
def test_an_empty_folder_becomes_private_and_one_in_use_keeps_its_mode(tmp_path: Path, given: int, mode: int) -> None:
    home = Home(tmp_path / "home")
    home.root.mkdir()
    home.root.chmod(given)
    home.prepared(home.uploads)
    assert stat.S_IMODE(home.root.stat().st_mode) == mode
    home.root.chmod(given)
    home.prepared()
    assert stat.S_IMODE(home.root.stat().st_mode) == given


def test_whether_other_users_can_read_it(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert not home.is_open_to_others()
    home.prepared(home.uploads)
    assert not home.is_open_to_others()
    home.uploads.chmod(0o755)
    home.root.chmod(0o755)
    assert home.is_open_to_others()
    home.uploads.chmod(0o700)
    assert not home.is_open_to_others()


def test_a_place_that_cannot_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        Home(tmp_path / "file" / "home").prepared()
