"""Keeps a page's project as it is worked on, and its history: what was changed, to undo it and to do it again.

Whoever changes something that a project keeps says so in words:

    with session.change("seam 2 is pinned"):
        session.request = ...
        session.replan()

What the block changes, of the plan, crossfades, drawn ducking, constraints, parameters, grid and verdicts, is one step
that can be undone. A plan that `Session.replan` makes for it belongs to the step, although it comes later. Where the
change itself is made later, by a worker, the step is finished by hand; parameters and verdicts of the meantime are no
part of it:

    step = session.change("seam 2 is moved to 1:04")
    self.run(move_seam, ..., then=lambda loop: (session.show(loop), step.finish()))

Other kinds of records join in `workbench.review.history.KINDS`; nothing is to be done here. Another field of
the project joins in `Keeper.fields` and `Session._take_fields`.

Classes: `Keeper`, the project of a page; `Step`, a change under way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from workbench.analysis.sources import TrackSource
from workbench.dashboards.constraint_words import in_words
from workbench.dashboards.fades import HandFade, Place
from workbench.dashboards.grid_drafts import draft_record
from workbench.dashboards.page_loop import this_page_loop
from workbench.errors import ParameterError, PlanError, UnknownProject, WorkbenchError
from workbench.mix.drawn_envelope import Points, read_points
from workbench.params import WorkbenchParams
from workbench.params.sliders import label_of
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LENGTH_ALONE, PlanRequest
from workbench.review.history import (
    State,
    StepBack,
    amend_change,
    differing,
    list_changes,
    read_records,
    record_change,
    redo_change,
    undo_change,
)
from workbench.review.projects import (
    Project,
    can_complete,
    complete_project,
    keep_fields,
    load_fields,
    plan_record,
    project_on,
    start_project,
)
from workbench.store.profiles import params_from
from workbench.workflows.constraints import read_request, request_records
from workbench.workflows.plan import Planned

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.dashboards.session import Session

_VIEW_MS = 2000
"""after the time has changed, until it is kept"""


class Step:
    """A change under way; finished by `finish`, or by the end of a `with` block."""

    def __init__(self, keeper: Keeper, words: str) -> None:
        self.words = words
        self.project = keeper.project
        self.content_hash = keeper.content_hash
        self.before = keeper.state(self.content_hash)
        self.number: int | None = None
        """in the history; None until it is finished, and where it changed nothing"""
        self._keeper = keeper

    def finish(self) -> None:
        """Put what a worker changed since the beginning into the history."""
        self._keeper.finish(self, later=True)

    def __enter__(self) -> Step:
        self._keeper.open.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._keeper.open.remove(self)
        if not self._keeper.open:  # within another one it is part of that
            self._keeper.finish(self, later=False)


class Keeper:
    """The project of a page."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: State = {}
        """fields of the project as this page read or wrote them last"""
        self._record: tuple[LoopPlan | None, dict[str, JsonValue] | None] = None, None
        """a plan, and its record, which takes milliseconds to make"""
        self._taking = False
        self.open: list[Step] = []
        """steps whose `with` block runs"""
        session.param.watch(lambda *_: self.keep_plan(), "loop")
        for name in ("stack", "envelope", "grid_draft"):
            session.param.watch(lambda event: self._keep({event.name: self.fields()[event.name]}), name)
        session.param.watch(lambda event: self._tuned(event.old, event.new), "params")
        session.param.watch(lambda *_: self.keep_view(), ["tab", "option", "seam"])
        session.param.watch(lambda *_: self._keep_view_soon(), "time")
        self._waiting = False

    @property
    def project(self) -> Project | None:
        """What is kept; None while neither a video nor a track is open."""
        return self._session.project

    def begin(self, video: Path | None, track: TrackSource | None, *, anew: bool = False) -> State:
        """Keep from now on what is done to a video and a track: in the project on them, else in a new one.

        `video`, `track`: that are open now; None: not yet.
        """
        session, project = self._session, self.project
        workspace = session.workspace
        found = None if anew else project_on(workspace, video, track)
        if found is None and project is not None and can_complete(project, video, track):
            found = complete_project(workspace, project, video, track)
        fields = self.take(found or start_project(workspace, video, track))
        if found is None:  # which begins with the parameters that the page has
            self._keep({"params": self.fields()["params"]})
        return fields

    def take(self, project: Project) -> State:
        """Keep from now on what is done to a project."""
        self._kept = load_fields(self._session.workspace, project.project_id)
        self._session.project = project
        self.show_history()
        return dict(self._kept)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the track's bytes, hex; empty for none yet."""
        analysis = self._session.analysis
        return "" if analysis is None else analysis.content_hash

    def state(self, content_hash: str) -> State:
        """What a change can change: the fields of the project as the page has them, and the records of its track.

        `content_hash`: SHA-256 of the track's bytes, hex; empty for none yet.
        """
        fields: State = {key: value for key, value in self.fields().items() if value is not None}
        if self.project is None:
            return fields
        return fields | read_records(self._session.workspace, self.project.project_id, content_hash)

    def change(self, words: str) -> Step:
        """Begin a change."""
        return Step(self, words)

    def finish(self, step: Step, *, later: bool) -> None:
        """Put a change into the history."""
        project = step.project
        if project is None or project != self.project:
            return
        with self._telling():
            edits = differing(step.before, self.state(step.content_hash))
            if later:
                edits = {key: edit for key, edit in edits.items() if _is_workers(key, step.content_hash)}
            change = record_change(self._session.workspace, project.project_id, step.words, edits)
            step.number = None if change is None else change.number
            self._kept.update({key: after for key, (_, after) in edits.items() if "/" not in key})
            self.show_history()

    def amend(self, step: Step | None) -> None:
        """Add the plan that was made for a change to it.

        `step`: that asked for the plan; None: nobody did.
        """
        if step is None or step.number is None or step.project is None or step.project != self.project:
            return
        with self._telling():
            before: State = {key: value for key, value in step.before.items() if "/" not in key}
            now: State = {key: value for key, value in self.fields().items() if value is not None}
            edits = differing(before, now)
            if amend_change(self._session.workspace, step.project.project_id, step.number, edits):
                self._kept.update(now)

    def undo(self) -> StepBack | None:
        """Undo the last change; None where there is none."""
        return self._step_back(undo_change)

    def redo(self) -> StepBack | None:
        """Do the change again that was undone last; None where there is none."""
        return self._step_back(redo_change)

    def show_history(self) -> None:
        """Let the page show the history as it is now, whichever window it was made in."""
        if self.project is not None:
            self._session.history = list_changes(self._session.workspace, self.project.project_id)

    def keep_plan(self) -> None:
        """Keep the plan and the crossfades that were set by hand, unless there is no answer yet."""
        if self._session.loop is not None:
            self._keep({key: value for key, value in self.fields().items() if key != "params"})

    def keep_view(self) -> None:
        """Keep where the page is looked at."""
        session = self._session
        view = {"tab": session.tab, "option": session.option, "seam": session.seam, "time": round(session.time, 3)}
        if session.loop is not None:
            self._keep({"view": cast("JsonValue", view)})

    def _keep_view_soon(self) -> None:
        """Keep the view at most every other second while music plays."""
        loop = this_page_loop()
        if loop is None:
            self.keep_view()
        elif not self._waiting:
            self._waiting = True

            def keep() -> None:
                self._waiting = False
                self.keep_view()

            loop.call_later(keep, _VIEW_MS)

    @contextmanager
    def taking(self) -> Iterator[None]:
        """While what was kept is shown again: nothing of it is a change."""
        self._taking, before = True, self._taking
        try:
            yield
        finally:
            self._taking = before

    def params_of(self, fields: Mapping[str, Any]) -> WorkbenchParams:
        """The parameters of a project."""
        try:
            return params_from(fields["params"] or {}, "the project")
        except WorkbenchError as error:
            self._session.message = str(error)
            return self._session.params

    def fields(self) -> State:
        """The fields of the project as the page has them, but for the view; `Session` takes them back one by one."""
        session = self._session
        loop: Planned | None = session.loop
        answer = loop.answer if loop is not None and isinstance(loop.answer, LoopPlan) else None
        if answer is None or answer is not self._record[0]:
            self._record = answer, plan_record(loop)
        return {
            "plan": cast("JsonValue", self._record[1]),
            "fades": cast("JsonValue", fade_records(session.hand_fades.values())) or None,
            "envelope": cast("JsonValue", envelope_record(session.envelope)),
            "grid_draft": cast("JsonValue", draft_record(session.grid_draft)),
            "stack": list(session.stack) or None,
            "request": cast("JsonValue", request_records(session.request)) or None,
            "params": session.params.model_dump(mode="json", exclude_defaults=True),
        }

    def _keep(self, fields: State) -> None:
        """Write those fields that differ from what this page read or wrote last: what another window wrote stays."""
        project = self.project
        changed = {key: value for key, value in fields.items() if self._kept.get(key) != value}
        if project is None or self._taking or not changed:
            return
        with self._telling():
            keep_fields(self._session.workspace, project.project_id, changed)
            self._kept.update(changed)

    def _tuned(self, before: WorkbenchParams, after: WorkbenchParams) -> None:
        """Other parameters are a change of their own, unless they are part of one."""
        project = self.project
        if project is None or self._taking or self.open or before == after:
            return
        old, new = (params.model_dump(mode="json", exclude_defaults=True) for params in (before, after))
        with self._telling():
            words = params_words(before, after)
            record_change(self._session.workspace, project.project_id, words, {"params": (old, new)})
            self._kept["params"] = new
            self.show_history()

    def _step_back(self, step: Callable[..., StepBack | None]) -> StepBack | None:
        project = self.project
        if project is None:
            return None
        with self._telling():
            made = step(self._session.workspace, project.project_id)
            self._kept = load_fields(self._session.workspace, project.project_id)
            self.show_history()
            return made
        return None

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What cannot be kept is said on the page; a project that another window deleted is no longer kept."""
        try:
            yield
        except UnknownProject:
            self._session.param.update(
                project=None, history=[], message="this project was deleted; open its track again to keep your work"
            )
        except WorkbenchError as error:
            self._session.message = str(error)


def _is_workers(key: str, content_hash: str) -> bool:
    """Whether a worker can have changed it: a field but for parameters, or the one record of its kind of a track."""
    _, slash, record_id = key.partition("/")
    return record_id == content_hash if slash else key != "params"


def fade_records(fades: Any) -> list[list[float]]:
    """Crossfades that were set by hand as a project stores them.

    Of each: track time left and entered, ms, then length, s, exponent, and video time, s.
    """
    return [[*fade.place, fade.seconds, fade.exponent, fade.heard_s] for fade in fades]


def read_fades(records: Any) -> dict[tuple[Place, int], HandFade]:
    """Crossfades that were set by hand, from what a project keeps.

    `records`: as `fade_records` made them; None: none.
    """
    fades = [HandFade((int(a), int(b)), seconds, exponent, at) for a, b, seconds, exponent, at in records or ()]
    return {(fade.place, round(fade.heard_s)): fade for fade in fades}


def envelope_record(points: Points | None) -> list[list[float]] | None:
    """A ducking envelope that was drawn as a project keeps it.

    `points`: see `workbench.mix.drawn_envelope`; None: nothing was drawn.
    """
    return None if points is None else [list(point) for point in points]


def read_envelope(record: Any) -> Points | None:
    """A ducking envelope that was drawn, from what a project keeps.

    `record`: as `envelope_record` made it; None, or one that another version wrote and this cannot read: nothing.
    """
    with suppress(ParameterError):
        return read_points(record)
    return None


def read_asked(record: Any) -> PlanRequest:
    """What is asked of the plan, from what a project keeps.

    `record`: as `request_records` made it; None, or one that another version wrote and this cannot read: nothing.
    """
    with suppress(PlanError):
        return read_request(record if isinstance(record, dict) else {})
    return LENGTH_ALONE


def asked_words(before: PlanRequest, after: PlanRequest) -> str:
    """What two requests differ in, in words."""
    added = [one for one in after.each if one not in before.each]
    dropped = [one for one in before.each if one not in after.each]
    said = [
        f"{verb}: {', '.join(map(in_words, some))}"
        for verb, some in (("asked for", added), ("dropped", dropped))
        if some
    ]
    return "; ".join(said) or "planned again"


def params_words(before: WorkbenchParams, after: WorkbenchParams) -> str:
    """What two sets of parameters differ in, in words."""
    old, new = before.model_dump(), after.model_dump()
    changed = [
        (stage, name, old[stage][name], value)
        for stage, fields in new.items()
        for name, value in fields.items()
        if old[stage][name] != value
    ]
    if len(changed) == 1:
        ((stage, name, was, now),) = changed
        return f"{stage}: {label_of(name)} {_shown(was)} → {_shown(now)}"
    stages = list(dict.fromkeys(stage for stage, *_ in changed))
    return f"{', '.join(stages)}: {len(changed)} parameters"


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
