"""The Match tab: tracks of the catalog for the open video, why each is there, and how it sounds where it is placed.

A brief, and a script in the video's place, rank again; filters hide matches. The chosen one plays under the video.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from math import isnan
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import Range1d
from panel.custom import JSComponent

from workbench.align.placements import NO_CLEAR_POINT, Placement
from workbench.catalog.track import Track
from workbench.dashboards.actions import Session
from workbench.dashboards.charts import Picture, flat_legend, ink_colour, time_chart
from workbench.dashboards.sounds.mix import DrawnMatch, MixSounds, match_to_draw, placed_sounds
from workbench.dashboards.sounds.plan import played_duck
from workbench.dashboards.styles import beside, script, scrolled, stylesheet
from workbench.dashboards.tabs.compared import compare_track, compared_tracks
from workbench.dashboards.tabs.mix import MixState, tune_state
from workbench.dashboards.tabs.tab import Tab, action
from workbench.dashboards.tasks import Task
from workbench.dashboards.transport import Program
from workbench.matching.brief import BROKEN, NOT_KNOWN, read_brief
from workbench.matching.lane import Match
from workbench.plots.palette import BEAT, PLAYED, VOICE
from workbench.recording import FloatArray
from workbench.results.match import MAX_BRIEF, MAX_SCRIPT
from workbench.workflows.catalog import add_all, bundled_files, search_catalog, words_of

SLOWEST, FASTEST = 40.0, 220.0
LONGEST_SECONDS = 1800.0
EMPTY_CATALOG = (
    "The catalog is empty: there is no track to match to this video. Add the tracks that come with Workbench, or a "
    "folder of your own with the command workbench catalog add FOLDER, and press Match again."
)
VOICES = ("any", "instrumental", "with vocals")
_RUN_UP_SECONDS = 3.0
"""played before the strongest coincidence"""
_PARTS = {NOT_KNOWN: "not known whether these keep every rule", BROKEN: "these break a rule"}
"""headings, by the standing of the rows below"""
_NAMED = 6
"""coincidences that are named in the picture"""
_FIGURE_SHARE = 0.3
"""of a higher window; the table has the rest"""
_WHY_HEIGHT = f"max(345px, calc(375px + {1 - _FIGURE_SHARE} * (100vh - 720px)))"
_LETTER_PIXELS, _BESIDE_PIXELS = 6.5, 5
"""of a name beside its mark: each letter, and from the mark to the first"""
_USUAL_WIDTH = 1100
"""of the picture, until the browser has sent it"""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which of the matches are shown."""

    bpm: tuple[float, float] = (SLOWEST, FASTEST)
    seconds: tuple[float, float] = (0.0, LONGEST_SECONDS)
    voice: str = "any"
    words: str = ""

    def keep(self, track: Track, tempi: Sequence[float]) -> bool:
        """Whether a track is shown; unknown values pass an open filter only, and one of `tempi` is enough."""
        return (
            any(_within(bpm, self.bpm, (SLOWEST, FASTEST)) for bpm in tempi)
            and _within(track.duration_seconds, self.seconds, (0.0, LONGEST_SECONDS))
            and (self.voice == "any" or track.instrumental is (self.voice == "instrumental"))
            and all(word in words_of(track) for word in self.words.casefold().split())
        )


def _within(value: float | None, wanted: tuple[float, float], whole: tuple[float, float]) -> bool:
    """Whether a value is in the range of a slider; a handle at the end of the slider is no limit."""
    low = wanted[0] if wanted[0] > whole[0] else float("-inf")
    high = wanted[1] if wanted[1] < whole[1] else float("inf")
    if value is None or isnan(value):
        return low == float("-inf") and high == float("inf")
    return low <= value <= high


