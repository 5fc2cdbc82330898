"""`workbench fit`: what it prints, which lengths and requests it refuses, and what plays its plans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import soundfile

from tests.videos import coloured_shots, write_video

from .conftest import Cli


def test_prints_a_plan_that_renders_and_exports(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    out, err = workbench.done("fit", track_file, "--seconds", 15)
    body = json.loads(out)
    assert body["applicable"] is True
    assert body["plan"]["kind"] in ("straight", "cut_down")
    assert body["plan"]["window_end"] == 15.0
    assert body["plan"]["kind"].replace("_", "-").split("-")[0] in err
    plan = tmp_path / "plan.json"
    plan.write_text(out, encoding="utf-8")
    for number in range(1, len(body["plan"]["options"]) + 1):
        music = tmp_path / f"{number}.wav"
        rendered = ("render", plan, "--track", track_file, "--option", number, "-o", music)
        workbench.done(*rendered)
        info = soundfile.info(music)
        assert info.frames == 15 * info.samplerate
    for form, suffix in (("rpp", "rpp"), ("csv", "csv"), ("audacity", "txt"), ("jams", "jams")):
        exported = tmp_path / f"plan.{suffix}"
        call = ("export", plan, "--format", form, "--track", track_file, "-o", exported)
        workbench.done(*call)
        assert exported.stat().st_size > 0
    err = workbench.refused(1, "export", plan, "--format", "loop-tags", "--track", track_file, "-o", tmp_path / "a.wav")
    assert "has no loop whose points could be written" in err


def test_several_lengths_in_the_order_asked_for(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    out, _ = workbench.done("fit", track_file, "--seconds", "0:20.5,10,65")
    assert [fit["plan"]["window_end"] for fit in json.loads(out)["fits"]] == [20.5, 10.0, 65.0]
    plans, music = tmp_path / "plans.json", tmp_path / "music.wav"
    plans.write_text(out, encoding="utf-8")
    render = ("render", plans, "--track", track_file, "-o", music)
    err = workbench.refused(1, *render)
    assert "plans of several lengths: 20.5, 10, 65 s; name one by --length S" in err
    workbench.done(*render, "--length", 10)
    assert soundfile.info(music).duration == 10.0
    edit = tmp_path / "plan.rpp"
    export = ("export", plans, "--format", "rpp", "--track", track_file, "-o", edit, "--length", 10)
    workbench.done(*export)
    code, out, err = workbench("reproduce", plans, "--track", track_file, "--length", "0:20.5")
    assert (code, json.loads(out)["same"]) == (0, True), err


def test_of_lengths_that_are_all_refused_the_reasons_are_said(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    code, out, _ = workbench("fit", track_file, "--seconds", "6,8", "--keep", "0:02-0:20")
    assert code == 3
    plans = tmp_path / "plans.json"
    plans.write_text(out, encoding="utf-8")
    for length in ((), ("--length", 6)):
        render = ("render", plans, "--track", track_file, "-o", tmp_path / "music.wav")
        err = workbench.refused(1, *render, *length)
        assert "none of these lengths has a plan" in err
        assert "cannot be kept in 6 s" in err


def test_constraints_are_kept(workbench: Cli, track_file: Path) -> None:
    asked = ("--keep", "0:08-0:14", "--start-at", "0:02.5")
    out, err = workbench.done("fit", track_file, "--seconds", 22, *asked)
    plan = json.loads(out)["plan"]
    assert plan["music_in"] == plan["start_at"] == 2.5
    assert any(s["song_from"] <= 8.0 and s["song_to"] >= 13.99 for s in plan["segments"])
    assert "2.50 s after the first picture, as asked for" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "give either"),
        (("--seconds", "0"), "0 s is not between 1 and 86400 s"),
        (("--seconds", "ten"), "not a length"),
        (("--seconds", "10,,20"), "'10,,20' lacks a length beside a comma"),
        (("--seconds", "1:75"), "'1:75' is not a length, such as 90, 2:37 or 15,30,60"),
        (
            ("--seconds", "10", "--keep", "chorus"),
            "is not a range such as 0:40-1:00; or name one of intro, ending, hook",
        ),
        (("--seconds", "10", "--start-at", "1:75"), "not a time"),
        (("--seconds", "10", "--end-on", "last-cut"), "--end-on last-cut needs --video FILE"),
    ],
)
def test_wrong_usage_is_2(workbench: Cli, track_file: Path, arguments: tuple[str, ...], why: str) -> None:
    err = workbench.refused(2, "fit", track_file, *arguments)
    assert why in err


def test_a_closing_fade_lasts_as_long_as_asked_for(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    plan, music = tmp_path / "plan.json", tmp_path / "music.wav"
    fit = ("fit", track_file, "--seconds", 12.3)
    before = json.loads(workbench(*fit)[1])["plan"]
    assert before["end_label"].startswith("fades over ")
    workbench.done(*fit, "--fade", 3.5, "-o", plan)
    asked = json.loads(plan.read_text())["plan"]
    assert (asked["end_fade_seconds"], asked["segments"]) == (3.5, before["segments"])
    for option, other in zip(asked["options"], before["options"], strict=True):
        if other["end_label"].startswith("fades over "):
            assert option["end_label"].startswith("fades over 3.5 s")
        else:
            assert option == other
    workbench.done("render", plan, "--track", track_file, "-o", music)
    assert soundfile.info(music).duration == 12.3
    code, out, err = workbench("reproduce", plan, "--track", track_file)
    assert (code, json.loads(out)["same"]) == (0, True), err
    code, out, err = workbench("fit", track_file, "--seconds", 10.3, "--from", plan)
    assert (code, json.loads(out)["plan"]["end_fade_seconds"]) == (0, 3.5)
    assert "from plan.json: --fade 3.5" in err


def test_a_closing_fade_needs_room_and_an_ending_that_fades(workbench: Cli, track_file: Path) -> None:
    fit = ("fit", track_file, "--seconds")
    err = workbench.refused(1, *fit, 12.3, "--fade", 30)
    assert "workbench: --fade 30: a closing fade lasts 0.4 to 12.2 s at the end of this plan" in err
    own = json.loads(workbench(*fit, 71.3)[1])["plan"]
    out, err = workbench.done(*fit, 71.3, "--fade", 6)
    asked = json.loads(out)["plan"]
    assert (asked["end_label"], asked["end_fade_seconds"]) == (own["end_label"], own["end_fade_seconds"])
    assert "this does not end in a fade, so --fade is not used" in err
    assert workbench(*fit, 12.3, "--fade", 0)[0] == 2


def test_the_last_hit_lands_on_the_last_cut(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    shots = coloured_shots(3)
    video = write_video(tmp_path / "film.mp4", (shots[(k >= 100) + (k >= 450)] for k in range(500)), 25)
    fit = ("fit", track_file, "--end-on")
    out, err = workbench.done(*fit, "last-cut", "--video", video)
    assert "the last cut is at 0:18" in err
    assert json.loads(out) == json.loads(workbench(*fit, "0:18", "--video", video)[1])
    plain = write_video(tmp_path / "plain.mp4", (shots[0] for _ in range(500)), 25)
    err = workbench.refused(1, *fit, "last-cut", "--video", plain)
    assert "workbench: plain.mp4 has no cut for the music to end on" in err
