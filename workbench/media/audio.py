"""Sound files to samples and back: decoding, rate conversion, writing.

Time. Zero of an audio file is its first decoded sample, after the encoder's delay has been trimmed as the file says:
a click at 1.000 s is found there in WAV, FLAC, Ogg Vorbis, Opus, AAC in M4A/MP4, and in MP3 with a LAME or Xing tag.
An MP3 without such a tag and raw ADTS (`.aac`) do not say how long the delay is: they start where FFmpeg and players
start them, some 25 ms (MP3) and 23 ms (ADTS, one frame) late.
The soundtrack of a video file is returned on the video's clock: zero is the first picture, sound from before it is cut
off and a late start is padded with silence. Time stamps count there, for they are what a player keeps in step.

Torn and damaged files. A packet that does not decode becomes silence of its length, so that what follows keeps its
place; a file whose end is missing just ends sooner. If 90 % or less of the length that the file states could be
decoded, `MediaError` says so. Ogg, raw MP3 and ADTS state no length; a cut Ogg file counts as a whole, shorter one.

Samples are float32, shape (channels, n), full scale 1.0: integers of up to 24 bits keep every bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import av
import av.error
import numpy as np
import soxr
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet

from workbench.errors import MediaError, ParameterError
from workbench.media.containers import first_picture, hash_file, opened, picture_stream, sound_stream, stated_seconds
from workbench.recording import FloatArray, Recording

_KEPT_SHARE = 0.9  # of the stated length: below it a file counts as torn
_EDGE_SECONDS = 0.1  # encoder delay and padding, which some containers count as length
_GAP_SECONDS = 0.015  # shorter than any packet, longer than time stamps rounded to milliseconds are off
_LONGEST_GAP_SECONDS = 600.0  # a longer jump of the time stamps is a new clock, not lost sound
_FIRST_GUESS_SECONDS = 3600.0  # most that a stated length may reserve in advance
_MOST_BAD_READS = 64

_CODES = {"s16": "i2", "s32": "i4", "flt": "f4", "dbl": "f8"}
_SCALES = {"s16": 2.0**-15, "s32": 2.0**-31, "flt": 1.0, "dbl": 1.0}
_DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(code) for name, code in _CODES.items()}


@dataclass(frozen=True, slots=True, eq=False)
class SoundBlock:
    """A stretch of sound from a file that is read piece by piece."""

    samples: FloatArray
    """shape (channels, n), float32, full scale 1.0"""
    sample_rate: int
    """Hz; the same in all blocks of one file"""
    start: float
    """seconds of the file's time at which the block begins"""


def decode(path: Path) -> Recording:
    """Decode the sound of an audio or video file at its own rate and channels.

    Parameters
    ----------
    path : anything FFmpeg reads; of several sound streams the default one, cover art is ignored

    Returns
    -------
    Recording : samples of shape (channels, n), float32; hash of the file's bytes

    Raises
    ------
    MediaError : no such file, no media, no sound in it, or 90 % or less of what it states could be decoded
    """
    path = Path(path)
    content_hash = hash_file(path)
    with _decoding(path) as decoder:
        tape: _Tape | None = None
        for piece in decoder.pieces():
            if tape is None:
                tape = _Tape(decoder.channels, decoder.guessed_samples())
            tape.append(piece)
        decoder.check_whole()
    if tape is None or tape.length == 0:
        raise MediaError(f"{path}: there is a sound stream, but no sound in it")
    return Recording(tape.finish(), decoder.sample_rate, content_hash)


