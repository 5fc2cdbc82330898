"""The first page: the projects that were worked on last, to be opened, renamed and deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from workbench.analysis.sources import find_track
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.video import find_still
from workbench.dashboards.styles import script, stylesheet
from workbench.errors import WorkbenchError
from workbench.review.projects import Project, delete_project, list_projects, rename_project


class ProjectList(JSComponent):
    """The projects, each a card with a picture of its video, and what to begin with where there is none."""

    projects = param.List([], doc="of each: id, name, video, track, changed (ISO 8601), still (address, or empty)")
    renamed = param.List([], doc="[project id, name, n]")
    deleted = param.List([], doc="[project id, n]")

    _esm = script("start")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("start")]


class StartPage:
    """The first page, which is seen until something is opened."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.cards = ProjectList(sizing_mode="stretch_width")
        self.view: pn.viewable.Viewable = pmui.Column(self.cards, sizing_mode="stretch_width", margin=(0, 10))
        self.cards.param.watch(lambda event: self.rename(*event.new[:2]), "renamed")
        self.cards.param.watch(lambda event: self.delete(event.new[0]), "deleted")
        self.show()

    def show(self) -> None:
        """Show the projects as they are now."""

        def read() -> None:
            self.cards.projects = project_cards(self._session, list_projects(self._session.workspace))

        self._session.attempt(read)

    def rename(self, project_id: str, name: str) -> None:
        """Give a project another name."""
        self._session.attempt(rename_project, self._session.workspace, project_id, name)
        self.show()

    def delete(self, project_id: str) -> None:
        """Delete a project."""
        self._session.attempt(delete_project, self._session.workspace, project_id)
        self.show()


def project_cards(session: Session, projects: list[Project]) -> list[dict[str, str]]:
    """What the first page shows of projects."""
    cards = []
    for project in projects:
        still = find_still(session.home, Path(project.video)) if project.video else None
        cards.append(
            {
                "id": project.project_id,
                "name": project.name,
                "video": Path(project.video).name,
                "track": _title(session, project.track),
                "changed": project.changed_at,
                "still": "" if still is None else session.url_of(still),
            }
        )
    return cards


def _title(session: Session, track: str) -> str:
    """A track as people know it: its title in the catalog, else the name of its file."""
    if not track or Path(track).is_absolute():
        return Path(track).name
    try:
        return find_track(session.workspace, track).title
    except WorkbenchError:  # it was removed from the catalog
        return track
