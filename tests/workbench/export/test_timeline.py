"""What every format is written from: names of files, the timeline, and its clips on frames."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.workbench.played import make_plan
from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError, PlanError
from workbench.export.cut_list import count_frames, format_timecode, make_cut_list
from workbench.export.envelope import Lines
from workbench.export.files import media_path, media_url, plain_name
from workbench.export.formats import Format
from workbench.export.timeline import LONE_FRAME_RATE, SILENT_DB, Timeline, TrackMedia, VideoMedia, decibels
from workbench.media.audio import decode, write_audio
from workbench.plans.plan import LoopPlan
from workbench.results.mix import MixBody
from workbench.workflows.export import export_plan, timeline_of


def test_media_beside_and_below_are_relative_and_others_absolute(tmp_path: Path) -> None:
    out = tmp_path / "edits" / "plan.otio"
    assert media_path(tmp_path / "edits" / "a b" / "größe.wav", out) == "a b/größe.wav"
    assert media_path(tmp_path / "track.wav", out) == (tmp_path / "track.wav").as_posix()
    assert media_url(tmp_path / "edits" / "ä&b: 100%#1?.wav", out) == "%C3%A4%26b%3A%20100%25%231%3F.wav"
    assert media_url(tmp_path / "track.wav", out).startswith("file:///")


def test_a_name_that_is_no_text_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="UTF-8; rename the file"):
        media_path(Path(os.fsdecode(b"/music/\xff.wav")), tmp_path / "plan.rpp")


def test_text_is_kept_on_one_line() -> None:
    assert plain_name("a\tb\nc\x07\ud800d") == "a b c d"


def test_a_plan_of_a_longer_video_is_refused(workspace: Workspace, track: Path, video: Path, tmp_path: Path) -> None:
    longer = make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    with pytest.raises(PlanError, match=r"the plan covers 20\.000 s, but .* lasts 17\.017 s"):
        export_plan(workspace, longer, "otio", tmp_path / "out.otio", track=track, video=video)
    assert list(tmp_path.iterdir()) == []


def test_every_format_says_what_it_is() -> None:
    names = ["otio", "fcpxml", "xmeml", "edl", "rpp", "audacity", "jams", "csv", "markers"]
    names += ["cue-sheet", "credits", "loop-tags"]
    assert list(extensions.names(extensions.EXPORT_FORMATS)) == names
    for name in names:
        chosen: Format = extensions.find(extensions.EXPORT_FORMATS, name)
        assert chosen.name == name
        assert chosen.what.endswith(".")
        assert chosen.limits.endswith(".") or not chosen.limits
    with pytest.raises(ParameterError, match="known are otio, fcpxml"):
        extensions.find(extensions.EXPORT_FORMATS, "aaf")


def test_the_rate_of_an_edit_is_that_of_its_video(
    workspace: Workspace, plan: LoopPlan, track: Path, video: Path
) -> None:
    assert timeline_of(workspace, plan, track=track, video=video).frame_rate == Fraction(30000, 1001)
    assert timeline_of(workspace, plan, track=track).frame_rate == LONE_FRAME_RATE


def test_markers_stand_in_the_order_of_the_video(workspace: Workspace, plan: LoopPlan, track: Path) -> None:
    markers = timeline_of(workspace, plan, track=track).markers
    assert [marker.video_s for marker in markers] == pytest.approx([plan.music_in, *plan.seam_times, plan.music_end])
    assert [marker.text.split(" ")[0] for marker in markers] == ["music", "seam", "seam", "seam", "music"]


def test_silence_has_a_level() -> None:
    assert decibels(0.0) == decibels(1e-9) == SILENT_DB
    assert decibels(10.0) == pytest.approx(20.0)


RATES = [Fraction(24000, 1001), Fraction(25), Fraction(30000, 1001), Fraction(60)]


def at_rate(workspace: Workspace, plan: LoopPlan, rate: Fraction) -> tuple[Timeline, TrackMedia]:
    """A timeline under a video of a rate, without any file."""
    plain = timeline_of(workspace, plan)
    track = TrackMedia(Path("track.wav"), round(plan.song_duration * plain.rate), plain.rate, 2)
    video = VideoMedia(Path("video.mp4"), rate, int(plan.window_end * rate), 64, 36, 48_000, 2)
    return replace(plain, track=track, video=video), track


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RATES))
def test_clips_meet_and_crossfades_stay_within_the_track(workspace: Workspace, seed: int, rate: Fraction) -> None:
    dice = np.random.default_rng(seed)
    count = int(dice.integers(2, 7))
    rows = []
    for _ in range(count):
        first = round(float(dice.uniform(0.6, 4.0)), 6)
        rows.append((first, round(first + float(dice.uniform(1.4, 6.0)), 6), 0.0, 0.0))
    assume(all(abs(later[0] - earlier[1]) > 0.05 for earlier, later in pairwise(rows)))
    fades = [round(float(fade), 6) for fade in dice.choice([0.006, 0.05, 0.2, 1.2], count - 1)]
    plan = make_plan(rows, fades, [0.5] * (count - 1), song_duration=12.0)
    timeline, track = at_rate(workspace, plan, rate)
    cuts = make_cut_list(timeline, track, Lines.DECIBELS, faded=True)
    assert all(before.end == after.begin for before, after in pairwise(cuts.clips))
    for before, after in pairwise(cuts.clips):
        assert before.out is after.into
        assert before.out is not None
        # Never over the crossfades beside it, never beyond what the track has.
        assert before.first <= before.out.first < before.out.stop <= after.end
        assert after.source(before.out.first, rate) >= 0
        assert before.source(before.out.stop, rate) <= Fraction(track.samples, track.rate)
    for clip, start in zip(cuts.clips, plan.segment_starts[:-1], strict=True):
        assert abs(clip.begin / rate - Fraction(float(start))) <= 1 / (2 * rate) + Fraction(1, 10**6)
        assert abs(clip.source_frame(clip.begin, rate) / rate - clip.source(clip.begin, rate)) <= 1 / (2 * rate)
        assert (clip.levels[0].frame, clip.levels[-1].frame) == (clip.first, clip.stop)
    assert cuts.clips[-1].end <= cuts.frames


def test_a_placed_rate_that_no_timecode_counts_is_refused(workspace: Workspace, plan: LoopPlan) -> None:
    for rate in (Fraction(25, 2), Fraction(120), Fraction(29) + Fraction(1, 7)):
        timeline, track = at_rate(workspace, plan, rate)
        with pytest.raises(ParameterError, match="which no timecode counts: export without video"):
            make_cut_list(timeline, track, Lines.DECIBELS, faded=True)


@pytest.mark.parametrize(
    ("frame", "timebase", "drops", "text"),
    [
        (0, 25, False, "00:00:00:00"),
        (90_000, 25, False, "01:00:00:00"),
        (1799, 30, True, "00:00:59;29"),
        (1800, 30, True, "00:01:00;02"),
        (17_981, 30, True, "00:09:59;29"),
        (17_982, 30, True, "00:10:00;00"),
        (107_892, 30, True, "01:00:00;00"),
        (3599, 60, True, "00:00:59;59"),
        (3600, 60, True, "00:01:00;04"),
        (215_784, 60, True, "01:00:00;00"),
    ],
)
def test_timecode_counts_as_smpte_does(frame: int, timebase: int, drops: bool, text: str) -> None:
    assert format_timecode(frame, timebase, drops=drops) == text
    assert count_frames(text, timebase) == frame


def test_an_hour_of_drop_frame_timecode_is_an_hour() -> None:
    for rate in (Fraction(30000, 1001), Fraction(60000, 1001)):
        hour = format_timecode(round(3600 * rate), round(rate), drops=True)
        assert hour in {"01:00:00;00", "00:59:59;59"}


def test_levels_are_without_the_fades_where_the_format_has_them(workspace: Workspace, plan: LoopPlan) -> None:
    timeline, track = at_rate(workspace, plan, Fraction(25))
    faded = make_cut_list(timeline, track, Lines.DECIBELS, faded=True)
    plain = make_cut_list(timeline, track, Lines.DECIBELS, faded=False)
    assert faded.clips[0].levels[0].level_db < -90.0
    assert plain.clips[0].levels[0].level_db == pytest.approx(0.0, abs=0.01)
    assert plain.clips[-1].levels[-1].level_db == pytest.approx(0.0, abs=0.01)
    assert (plain.fade_in_frames, plain.fade_out_frames) == (6, 44)


@pytest.mark.parametrize("name", ["otio", "fcpxml", "xmeml", "edl", "rpp"])
def test_a_packed_edit_names_its_media_wherever_it_is_unpacked(
    workspace: Workspace, plan: LoopPlan, track: Path, video: Path, mix: MixBody, tmp_path: Path, name: str
) -> None:
    """Track, video and the music of the mix, which is under the picture from its first frame on, and switched off."""
    out = export_plan(workspace, plan, name, tmp_path / "cut.zip", track=track, video=video, mix=mix)
    assert list(tmp_path.iterdir()) == [out]
    with ZipFile(out) as archive:
        archive.extractall(tmp_path / "there")
    edit = tmp_path / "there" / f"cut{extensions.find(extensions.EXPORT_FORMATS, name).suffix}"
    media = {"cut-track.wav", "cut-music.wav", video.name}
    assert {path.name for path in edit.parent.iterdir()} == {edit.name, *media}
    assert edit.with_name(video.name).read_bytes() == video.read_bytes()
    music = decode(edit.with_name("cut-music.wav"))
    assert (music.sample_rate, music.samples.shape) == (48_000, (2, round(plan.window_end * 48_000)))
    text = edit.read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert str(track.parent) not in text
    assert "file:" not in text
    switched_off = {
        "otio": r'"cut-music.wav"[^{}]*"source_range"(?s:.*)"enabled": false',
        "fcpxml": r'<asset-clip ref="r4" lane="-3" name="Music as in the mix" enabled="0" offset="0s" start="0s"',
        "xmeml": r"<name>Music as in the mix</name>\s*<enabled>FALSE</enabled>(?s:.*)<start>0</start>(?s:.*)<in>0</in>",
        "edl": r"\* MUSIC AS IN THE MIX: cut-music.wav",
        "rpp": r'"Music as in the mix"\s*MUTESOLO 1 0 0(?s:.*)POSITION 0\s(?s:.*)SOFFS 0\s(?s:.*)"cut-music.wav"',
    }
    assert re.search(switched_off[name], text)


def music_of(edit: Path, name: str) -> dict[str, list[str]]:
    """What an edit says of each file of music: where its clips lie, and their levels, as text without names and ids."""
    text, found = edit.read_text(encoding="utf-8"), dict[str, list[str]]()
    if name == "otio":
        for lane in json.loads(text)["tracks"]["children"]:
            clips = [one for one in lane["children"] if one["OTIO_SCHEMA"].startswith("Clip")]
            (url,) = {one["media_references"]["DEFAULT_MEDIA"]["target_url"] for one in clips}
            for one in lane["children"]:
                found.setdefault(url, []).append(
                    json.dumps([one.get(key) for key in ("source_range", "effects", "in_offset")])
                )
    elif name == "rpp":
        for lane in re.split(r"(?m)^  <TRACK", text)[1:]:
            (url,) = set(re.findall(r'FILE "?([^"\n]*)', lane))
            found[url] = [line for line in lane.splitlines() if not re.search("GUID|TRACKID|NAME|FILE|^ {|^ *>$", line)]
    else:
        root = ElementTree.fromstring(text)
        urls = {asset.get("id"): rep.get("src") for asset in root.iter("asset") for rep in asset.iter("media-rep")}
        urls |= {file.get("id"): url.text for file in root.iter("file") for url in file.iter("pathurl")}
        for clip in (*root.iter("asset-clip"), *root.iter("clipitem")):
            reference = clip.get("ref") or next(file.get("id") for file in clip.iter("file"))
            places = [
                clip.get(key) or clip.findtext(key) for key in ("offset", "start", "duration", "end", "in", "out")
            ]
            levels = [
                ElementTree.tostring(one).decode() for tag in ("adjust-volume", "filter") for one in clip.iter(tag)
            ]
            found.setdefault(str(urls[reference]), []).append(str([*places, levels]))
    return found


@pytest.mark.parametrize("name", ["otio", "fcpxml", "xmeml", "rpp"])
def test_each_stem_lies_in_an_edit_as_in_one_of_its_own(
    workspace: Workspace, plan: LoopPlan, track: Path, mix: MixBody, tmp_path: Path, name: str
) -> None:
    """All but the drums with the duck, which is no level of the drums."""
    sound = decode(track)
    stems = {stem: tmp_path / f"{stem}.wav" for stem in ("drums", "strings", "music")}
    for path in stems.values():
        write_audio(path, [sound.samples / 3], sound.sample_rate, 2, subtype="float32")
    out = tmp_path / "edit"
    together = music_of(
        export_plan(workspace, plan, name, out, track=track, mix=mix, stems=stems, ducked=["strings", "music"]), name
    )
    assert len(together) == 3
    for stem, path in stems.items():
        levels = mix.model_copy(update={"duck": None}) if stem == "drums" else mix
        alone = music_of(export_plan(workspace, plan, name, out, track=path, mix=levels), name)
        assert alone == {url: clips for url, clips in together.items() if url in alone}
    export_plan(workspace, plan, name, tmp_path / "cut.zip", track=track, mix=mix, stems=stems)
    with ZipFile(tmp_path / "cut.zip") as archive:
        named = {f"cut-stem-{stem}.wav" for stem in stems} | {"cut-music.wav"}
        assert named < set(archive.namelist())
        archive.extractall(tmp_path / "there")
    edit = next(one for one in (tmp_path / "there").iterdir() if one.suffix != ".wav")
    assert {Path(url).name for url in music_of(edit, name)} == named


def test_ids_of_a_project_differ_also_where_stems_are_numbered(
    workspace: Workspace, track: Path, tmp_path: Path
) -> None:
    rows = [(1.0, 11.0, 0.0, 0.0), *[(1.0, 2.0, 0.0, 0.0)] * 10, (1.0, 11.0, 0.0, 0.0)]
    plan = make_plan(rows, [0.02] * 11, [1.0] * 11, song_duration=12.0)
    stems = {"1": track, "11": track}
    text = export_plan(workspace, plan, "rpp", tmp_path / "edit.rpp", track=track, stems=stems).read_text()
    found = re.findall(r"(?:GUID|TRACK) (\{.*\})", text)
    assert len(set(found)) == len(found) == 2 * (1 + 2 * len(rows))


def test_a_format_without_tracks_refuses_stems(
    workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match="the format edl has no track for each stem"):
        export_plan(workspace, plan, "edl", tmp_path / "edit.edl", track=track, stems={"drums": track})
