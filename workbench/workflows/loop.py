"""Cover a video with a track: the track's analysis, the plan, and with `auto_mix` the levels under the soundtrack.

If the track cannot be looped, or the sound of a track of the catalog cannot be decoded (`audio_unavailable`), the
answer is a refusal and not an exception. A video or a bare file that cannot be read is the caller's fault and raises.

Lengths are compared first: a track that is too long for the video is refused before it is analysed, with the refusal
that the planner would give.

Functions: `loop_track`; `loop_body`, the result as JSON; `loop_json`, that with its provenance; `save_plan`, that as a
file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import MediaError, ParameterError, StoreError
from workbench.files import write_text
from workbench.loops import refusals
from workbench.loops.constraints import NO_CONSTRAINTS, SeamConstraints
from workbench.loops.cover import plan_loop
from workbench.loops.file_loop import FileLoop, plan_file_loop
from workbench.loops.plan import LoopPlan
from workbench.loops.refusals import Refusal, plain_seconds
from workbench.notebook import Shown
from workbench.provenance import FILE_LOOP, Provenance, with_provenance
from workbench.results.loop import LoopResult, loop_result
from workbench.results.mix import mix_body
from workbench.workflows.analyze import Analysis, Sound, analyze_sound, decoded_seconds
from workbench.workflows.constraints import constraint_records, with_pinned
from workbench.workflows.provenance import grid_record, make_provenance
from workbench.workflows.tracks import TrackSource
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.mix.balance import Mix
    from workbench.results.fit import FitResult
    from workbench.workflows.fit import Fit


@dataclass(frozen=True, slots=True)
class Loop(Shown):
    """One track under one video: looped, or fitted to its length (`workbench.workflows.fit`)."""

    track: TrackSource
    video: Path | None  # None where only a length was given
    video_seconds: float
    answer: LoopPlan | Refusal
    analysis: Analysis | None  # None if the sound cannot be decoded, or the track is too long for the video
    mix: Mix | None  # None if it was not asked for, or there is no plan
    provenance: Provenance | None = None  # None for a plan that was read from a file without one
    file_loop: FileLoop | None = None  # the loop points of the track's file; None without

    def __repr__(self) -> str:
        under = f"{self.track.title} under {self.video_seconds:.3f} s"
        if isinstance(self.answer, Refusal):
            return f"<{under}: {self.answer.reason.value}>"
        return f"<{under}: {self.answer.kind.in_words}, {len(self.answer.seam_times)} seams, {self.answer.end_label}>"

    @property
    def is_fit(self) -> bool:
        """Whether the track was fitted to the length: then a plan may be straight or a cut-down."""
        return isinstance(self.answer, LoopPlan) and self.answer.is_fit


def loop_track(
    workspace: Workspace,
    track: TrackSource | Path | str,
    video: Path | float,
    *,
    auto_mix: bool = False,
    constraints: SeamConstraints = NO_CONSTRAINTS,
    heard: bool = False,
) -> Loop:
    """Plan how a track covers a video.

    Parameters
    ----------
    workspace : parameters, store and progress report
    track : a track, or the path of its file
    video : the video, or sound without a picture such as a podcast's, or its length in seconds
    auto_mix : also measure the soundtrack and how far the music is lowered under speech; needs a video
    constraints : ranges without seams, forbidden and pinned splices, ranges that are not played
    heard : plan on the tracker's grid even where a corrected one is saved

    Returns
    -------
    the plan, or a refusal if the track cannot be looped, or is one of the catalog whose sound cannot be decoded

    Raises
    ------
    ConstraintError : the constraints make no sense on this track, or no plan meets them all
    MediaError : the video cannot be read, or a track that is a bare file cannot be decoded
    ParameterError : `auto_mix` with a length only, or a length that is not positive and finite
    """
    if not isinstance(track, TrackSource):
        track = TrackSource(Path(track).name, Path(track), None)
    video_path = None if isinstance(video, int | float) else Path(video)
    if auto_mix and video_path is None:
        raise ParameterError("a mix needs the video itself, not only its length")
    seconds = video_length(video if video_path is None else video_path)
    sound = Sound(workspace, track.path, heard=heard)
    analysis = _analysis_for(seconds, sound, in_catalog=track.record is not None)
    provenance = make_provenance(
        workspace,
        "loop",
        ("beats", "loops", "plan", *(("soundtrack",) if auto_mix else ())),
        track=track.path,
        video=video_path,
        grid=None if isinstance(analysis, Refusal) else grid_record(analysis.grid, sound.correction),
        constraints={
            "seconds": seconds if video_path is None else None,
            "auto_mix": auto_mix,
            **constraint_records(constraints),
        },
    )
    if isinstance(analysis, Refusal):
        return Loop(track, video_path, seconds, analysis, analysis=None, mix=None, provenance=provenance)
    analysis = with_pinned(workspace, track.path, analysis, constraints)
    workspace.progress("planning", 0.0)
    file_loop, answer = plan_file_loop(
        analysis.profile,
        constraints,
        lambda profile, every: plan_loop(profile, seconds, workspace.params.cover, every),
    )
    workspace.progress("planning", 1.0)
    mix = None
    if auto_mix and video_path is not None and isinstance(answer, LoopPlan):
        from workbench.workflows.mix import mix_under

        mix = mix_under(workspace, answer, track.path, video_path)
    if file_loop is not None:
        provenance = provenance.with_constraint(FILE_LOOP, file_loop.to_json())
    return Loop(track, video_path, seconds, answer, analysis, mix, provenance, file_loop)


def loop_body(loop: Loop, video_id: str | None = None) -> LoopResult | FitResult:
    """The JSON body of a loop, or of one of the `loops` of a fit: the plan or the refusal, with the mix if any.

    Without a `video_id` the video is named after its file, or after its length in seconds if only that is known.
    """
    answer = loop.answer
    video_id = video_id or (loop.video.name if loop.video is not None else f"{plain_seconds(loop.video_seconds)}s")
    track_id, track = loop.track.track_id, loop.track.record
    mix = None if loop.mix is None else mix_body(loop.mix)
    if isinstance(answer, LoopPlan) and loop.is_fit:
        from workbench.results.fit import fit_result

        return fit_result(answer, video_id=video_id, track_id=track_id, track=track, mix=mix)
    if isinstance(answer, Refusal) and answer.command_hint is not None:
        answer = replace(answer, hint=answer.command_hint)
    return loop_result(answer, video_id=video_id, track_id=track_id, track=track, mix=mix)


def loop_json(loop: Loop, video_id: str | None = None) -> dict[str, Any]:
    """The JSON of a loop or a fit as the command line prints it: its body, and beside it the provenance."""
    return with_provenance(loop_body(loop, video_id).to_json(), loop.provenance)


def save_plan(loop: Loop | Fit, path: Path | str) -> Path:
    """Write a loop or a fit as the command line prints it, for `workbench render`, `export` and `reproduce`.

    Parameters
    ----------
    loop : the result of `loop_track` or of `fit_track`; a fit to several lengths is written with all its plans, of
        which `--length` chooses one
    path : a file of that name is replaced, and appears whole or not at all

    Returns
    -------
    the path

    Raises
    ------
    StoreError : the file cannot be written
    """
    path = Path(path)
    if isinstance(loop, Loop):
        body = loop_json(loop)
    else:
        from workbench.workflows.fit import fit_json

        body = fit_json(loop)
    write_text(path, json.dumps(body, ensure_ascii=False, indent=2) + "\n", StoreError)
    return path


def _analysis_for(video_seconds: float, sound: Sound, in_catalog: bool) -> Analysis | Refusal:
    """The analysis of a track; a refusal if it is too long for the video, or is in the catalog and cannot be decoded.

    Raises `MediaError` if a bare file cannot be decoded.
    """
    excess = sound.params.cover.required_excess_seconds
    try:
        track_seconds = decoded_seconds(sound, expected_most=video_seconds - excess)
        refusal = refusals.video_not_longer(video_seconds, track_seconds, excess)
        return refusal or analyze_sound(sound)
    except MediaError as error:
        if not in_catalog:
            raise
        return refusals.audio_unavailable(str(error))


def video_length(video: Path | float) -> float:
    """The length, s, of a video, or of sound without a picture; a length is returned as it is.

    Raises `MediaError` if there is neither picture nor sound that can be decoded, and `ParameterError` for a length
    that is not positive and finite.
    """
    if isinstance(video, Path):
        from workbench.media.probe import probe

        info = probe(video)
        if info.lacks_decoder:
            raise MediaError(f"{video}: its picture cannot be decoded; convert it, or give the length in seconds")
        return info.duration
    if not 0.0 < video < float("inf"):
        raise ParameterError(f"a video lasts some time, got {video} s")
    return float(video)
