"""Plans to files: a sound file of the music, or the video with the music under it.

The picture is copied, packet by packet, never encoded again. The sound is new: music and soundtrack at 48 kHz in
stereo, joined in the order the mix prescribes: soundtrack at `video_gain_db`, music at
`music_gain_db`, the envelope's attenuation on the music, the sum, the limiter; then AAC. `RenderParams.ducking` says
whether all of the music goes down as the envelope says, or less of it outside the band of speech.

The sound comes first. It is encoded on its own, decoded again and measured; where its true peak passes the ceiling, it
is made again under a lower one. Then the video is written, once.

Clocks. Video time 0 is the first picture that is shown, at any time stamp; a plan, a mix and the soundtrack
all count from it. In the written file that picture is at 0 and so is the first sample of sound. Pictures
that a decoder needs but does not show (a video cut out of a longer one) keep negative times.

Files are written aside, in the same folder, and renamed: they appear whole or not at all.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, dropwhile
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import av
import av.error
import numpy as np
import soxr
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from workbench.errors import MediaError, ParameterError
from workbench.files import cannot_be_written, written_whole
from workbench.media.audio import decode_blocks, open_stem, subtype_for, write_audio
from workbench.media.containers import open_media, packets, picture_stream, tick_seconds
from workbench.media.probe import first_of, probe
from workbench.media.sound_streams import SoundChoice, fold_down
from workbench.mix.limiter import limit_blocks
from workbench.mix.speech_band import duck_bands, duck_blocks
from workbench.params import RenderParams
from workbench.recording import FloatArray, Recording
from workbench.render.aac import EncodedSound, encode
from workbench.render.delivery import amplify
from workbench.render.playback import check_length_of_video, check_track, render_blocks
from workbench.render.remux import (
    CONTAINERS,
    SUFFIXES,
    codec_name,
    containers_for,
    copy_labels,
    copy_parts,
    copy_stream,
    read_packets,
    writing_options,
)
from workbench.render.schedule import Music

Progress: TypeAlias = Callable[[float], None]  # called now and then with the share that is done, 0 to 1

# A tail of sound up to this length leaves the last picture as it is; see `MediaInfo.duration`
_SHORT_TAIL_SECONDS = 0.2
# How far the sound runs ahead of the picture while both are written, so that players need not seek
_SOUND_AHEAD_SECONDS = 1.0
_HIDDEN_SECONDS = 0.06  # s before the first picture; the head of AAC and rounded time stamps stay within
_MOST_REORDERED = 32  # packets without a decoding time after which one is invented; codecs reorder 16 at most
# dB by which the ceiling of the next take goes below the excess of the last, for each take that may not be the
# last: a codec does not repeat its peaks, and a lower ceiling now and then comes out higher
_CLEAR_DB = (0.05, 0.3, 0.6, 1.0)
_SOUND_SHARE = 0.9  # share of the reported progress for the sound; the rest is for writing the video
# Share of the sound's remaining progress for each take: there may be another, and progress never goes back
_TAKE_SHARE = 0.6
VIDEO_SUFFIXES = tuple(CONTAINERS)  # file name endings that `render_video` knows


class Ducking(Protocol):
    """The part of a mix that changes over time: how far the music is lowered, and when."""

    @property
    def envelope_points(self) -> Sequence[Sequence[float]]:
        """Pairs of video seconds and positive dB, see `workbench.mix.fades.duck_gain`."""
        ...

    @property
    def speech_ranges(self) -> Sequence[Sequence[float]]:
        """Pairs of video seconds with speech; under them the music may be ducked in bands."""
        ...


class MixLevels(Protocol):
    """The levels that rendering reads from a mix; None is 0 dB, or no ducking."""

    @property
    def music_gain_db(self) -> float | None:
        """Level of the music, dB."""
        ...

    @property
    def video_gain_db(self) -> float | None:
        """Level of the soundtrack, dB."""
        ...

    @property
    def duck(self) -> Ducking | None:
        """Attenuation of the music under speech."""
        ...


class MixGains(NamedTuple):
    """The gains of a mix; 0 dB and no ducking without one."""

    music_db: float
    soundtrack_db: float
    duck_points: tuple[tuple[float, float], ...]
    """attenuation of the music under speech: video seconds and dB, positive, linear in between"""
    speech_ranges: tuple[tuple[float, float], ...]
    """speech that it is ducked under, pairs of video seconds"""

    def peak(self, music: float, soundtrack: float) -> float:
        """Highest sample that both can reach together where their peaks meet, full scale 1.0."""
        return float(music * 10.0 ** (self.music_db / 20.0) + soundtrack * 10.0 ** (self.soundtrack_db / 20.0))


def gains_of(mix: MixLevels | None) -> MixGains:
    """Gains and ducking of a mix."""
    if mix is None:
        return MixGains(0.0, 0.0, (), ())
    both = () if mix.duck is None else (mix.duck.envelope_points, mix.duck.speech_ranges)
    pairs = [tuple((float(first), float(second)) for first, second in one) for one in both] or [(), ()]
    return MixGains(float(mix.music_gain_db or 0.0), float(mix.video_gain_db or 0.0), *pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Stem:
    """A part of the track that plays in its place, with the others, and is also written by itself."""

    name: str
    file: Path
    recording: Recording  # as long as the track, at its rate and with its channels
    is_ducked: bool = True  # whether the mix lowers it under speech
    out: Path | None = None  # WAV, float32, where its part of the mix is written; None: nowhere


@dataclass(frozen=True, slots=True, eq=False)
class Playback:
    """What plays: the music of a plan, and how a soundtrack plays with it.

    Attributes
    ----------
    plan : as for `workbench.render.playback.render_blocks`
    recording : the track of the plan
    mix : gains and ducking; None for 0 dB and none
    stems : play in place of `recording`; each file has what the stem adds to the sound, before the codec: the limiter
        acts on the whole and lowers all stems alike
    audio : the sound streams of a video that are its soundtrack; None: as `workbench.media.sound_streams` finds them
    """

    plan: Music
    recording: Recording
    mix: MixLevels | None = None
    stems: Sequence[Stem] = ()
    audio: SoundChoice | None = None

    @property
    def recordings(self) -> list[Recording]:
        """The sounds to play together: the stems, or the whole track."""
        return [stem.recording for stem in self.stems] or [self.recording]


def render_audio(
    playback: Playback,
    out: Path,
    params: RenderParams | None = None,
    *,
    voice: Path | None = None,
    limit: bool = False,
    gain_db: float = 0.0,
    progress: Progress | None = None,
) -> Path:
    """Play a plan into a WAV, FLAC or MP3 file, by its suffix, at the track's rate and channels.

    With sound that it plays under, as in a podcast, the file holds both at 48 kHz in stereo, and the tags and chapters
    of that sound as far as it takes them; with a mix alone the music as it is in the mix, also at 48 kHz in stereo.

    Parameters
    ----------
    playback : the music, its mix and its stems
    out : WAV and FLAC get 24 bits of a track that holds more than 16, else 16 with triangular dither; MP3 `video_kbps`
    params : block length, bit rate, and the limiter's; None: the defaults
    voice : file with the sound under which the music plays; the file written is as long as that. None: music alone
    limit : hold the true peak under the ceiling; without it sound over full scale is clipped there
    gain_db : of the whole, before the limiter, dB
    progress : receives the share that is done

    Returns
    -------
    the path of the file

    Raises
    ------
    PlanError : the plan was made for another track, or for a longer voice
    ParameterError : an unknown suffix, or a number of channels that the file cannot hold
    MediaError : the file cannot be written, or the voice not read
    """
    params, plan, recording = params or RenderParams(), playback.plan, playback.recording
    if voice is None and playback.mix is None:
        seconds, rate, channels = plan.window_end, recording.sample_rate, recording.channels
    else:
        seconds = plan.window_end if voice is None else probe(voice).duration
        rate, channels = params.video_sample_rate, 2
    if voice is not None:
        check_length_of_video(plan, voice, seconds)
    blocks = amplify(play_sound(playback, voice, params), gain_db)
    if limit:
        blocks = limit_blocks(blocks, rate, params, leading=channels)
    blocks = _split(blocks, playback.stems, rate, channels)
    reporting, subtype = _report_blocks(blocks, round(seconds * rate), progress), subtype_for(Path(out), recording)
    label = None if voice is None else partial(copy_labels, voice)
    bit_rate = 1000 * params.video_kbps
    return write_audio(Path(out), reporting, rate, channels, subtype=subtype, bit_rate=bit_rate, label=label)


def render_video(
    playback: Playback,
    video: Path,
    out: Path,
    params: RenderParams | None = None,
    *,
    limit: bool | None = None,
    gain_db: float = 0.0,
    progress: Progress | None = None,
) -> Path:
    """Put a plan's music under a video: picture copied, sound mixed, limited and encoded as AAC.

    The file is as long as the video; where its sound goes on, the last picture stays. Without a mix, music and
    soundtrack play at their own levels; both are summed and limited.

    Parameters
    ----------
    playback : the music, its mix and its stems
    video : the video; any container, but with a kind of picture that the container of `out` can hold
    out : .mp4 or .m4v (H.264, H.265, AV1, VP9, …), .mov (H.264, H.265, ProRes, DNxHD, …) or .mkv
    params : rate, bit rate, the way of ducking, and the limiter's; None: the defaults
    limit : hold the true peak under the ceiling, also after the codec: where decoding the file gives more, the sound is
        made again with a lower ceiling. None does so where there is a mix or soundtrack, so never on a bare plan
    gain_db : of the whole, before the limiter, dB
    progress : receives the share that is done

    Returns
    -------
    `out`

    Raises
    ------
    MediaError : the video cannot be read or has no picture; or `out` cannot hold the picture, or cannot be written
    PlanError : the plan was made for another track, or for a longer video
    ParameterError : an unknown suffix
    """
    params = params or RenderParams()
    video, out = Path(video), Path(out)
    if out.suffix.lower() not in CONTAINERS:
        raise ParameterError(
            f"{out.name}: a video is written as {', '.join(CONTAINERS)}, not {out.suffix or 'no suffix'}"
        )
    check_track(playback.plan, playback.recording)
    facts = probe(video)
    if not facts.has_video:
        raise MediaError(f"{video}: no moving picture in this file; give the video that the plan was made for")
    check_length_of_video(playback.plan, video, facts.duration)
    has_soundtrack = bool(facts.audio_duration)
    total = round(facts.duration * params.video_sample_rate)
    held = limit or (limit is None and (playback.mix is not None or has_soundtrack))

    # A function, not a stream: a take whose decoded sound passes the ceiling is made again from the start.
    def sound(ceiling_dbtp: float) -> Iterator[FloatArray]:
        own = _soundtrack(video, playback, params) if has_soundtrack else None
        blocks, rate = _play(playback, own, params, total), params.video_sample_rate
        blocks = amplify(blocks, gain_db)
        if held:
            at_ceiling = params.model_copy(update={"ceiling_dbtp": ceiling_dbtp})
            blocks = limit_blocks(blocks, rate, at_ceiling, leading=2)
        return _split(blocks, playback.stems, rate, 2)

    with written_whole(out) as aside, open_media(video) as source:
        part = _Part(progress, _SOUND_SHARE, 1.0)
        seconds = facts.duration
        target = _Target(out, aside, video, playback.audio, seconds, lambda second: part.report(second / seconds))
        _join(source, target, _encode_under_ceiling(sound, total, params, aside.parent, held, progress), params)
    return out


def play_video(playback: Playback, video: Path, params: RenderParams | None = None) -> Iterator[FloatArray]:
    """Play what `render_video`, or `render_audio` under a voice, writes, before its gain, limiter and codec.

    Blocks have shape (2, n), float32, at `video_sample_rate`; together they are as long as the video. With stems, the
    channels of each of them stand below those of the whole. Raises `MediaError` where the video cannot be read, and
    `PlanError` if the plan was made for another track.
    """
    params = params or RenderParams()
    check_track(playback.plan, playback.recording)
    facts = probe(video)
    total = round(facts.duration * params.video_sample_rate)
    own = _soundtrack(video, playback, params) if facts.audio_duration else None
    return _play(playback, own, params, total)


def play_sound(playback: Playback, voice: Path | None, params: RenderParams) -> Iterator[FloatArray]:
    """Play what `render_audio` writes, before its gain, limiter and codec; blocks and errors as of `play_video`.

    Without voice and mix it is the music at the rate and with the channels of the track.
    """
    if voice is not None:
        return play_video(playback, voice, params)
    plan = playback.plan
    if playback.mix is None:
        return _add_up([render_blocks(plan, one, params) for one in playback.recordings], playback.stems)
    check_track(plan, playback.recording)
    return _play(playback, None, params, round(plan.window_end * params.video_sample_rate))


def _play(
    playback: Playback, soundtrack: Iterator[FloatArray] | None, params: RenderParams, total: int
) -> Iterator[FloatArray]:
    """So many samples of music and soundtrack, mixed; below them those of each stem."""
    ducked = [stem.is_ducked for stem in playback.stems] or [True]
    music = [
        _Reader(_music(playback, one, params, is_ducked)).blocks(total, params)
        for one, is_ducked in zip(playback.recordings, ducked, strict=True)
    ]
    blocks = _add_up(music, playback.stems)
    return blocks if soundtrack is None else _add_stream(blocks, _Reader(soundtrack))


def _add_up(streams: Sequence[Iterator[FloatArray]], stems: Sequence[Stem]) -> Iterator[FloatArray]:
    """The sum of the stems' streams, block by block, and below it each of them; without stems the only stream."""
    if not stems:
        return streams[0]
    return (np.concatenate([np.sum(parts, axis=0), *parts]) for parts in zip(*streams, strict=True))


