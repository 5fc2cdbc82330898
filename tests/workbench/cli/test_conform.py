"""`workbench conform`: from two edit lists to a plan that plays, and what it says on the way."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import pytest

from workbench.results.plan import plan_from_json

from .conftest import Cli

RATE = 25


def write_edl(path: Path, clips: list[tuple[str, int, int]]) -> Path:
    """A CMX 3600 list of cuts at 25 frames a second: reel, first source frame, frames."""

    def code(frames: int) -> str:
        seconds, left = divmod(frames, RATE)
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}:{left:02d}"

    lines, at = ["TITLE: cut", "FCM: NON-DROP FRAME"], 0
    for number, (reel, first, frames) in enumerate(clips, start=1):
        times = " ".join(code(time) for time in (first, first + frames, at, at + frames))
        lines.append(f"{number:03d}  {reel:<8} V     C        {times}")
        at += frames
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def cuts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A cut of 40 s, and one in which 3 s are gone from its second shot."""
    folder = tmp_path_factory.mktemp("cuts")
    shots = [("A", 0, 10 * RATE), ("B", 0, 15 * RATE), ("C", 50, 15 * RATE)]
    shorter = [shots[0], ("B", 0, 12 * RATE), shots[2]]
    return write_edl(folder / "old.edl", shots), write_edl(folder / "new.edl", shorter)


@pytest.fixture
def plan_file(workbench: Cli, track_file: Path, tmp_path: Path) -> Path:
    out, _ = workbench.done("fit", track_file, "--seconds", "40")
    path = tmp_path / "plan.json"
    path.write_text(out)
    return path


def test_a_plan_follows_an_edit(
    workbench: Cli, plan_file: Path, cuts: tuple[Path, Path], track_file: Path, tmp_path: Path
) -> None:
    out_file, picture = tmp_path / "plan-2.json", tmp_path / "changes.png"
    out, err = workbench.done(
        "conform", plan_file, "--from", cuts[0], "--to", cuts[1], "-o", out_file, "--picture", picture,
        "--track", track_file,
    )  # fmt: skip
    said = json.loads(out)
    assert list(said) == ["old_seconds", "new_seconds", "changes", "kept_share", "worst_seam"]
    assert (said["old_seconds"], said["new_seconds"]) == (40.0, 37.0)
    (change,) = said["changes"]
    assert (change["at"], change["old_at"], change["delta_seconds"], change["kind"]) == (22.0, 22.0, -3.0, "trim")
    assert change["music"]
    assert change["music"] in err
    assert picture.read_bytes().startswith(b"\x89PNG")
    body = json.loads(out_file.read_text())
    old, new = plan_from_json(json.loads(plan_file.read_text())), plan_from_json(body)
    assert new.window_end == 37.0
    assert new.options == (new.alone,)
    assert body["plan"]["alternates"] == []
    assert body["provenance"]["command"] == "conform"
    constraints = body["provenance"]["constraints"]
    assert (constraints["from"], constraints["to"]) == ("old.edl", "new.edl")
    assert new.segments[0].song_from == old.segments[0].song_from
    # What was changed can be played, and changed back.
    workbench.done("render", out_file, "--track", track_file, "-o", tmp_path / "music.wav")
    back = ("conform", out_file, "--from", cuts[1], "--to", cuts[0], "-o", tmp_path / "back.json",
            "--track", track_file, "--keep-ending")  # fmt: skip
    out, _ = workbench.done(*back, "--min-seam-score", 0.05)
    assert json.loads(out)["new_seconds"] == 40.0
    provenance = json.loads((tmp_path / "back.json").read_text())["provenance"]
    assert provenance["params"]["cover"]["min_seam_score"] == 0.05
    assert provenance["constraints"]["keep_ending"] is True
    err = workbench.refused(2, *back, "--min-seam-score", 1.5)
    assert "--min-seam-score" in err


