"""`workbench sweep`: its result, its words, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import soundfile
from click.testing import CliRunner

from tests.workbench.played import band
from workbench.cli.sweep import command
from workbench.lab.sweep import read_sweep


@pytest.fixture(scope="module")
def songs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("songs")
    piece = band("AABA")
    soundfile.write(folder / "AABA.flac", piece.recording.samples.T, piece.recording.sample_rate)
    (folder / "words.wav").write_text("no sound")
    return folder


@pytest.mark.slow
def test_a_sweep_is_written_and_told(songs: Path, tmp_path: Path) -> None:
    out = tmp_path / "sweep.zarr"
    arguments = [
        "--param",
        "models.seams.pulse_weight=0.5,1",
        "--dataset",
        str(songs),
        "-o",
        str(out),
        "--seconds",
        "80",
    ]
    done = CliRunner().invoke(command, [*arguments, "--home", str(tmp_path / "home")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    body = json.loads(done.stdout.splitlines()[-1])
    assert body["points"] == 2
    assert body["tracks"] == 2
    assert list(body["errors"]) == ["words"]
    assert body["best"]["point"] in ({"models.seams.pulse_weight": 0.5}, {"models.seams.pulse_weight": 1.0})
    assert (
        "has the best seam_score and is no winner, for seam_score is made of models.seams.pulse_weight" in done.stderr
    )
    assert body["best"]["made_of"] == ["models.seams.pulse_weight"]
    assert read_sweep(out).seam_score.sizes == {"track": 2, "models.seams.pulse_weight": 2}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--param", "seams.nothing=1"], "no parameter seams.nothing"),
        (["--param", "models.seams.pulse_weight=1", "--measure", "beauty"], "--measure is one of"),
        (["--param", "models.seams.pulse_weight=1", "--seconds", "0"], "0.0 is not in the range"),
        (
            ["--param", "models.seams.pulse_weight=0,1", "--search", "1", "--draw", "1"],
            "drawn or searched for, not both",
        ),
    ],
)
def test_wrong_usage(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    rest = ["--dataset", str(tmp_path), "-o", str(tmp_path / "sweep.zarr"), "--home", str(tmp_path / "home")]
    done = CliRunner().invoke(command, [*arguments, *rest])
    assert done.exit_code == 2
    assert complaint in done.output


@pytest.mark.slow
def test_a_search_says_what_its_result_is_worth(songs: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason="the extra optuna is not installed")
    arguments = ["--param", "cover.seams_weight=0:1:5", "--search", "3", "--dataset", str(songs), "--seconds", "80"]
    arguments += ["-o", str(tmp_path / "sweep.zarr"), "--home", str(tmp_path / "home")]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout.splitlines()[-1])["points"] == 3
    assert "measure it on others" in done.stderr
