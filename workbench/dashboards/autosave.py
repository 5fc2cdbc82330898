"""The project of a page: what is done is saved as it is done, undone and redone, and seen in other windows.

A page has one project, on the video and the track that are open. What is changed with `Autosave.change` is a step of
the project's history; where the page is looked at, and a plan that follows from a step, are saved without one.

Several windows may be open on one project, and each follows what the others do. A step says on which revision of the
project it was made. What does not touch is merged; a step that touches what another window has changed meanwhile is not
saved, and the page shows what the other window did. Undo and redo are of a window's own steps, and of those of windows
that were closed.
"""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from workbench.analysis.sources import TrackSource
from workbench.analysis.workspace import Workspace
from workbench.dashboards.constraint_words import in_words
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.state import State
from workbench.errors import ChangedElsewhere, UnknownProject, WorkbenchError
from workbench.params import WorkbenchParams
from workbench.params.sliders import label_of
from workbench.plans.request import PlanRequest
from workbench.review.history import (
    Edits,
    StepBack,
    Window,
    amend_change,
    differing,
    list_changes,
    read_records,
    record_change,
    redo_change,
    undo_change,
)
from workbench.review.history import State as Fields
from workbench.review.projects import (
    Project,
    can_complete,
    complete_project,
    keep_fields,
    load_revision,
    project_on,
    start_project,
)

if TYPE_CHECKING:
    from pydantic import JsonValue

_VIEW_MS = 2000
"""after the time has changed, until it is saved"""

_open: weakref.WeakSet[Autosave] = weakref.WeakSet()
"""of all pages of this server, which follow each other"""


class Step:
    """A change under way; finished by `finish`, or by the end of a `with` block."""

    def __init__(self, autosave: Autosave, words: str) -> None:
        self.words = words
        self.project = autosave.state.project
        self.content_hash = autosave.content_hash
        self.before = autosave.values(self.content_hash)
        self.number: int | None = None
        """in the history; None until it is finished, and where it changed nothing"""
        self._autosave = autosave

    def finish(self) -> None:
        """Put what a worker changed since the beginning into the history."""
        self._autosave.finish(self, later=True)

    def __enter__(self) -> Step:
        self._autosave.open.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._autosave.open.remove(self)
        if not self._autosave.open:  # within another one it is part of that
            self._autosave.finish(self, later=False)