def decode_blocks(path: Path, block_seconds: float = 10.0, sample_rate: int | None = None) -> Iterator[SoundBlock]:
    """Decode a file piece by piece, in memory that does not grow with its length.

    Parameters
    ----------
    path : as for `decode`; the blocks laid end to end are what `decode` returns
    block_seconds : length of every block but the last
    sample_rate : Hz, convert to it on the way; None keeps the file's own

    Raises
    ------
    MediaError : as for `decode`; that a file is torn is known, and said, only after its last block
    """
    if not block_seconds > 0:
        raise ParameterError(f"block_seconds must be positive, got {block_seconds}")
    path = Path(path)
    if sample_rate is not None:
        yield from _converted(decode_blocks(path, block_seconds), sample_rate, block_seconds)
        return
    done = 0
    tape: _Tape | None = None
    with _decoding(path) as decoder:
        block = 0
        for piece in decoder.pieces():
            if tape is None:
                block = max(1, round(block_seconds * decoder.sample_rate))
                tape = _Tape(decoder.channels, block + decoder.sample_rate)
            tape.append(piece)
            while tape.length >= block:
                yield SoundBlock(tape.take(block), decoder.sample_rate, done / decoder.sample_rate)
                done += block
        decoder.check_whole()
    if tape is None or done + tape.length == 0:
        raise MediaError(f"{path}: there is a sound stream, but no sound in it")
    if tape.length:
        yield SoundBlock(tape.take(tape.length), decoder.sample_rate, done / decoder.sample_rate)


def resample(samples: FloatArray, rate_from: int, rate_to: int) -> FloatArray:
    """Convert the sample rate by soxr's HQ filter (linear phase, 0 dB to 0.91 of the lower Nyquist frequency).

    Parameters
    ----------
    samples : shape (n,) or (channels, n)
    rate_from, rate_to : Hz

    Returns
    -------
    FloatArray : shape (m,) or (channels, m), float32, m = round(n · rate_to / rate_from); no delay
    """
    if rate_from <= 0 or rate_to <= 0:
        raise ParameterError(f"sample rates must be positive, got {rate_from} and {rate_to}")
    samples = np.ascontiguousarray(samples, dtype=np.float32)
    if rate_from == rate_to:
        return samples
    length = round(samples.shape[-1] * rate_to / rate_from)
    converted = np.ascontiguousarray(soxr.resample(samples.T, rate_from, rate_to).T, dtype=np.float32)
    if converted.shape[-1] < length:
        missing = [(0, 0)] * (converted.ndim - 1) + [(0, length - converted.shape[-1])]
        converted = np.pad(converted, missing)
    return converted[..., :length]


class _Piece(NamedTuple):
    """What comes next on the timeline: silence, then the frame without its first samples."""

    silence: int
    frame: AudioFrame
    skip: int


@contextmanager
def _decoding(path: Path) -> Iterator[_Decoder]:
    zero = _picture_zero(path)
    with opened(path) as container:
        stream = sound_stream(container)
        if stream is None:
            raise MediaError(f"{path}: no sound in this file; give one that has an audio stream")
        # A container's length is that of its longest stream, which beside a picture need not be the sound.
        own_length = zero is None or stream.duration is not None
        stated = stated_seconds(container, stream, path) if own_length else None
        yield _Decoder(path, container, stream, zero, stated)


def _picture_zero(path: Path) -> float | None:
    """Container seconds of the first picture; found in an opening of its own, so that no sound is skipped."""
    with opened(path) as container:
        picture = picture_stream(container)
        return None if picture is None else first_picture(container, picture)


