"""Read a person's own beat grid from a file of beats or labels, as taggers, editors and annotators write them.

    madmom, `.beats`        time, then the place in the bar from 1, with a tab, spaces or a comma between
    Sonic Visualiser CSV    time,label, or time,value,label; a header is skipped
    Audacity labels         start, end, label, with tabs between; the start counts
    JAMS                    the first annotation of the namespace `beat` or `beat_position`
    JSON                    what `workbench beats` prints
    MIDI                    a click, one note a beat (the extra `export`); its accents, another note or clearly louder
                            and fewer than the rest, open bars, or else its time signature says where they begin

A label says the place in the bar: `3`, or `12.3` for beat 3 of bar 12, or `downbeat` for 1. Beats without a place are
counted on from the bar lines that are marked, in bars of the length that prevails. Where no line is marked at all, the
bars are the detected ones: of that metre, and beginning on the beat on which most detected bar lines fall.

Times are seconds of the track, with a comma for the point where columns are not parted by commas, as programs write
them in many countries. A first line that begins with words, of which one names a time, is a header. Empty lines are
skipped, lines that begin with `#` and the second line of Audacity's spectral labels, which begins with a backslash.
Text is UTF-8, or UTF-16 with a byte order mark. Errors name file and line.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workbench.beats.corrections import FASTEST_BPM, MOST_BEATS_PER_BAR
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, InputError, require_extra
from workbench.files import decode_text
from workbench.recording import FloatArray

# of a file; an hour of beats takes half a megabyte, a JAMS file with other annotations some more
_MOST_BYTES = 20_000_000
_SLOWEST_BEAT_SECONDS = 30.0  # more is a file in milliseconds or samples
_PAST_END_SECONDS = 0.05  # s by which a beat may lie after the decoded end: another decoder, another padding
_SAME_LINE_SECONDS = 0.07  # s within which a beat and a detected bar line are the same, as in beat evaluation
_ONE_CLICK_SECONDS = 0.01  # s within which notes of a MIDI file are one click
_ACCENT_VELOCITY = 10  # steps of MIDI velocity by which an accent is louder at least
# Words of a header over times, such as `Beat time (s)`
_HEADINGS = frozenset({"time", "start", "onset", "begin", "times", "onsets", "seconds"})
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*$")
# a time with a decimal comma, which spaces part from its label
_COMMA_BEFORE_SPACE = re.compile(r"\s*[+-]?\d+,\d+\s+\S")
_TIME_BEFORE_SEMICOLON = re.compile(r"""\s*"?[+-]?\d*[.,]?\d+"?\s*;""")
DOWNBEATS = frozenset({"downbeat", "db", "d", "bar"})  # labels that say the first place in a bar
_PLACE = re.compile(r"(\d+)(?:\.(\d+))?$")
_JAMS_BEATS = ("beat", "beat_position")


class _Mark(NamedTuple):
    """A beat as it was read."""

    where: str  # `line 7`
    time: float
    place: int | None  # in the bar, from 1; None where the file does not say it


def read_grid(file: Path, duration: float, detected: BeatGrid) -> BeatGrid:
    """Read a grid of confidence 1 from a file: `.jams` is JAMS, `.mid` and `.midi` are MIDI, others text or JSON.

    `duration` is that of the track, s; `detected`, the tracker's grid, says where bars begin if the file does not.
    Raises `GridError`, which names file, line and what is wrong, if it holds no grid with two beats and a bar line, or
    not one of this track, and `ExtraMissing` for MIDI without the extra `export`.
    """
    try:
        marks = _marks(file)
        _check_times(marks, duration)
        return _grid(marks, detected)
    except GridError as error:
        raise _in_file(file, error) from None


def read_annotated_beats(file: Path) -> tuple[FloatArray, BeatGrid | None]:
    """Read beats from a file, of any track: times, shape (n_beats,), s, strictly increasing, and the grid.

    There is no grid if the file does not say which beats open a bar, or has fewer than two beats. Raises as
    `read_grid`.
    """
    try:
        marks = _marks(file)
        if len(marks) < 2:
            return np.array([mark.time for mark in marks]), None
        _check_times(marks, inf)
        if all(mark.place != 1 for mark in marks):
            return np.array([mark.time for mark in marks]), None
        grid = _grid(marks, None)
    except GridError as error:
        raise _in_file(file, error) from None
    return grid.beats, grid


def _in_file(file: Path, error: GridError) -> GridError:
    text = str(error)
    return error if text.startswith(f"{file}: ") else GridError(f"{file}: {text}")


def _marks(file: Path) -> list[_Mark]:
    """The beats of a file, as it has them."""
    is_midi = file.suffix.lower() in (".mid", ".midi")
    if is_midi:
        require_extra("export", f"reading {file.name}")
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise GridError(f"{file}: too large for a beat grid")
        content = file.read_bytes()
        text = "" if is_midi else decode_text(content)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    except UnicodeError:
        raise GridError(f"{file}: this is no text; a grid is lines of time and place in the bar, or JAMS") from None
    if is_midi:
        return list(_midi_marks(content))
    if file.suffix.lower() == ".jams":
        return list(_jams_marks(text))
    return list(_printed_marks(text) if text.lstrip().startswith("{") else _text_marks(text))


def _printed_marks(text: str) -> Iterator[_Mark]:
    """The beats of a grid as `workbench beats` prints it."""
    try:
        body = json.loads(text)
        beats, downbeats = list(body["beats"]), set(body["downbeats"])
    except (ValueError, KeyError, TypeError):
        raise GridError(
            "this JSON is not what `workbench beats` prints: it needs lists of beats and downbeats"
        ) from None
    for number, time in enumerate(beats, start=1):
        yield _Mark(where := f"beat {number}", _seconds(str(time), where), 1 if time in downbeats else None)


def _text_marks(text: str) -> Iterator[_Mark]:
    """The beats of a text file, line by line."""
    started = False
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith(("#", "\\")):
            continue
        is_header = not started and _is_header(line)
        started = True
        if is_header:
            continue
        cells, where = cells_of(line), f"line {number}"
        yield _Mark(where, _seconds(cells[0], where), _place(cells[-1] if len(cells) > 1 else "", where))


def _is_header(line: str) -> bool:
    """Whether a line begins with words, one of which names a time."""
    first = re.split("[\t;,]", line)[0].strip().strip('"').lower()
    return not first[:1].isdigit() and not _HEADINGS.isdisjoint(re.findall("[a-z]+", first))


def cells_of(line: str) -> list[str]:
    """Time and label of a line, and what stands between them."""
    if "\t" in line:
        return _with_points(line.strip("\r\n").split("\t"))
    if _TIME_BEFORE_SEMICOLON.match(line) or (";" in line and "," not in line):
        return _with_points(next(csv.reader([line], delimiter=";")))
    if "," in line and not _COMMA_BEFORE_SPACE.match(line):
        return next(csv.reader([line]))
    cells = _with_points(line.split())
    # A label may be of several words, so only the times before it count.
    times = 2 if len(cells) > 2 and _is_number(cells[1]) else 1
    return [*cells[:times], " ".join(cells[times:])] if len(cells) > times else cells


def _with_points(cells: Sequence[str]) -> list[str]:
    """Cells of a line that is not separated by commas, with decimal commas replaced by points."""
    return [cell.replace(",", ".") if _DECIMAL_COMMA.match(cell) else cell for cell in cells]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _seconds(text: str, where: str) -> float:
    if not _is_number(text) or not isfinite(float(text)):
        raise GridError(f"{where}: {text.strip()!r} is no time in seconds")
    return float(text)


def _place(label: str, where: str) -> int | None:
    """The place in the bar that a label says; None where it says none."""
    text = label.strip()
    if text.lower() in DOWNBEATS:
        return 1
    found = _PLACE.match(text)
    if found is None:
        if _is_number(text):
            raise GridError(f"{where}: {text!r} is no place in a bar, which is a whole number from 1")
        return None
    # `12.3` is beat 3 of bar 12; `2.0` is a 2 that a program wrote as a number.
    beat = int(found[2] or 0)
    place = beat if beat else int(found[1])
    if not 1 <= place <= MOST_BEATS_PER_BAR:
        raise GridError(f"{where}: place {place} in the bar; places count from 1 to {MOST_BEATS_PER_BAR} at most")
    return place


def jams_annotations(text: str) -> list[Mapping[str, Any]]:
    """The annotations of a JAMS document; raises `GridError` if the text is none."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise GridError(f"not JAMS, for it is not JSON: {error}") from None
    annotations = document.get("annotations") if isinstance(document, Mapping) else None
    if not isinstance(annotations, list):
        raise GridError("not JAMS: it has no list of annotations")
    return [one for one in annotations if isinstance(one, Mapping)]


