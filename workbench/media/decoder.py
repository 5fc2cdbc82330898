"""One sound stream of a file turned into a run of samples without holes, on the clock of a player.

The head of `workbench.media.audio` defines the clock and when a file counts as torn.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
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
from workbench.media.claims import TORN_SHARE, has_last_page
from workbench.media.containers import decode_packet, exact_seconds, packets, stated_seconds
from workbench.media.probe import first_of
from workbench.recording import FloatArray

_log = logging.getLogger(__name__)

_EDGE_SECONDS = 0.1  # encoder delay and padding, which some containers count as length
_GAP_SECONDS = 0.015  # shorter than any packet, longer than time stamps rounded to milliseconds are off
_FIRST_GUESS_SAMPLES = 1 << 29  # most that a stated length may reserve in advance: an hour and a half of stereo
_RATES = (1_000, 1_000_000)  # Hz; anything else is a damaged header
_MOST_PLANES = 8  # from here on PyAV looks for planes beyond the last one
_ABSURD = np.float32(1e5)  # +100 dBFS
_STILL = 2.0**-11  # full scale 1; by as much ADPCM may ring on in silence
_SILENCE_SAMPLES = 1 << 16  # most samples of silence in one piece, so that a long gap takes no memory

_CODES = {"s16": "i2", "s32": "i4", "flt": "f4", "dbl": "f8"}
_STEPS = {"s16": np.float32(2.0**-15), "s32": np.float32(2.0**-31)}  # one step of an integer, full scale 1.0
_DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(code) for name, code in _CODES.items()}


class FrameRange(NamedTuple):
    """The next stretch of sound: samples `start` to `start + length` of a frame, or `length` samples of silence."""

    frame: AudioFrame | None
    start: int
    length: int


def picture_zero(path: Path) -> float | None:
    """Time stamp of a file's first picture, container seconds; None without a picture that can be decoded."""
    first = first_of(path)
    return None if first is None else first.time


