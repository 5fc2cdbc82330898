"""The `workbench` command: a table of sub-commands, each imported when it is called.

Because a command's module is imported on first use, `workbench --help` answers at once, and a command whose extra is
not installed takes nothing from the others. Installed packages add commands by an entry point of the group
`workbench.commands`, as the service does: it names a table such as `COMMANDS`. Settings that these read from the
environment are classes of pydantic-settings, named in the group `workbench.settings`.

Exit codes: 0 done; 1 failed on the input, with one clear line on standard error; 2 wrong usage; 3 the music cannot do
it (`loop`, `fit` and `conform` print why); 130 interrupted.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import click

from workbench.cli.option_words import error_in_options
from workbench.errors import WorkbenchError

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that numpy reads when it is imported. The products of an analysis are small: a second thread waits more
than it computes, half a second of a short track's three, and with one the last bits of a sum do not depend on the
machine's cores. What the user has set stays; processes that a command starts inherit it."""
_PREFIX = "WORKBENCH_"  # of variables that are settings
_OF_OPTIONS = frozenset(("WORKBENCH_DASHBOARD_KEY",))  # variables that are no settings: an option is read from them
_SILENT = frozenset(("-h", "--help", "--parent"))
"""options without a look at the variables: help, and a process of `serve`, which has looked already"""


class SubCommand(NamedTuple):
    """A sub-command: its module, and its line in the overview."""

    module: str
    """contains a click command named `command`"""
    summary: str


COMMANDS: dict[str, SubCommand] = {
    "demo": SubCommand("workbench.cli.demo", "Cover a five-minute video with a two-minute track, start to finish."),
    "beats": SubCommand("workbench.cli.beats", "Print the beats and downbeats of a track, or set them."),
    "loop": SubCommand("workbench.cli.loop", "Plan how a track covers a longer video."),
    "fit": SubCommand("workbench.cli.fit", "Fit a track to any length: looped, straight or cut down."),
    "splice": SubCommand("workbench.cli.splice", "Score, draw and hear one splice of a track."),
    "sweep": SubCommand("workbench.cli.sweep", "Measure combinations of parameters on a dataset."),
    "align": SubCommand("workbench.cli.align", "Say where a track lands with a video."),
    "match": SubCommand("workbench.cli.match", "Rank the catalog against a video, and say why."),
    "underscore": SubCommand("workbench.cli.underscore", "Rank the catalog against a script, and say why."),
    "render": SubCommand("workbench.cli.render", "Play a plan into a sound file or onto a video."),
    "export": SubCommand("workbench.cli.export", "Write a plan for editors, annotation tools and game engines."),
    "review": SubCommand("workbench.cli.review", "Write verdicts, comments and blind tests as tables."),
    "conform": SubCommand("workbench.cli.conform", "Change a plan for another cut of its video."),
    "reproduce": SubCommand("workbench.cli.reproduce", "Make a plan again from its provenance, and say what differs."),
    "params": SubCommand("workbench.cli.params", "Print the parameters with meaning, unit, range and default."),
    "plans": SubCommand("workbench.cli.plans", "List the plans of a folder, and the projects of the page."),
    "catalog": SubCommand("workbench.cli.catalog", "Add, list and remove the tracks of the catalog."),
    "cache": SubCommand("workbench.cli.cache", "Show the size of the analysis cache, or prune it."),
    "report": SubCommand("workbench.cli.report", "Run a notebook with parameters and write it as HTML."),
    "lab": SubCommand("workbench.cli.lab", "Open JupyterLab on a copy of the notebooks."),
    "docs": SubCommand("workbench.cli.docs", "Open the book: how-to pages, gallery, notebooks, reference."),
    "dashboard": SubCommand("workbench.dashboards.command", "See, hear and tune plans in the browser."),
    "completion": SubCommand("workbench.cli.completion", "Print the shell's completion script."),
}
"""Our sub-commands, in the order of the overview."""


@cache
def all_commands() -> Mapping[str, SubCommand]:
    """Our sub-commands, then those that installed packages add; ours are never replaced."""
    every = dict(COMMANDS)
    for table in _added("workbench.commands"):
        for name, entry in table.items():
            every.setdefault(name, entry)
    return every


def _added(group: str) -> Iterator[Any]:
    """What installed packages add to a group; one that cannot be loaded is named in a line and left out."""
    from importlib.metadata import entry_points  # loads the parsers of mail, 20 ms

    for point in entry_points(group=group):
        try:
            yield point.load()
        except Exception as error:  # noqa: BLE001 - third-party code may raise anything while it is imported
            fault = f"{type(error).__name__}: {error}"
            click.echo(f"workbench: {point.name}, which adds to {group}, cannot be loaded: {fault}", err=True)