def _split(blocks: Iterator[FloatArray], stems: Sequence[Stem], rate: int, channels: int) -> Iterator[FloatArray]:
    """Write the channels of each stem into its file, and return those of the whole."""
    with ExitStack() as files:
        numbered = [(number, stem.out) for number, stem in enumerate(stems, start=1) if stem.out is not None]
        written = [(number, files.enter_context(open_stem(out, rate, channels))) for number, out in numbered]
        for block in blocks:
            for number, write in written:
                write(block[number * channels : (number + 1) * channels])
            yield block[:channels]


@contextmanager
def _encode_under_ceiling(
    sound: Callable[[float], Iterator[FloatArray]],
    total: int,
    params: RenderParams,
    folder: Path,
    held: bool,
    progress: Progress | None,
) -> Iterator[EncodedSound]:
    """Encode sound under lower and lower ceilings until the decoded sound stays under the ceiling of `params`.

    `sound` plays all of it, `total` samples, under a ceiling in dBTP. Without `held` there is no ceiling to stay under,
    and the first take is the only one.
    """
    ceiling, begun = params.ceiling_dbtp, 0.0
    for clear_db in (*_CLEAR_DB, None) if held else (None,):
        ended = begun + (_TAKE_SHARE if held else 1.0) * (_SOUND_SHARE - begun)
        take = _report_blocks(sound(ceiling), total, _Part(progress, begun, ended).report)
        with encode(take, params, folder, measured=held) as encoded:
            over = encoded.true_peak_dbtp - params.ceiling_dbtp
            # The last take is served even if it is still over: four takes have lowered the ceiling by some 2 dB.
            if clear_db is None or over <= 0.0:
                yield encoded
                return
        ceiling, begun = ceiling - over - clear_db, ended


