"""FCPXML edits are walked by a plain XML parser, checked against the format's rules, played, and compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlparse
from xml.etree.ElementTree import Element, parse

import numpy as np
import pytest
import soundfile
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.export.envelope import TOLERANCE, TOLERANCE_DB
from workbench.export.fcpxml import time_text, write_fcpxml
from workbench.export.timeline import Item, Timeline, TrackMedia, VideoMedia
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray
from workbench.render.schedule import PlacedTrack
from workbench.results.mix import DuckBody, MixBody
from workbench.workflows.export import export_plan, timeline_of

Exported = Callable[..., Path]

RATE = 44_100

# Children in order and attributes (required ones marked), of the elements that an edit of ours consists of, as the
# document type definition of FCPXML 1.10 states them.
RULES: dict[str, tuple[str, set[str], set[str]]] = {
    "fcpxml": (r"(resources )?(library )?", {"version"}, set()),
    "resources": (r"((asset|effect|format|media|locator) )*", set(), set()),
    "format": ("", {"id"}, {"name", "frameDuration", "width", "height"}),
    "asset": (
        r"(media-rep )+(metadata )?",
        {"id"},
        {
            "name", "start", "duration", "hasVideo", "format", "hasAudio", "videoSources", "audioSources",
            "audioChannels", "audioRate",
        },
    ),
    "media-rep": (r"(bookmark )?", {"src"}, {"kind", "sig", "suggestedFilename"}),
    "library": (r"((event|smart-collection) )*", set(), {"location"}),
    "event": (r"((asset-clip|project) )*", set(), {"name", "uid"}),
    "project": (r"sequence ", set(), {"name", "uid", "id", "modDate"}),
    "sequence": (
        r"(note )?spine (metadata )?",
        {"format"},
        {"duration", "tcStart", "tcFormat", "audioLayout", "audioRate"},
    ),
    "spine": (r"((asset-clip|gap|transition) )*", set(), {"lane", "offset", "name", "format"}),
    "gap": (r"(note )?(asset-clip )*(marker )*(metadata )?", {"duration"}, {"name", "offset", "start"}),
    "asset-clip": (
        r"(note )?(adjust-volume )?(asset-clip )*(marker )*(metadata )?",
        {"ref"},
        {
            "lane", "offset", "name", "start", "duration", "format", "tcStart", "tcFormat", "audioRole", "videoRole",
            "enabled",
        },
    ),
    "adjust-volume": (r"(param )*", set(), {"amount"}),
    "param": (r"(fadeIn )?(fadeOut )?(keyframeAnimation )?(param )*", {"name"}, {"key", "value", "enabled"}),
    "fadeIn": ("", {"duration"}, {"type"}),
    "fadeOut": ("", {"duration"}, {"type"}),
    "keyframeAnimation": (r"(keyframe )*", set(), set()),
    "keyframe": ("", {"time", "value"}, {"interp", "curve"}),
    "marker": ("", {"start", "value"}, {"duration", "completed", "note"}),
    "metadata": (r"(md )*", set(), set()),
    "md": (r"(array )?", {"key"}, {"value", "editable", "type", "displayName", "description", "source"}),
}  # fmt: skip
# Values of attributes that the definition lists.
VALUES = {
    ("fcpxml", "version"): {"1.10"},
    ("media-rep", "kind"): {"original-media", "proxy-media"},
    ("sequence", "tcFormat"): {"DF", "NDF"},
    ("sequence", "audioLayout"): {"mono", "stereo", "surround"},
    ("sequence", "audioRate"): {"32k", "44.1k", "48k", "88.2k", "96k", "176.4k", "192k"},
    ("asset-clip", "tcFormat"): {"DF", "NDF"},
    ("asset-clip", "enabled"): {"0", "1"},
    ("fadeIn", "type"): {"linear", "easeIn", "easeOut", "easeInOut"},
    ("fadeOut", "type"): {"linear", "easeIn", "easeOut", "easeInOut"},
    ("keyframe", "curve"): {"linear", "smooth"},
    ("md", "type"): {"string", "boolean", "integer", "float", "date", "timecode"},
}
TIMES = {"offset", "start", "duration", "tcStart", "frameDuration", "time"}
"""attributes that are times"""


def read(path: Path) -> Element:
    """The document, when every element follows the rules."""
    assert path.read_text(encoding="utf-8").startswith('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n')
    root = parse(path).getroot()
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    for element in root.iter():
        children, required, allowed = RULES[element.tag]
        assert re.fullmatch(children, "".join(f"{child.tag} " for child in element)), element.tag
        assert required <= set(element.attrib) <= required | allowed, element.tag
        for name, value in element.attrib.items():
            assert value in VALUES.get((element.tag, name), {value}), (element.tag, name)
            assert name not in TIMES or re.fullmatch(r"\d+(/[1-9]\d*)?s", value), (element.tag, name)
        assert element.get("ref", "r1") in ids
        assert element.get("format", "r1") in ids
    return root


def seconds(text: str | None) -> Fraction:
    assert text is not None
    assert text.endswith("s")
    return Fraction(text[:-1])


def segments(root: Element) -> list[Element]:
    return [clip for clip in root.iter("asset-clip") if clip.get("lane")]


def keys(clip: Element) -> tuple[FloatArray, FloatArray]:
    """Keyed times on the clip's own clock, track seconds, and levels in dB; one key where the level is a number."""
    found = list(clip.iter("keyframe"))
    if not found:
        (volume,) = clip.iter("adjust-volume")
        return np.zeros(1), np.array([float((volume.get("amount") or "").removesuffix("dB"))])
    assert all(key.get("curve") == "linear" for key in found)
    times = np.array([float(seconds(key.get("time"))) for key in found])
    assert np.all(np.diff(times) > 0)
    return times, np.array([float((key.get("value") or "").removesuffix("dB")) for key in found])


