"""Manifests: a list of tracks in CSV or JSON lines, read row by row.

A row names a file by `path`, relative to the manifest's folder, and may give `track_id` and any track field. Lists are
JSON lists, or texts with `;` between the items in CSV, where an empty cell is no value and flags are true/false,
yes/no or 1/0. A bad row is reported with its line and does not stop the others; a column that means nothing here
is named once in a warning.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.catalog.track import FIELD_KINDS, checked_fields
from workbench.errors import ManifestError, ParameterError

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_OWN = ("path", "track_id")
_SUFFIXES = (".csv", ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One good row."""

    line: int
    """line of the file at which the row ends, from 1"""
    path: Path
    """absolute; not looked at yet"""
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
    """What a manifest holds."""

    rows: tuple[ManifestRow, ...]
    faults: tuple[RowFault, ...]
    warnings: tuple[str, ...]


def is_manifest(path: Path) -> bool:
    """Whether a file is taken for a manifest, by its suffix."""
    return path.suffix.lower() in _SUFFIXES


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises
    ------
    ManifestError : no such file, not a manifest by its suffix, not UTF-8, no `path` column, an unreadable CSV
    """
    path = Path(path).absolute()
    if not is_manifest(path):
        raise ManifestError(f"{path}: a manifest is a .csv or .jsonl file")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ManifestError(f"{path}: no such manifest") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise ManifestError(f"{path}, line {line}: not UTF-8; save the manifest as UTF-8") from None
    except OSError as error:
        raise ManifestError(f"{path}: cannot be read ({error.strerror})") from None
    raw = _csv_rows(path, text) if path.suffix.lower() == ".csv" else _json_rows(text)
    return _gathered(path, raw)


def _gathered(path: Path, raw: Iterator[tuple[int, dict[str, Any] | str]]) -> Manifest:
    rows: list[ManifestRow] = []
    faults: list[RowFault] = []
    unknown: dict[str, None] = {}
    lines_of: dict[str, int] = {}
    for line, values in raw:
        try:
            if isinstance(values, str):
                raise ParameterError(values)
            unknown.update(dict.fromkeys(name for name in values if name not in FIELD_KINDS and name not in _OWN))
            row = _row(path.parent, line, values)
            if row.track_id is not None and row.track_id in lines_of:
                raise ParameterError(f"track_id {row.track_id!r} stands in line {lines_of[row.track_id]} already")
        except ParameterError as error:
            faults.append(RowFault(line, f"{path.name}, line {line}: {error}"))
            continue
        if row.track_id is not None:
            lines_of[row.track_id] = line
        rows.append(row)
    warnings = (f"{path.name}: ignored unknown columns: {', '.join(unknown)}",) if unknown else ()
    return Manifest(tuple(rows), tuple(faults), warnings)


def _row(folder: Path, line: int, values: dict[str, Any]) -> ManifestRow:
    name, track_id = values.get("path"), values.get("track_id")
    if not isinstance(name, str) or not name.strip():
        raise ParameterError("no path")
    if "\0" in name:
        raise ParameterError("a path cannot hold a NUL character")
    if track_id is not None and not (isinstance(track_id, str) and 1 <= len(track_id.strip()) <= 128):
        raise ParameterError(f"track_id must be text of 1 to 128 characters, got {track_id!r}")
    fields = checked_fields({key: value for key, value in values.items() if key in FIELD_KINDS})
    return ManifestRow(line, folder / name.strip(), track_id.strip() if track_id else None, fields)


def _json_rows(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    for line, source in enumerate(text.split("\n"), start=1):
        if not source.strip():
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
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if "path" not in header:
            raise ManifestError(f"{path}: no column is called path; the first line names the columns")
        doubled = {name for name in header if name and header.count(name) > 1}
        if doubled:
            raise ManifestError(f"{path}: two columns are called {min(doubled)}")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(header):
                yield reader.line_num, f"{len(cells)} cells under {len(header)} columns; quote cells that hold a comma"
                continue
            filled = {name: cell.strip() for name, cell in zip(header, cells, strict=False) if name and cell.strip()}
            yield reader.line_num, _typed(filled)
    except csv.Error as error:
        raise ManifestError(f"{path}, line {reader.line_num}: not CSV ({error})") from None


def _typed(cells: dict[str, str]) -> dict[str, Any] | str:
    """The cells of one row in the types of their columns, or what is wrong with one."""
    values: dict[str, Any] = dict(cells)
    for name, cell in cells.items():
        match FIELD_KINDS.get(name):
            case "number":
                try:
                    values[name] = float(cell)
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
