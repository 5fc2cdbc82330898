"""Manifests: a list of tracks in CSV or JSON lines, read row by row.

A row names a file by `path`, relative to the manifest's folder, and may give `track_id` and any track field. Lists are
JSON lists, or texts with `;` between the items in CSV, where an empty cell is no value and flags are true/false,
yes/no, 1/0 or x, or the words of a German, French, Spanish or Italian spreadsheet. A bad row is reported with its line
and does not stop the others; an unknown column is named once in a warning. Names of columns may be in any case.

CSV is what spreadsheets save: cells are separated by commas, semicolons, tabs or bars, with or without a first line
`sep=;`, numbers may have a decimal comma, and those of 0 to 1 may be per cent. A path may stand in quotes, begin with
`~` or be a `file:` address; one that is not there as written is looked for with backslashes as slashes, and with its
letters in the other normal form of Unicode.

A file may be UTF-8 or UTF-16. A row with other bytes, with a quote that is never closed or with a text that is too
long is bad by itself: reading goes on at the line after its first.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PureWindowsPath
from typing import Any
from unicodedata import normalize
from urllib.request import url2pathname

from workbench.catalog.track import FIELD_KINDS, FIELD_RANGES, validate_fields
from workbench.errors import ManifestError, ParameterError
from workbench.files import decode_text, list_names

_YES = ("true", "yes", "1", "x", "wahr", "ja", "vrai", "oui", "verdadero", "sí", "si", "vero", "sì")
_NO = ("false", "no", "0", "falsch", "nein", "faux", "non", "falso")
_FLAGS = dict.fromkeys(_YES, True) | dict.fromkeys(_NO, False)
_OWN = ("path", "track_id")
_PASSED_OVER = ("isrc", "source_url")
"""fields whose fault does not cost the track: nothing is measured or ranked by them"""
_JSON_SUFFIXES = (".jsonl", ".ndjson")
_CSV_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
_DELIMITERS = ",;\t|"
_NamesIn = Callable[[Path], Mapping[str, Sequence[str]]]
"""the names in a folder by their composed form"""
_NOT_UTF8 = "not UTF-8; save the manifest as UTF-8"
_MOST_LINES = 1000
"""lines of one row at most; a quote that spans more counts as never closed"""
_LONGEST_CELL = 2**28
"""characters of a cell that the reader takes; fields are far shorter"""


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One good row."""

    line: int
    """line of the file at which the row ends, from 1"""
    path: Path
    """absolute, on this or on another system; it need not exist"""
    track_id: str | None
    fields: dict[str, Any]
    """track fields by name, in their own types"""


