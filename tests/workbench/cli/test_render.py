"""`workbench render`: an option of a plan, and a track laid straight under a video as align and match print it."""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutagen.id3 import APIC, ID3, TIT2

from tests.videos import grey, narration, png_of, write_screencast, write_video
from workbench.cli.main import run
from workbench.files import hash_file
from workbench.media.audio import decode, write_audio
from workbench.media.probe import probe
from workbench.params import DELIVERY_TARGETS

from .conftest import Cli

VIDEO_SECONDS, PLAN_SECONDS, RATE = 20, 90, 48_000
DUCK = {
    "envelope_points": [[9.5, 0.0], [10.0, 20.0], [15.0, 20.0], [15.5, 0.0]],
    "envelope_hz": 100, "speech_ranges": [[10.0, 15.0]], "depth_db": 20.0, "attack_ms": 500, "release_ms": 500,
}  # fmt: skip
MIX = {"voiceover": True, "classification": "voice", "music_gain_db": -6.0, "video_gain_db": 0.0, "duck": DUCK}
POINTS = [
    {"offset_seconds": 5.25, "score": 0.8, "label": "downbeat on the cut at 0:05.2"},
    {"offset_seconds": -3.5, "score": 0.5, "label": "section on the start at 0:00.0"},
]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty silent seconds."""
    return draw(tmp_path_factory.mktemp("video") / "grey.mp4", VIDEO_SECONDS)


@pytest.fixture(scope="module")
def long_video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ninety silent seconds."""
    return draw(tmp_path_factory.mktemp("video") / "long.mp4", PLAN_SECONDS)


def draw(path: Path, seconds: int) -> Path:
    return write_video(path, (grey(k % 250) for k in range(10 * seconds)), 10)


@pytest.fixture(scope="module")
def looped(track_file: Path, home: Path) -> dict[str, Any]:
    """What `workbench loop` prints for the track and 90 s, with its options."""
    from click.testing import CliRunner

    from workbench.cli.main import app

    arguments = ["loop", str(track_file), "--seconds", str(PLAN_SECONDS), "--home", str(home)]
    result: dict[str, Any] = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)
    assert len(result["plan"]["options"]) > 1
    return result


def write(path: Path, body: dict[str, Any]) -> Path:
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


@pytest.fixture
def aligned(tmp_path: Path, track_file: Path) -> Path:
    body = {"video_id": "grey.mp4", "track_id": track_file.name, "status": "complete", "cached": False}
    return write(tmp_path / "al.json", {**body, "sync_points": POINTS, "mix": None})


def straight(track_file: Path, offset_s: float, seconds: float) -> np.ndarray:
    """What a placement plays at the track's own rate: its samples, silence before and after them."""
    track = decode(track_file)
    rate = track.sample_rate
    sound = np.zeros(round(seconds * rate), dtype=np.float32)
    at = round(offset_s * rate)
    piece = track.samples[0, max(0, -at) :][: sound.size - max(0, at)]
    sound[max(0, at) : max(0, at) + piece.size] = piece
    return sound


@pytest.mark.parametrize(
    ("arguments", "offset_s"), [((), 5.25), (("--placement", 1), 5.25), (("--placement", 2), -3.5)]
)
def test_without_a_video_the_track_plays_to_its_end(
    workbench: Cli, aligned: Path, track_file: Path, tmp_path: Path, arguments: tuple[Any, ...], offset_s: float
) -> None:
    out = tmp_path / "music.wav"
    printed, err = workbench.done("render", aligned, "--track", track_file, *arguments, "-o", out)
    heard = decode(out)
    seconds = offset_s + decode(track_file).duration
    assert json.loads(printed)["seconds"] == round(seconds, 6)
    expected = straight(track_file, offset_s, seconds)
    steady = slice(round(0.02 * heard.sample_rate), None)  # a cut head is faded in for 10 ms
    assert np.abs(heard.samples[0] - expected)[steady].max() < 1e-4
    assert ("section on the start" in err) == (offset_s < 0)


