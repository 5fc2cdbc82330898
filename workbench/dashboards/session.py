"""What one open page works on: a track, a video, the plan that joins them, the parameters; and the work under way.

Tabs never talk to each other. They follow the session, change it, and run through it what takes time (`session.run`). A
session holds no sound: sounds lie in files under the home folder, which the browser streams and
`workbench.dashboards.views` maps into memory where it draws them.

Classes: `Session`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import param

from workbench.analysis.grids import every_revision
from workbench.analysis.provenance import read_provenance, with_mix_of, with_mix_params, with_render_params
from workbench.analysis.sources import TrackSource, find_track, find_video
from workbench.analysis.track import Analysis, analyze
from workbench.analysis.workspace import Workspace
from workbench.dashboards.autosave import Keeper, Step, asked_words, read_asked, read_envelope, read_fades
from workbench.dashboards.constraint_words import sentence_in_words
from workbench.dashboards.fades import HandFade, Place, describe_lost, with_hand_fades
from workbench.dashboards.grid_drafts import GridDraft, read_draft
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.sounds.plan import track_file
from workbench.dashboards.tasks import Pool, Task, shared_pool
from workbench.dashboards.views import LongSound, write_summary
from workbench.errors import PlanError, WorkbenchError
from workbench.files import stamps_of, without_folders
from workbench.mix.balance import Mix
from workbench.params import WorkbenchParams
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import LENGTH_ALONE, LOOP_ALONE, PlanRequest
from workbench.results.plan import plan_from_json
from workbench.review.history import Change, State, StepBack
from workbench.review.projects import Project, open_project, plan_record, restore_loop
from workbench.store.home import Home
from workbench.workflows.constraints import recorded_request
from workbench.workflows.demo import demo_loop
from workbench.workflows.mix import draw_envelope, mix_under
from workbench.workflows.move_seam import FoundPlaces, plan_around, plan_with_moved_seam
from workbench.workflows.plan import Planned, can_fit, plan_track

SOUNDS_ROUTE = "sounds"
"""under which the page finds files of the home's `renders/dashboard`"""
UPLOADS_ROUTE = "uploads"


class _Sentence(param.String):  # type: ignore[type-arg]  # takes arguments in its stubs only
    """A sentence on the page; in it files are named without the server's folders, whoever wrote it."""

    def __set__(self, obj: Any, val: str) -> None:
        super().__set__(obj, obj.for_the_page(val))