class _Decoder:
    """One sound stream turned into a run of samples without holes; knows how much of it was lost."""

    def __init__(
        self, path: Path, container: InputContainer, stream: AudioStream, zero: float | None, stated: float | None
    ) -> None:
        self.path = path
        self.sample_rate = 0  # Hz, known from the first frame: some headers state half of it (HE-AAC)
        self.channels = 0
        self._container = container
        self._stream = stream
        self._zero = zero  # container seconds of the first picture; None for a file without one
        self._stated = stated
        self._heard = 0
        self._bad_seconds = 0.0
        self._layout = ""
        self._adapter: tuple[tuple[int, str, str], AudioResampler] | None = None

    def guessed_samples(self) -> int:
        """Samples to reserve room for; a header may lie, so a little more than stated and not without bound."""
        duration = self._container.duration
        seconds = self._stated or (duration / av.time_base if duration else 60.0)
        return int((min(seconds, _FIRST_GUESS_SECONDS) * 1.001 + 0.2) * self.sample_rate)

    def pieces(self) -> Iterator[_Piece]:
        """Frames in order, with the silence and the cuts that keep them in place."""
        due = self._zero  # container seconds at which the next sample belongs
        started = False
        for frame, time in self._frames():
            late = 0.0 if due is None or time is None else time - due
            if self._zero is None:
                # Without a picture only a jump counts: samples follow one another, time stamps may creep.
                due = time if time is not None else due
                late = late if started and _GAP_SECONDS < late <= _LONGEST_GAP_SECONDS else 0.0
            elif started and abs(late) > _LONGEST_GAP_SECONDS:
                due, late = time, 0.0
            elif started and abs(late) <= _GAP_SECONDS:
                late = 0.0
            offset = round(late * self.sample_rate)
            skip = min(frame.samples, max(0, -offset))
            self._heard += frame.samples
            yield _Piece(max(0, offset), frame, skip)
            started = started or skip < frame.samples
            if due is not None:
                silence = 0 if self._zero is None else max(0, offset)
                due += (silence + frame.samples - skip) / self.sample_rate

    def check_whole(self) -> None:
        """Raise `MediaError` if too much of what the file states is missing."""
        if not self._heard:
            raise MediaError(f"{self.path}: no sound could be decoded; the file is damaged or not what its name says")
        heard = self._heard / self.sample_rate
        stated = heard + self._bad_seconds if self._stated is None else self._stated
        if heard <= _KEPT_SHARE * stated - _EDGE_SECONDS:
            raise MediaError(
                f"{self.path}: only {heard:.1f} s of its {stated:.1f} s could be decoded; "
                "the file is cut short or damaged, copy or export it again"
            )

    def _frames(self) -> Iterator[tuple[AudioFrame, float | None]]:
        for packet in self._packets():
            try:
                frames = packet.decode()
            except av.error.InvalidDataError:
                if packet.duration and packet.time_base:
                    self._bad_seconds += float(packet.duration * packet.time_base)
                continue
            for frame in frames:
                if not isinstance(frame, AudioFrame) or not frame.samples:
                    continue
                time = frame.time
                for adapted in self._adapted(frame):
                    yield adapted, time
                    time = None

    def _packets(self) -> Iterator[Packet[AudioStream]]:
        failures = 0
        while failures < _MOST_BAD_READS:
            try:
                for packet in self._container.demux(self._stream):
                    failures = 0
                    yield packet
                return
            except av.error.InvalidDataError:
                failures += 1

    def _adapted(self, frame: AudioFrame) -> list[AudioFrame]:
        """The frame as it is, or converted where a stream changes rate or channels or has an unusual sample type."""
        if self.sample_rate == 0:
            self.sample_rate, self.channels, self._layout = (
                frame.sample_rate,
                frame.layout.nb_channels,
                frame.layout.name,
            )
        key = (frame.sample_rate, frame.layout.name, frame.format.name)
        if key[:2] == (self.sample_rate, self._layout) and key[2].rstrip("p") in _SCALES:
            return [frame]
        if self._adapter is None or self._adapter[0] != key:
            self._adapter = (key, AudioResampler("fltp", self._layout, self.sample_rate))
        return self._adapter[1].resample(frame)