def _music(playback: Playback, recording: Recording, params: RenderParams, is_ducked: bool) -> Iterator[FloatArray]:
    """The plan at the video's rate, in stereo, with the mix's gain, and its ducking if `is_ducked`."""
    rate = params.video_sample_rate
    gains = gains_of(playback.mix)
    gain = 10.0 ** (gains.music_db / 20.0)
    ducked = duck_bands(gains.duck_points if is_ducked else (), gains.speech_ranges, params)
    stereo = (fold_down(block) for block in render_blocks(playback.plan, recording, params))
    converted = _convert_rate(stereo, recording.sample_rate, rate)
    raised = (block if gain == 1.0 else block * np.float32(gain) for block in converted)
    return duck_blocks(raised, rate, ducked)


def _soundtrack(video: Path, playback: Playback, params: RenderParams) -> Iterator[FloatArray]:
    """The soundtrack at the video's rate, in stereo, with the mix's gain."""
    gain = np.float32(10.0 ** (gains_of(playback.mix).soundtrack_db / 20.0))
    for block in decode_blocks(video, params.block_seconds, params.video_sample_rate, playback.audio):
        yield fold_down(block.samples) * gain


def _convert_rate(blocks: Iterable[FloatArray], rate_from: int, rate_to: int) -> Iterator[FloatArray]:
    """The same stereo stream at another rate."""
    if rate_from == rate_to:
        yield from blocks
        return
    # VHQ here, HQ in analysis: this sound is delivered.
    stream = soxr.ResampleStream(rate_from, rate_to, 2, dtype="float32", quality="VHQ")
    for block in blocks:
        fresh = stream.resample_chunk(np.ascontiguousarray(block.T))
        if len(fresh):
            yield fresh.T
    yield stream.resample_chunk(np.empty((0, 2), dtype=np.float32), last=True).T


