"""`workbench export`: every format from the command line, and what is said when it cannot be done."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import av
import pytest

from tests.videos import grey, write_video
from workbench.analysis.workspace import Workspace
from workbench.cli.export import _FORMATS
from workbench.params import AlignParams, WorkbenchParams
from workbench.params.align import AlignModel
from workbench.render.schedule import place_track
from workbench.store.home import Home
from workbench.workflows.align import align_track
from workbench.workflows.export import all_formats, export_plan, find_sync_points

from .conftest import Cli

Loaded = Callable[..., list[str]]
SECONDS = 75.0

FORMATS = all_formats()


@pytest.fixture(scope="module")
def plan_text(track_file: Path, home: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `workbench loop` prints for the track and 75 s."""
    from click.testing import CliRunner

    from workbench.cli.main import app

    arguments = ["loop", str(track_file), "--seconds", str(SECONDS), "--home", str(home)]
    outcome = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert outcome.exit_code == 0
    return outcome.stdout


@pytest.fixture
def plan_file(plan_text: str, tmp_path: Path) -> Path:
    path = tmp_path / 'plan für "Video & Ton".json'
    path.write_text(plan_text, encoding="utf-8")
    return path


def test_the_command_offers_the_formats_of_the_table() -> None:
    assert tuple(FORMATS) == _FORMATS


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_is_written(workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / f"out{FORMATS[name].suffix or '.wav'}"
    arguments = ["export", plan_file, "--format", name, "--track", track_file, "-o", out]
    said, _ = workbench.done(*arguments)
    assert json.loads(said) == {"output": str(out), "format": name, "bytes": out.stat().st_size}
    assert sorted(tmp_path.iterdir()) == sorted([plan_file, out])


def test_standard_output_holds_the_file_alone(workbench: Cli, plan_file: Path, tmp_path: Path) -> None:
    arguments = ["export", plan_file, "--format", "csv", "-o"]
    workbench.done(*arguments, tmp_path / "seams.csv")
    code, said, errors = workbench(*arguments, "-")
    assert (code, said) == (0, (tmp_path / "seams.csv").read_text())
    assert json.loads(errors.splitlines()[-1]) == {"output": "-", "format": "csv"}
    errors = workbench.refused(2, *arguments, "-", "--format", "rpp", "--with-media")
    assert "name a file" in errors


def test_a_table_of_seams_needs_the_plan_alone(loaded_by: Loaded, plan_file: Path, tmp_path: Path) -> None:
    heavy = ("numba", "scipy", "sqlalchemy", "zarr", "librosa", "matplotlib", "opentimelineio", "jams")
    arguments = ("export", plan_file, "--format", "csv", "-o", tmp_path / "seams.csv")
    assert loaded_by(heavy, *arguments) == []


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--format", "rpp"], 2, "the format rpp needs the track: "),
        (["--format", "aaf"], 2, "'aaf' is not one of"),
        (["--format", "otio", "--track", "nowhere.wav"], 1, "nowhere.wav: no such file, and no track of that id"),
        (["--format", "csv", "--video", "nowhere.mp4"], 1, "nowhere.mp4: no such file, and no video of that id"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    workbench: Cli, plan_file: Path, tmp_path: Path, arguments: list[str], code: int, sentence: str
) -> None:
    out = tmp_path / "out.x"
    got, said, errors = workbench("export", plan_file, *arguments, "-o", out)
    assert got == code
    assert sentence in errors
    assert "Traceback" not in errors
    assert not said
    assert not out.exists()


def test_a_plan_of_another_track_is_refused(
    workbench: Cli, plan_file: Path, plan_text: str, track_file: Path, tmp_path: Path
) -> None:
    import soundfile

    sound, rate = soundfile.read(track_file)
    other = tmp_path / "other.wav"
    soundfile.write(other, sound[: 20 * rate], rate)
    out = tmp_path / "out.rpp"
    errors = workbench.refused(1, "export", plan_file, "--format", "rpp", "--track", other, "-o", out)
    assert "made for a track of" in errors
    assert not out.exists()


def test_the_plan_is_not_written_over(workbench: Cli, plan_file: Path, plan_text: str) -> None:
    errors = workbench.refused(2, "export", plan_file, "--format", "csv", "-o", plan_file)
    assert f"{plan_file} is also read by this command; name another file" in errors
    assert plan_file.read_text(encoding="utf-8") == plan_text


@pytest.fixture
def placed_file(track_file: Path, tmp_path: Path) -> Path:
    """What `workbench align` prints, with two placements."""
    points = [{"offset_seconds": offset, "score": 0.5, "label": "a"} for offset in (5.25, -3.5)]
    body = {"video_id": "v", "track_id": track_file.name, "status": "complete", "cached": True, "mix": None}
    path = tmp_path / "placed.json"
    path.write_text(json.dumps(body | {"sync_points": points}), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "loop-tags"])
