"""What one open page works on: a track, a video, the plan that joins them, parameters, and where one looks.

Plain values that tabs follow (`State.param.watch`); no files, no work, no widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import param

from workbench.analysis.sources import TrackSource
from workbench.analysis.track import Analysis
from workbench.beats.grid import BeatGrid
from workbench.dashboards.sounds.seam import with_fade, with_option_first
from workbench.dashboards.views import LongSound
from workbench.errors import PlanError, WorkbenchError
from workbench.files import without_folders
from workbench.mix.drawn_envelope import read_points
from workbench.params import WorkbenchParams
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LENGTH_ALONE, PlanRequest
from workbench.plots.palette import clock
from workbench.review.history import Change, Fields
from workbench.review.projects import Project, plan_record
from workbench.store.home import Home
from workbench.store.profiles import params_from
from workbench.workflows.constraints import read_request, request_records
from workbench.workflows.move_seam import FoundPlaces
from workbench.workflows.plan import Planned

if TYPE_CHECKING:
    from pydantic import JsonValue

Place: TypeAlias = tuple[int, int]
"""where a seam leaves the track and where it enters it, ms of track time"""


@dataclass(frozen=True, slots=True)
class HandFade:
    """A crossfade that a user set at a seam."""

    place: Place
    seconds: float
    exponent: float
    video_s: float
    """video time of the seam when it was set, by which people know it"""

    @staticmethod
    def at(plan: LoopPlan, seam: int) -> HandFade:
        """The crossfade that a plan has at a seam, counted from 0."""
        return HandFade(
            seam_place(plan, seam), plan.seam_fades[seam], plan.seam_curves[seam], float(plan.seam_times[seam])
        )


@dataclass(frozen=True, slots=True, eq=False)
class GridDraft:
    """A grid that was corrected and is not saved."""

    content_hash: str
    """SHA-256 of the track's bytes, hex"""
    grid: BeatGrid
    corrections: tuple[str, ...]
    """in words, the latest last"""


@dataclass(frozen=True, slots=True, eq=False)
class AskedPlan:
    """A plan that is being made."""

    words: str = ""
    """name of the step; empty: the plan follows from something else"""
    is_recorded: bool = False
    """whether the request is already a step of the history, to which the plan is added"""
    fits: bool = False
    """whether the track is fitted to the video"""
    restores: bool = False
    """whether it is the plan that the project has saved"""
    request: PlanRequest | None = None
    """its request, if it differs from that of the plan shown"""


class _Sentence(param.String):  # type: ignore[type-arg]  # takes arguments in its stubs only
    """A sentence on the page; in it files are named without the server's folders."""

    def __set__(self, obj: Any, val: str) -> None:
        super().__set__(obj, obj.for_the_page(val))


