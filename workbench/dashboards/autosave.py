"""The project of a page: what is done is saved as it is done, undone and redone, and seen in other windows.

What is changed with `Autosave.change` is a step of the project's history; where the page is looked at, and a plan that
follows from a step, are saved without one. What a page saves says on which revision it was made: what does not touch is
merged; a step that touches what another window has changed meanwhile is refused as a whole. Undo and redo are of a
window's own steps, and of those of windows that were closed.

Windows follow each other, be they of one server or of several on one home: once a second each of them compares the
project's revision with the one that it shows.
"""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from workbench.analysis.sources import TrackSource
from workbench.analysis.workspace import Workspace
from workbench.dashboards.constraint_words import in_words
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.state import State
from workbench.errors import ChangedElsewhere, StoreError, UnknownProject, WorkbenchError
from workbench.params import WorkbenchParams
from workbench.params.sliders import label_of
from workbench.plans.request import PlanRequest
from workbench.review.history import (
    Change,
    Edits,
    Fields,
    Saved,
    UndoResult,
    Window,
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
    find_revision,
    keep_fields,
    load_revision,
    project_on,
    start_project,
)

if TYPE_CHECKING:
    from pydantic import JsonValue

_VIEW_MS = 2000
"""after the time has changed, until it is saved"""
_FOLLOW_MS = 1000
"""from one look at the project's revision to the next"""

_open: weakref.WeakSet[Autosave] = weakref.WeakSet()
"""of all pages of this server"""


@dataclass(frozen=True, slots=True)
class News:
    """Changes of a project that a page does not show yet."""

    fields: Fields
    """as they are saved now"""
    records: frozenset[str]
    """keys of the track's records that have changed"""
    window: State | None
    """state of another window of this server that shows this already, if there is one"""
    words: str | None
    """what another window did last, empty where that is no step; None: it was done in this window"""


class HistoryStep:
    """All that a `with` block changes, one step of the history; inside another one, or with `amended`, part of that."""

    def __init__(self, autosave: Autosave, words: str, amended: HistoryStep | None = None) -> None:
        self.words = words
        self.amended = amended
        self.number: int | None = None
        """in the history; None until the block has ended, and where it changed nothing or was refused"""
        self._autosave = autosave

    def __enter__(self) -> HistoryStep:
        autosave = self._autosave
        autosave.open.append(self)
        self._project, self._content_hash = autosave.state.project, autosave.content_hash
        self._records = autosave.records(self._content_hash)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        autosave = self._autosave
        autosave.open.remove(self)
        if autosave.open:
            return
        if self._project != autosave.state.project:  # it opened another one
            autosave.save()
            return
        records = differing(self._records, autosave.records(self._content_hash))
        self.number = autosave.save(self.words, records, self.amended)


