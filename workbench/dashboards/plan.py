"""The Plan tab: a video from its pictures down to the track that plays under it, heard while it is looked at.

One figure on the video's clock, lanes from top to bottom: pictures; the soundtrack, with speech; gain of the music
and how far it makes way; the music as it is heard; the segments as blocks, and ribbons that lead down to where they lie
in the track. What depends on the view (envelopes, pictures, bars, names) is made anew for each view, no finer than the
screen; all else is sent once.

Classes: `PlanState`, what is shown and heard, without widgets; `PlanPicture`; `PlanTab`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import log10
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.core.properties import value
from bokeh.models import (
    BoxSelectTool,
    FixedTicker,
    Range1d,
    WheelPanTool,
    WheelZoomTool,
)
from bokeh.plotting import figure as new_bokeh_figure
from panel.custom import JSComponent

from workbench.audition.plans import (
    RenderedOption,
    TimelineVideo,
    load_video,
    matching_gains,
    render_option,
    video_times_of,
)
from workbench.audition.seams import with_option_first
from workbench.dashboards.charts import clock_ticker, ink_and_rule, ink_on, on_page, paper, playhead_colour
from workbench.dashboards.figures import ClockTickFormatter, LoopOver, ShowAll
from workbench.dashboards.seams import SeamChips, worst_of
from workbench.dashboards.session import Session
from workbench.dashboards.styles import ASSETS, growing, stylesheet
from workbench.dashboards.transport import TransportBar, playhead, seek_on_tap
from workbench.dashboards.views import MOST_COLUMNS, FigureView, LongSound, video_row
from workbench.loops.plan import LoopPlan
from workbench.loops.profile import TrackSection
from workbench.loops.refusals import Refusal
from workbench.plots.palette import BEAT, DOWNBEAT, DUCK, ENDING, HEARD, VOICE, clock, group_colour
from workbench.plots.plan import gain_curve, track_pieces
from workbench.recording import FloatArray
from workbench.workflows.loop import Loop
from workbench.workflows.seams import planned_scores

_MATCH_SECONDS = 5.0
"""to either side of the playhead, over which A and B are made equally loud where no loop is set"""
_FLOOR_DB = -24.0
_MARGIN = 0.5
"""of the view's width that is sent to either side, so that panning shows something at once"""
_names = count()