def own_fades(clip: Element, times: FloatArray) -> FloatArray:
    """Gain of the clip's own fades at times since its beginning, s: an S that is half way at half the time."""
    lasts, gain = float(seconds(clip.get("duration"))), np.ones(times.size)
    for name, distance in (("fadeIn", times), ("fadeOut", lasts - times)):
        for fade in clip.iter(name):
            assert fade.get("type") == "easeInOut"
            share = np.clip(distance / float(seconds(fade.get("duration"))), 0.0, 1.0)
            gain *= (1.0 - np.cos(np.pi * share)) / 2.0
    return gain


def play(root: Element, folder: Path, length: int) -> FloatArray:
    """Play all connected clips: on whole frames, from their exact place in the track, at keyed levels."""
    sources = {asset.get("id"): asset.find("media-rep") for asset in root.iter("asset")}
    frame = seconds(root.find("resources/format").get("frameDuration"))  # type: ignore[union-attr]
    sound = np.zeros((2, length))
    for clip in segments(root):
        offset, start, lasts = (seconds(clip.get(name)) for name in ("offset", "start", "duration"))
        assert (offset / frame).denominator == 1
        assert (lasts / frame).denominator == 1
        media = sources[clip.get("ref")]
        assert media is not None
        url = urlparse(media.get("src") or "")
        source, rate = soundfile.read(folder / unquote(url.path), always_2d=True)
        # Video time of track sample 0, which must be a whole sample, or nothing would be exact.
        zero = (offset - start) * rate
        assert zero.denominator == 1
        places = np.arange(
            int(np.ceil(float(offset * rate))), min(length, int(np.ceil(float((offset + lasts) * rate))))
        )
        taken = places - int(zero)
        inside = (taken >= 0) & (taken < len(source))
        times, levels = keys(clip)
        drawn = np.interp(taken[inside] / rate, times, levels)
        gain = np.where(drawn <= -95.9, 0.0, 10 ** (drawn / 20))
        gain *= own_fades(clip, places[inside] / rate - float(offset))
        sound[:, places[inside]] += source[taken[inside]].T * gain
    return sound


