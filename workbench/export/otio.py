"""OpenTimelineIO: the edit as DaVinci Resolve, Premiere, Hiero and Kdenlive open it.

Tracks: the picture, the soundtrack, the music. Segments are clips laid edge to edge; a crossfade is a transition
over the cut, `in_offset` before and `out_offset` after it, which plays the handles of both sides: what the track has
there, to the sample. OpenTimelineIO has no schema for the fades at the start and the end; they are in the gain keys.

All times count in frames at the video's rate, so that a timeline has one rate; without a video, in frames of 25 a
second. Picture and soundtrack lie on whole frames, the music on whole samples of the track, which are fractions of a
frame: `value / rate * sample rate` is a whole number to within a millionth of a sample.

Gain. OpenTimelineIO defines none, so it is written twice: as `Resolve_OTIO` volume effect, with dB keys on whole frames
counted from the start of the clip, as in Resolve's own exports, one a frame at most; and exactly, in
`metadata["workbench"]`, with keys in samples from the cut and dB, handles included, and each transition's seconds and
exponent. Between keys the level is a straight line. Other programs show the clips without gains, and draw their own
curve over the transition.

What the plan was made from is in `metadata["workbench"]["provenance"]` of the whole.

Media beside or below the document are named relative to it, others by absolute `file://` URL. OpenTimelineIO leaves the
form of `target_url` open; Resolve finds relative ones beside the document.

Limits. Resolve places clips on whole frames: up to half a frame (20 ms at 25 a second) from the sample that is
written. The limiter of a rendered video is not part of an edit.
"""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any

from workbench.export.envelope import FrameKey, GainPoint, Lines, fit_frame_keys, fit_keys
from workbench.export.files import media_url, plain_name
from workbench.export.formats import Format
from workbench.export.timeline import MARKER_COLOURS, MIXED_MUSIC, Item, Timeline, TrackMedia, VideoMedia, decibels
from workbench.files import write_text

_VOLUME_RANGE_DB = (-100.0, 30.0)


def write_otio(timeline: Timeline, out: Path) -> None:
    """Write the edit; `workbench.workflows.export` has checked that OpenTimelineIO is installed.

    Raises `InputError` for a media file whose name is no text.
    """
    write_text(out, _Writer(import_module("opentimelineio"), timeline, out).document() + "\n")


