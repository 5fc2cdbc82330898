"""Undo and redo: the history of a project as a list of changes, stored with it in the database.

What can be changed has a key. A key without a slash is a field of the project (`plan`, `fades`, `params`); one with a
slash is a record that belongs to its track, of a kind that `KINDS` lists: `grid/HASH`, `verdict/ID`. A state is the
values of all keys at one time. A change is how two states differ, with words for people:

    "crossfade of seam 2: 80 -> 120 ms"    {"plan": (before, after), "fades": (before, after)}

To undo a change writes what was there before under its keys, and under no others, in one transaction. A record that
was changed since, such as from another project on the same track, is left as it is, and the result says so. A history
survives a reload and a restart. More kinds of records join by an entry in `KINDS`.

Several windows may be open on one project. They share its history, and each undoes its own changes, and those of
windows that were closed. A change says which revision of the project it was made on. If another window has written
since, parameters are merged one by one and other fields whole; where both changed the same, nothing is saved. In
the same way undo leaves alone what a later step of another window has changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from sqlalchemy import Connection, Row, func, select

from workbench.analysis.workspace import Workspace
from workbench.errors import ChangedElsewhere
from workbench.review import verdicts
from workbench.review.projects import get_fields, get_revision, json_text, put_fields
from workbench.store import saved as grids
from workbench.store.database import now, project_changes

if TYPE_CHECKING:
    from pydantic import JsonValue


MOST_CHANGES = 200  # saved for a project; the oldest are deleted first
_MERGED = ("params",)  # fields whose parts do not depend on each other

Fields: TypeAlias = "dict[str, JsonValue]"  # values by key; a key that is missing has none
# by key: the value before and after; None where there was none
Edits: TypeAlias = "dict[str, tuple[JsonValue, JsonValue]]"


@dataclass(frozen=True, slots=True)
class Change:
    """A step of a project's history."""

    number: int
    """from 1, in the order in which they were made"""
    words: str
    """what was changed, such as "crossfade of seam 2: 80 -> 120 ms" """
    edits: Edits
    undone: bool
    at: str
    """ISO 8601, UTC"""
    window: str = ""
    """in which it was made; empty where that is not known"""


@dataclass(frozen=True, slots=True)
class RecordKind:
    """Records outside of the project's own fields that can be changed, and changed back."""

    words: str  # what one of them is, for people
    # Takes a transaction, the id of the project and the SHA-256 of its track's bytes in hex (empty for none yet); the
    # records by id
    read: Callable[[Connection, str, str], Mapping[str, JsonValue]]
    # Takes a transaction that writes, an id and the new value; None deletes it
    write: Callable[[Connection, str, JsonValue], None]
    # Takes a transaction and an id; the saved value, None for none
    get: Callable[[Connection, str], JsonValue]


@dataclass(frozen=True, slots=True)
class Window:
    """In which a change is made."""

    name: str
    others: frozenset[str] = frozenset()  # names of the other windows that are open on the project


NO_WINDOW = Window("")  # a program, not a window


