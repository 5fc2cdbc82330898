"""Addresses: every place of the page has one, and what somebody typed wrongly leads to the nearest place."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.address import ALIVE, Address, Place
from workbench.dashboards.app import ASSETS_ROUTE
from workbench.dashboards.styles import ASSETS
from workbench.store.home import Home
from workbench.workflows.plan import Planned

TITLES = ("Plan", "Seams", "Beats")


@given(
    tab=st.sampled_from(TITLES),
    option=st.integers(0, 3),
    seam=st.integers(0, 10_000),
    project=st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=26, max_size=26).map("prj_{}".format),
)
def test_a_place_is_read_back_from_its_address(tab: str, option: int, seam: int, project: str) -> None:
    place = Place(project, tab, option, seam)
    assert Place.read(place.query, TITLES) == place
    assert Place.read(f"{place.query}&time=12.5", TITLES).time == 12.5


@given(st.dictionaries(st.sampled_from(["project", "tab", "option", "seam", "time", "else"]), st.text()))
def test_any_address_is_some_place(given: dict[str, str]) -> None:
    place = Place.read(urlencode(given), TITLES)
    assert place.tab in ("", *TITLES)
    assert min(place.option, place.seam, place.time) >= 0


def test_what_is_at_its_beginning_is_left_out() -> None:
    assert Place("prj_1", "Plan").query == "project=prj_1&tab=plan"
    assert Place("prj_1", "Seams", 1, 2).query == "project=prj_1&tab=seams&option=2&seam=3"
    assert Place("", "Seams", 1, 2).query == "", "without a project there is nothing to come back to"
    assert Place.read("project=prj_1&option=nan&seam=-4&time=1e400", TITLES) == Place("prj_1")


def test_going_somewhere_is_an_entry_and_what_follows_is_none(tmp_path: Path, corner_loop: Planned) -> None:
    session = Session(Workspace(Home(tmp_path)), pool=WaitingPool())
    address = Address(session, TITLES)
    assert address.bar.place == ["", True] or address.bar.place == ["", False]
    session.show(corner_loop)
    assert session.project is not None
    begun = f"project={session.project.project_id}"
    assert address.bar.place == [begun, True]
    session.tab = "Seams"
    assert address.bar.place == [f"{begun}&tab=seams", False]
    session.seam = 1
    assert address.bar.place == [f"{begun}&tab=seams&seam=2", False]
    session.time = 3.25
    assert (address.bar.place[0], address.bar.time) == (f"{begun}&tab=seams&seam=2", 3.25)
    assert session.project.name in address.bar.title


def test_back_goes_to_the_place_and_what_plays_goes_on(tmp_path: Path, corner_loop: Planned) -> None:
    session = Session(Workspace(Home(tmp_path)), pool=WaitingPool())
    address = Address(session, TITLES)
    session.show(corner_loop)
    session.param.update(tab="Seams", seam=2, time=30.0)
    assert session.project is not None
    address.bar.asked = [f"project={session.project.project_id}&seam=2&time=5", 1]
    assert (session.tab, session.seam, session.time) == ("Plan", 1, 30.0)
    assert address.bar.place[1], "the browser is there already"


def test_what_is_asked_for_to_know_whether_the_server_answers_is_there() -> None:
    route, name = ALIVE.split("/")
    assert route == ASSETS_ROUTE
    assert (ASSETS / name).is_file()
