"""Plan how a track covers a video or fills lengths: its analysis, the plans, and the levels under the soundtrack.

If the music cannot do it, or the sound of a track of the catalog cannot be decoded (`audio_unavailable`), the answer is
a refusal and not an exception. A video or a bare file that cannot be read is the caller's fault and raises.

Functions: `plan_track`, and `plan_lengths` for several that share their parts. A plan, or why there is none, is a
`Planned`. `planned_body` and `planned_json`, the result as JSON, without and with its provenance; `save_plan`, that as
a file; `read_planned`, a plan from such a file; `draw_envelope`, a plan with drawn ducking; `video_length`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.landmarks import track_landmarks
from workbench.analysis.provenance import (
    DRAWN_ENVELOPE,
    FILE_LOOP,
    OPTION,
    Provenance,
    grid_record,
    make_provenance,
    read_provenance,
    with_provenance,
)
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import Analysis, Sound, analyze, analyze_sound, decoded_seconds
from workbench.analysis.workspace import Workspace
from workbench.errors import (
    Argument,
    ConstraintError,
    ContradictionError,
    MediaError,
    ParameterError,
    PlanError,
    StoreError,
    plain_seconds,
)
from workbench.files import write_json
from workbench.media.probe import probe
from workbench.mix.drawn_envelope import Points, read_points, with_drawn
from workbench.plans import refusals
from workbench.plans.constraints import SeamConstraints
from workbench.plans.file_loop import FileLoop, plan_file_loop
from workbench.plans.fit import plan_fits
from workbench.plans.hits import find_arrival
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plans.request import LENGTH_ALONE, Hit, PlanRequest
from workbench.recording import NotebookValue
from workbench.render.playback import check_length_of_video
from workbench.results.mix import mix_body
from workbench.results.plan import PlanResult, mix_from_json, plan_from_json, plan_result
from workbench.seams.endings import last_hit
from workbench.seams.profile import LoopProfile
from workbench.workflows.constraints import recorded_request, request_records, with_pinned
from workbench.workflows.mix import mix_under
from workbench.workflows.splice import PlanPreview, SplicePreview, preview_json

if TYPE_CHECKING:
    import pandas
    import xarray
    from pydantic import JsonValue

    from workbench.mix.balance import Mix


@dataclass(frozen=True, slots=True)
class Planned(NotebookValue):
    """One track under one video, or of one length.

    Attributes
    ----------
    track : the track
    video : None where only a length was given
    video_seconds : length to fill, s
    answer : the plan, or why there is none
    analysis : None if the sound cannot be decoded, or the track is too long for the video
    mix : None if it was not asked for, or there is no plan
    provenance : None for a plan that was read from a file without one
    request : what was asked beyond the length
    file_loop : the loop points of the track's file; None without, and where they do not matter
    """

    track: TrackSource
    video: Path | None
    video_seconds: float
    answer: LoopPlan | Refusal
    analysis: Analysis | None
    mix: Mix | None
    provenance: Provenance | None = None
    request: PlanRequest = LENGTH_ALONE
    file_loop: FileLoop | None = None

    def __repr__(self) -> str:
        under = f"{self.track.title} under {self.video_seconds:.3f} s"
        if isinstance(self.answer, Refusal):
            return f"<{under}: {self.answer.reason.value}>"
        return f"<{under}: {self.answer.kind.in_words}, {len(self.answer.seam_times)} seams, {self.answer.end_label}>"

    def to_dataset(self) -> xarray.Dataset:
        """The plan as labelled arrays; a refusal raises `PlanError`."""
        return self.plan.to_dataset()

    def to_frame(self) -> pandas.DataFrame:
        """The plan, a row a segment; a refusal raises `PlanError`."""
        return self.plan.to_frame()

    @property
    def plan(self) -> LoopPlan:
        """The plan; a refusal raises `PlanError`."""
        if isinstance(self.answer, Refusal):
            raise PlanError(f"there is no plan, for it was refused: {self.answer.hint}")
        return self.answer

    @property
    def option_numbers(self) -> tuple[int, ...]:
        """The number of each option as planned, from 1, also where a user put another in front; none for a refusal."""
        if isinstance(self.answer, Refusal):
            return ()
        count = max(1, len(self.answer.options))
        recorded = None if self.provenance is None else self.provenance.constraints.get(OPTION)
        first = min(max(recorded, 1), count) if isinstance(recorded, int) else 1
        return (first, *(number for number in range(1, count + 1) if number != first))

    def option(self, number: int) -> LoopPlan:
        """The option that was planned as a number, see `option_numbers`; raises `PlanError` where there is none."""
        numbers = self.option_numbers
        return self.plan.option(numbers.index(number) + 1 if number in numbers else number)


def plan_track(
    workspace: Workspace,
    track: TrackSource | Path | str,
    to: Path | float,
    request: PlanRequest = LENGTH_ALONE,
    *,
    auto_mix: bool = False,
    use_detected_grid: bool = False,
) -> Planned:
    """Plan how a track covers a video, or fills a length.

    Parameters
    ----------
    workspace : parameters, store and progress report
    track : a track, or the path of its file
    to : the video, or sound without a picture such as a podcast's, or its length in seconds
    request : kept parts, times and constraints, and whether only a loop will do
    auto_mix : also measure the soundtrack and how far the music is lowered under speech; needs a video
    use_detected_grid : plan on the tracker's grid even where a corrected one is saved

    Returns
    -------
    Planned : with the plan, or a refusal if the track cannot be looped, cannot fill the length or cannot keep what was
        asked for, or is one of the catalog whose sound cannot be decoded

    Raises
    ------
    ConstraintError : something that was asked for makes no sense on this track or length
    MediaError : the video cannot be read, or a track that is a bare file cannot be decoded
    ParameterError : `auto_mix` with a length only, or a length that is not positive and finite
    """
    video = None if isinstance(to, int | float) else Path(to)
    if auto_mix and video is None:
        raise ParameterError("a mix needs the video itself, not only its length")
    seconds = video_length(to if video is None else video)
    (planned,) = _planned(
        workspace, track, video, [seconds], request, auto_mix=auto_mix, use_detected_grid=use_detected_grid
    )
    if not auto_mix or video is None or isinstance(planned.answer, Refusal):
        return planned
    return replace(planned, mix=mix_under(workspace, planned.answer, planned.track.path, video))


def plan_lengths(
    workspace: Workspace,
    track: TrackSource | Path | str,
    lengths: Sequence[float],
    request: PlanRequest = LENGTH_ALONE,
    *,
    use_detected_grid: bool = False,
) -> tuple[Planned, ...]:
    """Fill several lengths, each in seconds, with plans that share their parts; in the order asked for.

    Errors and the other parameters are those of `plan_track`.
    """
    if not lengths:
        raise ParameterError("music is fitted to one length at least")
    return _planned(workspace, track, None, list(lengths), request, auto_mix=False, use_detected_grid=use_detected_grid)


def _planned(
    workspace: Workspace,
    track: TrackSource | Path | str,
    video: Path | None,
    lengths: Sequence[float],
    request: PlanRequest,
    *,
    auto_mix: bool,
    use_detected_grid: bool,
) -> tuple[Planned, ...]:
    if not isinstance(track, TrackSource):
        track = TrackSource(Path(track).name, Path(track), None)
    sound = Sound(workspace, track.path, use_detected_grid=use_detected_grid)
    found = _analysis_for(lengths, sound, request, in_catalog=track.record is not None)
    analysis: Analysis | None = None
    file_loop: FileLoop | None = None
    if isinstance(found, Refusal):
        answers: tuple[LoopPlan | Refusal, ...] = (found,) * len(lengths)
    else:
        analysis, request = found, _with_arrival(workspace, track.path, found, request)
        try:
            analysis = with_pinned(workspace, track.path, analysis, request.constraints)
            file_loop, answers = _answers(workspace, track, analysis, lengths, request)
        except ContradictionError as error:
            answers = (refusals.contradiction(error.sentence, error.constraints),) * len(lengths)
    provenance = make_provenance(
        workspace,
        "loop" if request.only_loop else "fit",
        ("beats", "loops", "plan", *(("landmarks",) if request.hits else ()), *(("soundtrack",) if auto_mix else ())),
        track=track.path,
        video=video,
        grid=None if analysis is None else grid_record(analysis.grid, sound.correction),
        constraints={
            "seconds": None if video is not None else lengths[0] if len(lengths) == 1 else [*lengths],
            "auto_mix": auto_mix,
            **request_records(request),
        },
    )
    if file_loop is not None:
        provenance = provenance.with_constraint(FILE_LOOP, file_loop.to_json())
    return tuple(
        Planned(
            track,
            video,
            seconds,
            answer,
            analysis,
            None,
            provenance.with_constraint("number", number) if len(lengths) > 1 else provenance,
            request,
            file_loop,
        )
        for number, (seconds, answer) in enumerate(zip(lengths, answers, strict=True), start=1)
    )


def _with_arrival(workspace: Workspace, path: Path, analysis: Analysis, request: PlanRequest) -> PlanRequest:
    """A request in which every hit names its second of the track: the track's arrival, where none was named.

    Raises `ConstraintError` for a track without an arrival.
    """
    unnamed = [hit.constraint for hit in request.hits if hit.landmark is None]
    if not unnamed or analysis.profile.downbeats.size < 3:
        return request
    arrival = find_arrival(track_landmarks(workspace, path), analysis.profile)
    if arrival is None:
        wrong = ": no arrival was found in this track, such as a drop or a chorus; name its second with "
        raise ConstraintError(unnamed[0], wrong, Argument("hit_at", "M:SS"), constraints=tuple(unnamed))
    what, where = arrival
    return replace(
        request, hits=tuple(Hit(hit.at, where, what) if hit.landmark is None else hit for hit in request.hits)
    )


def _answers(
    workspace: Workspace, track: TrackSource, analysis: Analysis, lengths: Sequence[float], request: PlanRequest
) -> tuple[FileLoop | None, tuple[LoopPlan | Refusal, ...]]:
    """Plan every length; with the loop of the track's file where each is longer than the track and asks for no more."""
    hit = None
    if request.end_on is not None:
        hit = last_hit(workspace.load_recording(track.path), analysis.profile.downbeats)

    def planned(profile: LoopProfile, constraints: SeamConstraints) -> tuple[LoopPlan | Refusal, ...]:
        asked = replace(request, constraints=constraints)
        return plan_fits(profile, lengths, asked, workspace.params.cover, last_hit=hit)

    workspace.progress("planning", 0.0)
    if not request.asks_beyond_seams and min(lengths) > analysis.duration:
        file_loop, answers = plan_file_loop(analysis.profile, request.constraints, planned)
    else:
        file_loop, answers = None, planned(analysis.profile, request.constraints)
    workspace.progress("planning", 1.0)
    return file_loop, answers


