"""Labels, tables of seams and markers, and annotations, read back by readers of others."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import jams
import opentimelineio
import pandas
import pytest
import soundfile

from tests.workbench.played import make_plan
from workbench.analysis.sources import open_library
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import Track
from workbench.export.audacity import write_labels
from workbench.export.csv_tables import write_markers
from workbench.export.jams import write_jams
from workbench.export.timeline import Marker, MarkerKind, Notes
from workbench.plans.plan import LoopPlan
from workbench.render.schedule import PlacedTrack
from workbench.results.mix import MixBody
from workbench.results.plan import plan_from_json
from workbench.workflows.export import export_plan, timeline_of

RATE = 25  # frames a second of an edit without a video

SAID = (
    Marker(5.0, "comment: Ana: zu laut, hier; Ben: 2 dB?", MarkerKind.COMMENT),
    Marker(16.52, "seam 1: audible (Ana)", MarkerKind.VERDICT),
)

Labels = list[tuple[float, float, str]]


def read_labels(path: Path) -> Labels:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(float(start), float(end), text) for start, end, text in rows]


def named(labels: Labels, kind: str) -> Labels:
    return [label for label in labels if label[2].startswith(f"{kind} ") or label[2] == kind]


def test_seams_segments_and_speech_need_no_track(
    workspace: Workspace, plan: LoopPlan, mix: MixBody, tmp_path: Path
) -> None:
    labels = read_labels(export_plan(workspace, plan, "audacity", tmp_path / "labels.txt", mix=mix, reviews=SAID[:1]))
    middles = [(start + end) / 2 for start, end, _ in named(labels, "seam")]
    assert middles == pytest.approx(plan.seam_times, abs=1e-6)
    assert [end - start for start, end, _ in named(labels, "seam")] == pytest.approx(plan.seam_fades, abs=2e-6)
    starts = plan.segment_starts
    assert [start for start, _, _ in named(labels, "segment")] == pytest.approx(starts[:-1], abs=1e-6)
    assert [end for _, end, _ in named(labels, "segment")] == pytest.approx(starts[1:], abs=1e-6)
    assert mix.duck is not None
    assert [[start, end] for start, end, _ in named(labels, "speech")] == mix.duck.speech_ranges
    assert labels == sorted(labels)
    assert (5.0, 5.0, SAID[0].text) in labels


def test_bars_and_sections_stand_where_they_are_heard(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    """A grid of one-second bars from 0 s; the second and third segment both begin with bar 3."""
    beats = tuple((k * 0.25, k % 4 + 1) for k in range(48))
    notes = Notes(beats=beats, sections=((0.0, 4.0, "verse"), (4.0, 12.0, "chorus\tand\nmore")), grid_confidence=1.0)
    out = tmp_path / "labels.txt"
    write_labels(replace(timeline_of(workspace, plan), notes=notes), out)
    labels = read_labels(out)
    t = plan.segment_starts
    bars = named(labels, "bar")
    assert [text for _, _, text in bars[:5]] == ["bar 2", "bar 3", "bar 4", "bar 5", "bar 6"]
    assert [start for start, _, text in bars if text == "bar 3"] == pytest.approx(
        [t[0] + 2.0 - 0.31, t[1], t[2], t[3] + 2.0 - 1.2345], abs=1e-6
    )
    sections = named(labels, "section")
    assert [text for _, _, text in sections[:2]] == ["section verse", "section chorus and more"]
    assert sections[0][:2] == pytest.approx((t[0], t[0] + 4.0 - 0.31), abs=1e-6)
    assert sections[1][:2] == pytest.approx((t[0] + 4.0 - 0.31, t[1]), abs=1e-6)


def test_bars_of_a_placed_track(workspace: Workspace, placed: PlacedTrack, track: Path, tmp_path: Path) -> None:
    beats = tuple((k * 0.25, k % 4 + 1) for k in range(48))
    notes = Notes(beats=beats, sections=((0.0, 12.0, "verse"),), grid_confidence=1.0)
    out = tmp_path / "labels.txt"
    write_labels(replace(timeline_of(workspace, placed, track=track), notes=notes), out)
    labels = read_labels(out)
    assert not named(labels, "seam")
    (whole,) = named(labels, "segment")
    assert whole[:2] == pytest.approx((max(0.0, placed.offset_seconds), placed.music_end), abs=1e-6)
    bars = {text: start for start, _, text in named(labels, "bar")}
    assert bars["bar 4"] == pytest.approx(placed.offset_seconds + 3.0, abs=1e-6)
    (end,) = named(labels, "music end: cut off at the end of the video") or named(
        labels, "music end: ends with the track"
    )
    assert end[0] == pytest.approx(placed.music_end, abs=1e-6)


def test_one_row_a_seam(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "csv", tmp_path / "seams.csv"))
    assert table["seam"].tolist() == [1, 2, 3]
    assert table["video_s"].tolist() == list(plan.seam_times)
    assert table["leaves_song_s"].tolist() == [segment.song_to for segment in plan.segments[:-1]]
    assert table["enters_song_s"].tolist() == [segment.song_from for segment in plan.segments[1:]]
    assert table["fade_s"].tolist() == list(plan.seam_fades)
    assert table["exponent"].tolist() == list(plan.seam_curves)
    assert table["leaves_db"].tolist() == [segment.gain_db for segment in plan.segments[:-1]]
    assert table["enters_db"].tolist() == [segment.gain_in_db for segment in plan.segments[1:]]
    middle = (table["fade_from_video_s"] + table["fade_to_video_s"]) / 2
    assert middle.tolist() == pytest.approx(plan.seam_times, abs=1e-6)
    assert "video_sample" not in table


def test_with_a_track_the_samples_follow(workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "csv", tmp_path / "seams.csv", track=track))
    assert set(table["sample_rate_hz"]) == {44_100}
    assert table["video_sample"].tolist() == [round(time * 44_100) for time in plan.seam_times]
    assert table["enters_song_sample"].tolist() == [round(segment.song_from * 44_100) for segment in plan.segments[1:]]
    leaves = [segment.song_to * 44_100 for segment in plan.segments[:-1]]
    assert table["leaves_song_sample"].tolist() == pytest.approx(leaves, abs=1.0)


def test_a_placed_track_is_one_row(workspace: Workspace, placed: PlacedTrack, track: Path, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, placed, "csv", tmp_path / "placed.csv", track=track))
    (row,) = table.to_dict("records")
    assert row["music_in_video_s"] == pytest.approx(max(0.0, placed.offset_seconds))
    assert row["music_end_video_s"] == pytest.approx(placed.music_end, abs=1e-6)
    assert row["song_from_s"] == pytest.approx(max(0.0, -placed.offset_seconds))
    assert row["song_to_s"] - row["song_from_s"] == pytest.approx(
        row["music_end_video_s"] - row["music_in_video_s"], abs=2e-6
    )
    assert (row["start_fade_s"] > 0.0) == (placed.offset_seconds < 0.0)
    assert (row["end_fade_s"] > 0.0) == (placed.offset_seconds == 8.0)
    assert row["first_video_sample"] - row["first_song_sample"] == round(placed.offset_seconds * 44_100)


def test_beats_sections_and_the_plan_come_back(
    workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path
) -> None:
    beats = tuple((0.1 + k * 0.5, k % 4 + 1) for k in range(23))
    sections = ((0.1, 6.1, "Strophe"), (6.1, 12.0, "Änderung & Ende"))
    notes = Notes(beats=beats, sections=sections, grid_confidence=0.75)
    out = tmp_path / "track.jams"
    write_jams(replace(timeline_of(workspace, plan, track=track), notes=notes), out)
    document = jams.load(str(out), validate=True, strict=True)
    assert document.file_metadata.duration == 12.0
    assert document.file_metadata.title == track.stem
    (found,) = document.search(namespace="beat")
    assert [(beat.time, beat.value) for beat in found.data] == [(pytest.approx(time), place) for time, place in beats]
    assert {beat.confidence for beat in found.data} == {0.75}
    named, played = document.search(namespace="segment_open")
    assert [(s.time, s.time + s.duration, s.value) for s in named.data] == [
        (pytest.approx(start), pytest.approx(end), name) for start, end, name in sections
    ]
    heard = {s.value: (s.time, s.time + s.duration) for s in played.data}
    for k, segment in enumerate(plan.segments, start=1):
        assert heard[f"played {k}"] == pytest.approx((segment.song_from, segment.song_to))
    kept = document.sandbox["workbench"]
    assert kept["tool"] == "barline-workbench"
    assert plan_from_json(dict(kept["plan"])) == plan


def test_a_placement_comes_back(workspace: Workspace, placed: PlacedTrack, track: Path, tmp_path: Path) -> None:
    notes = Notes(beats=((0.5, 1), (1.0, 2)), sections=((0.0, 12.0, "verse"),), grid_confidence=0.75)
    out = tmp_path / "track.jams"
    write_jams(replace(timeline_of(workspace, placed, track=track), notes=notes), out)
    document = jams.load(str(out), validate=True, strict=True)
    kept = document.sandbox["workbench"]["placement"]
    assert kept["offset_seconds"] == pytest.approx(placed.offset_seconds)
    assert kept["music_end"] == pytest.approx(placed.music_end)
    (heard,) = document.search(namespace="segment_open")[1].data
    assert (heard.value, heard.time) == ("played 1", pytest.approx(kept["song_from"]))


def test_one_row_a_marker(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "markers", tmp_path / "markers.csv"))
    assert table["kind"].tolist() == ["end", "seam", "seam", "seam", "end"]
    assert table["video_s"].tolist()[1:4] == list(plan.seam_times)
    assert table["frame"].tolist()[1:4] == [round(time * 25) for time in plan.seam_times]


def test_a_cue_is_a_stretch_of_music_and_credits_are_those_of_the_catalog(
    workspace: Workspace, plan: LoopPlan, mix: MixBody, track: Path, tmp_path: Path
) -> None:
    """The mix takes the music away from 6 s to 9 s of 17 s."""
    points = [[1.0, 0.0], [1.4, 14.0], [3.2, 0.0], [5.0, 0.0], [6.0, 60.0], [9.0, 60.0], [10.0, 0.0]]
    assert mix.duck is not None
    away = mix.model_copy(update={"duck": mix.duck.model_copy(update={"envelope_points": points})})
    record = Track(
        "trk_1", track, "", title="Noise, live", artist_name="Moles", licence="CC-BY-4.0", isrc="GBXYZ2100042",
        instrumental=True,
    )  # fmt: skip
    out = export_plan(workspace, plan, "cue-sheet", tmp_path / "cues.csv", track=track, mix=away, record=record)
    table = pandas.read_csv(out, dtype=str, keep_default_na=False)
    assert table[["cue", "time_in", "time_out", "duration"]].to_numpy().tolist() == [
        ["1", "00:00:00:00", "00:00:06:00", "0:00:06"], ["2", "00:00:09:00", "00:00:17:00", "0:00:08"],
    ]  # fmt: skip
    said = {"title": "Noise, live", "isrc": "GBXYZ2100042", "composer": "", "usage": "background instrumental"}
    assert all(table[column].tolist() == [value] * 2 for column, value in said.items())
    text = export_plan(workspace, plan, "credits", tmp_path / "c.txt", track=track, mix=away, record=record).read_text()
    assert text.splitlines()[2:] == [
        '"Noise, live" by Moles, licence CC-BY-4.0', "ISRC: GBXYZ2100042", "Plays from 0:00:00 to 0:00:06, 0:00:09 to "
        "0:00:17",
    ]  # fmt: skip
    of_a_file = export_plan(workspace, plan, "credits", tmp_path / "file.txt", track=track).read_text().splitlines()
    assert of_a_file[2:] == [f'"{track.stem}"', "Licence: not known", "Plays from 0:00:00 to 0:00:17"]
    samples, rate = soundfile.read(track)
    tagged = tmp_path / "take_7.flac"
    with soundfile.SoundFile(tagged, "w", rate, samples.shape[1] if samples.ndim > 1 else 1) as file:
        file.title, file.artist = "Slow Ember", "Kettle"
        file.write(samples)
    text = export_plan(workspace, plan, "credits", tmp_path / "tags.txt", track=tagged).read_text()
    assert text.splitlines()[2] == '"Slow Ember" by Kettle'
    bare = Track("trk_1", track, "", title="=1+1", artist_name="Zoë", composer="Ana")
    cues = export_plan(workspace, plan, "cue-sheet", tmp_path / "cues.csv", track=track, record=bare)
    assert cues.read_bytes().startswith(codecs.BOM_UTF8), "as Excel needs it"
    assert pandas.read_csv(cues)[["title", "licence"]].to_numpy().tolist() == [["'=1+1", "not known"]], "no formula"
    text = export_plan(workspace, plan, "credits", tmp_path / "c.txt", track=track, record=bare).read_text()
    assert "Composer: Ana" in text
    for track_id, licence in (("trk_bare", {}), ("trk_known", {"licence": "CC0-1.0"})):
        open_library(workspace).add(track, {"title": "Twins", **licence}, track_id=track_id)
    text = export_plan(workspace, plan, "credits", tmp_path / "twins.txt", track=track).read_text()
    assert text.splitlines()[2] == '"Twins", licence CC0-1.0'


def test_reviews_stand_between_the_seams(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    table = pandas.read_csv(export_plan(workspace, plan, "markers", tmp_path / "markers.csv", reviews=SAID))
    comment = table[table["kind"] == "comment"].iloc[0]
    assert (comment["video_s"], comment["timecode"], comment["colour"]) == (5.0, "00:00:05:00", "CYAN")
    assert comment["text"] == SAID[0].text
    verdict = table[table["kind"] == "verdict"].iloc[0]
    assert (verdict["timecode"], verdict["colour"]) == ("00:00:16:13", "MAGENTA")


def test_timecode_is_that_of_the_edl(
    workspace: Workspace, plan: LoopPlan, track: Path, video: Path, tmp_path: Path
) -> None:
    """At 29.97 it is drop-frame, as a reader of others counts it."""
    otio = pytest.importorskip("opentimelineio")
    late = Marker(3661.52, "seam 1: audible (Ana)", MarkerKind.VERDICT)
    timeline = replace(timeline_of(workspace, plan, track=track, video=video), reviews=(*SAID, late))
    assert timeline.video is not None
    out = tmp_path / "m.csv"
    write_markers(replace(timeline, video=replace(timeline.video, frames=120_000)), out)
    table = pandas.read_csv(out)
    hour = table[table["video_s"] == late.video_s].iloc[0]
    assert hour["timecode"].startswith("01:01:01;"), "an hour of timecode is an hour"
    for frame, timecode in zip(table["frame"], table["timecode"], strict=True):
        assert otio.opentime.from_timecode(timecode, 30000 / 1001).value == frame


def marks_of(path: Path, name: str) -> list[tuple[float, str]]:
    """Second and text of each marker of an edit, which has 25 frames a second."""
    text = path.read_text(encoding="utf-8")
    match name:
        case "markers":
            return [(frame / RATE, said) for frame, said in pandas.read_csv(path)[["frame", "text"]].to_numpy()]
        case "fcpxml":
            marks = ElementTree.parse(path).iter("marker")
            return [(float(Fraction(mark.attrib["start"].rstrip("s"))), mark.attrib["value"]) for mark in marks]
        case "xmeml":
            marks = ElementTree.parse(path).iter("marker")
            said = ((mark, f"{mark.findtext('comment')} {mark.findtext('name')}") for mark in marks)
            return [(int(mark.findtext("in") or "") / RATE, text) for mark, text in said]
        case "edl":
            lines = re.findall(r"\* LOC: 00:00:(\d\d):(\d\d) (\w+ +.*)", text)
            return [(int(second) + int(frame) / RATE, said) for second, frame, said in lines]
        case "otio":
            marks = opentimelineio.adapters.read_from_string(text, "otio_json").tracks.markers
            return [(mark.marked_range.start_time.to_seconds(), f"{mark.color} {mark.name}") for mark in marks]
        case _:
            return [(float(at), said) for at, said in re.findall(r'MARKER \d+ ([\d.]+) "?([^"\n]*)', text)]


@pytest.mark.parametrize("name", ["markers", "fcpxml", "xmeml", "edl", "otio", "rpp"])
def test_markers_stand_at_start_seams_reviews_and_end(
    workspace: Workspace, track: Path, tmp_path: Path, name: str
) -> None:
    """The end of music that plays to the end is on the last frame: the frame after it is none of the clip."""
    plan = make_plan([(0.0, 6.013, 0.0, 0.0), (2.013, 6.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    said = (Marker(5.0, "comment: Ana: too loud; Ben: 2 dB?", MarkerKind.COMMENT),)
    marks = marks_of(export_plan(workspace, plan, name, tmp_path / "out", track=track, reviews=said), name)
    last = plan.music_end if name == "rpp" else 249 / RATE
    assert [at for at, _ in marks] == pytest.approx([0.0, 5.0, plan.seam_times[0], last], abs=0.021)
    assert marks[-1][0] == pytest.approx(last)
    assert said[0].text in marks[1][1]
    first_words = [text.split()[0] for _, text in marks]
    assert name not in ("edl", "otio") or first_words == ["GREEN", "CYAN", "RED", "GREEN"]
    assert name != "xmeml" or first_words == ["end", "comment", "seam", "end"]
