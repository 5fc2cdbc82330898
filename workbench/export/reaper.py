"""REAPER project: a text of nested blocks, `<NAME …` to `>`, a line a setting, as REAPER itself saves it.

Two tracks, the video (with picture) and the music. An item is a segment as it is played, crossfades included:
`POSITION` and `LENGTH` in project seconds, `SOFFS` its start in the track. The project runs at the track's sample rate
and all three are whole samples of it, written to 15 decimals, so that nothing is interpolated.

Gain. The fades at the plan's ends are the item's own (`FADEIN`, `FADEOUT`) with the S shape, 5: users measured it as
`3 x^2 - 2 x^3`, which is a hundredth of full gain at most beside the plan's raised cosine. A linear crossfade is the
item's own fade, too (shape 0), as long as the overlap. REAPER has no fade shape for other exponents; these are drawn
into the envelope of the take's volume, together with levels and glides. The mix's music gain is the fader of the music
track, the duck its volume envelope. Envelope points are joined by straight lines in linear gain, which stay within
0.25 dB of the curve (`workbench.export.envelope`).

Tempo. The project has the tempo and the metre of the music (`workbench.export.tempo`): one of each in its head where
beats are even from the first picture on, else a tempo envelope of steps on bar lines, so that bars of the ruler are
bars of the music across seams and where the tempo drifts. A placed track without bars leaves REAPER's own. Items are
placed in seconds (`TIMELOCKMODE 0`) and stay under the picture when a tempo is changed.

The project's automatic crossfades are off; otherwise REAPER would add them to the drawn fades when an item is moved.

Limits. A native fade begins on a whole sample, up to one after the plan's. REAPER decodes MP3 and M4A by its own rules;
where it counts an encoder's delay differently, items are late or early by that much, so give it WAV or FLAC for work to
the sample. The limiter of a rendered video is not in the project.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from workbench.export.envelope import Lines, fit_keys
from workbench.export.files import media_path, plain_name
from workbench.export.formats import Format
from workbench.export.tempo import TempoMark, tempo_bpm, tempo_map
from workbench.export.timeline import (
    MIXED_MUSIC,
    Crossing,
    Item,
    Timeline,
    TrackMedia,
    VideoMedia,
    decibels,
    linear,
    to_microsecond,
)
from workbench.files import write_text

_SOURCES = {".wav": "WAVE", ".mp3": "MP3", ".flac": "FLAC", ".ogg": "VORBIS", ".oga": "VORBIS", ".opus": "OPUS"}
_NAMES = uuid.UUID("6f0b5b70-9c1c-5f0e-8a51-0d2c3f6f6a11")
_EXPONENT = 1.0  # of a crossfade that REAPER has a shape for
_LINEAR, _S_SHAPE = 0, 5  # shapes of an item's fade
_BEAT_UNIT = 4  # the note value of a beat; tempo counts quarter notes
_STEP = 1  # shape of an envelope point that holds its value up to the next


class _Fade(NamedTuple):
    """A fade of an item."""

    shape: int = _LINEAR
    seconds: float = 0.0  # 0: none


def write_reaper(timeline: Timeline, out: Path) -> None:
    """Write the project, with media named relative to it.

    Raises `InputError` for a media file whose name is no text.
    """
    track = timeline.track
    assert track is not None, "the format needs a track"
    lines = [
        '<REAPER_PROJECT 0.1 "6.80/workbench" 0',
        "  AUTOXFADE 0",
        "  PANLAW 1",
        f"  SAMPLERATE {timeline.rate} 1 0",
        "  TIMELOCKMODE 0",
        *_tempo(timeline),
        *(
            f"  MARKER {k} {_seconds(to_microsecond(t))} {quoted(text)} 0"
            for k, (t, text, _) in enumerate(timeline.markers, 1)
        ),
    ]
    if timeline.video is not None:
        lines += _block(_video_track(timeline, timeline.video, out))
    for layer in timeline.layers:
        lines += _block(_music_track(layer, layer.track or track, out))
    if timeline.mixed_music is not None:
        lines += _block(_mixed_track(timeline, timeline.mixed_music, out))
    write_text(out, "\n".join([*lines, ">", ""]))


def quoted(text: str) -> str:
    """Quote a string for REAPER in the first of the three kinds of quotes that it does not contain.

    With all three in it, backquotes become apostrophes.
    """
    plain = plain_name(text)
    for mark in "\"'`":
        if mark not in plain:
            return f"{mark}{plain}{mark}"
    return "`" + plain.replace("`", "'") + "`"


def _tempo(timeline: Timeline) -> Iterator[str]:
    """The project's tempo and metre, and an envelope where either changes."""
    # Where an envelope follows, the head has the median tempo, which a reader without the envelope shows.
    marks = tempo_map(timeline.beats, timeline.plan)
    if not marks:
        return
    bpm = marks[0].bpm if len(marks) == 1 else tempo_bpm(timeline.beats, timeline.plan)
    yield f"  TEMPO {_number(bpm)} {timeline.beats_per_bar or marks[-1].beats_per_bar} {_BEAT_UNIT}"
    if len(marks) > 1:
        yield from _block(_tempo_envelope(marks))


