"""What is asked of the plan, on the Plan tab: seams that are pinned, forbidden or moved, stretches of the track, times.

What is asked is planned with at once. Conflicting constraints are named, and each that would help if it were dropped is
a button. While a seam is dragged, the splice that it would become plays over and over (`SeamSound`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from workbench.dashboards.actions import Session
from workbench.dashboards.constraint_words import in_words, sentence_in_words
from workbench.dashboards.sounds.plan import played_plan, track_stretch
from workbench.dashboards.styles import script, stylesheet
from workbench.dashboards.tabs.plan_picture import PlanPicture, place_facts
from workbench.plans.constraints import clock
from workbench.plans.move_seam import SeamPlace, move_seam
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plans.request import Hit, Keep, PlanRequest
from workbench.plots.palette import BEAT, ENDING, PLAYED
from workbench.render.video import gains_of
from workbench.workflows.constraints import read_range
from workbench.workflows.move_seam import FoundPlaces, is_same_splice, named_seam
from workbench.workflows.plan import Planned

_BEFORE_S, _AFTER_S = 1.2, 1.8
"""that play around a seam while it is dragged"""


class RequestPanel(JSComponent):
    """Buttons to ask something of the plan, and a list of the requests."""

    seam = param.Integer(0, doc="the one that is chosen, from 0")
    seams = param.Integer(0, doc="how many there are")
    places = param.List([], doc="where the chosen seam could be: bars, at, words, obstacle, score")
    waiting = param.String("", doc="why there are no places of it, in words")
    pinned = param.Boolean(False, doc="whether the chosen seam is")
    stretch = param.List([], doc="from and to of the track, as typed")
    constraints = param.List([], doc="[id, words] of each that applies")
    fault = param.String("", doc="why the last request was refused")
    clashing = param.List([], doc="[id, words] of those of which one must go")
    other = param.Integer(0, doc="number of the option that plays instead of the plan, from 1; 0: the plan plays")
    asked = param.List([], doc="[what, its values, n]")

    _esm = script("keys", "clock", "request")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("request")]


class SeamSound(JSComponent):
    """Plays a few seconds of a plan over and over, and stops what else plays on the page; it shows nothing."""

    music = param.String("", doc="address of the track")
    plan = param.Dict({}, doc="how it is played, see `workbench.dashboards.sounds.plan`; empty: nothing plays")
    stretch = param.List([0.0, 0.0], doc="from and to of what is played, video s")
    gain_db = param.Number(0.0)
    asked = param.Integer(0, doc="counts up when something else is to play, after all the rest")

    _esm = script("output", "sound", "seam_sound")


class RequestEditor:
    """Joins the panel with the session and the picture of the plan; `playhead` says where the player stands."""

    def __init__(self, session: Session, picture: PlanPicture, playhead: Callable[[], float]) -> None:
        self._session, self._picture, self._playhead = session, picture, playhead
        self._places: tuple[tuple[SeamPlace, ...], ...] = ()
        self._waiting = ""
        """why there are no places"""
        self._placed: LoopPlan | None = None
        """the plan whose seam places were asked for"""
        self._stretch: tuple[float, float] | None = None
        self.panel = RequestPanel(sizing_mode="stretch_width")
        self.panel.param.watch(lambda event: self._hear(*event.new[:-1]), "asked")
        self.sound = SeamSound(width=0, height=0, margin=0)
        picture.on_hand("heard", lambda new: self.hear(int(new[0]), None if new[1] is None else int(new[1])))
        picture.on_hand("chosen", lambda new: self._choose(int(new[0])))
        picture.on_hand("moved", lambda new: session.move_seam(int(new[0]), int(new[1])))
        picture.on_hand("stretch", lambda new: self.select(new[0], new[1]))
        picture.on_hand("landed", lambda new: self._hear("hit", new[1], new[0]))
        session.param.watch(lambda *_: self.show(), ["request", "asked", "contradiction", "seam"])

    def take(self, loop: Planned | None) -> None:
        """Show the requests of another plan; the places that its seams could take follow once they are found."""
        plan = loop.answer.alone if loop is not None and isinstance(loop.answer, LoopPlan) else None
        if plan != self._placed:
            self._places, self._placed = (), plan
            self._waiting = "" if plan is None or not plan.seam_times else "listening around it…"
        self.show()

    def hear(self, seam: int, bars: int | None) -> None:
        """Hear the splice of a seam moved by bars over and over; silence for None, or where it cannot be."""
        places = self._places[seam] if seam < len(self._places) else ()
        place = next((place for place in places if place.bars == bars), None)
        sound, mix = self._session.track_sound, None if self._session.loop is None else self._session.loop.mix
        plan, found = self._placed, self._session.places
        played: dict[str, Any] = {"plan": {}}
        if place is not None and not place.obstacle and plan is not None and found is not None and sound is not None:
            cover = self._session.params.cover
            moved = move_seam(found.profile, plan, seam, place.bars, cover) if place.bars else plan
            played = {
                "music": self._session.url_of(sound.path),
                "plan": played_plan(moved, sound.sample_rate),
                "stretch": [max(0.0, place.at - _BEFORE_S), min(moved.window_end, place.at + _AFTER_S)],
                "gain_db": gains_of(mix).music_db,
            }
        self.sound.param.update(**played)
        self.sound.asked += 1

    def select(self, song_from: float, song_to: float) -> None:
        """Select a stretch of the track, about which something can be asked."""
        loop = self._session.loop
        longest = song_to if loop is None or loop.analysis is None else loop.analysis.profile.song_duration
        self._stretch = (round(song_from, 1), min(round(song_to, 1), int(10 * longest) / 10))
        self.show()

    def select_region(self, region: Sequence[float]) -> None:
        """Select the stretch of track that plays in a region of the video; of several the longest."""
        plan = self._session.plan
        found = None if plan is None or len(region) != 2 else track_stretch(plan, region[0], region[1])
        if found is not None:
            self.select(*found)

    def show(self) -> None:
        """Show the request, and the facts of the chosen seam."""
        session, plan, state = self._session, self._session.plan, self._picture.state
        seams = 0 if plan is None else len(plan.seam_times)
        seam = min(session.seam, max(0, seams - 1))
        refused = session.contradiction
        clash = refused.answer if refused is not None and isinstance(refused.answer, Refusal) else None
        self.panel.param.update(
            seams=seams, seam=seam, pinned=self._pin(seam) is not None if seams else False,
            places=[place_facts(place) for place in self._places[seam]] if seam < len(self._places) else [],
            waiting=self._waiting, other=0 if state.shown == state.used else state.shown + 1,
            stretch=[] if self._stretch is None else [clock(time) for time in self._stretch],
            constraints=[[one.id, in_words(one)] for one in session.request.each],
            fault="" if clash is None else session.for_the_page(sentence_in_words(clash.sentence)),
            clashing=[] if clash is None else [[one.id, in_words(one)] for one in clash.constraints],
        )  # fmt: skip
        self._picture.show_places(self._places)
        self._picture.show_chosen(seam if seams and self._placed == state.plan else None)
        self._picture.show_hits(self._coming.hits)
        self._picture.show_ranges(list(_ranges(session.request)), self._stretch or ())
        self.panel.visible = plan is not None or bool(session.request) or refused is not None

    def show_places(self, found: FoundPlaces | None) -> None:
        """Let the seams of the plan be moved; None: it has none."""
        if found is not None:
            self._places, self._session.places = found.places, found
        self.show()

    def show_no_places(self, fault: str) -> None:
        """Say that the seams cannot be moved, because of a fault; empty where the user cancelled the work."""
        self._waiting = f"it cannot be moved: listening around it {'failed' if fault else 'was cancelled'}"
        self.show()

    def _choose(self, seam: int) -> None:
        self._session.seam = seam

    def _pin(self, seam: int) -> Any:
        """The pin of a seam; None where it has none."""
        analysis, plan = self._session.analysis, self._session.plan
        if analysis is None or plan is None or not analysis.profile.downbeats.size:
            return None
        here = named_seam(analysis, plan, seam)
        return next(
            (one for one in self._session.request.constraints.pinned if is_same_splice(analysis, one, here)), None
        )

    def _hear(self, what: str, *values: Any) -> None:
        session = self._session
        if what == "choose":
            self._choose(int(values[0]))
        elif what == "move":
            session.move_seam(int(values[0]), int(values[1]))
        elif what == "leave":
            session.contradiction = None
        elif what == "give_up" and session.contradiction is not None:
            session.ask(session.contradiction.request.without(str(values[0])))
        else:
            wanted = session.find(self._wanted, what, *values)
            if wanted is not None:
                session.ask(wanted)

    def _at(self, at: float | None = None) -> float:
        """Where the player stood when a button was pressed, s: as the browser says, else as it last reported."""
        return round(self._playhead() if at is None else float(at), 3)

    @property
    def _coming(self) -> PlanRequest:
        """The request of the plan that is being made, else of the plan shown."""
        asked = self._session.asked
        return self._session.request if asked is None or asked.request is None else asked.request

    def _wanted(self, what: str, *values: Any) -> PlanRequest:
        """All that is asked for after a button was pressed."""
        request = self._coming
        seams = request.constraints
        if what == "drop":
            return request.without(str(values[0]))
        if what == "start_at":
            return replace(request, start_at=self._at(*values))
        if what == "end_on":
            return replace(request, end_on=self._at(*values))
        if what == "hit":
            return _with_hit(request, self._at(values[0]), *map(int, values[1:]))
        if what in ("never_cut", "exclude", "keep"):
            wanted = read_range(str(values[0]))
            if what == "keep":
                return replace(request, keep=(*request.keep, Keep(None, wanted.song_from, wanted.song_to)))
            if what == "exclude":
                return replace(request, constraints=replace(seams, excluded=(*seams.excluded, wanted)))
            return replace(request, constraints=replace(seams, never_cut=(*seams.never_cut, wanted)))
        analysis, plan, seam = self._session.analysis, self._session.plan, int(values[0])
        if analysis is None or plan is None:
            return request
        here, pin = named_seam(analysis, plan, seam), self._pin(seam)
        pinned = tuple(one for one in seams.pinned if one != pin)
        if what == "pin" and pin is None:
            pinned = (*pinned, here)
        forbidden = (*seams.forbidden, here) if what == "forbid" else seams.forbidden
        return replace(request, constraints=replace(seams, pinned=pinned, forbidden=tuple(dict.fromkeys(forbidden))))


def _with_hit(request: PlanRequest, at: float, number: int | None = None) -> PlanRequest:
    """Move a hit of a request to a time: hit `number` or the nearest, or without hits the track's arrival."""
    hits = list(request.hits) or [Hit(at)]
    if number is None or number >= len(hits):  # the flag has gone meanwhile
        number = min(range(len(hits)), key=lambda one: abs(hits[one].at - at))
    hits[number] = replace(hits[number], at=at)
    return replace(request, hits=tuple(hits))


def _ranges(request: PlanRequest) -> Any:
    for one in request.constraints.never_cut:
        yield one.song_from, one.song_to, PLAYED
    for one in request.constraints.excluded:
        yield one.song_from, one.song_to, BEAT
    for part in request.keep:
        if part.part is None:
            yield part.song_from, part.song_to, ENDING
