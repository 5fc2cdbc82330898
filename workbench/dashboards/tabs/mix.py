"""The Mix tab: the ducking of the music under speech, shown as levels and played while it is tuned.

A worker measures the sound and finds its utterances once a plan. From then on a mix takes milliseconds
(`workbench.mix.balance.plan_mix`), and nothing is rendered: the player applies gains and ducking. B is the same music
without the ducking. When the envelope is drawn by hand, sliders change the measured one under it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.events import Tap
from bokeh.models import Range1d

from workbench.dashboards.actions import Session
from workbench.dashboards.charts import Picture, ViewFollower, flat_legend, ink_colour, paper, time_chart
from workbench.dashboards.figures import PointTool
from workbench.dashboards.page_loop import this_page_loop
from workbench.dashboards.sounds.mix import MixSounds, find_utterances, measure_outside, plan_sounds
from workbench.dashboards.sounds.plan import headroom_db, played_duck
from workbench.dashboards.styles import beside, scrolled
from workbench.dashboards.tabs.controls import ParamControls, ProfileBar, with_field
from workbench.dashboards.tabs.envelope import EnvelopeEditor
from workbench.dashboards.tabs.tab import NOT_LOOPED, Tab
from workbench.dashboards.transport import Program
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve
from workbench.files import stamps_of
from workbench.mix.balance import Mix
from workbench.mix.clarity import CLEAR_LU, Passage, speech_over_music, worst_passages
from workbench.mix.drawn_envelope import Points, measured_points, with_drawn
from workbench.mix.speech_band import DuckedBands, deepest_under, duck_bands, ducked_levels
from workbench.params import DUCK_PRESETS, DuckParams, MixParams, RenderParams, VoiceParams, WorkbenchParams
from workbench.plans.plan import LoopPlan
from workbench.plots.mix import soundtrack_in_words, uncertain_in_words
from workbench.plots.palette import DUCK, OWN_MUSIC, PLAYED, VOICE, clock
from workbench.recording import FloatArray
from workbench.render.video import gains_of
from workbench.video.speech_ranges import Utterances
from workbench.workflows.plan import Planned

OWN = "own"
"""name of settings that are no preset"""
SHOWN = (
    "voice_lufs", "under_voice_lu", "attack_ms", "release_ms", "bridge_seconds", "piece_seconds",
    "quiet_utterance_lu", "max_depth_db", "max_music_gain_db", "max_video_gain_db",
)  # fmt: skip
GIVING_WAY = {"play on": "ignore", "play on under it": "mix", "be silent": "yield"}
"""what the music does where the soundtrack is music itself, in words, and `MixParams.own_music`"""
DUCKING = {"all of the music": "broadband", "the band of speech more than the rest": "bands"}
"""what speech lowers, in words, and `RenderParams.ducking`"""
_SLIDERS_WIDTH = 270
_SLIDERS_HEIGHT = "max(520px, calc(100vh - 140px))"
_QUIETEST_LUFS, _LOUDEST_LUFS = -54.0, -8.0
_SMOOTH_HOPS = 40
"""momentary loudness is a mean over 400 ms"""
_SHARES = (0.65, 0.35)
"""of a higher window, for levels and duck"""
_REACH_PIXELS = 8
"""to each side of a point, in which a click chooses it"""
_PIXELS_A_POINT = 10
"""that each point needs at least, on average, to be shown"""
_LEAST_DRAWN_DB = 24.0
"""to which a duck that is drawn can be dragged at once"""
_SHARE_MS = 1200
"""after the last change, until the other tabs get the new mix"""


@dataclass(eq=False)
class MixState:
    """The mix that is shown and played; no widgets."""

    sounds: MixSounds | None = None
    mix: Mix | None = None
    ducked: bool = True
    """whether the music plays with the duck, or without it to compare"""
    under_voice_lu: float = DuckParams().under_voice_lu
    """how far under the voice the ducking holds the music, LU"""
    render: RenderParams = RenderParams()
    """`ducking`, and how far each band goes down"""
    drawn: Points | None = None
    """the envelope that was drawn by hand; None: as it is measured"""
    made_with: dict[str, Any] = field(default_factory=dict)
    """parameters that `mix` was made with, by the names of their stages"""

    def tune(self, duck: DuckParams, own: MixParams, render: RenderParams | None = None) -> None:
        """Mix with other parameters of the duck; without `render` all of the music is ducked."""
        self.under_voice_lu, self.render = duck.under_voice_lu, render or RenderParams()
        self.mix = None if self.sounds is None else with_drawn(self.sounds.levels.mixed(duck, own), self.drawn)
        self.made_with = {} if self.sounds is None else {"voice": self.sounds.levels.voice, "duck": duck, "mix": own}

    def draw(self, points: Points | None) -> None:
        """Mix with an envelope that is drawn by hand; None: as it is measured."""
        self.drawn = points
        self.mix = None if self.mix is None else with_drawn(self.mix, points)

    def hear(self, voice: VoiceParams, utterances: Utterances, uncertain: Utterances = ()) -> None:
        """Take the utterances that were found with other parameters of the voice."""
        if self.sounds is not None:
            levels = self.sounds.levels.with_utterances(voice, utterances, uncertain)
            self.sounds = replace(self.sounds, levels=levels)

    @property
    def points(self) -> list[list[float]]:
        """Attenuation of the music: pairs of video seconds and dB, positive; empty without a voice-over."""
        return [list(point) for point in gains_of(self.mix).duck_points]

    @property
    def bands(self) -> DuckedBands:
        """Attenuation in the band of speech and outside it; the same where all of the music is ducked."""
        return duck_bands(self.points, self.speech, self.render)

    @property
    def misses_bands(self) -> bool:
        """Whether the music is ducked in bands, and how loud it is outside that of speech was not measured."""
        return self.sounds is not None and self.sounds.levels.outside is None and self.bands.differ

    def take_bands(self, outside: LevelCurve) -> None:
        """Take the levels of the music outside the band of speech."""
        if self.sounds is not None:
            self.sounds = replace(self.sounds, levels=replace(self.sounds.levels, outside=outside))

    @property
    def played(self) -> LevelCurve | None:
        """Levels of the music with its gain and ducking; None while nothing is measured."""
        if self.sounds is None:
            return None
        levels = self.sounds.levels
        return ducked_levels(levels.music, levels.outside, self.bands).raised(self.music_gain_db)

    def passages(self) -> tuple[Passage, ...]:
        """How far speech is above the music, in time; empty without speech over music."""
        played = self.played
        if played is None or self.sounds is None or self.sounds.levels.soundtrack.levels is None:
            return ()
        soundtrack = self.sounds.levels.soundtrack.levels.raised(self.video_gain_db)
        found = speech_over_music(soundtrack, played, self.speech)
        return tuple(passage for passage in found if np.isfinite(passage.over_lu))

    @property
    def speech(self) -> Sequence[Sequence[float]]:
        """From and to of each utterance, video s; empty without speech."""
        return gains_of(self.mix).speech_ranges

    @property
    def uncertain(self) -> Utterances:
        """Further possible speech, video s; nothing is ducked there for it."""
        return () if self.sounds is None else self.sounds.levels.uncertain

    @property
    def music_gain_db(self) -> float:
        """Gain of the music."""
        return 0.0 if self.mix is None else self.mix.music_gain_db or 0.0

    @property
    def video_gain_db(self) -> float:
        """Gain of the soundtrack."""
        return 0.0 if self.mix is None else self.mix.video_gain_db or 0.0

    def headroom_db(self) -> float:
        """Gain under which both together cannot clip, even if their peaks meet; dB, at most 0."""
        if self.sounds is None:
            return 0.0
        levels = self.sounds.levels
        soundtrack = 0.0 if levels.soundtrack.levels is None else levels.soundtrack.levels.peak
        return headroom_db(gains_of(self.mix).peak(levels.music.peak, soundtrack))

    def facts(self) -> str:
        """The decisions of the mix, and where they may be wrong, in a line."""
        if self.mix is None:
            return "no plan under a video is open yet"
        doubt = f" · perhaps speech (hatched) at {uncertain_in_words(self.uncertain)}" if self.uncertain else ""
        return self._decided(self.mix) + doubt

    def _decided(self, mix: Mix) -> str:
        if not mix.voiceover or mix.duck is None:
            detected = soundtrack_in_words(mix.classification)
            if mix.duck is not None:
                down = f"ours goes down by {mix.duck.depth_db:.0f} dB"
                if self.drawn is not None:
                    return f"{detected}; drawn by hand: {down}"
                return f"{detected}; the video has music of its own: {down}"
            return f"{detected}: the music plays at its own level"
        duck = mix.duck
        spoken = sum(end - start for start, end in duck.speech_ranges)
        drawn = self.drawn is not None
        deepest = duck.depth_db if drawn else deepest_under(duck.envelope_points, duck.speech_ranges)
        return (
            f"{len(duck.speech_ranges)} utterances, {spoken:.0f} s of speech · "
            f"music {self.music_gain_db:+.1f} dB · "
            f"soundtrack {self.video_gain_db:+.1f} dB · "
            + ("drawn by hand" if drawn else f"{self.under_voice_lu:g} LU under the voice")
            + f": duck down to {deepest:.1f} dB"
            + self._bands_in_words()
            + self._clearness_in_words()
        )

    def _clearness_in_words(self) -> str:
        """How far speech is above the music as it is played, and where it is the least clear."""
        passages = self.passages()
        if not passages:
            return ""
        median, (worst,) = float(np.median([each.over_lu for each in passages])), worst_passages(passages, 1)
        return f" · speech over music {median:.1f} LU, least {worst.over_lu:.1f} at {clock(worst.start)}"

    def _bands_in_words(self) -> str:
        if not self.bands.differ:
            return ""
        inside, outside = self.bands.depths(self.speech)
        return f", in bands: {inside:.1f} dB in that of speech, {outside:.1f} dB below and above it"


def loudness(power: FloatArray, from_s: float, to_s: float, columns: int) -> tuple[FloatArray, FloatArray]:
    """Even times of a view, s, and the loudness over 400 ms at each, no quieter than the picture's lower end."""
    total = np.concatenate([[0.0], np.cumsum(power)])
    first, stop = max(0, round(from_s * HOPS_PER_SECOND)), min(power.size, round(to_s * HOPS_PER_SECOND))
    if stop <= first:
        return np.zeros(0), np.zeros(0)
    at = np.unique(np.linspace(first, stop, min(columns, stop - first), endpoint=False).astype(np.int64))
    begin, end = np.maximum(0, at - _SMOOTH_HOPS // 2), np.minimum(power.size, at + _SMOOTH_HOPS // 2)
    mean = (total[end] - total[begin]) / (end - begin)
    lufs = 10.0 * np.log10(np.maximum(mean, 1e-12)) - 0.691
    return at / HOPS_PER_SECOND, np.maximum(lufs, _QUIETEST_LUFS)


def preset_of(duck: DuckParams) -> str:
    """Name of the preset that these parameters are."""
    return next((name for name in DUCK_PRESETS if DuckParams.model_validate({"preset": name}) == duck), OWN)


def tune_state(state: MixState, session: Session, then: Callable[[], None]) -> None:
    """Mix with the session's parameters, then go on; a worker first finds the utterances or measures the bands."""
    sounds, voice = state.sounds, session.params.voice
    if sounds is None or sounds.levels.voice == voice:
        state.tune(session.params.duck, session.params.mix, session.params.render)
        then()
        if state.misses_bands and sounds is not None:

            def misses_bands() -> bool:
                return _is_of(state.sounds, sounds) and state.misses_bands

            def measured(outside: LevelCurve) -> None:
                state.take_bands(outside)
                then()

            session.run(measure_outside, sounds, on_result=measured, is_current=misses_bands)
        return

    def misses_utterances() -> bool:
        # Tuning meanwhile asks for them again, and other parameters of the voice ask for others.
        now = state.sounds
        return now is not None and _is_of(now, sounds) and now.levels.voice != voice == session.params.voice

    def found(utterances: tuple[Utterances, Utterances]) -> None:
        state.hear(voice, *utterances)
        tune_state(state, session, then)

    session.run(find_utterances, sounds.levels, on_result=found, is_current=misses_utterances)


def _is_of(now: MixSounds | None, sounds: MixSounds) -> bool:
    """Whether what a state has now are these sounds, even if more was found in them meanwhile."""
    return now is not None and now.levels.music is sounds.levels.music


class MixPicture(Picture):
    """Levels of both, speech, and the duck."""

    def __init__(self, state: MixState) -> None:
        self.state = state
        shared = Range1d(start=0.0, end=60.0)
        self.levels = time_chart(300, shared, _QUIETEST_LUFS, _LOUDEST_LUFS, "loudness, LUFS")
        self.duck = time_chart(150, shared, -30.0, 1.5, "duck, dB", last=True)
        super().__init__(self.levels, self.duck)
        self._draw()
        self._add_playheads("mix-playhead")
        self.hand = PointTool(renderers=[])
        self.duck.add_tools(self.hand)
        self.duck.toolbar.active_drag = self.hand
        self.chosen: int | None = None
        """index of the point of the envelope that is chosen"""
        self.follow = ViewFollower(self.levels, self.show_view)

    def on_hand(self, drag: Callable[[str, float, float, float, float], object]) -> None:
        """Call a function with phase, video seconds and positive dB of a drag on the duck, and its reach."""

        def changed(_attr: str, _old: object, new: Sequence[Any]) -> None:
            phase, at, level, reach_s, reach_db, _ = new
            drag(phase, at, -level, reach_s, reach_db)

        self.hand.on_change("gesture", changed)

    def on_pick(self, pick: Callable[[float, float, float, float], object]) -> None:
        """Call a function with video seconds and positive dB of a click on the duck, and its reach."""

        def clicked(event: Tap) -> None:
            start, end = self.follow.view
            down = self.duck.y_range.end - self.duck.y_range.start
            reach_s, reach_db = (end - start) / self.follow.width, down / self.duck.height
            if event.x is not None and event.y is not None:
                pick(event.x, -event.y, _REACH_PIXELS * reach_s, _REACH_PIXELS * reach_db)

        self.duck.on_event(Tap, clicked)

    def show(self) -> None:
        """Show all of another video."""
        if self.state.sounds is not None:
            end = self.state.sounds.levels.seconds
            self.levels.x_range.update(start=0.0, end=end, bounds=(0.0, end))
        self.show_mix()

    def show_mix(self, *, dragged: bool = False) -> None:
        """Show another mix of the same sounds."""
        state = self.state
        self._spans("own_music", () if state.sounds is None else state.sounds.levels.own_music)
        self._spans("speech", state.speech)
        self._spans("uncertain", state.uncertain)
        bands, deepest = state.bands, 12.0
        end = state.sounds.levels.seconds if state.sounds is not None else 0.0
        for name, points in (("duck", bands.inside), ("outside", bands.outside if bands.differ else ())):
            times = [0.0, *(at for at, _ in points), end] if points else []
            depth = [points[0][1], *(db for _, db in points), points[-1][1]] if points else []
            self._set(name, x=times, y=[-db for db in depth])
            deepest = max([deepest, *depth])
        measured = () if state.drawn is None or state.mix is None else measured_points(state.mix)
        for name, curve in (("envelope", state.points if bands.differ else ()), ("measured", measured)):
            self._set(name, x=[at for at, _ in curve], y=[-db for _, db in curve])
            deepest = max([deepest, *(db for _, db in curve)])
        if not dragged:
            self.duck.y_range.start = -1.1 * max(deepest, _LEAST_DRAWN_DB if state.drawn is not None else 0.0)
        self._spans("unclear", [(each.start, each.end) for each in state.passages() if each.over_lu < CLEAR_LU])
        self.show_view()

    def show_view(self) -> None:
        """Send the part in view, as fine as the screen."""
        state = self.state
        if state.sounds is None:
            for name in ("soundtrack", "alone", "under"):
                self._set(name, x=[], y=[])
            return
        levels = state.sounds.levels
        self._show_points()
        first, last, columns = self.follow.stretch(levels.seconds)
        gain = 10 ** (state.music_gain_db / 10)
        self._line("alone", levels.music.power * gain, first, last, columns)
        played = state.played if state.ducked and state.points else None
        music = levels.music.power * gain if played is None else played.power
        self._line("under", music, first, last, columns)
        soundtrack = levels.soundtrack.levels
        power = np.zeros(0) if soundtrack is None else soundtrack.power * 10 ** (state.video_gain_db / 10)
        self._line("soundtrack", power, first, last, columns)

    def _show_points(self) -> None:
        """Show the points in view where they can be distinguished, and always the one that is chosen."""
        start, end = self.follow.view
        points = self.state.points
        chosen = points[self.chosen : self.chosen + 1] if self.chosen is not None else []
        inside = [point for point in points if start <= point[0] <= end and point not in chosen]
        if len(inside) * _PIXELS_A_POINT > self.follow.width:
            inside = []
        for name, some in (("points", inside), ("chosen", chosen)):
            self._set(name, x=[at for at, _ in some], y=[-db for _, db in some])

    def _line(self, name: str, power: FloatArray, first: float, last: float, columns: int) -> None:
        times, lufs = loudness(power, first, last, columns)
        self._set(name, x=times, y=lufs)

    def _draw(self) -> None:
        levels, duck = self.figures
        all_levels = _QUIETEST_LUFS, _LOUDEST_LUFS
        self._band(levels, "speech", *all_levels, color=VOICE, alpha=0.22, legend_label="speech")
        self._band(duck, "speech", -60.0, 1.5, color=VOICE, alpha=0.22)
        self._band(
            levels, "uncertain", *all_levels, fill_alpha=0.0, hatch_pattern="/", hatch_color=VOICE, hatch_alpha=0.6
        )
        self._band(levels, "own_music", *all_levels, color=OWN_MUSIC, alpha=0.18, legend_label="its own music")
        self._band(duck, "own_music", -60.0, 1.5, color=OWN_MUSIC, alpha=0.18)
        self._curve(levels, "soundtrack", VOICE, line_width=1.6, legend_label="soundtrack")
        self._curve(levels, "alone", PLAYED, line_width=1, line_dash="3 3", legend_label="music, not ducked")
        self._curve(levels, "under", PLAYED, line_width=1.8, legend_label="music")
        source = self._source("duck", "x", "y")
        self._tint(duck.varea("x", 0.0, "y", source=source, alpha=0.3).glyph, "fill_color", DUCK)
        self._curve(duck, "duck", DUCK, line_width=1.8)
        self._curve(duck, "outside", DUCK, line_width=1.8, line_dash="6 3")
        self._draw_points()
        flat_legend(levels)

    def _draw_points(self) -> None:
        """The points of the envelope, the measured one under a drawn one, and where speech is not clear."""
        levels, duck = self.figures
        covered = self._band(levels, "unclear", _QUIETEST_LUFS, _QUIETEST_LUFS + 1.2, legend_label="music too loud")
        self._shade(covered.glyph, "fill_color", ink_colour)
        measured = self._source("measured", "x", "y")
        self._shade(duck.line("x", "y", source=measured, line_dash="3 3").glyph, "line_color", ink_colour)
        self._curve(duck, "envelope", DUCK, line_width=1)
        for name, size in (("points", 7), ("chosen", 11)):
            dots = duck.scatter("x", "y", source=self._source(name, "x", "y"), size=size, line_width=2, name=name)
            self._tint(dots.glyph, "line_color", DUCK)
            if name == "chosen":
                self._tint(dots.glyph, "fill_color", DUCK)
            else:
                self._shade(dots.glyph, "fill_color", paper)


class MixTab(Tab):
    """Speech, levels and the duck, shown, played and tuned."""

    title = "Mix"

    def __init__(self, session: Session) -> None:
        self.state = MixState()
        self.picture = MixPicture(self.state)
        super().__init__(session, self.picture)
        self._loop: Planned | None = None
        self._shares = 0
        self.player = self.program = Program(playheads=self.picture.playheads, labels=["ducked", "not ducked"])
        self.preset = pmui.Select(
            label="preset", options=[*DUCK_PRESETS, OWN], value=preset_of(session.params.duck), size="small",
            sizing_mode="stretch_width",
        )  # fmt: skip
        self.own_music = self._choice("under the video's own music", GIVING_WAY, "mix", "own_music")
        self.ducking = self._choice("lowered under speech", DUCKING, "render", "ducking")
        self.controls = ParamControls(session, "duck", SHOWN)
        self.editor = EnvelopeEditor(session, self._show_drawn)
        self.editor.panel.slider = self.controls.widgets["under_voice_lu"].label
        self.picture.on_hand(self.editor.drag)
        self.picture.on_pick(self.editor.pick)
        self.profile = ProfileBar(session)
        # Room for two lines always: a point that is dragged stays under the pointer, however much is said above it.
        room = {"display": "flow-root", "minHeight": {"xs": "auto", "lg": "calc(2lh + 0.5em)"}}  # with its margins
        self.facts = pmui.Typography("", variant="body2", sx=room)
        self.preset.param.watch(lambda event: self.choose(event.new), "value")
        self.player.param.watch(lambda event: self._compare(ducked=event.new == "a"), "chosen")
        self.follow_place(self.player)
        self.follow_shown(["loop"], self.take)
        self.follow(["params"], lambda _: self.tune())
        self.follow(["envelope"], self.draw)

    def take(self, loop: Planned | None) -> None:
        """Show the mix of another plan, and prepare its sound; the same plan with another mix needs none."""
        if loop is not None and self._loop is not None and loop.answer is self._loop.answer:
            self._loop = loop
            return
        self._loop = loop
        self.state.sounds = self.state.mix = None
        self.player.param.update(music_a="", music_b="", soundtrack="")
        self.picture.show()
        self._show_facts()
        self._take_points()
        if loop is None or loop.video is None or not isinstance(loop.answer, LoopPlan):
            return
        plan = loop.answer
        self.run(
            plan_sounds, loop, on_result=self.hear, subject=str(loop.track.path),
            is_current=lambda: self._loop is not None and self._loop.answer is plan,
            cache_key=(loop.answer.alone, *stamps_of(loop.track.path, loop.video)),
        )  # fmt: skip

    def hear(self, sounds: MixSounds) -> None:
        """Mix and show sounds that were measured."""

        def show() -> None:
            self.player.duration = sounds.levels.seconds
            self.picture.show()
            self._load()
            self._show_facts()
            self._take_points()
            self._share_soon()  # parameters may have changed before this tab was opened

        self.state.sounds = sounds
        tune_state(self.state, self._session, show)

    def choose(self, preset: str) -> None:
        """Take the parameters of a preset."""
        if preset != OWN and preset != preset_of(self._session.params.duck):
            duck = DuckParams.model_validate({"preset": preset})
            self._session.params = self._session.params.model_copy(update={"duck": duck})

    def _choice(self, label: str, options: dict[str, str], stage: str, name: str) -> pmui.Select:
        """A choice of what a field of the parameters is, in words."""
        session = self._session
        select = pmui.Select(label=label, options=options, size="small", sizing_mode="stretch_width")

        def choose(event: Any) -> None:
            if event.new != getattr(getattr(session.params, stage), name):
                session.params = with_field(session.params, stage, name, event.new)

        def show(params: WorkbenchParams) -> None:
            select.value = getattr(getattr(params, stage), name)

        self.follow(["params"], show)
        select.param.watch(choose, "value")
        return select

    def tune(self) -> None:
        """Mix with the session's parameters: see and hear it at once; other tabs get the mix once it has settled."""
        self.preset.value = preset_of(self._session.params.duck)

        before = self._audible()

        def show() -> None:
            if self._audible() != before:
                self._load()  # it is played first: the browser takes one after the other
                self.picture.show_mix()
            self.player.param.trigger("duck_a")  # also where it stays: the browser has guessed another one
            self._share_soon()
            self._show_facts()
            self._take_points()

        tune_state(self.state, self._session, show)

    def draw(self, points: Points | None) -> None:
        """Mix with an envelope that was drawn, or as it is measured: see and hear it at once."""
        self.state.draw(points)
        self._show_envelope()

    def share(self) -> None:
        """Make the mix that of the session's plan, with what it was made with: other tabs and exports have it."""
        session, plan, mix = self._session, self._session.loop, self.state.mix
        same = plan is not None and self._loop is not None and plan.answer is self._loop.answer
        if plan is not None and same and mix is not None:
            session.take_mix(plan, mix, session.params.model_copy(update=self.state.made_with))

    def panel(self) -> pn.viewable.Viewable:
        """Transport and pictures; sliders beside them, or below where narrow."""
        sliders = scrolled(
            pmui.Column(self.preset, self.own_music, self.ducking, self.controls.panel(), sizing_mode="stretch_width"),
            height=_SLIDERS_HEIGHT,
            least=_SLIDERS_WIDTH,
        )
        pictures = pmui.Column(
            self.facts, *self.picture.panes(*_SHARES, margin=0), self.editor.panel, self.profile.panel(),
            sizing_mode="stretch_width", margin=0, styles=beside(480),
        )  # fmt: skip
        return pmui.FlexBox(pictures, sliders, sizing_mode="stretch_width")

    def _show_drawn(self, points: Points, dragged: bool) -> None:
        """Show and play the drawn envelope, before it is saved; once nothing is dragged, the saved one."""
        if not dragged and self.state.drawn != self._session.envelope:
            self.state.draw(self._session.envelope)
        elif dragged and points != tuple(map(tuple, self.state.points)):
            self.state.draw(points)
        self._show_envelope(dragged=dragged)

    def _show_envelope(self, *, dragged: bool = False) -> None:
        self._load()
        self._take_points()
        self.picture.show_mix(dragged=dragged)
        self._show_facts()

    def _take_points(self) -> None:
        """Draw the playing envelope on the editor, and mark its chosen point in the picture."""
        sounds, mix = self.state.sounds, self.state.mix
        self.editor.take(gains_of(mix).duck_points, 0.0 if sounds is None or mix is None else sounds.levels.seconds)
        duck = self.state.made_with.get("duck", DuckParams())
        self.editor.panel.param.update(under=duck.under_voice_lu, deepest=duck.max_depth_db)
        self.picture.chosen = self.editor.drawing.chosen

    def _audible(self) -> tuple[object, ...]:
        outside = None if self.state.sounds is None else self.state.sounds.levels.outside
        return self.state.mix, self.state.bands, id(outside)

    def _compare(self, *, ducked: bool) -> None:
        self.state.ducked = ducked
        self.picture.show_view()

    def _load(self) -> None:
        state, sounds, session = self.state, self.state.sounds, self._session
        if sounds is None:
            return
        music = session.url_of(sounds.music)
        self.player.param.update(
            soundtrack="" if sounds.soundtrack is None else session.url_of(sounds.soundtrack),
            music_a=music,
            music_b=music if state.points else "",
            gain_a_db=state.music_gain_db,
            gain_b_db=state.music_gain_db,
            soundtrack_db=state.video_gain_db,
            duck_a=played_duck(state.mix, state.render),
            speech=[[float(at) for at in span] for span in state.speech],
            headroom_db=state.headroom_db(),
        )

    def _share_soon(self) -> None:
        loop = this_page_loop()
        if loop is None:
            self.share()
            return
        self._shares += 1
        mine = self._shares

        def settled() -> None:
            if mine == self._shares:
                self.share()

        loop.call_later(settled, _SHARE_MS)

    def _show_facts(self) -> None:
        refused = self._loop is not None and not isinstance(self._loop.answer, LoopPlan)
        self.facts.object = f"There is no plan to mix{NOT_LOOPED}" if refused else self.state.facts()
