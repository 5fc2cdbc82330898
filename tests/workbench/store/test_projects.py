"""Projects: each field is a row of its own, and the history is a list that is kept in its order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import UnknownProject
from workbench.review import project_records as projects
from workbench.store.database import Database


def numbered(words: Sequence[projects.Change]) -> list[tuple[int, str, bool]]:
    """What a history says."""
    return [(change.number, change.words, change.undone) for change in words]


def test_a_project_is_found_by_its_id_and_by_its_files(database: Database) -> None:
    with database.write() as connection:
        first = projects.add(connection, "one", "/films/a.mp4", "trk_1")
        second = projects.add(connection, "two", "/films/a.mp4", "trk_1")
        projects.add(connection, "three", "/films/a.mp4", "trk_2")
        assert projects.get(connection, first.project_id) == first
        assert projects.with_files(connection, "/films/a.mp4", "trk_1") == second
        assert projects.with_files(connection, "/films/b.mp4", "trk_1") is None
        projects.put_fields(connection, first.project_id, {"view": {"seam": 2}})
        latest = projects.with_files(connection, "/films/a.mp4", "trk_1")
        assert latest is not None
        assert latest.project_id == first.project_id, "the one that was changed last"
        assert [project.name for project in projects.recent(connection, 2)] == ["one", "three"]


def test_who_writes_one_field_leaves_the_others(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        projects.put_fields(connection, project_id, {"plan": {"a": [1.5, None]}, "view": 3})
        projects.put_fields(connection, project_id, {"view": 4, "fades": None})
        assert projects.get_fields(connection, project_id) == {"plan": {"a": [1.5, None]}, "view": 4}
        projects.put_fields(connection, project_id, {"view": None})
        assert projects.get_fields(connection, project_id) == {"plan": {"a": [1.5, None]}}


def test_a_deleted_project_leaves_nothing_and_is_not_written_to(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        projects.put_fields(connection, project_id, {"view": 3})
        projects.add_change(connection, project_id, "a change", {"view": (1, 3)})
        projects.delete(connection, project_id)
        projects.delete(connection, project_id)
        assert projects.get_fields(connection, project_id) == {}
        assert projects.changes(connection, project_id) == []
    for write in (
        lambda connection: projects.put_fields(connection, project_id, {"view": 4}),
        lambda connection: projects.rename(connection, project_id, "two"),
        lambda connection: projects.get(connection, project_id),
    ):
        with pytest.raises(UnknownProject, match=project_id), database.write() as connection:
            write(connection)


def test_a_new_change_forgets_those_that_were_undone(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        for words in ("first", "second", "third"):
            projects.add_change(connection, project_id, words, {"view": (1, 2)})
        projects.mark_undone(connection, project_id, 3, undone=True)
        projects.mark_undone(connection, project_id, 2, undone=True)
        assert numbered(projects.changes(connection, project_id)) == [
            (1, "first", False), (2, "second", True), (3, "third", True)
        ]  # fmt: skip
        projects.add_change(connection, project_id, "fourth", {"view": (2, 5)})
        assert numbered(projects.changes(connection, project_id)) == [(1, "first", False), (4, "fourth", False)]


def test_what_came_of_a_change_is_added_to_it(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        made = projects.add_change(connection, project_id, "pinned", {"pins": (None, [1]), "plan": ("a", "b")})
        projects.amend_change(connection, project_id, made.number, {"plan": ("a", "c"), "fades": ([1], None)})
        (change,) = projects.changes(connection, project_id)
        assert change.edits == {"pins": (None, [1]), "plan": ("a", "c"), "fades": ([1], None)}
        projects.mark_undone(connection, project_id, made.number, undone=True)
        projects.amend_change(connection, project_id, made.number, {"plan": ("a", "d")})
        projects.amend_change(connection, project_id, 99, {"plan": ("a", "d")})
        (change,) = projects.changes(connection, project_id)
        assert change.edits["plan"] == ("a", "c"), "it was undone before its plan was there"


def test_the_oldest_changes_are_forgotten(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        for number in range(projects.MOST_CHANGES + 5):
            projects.add_change(connection, project_id, str(number), {"view": (number, number + 1)})
        kept = projects.changes(connection, project_id)
    assert len(kept) == projects.MOST_CHANGES
    assert kept[-1].words == str(projects.MOST_CHANGES + 4)


JSON: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(-1e300, 1e300), st.text()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(content=JSON.filter(lambda value: value is not None))
def test_a_field_is_any_json(content: Any) -> None:
    database = Database("sqlite://")
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        projects.put_fields(connection, project_id, {"any": content})
        assert projects.get_fields(connection, project_id) == {"any": content}
    database.close()