def test_no_difference_is_the_same_plan(
    workbench: Cli, plan_file: Path, cuts: tuple[Path, Path], track_file: Path, tmp_path: Path
) -> None:
    out_file = tmp_path / "same.json"
    out, err = workbench.done(
        "conform", plan_file, "--from", cuts[0], "--to", cuts[0], "-o", out_file, "--track", track_file
    )
    assert json.loads(out)["changes"] == []
    assert json.loads(out)["kept_share"] == 1.0
    assert "nothing differs: the same plan" in err
    before, after = (plan_from_json(json.loads(path.read_text())) for path in (plan_file, out_file))
    assert after.segments == before.segments


def test_what_cannot_be_followed_is_one_line(
    workbench: Cli, plan_file: Path, cuts: tuple[Path, Path], track_file: Path, tmp_path: Path
) -> None:
    old, new = cuts
    several = tmp_path / "several.json"
    several.write_text(workbench("fit", track_file, "--seconds", "20,30")[1])
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps(json.loads(plan_file.read_text())["plan"]))
    video = tmp_path / "video.mp4"
    for given, first, second, track, words in (
        (plan_file, new, old, track_file, "s and the plan 40.000 s; give the cut that the plan was made for"),
        (several, old, new, track_file, "plans of several lengths"),
        (bare, old, new, None, "give --track FILE"),
        (plan_file, old, video, track_file, "is an edit list and video.mp4 is not"),
        (plan_file, old, tmp_path / "none.edl", track_file, "no such file"),
    ):
        named = () if track is None else ("--track", track)
        err = workbench.refused(
            1, "conform", given, "--from", first, "--to", second, "-o", tmp_path / "out.json", *named
        )
        assert words in err.strip().splitlines()[-1]
        assert not (tmp_path / "out.json").exists()


def test_a_frame_more_or_less_is_the_same_cut(
    workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path
) -> None:
    frames = int(Fraction(40) * RATE)
    old = write_edl(tmp_path / "old.edl", [("A", 0, frames - 1)])
    new = write_edl(tmp_path / "new.edl", [("A", 0, frames - 51)])
    out, _ = workbench.done(
        "conform", plan_file, "--from", old, "--to", new, "-o", tmp_path / "out.json", "--track", track_file,
    )  # fmt: skip
    assert json.loads(out)["new_seconds"] == round((frames - 51) / RATE, 6)


def test_a_guessed_frame_rate_is_said_and_can_be_given(
    workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path
) -> None:
    shots = [("A", 0, 262), ("B", 262, 738)]
    old, new = write_edl(tmp_path / "old.edl", shots), write_edl(tmp_path / "new.edl", [shots[0], ("B", 262, 690)])
    out_file = tmp_path / "plan-2.json"
    command = ["conform", plan_file, "--from", old, "--to", new, "-o", out_file, "--track", track_file]
    _, err = workbench.done(*command)
    assert "do not state their frame rate: 24 frames a second were taken, 25, 30, 50, 60 would fit as well" in err
    out, err = workbench.done(*command, "--frame-rate", "25")
    assert "frame rate" not in err
    assert json.loads(out)["new_seconds"] == pytest.approx(952 / 25)
    # What was given is recorded, so that the plan can be made again.
    code, out, err = workbench("reproduce", out_file, "--track", track_file)
    assert (code, json.loads(out)["same"]) == (0, True), err


def test_what_is_wrong_with_a_plan_names_its_file(
    workbench: Cli, cuts: tuple[Path, Path], track_file: Path, tmp_path: Path
) -> None:
    path, options = tmp_path / "bad.json", ["--track", track_file]
    path.write_text('{"plan": {"segments": []}}')
    commands = (
        ["conform", path, "--from", cuts[0], "--to", cuts[1], "-o", tmp_path / "out.json"],
        ["reproduce", path],
        ["render", path, "-o", tmp_path / "out.wav"],
    )
    for command in commands:
        err = workbench.refused(1, *command, *options)
        assert f"{path}: " in err.splitlines()[-1], command[0]


def fcpxml_of(*projects: tuple[str, list[tuple[str, int, int]]], version: str = "1.13") -> str:
    """A document of projects: name, and clips of media, first second, seconds."""
    media = sorted({name for _, clips in projects for name, _, _ in clips})
    assets = "".join(f'<asset id="{name}" src="file:///{name}.mov" start="0s" duration="99s"/>' for name in media)
    stories = "".join(
        f'<project name="{name}"><sequence format="r"><spine>'
        + "".join(f'<asset-clip ref="{ref}" start="{first}s" duration="{long}s"/>' for ref, first, long in clips)
        + "</spine></sequence></project>"
        for name, clips in projects
    )
    return (
        f'<fcpxml version="{version}"><resources><format id="r" frameDuration="1/{RATE}s"/>{assets}</resources>'
        f"<library><event>{stories}</event></library></fcpxml>"
    )


