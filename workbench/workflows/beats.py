"""The beats workflow: the grid of any recording, from the store or tracked now.

It is the first stage of the analysis that loops need too, so a grid is never tracked twice.
"""

from __future__ import annotations

from pathlib import Path

from workbench.analysis.track import BeatAnalysis, Sound, beat_stage
from workbench.analysis.workspace import Workspace


def map_beats(workspace: Workspace, path: Path | str) -> BeatAnalysis:
    """Beats and downbeats of a file, from the store where it has them.

    Parameters
    ----------
    workspace : of its parameters those of spectrum and beats matter
    path : anything FFmpeg reads, a video with sound too

    Returns
    -------
    BeatAnalysis : the grid, times in s, and the onset strength that it was found in

    Raises
    ------
    MediaError : no such file, or no sound in it
    StoreError : the home folder cannot be written to
    """
    return beat_stage(Sound(workspace, Path(path)))
