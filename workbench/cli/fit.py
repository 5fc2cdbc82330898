"""`workbench fit TRACK`: music of exactly one length, looped, straight or cut down."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.option_words import in_options
from workbench.cli.options import NewFile, audio_option, profile_option, workspace_option
from workbench.cli.planning import (
    auto_mix_option,
    balance_options,
    check_length,
    explain_audio,
    explain_constraints,
    explain_own_music,
    explain_plan,
    find_files,
    own_music_option,
    read_time,
    seam_options,
    video_option,
    with_own_music,
)
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.loops.constraints import SeamConstraints
    from workbench.loops.fit import Keep
    from workbench.media.sound_streams import SoundChoice
    from workbench.params import CoverParams
    from workbench.workflows.fit import Fit
    from workbench.workspace import Workspace

_LONGEST = 86_400.0  # s; a day


def _lengths(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    """One length in seconds or as M:SS, or several with commas between them."""
    if value is None:
        return None
    from workbench.loops.fit import MIN_SECONDS
    from workbench.workflows.constraints import read_seconds

    lengths = []
    for text in (part.strip() for part in value.split(",")):
        seconds = read_seconds(text)
        if seconds is None:
            wrong = f"{text!r} is not a length" if text else f"{value!r} lacks a length beside a comma"
            raise click.BadParameter(f"{wrong}, such as 90, 2:37 or 15,30,60", ctx, param)
        if not MIN_SECONDS <= seconds <= _LONGEST:
            unit = "" if ":" in text else " s"
            raise click.BadParameter(f"{text}{unit} is not between {MIN_SECONDS:g} and {_LONGEST:g} s", ctx, param)
        lengths.append(seconds)
    return tuple(lengths)


def _kept(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Keep, ...]:
    """Parts of the track with a name, or ranges of it."""
    from workbench.errors import ConstraintError
    from workbench.loops.fit import Keep, KeptPart
    from workbench.workflows.constraints import read_range

    names = [part.value for part in KeptPart]
    kept = []
    for value in values:
        if value in names:
            kept.append(Keep(KeptPart(value)))
            continue
        try:
            stretch = read_range(value)
        except ConstraintError as error:
            raise click.BadParameter(f"{error}; or name one of {', '.join(names)}", ctx, param) from error
        kept.append(Keep(None, stretch.song_from, stretch.song_to))
    return tuple(kept)


@click.command("fit")
@click.argument("track")
@video_option
@audio_option
@click.option(
    "--seconds",
    metavar="S[,S...]",
    callback=_lengths,
    help="The length, in seconds or as M:SS, or several that share their parts: 15,30,60.",
)
@auto_mix_option
@own_music_option
@click.option(
    "--keep",
    metavar="intro|ending|hook|M:SS-M:SS",
    multiple=True,
    callback=_kept,
    help="A part of the track that stays whole; may be repeated.",
)
@click.option(
    "--start-at",
    metavar="M:SS",
    callback=read_time,
    help="When in the video the music starts; before it there is silence.",
)
@click.option("--end-on", metavar="M:SS", callback=read_time, help="When in the video the last hit of the music lands.")
@seam_options
@balance_options
@click.option("--report", type=NewFile(), help="Also write a page that shows the options and plays the seams.")
@profile_option
@workspace_option
def command(
    track: str,
    video: Path | None,
    audio: SoundChoice | None,
    seconds: tuple[float, ...] | None,
    auto_mix: bool,
    own_music: str | None,
    keep: tuple[Keep, ...],
    start_at: float | None,
    end_on: float | None,
    constraints: SeamConstraints,
    report: Path | None,
    workspace: Workspace,
) -> None:
    """Fit TRACK, a file or a catalog track id, to a length: looped, straight or cut down, always exactly that long.

    Prints the plan as JSON; `workbench render` plays it. A longer video is covered with loops, one of about the
    track's length takes the track straight, a shorter one a cut-down that leaves parts out. A track that cannot fill
    the length, and wishes that contradict each other, are refused in one line, with exit code 1.

    --never-cut, --forbid-seam, --pin-seam and --exclude say where in the track no seam may be, which splices are not
    used, which are, and what is not played. Times are those of the track; a splice stands for the bar lines nearest to
    its two times. They hold for this plan and are saved in it, as kept parts and times are; --from takes all of them
    over into another one.

    \b
    Example:
      workbench fit track.mp3 --video video.mp4 --auto-mix > plan.json
      workbench fit track.mp3 --seconds 30 --keep hook --keep ending --report plan.html > plan.json
      workbench fit track.mp3 --seconds 60 --start-at 0:05 --keep 0:32-0:48 > plan.json
      workbench fit track.mp3 --seconds 60 --never-cut 0:40-0:52 --forbid-seam 0:32-1:20 > plan.json
      workbench fit track.mp3 --seconds 90 --from plan.json > longer.json
      workbench fit track.mp3 --seconds 15,30,60,185 > plans.json
      workbench render plans.json --length 15 --track track.mp3 -o fifteen.wav
    """
    check_length(video, seconds, auto_mix, "S[,S...]")
    from workbench.workflows.fit import fit_json, fit_track
    from workbench.workflows.videos import with_audio_of

    track_source, video_source = find_files(workspace, track, video)
    workspace = with_audio_of(with_own_music(workspace, own_music, auto_mix), video_source, audio)
    with progress_bar() as progress:
        workspace = workspace.with_progress(progress)
        fit = fit_track(
            workspace,
            track_source,
            video_source.path if video_source is not None else seconds or (),
            keep=keep,
            start_at=start_at,
            end_on=end_on,
            auto_mix=auto_mix,
            constraints=constraints,
        )
        if report is not None:
            from workbench.workflows.report import write_fit_report

            write_fit_report(workspace, fit, report)
    explain_constraints(constraints, fit, fit.analysis.profile, workspace)
    _explain(fit, [in_options((one.constraint,)) for one in keep], workspace.params.cover)
    explain_audio(workspace, video_source if fit.mix is not None else None)
    explain_own_music(workspace, video_source, fit.mix is not None, own_music)
    print_body(fit_json(fit, None if video_source is None else video_source.video_id))


def _explain(fit: Fit, keep: Collection[str], params: CoverParams) -> None:
    """Write to standard error what the JSON does not say in words."""
    from workbench.loops.fit import shares_its_parts
    from workbench.loops.refusals import plain_seconds
    from workbench.workflows.plan_words import less_sure_line, repetition_line

    for plan in fit.plans:
        named = f"{plain_seconds(plan.window_end)} s: " if len(fit.plans) > 1 else ""
        say(f"{named}{plan.kind.in_words}, {plan.end_label}")
        profile = fit.analysis.profile
        lines = (less_sure_line(plan, keep, params), repetition_line(plan, profile, params))
        explain_plan(plan, profile, *filter(None, lines), named=named)
    by_length = sorted(fit.plans, key=lambda plan: plan.window_end)
    for short, longer in pairwise(by_length):
        if not shares_its_parts(short, longer):
            lengths = f"{plain_seconds(short.window_end)} s and {plain_seconds(longer.window_end)} s"
            say(f"{lengths} do not share all of their music and seams")