def _analysis_for(lengths: Sequence[float], sound: Sound, request: PlanRequest, in_catalog: bool) -> Analysis | Refusal:
    """The analysis of a track; a refusal if it is too long to be looped, or is in the catalog and cannot be decoded.

    Lengths are compared first: a track that is too long for the video is refused before it is analysed, with the
    refusal that the planner would give. Raises `MediaError` if a bare file cannot be decoded.
    """
    try:
        if request.only_loop:
            longest, excess = max(lengths), sound.params.cover.required_excess_seconds
            track_seconds = decoded_seconds(sound, expected_most=longest - excess)
            refusal = refusals.video_not_longer(longest, track_seconds, excess)
            if refusal is not None:
                return refusal
        return analyze_sound(sound)
    except MediaError as error:
        if not in_catalog:
            raise
        return refusals.audio_unavailable(str(error))


def planned_body(planned: Planned, video_id: str | None = None, hint: str | None = None) -> PlanResult:
    """The JSON body: the plan or the refusal, with the mix if any.

    Without a `video_id` the video is named after its file, or after its length in seconds if only that is known.
    `hint` words a refusal; None: in its own words.
    """
    length = f"{plain_seconds(planned.video_seconds)}s"
    return plan_result(
        planned.answer,
        video_id=video_id or (planned.video.name if planned.video is not None else length),
        track_id=planned.track.track_id,
        track=planned.track.record,
        mix=None if planned.mix is None else mix_body(planned.mix),
        hint=hint,
    )