def _tempo_envelope(marks: Sequence[TempoMark]) -> Iterator[str]:
    yield from ("<TEMPOENVEX", "  ACT 1 -1", "  VIS 1 0 1", "  LANEHEIGHT 0 0", "  ARM 0", "  DEFSHAPE 1 -1 -1")
    size = 0
    for mark in marks:
        # REAPER packs a metre into one number, the note value in the upper 16 bits, and states it only where it
        # changes.
        metre = f" {_BEAT_UNIT << 16 | mark.beats_per_bar}" if mark.beats_per_bar != size else ""
        yield f"  PT {_seconds(to_microsecond(mark.video_s))} {_number(mark.bpm)} {_STEP}{metre}"
        size = mark.beats_per_bar
    yield ">"


def _video_track(timeline: Timeline, video: VideoMedia, out: Path) -> Iterator[str]:
    yield from _track_head("video", "Video", _fader(timeline.balance.video_gain_db))
    yield from _block(_whole_item("video item", video.frames / video.frame_rate, "VIDEO", video.path, out))
    yield ">"


def _music_track(timeline: Timeline, track: TrackMedia, out: Path) -> Iterator[str]:
    fader = _fader(timeline.balance.music_gain_db)
    yield from _track_head(f"music{timeline.stem}", timeline.stem or "Music", fader)
    if len(timeline.balance.duck):
        yield from _block(_duck(timeline))
    for item in timeline.items:
        yield from _block(_segment(timeline, track, item, out))
    yield ">"


def _mixed_track(timeline: Timeline, music: TrackMedia, out: Path) -> Iterator[str]:
    yield from _track_head("mixed music", MIXED_MUSIC, "MUTESOLO 1 0 0")
    yield from _block(_whole_item("mixed item", Fraction(music.samples, music.rate), "WAVE", music.path, out))
    yield ">"


def _track_head(unique: str, name: str, setting: str) -> Iterator[str]:
    yield f"<TRACK {_guid(unique)}"
    yield f"  NAME {quoted(name)}"
    yield f"  {setting}"
    yield f"  TRACKID {_guid(unique)}"


def _fader(level_db: float) -> str:
    return f"VOLPAN {_number(linear(level_db))} 0 -1 -1 1"


def _whole_item(unique: str, length: Fraction, kind: str, media: Path, out: Path) -> Iterator[str]:
    """An item that plays all of a file from the first picture on."""
    yield from _item(unique, media.name, Fraction(0), length, Fraction(0), (_Fade(), _Fade()))
    yield from _source(kind, media, out)
    yield ">"


def _segment(timeline: Timeline, track: TrackMedia, item: Item, out: Path) -> Iterator[str]:
    first, length = timeline.seconds(item.first), timeline.seconds(item.stop - item.first)
    fades = _native_fades(timeline, item)
    source = timeline.seconds(item.first + item.song_offset)
    unique = f"{timeline.stem}segment {item.number}"  # a stem's name may end in a number
    yield from _item(unique, f"{track.path.stem} {item.number}", first, length, source, fades)
    yield from _source(_SOURCES.get(track.path.suffix.lower(), "VIDEO"), track.path, out)

    # What the item's own fade does must not be in the envelope as well.
    rises, falls = (fade.seconds == 0.0 for fade in fades)

    def level(sample: int) -> float:
        return decibels(item.gain(sample, fade_in=rises, fade_out=falls, start_fade=rises, end_fade=falls))

    keys = fit_keys(level, item.corners, Lines.GAIN)
    yield from _block(_envelope("VOLENV", [(timeline.seconds(key.sample - item.first), key.gain) for key in keys]))
    yield ">"