class _Reader:
    """Reads a stream of stereo blocks in pieces of any length; after its end there is silence."""

    def __init__(self, blocks: Iterator[FloatArray]) -> None:
        self._blocks = blocks
        self._waiting = np.zeros((2, 0), dtype=np.float32)

    def read(self, count: int) -> FloatArray:
        """Return the next samples, shape (2, count), float32, the caller's own."""
        while self._waiting.shape[1] < count and (fresh := next(self._blocks, None)) is not None:
            self._waiting = np.concatenate([self._waiting, fresh], axis=1)
        sound, self._waiting = self._waiting[:, :count], self._waiting[:, count:]
        return np.pad(sound, ((0, 0), (0, count - sound.shape[1])))

    def blocks(self, total: int, params: RenderParams) -> Iterator[FloatArray]:
        """Yield exactly `total` samples in blocks."""
        size = max(1, round(params.block_seconds * params.video_sample_rate))
        for begin in range(0, total, size):
            yield self.read(min(size, total - begin))


def _add_stream(blocks: Iterator[FloatArray], other: _Reader) -> Iterator[FloatArray]:
    for block in blocks:
        block[:2] += other.read(block.shape[1])
        yield block


def _join(
    source: InputContainer, target: _Target, sound: AbstractContextManager[EncodedSound], params: RenderParams
) -> None:
    """Copy the picture and write the sound beside it into one file, in step.

    A picture that the file cannot hold is found before the sound is made.
    """
    picture, shown = picture_stream(source), first_of(target.video)
    tick = None if picture is None else tick_seconds(picture)
    if picture is None or shown is None or shown.pts is None or tick is None:
        raise MediaError(f"{target.video}: no picture of this video could be decoded")
    with target.open(writing_options(source, target.kind)) as video:
        zero = shown.pts * tick
        pictures = _hold_last(_set_times(source, picture, shown.pts), round(target.seconds / tick))
        # The first packet decides whether the container holds the picture, before an hour of sound is made for it.
        first = next(pictures, None)
        target.check_holds(picture, first)
        shows = copy_stream(video, picture)
        mixed = video.add_stream("aac", rate=params.video_sample_rate, layout="stereo")
        mixed.bit_rate = 1000 * params.video_kbps
        copied = copy_parts(source, video, picture, zero, target.audio)
        further = [index for index in copied if source.streams[index].type == "video"]
        others = {index: stream for index, stream in copied.items() if index not in further}
        with sound as encoded:
            # Muxers interleave by arrival: merged by time, a player reads picture and sound from neighbouring bytes.
            in_step: Iterator[tuple[float, Packet[Any]]] = heapq.merge(
                _time_packets(pictures if first is None else chain((first,), pictures), shows, tick),
                _sound_ahead(encoded, mixed),
                *(_read_picture(target.video, index, copied[index], zero) for index in further),
                *([read_packets(target.video, others, zero)] if others else []),
                key=itemgetter(0),
            )
            for second, packet in in_step:
                target.mux(video, packet)
                target.report(second)
    target.report(inf)


