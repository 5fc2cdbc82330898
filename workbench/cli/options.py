"""Options that several commands share: the home folder, tuned parameters, files.

A command decorated with `@workspace_option` receives the `Workspace` of its home folder, which is closed when the
command ends; with `@profile_option` above that, the workspace has the parameters of the profile. A command that only
needs the folder is decorated with `@home_option` and receives a `Home`. With a workspace, it does not
write over a file that it reads.

The docstring of a command is its help, which click prints up to the form feed; the sections after it are for readers of
the code.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from workbench.caches import lend_home
from workbench.cli.terminal import OUTPUT_TAKEN, say
from workbench.errors import ConstraintError, ParameterError
from workbench.files import is_standard_output, is_stream

if TYPE_CHECKING:
    from workbench.analysis.sources import VideoSource
    from workbench.analysis.workspace import Workspace
    from workbench.media.sound_streams import SoundChoice
    from workbench.params import WorkbenchParams
    from workbench.store.home import Home

Command = TypeVar("Command", bound=Callable[..., Any])

# A file that is read. Its existence is not checked here: reading a missing one prints one line and exits with 1.
FILE = click.Path(path_type=Path)


class NewFile(click.Path):
    """A file that is written. Its folder must exist, which is checked before anything is computed for it.

    `-` and /dev/stdout are standard output; a file of that name is written as `./-`.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Convert to a path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if is_standard_output(path) and os.path.dirname(value):  # ./-
            return path.absolute()
        if is_stream(path):
            if path.is_symlink() and os.path.samestat(os.stat(path), os.fstat(1)):  # /dev/stdout
                path = Path("-")
            if is_standard_output(path) and ctx is not None:
                ctx.meta[OUTPUT_TAKEN] = True
            return path
        if path.is_dir():
            self.fail(f"{path}: this is a folder; name a file in it", param, ctx)
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            self.fail(f"{path}: there is no folder {folder if path.is_symlink() else path.parent}", param, ctx)
        return path


# Passes `output`, None where it is not given
output_option = click.option(
    "-o", "--output", type=NewFile(), help="Write the result to this file instead of standard output."
)

# Passes `brief`, None where it is not given
brief_option = click.option("--brief", help="What is asked of the music, as 'warm, no vocals, under 100 bpm'.")

# Passes `use`, None where it is not given
use_option = click.option(
    "--for",
    "use",
    type=click.Choice(("commercial", "broadcast")),
    help="What the music is for: tracks whose licence forbids it (NC, ND) come last and say so, before them those "
    "whose licence is not known.",
)


class Seconds(click.FloatRange):
    """A length of time within bounds, in seconds or as M:SS; unlike click's own range it refuses `nan`."""

    name = "s"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert to seconds."""
        if isinstance(value, str) and ":" in value:
            value = typed("read_length")(ctx, param, value)
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value} is not a length in seconds", param, ctx)
        return seconds


def typed(reader: str) -> Callable[[click.Context | None, click.Parameter | None, Any], Any]:
    """A callback of click that reads a value, or each of several, by a function of `workbench.workflows.constraints`.

    That module loads where something is typed, and not for help.
    """

    def read(ctx: click.Context | None, parameter: click.Parameter | None, value: Any) -> Any:
        if value is None or value == ():
            return value
        from workbench.workflows import constraints

        one = getattr(constraints, reader)
        try:
            return tuple(map(one, value)) if isinstance(value, tuple) else one(value)
        except ConstraintError as error:
            raise click.BadParameter(str(error), ctx, parameter) from error

    return read


def home_option(command: Command) -> Command:
    """Add `--home DIR`, which is passed as the argument `home`, a `Home` or the platform's default one."""
    return click.option(
        "--home",
        type=click.Path(path_type=Path),
        envvar="WORKBENCH_HOME",
        callback=_home,
        help="Folder that holds all state: catalog, analysis cache, demo. [env: WORKBENCH_HOME]",
    )(command)


