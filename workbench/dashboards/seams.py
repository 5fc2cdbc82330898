"""The Seams tab: one seam at a time, seen and heard from both sides, judged, and its crossfade changed.

What is heard lies over what the track has there; beats run through both. The parts of the score stand beside the
track's own bar lines. The crossfade has two handles; what they are set to is heard at once and goes into the plan when
asked. Verdicts are kept in the home folder's database and come out as CSV. A verdict and its note belong to the seam:
they are there again when one comes back to it, and a note that is written or changed later goes to the verdict that was
given.

Classes: `SeamState`, without widgets; `SeamPicture`, `ScorePicture`, `SeamPlayer`; `SeamsTab`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import count
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FixedTicker, LinearColorMapper, Range1d
from bokeh.plotting import figure as new_bokeh_figure
from panel.custom import JSComponent

from workbench.audition.seams import LOUDNESS_STEP_SECONDS, SeamLook, look_at_seam, with_fade, with_option_first
from workbench.dashboards.charts import ink_and_rule
from workbench.dashboards.fades import Place, seam_place
from workbench.dashboards.session import Session
from workbench.dashboards.styles import ASSETS, growing, stylesheet
from workbench.dashboards.transport import playhead, script
from workbench.dashboards.views import FigureView
from workbench.errors import WorkbenchError
from workbench.loops.plan import MIN_FADE_SECONDS, LoopPlan
from workbench.loops.profile import SEAM_PARTS
from workbench.params import SpectrumParams
from workbench.plots.palette import BEAT, DOWNBEAT, EXPECTED, HEARD, clock
from workbench.plots.seams import HIGHEST_HZ, LOWEST_HZ, PART_WORDS
from workbench.store import verdicts
from workbench.workflows.loop import Loop
from workbench.workflows.seams import planned_scores
from workbench.workspace import Workspace

_LONGEST_FADE_SECONDS = 1.0
"""that the handles reach; longer ones than the planner's, for the ear to compare"""
_SAY: dict[verdicts.Word, str] = {"good": "success", "audible": "warning", "wrong": "error"}
"""what can be said of a seam, and the colour of its button"""
_FONT = "system-ui, DejaVu Sans, sans-serif"
_names = count()


def worst_of(scores: Sequence[float | None]) -> int | None:
    """The seam whose score is lowest, counted from 0; None where no score is known."""
    known = [(score, seam) for seam, score in enumerate(scores) if score is not None]
    return min(known)[1] if known else None