def _jams_marks(text: str) -> Iterator[_Mark]:
    """The beats of the first annotation of beats in a JAMS document."""
    beats = [one for one in jams_annotations(text) if one.get("namespace") in _JAMS_BEATS]
    if not beats:
        raise GridError("no annotation of beats in it (namespace beat or beat_position)")
    data = beats[0].get("data")
    if not isinstance(data, list):
        raise GridError("the data of the annotation of beats is no list")
    for number, observation in enumerate(data, start=1):
        where = f"beat {number}"
        if not isinstance(observation, Mapping):
            raise GridError(f"{where}: no observation with a time")
        value = observation.get("value")
        if isinstance(value, Mapping):
            value = value.get("position")
        yield _Mark(where, _seconds(str(observation.get("time")), where), _jams_place(value, where))


def _jams_place(value: Any, where: str) -> int | None:
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return None
    return _place(f"{value:g}" if isinstance(value, float) else str(value), where)


def _midi_marks(content: bytes) -> list[_Mark]:
    """The clicks of a MIDI file; notes of several tracks at one time are one click, the loudest."""
    import mido

    clicks: list[tuple[float, int, int]] = []
    time, beats_per_bar = 0.0, None
    try:
        for message in mido.MidiFile(file=io.BytesIO(content)):
            time += message.time
            if message.type == "time_signature" and beats_per_bar is None:
                beats_per_bar = int(message.numerator)
            if message.type == "note_on" and message.velocity > 0:
                click = (time, message.note, message.velocity)
                if clicks and time - clicks[-1][0] < _ONE_CLICK_SECONDS:
                    clicks[-1] = max(clicks[-1], click, key=lambda one: one[2])
                else:
                    clicks.append(click)
    except (OSError, EOFError, ValueError, IndexError, KeyError) as error:
        raise GridError(f"this is not MIDI that can be read ({str(error) or type(error).__name__})") from None
    if not clicks:
        raise GridError("there is no note in it; a click has a note on each beat")
    accents = _accents(clicks)
    if not any(accents) and beats_per_bar is not None:
        accents = [number % beats_per_bar == 0 for number in range(len(clicks))]
    return [
        _Mark(f"note {number}", one[0], 1 if accent else None)
        for number, (one, accent) in enumerate(zip(clicks, accents, strict=True), start=1)
    ]


