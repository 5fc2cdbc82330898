"""Projects: a video and a track in work, with the decisions about them and their history.

A project has fields (its plan, its parameters, where it was looked at last), each a row of its own: writing one
field leaves the others as they are. A field is any JSON; what is in it is for `workbench.review.projects` to know.
Whenever fields are written the project's revision rises by one.

Its changes are a list. Each says in words what was changed and in which window, and holds by key what was there before
and after; one that was undone stays, to be done again, until its window makes another one.

Functions take a connection whose transaction the caller owns.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import Connection, Row, func, select
from ulid import ULID

from workbench.errors import UnknownProject
from workbench.store.database import now, project_changes, project_fields, projects

if TYPE_CHECKING:
    from pydantic import JsonValue

Edits: TypeAlias = "dict[str, tuple[JsonValue, JsonValue]]"
"""by key: what was there before, and after; None where there was nothing"""

MOST_CHANGES = 200
"""changes saved for a project; the oldest are deleted first"""


@dataclass(frozen=True, slots=True)
class Project:
    """A video and a track in work."""

    project_id: str
    name: str
    video: str
    """absolute path; empty for none yet"""
    track: str
    """absolute path, or id of a track of the catalog; empty for none yet"""
    created_at: str
    """ISO 8601, UTC"""
    changed_at: str
    """ISO 8601, UTC"""


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


def add(connection: Connection, name: str, video: str, track: str) -> Project:
    """Begin a project."""
    at = now()
    project = Project(f"prj_{ULID()}", name, video, track, at, at)
    connection.execute(projects.insert().values(**{field: getattr(project, field) for field in Project.__slots__}))
    return project


def get(connection: Connection, project_id: str) -> Project:
    """The project of an id; UnknownProject if there is none."""
    row = connection.execute(select(projects).where(projects.c.project_id == project_id)).one_or_none()
    if row is None:
        raise UnknownProject(f"{project_id}: no project of that id")
    return _project(row)


def recent(connection: Connection, at_most: int | None) -> list[Project]:
    """The projects that were changed last, newest first."""
    query = select(projects).order_by(projects.c.changed_at.desc(), projects.c.project_id.desc()).limit(at_most)
    return [_project(row) for row in connection.execute(query)]


def with_files(connection: Connection, video: str, track: str) -> Project | None:
    """The project on a video and a track that was changed last; None if there is none."""
    query = select(projects).where(projects.c.video == video, projects.c.track == track)
    row = connection.execute(query.order_by(projects.c.changed_at.desc()).limit(1)).one_or_none()
    return None if row is None else _project(row)


def on_track(connection: Connection, content_hash: str, tracks: Collection[str]) -> list[Project]:
    """The projects that name one of some tracks, or have a plan of a recording, last changed first."""
    is_plan = (project_fields.c.field == "plan") & project_fields.c.content.contains(content_hash, autoescape=True)
    planned = select(project_fields.c.project_id).where(is_plan)
    query = select(projects).where(projects.c.track.in_(tracks) | projects.c.project_id.in_(planned))
    return [_project(row) for row in connection.execute(query.order_by(projects.c.changed_at.desc()))]


def names_with(connection: Connection, start: str) -> set[str]:
    """The names of projects that start alike."""
    query = select(projects.c.name).where(projects.c.name.startswith(start, autoescape=True))
    return set(connection.execute(query).scalars())


def rename(connection: Connection, project_id: str, name: str) -> None:
    """Give a project another name; UnknownProject if there is none."""
    _update(connection, project_id, name=name)


def set_files(connection: Connection, project_id: str, video: str, track: str, name: str) -> None:
    """Give a project the video or the track that it lacked, and a name that goes with them."""
    _update(connection, project_id, video=video, track=track, name=name)


def delete(connection: Connection, project_id: str) -> None:
    """Delete a project with its fields and its history; its video and its track stay."""
    for table in (project_changes, project_fields, projects):
        connection.execute(table.delete().where(table.c.project_id == project_id))


def put_fields(connection: Connection, project_id: str, fields: Mapping[str, JsonValue]) -> int:
    """Write some fields of a project, None deletes one, the others stay; returns the project's new revision.

    UnknownProject: there is none, for example because it was deleted meanwhile.
    """
    at = now()
    _update(connection, project_id, changed_at=at, revision=projects.c.revision + 1)
    for name, content in fields.items():
        mine = (project_fields.c.project_id == project_id) & (project_fields.c.field == name)
        connection.execute(project_fields.delete().where(mine))
        if content is not None:
            connection.execute(
                project_fields.insert().values(project_id=project_id, field=name, content=_text(content), at=at)
            )
    return get_revision(connection, project_id)


def get_revision(connection: Connection, project_id: str) -> int:
    """How often fields of a project were written; UnknownProject if there is none."""
    revision = connection.scalar(select(projects.c.revision).where(projects.c.project_id == project_id))
    if revision is None:
        raise UnknownProject(f"{project_id}: no project of that id")
    return int(revision)


def get_fields(connection: Connection, project_id: str) -> dict[str, JsonValue]:
    """All fields of a project by name; empty if there is no such project."""
    query = select(project_fields).where(project_fields.c.project_id == project_id)
    return {row.field: json.loads(row.content) for row in connection.execute(query)}


def add_change(
    connection: Connection, project_id: str, words: str, edits: Edits, window: str = "", others: Collection[str] = ()
) -> Change:
    """Add a change to the history of a project; those that were undone are forgotten, but for those of other windows.

    `others`: the other windows that are open on the project.
    """
    mine = project_changes.c.project_id == project_id
    last = connection.scalar(select(func.max(project_changes.c.number)).where(mine)) or 0
    gone = mine & project_changes.c.undone & project_changes.c.window.not_in(others)
    connection.execute(project_changes.delete().where(gone))
    change = Change(last + 1, words, dict(edits), False, now(), window)
    connection.execute(
        project_changes.insert().values(
            project_id=project_id, number=change.number, words=words, edits=_text(change.edits), undone=False,
            at=change.at, window=window,
        )
    )  # fmt: skip
    connection.execute(project_changes.delete().where(mine, project_changes.c.number <= change.number - MOST_CHANGES))
    return change


def amend_change(connection: Connection, project_id: str, number: int, edits: Edits) -> Change | None:
    """Add to a change what came of it later; a key that it has keeps what was there before.

    None, and nothing happens, if the change is forgotten or undone.
    """
    mine = (project_changes.c.project_id == project_id) & (project_changes.c.number == number)
    row = connection.execute(select(project_changes).where(mine)).one_or_none()
    if row is None or row.undone:
        return None
    known = _change(row).edits
    merged = {key: (known[key][0] if key in known else before, after) for key, (before, after) in edits.items()}
    change = replace(_change(row), edits={**known, **merged})
    connection.execute(project_changes.update().where(mine).values(edits=_text(change.edits)))
    return change


def changes(connection: Connection, project_id: str) -> list[Change]:
    """The history of a project, oldest first: changes that hold, then those that were undone."""
    mine = project_changes.c.project_id == project_id
    query = select(project_changes).where(mine).order_by(project_changes.c.number)
    return [_change(row) for row in connection.execute(query)]


def mark_undone(connection: Connection, project_id: str, number: int, *, undone: bool) -> None:
    """Note that a change was undone, or done again."""
    mine = (project_changes.c.project_id == project_id) & (project_changes.c.number == number)
    connection.execute(project_changes.update().where(mine).values(undone=undone))


def _update(connection: Connection, project_id: str, **values: Any) -> None:
    changed = projects.update().where(projects.c.project_id == project_id).values(**values)
    if not connection.execute(changed).rowcount:
        raise UnknownProject(f"{project_id}: no project of that id")


def _project(row: Row[Any]) -> Project:
    return Project(*(getattr(row, field) for field in Project.__slots__))


def _change(row: Row[Any]) -> Change:
    edits = {key: (before, after) for key, (before, after) in json.loads(row.edits).items()}
    return Change(row.number, row.words, edits, bool(row.undone), row.at, row.window)


def _text(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