class Autosave:
    """Saves the state of a page; `show` shows what another window, undo or redo has changed in the project."""

    def __init__(self, state: State, workspace: Workspace, show: Callable[[News], None]) -> None:
        self.state = state
        self.window = secrets.token_hex(8)
        """its name, until the browser says by which it is known after a reload"""
        self.open: list[HistoryStep] = []
        """steps whose `with` block runs"""
        self._workspace = workspace
        self._show = show
        self._saved: Fields = {}
        """fields of the project that the page shows, as they are saved"""
        self._shown: Fields = {}
        """the same fields as the page has them; what differs from these is to be saved"""
        self._revision = 0
        """of the project when these were read or written"""
        self._is_behind = False
        """whether another plan is saved than the one that is shown, and is being read"""
        self._taking = False
        self._waiting = False
        state.param.watch(lambda *_: self._save(), ["loop", "stack", "envelope", "grid_draft"])
        state.param.watch(lambda event: self._tuned(event.old, event.new), "params")
        state.param.watch(lambda *_: self._save_view(), ["tab", "option", "seam"])
        state.param.watch(lambda *_: self._save_view_soon(), "time")
        _open.add(self)
        page = this_page_loop()
        if page is not None:
            page.call_every(self.follow, _FOLLOW_MS)

    def close(self) -> None:
        """The page has gone: other windows may undo what was done in it."""
        _open.discard(self)

    def name_window(self, name: str) -> None:
        """Take the name by which the browser knows this window, also after a reload."""
        self.window = name
        self.follow()

    def begin(self, video: Path | None, track: TrackSource | None, *, new: bool = False) -> Fields:
        """Save changes from now on, in the project of a video and a track, or in a new one."""
        project, workspace = self.state.project, self._workspace
        found = None if new else project_on(workspace, video, track)
        if found is None and project is not None and can_complete(project, video, track):
            found = complete_project(workspace, project, video, track)
        fields = self.take(found or start_project(workspace, video, track))
        if found is None:  # which begins with the parameters that the page has
            del self._shown["params"]
            self.save()
        return fields

    def take(self, project: Project) -> Fields:
        """Save changes from now on in a project; returns its fields."""
        self._revision, fields = load_revision(self._workspace, project.project_id)
        self._saved, self._is_behind = dict(fields), False
        self._shown = {**self.state.fields(), "plan": fields.get("plan")}
        self.state.project = project
        self.show_history()
        return fields

    @property
    def content_hash(self) -> str:
        """SHA-256 of the track's bytes, hex; empty for none yet."""
        analysis = self.state.analysis
        return "" if analysis is None else analysis.content_hash

    @property
    def others(self) -> frozenset[str]:
        """Names of the other windows that are open on the project."""
        return frozenset(other.window for other in self._others()) - {self.window}

    def records(self, content_hash: str) -> Fields:
        """The records of a track that a change can change; none for an empty hash."""
        project = self.state.project
        return {} if project is None else read_records(self._workspace, project.project_id, content_hash)

    def change(self, words: str) -> HistoryStep:
        """Make what is changed in a `with` block one step of the history."""
        return HistoryStep(self, words)

    def amend(self, step: HistoryStep | None) -> HistoryStep:
        """Add what is changed in a `with` block to the step that asked for it; with None it is saved without a step."""
        return HistoryStep(self, "", step)

    def undo(self) -> UndoResult | None:
        """Undo the last change of this window; None where there is none."""
        return self._call(undo_change)

    def redo(self) -> UndoResult | None:
        """Redo the change of this window that was undone last; None where there is none."""
        return self._call(redo_change)

    def show_history(self) -> None:
        """Let the page show the history as it is now, whichever window it was made in."""
        if self.state.project is not None:
            history = list_changes(self._workspace, self.state.project.project_id)
            self.state.param.update(history=history, others=self.others)

    @contextmanager
    def taking(self) -> Iterator[None]:
        """While what is saved is shown: nothing of it is a change, nor a place that the user went to."""
        before, is_part = self.state.fields(), self._taking
        self._taking = True
        try:
            with self.state.settle():
                yield
        finally:
            self._taking = is_part
            shows_plan = self.state.loop is not None and not self._is_behind
            for key, now in self.state.fields().items():
                if now != before[key] or (key == "plan" and shows_plan):
                    self._shown[key] = now

    def reads_plan(self, saved: JsonValue) -> None:
        """Note that the page is about to show the saved plan; what it shows otherwise, not `taking`, is to be saved."""
        self._saved["plan"] = self._shown["plan"] = saved
        self._is_behind = False

    def follow(self) -> None:
        """Show what other windows have changed in the project, if they have; what cannot be read now comes later."""
        project = self.state.project
        if project is None:
            return
        with self._telling(), suppress(StoreError):
            is_changed = find_revision(self._workspace, project.project_id) != self._revision
            if is_changed or self.others != self.state.others:
                self._show_changes(project)

    def _show_changes(self, project: Project, *, is_own: bool = False, puts_back: bool = False) -> None:
        """Show what has changed in the project since.
        `is_own`: by undo or redo here. `puts_back`: what this page could not save is shown as it is saved, too.
        """
        revision, now = load_revision(self._workspace, project.project_id)
        known = {change.number: change.undone for change in self.state.history}
        self.show_history()
        edits = differing(self._saved, {**now, "view": self._saved.get("view")})
        fields: Fields = {key: after for key, (_, after) in edits.items()}
        if puts_back:
            unsaved = self._unsaved()
            fields |= {key: now.get(key) for key in unsaved}
            self._shown.update(unsaved)
        plan = self._saved.get("plan")
        self._saved = {**now, "plan": plan}  # until that is shown, which may take a worker
        self._revision = revision
        news = [change for change in self.state.history if known.get(change.number) != change.undone]
        records = frozenset(key for change in news for key in change.edits if "/" in key)
        if "plan" not in fields and self._is_behind and self.state.asked is not None and self.state.asked.restores:
            self.state.asked = None  # what is shown is the saved plan again
        self._is_behind = plan != now.get("plan")
        if fields or records:
            windows = (other.state for other in self._others() if other._shows(revision, now))
            words = None if is_own else self._last_of_others(news)
            self._show(News(fields, records, next(windows, None), words))

    def save(self, words: str = "", records: Edits | None = None, amended: HistoryStep | None = None) -> int | None:
        """Save what the page has changed since, with records of the track; returns the number of the step.

        Without `words` it follows from something else, and is no step; with `amended` it is added to that one.
        """
        project, records = self.state.project, records or {}
        unsaved = self._unsaved()
        edits: Edits = {**{key: (self._saved.get(key), value) for key, value in unsaved.items()}, **records}
        if project is None or not edits:
            return None
        with self._telling():
            try:
                saved = self._write(project, words, edits, amended)
            except ChangedElsewhere as overtaken:
                was_behind = self._is_behind
                self._show_changes(project, puts_back=True)
                made = None
                if records:  # which are no fields of the project: they are there already
                    made = self._write(project, words, records, amended)
                    self._took(project, made.revision, made.edits, {})
                outcome = f"{'Done in part' if records else 'Not done'}: {words}." if words else ""
                if was_behind and not str(overtaken):  # as after an undo of one's own
                    self.state.message = f"the saved plan is still being read. {outcome}" if outcome else ""
                else:
                    self.say_overtaken(str(overtaken), outcome)
                return None if made is None or made.change is None else made.change.number
            self._took(project, saved.revision, saved.edits, unsaved)
            if not saved.edits:  # the step that was to be amended was undone meanwhile
                self._show_changes(project)
            return None if saved.change is None else saved.change.number
        return None

    def say_overtaken(self, theirs: str, outcome: str) -> None:
        """Say that another window changed the same thing (`theirs`), and what became of the change here."""
        said = f"changed in another window{f': {theirs}' if theirs else ''}. {outcome}".strip()
        self.state.param.update(message=said, elsewhere=True)

    def _unsaved(self) -> Fields:
        """Fields that the page has changed; without its plan while there is no answer yet."""
        return {
            key: value
            for key, value in self.state.fields().items()
            if value != self._shown.get(key)
            and value != self._saved.get(key)
            and not (key == "plan" and self.state.loop is None)
        }

    def _save(self, words: str = "") -> None:
        if not self._taking and not self.open:
            self.save(words)

    def _tuned(self, before: WorkbenchParams, after: WorkbenchParams) -> None:
        """Other parameters are a step of their own, unless they are part of one."""
        if before != after:
            self._save(params_words(before, after))

    def _write(self, project: Project, words: str, edits: Edits, amended: HistoryStep | None) -> Saved:
        by = Window(self.window, self.others)
        on = -1 if self._is_behind else self._revision  # -1 is no revision: what is saved now is compared
        if amended is None or amended.number is None:
            return record_change(self._workspace, project.project_id, words, edits, by, on)
        # What was done since is undone before: the plan comes with the last of it, or undo would take it for another's.
        mine = [change.number for change in self.state.history if change.window == self.window and not change.undone]
        number = max([amended.number, *mine])
        return amend_change(self._workspace, project.project_id, number, edits, by, on)

    def _took(self, project: Project, revision: int, edits: Edits, fields: Fields) -> None:
        """Take note of what was saved."""
        self._saved.update(fields)
        self._shown.update(fields)
        if revision == self._revision + bool(edits) and not self._is_behind:
            self._revision = revision
            self.show_history()
        else:  # another window has written too, or what this one wrote was merged
            self._show_changes(project)

    def _last_of_others(self, changes: list[Change]) -> str:
        theirs = [change for change in changes if change.window != self.window]
        return "" if not theirs else f"{'undone: ' if theirs[-1].undone else ''}{theirs[-1].words}"

    def _save_view(self) -> None:
        project, view = self.state.project, cast("JsonValue", self.state.view)
        if project is None or self.state.loop is None or self._taking or self._saved.get("view") == view:
            return
        with self._telling():
            keep_fields(self._workspace, project.project_id, {"view": view})
            self._saved["view"] = view

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

    def _call(self, act: Callable[..., UndoResult | None]) -> UndoResult | None:
        project = self.state.project
        if project is None:
            return None
        with self._telling():
            try:
                made = act(self._workspace, project.project_id, Window(self.window, self.others))
            except ChangedElsewhere as overtaken:
                self._show_changes(project)
                self.say_overtaken(str(overtaken), f"Nothing is {'undone' if act is undo_change else 'done again'}.")
                return None
            self._show_changes(project, is_own=True)
            return made
        return None

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

    def _shows(self, revision: int, fields: Fields) -> bool:
        """Whether the page shows a revision of the project, with its plan."""
        return self._revision == revision and self.state.plan_record() == fields.get("plan")

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What cannot be saved is said on the page; a project that another window deleted is no longer saved."""
        try:
            yield
        except UnknownProject:
            self.state.param.update(
                project=None, history=[], message="this project was deleted; open its track again to keep your work"
            )
        except WorkbenchError as error:
            self.state.message = str(error)


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
