"""Splices and plans of one's own: any splice of a track, any list of segments, scored, drawn and played in a line.

A recording and, if there is one, a grid of one's own are all that is needed; in a workspace the track's grid is the one
that is saved for it or cached, and the result says what it was made from. A splice joins any two beats; the planner's
join bar lines. It is fitted to the waveform, scored and played as the planner's are, so that a splice at bar lines gets
the planner's own numbers.

A list of segments is played as it stands. The invariants of every plan are checked when it is made; whether its
splices are on the grid is stated, and not demanded. Splices and plans say what they were made from, a given grid
included, so that they are saved, rendered, exported and made again as any plan is.

Functions: `splice` makes a `SplicePreview`, `plan_of` a `PlanPreview`, `preview_plan` one of a plan that there is;
`splice_json` and `preview_json`, each as JSON with its provenance; `splice_again` and `plan_again` make them again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from workbench.analysis.protocols import track_beats
from workbench.analysis.provenance import (
    FileRecord,
    Provenance,
    grid_record,
    provenance_of,
    with_provenance,
)
from workbench.analysis.track import Analysis, BeatAnalysis, Sound, beat_stage, detected_grid, grid_parts
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import ConstraintError, ParameterError, PlanError, plain_seconds
from workbench.media.audio import decode, subtype_for, write_audio
from workbench.params import WorkbenchParams
from workbench.plans.build import PlayedSegments, Window, build_plan, segments_of
from workbench.plans.constraints import NamedSplice, clock
from workbench.plans.plan import (
    Ending,
    EndKind,
    LoopPlan,
    LoopSegment,
    check_against_grid,
    micros,
    nearest_line,
    segment_starts,
    segment_table,
)
from workbench.plans.refusals import Refusal
from workbench.plans.splices import seam_gains
from workbench.plots.seams import SeamView, seam_figure
from workbench.recording import FloatArray, NotebookValue, Recording
from workbench.render.playback import render_blocks, seam_excerpt
from workbench.results.plan import plan_result
from workbench.seams.build_profile import bare_profile, splices_at
from workbench.seams.profile import SEAM_PARTS, LoopProfile, Splices
from workbench.seams.seam_score import SeamScore, score_seam
from workbench.store.fingerprint import canonical_json
from workbench.workflows.constraints import read_seconds
from workbench.workflows.seams import EXCERPT_SECONDS, evidence_of, seam_view

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure
    from pydantic import JsonValue

_FADE_SECONDS = 0.02  # crossfade of segments that come without one
_EDGE_FADE_SECONDS = 0.005  # fade at both ends of segments, against a click
_STAGES = ("beats", "loops", "plan")


@dataclass(frozen=True, slots=True, eq=False)
class PlanPreview(NotebookValue):
    """A plan and the recording that it plays.

    Attributes
    ----------
    plan : what is played
    recording : the track
    grid : by which its seams are scored
    scores : 0 to 1, of each seam at the beats nearest to it; none where the grid has no bars
    off_grid : which rule of the grid it breaks, in words; empty without any, as for the planner's plans
    provenance : what it was made from; None of `preview_plan`, whose plan has its own
    """

    plan: LoopPlan
    recording: Recording
    grid: BeatGrid
    scores: tuple[float, ...]
    off_grid: str
    provenance: Provenance | None = None

    def __repr__(self) -> str:
        if self.scores or not self.plan.seam_fades:
            return repr(self.plan)
        seams = f"{len(self.plan.segments)} segments, no bars to score seams by"
        return f"<{self.plan.kind.in_words} of {clock(self.plan.window_end)}, {seams}, {self.plan.end_label}>"

    def sound(self, from_s: float = 0.0, to_s: float | None = None) -> Recording:
        """Its sound, or a part of it.

        Parameters
        ----------
        from_s, to_s : seconds from its start, the first before the second, clipped to the plan; None: to the end

        Raises
        ------
        ParameterError : nothing of the plan is between them
        """
        end = self.plan.window_end
        if not max(from_s, 0.0) < min(end if to_s is None else to_s, end):
            given = f"{from_s:g} s to {'the end' if to_s is None else f'{to_s:g} s'}"
            raise ParameterError(f"a stretch of this plan is between 0 and {end:g} s, from before to; got {given}")
        blocks = list(render_blocks(self.plan, self.recording, from_s=from_s, to_s=to_s))
        return Recording.from_samples(np.concatenate(blocks, axis=1), self.recording.sample_rate)

    def seam_sound(self, seam: int) -> Recording:
        """The sound around one seam, with the seam in the middle.

        Parameters
        ----------
        seam : counted from 0

        Raises
        ------
        ParameterError : there is no such seam
        """
        return seam_excerpt(self.plan, self.recording, seam, EXCERPT_SECONDS)

    def save(self, out: Path | str) -> Path:
        """Write its sound.

        Parameters
        ----------
        out : a .wav, .flac or .mp3 file, which appears whole or not at all

        Returns
        -------
        the path

        Raises
        ------
        MediaError : the file cannot be written
        """
        blocks, recording = render_blocks(self.plan, self.recording), self.recording
        subtype = subtype_for(Path(out), recording)
        return write_audio(Path(out), blocks, recording.sample_rate, recording.channels, subtype=subtype)

    def to_dataset(self) -> xarray.Dataset:
        """The plan as labelled arrays, with the score of each seam."""
        found = self.plan.to_dataset()
        return found.assign(score=("seam", list(self.scores))) if self.scores else found

    def to_frame(self) -> pandas.DataFrame:
        """A row a segment, with the score of the seam before it."""
        found = self.plan.to_frame()
        return found.assign(score=[np.nan, *self.scores]) if self.scores else found


@dataclass(frozen=True, slots=True, eq=False)
class SplicePreview(NotebookValue):
    """One splice of a recording: its score, and all that shows it.

    Attributes
    ----------
    score : 0 to 1
    parts : 0 to 1 each, by the names of `SEAM_PARTS`
    leave_beat : index of the beat at which it leaves
    enter_beat : index of the beat at which it goes on
    bars : of the body that it repeats; negative where it goes ahead and leaves out as many
    level_step_db : LU by which the entered side is louder
    beats : as the beats alone have it, before the waveforms are compared: also the breaks and their yardsticks
    view : what its picture shows; its `played`, `left` and `entered` are sounds
    played : the whole recording with this splice taken once
    provenance : what it was made from
    """

    score: float
    parts: dict[str, float]
    leave_beat: int
    enter_beat: int
    bars: int
    level_step_db: float
    beats: SeamScore
    view: SeamView
    played: PlanPreview
    provenance: Provenance

    def __repr__(self) -> str:
        return f"<splice from beat {self.leave_beat} to beat {self.enter_beat}, score {self.score:.4f}>"

    @property
    def sound(self) -> Recording:
        """The sound around it, with the splice in the middle."""
        return self.view.played

    def figure(self) -> Figure:
        """Its picture: the sound, what the track has there, and the parts of the score."""
        return seam_figure(self.view)

    def to_dataset(self) -> xarray.Dataset:
        """Its parts, breaks and yardsticks, by the name of the part."""
        import xarray

        names = list(self.parts)
        columns = {"part": self.parts, "break": self.beats.breaks, "yardstick": self.beats.yardstick}
        variables = {name: ("seam_part", [values[part] for part in names]) for name, values in columns.items()}
        left, entered = self.played.plan.segments
        numbers = {"score": self.score, "leave": left.song_to, "enter": entered.song_from}
        return xarray.Dataset(variables, coords={"seam_part": names}, attrs=numbers)

    def to_frame(self) -> pandas.DataFrame:
        """A row a part: the part itself, its break and the yardstick."""
        table: pandas.DataFrame = self.to_dataset().to_dataframe()
        return table


def splice(
    track: Recording | Path | str,
    leave: float | str,
    enter: float | str,
    *,
    snap: Literal["beat", "bar"] = "beat",
    grid: BeatGrid | None = None,
    params: WorkbenchParams | None = None,
    workspace: Workspace | None = None,
) -> SplicePreview:
    """Score, draw and play the splice that leaves a track at one place and goes on at another.

    Parameters
    ----------
    track : a recording, or a file of it
    leave, enter : seconds of track time, or a text such as `0:40`
    snap : what the times stand for: the nearest `beat` each, or the nearest `bar` line
    grid : its beats; None: those that count in the workspace, else they are tracked
    params : of beats, seams and gains; None: those of the workspace, else the defaults
    workspace : whose grid of the track counts, a saved one first; the track is a file then

    Returns
    -------
    SplicePreview : which shows itself in a notebook, with a player

    Raises
    ------
    ParameterError : what is no time; a time after the end of the track; one beat or bar line for both; fewer than two
        bars; a workspace and no file
    ConstraintError : no room for a crossfade at an end of the recording, or a time before its start
    MediaError : the file cannot be read
    """
    params = params or (WorkbenchParams() if workspace is None else workspace.params)
    times = NamedSplice(_time("leave", leave), _time("enter", enter))
    given: dict[str, JsonValue] = {"leave": times.leave, "enter": times.enter, "snap": snap, "grid": _as_given(grid)}
    is_given, correction = grid is not None, None
    if workspace is None:
        recording = _loaded(track)
        grid = _grid_of(recording, params) if grid is None else grid
    else:
        if isinstance(track, Recording):
            raise ParameterError("in a workspace a track is a file, not a recording")
        sound, recording = Sound(workspace.with_params(params), Path(track)), workspace.load_recording(track)
        grid, correction = beat_stage(sound).grid if grid is None else grid, sound.correction
    provenance = provenance_of(
        params,
        "splice",
        _STAGES,
        track=_record_of(track, recording),
        grid=grid_record(grid, correction, is_given=is_given),
        constraints=given,
    )
    left, entered = _beats_of(times, snap, recording, grid)
    evidence = evidence_of(recording, grid, params.seams)
    scored = score_seam(evidence, left, entered, params.seams)
    found = _fitted(recording, grid, left, entered, scored, params)
    profile = _profile_of(recording, grid, found)
    plan = _taken_once(profile, times.in_words, params)
    beats = BeatAnalysis(recording.content_hash, recording.duration, grid, np.zeros(0), 1, cached=False)
    view = seam_view(plan, recording, Analysis(beats, profile), evidence, 0, params.seams)
    total = float(found.score[0])
    return SplicePreview(
        score=total,
        parts=dict(zip(scored.parts, found.parts[0].tolist(), strict=True)),
        leave_beat=left,
        enter_beat=entered,
        bars=int(found.leave[0] - found.enter[0]),
        level_step_db=float(found.level_step_db[0]),
        beats=scored,
        view=replace(view, video_s=float("nan")),
        played=PlanPreview(plan, recording, grid, (total,), _broken_rule(plan, grid), provenance),
        provenance=provenance,
    )


def splice_json(track_id: str, scored: SplicePreview, min_seam_score: float) -> dict[str, Any]:
    """The JSON of a splice as the command line prints it; its fields are named as in a plan."""
    plan = scored.played.plan
    left, entered = plan.segments
    body = {
        "track_id": track_id,
        "song_to": left.song_to,
        "song_from": entered.song_from,
        "bars": scored.bars,
        "seam_score": round(scored.score, 4),
        "min_seam_score": min_seam_score,
        "parts": {name: round(part, 4) for name, part in scored.parts.items()},
        "seam_fade": plan.seam_fades[0],
        "seam_curve": plan.seam_curves[0],
        "level_step_db": round(scored.level_step_db, 2),
        "gain_in_db": entered.gain_in_db,
    }
    return with_provenance(body, scored.provenance)


def plan_of(
    segments: Sequence[tuple[float | str, float | str] | LoopSegment],
    recording: Recording | Path | str,
    *,
    fade_seconds: float | Sequence[float] = _FADE_SECONDS,
    exponent: float | Sequence[float] = 1.0,
    gain_glide_seconds: float = 0.0,
    grid: BeatGrid | None = None,
    params: WorkbenchParams | None = None,
) -> PlanPreview:
    """Check any list of segments of a recording as a plan, score its seams, and play it.

    Parameters
    ----------
    segments : seconds of track time or texts such as `0:40`, from and to, in the order of playback; or segments with
        gains
    recording : the track, or a file of it
    fade_seconds : of the crossfade at each seam, 0.005 or more; one for all, or one each
    exponent : gain law, 0.5 (equal power) to 1.0 (linear); one for all, or one each
    gain_glide_seconds : that a segment takes from its first gain to its second
    grid : of the recording, by which seams are scored and counted in bars; None: it is tracked
    params : of beats and seams; None: the defaults

    Returns
    -------
    PlanPreview : exactly as long as its segments together

    Raises
    ------
    ParameterError : a segment is not two times
    PlanError : the segments break an invariant of plans, such as room for the crossfades
    MediaError : the file cannot be read
    """
    named, params, given = recording, params or WorkbenchParams(), _as_given(grid)
    recording = _loaded(named)
    grid = _grid_of(recording, params) if grid is None else grid
    played = tuple(one if isinstance(one, LoopSegment) else _segment(one) for one in segments)
    if not played:
        raise PlanError("a plan has at least one segment")
    shortest = min(one.length for one in played)
    if not 0.0 <= gain_glide_seconds <= shortest:
        raise PlanError(f"room: a glide must fit the shortest segment, 0 to {shortest:g} s, got {gain_glide_seconds}")
    count = len(played) - 1
    fades, exponents = _each("fade_seconds", fade_seconds, count), _each("exponent", exponent, count)
    scores = _scores(np.array([(one.song_from, one.song_to) for one in played]), recording, grid, params)
    sound = PlayedSegments(
        played,
        np.array(fades),
        np.array(exponents),
        np.array(scores or (0.0,) * count),
        _EDGE_FADE_SECONDS,
        gain_glide_seconds,
    )
    ending = Ending(EndKind.CUT, fade_seconds=_EDGE_FADE_SECONDS)
    plan = _built(_profile_of(recording, grid, Splices.none()), sound, ending)
    provenance = provenance_of(
        params,
        "edit",
        _STAGES,
        track=_record_of(named, recording),
        grid=grid_record(grid, None, is_given=given is not None),
        constraints={
            "segments": [[one.song_from, one.song_to, one.gain_in_db, one.gain_db] for one in played],
            "fade_seconds": [*fades],
            "exponent": [*exponents],
            "gain_glide_seconds": gain_glide_seconds,
            "grid": given,
        },
    )
    return PlanPreview(plan, recording, grid, scores, _broken_rule(plan, grid), provenance)


def preview_plan(
    plan: LoopPlan, recording: Recording, grid: BeatGrid, params: WorkbenchParams | None = None
) -> PlanPreview:
    """A plan with the recording that it plays.

    Parameters
    ----------
    plan, recording, grid : of one track
    params : of seams; None: the defaults

    Returns
    -------
    PlanPreview : with the score of each seam, 0 to 1

    Raises
    ------
    ParameterError : it is no plan, such as a refusal
    """
    given: object = plan
    if isinstance(given, Refusal):
        raise ParameterError(f"there is no plan to play, for it was refused: {given.hint}")
    if not isinstance(given, LoopPlan):
        raise ParameterError(f"only a LoopPlan can be played, not a {type(given).__name__}")
    scores = _scores(segment_table(plan), recording, grid, params or WorkbenchParams())
    return PlanPreview(plan.alone, recording, grid, scores, _broken_rule(plan, grid))


def preview_json(preview: PlanPreview) -> dict[str, Any]:
    """The JSON of a plan of one's own, in the shape of what `workbench loop` and `fit` print."""
    made, length = preview.provenance, f"{plain_seconds(preview.plan.window_end)}s"
    name = _UNNAMED if made is None or made.track is None else made.track.name
    return with_provenance(plan_result(preview.plan, video_id=length, track_id=name, track=None).to_json(), made)