class State(param.Parameterized):
    """State of one page."""

    params = param.ClassSelector(default=WorkbenchParams(), class_=WorkbenchParams, allow_None=False)
    track = param.ClassSelector(class_=TrackSource, allow_None=True)
    video = param.ClassSelector(class_=Path, allow_None=True)
    still = param.ClassSelector(class_=Path, allow_None=True, doc="a small picture of the video, once it is made")
    loop = param.ClassSelector(class_=Planned, allow_None=True, doc="track under video: a plan or a refusal")
    analysis = param.ClassSelector(class_=Analysis, allow_None=True, doc="of the track")
    track_sound = param.ClassSelector(class_=LongSound, allow_None=True, doc="the track, to draw")
    request = param.ClassSelector(default=LENGTH_ALONE, class_=PlanRequest, doc="what is asked of the plan")
    contradiction = param.ClassSelector(class_=Planned, allow_None=True, doc="the last request that was refused")
    places = param.ClassSelector(class_=FoundPlaces, allow_None=True, doc="where the seams of the plan could be")
    remix = param.Boolean(False, doc="whether the mix is the one of the plan before, and is to be measured again")
    offers_fit = param.Boolean(False, doc="whether the track can be fitted to the video, under which it is not looped")
    asked = param.ClassSelector(class_=AskedPlan, allow_None=True, doc="the plan that is being made, if one is")
    hand_fades = param.Dict({}, doc="crossfades that were set by hand, by their splice and second")
    envelope = param.ClassSelector(class_=tuple, allow_None=True, doc="ducking that was drawn; None: as measured")
    grid_draft = param.ClassSelector(class_=GridDraft, allow_None=True, doc="corrections of the grid, not saved")
    stack = param.ClassSelector(default=(), class_=tuple, doc="tracks that are compared under the video, by id or path")
    tab = param.String("", doc="title of the tab that is looked at, or is to be; empty for the first")
    option = param.Integer(0, bounds=(0, None), doc="the option that is looked at, counted from 0")
    seam = param.Integer(0, bounds=(0, None), doc="the seam of the plan that is looked at, counted from 0")
    time = param.Number(0.0, doc="where the plan is listened to, video s")
    dark = param.Boolean(False, doc="whether the page is dark")
    reviewer = param.String("", doc="name of the reviewer; empty until it is given")
    project = param.ClassSelector(class_=Project, allow_None=True, doc="in which all this is saved")
    history = param.List([], item_type=Change, doc="changes of the project, oldest first")
    others = param.ClassSelector(default=frozenset(), class_=frozenset, doc="names of other windows on the project")
    records = param.Integer(0, doc="counts up when records of the track were put back: verdicts, grid")
    shown = param.Integer(0, doc="counts up when a plan or an analysis is shown, be it the one that was shown before")
    stage = param.String("", doc="name of the work under way; empty while there is none")
    done = param.Number(0.0, bounds=(0.0, 1.0), doc="share of that stage that is done")
    coming = param.String("", doc="sentence on what is being opened, for a page that has nothing to show yet")
    message = _Sentence("", doc="what went wrong last, in a sentence")
    notice = _Sentence("", doc="what one should know of the plan or the download, in a sentence")
    elsewhere = param.Boolean(False, doc="whether the message is on a change of another window, which one may look at")

    def __init__(self, home: Home, params: WorkbenchParams) -> None:
        self.home = home
        self._settling = 0
        self._record: tuple[LoopPlan | None, dict[str, JsonValue] | None] = None, None
        """a plan, and its record, which takes milliseconds to make"""
        super().__init__(params=params)
        self.param.watch(self._left_files, ["track", "video"])

    def _left_files(self, *events: Any) -> None:
        """A plan of the track or the video that was open before is not waited for."""
        if any(event.old != event.new for event in events):
            self.asked = None

    @property
    def fitting(self) -> bool:
        """Whether the track is being fitted to the video."""
        return self.asked is not None and self.asked.fits

    @property
    def plan(self) -> LoopPlan | None:
        """The plan itself, with its options; None while there is none or where the music refuses."""
        return self.loop.answer if self.loop is not None and isinstance(self.loop.answer, LoopPlan) else None

    def shows(self, loop: Planned) -> bool:
        """Whether the plan of a loop is the one that is shown, whatever its mix and its other options are."""
        mine = self.loop
        return (
            mine is not None
            and isinstance(mine.answer, LoopPlan)
            and isinstance(loop.answer, LoopPlan)
            and (mine.track.path, mine.video, mine.answer.alone) == (loop.track.path, loop.video, loop.answer.alone)
        )

    def for_the_page(self, text: str) -> str:
        """A sentence as the page may show it: files by their names, without the folders they lie in."""
        opened = [self.video] if self.track is None else [self.video, self.track.path]
        return without_folders(text, self.home.root, *(path.parent for path in opened if path is not None))

    @contextmanager
    def settle(self) -> Iterator[None]:
        """While what changes follows from something else."""
        self._settling += 1
        try:
            yield
        finally:
            self._settling -= 1

    @property
    def settling(self) -> bool:
        """Whether what changes follows from something else, not from a change of tab, option or seam."""
        return self._settling > 0

    def look_at(self, view: Mapping[str, Any]) -> None:
        """Go to a place of the project; what is not said, or makes no sense, stays as it is."""
        found: dict[str, Any] = {}
        for name, kind in (("tab", str), ("option", int), ("seam", int), ("time", float)):
            with suppress(KeyError, TypeError, ValueError):  # typed by hand, or written by another version
                found[name] = max(kind(view[name]), kind())
        with self.settle():
            self.param.update(**found)

    @property
    def view(self) -> dict[str, JsonValue]:
        """Where the page is looked at; `look_at` goes there."""
        return {"tab": self.tab, "option": self.option, "seam": self.seam, "time": round(self.time, 3)}

    def plan_record(self) -> dict[str, JsonValue] | None:
        """The plan as a project saves it; None where there is none."""
        answer = self.plan
        if answer is None or answer is not self._record[0]:
            self._record = answer, plan_record(self.loop)
        return self._record[1]

    def fields(self) -> Fields:
        """The fields of the project as the page has them, but for the view."""
        return {
            "plan": cast("JsonValue", self.plan_record()),
            "fades": cast("JsonValue", _fade_records(self.hand_fades.values())) or None,
            "envelope": cast("JsonValue", None if self.envelope is None else [list(point) for point in self.envelope]),
            "grid_draft": cast("JsonValue", _draft_record(self.grid_draft)),
            "stack": list(self.stack) or None,
            "request": cast("JsonValue", request_records(self.request)) or None,
            "params": self.params.model_dump(mode="json", exclude_defaults=True),
        }

    def take(self, fields: Fields) -> None:
        """Take the fields that there are, but for plan and view; the message names one that cannot be read."""
        found: dict[str, Any] = {}
        for field, (name, read) in _READERS.items():
            if field not in fields:
                continue
            try:
                found[name] = read(fields[field])
            except (WorkbenchError, KeyError, TypeError, ValueError) as error:
                self.message = f"{field} of the project cannot be read: {error}"
                if name != "params":
                    found[name] = read(None)
        self.param.update(**found)

    def forget(self) -> None:
        """Forget the requests of the plan before: there is another track or video."""
        self.param.update(
            request=LENGTH_ALONE, places=None, contradiction=None, envelope=None, grid_draft=None, hand_fades={}
        )


