"""Loop points in a copy of the track, for game engines and samplers: the body that the plan repeats most.

    WAV               `smpl` chunk, one forward loop; its end is the last sample that is played (Microsoft RIFF, 1994)
    FLAC, Ogg         comments LOOPSTART and LOOPLENGTH, in samples (the custom of RPG Maker, read by most engines)

The copy holds the same sound, byte for byte; only the chunk or the comments are added, and older ones of the same names
are replaced. Where the track is of another kind (MP3, M4A), the copy is decoded into WAV or FLAC of 16 bits, or 24.

Engines go from end to start in one sample: the plan's crossfades, glides and gains are not in the file. So that the
splice does not click, both points move by the same few samples, 10 ms at most, to the nearest place where the samples
after the splice differ from those that would have followed by no more than the track itself changes from one sample to
the next; the length of the loop, in whole bars, does not change.

Limit. Samples are those of the decoder here, counted from the first decoded one, at the rate of the track.
"""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

from workbench.errors import MediaError, ParameterError
from workbench.export.formats import Format
from workbench.export.timeline import Timeline, TrackMedia
from workbench.files import written_whole
from workbench.media.audio import decode, subtype_for, write_audio
from workbench.media.claims import riff_chunks
from workbench.recording import FloatArray, Recording

_TAGGED = {".flac": "flac", ".ogg": "ogg", ".oga": "ogg", ".opus": "ogg"}
_SMPL_HEAD, _SMPL_LOOP = struct.Struct("<4sI9I"), struct.Struct("<6I")
_MIDDLE_C = 60
_REACH_SECONDS = 0.010  # s by which the loop may move; a splice may lie as far off its bar line anyway


def write_loop_tags(timeline: Timeline, out: Path) -> None:
    """Copy the track and write the loop of the plan into the copy, whose suffix chooses the kind.

    Raises `ParameterError` for a suffix that holds no loop points, or a track that cannot be copied into this kind of
    file, and `MediaError` if the track cannot be read, or its copy is a WAV that cannot take a chunk.
    """
    track = timeline.track
    assert track is not None, "the format needs a track"
    kind = out.suffix.lower()
    if kind not in (".wav", *_TAGGED):
        raise ParameterError(
            f"{out.name}: loop points are written into .wav, .flac, .ogg or .opus, not {kind or 'no suffix'}"
        )
    recording = decode(track.path)
    start, stop = loop_samples(timeline, recording.samples)
    with written_whole(out) as aside:
        _copy(track, recording, kind, aside)
        if kind == ".wav":
            _add_smpl(aside, track.rate, start, stop)
        else:
            _add_comments(aside, start, stop)


def loop_samples(timeline: Timeline, samples: FloatArray) -> tuple[int, int]:
    """First track sample of the loop and one past its last: the splice of the plan, moved to where it does not click.

    Raises `ParameterError` for a placement, and for a plan that repeats nothing.
    """
    plan, rate = timeline.plan, timeline.rate
    if plan is None:
        raise ParameterError("a placement has no loop whose points could be written")
    if plan.body is None:
        raise ParameterError(f"a {plan.kind.in_words} has no loop whose points could be written")
    start, stop = round(plan.body.song_from * rate), round(plan.body.song_to * rate)
    shift = _joining_shift(samples, start, stop, round(_REACH_SECONDS * rate))
    return start + shift, stop + shift


def _joining_shift(samples: FloatArray, start: int, stop: int, reach: int) -> int:
    """Number of samples by which both points move; 0 where there is no room."""
    low, high = max(-reach, 1 - start), min(reach, samples.shape[1] - 1 - stop)
    if low > high:
        return 0
    after, instead = (samples[:, point + low - 1 : point + high + 1] for point in (stop, start))
    # Two samples, before and after the splice, are compared, so that neither level nor slope breaks.
    missed = np.abs(after - instead).max(axis=0)
    missed = np.maximum(missed[:-1], missed[1:])
    # A shift is smooth if it steps no more than the track usually does there: the nearest of these, else the best.
    usual = np.median(np.abs(np.diff(after, axis=1)).max(axis=0))
    shifts = np.arange(low, high + 1)
    smooth = shifts[missed <= usual]
    if smooth.size:
        return int(smooth[np.argmin(np.abs(smooth))])
    return int(shifts[np.argmin(missed)])


