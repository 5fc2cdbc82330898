"""Several tracks under one video, each with a plan of its own, ready to play in turn at the same place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.plan import soundtrack_beside, track_file
from workbench.features.levels import level_curve_of_blocks
from workbench.media.probe import probe
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LOOP_ALONE
from workbench.render.playback import render_blocks
from workbench.workflows.mix import mix_under
from workbench.workflows.plan import Planned, plan_track


@dataclass(frozen=True, slots=True, eq=False)
class StackedTrack:
    """A track under the video, as a page plays it."""

    loop: Planned
    """with a plan and a mix"""
    sound: Path
    """the whole track, as a WAV file"""
    rate: int
    """of that file, Hz"""
    lufs: float
    """loudness of the music as it is planned, without its mix; -inf for silence"""
    peak: float
    """highest sample of that, full scale 1.0"""
    soundtrack: Path | None
    """of the video, as a WAV file at that rate; None where it has no sound"""


def stack_track(workspace: Workspace, named: str, video: Path) -> StackedTrack:
    """Plan a track, by id or path, under a video: looped, or fitted to it; PlanError where neither is possible."""
    track = find_track(workspace, named)
    loop = plan_track(workspace, track, video, LOOP_ALONE, auto_mix=True)
    if not isinstance(loop.answer, LoopPlan):
        loop = plan_track(workspace, track, video, auto_mix=True)
    return stack_loop(workspace, loop)


def stack_loop(workspace: Workspace, loop: Planned) -> StackedTrack:
    """Measure and prepare a track whose plan is made already, to be played under the video."""
    plan = loop.plan.alone
    assert loop.video is not None, "tracks are stacked under a video"
    sound = track_file(workspace, loop.track.path)
    recording = workspace.load_recording(loop.track.path)
    workspace.progress("measuring the music", 0.0)
    blocks = render_blocks(plan, recording, workspace.params.render)
    levels = level_curve_of_blocks(blocks, recording.sample_rate)
    return StackedTrack(
        loop,
        sound,
        probe(sound).sample_rate or recording.sample_rate,
        levels.integrated(),
        levels.peak,
        soundtrack_beside(workspace, loop.video, loop.track.path),
    )


def mix_stacked(workspace: Workspace, stacked: StackedTrack) -> StackedTrack:
    """Balance a stacked track again; its plan and its sound stay."""
    loop = stacked.loop
    assert isinstance(loop.answer, LoopPlan), "only plans are stacked"
    assert loop.video is not None, "tracks are stacked under a video"
    mix = mix_under(workspace, loop.answer.alone, loop.track.path, loop.video)
    return replace(stacked, loop=replace(loop, mix=mix))