@dataclass(frozen=True, slots=True)
class RowFault:
    """One bad row, and why."""

    line: int
    message: str
    """one sentence that starts with the manifest's name and the line"""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The valid rows of a manifest, the faults of the invalid ones, and warnings."""

    rows: tuple[ManifestRow, ...]
    faults: tuple[RowFault, ...]
    warnings: tuple[str, ...]


def is_manifest(path: Path) -> bool:
    """Whether a file counts as a manifest, by its suffix."""
    return path.suffix.lower() in _JSON_SUFFIXES + _CSV_SUFFIXES


def read_manifest(path: Path) -> Manifest:
    """Read a manifest: good rows in the order of the file, and a fault for each bad one.

    Paths in it are relative to its folder. Raises `ManifestError` where there is no such file, or it cannot be read; it
    is no manifest by its suffix; its first line is not CSV, has no `path` column or names a column twice; or it begins
    like UTF-16 but is not.
    """
    path = Path(path).absolute()
    if not is_manifest(path):
        raise ManifestError(f"{path}: a manifest is a .csv or .jsonl file")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ManifestError(f"{path}: no such manifest") from None
    except OSError as error:
        raise ManifestError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        text = decode_text(raw, "surrogateescape")  # bytes that are not UTF-8 are only the fault of their row
    except UnicodeDecodeError:
        raise ManifestError(f"{path}: begins as UTF-16 and is none; save the manifest as UTF-8") from None
    return _gathered(path, _json_rows(text) if path.suffix.lower() in _JSON_SUFFIXES else _csv_rows(path, text))


def _is_foreign(text: str) -> bool:
    """Whether a text holds bytes that were not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _gathered(path: Path, raw: Iterator[tuple[int, dict[str, Any] | str]]) -> Manifest:
    rows: list[ManifestRow] = []
    faults: list[RowFault] = []
    unknown: dict[str, None] = {}
    warnings: list[str] = []
    lines_of: dict[str, int] = {}
    names_in = lru_cache(_names_by_form)  # a folder is listed once, however many rows name files that are not there
    for line, values in raw:
        try:
            if isinstance(values, str):
                raise ParameterError(values)
            values = {name.strip().lower(): value for name, value in values.items()}
            unknown.update(dict.fromkeys(name for name in values if name not in FIELD_KINDS and name not in _OWN))
            for name in _PASSED_OVER:
                try:
                    validate_fields({name: values.get(name)})
                except ParameterError as error:
                    del values[name]
                    warnings.append(f"{path.name}, line {line}: added without {name}: {error}")
            row = _row(path.parent, line, values, names_in)
            if row.track_id is not None and row.track_id in lines_of:
                raise ParameterError(f"track_id {row.track_id!r} stands in line {lines_of[row.track_id]} already")
        except ParameterError as error:
            faults.append(RowFault(line, f"{path.name}, line {line}: {error}"))
            continue
        if row.track_id is not None:
            lines_of[row.track_id] = line
        rows.append(row)
    if unknown:
        warnings.insert(0, f"{path.name}: ignored unknown columns: {', '.join(unknown)}")
    return Manifest(tuple(rows), tuple(faults), tuple(warnings))


def _row(folder: Path, line: int, values: dict[str, Any], names_in: _NamesIn) -> ManifestRow:
    name, track_id = values.get("path"), values.get("track_id")
    if not isinstance(name, str) or not name.strip():
        raise ParameterError("no path")
    if track_id is not None and not (isinstance(track_id, str) and 1 <= len(track_id.strip()) <= 128):
        raise ParameterError(f"track_id must be text of 1 to 128 characters, got {track_id!r}")
    fields = validate_fields({key: value for key, value in values.items() if key in FIELD_KINDS})
    path = _find_file(folder, name.strip(), names_in)
    return ManifestRow(line, path, track_id.strip() if track_id else None, fields)


def _find_file(folder: Path, name: str, names_in: _NamesIn) -> Path:
    """The file that a row names, written as any system writes it; where there is none, the path as it stands."""
    address = re.fullmatch(r"file:(?://[^/]*)?(/.*)", name, re.IGNORECASE)
    quoted = re.fullmatch(r'"(.+)"', name)  # as file managers copy a path
    plain = url2pathname(address[1]) if address else quoted[1] if quoted else name
    if "\0" in plain:
        raise ParameterError("a path cannot hold a NUL character")
    path = folder / os.path.expanduser(plain)
    for written in (path, Path(str(path).replace("\\", "/"))):
        found = _find_in_any_form(written, names_in)
        if found is not None:
            return found
    return Path(plain) if PureWindowsPath(plain).is_absolute() else path


def _find_in_any_form(path: Path, names_in: _NamesIn) -> Path | None:
    """The file at a path, whose parts may have another normal form on disk; None unless there is one alone."""
    if os.path.exists(path):
        return path
    found = Path(path.anchor)
    for part in path.parts[1:]:
        alike = [part] if os.path.exists(found / part) else names_in(found).get(normalize("NFC", part), ())
        if len(alike) != 1:
            return None
        found /= alike[0]
    return found


