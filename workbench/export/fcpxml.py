"""FCPXML 1.10: the edit as Final Cut Pro opens it; Resolve reads it too.

The video is the primary storyline; each segment of the plan is a clip connected below it, alternating between two
lanes, so that the two sides of a crossfade overlap. Without a video the storyline is a gap, 25 frames a second.

Times are exact fractions of a second. Final Cut edits on whole frames and moves anything that does not lie on them, so
a clip begins on the last frame before its first sound and ends on the first frame after its last, while its `start`,
the place in the track, is exact to the sample: the excess is silent. Where the track itself begins or ends there, the
clip begins or ends one frame inside.

Gain. The fades at the plan's ends are the clip's own (`fadeIn`, `fadeOut`), with Final Cut's S-curve, `easeInOut`:
slow, fast, slow like the plan's raised cosine; Apple does not state its formula. A fade that would have to be stretched
by more than a twentieth to reach the edge of its clip is drawn. All else is keyframes of the clips' volume: level and
glide, both halves of the crossfades, the mix's gain and the duck; a level that stays is one number. Keys are in dB with
straight lines between, which meet the curve within 0.25 dB (`workbench.export.envelope`), in a crossfade within a
fiftieth of its own level, so that both sides together are within 0.3 dB; -96 dB stands for silence. Before its first
key and after its last a level is held. Keys lie on samples and not on frames: Final Cut's own exports have keys and
fades anywhere between two frames, so that a crossfade of a few milliseconds has room. Keyed times are track times,
since the keys of a clip count on the clock of its media.

What the plan was made from is JSON in the sequence's metadata, under `PROVENANCE_KEY`.

Limits. Final Cut takes at most +12 dB on a clip. The limiter of a rendered video is not part of an edit.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from workbench.export.envelope import TOLERANCE, GainPoint, Lines, fit_keys
from workbench.export.files import media_url, plain_name
from workbench.export.formats import Format
from workbench.export.timeline import (
    LONE_PICTURE,
    MIXED_MUSIC,
    SILENT_DB,
    Item,
    Timeline,
    TrackMedia,
    decibels,
    to_microsecond,
)
from workbench.files import write_text

PROVENANCE_KEY = "workbench.provenance"  # of the sequence's metadata: what the plan was made from, as JSON
_AUDIO_RATES = {rate: f"{rate / 1000:g}k" for rate in (32000, 44100, 48000, 88200, 96000, 176400, 192000)}
_STRETCHED = 0.05  # share of a fade by which the edge of a clip may lie beyond it, for it to be the clip's own
# Share of its level by which keys may leave a crossfade: lines in dB need many keys to draw it near silence
_CROSSFADE_TOLERANCE = 0.02
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n'


def write_fcpxml(timeline: Timeline, out: Path) -> None:
    """Write the edit, with media named relative to it.

    Raises `InputError` for a media file whose name is no text.
    """
    track, video = timeline.track, timeline.video
    assert track is not None, "the format needs a track"
    root = Element("fcpxml", version="1.10")
    _resources(SubElement(root, "resources"), timeline, track, out)
    name = plain_name(timeline.name)
    event = SubElement(SubElement(root, "library"), "event", name=name)
    frame_rate = timeline.frame_rate
    frames = timeline.frames
    duration = time_text(frames / frame_rate)
    sequence = SubElement(
        SubElement(event, "project", name=name),
        "sequence", format="r1", duration=duration, tcStart="0s", tcFormat="NDF", audioLayout="stereo",
    )  # fmt: skip
    # The sound of videos is at 48 kHz; without one the track's rate is the edit's.
    rate = _AUDIO_RATES.get(track.rate if video is None else video.sound_rate or 48000)
    if rate is not None:
        sequence.set("audioRate", rate)
    story = _story(SubElement(sequence, "spine"), timeline, duration)
    # What hangs on the video counts on its clock, which is the time code of its camera.
    zero = Fraction(0) if video is None else video.start_frame / frame_rate
    layers = timeline.layers
    for number, layer in enumerate(layers):
        for item in layer.items:
            story.append(_segment(layer, number, item, frame_rate, frames, zero))
    if timeline.mixed_music is not None:
        # After the lanes of the segments; switched off, or the music would play twice
        SubElement(
            story, "asset-clip", ref=_asset(len(layers)), lane=str(-1 - 2 * len(layers)), name=MIXED_MUSIC, enabled="0",
            offset=time_text(zero), start="0s", duration=time_text(timeline.mixed_frames / frame_rate),
            audioRole="music",
        )  # fmt: skip
    for marker in timeline.markers:
        at, name = zero + timeline.marker_frame(marker) / frame_rate, plain_name(marker.text)
        SubElement(story, "marker", start=time_text(at), duration=time_text(1 / frame_rate), value=name)
    if timeline.provenance is not None:
        stated = json.dumps(dict(timeline.provenance), ensure_ascii=False, allow_nan=False)
        SubElement(SubElement(sequence, "metadata"), "md", key=PROVENANCE_KEY, type="string", value=plain_name(stated))
    indent(root)
    write_text(out, _HEAD + tostring(root, encoding="unicode") + "\n")


def time_text(seconds: Fraction) -> str:
    """Format an exact time, s, for FCPXML: `1001/30000s`, or `5s` where it is whole."""
    exact = Fraction(seconds)
    return f"{exact.numerator}s" if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}s"


def _resources(resources: Element, timeline: Timeline, track: TrackMedia, out: Path) -> None:
    video = timeline.video
    width, height = (video.width, video.height) if video else LONE_PICTURE
    frame = 1 / timeline.frame_rate
    SubElement(resources, "format", id="r1", frameDuration=time_text(frame), width=str(width), height=str(height))
    if video is not None:
        asset = SubElement(
            resources, "asset", id="r2", name=plain_name(video.path.stem), start=time_text(video.start_frame * frame),
            duration=time_text(video.frames * frame), hasVideo="1", format="r1", videoSources="1",
        )  # fmt: skip
        if video.sound_rate is not None:
            _has_audio(asset, video.channels, video.sound_rate)
        SubElement(asset, "media-rep", kind="original-media", src=media_url(video.path, out))
    music = (*(layer.track or track for layer in timeline.layers), timeline.mixed_music)
    for number, media in enumerate(music):
        if media is not None:
            asset = SubElement(
                resources, "asset", id=_asset(number), name=plain_name(media.path.stem), start="0s",
                duration=time_text(Fraction(media.samples, media.rate)),
            )  # fmt: skip
            _has_audio(asset, media.channels, media.rate)
            SubElement(asset, "media-rep", kind="original-media", src=media_url(media.path, out))


def _asset(number: int) -> str:
    """The id of a file of music, from 0; those before it are the format and the video."""
    return f"r{3 + number}"


def _has_audio(asset: Element, channels: int, rate: int) -> None:
    asset.attrib.update({"hasAudio": "1", "audioSources": "1", "audioChannels": str(channels), "audioRate": str(rate)})


def _story(spine: Element, timeline: Timeline, duration: str) -> Element:
    """The video, or a gap as long as the plan, to which clips are connected."""
    video = timeline.video
    if video is None:
        return SubElement(spine, "gap", name="Gap", offset="0s", start="0s", duration=duration)
    story = SubElement(
        spine, "asset-clip", ref="r2", name=plain_name(video.path.stem), offset="0s", duration=duration,
        start=time_text(video.start_frame / timeline.frame_rate), format="r1",
        tcFormat="DF" if video.drops and video.start_frame else "NDF",
    )  # fmt: skip
    if video.sound_rate is not None:
        story.set("audioRole", "dialogue")
        SubElement(story, "adjust-volume", amount=_level_text(timeline.balance.video_gain_db))
    return story


def _segment(timeline: Timeline, layer: int, item: Item, frame_rate: Fraction, frames: int, zero: Fraction) -> Element:
    """One segment of a layer, numbered from 0, from frame to frame, with its fades and keys."""
    track = timeline.track
    assert track is not None, "checked before"
    first, last = _frame_edges(timeline, track, item, frame_rate, frames)
    begin, end = first / frame_rate, last / frame_rate
    offset = timeline.seconds(item.song_offset)
    # Clips on one lane may not overlap, as the two sides of a crossfade do: so lanes alternate.
    clip = Element(
        "asset-clip", ref=_asset(layer), lane=str(-1 - 2 * layer - (item.number - 1) % 2),
        name=plain_name(f"{track.path.stem} {item.number}"),
        offset=time_text(zero + begin), start=time_text(begin + offset), duration=time_text(end - begin),
        audioRole=f"music.{plain_name(timeline.stem).replace('.', ' ')}" if timeline.stem else "music",
    )  # fmt: skip
    fades = _own_fades(timeline, item, begin, end)
    keys = _keys(timeline, item, begin, end, fades)
    is_steady = len({key.level_db for key in keys}) == 1
    volume = SubElement(clip, "adjust-volume", amount=_level_text(keys[0].level_db if is_steady else 0.0))
    if is_steady and not any(fades):
        return clip
    param = SubElement(volume, "param", name="amount")
    for name, seconds in zip(("fadeIn", "fadeOut"), fades, strict=True):
        if seconds:
            SubElement(param, name, type="easeInOut", duration=time_text(seconds))
    if not is_steady:
        animation = SubElement(param, "keyframeAnimation")
        for key in keys:
            time = time_text(timeline.seconds(key.sample) + offset)
            SubElement(animation, "keyframe", time=time, value=_level_text(key.level_db), curve="linear")
    return clip


class _OwnFades(NamedTuple):
    """Seconds of the fades that a clip has itself; 0 for none."""

    start: Fraction
    end: Fraction


def _own_fades(timeline: Timeline, item: Item, begin: Fraction, end: Fraction) -> _OwnFades:
    """The fades at the ends of the music, where they reach the edges of the clip."""
    ends = timeline.ends
    # To a microsecond: FCPXML allows denominators of 32 bits, the exact fraction of a float has up to 53.
    rises = to_microsecond(ends.start_fade_seconds) if item.fade_in is None else Fraction(0)
    falls = to_microsecond(ends.end_fade_seconds) if item.fade_out is None else Fraction(0)
    return _OwnFades(
        _reaching(rises, timeline.seconds(item.first) - begin),
        _reaching(falls, end - timeline.seconds(timeline.length)),
    )


def _reaching(seconds: Fraction, further: Fraction) -> Fraction:
    """A fade stretched to the edge of its clip; 0 if that would change it too much."""
    return seconds + further if abs(further) <= _STRETCHED * seconds else Fraction(0)


def _frame_edges(
    timeline: Timeline, track: TrackMedia, item: Item, frame_rate: Fraction, frames: int
) -> tuple[int, int]:
    """First and last frame around all that an item plays, within the track and the sequence."""
    opening = ceil(timeline.seconds(-item.song_offset) * frame_rate)
    closing = floor(timeline.seconds(track.samples - item.song_offset) * frame_rate)
    begin, end = floor(timeline.seconds(item.first) * frame_rate), ceil(timeline.seconds(item.stop) * frame_rate)
    return max(begin, opening, 0), min(end, closing, frames)


def _keys(timeline: Timeline, item: Item, begin: Fraction, end: Fraction, fades: _OwnFades) -> list[GainPoint]:
    """The gain of an item in dB without the clip's own fades, silent where the clip plays more of the track."""
    rises, falls = (not fade for fade in fades)

    def level(sample: int, *, crosses: bool = True) -> float:
        gain = item.gain(sample, fade_in=crosses, fade_out=crosses, start_fade=rises, end_fade=falls)
        return max(SILENT_DB, decibels(gain) + timeline.music_db(sample))

    corners = [*item.corners, *timeline.duck_corners(item.first, item.stop - 1)]
    keys: list[GainPoint] = []
    for first, last, crosses in _stretches(timeline, item):
        turns = [first, *(corner for corner in corners if first < corner < last), last]
        tolerance = TOLERANCE
        if crosses:
            # A share of the level that the music has there without the crossfade.
            calm = min(level(first, crosses=False), level(last, crosses=False))
            tolerance = max(tolerance, _CROSSFADE_TOLERANCE * GainPoint(first, calm).gain)
        found = fit_keys(level, turns, Lines.DECIBELS, tolerance)
        keys += found if not keys else found[1:]
    # The clip begins on a frame, a little before the item does: a key one sample earlier silences that part of the
    # track. The same holds behind its end.
    if rises and begin <= timeline.seconds(item.first - 1) and keys[0].level_db > SILENT_DB:
        keys.insert(0, GainPoint(item.first - 1, SILENT_DB))
    goes_on = item.fade_out is not None or (timeline.plan is not None and timeline.plan.ends_in_fade)
    if falls and goes_on and timeline.seconds(item.stop) < end and keys[-1].level_db > SILENT_DB:
        keys.append(GainPoint(item.stop, SILENT_DB))
    return keys


