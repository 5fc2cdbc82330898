"""Projects: save work as it is done, and open it again as it was.

A project has a video and a track, and these fields in JSON, each written on its own:

    plan      the plan with its options, the chosen one first, as `workbench loop` prints it; and the track's hash
    fades     crossfades that were set by hand
    envelope  the ducking envelope, if one was drawn
    stack     the tracks that are compared under the video
    request   the request for the plan: constraints on seams, parts to keep, times
    params    parameters that differ from the defaults, as a profile holds them
    view      the last view: tab, option, seam, time

Grid and verdicts are records of the track, not of the project. `workbench.review.history` has
the history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, select
from ulid import ULID

from workbench.analysis.provenance import read_provenance, with_mix_params
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError, PlanError, RequestError, UnknownProject
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LOOP_ALONE
from workbench.recording import counted
from workbench.results.plan import plan_from_json
from workbench.store.database import now, project_changes, project_fields, projects
from workbench.workflows.constraints import recorded_request, with_pinned
from workbench.workflows.mix import mix_under
from workbench.workflows.plan import Planned, plan_track, planned_json, video_length

if TYPE_CHECKING:
    from pydantic import JsonValue


RECENT = 50  # projects that a list of recent ones has at most
LONGEST_NAME = 200  # characters
MOST_NAMED = 5  # projects that a sentence names
_MOST_ALIKE = 9999  # projects of one name, which a number distinguishes
_SAME_SECONDS = 1e-3  # by which a video may seem longer or shorter than when its plan was made


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


def start_project(workspace: Workspace, video: Path | None, track: TrackSource | None) -> Project:
    """Begin a project on a video and a track; one of both may come later.

    It is named after them, with a number where another project has that name.
    """
    at = now()
    with workspace.database.write() as connection:
        name = _free_name(_name(video, track), connection)
        project = Project(f"prj_{ULID()}", name, _video(video), _track(track), at, at)
        connection.execute(projects.insert().values(asdict(project)))
    return project


def can_complete(project: Project, video: Path | None, track: TrackSource | None) -> bool:
    """Whether a project lacks the video or the track that is given, and already has the other one."""
    return "" in (project.video, project.track) and (
        project.video in ("", _video(video)) and project.track in ("", _track(track))
    )


def complete_project(workspace: Workspace, project: Project, video: Path | None, track: TrackSource | None) -> Project:
    """Add the video or the track that a project lacked (see `can_complete`); a name given by a user stays.

    Raises `UnknownProject` if it was deleted.
    """
    own = _name(video if project.video else None, track if project.track else None)
    with workspace.database.write() as connection:
        named = _get(connection, project.project_id).name  # another window may have given it
        name = _free_name(_name(video, track), connection) if named in _numbered(own) else named
        return _update(connection, project.project_id, video=_video(video), track=_track(track), name=name)


def open_project(workspace: Workspace, project_id: str) -> Project:
    """The project of an id; raises `UnknownProject`."""
    with workspace.database.read() as connection:
        return _get(connection, project_id)


def project_on(workspace: Workspace, video: Path | None, track: TrackSource | None) -> Project | None:
    """The last changed project with this video and track, either of which may be None; None if there is none."""
    query = _newest().where(projects.c.video == _video(video), projects.c.track == _track(track)).limit(1)
    with workspace.database.read() as connection:
        return next(map(_project, connection.execute(query)), None)


def projects_on_track(workspace: Workspace, track: TrackSource) -> list[Project]:
    """The projects that a change of a track's grid touches, which may have its bytes by another path; newest first."""
    database = workspace.existing_database
    if database is None:
        return []
    content_hash = workspace.hash_file(track.path)
    is_plan = (project_fields.c.field == "plan") & project_fields.c.content.contains(content_hash, autoescape=True)
    planned = select(project_fields.c.project_id).where(is_plan)
    is_named = projects.c.track.in_({_track(track), str(track.path.absolute())})
    with database.read() as connection:
        rows = connection.execute(_newest().where(is_named | projects.c.project_id.in_(planned)))
        return [_project(row) for row in rows]


def projects_in_words(touched: Sequence[Project]) -> str:
    """Number of projects, and the names of the first ones: "3 projects (A, B, C)"."""
    names = [project.name for project in touched[:MOST_NAMED]]
    rest = [f"{len(touched) - MOST_NAMED} more"] if len(touched) > MOST_NAMED else []
    return f"{counted(len(touched), 'project')} ({', '.join(names + rest)})"


def list_projects(workspace: Workspace, at_most: int | None = RECENT) -> list[Project]:
    """The projects that were changed last, newest first, None all of them; reading creates no database."""
    database = workspace.existing_database
    if database is None:
        return []
    with database.read() as connection:
        return [_project(row) for row in connection.execute(_newest().limit(at_most))]


def rename_project(workspace: Workspace, project_id: str, name: str) -> Project:
    """Give a project another name of 1 to 200 characters, blanks at its ends not counted.

    Raises `ParameterError` for another length, and `UnknownProject`.
    """
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise ParameterError(f"the name of a project must have 1 to {LONGEST_NAME} characters, got {len(name)}")
    with workspace.database.write() as connection:
        return _update(connection, project_id, name=name)


def delete_project(workspace: Workspace, project_id: str) -> None:
    """Delete a project, if there is one, with its history.

    Video and track stay, and so do grid and verdicts of the track.
    """
    with workspace.database.write() as connection:
        for table in (project_changes, project_fields, projects):
            connection.execute(table.delete().where(table.c.project_id == project_id))


def keep_fields(workspace: Workspace, project_id: str, fields: Mapping[str, JsonValue]) -> None:
    """Save some fields of a project by name, None deletes one; the others stay as they are. Raises `UnknownProject`."""
    with workspace.database.write() as connection:
        put_fields(connection, project_id, fields)


