"""The `workbench` command: a table of sub-commands, each imported when it is called.

This is the outermost layer. It joins the commands of `workbench.cli` and of the service, so the workbench does not
import the service. Because a command's module is imported on first use, `workbench --help` answers at once, and without
the `service` extra all other commands work.

Exit codes: 0 done; 1 failed on the input, with one clear line on standard error; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import click

from service.processes.threads import ONE_THREAD
from workbench.errors import WorkbenchError

_FIRST_COLLECT_AFTER = 500_000
"""new containers after which Python first looks for cycles: more than a short command makes, nearly all of them by
importing, and they stay; looking through them took a twelfth of its processor time"""
_COLLECT_AFTER = 10_000
"""the same from then on; with Python's own 700 it would look again and again"""


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
    "catalog": SubCommand("workbench.cli.catalog", "Add, list and remove the tracks of the catalog."),
    "cache": SubCommand("workbench.cli.cache", "Show the size of the analysis cache, or prune it."),
    "report": SubCommand("workbench.cli.report", "Run a notebook with parameters and write it as HTML."),
    "lab": SubCommand("workbench.cli.lab", "Open JupyterLab on a copy of the notebooks."),
    "docs": SubCommand("workbench.cli.docs", "Open the book: how-to pages, gallery, notebooks, reference."),
    "dashboard": SubCommand("workbench.cli.dashboard", "See, hear and tune plans in the browser."),
    "serve": SubCommand("service.commands.serve", "Serve the /v1 interface over HTTP."),
    "worker": SubCommand("service.commands.worker", "Run jobs alone, beside a serve --no-jobs."),
    "keys": SubCommand("service.commands.keys", "Create, list, revoke and rotate API keys of the service."),
    "accounts": SubCommand("service.commands.accounts", "Show and change billing states, read ledgers, move accounts."),
    "videos": SubCommand("service.commands.videos", "Ingest local files as videos that have an id."),
    "jobs": SubCommand("service.commands.jobs", "List the service's jobs, run a failed one again, cancel one."),
    "backup": SubCommand(
        "service.commands.backup", "Write the service's records and files to one file, or restore it."
    ),
    "mcp": SubCommand("service.commands.mcp", "Offer the service to MCP clients, one tool an endpoint."),
    "settings": SubCommand("service.commands.settings", "Print every setting with its value and meaning."),
    "completion": SubCommand("workbench.cli.completion", "Print the shell's completion script."),
}
"""Every sub-command, in the order of the overview."""


class LazyGroup(click.Group):
    """A click group that lists its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; None for an unknown name, which click turns into a usage error."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = importlib.import_module(entry.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from `COMMANDS`, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Do as click does, and suggest a command if an unknown name is similar to it."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
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
    """Cover a long video with a short track: whole-bar loops with seams nobody hears.

    \b
    Example:
      workbench loop track.mp3 --video video.mp4 --auto-mix > plan.json
      workbench render plan.json --track track.mp3 --video video.mp4 -o out.mp4
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line.

    Parameters
    ----------
    arguments : without the program's name; None: those of the process

    Returns
    -------
    exit code; messages have been written to standard error
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
        error.show()
        return error.exit_code
    except BrokenPipeError:  # the reader has closed the pipe (`workbench beats … | head`), which needs no words
        return 1
    except WorkbenchError as error:
        click.echo(f"workbench: {error}", err=True)
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


def _warn_of_misspelt_variables() -> None:
    """Say which variables are nearly settings, and what each may have been meant for.

    Others of the prefix are somebody else's: Kubernetes sets `WORKBENCH_SERVICE_HOST` and more for a service of that
    name.
    """
    given = {name.upper() for name in os.environ if name.upper().startswith(_PREFIX)} - _OF_OPTIONS
    if not given:
        return
    from workbench.settings import WorkbenchSettings

    known = {_PREFIX + name.upper() for name in WorkbenchSettings.model_fields}
    if given <= known:
        return
    from difflib import get_close_matches

    from service.settings import ServiceSettings

    known |= {_PREFIX + name.upper() for name in ServiceSettings.model_fields}
    rest = {name.removeprefix(_PREFIX): name for name in known}
    said = [
        f"{name} (did you mean {rest[close[0]]}?)"
        for name in sorted(given - known)
        if (close := get_close_matches(name.removeprefix(_PREFIX), rest, n=1))
    ]
    if said:
        click.echo(f"workbench: no setting has this name: {', '.join(said)}; see `workbench settings`", err=True)


def main() -> None:
    """Entry point of the console script.

    What is alive when the command has ended is withheld from the collector of cycles: Python looks through everything
    that was imported several times while it shuts down, which takes a third of a second.
    """
    os.environ.update({name: number for name, number in ONE_THREAD.items() if name not in os.environ})
    _prepare_streams()
    _collect_late()
    code = run()
    gc.freeze()
    raise SystemExit(code)


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


def _collect_late() -> None:
    """Look for cycles late for the first time, and as often as a long command needs afterwards."""
    others = gc.get_threshold()[1:]

    def collect_often(phase: str, _: dict[str, int]) -> None:
        if phase == "stop":
            gc.callbacks.remove(collect_often)
            gc.set_threshold(_COLLECT_AFTER, *others)

    gc.callbacks.append(collect_often)
    gc.set_threshold(_FIRST_COLLECT_AFTER, *others)


if __name__ == "__main__":
    main()
