"""What a person does on one open page: open files and projects, plan, fit, move a seam, undo.

Tabs never talk to each other. They follow the state, change it by these actions, and run what takes time through
`Session.run`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from workbench.analysis.grids import every_revision
from workbench.analysis.provenance import read_provenance, with_mix_of, with_mix_params, with_render_params
from workbench.analysis.sources import TrackSource, find_track, find_video
from workbench.analysis.track import Analysis, analyze
from workbench.analysis.workspace import Workspace
from workbench.dashboards.autosave import Autosave, HistoryStep, News, request_words
from workbench.dashboards.constraint_words import sentence_in_words
from workbench.dashboards.page_tasks import PageTasks
from workbench.dashboards.sounds.plan import track_file
from workbench.dashboards.state import AskedPlan, HandFade, State, describe_lost, with_hand_fades
from workbench.dashboards.tasks import Pool, Task, shared_pool
from workbench.dashboards.views import LongSound, write_summary
from workbench.errors import PlanError, WorkbenchError
from workbench.files import stamps_of
from workbench.media.probe import probe
from workbench.mix.balance import Mix
from workbench.params import WorkbenchParams
from workbench.plans.plan import MAX_OPTIONS, LoopPlan
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import LOOP_ALONE, PlanRequest
from workbench.results.plan import plan_from_json
from workbench.review.history import Fields, UndoResult
from workbench.review.projects import Project, open_project, plan_record, restore_loop
from workbench.workflows.constraints import recorded_request
from workbench.workflows.demo import demo_loop
from workbench.workflows.move_seam import plan_around, plan_with_moved_seam
from workbench.workflows.plan import Planned, draw_envelope, plan_track

if TYPE_CHECKING:
    from pydantic import JsonValue

_Found = TypeVar("_Found")

SOUNDS_ROUTE = "sounds"
"""under which the page finds files of the home's `renders/dashboard`"""
UPLOADS_ROUTE = "uploads"


