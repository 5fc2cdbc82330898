import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

Call = Callable[..., tuple[int, str, str]]


def test_prints_the_grid_of_a_drummed_track(workbench: Call, track_file: Path, home: Path) -> None:
    code, out, _ = workbench("beats", track_file, "--home", home)
    body = json.loads(out)
    assert code == 0
    assert abs(body["tempo_bpm"] - 120.0) < 0.5
    assert body["track_id"] == "sixteen.wav"
    assert body["status"] == "complete"
    assert abs(body["duration_seconds"] - 32.5) < 1e-3
    assert set(body["downbeats"]) <= set(body["beats"])
    off = (np.array(body["beats"]) + 0.25) % 0.5 - 0.25
    assert np.median(np.abs(off)) < 0.01


def test_says_metre_tempo_and_confidence_on_standard_error(workbench: Call, track_file: Path, home: Path) -> None:
    code, out, err = workbench("beats", track_file, "--home", home)
    assert code == 0
    assert len(out.splitlines()) == 1
    assert re.fullmatch(r"4 beats in a bar at 120\.\d BPM, confidence [01]\.\d\d", err.splitlines()[-1])


def test_says_that_silence_has_no_beats(workbench: Call, home: Path, tmp_path: Path) -> None:
    silent = tmp_path / "silence.wav"
    soundfile.write(silent, np.zeros(5 * 44_100), 44_100)
    code, out, err = workbench("beats", silent, "--home", home)
    assert code == 0
    assert json.loads(out)["beats"] == []
    assert err.splitlines()[-1] == "no beats found"


def test_answers_a_second_time_from_the_cache(workbench: Call, track_file: Path, home: Path) -> None:
    first = json.loads(workbench("beats", track_file, "--home", home)[1])
    code, out, err = workbench("beats", track_file, "--home", home)
    again = json.loads(out)
    assert code == 0
    assert again["cached"] is True
    assert again["beats"] == first["beats"]
    assert "decoding" not in err


def test_says_in_one_line_that_there_is_no_such_file(workbench: Call, home: Path) -> None:
    code, out, err = workbench("beats", "nowhere.flac", "--home", home)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "nowhere.flac" in err


def test_says_in_one_line_that_a_file_is_no_sound(workbench: Call, home: Path, tmp_path: Path) -> None:
    text = tmp_path / "letter.txt"
    text.write_text("Dear listener")
    code, out, err = workbench("beats", text, "--home", home)
    assert (code, out) == (1, "")
    assert "letter.txt" in err.splitlines()[-1]
