"""Views of the seams of a plan: the sound around each, what the track has there, and the parts of the score.

The planner works on a profile and needs no sound; a picture and an excerpt need the recording.
"""

from __future__ import annotations

import hashlib

import numpy as np

from workbench.analysis.track import Analysis
from workbench.beats.grid import BeatGrid
from workbench.params import SeamParams
from workbench.plans.plan import LoopPlan
from workbench.plots.seams import SeamView
from workbench.recording import FloatArray, Recording
from workbench.render.playback import expected_excerpt, seam_excerpt
from workbench.seams.seam_score import SeamEvidence, parts_of_breaks, score_seam, seam_evidence

EXCERPT_SECONDS = 4.0  # length of the excerpt around a seam, which is shown and played
_SAME_SECONDS = 2e-6  # plans round their times to the microsecond


_evidence: dict[str, SeamEvidence] = {}


def evidence_of(recording: Recording, grid: BeatGrid, params: SeamParams) -> SeamEvidence:
    """The evidence that scores are computed from, cached for the last recording, grid and parameters.

    Raises as `workbench.seams.seam_score.seam_evidence`.
    """
    stated = recording.content_hash.encode() + grid.beats.tobytes() + grid.positions.tobytes()
    key = hashlib.sha256(stated + params.model_dump_json().encode()).hexdigest()
    if key not in _evidence:
        found = seam_evidence(recording, grid, params)
        _evidence.clear()
        _evidence[key] = found
    return _evidence[key]


def seam_views(
    plan: LoopPlan, recording: Recording, analysis: Analysis, params: SeamParams | None = None
) -> list[SeamView]:
    """Views of all different seams of a plan.

    A plan passes the same seam of the track several times; it is viewed where it first plays. The same splice may play
    under two crossfades, which differ in level: that counts as the same seam.

    Parameters
    ----------
    plan, recording, analysis : of one track
    params : with which the seams are scored; None: the defaults

    Returns
    -------
    list : one view a different seam, in the order of first playing; `number` counts all seams of the plan, from 1
    """
    if not plan.seam_times:
        return []  # without bars there is no evidence either
    evidence = seam_evidence(recording, analysis.grid, params)
    seen: set[tuple[float, float]] = set()
    views = []
    for seam in range(len(plan.seam_times)):
        place = (plan.segments[seam].song_to, plan.segments[seam + 1].song_from)
        if place not in seen:
            seen.add(place)
            views.append(seam_view(plan, recording, analysis, evidence, seam, params))
    return views


def seam_view(
    plan: LoopPlan,
    recording: Recording,
    analysis: Analysis,
    evidence: SeamEvidence,
    seam: int,
    params: SeamParams | None = None,
) -> SeamView:
    """The view of one seam, with excerpts of `EXCERPT_SECONDS`.

    Raises `ParameterError` if there is no such seam, and `PlanError` if the plan was made for another track.
    """
    params = params or SeamParams()
    leave_s, enter_s = plan.segments[seam].song_to, plan.segments[seam + 1].song_from
    expected = expected_excerpt(plan, recording, seam, EXCERPT_SECONDS)
    score, parts, step_db = _score_of(analysis, evidence, leave_s, enter_s, params)
    own_parts = parts_of_breaks(evidence, evidence.own, params)
    return SeamView(
        number=seam + 1,
        video_s=plan.seam_times[seam],
        leave_s=leave_s,
        enter_s=enter_s,
        played=seam_excerpt(plan, recording, seam, EXCERPT_SECONDS),
        left=expected.left,
        entered=expected.entered,
        middle=min(plan.seam_times[seam], EXCERPT_SECONDS / 2),
        fade_seconds=plan.seam_fades[seam],
        beats=_beats_around(analysis.grid, leave_s, enter_s, EXCERPT_SECONDS / 2),
        score=score,
        parts=parts,
        level_step_db=step_db + plan.segments[seam + 1].gain_in_db - plan.segments[seam].gain_db,
        own_parts=own_parts,
        others=tuple((one.name, one.measure.description) for one in evidence.others),
    )


def measured_scores(
    plan: LoopPlan, analysis: Analysis, evidence: SeamEvidence, params: SeamParams | None = None
) -> tuple[float, ...]:
    """Score every seam of a plan, 0 to 1 each, in playing order."""
    params = params or SeamParams()
    pairs = zip(plan.segments[:-1], plan.segments[1:], strict=True)
    return tuple(_score_of(analysis, evidence, left.song_to, entered.song_from, params)[0] for left, entered in pairs)


def planned_scores(plan: LoopPlan, analysis: Analysis) -> tuple[float | None, ...]:
    """The scores, 0 to 1 each, by which the planner chose the seams, which need no sound.

    None for a splice that the profile does not hold.
    """
    pairs = zip(plan.segments[:-1], plan.segments[1:], strict=True)
    rows = [_row_of(analysis, left.song_to, entered.song_from) for left, entered in pairs]
    return tuple(None if row is None else float(analysis.profile.splices.score[row]) for row in rows)


def _row_of(analysis: Analysis, leave_s: float, enter_s: float) -> int | None:
    """Index of a splice in the profile; None if it is not one of its splices."""
    splices = analysis.profile.splices
    same = (np.abs(splices.song_to - leave_s) < _SAME_SECONDS) & (np.abs(splices.song_from - enter_s) < _SAME_SECONDS)
    return int(np.argmax(same)) if np.any(same) else None


def _score_of(
    analysis: Analysis, evidence: SeamEvidence, leave_s: float, enter_s: float, params: SeamParams
) -> tuple[float, FloatArray, float]:
    """Score, parts and level step of a splice as the planner knew them; if the profile lacks it, those of its beats."""
    row = _row_of(analysis, leave_s, enter_s)
    if row is not None:
        splices = analysis.profile.splices
        return float(splices.score[row]), splices.parts[row], float(splices.level_step_db[row])
    grid = analysis.grid
    found = score_seam(evidence, _beat_at(grid, leave_s), _beat_at(grid, enter_s), params)
    return found.total, np.array(list(found.parts.values())), float("nan")


def _beat_at(grid: BeatGrid, track_s: float) -> int:
    return int(np.argmin(np.abs(grid.beats - track_s)))


def _beats_around(grid: BeatGrid, leave_s: float, enter_s: float, reach: float) -> FloatArray:
    """Beats as they play, shape (n, 2): s from the seam, and 1.0 where one opens a bar."""
    opens = (grid.positions == 1).astype(np.float64)
    # A splice may be up to 10 ms off the beat it is at, and the beat itself belongs to what is entered.
    before = (grid.beats < leave_s - 0.02) & (grid.beats > leave_s - reach)
    after = (grid.beats > enter_s - 0.02) & (grid.beats < enter_s + reach)
    times = np.concatenate([grid.beats[before] - leave_s, grid.beats[after] - enter_s])
    return np.stack([times, np.concatenate([opens[before], opens[after]])], axis=1)