@pytest.mark.parametrize("filmed", [True, False])
def test_the_edit_plays_what_the_renderer_plays(
    exported: Exported,
    plan: LoopPlan,
    video: Path,
    any_mix: MixBody | None,
    filmed: bool,
    residue_db: Callable[..., float],
    envelope_db: float,
) -> None:
    out = exported("fcpxml", plan, video=video if filmed else None, mix=any_mix)
    made = play(read(out), out.parent, round(plan.window_end * RATE))
    # The fade at the end lasts up to a frame longer.
    assert residue_db(made, plan, any_mix) < envelope_db + 1.0
    assert residue_db(made, plan, any_mix, matched=True, beside_seams=0.001) < -55.0


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rate=st.sampled_from([Fraction(24000, 1001), Fraction(25), Fraction(30000, 1001), Fraction(60)]),
)
def test_every_sample_has_the_level_of_the_plan(workspace: Workspace, seed: int, rate: Fraction) -> None:
    dice = np.random.default_rng(seed)
    count = int(dice.integers(2, 6))
    rows = []
    for _ in range(count):
        first = round(float(dice.uniform(0.5, 4.0)), 6)
        levels = (round(float(level), 3) for level in dice.uniform(-6.0, 3.0, 2))
        rows.append((first, round(first + float(dice.uniform(2.0, 6.0)), 6), *levels))
    fades = [round(float(fade), 6) for fade in dice.choice([0.006, 0.012, 0.05, 0.2, 0.6], count - 1)]
    # Neighbours that nearly continue each other are no plan.
    assume(all(abs(later[0] - earlier[1]) > 0.05 for earlier, later in pairwise(rows)))
    plan = make_plan(
        rows, fades, [round(float(curve), 3) for curve in dice.uniform(0.5, 1.0, count - 1)], song_duration=12.0,
        glide=float(dice.choice([0.0, 0.01, 1.0])), end_fade=float(dice.choice([0.0, 0.005, 1.0])),
        start_fade=float(dice.choice([0.0, 0.005, 0.25])),
    )  # fmt: skip
    at = np.sort(dice.uniform(0.2, plan.window_end - 0.2, 4)).round(3)
    points = [[float(at[0]), 0.0], [float(at[1]), 14.0], [float(at[2]), 14.0], [float(at[3]), 0.0]]
    duck = DuckBody(
        envelope_points=points, envelope_hz=100, speech_ranges=[], depth_db=14, attack_ms=300, release_ms=900
    )
    mix = MixBody(voiceover=True, classification="voice", music_gain_db=-4.0, video_gain_db=0.0, duck=duck)
    plain = timeline_of(workspace, plan, mix=mix)
    track = TrackMedia(Path("track.wav"), 12 * plain.rate, plain.rate, 2)
    video = VideoMedia(Path("video.mp4"), rate, ceil(plan.window_end * rate), 64, 36, None, 0)
    timeline = replace(plain, track=track, video=video)
    with TemporaryDirectory() as folder:
        write_fcpxml(timeline, Path(folder) / "edit.fcpxml")
        clips = segments(read(Path(folder) / "edit.fcpxml"))
    for item, clip in zip(timeline.items, clips, strict=True):
        shift = seconds(clip.get("start")) - seconds(clip.get("offset"))
        begin = seconds(clip.get("offset"))
        end = begin + seconds(clip.get("duration"))
        assert (begin * rate).denominator == (end * rate).denominator == 1
        assert begin <= timeline.seconds(item.first) < begin + 1 / rate
        assert timeline.seconds(item.stop) <= end < timeline.seconds(item.stop) + 1 / rate
        times = keys(clip)[0]
        assert float(begin) <= times[0] - float(shift) or times.size == 1
        assert times[-1] - float(shift) <= float(end)
        check_levels(timeline, item, clip)


def level_at(timeline: Timeline, item: Item, time: float) -> float:
    """Linear level of an item without its crossfades."""
    sample = min(max(round(time * timeline.rate), item.first), item.stop - 1)
    return float(item.gain(sample, fade_in=False, fade_out=False) * 10 ** (timeline.music_db(sample) / 20))


