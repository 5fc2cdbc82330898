"""Projects: kept by their files, found again, renamed and deleted. Opening one is tested with the page's session."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.sources import TrackSource
from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError, UnknownProject
from workbench.plans.request import LOOP_ALONE
from workbench.review.history import list_changes, record_change
from workbench.review.projects import (
    Project,
    can_complete,
    complete_project,
    delete_project,
    get_fields,
    keep_fields,
    list_projects,
    load_revision,
    open_project,
    plan_record,
    project_on,
    projects_in_words,
    projects_on_track,
    put_fields,
    rename_project,
    start_project,
)
from workbench.store.database import Database, projects
from workbench.store.home import Home
from workbench.workflows.plan import plan_track


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Home(tmp_path))


def test_a_list_creates_no_database(workspace: Workspace) -> None:
    assert list_projects(workspace) == []
    assert not workspace.home.database.exists()


def test_a_project_is_found_by_its_files_and_named_after_them(workspace: Workspace, tmp_path: Path) -> None:
    track = TrackSource("song.wav", tmp_path / "song.wav", None)
    begun = start_project(workspace, tmp_path / "film.mp4", None)
    assert (begun.name, begun.track) == ("film", "")
    whole = complete_project(workspace, begun, tmp_path / "film.mp4", track)
    assert (whole.project_id, whole.name, whole.track) == (begun.project_id, "song under film", str(track.path))
    assert project_on(workspace, tmp_path / "film.mp4", track) == whole
    assert project_on(workspace, None, track) is None
    again = start_project(workspace, tmp_path / "film.mp4", track)
    assert project_on(workspace, tmp_path / "film.mp4", track) == again
    keep_fields(workspace, whole.project_id, {"plan": {"a": [1.5, None]}, "view": 3})
    latest = project_on(workspace, tmp_path / "film.mp4", track)
    assert latest is not None
    assert latest.project_id == whole.project_id, "the one that was changed last"
    assert [project.project_id for project in list_projects(workspace, 1)] == [whole.project_id]
    keep_fields(workspace, whole.project_id, {"view": 4, "fades": None})
    assert load_revision(workspace, whole.project_id)[1] == {"plan": {"a": [1.5, None]}, "view": 4}
    keep_fields(workspace, whole.project_id, {"view": None})
    assert load_revision(workspace, whole.project_id)[1] == {"plan": {"a": [1.5, None]}}


JSON: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(-1e300, 1e300), st.text()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.fixture(scope="module")
def database() -> Database:
    """A database in memory with one project."""
    database = Database("sqlite://")
    with database.write() as connection:
        connection.execute(projects.insert().values(asdict(Project("prj_1", "one", "", "", "", ""))))
    return database


@given(content=JSON.filter(lambda value: value is not None))
def test_a_field_is_any_json(database: Database, content: Any) -> None:
    with database.write() as connection:
        put_fields(connection, "prj_1", {"any": content})
        assert get_fields(connection, "prj_1") == {"any": content}


def test_the_projects_on_a_track_are_found_by_its_bytes(workspace: Workspace, tmp_path: Path) -> None:
    one, other = tmp_path / "one.wav", tmp_path / "other.wav"
    one.write_bytes(b"one")
    other.write_bytes(b"other")
    copy = tmp_path / "copy.wav"
    copy.write_bytes(b"one")
    track = TrackSource("one.wav", one, None)
    assert projects_on_track(workspace, track) == []
    assert not workspace.home.database.exists()
    named = start_project(workspace, tmp_path / "film.mp4", track)
    planned = start_project(workspace, None, TrackSource("copy.wav", copy, None))
    keep_fields(workspace, planned.project_id, {"plan": {"content_hash": hashlib.sha256(b"one").hexdigest()}})
    start_project(workspace, None, TrackSource("other.wav", other, None))
    found = projects_on_track(workspace, track)
    assert [project.project_id for project in found] == [planned.project_id, named.project_id]
    assert projects_in_words(found) == "2 projects (copy, one under film)"
    assert projects_in_words(found[:1]) == "1 project (copy)"
    assert projects_in_words([named] * 7).endswith(", 2 more)")


def test_only_what_a_project_lacks_completes_it(workspace: Workspace, tmp_path: Path) -> None:
    one, two = (TrackSource(name, tmp_path / name, None) for name in ("one.wav", "two.wav"))
    film = tmp_path / "film.mp4"
    begun = start_project(workspace, None, one)
    assert can_complete(begun, film, one)
    assert not can_complete(begun, None, two)
    assert not can_complete(begun, film, two)
    assert not can_complete(begun, film, None)
    rename_project(workspace, begun.project_id, "mine")
    whole = complete_project(workspace, begun, film, one)
    assert (whole.name, whole.video) == ("mine", str(film)), "a name that somebody gave stays"
    assert not can_complete(whole, film, two)


def test_projects_on_the_same_files_have_names_that_differ(workspace: Workspace, tmp_path: Path) -> None:
    track, film = TrackSource("song.wav", tmp_path / "song.wav", None), tmp_path / "film.mp4"
    begun = [start_project(workspace, film, track) for _ in range(2)]
    without_track = start_project(workspace, film, None)
    whole = complete_project(workspace, without_track, film, track)
    rename_project(workspace, begun[1].project_id, "mine")
    begun.append(start_project(workspace, film, track))
    assert [project.name for project in begun] == ["song under film", "song under film 2", "song under film 2"]
    assert whole.name == "song under film 3"
    names = [project.name for project in list_projects(workspace)]
    assert sorted(names) == ["mine", "song under film", "song under film 2", "song under film 3"]


def test_a_number_counts_as_no_name_that_somebody_gave(workspace: Workspace, tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    begun = [start_project(workspace, film, None) for _ in range(2)]
    assert [project.name for project in begun] == ["film", "film 2"]
    whole = complete_project(workspace, begun[1], film, TrackSource("song.wav", tmp_path / "song.wav", None))
    assert whole.name == "song under film"


def test_the_longest_names_differ_too(workspace: Workspace, tmp_path: Path) -> None:
    names = [start_project(workspace, tmp_path / f"{'f' * 230}.mp4", None).name for _ in range(2)]
    assert names == ["f" * 200, "f" * 198 + " 2"]


def test_names(workspace: Workspace) -> None:
    project = start_project(workspace, None, None)
    assert rename_project(workspace, project.project_id, " my film ").name == "my film"
    for name in (" ", "x" * 201):
        with pytest.raises(ParameterError, match="1 to 200 characters"):
            rename_project(workspace, project.project_id, name)
    record_change(workspace, project.project_id, "a change", {"view": (None, 3)})
    delete_project(workspace, project.project_id)
    delete_project(workspace, project.project_id)
    assert list_changes(workspace, project.project_id) == []
    with pytest.raises(UnknownProject, match=project.project_id):
        open_project(workspace, project.project_id)
    with pytest.raises(UnknownProject, match=project.project_id):
        keep_fields(workspace, project.project_id, {"view": 4})
    with pytest.raises(UnknownProject, match=project.project_id):
        rename_project(workspace, project.project_id, "another")


def test_a_refusal_is_no_plan_to_keep(workspace: Workspace, track: Path) -> None:
    assert plan_record(None) is None
    assert plan_record(plan_track(workspace, track, 10.0, LOOP_ALONE)) is None
