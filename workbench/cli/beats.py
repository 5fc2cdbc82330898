"""`workbench beats FILE`: the beat grid of a sound file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, profile_option, workspace_option
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.beats.grid import BeatGrid
    from workbench.workspace import Workspace


@click.command("beats")
@click.argument("file", type=FILE)
@profile_option
@workspace_option
def command(file: Path, workspace: Workspace) -> None:
    """Print the beats, downbeats and tempo of FILE, any sound or video that FFmpeg reads.

    Times are seconds from the first sample, as a player counts them. A second call is answered from the cache. Metre,
    tempo and confidence, 0 to 1, are also printed on standard error, in words.

    \b
    Example:
      workbench beats track.flac | jq .tempo_bpm

    \f

    Parameters
    ----------
    file : sound or video
    workspace : of the home folder, with the parameters of the profile
    """
    from workbench.results.beats import beat_grid_body
    from workbench.workflows.beats import map_beats

    with progress_bar() as progress:
        found = map_beats(workspace.with_progress(progress), file)
    say(in_words(found.grid))
    body = beat_grid_body(found.grid, found.duration, track_id=file.name, cached=found.cached)
    print_body(body.to_json())


def in_words(grid: BeatGrid) -> str:
    """Metre, tempo and confidence of a grid in a line.

    Parameters
    ----------
    grid : of a recording; may be empty
    """
    if not grid.beats.size:
        return "no beats found"
    beats = "1 beat" if grid.beats_per_bar == 1 else f"{grid.beats_per_bar} beats"
    return f"{beats} in a bar at {grid.tempo_bpm:.1f} BPM, confidence {grid.confidence:.2f}"
