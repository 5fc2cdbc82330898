"""xmeml edits are walked by a plain XML parser, played, and compared with the renderer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from urllib.parse import unquote, urljoin, urlparse
from xml.etree.ElementTree import Element, parse

import numpy as np
import opentimelineio as otio
import pytest
import soundfile

from workbench.analysis.workspace import Workspace
from workbench.export.timeline import VideoMedia
from workbench.export.xmeml import TICKS, write_xmeml
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray
from workbench.render.schedule import PlacedTrack
from workbench.results.mix import MixBody
from workbench.workflows.export import timeline_of

Exported = Callable[..., Path]

RATE = 44_100


def read(path: Path) -> Element:
    """The sequence, when ids are unique and every reference leads to one."""
    assert path.read_text(encoding="utf-8").startswith('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE xmeml>\n')
    root = parse(path).getroot()
    assert (root.tag, root.get("version")) == ("xmeml", "5")
    clips = [clip.get("id") for clip in root.iter("clipitem")]
    assert len(set(clips)) == len(clips)
    assert {link.findtext("linkclipref") for link in root.iter("link")} <= set(clips)
    described = [file.get("id") for file in root.iter("file") if len(file)]
    assert sorted(described) == sorted({file.get("id") for file in root.iter("file")})  # type: ignore[type-var]
    for clip in root.iter("clipitem"):
        assert clip.findtext("masterclipid") == (clip.find("file").get("id") or "").replace("file-", "masterclip-")  # type: ignore[union-attr]
    for url in root.iter("pathurl"):
        url.text = urljoin(path.as_uri(), url.text)
    (sequence,) = root
    return sequence


def whole(element: Element, tag: str) -> int:
    return int(element.findtext(tag) or "")


def frame_rate(sequence: Element) -> Fraction:
    timebase = Fraction(sequence.findtext("rate/timebase") or "")
    return timebase * Fraction(1000, 1001) if sequence.findtext("rate/ntsc") == "TRUE" else timebase


def music(sequence: Element) -> list[Element]:
    """Tracks of the music, one a channel."""
    return [lane for lane in sequence.findall("media/audio/track") if (lane[0].get("id") or "").startswith("music")]


def media(sequence: Element, name: str) -> Path:
    (file,) = [file for file in sequence.iter("file") if file.get("id") == name and len(file)]
    url = urlparse(file.findtext("pathurl") or "")
    assert (url.scheme, url.netloc) in (("file", "localhost"), ("file", ""))
    return Path(unquote(url.path))


def keys(clip: Element) -> tuple[FloatArray, FloatArray]:
    """Keyed frames of the file and gains; a level that stays has one."""
    (parameter,) = clip.iter("parameter")
    found = [(float(key.findtext("when") or ""), float(key.findtext("value") or "")) for key in clip.iter("keyframe")]
    found = found or [(0.0, float(parameter.findtext("value") or ""))]
    at, gains = np.array(found).T
    assert np.all(np.diff(at) > 0)
    return at, gains


def play(sequence: Element, length: int, *, in_gain: bool) -> FloatArray:
    """Play the music: from the exact place of Premiere's ticks, keyed levels, transitions by their law."""
    rate = frame_rate(sequence)
    source, _ = soundfile.read(media(sequence, "file-music"), always_2d=True)
    sound = np.zeros((2, length))
    for channel, lane in enumerate(music(sequence)):
        items = list(lane)
        for k, clip in enumerate(items):
            if clip.tag != "clipitem":
                continue
            assert whole(clip, "sourcetrack/trackindex") == channel + 1
            before, after = (items[n] if 0 <= n < len(items) else None for n in (k - 1, k + 1))
            first = whole(before, "start") if whole(clip, "start") < 0 and before is not None else whole(clip, "start")
            stop = whole(after, "end") if whole(clip, "end") < 0 and after is not None else whole(clip, "end")
            assert stop - first == whole(clip, "out") - whole(clip, "in")
            begin = Fraction(whole(clip, "pproTicksIn"), TICKS)
            zero = first / rate - begin
            places = np.arange(int(np.ceil(float(first / rate * RATE))), min(length, int(float(stop / rate * RATE))))
            taken = places - round(zero * RATE)
            at, gains = keys(clip)
            where = (places / RATE) * float(rate) - first + whole(clip, "in")
            drawn = (
                np.interp(where, at, gains)
                if in_gain
                else 10 ** (np.interp(where, at, 20 * np.log10(np.maximum(gains, 10 ** (-96 / 20)))) / 20)
            )
            drawn = np.where(drawn < 2e-5, 0.0, drawn)
            if whole(clip, "start") < 0:
                drawn *= law(before, places, rate)
            if whole(clip, "end") < 0:
                drawn *= law(after, places, rate, falls=True)
            inside = (taken >= 0) & (taken < len(source))
            sound[channel, places[inside]] += source[taken[inside], channel] * drawn[inside]
    return sound