def plan_again(workspace: Workspace, made: Provenance, track: Path) -> PlanPreview:
    """The plan that `plan_of` made, from its provenance; raises `PlanError` if that does not hold the segments."""
    asked: Mapping[str, Any] = made.constraints
    try:
        segments = [LoopSegment(*map(float, one)) for one in asked["segments"]]
        fades, exponents = ([float(one) for one in asked[name]] for name in ("fade_seconds", "exponent"))
        glide = float(asked["gain_glide_seconds"])
    except (KeyError, TypeError, ValueError):
        raise PlanError("the provenance of this edit does not hold its segments and crossfades") from None
    return plan_of(
        segments,
        track,
        fade_seconds=fades,
        exponent=exponents,
        gain_glide_seconds=glide,
        grid=_given_grid(asked),
        params=workspace.params,
    )


def splice_again(workspace: Workspace, made: Provenance, track: Path) -> SplicePreview:
    """The splice that `splice` made, from its provenance; raises `PlanError` if that does not hold its times."""
    asked: Mapping[str, Any] = made.constraints
    if not {"leave", "enter"} <= asked.keys():
        raise PlanError("the provenance of this splice does not hold its times")
    grid = _given_grid(asked)
    if grid is None and made.on_detected_grid:
        grid = detected_grid(Sound(workspace, track))
    snap = asked.get("snap", "bar")
    return splice(track, asked["leave"], asked["enter"], snap=snap, grid=grid, workspace=workspace)


