"""`workbench fit TRACK`: music of exactly one length, looped, straight or cut down."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, NewFile, profile_option, workspace_option
from workbench.cli.terminal import print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.loops.fit import Keep
    from workbench.workflows.fit import Fit
    from workbench.workspace import Workspace

_LONGEST = 86_400.0
"""s; a day"""
_TIME = re.compile(r"(?:(\d+):([0-5]\d(?:\.\d+)?)|(\d+(?:\.\d+)?))", re.ASCII)


def _lengths(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    """One length in seconds, or several with commas between them."""
    if value is None:
        return None
    from workbench.loops.fit import MIN_SECONDS

    lengths = []
    for text in (part.strip() for part in value.split(",")):
        if not re.fullmatch(r"\d+(?:\.\d+)?", text, re.ASCII):
            raise click.BadParameter(f"{text or 'nothing'!r} is not a length in seconds", ctx, param)
        seconds = float(text)
        if not MIN_SECONDS <= seconds <= _LONGEST:
            raise click.BadParameter(f"{text} s is not between {MIN_SECONDS:g} and {_LONGEST:g} s", ctx, param)
        lengths.append(seconds)
    return tuple(lengths)


def _time(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A time as M:SS, or in seconds; both with decimals."""
    if value is None:
        return None
    seconds = _seconds(value)
    if seconds is None:
        raise click.BadParameter(f"{value!r} is not a time such as 1:05 or 65.5", ctx, param)
    return seconds


def _kept(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Keep, ...]:
    """Parts of the track with a name, or ranges of it."""
    from workbench.loops.fit import Keep, KeptPart

    names = [part.value for part in KeptPart]
    kept = []
    for value in values:
        if value in names:
            kept.append(Keep(KeptPart(value)))
            continue
        ends = [_seconds(text) for text in value.split("-")]
        if len(ends) != 2 or ends[0] is None or ends[1] is None:
            raise click.BadParameter(
                f"{value!r} is neither {', '.join(names)} nor a range such as 0:32-0:48", ctx, param
            )
        if not ends[0] < ends[1]:
            raise click.BadParameter(f"{value!r} ends before it begins", ctx, param)
        kept.append(Keep(None, ends[0], ends[1]))
    return tuple(kept)


def _seconds(text: str) -> float | None:
    """Seconds of a time; None for what is none."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    minutes, rest, plain = found.groups()
    return float(plain) if plain is not None else 60.0 * int(minutes) + float(rest)


@click.command("fit")
@click.argument("track")
@click.option("--video", type=FILE, help="The video to fill: a file, or the id of a video that was added.")
@click.option(
    "--seconds", metavar="S[,S...]", callback=_lengths, help="The length, or several that share their parts: 15,30,60."
)
@click.option("--auto-mix", is_flag=True, help="Also say how the music makes way for a voice in the video.")
@click.option(
    "--keep",
    metavar="intro|ending|hook|M:SS-M:SS",
    multiple=True,
    callback=_kept,
    help="A part of the track that stays whole; may be repeated.",
)
@click.option(
    "--start-at", metavar="M:SS", callback=_time, help="When in the video the music starts; before it there is silence."
)
@click.option("--end-on", metavar="M:SS", callback=_time, help="When in the video the last hit of the music lands.")
@click.option("--report", type=NewFile(), help="Also write a page that shows the options and plays the seams.")
@profile_option
@workspace_option
def command(
    track: str,
    video: Path | None,
    seconds: tuple[float, ...] | None,
    auto_mix: bool,
    keep: tuple[Keep, ...],
    start_at: float | None,
    end_on: float | None,
    report: Path | None,
    workspace: Workspace,
) -> None:
    """Fit TRACK, a file or a catalog track id, to a length: looped, straight or cut down, always exactly that long.

    Prints the plan as JSON; `workbench render` plays it. A longer video is covered with loops, one of about the
    track's length takes the track straight, a shorter one a cut-down that leaves parts out. A track that cannot fill
    the length, and wishes that contradict each other, are refused in one line, with exit code 1.

    \b
    Example:
      workbench fit track.mp3 --video video.mp4 --auto-mix > plan.json
      workbench fit track.mp3 --seconds 30 --keep hook --keep ending --report plan.html > plan.json
      workbench fit track.mp3 --seconds 60 --start-at 0:05 --keep 0:32-0:48 > plan.json
      workbench fit track.mp3 --seconds 15,30,60,185 | jq '.fits[0]' > fifteen.json

    \f

    Parameters
    ----------
    track : path of a file, or catalog track id
    video : path, or id of a video that was added; None where `seconds` is given
    seconds : one length or several; None where `video` is given
    auto_mix : whether the body has a mix
    keep : parts that are each kept whole in one segment
    start_at : video time at which the music starts; None: with the picture
    end_on : video time of the last hit; None: nowhere in particular
    report : HTML file to write; None: none is written
    workspace : of the home folder, with the parameters of the profile

    Raises
    ------
    click.UsageError : both of video and seconds, or neither, or a mix without a video
    """
    if (video is None) == (seconds is None):
        raise click.UsageError("give either --video FILE or --seconds S[,S...]")
    if auto_mix and video is None:
        raise click.UsageError("--auto-mix needs --video FILE")
    from workbench.workflows.fit import fit_json, fit_track
    from workbench.workflows.tracks import find_track
    from workbench.workflows.videos import find_video

    track_source = find_track(workspace, track)
    video_source = None if video is None else find_video(workspace, video)
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
        )
        if report is not None:
            from workbench.workflows.report import write_fit_report

            write_fit_report(workspace, fit, report)
    _explain(fit)
    print_body(fit_json(fit, None if video_source is None else video_source.video_id))


def _explain(fit: Fit) -> None:
    """Write to standard error what the JSON does not say in words."""
    from workbench.loops.fit import shares_its_parts
    from workbench.loops.refusals import plain_seconds
    from workbench.workflows.plan_words import option_differences

    for plan in fit.plans:
        named = f"{plain_seconds(plan.window_end)} s: " if len(fit.plans) > 1 else ""
        say(f"{named}{plan.kind.in_words}, {plan.end_label}")
        if plan.music_in > 0.0:
            say(f"{named}the music starts {plan.start_label}")
        if fit.analysis.profile.downbeats.size < 2:
            continue
        for number, difference in enumerate(option_differences(plan, fit.analysis.profile)[1:], start=2):
            say(f"{named}option {number} {difference}")
    by_length = sorted(fit.plans, key=lambda plan: plan.window_end)
    for short, longer in pairwise(by_length):
        if not shares_its_parts(short, longer):
            lengths = f"{plain_seconds(short.window_end)} s and {plain_seconds(longer.window_end)} s"
            say(f"{lengths} do not share all of their music and seams")
