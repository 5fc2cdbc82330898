"""The Beats tab: beats and bars as the tracker detected them, shown and played with the music, and corrected by hand.

Corrections are tried at once, each a step of the history. Tempo and shifts apply to the stretch that is selected, else
to all of the track. Saved, the grid is the track's: every plan, here, on the command line and in the service, is made
on it, until one goes back to the tracker's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import BoxSelectTool, LinearColorMapper, Range1d
from bokeh.palettes import Viridis256
from panel.custom import JSComponent

from workbench.analysis.grids import corrected_grid, delete_grid, save_grid
from workbench.analysis.track import Analysis
from workbench.beats.corrections import (
    add_beat,
    delete_beat,
    double_stretch,
    double_tempo,
    halve_stretch,
    halve_tempo,
    move_beat,
    onset_times,
    open_bar,
    room_of_beats,
    settle_taps,
    shift_bar,
    shift_beats,
    tap_beats,
    with_metre,
)
from workbench.beats.grid import BeatGrid
from workbench.dashboards.actions import Session
from workbench.dashboards.charts import Picture, ViewFollower, flat_legend, time_chart
from workbench.dashboards.figures import BeatTool, LoopOver
from workbench.dashboards.sounds.mix import clicked_file
from workbench.dashboards.state import GridDraft
from workbench.dashboards.styles import beside, script, stylesheet
from workbench.dashboards.tabs.tab import Tab, action, number_field
from workbench.dashboards.tasks import Task
from workbench.dashboards.transport import Program
from workbench.dashboards.views import LongSound
from workbench.errors import GridError
from workbench.plots.palette import BEAT, DOWNBEAT, ONSET, PLAYED, clock
from workbench.recording import FloatArray, IntArray
from workbench.review.projects import projects_in_words, projects_on_track

CLICK_GAIN_DB = -6.0
"""gain of a track under clicks, see `workbench.render.clicks`"""
VIEWS = {"8\u00a0s": 8.0, "30\u00a0s": 30.0, "all": float("inf")}
FIRST_VIEW = "30\u00a0s"
METRES = (2, 3, 4, 5, 6, 7)
_BEAT_PIXELS, _BAR_PIXELS, _NUMBER_PIXELS = 7, 9, 30
"""between two marks; where they would be closer, beats are not drawn, and of bars only every other one, and so on"""
_NUMBER_WIDTH = 24
"""pixels that the number of a bar takes, with its distance from the line"""
_BESIDE_FIELD = (12, 4, 4, 4)
"""margin of a button that stands in a line with a field, which is higher and has its label on its frame"""
_SHARES = (0.5, 0.2, 0.3)
"""of a higher window, for sound, onsets and tempo"""
_QUIETEST_DB, _LOUDEST_DB = -90.0, -20.0


@dataclass(eq=False)
class BeatsState:
    """The grid that is shown, and its corrections; no widgets."""

    analysis: Analysis | None = None
    saved: bool = False
    """whether the analysis was made on a grid that was corrected by hand"""
    saved_grid: BeatGrid | None = None
    """that was saved since the analysis was made"""
    draft: GridDraft | None = None
    """corrections that are not saved"""

    def take(self, analysis: Analysis | None, *, saved: bool, draft: GridDraft | None = None) -> None:
        """Look at another recording, or at this one's new grid."""
        self.analysis, self.saved, self.saved_grid = analysis, saved, None
        self.take_draft(draft)

    def take_draft(self, draft: GridDraft | None) -> None:
        """Look at other corrections."""
        ours = draft is not None and self.analysis is not None and draft.content_hash == self.analysis.content_hash
        self.draft = draft if ours else None

    @property
    def grid(self) -> BeatGrid | None:
        """With the corrections that are tried; None: no track is open."""
        if self.draft is not None:
            return self.draft.grid
        return self.saved_grid if self.analysis is None or self.saved_grid is not None else self.analysis.grid

    @property
    def changed(self) -> bool:
        """Whether there is something to save."""
        return self.draft is not None

    @property
    def note(self) -> str:
        """The corrections in words, for the saved grid."""
        return "" if self.draft is None else ", ".join(self.draft.corrections)

    def correct(self, words: str, correction: Callable[[BeatGrid], BeatGrid]) -> None:
        """Try a correction; `GridError` where it cannot be done to this grid, or there is none."""
        analysis, grid = self.analysis, self.grid
        if analysis is None or grid is None:
            raise GridError("no track is open")
        before, made = () if self.draft is None else self.draft.corrections, correction(grid)
        if made.beats.size and made.beats[-1] >= analysis.duration:
            raise GridError("the last beat would lie behind the end of the track; select the stretch that is meant")
        self.draft = GridDraft(analysis.content_hash, made, (*before, words))

    def facts(self) -> str:
        """Tempo, metre and where the grid comes from, in a line."""
        grid = self.grid
        if grid is None:
            return "no track is open yet"
        if not grid.beats.size:
            return "no beat was found in this recording"
        where = "found by the tracker" if not self.saved else "saved as this track's corrected grid"
        if self.draft is not None:
            last, before = self.draft.corrections[-1], len(self.draft.corrections) - 1
            where = f"not saved: {last}{f', and {before} before it' if before else ''}"
        bars = grid.downbeat_indices.size
        return f"{grid.tempo_bpm:.1f} bpm · {grid.beats_per_bar} beats a bar · {bars} bars · {where}"


