"""The reference of the command line, from the help of each command; and whether a command line is one."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir
from itertools import dropwhile
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from notebooks.book.markdown import cell, fenced, table
from workbench.cli.main import all_commands, app


def commands_page() -> str:
    """The page, in Markdown."""
    commands = all_commands()
    parts = [
        "# Command line\n",
        "Results go to standard output as JSON, progress to standard error. Exit codes: 0 done; 1 failed on the input, "
        "with one line that says why; 2 wrong usage; 130 interrupted.\n",
        table(
            ["command", "does"], ([f"[`{name}`](#{name})", cell(one.summary)] for name, one in all_commands().items())
        ),
    ]
    root = click.Context(app, info_name="workbench")
    for name in commands:
        command = app.get_command(root, name)
        assert command is not None
        parts += _sections(command, name, root, "##")
    return "\n".join(parts)


def fault_of(line: str) -> str:
    """What is wrong with a command line, as the program would say it; empty if nothing is. Nothing is run.

    The line may have pipes and redirections; lines of other programs have no fault.
    """
    words = shlex.split(re.split(r"\s(?:\||>|&)", line)[0], comments=True)
    words = list(dropwhile(re.compile(r"[A-Z_]+=").match, words))  # what is set in the environment
    if not words or words[0] != "workbench":
        return ""
    with TemporaryDirectory() as folder, chdir(folder):
        os.environ.setdefault("COLUMNS", "100")
        for word in words:  # files that the line reads
            if re.fullmatch(r"[\w-]+\.toml", word):
                Path(word).touch()
        command: click.Command = app
        context = click.Context(app, info_name="workbench")
        rest = words[1:]
        try:
            while isinstance(command, click.Group):
                if not rest or rest[0] in ("-h", "--help", "--version"):
                    return "" if rest else f"{line}: which command?"
                name = rest.pop(0)
                found = command.get_command(context, name)
                if found is None:
                    return f"{line}: there is no command {name}"
                command = found
                if isinstance(command, click.Group):
                    context = click.Context(command, info_name=name, parent=context)
            command.make_context(command.name, rest, parent=context)
        except click.ClickException as error:
            return f"{line}: {error.format_message()}"
        except click.exceptions.Exit:
            return ""
    return ""


def _sections(command: click.Command, name: str, parent: click.Context, level: str) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    # a heading is the last word alone, so that links to it stay short
    yield f"{level} {context.command_path.removeprefix('workbench ')}\n"
    yield fenced(command.get_usage(context).removeprefix("Usage: "))
    yield _prose((command.help or "").split("\f")[0])
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    rows = [[f"`{one[0]}`".replace("|", "\\|"), cell(one[1])] for one in records if one and one[0] != "-h, --help"]
    if rows:
        yield table(["option", "meaning"], rows)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _sections(found, inner, context, level + "#")


def _prose(text: str) -> str:
    """The text of a help: paragraphs that click does not wrap are code."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        if lines and lines[0] == "\b":
            title = lines[1:2] if lines[1].endswith(":") else []
            block = "\n".join(lines[1 + len(title) :])
            language = "sh" if block.startswith("workbench") else "text"
            parts += [*title, "", fenced(block, language)]
        else:
            parts += [" ".join(lines).replace("<", "&lt;"), ""]
    return "\n".join(parts)
