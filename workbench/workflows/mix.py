"""Balance a plan with a soundtrack: measure the soundtrack, play the plan to a meter, and let `mix.balance` decide.

The soundtrack is measured once a video and kept in the store: its loudness curve and the probability of speech, both on
the video's clock. The music is measured as it will be played, seams and gains included.
"""

from __future__ import annotations

from pathlib import Path

from workbench.loops.plan import LoopPlan
from workbench.mix.balance import Mix, SoundtrackMeasure, plan_mix
from workbench.mix.levels import level_curve_of_blocks
from workbench.render.playback import render_blocks
from workbench.workflows.watch import listen
from workbench.workspace import Workspace


def mix_under(workspace: Workspace, plan: LoopPlan, track: Path, video: Path) -> Mix:
    """Levels and ducking for a plan under a video.

    Parameters
    ----------
    workspace : of its parameters those of voice and duck matter
    plan : of the track, for the video
    track, video : their files

    Raises
    ------
    MediaError : the track or the video cannot be read
    """
    soundtrack = measure_soundtrack(workspace, video)
    recording = workspace.load_recording(track)
    played = level_curve_of_blocks(render_blocks(plan, recording, workspace.params.render), recording.sample_rate)
    return plan_mix(soundtrack, played, plan.window_end, workspace.params.voice, workspace.params.duck)


def measure_soundtrack(workspace: Workspace, video: Path) -> SoundtrackMeasure:
    """What a soundtrack is like, from the store or measured now.

    Raises
    ------
    MediaError : the video cannot be read
    """
    return SoundtrackMeasure(*listen(workspace, video))
