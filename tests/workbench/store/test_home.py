"""The home folder, and what is read from it: settings, profiles and the clock."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workbench.errors import ParameterError, StoreError
from workbench.params import CoverParams, RenderParams, SeamParams, WorkbenchParams
from workbench.params.loops import SeamModel
from workbench.store import clock
from workbench.store.clock import now
from workbench.store.home import Home
from workbench.store.profiles import load_profile, save_profile
from workbench.store.settings import WorkbenchSettings, load_settings


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


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_CACHE_MAX_BYTES", "1000")
    monkeypatch.setenv("WORKBENCH_SOMETHING_OF_THE_SERVICE", "1")
    settings = load_settings()
    assert (settings.home, settings.cache_max_bytes) == (tmp_path, 1000)


def test_a_bad_value_is_one_line_that_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_LOG_LEVEL", "loud")
    with pytest.raises(ParameterError, match="WORKBENCH_LOG_LEVEL='loud'") as caught:
        load_settings()
    assert "\n" not in str(caught.value)


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description for field in WorkbenchSettings.model_fields.values())


TUNED = WorkbenchParams(cover=CoverParams(required_excess_seconds=12.5), render=RenderParams(ceiling_dbtp=-2.0))


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("params", [TUNED, WorkbenchParams()])
def test_what_was_saved_is_loaded(tmp_path: Path, suffix: str, params: WorkbenchParams) -> None:
    path = save_profile(params, tmp_path / f"a{suffix}")
    assert load_profile(path) == params
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


def test_a_file_names_only_what_was_tuned(tmp_path: Path) -> None:
    text = save_profile(TUNED, tmp_path / "a.toml").read_text()
    assert text == "[cover]\nrequired_excess_seconds = 12.5\n\n[render]\nceiling_dbtp = -2.0\n"
    values = json.loads(save_profile(TUNED, tmp_path / "a.json").read_text())
    assert values == {"cover": {"required_excess_seconds": 12.5}, "render": {"ceiling_dbtp": -2.0}}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[cover]\nrequired_excess_seconds = -1\n", ["cover.required_excess_seconds", "greater than", "-1"]),
        ("[cover]\nrequired_access = 1\n", ["cover.required_access", "unknown", "required_excess_seconds"]),
        ("[covers]\nx = 1\n", ["covers", "unknown", "cover, "]),
        ('"duck.under_voice_lu" = 20.0\n', ["duck.under_voice_lu", '{"duck": {"under_voice_lu": ...}}']),
        ("[render]\nblock_seconds = nan\n", ["render.block_seconds"]),
        ("cover = 3\n", ["cover"]),
        ("[cover\n", ["not a profile file"]),
        ("[seams.model]\npulse_weight = 2.0\n", ["seams.model", "does not hold fitted numbers"]),
        ("[models.seams]\npulse_weight = 2.0\n", ["models", "unknown"]),
    ],
)
def test_a_mistake_names_file_and_field(tmp_path: Path, text: str, parts: list[str]) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(ParameterError) as caught:
        load_profile(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_a_profile_does_not_hold_fitted_numbers(tmp_path: Path) -> None:
    varied = WorkbenchParams(seams=SeamParams(model=SeamModel(pulse_weight=2.0)))
    with pytest.raises(ParameterError, match=r"seams\.model: a profile does not hold fitted numbers"):
        save_profile(varied, tmp_path / "a.toml")
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_profile(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1, 2]")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ParameterError, match="no such profile"):
        load_profile(tmp_path / "none.toml")
    with pytest.raises(ParameterError, match=r"\.toml or \.json"):
        load_profile(tmp_path / "a.yaml")
    with pytest.raises(ParameterError, match=r"a\.json"):
        load_profile(tmp_path / "a.json")
    with pytest.raises(ParameterError, match="not a profile file"):
        load_profile(tmp_path / "b.json")
    with pytest.raises(StoreError, match="cannot be written"):
        save_profile(TUNED, tmp_path / "nowhere" / "a.toml")


class Stopped:
    """A clock that stands still."""

    def wall_seconds(self) -> float:
        return 1_000_000_000.25

    def monotonic_seconds(self) -> float:
        return 7.0


def test_the_machines_clock_is_the_usual_one() -> None:
    assert abs(clock.utc_now() - datetime.now(UTC)) < timedelta(minutes=1)
    assert clock.monotonic_seconds() <= clock.monotonic_seconds()


def test_another_clock_tells_the_time_until_its_block_ends() -> None:
    with clock.using(Stopped()):
        assert (clock.wall_seconds(), clock.monotonic_seconds()) == (1_000_000_000.25, 7.0)
        assert now() == "2001-09-09T01:46:40.250000+00:00"
    assert clock.utc_now().year > 2001