@dataclass(frozen=True, slots=True)
class Saved:
    """A change as it was saved, and the project's revision after it."""

    revision: int  # of the project now
    edits: Edits  # as they were made, merged with the values there
    change: Change | None  # in the history; None for one without words, or without edits


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of undoing or redoing a change."""

    change: Change
    values: Fields  # the new values of its keys; None: the key is gone
    left: tuple[str, ...]  # keys of records that were changed since, which stay as they are

    @property
    def sentence(self) -> str:
        """Names the kinds of records that were left; empty where all of the change was undone."""
        kinds = dict.fromkeys(KINDS[key.partition("/")[0]].words for key in self.left)
        return f"{' and '.join(kinds)}: changed since by another user, so left as it is now" if kinds else ""


def _read_grid(connection: Connection, _: str, content_hash: str) -> Mapping[str, JsonValue]:
    saved = grids.get(connection, content_hash)
    if saved is None:
        return {}
    return {
        content_hash: {
            "beats": list(saved.beats),
            "positions": list(saved.positions),
            "beats_per_bar": saved.beats_per_bar,
            "note": saved.note,
            "confidence": saved.confidence,
        }
    }


def _get_grid(connection: Connection, content_hash: str) -> JsonValue:
    return _read_grid(connection, "", content_hash).get(content_hash)


def _write_grid(connection: Connection, content_hash: str, content: JsonValue) -> None:
    if content is None:
        grids.remove(connection, content_hash)
    else:
        grids.put(connection, grids.make_record(content_hash, **cast("dict[str, Any]", content)))


def _read_verdicts(connection: Connection, _: str, content_hash: str) -> Mapping[str, JsonValue]:
    return {saved.verdict_id: asdict(saved) for saved in verdicts.every(connection, content_hash)}


def _get_verdict(connection: Connection, verdict_id: str) -> JsonValue:
    saved = verdicts.get(connection, verdict_id)
    return None if saved is None else asdict(saved)


def _write_verdict(connection: Connection, verdict_id: str, content: JsonValue) -> None:
    if content is None:
        verdicts.remove(connection, verdict_id)
    else:
        verdicts.put(connection, verdicts.Verdict(**cast("dict[str, Any]", content)))


# by name: what comes before the slash of a key
KINDS: dict[str, RecordKind] = {
    "grid": RecordKind("the grid", _read_grid, _write_grid, _get_grid),
    "verdict": RecordKind("a verdict", _read_verdicts, _write_verdict, _get_verdict),
}


def read_records(workspace: Workspace, project_id: str, content_hash: str) -> Fields:
    """The records of every kind that belong to a project and its track, whose hash is empty if there is none yet."""
    with workspace.database.read() as connection:
        return {
            f"{name}/{record_id}": content
            for name, kind in KINDS.items()
            for record_id, content in kind.read(connection, project_id, content_hash).items()
        }


def differing(before: Fields, after: Fields) -> Edits:
    """How two states differ, by key; a key that one of them lacks has no value there."""
    keys = dict.fromkeys((*before, *after))
    return {key: (before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)}


def record_change(
    workspace: Workspace, project_id: str, words: str, edits: Edits, by: Window = NO_WINDOW, on: int | None = None
) -> Saved:
    """Save the fields that a change has changed, and add it to the history unless it has no words.

    Records of other kinds are written by the code that changes them. Changes that were undone before cannot be redone
    from then on. `on` is the revision that the values before are of: where the project has another one by now, what
    does not touch is merged. None: overwrites the present values. Raises `ChangedElsewhere` and `UnknownProject`.
    """
    with workspace.database.write() as connection:
        edits = _merge(connection, project_id, edits, by, on)
        change = None
        if edits:
            put_fields(connection, project_id, _fields(edits))
            if words:
                change = _add_change(connection, project_id, words, edits, by)
        return Saved(get_revision(connection, project_id), edits, change)


def amend_change(
    workspace: Workspace, project_id: str, number: int, edits: Edits, by: Window = NO_WINDOW, on: int | None = None
) -> Saved:
    """Add to a change what came of it later, such as the plan that was made for it, and save it in the project.

    A change that was undone or forgotten stays as it is, and so does the project: then nothing is saved. Errors and
    `on` as of `record_change`.
    """
    mine = (project_changes.c.project_id == project_id) & (project_changes.c.number == number)
    with workspace.database.write() as connection:
        edits = _merge(connection, project_id, edits, by, on)
        row = connection.execute(select(project_changes).where(mine)).one_or_none()
        if row is None or row.undone:
            return Saved(get_revision(connection, project_id), {}, None)
        known = _change(row).edits
        merged = {key: (known.get(key, edit)[0], edit[1]) for key, edit in edits.items()}
        change = replace(_change(row), edits={**known, **merged})
        connection.execute(project_changes.update().where(mine).values(edits=json_text(change.edits)))
        put_fields(connection, project_id, _fields(edits))
        return Saved(get_revision(connection, project_id), edits, change)


def _add_change(connection: Connection, project_id: str, words: str, edits: Edits, by: Window) -> Change:
    """Add a change; undone changes are deleted, except those of other open windows, and so are the oldest changes."""
    mine = project_changes.c.project_id == project_id
    last = connection.scalar(select(func.max(project_changes.c.number)).where(mine)) or 0
    gone = project_changes.c.undone & project_changes.c.window.not_in(by.others)
    connection.execute(project_changes.delete().where(mine, gone))
    change = Change(last + 1, words, dict(edits), False, now(), by.name)
    values = asdict(change) | {"project_id": project_id, "edits": json_text(change.edits)}
    connection.execute(project_changes.insert().values(values))
    connection.execute(project_changes.delete().where(mine, project_changes.c.number <= change.number - MOST_CHANGES))
    return change


def _changes(connection: Connection, project_id: str) -> list[Change]:
    mine = project_changes.c.project_id == project_id
    query = select(project_changes).where(mine).order_by(project_changes.c.number)
    return [_change(row) for row in connection.execute(query)]


def _change(row: Row[Any]) -> Change:
    edits = {key: (before, after) for key, (before, after) in json.loads(row.edits).items()}
    return Change(row.number, row.words, edits, bool(row.undone), row.at, row.window)


def _mark(connection: Connection, project_id: str, change: Change, *, undone: bool) -> None:
    mine = (project_changes.c.project_id == project_id) & (project_changes.c.number == change.number)
    connection.execute(project_changes.update().where(mine).values(undone=undone))


def _merge(connection: Connection, project_id: str, edits: Edits, by: Window, on: int | None) -> Edits:
    """Edits that were made on an older revision, as they are on the present one."""
    if on is None or get_revision(connection, project_id) == on:
        return edits
    now, merged = get_fields(connection, project_id), dict(edits)
    for key in _fields(edits):
        before, after = edits[key]
        try:
            merged[key] = now.get(key), _merged(key, before, after, now.get(key))
        except _Touches:
            theirs = _last_of_others(connection, project_id, key, by)
            raise ChangedElsewhere("" if theirs is None else theirs.words) from None
    return {key: edit for key, edit in merged.items() if "/" in key or edit[0] != edit[1]}


class _Touches(Exception):
    """Two changes of the same value."""


def _merged(key: str, before: JsonValue, after: JsonValue, now: JsonValue) -> JsonValue:
    """A value with a change that was made when it was another one; parameters merge one by one."""
    if now == before:
        return after
    if after in (before, now):
        return now
    if key not in _MERGED or not all(isinstance(value, dict) for value in (before, after, now)):
        raise _Touches
    old, new, there = (cast("dict[str, Any]", value) for value in (before, after, now))
    merged: dict[str, JsonValue] = {}
    for name in {**there, **old, **new}:
        value = _merged(key, old.get(name), new.get(name), there.get(name))
        if value is not None:
            merged[name] = value
    return merged


def _last_of_others(connection: Connection, project_id: str, key: str, by: Window, after: int = 0) -> Change | None:
    """The last change of a key that holds, among those of other windows with a number above `after`."""
    return next(
        (
            change
            for change in reversed(_changes(connection, project_id))
            if change.number > after and not change.undone and change.window != by.name and key in change.edits
        ),
        None,
    )


def undo_change(workspace: Workspace, project_id: str, by: Window = NO_WINDOW) -> UndoResult | None:
    """Undo the last change of a project that no other open window made; None if there is nothing to undo.

    Raises `ChangedElsewhere` if a later step of another window has changed the same, and `UnknownProject`.
    """
    with workspace.database.write() as connection:
        own = [change for change in _own(connection, project_id, by) if not change.undone]
        if not own:
            return None
        swapped = {key: (after, before) for key, (before, after) in own[-1].edits.items()}
        _mark(connection, project_id, own[-1], undone=True)
        return _write(connection, project_id, own[-1], swapped, by)


def redo_change(workspace: Workspace, project_id: str, by: Window = NO_WINDOW) -> UndoResult | None:
    """Redo the change that was undone last, unless another open window made it; None if there is nothing to redo.

    Errors as of `undo_change`.
    """
    with workspace.database.write() as connection:
        own = [change for change in _own(connection, project_id, by) if change.undone]
        if not own:
            return None
        _mark(connection, project_id, own[0], undone=False)
        return _write(connection, project_id, own[0], own[0].edits, by)


def _own(connection: Connection, project_id: str, by: Window) -> list[Change]:
    return [change for change in _changes(connection, project_id) if change.window not in by.others]


def list_changes(workspace: Workspace, project_id: str) -> list[Change]:
    """The history of a project, oldest first: changes that hold, then undone ones."""
    with workspace.database.read() as connection:
        return _changes(connection, project_id)


def _fields(edits: Edits) -> Fields:
    """What the project's own fields are after a change."""
    return {key: after for key, (_, after) in edits.items() if "/" not in key}


def _write(connection: Connection, project_id: str, change: Change, edits: Edits, by: Window) -> UndoResult:
    """Put the second value of every key in place of its first, and of what followed from it without a step."""
    fields = get_fields(connection, project_id)
    values: Fields = {}
    for key in _fields(edits):
        try:
            values[key] = _merged(key, *edits[key], fields.get(key))
        except _Touches:
            theirs = _last_of_others(connection, project_id, key, by, change.number)
            if theirs is not None:
                raise ChangedElsewhere(theirs.words) from None
            values[key] = edits[key][1]
    put_fields(connection, project_id, values)
    left = []
    for key, (known, wanted) in edits.items():
        name, slash, record_id = key.partition("/")
        if not slash or name not in KINDS:  # a later version of this package may know more kinds
            continue
        now = KINDS[name].get(connection, record_id)
        if now == known:
            KINDS[name].write(connection, record_id, wanted)
        if now in (known, wanted):
            values[key] = wanted
        else:
            left.append(key)
    return UndoResult(change, values, tuple(left))