@dataclass(eq=False)
class MatchState:
    """The matches of a video, the filters, and the chosen track; no widgets."""

    drawn: DrawnMatch | None = None
    filters: Filters = Filters()
    chosen: str = ""
    placement: int = 0

    @property
    def shown(self) -> tuple[tuple[int, Match], ...]:
        """Rank, from 1, and match, of those that pass the filters."""
        if self.drawn is None:
            return ()
        kept = self.filters.keep
        return tuple(
            (n, found) for n, found in enumerate(self.everyone, start=1) if kept(found.track, self._tempi(found.track))
        )

    @property
    def everyone(self) -> tuple[Match, ...]:
        """All matches, whether they pass the filters or not: of each standing the lane first."""
        if self.drawn is None:
            return ()
        lane = self.drawn.lane
        first = {found.track.track_id for found in lane.matches}
        others = (found for found in lane.candidate_pool if found.track.track_id not in first)
        return tuple(sorted((*lane.matches, *others), key=lambda found: -found.standing))

    @property
    def match(self) -> Match | None:
        """The one that is chosen, if it is shown."""
        return next((found for _, found in self.shown if found.track.track_id == self.chosen), None)

    @property
    def place(self) -> Placement | None:
        """Where the chosen one is placed under the video; None where it has no placement."""
        match = self.match
        if match is None or not match.sync:
            return None
        return match.sync[min(self.placement, len(match.sync) - 1)]

    def _tempi(self, track: Track) -> tuple[float, ...]:
        """The tempi that a track may be counted at; NaN where no beat is sure."""
        return () if self.drawn is None else self.drawn.tempi[track.track_id]

    def music(self, match: Match, place: Placement | None) -> tuple[FloatArray, FloatArray]:
        """Energy of a track over the video: video seconds and energy, 0 to 1; empty where it was not measured."""
        contour = None if self.drawn is None else self.drawn.contours.get(match.track.track_id)
        length = match.track.duration_seconds
        if self.drawn is None or contour is None or not length or not np.all(np.isfinite(contour)):
            return np.zeros(0), np.zeros(0)
        begins = 0.0 if place is None else place.offset_seconds
        times = begins + (np.arange(contour.size) + 0.5) / contour.size * length
        inside = (times >= 0.0) & (times <= self.drawn.video.duration)
        return times[inside], contour[inside]

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        return [self._row(rank, found) for rank, found in self.shown]

    def video(self) -> list[list[float]]:
        """Motion of the video, for the table: pairs of share of its time and motion, 0 to 1 each."""
        if self.drawn is None:
            return []
        motion = self.drawn.motion[:: max(1, len(self.drawn.motion) // 100)]
        return [[round(float(at / self.drawn.video.duration), 4), round(float(much), 3)] for at, much in motion]

    def _row(self, rank: int, found: Match) -> dict[str, Any]:
        assert self.drawn is not None, "rows are of a match"
        track, best = found.track, found.sync[0] if found.sync else None
        times, energy = self.music(found, best)
        points = zip(times / self.drawn.video.duration, energy, strict=True)
        return {
            "id": track.track_id,
            "rank": rank,
            "title": track.called,
            "artist": " · ".join(filter(None, (track.artist_name, track.licence))),
            "score": found.score,
            "part": _PARTS.get(found.standing, ""),
            "unmet": found.unmet,
            "bpm": track.bpm,
            "tempo": "–" if track.bpm is None else "/".join(dict.fromkeys(f"{bpm:.0f}" for bpm in self._tempi(track))),
            "seconds": track.duration_seconds,
            "voice": "–" if track.instrumental is None else "none" if track.instrumental else "vocals",
            "contour": [[round(float(at), 4), round(float(much), 3)] for at, much in points],
            "placement": "not placed" if found.sync is None else best.in_words if best is not None else NO_CLEAR_POINT,
        }

    def why(self) -> str:
        """The chosen match in words, as HTML."""
        match = self.match
        if match is None:
            return ""
        lines = "".join(
            f"<tr><td>{escape(reason.called or 'script')}</td><td>{escape(reason.video)}</td>"
            f"<td>{escape(reason.audio)}</td><td>{reason.score:.2f}</td></tr>"
            for reason in match.reasons
        )
        head = "<tr><th>reason</th><th>the video</th><th>the music</th><th>fit</th></tr>"
        title, track = escape(match.track.called), match.track
        credited = f"<p>{escape(track.credits_in_words)}</p>" if track.credits else ""
        read = f"<p>{escape(self.drawn.lane.reasoning)}</p>" if self.drawn and match.sync_status is None else ""
        return f"<h4>{title}</h4><p>{escape(match.fit_explanation)}</p>{credited}<table>{head}{lines}</table>{read}"


def brief_chips(brief: str) -> str:
    """The understood parts of a brief in a chip each, then the other words; HTML, empty without a brief."""
    read = read_brief(brief)
    not_applied = tuple(f"{one} / {other}" for one, other in read.contradictions)
    chips = [f"<b>{escape(words)}</b>" for words in read.understood]
    chips += [f"<i>{escape(words)}</i>" for words in (*read.unread, *not_applied)]
    left_aside = (
        " <small>dashed: not understood, or contradicting itself</small>" if len(chips) > len(read.understood) else ""
    )
    return " ".join(chips) + left_aside


class MatchTable(JSComponent):
    """The matches, a row each."""

    rows = param.List([], doc="by rank; `part`: what heads it and those after it; `unmet`: rules of the brief")
    video = param.List([], doc="[share of the video's time, 0 to 1] pairs: what moves")
    chosen = param.String("", doc="track id")
    opened = param.List([], doc="[track id, n]: open it in the Plan tab")
    dark = param.Boolean(False)
    empty = param.String("", doc="shown where there is no row")

    _esm = script("matches")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("matches")]


class MatchPicture(Picture):
    """What moves in the video, and the energy of the chosen track where it is placed under it."""

    def __init__(self, state: MatchState) -> None:
        self.state = state
        self.figure = time_chart(188, Range1d(start=0.0, end=60.0), -0.12, 1.28, "motion, energy", last=True)
        super().__init__(self.figure)
        self._width = _USUAL_WIDTH
        self._draw()
        self._add_playheads("match-playhead")
        self.figure.on_change("inner_width", self._resized)

    def show_video(self) -> None:
        """Show another video."""
        drawn = self.state.drawn
        if drawn is None:
            self._empty()
            return
        end = drawn.video.duration
        self.figure.x_range.update(start=0.0, end=end, bounds=(0.0, end))
        self._set("motion", x=drawn.motion[:, 0], y=drawn.motion[:, 1])
        self._set("cuts", x=drawn.video.cuts)
        self._spans("speech", drawn.speech)
        self.show_track()

    def show_track(self) -> None:
        """Show another track, or another place of it."""
        state, match, place = self.state, self.state.match, self.state.place
        if match is None or state.drawn is None:
            self._set("music", x=[], y=[])
            self._set("marks", x=[], text=[], side=[], shift=[])
            return
        times, energy = state.music(match, place)
        self._set("music", x=times, y=energy)
        self._show_marks()

    def _show_marks(self) -> None:
        """Name what meets what, as far as there is room."""
        place, drawn = self.state.place, self.state.drawn
        if drawn is None or self.state.match is None:
            return
        marks = named_marks(place, drawn.video.duration, self._width)
        self._set(
            "marks", x=[at for at, *_ in marks], text=[words for _, words, _ in marks],
            side=[side for *_, side in marks],
            shift=[_BESIDE_PIXELS if side == "left" else -_BESIDE_PIXELS for *_, side in marks],
        )  # fmt: skip

    def _resized(self, _attr: str, _old: int | None, width: int) -> None:
        if width > 0 and width != self._width:
            self._width = width
            self._show_marks()

    def _draw(self) -> None:
        figure = self.figure
        motion = self._source("motion", "x", "y")
        figure.varea("x", 0.0, "y", source=motion, color=BEAT, alpha=0.4, legend_label="motion of the video")
        self._band(figure, "speech", -0.12, -0.04, color=VOICE, legend_label="speech")
        cuts = figure.segment("x", -0.04, "x", 0.0, source=self._source("cuts", "x"), line_width=1)
        self._curve(figure, "music", PLAYED, line_width=2.2, legend_label="energy of the music")
        source = self._source("marks", "x", "text", "side", "shift")
        marks = figure.segment("x", 0.0, "x", 1.2, source=source, line_width=1.2, line_dash="2 2")
        words = figure.text(
            "x", 1.1, "text", source=source, text_font_size="11px", text_align="side", x_offset="shift",
            text_baseline="middle",
        )  # fmt: skip
        self._shade(cuts.glyph, "line_color", ink_colour)
        self._shade(marks.glyph, "line_color", ink_colour)
        self._text(words.glyph)
        figure.yaxis.ticker = [0.0, 0.5, 1.0]
        flat_legend(figure)


def named_marks(place: Placement | None, seconds: float, width: int) -> list[tuple[float, str, str]]:
    """Video seconds, name, and side of the name at the mark, of the strongest coincidences; names never overlap.

    A placement whose coincidences may be due to chance has none that is named.
    """
    marks: list[tuple[float, str, str]] = []
    taken: list[tuple[float, float]] = []
    for met in () if place is None or place.in_words == NO_CLEAR_POINT else place.coincidences:
        words = f"{met.landmark} on {met.event}"
        at, room = met.video_s / max(1e-9, seconds) * width, _LETTER_PIXELS * len(words) + 2 * _BESIDE_PIXELS
        side = "left" if at + room <= width else "right"
        first = at if side == "left" else at - room
        if len(marks) < _NAMED and all(first + room <= left or right <= first for left, right in taken):
            marks.append((met.video_s, words, side))
            taken.append((first, first + room))
    return marks


def first_audible(place: Placement) -> float:
    """Video time at which one begins to listen: a run-up before the strongest coincidence, but not before the music."""
    begins = max(0.0, place.offset_seconds)
    return max(begins, place.coincidences[0].video_s - _RUN_UP_SECONDS) if place.coincidences else begins


class MatchTab(Tab):
    """Tracks for the open video, shown and played under it."""

    title = "Match"

    def __init__(self, session: Session) -> None:
        self.state = MatchState()
        self.mix = MixState()
        self.picture = MatchPicture(self.state)
        super().__init__(session, self.picture)
        self._trying: Task | None = None
        self._video: Path | None = None
        self._asked: object | None = None
        """while the catalog is being matched to that video: what was asked for last"""
        self.table = MatchTable(sizing_mode="stretch_width")
        self.player = self.program = Program(clock="match", playheads=self.picture.playheads)
        self.bpm = pmui.RangeSlider(
            label="bpm", start=SLOWEST, end=FASTEST, step=1.0, value=(SLOWEST, FASTEST), size="small", width=170
        )
        self.seconds = pmui.RangeSlider(
            label="length, s", start=0.0, end=LONGEST_SECONDS, step=5.0, value=(0.0, LONGEST_SECONDS), size="small",
            width=170,
        )  # fmt: skip
        self.voice = pmui.Select(
            label="voice", options=list(VOICES), value="any", size="small", width=130, margin=(12, 6)
        )
        self.words = pmui.TextInput(label="mood, genre, instrument …", size="small", width=216, margin=(12, 6))
        self.brief = pmui.TextInput(
            label="brief: what the music should be", placeholder="calm and warm, piano, no vocals", size="small",
            max_length=MAX_BRIEF, margin=(6, 6), sizing_mode="stretch_width", styles=beside(360),
        )  # fmt: skip
        self.script = pmui.TextAreaInput(
            label="script, in place of the picture", placeholder="what is said or shown", size="small", rows=1,
            auto_grow=True, max_rows=6, max_length=MAX_SCRIPT, margin=(6, 6), sizing_mode="stretch_width",
            styles=beside(360),
        )  # fmt: skip
        self.understood = pn.pane.HTML("", margin=(0, 8), visible=False, stylesheets=[_CHIPS])
        self.places = pmui.Select(label="placement", options=[], size="small", margin=(12, 6), styles=beside(260))
        self.fill = action(
            "Add the bundled tracks", self.add_bundled, variant="contained", visible=False, margin=(0, 6)
        )
        self.why = pn.pane.HTML("", sizing_mode="stretch_width", stylesheets=[_WHY])
        for widget, watched in (
            (self.bpm, "value_throttled"), (self.seconds, "value_throttled"), (self.voice, "value"),
            (self.words, "value_input"),
        ):  # fmt: skip
            widget.param.watch(lambda *_: self.narrow(), watched)
        self.table.param.watch(lambda event: self.choose(str(event.new)), "chosen")
        self.table.param.watch(lambda event: self.open(str(event.new[0])), "opened")
        self.opened = action(
            "Open in Plan",
            lambda: self.open(self.state.chosen),
            variant="contained",
            margin=(12, 6, 12, 0),
            visible=False,
        )
        self.compared = action("Compare", self.compare, variant="outlined", margin=(12, 6), visible=False)
        self.places.param.watch(lambda event: self._place(event.new), "value")
        for asked in (self.brief, self.script):
            asked.param.watch(lambda _: self.ask(), "value")
        self.follow(["dark"], partial(setattr, self.table, "dark"))
        self.follow(["stack", "track"], lambda *_: self._show_compared())
        self.follow_shown(["video"], self.take)
        self.follow_shown(["params"], lambda _: self._balance())

    def take(self, video: Path | None) -> None:
        """Match the catalog to another video."""
        if video is not None and video == self._video and (self._asked is not None or self.state.drawn is not None):
            return
        self._video, self._asked = video, None
        self.state.drawn, self.state.chosen = None, ""
        self._show()
        self.match()

    def match(self) -> None:
        """Match again, with the session's parameters and the catalog as it is."""
        video = self._video
        if video is None:
            self.table.empty = "open a video in the Plan tab first"
            return
        self._session.message = ""
        self.table.empty = "matching the catalog to the video …"

        def fail(fault: str) -> None:
            self._asked = None
            self.table.empty = fault or "cancelled; press Match again"

        asked = self._asked = object()
        self.run(
            match_to_draw, video, self.brief.value, self.script.value, on_result=self._show_match,
            is_current=lambda: self._asked is asked, subject=str(video), on_error=fail,
        )  # fmt: skip

    def ask(self) -> None:
        """Rank for another brief or script, and show what was understood of the brief."""
        chips = brief_chips(self.brief.value)
        self.understood.param.update(object=chips, visible=bool(chips))
        if self._video is not None:
            self.match()

    def narrow(self) -> None:
        """Show what passes the filters."""
        self.state.filters = Filters(
            (self.bpm.value[0], self.bpm.value[1]),
            (self.seconds.value[0], self.seconds.value[1]),
            self.voice.value,
            self.words.value_input or "",
        )
        self._show()

    def choose(self, track_id: str) -> None:
        """Look at a track, and make it ready to play under the video."""
        if track_id == self.state.chosen:
            return
        self.state.chosen, self.state.placement = track_id, 0
        self._show_chosen()

    def open(self, track_id: str) -> None:
        """Open a track of the catalog under the video, in the Plan tab; nothing for an empty id."""
        if track_id:
            self._session.open_track(track_id)
            self._session.tab = "Plan"

    def compare(self) -> None:
        """Have the chosen track compared with the page's own in the Tracks tab."""
        if self.state.match is not None:
            self.attempt(compare_track, self._session, self.state.chosen)

    def panel(self) -> pn.viewable.Viewable:
        """Picture; what is asked, filters and table beside the reasons."""
        again = action("Match again", self.match, variant="outlined", margin=(12, 6))
        filters = pmui.FlexBox(self.bpm, self.seconds, self.voice, self.words, again, sizing_mode="stretch_width")
        asked = pmui.FlexBox(self.brief, self.script, sizing_mode="stretch_width")
        found = pmui.Column(
            asked,
            self.understood,
            filters,
            self.table,
            self.fill,
            sizing_mode="stretch_width",
            margin=0,
            styles=beside(480),
        )
        places = pmui.FlexBox(self.places, self.compared, self.opened, sizing_mode="stretch_width")
        reasons = pmui.Column(places, self.why, sizing_mode="stretch_width")
        both = pmui.FlexBox(found, scrolled(reasons, height=_WHY_HEIGHT, least=390), sizing_mode="stretch_width")
        return pmui.Column(*self.picture.panes(_FIGURE_SHARE, margin=0), both, sizing_mode="stretch_width")

    def _show_match(self, drawn: DrawnMatch) -> None:
        self._asked = None
        self.state.drawn = drawn
        self.player.duration = drawn.video.duration
        self.picture.show_video()
        self._show()

    def _show(self) -> None:
        """Show the rows; the first of them is chosen where the chosen one is not among them."""
        state = self.state
        rows = state.rows()
        if state.match is None:
            state.chosen, state.placement = (rows[0]["id"] if rows else ""), 0
        self.fill.visible = False
        if state.drawn is not None and not rows:
            self.attempt(self._explain_none)
        self.table.param.update(rows=rows, video=state.video(), chosen=state.chosen)
        self._show_chosen()

    def _explain_none(self) -> None:
        if self.state.everyone:
            self.table.empty = "no match passes these filters"
            return
        self.fill.visible = not search_catalog(self._session.workspace, "")
        self.table.empty = (
            EMPTY_CATALOG if self.fill.visible else "no track of the catalog can be matched to this video"
        )

    def add_bundled(self) -> None:
        """Fill the catalog with the bundled tracks, and match again."""
        self.attempt(self._add_bundled)

    def _add_bundled(self) -> None:
        wanted = bundled_files().wanted
        self.table.empty = "the tracks that come with Workbench are analysed; that takes some minutes"
        self.fill.visible = False
        self.run(add_all, wanted, on_result=lambda _: self.match(), on_error=lambda _: self._show())

    def _show_chosen(self) -> None:
        match = self.state.match
        sync: Sequence[Placement] = () if match is None or not match.sync else match.sync
        # The value is the label, not a number: the browser shows a value that stays the same with its old label.
        labels = [f"{n}. {place.in_words} ({place.score:.2f})" for n, place in enumerate(sync, start=1)]
        self.places.param.update(options=labels, value=labels[0] if labels else None, visible=bool(labels))
        self.opened.visible = self.compared.visible = match is not None
        self._show_compared()
        self.why.object = self.state.why()
        self.picture.show_video() if self.state.drawn is None else self.picture.show_track()
        self._try()

    def _show_compared(self) -> None:
        is_compared = self.state.chosen in compared_tracks(self._session)
        self.compared.param.update(label="Compared" if is_compared else "Compare", disabled=is_compared)

    def _place(self, label: str | None) -> None:
        number = self.places.options.index(label) if label in self.places.options else self.state.placement
        if number != self.state.placement:
            self.state.placement = number
            self.picture.show_track()
            self._try()

    def _try(self) -> None:
        match, place, video = self.state.match, self.state.place, self._video
        self.mix.sounds = None
        self.player.param.update(music_a="", duck_a=[])
        if self._trying is not None:
            self._trying.cancel()
        self._trying = None
        if match is None or video is None:
            return
        offset = 0.0 if place is None else place.offset_seconds
        self._trying = self.run(
            placed_sounds, match.track.path, video, offset, on_result=partial(self._hear, place),
            is_current=lambda: match is self.state.match and place is self.state.place, subject=str(match.track.path),
        )  # fmt: skip

    def _hear(self, place: Placement | None, sounds: MixSounds) -> None:
        self.mix.sounds = sounds
        self._balance()
        session = self._session
        self.player.param.update(
            music_a=session.url_of(sounds.music),
            soundtrack="" if sounds.soundtrack is None else session.url_of(sounds.soundtrack),
        )
        if place is not None:
            self.player.go(first_audible(place))

    def _balance(self) -> None:
        state = self.mix

        def play() -> None:
            if state.sounds is not None:
                self.player.param.update(
                    gain_a_db=state.music_gain_db, soundtrack_db=state.video_gain_db,
                    duck_a=played_duck(state.mix, self._session.params.render), headroom_db=state.headroom_db(),
                )  # fmt: skip

        tune_state(state, self._session, play)


_CHIPS = """
:host { font: 12px/1.9 system-ui, sans-serif } small { opacity: 0.8 }
b, i { font: inherit; padding: 1px 8px; border: 1px solid currentColor; border-radius: 10px; white-space: nowrap }
i { border-style: dashed; opacity: 0.8 }
"""
_WHY = """
h4 { margin: 2px 0 4px; font-size: 14px } p { margin: 0 0 6px } :host { font: 13px/1.35 system-ui, sans-serif }
table { border-collapse: collapse; font-size: 12px } th { text-align: left; font-weight: 600 }
td, th { padding: 2px 8px 2px 0; vertical-align: top } td:last-child { font-variant-numeric: tabular-nums }
"""
