"""Balance a plan with a clip's own sound: measure the footage, play the plan to a meter, and let `mix.balance` decide.

The footage is measured once a clip and kept in the store: its loudness curve and the probability of speech, both on the
video's clock. The music is measured as it will be played, seams and gains included.
"""

from __future__ import annotations

from pathlib import Path

from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.media.audio import decode
from workbench.mix.balance import Footage, Mix, plan_mix
from workbench.mix.levels import level_curve_of_blocks
from workbench.params import WorkbenchParams
from workbench.progress import Progress, silent
from workbench.render.playback import render_blocks
from workbench.workflows.watch import listen


def mix_under(
    plan: LoopPlan,
    song: Path,
    video: Path,
    home: Home | None = None,
    params: WorkbenchParams | None = None,
    progress: Progress = silent,
) -> Mix:
    """Levels and ducking for a plan under a clip.

    Parameters
    ----------
    plan : of the song, for the clip
    song, video : their files
    home : whose store is used; None: the one that settings choose
    params : those of voice and duck matter
    progress : told what is being done

    Raises
    ------
    MediaError : the song or the clip cannot be read
    """
    params = params or WorkbenchParams()
    footage = measure_footage(video, home, params, progress)
    recording = decode(song)
    played = level_curve_of_blocks(render_blocks(plan, recording, params.render), recording.sample_rate)
    return plan_mix(footage, played, plan.window_end, params.voice, params.duck)


def measure_footage(
    video: Path, home: Home | None = None, params: WorkbenchParams | None = None, progress: Progress = silent
) -> Footage:
    """What a clip's own sound is like, from the store or measured now.

    Raises
    ------
    MediaError : the clip cannot be read
    """
    return Footage(*listen(video, home, params, progress))
