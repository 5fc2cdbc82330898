"""Balance a plan with a clip's own sound: measure the footage, play the plan to a meter, and let `mix.balance` decide.

The footage is measured once a clip and kept in the store: its loudness curve and the probability of speech, both on the
video's clock. The music is measured as it will be played, seams and gains included.
"""

from __future__ import annotations

from pathlib import Path

from workbench.loops.plan import LoopPlan
from workbench.mix.balance import Footage, Mix, plan_mix
from workbench.mix.levels import level_curve_of_blocks
from workbench.render.playback import render_blocks
from workbench.workflows.watch import listen
from workbench.workspace import Workspace


def mix_under(workspace: Workspace, plan: LoopPlan, song: Path, video: Path) -> Mix:
    """Levels and ducking for a plan under a clip.

    Parameters
    ----------
    workspace : of its parameters those of voice and duck matter
    plan : of the song, for the clip
    song, video : their files

    Raises
    ------
    MediaError : the song or the clip cannot be read
    """
    footage = measure_footage(workspace, video)
    recording = workspace.load_recording(song)
    played = level_curve_of_blocks(render_blocks(plan, recording, workspace.params.render), recording.sample_rate)
    return plan_mix(footage, played, plan.window_end, workspace.params.voice, workspace.params.duck)


def measure_footage(workspace: Workspace, video: Path) -> Footage:
    """What a clip's own sound is like, from the store or measured now.

    Raises
    ------
    MediaError : the clip cannot be read
    """
    return Footage(*listen(workspace, video))
