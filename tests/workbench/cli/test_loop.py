import io
import json
import re
from base64 import b64decode
from collections.abc import Callable
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.results.plan import plan_from_json

from .conftest import Cli

Loaded = Callable[..., list[str]]


@pytest.fixture(scope="module")
def plan_file(tmp_path_factory: pytest.TempPathFactory, track_file: Path, home: Path) -> Path:
    from contextlib import redirect_stdout
    from io import StringIO

    from workbench.cli.main import run

    out = StringIO()
    with redirect_stdout(out):
        assert run(["loop", str(track_file), "--seconds", "90", "--home", str(home)]) == 0
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    path.write_text(out.getvalue())
    return path


def test_covers_a_length_to_the_millisecond(plan_file: Path) -> None:
    result = json.loads(plan_file.read_text())
    assert result["applicable"] is True
    assert result["track_id"] == "sixteen.wav"
    plan = plan_from_json(plan_file.read_text())
    assert plan.window_end == pytest.approx(90.0, abs=1e-3)
    assert plan.seam_score > 0.5


NEVER = (
    "librosa", "matplotlib", "xarray", "pandas", "dask", "sqlalchemy", "soundfile", "scipy.signal",
    "scipy.stats", "service.settings",
)  # fmt: skip
"""what no plan of a bare file needs, and what takes long to import"""


@pytest.mark.usefixtures("plan_file")
def test_a_plan_from_a_stored_analysis_loads_no_kernels(loaded_by: Loaded, track_file: Path) -> None:
    heavy = ("numba", "scipy", "librosa", "matplotlib", "xarray")
    assert loaded_by(heavy, "loop", track_file, "--seconds", 80) == []


@pytest.mark.usefixtures("plan_file")  # which has compiled what was not
def test_a_cold_plan_loads_no_more_than_it_needs(loaded_by: Loaded, track_file: Path, tmp_path: Path) -> None:
    assert loaded_by(NEVER, "loop", track_file, "--seconds", 80, "--home", tmp_path / "home") == []


def test_a_track_that_is_too_long_is_refused_before_it_is_analysed(
    workbench: Cli, track_file: Path, tmp_path: Path
) -> None:
    code, out, err = workbench("loop", track_file, "--seconds", 40, "--home", tmp_path)
    result = json.loads(out)
    assert (code, result["applicable"], result["retryable"]) == (3, False, False)
    assert result["plan"]["reason"] == "video_not_longer"
    assert "`workbench fit TRACK --seconds 40`" in result["hint"]
    assert result["hint"] in err.splitlines()
    assert "finding the beats" not in err
    assert json.loads(workbench("cache", "--home", tmp_path)[1])["files"] == 0


def test_a_file_that_cannot_be_decoded_fails_in_one_line(workbench: Cli, tmp_path: Path) -> None:
    torn = tmp_path / "torn.mp3"
    torn.write_bytes(b"ID3 but nothing else")
    err = workbench.refused(1, "loop", torn, "--seconds", 90)
    assert err.startswith(f"workbench: {torn}: ")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_track_of_the_catalog_whose_file_cannot_be_decoded_is_refused(
    workbench: Cli, track_file: Path, tmp_path: Path
) -> None:
    kept = tmp_path / f"kept{track_file.suffix}"
    kept.write_bytes(track_file.read_bytes())
    out, _ = workbench.done("catalog", "add", kept, "--home", tmp_path / "home")
    kept.write_bytes(b"ID3 but nothing else")
    code, out, _ = workbench("loop", json.loads(out)["track_id"], "--seconds", 90, "--home", tmp_path / "home")
    result = json.loads(out)
    assert code == 1
    assert result["plan"]["reason"] == "audio_unavailable"
    assert result["retryable"] is True


def test_an_unknown_track_fails_on_the_input(workbench: Cli) -> None:
    err = workbench.refused(1, "loop", "trk_nobody", "--seconds", 90)
    assert "trk_nobody" in err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--seconds", "0"),
        ("--seconds", "86401"),
        ("--seconds", "90", "--report", "no/such/folder/page.html"),
    ],
)
def test_wrong_usage_exits_with_2(workbench: Cli, track_file: Path, arguments: tuple[str, ...]) -> None:
    err = workbench.refused(2, "loop", track_file, *arguments)
    assert "Usage" in err


def test_a_bad_profile_is_one_clear_line(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    profile = tmp_path / "typo.toml"
    profile.write_text("[seams]\ncontext_beets = 8\n")
    err = workbench.refused(1, "loop", track_file, "--seconds", 90, "--profile", profile)
    assert "context_beets" in err


def test_the_page_shows_and_plays_every_option(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    """Each with its picture, what it does differently, and the worst of its seams, in a page that stays small."""
    page = tmp_path / "loop.html"
    out, err = workbench.done("loop", track_file, "--seconds", 90, "--report", page)
    options, text = json.loads(out)["plan"]["options"], page.read_text()
    assert len(options) > 1
    assert "://" not in text, "it asks nobody for anything"
    part = unescape(text[text.index("<h2>The options</h2>") : text.index("<h2>The seams</h2>")])
    assert part.count("<article>") == part.count("data:image/png") == part.count("data:audio/mpeg") == len(options) - 1
    differences = dict(
        line.removeprefix("option ").split(" ", 1) for line in err.splitlines() if line.startswith("option ")
    )
    for number, option in enumerate(options, start=1):
        assert f"<td>option {number}</td>" in part
        assert option["end_label"] in part
        if number > 1:
            assert f"<h3>Option {number}</h3><p>What is different: {differences[str(number)]}. " in part
            assert f"the worst of which scores {option['seam_score']:.2f}" in part
    for sound in re.findall(r"data:audio/mpeg;base64,([^\"]+)", part):
        samples, rate = soundfile.read(io.BytesIO(b64decode(sound)))
        assert len(samples) / rate == pytest.approx(4.0, abs=0.1)
        assert np.std(samples) > 0.01
    assert len(part) < 250_000 * len(options)


def test_rendering_a_refusal_fails_on_the_input(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    refused = tmp_path / "refused.json"
    refused.write_text(workbench("loop", track_file, "--seconds", 40)[1])
    err = workbench.refused(1, "render", refused, "--track", track_file, "-o", tmp_path / "x.wav")
    assert "video_not_longer" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-o", "video.mp4"), "MP4 needs --video"),
        (("-o", "music.xyz"), ".wav, .flac, .mp3, not .xyz"),
        (("-o", "no/such/folder/music.wav"), "no folder"),
    ],
)
def test_what_cannot_be_written_is_told_before_anything_is_read(
    workbench: Cli, arguments: tuple[str, ...], told: str
) -> None:
    err = workbench.refused(2, "render", "no-plan.json", "--track", "no-track.wav", *arguments)
    assert told in err


def test_a_video_is_not_written_as_sound(workbench: Cli, shots_file: Path) -> None:
    arguments = ("--track", "no-track.wav", "--video", shots_file, "-o", "video.wav")
    err = workbench.refused(2, "render", "no-plan.json", *arguments)
    assert ".mp4, .m4v, .mov, .mkv, not .wav" in err
