"""Read an edit from FCPXML, versions 1.8 to 1.13: the primary storyline of a project, laid out flat.

Later versions 1.x are read too, with a warning: they have only ever added to what there was.

Elements of a storyline follow one another; what is connected to them in lanes is not on the first video track. An
`asset-clip` or a `video` shows its asset. A `clip`, a `sync-clip`, a `ref-clip` and an `mc-clip` show their
content: their own storyline, that of the compound clip, or that of the angle that is on; an `audition` its first
choice. A `title` or a generator shows itself.

Times are rational numbers of seconds. `start` counts on the clock of what is shown, which begins where the asset or
the inner sequence says. A `timeMap` gives for points of that clock the source's time; each straight line between two
points is a clip of its own speed. A `conform-rate` plays every frame of a source of another rate, which changes its
speed by the ratio of the rates; `scaleEnabled="0"` does not.

A clip's media is its asset's address (`media-rep` from 1.10 on, `src` before), else its name.
"""

from __future__ import annotations

import logging
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from workbench.edits.documents import MOST_BYTES, choose_project, document_of
from workbench.edits.edit_list import EditList
from workbench.edits.shots import Shot, cut_at_middles, exact_rate, lay_shots, part_of
from workbench.errors import EditError
from workbench.files import read_bytes

_log = logging.getLogger(__name__)

_VERSION = re.compile(r"1\.(\d{1,4})(?:\.\d+)*$")
_FIRST_MINOR, _LAST_MINOR = 8, 13
_TIME = re.compile(r"\s*(-?\d{1,20})(?:/(\d{1,20})|\.(\d{1,20}))?s\s*$")
_RATE_IN_NAME = re.compile(r"p(\d{2,5})(?:_|$|\D)")
_STORY = ("asset-clip", "clip", "video", "audio", "gap", "ref-clip", "sync-clip", "mc-clip", "title", "audition")
_ONE = Fraction(1)
_DEEPEST = 20  # compound clips within one another


def read_fcpxml(path: Path, project: str | None = None) -> EditList:
    """Read the primary storyline of the project in a file `.fcpxml` or a bundle `.fcpxmld`.

    Raises `EditError`, which names the line, for a file that cannot be read; and for one without a project, or with
    several of which none is called `project`.
    """
    return _Reader(path, document_of(path)).edit(project)


