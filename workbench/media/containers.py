"""Open media files safely, and read what their containers state.

Everything goes through FFmpeg's libraries (PyAV). Playlists, capture devices and text screens are barred: a playlist
is a file that makes FFmpeg open other files and addresses, and a text file "plays" as a terminal video. A name is never
read as a protocol: `http:…` and `concat:…` are looked up as files.

The length a file states is needed to tell a whole file from a torn one, so here it is only what its writer stored.
FFmpeg also reports lengths guessed from size and bit rate (raw ADTS and AC-3, MP3 without a Xing tag), and shortens
the length of a torn WAV to what is there; neither is a statement.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from time import time_ns
from typing import Any

import av
import av.error
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Disposition, Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from workbench.errors import MediaError
from workbench.files import FileStamp, check_file, has_settled, stamp_of
from workbench.media.time_stamps import MAY_BEGIN_AGAIN, NO_TIMES, Clock, PictureOrder, is_unordered

_BARRED = {
    "hls", "concat", "dash", "imf", "image2", "avisynth", "vapoursynth", "lavfi", "tty", "rtsp", "rtp", "sdp", "sap",
    "ffmetadata",
    "alsa", "fbdev", "kmsgrab", "oss", "pulse", "sndio", "video4linux2,v4l2", "x11grab", "xcbgrab", "dshow", "gdigrab",
    "vfwcap", "avfoundation", "openal", "jack", "libcdio", "iec61883", "decklink", "android_camera",
}  # fmt: skip
# Containers that write a length down, or carry the time stamps it follows from.
_STATING = {
    "aiff", "ape", "asf", "au", "avi", "caf", "flac", "flv", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2",
    "mxf", "nut", "ogg", "rm", "tak", "tta", "w64", "wv",
}  # fmt: skip
_MOST_BAD_READS = 64
"""failures in a row after which reading a damaged file ends"""
# Tags in an unknown encoding must not make a file unreadable. PyAV 18 fails on them without this argument; from 19
# on it always replaces what is not UTF-8, and has no such argument.
_LENIENT_METADATA: dict[str, Any] = {"metadata_errors": "replace"} if int(av.__version__.split(".")[0]) < 19 else {}
MOST_PIXELS = 8192 * 4608
"""of one picture, 8K and some; a few bytes of header can claim pictures that fill the memory"""


@contextmanager
def open_media(path: Path) -> Iterator[InputContainer]:
    """Open a media file for reading; FFmpeg's errors while the block runs become one `MediaError`.

    Parameters
    ----------
    path : of the file; a name is never read as an address

    Yields
    ------
    the container, closed with the block

    Raises
    ------
    MediaError : no such file, a folder, an empty file, pictures that are too large, or nothing FFmpeg knows
    """
    path = Path(path)
    check_file(path)
    try:
        with av.open(
            f"file:{path.resolve()}",
            container_options={"format_whitelist": _formats(), "protocol_whitelist": "file"},
            options={"max_pixels": str(MOST_PIXELS)},
            **_LENIENT_METADATA,
        ) as container:
            _limit_pictures(container, path)
            yield container
    except (av.error.FFmpegError, UnicodeError) as error:
        raise MediaError(f"{path}: not readable as audio or video ({_words(error)}); is it a media file?") from error


def sound_stream(container: InputContainer) -> AudioStream | None:
    """The sound stream that a player would play: the default one, not made for a few listeners, with most channels.

    Parameters
    ----------
    container : an opened file

    Returns
    -------
    None without sound that FFmpeg can decode
    """
    known = [stream for stream in container.streams.audio if _has_decoder(stream)]
    return max(known, key=lambda stream: (*_rank(stream), stream.codec_context.channels), default=None)


def picture_stream(container: InputContainer) -> VideoStream | None:
    """The moving picture of the file; cover art and thumbnails do not count.

    Parameters
    ----------
    container : an opened file

    Returns
    -------
    None without a moving picture that FFmpeg can decode
    """
    known = [stream for stream in container.streams.video if _has_decoder(stream) and not is_still(stream)]
    return max(known, key=lambda stream: (*_rank(stream), stream.codec_context.width), default=None)


def is_still(stream: Stream) -> bool:
    """Whether a stream is cover art or thumbnails, no moving picture."""
    stills = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
    return bool(stream.disposition & stills)


def packets(container: InputContainer, *streams: Stream) -> Iterator[Packet[Any]]:
    """The packets of some streams from the container's present place on, on one clock; damaged ones are skipped.

    Their time stamps go on where the container's begin again, see `workbench.media.time_stamps`.

    Parameters
    ----------
    container : an opened file
    *streams : of this container

    Yields
    ------
    the packets in the order of the file; after 64 failures to read in a row there are no more
    """
    picture, sound = picture_stream(container), sound_stream(container)
    main = [stream for stream in (picture, sound) if stream is not None]
    clock = Clock(main, bool(container.format.flags & MAY_BEGIN_AGAIN))
    order = None if picture is None else _picture_order(container, picture)
    wanted = {stream.index for stream in streams}
    for packet in _read_packets(container, {*streams, *main}):
        is_picture = picture is not None and packet.stream_index == picture.index
        for placed in order.place(packet) if order is not None and is_picture else (packet,):
            clock.place(placed)
            if placed.stream_index in wanted:
                yield placed


def _picture_order(container: InputContainer, picture: VideoStream) -> PictureOrder | None:
    """What gives the pictures of a file their times; None where the file states them."""
    if container.format.name != "avi" and not container.format.flags & NO_TIMES:
        return None
    path = Path(container.name.removeprefix("file:"))
    stamp = stamp_of(path)
    settled = stamp is not None and has_settled(stamp, time_ns())
    shown = _decoded_order(path, stamp) if settled else _decoded_order.__wrapped__(path, stamp)
    return PictureOrder(picture, shown) if shown else None


@lru_cache(maxsize=4)  # a pass that decodes every picture
def _decoded_order(path: Path, _: FileStamp | None) -> tuple[int, ...]:
    """Decoding times of a file's pictures in the order in which they are shown; none where the file states it."""
    with open_media(path) as container:
        stream = picture_stream(container)
        if stream is None:
            return ()
        stream.codec_context.thread_type = "AUTO"
        order = PictureOrder(stream)
        times: list[int] = []
        for number, packet in enumerate(_read_packets(container, (stream,))):
            if number == 0 and not is_unordered(container, stream, packet):
                return ()
            for placed in order.place(packet):
                times += (frame.pts for frame in decode_packet(placed) or () if frame.pts is not None)
        return tuple(times)


