"""Open media files safely, and read what their containers state.

Everything goes through FFmpeg's libraries (PyAV). Playlists, capture devices and text screens are barred: a playlist
is a file that makes FFmpeg open other files and addresses, and a text file "plays" as a terminal video. A name is never
read as a protocol: `http:…` and `concat:…` are looked up as files.

What a container says of its length is read in `workbench.media.claims`: FFmpeg also reports lengths that it guessed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain
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
from workbench.media.claims import open_repaired, share_present
from workbench.media.time_stamps import MAY_BEGIN_AGAIN, NO_TIMES, Clock, PictureOrder, is_unordered

_BARRED = {
    "hls", "concat", "dash", "imf", "image2", "avisynth", "vapoursynth", "lavfi", "tty", "rtsp", "rtp", "sdp", "sap",
    "ffmetadata",
    "alsa", "fbdev", "kmsgrab", "oss", "pulse", "sndio", "video4linux2,v4l2", "x11grab", "xcbgrab", "dshow", "gdigrab",
    "vfwcap", "avfoundation", "openal", "jack", "libcdio", "iec61883", "decklink", "android_camera",
}  # fmt: skip
_MP4 = "mov,mp4,m4a,3gp,3g2,mj2"
_COUNTED = {"ape", "tak", "tta", "wv"}  # containers that state a number of samples, or leave it open
_ITUNES_GAPLESS = re.compile(r"(?:\s*[0-9A-Fa-f]{8}){3}\s+([0-9A-Fa-f]{16})\b")  # delay, padding, then samples
_EDIT_SECONDS = Fraction(1, 500)  # coarser than edit lists are, in thousandths or six hundredths of a second
_MOST_BAD_READS = 64  # failures in a row after which reading a damaged file ends
# Tags in an unknown encoding must not make a file unreadable. PyAV 18 fails on them without this argument; from 19
# on it always replaces what is not UTF-8, and has no such argument.
_LENIENT_METADATA: dict[str, Any] = {"metadata_errors": "replace"} if int(av.__version__.split(".")[0]) < 19 else {}
SAME_TIME_SECONDS = 1e-6  # within which two times are one: time stamps are rational numbers, read as floats
MOST_PIXELS = 8192 * 4608  # of one picture, 8K and some; a few bytes of header can claim pictures that fill the memory


@contextmanager
def open_media(path: Path) -> Iterator[InputContainer]:
    """Open a media file for reading; FFmpeg's errors while the block runs become one `MediaError`.

    It is also raised for a missing file, a folder, an empty file, too large pictures, and what FFmpeg does not know.
    """
    path = Path(path)
    check_file(path)
    try:
        with (
            open_repaired(path) as repaired,
            av.open(
                # Both lists are needed: a barred format could open other files, a protocol other addresses.
                repaired or f"file:{path.resolve()}",
                container_options={"format_whitelist": _formats(), "protocol_whitelist": "file"},
                options={"max_pixels": str(MOST_PIXELS)},
                **_LENIENT_METADATA,
            ) as container,
        ):
            _limit_pictures(container, path)
            yield container
    except (av.error.FFmpegError, UnicodeError) as error:
        raise MediaError(f"{path}: not readable as audio or video ({_words(error)}); is it a media file?") from error


def path_of(container: InputContainer) -> Path:
    """The file that a container was opened from."""
    return Path(container.name.removeprefix("file:"))


def sound_stream(container: InputContainer) -> AudioStream | None:
    """The sound stream that a player would play: the default one, not made for a few listeners, with most channels.

    None without sound that FFmpeg can decode.
    """
    known = [stream for stream in container.streams.audio if has_decoder(stream)]
    return max(known, key=lambda stream: (*_rank(stream), stream.codec_context.channels), default=None)


def picture_stream(container: InputContainer) -> VideoStream | None:
    """The moving picture of a file, where FFmpeg can decode it; cover art and thumbnails do not count."""
    known = [stream for stream in container.streams.video if has_decoder(stream) and not is_still(stream)]
    return max(known, key=lambda stream: (*_rank(stream), stream.codec_context.width), default=None)


def is_still(stream: Stream) -> bool:
    """Whether a stream is cover art or thumbnails, no moving picture."""
    stills = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
    return bool(stream.disposition & stills)


def packets(container: InputContainer, *streams: Stream) -> Iterator[Packet[Any]]:
    """The packets of some streams from the container's present place on, on one clock; damaged ones are skipped.

    Their time stamps go on where the container's begin again, see `workbench.media.time_stamps`. After 64 failures to
    read in a row there are no more. Raises `MediaError` for an Ogg file whose links differ in rate or channels, which
    FFmpeg reads as far as the first.
    """
    picture, sound = picture_stream(container), sound_stream(container)
    main = [stream for stream in (picture, sound) if stream is not None]
    clock = Clock(main, bool(container.format.flags & MAY_BEGIN_AGAIN))
    order = None if picture is None or picture not in streams else _picture_order(container, picture)
    wanted = {stream.index for stream in streams}
    # Picture and sound are read even if they are not asked for: their time stamps decide where a part begins.
    for packet in _read_packets(container, {*streams, *main}):
        # Not `stream_index`: of the empty packets that end streams it is 0.
        is_picture = picture is not None and packet.stream.index == picture.index
        for placed in order.place(packet) if order is not None and is_picture else (packet,):
            clock.place(placed)
            if placed.stream.index in wanted:
                yield placed


def _picture_order(container: InputContainer, picture: VideoStream) -> PictureOrder | None:
    """What gives the pictures of a file their times; None where the file states them."""
    # The order costs a decoding pass, so it is remembered, unless the file may still be growing.
    if container.format.name != "avi" and not container.format.flags & NO_TIMES:
        return None
    path = path_of(container)
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
            # The first packet shows whether the file is of this kind, before anything is decoded.
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
        except av.error.InvalidDataError:
            failures += 1
        except av.error.PatchWelcomeError as error:
            if container.format.name == "ogg":
                raise MediaError(
                    f"{path_of(container)}: joined of Ogg files of several rates or numbers of channels; "
                    "convert it to WAV or FLAC"
                ) from error
            failures += 1


def decode_packet(packet: Packet[Any]) -> list[Any] | None:
    """Frames of a packet, of a stream that has a decoder; None where it is damaged."""
    try:
        return list(packet.decode())
    # A full memory is no damage of the file, but PyAV's class for it is an FFmpegError too.
    except MemoryError:
        raise
    # Codecs report damage by many numbers; a decoder that could not be opened is a ValueError to PyAV 19.
    except (av.error.FFmpegError, ValueError):
        return None


def decode_pictures(container: InputContainer, stream: VideoStream) -> Iterator[tuple[float, VideoFrame]]:
    """Decode pictures in the order in which they are shown, each with its time stamp in container seconds.

    Damaged ones are left out.
    """
    return chain.from_iterable(map(decode_picture, packets(container, stream)))


def decode_picture(packet: Packet[VideoStream]) -> Iterator[tuple[float, VideoFrame]]:
    """The pictures that a packet completes, as `decode_pictures` gives them."""
    for frame in decode_packet(packet) or ():
        if isinstance(frame, VideoFrame) and frame.time is not None:
            yield frame.time, frame


def first_picture(container: InputContainer, stream: VideoStream) -> VideoFrame | None:
    """The first picture that can be shown, from the container's present place on; its `time` is zero of video time."""
    return next((frame for _, frame in decode_pictures(container, stream)), None)


