"""Points of the ducking envelope are dragged, set and deleted, each a step of the history."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import CollectingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.tabs.envelope import Drawing, EnvelopeEditor
from workbench.mix.drawn_envelope import Points
from workbench.store.home import Home

POINTS = ((1.0, 0.0), (1.5, 15.0), (4.0, 15.0), (5.0, 0.0))
REACH = 0.1, 1.0


@pytest.fixture
def session(tmp_path: Path, pool: CollectingPool) -> Session:
    return Session(Workspace(Home(tmp_path)), pool=pool)


class Heard:
    """What a editor shows and plays."""

    def __init__(self) -> None:
        self.points: list[Points] = []
        self.dragged = False

    def show(self, points: Points, dragged: bool) -> None:
        self.points.append(points)
        self.dragged = dragged


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def editor(session: Session, heard: Heard) -> EnvelopeEditor:
    editor = EnvelopeEditor(session, heard.show)
    editor.take(POINTS, 60.0)
    return editor


def test_a_point_is_found_where_it_is() -> None:
    drawing = Drawing(POINTS, 60.0)
    assert drawing.nearest(1.55, 14.5, *REACH) == 1
    assert drawing.nearest(1.8, 14.5, *REACH) is None
    assert not drawing.take_hold(3.0, 5.0, *REACH)
    assert drawing.take_hold(3.0, 14.5, *REACH), "on the curve a point is made"
    assert drawing.points[2] == (3.0, 15.0)
    assert drawing.chosen == 2


def test_points_are_chosen_in_a_circle() -> None:
    drawing = Drawing(POINTS, 60.0)
    drawing.choose(-1)
    assert drawing.chosen == 3
    drawing.choose(1)
    assert drawing.chosen == 0
    drawing.delete()
    assert (drawing.points, drawing.chosen) == (POINTS[1:], 0)
    drawing.take((), 60.0)
    assert drawing.chosen is None


def test_a_drag_is_heard_while_it_goes_on_and_kept_once(editor: EnvelopeEditor, session: Session, heard: Heard) -> None:
    editor.drag("press", 1.52, 15.2, *REACH)
    editor.drag("move", 1.62, 18.2, *REACH)
    editor.take(POINTS, 60.0)
    assert heard.points[-1][1] == pytest.approx((1.6, 18.0)), "it moves as the pointer does"
    assert heard.dragged
    assert session.envelope is None, "it is kept when it is let go of"
    editor.drag("release", 1.72, 20.2, *REACH)
    assert not heard.dragged
    assert session.envelope is not None
    kept = session.envelope
    assert kept[1] == pytest.approx((1.7, 20.0))
    assert (kept[0], *kept[2:]) == (POINTS[0], *POINTS[2:])
    editor.drag("move", 3.0, 3.0, *REACH)
    assert session.envelope == kept, "nothing is held any more"


def test_a_drag_that_is_given_up_leaves_all_as_it_was(editor: EnvelopeEditor, session: Session, heard: Heard) -> None:
    editor.pick(4.0, 15.0, *REACH)
    editor.drag("press", 3.0, 15.0, *REACH)  # on the curve: a point is made
    editor.drag("move", 3.0, 18.0, *REACH)
    assert len(heard.points[-1]) == len(POINTS) + 1
    editor.drag("give up", 3.0, 18.0, *REACH)
    assert heard.points[-1] == POINTS
    assert not heard.dragged
    assert session.envelope is None
    assert editor.panel.chosen == 2, "the point that was chosen before"
    editor.drag("move", 1.5, 3.0, *REACH)
    editor.drag("give up", 1.5, 3.0, *REACH)
    assert heard.points[-1] == POINTS, "nothing is held any more"


def test_a_drag_beside_the_curve_does_nothing(editor: EnvelopeEditor, session: Session, heard: Heard) -> None:
    for phase in ("press", "move", "release"):
        editor.drag(phase, 30.0, 9.0, *REACH)
    assert heard.points == []
    assert session.envelope is None


def test_fields_and_keys_do_all_that_a_pointer_does(editor: EnvelopeEditor, session: Session, heard: Heard) -> None:
    editor.ask("add", 4.5)
    assert session.envelope is not None
    assert session.envelope[3] == (4.5, 7.5)
    assert (editor.panel.chosen, editor.panel.count, editor.panel.at, editor.panel.depth) == (3, 5, 4.5, 7.5)
    editor.ask("set", 3, 4.5, 9.0)
    editor.panel.asked = [[1, "set", 3, 4.6, 10.0], [2, "choose", 0]]
    editor.panel.asked = [[1, "set", 3, 4.7, 11.0]]
    assert heard.points[-1][3] == (4.6, 10.0)
    assert session.envelope[3] == (4.6, 10.0), "what is under way is kept when something else is done"
    editor.ask("set", 3, 4.7, 11.0)
    assert session.envelope[3] == (4.6, 10.0), "it is kept when the field is left"
    editor.ask("keep")
    assert session.envelope[3] == (4.7, 11.0)
    editor.ask("choose", -1)
    assert editor.panel.chosen == 2
    editor.ask("delete")
    assert session.envelope == (*POINTS[:2], (4.7, 11.0), POINTS[3])
    assert editor.panel.drawn
    editor.ask("restore")
    assert session.envelope is None
    assert not editor.panel.drawn


def test_a_click_chooses_and_changes_nothing(editor: EnvelopeEditor, session: Session) -> None:
    editor.pick(4.05, 15.0, *REACH)
    assert editor.panel.chosen == 2
    editor.pick(30.0, 15.0, *REACH)
    assert editor.panel.chosen == 2
    assert session.envelope is None