class Autosave:
    """Saves the state of a page.

    `follow` takes what another window has changed: fields, the state of that window where it has the plan that is now
    saved, and whether records of the track have changed.
    """

    def __init__(
        self, state: State, workspace: Workspace, follow: Callable[[Fields, State | None, bool], None]
    ) -> None:
        self.state = state
        self.window = secrets.token_hex(8)
        """its name, until the browser says by which it is known after a reload"""
        self.open: list[Step] = []
        """steps whose `with` block runs"""
        self._workspace = workspace
        self._follow = follow
        self._page = this_page_loop()
        self._saved: Fields = {}
        """fields of the project as this page read or wrote them last"""
        self._revision = 0
        """of the project that they are of"""
        self._steps: weakref.WeakSet[Step] = weakref.WeakSet()
        self._taking = False
        self._waiting = False
        state.param.watch(lambda *_: self.save_plan(), "loop")
        for name in ("stack", "envelope", "grid_draft"):
            state.param.watch(lambda event: self._save({event.name: state.fields()[event.name]}), name)
        state.param.watch(lambda event: self._tuned(event.old, event.new), "params")
        state.param.watch(lambda *_: self._save_view(), ["tab", "option", "seam"])
        state.param.watch(lambda *_: self._save_view_soon(), "time")
        _open.add(self)

    def close(self) -> None:
        """The page has gone: other windows may undo what was done in it."""
        _open.discard(self)
        self._tell()

    def name_window(self, name: str) -> None:
        """Take the name by which the browser knows this window, also after a reload."""
        self.window = name
        self._tell()
        self.show_history()

    def begin(self, video: Path | None, track: TrackSource | None, *, new: bool = False) -> Fields:
        """Save from now on what is done to a video and a track: in the project on them, else in a new one.

        `video`, `track`: that are open now; None: not yet.
        """
        project, workspace = self.state.project, self._workspace
        found = None if new else project_on(workspace, video, track)
        if found is None and project is not None and can_complete(project, video, track):
            found = complete_project(workspace, project, video, track)
        fields = self.take(found or start_project(workspace, video, track))
        if found is None:  # which begins with the parameters that the page has
            self._save({"params": self.state.fields()["params"]})
        return fields

    def take(self, project: Project) -> Fields:
        """Save from now on what is done to a project; returns its fields."""
        self._revision, self._saved = load_revision(self._workspace, project.project_id)
        self.state.project = project
        self.show_history()
        self._tell()  # from now on they leave undo of its steps to this window
        return dict(self._saved)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the track's bytes, hex; empty for none yet."""
        analysis = self.state.analysis
        return "" if analysis is None else analysis.content_hash

    @property
    def others(self) -> frozenset[str]:
        """Names of the other windows that are open on the project."""
        return frozenset(other.window for other in self._others()) - {self.window}

    def values(self, content_hash: str) -> Fields:
        """What a change can change: the fields of the project as the page has them, and the records of its track.

        `content_hash`: SHA-256 of the track's bytes, hex; empty for none yet.
        """
        fields: Fields = {key: value for key, value in self.state.fields().items() if value is not None}
        if self.state.project is None:
            return fields
        return fields | read_records(self._workspace, self.state.project.project_id, content_hash)

    def change(self, words: str) -> Step:
        """Begin a change."""
        step = Step(self, words)
        self._steps.add(step)
        return step

    def finish(self, step: Step, *, later: bool) -> None:
        """Put a change into the history."""
        edits = differing(step.before, self.values(step.content_hash))
        if later:
            edits = {key: edit for key, edit in edits.items() if _is_workers(key, step.content_hash)}
        if step.project == self.state.project:
            step.number = self._record(edits, step.words)

    def amend(self, step: Step | None) -> None:
        """Add the plan that was made for a change to it.

        `step`: that asked for the plan; None: no step did.
        """
        project = self.state.project
        if step is None or step.number is None or project is None or step.project != project:
            return
        with self._telling():
            edits = differing(_fields(step.before), _fields(self.values("")))
            saved = amend_change(self._workspace, project.project_id, step.number, edits, self._revision)
            self._took(saved.revision, saved.edits)

    def undo(self) -> StepBack | None:
        """Undo the last change of this window; None where there is none."""
        return self._step_back(undo_change)

    def redo(self) -> StepBack | None:
        """Redo the change of this window that was undone last; None where there is none."""
        return self._step_back(redo_change)

    def show_history(self) -> None:
        """Let the page show the history as it is now, whichever window it was made in."""
        if self.state.project is not None:
            history = list_changes(self._workspace, self.state.project.project_id)
            self.state.param.update(history=history, others=self.others)

    def save_plan(self) -> None:
        """Save the plan and what belongs to it, unless there is no answer yet."""
        if self.state.loop is not None:
            self._save({key: value for key, value in self.state.fields().items() if key != "params"})

    @contextmanager
    def taking(self) -> Iterator[None]:
        """While what was saved is shown again: nothing of it is a change."""
        self._taking, before = True, self._taking
        try:
            yield
        finally:
            self._taking = before

    def follow(self, source: Autosave | None = None) -> None:
        """Show what other windows have changed since.

        `source`: the window that has, if it is one of this server: its plan need not be read again.
        """
        project = self.state.project
        if project is None:
            return
        with self._telling():
            self._revision, now = load_revision(self._workspace, project.project_id)
            edits = differing(self._saved, {**now, "view": self._saved.get("view")})
            changed: Fields = {key: after for key, (_, after) in edits.items()}
            self._saved = now
            for step in self._steps:  # what it changes is what it adds to this
                step.before.update(changed)
            known = {change.number: change.undone for change in self.state.history}
            self.show_history()
            news = [change for change in self.state.history if known.get(change.number) != change.undone]
            records = any("/" in key for change in news for key in change.edits)
            if changed or records:
                knows = source is not None and changed.get("plan") == source.state.plan_record()
                self._follow(changed, source.state if source is not None and knows else None, records)

    def _save(self, fields: Fields) -> None:
        """Save those fields that differ from what this page read or wrote last, without a step of the history."""
        if not self._taking:
            self._record({key: (self._saved.get(key), value) for key, value in fields.items()}, "")

    def _record(self, edits: Edits, words: str) -> int | None:
        """Save edits; with words as a step, whose number is returned."""
        project, number = self.state.project, None
        edits = {key: edit for key, edit in edits.items() if edit[0] != edit[1]}
        if project is None or not edits:
            return None
        with self._telling():
            by = Window(self.window, self.others)
            saved = record_change(self._workspace, project.project_id, words, edits, by, self._revision)
            number = None if saved.change is None else saved.change.number
            self._took(saved.revision, saved.edits)
        return number

    def _took(self, revision: int, edits: Edits) -> None:
        """Take note of what was saved, and let the other windows show it."""
        missed, self._revision = revision > self._revision + 1, revision
        mine = self.state.fields()
        self._saved.update({key: mine[key] for key in edits if key in mine})
        self.show_history()
        if missed:  # what another window wrote, and what this one wrote as it was merged
            self.follow()
        self._tell()

    def _save_view(self) -> None:
        project, view = self.state.project, cast("JsonValue", self.state.view)
        if project is None or self.state.loop is None or self._taking or self._saved.get("view") == view:
            return
        with self._telling():
            revision = keep_fields(self._workspace, project.project_id, {"view": view})
            self._saved["view"] = view
            if revision == self._revision + 1:
                self._revision = revision

    def _save_view_soon(self) -> None:
        """Save the view at most every other second while music plays."""
        loop = this_page_loop()
        if loop is None:
            self._save_view()
        elif not self._waiting:
            self._waiting = True

            def save() -> None:
                self._waiting = False
                self._save_view()

            loop.call_later(save, _VIEW_MS)

    def _tuned(self, before: WorkbenchParams, after: WorkbenchParams) -> None:
        """Other parameters are a change of their own, unless they are part of one."""
        if not self._taking and not self.open and before != after:
            old, new = (params.model_dump(mode="json", exclude_defaults=True) for params in (before, after))
            self._record({"params": (old, new)}, params_words(before, after))

    def _step_back(self, step: Callable[..., StepBack | None]) -> StepBack | None:
        project = self.state.project
        if project is None:
            return None
        made = None
        with self._telling():
            made = step(self._workspace, project.project_id, Window(self.window, self.others))
            self._saved.update({} if made is None else _fields(made.values))
            self.show_history()
            self.follow()  # of another server, which does not tell
            self._tell()
        return made

    def _others(self) -> list[Autosave]:
        """The other windows of this server that are open on the project."""
        project, home = self.state.project, self._workspace.home
        if project is None:
            return []
        return [
            other
            for other in list(_open)
            if other is not self
            and other._workspace.home == home
            and other.state.project is not None
            and other.state.project.project_id == project.project_id
        ]

    def _tell(self) -> None:
        """Let the other windows on the project show what was saved."""
        for other in self._others():
            if other._page is None:
                other.follow(self)
            else:
                other._page.call_soon(lambda other=other: other.follow(self))  # type: ignore[misc]

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What cannot be saved is said on the page; a project that another window deleted is no longer saved."""
        try:
            yield
        except ChangedElsewhere as overtaken:
            self.follow()
            self.say_overtaken(str(overtaken))
        except UnknownProject:
            self.state.param.update(
                project=None, history=[], message="this project was deleted; open its track again to keep your work"
            )
        except WorkbenchError as error:
            self.state.message = str(error)

    def say_overtaken(self, words: str) -> None:
        """Say that another window has changed what a step was to change, which one may look at."""
        what = f": {words}" if words else ""
        self.state.param.update(message=f"changed in another window{what}. Your change is not made.", elsewhere=True)


def _fields(values: Fields) -> Fields:
    return {key: value for key, value in values.items() if "/" not in key}


def _is_workers(key: str, content_hash: str) -> bool:
    """Whether a worker can have changed it: a field but for parameters, or the one record of its kind of a track."""
    _, slash, record_id = key.partition("/")
    return record_id == content_hash if slash else key != "params"


def request_words(before: PlanRequest, after: PlanRequest) -> str:
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
