"""FCPXML 1.10: the edit as Final Cut Pro opens it; Resolve reads it too.

The video is the primary storyline; each segment of the plan is a clip connected below it, alternating between two
lanes, so that the two sides of a crossfade overlap. All gains of the music are keyframes of the clips' volume: level
and glide, both halves of the crossfades, the fades at the ends, the mix's gain and the duck. Without a video the
storyline is a gap, 25 frames a second.

Times are exact fractions of a second. Final Cut edits on whole frames and moves anything that does not lie on them, so
a clip begins on the last frame before its first sound and ends on the first frame after its last, while its `start`,
the place in the track, is exact to the sample: the excess is silenced by keys. Where the track itself begins or ends
there, the clip begins or ends one frame inside.

Keys are in dB with straight lines between; -96 dB stands for silence. They lie on whole frames, one a frame at most,
and the lines meet the curve there within 0.25 dB (`workbench.export.envelope`); between two frames it is a straight
line. A crossfade shorter than two frames has no room for that: it is drawn two frames long, around the frame nearest to
its middle, where both sides are half way. A rise or fall at the ends that is shorter than a frame is a step at the edge
of the clip, as is the beginning of a segment that starts at once. Keyed times are track times, since the keys of a clip
count on the clock of its media.

What the plan was made from is JSON in the sequence's metadata, under `PROVENANCE_KEY`.

Limits. Final Cut takes at most +12 dB on a clip. The limiter of a rendered video is not part of an edit.

Functions: `write_fcpxml`, `time_text`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from workbench.errors import ParameterError
from workbench.export.envelope import FrameKey, Lines, fit_frame_keys
from workbench.export.files import media_url, plain_name
from workbench.export.timeline import (
    LONE_PICTURE,
    SILENT_DB,
    Crossing,
    Item,
    Timeline,
    TrackMedia,
    decibels,
)
from workbench.files import write_text

PROVENANCE_KEY = "workbench.provenance"
"""of the sequence's metadata: what the plan was made from, as JSON"""
_AUDIO_RATES = {
    32000: "32k",
    44100: "44.1k",
    48000: "48k",
    88200: "88.2k",
    96000: "96k",
    176400: "176.4k",
    192000: "192k",
}
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n'


def write_fcpxml(timeline: Timeline, out: Path) -> None:
    """Write the edit.

    Parameters
    ----------
    timeline : with a track
    out : the file to write, replaced where it exists; media are named relative to it

    Raises
    ------
    ParameterError : no track is given
    InputError : a media file's name is no text
    MediaError : the file cannot be written
    """
    track, video = timeline.track, timeline.video
    if track is None:
        raise ParameterError("FCPXML names the track's file; give --track FILE")
    root = Element("fcpxml", version="1.10")
    _resources(SubElement(root, "resources"), timeline, track, out)
    name = plain_name(timeline.name)
    event = SubElement(SubElement(root, "library"), "event", name=name)
    frame_rate = timeline.frame_rate
    frames = video.frames if video else ceil(timeline.seconds(timeline.length) * frame_rate)
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
    for item in timeline.items:
        story.append(_segment(timeline, track, item, frame_rate, frames))
    for time, text, _ in timeline.markers:
        at = Fraction(floor(Fraction(time) * frame_rate)) / frame_rate
        SubElement(story, "marker", start=time_text(at), duration=time_text(1 / frame_rate), value=plain_name(text))
    if timeline.provenance is not None:
        stated = json.dumps(timeline.provenance.to_json(), ensure_ascii=False, allow_nan=False)
        SubElement(SubElement(sequence, "metadata"), "md", key=PROVENANCE_KEY, type="string", value=plain_name(stated))
    indent(root)
    write_text(out, _HEAD + tostring(root, encoding="unicode") + "\n")


def time_text(seconds: Fraction) -> str:
    """Format a time for FCPXML.

    Parameters
    ----------
    seconds : exact

    Returns
    -------
    a fraction as `1001/30000s`, or `5s` where it is whole
    """
    exact = Fraction(seconds)
    return f"{exact.numerator}s" if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}s"


def _resources(resources: Element, timeline: Timeline, track: TrackMedia, out: Path) -> None:
    video = timeline.video
    width, height = (video.width, video.height) if video else LONE_PICTURE
    frame = 1 / timeline.frame_rate
    SubElement(resources, "format", id="r1", frameDuration=time_text(frame), width=str(width), height=str(height))
    if video is not None:
        asset = SubElement(
            resources, "asset", id="r2", name=plain_name(video.path.stem), start="0s",
            duration=time_text(video.frames * frame), hasVideo="1", format="r1", videoSources="1",
        )  # fmt: skip
        if video.sound_rate is not None:
            _has_audio(asset, video.channels, video.sound_rate)
        SubElement(asset, "media-rep", kind="original-media", src=media_url(video.path, out))
    asset = SubElement(
        resources, "asset", id="r3", name=plain_name(track.path.stem), start="0s",
        duration=time_text(Fraction(track.samples, track.rate)),
    )  # fmt: skip
    _has_audio(asset, track.channels, track.rate)
    SubElement(asset, "media-rep", kind="original-media", src=media_url(track.path, out))


def _has_audio(asset: Element, channels: int, rate: int) -> None:
    asset.attrib.update({"hasAudio": "1", "audioSources": "1", "audioChannels": str(channels), "audioRate": str(rate)})


