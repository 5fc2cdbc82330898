"""What a page works on, as a project saves it and takes it back; no files, no work, no widgets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.beats.grid import BeatGrid
from workbench.dashboards.state import GridDraft, HandFade, State
from workbench.params import DuckParams, WorkbenchParams
from workbench.plans.constraints import SeamConstraints, TrackRange
from workbench.plans.request import LENGTH_ALONE, PlanRequest
from workbench.store.home import Home

ASKED = PlanRequest(SeamConstraints(never_cut=(TrackRange(25.0, 35.0),)), start_at=1.5)


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(Home(tmp_path / "home"), WorkbenchParams())


def test_what_a_project_saves_comes_back_as_it_was(state: State, tmp_path: Path) -> None:
    grid = BeatGrid(np.array([0.1, 0.7000000000000001, 1.3]), np.array([4, 1, 2]), 4)
    fade = HandFade((1000, 2000), 0.08, 0.7, 12.25)
    state.param.update(
        params=WorkbenchParams(duck=DuckParams(attack_ms=77)), request=ASKED, stack=("a", "b"),
        envelope=((20.0, 0.0), (22.0, 9.5)), hand_fades={(fade.place, 12): fade},
        grid_draft=GridDraft("ab12", grid, ("half the tempo",)),
    )  # fmt: skip
    other = State(Home(tmp_path / "other"), WorkbenchParams())
    other.take(json.loads(json.dumps(state.fields())))
    for name in ("params", "request", "stack", "envelope", "hand_fades"):
        assert getattr(other, name) == getattr(state, name), name
    assert other.grid_draft is not None
    assert (other.grid_draft.content_hash, other.grid_draft.corrections) == ("ab12", ("half the tempo",))
    assert np.array_equal(other.grid_draft.grid.beats, grid.beats)
    assert np.array_equal(other.grid_draft.grid.positions, grid.positions)
    other.take({"request": None})
    assert (other.request, other.stack) == (LENGTH_ALONE, ("a", "b")), "what is not named stays"


@pytest.mark.parametrize(
    ("field", "record", "read"),
    [
        ("grid_draft", 7, None),
        ("grid_draft", {"beats": [1.0]}, None),
        ("grid_draft", {"content_hash": "", "beats": [2, 1], "positions": [1, 2], "beats_per_bar": 4}, None),
        ("envelope", [[3.0]], None),
        ("request", {"start_at": "soon"}, LENGTH_ALONE),
        ("request", ["soon"], LENGTH_ALONE),
        ("stack", "a", ()),
        ("fades", [[1000, 2000, 0.08]], {}),
        ("fades", [[1000, 2000, 0.08, 0.7, "soon"]], {}),
        ("fades", 7, {}),
    ],
)
def test_what_cannot_be_read_is_said_and_as_if_it_were_not_there(
    state: State, field: str, record: Any, read: object
) -> None:
    state.take({"stack": ["a"], field: record})
    assert getattr(state, "hand_fades" if field == "fades" else field) == read
    assert state.message.startswith(f"{field} of the project cannot be read: ")
    state.message = ""
    state.take({field: None})
    assert state.message == "", "what is missing is no fault"


def test_parameters_that_make_no_sense_are_said_and_leave_the_others(state: State) -> None:
    state.take({"params": {"duck": {"attack_ms": "soon"}}})
    assert "attack_ms" in state.message
    assert state.params == WorkbenchParams()


def test_where_one_looks(state: State) -> None:
    settling = []
    state.param.watch(lambda _: settling.append(state.settling), "tab")
    state.look_at({"tab": "Seams", "option": "1", "seam": -3, "time": "soon"})
    assert state.view == {"tab": "Seams", "option": 1, "seam": 0, "time": 0.0}
    state.tab = "Plan"
    assert settling == [True, False], "nobody went there, then somebody did"


def test_a_sentence_names_files_without_their_folders(state: State) -> None:
    state.video = Path("/films/of mine/trailer.mp4")
    state.message = f"{state.video} and {state.home.root / 'arrays' / 'gone.zarr'} are gone"
    assert "trailer.mp4" in state.message
    assert "gone.zarr" in state.message
    assert "/films" not in state.message
    assert str(state.home.root) not in state.message