class _Writer:
    """Builds one document: holds the library, the timeline and the file to write."""

    def __init__(self, otio: Any, timeline: Timeline, out: Path) -> None:
        self.otio = otio
        self.timeline = timeline
        self.out = out
        self.frame_rate = timeline.frame_rate

    def document(self) -> str:
        """The whole document as JSON."""
        metadata: dict[str, Any] = {"Resolve_OTIO": {"Resolve OTIO Meta Version": "1.0"}}
        if self.timeline.provenance is not None:
            metadata["workbench"] = {"provenance": dict(self.timeline.provenance)}
        edit = self.otio.schema.Timeline(
            name=plain_name(self.timeline.name), global_start_time=self._frames(0), metadata=metadata
        )
        video = self.timeline.video
        if video is not None:
            edit.tracks.append(self._video_track("Picture", self.otio.schema.TrackKind.Video, video))
            if video.sound_rate is not None:
                edit.tracks.append(self._video_track("Soundtrack", self.otio.schema.TrackKind.Audio, video))
        edit.tracks.extend(_Writer(self.otio, layer, self.out).music_track() for layer in self.timeline.layers)
        if self.timeline.mixed_music is not None:
            edit.tracks.append(self._mixed_track(self.timeline.mixed_music))
        edit.tracks.markers.extend(self._markers())
        text: str = self.otio.adapters.write_to_string(edit, "otio_json")
        return text

    def _video_track(self, name: str, kind: str, video: VideoMedia) -> Any:
        span = self._range(self._frames(video.start_frame), self._frames(video.frames))
        clip = self._clip(video.path, span, span, {})
        if kind == self.otio.schema.TrackKind.Audio:
            clip.effects.append(self._volume({0: self.timeline.balance.video_gain_db}))
            clip.metadata["workbench"] = {"gain_db": self.timeline.balance.video_gain_db}
        lane = self._track(name, kind, video.channels)
        lane.append(clip)
        return lane

    def _mixed_track(self, music: TrackMedia) -> Any:
        whole = self._range(self._frames(0), self._frames(self.timeline.mixed_frames))
        clip = self._clip(music.path, whole, whole, {})
        clip.enabled = False
        lane = self._track(MIXED_MUSIC, self.otio.schema.TrackKind.Audio, music.channels)
        lane.append(clip)
        return lane

    def music_track(self) -> Any:
        """The track of the music, or of one stem of it."""
        items, track = self.timeline.items, self.timeline.track
        assert track is not None
        lane = self._track(plain_name(self.timeline.stem) or "Music", self.otio.schema.TrackKind.Audio, track.channels)
        if items[0].placed > 0:
            lane.append(self.otio.schema.Gap(duration=self._samples(items[0].placed)))
        lane.append(self._segment(items[0], track))
        for before, after in pairwise(items):
            lane.append(self._crossfade(before, after))
            lane.append(self._segment(after, track))
        return lane

    def _segment(self, item: Item, track: TrackMedia) -> Any:
        """The clip of one segment, from cut to cut."""
        start, length = item.placed + item.song_offset, item.cut - item.placed
        keys = self._level_keys(item)
        exact = {
            "segment": item.number,
            "song_from": item.song_from,
            "song_to": item.song_to,
            "video_s": item.begins,
            "gain_keys": [[key.sample - item.placed, key.level_db] for key in keys],
        }
        whole = self._range(self._frames(0), self._samples(track.samples))
        clip = self._clip(track.path, self._range(self._samples(start), self._samples(length)), whole, exact)
        clip.name = plain_name(f"{track.path.stem} {item.number}")
        frames = {key.frame: key.level_db for key in self._frame_keys(item)}
        clip.effects.append(self._volume(frames))
        return clip

    def _level_keys(self, item: Item) -> list[GainPoint]:
        """The level of the music, handles included, without the crossfades, which are transitions."""
        return fit_keys(lambda sample: self._level(item, sample), self._corners(item), Lines.DECIBELS)

    def _frame_keys(self, item: Item) -> list[FrameKey]:
        """The same on frames counted from the start of the clip, from its first to the end of its last."""
        per_sample = self.frame_rate / self.timeline.rate
        last = ceil((item.cut - item.placed) * per_sample)

        def level(frame: int) -> float:
            return self._level(item, min(item.placed + round(frame / per_sample), item.stop - 1))

        turns = [(sample - item.placed) * per_sample for sample in self._corners(item)]
        return fit_frame_keys(level, turns, 0, last, Lines.DECIBELS)

    def _corners(self, item: Item) -> set[int]:
        last = item.stop - 1
        return {*item.corners, item.placed, min(item.cut, last), *self.timeline.duck_corners(item.first, last)}

    def _level(self, item: Item, sample: int) -> float:
        return decibels(item.gain(sample, fade_in=False, fade_out=False)) + self.timeline.music_db(sample)

    def _crossfade(self, before: Item, after: Item) -> Any:
        fade = before.fade_out
        assert fade is not None
        return self.otio.schema.Transition(
            name="Cross Fade",
            transition_type=self.otio.schema.TransitionTypes.SMPTE_Dissolve,
            in_offset=self._samples(after.placed - after.first),
            out_offset=self._samples(before.stop - before.cut),
            metadata={"workbench": {"seconds": fade.seconds, "exponent": fade.exponent}},
        )

    def _markers(self) -> list[Any]:
        frame, last = self._frames(1), self._frames(self.timeline.last_frame)
        return [
            self.otio.schema.Marker(
                name=plain_name(marker.text),
                marked_range=self._range(min(self._samples(round(marker.video_s * self.timeline.rate)), last), frame),
                color=MARKER_COLOURS[marker.kind],
            )
            for marker in self.timeline.markers
        ]

    def _volume(self, keys: dict[int, float]) -> Any:
        """Resolve's own effect for the level of a clip, as its exports write it."""
        low, high = _VOLUME_RANGE_DB
        held = {frame: min(high, max(low, level)) for frame, level in sorted(keys.items())}
        moving = {str(frame): {"Value": level, "Variant Type": "Double"} for frame, level in held.items()}
        parameter = {
            "Parameter ID": "volume",
            "Parameter Value": next(iter(held.values())),
            "Default Parameter Value": 0.0,
            "Variant Type": "Double",
            "minValue": low,
            "maxValue": high,
            "Key Frames": moving if len(set(held.values())) > 1 else {},
        }
        effect = {"Effect Name": "Fairlight Clip Volume and Fades", "Enabled": True, "Name": "Volume", "Type": 62}
        return self.otio.schema.Effect(
            effect_name="Resolve Effect", metadata={"Resolve_OTIO": {**effect, "Parameters": [parameter]}}
        )

    def _track(self, name: str, kind: str, channels: int) -> Any:
        metadata: dict[str, Any] = {"Locked": False}
        if kind == self.otio.schema.TrackKind.Audio:
            metadata["Audio Type"] = "Mono" if channels == 1 else "Stereo"
        return self.otio.schema.Track(name=name, kind=kind, metadata={"Resolve_OTIO": metadata})

    def _clip(self, media: Path, span: Any, whole: Any, exact: dict[str, Any]) -> Any:
        reference = self.otio.schema.ExternalReference(target_url=media_url(media, self.out), available_range=whole)
        return self.otio.schema.Clip(
            name=plain_name(media.name), media_reference=reference, source_range=span, metadata={"workbench": exact}
        )

    def _frames(self, count: int) -> Any:
        return self.otio.opentime.RationalTime(count, float(self.frame_rate))

    def _samples(self, count: int) -> Any:
        """Samples of the track as a fraction of frames."""
        frames = float(self.timeline.seconds(count) * self.frame_rate)
        return self.otio.opentime.RationalTime(frames, float(self.frame_rate))

    def _range(self, start: Any, duration: Any) -> Any:
        return self.otio.opentime.TimeRange(start, duration)


FORMAT = Format(
    "otio",
    "OpenTimelineIO",
    "Picture, soundtrack and music with crossfades and gains; Resolve and Premiere.",
    ".otio",
    write_otio,
    needs_track=True,
    uses_video=True,
    extra="export",
    is_edit=True,
    holds_stems=True,
    limits="Programs other than Resolve ignore the levels, and Resolve places clips on whole frames.",
)