class _Tape:
    """Samples laid end to end, one row a channel, in one piece of memory that grows when it must."""

    def __init__(self, channels: int, capacity: int) -> None:
        self.length = 0
        self._channels = channels
        self._capacity = max(1, capacity)
        self._flat = np.empty(channels * self._capacity, dtype=np.float32)  # not touched, so not yet occupied

    def append(self, piece: _Piece) -> None:
        """Lay a piece behind what is there."""
        kept = piece.frame.samples - piece.skip
        self._reserve(piece.silence + kept)
        rows = self._flat.reshape(self._channels, self._capacity)
        if piece.silence:
            rows[:, self.length : self.length + piece.silence] = 0.0
            self.length += piece.silence
        if kept:
            _unpack(piece.frame, piece.skip, rows[:, self.length : self.length + kept])
            self.length += kept

    def take(self, count: int) -> FloatArray:
        """Cut off and return the first `count` samples, shape (channels, count)."""
        rows = self._flat.reshape(self._channels, self._capacity)
        taken = _finite(rows[:, :count].copy())
        rows[:, : self.length - count] = rows[:, count : self.length].copy()
        self.length -= count
        return taken

    def finish(self) -> FloatArray:
        """All samples, shape (channels, length), moved together in place: a copy would double the memory."""
        for channel in range(1, self._channels):
            source, target = channel * self._capacity, channel * self.length
            for at in range(0, self.length, 1 << 20):
                count = min(1 << 20, self.length - at)
                self._flat[target + at : target + at + count] = self._flat[source + at : source + at + count]
        return _finite(self._flat[: self._channels * self.length]).reshape(self._channels, self.length)

    def _reserve(self, count: int) -> None:
        if self.length + count <= self._capacity:
            return
        capacity = max(self.length + count, self._capacity * 3 // 2)
        flat = np.empty(self._channels * capacity, dtype=np.float32)
        rows = self._flat.reshape(self._channels, self._capacity)
        flat.reshape(self._channels, capacity)[:, : self.length] = rows[:, : self.length]
        self._flat, self._capacity = flat, capacity


def _unpack(frame: AudioFrame, skip: int, out: FloatArray) -> None:
    """Write a frame's samples from `skip` on to `out`, shape (channels, frame.samples - skip), as float32."""
    name = frame.format.name
    kind, channels = name.rstrip("p"), out.shape[0]
    dtype, scale = _DTYPES[kind], np.float32(_SCALES[kind])
    planes = [memoryview(plane) for plane in frame.planes]
    if frame.format.is_planar or channels == 1:
        for row, plane in zip(out, planes, strict=False):
            heard = np.frombuffer(plane, dtype, frame.samples)
            np.multiply(heard[skip:], scale, out=row, casting="same_kind")
    else:
        packed = np.frombuffer(planes[0], dtype, frame.samples * channels).reshape(-1, channels)
        np.multiply(packed[skip:].T, scale, out=out, casting="same_kind")


def _finite(samples: FloatArray) -> FloatArray:
    """The samples, with silence in place of NaN and infinity, which float WAV can hold; changed in place."""
    flat = samples.reshape(-1)
    for at in range(0, flat.size, 1 << 20):
        part = flat[at : at + (1 << 20)]
        if not np.isfinite(part).all():
            part[~np.isfinite(part)] = 0.0
    return samples


def _converted(blocks: Iterator[SoundBlock], sample_rate: int, block_seconds: float) -> Iterator[SoundBlock]:
    """The same sound at another rate, in blocks of the same length in seconds."""
    first = next(blocks)
    if first.sample_rate == sample_rate:
        yield first
        yield from blocks
        return
    stream = soxr.ResampleStream(first.sample_rate, sample_rate, first.samples.shape[0], dtype="float32")
    size = max(1, round(block_seconds * sample_rate))
    waiting = np.empty((first.samples.shape[0], 0), dtype=np.float32)
    read = given = 0
    for block in chain([first], blocks):
        read += block.samples.shape[1]
        fresh = stream.resample_chunk(np.ascontiguousarray(block.samples.T))
        waiting = np.concatenate([waiting, fresh.T], axis=1)
        while waiting.shape[1] >= size:
            yield SoundBlock(np.ascontiguousarray(waiting[:, :size]), sample_rate, given / sample_rate)
            waiting, given = waiting[:, size:], given + size
    fresh = stream.resample_chunk(np.empty((0, first.samples.shape[0]), dtype=np.float32), last=True)
    waiting = np.concatenate([waiting, fresh.T], axis=1)[:, : round(read * sample_rate / first.sample_rate) - given]
    for at in range(0, waiting.shape[1], size):
        part = np.ascontiguousarray(waiting[:, at : at + size])
        yield SoundBlock(part, sample_rate, (given + at) / sample_rate)