def test_a_pipe_and_standard_output_get_the_bytes_of_the_file(
    aligned: Path, track_file: Path, home: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    arguments = [str(one) for one in ("render", aligned, "--track", track_file, "--home", home, "-o")]
    assert run([*arguments, str(tmp_path / "music.wav")]) == 0
    levels = json.loads(capfdbinary.readouterr().out)
    assert run([*arguments, "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == (tmp_path / "music.wav").read_bytes()
    assert json.loads(err.splitlines()[-1]).items() == (levels | {"output": "-"}).items() - {("bytes", len(out))}
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit((tmp_path / "pipe").read_bytes)
        assert run([*arguments, str(tmp_path / "pipe")]) == 0
        assert read.result() == out


def test_under_a_video_the_track_is_trimmed_to_it(
    workbench: Cli, aligned: Path, track_file: Path, video: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.mp4"
    workbench.done("render", aligned, "--track", track_file, "--video", video, "-o", out)
    info = probe(out)
    assert info.duration == pytest.approx(VIDEO_SECONDS, abs=0.001)
    assert info.audio_duration == pytest.approx(VIDEO_SECONDS, abs=0.03)
    sound = decode(out)
    level = np.abs(sound.mono())
    assert level[: round(5.2 * RATE)].max() < 1e-3
    assert np.flatnonzero(level > 0.05)[0] / RATE == pytest.approx(5.25, abs=0.02)
    assert level[round(19.0 * RATE) :].max() > 0.05


def test_the_mix_of_an_align_result_is_applied(
    workbench: Cli, aligned: Path, track_file: Path, video: Path, tmp_path: Path
) -> None:
    """The music 6 dB down, 20 dB further from 10 to 15 s."""
    mixed = write(tmp_path / "mixed.json", json.loads(aligned.read_text()) | {"mix": MIX})
    levels = []
    for name, given in (("plain", aligned), ("mixed", mixed)):
        out = tmp_path / f"{name}.mp4"
        workbench.done("render", given, "--track", track_file, "--video", video, "-o", out)
        sound = decode(out).samples
        levels.append([20 * np.log10(np.std(sound[:, b * RATE : e * RATE])) for b, e in ((6, 9), (11, 14), (16, 19))])
    plain, quieter = levels
    assert np.subtract(quieter, plain) == pytest.approx([-6.0, -26.0, -6.0], abs=0.3)


@pytest.fixture
def stems(track_file: Path, tmp_path: Path) -> list[str]:
    """Options for a quarter and three quarters of the track."""
    track, options = decode(track_file), []
    for name, share in (("drums", 0.25), ("rest", 0.75)):
        path = write_audio(tmp_path / f"{name}.wav", [share * track.samples], track.sample_rate, 1, subtype="float32")
        options += ["--stem", f"{name}={path}"]
    return options


def test_stems_are_cut_and_levelled_as_the_track_and_only_those_named_are_ducked(
    workbench: Cli, aligned: Path, track_file: Path, stems: list[str], tmp_path: Path
) -> None:
    """The music 6 dB down, and all but the drums 20 dB further from 10 to 15 s."""
    mixed, out = write(tmp_path / "mixed.json", json.loads(aligned.read_text()) | {"mix": MIX}), tmp_path / "out.wav"
    arguments = ("--track", track_file, *stems, "--duck", "rest", "--music", "-o", out)
    printed, _ = workbench.done("render", mixed, *arguments)
    written = json.loads(printed)["stems"]
    assert written == {name: str(tmp_path / f"out-{name}.wav") for name in ("drums", "rest")}
    sounds = {name: decode(Path(path)).samples for name, path in written.items()}
    assert np.abs(sum(sounds.values()) - decode(out).samples).max() < 1e-4
    placed, rate = straight(track_file, 5.25, VIDEO_SECONDS), decode(track_file).sample_rate

    def below_the_track(name: str, first: int, stop: int) -> float:
        alone = np.std(placed[first * rate : stop * rate])
        return float(20 * np.log10(np.std(sounds[name][0, first * RATE : stop * RATE]) / alone))

    quarter, most = 20 * np.log10(0.25) - 6.0, 20 * np.log10(0.75) - 6.0
    spans = ((6, 9), (11, 14), (16, 19))
    assert [below_the_track("drums", *span) for span in spans] == pytest.approx([quarter] * 3, abs=0.1)
    assert [below_the_track("rest", *span) for span in spans] == pytest.approx([most, most - 20.0, most], abs=0.1)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--duck", "strings", "--music"), 1, "there is no stem strings; there are drums, rest"),
        (("--duck", "rest"), 2, "--duck needs a PLAN made with --auto-mix, and --video FILE or --music"),
        (("--stem", "Rest=other.wav"), 2, "there are two stems called Rest"),
        (("--stem", "other.wav"), 2, "'other.wav' is not NAME=FILE"),
        (("--stem", "other="), 2, "'other=' is not NAME=FILE"),
        (("--stem", "a/b=other.wav"), 2, "'a/b=other.wav' is not NAME=FILE"),
        (("--stem", "short=short.wav"), 1, "short.wav lasts 1.000000 s and the track 32.500000 s"),
        (("--stem", "wide=wide.wav"), 1, "wide.wav has 2 channels at 22050 Hz, the track 1 at 22050 Hz"),
        (("-o", "-"), 2, "--stem writes files beside the output"),
    ],
)
def test_stems_that_cannot_be_played_are_one_line(
    workbench: Cli, aligned: Path, track_file: Path, stems: list[str], tmp_path: Path,
    arguments: tuple[str, ...], code: int, sentence: str,
) -> None:  # fmt: skip
    mixed, out = write(tmp_path / "mixed.json", json.loads(aligned.read_text()) | {"mix": MIX}), tmp_path / "out.wav"
    rate = decode(track_file).sample_rate
    write_audio(tmp_path / "short.wav", [np.zeros((1, rate))], rate, 1)
    write_audio(tmp_path / "wide.wav", [np.zeros((2, rate))], rate, 2)
    given = [one.replace("=", f"={tmp_path}/") if one.startswith(("short", "wide")) else one for one in arguments]
    err = workbench.refused(code, "render", mixed, "--track", track_file, *stems, "-o", out, *given)
    assert sentence in err
    assert not out.exists()


@pytest.mark.parametrize("name", ["drums.wav", "out.wav"])
def test_no_stem_and_no_track_is_written_over(
    workbench: Cli, aligned: Path, track_file: Path, stems: list[str], tmp_path: Path, name: str
) -> None:
    """The output has the name of a stem, or one of the files beside it has that of the track."""
    track = tmp_path / "out-rest.wav"
    track.write_bytes(track_file.read_bytes())
    before = {path: path.read_bytes() for path in tmp_path.glob("*.wav")}
    err = workbench.refused(1, "render", aligned, "--track", track, *stems, "-o", tmp_path / name)
    assert "the output is made from this file" in err
    assert {path: path.read_bytes() for path in tmp_path.glob("*.wav")} == before


def test_a_match_result_knows_its_tracks_by_their_bytes(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    ids = {"track_id": "trk_other", "audio_id": f"aud_{hash_file(track_file)[:24]}"}
    lane = {"matches": [{"track_id": "trk_first", "audio_id": "aud_first"}, {**ids, "sync_points": POINTS}]}
    matched = write(tmp_path / "match.json", {"video_id": "v", "status": "complete", "lane": lane})
    out = tmp_path / "music.wav"
    arguments = ("render", matched, "--track", track_file, "--placement", 2, "-o", out)
    printed, _ = workbench.done(*arguments)
    assert json.loads(printed)["seconds"] == pytest.approx(decode(track_file).duration - 3.5, abs=1e-6)


@pytest.mark.parametrize(
    ("changed", "arguments", "sentence"),
    [
        ({}, ("--placement", 3), "there is no placement 3 in this result; it has 2, 1 is the best"),
        ({"sync_points": [POINTS[0] | {"offset_seconds": -400.0}]}, (), "is silent when placed at -400.000 s"),
        ({"lane": {"matches": [{"track_id": "sixteen.wav"}]}}, (), "--include-sync"),
    ],
)
def test_what_cannot_be_played_is_one_line(
    workbench: Cli, aligned: Path, track_file: Path, tmp_path: Path,
    changed: dict[str, Any], arguments: tuple[Any, ...], sentence: str,
) -> None:  # fmt: skip
    given = write(tmp_path / "given.json", json.loads(aligned.read_text()) | changed)
    out = tmp_path / "music.wav"
    err = workbench.refused(1, "render", given, "--track", track_file, *arguments, "-o", out)
    assert sentence in err
    assert err.count("workbench: ") == 1
    assert not out.exists()


@pytest.mark.parametrize("number", [None, 2])
def test_an_option_is_played_as_its_segments_say(
    workbench: Cli, looped: dict[str, Any], track_file: Path, tmp_path: Path, number: int | None
) -> None:
    """Between its fades every sample is the track's own, at the level of its segment."""
    plan_file, out = write(tmp_path / "plan.json", looped), tmp_path / "music.wav"
    arguments = () if number is None else ("--option", number)
    printed, _ = workbench.done("render", plan_file, "--track", track_file, *arguments, "-o", out)
    option = looped["plan"]["options"][(number or 1) - 1]
    assert json.loads(printed)["seconds"] == pytest.approx(PLAN_SECONDS)
    track, heard = decode(track_file), decode(out)
    rate = track.sample_rate
    assert heard.samples.shape[1] == PLAN_SECONDS * rate
    begins, fades = option["music_in"], [0.0, *option["seam_fades"], 0.0]
    for k, segment in enumerate(option["segments"]):
        ends = begins + segment["song_to"] - segment["song_from"]
        first = max(begins + option["gain_glide_seconds"], begins + fades[k] / 2, option["start_fade_seconds"])
        stop = min(ends - fades[k + 1] / 2, PLAN_SECONDS - option["end_fade_seconds"])
        assert stop - first > 2.0
        places = np.arange(round(first * rate) + 1, round(stop * rate) - 1)
        meant = track.samples[0, places - round(begins * rate) + round(segment["song_from"] * rate)]
        assert np.abs(heard.samples[0, places] - meant * 10 ** (segment["gain_db"] / 20)).max() < 1e-4
        begins = ends


@pytest.mark.slow
def test_the_mix_of_another_option_is_measured_anew(
    workbench: Cli, looped: dict[str, Any], track_file: Path, long_video: Path, tmp_path: Path
) -> None:
    """The result claims a mix that lowers the music; measured anew under a silent video, it does not."""
    plan_file = write(tmp_path / "plan.json", looped | {"mix": MIX})
    levels = {}
    for number in (1, 2):
        out = tmp_path / f"{number}.mp4"
        arguments = ("--track", track_file, "--video", long_video, "--option", number, "-o", out)
        workbench.done("render", plan_file, *arguments)
        sound = decode(out).samples
        levels[number] = [20 * np.log10(np.std(sound[:, b * RATE : e * RATE])) for b, e in ((6, 9), (11, 14))]
    # Both options play the track from its beginning up to its 26th second.
    assert np.subtract(levels[1], levels[2]) == pytest.approx([-6.0, -26.0], abs=0.3)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--option", 5), 1, "there is no option 5 in this plan; it has"),
        (("--option", 0), 2, "Invalid value for '--option'"),
        (("--option", 2, "--placement", 1), 2, "give either --option N, of a plan, or --placement N"),
        (("--placement", 1), 1, "a plan has no placements; leave --placement out"),
    ],
)
def test_a_choice_that_there_is_not_is_one_line(
    workbench: Cli, looped: dict[str, Any], track_file: Path, tmp_path: Path,
    arguments: tuple[Any, ...], code: int, sentence: str,
) -> None:  # fmt: skip
    plan_file, out = write(tmp_path / "plan.json", looped), tmp_path / "music.wav"
    given = ("render", plan_file, "--track", track_file, *arguments, "-o", out)
    err = workbench.refused(code, *given)
    assert sentence in err
    assert not out.exists()


def test_placements_are_no_options(workbench: Cli, aligned: Path, track_file: Path, tmp_path: Path) -> None:
    arguments = ("--track", track_file, "--option", 1, "-o", tmp_path / "music.wav")
    err = workbench.refused(1, "render", aligned, *arguments)
    assert "only a plan has options; leave --option out, --placement N chooses a placement" in err


@pytest.mark.slow
def test_a_track_of_the_catalog_need_not_be_named(
    workbench: Cli, looped: dict[str, Any], aligned: Path, track_file: Path, tmp_path: Path
) -> None:
    """A plan, an align result, and a match result, of which the best track is meant."""
    home = tmp_path / "home"
    row = json.loads(workbench("catalog", "add", track_file, "--home", home)[1].splitlines()[0])
    best = {"track_id": row["track_id"], "audio_id": "aud_x", "sync_points": POINTS}
    lane = {"matches": [best, {"track_id": "trk_second", "audio_id": "aud_y"}]}
    for name, body in (
        ("plan", looped | {"track_id": row["track_id"]}),
        ("aligned", json.loads(aligned.read_text()) | {"track_id": row["track_id"]}),
        ("match", {"video_id": "v", "status": "complete", "lane": lane}),
    ):
        out = tmp_path / f"{name}.wav"
        workbench.done("render", write(tmp_path / f"{name}.json", body), "-o", out, "--home", home)
        assert out.stat().st_size > 1000


def test_a_profile_that_asks_for_another_mix_is_told_how_to_make_it(
    workbench: Cli, looped: dict[str, Any], track_file: Path, long_video: Path, tmp_path: Path
) -> None:
    profile = tmp_path / "lower.toml"
    profile.write_text("[duck]\nunder_voice_lu = 13.0\n[mix]\nown_music = 'yield'\n[render]\nducking = 'bands'\n")
    made = looped["provenance"]
    tuned = {"duck": {"under_voice_lu": 13.0}, "mix": {"own_music": "yield"}}
    alike = looped | {"mix": MIX, "provenance": made | {"params": made["params"] | tuned}}
    plan, same = (
        write(tmp_path / name, body) for name, body in (("plan.json", looped | {"mix": MIX}), ("same.json", alike))
    )

    def said(command: str, file: Path, *arguments: Any) -> str:
        return workbench.done(command, file, "--track", track_file, "--profile", profile, "-o", *arguments)[1]

    sentence = (
        "the mix stays as PLAN has it, without [duck] and [mix] of the profile; "
        "`workbench loop ... --auto-mix --profile FILE` makes it again"
    )
    sound, table = tmp_path / "music.wav", (tmp_path / "plan.csv", "--format", "csv")
    assert sentence in said("render", plan, sound, "--music")
    assert "mix stays" not in said("render", plan, sound), "no mix is played"
    assert sentence in said("export", plan, *table)
    assert "mix stays" not in said("export", same, *table), "it was made with this profile"
    anew = said("export", plan, *table, "--video", long_video, "--option", 2)
    assert "mix stays" not in anew, "it is measured again"


def test_the_mix_of_another_video_is_said(
    workbench: Cli, looped: dict[str, Any], track_file: Path, long_video: Path, tmp_path: Path
) -> None:
    other = {"video": {"name": "film.mp4", "content_hash": "0" * 64}}
    body = looped | {"provenance": looped["provenance"] | other}
    for name, plan, is_said in (("plain", body, False), ("mixed", body | {"mix": MIX}, True)):
        file = write(tmp_path / f"{name}.json", plan)
        arguments = ("--track", track_file, "--video", long_video, "--format", "csv", "-o", tmp_path / "seams.csv")
        _, err = workbench.done("export", file, *arguments)
        assert ("has other bytes than film.mp4, the video that its mix was made for" in err) is is_said


@pytest.mark.slow
def test_a_plan_that_ends_before_its_video_says_so(
    workbench: Cli, track_file: Path, long_video: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    workbench.done("fit", track_file, "--seconds", 20, "-o", plan)
    _, err = workbench.done("render", plan, "--track", track_file, "--video", long_video, "-o", tmp_path / "out.mp4")
    before = probe(long_video).duration - 20.0
    assert f"the music ends {before:.0f} s before the video, with the plan" in err


@pytest.mark.slow
def test_a_delivery_target_is_reached_and_printed(
    workbench: Cli, looped: dict[str, Any], track_file: Path, long_video: Path, tmp_path: Path
) -> None:
    plan_file, out = write(tmp_path / "plan.json", looped), tmp_path / "out.mp4"
    arguments = ("--track", track_file, "--video", long_video, "--target", "ebu-r128", "-o", out)
    printed, err = workbench.done("render", plan_file, *arguments)
    body = json.loads(printed)
    assert body["target"] == "ebu-r128"
    assert body["loudness_lufs"] == pytest.approx(-23.0, abs=0.2)
    assert body["true_peak_dbtp"] <= -1.0
    assert body["max_momentary_lufs"] >= body["max_short_term_lufs"] >= body["loudness_lufs"]
    assert body["loudness_range_lu"] >= 0.0
    assert "dialogue_lufs" not in body
    assert "no speech was found in the video" in err


def test_music_is_laid_under_a_podcast(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    """Sound with a cover picture, which is none: a loop of its length, mixed with it into a sound file."""
    talk, plan_file, out = tmp_path / "talk.mp3", tmp_path / "plan.json", tmp_path / "out.mp3"
    click = np.zeros((1, 70 * RATE), np.float32)
    click[0, 66 * RATE : 66 * RATE + 480] = 0.9 * np.sin(2 * np.pi * 3000 * np.arange(480) / RATE)
    write_audio(talk, [click], RATE, 1)
    tags = ID3()
    tags.add(TIT2(text="Episode 1"))
    tags.add(APIC(mime="image/png", type=3, data=png_of(grey(90))))
    tags.save(talk)
    printed, _ = workbench.done("loop", track_file, "--video", talk, "--auto-mix")
    plan_file.write_text(printed)
    assert json.loads(printed)["plan"]["window_end"] == pytest.approx(70.0, abs=0.03)
    arguments = ("--track", track_file, "--video", talk)
    printed, err = workbench.done("render", plan_file, *arguments, "-o", out)
    mixed, body = decode(out), json.loads(printed)
    assert (mixed.sample_rate, mixed.channels) == (RATE, 2)
    assert mixed.duration == pytest.approx(70.0, abs=0.03)
    assert body["true_peak_dbtp"] <= -0.9
    assert "out.mp3 leaves out of talk.mp3: picture 1 (png)" in err
    assert probe(out).title == "Episode 1"
    begins = round(65.9 * RATE)
    assert begins + int(np.argmax(np.abs(mixed.samples[0, begins : begins + RATE // 2]))) == pytest.approx(
        66 * RATE, abs=600
    )
    err = workbench.refused(2, "render", plan_file, *arguments, "-o", tmp_path / "out.mp4")
    assert "MP4 needs a picture, and talk.mp3 has none; write .wav, .flac, .mp3" in err
    err = workbench.refused(1, "align", track_file, "--video", talk)
    assert err.splitlines()[-1].endswith("has no moving picture; give a video")


def test_an_unknown_target_is_refused_with_those_there_are(
    workbench: Cli, looped: dict[str, Any], tmp_path: Path
) -> None:
    plan_file = write(tmp_path / "plan.json", looped)
    err = workbench.refused(2, "render", plan_file, "--target", "loud", "-o", tmp_path / "m.wav")
    assert re.findall(r"'([\w-]+)'", err.partition("one of")[2]) == list(DELIVERY_TARGETS)


def test_a_placement_that_may_be_chance_says_so(
    workbench: Cli, aligned: Path, track_file: Path, tmp_path: Path
) -> None:
    """The file is written all the same: whoever chose the placement may want it."""
    points = [POINTS[0], POINTS[1] | {"score": 0.12}]
    given = write(tmp_path / "given.json", json.loads(aligned.read_text()) | {"sync_points": points})
    for number, words in ((1, "downbeat on the cut at 0:05.2"), (2, "no clear sync point")):
        out = tmp_path / "music.wav"
        call = ("render", given, "--track", track_file, "--placement", number, "-o", out)
        _, err = workbench.done(*call)
        assert f"placement {number}: {words}" in err
        assert ("section on the start" in err) is False


@pytest.mark.slow
def test_ducking_in_bands_leaves_more_of_the_music(
    workbench: Cli, aligned: Path, track_file: Path, video: Path, tmp_path: Path
) -> None:
    """By option, and by the parameters that PLAN was made with; what is not ducked is the same."""
    body = json.loads(aligned.read_text()) | {"mix": MIX}
    made = {
        "command": "align", "program": "workbench", "version": "1", "stages": {}, "constraints": {}, "defaults": "",
        "params": {"render": {"ducking": "bands"}},
    }  # fmt: skip
    mixed, in_bands = write(tmp_path / "m.json", body), write(tmp_path / "b.json", body | {"provenance": made})
    levels = []
    for number, (plan, ducking) in enumerate(
        [(mixed, ()), (mixed, ("--ducking", "bands")), (in_bands, ()), (in_bands, ("--ducking", "broadband"))]
    ):
        out = tmp_path / f"{number}.mp4"
        printed, _ = workbench.done("render", plan, "--track", track_file, "--video", video, *ducking, "-o", out)
        assert json.loads(printed)["ducking"] == ("bands" if number in (1, 2) else "broadband")
        sound = decode(out).samples
        levels.append([20 * np.log10(np.std(sound[:, b * RATE : e * RATE])) for b, e in ((6, 9), (11, 14), (16, 19))])
    whole, bands, by_plan, back = np.array(levels)
    assert bands == pytest.approx(by_plan, abs=1e-6)
    assert back == pytest.approx(whole, abs=1e-6)
    assert bands[[0, 2]] == pytest.approx(whole[[0, 2]], abs=0.1)
    assert abs(bands[1] - whole[1]) > 1.0


def test_sound_streams_are_chosen_and_none_is_left_out_without_a_word(
    workbench: Cli, track_file: Path, tmp_path: Path
) -> None:
    video = write_screencast(tmp_path / "obs.mkv")
    fit = ("fit", track_file, "--video", video, "--auto-mix")
    code, default, err = workbench(*fit)
    assert (code, json.loads(default)["mix"]["voiceover"]) == (0, False)
    assert "obs.mkv: of 2 sound streams 1 (Desktop) is used; more speech is in 2 (Mic), " in err
    code, out, err = workbench(*fit, "--audio", "all")
    assert (code, "more speech" in err) == (0, False)
    body = json.loads(out)
    assert body["mix"]["voiceover"] is True
    assert body["provenance"]["constraints"]["audio"] == "all"
    plans = write(tmp_path / "plan.json", json.loads(default)), write(tmp_path / "all.json", body)

    def render(plan: Path, *arguments: object) -> tuple[str, float]:
        out = tmp_path / "out.mp4"
        _, err = workbench.done("render", plan, "--track", track_file, "--video", video, "-o", out, *arguments)
        left = decode(out).samples[0, 48_000 * 6 : 48_000 * 11]
        return err, float(np.corrcoef(left, narration()[0, 48_000 * 6 : 48_000 * 11])[0, 1])

    said, voice = render(plans[0])
    assert "out.mp4 leaves out of obs.mkv: sound stream 2 (Mic), which can be chosen" in said
    assert abs(voice) < 0.2
    said, voice = render(plans[1])  # as the plan was made
    assert "sound stream" not in said
    assert voice > 0.8
    said, _ = render(plans[0], "--audio", "2")
    assert "out.mp4 leaves out of obs.mkv: sound stream 1 (Desktop), which can be chosen" in said
    assert "the mix in PLAN was measured on other sound streams; fit with --audio makes one for these" in said
    code, out, _ = workbench("reproduce", plans[1], "--track", track_file, "--video", video)
    assert (code, json.loads(out)["same"]) == (0, True)
    err = workbench.refused(1, *fit, "--audio", "3")
    assert "there is no sound stream 3 to use; its sound streams are 1 (Desktop), 2 (Mic)" in err
    of_a_length = ("fit", track_file, "--seconds", 12)
    for command in (of_a_length, ("render", plans[1], "--track", track_file, "-o", tmp_path / "music.wav")):
        code, _, err = workbench(*command, "--audio", "1")
        assert (code, "--audio needs --video FILE" in err) == (2, True)


def test_a_loud_file_gets_a_line(workbench: Cli, looped: dict[str, Any], track_file: Path, tmp_path: Path) -> None:
    plan = {key: value for key, value in looped["plan"].items() if key != "options"}
    plan["segments"] = [{**one, "gain_db": 30.0, "gain_in_db": 30.0} for one in plan["segments"]]
    loud, music = write(tmp_path / "loud.json", plan), tmp_path / "music.wav"
    code, out, err = workbench("render", loud, "--track", track_file, "-o", music)
    body = json.loads(out)
    assert code == 0
    (line,) = [line for line in err.splitlines() if "loud" in line and "rendering" not in line]
    assert f"a true peak of {body['true_peak_dbtp']:+.1f} dBTP, over full scale" in line
    assert f"{body['loudness_lufs']:.1f} LUFS, over -9" in line
    _, _, err = workbench("render", loud, "--track", track_file, "-o", music, "--target", "web")
    assert "this is loud" not in err


def test_a_track_beside_its_plan_need_not_be_named(
    workbench: Cli, looped: dict[str, Any], track_file: Path, tmp_path: Path
) -> None:
    """As long as it has the bytes that the plan was made from."""
    beside, arguments = tmp_path / track_file.name, ("-o", tmp_path / "music.wav", "--home", tmp_path / "home")
    plan = write(tmp_path / "plan.json", looped)
    beside.write_bytes(track_file.read_bytes())
    workbench.done("render", plan, *arguments)
    beside.write_bytes(track_file.read_bytes()[:-2])
    code, _, err = workbench("render", plan, *arguments)
    assert (code, "give --track FILE" in err) == (2, True)


def test_the_music_of_a_mix_is_written_without_its_video(
    workbench: Cli, looped: dict[str, Any], track_file: Path, tmp_path: Path
) -> None:
    """At -6 dB, and 20 dB lower under speech."""
    plans = (write(tmp_path / "bare.json", looped), write(tmp_path / "mixed.json", looped | {"mix": MIX}))
    given, sounds = ("--track", track_file), []
    for plan, options in zip(plans, ((), ("--music",)), strict=True):
        workbench.done("render", plan, *options, "-o", plan.with_suffix(".wav"), *given)
        sounds.append(decode(plan.with_suffix(".wav")))
    assert sounds[1].sample_rate == RATE
    for first, last, lower_db in ((1.0, 9.0, 6.0), (10.5, 14.5, 26.0), (16.0, 30.0, 6.0)):
        bare, mixed = (one.mono()[round(first * one.sample_rate) : round(last * one.sample_rate)] for one in sounds)
        assert 10.0 * np.log10(np.mean(bare**2) / np.mean(mixed**2)) == pytest.approx(lower_db, abs=0.2)
    code, _, err = workbench("render", plans[0], "--music", "-o", tmp_path / "none.wav", *given)
    assert (code, "PLAN has no mix; make it with --auto-mix" in err) == (2, True)


@pytest.mark.slow
def test_a_small_file_is_made_to_send(workbench: Cli, looped: dict[str, Any], track_file: Path, tmp_path: Path) -> None:
    """96 kbit/s, which is 12 kB a second; and of 720 lines 360."""
    upright = write_video(tmp_path / "upright.mp4", (grey(k % 250, 720, 1280) for k in range(2 * PLAN_SECONDS)), 2)
    plan = write(tmp_path / "plan.json", looped | {"mix": MIX})
    given = ("--track", track_file, "--video", upright, "--small")
    for name in ("small.mp3", "small.mp4"):
        workbench.done("render", plan, "-o", tmp_path / name, *given)
        assert decode(tmp_path / name).duration == pytest.approx(PLAN_SECONDS, abs=0.05)
    assert (tmp_path / "small.mp3").stat().st_size == pytest.approx(12_000 * PLAN_SECONDS, rel=0.02)
    assert (tmp_path / "small.mp4").stat().st_size < 1.3 * 12_000 * PLAN_SECONDS
    facts = probe(tmp_path / "small.mp4")
    assert (facts.width, facts.height) == (360, 640)
    assert facts.duration == pytest.approx(PLAN_SECONDS, abs=0.05)
    code, _, err = workbench("render", plan, "-o", tmp_path / "small.mov", *given)
    assert (code, "--small writes .mp3 or .mp4" in err) == (2, True)
