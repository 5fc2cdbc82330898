"""Undo and redo over any sequence of changes, to fields and to records; the rest is tested with the page's session."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.workspace import Workspace
from workbench.errors import ChangedElsewhere, UnknownProject
from workbench.review.history import (
    MOST_CHANGES,
    Window,
    amend_change,
    differing,
    list_changes,
    read_records,
    record_change,
    redo_change,
    undo_change,
)
from workbench.review.projects import load_revision, start_project
from workbench.store import saved as grids
from workbench.store.home import Home
from workbench.store.saved import make_record

TRACK = "0" * 64


def state_of(workspace: Workspace, project_id: str) -> dict[str, Any]:
    """All that can be changed."""
    return load_revision(workspace, project_id)[1] | read_records(workspace, project_id, TRACK)


def grid_from(first: float) -> Any:
    """The record of a grid whose first beat falls at a time, s."""
    beats, positions = [first, first + 0.5, first + 1.0], [1, 2, 1]
    return {"beats": beats, "positions": positions, "beats_per_bar": 2, "note": f"from {first}", "confidence": 1.0}


def put_grid(workspace: Workspace, value: Any) -> None:
    """Save the grid of the track, or delete it, as another project on the same track does."""
    with workspace.database.write() as connection:
        if value is None:
            grids.remove(connection, TRACK)
        else:
            grids.put(connection, make_record(TRACK, **value))


def change(workspace: Workspace, project_id: str, key: str, value: Any) -> None:
    """Set a field, or the grid of the track."""
    before = state_of(workspace, project_id)
    after = {name: kept for name, kept in {**before, key: value}.items() if kept is not None}
    if key.startswith("grid/"):
        put_grid(workspace, value)
    record_change(workspace, project_id, f"{key} is {value}", differing(before, after))


GRIDS = st.none() | st.integers(0, 3).map(grid_from)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["plan", "fades", "params"]), st.none() | st.integers() | st.text()),
        st.tuples(st.just(f"grid/{TRACK}"), GRIDS),
        st.sampled_from([("undo", None), ("redo", None)]),
    ),
    max_size=12,
)


@pytest.mark.slow
@given(steps=STEPS)
def test_undo_and_redo_walk_through_the_states_in_which_a_project_was(steps: list[tuple[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, Workspace(Home(Path(folder))) as workspace:
        project_id = start_project(workspace, None, None).project_id
        states, at = [state_of(workspace, project_id)], 0
        for key, value in steps:
            if key == "undo":
                at -= undo_change(workspace, project_id) is not None
            elif key == "redo":
                at += redo_change(workspace, project_id) is not None
            else:
                change(workspace, project_id, key, value)
                now = state_of(workspace, project_id)
                if now != states[at]:
                    states, at = [*states[: at + 1], now], at + 1
            assert state_of(workspace, project_id) == states[at]
            kept = list_changes(workspace, project_id)
            assert [step.undone for step in kept] == [False] * at + [True] * (len(states) - 1 - at)


def test_a_new_change_deletes_those_that_were_undone_and_the_oldest(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path))
    project_id = start_project(workspace, None, None).project_id
    for number in range(1, MOST_CHANGES + 3):
        record_change(workspace, project_id, str(number), {"view": (number, number + 1)})
    assert [change.number for change in list_changes(workspace, project_id)] == [*range(3, MOST_CHANGES + 3)]
    undo_change(workspace, project_id)
    undo_change(workspace, project_id)
    assert [change.undone for change in list_changes(workspace, project_id)[-3:]] == [False, True, True]
    record_change(workspace, project_id, "new", {"view": (MOST_CHANGES, 0)})
    assert [change.words for change in list_changes(workspace, project_id)[-2:]] == [str(MOST_CHANGES), "new"]


def test_nothing_that_differs_is_no_change(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path))
    project_id = start_project(workspace, None, None).project_id
    assert record_change(workspace, project_id, "nothing", differing({"a": 1}, {"a": 1})).change is None
    assert (undo_change(workspace, project_id), redo_change(workspace, project_id)) == (None, None)
    assert differing({"a": 1, "b": 2}, {"b": 3, "c": 4}) == {"a": (1, None), "b": (2, 3), "c": (None, 4)}
    with pytest.raises(UnknownProject):
        record_change(workspace, "prj_unknown", "a change", {"a": (1, 2)})


def test_a_record_that_somebody_changed_since_is_left_as_it_is(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path))
    project_id = start_project(workspace, None, None).project_id
    key, mine, theirs = f"grid/{TRACK}", grid_from(1.0), grid_from(2.0)
    put_grid(workspace, mine)
    record_change(workspace, project_id, "the grid begins later", {key: (None, mine), "plan": (1, 2)})
    put_grid(workspace, theirs)
    for step, plan in ((undo_change, 1), (redo_change, 2)):
        made = step(workspace, project_id)
        assert made is not None
        assert (made.values, made.left) == ({"plan": plan}, (key,))
        assert made.sentence == "the grid: changed since by another user, so left as it is now"
        assert state_of(workspace, project_id) == {"plan": plan, key: theirs}
    put_grid(workspace, mine)
    made = undo_change(workspace, project_id)
    assert made is not None
    assert (made.values, made.sentence) == ({"plan": 1, key: None}, "")
    assert state_of(workspace, project_id) == {"plan": 1}


def test_what_comes_of_an_undone_change_is_not_kept(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path))
    project_id = start_project(workspace, None, None).project_id
    change = record_change(workspace, project_id, "a change", {"params": (1, 2), "plan": ("a", "b")}).change
    assert change is not None
    amended = amend_change(workspace, project_id, change.number, {"plan": ("b", "c"), "fades": ([1], None)}).change
    assert [amended] == list_changes(workspace, project_id)
    assert amended is not None
    assert amended.edits == {"params": (1, 2), "plan": ("a", "c"), "fades": ([1], None)}
    undo_change(workspace, project_id)
    assert amend_change(workspace, project_id, change.number, {"plan": (None, "made late")}).change is None
    assert load_revision(workspace, project_id)[1] == {"params": 1, "plan": "a", "fades": [1]}
    with pytest.raises(UnknownProject):
        amend_change(workspace, "prj_unknown", 1, {"plan": (None, 1)})


ONE, OTHER = Window("one", frozenset({"other"})), Window("other", frozenset({"one"}))
PARAMS: Any = {"duck": {"attack_ms": 77.0}, "cover": {"max_passes_in_a_row": 2}}


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Workspace, str, int]:
    """A project with a plan and parameters, and its revision."""
    workspace = Workspace(Home(tmp_path))
    project_id = start_project(workspace, None, None).project_id
    saved = record_change(workspace, project_id, "", {"plan": (None, "first"), "params": (None, PARAMS)})
    assert saved.change is None, "what is not worded is no step"
    return workspace, project_id, saved.revision


def with_param(stage: str, name: str, value: float) -> dict[str, Any]:
    return {**PARAMS, stage: {**PARAMS[stage], name: value}}


def test_what_two_windows_change_is_merged_where_it_does_not_touch(begun: tuple[Workspace, str, int]) -> None:
    workspace, project_id, on = begun
    theirs, mine = with_param("duck", "attack_ms", 90.0), with_param("duck", "release_ms", 500.0)
    record_change(workspace, project_id, "another plan", {"plan": ("first", "second")}, OTHER, on)
    record_change(workspace, project_id, "attack", {"params": (PARAMS, theirs)}, OTHER, on)
    saved = record_change(workspace, project_id, "release", {"params": (PARAMS, mine)}, ONE, on)
    both = {**PARAMS, "duck": {"attack_ms": 90.0, "release_ms": 500.0}}
    assert load_revision(workspace, project_id)[1] == {"plan": "second", "params": both}
    assert (saved.revision, saved.edits) == (on + 3, {"params": (theirs, both)})
    undone = undo_change(workspace, project_id, ONE)
    assert undone is not None
    assert (undone.change.words, load_revision(workspace, project_id)[1]["params"]) == ("release", theirs)


def test_what_another_window_has_changed_is_not_overwritten(begun: tuple[Workspace, str, int]) -> None:
    workspace, project_id, on = begun
    record_change(workspace, project_id, "seam 2 is pinned", {"plan": ("first", "theirs")}, OTHER, on)
    theirs = with_param("duck", "attack_ms", 90.0)
    record_change(workspace, project_id, "attack", {"params": (PARAMS, theirs)}, OTHER, on)
    kept = load_revision(workspace, project_id)[1]
    with pytest.raises(ChangedElsewhere, match="seam 2 is pinned"):
        record_change(workspace, project_id, "mine", {"plan": ("first", "mine"), "stack": (None, ["a"])}, ONE, on)
    mine = with_param("duck", "attack_ms", 5.0)
    with pytest.raises(ChangedElsewhere, match="attack"):
        record_change(workspace, project_id, "mine", {"params": (PARAMS, mine)}, ONE, on)
    assert load_revision(workspace, project_id)[1] == kept
    assert [change.words for change in list_changes(workspace, project_id)] == ["seam 2 is pinned", "attack"]
    same = record_change(workspace, project_id, "the same", {"plan": ("first", "theirs")}, ONE, on)
    assert same.change is None, "it is there already"


def test_a_window_undoes_its_own_steps_and_those_of_closed_windows(begun: tuple[Workspace, str, int]) -> None:
    workspace, project_id, _ = begun
    for words, key, by in (("closed", "fades", Window("gone")), ("mine", "stack", ONE), ("theirs", "envelope", OTHER)):
        record_change(workspace, project_id, words, {key: (None, [words])}, by)
    undone = [undo_change(workspace, project_id, ONE) for _ in range(3)]
    assert [None if step is None else step.change.words for step in undone] == ["mine", "closed", None]
    assert load_revision(workspace, project_id)[1]["envelope"] == ["theirs"]
    record_change(workspace, project_id, "theirs again", {"envelope": (["theirs"], None)}, OTHER)
    again = [redo_change(workspace, project_id, ONE) for _ in range(3)]
    assert [None if step is None else step.change.words for step in again] == ["mine", None, None]


def test_a_step_that_another_window_has_built_on_is_not_undone(begun: tuple[Workspace, str, int]) -> None:
    workspace, project_id, _ = begun
    record_change(workspace, project_id, "mine", {"plan": ("first", "second"), "stack": (None, ["a"])}, ONE)
    record_change(workspace, project_id, "theirs", {"plan": ("second", "third")}, OTHER)
    with pytest.raises(ChangedElsewhere, match="theirs"):
        undo_change(workspace, project_id, ONE)
    assert [change.undone for change in list_changes(workspace, project_id)] == [False, False]
    assert load_revision(workspace, project_id)[1]["plan"] == "third"
    undo_change(workspace, project_id, OTHER)
    undo_change(workspace, project_id, ONE)
    assert load_revision(workspace, project_id)[1] == {"plan": "first", "params": PARAMS}


def test_what_followed_without_a_step_is_undone_with_the_step_before(begun: tuple[Workspace, str, int]) -> None:
    workspace, project_id, _ = begun
    record_change(workspace, project_id, "mine", {"plan": ("first", "second")}, ONE)
    record_change(workspace, project_id, "", {"plan": ("second", "second with other options")}, OTHER)
    record_change(workspace, project_id, "theirs", {"stack": (None, ["a"])}, OTHER)
    undone = undo_change(workspace, project_id, ONE)
    assert undone is not None
    assert (undone.values, load_revision(workspace, project_id)[1]["plan"]) == ({"plan": "first"}, "first")
    redo_change(workspace, project_id, ONE)
    assert load_revision(workspace, project_id)[1] == {"plan": "second", "params": PARAMS, "stack": ["a"]}


def test_the_window_that_changed_the_same_is_named(begun: tuple[Workspace, str, int]) -> None:
    workspace, project_id, on = begun
    record_change(workspace, project_id, "theirs", {"plan": ("first", "theirs")}, OTHER)
    record_change(workspace, project_id, "mine", {"plan": ("theirs", "mine")}, ONE)
    with pytest.raises(ChangedElsewhere, match="theirs"):
        record_change(workspace, project_id, "mine again", {"plan": ("first", "mine again")}, ONE, on)
