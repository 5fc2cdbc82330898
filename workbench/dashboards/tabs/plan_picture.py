"""The picture of the Plan tab: a video from its pictures down to the track that plays under it, in lanes.

A track that is longer than its video is drawn as wide as the video, at a scale of its own. What depends on the view
(envelopes, pictures, bars, names) is sent again for each view, no finer than the screen; all else is sent once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from bokeh.models import HoverTool, Range1d

from workbench.dashboards.charts import (
    TEXT_FONT,
    Band,
    Picture,
    ViewFollower,
    ink_colour,
    ink_on,
    lane_chart,
    paper,
    show_time,
)
from workbench.dashboards.chips import doubtful_of
from workbench.dashboards.constraint_words import in_words
from workbench.dashboards.figures import LoopOver, SeamTool
from workbench.dashboards.sounds.plan import video_times_of
from workbench.dashboards.tabs.plan_state import PlanState
from workbench.dashboards.views import MOST_COLUMNS, LongSound, video_row
from workbench.plans.move_seam import SeamPlace
from workbench.plans.plan import LoopPlan
from workbench.plans.request import Hit
from workbench.plots.palette import BEAT, DOWNBEAT, DUCK, ENDING, OWN_MUSIC, PLAYED, VOICE, clock
from workbench.plots.plan import gain_curve, played_blocks, section_colours, track_pieces
from workbench.plots.seams import PART_WORDS
from workbench.recording import FloatArray
from workbench.render.video import gains_of

_FLOOR_DB = -24.0
_LANES = {
    "video": Band(368, 428), "soundtrack": Band(296, 360), "gain": Band(228, 286), "music": Band(134, 220),
    "played": Band(104, 130), "ribbons": Band(34, 104), "track": Band(8, 34),
}  # fmt: skip
_TOP = 432.0
"""of the lanes"""
_LANE_NAMES = {
    "video": "video",
    "soundtrack": "soundtrack",
    "gain": "gain, dB",
    "music": "music",
    "played": "plan",
    "track": "track",
}
"""on the page; the ribbons need none"""
_MARKS_DB = {"0 dB": 0.0, "−10": -10.0, "−20": -20.0}
"""of the lane of gains, by what is written at them"""
_OWN_MUSIC = "its own music"
_CAN = "#F0E442"
"""a place where a seam that is dragged could be; to be seen on the music"""
_FLAG = 20.0
"""height by which the flag of a hit hangs down, in the unit of the lanes"""
_NUMBER = {"text_align": "center", "text_baseline": "top", "text_font_size": "12px", "text_font_style": "bold"}
"""of a seam, under its line"""


class PlanPicture(Picture):
    """The figure of a plan, and the parts of it that follow the view."""

    def __init__(self, state: PlanState) -> None:
        self.state = state
        self.view = Range1d(start=0.0, end=60.0)
        lanes = {word: _LANES[name] for name, word in _LANE_NAMES.items()}
        self.figure = lane_chart(376, self.view, _TOP, lanes)
        super().__init__(self.figure)
        self._marks: FloatArray = np.zeros(0)
        """heights of the marks in the lane of gains"""
        self._draw()
        self._add_playheads("plan-playhead")
        self.hand = self._listen()
        self.follow = ViewFollower(self.figure, self.show_view)

    def show(self) -> None:
        """Send all of the option that is looked at, seen as a whole; without a plan the video alone."""
        if self.state.plan is None:
            self._empty()
        if self.state.seconds:
            self.view.update(start=0.0, end=self.state.seconds, bounds=(0.0, self.state.seconds))
        # Without a plan there are no lanes below the soundtrack.
        self.figure.y_range.start = 0.0 if self.state.plan is not None else _LANES["gain"].high
        self.show_plan()
        self.show_view()

    def show_plan(self) -> None:
        """Send what does not depend on the view."""
        plan, state = self.state.plan, self.state
        if plan is None:
            return
        blocks, colours = played_blocks(plan, state.sections), section_colours(state.sections)
        self._set(
            "pieces", left=[block.first for block in blocks], right=[block.last for block in blocks],
            color=[block.colour for block in blocks],
        )  # fmt: skip
        scale = _track_scale(plan)
        self._set(
            "sections", left=[s.song_from * scale for s in state.sections],
            right=[s.song_to * scale for s in state.sections],
            color=[colours[s] for s in state.sections],
        )  # fmt: skip
        words = [f"the whole track, to {clock(plan.song_duration)}"] if scale < 1.0 else []
        self._set("whole", x=[plan.window_end] * len(words), text=words)
        self._ribbons(plan)
        self._seams(plan)
        self._set(
            "end",
            left=[plan.music_end],
            right=[plan.window_end],
            label=[f"{plan.ending.in_words} {clock(plan.music_end)}"],
        )
        video = state.video
        self._spans("speech", () if video is None else video.soundtrack.soundtrack.speech_ranges)
        self._spans("own_music", () if video is None else video.own_music)
        self._gains(plan)

    def _seams(self, plan: LoopPlan) -> None:
        times, fades = np.array(plan.seam_times), np.array(plan.seam_fades)
        worst = doubtful_of(self.state.scores)
        others, named = [n for n in range(times.size) if n != worst], [] if worst is None else [worst]
        self._set("seams", x=times[others], number=[str(n + 1) for n in others])
        self._set("worst", x=times[named], number=[f"{n + 1} worst" for n in named])
        self._set("fades", left=times - fades / 2, right=times + fades / 2)

    def show_chosen(self, seam: int | None) -> None:
        """Show which seam of the plan that is looked at, counted from 0, the buttons are about."""
        times = () if self.state.plan is None else self.state.plan.seam_times
        self._set("chosen", x=[] if seam is None else list(times[seam : seam + 1]))

    def mark(self, region: Sequence[float]) -> None:
        """Show the range that is looped; none where it is empty."""
        self._spans("region", [region] if region else [])

    def show_places(self, places: Sequence[Sequence[SeamPlace]]) -> None:
        """Let the seams be dragged to their places, which are empty until they are known."""
        plan = self.state.plan
        self.hand.update(
            seams=[] if plan is None or self.state.shown != self.state.used else list(plan.seam_times),
            places=[[place_facts(place) for place in some] for some in places],
            track_scale=1.0 if plan is None else _track_scale(plan),
        )

    def show_hits(self, hits: Sequence[Hit]) -> None:
        """Show hits by flags that can be dragged, for the option in use; without any, one waits at the start."""
        flags = [(hit.at, in_words(hit.constraint)) for hit in hits] or [(0.0, "hit at …")]
        if self.state.plan is None or self.state.shown != self.state.used:
            flags = []
        times = [at for at, _ in flags]
        self._set("hits", x=times, text=[words for _, words in flags])
        self.hand.update(hits=times)

    def show_ranges(self, ranges: Sequence[tuple[float, float, str]], selected: Sequence[float]) -> None:
        """Show requested ranges of the track (from and to, s, and a colour), and the selected one."""
        scale = 1.0 if self.state.plan is None else _track_scale(self.state.plan)
        self._set(
            "ranges", left=[first * scale for first, _, _ in ranges], right=[last * scale for _, last, _ in ranges],
            color=[colour for _, _, colour in ranges],
        )  # fmt: skip
        self._set("selected", left=[s * scale for s in selected[:1]], right=[s * scale for s in selected[1:2]])

    def on_hand(self, name: str, act: Callable[[Sequence[Any]], object]) -> None:
        """Call a function when the user takes hold of a seam, moves one or a hit, or selects a stretch of the track."""

        def changed(_attr: str, _old: object, new: Sequence[Any]) -> None:
            act(new)

        self.hand.on_change(name, changed)

    def show_view(self) -> None:
        """Send the part in view, as fine as the screen."""
        plan, state = self.state.plan, self.state
        if not state.seconds:
            return
        first, last, columns = self.follow.stretch(state.seconds)
        self._envelope("music", state.sounds.get(state.shown), first, last, columns)
        self._envelope("soundtrack", state.soundtrack, first, last, columns)
        if state.video is not None and last > first:
            band = _LANES["video"]
            pixels = round((band.high - band.low) / (_TOP - self.figure.y_range.start) * self.follow.height)
            picture = video_row(state.video.tiles, first, last, min(columns, MOST_COLUMNS), pixels)
            self._set("video", image=[picture], x=[first], y=[band.low], dw=[last - first], dh=[band.high - band.low])
        else:
            self._set("video", image=[], x=[], y=[], dw=[], dh=[])
        if plan is not None:
            self._bars(plan)
            self._labels(plan)
            self._scale()

    def _envelope(self, lane: str, sound: LongSound | None, first: float, last: float, columns: int) -> None:
        if sound is None:
            self._set(lane, x=[], low=[], high=[])
            return
        times, lows, highs = sound.envelope(first, last, columns)
        band = _LANES[lane]
        self._set(lane, x=times, low=band.at(lows, -1.0, 1.0), high=band.at(highs, -1.0, 1.0))

    def _bars(self, plan: LoopPlan) -> None:
        loop = self.state.loop
        if loop is None or loop.analysis is None:
            return
        start, end = self.follow.view
        grid = loop.analysis.grid
        for name, times in (("bars", grid.downbeats), ("beats", grid.beats)):
            played = video_times_of(plan, np.asarray(times))
            inside = played[(played >= start) & (played <= end)]
            crowded = inside.size * 6 > self.follow.width
            self._set(name, x=[] if crowded else inside)

    def _labels(self, plan: LoopPlan) -> None:
        start, end = self.follow.view
        scale, colours = _track_scale(plan), section_colours(self.state.sections)
        blocks = [
            (block.first, block.last, block.colour, block.section.label if block.section else "", "played")
            for block in played_blocks(plan, self.state.sections)
        ]
        blocks += [(s.song_from * scale, s.song_to * scale, colours[s], s.label, "track") for s in self.state.sections]
        self._own_music_names()
        x, y, text, ink = [], [], [], []
        for first, last, colour, label, lane in blocks:
            seen_from, seen_to = max(first, start), min(last, end)
            if (seen_to - seen_from) / max(1e-9, end - start) * self.follow.width > 7.2 * len(label) + 6:
                x.append((seen_from + seen_to) / 2)
                y.append(_LANES[lane].middle)
                text.append(label)
                ink.append(ink_on(colour))
        self._set("labels", x=x, y=y, text=text, ink=ink)

    def _own_music_names(self) -> None:
        """Name the stretches of the video's own music that are wide enough, where each comes into view."""
        own = () if self.state.video is None else self.state.video.own_music
        start, end = self.follow.view
        pixels = self.follow.width / max(1e-9, end - start)
        seen = [(max(first, start), min(last, end)) for first, last in own]
        at = [first for first, last in seen if (last - first) * pixels > 7.2 * len(_OWN_MUSIC)]
        self._set("own_music_names", x=at, text=[_OWN_MUSIC] * len(at))

    def _scale(self) -> None:
        """Put the marks of the gains where the view begins; there are none before the gains are drawn."""
        left = max(0.0, self.follow.view[0])
        self._set("scale", x=[left] * self._marks.size, y=self._marks, text=list(_MARKS_DB)[: self._marks.size])

    def _ribbons(self, plan: LoopPlan) -> None:
        band, xs, ys, drawn, scale = _LANES["ribbons"], [], [], [], _track_scale(plan)
        colours = section_colours(self.state.sections)
        for start, segment in zip(plan.segment_starts, plan.segments, strict=False):
            shift = float(start) - segment.song_from
            for first, last, section in track_pieces(segment.song_from, segment.song_to, self.state.sections):
                xs.append([first * scale, last * scale, last + shift, first + shift])
                ys.append([band.low, band.low, band.high, band.high])
                drawn.append(colours[section])
        self._set("ribbons", xs=xs, ys=ys, color=drawn)

    def _gains(self, plan: LoopPlan) -> None:
        band, rendered = _LANES["gain"], self.state.rendered.get(self.state.shown)
        edges = np.concatenate([[plan.music_in], *([t, t + plan.gain_glide_seconds] for t in plan.segment_starts[:-1])])
        fades = [plan.music_in + plan.start_fade_seconds * share for share in np.linspace(0, 1, 9)]
        fades += [plan.window_end - plan.end_fade_seconds * share for share in np.linspace(0, 1, 33)]
        times = np.unique(np.clip(np.concatenate([edges, edges - 1e-3, fades]), plan.music_in, plan.window_end))
        gain = gain_curve(plan, times)
        top = max(6.0, float(gain.max()) + 1.0)
        self._set("gain", x=times, y=band.at(gain, _FLOOR_DB, top))
        points = () if rendered is None else gains_of(rendered.mix).duck_points
        at = np.array([point[0] for point in points])
        ducked = -np.array([point[1] for point in points])
        zero = float(band.at(np.zeros(1), _FLOOR_DB, top)[0])
        self._set("duck", x=at, y=band.at(ducked, _FLOOR_DB, top), y0=np.full(at.size, zero))
        self._set("zero", x0=[0.0], x1=[plan.window_end], y=[zero])
        self._marks = band.at(np.array([*_MARKS_DB.values()]), _FLOOR_DB, top)

    def _draw(self) -> None:
        """Draw all lanes, empty; later ones cover earlier ones."""
        self._draw_soundtrack()
        self._draw_gain()
        self._draw_music()
        self._draw_blocks()
        self._draw_ending()
        self._draw_ranges()
        self._draw_seams()
        self._draw_labels()
        self._draw_places()
        self._draw_hits()

    def _draw_soundtrack(self) -> None:
        figure, lane = self.figure, _LANES["soundtrack"]
        figure.image_rgba("image", "x", "y", "dw", "dh", source=self._source("video", "image", "x", "y", "dw", "dh"))
        self._band(figure, "region", 0.0, _TOP, color=BEAT, alpha=0.22)
        self._band(figure, "speech", lane.low, lane.high, color=VOICE, alpha=0.3)
        for behind in (lane, _LANES["gain"]):  # also behind the duck, which it explains
            self._band(figure, "own_music", behind.low, behind.high, color=OWN_MUSIC, alpha=0.25)
        figure.varea("x", "low", "high", source=self._source("soundtrack", "x", "low", "high"), color=VOICE, alpha=0.9)

    def _draw_gain(self) -> None:
        figure = self.figure
        figure.segment("x0", "y", "x1", "y", source=self._source("zero", "x0", "x1", "y"), color=BEAT, line_width=0.7)
        duck = self._source("duck", "x", "y", "y0")
        self._tint(figure.varea("x", "y", "y0", source=duck, alpha=0.35).glyph, "fill_color", DUCK)
        self._curve(figure, "duck", DUCK, line_width=1.5)
        self._curve(figure, "gain", PLAYED, line_width=2)

    def _draw_music(self) -> None:
        figure, lane = self.figure, _LANES["music"]
        sound = self._source("music", "x", "low", "high")
        self._tint(figure.varea("x", "low", "high", source=sound, name="music").glyph, "fill_color", PLAYED)
        for name, colour, alpha in (("beats", BEAT, 0.35), ("bars", DOWNBEAT, 0.55)):
            source = self._source(name, "x")
            figure.segment("x", lane.low, "x", lane.high, source=source, color=colour, alpha=alpha, line_width=1)

    def _draw_blocks(self) -> None:
        figure = self.figure
        ribbons = self._source("ribbons", "xs", "ys", "color")
        # Grey, so that the blocks stand out; the one that is pointed at has its section's colour.
        led = figure.patches(
            "xs", "ys", source=ribbons, fill_color="#9AA5AE", fill_alpha=0.25, hover_fill_color="color",
            hover_fill_alpha=0.6, line_width=0, line_alpha=0, hover_line_alpha=0,
        )  # fmt: skip
        figure.add_tools(HoverTool(renderers=[led], tooltips=None, visible=False))
        for name, lane in (("pieces", _LANES["played"]), ("sections", _LANES["track"])):
            figure.quad(
                "left", "right", lane.high, lane.low, source=self._source(name, "left", "right", "color"),
                fill_color="color", line_color="white", line_width=1, name=name,
            )  # fmt: skip

    def _draw_ending(self) -> None:
        figure, low, high = self.figure, _LANES["played"].low, _LANES["music"].high
        end = self._source("end", "left", "right", "label")
        figure.quad(
            "left", "right", high, low, source=end, fill_alpha=0.0, line_width=0, hatch_pattern="/",
            hatch_color=ENDING, hatch_alpha=0.8,
        )  # fmt: skip
        figure.segment("left", low, "left", high, source=end, color=ENDING, line_width=2.5)

    def _draw_ranges(self) -> None:
        figure, band = self.figure, _LANES["track"]
        asked = self._source("ranges", "left", "right", "color")
        figure.quad(
            "left", "right", band.high, band.low - 6, source=asked, fill_alpha=0.0, line_color="color", line_width=2,
            hatch_pattern="/", hatch_color="color", hatch_alpha=0.7,
        )  # fmt: skip
        selected = self._source("selected", "left", "right")
        box = figure.quad("left", "right", band.high + 2, band.low - 8, source=selected, fill_alpha=0.15, line_width=2)
        self._shade(box.glyph, "line_color", ink_colour)
        self._shade(box.glyph, "fill_color", ink_colour)

    def _draw_places(self) -> None:
        figure, low, high = self.figure, _LANES["played"].low, _LANES["music"].high
        marks = self._source("places", "x", "color")
        figure.segment("x", low, "x", high, source=marks, color="color", line_width=2, line_dash="4 3")
        ghost = self._source("ghost", "x", "text")
        line = figure.segment("x", low, "x", high, source=ghost, line_width=3)
        self._shade(line.glyph, "line_color", ink_colour)
        words = figure.text(
            "x", high, "text", source=ghost, text_font_size="12px", text_font=TEXT_FONT, text_align="center",
            text_baseline="bottom", y_offset=-2, padding=3,
        )  # fmt: skip
        self._text(words.glyph, 0.92)

    def _draw_hits(self) -> None:
        figure, low = self.figure, _LANES["gain"].low
        for name in ("hits", "landing"):
            source = self._source(name, "x", "text")
            figure.segment("x", low, "x", _TOP, source=source, line_width=2, color=ENDING,
                           line_dash="solid" if name == "hits" else "4 3")  # fmt: skip
            figure.text(
                "x", _TOP, "text", source=source, text_font_size="12px", text_font=TEXT_FONT, text_baseline="top",
                text_color="white", background_fill_color=ENDING, padding=2, name=name,
            )  # fmt: skip

    def _draw_seams(self) -> None:
        figure, low, high = self.figure, _LANES["played"].low - 3, _LANES["music"].high
        self._band(figure, "fades", _LANES["played"].high, high, color=BEAT, alpha=0.5)
        worst = self._source("worst", "x", "number")
        marked = figure.segment("x", low, "x", high, source=worst, line_width=3.5, name="worst seam")
        self._shade(marked.glyph, "line_color", ink_colour)
        label = figure.text("x", low, "number", source=worst, y_offset=1, text_font=TEXT_FONT, **_NUMBER)
        label.glyph.background_fill_alpha = 1.0
        self._shade(label.glyph, "background_fill_color", ink_colour)
        self._shade(label.glyph, "text_color", paper)
        chosen = figure.scatter(
            "x", high, source=self._source("chosen", "x"), marker="inverted_triangle", size=11, line_width=0
        )
        self._shade(chosen.glyph, "fill_color", ink_colour)
        seams = self._source("seams", "x", "number")
        line = figure.segment("x", low, "x", high, source=seams, line_width=1.6)
        self._shade(line.glyph, "line_color", ink_colour)
        self._text(figure.text("x", low, "number", source=seams, y_offset=1, **_NUMBER).glyph)

    def _draw_labels(self) -> None:
        figure = self.figure
        ending = figure.text(  # over the seams, whose lines would cross it where the picture is narrow
            "left", _LANES["music"].high, "label", source=self._sources["end"], text_align="right", text_baseline="top",
            x_offset=-5, y_offset=2, text_color=ENDING, text_font_size="12px", text_font_style="bold",
            text_font=TEXT_FONT, background_fill_alpha=1.0,
        )  # fmt: skip
        self._shade(ending.glyph, "background_fill_color", paper)
        figure.text(
            "x", "y", "text", source=self._source("labels", "x", "y", "text", "ink"), text_align="center",
            text_baseline="middle", text_font_size="12px", text_color="ink", text_font=TEXT_FONT,
        )  # fmt: skip
        whole = figure.text(
            "x", _LANES["track"].high, "text", source=self._source("whole", "x", "text"), text_align="right",
            text_baseline="bottom", text_font_size="11px", x_offset=-3, y_offset=-2,
        )  # fmt: skip
        self._text(whole.glyph, 0.8)
        named = figure.text(
            "x", _LANES["soundtrack"].high, "text", source=self._source("own_music_names", "x", "text"),
            text_baseline="top", text_font_size="11px", x_offset=3, y_offset=2,
        )  # fmt: skip
        self._text(named.glyph, 0.8)
        scale = figure.text(
            "x", "y", "text", source=self._source("scale", "x", "y", "text"), text_align="left",
            text_baseline="bottom", text_font_size="10px", x_offset=3, y_offset=-1,
        )  # fmt: skip
        self._text(scale.glyph, 1.0)  # curves go behind it

    def _listen(self) -> SeamTool:
        """A clock as every other; a drag moves a seam, selects on the track, or loops."""
        show_time(self.figure)
        hand = SeamTool(
            dimensions="width", renderers=[], marks=self._sources["places"], ghost=self._sources["ghost"],
            low=_LANES["played"].low - 14, high=_LANES["music"].high,
            track_high=_LANES["track"].high, colors=[_CAN, BEAT], landing=self._sources["landing"],
            flag_low=_TOP - _FLAG,
        )  # fmt: skip
        self.figure.add_tools(hand)
        self.figure.toolbar.active_drag = hand
        self.figure.js_on_event("selectiongeometry", LoopOver())
        return hand


def _track_scale(plan: LoopPlan) -> float:
    """Video seconds as wide as a second of the track; under 1 where the track is longer than the video."""
    return min(1.0, plan.window_end / plan.song_duration)


def place_facts(place: SeamPlace) -> dict[str, object]:
    """A place of a seam as the page shows it."""
    words = f"{place.bars:+d} bar{'' if abs(place.bars) == 1 else 's'}" if place.bars else "where it is"
    if place.obstacle:
        words = f"{words}: {place.obstacle}"
    elif place.score is not None:
        worst = sorted(place.parts, key=lambda part: place.parts[part])[:2]
        parts = ", ".join(f"{PART_WORDS.get(part, part)} {place.parts[part]:.2f}".replace("\n", " ") for part in worst)
        words = f"{words}: score {place.score:.2f} · lowest: {parts}"
    return {"bars": place.bars, "at": place.at, "words": words, "obstacle": place.obstacle, "score": place.score}