@dataclass(eq=False)
class PlanState:
    """Which options are compared, and what is known of them; no widgets."""

    loop: Loop | None = None
    video: TimelineVideo | None = None
    a: int = 0
    b: int | None = None
    chosen: str = "a"
    heard: dict[int, RenderedOption] = field(default_factory=dict)
    sounds: dict[int, LongSound] = field(default_factory=dict)
    soundtrack: LongSound | None = None

    @property
    def options(self) -> tuple[LoopPlan, ...]:
        """The options of the plan, best first; empty while there is none, or a refusal."""
        if self.loop is None or isinstance(self.loop.answer, Refusal):
            return ()
        return self.loop.answer.options or (self.loop.answer,)

    @property
    def shown(self) -> int:
        """Number of the option that is looked at and heard."""
        return self.b if self.chosen == "b" and self.b is not None else self.a

    @property
    def plan(self) -> LoopPlan | None:
        """The option that is looked at and heard."""
        return self.options[self.shown] if self.options else None

    @property
    def sections(self) -> Sequence[TrackSection]:
        """Of the track."""
        return () if self.loop is None or self.loop.analysis is None else self.loop.analysis.profile.sections

    @property
    def scores(self) -> tuple[float | None, ...]:
        """Of the seams of the option that is looked at; None where the planner left none."""
        if self.plan is None or self.loop is None or self.loop.analysis is None:
            return ()
        return planned_scores(self.plan, self.loop.analysis)

    def take(self, loop: Loop | None) -> None:
        """Look at another plan; what was heard of the one before is forgotten."""
        same_video = loop is not None and self.loop is not None and loop.video == self.loop.video
        self.loop, self.a, self.b, self.chosen = loop, 0, None, "a"
        self.heard, self.sounds = {}, {}
        if not same_video:
            self.video = self.soundtrack = None

    def pick(self, option: int, name: str) -> None:
        """Compare an option as A or B, and look at it; the same option cannot be both."""
        if name == "a":
            self.a, self.b = option, (None if self.b == option else self.b)
        elif option != self.a:
            self.b = option
        self.chosen = name if name == "a" or self.b is not None else "a"

    def matching(self, at: float, region: Sequence[float]) -> tuple[float, float]:
        """Gains that make A and B equally loud in the loop, or around a place."""
        a, b = self.heard.get(self.a), self.heard.get(-1 if self.b is None else self.b)
        if a is None or b is None:
            return 0.0, 0.0
        first, last = region if len(region) == 2 else (at - _MATCH_SECONDS, at + _MATCH_SECONDS)
        return matching_gains(a, b, max(0.0, first), last)

    def headroom_db(self) -> float:
        """Gain under which soundtrack and music together cannot clip, whatever meets."""
        highest = 0.0
        for heard in self.heard.values():
            music = heard.levels.peak * 10.0 ** (heard.music_gain_db / 20.0)
            soundtrack = 0.0 if self.video is None else self.video.soundtrack.soundtrack.peak
            highest = max(highest, music + soundtrack * 10.0 ** (heard.soundtrack_gain_db / 20.0))
        return -max(0.0, 20.0 * log10(highest)) if highest > 0.0 else 0.0

    def facts(self) -> list[dict[str, Any]]:
        """What the cards say of each option."""
        told = []
        for plan in self.options:
            total = plan.window_end
            pieces = [
                (first / total, last / total, colour) for first, last, colour, _ in played_pieces(plan, self.sections)
            ]
            seams = len(plan.seam_times)
            body = f"{plan.bars} bars × {plan.repeats}"
            words = f"{seams} seam{'s' if seams != 1 else ''}, worst {plan.seam_score:.2f} · {body} · {plan.end_label}"
            told.append(
                {
                    "pieces": pieces,
                    "seams": [time / total for time in plan.seam_times],
                    "score": f"{plan.plan_score:.2f}",
                    "words": words,
                    "title": f"{words}; parts of the track: {', '.join(plan.sections_covered)}",
                }
            )
        return told


def played_pieces(plan: LoopPlan, sections: Sequence[TrackSection]) -> list[tuple[float, float, str, str]]:
    """What is played, cut at section borders: from and to in video seconds, colour, name."""
    pieces = []
    for start, segment in zip(plan.segment_starts, plan.segments, strict=False):
        shift = float(start) - segment.song_from
        for first, last, section in track_pieces(segment.song_from, segment.song_to, sections):
            colour = group_colour(section.group) if section else "#BBBBBB"
            pieces.append((first + shift, last + shift, colour, section.label if section else ""))
    return pieces


class OptionCards(JSComponent):
    """The options side by side."""

    options = param.List([])
    a = param.Integer(0)
    b = param.Integer(-1)
    shown = param.Integer(0)
    picked = param.List([], doc="[option, 'a', 'b' or 'use', n]")

    _esm = ASSETS / "options.js"
    _stylesheets: ClassVar[list[Any]] = [stylesheet("options")]


@dataclass(frozen=True, slots=True)
class Band:
    """Height of a lane in the figure."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Between both."""
        return (self.low + self.high) / 2

    def at(self, values: FloatArray, low: float, high: float) -> FloatArray:
        """Values of a range as heights in the lane."""
        share = np.clip((values - low) / (high - low), 0.0, 1.0)
        return np.asarray(self.low + share * (self.high - self.low))