def workspace_option(command: Command) -> Command:
    """Add `--home DIR`, and pass a workspace in that folder as the argument `workspace`; it is closed at the end.

    The function with the option takes `home` and `params` instead. It refuses a file to write that is also read, or
    named twice, before anything is read.
    """

    @wraps(command)
    def in_workspace(*arguments: Any, home: Home, params: WorkbenchParams | None = None, **named: Any) -> Any:
        _check_outputs(click.get_current_context())
        from workbench.analysis.workspace import Workspace

        with Workspace(home, params) as workspace:
            return command(*arguments, workspace=workspace, **named)

    return home_option(cast(Command, in_workspace))


def profile_option(command: Command) -> Command:
    """Add `--profile FILE` and `--use POINT=NAME`, which are passed together as the argument `params`.

    None stands for the defaults. It may also stand on a function decorated with `workspace_option`.
    """

    @wraps(command)
    def with_params(*arguments: Any, params: WorkbenchParams | None, uses: tuple[str, ...], **named: Any) -> Any:
        if uses:
            from workbench.extensions import with_uses

            params = with_uses(params, uses)
        return command(*arguments, params=params, **named)

    use = click.option(
        "--use",
        "uses",
        metavar="POINT=NAME",
        multiple=True,
        help="Use another part instead of ours, such as section-finder=their_module:Finder; as often as you like.",
    )
    profile = click.option(
        "--profile",
        "params",
        type=FILE,
        callback=_params,
        help="Tuned parameters, as the notebooks save them.",
    )
    return profile(use(cast(Command, with_params)))


def _audio(ctx: click.Context, parameter: click.Parameter, value: str | None) -> SoundChoice | None:
    if value is None:
        return None
    from workbench.media.sound_streams import SoundChoice

    try:
        return SoundChoice.parse(value)
    except ParameterError as error:
        raise click.BadParameter(str(error), ctx, parameter) from error


# Passes `audio`, a `SoundChoice`, None where it is not given
audio_option = click.option(
    "--audio",
    metavar="N|N,M|all",
    callback=_audio,
    help="Which sound streams of the video are its sound, counted from 1; several are mixed. Default: the one that a "
    "player plays, or the first two mono tracks of a camera.",
)


def explain_audio(workspace: Workspace, video: VideoSource | None) -> None:
    """Write to standard error where sound streams of a video that are not used hold speech."""
    from workbench.analysis.video import unused_speech

    line = None if video is None else unused_speech(workspace, video.path)
    if line is not None:
        say(f"{line} (--audio)")


def _check_outputs(ctx: click.Context) -> None:
    """Refuse to write over a file that the same command reads, or to write two things to one file."""
    kinds = {parameter.name: parameter.type for parameter in ctx.command.params}
    written = [value for name, value in ctx.params.items() if value is not None and isinstance(kinds[name], NewFile)]
    read = [
        value
        for name, values in ctx.params.items()
        if isinstance(kinds[name], click.Path | click.types.StringParamType) and not isinstance(kinds[name], NewFile)
        for value in (values if isinstance(values, tuple) else (values,))
        if isinstance(value, str | Path) and os.path.isfile(value)
    ]
    for number, out in enumerate(written):
        if out.exists() and any(os.path.samefile(out, value) for value in read):
            raise click.UsageError(f"{out} is also read by this command; name another file")
        if any(os.path.realpath(out) == os.path.realpath(other) for other in written[:number]):
            raise click.UsageError(f"{out} is named for two things to write; name another file for one")


def _home(ctx: click.Context, parameter: click.Parameter, value: Path | None) -> Home:
    from workbench.store.home import Home

    home = Home.chosen(None, value)
    if cost := lend_home(home.root):
        say(f"workbench: {cost}")
    return home


def _params(ctx: click.Context, parameter: click.Parameter, value: Path | None) -> WorkbenchParams | None:
    if value is None:
        return None
    from workbench.store.profiles import load_profile

    return load_profile(value)