@dataclass(eq=False)
class SeamState:
    """Which seam is looked at, under which crossfade; no widgets."""

    workspace: Workspace
    loop: Loop | None = None
    seam: int = 0
    changed: LoopPlan | None = None
    """the plan with the crossfade that was tried; None while it is the plan's own"""
    scores: tuple[float | None, ...] = ()
    """of all seams; None where the planner left none and no seam was looked at yet"""
    given: dict[Place, verdicts.Verdict] = field(default_factory=dict)
    """the latest verdict about each splice of the track"""
    drafts: dict[Place, str] = field(default_factory=dict)
    """notes that were written before a verdict"""

    @property
    def plan(self) -> LoopPlan | None:
        """The plan that is heard, with what was tried."""
        if self.changed is not None:
            return self.changed
        return self.loop.answer.alone if self.loop is not None and isinstance(self.loop.answer, LoopPlan) else None

    @property
    def count(self) -> int:
        """Seams of the plan."""
        return 0 if self.plan is None else len(self.plan.seam_times)

    @property
    def worst(self) -> int | None:
        """The seam whose score is lowest; None while scores are not known."""
        return worst_of(self.scores)

    def take(self, loop: Loop | None) -> None:
        """Look at another plan, at the same seam where it has as many.

        Raises
        ------
        StoreError : verdicts given before cannot be read; the plan is shown all the same
        """
        before = self.track
        self.loop, self.changed, self.scores = loop, None, ()
        if self.plan is not None and loop is not None and loop.analysis is not None:
            self.scores = planned_scores(self.plan, loop.analysis)
        self.seam = min(self.seam, max(0, self.count - 1))
        if self.track != before:
            self.given, self.drafts = {}, {}
            self.given = {_place_of(said): said for said in self.verdicts() if said.content_hash == self.track}

    @property
    def track(self) -> str:
        """SHA-256 of the track's bytes; empty for none."""
        return "" if self.loop is None or self.loop.analysis is None else self.loop.analysis.content_hash

    @property
    def place(self) -> Place | None:
        """The splice that is looked at; None for none."""
        return seam_place(self.plan, self.seam) if self.plan is not None and self.count else None

    @property
    def verdict(self) -> verdicts.Verdict | None:
        """What was said of the seam that is looked at."""
        return None if self.place is None else self.given.get(self.place)

    @property
    def note(self) -> str:
        """The note on the seam that is looked at: its verdict's, or one that waits for a verdict."""
        if self.place is None:
            return ""
        return self.drafts.get(self.place, "" if self.verdict is None else self.verdict.note)

    @property
    def words(self) -> list[str]:
        """The verdict about each seam; empty where there is none."""
        if self.plan is None:
            return []
        said = (self.given.get(seam_place(self.plan, seam)) for seam in range(self.count))
        return ["" if verdict is None else verdict.verdict for verdict in said]

    def step(self, by: int) -> None:
        """Go to the next seam or the one before, round and round."""
        if self.count:
            self.seam = (self.seam + by) % self.count

    def try_fade(self, seconds: float, exponent: float) -> None:
        """Hear the seam under another crossfade.

        Raises
        ------
        PlanError : there is no room for it
        """
        if self.plan is not None:
            self.changed = with_fade(self.plan, self.seam, seconds, exponent)

    def judge(self, look: SeamLook, word: verdicts.Word, note: str) -> verdicts.Verdict:
        """Keep what somebody heard at the seam, under the crossfade that was heard.

        Raises
        ------
        StoreError : the database cannot be used
        """
        assert self.loop is not None, "a seam belongs to a loop"
        assert self.loop.analysis is not None, "a plan comes from an analysis"
        assert self.plan is not None, "a seam belongs to a plan"
        view = look.view
        seam = {
            "leave": view.leave_s, "enter": view.enter_s, "fade": self.plan.seam_fades[self.seam],
            "exponent": self.plan.seam_curves[self.seam], "score": view.score,
            **{name: float(part) for name, part in zip(SEAM_PARTS, view.parts, strict=True)},
        }  # fmt: skip
        track = self.loop.track
        name = (track.record.title if track.record is not None else None) or track.track_id
        with self.workspace.database.write() as connection:
            kept = verdicts.add(connection, self.loop.analysis.content_hash, name, seam, word, note)
        place = seam_place(self.plan, self.seam)
        self.given[place] = kept
        self.drafts.pop(place, None)
        return kept

    def verdicts(self) -> list[verdicts.Verdict]:
        """What was said last of every seam under every crossfade, of all tracks, oldest first.

        Raises
        ------
        StoreError : the database cannot be used
        """
        with self.workspace.database.read() as connection:
            every = verdicts.every(connection)
        last: dict[tuple[Any, ...], verdicts.Verdict] = {}
        for said in every:
            about = (said.content_hash, *_place_of(said), said.seam["fade"], said.seam["exponent"])
            last.pop(about, None)  # what is said again is the newest
            last[about] = said
        return list(last.values())


def _place_of(said: verdicts.Verdict) -> Place:
    """Which splice of its track a verdict is about."""
    return round(1000 * said.seam["leave"]), round(1000 * said.seam["enter"])