def find_revision(workspace: Workspace, project_id: str) -> int:
    """The revision of a project; raises `UnknownProject`."""
    with workspace.database.read() as connection:
        return get_revision(connection, project_id)


def load_revision(workspace: Workspace, project_id: str) -> tuple[int, dict[str, JsonValue]]:
    """The revision of a project, and all its saved fields; raises `UnknownProject`."""
    with workspace.database.read() as connection:
        return get_revision(connection, project_id), get_fields(connection, project_id)


def put_fields(connection: Connection, project_id: str, fields: Mapping[str, JsonValue]) -> None:
    """Write some fields of a project, None deletes one, the others stay; the view alone makes no new revision.

    UnknownProject: there is none, for example because it was deleted meanwhile.
    """
    at, is_new = now(), fields.keys() != {"view"}  # windows follow each revision, and not where the others look
    _update(connection, project_id, changed_at=at, revision=projects.c.revision + int(is_new))
    for name, content in fields.items():
        mine = (project_fields.c.project_id == project_id) & (project_fields.c.field == name)
        connection.execute(project_fields.delete().where(mine))
        if content is not None:
            connection.execute(
                project_fields.insert().values(project_id=project_id, field=name, content=json_text(content), at=at)
            )


def get_revision(connection: Connection, project_id: str) -> int:
    """How often fields of a project were written, but for the view; UnknownProject if there is none."""
    revision = connection.scalar(select(projects.c.revision).where(projects.c.project_id == project_id))
    if revision is None:
        raise UnknownProject(f"{project_id}: no project of that id")
    return int(revision)


def get_fields(connection: Connection, project_id: str) -> dict[str, JsonValue]:
    """All fields of a project by name; empty if there is no such project."""
    query = select(project_fields).where(project_fields.c.project_id == project_id)
    return {row.field: json.loads(row.content) for row in connection.execute(query)}


def json_text(content: Any) -> str:
    """A value as it is stored."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plan_record(loop: Planned | None) -> dict[str, JsonValue] | None:
    """The field `plan` of a project; None where there is no plan: a refusal is found again."""
    if loop is None or loop.analysis is None or not isinstance(loop.answer, LoopPlan):
        return None
    return {"content_hash": loop.analysis.content_hash, "result": planned_json(replace(loop, mix=None))}


def restore_loop(workspace: Workspace, track: TrackSource, video: Path, stored: Mapping[str, Any]) -> Planned:
    """The loop whose plan a project has saved with `plan_record`, with its analysis and its mix.

    The plan is the saved one, even if the planner answers otherwise today. Only where the track or the video is another
    file than when it was made, it is planned again with the same request: then the plan differs from the saved one.
    Raises `ConstraintError` where that makes no sense on the other file.
    """
    seconds = video_length(video)
    analysis = analyze(workspace, track.path)
    request = LOOP_ALONE
    try:
        plan, made = plan_from_json(stored["result"]), read_provenance(stored["result"])
        request = recorded_request(made)
        fits = abs(plan.window_end - seconds) <= _SAME_SECONDS and stored["content_hash"] == analysis.content_hash
    except (PlanError, KeyError, TypeError):  # written by another version of this package
        fits = False
    if not fits:
        return plan_track(workspace, track, video, request, auto_mix=True)
    # Splices that were pinned on another grid may make no sense on this one; the plan does not need them.
    with suppress(RequestError):
        analysis = with_pinned(workspace, track.path, analysis, request.constraints)
    mix = mix_under(workspace, plan, track.path, video)
    made = None if made is None else with_mix_params(made, workspace.params)
    return Planned(track, video, seconds, plan, analysis, mix, made, request)


def _newest() -> Select[Any]:
    return select(projects).order_by(projects.c.changed_at.desc(), projects.c.project_id.desc())


def _project(row: Row[Any]) -> Project:
    return Project(*(getattr(row, field) for field in Project.__slots__))


def _get(connection: Connection, project_id: str) -> Project:
    row = connection.execute(select(projects).where(projects.c.project_id == project_id)).one_or_none()
    if row is None:
        raise UnknownProject(f"{project_id}: no project of that id")
    return _project(row)


def _update(connection: Connection, project_id: str, **values: Any) -> Project:
    connection.execute(projects.update().where(projects.c.project_id == project_id).values(**values))
    return _get(connection, project_id)


def _video(video: Path | None) -> str:
    return "" if video is None else str(video.absolute())


def _track(track: TrackSource | None) -> str:
    """As `workbench.analysis.sources.find_track` finds it again."""
    if track is None:
        return ""
    return track.track_id if track.record is not None else str(track.path.absolute())


def _name(video: Path | None, track: TrackSource | None) -> str:
    """The name that a project has until it is renamed."""
    title = "" if track is None else track.title
    return " under ".join(word for word in (title, "" if video is None else video.stem) if word)[:LONGEST_NAME] or "New"


def _numbered(name: str) -> Iterator[str]:
    """A name, and the same with 2, 3 and so on, up to `_MOST_ALIKE`."""
    yield name
    for number in range(2, _MOST_ALIKE + 1):
        yield f"{name[: LONGEST_NAME - len(f' {number}')]} {number}"


def _free_name(name: str, connection: Connection) -> str:
    """A name, with the first number that sets it apart where another project has it."""
    alike = projects.c.name.startswith(name[: LONGEST_NAME - len(f" {_MOST_ALIKE}")], autoescape=True)
    taken = set(connection.scalars(select(projects.c.name).where(alike)))
    return next((one for one in _numbered(name) if one not in taken), name)
