"""`workbench plans [FOLDER]`: the plans of a folder, and the projects of the page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, workspace_option
from workbench.cli.terminal import print_line, say
from workbench.errors import InputError

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
    from workbench.cli.plan_files import moment, plan_summary, plans_in
    from workbench.review.projects import list_projects, load_revision

    for row in plans_in(folder):
        print_line(row)
    for project in list_projects(workspace, None):
        stored = load_revision(workspace, project.project_id)[1].get("plan")
        try:
            said = plan_summary(stored.get("result")) if isinstance(stored, Mapping) else None
        except InputError as error:
            say(f"workbench: {project.name}: {error}")
            said = None
        files = {name: value for name in ("track", "video") if (value := getattr(project, name))}
        named = {"name": project.name, "project": project.project_id}
        print_line(named | (said or {}) | files | {"made": moment(datetime.fromisoformat(project.changed_at))})