def tempo_steps(grid: BeatGrid) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Times of the beats but the last, s, and the tempo from each to the next, bpm; then the same of the bar lines."""
    beats, lines = grid.beats, grid.downbeat_indices
    each = 60.0 / np.diff(beats) if beats.size > 1 else np.zeros(0)
    if lines.size < 2:
        return beats[:-1], each, np.zeros(0), np.zeros(0)
    return beats[:-1], each, beats[lines[:-1]], 60.0 * np.diff(lines) / np.diff(beats[lines])


def thinned(numbers: IntArray, width: int, least_pixels: float) -> IntArray:
    """Which of consecutive numbers are drawn: every one, second, fourth, …, so that there is room."""
    step = 1
    while numbers.size * least_pixels > step * width:
        step *= 2
    return np.asarray(numbers[numbers % step == 0])


class BeatsPicture(Picture):
    """Waveform or spectrogram, onsets and tempo, with the grid over all of them."""

    def __init__(self, state: BeatsState) -> None:
        self.state = state
        self.sound: LongSound | None = None
        self.kind = "waveform"
        shared = Range1d(start=0.0, end=60.0)
        self.wave = time_chart(196, shared, -1.0, 1.0, "waveform")
        self.onsets = time_chart(92, shared, 0.0, 1.0, "onsets")
        self.tempo = time_chart(132, shared, 60.0, 180.0, "tempo, bpm", last=True)
        super().__init__(self.wave, self.onsets, self.tempo)
        self._draw()
        self._add_playheads("beats-playhead")
        self.grips = [self._grip(), self._grip()]
        """tools that drag beats: on the waveform and on the onsets"""
        for figure, select in zip(self.figures, [*self.grips, BoxSelectTool()], strict=True):
            select.update(dimensions="width", renderers=[])
            figure.add_tools(select)
            figure.toolbar.active_drag = select
            figure.js_on_event("selectiongeometry", LoopOver())
        self.follow = ViewFollower(self.wave, self.show_view)

    def show(self) -> None:
        """Show another recording, from its beginning."""
        analysis = self.state.analysis
        if analysis is not None:
            self.wave.x_range.bounds = (0.0, analysis.duration)
            self.look_at(0.0, VIEWS[FIRST_VIEW])
        self.show_grid()
        self.show_view()

    def look_at(self, place: float, seconds: float) -> None:
        """Show a stretch, with a place a tenth from its beginning."""
        if self.state.analysis is not None:
            duration = self.state.analysis.duration
            seconds = min(seconds, duration)
            start = min(max(0.0, place - 0.1 * seconds), duration - seconds)
            self.wave.x_range.update(start=start, end=start + seconds)

    def on_moved(self, act: Callable[[float, float], None]) -> None:
        """Call a function with where a beat was and where it was let go of, s."""

        def follow(tool: BeatTool) -> None:
            def answer(attr: str, old: list[float], new: list[float]) -> None:
                from_s, to_s, count = new
                act(from_s, to_s)
                tool.update(taken=count)

            tool.on_change("moved", answer)

        for tool in self.grips:
            follow(tool)

    def snap(self, *, on: bool) -> None:
        """Let beats that are dragged snap to onsets, or only while shift is held."""
        for tool in self.grips:
            tool.update(snaps=on)

    def mark(self, region: Sequence[float]) -> None:
        """Show the stretch that is selected; none where it is empty."""
        self._spans("region", [region] if region else [])

    def show_grid(self) -> None:
        """Send what does not depend on the view: the tempo."""
        grid = self.state.grid
        if grid is None or grid.beats.size < 2:
            self._set("each", x=[], y=[])
            self._set("bar", x=[], y=[])
            return
        each_at, each, bar_at, bar = tempo_steps(grid)
        self._set("each", x=each_at, y=each)
        self._set("bar", x=bar_at, y=bar)
        middle = grid.tempo_bpm
        reach = max(4.0, 1.3 * float(np.quantile(np.abs(each - middle), 0.98)))
        if bar.size:  # a beat that is out of line may be out of view, but never a bar
            reach = max(reach, 1.1 * float(np.abs(bar - middle).max()))
        self.tempo.y_range.update(start=max(0.0, middle - reach), end=middle + reach)

    def show_view(self) -> None:
        """Send the part in view, as fine as the screen."""
        analysis, grid = self.state.analysis, self.state.grid
        if analysis is None or grid is None:
            self._empty("wave", "image", "onsets", "beats", "bars", "numbers")
            return
        first, last, columns = self.follow.stretch(analysis.duration)
        self._show_sound(first, last, columns)
        self._show_onsets(analysis, first, last, columns)
        inside = (grid.beats >= first) & (grid.beats < last)
        few = np.count_nonzero(inside) * _BEAT_PIXELS <= columns
        bars = np.flatnonzero((grid.downbeats >= first) & (grid.downbeats < last))
        lines = grid.downbeat_indices[thinned(bars, columns, _BAR_PIXELS)]
        low, high = room_of_beats(grid, analysis.duration)
        for name, drawn in (("beats", np.flatnonzero(inside & (grid.positions != 1) & few)), ("bars", lines)):
            self._set(name, x=grid.beats[drawn], low=low[drawn], high=high[drawn])
        for tool in self.grips:
            tool.update(onsets=self._onsets_from(analysis, first, last) if few else [])
        named = thinned(bars, columns, _NUMBER_PIXELS)
        edge = self.follow.view[1]  # which would cut a number off
        named = named[(grid.downbeats[named] >= edge) | (grid.downbeats[named] < edge - self._seconds(_NUMBER_WIDTH))]
        self._set("numbers", x=grid.downbeats[named], text=[str(bar + 1) for bar in named])

    def _seconds(self, pixels: float) -> float:
        start, end = self.follow.view
        return pixels * (end - start) / self.follow.width

    def _show_sound(self, first: float, last: float, columns: int) -> None:
        if self.sound is None or last <= first:
            self._empty("wave", "image")
        elif self.kind == "spectrogram":
            levels = self.sound.spectrogram(first, last, min(columns, 1200), rows=96)
            self._set("image", image=[levels.astype(np.float32)], x=[first], dw=[last - first])
            self._empty("wave")
        else:
            times, lows, highs = self.sound.envelope(first, last, columns)
            self._set("wave", x=times, low=lows, high=highs)
            self._empty("image")

    def _show_onsets(self, analysis: Analysis, first: float, last: float, columns: int) -> None:
        rate, attack = analysis.beat_analysis.frames_per_second, analysis.beat_analysis.attack
        begin, end = max(0, int(first * rate)), min(attack.size, int(np.ceil(last * rate)) + 1)
        if end <= begin:
            self._set("onsets", x=[], y=[])
            return
        edges = np.linspace(begin, end, min(columns, end - begin) + 1).astype(np.int64)[:-1]
        top = max(1e-6, float(np.quantile(attack, 0.999)))
        highest = np.maximum.reduceat(attack[:end], edges) / top
        self._set("onsets", x=edges / rate, y=np.minimum(highest, 1.0))

    @staticmethod
    def _onsets_from(analysis: Analysis, first: float, last: float) -> list[float]:
        rate, attack = analysis.beat_analysis.frames_per_second, analysis.beat_analysis.attack
        begin = int(first * rate)
        times: list[float] = (begin / rate + onset_times(attack[begin : int(np.ceil(last * rate))], rate)).tolist()
        return times

    def _grip(self) -> BeatTool:
        return BeatTool(
            beats=self._sources["beats"], bars=self._sources["bars"], ghost=self._sources["held"],
            colors=[BEAT, DOWNBEAT],
        )  # fmt: skip

    def _draw(self) -> None:
        wave, onsets, tempo = self.figures
        image = self._source("image", "image", "x", "dw")
        levels = LinearColorMapper(palette=Viridis256, low=_QUIETEST_DB, high=_LOUDEST_DB)
        wave.image("image", x="x", y=-1.0, dw="dw", dh=2.0, source=image, color_mapper=levels)
        for figure in self.figures:
            self._band(figure, "region", -1e4, 1e4, color=BEAT, alpha=0.22)
        sound = wave.varea("x", "low", "high", source=self._source("wave", "x", "low", "high"))
        self._tint(sound.glyph, "fill_color", PLAYED)
        onsets.varea("x", 0, "y", source=self._source("onsets", "x", "y"), color=ONSET)
        beats, bars = (self._source(name, "x", "low", "high") for name in ("beats", "bars"))
        held = self._source("held", "x", "text", "color", "align", "offset")
        drawn = wave.segment(
            "x", -0.8, "x", 0.8, source=beats, color=BEAT, line_width=1.2, line_dash="3 2", legend_label="beat"
        )
        self._shade(drawn.glyph, "line_alpha", _beat_alpha)
        wave.segment("x", -1.0, "x", 1.0, source=bars, color=DOWNBEAT, line_width=1.6, legend_label="downbeat, bar")
        onsets.segment("x", 0.0, "x", 1.0, source=beats, color=BEAT, line_width=1.0, line_dash="3 2")
        onsets.segment("x", 0.0, "x", 1.0, source=bars, color=DOWNBEAT, line_width=1.5)
        numbers = wave.text(
            "x", 1.0, "text", source=self._source("numbers", "x", "text"), text_font_size="11px", x_offset=3,
            text_baseline="top", y_offset=1, padding=1,
        )  # fmt: skip
        wave.segment("x", -1.0, "x", 1.0, source=held, color="color", line_width=3)
        onsets.segment("x", 0.0, "x", 1.0, source=held, color="color", line_width=3)
        where = wave.text(
            "x", -1.0, "text", source=held, text_font_size="12px", text_align="align", x_offset="offset",
            text_baseline="bottom", padding=3,
        )  # fmt: skip
        self._text(where.glyph, 0.9)
        self._text(numbers.glyph, 0.85)
        tempo.step("x", "y", source=self._source("each", "x", "y"), mode="after", color=BEAT, legend_label="each beat")
        tempo.step(
            "x", "y", source=self._source("bar", "x", "y"), mode="after", color=DOWNBEAT, line_width=2,
            legend_label="each bar",
        )  # fmt: skip
        flat_legend(wave)
        flat_legend(tempo)
        for figure in (wave, onsets):
            figure.yaxis.ticker = []
            figure.ygrid.visible = False


def _beat_alpha(*, dark: bool) -> float:
    """Opacity of the lines of beats: on a dark page the same grey stands out less."""
    return 0.9 if dark else 0.75


class TapPad(JSComponent):
    """A button that is tapped along with the music."""

    playhead = param.String("", doc="name of the Bokeh span that the player moves")
    tapped = param.List([], doc="taps, s, and a count, once they rest")

    _esm = script("keys", "taps")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("taps")]


_AT_PLAYHEAD: tuple[tuple[str, str, str, Callable[[BeatGrid, float], BeatGrid]], ...] = (
    ("Downbeat here", "the beat at the playhead opens a bar, and whole bars are counted on from it", "a bar opens",
     open_bar),
    ("+ Beat", "at the playhead", "a beat more", add_beat),
    ("− Beat", "nearest to the playhead", "a beat less", delete_beat),
)  # fmt: skip
"""label, tip, words and correction of each button that acts at the playhead"""
_MOVES = (("◀ Beat", "the beat nearest to the playhead earlier; it can be dragged too", -1),
          ("Beat ▶", "the beat nearest to the playhead later; it can be dragged too", 1))  # fmt: skip
"""label, tip and way of each button that moves the beat at the playhead by the milliseconds that are set"""


class PlaceButtons(JSComponent):
    """Buttons that send the time of the player with each press."""

    acts = param.List([], doc="label and tip of each")
    pressed = param.List([], doc="number of the button, s or None, and a count")

    _esm = script("clock", "places")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("taps")]


class BeatsTab(Tab):
    """The beats of the track, shown, played and corrected."""

    title = "Beats"

    def __init__(self, session: Session) -> None:
        self.state = BeatsState()
        self.picture = BeatsPicture(self.state)
        super().__init__(session, self.picture)
        self._clicking: Task | None = None
        self.player = self.program = Program(
            clock="track",
            playheads=self.picture.playheads,
            labels=["plain", "clicks"],
            gain_a_db=CLICK_GAIN_DB,
            keys=[["t", "tap each beat along with the music; a rest puts the taps into the grid"]],
        )
        self.kind = pmui.RadioButtonGroup(options=["waveform", "spectrogram"], value="waveform", size="small", margin=4)
        self.span = pmui.RadioButtonGroup(options=list(VIEWS), value=FIRST_VIEW, size="small", margin=4)
        self.clicks = pmui.Switch(label="Click track", value=False, margin=(0, 4))
        self.metre = pmui.Select(
            label="beats a bar", options=list(METRES), value=4, size="small", width=100, margin=_BESIDE_FIELD
        )
        # One line, however much it says, where there is room for one: the buttons below stay where they are.
        self.facts = pmui.Typography(
            "", variant="body2", margin=(9, 8), styles=beside(320),
            sx={"overflow": "hidden", "textOverflow": "ellipsis", "whiteSpace": {"xs": "normal", "lg": "nowrap"}},
        )  # fmt: skip
        self.sure = pmui.Typography("", variant="body2", margin=(9, 8))
        self.taps = TapPad(playhead=self.picture.playheads[0], margin=_BESIDE_FIELD)
        self.places = PlaceButtons(
            acts=[[label, tip] for label, tip, *_ in (*_AT_PLAYHEAD, *_MOVES)], margin=_BESIDE_FIELD
        )
        self.snap = pmui.Switch(label="Snap to onsets", value=False, margin=(0, 4))
        self.nudge = number_field("ms", 10, low=1, high=500, width=72, margin=(8, 4, 4, 4))
        self.touched = pmui.Typography("", variant="body2", margin=(0, 10), sizing_mode="stretch_width")
        self._right = self._button("This grid is right", self.confirm, tip="keep it as it is, as sure as one by hand")
        self._save = self._button("Save as the track's grid", self.save, variant="contained")
        self._revert = self._button("Back to the tracker's grid", self.forget)
        self.kind.param.watch(lambda event: self._draw_as(event.new), "value")
        self.span.param.watch(lambda event: self.picture.look_at(self.player.time, VIEWS[event.new]), "value")
        self.player.param.watch(lambda event: self._turn_page(event.new), "time")
        self.clicks.param.watch(lambda event: self._click(on=event.new), "value")
        self.metre.param.watch(lambda event: self._count_in(event.new), "value")
        self.player.param.watch(lambda event: self.clicks.param.update(value=event.new == "b"), "chosen")
        self.player.param.watch(lambda event: self.picture.mark(event.new), "region")
        self.taps.param.watch(lambda event: self.tap(event.new[:-1]), "tapped")
        self.places.param.watch(lambda event: self._press(*event.new[:2]), "pressed")
        self.snap.param.watch(lambda event: self.picture.snap(on=event.new), "value")
        self.picture.on_moved(self.move)
        self.follow_shown(["analysis", "track", "shown"], self._take)
        self.follow_shown(["grid_draft"], self._take_draft)
        self.follow_shown(["track_sound"], self._take_sound)

    def _take(self, analysis: Analysis | None, *_: object) -> None:
        session = self._session
        corrected = None
        if analysis is not None:
            corrected = session.find(corrected_grid, session.workspace, analysis.content_hash)
        before = self.state.analysis
        if analysis is before and analysis is not None and self.state.saved == (corrected is not None):
            return
        same = analysis is not None and before is not None and analysis.content_hash == before.content_hash
        self.state.take(analysis, saved=corrected is not None, draft=session.grid_draft)
        self.player.duration = 0.0 if analysis is None else analysis.duration
        self._show(whole=not same)

    def correct(self, words: str, correction: Callable[[BeatGrid], BeatGrid]) -> None:
        """Try a correction, and see and hear it."""
        with self._session.change(f"grid: {words}"):
            if self.attempt(self.state.correct, words, correction):
                self._session.grid_draft = self.state.draft

    def _take_draft(self, draft: GridDraft | None) -> None:
        """Look at corrections that were made, undone or done again, whichever window it was in."""
        self.state.take_draft(draft)
        self._show()

    def correct_stretch(
        self,
        words: str,
        in_stretch: Callable[[BeatGrid, float, float], BeatGrid],
        everywhere: Callable[[BeatGrid], BeatGrid],
    ) -> None:
        """Try a correction of the stretch that is selected, or of all of the grid."""
        region = self.player.region
        if len(region) != 2:
            self.correct(words, everywhere)
            return
        first, last = float(region[0]), float(region[1])
        self.correct(f"{words} {clock(first)} to {clock(last)}", lambda grid: in_stretch(grid, first, last))

    def shift(self, way: int) -> None:
        """Shift the beats of the stretch that is selected, or all of them, later (1) or earlier (-1), as is set."""
        by = way * int(self.nudge.value or 0)
        words = f"beats {abs(by)} ms {'later' if by > 0 else 'earlier'}"
        self.correct_stretch(
            words,
            lambda grid, first, last: shift_beats(grid, by / 1000, first, last),
            lambda grid: shift_beats(grid, by / 1000),
        )

    def tap(self, taps: Sequence[float]) -> None:
        """Put taps, two at least, into the grid, moved onto the onsets that they were meant for."""
        analysis = self.state.analysis
        if analysis is None:
            return
        detected = analysis.beat_analysis
        settled = settle_taps(np.array(taps), detected.attack, detected.frames_per_second)
        words = f"tapped {clock(float(settled[0]))} to {clock(float(settled[-1]))}"
        self.correct(words, lambda grid: tap_beats(grid, settled))

    def at_playhead(
        self, words: str, correction: Callable[[BeatGrid, float], BeatGrid], at: float | None = None
    ) -> None:
        """Try a correction at the playhead, which is `at` or where the player last reported."""
        place = float(self.player.time if at is None else at)
        self.correct(f"{words} at {clock(place)}", lambda grid: correction(grid, place))

    def move(self, from_s: float, to_s: float) -> None:
        """Move the beat nearest to the first time to the second."""
        by_ms = round(1000 * (to_s - from_s))
        words = f"beat at {clock(from_s)} moved {abs(by_ms)} ms {'later' if by_ms > 0 else 'earlier'}"
        self.correct(words, lambda grid: move_beat(grid, from_s, to_s))

    def _press(self, number: int, at: float | None) -> None:
        number = int(number)
        if number < len(_AT_PLAYHEAD):
            _, _, words, correction = _AT_PLAYHEAD[number]
            self.at_playhead(words, correction, at)
            return
        grid, way = self.state.grid, _MOVES[number - len(_AT_PLAYHEAD)][2]
        if grid is not None and grid.beats.size:
            place = float(self.player.time if at is None else at)
            beat = float(grid.beats[np.argmin(np.abs(grid.beats - place))])
            self.move(beat, beat + way * int(self.nudge.value or 0) / 1000)

    def confirm(self) -> None:
        """Keep the grid that is shown as the track's, as sure as one set by hand."""
        analysis, grid = self.state.analysis, self.state.grid
        if analysis is None or grid is None:
            return
        if not grid.downbeats.size:
            self._session.message = "no bars were found in this track, so there is nothing to confirm: tap them first"
            return
        self._keep(analysis, grid, self.state.note or "confirmed")

    def save(self) -> None:
        """Keep the grid as the track's, and plan again on it."""
        analysis, grid = self.state.analysis, self.state.grid
        if analysis is not None and grid is not None and self.state.changed:
            self._keep(analysis, grid, self.state.note)

    def _keep(self, analysis: Analysis, grid: BeatGrid, note: str) -> None:
        with self._session.change(f"grid saved: {note}"):
            if self.attempt(save_grid, self._session.workspace, analysis.content_hash, grid, note):
                self.state.saved, self.state.saved_grid = True, grid
                self.state.take_draft(None)
                self._session.grid_draft = None
                self._show()
                self._session.replan()

    def forget(self) -> None:
        """Go back to the grid that the tracker detected, and plan again on it where another one was saved."""
        analysis = self.state.analysis
        if analysis is None:
            return
        with self._session.change("grid: the tracker's"):
            self._session.grid_draft = None
            if self.state.saved and self.attempt(delete_grid, self._session.workspace, analysis.content_hash):
                self._session.replan()

    def panel(self) -> pn.viewable.Viewable:
        """Facts, corrections, transport, pictures."""
        line: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (0, 6)}
        view = pmui.FlexBox(self.kind, self.span, self.clicks, self.snap, self.facts, self.sure, **line)
        tools = pmui.FlexBox(
            self._button(
                "◀ Downbeat", partial(self.correct, "bars a beat earlier", partial(shift_bar, beats=-1)),
                tip="every bar begins one beat earlier; the beats stay",
            ),
            self._button(
                "Downbeat ▶", partial(self.correct, "bars a beat later", shift_bar),
                tip="every bar begins one beat later; the beats stay",
            ),
            self._button(
                "½ Tempo", partial(self.correct_stretch, "half the tempo", halve_stretch, halve_tempo),
                tip="every other beat is dropped, in the selected stretch or everywhere",
            ),
            self._button(
                "2× Tempo", partial(self.correct_stretch, "twice the tempo", double_stretch, double_tempo),
                tip="a beat between every two is added, in the selected stretch or everywhere",
            ),
            self.metre, self._save, self._right, self._revert, **line,
        )  # fmt: skip
        edits = pmui.FlexBox(
            self.taps, self.places,
            self._button("◀ Shift", partial(self.shift, -1), tip="beats earlier, of the selected stretch or all"),
            self.nudge,
            self._button("Shift ▶", partial(self.shift, 1), tip="beats later, of the selected stretch or all"),
            pmui.Typography(
                "Drag a beat to move it; with shift held it goes from onset to onset. Drag beside the beats to select.",
                variant="caption", margin=(17, 4, 4, 4),
            ),
            **line,
        )  # fmt: skip
        figures = self.picture.panes(*_SHARES, margin=0)
        return pmui.Column(view, tools, self.touched, edits, *figures, sizing_mode="stretch_width")

    @staticmethod
    def _button(label: str, act: Callable[[], None], variant: str = "outlined", tip: str = "") -> pmui.Button:
        return action(label, act, tip=tip, variant=variant, margin=_BESIDE_FIELD)

    def _show(self, *, whole: bool = False) -> None:
        state, grid = self.state, self.state.grid
        by_hand = state.changed or state.saved
        self._right.disabled = grid is None or (state.saved and not state.changed)
        confidence = 0.0 if grid is None else grid.confidence
        self.facts.object = state.facts()
        # A grid set by hand is certain by definition; what the tracker was sure of does not apply to it.
        self.sure.object = "" if grid is None else "set by hand" if by_hand else f"confidence {confidence:.2f}"
        self._save.disabled = not state.changed
        self._revert.disabled = not by_hand
        self.touched.object = self._touches()
        self.touched.visible = bool(self.touched.object)
        if grid is not None and grid.beats_per_bar in METRES:
            self.metre.value = grid.beats_per_bar
        if whole:
            self.picture.show()
        else:
            self.picture.show_grid()
            self.picture.show_view()
        self._click(on=self.clicks.value)

    def _touches(self) -> str:
        """Which other projects a change of the track's grid touches; empty for none."""
        session = self._session
        if session.track is None:
            return ""
        own = None if session.project is None else session.project.project_id
        found = session.find(projects_on_track, session.workspace, session.track) or []
        others = [project for project in found if project.project_id != own]
        if not others:
            return ""
        return (
            "The grid belongs to the track: saving another one, or going back, changes it in "
            f"{projects_in_words(others)} too. Saved plans stay until they are planned again."
        )

    def _turn_page(self, time: float) -> None:
        start, end = self.picture.follow.view
        if self.player.playing and not start <= time < end:
            self.picture.look_at(time, end - start)

    def _count_in(self, beats_per_bar: int) -> None:
        if self.state.grid is not None and beats_per_bar != self.state.grid.beats_per_bar:
            self.correct(f"{beats_per_bar} beats a bar", lambda grid: with_metre(grid, beats_per_bar))

    def _draw_as(self, kind: str) -> None:
        self.picture.kind = kind
        self.picture.show_view()

    def _take_sound(self, sound: LongSound | None) -> None:
        self.picture.sound = sound
        self.player.param.update(music_a="" if sound is None else self._session.url_of(sound.path), music_b="")
        self.picture.show_view()
        self._click(on=self.clicks.value)

    def _click(self, *, on: bool) -> None:
        """Put the grid's clicks into the other option; the ones before play until these are there."""
        track, grid = self._session.track, self.state.grid
        if not on or track is None or grid is None:
            self.player.param.update(chosen="a", music_b="")
            return
        if self._clicking is not None:
            self._clicking.cancel()

        def play(path: Path) -> None:
            self.player.param.update(music_b=self._session.url_of(path))
            self.player.chosen = "b" if self.clicks.value else "a"

        self._clicking = self.run(
            clicked_file, track.path, grid, on_result=play, is_current=lambda: grid is self.state.grid,
            subject=str(track.path),
        )  # fmt: skip
