"""The address of every place of the page, such as `/?project=prj_01K…&tab=seams&option=2&seam=3&time=12.5`.

Numbers count from 1; what is at its beginning is left out. The browser's history has an entry for every project, tab,
option and seam that the user went to. Back and forward go there without loading the page, unless the project is another
one; what plays goes on. The same component loads the page again when a lost server answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from urllib.parse import parse_qs, urlencode

import param
from panel.custom import JSComponent

from workbench.dashboards.actions import Session
from workbench.dashboards.styles import script

PROJECTS = "page=projects"
"""the query of the page that lists the projects"""
ALIVE = "assets/address.js"
"""address that is fetched to know whether the server answers again"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the user is."""

    project: str = ""
    """its id; empty for none"""
    tab: str = ""
    """title of the tab; empty for the first"""
    option: int = 0
    """counted from 0"""
    seam: int = 0
    """counted from 0"""
    time: float = 0.0
    """video s"""

    @staticmethod
    def read(query: str, titles: Sequence[str]) -> Place:
        """The place that an address names; invalid parts count as absent."""
        given = {name: values[-1] for name, values in parse_qs(query).items()}
        tabs = {title.casefold(): title for title in titles}
        option, seam = (max(0, int(_number(given.get(name, "1"), 1.0)) - 1) for name in ("option", "seam"))
        time = max(0.0, _number(given.get("time", "0"), 0.0))
        return Place(given.get("project", ""), tabs.get(given.get("tab", "").casefold(), ""), option, seam, time)

    @staticmethod
    def of(session: Session) -> Place:
        """The place that a page is at."""
        project = "" if session.project is None else session.project.project_id
        return Place(project, session.tab, session.option, session.seam, session.time)

    @property
    def query(self) -> str:
        """For the address, without the question mark and without the time; empty without a project."""
        if not self.project:
            return ""
        names = {
            "project": self.project,
            "tab": self.tab.casefold(),
            "option": self.option + 1 if self.option else "",
            "seam": self.seam + 1 if self.seam else "",
        }
        return urlencode({name: value for name, value in names.items() if value})


def _number(text: str, otherwise: float) -> float:
    with suppress(ValueError):
        number = float(text)
        return number if isfinite(number) and abs(number) < 1e9 else otherwise
    return otherwise


class AddressBar(JSComponent):
    """Writes the browser's address, goes where its back and forward lead, and says when the connection is lost."""

    place = param.List(["", True], doc="[query, whether it only follows from another step and gets no entry]")
    time = param.Number(0.0, doc="video s")
    title = param.String("", doc="of the browser's tab and of the entries of its history")
    alive = param.String(ALIVE)
    asked = param.List([], doc="[query, n]: the user went back or forward to there")

    _esm = script("address")


class Address:
    """The address of one page."""

    def __init__(self, session: Session, titles: Sequence[str]) -> None:
        self._session, self._titles = session, titles
        self.bar = AddressBar(width=0, height=0, margin=0)
        self.bar.param.watch(lambda event: self.go(str(event.new[0])), "asked")
        session.param.watch(lambda *_: self.show(), ["project", "tab", "option", "seam"])
        session.param.watch(lambda event: self.bar.param.update(time=event.new), "time")
        self.show()

    def show(self) -> None:
        """Write the address of the place that the page is at."""
        session = self._session
        name = "" if session.project is None else session.project.name
        self.bar.param.update(
            place=[Place.of(session).query, session.settling], time=session.time,
            title=" · ".join(word for word in (name, session.tab, "Barline Workbench") if word),
        )  # fmt: skip

    def go(self, query: str) -> None:
        """Go to another place of the project."""
        place = Place.read(query, self._titles)
        view = {**asdict(place), "tab": place.tab or self._titles[0]}
        del view["time"]  # what plays goes on: a time is where one listens, not where one went
        self._session.look_at(view)