def law(transition: Element | None, places: np.ndarray, rate: Fraction, *, falls: bool = False) -> FloatArray:
    """Gain of one side of a crossfade."""
    assert transition is not None
    assert transition.findtext("alignment") == "center"
    begin, end = (float(whole(transition, tag) / rate) for tag in ("start", "end"))
    progress = np.clip((places / RATE - begin) / (end - begin), 0.0, 1.0)
    equal_power = transition.findtext("effect/effectid") == "KGAudioTransCrossFade3dB"
    return np.asarray((1.0 - progress if falls else progress) ** (0.5 if equal_power else 1.0))


@pytest.mark.parametrize("in_gain", [True, False])
@pytest.mark.parametrize("filmed", [True, False])
def test_the_edit_plays_what_the_renderer_plays(
    exported: Exported,
    plan: LoopPlan,
    video: Path,
    any_mix: MixBody | None,
    filmed: bool,
    in_gain: bool,
    residue_db: Callable[..., float],
) -> None:
    """Whether a program draws levels in gain or in dB."""
    out = exported("xmeml", plan, video=video if filmed else None, mix=any_mix)
    made = play(read(out), round(plan.window_end * RATE), in_gain=in_gain)
    # Frames are coarse: a rise of a quarter of a second has seven of them.
    assert residue_db(made, plan, any_mix, beside_seams=0.08, padded=True) < -30.0


def test_crossfades_lie_over_the_seams_and_have_the_nearer_law(exported: Exported, plan: LoopPlan, video: Path) -> None:
    sequence = read(exported("xmeml", plan, video=video))
    rate = frame_rate(sequence)
    assert rate == Fraction(30000, 1001)
    assert sequence.findtext("timecode/displayformat") == "DF"
    left, right = music(sequence)
    for lane in (left, right):
        fades = lane.findall("transitionitem")
        centres = [(whole(fade, "start") + whole(fade, "end")) / 2 / rate for fade in fades]
        assert [float(centre) for centre in centres] == pytest.approx(plan.seam_times, abs=float(0.5 / rate) + 1e-6)
        laws = [fade.findtext("effect/effectid") for fade in fades]
        assert [law.removeprefix("KGAudioTransCrossFade") for law in laws if law] == ["0dB", "3dB", "3dB"]
    assert left.get("totalExplodedTrackCount") == right.get("totalExplodedTrackCount") == "2"