def _time_packets(
    read: Iterable[Packet[VideoStream]], stream: VideoStream, tick: Fraction
) -> Iterator[tuple[float, Packet[VideoStream]]]:
    """Packets for a written stream, each with its decoding time, s."""
    for packet in read:
        packet.stream = stream
        yield float((packet.dts or 0) * tick), packet


def _sound_ahead(sound: EncodedSound, stream: AudioStream) -> Iterator[tuple[float, Packet[AudioStream]]]:
    """Packets of the sound, each with the time of the pictures beside which it is written, s."""
    for packet in sound.packets():
        packet.stream = stream
        yield (packet.dts or 0) / sound.rate - _SOUND_AHEAD_SECONDS, packet


def _read_picture(
    path: Path, index: int, stream: Stream, zero: Fraction
) -> Iterator[tuple[float, Packet[VideoStream]]]:
    """Packets of a further picture, as `_time_packets` gives those of the first."""
    with open_media(path) as source:
        picture = source.streams[index]
        tick = tick_seconds(picture)
        assert isinstance(picture, VideoStream)
        assert isinstance(stream, VideoStream)
        if tick is not None:
            yield from _time_packets(_set_times(source, picture, round(zero / tick)), stream, tick)


@dataclass(frozen=True, slots=True)
class _Target:
    """The file to write and the video it is made of; turns faults of writing into errors that name the file."""

    out: Path
    aside: Path
    video: Path
    audio: SoundChoice | None
    seconds: float  # length of the video
    report: Callable[[float], None]  # receives the video seconds that are written

    @property
    def kind(self) -> str:
        """FFmpeg's name of the container to write."""
        return CONTAINERS[self.out.suffix.lower()]

    @contextmanager
    def open(self, options: dict[str, str]) -> Iterator[OutputContainer]:
        """Open the video for writing; closing it writes its index."""
        try:
            video = av.open(f"file:{self.aside.resolve()}", "w", format=self.kind, container_options=options)
        except av.error.FFmpegError as error:
            raise cannot_be_written(self.out, error) from error
        try:
            yield video
        finally:
            try:
                video.close()
            except av.error.FFmpegError as error:
                raise cannot_be_written(self.out, error) from error

    def check_holds(self, picture: VideoStream, first: Packet[VideoStream] | None) -> None:
        """Refuse a picture that does not fit the container, or a head that it cannot hide; name one that can."""
        hidden = _is_hidden(first)
        holding = [suffix for suffix in containers_for(picture, first) if not (hidden and suffix == ".mkv")]
        if SUFFIXES[self.kind] in holding:
            return
        way = f"write {' or '.join(holding)}"
        if not holding:
            way = f'convert it: ffmpeg -i "{self.video}" -c:v libx264 "{self.video.stem}-h264.mp4"'
        if hidden and self.kind == "matroska":
            raise MediaError(f"{self.video}: begins with hidden pictures, which .mkv would show; {way}")
        raise MediaError(
            f"{self.video}: its picture ({codec_name(picture)}) does not fit into {self.out.suffix}; {way}"
        )

    def mux(self, video: OutputContainer, packet: Packet[Any]) -> None:
        """Write one packet."""
        try:
            video.mux(packet)
        except av.error.FFmpegError as error:
            raise cannot_be_written(self.out, error) from error


