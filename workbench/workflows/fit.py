"""Fit a track to lengths: its analysis, a plan for each length, and with `auto_mix` the levels under the soundtrack.

A track that cannot fill a length, and wishes that contradict each other, raise: the answer is always music of exactly
that length, or one line that says why not.

Functions: `fit_track`, `can_fit`; `fit_body`, the result as JSON, and `fit_json`, that with its provenance;
`keep_record`, `read_keep`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import ConstraintError, FitError, ParameterError, PlanError
from workbench.loops.constraints import NO_CONSTRAINTS, SeamConstraints
from workbench.loops.endings import last_hit
from workbench.loops.file_loop import FileLoop, plan_file_loop
from workbench.loops.fit import FitRequest, Keep, KeptPart, plan_fits
from workbench.loops.plan import LoopPlan
from workbench.loops.refusals import plain_seconds
from workbench.notebook import Shown
from workbench.provenance import FILE_LOOP, Provenance, with_provenance
from workbench.results.fit import FitResult, FitsResult, fit_result
from workbench.results.mix import mix_body
from workbench.workflows.analyze import Analysis, Sound, analyze_sound
from workbench.workflows.constraints import constraint_records, with_pinned
from workbench.workflows.loop import Loop, video_length
from workbench.workflows.provenance import grid_record, make_provenance
from workbench.workflows.tracks import TrackSource
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.loops.profile import LoopProfile
    from workbench.mix.balance import Mix
    from workbench.params import CoverParams


@dataclass(frozen=True, slots=True)
class Fit(Shown):
    """One track fitted to one or several lengths."""

    track: TrackSource
    video: Path | None  # None where only lengths were given
    plans: tuple[LoopPlan, ...]  # one a length, in the order asked for
    analysis: Analysis
    mix: Mix | None  # None if it was not asked for
    provenance: Provenance  # of all its plans
    # The loop points of the track's file; None without, and where no length is longer than the track
    file_loop: FileLoop | None = None

    def __repr__(self) -> str:
        plans = ", ".join(f"{plan.kind.in_words} of {plan.window_end:.3f} s" for plan in self.plans)
        return f"<{self.track.title}: {plans}>"

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Each plan as what shows, plays and writes the plan of a loop takes it, in the order asked for."""
        several = len(self.plans) > 1
        return tuple(
            Loop(
                self.track,
                self.video,
                plan.window_end,
                plan,
                self.analysis,
                self.mix,
                self.provenance.with_constraint("number", number) if several else self.provenance,
                self.file_loop,
            )
            for number, plan in enumerate(self.plans, start=1)
        )


def fit_track(
    workspace: Workspace,
    track: TrackSource | Path | str,
    to: Path | float | Sequence[float],
    *,
    keep: Sequence[Keep] = (),
    start_at: float | None = None,
    end_on: float | None = None,
    auto_mix: bool = False,
    constraints: SeamConstraints = NO_CONSTRAINTS,
    heard: bool = False,
) -> Fit:
    """Fit a track to a video, to a length, or to several lengths that share their parts.

    Parameters
    ----------
    workspace : parameters, store and progress report
    track : a track, or the path of its file
    to : the video, or sound without a picture, or its length in seconds, or several lengths
    keep : parts of the track that each play whole in one segment
    start_at : video time at which the music starts, after silence; None: with the picture
    end_on : video time at which its last hit lands; None: nowhere in particular
    auto_mix : also measure the soundtrack and how far the music is lowered under speech; needs a video
    constraints : ranges without seams, forbidden and pinned splices, ranges that are not played
    heard : plan on the tracker's grid even where a corrected one is saved

    Returns
    -------
    Fit : a plan for each length, in the order asked for; the mix with `auto_mix`

    Raises
    ------
    FitError : the track cannot fill a length, or what was asked for contradicts itself
    ConstraintError : the constraints make no sense on this track, or contradict each other whatever the length
    MediaError : the track or the video cannot be read
    ParameterError : `auto_mix` without a video, or no length
    """
    if not isinstance(track, TrackSource):
        track = TrackSource(Path(track).name, Path(track), None)
    video = to if isinstance(to, Path) else None
    if auto_mix and video is None:
        raise ParameterError("a mix needs the video itself, not only its length")
    lengths = [video_length(to)] if isinstance(to, Path | int | float) else list(to)
    if not lengths:
        raise ParameterError("music is fitted to one length at least")
    requests = [FitRequest(seconds, tuple(keep), start_at, end_on) for seconds in lengths]
    sound = Sound(workspace, track.path, heard=heard)
    analysis = analyze_sound(sound)
    provenance = make_provenance(
        workspace,
        "fit",
        ("beats", "loops", "plan", *(("soundtrack",) if auto_mix else ())),
        track=track.path,
        video=video,
        grid=grid_record(analysis.grid, sound.correction),
        constraints={
            "seconds": [*lengths] if video is None else None,
            "keep": [keep_record(part) for part in keep] or None,
            "start_at": start_at,
            "end_on": end_on,
            "auto_mix": auto_mix,
            **constraint_records(constraints),
        },
    )
    analysis = with_pinned(workspace, track.path, analysis, constraints)
    if end_on is not None:
        hit = last_hit(workspace.load_recording(track.path), analysis.profile.downbeats)
        requests = [replace(request, last_hit=hit) for request in requests]
    workspace.progress("planning", 0.0)
    file_loop, plans = _plan_requests(analysis, requests, constraints, workspace.params.cover)
    workspace.progress("planning", 1.0)
    mix = None
    if auto_mix and video is not None:
        from workbench.workflows.mix import mix_under

        mix = mix_under(workspace, plans[0], track.path, video)
    if file_loop is not None:
        provenance = provenance.with_constraint(FILE_LOOP, file_loop.to_json())
    return Fit(track, video, plans, analysis, mix, provenance, file_loop)


