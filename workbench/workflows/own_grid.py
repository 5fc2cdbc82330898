"""A person's own grid of a track: kept by the hash of the track's bytes, used by every later plan.

Functions: `keep_grid` for a grid or a file of one; `confirm_grid` for the grid that was heard. The records themselves
are saved and deleted by `workbench.workflows.grids`.
"""

from __future__ import annotations

from pathlib import Path

from workbench.beats.grid import BeatGrid
from workbench.errors import GridError
from workbench.workflows.analyze import Sound, beat_stage, heard_grid
from workbench.workflows.grid_files import read_grid
from workbench.workflows.grids import save_grid
from workbench.workspace import Workspace


def keep_grid(workspace: Workspace, track: Path | str, grid: BeatGrid | Path | str) -> BeatGrid:
    """Make a person's own grid the grid of a track, in place of the one that was heard.

    Parameters
    ----------
    workspace : its database takes the record
    track : its file
    grid : the grid, or a file in one of the formats of `workbench.workflows.grid_files`

    Returns
    -------
    BeatGrid : as it is kept, of confidence 1

    Raises
    ------
    MediaError : the track cannot be read, or has no sound
    InputError : the file of the grid cannot be read
    GridError : it holds no grid of this track; or the grid has no bar line, or beats after the end of the track
    StoreError : the home folder or its database cannot be used
    """
    sound = Sound(workspace, Path(track))
    duration = beat_stage(sound).duration
    if isinstance(grid, BeatGrid):
        kept, note = grid, "given as a grid"
        if not grid.downbeats.size:
            raise GridError("a grid without bar lines gives a plan nothing to splice at")
        if grid.beats[-1] > duration:
            raise GridError(f"a beat at {grid.beats[-1]:.3f} s lies after the end of the track at {duration:.3f} s")
    else:
        kept, note = read_grid(Path(grid), duration, heard_grid(sound)), f"read from {Path(grid).name}"
    return _kept(workspace, sound, kept, note)


def confirm_grid(workspace: Workspace, track: Path | str) -> BeatGrid:
    """Keep the grid that was heard in a track as right; it replaces a grid that a person gave before.

    Parameters
    ----------
    workspace : its database takes the record
    track : its file

    Returns
    -------
    BeatGrid : as it is kept, of confidence 1

    Raises
    ------
    MediaError : the track cannot be read, or has no sound
    GridError : no bars were heard
    StoreError : the home folder or its database cannot be used
    """
    sound = Sound(workspace, Path(track))
    heard = heard_grid(sound)
    if not heard.downbeats.size:
        raise GridError(f"{track}: no bars were heard in it, so there is nothing to confirm; give a grid of your own")
    return _kept(workspace, sound, heard, "the heard grid, confirmed")


def _kept(workspace: Workspace, sound: Sound, grid: BeatGrid, note: str) -> BeatGrid:
    save_grid(workspace, sound.content_hash, grid, note)
    return beat_stage(Sound(workspace, sound.path)).grid
