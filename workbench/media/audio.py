"""Sound files to samples and back: decoding, rate conversion, writing.

Time. Zero of an audio file is its first decoded sample, after the encoder's delay has been trimmed as the file says:
a click at 1.000 s is found there in WAV, FLAC, Ogg Vorbis, Opus, AAC in M4A/MP4, and in MP3 with a LAME or Xing tag.
Files that do not state the delay start where FFmpeg and players start them: MP3 without such a tag some 25 ms
late, raw ADTS (`.aac`) 23 ms (one frame), and so MP3 in AVI or FLV, AAC in MPEG-TS or in MP4 without an edit list.
The soundtrack of a video file is returned on the video's clock: zero is the first picture, sound from before it is cut
off and a late start is padded with silence. Time stamps count there, for players synchronise by them.

Padding that an encoder states is cut off: samples before zero of an Ogg stream, and those that fill the last block of
WAV with ADPCM (`fact` chunk), of MP4 and of MP3. A loop of 32.000 s is 32.000 s.

Torn and damaged files. Where the file carries time stamps, a packet that is lost or does not decode becomes silence of
its length, so that all later sound stays in place; a file whose end is missing just ends sooner. If the file's
structure says that more was written and 90 % or less of it is there, `MediaError` says so: see
`workbench.media.claims`.

Samples are float32, shape (channels, n), full scale 1.0: integers of up to 24 bits keep every bit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import av
import av.error
import numpy as np
import soxr
from av.audio.format import AudioFormat
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from numpy.typing import NDArray

from workbench.errors import MediaError, ParameterError, SoundTooLong
from workbench.files import cannot_be_written, hash_file, written_whole
from workbench.media.containers import open_media, packets, tick_seconds
from workbench.media.decoder import Decoder, FrameRange, SampleBuffer, picture_zero
from workbench.media.sample_files import SampleFiles
from workbench.media.sound_streams import SoundChoice, SoundStreams, fold_down, sound_streams
from workbench.recording import FloatArray, Recording

_log = logging.getLogger(__name__)

_MP3_RATES = (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)  # Hz: MPEG-1, 2 and 2.5
# FFmpeg's name of a layout, by number of channels
_LAYOUTS = dict(enumerate(("mono", "stereo", "2.1", "quad", "5.0", "5.1", "6.1", "7.1"), start=1))
_MIXED_RATE = 48_000  # Hz, of several streams in one; what videos are made with
_MOST_WAITING_SECONDS = 120.0  # that one stream may be read ahead (46 MB) before the other counts as silent
_FIRST_SAMPLES = 1 << 22  # most that a header may reserve for a block, of all channels together
_WRITE_SAMPLES = 1 << 16  # most samples that are encoded at a time
_MOST_IN_MEMORY = 64 * 2**20  # bytes of a recording's samples, three minutes of stereo; beyond, they may go to a file
_FILED_BYTES = 8 * 2**20  # samples of a longer recording that go to its file at a time


@dataclass(frozen=True, slots=True)
class _Writing:
    """How one kind of file holds samples."""

    container: str
    codec: str
    sample_format: str  # what the encoder takes, packed or planar
    bits: int  # 16 or 24: samples become integers of so many bits; 0: they stay float32


_WRITINGS = {
    (".wav", "pcm16"): _Writing("wav", "pcm_s16le", "s16", 16),
    (".wav", "pcm24"): _Writing("wav", "pcm_s24le", "s32", 24),
    (".wav", "float32"): _Writing("wav", "pcm_f32le", "flt", 0),
    (".flac", "pcm16"): _Writing("flac", "flac", "s16", 16),
    (".flac", "pcm24"): _Writing("flac", "flac", "s32", 24),
    (".mp3", "lossy"): _Writing("mp3", "libmp3lame", "fltp", 0),
}
SOUND_SUFFIXES = tuple(dict.fromkeys(suffix for suffix, _ in _WRITINGS))  # file name endings that `write_audio` knows


@dataclass(frozen=True, slots=True, eq=False)
class SoundBlock:
    """A stretch of sound from a file that is read piece by piece."""

    samples: FloatArray  # shape (channels, n), float32, full scale 1.0
    sample_rate: int  # Hz; the same in all blocks of one file
    start: float  # seconds of the file's time at which the block begins


class SoundBlocks:
    """The sound of an opened file in blocks of equal length, for a caller that may read the packets itself.

    Several streams become one in stereo at 48 kHz, on one clock: tracks of a camera left and right in turn, others
    folded to stereo and added up. `zero` is the first picture's place in container seconds, None without one.
    """

    def __init__(
        self,
        path: Path,
        container: InputContainer,
        sounds: SoundStreams,
        zero: float | None,
        seconds: float,
        longest: float = inf,
    ) -> None:
        # Streams that are mixed need one clock even without a picture: the earliest of them then begins it.
        several = len(sounds.used) > 1
        if several and zero is None:
            zero = min(float((stream.start_time or 0) * (tick_seconds(stream) or 0)) for stream in sounds.used)
        self.path, self._container, self._sounds = path, container, sounds
        self._parts = {
            stream.index: _Blocks(
                Decoder(path, container, stream, zero, _MIXED_RATE if several else None), seconds, longest
            )
            for stream in sounds.used
        }
        self._waiting: dict[float, dict[int, FloatArray]] = {}  # by start and stream, until those of all are there
        self._begun = -1.0  # seconds at which the last block began; what comes later than that is lost
        self._lost: set[int] = set()  # streams of which some is

    def blocks(self) -> Iterator[SoundBlock]:
        """All blocks, at least one; raises as `rest` does."""
        found = None
        if len(self._parts) == 1:
            (part,) = self._parts.values()
            read = iter((part.blocks(part.decoder.pieces()),))  # without padding
        else:
            read = (self.blocks_of(packet) for packet in packets(self._container, *self._sounds.used))
        for found in chain(chain.from_iterable(read), self.rest()):
            yield found
        if found is None:
            raise MediaError(f"{self.path}: there is a sound stream, but no sound in it")

    def blocks_of(self, packet: Packet[AudioStream]) -> Iterator[SoundBlock]:
        """The blocks that a packet completes."""
        index = packet.stream.index  # its own index is 0 where it only ends a stream
        part = self._parts[index]
        for block in part.blocks(part.decoder.pieces_of(packet)):
            yield from self._put(index, block)

    def rest(self) -> Iterator[SoundBlock]:
        """The last blocks; raises `MediaError` if too much of the sound was lost."""
        for index, part in self._parts.items():
            for block in part.rest():
                yield from self._put(index, block)
        while self._waiting:
            yield self._mixed()
        for decoder in self._sounding:
            decoder.check_whole()

    @property
    def decoder(self) -> Decoder:
        """Decoder of the first stream with sound."""
        return self._sounding[0]

    @property
    def _sounding(self) -> list[Decoder]:
        """The decoders of streams that are not empty; all of them where all are."""
        decoders = [part.decoder for part in self._parts.values()]
        return [decoder for decoder in decoders if decoder.sample_rate] or decoders

    def _put(self, index: int, block: SoundBlock) -> Iterator[SoundBlock]:
        if len(self._parts) == 1:
            yield block
        # Blocks of all streams begin at the same multiples of the block length, so their starts identify them exactly.
        # One that is not later than what was already mixed comes too late and is dropped with a warning.
        elif block.start > self._begun:
            sound = block.samples[:1] if self._sounds.are_tracks else fold_down(block.samples)
            self._waiting.setdefault(block.start, {})[index] = sound
            oldest = min(self._waiting)
            if len(self._waiting[oldest]) == len(self._parts) or block.start - oldest > _MOST_WAITING_SECONDS:
                yield self._mixed()
        elif index not in self._lost:
            self._lost.add(index)
            _log.warning(
                "%s: sound stream %d comes more than %g s after another one in the file; some of it is left out of the "
                "mix: write the file again", self.path, list(self._parts).index(index) + 1, _MOST_WAITING_SECONDS,
            )  # fmt: skip

    def _mixed(self) -> SoundBlock:
        self._begun = min(self._waiting)
        sounds = self._waiting.pop(self._begun)
        mixed = np.zeros((2, max(sound.shape[1] for sound in sounds.values())), dtype=np.float32)
        for number, index in enumerate(self._parts):
            if index in sounds:
                rows = mixed[number % 2 : number % 2 + 1] if self._sounds.are_tracks else mixed
                rows[:, : sounds[index].shape[1]] += sounds[index]
        return SoundBlock(mixed, _MIXED_RATE, self._begun)


class _Blocks:
    """One stream in blocks of equal length."""

    def __init__(self, decoder: Decoder, seconds: float, longest: float) -> None:
        self.decoder = decoder
        self._seconds = seconds
        self._longest = longest
        self._buffer: SampleBuffer | None = None
        self._given = 0

    def blocks(self, pieces: Iterable[FrameRange]) -> Iterator[SoundBlock]:
        """The blocks that pieces complete."""
        rate = 0
        for piece in pieces:
            rate = self.decoder.sample_rate
            # The rate is known only once a frame was decoded, see `Decoder.sample_rate`.
            size = max(1, round(self._seconds * rate))
            if self._buffer is None:
                self._buffer = SampleBuffer(
                    self.decoder.channels, min(size + rate, _FIRST_SAMPLES // self.decoder.channels)
                )
            self._buffer.append(piece)
            while self._buffer.length >= size:
                yield self._taken(self._buffer, size)
            if self._given > self._longest * rate:
                raise SoundTooLong(f"{self.decoder.path}: its sound goes on for more than {self._longest:g} s; cut it")

    def rest(self) -> Iterator[SoundBlock]:
        """The last block."""
        if self._buffer is not None and self._buffer.length:
            yield self._taken(self._buffer, self._buffer.length)

    def _taken(self, buffer: SampleBuffer, count: int) -> SoundBlock:
        rate = self.decoder.sample_rate
        block = SoundBlock(buffer.take(count), rate, self._given / rate)
        self._given += count
        return block


@contextmanager
def _open_sound(
    path: Path, block_seconds: float = 10.0, choice: SoundChoice | None = None, longest: float = inf
) -> Iterator[SoundBlocks]:
    """Open a file to decode its sound on the video's clock, if it has a picture.

    Raises `SoundTooLong` at once if the container states more than `longest` seconds.
    """
    zero = picture_zero(path)
    with open_media(path) as container:
        sounds = sound_streams(container, path, choice)
        if not sounds.used:
            raise MediaError(f"{path}: no sound in this file; give one that has an audio stream")
        if container.duration and container.duration > longest * av.time_base:
            raise SoundTooLong(f"{path}: its sound goes on for more than {longest:g} s; cut it")
        _log.debug("decoding the sound of %s", path)
        yield SoundBlocks(path, container, sounds, zero, block_seconds, longest)


def decode(path: Path, folder: Path | None = None, longest: float = inf) -> Recording:
    """Decode the sound of an audio or video file at its own rate and channels.

    Parameters
    ----------
    path : anything FFmpeg reads; of several sound streams the default one, or a camera's first two as left and right
        (`workbench.media.sound_streams`); cover art is ignored
    folder : where a file without a name holds the samples of a recording of more than 64 MB, see
        `workbench.media.sample_files`; None: they are held in memory
    longest : seconds of sound that a file may have

    Returns
    -------
    Recording : samples of shape (channels, n), float32; hash of the file's bytes

    Raises
    ------
    MediaError : no such file, no media, no sound in it, or 90 % or less of what was written is there
    SoundTooLong : there is more than `longest` seconds of it
    StoreError : `folder` cannot be written to, or the disk is full
    """
    path = Path(path)
    content_hash = hash_file(path)
    with ExitStack() as opened:
        sound = opened.enter_context(_open_sound(path, longest=longest))
        buffer: SampleBuffer | None = None
        files: SampleFiles | None = None
        for block in sound.blocks():
            if buffer is None:
                buffer = SampleBuffer(block.samples.shape[0], sound.decoder.guessed_samples())
            buffer.append(block.samples)
            # Only what exceeds the limit goes to disk: most tracks never touch it.
            if folder is not None and buffer.nbytes > (_MOST_IN_MEMORY if files is None else _FILED_BYTES):
                files = files or opened.enter_context(SampleFiles(folder, block.samples.shape[0]))
                files.append(buffer.finish())
                buffer = None
        samples = None if buffer is None or buffer.length == 0 else buffer.finish()
        if files is not None:
            if samples is not None:
                files.append(samples)
            samples = files.finish()
        assert samples is not None, "sound without samples is refused"
        return Recording(samples, block.sample_rate, content_hash, sound.decoder.bits)


def decode_blocks(
    path: Path, block_seconds: float = 10.0, sample_rate: int | None = None, choice: SoundChoice | None = None
) -> Iterator[SoundBlock]:
    """Decode a file block by block, in memory that does not grow with its length.

    The blocks laid end to end are what `decode` returns, at another rate where `sample_rate` gives one, or of other
    sound streams by `choice`; all but the last have the same length. Raises `ParameterError` for a length of blocks
    that is not positive, and `MediaError` as `decode`, or for streams that the file lacks; a torn file is found out
    only after its last block.
    """
    if not block_seconds > 0:
        raise ParameterError(f"block_seconds must be positive, got {block_seconds}")
    path = Path(path)
    if sample_rate is not None:
        yield from _convert_rate(decode_blocks(path, block_seconds, choice=choice), sample_rate, block_seconds)
        return
    with _open_sound(path, block_seconds, choice) as sound:
        yield from sound.blocks()


def count_seconds(path: Path) -> float:
    """Length of a file's sound, `decode(path).duration`, decoded in memory that does not grow with it."""
    with _open_sound(Path(path)) as sound:
        counted: list[tuple[int, int]] = [(block.samples.shape[1], block.sample_rate) for block in sound.blocks()]
    return sum(samples for samples, _ in counted) / counted[0][1]


