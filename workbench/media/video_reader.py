"""Read a video once: its pictures made very small, its sound in blocks, its true length, in one pass over the file.

Pictures are read where the decoder left them, in planes of luma and chroma, a few rows of each field of a coarse grid;
nothing is converted or scaled in full, so that a pass costs little more than decoding does. Sound runs through the same
decoder as `workbench.media.audio`, on the clock of the picture. Memory does not grow with the video's length.

Headers are not trusted: no memory is reserved by what they state, and a video may not exceed its `VideoLimits`.

Long videos are read less thoroughly: only pictures that others are predicted from are decoded, and without the filter
that smooths the borders of blocks, which does not show in the fields of the grid. On H.264 at 1080p that is a quarter
of the work; `tests/benchmarks/cuts.py` measures what it costs. `pictures_within` then reads what was left out where it
matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeAlias

import av
import av.error
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from workbench.errors import MediaError
from workbench.media._kernels import shrink
from workbench.media.audio import SoundBlock, SoundBlocks
from workbench.media.containers import (
    SAME_TIME_SECONDS,
    decode_picture,
    open_media,
    packets,
    picture_stream,
    sound_stream,
    tick_seconds,
)
from workbench.media.probe import MediaInfo, Spans, can_seek, first_of, media_info
from workbench.media.sound_streams import SoundChoice, SoundStreams, sound_streams
from workbench.recording import FloatArray, IntArray

# Which pictures are decoded: all, references, those that are decodable alone, or none
Thoroughness: TypeAlias = Literal["all", "references", "keys", "none"]

LUMA_SHAPE = (36, 64)  # fields of a small picture's luma
CHROMA_SHAPE = (18, 32)  # fields of each colour difference
_SKIPPED: dict[str, Literal["DEFAULT", "NONREF", "NONKEY"]] = {
    "all": "DEFAULT", "references": "NONREF", "keys": "NONKEY",
}  # fmt: skip
_PLANAR = re.compile(r"(?:yuvj?4(?:10|11|20|22|40|44)|yuva4(?:20|22|44)|gray)p?(9|10|12|14|16)?(?:le)?$")
_PAIRED = ("nv12", "nv21")  # both colour differences in one plane
_FULL_RANGE = 2  # AVCOL_RANGE_JPEG
# Pictures of this size and less are decoded on one thread: sharing them among threads costs a fifth more
_ONE_THREAD_PIXELS = 640 * 360
_CONVERTED_WIDTH = 320  # of pictures in colour models other than luma and chroma
_SPAN_PICTURES = 64  # of a short stretch
_START_SECONDS = 10.0  # in which any number of pictures may be packed


@dataclass(frozen=True, slots=True)
class VideoLimits:
    """Limits past which a video is refused; counted while reading, as its header may be wrong."""

    seconds: float  # length of a video
    pictures_per_second: float = 500.0  # mean rate; a file that states more is damaged


@dataclass(frozen=True, slots=True, eq=False)
class PictureBlock:
    """A run of pictures, each made very small."""

    times: FloatArray  # shape (n,), video seconds, float64
    luma: FloatArray  # shape (n, 36, 64), float32, 0 black to 1 white
    chroma: FloatArray  # shape (n, 2, 18, 32), float32, blue and red difference, -0.5 to 0.5


class VideoReader:
    """One pass over an opened video; `info` is known when `blocks` has come to its end.

    Every packet is noted in `spans`; `look` False leaves the pictures undecoded.
    """

    def __init__(
        self,
        path: Path,
        container: InputContainer,
        first: VideoFrame | None,
        spans: Spans,
        limits: VideoLimits,
        look: bool,
        sounds: SoundStreams,
    ) -> None:
        self.path = path
        self._container = container
        self._first = first
        self._zero = None if first is None else first.time
        self._spans = spans
        self._limits = limits
        self._look = look
        self._sounds = sounds
        self._last = -1.0  # video seconds of the last picture
        self._pictures = 0

    @property
    def has_picture(self) -> bool:
        """Whether there is a moving picture to read."""
        return self._spans.picture is not None

    @property
    def stated_seconds(self) -> float:
        """Length that the container states, for a progress bar and nothing else; 0 where it states none."""
        return float(self._container.duration / av.time_base) if self._container.duration else 0.0

    def info(self) -> MediaInfo:
        """The facts of the file, lengths as measured; raises `MediaError` if there was nothing in it."""
        return media_info(self.path, self._container, self._first, self._spans)

    def blocks(
        self, pictures: int = 512, sound_seconds: float = 10.0, *, listen: bool = True
    ) -> Iterator[PictureBlock | SoundBlock]:
        """Everything in the order of the file; blocks of each kind follow one another without a gap.

        The last block of pictures holds fewer than `pictures`, and that of sound is shorter than `sound_seconds`;
        `listen` False leaves the sound undecoded. Raises `MediaError` where not one picture can be decoded, the sound
        is torn (see `workbench.media.audio`), or the video exceeds the limits.
        """
        picture, buffer = self._spans.picture, _PictureBuffer(pictures)
        streams = self._sounds.used if listen else ()
        # One loop over the packets serves facts, pictures and sound: the file is read once.
        sound = SoundBlocks(self.path, self._container, self._sounds, self._zero, sound_seconds, self._limits.seconds)
        for packet in packets(self._container, *dict.fromkeys((*self._spans.streams, *streams))):
            self._spans.note(packet)
            if picture is not None and packet.stream.index == picture.index and self._look:
                for time, frame in self._shown(packet):
                    buffer.put(time, frame)
                    if buffer.full:
                        yield buffer.take()
            elif packet.stream in streams:
                yield from sound.blocks_of(packet)
        if buffer.filled:
            yield buffer.take()
        if streams:
            yield from sound.rest()
        if picture is not None and self._look and self._pictures == 0:
            raise MediaError(f"{self.path}: no picture of this video could be decoded")

    def _shown(self, packet: Packet[Any]) -> Iterator[tuple[float, VideoFrame]]:
        """Pictures of a packet with their video seconds; one that does not come after the last is left out."""
        for stamp, frame in decode_picture(packet):
            if self._zero is None:
                self._zero = stamp
            time = stamp - self._zero
            if time <= self._last + SAME_TIME_SECONDS or time < -SAME_TIME_SECONDS:
                continue
            self._last = time = max(0.0, time)
            self._pictures += 1
            self._check()
            yield time, frame

    def _check(self) -> None:
        if self._last > self._limits.seconds:
            raise MediaError(f"{self.path}: goes on for more than {self._limits.seconds:g} s; cut it or repair it")
        most = self._limits.pictures_per_second
        # A damaged time stamp can put millions of pictures into one second, so time alone is no limit of the work.
        if self._pictures > most * (self._last + _START_SECONDS):
            raise MediaError(f"{self.path}: has more than {most:g} pictures a second; it is damaged")


@contextmanager
def open_video(
    path: Path, limits: VideoLimits, thoroughness: Thoroughness = "all", choice: SoundChoice | None = None
) -> Iterator[VideoReader]:
    """Open a file with a moving picture, sound or both, to read it once.

    Without a `choice` its sound streams are those that `workbench.media.sound_streams` finds. Raises `MediaError` where
    there is no such file, no media, neither picture nor sound in it, or not the streams that were chosen.
    """
    path = Path(path)
    first = first_of(path)
    with open_media(path) as container:
        picture = None if first is None else picture_stream(container)
        if picture is not None and thoroughness != "none":
            _share_out(picture)
            _set_thoroughness(picture, thoroughness)
        sounds = sound_streams(container, path, choice)
        spans = Spans(container, picture, sound_stream(container))  # the facts are the same for every choice
        if not spans.streams:
            raise MediaError(f"{path}: neither sound nor moving picture in this file; give a video")
        yield VideoReader(path, container, first, spans, limits, thoroughness != "none", sounds)


def fitting_thoroughness(path: Path, gigapixels: float) -> Thoroughness:
    """How thoroughly to read a video: all pictures up to a number of gigapixels, beyond that its references.

    The limit is compared with what the file states, for only the cost depends on it; a file that states no length is
    read in full.
    """
    with open_media(Path(path)) as container:
        picture = picture_stream(container)
        if picture is None or not container.duration or not picture.average_rate:
            return "all"
        context, seconds = picture.codec_context, container.duration / av.time_base
        pixels = context.width * context.height * float(picture.average_rate) * seconds
        return "all" if pixels <= 1e9 * gigapixels else "references"


def pictures_within(path: Path, spans: Sequence[tuple[float, float]], most: int) -> Iterator[PictureBlock]:
    """All pictures of a few short stretches of a video, those too that "references" leaves out: one block a stretch.

    The spans are sorted, in video seconds, both ends included. From the key picture before a stretch on, only
    references are decoded until the stretch begins. A block is empty where the file cannot be read from there; after
    `most` pictures in all the other stretches are left out.
    """
    first, decoded = first_of(path), 0
    with open_media(path) as container:
        stream = picture_stream(container)
        tick = None if stream is None else tick_seconds(stream)
        if stream is None or tick is None or first is None or first.time is None or not can_seek(path, container):
            return
        stream.codec_context.thread_count = 1  # what is skipped changes from packet to packet
        _set_thoroughness(stream, "references")
        for start, end in spans:
            if decoded > most:
                return
            buffer = _PictureBuffer(_SPAN_PICTURES)
            container.seek(int((first.time + start) / tick), stream=stream)
            for packet in packets(container, stream):
                time = -inf if packet.pts is None else float(packet.pts * tick) - first.time
                # References before the stretch are needed to decode it; other pictures before it are not.
                stream.codec_context.skip_frame = "DEFAULT" if time > start - SAME_TIME_SECONDS else "NONREF"
                frames = [(stamp - first.time, frame) for stamp, frame in decode_picture(packet)]
                decoded += len(frames)
                for time, frame in frames:
                    if start - SAME_TIME_SECONDS < time < end + SAME_TIME_SECONDS and not buffer.full:
                        buffer.put(time, frame)
                if any(time > end - SAME_TIME_SECONDS for time, _ in frames):
                    break
            yield buffer.take()


def _set_thoroughness(picture: VideoStream, thoroughness: Thoroughness) -> None:
    """Make a stream's decoder, not yet opened, leave out pictures, and the smoothing that the fields do not show."""
    context = picture.codec_context
    context.skip_frame = _SKIPPED[thoroughness]
    if thoroughness != "all":
        context.options = {**context.options, "skip_loop_filter": "all"}