def _plan_requests(
    analysis: Analysis, requests: Sequence[FitRequest], constraints: SeamConstraints, params: CoverParams
) -> tuple[FileLoop | None, tuple[LoopPlan, ...]]:
    """Plan every length; with the loop of the track's file where each is longer than the track and asks for no more."""

    def planned(profile: LoopProfile, every: SeamConstraints) -> tuple[LoopPlan, ...]:
        return plan_fits(profile, [replace(request, constraints=every) for request in requests], params)

    asks_for_length_alone = all(
        not request.keep and request.start_at is None and request.end_on is None for request in requests
    )
    if asks_for_length_alone and min(request.seconds for request in requests) > analysis.duration:
        return plan_file_loop(analysis.profile, constraints, planned)
    return None, planned(analysis.profile, constraints)


def can_fit(
    workspace: Workspace,
    track: TrackSource | Path | str,
    to: Path | float,
    constraints: SeamConstraints = NO_CONSTRAINTS,
) -> bool:
    """Whether a track can be fitted to a video, or to a length in seconds, under some constraints.

    Raises `ParameterError` for a length that is not positive and finite.
    """
    try:
        fit_track(workspace, track, to, constraints=constraints)
    except (FitError, ConstraintError):
        return False
    return True


def keep_record(kept: Keep) -> JsonValue:
    """A kept part in JSON types, as `read_keep` reads it."""
    return kept.part.value if kept.part is not None else [kept.song_from, kept.song_to]


def read_keep(recorded: JsonValue) -> Keep:
    """A kept part from the constraints of a provenance: its name, or its first and last second of the track.

    Raises `PlanError` if it is neither.
    """
    match recorded:
        case str() if recorded in {part.value for part in KeptPart}:
            return Keep(KeptPart(recorded))
        case [int() | float() as song_from, int() | float() as song_to]:
            return Keep(None, float(song_from), float(song_to))
        case _:
            raise PlanError(f"provenance.constraints.keep: {recorded!r} is no part of a track")


def fit_body(fit: Fit, video_id: str | None = None) -> FitResult | FitsResult:
    """The JSON body of a fit: the plan of one length, or of several the plans in the order asked for.

    Without a `video_id` the video is named after its file, or each length after its seconds.
    """
    bodies = [
        fit_result(
            plan,
            video_id=video_id or (fit.video.name if fit.video is not None else f"{plain_seconds(plan.window_end)}s"),
            track_id=fit.track.track_id,
            track=fit.track.record,
            mix=None if fit.mix is None else mix_body(fit.mix),
        )
        for plan in fit.plans
    ]
    return bodies[0] if len(bodies) == 1 else FitsResult(fits=bodies)


def fit_json(fit: Fit, video_id: str | None = None) -> dict[str, Any]:
    """The JSON of a fit as the command line prints it: each plan with the provenance beside it."""
    body = fit_body(fit, video_id)
    if isinstance(body, FitResult):
        return with_provenance(body.to_json(), fit.provenance)
    numbered = (with_provenance(one.to_json(), fit.provenance.with_constraint("number", number))
                for number, one in enumerate(body.fits, start=1))  # fmt: skip
    return {**body.to_json(), "fits": list(numbered)}