def resample(samples: FloatArray, rate_from: int, rate_to: int) -> FloatArray:
    """Convert the sample rate by soxr's HQ filter (linear phase, 0 dB to 0.91 of the lower Nyquist frequency).

    Samples of shape (n,) or (channels, n) become round(n · rate_to / rate_from), float32, without delay. Raises
    `ParameterError` for a rate that is not positive.
    """
    if rate_from <= 0 or rate_to <= 0:
        raise ParameterError(f"sample rates must be positive, got {rate_from} and {rate_to}")
    samples = np.ascontiguousarray(samples, dtype=np.float32)
    if rate_from == rate_to:
        return samples
    # soxr rounds the length its own way, a sample more or less; callers rely on the exact ratio.
    length = round(samples.shape[-1] * rate_to / rate_from)
    converted = np.ascontiguousarray(soxr.resample(samples.T, rate_from, rate_to).T, dtype=np.float32)
    if converted.shape[-1] < length:
        missing = [(0, 0)] * (converted.ndim - 1) + [(0, length - converted.shape[-1])]
        converted = np.pad(converted, missing)
    return converted[..., :length]


def write_audio(
    path: Path,
    blocks: Iterable[FloatArray],
    sample_rate: int,
    channels: int,
    *,
    subtype: str | None = None,
    bit_rate: int = 256_000,
    label: Callable[[OutputContainer], None] | None = None,
) -> Path:
    """Write sound to a WAV, FLAC or MP3 file, block by block, in memory that does not grow with its length.

    The file appears whole or not at all: it is written aside, in the same folder, and renamed. A WAV over 4 GiB becomes
    RF64. Sixteen bits are dithered (triangular, two steps wide, not repeating between channels, the same on every
    run); samples beyond full scale are clipped there, except in float32. MP3 knows rates up to 48 kHz only: other
    rates are converted. MP3 carries the Xing tag that makes it gapless.

    Parameters
    ----------
    path : its suffix chooses the kind of file; the folder must exist
    blocks : arrays of shape (channels, n), float, full scale 1.0; n may differ from block to block
    sample_rate : Hz
    channels : 1 to 8, for MP3 1 or 2
    subtype : "pcm16", "pcm24" or "float32" (WAV only); None: "pcm16" for WAV and FLAC
    bit_rate : bits a second, MP3 only
    label : gives the opened file tags and chapters before its sound is written; None: it has none

    Returns
    -------
    Path : the file's path

    Raises
    ------
    ParameterError : a suffix, subtype, rate or number of channels that the file cannot hold; a block of another shape
    MediaError : the file cannot be written
    """
    path = Path(path)
    suffix = path.suffix.lower()
    writing = _WRITINGS.get((suffix, subtype or ("lossy" if suffix == ".mp3" else "pcm16")))
    if writing is None:
        kinds = sorted({kind for kind, _ in _WRITINGS})
        if suffix not in kinds:
            raise ParameterError(
                f"{path.name}: sound is written as {', '.join(kinds)}, not {suffix or 'without a suffix'}"
            )
        known = ", ".join(sorted({f"{kind} {sub}" for kind, sub in _WRITINGS}))
        raise ParameterError(f"{path.name}: cannot write {suffix} as {subtype}; known are {known}")
    most = 2 if suffix == ".mp3" else 8
    if not 1 <= channels <= most:
        raise ParameterError(f"{path.name}: {suffix} holds 1 to {most} channels, not {channels}; write WAV or mix down")
    if sample_rate <= 0:
        raise ParameterError(f"{path.name}: the sample rate must be positive, got {sample_rate}")
    rate, sound = sample_rate, iter(blocks)
    # MP3 rates are multiples of 11,025 or of 8,000 Hz: the nearer family has the simpler conversion ratio.
    if suffix == ".mp3" and sample_rate not in _MP3_RATES:
        rate = 44_100 if sample_rate % 11_025 == 0 else 48_000
        sound = _at_rate(sound, sample_rate, rate)
    with _writer(path, rate, channels, writing, bit_rate, label) as write:
        for block in sound:
            write(block)
    return path


