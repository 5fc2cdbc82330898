"""Balance a plan with a soundtrack: measure the soundtrack and the plan as it is played, and let `mix.balance` decide.

The soundtrack is measured once a video and cached in the store: its loudness curve and the probability of speech,
both on the video's clock. The music is measured as it will be played, with seams and gains.

Functions: `mix_under`; `played_bar_lines`; `measure_soundtrack`.
"""

from __future__ import annotations

from pathlib import Path

from workbench.analysis.track import Sound, beat_stage
from workbench.analysis.video import load_soundtrack, with_voices
from workbench.analysis.workspace import Workspace
from workbench.features.levels import level_curve_of_blocks
from workbench.mix.balance import Mix, plan_mix
from workbench.plans.plan import LoopPlan, played_times
from workbench.recording import FloatArray
from workbench.render.playback import render_blocks
from workbench.video.utterances import SoundtrackMeasure


def mix_under(workspace: Workspace, plan: LoopPlan, track: Path, video: Path) -> Mix:
    """Levels and ducking for a plan under a video."""
    soundtrack = measure_soundtrack(workspace, video)
    recording = workspace.load_recording(track)
    played = level_curve_of_blocks(render_blocks(plan, recording, workspace.params.render), recording.sample_rate)
    lines = played_bar_lines(workspace, plan, track)
    return plan_mix(soundtrack, played, plan.window_end, workspace.params, bar_lines=lines)


def played_bar_lines(workspace: Workspace, plan: LoopPlan, track: Path) -> FloatArray | None:
    """Video times of the bar lines of a plan, on which music that yields goes and comes back; None if it does not."""
    if workspace.params.mix.own_music != "yield":
        return None
    return played_times(plan, beat_stage(Sound(workspace, track)).grid.downbeats)


def measure_soundtrack(workspace: Workspace, video: Path) -> SoundtrackMeasure:
    """The measures of a soundtrack, from the store or taken now.

    Of the parameters the longest length of a video counts, and an external voice detector.
    """
    return with_voices(workspace, load_soundtrack(workspace, video))