def test_bundles_projects_and_newer_versions(
    workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = [("A", 0, 10), ("B", 0, 15), ("C", 2, 15)]
    bundle, out_file = tmp_path / "cuts.fcpxmld", tmp_path / "plan-2.json"
    bundle.mkdir()
    document = bundle / "Info.fcpxml"
    document.write_text(fcpxml_of(("first", first), ("second", first[:2]), version="1.14"))
    call = ("conform", plan_file, "--from", bundle, "--to", bundle, "-o", out_file, "--track", track_file)
    err = workbench.refused(1, *call)
    assert "cuts.fcpxmld: holds 2 projects: first, second; say which with --project NAME" in err
    caplog.clear()
    out, _ = workbench.done(*call, "--project", "first", "--project", "second")
    (change,) = json.loads(out)["changes"]
    assert (change["at"], change["delta_seconds"], change["kind"]) == (25.0, -15.0, "delete")
    assert {record.getMessage() for record in caplog.records} == {
        f"{bundle}: FCPXML 1.14 is newer than 1.13, so what it adds is not read"
    }
    constraints = json.loads(out_file.read_text())["provenance"]["constraints"]
    assert (constraints["from"], constraints["projects"]) == ("cuts.fcpxmld", ["first", "second"])
    assert constraints["conformed"]["from"] == hashlib.sha256(document.read_bytes()).hexdigest()
    out, _ = workbench.done("reproduce", out_file, "--track", track_file)
    assert json.loads(out)["same"] is True
    document.write_text(fcpxml_of(("first", first), ("second", first)))
    err = workbench.refused(1, "reproduce", out_file, "--track", track_file)
    assert "the cut cuts.fcpxmld was not found by its bytes" in err


def test_what_cannot_be_done_prints_a_body_with_its_provenance(
    workbench: Cli, cuts: tuple[Path, Path], track_file: Path, tmp_path: Path
) -> None:
    before, after = tmp_path / "plan.json", tmp_path / "plan-2.json"
    out, _ = workbench.done("fit", track_file, "--seconds", 40, "--keep", "0:04-0:30")
    before.write_text(out)
    brief = write_edl(tmp_path / "brief.edl", [("A", 0, 8 * RATE)])
    code, out, err = workbench("conform", before, "--from", cuts[0], "--to", brief, "-o", after,
                               "--track", track_file)  # fmt: skip
    assert (code, after.exists()) == (3, False), err
    assert "--keep 0:04-0:30 cannot be kept in 8 s" in err
    body = json.loads(out)
    assert (body["applicable"], body["plan"]["reason"]) == (False, "constraints")
    assert body["provenance"]["command"] == "conform"
    assert body["provenance"]["constraints"]["keep"] == [[4.0, 30.0]]


def test_what_was_asked_of_a_plan_is_known_after_an_edit(
    workbench: Cli, cuts: tuple[Path, Path], track_file: Path, tmp_path: Path
) -> None:
    before, after = tmp_path / "plan.json", tmp_path / "plan-2.json"
    asked = ("--forbid-seam", "0:12-0:04", "--start-at", "0:01", "--end-on", "0:39", "--fade", 3)
    out, _ = workbench.done("fit", track_file, "--seconds", 40, *asked)
    before.write_text(out)
    _, err = workbench.done("conform", before, "--from", cuts[0], "--to", cuts[1], "-o", after,
                             "--track", track_file)  # fmt: skip
    assert "--end-on of the plan is not asked of the changed one" in err
    out, _ = workbench.done("fit", track_file, "--seconds", 37, "--from", after)
    assert json.loads(out)["provenance"]["constraints"] == {
        "seconds": 37.0, "start_at": 1.0, "forbid_seam": [[12.0, 4.0]], "fade": 3.0
    }  # fmt: skip