def test_the_video_has_its_own_tracks(
    exported: Exported, plan: LoopPlan, track: Path, video: Path, mix: MixBody
) -> None:
    out = exported("xmeml", plan, video=video, mix=mix)
    sequence = read(out)
    assert media(sequence, "file-video").samefile(video)
    assert media(sequence, "file-music").samefile(track)
    (picture,) = sequence.findall("media/video/track/clipitem")
    assert (whole(picture, "start"), whole(picture, "end")) == (0, 510)
    lanes = sequence.findall("media/audio/track")
    assert [lane[0].get("id") for lane in lanes] == ["sound-1", "sound-2", "music-1-1", "music-1-2"]
    for lane in lanes[:2]:
        assert keys(lane[0])[1] == pytest.approx([10 ** (2.0 / 20)], abs=1e-6)
        assert len(lane[0].findall("link")) == 3
    places = [(whole(link, "trackindex"), whole(link, "clipindex")) for link in lanes[2][2].findall("link")]
    assert places == [(3, 2), (4, 2)]


def test_a_placed_track_is_one_clip(
    exported: Exported, placed: PlacedTrack, video: Path, residue_db: Callable[..., float]
) -> None:
    sequence = read(exported("xmeml", placed, video=video))
    assert all(len(lane.findall("clipitem")) == 1 for lane in music(sequence))
    made = play(sequence, round(placed.window_end * RATE), in_gain=False)
    # Both ends of the music lie within a frame of their place.
    frame = round(RATE * 1001 / 30000)
    begins, ends = (round(time * RATE) for time in (max(0.0, placed.offset_seconds), placed.music_end))
    assert residue_db(made, placed, skip=begins + frame, until=ends - frame) < -55.0


def test_one_channel_has_one_track(workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path) -> None:
    """A mono track under a video without sound."""
    timeline = timeline_of(workspace, plan, track=track)
    assert timeline.track is not None
    mute = VideoMedia(tmp_path / "mute.mp4", Fraction(25), 425, 64, 36, None, 0)
    out = tmp_path / "mono.xml"
    write_xmeml(replace(timeline, track=replace(timeline.track, channels=1), video=mute), out)
    sequence = read(out)
    (lane,) = sequence.findall("media/audio/track")
    assert lane.get("premiereTrackType") is None
    assert [clip.get("id") for clip in lane.findall("clipitem")] == [f"music-{k}-1" for k in range(1, 5)]
    assert not list(lane.iter("link"))
    (file,) = [file for file in sequence.iter("file") if file.get("id") == "file-video" and len(file)]
    assert file.find("media/audio") is None
    assert all(whole(clip, "out") <= whole(clip, "duration") for clip in sequence.iter("clipitem"))


def test_opentimelineio_reads_the_edit(exported: Exported, plan: LoopPlan, video: Path) -> None:
    """A reader of others finds the clips, the crossfades and the markers where they were written."""
    pytest.importorskip("otio_fcp_adapter", reason="make setup-dev installs OpenTimelineIO's reader of xmeml")
    out = exported("xmeml", plan, video=video)
    edit = otio.adapters.read_from_file(str(out), adapter_name="fcp_xml")
    picture, soundtrack, music = edit.tracks
    assert [lane.kind for lane in edit.tracks] == ["Video", "Audio", "Audio"]
    assert picture.duration() == soundtrack.duration() == otio.opentime.RationalTime(510, 30000 / 1001)
    rate = Fraction(30000, 1001)
    cuts = [round(float(start) * rate) for start in plan.segment_starts[:-1]]
    assert [round(clip.range_in_parent().start_time.value) for clip in music.find_clips()] == cuts
    taken = [round(clip.source_range.start_time.value) for clip in music.find_clips()]
    exact = [
        cut + (segment.song_from - start) * float(rate)
        for cut, segment, start in zip(cuts, plan.segments, plan.segment_starts[:-1], strict=True)
    ]
    assert taken == pytest.approx(exact, abs=0.51)
    fades = [child for child in music if isinstance(child, otio.schema.Transition)]
    assert [round(fade.in_offset.value) for fade in fades] == [1, 3, 1]
    assert [round(fade.out_offset.value) for fade in fades] == [1, 3, 1]
    marks = [round(mark.marked_range.start_time.value) for mark in edit.tracks.markers]
    assert marks[1:-1] == cuts[1:]
