"""`workbench splice`: one JSON object, a sound and a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import soundfile

from .conftest import Cli


def test_a_splice_is_scored_heard_and_drawn(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    sound, picture = tmp_path / "splice.wav", tmp_path / "splice.png"
    out, err = workbench.done("splice", track_file, "0:16", "0:08.1", "-o", sound, "--picture", picture)
    body = json.loads(out)
    assert body["bars"] == 4
    assert body["song_to"] == pytest.approx(16.0, abs=0.05)
    assert body["song_from"] == pytest.approx(8.0, abs=0.05)
    assert 0.0 <= body["seam_score"] <= 1.0
    assert body["provenance"]["constraints"] == {"leave": 16.0, "enter": 8.1, "snap": "bar"}
    assert body["seam_score"] >= body["min_seam_score"]
    assert "the splice scores 0." in err
    assert f": the planner takes splices from {body['min_seam_score']:g} on" in err
    assert soundfile.info(sound).duration == pytest.approx(4.0, abs=0.01)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("soon", "0:08"), 2, "'soon' is not a time"),
        (("0:16",), 2, "Missing argument"),
        (("9:16", "0:08"), 1, "the splice 9:16-0:08: the track ends at 0:32.5"),
        (("0:16", "0:16.2"), 1, "both times are at the same bar line"),
    ],
)
def test_what_is_no_splice(workbench: Cli, track_file: Path, arguments: tuple[str, ...], code: int, why: str) -> None:
    err = workbench.refused(code, "splice", track_file, *arguments)
    assert why in err


def test_the_track_is_not_written_over(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    track = tmp_path / "track.wav"
    track.write_bytes(track_file.read_bytes())
    for option in ("-o", "--picture"):
        err = workbench.refused(2, "splice", track, "0:16", "0:08", option, track)
        assert f"{track} is also read by this command" in err
    assert track.read_bytes() == track_file.read_bytes()
