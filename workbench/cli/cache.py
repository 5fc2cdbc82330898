"""`workbench cache`: how large the analysis cache is, and how to make it smaller."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from workbench.cli.options import home_option
from workbench.cli.terminal import print_body

if TYPE_CHECKING:
    from workbench.home import Home


@click.group("cache", invoke_without_command=True)
@home_option
@click.pass_context
def command(ctx: click.Context, home: Home) -> None:
    """Print size and use of the analysis cache: files, bytes, hits, misses, rebuilt.

    Deleting the cache costs time and never changes a result.

    \b
    Example:
      workbench cache
      workbench cache prune --max-bytes 1000000000
    """
    ctx.obj = home
    if ctx.invoked_subcommand is None:
        from workbench.workflows.analyze import array_store

        print_body({"folder": str(home.arrays), **asdict(array_store(home).stats())})


@command.command("prune")
@click.option(
    "--max-bytes", type=click.IntRange(min=0), help="What may stay. [default: the setting WORKBENCH_CACHE_MAX_BYTES]"
)
@home_option
@click.pass_context
def prune(ctx: click.Context, max_bytes: int | None, home: Home) -> None:
    """Remove what was not used for longest until the rest fits into --max-bytes.

    \b
    Example:
      workbench cache prune --max-bytes 1000000000
    """
    from workbench.settings import load_settings
    from workbench.workflows.analyze import array_store

    # `cache --home DIR prune` says the same as `cache prune --home DIR`.
    chosen = ctx.obj if ctx.get_parameter_source("home") is not click.core.ParameterSource.COMMANDLINE else home
    store = array_store(chosen)
    freed = store.prune(load_settings().cache_max_bytes if max_bytes is None else max_bytes)
    print_body({"folder": str(chosen.arrays), "freed_bytes": freed, **asdict(store.stats())})
