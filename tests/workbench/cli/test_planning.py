"""What loop and fit share on the command line: constraints on seams, and how wrong ones are refused."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.videos import grey, write_video
from workbench.files import bundled_path
from workbench.media.audio import decode, write_audio
from workbench.store.home import Home

from .conftest import Cli

COMMANDS = pytest.mark.parametrize("command", ["loop", "fit"])


@COMMANDS
def test_constraints_are_kept_recorded_and_applied_again(
    workbench: Cli, track_file: Path, tmp_path: Path, command: str
) -> None:
    home = tmp_path / "home"
    asked = ("--never-cut", "0:09-0:11", "--forbid-seam", "0:12-0:04", "--pin-seam", "0:24-0:08")
    out, _ = workbench.done(command, track_file, "--seconds", 90, *asked, "--home", home)
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


def test_how_much_repetition_and_which_seams_are_borne_is_asked_for(workbench: Cli) -> None:
    track = bundled_path("data", "bundled", "music", "paper_lanterns.ogg")  # no splice of it reaches 0.5
    given = ("loop", track, "--seconds", 600)
    code, out, err = workbench(*given)
    plan = json.loads(out)["plan"]
    assert (code, plan["seam_score"]) == (0, 1.0)
    assert "begins again from its head 6 times" in plan["end_label"]
    assert "the whole track ends and begins again 6 times, which is audible" in err
    code, out, _ = workbench(*given, "--min-seam-score", 0.3, "--min-variety", 20)
    body = json.loads(out)
    assert code == 0
    assert body["provenance"]["params"] == {"cover": {"min_seam_score": 0.3, "min_variety_seconds": 20.0}}
    assert 0.3 <= body["plan"]["seam_score"] < 0.5
    assert "audible seams, the first at" in workbench(*given, "--min-seam-score", 0.3, "--min-variety", 20)[2]
    code, out, _ = workbench(*given, "--min-variety", 0)
    assert code or not json.loads(out)["applicable"]
    assert workbench(*given, "--min-variety", 301)[0] == 2


@pytest.fixture(scope="module")
def musical_video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seventy seconds of grey: a song for twenty-five, then soft noise."""
    song = decode(bundled_path("data", "bundled", "music", "harbour_lights.ogg"))
    rate, sound = song.sample_rate, np.random.default_rng(5).standard_normal(70 * song.sample_rate) * 0.002
    sound[: 25 * rate] += 0.5 * song.mono()[20 * rate : 45 * rate]
    path = tmp_path_factory.mktemp("video") / "musical.mp4"
    return write_video(path, [grey(128)] * 350, 5, sound=sound.astype(np.float32)[np.newaxis], sample_rate=rate)


def test_music_that_the_video_has_of_its_own_is_said_and_given_way_to(
    workbench: Cli, track_file: Path, musical_video: Path, tmp_path: Path
) -> None:
    given = ("loop", track_file, "--video", musical_video, "--auto-mix")
    out, err = workbench.done(*given)
    assert "the video has music of its own, 0:00 to 0:2" in err
    assert json.loads(out)["mix"]["duck"] is None
    code, out, err = workbench(*given, "--own-music", "yield")
    assert (code, "music of its own" in err) == (0, False)
    body = json.loads(out)
    assert body["mix"]["duck"]["envelope_points"][0] == [0.0, 60.0]
    assert body["provenance"]["params"] == {"mix": {"own_music": "yield"}}
    code, told, err = workbench(*given, "--own-music-at", "0:50-1:05", "--own-music-at", "0:00-0:10")
    assert (code, "music of its own" in err) == (0, False)
    by_hand = json.loads(told)
    at = [[0.0, 10.0], [50.0, 65.0]]
    assert by_hand["provenance"]["params"] == {"mix": {"own_music": "yield", "own_music_at": at}}
    times, depths = np.array(by_hand["mix"]["duck"]["envelope_points"]).T
    assert [np.interp(time, times, depths) for time in (5.0, 30.0, 55.0)] == [60.0, 0.0, 60.0]
    # Another option is mixed as the plan was, though its mix is measured anew.
    plan, video = tmp_path / "plan.json", tmp_path / "video.mp4"
    plan.write_text(out)
    arguments = ("--option", 2, "--track", track_file, "--video", musical_video, "-o", video)
    workbench.done("render", plan, *arguments)
    own, heard = (decode(file).mono() for file in (musical_video, video))
    rate = decode(video).sample_rate
    apart = {name: heard[a * rate : b * rate].std() / own[a * rate : b * rate].std() for name, a, b in
             (("under", 3, 15), ("alone", 50, 65))}  # fmt: skip
    assert apart["under"] == pytest.approx(1.0, abs=0.05)
    assert apart["alone"] > 5.0