def _stretches(timeline: Timeline, item: Item) -> list[tuple[int, int, bool]]:
    """First and last sample of an item's crossfades and of the span between them, and whether it is a crossfade."""
    first, last, rate = item.first, item.stop - 1, timeline.rate
    risen, falls = first, last
    if item.fade_in is not None:
        risen = min(last, round((item.begins + item.fade_in.seconds / 2) * rate))
    if item.fade_out is not None:
        falls = max(risen, round((item.ends - item.fade_out.seconds / 2) * rate))
    stretches = [(first, risen, True), (risen, falls, False), (falls, last, True)]
    return [stretch for stretch in stretches if stretch[0] < stretch[1]] or [(first, last, False)]


def _level_text(level_db: float) -> str:
    return f"{level_db + 0.0:.4f}".rstrip("0").rstrip(".") + "dB"


_FINAL_CUT_TRACKS = frozenset({".aac", ".aif", ".aiff", ".caf", ".m4a", ".mp3", ".wav"})
"""Apple, "Supported media formats in Final Cut Pro": audio"""

FORMAT = Format(
    "fcpxml",
    "Final Cut Pro XML",
    "Picture, soundtrack and music with its fades and levels, for Final Cut.",
    ".fcpxml",
    write_fcpxml,
    needs_track=True,
    uses_video=True,
    tracks=_FINAL_CUT_TRACKS,
    is_edit=True,
    holds_stems=True,
    limits="Clips lie on whole frames, and the fades at the ends follow Final Cut's S-curve.",
)
