"""Small videos that tests draw."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import av
import numpy as np
from av.stream import Disposition
from numpy.typing import NDArray

from workbench.files import bundled_path
from workbench.media.audio import decode, resample

_BLOCK = 1024  # samples, of AAC
Given = TypeVar("Given")
_LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}


def write_video(
    path: Path,
    pictures: Iterable[NDArray[np.uint8]],
    fps: int | Fraction,
    *,
    sound: NDArray[np.float32] | None = None,
    sample_rate: int = 48_000,
    sound_from: float = 0.0,
    title: str = "",
    crf: int = 23,
    aspect: Fraction | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """Write a video in H.264, of RGB pictures of one shape, and its sound in AAC.

    The suffix says which container. The sound has shape (channels, n_samples), full scale 1.0, and begins `sound_from`
    s after the first picture; without one the video has no stream of sound. `aspect` is that of a pixel, `options` are
    the encoder's.
    """
    with av.open(str(path), "w") as container:
        if title:
            container.metadata["title"] = title
        usual = {"preset": "ultrafast", "crf": str(crf)}
        seen = container.add_stream("libx264", rate=fps, options=usual | (options or {}))
        if aspect is not None:
            seen.codec_context.sample_aspect_ratio = aspect
        audio = None
        if sound is not None:
            audio = container.add_stream("aac", rate=sample_rate, layout=_LAYOUTS[len(sound)])
        for number, picture in enumerate(pictures):
            if number == 0:
                (seen.height, seen.width), seen.pix_fmt = picture.shape[:2], "yuv420p"
            container.mux(seen.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(seen.encode(None))
        if audio is not None and sound is not None:
            for frame in _blocks(sound, sample_rate, sound_from):
                container.mux(audio.encode(frame))
            container.mux(audio.encode(None))
    return path


def write_sound(
    target: Path | io.RawIOBase,
    codec: str,
    sound: NDArray[np.float32],
    rate: int,
    *,
    container: str | None = None,
    bit_rate: int = 192_000,
    **options: str,
) -> None:
    """Write sound of shape (channels, n_samples), full scale 1.0, by one of FFmpeg's encoders and muxers.

    The suffix says which container unless one is named; `options` are the muxer's.
    """
    with av.open(target, "w", format=container, options=options) as output:
        stream = output.add_stream(codec, rate=rate, layout=_LAYOUTS[len(sound)])
        assert isinstance(stream, av.AudioStream)
        stream.bit_rate = bit_rate
        for frame in _blocks(sound, rate):
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))


def _blocks(sound: NDArray[np.float32], rate: int, start: float = 0.0) -> Iterator[av.AudioFrame]:
    for first in range(0, sound.shape[1], _BLOCK):
        block = np.ascontiguousarray(sound[:, first : first + _BLOCK].T, dtype=np.float32).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(block, format="flt", layout=_LAYOUTS[len(sound)])
        frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), round(start * rate) + first
        yield frame


def write_sounds(
    path: Path,
    sounds: Sequence[NDArray[np.float32]],
    *,
    codec: str = "aac",
    rates: Sequence[int] = (48_000,),
    starts: Sequence[float] = (0.0,),
    tags: Sequence[dict[str, str]] = ({},),
    picture: str | None = "libx264",
    picture_seconds: float | None = None,
) -> Path:
    """Write a video of grey pictures with several streams of sound, the first of them the default.

    Each has shape (channels, n_samples), full scale 1.0; of `rates`, `starts` (s of the video) and `tags` the last
    counts for the rest. Pictures last as long as the longest sound unless told otherwise.
    """
    with av.open(str(path), "w") as container:
        seen = None if picture is None else container.add_stream(picture, rate=25)
        if seen is not None:
            assert isinstance(seen, av.VideoStream)
            seen.width, seen.height, seen.pix_fmt = 320, 240, "yuv420p"
        packets: list[tuple[float, av.Packet[Any]]] = []
        for number, sound in enumerate(sounds):
            rate, start, named = _of(rates, number), _of(starts, number), _of(tags, number)
            stream = container.add_stream(codec, rate=rate, layout=_LAYOUTS[len(sound)])
            assert isinstance(stream, av.AudioStream)
            stream.metadata.update(named)
            stream.disposition = Disposition.default if number == 0 else Disposition(0)
            kind = stream.codec_context.format.name
            for first in range(0, sound.shape[1], _BLOCK):
                block: NDArray[Any] = np.ascontiguousarray(sound[:, first : first + _BLOCK], dtype=np.float32)
                if kind == "s16":
                    block = np.rint(block * 32767).astype(np.int16).T.reshape(1, -1)
                frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block), kind, _LAYOUTS[len(sound)])
                frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
                frame.pts = round(start * rate) + first
                packets += [(start + first / rate, packet) for packet in stream.encode(frame)]
            packets += [(start + sound.shape[1] / rate, packet) for packet in stream.encode(None)]
        if seen is not None:
            longest = max(sound.shape[1] / _of(rates, k) for k, sound in enumerate(sounds))
            for number in range(round(25 * (longest if picture_seconds is None else picture_seconds))):
                shown = av.VideoFrame.from_ndarray(grey(100, 320, 240), format="rgb24")
                shown.pts, shown.time_base = number, Fraction(1, 25)
                packets += [(number / 25, packet) for packet in seen.encode(shown)]
            packets += [(longest, packet) for packet in seen.encode(None)]
        for _, packet in sorted(packets, key=lambda timed: timed[0]):
            container.mux(packet)
    return path


def narration(seconds: float = 12.0, rate: int = 48_000) -> NDArray[np.float32]:
    """The bundled narration from its second 20 on, shape (1, n_samples): speech from 0.4 to 5.2 and 6.0 to 11.2 s."""
    recording = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    mono = recording.samples.mean(axis=0, dtype=np.float32)
    return resample(mono, recording.sample_rate, rate)[np.newaxis, 20 * rate : round((20 + seconds) * rate)]


def write_screencast(path: Path) -> Path:
    """Twelve seconds as a screen recorder writes them: the desktop's sound by default, and a microphone beside it."""
    voice = narration()
    desktop = 0.003 * np.random.default_rng(5).standard_normal(voice.shape).astype(np.float32)
    return write_sounds(path, [desktop, voice], tags=[{"title": "Desktop"}, {"title": "Mic"}])