class Decoder:
    """One sound stream turned into a run of samples without holes; counts how much of it was lost.

    `zero` is the time of the first picture, container seconds; None for a file without one. `rate` is the rate to
    convert to; None: its own.
    """

    def __init__(
        self,
        path: Path,
        container: InputContainer,
        stream: AudioStream,
        zero: float | None,
        rate: int | None = None,
    ) -> None:
        self.path = path
        self.sample_rate = 0  # Hz, known from the first frame: some headers state half of it (HE-AAC)
        self.channels = 0
        self.bits = 16  # see `Recording.bits`
        self._rate = rate
        self._container = container
        self._stream = stream
        self._zero = zero  # container seconds of the first picture; None for a file without one
        self._due = zero  # container seconds at which the next sample belongs
        self._started = False
        self._decoded = 0
        self._bad_seconds = 0.0
        self._layout, self._format = "", ""
        self._adapter: tuple[tuple[int, str, str], AudioResampler] | None = None

    def guessed_samples(self) -> int:
        """Samples to reserve room for: a little more than stated, but bounded, because a header may be wrong."""
        duration = self._container.duration
        seconds = duration / av.time_base if duration else 60.0
        return min(int((seconds * 1.001 + 0.2) * self.sample_rate), _FIRST_GUESS_SAMPLES // self.channels)

    def pieces(self) -> Iterator[FrameRange]:
        """Frames in order, with the silence and the cuts that keep them in place; of sound alone without padding."""
        last, given, packet_end = None, 0, 0
        for packet in packets(self._container, self._stream):
            for piece in self.pieces_of(packet):
                if last is not None:
                    yield last
                last, given = piece, given + piece.length
            packet_end = max(packet_end, (packet.pts or 0) + (packet.duration or 0))
        if last is not None:
            # Padding is cut off sound alone only: beside a picture the time stamps of the file rule.
            end = exact_seconds(self._container, self._stream, packet_end) if self._zero is None else None
            excess = 0 if end is None else given - round(end * self.sample_rate)
            if excess == 0 and last.frame is not None and self._stream.codec_context.name.startswith("adpcm"):
                excess = self._settled(last)
            # A length that cuts off more than padding is wrong.
            yield last._replace(length=last.length - (excess if 0 < excess < last.length else 0))

    def _settled(self, last: FrameRange) -> int:
        """Samples at the end of the last block of ADPCM that stand still.

        Some writers, FFmpeg's too, fill up the last block with silence and count it in the `fact` chunk.
        """
        assert last.frame is not None
        sound = np.empty((self.channels, last.length), dtype=np.float32)
        _unpack(last.frame, last.start, sound)
        moving = np.flatnonzero(np.abs(sound - sound[:, -1:]).max(axis=0) > _STILL)
        return last.length - 1 - int(moving[-1]) if moving.size else 0

    def pieces_of(self, packet: Packet[AudioStream]) -> Iterator[FrameRange]:
        """The pieces of the next packet, for a caller that reads the container itself and other streams with it."""
        for frame, time in self._frames(packet):
            rate, samples, skip = self.sample_rate, frame.samples, 0
            self._decoded += samples
            if time is not None:
                late = 0.0 if self._due is None else time - self._due
                if self._zero is None and not self._started and time < 0.0:
                    # Vorbis I, appendix A.2: samples before zero of the first page are not part of the sound.
                    skip, late = min(samples, round(-time * rate)), 0.0
                    self._due = time + skip / rate
                elif self._zero is None:
                    # Without a picture only a jump counts: samples follow one another, time stamps may creep.
                    late = late if self._started and late > _GAP_SECONDS else 0.0
                    self._due = time
                elif self._started and abs(late) <= _GAP_SECONDS:
                    late = 0.0
                silence = round(late * rate)
                if silence < 0:
                    skip = min(samples, -silence)
                elif silence > 0:
                    for at in range(0, silence, _SILENCE_SAMPLES):
                        yield FrameRange(None, 0, min(_SILENCE_SAMPLES, silence - at))
                    self._due = time
            if skip < samples:
                yield FrameRange(frame, skip, samples - skip)
                self._started = True
            if self._due is not None:
                self._due += (samples - skip) / rate

    def check_whole(self) -> None:
        """Raise `MediaError` if the file is torn: no sound was decoded, or 90 % or less of what was written."""
        if not self._decoded:
            raise MediaError(f"{self.path}: no sound could be decoded; the file is damaged or not what its name says")
        decoded = self._decoded / self.sample_rate
        stated = decoded + self._bad_seconds
        stated = max(stated, stated_seconds(self._container, self._stream, self.path, stated) or 0.0)
        if decoded <= TORN_SHARE * stated - _EDGE_SECONDS:
            raise MediaError(
                f"{self.path}: only {decoded:.1f} s of its {stated:.1f} s could be decoded; "
                "the file is cut short or damaged, copy or export it again"
            )
        if self._container.format.name == "ogg" and not has_last_page(self.path):
            _log.warning("%s: no last page; unless it was recorded from a stream, it is cut short: copy it", self.path)

    def _frames(self, packet: Packet[AudioStream]) -> Iterator[tuple[AudioFrame, float | None]]:
        """Frames of one rate, channel layout and a sample type that `SampleBuffer` knows, with their time stamps."""
        if packet.has_sidedata("new_extradata") and self._stream.codec_context.name == "vorbis":
            self._stream.codec_context.flush_buffers()  # a link of a chain does not overlap with the one before
        frames: list[AudioFrame] | None = decode_packet(packet)
        if frames is None:
            if packet.duration and packet.time_base:
                self._bad_seconds += float(packet.duration * packet.time_base)
            return
        for frame in frames:
            if not self.sample_rate:
                self._settle(frame)
            if (
                frame.sample_rate == self.sample_rate
                and frame.format.name == self._format
                and frame.layout.nb_channels == self.channels
            ):
                yield frame, frame.time
            else:
                # The resampler may give no frame or several; the time belongs to the first of them, the others follow
                # it.
                time = frame.time
                for adapted in self._adapt(frame):
                    yield adapted, time
                    time = None

    def _settle(self, frame: AudioFrame) -> None:
        """Take rate and channels from the first frame; what differs later is adapted to it."""
        self.sample_rate, self.channels = self._rate or frame.sample_rate, frame.layout.nb_channels
        if not _RATES[0] <= self.sample_rate <= _RATES[1] or not self.channels:
            raise MediaError(f"{self.path}: states an impossible sample rate, {self.sample_rate} Hz; it is damaged")
        self._layout = frame.layout.name
        self._format = frame.format.name
        lossless = self._stream.codec_context.name.startswith(("pcm_f", "wavpack"))  # lossy codecs give floats too
        if self._format.startswith(("s32", "dbl")) or (lossless and self._format.startswith("flt")):
            self.bits = 24
        if self._format.rstrip("p") not in _CODES or (self.channels >= _MOST_PLANES and frame.format.is_planar):
            self._format = "flt"

    def _adapt(self, frame: AudioFrame) -> list[AudioFrame]:
        source = (frame.sample_rate, frame.layout.name, frame.format.name)
        if self._adapter is None or self._adapter[0] != source:
            self._adapter = (source, AudioResampler(self._format, self._layout, self.sample_rate))
        return self._adapter[1].resample(frame)


class SampleBuffer:
    """Samples laid end to end, one row a channel, in one piece of memory that grows when it must."""

    def __init__(self, channels: int, capacity: int) -> None:
        self.length = 0
        self._rows = np.empty((channels, max(1, capacity)), dtype=np.float32)  # not touched, so not yet occupied

    @property
    def nbytes(self) -> int:
        """Bytes of the samples held."""
        return 4 * self._rows.shape[0] * self.length

    def append(self, piece: FrameRange | FloatArray) -> None:
        """Append a range of a frame, silence, or samples of shape (channels, n)."""
        end = self.length + (piece.shape[1] if isinstance(piece, np.ndarray) else piece.length)
        if end > self._rows.shape[1]:
            self._grow(end)
        if isinstance(piece, np.ndarray):
            self._rows[:, self.length : end] = piece
        elif piece.frame is None:
            self._rows[:, self.length : end] = 0.0
        else:
            _unpack(piece.frame, piece.start, self._rows[:, self.length : end])
        self.length = end

    def take(self, count: int) -> FloatArray:
        """Remove and return the first samples, no more than `length`, shape (channels, count)."""
        taken = _silence_invalid(self._rows[:, :count].copy())
        self._rows[:, : self.length - count] = self._rows[:, count : self.length].copy()
        self.length -= count
        return taken

    def finish(self) -> FloatArray:
        """All samples, shape (channels, length), moved together in place: a copy would double the memory."""
        channels, capacity = self._rows.shape
        flat = self._rows.reshape(-1)
        for channel in range(1, channels):
            source, target = channel * capacity, channel * self.length
            for at in range(0, self.length, 1 << 20):
                count = min(1 << 20, self.length - at)
                flat[target + at : target + at + count] = flat[source + at : source + at + count]
        return _silence_invalid(flat[: channels * self.length]).reshape(channels, self.length)

    def _grow(self, length: int) -> None:
        channels, capacity = self._rows.shape
        rows = np.empty((channels, max(length, capacity * 3 // 2)), dtype=np.float32)
        rows[:, : self.length] = self._rows[:, : self.length]
        self._rows = rows


def _unpack(frame: AudioFrame, start: int, out: FloatArray) -> None:
    """Write a frame's samples from `start` on to `out`, shape (channels, n), as float32 with full scale 1."""
    kind, samples = frame.format.name.rstrip("p"), frame.samples
    dtype, (channels, count) = _DTYPES[kind], out.shape
    planes = frame.planes
    if frame.format.is_planar:
        for channel in range(channels):
            out[channel] = np.frombuffer(memoryview(planes[channel]), dtype, samples)[start : start + count]
    else:
        packed = np.frombuffer(memoryview(planes[0]), dtype, samples * channels).reshape(samples, channels)
        out[...] = packed[start : start + count].T
    if kind in _STEPS:
        out *= _STEPS[kind]


def _silence_invalid(samples: FloatArray) -> FloatArray:
    """Replace NaN, infinity and absurd levels by silence, in place.

    Float WAV can hold all of these, and one of them would spoil every measure of the whole recording.
    """
    flat = samples.reshape(-1)
    for at in range(0, flat.size, 1 << 20):
        part = flat[at : at + (1 << 20)]
        if not (part.max() <= _ABSURD and part.min() >= -_ABSURD):  # false for NaN too
            part[~(np.abs(part) <= _ABSURD)] = 0.0
    return samples
