"""A track under a video, from the command line: the page with the video's timeline, and the video with its levels."""

from __future__ import annotations

import json
from bisect import bisect_right
from pathlib import Path

import numpy as np
import pyloudnorm
import pytest

from tests.videos import coloured_shots, write_video
from workbench.media.audio import decode

from .conftest import Cli

FPS, SECONDS, RATE = 10, 70, 48_000
CUTS = tuple(float(at) for at in range(5, SECONDS, 5))


@pytest.fixture(scope="module")
def video_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seventy seconds of coloured shots of five seconds each, over noise at a steady level."""
    path = tmp_path_factory.mktemp("video") / "colours.mp4"
    shots = coloured_shots(len(CUTS) + 1)
    noise = (0.1 * np.random.default_rng(3).standard_normal((2, SECONDS * RATE))).astype(np.float32)
    pictures = (shots[bisect_right(CUTS, k / FPS)] for k in range(FPS * SECONDS))
    return write_video(path, pictures, FPS, sound=noise, sample_rate=RATE)


@pytest.mark.slow
def test_the_page_shows_the_video_from_start_to_end(
    workbench: Cli, track_file: Path, video_file: Path, tmp_path: Path
) -> None:
    page = tmp_path / "loop.html"
    out, _ = workbench.done("loop", track_file, "--video", video_file, "--auto-mix", "--report", page)
    assert json.loads(out)["mix"]["classification"] == "ambient"
    text = page.read_text()
    assert "<h2>The video</h2>" in text
    assert "<td>14, 12 a minute (13 hard cuts)</td>" in text
    assert "://" not in text
    assert text.index("<h2>The video</h2>") < text.index("<h2>The plan</h2>")


@pytest.mark.slow
def test_a_rendered_video_says_how_loud_it_is(
    workbench: Cli, track_file: Path, video_file: Path, tmp_path: Path
) -> None:
    """The soundtrack 6 dB up, the music 3 dB down and 20 dB further from 30 to 40 s."""
    result = json.loads(workbench("loop", track_file, "--video", video_file)[1])
    duck = {
        "envelope_points": [[29.5, 0.0], [30.0, 20.0], [40.0, 20.0], [40.5, 0.0]],
        "envelope_hz": 100,
        "speech_ranges": [[30.0, 40.0]],
        "depth_db": 20.0,
        "attack_ms": 500,
        "release_ms": 500,
    }
    result["mix"] = {
        "voiceover": True, "classification": "voice", "music_gain_db": -3.0, "video_gain_db": 6.0, "duck": duck,
    }  # fmt: skip
    plan, video = tmp_path / "plan.json", tmp_path / "video.mp4"
    plan.write_text(json.dumps(result))
    out, _ = workbench.done("render", plan, "--track", track_file, "--video", video_file, "-o", video)
    body = json.loads(out)
    sound = decode(video)
    meter = pyloudnorm.Meter(sound.sample_rate)
    assert body["loudness_lufs"] == pytest.approx(meter.integrated_loudness(sound.samples.T), abs=0.1)
    assert -4.0 < body["true_peak_dbtp"] <= -1.0
    first, last = round(31.0 * RATE), round(39.0 * RATE)
    soundtrack = decode(video_file).samples[:, first:last]
    raised = 20 * np.log10(np.std(sound.samples[:, first:last]) / np.std(soundtrack))
    assert raised == pytest.approx(6.0, abs=0.5)  # of the music, 23 dB down, next to nothing is left
