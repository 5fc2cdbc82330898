"""`workbench reproduce`: the same plan, or a list of what differs; exports and renders know what it was made from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import soundfile

import workbench as wb
from workbench.analysis.provenance import CHANGED_BY_HAND, KEY, read_provenance
from workbench.export.fcpxml import PROVENANCE_KEY

from .conftest import Cli


@pytest.fixture
def track(track_file: Path, tmp_path: Path) -> Path:
    """A track of one's own, beside the plan."""
    return Path(shutil.copy(track_file, tmp_path / "track.wav"))


@pytest.fixture
def plan(workbench: Cli, track: Path, tmp_path: Path) -> Path:
    out, _ = workbench.done("loop", track, "--seconds", 80)
    path = tmp_path / "plan.json"
    path.write_text(out)
    return path


def changed(plan: Path, **fields: Any) -> Path:
    """A copy of the plan with other values in its provenance."""
    result = json.loads(plan.read_text())
    out = plan.with_name("changed.json")
    out.write_text(json.dumps(result | {KEY: result[KEY] | fields}))
    return out


def test_the_plan_says_what_it_was_made_from_and_is_made_again(workbench: Cli, plan: Path, tmp_path: Path) -> None:
    made = read_provenance(json.loads(plan.read_text()))
    assert made is not None
    assert (made.command, made.constraints) == ("loop", {"seconds": 80.0})
    assert made.track is not None
    assert made.track.name == "track.wav"
    assert made.grid is not None
    assert made.grid.origin == "heard"
    assert str(tmp_path) not in json.dumps(made.to_json())
    code, out, err = workbench("reproduce", plan)
    assert (code, json.loads(out)) == (0, {"same": True, "differences": []})
    assert err.splitlines()[-1] == "the same result"


def test_a_fit_is_made_again_with_its_request_and_each_of_several_alone(
    workbench: Cli, track: Path, tmp_path: Path
) -> None:
    asked = ("fit", track, "--seconds", "16,24", "--keep", "ending", "--start-at", "0:00")
    out, _ = workbench.done(*asked)
    fits = json.loads(out)["fits"]
    made = read_provenance(fits[1])
    assert made is not None
    assert made.constraints == {"seconds": [16.0, 24.0], "keep": ["ending"], "start_at": 0.0, "number": 2}
    several = tmp_path / "fits.json"
    several.write_text(out)
    err = workbench.refused(1, "reproduce", several)
    assert "plans of several lengths: 16, 24 s; name one by --length S" in err
    code, out, err = workbench("reproduce", several, "--length", 24)
    assert (code, json.loads(out)) == (0, {"same": True, "differences": []}), err
    for number, fit in enumerate(fits):
        plan = tmp_path / f"fit-{number}.json"
        plan.write_text(json.dumps(fit))
        code, out, err = workbench("reproduce", plan)
        assert (code, json.loads(out)) == (0, {"same": True, "differences": []}), err


def test_recorded_parameters_are_applied(workbench: Cli, track: Path, tmp_path: Path) -> None:
    profile = tmp_path / "near.toml"
    profile.write_text("[cover]\nrequired_excess_seconds = 10.0\n")
    plan = tmp_path / "plan.json"
    plan.write_text(workbench("loop", track, "--seconds", 50, "--profile", profile)[1])
    assert json.loads(plan.read_text())[KEY]["params"] == {"cover": {"required_excess_seconds": 10.0}}
    workbench.done("reproduce", plan)


def test_what_differs_is_said_by_field(workbench: Cli, plan: Path) -> None:
    result = json.loads(plan.read_text())
    result["plan"]["music_in"] = 1.25
    result[KEY] |= {"version": "0.0", "stages": {"beats": 1}}
    edited = plan.with_name("edited.json")
    edited.write_text(json.dumps(result))
    code, out, err = workbench("reproduce", edited)
    assert code == 1
    lines = json.loads(out)["differences"]
    assert lines[0].startswith("program: made by barline-workbench 0.0, this is barline-workbench ")
    assert lines[1].startswith("stage beats: version 1, now ")
    assert lines[2] == "plan.music_in: 1.25, now 0.0"
    assert lines == err.splitlines()[-3:]


