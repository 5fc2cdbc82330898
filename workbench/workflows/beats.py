"""The grid of a track: detected, given by a user, or detected at a tempo that the user knows.

A user's grid is saved by the hash of the track's bytes and used by every later plan. A tempo alone is knowledge too:
trackers that err mostly detect half or double of it. The tracker then considers no other, and says as ever how sure its
bar lines are.

Functions: `map_beats`, the grid that counts, and `beats_json`; `keep_grid` for a grid or a file of one, `keep_tempo`
for a known tempo, `confirm_grid` for the detected grid.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.grid_files import read_grid
from workbench.analysis.provenance import grid_record, make_provenance, with_provenance
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import (
    MIN_TEMPO_CONFIDENCE,
    BeatAnalysis,
    Sound,
    beat_stage,
    detected_grid,
    grid_at_tempo,
    has_tempo,
    tempo_note,
)
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, ParameterError
from workbench.extensions import OWN
from workbench.plans.constraints import clock
from workbench.results.beats import beat_grid_body

if TYPE_CHECKING:
    from workbench.store.saved import CorrectedGrid

# s at either end of a track that a grid may leave out without a word: a free intro, a long ring
_UNCOUNTED_SECONDS = 15.0


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


def beats_json(
    workspace: Workspace, track: TrackSource, found: BeatAnalysis, saved: CorrectedGrid | None
) -> dict[str, Any]:
    """The JSON of a grid as the command line prints it: its body, and beside it the provenance.

    `saved` is the grid that is saved for the track.
    """
    body = beat_grid_body(found.grid, found.duration, track_id=track.track_id, cached=found.cached)
    grid = grid_record(found.grid, saved)
    return with_provenance(body.to_json(), make_provenance(workspace, "beats", ("beats",), track=track.path, grid=grid))


def uncovered_warning(grid: BeatGrid, seconds: float) -> str:
    """A warning that a grid does not reach the start or end of its track; empty if it does."""
    first, last = float(grid.beats[0]), float(grid.beats[-1])
    if max(first, seconds - last) <= _UNCOUNTED_SECONDS:
        return ""
    from_s, to_s, whole = (clock(round(at, 1)) for at in (first, last, seconds))
    return f"the grid goes from {from_s} to {to_s} of {whole}: where it has no bars, no seam can be"


def saved_grid(workspace: Workspace, path: Path) -> CorrectedGrid | None:
    """The grid that is saved for a file, None without one."""
    return Sound(workspace, path).correction


def keep_grid(workspace: Workspace, track: Path | str, grid: BeatGrid | Path | str) -> BeatGrid:
    """Save a user's grid as the grid of a track, which every later plan of the same bytes uses.

    Parameters
    ----------
    workspace : in whose home it is saved
    track : anything FFmpeg reads
    grid : of the track, with bar lines; or a file in one of the formats of `workbench.analysis.grid_files`

    Returns
    -------
    BeatGrid : as it is saved, with confidence 1

    Raises
    ------
    GridError : no grid of this track in the file, no bar line, or a beat after the end of the track
    MediaError : the track cannot be read
    StoreError : the home folder cannot be written to
    """
    sound = Sound(workspace, Path(track))
    duration = beat_stage(sound).duration
    if isinstance(grid, BeatGrid):
        saved, note = grid, "given as a grid"
        if not grid.downbeats.size:
            raise GridError("a grid without bar lines gives a plan nothing to splice at")
        if grid.beats[-1] > duration:
            raise GridError(f"a beat at {grid.beats[-1]:.3f} s is after the end of the track at {duration:.3f} s")
    else:
        saved, note = read_grid(Path(grid), duration, detected_grid(sound)), f"read from {Path(grid).name}"
    return _saved(workspace, sound, saved, note)


def keep_tempo(workspace: Workspace, track: Path | str, bpm: float) -> BeatGrid:
    """Detect the grid of a track at a tempo that the user knows, and save it.

    The track's tempo may differ from it by `beats.candidates.KNOWN_TEMPO_SHARE`; the grid's confidence is that of its
    bar lines. Raises `ParameterError` for a tempo beyond those that are tracked, or a tracker other than our
    own, and `GridError` if no beats are detected at this tempo.
    """
    beats = workspace.params.beats
    if not beats.min_bpm <= bpm <= beats.max_bpm:
        raise ParameterError(f"a tempo is between {beats.min_bpm:g} and {beats.max_bpm:g} BPM, got {bpm:g}")
    if beats.tracker != OWN:
        raise ParameterError(f"only our own tracker takes a tempo, not {beats.tracker}")
    sound = Sound(workspace, Path(track))
    detected = detected_grid(sound)
    grid = grid_at_tempo(sound, bpm)
    if not grid.downbeats.size or (grid.confidence < MIN_TEMPO_CONFIDENCE and not has_tempo(detected, bpm)):
        others = f", {detected.tempo_bpm:.1f} BPM is; give half or double of that, or"
        instead = others if detected.beats.size > 1 else "; give"
        raise GridError(f"{track}: no beats were detected in it at {bpm:g} BPM{instead} a grid of your own")
    return _saved(workspace, sound, grid, tempo_note(bpm), grid.confidence)


def confirm_grid(workspace: Workspace, track: Path | str) -> BeatGrid:
    """Save the detected grid of a track as right, with confidence 1; it replaces a user's grid.

    Raises `GridError` if no bars were detected.
    """
    sound = Sound(workspace, Path(track))
    detected = detected_grid(sound)
    if not detected.downbeats.size:
        raise GridError(
            f"{track}: no bars were detected in it, so there is nothing to confirm; give a grid of your own"
        )
    return _saved(workspace, sound, detected, "the detected grid, confirmed")


def _saved(workspace: Workspace, sound: Sound, grid: BeatGrid, note: str, confidence: float = 1.0) -> BeatGrid:
    from workbench.analysis.grids import save_grid  # SQLAlchemy loads where a grid is saved

    save_grid(workspace, sound.content_hash, grid, note, confidence)
    return beat_stage(Sound(workspace, sound.path)).grid
