"""The Tracks tab: up to three tracks stacked under one video, each with its own plan, one key to switch between them.

The transport plays all of them together, equally loud, and one is audible, so that a switch keeps the place to the
sample. One is the page's own track, whose soundtrack is played; "Use" makes another one the page's own.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.plan import FULL_SCALE, headroom_db, played_duck, played_plan
from workbench.dashboards.sounds.tracks import StackedTrack, mix_stacked, stack_loop, stack_track
from workbench.dashboards.styles import script, stylesheet
from workbench.dashboards.tabs.compared import compare_track, compared_tracks, name_of, title_of
from workbench.dashboards.tabs.tab import Tab
from workbench.dashboards.tabs.video_picture import VideoPicture
from workbench.dashboards.transport import Program
from workbench.plans.plan import LoopPlan
from workbench.render.video import gains_of
from workbench.results.plan_words import seams_in_words
from workbench.workflows.catalog import search_catalog

_OPTIONS = "abc"
"""the options of the transport, in the order of the tracks"""


class StackBoard(JSComponent):
    """The tracks one above the other, where they play, and the catalog to choose from."""

    tracks = param.List([], doc="of each id, title, words, own, seams (video s), and whether it can play")
    chosen = param.Integer(0, doc="the one that is heard, from 0")
    time = param.Number(0.0, doc="playhead, video s")
    duration = param.Number(0.0, doc="s")
    wanted = param.List(["", 0], doc="[words, n] by which tracks of the catalog are looked for")
    found = param.List([[], 0], doc="[[id, words] of each, n], for the n-th of `wanted`")
    asked = param.List([], doc="[what, id of a track, n]")

    _esm = script("keys", "clock", "stack")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("stack")]


class StackTab(Tab):
    """Tracks under one video, played in turn at the same place."""

    title = "Tracks"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        keys = [["1 2 3", "hear the first, the second or the third track at the same place"]]
        self.player = self.program = Program(labels=[], keys=keys)
        self.board = StackBoard(sizing_mode="stretch_width", visible=False, margin=(0, 10))
        self.none = pmui.Typography("Open a video and a track first.", variant="body1", margin=(24, 10, 4, 10))
        self._stacked: dict[str, StackedTrack] = {}
        self._faults: dict[str, str] = {}
        self._asked: dict[str, tuple[LoopPlan | None, object]] = {}
        """what was asked for of each track: the plan that it is about, or None and the parameters of its mix"""
        self._heard = ""
        """the track that plays: slots move when one is removed"""
        self._under: Path | None = None
        self._opening = False
        """while another track is made the page's own: until then nothing is shown of it"""
        self.board.param.watch(lambda event: self._look_for(*event.new), "wanted")
        self.board.param.watch(lambda event: self.ask(*event.new[:-1]), "asked")
        self.player.param.watch(lambda event: setattr(self.board, "time", event.new), "time")
        self.player.param.watch(lambda event: self._hear(_OPTIONS.index(event.new)), "chosen")
        self.follow_place(self.player)
        self.follow_shown(["loop"], VideoPicture(session, self.player).take)
        self.follow_shown(["stack", "track", "video", "loop", "params", "envelope"], lambda *_: self.show())

    def show(self) -> None:
        """Show the tracks, and have made what there is not yet of them."""
        session, board = self._session, self.board
        if self._opening:
            return
        if session.video != self._under:
            self._stacked, self._faults, self._asked, self._under = {}, {}, {}, session.video
        self.none.visible, board.visible = session.video is None, session.video is not None
        slots = () if session.video is None else compared_tracks(session)
        for named in slots:
            self._prepare(named)
        for named in [*self._asked]:  # tracks without sound are tried again when they come back
            if named not in slots and (named in self._faults or named not in self._stacked):
                self._asked.pop(named)
                self._faults.pop(named, None)
        played = {named: self._as_played(named) for named in slots if named in self._stacked}
        ready = list(played.values())
        own = next((one for named, one in played.items() if self._is_own(named)), ready[0] if ready else None)
        quietest = min((_lufs(one) for one in ready if isfinite(one.lufs)), default=0.0)
        if self._heard not in played:
            self._heard = next(iter(played), "")
        board.param.update(
            tracks=[self._facts(named, played.get(named)) for named in slots],
            duration=0.0 if own is None else own.loop.video_seconds,
        )
        lanes: dict[str, Any] = {}
        for option, named in zip_longest(_OPTIONS, slots, fillvalue=""):
            lanes |= self._lane(option, played.get(named), quietest)
        self.player.param.update(
            soundtrack=session.url_of(own.soundtrack) if own is not None and own.soundtrack is not None else "",
            soundtrack_db=0.0 if own is None else gains_of(own.loop.mix).soundtrack_db,
            headroom_db=headroom_db(max((_peak(one) for one in ready), default=0.0)),
            speech=[] if own is None else _speech(own),
            duration=board.duration,
            plans=[lanes[f"plan_{option}"] for option in _OPTIONS],
            chosen=_OPTIONS[slots.index(self._heard)] if self._heard else "a",
            **lanes,
        )

    def ask(self, what: str, which: str) -> None:
        """Do what a button asks for: `add` a track of the catalog, `hear`, `remove` or `use` one, as the page's own."""
        session, slots = self._session, compared_tracks(self._session)
        if what == "add":
            self.attempt(compare_track, session, which)
            return
        named = next((one for one in slots if _row_of(one) == which), None)
        if named is None:
            return
        if what == "hear":
            self.player.chosen = _OPTIONS[slots.index(named)]
        elif what == "remove":
            with session.change(f"{title_of(session, named)} is not compared any more"):
                session.stack = tuple(one for one in slots if one != named)
        elif what == "use" and not self._is_own(named):
            self._opening, envelope = True, session.envelope
            try:
                session.open_track(named)
                if self._is_own(named):
                    session.stack = slots  # of the project that is open now
                    if envelope is not None:  # it belongs to the video, and the track was played with it
                        session.envelope = envelope
            finally:
                self._opening = False
            self.show()

    def panel(self) -> pn.viewable.Viewable:
        """The board."""
        return pmui.Column(self.none, self.board, sizing_mode="stretch_width", margin=0)

    def _is_own(self, named: str) -> bool:
        return self._session.track is not None and name_of(self._session.track) == named

    def _prepare(self, named: str) -> None:
        """Have a track planned and its sound made, unless that is done or under way."""
        session, own, video = self._session, self._is_own(named), self._under
        loop = session.loop if own else None
        plan = loop.answer if loop is not None and isinstance(loop.answer, LoopPlan) else None
        if own and loop is None:
            return  # it is being planned for the whole page
        params = session.params
        request = (plan, None if plan is not None else (params.voice, params.duck, params.mix))
        asked = self._asked.get(named)
        if asked is not None and (asked[0] is plan or not own) and asked[1] == request[1]:
            return
        self._asked[named] = request
        self._faults.pop(named, None)

        def is_wanted() -> bool:
            return self._under == video and self._asked.get(named) is request

        def take(stacked: StackedTrack) -> None:
            self._stacked[named] = stacked
            self.show()

        def fail(fault: str) -> None:
            self._faults[named] = fault or "it was cancelled"
            self.show()

        run = partial(self.run, on_result=take, is_current=is_wanted, on_error=fail, subject=named)
        if plan is not None:
            run(stack_loop, loop)
        elif named in self._stacked and not own:
            run(mix_stacked, self._stacked[named])
        else:
            run(stack_track, named, video)

    def _facts(self, named: str, stacked: StackedTrack | None) -> dict[str, Any]:
        session = self._session
        facts = {"id": _row_of(named), "title": title_of(session, named), "own": self._is_own(named)}
        if stacked is None:
            words = session.for_the_page(self._faults.get(named, "being planned"))
            return {**facts, "ready": False, "seams": [], "words": words}
        plan = stacked.loop.plan
        words = f"score {plan.plan_score:.2f} · {seams_in_words(plan)} · {plan.end_label}"
        return {**facts, "ready": True, "seams": list(plan.seam_times), "words": words}

    def _lane(self, option: str, stacked: StackedTrack | None, quietest: float) -> dict[str, Any]:
        """What the player plays as one of its options."""
        if stacked is None:
            return {f"music_{option}": "", f"plan_{option}": {}, f"duck_{option}": []}
        mix = stacked.loop.mix
        quieter = _lufs(stacked) - quietest if isfinite(stacked.lufs) else 0.0
        return {
            f"music_{option}": self._session.url_of(stacked.sound),
            f"plan_{option}": played_plan(stacked.loop.plan.alone, stacked.rate),
            f"duck_{option}": played_duck(mix, self._session.params.render),
            f"gain_{option}_db": gains_of(mix).music_db - quieter,
        }

    def _hear(self, number: int) -> None:
        slots = compared_tracks(self._session)
        self._heard = slots[number] if number < len(slots) else ""
        self.board.chosen = number

    def _as_played(self, named: str) -> StackedTrack:
        """A track with the mix that it has now, which may have been tuned or drawn since it was stacked."""
        stacked, own = self._stacked[named], self._session.loop
        is_own = own is not None and self._is_own(named) and own.answer is stacked.loop.answer
        return replace(stacked, loop=self._session.as_tuned(own if is_own and own is not None else stacked.loop))

    def _look_for(self, words: str, number: int) -> None:
        found = self._session.find(search_catalog, self._session.workspace, words) or []
        shown = [[one.track_id, " – ".join(filter(None, (one.title, one.artist_name)))] for one in found]
        slots = compared_tracks(self._session)
        self.board.found = [[one for one in shown if one[0] not in slots], number]


def _row_of(named: str) -> str:
    """A track as the board names it: by its id; a path, which the page does not show, by a hash."""
    return sha256(os.fsencode(named)).hexdigest()[:16] if Path(named).is_absolute() else named


def _lufs(stacked: StackedTrack) -> float:
    return stacked.lufs + gains_of(stacked.loop.mix).music_db


def _speech(stacked: StackedTrack) -> list[list[float]]:
    return [list(span) for span in gains_of(stacked.loop.mix).speech_ranges]


def _peak(stacked: StackedTrack) -> float:
    """Highest sample that track and soundtrack can reach together, full scale 1.0."""
    return gains_of(stacked.loop.mix).peak(stacked.peak, 0.0 if stacked.soundtrack is None else FULL_SCALE)