class Session(param.Parameterized):
    """State of one page.

    `pool`: of workers; None: the one of this process.
    """

    params = param.ClassSelector(default=WorkbenchParams(), class_=WorkbenchParams, allow_None=False)
    track = param.ClassSelector(class_=TrackSource, allow_None=True)
    video = param.ClassSelector(class_=Path, allow_None=True)
    loop = param.ClassSelector(class_=Planned, allow_None=True, doc="track under video: a plan or a refusal")
    offers_fit = param.Boolean(False, doc="whether the track can be fitted to the video, under which it is not looped")
    fitting = param.Boolean(False, doc="whether the track is being fitted to the video")
    analysis = param.ClassSelector(class_=Analysis, allow_None=True, doc="of the track")
    track_sound = param.ClassSelector(class_=LongSound, allow_None=True, doc="the track, to draw")
    dark = param.Boolean(False, doc="whether the page is dark")
    stage = param.String("", doc="name of the work under way; empty while there is none")
    done = param.Number(0.0, bounds=(0.0, 1.0), doc="share of that stage that is done")
    coming = param.String("", doc="sentence on what is being opened, for a page that has nothing to show yet")
    seam = param.Integer(0, bounds=(0, None), doc="the seam of the plan that is looked at, counted from 0")
    reviewer = param.String("", doc="name of whoever reviews; empty until it is given")
    option = param.Integer(0, bounds=(0, None), doc="the option that is looked at, counted from 0")
    time = param.Number(0.0, doc="where the plan is listened to, video s")
    tab = param.String("", doc="title of the tab that is looked at, or is to be; empty for the first")
    project = param.ClassSelector(class_=Project, allow_None=True, doc="in which all this is kept")
    history = param.List([], item_type=Change, doc="changes of the project, oldest first; those undone come last")
    records = param.Integer(0, doc="counts up when records of the track were put back: verdicts, grid")
    shown = param.Integer(0, doc="counts up when a plan or an analysis is shown, be it the one that was shown before")
    envelope = param.ClassSelector(class_=tuple, allow_None=True, doc="ducking that was drawn; None: as measured")
    grid_draft = param.ClassSelector(class_=GridDraft, allow_None=True, doc="corrections of the grid, not saved")
    stack = param.ClassSelector(default=(), class_=tuple, doc="tracks that are compared under the video, by id or path")
    request = param.ClassSelector(default=LENGTH_ALONE, class_=PlanRequest, doc="what is asked of the plan")
    places = param.ClassSelector(class_=FoundPlaces, allow_None=True, doc="where the seams of the plan could be")
    contradiction = param.ClassSelector(class_=Planned, allow_None=True, doc="the last request that was refused")
    message = _Sentence("", doc="what went wrong last, in a sentence")
    notice = _Sentence("", doc="what one should know of the plan or the download, in a sentence")

    def __init__(self, workspace: Workspace, pool: Pool | None = None) -> None:
        super().__init__(params=workspace.params)
        self.workspace = workspace
        self._pool = pool or shared_pool()
        self._tasks: list[Task] = []
        self._closed = False
        self._fits = 0
        """times that a track was fitted; only the latest is shown"""
        self._demo: Task | None = None
        """that prepares the demo"""
        self._asked_fit = False
        """whether somebody wanted the track fitted to this video"""
        self._asked = 0
        """times that something was asked of the plan; only the latest is shown"""
        self._plans = 0
        """times that a plan was to be made again, or a kept one shown again; only the latest is shown"""
        self._analyses = 0
        """times that the track was to be analysed without a plan; only the latest is shown"""
        self._hand_fades: dict[tuple[Place, int], HandFade] = {}
        """by their splice and second"""
        self._settling = 0
        self._keeper = Keeper(self)
        self.param.watch(lambda *_: self._mix_as_tuned(), ["envelope", "params"])

    @property
    def home(self) -> Home:
        """The home folder."""
        return self.workspace.home

    def _named_track(self) -> TrackSource:
        if self.track is None:
            raise WorkbenchError("no track is open")
        return self.track

    @property
    def hand_fades(self) -> Mapping[tuple[Place, int], HandFade]:
        """Crossfades that were set by hand, by their splice and second."""
        return self._hand_fades

    @property
    def plan(self) -> LoopPlan | None:
        """The plan itself, with its options; None while there is none or where the music refuses."""
        return self.loop.answer if self.loop is not None and isinstance(self.loop.answer, LoopPlan) else None

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return bool(self._tasks)

    def open_track(self, named: Path | str) -> Task | None:
        """Open a file or a track of the catalog: plan it under the video, or analyse it where there is no video.

        Returns the work under way; None where there is no such track, as `message` says.
        """
        try:
            track = find_track(self.workspace, str(named))
        except WorkbenchError as error:
            self.message = str(error)
            return None
        self._hand_fades.clear()
        self._forget_request()
        self._leave_demo()
        self.coming = f"Opening {track.path.name}."
        self.param.update(
            track=track, loop=None, analysis=None, track_sound=None, offers_fit=False, notice="", message="", option=0,
            seam=0,
        )  # fmt: skip
        return self._go_on(self._begin())

    def open_video(self, named: Path | str) -> Task | None:
        """Open a video, and plan the track under it.

        Returns the work under way; None where there is no such video, as `message` says, or no track.
        """
        try:
            video = find_video(self.workspace, named).path
        except WorkbenchError as error:
            self.message = str(error)
            return None
        self._forget_request()
        self._leave_demo()
        self.coming = f"Opening {video.name}."
        self.param.update(video=video, loop=None, offers_fit=False, message="", option=0)
        return self._go_on(self._begin())

    def open_new(self, track: Path | str, video: Path) -> Task | None:
        """Open a track under a video in a new project, whatever was done to them before.

        Returns the work under way; None where there is no such track, as `message` says.
        """
        try:
            found = find_track(self.workspace, str(track))
        except WorkbenchError as error:
            self.message = str(error)
            return None
        self._leave_demo()
        self.coming = f"Opening {found.path.name}."
        self.param.update(track=found, video=video)
        return self._go_on(self._begin(anew=True))

    def foresee(self, track: Path | str, video: Path) -> None:
        """Have the plan of a new project made before its page is drawn; `open_new` then joins that work."""
        try:
            found = find_track(self.workspace, str(track))
        except WorkbenchError:
            return
        same = partial(self._as_planned, found, video, LOOP_ALONE)
        if same() is not None:
            self.run(
                plan_track, found, video, LOOP_ALONE, then=lambda _: None, wanted=lambda: self.video in (None, video),
                subject=str(found.path), same=same, auto_mix=True,
            )  # fmt: skip

    def open_project(self, project_id: str, place: Mapping[str, Any] | None = None) -> Task | None:
        """Open a project as it was left.

        Returns the work under way; None where there is no such project, or its track is gone, as `message` says.
        """
        self.message = ""
        try:
            project = open_project(self.workspace, project_id)
            fields = self._keeper.take(project)
        except WorkbenchError as error:
            self.param.update(message=str(error), coming="")
            return None
        self._leave_demo()
        self.coming = f"Opening {project.name}."
        track, video, gone = self._files_of(project)
        view = fields.get("view")
        with self._keeper.taking():
            self.param.update(track=track, video=video, loop=None, analysis=None, track_sound=None, offers_fit=False)
            self.look_at({**(view if isinstance(view, dict) else {}), **(place or {})})
        task = self._go_on(fields)
        self.message = self.message or gone
        return task

    def _files_of(self, project: Project) -> tuple[TrackSource | None, Path | None, str]:
        """Track and video of a project; what is gone is None, and named in a sentence."""
        track, video, gone = None, Path(project.video) if project.video else None, ""
        try:
            track = find_track(self.workspace, project.track) if project.track else None
        except WorkbenchError as error:
            gone = f"the track of this project is gone: {error}"
        if video is not None and not video.is_file():
            gone = f"the video of this project is gone: {video}"
            video = None
        return track, video, gone

    def look_at(self, view: Mapping[str, Any]) -> None:
        """Go to a place of the project; what is not said, or makes no sense, stays as it is."""
        found: dict[str, Any] = {}
        for name, kind in (("tab", str), ("option", int), ("seam", int), ("time", float)):
            with suppress(KeyError, TypeError, ValueError):  # typed by hand, or written by another version
                found[name] = max(kind(view[name]), kind())
        with self._settle():
            self.param.update(**found)

    @property
    def settling(self) -> bool:
        """Whether what changes follows from something else: nobody went to another tab, option or seam."""
        return self._settling > 0

    @contextmanager
    def _settle(self) -> Iterator[None]:
        self._settling += 1
        try:
            yield
        finally:
            self._settling -= 1

    def _begin(self, *, anew: bool = False) -> State:
        """Keep from now on what is done to the open files; returns the fields of a project that was there before."""
        try:
            return self._keeper.begin(self.video, self.track, anew=anew)
        except WorkbenchError as error:  # it can be worked on all the same
            self.message = str(error)
            self.project = None
            return {}

    def _go_on(self, fields: State) -> Task | None:
        """Show what a project keeps; where it keeps no plan, make one."""
        self._give_up_unwanted(running=True)  # it was for what was open until now
        self._asked_fit = False
        self.param.update(notice="", contradiction=None, places=None)
        self._take_fields(
            {"fades": None, "envelope": None, "grid_draft": None, "stack": None, "request": None, **fields}
        )
        return self._restore(fields.get("plan"))

    def _take_fields(self, fields: State) -> None:
        """Take fields of a project that are no plan, see `Keeper.fields`; those that are missing stay as they are."""
        with self._keeper.taking():
            if "params" in fields:
                self.params = self._keeper.params_of(fields)
            if "fades" in fields:
                self._hand_fades = read_fades(fields["fades"])
            if "envelope" in fields:
                self.envelope = read_envelope(fields["envelope"])
            if "grid_draft" in fields:
                self.grid_draft = read_draft(fields["grid_draft"])
            if "stack" in fields:
                kept = fields["stack"]
                self.stack = tuple(str(named) for named in kept) if isinstance(kept, list) else ()
            if "request" in fields:
                self.request = read_asked(fields["request"])

    def _restore(self, kept: Any) -> Task | None:
        """Show a plan that was kept; None where there was none: then it is planned."""
        track, video = self.track, self.video
        if track is None or video is None or not kept:
            return self.replan()
        is_newest = self._newest_plan()

        def restored(loop: Planned) -> None:
            if not is_newest():
                return
            said = self.notice  # of the step that brought it back
            with self._keeper.taking(), self._settle():  # it is kept as it is
                self._show(loop, self.option)
            self.notice = said
            record = plan_record(loop)
            if record is None or record["result"]["plan"] != kept["result"]["plan"]:  # type: ignore[index,call-overload]
                self._keeper.keep_plan()
                self.notice = "track or video have changed since this project was left, so it was planned again"

        same = partial(self._as_planned, track, video, json.dumps(kept, sort_keys=True))
        return self.run(
            restore_loop, track, video, kept, then=restored, wanted=is_newest, subject=str(track.path), same=same
        )

    def change(self, words: str) -> Step:
        """Make what is changed one step of the history, which can be undone; see `workbench.dashboards.autosave`.

            with session.change("seam 2 is pinned"):
                session.request = ...
                session.replan()

        A plan that `replan` or `fit` makes for it belongs to the step, although it comes later. For a change that a
        worker makes, keep what this returns, and call its `finish()` when the result is shown.

        `words`: what is changed, such as "crossfade of seam 2: 80 → 120 ms".
        """
        self.message = self.notice = ""  # they were about what was done before
        return self._keeper.change(words)

    def undo(self) -> None:
        """Undo the last change of the project."""
        self.message = ""
        step = self._keeper.undo()
        if step is not None:
            self._put_back(step, f"undone: {step.change.words}")

    def redo(self) -> None:
        """Do the change again that was undone last."""
        self.message = ""
        step = self._keeper.redo()
        if step is not None:
            self._put_back(step, f"done again: {step.change.words}")

    def _put_back(self, step: StepBack, words: str) -> None:
        """Show values of the project and of its track's records that were put back, and say so."""
        values = step.values
        self._take_fields(values)
        anew = any(key.startswith("grid/") for key in values)
        if any("/" in key for key in step.change.edits):
            self.records += 1
        if ("plan" in values or anew) and (anew or not self._show_at_once(values["plan"])):
            self._restore(values.get("plan"))
        self.notice = words
        if step.sentence:
            self.message = step.sentence

    def _show_at_once(self, kept: Any) -> bool:
        """Show a plan that differs from the one that is shown in nothing but crossfades, which takes no worker."""
        plan, loop = self.plan, self.loop
        if not kept or plan is None or loop is None:
            return False
        try:
            other = plan_from_json(kept["result"])
            provenance = with_mix_of(read_provenance(kept["result"]), loop.provenance)
        except PlanError:
            return False
        if other.segments != plan.segments or other.window_end != plan.window_end:
            return False
        self._newest_plan()
        with self._settle():
            request = recorded_request(provenance)
            self._show(replace(loop, answer=other, provenance=provenance, request=request), self.option)
        return True

    def open_file(self, path: Path) -> Task | None:
        """Open a file as what it is: a video where it has a moving picture, else a track.

        Returns the work under way; None where it is no media file, as `message` says.
        """
        from workbench.media.probe import probe

        try:
            moving = probe(path).has_video
        except WorkbenchError as error:
            self.message = str(error)
            return None
        return self.open_video(path) if moving else self.open_track(path)

    def open_demo(self) -> Task:
        """Open the demo's video with the bundled track that the demo chooses for it."""
        self.coming = (
            "Preparing the demo: the bundled film and the bundled tracks are analysed. The first start takes a minute "
            "or two, later ones seconds. Open shows files of your own."
        )
        self.message = ""
        opened = self.track, self.video

        def prepared(loop: Planned) -> None:
            if (self.track, self.video) == opened:
                self._show_demo(loop)

        self._demo = self.run(demo_loop, then=prepared, same=partial(self._as_planned, None, None))
        return self._demo

    def _leave_demo(self) -> None:
        """Something else is opened: a demo that is still being prepared would take its place."""
        if self._demo is not None:
            self._demo.cancel()
            self._demo = None

    def _show_demo(self, loop: Planned) -> None:
        self._hand_fades.clear()
        self._forget_request()
        self.param.update(track=loop.track, video=loop.video, loop=None, analysis=None, track_sound=None, option=0)
        fields = self._begin()
        if fields.get("plan"):
            self.analysis = loop.analysis
            self._go_on(fields)
        else:
            self.show(loop)

    def show(self, loop: Planned) -> None:
        """Make a plan the one that the page is about."""
        with self._settle():
            self._show(loop, option=0)

    def _show(self, loop: Planned, option: int) -> None:
        new_track = self.track is None or self.track.path != loop.track.path
        if new_track:
            self.track_sound = None
            self._hand_fades.clear()
            self._forget_request()
        if self.project is None or (self.track, self.video) != (loop.track, loop.video):
            self.param.update(track=loop.track, video=loop.video, loop=None)
            self._begin()
        self.notice = ""
        loop = self.as_tuned(loop)
        self.param.update(
            track=loop.track, video=loop.video, analysis=loop.analysis, loop=loop, offers_fit=False, option=option,
            shown=self.shown + 1, contradiction=None,
        )  # fmt: skip
        if isinstance(loop.answer, Refusal) and loop.answer.reason is RefusalReason.VIDEO_NOT_LONGER:
            # Part of a track fills every video that is not longer than it.
            self.offers_fit = loop.video is not None and _is_long_enough(loop.answer)
            self._analyze_track()  # its length alone decided; its beats can be looked at all the same
            return
        if self.track_sound is None and loop.analysis is not None:
            self._map_track()
        self._look_for_fit()

    def show_with_fade(self, loop: Planned, seam: int) -> None:
        """Make a plan the one that the page is about, and remember the crossfade that was set by hand at a seam.

        `seam`: counted from 0.
        """
        assert isinstance(loop.answer, LoopPlan), "a refusal has no seams"
        fade = HandFade.at(loop.answer, seam)
        before = self.plan
        was = "" if before is None or seam >= len(before.seam_fades) else f"{1000 * before.seam_fades[seam]:.0f} → "
        with self.change(f"crossfade of seam {seam + 1}: {was}{1000 * fade.seconds:.0f} ms"):
            # After the plan is shown, for another track's crossfades are forgotten then.
            self.show(loop)
            self._hand_fades[(fade.place, round(fade.heard_s))] = fade

    def show_again(self, loop: Planned) -> None:
        """Show a track that was planned again, with the crossfades set by hand where the plan has their seams."""
        kept, lost = with_hand_fades(loop, self._hand_fades.values())
        self.show(kept)
        self.notice = describe_lost(lost)

    def replan(self) -> Task | None:
        """Plan again with the parameters as they are; a track that was fitted to the video is fitted again."""
        if self.track is None:
            return None
        self.message = ""
        if self.video is None:
            return self._analyze_track()
        asked = self._with_kinds(self.request)
        if not asked.only_loop:
            return self.fit()
        is_newest, show = self._newest_plan(), self._shown_for_change()

        def planned(loop: Planned) -> None:
            # Another file may have been opened meanwhile, a change undone, or other parameters set.
            if is_newest() and not self._is_refused(loop):
                show(loop)

        return self.run(
            plan_track, self.track, self.video, asked, then=planned, wanted=is_newest, subject=str(self.track.path),
            same=partial(self._as_planned, self.track, self.video, asked), auto_mix=True,
        )  # fmt: skip

    def _with_kinds(self, request: PlanRequest) -> PlanRequest:
        """A request for a loop, or for any plan: where parts or times are asked for, or that was asked for before."""
        is_fit = self.loop is not None and not self.loop.request.only_loop and not self.request.asks_beyond_seams
        return replace(request, only_loop=not (self._asked_fit or is_fit or request.asks_beyond_seams))

    def _is_refused(self, answer: Planned) -> bool:
        """Whether a request is refused: that is said, and what is shown stays. A track that has no loop is shown."""
        refusal = answer.answer
        if isinstance(refusal, LoopPlan):
            return False
        if answer.request.only_loop and refusal.reason is not RefusalReason.CONSTRAINTS:
            return False
        if answer.request:
            self.contradiction = answer
        else:
            self.message = sentence_in_words(refusal.sentence)
        return True

    def _shown_for_change(self) -> Callable[[Planned], None]:
        """Shows a plan that is made for the change under way, and makes it part of that."""
        step = self._keeper.open[0] if self._keeper.open else None

        def shown(loop: Planned) -> None:
            self.show_again(loop)
            self._keeper.amend(step)

        return shown

    def _newest_plan(self) -> Callable[[], bool]:
        """Whether, once a plan has been made, it still is the one asked for last, of the files that are open."""
        self._plans += 1
        mine, track, video = self._plans, self.track, self.video
        return lambda: mine == self._plans and (self.track, self.video) == (track, video)

    def fit(self) -> Task | None:
        """Fit the track to the video: looped, straight or cut down, always as long as the video.

        Returns the work under way; None where there is no track or no video.
        """
        track, video = self.track, self.video
        if track is None or video is None:
            return None
        self._fits += 1
        mine, asked = self._fits, self.request
        self._asked_fit = self._asked_fit or not asked.asks_beyond_seams
        self._newest_plan()
        show = self._shown_for_change()
        self.param.update(fitting=True, message="")

        def ended(*_: str) -> None:
            self.fitting = mine != self._fits

        def is_wanted() -> bool:
            # Another file may have been opened meanwhile, or other parameters set.
            return mine == self._fits and (self.track, self.video) == (track, video)

        def fitted(fit: Planned) -> None:
            ended()
            if is_wanted() and not self._is_refused(fit):
                show(fit)

        return self.run(
            plan_track, track, video, asked, then=fitted, wanted=is_wanted, subject=str(track.path), otherwise=ended,
            cancelled=ended, auto_mix=True, same=partial(self._as_planned, track, video, asked),
        )  # fmt: skip

    def ask(self, request: PlanRequest) -> Task | None:
        """Plan again around what is asked for; what cannot be kept is said, and the plan stays.

        Returns the work under way; None where there is no track or no video.
        """
        under = self.video or (None if self.loop is None else self.loop.video_seconds)
        if self.track is None or under is None:
            return None
        words, request = asked_words(self.request, request), self._with_kinds(request)
        return self._plan_with(words, plan_around, self.track, under, request)

    def move_seam(self, seam: int, bars: int) -> Task | None:
        """Move a seam of the plan to another bar line, and pin it there.

        `seam`: counted from 0. `bars`: by which it is moved; negative: earlier. Returns the work under way; None where
        there is no plan.
        """
        if self.plan is None:
            return None
        self.seam = seam
        words = f"seam {seam + 1} is moved by {bars:+d} {'bar' if abs(bars) == 1 else 'bars'}"
        request = self._with_kinds(self.request)
        return self._plan_with(words, plan_with_moved_seam, self.loop, seam, bars, request)

    def _plan_with(self, words: str, plan: Callable[..., Any], *arguments: Any) -> Task:
        """Have a plan made as it is asked for, one step of the history, and its mix measured once it is shown."""
        self._asked += 1
        step = self.change(words)
        mine, track, video = self._asked, self._named_track(), self.video
        self.param.update(contradiction=None, message="")

        def is_wanted() -> bool:
            return mine == self._asked and (self.track, self.video) == (track, video)

        def planned(answer: Planned) -> None:
            if not is_wanted() or self._is_refused(answer):
                return
            self.request = replace(answer.request, only_loop=False)  # with the pin of a moved seam
            self.show_again(answer)
            step.finish()
            if answer.video is not None and isinstance(answer.answer, LoopPlan):
                then = partial(mixed, self.params)
                self.run(
                    mix_under, answer.answer.alone, track.path, answer.video, then=then, wanted=is_wanted,
                    subject=str(track.path),
                )  # fmt: skip

        def mixed(params: WorkbenchParams, mix: Mix) -> None:
            loop = self.loop
            if is_wanted() and loop is not None and isinstance(loop.answer, LoopPlan):
                made = None if loop.provenance is None else loop.provenance.with_constraint("auto_mix", True)
                self.take_mix(replace(loop, provenance=made), mix, params)

        return self.run(plan, *arguments, then=planned, wanted=is_wanted, subject=str(track.path), found=self.places)

    def _mix_as_tuned(self) -> None:
        """Let the plan that is shown have the ducking that was drawn, and say with which parameters it is heard."""
        if self.loop is not None:
            loop = self.as_tuned(self.loop)
            if loop != self.loop:
                self.loop = loop

    def as_tuned(self, loop: Planned) -> Planned:
        """A loop with the ducking that was drawn, and in its provenance the parameters it is rendered with.

        Those that its mix was made with are recorded where it is made, see `take_mix`.
        """
        drawn = draw_envelope(loop, self.envelope)
        made = None if drawn.provenance is None else with_render_params(drawn.provenance, self.params)
        return drawn if made == drawn.provenance else replace(drawn, provenance=made)

    def take_mix(self, loop: Planned, mix: Mix | None, params: WorkbenchParams) -> None:
        """Let the plan that is shown have another mix, and record the parameters that made it."""
        made = None if loop.provenance is None else with_mix_params(loop.provenance, params)
        mixed = self.as_tuned(replace(loop, mix=mix, provenance=made))
        if mixed != self.loop:
            self.loop = mixed

    def _forget_request(self) -> None:
        """Another track or video: what was asked of the plan is forgotten here, the project that is left keeps it."""
        self._asked_fit = False
        with self._keeper.taking():  # the project that is left keeps what it has
            self.param.update(request=LENGTH_ALONE, places=None, contradiction=None, envelope=None, grid_draft=None)

    def _look_for_fit(self) -> None:
        """Have a worker find out whether a track that is not looped under the video can be fitted to it."""
        loop, request = self.loop, self.request
        if loop is None or loop.video is None or self.offers_fit:
            return
        if not isinstance(loop.answer, Refusal) or loop.answer.retryable:
            return

        def is_wanted() -> bool:
            return self.loop is loop

        def known(can: bool) -> None:
            if is_wanted():
                self.offers_fit = can

        self.run(
            can_fit, loop.track, loop.video, request, then=known, wanted=is_wanted, subject=str(loop.track.path),
            same=partial(self._as_planned, loop.track, loop.video, request),
        )  # fmt: skip

    def _analyze_track(self) -> Task:
        track = self._named_track()
        self._analyses += 1
        mine = self._analyses

        def is_wanted() -> bool:
            return mine == self._analyses and self.track == track

        def analysed(analysis: Analysis) -> None:
            if is_wanted():
                self.param.update(analysis=analysis, shown=self.shown + 1)
                self._map_track()
                self._look_for_fit()

        return self.run(
            analyze, track.path, then=analysed, wanted=is_wanted, subject=str(track.path),
            same=partial(self._as_planned, track, None),
        )  # fmt: skip

    def _map_track(self) -> None:
        track = self._named_track()

        def mapped(sound: LongSound) -> None:
            if self.track is track:
                self.track_sound = sound

        def written(path: Path) -> None:
            self.draw(path, then=mapped)

        self.run(track_file, track.path, then=written, subject=str(track.path), same=stamps_of(track.path))

    def draw(self, path: Path, then: Callable[[LongSound], None]) -> Task:
        """Open a sound to draw it; a worker makes its summary where there is none yet.

        `then`: takes the sound, on this page's event loop; not called where the file has gone, as `message` says.
        """

        def made(path: Path) -> None:
            try:
                sound = LongSound(path)
            except WorkbenchError as error:  # the file may be gone by now: renders are cleared by age
                self.message = str(error)
                return
            then(sound)

        return self.run(write_summary, path, then=made, same=stamps_of(path))

    def run(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        then: Callable[[Any], None],
        wanted: Callable[[], bool] | None = None,
        subject: str = "",
        otherwise: Callable[[str], None] | None = None,
        cancelled: Callable[[], None] | None = None,
        same: Hashable | Callable[[], Hashable | None] | None = None,
        **named: Any,
    ) -> Task:
        """Run a function of `workbench` in a process of its own, with progress on the page and a way to cancel it.

        Work whose page has gone, because its browser tab was closed or the server has stopped, is cancelled. So is what
        waits for a worker and is not wanted any more, as soon as there is other work.

        `function`: importable by its name; takes a workspace, with the page's home and parameters, before the
        arguments. `then`: takes the result, on this page's event loop, wanted or not. `wanted`: whether the page still
        wants the result; None: always. `otherwise`: takes the sentence that says what went wrong, once it is the
        page's `message`. `same`: what the result depends on beside the page's home and parameters, such as `stamps_of`
        files: pages that ask for the same share one piece of work, and none of them changes its result; None: it is
        done for this page alone. A function that says it is asked again, in another thread, once the work has ended:
        where it says something else by then, the result is not kept for pages that come later.
        """
        page = this_page_loop()
        self._give_up_unwanted(running=False)
        says_same = same if callable(same) else None
        key = says_same() if says_same is not None else same
        task = Task(
            self.home, self.params, function, arguments, named, subject=subject, owner=self, wanted=wanted, same=key,
            holds=None if says_same is None else lambda: says_same() == key,
        )  # fmt: skip
        if page is not None and page.gone:
            self.close()
        if self._closed:
            task.drop()
            return task

        def deliver(news: Callable[[], None]) -> None:
            if page is None:
                news()
            elif page.gone:
                self.close()
            else:
                page.call_soon(news)

        def ended() -> None:
            if task in self._tasks:
                self._tasks.remove(task)
            if not self._tasks:
                self.param.update(stage="", done=0.0)

        # `then` may start more work; it does so before this work ends, so that the page is busy without a gap.
        def succeed(result: Any) -> None:
            try:
                then(result)
            finally:
                ended()

        def fail(fault: str) -> None:
            ended()
            self.message = fault
            if otherwise is not None:
                otherwise(self.message)

        def show_progress(stage: str, done: float) -> None:
            if task in self._tasks:  # shared work goes on, and tells of it, while this page gives its part up
                self.param.update(stage=stage, done=min(1.0, max(0.0, done)))

        task.deliver = deliver

        def give_up() -> None:
            ended()
            if cancelled is not None:
                cancelled()

        task.on_done, task.on_fault, task.on_cancelled, task.on_progress = succeed, fail, give_up, show_progress
        self._tasks.append(task)
        self.stage = self.stage or "starting"
        return self._pool.submit(task)

    def _as_planned(self, track: TrackSource | None, video: Path | None, *more: Hashable) -> Hashable | None:
        """What a plan depends on beside parameters: the files, the grids that were corrected, and more.

        None where that cannot be read: then the plan is made for this page alone, and says why.
        """
        try:
            grids = every_revision(self.workspace)
        except WorkbenchError:
            return None
        return track, *stamps_of(None if track is None else track.path, video), grids, *more

    def _give_up_unwanted(self, *, running: bool) -> None:
        """Give up work that nobody wants any more; what runs takes its worker with it, and goes on unless told."""
        for task in list(self._tasks):
            if not task.is_wanted and (running or not task.is_running):
                task.given_up = True
                task.cancel()

    def cancel(self) -> None:
        """Give up all work of this page."""
        for task in list(self._tasks):
            task.cancel()

    def close(self) -> None:
        """Cancel all work, because the page has gone; from now on none is begun."""
        self._closed = True
        self.cancel()
        self._tasks.clear()

    def for_the_page(self, text: str) -> str:
        """A sentence as the page may show it: files by their names, without the folders they lie in."""
        opened = [self.video] if self.track is None else [self.video, self.track.path]
        return without_folders(text, self.home.root, *(path.parent for path in opened if path is not None))

    def url_of(self, path: Path) -> str:
        """The address under which the page streams a file, by range requests.

        `path`: below the home's `renders/dashboard`. Raises `ValueError` for a file that lies elsewhere.
        """
        inside = path.relative_to(self.home.renders / "dashboard")
        return f"{SOUNDS_ROUTE}/{quote(inside.as_posix())}"


def _is_long_enough(refusal: Refusal) -> bool:
    """Whether the track of a video that is not longer by 30 s is as long as the video."""
    return (refusal.track_seconds or 0.0) >= (refusal.video_seconds or 0.0)
