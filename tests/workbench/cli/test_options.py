"""Options that commands share: files, lengths, the home folder and a profile."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from workbench.cli.options import NewFile, Seconds, home_option, profile_option, workspace_option
from workbench.home import Home
from workbench.params import WorkbenchParams
from workbench.workspace import Workspace


@pytest.mark.parametrize(("given", "seconds"), [("1", 1.0), ("2.5", 2.5), ("10", 10.0)])
def test_lengths_within_bounds_are_seconds(given: str, seconds: float) -> None:
    assert Seconds(1.0, 10.0).convert(given, None, None) == seconds


@pytest.mark.parametrize("given", ["0.9", "11", "nan", "inf", "soon"])
def test_other_lengths_are_usage_errors(given: str) -> None:
    with pytest.raises(click.BadParameter):
        Seconds(1.0, 10.0).convert(given, None, None)


def test_a_new_file_needs_a_folder_to_lie_in(tmp_path: Path) -> None:
    assert NewFile().convert(str(tmp_path / "new.json"), None, None) == tmp_path / "new.json"
    with pytest.raises(click.BadParameter, match="this is a folder; name a file in it"):
        NewFile().convert(str(tmp_path), None, None)
    with pytest.raises(click.BadParameter, match="there is no folder"):
        NewFile().convert(str(tmp_path / "none" / "new.json"), None, None)


def test_a_command_is_given_a_workspace_of_its_home_and_profile(tmp_path: Path) -> None:
    seen: list[Workspace] = []

    @click.command()
    @profile_option
    @workspace_option
    def command(workspace: Workspace) -> None:
        seen.append(workspace)

    profile = tmp_path / "a.toml"
    profile.write_text("[cover]\nrequired_excess_seconds = 12.5\n")
    runner = CliRunner()
    assert runner.invoke(command, ["--home", str(tmp_path / "home"), "--profile", str(profile)]).exit_code == 0
    assert runner.invoke(command, env={"WORKBENCH_HOME": str(tmp_path / "other")}).exit_code == 0
    assert [workspace.home.root for workspace in seen] == [tmp_path / "home", tmp_path / "other"]
    assert seen[0].params.cover.required_excess_seconds == 12.5
    assert seen[1].params == WorkbenchParams()


def test_a_command_may_ask_for_the_folder_alone(tmp_path: Path) -> None:
    seen: list[Home] = []

    @click.command()
    @home_option
    def command(home: Home) -> None:
        seen.append(home)

    assert CliRunner().invoke(command, ["--home", str(tmp_path / "home")]).exit_code == 0
    assert seen[0].root == tmp_path / "home"
    assert not seen[0].root.exists()