@COMMANDS
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--never-cut", "0:40"), "'0:40' is not a range such as"),
        (("--never-cut", "1:00-0:40"), "ends before it begins"),
        (("--pin-seam", "0:40-0:75"), "is not a splice such as"),
        (("--forbid-seam", "here-there"), "is not a splice such as"),
        (("--auto-mix",), "--auto-mix needs"),
        (("--own-music", "yield"), "--own-music needs --auto-mix"),
        (("--own-music-at", "0:05-0:10"), "--own-music-at needs --auto-mix"),
        (("--video", "a.mp4"), "give either --video FILE or --seconds S"),
    ],
)
def test_wrong_usage_is_2(workbench: Cli, track_file: Path, command: str, arguments: tuple[str, ...], why: str) -> None:
    err = workbench.refused(2, command, track_file, "--seconds", 90, *arguments)
    assert why in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--never-cut", "9:00-9:10"), "--never-cut 9:00-9:10: the track ends at 0:32.5"),
        (("--keep", "9:00-9:10"), "--keep 9:00-9:10: the track ends at 0:32.5"),
        (("--pin-seam", "0:24-0:24.1"), "--pin-seam 0:24-0:24.1: both times are at the same bar line"),
    ],
)
def test_what_makes_no_sense_is_1_and_one_line(
    workbench: Cli, track_file: Path, arguments: tuple[str, ...], why: str
) -> None:
    err = workbench.refused(1, "loop", track_file, "--seconds", 90, *arguments)
    lines = [line for line in err.splitlines() if line.startswith("workbench: ")]
    assert lines == [f"workbench: {why}" if "same bar line" not in why else lines[0]]
    assert why in lines[0]


