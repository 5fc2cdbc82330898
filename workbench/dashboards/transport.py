"""The transport: soundtrack and music in up to three options, played together, with a playhead over the pictures.

A tab has a `Program`: what it plays, and on which clock. The transport plays one at a time. Programs on the same clock
(Plan, Mix, Tracks, Review) take over from each other at the same place, also while they play; one on another clock
waits until what plays is stopped, or until one clicks in its picture or presses "Hear". What plays by itself, a seam or
a blind test, has the same way out of the page (`assets/output.js`), so two things never sound at once.

All run on the clock of one AudioContext at the rate of the music, and are cut, faded, levelled and ducked in the
browser (`assets/sound.js`): nothing is rendered, and another plan, fade, gain or duck is audible after some hundredths
of a second, at the same place. There is no limiter: the sum has headroom instead. Loudness and true peak of the sum are
measured while it plays (`assets/levels.js`); the picture follows the sound (`assets/video_picture.js`). Keys work
wherever the focus is, except where it uses the key itself (`assets/keys.js`).

Pictures reach it by events on the window, so that a click is audible without a call to the server: `workbench-seek`,
`workbench-region`, `workbench-option`, `workbench-duck`. `workbench-zoom` goes the other way. What is done at the
playhead asks the browser for its time (`workbench-where`), which the server knows a moment later.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, ClassVar

import param
from bokeh.models.annotations import Span
from bokeh.plotting import figure as Figure
from panel.custom import JSComponent
from param.parameterized import batch_call_watchers

from workbench.dashboards.figures import SeekTo
from workbench.dashboards.styles import script, stylesheet
from workbench.mix.speech_band import REACH_SECONDS, SPEECH_BAND_HZ


class Program(param.Parameterized):
    """What a tab plays; times are on the clock that the files share, mostly video seconds."""

    clock: Any = param.Selector(default="plan", objects=["plan", "track", "match"], constant=True, doc="of its seconds")
    soundtrack = param.String("", doc="address of the soundtrack; empty for none")
    music_a = param.String("", doc="address of the music, option A; with `plan_a`, of its track")
    music_b = param.String("", doc="address of the music, option B; empty for none")
    plan_a = param.Dict({}, doc="how the track is played, see `workbench.dashboards.sounds.plan`; empty: as it is")
    plan_b = param.Dict({})
    music_c = param.String("", doc="address of the music, option C")
    plan_c = param.Dict({})
    plans = param.List([], doc="of each option that can be picked what `plan_a` would be, to hear it at once")
    video_shown = param.Boolean(False, doc="whether there is a video, whose picture has a place before it is there")
    video_url = param.String("", doc="address of the video's picture; empty for none")
    refused_url = param.String("", doc="address of a picture that the browser cannot play")
    still = param.String("", doc="address of a picture of the video, to be seen before it is played; empty for none")
    fps = param.Number(25.0, doc="pictures a second, for steps")
    duration = param.Number(0.0, doc="s")
    time = param.Number(0.0, doc="where it plays, s; while it does, as sent four times a second")
    seek = param.List([], doc="[s, n]: go there; another n goes there again")
    playing = param.Boolean(False)
    region = param.List([], doc="[from, to]: loops while it plays; empty plays on")
    chosen: Any = param.Selector(default="a", objects=["a", "b", "c"])
    soundtrack_db = param.Number(0.0)
    gain_a_db = param.Number(0.0, doc="gain in the mix")
    gain_b_db = param.Number(0.0)
    gain_c_db = param.Number(0.0)
    match_a_db = param.Number(0.0, doc="gain that makes A as loud as B in the stretch, at most 0")
    match_b_db = param.Number(0.0)
    headroom_db = param.Number(0.0, doc="gain of everything, so that the sum does not clip")
    duck_a = param.List([], doc="of `workbench.dashboards.sounds.plan.played_duck`: attenuation, straight in between")
    duck_b = param.List([])
    duck_c = param.List([])
    speech_band = param.List([*SPEECH_BAND_HZ, REACH_SECONDS], doc="edges, Hz, and s that its filter reaches")
    speech = param.List([], doc="[from, to] of who speaks in the soundtrack, s; empty where that is not known")
    playheads = param.List([], doc="names of Bokeh spans that follow")
    labels = param.List(["A", "B"], doc="names of the first two options; empty where its tab has buttons for them")
    keys = param.List([], doc="[keys, what they do] of the keys that its tab adds to those of the transport")

    @property
    def ready(self) -> bool:
        """Whether there is anything to play."""
        return bool(self.music_a or self.music_b or self.music_c or self.soundtrack)

    def go(self, seconds: float) -> None:
        """Play from another place."""
        # The time too: what is not loaded yet begins at the time, and misses what is sought before.
        self.param.update(time=float(seconds), seek=[float(seconds), (self.seek[1] + 1.0) if self.seek else 1.0])


class TransportBar(Program, JSComponent):
    """The program that is loaded, drawn: buttons, levels, and the picture above them."""

    title = param.String("", doc="of the tab whose program this is")
    of_track = param.Boolean(False, doc="whether its times are of the track, and not of the video")
    here = param.String("", doc="title of the tab that is open, where its program is another one; else empty")
    zooms = param.Boolean(False, doc="whether the tab that is open has pictures of a stretch of time")
    tab_keys = param.List([], doc="`keys` of the tab that is open")
    own_keys = param.Boolean(False, doc="whether the tab that is open plays by itself, and has keys of its own")
    soundtrack_on = param.Boolean(True)
    music_on = param.Boolean(True)
    told = param.List([], doc="[n, s]: where it plays, since the n-th `seek`; the browser sends it")
    asked = param.List([], doc="[s, n]: play the program of the tab that is open, from there or where it is")

    _esm = script("output", "keys", "clock", "sound", "levels", "video_picture", "transport")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("transport", "keys")]


_OF_TAB = {"video_shown", "playheads", "keys"}
"""what the bar shows of the program of the open tab, also while another one plays"""
_LOADED = sorted(set(Program.param) - {"name", "clock", "time", "seek", "playing", "refused_url"} - _OF_TAB)
"""what the bar shows of the program that plays, as it is"""
_SENT_BY_BROWSER = ("playing", "region", "chosen", "refused_url")
"""what the bar changes, for the program that it plays"""


class Transport:
    """The one player of a page: which tab's program it plays, and when it goes over to another's."""

    def __init__(self) -> None:
        self.bar = TransportBar(sizing_mode="stretch_width", margin=(8, 10))
        self._programs: dict[str, Program] = {}
        self._loaded: Program | None = None
        self._here = ""
        self.bar.param.watch(self._take_sent, list(_SENT_BY_BROWSER))
        self.bar.param.watch(lambda event: self._take_time(*event.new), "told")
        self.bar.param.watch(lambda event: self._hear_here(event.new[0]), "asked")

    def add(self, title: str, program: Program) -> None:
        """Use a program for the transport while its tab is open."""
        self._programs[title] = program
        program.param.watch(lambda *events: self._follow(program, events), [*_LOADED, "video_shown", "playheads"])
        program.param.watch(lambda event: self._go(program, event.new[0]), "seek")
        self._show_place()

    def open_tab(self, title: str, *, plays_itself: bool = False) -> None:
        """Take over the program of the open tab: at once, or when what plays is stopped."""
        self._here = title
        self.bar.param.update(own_keys=plays_itself)
        self._settle()

    def _settle(self) -> None:
        """Load the program of the open tab, unless something else plays that it cannot take over from."""
        program = self._programs.get(self._here)
        if program is not None and program is not self._loaded:
            takes_over = program.ready and self._is_on_clock(program)
            if takes_over or not self.bar.playing:
                self._load(program)
        self._show_place()

    def _load(self, program: Program, at: float | None = None) -> None:
        same, before, bar = self._is_on_clock(program), self._loaded, self.bar
        self._loaded = program
        if before is not None:
            before.playing = False
        values = {name: getattr(program, name) for name in _LOADED}
        if same:  # the place stays, and the picture for when one comes back
            unchanged = ("region", "video_url", "still", "fps") if not program.video_url else ("region",)
            values |= {name: getattr(bar, name) for name in unchanged}
            program.param.update(region=bar.region, playing=bar.playing)
        else:
            program.playing = bar.playing
        title = next(title for title, one in self._programs.items() if one is program)
        bar.param.update(title=title, of_track=program.clock == "track", **values)
        if at is not None or not same:
            bar.go(program.time if at is None else at)

    def _show_place(self) -> None:
        """Show of what the sound is, beside the tab that is open."""
        program, loaded = self._programs.get(self._here), self._loaded
        heads = [] if loaded is None else [
            name for one in self._programs.values() if one.clock == loaded.clock for name in one.playheads
        ]  # fmt: skip
        waits = program is not None and loaded is not None and not self._is_on_clock(program)
        self.bar.param.update(
            here=self._here if waits else "", playheads=heads,
            video_shown=program is not None and program.video_shown,
            zooms=program is not None and bool(program.playheads), tab_keys=[] if program is None else program.keys,
        )  # fmt: skip

    def _is_on_clock(self, program: Program) -> bool:
        return self._loaded is not None and self._loaded.clock == program.clock

    def _hear_here(self, at: float | None) -> None:
        program = self._programs.get(self._here)
        if program is not None and program is not self._loaded:
            self._load(program, at)
            self._show_place()

    def _follow(self, program: Program, events: tuple[Any, ...]) -> None:
        if program is self._loaded:
            changed = {event.name: event.new for event in events if event.name in _LOADED}
            self.bar.param.update(**changed)
        if program is self._programs.get(self._here):
            self._settle()

    def _go(self, program: Program, at: float) -> None:
        if self._is_on_clock(program):
            self.bar.go(at)

    def _take_sent(self, *events: Any) -> None:
        if self._loaded is not None:
            self._loaded.param.update(**{event.name: event.new for event in events})
        if not self.bar.playing:
            self._settle()

    def _take_time(self, number: float, at: float) -> None:
        if number != (self.bar.seek[1] if self.bar.seek else 0.0):
            return  # it was sent before the place changed
        with ExitStack() as batches:  # all of them first: what follows one of them may look at another
            for program in self._programs.values():
                if self._is_on_clock(program):
                    batches.enter_context(batch_call_watchers(program))
                    program.time = at


def playhead(figure: Figure, name: str, colour: str) -> Span:
    """A line on a figure that a player moves, which finds it by its name."""
    span = Span(dimension="height", location=0.0, line_color=colour, line_width=2, level="overlay", name=name)
    figure.add_layout(span)
    return span


def seek_on_tap(figure: Figure) -> None:
    """Let a click on a figure whose horizontal axis is the player's clock seek."""
    figure.js_on_event("tap", SeekTo())