def _story(spine: Element, timeline: Timeline, duration: str) -> Element:
    """The video, or a gap as long as the plan, to which clips are connected; its clock begins at 0."""
    video = timeline.video
    if video is None:
        return SubElement(spine, "gap", name="Gap", offset="0s", start="0s", duration=duration)
    story = SubElement(
        spine, "asset-clip", ref="r2", name=plain_name(video.path.stem), offset="0s", start="0s", duration=duration,
        format="r1", tcFormat="NDF",
    )  # fmt: skip
    if video.sound_rate is not None:
        story.set("audioRole", "dialogue")
        SubElement(story, "adjust-volume", amount=_level_text(timeline.balance.video_gain_db))
    return story


def _segment(timeline: Timeline, track: TrackMedia, item: Item, frame_rate: Fraction, frames: int) -> Element:
    """One segment, from frame to frame, with its keys."""
    begin, end = _frame_edges(timeline, track, item, frame_rate, frames)
    offset = timeline.seconds(item.song_offset)
    clip = Element(
        "asset-clip", ref="r3", lane=str(-1 - (item.number - 1) % 2),
        name=plain_name(f"{track.path.stem} {item.number}"),
        offset=time_text(begin / frame_rate), start=time_text(begin / frame_rate + offset),
        duration=time_text((end - begin) / frame_rate), audioRole="music",
    )  # fmt: skip
    param = SubElement(SubElement(clip, "adjust-volume", amount="0dB"), "param", name="amount")
    keys = SubElement(param, "keyframeAnimation")
    for key in _keys(timeline, item, frame_rate, begin, end):
        time = time_text(key.frame / frame_rate + offset)
        SubElement(keys, "keyframe", time=time, value=_level_text(key.level_db), curve="linear")
    return clip


@dataclass(frozen=True, slots=True)
class _Fade:
    """A crossfade as it is drawn on frames."""

    begin: Fraction
    """frames"""
    end: Fraction
    exponent: float

    def gain(self, frame: int, *, falls: bool) -> float:
        """Linear gain at a frame of the side that rises, or of the one that falls."""
        progress = min(1.0, max(0.0, float((frame - self.begin) / (self.end - self.begin))))
        return float((1.0 - progress if falls else progress) ** self.exponent)


def _drawn(fade: Crossing | None, middle: float, frame_rate: Fraction) -> _Fade | None:
    """A crossfade around a time, s: as it is, or where it is too short two frames around the nearest frame."""
    if fade is None:
        return None
    centre, half = Fraction(middle) * frame_rate, Fraction(fade.seconds) * frame_rate / 2
    if half < 1:
        centre, half = Fraction(round(centre)), Fraction(1)
    return _Fade(centre - half, centre + half, fade.exponent)


def _frame_edges(
    timeline: Timeline, track: TrackMedia, item: Item, frame_rate: Fraction, frames: int
) -> tuple[int, int]:
    """First and last frame around all that an item plays, within the track and the sequence."""
    opening = ceil(timeline.seconds(-item.song_offset) * frame_rate)
    closing = floor(timeline.seconds(track.samples - item.song_offset) * frame_rate)
    into, out = _drawn(item.fade_in, item.begins, frame_rate), _drawn(item.fade_out, item.ends, frame_rate)
    begin = floor(into.begin if into else timeline.seconds(item.first) * frame_rate)
    end = ceil(out.end if out else timeline.seconds(item.stop) * frame_rate)
    return max(begin, opening, 0), min(end, closing, frames)


def _keys(timeline: Timeline, item: Item, frame_rate: Fraction, begin: int, end: int) -> list[FrameKey]:
    """The whole gain of an item in dB, from its first frame to the end of its last."""
    into, out = _drawn(item.fade_in, item.begins, frame_rate), _drawn(item.fade_out, item.ends, frame_rate)
    least, most = _steps(timeline, item, frame_rate)

    def level(frame: int) -> float:
        sample = min(max(round(frame / frame_rate * timeline.rate), least), most)
        gain = item.gain(sample, fade_in=False, fade_out=False)
        gain *= into.gain(frame, falls=False) if into else 1.0
        gain *= out.gain(frame, falls=True) if out else 1.0
        return max(SILENT_DB, decibels(gain) + timeline.music_db(sample))

    samples = [*item.corners, *timeline.duck_corners(item.first, item.stop - 1)]
    turns = [timeline.seconds(sample) * frame_rate for sample in samples]
    turns += [turn for fade in (into, out) if fade for turn in (fade.begin, fade.end)]
    return fit_frame_keys(level, turns, begin, end, Lines.DECIBELS)


def _steps(timeline: Timeline, item: Item, frame_rate: Fraction) -> tuple[int, int]:
    """Output samples between which levels are read: a fade shorter than a frame is a step at the edge of a clip."""
    ends, least, most = timeline.ends, 0, timeline.length
    frame = float(1 / frame_rate)
    if item.fade_in is None:
        least = item.first + (round(ends.start_fade_seconds * timeline.rate) if ends.start_fade_seconds < frame else 0)
    if item.fade_out is None and ends.end_fade_seconds < frame:
        most = item.stop - 1 - round(ends.end_fade_seconds * timeline.rate)
    return least, max(least, most)


def _level_text(level_db: float) -> str:
    return f"{level_db + 0.0:.4f}".rstrip("0").rstrip(".") + "dB"
