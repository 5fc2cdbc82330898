import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

from .conftest import Cli

Loaded = Callable[..., list[str]]


def test_prints_the_grid_of_a_drummed_track(workbench: Cli, track_file: Path) -> None:
    code, out, _ = workbench("beats", track_file)
    body = json.loads(out)
    assert code == 0
    assert abs(body["tempo_bpm"] - 120.0) < 0.5
    assert body["track_id"] == "sixteen.wav"
    assert body["status"] == "complete"
    assert abs(body["duration_seconds"] - 32.5) < 1e-3
    assert set(body["downbeats"]) <= set(body["beats"])
    off = (np.array(body["beats"]) + 0.25) % 0.5 - 0.25
    assert np.median(np.abs(off)) < 0.01


def test_says_metre_tempo_and_confidence_on_standard_error(workbench: Cli, track_file: Path) -> None:
    out, err = workbench.done("beats", track_file)
    assert len(out.splitlines()) == 1
    assert re.fullmatch(r"4 beats in a bar at 120\.\d BPM, confidence [01]\.\d\d", err.splitlines()[-1])


def test_says_where_the_bars_are_a_guess(workbench: Cli, tmp_path: Path) -> None:
    rng, rate = np.random.default_rng(1), 44_100
    sound = np.zeros(40 * rate)
    knock = np.exp(-np.arange(2000) / 300.0) * rng.normal(size=2000)
    for start in (np.cumsum(rng.uniform(0.2, 1.1, size=55)) * rate).astype(int):
        sound[start : start + knock.size] += 0.3 * knock
    uneven = tmp_path / "uneven.wav"
    soundfile.write(uneven, sound, rate)
    _, err = workbench.done("beats", uneven)
    assert re.fullmatch(
        r"\d beats in a bar at [\d.]+ BPM, confidence 0\.\d\d: the bars are more likely wrong than right",
        err.splitlines()[-1],
    )


def test_says_that_silence_has_no_beats(workbench: Cli, tmp_path: Path) -> None:
    silent = tmp_path / "silence.wav"
    soundfile.write(silent, np.zeros(5 * 44_100), 44_100)
    out, err = workbench.done("beats", silent)
    assert json.loads(out)["beats"] == []
    assert err.splitlines()[-1] == "no beats found"


def test_answers_a_second_time_from_the_cache(workbench: Cli, track_file: Path) -> None:
    first = json.loads(workbench("beats", track_file)[1])
    code, out, err = workbench("beats", track_file)
    again = json.loads(out)
    assert code == 0
    assert again["cached"] is True
    assert again["beats"] == first["beats"]
    assert "decoding" not in err


def test_stored_beats_are_printed_without_a_decoder(
    workbench: Cli, loaded_by: Loaded, track_file: Path, tmp_path: Path
) -> None:
    workbench.done("beats", track_file, "--home", tmp_path)
    heavy = ("av", "soxr", "soundfile", "numba", "scipy", "sqlalchemy", "matplotlib", "xarray")
    assert loaded_by(heavy, "beats", track_file, "--home", tmp_path) == []


def test_says_in_one_line_that_a_file_is_no_sound(workbench: Cli, tmp_path: Path) -> None:
    text = tmp_path / "letter.txt"
    text.write_text("Dear listener")
    err = workbench.refused(1, "beats", text)
    assert "letter.txt" in err.splitlines()[-1]


def test_beats_are_detected_at_the_tempo_that_is_given(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    out, _ = workbench.done("beats", track_file, "--tempo", 60, "--home", tmp_path)
    assert abs(json.loads(out)["tempo_bpm"] - 60.0) < 0.5
    assert json.loads(out)["provenance"]["grid"]["note"] == "detected at 60 BPM, the given tempo"
    err = workbench.refused(1, "beats", track_file, "--tempo", 133, "--home", tmp_path)
    assert "no beats were detected in it at 133 BPM, 120" in err.splitlines()[-1]
    err = workbench.refused(2, "beats", track_file, "--tempo", 60, "--confirm", "--home", tmp_path)
    assert "give only one of --grid" in err


def test_says_what_ones_own_grid_leaves_out(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "half.csv"
    own.write_text("".join(f"{k * 0.5:.3f}\t{k % 4 + 1}\n" for k in range(24)))
    _, err = workbench.done("beats", track_file, "--grid", own, "--home", tmp_path / "home")
    assert "the grid goes from 0:00 to 0:11.5 of 0:32.5: where it has no bars, no seam can be" in err


def test_ones_own_grid_is_used_by_the_next_plan(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    """Bars a beat later than heard: the next plan splices on them, and a catalog track has them too."""
    home, own = tmp_path / "home", tmp_path / "own.csv"
    own.write_text("".join(f"{k * 0.5:.3f}\t{(k + 3) % 4 + 1}\n" for k in range(64)))
    out, err = workbench.done("beats", track_file, "--grid", own, "--home", home)
    assert json.loads(out)["downbeats"] == [0.5 + 2.0 * k for k in range(16)]
    assert "64 beats in 16 bars are the grid of this track from now on" in err
    assert json.loads(workbench("beats", track_file, "--home", home)[1])["downbeats"][0] == 0.5
    _, out, err = workbench("beats", track_file, "--tracker", "workbench", "--home", home)
    assert json.loads(out)["downbeats"][0] == 0.5
    assert "saved for this track, not that of workbench, which --confirm would save" in err
    plan = json.loads(workbench("loop", track_file, "--seconds", 90, "--home", home)[1])["plan"]
    for segment in plan["segments"][1:]:
        assert abs((segment["song_from"] - 0.5 + 1.0) % 2.0 - 1.0) <= 0.01


def test_the_heard_grid_is_confirmed(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    heard = json.loads(workbench("beats", track_file, "--home", home)[1])
    out, err = workbench.done("beats", track_file, "--confirm", "--home", home)
    body = json.loads(out)
    before, after = heard.pop("provenance")["grid"], body.pop("provenance")["grid"]
    assert (before["origin"], after["origin"]) == ("heard", "given")
    assert before["revision"] == after["revision"]
    assert body == heard | {"cached": True}
    assert "are the grid of this track from now on" in err


def test_a_bad_grid_is_one_line_and_changes_nothing(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("0.5,1\n1.0,2\n0.7,3\n")
    before = json.loads(workbench("beats", track_file)[1])
    err = workbench.refused(1, "beats", track_file, "--grid", own)
    assert err.splitlines()[-1] == f"workbench: {own}: line 3: 0.7 s is not later than 1 s of line 2"
    assert json.loads(workbench("beats", track_file)[1]) == before | {"cached": True}
    assert workbench("beats", track_file, "--grid", own, "--confirm")[0] == 2
