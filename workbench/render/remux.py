"""Copy streams from one container into another, as they are: what a container takes, and what a render leaves out.

A muxer is asked, not a table: a file of the stream is written to memory and read back. Muxers accept streams that they
then fail on, and some write what no reader knows.

Beside the picture a render copies chapters, tags (title, dates, place), the time code of the camera, the language of
the soundtrack, and every stream that the container of its output takes: subtitles, fonts, cover, further pictures, data
of the camera. Only sound is not copied: the mix takes its place, see `workbench.media.sound_streams`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import av
import av.error
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Discard, Disposition, Stream
from av.video.stream import VideoStream

from workbench.media.containers import is_still, open_media, packets, path_of, picture_stream, tick_seconds
from workbench.media.probe import first_of, timecode_of
from workbench.media.sound_streams import SoundChoice, sound_streams

# FFmpeg's name of each container that a video is written as, by suffix
CONTAINERS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "matroska"}
SUFFIXES = {"mp4": ".mp4", "mov": ".mov", "matroska": ".mkv"}  # the suffix of each in messages
_EARLY_SECONDS = 0.1  # of sound before the first picture that are named; most files have less of it
_StreamT = TypeVar("_StreamT", bound=Stream)
# FFmpeg's types of streams in the words of messages, where those differ
_KINDS = {"subtitle": "subtitles", "video": "picture"}
# Tags about the file or its sound, which are not those of the copy; time code is written with the picture
_OF_FILE = re.compile(
    r"major_brand|minor_version|compatible_brands|encoder|software|timecode"
    r"|handler_name|vendor_id|itunsmpb|itunnorm|tlen|replaygain_.*|r128_.*"
    r"|company_name|product_.*|toolkit_.*|application_platform|.*(_ul|uid|umid)"
)
# Languages with two codes in ISO 639-2; MOV knows only the other one
_MAC_LANGUAGES = {
    "deu": "ger", "nld": "dut", "ell": "gre", "isl": "ice", "zho": "chi", "fas": "per", "hye": "arm", "eus": "baq",
    "kat": "geo", "mkd": "mac", "msa": "may", "mya": "bur", "bod": "tib", "cym": "wel", "sqi": "alb",
    "fre": "fra", "cze": "ces", "rum": "ron", "slo": "slk",
}  # fmt: skip


class Part(NamedTuple):
    """A stream of a source beside its picture and its sound, and the containers that hold it."""

    stream: Stream
    name: str
    held_by: tuple[str, ...]  # suffixes of containers
    image: bytes  # of a cover, the file that it is; empty where the source has but a place for one


def containers_for(stream: Stream, packet: Packet[VideoStream] | None = None) -> tuple[str, ...]:
    """Suffixes of the containers that take a stream. Only with its first packet can the trial be read back."""
    return tuple(suffix for container, suffix in SUFFIXES.items() if _takes(container, stream, packet))


def suffix_for(video: Path) -> str:
    """The suffix of a container that takes the picture of a video: Matroska, which holds most streams, or another."""
    with open_media(video) as source:
        picture = picture_stream(source)
        taking = () if picture is None else containers_for(picture)
    return ".mkv" if ".mkv" in taking or not taking else taking[0]


def copy_stream(video: OutputContainer, stream: _StreamT) -> _StreamT:
    """Add a stream to a file that takes the packets of another one as they are; a `ValueError` says it cannot."""
    # Opaque: a stream that is copied needs no encoder, and AV1, Theora or VC-1 often have none.
    copied = video.add_stream_from_template(stream, opaque=True)
    if video.format.name != "matroska" and codec_name(stream) == "hevc":
        copied.codec_context.codec_tag = "hvc1"  # the name under which Apple's players accept H.265
    return copied


def codec_name(stream: Stream) -> str:
    """FFmpeg's name of a stream's codec, not of its decoder."""
    if stream.codec_context is None:
        return getattr(stream, "name", None) or "unknown"
    return stream.codec_context.codec.canonical_name


def find_parts(source: InputContainer) -> list[Part]:
    """The streams of a source beside its picture and its sound, and what becomes of each."""
    main, parts = picture_stream(source), []
    for stream in source.streams:
        # Chapters and time code have a track of their own in QuickTime files, which the muxer writes itself.
        is_rewritten = stream.discard == Discard.all or (stream.type == "data" and "timecode" in stream.metadata)
        if stream is main or stream.type == "audio" or is_rewritten:
            continue
        language = f", {stream.language}" if stream.language not in (None, "und") else ""
        name = f"{_KINDS.get(stream.type, stream.type)} {stream.index} ({codec_name(stream)}{language})"
        held_by, image = containers_for(stream), b""
        if is_still(stream):
            image = _read_image(source, stream)
            # The MOV muxer drops a cover without a word; Matroska attaches it as a file.
            taking = (".mp4", ".mkv") if ".mp4" in held_by else (".mkv",)
            held_by = taking if image else ()
        parts.append(Part(stream, name, held_by, image))
    return parts


def copy_parts(
    source: InputContainer, video: OutputContainer, picture: VideoStream, zero: Fraction, audio: SoundChoice | None
) -> dict[int, Stream]:
    """Add what a source has beside its picture, as far as the container takes it, to a file of picture and soundtrack.

    The soundtrack is in the language of the streams that it was made of. Returns the new streams by the index of the
    source's; their packets are still to be written.
    """
    shown, mixed = video.streams[0], video.streams[1]
    sounds, timecode = sound_streams(source, path_of(source), audio).used, timecode_of(source)
    video.metadata.update(_content_tags(source))
    shown.metadata.update(picture.metadata)
    shown.disposition, mixed.disposition = picture.disposition | Disposition.default, Disposition.default
    languages = {sound.language for sound in sounds}
    if len(languages) == 1 and (language := languages.pop()):
        mixed.metadata["language"] = _language(video, language)
    if timecode is not None:
        shown.metadata["timecode"] = timecode
        if video.format.name != "matroska" and isinstance(shown, VideoStream) and picture.guessed_rate:
            shown.codec_context.framerate = picture.guessed_rate  # for the track of time code that the muxer writes
    _copy_chapters(source, video, zero)
    copied = {}
    for part in find_parts(source):
        if SUFFIXES[video.format.name] not in part.held_by:
            continue
        if is_still(part.stream) and video.format.name == "matroska":
            _attach_cover(video, part)
            continue
        copy = copied[part.stream.index] = copy_stream(video, part.stream)
        copy.metadata.update(part.stream.metadata)
        if part.stream.language:
            copy.metadata["language"] = _language(video, part.stream.language)
        copy.disposition = part.stream.disposition
    return copied


def _copy_chapters(source: InputContainer, video: OutputContainer, zero: Fraction) -> None:
    chapters = source.chapters()
    for chapter in chapters:
        # Chapters count container time; the copy begins with the first picture.
        shift = round(zero / Fraction(str(chapter["time_base"])))
        chapter["start"], chapter["end"] = max(0, chapter["start"] - shift), chapter["end"] - shift
    video.set_chapters([chapter for chapter in chapters if chapter["end"] > chapter["start"]])


def _attach_cover(video: OutputContainer, cover: Part) -> None:
    kind = codec_name(cover.stream).replace("mjpeg", "jpeg")
    name = cover.stream.metadata.get("filename", f"cover.{kind}".replace("jpeg", "jpg"))
    video.add_attachment(name, f"image/{kind}", cover.image)


def _read_image(source: InputContainer, still: Stream) -> bytes:
    """The first packet of a cover, without moving on in `source`."""
    with open_media(path_of(source)) as other:
        return next((bytes(packet) for packet in packets(other, other.streams[still.index]) if packet.size), b"")


def copy_labels(voice: Path, written: OutputContainer) -> None:
    """Give a sound file the tags and the chapters of the sound that it is made of, as far as it takes them."""
    with open_media(voice) as source:
        written.metadata.update(_content_tags(source))
        written.set_chapters(source.chapters())


def read_packets(path: Path, copied: Mapping[int, Stream], zero: Fraction) -> Iterator[tuple[float, Packet[Any]]]:
    """Read the packets of copied streams other than pictures, on the clock of the written file."""
    reached: dict[int, int] = {}
    with open_media(path) as source:
        for packet in packets(source, *(source.streams[index] for index in copied)):
            tick = tick_seconds(packet)
            if not packet.size or packet.pts is None or tick is None:
                continue
            begins = packet.pts - round(zero / tick)
            # A text that begins before the first picture is shown from there, for what is left of it.
            late, length = max(0, -begins), packet.duration or 0
            if late and late >= length:
                continue
            packet.stream, packet.duration = copied[packet.stream_index], length - late
            # Muxers refuse a time before the last, which texts that overlap may have.
            packet.pts = packet.dts = max(begins, reached.get(packet.stream_index, 0))
            reached[packet.stream_index] = packet.pts
            yield float(packet.pts * tick), packet


def writing_options(source: InputContainer, container: str) -> dict[str, str]:
    """Options of the muxer with which it writes what the source has."""
    if container == "matroska":
        return {}
    # Tags of telephones, such as com.apple.quicktime.make, have a place of their own.
    by_name = any("." in key for key in source.metadata)
    options = {"movflags": "+faststart+use_metadata_tags" if by_name else "+faststart"}
    # Records of Dolby Vision and of 360° pictures count as unofficial; MOV has none, and other names of codecs by this.
    return options | ({"strict": "unofficial"} if container == "mp4" else {})


def describe_left_out(video: Path, out: Path, audio: SoundChoice | None = None) -> str | None:
    """One line naming what a rendered file lacks of its video, and the container that holds it; None: it has all."""
    left: dict[str, list[str]] = {}
    container, nowhere = CONTAINERS.get(out.suffix.lower()), "no container that a render writes"
    suffix = None if container is None else SUFFIXES[container]  # None: a sound file, which has tags and chapters alone
    with open_media(video) as source, open_media(out) as written:
        for part in find_parts(source):
            if suffix not in part.held_by:
                holder = f"held by {(suffix and ' or '.join(part.held_by)) or nowhere}"
                left.setdefault(holder, []).append(part.name)
        sounds = sound_streams(source, video, audio)
        for number, name in sounds.unused.items() if sounds.used else ():
            how = "which can be chosen" if number in sounds.choosable else "which FFmpeg cannot decode"
            left.setdefault(how, []).append(f"sound stream {name}")
        first = first_of(video)
        begins = [float((stream.start_time or 0) * (tick_seconds(stream) or 0)) for stream in sounds.used]
        if first is not None and begins and (early := first.time - min(begins)) >= _EARLY_SECONDS:
            left["before its first picture"] = [f"{early:.1f} s of sound"]
        if suffix is None and len(written.chapters()) < len(source.chapters()):
            left.setdefault("held by .mp3", []).append("chapters")
        known = {key.lower() for key in written.metadata}
        tags = [key for key in _content_tags(source) if key.lower() not in known]
        if _has_dolby_vision(source) and not _has_dolby_vision(written):
            left.setdefault("held by .mp4 or .mkv", []).append("the record of Dolby Vision")
        if timecode_of(written) != (timecode := timecode_of(source)):
            left.setdefault(f"held by {'.mkv' if suffix else nowhere}", []).append(f"time code {timecode}")
    if tags:
        left.setdefault(f"held by {'.mkv' if suffix else '.mp3'}", []).append(f"tags ({_listed(tags)})")
    if not left:
        return None
    kinds = "; ".join(f"{_listed(names)}, {holder}" for holder, names in left.items())
    return f"{out.name} leaves out of {video.name}: {kinds}"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:3])} and {len(names) - 3} more" if len(names) > 5 else ", ".join(names)


def _content_tags(source: InputContainer) -> dict[str, str]:
    main = picture_stream(source) or next(iter(source.streams.audio), None)
    of_ogg = main.metadata if main is not None and source.format.name == "ogg" else {}  # which stores them there
    return {key: text for key, text in (of_ogg | source.metadata).items() if not _OF_FILE.fullmatch(key.lower())}


def _language(video: OutputContainer, code: str) -> str:
    return _MAC_LANGUAGES.get(code, code) if video.format.name == "mov" else code


def _has_dolby_vision(container: InputContainer) -> bool:
    """Whether the picture has a record of Dolby Vision. It shows in a Matroska header alone, which names its type."""
    header, picture = BytesIO(), picture_stream(container)
    if picture is None or codec_name(picture) not in ("hevc", "av1", "h264"):
        return False
    with av.open(header, "w", format="matroska") as trial:
        copy_stream(trial, picture)
        trial.start_encoding()
    return any(record in header.getvalue() for record in (b"dvcC", b"dvvC", b"dvwC"))


def _takes(container: str, stream: Stream, packet: Packet[VideoStream] | None) -> bool:
    """Whether a file of the stream can be written and is read as such; of a picture without a packet, only written."""
    trial, name = BytesIO(), codec_name(stream)
    try:
        with av.open(trial, "w", format=container) as video:
            copied = copy_stream(video, stream)
            video.start_encoding()
            if stream.type == "attachment" or (stream.type == "video" and packet is None):
                return True
            # Four zero bytes pass for a packet of subtitles or data; a picture needs a real one to be read back.
            alone: Packet[Stream] = Packet(b"\0\0\0\0" if packet is None else bytes(packet))
            alone.stream, alone.pts, alone.dts, alone.is_keyframe = copied, 0, 0, True
            video.mux(alone)
        trial.seek(0)
        with av.open(trial) as written:
            found = written.streams[0]
            has_pixels = not isinstance(found, VideoStream) or found.codec_context.format is not None
            return has_pixels and name == codec_name(found) != "unknown"
    except (ValueError, IndexError, av.error.FFmpegError):
        return False