def _fade_records(fades: Iterable[HandFade]) -> list[list[float]]:
    """For each fade: track time left and entered, ms, then length, s, exponent, and video time, s."""
    return [[*fade.place, fade.seconds, fade.exponent, fade.video_s] for fade in fades]


def _read_params(record: Any) -> WorkbenchParams:
    return params_from(record or {}, "the project")


def _read_fades(records: Any) -> dict[tuple[Place, int], HandFade]:
    fades = [
        HandFade((int(leave), int(enter)), float(seconds), float(exponent), float(at))
        for leave, enter, seconds, exponent, at in records or ()
    ]
    return {(fade.place, round(fade.video_s)): fade for fade in fades}


def _read_stack(record: Any) -> tuple[str, ...]:
    if not isinstance(record, list | None):
        raise TypeError("it is no list of tracks")
    return tuple(str(named) for named in record or ())


def _read_request(record: Any) -> PlanRequest:
    if not isinstance(record, dict | None):
        raise TypeError("it is no table")
    return read_request(record or {})


def _draft_record(draft: GridDraft | None) -> dict[str, JsonValue] | None:
    if draft is None:
        return None
    return {
        "content_hash": draft.content_hash,
        "beats": draft.grid.beats.tolist(),
        "positions": draft.grid.positions.tolist(),
        "beats_per_bar": draft.grid.beats_per_bar,
        "corrections": list(draft.corrections),
    }


def _read_draft(record: Any) -> GridDraft | None:
    if record is None:
        return None
    positions = np.array(record["positions"], dtype=np.int32)
    grid = BeatGrid(np.array(record["beats"], dtype=np.float64), positions, int(record["beats_per_bar"]))
    return GridDraft(str(record["content_hash"]), grid, tuple(str(words) for words in record["corrections"]))


_READERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "params": ("params", _read_params),
    "fades": ("hand_fades", _read_fades),
    "envelope": ("envelope", read_points),
    "grid_draft": ("grid_draft", _read_draft),
    "stack": ("stack", _read_stack),
    "request": ("request", _read_request),
}
"""by field of a project: how to get it from the state, and how to read it; all of them read None if it is missing"""


def seam_place(plan: LoopPlan, seam: int) -> Place:
    """The splice of the track that a seam, counted from 0, is."""
    return round(1000 * plan.segments[seam].song_to), round(1000 * plan.segments[seam + 1].song_from)


def with_hand_fades(loop: Planned, fades: Iterable[HandFade]) -> tuple[Planned, list[HandFade]]:
    """A loop with the crossfades set by hand, each at the nearest seam of its splice; and those without one."""
    plan = loop.answer
    fades = list(fades)
    if not isinstance(plan, LoopPlan) or not fades:
        return loop, []
    changed, lost = plan.alone, []
    for fade in fades:
        same = [seam for seam in range(len(plan.seam_times)) if seam_place(plan, seam) == fade.place]
        if not same:
            lost.append(fade)
            continue
        nearest = min(same, key=lambda seam: abs(float(plan.seam_times[seam]) - fade.video_s))
        try:
            changed = with_fade(changed, nearest, fade.seconds, fade.exponent)
        except PlanError:
            lost.append(fade)
    return (loop if changed == plan.alone else with_option_first(loop, changed)), lost


def describe_lost(lost: Iterable[HandFade]) -> str:
    """A sentence on crossfades that are not in a new plan."""
    places = [clock(fade.video_s) for fade in lost]
    if not places:
        return ""
    if len(places) == 1:
        return f"the crossfade that you set at {places[0]} is not in this plan"
    return f"the crossfades that you set at {', '.join(places)} are not in this plan"