def test_constraints_hold_for_the_plan_that_they_are_given_for(
    workbench: Cli, track_file: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"

    def planned(*arguments: str) -> dict[str, Any]:
        out, _ = workbench.done("fit", track_file, "--seconds", 90, *arguments, "--home", home)
        body: dict[str, Any] = json.loads(out)
        return body

    plain = planned()
    assert planned("--never-cut", "0:09-0:11", "--pin-seam", "0:24-0:08")["plan"] != plain["plan"]
    assert planned() == plain
    assert not Home(home).database.exists(), "nothing of it is stored"


def test_what_was_asked_of_a_plan_is_asked_again_with_what_is_added(
    workbench: Cli, track_file: Path, tmp_path: Path
) -> None:
    def planned(*arguments: object) -> tuple[str, str]:
        out, err = workbench.done("loop", track_file, "--seconds", 90, *arguments)
        return out, err

    plan = tmp_path / "plan.json"
    first = planned("--never-cut", "0:09-0:11", "--pin-seam", "0:24-0:08")[0]
    plan.write_text(first)
    again, err = planned("--from", plan)
    assert again == first
    assert "from plan.json: --never-cut 0:09-0:11, --pin-seam 0:24-0:08" in err.splitlines()
    more, err = planned("--from", plan, "--forbid-seam", "0:12-0:04", "--pin-seam", "0:24-0:08")
    added = {"forbid_seam": [[12.0, 4.0]]}
    recorded = json.loads(first)["provenance"]["constraints"]
    assert json.loads(more)["provenance"]["constraints"] == recorded | added
    code, _, err = workbench("loop", track_file, "--seconds", 90, "--from", plan, "--never-cut", "0:07-0:12")
    assert code == 3
    assert "--pin-seam 0:24-0:08 and --never-cut 0:07-0:12 contradict each other." in err.splitlines()


def test_that_a_plan_is_of_another_track_is_said(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    plan, other, recording = tmp_path / "plan.json", tmp_path / "other.wav", decode(track_file)
    write_audio(other, [0.9 * recording.samples], recording.sample_rate, recording.channels)
    plan.write_text(workbench("fit", track_file, "--seconds", 20, "--exclude", "0:09-0:11")[1])
    said = f"plan.json was made for {track_file.name}, which is another track: its times are taken for other.wav"
    for track, lines in ((track_file, 0), (other, 1)):
        out, err = workbench.done("fit", track, "--seconds", 20, "--from", plan)
        assert json.loads(out)["provenance"]["constraints"]["exclude"] == [[9.0, 11.0]]
        assert err.splitlines().count(said) == lines


def test_hits_are_said_taken_over_and_made_again(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    fit = ("fit", track_file, "--seconds", "40")
    out, err = workbench.done(*fit, "--hit", "0:21.3", "--hit-at", "0:08")
    assert "\n0:08 of the track plays at 0:21.3\n" in err, "what the second is was not looked for"
    plan.write_text(out)
    workbench.done("reproduce", plan, "--track", track_file)
    out, err = workbench.done("fit", track_file, "--seconds", "50", "--from", plan)
    assert "--hit 0:21.3" in err
    assert json.loads(out)["provenance"]["constraints"]["hit"] == [[21.3, 8.0]]
    code, out, err = workbench(*fit, "--hit-at", "0:08")
    assert code == 2
    assert "--hit-at goes with --hit" in err
    code, out, err = workbench(*fit, "--hit", "0:45", "--hit-at", "0:08")
    assert code == 3
    assert "--hit 0:45: that is outside of 40 s" in err


def test_kept_parts_and_times_are_taken_over_too(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"

    def asked(command: str, seconds: str, *arguments: object) -> dict[str, Any]:
        out, _ = workbench.done(command, track_file, "--seconds", seconds, *arguments)
        plan.write_text(out)
        body = json.loads(out)
        constraints: dict[str, Any] = body.get("fits", [body])[0]["provenance"]["constraints"]
        return constraints

    asked("fit", "40,60", "--keep", "0:08-0:16", "--start-at", "0:01", "--forbid-seam", "0:12-0:04")
    seams = {"forbid_seam": [[12.0, 4.0]]}
    every = {"seconds": 90.0, "keep": [[8.0, 16.0]], "start_at": 1.0, **seams}
    assert asked("fit", "90", "--from", plan) == every
    both = asked("fit", "90", "--from", plan, "--end-on", "1:29", "--start-at", "0:03", "--keep", "0:08-0:16")
    assert both == every | {"start_at": 3.0, "end_on": 89.0}
    assert asked("fit", "90", "--from", plan) == both
    assert asked("loop", "90", "--from", plan) == both


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"plan": {}}', "no provenance says what was asked of this"),
        ("a beat grid", "a result of beats is no plan"),
    ],
)
def test_what_is_no_plan_to_take_over_from_is_1_and_one_line(
    workbench: Cli, track_file: Path, tmp_path: Path, content: str, why: str
) -> None:
    plan = tmp_path / "plan.json"
    if content == "a beat grid":
        content = workbench("beats", track_file)[1]
    plan.write_text(content)
    err = workbench.refused(1, "loop", track_file, "--seconds", 90, "--from", plan)
    (line,) = err.splitlines()
    assert line.startswith(f"workbench: {plan}: {why}")


CONTRADICTIONS = [
    (
        ("--forbid-seam", "0:04-0:08", "--never-cut", "0:07-0:12", "--pin-seam", "0:24-0:08"),
        "--pin-seam 0:24-0:08 and --never-cut 0:07-0:12 contradict each other.",
        ["pinned 0:24-0:08", "never_cut 0:07-0:12"],
    ),
    (
        ("--pin-seam", "0:24-0:08", "--forbid-seam", "0:24.2-0:08"),
        "--pin-seam 0:24-0:08 and --forbid-seam 0:24.2-0:08 contradict each other.",
        ["pinned 0:24-0:08", "forbidden 0:24.2-0:08"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "why", "ids"), CONTRADICTIONS)
def test_what_contradicts_is_3_with_a_body_and_one_line(
    workbench: Cli, track_file: Path, tmp_path: Path,
    arguments: tuple[str, ...], why: str, ids: list[str],
) -> None:  # fmt: skip
    plan = tmp_path / "plan.json"
    plan.write_text("as it was")
    code, out, err = workbench("loop", track_file, "--seconds", 90, *arguments, "-o", plan)
    body = json.loads(out)
    assert code == 3
    assert (body["applicable"], body["retryable"]) == (False, False)
    assert (body["plan"]["reason"], body["plan"]["constraints"]) == ("constraints", ids)
    assert body["hint"] == why
    assert err.splitlines().count(why) == 1
    assert plan.read_text() == "as it was"


def test_what_cannot_be_kept_in_this_length_is_named(workbench: Cli, track_file: Path) -> None:
    asked = ("fit", track_file, "--seconds", 1.5)
    code, out, _ = workbench(*asked, "--pin-seam", "0:24-0:08")
    assert code == 3
    assert json.loads(out)["hint"].startswith("--pin-seam 0:24-0:08 cannot be kept in 1.5 s")
    workbench.done(*asked)


def test_a_loop_that_starts_too_late_is_refused_for_that(workbench: Cli, track_file: Path) -> None:
    code, out, _ = workbench("loop", track_file, "--seconds", 90, "--start-at", "1:15")
    assert code == 3
    assert json.loads(out)["plan"]["constraints"] == ["start_at 1:15"]
    workbench.done("fit", track_file, "--seconds", 90, "--start-at", "1:15")


def test_a_plan_goes_to_a_file_whole(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    asked = ("loop", track_file, "--seconds", 90, "--keep", "0:04-0:12")
    printed = json.loads(workbench(*asked)[1])
    assert printed["plan"]["kind"] == "loop"
    workbench.refused(0, *asked, "-o", tmp_path / "plan.json")
    assert json.loads((tmp_path / "plan.json").read_text()) == printed
    assert json.loads(workbench(*asked, "-o", "-")[1]) == printed


def test_of_several_lengths_each_has_a_body_and_one_refusal_is_3(workbench: Cli, track_file: Path) -> None:
    asked = ("fit", track_file, "--keep", "0:01-0:29")
    code, out, err = workbench(*asked, "--seconds", "10,90")
    assert code == 3
    short, long = json.loads(out)["fits"]
    assert (short["applicable"], long["applicable"]) == (False, True)
    assert "10 s: --keep 0:01-0:29 cannot be kept in 10 s; what is to be kept lasts" in err


def test_a_pinned_splice_that_scores_too_little_is_named_with_its_score(
    workbench: Cli, track_file: Path, tmp_path: Path
) -> None:
    home, strict = tmp_path / "home", tmp_path / "strict.toml"
    strict.write_text("[cover]\nmin_seam_score = 0.9999\n")
    asked = ("fit", track_file, "--seconds", 90, "--home", home)
    score = json.loads(workbench("splice", track_file, "0:24", "0:08", "--home", home)[1])["seam_score"]
    _, err = workbench.done(*asked, "--pin-seam", "0:24-0:08")
    assert "scores" not in err
    _, err = workbench.done(*asked, "--pin-seam", "0:24-0:08", "--profile", strict)
    (line,) = [line for line in err.splitlines() if line.startswith("--pin-seam 0:24-0:08 scores ")]
    number, why = line.removeprefix("--pin-seam 0:24-0:08 scores ").split(": ")
    assert float(number) == pytest.approx(score, abs=1.1e-3)
    assert why == "the planner takes a splice of less than 0.9999 only if it is pinned"