def upright_size(frame: VideoFrame, stream: VideoStream) -> tuple[int, int]:
    """Width and height of a picture as it is meant to be seen: in square pixels, rotated as its file states."""
    aspect = stream.sample_aspect_ratio
    width, height = round(frame.width * float(aspect)) if aspect else frame.width, frame.height
    return (height, width) if frame.rotation % 180 else (width, height)


def has_decoder(stream: AudioStream | VideoStream) -> bool:
    """Whether FFmpeg can decode a stream: for unknown codecs PyAV 18 has no context, and PyAV 19 an empty one."""
    return stream.codec_context is not None and stream.codec_context.is_decoder


def tick_seconds(timed: Stream | Packet[Any]) -> Fraction | None:
    """Length of one tick of a stream's or packet's time stamps, s; None where it is not stated.

    There PyAV 18 gives None, and PyAV 19 a zero in a number type of its own.
    """
    base = timed.time_base
    return Fraction(base.numerator, base.denominator) if base else None


def stated_seconds(container: InputContainer, stream: AudioStream, path: Path, decoded: float) -> float | None:
    """Seconds of sound that were written, where the file's structure states more than it holds.

    `decoded` is how many are there; None where nothing says so.
    """
    name, share, tick = container.format.name, share_present(path), tick_seconds(stream)
    # An MP4 states the length of each stream, which is more exact than the share of its bytes.
    if share < 1.0 and name != _MP4:
        return decoded / share
    counted = share < 1.0 or name in _COUNTED or (name == "mp3" and _has_xing_tag(path))
    if not (counted or (name == "flac" and _is_finished(stream))) or not stream.duration or tick is None:
        return None
    return float(stream.duration * tick)