def _item(
    unique: str, name: str, position: Fraction, length: Fraction, source: Fraction, fades: tuple[_Fade, _Fade]
) -> Iterator[str]:
    """The settings of an item; its source and the end of the block follow."""
    yield "<ITEM"
    yield f"  POSITION {_seconds(position)}"
    yield "  SNAPOFFS 0"
    yield f"  LENGTH {_seconds(length)}"
    yield "  LOOP 0"
    yield "  ALLTAKES 0"
    # Shape, length, length of an automatic crossfade, shape again, state, curvature.
    for setting, fade in zip(("FADEIN", "FADEOUT"), fades, strict=True):
        yield f"  {setting} {fade.shape} {_number(fade.seconds)} 0 {fade.shape} 0 0 0"
    yield "  MUTE 0 0"
    yield f"  IGUID {_guid(unique)}"
    yield f"  NAME {quoted(name)}"
    yield "  VOLPAN 1 0 1 -1"
    yield f"  SOFFS {_seconds(source)}"
    yield "  PLAYRATE 1 0 0 -1 0 0.0025"
    yield "  CHANMODE 0"
    yield f"  GUID {_guid(unique + ' take')}"


def _source(kind: str, media: Path, out: Path) -> Iterator[str]:
    yield f"  <SOURCE {kind}"
    yield f"    FILE {quoted(media_path(media, out))}"
    yield "  >"


def _duck(timeline: Timeline) -> Iterator[str]:
    """The attenuation under speech over the whole video."""
    gain_db = timeline.balance.music_gain_db

    def level(sample: int) -> float:
        return timeline.music_db(sample) - gain_db

    corners = [0, *timeline.duck_corners(0, timeline.length), timeline.length]
    keys = fit_keys(level, corners, Lines.GAIN)
    return _envelope("VOLENV2", [(timeline.seconds(key.sample), key.gain) for key in keys])


def _envelope(name: str, points: list[tuple[Fraction, float]]) -> Iterator[str]:
    yield f"<{name}"
    yield "  ACT 1 -1"
    yield "  VIS 1 1 1"
    yield "  LANEHEIGHT 0 0"
    yield "  ARM 0"
    yield "  DEFSHAPE 0 -1 -1"
    for time, value in points:
        yield f"  PT {_seconds(time)} {_number(value)} 0"
    yield ">"


def _native_fades(timeline: Timeline, item: Item) -> tuple[_Fade, _Fade]:
    """The item's own fades, where REAPER has their shape; a fall that goes on behind the item is none of its own."""
    ends, last = timeline.ends, item.stop == timeline.length
    start = ends.start_fade_seconds if item.fade_in is None else 0.0
    end = ends.end_fade_seconds if item.fade_out is None and last else 0.0
    into = _Fade(_S_SHAPE, start) if start else _crossing(item.fade_in)
    return into, _Fade(_S_SHAPE, end) if end else _crossing(item.fade_out)


def _crossing(fade: Crossing | None) -> _Fade:
    return _Fade(seconds=fade.seconds) if fade is not None and fade.exponent == _EXPONENT else _Fade()


def _block(lines: Iterator[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _seconds(time: Fraction) -> str:
    """Seconds to 15 decimals: closer than any sample, and exact arithmetic up to there."""
    whole, rest = divmod(round(time * 10**15), 10**15)
    return f"{whole}.{rest:015d}".rstrip("0").rstrip(".")


def _number(value: float) -> str:
    return f"{value:.10f}".rstrip("0").rstrip(".")


def _guid(unique: str) -> str:
    # From the name, not at random: the same plan gives the same file, byte for byte.
    return f"{{{str(uuid.uuid5(_NAMES, unique)).upper()}}}"


FORMAT = Format(
    "rpp",
    "REAPER project",
    "Video and music to the sample, with fades, levels and duck as envelopes.",
    ".rpp",
    write_reaper,
    needs_track=True,
    uses_video=True,
    uses_grid=True,
    is_edit=True,
    holds_stems=True,
)