def planned_json(planned: Planned, video_id: str | None = None, hint: str | None = None) -> dict[str, Any]:
    """The JSON as the command line prints it: the body, and beside it the provenance."""
    return with_provenance(planned_body(planned, video_id, hint).to_json(), planned.provenance)


def save_plan(planned: Planned | PlanPreview | SplicePreview | Sequence[Planned], path: Path | str) -> Path:
    """Write a plan as the command line prints it, for `workbench render`, `export` and `reproduce`.

    Parameters
    ----------
    planned : the result of `plan_track` or `plan_lengths`, where several lengths are written with all their plans; or
        of `plan_of` or `splice`, whose plan plays the whole track with the splice taken once
    path : a file of that name is replaced, and appears whole or not at all

    Returns
    -------
    the path

    Raises
    ------
    StoreError : the file cannot be written
    """
    path = Path(path)
    match planned:
        case Planned():
            body = planned_json(planned)
        case PlanPreview():
            body = preview_json(planned)
        case SplicePreview():
            body = preview_json(planned.played)
        case _:
            body = {"fits": [planned_json(one) for one in planned]}
    write_json(path, body, StoreError)
    return path


def read_planned(workspace: Workspace, result: Mapping[str, Any], track: TrackSource, video: Path | None) -> Planned:
    """A plan that was printed or saved, with the analysis of its track; where it has a mix, that is measured again.

    Raises `PlanError` for JSON that is no plan, or if the plan is longer than the video.
    """
    plan, made, mix = plan_from_json(result), read_provenance(result), None
    if video is not None:
        check_length_of_video(plan, video, video_length(video))
        if mix_from_json(result) is not None:
            drawn = None if made is None else read_points(made.constraints.get(DRAWN_ENVELOPE))
            mix = with_drawn(mix_under(workspace, plan, track.path, video), drawn)
    analysis = analyze(workspace, track.path)
    return Planned(track, video, plan.window_end, plan, analysis, mix, made, recorded_request(made))


def draw_envelope(planned: Planned, points: Points | None) -> Planned:
    """A plan whose mix has a drawn envelope (`workbench.mix.drawn_envelope`), which its provenance holds.

    None goes back to the measured one. Without a mix it is returned as it is.
    """
    if planned.mix is None:
        return planned
    drawn: JsonValue = None if points is None else [[at, depth] for at, depth in points]
    made = None if planned.provenance is None else planned.provenance.with_constraint(DRAWN_ENVELOPE, drawn)
    return replace(planned, mix=with_drawn(planned.mix, points), provenance=made)


def video_length(video: Path | float) -> float:
    """The length, s, of a video, or of sound without a picture; a length is returned as it is.

    Raises `MediaError` if there is neither picture nor sound that can be decoded, and `ParameterError` for a length
    that is not positive and finite.
    """
    if isinstance(video, Path):
        info = probe(video)
        if info.lacks_decoder:
            raise MediaError(f"{video}: its picture cannot be decoded; convert it, or give the length in seconds")
        return info.duration
    if not 0.0 < video < float("inf"):
        raise ParameterError(f"a video must last more than 0 s, got {video} s")
    return float(video)