def _read_packets(container: InputContainer, streams: Collection[Stream]) -> Iterator[Packet[Any]]:
    failures = 0
    while failures < _MOST_BAD_READS:
        try:
            for packet in container.demux(*streams):
                failures = 0
                yield packet
            return
        except IndexError:
            continue  # PyAV's error for a stream that began after the file was opened; reading goes on after its packet
        except (av.error.InvalidDataError, av.error.PatchWelcomeError):
            failures += 1


def decode_packet(packet: Packet[Any]) -> list[Any] | None:
    """Decode a packet.

    Parameters
    ----------
    packet : of a stream that has a decoder

    Returns
    -------
    its frames; None where it is damaged

    Raises
    ------
    MemoryError : the memory is full
    """
    try:
        return list(packet.decode())
    except MemoryError:
        raise
    # Codecs report damage by many numbers; a decoder that could not be opened is a ValueError to PyAV 19.
    except (av.error.FFmpegError, ValueError):
        return None


def decode_pictures(container: InputContainer, stream: VideoStream) -> Iterator[tuple[float, VideoFrame]]:
    """Decode pictures in the order in which they are shown; damaged ones are left out.

    Parameters
    ----------
    container : an opened file
    stream : its picture

    Yields
    ------
    time stamp in container seconds, and picture
    """
    for packet in packets(container, stream):
        for frame in decode_packet(packet) or ():
            if isinstance(frame, VideoFrame) and frame.time is not None:
                yield frame.time, frame


def first_picture(container: InputContainer, stream: VideoStream) -> VideoFrame | None:
    """The first picture that can be shown; its `time` is zero of video time.

    Reads on from the container's present place.

    Parameters
    ----------
    container : an opened file
    stream : its picture

    Returns
    -------
    None when not one picture can be decoded
    """
    return next((frame for _, frame in decode_pictures(container, stream)), None)


def upright_size(frame: VideoFrame, stream: VideoStream) -> tuple[int, int]:
    """Size of a picture as it is meant to be seen: in square pixels, rotated as its file states.

    Parameters
    ----------
    frame : a picture of the stream
    stream : states the shape of the pixels

    Returns
    -------
    width, height
    """
    aspect = stream.sample_aspect_ratio
    width, height = round(frame.width * float(aspect)) if aspect else frame.width, frame.height
    return (height, width) if frame.rotation % 180 else (width, height)