def grey(shade: int, width: int = 64, height: int = 48) -> NDArray[np.uint8]:
    """A plain picture of a shade from 0 to 255, an even number of px wide and high."""
    return np.full((height, width, 3), shade, dtype=np.uint8)


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """A picture as the bytes of a PNG file."""
    height, width = pixels.shape[:2]
    coder = av.VideoCodecContext.create("png", "w")
    coder.width, coder.height, coder.pix_fmt, coder.time_base = width, height, "rgb24", Fraction(1)
    return bytes(coder.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24"))[0])


def coloured_shots(count: int, seed: int = 2, width: int = 160) -> NDArray[np.uint8]:
    """Pictures of coarse coloured squares, shape (count, 9/16 width, width, 3), no two alike; width in steps of 16."""
    cells = np.random.default_rng(seed).integers(20, 235, (count, 9, 16, 3))
    return cells.repeat(width // 16, axis=1).repeat(width // 16, axis=2).astype(np.uint8)


def write_numbered(
    path: Path,
    count: int,
    *,
    first: int = 0,
    codec: str = "libx264",
    sound: str | None = "aac",
    sound_seconds: float | None = None,
    from_s: float = 0.0,
    b_frames: int = 2,
    stated_rate: int = 25,
) -> Path:
    """Write a video of 25 pictures a second that show their numbers, with a click half a second into each second.

    Pictures are coded in another order than they are shown, where the codec can do that: at most `b_frames` in a row
    are predicted from later ones. `from_s` is the time stamp of the first picture and sample; `stated_rate` is what
    H.264 claims within, whatever the time stamps say; the sound lasts as long as the pictures unless told otherwise.
    """
    options = {"bf": f"{b_frames}", "g": "12", "b": "800k"}
    if stated_rate != 25:
        options["x264-params"] = f"fps={stated_rate}:force-cfr=1"
    with av.open(str(path), "w") as container:
        seen = container.add_stream(codec, rate=25, options=options)
        assert isinstance(seen, av.VideoStream)
        seen.width, seen.height, seen.pix_fmt = 128, 96, "yuv420p"
        audio = None if sound is None else container.add_stream(sound, rate=48_000, layout="mono")
        assert audio is None or isinstance(audio, av.AudioStream)
        for number in range(first, first + count):
            bits = [255 * (number >> bit & 1) for bit in range(8)]
            pixels = np.repeat(np.array(bits, np.uint8), 16)[None, :, None].repeat(96, 0).repeat(3, 2)
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
            picture.pts, picture.time_base = number - first + round(25 * from_s), Fraction(1, 25)
            container.mux(seen.encode(picture))
            if audio is not None and sound_seconds is None:
                container.mux(_click(audio, (number - first) / 25, from_s, number % 25 == 12))
        if audio is not None:
            for at in range(round(25 * (sound_seconds or 0))):
                container.mux(_click(audio, at / 25, from_s, (at + first) % 25 == 12))
            container.mux(audio.encode(None))
        container.mux(seen.encode(None))
    return path


def _click(stream: av.AudioStream, at: float, from_s: float, clicks: bool) -> list[av.Packet[av.AudioStream]]:
    samples = np.zeros((1, 1920), np.float32)
    if clicks:
        samples[0, :96] = 0.8 * np.sin(2 * np.pi * 3000 * np.arange(96) / 48_000)
    frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
    frame.sample_rate, frame.time_base, frame.pts = 48_000, Fraction(1, 48_000), round(48_000 * (at + from_s))
    return stream.encode(frame)


def read_numbers(path: Path) -> tuple[list[int], list[float]]:
    """Decode what `write_numbered` wrote with FFmpeg alone: numbers of the pictures as they come, and their times."""
    numbers, times = [], []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            luma = np.frombuffer(memoryview(frame.planes[0]), np.uint8).reshape(frame.height, -1)[48, 8:128:16]
            numbers.append(sum(int(value > 128) << bit for bit, value in enumerate(luma)))
            times.append(float(frame.time or 0.0))
    return numbers, times


def write_pictures(
    path: Path, times: list[float], tags: dict[str, str] | None = None, rate: Fraction | int = 25
) -> Path:
    """Write a silent video whose pictures are shown at these times, s."""
    with av.open(str(path), "w") as video:
        stream = video.add_stream("libx264", rate=rate, options={"bf": "0"})
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 90_000)
        stream.metadata.update(tags or {})
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(grey(number % 200), format="rgb24")
            frame.pts, frame.time_base = round(time * 90_000), Fraction(1, 90_000)
            video.mux(stream.encode(frame))
        video.mux(stream.encode(None))
    return path


def write_divx(path: Path, count: int) -> Path:
    """Write what `write_numbered` does as DivX wrote it: each B picture in the packet of the picture before it.

    Into an AVI file, of an odd number of pictures.
    """
    plain = write_numbered(path.with_name("plain.avi"), count, codec="mpeg4", sound=None, b_frames=1)
    with av.open(str(plain)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        coded = [bytes(packet) for packet in source.demux(video=0) if packet.size]
        coded[0] = coded[0].replace(b"\0\0\1\xb6", b"\0\0\1\xb2DivX503b1393p\0\0\1\xb6", 1)
        pairs = [
            [before + after, b"\0\0\1\xb6\x50\x7f"] for before, after in zip(coded[1::2], coded[2::2], strict=True)
        ]
        for number, data in enumerate([coded[0], *(one for pair in pairs for one in pair)]):
            packet = av.Packet(data)
            packet.stream, packet.time_base = stream, Fraction(1, 25)
            packet.dts = packet.pts = number + (number > 0)  # the second place is empty while the encoder waits
            packet.is_keyframe = number == 0
            target.mux(packet)
    return path


def _of(given: Sequence[Given], number: int) -> Given:
    return given[min(number, len(given) - 1)]
