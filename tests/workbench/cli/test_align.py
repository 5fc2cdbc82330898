"""`workbench align` on a track and a video that are quick to analyse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import av
import jsonschema
import numpy as np
import pytest

from workbench.results.schemas import schemas
from workbench.workspace import Workspace

Call = Callable[..., tuple[int, str, str]]
FPS, SECONDS = 25, 20
CUTS = (4.0, 8.0, 11.0, 16.0)


@pytest.fixture(scope="module")
def video_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty seconds of plain shots of different colours, without sound."""
    path = tmp_path_factory.mktemp("video") / "shots.mp4"
    generator = np.random.default_rng(2)
    shots = generator.integers(20, 235, (len(CUTS) + 1, 9, 16, 3)).repeat(10, axis=1).repeat(10, axis=2)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = 160, 90, "yuv420p"
        for k in range(FPS * SECONDS):
            shot = shots[int(np.searchsorted(CUTS, k / FPS, side="right"))].astype(np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(shot, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def test_prints_placements_best_first(workbench: Call, track_file: Path, video_file: Path, home: Path) -> None:
    code, out, err = workbench("align", track_file, "--video", video_file, "--home", home)
    assert code == 0
    body = json.loads(out)
    assert body.pop("provenance")["command"] == "align"
    jsonschema.validate(body, schemas()["AlignResult"])
    assert (body["video_id"], body["track_id"], body["mix"]) == ("shots.mp4", "sixteen.wav", None)
    points = body["sync_points"]
    assert 1 <= len(points) <= 12
    scores = [point["score"] for point in points]
    assert scores == sorted(scores, reverse=True)
    assert {word for point in points for word in point["label"].split()[3:4]} <= {"cut", "start", "end", "motion"}
    assert " at 0:" in points[0]["label"]
    assert ("no clear sync point: the best placement scores" in err) == (scores[0] < 0.3)


def test_a_second_call_says_the_same(workbench: Call, track_file: Path, video_file: Path, home: Path) -> None:
    first = workbench("align", track_file, "--video", video_file, "--home", home)[1]
    assert workbench("align", track_file, "--video", video_file, "--home", home)[1] == first


def test_placements_are_made_again(
    workbench: Call, track_file: Path, video_file: Path, home: Path, tmp_path: Path
) -> None:
    placements = tmp_path / "placements.json"
    placements.write_text(workbench("align", track_file, "--video", video_file, "--auto-mix", "--home", home)[1])
    files = ("--track", track_file, "--video", video_file)
    code, out, _ = workbench("reproduce", placements, *files, "--home", home)
    assert (code, json.loads(out)) == (0, {"same": True, "differences": []})


def test_auto_mix_measures_the_video(workbench: Call, track_file: Path, video_file: Path, home: Path) -> None:
    body = json.loads(workbench("align", track_file, "--video", video_file, "--auto-mix", "--home", home)[1])
    assert body["mix"] == {"voiceover": False, "classification": "none", "duck": None}


def test_draws_a_picture(workbench: Call, track_file: Path, video_file: Path, home: Path, tmp_path: Path) -> None:
    picture = tmp_path / "why.png"
    assert workbench("align", track_file, "--video", video_file, "--picture", picture, "--home", home)[0] == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["align", "track.wav"], 2, "--video"),
        (["align", "nowhere.wav", "--video", "nowhere.mp4"], 1, "no such file, and no track"),
    ],
)
def test_says_what_is_wrong_in_a_line(workbench: Call, home: Path, arguments: list[str], code: int, words: str) -> None:
    got, out, err = workbench(*arguments, "--home", home)
    assert (got, out) == (code, "")
    assert words in err
    assert "Traceback" not in err


def test_sound_alone_is_no_video(workbench: Call, track_file: Path, home: Path) -> None:
    code, _, err = workbench("align", track_file, "--video", track_file, "--home", home)
    assert code == 1
    assert "no moving picture" in err


def test_a_video_goes_by_its_id(workbench: Call, track_file: Path, video_file: Path, home: Path) -> None:
    from workbench.home import Home
    from workbench.workflows.videos import add_video

    add_video(Workspace(Home(home)), video_file, video_id="vid_shots")
    by_file = json.loads(workbench("align", track_file, "--video", video_file, "--home", home)[1])
    by_id = json.loads(workbench("align", track_file, "--video", "vid_shots", "--home", home)[1])
    assert by_id == by_file | {"video_id": "vid_shots"}
