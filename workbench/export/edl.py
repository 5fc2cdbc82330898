"""CMX 3600: the edit decision list that every editing program reads, and the least that any of them can hold.

One event a clip, in the order of the record side: the picture (`V`) where there is a video, then the music (`AA`). A
crossfade is a dissolve: two lines of one number, of which the first, of no length, names the clip that is left. The
fall at the end is a dissolve to black (`BL`); the rise at the start is a comment, for some readers refuse a track that
begins with a dissolve. Timecode starts at 0 for the edit and for each file, for a video with a time code of the camera
there; at 29.97 and 59.94 it is drop-frame, unless the camera's is not.

Reels have eight letters of ASCII, so files are named in comments: `* FROM CLIP NAME:`, `* TO CLIP NAME:` and
`* SOURCE FILE:`. Levels are comments as Final Cut Pro 7 writes them, `* AUDIO LEVEL AT … IS … DB`, and markers are
locators, `* LOC:`. `* EXACT:` says where a clip begins in video and track, in seconds, to the microsecond.

Limits. Clips lie on whole frames in the edit and in the track, so each is up to half a frame off and a seam up to a
frame; programs show the levels and apply none of them; the soundtrack is not in the list. A clip cannot be switched off
here, so a comment names the file with the music as it is in the mix.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from workbench.export.cut_list import CutClip, CutList, CutTransition, format_timecode, make_cut_list
from workbench.export.envelope import Lines
from workbench.export.files import media_path, plain_name
from workbench.export.formats import Format
from workbench.export.timeline import MARKER_COLOURS, MIXED_MUSIC, Timeline, TrackMedia, VideoMedia
from workbench.files import write_text

_BLACK = "BL"
_REEL_LETTERS = 8
_MUSIC, _PICTURE = "AA", "V"


def write_edl(timeline: Timeline, out: Path) -> None:
    """Write the list, with media named relative to it.

    Raises `ParameterError` if no timecode counts at the rate of the video, and `InputError` for a media file whose name
    is no text.
    """
    track = timeline.track
    assert track is not None, "the format needs a track"
    cuts = make_cut_list(timeline, track, Lines.DECIBELS, faded=False)
    lines = [
        f"TITLE: {plain_name(timeline.name)}",
        f"FCM: {'DROP FRAME' if cuts.drops else 'NON-DROP FRAME'}",
        *_Writer(cuts, track, timeline.video, out).events(),
    ]
    if timeline.mixed_music is not None:
        lines += ["", f"* {MIXED_MUSIC.upper()}: {plain_name(media_path(timeline.mixed_music.path, out))}"]
    write_text(out, "\n".join([*lines, ""]))


class _Writer:
    """Writes the events of one list."""

    def __init__(self, cuts: CutList, track: TrackMedia, video: VideoMedia | None, out: Path) -> None:
        self.cuts, self.track, self.video, self.out = cuts, track, video, out
        self.reel = reel_name(track.path.stem)
        self.numbers = count(1)

    def events(self) -> Iterator[str]:
        """All lines below the head."""
        if self.video is not None:
            yield from self._picture(self.video)
        for clip in self.cuts.clips:
            yield from self._clip(clip)
        yield from self._end()

    def _picture(self, video: VideoMedia) -> Iterator[str]:
        reel = reel_name(video.path.stem)
        # Equal names would make one reel of picture and music, whose timecodes differ.
        if reel == self.reel:
            reel = f"{reel[: _REEL_LETTERS - 2]}_V"
        drops = video.drops if video.start_frame else self.cuts.drops
        source = (video.start_frame, video.start_frame + video.frames)
        taken = [format_timecode(frame, self.cuts.timebase, drops=drops) for frame in source]
        codes = (*taken, *map(self.cuts.timecode, (0, video.frames)))
        yield from ("", _event(next(self.numbers), reel, _PICTURE, 0, codes))
        yield from self._named("FROM", video.path)

    def _clip(self, clip: CutClip) -> Iterator[str]:
        """The event of a clip, which lasts up to the dissolve into the next, or to the fall at the end."""
        number, record = next(self.numbers), (clip.first, self._stop(clip))
        yield ""
        if clip.into is not None:
            left = self.cuts.clips[clip.item.number - 2].source_frame(clip.first, self.cuts.frame_rate)
            yield self._line(number, self.reel, 0, (left, left), (clip.first, clip.first))
            yield self._line(number, self.reel, 2 * clip.into.half, self._source(clip, record), record)
            yield f"* FROM CLIP NAME: {plain_name(self.track.path.name)}"
            yield from self._named("TO", self.track.path)
        else:
            yield self._line(number, self.reel, 0, self._source(clip, record), record)
            yield from self._named("FROM", self.track.path)
        item = clip.item
        yield f"* EXACT: SEGMENT {item.number} VIDEO {item.begins:.6f} S TRACK {item.song_from:.6f} S"
        if item.number == 1 and self.cuts.fade_in_frames:
            yield f"* FADE IN: {self.cuts.fade_in_frames} FRAMES"
        yield from self._fade(clip.into)
        yield from self._levels(clip)
        last = clip is self.cuts.clips[-1]
        yield from self._locators(0 if item.number == 1 else record[0], self.cuts.frames if last else record[1])

    def _stop(self, clip: CutClip) -> int:
        """Where a clip's event ends: at the dissolve out of it, or at the fall at the end."""
        if clip is self.cuts.clips[-1]:
            # The fall may not reach into the dissolve before it, nor leave an event of no length.
            least = clip.begin + 1 if clip.into is None else clip.into.stop
            return min(clip.end, max(least, clip.end - self.cuts.fade_out_frames))
        return clip.end if clip.out is None else clip.out.first

    def _end(self) -> Iterator[str]:
        """The fall at the end, a dissolve to black."""
        clip = self.cuts.clips[-1]
        first, frames = self._stop(clip), clip.end - self._stop(clip)
        if frames == 0 or self.cuts.fade_out_frames == 0:
            return
        number, left = next(self.numbers), clip.source_frame(first, self.cuts.frame_rate)
        yield ""
        yield self._line(number, self.reel, 0, (left, left), (first, first))
        yield self._line(number, _BLACK, frames, (0, frames), (first, clip.end))
        yield f"* FROM CLIP NAME: {plain_name(self.track.path.name)}"
        yield f"* TO CLIP NAME: {_BLACK}"

    def _source(self, clip: CutClip, record: tuple[int, int]) -> tuple[int, int]:
        first, stop = (clip.source_frame(frame, self.cuts.frame_rate) for frame in record)
        # Half a frame of rounding may point before the track; its first frame is meant.
        return (0, stop - first) if first < 0 else (first, stop)

    def _named(self, side: str, media: Path) -> Iterator[str]:
        yield f"* {side} CLIP NAME: {plain_name(media.name)}"
        yield f"* SOURCE FILE: {plain_name(media_path(media, self.out))}"

    def _fade(self, transition: CutTransition | None) -> Iterator[str]:
        if transition is not None:
            crossing = transition.crossing
            yield f"* CROSSFADE: {crossing.seconds:.6f} S EXPONENT {crossing.exponent:g}"

    def _levels(self, clip: CutClip) -> Iterator[str]:
        for key in clip.levels:
            at = self.cuts.timecode(key.frame)
            yield f"* AUDIO LEVEL AT {at} IS {key.level_db + 0.0:+.2f} DB  (REEL {self.reel} {_MUSIC})"

    def _locators(self, first: int, stop: int) -> Iterator[str]:
        for frame, marker in self.cuts.markers:
            if first <= frame < stop:
                timecode = self.cuts.timecode(frame).replace(";", ":")  # that of a locator has colons alone
                yield f"* LOC: {timecode} {MARKER_COLOURS[marker.kind]:<7} {plain_name(marker.text)}"

    def _line(self, number: int, reel: str, dissolve: int, source: tuple[int, int], record: tuple[int, int]) -> str:
        """An event of the music."""
        return _event(number, reel, _MUSIC, dissolve, map(self.cuts.timecode, (*source, *record)))


def _event(number: int, reel: str, channel: str, dissolve: int, codes: Iterable[str]) -> str:
    kind = f"D    {dissolve:03d}" if dissolve else f"C    {'':3}"
    return f"{number:03d}  {reel:<8} {channel:<5} {kind} {' '.join(codes)}"


def reel_name(stem: str) -> str:
    """Name a reel by the stem of a file: eight capitals, digits and `_` at most.

    `AX`, the reel for files, where nothing is left of the name.
    """
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode("ascii").upper()
    name = re.sub(r"[^A-Z0-9]+", "_", plain).strip("_")[:_REEL_LETTERS].rstrip("_")
    return f"{name}_T"[:_REEL_LETTERS] if name in (_BLACK, "AX") else name or "AX"


FORMAT = Format(
    "edl",
    "Edit decision list",
    "Picture and music as CMX 3600, which every editing program reads.",
    ".edl",
    write_edl,
    needs_track=True,
    uses_video=True,
    is_edit=True,
    limits="Clips lie on whole frames in edit and track, levels are comments, and the soundtrack is left out.",
)
