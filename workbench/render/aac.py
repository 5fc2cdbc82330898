"""Sound to AAC packets, which wait in a temporary file until a video is ready to take them.

A lossy codec does not keep peaks, so whether sound fits under a ceiling is known only after it was encoded and decoded
again. Both are done here, on the sound alone: a caller encodes as often as it must, and writes its video once.

Packets wait on disk, not in memory: an hour of sound is 115 MB of them. The true peak is that of the decoded sound,
without the encoder's delay, which comes before time 0.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.codec.context import Flags
from av.packet import Packet

from workbench.params import RenderParams
from workbench.recording import FloatArray
from workbench.render.sound_levels import PeakMeter

_HEAD = struct.Struct("<qqqI")  # of a packet: its two time stamps and its duration in samples, its size in bytes


@dataclass(frozen=True, slots=True, eq=False)
class EncodedSound:
    """A stereo stream of AAC, whole."""

    file: IO[bytes]
    rate: int  # Hz
    true_peak_dbtp: float  # of the decoded sound; -inf for silence, and where it was not measured

    def packets(self) -> Iterator[Packet[Any]]:
        """The packets in order, times in samples; they may be read again and again."""
        self.file.seek(0)
        while head := self.file.read(_HEAD.size):
            pts, dts, duration, size = _HEAD.unpack(head)
            packet = Packet(self.file.read(size))
            packet.time_base = Fraction(1, self.rate)
            packet.pts, packet.dts, packet.duration = pts, dts, duration
            yield packet


@contextmanager
def encode(
    blocks: Iterable[FloatArray], params: RenderParams, folder: Path, *, measured: bool
) -> Iterator[EncodedSound]:
    """Encode blocks of shape (2, n) at the rate and the bit rate of `params`.

    The packets wait in a temporary file while the block runs. `measured` also decodes the packets for their true peak.
    """
    with TemporaryFile(dir=folder, prefix=".", suffix=".part") as file:
        encoder = _encoder(params)
        listener = _Listener(encoder) if measured else None
        done = 0
        for block in blocks:
            frame = AudioFrame.from_ndarray(np.ascontiguousarray(block), format="fltp", layout="stereo")
            frame.sample_rate, frame.pts = params.video_sample_rate, done
            done += block.shape[1]
            _keep(encoder.encode(frame), file, listener)
        _keep(encoder.encode(None), file, listener)
        peak = float("-inf") if listener is None else listener.true_peak_dbtp()
        yield EncodedSound(file, params.video_sample_rate, peak)


def _encoder(params: RenderParams) -> AudioCodecContext:
    encoder = AudioCodecContext.create("aac", "w")
    encoder.sample_rate, encoder.layout, encoder.format = params.video_sample_rate, "stereo", "fltp"
    encoder.time_base = Fraction(1, params.video_sample_rate)
    encoder.bit_rate = 1000 * params.video_kbps
    # MP4 and Matroska want the codec's configuration in their header, not in each packet.
    encoder.flags |= Flags.global_header
    encoder.open()
    return encoder


def _keep(packets: Iterable[Packet[Any]], file: IO[bytes], listener: _Listener | None) -> None:
    for packet in packets:
        if not packet.size:
            continue
        pts = packet.pts or 0
        file.write(_HEAD.pack(pts, pts if packet.dts is None else packet.dts, packet.duration or 0, packet.size))
        file.write(bytes(packet))
        if listener is not None:
            listener.hear(packet)


class _Listener:
    """Decodes packets one by one and holds their highest peak."""

    def __init__(self, encoder: AudioCodecContext) -> None:
        self._decoder = AudioCodecContext.create("aac", "r")
        # Without the configuration that the header would carry, raw AAC packets cannot be decoded.
        self._decoder.extradata = encoder.extradata
        self._peak = PeakMeter()

    def hear(self, packet: Packet[Any] | None) -> None:
        """Decode one packet; None: what the decoder still holds."""
        for frame in self._decoder.decode(packet):
            # The encoder's delay comes before time 0 and no player plays it, so its peaks do not count.
            before_zero = max(0, -(frame.pts or 0))
            sound = np.asarray(frame.to_ndarray()[:, before_zero:], dtype=np.float32)
            if sound.shape[1]:
                self._peak.add(sound)

    def true_peak_dbtp(self) -> float:
        """True peak of all packets; no packet may follow."""
        self.hear(None)
        return self._peak.peak_dbtp()
