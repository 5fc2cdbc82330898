"""`workbench align` on a track and a video that are quick to analyse."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from workbench.analysis.workspace import Workspace
from workbench.results.schemas import schemas

from .conftest import Cli


def test_prints_placements_best_first(workbench: Cli, track_file: Path, shots_file: Path) -> None:
    out, err = workbench.done("align", track_file, "--video", shots_file)
    body = json.loads(out)
    assert body.pop("provenance")["command"] == "align"
    named = [body.pop(name) for name in ("title", "artist_name", "path")]
    assert named == ["sixteen", "", str(track_file)]
    jsonschema.validate(body, schemas()["AlignResult"])
    assert (body["video_id"], body["track_id"], body["mix"]) == ("shots.mp4", "sixteen.wav", None)
    points = body["sync_points"]
    assert 1 <= len(points) <= 12
    scores = [point["score"] for point in points]
    assert scores == sorted(scores, reverse=True)
    assert {word for point in points for word in point["label"].split()[3:4]} <= {"cut", "start", "end", "motion"}
    assert " at 0:" in points[0]["label"]
    assert ("no clear sync point: the best placement scores" in err) == (scores[0] < 0.3)


def test_placements_are_made_again(workbench: Cli, track_file: Path, shots_file: Path, tmp_path: Path) -> None:
    placements = tmp_path / "placements.json"
    placements.write_text(workbench("align", track_file, "--video", shots_file, "--auto-mix")[1])
    files = ("--track", track_file, "--video", shots_file)
    code, out, _ = workbench("reproduce", placements, *files)
    assert (code, json.loads(out)) == (0, {"same": True, "differences": []})


def test_auto_mix_measures_the_video(workbench: Cli, track_file: Path, shots_file: Path) -> None:
    body = json.loads(workbench("align", track_file, "--video", shots_file, "--auto-mix")[1])
    assert body["mix"] == {"voiceover": False, "classification": "none", "duck": None}


def test_draws_a_picture(workbench: Cli, track_file: Path, shots_file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "why.png"
    workbench.done("align", track_file, "--video", shots_file, "--picture", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["align", "track.wav"], 2, "--video"),
        (["align", "nowhere.wav", "--video", "nowhere.mp4"], 1, "no such file, and no track"),
    ],
)
def test_says_what_is_wrong_in_a_line(workbench: Cli, arguments: list[str], code: int, words: str) -> None:
    err = workbench.refused(code, *arguments)
    assert words in err
    assert "Traceback" not in err


def test_a_video_goes_by_its_id(workbench: Cli, track_file: Path, shots_file: Path, home: Path) -> None:
    from workbench.store.home import Home
    from workbench.workflows.videos import add_video

    add_video(Workspace(Home(home)), shots_file, video_id="vid_shots")
    by_file = json.loads(workbench("align", track_file, "--video", shots_file)[1])
    by_id = json.loads(workbench("align", track_file, "--video", "vid_shots")[1])
    assert by_id == by_file | {"video_id": "vid_shots"}