def _as_given(grid: BeatGrid | None) -> JsonValue:
    """A grid that a caller gave, for a provenance."""
    if grid is None:
        return None
    return {
        "beats": grid.beats.tolist(),
        "positions": grid.positions.tolist(),
        "beats_per_bar": grid.beats_per_bar,
        "confidence": grid.confidence,
    }


def _given_grid(asked: Mapping[str, Any]) -> BeatGrid | None:
    """The grid of `_as_given`; raises `PlanError` for anything else."""
    match asked.get("grid"):
        case None:
            return None
        case {"beats": [*beats], "positions": [*positions], "beats_per_bar": int() as metre, "confidence": confidence}:
            return BeatGrid(np.array(beats), np.array(positions), metre, confidence)
    raise PlanError("provenance.constraints.grid holds no grid")


_UNNAMED = "recording"


def _record_of(given: Recording | Path | str, recording: Recording) -> FileRecord:
    name = _UNNAMED
    if not isinstance(given, Recording):
        name = os.fsencode(Path(given).name).decode("utf-8", "replace")  # file names need not be text
    return FileRecord(name=name, content_hash=recording.content_hash)


def _loaded(recording: Recording | Path | str) -> Recording:
    return recording if isinstance(recording, Recording) else decode(Path(recording))


_tracked: dict[str, BeatGrid] = {}


