"""Annotated recordings: folders of sound with beats and sections beside it, read into one shape.

    bundled            the catalog that ships, with its truth
    mirdata            an index as mirdata writes it: JSON with `tracks`, each with the paths of its files
    folder             sound files, each with annotations of its name (`song.wav`, `song.jams`) anywhere in the folder

Of a folder these are read, in this order of preference: JAMS (`beat` and `segment_open`), `.beats` (time and place in
the bar), `.lab` (start, end, label: sections; time, place in the bar: beats), CSV and TXT as Sonic Visualiser and
Audacity write them (of a CSV with a value, `time,value,length,label`). A text whose labels are no places in a bar holds
no beats. Beats are read by `workbench.analysis.grid_files`. Two files of one name may complete each other: beats from
`song.beats`, sections from `song.lab`.

Annotations are read when they are first asked for, so a folder of thousands opens at once; but a `.txt` is looked into
at once, for it may hold anything. Sound is never read here.
What cannot be used, such as an index entry whose file is missing, is listed in `faults`, not skipped in silence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.analysis.grid_files import DOWNBEATS, cells_of, jams_annotations, read_annotated_beats
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, InputError
from workbench.files import bundled_path, decode_text, read_bytes
from workbench.recording import FloatArray
from workbench.workflows.catalog import SUFFIXES, is_left_over

if TYPE_CHECKING:
    import pandas

# Suffixes of annotations; those first count first
_PREFERENCE = (".jams", ".beats", ".lab", ".csv", ".txt", ".mid", ".midi")
_MOST_BYTES = 50_000_000


class AnnotatedSection(NamedTuple):
    """A stretch of a recording with a name."""

    song_from: float  # s
    song_to: float  # s
    label: str


@dataclass(frozen=True, eq=False)
class DatasetTrack:
    """One recording of a dataset, with what is known of it.

    Attributes
    ----------
    name : unique in the dataset
    path : its sound
    annotations : files, those first that count first
    facts : all else that the index or manifest says
    """

    name: str
    path: Path
    annotations: tuple[Path, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def beats(self) -> FloatArray | None:
        """Times of its beats, shape (n_beats,), s; None without annotations.

        Raises `InputError` or `GridError` if an annotation cannot be read, or holds no beats as it should.
        """
        return self._beats[0]

    @property
    def grid(self) -> BeatGrid | None:
        """Its beats in bars; None where the annotation does not say which beats open one. Raises as `beats`."""
        return self._beats[1]

    @cached_property
    def _beats(self) -> tuple[FloatArray | None, BeatGrid | None]:
        for path in self.annotations:
            if _holds_beats(path):
                return read_annotated_beats(path)
        return None, None

    @cached_property
    def sections(self) -> tuple[AnnotatedSection, ...]:
        """Its sections, in order; empty without annotations. Raises as `beats`."""
        for path in self.annotations:
            found = tuple(_sections(path))
            if found:
                return found
        return ()


@dataclass(frozen=True, eq=False)
class Dataset:
    """Recordings with annotations.

    Attributes
    ----------
    name : of the folder or the index
    tracks : its recordings
    faults : what could not be used, in words
    """

    name: str
    tracks: tuple[DatasetTrack, ...]
    faults: tuple[str, ...] = ()

    def __repr__(self) -> str:
        annotated = sum(bool(track.annotations) for track in self.tracks)
        faults = f", {len(self.faults)} faults" if self.faults else ""
        return f"<{self.name}: {len(self)} recordings, {annotated} annotated{faults}>"

    def __len__(self) -> int:
        return len(self.tracks)

    def __iter__(self) -> Iterator[DatasetTrack]:
        return iter(self.tracks)

    def __getitem__(self, name: str) -> DatasetTrack:
        for track in self.tracks:
            if track.name == name:
                return track
        raise KeyError(f"there is no {name} in {self.name}")

    def only(self, *names: str) -> Dataset:
        """Some of the recordings.

        Parameters
        ----------
        *names : in the order wanted

        Raises
        ------
        KeyError : there is none of a name
        """
        return Dataset(self.name, tuple(self[name] for name in names), self.faults)

    def to_frame(self) -> pandas.DataFrame:
        """A row a recording: its file, how much of it is annotated, and in `fault` why an annotation cannot be read."""
        import pandas

        rows = [_frame_row(track) for track in self]
        columns = ["name", "path", "beats", "bars", "sections", "fault"]
        return pandas.DataFrame(rows, columns=columns).set_index("name")


def _frame_row(track: DatasetTrack) -> dict[str, Any]:
    row: dict[str, Any] = {"name": track.name, "path": str(track.path), "beats": 0, "bars": 0, "sections": 0}
    try:
        row["beats"] = 0 if track.beats is None else track.beats.size
        row["bars"] = 0 if track.grid is None else track.grid.downbeats.size
        row["sections"] = len(track.sections)
    except InputError as error:
        return row | {"fault": str(error)}
    return row | {"fault": ""}


def load(source: Path | str) -> Dataset:
    """Read a dataset, of whichever kind it is."""
    if str(source) == "bundled":
        return bundled()
    path = Path(source)
    if path.is_file() and path.suffix.lower() == ".json":
        return load_mirdata(path)
    return load_folder(path)


def bundled() -> Dataset:
    """The catalog that ships with the package, with the truth of its scores.

    Raises
    ------
    ResourceMissing : it is not shipped with this installation
    """
    root = bundled_path("data", "bundled")
    tracks = []
    for line in (root / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        facts = json.loads(line)
        path = root / facts["path"]
        truth = root / "truth" / f"{path.stem}.jams"
        tracks.append(DatasetTrack(path.stem, path, (truth,) if truth.is_file() else (), facts))
    return Dataset("bundled", tuple(tracks))


def load_folder(folder: Path | str) -> Dataset:
    """Read a folder of sound files with annotations of their names."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root}: no such folder, and no index of a dataset")
    files = sorted(path for path in root.rglob("*") if path.is_file() and not is_left_over(path, root))
    sounds = [path for path in files if path.suffix.lower() in SUFFIXES]
    if not sounds:
        raise InputError(f"{root}: no sound file in this folder")
    notes: dict[str, list[Path]] = {}
    for path in files:
        if path.suffix.lower() in _PREFERENCE:
            notes.setdefault(path.stem, []).append(path)
    stems = [path.stem for path in sounds]
    tracks, faults = [], []
    for path in sounds:
        alone = stems.count(path.stem) == 1
        found = sorted(notes.get(path.stem, []), key=lambda note: _PREFERENCE.index(note.suffix.lower()))
        if not alone:  # of two files of one name, each takes the annotations of its own folder
            found = [note for note in found if note.parent == path.parent]
        for note in list(found):
            fault = _no_annotation(note)
            if fault:
                faults.append(fault)
                found.remove(note)
        if not found:
            faults.append(f"{path}: nothing is annotated")
        name = path.stem if alone else path.relative_to(root).as_posix()
        tracks.append(DatasetTrack(name, path, tuple(found)))
    used = set(stems)
    faults += [f"{path}: no sound file of this name" for stem in notes if stem not in used for path in notes[stem]]
    return Dataset(root.name, tuple(tracks), tuple(faults))


