"""Which of a file's sound streams are its sound, and how several become one.

A player plays one stream, see `workbench.media.containers.sound_stream`. Cameras and field recorders write a mono
stream for each microphone into MXF or QuickTime, and none is more the default than the others: as editors do, the first
two are taken as left and right. A `SoundChoice` names other streams, by their number in the file from 1. Of several,
mono streams of a camera lie left and right in turn; any others are folded to stereo and added.

Fold-down. Mono plays on both sides at its own level; of more than two channels, centre and surrounds enter 3 dB down
and LFE is left out (ITU-R BS.775).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from pydantic import BaseModel, ConfigDict

from workbench.errors import MediaError, ParameterError
from workbench.media.containers import has_decoder, open_media, sound_stream, tick_seconds
from workbench.recording import FloatArray

_NUMBER = re.compile("[0-9]{1,4}")
_SAME_LENGTH_SECONDS = 1.0  # by which the streams of one camera differ at most
_HALF_POWER = 0.5**0.5  # gain of -3 dB
# Left and right weights of each channel, in the order of WAV and FFmpeg.
_FOLD_DOWN: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((1, 1),),
    2: ((1, 0), (0, 1)),
    3: ((1, 0), (0, 1), (_HALF_POWER, _HALF_POWER)),
    4: ((1, 0), (0, 1), (_HALF_POWER, 0), (0, _HALF_POWER)),
    5: ((1, 0), (0, 1), (_HALF_POWER, _HALF_POWER), (_HALF_POWER, 0), (0, _HALF_POWER)),
    6: ((1, 0), (0, 1), (_HALF_POWER, _HALF_POWER), (0, 0), (_HALF_POWER, 0), (0, _HALF_POWER)),
    7: ((1, 0), (0, 1), (_HALF_POWER, _HALF_POWER), (0, 0), (0.5, 0.5), (_HALF_POWER, 0), (0, _HALF_POWER)),
    8: (
        *((1, 0), (0, 1), (_HALF_POWER, _HALF_POWER), (0, 0)),
        *((_HALF_POWER, 0), (0, _HALF_POWER), (_HALF_POWER, 0), (0, _HALF_POWER)),
    ),
}


class SoundChoice(BaseModel):
    """The sound streams of a video that a user chooses, as typed: `2`, `1,2` or `all`."""

    model_config = ConfigDict(frozen=True)

    numbers: tuple[int, ...] = ()  # from 1, in the order of the file; none: all streams

    @classmethod
    def parse(cls, text: str) -> SoundChoice:
        """Read what `str` writes; raises `ParameterError` unless it is `all` or numbers from 1 with commas."""
        parts = [part.strip() for part in text.split(",")]
        if parts == ["all"]:
            return cls()
        if not all(_NUMBER.fullmatch(part) and int(part) > 0 for part in parts):
            raise ParameterError(f"{text[:40]!r} chooses no sound streams; give 2, or 1,2, or all")
        return cls(numbers=tuple(sorted({int(part) for part in parts})))

    def __str__(self) -> str:
        return ",".join(map(str, self.numbers)) or "all"


@dataclass(frozen=True, slots=True)
class SoundStreams:
    """Which sound streams of an opened file are its sound; only `used` needs the file open."""

    used: tuple[AudioStream, ...]  # none where there is no sound that FFmpeg can decode
    are_tracks: bool  # whether all are mono tracks of a camera, left and right in turn
    unused: Mapping[int, str]  # names of the other streams by number: `2 (Microphone)`
    choosable: tuple[int, ...]  # numbers of the unused streams that FFmpeg can decode
    in_words: str  # which streams are used, of how many


def check_choice(path: Path, choice: SoundChoice) -> None:
    """Check that a file has the chosen streams; raises `MediaError` as `sound_streams` does."""
    with open_media(path) as container:
        sound_streams(container, path, choice)


def sound_streams(container: InputContainer, path: Path, choice: SoundChoice | None = None) -> SoundStreams:
    """Find the streams that are the sound of a file: those chosen, else the default one or the first two of a camera.

    Raises `MediaError` where the file lacks a stream that was chosen, or FFmpeg cannot decode it.
    """
    known = {number: stream for number, stream in enumerate(container.streams.audio, start=1) if has_decoder(stream)}
    names = {number: _name(number, stream) for number, stream in enumerate(container.streams.audio, start=1)}
    tracks = _are_tracks(container, known.values())
    if choice is not None:
        used = choice.numbers or tuple(known)
        missing = sorted(set(used).difference(known))
        if missing or not known:
            listed = ", ".join(names[number] for number in known)
            held = f"its sound streams are {listed}" if known else "it has no sound"
            raise MediaError(f"{path}: there is no sound stream {missing[0] if missing else 1} to use; {held}")
    elif tracks:
        used = tuple(known)[:2]
    else:
        default = sound_stream(container)
        used = tuple(number for number, stream in known.items() if stream is default)
    called = " and ".join(names[number] for number in used)
    return SoundStreams(
        tuple(known[number] for number in used),
        tracks,
        {number: name for number, name in names.items() if number not in used},
        tuple(number for number in known if number not in used),
        f"of {len(names)} sound streams {called} {'is' if len(used) == 1 else 'are'} used",
    )


def fold_down(sound: FloatArray) -> FloatArray:
    """Fold sound of shape (channels, n) to stereo; of more than eight channels the first two are taken."""
    if sound.shape[0] == 2 or sound.shape[0] not in _FOLD_DOWN:
        return sound[:2]
    return np.asarray(np.asarray(_FOLD_DOWN[sound.shape[0]], dtype=np.float32).T @ sound, dtype=np.float32)


def _are_tracks(container: InputContainer, streams: Collection[AudioStream]) -> bool:
    """Whether sound streams are those of one camera: all mono, alike and as long, in MXF or QuickTime."""
    # QuickTime files from before brands state none. In plain MP4 several mono streams are languages or mixes, not
    # tracks.
    brand = container.metadata.get("major_brand", "qt")
    if not (container.format.name == "mxf" or (container.format.name.startswith("mov") and brand.startswith("qt"))):
        return False
    seconds = [float((stream.duration or 0) * (tick_seconds(stream) or 0)) for stream in streams]
    kinds = {(stream.codec_context.name, stream.codec_context.sample_rate, stream.language) for stream in streams}
    mono = all(stream.codec_context.channels == 1 for stream in streams)
    return len(streams) > 1 and mono and len(kinds) == 1 and max(seconds) - min(seconds) <= _SAME_LENGTH_SECONDS


def _name(number: int, stream: AudioStream) -> str:
    """Number of a stream, with the title, maker's name or language that the file gives it."""
    tags = {key.lower(): value.strip() for key, value in stream.metadata.items()}
    called = (tags.get(key, "") for key in ("title", "handler_name", "language"))
    plain = [name for name in called if name not in ("", "und") and "handler" not in name.lower()]
    return f"{number} ({plain[0]})" if plain else str(number)
