"""`workbench params [NAME]`: what a profile may hold."""

from __future__ import annotations

import click

from workbench.cli.terminal import print_line


@click.command("params")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the parameters that a profile accepts, a JSON line each: meaning, unit, range and default.

    NAME is one of them, with or without its stage, or a stage for all of its. A unit of 1 is a ratio, a probability, a
    score or a weight, `count` a number of things; what is no number has none.

    \b
    Example:
      workbench params
      workbench params seams.context_beats
      workbench params cover | jq -r .parameter
    """
    from workbench.params.described import described

    for row in described(name):
        print_line(row)