def load_mirdata(index: Path | str, data_home: Path | str | None = None) -> Dataset:
    """Read an index as mirdata writes it."""
    index = Path(index)
    content = read_bytes(index, InputError)
    try:
        listed = json.loads(decode_text(content))
    except ValueError as error:
        raise InputError(f"{index}: not JSON ({error})") from None
    entries = listed.get("tracks") if isinstance(listed, Mapping) else None
    if not isinstance(entries, Mapping):
        raise InputError(f"{index}: not an index of a dataset, for it has no tracks")
    homes = [Path(data_home)] if data_home is not None else [index.parent, index.parent.parent]
    tracks, faults = [], []
    for name, files in entries.items():
        paths = [found for found in _listed(files) if found is not None]
        here = [next((home / one for home in homes if (home / one).is_file()), None) for one in paths]
        faults += [f"{name}: {one} is missing" for one, found in zip(paths, here, strict=True) if found is None]
        present = [found for found in here if found is not None]
        sounds = [path for path in present if path.suffix.lower() in SUFFIXES]
        notes = [path for path in present if path.suffix.lower() in _PREFERENCE]
        if not sounds:
            faults.append(f"{name}: no sound")
            continue
        notes.sort(key=lambda note: _PREFERENCE.index(note.suffix.lower()))
        tracks.append(DatasetTrack(str(name), sounds[0], tuple(notes)))
    return Dataset(index.stem, tuple(tracks), tuple(faults))