def _accents(clicks: Sequence[tuple[float, int, int]]) -> list[bool]:
    """Which clicks open a bar: those of another note, or clearly louder ones, where they are fewer than the rest."""
    notes = Counter(note for _, note, _ in clicks)
    if len(notes) == 2:
        rarer = min(notes, key=lambda note: notes[note])
        if 2 * notes[rarer] <= len(clicks):
            return [note == rarer for _, note, _ in clicks]
    loudest = max(velocity for *_, velocity in clicks)
    loud = [velocity > loudest - _ACCENT_VELOCITY for *_, velocity in clicks]
    return loud if 2 * sum(loud) <= len(clicks) else [False] * len(clicks)


def _check_times(marks: Sequence[_Mark], duration: float) -> None:
    if len(marks) < 2:
        raise GridError(f"a grid needs two beats, got {len(marks)}")
    for before, mark in zip([None, *marks[:-1]], marks, strict=True):
        if mark.time < 0.0:
            raise GridError(f"{mark.where}: {mark.time:g} s is before the track")
        if mark.time > duration + _PAST_END_SECONDS:
            raise GridError(f"{mark.where}: {mark.time:g} s is after the end of the track at {duration:.3f} s")
        if before is not None and mark.time <= before.time:
            raise GridError(f"{mark.where}: {mark.time:g} s is not later than {before.time:g} s of {before.where}")
    beat = float(np.median(np.diff([mark.time for mark in marks])))
    if beat < 60.0 / FASTEST_BPM:
        raise GridError(f"a beat every {beat:.4f} s is more than {FASTEST_BPM:.0f} a minute; times are in seconds")
    if beat > _SLOWEST_BEAT_SECONDS:
        raise GridError(f"a beat every {beat:.0f} s is no music's; times are in seconds")