def _has_decoder(stream: AudioStream | VideoStream) -> bool:
    """Whether FFmpeg can decode a stream: for unknown codecs PyAV 18 has no context, and PyAV 19 an empty one."""
    return stream.codec_context is not None and stream.codec_context.is_decoder


def tick_seconds(timed: Stream | Packet[Any]) -> Fraction | None:
    """Length of one tick of a stream's or packet's time stamps.

    Where it is not stated, PyAV 18 gives None, and PyAV 19 a zero in a number type of its own.

    Parameters
    ----------
    timed : a stream or packet

    Returns
    -------
    s; None where it is not stated
    """
    base = timed.time_base
    return Fraction(base.numerator, base.denominator) if base else None


def stated_seconds(container: InputContainer, stream: AudioStream, path: Path) -> float | None:
    """The length that the file itself states for its sound.

    Parameters
    ----------
    container : the opened file
    stream : its sound
    path : of the file, for headers that FFmpeg does not pass on

    Returns
    -------
    s; None where nothing states it
    """
    name = container.format.name
    if name in ("wav", "w64"):
        stated = _wav_seconds(path)
        if stated is not None:
            return stated
    tagged = name == "mp3" and _has_xing_tag(path)
    whole = name != "flac" or _flac_total(stream) > 0
    if not (tagged or (name in _STATING and whole)):
        return None
    tick = tick_seconds(stream)
    if stream.duration is not None and tick is not None:
        return float(stream.duration * tick)
    return container.duration / av.time_base if container.duration is not None else None


def _limit_pictures(container: InputContainer, path: Path) -> None:
    """Refuse pictures that are too large, now or when one is decoded."""
    for stream in container.streams.video:
        context = stream.codec_context
        if context is None:
            continue
        if context.width * context.height > MOST_PIXELS:
            raise MediaError(
                f"{path}: its pictures are {context.width} by {context.height}, more than {MOST_PIXELS} pixels; "
                "scale the video down"
            )
        context.options = {"max_pixels": str(MOST_PIXELS)}


@cache
def _formats() -> str:
    return ",".join(name for name in sorted(av.formats_available) if name not in _BARRED)


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _rank(stream: Stream) -> tuple[bool, bool]:
    special = Disposition.hearing_impaired | Disposition.visual_impaired | Disposition.comment | Disposition.karaoke
    return bool(stream.disposition & Disposition.default), not stream.disposition & special


def _flac_total(stream: AudioStream) -> int:
    """Total samples of STREAMINFO, a 36-bit field; 0 where the encoder did not know."""
    info = stream.codec_context.extradata or b""
    return int.from_bytes(info[13:18], "big") & (2**36 - 1)


def _has_xing_tag(path: Path) -> bool:
    """Whether the first MP3 frame is a Xing, Info or VBRI tag, which states the number of frames."""
    with path.open("rb") as file:
        head = file.read(10)
        if head[:3] == b"ID3" and len(head) == 10:
            size = (head[6] & 127) << 21 | (head[7] & 127) << 14 | (head[8] & 127) << 7 | head[9] & 127
            file.seek(10 + size)
        else:
            file.seek(0)
        frame = file.read(4096)
    return any(tag in frame for tag in (b"Xing", b"Info", b"VBRI"))


def _wav_seconds(path: Path) -> float | None:
    """Length that the data chunk of a WAV or RF64 file states; None where it was left open."""
    with path.open("rb") as file:
        if file.read(12)[:4] not in (b"RIFF", b"RF64"):
            return None
        bytes_per_second, long_size = 0, None
        while len(head := file.read(8)) == 8:
            name, size = head[:4], int.from_bytes(head[4:], "little")
            if name == b"data":
                if size == 0xFFFFFFFF and long_size is not None:
                    size = long_size
                usable = bytes_per_second > 0 and 0 < size < 2**63 and size not in (0xFFFFFFFF, 0x7FFFFFFF)
                return size / bytes_per_second if usable else None
            body = file.read(min(size, 64))
            if name == b"fmt " and len(body) >= 12:
                bytes_per_second = struct.unpack_from("<I", body, 8)[0]
            elif name == b"ds64" and len(body) >= 16:
                long_size = struct.unpack_from("<Q", body, 8)[0]
            file.seek(size - len(body) + size % 2, 1)
    return None