def test_a_placement_is_written_in_every_format_that_can_hold_it(
    workbench: Cli, placed_file: Path, track_file: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / f"out{FORMATS[name].suffix}"
    arguments = ["--placement", 2, "--format", name, "--track", track_file, "-o", out]
    said, _ = workbench.done("export", placed_file, *arguments)
    assert json.loads(said)["bytes"] == out.stat().st_size
    if name == "rpp":
        text = out.read_text(encoding="utf-8")
        assert "SOFFS 3.5\n" in text
        tempo = next(line.split() for line in text.splitlines() if line.strip().startswith("TEMPO "))
        assert float(tempo[1]) == pytest.approx(120.0, abs=0.5)
        assert tempo[2:] == ["4", "4"]
    if name == "audacity":
        rows = [line.split("\t") for line in out.read_text(encoding="utf-8").splitlines()]
        starts = [float(start) for start, _, text in rows if text.startswith("bar ")]
        assert len(starts) > 12
        # The track has a bar line every two seconds from its first sample.
        assert [(start + 3.5 + 1.0) % 2.0 for start in starts] == pytest.approx([1.0] * len(starts), abs=0.03)


def test_a_format_that_cannot_hold_a_placement_says_so(
    workbench: Cli, placed_file: Path, track_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.wav"
    arguments = ["--format", "loop-tags", "--track", track_file, "-o", out]
    errors = workbench.refused(1, "export", placed_file, *arguments)
    assert "the format loop-tags cannot hold a placement" in errors
    assert not out.exists()


def test_an_option_is_exported_by_its_number(workbench: Cli, plan_file: Path, plan_text: str, tmp_path: Path) -> None:
    options = json.loads(plan_text)["plan"]["options"]
    for number, option in enumerate(options, start=1):
        out = tmp_path / f"{number}.csv"
        arguments = ["--option", number, "--format", "csv", "-o", out]
        workbench.done("export", plan_file, *arguments)
        rows = [line.split(",") for line in out.read_text(encoding="utf-8").splitlines()[1:]]
        assert [float(row[1]) for row in rows] == option["seam_times"]
        assert [float(row[3]) for row in rows] == [segment["song_from"] for segment in option["segments"][1:]]
    assert len(options) > 1


def test_levels_of_another_option_need_the_video(
    workbench: Cli, plan_file: Path, plan_text: str, track_file: Path, tmp_path: Path
) -> None:
    duck = {
        "envelope_points": [[9.5, 0.0], [10.0, 20.0]], "envelope_hz": 100, "speech_ranges": [[10.0, 15.0]],
        "depth_db": 20.0, "attack_ms": 500, "release_ms": 500,
    }  # fmt: skip
    mix = {"voiceover": True, "classification": "voice", "music_gain_db": -6.0, "video_gain_db": 0.0, "duck": duck}
    plan_file.write_text(json.dumps(json.loads(plan_text) | {"mix": mix}), encoding="utf-8")
    arguments = ["--format", "rpp", "--track", track_file, "-o", tmp_path / "out.rpp"]
    for number, warned in ((1, False), (2, True)):
        _, errors = workbench.done("export", plan_file, "--option", number, *arguments)
        assert (
            "the levels are those of the plan served; with --video they are measured for option 2" in errors
        ) == warned


def test_what_is_said_of_stems_is_said_of_their_files(
    workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path
) -> None:
    """Final Cut imports the track, which is a WAV, and not the stem."""
    import soundfile

    soundfile.write(tmp_path / "rest.flac", *soundfile.read(track_file))
    files = ("--track", track_file, "--stem", f"rest={tmp_path / 'rest.flac'}", "-o", tmp_path / "out")
    _, errors = workbench.done("export", plan_file, "--format", "fcpxml", *files)
    assert "Final Cut Pro does not import .flac files" in errors
    errors = workbench.refused(2, "export", plan_file, "--format", "fcpxml", *files, "--duck", "rest")
    assert "--duck needs a PLAN made with --auto-mix" in errors


def test_a_placement_is_marked_where_it_meets_the_picture(
    track_file: Path, shots_file: Path, home: Path, tmp_path: Path
) -> None:
    """Every format with markers has one at the event that the placement's label names; the odds make it no chance."""
    model = AlignModel(prior_odds=1.0)
    params = WorkbenchParams(align=AlignParams(model=model))
    with Workspace(Home(home), params=params) as workspace:
        best = align_track(workspace, track_file, shots_file).placements[0]
        placed = place_track(best.offset_seconds, workspace.load_recording(track_file).duration, 20.0)
        marks = find_sync_points(workspace, track_file, shots_file, best.offset_seconds)
        named, clock = best.label.rsplit(" at ", 1)
        minutes, seconds = clock.split(":")
        meant = 60 * int(minutes) + float(seconds)
        for name in ("otio", "fcpxml", "xmeml", "edl", "rpp", "audacity"):
            out = tmp_path / f"out{FORMATS[name].suffix}"
            export_plan(workspace, placed, name, out, track=track_file, video=shots_file, sync_points=marks)
            assert f"sync: {named}" in out.read_text(encoding="utf-8")
    labels = [line.split("\t") for line in out.read_text(encoding="utf-8").splitlines()]
    starts = [float(start) for start, _, text in labels if text == f"sync: {named}"]
    assert min(abs(start - meant) for start in starts) <= 0.05


def test_a_placement_that_may_be_chance_has_no_markers(
    workbench: Cli, track_file: Path, shots_file: Path, tmp_path: Path
) -> None:
    placed, out = tmp_path / "placed.json", tmp_path / "out.txt"
    placed.write_text(workbench("align", track_file, "--video", shots_file)[1], encoding="utf-8")
    assert json.loads(placed.read_text(encoding="utf-8"))["sync_points"][0]["score"] < 0.3
    files = ("--track", track_file, "--video", shots_file, "-o", out)
    _, errors = workbench.done("export", placed, "--format", "audacity", *files)
    assert "placement 1: no clear sync point" in errors
    assert "sync:" not in out.read_text(encoding="utf-8")


@pytest.mark.slow
def test_media_are_written_beside_an_edit(workbench: Cli, plan_file: Path, track_file: Path) -> None:
    """The edit names the WAV, which holds the track as it was decoded, whatever the track is."""
    import soundfile

    folder = plan_file.parent
    coded = folder / "track.flac"
    sound, rate = soundfile.read(track_file, always_2d=True)
    soundfile.write(coded, sound, rate, subtype="PCM_16")
    for name in ("otio", "fcpxml", "xmeml", "edl", "rpp"):
        out = folder / f"{name}{FORMATS[name].suffix}"
        files = ("--track", coded, "-o", out)
        said, errors = workbench.done("export", plan_file, "--format", name, "--with-media", *files)
        assert "does not import" not in errors
        beside, music = folder / f"{name}-track.wav", folder / f"{name}-music.wav"
        assert json.loads(said)["media"] == [str(beside), str(music)]
        assert soundfile.info(music).duration == pytest.approx(SECONDS, abs=1e-4)
        copied, copied_rate = soundfile.read(beside, always_2d=True)
        assert copied_rate == rate
        assert copied == pytest.approx(soundfile.read(coded, always_2d=True)[0], abs=2**-23)
        text = out.read_text(encoding="utf-8")
        assert beside.name in text
        assert music.name in text
        assert str(folder) not in text
        assert "track.flac" not in text


def test_media_belong_to_edits(workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path) -> None:
    files = ("--track", track_file, "-o", tmp_path / "out.wav")
    errors = workbench.refused(1, "export", plan_file, "--format", "jams", "--with-media", *files)
    assert "the format jams names no media; leave --with-media out" in errors
    assert not (tmp_path / "out.wav").exists()


def test_the_track_is_not_written_over_by_its_media(
    workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path
) -> None:
    own = tmp_path / "cut-track.wav"
    own.write_bytes(track_file.read_bytes())
    files = ("--track", own, "-o", tmp_path / "cut.edl")
    errors = workbench.refused(1, "export", plan_file, "--format", "edl", "--with-media", *files)
    assert "cut-track.wav: the output is made from this file; choose another name" in errors
    assert own.read_bytes() == track_file.read_bytes()


def test_what_a_format_cannot_hold_is_said_in_a_line(
    workbench: Cli, plan_file: Path, track_file: Path, tmp_path: Path
) -> None:
    for name, said in (("edl", "levels are comments, and the soundtrack is left out"), ("rpp", "")):
        out = tmp_path / f"out{FORMATS[name].suffix}"
        files = ("--track", track_file, "-o", out)
        _, errors = workbench.done("export", plan_file, "--format", name, *files)
        assert said in errors
        assert (f"{name}: " in errors) == bool(said)


def test_the_help_names_every_format(workbench: Cli) -> None:
    said, _ = workbench.done("export", "--help")
    for name in FORMATS:
        assert f"  {name} " in said


def test_a_video_with_pictures_left_out_counts_as_its_file_states(
    workbench: Cli, track_file: Path, tmp_path: Path
) -> None:
    whole, video = write_video(tmp_path / "whole.mp4", (grey(n % 200) for n in range(300)), 30), tmp_path / "phone.mp4"
    with av.open(str(whole)) as source, av.open(str(video), "w") as phone:
        copied = phone.add_stream_from_template(source.streams[0])
        for number, packet in enumerate(source.demux()):
            if packet.size and number not in (100, 200):
                packet.stream = copied
                phone.mux(packet)
    point = {"offset_seconds": 1.0, "score": 0.8, "label": "downbeat"}
    placed = tmp_path / "al.json"
    placed.write_text(json.dumps({"video_id": "phone.mp4", "track_id": track_file.name, "status": "complete",
                                  "cached": False, "sync_points": [point], "mix": None}))  # fmt: skip
    files = ("export", placed, "--format", "edl", "--track", track_file, "--video", video)
    _, err = workbench.done(*files, "-o", tmp_path / "e.edl")
    assert "phone.mp4 shows 29.800 pictures a second on average; the edit counts 30, the rate that the file" in err
    code, _, err = workbench(*files, "-o", tmp_path / "e.edl", "--frame-rate", 29.97)
    assert (code, "on average" in err) == (0, False)
    assert "FCM: DROP FRAME" in (tmp_path / "e.edl").read_text()