class LazyGroup(click.Group):
    """A click group that lists its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the overview."""
        return list(all_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; None for an unknown name, which click turns into a usage error."""
        # Ours come first: what other packages add takes a look at every installed one, 20 ms of 300 packages.
        entry = COMMANDS.get(cmd_name) or all_commands().get(cmd_name)
        if entry is None:
            return None
        command: click.Command = import_module(entry.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the tables, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in all_commands().items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Do as click does, and suggest a command if an unknown name is similar to it."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and args[0] not in all_commands():
            from difflib import get_close_matches

            close = get_close_matches(args[0], all_commands(), n=1)
            ctx.fail(f"no such command: {args[0]}." + (f" Did you mean {close[0]}?" if close else ""))
        if not ctx.resilient_parsing and not _SILENT.intersection(args):  # not while the shell completes a word
            _warn_of_misspelt_variables()
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Results go to standard output as JSON, progress to standard error. "
    "Every command takes --home DIR (or WORKBENCH_HOME), the folder that holds all state.",
)
@click.version_option(package_name="barline-workbench", prog_name="workbench")
def app() -> None:
    """Cover a long video with a short track: whole-bar loops with inaudible seams.

    \b
    Example:
      workbench loop track.mp3 --video video.mp4 --auto-mix > plan.json
      workbench render plan.json --track track.mp3 --video video.mp4 -o out.mp4
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, given without the program's name, or that of the process; returns its exit code.

    Messages have been written to standard error.
    """
    code = _run(arguments)
    try:
        sys.stdout.flush()
    except OSError:  # said already; Python would say it again when it flushes standard output at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code or 1
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        outcome: Any = app.main(args=None if arguments is None else list(arguments), standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        return 130
    except click.ClickException as error:
        said = _explained(error, sys.argv[1:] if arguments is None else arguments)
        if said:
            click.echo(f"workbench: {said}", err=True)
        else:
            error.show()
        return error.exit_code
    except BrokenPipeError:  # the reader has closed the pipe (`workbench beats … | head`), which needs no words
        return 1
    except WorkbenchError as error:
        click.echo(f"workbench: {error_in_options(error)}", err=True)
        return 1
    except UnicodeEncodeError as error:  # a name of other bytes has met a record or a library that holds only text
        names = re.findall(r"""[^"'\n]{0,80}[\ud800-\udfff][^"'\n]{0,80}""", error.object)
        if names:
            click.echo(f"workbench: {names[0]}: not text in UTF-8, which is needed here; rename the file", err=True)
        else:
            text = ascii(error.object[error.start : error.end][:80])
            click.echo(f"workbench: {text} cannot be written in {error.encoding}; use a locale of UTF-8", err=True)
        return 1
    except OSError as error:  # a full disk, say, under standard output or a temporary file
        named = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        click.echo(f"workbench: {named}{error.strerror or error}", err=True)
        return 1
    return outcome if isinstance(outcome, int) else 0


def _explained(error: click.ClickException, arguments: Sequence[str]) -> str:
    """A hint for an unknown option: it may be a file whose name begins with `-`, or the nearest option; else empty."""
    if not isinstance(error, click.NoSuchOption | click.MissingParameter):
        return ""
    unknown = error.option_name if isinstance(error, click.NoSuchOption) else None
    for word in arguments:
        if word == "--":
            break
        is_like_a_file = unknown is not None and word.startswith(unknown) and re.fullmatch(r"-[^=]+\.\w+", word)
        if is_like_a_file or (word.startswith("-") and os.path.isfile(word)):
            return f"{word} is read as an option; a file whose name begins with - is ./{word}, or stands after --"
    if unknown == "--home":  # every command has it
        return "--home stands after the command: workbench COMMAND --home DIR"
    if not isinstance(error, click.NoSuchOption) or not error.possibilities:
        return ""
    return f"no such option: {unknown}. Did you mean {error.possibilities[0]}?"


def _warn_of_misspelt_variables() -> None:
    """Say which variables are nearly settings, and what each may have been meant for.

    Others of the prefix belong to other programs: Kubernetes sets `WORKBENCH_SERVICE_HOST` and more for a service of
    that name.
    """
    given = {name.upper() for name in os.environ if name.upper().startswith(_PREFIX)} - _OF_OPTIONS
    if not given:
        return
    from workbench.store.settings import WorkbenchSettings

    known = {_PREFIX + name.upper() for name in WorkbenchSettings.model_fields}
    if given <= known:
        return
    from difflib import get_close_matches

    known |= {_PREFIX + name.upper() for kind in _added("workbench.settings") for name in kind.model_fields}
    rest = {name.removeprefix(_PREFIX): name for name in known}
    said = [
        f"{name} (did you mean {rest[close[0]]}?)"
        for name in sorted(given - known)
        if (close := get_close_matches(name.removeprefix(_PREFIX), rest, n=1))
    ]
    if said:
        click.echo(f"workbench: no setting has this name: {', '.join(said)}; see `workbench settings`", err=True)


def main() -> None:
    """Entry point of the console script."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")
    _prepare_streams()
    raise SystemExit(run())


class _Messages(io.TextIOWrapper):
    """Standard error where a message that cannot be written is lost, and the result is not."""

    def write(self, text: str) -> int:
        """Write; what a closed or full stream does not take is lost."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Flush; what a closed or full stream does not take is lost."""
        with suppress(OSError):
            super().flush()


def _prepare_streams() -> None:
    """Make the standard streams such that every command may write to them what it has.

    JSON is UTF-8 whatever the locale says, and a file name that is not UTF-8 is written as JSON escapes it. Files that
    are opened later must not get the number of a stream that is closed.
    """
    if sys.stdout is None:
        if sys.stderr is not None:
            print("workbench: standard output is closed, so there is no place for the result", file=sys.stderr)
        raise SystemExit(1)
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(opened, True)
    os.close(opened)
    if sys.stdin is None:
        sys.stdin = open(0)  # noqa: SIM115
    encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
    sys.stderr = _Messages(open(2, "wb", closefd=False), encoding, "backslashreplace", line_buffering=True)  # noqa: SIM115
    assert isinstance(sys.stdout, io.TextIOWrapper), "the process's own"
    sys.stdout.reconfigure(encoding=None if sys.stdout.isatty() else "utf-8", errors="backslashreplace")