def encode_mp3(blocks: Iterable[FloatArray], sample_rate: int, channels: int, bit_rate: int) -> bytes:
    """Encode sound, in blocks of shape (channels, n), as MP3; more than two channels are mixed down to one."""
    if channels > 2:
        blocks, channels = (block.mean(axis=0, keepdims=True) for block in blocks), 1
    with TemporaryDirectory() as folder:
        return write_audio(Path(folder) / "sound.mp3", blocks, sample_rate, channels, bit_rate=bit_rate).read_bytes()


@contextmanager
def open_stem(path: Path, sample_rate: int, channels: int) -> Iterator[Callable[[FloatArray], None]]:
    """Write blocks of shape (channels, n) to a WAV file of float32, as they come, for sound that is made with others.

    Float, because a part may pass full scale where the whole does not. The file appears whole when the block succeeds.
    """
    with _writer(path, sample_rate, channels, _WRITINGS[".wav", "float32"]) as write:
        yield write


def subtype_for(path: Path, recording: Recording) -> str | None:
    """The subtype that stores the bits of a recording in a file of this suffix; None where there is but one."""
    subtype = f"pcm{recording.bits}"
    return subtype if (path.suffix.lower(), subtype) in _WRITINGS else None


def _convert_rate(blocks: Iterator[SoundBlock], sample_rate: int, block_seconds: float) -> Iterator[SoundBlock]:
    """The same sound at another rate, in blocks of the same length in seconds."""
    first = next(blocks, None)
    if first is None:
        return
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
    # An empty last chunk flushes the filter's delay; the length is then cut to the same ratio as in `resample`.
    fresh = stream.resample_chunk(np.empty((0, first.samples.shape[0]), dtype=np.float32), last=True)
    waiting = np.concatenate([waiting, fresh.T], axis=1)[:, : round(read * sample_rate / first.sample_rate) - given]
    for at in range(0, waiting.shape[1], size):
        part = np.ascontiguousarray(waiting[:, at : at + size])
        yield SoundBlock(part, sample_rate, (given + at) / sample_rate)


