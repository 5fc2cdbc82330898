"""The beats workflow: the grid of any recording, from the store or made now.

It is the first stage of the analysis that loops need too, so a grid that was asked for alone is not made twice.
"""

from __future__ import annotations

from pathlib import Path

from workbench.home import Home
from workbench.params import WorkbenchParams
from workbench.progress import Progress, silent
from workbench.workflows.analyze import BeatMap, Sound, beat_stage, store_of


def map_beats(
    path: Path | str,
    home: Home | None = None,
    params: WorkbenchParams | None = None,
    progress: Progress = silent,
) -> BeatMap:
    """Beats and downbeats of a file, from the store where it has them.

    Parameters
    ----------
    path : anything FFmpeg reads, a film's sound too
    home : whose store is used; None: the one that settings choose
    params : all parameters; those of spectrum and beats matter
    progress : told what is being done

    Raises
    ------
    MediaError : no such file, or no sound in it
    StoreError : the home folder cannot be written to
    """
    return beat_stage(store_of(home), Sound(Path(path), params or WorkbenchParams(), progress, home))
