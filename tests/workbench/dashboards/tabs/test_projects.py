"""The first page lists the projects, renames and deletes them; without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.analysis.sources import TrackSource
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import Library
from workbench.dashboards.actions import Session
from workbench.dashboards.tabs.projects import StartPage
from workbench.files import bundled_path
from workbench.review.projects import list_projects, start_project
from workbench.store.home import Home

TRACK = bundled_path("data", "bundled", "music", "slow_tide.ogg")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Workspace(Home(tmp_path)), pool=WaitingPool())


def test_an_empty_home_has_no_projects_and_gets_no_database(session: Session) -> None:
    assert StartPage(session).cards.projects == []
    assert not session.home.database.exists()


def test_projects_are_shown_renamed_and_deleted(session: Session, tmp_path: Path) -> None:
    track = TrackSource(TRACK.name, TRACK, None)
    first = start_project(session.workspace, tmp_path / "film.mp4", track)
    second = start_project(session.workspace, None, track)
    page = StartPage(session)
    assert [(card["name"], card["video"], card["track"], card["still"]) for card in page.cards.projects] == [
        ("slow_tide", "", "slow_tide.ogg", ""),
        ("slow_tide under film", "film.mp4", "slow_tide.ogg", ""),
    ]
    page.cards.renamed = [first.project_id, " the film ", 1]
    assert [card["name"] for card in page.cards.projects] == ["slow_tide", "the film"]
    page.cards.renamed = [first.project_id, "   ", 2]
    assert "name of a project" in session.message
    page.cards.deleted = [second.project_id, 1]
    assert [card["id"] for card in page.cards.projects] == [first.project_id]
    assert [project.name for project in list_projects(session.workspace)] == ["the film"]


def test_a_track_of_the_catalog_without_a_title_is_called_by_its_file(session: Session) -> None:
    workspace = session.workspace
    record = Library(workspace.database).add(TRACK, track_id="trk_1")
    start_project(workspace, None, TrackSource(record.track_id, record.path, record))
    assert [card["track"] for card in StartPage(session).cards.projects] == ["slow_tide"]
