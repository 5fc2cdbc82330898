"""Copy streams from one container into another, as they are: which containers take a stream, and which do not.

A muxer is asked, not a table: a file of the stream is written to memory and read back. Muxers accept streams that they
then fail on, and some write what no reader knows.

Functions: `containers_for`, `copy_stream`.
"""

from __future__ import annotations

from io import BytesIO
from typing import TypeVar

import av
import av.error
from av.container import OutputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

CONTAINERS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "matroska"}
"""FFmpeg's name of each container that a video is written as, by suffix"""
_OFFERED = (".mp4", ".mov", ".mkv")
"""suffixes that messages name"""
_StreamT = TypeVar("_StreamT", bound=Stream)


def containers_for(stream: Stream, packet: Packet[VideoStream] | None = None) -> tuple[str, ...]:
    """Find out which containers take a stream.

    Parameters
    ----------
    stream : of a source
    packet : its first, for a picture: only with one can the trial be read back

    Returns
    -------
    suffixes
    """
    return tuple(suffix for suffix in _OFFERED if _takes(CONTAINERS[suffix], stream, packet))


def copy_stream(video: OutputContainer, stream: _StreamT) -> _StreamT:
    """Add a stream to a file that takes the packets of another one as they are.

    Parameters
    ----------
    video : a file to write
    stream : of a source

    Raises
    ------
    ValueError : the container does not take it
    """
    # Opaque: a stream that is copied needs no encoder, and AV1, Theora or VC-1 often have none.
    copied = video.add_stream_from_template(stream, opaque=True)
    if video.format.name != "matroska" and codec_name(stream) == "hevc":
        copied.codec_context.codec_tag = "hvc1"  # the name under which Apple's players accept H.265
    return copied


def codec_name(stream: Stream) -> str:
    """FFmpeg's name of a stream's codec, not of its decoder.

    Parameters
    ----------
    stream : of a source
    """
    return stream.codec_context.codec.canonical_name if stream.codec_context else stream.name or "unknown"


def _takes(container: str, stream: Stream, packet: Packet[VideoStream] | None) -> bool:
    trial = BytesIO()
    try:
        with av.open(trial, "w", format=container) as video:
            copied = copy_stream(video, stream)
            video.start_encoding()
            if packet is None:
                return True
            alone: Packet[Stream] = Packet(bytes(packet))
            alone.stream, alone.pts, alone.dts, alone.is_keyframe = copied, 0, 0, True
            video.mux(alone)
        trial.seek(0)
        with av.open(trial) as written:
            found = written.streams.video[0].codec_context
            return found is not None and found.format is not None
    except (ValueError, IndexError, av.error.FFmpegError):
        return False
