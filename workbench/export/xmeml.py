"""Final Cut Pro 7 XML (xmeml, version 5): the edit as Premiere imports it; Resolve and others read it too.

Tracks: the picture, the soundtrack, the music, sound with a track a channel, two at most, linked. Clips lie edge to
edge on frames; a crossfade is a transition over the cut, `Cross Fade (+3dB)`, of equal power, or `Cross Fade ( 0dB)`,
linear, whichever is nearer to the plan's. A clip edge under a transition is -1, as in Premiere's own exports, and `in`
and `out` include the transitions.

Levels. The level, glides, fades at both ends, the mix's gain and the duck are keyframes of the clips' `Audio Levels`,
in linear gain on frames of the file. Programs differ in how they draw the line between two keys, so lines straight in
gain and lines straight in dB both stay within 0.25 dB (`workbench.export.envelope`).

Place. `in` and `out` are frames, the nearest to the plan's place in the track; `pproTicksIn` and `pproTicksOut`, which
Premiere's own exports have, say the place exactly, in 1/254016000000 s. `start` and `end` are frames too: Premiere
imports no part of a frame there and passes over Final Cut's `subframeoffset`, 1/80 frame.

Media beside or below the document are named relative to it, others by absolute URL.

Limits. A reader that knows frames alone plays a clip up to half a frame early or late; the music of the mix in one file
begins on the first frame, and is exact to the sample everywhere. A level is +12 dB at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from workbench.export.cut_list import CutClip, CutList, CutTransition, format_timecode, make_cut_list
from workbench.export.envelope import Lines
from workbench.export.files import media_url, plain_name
from workbench.export.formats import Format
from workbench.export.timeline import LONE_PICTURE, MIXED_MUSIC, Timeline, TrackMedia, VideoMedia, linear
from workbench.files import write_text

TICKS = 254_016_000_000  # of Premiere's clock, a second: whole for every sample rate and frame rate in use
_MOST_GAIN = 3.98107  # +12 dB
_MOST_CHANNELS = 2
_MIXED = "mixed"  # head of the names of the clips of the music of the mix
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE xmeml>\n'
# by whether they are of equal power
_CROSSFADES = {
    True: ("Cross Fade (+3dB)", "KGAudioTransCrossFade3dB"),
    False: ("Cross Fade ( 0dB)", "KGAudioTransCrossFade0dB"),
}
_BETWEEN = 0.75  # exponent from which a crossfade is nearer to a linear one than to one of equal power


def write_xmeml(timeline: Timeline, out: Path) -> None:
    """Write the edit.

    Raises `ParameterError` if no timecode counts at the rate of the video, and `InputError` for a media file whose name
    is no text.
    """
    track = timeline.track
    assert track is not None, "the format needs a track"
    root = _Writer(timeline, track, out).document()
    indent(root)
    write_text(out, _HEAD + tostring(root, encoding="unicode") + "\n")


class _Writer:
    """Builds one document."""

    def __init__(self, timeline: Timeline, track: TrackMedia, out: Path) -> None:
        self.timeline, self.track, self.video, self.out = timeline, track, timeline.video, out
        files = [layer.track or track for layer in timeline.layers]
        laid = [make_cut_list(layer, track, Lines.EITHER, faded=True) for layer in timeline.layers]
        self.cuts: CutList = laid[0]
        # by the heads of the names of their clips, in the order of their tracks: the track, or each stem of it
        self.music = {f"music{number or ''}": one for number, one in enumerate(zip(files, laid, strict=True))}
        self.described: set[str] = set()
        self.sound_tracks = 0 if self.video is None else _channels(self.video.channels)

    def document(self) -> Element:
        """The root element."""
        root = Element("xmeml", version="5")
        sequence = SubElement(root, "sequence", id="sequence-1")
        _texts(sequence, {"name": plain_name(self.timeline.name), "duration": self.cuts.frames})
        self._rate(sequence)
        self._timecode(sequence)
        media = SubElement(sequence, "media")
        self._pictures(SubElement(media, "video"))
        self._sounds(SubElement(media, "audio"))
        for frame, marker in self.cuts.markers:
            named = {"comment": marker.kind.value, "name": plain_name(marker.text)}
            _texts(SubElement(sequence, "marker"), {**named, "in": frame, "out": -1})
        return root

    def _pictures(self, video: Element) -> None:
        characteristics = SubElement(SubElement(video, "format"), "samplecharacteristics")
        width, height = (self.video.width, self.video.height) if self.video else LONE_PICTURE
        self._rate(characteristics)
        _texts(characteristics, {"width": width, "height": height})
        lane = SubElement(video, "track")
        if self.video is not None:
            clip = self._item(lane, "picture", self.video.path, self.video.frames)
            self._span(clip, (0, self.video.frames), (0, self.video.frames), Fraction(0))
            self._video_file(clip, self.video)
            self._links(clip, ["picture", *self._sound_ids()])
        self._switches(lane)

    def _sounds(self, audio: Element) -> None:
        _texts(audio, {"numOutputChannels": 2})
        characteristics = SubElement(SubElement(audio, "format"), "samplecharacteristics")
        # The sound of videos is at 48 kHz; without one the track's rate is the edit's.
        rate = self.track.rate if self.video is None else self.video.sound_rate or 48000
        _texts(characteristics, {"depth": 16, "samplerate": rate})
        for channel in range(self.sound_tracks):
            assert self.video is not None, "a soundtrack is that of a video"
            lane = self._lane(audio, channel, self.sound_tracks)
            clip = self._item(lane, f"sound-{channel + 1}", self.video.path, self.video.frames)
            self._span(clip, (0, self.video.frames), (0, self.video.frames), Fraction(0))
            self._video_file(clip, self.video)
            self._source_track(clip, channel)
            self._level(clip, [(0, self.timeline.balance.video_gain_db)])
            self._links(clip, ["picture", *self._sound_ids()])
            self._switches(lane)
        for kind, (track, cuts) in self.music.items():
            channels = _channels(track.channels)
            for channel in range(channels):
                lane = self._lane(audio, channel, channels)
                for played in cuts.clips:
                    if played.into is not None:
                        self._transition(lane, played.into)
                    self._segment(lane, kind, track, played, channel, channels)
                self._switches(lane)
        if self.timeline.mixed_music is not None:
            self._mixed(audio, self.timeline.mixed_music, self.timeline.mixed_frames)

    def _mixed(self, audio: Element, music: TrackMedia, frames: int) -> None:
        """The music of the mix as one clip, switched off."""
        channels = _channels(music.channels)
        names = [f"{_MIXED}-1-{channel + 1}" for channel in range(channels)]
        for channel, name in enumerate(names):
            lane = self._lane(audio, channel, channels)
            clip = self._item(lane, name, music.path, frames, MIXED_MUSIC, enabled=False)
            self._span(clip, (0, frames), (0, frames), Fraction(0))
            self._file(clip, _MIXED, music.path, frames, sound=(music.rate, music.channels))
            self._source_track(clip, channel)
            self._links(clip, names)
            self._switches(lane)

    def _segment(self, lane: Element, kind: str, track: TrackMedia, clip: CutClip, channel: int, channels: int) -> None:
        rate, number = self.cuts.frame_rate, clip.item.number
        frames = ceil(Fraction(track.samples, track.rate) * rate)
        name = f"{kind}-{number}-{channel + 1}"
        element = self._item(lane, name, track.path, frames, plain_name(f"{track.path.stem} {number}"))
        record = (-1 if clip.into else clip.begin, -1 if clip.out else clip.end)
        played = (clip.first, clip.stop)
        taken = (clip.source_frame(played[0], rate), clip.source_frame(played[1], rate))
        # Rounded to frames, a clip may begin just before its track: it is moved to the track's first frame, its keys
        # with it.
        early = max(0, -taken[0])
        self._span(element, record, (taken[0] + early, taken[1] + early), clip.source(played[0], rate))
        self._file(element, kind, track.path, frames, sound=(track.rate, track.channels))
        self._source_track(element, channel)
        self._level(element, [(clip.source_frame(key.frame, rate) + early, key.level_db) for key in clip.levels])
        self._links(element, [f"{kind}-{number}-{other + 1}" for other in range(channels)])

    def _item(
        self, lane: Element, name: str, media: Path, frames: int, title: str = "", *, enabled: bool = True
    ) -> Element:
        clip = SubElement(lane, "clipitem", id=name)
        # Premiere ties the clips of a file together by its master clip.
        kind = name.split("-")[0]
        _texts(clip, {
            "masterclipid": f"masterclip-{kind if self._is_music(kind) else 'video'}",
            "name": title or plain_name(media.name),
            "enabled": "TRUE" if enabled else "FALSE",
            "duration": frames,
        })  # fmt: skip
        self._rate(clip)
        return clip

    def _span(self, clip: Element, record: tuple[int, int], source: tuple[int, int], exact: Fraction) -> None:
        """Write the place of a clip in the edit and in its file: in frames, and from `exact` s on."""
        _texts(clip, {"start": record[0], "end": record[1], "in": source[0], "out": source[1]})
        length = (source[1] - source[0]) / self.cuts.frame_rate
        _texts(clip, {"pproTicksIn": round(exact * TICKS), "pproTicksOut": round((exact + length) * TICKS)})

    def _video_file(self, clip: Element, video: VideoMedia) -> None:
        sound = None if video.sound_rate is None else (video.sound_rate, video.channels)
        self._file(clip, "video", video.path, video.frames, video, sound=sound)

    def _file(
        self,
        clip: Element,
        name: str,
        media: Path,
        frames: int,
        video: VideoMedia | None = None,
        *,
        sound: tuple[int, int] | None,
    ) -> None:
        """The file of a clip, with the rate and the channels of its sound: described where it is named first."""
        file = SubElement(clip, "file", id=f"file-{name}")
        # xmeml describes a file once and refers to it by its id later.
        if name in self.described:
            return
        self.described.add(name)
        # Final Cut Pro 7 names the host in its URLs, and so does Premiere.
        url = media_url(media, self.out).replace("file:///", "file://localhost/", 1)
        _texts(file, {"name": plain_name(media.name), "pathurl": url})
        self._rate(file)
        _texts(file, {"duration": frames})
        self._timecode(file, video if video is not None and video.start_frame else None)
        kinds = SubElement(file, "media")
        if video is not None:
            characteristics = SubElement(SubElement(kinds, "video"), "samplecharacteristics")
            self._rate(characteristics)
            _texts(characteristics, {"width": video.width, "height": video.height})
        if sound is not None:
            audio = SubElement(kinds, "audio")
            _texts(SubElement(audio, "samplecharacteristics"), {"depth": 16, "samplerate": sound[0]})
            _texts(audio, {"channelcount": sound[1]})

    def _transition(self, lane: Element, transition: CutTransition) -> None:
        item = SubElement(lane, "transitionitem")
        _texts(item, {"start": transition.first, "end": transition.stop, "alignment": "center"})
        self._rate(item)
        effect = SubElement(item, "effect")
        name, identity = _CROSSFADES[transition.crossing.exponent < _BETWEEN]
        _texts(effect, {
            "name": name, "effectid": identity, "effecttype": "transition", "mediatype": "audio", "wipecode": 0,
            "wipeaccuracy": 100, "startratio": 0, "endratio": 1, "reverse": "FALSE",
        })  # fmt: skip

    def _level(self, clip: Element, keys: list[tuple[int, float]]) -> None:
        """The filter of a clip's level, with keys where it moves."""
        effect = SubElement(SubElement(clip, "filter"), "effect")
        _texts(effect, {
            "name": "Audio Levels", "effectid": "audiolevels", "effectcategory": "audiolevels",
            "effecttype": "audiolevels", "mediatype": "audio", "pproBypass": "false",
        })  # fmt: skip
        parameter = SubElement(effect, "parameter", authoringApp="PremierePro")
        gains = [(frame, min(_MOST_GAIN, linear(level))) for frame, level in keys]
        _texts(parameter, {
            "parameterid": "level", "name": "Level", "valuemin": 0, "valuemax": _MOST_GAIN,
            "value": _number(gains[0][1]),
        })  # fmt: skip
        if len({gain for _, gain in gains}) > 1:
            for frame, gain in gains:
                _texts(SubElement(parameter, "keyframe"), {"when": frame, "value": _number(gain)})

    def _links(self, clip: Element, names: list[str]) -> None:
        """Ties a clip to those of the same file, itself among them."""
        if len(names) < 2:
            return
        for name in names:
            kind, *place = name.split("-")
            channel, before = int(place[-1]) if place else 1, 0
            if self._is_music(kind):
                earlier = list(self.music)[: [*self.music, kind].index(kind)]
                before = self.sound_tracks + sum(_channels(self.music[one][0].channels) for one in earlier)
            _texts(SubElement(clip, "link"), {
                "linkclipref": name,
                "mediatype": "video" if kind == "picture" else "audio",
                "trackindex": channel + before,
                "clipindex": int(place[0]) if self._is_music(kind) else 1,
            })  # fmt: skip

    def _is_music(self, kind: str) -> bool:
        return kind in self.music or kind == _MIXED

    def _sound_ids(self) -> list[str]:
        return [f"sound-{channel + 1}" for channel in range(self.sound_tracks)]

    def _source_track(self, clip: Element, channel: int) -> None:
        _texts(SubElement(clip, "sourcetrack"), {"mediatype": "audio", "trackindex": channel + 1})

    def _lane(self, audio: Element, channel: int, channels: int) -> Element:
        """A track of one channel; Premiere takes the tracks of both channels for one that is stereo."""
        lane = SubElement(audio, "track")
        if channels > 1:
            lane.attrib.update(
                currentExplodedTrackIndex=str(channel), totalExplodedTrackCount=str(channels),
                premiereTrackType="Stereo",
            )  # fmt: skip
        return lane

    def _switches(self, lane: Element) -> None:
        _texts(lane, {"enabled": "TRUE", "locked": "FALSE"})

    def _rate(self, parent: Element) -> None:
        ntsc = "TRUE" if self.cuts.is_ntsc else "FALSE"
        _texts(SubElement(parent, "rate"), {"timebase": self.cuts.timebase, "ntsc": ntsc})

    def _timecode(self, parent: Element, video: VideoMedia | None = None) -> None:
        """Where time code begins: at 0, or where the camera's does."""
        first, drops = (0, self.cuts.drops) if video is None else (video.start_frame, video.drops)
        timecode = SubElement(parent, "timecode")
        self._rate(timecode)
        text = format_timecode(first, self.cuts.timebase, drops=drops)
        _texts(timecode, {"string": text, "frame": first, "displayformat": "DF" if drops else "NDF"})


def _channels(count: int) -> int:
    return min(_MOST_CHANNELS, count)


def _texts(parent: Element, texts: Mapping[str, str | float]) -> None:
    """Add an element with a text for each tag, in their order."""
    for tag, text in texts.items():
        SubElement(parent, tag).text = str(text)


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


FORMAT = Format(
    "xmeml",
    "Final Cut Pro 7 XML",
    "Picture, soundtrack and music with crossfades and levels; for Premiere.",
    ".xml",
    write_xmeml,
    needs_track=True,
    uses_video=True,
    is_edit=True,
    holds_stems=True,
    limits="Clips lie on whole frames, their music to the sample only in programs that read Premiere's ticks, and a "
    "crossfade has the nearer of two curves, equal power or linear; the music of the mix as one WAV is exact.",
)
