"""Try one splice of a track: its score with the parts, the sound around it, and its picture.

The splice is judged as the planner judges it. It is heard in a plan that plays the whole track and takes it once, so it
sounds as in any other plan that takes it.

Functions: `try_splice`; `splice_json`, the result as JSON with its provenance; `heard_around` and `splice_view`, its
sound and what a picture of it shows; `save_sound` and `save_picture`, these as files; `taken_once`, a plan that takes
one splice of a profile once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.errors import ConstraintError, StoreError
from workbench.files import written_whole
from workbench.media.audio import write_audio
from workbench.plans.build import PlayedSegments, build_plan, segments_of
from workbench.plans.constraints import NamedSplice, line_pair
from workbench.plans.plan import Ending, EndKind, LoopPlan
from workbench.plans.splices import seam_gains
from workbench.plots.palette import png
from workbench.plots.seams import SeamView, seam_figure
from workbench.provenance import Provenance, with_provenance
from workbench.render.playback import seam_excerpt
from workbench.seams.measures import part_names
from workbench.seams.profile import LoopProfile
from workbench.seams.seam_score import seam_evidence
from workbench.workflows.analyze import Analysis, Sound, analyze_sound
from workbench.workflows.constraints import with_splices
from workbench.workflows.provenance import grid_record, make_provenance
from workbench.workflows.seams import EXCERPT_SECONDS, seam_view
from workbench.workflows.tracks import TrackSource
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.params import CoverParams
    from workbench.recording import Recording


@dataclass(frozen=True, slots=True)
class TriedSplice:
    """One splice of a track, as the planner knows it."""

    track: TrackSource
    score: float  # 0 to 1, probability that it is inaudible
    parts: dict[str, float]  # 0 to 1 each, by the names of `SEAM_PARTS`
    bars: int  # of the body that it repeats; negative where it goes ahead and leaves out as many
    level_step_db: float  # LU by which the entered side is louder
    min_seam_score: float  # the score under which the planner takes a splice only if it is pinned
    plan: LoopPlan  # the whole track with this splice taken once
    analysis: Analysis  # of the track; its profile holds the splice
    provenance: Provenance


def try_splice(workspace: Workspace, track: TrackSource | Path | str, leave: float, enter: float) -> TriedSplice:
    """Score one splice of a track.

    Parameters
    ----------
    workspace : parameters, store and progress report
    track : a track, or the path of its file
    leave, enter : track seconds; each stands for the nearest bar line

    Returns
    -------
    TriedSplice : the splice, fitted to the waveform, its score from 0 to 1 and the parts of it

    Raises
    ------
    ConstraintError : no bar line is near one of the times, both are at the same one, or there is no room for a
        crossfade
    MediaError : the track cannot be read
    """
    if not isinstance(track, TrackSource):
        track = TrackSource(Path(track).name, Path(track), None)
    named = NamedSplice(leave, enter)
    sound = Sound(workspace, track.path)
    analysis = with_splices(workspace, track.path, analyze_sound(sound), [named])
    profile = analysis.profile
    row = profile.splices.row_of(*line_pair(profile, named, f"the splice {named.in_words}"))
    assert row is not None, "it was added where the profile lacked it"
    splices = profile.splices
    return TriedSplice(
        track=track,
        score=float(splices.score[row]),
        parts=dict(zip(part_names(workspace.params.seams), splices.parts[row].tolist(), strict=True)),
        bars=int(splices.leave[row] - splices.enter[row]),
        level_step_db=float(splices.level_step_db[row]),
        min_seam_score=workspace.params.cover.min_seam_score,
        plan=taken_once(profile, row, named.in_words, workspace.params.cover),
        analysis=analysis,
        provenance=make_provenance(
            workspace,
            "splice",
            ("beats", "loops", "plan"),
            track=track.path,
            grid=grid_record(analysis.grid, sound.correction),
            constraints={"leave": leave, "enter": enter},
        ),
    )


def splice_json(tried: TriedSplice) -> dict[str, Any]:
    """The JSON of a splice as the command line prints it; its fields are named as in a plan."""
    plan = tried.plan
    left, entered = plan.segments
    body = {
        "track_id": tried.track.track_id,
        "song_to": left.song_to,
        "song_from": entered.song_from,
        "bars": tried.bars,
        "seam_score": round(tried.score, 4),
        "min_seam_score": tried.min_seam_score,
        "parts": {name: round(part, 4) for name, part in tried.parts.items()},
        "seam_fade": plan.seam_fades[0],
        "seam_curve": plan.seam_curves[0],
        "level_step_db": round(tried.level_step_db, 2),
        "gain_in_db": entered.gain_in_db,
    }
    return with_provenance(body, tried.provenance)


def heard_around(workspace: Workspace, tried: TriedSplice) -> Recording:
    """The sound around a splice, in the middle of `EXCERPT_SECONDS`."""
    return seam_excerpt(tried.plan, workspace.load_recording(tried.track.path), 0, EXCERPT_SECONDS)


def splice_view(workspace: Workspace, tried: TriedSplice) -> SeamView:
    """What the picture of a splice shows, for `workbench.plots.seams.seam_figure`."""
    recording = workspace.load_recording(tried.track.path)
    params = workspace.params.seams
    evidence = seam_evidence(recording, tried.analysis.grid, params)
    view = seam_view(tried.plan, recording, tried.analysis, evidence, 0, params)
    return replace(view, video_s=float("nan"))  # there is no video


def save_sound(workspace: Workspace, tried: TriedSplice, out: Path) -> Path:
    """Write the sound around a splice to a .wav, .flac or .mp3 file, whole or not at all."""
    heard = heard_around(workspace, tried)
    return write_audio(out, [heard.samples], heard.sample_rate, heard.channels)


def save_picture(workspace: Workspace, tried: TriedSplice, out: Path) -> Path:
    """Write the picture of a splice to a PNG file, whole or not at all."""
    picture = png(seam_figure(splice_view(workspace, tried)))
    with written_whole(out, StoreError) as aside:
        aside.write_bytes(picture)
    return out


def taken_once(profile: LoopProfile, row: int, label: str, params: CoverParams) -> LoopPlan:
    """The plan that plays the whole track and takes the splice in one row of its profile once.

    `label` names the splice in an error. Raises `ConstraintError` if there is no room for its crossfade.
    """
    splices = profile.splices
    song_to, song_from = round(float(splices.song_to[row]), 6), round(float(splices.song_from[row]), 6)
    duration, fade = round(profile.song_duration, 6), round(float(splices.fade_seconds[row]), 6)
    if not (song_to >= fade / 2 and duration - song_from >= fade / 2):
        raise ConstraintError(f"the splice {label} leaves no room for a crossfade at an end of the track")
    gains = np.concatenate([[0.0], seam_gains(splices.level_step_db[row : row + 1])])
    return build_plan(
        profile,
        PlayedSegments(
            segments_of(np.array([[0.0, song_to], [song_from, duration]]), gains),
            np.array([fade]),
            splices.exponent[row : row + 1],
            splices.score[row : row + 1],
        ),
        Ending(EndKind.FILE_END),
        0.0,
        0.0,
        song_to + duration - song_from,
        plan_score=0.0,
        glide_seconds=params.gain_glide_seconds,
        on_grid=False,
    )
