"""What the commands that make a plan share: the video or its length, constraints on seams, and the plan in words.

Functions: `video_option`, `auto_mix_option`, `own_music_option`, `seam_options` and `balance_options`, decorators;
`read_time`; `check_length`; `find_files`; `with_own_music`; `explain_audio`, `explain_constraints`,
`explain_own_music`, `explain_plan`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from workbench.cli.option_words import in_options
from workbench.cli.options import FILE, Command, Seconds
from workbench.cli.terminal import say

if TYPE_CHECKING:
    from workbench.loops.constraints import SeamConstraints
    from workbench.loops.plan import LoopPlan
    from workbench.loops.profile import LoopProfile
    from workbench.params import WorkbenchParams
    from workbench.workflows.fit import Fit
    from workbench.workflows.loop import Loop
    from workbench.workflows.tracks import TrackSource
    from workbench.workflows.videos import VideoSource
    from workbench.workspace import Workspace

# Passes `video`, None where it is not given
video_option = click.option(
    "--video",
    type=FILE,
    help="The video to fill: a file, or the id of one that was added; or sound without a picture.",
)
# Passes `auto_mix`
auto_mix_option = click.option(
    "--auto-mix", is_flag=True, help="Also say how the music makes way for a voice in the video."
)
# Passes `own_music`, None where it is not given
own_music_option = click.option(
    "--own-music",
    type=click.Choice(("ignore", "mix", "yield")),
    help="With --auto-mix, where the video has music of its own: play over it, under it, or be silent until it ends. "
    "Default: as the profile says, else ignore.",
)


def seam_options(command: Command) -> Command:
    """Add `--never-cut`, `--forbid-seam`, `--pin-seam`, `--exclude` and `--from`; the first four may be repeated.

    They are passed as `constraints`. Where the command has kept parts and times as well, they are taken from the plan
    of `--from` too.
    """

    @wraps(command)
    def with_constraints(
        *arguments: Any,
        never_cut: tuple[Any, ...],
        forbid_seam: tuple[Any, ...],
        pin_seam: tuple[Any, ...],
        exclude: tuple[Any, ...],
        from_plan: Path | None,
        **named: Any,
    ) -> Any:
        from workbench.loops.constraints import SeamConstraints

        constraints = SeamConstraints(never_cut, forbid_seam, pin_seam, exclude)
        if from_plan is not None:
            constraints, named = _taken_over(from_plan, constraints, named)
        return command(*arguments, constraints=constraints, **named)

    options = (
        click.option(
            "--never-cut",
            metavar="M:SS-M:SS",
            multiple=True,
            callback=_each("read_range"),
            help="A range of the track without any seam, such as a sung line; may be repeated.",
        ),
        click.option(
            "--forbid-seam",
            metavar="A-B",
            multiple=True,
            callback=_each("read_splice"),
            help="A splice that is not used: from A of the track to B, each as M:SS; may be repeated.",
        ),
        click.option(
            "--pin-seam",
            metavar="A-B",
            multiple=True,
            callback=_each("read_splice"),
            help="A splice that is used, however it scores; may be repeated.",
        ),
        click.option(
            "--exclude",
            metavar="M:SS-M:SS",
            multiple=True,
            callback=_each("read_range"),
            help="A range of the track that is not played; may be repeated.",
        ),
        click.option(
            "--from",
            "from_plan",
            type=FILE,
            metavar="PLAN",
            help="Ask for what was asked of PLAN too, as loop, fit or conform printed it; a time given here replaces "
            "that of PLAN.",
        ),
    )
    decorated = cast(Command, with_constraints)
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def _taken_over(plan: Path, given: SeamConstraints, named: dict[str, Any]) -> tuple[SeamConstraints, dict[str, Any]]:
    """Constraints, and the other arguments of a command, with what was asked of a plan added.

    Says on standard error what that is. Raises `InputError` or `PlanError`, which name the file.
    """
    from workbench.cli.plan_files import read_request
    from workbench.loops.constraints import joined
    from workbench.workflows.wishes import PlanWishes

    taken = read_request(plan)
    if "keep" in named:
        times = {name: getattr(taken, name) for name in ("start_at", "end_on") if named[name] is None}
        taken = PlanWishes(taken.seams, taken.keep, **times)
        named = {**named, **times, "keep": tuple(dict.fromkeys((*taken.keep, *named["keep"])))}
    else:
        taken = PlanWishes(taken.seams)
    if taken:
        say(in_options((f"from {plan.name}: ", *joined(taken.each, ", "))))
    return taken.seams.and_more(given), named


def balance_options(command: Command) -> Command:
    """Add `--min-variety` and `--min-seam-score`, which change the parameters of a function with `profile_option`."""

    @wraps(command)
    def with_balance(
        *arguments: Any,
        min_variety: float | None,
        min_seam_score: float | None,
        params: WorkbenchParams | None,
        **named: Any,
    ) -> Any:
        given = {"min_variety_seconds": min_variety, "min_seam_score": min_seam_score}
        changed = {name: value for name, value in given.items() if value is not None}
        if changed:
            from workbench.params import WorkbenchParams

            params = params or WorkbenchParams()
            params = params.model_copy(update={"cover": params.cover.model_copy(update=changed)})
        return command(*arguments, params=params, **named)

    variety = click.option(
        "--min-variety",
        metavar="SECONDS",
        type=Seconds(0.0, 300.0),
        help="Of different music in any five minutes of a loop, or all of a shorter track. For it seams are taken that "
        "are likelier heard than not, down to a score of 0.35, and then the whole track again after its ending; with 0 "
        "neither. Default: as the profile says, else 60.",
    )
    score = click.option(
        "--min-seam-score",
        metavar="SCORE",
        type=click.FloatRange(0.0, 1.0),
        help="Take seams that score as much or more, 0 to 1; over 0.5 no others at all, but those pinned. Default: as "
        "the profile says, else 0.5.",
    )
    return variety(score(cast(Command, with_balance)))


def _each(reader: str) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[Any, ...]]:
    """A callback that reads each value by a function of `workbench.workflows.constraints`."""

    def read(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[Any, ...]:
        if not values:
            return ()
        from workbench.errors import ConstraintError
        from workbench.workflows import constraints

        try:
            return tuple(getattr(constraints, reader)(value) for value in values)
        except ConstraintError as error:
            raise click.BadParameter(str(error), ctx, parameter) from error

    return read


def read_time(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """A callback of click that reads a time as M:SS, or in seconds, both with decimals."""
    if value is None:
        return None
    from workbench.workflows.constraints import read_seconds

    seconds = read_seconds(value)
    if seconds is None:
        raise click.BadParameter(f"{value!r} is not a time such as 1:05 or 65.5", ctx, parameter)
    return seconds


def check_length(video: Path | None, seconds: object, auto_mix: bool, metavar: str) -> None:
    """Check that a plan gets one length, and a mix its video; raises `click.UsageError` otherwise.

    `metavar` stands for the value of `--seconds` in the help.
    """
    if (video is None) == (seconds is None):
        raise click.UsageError(f"give either --video FILE or --seconds {metavar}")
    if auto_mix and video is None:
        raise click.UsageError("--auto-mix needs --video FILE")


def find_files(workspace: Workspace, track: str, video: Path | None) -> tuple[TrackSource, VideoSource | None]:
    """The track and the video that were named by path or id; raises `UnknownTrack` or `UnknownVideo` for neither."""
    from workbench.workflows.tracks import find_track
    from workbench.workflows.videos import find_video

    return find_track(workspace, track), None if video is None else find_video(workspace, video)


def with_own_music(workspace: Workspace, own_music: str | None, auto_mix: bool) -> Workspace:
    """The workspace whose mixes treat the video's own music as was asked for, else as the profile says.

    Raises `click.UsageError` if it was asked for without a mix.
    """
    if own_music is None:
        return workspace
    if not auto_mix:
        raise click.UsageError("--own-music needs --auto-mix")
    params = workspace.params
    mix = params.mix.model_copy(update={"own_music": own_music})
    return workspace.with_params(params.model_copy(update={"mix": mix}))


def explain_own_music(workspace: Workspace, video: VideoSource | None, is_mixed: bool, own_music: str | None) -> None:
    """Write to standard error where a mix plays over the video's own music, unless `own_music` was asked for."""
    if video is None or not is_mixed or own_music is not None or workspace.params.mix.own_music != "ignore":
        return
    from workbench.loops.constraints import clock
    from workbench.media.probe import probe
    from workbench.workflows.deliver import own_music_ranges

    ranges = own_music_ranges(workspace, video.path, probe(video.path).duration)
    if ranges:
        spans = ", ".join(f"{clock(round(first))} to {clock(round(last))}" for first, last in ranges)
        say(
            f"the video has music of its own, {spans}, and the track plays over it; --own-music yield or mix makes room"
        )