class SeamPlayer(JSComponent):
    """Plays the excerpts of a seam, and draws its crossfade with handles."""

    sounds = param.Dict({}, doc="addresses by name: heard, cut, left, entered")
    seconds = param.Number(4.0)
    middle = param.Number(2.0, doc="s from the beginning to the seam")
    fade = param.Number(0.02)
    exponent = param.Number(1.0)
    shortest = param.Number(MIN_FADE_SECONDS)
    longest = param.Number(_LONGEST_FADE_SECONDS)
    wished = param.List([], doc="[fade s, exponent, n], when a handle is let go of")
    refused = param.Integer(0, doc="counts up when a wish cannot be had: the handles go back")
    used = param.Integer(0, doc="counts up when a wish went into the plan: the focus goes back to its handle")
    step = param.List([], doc="[-1 or 1, n]")
    find_worst = param.Integer(0, doc="counts up when the worst seam is asked for")
    verdict = param.List([], doc="[word, n]")
    looped = param.Boolean(False)
    autoplay = param.Boolean(False, doc="play what comes next without being asked")
    playing = param.String("", doc="what sounds")
    playhead = param.String("")

    _esm = script("keys", "seam")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("seam"), stylesheet("keys")]


_HEARD, _TRACK, _ONSETS, _LOUDNESS = (272.0, 408.0), (132.0, 268.0), (72.0, 124.0), (4.0, 64.0)
"""lanes of the picture: lower and upper edge"""


