"""Time stamps of packets: on one clock through the whole file, and in the order in which pictures are shown.

Recordings that were joined, or that a receiver lost, begin their clock again or jump ahead. At such a place a *part*
begins, and one offset for all streams takes its time stamps to where the part before ended, as FFmpeg's command line
does. AVI and raw streams do not say when a picture is shown; there the order in which the decoder gives pictures back
is the order of display.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from av.audio.stream import AudioStream
from av.bitstream import BitStreamFilterContext
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

# AVFMT_TS_DISCONT and AVFMT_NOTIMESTAMPS: FFmpeg's flags of containers whose clock may begin again, of raw streams
MAY_BEGIN_AGAIN, NO_TIMES = 0x200, 0x80
# Jump at which a clock that may begin again has done so, both as in FFmpeg's command line; smaller jumps are gaps
_AHEAD_SECONDS, _BACK_SECONDS = 10.0, 0.1
# In other containers: a longer gap, or a step back, is damage or a clock that was set; pictures without sound may stand
# for any time there, and for the longest gap where a clock may begin again
_LONGEST_GAP_SECONDS, _FAR_BACK_SECONDS = 600.0, 1.0
_LAG_SECONDS = 1.0  # by which one stream is behind another in a file at most; MPEG's multiplexes may not exceed it

# Codecs in which FFmpeg works out the times of display from the kinds of picture
_ORDERED_CODECS = ("mpeg1video", "mpeg2video", "mpeg4")
# The mark of DivX with two pictures in one packet and an empty one after it
_DIVX_PACKED = re.compile(rb"DivX\d+(?:b|Build)\d+p")


def is_unordered(container: InputContainer, picture: VideoStream, first: Packet[Any]) -> bool:
    """Whether a file does not state in which order its pictures are shown; `first` is a packet of the picture."""
    raw = bool(container.format.flags & NO_TIMES)
    reordered = container.format.name == "avi" and bool(picture.codec_context.has_b_frames)
    ordered = picture.codec_context.codec.canonical_name in _ORDERED_CODECS and not _DIVX_PACKED.search(bytes(first))
    return (raw or reordered) and not ordered


class PictureOrder:
    """Gives the packets of a picture that has no times of display theirs, a packet a picture.

    `shown` holds the decoding times of its pictures as the file counts them, in the order in which a decoder gives the
    pictures back. Without them, packets bear their decoding time as time of display, for that decoder.
    """

    def __init__(self, picture: VideoStream, shown: Iterable[int] = ()) -> None:
        shown = tuple(dict.fromkeys(shown))
        is_divx = picture.codec_context.codec.canonical_name == "mpeg4"
        times = sorted(shown)
        if is_divx and len(times) > 2 and times[1] - times[0] == 2 * (step := times[2] - times[1]):
            times[1:] = [time - step for time in times[1:]]  # DivX leaves one place empty while its encoder waits
        self._picture = picture
        self._due = 0
        self._shown: Mapping[int, int] = dict(zip(shown, times, strict=True))
        self._delay = max((decoded - at for decoded, at in self._shown.items()), default=0)
        self._unpack = BitStreamFilterContext("mpeg4_unpack_bframes", picture) if is_divx else None

    def place(self, packet: Packet[Any]) -> list[Packet[Any]]:
        """Set the times of the pictures of the next packet; the empty packet at the end comes back as it is."""
        if not packet.size:
            return [packet]
        pieces = [packet] if self._unpack is None else self._unpack.filter(packet)
        for piece in pieces:
            piece.stream = self._picture
            decoded = self._due if piece.dts is None else piece.dts  # raw streams have no times at all
            self._due = decoded + (piece.duration or 1)
            piece.dts = decoded - self._delay
            piece.pts = self._shown.get(decoded, piece.dts)
        return pieces


@dataclass(slots=True)
class _Place:
    """How far one stream has come, in seconds of the continuous clock."""

    part: int = 0
    decoded: float = -inf  # decoding time of the last packet
    due: float = -inf  # decoding time of the next packet, as far as the last one knows its length
    shown_to: float = -inf
    delay: float = 0.0  # longest between decoding and showing a picture


class Clock:
    """Moves the time stamps of packets to one clock that does not begin again.

    `main` are picture and sound of the file, which decide where a part begins; all their packets must be placed.
    `may_begin_again` says whether the container is made for clocks that do.
    """

    def __init__(self, main: Iterable[VideoStream | AudioStream], may_begin_again: bool) -> None:
        self._main = {stream.index for stream in main}
        self._may_begin_again = may_begin_again
        limits = (_AHEAD_SECONDS, _LONGEST_GAP_SECONDS, inf)
        self._longest, self._longest_silent = limits[:2] if may_begin_again else limits[1:]
        self._back = _BACK_SECONDS if may_begin_again else _FAR_BACK_SECONDS
        self._offsets = [0.0]  # seconds, one a part
        self._places: dict[int, _Place] = {}

    def place(self, packet: Packet[Any]) -> None:
        """Move the time stamps of the next packet of the file."""
        if packet.dts is None and packet.pts is None:
            return
        place = self._places.setdefault(packet.stream_index, _Place())
        tick = packet.time_base.numerator / packet.time_base.denominator
        decoded = None if packet.dts is None else packet.dts * tick
        shown = decoded if packet.pts is None else packet.pts * tick
        if decoded is not None and shown is not None:
            if self._may_begin_again and shown - decoded > _AHEAD_SECONDS:  # FFmpeg has taken it from the next part
                shown = decoded + place.delay
                packet.pts = round(shown / tick)
            self._find_part(place, packet.stream, decoded, shown)
        offset = self._offsets[place.part]
        if offset:
            moved = round(offset / tick)
            packet.dts = None if packet.dts is None else packet.dts + moved
            packet.pts = None if packet.pts is None else packet.pts + moved
        if decoded is not None and shown is not None:
            length = (packet.duration or 0) * tick
            place.decoded = decoded + offset
            place.due = place.decoded + length
            place.shown_to = max(place.shown_to, shown + offset + length)
            place.delay = max(place.delay, shown - decoded)

    def _find_part(self, place: _Place, stream: Stream, decoded: float, shown: float) -> None:
        """Find the part that a packet belongs to; begin one where its stream's clock does."""
        # `front` is where the furthest of picture and sound goes on: a jump is measured from there, not from the
        # stream's own end, because a stream may pause while the other goes on.
        known, front = place.part, max((self._places[one].due for one in self._main & self._places.keys()), default=0.0)
        if known < len(self._offsets) - 1:  # another stream has begun a part; this packet may be a late one of the last
            expected = place.due if place.due > front - _LAG_SECONDS else front
            parts = range(known, len(self._offsets))
            place.part = min(parts, key=lambda part: abs(decoded + self._offsets[part] - expected))
        is_sound = isinstance(stream, AudioStream)
        if place.due == -inf or not (is_sound or stream.index in self._main):
            return
        at = decoded + self._offsets[place.part]
        longest = self._longest if is_sound or len(self._main) > 1 else self._longest_silent
        ahead = at - max(front, place.due) > longest
        back = stream.index in self._main and place.part == known and at < place.decoded - self._back
        if ahead or back:
            # The new part goes on where this stream ended, both in decoding and in display, or where the longest stream
            # ended if that is clearly later: picture and sound of a part then stay in step.
            offset = max(place.due - decoded, place.shown_to - shown)
            end = max((self._places[one].shown_to for one in self._main & self._places.keys()), default=-inf)
            self._offsets.append(end - shown if end - (shown + offset) > self._back else offset)
            place.part = len(self._offsets) - 1