@contextmanager
def _writer(
    path: Path,
    rate: int,
    channels: int,
    writing: _Writing,
    bit_rate: int = 0,
    label: Callable[[OutputContainer], None] | None = None,
) -> Iterator[Callable[[FloatArray], None]]:
    """A file of sound that takes blocks; it appears whole when the block succeeds."""
    # FFmpeg reserves room for a `ds64` chunk and uses it only beyond 4 GiB. Without the prefix `file:` a
    # name that contains a colon is read as a protocol.
    options = {"rf64": "auto"} if writing.container == "wav" else {}
    with written_whole(path) as aside:
        try:
            with av.open(f"file:{aside.resolve()}", "w", format=writing.container, container_options=options) as file:
                stream = file.add_stream(writing.codec, rate=rate, layout=_LAYOUTS[channels])
                if not isinstance(stream, AudioStream):
                    raise ParameterError(f"{writing.codec} is no sound codec")
                stream.codec_context.format = AudioFormat(writing.sample_format)
                if writing.codec == "libmp3lame":
                    stream.bit_rate = bit_rate
                if label is not None:
                    label(file)
                file.start_encoding()  # so that no blocks at all give a file with no sound
                # A fixed seed: the same plan gives the same bytes on every run.
                dither, written = np.random.Generator(np.random.SFC64(0)), 0

                def write(block: FloatArray) -> None:
                    nonlocal written
                    if block.ndim != 2 or block.shape[0] != channels:
                        raise ParameterError(f"a block must have shape ({channels}, n), got {block.shape}")
                    if not np.isfinite(block).all():  # encoders write zeros or noise for them, and that of MP3 aborts
                        raise MediaError(f"{path}: the sound to write has samples that are not finite")
                    for at in range(0, block.shape[1], _WRITE_SAMPLES):
                        part = block[:, at : at + _WRITE_SAMPLES]
                        frame = _pack(part, writing, dither)
                        frame.sample_rate, frame.pts, frame.time_base = rate, written, Fraction(1, rate)
                        file.mux(stream.encode(frame))
                        written += part.shape[1]

                yield write
                file.mux(stream.encode(None))
        except av.error.FFmpegError as error:
            raise cannot_be_written(path, error) from error