def _grid(marks: Sequence[_Mark], detected: BeatGrid | None) -> BeatGrid:
    beats = np.array([mark.time for mark in marks])
    if detected is not None and all(mark.place is None for mark in marks):
        return _barred_as_detected(beats, detected)
    places = [mark.place for mark in marks]
    if 1 not in places:
        raise GridError("no beat is marked as a bar line, place 1 in the bar")
    given = [place for place in places if place is not None]
    counted = given if len(given) == len(places) else _counted(places)
    for (before, place), mark in zip(pairwise(counted), marks[1:], strict=True):
        if place not in (before + 1, 1):
            raise GridError(f"{mark.where}: place {place} in the bar after {before}; {before + 1} or 1 comes next")
    return BeatGrid(beats, np.array(counted, dtype=np.int32), _metre(counted))


def _counted(places: Sequence[int | None]) -> list[int]:
    """Places for all beats: counted on from those that are given, and back from the first bar line."""
    first = places.index(1)
    counted: list[int] = []
    for place in places[first:]:
        counted.append(place if place is not None else counted[-1] + 1)
    metre = _metre(counted)
    # Unmarked beats after the last bar line go on in bars of the length that prevails.
    last = max(k for k, place in enumerate(counted) if place == 1)
    if all(place is None for place in places[first + last + 1 :]):
        counted[last:] = [(k % metre) + 1 for k in range(len(counted) - last)]
    head = [place if place is not None else (k - first) % metre + 1 for k, place in enumerate(places[:first])]
    return head + counted


def _metre(places: Sequence[int]) -> int:
    """Beats of the bar that is most frequent; of a single bar, how many it has."""
    lines = [k for k, place in enumerate(places) if place == 1]
    bars = Counter(int(length) for length in np.diff(lines))
    return bars.most_common(1)[0][0] if bars else max(places)


def _barred_as_detected(beats: np.ndarray, detected: BeatGrid) -> BeatGrid:
    """Beats without places, in bars of the detected metre that begin where most detected bar lines are."""
    if detected.downbeats.size == 0:
        raise GridError("it does not say which beats open a bar, and none were detected; write 1 behind those")
    metre, lines = detected.beats_per_bar, detected.downbeats
    after = np.clip(np.searchsorted(beats, lines), 1, beats.size - 1)
    nearest = after - (lines - beats[after - 1] <= beats[after] - lines)
    near = nearest[np.abs(beats[nearest] - lines) <= _SAME_LINE_SECONDS]
    if near.size == 0:
        raise GridError(
            "it does not say which beats open a bar, and no detected bar line is on one; write 1 behind those"
        )
    first = int(np.bincount(near % metre, minlength=metre).argmax())
    return BeatGrid(beats, (np.arange(beats.size) - first) % metre + 1, metre)
