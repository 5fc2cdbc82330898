"""A video made small enough to send: its picture 360 lines high, encoded again, and its sound as it is."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import itemgetter
from pathlib import Path
from typing import Any

import av
import av.error
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from workbench.files import cannot_be_written, written_whole
from workbench.media.containers import open_media, sound_stream, tick_seconds
from workbench.media.probe import probe
from workbench.media.video import frames
from workbench.render.remux import copy_stream

SMALL_KBPS = 96  # of the sound of a small file, kbit/s
_LINES = 360  # of the shorter side of the picture
_TICKS = 90_000  # a second, which times of all usual picture rates are whole numbers of
_QUALITY = {"crf": "28"}  # of x264: text on slides can be read, a minute of talk takes about a megabyte


def shrink_video(video: Path, out: Path, progress: Callable[[float], None]) -> None:
    """Write a small MP4 of a video; `progress` receives the share that is done. Raises `MediaError`."""
    with written_whole(out) as aside, open_media(video) as source:
        try:
            with av.open(f"file:{aside.resolve()}", "w", format="mp4", options={"movflags": "faststart"}) as small:
                picture, sound = small.add_stream("libx264", options=dict(_QUALITY)), sound_stream(source)
                streams = [_pictures(video, picture, progress)]
                if sound is not None:
                    streams.append(_sound(source, sound, copy_stream(small, sound)))
                for _, packet in heapq.merge(*streams, key=itemgetter(0)):
                    small.mux(packet)
        except av.error.FFmpegError as error:
            raise cannot_be_written(out, error) from error


def _pictures(
    video: Path, stream: VideoStream, progress: Callable[[float], None]
) -> Iterator[tuple[float, Packet[Any]]]:
    """Encoded pictures, each with its decoding time, s."""
    facts = probe(video)
    assert facts.width is not None, "a rendered video has a picture"
    assert facts.height is not None, "a rendered video has a picture"
    width = max(2, round(facts.width * min(1.0, _LINES / min(facts.width, facts.height))))
    stream.pix_fmt, stream.codec_context.time_base = "yuv420p", Fraction(1, _TICKS)
    for shown in frames(video, width):
        rows, columns = (side // 2 * 2 for side in shown.pixels.shape[:2])  # H.264 halves the colours
        frame = av.VideoFrame.from_ndarray(shown.pixels[:rows, :columns], format="rgb24")
        if not stream.codec_context.is_open:
            stream.width, stream.height = columns, rows
        frame.pts, frame.time_base = round(shown.video_s * _TICKS), Fraction(1, _TICKS)
        progress(shown.video_s / facts.duration)
        yield from _timed(stream.encode(frame))
    yield from _timed(stream.encode(None))


def _sound(source: InputContainer, sound: Stream, copied: Stream) -> Iterator[tuple[float, Packet[Any]]]:
    for packet in source.demux(sound):
        if packet.size:
            packet.stream = copied
            yield from _timed([packet])


def _timed(packets: list[Packet[Any]]) -> Iterator[tuple[float, Packet[Any]]]:
    for packet in packets:
        yield float((packet.dts or 0) * (tick_seconds(packet) or 0)), packet
