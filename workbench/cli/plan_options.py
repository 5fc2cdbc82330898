"""Options of the commands that make a plan or read one.

Functions: `plan_options`, what `loop` and `fit` share, and of these `auto_mix_option`, `own_music_option` and
`own_music_at_option` for other commands with a mix; `music_options`, which choose what is played of a file,
`track_option`, `length_option` and `stem_options`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, cast

import click

from workbench.cli.options import (
    FILE,
    Command,
    NewFile,
    Seconds,
    audio_option,
    output_option,
    profile_option,
    typed,
    workspace_option,
)

LAST_CUT = "last-cut"
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


# Passes `own_music_at`, video seconds from and to
own_music_at_option = click.option(
    "--own-music-at",
    metavar="M:SS-M:SS",
    multiple=True,
    callback=typed("read_range"),
    help="Where the video has music of its own, instead of where it is detected; may be repeated. The track is silent "
    "there, in a plan from bar line to bar line, unless --own-music says otherwise.",
)


def _end_time(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | str | None:
    """A time, or the last cut of the video, which is not known before that is read."""
    return value if value == LAST_CUT else cast(float | None, typed("read_time")(ctx, parameter, value))


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
        callback=typed("read_keep"),
        help="A part of the track that stays whole; may be repeated.",
    ),
    click.option(
        "--start-at",
        metavar="M:SS",
        callback=typed("read_time"),
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
        callback=typed("read_time"),
        help="When in the video the track arrives: its strongest drop, or a chorus, lands there; may be repeated.",
    ),
    click.option(
        "--hit-at",
        metavar="M:SS",
        multiple=True,
        callback=typed("read_time"),
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
        callback=typed("read_range"),
        help="A range of the track without any seam, such as a sung line; may be repeated.",
    ),
    click.option(
        "--forbid-seam",
        metavar="A-B",
        multiple=True,
        callback=typed("read_splice"),
        help="A splice that is not used: from A of the track to B, each as M:SS; may be repeated.",
    ),
    click.option(
        "--pin-seam",
        metavar="A-B",
        multiple=True,
        callback=typed("read_splice"),
        help="A splice that is used, however it scores; may be repeated.",
    ),
    click.option(
        "--exclude",
        metavar="M:SS-M:SS",
        multiple=True,
        callback=typed("read_range"),
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
    click.option(
        "--min-variety",
        metavar="SECONDS",
        type=Seconds(0.0, 300.0),
        help="Of different music in any five minutes of a loop, or all of a shorter track. For it seams are taken that "
        "are likelier audible than not, down to a score of 0.35, and then the whole track again after its ending; "
        "with 0 neither. Default: as the profile says, else 60.",
    ),
    click.option(
        "--min-seam-score",
        metavar="SCORE",
        type=click.FloatRange(0.0, 1.0),
        help="Take seams that score as much or more, 0 to 1; over 0.5 no others at all, but those pinned. Default: as "
        "the profile says, else 0.5.",
    ),
    profile_option,
    workspace_option,
)


def plan_options(command: Command) -> Command:
    """Add what `loop` and `fit` share, as `print_plans` takes it."""
    for option in reversed(_PLAN_OPTIONS):
        command = option(command)
    return command


# Passes `length`, None where it is not given
length_option = click.option(
    "--length",
    type=Seconds(min=1.0),
    metavar="S",
    help="Which plan of a fit of several lengths, by its length in seconds or as M:SS.",
)

# Passes `track`, None where it is not given
track_option = click.option(
    "--track",
    help="The track that the plan was made for: a file or a catalog track id; not needed where the catalog has its id "
    "or its bytes, or where it lies beside the plan or here under its name.",
)


def _stems(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, Path]:
    """A callback of click that reads NAME=FILE, each name once."""
    stems: dict[str, Path] = {}
    for value in values:
        name, _, file = value.partition("=")
        name = name.strip()
        if not name or not file or "," in name or Path(name).name != name:
            raise click.BadParameter(f"{value!r} is not NAME=FILE, with a NAME without comma and slash", ctx, parameter)
        if name.casefold() in map(str.casefold, stems):
            raise click.BadParameter(f"there are two stems called {name}", ctx, parameter)
        stems[name] = Path(file).expanduser()  # a shell leaves the ~ behind a = as it is
    return stems


def stem_options(command: Command) -> Command:
    """Add `--stem` and `--duck`; they are passed as `stems`, files by name, and `ducked`, names, None for all."""

    @wraps(command)
    def with_stems(*arguments: Any, stems: dict[str, Path], duck: str | None, **named: Any) -> Any:
        if duck is not None and not stems:
            raise click.UsageError("--duck names stems: give them by --stem NAME=FILE")
        ducked = None if duck is None else tuple(name.strip() for name in duck.split(",") if name.strip())
        return command(*arguments, stems=stems, ducked=ducked, **named)

    stem = click.option(
        "--stem",
        "stems",
        metavar="NAME=FILE",
        multiple=True,
        callback=_stems,
        help="A stem of the track, as long as it; give all of them.",
    )
    duck = click.option(
        "--duck", metavar="NAME,…", help="The stems that the mix lowers under speech. Default: all of them."
    )
    return stem(duck(cast(Command, with_stems)))


@dataclass(frozen=True, slots=True)
class AskedMusic:
    """The music of a file that is asked for; None for options not given."""

    file: Path
    track: str | None = None
    option: int | None = None
    placement: int | None = None
    length: float | None = None


def music_options(command: Command) -> Command:
    """Add `--option`, `--placement` and `--length`; they are passed with PLAN and `--track` as `asked`."""

    @wraps(command)
    def with_asked(*arguments: Any, plan: Path, track: str | None, option: int | None, placement: int | None,
                   length: float | None, **named: Any) -> Any:  # fmt: skip
        return command(*arguments, asked=AskedMusic(plan, track, option, placement, length), **named)

    option = click.option(
        "--option", type=click.IntRange(min=1), help="Which option of a loop plan; 1, the plan served, unless given."
    )
    placement = click.option(
        "--placement",
        type=click.IntRange(min=1),
        help="Which placement of an align or match result; 1, the best, unless given.",
    )
    return option(placement(length_option(cast(Command, with_asked))))
