"""`workbench beats TRACK`: the beat grid of a sound file, detected, given or confirmed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, output_option, profile_option, workspace_option
from workbench.cli.terminal import deliver_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace
    from workbench.beats.grid import BeatGrid

_EVEN = 0.5  # confidence under which a grid is more likely wrong than right


@click.command("beats")
@click.argument("track")
@click.option("--grid", "grid_file", type=FILE, help="A file of your own beats, which become the track's grid.")
@click.option(
    "--tempo",
    "bpm",
    type=float,
    metavar="BPM",
    help="The tempo that you know, at which the track's beats are detected.",
)
@click.option("--confirm", is_flag=True, help="Save the detected grid as right.")
@click.option("--tracker", metavar="NAME", help="Another beat tracker: one that is installed, or module:attribute.")
@output_option
@profile_option
@workspace_option
def command(
    track: str,
    grid_file: Path | None,
    bpm: float | None,
    confirm: bool,
    tracker: str | None,
    output: Path | None,
    workspace: Workspace,
) -> None:
    """Print the beats, downbeats and tempo of TRACK, a catalog track id or any sound or video that FFmpeg reads.

    Times are seconds from the first sample, as a player counts them. A second call is answered from the cache. Metre,
    tempo and confidence, 0 to 1, are also printed on standard error, in words.

    With --grid every later plan of this track, by the same bytes, uses your own beats, with confidence 1. FILE has a
    beat a line: its time in seconds and its place in the bar, 1 for a downbeat, with a tab, spaces or a comma between
    (madmom, .beats); or Sonic Visualiser's CSV, Audacity's labels, JAMS, the MIDI file of a click, or what this command
    prints. A file without places takes the detected bars. With --tempo the beats are detected again at the tempo that
    you know, which helps where half or double of it was detected; they are saved with the confidence that is printed.
    --confirm saves the detected grid instead, also in place of your own.

    \b
    Example:
      workbench beats track.flac | jq .tempo_bpm
      workbench beats track.flac --grid track.beats
      workbench beats track.flac --tempo 174
      workbench beats track.flac --confirm
    """
    if (grid_file is not None) + (bpm is not None) + confirm > 1:
        raise click.UsageError("give only one of --grid, --tempo and --confirm")
    from workbench.analysis.sources import find_track
    from workbench.workflows.beats import (
        beats_json,
        confirm_grid,
        keep_grid,
        keep_tempo,
        map_beats,
        saved_grid,
        uncovered_warning,
    )

    source = find_track(workspace, track)
    if tracker is not None:
        params = workspace.params
        beats = params.beats.model_copy(update={"tracker": tracker})
        workspace = workspace.with_params(params.model_copy(update={"beats": beats}))
    with progress_bar() as progress:
        workspace = workspace.with_progress(progress)
        if grid_file is not None or bpm is not None or confirm:
            # a stored grid is printed without the database, which takes a while to load
            from workbench.review.projects import projects_in_words, projects_on_track

            if touched := projects_on_track(workspace, source):
                say(f"this changes the grid for {projects_in_words(touched)}; saved plans stay as they are")
            if grid_file is not None:
                saved = keep_grid(workspace, source.path, grid_file)
            else:
                saved = confirm_grid(workspace, source.path) if bpm is None else keep_tempo(workspace, source.path, bpm)
            say(f"{saved.beats.size} beats in {saved.downbeats.size} bars are the grid of this track from now on")
        found = map_beats(workspace, source.path)
    say(describe_grid(found.grid))
    if grid_file is not None and (short := uncovered_warning(found.grid, found.duration)):
        say(short)
    saved_before = saved_grid(workspace, source.path)
    if saved_before is not None and grid_file is None and bpm is None and not confirm:
        instead = "" if tracker is None else f", not that of {tracker}, which --confirm would save instead"
        say(f"this is the grid that is saved for this track{instead}")
    deliver_body(beats_json(workspace, source, found, saved_before), output)


def describe_grid(grid: BeatGrid) -> str:
    """Metre, tempo and confidence of a grid in a line."""
    if not grid.beats.size:
        return "no beats found"
    beats = "1 beat" if grid.beats_per_bar == 1 else f"{grid.beats_per_bar} beats"
    found = f"{beats} in a bar at {grid.tempo_bpm:.1f} BPM, confidence {grid.confidence:.2f}"
    return found if grid.confidence >= _EVEN else f"{found}: the bars are more likely wrong than right"