class SeamPicture(FigureView):
    """Spectrograms stacked, onsets and loudness of both sides, beats through all; seconds from the seam."""

    def __init__(self) -> None:
        super().__init__()
        self.name = f"seam-playhead-{next(_names)}"
        self._x_range = Range1d(start=-2.0, end=2.0)
        self.figure = new_bokeh_figure(
            height=420, sizing_mode="stretch_width", x_range=self._x_range, y_range=Range1d(start=0.0, end=410.0),
            tools="", toolbar_location=None, min_border_left=64, min_border_right=10, output_backend="canvas",
        )  # fmt: skip
        self._texts: list[Any] = []
        self._draw()
        self.ink(dark=False)

    def show(self, look: SeamLook | None, fade_seconds: float = 0.0) -> None:
        """Draw a seam, or nothing."""
        if look is None:
            self._empty()
            return
        view, rate = look.view, SpectrumParams().frames_per_second
        self._x_range.update(start=-view.middle, end=view.heard.duration - view.middle)
        for name, picture, (low, high) in (
            ("heard", look.heard_picture, _HEARD), ("track", look.track_picture, _TRACK)
        ):  # fmt: skip
            start = -view.middle - 0.5 / rate
            self._set(name, image=[picture], x=[start], y=[low], dw=[picture.shape[1] / rate], dh=[high - low])
        top = max(1.0, float(look.heard_onsets.max()), float(look.track_onsets.max()))
        for name, curve in (("track onsets", look.track_onsets), ("heard onsets", look.heard_onsets)):
            times = np.arange(curve.size) / rate - view.middle
            self._set(name, x=times, y=_ONSETS[0] + curve / top * (_ONSETS[1] - _ONSETS[0]))
        self._show_loudness(look)
        self._set("beats", x=view.beats[:, 0], color=[DOWNBEAT if opens else BEAT for opens in view.beats[:, 1]])
        self._set("fade", left=[-fade_seconds / 2], right=[fade_seconds / 2])

    def _show_loudness(self, look: SeamLook) -> None:
        both = [np.maximum(curve, -70.0) for curve in (look.track_loudness, look.heard_loudness)]
        finite = np.concatenate(both)
        low, high = float(finite.min()), float(finite.max())
        middle, reach = (low + high) / 2, max(6.0, (high - low) / 2 + 1.0)
        for name, curve in zip(("track loudness", "heard loudness"), both, strict=True):
            times = np.arange(curve.size) * LOUDNESS_STEP_SECONDS + 0.2 - look.view.middle
            share = (curve - middle + reach) / (2 * reach)
            self._set(name, x=times, y=_LOUDNESS[0] + share * (_LOUDNESS[1] - _LOUDNESS[0]))
        self._set(
            "range",
            x=[-look.view.middle] * 2,
            y=list(_LOUDNESS),
            text=[f"{middle - reach:.0f}", f"{middle + reach:.0f} LUFS"],
        )

    def ink(self, *, dark: bool) -> None:
        """Colours of letters and lines for a light or a dark page."""
        ink, rule = ink_and_rule(dark=dark)
        figure = self.figure
        figure.background_fill_color = figure.border_fill_color = figure.outline_line_color = None
        figure.grid.visible = False
        for axis in figure.axis:
            axis.axis_line_color = axis.major_tick_line_color = rule
            axis.minor_tick_line_color = None
            axis.major_label_text_color = axis.axis_label_text_color = ink
            axis.major_label_text_font = axis.axis_label_text_font = _FONT
            axis.major_label_text_font_size = axis.axis_label_text_font_size = "12px"
            axis.axis_label_text_font_style = "normal"
        for glyph in self._texts:
            glyph.text_color = ink

    def _draw(self) -> None:
        figure = self.figure
        mapper = LinearColorMapper(palette="Magma256", low=0, high=255)
        for name in ("heard", "track"):
            source = self._source(name, "image", "x", "y", "dw", "dh")
            figure.image("image", "x", "y", "dw", "dh", source=source).glyph.color_mapper = mapper
        onsets = self._source("track onsets", "x", "y")
        figure.varea("x", _ONSETS[0], "y", source=onsets, color=EXPECTED, alpha=0.65)
        figure.line("x", "y", source=self._source("heard onsets", "x", "y"), color=HEARD, line_width=1.6)
        figure.line("x", "y", source=self._source("track loudness", "x", "y"), color=EXPECTED, line_width=2)
        figure.line("x", "y", source=self._source("heard loudness", "x", "y"), color=HEARD, line_width=2)
        beats = self._source("beats", "x", "color")
        figure.segment("x", 0.0, "x", _HEARD[1], source=beats, color="color", line_width=1.2, line_dash="dashed")
        fade = self._source("fade", "left", "right")
        figure.quad("left", "right", _HEARD[1], 0.0, source=fade, color="#9AA5AE", alpha=0.45, line_width=0)
        scale = figure.text(
            "x", "y", "text", source=self._source("range", "x", "y", "text"), text_font_size="11px",
            text_baseline="middle", x_offset=4, text_font=value(_FONT),
        )  # fmt: skip
        self._texts.append(scale.glyph)
        playhead(figure, self.name, DOWNBEAT)
        names = {"heard": _HEARD, "in the track": _TRACK, "onsets": _ONSETS, "loudness": _LOUDNESS}
        figure.yaxis.ticker = FixedTicker(ticks=[sum(band) / 2 for band in names.values()])
        figure.yaxis.major_label_overrides = {sum(band) / 2: name for name, band in names.items()}
        figure.yaxis.axis_line_alpha = figure.yaxis.major_tick_line_alpha = 0.0
        bands = f"{LOWEST_HZ:.0f} Hz to {HIGHEST_HZ / 1000:.0f} kHz"
        figure.xaxis.axis_label = f"seconds from the seam · blue: heard, orange: in the track · {bands}"


