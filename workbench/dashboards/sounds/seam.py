"""One seam of a plan to look at, also with a crossfade that is not the plan's.

The evidence of the track that was looked at last is cached: the next seam takes a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.provenance import CHANGED_BY_HAND, OPTION
from workbench.analysis.workspace import Workspace
from workbench.features.loudness import momentary
from workbench.files import stamps_of
from workbench.mix.balance import Mix
from workbench.plans.plan import LoopPlan
from workbench.plots.seams import SHOWN_DB, SeamView, octave_spectrogram, onset_rises, spliced
from workbench.recording import FloatArray
from workbench.workflows.plan import Planned
from workbench.workflows.seams import evidence_of, measured_scores, seam_view

LOUDNESS_STEP_SECONDS = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class SeamLook:
    """One seam: its view and scores, the sounds to play and the curves to draw."""

    view: SeamView
    """with its scores"""
    scores: tuple[float, ...]
    """of each seam of the plan"""
    played_picture: NDArray[np.uint8]
    """shape (rows, frames), spectrogram over `SHOWN_DB`, 255 is the loudest of both pictures"""
    track_picture: NDArray[np.uint8]
    """the same of what the track itself plays on either side"""
    played_onsets: FloatArray
    """shape (frames,), dB of rise"""
    track_onsets: FloatArray
    played_loudness: FloatArray
    """shape (n,), LUFS every `LOUDNESS_STEP_SECONDS`"""
    track_loudness: FloatArray


def look_at_seam(workspace: Workspace, loop: Planned, plan: LoopPlan, seam: int) -> SeamLook:
    """Prepare what a page shows of a seam, counted from 0; both pictures share a scale of level."""
    assert loop.analysis is not None, "a plan comes from an analysis"
    stage = "listening to the seam"
    workspace.progress(stage, 0.0)
    recording = workspace.load_recording(loop.track.path)
    evidence = evidence_of(recording, loop.analysis.grid, workspace.params.seams)
    view = seam_view(plan, recording, loop.analysis, evidence, seam, workspace.params.seams)
    in_track = spliced(view)
    pictures = octave_spectrogram(view.played), octave_spectrogram(in_track)
    top = max(float(picture.max()) for picture in pictures)
    return SeamLook(
        view=view,
        scores=measured_scores(plan, loop.analysis, evidence, workspace.params.seams),
        played_picture=_bytes(pictures[0], top),
        track_picture=_bytes(pictures[1], top),
        played_onsets=onset_rises(view.played),
        track_onsets=onset_rises(in_track),
        played_loudness=momentary(view.played.samples, view.played.sample_rate, LOUDNESS_STEP_SECONDS),
        track_loudness=momentary(in_track.samples, in_track.sample_rate, LOUDNESS_STEP_SECONDS),
    )


def seams_cache_key(loop: Planned, plan: LoopPlan, *more: Hashable) -> Hashable | None:
    """The `Task.cache_key` of facts about a plan's seams; None if the loop has no analysis."""
    if loop.analysis is None:
        return None
    grid = loop.analysis.grid
    return plan, *stamps_of(loop.track.path), grid.beats.tobytes(), grid.positions.tobytes(), *more


def with_fade(plan: LoopPlan, seam: int, fade_seconds: float, exponent: float) -> LoopPlan:
    """A plan with another crossfade at one seam, counted from 0; PlanError where there is no room for it."""
    fades, curves = list(plan.seam_fades), list(plan.seam_curves)
    fades[seam], curves[seam] = round(fade_seconds, 6), round(exponent, 4)
    return replace(plan.alone, seam_fades=tuple(fades), seam_curves=tuple(curves))


def with_option_first(loop: Planned, plan: LoopPlan, mix: Mix | None = None) -> Planned:
    """Make a plan the first option of a loop: one of its options moves up, a changed plan replaces the first one.

    Their numbers (`Planned.option_numbers`) stay, and without a `mix` that of the loop.
    """
    assert isinstance(loop.answer, LoopPlan), "a refusal has no options"
    chosen, numbers = plan.alone, loop.option_numbers
    options = dict(zip(numbers, loop.answer.options or (loop.answer,), strict=True))
    number = next((number for number, option in options.items() if option == chosen), numbers[0])
    rest = (options[other] for other in sorted(numbers) if other != number)
    provenance = loop.provenance
    if provenance is not None:
        provenance = provenance.with_constraint(CHANGED_BY_HAND, True)
        provenance = provenance.with_constraint(OPTION, number if number > 1 else None)
    changed = replace(chosen, options=(chosen, *rest))
    return replace(loop, answer=changed, mix=mix or loop.mix, provenance=provenance)


def _bytes(picture: FloatArray, top: float) -> NDArray[np.uint8]:
    return np.asarray(np.clip(255.0 * (picture - top + SHOWN_DB) / SHOWN_DB, 0.0, 255.0).astype(np.uint8))
