"""One sound stream of a file turned into a run of samples without holes, on the clock that a player keeps.

`audio.decode` and `audio.decode_blocks` say what the clock is and when a file counts as torn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import av
import av.error
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet

from workbench.errors import MediaError
from workbench.media.containers import first_picture, opened, picture_stream, sound_stream, stated_seconds
from workbench.recording import FloatArray

_KEPT_SHARE = 0.9  # of the stated length: below it a file counts as torn
_EDGE_SECONDS = 0.1  # encoder delay and padding, which some containers count as length
_GAP_SECONDS = 0.015  # shorter than any packet, longer than time stamps rounded to milliseconds are off
_LONGEST_GAP_SECONDS = 600.0  # a longer jump of the time stamps is a new clock, not lost sound
_FIRST_GUESS_SECONDS = 3600.0  # most that a stated length may reserve in advance
_MOST_BAD_READS = 64

_CODES = {"s16": "i2", "s32": "i4", "flt": "f4", "dbl": "f8"}
_SCALES = {"s16": 2.0**-15, "s32": 2.0**-31, "flt": 1.0, "dbl": 1.0}
_DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(code) for name, code in _CODES.items()}


class Piece(NamedTuple):
    """What comes next on the timeline: silence, then the frame without its first samples."""

    silence: int
    frame: AudioFrame
    skip: int


@contextmanager
def decoding(path: Path) -> Iterator[Decoder]:
    """Open a file to decode its sound; `MediaError` for what is no media or has no sound."""
    zero = _picture_zero(path)
    with opened(path) as container:
        stream = sound_stream(container)
        if stream is None:
            raise MediaError(f"{path}: no sound in this file; give one that has an audio stream")
        # A container's length is that of its longest stream, which beside a picture need not be the sound.
        own_length = zero is None or stream.duration is not None
        stated = stated_seconds(container, stream, path) if own_length else None
        yield Decoder(path, container, stream, zero, stated)


def _picture_zero(path: Path) -> float | None:
    """Container seconds of the first picture; found in an opening of its own, so that no sound is skipped."""
    with opened(path) as container:
        picture = picture_stream(container)
        first = None if picture is None else first_picture(container, picture)
        return None if first is None else first.time


class Decoder:
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

    def pieces(self) -> Iterator[Piece]:
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
            yield Piece(max(0, offset), frame, skip)
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


class Tape:
    """Samples laid end to end, one row a channel, in one piece of memory that grows when it must."""

    def __init__(self, channels: int, capacity: int) -> None:
        self.length = 0
        self._channels = channels
        self._capacity = max(1, capacity)
        self._flat = np.empty(channels * self._capacity, dtype=np.float32)  # not touched, so not yet occupied

    def append(self, piece: Piece) -> None:
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