_LANES = {
    "video": Band(368, 428), "soundtrack": Band(296, 360), "gain": Band(228, 286), "music": Band(134, 220),
    "heard": Band(104, 130), "ribbons": Band(34, 104), "track": Band(8, 34),
}  # fmt: skip
_HEIGHT = 432.0
_LANE_NAMES = {
    "video": "video",
    "soundtrack": "soundtrack",
    "gain": "gain, dB",
    "music": "music",
    "heard": "plan",
    "track": "track",
}


class PlanPicture(FigureView):
    """The figure, and what of it follows the view."""

    def __init__(self, state: PlanState) -> None:
        super().__init__()
        self.state = state
        self.name = f"plan-playhead-{next(_names)}"
        self.width = 1200
        self.height = round(_HEIGHT)
        """pixels of the view, once the browser has told them"""
        self.view = Range1d(start=0.0, end=60.0)
        self.figure = new_bokeh_figure(
            height=470, sizing_mode="stretch_width", x_range=self.view, y_range=Range1d(start=0.0, end=_HEIGHT),
            tools="", toolbar_location=None, min_border_left=62, min_border_right=12, min_border_top=2,
            output_backend="canvas", lod_threshold=None,
        )  # fmt: skip
        self._texts: list[Any] = []
        self._strong: list[Any] = []
        self._tinted: list[tuple[Any, str, str]] = []
        self._draw()
        self.ink(dark=False)

    def ink(self, *, dark: bool) -> None:
        """Colours of letters and lines for a light or a dark page."""
        ink, rule = ink_and_rule(dark=dark)
        figure = self.figure
        figure.background_fill_color = figure.border_fill_color = None
        figure.outline_line_color = None
        figure.grid.visible = False
        for axis in figure.axis:
            axis.axis_line_color = axis.major_tick_line_color = rule
            axis.minor_tick_line_color = None
            axis.major_label_text_color = ink
            axis.major_label_text_font_size = "12px"
            axis.major_label_text_font = "system-ui, DejaVu Sans, sans-serif"
        for glyph in self._texts:
            glyph.text_color = ink
        for glyph in self._strong:
            glyph.line_color = ink
        for glyph, part, colour in self._tinted:
            setattr(glyph, part, on_page(colour, dark=dark))
        self._ending.background_fill_color = paper(dark=dark)
        self._playhead.line_color = playhead_colour(dark=dark)

    def show(self) -> None:
        """Send all of the option that is looked at, seen as a whole."""
        plan = self.state.plan
        if plan is None:
            self._empty()
            return
        self.view.update(start=0.0, end=plan.window_end, bounds=(-1.0, plan.window_end + 1.0))
        self.show_plan()
        self.show_view()

    def show_plan(self) -> None:
        """Send what does not depend on the view."""
        plan, state = self.state.plan, self.state
        if plan is None:
            return
        pieces = played_pieces(plan, state.sections)
        self._set("pieces", left=[p[0] for p in pieces], right=[p[1] for p in pieces], color=[p[2] for p in pieces])
        self._set(
            "sections", left=[s.song_from for s in state.sections], right=[s.song_to for s in state.sections],
            color=[group_colour(s.group) for s in state.sections],
        )  # fmt: skip
        self._ribbons(plan)
        self._seams(plan)
        self._set(
            "end", left=[plan.music_end], right=[plan.window_end], label=[f"{plan.end_label} {clock(plan.music_end)}"]
        )
        speech: Sequence[Sequence[float]] = ()
        if state.video is not None:
            speech = state.video.soundtrack.soundtrack.speech_ranges
        self._set("speech", left=[float(s[0]) for s in speech], right=[float(s[1]) for s in speech])
        self._gains(plan)

    def _seams(self, plan: LoopPlan) -> None:
        times, fades = np.array(plan.seam_times), np.array(plan.seam_fades)
        worst = worst_of(self.state.scores)
        others, named = [n for n in range(times.size) if n != worst], [] if worst is None else [worst]
        self._set("seams", x=times[others], number=[str(n + 1) for n in others])
        self._set("worst", x=times[named], number=[f"{n + 1} worst" for n in named])
        self._set("fades", left=times - fades / 2, right=times + fades / 2)

    def mark(self, region: Sequence[float]) -> None:
        """Show the stretch that is looped, or none."""
        self._set("region", left=list(region[:1]), right=list(region[1:]))

    def show_view(self) -> None:
        """Send what is in view, as fine as the screen."""
        plan, state = self.state.plan, self.state
        if plan is None:
            return
        start, end = self._seen()
        width = self.width
        reach = _MARGIN * (end - start)
        first, last = max(0.0, start - reach), min(plan.window_end, end + reach)
        columns = round(width * max(1e-3, last - first) / max(1e-3, end - start))
        self._envelope("music", state.sounds.get(state.shown), first, last, columns)
        self._envelope("soundtrack", state.soundtrack, first, last, columns)
        if state.video is not None and last > first:
            band = _LANES["video"]
            pixels = round((band.high - band.low) / _HEIGHT * self.height)
            picture = video_row(state.video.tiles, first, last, min(columns, MOST_COLUMNS), pixels)
            self._set("video", image=[picture], x=[first], y=[band.low], dw=[last - first], dh=[band.high - band.low])
        self._bars(plan, start, end, width)
        self._labels(plan, start, end, width)

    def _seen(self) -> tuple[float, float]:
        """The view, video seconds."""
        start, end = np.array([self.view.start, self.view.end], dtype=np.float64)
        return float(start), float(end)

    def _envelope(self, lane: str, sound: LongSound | None, first: float, last: float, columns: int) -> None:
        if sound is None:
            self._set(lane, x=[], low=[], high=[])
            return
        times, lows, highs = sound.envelope(first, last, columns)
        band = _LANES[lane]
        self._set(lane, x=times, low=band.at(lows, -1.0, 1.0), high=band.at(highs, -1.0, 1.0))

    def _bars(self, plan: LoopPlan, start: float, end: float, width: float) -> None:
        loop = self.state.loop
        if loop is None or loop.analysis is None:
            return
        grid = loop.analysis.grid
        for name, times in (("bars", grid.downbeats), ("beats", grid.beats)):
            heard = video_times_of(plan, np.asarray(times))
            inside = heard[(heard >= start) & (heard <= end)]
            crowded = inside.size * 6 > width
            self._set(name, x=[] if crowded else inside)

    def _labels(self, plan: LoopPlan, start: float, end: float, width: float) -> None:
        blocks = [(*piece, "heard") for piece in played_pieces(plan, self.state.sections)]
        blocks += [(s.song_from, s.song_to, group_colour(s.group), s.label, "track") for s in self.state.sections]
        x, y, text, ink = [], [], [], []
        for first, last, colour, label, lane in blocks:
            seen_from, seen_to = max(first, start), min(last, end)
            if (seen_to - seen_from) / max(1e-9, end - start) * width > 7.2 * len(label) + 6:
                x.append((seen_from + seen_to) / 2)
                y.append(_LANES[lane].middle)
                text.append(label)
                ink.append(ink_on(colour))
        self._set("labels", x=x, y=y, text=text, ink=ink)

    def _ribbons(self, plan: LoopPlan) -> None:
        band, xs, ys, colours = _LANES["ribbons"], [], [], []
        for start, segment in zip(plan.segment_starts, plan.segments, strict=False):
            shift = float(start) - segment.song_from
            for first, last, section in track_pieces(segment.song_from, segment.song_to, self.state.sections):
                xs.append([first, last, last + shift, first + shift])
                ys.append([band.low, band.low, band.high, band.high])
                colours.append(group_colour(section.group) if section else "#BBBBBB")
        self._set("ribbons", xs=xs, ys=ys, color=colours)

    def _gains(self, plan: LoopPlan) -> None:
        band, heard = _LANES["gain"], self.state.heard.get(self.state.shown)
        edges = np.concatenate([[plan.music_in], *([t, t + plan.gain_glide_seconds] for t in plan.segment_starts[:-1])])
        fades = [plan.music_in + plan.start_fade_seconds * share for share in np.linspace(0, 1, 9)]
        fades += [plan.window_end - plan.end_fade_seconds * share for share in np.linspace(0, 1, 33)]
        times = np.unique(np.clip(np.concatenate([edges, edges - 1e-3, fades]), plan.music_in, plan.window_end))
        gain = gain_curve(plan, times)
        top = max(6.0, float(gain.max()) + 1.0)
        self._set("gain", x=times, y=band.at(gain, _FLOOR_DB, top))
        points = heard.duck_points if heard is not None else ()
        at = np.array([point[0] for point in points])
        ducked = -np.array([point[1] for point in points])
        self._set(
            "duck",
            x=at,
            y=band.at(ducked, _FLOOR_DB, top),
            y0=np.full(at.size, band.at(np.zeros(1), _FLOOR_DB, top)[0]),
        )
        zero = float(band.at(np.zeros(1), _FLOOR_DB, top)[0])
        self._set("zero", x0=[0.0], x1=[plan.window_end], y=[zero])
        marks = np.array([0.0, -10.0, -20.0])
        self._set("scale", x=[plan.window_end] * 3, y=band.at(marks, _FLOOR_DB, top), text=["0 dB", "-10", "-20"])

    def _draw(self) -> None:
        figure, lane = self.figure, _LANES
        figure.image_rgba("image", "x", "y", "dw", "dh", source=self._source("video", "image", "x", "y", "dw", "dh"))
        region = self._source("region", "left", "right")
        figure.quad("left", "right", _HEIGHT, 0.0, source=region, color=BEAT, alpha=0.22, line_width=0)
        speech = self._source("speech", "left", "right")
        figure.quad(
            "left",
            "right",
            lane["soundtrack"].high,
            lane["soundtrack"].low,
            source=speech,
            color=VOICE,
            alpha=0.3,
            line_width=0,
        )
        figure.varea("x", "low", "high", source=self._source("soundtrack", "x", "low", "high"), color=VOICE, alpha=0.9)
        figure.segment("x0", "y", "x1", "y", source=self._source("zero", "x0", "x1", "y"), color=BEAT, line_width=0.7)
        duck = self._source("duck", "x", "y", "y0")
        area = figure.varea("x", "y", "y0", source=duck, color=DUCK, alpha=0.35)
        curve = figure.line("x", "y", source=duck, color=DUCK, line_width=1.5)
        gain = figure.line("x", "y", source=self._source("gain", "x", "y"), color=HEARD, line_width=2)
        sound = self._source("music", "x", "low", "high")
        wave = figure.varea("x", "low", "high", source=sound, color=HEARD, name="music")
        self._tinted += [(area.glyph, "fill_color", DUCK), (curve.glyph, "line_color", DUCK)]
        self._tinted += [(gain.glyph, "line_color", HEARD), (wave.glyph, "fill_color", HEARD)]
        music = lane["music"]
        figure.segment(
            "x", music.low, "x", music.high, source=self._source("beats", "x"), color=BEAT, alpha=0.35, line_width=1
        )
        figure.segment(
            "x", music.low, "x", music.high, source=self._source("bars", "x"), color=DOWNBEAT, alpha=0.55, line_width=1
        )
        figure.patches(
            "xs",
            "ys",
            source=self._source("ribbons", "xs", "ys", "color"),
            fill_color="color",
            fill_alpha=0.3,
            line_width=0,
            line_alpha=0,
        )
        for name, band in (("pieces", lane["heard"]), ("sections", lane["track"])):
            source = self._source(name, "left", "right", "color")
            figure.quad(
                "left",
                "right",
                band.high,
                band.low,
                source=source,
                fill_color="color",
                line_color="white",
                line_width=1,
            )
        end = self._source("end", "left", "right", "label")
        figure.quad(
            "left",
            "right",
            lane["music"].high,
            lane["heard"].low,
            source=end,
            fill_alpha=0.0,
            line_width=0,
            hatch_pattern="/",
            hatch_color=ENDING,
            hatch_alpha=0.8,
        )
        figure.segment("left", lane["heard"].low, "left", lane["music"].high, source=end, color=ENDING, line_width=2.5)
        ending = figure.text(
            "left",
            lane["music"].high,
            "label",
            source=end,
            text_align="right",
            text_baseline="top",
            x_offset=-5,
            y_offset=2,
            text_color=ENDING,
            text_font_size="12px",
            text_font_style="bold",
        )
        ending.glyph.background_fill_alpha = 0.8
        self._ending = ending.glyph
        fades = self._source("fades", "left", "right")
        figure.quad(
            "left", "right", lane["music"].high, lane["heard"].high, source=fades, color=BEAT, alpha=0.5, line_width=0
        )
        worst = self._source("worst", "x", "number")
        figure.segment(
            "x",
            lane["heard"].low - 3,
            "x",
            lane["music"].high,
            source=worst,
            color=DOWNBEAT,
            line_width=2.5,
            name="worst seam",
        )
        named = figure.text(
            "x", lane["heard"].low - 3, "number", source=worst, text_align="center", text_baseline="top",
            text_font_size="12px", text_font_style="bold", text_color="white", y_offset=1,
        )  # fmt: skip
        named.glyph.background_fill_color = DOWNBEAT
        seams = self._source("seams", "x", "number")
        line = figure.segment("x", lane["heard"].low - 3, "x", lane["music"].high, source=seams, line_width=1.6)
        numbers = figure.text(
            "x",
            lane["heard"].low - 3,
            "number",
            source=seams,
            text_align="center",
            text_baseline="top",
            text_font_size="12px",
            text_font_style="bold",
            y_offset=1,
        )
        labels = figure.text(
            "x",
            "y",
            "text",
            source=self._source("labels", "x", "y", "text", "ink"),
            text_align="center",
            text_baseline="middle",
            text_font_size="12px",
            text_color="ink",
        )
        scale = figure.text(
            "x", "y", "text", source=self._source("scale", "x", "y", "text"), text_align="right",
            text_baseline="middle", text_font_size="10px", x_offset=-3,
        )  # fmt: skip
        for text in (labels, numbers, named, ending, scale):
            text.glyph.text_font = value("system-ui, DejaVu Sans, sans-serif")
        self._strong.append(line.glyph)
        self._texts.append(scale.glyph)
        self._texts.append(numbers.glyph)
        self._playhead = playhead(figure, self.name, DOWNBEAT)
        figure.yaxis.ticker = FixedTicker(ticks=[_LANES[name].middle for name in _LANE_NAMES])
        figure.yaxis.major_label_overrides = {_LANES[name].middle: word for name, word in _LANE_NAMES.items()}
        figure.yaxis.axis_line_alpha = figure.yaxis.major_tick_line_alpha = 0.0
        figure.xaxis.ticker = clock_ticker()
        figure.xaxis.formatter = ClockTickFormatter()
        zoom, select = (
            WheelZoomTool(dimensions="width", maintain_focus=False),
            BoxSelectTool(dimensions="width", renderers=[]),
        )
        figure.add_tools(zoom, WheelPanTool(dimension="width", modifiers="shift"), select)
        figure.toolbar.active_scroll, figure.toolbar.active_drag = zoom, select
        seek_on_tap(figure)
        figure.js_on_event("selectiongeometry", LoopOver())
        figure.js_on_event("doubletap", ShowAll(range=figure.x_range, margin=1.0))