def _grid_of(recording: Recording, params: WorkbenchParams) -> BeatGrid:
    """The tracked grid, cached for the last recording and parameters."""
    key = recording.content_hash + canonical_json(*grid_parts(params, ""))
    if key not in _tracked:
        found = track_beats(recording, params=params.beats)
        _tracked.clear()
        _tracked[key] = found
    return _tracked[key]


def _time(name: str, given: object) -> float:
    """Seconds of a time given as number or text."""
    seconds = read_seconds(given) if isinstance(given, str) else given
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | np.integer | np.floating):
        raise ParameterError(f"{name} is a time in seconds, or a text such as 0:40; got {given!r}")
    return float(seconds)


def _segment(given: object) -> LoopSegment:
    """A segment at the level of the recording."""
    times = list(given) if isinstance(given, tuple | list | np.ndarray) else []
    if len(times) != 2:
        raise ParameterError(f"a segment is two times, from and to, or a LoopSegment; got {given!r}")
    song_from, song_to = (_time("each end of a segment", one) for one in times)
    return LoopSegment(song_from, song_to, 0.0, 0.0)


def _beats_of(times: NamedSplice, snap: str, recording: Recording, grid: BeatGrid) -> tuple[int, int]:
    """The beats at which a splice leaves and enters, by the beats or the bar lines nearest to its times."""
    if snap not in ("beat", "bar"):
        raise ParameterError(f"a splice snaps to the nearest beat or bar, got {snap!r}")
    place, places = ("beat", grid.beats) if snap == "beat" else ("bar line", grid.downbeats)
    called = f"the splice {times.in_words}"
    if places.size < 2:
        raise ParameterError(f"{called}: no {place}s were found in this recording; give a grid of your own")
    if max(times.leave, times.enter) > recording.duration:
        raise ParameterError(f"{called}: the track ends at {clock(recording.duration)}")
    at = places[nearest_line(places, np.array([times.leave, times.enter]))]
    if at[0] == at[1]:
        raise ParameterError(f"{called}: both times are at the same {place}, {clock(float(at[0]))}")
    left, entered = np.searchsorted(grid.beats, at).tolist()
    return left, entered