class Session(State):
    """One open page: its state, what a person does to it, and the work that this takes."""

    def __init__(self, workspace: Workspace, pool: Pool | None = None) -> None:
        super().__init__(workspace.home, workspace.params)
        self.workspace = workspace
        self.autosave = Autosave(self, workspace, self._follow)
        self.tasks = PageTasks(self, workspace, pool or shared_pool())
        self.run = self.tasks.run
        self._demo: Task | None = None
        """that prepares the demo"""
        self._asked_fit = False
        """whether the user asked to fit the track to this video"""
        self._asked_analysis = self._asked_options = object()
        """the last request of each kind: the result of an older one comes too late"""
        self.param.watch(lambda *_: self._mix_as_tuned(), ["envelope", "params"])

    def _named_track(self) -> TrackSource:
        if self.track is None:
            raise WorkbenchError("no track is open")
        return self.track

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return self.tasks.busy

    def open_track(self, named: Path | str) -> Task | None:
        """Plan a file or a track of the catalog under the video, or analyse it; None: `message` says why not."""
        track = self.find(find_track, self.workspace, str(named))
        if track is None:
            return None
        self._forget()
        self._leave_demo()
        self.coming = f"Opening {track.path.name}."
        self.param.update(
            track=track, loop=None, analysis=None, track_sound=None, offers_fit=False, notice="", message="", option=0,
            seam=0,
        )  # fmt: skip
        return self._go_on(self._begin())

    def open_video(self, named: Path | str) -> Task | None:
        """Plan the track under a video; None without a track, or where `message` says that there is no such video."""
        found = self.find(find_video, self.workspace, named)
        if found is None:
            return None
        video = found.path
        self._forget()
        self._leave_demo()
        self.coming = f"Opening {video.name}."
        self.param.update(video=video, loop=None, offers_fit=False, message="", option=0)
        return self._go_on(self._begin())

    def open_new(self, track: Path | str, video: Path) -> Task | None:
        """Open a track under a video in a new project, even if one with both exists; None without that track."""
        found = self.find(find_track, self.workspace, str(track))
        if found is None:
            return None
        self._leave_demo()
        self.coming = f"Opening {found.path.name}."
        self.param.update(track=found, video=video, loop=None)
        return self._go_on(self._begin(new=True))

    def foresee(self, track: Path | str, video: Path) -> None:
        """Have the plan of a new project made before its page is drawn; `open_new` then joins that work."""
        try:
            found = find_track(self.workspace, str(track))
        except WorkbenchError:
            return
        cache_key = partial(self._as_planned, found, video, LOOP_ALONE)
        if cache_key() is not None:
            self.run(
                plan_track, found, video, LOOP_ALONE, on_result=lambda _: None, subject=str(found.path),
                is_current=lambda: self.video in (None, video), cache_key=cache_key, auto_mix=True,
            )  # fmt: skip

    def open_project(self, project_id: str, place: Mapping[str, Any] | None = None) -> Task | None:
        """Open a project as it was left; None where it cannot be, as `message` says."""
        self.message = ""
        try:
            project = open_project(self.workspace, project_id)
            fields = self.autosave.take(project)
        except WorkbenchError as error:
            self.param.update(message=str(error), coming="")
            return None
        self._leave_demo()
        self.coming = f"Opening {project.name}."
        track, video, gone = self._files_of(project)
        view = fields.get("view")
        with self.autosave.taking():
            self.param.update(track=track, video=video, loop=None, analysis=None, track_sound=None, offers_fit=False)
            self.look_at({**(view if isinstance(view, dict) else {}), **(place or {})})
        task = self._go_on(fields)
        self.message = self.message or gone
        return task

    def _files_of(self, project: Project) -> tuple[TrackSource | None, Path | None, str]:
        """Track and video of a project, None if missing, and a sentence that names the missing ones."""
        track, video, gone = None, Path(project.video) if project.video else None, ""
        try:
            track = find_track(self.workspace, project.track) if project.track else None
        except WorkbenchError as error:
            gone = f"the track of this project is gone: {error}"
        if video is not None and not video.is_file():
            gone = f"the video of this project is gone: {video}"
            video = None
        return track, video, gone

    def _begin(self, *, new: bool = False) -> Fields:
        """Save changes from now on, in the project of the open files; returns its fields if it existed before."""
        try:
            return self.autosave.begin(self.video, self.track, new=new)
        except WorkbenchError as error:  # it can be worked on all the same
            self.message = str(error)
            self.project = None
            return {}

    def _go_on(self, fields: Fields) -> Task | None:
        """Show what a project has saved; where it has no plan, make one."""
        self._asked_fit = False
        self.param.update(notice="", contradiction=None, places=None, asked=None)
        self.tasks.give_up_unwanted(running=True)  # it was for the files open until now
        nothing = dict.fromkeys(("fades", "envelope", "grid_draft", "stack", "request"))
        with self.autosave.taking():
            self.take({**nothing, **fields})
        return self._restore(fields.get("plan"))

    def _restore(self, saved: Any) -> Task | None:
        """Show a plan that was saved; where there was none, plan."""
        track, video = self.track, self.video
        if track is None or video is None or not saved:
            return self.replan()

        def restored(loop: Planned) -> None:
            said, record = self.notice, plan_record(loop)  # said of the step that brought it back
            is_same = record is not None and record["result"]["plan"] == saved["result"]["plan"]  # type: ignore[index,call-overload]
            self.autosave.reads_plan(saved)
            with self.autosave.taking() if is_same else self.settle():
                self._show(loop, self.option)
            again = "track or video have changed since this project was left, so it was planned again"
            self.notice = said if is_same else again

        cache_key = partial(self._as_planned, track, video, json.dumps(saved, sort_keys=True))
        return self._make(
            AskedPlan(restores=True), restore_loop, track, video, saved, on_result=restored, cache_key=cache_key
        )

    def change(self, words: str) -> HistoryStep:
        """Make what is changed in a `with` block one step of the history, such as "seam 2 is pinned".
        A plan that `replan` or `fit` makes for it belongs to the step, although it comes later.
        """
        self.param.update(message="", notice="", elsewhere=False)  # they were about what was done before
        return self.autosave.change(words)

    def undo(self) -> None:
        """Undo the last change of this window."""
        self._show_outcome(self.autosave.undo, "undone")

    def redo(self) -> None:
        """Do the change of this window again that was undone last."""
        self._show_outcome(self.autosave.redo, "done again")

    def _show_outcome(self, act: Callable[[], UndoResult | None], words: str) -> None:
        self.param.update(message="", elsewhere=False)
        asked, shown = self.asked, self.shown
        result = act()
        if result is None:
            return
        is_coming = self.asked is not asked or self.shown != shown
        if not is_coming and any(key.startswith("grid/") for key in result.values):
            self._restore(result.values.get("plan"))  # on the grid that is there again
        self.notice = f"{words}: {result.change.words}"
        if result.sentence:
            self.message = result.sentence

    def _follow(self, news: News) -> None:
        """Show what was changed in the project by another window, or by undo and redo."""
        request, asked = self.request, self.asked
        with self.autosave.taking():
            self.take(news.fields)
        if news.records:
            self.records += 1
        replans = asked is not None and not asked.restores and (self.request != request or "plan" in news.fields)
        if "plan" in news.fields:
            grid_changed = any(key.startswith("grid/") for key in news.records)
            saved, window = news.fields["plan"], news.window
            if window is not None and window.loop is not None:
                self._show_saved(saved, window.loop, remix=window.remix)
            elif grid_changed or not self._show_at_once(saved):
                self._restore(saved)
        elif replans and asked is not None and asked.words and not asked.is_recorded:
            self.asked = None  # it was asked for beside another request
        elif replans:
            self.replan()
        if replans and asked is not None and asked.words and news.words is not None and self.asked is not asked:
            outcome = "No plan was made for" if asked.is_recorded else "Not done"
            self.autosave.say_overtaken(news.words, f"{outcome}: {asked.words}.")

    def _show_saved(self, saved: JsonValue, loop: Planned, *, remix: bool = False) -> None:
        self.asked = None
        self.autosave.reads_plan(saved)
        with self.autosave.taking():
            self._show(loop, self.option, remix=remix)

    def _show_at_once(self, saved: Any) -> bool:
        """Show a plan that differs in crossfades alone; no worker is needed for that."""
        plan, loop = self.plan, self.loop
        if not saved or plan is None or loop is None:
            return False
        try:
            other = plan_from_json(saved["result"])
            provenance = with_mix_of(read_provenance(saved["result"]), loop.provenance)
        except PlanError:
            return False
        if other.segments != plan.segments or other.window_end != plan.window_end:
            return False
        request = recorded_request(provenance)
        self._show_saved(saved, replace(loop, answer=other, provenance=provenance, request=request))
        return True

    def open_file(self, path: Path) -> Task | None:
        """Open a file as a video if it has a moving picture, else as a track; None if it is neither."""
        found = self.find(probe, path)
        if found is None:
            return None
        return self.open_video(path) if found.has_video else self.open_track(path)

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

        self._demo = self.run(demo_loop, on_result=prepared, cache_key=partial(self._as_planned, None, None))
        return self._demo

    def _leave_demo(self) -> None:
        """Something else is opened: a demo that is still being prepared would take its place."""
        if self._demo is not None:
            self._demo.cancel()
            self._demo = None

    def _show_demo(self, loop: Planned) -> None:
        self._forget()
        self.param.update(track=loop.track, video=loop.video, loop=None, analysis=None, track_sound=None, option=0)
        fields = self._begin()
        if fields.get("plan"):
            self.analysis = loop.analysis
            self._go_on(fields)
        else:
            self.show(loop)

    def show(self, loop: Planned, *, remix: bool = False) -> None:
        """Make a plan the page's own; with `remix` its mix is that of the plan before, to be measured again."""
        with self.settle():
            self._show(loop, option=next(iter(loop.option_numbers), 1) - 1, remix=remix)

    def _show(self, loop: Planned, option: int, *, remix: bool = False) -> None:
        if self.asked is not None and self.asked.restores:
            self.asked = None  # another plan than the saved one takes its place
        new_track = self.track is None or self.track.path != loop.track.path
        if new_track:
            self.track_sound = None
            self._forget()
        if self.project is None or (self.track, self.video) != (loop.track, loop.video):
            self.param.update(track=loop.track, video=loop.video, loop=None)
            self._begin()
        self.notice = ""
        loop = self.as_tuned(loop)
        same = self.plan is not None and isinstance(loop.answer, LoopPlan) and self.plan.alone == loop.answer.alone
        self.param.update(
            track=loop.track, video=loop.video, analysis=loop.analysis, loop=loop, offers_fit=False, option=option,
            shown=self.shown + 1, contradiction=None, places=self.places if same else None, remix=remix,
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
        """Show a plan, and remember the crossfade that was set by hand at a seam, counted from 0."""
        assert isinstance(loop.answer, LoopPlan), "a refusal has no seams"
        fade = HandFade.at(loop.answer, seam)
        before = self.plan
        was = "" if before is None or seam >= len(before.seam_fades) else f"{1000 * before.seam_fades[seam]:.0f} → "
        with self.change(f"crossfade of seam {seam + 1}: {was}{1000 * fade.seconds:.0f} ms"):
            # After the plan is shown, for another track's crossfades are forgotten then.
            self.show(loop)
            self.hand_fades = {**self.hand_fades, (fade.place, round(fade.video_s)): fade}

    def show_again(self, loop: Planned, *, remix: bool = False) -> None:
        """Show a track that was planned again, with the crossfades set by hand where the plan has their seams."""
        loop, lost = with_hand_fades(loop, self.hand_fades.values())
        self.show(loop, remix=remix)
        self.notice = describe_lost(lost)

    def replan(self) -> Task | None:
        """Plan again with the parameters as they are; a track that was fitted to the video is fitted again."""
        if self.track is None:
            return None
        self.message = ""
        if self.video is None:
            return self._analyze_track()
        asked = self._with_kinds(self.request)
        return self._plan(asked) if asked.only_loop else self.fit()

    def _plan(self, request: PlanRequest) -> Task:
        """Plan the track under the video, for the change under way if there is one."""
        track, video, step = self._named_track(), self.video, self.autosave.open[0] if self.autosave.open else None
        words = "" if step is None else step.words
        asked = AskedPlan(words, is_recorded=step is not None, fits=not request.only_loop)

        def planned(answer: Planned) -> None:
            if not self._is_refused(answer):
                with self.autosave.amend(step):
                    self.show_again(answer)

        key = partial(self._as_planned, track, video, request)
        return self._make(asked, plan_track, track, video, request, on_result=planned, cache_key=key, auto_mix=True)

    def _make(
        self, asked: AskedPlan, function: Callable[..., Planned], *arguments: Any,
        on_result: Callable[[Planned], None], **named: Any,
    ) -> Task:  # fmt: skip
        """Have a worker make a plan; one that is asked for later, or shown meanwhile, takes its place."""
        self.asked = asked

        def made(loop: Planned) -> None:
            self.asked = None
            on_result(loop)

        def failed(_: str) -> None:
            self.asked = None

        return self.run(
            function, *arguments, on_result=made, is_current=lambda: self.asked is asked, on_error=failed,
            subject=str(self._named_track().path), **named,
        )  # fmt: skip

    def _with_kinds(self, request: PlanRequest) -> PlanRequest:
        """A request for a loop, or for any plan: where parts or times are asked for, or that was asked for before."""
        is_fit = self.loop is not None and not self.loop.request.only_loop and not self.request.asks_beyond_seams
        return replace(request, only_loop=not (self._asked_fit or is_fit or request.asks_beyond_seams))

    def _is_refused(self, answer: Planned) -> bool:
        """Whether a request is refused: the page says so and shows the same plan. A track without a loop is shown."""
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

    def fit(self) -> Task | None:
        """Fit the track to the video: looped, straight or cut down, always as long as the video; None without both."""
        if self.track is None or self.video is None:
            return None
        self._asked_fit = self._asked_fit or not self.request.asks_beyond_seams
        self.message = ""
        return self._plan(replace(self.request, only_loop=False))

    def ask(self, request: PlanRequest) -> Task | None:
        """Plan by the request; if it cannot be met, the plan stays. None without a track or a video."""
        track = self.track
        under = self.video or (None if self.loop is None else self.loop.video_seconds)
        if track is None or under is None:
            return None
        words = request_words(self.request, request)
        self.change(words)
        self.contradiction = None

        def planned(answer: Planned) -> None:
            if not self._is_refused(answer):
                with self.autosave.change(words):
                    self.request = replace(answer.request, only_loop=False)
                    self.show_again(answer)

        return self._make(
            AskedPlan(words, request=request), plan_around, track, under, self._with_kinds(request), on_result=planned,
            auto_mix=isinstance(under, Path),
        )  # fmt: skip

    def move_seam(self, seam: int, bars: int) -> None:
        """Move a seam, counted from 0, by bars, and pin it there.

        The plan is made at once, of what is known of the places of its seams. Other options are planned on request
        (`find_options`), and the mix is that of the plan before until the new one was listened to.
        """
        loop, found = self.loop, self.places
        if loop is None or found is None:
            return
        self.seam = seam
        request = self._with_kinds(self.request)
        with self.change(f"seam {seam + 1} is moved by {bars:+d} {'bar' if abs(bars) == 1 else 'bars'}"):
            try:
                moved = plan_with_moved_seam(found, loop, seam, bars, request, self.params.cover)
            except PlanError as error:
                self.message = str(error)
                return
            self.asked = None
            self.request = replace(moved.request, only_loop=False)
            self.show_again(moved, remix=True)

    def find_options(self) -> Task | None:
        """Plan what else meets the request, behind the plan that is shown."""
        loop = self.loop
        if loop is None or not isinstance(loop.answer, LoopPlan):
            return None
        plan = loop.answer.alone
        asked = self._asked_options = object()

        def is_wanted() -> bool:
            is_newest = asked is self._asked_options
            return is_newest and self.shows(loop) and self.loop is not None and self.loop.request == loop.request

        def found(around: Planned) -> None:
            if self.loop is not None and isinstance(around.answer, LoopPlan):
                others = [option for option in around.answer.options if option != plan]
                answer = replace(plan, options=(plan, *others)[:MAX_OPTIONS])
                with self.settle():
                    self._show(replace(self.loop, answer=answer), self.option, remix=self.remix)

        return self.run(
            plan_around, loop.track, loop.video or loop.video_seconds, loop.request, on_result=found,
            is_current=is_wanted, subject=str(loop.track.path),
        )  # fmt: skip

    def _mix_as_tuned(self) -> None:
        """Give the plan that is shown the drawn ducking, and record the parameters it is rendered with."""
        if self.loop is not None:
            loop = self.as_tuned(self.loop)
            if loop != self.loop:
                self.loop = loop

    def as_tuned(self, loop: Planned) -> Planned:
        """A loop with the ducking that was drawn, and in its provenance the parameters it is rendered with."""
        drawn = draw_envelope(loop, self.envelope)
        made = None if drawn.provenance is None else with_render_params(drawn.provenance, self.params)
        return drawn if made == drawn.provenance else replace(drawn, provenance=made)

    def take_mix(self, mixed: Planned, mix: Mix | None, params: WorkbenchParams) -> None:
        """Give the plan that is shown another mix, and record what made it; of another plan it comes too late."""
        if self.loop is None or not self.shows(mixed):
            return
        self.remix = False
        made = None if self.loop.provenance is None else with_mix_params(self.loop.provenance, params)
        loop = self.as_tuned(replace(self.loop, mix=mix, provenance=made))
        if loop != self.loop:
            self.loop = loop

    def _forget(self) -> None:
        """Another track or video: what was asked of the plan is forgotten here, the closed project still has it."""
        self._asked_fit = False
        with self.autosave.taking():
            self.forget()

    def _look_for_fit(self) -> None:
        """Have a worker find out whether a track that is not looped under the video can be fitted to it."""
        loop, request = self.loop, replace(self.request, only_loop=False)
        if loop is None or loop.video is None or self.offers_fit:
            return
        if not isinstance(loop.answer, Refusal) or loop.answer.retryable:
            return

        def known(fitted: Planned) -> None:
            self.offers_fit = isinstance(fitted.answer, LoopPlan)

        self.run(
            plan_track, loop.track, loop.video, request, on_result=known, is_current=lambda: self.loop is loop,
            subject=str(loop.track.path), cache_key=partial(self._as_planned, loop.track, loop.video, request),
        )  # fmt: skip

    def _analyze_track(self) -> Task:
        track = self._named_track()
        asked = self._asked_analysis = object()

        def analysed(analysis: Analysis) -> None:
            self.param.update(analysis=analysis, shown=self.shown + 1)
            self._map_track()
            self._look_for_fit()

        return self.run(
            analyze, track.path, on_result=analysed, subject=str(track.path),
            is_current=lambda: asked is self._asked_analysis and self.track == track,
            cache_key=partial(self._as_planned, track, None),
        )  # fmt: skip

    def _map_track(self) -> None:
        track = self._named_track()

        def is_open() -> bool:
            return self.track == track

        def mapped(sound: LongSound) -> None:
            self.track_sound = sound

        def written(path: Path) -> None:
            self.draw(path, on_result=mapped, is_current=is_open)

        key = stamps_of(track.path)
        self.run(track_file, track.path, on_result=written, is_current=is_open, subject=str(track.path), cache_key=key)

    def draw(
        self, path: Path, on_result: Callable[[LongSound], None], is_current: Callable[[], bool] | None = None
    ) -> Task:
        """Give a sound to draw to `on_result`; a worker makes its summary first. `message` says that it has gone."""

        def made(path: Path) -> None:
            sound = self.find(LongSound, path)
            if sound is not None:  # the file may be gone by now: renders are cleared by age
                on_result(sound)

        return self.run(write_summary, path, on_result=made, is_current=is_current, cache_key=stamps_of(path))

    def _as_planned(self, track: TrackSource | None, video: Path | None, *more: Hashable) -> Hashable | None:
        """What a plan depends on beside parameters: files, corrected grids, more; None where that cannot be read."""
        try:
            grids = every_revision(self.workspace)
        except WorkbenchError:
            return None
        return track, *stamps_of(None if track is None else track.path, video), grids, *more

    def attempt(self, act: Callable[..., Any], *arguments: Any) -> bool:
        """Do something that takes no time; where it cannot be done, the page says why."""
        try:
            act(*arguments)
        except WorkbenchError as error:
            self.message = str(error)
            return False
        return True

    def find(self, function: Callable[..., _Found], *arguments: Any) -> _Found | None:
        """What a function returns that takes no time; None where it cannot, and the page says why."""
        try:
            return function(*arguments)
        except WorkbenchError as error:
            self.message = str(error)
            return None

    def cancel(self) -> None:
        """Give up all work of this page."""
        self.tasks.cancel()

    def close(self) -> None:
        """Cancel all work, because the page has gone; from now on none is begun."""
        self.tasks.close()
        self.autosave.close()

    def url_of(self, path: Path) -> str:
        """The address under which the page streams a file below the home's `renders/dashboard`, by range requests."""
        inside = path.relative_to(self.home.renders / "dashboard")
        return f"{SOUNDS_ROUTE}/{quote(inside.as_posix())}"


def _is_long_enough(refusal: Refusal) -> bool:
    """Whether the track of a video that is not longer by 30 s is as long as the video."""
    return (refusal.track_seconds or 0.0) >= (refusal.video_seconds or 0.0)