def _names_by_form(folder: Path) -> Mapping[str, Sequence[str]]:
    names: dict[str, list[str]] = {}
    for name in list_names(folder):
        names.setdefault(normalize("NFC", name), []).append(name)
    return names


def _json_rows(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    for line, source in enumerate(text.split("\n"), start=1):
        if not source.strip():
            continue
        if _is_foreign(source):
            yield line, _NOT_UTF8
            continue
        try:
            values = json.loads(source, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            yield line, f"not JSON ({error})"
            continue
        yield line, values if isinstance(values, dict) else "not a JSON object"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    lines = text.splitlines(keepends=True) if "\n" not in text else [line + "\n" for line in text.split("\n")]
    with _long_cells():
        stated = re.match(r'"?sep=([^"\r\n])"?[\r\n]', text, re.IGNORECASE)
        start = 0 if stated is None else 1
        headers = [(_csv_row(lines, start, one), one) for one in (_DELIMITERS if stated is None else stated[1])]
        (first, at), delimiter = next((one for one in headers if "path" in _column_names(one[0][0])), headers[0])
        if isinstance(first, str):
            raise ManifestError(f"{path}, line {start + 1}: not CSV ({first})")
        header = _column_names(first)
        if "path" not in header:
            raise ManifestError(f"{path}: no column is called path; the first line names the columns")
        doubled = {name for name in header if name and header.count(name) > 1}
        if doubled:
            raise ManifestError(f"{path}: two columns are called {min(doubled)}")
        while at < len(lines):
            cells, after = _csv_row(lines, at, delimiter)
            row = _filled(header, cells)
            if isinstance(row, str):  # the lines that a stray quote took in may be good rows
                yield at + 1, row
                at += 1
                continue
            at = after
            if row:
                yield at, row


def _column_names(cells: list[str] | str) -> list[str]:
    return [] if isinstance(cells, str) else [name.strip().lower() for name in cells]


def _csv_row(lines: Sequence[str], at: int, delimiter: str) -> tuple[list[str] | str, int]:
    """The cells of the row that begins at a line, or what is wrong with it; and the line after it, from 0."""
    some = (lines[k] for k in range(at, min(len(lines), at + _MOST_LINES)))
    try:
        reader = csv.reader(some, delimiter=delimiter, strict=True)
        cells = next(reader, [])
    except (csv.Error, ValueError) as error:  # a ValueError where no such character can part cells
        return f"not CSV ({error})", at + 1
    return cells, at + max(1, reader.line_num)


def _filled(header: Sequence[str], cells: list[str] | str) -> dict[str, Any] | str:
    """The cells of a row that hold something, by column, in their types; or what is wrong with the row."""
    if isinstance(cells, str):
        return cells
    if len(cells) > len(header) and any(cell.strip() for cell in cells):
        return f"{len(cells)} cells under {len(header)} columns; quote cells that hold what separates them"
    if any(_is_foreign(cell) for cell in cells):
        return _NOT_UTF8
    return _typed({name: cell.strip() for name, cell in zip(header, cells, strict=False) if name and cell.strip()})


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let the reader take long cells, so that one is refused by itself and not with everything after it."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _typed(cells: dict[str, str]) -> dict[str, Any] | str:
    """The cells of one row in the types of their columns, or what is wrong with one."""
    values: dict[str, Any] = dict(cells)
    for name, cell in cells.items():
        match FIELD_KINDS.get(name):
            case "number":
                whole = 100 if cell.endswith("%") and FIELD_RANGES[name] == (0.0, 1.0) else 1
                number = cell if whole == 1 else cell[:-1]
                try:
                    values[name] = float(number if "." in number else number.replace(",", ".")) / whole
                except ValueError:
                    return f"{name} must be a number, got {cell!r}"
            case "flag":
                if cell.lower() not in _FLAGS:
                    return f"{name} must be true or false, got {cell!r}"
                values[name] = _FLAGS[cell.lower()]
            case "list":
                values[name] = cell.split(";")
            case _:
                continue
    return values