def _fitted(
    recording: Recording, grid: BeatGrid, left: int, entered: int, scored: SeamScore, params: WorkbenchParams
) -> Splices:
    """One splice between two beats as the planner would have it, fitted to the waveform."""
    parts, led = np.array(list(scored.parts.values()))[:, None], np.array([scored.led])
    found = splices_at(recording, grid.beats, np.array([[left, entered]]), parts, led, params.seams)
    at = grid.beats[[left, entered]]
    if np.isin(at, grid.downbeats).all():
        whole = int(np.subtract(*np.searchsorted(grid.downbeats, at)))
    else:  # a loop has whole bars in a plan; one of other beats is counted in the nearest number of them
        bars = (left - entered) / grid.beats_per_bar
        whole = int(np.sign(bars)) * max(1, round(abs(bars)))
    return replace(found, leave=np.array([max(whole, 0)]), enter=np.array([max(-whole, 0)]))


def _profile_of(recording: Recording, grid: BeatGrid, splices: Splices) -> LoopProfile:
    """A profile that holds some splices, and of the track its length and metre only."""
    bare = bare_profile(recording, grid, (0.0, recording.duration), np.zeros(grid.downbeats.size))
    return replace(bare, splices=splices, part_names=SEAM_PARTS)


def _taken_once(profile: LoopProfile, label: str, params: WorkbenchParams) -> LoopPlan:
    """The plan that plays the whole track and takes the one splice of its profile once.

    `label` names the splice in an error. Raises `ConstraintError` if there is no room for its crossfade.
    """
    splices = profile.splices
    song_to, song_from, fade = (round(float(one[0]), 6) for one in (splices.song_to, splices.song_from,
                                                                     splices.fade_seconds))  # fmt: skip
    duration = round(profile.song_duration, 6)
    if not (song_to >= fade / 2 and duration - song_from >= fade / 2):
        raise ConstraintError(f"the splice {label} leaves no room for a crossfade at an end of the track")
    gains = np.concatenate([[0.0], seam_gains(splices.level_step_db)])
    segments = segments_of(np.array([[0.0, song_to], [song_from, duration]]), gains)
    glide = params.cover.gain_glide_seconds
    played = PlayedSegments(segments, np.array([fade]), splices.exponent, splices.score, 0.0, glide)
    return _built(profile, played, Ending(EndKind.FILE_END))


