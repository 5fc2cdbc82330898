"""What the commands that make a plan share: the video, what is asked of the plan, and the plan in words.

Functions: `plan_options`, a decorator, and `print_plans`, which does what `loop` and `fit` do; `auto_mix_option`,
`own_music_option`, `own_music_at_option`, `with_own_music`, `explain_audio` and `explain_own_music` for other commands
with a mix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from workbench.cli.option_words import in_options, refusal_in_options
from workbench.cli.options import (
    FILE,
    Command,
    NewFile,
    Seconds,
    audio_option,
    output_option,
    profile_option,
    workspace_option,
)
from workbench.cli.terminal import deliver_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.sources import VideoSource
    from workbench.analysis.workspace import Workspace
    from workbench.media.sound_streams import SoundChoice
    from workbench.params import WorkbenchParams
    from workbench.plans.constraints import TrackRange
    from workbench.plans.plan import LoopPlan
    from workbench.plans.request import Keep, PlanRequest
    from workbench.workflows.plan import Planned

_LAST_CUT = "last-cut"
"""of `--end-on`, instead of a time"""

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


def plan_options(command: Command) -> Command:
    """Add what `loop` and `fit` share: the video, what is asked of the plan, and where the result goes.

    What is asked is passed as `request`, a `PlanRequest` for any kind of plan; all else as `print_plans` takes it.
    """

    @wraps(command)
    def with_request(
        *arguments: Any,
        never_cut: tuple[Any, ...],
        forbid_seam: tuple[Any, ...],
        pin_seam: tuple[Any, ...],
        exclude: tuple[Any, ...],
        keep: tuple[Keep, ...],
        start_at: float | None,
        end_on: float | str | None,
        hit: tuple[float, ...],
        hit_at: tuple[float, ...],
        fade: float | None,
        **named: Any,
    ) -> Any:
        from workbench.plans.constraints import SeamConstraints
        from workbench.plans.request import Hit, PlanRequest

        if len(hit_at) not in (0, 1, len(hit)) or (hit_at and not hit):
            raise click.UsageError("--hit-at goes with --hit: give it once for all of them, or once for each")
        landmarks = hit_at if len(hit_at) == len(hit) else (hit_at or (None,)) * len(hit)
        hits = tuple(Hit(*times) for times in zip(hit, landmarks, strict=True))
        constraints = SeamConstraints(never_cut, forbid_seam, pin_seam, exclude)
        at = end_on if isinstance(end_on, float) else None
        request = PlanRequest(constraints, keep, start_at, at, hits, fade=fade)
        return command(*arguments, request=request, ends_on_last_cut=end_on == _LAST_CUT, **named)

    decorated = cast(Command, with_request)
    for option in reversed(_PLAN_OPTIONS):
        decorated = option(decorated)
    return decorated


def _with_those_of(plan: Path, request: PlanRequest, workspace: Workspace, track: Path) -> PlanRequest:
    """A request with what was asked of a plan added, which is said on standard error, and if it is of another track.

    Raises `InputError` or `PlanError`, which name the file.
    """
    from workbench.cli.plan_files import read_asked
    from workbench.plans.constraints import joined

    asked, made_for = read_asked(plan)
    both = request.and_more(asked)
    taken = [one for one in both.each if one not in request.each]
    if taken:
        say(f"from {plan.name}: {in_options(joined(taken, ', '))}")
    if both.fade is not None and both.fade != request.fade:
        say(f"from {plan.name}: --fade {both.fade:g}")
    if taken and made_for is not None and made_for.content_hash not in (None, workspace.hash_file(track)):
        say(f"{plan.name} was made for {made_for.name}, which is another track: its times are taken for {track.name}")
    return both


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
        "are likelier audible than not, down to a score of 0.35, and then the whole track again after its ending; "
        "with 0 neither. Default: as the profile says, else 60.",
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


# Passes `own_music_at`, video seconds from and to
own_music_at_option = click.option(
    "--own-music-at",
    metavar="M:SS-M:SS",
    multiple=True,
    callback=_each("read_range"),
    help="Where the video has music of its own, instead of where it is detected; may be repeated. The track is silent "
    "there, in a plan from bar line to bar line, unless --own-music says otherwise.",
)


def read_time(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """A callback of click that reads a time as M:SS, or in seconds, both with decimals."""
    if value is None:
        return None
    from workbench.workflows.constraints import read_seconds

    seconds = read_seconds(value)
    if seconds is None:
        raise click.BadParameter(f"{value!r} is not a time such as 1:05 or 65.5", ctx, parameter)
    return seconds


def _times(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[float | None, ...]:
    """Several times."""
    return tuple(read_time(ctx, parameter, value) for value in values)


def _end_time(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | str | None:
    """A time, or the last cut of the video, which is not known before that is read."""
    return value if value == _LAST_CUT else read_time(ctx, parameter, value)


def _kept(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Keep, ...]:
    """Parts of the track with a name, or ranges of it."""
    if not values:
        return ()
    from workbench.errors import ConstraintError
    from workbench.plans.request import Keep, KeptPart
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


_PLAN_OPTIONS = (
    video_option,
    audio_option,
    auto_mix_option,
    own_music_option,
    own_music_at_option,
    click.option(
        "--keep",
        metavar="intro|ending|hook|M:SS-M:SS",
        multiple=True,
        callback=_kept,
        help="A part of the track that stays whole; may be repeated.",
    ),
    click.option(
        "--start-at",
        metavar="M:SS",
        callback=read_time,
        help="When in the video the music starts; before it there is silence.",
    ),
    click.option(
        "--end-on",
        metavar="M:SS|last-cut",
        callback=_end_time,
        help="When in the video the last hit of the music lands: a time, or on its last cut.",
    ),
    click.option(
        "--hit",
        metavar="M:SS",
        multiple=True,
        callback=_times,
        help="When in the video the track arrives: its strongest drop, or a chorus, lands there; may be repeated.",
    ),
    click.option(
        "--hit-at",
        metavar="M:SS",
        multiple=True,
        callback=_times,
        help="With --hit, the second of the track that lands there; once for all hits, or once for each.",
    ),
    click.option(
        "--fade",
        metavar="SECONDS",
        type=Seconds(0.0, min_open=True),
        help="How long the closing fade lasts where the music ends in one; an ending of the track's own and a button "
        "stay as they are. Default: as long as sounds good.",
    ),
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
    output_option,
    click.option("--report", type=NewFile(), help="Also write a page that shows the options and plays the seams."),
    balance_options,
    profile_option,
    workspace_option,
)


def print_plans(
    workspace: Workspace,
    track: str,
    lengths: tuple[float, ...] | None,
    request: PlanRequest,
    *,
    video: Path | None,
    audio: SoundChoice | None,
    auto_mix: bool,
    own_music: str | None,
    own_music_at: tuple[TrackRange, ...],
    ends_on_last_cut: bool,
    from_plan: Path | None,
    output: Path | None,
    report: Path | None,
) -> int:
    """Plan a track under a video or for some lengths, s, and print what was found; returns the exit code.

    0 with a plan for each length; 3 where the music cannot do it, 1 where that may pass: then the bodies are printed,
    and no file is written.
    """
    if (video is None) == (lengths is None):
        raise click.UsageError("give either --video FILE or --seconds S")
    if auto_mix and video is None:
        raise click.UsageError("--auto-mix needs --video FILE")
    if audio is not None and video is None:
        raise click.UsageError("--audio needs --video FILE")
    if ends_on_last_cut and video is None:
        raise click.UsageError(f"--end-on {_LAST_CUT} needs --video FILE")
    from workbench.analysis.sources import find_track, find_video, with_audio_of
    from workbench.plans.refusals import Refusal
    from workbench.workflows.plan import plan_lengths, plan_track, planned_json

    track_source = find_track(workspace, track)
    video_source = None if video is None else find_video(workspace, video)
    workspace = with_audio_of(with_own_music(workspace, own_music, own_music_at, auto_mix), video_source, audio)
    if ends_on_last_cut and video_source is not None:
        from workbench.plans.constraints import clock
        from workbench.workflows.constraints import last_cut

        with progress_bar() as progress:
            request = replace(request, end_on=last_cut(workspace.with_progress(progress), video_source.path))
        say(f"the last cut is at {clock(request.end_on or 0.0)}")
    if from_plan is not None:
        request = _with_those_of(from_plan, request, workspace, track_source.path)
    with progress_bar() as progress:
        workspace = workspace.with_progress(progress)
        planned: tuple[Planned, ...]
        if video_source is not None:
            planned = (plan_track(workspace, track_source, video_source.path, request, auto_mix=auto_mix),)
        else:
            planned = plan_lengths(workspace, track_source, lengths or (), request)
        refused = [one.answer for one in planned if isinstance(one.answer, Refusal)]
        if report is not None:
            from workbench.workflows.report import write_lengths_report, write_plan_report

            if len(planned) == 1:
                write_plan_report(workspace, planned[0], report)
            else:
                write_lengths_report(workspace, planned, report)
    _explain(planned, workspace)
    is_mixed = planned[0].mix is not None
    explain_audio(workspace, video_source if is_mixed else None)
    explain_own_music(workspace, video_source, is_mixed, own_music)
    video_id = None if video_source is None else video_source.video_id
    bodies = []
    for one in planned:
        hint = refusal_in_options(one.answer) if isinstance(one.answer, Refusal) else None
        bodies.append(planned_json(one, video_id, hint))
    body = bodies[0] if len(bodies) == 1 else {"fits": bodies}
    deliver_body(body, None if refused else output)
    if not refused:
        return 0
    return 3 if any(not refusal.retryable for refusal in refused) else 1


def _explain(planned: Sequence[Planned], workspace: Workspace) -> None:
    """Write to standard error what the JSON does not say in words."""
    from workbench.plans.fit import shares_its_parts
    from workbench.plans.plan import EndKind, LoopPlan
    from workbench.plans.refusals import Refusal, plain_seconds
    from workbench.results.plan_words import less_sure_line, option_differences, poor_pins, repetition_line

    first, params = planned[0], workspace.params.cover
    if first.file_loop is not None:
        say(first.file_loop.in_words)
    for number, one in enumerate(planned):
        plan, analysis = one.answer, one.analysis
        named = f"{plain_seconds(one.video_seconds)} s: " if len(planned) > 1 else ""
        if isinstance(plan, Refusal):
            say(f"{named}{refusal_in_options(plan)}")
            continue
        assert analysis is not None, "a plan comes from an analysis"
        profile = analysis.profile
        if number == 0:
            for line in poor_pins(profile, one.request.constraints.pinned, params):
                say(in_options(line))
        if not one.request.only_loop:
            say(f"{named}{plan.kind.in_words}, {plan.end_label}")
        if one.request.fade is not None and plan.ending.kind is not EndKind.FADE:
            say(f"{named}this does not end in a fade, so --fade is not used")
        if plan.music_in > 0.0:
            say(f"{named}the music starts {plan.start_label}")
        for said in _hit_lines(plan, one.request):
            say(f"{named}{said}")
        less_sure = less_sure_line(plan, profile, one.request, params)
        if less_sure is not None:
            say(f"{named}{in_options(less_sure)}")
        constraints = one.request.constraints
        repeated = repetition_line(plan, profile, params, constraints)
        if repeated is not None:
            say(f"{named}{repeated}")
        if profile.downbeats.size >= 2:
            for option, difference in enumerate(option_differences(plan, profile, params, constraints)[1:], start=2):
                say(f"{named}option {option} {difference}")
    plans = sorted((one.answer for one in planned if isinstance(one.answer, LoopPlan)), key=lambda one: one.window_end)
    for short, longer in pairwise(plans):
        if not shares_its_parts(short, longer):
            lengths = f"{plain_seconds(short.window_end)} s and {plain_seconds(longer.window_end)} s"
            say(f"{lengths} do not share all of their music and seams")


def _hit_lines(plan: LoopPlan, request: PlanRequest) -> list[str]:
    """What lands on each hit, and by how much an option misses it."""
    from workbench.plans.constraints import clock
    from workbench.plans.hits import HIT_SECONDS, hit_distance

    lines = []
    for hit in request.hits:
        if hit.landmark is None:  # of music without bars
            continue
        what = f"{clock(round(hit.landmark, 1))} of the track"
        lines.append(f"{what} plays at {clock(hit.at)}")
        for number, option in enumerate(plan.options[1:], start=2):
            late = hit_distance(option, hit)
            if late is None:
                lines.append(f"option {number} does not play {what}")
            elif abs(late) > HIT_SECONDS:
                side = "late" if late > 0 else "early"
                lines.append(f"option {number} plays {what} {abs(late):.1f} s {side} for {clock(hit.at)}")
    return lines


def with_own_music(
    workspace: Workspace, own_music: str | None, own_music_at: tuple[TrackRange, ...], auto_mix: bool
) -> Workspace:
    """The workspace whose mixes treat the video's own music as was asked for, else as the profile says.

    Music that is said to be somewhere is yielded to unless something else is asked. Raises `click.UsageError` if it was
    asked for without a mix, and for ranges that overlap.
    """
    if own_music is None and not own_music_at:
        return workspace
    if not auto_mix:
        raise click.UsageError(f"--own-music{'-at' if own_music is None else ''} needs --auto-mix")
    if own_music == "ignore" and own_music_at:
        raise click.UsageError("--own-music ignore makes no room: leave it or --own-music-at out")
    params = workspace.params
    given: dict[str, Any] = params.mix.model_dump()
    if own_music is not None:
        given["own_music"] = own_music
    elif given["own_music"] == "ignore":
        given["own_music"] = "yield"
    if own_music_at:
        given["own_music_at"] = tuple((one.song_from, one.song_to) for one in own_music_at)
    try:
        mix = type(params.mix).model_validate(given)
    except ValueError as error:
        raise click.UsageError("--own-music-at: two ranges overlap") from error
    return workspace.with_params(params.model_copy(update={"mix": mix}))


def explain_own_music(workspace: Workspace, video: VideoSource | None, is_mixed: bool, own_music: str | None) -> None:
    """Write to standard error where a mix plays over the video's own music, unless `own_music` was asked for."""
    if video is None or not is_mixed or own_music is not None or workspace.params.mix.own_music != "ignore":
        return
    from workbench.media.probe import probe
    from workbench.workflows.render import own_music_ranges

    ranges = own_music_ranges(workspace, video.path, probe(video.path).duration)
    if ranges:
        say(
            f"the video has music of its own, {spans_in_words(ranges)}, and the track plays over it; --own-music yield "
            "or mix makes room"
        )


def spans_in_words(spans: Iterable[tuple[float, float]]) -> str:
    """Stretches of a video in words: 0:12 to 0:48, 3:05 to 3:20."""
    from workbench.plans.constraints import clock

    return ", ".join(f"{clock(round(first))} to {clock(round(last))}" for first, last in spans)


def explain_audio(workspace: Workspace, video: VideoSource | None) -> None:
    """Write to standard error where sound streams of a video that are not used hold speech."""
    from workbench.analysis.video import unused_speech

    line = None if video is None else unused_speech(workspace, video.path)
    if line is not None:
        say(f"{line} (--audio)")