def check_levels(timeline: Timeline, item: Item, clip: Element) -> None:
    """The clip is as loud as the item, every tenth of a second and at nine places of each crossfade."""
    rate, begin = timeline.rate, seconds(clip.get("offset"))
    shift = float(seconds(clip.get("start")) - begin)
    end = begin + seconds(clip.get("duration"))
    both = ((item.fade_in, item.begins), (item.fade_out, item.ends))
    crossings = [(middle, fade.seconds / 8) for fade, middle in both if fade is not None]
    places = {round((middle + eighth * part) * rate) for middle, eighth in crossings for part in range(-4, 5)}
    inside = {min(max(place, item.first), item.stop - 1) for place in places}
    # Music that neither fades nor crosses over ends with its track, which has nothing more up to the next frame.
    ends = item.fade_out is None and timeline.ends.end_fade_seconds == 0.0
    steps = range(ceil(begin * rate), item.stop if ends else floor(end * rate) + 1, rate // 10)
    samples = np.array(sorted({*steps, *inside, item.first, item.stop - 1}))
    drawn = 10 ** (np.interp(samples / rate + shift, *keys(clip)) / 20) * own_fades(clip, samples / rate - float(begin))
    # A fade of its own may begin or end up to a frame away, a twentieth of it at most.
    own = [*clip.iter("fadeIn"), *clip.iter("fadeOut")]
    stretched = 0.05 * np.pi / 2 if own else 0.0
    for sample, gain in zip(samples.tolist(), drawn.tolist(), strict=True):
        meant = 0.0
        if item.first <= sample < item.stop:
            meant = item.gain(sample) * 10 ** (timeline.music_db(sample) / 20)
        room = max(meant * (10 ** (TOLERANCE_DB / 20) - 1), TOLERANCE)
        for middle, eighth in crossings:
            if abs(sample / rate - middle) <= 4 * eighth + 1e-6:  # a fiftieth of the level of the music there
                room = max(room, *(0.02 * level_at(timeline, item, middle + 4 * part * eighth) for part in (-1, 1)))
        assert abs(gain - meant) < room + TOLERANCE + stretched


def test_a_placed_track_is_one_clip(
    exported: Exported, placed: PlacedTrack, video: Path, residue_db: Callable[..., float]
) -> None:
    out = exported("fcpxml", placed, video=video)
    root = read(out)
    (clip,) = segments(root)
    assert seconds(clip.get("offset")) - seconds(clip.get("start")) == Fraction(
        round(placed.offset_seconds * RATE), RATE
    )
    made = play(root, out.parent, round(placed.window_end * RATE))
    # Both ends of the music lie within a frame of their place.
    frame = round(RATE * 1001 / 30000)
    begins, ends = (round(time * RATE) for time in (max(0.0, placed.offset_seconds), placed.music_end))
    assert residue_db(made, placed, skip=begins + frame, until=ends - frame) < -55.0
    assert np.all(made[:, : max(0, begins - frame)] == 0.0)
    assert np.all(made[:, ends + frame :] == 0.0)


def test_a_late_start_and_the_tracks_own_end(
    workspace: Workspace, late_plan: LoopPlan, track: Path, tmp_path: Path, residue_db: Callable[..., float]
) -> None:
    out = export_plan(workspace, late_plan, "fcpxml", tmp_path / "late.fcpxml", track=track)
    made = play(read(out), out.parent, round(late_plan.window_end * RATE))
    # The track has nothing before its first sample, so its clip begins on the next frame.
    begins = round(late_plan.music_in * RATE)
    first = int(np.ceil(np.ceil(late_plan.music_in * 25) / 25 * RATE))
    assert first - begins < RATE / 25
    # The clip ends on the next frame too: it plays on for less than a frame.
    until = round(float(late_plan.segment_starts[-1]) * RATE)
    assert residue_db(made, late_plan, skip=first, until=until, beside_seams=0.08) < -55.0


def test_the_storyline_is_the_video(exported: Exported, plan: LoopPlan, track: Path, video: Path, mix: MixBody) -> None:
    out = exported("fcpxml", plan, video=video, mix=mix)
    root = read(out)
    (story,) = root.iter("spine")
    assert seconds(story[0].get("duration")) == Fraction(510 * 1001, 30000)
    volume = story[0].find("adjust-volume")
    assert volume is not None
    assert volume.get("amount") == "2dB"
    marks = [float(seconds(mark.get("start"))) for mark in story[0].iter("marker")]
    assert marks == pytest.approx([plan.music_in, *plan.seam_times, plan.music_end], abs=1001 / 30000)
    names = [asset.get("name") for asset in root.iter("asset")]
    assert names == [video.stem, track.stem]
    (first, second) = (asset.find("media-rep").get("src") for asset in root.iter("asset"))  # type: ignore[union-attr]
    assert (out.parent / unquote(first or "")).samefile(video)
    assert (out.parent / unquote(second or "")).samefile(track)


def test_neighbours_lie_in_different_lanes_and_overlap(exported: Exported, plan: LoopPlan) -> None:
    clips = segments(read(exported("fcpxml", plan)))
    assert [clip.get("lane") for clip in clips] == ["-1", "-2", "-1", "-2"]
    for before, after, fade in zip(clips[:-1], clips[1:], plan.seam_fades, strict=True):
        ends = seconds(before.get("offset")) + seconds(before.get("duration"))
        overlap = float(ends - seconds(after.get("offset")))
        assert fade - 1e-4 <= overlap <= fade + 2 / 25


def test_times_are_written_as_fractions() -> None:
    assert time_text(Fraction(1001, 30000)) == "1001/30000s"
    assert time_text(Fraction(5)) == "5s"
