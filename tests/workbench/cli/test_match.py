"""`workbench match` prints what the service would answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from tests.videos import coloured_shots, write_video
from workbench.results.align import MOST_SYNC_POINTS
from workbench.results.schemas import schemas

from .conftest import Cli

Loaded = Callable[..., list[str]]
FPS, SECONDS = 25, 12


@pytest.fixture(scope="module")
def video_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve seconds of plain shots, without sound."""
    return write_video(
        tmp_path_factory.mktemp("video") / "shots.mp4", coloured_shots(4).repeat(3 * FPS, axis=0)[: FPS * SECONDS], FPS
    )


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stocked")


def test_a_second_match_reads_what_the_first_found(
    workbench: Cli, loaded_by: Loaded, track_file: Path, video_file: Path, stocked: Path
) -> None:
    workbench("catalog", "add", track_file, "--home", stocked)
    workbench.done("match", video_file, "--home", stocked)
    heavy = ("numba", "scipy.ndimage", "scipy.signal", "scipy.stats", "faiss", "librosa", "matplotlib")
    assert loaded_by(heavy, "match", video_file, "--home", stocked) == []


def test_an_empty_catalog_is_told_in_a_line_that_says_what_to_do(
    workbench: Cli, video_file: Path, tmp_path: Path
) -> None:
    err = workbench.refused(1, "match", video_file, "--home", tmp_path)
    assert err.startswith(f"workbench: the catalog in {tmp_path} is empty; fill it by `workbench catalog add PATH`")
    assert "watching" not in err


def test_shows_as_many_sync_points_as_asked_for_and_can_be_made_again(
    workbench: Cli, track_file: Path, video_file: Path, stocked: Path, tmp_path: Path
) -> None:
    workbench("catalog", "add", track_file, "--home", stocked)
    options = ("--brief", "with vocals", "--for", "broadcast", "--include-sync", "--sync-points", 2, "--expand", "full")
    printed = workbench("match", video_file, *options, "--home", stocked)[1]
    body = json.loads(printed)
    asked = {"brief": "with vocals", "for": "broadcast", "sync_points": 2, "expand": "full"}
    assert body.pop("provenance")["constraints"] == asked
    (track,) = body["lane"]["matches"]
    for one in (track, *body["lane"]["candidate_pool"]):
        assert one.pop("path") == str(track_file)
    jsonschema.validate(body, schemas()["MatchResult"])
    assert track["sync_status"] == "warm"
    lane = tmp_path / "lane.json"
    lane.write_text(printed)
    manifest = tmp_path / "credits.jsonl"
    manifest.write_text(json.dumps({"path": str(track_file), "composer": "Ida Fen"}))
    workbench("catalog", "add", manifest, "--home", stocked)
    workbench.done("reproduce", lane, "--video", video_file, "--home", stocked)
    assert track["match_map"][0]["video"] == "asked: with vocals"
    assert (track["match_map"][1]["video"], track["match_map"][1]["audio"]) == (
        "asked: licensed for broadcast", "not known whether its licence allows it",
    )  # fmt: skip
    assert len(track["sync_points"]) == 2
    assert track["fit_explanation"]
    assert body["lane"]["candidate_pool"] == [track]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["match"], 2, "VIDEO"),
        (["match", "nowhere.mp4"], 1, "nowhere.mp4"),
        (["match", "nowhere.mp4", "--sync-points", "13"], 2, f"1<=x<={MOST_SYNC_POINTS}"),
        (["match", "nowhere.mp4", "--expand", "half"], 2, "full"),
    ],
)
def test_says_what_is_wrong_in_a_line(workbench: Cli, arguments: list[str], code: int, words: str) -> None:
    err = workbench.refused(code, *arguments)
    assert words in err
    assert "Traceback" not in err
