"""`workbench plans [FOLDER]`: the plans of a folder, and the projects of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.options import FILE, workspace_option
from workbench.cli.terminal import print_line, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("plans")
@click.argument("folder", type=FILE, default=Path())
@workspace_option
def command(folder: Path, workspace: Workspace) -> None:
    """List the plans in FOLDER, else here, and the projects of the page, a JSON line each.

    A line has the name, the track, the video, the length in seconds, when it was made, and from what: the command with
    what was asked of it. What a plan does not say is left out. Of a plan file `made` is when it was written, of a
    project when it was last changed.

    \b
    Example:
      workbench plans
      workbench plans edits | jq -r '[.name, .track, .seconds] | @tsv'
    """
    for row in _plans_in(folder):
        print_line(row)
    for row in _projects(workspace):
        print_line(row)


def _plans_in(folder: Path) -> Iterator[dict[str, Any]]:
    """The plans of a folder by name, each length of a fit of several by itself; other files are passed over."""
    from workbench.errors import InputError, PlanError
    from workbench.files import decode_text
    from workbench.results.plan import parse_result

    try:
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".json" and path.is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from None
    for path in files:
        try:
            result = parse_result(decode_text(path.read_bytes()))
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except OSError as error:
            say(f"workbench: {path}: cannot be read ({error.strerror})")
            continue
        except (PlanError, UnicodeDecodeError):  # JSON of another kind, or none
            continue
        for one in result["fits"] if isinstance(result.get("fits"), list) else (result,):
            try:
                said = _said_of(one)
            except InputError as error:
                say(f"workbench: {path}: {error}")
                continue
            if said is not None:
                yield {"name": path.name, "file": str(path)} | said | {"made": _moment(written)}


def _projects(workspace: Workspace) -> Iterator[dict[str, Any]]:
    """The projects, those changed last first."""
    from workbench.errors import InputError
    from workbench.review.projects import list_projects, load_revision

    for project in list_projects(workspace, None):
        stored = load_revision(workspace, project.project_id)[1].get("plan")
        try:
            said = _said_of(stored.get("result")) if isinstance(stored, Mapping) else None
        except InputError as error:
            say(f"workbench: {project.name}: {error}")
            said = None
        files = {name: value for name in ("track", "video") if (value := getattr(project, name))}
        named = {"name": project.name, "project": project.project_id}
        yield named | (said or {}) | files | {"made": _moment(datetime.fromisoformat(project.changed_at))}


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _said_of(result: Any) -> dict[str, Any] | None:
    """Track, video, length and origin of a plan, as far as its result says them; None for what holds no plan.

    Raises `PlanError` if it says what it was made from in a way that this program does not.
    """
    from workbench.analysis.provenance import read_provenance
    from workbench.cli.option_words import in_options
    from workbench.errors import Sentence
    from workbench.workflows.constraints import read_request

    if not isinstance(result, Mapping):
        return None
    plan = result["plan"] if isinstance(result.get("plan"), Mapping) else result
    if "segments" not in plan or not isinstance(plan.get("window_end"), int | float):
        return None
    made = read_provenance(result)
    track, video = (None, None) if made is None else (made.track, made.video)
    said = {
        "track": track.name if track is not None else result.get("track_id"),
        "video": None if video is None else video.name,
        "seconds": plan["window_end"],
    }
    if made is not None:
        asked = read_request(made.constraints)
        words = [made.command, *(in_options(Sentence(one)) for one in asked.each)]
        said["from"] = " ".join(words if asked.fade is None else [*words, f"--fade {asked.fade:g}"])
    return {name: value for name, value in said.items() if value is not None}