def _listed(files: Any) -> Iterator[str | None]:
    """Paths of the files of one track of an index."""
    for entry in files.values() if isinstance(files, Mapping) else ():
        yield entry[0] if isinstance(entry, list) and entry and isinstance(entry[0], str) else None


def _text(path: Path) -> str:
    content = read_bytes(path, InputError, _MOST_BYTES, "annotations")
    try:
        return decode_text(content)
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is no text") from None


def _holds_beats(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix == ".jams":
        return any(one.get("namespace") in ("beat", "beat_position") for one in _jams(path))
    if suffix in (".beats", ".mid", ".midi"):
        return True
    return _is_beats(_text(path)) and not any(True for _ in _sections(path))


def _is_beats(text: str) -> bool:
    """Whether lines are times of beats: what stands behind a time says a place in a bar, or nothing."""
    started = False
    for cells in _rows(text):
        if _number(cells[0]) is None:
            if started:
                return False
            continue  # a header
        started = True
        if len(cells) > 2 and _number(cells[1]) is not None:
            continue  # points with an end or a value, under any label
        label = cells[1].strip().strip('"').lower() if len(cells) > 1 else ""
        if label and _number(label) is None and label not in DOWNBEATS:
            return False
    return started


def _rows(text: str) -> Iterator[list[str]]:
    """Lines in cells, without comments and empty lines."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield cells_of(line)


def _no_annotation(path: Path) -> str:
    """Why a text, which may hold anything, is no annotation; empty if it may be one, and for all other files."""
    if path.suffix.lower() not in (".txt", ".csv", ".lab"):
        return ""
    try:
        text = _text(path)
    except InputError as error:
        return str(error)
    if _is_beats(text) or any(_number(cells[0]) is not None for cells in _rows(text)):
        return ""
    return f"{path}: neither beats nor sections"


def _jams(path: Path) -> list[Mapping[str, Any]]:
    try:
        return jams_annotations(_text(path))
    except GridError as error:
        raise GridError(f"{path}: {error}") from None


def _sections(path: Path) -> Iterator[AnnotatedSection]:
    """Sections of a file; none where it holds something else."""
    suffix = path.suffix.lower()
    if suffix == ".jams":
        named = [one for one in _jams(path) if str(one.get("namespace", "")).startswith("segment")]
        data = named[0].get("data", []) if named else []
        if not isinstance(data, list):
            raise GridError(f"{path}: the data of the annotation of sections is no list")
        for number, observation in enumerate(data, start=1):
            given = observation if isinstance(observation, Mapping) else {}
            start, length = (_number(str(given.get(name))) for name in ("time", "duration"))
            if start is None or length is None or "value" not in given:
                raise GridError(f"{path}: section {number} needs a time, a duration and a value")
            yield AnnotatedSection(start, start + length, str(given["value"]))
    elif suffix in (".lab", ".txt", ".csv"):
        yield from _labelled_ranges(_text(path), lengths=suffix == ".csv")


def _labelled_ranges(text: str, lengths: bool) -> list[AnnotatedSection]:
    """Ranges of a text: start, end, label a line; or start, length, label. None where a line is no range.

    A Sonic Visualiser region has its value between: start, value, length, label. A label that is a number is a place in
    a bar: then the file holds beats.
    """
    found: list[AnnotatedSection] = []
    for cells in _rows(text):
        if lengths and len(cells) > 3 and _number(cells[2]) is not None:
            cells = [cells[0], *cells[2:]]
        cells = [*cells[:2], ",".join(cells[2:])] if len(cells) > 2 else cells
        numbers = [_number(cell) for cell in cells[:2]]
        if not found and numbers[0] is None:
            continue  # a header
        if len(cells) < 3 or numbers[0] is None or numbers[1] is None or _number(cells[2]) is not None:
            return []
        start, second = numbers[0], numbers[1]
        end = start + second if lengths else second
        if not end > start:
            return []
        found.append(AnnotatedSection(start, end, cells[2].strip().strip('"')))
    return found


def _number(text: str) -> float | None:
    try:
        number = float(text.strip().strip('"'))
    except ValueError:
        return None
    return number if np.isfinite(number) else None