def _is_hidden(packet: Packet[VideoStream] | None) -> bool:
    """Whether a packet is before the first picture that is shown, by more than the rounding of time stamps."""
    return packet is not None and (packet.pts or 0) * (tick_seconds(packet) or 0) < -_HIDDEN_SECONDS


def _set_times(source: InputContainer, picture: VideoStream, zero: int) -> Iterator[Packet[VideoStream]]:
    """Packets of the picture from the first key picture on, with both time stamps, counted from `zero`.

    Pictures before that key picture cannot be decoded. Matroska stores no decoding times; FFmpeg works them out, but
    not for the first packets where pictures are reordered. These get times that lead up to the first known. AVI stores
    only decoding times. Decoding times increase strictly, as containers demand: one that does not, in a damaged video,
    is moved by the least that will do.
    """
    waiting: list[Packet[VideoStream]] = []
    last: int | None = None
    for packet in dropwhile(lambda packet: not packet.is_keyframe, packets(source, picture)):
        if not packet.size:  # the one that ends the stream
            continue
        waiting.append(packet)
        if packet.dts is None and len(waiting) < _MOST_REORDERED:
            continue
        # Times that lead up to the first known one, a picture's length apart; with none known after `_MOST_REORDERED`
        # packets, the earliest display time stands for it.
        known = packet.dts if packet.dts is not None else min(other.pts or 0 for other in waiting)
        step = max(1, packet.duration or 1)
        for place, ready in enumerate(waiting, start=1 - len(waiting)):
            dts = (known + place * step if ready.dts is None else ready.dts) - zero
            ready.dts = dts if last is None else max(dts, last + 1)
            ready.pts = ready.dts if ready.pts is None else max(ready.pts - zero, ready.dts)
            last = ready.dts
            yield ready
        waiting.clear()
    for ready in waiting:
        ready.dts = ((ready.pts or 0) - zero) if last is None else last + 1
        ready.pts = max((ready.pts or 0) - zero, ready.dts)
        last = ready.dts
        yield ready


