"""What loop and fit share on the command line: constraints on seams, and how wrong ones are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str, str]]
COMMANDS = pytest.mark.parametrize("command", ["loop", "fit"])


@COMMANDS
def test_constraints_are_kept_recorded_and_applied_again(
    workbench: Call, track_file: Path, home: Path, tmp_path: Path, command: str
) -> None:
    wishes = ("--never-cut", "0:09-0:11", "--forbid-seam", "0:12-0:04", "--pin-seam", "0:24-0:08")
    code, out, _ = workbench(command, track_file, "--seconds", 90, *wishes, "--home", home)
    assert code == 0
    body = json.loads(out)
    seams = [(left["song_to"], entered["song_from"]) for left, entered in pairwise(body["plan"]["segments"])]
    assert any(abs(left - 24.0) < 0.1 and abs(entered - 8.0) < 0.1 for left, entered in seams)
    assert not any(9.0 < time < 11.0 for seam in seams for time in seam)
    recorded = body["provenance"]["constraints"]
    assert recorded["never_cut"] == [[9.0, 11.0]]
    assert recorded["forbid_seam"] == [[12.0, 4.0]]
    assert recorded["pin_seam"] == [[24.0, 8.0]]
    plan = tmp_path / "plan.json"
    plan.write_text(out)
    code, out, _ = workbench("reproduce", plan, "--track", track_file, "--home", home)
    assert (code, json.loads(out)["same"]) == (0, True)


@COMMANDS
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--never-cut", "0:40"), "'0:40' is not a range such as"),
        (("--never-cut", "1:00-0:40"), "ends before it begins"),
        (("--pin-seam", "0:40-0:75"), "is not a splice such as"),
        (("--forbid-seam", "here-there"), "is not a splice such as"),
        (("--auto-mix",), "--auto-mix needs"),
        (("--video", "a.mp4"), "give either --video FILE or --seconds S"),
    ],
)
def test_wrong_usage_is_2(
    workbench: Call, track_file: Path, home: Path, command: str, arguments: tuple[str, ...], why: str
) -> None:
    code, out, err = workbench(command, track_file, "--seconds", 90, *arguments, "--home", home)
    assert (code, out) == (2, "")
    assert why in err


@COMMANDS
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--never-cut", "9:00-9:10"), "--never-cut 9:00-9:10: the track ends at 0:32.5"),
        (("--pin-seam", "0:24-0:24.1"), "--pin-seam 0:24-0:24.1: both times are at the same bar line"),
        (
            ("--forbid-seam", "0:04-0:08", "--never-cut", "0:07-0:12", "--pin-seam", "0:24-0:08"),
            "--pin-seam 0:24-0:08 and --never-cut 0:07-0:12 contradict each other",
        ),
        (
            ("--pin-seam", "0:24-0:08", "--forbid-seam", "0:24.2-0:08"),
            "--pin-seam 0:24-0:08 and --forbid-seam 0:24.2-0:08 contradict each other",
        ),
    ],
)
def test_what_contradicts_is_1_and_one_line(
    workbench: Call, track_file: Path, home: Path, command: str, arguments: tuple[str, ...], why: str
) -> None:
    code, out, err = workbench(command, track_file, "--seconds", 90, *arguments, "--home", home)
    assert (code, out) == (1, "")
    lines = [line for line in err.splitlines() if line.startswith("workbench: ")]
    assert lines == [f"workbench: {why}" if "same bar line" not in why else lines[0]]
    assert why in lines[0]
