"""Facts of a media file: streams, size, rates, and a length that is measured rather than read from the header.

The length comes from the packets, read but not decoded: headers of cut, streamed and hand-edited files state lengths
that are wrong by minutes. That costs one pass over the file's bytes, which a process makes once while the file stays.
"""

from __future__ import annotations

import logging
import re
import struct
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf
from pathlib import Path
from time import time_ns
from typing import Any

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from workbench.errors import MediaError
from workbench.files import FileStamp, has_settled, stamp_of
from workbench.media.claims import TORN_SHARE, share_present
from workbench.media.containers import (
    first_picture,
    is_still,
    open_media,
    packets,
    picture_stream,
    sound_stream,
    tick_seconds,
    upright_size,
)
from workbench.media.time_stamps import MAY_BEGIN_AGAIN, NO_TIMES

_log = logging.getLogger(__name__)

_TIMECODE = re.compile(r"(\d\d:\d\d:\d\d)([:;.])(\d\d)")
_SAME_LENGTH_SECONDS = 1.0  # within which the length of a video agrees with its first and last time stamps
# Sound after the last picture counts from this length on; less is an encoder's padding, or was cut to whole packets
_SOUND_TAIL_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class MediaInfo:
    """A media file in a few numbers; a field that does not apply is None."""

    container: str  # FFmpeg's name of the format, such as "mov,mp4,m4a,3gp,3g2,mj2" or "ogg"
    # s; from the first picture shown to the end of the last, or to that of the sound where it goes on for 0.25 s and
    # more; of a file without picture that of its sound
    duration: float
    has_video: bool  # whether there is a moving picture that can be decoded; cover art is none
    lacks_decoder: bool  # whether there is a moving picture, and none that can be decoded
    has_audio: bool
    width: int | None  # pixels as displayed: with the sample aspect and a rotation applied
    height: int | None
    fps: float | None  # mean pictures a second over the whole file
    # pictures a second at which all time stamps can lie, as FFmpeg finds it at the start of the file
    base_rate: Fraction | None
    video_codec: str | None
    sample_rate: int | None  # Hz
    channels: int | None
    audio_codec: str | None
    audio_duration: float | None  # s; from the first to the end of the last packet of sound
    title: str | None  # from the container's metadata
    # time code of the first picture, as the camera wrote it: `HH:MM:SS:FF`, drop-frame with a semicolon before the
    # frames
    timecode: str | None


def probe(path: Path) -> MediaInfo:
    """Read the facts of a file, and measure how long it is on its packets, in one pass over the file the first time.

    Raises `MediaError` where there is no such file, no media, or neither sound nor moving picture in it.
    """
    path = Path(path)
    stamp = stamp_of(path)
    if stamp is None or not has_settled(stamp, time_ns()):
        return _measure(path)
    return _measure_once(path, stamp)


@lru_cache(maxsize=64)  # each pass over half an hour of video takes a quarter of a second
def _measure_once(path: Path, _: FileStamp) -> MediaInfo:
    return _measure(path)


def _measure(path: Path) -> MediaInfo:
    first = first_of(path)
    with open_media(path) as container:
        picture = None if first is None else picture_stream(container)
        sound = sound_stream(container)
        spans = Spans(container, picture, sound)
        for packet in packets(container, *spans.streams):
            spans.note(packet)
        info = media_info(path, container, first, spans)
    if info.has_video and (share := share_present(path)) <= TORN_SHARE:
        _log.warning(
            "%s: the file is cut short, only %.0f %% of it is there; copy or export it again", path, 100 * share
        )
    return info


def first_of(path: Path) -> VideoFrame | None:
    """The first picture of a file that can be shown, None without one; the file is opened for this alone."""
    with open_media(path) as container:
        stream = picture_stream(container)
        return None if stream is None else first_picture(container, stream)


def can_seek(path: Path, container: InputContainer) -> bool:
    """Whether a time of a video is found by its time stamps: not where they are missing or begin again."""
    if container.format.flags & NO_TIMES:
        return False
    if not container.format.flags & MAY_BEGIN_AGAIN:
        return True
    last = (container.duration or 0) / av.time_base  # by the last time stamps of the file
    return abs(last - probe(path).duration) < _SAME_LENGTH_SECONDS


