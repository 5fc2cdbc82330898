"""Undo and redo: the history of a project as a list of changes, stored with it in the database.

What can be changed has a key. A key without a slash is a field of the project (`plan`, `fades`, `params`); one with a
slash is a record that belongs to its track, of a kind that `KINDS` lists: `grid/HASH`, `verdict/ID`. A state is the
values of all keys at one time. A change is how two states differ, with words for people:

    "crossfade of seam 2: 80 -> 120 ms"    {"plan": (before, after), "fades": (before, after)}

To undo a change writes what was there before under its keys, and under no others, in one transaction. A record that
somebody changed since, such as from another project on the same track, is left as it is, which is said. A history
survives a reload and a restart, and two windows on one project share it. More kinds of records join by an entry in
`KINDS`.

Classes: `RecordKind`, `StepBack`. Functions: `read_records`, `differing`, `record_change`, `amend_change`;
`undo_change`, `redo_change`; `list_changes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from workbench.analysis.workspace import Workspace
from workbench.review import project_records as projects
from workbench.review import verdict_records as verdicts
from workbench.review.project_records import Change, Edits
from workbench.store import saved as grids
from workbench.store.grid_records import make_record

if TYPE_CHECKING:
    from pydantic import JsonValue
    from sqlalchemy import Connection

__all__ = [
    "KINDS",
    "Change",
    "Edits",
    "RecordKind",
    "State",
    "StepBack",
    "amend_change",
    "differing",
    "list_changes",
    "read_records",
    "record_change",
    "redo_change",
    "undo_change",
]

State: TypeAlias = "dict[str, JsonValue]"  # values by key; a key that is missing has none


@dataclass(frozen=True, slots=True)
class RecordKind:
    """Records outside of the project's own fields that can be changed, and changed back."""

    words: str  # what one of them is, for people
    # Takes a transaction, the id of the project and the SHA-256 of its track's bytes in hex (empty for none yet); the
    # records by id
    read: Callable[[Connection, str, str], Mapping[str, JsonValue]]
    # Takes a transaction that writes, an id and what is kept under it from now on; None: nothing is
    write: Callable[[Connection, str, JsonValue], None]
    # Takes a transaction and an id; what is kept under it, None for nothing
    get: Callable[[Connection, str], JsonValue]


@dataclass(frozen=True, slots=True)
class StepBack:
    """A change that was undone, or done again."""

    change: Change
    values: State  # what was put under its keys; None: nothing is there any more
    left: tuple[str, ...]  # keys of records that were changed since, which stay as they are

    @property
    def sentence(self) -> str:
        """On what was left; empty where all of the change was put back."""
        kinds = dict.fromkeys(KINDS[key.partition("/")[0]].words for key in self.left)
        return f"{' and '.join(kinds)}: changed since by somebody else, so left as it is now" if kinds else ""


def _read_grid(connection: Connection, _: str, content_hash: str) -> Mapping[str, JsonValue]:
    kept = grids.get(connection, content_hash)
    if kept is None:
        return {}
    return {
        content_hash: {
            "beats": list(kept.beats),
            "positions": list(kept.positions),
            "beats_per_bar": kept.beats_per_bar,
            "note": kept.note,
            "confidence": kept.confidence,
        }
    }


def _get_grid(connection: Connection, content_hash: str) -> JsonValue:
    return _read_grid(connection, "", content_hash).get(content_hash)


def _write_grid(connection: Connection, content_hash: str, content: JsonValue) -> None:
    if content is None:
        grids.remove(connection, content_hash)
    else:
        grids.put(connection, make_record(content_hash, **cast("dict[str, Any]", content)))


def _read_verdicts(connection: Connection, _: str, content_hash: str) -> Mapping[str, JsonValue]:
    return {kept.verdict_id: asdict(kept) for kept in verdicts.every(connection, content_hash)}


def _get_verdict(connection: Connection, verdict_id: str) -> JsonValue:
    kept = verdicts.get(connection, verdict_id)
    return None if kept is None else asdict(kept)


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


def read_records(workspace: Workspace, project_id: str, content_hash: str) -> State:
    """The records of every kind that belong to a project and its track, whose hash is empty if there is none yet."""
    with workspace.database.read() as connection:
        return {
            f"{name}/{record_id}": content
            for name, kind in KINDS.items()
            for record_id, content in kind.read(connection, project_id, content_hash).items()
        }


def differing(before: State, after: State) -> Edits:
    """How two states differ, by key; a key that one of them lacks has no value there."""
    keys = dict.fromkeys((*before, *after))
    return {key: (before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)}


def record_change(workspace: Workspace, project_id: str, words: str, edits: Edits) -> Change | None:
    """Add a change to the history of a project, and save the fields that it changed; None if nothing differs.

    Records of other kinds are written by whoever changed them. Changes that were undone before cannot be redone from
    then on. Raises `UnknownProject`.
    """
    if not edits:
        return None
    with workspace.database.write() as connection:
        projects.put_fields(connection, project_id, _fields(edits))
        return projects.add_change(connection, project_id, words, edits)


def amend_change(workspace: Workspace, project_id: str, number: int, edits: Edits) -> bool:
    """Add to a change what came of it later, such as the plan that was made for it, and save it in the project.

    A change that was undone or forgotten stays as it is, and so does the project: then False. Raises `UnknownProject`.
    """
    with workspace.database.write() as connection:
        projects.get(connection, project_id)
        amended = projects.amend_change(connection, project_id, number, edits)
        if amended:
            projects.put_fields(connection, project_id, _fields(edits))
        return amended


def undo_change(workspace: Workspace, project_id: str) -> StepBack | None:
    """Undo the last change of a project: the change, and the state before it; None if there is nothing to undo.

    Raises `UnknownProject`.
    """
    with workspace.database.write() as connection:
        holding = [change for change in projects.changes(connection, project_id) if not change.undone]
        if not holding:
            return None
        swapped = {key: (after, before) for key, (before, after) in holding[-1].edits.items()}
        projects.mark_undone(connection, project_id, holding[-1].number, undone=True)
        return _write(connection, project_id, holding[-1], swapped)


def redo_change(workspace: Workspace, project_id: str) -> StepBack | None:
    """Redo the change that was undone last: the change, and the state after it; None if there is nothing to redo.

    Raises `UnknownProject`.
    """
    with workspace.database.write() as connection:
        undone = [change for change in projects.changes(connection, project_id) if change.undone]
        if not undone:
            return None
        projects.mark_undone(connection, project_id, undone[0].number, undone=False)
        return _write(connection, project_id, undone[0], undone[0].edits)


def list_changes(workspace: Workspace, project_id: str) -> list[Change]:
    """The history of a project, oldest first: changes that hold, then those that were undone."""
    with workspace.database.read() as connection:
        return projects.changes(connection, project_id)


def _fields(edits: Edits) -> State:
    """What the project's own fields are after a change."""
    return {key: after for key, (_, after) in edits.items() if "/" not in key}


def _write(connection: Connection, project_id: str, change: Change, edits: Edits) -> StepBack:
    """Put the second value of every key in place of its first."""
    values = _fields(edits)
    projects.put_fields(connection, project_id, values)
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
    return StepBack(change, values, tuple(left))
