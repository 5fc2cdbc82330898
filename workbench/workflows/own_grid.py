"""A user's grid of a track: saved by the hash of the track's bytes, used by every later plan.

A tempo alone is knowledge too: trackers that err mostly hear half or double of it. The tracker then considers no other,
and says of the bar lines that it finds how sure they are, as ever.

Functions: `keep_grid` for a grid or a file of one; `keep_tempo` for a known tempo, `grid_of_given_tempo` where a
catalog gives it; `confirm_grid` for the detected grid. The records themselves are saved and deleted by
`workbench.analysis.grids`.
"""

from __future__ import annotations

from pathlib import Path

from workbench.analysis.grid_files import read_grid
from workbench.analysis.grids import save_grid
from workbench.analysis.track import Sound, beat_stage, grid_at_tempo, heard_grid
from workbench.analysis.workspace import Workspace
from workbench.beats.candidates import is_near_tempo
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, ParameterError
from workbench.extensions import OWN
from workbench.store.grid_records import CorrectedGrid, make_record

# From which beats at a given tempo are taken: of 26 external recordings 25 have at most 0.01 at 0.93 and at 1.1 times
# their tempo
MIN_TEMPO_CONFIDENCE = 0.1


def keep_grid(workspace: Workspace, track: Path | str, grid: BeatGrid | Path | str) -> BeatGrid:
    """Save a user's grid, or a file in one of the formats of `workbench.analysis.grid_files`, as the grid of a track.

    It is saved with confidence 1. Raises `GridError` if the file holds no grid of this track, or the grid has no bar
    line, or beats after the end of the track.
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


def keep_tempo(workspace: Workspace, track: Path | str, bpm: float) -> BeatGrid:
    """Save the grid that is detected at a tempo that the user knows as the grid of the track.

    The track's tempo may be off it by `beats.candidates.KNOWN_TEMPO_SHARE`; the grid has the confidence that the
    tracker has in its bar lines. Raises `ParameterError` for a tempo beyond those that are tracked, or a tracker other
    than our own, and `GridError` if no beats are detected at this tempo.
    """
    beats = workspace.params.beats
    if not beats.min_bpm <= bpm <= beats.max_bpm:
        raise ParameterError(f"a tempo lies between {beats.min_bpm:g} and {beats.max_bpm:g} BPM, got {bpm:g}")
    if beats.tracker != OWN:
        raise ParameterError(f"only our own tracker can be told a tempo, not {beats.tracker}")
    sound = Sound(workspace, Path(track))
    heard = heard_grid(sound)
    grid = grid_at_tempo(sound, bpm)
    if not grid.downbeats.size or (grid.confidence < MIN_TEMPO_CONFIDENCE and not _has_tempo(heard, bpm)):
        others = f", {heard.tempo_bpm:.1f} BPM is; give half or double of that, or"
        instead = others if heard.beats.size > 1 else "; give"
        raise GridError(f"{track}: no beats are heard in it at {bpm:g} BPM{instead} a grid of your own")
    return _kept(workspace, sound, grid, _tempo_note(bpm), grid.confidence)


def grid_of_given_tempo(sound: Sound, bpm: float) -> CorrectedGrid | None:
    """The grid at the tempo that a catalog gives of a track, where another is detected and no grid is saved for it.

    The record is not saved yet. None where the detected or the saved grid stands, and if no beats are found at that
    tempo.
    """
    beats = sound.params.beats
    if beats.tracker != OWN or not beats.min_bpm <= bpm <= beats.max_bpm or sound.correction is not None:
        return None
    heard = heard_grid(sound)
    if heard.beats.size < 2 or _has_tempo(heard, bpm):
        return None
    grid = grid_at_tempo(sound, bpm)
    if not grid.downbeats.size or grid.confidence < MIN_TEMPO_CONFIDENCE:
        return None
    return make_record(
        sound.content_hash,
        grid.beats.tolist(),
        grid.positions.tolist(),
        grid.beats_per_bar,
        _tempo_note(bpm),
        grid.confidence,
    )


def _has_tempo(grid: BeatGrid, bpm: float) -> bool:
    return grid.beats.size > 1 and is_near_tempo(grid.beats, bpm)


def _tempo_note(bpm: float) -> str:
    return f"heard at {bpm:g} BPM, which was given"


def confirm_grid(workspace: Workspace, track: Path | str) -> BeatGrid:
    """Save the detected grid of a track as right, with confidence 1; it replaces a user's grid.

    Raises `GridError` if no bars were detected.
    """
    sound = Sound(workspace, Path(track))
    heard = heard_grid(sound)
    if not heard.downbeats.size:
        raise GridError(f"{track}: no bars were heard in it, so there is nothing to confirm; give a grid of your own")
    return _kept(workspace, sound, heard, "the heard grid, confirmed")


def _kept(workspace: Workspace, sound: Sound, grid: BeatGrid, note: str, confidence: float = 1.0) -> BeatGrid:
    save_grid(workspace, sound.content_hash, grid, note, confidence)
    return beat_stage(Sound(workspace, sound.path)).grid