def test_another_environment_and_another_tracker_are_named(
    workbench: Cli, track: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a result that is the same: what else was there when it was made."""
    (tmp_path / "own_tracker.py").write_text(
        "import numpy as np\nfrom workbench.beats.grid import BeatGrid\n\n\nclass Even:\n    version = 3\n\n"
        "    def track(self, recording, params):\n"
        "        return BeatGrid.from_times(np.arange(0.0, recording.duration - 0.1, 0.5))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    made = tmp_path / "made.json"
    options = ("--seconds", 90, "--use", "beat-tracker=own_tracker:Even", "-o", made)
    workbench.done("loop", track, *options)
    body = json.loads(made.read_text())
    tracker = body["provenance"]["extensions"]["beats.tracker"]
    assert (tracker["name"], tracker["version"], len(tracker["source"])) == ("own_tracker:Even", 3, 16)
    assert set(body["provenance"]["environment"]) == {"python", "numpy", "scipy", "pyav", "ffmpeg", "platform"}
    body["provenance"]["environment"]["numpy"] = "1.0"
    tracker["source"] = "0" * 16
    made.write_text(json.dumps(body))
    code, out, _ = workbench("reproduce", made, "--track", track)
    said = json.loads(out)
    assert (code, said["same"]) == (0, True)
    assert any(line.startswith('environment: numpy "1.0", now ') for line in said["differences"])
    assert any('beats.tracker.source "0000000000000000", now ' in line for line in said["differences"])


def test_what_a_dashboard_changed_by_hand_is_named(workbench: Cli, plan: Path) -> None:
    by_hand = changed(plan, constraints={"seconds": 80.0, CHANGED_BY_HAND: True})
    out, _ = workbench.done("reproduce", by_hand)
    assert "changed by hand" in json.loads(out)["differences"][0]


def test_a_track_of_other_bytes_differs_even_where_the_plan_does_not(
    workbench: Cli, plan: Path, track: Path, tmp_path: Path
) -> None:
    sound, rate = soundfile.read(track)
    other = tmp_path / "other.wav"
    soundfile.write(other, sound * 0.9, rate, subtype="PCM_16")
    code, out, _ = workbench("reproduce", plan, "--track", other)
    assert code == 1
    assert "track: other.wav has other bytes than track.wav" in json.loads(out)["differences"][0]
    _, err = workbench.done("render", plan, "--track", other, "-o", tmp_path / "x.wav")
    assert "other.wav has other bytes than track.wav, the track that this was planned for" in err
    _, _, err = workbench("render", plan, "--track", track, "-o", tmp_path / "x.wav")
    assert "other bytes" not in err
    exported = ("export", plan, "--format", "csv", "-o", tmp_path / "x.csv")
    _, err = workbench.done(*exported, "--track", other)
    assert "other.wav has other bytes than track.wav, the track that this was planned for" in err
    for named in ((), ("--track", track)):
        _, _, err = workbench(*exported, *named)
        assert "other bytes" not in err


def test_a_plan_on_the_heard_grid_is_made_again_whatever_grid_was_given_since(
    workbench: Cli, plan: Path, track: Path, tmp_path: Path
) -> None:
    home, grid = tmp_path / "home", tmp_path / "track.beats"
    grid.write_text("".join(f"{beat * 0.5 + 1.0:.3f}\t{beat % 4 + 1}\n" for beat in range(60)))
    workbench.done("beats", track, "--grid", grid, "--home", home)
    workbench.done("reproduce", plan, "--home", home)
    given = tmp_path / "given.json"
    given.write_text(workbench("loop", track, "--seconds", 80, "--home", home)[1])
    assert json.loads(given.read_text())[KEY]["grid"]["note"] == "read from track.beats"
    workbench.done("reproduce", given, "--home", home)
    workbench.done("beats", track, "--confirm", "--home", home)
    code, out, _ = workbench("reproduce", given, "--home", home)
    assert code == 1
    assert any(line.startswith("grid: revision ") for line in json.loads(out)["differences"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{}", "no provenance"),
        (json.dumps({KEY: {"command": "loop"}}), "not a provenance"),
        ("not JSON", "not JSON"),
    ],
)
def test_what_says_nothing_of_itself_is_one_clear_line(
    workbench: Cli, tmp_path: Path, content: str, words: str
) -> None:
    file = tmp_path / "c.json"
    file.write_text(content)
    err = workbench.refused(1, "reproduce", file)
    assert words in err
    assert len(err.splitlines()) == 1


def test_results_that_cannot_be_made_again_are_refused(workbench: Cli, plan: Path) -> None:
    err = workbench.refused(1, "reproduce", changed(plan, command="underscore"))
    assert (
        "a result of underscore cannot be made again; those of loop, fit, align, match, conform, edit, splice can"
        in err
    )
    err = workbench.refused(1, "reproduce", changed(plan, params={"seams": {"beets": 1}}))
    assert "beets" in err
    lost = {"name": "lost.wav", "content_hash": "ab" * 32}
    err = workbench.refused(1, "reproduce", changed(plan, track=lost))
    assert (
        "the track lost.wav (abababababab…) is not in this home folder, and no lost.wav of these bytes beside the "
        "plan: give --track FILE"
    ) in err


def test_what_differs_is_said_once_though_the_first_option_repeats_it(
    workbench: Cli, plan: Path, tmp_path: Path
) -> None:
    result = json.loads(plan.read_text())
    for one in (result["plan"], result["plan"]["options"][0]):
        one["seam_score"] = 0.123
    result["plan"]["options"][0]["end_label"] = "another"
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(result))
    code, out, _ = workbench("reproduce", edited)
    names = [line.partition(":")[0] for line in json.loads(out)["differences"]]
    assert (code, names) == (1, ["plan.seam_score", "plan.options[0].end_label"])


def test_edits_and_annotations_hold_it(workbench: Cli, plan: Path, track: Path, tmp_path: Path) -> None:
    made = json.loads(plan.read_text())[KEY]

    def exported(name: str) -> str:
        out = tmp_path / f"out.{name}"
        workbench.done("export", plan, "--format", name, "--track", track, "-o", out)
        return out.read_text(encoding="utf-8")

    assert json.loads(exported("otio"))["metadata"]["workbench"][KEY] == made
    assert json.loads(exported("jams"))["sandbox"]["workbench"][KEY] == made
    (stated,) = ElementTree.fromstring(exported("fcpxml")).iterfind(f".//sequence/metadata/md[@key='{PROVENANCE_KEY}']")
    assert json.loads(stated.attrib["value"]) == made


def test_beats_and_underscore_say_it_too(workbench: Cli, track: Path, tmp_path: Path) -> None:
    made = json.loads(workbench("beats", track)[1])[KEY]
    assert (made["command"], made["track"]["name"], made["grid"]["origin"]) == ("beats", "track.wav", "heard")
    here = ("--home", tmp_path / "home")  # other tests count on a home whose catalog is empty
    workbench.done("catalog", "add", track, *here)
    made = json.loads(workbench.done("underscore", "By the sea.", "--brief", "warm", *here)[0])[KEY]
    assert (made["command"], made["constraints"]) == ("underscore", {"brief": "warm"})
    assert np.all([name not in made for name in ("track", "video", "grid")])


@pytest.mark.parametrize("kind", ["edit", "edit on a grid", "splice"])
def test_an_edit_of_ones_own_is_rendered_exported_listed_and_made_again(
    kind: str, workbench: Cli, track: Path, tmp_path: Path
) -> None:
    grid = wb.BeatGrid.from_times(np.arange(0.25, 32.0, 0.5)) if kind == "edit on a grid" else None
    own: Any = wb.splice(track, "0:24", "0:08", snap="bar")
    if kind != "splice":
        own = wb.plan_of([("0:00", "0:24"), (8.25, 30.0)], track, grid=grid, gain_glide_seconds=0.5)
    plan = wb.save_plan(own, tmp_path / "own.json")
    code, out, err = workbench("reproduce", plan)
    assert (code, json.loads(out)) == (0, {"same": True, "differences": []}), err
    played = own.played if kind == "splice" else own
    music = tmp_path / "music.wav"
    workbench.done("render", plan, "--track", track, "-o", music)
    sound, rate = soundfile.read(music, always_2d=True)
    assert sound.shape[0] == pytest.approx(played.plan.window_end * rate, abs=1)
    np.testing.assert_allclose(sound.T, played.sound().samples, atol=2e-4)
    for name in ("otio", "rpp", "csv", "jams"):
        file = tmp_path / f"out.{name}"
        workbench.done("export", plan, "--format", name, "--track", track, "-o", file)
        assert file.stat().st_size
    listed = [json.loads(line) for line in workbench("plans", tmp_path)[1].splitlines()]
    assert [(one["name"], one["track"]) for one in listed if one["name"] == "own.json"] == [("own.json", "track.wav")]