def _share_out(picture: VideoStream) -> None:
    """Decode large pictures on several threads."""
    context = picture.codec_context
    context.thread_type = "AUTO"
    if context.width * context.height <= _ONE_THREAD_PIXELS:
        context.thread_count = 1


class _PictureBuffer:
    """Small pictures, until there are enough for a block."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._times: list[float] = []
        self._luma = np.empty((size, *LUMA_SHAPE), dtype=np.float32)
        self._chroma = np.empty((size, 2, *CHROMA_SHAPE), dtype=np.float32)

    @property
    def filled(self) -> bool:
        """Whether there is a picture."""
        return bool(self._times)

    @property
    def full(self) -> bool:
        """Whether there is no room for another."""
        return len(self._times) == self._size

    def put(self, time: float, frame: VideoFrame) -> None:
        """Add a picture."""
        at = len(self._times)
        shrink_picture(frame, self._luma[at], self._chroma[at])
        self._times.append(time)

    def take(self) -> PictureBlock:
        """Empty the buffer into a block, whose arrays are the caller's own."""
        count = len(self._times)
        luma, chroma, times = self._luma[:count].copy(), self._chroma[:count].copy(), np.array(self._times)
        self._times.clear()
        return PictureBlock(times, luma, chroma)


def shrink_picture(frame: VideoFrame, luma: FloatArray, chroma: FloatArray) -> None:
    """Write a picture's means over a coarse grid into arrays.

    Luma, shape (36, 64), goes from 0 black to 1 white; blue and red difference, shape (2, 18, 32), from -0.5 to 0.5.
    """
    name = frame.format.name
    depth = _depth(name)
    if depth is None:
        width = min(frame.width, _CONVERTED_WIDTH)
        frame = frame.reformat(width, max(1, frame.height * width // frame.width), "yuv420p", interpolation="AREA")
        name, depth = "yuv420p", 8
    zeros, ones = _levels(depth, frame.color_range == _FULL_RANGE or name.startswith("yuvj"))
    # Three values of 8 bits fit into 16, three of up to 16 bits need more.
    line = np.empty(frame.width, dtype=np.uint16 if depth == 8 else np.uint32)
    for number, (plane, width) in enumerate(_planes(frame, name, depth)):
        out, kind = (luma, 0) if number == 0 else (chroma[number - 1], 1)
        edges_y, edges_x = _edges(plane.shape[0], out.shape[0]), _edges(width, out.shape[1])
        shrink(plane, edges_y, edges_x, zeros[kind], ones[kind], line, out)
    if name.startswith("gray"):
        chroma[...] = 0.0


@lru_cache(maxsize=64)
def _depth(name: str) -> int | None:
    """Bits of a value of a pixel format whose planes are read as they are; None where it must be converted."""
    if name in _PAIRED:
        return 8
    model = _PLANAR.match(name)
    return None if model is None else int(model.group(1) or 8)


@lru_cache(maxsize=16)
def _levels(depth: int, full: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """Values that stand for 0 and 1 of luma and of a colour difference (ITU-R BT.709, item 4.6; full range: JFIF)."""
    step, top = float(1 << (depth - 8)), float((1 << depth) - 1)
    if full:
        return (0.0, 128.0 * step), (top, 128.0 * step + top)
    return (16.0 * step, 128.0 * step), (235.0 * step, 352.0 * step)


def _planes(frame: VideoFrame, name: str, depth: int) -> Iterator[tuple[NDArray[Any], int]]:
    """Luma, blue and red difference of a picture as they lie in memory, not copied, and the width of each.

    Rows, shape (height, at least the width), come with the rest of memory that fills them up: the array is then in one
    piece, and is summed faster.
    """
    kind = np.uint8 if depth == 8 else np.dtype("<u2")
    for number, plane in enumerate(frame.planes[:3]):
        rows = np.frombuffer(memoryview(plane), kind).reshape(plane.height, -1)
        if number == 1 and name in _PAIRED:
            pair = rows[:, : 2 * plane.width].reshape(plane.height, plane.width, 2)
            order = (0, 1) if name == "nv12" else (1, 0)
            yield from ((pair[:, :, k], plane.width) for k in order)
            return
        yield rows, plane.width


@lru_cache(maxsize=64)
def _edges(length: int, fields: int) -> IntArray:
    """First row or column of each field and the end of the last, shape (fields + 1,)."""
    edges = np.linspace(0, length, fields + 1).astype(np.int64)
    edges[:-1] = np.minimum(edges[:-1], length - 1)
    return edges