class PlanTab:
    """The plan under its video, seen and heard."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.state = PlanState()
        self.picture = PlanPicture(self.state)
        self.player = TransportBar(sizing_mode="stretch_width", playheads=[self.picture.name])
        self.cards = OptionCards(sizing_mode="stretch_width")
        self.chips = SeamChips(sizing_mode="stretch_width", label="Seams, look at one:")
        self.empty = pmui.Typography("", variant="body1", margin=(24, 10, 4, 10))
        self.progress = pmui.LinearProgress(value=0, variant="indeterminate", width=420, margin=(4, 10))
        self._waiting = False
        self._wanted: int | None = None
        self.cards.param.watch(lambda event: self.pick(int(event.new[0]), str(event.new[1])), "picked")
        self.chips.param.watch(lambda event: self.look_at(int(event.new[0])), "picked")
        self.chips.param.watch(lambda _: self.pick(self.state.shown, "use"), "asked")
        self.player.param.watch(lambda event: self._choose(event.new), "chosen")
        self.player.param.watch(lambda *_: self._match(), ["region", "seek"])
        self.player.param.watch(lambda event: self.picture.mark(event.new), "region")
        session.param.watch(lambda event: self.take(event.new), "loop")
        session.param.watch(lambda event: self.picture.ink(dark=event.new), "dark")
        session.param.watch(lambda *_: self._show_empty(), ["coming", "stage", "done"])
        for edge in ("start", "end"):
            self.picture.view.on_change(edge, lambda attr, old, new: self._view_moved())
        for side, attribute in (("width", "inner_width"), ("height", "inner_height")):
            self.picture.figure.on_change(attribute, partial(self._resized, side))
        self.picture.ink(dark=session.dark)
        self.take(session.loop)

    def take(self, loop: Loop | None) -> None:
        """Show another plan, and prepare its sound."""
        self.state.take(loop)
        self.cards.param.update(options=self.state.facts(), a=0, b=-1, shown=0)
        self.player.param.update(music_a="", music_b="", chosen="a", region=[])
        self.picture.show()
        self._show_seams()
        self._show_empty()
        if loop is None or self.state.plan is None:
            return
        self.player.duration = self.state.plan.window_end
        if loop.video is not None and self.state.video is None:
            session = self._session
            session.run(load_video, loop.video, then=self._seen, subject=str(loop.video))
        self._hear(0)

    def pick(self, option: int, name: str) -> None:
        """Compare an option as A or B, or make it the plan of the page."""
        if name == "use":
            self._wanted = option
            self._use()
            return
        self.state.pick(option, name)
        self._hear(option)
        self._shown()

    def look_at(self, seam: int) -> None:
        """Open a seam of the plan in use, counted from 0, in the Seams tab; those of another option are only shown."""
        if self.state.shown == 0:
            self._session.seam = seam
            self._session.tab = "Seams"

    def _use(self) -> None:
        """Put the wanted option in front, as soon as its mix is known."""
        loop, option = self.state.loop, self._wanted
        if loop is None or option is None:
            return
        heard = self.state.heard.get(option)
        if heard is None:
            self._hear(option)
            return
        self._wanted = None
        self._session.show(with_option_first(loop, heard.plan, heard.mix))

    def _choose(self, name: str) -> None:
        if name != self.state.chosen:
            self.state.chosen = name
            self._shown()

    def _shown(self) -> None:
        state = self.state
        self.cards.param.update(a=state.a, b=-1 if state.b is None else state.b, shown=state.shown)
        self._load()
        self._show_seams()
        self.picture.show_plan()
        self.picture.show_view()

    def _show_empty(self) -> None:
        """While there is no plan, say what is coming and how far it is, or why there is none."""
        session, answer = self._session, None if self.state.loop is None else self.state.loop.answer
        self.empty.visible = self.state.plan is None
        self.progress.visible = self.empty.visible and session.busy
        if isinstance(answer, Refusal):
            self.empty.object = (
                f"There is no loop of this track under this video. {self._session.for_the_page(answer.hint)}"
            )
        elif session.busy:
            self.empty.object = " ".join(
                filter(None, (session.coming, f"Now: {session.stage}." if session.stage else ""))
            )
        else:
            self.empty.object = "There is no plan yet: open a track and a video."
        if session.done > 0.0:
            self.progress.param.update(value=round(100.0 * session.done), variant="determinate")
        else:
            self.progress.variant = "indeterminate"

    def _show_seams(self) -> None:
        """Show the seams of the option that is looked at; those of the plan in use can be opened."""
        state = self.state
        self.chips.ask = f"Use option {state.shown + 1} to look at its seams" if state.shown else ""
        self.chips.tell(state.plan, state.scores)

    def _hear(self, option: int) -> None:
        loop, session = self.state.loop, self._session
        if loop is None or option in self.state.heard or not self.state.options:
            return
        then = partial(self._heard, loop, option)
        session.run(render_option, loop, self.state.options[option], then=then, subject=str(loop.track.path))

    def _heard(self, loop: Loop, option: int, heard: RenderedOption) -> None:
        if loop is not self.state.loop:
            return
        self.state.heard[option] = heard
        self._session.draw(heard.path, then=partial(self._drawn, loop, option))
        self._shown()
        self._use()

    def _drawn(self, loop: Loop, option: int, sound: LongSound) -> None:
        if loop is self.state.loop:
            self.state.sounds[option] = sound
            self.picture.show_view()

    def _seen(self, video: TimelineVideo) -> None:
        def drawn(sound: LongSound) -> None:
            if video is self.state.video:
                self.state.soundtrack = sound
                self.picture.show_view()

        self.state.video = video
        self.state.soundtrack = None
        if video.sound is not None:
            self._session.draw(video.sound, then=drawn)
        self._shown()

    def _load(self) -> None:
        """Tell the player what there is to hear."""
        state, session = self.state, self._session
        a, b = state.heard.get(state.a), state.heard.get(-1 if state.b is None else state.b)
        video = state.video
        self.player.param.update(
            soundtrack=session.url_of(video.sound) if video is not None and video.sound is not None else "",
            music_a=session.url_of(a.path) if a is not None else "",
            music_b=session.url_of(b.path) if b is not None else "",
            gain_a_db=a.music_gain_db if a is not None else 0.0,
            gain_b_db=b.music_gain_db if b is not None else 0.0,
            soundtrack_db=(a or b).soundtrack_gain_db if (a or b) is not None else 0.0,  # type: ignore[union-attr]
            duck_a=[list(point) for point in a.duck_points] if a is not None else [],
            duck_b=[list(point) for point in b.duck_points] if b is not None else [],
            headroom_db=state.headroom_db(),
            chosen=state.chosen,
        )
        self._match()

    def _match(self) -> None:
        a_db, b_db = self.state.matching(self.player.time, self.player.region)
        self.player.param.update(match_a_db=a_db, match_b_db=b_db)

    def _resized(self, side: str, attr: str, old: int | None, new: int) -> None:
        setattr(self.picture, side, max(300, new))
        self._view_moved()

    def _view_moved(self) -> None:
        """Draw the view anew, once for all the steps of a movement that come in an event."""
        if self._waiting:
            return
        document = pn.state.curdoc
        if document is None:
            self.picture.show_view()
            return
        self._waiting = True

        def draw() -> None:
            self._waiting = False
            self.picture.show_view()

        document.add_timeout_callback(draw, 30)

    def panel(self) -> pn.viewable.Viewable:
        """Options, transport, picture."""
        return pmui.Column(
            self.empty,
            self.progress,
            self.cards,
            self.player,
            self.chips,
            growing(self.picture.figure),
            sizing_mode="stretch_width",
            margin=(0, 10),
        )