def _built(profile: LoopProfile, played: PlayedSegments, ending: Ending) -> LoopPlan:
    """The plan that plays segments as they stand, from 0:00 to the end of the last one."""
    table = np.array([(one.song_from, one.song_to) for one in played.segments])
    end = micros(float(segment_starts(table, 0.0)[-1])) / 1e6
    return build_plan(profile, played, ending, Window(0.0, end), 0.0, on_grid=False)


def _scores(table: FloatArray, recording: Recording, grid: BeatGrid, params: WorkbenchParams) -> tuple[float, ...]:
    """Scores of the seams between segments, at the beats nearest to them, fitted to the waveform as a planner's are."""
    if len(table) < 2 or grid.downbeats.size < 2:
        return ()
    evidence = evidence_of(recording, grid, params.seams)
    beats = [[int(np.argmin(np.abs(grid.beats - at))) for at in ends] for ends in (table[:-1, 1], table[1:, 0])]
    pairs = list(zip(*beats, strict=True))
    scores = {}
    for left, entered in dict.fromkeys(pairs):  # a loop takes few different ones, however often
        scored = score_seam(evidence, left, entered, params.seams)
        scores[left, entered] = float(_fitted(recording, grid, left, entered, scored, params).score[0])
    return tuple(scores[pair] for pair in pairs)


def _broken_rule(plan: LoopPlan, grid: BeatGrid) -> str:
    try:
        check_against_grid(plan, grid.downbeats, grid.beats)
    except PlanError as error:
        return str(error)
    return ""


def _each(name: str, given: float | Sequence[float], count: int) -> tuple[float, ...]:
    """One value for each seam."""
    if isinstance(given, int | float):
        return (float(given),) * count
    if len(given) != count:
        raise PlanError(f"{name} needs one value a seam ({count}), got {len(given)}")
    return tuple(float(value) for value in given)
