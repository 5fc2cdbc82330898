"""`workbench render --placement`: a track laid straight under a video, from what align and match print."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from workbench.media.audio import decode
from workbench.media.containers import hash_file
from workbench.media.probe import probe

Call = Callable[..., tuple[int, str, str]]
VIDEO_SECONDS, RATE = 20, 48_000
POINTS = [
    {"offset_seconds": 5.25, "score": 0.8, "label": "downbeat on the cut at 0:05.2"},
    {"offset_seconds": -3.5, "score": 0.5, "label": "section on the start at 0:00.0"},
]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty silent seconds."""
    path = tmp_path_factory.mktemp("video") / "grey.mp4"
    with av.open(str(path), "w") as container:
        picture = container.add_stream("libx264", rate=10)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        for k in range(10 * VIDEO_SECONDS):
            pixels = np.full((48, 64, 3), k, dtype=np.uint8)
            container.mux(picture.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(picture.encode(None))
    return path


def write(path: Path, body: dict[str, Any]) -> Path:
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


@pytest.fixture
def aligned(tmp_path: Path, track_file: Path) -> Path:
    body = {"video_id": "grey.mp4", "track_id": track_file.name, "status": "complete", "cached": False}
    return write(tmp_path / "al.json", {**body, "sync_points": POINTS, "mix": None})


def straight(track_file: Path, offset_s: float, seconds: float) -> np.ndarray:
    """What a placement plays at the track's own rate: its samples, silence before and after them."""
    track = decode(track_file)
    rate = track.sample_rate
    sound = np.zeros(round(seconds * rate), dtype=np.float32)
    at = round(offset_s * rate)
    piece = track.samples[0, max(0, -at) :][: sound.size - max(0, at)]
    sound[max(0, at) : max(0, at) + piece.size] = piece
    return sound


@pytest.mark.parametrize(
    ("arguments", "offset_s"), [((), 5.25), (("--placement", 1), 5.25), (("--placement", 2), -3.5)]
)
def test_without_a_video_the_track_plays_to_its_end(
    workbench: Call,
    aligned: Path,
    track_file: Path,
    home: Path,
    tmp_path: Path,
    arguments: tuple[Any, ...],
    offset_s: float,
) -> None:
    out = tmp_path / "music.wav"
    code, printed, err = workbench("render", aligned, "--track", track_file, *arguments, "-o", out, "--home", home)
    assert code == 0, err
    heard = decode(out)
    seconds = offset_s + decode(track_file).duration
    assert json.loads(printed)["seconds"] == pytest.approx(seconds, abs=1e-6)
    expected = straight(track_file, offset_s, seconds)
    steady = slice(round(0.02 * heard.sample_rate), None)  # a cut head is faded in for 10 ms
    assert np.abs(heard.samples[0] - expected)[steady].max() < 1e-4
    assert ("section on the start" in err) == (offset_s < 0)


def test_under_a_video_the_track_is_trimmed_to_it(
    workbench: Call, aligned: Path, track_file: Path, video: Path, home: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.mp4"
    code, _, err = workbench("render", aligned, "--track", track_file, "--video", video, "-o", out, "--home", home)
    assert code == 0, err
    info = probe(out)
    assert info.duration == pytest.approx(VIDEO_SECONDS, abs=0.001)
    assert info.audio_duration == pytest.approx(VIDEO_SECONDS, abs=0.03)
    sound = decode(out)
    level = np.abs(sound.mono())
    assert level[: round(5.2 * RATE)].max() < 1e-3
    assert np.flatnonzero(level > 0.05)[0] / RATE == pytest.approx(5.25, abs=0.02)
    assert level[round(19.0 * RATE) :].max() > 0.05


def test_the_mix_of_an_align_result_is_applied(
    workbench: Call, aligned: Path, track_file: Path, video: Path, home: Path, tmp_path: Path
) -> None:
    """The music 6 dB down, 20 dB further from 10 to 15 s."""
    duck = {
        "envelope_points": [[9.5, 0.0], [10.0, 20.0], [15.0, 20.0], [15.5, 0.0]],
        "envelope_hz": 100, "speech_ranges": [[10.0, 15.0]], "depth_db": 20.0, "attack_ms": 500, "release_ms": 500,
    }  # fmt: skip
    mix = {"voiceover": True, "classification": "voice", "music_gain_db": -6.0, "video_gain_db": 0.0, "duck": duck}
    mixed = write(tmp_path / "mixed.json", json.loads(aligned.read_text()) | {"mix": mix})
    levels = []
    for name, given in (("plain", aligned), ("mixed", mixed)):
        out = tmp_path / f"{name}.mp4"
        assert workbench("render", given, "--track", track_file, "--video", video, "-o", out, "--home", home)[0] == 0
        sound = decode(out).samples
        levels.append([20 * np.log10(np.std(sound[:, b * RATE : e * RATE])) for b, e in ((6, 9), (11, 14), (16, 19))])
    plain, quieter = levels
    assert np.subtract(quieter, plain) == pytest.approx([-6.0, -26.0, -6.0], abs=0.3)


@pytest.mark.parametrize("named", ["track_id", "audio_id"])
def test_a_match_result_knows_its_tracks_by_id_and_by_their_bytes(
    workbench: Call, track_file: Path, home: Path, tmp_path: Path, named: str
) -> None:
    ids = {"track_id": "trk_other", "audio_id": "aud_other"}
    ids[named] = track_file.name if named == "track_id" else f"aud_{hash_file(track_file)[:24]}"
    lane = {"matches": [{"track_id": "trk_first", "audio_id": "aud_first"}, {**ids, "sync_points": POINTS}]}
    matched = write(tmp_path / "match.json", {"video_id": "v", "status": "complete", "lane": lane})
    out = tmp_path / "music.wav"
    arguments = ("render", matched, "--track", track_file, "--placement", 2, "-o", out, "--home", home)
    code, printed, err = workbench(*arguments)
    assert code == 0, err
    assert json.loads(printed)["seconds"] == pytest.approx(decode(track_file).duration - 3.5, abs=1e-6)


@pytest.mark.parametrize(
    ("changed", "arguments", "sentence"),
    [
        ({}, ("--placement", 3), "there is no placement 3 in this result; it has 2, 1 is the best"),
        ({"sync_points": []}, (), "there is no placement in this result"),
        ({"sync_points": [{"offset_seconds": "5"}]}, (), "not a placement: sync_points.0.offset_seconds"),
        ({"sync_points": [POINTS[0] | {"offset_seconds": -400.0}]}, (), "nothing is heard of a track of"),
        (
            {"lane": {"matches": [{"track_id": "trk_x", "audio_id": "aud_x"}]}},
            (),
            "not in this match result, which has",
        ),
        ({"lane": {"matches": [{"track_id": "sixteen.wav"}]}}, (), "--include-sync"),
    ],
)
def test_what_cannot_be_played_is_one_line(
    workbench: Call, aligned: Path, track_file: Path, home: Path, tmp_path: Path,
    changed: dict[str, Any], arguments: tuple[Any, ...], sentence: str,
) -> None:  # fmt: skip
    given = write(tmp_path / "given.json", json.loads(aligned.read_text()) | changed)
    out = tmp_path / "music.wav"
    code, printed, err = workbench("render", given, "--track", track_file, *arguments, "-o", out, "--home", home)
    assert (code, printed) == (1, "")
    assert sentence in err
    assert err.count("workbench: ") == 1
    assert not out.exists()


def test_a_plan_has_no_placements(workbench: Call, track_file: Path, home: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(workbench("loop", track_file, "--seconds", 90, "--home", home)[1])
    arguments = ("--track", track_file, "--placement", 1, "-o", tmp_path / "music.wav", "--home", home)
    code, printed, err = workbench("render", plan, *arguments)
    assert (code, printed) == (1, "")
    assert "a plan has no placements" in err


def test_export_says_what_the_file_is(workbench: Call, aligned: Path, home: Path, tmp_path: Path) -> None:
    code, printed, err = workbench("export", aligned, "--format", "csv", "-o", tmp_path / "x.csv", "--home", home)
    assert (code, printed) == (1, "")
    assert f"{aligned}: not a loop plan, but an align result" in err
    assert "render --placement N" in err