def _hold_last(pictures: Iterator[Packet[VideoStream]], end: int) -> Iterator[Packet[VideoStream]]:
    """The same packets, the last of them long enough for sound that goes on after the picture until `end`."""
    held, shown_to = next(pictures, None), 0
    if held is None:
        return
    for packet in chain(pictures, (None,)):
        shown_to = max(shown_to, (held.pts or 0) + (held.duration or 0))
        if packet is None:
            # Known only when the last packet is: so every packet waits for its successor.
            if (end - shown_to) * (tick_seconds(held) or 0) > _SHORT_TAIL_SECONDS:
                held.duration = end - (held.pts or 0)
            yield held
            return
        yield held
        held = packet


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the whole work; a stage reports its own share, 0 to 1."""

    progress: Progress | None
    begins: float
    ends: float

    def report(self, share: float) -> None:
        """Report how far the whole is."""
        _report(self.progress, self.begins + min(1.0, max(0.0, share)) * (self.ends - self.begins))


def _report_blocks(blocks: Iterator[FloatArray], total: int, progress: Progress | None) -> Iterator[FloatArray]:
    done = 0
    for block in blocks:
        yield block
        done += block.shape[1]
        _report(progress, done / max(total, 1))


def _report(progress: Progress | None, share: float) -> None:
    if progress is not None:
        progress(min(1.0, max(0.0, share)))
