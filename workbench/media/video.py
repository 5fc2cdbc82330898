"""Pictures of a video file: a run of small frames, or one still. Times are seconds from the first picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path

import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from workbench.errors import MediaError, ParameterError
from workbench.media.containers import (
    SAME_TIME_SECONDS,
    decode_picture,
    decode_pictures,
    first_picture,
    open_media,
    packets,
    picture_stream,
    tick_seconds,
    upright_size,
)
from workbench.media.probe import can_seek
from workbench.recording import VideoSeconds

_SEEK_BACK_SECONDS = 10.0  # how much earlier to seek where a seek lands late


@dataclass(frozen=True, slots=True, eq=False)
class TimedPicture:
    """One picture of a video and when it is shown."""

    video_s: VideoSeconds  # seconds from the first picture
    pixels: NDArray[np.uint8]  # shape (height, width, 3), RGB, upright, square pixels


def frames(path: Path, width: int = 160) -> Iterator[TimedPicture]:
    """Decode a video's pictures in order, scaled down to a width in pixels.

    Raises `ParameterError` for a width under 1, and `MediaError` where there is no such file, no media, or no moving
    picture that can be decoded.
    """
    if width < 1:
        raise ParameterError(f"width must be at least 1, got {width}")
    zero: float | None = None
    with open_media(path) as container:
        stream = _picture(container, path)
        for time, frame in decode_pictures(container, stream):
            zero = time if zero is None else zero
            yield TimedPicture(time - zero, _pixels(frame, stream, width))
    if zero is None:
        raise MediaError(f"{path}: no picture of this video could be decoded")


def still(path: Path, video_s: VideoSeconds, width: int = 640) -> TimedPicture:
    """The picture on screen at a time: the last one shown at or before it. Raises as `frames`."""
    if width < 1:
        raise ParameterError(f"width must be at least 1, got {width}")
    with open_media(path) as container:
        first = first_picture(container, _picture(container, path))
    if first is None or first.time is None:
        raise MediaError(f"{path}: no picture of this video could be decoded")
    zero = first.time
    # A seek lands on the key picture at or before the time; without an index it may land late, so then further back.
    for seek_to in (video_s, video_s - _SEEK_BACK_SECONDS, 0.0):
        with open_media(path) as container:
            stream = _picture(container, path)
            tick = tick_seconds(stream)
            reading = packets(container, stream)
            if tick is not None and not can_seek(path, container):
                reading = _skip_to_key_picture(reading, zero + video_s, tick)
            elif seek_to > 0 and tick is not None:
                container.seek(int((zero + seek_to) / tick), stream=stream)
            found: tuple[float, VideoFrame] | None = None
            for time, frame in chain.from_iterable(map(decode_picture, reading)):
                if found is not None and time > zero + video_s + SAME_TIME_SECONDS:
                    break
                found = (time, frame)
            if found is not None and (found[0] <= zero + video_s + SAME_TIME_SECONDS or seek_to <= 0):
                return TimedPicture(found[0] - zero, _pixels(found[1], stream, width))
    raise MediaError(f"{path}: no picture of this video could be decoded")


def _skip_to_key_picture(
    reading: Iterator[Packet[VideoStream]], second: float, tick: Fraction
) -> Iterator[Packet[VideoStream]]:
    """Packets from the last key picture at or before a time on, without a seek and without decoding others."""
    held: list[Packet[VideoStream]] = []
    for packet in reading:
        late = packet.pts is not None and packet.pts * tick > second
        if packet.is_keyframe and not late:
            held.clear()
        held.append(packet)
        if late:
            break
    yield from held
    yield from reading


def _picture(container: InputContainer, path: Path) -> VideoStream:
    stream = picture_stream(container)
    if stream is None:
        raise MediaError(f"{path}: no moving picture in this file; give a video")
    stream.codec_context.thread_type = "AUTO"
    return stream


def _pixels(frame: VideoFrame, stream: VideoStream, width: int) -> NDArray[np.uint8]:
    """Scale a picture to `width`, upright and in square pixels, shape (height, width, 3)."""
    shape = upright_size(frame, stream)
    height = max(1, round(width * shape[1] / shape[0]))
    turned = frame.rotation % 180 != 0
    small = frame.reformat(*((height, width) if turned else (width, height)), format="rgb24", interpolation="AREA")
    return np.ascontiguousarray(np.rot90(small.to_ndarray(), frame.rotation // 90), dtype=np.uint8)