class ScorePicture:
    """Each part of the score beside the same part of the track's own bar lines, the yardstick."""

    def __init__(self) -> None:
        self._words = [PART_WORDS[part].replace("\n", " ") for part in SEAM_PARTS]
        self.figure = new_bokeh_figure(
            height=250, sizing_mode="stretch_width", x_range=Range1d(start=0.0, end=1.0), tools="",
            toolbar_location=None,
            y_range=Range1d(start=-0.7, end=len(SEAM_PARTS) - 0.1), output_backend="canvas", min_border_right=14,
            min_border_left=10,
        )  # fmt: skip
        self._parts = ColumnDataSource({"y": [], "right": []})
        self._own = ColumnDataSource({"y": [], "low": [], "middle": [], "high": []})
        self._rows = np.arange(len(SEAM_PARTS))[::-1].astype(np.float64)
        figure = self.figure
        names = ColumnDataSource({"y": self._rows + 0.42, "text": self._words})
        figure.hbar("y", right="right", height=0.24, source=self._parts, color=HEARD)
        figure.hbar("y", left="low", right="high", height=0.14, source=self._own, color=BEAT, alpha=0.6)
        self._median = figure.scatter(
            "middle", "y", source=self._own, marker="dash", angle=np.pi / 2, size=9, line_width=2
        )
        self._text = figure.text(
            "x", "y", "text", source=ColumnDataSource({**names.data, "x": np.zeros(len(SEAM_PARTS))}),
            text_font_size="11px", text_baseline="middle", text_font=value(_FONT),
        )  # fmt: skip
        figure.yaxis.visible = False
        figure.xaxis.ticker = FixedTicker(ticks=[0.0, 0.5, 1.0])
        figure.xaxis.major_label_overrides = {0.0: "0", 0.5: "0.5: may be heard", 1.0: "1"}
        self.ink(dark=False)

    def show(self, look: SeamLook | None) -> None:
        """Draw the parts of a seam's score, or nothing."""
        if look is None:
            self._parts.data = {"y": [], "right": []}
            self._own.data = {"y": [], "low": [], "middle": [], "high": []}
            return
        self._parts.data = {"y": self._rows + 0.14, "right": look.view.parts}
        if look.view.own_parts.shape[1]:
            low, middle, high = np.quantile(look.view.own_parts, (0.25, 0.5, 0.75), axis=1)
            self._own.data = {"y": self._rows - 0.12, "low": low, "middle": middle, "high": high}

    def ink(self, *, dark: bool) -> None:
        """Colours of letters and lines for a light or a dark page."""
        ink, rule = ink_and_rule(dark=dark)
        figure = self.figure
        figure.background_fill_color = figure.border_fill_color = figure.outline_line_color = None
        figure.ygrid.visible = False
        figure.xgrid.grid_line_color = rule
        figure.xaxis.axis_line_color = figure.xaxis.major_tick_line_color = rule
        figure.xaxis.minor_tick_line_color = None
        figure.xaxis.major_label_text_color = self._text.glyph.text_color = self._median.glyph.line_color = ink
        figure.xaxis.major_label_text_font, figure.xaxis.major_label_text_font_size = _FONT, "11px"


class SeamChips(JSComponent):
    """All seams of a plan with their scores and crossfades, each a button; the worst is marked."""

    scores = param.List([], doc="one a seam, None where unknown")
    fades = param.List([], doc="s, length of each crossfade")
    worst = param.Integer(-1)
    seam = param.Integer(-1, doc="the one that is looked at, from 0; -1 for none")
    verdicts = param.List([], doc="what was said of each: good, audible, wrong; empty for nothing")
    label = param.String("", doc="in front of the row")
    picked = param.List([], doc="[seam from 0, n]")
    ask = param.String("", doc="of the button beside seams that cannot be picked; empty where they can")
    asked = param.Integer(0, doc="counts up when that button is pressed")

    _esm = ASSETS / "chips.js"
    _stylesheets: ClassVar[list[Any]] = [stylesheet("chips")]

    def tell(
        self,
        plan: LoopPlan | None,
        scores: Sequence[float | None],
        seam: int = -1,
        said: Sequence[str] = (),
    ) -> None:
        """Show the seams of a plan."""
        fades = [] if plan is None else list(plan.seam_fades)
        worst = worst_of(scores)
        self.param.update(
            scores=list(scores) or [None] * len(fades), fades=fades, worst=-1 if worst is None else worst, seam=seam,
            verdicts=list(said),
        )  # fmt: skip