class Spans:
    """Where the packets of a file's picture and sound begin and end; its user calls `note` for each packet."""

    def __init__(self, container: InputContainer, picture: VideoStream | None, sound: AudioStream | None) -> None:
        self.picture = picture
        self.sound = sound
        self.streams: list[VideoStream | AudioStream] = [one for one in (picture, sound) if one is not None]
        self._by_index = {stream.index: StreamSpan() for stream in self.streams}
        self._units = {
            stream.index: (tick_seconds(stream) or Fraction(1)).as_integer_ratio() for stream in self.streams
        }
        # Ogg has trimmed its last packet's length already.
        self._trimmed = None if sound is None or container.format.name == "ogg" else sound.index

    def note(self, packet: Packet[Any]) -> None:
        """Count the next packet. Torn files hold packets of streams that they do not announce; those are left out."""
        span = self._by_index.get(packet.stream_index)
        if span is None or packet.pts is None or packet.is_discard:
            return
        # Whole numbers divided: as exact as a fraction, and this runs for every packet.
        seconds, ticks = self._units[packet.stream_index]
        time, dropped = packet.pts * seconds / ticks, _padding(packet) if packet.stream_index == self._trimmed else 0.0
        span.packets += 1
        span.start = min(span.start, time)
        span.last = max(span.last, time)
        span.end = max(span.end, time + (packet.duration or 0) * seconds / ticks - dropped)

    def picture_span(self, first: VideoFrame | None) -> StreamSpan | None:
        """The span of the picture, from the first one that can be shown; without it, from the first packet."""
        span = None if self.picture is None else self._by_index[self.picture.index]
        if span is not None and first is not None and first.time is not None:
            span.start = first.time
        return span

    def sound_span(self) -> StreamSpan | None:
        """The span of the sound, without the encoder's delay, which the first packets still hold."""
        span = None if self.sound is None else self._by_index[self.sound.index]
        if span is not None and self.sound is not None and self.sound.start_time is not None:
            span.start = float(self.sound.start_time * (tick_seconds(self.sound) or 1))
        return span


@dataclass(slots=True)
class StreamSpan:
    """Where the packets of one stream begin and end, in container seconds."""

    start: float = inf
    end: float = -inf
    last: float = -inf
    packets: int = 0

    @property
    def seconds(self) -> float:
        """Length; a last packet without a stated length counts as long as the mean."""
        if self.packets == 0:
            return 0.0
        mean = (self.last - self.start) / (self.packets - 1) if self.packets > 1 else 0.0
        return max(0.0, self.end - self.start if self.end > self.last else self.last + mean - self.start)


def media_info(path: Path, container: InputContainer, first: VideoFrame | None, spans: Spans) -> MediaInfo:
    """The facts of a file from all its packets; `first` is as of `first_of`.

    Raises `MediaError` where there was not one packet of sound or moving picture in it.
    """
    picture, sound, shown, played = spans.picture, spans.sound, spans.picture_span(first), spans.sound_span()
    if not any(span is not None and span.packets for span in (shown, played)):
        raise MediaError(f"{path}: neither sound nor moving picture in this file; give an audio or video file")
    width, height = (None, None) if first is None or picture is None else upright_size(first, picture)
    seconds = [0.0 if span is None else span.seconds for span in (shown, played)]
    # Both spans count from their own start; what the sound has beyond the last picture is measured on the common clock.
    tail = 0.0 if shown is None or played is None else played.start + seconds[1] - (shown.start + seconds[0])
    return MediaInfo(
        container=container.format.name,
        duration=(seconds[0] if shown is not None else seconds[1]) + (tail if tail >= _SOUND_TAIL_SECONDS else 0.0),
        has_video=picture is not None,
        lacks_decoder=picture is None and not all(is_still(stream) for stream in container.streams.video),
        has_audio=sound is not None,
        width=width,
        height=height,
        fps=shown.packets / seconds[0] if shown is not None and seconds[0] > 0 else None,
        base_rate=None if picture is None else _base_rate(picture),
        video_codec=None if picture is None else picture.codec_context.name,
        sample_rate=None if sound is None else sound.codec_context.sample_rate,
        channels=None if sound is None else sound.codec_context.layout.nb_channels,
        audio_codec=None if sound is None else sound.codec_context.name,
        audio_duration=None if played is None else seconds[1],
        title=_tag(container, sound, "title"),
        timecode=timecode_of(container),
    )


def _base_rate(picture: VideoStream) -> Fraction | None:
    rate = picture.base_rate  # a zero where it is not stated, and in PyAV 19 a number type of its own
    return Fraction(rate.numerator, rate.denominator) if rate else None


def timecode_of(container: InputContainer) -> str | None:
    """The time code of a video's first picture, see `MediaInfo.timecode`; None where the file states none."""
    picture = picture_stream(container)
    for stated in (picture, container, *container.streams.data):
        for name, value in ({} if stated is None else stated.metadata).items():
            if name.lower() == "timecode" and (found := _TIMECODE.fullmatch(value.strip())):
                return f"{found[1]}{':' if found[2] == ':' else ';'}{found[3]}"
    return None


def _padding(packet: Packet[AudioStream]) -> float:
    """Seconds that a decoder cuts off the end of this packet of sound."""
    if not packet.has_sidedata("skip_samples"):
        return 0.0
    _, dropped = struct.unpack_from("<II", bytes(packet.get_sidedata("skip_samples")))
    return float(dropped / packet.stream.codec_context.sample_rate)


def read_tags(path: Path) -> tuple[str | None, str | None]:
    """Title and artist in the tags of a file; None for what it does not say. Raises `MediaError` as `probe`."""
    with open_media(path) as container:
        sound = sound_stream(container)
        return _tag(container, sound, "title"), _tag(container, sound, "artist")


def _tag(container: InputContainer, sound: AudioStream | None, wanted: str) -> str | None:
    """A tag of the file; Ogg stores it with its stream, elsewhere a stream's title is its own."""
    of_stream = sound is not None and container.format.name == "ogg"
    for tags in (container.metadata, sound.metadata if of_stream and sound is not None else {}):
        for name, value in tags.items():
            if name.lower() == wanted and value.strip():
                return value.strip()
    return None