def exact_seconds(container: InputContainer, stream: AudioStream, packet_end: int) -> Fraction | None:
    """Seconds of a sound without the padding of its last block, where its container states them to the sample.

    `packet_end` is where its last packet ends, in ticks of the stream.
    """
    tick, gapless = tick_seconds(stream), _ITUNES_GAPLESS.match(container.metadata.get("iTunSMPB", ""))
    if tick is None or container.format.name not in (_MP4, "wav", "w64"):
        return None
    if container.format.name != _MP4:  # its duration is that of the fact chunk
        return stream.duration * tick if stream.duration else None
    if gapless:
        return Fraction(int(gapless[1], 16), stream.codec_context.sample_rate)
    # An edit list that ends clearly before the last packet cuts padding off; a difference of its own rounding does not.
    spanned = (packet_end - (stream.start_time or 0)) * tick
    listed = (stream.duration or packet_end) * tick
    return listed if listed < spanned - _EDIT_SECONDS else spanned


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
        # The header may state less than the pictures have: the decoder itself must refuse them as well.
        context.options = {"max_pixels": str(MOST_PIXELS)}


@cache
def _formats() -> str:
    return ",".join(name for name in sorted(av.formats_available) if name not in _BARRED)


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _rank(stream: Stream) -> tuple[bool, bool]:
    special = Disposition.hearing_impaired | Disposition.visual_impaired | Disposition.comment | Disposition.karaoke
    return bool(stream.disposition & Disposition.default), not stream.disposition & special


def _is_finished(stream: AudioStream) -> bool:
    """Whether FLAC's header has the checksum that an encoder writes when it is done; before, its total is a guess."""
    return any((stream.codec_context.extradata or b"")[18:34])


def _has_xing_tag(path: Path) -> bool:
    """Whether the first MP3 frame is a Xing, Info or VBRI tag, which states the number of frames."""
    with path.open("rb") as file:
        head = file.read(10)
        if head[:3] == b"ID3" and len(head) == 10:
            # ID3v2 sizes have seven bits a byte, so that no byte of a tag looks like the start of an MP3 frame.
            size = (head[6] & 127) << 21 | (head[7] & 127) << 14 | (head[8] & 127) << 7 | head[9] & 127
            file.seek(10 + size)
        else:
            file.seek(0)
        frame = file.read(4096)
    return any(tag in frame for tag in (b"Xing", b"Info", b"VBRI"))
