"""A plan or placement on the command line: which is chosen, with which mix, and what is said of a file without one."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from tests.workbench.played import make_plan
from workbench.analysis.provenance import make_provenance
from workbench.analysis.workspace import Workspace
from workbench.cli.plan_files import ChosenMusic, read_music, resolve_music, say_other_streams
from workbench.cli.plan_options import AskedMusic
from workbench.errors import InputError, PlanError
from workbench.media.sound_streams import SoundChoice
from workbench.plans.plan import LoopPlan
from workbench.results.mix import MixBody
from workbench.results.plan import plan_body
from workbench.store.home import Home
from workbench.workflows.plan import plan_track, save_plan

from .conftest import Cli

MIX = {"voiceover": False, "classification": "ambient", "duck": None}


@pytest.fixture
def plan() -> LoopPlan:
    return make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(Home(tmp_path / "home")) as workspace:
        yield workspace


def write(path: Path, body: dict[str, Any]) -> Path:
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


def test_a_file_and_standard_input_hold_the_same_plan(
    plan: LoopPlan, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps({"plan": plan_body(plan).to_json(), "mix": MIX})
    file = tmp_path / "plan.json"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le"):  # as Windows editors and PowerShell's > save it
        file.write_bytes(text.encode(encoding))
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode(encoding))))
        for given in (file, Path("-")):
            chosen = read_music(workspace, AskedMusic(given), None)
            assert chosen == ChosenMusic(plan, 1, None, MixBody.model_validate(MIX))


def test_a_track_without_a_known_id_is_found_by_the_bytes_that_the_plan_was_made_from(
    track_file: Path, tmp_path: Path, workbench: Cli
) -> None:
    """The plan was made of a file, which was added to the catalog under an id afterwards, or on another machine."""
    (tmp_path / "mine").mkdir()
    given = shutil.copy(track_file, tmp_path / "mine" / "song.wav")
    file, home = tmp_path / "plan.json", ("--home", tmp_path / "home")
    with Workspace(Home(tmp_path / "home")) as workspace:
        save_plan(plan_track(workspace, given, 10.0), file)
    err = workbench.refused(2, "render", file, "-o", tmp_path / "none.wav", *home)
    assert "a render needs the track" in err
    (tmp_path / "song.wav").write_bytes(b"another recording of that name")
    err = workbench.refused(2, "render", file, "-o", tmp_path / "none.wav", *home)
    assert "no song.wav of these bytes beside the plan: give --track FILE" in err
    (tmp_path / "music").mkdir()
    shutil.move(given, tmp_path / "music" / "other name.wav")
    workbench.done("catalog", "add", tmp_path / "music", *home)
    workbench.done("render", file, "-o", tmp_path / "music.wav", *home)
    workbench.done("export", file, "--format", "rpp", "-o", tmp_path / "edit.rpp", *home)
    assert "other name.wav" in (tmp_path / "edit.rpp").read_text(encoding="utf-8")


def test_a_track_that_is_not_named_must_be_in_the_catalog(plan: LoopPlan, workspace: Workspace, tmp_path: Path) -> None:
    bare = write(tmp_path / "bare.json", plan_body(plan).to_json())
    with pytest.raises(click.UsageError, match=r"^a render needs the track: give --track FILE"):
        read_music(workspace, AskedMusic(bare), "a render")
    whole = write(tmp_path / "whole.json", {"track_id": "song.wav", "plan": plan_body(plan).to_json()})
    with pytest.raises(click.UsageError, match=r"^the catalog has no track song\.wav, and a render needs the track"):
        read_music(workspace, AskedMusic(whole), "a render")
    point = {"offset_seconds": 1.0, "score": 0.5, "label": "a"}
    placed = write(tmp_path / "placed.json", {"track_id": "song.wav", "sync_points": [point]})
    with pytest.raises(click.UsageError, match=r"^the catalog has no track song\.wav, and a placement needs the track"):
        read_music(workspace, AskedMusic(placed), None)


def test_a_mix_without_ducking_holds_for_every_option(plan: LoopPlan, workspace: Workspace) -> None:
    mix = MixBody.model_validate(MIX)
    assert resolve_music(workspace, ChosenMusic(plan, 2, None, mix), Path("not read.mp4")) == (plan, mix)


def test_only_a_mix_of_the_result_was_measured_on_other_streams(
    plan: LoopPlan, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """For another option the mix is measured again, on the streams that play."""
    mix, second = MixBody.model_validate(MIX), SoundChoice.parse("2")
    chosen = ChosenMusic(plan, 2, None, mix, make_provenance(workspace, "fit", ()))
    for played, audio in ((mix.model_copy(), second), (None, second), (mix, None)):
        say_other_streams(chosen, played, audio)
    assert capsys.readouterr().err == ""
    say_other_streams(chosen, mix, second)
    assert "measured on other sound streams; fit with --audio" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\xff\xfe\x00", "this is not a plan, nor text at all"),
        (b"no plan", "not a plan, for it is not JSON"),
        (b" \n", "not a plan, for it is empty"),
        (b'{"a": 1}', "not a plan, nor another result of workbench: it has no version"),
        (b"[]", "a plan is a JSON object, got list"),
    ],
)
def test_what_is_no_plan_is_named(
    data: bytes, sentence: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(data)
    with pytest.raises(PlanError, match=rf"plan\.json: {sentence}"):
        read_music(workspace, AskedMusic(file), None)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    with pytest.raises(PlanError, match=f"^standard input: {sentence}"):
        read_music(workspace, AskedMusic(Path("-")), None)


def test_a_file_that_cannot_be_read_is_named(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json: cannot be read \(No such file or directory\)"):
        read_music(workspace, AskedMusic(tmp_path / "nowhere.json"), None)
