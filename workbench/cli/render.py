"""`workbench render PLAN.json`: a plan or a placement as sound, or as a video."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, NewFile, profile_option, workspace_option
from workbench.cli.plan_files import lay_out, option_option, placement_option, read_music, warn_of_other_bytes
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.workspace import Workspace


@click.command("render")
@click.argument("plan", type=FILE)
@click.option(
    "--track",
    help="The track that the plan was made for: a file or a catalog track id; not needed where the catalog has it.",
)
@click.option(
    "--video",
    type=FILE,
    help="The video, a file or a video's id; its picture is copied, its sound kept under the music.",
)
@click.option(
    "-o", "--output", "out", type=NewFile(), required=True, help="WAV, FLAC or MP3; with --video MP4, MOV or MKV."
)
@option_option
@placement_option
@click.option("--limit", is_flag=True, help="Hold the true peak under -1 dBTP; a mix is always limited.")
@profile_option
@workspace_option
def command(
    plan: Path,
    track: str | None,
    video: Path | None,
    out: Path,
    option: int | None,
    placement: int | None,
    limit: bool,
    workspace: Workspace,
) -> None:
    """Play PLAN, as `workbench loop` prints it, into a sound file or, with --video, under a video.

    PLAN may also be what `workbench align` or `match --include-sync` prints: the track is then laid under the video as
    the placement says, from its first picture to its last; without a video, to the end of the track.

    A mix in PLAN is applied when a video is given: soundtrack and music at their gains, the music further down under
    speech, the sum under -1 dBTP; for another option than the plan served it is measured anew. Prints the loudness and
    the true peak of what was written, and warns of a track that is not the one that PLAN was made for. `-` reads the
    plan from standard input.

    \b
    Example:
      workbench render plan.json --track track.mp3 -o music.wav
      workbench render plan.json --track track.mp3 --video video.mp4 -o video-with-music.mp4
      workbench render plan.json --option 2 --track track.mp3 -o other-ending.wav
      workbench render placements.json --placement 2 --track track.mp3 --video video.mp4 -o video-with-music.mp4

    \f

    Parameters
    ----------
    plan : JSON file of a plan or of placements, `-` for standard input
    track : path of a file, or catalog track id; None: the catalog's track that the plan names
    video : path, or id of a video that was added; None: a sound file is written
    out : the file to write
    option : number of the option to play; None: the plan served. Must be None for placements
    placement : number of the placement to play; None: the best. Must be None for a plan
    limit : whether the true peak is limited also without a mix
    workspace : of the home folder, with the parameters of the profile
    """
    _check_suffix(out, video)
    from workbench.loops.plan import LoopPlan
    from workbench.render.levels import measure_levels
    from workbench.render.video import render_audio, render_video
    from workbench.workflows.videos import find_video

    chosen = read_music(plan, workspace, track, option=option, placement=placement, needed_by="a render")
    assert chosen.track is not None, "it is needed"
    warn_of_other_bytes(workspace, chosen)
    video_path = None if video is None else find_video(workspace, video).path
    with progress_bar() as progress:

        def rendering(done: float) -> None:
            progress(f"rendering {out.name}", done)

        recording, tuned = workspace.load_recording(chosen.track.path), workspace.params.render
        found, mix = lay_out(workspace.with_progress(progress), chosen, video_path)
        if video_path is None:
            render_audio(found, recording, out, tuned, limit=limit, progress=rendering)
        else:
            render_video(
                found, recording, video_path, out, mix, tuned, limit=True if limit else None, progress=rendering
            )
        progress(f"measuring {out.name}", 0.0)
        levels = measure_levels(out)
        progress(f"measuring {out.name}", 1.0)
    if not isinstance(chosen.music, LoopPlan):
        say(f"placement {chosen.number}: {chosen.music.label}")
    measured = {"loudness_lufs": levels.loudness_lufs, "true_peak_dbtp": levels.true_peak_dbtp}
    print_body(
        {"output": str(out), "seconds": found.window_end, "bytes": out.stat().st_size}
        | {name: round(level, 2) for name, level in measured.items() if isfinite(level)}
    )


def _check_suffix(out: Path, video: Path | None) -> None:
    """Refuse a file that cannot be written before a track is decoded for it."""
    from workbench.media.audio import SOUND_SUFFIXES
    from workbench.render.video import VIDEO_SUFFIXES

    suffix, known = out.suffix.lower(), SOUND_SUFFIXES if video is None else VIDEO_SUFFIXES
    if suffix in known:
        return
    if suffix in VIDEO_SUFFIXES:
        raise click.UsageError(f"{suffix[1:].upper()} needs --video FILE; without it write {', '.join(SOUND_SUFFIXES)}")
    kind = "music" if video is None else "a video"
    raise click.UsageError(f"{out.name}: {kind} is written as {', '.join(known)}, not {suffix or 'without a suffix'}")