class SeamsTab:
    """The seams of the plan, one at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.state = SeamState(session.workspace)
        self.look: SeamLook | None = None
        self._noted: tuple[Place | None, str] = (None, "")
        self.picture, self.score = SeamPicture(), ScorePicture()
        self.player = SeamPlayer(sizing_mode="stretch_width", playhead=self.picture.name)
        self.chips = SeamChips(sizing_mode="stretch_width")
        self.words = pmui.Typography("", variant="body2", sizing_mode="stretch_width")
        self.note = pmui.TextInput(
            label="note on this seam", size="small", sizing_mode="stretch_width", placeholder="what you heard"
        )
        self.judgements = {word: self._judgement(word, colour) for word, colour in _SAY.items()}
        self.said = pmui.Typography("", variant="caption", sizing_mode="stretch_width")
        self.use = pmui.Button(
            label="Use this fade in the plan", size="small", disabled=True, on_click=lambda _: self.use_fade()
        )
        self.player.param.watch(lambda event: self.try_fade(*event.new[:2]), "wished")
        self.player.param.watch(lambda event: self.step(int(event.new[0])), "step")
        self.player.param.watch(lambda event: self.judge(event.new[0]), "verdict")
        self.player.param.watch(lambda _: self.go_to_worst(), "find_worst")
        self.note.param.watch(lambda event: self.write(event.new or ""), "value")
        self.chips.param.watch(lambda event: self.go(int(event.new[0])), "picked")
        session.param.watch(lambda event: self.go(event.new), "seam")
        session.param.watch(lambda event: self.take(event.new), "loop")
        session.param.watch(lambda event: self._ink(dark=event.new), "dark")
        self._ink(dark=session.dark)
        self.take(session.loop)

    def take(self, loop: Loop | None) -> None:
        """Look at another plan, at the seam that the page is at."""
        self.state.seam = self._session.seam
        try:
            self.state.take(loop)
        except WorkbenchError as error:
            self._session.message = str(error)
        self.said.object = ""
        self._look()

    def go(self, seam: int) -> None:
        """Look at a seam, counted from 0."""
        if seam != self.state.seam and 0 <= seam < self.state.count:
            self.state.seam, self.state.changed = seam, None
            self.said.object = ""
            self._look()

    def go_to_worst(self) -> None:
        """Look at the seam whose score is lowest."""
        if self.state.worst is not None:
            self.go(self.state.worst)

    def step(self, by: int) -> None:
        """Look at the next seam, or the one before."""
        if self.state.count:
            self.go((self.state.seam + by) % self.state.count)

    def try_fade(self, seconds: float, exponent: float) -> None:
        """Hear the seam under another crossfade."""
        try:
            self.state.try_fade(float(seconds), float(exponent))
        except WorkbenchError as error:
            self._session.message = str(error)
            self.player.refused += 1
            return
        self.use.disabled = False
        self._look()

    def use_fade(self) -> None:
        """Put the crossfade that was tried into the plan, for every tab and every export."""
        loop, changed = self.state.loop, self.state.changed
        if loop is not None and changed is not None:
            self._session.show_with_fade(with_option_first(loop, changed), self.state.seam)
            self.player.used += 1
            fade = 1000 * changed.seam_fades[self.state.seam]
            self.said.object = (
                f"the plan has it: seam {self.state.seam + 1} crossfades {fade:.0f} ms; Download takes it"
            )

    def judge(self, word: verdicts.Word) -> None:
        """Keep a verdict about the seam as it is heard."""
        if self.look is None:
            return
        try:
            self.state.judge(self.look, word, self.note.value or "")
        except WorkbenchError as error:
            self._session.message = str(error)
            return
        self._mark()
        self.said.object = f"kept: seam {self.state.seam + 1} is {word}"

    def write(self, note: str) -> None:
        """Take a note on the seam: into the verdict that was given, or into the one that comes."""
        state, given = self.state, self.state.verdict
        if note == state.note or state.place is None:
            return
        state.drafts[state.place] = note
        self._noted = state.place, note
        if given is not None:
            self.judge(given.verdict)

    def as_csv(self) -> StringIO:
        """All verdicts of the home folder."""
        out = StringIO()
        verdicts.write_csv(self.state.verdicts(), out)
        out.seek(0)
        return out

    def _look(self) -> None:
        state, session = self.state, self._session
        plan, loop = state.plan, state.loop
        self._mark()
        if state.count:
            session.seam = state.seam
        if plan is None or loop is None or not state.count:
            self._seen(None)
            return
        asked = (plan, state.seam)

        def seen(look: SeamLook) -> None:
            if asked == (self.state.plan, self.state.seam):
                self._seen(look)

        session.run(look_at_seam, loop, plan, state.seam, then=seen, subject=str(loop.track.path))

    def _mark(self) -> None:
        """Show the scores of all seams, or as many blanks, and what was said of them."""
        state = self.state
        self.chips.tell(state.plan, state.scores, state.seam, state.words)
        if self._noted != (state.place, state.note):  # else somebody may be writing it
            self._noted = state.place, state.note
            self.note.param.update(value=state.note, value_input=state.note)
        given = None if state.verdict is None else state.verdict.verdict
        for word, button in self.judgements.items():
            button.variant = "contained" if word == given else "outlined"

    def _seen(self, look: SeamLook | None) -> None:
        self.look = look
        if look is not None:
            self.state.scores = look.scores
            self._mark()
        self._show()

    def _show(self) -> None:
        look, plan, seam = self.look, self.state.plan, self.state.seam
        self.use.disabled = self.state.changed is None
        self.score.show(look)
        if look is None or plan is None:
            self.picture.show(None)
            self.words.object = "There is no seam to look at yet."
            return
        view, fade = look.view, plan.seam_fades[seam]
        self.picture.show(look, fade)
        step = f", level step {view.level_step_db:+.1f} LU" if np.isfinite(view.level_step_db) else ""
        self.words.object = (
            f"Seam {seam + 1} of {self.state.count}: {clock(view.leave_s)} → {clock(view.enter_s)} of the track, heard "
            f"at {clock(view.video_s)}. Score {view.score:.2f}{step}."
        )
        url = self._session.url_of
        self.player.param.update(
            fade=fade, exponent=plan.seam_curves[seam], seconds=view.heard.duration, middle=view.middle,
            longest=max(_LONGEST_FADE_SECONDS, fade),
            sounds={name: url(getattr(look, name)) for name in ("heard", "cut", "left", "entered")},
        )  # fmt: skip

    def _ink(self, *, dark: bool) -> None:
        self.picture.ink(dark=dark)
        self.score.ink(dark=dark)

    def _judgement(self, word: verdicts.Word, colour: str) -> pmui.Button:
        return pmui.Button(
            label=word, color=colour, variant="outlined", size="small", on_click=lambda _: self.judge(word)
        )

    def panel(self) -> pn.viewable.Viewable:
        """Seams, picture, crossfade; score and verdict beside them."""
        csv = pmui.FileDownload(
            callback=self.as_csv, filename="verdicts.csv", label="Verdicts as CSV", size="small", variant="text"
        )
        beside = pmui.Column(
            self.words,
            pmui.Typography(
                "Blue: this seam, 1 is no break. Grey: one of the track's own bars skipped, middle half and median.",
                variant="caption",
                sizing_mode="stretch_width",
            ),
            growing(self.score.figure),
            pmui.Row(*self.judgements.values()),
            self.note,
            self.said,
            pmui.Row(self.use, csv),
            width=360,
        )
        left = pmui.Column(growing(self.picture.figure), self.player, sizing_mode="stretch_width")
        return pmui.Column(
            self.chips, pmui.Row(left, beside, sizing_mode="stretch_width"), sizing_mode="stretch_width", margin=(0, 10)
        )