class _Reader:
    """One document: its elements, the lines they stand in, and its resources by id."""

    def __init__(self, path: Path, document: Path) -> None:
        self.path = path
        self.lines: dict[Element, int] = {}
        self.root = self._parsed(document)
        if self.root.tag != "fcpxml":
            self._fail(self.root, f"the document is <{self.root.tag}>, not <fcpxml>")
        self._check_version(self.root.get("version", "unknown"))
        self.resources = {entry.get("id", ""): entry for entry in self.root.findall("resources/*")}
        self.rate = Fraction(0)

    def _check_version(self, version: str) -> None:
        stated = _VERSION.match(version)
        if stated is None or int(stated[1]) < _FIRST_MINOR:
            self._fail(
                self.root,
                f"version {version} is not read; there are 1.{_FIRST_MINOR} to 1.{_LAST_MINOR}: in Final Cut choose "
                "File > Export XML and there, beside the metadata view, the current or previous version",
            )
        if int(stated[1]) > _LAST_MINOR:
            _log.warning(
                "%s: FCPXML %s is newer than 1.%d, so what it adds is not read", self.path, version, _LAST_MINOR
            )

    def edit(self, wanted: str | None) -> EditList:
        """The project of a name."""
        projects = [
            (project.get("name", "unnamed"), sequence)
            for project in self.root.iter("project")
            if (sequence := project.find("sequence")) is not None
        ]
        if not projects:
            self._fail(self.root, "no project with a sequence in this document; export the project")
        _, sequence = projects[choose_project(self.path, [name for name, _ in projects], wanted)]
        self.rate = self._frame_rate(sequence)
        shots = self._sequence(sequence, 0)
        if not shots:
            self._fail(sequence, "no shot on the primary storyline")
        return lay_shots(shots, self.rate)

    def _frame_rate(self, sequence: Element) -> Fraction:
        entry = self.resources.get(sequence.get("format", ""))
        if entry is None:
            self._fail(sequence, f"the format {sequence.get('format')!r} is not among the resources")
        if entry.get("frameDuration"):
            frame = self._time(entry, "frameDuration")
            if frame > 0:
                return 1 / frame
        named = _RATE_IN_NAME.search(entry.get("name", ""))
        if named is None:
            self._fail(entry, "a format without frameDuration has no frame rate")
        digits = named[1]
        try:
            return exact_rate(float(digits) if len(digits) == 2 else float(digits) / 100)
        except EditError as error:
            self._fail(entry, f"the format {entry.get('name')}: {error}")

    def _sequence(self, sequence: Element, depth: int) -> list[Shot]:
        spine = sequence.find("spine")
        return [] if spine is None else self._storyline(spine, depth)

    def _storyline(self, spine: Element, depth: int) -> list[Shot]:
        """Elements of a storyline one after the other, with the transitions over their joints."""
        if depth > _DEEPEST:
            self._fail(spine, f"compound clips within one another more than {_DEEPEST} deep")
        shots: list[Shot] = []
        reached: Fraction = Fraction(0)
        origin: Fraction | None = None
        middle: Fraction | None = None
        for element in spine:
            if element.tag == "transition":
                if element.get("offset") is not None:
                    middle = self._time(element, "offset") + self._time(element, "duration") / 2
                continue
            if element.tag not in _STORY and element.get("duration") is None:  # with one it takes time, known or not
                continue
            begins = self._time(element, "offset") if element.get("offset") is not None else None
            if origin is None:
                origin = begins or Fraction(0)
            # `offset` counts on the clock of the parent, which may begin at any time: what counts is the distance from
            # the first.
            if begins is not None and begins - origin > reached:
                shots.append(Shot.gap(begins - origin - reached))
                reached = begins - origin
            found = self._item(element, depth)
            if found and middle is not None:
                found[0] = found[0]._replace(moved_by=middle - origin - reached)
            middle = None
            reached += sum((shot.seconds for shot in found), Fraction(0))
            shots += found
        return shots

    def _item(self, element: Element, depth: int) -> list[Shot]:
        """One element of a storyline, as shots from its own beginning on."""
        if element.tag == "audition":
            chosen = next((child for child in element if child.tag in _STORY), None)
            return [] if chosen is None else self._item(chosen, depth)
        seconds = self._length(element)
        if element.tag == "gap" or element.get("enabled") == "0":
            return [Shot.gap(seconds)]
        shots: list[Shot] = []
        for start, lasts, speed in self._stretches(element, seconds):
            shots += self._shown(element, start, lasts, speed, depth)
        return shots

    def _length(self, element: Element) -> Fraction:
        if element.get("duration") is not None:
            seconds = self._time(element, "duration")
        else:
            resource = self.resources.get(element.get("ref", ""))
            inner = None if resource is None else resource.find("sequence")
            source = resource if inner is None else inner
            if source is None or source.get("duration") is None:
                self._fail(element, f"<{element.tag}> has no duration")
            seconds = self._time(source, "duration")
        if seconds <= 0:
            self._fail(element, f"<{element.tag}> lasts {float(seconds):g} s")
        return seconds

    def _stretches(self, element: Element, seconds: Fraction) -> list[tuple[Fraction, Fraction, Fraction]]:
        """Source start, record seconds and speed of each stretch of constant speed, in order."""
        start = self._start(element)
        scale = self._conformed(element)
        points = [
            (self._time(point, "time"), self._time(point, "value")) for point in element.findall("timeMap/timept")
        ]
        if len(points) < 2:
            return [(start * scale, seconds, scale)]
        found = []
        for number, ((time, value), (next_time, next_value)) in enumerate(pairwise(points)):
            if next_time <= time:
                self._fail(element, "the points of a timeMap must go forward")
            # Before the first point and after the last the speed goes on.
            first = start if number == 0 else max(start, time)
            last = start + seconds if number == len(points) - 2 else min(start + seconds, next_time)
            speed = (next_value - value) / (next_time - time)
            if last > first:
                found.append((value + (first - time) * speed, last - first, speed))
        return found

    def _start(self, element: Element) -> Fraction:
        """Start of an element on the clock of the media that it shows."""
        if element.get("start") is not None:
            return self._time(element, "start")
        resource = self.resources.get(element.get("ref", ""))
        if element.tag in ("asset-clip", "video") and resource is not None and resource.get("start") is not None:
            return self._time(resource, "start")
        return Fraction(0)

    def _conformed(self, element: Element) -> Fraction:
        """Speed at which a source of another frame rate is played."""
        conform = element.find("conform-rate")
        if conform is None or conform.get("scaleEnabled") == "0" or conform.get("srcFrameRate") is None:
            return _ONE
        try:
            return self.rate / exact_rate(float(conform.get("srcFrameRate", "")))
        except ValueError:
            self._fail(conform, f"srcFrameRate {conform.get('srcFrameRate')!r} is no frame rate")

    def _shown(self, element: Element, start: Fraction, seconds: Fraction, speed: Fraction, depth: int) -> list[Shot]:
        """What an element shows from `start` of its own clock on."""
        if element.tag in ("clip", "sync-clip"):
            inside, origin = self._inner_storyline(element, depth)
            if inside:
                return part_of(inside, start - origin, seconds, speed)
        if element.tag in ("ref-clip", "mc-clip"):
            inside, origin = self._compound(element, depth)
            return part_of(inside, start - origin, seconds, speed)
        return [Shot(self._media(element), start, seconds, speed)]

    def _inner_storyline(self, element: Element, depth: int) -> tuple[list[Shot], Fraction]:
        """The elements in a clip that are in no lane, and where on the clip's clock they begin."""
        if depth > _DEEPEST:
            self._fail(element, f"clips within one another more than {_DEEPEST} deep")
        found: list[tuple[Fraction, list[Shot]]] = []
        for child in element:
            if child.get("lane", "0") != "0" or child.tag == "audio" or child.tag not in ("spine", *_STORY):
                continue
            begins = self._time(child, "offset") if child.get("offset") is not None else Fraction(0)
            inside = self._storyline if child.tag == "spine" else self._item
            found.append((begins, inside(child, depth + 1)))
        # In a `clip` its picture and further elements may overlap; the first that begins at a time is the one that
        # shows.
        found = [(begins, cut_at_middles(shots)) for begins, shots in found if shots]
        if not found:
            return [], Fraction(0)
        found.sort(key=lambda entry: entry[0])
        origin = reached = found[0][0]
        laid: list[Shot] = []
        for begins, shots in found:
            if begins > reached:
                laid.append(Shot.gap(begins - reached))
                reached = begins
            laid += shots if begins == reached else []
            reached = max(reached, begins + sum((shot.seconds for shot in shots), Fraction(0)))
        return laid, origin

    def _compound(self, element: Element, depth: int) -> tuple[list[Shot], Fraction]:
        """Shots of the compound clip or of the angle that an element shows, and where its clock begins."""
        media = self.resources.get(element.get("ref", ""))
        if media is None or media.tag != "media":
            self._fail(element, f"<{element.tag}> refers to {element.get('ref')!r}, which is no media resource")
        sequence, multicam = media.find("sequence"), media.find("multicam")
        if sequence is not None:
            return self._sequence(sequence, depth + 1), self._origin(sequence)
        if multicam is not None:
            wanted = {
                source.get("angleID")
                for source in element.findall("mc-source")
                if source.get("srcEnable", "all") in ("all", "video")
            }
            angles = multicam.findall("mc-angle")
            angle = next((entry for entry in angles if entry.get("angleID") in wanted), angles[0] if angles else None)
            if angle is not None:
                return self._storyline(angle, depth + 1), self._origin(multicam)
        self._fail(media, f"the media {media.get('name') or media.get('id')} has nothing in it")

    def _origin(self, element: Element) -> Fraction:
        return self._time(element, "tcStart") if element.get("tcStart") is not None else Fraction(0)

    def _media(self, element: Element) -> str:
        resource = self.resources.get(element.get("ref", ""))
        if resource is not None and resource.tag == "asset":
            reps = sorted(resource.findall("media-rep"), key=lambda rep: rep.get("kind") != "original-media")
            address = next((rep.get("src") for rep in reps if rep.get("src")), None) or resource.get("src")
            if address:
                return address
        name = element.get("name") or (resource.get("name") if resource is not None else None)
        return name or element.get("ref") or element.tag

    def _time(self, element: Element, attribute: str) -> Fraction:
        """A time: `1001/30000s`, `5s`, `0.5s`."""
        text = element.get(attribute, "")
        match = _TIME.match(text)
        if match is None or (match[2] is not None and int(match[2]) == 0):
            self._fail(element, f"{attribute}={text[:40]!r} of <{element.tag}> is no time")
        whole, below, decimals = match.groups()
        if decimals is not None:
            return Fraction(f"{whole}.{decimals}")
        return Fraction(int(whole), int(below or 1))

    def _fail(self, element: Element, message: str) -> NoReturn:
        raise EditError(f"{self.path}, line {self.lines.get(element, 1)}: {message}")

    def _parsed(self, document: Path) -> Element:
        """The document's elements; entities that it declares itself are refused, for they can grow without bounds."""
        content = read_bytes(document, EditError, MOST_BYTES, "an FCPXML document")
        # Not `ElementTree.parse`: it neither gives the line of an element nor refuses declared entities.
        builder, parser = TreeBuilder(), expat.ParserCreate()

        def start(tag: str, attributes: dict[str, str]) -> None:
            self.lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

        def declare(*entity: object) -> None:
            raise EditError(f"{self.path}, line {parser.CurrentLineNumber}: declares the entity {entity[0]}, which no "
                            "edit needs")  # fmt: skip

        parser.StartElementHandler = start
        parser.EndElementHandler = builder.end
        parser.EntityDeclHandler = declare
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            raise EditError(f"{self.path}, line {error.lineno}: not XML ({expat.ErrorString(error.code)})") from error
        except EditError:
            raise
        except (LookupError, ValueError) as error:  # the document names an encoding that is unknown, or not its own
            raise EditError(f"{self.path}: {error}; save it as UTF-8") from error
        root: Element = builder.close()
        return root