def explain_audio(workspace: Workspace, video: VideoSource | None) -> None:
    """Write to standard error where sound streams of a video that are not used hold speech."""
    from workbench.workflows.watch import unused_speech

    line = None if video is None else unused_speech(workspace, video.path)
    if line is not None:
        say(line)


def explain_constraints(
    constraints: SeamConstraints, planned: Loop | Fit, profile: LoopProfile, workspace: Workspace
) -> None:
    """Write to standard error whether the loop points of the track's file are used, and which pinned seams are poor."""
    from workbench.workflows.plan_words import poor_pins

    if planned.file_loop is not None:
        say(planned.file_loop.in_words)
    for line in poor_pins(profile, constraints.pinned, workspace.params.cover):
        say(in_options(line))


def explain_plan(plan: LoopPlan, profile: LoopProfile, *more: str, named: str = "") -> None:
    """Write to standard error what the JSON of a plan does not say in words: its start, and how its options differ.

    `more` are lines between both; `named` says before each line which plan of several it is.
    """
    from workbench.workflows.plan_words import option_differences

    if plan.music_in > 0.0:
        say(f"{named}the music starts {plan.start_label}")
    for line in more:
        say(f"{named}{line}")
    if profile.downbeats.size < 2:
        return
    for number, difference in enumerate(option_differences(plan, profile)[1:], start=2):
        say(f"{named}option {number} {difference}")
