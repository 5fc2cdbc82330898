"""The pictures of the Seams tab: what plays over what the track has there, and the parts of the score."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, LinearColorMapper, Range1d
from bokeh.plotting import figure as new_bokeh_figure

from workbench.dashboards.charts import Band, Picture, ink_colour, lane_chart, rule_colour, unique_name
from workbench.dashboards.sounds.seam import LOUDNESS_STEP_SECONDS, SeamLook
from workbench.dashboards.transport import playhead
from workbench.features.spectrum import FRAMES_PER_SECOND
from workbench.plots.palette import BEAT, DOWNBEAT, EXPECTED, PLAYED
from workbench.plots.seams import PART_WORDS
from workbench.seams.profile import SEAM_PARTS

_PLAYED, _TRACK, _ONSETS, _LOUDNESS = Band(252.0, 372.0), Band(128.0, 248.0), Band(68.0, 120.0), Band(4.0, 60.0)
_LANES = {"played": _PLAYED, "in the track": _TRACK, "onsets": _ONSETS, "loudness": _LOUDNESS}
"""by their names on the page"""
_TOP = 374.0
"""of the lanes"""
_LABEL = 6.0
"""from the lower edge of the lowest lane up to the middle of a label, which the frame would cut off else"""


class SeamPicture(Picture):
    """Spectrograms stacked, onsets and loudness of both sides, beats through all; seconds from the seam."""

    def __init__(self) -> None:
        self._x_range = Range1d(start=-2.0, end=2.0)
        self.figure = lane_chart(384, self._x_range, _TOP, _LANES)
        super().__init__(self.figure)
        self._draw()

    def show(self, look: SeamLook | None, fade_seconds: float = 0.0) -> None:
        """Draw a seam, or nothing, and how long its crossfade is."""
        if look is None:
            self._empty()
            return
        view, rate = look.view, FRAMES_PER_SECOND
        self._x_range.update(start=-view.middle, end=view.played.duration - view.middle)
        start = -view.middle - 0.5 / rate
        for name, picture, lane in (("played", look.played_picture, _PLAYED), ("track", look.track_picture, _TRACK)):
            seconds = picture.shape[1] / rate
            self._set(name, image=[picture], x=[start], y=[lane.low], dw=[seconds], dh=[lane.high - lane.low])
        top = max(1.0, float(look.played_onsets.max()), float(look.track_onsets.max()))
        for name, curve in (("track onsets", look.track_onsets), ("played onsets", look.played_onsets)):
            times = np.arange(curve.size) / rate - view.middle
            self._set(name, x=times, y=_ONSETS.at(curve, 0.0, top))
        self._show_loudness(look)
        self._set("beats", x=view.beats[:, 0], color=[DOWNBEAT if opens else BEAT for opens in view.beats[:, 1]])
        self._set("fade", left=[-fade_seconds / 2], right=[fade_seconds / 2])

    def _show_loudness(self, look: SeamLook) -> None:
        both = [np.maximum(curve, -70.0) for curve in (look.track_loudness, look.played_loudness)]
        finite = np.concatenate(both)
        low, high = float(finite.min()), float(finite.max())
        middle, reach = (low + high) / 2, max(6.0, (high - low) / 2 + 1.0)
        for name, curve in zip(("track loudness", "played loudness"), both, strict=True):
            times = np.arange(curve.size) * LOUDNESS_STEP_SECONDS + 0.2 - look.view.middle
            self._set(name, x=times, y=_LOUDNESS.at(curve, middle - reach, middle + reach))
        ends = [f"{middle - reach:.0f}", f"{middle + reach:.0f} LUFS"]
        self._set("range", x=[-look.view.middle] * 2, y=[_LOUDNESS.low + _LABEL, _LOUDNESS.high], text=ends)

    def _draw(self) -> None:
        figure = self.figure
        mapper = LinearColorMapper(palette="Magma256", low=0, high=255)
        for name in ("played", "track"):
            source = self._source(name, "image", "x", "y", "dw", "dh")
            figure.image("image", "x", "y", "dw", "dh", source=source).glyph.color_mapper = mapper
        onsets = self._source("track onsets", "x", "y")
        figure.varea("x", _ONSETS.low, "y", source=onsets, color=EXPECTED, alpha=0.65)
        self._curve(figure, "played onsets", PLAYED, line_width=1.6)
        self._curve(figure, "track loudness", EXPECTED, line_width=2)
        self._curve(figure, "played loudness", PLAYED, line_width=2)
        beats = self._source("beats", "x", "color")
        figure.segment("x", 0.0, "x", _PLAYED.high, source=beats, color="color", line_width=1.2, line_dash="dashed")
        self._band(figure, "fade", 0.0, _PLAYED.high, color="#9AA5AE", alpha=0.45)
        scale = figure.text(
            "x", "y", "text", source=self._source("range", "x", "y", "text"), text_font_size="11px",
            text_baseline="middle", x_offset=4,
        )  # fmt: skip
        self._text(scale.glyph, 1.0)  # lines of beats go behind it
        # Not the colour of other playheads: on a light page that is black, which spectrograms would hide.
        self.playheads.append(unique_name("seam-playhead"))
        playhead(figure, self.playheads[0], DOWNBEAT)
        figure.xaxis.axis_label = "seconds from the seam"


class ScorePicture(Picture):
    """Each part of the score beside the same part of the track's own bar lines, the yardstick."""

    def __init__(self) -> None:
        self.figure = new_bokeh_figure(
            height=300, sizing_mode="stretch_width", x_range=Range1d(start=0.0, end=1.0), tools="",
            toolbar_location=None,
            y_range=Range1d(start=-0.7, end=len(SEAM_PARTS) - 0.1), output_backend="canvas", min_border_right=14,
            min_border_left=10,
        )  # fmt: skip
        super().__init__(self.figure)
        self._rows = np.arange(len(SEAM_PARTS))[::-1].astype(np.float64)
        self._draw()

    def show(self, look: SeamLook | None) -> None:
        """Draw the parts of a seam's score, or nothing."""
        self._empty("parts", "own")
        if look is None:
            return
        ours = slice(len(SEAM_PARTS))  # the rows are laid out once; parts of extensions are in the JSON and the report
        self._set("parts", y=self._rows + 0.08, right=look.view.parts[ours])
        if look.view.own_parts.shape[1]:
            low, middle, high = np.quantile(look.view.own_parts[ours], (0.25, 0.5, 0.75), axis=1)
            self._set("own", y=self._rows - 0.18, low=low, middle=middle, high=high)

    def ink(self, *, dark: bool) -> None:
        """Set the colours for a light or a dark page."""
        super().ink(dark=dark)
        axis, grid = self.figure.xaxis, self.figure.xgrid
        axis.major_label_text_font_size = "11px"
        grid.visible, grid.grid_line_color = True, rule_colour(dark=dark)

    def _draw(self) -> None:
        figure, own = self.figure, self._source("own", "y", "low", "middle", "high")
        parts = figure.hbar("y", right="right", height=0.24, source=self._source("parts", "y", "right"), line_width=0)
        self._tint(parts.glyph, "fill_color", PLAYED)
        figure.hbar("y", left="low", right="high", height=0.14, source=own, color=BEAT, alpha=0.6)
        median = figure.scatter("middle", "y", source=own, marker="dash", angle=np.pi / 2, size=9, line_width=2)
        self._shade(median.glyph, "line_color", ink_colour)
        words = [PART_WORDS[part].replace("\n", " ") for part in SEAM_PARTS]
        names = ColumnDataSource({"x": np.zeros(len(words)), "y": self._rows + 0.46, "text": words})
        drawn = figure.text("x", "y", "text", source=names, text_font_size="11px", text_baseline="middle")
        self._text(drawn.glyph, 1.0)  # the line of 0.5 goes behind them
        figure.yaxis.visible = figure.ygrid.visible = False
        figure.xaxis.ticker = FixedTicker(ticks=[0.0, 0.5, 1.0])
        figure.xaxis.major_label_overrides = {0.0: "0", 0.5: "0.5: may be audible", 1.0: "1"}
