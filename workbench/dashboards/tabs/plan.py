"""The Plan tab: a video from its pictures down to the track that plays under it, played while it is shown.

Two options of the plan are compared as A and B, at the same place and equally loud.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from workbench.analysis.provenance import with_mix_params
from workbench.dashboards.actions import Session
from workbench.dashboards.chips import SeamChips
from workbench.dashboards.constraint_words import sentence_in_words
from workbench.dashboards.skeleton import Skeleton
from workbench.dashboards.sounds.plan import (
    RenderedOption,
    TimelineVideo,
    load_video,
    played_duck,
    played_plan,
    render_option,
)
from workbench.dashboards.sounds.seam import with_option_first
from workbench.dashboards.styles import script, stylesheet
from workbench.dashboards.tabs.plan_picture import PlanPicture
from workbench.dashboards.tabs.plan_state import PlanState
from workbench.dashboards.tabs.request import RequestEditor
from workbench.dashboards.tabs.tab import Tab, action
from workbench.dashboards.tabs.video_picture import VideoPicture
from workbench.dashboards.transport import Program
from workbench.dashboards.views import LongSound
from workbench.files import stamps_of
from workbench.mix.drawn_envelope import with_drawn
from workbench.params import WorkbenchParams
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.render.video import gains_of
from workbench.results.plan_words import repetition_line
from workbench.workflows.plan import Planned


class OptionCards(JSComponent):
    """The options side by side."""

    options = param.List([])
    a = param.Integer(0)
    b = param.Integer(-1)
    shown = param.Integer(0)
    used = param.Integer(0, doc="which one is the plan of the page")
    picked = param.List([], doc="[option, 'a', 'b' or 'use', n]")
    more = param.Boolean(False, doc="whether other options can be asked for")
    asked = param.Integer(0, doc="counts up when they are")

    _esm = script("options")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("options")]


class PlanTab(Tab):
    """The plan under its video, shown and played."""

    title = "Plan"

    def __init__(self, session: Session) -> None:
        self.state = PlanState()
        self.picture = PlanPicture(self.state)
        super().__init__(session, self.picture)
        self.player = self.program = Program(
            playheads=self.picture.playheads,
            keys=[["[ ]", "the seam that is chosen to the bar line before, or to the next"],
                  ["{ }", "choose the seam before, or the next"],
                  ["h", "the track's drop or chorus lands at the playhead"]],
        )  # fmt: skip
        self.cards = OptionCards(sizing_mode="stretch_width")
        self.repeated = pmui.Typography("", variant="body2", visible=False, margin=(2, 10, 6, 10))
        """what plays again and again in the plan in use"""
        self.credits = pmui.Typography("", variant="body2", visible=False, margin=(2, 10, 6, 10))
        self.chips = SeamChips(sizing_mode="stretch_width", label="Open in Seams:", margin=(8, 0, 0, 0))
        self.empty = pmui.Typography("", variant="body1", margin=(24, 10, 4, 10))
        self.fit = action("Fit the track to this video", session.fit, variant="contained", margin=(4, 10, 14, 10))
        self.about_fit = pmui.Typography(
            "That makes music of exactly the video's length: the track is looped, played straight or cut down.",
            variant="body2", margin=(9, 4),
        )  # fmt: skip
        self.offer = pmui.FlexBox(self.fit, self.about_fit, visible=False, margin=0)
        self.straight = action(
            "Play the track straight", self.play_straight, variant="outlined", margin=(4, 10, 14, 10),
            tip="under the video from its first picture, as the track is",
        )  # fmt: skip
        other: dict[str, Any] = {"variant": "outlined", "margin": (4, 10, 14, 10)}
        self.help = pmui.FlexBox(
            self.straight,
            action("Look at its beats", partial(setattr, session, "tab", "Beats"), **other,
                   tip="where the bars were found wrong, a grid set by hand makes a plan possible"),
            action("Rank tracks for this video", partial(setattr, session, "tab", "Match"), **other,
                   tip="which tracks of the catalog suit it"),
            visible=False, margin=0,
        )  # fmt: skip
        self.progress = Skeleton(sizing_mode="stretch_width", margin=(4, 10))
        self._laid_out: tuple[int, tuple[LoopPlan, ...], list[dict[str, Any]]] = (0, (), [])
        """a rate, the options, and how each is played at it"""
        self._wanted: int | None = None
        """the option that becomes the plan of the page as soon as its mix is known"""
        self._balanced_with: dict[int, WorkbenchParams] = {}
        """by option that was rendered: the parameters of its mix"""
        self.cards.param.watch(lambda event: self.pick(int(event.new[0]), str(event.new[1])), "picked")
        self.cards.param.watch(lambda _: session.find_options(), "asked")
        self.chips.param.watch(lambda event: self.look_at(int(event.new[0])), "picked")
        self.chips.param.watch(lambda _: self.pick(self.state.shown, "use"), "asked")
        self.player.param.watch(lambda event: self._choose(event.new), "chosen")
        self.player.param.watch(lambda *_: self._match(), ["region", "seek"])
        self.player.param.watch(lambda event: self.picture.mark(event.new), "region")
        self.player.param.watch(lambda event: session.param.update(time=event.new), "time")
        self.editor = RequestEditor(session, self.picture, lambda: self.player.time)
        self.player.param.watch(lambda event: self.editor.select_region(event.new), "region")
        self.follow_shown(["loop"], self.take)
        self.follow_shown(["loop"], self.editor.take)
        self.follow_shown(["loop"], VideoPicture(session, self.player).take)
        self.follow(["track_sound"], lambda _: self._load())
        self.follow(["params"], lambda _: self._load())
        self.follow_shown(["option"], self.look_at_option)
        self.follow(["time"], self.listen_at)
        self.follow(["coming", "stage", "done", "offers_fit", "asked", "track_sound"], self._show_empty)

    def take(self, loop: Planned | None) -> None:
        """Show another plan, and prepare its sound; or balance the same plan with another mix."""
        if loop is not None and self.state.is_same_plan(loop):
            self._take_mix(loop)
            return
        self._wanted = None
        self.state.take(loop)
        self.cards.param.update(
            options=self.state.facts(self._session.params.cover), a=self.state.a, b=-1, shown=self.state.shown,
            used=self.state.used, more=self.state.is_alone,
        )  # fmt: skip
        self._show_repeated()
        record = None if loop is None else loop.track.record
        credited = "" if record is None else escape(record.credits_in_words)
        self.credits.param.update(object=credited, visible=bool(credited))
        self.player.param.update(chosen="a", region=[])
        self.picture.show()
        self._show_seams()
        self._show_empty()
        if loop is None or self.state.plan is None:
            refused = loop is not None and loop.video is not None
            seconds = loop.video_seconds if loop is not None and refused else 0.0
            self.player.param.update(soundtrack="", music_a="", music_b="", plan_a={}, plan_b={}, duration=seconds)
            self._load_video(loop)
            return
        self.player.duration = self.state.plan.window_end
        self.listen_at(self._session.time)
        self._load_video(loop)
        self._load()
        self._prepare(self.state.used)
        self.look_at_option(self._session.option)

    def look_at_option(self, option: int) -> None:
        """Look at an option, counted from 0, and play it as A; B stays."""
        here = self.state.loop is self._session.loop  # else it is an option of a plan that is about to be shown
        if here and option != self.state.shown and option < len(self.state.options):
            self.pick(option, "a")

    def listen_at(self, time: float) -> None:
        """Play from another place, which an address or an opened project names."""
        plan = self.state.plan
        if plan is not None and time != self.player.time:
            self.player.go(min(time, plan.window_end))

    def play_straight(self) -> None:
        """Hear the track under the video as it is, where there is no plan."""
        sound = self._session.track_sound
        if sound is not None and self.state.plan is None:
            self.player.param.update(music_a=self._session.url_of(sound.path), plan_a={}, chosen="a")
            self.player.go(0.0)

    def pick(self, option: int, name: str) -> None:
        """Compare an option, counted from 0, as A or B, or make it the plan of the page."""
        if name == "use":
            self._wanted = option
            self._use()
            return
        self.state.pick(option, name)
        self._prepare(option)
        self._show_choice()

    def look_at(self, seam: int) -> None:
        """Open a seam of the plan in use, counted from 0, in the Seams tab; those of another option are only shown."""
        if self.state.shown == self.state.used:
            self._session.seam = seam
            self._session.tab = "Seams"

    def panel(self) -> pn.viewable.Viewable:
        """Options, seams, picture."""
        return pmui.Column(
            self.empty,
            self.offer,
            self.help,
            self.progress,
            self.cards,
            pmui.FlexBox(self.repeated, self.credits, margin=0),
            self.chips,
            self.editor.panel,
            self.editor.sound,
            *self.picture.panes(0.78, window=900),  # the video above takes the rest
            sizing_mode="stretch_width",
            margin=(0, 10),
        )

    def _show_repeated(self) -> None:
        loop = self.state.loop
        line = None
        if loop is not None and loop.analysis is not None and isinstance(loop.answer, LoopPlan):
            params, constraints = self._session.params.cover, loop.request.constraints
            line = repetition_line(loop.answer, loop.analysis.profile, params, constraints, loop.option_numbers)
        self.repeated.param.update(
            object="" if line is None else f"{line[0].upper()}{line[1:]}.", visible=line is not None
        )

    def _load_video(self, loop: Planned | None) -> None:
        """Have the pictures and the soundtrack of the video made ready, unless they are."""
        if loop is not None and loop.video is not None and self.state.video is None:
            is_current = partial(self._is_under, loop)
            self.run(
                load_video, loop.video, loop.track.path, on_result=self._show_video, is_current=is_current,
                subject=str(loop.video), cache_key=stamps_of(loop.video, loop.track.path),
            )  # fmt: skip

    def _take_mix(self, loop: Planned) -> None:
        """Balance the plan's own option at once; other options keep their mix until theirs is known."""
        self.state.take_mix(loop)
        self._show_choice()
        for option in (self.state.a, self.state.b, self._wanted):
            if option is not None:
                self._prepare(option)

    def _use(self) -> None:
        """Put the wanted option in front, as soon as its mix is known."""
        loop, option = self.state.loop, self._wanted
        if loop is None or option is None:
            return
        if not self._session.shows(loop):  # another plan has come since it was chosen
            self._wanted = None
            return
        rendered = self.state.balanced(option)
        if rendered is None:
            self._prepare(option)
            return
        self._wanted = None
        with self._session.change(f"option {option + 1} is the plan"):
            chosen = with_option_first(loop, rendered.plan, rendered.mix)
            if option != self.state.used and rendered.mix is not None and chosen.provenance is not None:
                made = with_mix_params(chosen.provenance, self._balanced_with[option])
                chosen = replace(chosen, provenance=made)
            self._session.show(chosen)

    def _choose(self, name: str) -> None:
        if name != self.state.chosen:
            self.state.chosen = name
            self._show_choice()

    def _show_choice(self) -> None:
        """Show which options are A and B, and the one that is looked at."""
        state = self.state
        self.cards.param.update(a=state.a, b=-1 if state.b is None else state.b, shown=state.shown)
        if state.loop is self._session.loop:  # else it is an option of a plan that is not shown any more
            self._session.option = state.shown
        self._load()
        self._show_seams()
        self.editor.show()
        self.picture.show_plan()
        self.picture.show_view()

    def _show_empty(self, *_: Any) -> None:
        """While there is no plan, say what is coming and how far it is, or why there is none."""
        session, answer = self._session, None if self.state.loop is None else self.state.loop.answer
        self.empty.visible = self.state.plan is None
        self.progress.visible = self.empty.visible and session.busy
        self.offer.visible = self.empty.visible and session.offers_fit and not session.fitting
        self.help.visible = isinstance(answer, Refusal) and not session.fitting
        self.straight.disabled = session.track_sound is None
        if isinstance(answer, Refusal) and session.fitting:
            self.empty.object = f"Fitting the track to this video. Now: {session.stage or 'starting'}."
        elif isinstance(answer, Refusal):
            hint = session.for_the_page(sentence_in_words(answer.sentence))
            self.empty.object = f"There is no loop of this track under this video. {hint}"
        elif session.busy:
            now = f"Now: {session.stage}." if session.stage else ""
            self.empty.object = " ".join(filter(None, (session.coming, now)))
        else:
            self.empty.object = "There is no plan yet: open a track and a video."
        self.progress.done = max(0.0, session.done)

    def _show_seams(self) -> None:
        """Show the seams of the option that is looked at; those of the plan in use can be opened."""
        state = self.state
        is_used = state.shown == state.used
        self.chips.ask = "" if is_used else f"Use option {state.shown + 1} to look at its seams"
        self.chips.show_seams(state.plan, state.scores)

    def _prepare(self, option: int) -> None:
        """Render and balance an option, unless that is done; of the one in use find the places of its seams."""
        loop, state, session = self.state.loop, self.state, self._session
        if loop is None or not state.options or state.balanced(option) is not None:
            return
        is_used = option == state.used
        constraints, remix = session.request.constraints if is_used else None, session.remix and is_used
        self.run(
            render_option, loop, state.options[option], constraints, remix=remix,
            on_result=partial(self._hear, loop, option, session.params), is_current=lambda: loop is self.state.loop,
            subject=str(loop.track.path), on_error=partial(self._give_up, option),
            cache_key=(loop.answer, loop.mix, option, constraints, remix, *stamps_of(loop.track.path, loop.video)),
        )  # fmt: skip

    def _give_up(self, option: int, fault: str) -> None:
        """Forget that an option was to become the plan of the page: its sound could not be made."""
        if self._wanted == option:
            self._wanted = None
        if option == self.state.used:
            self.editor.show_no_places(fault)

    def _hear(self, loop: Planned, option: int, params: WorkbenchParams, rendered: RenderedOption) -> None:
        if rendered.mix is not None:  # a worker measured it
            rendered = replace(rendered, mix=with_drawn(rendered.mix, self._session.envelope))
        self.state.hear(option, rendered)
        self._balanced_with[option] = params
        if option not in self.state.sounds:
            self.attempt(self._draw, option, rendered.path)
        is_shown = option == self.state.used and self._session.shows(loop)
        if is_shown:
            self.editor.show_places(rendered.places)
        self._show_choice()
        self._use()
        if is_shown and self._session.remix:
            self._session.take_mix(loop, rendered.mix, params)

    def _draw(self, option: int, path: Path) -> None:
        self.state.sounds[option] = LongSound(path)

    def _is_under(self, loop: Planned) -> bool:
        """Whether the same track is looked at under the same video, and these are not there yet."""
        here = self.state.loop
        is_same = here is not None and (here.track.path, here.video) == (loop.track.path, loop.video)
        return is_same and self.state.video is None

    def _show_video(self, video: TimelineVideo) -> None:
        def show(sound: LongSound) -> None:
            self.state.soundtrack = sound
            self.picture.show_view()

        self.state.video = video
        self.state.soundtrack = None
        self.player.speech = [[float(at) for at in span] for span in video.soundtrack.soundtrack.speech_ranges]
        if video.sound is not None:
            self._session.draw(video.sound, on_result=show, is_current=lambda: video is self.state.video)
        self._show_choice()
        if self.state.plan is None:
            self.player.soundtrack = "" if video.sound is None else self._session.url_of(video.sound)
            self.picture.show()

    def _load(self) -> None:
        state, session, sound = self.state, self._session, self._session.track_sound
        video, options = state.video, state.options
        loop, track = state.loop, session.track
        if sound is None or not options or loop is None or track is None or track.path != loop.track.path:
            self.player.param.update(music_a="", music_b="")
            return
        played, b, plans = session.url_of(sound.path), state.b, self._played_plans(sound.sample_rate)
        gains_a, gains_b = gains_of(state.mix_of(state.a)), gains_of(state.mix_of(b))
        self.player.param.update(
            soundtrack=session.url_of(video.sound) if video is not None and video.sound is not None else "",
            music_a=played,
            music_b=played if b is not None else "",
            plans=plans,
            plan_a=plans[state.a],
            plan_b=plans[b] if b is not None else {},
            gain_a_db=gains_a.music_db,
            gain_b_db=gains_b.music_db,
            soundtrack_db=gains_a.soundtrack_db,
            duck_a=played_duck(state.mix_of(state.a), session.params.render),
            duck_b=played_duck(state.mix_of(b), session.params.render),
            headroom_db=state.headroom_db(),
            chosen=state.chosen,
        )
        self._match()

    def _played_plans(self, rate: int) -> list[dict[str, Any]]:
        options = self.state.options
        if self._laid_out[:2] != (rate, options):
            self._laid_out = rate, options, [played_plan(option, rate) for option in options]
        return self._laid_out[2]

    def _match(self) -> None:
        a_db, b_db = self.state.matching(self.player.time, self.player.region)
        self.player.param.update(match_a_db=a_db, match_b_db=b_db)
