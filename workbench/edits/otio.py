"""Read an edit from an OpenTimelineIO file: the first video track, with stacks and tracks in it laid out flat.

In a bundle the file is `content.otio`: of the folder `.otiod`, of the archive `.otioz`. Objects of newer schemas than
the library's are read as the newest that it knows, with a warning.

A clip's media is its reference's `target_url`, else the clip's name. Its source range counts in its own rate; speed
comes from its time warps, which leave the length on the track as it is. A clip that is switched off is a gap. A clip
that plays backwards begins at the end of its source range.
"""

from __future__ import annotations

import logging
import re
import zipfile
import zlib
from fractions import Fraction
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

from workbench.edits.documents import MOST_BYTES, choose_project, document_of
from workbench.edits.edit_list import EditList
from workbench.edits.shots import Shot, cut_at_middles, exact_number, exact_rate, lay_shots, part_of, plain_speed
from workbench.errors import EditError, require_extra
from workbench.files import decode_text

_log = logging.getLogger(__name__)

_SCHEMA = re.compile(r'("OTIO_SCHEMA"\s*:\s*")(\w+)\.(\d{1,9})(?=")')
_BUNDLE_FAULTS = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, RuntimeError)
_SPEED_STEP = Fraction(1, 200_000)


def read_otio(path: Path, project: str | None = None) -> EditList:
    """Read the first video track of the timeline in a file `.otio` or a bundle, `.otioz` or `.otiod`.

    Raises `EditError` where the file cannot be read, has several timelines and none of the name `project`, or no shot
    on a video track, and `ExtraMissing` without OpenTimelineIO, of the extra `export`.
    """
    require_extra("export", f"{path.name}: reading OTIO")
    otio = import_module("opentimelineio")
    try:
        whole = otio.adapters.read_from_string(_with_known_schemas(otio, path, _text(path)), "otio_json")
    except (otio.exceptions.OTIOError, ValueError, OSError, *_BUNDLE_FAULTS) as error:
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise EditError(f"{path}: not a file of OpenTimelineIO ({why})") from error
    timelines = [whole] if isinstance(whole, otio.schema.Timeline) else []
    if isinstance(whole, otio.schema.SerializableCollection):
        timelines = list(whole.find_children(descended_from_type=otio.schema.Timeline))
    if not timelines:
        raise EditError(f"{path}: no timeline in this file, but {type(whole).__name__}; export the edit itself")
    timeline = timelines[choose_project(path, [entry.name or "unnamed" for entry in timelines], project)]
    tracks = timeline.video_tracks()
    if not tracks:
        raise EditError(f"{path}: no video track in this edit")
    reader = _Reader(otio, path)
    shots = reader.shots(tracks[0])
    if not shots:
        raise EditError(f"{path}: no shot on the first video track")
    start = timeline.global_start_time
    return lay_shots(shots, reader.rate(start) if start is not None else reader.frame_rate)


def _text(path: Path) -> str:
    """The JSON of a file or a bundle; what an archive says of its size is not trusted."""
    if path.suffix.lower() != ".otioz":
        with document_of(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    else:
        with zipfile.ZipFile(path) as bundle, bundle.open("content.otio") as file:
            content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES // 10**6} MB")
    return decode_text(content)


def _with_known_schemas(otio: Any, path: Path, text: str) -> str:
    """The text with newer schemas called by the newest version of theirs that the library knows."""
    known = otio.core.type_version_map()

    def renamed(schema: re.Match[str]) -> str:
        start, name, version = schema.groups()
        return f"{start}{name}.{min(int(version), known.get(name, int(version)))}"

    renamed_text = _SCHEMA.sub(renamed, text)
    if renamed_text != text:
        _log.warning("%s: newer than OpenTimelineIO %s, so what it adds is not read", path, otio.__version__)
    return renamed_text


class _Reader:
    """Walks through tracks; holds the library, the path for messages, and the rate of the first length it met."""

    def __init__(self, otio: Any, path: Path) -> None:
        self.otio = otio
        self.path = path
        self.frame_rate = Fraction(0)

    def shots(self, track: Any) -> list[Shot]:
        """All items of a track, as shots."""
        schema, found = self.otio.schema, []
        moved_by = Fraction(0)
        for item in track:
            if isinstance(item, schema.Transition):
                # The transition runs from `in_offset` before the joint to `out_offset` after it.
                moved_by = (self._seconds(item.out_offset) - self._seconds(item.in_offset)) / 2
                continue
            shots = self._item(item)
            if shots:
                shots[0] = shots[0]._replace(moved_by=moved_by)
            moved_by = Fraction(0)
            found += shots
        return found

    def rate(self, time: Any) -> Fraction:
        """The rate that a time counts in."""
        try:
            return exact_rate(time.rate)
        except EditError as error:
            raise EditError(f"{self.path}: {error}") from error

    def _item(self, item: Any) -> list[Shot]:
        schema = self.otio.schema
        try:
            span = item.trimmed_range()
        except self.otio.exceptions.OTIOError as error:
            raise EditError(f"{self.path}: {item.name or 'a clip'} has no length ({error})") from error
        start, seconds = self._seconds(span.start_time), self._seconds(span.duration)
        if not self.frame_rate:
            self.frame_rate = self.rate(span.duration)
        if isinstance(item, schema.Gap) or not item.enabled:
            return [Shot.gap(seconds)]
        speed = self._speed(item)
        if speed < 0:
            start += seconds * -speed
        if isinstance(item, schema.Clip):
            return [Shot(self._media(item), start, seconds, speed)]
        return part_of(self._inside(item), start, seconds, speed)

    def _inside(self, item: Any) -> list[Shot]:
        """Shots of a nested track, or of the first video track in a stack."""
        if isinstance(item, self.otio.schema.Stack):
            audio = self.otio.schema.TrackKind.Audio
            first = next((child for child in item if getattr(child, "kind", None) != audio), None)
            if first is None:
                return []
            return self.shots(first) if isinstance(first, self.otio.schema.Track) else self._item(first)
        return cut_at_middles(self.shots(item))

    def _speed(self, item: Any) -> Fraction:
        speed = Fraction(1)
        for effect in item.effects:
            if isinstance(effect, self.otio.schema.LinearTimeWarp):
                if not isfinite(effect.time_scalar):
                    raise EditError(f"{self.path}: {item.name or 'a clip'} has a speed of {effect.time_scalar}")
                # A float of 1.3333 means 4/3: exact sums need the plain fraction.
                speed *= plain_speed(Fraction(effect.time_scalar), _SPEED_STEP)
        return speed

    def _media(self, clip: Any) -> str:
        reference = clip.media_reference
        url = getattr(reference, "target_url", None)
        if not url and isinstance(reference, self.otio.schema.ImageSequenceReference):
            url = f"{reference.target_url_base}{reference.name_prefix}{reference.name_suffix}"
        return url or clip.name or reference.name or "unnamed"

    def _seconds(self, time: Any) -> Fraction:
        rate = self.rate(time)
        try:
            return exact_number(time.value) / rate
        except EditError as error:
            raise EditError(f"{self.path}: {error}") from error