def _pack(samples: FloatArray, writing: _Writing, dither: np.random.Generator) -> AudioFrame:
    """A frame with the samples as the encoder takes them; `samples` has shape (channels, n)."""
    whole: NDArray[Any]
    if not writing.bits:
        whole = np.asarray(samples, dtype=np.float32)
    elif writing.bits == 16:
        # Sample by sample, so that the size of blocks makes no difference.
        # The sum of two uniform numbers is triangular, which makes the error's mean and variance independent of the
        # signal (Lipshitz, Wannamaker and Vanderkooy, "Quantization and dither", JAES 1992). 24 bits need none: their
        # step is below the noise of any recording.
        pairs = dither.random((samples.shape[1], samples.shape[0], 2), np.float32)
        noise = (pairs[..., 0] + pairs[..., 1] - np.float32(1.0)).T
        steps = np.rint(np.asarray(samples, dtype=np.float32) * np.float32(2**15) + noise)
        whole = np.clip(steps, -(2**15), 2**15 - 1).astype(np.int16)
    else:
        steps = np.rint(np.asarray(samples, dtype=np.float64) * 2**23)
        # The encoder takes the upper 24 bits of 32.
        whole = np.clip(steps, -(2**23), 2**23 - 1).astype(np.int32) << 8
    planar = writing.sample_format.endswith("p")
    rows = np.ascontiguousarray(whole) if planar else np.ascontiguousarray(whole.T).reshape(1, -1)
    return AudioFrame.from_ndarray(rows, writing.sample_format, _LAYOUTS[samples.shape[0]])


def _at_rate(blocks: Iterator[FloatArray], rate_from: int, rate_to: int) -> Iterator[FloatArray]:
    sound = (SoundBlock(np.asarray(block, dtype=np.float32), rate_from, 0.0) for block in blocks)
    for block in _convert_rate(sound, rate_to, block_seconds=5.0):
        yield block.samples