def _copy(track: TrackMedia, recording: Recording, kind: str, aside: Path) -> None:
    """The track as it is, or decoded where it is of another kind."""
    own = _kind_of(track.path)
    if own == _TAGGED.get(kind, "wav"):
        shutil.copyfile(track.path, aside)
    elif kind in (".wav", ".flac"):
        subtype = subtype_for(aside, recording)
        write_audio(aside, iter([recording.samples]), recording.sample_rate, recording.channels, subtype=subtype)
    else:
        raise ParameterError(f"{track.path.name} is not Ogg; write its loop points into a .wav or .flac")


def _kind_of(path: Path) -> str:
    """The kind of a file by its first bytes, because a suffix can be wrong."""
    with path.open("rb") as file:
        head = file.read(12)
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return "wav"
    return {b"fLaC": "flac", b"OggS": "ogg"}.get(head[:4], "other")


def _add_comments(path: Path, start: int, stop: int) -> None:
    import mutagen

    try:
        tagged = mutagen.File(path)
    except mutagen.MutagenError as error:
        raise MediaError(f"{path.suffix}: the tags of this track cannot be read ({error})") from error
    if tagged is None:
        raise MediaError(f"{path.suffix}: the tags of this track cannot be read")
    if tagged.tags is None:
        tagged.add_tags()
    tagged.tags["LOOPSTART"] = [str(start)]
    tagged.tags["LOOPLENGTH"] = [str(stop - start)]
    tagged.save()


def _add_smpl(path: Path, rate: int, start: int, stop: int) -> None:
    """Add the chunk at the end of the RIFF, whose size grows; an older one is renamed to JUNK."""
    chunk = _smpl(rate, start, stop)
    with path.open("rb+") as file:
        if file.read(4) != b"RIFF":
            raise MediaError("loop points are written into plain RIFF WAV, and this one is RF64; write FLAC")
        end = _clear_smpl(path, file)
        # Sizes in a RIFF have 32 bits, and exclude the eight bytes of its own head.
        if end + len(chunk) - 8 > 0xFFFFFFFF:
            raise MediaError("a WAV of 4 GiB has no room for loop points; write FLAC")
        file.seek(end)
        file.write(chunk)
        file.truncate()
        file.seek(4)
        file.write(struct.pack("<I", end + len(chunk) - 8))


def _clear_smpl(path: Path, file: BinaryIO) -> int:
    """Rename older chunks of loop points, and return the offset at which another chunk begins."""
    end = 12
    for name, content, present in riff_chunks(path):
        file.seek(content - 4)
        (size,) = struct.unpack("<I", file.read(4))
        if name == b"data" and (not size or size != present):
            raise MediaError("the WAV does not say how long its sound is; write it again, or write FLAC")
        if size != present:
            break
        if name == b"smpl":
            file.seek(content - 8)
            # Renamed, not removed: the next chunks stay in place, and readers skip chunks of this name.
            file.write(b"JUNK")
        end = content + size
    if end % 2:
        file.seek(end)
        file.write(b"\0")
    return end + end % 2


def _smpl(rate: int, start: int, stop: int) -> bytes:
    """The chunk: manufacturer, product, sample period in ns, note, fine tune, SMPTE, offset, one loop, no data."""
    period = round(1e9 / rate)
    head = (0, 0, period, _MIDDLE_C, 0, 0, 0, 1, 0)
    # Cue point, forward, first and last sample, fraction, endless.
    loop = _SMPL_LOOP.pack(0, 0, start, stop - 1, 0, 0)
    return _SMPL_HEAD.pack(b"smpl", _SMPL_HEAD.size - 8 + len(loop), *head) + loop


FORMAT = Format(
    "loop-tags",
    "Track with loop points",
    "A copy of the track that game engines loop by themselves.",
    None,
    write_loop_tags,
    needs_track=True,
    holds_placements=False,
)
