"""Options that commands share: files, lengths, the home folder and a profile."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from workbench.analysis.workspace import Workspace
from workbench.cli.options import FILE, NewFile, Seconds, home_option, profile_option, workspace_option
from workbench.errors import ParameterError
from workbench.params import WorkbenchParams
from workbench.store.home import Home


@pytest.mark.parametrize(("given", "seconds"), [("1", 1.0), ("2.5", 2.5), ("10", 10.0), ("0:02.5", 2.5)])
def test_lengths_within_bounds_are_seconds(given: str, seconds: float) -> None:
    assert Seconds(1.0, 10.0).convert(given, None, None) == seconds


@pytest.mark.parametrize("given", ["0.9", "11", "nan", "inf", "soon", "0:00.9", "0:00", "0:61", "1:00", "0:soon"])
def test_other_lengths_are_usage_errors(given: str) -> None:
    with pytest.raises(click.BadParameter):
        Seconds(1.0, 10.0).convert(given, None, None)


def test_a_length_of_nothing_may_be_written_as_a_time() -> None:
    assert Seconds(0.0, 10.0).convert("0:00", None, None) == 0.0


def test_a_new_file_needs_a_folder_to_lie_in(tmp_path: Path) -> None:
    assert NewFile().convert(str(tmp_path / "new.json"), None, None) == tmp_path / "new.json"
    with pytest.raises(click.BadParameter, match="this is a folder; name a file in it"):
        NewFile().convert(str(tmp_path), None, None)
    with pytest.raises(click.BadParameter, match="there is no folder"):
        NewFile().convert(str(tmp_path / "none" / "new.json"), None, None)


def test_a_new_file_may_be_standard_output_or_what_a_link_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert NewFile().convert("-", None, None) == Path("-")
    assert NewFile().convert("./-", None, None) == tmp_path / "-"
    (tmp_path / "link").symlink_to("none/new.json")
    with pytest.raises(click.BadParameter, match=f"there is no folder {tmp_path / 'none'}"):
        NewFile().convert("link", None, None)


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


@pytest.mark.parametrize("given", ["song.wav", "./song.wav", "link.wav"])
@pytest.mark.parametrize("reads", [("song.wav",), ("other.wav", "--video", "song.wav"), ("-", "--from", "song.wav")])
def test_no_file_that_is_read_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, reads: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "song.wav").write_text("music")
    (tmp_path / "link.wav").symlink_to("song.wav")
    runner, command = CliRunner(), _writing_command()
    home = ["--home", str(tmp_path / "home")]
    done = runner.invoke(command, [*reads, "-o", given, *home])
    assert done.exit_code == 2
    assert f"{Path(given)} is also read by this command; name another file" in done.output
    assert not (tmp_path / "home").exists()
    assert runner.invoke(command, [*reads, "-o", "new.wav", *home]).exit_code == 0


def test_one_file_is_not_written_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runner, command = CliRunner(), _writing_command()
    done = runner.invoke(command, ["song", "-o", "new.png", "--picture", "./new.png", "--home", "home"])
    assert done.exit_code == 2
    assert "new.png is named for two things to write" in done.output


def test_a_choice_called_like_the_output_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edl").write_text("an edit")
    arguments = ["song", "--format", "edl", "-o", "edl", "--home", "home"]
    assert CliRunner().invoke(_writing_command(), arguments).exit_code == 0


def _writing_command() -> click.Command:
    @click.command()
    @click.argument("track")
    @click.option("--video", type=FILE)
    @click.option("--from", "sources", type=FILE, multiple=True)
    @click.option("--format", "format_name", type=click.Choice(["edl"]))
    @click.option("-o", "--output", "out", type=NewFile())
    @click.option("--picture", type=NewFile())
    @workspace_option
    def command(workspace: Workspace, **named: object) -> None:
        pass

    return command


def test_a_command_may_ask_for_the_folder_alone(tmp_path: Path) -> None:
    seen: list[Home] = []

    @click.command()
    @home_option
    def command(home: Home) -> None:
        seen.append(home)

    assert CliRunner().invoke(command, ["--home", str(tmp_path / "home")]).exit_code == 0
    assert seen[0].root == tmp_path / "home"
    assert not seen[0].root.exists()


def test_parts_of_others_are_named_beside_a_profile(tmp_path: Path) -> None:
    seen: list[WorkbenchParams] = []

    @click.command()
    @profile_option
    @workspace_option
    def command(workspace: Workspace) -> None:
        seen.append(workspace.params)

    profile = tmp_path / "theirs.toml"
    profile.write_text('[sections]\nfinder = "halves"\n[seams]\nmeasures = ["chroma=2"]\n')
    home = ["--home", str(tmp_path / "home"), "--profile", str(profile)]
    uses = ["--use", "voice-detector=labels:Rttm", "--use", "seam-measure=timbre=0.5"]
    done = CliRunner().invoke(command, [*uses, *home], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert (seen[0].sections.finder, seen[0].voice.detector) == ("halves", "labels:Rttm")
    assert seen[0].seams.measures == ("chroma=2", "timbre=0.5")
    wrong = CliRunner().invoke(command, ["--use", "voice=rttm", *home])
    assert isinstance(wrong.exception, ParameterError)
